"""Threads from and into LangGraph's tables, without LangGraph: the thread of
spec/engine.md R13.34, whose rows are made by hand, is taken over in the middle of
a superstep, finished, written back, and taken over once more.

tests/interop plays the same with LangGraph itself, where its packages are.
"""

import json
import os
import sqlite3
import struct

import postgres
from harness import ROOT, World, expect, main

ID = "1f1e5fa9-df76-6f58-8001-000000000002"
SEND = "30af2e1e-4557-9672-bf57-ba423fa0678a"  # the first one's task
C = "609864ee-3f84-5d72-dbae-74cf87db2f17"
V1, V2, V3 = (f"{n:032}.0000000000000001" for n in (1, 2, 3))
SENT = [bytes.fromhex("c71d0193af6c616e6767726170682e7479706573a453656e6492a177"
                      f"81a1690{i}") for i in (1, 2)]
RECORD = {
    "v": 4, "id": ID, "ts": "2026-11-21T00:00:00.000001+00:00",
    "channel_values": {"s": "hi", "branch:to:b": None, "branch:to:c": None},
    "channel_versions": {
        "__start__": V2, "x": V3, "s": V3, "branch:to:a": V3,
        "branch:to:b": V3, "branch:to:c": V3, "__pregel_tasks": V3},
    "versions_seen": {"__input__": {}, "__start__": {"__start__": V1},
                      "a": {"branch:to:a": V2}},
    "updated_channels": ["__pregel_tasks", "branch:to:b", "branch:to:c", "s",
                         "x"]}
METADATA = {"source": "loop", "step": 1, "parents": {}}
WRITES = [  # task, path, index, channel, msgpack
    (SEND, "~__pregel_push, 0000000000, 0000000000", 0, "x", "91a27731"),
    (C, "~__pregel_pull, c", 0, "x", "91a163"),
    (C, "~__pregel_pull, c", 1, "join:b+c:d", "a163")]
END = ["in", "a", "b", "c", "w1", "w2", "d"]


def pack(value):
    """msgpack, as far as a checkpoint needs it; bytes are packed already."""
    if value is None:
        return b"\xc0"
    if isinstance(value, bytes):
        return value
    if isinstance(value, int):
        return struct.pack("b", value)
    if isinstance(value, str):
        data = value.encode()
        return (bytes([0xa0 + len(data)]) if len(data) < 32
                else bytes([0xd9, len(data)])) + data
    if isinstance(value, list):
        return bytes([0x90 + len(value)]) + b"".join(map(pack, value))
    return bytes([0x80 + len(value)]) + b"".join(
        pack(key) + pack(item) for key, item in value.items())


def make_sqlite(path):
    record = dict(RECORD, channel_values=dict(
        RECORD["channel_values"], x=["in", "a"], __pregel_tasks=SENT))
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE checkpoints (thread_id TEXT NOT NULL, "
                   "checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT "
                   "NOT NULL, parent_checkpoint_id TEXT, type TEXT, checkpoint "
                   "BLOB, metadata BLOB, PRIMARY KEY (thread_id, checkpoint_ns,"
                   " checkpoint_id))")
        # before 3.1.2: without task_path
        db.execute("CREATE TABLE writes (thread_id TEXT NOT NULL, checkpoint_ns"
                   " TEXT NOT NULL DEFAULT '', checkpoint_id TEXT NOT NULL, "
                   "task_id TEXT NOT NULL, idx INTEGER NOT NULL, channel TEXT "
                   "NOT NULL, type TEXT, value BLOB)")
        db.execute("INSERT INTO checkpoints VALUES ('t', '', ?, NULL, 'msgpack',"
                   " ?, ?)", (ID, pack(record), json.dumps(METADATA).encode()))
        for task, _, idx, channel, value in WRITES:
            db.execute("INSERT INTO writes VALUES ('t', '', ?, ?, ?, ?, "
                       "'msgpack', ?)",
                       (ID, task, idx, channel, bytes.fromhex(value)))


