"""How Superstep is measured: each function is one figure of one round."""

import contextlib
import json
import os
import select
import statistics
import time

from harness import BIN, pss_kb
from place import Cluster, line_of, output_of, tree_s

PATIENCE_S = 120
QUIET_S = 0.3
REST_S = 15  # until what rests is packed and its memory is given back
SUPERSTEPS_BEFORE = 3


def here(graph, size=(0, 0), runs=(1, 1), store="memory", scale=1e6, per=None,
         suite=False):
    """The median run of bench-here, times `scale`, by `per` supersteps."""
    def measure(place, _):
        count = place.size(*size)
        words = [BIN / "bench-here", graph, "--size", count, "--runs",
                 place.size(*runs)]
        if suite:
            words += ["--exit", "--stream"]
        with place.store(store) as url:
            got = line_of(*words, "--store", url)
        return got["median"] * scale / (count if per else 1)
    return measure


def one_thread(store, size):
    """The median superstep of one thread, through a worker's process, in us."""
    def measure(place, _):
        with place.store(store) as url:
            return line_of(BIN / "bench-superstep", place.size(*size), "--json",
                           "--store", url)["median_us"]
    return measure


def at_once(store, threads, size):
    """Supersteps a second of so many threads that go round and round, and the
    processor time of one, without what it took to start."""
    def measure(place, _):
        runs, rounds = place.size(*threads), place.size(*size)
        with place.store(store) as url, Cluster(url) as cluster:
            pids = [cluster.begin().pid, cluster.work().pid]
            before = place.processor_s(pids)
            seconds = cluster.crowds("loop", runs, size=rounds)
            spent = place.processor_s(pids) - before
        return {"rate": runs * rounds / seconds,
                "cpu": spent * 1e6 / (runs * rounds)}
    return measure


def scale(members, threads, size):
    """The same for so many coordinators and as many processes of workers and
    clients; and where the processor time of a superstep goes."""
    def measure(place, _):
        runs, rounds = place.size(*threads), place.size(*size)
        with place.store("postgres") as url, Cluster(url) as cluster:
            pids = [cluster.begin("--processes", members).pid,
                    cluster.work("--processes", members).pid]
            before = [*map(tree_s, pids), place.server_s()]
            seconds = cluster.crowds("loop", runs, clients=members, size=rounds)
            after = [*map(tree_s, pids), place.server_s()]
        spent = [(end - begin) * 1e6 / (runs * rounds)
                 for begin, end in zip(before, after)]
        return {"rate": runs * rounds / seconds,
                **dict(zip(("coordinator", "worker", "postgres"), spent))}
    return measure


def few_processors(members):
    """Why so many coordinators cannot be measured here; None: they can."""
    def absent(place):
        count = len(os.sched_getaffinity(0))
        if place.tiny or count >= members:
            return place.no_postgres()
        return (f"this machine has {count} processors: {members} coordinators, "
                "and as many workers, would take turns")
    return absent


def suite_durable(graph, size, runs, threads):
    """Runs of LangGraph's suite a second, every superstep durable."""
    def measure(place, _):
        count, crowd = place.size(*runs), place.size(*threads)
        with place.store("postgres") as url, Cluster(url) as cluster:
            cluster.begin()
            cluster.work()
            got = cluster.crowd(graph, size=place.size(*size), runs=count,
                                at_once=crowd)
        return count / got["seconds"]
    return measure


def conversation(size):
    """Turns of one thread; what they cost, and what is left in the tables."""
    def measure(place, _):
        turns = place.size(*size)
        with place.database() as name, \
                Cluster(place.postgres().url(name)) as cluster:
            cluster.begin()
            cluster.work()
            each = cluster.crowd("turns", runs=turns, turns=True)["each"]
            figures = turn_figures(each)
            for table in ("journal", "runs"):
                figures[table] = int(place.postgres().sql(
                    f"SELECT pg_total_relation_size('superstep.{table}')",
                    name)) / 1e6
        return figures
    return measure


def turn_figures(each):
    """The tenth turn and the last one, each as the median of some beside it."""
    early = statistics.median(each[5:16])
    late = statistics.median(each[-11:])
    return {"early": early * 1e3, "late": late * 1e3, "growth": late / early}


