"""Two versions of an application: a run stays on its own until it is moved."""

import pathlib
import time

from harness import DEADLINE_S, World, expect, main

SOURCE = pathlib.Path(__file__).parent / "app" / "versions.c"


def build(world):
    apps = []
    for name, flags in (("first", []), ("second", ["-DSECOND"])):
        made = pathlib.Path(world.compile(SOURCE, *flags))
        apps.append(made.rename(made.with_name(name + ".so")))
    return apps


def begin(world, run, thread, *more):
    return world.ask("run", "letter", "--run", run, "--thread", thread,
                     "--detach", "--input", '{"log": []}', *more)


def wait_explained(world, run, words):
    """Until `explain` says so: a run that was found is planned a moment later."""
    end = time.monotonic() + DEADLINE_S
    while words not in (said := world.do("explain", run)):
        expect(time.monotonic() < end, said)


def test_a_run_waits_for_its_version_and_moves_when_it_is_told():
    with World() as world:
        first, second = build(world)
        coordinator = world.coordinator()
        world.worker(first).stop()  # it is known now, and nobody serves it
        begin(world, "r1", "t")
        begin(world, "r2", "t", "--if-busy", "enqueue")
        begin(world, "r3", "u")
        world.worker(second)
        begin(world, "r4", "v")  # a new one is of the new version
        log = world.ask("attach", "r4")["output"]["log"]
        expect(log == ["draft", "sign"], f"{log}")
        coordinator.kill()
        world.coordinator()
        wait_explained(world, "r1", "no worker serves this version")
        moved = world.ask("migrate", "r1")
        expect(moved["from"] != moved["to"], f"{moved}")
        log = world.ask("attach", "r1")["output"]["log"]
        expect(log == ["draft", "sign"], f"{log}")
        said = world.do("migrate", "--graph", "letter", "--from",
                        moved["from"][:8])
        expect("run r2 moves" in said and "run r3 moves" in said
               and "r4" not in said, said)
        log = world.ask("attach", "r2")["output"]["log"]
        expect(log == ["draft", "sign"] * 2, f"{log}")
        log = world.ask("attach", "r3")["output"]["log"]
        expect(log == ["draft", "sign"], f"{log}")
        said = world.do("migrate", "--graph", "letter")
        expect("no run of graph letter is under way" in said, said)


def test_a_copy_keeps_what_the_version_at_work_lacks():
    with World() as world:
        first, second = build(world)
        world.coordinator()
        worker = world.worker(first)
        world.ask("run", "shelf", "--thread", "t", "--input", '{"count": 0}')
        worker.stop()
        worker = world.worker(second)
        world.ask("run", "shelf", "--thread", "t", "--input", '{"count": 0}')
        world.ask("update", "t", "--values", "null", "--as", "__copy__")
        worker.stop()
        world.worker(first)
        values = world.ask("state", "t")["values"]
        expect(values == {"count": 2, "extra": "keep me"}, f"{values}")


if __name__ == "__main__":
    main(globals())
