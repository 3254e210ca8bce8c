"""A node that crashes its worker: its supervisor says so at once, and nobody
waits for a lease. Its word alone ends nothing."""

import re
import signal
import time

from harness import ANY_PORT, BIN, LIB, ROOT, World, expect, is_sanitized, main

APPS = ROOT / "tests/system/app"
LEASE_MS = 60000
CRASHED = (r'node "crash" \(thread t, task [0-9a-f-]+\) crashed its worker: '
           r"signal \d+ \([A-Za-z ]+\)")


def crash(world, begun):
    """The run of a node that crashes fails, long before a lease has ended."""
    run = world.command("run", "crash", "--thread", "t", "--input",
                        '{"log": []}')
    expect(run.wait() == 1, run.text())
    expect(re.search(CRASHED, run.text()), run.text())
    took_s = time.monotonic() - begun
    expect(took_s < LEASE_MS / 1000, f"it took {took_s} s")
    return run.text()


def test_a_body_that_crashes_its_worker_is_told_with_its_node_and_signal():
    with World() as world:
        world.coordinator("--lease-ms", str(LEASE_MS))
        world.worker(world.compile(APPS / "crash.c"), None, "--processes", "1",
                     capacity=1)
        text = crash(world, time.monotonic())
        expect("on each of 4 attempts" in text, text)


EXITS = """
#include <superstep/superstep.h>
#include <stdlib.h>
static int crash(struct ss_task *task)
{
    (void)task;
    exit(3);
}
static void define(struct ss_graph_def *graph)
{
    ss_key(graph, "log", SS_LIST, .reducer = SS_ADD);
    ss_node(graph, "crash", crash);
    ss_edge(graph, SS_START, "crash");
}
SS_APP(SS_GRAPH("crash", define))
"""


def run_of(world, code, *more):
    """Its worker, and its run to the end."""
    source = world.path("body.c")
    source.write_text(code, encoding="utf-8")
    world.coordinator("--lease-ms", str(LEASE_MS))
    worker = world.worker(world.compile(source), None, *more, capacity=1)
    run = world.command("run", "crash", "--input", '{"log": []}')
    return worker, run, run.wait()


def test_a_body_that_exits_does_not_end_the_supervisor():
    with World() as world:
        worker, run, status = run_of(world, EXITS, "--processes", "1")
        expect(status == 1, run.text())
        expect("crashed its worker: exit code 3" in run.text(), run.text())
        expect(worker.is_running(), worker.text())


def test_a_body_that_ends_its_thread_is_a_crash_and_hangs_no_run():
    with World() as world:
        worker, run, status = run_of(
            world, EXITS.replace("exit(3)", "pthread_exit(NULL)")
            .replace("stdlib", "pthread"), "--processes", "1")
        expect(status == 1, run.text())
        expect("crashed its worker: signal 6" in run.text(), run.text())
        worker.wait_line('node "crash" of graph "crash" ended its thread '
                         r"\(pthread_exit, .*: it has to return")


def test_a_failed_assertion_is_told_with_its_text():
    with World() as world:
        _worker, run, status = run_of(
            world, EXITS.replace("exit(3)", "assert(!*u8\"café\")")
            .replace("stdlib", "assert"), "--processes", "1")
        expect(status == 1, run.text())
        expect(re.search(r"signal 6 \(Aborted\): .*body\.c:\d+: crash: Assertion "
                         r"`!\*u8\"café\"' failed\.", run.text()),
               run.text())


def test_a_heap_that_a_body_has_damaged_is_told_as_such():
    with World() as world:
        _worker, run, status = run_of(
            world, EXITS.replace(
                "exit(3)", "void *volatile p = malloc(5000); free(p); free(p)"),
            "--processes", "1")
        # Another allocator, a sanitizer's say, finds it in its own words, or
        # not at all.
        if status == 0 and is_sanitized():
            return
        expect(status == 1, run.text())
        if "signal 6" in run.text():
            expect(re.search(r"signal 6 \(Aborted\): (double free|free\(\)|"
                             "the worker's output says why)", run.text()),
                   run.text())


def test_a_body_that_aborts_without_a_word_sends_to_the_output():
    with World() as world:
        _worker, run, status = run_of(
            world, EXITS.replace("exit(3)", "abort()"), "--processes", "1")
        expect(status == 1, run.text())
        expect("signal 6 (Aborted): the worker's output says why" in run.text(),
               run.text())


def test_a_worker_that_aborts_without_a_word_adds_none():
    with World() as world:
        source = world.path("body.c")
        source.write_text(EXITS.replace("exit(3)", "abort()"),
                          encoding="utf-8")
        world.coordinator()
        worker = world.worker(world.compile(source), None, capacity=1)
        world.do("run", "crash", "--input", '{"log": []}', "--detach")
        expect(worker.wait() != 0, worker.text())
        expect("superstep: aborts" not in worker.text(), worker.text())


FORKS = """
#include <superstep/superstep.h>
#include <sys/wait.h>
#include <unistd.h>
static int crash(struct ss_task *task)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        return 0;
    waitpid(child, &status, 0);
    return ss_set_text(task, "log", "its child ended with %d",
        WEXITSTATUS(status));
}
"""


def test_a_child_that_comes_back_from_a_body_hangs_no_run():
    with World() as world:
        worker, run, status = run_of(
            world, FORKS + EXITS[EXITS.index("static void define"):]
            .replace("SS_ADD", "SS_APPEND"))
        expect(status == 0, run.text())
        expect("its child ended with 1" in run.text(), run.text())
        worker.wait_line("crash: a child process that it forked came back")
        expect(worker.stop() == 0, worker.text())


def test_under_dev_a_node_that_crashed_twice_fails_and_dev_says_where_to_look():
    with World() as world:
        app = world.compile(APPS / "crash.c")
        dev = world.start(
            "dev", BIN / "superstep", "dev", app, "--listen", ANY_PORT, "--db",
            world.path("superstep.db"), "--lease-ms", str(LEASE_MS))
        world.endpoint = dev.wait_line(r"coordinator (tcp://[^\s,]+)")[1]
        dev.wait_line("graph crash")
        text = crash(world, time.monotonic())
        expect("on each of 2 attempts" in text, text)
        dev.wait_line(r"to see where: gdb -ex run --args \S+ --app \S+crash\.so")


def test_a_supervisor_that_is_wrong_ends_nothing():
    with World() as world:
        effects = world.start_effects()
        hold = world.path("hold")
        hold.mkdir()
        world.coordinator("--lease-ms", "3000")
        worker = world.worker(
            LIB / "libdigest.so", f"log={effects.path} hold=measure:{hold}",
            capacity=1)
        run = world.command(
            "run", "digest", "--thread", "t", "--input",
            '{"folder": "/usr/share/common-licenses", "report": "%s"}'
            % world.path("report.md"))
        expect(effects.wait(2), "it never began")
        word = world.start(
            "word", BIN / "superstep-worker", "--connect", world.endpoint,
            "--name", "worker1", "--ended", "signal 9 (Killed)")
        expect(word.wait() == 0, word.text())
        expect(not effects.wait(3, timeout=3), f"begun twice: {effects.lines}")
        shown = world.ask("show", "workers")
        expect(shown[0]["lost"] == 0, f"{shown}")
        run.kill()
        worker.kill(signal.SIGKILL)


if __name__ == "__main__":
    main(globals())
