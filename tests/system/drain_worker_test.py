"""Workers that `superstep drain` sends away: they end by themselves, and no body
runs again because of it."""

import contextlib
import fcntl
import pathlib
import signal

import harness
from harness import World, expect

APP = pathlib.Path(__file__).parent / "app/effects.c"


class Pair:
    """A run whose second node is at work on worker1, until the gate opens; then
    there is a worker2, too."""

    def __init__(self, world):
        self.world = world
        world.coordinator()
        self.gate, self.ran = world.path("gate"), world.path("ran")
        self.gate.touch()
        self.ran.touch()
        self.app = world.compile(APP)
        self.first = self.join()

    def join(self):
        return self.world.worker(self.app, f"{self.ran}:{self.gate}")

    @contextlib.contextmanager
    def running(self):
        with open(self.gate, "r", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self.world.do("run", "effects", "--thread", "t", "--run", "r",
                          "--input", "{}", "--detach")
            while self.nodes() != ["a", "b"]:
                self.world.do("runs")
            self.join()
            yield
            fcntl.flock(file, fcntl.LOCK_UN)

    def nodes(self):
        return [line.split()[3] for line in self.ran.read_text().splitlines()]


def test_a_drained_worker_ends_what_it_runs_and_others_go_on():
    with World() as world:
        pair = Pair(world)
        with pair.running():
            answer = world.ask("drain", "worker1")
            expect(answer == {"status": "draining"}, f"{answer}")
            pair.first.wait_line("tells us to leave")
            world.do("drain", "worker1")  # once more does no harm
            expect(pair.first.is_running(), "it left its body")
        expect(pair.first.wait() == 0, pair.first.text())
        world.do("attach", "r")
        expect(pair.nodes() == ["a", "b", "c"], f"{pair.nodes()}")
        names = world.do("workers", "--names").split()
        expect(names == ["worker2"], f"{names}")


def test_a_signal_to_a_worker_stands_in_its_log():
    with World() as world:
        pair = Pair(world)
        with pair.running():
            pair.first.kill(signal.SIGTERM)
            pair.first.wait_line("stopping, by a signal: 1 task is finished")
            shown = world.do("workers").splitlines()
            expect(shown[0].endswith("DRAINS"), f"{shown}")
        expect(pair.first.wait() == 0, pair.first.text())


def test_an_idle_worker_ends_at_once():
    with World() as world:
        pair = Pair(world)
        said = world.do("drain", "worker1")
        expect("worker worker1 leaves" in said, said)
        expect(pair.first.wait() == 0, pair.first.text())


def test_a_worker_that_is_not_there_is_not_found():
    with World() as world:
        Pair(world)
        process = world.command("drain", "worker2")
        expect(process.wait() == 1, process.text())
        expect('Did you mean "worker1"?' in process.text("err"),
               process.text())


if __name__ == "__main__":
    harness.main(globals())
