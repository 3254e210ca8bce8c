#!/usr/bin/env python3
"""Hostile peers: they are refused, a line is logged once, and what honest ones
do goes on meanwhile."""

import json
import pathlib
import re
import resource
import sys
import time
import urllib.request

from harness import BIN, DEADLINE_S, LIB, World, expect, main, pss_kb

HELLO = LIB / "libhello.so"
HOSTILE = pathlib.Path(__file__).with_name("hostile.py")
RUNS = 5


def keys_of(world):
    folder = world.path("keys")
    process = world.start("keys", BIN / "superstep", "keys", "new", "--keys",
                          folder)
    expect(process.wait() == 0, process.text())
    return folder


def attack(world, kind, *more):
    process = world.start(kind, sys.executable, HOSTILE, kind, world.endpoint,
                          *more)
    process.wait_line("begun")
    return process


def metric(coordinator, name):
    port = coordinator.wait_line(r"metrics and health on port (\d+)")[1]
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics",
                                timeout=60) as page:
        return int(re.search(rf"^{name} (\d+)$", page.read().decode(),
                             re.M)[1])


def wait_metric(coordinator, name, least):
    """Until it counts so many. Each look is a request, and waits for its
    answer."""
    end = time.monotonic() + DEADLINE_S
    while True:
        count = metric(coordinator, name)
        if count >= least:
            return
        expect(time.monotonic() < end,
               f"{name} is {count} and not {least}:\n{coordinator.text()}")


def honest(world, *more):
    """Runs beside the attack: all of them must end well."""
    for _ in range(RUNS):
        world.do("run", "hello", "--input", '{"name": "Ada"}', *more)


def expect_logged_once(coordinator, pattern):
    coordinator.wait_line(pattern)
    lines = [line for line in coordinator.text().splitlines()
             if re.search(pattern, line)]
    expect(len(lines) == 1, "\n".join(lines[:5]))


def test_strangers_keys_are_refused():
    with World() as world:
        keys = keys_of(world)
        coordinator = world.coordinator("--keys", keys, "--metrics",
                                        "127.0.0.1:0")
        world.worker(HELLO, None, "--keys", keys)
        attack(world, "stranger", keys)
        coordinator.wait_line("is not allowed")
        wait_metric(coordinator, "superstep_keys_refused_total", 2)
        honest(world, "--keys", keys)
        expect_logged_once(coordinator, r"127\.0\.0\.2: its key .* not allowed")


def through(world, address):
    """The coordinator's endpoint, reached from this address."""
    return f"tcp://{address}:0;{world.endpoint.removeprefix('tcp://')}"


def test_a_client_that_says_it_is_a_worker_is_refused():
    with World() as world:
        keys = keys_of(world)
        coordinator = world.coordinator("--keys", keys, "--metrics",
                                        "127.0.0.1:0")
        # Who was there before, at the same address, notices nothing.
        there, world.endpoint = world.endpoint, through(world, "127.0.0.2")
        world.worker(HELLO, None, "--keys", keys)
        world.endpoint = there
        attack(world, "poser", keys)
        coordinator.wait_line("not allowed to send HELLO")
        coordinator.wait_line("client at 127.0.0.2: .* has to wait")
        wait_metric(coordinator, "superstep_handshakes_delayed_total", 20)
        honest(world, "--keys", keys / "operator.key")
        workers = world.ask("workers", "--keys", keys)
        expect([item["worker"] for item in workers] == ["worker1"],
               str(workers))
        expect_logged_once(coordinator, "not allowed to send HELLO")
        expect_logged_once(coordinator, "too many messages that make no sense")


def test_nobody_waits_for_what_another_key_or_address_did():
    with World() as world:
        keys = keys_of(world)
        coordinator = world.coordinator("--keys", keys, "--metrics",
                                        "127.0.0.1:0")
        world.worker(HELLO, None, "--keys", keys)
        attack(world, "liar", keys)
        coordinator.wait_line("client at 127.0.0.2: .* has to wait")
        wait_metric(coordinator, "superstep_handshakes_delayed_total", 1)
        honest(world, "--keys", keys / "client.key")
        world.endpoint = through(world, "127.0.0.2")
        honest(world, "--keys", keys / "operator.key")
        expect_logged_once(coordinator, "too many messages that make no sense")


