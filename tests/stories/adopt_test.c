// What a worker has begun goes on when its coordinator is gone: the one that
// comes after it takes it over, if it is still what that one would ask for.
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"

#include <string.h>

#include "common/base/mem.h"
#include "common/model/cluster.h"

#define RUN(more) "{'thread': 't', 'graph': 'g', 'input': {'x': []}" more "}"

enum { ADOPT_MS = 1000, ORDERS_MAX = 32 };

// Orders as they were sent, and what was said of offers.
static struct ss_offer sent[ORDERS_MAX];
static char nodes[ORDERS_MAX][32];
static size_t sent_count;
static struct ss_adoption adopted[ORDERS_MAX];
static size_t adopted_count;
static struct ss_attempt settled[ORDERS_MAX];
static size_t settled_count;
static size_t asked_count;

static void watch(const struct ss_command *command)
{
    if (command->type == SS_COMMAND_DISPATCH) {
        const struct ss_assignment *order = command->order;
        ck_assert_uint_lt(sent_count, ORDERS_MAX);
        struct ss_offer *offer = &sent[sent_count];
        snprintf(nodes[sent_count++], sizeof(nodes[0]), "%s", order->node);
        *offer = (struct ss_offer){.attempt = order->attempt,
            .thread = ss_strdup(order->thread),
            .run = ss_strdup(order->run),
            .digest = order->digest};
        memcpy(offer->task_id, order->task_id, sizeof(offer->task_id));
    } else if (command->type == SS_COMMAND_ADOPT) {
        adopted[adopted_count++] =
            (struct ss_adoption){command->held, command->attempt};
    } else if (command->type == SS_COMMAND_SETTLED) {
        settled[settled_count++] = command->attempt;
    } else if (command->type == SS_COMMAND_SEEK) {
        asked_count++;
    }
}

static void begin(const char *edges)
{
    sent_count = adopted_count = settled_count = asked_count = 0;
    world_watch(watch);
    world_adopt(ADOPT_MS);
    world_graph(chart("g", edges, NULL));
    world_worker("w1", 4);
}

static void end(void)
{
    for (size_t i = 0; i < sent_count; i++)
        ss_offer_fini(&sent[i]);
}

// The order of that node, sent last.
static struct ss_offer *order_of(const char *node)
{
    for (size_t i = sent_count; i-- > 0;)
        if (strcmp(nodes[i], node) == 0)
            return &sent[i];
    ck_abort_msg("%s was never sent", node);
}

static bool was_settled(struct ss_attempt attempt)
{
    for (size_t i = 0; i < settled_count; i++)
        if (settled[i].epoch == attempt.epoch &&
            settled[i].dispatch == attempt.dispatch)
            return true;
    return false;
}

// Node a is out when the coordinator crashes; its worker offers it to the next.
static void crash_while_a_runs(void)
{
    world_hold("a");
    world_ask("ann", "run", RUN(", 'run': 'r'"));
    world_run();
    world_crash();
    world_forget();
}

static void restart_with(const struct ss_offer *offer)
{
    world_offer(offer, offer ? 1 : 0);
    world_restart();
    world_offer(NULL, 0);
    world_run();
}

// Ann asks for the end of the run.
static void expect_done(const char *output)
{
    json_t *answer = world_get("attach", "{'run': 'r'}");
    char *text = ss_json_text(json_object_get(answer, "output"));
    ck_assert_str_eq(text, output);
    ss_free(text);
}

START_TEST(what_a_worker_has_begun_goes_on_and_does_not_run_again)
{
    begin("start>a a>b b>end");
    crash_while_a_runs();
    restart_with(order_of("a"));
    told("worker w1 serves 1 graphs, 4 tasks at once\n"
         "run of graph g on thread t is found unfinished and goes on\n"
         "a of superstep 1 goes on at worker w1, which had begun it\n");
    ck_assert_uint_eq(adopted_count, 1);
    ck_assert_uint_eq(adopted[0].held.epoch, 1);
    ck_assert_uint_eq(adopted[0].as.epoch, 2);
    world_rename("a", adopted[0].as);
    world_let("a");
    expect_done("{\"x\":[\"a\",\"b\"]}");
    ck_assert_uint_eq(world_attempts_of("a"), 1);
    ck_assert_uint_eq(world_attempts_of("b"), 1);
    end();
}
END_TEST

START_TEST(what_has_begun_goes_on_though_its_graph_is_paused)
{
    begin("start>a a>b b>end");
    world_hold("a");
    world_ask("ann", "run", RUN(", 'run': 'r'"));
    world_run();
    world_get("pause", "{'graph': 'g'}");
    world_crash();
    restart_with(order_of("a"));
    ck_assert_uint_eq(adopted_count, 1);
    world_rename("a", adopted[0].as);
    world_let("a");
    world_run();
    ck_assert_uint_eq(world_attempts_of("b"), 0);
    world_get("unpause", "{'graph': 'g'}");
    expect_done("{\"x\":[\"a\",\"b\"]}");
    ck_assert_uint_eq(world_attempts_of("a"), 1);
    end();
}
END_TEST

