"""A PostgreSQL that is restarted, killed, or cut off in the middle of a commit:
runs end as if nothing had happened.

A coordinator whose database stays away ends, with a status that says so; what
watches over it starts it again. That is what the keeper does here.
"""

import signal
import sys
import threading

import harness
import postgres
from harness import ROOT, World, expect
from proxy import Proxy

ROUNDS = ROOT / "tests/system/app/rounds.c"
# The store failed, or could not be asked for so long that the lease was over.
ENDS = (4, 5)
LOG = [f"{node}{turn}" for turn in range(3)
       for node in ("a", "b", "c", "turn")] + ["yes"]


class Keeper:
    """Starts a coordinator again whenever it ends."""

    def __init__(self, world, store, stop=None):
        self.world = world
        self.store = store
        self.is_over = False
        self.ends = []
        self.process = world.coordinator("--store", store, stop=stop)
        self.thread = threading.Thread(target=self._watch)
        self.thread.start()

    def _watch(self):
        while True:
            self.process.popen.wait()
            if self.is_over:
                return
            self.ends.append(self.process.wait())
            self.process = self.world.coordinator(
                "--store", self.store, wait=False)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.is_over = True
        self.process.kill()
        self.thread.join()


def served(world):
    while not world.ask("graphs"):
        pass


def begin(world, thread):
    """A run, started; it asks at its end."""
    served(world)
    return world.command("run", "rounds", "--thread", thread, "--input",
                         '{"round": 0, "log": []}')


def finish(world, thread, run):
    status = run.wait()
    while "no worker has announced" in run.text():
        run = begin(world, thread)  # a coordinator that has only just started
        status = run.wait()
    expect(status == 3, f"the run on {thread}:\n{run.text()}")
    world.do("resume", thread, "--value", '"yes"')
    log = world.ask("state", thread)["values"]["log"]
    expect(log == LOG, f"{thread}: {log}\ninstead of {LOG}")


def test_a_database_that_restarts_amid_a_run_costs_nothing():
    with World() as world, postgres.Postgres() as server:
        app = world.compile(ROUNDS)
        for number, how in enumerate((server.stop, server.crash)):
            with Keeper(world, server.url()) as keeper:
                worker = world.worker(app, stop="worker-ended:3")
                run = begin(world, f"t{number}")
                worker.wait_line(r"^stopped at worker-ended$")
                how()
                server.start()
                worker.kill(signal.SIGCONT)
                finish(world, f"t{number}", run)
                expect(all(end in ENDS for end in keeper.ends),
                       f"the coordinator ended with {keeper.ends}")
                worker.kill()


def test_a_database_that_is_away_for_long_ends_no_coordinator():
    """Two minutes of it did: four tries, ten seconds each. Here each of the
    tries is shorter, so that what was two minutes is some seconds."""
    with World() as world, postgres.Postgres() as server:
        coordinator = world.coordinator(
            "--store", server.url(reconnect_ms=200), "--cluster-lease-ms", "500")
        worker = world.worker(world.compile(ROUNDS), stop="worker-ended:3")
        run = begin(world, "t")
        worker.wait_line(r"^stopped at worker-ended$")
        server.stop()
        worker.kill(signal.SIGCONT)
        coordinator.wait_line(r"shards let go")
        told = ""
        while "has not answered for 4 s" not in told:
            refused = world.command("runs")
            expect(refused.wait() == 1, refused.text())
            told = refused.text("err")  # at first why it cannot be reached
            expect("store" in told, told)
        expect(coordinator.is_running(), coordinator.text())
        server.start()
        finish(world, "t", run)
        expect(coordinator.is_running(), coordinator.text())


def test_a_database_that_is_killed_with_a_commit_under_way_costs_nothing():
    with World() as world, postgres.Postgres() as server:
        app = world.compile(ROUNDS)
        for number, passing in enumerate((2, 5)):
            stop = f"coordinator-submitted:{passing}"
            with Keeper(world, server.url(), stop=stop) as keeper:
                held = keeper.process
                worker = world.worker(app, wait=False)
                run = begin(world, f"t{number}")
                held.wait_line(r"^stopped at coordinator-submitted$")
                server.crash()
                server.start()
                held.kill(signal.SIGCONT)
                finish(world, f"t{number}", run)
                worker.kill()


def test_a_session_that_is_cut_in_mid_commit_costs_nothing():
    with World() as world, postgres.Postgres() as server, \
            Proxy(server.folder) as proxy:
        app = world.compile(ROUNDS)
        store = f"postgres://superstep@/postgres?host={proxy.folder}"
        with Keeper(world, store):
            world.worker(app)
            for how in ("before", "after"):
                for count in (1, 2, 3, 5, 8):
                    thread = f"{how}{count}"
                    served(world)
                    proxy.cut(how, count)
                    finish(world, thread, begin(world, thread))
            expect(proxy.cuts == 10, f"only {proxy.cuts} sessions were cut")


if __name__ == "__main__":
    if postgres.missing():
        print(postgres.missing())
        sys.exit(77)
    harness.main(globals())
