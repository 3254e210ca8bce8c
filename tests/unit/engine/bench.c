// bench.c - one loop of the engine on the bench.
#include <stdio.h>
#include <stdlib.h>

#include "common/base/buf.h"
#include "coordinator/engine/levels/levels.h"
#include "coordinator/engine/pregel/loop.h"
#include "coordinator/engine/pregel/pregel.h"
#include "coordinator/engine/runs/runs.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/thread.h"
#include "tests/suite.h"
#include "tests/unit/engine/bench.h"

static struct {
    struct engine engine;
    struct thread thread;
    struct loop *loop;
    char fault[64];
    struct ss_error error;
} bench;

// Nobody above the superstep listens.
static void task_dropped(struct task *task)
{
    (void)task;
}

static void send_ignored(struct loop *loop, const char *node)
{
    (void)loop;
    (void)node;
}

static const struct sink sink = {
    .dropped = task_dropped, .ignored = send_ignored};

struct loop *bench_begin(json_t *description)
{
    struct ss_graph *graph = NULL;
    ss_value_setup();
    memset(&bench, 0, sizeof(bench));
    if (ss_graph_compile(description, &graph, &bench.error) != SS_OK)
        ck_abort_msg("%s", bench.error.message);
    json_decref(description);
    ss_prng_init(&bench.engine.prng, 1);
    bench.engine.owner = &ss_runs_owner;
    ss_levels_init(&bench.engine, &sink);
    bench.thread.engine = &bench.engine;
    bench.thread.journal = ss_journal_new();
    bench.loop = ss_loop_new(&bench.thread, NULL, graph, "");
    ck_assert_int_eq(ss_loop_load(bench.loop, NULL, &bench.error), SS_OK);
    ss_graph_unref(graph);
    return bench.loop;
}

void bench_end(void)
{
    ss_loop_destroy(&bench.loop);
    ss_journal_destroy(&bench.thread.journal);
    ss_levels_fini(&bench.engine);
}

// ------------------------------------------------------------------ apply

struct made {
    struct update_task task;
    struct ss_writes writes;
    size_t triggers[16];
};

static void make(struct made *made, const struct deed *deed)
{
    static const char id[] = "00000000-0000-0000-0000-00000000000a";
    made->task = (struct update_task){.path = deed->path,
        .name = deed->node,
        .id = id,
        .bumps = deed->triggers != NULL,
        .triggers = made->triggers,
        .writes = &made->writes};
    for (const char *at = deed->triggers; at && *at;) {
        size_t size = strcspn(at, " ");
        char *name = ss_memdup(at, size);
        size_t channel = ss_graph_channel(bench.loop->graph, name);
        if (channel != SS_NONE) // __pregel_push is no channel
            made->triggers[made->task.triggers_count++] = channel;
        ss_free(name);
        at += size + (at[size] == ' ');
    }
    json_t *list = deed->writes ? js(deed->writes) : json_array(), *write;
    size_t i;
    json_array_foreach (list, i, write)
        ss_writes_add(&made->writes,
            json_string_value(json_array_get(write, 0)),
            ss_value_new(json_incref(json_array_get(write, 1))));
    json_decref(list);
}

int bench_apply(const struct deed *deeds, size_t count)
{
    struct made *made = ss_zalloc(count, sizeof(*made));
    struct update_task *tasks = ss_zalloc(count, sizeof(*tasks));
    size_t channel = SS_NONE;
    for (size_t i = 0; i < count; i++) {
        make(&made[i], &deeds[i]);
        tasks[i] = made[i].task;
    }
    int status =
        ss_update_apply(bench.loop, tasks, count, &channel, &bench.error);
    if (status == SS_OK)
        ss_loop_set_updated(bench.loop, false);
    snprintf(bench.fault, sizeof(bench.fault), "%s",
        channel == SS_NONE ? "" : bench.loop->graph->channels[channel].name);
    for (size_t i = 0; i < count; i++)
        ss_writes_fini(&made[i].writes);
    ss_free(tasks);
    ss_free(made);
    return status;
}

const char *bench_fault(void)
{
    return bench.fault;
}

const char *bench_error(void)
{
    return bench.error.message;
}

// ------------------------------------------------------------------ looking

void bench_json(json_t *is, const char *expected)
{
    json_t *wanted = js(expected);
    char *left = ss_json_canonical(is), *right = ss_json_canonical(wanted);
    if (strcmp(left, right) != 0)
        ck_abort_msg("%s\nis not\n%s", left, right);
    ss_free(left);
    ss_free(right);
    json_decref(is);
    json_decref(wanted);
}

void bench_values(const char *expected)
{
    json_t *values = json_object();
    for (size_t c = 0; c < bench.loop->graph->channels_count; c++) {
        struct ss_value *value =
            ss_channel_store(&bench.loop->channels[c], false);
        if (value && bench.loop->versions[c])
            json_object_set(values, bench.loop->graph->channels[c].name,
                ss_value_json(value));
        ss_value_unref(value);
    }
    bench_json(values, expected);
}

void bench_versions(const char *expected)
{
    json_t *versions = json_object();
    for (size_t c = 0; c < bench.loop->graph->channels_count; c++)
        if (bench.loop->versions[c])
            json_object_set_new(versions, bench.loop->graph->channels[c].name,
                json_integer((json_int_t)bench.loop->versions[c]));
    bench_json(versions, expected);
}

void bench_seen(const char *expected)
{
    json_t *seen = json_object();
    for (const struct ss_map_entry *e = bench.loop->seen.first; e;
         e = e->next) {
        json_t *entry = json_object();
        const struct ss_map *map = e->value;
        for (const struct ss_map_entry *v = map->first; v; v = v->next)
            json_object_set_new(entry, v->key,
                json_integer((json_int_t) * (const int64_t *)v->value));
        json_object_set_new(seen, e->key, entry);
    }
    bench_json(seen, expected);
}

void bench_updated(const char *expected)
{
    json_t *names = json_array();
    for (size_t c = 0; c < bench.loop->graph->channels_count; c++)
        if (bench.loop->updated.has[c])
            json_array_append_new(
                names, json_string(bench.loop->graph->channels[c].name));
    bench_json(names, expected);
}

void bench_plans(bool execute, const char *expected)
{
    struct ss_buf names;
    ss_buf_init(&names, 4096);
    ss_plan(bench.loop, execute);
    for (size_t i = 0; i < bench.loop->tasks.count; i++) {
        const struct task *task = bench.loop->tasks.items[i];
        ss_buf_addf(&names, "%s%s%s", i ? ", " : "",
            task->kind == TASK_PUSH ? "send " : "", task->node->name);
    }
    ck_assert_str_eq(ss_buf_str(&names), expected);
    ss_buf_fini(&names);
}

int bench_suite(const char *name, const TTest *const *tests, size_t count)
{
    Suite *suite = suite_create(name);
    TCase *tcase = tcase_create(name);
    tcase_add_checked_fixture(tcase, NULL, bench_end);
    for (size_t i = 0; i < count; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
