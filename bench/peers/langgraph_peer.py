"""LangGraph on one workload, as its documentation advises: a graph compiled
once, a thread for each run, `invoke` or `ainvoke` (its own suite: `updates`
streamed with durability "exit"); savers set up by themselves, PostgreSQL's with
a pool where many run at once. One line of JSON, seconds.
"""

import argparse
import asyncio
import concurrent.futures
import contextlib
import json
import statistics
import time

import graphs

LIMIT = 10 ** 9
POOL = 20


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("graph")
    parser.add_argument("--saver", default="none")
    parser.add_argument("--mode", default="sync")
    parser.add_argument("--size", type=int, default=0)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--at-once", type=int, default=1)
    parser.add_argument("--url", default="")
    parser.add_argument("--suite", action="store_true")
    return parser.parse_args()


def file_of(url):
    return url.removeprefix("sqlite:")


@contextlib.contextmanager
def saver_sync(given):
    if given.saver == "memory":
        from langgraph.checkpoint.memory import InMemorySaver
        yield InMemorySaver()
    elif given.saver == "sqlite":
        from langgraph.checkpoint.sqlite import SqliteSaver
        with SqliteSaver.from_conn_string(file_of(given.url)) as saver:
            yield saver
    elif given.saver == "postgres":
        from langgraph.checkpoint.postgres import PostgresSaver
        from psycopg.rows import dict_row
        from psycopg_pool import ConnectionPool
        options = {"autocommit": True, "prepare_threshold": 0,
                   "row_factory": dict_row}
        with ConnectionPool(given.url, min_size=1, max_size=POOL,
                            kwargs=options) as pool:
            saver = PostgresSaver(pool)
            saver.setup()
            yield saver
    else:
        yield None


@contextlib.asynccontextmanager
async def saver_async(given):
    if given.saver == "memory":
        from langgraph.checkpoint.memory import InMemorySaver
        yield InMemorySaver()
    elif given.saver == "sqlite":
        from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
        async with AsyncSqliteSaver.from_conn_string(
                file_of(given.url)) as saver:
            yield saver
    elif given.saver == "postgres":
        from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
        from psycopg.rows import dict_row
        from psycopg_pool import AsyncConnectionPool
        options = {"autocommit": True, "prepare_threshold": 0,
                   "row_factory": dict_row}
        async with AsyncConnectionPool(given.url, min_size=1, max_size=POOL,
                                       kwargs=options) as pool:
            saver = AsyncPostgresSaver(pool)
            await saver.setup()
            yield saver
    else:
        yield None


def options_of(given, number):
    thread = "bench" if given.graph.startswith("turns") else f"bench-{number}"
    options = {"config": {"configurable": {"thread_id": thread},
                          "recursion_limit": LIMIT}}
    if given.saver != "none":
        options["durability"] = "exit" if given.suite else "sync"
    if given.suite:
        options["stream_mode"] = "updates"
    return options


def once(graph, given, number):
    begin = time.perf_counter()
    value = graphs.input_of(given.graph, given.size)
    if given.suite:
        for _ in graph.stream(value, **options_of(given, number)):
            pass
    else:
        graph.invoke(value, **options_of(given, number))
    return time.perf_counter() - begin


async def once_async(graph, given, number):
    begin = time.perf_counter()
    value = graphs.input_of(given.graph, given.size)
    if given.suite:
        async for _ in graph.astream(value, **options_of(given, number)):
            pass
    else:
        await graph.ainvoke(value, **options_of(given, number))
    return time.perf_counter() - begin


def small(given):
    """What goes before, and is not counted."""
    return argparse.Namespace(**vars(given) | {"size": min(given.size, 3)})


def all_sync(given):
    with saver_sync(given) as saver:
        graph = graphs.build(given.graph, saver, False)
        if not given.graph.startswith("turns"):
            once(graph, small(given), "warm")
        graphs.times.clear()
        begin, spent = time.perf_counter(), time.process_time()
        if given.at_once == 1:
            each = [once(graph, given, i) for i in range(given.runs)]
        else:
            with concurrent.futures.ThreadPoolExecutor(given.at_once) as pool:
                each = list(pool.map(lambda i: once(graph, given, i),
                                     range(given.runs)))
        return (each, time.perf_counter() - begin,
                time.process_time() - spent)


async def all_async(given):
    async with saver_async(given) as saver:
        graph = graphs.build(given.graph, saver, True)
        if not given.graph.startswith("turns"):
            await once_async(graph, small(given), "warm")
        graphs.times.clear()
        begin, spent = time.perf_counter(), time.process_time()
        if given.at_once == 1:
            each = [await once_async(graph, given, i)
                    for i in range(given.runs)]
        else:
            gate = asyncio.Semaphore(given.at_once)

            async def gated(number):
                async with gate:
                    return await once_async(graph, given, number)
            each = await asyncio.gather(*map(gated, range(given.runs)))
        return (each, time.perf_counter() - begin,
                time.process_time() - spent)


def main():
    given = arguments()
    if given.mode == "async":
        import uvloop
        each, seconds, cpu = uvloop.run(all_async(given))
    else:
        each, seconds, cpu = all_sync(given)
    told = {"median": statistics.median(each), "seconds": seconds,
            "cpu": cpu}
    if given.graph.startswith("turns"):
        told["each"] = each
    gaps = [late - early for early, late in zip(graphs.times, graphs.times[1:])]
    if gaps:
        told["gap"] = statistics.median(gaps)
    print(json.dumps(told))


if __name__ == "__main__":
    main()
