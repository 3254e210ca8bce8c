"""`superstep dev`: a coordinator and workers in the foreground."""

import os
import pathlib
import signal

from harness import ANY_PORT, BIN, LIB, World, expect, main

HELLO = LIB / "libhello.so"


def start_dev(world, *more):
    dev = world.start(
        "dev", BIN / "superstep", "dev", HELLO, "--listen", ANY_PORT,
        "--db", world.path("superstep.db"), *more)
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


if __name__ == "__main__":
    main(globals())
