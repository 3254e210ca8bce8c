"""The graphs of tests/interop/app/twins.c, once more for the real LangGraph."""

import dataclasses
import operator
import os
from typing import Annotated, Any

from langgraph.channels.delta import DeltaChannel
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Send, interrupt
from typing_extensions import TypedDict


def note(name):
    with open(os.environ["INTEROP_EFFECTS"], "a") as file:
        file.write(name + "\n")


def say(word):
    note(word)
    return {"x": [word]}


class State(TypedDict, total=False):
    x: Annotated[list, operator.add]
    s: str
    ask: bool


def a(state):
    note("a")
    return {"x": ["a"], "s": "hi"}


def sends(state):
    return [Send("w", {"i": 1}), Send("w", {"i": 2})]


def b(state):
    if not state.get("ask"):
        return say("b")
    try:
        answer = interrupt("ok?")
    except BaseException:
        note("b?")
        raise
    return say(f"b:{answer}")


def c(state):
    if os.path.exists(os.environ.get("INTEROP_BROKEN", "")):
        note("c!")
        raise ValueError("c is broken")
    return say("c")


def w(arg):
    return say(f"w{arg['i']}")


def d(state):
    return say("d")


def fan(c=c, state=State):
    graph = StateGraph(state)
    for name, body in (("a", a), ("b", b), ("c", c), ("w", w), ("d", d)):
        graph.add_node(name, body)
    graph.add_edge(START, "a")
    graph.add_edge("a", "b")
    graph.add_edge("a", "c")
    graph.add_conditional_edges("a", sends)
    graph.add_edge(["b", "c"], "d")
    graph.add_edge("d", END)
    return graph


def add_all(value, writes):
    return sum(writes, value)


class Delta(TypedDict, total=False):
    x: Annotated[list, DeltaChannel(add_all, snapshot_frequency=4)]
    s: str
    ask: bool


def delta():
    return fan(state=Delta)


class Nest(TypedDict, total=False):
    x: Annotated[list, operator.add]
    ask: bool


def nest(checkpointer=None):
    inner = StateGraph(Nest)
    inner.add_node("i1", lambda state: say("i1"))
    inner.add_node("i2", b)
    inner.add_edge(START, "i1")
    inner.add_edge("i1", "i2")
    inner.add_edge("i2", END)
    graph = StateGraph(Nest)
    graph.add_node("before", lambda state: say("before"))
    graph.add_node("sub", inner.compile(checkpointer=checkpointer))
    graph.add_node("after", lambda state: say("after"))
    graph.add_edge(START, "before")
    graph.add_edge("before", "sub")
    graph.add_edge("sub", "after")
    graph.add_edge("after", END)
    return graph


def kept():
    return nest(checkpointer=True)


def late():
    graph = StateGraph(State)
    for name, body in (("a", a), ("b", b), ("c", c)):
        graph.add_node(name, body)
    graph.add_node("d", d, defer=True)
    graph.add_node("e", lambda state: say("after"), defer=True)
    graph.add_edge(START, "a")
    graph.add_edge("a", "b")
    graph.add_edge("a", "c")
    graph.add_edge("c", "e")
    graph.add_edge(["b", "c"], "d")
    graph.add_edge("d", END)
    graph.add_edge("e", END)
    return graph


class Chat(TypedDict):
    messages: Annotated[list, add_messages]


def reply(state):
    note("reply")
    count = len(state["messages"])
    return {"messages": [{"role": "assistant", "content": f"reply to {count}",
                          "id": f"reply-{count}"}]}


def chat():
    graph = StateGraph(Chat)
    graph.add_node("reply", reply)
    graph.add_edge(START, "reply")
    graph.add_edge("reply", END)
    return graph


@dataclasses.dataclass
class Point:
    """A class of the application's, which Python imports to read a row."""
    x: int


class Things(TypedDict, total=False):
    x: Annotated[list, operator.add]
    ask: bool
    one: Any
    many: Annotated[list, operator.add]
    sum: Annotated[Any, operator.add]


def keep(state):
    note("keep")
    return {"many": [state["one"]], "x": ["keep"]}


def things():
    graph = StateGraph(Things)
    graph.add_node("keep", keep)
    graph.add_edge(START, "keep")
    graph.add_edge("keep", END)
    return graph
