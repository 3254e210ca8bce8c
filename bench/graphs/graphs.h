// graphs.h - the graphs that are measured, and what each is asked with.
//
// A worker loads them as build/.../lib/bench.so; programs that run graphs in
// their own process link them.
#ifndef SS_BENCH_GRAPHS_H
#define SS_BENCH_GRAPHS_H

#include <stddef.h>

#include <superstep/superstep.h>

extern const struct ss_app ss_app_descriptor;

// The input of one run of that graph; `size` is what the graph makes of it:
// supersteps, sends, subjects. Gives; NULL: there is no such graph.
json_t *bench_input(const char *graph, size_t size);

// `size` letters that no compression makes much of: six bits each. Gives.
json_t *bench_letters(size_t size);

// LangGraph's own suite (bench/graphs/suite.c, wide.c).
void bench_sequential_10(struct ss_graph_def *graph);
void bench_sequential_1000(struct ss_graph_def *graph);
void bench_jokes(struct ss_graph_def *graph);
void bench_react_10(struct ss_graph_def *graph);
void bench_react_100(struct ss_graph_def *graph);
void bench_wide_300(struct ss_graph_def *graph);
void bench_wide_600(struct ss_graph_def *graph);
void bench_wide_1200(struct ss_graph_def *graph);
json_t *bench_subjects(size_t count);
json_t *bench_wide_input(size_t outer, size_t inner);

#endif
