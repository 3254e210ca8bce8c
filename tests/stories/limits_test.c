// What the engine keeps of what others say has an end: each limit at its edge.
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/value.h"
#include "coordinator/engine/limits.h"
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"

static struct {
    size_t cancelled, settled;
    uint64_t first_base, second_base; // of lists in the orders of b
    bool had_first;
} seen;

static void watch(const struct ss_command *command)
{
    const struct ss_assignment *order = command->order;
    seen.cancelled += command->type == SS_COMMAND_CANCEL;
    seen.settled += command->type == SS_COMMAND_SETTLED;
    if (command->type != SS_COMMAND_DISPATCH || strcmp(order->node, "b") != 0)
        return;
    uint64_t base = order->lists.count > 0 ? order->lists.items[0].base : 0;
    if (seen.had_first)
        seen.second_base = base;
    else
        seen.first_base = base;
    seen.had_first = true;
}

static size_t page_count(const json_t *answer, const char *name)
{
    return json_array_size(json_object_get(answer, name));
}

static void begin(void)
{
    memset(&seen, 0, sizeof(seen));
    world_watch(watch);
}

// Runs of so many threads, none of which waits for the one before.
static void run_threads(size_t count, const char *input)
{
    for (size_t i = 0; i < count; i++) {
        char body[256];
        snprintf(body, sizeof(body),
            "{'thread': 't%zu', 'graph': 'g', 'input': {'x': %s}}", i, input);
        world_ask("ann", "run", body);
    }
    world_run();
}

// ---------------------------------------------------------------- warnings

START_TEST(a_run_keeps_so_many_warnings)
{
    json_t *names = json_array();
    world_graph(chart("g", "start>a a>end", NULL));
    world_worker("w1", 1);
    for (int i = 0; i < SS_WARNINGS_MAX + 3; i++) {
        char name[16];
        snprintf(name, sizeof(name), "far%d", i);
        json_array_append_new(names, json_string(name));
    }
    uint64_t id = world_ask_json("ann", "run",
        json_pack("{s:s, s:s, s:{s:[]}, s:o}", "thread", "t", "graph", "g",
            "input", "x", "interrupt_before", names));
    json_t *warnings = json_object_get(world_finish(id), "warnings");
    ck_assert_uint_eq(json_array_size(warnings), SS_WARNINGS_MAX);
}
END_TEST

// ---------------------------------------------------------------- offers

// Attempts of a coordinator before us: what is one too many is let go at once.
START_TEST(so_many_attempts_of_others_are_kept_and_the_next_one_is_void)
{
    static struct ss_offer offers[SS_OFFERS_MAX + 1];
    begin();
    world_adopt(1000);
    world_graph(chart("g", "start>a a>end", NULL));
    world_worker("w1", 1);
    world_crash();
    for (size_t i = 0; i < SS_OFFERS_MAX + 1; i++) {
        offers[i].attempt = (struct ss_attempt){.epoch = 1, .dispatch = i + 1};
        offers[i].thread = "t";
        offers[i].run = "r";
        snprintf(offers[i].task_id, sizeof(offers[i].task_id), "%zu", i);
    }
    world_offer(offers, SS_OFFERS_MAX);
    world_restart();
    ck_assert_uint_eq(seen.settled, 0);
    world_offer(&offers[SS_OFFERS_MAX], 1);
    world_worker("w2", 1);
    ck_assert_uint_eq(seen.settled, 1);
    world_offer(NULL, 0);
}
END_TEST

// ---------------------------------------------------------------- lists

// So many threads have a list at the worker; then each goes on there.
static void hold_lists(size_t count)
{
    json_t *graph = chart("g", "start>a a>b b>end", NULL);
    begin();
    world_graph(json_incref(graph));
    world_worker("w1", (uint32_t)count);
    struct ss_event hello = {.type = SS_EVENT_WORKER_HELLO, .peer = "w1"};
    hello.hello.name = "w1";
    hello.hello.capacity = (uint32_t)count;
    hello.hello.graphs = &graph;
    hello.hello.graphs_count = 1;
    hello.hello.keeps_lists = true;
    world_event(&hello);
    json_decref(graph);
    world_hold("a");
    run_threads(count, "[1, 2, 3, 4, 5, 6, 7, 8]");
    ck_assert_uint_eq(world_attempts_of("a"), count);
    world_let("a");
    world_run();
    ck_assert_uint_eq(world_attempts_of("b"), count);
}

