// Two coordinators on one store: who serves a thread, and what becomes of it
// when it goes from one to the other.
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"

#include "common/model/cluster.h"
#include "common/model/value.h"

#define RUN(more) "{'thread': 't', 'graph': 'g', 'input': {'x': []}" more "}"

static void diamond(void)
{
    world_pair();
    world_graph(chart("g", "start>a a>b a>c b+c>d d>end", NULL));
    world_worker("w1", 4);
    world_at("two");
    world_worker("w1", 4);
    world_at("one");
    world_forget();
}

static const char *endpoint_of(uint64_t id)
{
    const json_t *error = json_object_get(world_answer(id), "error");
    return ss_json_str(error, "endpoint", "nobody");
}

// --- where a thread is ------------------------------------------------------

START_TEST(who_asks_the_wrong_one_is_told_where_the_thread_is)
{
    static const char *const ops[] = {"run", "state", "history", "update",
        "checkpoints", "journal", "delete", "prune", "copy"};
    diamond();
    world_at("two");
    for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++) {
        uint64_t id = world_ask("ann", ops[i], "{'thread': 't'}");
        ck_assert_str_eq(code_of(world_answer(id)), "moved");
        ck_assert_str_eq(endpoint_of(id), "tcp://one");
    }
    ck_assert_uint_eq(world_rows(), 0);
}
END_TEST

START_TEST(who_attaches_at_the_wrong_one_is_told_where_the_run_is)
{
    diamond();
    json_t *result = world_get("run", RUN(", 'run': 'r'"));
    ck_assert_str_eq(ss_json_str(result, "status", ""), "done");
    world_at("two");
    uint64_t id = world_ask("ann", "attach", "{'run': 'r'}");
    world_run();
    ck_assert_str_eq(endpoint_of(id), "tcp://one");
    id = world_ask("ann", "attach", "{'run': 'never'}");
    world_run();
    ck_assert_str_eq(code_of(world_answer(id)), "not_found");
}
END_TEST

START_TEST(a_new_thread_is_made_where_it_is_asked_for)
{
    diamond();
    world_lost(false);
    world_gained_some(3);
    for (int i = 0; i < 5; i++) {
        json_t *result = world_get("run", "{'graph': 'g', 'input': {'x': []}}");
        ck_assert_str_eq(ss_json_str(result, "status", ""), "done");
        ck_assert_uint_lt(ss_shard_of(ss_json_str(result, "thread", "?")), 3);
    }
}
END_TEST

START_TEST(who_owns_nothing_sends_everybody_on)
{
    diamond();
    world_lost(false);
    uint64_t id = world_ask("ann", "run", "{'graph': 'g', 'input': {'x': []}}");
    ck_assert_str_eq(code_of(world_answer(id)), "moved");
    ck_assert_str_eq(endpoint_of(id), "nobody");
}
END_TEST

START_TEST(a_copy_stays_with_its_coordinator)
{
    diamond();
    world_get("run", RUN(""));
    world_lost(false);
    uint16_t shard = ss_shard_of("t");
    ck_assert_uint_lt(shard, SS_SHARDS - 1);
    world_gained_some((uint16_t)(shard + 1));
    int here = 0, elsewhere = 0;
    for (int i = 0; i < 40; i++) {
        char name[8];
        snprintf(name, sizeof(name), "c%d", i);
        uint64_t id = world_ask_json(
            "ann", "copy", json_pack("{s:s, s:s}", "thread", "t", "to", name));
        world_run();
        const char *code = code_of(world_answer(id));
        bool fits = ss_shard_of(name) <= shard;
        ck_assert_str_eq(code, fits ? "" : "invalid_argument");
        here += fits;
        elsewhere += !fits;
    }
    ck_assert_int_gt(here, 0);
    ck_assert_int_gt(elsewhere, 0);
}
END_TEST

// --- from one to the other --------------------------------------------------

