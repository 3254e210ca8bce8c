#!/usr/bin/env python3
"""superstep show and top: what operators look at."""

import json
import os
import signal
import subprocess

from harness import ANY_PORT, BIN, LIB, World, expect, main

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


def test_a_checkpoint_that_is_not_there_is_refused():
    with World() as world:
        world.coordinator()
        world.worker(HELLO)
        ada = '{"name": "Ada"}'
        world.do("run", "hello", "--thread", "t", "--input", ada)
        before = world.ask("history", "t")
        for words in (["run", "hello", "--thread", "t", "--input", ada],
                      ["update", "t", "--values", ada, "--as", "greet"]):
            command = world.command(*words, "--at", "nonsense")
            expect(command.wait() == 1, command.text())
            expect("thread t has no checkpoint nonsense"
                   in command.text("err"), command.text())
        expect(world.ask("history", "t") == before, "the thread moved")
        at = before[-1]["config"]["checkpoint_id"]
        world.do("run", "hello", "--thread", "t", "--input", ada, "--at", at)


def test_a_history_of_any_length_is_shown():
    with World() as world:
        world.coordinator()
        world.worker(HELLO)
        large = world.path("large.json")
        large.write_text(json.dumps({"name": "x" * 250_000}))
        for _ in range(4):
            world.do("run", "hello", "--thread", "small", "--input",
                     '{"name": "x"}')
            world.do("run", "hello", "--thread", "large", "--input",
                     f"@{large}")
        small, much = (world.ask("history", thread)
                       for thread in ("small", "large"))
        expect(len(json.dumps(much)) > 12_000_000, "one answer can hold it")
        expect(len(small) == len(much), f"{len(small)} and {len(much)}")
        most = len(much) - 1
        less = world.ask("history", "large", "--limit", str(most))
        expect(less == much[:most], f"{len(less)} are not {most}")


def settings_of(world, who):
    return {item["name"]: item for item in world.ask("show", "config")
            if item["of"] == who}


def test_each_setting_is_shown_with_where_it_came_from():
    with World() as world:
        secret = world.path("store")
        secret.write_text(f"sqlite:{world.path('here.db')}\n")
        process = world.start(
            "coordinator", BIN / "superstep-coordinator", "--listen", ANY_PORT,
            "--lease-ms", "1500", environment={
                **os.environ, "SUPERSTEP_STORE_FILE": str(secret),
                "SUPERSTEP_DRAIN_MS": "7000"})
        world.endpoint = process.wait_line(r"listening on ([^\s,]+)")[1]
        world.start(
            "worker1", BIN / "superstep-worker", "--app", HELLO, "--app-arg",
            "name=secret", "--capacity", "3", "--name", "worker1", environment={
                **os.environ, "SUPERSTEP_COORDINATOR": world.endpoint,
                "SUPERSTEP_LABEL": "gpu,large"}).wait_line(r"\bready\b")
        config = settings_of(world, "coordinator")
        for name, value, origin in (
                ("listen", world.endpoint, "flag"),
                ("lease-ms", 1500, "flag"),
                ("drain-ms", 7000, "environment"),
                ("store", f"sqlite {world.path('here.db')}", "file"),
                ("cluster-lease-ms", 5000, "default"),
                ("connections-per-address", 1024, "default")):
            expect(config[name]["value"] == value and
                   config[name]["from"] == origin, str(config[name]))
        expect(config["drain-ms"]["at"] == "SUPERSTEP_DRAIN_MS" and
               config["drain-ms"]["unit"] == "ms", str(config["drain-ms"]))
        expect(config["store"]["at"] == str(secret), str(config["store"]))
        worker = settings_of(world, "worker1")
        for name, value, origin in (
                ("capacity", 3, "flag"), ("app", str(HELLO), "flag"),
                ("label", ["gpu", "large"], "environment"),
                ("app-arg", "(hidden)", "flag"), ("keys", "", "default")):
            expect(worker[name]["value"] == value and
                   worker[name]["from"] == origin, str(worker[name]))
        text = world.do("show", "config")
        for word in ("worker1", "coordinator", "lease-ms", "environment",
                     "SUPERSTEP_DRAIN_MS"):
            expect(word in text, text)
        expect("name=secret" not in text, text)


def test_what_a_setting_cannot_be_is_refused_with_its_range():
    with World() as world:
        for program, words, environment, said in (
                ("superstep-coordinator", ["--lease-ms", "5"], {},
                 "--lease-ms 5: it must be between 100 and 86400000 ms"),
                ("superstep-coordinator", [], {"SUPERSTEP_DRAIN_MS": "soon"},
                 "SUPERSTEP_DRAIN_MS takes a whole number between 1 and "
                 "86400000 ms, not \"soon\""),
                ("superstep-worker", [], {"SUPERSTEP_CAPACITY": "2000"},
                 "SUPERSTEP_CAPACITY 2000: it must be between 1 and 1024 "
                 "tasks"),
                ("superstep-worker", [], {"SUPERSTEP_LOG_JSON": "maybe"},
                 "SUPERSTEP_LOG_JSON is a switch: 1 or 0, not \"maybe\"")):
            process = world.start("refused", BIN / program, *words,
                                  environment={**os.environ,
                                               **environment})
            expect(process.wait() == 2, process.text())
            expect(said in process.text("err"), process.text())


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


def test_what_is_shown_again_and_again_ends_with_its_reader():
    with World() as world:
        world.coordinator()
        for words in (["top", "--interval-ms", "100"], ["runs", "--watch"]):
            with subprocess.Popen(
                    [BIN / "superstep", "--coordinator", world.endpoint,
                     *words], stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE) as live:
                expect(live.stdout.readline(), f"{words}")
                live.stdout.close()  # as `| head -1` does
                try:
                    expect(live.wait(60) == 0, f"{words}")
                finally:
                    live.kill()


def test_a_stream_ends_with_its_reader_and_the_run_goes_on():
    with World() as world:
        world.coordinator()
        worker = world.worker(HELLO)
        expect(world.command("graphs").wait() == 0, "no graph")
        worker.stop()  # so the run waits behind its input
        with subprocess.Popen(
                [BIN / "superstep", "--coordinator", world.endpoint, "run",
                 "hello", "--thread", "t", "--stream", "values", "--input",
                 '{"name": "Ada"}'], stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE) as live:
            try:
                expect(b"Ada" in live.stdout.readline(), "no event")
                live.stdout.close()  # as `| head -1` does
                expect(live.wait(60) == 0, "its status")
                told = live.stderr.read()
                expect(b"The run goes on." in told, told)
            finally:
                live.kill()
        world.worker(HELLO)
        attached = world.command("attach", "--thread", "t")
        expect(attached.wait() == 0, attached.text())


if __name__ == "__main__":
    main(globals())
