"""The workloads: what each measures, what it leaves out, and all its sides.

A size is a pair: the real one, and one that only shows that it works.
"""

import limits
import ours
import peers
from shapes import ALL, Row, Side, Workload


def us(name, title):
    return [Row(name, title, "us", "less")]


def superstep(measure):
    return [Side("superstep", "ours", measure)]


def durable(measure, rounds=ALL):
    return [Side("superstep", "ours", measure,
                 lambda place: place.no_postgres(), rounds)]


# A peer takes long to start: what its figure says does not hang on a tenth of it.
PEER_ROUNDS = 2


def in_memory(graph, size=(0, 0), runs=(60, 3), rounds=PEER_ROUNDS, **options):
    """All peers that keep what they do in memory, or keep nothing."""
    return [
        Side(f"langgraph {mode}, {text}", "peer", peers.langgraph(
            graph, saver, mode, size, runs, **options), peers.no_langgraph,
            rounds)
        for mode in ("sync", "async")
        for saver, text in (("none", "no saver"), ("memory", "memory"))
    ] + [
        Side(f"langgraph.js, {text}", "peer", peers.langgraph_js(
            graph, saver, size, runs, **options), peers.no_langgraph_js,
            rounds)
        for saver, text in (("none", "no saver"), ("memory", "memory"))
        if graph in peers.JS_GRAPHS
    ]


def stored(store, size, at_once=(1, 1), rounds=PEER_ROUNDS, **options):
    """Every superstep on the disk before the next one begins."""
    made = [
        Side(f"langgraph {mode}, {store}", "peer", peers.langgraph(
            "loop", store, mode, size, at_once, at_once=at_once, **options),
            peers.no_langgraph, rounds)
        for mode in ("sync", "async")
        # The saver's own documentation: its sync one is for one thread.
        if not (store == "sqlite" and at_once[0] > 1 and mode == "sync")]
    made.append(Side(f"langgraph.js, {store}", "peer", peers.langgraph_js(
        "loop", store, size, at_once, at_once=at_once, **options),
        lambda place: peers.no_langgraph_js(place, store), rounds))
    if store == "postgres":
        made.append(Side("dbos, a step", "peer", peers.dbos(
            size, at_once, **options), peers.no_dbos, rounds))
    made.append(Side("temporal, dev server", "peer", None, peers.no_temporal))
    return made


def neograph(graph):
    return [Side("neograph, no store", "peer", peers.neograph(graph),
                 peers.no_neograph)]


HERE = ("all of a run in one process, rows in memory: the request and the "
        "answer as JSON values, entry, supersteps, bodies that do next to "
        "nothing, end; a new thread each time, the median run")
NO_DISK = "disk, sockets, a worker's process; work that bodies do"
CPU = Row("cpu", "processor time of all processes, a superstep", "us", "less")
SUITE = ("a run of LangGraph's own suite as the suite does it: durability "
         "`exit`, what each node updates is streamed, a new thread each time")
WORKER = ("a coordinator, a worker's process and a client, each superstep "
          "durable before the next one begins (`sync`, fsync on)")


def suite(name, title, graph, size=(0, 0), runs=(20, 1), rounds=1):
    return Workload(
        f"suite_{name}", us("run", f"LangGraph's suite, {title}, in process"),
        SUITE, NO_DISK, superstep(ours.here(
            graph, size, runs, suite=True)) + in_memory(
                graph, size, (min(runs[0], 5), 1), rounds, suite=True))


def suite_wide(name, graph, megabytes):
    """Ours encodes each value once for its row; Python hands references on."""
    made = suite(f"wide_{name}", f"wide state {name.replace('x', ' x ')}",
                 graph, runs=(2, 1))
    return made._replace(sides=made.sides + limits.copy(megabytes))