// b is at work when the thread goes over: what was durable runs no more, what
// was not runs again, and the first attempt is nobody's to cancel or settle.
START_TEST(a_thread_is_handed_over_in_mid_superstep)
{
    diamond();
    world_hold("b");
    world_ask("ann", "run", RUN(", 'run': 'r'"));
    world_run();
    world_lost(true);
    world_run();
    world_at("two");
    world_gained();
    world_ask("ann", "attach", "{'run': 'r'}");
    world_run();
    world_let("b");
    world_run();
    world_at("one");
    world_run();
    told("run of graph g begins on thread t\n"
         "  row 1 of t: entry, checkpoint -1 (input)\n"
         "  row 2 of t: writes of __start__, checkpoint 0 (loop)\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "  row 3 of t: writes of a, checkpoint 1 (loop)\n"
         "b of superstep 2 goes to worker w1 (attempt 1)\n"
         "c of superstep 2 goes to worker w1 (attempt 1)\n"
         "  row 4 of t: writes of c\n"
         "1024 shards are not ours any more\n"
         "thread t is dropped: it belongs to another coordinator\n"
         "ann: error moved: thread t belongs to another coordinator\n"
         "(at coordinator two)\n"
         "1024 shards are ours now\n"
         "run of graph g on thread t is found unfinished and goes on\n"
         "b of superstep 2 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "  row 5 of t: writes of b, checkpoint 2 (loop)\n"
         "d of superstep 3 goes to worker w1 (attempt 1)\n"
         "the run ends: done\n"
         "  row 6 of t: writes of d, checkpoint 3 (loop), end\n"
         "ann: done {\"x\":[\"a\",\"b\",\"c\",\"d\"]}\n"
         "(at coordinator one)\n"
         "a result of a thread that has moved is left to its owner\n");
    ck_assert_uint_eq(world_attempts_of("c"), 1);
    ck_assert_uint_eq(world_attempts_of("b"), 2);
}
END_TEST

// Its unit is on its way when the other one has taken the fence.
START_TEST(a_stale_coordinator_writes_nothing)
{
    diamond();
    world_hold("b");
    world_ask("ann", "run", RUN(", 'run': 'r'"));
    world_run();
    world_store_slow(true);
    world_let("b");
    world_run(); // its writes wait for the store
    size_t rows = world_rows();
    world_at("two");
    world_store_slow(false);
    world_gained();
    world_run();
    size_t after = world_rows();
    ck_assert_uint_gt(after, rows);
    world_at("one");
    world_store_says(SS_EFENCED);
    world_run();
    ck_assert_uint_eq(world_rows(), after);
    ck_assert_uint_eq(world_attempts_of("d"), 1);
    uint64_t id = world_ask("ann", "state", "{'thread': 't'}");
    world_lost(true);
    ck_assert_str_eq(endpoint_of(id), "tcp://two");
    world_at("two");
    json_t *state = world_get("state", "{'thread': 't'}");
    char *text = ss_json_text(
        json_object_get(json_object_get(state, "state"), "values"));
    ck_assert_str_eq(text, "{\"x\":[\"a\",\"b\",\"c\",\"d\"]}");
    ss_free(text);
}
END_TEST

START_TEST(all_who_wait_for_a_thread_are_told_that_it_moved)
{
    diamond();
    world_store_slow(true);
    uint64_t loading = world_ask("ann", "state", "{'thread': 't'}");
    uint64_t update = world_ask("bob", "update",
        "{'thread': 'u', 'graph': 'g', 'supersteps': [[{'values':"
        " {'x': ['x']}}]]}");
    world_run();
    world_lost(true);
    ck_assert_str_eq(endpoint_of(loading), "tcp://two");
    ck_assert_str_eq(endpoint_of(update), "tcp://two");
    world_store_slow(false);
    world_run(); // answers that nobody waits for
    world_pass(10000);
    ck_assert_uint_eq(world_rows(), 0);
}
END_TEST

