"""Threads between the real LangGraph and Superstep, both ways, through the
tables of both savers: finished ones, one that was killed half-way through a
superstep, one that waits at an interrupt, graphs inside, messages, and what is
not plain data.

It needs the packages of requirements.txt: `./test interop` installs them into
build/interop. Without them it is skipped.
"""

import base64
import collections
import contextlib
import functools
import importlib.util
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SKIPPED = 77


def find_langgraph():
    """Go on in the Python that has the packages."""
    if importlib.util.find_spec("langgraph"):
        return
    python = pathlib.Path(os.environ.get(
        "SS_INTEROP_PYTHON", ROOT / "build/interop/bin/python"))
    if not python.exists() or os.environ.get("SS_INTEROP_INSIDE"):
        print("LangGraph is not installed: ./test interop installs it")
        sys.exit(SKIPPED)
    os.environ["SS_INTEROP_INSIDE"] = "1"
    os.execv(python, [str(python), __file__, *sys.argv[1:]])


find_langgraph()
sys.path.insert(0, str(HERE.parent / "system"))
os.environ.pop("LANGGRAPH_STRICT_MSGPACK", None)

import datetime  # noqa: E402
import decimal  # noqa: E402
import uuid  # noqa: E402

import graphs  # noqa: E402
import ormsgpack  # noqa: E402
import postgres  # noqa: E402
from harness import DEADLINE_S, World, expect, main  # noqa: E402
from langchain_core.messages import AIMessage, HumanMessage  # noqa: E402
from langgraph.checkpoint.postgres import PostgresSaver  # noqa: E402
from langgraph.checkpoint.sqlite import SqliteSaver  # noqa: E402
from langgraph.types import Command, Interrupt, Send  # noqa: E402

THREAD = {"configurable": {"thread_id": "t"}}
server = None  # of PostgreSQL, for the tests that need one


@contextlib.contextmanager
def open_saver(where):
    kind = PostgresSaver if where.startswith("postgres") else SqliteSaver
    with kind.from_conn_string(where) as saver:
        saver.setup()
        yield saver


class Bench:
    """A coordinator with the twins' worker, and a saver's tables beside it."""

    count = 0

    def __init__(self, store):
        self.store = store
        self.world = World()

    def __enter__(self):
        world = self.world.__enter__()
        Bench.count += 1
        os.environ["INTEROP_EFFECTS"] = str(world.path("effects"))
        os.environ["INTEROP_BROKEN"] = str(world.path("broken"))
        self.forget()
        if self.store == "postgres":
            server.sql(f"CREATE DATABASE t{Bench.count}")
            self.where = server.url(f"t{Bench.count}")
        else:
            self.where = str(world.path("langgraph.db"))
        try:
            world.coordinator()
            self.worker = world.worker(world.compile(HERE / "app/twins.c"))
        except BaseException:
            world.__exit__(*sys.exc_info())
            raise
        return self

    def __exit__(self, *error):
        self.world.__exit__(*error)

    def forget(self):
        self.world.path("effects").write_text("")

    def ran(self):
        """Who ran since it was asked last, sorted."""
        names = self.world.path("effects").read_text().split()
        self.forget()
        return sorted(names)

    def break_c(self, how="fail"):
        path = self.world.path("broken")
        path.write_text(how) if how else path.unlink()

    @contextlib.contextmanager
    def python(self, graph):
        with open_saver(self.where) as saver:
            yield graph.compile(checkpointer=saver)

    def move_in(self, graph, *more):
        return self.world.ask("import", "langgraph", self.where, "--graph",
                              graph, *more)

    def move_out(self, *more):
        return self.world.ask("export", "langgraph", self.where, *more)

    def refuses(self, *words):
        """What the command says when it fails."""
        process = self.world.command(*words)
        same(process.wait(), 1, f"status of {words[0]}")
        return process.text()

    def run(self, graph, words, status=0):
        return self.world.ask("run", graph, "--thread", "t", *words,
                              status=status)

    def answer(self, word):
        return self.world.ask("resume", "t", "--value", json.dumps(word))

    def state(self):
        return self.world.ask("state", "t")


def same(is_, should, what):
    expect(is_ == should, f"{what}: {is_!r} instead of {should!r}")


def both(function):
    """The test once for each kind of tables."""
    scope = sys.modules[__name__].__dict__
    for store in ("sqlite", "postgres"):
        def test(store=store):
            with Bench(store) as bench:
                function(bench)
        scope[f"test_{function.__name__}_{store}"] = functools.wraps(
            function)(test)
    return function


