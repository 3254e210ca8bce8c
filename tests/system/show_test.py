#!/usr/bin/env python3
"""superstep show and top: what operators look at."""

import json
import signal

from harness import LIB, World, expect, main

HELLO = LIB / "libhello.so"
LISTS = ("runs", "threads", "graphs", "tasks", "workers", "leases",
         "coordinators", "limits", "config")


def test_everything_that_can_be_shown_is_shown():
    with World() as world:
        world.coordinator()
        world.worker(HELLO, capacity=3)
        world.do("run", "hello", "--thread", "t", "--input",
                 '{"name": "Ada"}')
        shown = {what: world.ask("show", what) for what in LISTS}
        for what in LISTS:
            expect(isinstance(shown[what], list), f"{what}: {shown[what]}")
            expect(world.do("show", what).strip(), f"{what} is silent")
        expect(shown["runs"][0]["thread"] == "t", str(shown["runs"]))
        expect(shown["threads"][0]["thread"] == "t", str(shown["threads"]))
        expect(shown["workers"][0]["capacity"] == 3, str(shown["workers"]))
        expect(shown["tasks"] == [], str(shown["tasks"]))
        left = shown["leases"][0]["lease_left_ms"]
        expect(0 <= left <= 1500, f"a lease of 1500 ms has {left} left")
        expect(shown["coordinators"] == [
            {"endpoint": world.endpoint, "shards": 1024, "self": True}],
            str(shown["coordinators"]))
        limits = {item["name"]: item for item in shown["limits"]}
        expect(limits["connections"]["now"] >= 1, str(limits))
        config = {item["name"]: item["value"] for item in shown["config"]}
        expect(config["lease-ms"] == 1500, str(config))
        expect(config["listen"] == world.endpoint, str(config))


def test_what_cannot_be_shown_gets_a_hint():
    with World() as world:
        world.coordinator()
        process = world.command("show", "worker")
        expect(process.wait() == 2, process.text())
        expect("workers" in process.text("err"), process.text())


def test_tasks_that_wait_and_tasks_that_run():
    with World() as world:
        world.coordinator()
        worker = world.worker(HELLO)
        worker.stop()
        world.do("run", "hello", "--thread", "t", "--detach", "--input",
                 '{"name": "Ada"}')
        tasks = world.ask("show", "tasks")
        expect(len(tasks) == 1 and tasks[0]["state"] == "ready" and
               tasks[0]["node"] == "greet" and tasks[0]["thread"] == "t",
               str(tasks))


def test_top_looks_again_and_again_until_it_is_stopped():
    with World() as world:
        world.coordinator()
        world.worker(HELLO)
        text = world.do("top", "--once")
        expect("workers 1" in text and "worker1" in text, text)
        live = world.command("top", "--interval-ms", "100", "--json")
        for count in range(3):
            with live.changed:
                live.changed.wait_for(lambda: len(live.lines) > count, 60)
        live.kill(signal.SIGINT)
        expect(live.wait() == 0, live.text())
        frames = [json.loads(line) for line in live.text("out").splitlines()]
        expect(len(frames) >= 3, live.text())
        expect(frames[0]["workers"][0]["worker"] == "worker1", str(frames[0]))


if __name__ == "__main__":
    main(globals())