def make_postgres(server, url):
    """With the tables that an export makes."""
    blobs = {"x": pack(["in", "a"]), "__pregel_tasks": pack(SENT)}
    lines = [f"INSERT INTO checkpoints (thread_id, checkpoint_id, checkpoint, "
             f"metadata) VALUES ('t', '{ID}', '{json.dumps(RECORD)}', "
             f"'{json.dumps(METADATA)}');"]
    for channel, value in blobs.items():
        lines.append("INSERT INTO checkpoint_blobs (thread_id, channel, version,"
                     f" type, blob) VALUES ('t', '{channel}', '{V3}', 'msgpack',"
                     f" '\\x{value.hex()}');")
    for task, path, idx, channel, value in WRITES:
        lines.append("INSERT INTO checkpoint_writes (thread_id, checkpoint_id, "
                     "task_id, task_path, idx, channel, type, blob) VALUES ('t',"
                     f" '{ID}', '{task}', '{path}', {idx}, '{channel}', "
                     f"'msgpack', '\\x{value}');")
    server.sql("\n".join(lines))


def same(is_, should, what):
    expect(is_ == should, f"{what}: {is_!r} instead of {should!r}")


def play(world, where):
    """Take over, finish, write back, take over again."""
    effects = world.path("effects")
    effects.write_text("")
    os.environ["INTEROP_EFFECTS"] = str(effects)
    world.coordinator()
    world.worker(world.compile(ROOT / "tests/interop/app/twins.c"))
    report = world.ask("import", "langgraph", where, "--graph", "fan")
    same(report, [{"thread": "t", "checkpoints": 1, "rows": 2}], "the import")
    same(world.ask("state", "t")["next"], ["w", "b"], "next")
    answer = world.ask("run", "fan", "--thread", "t")
    same(answer["output"]["x"], END, "the end")
    same(sorted(effects.read_text().split()), ["b", "d", "w2"], "who ran")
    world.ask("export", "langgraph", where, "--replace")
    world.ask("import", "langgraph", where, "--thread", "t", "--as", "u",
              "--graph", "fan")
    histories = [world.ask("history", name) for name in ("t", "u")]
    for history in histories:
        for snapshot in history:
            for config in snapshot["config"], snapshot["parent_config"] or {}:
                config.pop("thread_id", None)
    same(histories[1], histories[0], "what came back")
    same(len(histories[0]), 3, "checkpoints")


def test_a_thread_in_sqlite_is_finished_and_comes_back():
    with World() as world:
        where = world.path("langgraph.db")
        make_sqlite(where)
        play(world, where)
        with sqlite3.connect(where) as db:
            same(db.execute("SELECT count(*), count(DISTINCT checkpoint_id), "
                            "min(type), max(type) FROM checkpoints").fetchall(),
                 [(3, 3, "msgpack", "msgpack")], "checkpoints")
            same(db.execute("SELECT DISTINCT type FROM writes ORDER BY type"
                            ).fetchall(), [("msgpack",)], "types of writes")


def test_a_thread_in_postgres_is_finished_and_comes_back():
    why = postgres.missing()
    if why:
        print(why)
        return
    with postgres.Postgres() as server, World() as world:
        world.coordinator()
        # nothing to write, but the tables are made
        world.ask("export", "langgraph", server.url())
        world.processes[0].stop()
        make_postgres(server, server.url())
        play(world, server.url())
        same(server.sql("SELECT count(*) FROM checkpoints"), "3", "checkpoints")
        same(server.sql("SELECT string_agg(v::text, ',' ORDER BY v) FROM "
                        "checkpoint_migrations"), "0,1,2,3,4,5,6,7,8,9",
             "migrations")


def test_an_export_stands_whole_or_not_at_all():
    with World() as world:
        where = world.path("langgraph.db")
        make_sqlite(where)
        os.environ["INTEROP_EFFECTS"] = str(world.path("effects"))
        world.coordinator()
        world.worker(world.compile(ROOT / "tests/interop/app/twins.c"))
        point = {"$opaque": {"class": "shop.Order", "tag": "msgpack",
                             "data": "xw0Ak6RzaG9wpU9yZGVyAQ=="}}
        money = {"$typed": [0, "shop", "Money", {"$typed": [
            0, "shop", "Colour", "red"]}]}
        world.ask("run", "things", "--thread", "t", "--input",
                  json.dumps({"one": 1}))
        for thread, value in ("t", point), ("t", money), ("u", money):
            world.ask("run", "things", "--thread", thread, "--input",
                      json.dumps({"one": value}))
        process = world.command("export", "langgraph", where, "--replace")
        same(process.wait(), 1, "status")
        said = process.text().splitlines()
        expect("thread t: nothing of it is written: it holds objects of 3 "
               "classes" in said[0], said[0])
        same(len([line for line in said if "--class" in line]), 1,
             "messages that say --class")
        for name in "Colour", "Money", "Order":
            expect(f"--class shop.{name}" in said[-1], said[-1])
        with sqlite3.connect(where) as db:  # as it was before
            same(db.execute("SELECT checkpoint_id FROM checkpoints").fetchall(),
                 [(ID,)], "checkpoints there")