def history_of(graph):
    """Newest first, as far as both sides can say it."""
    return [(s.config["configurable"]["checkpoint_id"], s.metadata["step"],
             s.metadata["source"], s.values, list(s.next))
            for s in graph.get_state_history(THREAD)]


def ours(bench):
    return [(s["config"]["checkpoint_id"], s["metadata"]["step"],
             s["metadata"]["source"], s["values"], s["next"])
            for s in bench.world.ask("history", "t")]


# ------------------------------------------------------------------ import


@both
def a_finished_thread_is_taken_over_with_its_history(bench):
    with bench.python(graphs.fan()) as graph:
        graph.invoke({"x": ["in"]}, THREAD)
        graph.invoke({"x": ["again"]}, THREAD)
        theirs = history_of(graph)
    bench.ran()
    report = bench.move_in("fan")
    same(report[0]["checkpoints"], len(theirs), "checkpoints")
    same(ours(bench), theirs, "the history")
    answer = bench.run("fan", ["--input", '{"x": ["here"]}'])
    same(answer["output"]["x"], theirs[0][3]["x"] + [
        "here", "a", "b", "c", "w1", "w2", "d"], "what Superstep made of it")
    same(bench.ran(), ["a", "b", "c", "d", "w1", "w2"], "who ran")
    # what was here already is passed over, but the thread has gone on
    text = bench.refuses("import", "langgraph", bench.where)
    expect("has gone on by itself" in text, text)


@both
def one_that_waits_is_answered_and_nothing_runs_again(bench):
    with bench.python(graphs.fan()) as graph:
        graph.invoke({"x": ["in"], "ask": True}, THREAD)
        question = graph.get_state(THREAD).interrupts[0]
    bench.ran()
    bench.move_in("fan")
    state = bench.state()
    same(state["next"], ["b"], "next")
    same([(i["id"], i["value"]) for i in state["interrupts"]],
         [(question.id, "ok?")], "the question")
    answer = bench.answer("yes")
    same(answer["output"]["x"],
         ["in", "a", "b:yes", "c", "w1", "w2", "d"], "the end")
    same(bench.ran(), ["b:yes", "d"], "who ran")


def start_and_die(where):
    """A process that is gone when all but c of a superstep is stored."""
    def c(state):
        end = time.monotonic() + DEADLINE_S
        while time.monotonic() < end:
            with open_saver(where) as saver:
                writes = saver.get_tuple(THREAD).pending_writes
            if len({task for task, _, _ in writes}) >= 3:
                os._exit(9)
            threading.Event().wait(0.02)
        os._exit(1)
    with open_saver(where) as saver:
        graphs.fan(c).compile(checkpointer=saver).invoke(
            {"x": ["in"]}, THREAD, durability="sync")


@both
def one_that_was_killed_half_way_is_finished_and_nothing_runs_again(bench):
    died = subprocess.run(
        [sys.executable, __file__, "--die", bench.where], timeout=DEADLINE_S)
    same(died.returncode, 9, "how LangGraph's process ended")
    same(bench.ran(), ["a", "b", "w1", "w2"], "who ran there")
    bench.move_in("fan")
    same(bench.state()["next"], ["c"], "next")
    answer = bench.run("fan", [])
    same(answer["output"]["x"],
         ["in", "a", "b", "c", "w1", "w2", "d"], "the end")
    same(bench.ran(), ["c", "d"], "who ran")


@both
def one_whose_task_failed_there_runs_that_task_alone(bench):
    bench.break_c()
    with bench.python(graphs.fan()) as graph:
        with contextlib.suppress(ValueError):
            graph.invoke({"x": ["in"]}, THREAD)
    bench.ran()
    bench.move_in("fan")
    task = [t for t in bench.state()["tasks"] if t["name"] == "c"][0]
    same(task["error"]["message"], "ValueError('c is broken')", "the error")
    bench.break_c(None)
    answer = bench.run("fan", [])
    same(answer["output"]["x"][-1], "d", "the end")
    ran = bench.ran()
    expect("c" in ran and "a" not in ran and ran.count("d") == 1, f"{ran}")


