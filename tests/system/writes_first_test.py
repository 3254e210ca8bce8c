"""The story of langgraph issue 8039, on a real PostgreSQL.

There the writes of a task and the checkpoint that takes them over are stored in
no order: forced the wrong way round, with a crash between them, the checkpoint
stands without its writes, and a task that had finished runs again.

Here every commit of a run is held in turn, just before it is asked for. While it
is held nothing that comes after it may be in the database. Then coordinator and
worker are killed, and the commit is lost ("before"), or made though nobody hears
of it ("after"). What stands is a beginning of the journal; no checkpoint stands
without the writes that it came from; and no task of which something stands runs
again.
"""

import json
import sys

import harness
import postgres
from harness import ROOT, World, expect
from proxy import Proxy

ROUNDS = ROOT / "tests/system/app/rounds.c"
LOG = [f"{node}{turn}" for turn in range(3)
       for node in ("a", "b", "c", "turn")]
# A play has about ten commits: the entry, and one or two for each superstep. The
# first thing that is held is often a read of the thread, with a Sync of its own.
COMMITS_MIN = 7
COMMITS_MAX = 40


class Play:
    def __init__(self, world, server, proxy, app):
        self.world = world
        self.server = server
        self.proxy = proxy
        self.app = app
        self.store = f"postgres://superstep@/postgres?host={proxy.folder}"
        self.coordinator = None
        self.worker = None
        self.added = 0  # commits that were made, and added rows

    def start(self):
        self.coordinator = self.world.coordinator("--store", self.store)
        self.worker = self.world.worker(self.app)
        while not self.world.ask("graphs"):
            pass

    def kill(self):
        self.coordinator.kill()
        self.worker.kill()

    def sql(self, text):
        return self.server.sql(f"SET search_path = superstep; {text}")

    def rows(self, thread):
        """The sequence numbers that stand."""
        text = self.sql("SELECT seq FROM journal WHERE thread = "
                        f"'{thread}' ORDER BY seq")
        return [int(line) for line in text.splitlines()]

    def play(self, how, count):
        """False: the run had fewer commits."""
        thread = f"held-{how}-{count}"
        trace = self.world.path(thread)
        self.start()
        self.proxy.hold(thread.encode(), count)
        run = self.world.command(
            "run", "rounds", "--thread", thread, "--input",
            json.dumps({"round": 0, "log": [], "trace": str(trace)}))
        while not self.proxy.is_held.wait(0.02):
            if not run.is_running():
                self.kill()
                return False
        before = self.rows(thread)
        self.kill()
        expect(self.rows(thread) == before,
               f"{thread}: rows behind a commit that was not made")
        self.proxy.release(how)
        if how == "after":
            expect(self.proxy.is_done.wait(harness.DEADLINE_S),
                   f"{thread}: the commit was not made")
            self.added += len(self.rows(thread)) > len(before)
        run.kill()
        self.look(thread, trace)
        return True

    def look(self, thread, trace):
        """What stands, and how the run ends from there."""
        stands = self.rows(thread)
        expect(stands == list(range(1, len(stands) + 1)),
               f"{thread}: gaps in {stands}")
        bodies = trace.read_text().split() if trace.exists() else []
        self.coordinator = self.world.coordinator("--store", self.store)
        written = self.written(thread) if stands else []
        shown = self.world.ask("state", thread)["values"].get("log", []) \
            if stands else []
        expect(set(shown) <= set(written),
               f"{thread}: a checkpoint has {shown}, of which only {written} "
               "was written")
        self.worker = self.world.worker(self.app)
        if stands:
            self.until_it_asks(thread)
            expect(self.world.ask("state", thread)["values"]["log"] == LOG,
                   f"{thread}: another log")
        ran = trace.read_text().split() if trace.exists() else []
        again = set(ran[len(bodies):]) & set(written)
        expect(not again, f"{thread}: {again} had written, and ran again")
        self.kill()

    def written(self, thread):
        """What tasks wrote to the log, by the rows that stand."""
        return [item for row in self.world.ask("journal", thread)
                for write in row["writes"]
                if write["channel"] == "log" for item in write["value"]]

    def until_it_asks(self, thread):
        """The run that was found goes on to its question."""
        run = self.world.ask("runs")
        name = next(each["run"] for each in run if each["thread"] == thread)
        attached = self.world.command("attach", name)
        expect(attached.wait() == 3, f"{thread}:\n{attached.text()}")


def hold_each(how):
    with World() as world, postgres.Postgres() as server, \
            Proxy(server.folder) as proxy:
        app = world.compile(ROUNDS)
        play = Play(world, server, proxy, app)
        count = 1
        while count < COMMITS_MAX and play.play(how, count):
            count += 1
        print(f"{count - 1} commits held")
        expect(COMMITS_MIN <= count - 1 < COMMITS_MAX, "an odd number of commits")
        return play


def test_a_commit_that_is_lost_leaves_nothing_behind_it():
    hold_each("before")


def test_a_commit_that_nobody_heard_of_counts():
    play = hold_each("after")
    expect(play.added >= COMMITS_MIN, f"only {play.added} added rows")


if __name__ == "__main__":
    if postgres.missing():
        print(postgres.missing())
        sys.exit(77)
    harness.main(globals())