def test_who_sends_under_the_identity_of_another_is_refused():
    with World() as world:
        keys = keys_of(world)
        coordinator = world.coordinator("--keys", keys, "--metrics",
                                        "127.0.0.1:0")
        world.worker(HELLO, None, "--keys", keys)
        attack(world, "thief", keys)
        coordinator.wait_line("an identity that is none of its key")
        wait_metric(coordinator, "superstep_handshakes_delayed_total", 1)
        honest(world, "--keys", keys)
        expect_logged_once(coordinator, "an identity that is none of its key")


def test_junk_is_hung_up_on():
    with World() as world:
        coordinator = world.coordinator()
        world.worker(HELLO)
        attack(world, "junk")
        coordinator.wait_line("hung up on")
        honest(world)
        expect_logged_once(coordinator, "is not understood")


def test_connections_that_say_nothing_have_a_limit_and_an_end():
    with World() as world:
        coordinator = world.coordinator("--connections-per-address", "50")
        world.worker(HELLO)
        attack(world, "half").wait_line("refused")
        coordinator.wait_line("50 of this address are open")
        honest(world)
        coordinator.wait_line("127.0.0.2: a connection that said nothing")
        expect_logged_once(coordinator, "50 of this address are open")
        expect_logged_once(coordinator, "a connection that said nothing")


def test_a_flood_of_connections_is_not_even_accepted():
    with World() as world:
        coordinator = world.coordinator("--metrics", "127.0.0.1:0")
        # Who was there before, at the same address, notices nothing.
        there, world.endpoint = world.endpoint, through(world, "127.0.0.2")
        world.worker(HELLO)
        world.endpoint = there
        flood = attack(world, "half")
        coordinator.wait_line("127.0.0.2: a flood of connections")
        wait_metric(coordinator, "superstep_connection_floods_total", 2)
        honest(world)
        expect_logged_once(coordinator, "a flood of connections")
        flood.kill()
        flood.wait()
        world.endpoint = through(world, "127.0.0.2")
        end = time.monotonic() + DEADLINE_S
        while (last := world.command("graphs")).wait() != 0:
            expect(time.monotonic() < end, last.text())


def test_numbers_are_served_beyond_the_thousandth_connection():
    if resource.getrlimit(resource.RLIMIT_NOFILE)[1] < 8192:
        print("too few descriptors are allowed here: not tested")
        return
    with World() as world:
        coordinator = world.coordinator(
            "--metrics", "127.0.0.1:0", "--connections-rate", "100000",
            "--connections-per-address", "4000")
        world.worker(HELLO)
        attack(world, "half")
        wait_metric(coordinator, "superstep_connections", 1500)
        honest(world)


def test_new_connections_have_a_rate():
    with World() as world:
        coordinator = world.coordinator("--connections-rate", "4")
        world.worker(HELLO)
        attack(world, "half").wait_line("refused")
        honest(world)
        expect_logged_once(coordinator, "more than 4 new ones a second")


def test_frames_that_never_end_are_weighed_together():
    with World() as world:
        coordinator = world.coordinator(
            "--unread-max", "50", "--metrics", "127.0.0.1:0")
        world.worker(HELLO)
        attack(world, "hoard")
        wait_metric(coordinator, "superstep_heavy_connections_total", 3)
        honest(world)
        expect_logged_once(
            coordinator, r"127\.0\.0\.2: .* nobody read yet is more than 50 MB")


def test_who_asks_for_much_and_reads_nothing_is_hung_up_on():
    with World() as world:
        coordinator = world.coordinator(
            "--unread-max", "20", "--metrics", "127.0.0.1:0")
        world.worker(HELLO)
        large = world.path("large")
        large.write_text(json.dumps({"name": "x" * 1000000}))
        world.do("run", "hello", "--input", f"@{large}", "--thread", "large")
        attack(world, "deaf")
        wait_metric(coordinator, "superstep_heavy_connections_total", 1)
        honest(world)
        expect_logged_once(
            coordinator, r"127\.0\.0\.2: .* nobody read yet is more than 20 MB")


def test_a_frame_of_a_gigabyte_is_not_taken():
    with World() as world:
        coordinator = world.coordinator()
        world.worker(HELLO)
        honest(world)
        before = pss_kb(coordinator.pid)
        flood = attack(world, "huge")
        taken = int(flood.wait_line(r"refused after (\d+) bytes")[1])
        expect(taken < 100 << 20, f"{taken} bytes were taken")
        honest(world)
        grown = pss_kb(coordinator.pid) - before
        expect(grown < 100 << 10, f"it grew by {grown} KB")


if __name__ == "__main__":
    main(globals())
