"""A store that does not answer: a lock that somebody holds in the database, a
disk that hangs. It is told in seconds, to the log, to /health and to doctor, and
a stop does not wait for it."""

import json
import re
import signal
import sys
import time

import harness
import postgres
from harness import BIN, DEADLINE_S, LIB, World, expect, get, port_of

HELLO = LIB / "libhello.so"
STORE_FAILED = 4
LEAVE_S = 10 # that a stop waits behind its drain
STORE_TRIES_S = 10 # that a read takes to fail in a store that is away
METRICS = ("--metrics", "127.0.0.1:0")

# In place of the disk's own: each sync waits for ever while the file is there.
HANGING_DISK = r"""
#include <stdlib.h>
#include <unistd.h>
static int hang(void)
{
    const char *path = getenv("HANG");
    while (path && access(path, F_OK) == 0)
        pause();
    return 0;
}
int fsync(int fd) { (void)fd; return hang(); }
int fdatasync(int fd) { (void)fd; return hang(); }
"""


def until(condition):
    end = time.monotonic() + DEADLINE_S
    while not condition():
        expect(time.monotonic() < end, "it never came to that")
        time.sleep(0.05)


def expect_told(world, coordinator, port, what):
    """In the log, to a probe, a scraper and doctor; at once where it is asked."""
    coordinator.wait_line(
        rf"the store has not answered for \d+ s: {what}")
    until(lambda: get(port, "health")[0] == 503)
    status, text = get(port, "health")
    expect(status == 503 and "the store has not answered" in text, text)
    silence = get(port, "metrics")[1].split(
        "\nsuperstep_store_silent_seconds ")[1].split()[0]
    expect(int(silence) >= 1, f"silent for {silence} s")
    found = {item["finding"]: item["text"]
             for item in world.ask("doctor", status=1)}
    expect("the store has not answered" in found.get("store-silent", ""),
           f"{found}")


def expect_mended(coordinator, port):
    coordinator.wait_line("the store answers again")
    until(lambda: get(port, "health") == (200, "ok\n"))


def detach(world, thread):
    """A run that nobody waits for; its acceptance waits for the store."""
    return world.command("run", "hello", "--thread", thread, "--input",
                         '{"name": "Ada"}')


def test_a_lock_in_the_database_is_told_and_holds_no_stop():
    with World() as world, postgres.Postgres() as server:
        store = ("--store", server.url())
        coordinator = world.coordinator(
            *store, *METRICS, "--drain-ms", "500")
        port = port_of(coordinator)
        world.worker(HELLO)
        world.do("run", "hello", "--thread", "before", "--input",
                 '{"name": "Ada"}')
        lock = postgres.Lock(server)
        first = detach(world, "first")
        expect_told(world, coordinator, port, "it is to read thread first")
        lock.close()
        expect_mended(coordinator, port)
        expect(first.wait() == 0, first.text())
        lock = postgres.Lock(server)
        second = detach(world, "before")
        expect_told(world, coordinator, port, "it is to write thread before")
        coordinator.kill(signal.SIGTERM)
        expect(coordinator.wait() == STORE_FAILED, coordinator.text())
        text = coordinator.text()
        expect("1024 shards are still ours until the lease ends" in text, text)
        expect("shards let go" not in text, text)
        lock.close()
        world.coordinator(*store)
        expect(second.wait() == 0, second.text())
        world.do("run", "hello", "--thread", "first", "--input",
                 '{"name": "Ada"}')


def expect_reads_fail_at_once(world):
    """None waits for the store, and so none behind another."""
    begun = time.monotonic()
    reads = [world.command(*words) for words in (
        ("state", "cold"), ("history", "cold"), ("thread", "cold"),
        ("explain", "-t", "cold"), ("journal", "cold"), ("runs",), ("threads",))]
    for read in reads:
        expect(read.wait() == 1, read.text())
        expect("the store has not answered" in read.text("err"), read.text())
    took_s = time.monotonic() - begun
    expect(took_s < STORE_TRIES_S, f"they took {took_s} s")


