"""Backup and restore by PostgreSQL's own tools, as docs/operating tells it."""

import sys

import harness
import postgres
from harness import LIB, World, expect

DIGEST = LIB / "libdigest.so"
FOLDER = "/usr/share/common-licenses"


def ask(world, thread, report):
    """The job, up to its question."""
    world.do("run", "digest", "--thread", thread, "--input",
             f'{{"folder": "{FOLDER}", "report": "{world.path(report)}"}}',
             status=3)


def approve(world, thread, report):
    world.do("resume", thread, "--value", "true")
    return world.path(report).read_bytes()


def test_a_thread_that_waits_is_answered_after_a_restore_elsewhere():
    with World() as world, postgres.Postgres() as server:
        coordinator = world.coordinator("--store", server.url())
        worker = world.worker(DIGEST)
        ask(world, "kept", "before.md")
        history = world.do("history", "kept", "--json")
        # The cluster goes on while its database is dumped.
        dump = server.tool("pg_dump", "-h", server.folder, "-U", "superstep",
                           "-d", "postgres", "-n", "superstep").stdout
        before = approve(world, "kept", "before.md")
        expect(len(before) > 1000, "a short report")
        expect(worker.stop() == 0, "the worker did not drain")
        expect(coordinator.stop() == 0, "the coordinator did not stop")

        # Another server, from the dump: the thread is where it was then.
        with postgres.Postgres() as other:
            other.sql(dump)
            world.coordinator("--store", other.url())
            world.worker(DIGEST)
            expect(world.do("history", "kept", "--json") == history,
                   "the history differs after the restore")
            world.path("before.md").unlink()
            after = approve(world, "kept", "before.md")
            expect(after == before, "the reports differ")
            world.do("state", "kept")


def test_a_run_in_mid_superstep_goes_on_after_a_restore():
    with World() as world, postgres.Postgres() as server:
        effects = world.start_effects()
        coordinator = world.coordinator("--store", server.url())
        hold = world.path("hold")
        hold.mkdir()
        arg = f"log={effects.path} hold=measure/GPL-3:{hold}"
        worker = world.worker(DIGEST, arg)
        run = world.command(
            "run", "digest", "--thread", "half", "--run", "half-run", "--input",
            f'{{"folder": "{FOLDER}", "report": "{world.path("half.md")}"}}',
            "--detach")
        expect(run.wait() == 0, "the run was not accepted")
        # One waits in its body; what the others wrote is on its way to the
        # journal, or there.
        effects.until(lambda lines: any(
            line["name"] == "GPL-3" for line in lines))
        dump = server.tool("pg_dump", "-h", server.folder, "-U", "superstep",
                           "-d", "postgres", "-n", "superstep").stdout
        worker.kill()
        coordinator.kill()
        with postgres.Postgres() as other:
            other.sql(dump)
            world.coordinator("--store", other.url())
            (hold / "release").touch()
            world.worker(DIGEST, arg)
            world.do("attach", "half-run", status=3)
            expect(approve(world, "half", "half.md"), "no report")


if __name__ == "__main__":
    if postgres.missing():
        print(f"*** SKIPPED: {postgres.missing()} ***")
        sys.exit(77)
    harness.main(globals())
