#!/usr/bin/env python3
"""A rolling upgrade from the version of older.py to this one, under load.

Customers play the torment's application, each through a command of the older or
of the new version, while one member after the other is stopped as an operator
does it and started as a new one. Every run must end as on the older members
alone, no task may be done twice, and while a member reads less nobody writes what
it does not read (decision 15). When all are new there is no way back.
"""

import collections
import pathlib
import re
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "torment")]

import harness  # noqa: E402
import postgres  # noqa: E402
from cluster_test import shard_of  # noqa: E402
from customers import ASKED, INPUT, Customer  # noqa: E402
from harness import DEADLINE_S, expect  # noqa: E402
from judge import Judge, bodies  # noqa: E402
from members import Client, Cluster, File  # noqa: E402
from older import Older, Unavailable  # noqa: E402

CUSTOMERS = 4
BODIES = 40 # that begin between two steps
ROUNDS, SENDS = 3, 3
# Of a thread: each round's three sent ones, of which one fails once; the one that
# asks begins again with its answer.
PER_THREAD = {"plan": ROUNDS, "work": ROUNDS * (SENDS + 1), "gather": ROUNDS,
              "ask": 2 * ROUNDS, "told": ROUNDS, "turn": ROUNDS}
older = None # Older(), built


def until(condition, what):
    end = time.monotonic() + DEADLINE_S
    while not condition():
        expect(time.monotonic() < end, f"waited too long for {what}")
        threading.Event().wait(0.05)


class Load:
    """Customers of both versions, and what has to be so when they are done."""

    def __init__(self, members):
        self.members = members
        self.judge = Judge(members)
        self.is_over = threading.Event()
        self.count = 0
        calm = self.customer(members.old)
        expect(calm.play("calm"), f"{calm.troubles}")
        self.judge.take_pattern("calm")
        self.customers = [
            self.customer((members.old, members.new)[number % 2])
            for number in range(CUSTOMERS)]
        for one in self.customers:
            one.start()

    def customer(self, version):
        self.count += 1
        return Customer(Client(self.members, version), self.count, self.is_over)

    def begun(self):
        return self.members.effects.read_text().count("\n")

    def go_on(self):
        """Until some more has begun, with the members as they are."""
        wanted = self.begun() + BODIES
        until(lambda: self.begun() >= wanted or self.troubles(),
              "the customers' bodies")
        expect(not self.troubles(), f"{self.troubles()}")

    def troubles(self):
        return [one.troubles for one in self.customers if one.troubles]

    def end(self):
        """All of them are done: the names of their threads."""
        self.is_over.set()
        for one in self.customers:
            one.join(DEADLINE_S)
            expect(not one.is_alive(), "a customer is not told the end")
            expect(not one.troubles, f"{one.troubles}")
        late = self.customer(self.members.new)
        expect(late.play("late"), f"{late.troubles}")
        return ["calm", "late", *(thread for one in self.customers
                                  for thread in one.done)]

    def expect_right(self, names):
        """What the judge of the torment looks at; and how often bodies began."""
        begun = bodies(self.members.effects)
        for name in names:
            nodes = collections.Counter(body.node for body in begun[name])
            if nodes != PER_THREAD:
                self.judge.differs(name, f"bodies that began: {nodes}")
        self.judge.all_is_well()
        expect(not self.judge.differences, "\n".join(self.judge.differences))


# ------------------------------------------------------------ a cluster

