"""Three coordinators on one PostgreSQL: one is killed, one sleeps past its
lease, one is asked to stop; all runs finish, and nothing is written twice.

SS_RUNS sets how many runs are in flight when one is killed (60).
"""

import collections
import contextlib
import fcntl
import json
import os
import pathlib
import signal
import sys
import time

import harness
import postgres
from harness import BIN, World, expect

APP = pathlib.Path(__file__).parent / "app/effects.c"
RUNS = int(os.environ.get("SS_RUNS", "60"))
# Who does not come to renew it within that time is taken over from.
LEASE_MS = int(os.environ.get(
    "SS_LEASE_MS", "15000" if harness.is_sanitized() else "5000"))
NODES = ["a", "b", "c"]
# What a loaded machine may take beyond the lease; the promise is 0.5 s.
TAKEOVER_S_MAX = 60


def shard_of(thread):
    """XXH3 of a name of 4 to 8 bytes, modulo 1024 (common/model/cluster.h)."""
    mask = (1 << 64) - 1
    name = thread.encode()
    expect(4 <= len(name) <= 8, "this knows names of 4 to 8 bytes only")
    key = int.from_bytes(bytes.fromhex("7c01812cf721ad1c"), "little")
    key ^= int.from_bytes(bytes.fromhex("ded46de9839097db"), "little")
    key ^= int.from_bytes(name[-4:] + name[:4], "little")
    key ^= ((key << 49 | key >> 15) ^ (key << 24 | key >> 40)) & mask
    key = key * 0x9FB21C651E98DF25 & mask
    key ^= (key >> 35) + len(name)
    key = key * 0x9FB21C651E98DF25 & mask
    return (key ^ key >> 28) % 1024


