"""Threads that other LangGraphs began: databases with checkpoints of formats 1
to 3, of LangGraph.js, and of the shallow saver, as those wrote them
(tests/interop/make_old.py says how), are imported, seen as LangGraph sees them,
and finished; and what had run there does not run again.
"""

import json
import os
import sqlite3

import postgres
from harness import ROOT, World, expect, main

OLD = ROOT / "tests/interop/old"
READ = json.loads((OLD / "read.json").read_text())
READ_JS = json.loads((OLD / "read-js.json").read_text())
GRAPHS = {"done": "fan", "waits": "fan", "inside": "nest", "chat": "chat"}


def same(is_, should, what):
    expect(is_ == should, f"{what}: {is_!r} instead of {should!r}")


def start(world):
    effects = world.path("effects")
    effects.write_text("")
    os.environ["INTEROP_EFFECTS"] = str(effects)
    world.coordinator()
    world.worker(world.compile(ROOT / "tests/interop/app/twins.c"))


def take_over(world, where, threads=tuple(GRAPHS)):
    for thread in threads:
        world.ask("import", "langgraph", where, "--thread", thread, "--graph",
                  GRAPHS.get(thread, "things"))


def load(world, name):
    """The database, as a file."""
    where = world.path("old.db")
    with sqlite3.connect(where) as db:
        db.executescript((OLD / f"{name}.sql").read_text())
    return where


def begin(world, name, threads=tuple(GRAPHS)):
    where = load(world, name)
    start(world)
    take_over(world, where, threads)
    return where


def ran(world):
    effects = world.path("effects")
    names = sorted(effects.read_text().split())
    effects.write_text("")
    return names


def values_of(snapshot):
    values = snapshot["values"]
    return [m["content"] for m in values["messages"]] \
        if "messages" in values else values


def without_empty(row):
    """LangGraph.js shows what a key begins with before anything is in it."""
    is_map = isinstance(row[3], dict)
    return row[:3] + [{key: value for key, value in row[3].items()
                       if value != []} if is_map else row[3]] + row[4:]


def asks_in_the_inbox(world):
    """Before anything ran here."""
    asked = {row["thread"]: row for row in world.ask("inbox")}
    same(sorted(asked), ["inside", "waits"], "who asks")
    same([asked[name]["value"] for name in sorted(asked)], ["ok?", "ok?"],
         "what they ask")
    same([asked[name]["node"] for name in sorted(asked)], ["sub", "b"],
         "which nodes ask")


def sees_what_langgraph_sees(world, name, read=None):
    for thread, rows in (read or READ[name]).items():
        history = [[s["config"]["checkpoint_id"], s["metadata"]["step"],
                    s["metadata"]["source"], values_of(s), sorted(s["next"])]
                   for s in world.ask("history", thread)]
        if read:
            history, rows = (list(map(without_empty, some))
                             for some in (history, rows))
        for is_, should in zip(history, rows):
            same(is_, should, f"{name}: {thread}")
        same(len(history), len(rows), f"{name}: {thread}: checkpoints")


def finishes_what_waits(world, name):
    question = world.ask("state", "waits")
    same(question["next"], ["b"], f"{name}: next")
    same([i["value"] for i in question["interrupts"]], ["ok?"], name)
    answer = world.ask("resume", "waits", "--value", '"yes"')
    same(answer["output"]["x"], ["in", "a", "b:yes", "c", "w1", "w2", "d"],
         f"{name}: the end")
    same(ran(world), ["b:yes", "d"], f"{name}: who ran")
    answer = world.ask("resume", "inside", "--value", '"yes"')
    same(answer["output"]["x"],
         ["in", "before", "in", "before", "i1", "b:yes", "after"],
         f"{name}: the end of the one with a graph inside")
    same(ran(world), ["after", "b:yes"], f"{name}: who ran of that")


def goes_on(world, name):
    answer = world.ask("run", "fan", "--thread", "done", "--input",
                       '{"x": ["more"]}')
    same(answer["output"]["x"][-7:], ["more", "a", "b", "c", "w1", "w2", "d"],
         f"{name}: what comes after the past")
    same(len(ran(world)), 6, f"{name}: who ran of that")


def test_a_thread_of_format_1_is_read_and_finished():
    with World() as world:
        begin(world, "format1")
        asks_in_the_inbox(world)
        sees_what_langgraph_sees(world, "format1")
        finishes_what_waits(world, "format1")
        goes_on(world, "format1")


