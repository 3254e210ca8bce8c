#!/usr/bin/env python3
"""Logs as JSON: fields say what a line is about."""

import json
import os

from harness import ROOT, World, expect, main

SAYS = ROOT / "tests/system/app/says.c"


def lines_of(process):
    return [json.loads(line) for line in process.text("err").splitlines()]


def start(world):
    coordinator = world.coordinator("--log-json")
    worker = world.worker(world.compile(SAYS), None, "--log-json")
    return coordinator, worker


def run(world, thread, word, status=0):
    return world.ask("run", "says", "--thread", thread, "--input",
                     json.dumps({"word": word}), status=status)


def test_a_line_of_a_body_says_its_run_task_and_epoch():
    with World() as world:
        _, worker = start(world)
        done = run(world, "t", "hello")
        worker.wait_line("I was told")
        line = next(line for line in lines_of(worker)
                    if "I was told" in line["message"])
        epoch = world.ask("top", "--once")["status"]["epoch"]
        expect(line["run"] == done["run"] and line["thread"] == "t" and
               line["epoch"] == epoch and len(line["task"]) == 36, str(line))


def test_a_graph_whose_runs_fail_is_told_once():
    with World() as world:
        coordinator, _ = start(world)
        failed = [run(world, f"t{i}", "fail", status=1) for i in range(3)]
        coordinator.wait_line("failed")
        run(world, "t", "fine")
        lines = [line for line in lines_of(coordinator)
                 if "failed" in line["message"]]
        expect(len(lines) == 1, str(lines))
        expect(lines[0]["run"] == failed[0]["run"] and
               lines[0]["thread"] == "t0" and lines[0]["epoch"] > 0,
               str(lines))
        expect("superstep explain" in lines[0]["message"], str(lines))


def test_a_mistyped_variable_is_told_of_by_every_program():
    os.environ["SUPERSTEP_LEASE_SM"] = "1000"
    says = "SUPERSTEP_LEASE_SM in the environment is not a setting, and has no " \
        "effect. Did you mean SUPERSTEP_LEASE_MS?"
    try:
        with World() as world:
            for process in start(world):
                process.wait_line("SUPERSTEP_LEASE_SM")
                lines = [line for line in lines_of(process)
                         if says in line["message"]]
                expect(len(lines) == 1 and lines[0]["level"] == "warning",
                       process.text())
            command = world.command("graphs")
            expect(command.wait() == 0, command.text())
            expect(f"superstep: warning: {says}" in command.text("err"),
                   command.text())
    finally:
        del os.environ["SUPERSTEP_LEASE_SM"]


if __name__ == "__main__":
    main(globals())
