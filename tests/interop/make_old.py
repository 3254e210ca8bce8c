#!/usr/bin/env python3
"""make_old - databases as older LangGraphs left them, as SQL text.

usage: make_old.py write NAME > tests/interop/old/NAME.sql
       make_old.py more SQL > tests/interop/old/NAME.sql
       make_old.py read SQL... > tests/interop/old/read.json

`write` runs in a Python that has an old LangGraph, one of

    format1  langgraph==0.2.60 langgraph-checkpoint==2.0.9
    format2  langgraph==0.2.74 langgraph-checkpoint==2.0.16
    format3  langgraph==0.4.10 langgraph-checkpoint==2.1.2

each with langgraph-checkpoint-sqlite (2.0.1, 2.0.5, 2.0.10). `more` and `read`
run in one that has the packages of requirements.txt: `more` goes on there with
the threads of SQL, `read` says what LangGraph of today sees in each thread.
"""

import json
import operator
import os
import pathlib
import sqlite3
import sys
import tempfile
import types

os.environ["INTEROP_EFFECTS"] = os.devnull
if sys.argv[1] == "write":  # graphs.py asks for it, and has no use for it here
    sys.modules["langgraph.channels.delta"] = types.SimpleNamespace(
        DeltaChannel=lambda *_, **__: operator.add)

import graphs  # noqa: E402
from langgraph.checkpoint.sqlite import SqliteSaver  # noqa: E402
from langgraph.types import Command  # noqa: E402

THREADS = {  # name: graph, and its inputs
    "done": (graphs.fan, [{"x": ["in"]}, {"x": ["again"]}]),
    "waits": (graphs.fan, [{"x": ["in"], "ask": True}]),
    "inside": (graphs.nest, [{"x": ["in"], "ask": True}]),
    "chat": (graphs.chat, [
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


def write(path, _):
    with SqliteSaver.from_conn_string(path) as saver:
        for thread, (make, inputs) in THREADS.items():
            graph = make().compile(checkpointer=saver)
            for one in inputs:
                graph.invoke(one, config_of(thread))
    dump(path)


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


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        {"write": write, "more": more, "read": read}[sys.argv[1]](
            folder + "/old.db", sys.argv[2:])
