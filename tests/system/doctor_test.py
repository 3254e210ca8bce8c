#!/usr/bin/env python3
"""superstep doctor names what is wrong, and the remedy: each misconfiguration is
planted alone, and what is well is called so."""

import json
import os
import re
import resource
import sqlite3
import subprocess
import sys
import time

import postgres
from harness import BIN, DEADLINE_S, LIB, ROOT, World, expect, main

HELLO = LIB / "libhello.so"
APPS = ROOT / "tests/system/app"
# What it must say is to be done, by what is wrong: all that it knows.
REMEDY = {
    "store": "Look at --store",
    "schema-old": "take a backup first",
    "schema-new": "Start the newer version",
    "schema-foreign": "?schema=NAME",
    "rights": "GRANT the user",
    "fsync": "Set fsync = on",
    "synchronous-commit": "Set synchronous_commit = on",
    "full-page-writes": "Set full_page_writes = on",
    "read-only": "Name the primary",
    "clock": "Let NTP",
    "disk": "Make room",
    "folder": "Make the folder",
    "reach": "superstep keys new",
    "key": "superstep keys new --keys DIR",
    "key-exposed": "chmod 600",
    "nobody-allowed": "superstep keys new worker",
    "variable": "Correct its name",
    "heartbeat": "a fifth of --lease-ms",
    "processes": "--store with PostgreSQL",
    "descriptors": "ulimit -n",
    "coordinator": "--coordinator, SUPERSTEP_COORDINATOR",
    "store-silent": "a lock that",
    "store-slow": "--cluster-lease-ms",
    "not-ready": "One that has just started is ready within seconds",
    "damaged": "Restore the database",
    "coordinator-unreached": "--advertise",
    "no-worker": "superstep-worker --app",
    "paused": "superstep unpause",
    "not-served": "the application that has this graph",
    "no-label": "--label",
    "two-versions": "superstep migrate",
    "worker-stuck": "ss_cancelled()",
    "retrying": "superstep explain RUN",
    "crashing": "The worker's log says",
}
planted = set()
not_tried = []


def doctor(world, *words, environment=None, limits=None):
    """What it found, by name; its text for people must say the same."""
    command = [BIN / "superstep"]
    if world.endpoint:
        command += ["--coordinator", world.endpoint]
    machine = world.start("doctor --json", *command, "--json", "doctor",
                          *words, environment=environment, limits=limits)
    status = machine.wait()
    found = json.loads(machine.text("out"))
    expect(status == (1 if found else 0), machine.text())
    people = world.start("doctor", *command, "doctor", *words,
                         environment=environment, limits=limits)
    expect(people.wait() == status, people.text())
    for item in found:
        planted.add(item["finding"])
        expect(REMEDY[item["finding"]] in item["remedy"], str(item))
        for key in ("finding", "remedy"):
            expect(item[key] in people.text("out"), people.text())
    if not found:
        expect("Nothing is wrong." in people.text("out"), people.text())
    return {item["finding"]: item for item in found}


def start_with(world, *options):
    return doctor(world, "--", "--listen", "tcp://127.0.0.1:7433", *options)


def expect_only(found, name, *words):
    expect(list(found) == [name], f"{name} was planted, found: {found}")
    for word in words:
        expect(word in found[name]["text"] + found[name]["remedy"],
               f"no {word!r} in {found[name]}")


# ------------------------------------------------------------ options and keys

def test_a_good_start_is_called_so():
    with World() as world:
        expect(start_with(world, "--db", world.path("x.db")) == {}, "why?")
        expect(not world.path("x.db").exists(), "it made the database")
        expect(start_with(world, "--store", "memory:") == {}, "why?")


def test_times_that_cannot_keep_a_lease():
    with World() as world:
        expect_only(
            start_with(world, "--store", "memory:", "--lease-ms", "1000",
                       "--heartbeat-ms", "1000"),
            "heartbeat", "1000 ms", "--lease-ms")


def test_several_coordinators_on_a_store_of_one():
    with World() as world:
        expect_only(
            start_with(world, "--db", world.path("x.db"), "--processes", "2"),
            "processes", "one coordinator's alone", "PostgreSQL")