class Names:
    """Runs of one name on threads of the coordinators that were asked."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.used = set()

    def thread_of(self, which):
        """A new thread that this coordinator has."""
        owners = self.cluster.owners()
        for number in range(10000):
            thread = f"run-{number:04}"
            if (thread not in self.used and owners[str(shard_of(thread))]
                    == self.cluster.endpoint(which)):
                self.used.add(thread)
                return thread
        raise harness.Failure("that coordinator has no thread")

    def begin(self, which, run):
        """On a thread of its own: it, and how that was answered."""
        thread = self.thread_of(which)
        return thread, *self.cluster.command(
            "run", "torment", "--thread", thread, "--run", run, "--input", INPUT,
            at=self.cluster.endpoint(which))

    def accepted(self, which, run):
        thread, status, out, err = self.begin(which, run)
        expect(status == ASKED, f"run {run} on {thread}: {status}: {out}{err}")
        return thread

    def refused(self, which, run, of):
        thread, status, out, err = self.begin(which, run)
        expect(status == 1 and f"run {run} is on thread {of}:" in err,
               f"run {run} on {thread}: {status}: {out}{err}")


def expect_written_for_the_oldest(cluster):
    formats = set(cluster.records("DISTINCT row_format", table="members"))
    expect(len(formats) == 2, f"the members read {formats}")
    for what, where in (("a key with its thread", "length(key) > 36"),
                        ("a head", "convert_from(value, 'UTF8') LIKE '%\"head\"%'")):
        found = cluster.records("key, index_key", where)
        expect(not found, f"{what}, while an older member reads none: {found}")
    found = cluster.records(
        "key", "key NOT IN (SELECT key FROM superstep.runs)", table="open_runs")
    expect(not found, f"an open run that older members do not list: {found}")


def look_at_the_mixture(cluster, names):
    """The first coordinator is new, the second one is not."""
    until(cluster.is_even, "even shards")
    mine = names.accepted(0, "mine")
    names.refused(0, "mine", mine)
    theirs = names.accepted(1, "theirs")
    names.refused(0, "theirs", theirs)
    cluster.refused()
    expect_written_for_the_oldest(cluster)


def newest_format():
    """The newest format of rows that this version reads."""
    text = (harness.ROOT / "common/model/journal.h").read_text(encoding="utf-8")
    return re.search(r"SS_ROW_FORMAT = SS_ROW_FORMAT_(\d+)", text)[1]


def look_at_the_new(cluster, names):
    """All are new: what they write now, the older version does not read."""
    until(cluster.is_even, "even shards")
    until(lambda: names.accepted(0, f"probe{len(names.used)}") and
          cluster.records("key", "length(key) > 36"), "keys with their thread")
    formats = cluster.records("DISTINCT row_format", table="members")
    expect(formats == [newest_format()], f"the members read {formats}")
    names.accepted(1, "mine")
    until(lambda: cluster.records(
        "key", "convert_from(value, 'UTF8') LIKE '%\"head\"%'"), "a head")
    print(cluster.refused())


def upgrade(order):
    with Cluster(older) as cluster:
        load, names = Load(cluster), Names(cluster)
        load.go_on()
        for kind, which in order:
            cluster.upgrade(kind, which)
            load.go_on()
            if (kind, which) == ("coordinators", 0):
                look_at_the_mixture(cluster, names)
                load.go_on()
        look_at_the_new(cluster, names)
        threads = load.end()
        load.judge.threads(threads, bodies(cluster.effects), lambda text: None)
        load.expect_right(threads)
        print(f"{len(threads)} threads over the upgrade, {load.judge.tasks} tasks, "
              f"{load.judge.begun} bodies")


WORKERS = [("workers", which) for which in range(3)]
COORDINATORS = [("coordinators", which) for which in range(2)]


def test_workers_first_then_coordinators():
    upgrade(WORKERS + COORDINATORS)


def test_coordinators_first_then_workers():
    upgrade(COORDINATORS + WORKERS)


# ------------------------------------------------------------ a file

def test_a_file_of_before_is_read_and_its_runs_go_on():
    with File(older) as file:
        load = Load(file)
        load.go_on()
        for process in (*file.coordinators, *file.workers):
            process.kill() # amid runs, whose rest is for the new ones
            file.world.processes.remove(process)
        file.start_coordinator(0, file.new)
        file.start_worker(0, file.new)
        load.go_on()
        threads = load.end()
        told = file.recall(threads)
        for found in told:
            load.judge.told(found["thread"], found)
        load.judge.all_is_well()
        expect(not load.judge.differences, "\n".join(load.judge.differences))
        file.coordinators[0].stop()
        print(file.refused())
        file.start_coordinator(0, file.new)
        expect(file.recall(threads) == told, "who was refused changed something")


def main():
    global older
    why = postgres.missing()
    try:
        older = Older().build()
    except Unavailable as error:
        why = why or error
    if why:
        print(f"skipped: {why}")
        sys.exit(77)
    harness.main(globals())


if __name__ == "__main__":
    main()