def test_with_postgresql_away_it_is_live_and_not_ready():
    with World() as world, postgres.Postgres() as server:
        coordinator = world.coordinator("--store", server.url(), *METRICS,
                                        "--cluster-lease-ms", "1000")
        port = port_of(coordinator)
        until(lambda: get(port, "ready") == (200, "ok\n"))
        # Silence is told after three seconds, the lease ends before.
        lock = postgres.Lock(server, "members")
        until(lambda: get(port, "ready")[0] == 503)
        text = get(port, "ready")[1]
        expect(text == "it has no lease, and owns no thread\n", text)
        lock.close()
        until(lambda: get(port, "ready") == (200, "ok\n"))
        server.stop()
        until(lambda: "cannot connect" in get(port, "ready")[1])
        until(lambda: "superstep_shards_owned 0\n" in get(port, "metrics")[1])
        expect(get(port, "live") == (200, "ok\n"), "a restart helps nobody")
        at = f"127.0.0.1:{port}"
        world.do("health", at, status=1)
        expect_reads_fail_at_once(world)
        expect(world.do("health", at, "--live") == "ok", "not live")
        expect(world.do("health", at, "--live", "--json") == '{"live": true}',
               "JSON")
        server.start()
        until(lambda: get(port, "ready") == (200, "ok\n"))
        expect(world.do("runs") == "There are no runs yet.", "it cannot be read again")


def test_a_database_that_takes_no_writes_is_told_to_who_waits():
    with World() as world, postgres.Postgres() as server:
        store = ("--store", server.url())
        coordinator = world.coordinator(*store)
        world.worker(HELLO)
        world.do("run", "hello", "--thread", "before", "--input",
                 '{"name": "Ada"}')
        server.stop()
        server.settings = ["default_transaction_read_only=on"]
        server.start()
        waits = world.command("run", "hello", "--thread", "new", "--input", "{}")
        waits.wait_line("it waits: the store has not answered for .*"
                        "takes no writes")
        waits.kill()
        read = world.command("state", "cold", "--graph", "hello")
        expect(read.wait() == 1, read.text())
        expect("takes no writes" in read.text("err"), read.text())
        found = {item["finding"]: item["text"]
                 for item in world.ask("doctor", status=1)}
        expect("takes no writes" in found.get("store-silent", ""), f"{found}")
        coordinator.kill()
        coordinator = world.coordinator(*store, wait=False)
        expect(coordinator.wait() == 1, coordinator.text())
        expect("takes no writes" in coordinator.text(), coordinator.text())
        server.stop()
        server.settings = []
        server.start()
        world.coordinator(*store)
        expect(world.ask("state", "before")["values"], "it is gone")


def test_a_stop_says_what_was_let_go():
    with World() as world, postgres.Postgres() as server:
        coordinator = world.coordinator("--store", server.url())
        expect(coordinator.stop() == 0, coordinator.text())
        expect("1024 shards let go" in coordinator.text(), coordinator.text())


def start_behind_a_lock(server, world):
    """One that starts while somebody holds what its start reads."""
    lock = postgres.Lock(server, "format")
    coordinator = world.coordinator(
        "--store", server.url(), *METRICS, wait=False)
    port = port_of(coordinator)
    coordinator.wait_line(
        r"starting: the store has not answered for \d+ s: it is to open")
    until(lambda: "not answered" in get(port, "health")[1])
    expect(get(port, "health")[0] == 503, "it is not well")
    expect("superstep_store_silent_seconds 0\n" not in
           get(port, "metrics")[1], "it is silent")
    return lock, coordinator, port


def test_a_start_behind_a_lock_is_told_and_can_be_ended():
    with World() as world, postgres.Postgres() as server:
        world.coordinator("--store", server.url()).stop()
        lock, coordinator, _ = start_behind_a_lock(server, world)
        coordinator.kill(signal.SIGTERM)
        expect(coordinator.wait() == STORE_FAILED, coordinator.text())
        expect("asked to stop, and does not wait on" in
               coordinator.text(), coordinator.text())
        lock.close()
        lock, coordinator, port = start_behind_a_lock(server, world)
        lock.close()
        expect_mended(coordinator, port)
        coordinator.wait_line("listening on")
        expect(coordinator.stop() == 0, coordinator.text())


def start_without_shards(server, world):
    """One that starts while somebody holds the table of its first shards."""
    lock = postgres.Lock(server, "shards")
    return lock, world.coordinator("--store", server.url(), *METRICS, wait=False)


