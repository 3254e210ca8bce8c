#!/usr/bin/env python3
"""Superstep, its peers and its limits side by side, in one run.

Every side of a workload is measured once a round, in turns, and each round
begins with another side, so that whatever else the machine does falls on all
alike. A side that cannot be measured here is named with the reason. ^C ends it
with what there is.
"""

import argparse
import contextlib
import difflib
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/system"))

from peers import Peers  # noqa: E402
from place import Place, machine  # noqa: E402
from tables import Result, as_json, as_table  # noqa: E402
from workloads import WORKLOADS  # noqa: E402

ROUNDS = 5


def say(text):
    print(text, file=sys.stderr, flush=True)


def arguments():
    parser = argparse.ArgumentParser(
        prog="bench/run", description=__doc__.splitlines()[0],
        epilog="Names may be parts of names; none: all. --list names them.")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--json", action="store_true",
                        help="one JSON document in place of the table")
    parser.add_argument("--rounds", type=int, default=ROUNDS, metavar="N",
                        help=f"how often each side is measured ({ROUNDS})")
    parser.add_argument("--ours", action="store_true",
                        help="no peers, no limits: nothing is installed")
    parser.add_argument("--tiny", action="store_true",
                        help="sizes that show that it works, and no more")
    parser.add_argument("--list", action="store_true",
                        help="the workloads, and what each measures")
    parser.add_argument("--show", metavar="FILE",
                        help="the table of what --json printed; nothing is "
                        "measured")
    given = parser.parse_args()
    if given.rounds < 1:
        parser.error("--rounds is a number from 1 on")
    return given


def chosen(names):
    for name in names:
        if not any(name in each.name for each in WORKLOADS):
            near = difflib.get_close_matches(
                name, [each.name for each in WORKLOADS], 1)
            say(f"bench/run: there is no workload {name}."
                + (f" Did you mean {near[0]}?" if near else " See --list."))
            sys.exit(2)
    return [each for each in WORKLOADS
            if not names or any(name in each.name for name in names)]


def measure(result, side, place):
    """One figure more of a side, or why there is none; None: it is enough."""
    if side.name in result.missing:
        return
    why = side.absent(place)
    if why:
        result.missing[side.name] = why
        return
    try:
        # What a process that failed wrote is shown, too: standard output is
        # the table's alone.
        with contextlib.redirect_stdout(sys.stderr):
            result.add(side.name, side.measure(place, result.workload))
    except Exception as error:  # whatever a peer does, the others go on
        text = str(error).strip() or type(error).__name__
        if isinstance(error, subprocess.TimeoutExpired):
            text = f"took longer than {error.timeout:.0f} s"
        result.missing[side.name] = "failed: " + text.splitlines()[-1]
        result.failed.append(side)
        say(f"    {text}")


def measure_all(results, rounds, place):
    for turn in range(rounds):
        for result in results:
            count = len(result.sides)
            for i in range(count):
                side = result.sides[(i + turn) % count]
                if turn < side.rounds:
                    say(f"round {turn + 1} of {rounds}: "
                        f"{result.workload.name}: {side.name}")
                    measure(result, side, place)


def main():
    given = arguments()
    if given.list:
        for each in WORKLOADS:
            print(f"{each.name}: {each.title}\n    measures {each.measures}\n"
                  f"    leaves out {each.omits}")
        return 0
    if given.show:
        print(as_table(json.loads(pathlib.Path(given.show).read_text())))
        return 0
    wanted = chosen(given.names)
    results = [Result(each, [side for side in each.sides
                             if side.kind == "ours" or not given.ours])
               for each in wanted]
    with Place(given.tiny, Peers(say)) as place:
        try:
            measure_all(results, given.rounds, place)
        except KeyboardInterrupt:
            say("bench/run: stopped; this is what there is")
        told = machine(place)
    document = as_json(results, told, given.rounds)
    print(json.dumps(document, indent=1) if given.json else as_table(document))
    ours = [side for result in results for side in result.failed
            if side.kind == "ours"]
    return 1 if ours else 0


if __name__ == "__main__":
    sys.exit(main())
