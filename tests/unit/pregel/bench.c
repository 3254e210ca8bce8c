// bench.c - one machine on the bench.
#include <stdio.h>
#include <stdlib.h>

#include "common/base/buf.h"
#include "common/base/mem.h"
#include "common/model/channel.h"
#include "common/model/graph.h"
#include "common/model/journal.h"
#include "common/model/value.h"
#include "common/pregel/pregel_impl.h"
#include "tests/suite.h"
#include "tests/unit/pregel/bench.h"

static struct bench bench;
static char fault[64];
static struct ss_error error;

struct bench *bench_begin(json_t *description)
{
    ss_value_setup();
    memset(&bench, 0, sizeof(bench));
    if (ss_graph_compile(description, &bench.graph, &error) != SS_OK)
        ck_abort_msg("%s", error.message);
    json_decref(description);
    bench.machine = ss_machine_new(bench.graph);
    bench.at = (struct ss_superstep){
        .ns = "", .checkpoint_id = SS_NULL_TASK, .step = -1};
    ck_assert_int_eq(ss_machine_load(bench.machine, NULL, &error), SS_OK);
    return &bench;
}

struct ss_machine *bench_machine(void)
{
    return bench.machine;
}

void bench_version(const char *channel, int64_t version)
{
    size_t c = ss_graph_channel(bench.graph, channel);
    bench.machine->versions[c] = bench.machine->version_max = version;
    index_set_add(&bench.machine->versioned, c);
}

static void drop_tasks(void)
{
    for (size_t i = 0; i < bench.tasks.count; i++)
        ss_planned_task_fini(&bench.tasks.items[i]);
    bench.tasks = (struct ss_planned_tasks){0};
    ss_arena_fini(&bench.memory);
}

void bench_end(void)
{
    drop_tasks();
    ss_machine_destroy(&bench.machine);
    ss_graph_unref(bench.graph);
    bench.graph = NULL;
    ss_journal_destroy(&bench.journal);
}

// ------------------------------------------------------------------ apply

struct made {
    struct ss_update_task task;
    struct ss_writes writes;
    size_t triggers[16];
};