START_TEST(a_worker_is_known_to_hold_so_many_lists)
{
    hold_lists(SS_WORKER_LISTS_MAX);
    ck_assert_uint_ne(seen.first_base, 0);
    ck_assert_uint_ne(seen.second_base, 0);
}
END_TEST

START_TEST(of_one_list_more_the_longest_unused_is_sent_whole_again)
{
    hold_lists(SS_WORKER_LISTS_MAX + 1);
    ck_assert_uint_eq(seen.first_base, 0);
}
END_TEST

// ---------------------------------------------------------------- let go

// The thread of each attempt has moved: its worker is not told to end them, as
// far back as they are known.
START_TEST(so_many_attempts_of_threads_that_moved_are_known)
{
    enum { MORE = 3, COUNT = SS_WORKER_LET_GO_MAX + MORE };
    begin();
    world_pair();
    world_graph(chart("g", "start>a a>end", NULL));
    world_worker("w1", COUNT);
    world_hold("a");
    run_threads(COUNT, "[]");
    ck_assert_uint_eq(world_attempts_of("a"), COUNT);
    seen.cancelled = 0;
    world_lost(true);
    ck_assert_uint_eq(seen.cancelled, 0);
    world_share("w1", COUNT); // its sign names them all
    ck_assert_uint_eq(seen.cancelled, MORE);
}
END_TEST

// ---------------------------------------------------------------- steps

#define RUN "'run': 'r', 'thread': 't', 'graph': 'g', 'input': {'x': []}"

// Round and round, with no task that any worker would run.
static uint64_t run_round(const char *body)
{
    world_graph(chart("g", "start>sub sub>sub",
        "{'nodes': {'sub': {'subgraph': 'inner'}}, 'subgraphs': {'inner':"
        " {'name': 'inner', 'kind': 'state', 'state': [{'key': 'x',"
        " 'type': 'list', 'reducer': 'add'}], 'nodes': [],"
        " 'edges': [['__start__', '__end__']]}}}"));
    world_worker("w1", 1);
    return world_ask("ann", "run", body);
}

static void tick(void)
{
    world_event(&(struct ss_event){.type = SS_EVENT_TICK});
}

enum { STEP_ROWS_MAX = 3 * (SS_STEP_SUPERSTEPS_MAX + 1) }; // three a superstep

// So many answers of the store, or ticks where it has none to give.
static void go_on(int times)
{
    for (int i = 0; i < times; i++) {
        size_t rows = world_rows();
        if (!world_run_store())
            tick();
        ck_assert_uint_le(world_rows(), rows + STEP_ROWS_MAX);
    }
}

START_TEST(a_cycle_without_tasks_leaves_a_step_and_others_are_served)
{
    uint64_t id = run_round("{" RUN "}");
    go_on(10);
    ck_assert_uint_gt(world_rows(), STEP_ROWS_MAX);
    ck_assert_ptr_null(world_answer(id));
    uint64_t cancel = world_ask("bob", "cancel", "{'run': 'r'}");
    world_run();
    ck_assert_str_eq(status_of(world_answer(cancel)), "cancelled");
    ck_assert_str_eq(status_of(world_answer(id)), "cancelled");
    size_t rows = world_rows();
    go_on(3);
    ck_assert_uint_eq(world_rows(), rows);
}
END_TEST

START_TEST(a_cycle_without_tasks_goes_on_to_its_recursion_limit)
{
    uint64_t id = run_round("{" RUN ", 'recursion_limit': 350}");
    go_on(20);
    ck_assert_str_eq(code_of(world_answer(id)), "recursion_limit");
    ck_assert_uint_ge(world_rows(), 350);
}
END_TEST

START_TEST(a_cycle_without_tasks_waits_for_the_store)
{
    run_round("{" RUN "}");
    go_on(5);
    for (int i = 0; i < 10; i++)
        tick();
    size_t rows = world_rows();
    world_run_store(); // what was on its way, and what came together meanwhile
    world_run_store();
    ck_assert_uint_lt(
        world_rows(), rows + SS_ASYNC_BACKLOG_MAX + 2 * STEP_ROWS_MAX);
}
END_TEST

