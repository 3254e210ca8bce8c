#include "tests/unit/worker/work.h"

#include <stdlib.h>
#include <string.h>

#include "tests/suite.h"

struct bench b;
ss_node_fn *body;
ss_router_fn *router;
int work_number = 42;

static int work(struct ss_task *task)
{
    return body(task);
}

static int choose(struct ss_route *route)
{
    return router(route);
}

static json_t *last_longest(
    json_t *value, json_t *const *writes, size_t count, void *ctx)
{
    json_t *best = value;
    (void)ctx;
    for (size_t i = 0; i < count; i++)
        if (!best || json_string_length(writes[i]) > json_string_length(best))
            best = writes[i];
    if (best && strcmp(json_string_value(best), "poison") == 0)
        return NULL;
    return json_incref(best);
}

static int handler(struct ss_task *task)
{
    json_t *failed = ss_error(task);
    return ss_update(task, json_pack("{s:[O]}", "log", failed));
}

int work_idle(struct ss_task *task)
{
    (void)task;
    return 0;
}

static void define(struct ss_graph_def *graph)
{
    ss_key(graph, "log", SS_LIST, .reducer = SS_ADD);
    ss_key(graph, "name", SS_ANY);
    ss_key(graph, "longest", SS_STR, .reduce = last_longest);
    ss_node(graph, "work", work, .ctx = &work_number, .on_error = handler);
    ss_node(graph, "choose", work_idle);
    ss_node(graph, "left", work_idle);
    ss_node(graph, "right", work_idle);
    ss_edge(graph, SS_START, "work");
    ss_edge(graph, "work", "choose");
    ss_branch(graph, "choose", choose, .name = "where", .ctx = &work_number);
}

static void setup(void)
{
    bench_init(&b, define);
}

static void teardown(void)
{
    bench_fini(&b);
}

const char *run_body(ss_node_fn *function, const char *input)
{
    body = function;
    bench_order(&b, "work", input);
    return bench_told(&b);
}

int work_main(const char *name, void (*add_tests)(TCase *tcase))
{
    Suite *suite = suite_create(name);
    TCase *tcase = tcase_create(name);
    tcase_add_checked_fixture(tcase, setup, teardown);
    add_tests(tcase);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
