"""Several coordinators of one cluster on one machine (--processes), each a
process: all serve, one that is killed comes back, a stop ends all.
"""

import contextlib
import os
import pathlib
import re
import signal
import socket
import time
import urllib.request

import harness
import postgres
from cluster_test import APP, NODES, Cluster
from harness import BIN, LIB, World, expect, main
from keys_test import keys_of
from notify_test import Manager

COUNT = 3
HELLO = LIB / "libhello.so"
RUNS = 40
PORTS_TRIES = 50


def free_ports(count):
    """The first of so many ports in a row that nobody has."""
    for _ in range(PORTS_TRIES):
        with contextlib.ExitStack() as stack:
            first = stack.enter_context(socket.socket())
            first.bind(("127.0.0.1", 0))
            port = first.getsockname()[1]
            try:
                for i in range(1, count):
                    other = stack.enter_context(socket.socket())
                    other.bind(("127.0.0.1", port + i))
            except (OSError, OverflowError):
                continue
            return port
    raise harness.Failure("there are no free ports in a row")


def family(world, server, *more, listen=None, count=COUNT, **options):
    """The process that minds them, started."""
    return world.start(
        "coordinators", BIN / "superstep-coordinator", "--listen",
        listen or harness.ANY_PORT, "--store", server.url(), "--processes",
        count, "--lease-ms", "1500", "--heartbeat-ms", "300", *more, **options)


def serving(world, server, *more, **options):
    process = family(world, server, *more, **options)
    world.endpoint = process.wait_line(r"listening on ([^\s,]+)")[1]
    return process


class Running(Cluster):
    """The checks of cluster_test.py, for a family and one worker of it."""

    def __init__(self, world, server):  # it starts nothing else
        self.world, self.server = world, server
        self.file, self.gate = world.path("ran"), world.path("gate")
        self.file.touch()
        self.gate.touch()
        world.worker(world.compile(APP), f"{self.file}:{self.gate}",
                     capacity=RUNS)

    def nodes(self, name):
        return sum(node == name for *_, node, _ in self.ran())


def members_of(process):
    """The processes of the members, the oldest first."""
    text = pathlib.Path(
        f"/proc/{process.pid}/task/{process.pid}/children").read_text()
    return [int(word) for word in text.split()]


def owners(server):
    """owner -> how many shards."""
    rows = server.sql("SELECT owner, count(*) FROM superstep.shards WHERE owner"
                      " <> '' GROUP BY owner").splitlines()
    return {owner: int(count)
            for owner, count in (row.split("|") for row in rows)}


def until(condition, what):
    end = time.monotonic() + harness.DEADLINE_S
    while not condition():
        expect(time.monotonic() < end, f"waited too long for {what}")
        time.sleep(0.02)


