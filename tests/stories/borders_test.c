// Just before, just behind: where leases, caches, limits and answers end. Most
// of these were found by planted faults that no other story noticed.
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"

#include <stdio.h>
#include <string.h>

#include "common/base/status.h"
#include "common/model/limits.h"
#include "common/model/value.h"
#include "coordinator/engine/limits.h"

#define RUN(thread, more)                                                      \
    "{'thread': '" thread "', 'graph': 'g', 'input': {'x': []}" more "}"

enum { LEASE_MS = 3000 }; // of the world's coordinator

static bool was_told(const char *words)
{
    return strstr(world_told(), words) != NULL;
}

START_TEST(a_worker_has_its_whole_lease)
{
    world_graph(chart("g", "start>a a>end", NULL));
    world_worker("w1", 1);
    world_silence("w1");
    world_pass(LEASE_MS);
    ck_assert(!was_told("is gone"));
    world_pass(1);
    ck_assert(was_told("worker w1 is gone: its lease ended"));
}
END_TEST

// Their signs wait in the socket: one that slept does not know who was silent.
START_TEST(a_pause_of_the_coordinator_costs_no_worker_its_lease)
{
    world_graph(chart("g", "start>a a>end", NULL));
    world_worker("w1", 1);
    world_worker("w2", 1);
    for (int64_t ms = LEASE_MS / 4; ms < 4 * LEASE_MS; ms += LEASE_MS / 8) {
        world_pass(LEASE_MS);
        world_pause(ms);
        ck_assert_msg(!was_told("is gone"), "a pause of %d ms", (int)ms);
    }
    world_silence("w2"); // and one that is dead is lost all the same
    world_pass(LEASE_MS + 1);
    ck_assert(was_told("worker w2 is gone: its lease ended"));
}
END_TEST

START_TEST(a_result_counts_only_from_the_worker_that_has_the_attempt)
{
    world_graph(chart("g", "start>a a>end", NULL));
    world_worker("w1", 1);
    world_hold("a");
    world_ask("ann", "run", RUN("t", ""));
    world_run();
    world_worker("w2", 1);
    world_claim("a", "w2");
    world_let("a");
    world_forget();
    world_run();
    told("a late result of a lost attempt is ignored\n");
    ck_assert_uint_eq(world_attempts_of("a"), 1);
}
END_TEST

// Numbers of attempts begin anew with each coordinator: the epoch tells them
// apart.
START_TEST(a_result_for_the_coordinator_before_is_not_ours)
{
    world_graph(chart("g", "start>a a>end", NULL));
    world_worker("w1", 1);
    world_hold("a");
    world_ask("ann", "run", RUN("t", ""));
    world_run();
    world_crash();
    world_restart();
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), 2);
    size_t rows = world_rows();
    world_forget();
    world_let("a");
    ck_assert(world_run_result("a")); // the older one
    world_run_store();
    ck_assert(was_told("a late result of a lost attempt is ignored"));
    ck_assert_uint_eq(world_rows(), rows);
    world_run();
    ck_assert(was_told("the run ends: done"));
}
END_TEST

// Numbers lead to places, and places are used again: by number 65 that of 1.
START_TEST(a_result_that_comes_again_much_later_is_nobody_elses)
{
    world_graph(chart("g", "start>a a>end", NULL));
    world_worker("w1", 1);
    for (int i = 0; i < 64; i++)
        world_get("run", RUN("t", ""));
    world_hold("a");
    world_ask("ann", "run", RUN("t", ""));
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), 65);
    world_rename("a", (struct ss_attempt){.epoch = 1, .dispatch = 1});
    world_let("a");
    world_forget();
    world_run();
    told("a late result of a lost attempt is ignored\n");
}
END_TEST

// What triggered a task is said alike in all orders of its kind, and those of a
// node are of two kinds: the world looks at the bytes of each.
START_TEST(orders_of_a_node_say_whether_it_was_sent_to_or_reached)
{
    world_graph(chart("g", "start>a a>t t>end", NULL));
    world_body("a", sends_three);
    world_worker("w1", 4);
    world_get("run", RUN("t", ""));
    world_get("run", RUN("t", ""));
    ck_assert_uint_eq(world_attempts_of("t"), 8);
}
END_TEST

START_TEST(a_cached_result_is_served_until_its_time_and_no_longer)
{
    world_graph(chart(
        "g", "start>a a>end", "{'nodes': {'a': {'cache': {'ttl_ms': 1000}}}}"));
    world_worker("w1", 1);
    world_get("run", RUN("t", ""));
    world_pass(999);
    world_get("run", RUN("u", ""));
    ck_assert_uint_eq(world_attempts_of("a"), 1);
    world_pass(1);
    world_get("run", RUN("v", ""));
    ck_assert_uint_eq(world_attempts_of("a"), 2);
}
END_TEST

