"""Old threads go, by a command that looks at all of them."""

import json
import sqlite3
import time

from harness import DEADLINE_S, LIB, World, expect, main

HELLO = LIB / "libhello.so"


def retain(world, *words):
    return world.ask("retain", *words)


def until(world, words, condition):
    """Ask again until it is so: threads grow old by themselves."""
    end = time.monotonic() + DEADLINE_S
    while True:
        counts = retain(world, *words)
        if condition(counts):
            return counts
        expect(time.monotonic() < end, f"still {counts}")


def test_threads_that_nobody_used_go_and_those_that_wait_stay():
    with World() as world:
        world.coordinator()
        world.worker(HELLO)
        world.worker(LIB / "libdigest.so")
        # More than a page of the command would be slow here; three are some.
        for name in ("a", "b", "c"):
            world.do("run", "hello", "--thread", name, "--input",
                     '{"name": "Ada"}')
        world.do("run", "digest", "--thread", "asks", "--input",
                 '{"folder": "/usr/share/common-licenses", "report": "%s"}'
                 % world.path("report.md"), status=3)
        counts = retain(world, "--delete-after", "1h", "--prune-after", "1h")
        expect(counts == {"threads": 4, "deleted": 0, "pruned": 0, "used": 4,
                          "waiting": 0, "damaged": 0, "cached": 0},
               f"{counts}")
        until(world, ["--prune-after", "1s"],
              lambda counts: counts["pruned"] == 4 or len(
                  world.ask("history", "a")) == 1)
        # What waits is pruned at most; its answer is taken all the same.
        until(world, ["--delete-after", "1s"],
              lambda counts: counts["threads"] == 1)
        names = [thread["thread"] for thread in world.ask("threads")]
        expect(names == ["asks"], f"{names} are left")
        world.do("resume", "asks", "--value", "true")
        expect(world.path("report.md").exists(), "there is no report")


def test_a_thread_whose_rows_are_damaged_keeps_no_other_from_going():
    with World() as world:
        coordinator = world.coordinator()
        world.worker(HELLO)
        for name in ("a", "b", "c"):
            world.do("run", "hello", "--thread", name, "--input",
                     '{"name": "Ada"}')
        coordinator.stop()
        file = sqlite3.connect(world.path("superstep.db"))
        file.execute("UPDATE journal SET body = x'00' WHERE thread = 'b'")
        file.commit()
        file.close()
        world.coordinator()
        end = time.monotonic() + DEADLINE_S
        while True:  # threads grow old by themselves
            command = world.command("retain", "--json", "--delete-after", "1s")
            expect(command.wait() == 1, command.text())
            counts = json.loads(command.text("out"))
            expect(counts["damaged"] == 1, f"{counts}")
            if counts["threads"] == 1:
                break
            expect(time.monotonic() < end, f"still {counts}")
        expect("thread b" in command.text("err"), command.text("err"))


def test_a_wrong_age_is_refused():
    with World() as world:
        world.coordinator()
        for words in (["--delete-after", "soon"], ["--prune-after", "-1d"],
                      ["--delete-after", "0d"], []):
            done = world.command("retain", *words)
            expect(done.wait() == 2, f"{words}: {done.text()}")
            expect("superstep retain --help" in done.text("err"),
                   done.text())


if __name__ == "__main__":
    main(globals())
