"""The header from C++: it compiles without a warning, and runs."""

import os
import shutil
import subprocess
import sys

from harness import ROOT, World, expect, main

SCORES = ROOT / "examples/cpp/scores.cpp"
COMPILER = os.environ.get("CXX", "c++")


def compile_with(world, standard):
    target = world.path(f"libscores-{standard}.so")
    flags = subprocess.run(
        ["pkg-config", "--cflags", "jansson"], check=True,
        capture_output=True, text=True).stdout.split()
    done = subprocess.run(
        [COMPILER, f"-std={standard}", "-Wall", "-Wextra", "-Werror",
         "-shared", "-fPIC", f"-I{ROOT / 'worker/include'}", *flags,
         str(SCORES), "-o", str(target)],
        capture_output=True, text=True, check=False)
    expect(done.returncode == 0 and not done.stderr,
           f"{standard}:\n{done.stderr}")
    return target


def test_a_graph_in_cpp_compiles_without_a_warning_and_runs():
    with World() as world:
        for standard in ("c++17", "c++20"):
            app = compile_with(world, standard)
        world.coordinator()
        world.worker(app)
        done = world.ask("run", "scores", "--input", '{"text": "seven sleeves"}')
        expect(done["output"] == {
            "text": "seven sleeves", "letters": 13, "share": 5 / 13,
            "verdict": "seven sleeves has many an e"}, f"{done}")
        quiet = world.ask("run", "scores", "--input", '{"text": "calm"}')
        expect("verdict" not in quiet["output"], f"{quiet}")


if __name__ == "__main__":
    if not shutil.which(COMPILER):
        print(f"SKIPPED: there is no {COMPILER}: apt-get install g++")
        sys.exit(77)
    main(globals())
