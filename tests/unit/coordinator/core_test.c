// The core by itself: how it starts and stops, and what it makes of damage and
// of peers that are gone.
#include "tests/unit/coordinator/core_world.h"

#include <string.h>

#include "common/base/mem.h"
#include "common/model/roles.h"
#include "common/model/value.h"
#include "tests/suite.h"

// What damage makes of a start: the failure's status, and its words.
static int start_with(
    enum ss_store_table table, const char *key, const char *text)
{
    put(table, key, text);
    ss_core_destroy(&core);
    new_core(false);
    turn();
    return ss_core_failure(core)->status;
}

START_TEST(an_empty_store_has_nothing_to_go_on_with)
{
    ck_assert_int_eq((int)ss_core_wake_at_ms(core), 0); // it is to begin
    ck_assert(!ss_core_is_settled(core));
    ck_assert_str_eq(
        ss_core_trouble(core), "it has no lease, and owns no thread");
    turn();
    ck_assert(ss_core_is_settled(core));
    ck_assert_ptr_null(ss_core_trouble(core));
    ck_assert(ss_core_is_quiet(core));
    ck_assert_uint_eq(sent + said, 0);
    // Nobody else comes: nothing is looked for.
    ck_assert_int_eq(ss_core_wake_at_ms(core), INT64_MAX);
}
END_TEST

START_TEST(who_is_alone_leaves_a_word_when_it_stops)
{
    bool was_stopped = false;
    turn();
    feed((struct ss_core_event){.type = SS_CORE_DRAIN});
    feed((struct ss_core_event){.type = SS_CORE_LEAVE});
    ck_assert(!ss_core_has_left(core)); // the store has not answered
    turn();
    ck_assert(ss_core_has_left(core));
    ck_assert_int_eq(
        ss_store_alone_begin(store, &was_stopped, &core_error), SS_OK);
    ck_assert(was_stopped);
}
END_TEST

START_TEST(runs_that_have_ended_are_not_read)
{
    put(SS_TABLE_RUNS, "run-1", "damage that nobody sees");
    turn();
    ck_assert_int_eq(ss_core_failure(core)->status, SS_OK);
    ck_assert(ss_core_is_settled(core));
}
END_TEST

START_TEST(damaged_records_are_named)
{
    ck_assert_int_eq(
        start_with(SS_TABLE_GRAPHS, "digest@1", "{\"name\":"), SS_ECORRUPT);
    ck_assert_ptr_nonnull(
        strstr(ss_core_failure(core)->message, "graph digest@1"));
    put(SS_TABLE_GRAPHS, "digest@1", "{\"name\":\"digest\"}");
    ck_assert_int_eq(
        start_with(SS_TABLE_OPEN, "run-7", "nothing"), SS_ECORRUPT);
    ck_assert_ptr_nonnull(strstr(ss_core_failure(core)->message, "run run-7"));
    put(SS_TABLE_OPEN, "run-7", "{}");
    ck_assert_int_eq(
        start_with(SS_TABLE_PAUSES, "graph:digest", "["), SS_ECORRUPT);
    ck_assert_ptr_nonnull(
        strstr(ss_core_failure(core)->message, "pause graph:digest"));
}
END_TEST

START_TEST(a_run_without_a_name_is_passed_over)
{
    crashed = true;
    put(SS_TABLE_OPEN, "run-1",
        "{\"run\":\"\",\"thread\":\"t\",\"graph\":\"g@1\","
        "\"status\":\"running\"}");
    put(SS_TABLE_OPEN, "run-2", "{\"run\":\"r\",\"thread\":\"\"}");
    ss_core_destroy(&core);
    new_core(false);
    turn();
    ck_assert(ss_core_is_settled(core));
    ck_assert_int_eq(ss_core_failure(core)->status, SS_OK);
}
END_TEST

// Each start that fails would count against all that are found, until they are
// quarantined.
START_TEST(a_damaged_run_counts_no_crash_against_the_others)
{
    crashed = true;
    put(SS_TABLE_OPEN, "run-1",
        "{\"run\":\"run-1\",\"thread\":\"t\",\"graph\":\"g@1\"}");
    ck_assert_int_eq(
        start_with(SS_TABLE_OPEN, "run-2", "nothing"), SS_ECORRUPT);
    turn();
    ck_assert_uint_eq(stored, 0);
    put(SS_TABLE_OPEN, "run-2", "{}");
    ss_core_destroy(&core);
    new_core(false);
    turn();
    ck_assert_uint_gt(stored, 0); // that crash counts
}
END_TEST

START_TEST(who_was_stopped_is_not_counted_as_crashed)
{
    ck_assert_int_eq(
        start_with(SS_TABLE_OPEN, "run-1",
            "{\"run\":\"run-1\",\"thread\":\"t\",\"graph\":\"g@1\"}"),
        SS_OK);
    turn();
    ck_assert_uint_eq(stored, 0);
}
END_TEST

START_TEST(after_a_failure_nothing_is_taken)
{
    ck_assert_int_eq(start_with(SS_TABLE_GRAPHS, "g@1", "["), SS_ECORRUPT);
    frame("c", &(struct ss_message){
                   .type = SS_MESSAGE_PING, .protocol = SS_PROTOCOL_VERSION});
    ck_assert_uint_eq(sent, 0);
}
END_TEST