START_TEST(a_result_that_is_there_is_taken_over_too)
{
    begin("start>a a>b b>end");
    crash_while_a_runs();
    order_of("a")->ended = true;
    restart_with(order_of("a"));
    ck_assert_ptr_nonnull(strstr(world_told(),
        "a of superstep 1 goes on at worker w1, which has done it"));
    world_rename("a", adopted[0].as);
    world_let("a");
    expect_done("{\"x\":[\"a\",\"b\"]}");
    ck_assert_uint_eq(world_attempts_of("a"), 1);
    end();
}
END_TEST

// Nobody offers it: it waits a little, then it is sent anew.
START_TEST(a_task_that_may_be_out_waits_for_its_worker_but_not_for_ever)
{
    begin("start>a a>end");
    crash_while_a_runs();
    restart_with(NULL);
    ck_assert_uint_eq(world_attempts_of("a"), 1);
    world_pass(ADOPT_MS - 1);
    ck_assert_uint_eq(world_attempts_of("a"), 1);
    world_pass(1);
    ck_assert_uint_eq(world_attempts_of("a"), 2);
    world_let("a");
    expect_done("{\"x\":[\"a\"]}");
    end();
}
END_TEST

START_TEST(a_new_run_waits_for_nobody)
{
    begin("start>a a>end");
    crash_while_a_runs();
    restart_with(NULL);
    world_let("a");
    json_t *answer = world_get("run", "{'thread': 'u', 'graph': 'g',"
                                      " 'input': {'x': []}}");
    ck_assert_str_eq(ss_json_str(answer, "status", ""), "done");
    end();
}
END_TEST

// What it was given is not what it would be given now.
static void expect_refused(const struct ss_offer *offer)
{
    restart_with(offer);
    ck_assert_uint_eq(adopted_count, 0);
    ck_assert(was_settled(offer->attempt));
    world_pass(ADOPT_MS);
    ck_assert_uint_eq(world_attempts_of("a"), 2);
}

START_TEST(an_offer_of_another_digest_is_not_taken)
{
    begin("start>a a>end");
    crash_while_a_runs();
    struct ss_offer offer = *order_of("a");
    offer.digest++;
    expect_refused(&offer);
    end();
}
END_TEST

START_TEST(an_offer_of_another_run_is_not_taken)
{
    begin("start>a a>end");
    crash_while_a_runs();
    struct ss_offer offer = *order_of("a");
    offer.run = "of yesterday";
    expect_refused(&offer);
    end();
}
END_TEST

START_TEST(an_offer_that_nobody_looks_for_is_void_in_the_end)
{
    begin("start>a a>end");
    // When it is void nothing else is due: the engine wakes for it alone.
    world_adopt(ADOPT_MS + 100);
    crash_while_a_runs();
    struct ss_offer offer = *order_of("a");
    offer.thread = "that was deleted";
    restart_with(&offer);
    ck_assert(!was_settled(offer.attempt));
    world_pass(10000);
    ck_assert_uint_eq(adopted_count, 0);
    ck_assert(was_settled(offer.attempt));
    end();
}
END_TEST

// A lost attempt and its successor are both offered: the one that has ended.
START_TEST(of_two_that_have_a_task_the_one_that_has_ended_is_taken)
{
    begin("start>a a>end");
    crash_while_a_runs();
    struct ss_offer runs = *order_of("a"), ended = runs;
    ended.attempt.dispatch = 77;
    ended.ended = true;
    const struct ss_offer both[] = {runs, ended};
    world_offer(both, 2);
    world_restart();
    world_offer(NULL, 0);
    world_run();
    ck_assert_uint_eq(adopted_count, 1);
    ck_assert_uint_eq(adopted[0].held.dispatch, 77);
    ck_assert(was_settled(runs.attempt));
    end();
}
END_TEST

START_TEST(an_adopted_attempt_is_lost_with_its_worker)
{
    begin("start>a a>end");
    crash_while_a_runs();
    restart_with(order_of("a"));
    ck_assert_uint_eq(adopted_count, 1);
    world_silence("w1");
    world_worker("w2", 1);
    world_pass(10000);
    ck_assert_uint_eq(world_attempts_of("a"), 2);
    world_let("a");
    expect_done("{\"x\":[\"a\"]}");
    end();
}
END_TEST

START_TEST(an_offer_goes_with_its_worker)
{
    begin("start>a a>end");
    crash_while_a_runs();
    struct ss_offer offer = *order_of("a");
    offer.thread = "not read yet";
    restart_with(&offer);
    world_leave("w1");
    world_pass(10000);
    ck_assert(!was_settled(offer.attempt));
    end();
}
END_TEST

