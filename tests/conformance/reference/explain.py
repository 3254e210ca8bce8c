#!/usr/bin/env python3
"""Say of scenarios that differ whether that is a defect of the reference's which Superstep does not copy.

usage: explain.py CONFORMANCE FILE.json...     one line each; exits 1 where one stays unexplained

A difference is explained where the mended reference (mended.py) answers what Superstep answers in both modes, ids of messages that
somebody made up aside: the reference invents a new one each time it applies an update that waits (spec/graph.md 10.2, 9).
"""
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def alike(answers):
    return re.sub(r"~\d+", "~", json.dumps(answers, sort_keys=True))


def ours(conformance, path, mode):
    out = subprocess.run([conformance, "--mode", mode, "--answers", path], capture_output=True, text=True).stdout
    return json.JSONDecoder().raw_decode(out)[0] if out.startswith("[") else None


def explained(conformance, path):
    answers = [ours(conformance, path, mode) for mode in ("local", "distributed")]
    with open(path) as f:
        expect = json.load(f)["expect"]
    if None in answers or answers == [expect, expect]:  # what differs only at times is a fault
        return None
    if all(alike(a) == alike(expect) for a in answers):
        return "made-up ids alone"
    mended = subprocess.run([sys.executable, os.path.join(HERE, "mended.py"), path], capture_output=True, text=True).stdout
    same = mended and all(alike(a) == alike(json.loads(mended)) for a in answers)
    return "the mended reference agrees" if same else None


def main(conformance, paths):
    reasons = {path: explained(conformance, path) for path in paths}
    for path, reason in reasons.items():
        print(f"{reason or 'UNEXPLAINED'}: {path}")
    return 0 if all(reasons.values()) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
