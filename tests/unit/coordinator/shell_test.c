// Which peers a coordinator lets in, and how a run goes through it to its
// answer.
#include "coordinator/shell_impl.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/app/settings.h"
#include "common/base/mem.h"
#include "common/link/limits.h"
#include "common/wire/limits.h"
#include "tests/suite.h"
#include "tests/unit/coordinator/shell.h"

static void say_bytes(struct ss_link *link, const char *bytes, size_t size)
{
    ck_assert_int_eq(ss_link_send(link, NULL, bytes, size, &failure), SS_OK);
}

static void expect_final(const char *status)
{
    struct ss_message *answer = hear(client, SS_MESSAGE_ANSWER);
    while (!answer->final) {
        ss_message_destroy(&answer);
        answer = hear(client, SS_MESSAGE_ANSWER);
    }
    const json_t *body = ss_value_json(answer->body);
    char *text = ss_json_text(body);
    ck_assert_msg(
        strcmp(ss_json_str(body, "status", ""), status) == 0, "%s", text);
    ss_free(text);
    ss_message_destroy(&answer);
}
// --- peers -------------------------------------------------------------------

START_TEST(a_worker_is_welcomed_with_the_epoch_and_the_times)
{
    say_hello(worker, "w", 1);
    struct ss_message *welcome = hear(worker, SS_MESSAGE_WELCOME);
    ck_assert_uint_eq(welcome->epoch, coordinator->epoch);
    ck_assert_int_eq(
        welcome->welcome.lease_ms, ss_coordinator_initial.lease_ms);
    ck_assert_int_eq(
        welcome->welcome.heartbeat_ms, ss_coordinator_initial.heartbeat_ms);
    ss_message_destroy(&welcome);
}
END_TEST

START_TEST(a_name_that_a_live_worker_has_is_refused)
{
    join(worker, "w", 1);
    say_hello(client, "w", 1);
    struct ss_message *refused = hear(client, SS_MESSAGE_REFUSED);
    ck_assert_int_eq(refused->refused.status, SS_EEXISTS);
    ss_message_destroy(&refused);
}
END_TEST

START_TEST(a_beat_of_a_stranger_is_asked_for_a_hello)
{
    say(worker, ss_message_new(SS_MESSAGE_BEAT));
    hear_and_forget(worker, SS_MESSAGE_REFUSED);
}
END_TEST

START_TEST(garbage_is_answered_each_time_and_logged_once)
{
    for (int i = 0; i < 3; i++) {
        say_bytes(worker, "GET / HTTP/1.1", 14);
        struct ss_message *refused = hear(worker, SS_MESSAGE_REFUSED);
        ck_assert_int_eq(refused->refused.status, SS_EFORMAT);
        ck_assert_ptr_nonnull(
            strstr(refused->refused.text, "not a message of this"));
        ss_message_destroy(&refused);
    }
    ck_assert_uint_eq(shell_warnings, 1);
    say_bytes(client, "", 0);
    hear_and_forget(client, SS_MESSAGE_REFUSED);
    ck_assert_uint_eq(shell_warnings, 1); // it comes from the same place
    join(worker, "w", 1);
}
END_TEST

START_TEST(another_protocol_is_refused_with_both_numbers)
{
    say_bytes(worker, "\x08\x07", 2);
    struct ss_message *refused = hear(worker, SS_MESSAGE_REFUSED);
    ck_assert_int_eq(refused->refused.status, SS_EVERSION);
    ck_assert_ptr_nonnull(
        strstr(refused->refused.text, "protocol 7, this one 1"));
    ss_message_destroy(&refused);
}
END_TEST

START_TEST(what_is_not_for_a_coordinator_is_refused)
{
    static const enum ss_message_type types[] = {SS_MESSAGE_WELCOME,
        SS_MESSAGE_REFUSED, SS_MESSAGE_TASKS, SS_MESSAGE_CANCEL,
        SS_MESSAGE_SETTLED, SS_MESSAGE_ANSWER, SS_MESSAGE_MEMBERS,
        SS_MESSAGE_DRAIN};
    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
        say(worker, ss_message_new(types[i]));
        struct ss_message *refused = hear(worker, SS_MESSAGE_REFUSED);
        ck_assert_int_eq(refused->refused.status, SS_EINVAL);
        ck_assert_ptr_nonnull(
            strstr(refused->refused.text, ss_message_name(types[i])));
        ss_message_destroy(&refused);
    }
}
END_TEST

