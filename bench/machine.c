// machine.c - a superstep of the machine alone: plan, ids of the tasks, update,
// the part of a row.
//
//   bench-machine [SUPERSTEPS]     nanoseconds of processor time a superstep:
//   the median, the least and the most of nine rounds
//
// Nodes write what was made before: no body, JSON or row's bytes are in it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/mem.h"
#include "common/model/journal.h"
#include "common/model/reserved.h"
#include "common/model/writers.h"
#include "common/pregel/pregel.h"

enum { ROUNDS = 9, TASKS_MAX = 16 };

static const char checkpoint[] = "1f0bb72c-0efd-6d50-8001-000000000000";

static const struct {
    const char *name, *key, *description;
} shapes[] = {
    {"chain3", "n",
        "{\"name\":\"g\",\"kind\":\"state\",\"state\":[{\"key\":\"n\","
        "\"type\":\"int\",\"reducer\":\"add\"}],\"nodes\":[{\"name\":\"a\"},"
        "{\"name\":\"b\"},{\"name\":\"c\"}],\"edges\":[[\"__start__\",\"a\"],"
        "[\"a\",\"b\"],[\"b\",\"c\"]]}"},
    {"fan5", "log",
        "{\"name\":\"g\",\"kind\":\"state\",\"state\":[{\"key\":\"log\","
        "\"type\":\"list\",\"reducer\":\"append\"}],\"nodes\":[{\"name\":\"f\"}"
        ","
        "{\"name\":\"p\"},{\"name\":\"q\"},{\"name\":\"r\"},{\"name\":\"s\"},"
        "{\"name\":\"t\"},{\"name\":\"j\"}],\"edges\":[[\"__start__\",\"f\"],"
        "[\"f\",\"p\"],[\"f\",\"q\"],[\"f\",\"r\"],[\"f\",\"s\"],[\"f\",\"t\"],"
        "[[\"p\",\"q\",\"r\",\"s\",\"t\"],\"j\"]]}"},
    {"loop", "n",
        "{\"name\":\"g\",\"kind\":\"state\",\"state\":[{\"key\":\"n\","
        "\"type\":\"int\",\"reducer\":\"add\"}],\"nodes\":[{\"name\":\"a\"}],"
        "\"edges\":[[\"__start__\",\"a\"],[\"a\",\"a\"]]}"},
};

static struct ss_graph *graph;
static struct ss_writes *scripts; // by node: what it writes
static uint64_t supersteps;

static void add_write(
    struct ss_writes *script, const char *channel, const char *text)
{
    ss_writes_add(script, channel, ss_value_from_text(text, strlen(text)));
}

static void script_node(const char *key, size_t n)
{
    const struct ss_node *node = &graph->nodes[n];
    struct ss_writes *script = &scripts[n];
    for (size_t i = 0; i < node->edges_count; i++)
        add_write(script, graph->channels[node->edges[i]].name, "null");
    for (size_t i = 0; i < node->joins_count; i++) {
        char *name = ss_format("\"%s\"", node->name);
        add_write(script, graph->channels[node->joins[i]].name, name);
        ss_free(name);
    }
    if (node->has_body)
        add_write(script, key, "1");
}

static void begin(size_t shape)
{
    struct ss_error error;
    json_t *json = json_loads(shapes[shape].description, 0, NULL);
    if (ss_graph_compile(json, &graph, &error) != SS_OK) {
        fprintf(stderr, "bench-machine: %s\n", error.message);
        exit(1);
    }
    json_decref(json);
    scripts = ss_zalloc(graph->nodes_count, sizeof(*scripts));
    for (size_t n = 0; n < graph->nodes_count; n++)
        script_node(shapes[shape].key, n);
}

static void end(void)
{
    for (size_t n = 0; n < graph->nodes_count; n++)
        ss_writes_fini(&scripts[n]);
    ss_free(scripts);
    ss_graph_unref(graph);
    graph = NULL;
}

static void check(int status)
{
    if (status != SS_OK)
        abort();
}

// ------------------------------------------------ the machine

static void machine_save(struct ss_machine *machine)
{
    struct ss_row *row = ss_row_new();
    ss_delta_fill(
        machine, row, &(struct ss_delta_form){.edits = true, .updated = true});
    ss_delta_drop(machine);
    ss_row_destroy(&row);
}

static void machine_update(struct ss_machine *machine,
    const struct ss_update_task *tasks, size_t count)
{
    static struct ss_arena memory;
    struct ss_update update = {
        .tasks = tasks, .count = count, .memory = &memory};
    struct ss_error error;
    check(ss_update_apply(machine, &update, &error));
    ss_arena_reset(&memory);
    ss_updated_set(machine, false);
    machine_save(machine);
}

static uint64_t machine_superstep(struct ss_machine *machine, int64_t step)
{
    struct ss_arena memory = {0};
    struct ss_superstep at = {
        "", checkpoint, step, step + 10, &memory, &memory};
    struct ss_planned_tasks planned;
    struct ss_update_task tasks[TASKS_MAX];
    ss_plan(machine, &at, true, &planned);
    for (size_t i = 0; i < planned.count; i++)
        tasks[i] = ss_update_task(
            &planned.items[i], &scripts[planned.items[i].node - graph->nodes]);
    uint64_t count = planned.count;
    if (count > 0)
        machine_update(machine, tasks, planned.count);
    for (size_t i = 0; i < planned.count; i++)
        ss_planned_task_fini(&planned.items[i]);
    ss_arena_fini(&memory);
    return count;
}

static void machine_run(int64_t steps_max)
{
    struct ss_machine *machine = ss_machine_new(graph);
    struct ss_error error;
    struct ss_update_task input = {.path = "~",
        .name = SS_NAME_INPUT,
        .writes = &scripts[ss_graph_node(graph, SS_NAME_START)]};
    check(ss_machine_load(machine, NULL, &error));
    machine_update(machine, &input, 1);
    for (int64_t step = 0; step < steps_max; step++, supersteps++)
        if (machine_superstep(machine, step) == 0)
            break;
    ss_machine_destroy(&machine);
}

// ------------------------------------------------ rounds

static uint64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static void measure(const char *name, uint64_t least)
{
    double rounds[ROUNDS];
    for (size_t i = 0; i < ROUNDS; i++) {
        uint64_t from = now_ns();
        for (supersteps = 0; supersteps < least;)
            machine_run(1000);
        rounds[i] = (double)(now_ns() - from) / (double)supersteps;
    }
    qsort(rounds, ROUNDS, sizeof(rounds[0]), by_value);
    printf("%-24s %7.0f %7.0f %7.0f\n", name, rounds[ROUNDS / 2], rounds[0],
        rounds[ROUNDS - 1]);
}

int main(int argc, char **argv)
{
    uint64_t least = argc > 1 ? strtoull(argv[1], NULL, 10) : 20000;
    ss_value_setup();
    printf("ns of CPU a superstep     median     min     max\n");
    for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++) {
        begin(s);
        measure(shapes[s].name, least);
        end();
    }
    return 0;
}
