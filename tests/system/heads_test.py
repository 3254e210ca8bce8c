"""Rows of a SQLite file that were changed or removed at a thread's ends."""

import sqlite3

from harness import LIB, World, expect, main

HELLO = LIB / "libhello.so"
LAST = "seq = (SELECT max(seq) FROM journal WHERE thread = :thread)"
# What is done to a thread of two runs, and what is said of it then.
DAMAGE = {
    "metadata": (f"UPDATE journal SET metadata = '{{\"a\": 1}}' WHERE {LAST}",
                 "it was changed"),
    "time": (f"UPDATE journal SET wall_us = wall_us + 1 WHERE {LAST}",
             "it was changed"),
    # columns that are empty, as the body tells them
    "step": (f"UPDATE journal SET step = 1 WHERE {LAST}", "it was changed"),
    "parent": (f"UPDATE journal SET parent_seq = 1 WHERE {LAST}",
               "it was changed"),
    "body": (f"UPDATE journal SET body = substr(body, 1, 3) || x'77' || "
             f"substr(body, 5) WHERE {LAST}", "it was changed"),
    "last": (f"DELETE FROM journal WHERE {LAST}",
             "the last ones were removed"),
    # so that the first run's end is the last row
    "run": ("DELETE FROM journal WHERE seq > (SELECT min(seq) FROM journal "
            "WHERE kind = 4 AND thread = :thread)",
            "the last ones were removed"),
    "all": ("DELETE FROM journal WHERE 1", "none of its rows is there"),
    "first": ("DELETE FROM journal WHERE seq = 1",
              "that of a row that is not there"),
}


def greet(world, thread, *more):
    world.ask("run", "hello", "--thread", thread, "--input",
              '{"name": "Ada"}', *more)


def edit(world, changes):
    # the coordinator has the file for itself while it is open
    file = sqlite3.connect(world.path("superstep.db"))
    for thread, change in changes.items():
        done = file.execute(f"{change} AND thread = :thread",
                            {"thread": thread})
        expect(done.rowcount > 0, f"{change} does nothing")
    file.commit()
    file.close()


def refused(world, thread, words):
    command = world.command("state", thread)
    expect(command.wait() == 1, command.text())
    said = command.text("err")
    expect(f"thread {thread}: " in said and words in said,
           f"{thread}: {said}")


def test_what_is_changed_or_removed_at_an_end_is_refused_and_others_serve():
    with World() as world:
        coordinator = world.coordinator()
        worker = world.worker(HELLO)
        for thread in [*DAMAGE, "whole", "exit"]:
            for _ in range(2):
                greet(world, thread)
        greet(world, "exit", "--durability", "exit")
        coordinator.stop()
        worker.stop()
        edit(world, {thread: change
                     for thread, (change, _) in DAMAGE.items()})
        world.coordinator()
        world.worker(HELLO)
        for thread, (_, words) in DAMAGE.items():
            refused(world, thread, words)
        for thread in ("whole", "exit"):
            greet(world, thread)
            expect(world.ask("state", thread)["values"]["name"] == "Ada",
                   thread)


def test_what_prunes_copies_and_deletions_leave_is_whole():
    with World() as world:
        coordinator = world.coordinator()
        worker = world.worker(HELLO)
        for thread in ("pruned", "again", "copied", "anew", "moved"):
            for _ in range(3):
                greet(world, thread)
        world.do("prune", "pruned")
        for _ in range(2):
            world.do("prune", "again")
            greet(world, "again")
        world.do("copy", "copied", "copy")
        # Its first runs' records stay; they say nothing of who has its name.
        world.do("prune", "anew")
        world.do("delete", "anew")
        greet(world, "anew")
        coordinator.stop()
        worker.stop()
        coordinator = world.coordinator()
        for thread in ("pruned", "again", "copied", "copy", "anew"):
            expect(world.ask("state", thread)["values"]["name"] == "Ada",
                   thread)
        coordinator.stop()
        edit(world, {thread: DAMAGE["last"][0]
                     for thread in ("pruned", "again", "copy", "anew")})
        world.coordinator()
        for thread in ("pruned", "again", "copy", "anew"):
            refused(world, thread, DAMAGE["last"][1])
        expect(world.ask("state", "copied")["values"]["name"] == "Ada", "")


if __name__ == "__main__":
    main(globals())