def suite_stored(name, title, graph, size=(0, 0), runs=(64, 2)):
    """Every superstep durable: one thread, and 64 at once."""
    return [Workload(
        f"suite_{name}_{threads[0]}_durable",
        [Row("rate", f"LangGraph's suite, {title}, {threads[0]} at once, each "
             "superstep durable in PostgreSQL", "runs/s", "more")],
        WORKER + "; the answer is awaited, nothing is streamed",
        "work that bodies do",
        durable(ours.suite_durable(graph, size, (
            runs[0] if threads[0] > 1 else runs[0] // 8, runs[1]), threads))
        + [Side(f"langgraph {mode}, postgres", "peer", peers.langgraph(
            graph, "postgres", mode, size,
            (runs[0] if threads[0] > 1 else runs[0] // 8, runs[1]),
            at_once=threads, figure="runs"), peers.no_langgraph, 1)
           for mode in ("sync", "async")])
        for threads in ((1, 1), (64, 2))]


def crowd(name, threads, size, store="postgres", rounds=ALL):
    peer = (64, 4)
    limit = limits.ROWS if store == "postgres" else []
    return Workload(
        name, [Row("rate", f"{threads[0]:,} threads at once, supersteps of one "
                   f"task, {store}", "supersteps/s", "more"), CPU],
        WORKER + "; all threads together",
        "work that bodies do. Peers have 64 threads at once, which are "
        "measured beside 256 and 1,000 of ours, not beside 10,000. The limit is rows of the journal's size by pgbench with its best "
        "number of clients, and libzmq's small messages one way",
        durable(ours.at_once(store, threads, size), rounds)
        + (stored(store, (20, 2), peer, 1, figure="rate")
           if threads[0] < 10000 else [])
        + limit + (limits.MESSAGES if store == "postgres" else []))


def scale(members, threads=(1000, 8), size=(15, 2)):
    of = {1: "one coordinator"}.get(members, f"{members} coordinators")
    return Workload(
        f"scale_{members}",
        [Row("rate", f"{threads[0]:,} threads at once, {of}", "supersteps/s",
             "more")]
        + [Row(name, f"processor time of {whose}, a superstep", "us", "less")
           for name, whose in (("coordinator", "the coordinators"),
                               ("worker", "the workers"),
                               ("postgres", "PostgreSQL"))],
        WORKER + f"; {members} of each, by --processes, on one PostgreSQL",
        "work that bodies do; machines apart, and the network between them. "
        "bench/scale says what follows for more processors",
        [Side("superstep", "ours", ours.scale(members, threads, size),
              ours.few_processors(members))])


WORKLOADS = [
    Workload("chain", us("run", "chain of 3 nodes, in process"), HERE, NO_DISK,
             superstep(ours.here("chain", runs=(2000, 10)))
             + neograph("seq") + in_memory("chain")),
    Workload("fanout", us("run", "fan-out of 5, a join, an append reducer, in "
                          "process"), HERE, NO_DISK,
             superstep(ours.here("fanout", runs=(2000, 10)))
             + neograph("par") + in_memory("fanout")),
    Workload("loop", us("superstep", "one node round and round, in process, a "
                        "superstep"), HERE, NO_DISK,
             superstep(ours.here("loop", (100, 10), (100, 3), per=True))
             + in_memory("loop", (100, 10), (5, 1), figure="superstep")),
    Workload("one_thread", us("superstep", "one thread, a superstep of one "
                              "task, PostgreSQL"),
             WORKER + "; the median time from one body to the next",
             "many threads, which share commits. The limits: one row of the "
             "journal's size and a commit, by pgbench with one client; "
             "libzmq's small message there and back",
             durable(ours.one_thread("postgres", (1000, 300)))
             + stored("postgres", (100, 5), figure="gap") + limits.COMMIT + limits.ROUND_TRIP),
    Workload("one_thread_sqlite", us("superstep", "one thread, a superstep of "
                                     "one task, SQLite"),
             WORKER + "; the median time from one body to the next",
             "many threads, which share commits",
             superstep(ours.one_thread("sqlite", (1000, 300)))
             + stored("sqlite", (100, 5), figure="gap")),
    crowd("crowd_256", (256, 4), (100, 2)),
    crowd("crowd_1000", (1000, 8), (100, 2)),
    crowd("crowd_10000", (10000, 8), (100, 2), rounds=1),
    Workload("begin_end", [
        Row("rate", "10,000 runs of one task at once, from asking to the end",
            "runs/s", "more"),
        Row("cpu", "processor time of all processes, a run", "us", "less")],
        WORKER + "; each on a thread of its own: its records, its rows, its "
        "answer",
        "supersteps: a run has one",
        durable(ours.at_once("postgres", (10000, 8), (1, 1)), 1)),
    *map(scale, (1, 2, 4)),
    crowd("crowd_256_sqlite", (256, 4), (100, 2), "sqlite"),
    Workload("sends", [Row("run", "10,000 sends in one superstep, in process",
                           "ms", "less")], HERE, NO_DISK,
             superstep(ours.here("sends", (10000, 20), scale=1e3))
             + in_memory("sends", (10000, 20), (1, 1), 1, scale=1e3)),
    Workload("conversation", [
        Row("journal", "500 turns of 2 x 400 letters: journal and its indexes",
            "MB", "less"),
        Row("runs", "beside it: the table of runs", "MB", "less"),
        Row("early", "the 10th turn", "ms", "less"),
        Row("late", "the 500th turn", "ms", "less"),
        Row("growth", "the 500th beside the 10th", "times", "less")],
        WORKER + "; the answer is to hold nothing, the body looks at the last "
        "message only. Sizes as PostgreSQL tells them, indexes in it",
        "what a VACUUM gives back; prune",
        durable(ours.conversation((500, 20)))
        + [Side("langgraph sync, postgres", "peer", peers.conversation(
            "turns", (500, 20)), peers.no_langgraph, 1),
           Side("langgraph sync, postgres, DeltaChannel", "peer",
                peers.conversation("turns_delta", (500, 20)),
                peers.no_langgraph, 1)]),
    Workload("append", [
        Row("rate", "the store alone, commits of 100 rows", "rows/s", "more"),
        Row("cpu", "processor time of server and client, a row", "us", "less"),
        Row("ratio", "its rate beside pgbench's plain INSERT of as many rows",
            "times", "more")],
        "the journal's append to PostgreSQL, one client, in turns with pgbench",
        "planning, sockets, workers; several connections (bench-store)",
        durable(ours.append((3, 1)), rounds=1)),
    Workload("handoff", [
        Row("cpu", "a worker's hand-off in lists of 64, processor time a task",
            "us", "less"),
        Row("ratio", "beside a signal for each order and each outcome", "times",
            "less")],
        "orders to threads, bodies that do next to nothing, outcomes back",
        "sockets; bodies that block", superstep(ours.handoff((20000, 448)))),
    Workload("large_graph", [
        Row("growth", "one active node of 100,000 beside one of 10", "times",
            "less"),
        Row("small", "a superstep of the small one", "us", "less"),
        Row("large", "a superstep of the large one", "us", "less")],
        "the median superstep of one node that runs round and round in a graph "
        "of so many, in process", NO_DISK,
        superstep(ours.large_graph((5000, 1000)))),
    Workload("memory", [
        Row("idle", "an idle coordinator", "MB Pss", "less"),
        Row("alone", "with 10,000 small runs active", "MB Pss", "less"),
        Row("alone_rested", "the same, 15 s later", "MB Pss", "less"),
        Row("active", "with 10,000 small runs active (and as many ended)",
            "MB Pss", "less"),
        Row("active_rested", "the same, 15 s later", "MB Pss", "less"),
        Row("known", "a thread whose run has ended", "kB Pss", "less"),
        Row("known_rested", "the same, 15 s later", "kB Pss", "less")],
        "the coordinator's proportional set size, on SQLite; active: a run "
        "whose task waits for a worker",
        "the store's own memory; workers and clients",
        superstep(ours.memory((10000, 100)))),
    Workload("recovery", [
        Row("first", "1,000 runs in flight, the coordinator killed and "
            "started again: the first task out", "s", "less")],
        "from the start of the second coordinator's process until a body "
        "runs: reading PostgreSQL, the worker's coming back, the first orders",
        "how long it takes somebody to start it again; the last run's turn",
        durable(ours.recovery((1000, 10)))),
    suite("sequential_10", "sequential 10", "sequential_10", runs=(300, 3)),
    suite("sequential_1000", "sequential 1000", "sequential_1000",
          runs=(10, 1)),
    suite("fanout_10", "fan-out to subgraph 10", "jokes", (10, 2), (30, 1)),
    suite("fanout_100", "fan-out to subgraph 100", "jokes", (100, 3), (5, 1)),
    suite("react_10", "react agent 10", "react_10", runs=(20, 1)),
    suite("react_100", "react agent 100", "react_100", runs=(3, 1)),
    suite_wide("25x300", "wide_300", 16.7),
    suite_wide("15x600", "wide_600", 31.1),
    suite_wide("9x1200", "wide_1200", 18.8),
    *suite_stored("sequential_10", "sequential 10", "sequential_10"),
    *suite_stored("fanout_10", "fan-out to subgraph 10", "jokes", (10, 2),
                  (16, 2)),
    *suite_stored("react_10", "react agent 10", "react_10", runs=(16, 2)),
]
