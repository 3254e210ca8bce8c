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
from harness import ROOT, World, expect, get, port_of
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


def test_a_coordinator_that_starts_waits_for_a_database_that_is_away():
    """As one that runs does: it is live, is not ready, and says for what."""
    with World() as world, postgres.Postgres() as server:
        server.stop()
        coordinator = world.coordinator(
            "--store", server.url(), "--metrics", "127.0.0.1:0", wait=False)
        port = port_of(coordinator)
        coordinator.wait_line(
            "the store has not answered for .*cannot connect to .*"
            "Is the server running")
        expect(get(port, "live")[0] == 200, "it is not live")
        status, text = get(port, "ready")
        expect(status == 503 and "cannot connect" in text, f"{status} {text}")
        server.start()
        world.endpoint = coordinator.wait_line(r"listening on ([^\s,]+)")[1]
        world.worker(world.compile(ROUNDS))
        finish(world, "t", begin(world, "t"))


def test_a_start_waits_while_a_database_has_no_connection_left():
    with World() as world, postgres.Postgres() as server:
        server.sql("CREATE ROLE joe LOGIN CONNECTION LIMIT 0")
        server.sql("GRANT CREATE ON DATABASE postgres TO joe")
        coordinator = world.coordinator(
            "--store", f"postgres://joe@/postgres?host={server.folder}",
            wait=False)
        coordinator.wait_line("the store has not answered for [1-9].*"
                              "too many connections for role")
        server.sql("ALTER ROLE joe CONNECTION LIMIT -1")
        world.endpoint = coordinator.wait_line(r"listening on ([^\s,]+)")[1]
        expect("answered for 0 s" not in coordinator.text(),
               coordinator.text())
        world.worker(world.compile(ROUNDS))
        finish(world, "t", begin(world, "t"))


def test_a_start_ends_where_the_database_stays_away():
    with World() as world, postgres.Postgres() as server:
        server.stop()
        coordinator = world.coordinator(
            "--store", server.url(reconnect_ms=50), wait=False)
        expect(coordinator.wait() == 1, coordinator.text())
        expect("cannot connect" in coordinator.text(), coordinator.text())


def test_a_start_does_not_wait_for_what_waiting_does_not_mend():
    """No such database, or a wrong password, is told at once."""
    with World() as world, postgres.Postgres() as server:
        none = world.coordinator(
            "--store", server.url(database="nosuch"), wait=False)
        expect(none.wait() == 1, none.text())
        expect('database "nosuch" does not exist' in none.text(), none.text())
        server.sql("CREATE ROLE joe LOGIN PASSWORD 'right'")
        (server.data / "pg_hba.conf").write_text(
            "local all joe scram-sha-256\nlocal all all trust\n")
        server.sql("SELECT pg_reload_conf()")
        for who, told in (("joe:wrong", "password authentication failed"),
                          ("joe", "it wants a password")):
            refused = world.coordinator(
                "--store", f"postgres://{who}@/postgres?host={server.folder}",
                wait=False)
            expect(refused.wait() == 1, refused.text())
            expect(told in refused.text(), refused.text())
            expect("has not answered" not in refused.text(), refused.text())


def test_two_coordinators_that_start_together_both_run():
    """The disk is slow: whoever comes second has long waited for the first."""
    with World() as world, postgres.Postgres() as server:
        world.coordinator("--store", server.url(), "--name", "a").stop()
        server.sql("""CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql
                      AS $$ BEGIN PERFORM pg_sleep(1.5); RETURN NEW; END $$;
                      CREATE TRIGGER slow BEFORE UPDATE ON superstep.format
                      FOR EACH ROW EXECUTE FUNCTION wait();""")
        world.endpoint = None
        both = [world.coordinator("--store", server.url(), "--name", name,
                                  "--cluster-lease-ms", "60000", wait=False)
                for name in ("a", "b")]
        for one in both:
            one.wait_line("listening on")


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
