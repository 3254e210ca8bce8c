#!/usr/bin/env python3
"""Draws fresh scenarios, has the reference answer them, and plays them on Superstep in both modes.

SS_SEED (default: the time) and SS_COUNT (default: 200) choose them. Skipped (77) where the reference cannot be had.
What differs is kept in BUILD/drawn; make it small with shrink.py and put it into tests/conformance/found.
"""
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
    print(f"{mode}: {out.splitlines()[-1] if out else 'no answer'}", flush=True)
    return [os.path.join(folder, line.split()[2] + ".json") for line in out.splitlines() if line.startswith("FAILED")]


def main():
    python = reference()
    if not python:
        print("the reference cannot be installed here")
        return SKIPPED
    seed, count = os.environ.get("SS_SEED", str(int(time.time()))), os.environ.get("SS_COUNT", "200")
    folder = os.path.join(BUILD, "drawn", seed)
    os.makedirs(folder, exist_ok=True)
    print(f"SS_SEED={seed} SS_COUNT={count}", flush=True)
    draw = [python, os.path.join(HERE, "random_scenarios.py"), "--seed", seed, "--count", count, "--out", folder]
    subprocess.run(draw, check=True)
    conformance = os.path.join(BUILD, "bin", "conformance")
    differing = sorted({f for mode in ("local", "distributed") for f in play(conformance, mode, folder)})
    explain = [python, os.path.join(HERE, "explain.py"), conformance, *differing]
    return subprocess.run(explain).returncode if differing else 0


if __name__ == "__main__":
    sys.exit(main())