class Cluster:
    """Coordinators, workers that serve them all, and what the bodies told."""

    def __init__(self, world, server, coordinators=3, workers=2,
                 more=("--store-connections", "2")):
        self.world = world
        self.server = server
        self.more = more  # what each coordinator is told besides
        self.file = world.path("ran")
        self.file.touch()
        self.gate = world.path("gate")
        self.gate.touch()
        self.coordinators = [self.coordinator() for _ in range(coordinators)]
        self.endpoints = [it.endpoint for it in self.coordinators]
        world.endpoint = ",".join(self.endpoints)
        app = world.compile(APP)
        self.workers = [
            world.worker(app, f"{self.file}:{self.gate}", capacity=RUNS)
            for _ in range(workers)]
        for endpoint in self.endpoints:
            self.until(lambda at=endpoint: len(self.at(
                at, "workers")) == workers, "workers everywhere")

    def coordinator(self, *more):
        self.world.endpoint = None
        process = self.world.coordinator(
            "--store", self.server.url(), "--cluster-lease-ms", LEASE_MS,
            "--drain-ms", "60000", *self.more, *more)
        process.endpoint = self.world.endpoint
        return process

    def at(self, endpoint, *words):
        """What the coordinator there answers."""
        process = self.world.start(
            f"superstep {words[0]}", BIN / "superstep", "--coordinator",
            endpoint, *words, "--json")
        expect(process.wait() == 0, f"{words}:\n{process.text()}")
        return json.loads(process.text("out"))

    def until(self, condition, what):
        end = time.monotonic() + harness.DEADLINE_S
        while not condition():
            expect(time.monotonic() < end, f"waited too long for {what}")

    def shards(self):
        """owner -> how many, as the database has it."""
        rows = self.server.sql("SELECT owner, count(*) FROM superstep.shards"
                               " GROUP BY owner").splitlines()
        return {owner: int(count)
                for owner, count in (row.split("|") for row in rows)}

    def is_even(self):
        counts = self.shards()
        fair = 1024 // len(self.endpoints)
        return (set(counts) == set(self.endpoints)
                and min(counts.values()) >= fair)

    @contextlib.contextmanager
    def gate_shut(self):
        with open(self.gate, "r", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield
            fcntl.flock(file, fcntl.LOCK_UN)

    def ask_runs(self, count):
        """Runs on new threads, each asked of its owner: owner -> threads."""
        owners = dict(line.split("|") for line in self.server.sql(
            "SELECT shard, owner FROM superstep.shards").splitlines())
        threads = collections.defaultdict(list)
        for place in range(count):
            thread = f"run-{place:04}"
            owner = owners[str(shard_of(thread))]
            self.until(lambda at=owner, it=thread: self.asks(at, it),
                       "an owner that knows it")
            threads[owner].append(thread)
        return threads

    def asks(self, endpoint, thread):
        """False: what was handed over was not noticed yet."""
        process = self.world.start(
            "superstep run", BIN / "superstep", "--coordinator", endpoint,
            "run", "effects", "--input", "{}", "--detach", "--thread", thread)
        return process.wait() == 0

    def ran(self):
        """[(ms, key, thread, node, attempt)] in the order of writing."""
        return [(int(ms), key, thread, node, int(attempt))
                for ms, key, thread, node, attempt in
                (line.split() for line in self.file.read_text().splitlines())]

    def until_at_b(self, count):
        """So many runs are in flight."""
        self.until(lambda: sum(node == "b" for *_, node, _ in self.ran())
                   == count, "so many runs in flight")

    def runs_ended(self, endpoint, count):
        runs = self.at(endpoint, "runs", "--limit", str(10 * count))
        expect(len(runs) == count, f"{len(runs)} runs instead of {count}")
        return all(run["status"] == "done" for run in runs)

    def check(self, endpoint, threads):
        """Each task's writes are there once, whatever its bodies did."""
        keys = collections.Counter((key, thread, node) for
                                   _, key, thread, node, _ in self.ran())
        tasks = {(thread, node) for _, thread, node in keys}
        expect(len(keys) == len(tasks) == len(threads) * len(NODES),
               f"{len(keys)} keys of {len(tasks)} tasks")
        for thread in threads:
            rows = self.server.sql(
                "SELECT count(*), count(DISTINCT seq), max(seq) FROM"
                f" superstep.journal WHERE thread = '{thread}'").split("|")
            expect(rows[0] == rows[1] == rows[2], f"rows of {thread}: {rows}")
        return sum(keys.values()) - len(keys)


def moved_state(cluster, thread):
    """A thread's state, from whoever has it."""
    for endpoint in cluster.endpoints:
        process = cluster.world.start(
            "superstep state", BIN / "superstep", "--coordinator", endpoint,
            "state", thread, "--json")
        if process.wait() == 0:
            return json.loads(process.text("out"))["values"]
    raise harness.Failure(f"nobody has thread {thread}")


def test_one_of_three_is_killed_and_all_runs_finish():
    with World() as world, postgres.Postgres() as server:
        cluster = Cluster(world, server)
        cluster.until(cluster.is_even, "even shards")
        with cluster.gate_shut():
            threads = cluster.ask_runs(RUNS)
            cluster.until_at_b(RUNS)
            dead, *living = cluster.endpoints
            cluster.coordinators[0].kill()
            killed_ms = time.monotonic() * 1000
        cluster.until(lambda: cluster.runs_ended(living[0], RUNS), "the end")
        again = cluster.check(living[0], sum(threads.values(), []))
        first_ms = min(ms for ms, _, thread, _, _ in cluster.ran()
                       if ms > killed_ms and thread in threads[dead])
        seconds = (first_ms - killed_ms) / 1000
        print(f"{RUNS} runs in flight on 3 coordinators, one killed: the first "
              f"replayed task began {seconds:.3f} s after the kill (lease "
              f"{LEASE_MS / 1000} s); {again} bodies ran again")
        expect(seconds < LEASE_MS / 1000 + TAKEOVER_S_MAX,
               f"the takeover took {seconds} s")
        cluster.endpoints = living
        for thread in threads[dead][:3]:
            values = moved_state(cluster, thread)
            expect(values == {"log": NODES}, f"{thread}: {values}")


def test_one_that_slept_past_its_lease_is_refused():
    with World() as world, postgres.Postgres() as server:
        cluster = Cluster(world, server, coordinators=2, workers=1)
        cluster.until(cluster.is_even, "even shards")
        sleeper = cluster.coordinators[0]
        with cluster.gate_shut():
            threads = cluster.ask_runs(6)
            cluster.until_at_b(6)
            sleeper.kill(signal.SIGSTOP)
            # The other one takes over when the lease has ended.
            cluster.until(lambda: cluster.shards() == {
                cluster.endpoints[1]: 1024}, "the takeover")
        cluster.until(
            lambda: cluster.runs_ended(cluster.endpoints[1], 6), "the end")
        rows = server.sql("SELECT count(*) FROM superstep.journal")
        sleeper.kill(signal.SIGCONT)
        expect(sleeper.wait() == 5, f"the zombie:\n{sleeper.text()}")
        expect("has taken over" in sleeper.text("err"), sleeper.text())
        expect(server.sql("SELECT count(*) FROM superstep.journal") == rows,
               "the zombie wrote")
        cluster.check(cluster.endpoints[1], sum(threads.values(), []))


def test_one_that_is_asked_to_stop_hands_its_threads_over():
    with World() as world, postgres.Postgres() as server:
        cluster = Cluster(world, server, coordinators=2, workers=1)
        cluster.until(cluster.is_even, "even shards")
        leaver, stayer = cluster.coordinators
        with cluster.gate_shut():
            threads = cluster.ask_runs(8)
            cluster.until_at_b(8)
            leaver.kill(signal.SIGTERM)
            leaver.wait_line("stopping")
            # It waits for what runs; no lease has to end for the rest.
            expect(leaver.is_running(), "it did not wait")
        expect(leaver.wait() == 0, leaver.text())
        expect(cluster.shards() == {stayer.endpoint: 1024}, "left behind")
        cluster.until(
            lambda: cluster.runs_ended(stayer.endpoint, 8), "the end")
        again = cluster.check(stayer.endpoint, sum(threads.values(), []))
        expect(again == 0, f"{again} bodies ran again")


def test_one_that_starts_again_at_its_place_goes_on_at_once():
    with World() as world, postgres.Postgres() as server:
        cluster = Cluster(world, server, coordinators=1, workers=1)
        with cluster.gate_shut():
            cluster.ask_runs(3)
            cluster.until_at_b(3)
            cluster.coordinators[0].kill()
        # Its lease of an hour has not ended; its name is the same.
        server.sql("UPDATE superstep.members SET lease_end = lease_end +"
                   " interval '1 hour'")
        world.endpoint = cluster.endpoints[0]
        world.coordinator("--store", server.url())
        cluster.until(
            lambda: cluster.runs_ended(cluster.endpoints[0], 3), "the end")


def test_one_that_cannot_read_the_runs_of_its_shards_ends():
    """They would be its own, and nobody would go on with them."""
    with World() as world, postgres.Postgres() as server:
        first = world.coordinator("--store", server.url())
        first.kill(signal.SIGTERM)
        expect(first.wait() == 0, first.text())
        server.sql(
            "SET search_path = superstep;"
            " CREATE FUNCTION broken() RETURNS boolean LANGUAGE plpgsql AS"
            " 'BEGIN RAISE EXCEPTION ''a page is broken''; END';"
            " ALTER TABLE open_runs RENAME TO kept;"
            " CREATE VIEW open_runs AS SELECT * FROM kept"
            " UNION ALL SELECT * FROM kept WHERE broken();"
            " INSERT INTO kept (key, index_key, expires_us, hash, value)"
            " VALUES ('run', 'thread', 0, 0, '{}')")
        second = world.coordinator("--store", server.url(), wait=False)
        expect(second.wait() == 1, second.text())  # it has not begun
        expect("a page is broken" in second.text(), second.text())


if __name__ == "__main__":
    reason = postgres.missing()
    if reason:
        print(f"SKIPPED: {reason}")
        sys.exit(77)
    harness.main(globals())