START_TEST(a_cycle_without_tasks_is_left_to_others_when_its_coordinator_drains)
{
    run_round("{" RUN "}");
    go_on(5);
    world_drains();
    world_run();
    ck_assert(world_is_quiet());
    size_t rows = world_rows();
    tick();
    world_run();
    ck_assert_uint_eq(world_rows(), rows);
    world_crash();
    world_restart();
    go_on(5);
    ck_assert_uint_gt(world_rows(), rows);
}
END_TEST

// ---------------------------------------------------------------- pages

START_TEST(an_answer_has_so_many_items_and_says_that_there_are_more)
{
    json_t *list = json_array();
    world_graph(chart("g", "start>a a>end", NULL));
    world_worker("w1", 1);
    world_get("run", "{'thread': 't', 'graph': 'g', 'input': {'x': []}}");
    for (size_t i = 0; i < SS_HISTORY_MAX; i++)
        json_array_append_new(list, js("[{'values': {}, 'as_node': 'a'}]"));
    uint64_t id = world_ask_json("ann", "update",
        json_pack("{s:s, s:o}", "thread", "t", "supersteps", list));
    ck_assert_str_eq(code_of(world_finish(id)), "");
    json_t *answer = world_get("journal", "{'thread': 't', 'limit': 1000000}");
    ck_assert_uint_eq(page_count(answer, "rows"), SS_HISTORY_MAX);
    ck_assert(json_is_true(json_object_get(answer, "more")));
    answer = world_get("journal", "{'thread': 't', 'from': 10001}");
    ck_assert_uint_gt(page_count(answer, "rows"), 0);
    ck_assert_ptr_null(json_object_get(answer, "more"));
}
END_TEST

enum { LARGE = 3 * 1024 * 1024 };

static json_t *says_much(struct visit *visit)
{
    char *text = ss_alloc(LARGE + 1);
    (void)visit;
    memset(text, 'y', LARGE);
    text[LARGE] = '\0';
    json_t *said = says(text);
    ss_free(text);
    return said;
}

// A state of three, six and nine megabytes: of 8 MB each answer has what fits,
// and the large one comes alone.
START_TEST(an_answer_is_cut_between_items_where_it_grows_too_large)
{
    static const struct {
        const char *op, *behind;
        size_t counts[5]; // ends with 0
    } reads[] = {{"history", "before", {1, 1, 1, 2}},
        // what the tasks of a checkpoint wrote stands with it
        {"checkpoints", "after", {2, 1, 1, 1}}};
    world_graph(chart("g", "start>a a>b b>c c>end", NULL));
    world_body("a", says_much);
    world_body("b", says_much);
    world_body("c", says_much);
    world_worker("w1", 1);
    world_get("run", "{'thread': 't', 'graph': 'g', 'input': {'x': []}}");
    for (size_t r = 0; r < sizeof(reads) / sizeof(*reads); r++) {
        json_t *body = json_pack("{s:s}", "thread", "t");
        for (size_t i = 0; reads[r].counts[i] > 0; i++) {
            uint64_t id = world_ask_json("ann", reads[r].op, json_copy(body));
            const json_t *answer = world_finish(id), *last;
            size_t count = page_count(answer, reads[r].op);
            ck_assert_uint_eq(count, reads[r].counts[i]);
            ck_assert_int_eq(json_object_get(answer, "more") != NULL,
                reads[r].counts[i + 1] > 0);
            last =
                json_array_get(json_object_get(answer, reads[r].op), count - 1);
            json_object_set_new(body, reads[r].behind,
                json_string(ss_json_str(last, "id",
                    ss_json_str(json_object_get(last, "config"),
                        "checkpoint_id", ""))));
        }
        json_decref(body);
    }
}
END_TEST

SUITE("limits", a_run_keeps_so_many_warnings,
    so_many_attempts_of_others_are_kept_and_the_next_one_is_void,
    a_worker_is_known_to_hold_so_many_lists,
    of_one_list_more_the_longest_unused_is_sent_whole_again,
    so_many_attempts_of_threads_that_moved_are_known,
    a_cycle_without_tasks_leaves_a_step_and_others_are_served,
    a_cycle_without_tasks_goes_on_to_its_recursion_limit,
    a_cycle_without_tasks_waits_for_the_store,
    a_cycle_without_tasks_is_left_to_others_when_its_coordinator_drains,
    an_answer_has_so_many_items_and_says_that_there_are_more,
    an_answer_is_cut_between_items_where_it_grows_too_large)
