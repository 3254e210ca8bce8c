"""A coordinator that is asked to stop: it waits for what runs, and no body runs
again because of it."""

import contextlib
import fcntl
import pathlib
import signal

import harness
from harness import World, expect

APP = pathlib.Path(__file__).parent / "app/effects.c"


class Held:
    """A run whose second node is at work, until the gate opens."""

    def __init__(self, world, *more):
        self.world = world
        self.coordinator = world.coordinator(*more)
        self.gate, self.ran = world.path("gate"), world.path("ran")
        self.gate.touch()
        self.ran.touch()
        self.worker = world.worker(
            world.compile(APP), f"{self.ran}:{self.gate}")

    @contextlib.contextmanager
    def running(self):
        with open(self.gate, "r", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self.world.do("run", "effects", "--thread", "t", "--run", "r",
                          "--input", "{}", "--detach")
            while self.nodes() != ["a", "b"]:
                self.world.do("runs")
            yield
            fcntl.flock(file, fcntl.LOCK_UN)

    def nodes(self):
        return [line.split()[3] for line in self.ran.read_text().splitlines()]


def test_a_stop_waits_for_what_runs():
    with World() as world:
        held = Held(world, "--drain-ms", "600000")
        with held.running():
            held.coordinator.kill(signal.SIGTERM)
            held.coordinator.wait_line("stopping")
            expect(held.coordinator.is_running(), "it did not wait")
        expect(held.coordinator.wait() == 0, held.coordinator.text())
        expect(held.nodes() == ["a", "b"], "it sent more")
        world.coordinator()
        world.do("attach", "r")
        expect(held.nodes() == ["a", "b", "c"], f"{held.nodes()}")


def test_a_second_signal_cuts_it_short():
    with World() as world:
        held = Held(world, "--drain-ms", "600000")
        with held.running():
            held.coordinator.kill(signal.SIGTERM)
            held.coordinator.wait_line("stopping")
            held.coordinator.kill(signal.SIGTERM)
            expect(held.coordinator.wait() == 0, held.coordinator.text())
            world.coordinator()
        world.do("attach", "r")
        values = world.ask("state", "t")["values"]
        expect(values == {"log": ["a", "b", "c"]}, f"{values}")


def test_a_stop_does_not_wait_for_ever():
    with World() as world:
        held = Held(world, "--drain-ms", "200")
        with held.running():
            expect(held.coordinator.stop() == 0, held.coordinator.text())
            expect("tasks under way" in held.coordinator.text("err"),
                   held.coordinator.text())


if __name__ == "__main__":
    harness.main(globals())