def test_a_thread_of_format_2_is_read_and_finished():
    with World() as world:
        begin(world, "format2")
        asks_in_the_inbox(world)
        sees_what_langgraph_sees(world, "format2")
        finishes_what_waits(world, "format2")
        goes_on(world, "format2")


def test_a_thread_of_format_3_is_read_and_finished():
    with World() as world:
        begin(world, "format3")
        asks_in_the_inbox(world)
        sees_what_langgraph_sees(world, "format3")
        finishes_what_waits(world, "format3")
        goes_on(world, "format3")


def test_a_thread_that_went_on_in_a_newer_langgraph_is_read_with_its_past():
    with World() as world:
        begin(world, "format1-then-4")
        sees_what_langgraph_sees(world, "format1-then-4")
        goes_on(world, "format1-then-4")


THINGS = {
    "set": {"$typed": [0, "builtins", "set", ["a"]]},
    "map": {"$typed": [0, "builtins", "dict", [[1, "one"]]]},
    "bytes": {"$opaque": {"class": "bytes", "tag": "bytes", "data": "AP8="}},
    "regex": {"lc": 2, "type": "constructor", "id": ["RegExp"], "method": None,
              "args": ["a+", "i"], "kwargs": {}},
    "nothing": None, "date": "1970-01-01T00:00:00.000Z", "half": 0.5,
    "text": "h\u00e9",
    "error": {"lc": 2, "type": "constructor", "id": ["Error"], "method": None,
              "args": ["boom"], "kwargs": {}}}


def sees_what_javascript_left(world, name):
    same(world.ask("state", "things")["values"]["one"], THINGS,
         f"{name}: values of classes")
    task = world.ask("state", "failed")["tasks"][0]
    same(task["error"]["message"], "TypeError: it is broken", name)


def test_a_thread_of_langgraph_js_is_read_and_finished():
    with World() as world:
        where = begin(world, "js", READ_JS)
        threads = {name: rows for name, rows in READ_JS.items()
                   if name in GRAPHS}
        sees_what_langgraph_sees(world, "js", threads)
        sees_what_javascript_left(world, "js")
        finishes_what_waits(world, "js")
        goes_on(world, "js")
        process = world.command("export", "langgraph", where, "--replace")
        same(process.wait(), 1, "the status of an export into it")
        expect("has rows of LangGraph.js" in process.text(), process.text())


def test_a_thread_whose_graph_nobody_named_says_what_is_missing():
    with World() as world:
        world.coordinator()
        for name, says in (("format2", "it has format 2, whose channels had "
                                       "other names: say which graph it is of"),
                           ("js", "it is LangGraph.js's, which makes other "
                                  "task ids: say which graph it is of")):
            where = load(world, name)
            process = world.command("import", "langgraph", where, "--thread",
                                    "waits")
            same(process.wait(), 1, f"{name}: status")
            expect(says in process.text(), process.text())
            where.unlink()


def play_in_postgres(world, server, name, check):
    server.sql(f'CREATE DATABASE "{name}"')
    server.sql((OLD / f"{name}.sql").read_text(), name)
    check(world, name, server.url(name))
    for item in world.ask("threads"):
        world.do("delete", item["thread"])


def plays(world, name, where):
    take_over(world, where)
    finishes_what_waits(world, name)
    goes_on(world, name)


def plays_javascript(world, name, where):
    take_over(world, where, READ_JS)
    sees_what_javascript_left(world, name)
    finishes_what_waits(world, name)
    goes_on(world, name)
    process = world.command("export", "langgraph", where, "--replace")
    same(process.wait(), 1, "the status of an export into it")
    expect("its tables are those of LangGraph.js" in process.text(),
           process.text())


def plays_what_has_no_past(world, name, where):
    plays(world, name, where)
    same([row[3]["x"] for row in READ["format3"]["done"]][0],
         world.ask("history", "done")[-1]["values"]["x"],
         f"{name}: all that is left of the past")
    process = world.command("export", "langgraph", where, "--replace")
    same(process.wait(), 1, "the status of an export into it")
    expect("its tables are those of ShallowPostgresSaver" in process.text(),
           process.text())


def test_threads_in_other_tables_of_postgres_are_read_and_finished():
    why = postgres.missing()
    if why:
        print(why)
        return
    with postgres.Postgres() as server, World() as world:
        start(world)
        for name, check in (("postgres-format1", plays),
                            ("postgres-js", plays_javascript),
                            ("shallow", plays_what_has_no_past),
                            ("shallow-format3", plays_what_has_no_past)):
            play_in_postgres(world, server, name, check)


if __name__ == "__main__":
    main(globals())