@both
def a_graph_inside_that_waits_goes_on_inside(bench):
    for name, make in ("nest", graphs.nest), ("kept", graphs.kept):
        with bench.python(make()) as graph:
            graph.checkpointer.delete_thread("t")
            graph.invoke({"x": ["first"]}, THREAD)
            graph.invoke({"x": ["in"], "ask": True}, THREAD)
        bench.ran()
        bench.move_in(name)
        answer = bench.answer("yes")
        with bench.python(make()) as graph:
            theirs = graph.invoke(Command(resume="yes"), THREAD)
        same(answer["output"]["x"], theirs["x"], "the end, as LangGraph's")
        same(bench.ran(), ["after", "after", "b:yes", "b:yes"], "who ran")
        bench.world.do("delete", "t")


@both
def deferred_nodes_and_their_joins_are_taken_over(bench):
    with bench.python(graphs.late()) as graph:
        graph.invoke({"x": ["in"], "ask": True}, THREAD)
    bench.ran()
    bench.move_in("late")
    answer = bench.answer("yes")
    with bench.python(graphs.late()) as graph:
        theirs = graph.invoke(Command(resume="yes"), THREAD)
    same(answer["output"]["x"], theirs["x"], "the end, as LangGraph's")


@both
def delta_channels_are_made_of_what_was_written_and_carried_back(bench):
    with bench.python(graphs.delta()) as graph:
        for word in "one", "two", "three":
            graph.invoke({"x": [word]}, THREAD)
        graph.invoke({"x": ["in"], "ask": True}, THREAD)
        theirs = history_of(graph)
    bench.ran()
    text = bench.refuses("import", "langgraph", bench.where)
    expect("channel x: its value has to be made" in text, text)
    bench.move_in("delta")
    same([row[:4] for row in ours(bench)[1:]], [row[:4] for row in theirs[1:]],
         "the history")
    answer = bench.answer("yes")
    same(answer["output"]["x"][-7:],
         ["in", "a", "b:yes", "c", "w1", "w2", "d"], "the end")
    same(bench.ran(), ["b:yes", "d"], "who ran")
    bench.move_out("--replace")
    with bench.python(graphs.delta()) as graph:
        same(graph.get_state(THREAD).values["x"], answer["output"]["x"],
             "what comes back")
        same([row[3]["x"] for row in history_of(graph)[3:]],
             [row[3]["x"] for row in theirs[1:]], "the past that comes back")
        before = answer["output"]["x"]
        ended = graph.invoke({"x": ["last"], "ask": False}, THREAD)
        same(ended["x"], before + ["last", "a", "b", "c", "w1", "w2", "d"],
             "what LangGraph made of it")


# ------------------------------------------------------------------ export


@both
def a_finished_thread_is_read_and_continued_by_langgraph(bench):
    bench.run("fan", ["--input", '{"x": ["in"]}'])
    bench.run("fan", ["--input", '{"x": ["again"]}'])
    here = ours(bench)
    bench.ran()
    bench.move_out()
    with bench.python(graphs.fan()) as graph:
        same(history_of(graph), here, "the history")
        state = graph.get_state(THREAD)
        same((state.values, state.next), (here[0][3], ()), "get_state")
        past = here[3][0]
        at = {"configurable": {"thread_id": "t", "checkpoint_id": past}}
        same(graph.get_state(at).values, here[3][3], "a checkpoint of before")
        ended = graph.invoke({"x": ["there"]}, THREAD)
        same(ended["x"], here[0][3]["x"] + [
            "there", "a", "b", "c", "w1", "w2", "d"], "what LangGraph made")
    same(bench.ran(), ["a", "b", "c", "d", "w1", "w2"], "who ran")


@both
def one_that_waits_is_answered_by_langgraph(bench):
    bench.run("fan", ["--input", '{"x": ["in"], "ask": true}'], status=3)
    question = bench.state()["interrupts"][0]["id"]
    bench.ran()
    bench.move_out()
    with bench.python(graphs.fan()) as graph:
        state = graph.get_state(THREAD)
        same(state.next, ("b",), "next")
        same([(i.id, i.value) for i in state.interrupts],
             [(question, "ok?")], "the question")
        ended = graph.invoke(Command(resume="yes"), THREAD)
        same(ended["x"], ["in", "a", "b:yes", "c", "w1", "w2", "d"], "the end")
    same(bench.ran(), ["b:yes", "d"], "who ran")