START_TEST(a_ping_is_answered_with_the_epoch)
{
    struct ss_message *ping = ss_message_new(SS_MESSAGE_PING);
    ping->id = 77;
    say(client, ping);
    say(client, ss_message_new(SS_MESSAGE_PONG)); // is passed over
    struct ss_message *pong = hear(client, SS_MESSAGE_PONG);
    ck_assert_uint_eq(pong->id, 77);
    ck_assert_uint_eq(pong->epoch, coordinator->epoch);
    ss_message_destroy(&pong);
}
END_TEST

START_TEST(what_a_worker_says_that_it_is_set_to_is_told)
{
    struct ss_message *hello = hello_of("w", 1);
    hello->hello.settings =
        json_pack("[{s:s, s:i}]", "name", "capacity", "value", 1);
    say(worker, hello);
    hear_and_forget(worker, SS_MESSAGE_WELCOME);
    ask(6, "settings", NULL);
    struct ss_message *answer = hear(client, SS_MESSAGE_ANSWER);
    char *text = ss_json_text(ss_value_json(answer->body));
    ck_assert_str_eq(text, "{\"settings\":[{\"worker\":\"w\",\"settings\":"
                           "[{\"name\":\"capacity\",\"value\":1}]}]}");
    ss_free(text);
    ss_message_destroy(&answer);
    say_hello(worker, "w", 1); // one that says nothing of it
    hear_and_forget(worker, SS_MESSAGE_WELCOME);
    ask(7, "settings", NULL);
    answer = hear(client, SS_MESSAGE_ANSWER);
    text = ss_json_text(ss_value_json(answer->body));
    ck_assert_str_eq(
        text, "{\"settings\":[{\"worker\":\"w\",\"settings\":[]}]}");
    ss_free(text);
    ss_message_destroy(&answer);
}
END_TEST

// A link that is told nothing has its own numbers: they must not differ.
START_TEST(the_limits_of_a_link_are_those_of_the_table)
{
    ck_assert_int_eq(
        ss_coordinator_initial.per_address_max, SS_LINK_PER_ADDRESS_MAX);
    ck_assert_int_eq(
        ss_coordinator_initial.connections_rate, SS_LINK_CONNECTIONS_RATE);
    ck_assert_int_eq(
        ss_coordinator_initial.messages_rate, SS_LINK_MESSAGES_RATE);
}
END_TEST

START_TEST(a_worker_that_is_sent_away_hears_it)
{
    join(worker, "w", 1);
    ask(5, "drain", "{\"worker\":\"w\"}");
    hear_and_forget(worker, SS_MESSAGE_DRAIN);
    expect_final("draining");
}
END_TEST

// --- work --------------------------------------------------------------------

START_TEST(a_run_goes_through_a_worker_to_its_answer)
{
    join(worker, "w", 1);
    ask(5, "run", "{\"graph\":\"g\",\"thread\":\"t\",\"input\":{\"log\":[]}}");
    struct ss_message *tasks = hear(worker, SS_MESSAGE_TASKS);
    ck_assert_uint_eq(tasks->orders_count, 1);
    ck_assert_str_eq(tasks->orders[0]->node, "work");
    say_done(worker, tasks->orders[0]);
    ss_message_destroy(&tasks);
    struct ss_message *answer = hear(client, SS_MESSAGE_ANSWER);
    ck_assert_uint_eq(answer->id, 5);
    ck_assert(!answer->final);
    ss_message_destroy(&answer);
    expect_final("done");
    struct ss_message *settled = hear(worker, SS_MESSAGE_SETTLED);
    ck_assert_uint_eq(settled->attempts_count, 1);
    ss_message_destroy(&settled);
}
END_TEST