TYPED = {
    "when": ["datetime", 3, "2026-01-02T03:04:05+00:00", "fromisoformat"],
    "day": ["date", 1, [2026, 1, 2]],
    "clock": ["time", 2, {"hour": 3, "minute": 4, "second": 5,
                          "microsecond": 6, "tzinfo": None, "fold": 0}],
    "span": ["timedelta", 1, [1, 3723, 0]]}
SHOWN = {"when": "2026-01-02T03:04:05+00:00", "day": "2026-01-02",
         "clock": "03:04:05.000006", "span": "1 day, 1:02:03",
         "id": "12345678-1234-5678-1234-567812345678", "price": "1.10",
         "tags": ["a"], "numbers": {"1": 2}, "data": "bytes 12",
         "order": {"shop.Order": {"id": 17, "price": "1.10"}}}


def test_state_shows_values_of_classes_as_people_write_them():
    price = {"$typed": [0, "decimal", "Decimal", "1.10"]}
    values = {name: {"$typed": [code, "datetime", kind, *arg]}
              for name, (kind, code, *arg) in TYPED.items()}
    values |= {
        "id": {"$typed": [0, "uuid", "UUID",
                          "12345678123456781234567812345678"]},
        "price": price, "tags": {"$typed": [0, "builtins", "set", ["a"]]},
        "numbers": {"$typed": [0, "builtins", "dict", [[1, 2]]]},
        "data": {"$opaque": {"class": "bytes", "tag": "bytes",
                             "data": "aGVsbG8gd29ybGQh"}},
        "order": {"$typed": [5, "shop", "Order", {"id": 17, "price": price},
                             "model_validate_json"]}}
    with World() as world:
        os.environ["INTEROP_EFFECTS"] = str(world.path("effects"))
        world.coordinator()
        world.worker(world.compile(ROOT / "tests/interop/app/twins.c"))
        world.ask("run", "things", "--thread", "t", "--input",
                  json.dumps({"one": values}))
        same(world.ask("state", "t")["values"]["one"], values, "with --json")
        shown = [line for line in world.do("state", "t").splitlines()
                 if line.startswith("one ")][0]
        same(json.loads(shown[4:]), SHOWN, "for people")


def test_a_graph_that_nobody_serves_is_told_of_where_threads_become_its():
    with World() as world:
        where = world.path("langgraph.db")
        make_sqlite(where)
        os.environ["INTEROP_EFFECTS"] = str(world.path("effects"))
        world.coordinator()
        world.worker(world.compile(ROOT / "tests/interop/app/twins.c"))
        for graph, says in (("thinks", True), ("things", False)):
            process = world.command("import", "langgraph", where, "--thread",
                                    "t", "--as", graph, "--graph", graph)
            same(process.wait(), 0, "status")
            same('no graph is called "thinks". Did you mean "things"?'
                 in process.text(), says, f"a warning of {graph}")


def test_an_export_of_a_thread_that_is_not_there_names_it_once():
    with World() as world:
        world.coordinator()
        where = world.path("out.db")
        process = world.command("export", "langgraph", where, "--thread",
                                "nosuch")
        same(process.wait(), 1, "status")
        same(process.text("err"), 'superstep: there is no thread "nosuch"',
             "what it says")


def test_words_that_are_none_are_refused():
    with World() as world:
        world.coordinator()
        for words, says in (
                (["import", "mysql", "x"], '"mysql" is not known'),
                (["export", "langgraph"], "DSN|FILE is missing"),
                (["import", "langgraph", "x.db", "--as", "u"],
                 "--as needs --thread")):
            process = world.command(*words)
            same(process.wait(), 2, f"status of {words}")
            expect(says in process.text(), process.text())


if __name__ == "__main__":
    main(globals())