def test_a_start_that_waits_for_its_shards_can_be_ended():
    with World() as world, postgres.Postgres() as server:
        world.coordinator("--store", server.url()).stop()
        lock, coordinator = start_without_shards(server, world)
        told = coordinator.wait_line(r"the store has not answered for .*")[0]
        expect("starting" not in told and "listening on" not in
               coordinator.text(), coordinator.text())
        coordinator.kill(signal.SIGTERM)
        expect(coordinator.wait() == STORE_FAILED, coordinator.text())
        expect("listening on" not in coordinator.text(), coordinator.text())
        # Nobody was told anything: it does not wait as one that stops.
        waited = re.findall(r"not answered for (\d+) s", coordinator.text())
        expect(int(waited[-1]) < LEAVE_S, coordinator.text())
        lock.close()
        lock, coordinator = start_without_shards(server, world)
        port_of(coordinator)
        coordinator.kill(signal.SIGTERM)
        lock.close() # the store was slow, and that is all
        expect(coordinator.wait() == 0, coordinator.text())
        expect("listening on" not in coordinator.text(), coordinator.text())


# Half of the shards are another's to claim, who never does.
GHOST = """
INSERT INTO superstep.members SELECT 'ghost', 'tcp://127.0.0.1:1', epoch,
    now() + interval '1 hour', false, row_format
    FROM superstep.members LIMIT 1"""


def start_with_some_shards(server, world):
    """One that has found runs and sent their tasks, waits for more shards, and
    can write no row. None: it waited no longer before that was told."""
    lock = postgres.Lock(server, mode="EXCLUSIVE")
    world.worker(HELLO, wait=False)
    coordinator = world.coordinator(
        "--store", server.url(), "--drain-ms", "600000", wait=False)
    coordinator.wait_line("the store has not answered for .*")
    if "listening on" not in coordinator.text():
        return lock, coordinator
    coordinator.kill()
    lock.close()
    return None


def test_a_start_that_has_some_shards_can_be_ended():
    with World() as world, postgres.Postgres() as server:
        coordinator = world.coordinator("--store", server.url())
        world.worker(HELLO).kill()
        for i in range(16): # some are of shards that it claims again
            world.do("run", "hello", "--thread", f"t{i}", "--input",
                     '{"name": "Ada"}', "--detach")
        server.sql(GHOST)
        expect(coordinator.stop() == 0, coordinator.text())
        server.sql("UPDATE superstep.shards SET owner = ''")
        for _ in range(harness.TRIES):
            started = start_with_some_shards(server, world)
            if started:
                break
        expect(started, "each start heard of its shards too late")
        lock, coordinator = started
        coordinator.kill(signal.SIGTERM)
        expect(coordinator.wait() == STORE_FAILED, coordinator.text())
        lock.close()


def hanging_disk(world):
    source = world.path("hanging_disk.c")
    source.write_text(HANGING_DISK, encoding="utf-8")
    return world.compile(source)


def test_a_disk_that_hangs_is_told_and_holds_no_stop():
    with World() as world:
        hang = world.path("hang")
        coordinator = world.start(
            "coordinator", "env", f"LD_PRELOAD={hanging_disk(world)}",
            # A sanitizer would be the first library that is loaded.
            "ASAN_OPTIONS=verify_asan_link_order=0", f"HANG={hang}", BIN / "superstep-coordinator", "--listen",
            harness.ANY_PORT, "--db", world.path("superstep.db"), *METRICS,
            "--drain-ms", "500")
        world.endpoint = coordinator.wait_line(r"listening on ([^\s,]+)")[1]
        port = port_of(coordinator)
        world.worker(HELLO)
        world.do("run", "hello", "--thread", "before", "--input",
                 '{"name": "Ada"}')
        hang.touch()
        run = detach(world, "after")
        expect_told(world, coordinator, port, "it is to write thread after")
        coordinator.kill(signal.SIGTERM)
        expect(coordinator.wait() == STORE_FAILED, coordinator.text())
        expect("What was acknowledged is kept" in coordinator.text(),
               coordinator.text())
        world.coordinator()
        run.kill()
        state = world.ask("state", "before")
        expect(state["values"], json.dumps(state))


if __name__ == "__main__":
    if postgres.missing():
        print(postgres.missing())
        sys.exit(77)
    harness.main(globals())
