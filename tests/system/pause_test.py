"""`superstep pause`: graphs whose tasks wait until `unpause`, over whatever is
killed meanwhile; on two coordinators and one PostgreSQL, and on one alone."""

import fcntl
import pathlib
import sys

import harness
import postgres
from cluster_test import NODES, Cluster, moved_state
from harness import World, expect

APP = pathlib.Path(__file__).parent / "app/effects.c"
RUNS = 6


def ran(cluster):
    """(thread, node): a body that ran twice (a lease was lost) counts once."""
    return {(thread, node) for _, _, thread, node, _ in cluster.ran()}


def waits_of(cluster, endpoint, run):
    explained = cluster.at(endpoint, "explain", run)
    return [wait["why"] for wait in explained["waits"]]


def test_a_pause_is_everybodys_and_outlives_whoever_was_told():
    with World() as world, postgres.Postgres() as server:
        cluster = Cluster(world, server, coordinators=2, workers=1)
        cluster.until(cluster.is_even, "even shards")
        one, two = cluster.endpoints
        with cluster.gate_shut():
            owned = cluster.ask_runs(RUNS)
            names = sum(owned.values(), [])
            before = {(name, node) for name in names for node in "ab"}
            cluster.until(lambda: ran(cluster) == before, "b everywhere")
            answer = cluster.at(one, "pause", "effects", "--reason", "ill")
            expect(answer["status"] == "paused", f"{answer}")
            cluster.until(lambda: cluster.at(two, "show", "pauses"),
                          "the other one to know it")
        # What ran ends, and is stored; the next superstep waits.
        threads = {run["thread"]: run["run"]
                   for run in cluster.at(one, "runs")}
        for endpoint in cluster.endpoints:
            for thread in owned[endpoint]:
                cluster.until(
                    lambda at=endpoint, it=threads[thread]:
                    waits_of(cluster, at, it) == ["paused"], "the pause")
        cluster.coordinators[0].kill()
        cluster.until(lambda: cluster.shards() == {two: 1024}, "the takeover")
        cluster.endpoints = [two]
        for thread in owned[one]:
            cluster.until(lambda it=threads[thread]:
                          waits_of(cluster, two, it) == ["paused"],
                          "the pause at the other one")
        cluster.until(lambda: cluster.asks(two, "late-run"), "a new run")
        expect(ran(cluster) == before, f"{ran(cluster) ^ before}")
        runs = cluster.at(two, "runs")
        expect(all(run["paused"]["reason"] == "ill" for run in runs),
               f"{runs}")
        cluster.at(two, "unpause", "effects")
        cluster.until(lambda: cluster.runs_ended(two, RUNS + 1), "the end")
        everyone = names + ["late-run"]
        cluster.check(two, everyone)
        for thread in everyone:
            values = moved_state(cluster, thread)
            expect(values == {"log": NODES}, f"{thread}: {values}")


def test_it_is_there_when_the_coordinator_comes_back():
    with World() as world:
        coordinator = world.coordinator()
        gate, ran = world.path("gate"), world.path("ran")
        gate.touch()
        ran.touch()
        world.worker(world.compile(APP), f"{ran}:{gate}")
        said = world.do("pause", "effects", "--reason", "the model is ill")
        expect("graph effects is paused" in said, said)
        expect(coordinator.stop() == 0, coordinator.text())
        again = world.coordinator()
        world.do("run", "effects", "--thread", "t", "--input", "{}",
                 "--detach")
        said = world.do("explain", "--thread", "t")
        expect("graph effects is paused since" in said
               and "the model is ill. superstep unpause effects" in said, said)
        expect("running, paused" in world.do("runs"), world.do("runs"))
        expect("the model is ill" in world.do("top", "--once"), "top")
        found = world.ask("doctor", status=1)
        expect("paused" in [it["finding"] for it in found], f"{found}")
        expect(ran.read_text() == "", ran.read_text())
        world.do("unpause", "effects")
        again.wait_line("graph effects goes on")
        world.do("attach", world.ask("runs")[0]["run"])
        nodes = {line.split()[3] for line in ran.read_text().splitlines()}
        expect(nodes == set(NODES), ran.read_text())
        expect("Nothing is paused" in world.do("show", "pauses"), "pauses")


def test_a_waiting_run_says_why_to_who_asks_for_it():
    with World() as world:
        world.coordinator()
        gate, ran = world.path("gate"), world.path("ran")
        gate.touch()
        ran.touch()
        world.worker(world.compile(APP), f"{ran}:{gate}")
        with open(gate, "r", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            run = world.command("run", "effects", "--thread", "t", "--input",
                                "{}", "--progress")
            while " b " not in ran.read_text():
                world.do("runs")
            world.do("pause", "--all", "--reason", "the move")
            fcntl.flock(file, fcntl.LOCK_UN)
        run.wait_line("it waits: everything is paused since .*: the move")
        world.do("unpause", "--all")
        expect(run.wait() == 0, run.text())


if __name__ == "__main__":
    reason = postgres.missing()
    if reason:
        print(f"SKIPPED: {reason}")
        sys.exit(77)
    harness.main(globals())