def test_beyond_loopback_without_keys():
    with World() as world:
        expect_only(
            doctor(world, "--", "--store", "memory:", "--listen",
                   "tcp://0.0.0.0:7433"),
            "reach", "0.0.0.0", "--keys", "--insecure")


def test_keys_that_are_missing_exposed_or_of_nobody():
    with World() as world:
        keys = world.path("keys")
        start = ("--store", "memory:", "--keys", keys)
        keys.mkdir()
        expect_only(start_with(world, *start), "key", "coordinator.key")
        world.start("keys", BIN / "superstep", "--keys", keys, "keys", "new",
                    "coordinator").wait()
        expect_only(start_with(world, *start), "nobody-allowed", "worker")
        world.start("keys", BIN / "superstep", "--keys", keys, "keys",
                    "new").wait()
        expect(start_with(world, *start) == {}, "why?")
        (keys / "coordinator.key").chmod(0o644)
        expect_only(start_with(world, *start), "key-exposed", "chmod 600")
        (keys / "coordinator.key").chmod(0o600)
        dsn = world.path("dsn")
        dsn.write_text("memory:\n")
        dsn.chmod(0o644)
        found = doctor(world, "--", "--lease-ms", "9000", environment={
            **os.environ, "SUPERSTEP_STORE_FILE": str(dsn)})
        expect_only(found, "key-exposed", str(dsn), "chmod 600")
        (keys / "allowed").write_text("worker ada\n")
        expect_only(start_with(world, *start), "key", "line 1")


def test_a_mistyped_variable():
    environment = {**os.environ, "SUPERSTEP_LEASE_SM": "1000"}
    with World() as world:
        expect_only(doctor(world, "--", "--store", "memory:",
                           environment=environment),
                    "variable", "SUPERSTEP_LEASE_MS?")
        world.endpoint = "tcp://127.0.0.1:9"  # where nobody is
        found = doctor(world, environment=environment)
        expect(set(found) == {"variable", "coordinator"}, str(found))


def test_fewer_descriptors_than_connections():
    def few():
        resource.setrlimit(resource.RLIMIT_NOFILE, (500, 500))
    with World() as world:
        expect_only(doctor(world, "--", "--store", "memory:", limits=few),
                    "descriptors", "500 open files")
        expect(doctor(world, "--", "--store", "memory:",
                      "--connections-max", "100", limits=few) == {}, "why?")


# ------------------------------------------------------------ files

def test_a_folder_that_is_not_there_and_a_file_that_is_no_database():
    with World() as world:
        expect_only(start_with(world, "--db", world.path("no/x.db")),
                    "folder", "No such file")
        world.path("text.db").write_text("this is not a database\n" * 100)
        expect_only(start_with(world, "--db", world.path("text.db")),
                    "store", "text.db", "not a database")
        expect_only(start_with(world, "--store", "mango:x"), "store", "mango")


def test_a_full_disk():
    with World() as world:
        disk = world.path("disk")
        disk.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "superstep", disk]
        if subprocess.run(mount, capture_output=True).returncode != 0:
            not_tried.append("no disk of our own without root")
            print(f"not tried: {not_tried[-1]}")
            return
        try:
            expect_only(start_with(world, "--db", disk / "x.db"), "disk",
                        "MB left", "Make room")
            world.coordinator(db=disk / "x.db")
            world.worker(HELLO)
            expect_only(doctor(world), "disk", "MB left", "Make room")
        finally:
            subprocess.run(["umount", "-l", disk], check=True)


# ------------------------------------------------------------ PostgreSQL

def needs_postgres(test):
    def run():
        why = postgres.missing()
        if why:
            not_tried.append(why)
            print(f"not tried: {why}")
            return
        test()
    return run


def with_store(world, server, **options):
    return start_with(world, "--store", server.url(**options))


