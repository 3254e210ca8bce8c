"""DBOS on one workload: a workflow of steps that do nothing, each step a write
to PostgreSQL before the next one begins. One line of JSON, seconds.

Options as langgraph_peer.py's, except for what DBOS does not have.
"""

import argparse
import concurrent.futures
import json
import statistics
import time

from dbos import DBOS

times = []


@DBOS.step()
def step(left):
    times.append(time.perf_counter())
    return left - 1


@DBOS.workflow()
def loop(left):
    while left > 0:
        left = step(left)
    return left


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("graph", choices=["loop"])
    parser.add_argument("--saver", choices=["postgres"])
    parser.add_argument("--size", type=int, required=True)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--at-once", type=int, default=1)
    parser.add_argument("--url", required=True)
    return parser.parse_args()


def once(size):
    begin = time.perf_counter()
    loop(size)
    return time.perf_counter() - begin


def main():
    given = arguments()
    DBOS(config={
        "name": "bench", "log_level": "WARNING", "run_admin_server": False,
        "system_database_url": given.url.replace("postgres://",
                                                 "postgresql://")})
    DBOS.launch()
    once(1)
    times.clear()
    begin, spent = time.perf_counter(), time.process_time()
    with concurrent.futures.ThreadPoolExecutor(given.at_once) as pool:
        each = list(pool.map(lambda _: once(given.size), range(given.runs)))
    told = {"median": statistics.median(each),
            "seconds": time.perf_counter() - begin,
            "cpu": time.process_time() - spent}
    gaps = [late - early for early, late in zip(times, times[1:])]
    if gaps:
        told["gap"] = statistics.median(gaps)
    DBOS.destroy()
    print(json.dumps(told))


if __name__ == "__main__":
    main()