// What an answer was given to is taken over only if it was given the same.
START_TEST(an_attempt_with_its_answers_goes_on)
{
    begin("start>a a>end");
    world_body("a", asks);
    json_t *asked = world_get("run", RUN(""));
    ck_assert_str_eq(ss_json_str(asked, "status", ""), "interrupted");
    uint64_t before = order_of("a")->digest;
    world_hold("a");
    world_ask("ann", "run",
        "{'thread': 't', 'graph': 'g', 'run': 'r',"
        " 'command': {'resume': 'yes'}}");
    world_run();
    world_crash();
    ck_assert_uint_ne(order_of("a")->digest, before);
    restart_with(order_of("a"));
    ck_assert_uint_eq(adopted_count, 1);
    end();
}
END_TEST

// ------------------------------------------------------------------ two

static void answer_seek(const struct ss_offer *offers, size_t count)
{
    struct ss_event event = {.type = SS_EVENT_WORKER_OFFERS, .peer = "w1"};
    event.offers.items = offers;
    event.offers.count = count;
    world_event(&event);
    world_run();
}

static void hand_over_while_a_runs(void)
{
    world_adopt(ADOPT_MS);
    world_pair();
    begin("start>a a>b b>end");
    world_hold("a");
    world_ask("ann", "run", RUN(", 'run': 'r'"));
    world_run();
    world_at("two");
    world_worker("w1", 4);
    world_at("one");
    world_lost(true);
    world_at("two");
    ck_assert_uint_eq(asked_count, 1); // the first one asked its worker
    world_gained();
    world_run();
    ck_assert_uint_eq(asked_count, 2);
    world_forget();
}

// A resume value without an id that nobody asked for went out with a, which has
// ended: b, sent without it, would not be given it now.
START_TEST(who_was_sent_without_a_plain_answer_goes_on_without)
{
    begin("start>s s>a s>b");
    world_get("run", RUN(", 'run': 'q', 'interrupt_before': ['a']"));
    world_hold("b");
    world_ask("ann", "run",
        "{'thread': 't', 'run': 'r', 'command': {'resume': 'yes'}}");
    world_run();
    world_crash();
    restart_with(order_of("b"));
    ck_assert_uint_eq(adopted_count, 1);
    world_rename("b", adopted[0].as);
    world_let("b");
    expect_done("{\"x\":[\"s\",\"a\",\"b\"]}");
    ck_assert_uint_eq(world_attempts_of("a"), 1);
    ck_assert_uint_eq(world_attempts_of("b"), 1);
    end();
}
END_TEST

START_TEST(who_gains_a_thread_asks_its_workers_and_goes_on)
{
    hand_over_while_a_runs();
    ck_assert_uint_eq(world_attempts_of("a"), 1);
    answer_seek(order_of("a"), 1);
    told("a of superstep 1 goes on at worker w1, which had begun it\n");
    ck_assert_uint_eq(adopted_count, 1);
    end();
}
END_TEST

// One that we have not heard of may hold what the owner before us gave it, and
// begin it for as long as that one's word is good.
START_TEST(though_all_that_we_know_have_answered_what_may_begin_is_waited_for)
{
    hand_over_while_a_runs();
    answer_seek(NULL, 0);
    ck_assert_uint_eq(world_attempts_of("a"), 1);
    world_pass(ADOPT_MS - 1);
    ck_assert_uint_eq(world_attempts_of("a"), 1);
    world_pass(1);
    ck_assert_uint_eq(world_attempts_of("a"), 2);
    end();
}
END_TEST

START_TEST(offers_of_threads_that_are_anothers_are_left_to_it)
{
    hand_over_while_a_runs();
    world_lost(true);
    answer_seek(order_of("a"), 1);
    world_pass(10000);
    ck_assert_uint_eq(adopted_count, 0);
    ck_assert(!was_settled(order_of("a")->attempt));
    end();
}
END_TEST

SUITE("adopt", what_a_worker_has_begun_goes_on_and_does_not_run_again,
    what_has_begun_goes_on_though_its_graph_is_paused,
    a_result_that_is_there_is_taken_over_too,
    a_task_that_may_be_out_waits_for_its_worker_but_not_for_ever,
    a_new_run_waits_for_nobody, an_offer_of_another_digest_is_not_taken,
    an_offer_of_another_run_is_not_taken,
    an_offer_that_nobody_looks_for_is_void_in_the_end,
    of_two_that_have_a_task_the_one_that_has_ended_is_taken,
    an_adopted_attempt_is_lost_with_its_worker, an_offer_goes_with_its_worker,
    an_attempt_with_its_answers_goes_on,
    who_was_sent_without_a_plain_answer_goes_on_without,
    who_gains_a_thread_asks_its_workers_and_goes_on,
    though_all_that_we_know_have_answered_what_may_begin_is_waited_for,
    offers_of_threads_that_are_anothers_are_left_to_it)