@needs_postgres
def test_a_database_that_is_well_or_not():
    with postgres.Postgres() as server, World() as world:
        # The private server of a test may have fsync off for speed.
        server.sql("ALTER SYSTEM SET fsync = on")
        server.sql("ALTER SYSTEM SET full_page_writes = on")
        server.sql("SELECT pg_reload_conf()")
        expect(with_store(world, server) == {}, "why?")
        expect(server.sql("SELECT count(*) FROM pg_namespace WHERE nspname = "
                          "'superstep'") == "0", "it made the schema")
        world.coordinator("--store", server.url()).stop()
        world.endpoint = None
        expect(with_store(world, server) == {}, "why?")

        expect_only(start_with(world, "--store", server.url("nowhere")),
                    "store", "nowhere")
        expect_only(start_with(world, "--store",
                               "postgres://x@127.0.0.1:1/x"),
                    "store", "127.0.0.1:1")

        server.sql("CREATE ROLE clerk LOGIN; GRANT USAGE ON SCHEMA superstep "
                   "TO clerk; GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN "
                   "SCHEMA superstep TO clerk")
        expect_only(
            start_with(world, "--store",
                       server.url().replace("superstep@", "clerk@")),
            "rights", "clerk", 'DELETE on "superstep".journal', "GRANT")

        number = server.sql("SELECT number FROM superstep.format")
        server.sql("UPDATE superstep.format SET number = 1")
        expect_only(with_store(world, server), "schema-old", "format 1")
        server.sql("UPDATE superstep.format SET number = 99")
        expect_only(with_store(world, server), "schema-new", "format 99")
        server.sql(f"UPDATE superstep.format SET number = {number}")
        server.sql("CREATE SCHEMA other; CREATE TABLE other.runs (x int)")
        expect_only(with_store(world, server, schema="other"),
                    "schema-foreign", "other")

        server.sql("ALTER ROLE superstep SET synchronous_commit = off")
        expect(with_store(world, server) == {}, "it waits for the disk itself")
        expect_only(with_store(world, server, synchronous_commit="server"),
                    "synchronous-commit")
        server.sql("ALTER ROLE superstep RESET synchronous_commit")
        server.sql("ALTER ROLE superstep SET default_transaction_read_only "
                   "= on")
        expect_only(with_store(world, server), "read-only")


@needs_postgres
def test_a_database_without_fsync():
    with postgres.Postgres(["fsync=off", "full_page_writes=off"]) as server, \
            World() as world:
        found = with_store(world, server)
        expect(set(found) == {"fsync", "full-page-writes"}, str(found))


@needs_postgres
def test_clocks_that_differ():
    with postgres.Postgres() as server, World() as world:
        # A function in front of the server's own: its clock is an hour ahead.
        server.sql("CREATE SCHEMA fake; CREATE FUNCTION fake.clock_timestamp()"
                   " RETURNS timestamptz LANGUAGE sql AS $$ SELECT "
                   "pg_catalog.clock_timestamp() + interval '1 hour' $$")
        server.sql("ALTER ROLE superstep SET search_path = fake, pg_catalog")
        expect_only(with_store(world, server), "clock", "about 3600 s ahead", "NTP")


# ------------------------------------------------------------ what runs

def test_nobody_answers():
    with World() as world:
        world.endpoint = "tcp://127.0.0.1:9"
        expect_only(doctor(world), "coordinator", "tcp://127.0.0.1:9")


def test_no_worker_a_pause_and_a_graph_that_nobody_serves():
    with World() as world:
        world.coordinator()
        expect_only(doctor(world), "no-worker", "superstep-worker")
        worker = world.worker(HELLO)
        expect(doctor(world) == {}, "why?")
        world.do("pause", "hello", "--reason", "the model is ill")
        expect_only(doctor(world), "paused", "hello", "the model is ill")
        world.do("unpause", "hello")
        expect(doctor(world) == {}, "why?")
        worker.stop()
        world.do("run", "hello", "--detach", "--input", '{"name": "Ada"}')
        found = doctor(world)
        expect(set(found) == {"no-worker", "not-served"}, str(found))
        expect("hello" in found["not-served"]["text"], str(found))


def begin(world, graph):
    world.do("run", graph, "--detach", "--input", "{}")


def wait_found(world, name, *words):
    """It takes a moment until so much has happened."""
    end = time.monotonic() + DEADLINE_S
    while name not in (found := doctor(world)):
        expect(time.monotonic() < end, f"{name} was planted, found: {found}")
        time.sleep(0.05)
    for word in words:
        expect(word in found[name]["text"], f"no {word!r} in {found[name]}")
    return found


