#!/usr/bin/env python3
"""make_old - databases as older LangGraphs left them, as SQL text.

usage: make_old.py write > tests/interop/old/NAME.sql
       make_old.py postgres|shallow > tests/interop/old/NAME.sql
       make_old.py js FOLDER > tests/interop/old/postgres-js.sql
       make_old.py more SQL > tests/interop/old/NAME.sql
       make_old.py dump FILE > tests/interop/old/NAME.sql
       make_old.py read SQL... > tests/interop/old/read.json

`write`, `postgres` and `shallow` run in a Python that has an old LangGraph:

    format1   langgraph==0.2.60 langgraph-checkpoint==2.0.9
    format2   langgraph==0.3.20 langgraph-checkpoint==2.0.24
    format3   langgraph==0.4.10 langgraph-checkpoint==2.1.2

each with langgraph-checkpoint-sqlite (2.0.1, 2.0.6, 2.0.10), or with
langgraph-checkpoint-postgres (2.0.8 for postgres-format1, 2.0.21 for
shallow-format3) and PostgreSQL's programs. `js` runs make_js.mjs with node where
its packages are, `dump` takes what that made of SQLite. `more` and `read` run in
a Python that has the packages of requirements.txt: `more` goes on with the
threads of SQL, `read` says what LangGraph of today sees in each thread.
"""

import importlib.util
import json
import operator
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import types

os.environ["INTEROP_EFFECTS"] = os.devnull
if not (importlib.util.find_spec("langgraph") and
        importlib.util.find_spec("langgraph.channels.delta")):
    # graphs.py asks for it, and has no use for it here
    sys.modules["langgraph.channels.delta"] = types.SimpleNamespace(
        DeltaChannel=lambda *_, **__: operator.add)

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "system"))
if sys.argv[1] not in ("js", "dump"):
    import graphs
    from langgraph.types import Command
if sys.argv[1] in ("write", "more", "read"):
    from langgraph.checkpoint.sqlite import SqliteSaver


class Make:
    """A graph of graphs.py, by its name."""

    def __init__(self, name):
        self.name = name

    def __call__(self):
        return getattr(graphs, self.name)()

THREADS = {  # name: graph, and its inputs
    "done": (Make("fan"), [{"x": ["in"]}, {"x": ["again"]}]),
    "waits": (Make("fan"), [{"x": ["in"], "ask": True}]),
    "inside": (Make("nest"), [{"x": ["in"], "ask": True}]),
    "chat": (Make("chat"), [
        {"messages": [{"role": "user", "content": "hi", "id": "m1"}]}]),
}


def config_of(thread):
    return {"configurable": {"thread_id": thread}}


def dump(path):
    with sqlite3.connect(path) as db:
        for line in db.iterdump():
            print(line)


def load(sql, path):
    with sqlite3.connect(path) as db:
        db.executescript(pathlib.Path(sql).read_text())


def run_all(saver):
    for thread, (make, inputs) in THREADS.items():
        graph = make().compile(checkpointer=saver)
        for one in inputs:
            graph.invoke(one, config_of(thread))


def write(path, _):
    with SqliteSaver.from_conn_string(path) as saver:
        run_all(saver)
    dump(path)


def in_postgres(fill):
    """Fill a database of a server's own, and print it as pg_dump's INSERTs."""
    import postgres
    with postgres.Postgres() as server:
        fill(server.url())
        text = subprocess.run(
            ["pg_dump", "--inserts", "--no-owner", "-d", server.url()],
            check=True, capture_output=True, text=True).stdout
    keep = [line for line in text.splitlines()
            if line and not line.startswith(("--", "SET ", "SELECT ", "\\"))]
    print("\n".join(keep).replace("public.", ""))


def fill_with(saver_name):
    def fill(url):
        module = importlib.import_module("langgraph.checkpoint.postgres")
        with getattr(module, saver_name).from_conn_string(url) as saver:
            saver.setup()
            run_all(saver)
    return fill


def js(_, names):
    in_postgres(lambda url: subprocess.run(
        ["node", "make_js.mjs", url], check=True, cwd=names[0],
        stdout=subprocess.DEVNULL))


def more(path, names):
    load(names[0], path)
    with SqliteSaver.from_conn_string(path) as saver:
        for thread, (make, inputs) in THREADS.items():
            graph = make().compile(checkpointer=saver)
            asks = inputs[0].get("ask")
            graph.invoke(Command(resume="yes") if asks else inputs[0],
                         config_of(thread))
    dump(path)


def read(path, names):
    seen = {}
    for name in names:
        pathlib.Path(path).unlink(missing_ok=True)
        load(name, path)
        with SqliteSaver.from_conn_string(path) as saver:
            seen[pathlib.Path(name).stem] = {
                thread: [[s.config["configurable"]["checkpoint_id"],
                          s.metadata["step"], s.metadata["source"],
                          s.values if "messages" not in s.values else
                          [m.content for m in s.values["messages"]],
                          sorted(s.next)]
                         for s in make().compile(
                             checkpointer=saver).get_state_history(
                                 config_of(thread))]
                for thread, (make, _) in THREADS.items()}
    json.dump(seen, sys.stdout, indent=1)
    print()


MODES = {"write": write, "more": more, "read": read, "js": js,
         "dump": lambda _, names: dump(names[0]),
         "postgres": lambda *_: in_postgres(fill_with("PostgresSaver")),
         "shallow": lambda *_: in_postgres(fill_with("ShallowPostgresSaver"))}

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        MODES[sys.argv[1]](folder + "/old.db", sys.argv[2:])
