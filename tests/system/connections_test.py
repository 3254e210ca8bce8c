"""A coordinator whose rows go to PostgreSQL by several connections: killed, and
cut off from some of them, again and again. All runs finish, nothing is written
twice."""

import sys

import harness
import postgres
from cluster_test import Cluster
from harness import World, expect

RUNS = 40
SESSIONS = "pg_stat_activity WHERE application_name = 'superstep'"


def in_flight(cluster):
    return sum(node == "b" for *_, node, _ in cluster.ran())


def test_a_kill_loses_nothing_and_fewer_connections_go_on():
    with World() as world, postgres.Postgres() as server:
        cluster = Cluster(world, server, coordinators=1, workers=1,
                          more=("--store-connections", "4"))
        expect(server.sql("SELECT string_agg(actor::text, ' ' ORDER BY actor)"
                          " FROM superstep.fences") == "0 1 2 3", "fences")
        # One more for leases, and one for lists.
        expect(server.sql(f"SELECT count(*) FROM {SESSIONS}") == "6",
               "sessions")
        with cluster.gate_shut():
            threads = cluster.ask_runs(RUNS)
            cluster.until(lambda: in_flight(cluster) == RUNS, "all runs")
            cluster.coordinators[0].kill()
        before = server.sql("SELECT max(epoch) FROM superstep.fences")
        world.endpoint = cluster.endpoints[0]
        world.coordinator("--store", server.url(), "--store-connections", "2")
        cluster.until(lambda: cluster.runs_ended(cluster.endpoints[0], RUNS),
                      "the end")
        cluster.check(cluster.endpoints[0], sum(threads.values(), []))
        # What had the other two has no epoch any more.
        expect(server.sql(
            f"SELECT count(*) FILTER (WHERE epoch > {before} + 1) FROM"
            " superstep.fences") == "2", "epochs of those that go on")


def test_connections_that_are_cut_are_made_again():
    with World() as world, postgres.Postgres() as server:
        cluster = Cluster(world, server, coordinators=1, workers=1,
                          more=("--store-connections", "3"))
        with cluster.gate_shut():
            threads = cluster.ask_runs(RUNS)
            cluster.until(lambda: in_flight(cluster) == RUNS, "all runs")
            server.sql(f"SELECT pg_terminate_backend(pid) FROM {SESSIONS}"
                       " ORDER BY pid OFFSET 1 LIMIT 2")
        # While they go on: the oldest session, twice as many as there are.
        for _ in range(8):
            server.sql(f"SELECT pg_terminate_backend(pid) FROM {SESSIONS}"
                       " ORDER BY backend_start LIMIT 1")
            cluster.runs_ended(cluster.endpoints[0], RUNS)
        cluster.until(lambda: cluster.runs_ended(cluster.endpoints[0], RUNS),
                      "the end")
        cluster.check(cluster.endpoints[0], sum(threads.values(), []))
        expect(cluster.coordinators[0].is_running(), "it went on")


if __name__ == "__main__":
    reason = postgres.missing()
    if reason:
        print(f"SKIPPED: {reason}")
        sys.exit(77)
    harness.main(globals())