START_TEST(runs_that_queue_up_move_with_their_thread)
{
    diamond();
    world_hold("b");
    world_ask("ann", "run", RUN(", 'run': 'r1'"));
    uint64_t second =
        world_ask("bob", "run", RUN(", 'run': 'r2', 'if_busy': 'enqueue'"));
    world_run();
    world_lost(true);
    ck_assert_str_eq(endpoint_of(second), "tcp://two");
    world_at("two");
    world_gained();
    world_let("b");
    json_t *result = world_finish(world_ask("bob", "attach", "{'run': 'r2'}"));
    ck_assert_str_eq(ss_json_str(result, "status", ""), "done");
    ck_assert_uint_eq(world_attempts_of("d"), 2);
    ck_assert_uint_eq(world_attempts_of("c"), 2);
    world_at("one");
    world_pass(10000);
    ck_assert_uint_eq(world_attempts_of("d"), 2);
}
END_TEST

// Its run was accepted, so it waits for the thread: not here any more.
START_TEST(who_queues_up_at_a_coordinator_that_is_stale_is_told_at_once)
{
    diamond();
    world_hold("b");
    world_ask("ann", "run", RUN(", 'run': 'r1'"));
    uint64_t second =
        world_ask("bob", "run", RUN(", 'run': 'r2', 'if_busy': 'enqueue'"));
    world_run();
    ck_assert_ptr_null(world_answer(second));
    world_store_says(SS_EFENCED);
    world_let("b");
    world_run();
    ck_assert_str_eq(code_of(world_answer(second)), "fenced");
}
END_TEST

START_TEST(a_thread_that_comes_back_goes_on_from_its_rows)
{
    diamond();
    world_hold("b");
    world_ask("ann", "run", RUN(", 'run': 'r'"));
    world_run();
    world_lost(true);
    world_gained();
    world_run();
    world_let("b");
    uint64_t id = world_ask("ann", "attach", "{'run': 'r'}");
    json_t *result = world_finish(id);
    ck_assert_str_eq(ss_json_str(result, "status", ""), "done");
    ck_assert_uint_eq(world_attempts_of("c"), 1);
    ck_assert_uint_eq(world_attempts_of("d"), 1);
}
END_TEST

START_TEST(a_run_found_for_a_thread_that_left_meanwhile_is_let_be)
{
    diamond();
    world_hold("b");
    world_ask("ann", "run", RUN(", 'run': 'r'"));
    world_run();
    world_lost(true);
    world_gained();
    world_lost(true); // while it is loaded
    world_run();
    ck_assert_uint_eq(world_attempts_of("b"), 1);
}
END_TEST

// --- draining ---------------------------------------------------------------

START_TEST(who_drains_sends_no_more_and_keeps_what_comes_in)
{
    diamond();
    world_hold("b");
    world_ask("ann", "run", RUN(", 'run': 'r'"));
    world_run();
    world_drains();
    ck_assert(!world_is_quiet());
    world_let("b");
    ck_assert(world_run_result("b"));
    ck_assert(!world_is_quiet()); // its row is on its way
    world_run();
    ck_assert(world_is_quiet());
    ck_assert_uint_eq(world_attempts_of("d"), 0);
    world_lost(true);
    world_at("two");
    world_gained();
    json_t *result = world_finish(world_ask("ann", "attach", "{'run': 'r'}"));
    ck_assert_str_eq(ss_json_str(result, "status", ""), "done");
    ck_assert_uint_eq(world_attempts_of("b"), 1);
    ck_assert_uint_eq(world_attempts_of("d"), 1);
}
END_TEST

// --- coordinators of two versions -------------------------------------------

static int32_t newest_row; // format, of what was written since it was 0

static void look_at_rows(const struct ss_command *command)
{
    if (command->type != SS_COMMAND_STORE)
        return;
    for (size_t i = 0; i < command->rows_count; i++) {
        int32_t format = ss_row_format(command->rows[i]);
        newest_row = format > newest_row ? format : newest_row;
    }
}

static int32_t newest_written(void)
{
    int32_t format = newest_row;
    newest_row = 0;
    return format;
}

