"""The header is the manual: a worker has every function that it names."""

import re

from harness import ROOT, World, expect, main

HEADER = ROOT / "worker/include/superstep/superstep.h"
APP = """
#include <superstep/superstep.h>
void (*const all[])(void) = {%s};
static void define(struct ss_graph_def *graph)
{
    ss_node(graph, "last", NULL, .subgraph = "none");
}
SS_APP(SS_GRAPH("all", define))
"""


# Two names that a worker has inside, and one of its protocol.
OWN = """
#include <superstep/superstep.h>
int ss_buf_init(void), ss_buf_add(void), superstep__v1__adopt__init(void);
int ss_buf_init(void) { return 1; }
int ss_buf_add(void) { return 2; }
int superstep__v1__adopt__init(void) { return 3; }
static int count(struct ss_task *task)
{
    return ss_set_int(task, "count",
        ss_buf_init() + ss_buf_add() + superstep__v1__adopt__init());
}
static void define(struct ss_graph_def *graph)
{
    ss_key(graph, "count", SS_INT);
    ss_node(graph, "count", count);
    ss_edge(graph, SS_START, "count");
}
SS_APP(SS_GRAPH("own", define))
"""


def functions():
    """Those that a worker has: declared at the beginning of a line."""
    return [name for kind, name in
            re.findall(r"^(\w[\w *]*?)\*?\b(ss_\w+)\(", HEADER.read_text(),
                       re.M)
            if not kind.startswith("typedef") and not name.endswith("_")]


def test_an_application_may_call_every_function_of_the_header():
    with World() as world:
        names = functions()
        expect(len(names) > 70 and "ss_typed_time" in names, f"{names}")
        source = world.path("all.c")
        source.write_text(APP % ", ".join(
            f"(void (*)(void)){name}" for name in names), encoding="utf-8")
        world.coordinator()
        worker = world.worker(world.compile(source), wait=False)
        # It was loaded whole, and its graph was looked at.
        worker.wait_line('there is no subgraph "none"')
        expect("undefined symbol" not in worker.text(), worker.text())


def test_an_application_may_name_its_functions_as_a_worker_does_inside():
    with World() as world:
        source = world.path("own.c")
        source.write_text(OWN, encoding="utf-8")
        world.coordinator()
        world.worker(world.compile(source))
        done = world.ask("run", "own", "--input", "{}")
        expect(done["output"] == {"count": 6}, f"{done}")


main(globals())