// The column says when, for who looks into the database.
static int64_t kept_until;

static void watch_cache(const struct ss_command *command)
{
    for (size_t i = 0; i < command->puts_count; i++)
        if (command->puts[i].table == SS_RECORD_CACHE)
            kept_until = command->puts[i].expires_us;
}

START_TEST(cached_results_whose_time_is_over_are_cleared_and_no_others)
{
    kept_until = 0;
    world_watch(watch_cache);
    world_graph(chart(
        "g", "start>a a>end", "{'nodes': {'a': {'cache': {'ttl_ms': 1000}}}}"));
    world_worker("w1", 1);
    world_get("run", RUN("t", ""));
    ck_assert_int_gt(kept_until, 1000000);
    world_pass(999);
    json_t *answer = world_get("clear_cache", "{'expired': true}");
    ck_assert_int_eq(ss_json_int(answer, "entries", -1), 0);
    world_pass(1);
    answer = world_get("clear_cache", "{'expired': true}");
    ck_assert_int_eq(ss_json_int(answer, "entries", -1), 1);
    answer = world_get("clear_cache", "{}");
    ck_assert_int_eq(ss_json_int(answer, "entries", -1), 0);
}
END_TEST

// Nobody has asked yet when the answer comes: it is for the first who does.
START_TEST(an_answer_is_for_one_of_two_who_ask_at_once)
{
    world_graph(chart("g", "start>a start>b", NULL));
    world_body("a", asks);
    world_body("b", asks);
    world_worker("w1", 4);
    world_get("run", RUN("t", ", 'interrupt_before': '*'"));
    world_forget();
    world_get("run", "{'thread': 't', 'command': {'resume': 'yes'}}");
    json_t *state = world_get("state", "{'thread': 't'}");
    char *text = json_dumps(state, JSON_SORT_KEYS);
    ck_assert_msg(strstr(text, "a:yes") != NULL, "%s", text);
    ck_assert_msg(strstr(text, "b:yes") == NULL, "%s", text);
    free(text);
}
END_TEST

// Another coordinator has the thread now: this one touches it no more, also
// when it is asked for what is there.
START_TEST(a_fenced_coordinator_does_not_take_the_run_up_again)
{
    world_graph(chart("g", "start>a a>b b>end", NULL));
    world_worker("w1", 1);
    world_hold("a");
    world_ask("ann", "run", RUN("t", ""));
    world_run();
    world_store_says(SS_EFENCED);
    world_let("a");
    world_run();
    world_forget();
    world_get("state", "{'thread': 't'}");
    world_pass(2 * LEASE_MS);
    ck_assert(!was_told("goes on"));
    ck_assert_uint_eq(world_attempts_of("a"), 1);
    ck_assert_uint_eq(world_attempts_of("b"), 0);
}
END_TEST

// There is room elsewhere, but not with whoever serves this graph.
START_TEST(a_worker_is_never_given_more_than_it_takes)
{
    world_graph(chart("other", "start>z z>end", NULL));
    world_worker("w2", 3);
    world_graph(chart("g", "start>a t>end", NULL));
    world_body("a", sends_three);
    world_body("t", says_argument);
    world_worker("w1", 1);
    world_hold("t");
    world_ask("ann", "run", RUN("t", ""));
    world_run();
    ck_assert_uint_eq(world_attempts_of("t"), 1);
    world_let("t");
    world_run();
    ck_assert_uint_eq(world_attempts_of("t"), 3);
}
END_TEST

// A list of which an item was replaced has not merely grown: who reads it back
// from its rows sees the replacement.
START_TEST(a_message_that_was_replaced_stays_replaced_after_a_crash)
{
    world_graph(chart("g", "start>a a>end",
        "{'state': [{'key': 'x', 'type': 'list', 'reducer': 'add'}, {'key':"
        " 'm', 'type': 'list', 'reducer': 'add_messages'}]}"));
    world_worker("w1", 1);
    json_t *many = json_array();
    for (int i = 0; i < 200; i++)
        json_array_append_new(
            many, json_pack("{s:s, s:o, s:s}", "type", "human", "id",
                      json_sprintf("%d", i), "content", "an old message"));
    world_finish(world_ask_json("ann", "run",
        json_pack("{s:s, s:s, s:{s:o}}", "thread", "t", "graph", "g", "input",
            "m", many)));
    world_get("run", "{'thread': 't', 'graph': 'g', 'input': {'m': ["
                     "{'type': 'human', 'id': '7', 'content': 'new'}]}}");
    world_crash();
    world_restart();
    const json_t *state =
        json_object_get(world_get("state", "{'thread': 't'}"), "state");
    const json_t *list = json_object_get(json_object_get(state, "values"), "m");
    ck_assert_uint_eq(json_array_size(list), 200);
    ck_assert_str_eq(
        json_string_value(json_object_get(json_array_get(list, 7), "content")),
        "new");
}
END_TEST

