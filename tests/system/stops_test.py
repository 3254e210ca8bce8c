"""A kill -9 of each process at each of the places where the shells may be
stopped (common/app/stops.def): the run ends as if nothing had happened.

A run and an answer to its question are played with one process that stops at a
place, is killed there, and is started again; the command is given again, with
the same name for its run. `SS_PLACES=worker-sent:2` plays just that.
"""

import os
import re
import threading

from harness import ROOT, Failure, World, expect, is_sanitized, main

STOPS = ROOT / "common/app/stops.def"
# The first passing is often that of a greeting; a later one is amid the run.
PASSINGS = [1] if is_sanitized() else [1, 4]
# What a process, or one command, passes only once.
ONCE = re.compile("coordinator-started|worker-loaded|client-.*")


def places():
    """Every place of the table, at each passing."""
    chosen = os.environ.get("SS_PLACES")
    if chosen:
        return [tuple(place.split(":")) for place in chosen.split(",")]
    names = re.findall(r'^X\(\w+, "([a-z-]+)"', STOPS.read_text(), re.M)
    expect(len(names) >= 15, f"{STOPS} has only {names}")
    return [(name, passing) for name in names for passing in PASSINGS
            if passing == 1 or not ONCE.fullmatch(name)]


class Victim:
    """A process that stops at a place; it is killed there and another one, that
    does not stop, takes its place."""

    def __init__(self, place, process, again):
        self.place = place
        self.process = process
        self.again = again
        self.was_reached = False
        self.failure = None
        self.thread = threading.Thread(target=self._watch)
        self.thread.start()

    def _watch(self):
        try:
            self.process.wait_line(rf"^stopped at {self.place}$")
        except Failure:
            return  # it ended before it came there
        self.was_reached = True
        self.process.kill()
        try:
            self.process = self.again()
        except Failure as failure:
            self.failure = failure

    def join(self):
        self.thread.join()
        if self.failure:
            raise self.failure


class Play:
    def __init__(self, world, app, place, passing):
        self.world = world
        self.app = app
        self.role = place.split("-")[0]
        self.stop = f"{place}:{passing}"
        self.place = place
        self.victims = []

    def stop_of(self, role):
        return self.stop if role == self.role else None

    def watch(self, role, process, again):
        if role == self.role:
            self.victims.append(Victim(self.place, process, again))

    def start(self):
        world = self.world
        first = world.coordinator()  # its endpoint stays when it is gone
        first.kill()
        coordinator = world.coordinator(
            wait=False, stop=self.stop_of("coordinator"))
        self.watch("coordinator", coordinator, world.coordinator)
        worker = world.worker(self.app, wait=False, capacity=2,
                              stop=self.stop_of("worker"))
        self.watch("worker", worker,
                   lambda: world.worker(self.app, capacity=2))

    def command(self, expected, *words):
        """A command that may be killed, and is given again then."""
        process = self.world.command(*words, stop=self.stop_of("client"))
        if self.role == "client":
            victim = Victim(self.place, process,
                            lambda: self.world.command(*words))
            victim.join()
            self.victims.append(victim)
            process = victim.process
        status = process.wait()
        # Killed before anybody ran the graph: the next one knows of it only
        # when the worker has come again.
        while "no worker has announced" in process.text():
            self.until_served()
            process = self.world.command(*words)
            status = process.wait()
        expect(status == expected,
               f"superstep {' '.join(words)}: {status}\n{process.text()}")

    def until_served(self):
        """A run of a graph that nobody announced yet is refused."""
        while not self.world.ask("graphs"):
            pass

    def play(self):
        world = self.world
        self.start()
        self.until_served()
        self.command(3, "run", "rounds", "--thread", "t", "--run",
                     "11111111-1111-4111-8111-111111111111", "--input",
                     '{"round": 0, "log": []}')
        self.command(0, "resume", "t", "--run",
                     "22222222-2222-4222-8222-222222222222", "--value",
                     '"yes"')
        values = world.ask("state", "t")["values"]
        runs = [run["status"] for run in world.ask("runs")]
        for process in world.processes:
            if "superstep" not in process.name:
                process.kill()  # so that nobody waits for a place any more
        for victim in self.victims:
            victim.join()
        return values, sorted(runs)

    def was_reached(self):
        return any(victim.was_reached for victim in self.victims)


def play(app, place, passing):
    with World() as world:
        one = Play(world, app, place, passing)
        result = one.play()
        return result, one.was_reached()


def test_a_run_ends_as_undisturbed_wherever_a_process_is_killed():
    with World() as workshop:
        app = workshop.compile(ROOT / "tests/system/app/rounds.c")
        expected, _ = play(app, "nobody", 1)
        log = expected[0]["log"]
        expect(len(log) == 13 and log[-1] == "yes", f"an odd log: {log}")
        for place, passing in places():
            result, was_reached = play(app, place, passing)
            expect(was_reached, f"nobody came to {place}:{passing}")
            expect(result == expected,
                   f"killed at {place}:{passing}: {result}\n"
                   f"instead of {expected}")
            print(f"killed at {place}:{passing}", flush=True)


if __name__ == "__main__":
    main(globals())
