"""Processes that were held for longer than their lease, and go on then.

A process that is stopped (SIGSTOP: a paused virtual machine, a full swap) does
not know that time passed. What it had in hand is refused, once somebody else
has it; what nobody else has is not lost to anybody's impatience.
"""

import json
import pathlib
import signal
import sys
import time

from harness import DEADLINE_S, ROOT, World, expect, main

sys.path.append(str(pathlib.Path(__file__).parent / "torment"))

from wire import Wire  # noqa: E402

ROUNDS = ROOT / "tests/system/app/rounds.c"
RUN = ("run", "rounds", "--thread", "t", "--input",
       '{"round": 0, "log": []}')


def traced(path):
    """The same run, whose bodies each say in a file that they begin."""
    return (*RUN[:-1], json.dumps({"round": 0, "log": [], "trace": str(path)}))


def expect_each_once(trace):
    """No body of the run began twice."""
    begun = trace.read_text().split()
    again = sorted({name for name in begun if begun.count(name) > 1})
    expect(not again, f"bodies that began again: {again}; all: {begun}")


def log_of(world):
    return world.ask("state", "t")["values"]["log"]


def undisturbed(world, app):
    world.worker(app, capacity=2)
    world.do("run", "rounds", "--thread", "u", "--input",
             '{"round": 0, "log": []}', status=3)
    return world.ask("state", "u")["values"]["log"]


def test_a_workers_result_is_refused_when_its_lease_has_ended():
    with World() as world:
        app = world.compile(ROUNDS)
        coordinator = world.coordinator("--verbose")
        zombie = world.worker(app, capacity=4, stop="worker-ended:2")
        run = world.command(*RUN)
        zombie.wait_line(r"^stopped at worker-ended$")
        coordinator.wait_line(r"worker worker1 is gone: its lease ended")
        expected = undisturbed(world, app)
        expect(run.wait() == 3, f"the run:\n{run.text()}")
        before = log_of(world)
        expect(before == expected, f"{before}\ninstead of {expected}")
        said = zombie.count()
        zombie.kill(signal.SIGCONT)
        # It is told that nobody waits for what it has, and may work again.
        coordinator.wait_line(r"a late result of a lost attempt is ignored"
                              r"|an attempt that .* is no more")
        zombie.wait_line("taken in", after=said)
        expect(log_of(world) == expected, "the late result was applied")
        world.do("resume", "t", "--value", '"yes"')
        expect(log_of(world) == expected + ["yes"], "the answer is lost")


def sleep_through_a_run(place, capacity):
    """A worker sleeps from `place` on while another one does all of the run.
    Awake, it begins nothing of it."""
    with World() as world:
        app = world.compile(ROUNDS)
        coordinator = world.coordinator("--verbose")
        zombie = world.worker(app, capacity=capacity, stop=place)
        trace = world.path("trace")
        run = world.command(*traced(trace))
        zombie.wait_line(r"^stopped at " + place.split(":")[0])
        coordinator.wait_line(r"worker worker1 is gone: its lease ended")
        expected = undisturbed(world, app)
        expect(run.wait() == 3, f"the run:\n{run.text()}")
        said = zombie.count()
        zombie.kill(signal.SIGCONT)
        zombie.wait_line("taken in", after=said)
        # What it would begin it begins before it is idle, and says so then.
        world.do("workers", "--json")
        world.do("resume", "t", "--value", '"yes"')
        expect(log_of(world) == expected + ["yes"], f"{log_of(world)}")
        zombie.stop()
        expect_each_once(trace)


def test_orders_that_were_not_begun_are_not_begun_too_late():
    sleep_through_a_run("worker-ordered:2", 4)


def test_orders_on_their_way_to_a_thread_are_not_begun_too_late():
    # One thread: no other body begins beside the look that is slept through.
    sleep_through_a_run("worker-begins:1", 1)


def test_messages_that_come_again_begin_nothing_again():
    with World() as world:
        app = world.compile(ROUNDS)
        world.coordinator("--verbose")
        direct = world.endpoint
        wire = Wire(int(direct.rpartition(":")[2]), 1, {"double": 1})
        world.endpoint = wire.endpoint
        world.worker(app, capacity=4)
        world.endpoint = direct
        trace = world.path("trace")
        world.do(*traced(trace), status=3)
        wire.is_calm = True
        end = time.monotonic() + DEADLINE_S
        while not wire.is_quiet():
            expect(time.monotonic() < end, "copies are still on their way")
            world.do("workers")
        world.do("resume", "t", "--value", '"yes"')
        wire.close()
        expect(wire.counts["double"] > 10, f"{wire.counts}")
        expect_each_once(trace)


def test_a_coordinators_pause_costs_no_worker_its_lease():
    with World() as world:
        app = world.compile(ROUNDS)
        # A long lease: what is looked at is the pause, not a busy machine.
        coordinator = world.coordinator(
            "--verbose", "--lease-ms", "4000", "--heartbeat-ms", "400",
            stop="coordinator-durable:4")
        workers = [world.worker(app, capacity=2) for _ in range(2)]
        run = world.command(*RUN)
        coordinator.wait_line(r"^stopped at coordinator-durable$")
        for worker in workers:
            worker.wait_line(r"nothing heard from the coordinator")
        coordinator.kill(signal.SIGCONT)
        expect(run.wait() == 3, f"the run:\n{run.text()}")
        said = coordinator.text()
        expect("its lease ended" not in said, f"a worker was lost:\n{said}")
        log = log_of(world)
        expect(len(log) == 12 and len(set(log)) == 12, f"an odd log: {log}")


if __name__ == "__main__":
    main(globals())