static json_t *complains_at_length(struct visit *visit)
{
    char text[2 * SS_ERROR_SIZE + 1] = "";
    for (size_t i = 0; i < SS_ERROR_SIZE; i++) // two bytes each
        memcpy(text + 2 * i, "\xc3\xa9", 3);
    return visit_fail(visit, SS_ENODE, NULL, SS_RETRY_NO, text);
}

// Its limit is odd, in bytes.
START_TEST(a_long_message_is_cut_between_characters)
{
    world_graph(chart("g", "start>a a>end", NULL));
    world_body("a", complains_at_length);
    world_worker("w1", 1);
    json_t *result = world_get("run", RUN("t", ""));
    json_t *error = json_object_get(result, "error");
    ck_assert_str_eq(ss_json_str(error, "code", ""), "node_failed");
    size_t size = strlen(ss_json_str(error, "message", ""));
    ck_assert_uint_gt(size, SS_ERROR_SIZE - 4);
    ck_assert_uint_eq(size % 2, 0);
}
END_TEST

START_TEST(the_last_place_is_kept_by_the_worker_that_has_it)
{
    world_graph(chart("g", "start>a a>end", NULL));
    for (int i = 0; i < SS_WORKERS_MAX; i++) {
        char name[16];
        snprintf(name, sizeof(name), "w%d", i);
        world_worker(name, 1);
    }
    world_forget();
    world_worker("w7", 1); // its welcome was lost
    ck_assert(was_told("worker w7 serves 1 graphs"));
    world_worker("late", 1);
    ck_assert(!was_told("worker late serves"));
}
END_TEST

// As many supersteps as one request may bring: none stands on the one before.
START_TEST(an_update_of_many_supersteps_takes_no_stack)
{
    world_graph(chart("g", "start>a a>end", NULL));
    world_worker("w1", 1);
    json_t *body = js("{'thread': 't', 'graph': 'g', 'supersteps': []}");
    json_t *supersteps = json_object_get(body, "supersteps");
    for (size_t i = 0; i < SS_UPDATES_MAX; i++)
        json_array_append_new(
            supersteps, js("[{'as_node': 'a', 'values': {'x': []}}]"));
    json_t *answer = world_finish(world_ask_json("ann", "update", body));
    ck_assert_ptr_nonnull(json_object_get(answer, "config"));
    ck_assert_uint_ge(world_rows(), SS_UPDATES_MAX);
}
END_TEST

START_TEST(a_picture_that_takes_too_long_is_not_drawn)
{
    json_t *wide = chart("wide", "start>a a>end", NULL);
    json_t *nodes = json_object_get(wide, "nodes");
    for (int i = 0; i < SS_DRAWN_MAX; i++) {
        char name[16];
        snprintf(name, sizeof(name), "n%d", i);
        json_array_append_new(nodes, json_pack("{s:s}", "name", name));
    }
    world_graph(wide);
    world_graph(chart("g", "start>a a>end", NULL));
    world_worker("w1", 1);
    ck_assert_ptr_nonnull(
        json_object_get(world_get("draw", "{'graph': 'g'}"), "mermaid"));
    const json_t *error =
        json_object_get(world_get("draw", "{'graph': 'wide'}"), "error");
    ck_assert_str_eq(ss_json_str(error, "code", ""), "limit_exceeded");
    ck_assert_str_eq(ss_json_str(error, "message", ""),
        "graph \"wide\": a picture shows 4000 nodes and ways at most");
}
END_TEST

SUITE("borders", a_picture_that_takes_too_long_is_not_drawn,
    a_worker_has_its_whole_lease,
    a_pause_of_the_coordinator_costs_no_worker_its_lease,
    a_result_counts_only_from_the_worker_that_has_the_attempt,
    a_result_for_the_coordinator_before_is_not_ours,
    a_result_that_comes_again_much_later_is_nobody_elses,
    orders_of_a_node_say_whether_it_was_sent_to_or_reached,
    a_cached_result_is_served_until_its_time_and_no_longer,
    cached_results_whose_time_is_over_are_cleared_and_no_others,
    an_answer_is_for_one_of_two_who_ask_at_once,
    a_fenced_coordinator_does_not_take_the_run_up_again,
    a_worker_is_never_given_more_than_it_takes,
    a_message_that_was_replaced_stays_replaced_after_a_crash,
    a_long_message_is_cut_between_characters,
    the_last_place_is_kept_by_the_worker_that_has_it,
    an_update_of_many_supersteps_takes_no_stack)