@both
def one_that_stopped_half_way_is_finished_by_langgraph(bench):
    bench.break_c()
    bench.run("fan", ["--input", '{"x": ["in"]}'], status=1)
    bench.ran()
    finished = {t["name"] for t in bench.state()["tasks"] if t["result"]}
    bench.move_out()
    bench.break_c(None)
    with bench.python(graphs.fan()) as graph:
        state = graph.get_state(THREAD)
        errors = [t.error for t in state.tasks if t.name == "c"]
        same(errors, ["c is broken"], "the error")
        ended = graph.invoke(None, THREAD)
        same(ended["x"], ["in", "a", "b", "c", "w1", "w2", "d"], "the end")
    ran = bench.ran()
    expect("a" not in ran and ran.count("c") == 1, f"{ran}")
    expect(not ("b" in finished and "b" in ran), f"b had finished: {ran}")


@both
def one_whose_worker_was_killed_half_way_is_finished_by_langgraph(bench):
    bench.break_c("hang")
    bench.run("fan", ["--detach", "--input", '{"x": ["in"]}'])
    end = time.monotonic() + DEADLINE_S
    while bench.state()["next"] != ["c"] and time.monotonic() < end:
        threading.Event().wait(0.02)
    bench.worker.kill()
    same(bench.ran(), ["a", "b", "c!", "w1", "w2"], "who ran here")
    bench.move_out()
    bench.break_c(None)
    with bench.python(graphs.fan()) as graph:
        same(graph.get_state(THREAD).next, ("c",), "next")
        ended = graph.invoke(None, THREAD)
        same(ended["x"], ["in", "a", "b", "c", "w1", "w2", "d"], "the end")
    same(bench.ran(), ["c", "d"], "who ran there")


@both
def a_graph_inside_that_waits_is_answered_by_langgraph(bench):
    for name, make in ("nest", graphs.nest), ("kept", graphs.kept):
        bench.run(name, ["--input", '{"x": ["first"]}'])
        bench.run(name, ["--input", '{"x": ["in"], "ask": true}'], status=3)
        bench.ran()
        bench.move_out("--replace")
        with bench.python(make()) as graph:
            inner = graph.get_state(THREAD, subgraphs=True).tasks[0].state
            same(inner.next, ("i2",), "next inside")
            there = graph.invoke(Command(resume="yes"), THREAD)
        same(bench.ran(), ["after", "b:yes"], "who ran")
        here = bench.answer("yes")
        same(there["x"], here["output"]["x"], "the end, as Superstep's")
        bench.world.do("delete", "t")


@both
def deferred_nodes_and_their_joins_are_continued_by_langgraph(bench):
    bench.run("late", ["--input", '{"x": ["in"], "ask": true}'], status=3)
    bench.move_out()
    here = bench.answer("yes")
    with bench.python(graphs.late()) as graph:
        there = graph.invoke(Command(resume="yes"), THREAD)
    same(there["x"], here["output"]["x"], "the end, as Superstep's")


@both
def what_is_there_already_goes_only_when_told(bench):
    bench.run("fan", ["--input", '{"x": ["in"]}'])
    bench.move_out()
    text = bench.refuses("export", "langgraph", bench.where)
    expect("has rows there already" in text, text)
    bench.move_out("--replace")
    bench.move_out("--thread", "t", "--as", "u")
    with bench.python(graphs.fan()) as graph:
        there = {"configurable": {"thread_id": "u"}}
        same(graph.get_state(there).values, graph.get_state(THREAD).values,
             "the copy")


@both
def branches_of_a_thread_keep_their_values_apart(bench):
    bench.run("fan", ["--input", '{"x": ["in"]}'])
    past = [s for s in bench.world.ask("history", "t") if s["next"] == ["d"]]
    at = past[0]["config"]["checkpoint_id"]
    bench.world.ask("update", "t", "--values", '{"x": ["fork"]}', "--as", "c",
                    "--at", at)
    here = ours(bench)
    bench.move_out()
    with bench.python(graphs.fan()) as graph:
        same(history_of(graph), here, "the history")


# ------------------------------------------------------- there and back again


