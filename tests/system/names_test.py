"""A run is named by its thread and its own name: runs of one name on threads of
two coordinators, all of them killed; a coordinator that has names alone as keys
among them; and one file of SQLite. A real upgrade is played by upgrade/.
"""

import sys

import harness
import postgres
from cluster_test import APP, Cluster, NODES, shard_of
from harness import BIN, World, expect

# A member that reads no more than rows of format 4, and takes no shards.
OLD_MEMBER = (
    "INSERT INTO superstep.members (name, endpoint, epoch, lease_end, drains,"
    " row_format) VALUES ('old', 'tcp://127.0.0.1:1', 1, now() +"
    " interval '1 hour', true, 4)")


class Pair(Cluster):
    """Two coordinators that share the threads; nobody serves their graph."""

    def __init__(self, world, server):
        super().__init__(world, server, coordinators=2, workers=1, more=())
        self.until(self.is_even, "even shards")
        self.workers[0].stop()
        self.probes = 0

    def thread_of(self, place, avoid=()):
        """A thread of the coordinator at that place."""
        owners = dict(line.split("|") for line in self.server.sql(
            "SELECT shard, owner FROM superstep.shards").splitlines())
        for number in range(10000):
            thread = f"run-{number:04}"
            owner = owners[str(shard_of(thread))]
            if thread not in avoid and owner == self.endpoints[place]:
                return thread
        raise harness.Failure("that coordinator has no thread")

    def begin(self, endpoint, thread, run):
        """The command that asks for it, started."""
        return self.world.start(
            f"superstep run {run}", BIN / "superstep", "--coordinator", endpoint,
            "run", "effects", "--input", "{}", "--detach", "--thread", thread,
            "--run", run)

    def accepted(self, place, thread, run):
        process = self.begin(self.endpoints[place], thread, run)
        expect(process.wait() == 0, process.text())

    def refused(self, place, thread, run, of):
        process = self.begin(self.endpoints[place], thread, run)
        expect(process.wait() == 1, process.text())
        expect(f"run {run} is on thread {of}:" in process.text("err"),
               process.text())

    def records(self, table):
        """name|thread|t, or f where the name alone is the key."""
        return sorted(self.server.sql(
            "SELECT rtrim(left(key, 36)), index_key, length(key) > 36"
            f" FROM superstep.{table}").splitlines())

    def wait_keyed(self, keyed):
        """Until both coordinators make such keys."""
        for place in range(2):
            self.until(lambda at=place: self.probe(at) == keyed,
                       "what the members read")

    def probe(self, place):
        self.probes += 1
        run = f"probe{self.probes}"
        self.accepted(place, self.thread_of(place, self.used()), run)
        return any(line.startswith(f"{run}|") and line.endswith("|t")
                   for line in self.all_records())

    def all_records(self):
        """Of runs that have not ended, and of those that have."""
        return self.records("open_runs") + self.records("runs")

    def used(self):
        return {line.split("|")[1] for line in self.all_records()}

    def work(self, endpoint):
        self.world.endpoint = endpoint
        self.world.worker(self.world.path(APP.stem + ".so"),
                          f"{self.file}:{self.gate}", capacity=64)

    def ended(self, thread, run):
        """How it ended, from whoever has it."""
        self.world.endpoint = ",".join(self.endpoints)
        ended = self.world.ask("attach", run, "--thread", thread)
        expect(ended["status"] == "done" and ended["thread"] == thread
               and ended["output"] == {"log": NODES}, f"{ended}")