static void make(struct made *made, const struct deed *deed)
{
    static const char id[] = "00000000-0000-0000-0000-00000000000a";
    made->task = (struct ss_update_task){.path = deed->path,
        .name = deed->node,
        .id = id,
        .bumps = deed->triggers != NULL,
        .triggers = made->triggers,
        .writes = &made->writes};
    for (const char *at = deed->triggers; at && *at;) {
        size_t size = strcspn(at, " ");
        char *name = ss_memdup(at, size);
        size_t channel = ss_graph_channel(bench.graph, name);
        if (channel != SS_NONE) // __pregel_push is not a channel
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
    struct ss_update_task *tasks = ss_zalloc(count, sizeof(*tasks));
    for (size_t i = 0; i < count; i++) {
        make(&made[i], &deeds[i]);
        tasks[i] = made[i].task;
    }
    struct ss_arena memory = {0};
    struct ss_update update = {.tasks = tasks,
        .memory = &memory,
        .count = count,
        .folds = bench.folds,
        .folds_count = bench.folds_count,
        .step = bench.at.step,
        .is_view = bench.is_view};
    int status = ss_update_apply(bench.machine, &update, &error);
    ss_arena_fini(&memory);
    if (status == SS_OK)
        ss_updated_set(bench.machine, false);
    bench.not_folded = update.not_folded;
    snprintf(fault, sizeof(fault), "%s",
        update.channel == SS_NONE ? ""
                                  : bench.graph->channels[update.channel].name);
    if (!bench.is_walled)
        ck_assert_uint_eq(ss_machine_faults(bench.machine), 0);
    for (size_t i = 0; i < count; i++)
        ss_writes_fini(&made[i].writes);
    ss_free(tasks);
    ss_free(made);
    return status;
}

const char *bench_fault(void)
{
    return fault;
}

const char *bench_error(void)
{
    return error.message;
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
    for (size_t c = 0; c < bench.graph->channels_count; c++) {
        struct ss_value *value =
            ss_channel_store(&bench.machine->channels[c], false);
        if (value && bench.machine->versions[c])
            json_object_set(
                values, bench.graph->channels[c].name, ss_value_json(value));
        ss_value_unref(value);
    }
    bench_json(values, expected);
}

void bench_versions(const char *expected)
{
    json_t *versions = json_object();
    for (size_t c = 0; c < bench.graph->channels_count; c++)
        if (bench.machine->versions[c])
            json_object_set_new(versions, bench.graph->channels[c].name,
                json_integer((json_int_t)bench.machine->versions[c]));
    bench_json(versions, expected);
}

static void show_seen(
    void *seen, const char *node, const char *channel, int64_t version)
{
    if (!json_object_get(seen, node))
        json_object_set_new(seen, node, json_object());
    if (channel)
        json_object_set_new(json_object_get(seen, node), channel,
            json_integer((json_int_t)version));
}

void bench_seen(const char *expected)
{
    json_t *seen = json_object();
    ss_seen_each(bench.machine, show_seen, seen);
    bench_json(seen, expected);
}

void bench_updated(const char *expected)
{
    json_t *names = json_array();
    for (size_t c = 0; c < bench.graph->channels_count; c++)
        if (index_set_has(&bench.machine->updated, c))
            json_array_append_new(
                names, json_string(bench.graph->channels[c].name));
    bench_json(names, expected);
}

void bench_plans(bool execute, const char *expected)
{
    struct ss_buf names;
    ss_buf_init(&names, 4096);
    drop_tasks();
    bench.at.memory = bench.at.lists = &bench.memory;
    ss_plan(bench.machine, &bench.at, execute, &bench.tasks);
    for (size_t i = 0; i < bench.tasks.count; i++)
        ss_buf_addf(&names, "%s%s%s", i ? ", " : "",
            bench.tasks.items[i].kind == SS_TASK_PUSH ? "send " : "",
            bench.tasks.items[i].node->name);
    if (expected)
        ck_assert_str_eq(ss_buf_str(&names), expected);
    ss_buf_fini(&names);
}

// ------------------------------------------------------------------ rows

void bench_save(bool whole)
{
    struct ss_row *row = ss_row_new();
    uint64_t head = 0;
    if (!bench.journal)
        bench.journal = ss_journal_new();
    head = ss_journal_head(bench.journal);
    row->seq = head + 1;
    row->kind = SS_ROW_CHECKPOINT;
    row->ns = ss_arena_text(&row->memory, "");
    snprintf(row->run, sizeof(row->run), "%s", "run");
    snprintf(row->checkpoint_id, sizeof(row->checkpoint_id),
        "00000000-0000-6000-8000-%012u", (unsigned)row->seq);
    row->source = SS_SOURCE_LOOP;
    if (head)
        snprintf(row->parent_id, sizeof(row->parent_id),
            "00000000-0000-6000-8000-%012u", (unsigned)head);
    row->parent_seq = head;
    whole = whole || head == 0;
    bench.base_seq = whole ? row->seq : bench.base_seq;
    row->base_seq = bench.base_seq;
    row->has_checkpoint = true;
    ss_delta_fill(bench.machine, row,
        &(struct ss_delta_form){
            .whole = whole, .edits = true, .updated = true});
    ss_delta_drop(bench.machine);
    if (ss_journal_append(bench.journal, row, &error) != SS_OK)
        ck_abort_msg("%s", error.message);
}

const struct ss_row_checkpoint *bench_row(void)
{
    return &ss_journal_row(bench.journal, ss_journal_head(bench.journal))
                ->checkpoint;
}

void bench_reload(json_t *description)
{
    struct ss_checkpoint *full = ss_journal_fold(
        bench.journal, ss_journal_find(bench.journal, "", NULL));
    drop_tasks();
    ss_machine_destroy(&bench.machine);
    if (description) {
        ss_graph_unref(bench.graph);
        bench.graph = NULL;
        if (ss_graph_compile(description, &bench.graph, &error) != SS_OK)
            ck_abort_msg("%s", error.message);
        json_decref(description);
    }
    bench.machine = ss_machine_new(bench.graph);
    if (ss_machine_load(bench.machine, full, &error) != SS_OK)
        ck_abort_msg("%s", error.message);
    ck_assert_uint_eq(ss_machine_faults(bench.machine), 0);
    ss_checkpoint_unref(full);
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