THINGS = {"uuid": uuid.UUID(int=7), "decimal": decimal.Decimal("1.10"),
          "time": datetime.datetime(2026, 1, 2, 3, 4, 5), "bytes": b"\x00\xff",
          "zoned": datetime.datetime(2026, 1, 2, 3, 4, 5, 6,
                                     datetime.timezone.utc),
          "date": datetime.date(2026, 1, 2), "clock": datetime.time(3, 4, 5),
          "span": datetime.timedelta(days=1, microseconds=3),
          "frozen": frozenset({"a"}), "row": collections.deque([1, b"x"]),
          "place": pathlib.Path("/a"), "minus_inf": -float("inf"),
          "sent": Send("w", {"when": datetime.date(2026, 1, 2)}),
          "said": Interrupt(HumanMessage("hi", id="m1"), id="0" * 32),
          "set": {1, 2}, "big": 2**64 - 1, "nothing": None, "half": 0.5,
          "keys": {1: "one"}, "text": "h\u00e9",
          "nul": "a\0b", "minus": -0.0, "large": 1e300}


def as_stored(saver):
    """All that the saver says of the thread, values as Python has them."""
    return [(c.config["configurable"]["checkpoint_ns"],
             c.config["configurable"]["checkpoint_id"],
             c.parent_config and
             c.parent_config["configurable"]["checkpoint_id"],
             c.checkpoint["ts"], c.checkpoint["channel_values"],
             {k: int(str(v).split(".")[0])
              for k, v in c.checkpoint["channel_versions"].items()},
             c.checkpoint["updated_channels"], c.metadata,
             c.pending_writes)
            for c in saver.list({"configurable": {"thread_id": "t"}})]


@both
def a_thread_that_comes_back_is_the_same(bench):
    for graph, start in (
            (graphs.fan(), {"x": ["in"], "ask": True}),
            (graphs.nest(), {"x": ["in"], "ask": True}),
            (graphs.late(), {"x": ["in"], "ask": True}),
            (graphs.things(), {"x": [THINGS], "one": THINGS,
                               "many": list(THINGS.values())})):
        with open_saver(bench.where) as saver:
            saver.delete_thread("t")
            graph.compile(checkpointer=saver).invoke(start, THREAD)
            before = as_stored(saver)
        bench.move_in("fan")
        bench.move_out("--replace")
        with open_saver(bench.where) as saver:
            after = as_stored(saver)
        same(len(after), len(before), "checkpoints")
        for is_, should in zip(after, before):
            same(is_, should, "a checkpoint")
        bench.world.do("delete", "t")


@both
def what_is_no_plain_data_is_carried_and_refused_where_it_is_looked_into(
        bench):
    one = decimal.Decimal("1.10")
    with bench.python(graphs.things()) as graph:
        graph.invoke({"one": one, "sum": one, "many": [THINGS]}, THREAD)
        before = graph.get_state(THREAD).values
    bench.move_in("things")
    bench.run("things", ["--input", '{"x": ["here"]}'])
    bench.move_out("--replace")
    with bench.python(graphs.things()) as graph:
        after = graph.get_state(THREAD).values
        same(after["many"], before["many"] + [one], "what the node handed on")
        same((after["sum"], after["one"]), (one, one), "what nobody touched")
    answer = bench.run("things", ["--input", '{"ask": true}'], status=1)
    expect("decimal.Decimal" in answer["error"]["message"], f"{answer}")


@both
def a_class_that_python_would_import_is_written_only_when_named(bench):
    call = ormsgpack.packb(ormsgpack.Ext(
        0, ormsgpack.packb(("os", "system", "true"))))
    bench.run("things", ["--input", json.dumps({"one": {"$opaque": {
        "class": "uuid.UUID", "tag": "msgpack",
        "data": base64.b64encode(call).decode()}}})])
    text = bench.refuses("export", "langgraph", bench.where)
    expect("--class os.system" in text, text)
    with open_saver(bench.where) as saver:
        same(saver.get_tuple(THREAD), None, "what was written")
    bench.world.do("delete", "t")
    with bench.python(graphs.things()) as graph:
        graph.invoke({"one": graphs.Point(7)}, THREAD)
    bench.move_in("things")
    text = bench.refuses("export", "langgraph", bench.where, "--replace")
    expect("--class graphs.Point" in text, text)
    bench.move_out("--replace", "--class", "graphs.Point")
    with bench.python(graphs.things()) as graph:
        same(graph.get_state(THREAD).values["many"], [graphs.Point(7)],
             "what came back")


