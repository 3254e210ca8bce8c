"""Runs that wait for their turn on a thread survive a coordinator that is killed."""

from harness import LIB, World, expect, main

HELLO = LIB / "libhello.so"


def ask(world, run, *more):
    return world.ask("run", "hello", "--thread", "t", "--run", run, "--detach",
                     "--input", '{"name": "%s"}' % run, *more)


def statuses(world):
    return {run["run"]: run["status"] for run in world.ask("runs")}


def test_runs_that_wait_survive_a_kill_in_their_order():
    with World() as world:
        coordinator = world.coordinator()
        world.worker(HELLO).stop()  # its graph is known now, and nobody serves
        expect(ask(world, "r4")["status"] == "running", "the first one waits")
        for run in ("r3", "r2", "r1"):
            answer = ask(world, run, "--if-busy", "enqueue")
            expect(answer["status"] == "queued", f"{answer}")
        world.do("run", "hello", "--thread", "t", "--input", "null", status=1)
        expect(world.ask("cancel", "r2")["status"] == "cancelled", "r2")
        coordinator.kill()
        world.coordinator()
        is_as = {"r4": "running", "r3": "queued", "r2": "cancelled",
                 "r1": "queued"}
        expect(statuses(world) == is_as, f"{statuses(world)}")
        world.worker(HELLO)
        log = world.ask("attach", "r1")["output"]["log"]
        expect(log == [word for name in ("r4", "r3", "r1")
                       for word in (f"hello {name}", "HELLO")], f"{log}")
        expect(world.ask("cancel", "r4")["status"] == "done", "it has ended")


def test_a_run_is_taken_back_from_the_file_too():
    with World() as world:
        coordinator = world.coordinator()
        worker = world.worker(HELLO)
        world.ask("run", "hello", "--thread", "t", "--input",
                  '{"name": "Ada"}')
        before = world.ask("state", "t")
        worker.stop()
        ask(world, "r1")
        ask(world, "r2", "--if-busy", "enqueue")
        world.ask("cancel", "r1", "--rollback")
        world.ask("cancel", "r2", "--rollback")
        coordinator.kill()
        world.coordinator()
        expect(len(world.ask("runs")) == 1, f"{world.ask('runs')}")
        after = world.ask("state", "t")
        expect(after == before, f"{after} instead of {before}")


if __name__ == "__main__":
    main(globals())
