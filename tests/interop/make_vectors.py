#!/usr/bin/env python3
"""make_vectors - what LangGraph's own serializer makes of values, as a table.

usage: PYTHONHASHSEED=0 make_vectors.py > tests/unit/langgraph/vectors.def

Run it with a Python that has the packages of requirements.txt. Each entry is
X(name, channel, is_write, tag, bytes as hex, what it is here as JSON); "=" in
place of the JSON: an $opaque mark, of the class behind it.
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


def typed(code, module, name, arg, *method):
    return {"$typed": [code, module, name, arg, *method]}


def builtin(name, arg):
    return typed(0, "builtins", name, arg)


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
    ("beyond", 2**64 - 1, builtin("int", str(2**64 - 1))),
    ("minus_32", -32, -32),
    ("minus_33", -33, -33),
    ("minus_129", -129, -129),
    ("minus_32769", -32769, -32769),
    ("least", -2**63, -2**63),
    ("float", 1.5, 1.5),
    ("minus_zero", -0.0, -0.0),
    ("not_a_number", float("nan"), builtin("float", "nan")),
    ("infinity", float("inf"), builtin("float", "inf")),
    ("minus_infinity", -float("inf"), builtin("float", "-inf")),
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
    ("keys_of_numbers", {1: 2}, builtin("dict", [[1, 2]])),
    ("a_key_with_nul", {"a\0b": 1}, builtin("dict", [["a\0b", 1]])),
    ("a_map_like_a_mark", {"$opaque": 1}, builtin("dict", [["$opaque", 1]])),
    ("a_map_like_a_typed_one", {"$typed": [0, "a", "b", 1]},
     builtin("dict", [["$typed", [0, "a", "b", 1]]])),
    ("bytes", b"\x00\xff", kept("bytes")),
    ("bytearray", bytearray(b"\x00\xff"), kept("bytearray")),
    ("bytes_in_a_list", [b"\x00\xff"],
     [{"$opaque": {"class": "bytes", "tag": "bytes", "data": "AP8="}}]),
    ("set", {1}, builtin("set", [1])),
    ("frozenset", frozenset({"a"}), builtin("frozenset", ["a"])),
    ("deque", collections.deque([1]), typed(0, "collections", "deque", [1])),
    ("uuid", uuid.UUID("12345678-1234-5678-1234-567812345678"),
     typed(0, "uuid", "UUID", "12345678123456781234567812345678")),
    ("decimal", decimal.Decimal("1.10"),
     typed(0, "decimal", "Decimal", "1.10")),
    ("date", datetime.date(2026, 1, 2),
     typed(1, "datetime", "date", [2026, 1, 2])),
    ("datetime", datetime.datetime(2026, 1, 2, 3, 4, 5),
     typed(3, "datetime", "datetime", "2026-01-02T03:04:05",
           "fromisoformat")),
    ("datetime_in_a_zone", datetime.datetime(
        2026, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc),
     typed(3, "datetime", "datetime", "2026-01-02T03:04:05+00:00",
           "fromisoformat")),
    ("time", datetime.time(3, 4, 5, 6),
     typed(2, "datetime", "time", {
         "hour": 3, "minute": 4, "second": 5, "microsecond": 6,
         "tzinfo": None, "fold": 0})),
    ("timedelta", datetime.timedelta(days=1, seconds=2, microseconds=3),
     typed(1, "datetime", "timedelta", [1, 2, 3])),
    ("address", ipaddress.ip_address("::1"),
     typed(0, "ipaddress", "IPv6Address", "::1")),
    ("path", pathlib.PurePosixPath("/a/b"), None),
    ("regex", re.compile("a+"), typed(1, "re", "compile", ["a+", 32])),
    ("enum", Colour.RED, typed(0, "__main__", "Colour", "red")),
    ("record", Point(1), typed(2, "__main__", "Point", {"x": 1})),
    ("send_in_a_value", Send("w", {"i": 1}),
     typed(1, "langgraph.types", "Send", ["w", {"i": 1}])),
    ("command", Command(resume="y"), typed(2, "langgraph.types", "Command", {
        "graph": None, "update": None, "resume": "y", "goto": []})),
    ("document", Document("text", id="d"), typed(
        5, "langchain_core.documents.base", "Document", {
            "id": "d", "metadata": {}, "page_content": "text",
            "type": "Document"}, "model_validate_json")),
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
    ("without_id", HumanMessage("hi"), typed(
        5, MESSAGES + "human", "HumanMessage", {
            "content": "hi", "additional_kwargs": {}, "response_metadata": {},
            "type": "human", "name": None, "id": None},
        "model_validate_json")),
    ("a_message_in_a_record", Point(HumanMessage("hi", id="m1")), typed(
        2, "__main__", "Point", {"x": typed(
            5, MESSAGES + "human", "HumanMessage", {
                "content": "hi", "additional_kwargs": {},
                "response_metadata": {}, "type": "human", "name": None,
                "id": "m1"}, "model_validate_json")})),
    ("a_map_like_a_message_in_a_record",
     Point({"type": "human", "content": "hi", "id": "m1"}),
     typed(2, "__main__", "Point", {"x": builtin("dict", [
         ["type", "human"], ["content", "hi"], ["id", "m1"]])})),
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