def memory(active):
    """Of a coordinator: idle; with runs that wait for a worker, behind threads
    that are done and in a coordinator of their own; with threads that are
    done. Each as it is at once, and when nothing has happened for a while."""
    def measure(place, _):
        count = place.size(*active)
        figures = {}

        def crowd(name, cluster, pid, **words):
            cluster.crowd("chain", runs=count, at_once=min(count, 500), **words)
            figures[name] = pss_kb(pid) / 1e3
            time.sleep(place.size(REST_S, 0))
            figures[name + "_rested"] = pss_kb(pid) / 1e3

        with place.store("sqlite") as url, Cluster(url) as cluster:
            pid = cluster.begin().pid
            figures["idle"] = pss_kb(pid) / 1e3
            worker = cluster.work()
            crowd("known", cluster, pid)
            worker.stop()
            crowd("active", cluster, pid, first=10 ** 7, detach=True)
        with place.store("sqlite") as url, Cluster(url) as cluster:
            pid = cluster.begin().pid
            worker = cluster.work()
            cluster.crowd("chain", runs=1, at_once=1)  # its graph is known
            worker.stop()
            crowd("alone", cluster, pid, first=10 ** 7, detach=True)
        for name in ("known", "known_rested"):
            figures[name] = (figures[name] - figures["idle"]) * 1e3 / count
        return figures
    return measure


class Marks:
    """A pipe that bodies write a line to when they run: their clock, in us."""

    def __init__(self, path):
        os.mkfifo(path)
        # Open for both: no end of file when a worker ends.
        self.file = os.open(path, os.O_RDWR | os.O_NONBLOCK)

    def read(self, seconds):
        """What is there, once something is; nothing: time is over."""
        if not select.select([self.file], [], [], seconds)[0]:
            return b""
        return os.read(self.file, 1 << 20)

    def expect(self):
        data = self.read(PATIENCE_S)
        if not data:
            raise RuntimeError("no body runs")
        return data

    def close(self):
        os.close(self.file)


def recovery(threads):
    """A coordinator is killed with runs in flight: from the start of the next
    one until a body runs, in seconds."""
    def measure(place, _):
        runs = place.size(*threads)
        with place.store("postgres") as url, Cluster(url) as cluster:
            path = cluster.path("marks")
            with contextlib.closing(Marks(path)) as marks:
                return time_to_first(cluster, marks, path, runs)
    return measure


def time_to_first(cluster, marks, path, runs):
    first = cluster.begin()
    cluster.work("--app-arg", path)
    cluster.start("crowd", *cluster.crowd_words(
        "marked", size=10 ** 6, runs=runs, at_once=runs))
    seen = 0
    while seen < SUPERSTEPS_BEFORE * runs:
        seen += marks.expect().count(b"\n")
    first.kill()
    while marks.read(QUIET_S):
        pass  # its worker runs what it has
    begin = time.monotonic()
    cluster.begin()
    return int(marks.expect().split(b"\n")[0]) / 1e6 - begin


def lines_of(*command):
    return [json.loads(line) for line in output_of(*command).splitlines()]


def append(turns):
    """The store alone, 100 rows a commit, beside pgbench's plain INSERT."""
    def measure(place, _):
        got = lines_of(BIN / "bench-store", 1, place.size(*turns), "--json")
        [most] = [line for line in got if line.get("batch") == 100]
        return {"rate": most["store"], "cpu": most["store_us"],
                "ratio": most["ratio"]}
    return measure


def handoff(tasks):
    """A worker's hand-off of small bodies in lists of 64, and the plain way."""
    def measure(place, _):
        most = lines_of(BIN / "bench-handoff", place.size(*tasks), "--json")[-1]
        return {"cpu": most["median"], "ratio": most["ratio"]}
    return measure


def large_graph(size):
    """One active node of 100,000 beside one of 10."""
    def measure(place, _):
        small, large = [line["median_us"] for line in lines_of(
            BIN / "bench-growth", place.size(*size), "--json")[:2]]
        return {"small": small, "large": large, "growth": large / small}
    return measure