START_TEST(what_is_ready_in_one_turn_is_one_message_for_a_worker)
{
    char body[100];
    for (int i = 0; i < 20; i++) {
        snprintf(body, sizeof(body),
            "{\"graph\":\"g\",\"thread\":\"t%d\",\"input\":{\"log\":[]}}", i);
        ask((uint64_t)i, "run", body);
    }
    join(worker, "w", 50);
    size_t orders = 0, messages = 0;
    while (orders < 20) {
        struct ss_message *tasks = hear(worker, SS_MESSAGE_TASKS);
        orders += tasks->orders_count;
        messages++;
        ss_message_destroy(&tasks);
    }
    ck_assert_uint_lt(messages, 20);
}
END_TEST

// Its queue is full of what it does not read. What waits for it in the outbox
// is not a message that it would refuse, and no task fails of it.
START_TEST(a_worker_that_reads_nothing_is_sent_no_message_that_is_too_long)
{
    enum { AT_ONCE = 100, RUNS = SS_WIRE_BATCH_MAX + 4 * AT_ONCE + 4 };
    char body[120];
    struct ss_store *store = NULL;
    ss_coordinator_close(&coordinator);
    ck_assert_int_eq(ss_store_open("memory:", &store, &failure), SS_OK);
    shell_lease_ms = 3600 * 1000; // however long this takes
    shell_start(store);
    join(worker, "w", 2 * RUNS);
    for (int i = 0; i < SS_LINK_QUEUE_MAX; i++) {
        struct ss_message *ping = ss_message_new(SS_MESSAGE_PING);
        say(worker, ping);
        if (i % AT_ONCE == 0)
            shell_step();
    }
    for (int i = 0; i < SS_LINK_QUEUE_MAX / AT_ONCE; i++)
        shell_step(); // all are answered
    for (int i = 0; i < RUNS; i++) {
        snprintf(body, sizeof(body),
            "{\"graph\":\"g\",\"thread\":\"t%d\",\"detach\":true,"
            "\"input\":{\"log\":[]}}",
            i);
        ask((uint64_t)i, "run", body);
        for (int heard_of = 0; i % AT_ONCE == AT_ONCE - 1 && heard_of < AT_ONCE;
             heard_of++)
            hear_and_forget(client, SS_MESSAGE_ANSWER);
    }
    for (int i = 0; i < SS_LINK_QUEUE_MAX; i++)
        hear_and_forget(worker, SS_MESSAGE_PONG);
    for (size_t orders = 0; orders < SS_WIRE_BATCH_MAX;) {
        struct ss_message *tasks = hear(worker, SS_MESSAGE_TASKS);
        orders += tasks->orders_count;
        ss_message_destroy(&tasks);
    }
    ask(RUNS, "runs", "{}");
    struct ss_message *answer = hear(client, SS_MESSAGE_ANSWER);
    json_t *runs = json_object_get(ss_value_json(answer->body), "runs"), *run;
    size_t i;
    json_array_foreach (runs, i, run)
        ck_assert_str_eq(ss_json_str(run, "status", ""), "running");
    ck_assert_uint_eq(json_array_size(runs), RUNS);
    ss_message_destroy(&answer);
}
END_TEST

START_TEST(a_worker_whose_link_is_gone_is_lost_at_once)
{
    join(worker, "w", 2);
    ask(1, "run", "{\"graph\":\"g\",\"thread\":\"a\",\"input\":{\"log\":[]}}");
    hear_and_forget(worker, SS_MESSAGE_TASKS);
    ss_link_close(&worker);
    // The next order for it finds nobody: both tasks go to another worker.
    ask(2, "run", "{\"graph\":\"g\",\"thread\":\"b\",\"input\":{\"log\":[]}}");
    worker = shell_link();
    for (int i = 0; i < 20; i++)
        shell_step();
    join(worker, "v", 2);
    for (size_t orders = 0; orders < 2;) {
        struct ss_message *tasks = hear(worker, SS_MESSAGE_TASKS);
        for (size_t i = 0; i < tasks->orders_count; i++)
            say_done(worker, tasks->orders[i]);
        orders += tasks->orders_count;
        ss_message_destroy(&tasks);
    }
    expect_final("done");
    expect_final("done");
}
END_TEST

START_TEST(a_request_without_a_body_is_one_with_an_empty_body)
{
    join(worker, "w", 1);
    ask(9, "graphs", NULL);
    struct ss_message *answer = hear(client, SS_MESSAGE_ANSWER);
    const json_t *graphs =
        json_object_get(ss_value_json(answer->body), "graphs");
    ck_assert_uint_eq(json_array_size(graphs), 1);
    ss_message_destroy(&answer);
}
END_TEST