@both
def messages_are_messages_on_both_sides(bench):
    call = {"name": "f", "args": {"a": 1}, "id": "c1", "type": "tool_call"}
    with bench.python(graphs.chat()) as graph:
        graph.invoke({"messages": [
            HumanMessage("hi", id="m1"),
            AIMessage("", id="m2", tool_calls=[call], usage_metadata={
                "input_tokens": 1, "output_tokens": 2, "total_tokens": 3})]},
            THREAD)
        before = graph.get_state(THREAD).values["messages"]
    bench.move_in("chat")
    bench.run("chat", ["--input", json.dumps({"messages": [
        {"role": "user", "content": "more", "id": "m3"}]})])
    bench.move_out("--replace")
    with bench.python(graphs.chat()) as graph:
        after = graph.get_state(THREAD).values["messages"]
        same(after[:3], before, "the messages that came")
        same([(type(m), m.content, m.id) for m in after[3:]],
             [(HumanMessage, "more", "m3"),
              (AIMessage, "reply to 4", "reply-4")], "those from here")
        ended = graph.invoke({"messages": [("user", "last")]}, THREAD)
        same(len(ended["messages"]), 7, "messages in the end")


# ------------------------------------------------------------------ the page


def blocks_of(page, words):
    inside = page.split(f"```{words}\n")[1:]
    return [block.split("```")[0] for block in inside]


def test_the_program_for_langgraphs_users_is_the_same_on_both_sides():
    page = (ROOT / "docs/for-langgraph-users.md").read_text()
    with World() as world:
        folder = world.path("page")
        folder.mkdir()
        for name in "python claim.py", "c claim.c":
            (folder / name.split()[1]).write_text(blocks_of(page, name)[0])

        def python(*words):
            return subprocess.run(
                [sys.executable, "-W", "ignore", "claim.py", *words],
                cwd=folder, check=True, capture_output=True,
                text=True).stdout.strip()

        def notes(answer):
            return str(answer["output"]["notes"])

        world.coordinator()
        world.worker(world.compile(folder / "claim.c"))
        here = world.ask("run", "claim", "--thread", "t1", "--input",
                         '{"parts": ["roof", "door"]}', status=3)
        same(notes(here), python("t2", "roof,door"), "the notes")
        python("t3", "roof,door")
        world.ask("import", "langgraph", folder / "claims.db", "--graph",
                  "claim")
        here = world.ask("resume", "t1", "--value", "true")
        same(notes(here), python("t2", "yes"), "the end")
        there = world.ask("resume", "t3", "--value", "true")
        same(notes(there), notes(here), "the end of what came over")


# ------------------------------------------------------------------ mistakes


def test_damaged_rows_are_named_by_table_row_and_column():
    with Bench("sqlite") as bench:
        with bench.python(graphs.fan()) as graph:
            graph.invoke({"x": ["in"], "ask": True}, THREAD)
        for table, column, blob in (
                ("checkpoints", "checkpoint", b"\x92"),
                ("checkpoints", "metadata", b"{"),
                ("writes", "value", b"\xc1")):
            with sqlite3.connect(bench.where) as db:
                keep = db.execute(
                    f"SELECT rowid, {column} FROM {table}").fetchall()
                db.execute(f"UPDATE {table} SET {column} = ?, type = 'msgpack'",
                           (blob,))
            text = bench.refuses("import", "langgraph", bench.where)
            expect(f"table {table}" in text and f"column {column}" in text
                   and "checkpoint 1f" in text, text)
            with sqlite3.connect(bench.where) as db:
                db.executemany(f"UPDATE {table} SET {column} = ? WHERE rowid ="
                               " ?", [(value, row) for row, value in keep])
        same(bench.world.ask("threads"), [], "threads that were made")


def test_what_is_no_store_of_langgraph_is_refused():
    with Bench("sqlite") as bench:
        text = bench.refuses("import", "langgraph", "/nowhere.db")
        expect("No such file" in text, text)
        empty = bench.world.path("empty.db")
        empty.touch()
        text = bench.refuses("import", "langgraph", empty)
        expect("SqliteSaver are not there" in text, text)


def test_the_vectors_of_the_unit_tests_are_what_langgraph_makes():
    made = subprocess.run([sys.executable, HERE / "make_vectors.py"],
                          check=True, capture_output=True, text=True,
                          env=dict(os.environ, PYTHONHASHSEED="0")).stdout
    kept = (ROOT / "tests/unit/langgraph/vectors.def").read_text()
    same(made, kept, "vectors.def")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--die"]:
        start_and_die(sys.argv[2])
        sys.exit(0)
    why = postgres.missing()
    if why:
        print(f"only SQLite's tables: {why}")
        main({name: test for name, test in globals().items()
              if not name.endswith("_postgres")})
    with postgres.Postgres() as server:
        main(globals())