def test_versions_that_nobody_serves_or_that_are_two():
    with World() as world:
        first = world.compile(APPS / "versions.c")
        first = first.rename(first.with_name("first.so"))
        second = world.compile(APPS / "versions.c", "-DSECOND")
        world.coordinator()
        world.worker(first).stop()
        begin(world, "letter")
        world.worker(second)
        # The graph is served, and the version of the run is not; runs that
        # ended before do not hide it.
        expect_only(doctor(world), "not-served", "letter", "1 task waits",
                    "superstep migrate")
        world.worker(first)
        expect_only(wait_found(world, "two-versions"), "two-versions",
                    "in version")


def test_what_waits_is_asked_of_the_coordinator():
    with World() as world:
        world.coordinator()
        world.worker(world.compile(APPS / "trouble.c"), None, "--processes",
                     "2", capacity=1)
        begin(world, "gpu")
        expect_only(doctor(world), "no-label", "train", "gpu", "--label")
        begin(world, "busy")
        wait_found(world, "retrying", "fetch", "failed 3 times", "503",
                   "next try in")
        begin(world, "crash")
        found = wait_found(world, "crashing", "signal 9")
        expect(set(found) == {"no-label", "retrying", "crashing"}, str(found))


def test_a_worker_whose_threads_are_kept_by_bodies_that_are_late():
    with World() as world:
        world.coordinator()
        world.worker(world.compile(APPS / "trouble.c"), capacity=1)
        begin(world, "deaf")
        end = time.monotonic() + DEADLINE_S
        while not world.ask("workers")[0].get("stuck"):
            expect(time.monotonic() < end, str(world.ask("workers")))
            time.sleep(0.05)
        expect_only(doctor(world), "worker-stuck", "worker1", "1 thread")


def test_a_dead_endpoint_beside_a_live_one():
    with World() as world:
        world.coordinator()
        world.worker(HELLO)
        world.endpoint += ",tcp://127.0.0.1:9"
        found = doctor(world)
        expect_only(found, "coordinator-unreached", "127.0.0.1:9")
        expect("superstep dev" not in found["coordinator-unreached"]["text"],
               found)


def test_a_store_that_does_not_answer():
    if postgres.missing():
        not_tried.append(postgres.missing())
        return
    with World() as world, postgres.Postgres() as server:
        coordinator = world.coordinator("--store", server.url())
        world.worker(HELLO)
        with postgres.Lock(server):
            run = world.command("run", "hello", "--input", '{"name": "Ada"}')
            coordinator.wait_line("the store has not answered")
            expect_only(doctor(world), "store-silent", "has not answered",
                        "to read thread", "a lock")
        expect(run.wait() == 0, run.text())
        expect(doctor(world) == {}, "why?")


# Each write to that table takes so long (as often as that is said); the rest of
# the database is quick.
SLOW = """
CREATE FUNCTION superstep.slow() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_sleep(1.1); RETURN NULL; END $$;
CREATE TRIGGER slow AFTER {when} ON superstep.{table}
    FOR EACH STATEMENT EXECUTE FUNCTION superstep.slow()"""


def wait_for_slow(world, says):
    """What it says once it has seen some writes, and nothing else of that."""
    end = time.monotonic() + DEADLINE_S
    while True:
        asked = world.command("doctor", "--json")
        asked.wait()
        found = {item["finding"]: item["text"]
                 for item in json.loads(asked.text("out"))}
        if re.fullmatch(says, found.get("store-slow", "")):
            return found
        expect(time.monotonic() < end, f"it never said {says!r}, but {found}")


@needs_postgres
def test_a_store_that_is_slow_is_told_as_such():
    """With the lease that it costs, and where it costs none."""
    with World() as world, postgres.Postgres() as server:
        world.coordinator("--store", server.url(), "--cluster-lease-ms", "1000")
        world.worker(HELLO)
        expect(doctor(world) == {}, "nothing is wrong yet")
        server.sql(SLOW.format(table="members", when="UPDATE"))
        found = wait_for_slow(
            world, r"it has no lease, and owns no thread: the store is slow: its "
            r"last writes took \d\.\d s, \d\.\d s and \d\.\d s")
        expect("not-ready" not in found, f"it is the store: {found}")
    with World() as world, postgres.Postgres() as server:
        world.coordinator("--store", server.url())
        world.worker(HELLO)
        server.sql(SLOW.format(table="journal", when="INSERT"))
        world.do("run", "hello", "--input", '{"name": "Ada"}')
        expect_only(doctor(world), "store-slow",
                    "the store is slow: its last writes took")


