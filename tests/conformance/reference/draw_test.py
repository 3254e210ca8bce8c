#!/usr/bin/env python3
"""Draws fresh scenarios, has the reference answer them, and plays them on Superstep in both modes.

SS_SEED (default: the time; several: "1 2 3") and SS_COUNT (default: 200, of each seed) choose them; those that are in
BUILD/drawn are played again. Skipped (77) where the reference cannot be had. What differs is kept there; make it small
with shrink.py and put it into tests/conformance/found. The last line counts all: passed in both modes, explained
(explain.py), not explained.
"""
import glob
import os
import subprocess
import sys
import time
import venv

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get("SS_BUILD_DIR", "build/dev")
PACKAGES = ["langgraph>=1.2.22,<2", "xxhash"]
SKIPPED = 77


def reference():
    """The path of a Python that has the reference, or nothing."""
    folder = os.path.join(BUILD, "reference")
    python = os.path.join(folder, "bin", "python")
    if subprocess.run([sys.executable, "-c", "import langgraph, xxhash"], capture_output=True).returncode == 0:
        return sys.executable
    try:
        if not os.path.exists(python):
            venv.create(folder, with_pip=True)
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PACKAGES]
        return python if subprocess.run(install).returncode == 0 else None
    except (OSError, subprocess.CalledProcessError):
        return None


def play(conformance, mode, folder):
    """The files of a folder that differ in a mode."""
    known = os.path.join(HERE, "..", "differences.json")
    run = [conformance, "--mode", mode, "--differences", known, folder]
    out = subprocess.run(run, capture_output=True, text=True).stdout
    shown = [line for line in out.splitlines() if not line.startswith(("passed", "on purpose"))]
    print(f"{mode}:", *(shown or ["no answer"]), sep="\n  ", flush=True)
    passed = {line.split()[2] for line in out.splitlines() if line.startswith("passed")}
    return {path for path in drawn(folder) if os.path.basename(path)[:-5] not in passed}


def drawn(folder):
    return glob.glob(os.path.join(folder, "random-*-*[0-9].json"))


def try_seed(python, seed, count):
    """How many scenarios there are, how many differ in a mode, how many of these nothing explains."""
    folder = os.path.join(BUILD, "drawn", seed)
    os.makedirs(folder, exist_ok=True)
    print(f"SS_SEED={seed} SS_COUNT={count}", flush=True)
    if len(drawn(folder)) < int(count):
        draw = [python, os.path.join(HERE, "random_scenarios.py"), "--seed", seed, "--count", count, "--out", folder]
        subprocess.run(draw, check=True)
    conformance = os.path.join(BUILD, "bin", "conformance")
    differing = sorted(play(conformance, "local", folder) | play(conformance, "distributed", folder))
    if not differing:
        return len(drawn(folder)), 0, 0
    explain = [python, os.path.join(HERE, "explain.py"), conformance, *differing]
    out = subprocess.run(explain, capture_output=True, text=True).stdout
    print(out, end="", flush=True)
    return len(drawn(folder)), len(differing), len(differing) - sum("UNEXPLAINED" not in x for x in out.splitlines())


def main():
    python = reference()
    if not python:
        print("the reference cannot be installed here")
        return SKIPPED
    seeds, count = os.environ.get("SS_SEED", str(int(time.time()))).split(), os.environ.get("SS_COUNT", "200")
    total = [sum(column) for column in zip(*(try_seed(python, seed, count) for seed in seeds))]
    print("%d drawn: %d passed in both modes, %d explained, %d not" % (total[0], total[0] - total[1], total[1] - total[2], total[2]))
    return 1 if total[2] else 0


if __name__ == "__main__":
    sys.exit(main())