START_TEST(a_client_that_left_does_not_keep_its_run_from_ending)
{
    join(worker, "w", 1);
    ask(1, "run",
        "{\"graph\":\"g\",\"thread\":\"t\",\"input\":{\"log\":[]},"
        "\"stream\":[\"values\"]}");
    struct ss_message *tasks = hear(worker, SS_MESSAGE_TASKS);
    ss_link_close(&client);
    say_done(worker, tasks->orders[0]);
    ss_message_destroy(&tasks);
    hear_and_forget(worker, SS_MESSAGE_SETTLED);
    client = shell_link();
    ask(2, "state", "{\"thread\":\"t\"}");
    struct ss_message *answer = hear(client, SS_MESSAGE_ANSWER);
    const json_t *state = json_object_get(ss_value_json(answer->body), "state");
    ck_assert_uint_eq(json_array_size(json_object_get(state, "next")), 0);
    ss_message_destroy(&answer);
}
END_TEST

// A value as deep as may be is one level too deep within the next input.
START_TEST(an_order_that_no_message_carries_fails_its_task_with_that)
{
    static const char body[] = "{\"graph\":\"g\",\"thread\":\"t\",\"input\":"
                               "{\"log\":[]},\"output_keys\":[]}";
    char deep[2 * SS_VALUE_DEPTH_MAX];
    memset(deep, '[', SS_VALUE_DEPTH_MAX);
    memset(deep + SS_VALUE_DEPTH_MAX, ']', SS_VALUE_DEPTH_MAX);
    join(worker, "w", 1);
    ask(1, "run", body);
    struct ss_message *tasks = hear(worker, SS_MESSAGE_TASKS);
    say_wrote(worker, tasks->orders[0], "any",
        ss_value_from_text(deep, sizeof(deep)));
    ss_message_destroy(&tasks);
    expect_final("done");
    hear_and_forget(worker, SS_MESSAGE_SETTLED);
    ask(2, "run", body);
    expect_final("failed");
    // It never was an order: all there is to hear is that nobody waits for it.
    hear_and_forget(worker, SS_MESSAGE_SETTLED);
    ck_assert_ptr_null(heard(worker));
}
END_TEST

int main(void)
{
    ss_value_setup();
    Suite *suite = suite_create("shell");
    TCase *tcase = tcase_create("shell");
    tcase_add_checked_fixture(tcase, shell_set_up, shell_tear_down);
    tcase_set_timeout(tcase, 600);
    tcase_add_test(tcase, a_worker_is_welcomed_with_the_epoch_and_the_times);
    tcase_add_test(tcase, a_name_that_a_live_worker_has_is_refused);
    tcase_add_test(tcase, a_beat_of_a_stranger_is_asked_for_a_hello);
    tcase_add_test(tcase, garbage_is_answered_each_time_and_logged_once);
    tcase_add_test(tcase, another_protocol_is_refused_with_both_numbers);
    tcase_add_test(tcase, what_is_not_for_a_coordinator_is_refused);
    tcase_add_test(tcase, a_ping_is_answered_with_the_epoch);
    tcase_add_test(tcase, what_a_worker_says_that_it_is_set_to_is_told);
    tcase_add_test(tcase, the_limits_of_a_link_are_those_of_the_table);
    tcase_add_test(tcase, a_worker_that_is_sent_away_hears_it);
    tcase_add_test(tcase, a_run_goes_through_a_worker_to_its_answer);
    tcase_add_test(
        tcase, what_is_ready_in_one_turn_is_one_message_for_a_worker);
    tcase_add_test(
        tcase, a_worker_that_reads_nothing_is_sent_no_message_that_is_too_long);
    tcase_add_test(tcase, a_worker_whose_link_is_gone_is_lost_at_once);
    tcase_add_test(tcase, a_request_without_a_body_is_one_with_an_empty_body);
    tcase_add_test(tcase, a_client_that_left_does_not_keep_its_run_from_ending);
    tcase_add_test(
        tcase, an_order_that_no_message_carries_fails_its_task_with_that);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
