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


main(globals())
