#!/usr/bin/env python3
"""Answer a scenario as the reference would without three of its defects, which Superstep does not copy.

usage: mended.py FILE.json     prints the answers

- Cache keys are made of values, not of which Python objects are the same one (spec/engine.md R3.17).
- What a run shows is a copy: an interrupt is not written into the state's own map (spec/graph.md 10.2, 14).
- A DeltaChannel is a reducer: when snapshots are stored is the engine's choice (FORMAT.md, "A state graph").
"""
import copy
import json
import sys

import generate
from langgraph.pregel import _algo, _io, _loop


def key_of(*args, **kwargs):
    return json.dumps(generate.plain([args, kwargs]), sort_keys=True, default=str)


def mend():
    policy, read, channel = generate.CachePolicy, _io.read_channels, generate.channel
    generate.CachePolicy = lambda ttl=None: policy(key_func=key_of, ttl=ttl)

    def read_a_copy(*args, **kwargs):
        return copy.deepcopy(read(*args, **kwargs))

    for module in (_io, _algo, _loop):
        if hasattr(module, "read_channels"):
            module.read_channels = read_a_copy
    generate.channel = lambda c: channel(c | {"kind": "BinaryOperatorAggregate"} if c["kind"] == "DeltaChannel" else c)


def main(path):
    mend()
    with open(path) as f:
        scenario = json.load(f)
    print(json.dumps(generate.number(generate.Player(scenario).play(scenario["calls"]))))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
