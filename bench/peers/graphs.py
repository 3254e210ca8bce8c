"""The graphs of bench/graphs as LangGraph's: the same nodes, edges and sizes."""

import operator
import random
import string
import time
import uuid
from typing import Annotated, Any, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Send

LETTERS = string.ascii_letters + string.digits + "-_"
TURN_LETTERS = 400
WORKERS = 5

times = []  # when the node of `loop` ran


def letters(count):
    return "".join(random.choices(LETTERS, k=count))


def body(function, is_async):
    """A node; as a coroutine where the graph is run as one."""
    if not is_async:
        return function

    async def node(state):
        return function(state)
    return node


# --- small ones -----------------------------------------------------------------


class Counter(TypedDict):
    counter: int


def chain(wrap):
    graph = StateGraph(Counter)
    names = [START, "a", "b", "c", END]
    for name in names[1:-1]:
        graph.add_node(name, wrap(
            lambda state: {"counter": state["counter"] + 1}))
    for early, late in zip(names, names[1:]):
        graph.add_edge(early, late)
    return graph


class Results(TypedDict):
    results: Annotated[list, operator.add]
    count: int


def fanout(wrap):
    graph = StateGraph(Results)
    names = [f"w{i + 1}" for i in range(WORKERS)]
    for i, name in enumerate(names):
        graph.add_node(name, wrap(lambda state, i=i: {"results": [i + 1]}))
        graph.add_edge(START, name)
    graph.add_node("sum", wrap(lambda state: {"count": len(state["results"])}))
    graph.add_edge(names, "sum")
    graph.add_edge("sum", END)
    return graph


class Left(TypedDict):
    left: int


def loop(wrap):
    def it(state):
        times.append(time.perf_counter())
        return {"left": state["left"] - 1}
    graph = StateGraph(Left)
    graph.add_node("it", wrap(it))
    graph.add_edge(START, "it")
    graph.add_conditional_edges(
        "it", lambda state: "it" if state["left"] > 0 else END, ["it", END])
    return graph


class Sends(TypedDict):
    wanted: int
    done: Annotated[int, operator.add]


def sends(wrap):
    graph = StateGraph(Sends)
    graph.add_node("one", wrap(lambda state: {"done": 1}))
    graph.add_conditional_edges(
        START, lambda state: [Send("one", {"i": i})
                              for i in range(state["wanted"])], ["one"])
    return graph


class Messages(TypedDict):
    messages: Annotated[list, add_messages]


def say(state):
    size = len(state["messages"][-1].content)
    return {"messages": [{"role": "ai", "content": letters(size)}]}


def turns(wrap):
    graph = StateGraph(Messages)
    graph.add_node("say", wrap(say))
    graph.add_edge(START, "say")
    return graph


def turns_delta(wrap):
    from langgraph.channels.delta import DeltaChannel
    from langgraph.graph.message import _messages_delta_reducer

    class Delta(TypedDict):
        messages: Annotated[list, DeltaChannel(_messages_delta_reducer)]
    graph = StateGraph(Delta)
    graph.add_node("say", wrap(say))
    graph.add_edge(START, "say")
    return graph


# --- LangGraph's own suite ------------------------------------------------------


def sequential(count):
    def define(wrap):
        graph = StateGraph(Messages)
        before = START
        for i in range(count):
            graph.add_node(f"node_{i}", wrap(lambda state: None))
            graph.add_edge(before, f"node_{i}")
            before = f"node_{i}"
        graph.add_edge(before, END)
        return graph
    return define


class Joke(TypedDict):
    subject: Any
    jokes: list


class JokeInput(TypedDict):
    subject: Any


class JokeOutput(TypedDict):
    jokes: list


class Jokes(TypedDict):
    subjects: list
    jokes: Annotated[list, operator.add]


def jokes(wrap):
    inner = StateGraph(Joke, input_schema=JokeInput, output_schema=JokeOutput)
    inner.add_node("edit", wrap(
        lambda state: {"subject": f"{state['subject']} - hohoho"}))
    inner.add_node("generate", wrap(
        lambda state: {"jokes": [f"Joke about {state['subject']}"]}))
    inner.add_node("bump", wrap(
        lambda state: {"jokes": [state["jokes"][0] + " a"]}))
    inner.add_edge(START, "edit")
    inner.add_edge("edit", "generate")
    inner.add_edge("generate", "bump")
    inner.add_conditional_edges(
        "bump", lambda state: END if state["jokes"][0].endswith(" a" * 10)
        else "bump", ["bump", END])
    graph = StateGraph(Jokes)
    graph.add_node("generate_joke", inner.compile())
    graph.add_conditional_edges(
        START, lambda state: [Send("generate_joke", {"subject": each})
                              for each in state["subjects"]],
        ["generate_joke"])
    graph.add_edge("generate_joke", END)
    return graph