START_TEST(garbage_is_answered_counted_and_told)
{
    struct ss_error why = {SS_EFORMAT, "no such thing"};
    turn();
    feed((struct ss_core_event){.type = SS_CORE_GARBAGE,
        .peer = "p",
        .sender = {SS_ROLES_ALL, "", "192.0.2.7"},
        .error = &why});
    ck_assert_uint_eq(complaints, 1);
    ck_assert_uint_eq(sent, 1);
    ck_assert_int_eq((int)last_sent, (int)SS_MESSAGE_REFUSED);
    ck_assert_str_eq(
        last_said, "peer p at 192.0.2.7 is not understood: no such thing");
}
END_TEST

// The final answer to this request of the process. Borrowed.
static const char *answer_to(const char *op, const char *body)
{
    static char text[512];
    ss_message_destroy(&last_heard);
    listens_for = SS_MESSAGE_ANSWER;
    json_t *json = json_loads(body, JSON_DECODE_ANY, NULL);
    struct ss_value *value = ss_value_new(json);
    frame("c", &(struct ss_message){.type = SS_MESSAGE_ASK,
                   .protocol = SS_PROTOCOL_VERSION,
                   .id = 1,
                   .op = (char *)op,
                   .body = value});
    turn();
    ck_assert_ptr_nonnull(last_heard);
    const json_t *error =
        json_object_get(ss_value_json(last_heard->body), "error");
    snprintf(
        text, sizeof(text), "%s", ss_json_str(error, "message", "no error"));
    ss_value_unref(value);
    return text;
}

START_TEST(what_the_process_answers_is_read_as_strictly)
{
    turn();
    ck_assert_str_eq(answer_to("health", "{}"), "no error");
    ck_assert_str_eq(answer_to("health", "{\"verbose\": true}"),
        "health: unknown key \"verbose\"; known: none.");
    ck_assert_str_eq(answer_to("show", "{\"what\": 5}"),
        "show: \"what\" wants a text, not the number 5");
    ck_assert_str_eq(answer_to("show", "{\"whta\": \"config\"}"),
        "show: unknown key \"whta\"; known: what. Did you mean \"what\"?");
    ck_assert_str_eq(answer_to("show", "{\"what\": null}"),
        "show: \"what\" wants a text, not null: leave it out");
    ck_assert_str_eq(
        answer_to("health", "[]"), "health: the body must be an object");
}
END_TEST

// Takes `body`.
static void ask(const char *op, uint64_t id, json_t *body)
{
    struct ss_value *value = ss_value_new(body);
    frame("c", &(struct ss_message){.type = SS_MESSAGE_ASK,
                   .protocol = SS_PROTOCOL_VERSION,
                   .id = id,
                   .op = (char *)op,
                   .body = value});
    ss_value_unref(value);
}

// Gives {"x": [text]}.
static json_t *of_size(size_t size)
{
    char *text = ss_alloc(size + 1);
    memset(text, 'x', size);
    text[size] = '\0';
    json_t *values = json_pack("{s:[s]}", "x", text);
    ss_free(text);
    return values;
}

START_TEST(a_task_that_is_too_large_for_a_worker_says_what_to_do)
{
    const size_t over_half = 40 << 20;
    hello();
    ask("update", 1,
        json_pack("{s:s, s:s, s:[[{s:o, s:s}]]}", "thread", "t", "graph", "g",
            "supersteps", "values", of_size(over_half), "as_node",
            "__start__"));
    for (int i = 0; i < 20; i++)
        turn();
    ask("run", 2,
        json_pack("{s:s, s:s, s:[], s:o}", "thread", "t", "graph", "g",
            "output_keys", "input", of_size(over_half)));
    for (int i = 0; i < 20 && !(last_heard && last_heard->final); i++) {
        ss_message_destroy(&last_heard); // that it was accepted
        listens_for = SS_MESSAGE_ANSWER;
        turn();
    }
    ck_assert_ptr_nonnull(last_heard);
    const char *message =
        ss_json_str(json_object_get(ss_value_json(last_heard->body), "error"),
            "message", "");
    ck_assert_msg(strstr(message, "cannot be sent to a worker: ") &&
                      strstr(message, "(.reads)"),
        "%s", ss_value_text(last_heard->body, NULL));
}
END_TEST

START_TEST(a_client_that_is_gone_is_owed_to_the_next_turn)
{
    turn();
    unsent = SS_ECLOSED;
    frame("c", &(struct ss_message){.type = SS_MESSAGE_ASK,
                   .protocol = SS_PROTOCOL_VERSION,
                   .id = 1,
                   .op = "graphs"});
    ck_assert_uint_eq(sent, 1);
    ck_assert_int_eq((int)ss_core_wake_at_ms(core), 0); // at once
    turn();
    ck_assert_int_ne((int)ss_core_wake_at_ms(core), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("core");
    TCase *tcase = tcase_create("core");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, an_empty_store_has_nothing_to_go_on_with);
    tcase_add_test(tcase, who_is_alone_leaves_a_word_when_it_stops);
    tcase_add_test(tcase, runs_that_have_ended_are_not_read);
    tcase_add_test(tcase, damaged_records_are_named);
    tcase_add_test(tcase, a_run_without_a_name_is_passed_over);
    tcase_add_test(tcase, a_damaged_run_counts_no_crash_against_the_others);
    tcase_add_test(tcase, who_was_stopped_is_not_counted_as_crashed);
    tcase_add_test(tcase, after_a_failure_nothing_is_taken);
    tcase_add_test(tcase, garbage_is_answered_counted_and_told);
    tcase_add_test(tcase, what_the_process_answers_is_read_as_strictly);
    tcase_add_test(
        tcase, a_task_that_is_too_large_for_a_worker_says_what_to_do);
    tcase_add_test(tcase, a_client_that_is_gone_is_owed_to_the_next_turn);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
