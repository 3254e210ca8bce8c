#!/usr/bin/env python3
"""bench/run: every workload gives every row, and a missing peer is named.

usage: bench_test.py [NAME...]      programs by SS_BUILD_DIR

Sizes are tiny, and no figure decides: only that there is one.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

from harness import BUILD, DEADLINE_S, ROOT, expect, main
from postgres import missing

sys.path.append(str(ROOT / "bench/driver"))
from place import file_system  # noqa: E402 (found by the line before)

# Of issue 15's table, but for what is not of one coordinator.
ROWS = {
    "chain": ["run"], "fanout": ["run"], "loop": ["superstep"],
    "one_thread": ["superstep"], "one_thread_sqlite": ["superstep"],
    "crowd_256": ["rate", "cpu"], "crowd_1000": ["rate", "cpu"],
    "crowd_10000": ["rate", "cpu"], "begin_end": ["rate", "cpu"],
    "crowd_256_sqlite": ["rate", "cpu"],
    **dict.fromkeys(("scale_1", "scale_2", "scale_4"),
                    ["rate", "coordinator", "worker", "postgres"]),
    "sends": ["run"],
    "conversation": ["journal", "runs", "early", "late", "growth"],
    "append": ["rate", "cpu", "ratio"], "handoff": ["cpu", "ratio"],
    "large_graph": ["growth", "small", "large"],
    "memory": ["idle", "alone", "alone_rested", "active", "active_rested",
               "known", "known_rested"], "recovery": ["first"],
    "suite_sequential_10": ["run"], "suite_sequential_1000": ["run"],
    "suite_fanout_10": ["run"], "suite_fanout_100": ["run"],
    "suite_react_10": ["run"], "suite_react_100": ["run"],
    "suite_wide_25x300": ["run"], "suite_wide_15x600": ["run"],
    "suite_wide_9x1200": ["run"],
    "suite_sequential_10_1_durable": ["rate"],
    "suite_sequential_10_64_durable": ["rate"],
    "suite_fanout_10_1_durable": ["rate"],
    "suite_fanout_10_64_durable": ["rate"],
    "suite_react_10_1_durable": ["rate"],
    "suite_react_10_64_durable": ["rate"],
}
# Processor times of a few supersteps, by a clock of 10 ms.
MAY_BE_0 = ("known", "cpu", "coordinator", "worker", "postgres")
NEED_POSTGRES = {"one_thread", "crowd_256", "crowd_1000", "crowd_10000",
                 "conversation", "recovery", "append",
                 "scale_1", "scale_2", "scale_4",
                 *(name for name in ROWS if name.endswith("_durable"))}


def bench(*words, status=0, **environment):
    """What it wrote to standard output, and to standard error."""
    done = subprocess.run(
        [str(ROOT / "bench/run"), *words], text=True, capture_output=True,
        stdin=subprocess.DEVNULL, timeout=8 * DEADLINE_S, check=False,
        env={**os.environ, "SS_BUILD_DIR": str(BUILD.resolve()), **environment})
    expect(done.returncode == status,
           f"bench/run {words}: status {done.returncode}\n{done.stderr}")
    return done.stdout, done.stderr


def measured(*words, **environment):
    return json.loads(bench("--json", "--tiny", "--rounds", "1", *words,
                            **environment)[0])


def test_every_row_is_there():
    told = measured("--ours")
    found = {}
    for row in told["rows"]:
        found.setdefault(row["workload"], []).append(row["row"])
        [ours] = row["sides"]
        if missing() and row["workload"] in NEED_POSTGRES:
            expect(ours["missing"] == missing(), f"not said: {row}")
            continue
        expect(ours["side"] == "superstep" and len(ours["values"]) == 1,
               f"no figure of ours: {row}")
        expect(ours["min"] <= ours["median"] <= ours["max"], f"{row}")
        expect(ours["median"] > 0 or row["row"] in MAY_BE_0, f"nothing: {row}")
        expect(row["unit"] and row["measures"] and row["leaves_out"], f"{row}")
    expect(found == ROWS, f"rows: {found}")
    expect(told["machine"]["processor"] and told["rounds"] == 1, f"{told}")
    # Tests keep their databases in memory where they can.
    here = file_system(pathlib.Path(tempfile.gettempdir()))
    expect(missing() or told["machine"]["its disk"] == here,
           f"not where files are: {told['machine']}")


def test_what_more_processors_would_give_is_reckoned():
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        sides = {"rate": 10000, "coordinator": 50, "worker": 10, "postgres": 40}
        json.dump({"rows": [
            {"workload": "scale_1", "row": row,
             "sides": [{"side": "superstep", "median": value}]}
            for row, value in sides.items()]}, file)
        file.flush()
        done = subprocess.run(
            [str(ROOT / "bench/scale"), "--from", file.name], text=True,
            capture_output=True, check=False)
    expect(done.returncode == 0, done.stderr)
    # 50 us by each coordinator, 40 us by each connection that has a processor.
    for line in ("| 1 | 4 | 20,000 | coordinators |",
                 "| 8 | 4 | 100,000 | PostgreSQL |",
                 "| 8 | 16 | 160,000 | coordinators |"):
        expect(line in done.stdout, f"no {line} in\n{done.stdout}")


def test_who_cannot_be_installed_is_named():
    with tempfile.TemporaryDirectory(prefix="superstep-bench-") as folder:
        told = measured(
            "chain", SS_BENCH_PEERS=f"{folder}/peers",
            SS_BENCH_NEOGRAPH=f"{folder}/nothing",
            PIP_INDEX_URL="http://127.0.0.1:1/", PIP_RETRIES="0",
            PIP_NO_CACHE_DIR="1", PIP_FIND_LINKS="", PIP_CONFIG_FILE="/dev/null",
            npm_config_registry="http://127.0.0.1:1/",
            npm_config_fetch_retries="0", npm_config_cache=f"{folder}/npm")
    [row] = told["rows"]
    sides = {side["side"]: side for side in row["sides"]}
    expect(sides.pop("superstep")["values"], "no figure of ours")
    expect({name.split()[0].rstrip(",") for name in sides}
           == {"langgraph", "langgraph.js", "neograph"}, f"sides: {sides}")
    for name, side in sides.items():
        expect(side.get("missing", "").startswith("cannot be installed here: "),
               f"{name} is not there, and nothing says why: {side}")


def test_the_table_has_what_the_document_has():
    document, _ = bench("--json", "--tiny", "--rounds", "2", "--ours", "loop")
    [row] = json.loads(document)["rows"]
    [ours] = row["sides"]
    expect(len(ours["values"]) == 2, f"rounds: {ours}")
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(document)
        file.flush()
        text, _ = bench("--show", file.name)
    [line] = [each for each in text.splitlines()
              if each.startswith("    superstep")]
    numbers = [float(word.replace(",", "")) for word in line.split()[1:]]
    expect(numbers.pop() == 2, f"rounds: {line}")
    for number, name in zip(numbers, ("median", "min", "max"), strict=True):
        expect(abs(number - ours[name]) <= 0.06 * ours[name], f"{line} {ours}")
    expect(row["title"] in text and row["leaves_out"] in text, text)


def test_a_name_that_is_not_there_is_refused():
    text, errors = bench("chian", status=2)
    expect(text == "" and "Did you mean chain?" in errors, errors)
    listed, _ = bench("--list")
    for name in ROWS:
        expect(f"{name}: " in listed, f"--list does not name {name}")


if __name__ == "__main__":
    main(globals())
