"""What is damaged in a store is told by itself: in the log, once, and by doctor;
what is not damaged goes on."""

import json
import sqlite3

import harness
import postgres
from harness import LIB, World, expect

HELLO = LIB / "libhello.so"


def run_hello(world, thread):
    world.do("run", "hello", "--thread", thread, "--input", '{"name": "Ada"}')


def damaged(world):
    """What doctor says of it; a worker and all else is there."""
    process = world.command("doctor", "--json")
    status = process.wait()
    found = json.loads(process.text("out"))
    expect(status == (1 if found else 0), process.text())
    expect(all(item["finding"] == "damaged" for item in found), f"{found}")
    return [item["text"] for item in found]


def expect_told_once(world, coordinator, *words):
    """Each in one line of the log, and in what doctor says."""
    texts = damaged(world)
    expect(len(texts) == len(words), f"{texts} instead of {words}")
    for word in words:
        expect(any(word in text for text in texts), f"no {word!r}: {texts}")
        lines = [line for line in coordinator.text().splitlines()
                 if "damaged: " in line and word in line]
        expect(len(lines) == 1, f"{word!r}:\n{coordinator.text()}")


def play(world, *start, flip, spoil):
    """A row's byte and a graph's description; then everything that looks."""
    coordinator = world.coordinator(*start)
    worker = world.worker(HELLO)
    for thread in ("f", "g"):
        run_hello(world, thread)
    expect(damaged(world) == [], "nothing is damaged yet")
    worker.stop()
    coordinator.stop()
    flip()
    coordinator = world.coordinator(*start)
    worker = world.worker(HELLO)
    for _ in range(2):
        for command in ("state", "history", "journal"):
            process = world.command(command, "f")
            expect(process.wait() == 1, process.text())
            expect("thread f: cannot be read" in process.text(),
                   process.text())
    run_hello(world, "g")
    expect_told_once(world, coordinator, "thread f: cannot be read")
    worker.stop()
    coordinator.stop()
    spoil()
    coordinator = world.coordinator(*start)
    worker = world.worker(HELLO)
    expect_told_once(
        world, coordinator, "its description cannot be read")
    run_hello(world, "g")


def test_what_is_damaged_in_a_file_is_told():
    with World() as world:
        def change(sql):
            with sqlite3.connect(world.path("superstep.db")) as file:
                file.execute(sql)

        play(world,
             flip=lambda: change(
                 "UPDATE journal SET body = x'00' || substr(body, 2)"
                 " WHERE thread = 'f' AND seq = 2"),
             spoil=lambda: change("UPDATE graphs SET value = CAST('{}' AS"
                                  " BLOB)"))


def test_what_is_damaged_in_a_database_is_told():
    if postgres.missing():
        print(f"not tried: {postgres.missing()}")
        return
    with World() as world, postgres.Postgres() as server:
        play(world, "--store", server.url(),
             flip=lambda: server.sql(
                 "UPDATE superstep.journal SET body = set_byte(body, 3,"
                 " 255 - get_byte(body, 3)) WHERE thread = 'f' AND seq = 2"),
             spoil=lambda: server.sql(
                 "UPDATE superstep.graphs SET value = '{}'"))


if __name__ == "__main__":
    harness.main(globals())
