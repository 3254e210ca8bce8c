#!/usr/bin/env python3
"""make_vectors - what LangGraph's own serializer makes of values, as a table.

usage: PYTHONHASHSEED=0 make_vectors.py > tests/unit/langgraph/vectors.def

Run it with a Python that has the packages of requirements.txt. Each entry is
X(name, channel, is_write, tag, bytes as hex, what it is here as JSON); "=" in
place of the JSON: kept as bytes, of the class behind it.
"""

import collections
import dataclasses
import datetime
import decimal
import enum
import ipaddress
import json
import pathlib
import re
import uuid

from langchain_core.documents import Document
from langchain_core.messages import (
    AIMessage, HumanMessage, RemoveMessage, SystemMessage, ToolMessage)
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.types import Command, Interrupt, Overwrite, Send, TimeoutPolicy


class Colour(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Point:
    x: int


def kept(name):
    return "=" + name


ZEROS = "0" * 32
MESSAGES = "langchain_core.messages."
VALUES = [
    ("null", None, None),
    ("true", True, True),
    ("small", 7, 7),
    ("one_byte", 128, 128),
    ("two_bytes", 65535, 65535),
    ("four_bytes", 4294967295, 4294967295),
    ("eight_bytes", 4294967296, 4294967296),
    ("largest_here", 2**63 - 1, 2**63 - 1),
    ("beyond", 2**64 - 1, kept("int")),
    ("minus_32", -32, -32),
    ("minus_33", -33, -33),
    ("minus_129", -129, -129),
    ("minus_32769", -32769, -32769),
    ("least", -2**63, -2**63),
    ("float", 1.5, 1.5),
    ("minus_zero", -0.0, -0.0),
    ("not_a_number", float("nan"), kept("float")),
    ("infinity", float("inf"), kept("float")),
    ("empty_text", "", ""),
    ("text", "hi", "hi"),
    ("text_with_nul", "a\0b", "a\0b"),
    ("text_31", "a" * 31, "a" * 31),
    ("text_32", "a" * 32, "a" * 32),
    ("text_256", "a" * 256, "a" * 256),
    ("beyond_ascii", "h\u00e9 \U0001f600", "h\u00e9 \U0001f600"),
    ("empty_list", [], []),
    ("list", ["in", "a"], ["in", "a"]),
    ("list_16", list(range(16)), list(range(16))),
    ("tuple", (1, 2), [1, 2]),
    ("map", {"x": ["in"]}, {"x": ["in"]}),
    ("map_16", {str(i): i for i in range(16)}, {str(i): i for i in range(16)}),
    ("nested", {"k": [1, None, True]}, {"k": [1, None, True]}),
    ("keys_of_numbers", {1: 2}, kept("dict")),
    ("a_key_with_nul", {"a\0b": 1}, kept("dict")),
    ("a_map_like_a_mark", {"$opaque": 1}, kept("dict")),
    ("bytes", b"\x00\xff", kept("bytes")),
    ("bytearray", bytearray(b"\x00\xff"), kept("bytearray")),
    ("set", {1}, kept("builtins.set")),
    ("deque", collections.deque([1]), kept("collections.deque")),
    ("uuid", uuid.UUID("12345678-1234-5678-1234-567812345678"),
     kept("uuid.UUID")),
    ("decimal", decimal.Decimal("1.10"), kept("decimal.Decimal")),
    ("date", datetime.date(2026, 1, 2), kept("datetime.date")),
    ("datetime", datetime.datetime(2026, 1, 2, 3, 4, 5),
     kept("datetime.datetime")),
    ("address", ipaddress.ip_address("::1"), kept("ipaddress.IPv6Address")),
    ("path", pathlib.PurePosixPath("/a/b"), None),
    ("regex", re.compile("a+"), kept("re.compile")),
    ("enum", Colour.RED, kept("__main__.Colour")),
    ("record", Point(1), kept("__main__.Point")),
    ("send_in_a_value", Send("w", {"i": 1}), kept("langgraph.types.Send")),
    ("command", Command(resume="y"), kept("langgraph.types.Command")),
    ("document", Document("text", id="d"),
     kept("langchain_core.documents.base.Document")),
    ("human", HumanMessage("hi", id="m1"),
     {"content": "hi", "type": "human", "id": "m1"}),
    ("ai", AIMessage("", id="m2", tool_calls=[
        {"name": "f", "args": {"a": 1}, "id": "c1"}], usage_metadata={
            "input_tokens": 1, "output_tokens": 2, "total_tokens": 3}),
     {"content": "", "type": "ai", "id": "m2", "tool_calls": [
         {"name": "f", "args": {"a": 1}, "id": "c1", "type": "tool_call"}],
      "usage_metadata": {
          "input_tokens": 1, "output_tokens": 2, "total_tokens": 3}}),
    ("system", SystemMessage("be kind", id="m3"),
     {"content": "be kind", "type": "system", "id": "m3"}),
    ("tool", ToolMessage("4", tool_call_id="c1", id="m4"),
     {"content": "4", "type": "tool", "id": "m4", "tool_call_id": "c1"}),
    ("removal", RemoveMessage("m1"),
     {"content": "", "type": "remove", "id": "m1"}),
    ("without_id", HumanMessage("hi"), kept(MESSAGES + "human.HumanMessage")),
    ("messages", [HumanMessage("hi", id="m1"), uuid.UUID(int=1)], None),
]
FORMS = [
    ("tasks", "__pregel_tasks", 0, [Send("w", {"i": 1}), Send("w", 2)],
     [{"$send": {"node": "w", "arg": {"i": 1}}},
      {"$send": {"node": "w", "arg": 2}}]),
    ("a_send", "__pregel_tasks", 1, Send("w", None),
     {"$send": {"node": "w", "arg": None}}),
    ("a_send_in_time", "__pregel_tasks", 1,
     Send("w", 1, timeout=TimeoutPolicy(run_timeout=2.5)),
     {"$send": {"node": "w", "arg": 1, "timeout_ms": 2500}}),
    ("join", "join:b+c:d", 0, {"c", "b"}, ["b", "c"]),
    ("empty_join", "join:b+c:d", 0, set(), []),
    ("deferred_join", "join:a+c:d", 0, ({"a"}, False), [["a"], False]),
    ("deferred", "branch:to:x", 0, (None, True), [None, True]),
    ("question", "__interrupt__", 1, (Interrupt("ok?", id=ZEROS),),
     [{"value": "ok?", "id": ZEROS}]),
    ("question_of_a_form", "__interrupt__", 1,
     [Interrupt("ok?", id=ZEROS, response_schema={"type": "string"})],
     [{"value": "ok?", "id": ZEROS, "response_schema": {"type": "string"}}]),
    ("error", "__error__", 1, ValueError("boom"),
     {"code": "node_failed", "message": "ValueError('boom')"}),
    ("overwrite", "x", 1, Overwrite([1]), {"__overwrite__": [1]}),
    ("answers", "__resume__", 1, ["yes"], ["yes"]),
]


def quote(text, width=64):
    """A C literal, of several lines where it is long."""
    pieces = [text[i:i + width] for i in range(0, len(text), width)] or [""]
    return "\n    ".join(json.dumps(piece) for piece in pieces)


def main():
    serde = JsonPlusSerializer()
    print("// Made by tests/interop/make_vectors.py with LangGraph itself:")
    print("// X(name, channel, is_write, tag, hex, JSON here, or = class)")
    rows = [(name, "x", 0, value, here) for name, value, here in VALUES
            if here is not None or value is None] + FORMS
    for name, channel, is_write, value, here in rows:
        tag, data = serde.dumps_typed(value)
        text = here if isinstance(here, str) and here[:1] == "=" \
            else json.dumps(here)
        print(f"X({quote(name)}, {quote(channel)}, {is_write}, {quote(tag)},\n"
              f"    {quote(data.hex())},\n    {quote(text)})")


if __name__ == "__main__":
    main()
