// Where a thread ends stands in records that change anyway, and in nothing
// more: what each unit brings to the store, beside its rows.
#include <string.h>

#include "common/base/buf.h"
#include "common/model/run_status.h"
#include "common/model/value.h"
#include "tests/stories/suite.h"

#define T   "{'thread': 't'}"
#define RUN "{'thread': 't', 'graph': 'g', 'input': {'x': []}}"

static struct ss_buf units; // a line for each
static int64_t born_us;     // as the last one says

// "2 rows: run done, thread"
static void note(const struct ss_command *command)
{
    if (command->type != SS_COMMAND_STORE)
        return;
    ss_buf_addf(&units, "%zu rows:", command->rows_count);
    for (size_t i = 0; i < command->puts_count; i++) {
        const struct ss_command_put *put = &command->puts[i];
        if (put->table == SS_RECORD_RUN)
            ss_buf_addf(&units, " run %s",
                put->value ? ss_run_status_name(put->status) : "(goes)");
        if (put->table == SS_RECORD_THREAD)
            ss_buf_add_str(&units, put->value ? " thread" : " thread (goes)");
    }
    ss_buf_add_str(&units, "\n");
    born_us = command->born_us;
}

static void expect_units(const char *expected)
{
    world_run();
    ck_assert_str_eq(ss_buf_str(&units), expected);
    ss_buf_fini(&units);
    ss_buf_init(&units, 4096);
}

static void begin(void)
{
    world_graph(chart("g", "start>a a>b b>c c>end", NULL));
    world_worker("w1", 2);
    world_get("state", T); // so that the graph's own unit is stored
    world_run();
    ss_buf_init(&units, 4096);
    world_watch(note);
}

static json_t *record(void)
{
    json_t *all = json_object_get(world_get("threads", "{}"), "threads");
    ck_assert_uint_eq(json_array_size(all), 1);
    return json_array_get(all, 0);
}

START_TEST(a_superstep_changes_no_record)
{
    begin();
    world_get("run", RUN);
    expect_units("2 rows: run running thread\n"
                 "1 rows:\n"
                 "1 rows:\n"
                 "1 rows: run done thread\n");
    ck_assert_int_gt(born_us, 0);
    world_get("run", RUN);
    expect_units("2 rows: run running\n"
                 "1 rows:\n"
                 "1 rows:\n"
                 "1 rows: run done thread\n");
}
END_TEST

START_TEST(a_prune_tells_the_new_end_in_the_threads_record)
{
    begin();
    world_get("run", RUN);
    json_t *before = json_copy(record());
    world_crash();
    world_restart();
    expect_units("2 rows: run running thread\n"
                 "1 rows:\n"
                 "1 rows:\n"
                 "1 rows: run done thread\n");
    world_get("prune", T);
    expect_units("2 rows: thread\n" // and then the old rows are deleted
                 "0 rows:\n");
    ck_assert_int_eq(born_us, ss_json_int(before, "created_us", 0));
    ck_assert(json_equal(record(), before)); // all else is as it was
    json_decref(before);
}
END_TEST

START_TEST(a_thread_keeps_its_age_when_another_graph_runs_on_it)
{
    begin();
    world_get("run", RUN);
    int64_t before = ss_json_int(record(), "created_us", 0);
    world_pass(5000);
    world_graph(chart("h", "start>a a>end", NULL));
    world_worker("w2", 2);
    world_get("run", "{'thread': 't', 'graph': 'h', 'input': {'x': []}}");
    ck_assert_str_eq(ss_json_str(record(), "graph", ""), "h");
    ck_assert_int_eq(ss_json_int(record(), "created_us", 0), before);
    ck_assert_int_eq(born_us, before);
}
END_TEST

START_TEST(a_thread_that_is_made_again_is_another_one)
{
    begin();
    world_get("run", RUN);
    int64_t before = born_us;
    world_pass(5000);
    world_get("delete", T);
    world_get("run", RUN);
    ck_assert_int_gt(born_us, before);
}
END_TEST

// What a pruned run's record told of its life before is not taken for its own.
START_TEST(a_thread_that_is_made_again_while_the_clock_stands_is_another_one)
{
    begin();
    world_get("run", RUN);
    int64_t before = born_us;
    world_set_clock(-3600000);
    world_get("delete", T);
    world_get("run", RUN);
    ck_assert_int_gt(born_us, before);
    before = born_us;
    world_get("delete", T);
    world_get("run", RUN);
    ck_assert_int_gt(born_us, before);
}
END_TEST

START_TEST(nothing_is_told_while_an_older_coordinator_is_there)
{
    begin();
    struct ss_event members = {.type = SS_EVENT_MEMBERS};
    members.members.row_format = SS_ROW_FORMAT_4;
    world_event(&members);
    world_get("run", RUN);
    ck_assert_int_eq(born_us, 0);
    members.members.row_format = SS_ROW_FORMAT_5;
    world_event(&members);
    world_get("run", RUN);
    ck_assert_int_gt(born_us, 0);
}
END_TEST

SUITE("heads", a_superstep_changes_no_record,
    a_prune_tells_the_new_end_in_the_threads_record,

    a_thread_keeps_its_age_when_another_graph_runs_on_it,
    a_thread_that_is_made_again_is_another_one,
    a_thread_that_is_made_again_while_the_clock_stands_is_another_one,
    nothing_is_told_while_an_older_coordinator_is_there)