def test_a_thread_that_cannot_be_read():
    with World() as world:
        coordinator = world.coordinator()
        worker = world.worker(HELLO)
        world.do("run", "hello", "--thread", "t", "--input",
                 '{"name": "Ada"}')
        worker.stop()
        coordinator.stop()
        with sqlite3.connect(world.path("superstep.db")) as file:
            file.execute("UPDATE journal SET body = x'00' WHERE seq = 1")
        world.coordinator()
        world.worker(HELLO)
        world.do("state", "t", status=1)
        expect_only(doctor(world), "damaged", "thread t: cannot be read")


def member(world, server):
    """One of several coordinators, which are the others of each other for long."""
    world.endpoint = None
    process = world.coordinator("--store", server.url(), "--cluster-lease-ms",
                                "60000")
    process.endpoint = world.endpoint
    return process


def test_a_coordinator_that_is_not_ready_yet_has_no_store_that_is_silent():
    """Its threads are still those of one that was killed."""
    if postgres.missing():
        not_tried.append(postgres.missing())
        return
    with World() as world, postgres.Postgres() as server:
        member(world, server).kill()
        member(world, server)
        found = doctor(world)
        expect("owns no thread yet" in found["not-ready"]["text"], f"{found}")
        expect("store-silent" not in found, f"{found}")


def wait_until_even(server):
    """Each of two has half of the shards."""
    end = time.monotonic() + DEADLINE_S
    while server.sql("SELECT count(*) FROM (SELECT owner FROM superstep.shards"
                     " GROUP BY owner HAVING count(*) = 512) AS half") != "2":
        expect(time.monotonic() < end, "the shards are not shared out")


def count_damaged(coordinator):
    """How much it told of itself, in its log."""
    return coordinator.text().count("damaged: thread")


@needs_postgres
def test_each_of_several_coordinators_is_asked():
    threads = [f"t{number}" for number in range(16)]
    with postgres.Postgres() as server, World() as world:
        alone = member(world, server)
        worker = world.worker(HELLO)
        for thread in threads:
            world.do("run", "hello", "--thread", thread, "--input",
                     '{"name": "Ada"}')
        worker.stop()
        alone.stop()
        server.sql("UPDATE superstep.journal SET body = set_byte(body, 3, 255"
                   " - get_byte(body, 3)) WHERE seq = 2")
        one, two = member(world, server), member(world, server)
        wait_until_even(server)
        worker = world.worker(HELLO)
        for thread in threads:
            world.do("state", thread, status=1)
        for at in (one, two):
            expect(count_damaged(at) < len(threads), "one has read them all")
            world.endpoint = at.endpoint
            found = world.ask("doctor", status=1)
            expect({item["finding"] for item in found} == {"damaged"}
                   and len(found) == len(threads), str(found))
        two.kill()
        world.endpoint = one.endpoint
        found = doctor(world)
        expect(set(found) == {"damaged", "coordinator-unreached"}, str(found))
        expect(two.endpoint in found["coordinator-unreached"]["text"],
               str(found))


def test_keys_of_the_command_itself():
    with World() as world:
        keys = world.path("keys")
        world.start("keys", BIN / "superstep", "--keys", keys, "keys",
                    "new").wait()
        world.coordinator("--keys", keys)
        world.worker(HELLO, None, "--keys", keys)
        expect(doctor(world, "--keys", keys) == {}, "why?")
        expect_only(doctor(world), "coordinator", "--keys")
        (keys / "operator.key").chmod(0o640)
        expect_only(doctor(world, "--keys", keys), "key-exposed")
        (keys / "operator.key").unlink()
        (keys / "client.key").unlink()
        expect_only(doctor(world, "--keys", keys), "key", "client.key")


def test_everything_that_it_can_find_was_planted():
    if sys.argv[1:] or not_tried:
        print("not tried: not everything was planted")
        return
    table = (ROOT / "common/model/finding.def").read_text(encoding="utf-8")
    names = set(re.findall(r'^X\(\w+, "([\w-]+)"', table, re.M))
    expect(names == set(REMEDY), f"{names ^ set(REMEDY)}")
    expect(planted == names, f"never planted: {names - planted}")


if __name__ == "__main__":
    main(globals())