def is_gone(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z"
    except OSError:
        return True


def metric(port, name):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        text = answer.read().decode()
    return float(re.search(rf"^{name} (\S+)$", text, re.M)[1])


def test_all_of_them_serve_and_one_address_is_enough():
    with World() as world, postgres.Postgres() as server:
        port, numbers = free_ports(COUNT), free_ports(COUNT)
        folder = keys_of(world)
        serving(world, server, "--keys", folder, "--metrics",
                f"127.0.0.1:{numbers}", listen=f"tcp://127.0.0.1:{port}")
        places = {f"tcp://127.0.0.1:{port + i}" for i in range(COUNT)}
        expect(world.endpoint == f"tcp://127.0.0.1:{port}", world.endpoint)
        expect(set(owners(server)) == places, f"{owners(server)}")
        expect(min(owners(server).values()) >= 1024 // COUNT,
               f"{owners(server)}")
        # One worker and one client, which know the first one's address.
        world.worker(HELLO, None, "--keys", folder)
        until(lambda: all(metric(numbers + i, "superstep_workers") == 1
                          for i in range(COUNT)), "the worker, everywhere")
        for i in range(RUNS):
            world.do("run", "hello", "--input", '{"name": "Ada"}', "--thread",
                     f"thread-{i}", "--keys", folder)
        for i in range(COUNT):
            done = metric(numbers + i, "superstep_supersteps_total")
            expect(done > 0, f"coordinator {i + 1} planned nothing")
        config = {row["name"]: row["value"] for row in world.ask(
            "show", "config", "--keys", folder) if row["of"] == "coordinator"}
        expect(config["processes"] == COUNT, f"{config}")
        workers = world.ask("workers", "--keys", folder)
        expect(len(workers) == 1, f"{workers}")
        found = world.command("doctor", "--json", "--keys", folder)
        found.wait()
        expect("coordinator-unreached" not in found.text(), found.text())


def test_one_that_is_killed_comes_back_and_no_run_is_lost():
    with World() as world, postgres.Postgres() as server:
        process = serving(world, server)
        cluster = Running(world, server)
        threads = [f"run-{place:04}" for place in range(RUNS)]
        before = owners(server)
        with cluster.gate_shut():
            for thread in threads:
                world.do("run", "effects", "--input", "{}", "--detach",
                         "--thread", thread)
            until(lambda: cluster.nodes("b") == RUNS, "all runs in flight")
            for victim in members_of(process):
                os.kill(victim, signal.SIGKILL)
                process.wait_line(rf"process {victim}\) was killed by signal 9")
            until(lambda: len(members_of(process)) == COUNT, "all again")
        until(lambda: cluster.nodes("c") >= RUNS, "the last node of each")
        for thread in threads:
            until(lambda it=thread: world.ask("state", it)["values"].get("log")
                  == NODES, f"the end of {thread}")
        cluster.check(world.endpoint, threads)
        until(lambda: owners(server).keys() == before.keys(), "all owners")
        expect(process.is_running(), process.text())


def test_a_stop_ends_all_and_leaves_nothing_behind():
    with World() as world, postgres.Postgres() as server:
        for number in (signal.SIGTERM, signal.SIGINT):
            process = serving(world, server)
            members = members_of(process)
            expect(len(members) == COUNT, f"{members}")
            process.kill(number)
            expect(process.wait() == 0, process.text())
            expect(all(is_gone(pid) for pid in members), f"{members}")
            left = server.sql("SELECT count(*) FROM superstep.members")
            expect(left == "0" and not owners(server),
                   f"{left} members, {owners(server)}")
            world.endpoint = None


def test_they_end_with_the_process_that_minds_them():
    with World() as world, postgres.Postgres() as server:
        process = serving(world, server)
        members = members_of(process)
        process.kill()
        until(lambda: all(is_gone(pid) for pid in members), "their end")


def test_one_that_stops_by_itself_is_started_again_at_its_place():
    with World() as world, postgres.Postgres() as server:
        process = serving(world, server)
        before = owners(server).keys()
        first = members_of(process)[0]
        os.kill(first, signal.SIGTERM)
        process.wait_line(rf"coordinator 1 \(process {first}\) ended with exit "
                          "code 0; it is started again")
        until(lambda: owners(server).keys() == before, "all owners")
        world.do("workers")  # at the first one's address, as before
        expect(process.stop() == 0, process.text())


def test_a_store_of_one_coordinator_is_refused():
    with World() as world:
        for store in (f"sqlite:{world.path('x.db')}", "memory:", None):
            words = ["--store", store] if store else ["--db", world.path("x")]
            process = world.start(
                "coordinators", BIN / "superstep-coordinator", *words,
                "--processes", 2)
            expect(process.wait() == 2, process.text())
            expect("--processes 2" in process.text()
                   and "PostgreSQL" in process.text(), process.text())
        expect(not list(world.folder.iterdir()), "a database was made")


def test_a_port_in_use_is_told():
    with World() as world, postgres.Postgres() as server:
        port = free_ports(COUNT)
        with socket.socket() as other:
            other.bind(("127.0.0.1", port + 1))
            other.listen()
            process = family(world, server, listen=f"tcp://127.0.0.1:{port}")
            expect(process.wait() == 1, process.text())
            expect(f"{port + 1}" in process.text("err"), process.text())
            expect("started again" not in process.text(), process.text())
        process = family(world, server, listen="tcp://127.0.0.1:65535")
        expect(process.wait() == 2 and "--listen" in process.text(),
               process.text())


def test_the_manager_hears_of_all_and_one_that_hangs_is_started_again():
    with World() as world, postgres.Postgres() as server:
        manager = Manager(world)
        process = serving(world, server, environment=manager.environment())
        manager.until("READY=1\nSTATUS=ready", "WATCHDOG=1")
        victim = members_of(process)[1]
        os.kill(victim, signal.SIGSTOP)
        process.wait_line(rf"process {victim}\) has given no sign")
        os.kill(victim, signal.SIGCONT)  # a stopped process hears no SIGABRT
        process.wait_line(rf"process {victim}\) was killed by signal 6")
        manager.until("STATUS=ready")
        manager.end(process)


if __name__ == "__main__":
    main(globals())
