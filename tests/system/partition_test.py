"""A partition: the network between a coordinator and whoever works or waits on
the other side is gone for longer than a lease, and comes back.

Two network namespaces with a cable between them, which is pulled. It takes root,
and a kernel that lets it have namespaces; elsewhere the test is skipped, aloud.
"""

import os
import shutil
import signal
import subprocess
import sys

import harness
from harness import BIN, ROOT, World, expect

ROUNDS = ROOT / "tests/system/app/rounds.c"
LOG = [f"{node}{turn}" for turn in range(3)
       for node in ("a", "b", "c", "turn")] + ["yes"]
RUN = ("run", "rounds", "--thread", "t", "--input",
       '{"round": 0, "log": []}')


def ip(*words):
    done = subprocess.run(["ip", *words], capture_output=True, text=True)
    if done.returncode != 0:
        raise OSError(f"ip {' '.join(words)}: {done.stderr.strip()}")


class Network:
    """Two namespaces, "here" with the coordinator and "there", and a cable."""

    ADDRESS = "10.213.77.1"

    def __init__(self):
        self.here = f"ss{os.getpid()}h"
        self.there = f"ss{os.getpid()}t"

    def __enter__(self):
        try:
            ip("netns", "add", self.here)
            ip("netns", "add", self.there)
            ip("link", "add", "cable", "netns", self.here, "type", "veth",
               "peer", "name", "cable", "netns", self.there)
            for space, last in ((self.here, 1), (self.there, 2)):
                ip("-n", space, "address", "add",
                   f"10.213.77.{last}/24", "dev", "cable")
                ip("-n", space, "link", "set", "cable", "up")
                ip("-n", space, "link", "set", "lo", "up")
        except OSError:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, kind, error, trace):
        for space in (self.here, self.there):
            subprocess.run(["ip", "netns", "delete", space],
                           capture_output=True)

    def pull(self):
        ip("-n", self.here, "link", "set", "cable", "down")

    def plug(self):
        ip("-n", self.here, "link", "set", "cable", "up")


class Cluster:
    def __init__(self, world, network):
        self.world = world
        self.network = network
        self.app = world.compile(ROUNDS)
        self.coordinator = self.start(
            network.here, "coordinator", "superstep-coordinator", "--listen",
            f"tcp://{network.ADDRESS}:7433", "--db", world.path("db"),
            "--lease-ms", "1500", "--heartbeat-ms", "300", "--verbose",
            "--insecure")  # the cable is ours
        self.coordinator.wait_line("listening on")
        self.count = 0

    def start(self, space, name, program, *words, stop=None):
        return self.world.start(
            name, "ip", "netns", "exec", space, BIN / program, *words,
            environment=harness.stopping(stop))

    def worker(self, space, stop=None):
        self.count += 1
        worker = self.start(
            space, f"worker{self.count}", "superstep-worker", "--app",
            self.app, "--connect", f"tcp://{self.network.ADDRESS}:7433",
            "--capacity", "4", "--name", f"worker{self.count}", stop=stop)
        worker.wait_line(r"\bready\b")
        return worker

    def command(self, space, *words, stop=None):
        return self.start(
            space, f"superstep {words[0]}", "superstep", "--coordinator",
            f"tcp://{self.network.ADDRESS}:7433", *words, stop=stop)

    def finish(self):
        resume = self.command(
            self.network.here, "resume", "t", "--value", '"yes"', "--json")
        expect(resume.wait() == 0, f"the answer:\n{resume.text()}")
        state = self.command(self.network.here, "state", "t", "--json")
        expect(state.wait() == 0, f"the state:\n{state.text()}")
        for item in LOG:
            expect(state.text("out").count(f'"{item}"') == 1,
                   f"not once {item}:\n{state.text()}")


def test_a_worker_behind_a_partition_is_done_without_and_comes_back():
    with Network() as network, World() as world:
        cluster = Cluster(world, network)
        far = cluster.worker(network.there, stop="worker-ended:2")
        run = cluster.command(network.here, *RUN)
        far.wait_line(r"^stopped at worker-ended$")
        network.pull()
        far.kill(signal.SIGCONT)  # its results go nowhere
        cluster.coordinator.wait_line("worker worker1 is gone")
        cluster.worker(network.here)
        expect(run.wait() == 3, f"the run:\n{run.text()}")
        network.plug()
        far.wait_line("taken in")
        cluster.finish()


def test_a_client_behind_a_partition_has_its_answer_when_that_ends():
    with Network() as network, World() as world:
        cluster = Cluster(world, network)
        cluster.worker(network.here)
        run = cluster.command(network.there, *RUN, stop="client-told:1")
        run.wait_line(r"^stopped at client-told$")
        network.pull()
        run.kill(signal.SIGCONT)
        cluster.coordinator.wait_line("the run ends: interrupted")
        network.plug()
        expect(run.wait() == 3, f"the run:\n{run.text()}")
        cluster.finish()


def missing():
    """Why there can be no partition here, or None."""
    if os.geteuid() != 0:
        return "network namespaces take root"
    if not shutil.which("ip"):
        return "there is no ip: apt-get install iproute2"
    try:
        with Network():
            return None
    except OSError as error:
        return f"no network namespaces here: {error}"


if __name__ == "__main__":
    reason = missing()
    if reason:
        print(f"SKIPPED: nothing is known of partitions: {reason}")
        sys.exit(77)
    harness.main(globals())