def test_runs_of_one_name_on_two_coordinators_both_end():
    with World() as world, postgres.Postgres() as server:
        pair = Pair(world, server)
        threads = [pair.thread_of(0), pair.thread_of(1)]
        for place, thread in enumerate(threads):
            pair.accepted(place, thread, "same")
        both = sorted(f"same|{thread}|t" for thread in threads)
        expect(pair.records("open_runs") == both, f"{pair.records('open_runs')}")
        for process in pair.coordinators:
            process.kill()
        pair.endpoints = [pair.coordinator().endpoint]
        pair.work(pair.endpoints[0])
        for thread in threads:
            pair.ended(thread, "same")
        said = world.command("attach", "same")
        expect(said.wait() == 1 and "several threads have a run same: say which"
               f" thread ({', '.join(sorted(threads))})" in said.text("err"),
               said.text())
        pair.until(lambda: pair.records("open_runs") == [], "both ends")
        expect(pair.records("runs") == both, f"{pair.records('runs')}")
        ran = sorted((thread, node) for _, _, thread, node, _ in pair.ran())
        expect(ran == sorted((thread, node) for thread in threads
                             for node in NODES), f"{ran}")


def test_a_name_is_one_threads_while_an_older_coordinator_is_a_member():
    with World() as world, postgres.Postgres() as server:
        pair = Pair(world, server)
        server.sql(OLD_MEMBER)
        pair.wait_keyed(False)
        first = pair.thread_of(0, pair.used())
        pair.accepted(0, first, "same")
        second = pair.thread_of(1, pair.used())
        pair.refused(1, second, "same", first)
        pair.accepted(0, first, "same")  # it is that run
        winners = [race(pair, f"race{number}") for number in range(12)]
        expect(f"same|{first}|f" in pair.records("open_runs"),
               f"{pair.records('open_runs')}")
        server.sql("DELETE FROM superstep.members WHERE name = 'old'")
        pair.wait_keyed(True)
        second = pair.thread_of(1, pair.used())
        pair.accepted(1, second, "same")
        pair.work(",".join(pair.endpoints))
        for thread, run in [(first, "same"), (second, "same"), *winners]:
            pair.ended(thread, run)
        pair.until(lambda: pair.records("open_runs") == [], "all ends")
        # Each that began under its name alone ended under both.
        expect(all(line.endswith("|t") for line in pair.records("runs")),
               f"{pair.records('runs')}")


def race(pair, run):
    """Both coordinators are asked at once for a run of that name: one is told
    that the other one's thread has it. (thread, run) of who has."""
    used = pair.used()
    threads = [pair.thread_of(place, used) for place in range(2)]
    asked = [pair.begin(pair.endpoints[place], thread, run)
             for place, thread in enumerate(threads)]
    ends = [process.wait() for process in asked]
    said = "\n".join(process.text() for process in asked)
    expect(sorted(ends) == [0, 1], f"{run}: {ends}\n{said}")
    winner = threads[ends.index(0)]
    expect(f"run {run} is on thread {winner}:" in said, said)
    return winner, run


def test_one_coordinator_and_a_file_keep_runs_of_one_name():
    with World() as world:
        world.coordinator()
        gate, file = world.path("gate"), world.path("ran")
        gate.touch()
        world.worker(world.compile(APP), f"{file}:{gate}")
        for thread in ("t", "u"):
            done = world.ask("run", "effects", "--input", "{}", "--run", "1",
                             "--thread", thread)
            expect(done["status"] == "done", f"{done}")
        runs = [(it["run"], it["thread"], it["status"])
                for it in world.ask("runs")]
        expect(runs == [("1", "u", "done"), ("1", "t", "done")], f"{runs}")
        for command in ("attach", "explain"):
            told = world.ask(command, "1", "--thread", "t")
            expect(told["thread"] == "t", f"{told}")
            said = world.command(command, "1")
            expect(said.wait() == 1 and "several threads have a run 1: say which"
                   " thread (t, u)" in said.text("err"), said.text())
        page = world.ask("runs", "--after", "", "--limit", "1")
        rest = world.ask("runs", "--after", page[0]["key"])
        expect([it["thread"] for it in page + rest] == ["t", "u"], f"{rest}")
        world.do("delete", "t")
        expect(world.ask("attach", "1")["thread"] == "u", "the one that is left")


if __name__ == "__main__":
    reason = postgres.missing()
    if reason:
        print(f"SKIPPED: {reason}")
        sys.exit(77)
    harness.main(globals())
