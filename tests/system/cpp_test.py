"""The header from C++: it compiles without a warning, and runs."""

import os
import re
import shutil
import subprocess
import sys

from harness import ANY_PORT, BIN, ROOT, World, expect, main

SCORES = ROOT / "examples/cpp/scores.cpp"
COMPILER = os.environ.get("CXX", "c++")


def compile_with(world, standard, source=SCORES):
    target = world.path(f"lib{source.stem}-{standard}.so")
    flags = subprocess.run(
        ["pkg-config", "--cflags", "jansson"], check=True,
        capture_output=True, text=True).stdout.split()
    done = subprocess.run(
        [COMPILER, f"-std={standard}", "-Wall", "-Wextra", "-Werror",
         "-shared", "-fPIC", f"-I{ROOT / 'worker/include'}", *flags,
         str(source), "-o", str(target)],
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


THROWS = """
#include <superstep/superstep.h>
#include <stdexcept>
#include <string>
static int crash(struct ss_task *task)
{
    (void)task;
    throw std::runtime_error("no route to über" + std::string(300, 'x'));
}
static void define(struct ss_graph_def *graph)
{
    ss_key(graph, "log", SS_LIST);
    ss_node(graph, "crash", crash);
    ss_edge(graph, SS_START, "crash");
}
SS_APP(SS_GRAPH("throws", define))
"""
THROWN = (r'node "crash" \(thread t, .*\) crashed its worker: signal 6 '
          r"\(Aborted\): uncaught std::runtime_error: no route to überx+; its worker was lost")


def compile_throws(world):
    source = world.path("throws.cpp")
    source.write_text(THROWS, encoding="utf-8")
    return compile_with(world, "c++17", source)


def expect_thrown(world, process):
    """The error of the task has what the exception says, cut; the output of
    the worker has all of it."""
    run = world.command("run", "throws", "--thread", "t", "--input", "{}")
    expect(run.wait() == 1, run.text())
    expect(any(re.search(THROWN, line) for line in run.text().splitlines()),
           run.text())
    process.wait_line("terminate called after throwing an instance of "
                      "'std::runtime_error'")
    process.wait_line(r"what\(\):  no route to überx{300}$")


def test_an_exception_that_nobody_catches_is_told_with_what_it_says():
    with World() as world:
        world.coordinator()
        expect_thrown(world, world.worker(
            compile_throws(world), None, "--processes", "1", capacity=1))


def test_under_dev_an_exception_that_nobody_catches_is_told_too():
    with World() as world:
        dev = world.start(
            "dev", BIN / "superstep", "dev", compile_throws(world), "--listen",
            ANY_PORT, "--db", world.path("superstep.db"))
        world.endpoint = dev.wait_line(r"coordinator (tcp://[^\s,]+)")[1]
        dev.wait_line("graph throws")
        expect_thrown(world, dev)


if __name__ == "__main__":
    if not shutil.which(COMPILER):
        print(f"SKIPPED: there is no {COMPILER}: apt-get install g++")
        sys.exit(77)
    main(globals())