// The oldest member reads rows of that format.
static void members_read(int32_t format)
{
    static const char *const endpoints[] = {"tcp://one", "tcp://two"};
    static const uint16_t owners[SS_SHARDS]; // all the first one's
    struct ss_event event = {.type = SS_EVENT_MEMBERS};
    event.members.endpoints = endpoints;
    event.members.count = 2;
    event.members.owners = owners;
    event.members.row_format = format;
    world_event(&event);
    world_watch(look_at_rows);
    newest_row = 0;
}

static void replace(const char *content)
{
    world_finish(world_ask_json("ann", "run",
        json_pack("{s:s, s:s, s:{s:[{s:s, s:s, s:s}]}}", "thread", "t", "graph",
            "g", "input", "m", "type", "human", "id", "7", "content",
            content)));
}

static const char *content_of_7(void)
{
    const json_t *state =
        json_object_get(world_get("state", "{'thread': 't'}"), "state");
    const json_t *list = json_object_get(json_object_get(state, "values"), "m");
    ck_assert_uint_eq(json_array_size(list), 100);
    return ss_json_str(json_array_get(list, 7), "content", "");
}

static void say_many(void)
{
    json_t *many = json_array();
    for (int i = 0; i < 100; i++)
        json_array_append_new(
            many, json_pack("{s:s, s:o, s:s}", "type", "human", "id",
                      json_sprintf("%d", i), "content", "an old message"));
    world_finish(world_ask_json("ann", "run",
        json_pack("{s:s, s:s, s:{s:o}}", "thread", "t", "graph", "g", "input",
            "m", many)));
}

START_TEST(rows_are_written_that_the_oldest_coordinator_reads)
{
    world_pair();
    world_graph(chart("g", "start>a a>end",
        "{'state': [{'key': 'x', 'type': 'list', 'reducer': 'add'}, {'key':"
        " 'm', 'type': 'list', 'reducer': 'add_messages'}]}"));
    world_worker("w1", 1);
    members_read(SS_ROW_FORMAT_1);
    say_many();
    replace("new");
    ck_assert_int_eq(newest_written(), SS_ROW_FORMAT_1);
    members_read(SS_ROW_FORMAT_2); // the old one has left
    replace("newer");
    ck_assert_int_eq(newest_written(), SS_ROW_FORMAT_2);
    members_read(SS_ROW_FORMAT_1);
    replace("newest");
    ck_assert_int_eq(newest_written(), SS_ROW_FORMAT_1);
    world_lost(true);
    world_at("two"); // reads it from the rows
    world_gained();
    ck_assert_str_eq(content_of_7(), "newest");
}
END_TEST

START_TEST(a_copy_has_no_rows_that_the_oldest_coordinator_does_not_read)
{
    world_pair();
    world_graph(chart("g", "start>a a>end",
        "{'state': [{'key': 'x', 'type': 'list', 'reducer': 'add'}, {'key':"
        " 'm', 'type': 'list', 'reducer': 'add_messages'}]}"));
    world_worker("w1", 1);
    members_read(SS_ROW_FORMAT_1);
    say_many();
    json_t *copied = world_get("copy", "{'thread': 't', 'to': 'old'}");
    ck_assert_ptr_null(json_object_get(copied, "error"));
    members_read(SS_ROW_FORMAT_2);
    replace("new");
    ck_assert_int_eq(newest_written(), SS_ROW_FORMAT_2);
    members_read(SS_ROW_FORMAT_1); // one more than there were when it was made
    copied = world_get("copy", "{'thread': 't', 'to': 'new'}");
    ck_assert_str_eq(code_of(copied), "again");
    ck_assert_int_eq(newest_written(), 0);
    members_read(SS_ROW_FORMAT_2);
    copied = world_get("copy", "{'thread': 't', 'to': 'new'}");
    ck_assert_ptr_null(json_object_get(copied, "error"));
    ck_assert_int_eq(newest_written(), SS_ROW_FORMAT_2);
}
END_TEST

