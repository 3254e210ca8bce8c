"""A run that ends its coordinator each time it goes on: it is quarantined, the
rest goes on, and a person releases it.
"""

import contextlib
import fcntl
import os
import pathlib
import signal

import harness
from harness import World, expect

APP = pathlib.Path(__file__).parent / "app/effects.c"
POISON = "on thread poison is found unfinished"


@contextlib.contextmanager
def poisoned():
    os.environ["SUPERSTEP_TEST_POISON"] = POISON
    yield
    del os.environ["SUPERSTEP_TEST_POISON"]


def status_of(world, run):
    found = [it for it in world.ask("runs") if it["run"] == run]
    return found[0]["status"] if found else None


def test_a_poisonous_run_is_parked_and_the_rest_go_on():
    with World() as world:
        coordinator = world.coordinator()
        gate, ran = world.path("gate"), world.path("ran")
        gate.touch()
        ran.touch()
        worker = world.worker(world.compile(APP), f"{ran}:{gate}")
        with open(gate, "r", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            for name in ("poison", "fine"):
                world.do("run", "effects", "--thread", name, "--run", name,
                         "--input", "{}", "--detach")
            coordinator.kill()
            with poisoned():
                for _ in range(3):
                    ended = world.coordinator(wait=False).wait()
                    expect(ended == -signal.SIGABRT, f"it ended with {ended}")
                world.coordinator()
        world.do("attach", "fine")
        expect(status_of(world, "poison") == "quarantined",
               f"poison is {status_of(world, 'poison')}")
        refused = world.command("state", "poison")
        expect(refused.wait() != 0 and "is parked" in refused.text("err"),
               refused.text())
        expect(worker.is_running(), "the worker has gone")


def park(world):
    """A run that ended three coordinators, on one that is well; who holds the
    gate keeps its body from ending."""
    coordinator = world.coordinator()
    gate, ran = world.path("gate"), world.path("ran")
    gate.touch()
    ran.touch()
    world.worker(world.compile(APP), f"{ran}:{gate}")
    with open(gate, "r", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        world.do("run", "effects", "--thread", "poison", "--run",
                 "poison-run", "--input", "{}", "--detach")
        coordinator.kill()
        with poisoned():
            for _ in range(3):
                world.coordinator(wait=False).wait()
            parked = world.coordinator()
        expect(parked.stop() == 0, "it did not stop as asked")
        world.coordinator()
        expect(status_of(world, "poison-run") == "quarantined",
               "it went on by itself")


def test_a_parked_run_goes_on_when_it_is_released():
    with World() as world:
        park(world)
        world.do("release", "poison-run")
        world.do("attach", "poison-run")
        expect(status_of(world, "poison-run") == "done", "it is not done")


def test_a_parked_run_is_cancelled_and_its_thread_is_free():
    with World() as world:
        park(world)
        world.do("cancel", "poison-run")
        expect(status_of(world, "poison-run") == "cancelled",
               f"it is {status_of(world, 'poison-run')}")
        world.do("run", "effects", "--thread", "poison", "--input", "{}")


if __name__ == "__main__":
    harness.main(globals())
