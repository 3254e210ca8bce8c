"""A cluster of containers of the version from before, upgraded to this one under
load as docs/operating/upgrade.md says: the workers, then the coordinators, one
container after the other.
"""

import collections
import os
import pathlib
import threading
import time

from cluster import HEALTHY_S, Cluster
from engine import Failure, say
from images import BEFORE, NOW

WORKERS = 3
CUSTOMERS = 3
COUNT, MS = 40, 50 # of the naps of a run
SUM = sum(number * number for number in range(COUNT))
NEWER = "was written by a newer version"
# Nobody dies: on a slow machine, too, nobody is to be taken for dead.
LEASE_MS = "30000"


class OlderCluster(Cluster):
    """All of it is of the version from before, and so are its keys."""

    def __init__(self, engine, compose):
        super().__init__(engine, compose, "before")
        self.environment.update(
            COORDINATOR_IMAGE=f"{BEFORE}-coordinator",
            WORKER_IMAGE=f"{BEFORE}-naps:1", WORKER_CAPACITY="4",
            SUPERSTEP_LEASE_MS=LEASE_MS, SUPERSTEP_CLUSTER_LEASE_MS=LEASE_MS)

    def make_secrets(self):
        # The command of its image is the one in the path.
        folder = self.folder.name
        program = pathlib.Path(folder) / "superstep"
        program.write_text(
            f"#!/bin/sh\nexec docker run --rm --user {os.getuid()}:{os.getgid()} "
            f"--volume {folder}:{folder} --entrypoint superstep "
            f'{BEFORE}-coordinator "$@"\n')
        program.chmod(0o755)
        super().make_secrets(PATH=f"{folder}:{self.environment['PATH']}")

    def images(self):
        return [self.inspect(container)["Config"]["Image"]
                for service in ("coordinator1", "coordinator2", "worker")
                for container in self.containers(service)]

    def roll_worker(self, container):
        """It finishes what it runs; a new one comes in its place."""
        self.environment["WORKER_IMAGE"] = f"{NOW}-naps:1"
        self.engine.docker("stop", "-t", "60", container)
        status = self.inspect(container)["State"]["ExitCode"]
        if status != 0:
            raise Failure(f"the worker ended with {status}")
        self.engine.docker("rm", container)
        self.compose("up", "-d", "--no-build", "--no-deps", "--no-recreate",
                     "--scale", f"worker={WORKERS}", "worker")
        self.wait_workers(WORKERS)

    def put(self, service, image):
        """A coordinator of this image in the place of the one that is there."""
        self.environment["COORDINATOR_IMAGE"] = f"{image}-coordinator"
        self.compose("up", "-d", "--no-build", "--no-deps", service)

    def wait_refused(self, service):
        """Until it has said that the tables are not for it."""
        end = time.monotonic() + HEALTHY_S
        while NEWER not in self.compose("logs", service).stdout:
            if time.monotonic() > end:
                raise Failure(f"{service}, of before, was not refused")
            time.sleep(0.3)

    def doctor(self):
        """Asked where the coordinators' names are known."""
        folder = self.folder.name
        self.engine.docker(
            "run", "--rm", "--network", f"{self.project}_cluster", "--user",
            f"{os.getuid()}:{os.getgid()}", "--volume", f"{folder}:{folder}:ro",
            "--entrypoint", "superstep", f"{NOW}-coordinator", "--coordinator",
            "tcp://coordinator1:7433,tcp://coordinator2:7433", "--keys",
            self.environment["SUPERSTEP_KEYS"], "doctor")

    def begun(self):
        """How often each nap of each thread began."""
        text = self.engine.docker(
            "exec", self.containers("worker")[0], "cat", "/data/naps").stdout
        return collections.Counter(text.splitlines())


class Customer(threading.Thread):
    """Has one run after the other, each of whose results it is told."""

    def __init__(self, cluster, number):
        super().__init__(daemon=True)
        self.cluster = cluster
        self.number = number
        self.is_over = threading.Event()
        self.done = []
        self.trouble = None

    def run(self):
        while not self.is_over.is_set() and not self.trouble:
            thread = f"c{self.number}.{len(self.done)}"
            try:
                self.play(thread)
                self.done.append(thread)
            except Exception as error:
                self.trouble = f"{thread}: {error!r}"

    def play(self, thread):
        told = self.cluster.answer(
            "run", "naps", "--thread", thread, "--run", f"run-{thread}", "--input",
            f'{{"count": {COUNT}, "ms": {MS}}}').stdout
        if f'"result": {SUM}' not in told:
            raise Failure(told)


class Load:
    def __init__(self, cluster):
        self.customers = [
            Customer(cluster, number) for number in range(CUSTOMERS)]
        for one in self.customers:
            one.start()

    def go_on(self):
        """Until each customer has begun a run, and seen its end, from now on."""
        wanted = [len(one.done) + 2 for one in self.customers]
        end = time.monotonic() + HEALTHY_S
        while any(len(one.done) < count
                  for one, count in zip(self.customers, wanted)):
            self.look()
            if time.monotonic() > end:
                raise Failure("the customers' runs do not end")
            time.sleep(0.1)

    def stop(self):
        for one in self.customers:
            one.is_over.set()

    def look(self):
        troubles = [one.trouble for one in self.customers if one.trouble]
        if troubles:
            raise Failure("\n".join(troubles))

    def end(self):
        """All that they have had: threads."""
        self.stop()
        for one in self.customers:
            one.join(HEALTHY_S)
            if one.is_alive():
                raise Failure("a customer is not told the end of its run")
        self.look()
        return [thread for one in self.customers for thread in one.done]


def begin(cluster):
    cluster.up(WORKERS)
    cluster.wait_healthy("postgres", "coordinator1", "coordinator2", "worker")
    cluster.wait_workers(WORKERS)
    if any(BEFORE not in image for image in cluster.images()):
        raise Failure(f"not all are of before: {cluster.images()}")


def roll(cluster, load):
    load.go_on()
    for container in cluster.containers("worker"):
        cluster.roll_worker(container)
        load.go_on()
    cluster.put("coordinator1", NOW)
    cluster.wait_healthy("coordinator1")
    load.go_on()
    # There is no way back; who is of before and at work goes on.
    cluster.put("coordinator1", BEFORE)
    cluster.wait_refused("coordinator1")
    load.go_on()
    for service in ("coordinator1", "coordinator2"):
        cluster.put(service, NOW)
        cluster.wait_healthy(service)
        load.go_on()


def play(cluster):
    begin(cluster)
    load = Load(cluster)
    try:
        roll(cluster, load)
    except BaseException:
        load.stop()
        raise
    threads = load.end()
    if any(BEFORE in image for image in cluster.images()):
        raise Failure(f"not all are of now: {cluster.images()}")
    wanted = collections.Counter(f"{thread} {number}" for thread in threads
                                 for number in range(COUNT))
    begun = cluster.begun()
    if begun != wanted:
        raise Failure(f"too often: {sorted(begun - wanted)}; "
                      f"not at all: {sorted(wanted - begun)}")
    cluster.doctor()
    say(f"    {len(threads)} runs over the upgrade, {len(wanted)} naps")