START_TEST(tries_are_kept_when_all_coordinators_know_them)
{
    world_pair();
    world_graph(chart("g", "start>b b>end",
        "{'nodes': {'b': {'retry': [{'initial_interval_ms': 100,"
        " 'max_attempts': 4, 'jitter': false}]}}}"));
    world_body("b", fails_twice);
    world_worker("w1", 1);
    for (int32_t format = SS_ROW_FORMAT_1; format <= SS_ROW_FORMAT_2;
         format++) {
        members_read(format);
        json_t *result = world_get("run", RUN(""));
        ck_assert_str_eq(ss_json_str(result, "status", ""), "done");
        ck_assert_int_eq(newest_written(), format);
    }
    ck_assert_uint_eq(world_attempts_of("b"), 6);
}
END_TEST

START_TEST(lost_workers_are_counted_when_all_coordinators_know_that)
{
    world_pair();
    world_graph(chart("g", "start>a a>end", NULL));
    for (int32_t format = SS_ROW_FORMAT_3; format <= SS_ROW_FORMAT_4;
         format++) {
        world_worker("w1", 1);
        members_read(format);
        world_hold("a");
        uint64_t id = world_ask("ann", "run", RUN(""));
        world_run();
        world_leave("w1");
        world_worker("w1", 1);
        world_let("a");
        ck_assert_str_eq(ss_json_str(world_finish(id), "status", ""), "done");
        ck_assert_int_eq(newest_written(),
            format == SS_ROW_FORMAT_4 ? SS_ROW_FORMAT_4 : SS_ROW_FORMAT_1);
    }
    ck_assert_uint_eq(world_attempts_of("a"), 4);
}
END_TEST

START_TEST(a_run_moves_when_all_coordinators_know_that_runs_do)
{
    world_pair();
    world_graph(chart("g", "start>a a>b b>end", NULL));
    world_worker("w1", 4);
    members_read(SS_ROW_FORMAT_1);
    world_hold("b");
    world_ask("ann", "run", RUN(", 'run': 'r'"));
    world_run();
    world_upgrade(chart("g", "start>a a>b b>c c>end", NULL));
    world_worker("w2", 4);
    newest_row = 0;
    uint64_t id = world_ask("dan", "migrate", "{'run': 'r'}");
    world_run();
    ck_assert_str_eq(code_of(world_answer(id)), "again");
    ck_assert_int_eq(newest_written(), 0);
    members_read(SS_ROW_FORMAT_2);
    json_t *moved = world_get("migrate", "{'run': 'r'}");
    ck_assert_ptr_null(json_object_get(moved, "error"));
    ck_assert_int_eq(newest_written(), SS_ROW_FORMAT_2);
}
END_TEST

SUITE("cluster", who_asks_the_wrong_one_is_told_where_the_thread_is,
    who_attaches_at_the_wrong_one_is_told_where_the_run_is,
    a_new_thread_is_made_where_it_is_asked_for,
    who_owns_nothing_sends_everybody_on, a_copy_stays_with_its_coordinator,
    a_thread_is_handed_over_in_mid_superstep,
    a_stale_coordinator_writes_nothing,
    all_who_wait_for_a_thread_are_told_that_it_moved,
    runs_that_queue_up_move_with_their_thread,
    who_queues_up_at_a_coordinator_that_is_stale_is_told_at_once,
    a_thread_that_comes_back_goes_on_from_its_rows,
    a_run_found_for_a_thread_that_left_meanwhile_is_let_be,
    who_drains_sends_no_more_and_keeps_what_comes_in,
    rows_are_written_that_the_oldest_coordinator_reads,
    a_copy_has_no_rows_that_the_oldest_coordinator_does_not_read,
    tries_are_kept_when_all_coordinators_know_them,
    lost_workers_are_counted_when_all_coordinators_know_that,
    a_run_moves_when_all_coordinators_know_that_runs_do)
