"""`superstep dev`: a coordinator and workers in the foreground."""

import os
import pathlib
import signal

from harness import ANY_PORT, BIN, LIB, World, expect, is_sanitized, main

HELLO = LIB / "libhello.so"


def start_dev(world, *more, app=HELLO, environment=None):
    dev = world.start(
        "dev", BIN / "superstep", "dev", app, "--listen", ANY_PORT,
        "--db", world.path("superstep.db"), *more, environment=environment)
    world.endpoint = dev.wait_line(r"coordinator (tcp://[^\s,]+)")[1]
    dev.wait_line("graph hello")
    return dev


def children(pid):
    """Process ids and command lines."""
    found = {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = stat.read_text().rsplit(")", 1)[1].split()[1]
            command = (stat.parent / "cmdline").read_bytes()
        except OSError:
            continue
        if int(parent) == pid:
            found[int(stat.parent.name)] = command.decode()
    return found


def expect_runs(world):
    answer = world.ask("run", "hello", "--input", '{"name": "Ada"}')
    expect(answer["output"]["log"] == ["hello Ada", "HELLO"], str(answer))


def test_dev_serves_the_application_and_ends_all_it_started():
    with World() as world:
        dev = start_dev(world, "--workers", "2")
        expect_runs(world)
        started = children(dev.pid)
        expect(len(started) == 3, f"it started {started}")
        expect(dev.stop() == 0, "it does not end well")
        left = [pid for pid in started if os.path.exists(f"/proc/{pid}")]
        expect(left == [], f"it left {left} of {started}")


def test_dev_starts_its_processes_itself_whatever_the_environment_says():
    with World() as world:
        dev = start_dev(world, "--workers", "1", environment={
            **os.environ, "SUPERSTEP_PROCESSES": "3"})
        expect_runs(world)
        expect(len(children(dev.pid)) == 2, f"{children(dev.pid)}")
        expect(dev.stop() == 0, "it does not end well")


def test_dev_ends_and_says_so_when_its_database_is_removed_under_it():
    """Once more it would accept runs that nobody keeps."""
    with World() as world:
        dev = start_dev(world)
        expect_runs(world)
        world.path("superstep.db").unlink()
        lost = world.command("run", "hello", "--input", '{"name": "Ada"}')
        dev.wait_line(r"superstep\.db was removed or replaced while it was in "
                      "use.* Stop what uses it")
        expect(dev.wait() == 1, dev.text())
        lost.kill()
        expect("hello Ada" not in lost.text("out"), lost.text())


def test_dev_starts_a_killed_worker_again():
    with World() as world:
        dev = start_dev(world, "--workers", "1")
        killed = next(pid for pid, command in children(dev.pid).items()
                      if "superstep-worker" in command)
        said = dev.count()
        os.kill(killed, signal.SIGKILL)
        dev.wait_line("worker", after=said)
        expect_runs(world)
        expect(killed not in children(dev.pid), "it is still there")
        expect(dev.stop() == 0, "it does not end well")


def test_dev_says_what_is_wrong_with_an_application():
    with World() as world:
        dev = world.start(
            "dev", BIN / "superstep", "dev", world.path("nowhere.so"),
            "--listen", ANY_PORT, "--db", world.path("superstep.db"))
        expect(dev.wait() in (1, 2), dev.text())
        expect("nowhere.so" in dev.text("err"), dev.text())


def test_dev_says_once_what_is_wrong_with_an_application():
    with World() as world:
        source = world.path("wrong.c")
        source.write_text((APP % "any").replace(
            'SS_START, "speak"', 'SS_START, "speek"'), encoding="utf-8")
        dev = world.start(
            "dev", BIN / "superstep", "dev", world.compile(source), "--listen",
            ANY_PORT, "--db", world.path("superstep.db"), "--workers", "4")
        expect(dev.wait() == 1, dev.text())
        expect(dev.text("err").count("no node \"speek\"") == 1, dev.text())
        # The one that could not be used is no worker's, and gone.
        expect("written over" not in dev.text(), dev.text())


# What its node says; an empty text: it fails.
APP = """
#include <superstep/superstep.h>
#include <unistd.h>
static int speak(struct ss_task *task)
{
    const char *name = ss_input_str(task, "name");
    while (name && access(name, F_OK) == 0) // it is held
        usleep(1000);
    return name ? ss_set_str(task, "log", "%s")
                : ss_fail_final(task, "no_name", "nobody is called so");
}
static void hello(struct ss_graph_def *graph)
{
    ss_key(graph, "name", SS_STR);
    ss_key(graph, "log", SS_LIST, .reducer = SS_APPEND);
    ss_node(graph, "speak", speak);
    ss_edge(graph, SS_START, "speak");
}
SS_APP(SS_GRAPH("hello", hello))
"""


def build(world, word, leads_to="speak"):
    """As a linker does it: a new file under the old name."""
    source = world.path(f"{word}.c")
    source.write_text((APP % word).replace(
        'SS_START, "speak"', f'SS_START, "{leads_to}"'), encoding="utf-8")
    os.replace(world.compile(source), world.path("app.so"))
    return world.path("app.so")


def expect_says(world, word):
    answer = world.ask("run", "hello", "--input", '{"name": "Ada"}')
    expect(answer["output"]["log"] == [word], str(answer))


def test_dev_sees_an_application_that_was_built_anew():
    with World() as world:
        dev = start_dev(world, app=build(world, "old"))
        expect_says(world, "old")
        hold = world.path("hold")
        hold.touch()
        run = world.command("run", "hello", "--input", f'{{"name": "{hold}"}}')
        while not world.ask("show", "tasks"):
            pass
        build(world, "new")
        dev.wait_line("app.so was built anew")
        for _ in range(10): # it asks five times a second
            expect(run.is_running(), run.text())
            world.do("show", "workers")
        expect("start again with" not in dev.text(), "amid a run")
        hold.unlink()
        expect(run.wait() == 0 and "old" in run.text("out"), run.text())
        dev.wait_line("the workers start again with ")
        dev.wait_line("worker w1-2 is ready")
        dev.wait_line("worker w2-2 is ready")
        expect_says(world, "new")
        dev.kill(signal.SIGINT)
        expect(dev.wait() == 0, dev.text())
        expect("starting another" not in dev.text(), dev.text())


def test_dev_says_that_writing_over_an_application_may_crash_it():
    with World() as world:
        app = build(world, "old")
        dev = start_dev(world, app=app)
        build(world, "new")
        dev.wait_line("the workers start again with ")
        expect("written over" not in dev.text(), dev.text())
        with open(app, "r+b") as file:  # as cp does it; what it held, it holds
            file.write(app.read_bytes())
        dev.wait_line("app.so was written over, and .* may crash it")
        dev.stop()


def put_anew(path, data):
    """A new file in the place of one, with its inode where the disk gives that
    away again."""
    inode = path.stat().st_ino
    path.unlink()
    for i in range(64):
        file = path.with_name(f"{path.name}.{i}")
        file.write_bytes(data)
        if file.stat().st_ino == inode:
            break
    file.replace(path)


def test_dev_waits_for_the_next_build_where_one_cannot_be_used():
    with World() as world:
        good = build(world, "good").read_bytes()
        app = build(world, "old")
        dev = start_dev(world, app=app)
        build(world, "bad", leads_to="speek")
        dev.wait_line("worker w1-2 exited with status 2: no worker runs until "
                      ".*app.so is built anew")
        put_anew(app, good)
        dev.wait_line("worker w2-[23] is ready")
        expect_says(world, "good")
        expect(dev.text("err").count("no node \"speek\"") == 1, dev.text())
        # The one that could not be used is no worker's, and gone.
        expect("written over" not in dev.text(), dev.text())
        expect(dev.stop() == 0, dev.text())


def test_dev_shows_each_run_that_fails_with_its_message():
    with World() as world:
        dev = start_dev(world, app=build(world, "any"))
        for thread in ("first", "second"):
            world.do("run", "hello", "--thread", thread, "--input", "{}",
                     status=1)
            dev.wait_line(f'on thread {thread} failed: node "[a-z]+": '
                          "nobody is called so")
        dev.stop()


def test_dev_says_that_an_application_crashes_while_it_defines_its_graphs():
    with World() as world:
        source = world.path("defines.c")
        source.write_text((APP % "said").replace(
            "    ss_key(", "    __builtin_trap();\n    ss_key(", 1),
            encoding="utf-8")
        dev = world.start(
            "dev", BIN / "superstep", "dev", world.compile(source),
            "--listen", ANY_PORT, "--store", "memory:")
        expect(dev.wait() == 1, dev.text())
        told = dev.text("err")
        expect("before it was ready" in told and "graphs are defined" in told
               and "to see where: gdb" in told, told)


def test_a_reducer_that_crashes_is_named_as_what_it_is():
    with World() as world:
        source = world.path("reduces.c")
        source.write_text((APP % "said").replace(
            "static void hello", """
static json_t *crash(json_t *v, json_t *const *w, size_t n, void *ctx)
{
    (void)w, (void)n, (void)ctx;
    *(volatile int *)0 = 1;
    return v;
}
static void hello""").replace(".reducer = SS_APPEND", ".reduce = crash"),
            encoding="utf-8")
        start_dev(world, app=world.compile(source))
        told = world.command("run", "hello", "--input", '{"name": "Ada"}')
        expect(told.wait() == 1 and 'the reducer of key "log" (' in
               told.text("err") and "crashed its worker: signal 11" in
               told.text("err"), told.text())


def test_dev_shows_at_once_what_a_body_prints():
    with World() as world:
        source = world.path("prints.c")
        source.write_text((APP % "said").replace(
            "#include <unistd.h>", "#include <stdio.h>\n#include <unistd.h>")
            .replace("    while (name", '    printf("I am %d\\n", 17);\n'
                     "    while (name"), encoding="utf-8")
        dev = start_dev(world, app=world.compile(source))
        expect_says(world, "said")
        # It has not ended, and the pipe is far from full.
        dev.wait_line("I am 17")
        dev.stop()


def test_a_database_that_may_not_grow_is_told_as_a_full_disk_is():
    if is_sanitized():
        return  # the sanitizer of threads itself asks for larger files
    with World() as world:
        dev = world.start(
            "dev", "sh", "-c", 'ulimit -f 8; exec "$0" "$@"', BIN / "superstep",
            "dev", HELLO, "--listen", ANY_PORT, "--db",
            world.path("superstep.db"))
        expect(dev.wait() == 1 and "superstep.db" in dev.text("err") and
               "coordinator" in dev.text("err"), dev.text())


if __name__ == "__main__":
    main(globals())
