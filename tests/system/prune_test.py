"""A pruned thread's rows are gone from the SQLite file."""

import sqlite3

from harness import LIB, World, expect, main

HELLO = LIB / "libhello.so"


def rows_of(world, thread):
    # the coordinator has the file for itself while it is open
    with sqlite3.connect(world.path("superstep.db")) as db:
        return db.execute("SELECT seq, body FROM journal WHERE thread = ? "
                          "ORDER BY seq", (thread,)).fetchall()


def greet(world, name):
    return world.ask("run", "hello", "--thread", "t", "--input",
                     '{"name": "%s"}' % name)


def test_the_rows_and_their_bytes_are_gone_and_the_rest_goes_on():
    with World() as world:
        coordinator = world.coordinator()
        worker = world.worker(HELLO)
        greet(world, "Oldwordzzz")
        before = greet(world, "Ada")
        answer = world.ask("prune", "t")
        expect(answer["rows"] > 2, f"nothing was pruned: {answer}")
        history = world.ask("history", "t")
        coordinator.stop()
        rows = rows_of(world, "t")
        expect(len(rows) == 2, f"{len(rows)} rows are left")
        expect(not any(b'"Oldwordzzz"' in (body or b"") for _, body in rows),
               "the old input is there")  # its greeting is in the log
        world.coordinator()
        again = world.ask("history", "t")
        expect(again == history, f"{again} instead of {history}")
        worker.stop()
        world.worker(HELLO)
        after = greet(world, "Ada")
        log = before["output"]["log"] + ["hello Ada", "HELLO"]
        expect(after["output"]["log"] == log, f"{after}")


if __name__ == "__main__":
    main(globals())