def react(calls):
    def define(wrap):
        def agent(state):
            if len(state["messages"]) // 2 >= calls:
                return {"messages": [{"role": "ai", "content": letters(600)}]}
            word = str(uuid.uuid4())
            return {"messages": [{
                "role": "ai", "content": "", "tool_calls": [{
                    "name": "tool", "id": word,
                    "args": {"query": word * 100}}]}]}

        def tools(given):
            call = given["call"]
            text = f"result for query: {call['args']['query']}" * 10
            return {"messages": [{"role": "tool", "content": text,
                                  "tool_call_id": call["id"]}]}

        def route(state):
            found = state["messages"][-1].tool_calls
            return [Send("tools", {"call": call, "state": state})
                    for call in found] or END
        graph = StateGraph(Messages)
        graph.add_node("agent", wrap(agent))
        graph.add_node("tools", wrap(tools))
        graph.add_edge(START, "agent")
        graph.add_conditional_edges("agent", route, ["tools", END])
        graph.add_edge("tools", "agent")
        return graph
    return define


def kept(old, new):
    return new if new is not None else old


class Wide(TypedDict):
    messages: Annotated[list, operator.add]
    trigger_events: Annotated[list, operator.add]
    categorizations: Annotated[list, operator.add]
    responses: Annotated[list, operator.add]
    primary_issue_medium: Annotated[Any, lambda x, y: y or x]
    autoresponse: Annotated[Any, lambda x, y: y]
    issue: Annotated[Any, lambda x, y: y if y else x]
    user_info: Annotated[Any, kept]
    crm_info: Annotated[Any, kept]
    email_thread_id: Annotated[Any, kept]
    slack_participants: Annotated[dict, operator.or_]
    notified_assignees: Annotated[dict, operator.or_]
    relevant_rules: Any
    memory_docs: Any
    bot_id: Any


LISTS = {"messages", "trigger_events", "categorizations", "responses",
         "memory_docs", "relevant_rules"}
SINGLES = {"user_info", "crm_info", "slack_participants", "notified_assignees",
           "autoresponse", "issue"}
RULES = {
    "one": ("messages", ["trigger_events", "primary_issue_medium"]),
    "two": ("trigger_events", ["autoresponse", "issue"]),
    "three": ("autoresponse", ["relevant_rules"]),
    "four": ("trigger_events", ["categorizations", "responses", "memory_docs"]),
    "five": ("categorizations", [
        "user_info", "crm_info", "email_thread_id", "slack_participants",
        "bot_id", "notified_assignees"]),
    "six": ("responses", ["messages"]),
}


def wide(count):
    def define(wrap):
        def read_write(read, writes):
            def node(state):
                value = state[read]
                found = value if isinstance(value, list) else [value]
                return {key: found if key in LISTS else found[-1]
                        if key in SINGLES else letters(count)
                        for key in writes}
            return node
        graph = StateGraph(Wide)
        for name, (read, writes) in RULES.items():
            graph.add_node(name, wrap(read_write(read, writes)))
        graph.add_edge(START, "one")
        graph.add_edge("one", "two")
        graph.add_edge("two", "three")
        graph.add_edge("two", "four")
        graph.add_edge(["three", "four"], "five")
        graph.add_edge("five", "six")
        graph.add_conditional_edges(
            "six", lambda state: END if len(state["messages"]) > count
            else "one", ["one", END])
        return graph
    return define


def wide_input(outer, inner):
    leaf = ["hi?" * 10, True, 1, 6327816386138, None] * 5
    return {"messages": [{str(i) * 10: {str(k) * 10: list(leaf)
                                        for k in range(inner)}
                          for i in range(outer)}]}


# --- all of them ----------------------------------------------------------------

GRAPHS = {
    "chain": chain, "fanout": fanout, "loop": loop, "sends": sends,
    "turns": turns, "turns_delta": turns_delta,
    "sequential_10": sequential(10), "sequential_1000": sequential(1000),
    "jokes": jokes, "react_10": react(10), "react_100": react(100),
    "wide_300": wide(300), "wide_600": wide(600), "wide_1200": wide(1200)}


def build(name, saver, is_async):
    graph = GRAPHS[name](lambda function: body(function, is_async))
    return graph.compile(checkpointer=saver)


def input_of(name, size):
    if name.startswith("turns"):
        return {"messages": [
            {"role": "user", "content": letters(TURN_LETTERS)}]}
    if name == "jokes":
        return {"subjects": [random.choices(string.ascii_lowercase, k=1000)
                             for _ in range(size)]}
    return {
        "chain": {"counter": 0}, "fanout": {"results": []},
        "loop": {"left": size}, "sends": {"wanted": size},
        "sequential_10": {"messages": []}, "sequential_1000": {"messages": []},
        "react_10": {"messages": [{"role": "user", "content": "hi?"}]},
        "react_100": {"messages": [{"role": "user", "content": "hi?"}]},
        "wide_300": wide_input(5, 5), "wide_600": wide_input(3, 5),
        "wide_1200": wide_input(3, 3)}[name]
