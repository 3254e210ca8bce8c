// Which worker gets a task, and when none does.
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"

#include <string.h>

#include "common/base/mem.h"
#include "coordinator/engine/limits.h"

#define RUN(more) "{'thread': 't', 'graph': 'g', 'input': {'x': []}" more "}"

static const char *worker_of(const char *node)
{
    size_t count;
    const struct attempt_made *attempts = world_attempts(&count);
    while (count-- > 0)
        if (strcmp(attempts[count].node, node) == 0)
            return attempts[count].worker;
    return "nobody";
}

// ------------------------------------------------------------------ labels

static void ask_for_gpu(void)
{
    world_graph(chart(
        "g", "start>a a>b b>end", "{'nodes': {'b': {'labels': ['gpu']}}}"));
    world_worker("w1", 1);
}

START_TEST(a_node_that_asks_for_a_label_runs_where_it_is_offered)
{
    ask_for_gpu();
    world_worker("w2", 1);
    world_label("w2", "gpu");
    json_t *answer = world_get("run", RUN(""));
    ck_assert_str_eq(ss_json_str(answer, "status", ""), "done");
    ck_assert_str_eq(worker_of("a"), "w1");
    ck_assert_str_eq(worker_of("b"), "w2");
}
END_TEST

START_TEST(a_task_waits_for_a_worker_with_its_label_and_says_so)
{
    ask_for_gpu();
    uint64_t id = world_ask("ann", "run", RUN(""));
    world_run();
    ck_assert_ptr_null(world_answer(id));
    ck_assert_ptr_nonnull(
        strstr(world_told(), "task b waits: no worker offers gpu\n"));
    json_t *answer = world_get("explain", "{'thread': 't'}");
    char *text = ss_json_text(answer);
    ck_assert_msg(strstr(text, "\"why\":\"no_label\"") != NULL, "%s", text);
    ck_assert_msg(strstr(text, "\"labels\":\"gpu\"") != NULL, "%s", text);
    ss_free(text);
    world_label("w1", "gpu");
    ck_assert_str_eq(ss_json_str(world_finish(id), "status", ""), "done");
}
END_TEST

// ------------------------------------------------------------------ sticky

// Among equals the one that has worked on the thread; never at the price of
// leaving another one idle.
START_TEST(a_thread_stays_with_its_worker_while_that_one_is_free)
{
    world_graph(chart("g", "start>a a>b b>c c>end", NULL));
    world_worker("w1", 1);
    world_worker("w2", 1);
    world_hold("a");
    world_ask(
        "ann", "run", "{'thread': 'u', 'graph': 'g', 'input': {'x': []}}");
    world_run(); // w1 is busy
    world_ask("bob", "run", RUN(""));
    world_run();
    ck_assert_str_eq(worker_of("a"), "w2");
    world_run_result("a"); // held
    world_let("a");
    world_run();
    size_t count;
    const struct attempt_made *attempts = world_attempts(&count);
    ck_assert_uint_eq(count, 6);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(attempts[i].run, attempts[j].run) == 0)
                ck_assert_str_eq(attempts[i].worker, attempts[j].worker);
}
END_TEST

START_TEST(tasks_of_one_superstep_spread_over_the_workers)
{
    world_graph(chart("g", "start>a a>b a>c b+c>d d>end", NULL));
    world_worker("w1", 4);
    world_worker("w2", 4);
    world_hold("b");
    world_ask("ann", "run", RUN(""));
    world_run();
    ck_assert_str_ne(worker_of("b"), worker_of("c"));
    world_let("b");
}
END_TEST

// ------------------------------------------------------------------ leaving

START_TEST(what_a_draining_worker_has_not_begun_goes_to_others)
{
    world_graph(chart("g", "start>a a>end", NULL));
    world_worker("w1", 1);
    world_hold("a");
    world_ask("ann", "run", RUN(""));
    world_run();
    world_worker("w2", 1);
    world_forget();
    struct ss_attempt first = {1, 1}, unknown = {1, 77};
    const struct ss_attempt returns[] = {unknown, first};
    struct ss_event event = {.type = SS_EVENT_WORKER_BYE, .peer = "w1"};
    event.bye.drains = true;
    event.bye.returns = returns;
    event.bye.returns_count = 2;
    world_event(&event);
    told("worker w1 hands a back, not begun\n"
         "a of superstep 1 goes to worker w2 (attempt 1)\n");
}
END_TEST

START_TEST(a_worker_hands_back_only_what_it_has)
{
    world_graph(chart("g", "start>a a>end", NULL));
    world_worker("w1", 1);
    world_hold("a");
    world_ask("ann", "run", RUN(""));
    world_run();
    world_worker("w2", 1);
    struct ss_attempt anothers = {1, 1};
    struct ss_event event = {.type = SS_EVENT_WORKER_BYE, .peer = "w2"};
    event.bye.drains = true;
    event.bye.returns = &anothers;
    event.bye.returns_count = 1;
    world_event(&event);
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), 1);
}
END_TEST

// ------------------------------------------------------------------ credit

// Results would only wait behind what the store has not answered.
START_TEST(a_store_that_is_behind_withdraws_the_workers_credit)
{
    world_graph(chart("g", "start>a a>end", NULL));
    world_worker("w1", 1);
    world_leave("w1");
    world_ask("ann", "run", RUN(""));
    world_run();
    world_store_slow(true);
    for (int i = 0; i < SS_STORES_OUT_MAX; i++)
        world_ask("bob", "run", "{'graph': 'g', 'input': {'x': []}}");
    for (int i = 0; i < SS_STORES_OUT_MAX; i++)
        world_run_store(); // each thread is read; then its rows are out
    world_worker("w1", 1);
    ck_assert_uint_eq(world_attempts_of("a"), 0);
    world_run_store();
    world_run_result(NULL);
    ck_assert_uint_gt(world_attempts_of("a"), 0);
    world_store_slow(false);
}
END_TEST

SUITE("place", a_node_that_asks_for_a_label_runs_where_it_is_offered,
    a_task_waits_for_a_worker_with_its_label_and_says_so,
    a_thread_stays_with_its_worker_while_that_one_is_free,
    tasks_of_one_superstep_spread_over_the_workers,
    what_a_draining_worker_has_not_begun_goes_to_others,
    a_worker_hands_back_only_what_it_has,
    a_store_that_is_behind_withdraws_the_workers_credit)
