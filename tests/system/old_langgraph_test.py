"""Threads that older LangGraphs began: databases with checkpoints of formats 1
to 3, as those wrote them (tests/interop/make_old.py says how), are imported,
seen as LangGraph of today sees them, and finished; and what had run there does
not run again.
"""

import json
import os
import sqlite3

from harness import ROOT, World, expect, main

OLD = ROOT / "tests/interop/old"
READ = json.loads((OLD / "read.json").read_text())
GRAPHS = {"done": "fan", "waits": "fan", "inside": "nest", "chat": "chat"}


def same(is_, should, what):
    expect(is_ == should, f"{what}: {is_!r} instead of {should!r}")


def begin(world, name):
    """The database, beside a coordinator with the twins' worker."""
    where = world.path("old.db")
    with sqlite3.connect(where) as db:
        db.executescript((OLD / f"{name}.sql").read_text())
    effects = world.path("effects")
    effects.write_text("")
    os.environ["INTEROP_EFFECTS"] = str(effects)
    world.coordinator()
    world.worker(world.compile(ROOT / "tests/interop/app/twins.c"))
    for thread, graph in GRAPHS.items():
        world.ask("import", "langgraph", where, "--thread", thread, "--graph",
                  graph)


def ran(world):
    effects = world.path("effects")
    names = sorted(effects.read_text().split())
    effects.write_text("")
    return names


def values_of(snapshot):
    values = snapshot["values"]
    return [m["content"] for m in values["messages"]] \
        if "messages" in values else values


def sees_what_langgraph_sees(world, name):
    for thread, rows in READ[name].items():
        history = [[s["config"]["checkpoint_id"], s["metadata"]["step"],
                    s["metadata"]["source"], values_of(s), sorted(s["next"])]
                   for s in world.ask("history", thread)]
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


def test_a_thread_of_format_1_is_read_and_finished():
    with World() as world:
        begin(world, "format1")
        sees_what_langgraph_sees(world, "format1")
        finishes_what_waits(world, "format1")
        goes_on(world, "format1")


def test_a_thread_of_format_2_is_read_and_finished():
    with World() as world:
        begin(world, "format2")
        sees_what_langgraph_sees(world, "format2")
        finishes_what_waits(world, "format2")
        goes_on(world, "format2")


def test_a_thread_of_format_3_is_read_and_finished():
    with World() as world:
        begin(world, "format3")
        sees_what_langgraph_sees(world, "format3")
        finishes_what_waits(world, "format3")
        goes_on(world, "format3")


def test_a_thread_that_went_on_in_a_newer_langgraph_is_read_with_its_past():
    with World() as world:
        begin(world, "format1-then-4")
        sees_what_langgraph_sees(world, "format1-then-4")
        goes_on(world, "format1-then-4")


if __name__ == "__main__":
    main(globals())
