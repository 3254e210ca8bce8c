// Lists that come as edits of what the session holds.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/value.h"
#include "worker/session/limits.h"
#include "worker/session/session.h"

enum { EPOCH = 3 };

static struct ss_session *session;
static uint64_t dispatches;
static char said[256];            // by the last step
static struct ss_assignment *got; // what began in it

static void step(struct ss_session_event event)
{
    struct ss_session_commands commands;
    ss_assignment_destroy(&got);
    said[0] = '\0';
    event.now_ms = 1000;
    ss_session_step(session, &event, &commands);
    for (size_t i = 0; i < commands.count; i++) {
        const struct ss_session_command *command = &commands.items[i];
        if (command->type == SS_SESSION_START)
            got = command->order;
        if (command->type == SS_SESSION_SEND_LACKS)
            snprintf(said, sizeof(said), "LACKS %u of %u.%u",
                (unsigned)command->attempts_count,
                (unsigned)command->attempts[0].epoch,
                (unsigned)(dispatches - command->attempts[0].dispatch));
    }
}

static void welcome(uint64_t epoch)
{
    step((struct ss_session_event){.type = SS_SESSION_WELCOME,
        .epoch = epoch,
        .lease_ms = 3000,
        .heartbeat_ms = 500});
}

static void setup(void)
{
    static const char *const endpoint = "tcp://here";
    ss_value_setup();
    session = ss_session_new(&(struct ss_session_options){
        .capacity = 4096, .endpoints = &endpoint, .endpoints_count = 1});
    welcome(EPOCH);
}

static void teardown(void)
{
    ss_assignment_destroy(&got);
    ss_session_destroy(&session);
}

static struct ss_assignment *new_order(uint64_t epoch, const char *input)
{
    struct ss_assignment *order = ss_assignment_new();
    order->attempt = (struct ss_attempt){epoch, ++dispatches};
    order->node = "talk";
    if (input)
        order->input = ss_value_from_text(input, strlen(input));
    return order;
}

static void add_list(struct ss_assignment *order, size_t at, const char *name,
    uint64_t slot, uint64_t base, uint64_t stamp, const char *delta)
{
    SS_VEC_PUSH(
        &order->lists, (struct ss_assignment_list){.part = SS_PART_INPUT,
                           .at = at,
                           .name = ss_strdup(name),
                           .slot = slot,
                           .base = base,
                           .stamp = stamp,
                           .delta = ss_value_from_text(delta, strlen(delta))});
}

static void give(struct ss_assignment *order)
{
    step((struct ss_session_event){
        .type = SS_SESSION_TASKS, .orders = &order, .orders_count = 1});
}

// An order whose input is one list.
static void give_list(
    uint64_t slot, uint64_t base, uint64_t stamp, const char *delta)
{
    struct ss_assignment *order = new_order(EPOCH, NULL);
    add_list(order, 0, NULL, slot, base, stamp, delta);
    give(order);
}

static void expect_input(const char *input)
{
    ck_assert_str_eq(said, "");
    ck_assert_ptr_nonnull(got);
    ck_assert_str_eq(ss_value_text(got->input, NULL), input);
    ck_assert_uint_eq(got->lists.count, 0);
}

static void expect_lacks(void)
{
    ck_assert_str_eq(said, "LACKS 1 of 3.0");
    ck_assert_ptr_null(got);
}

START_TEST(a_list_grows_by_what_is_sent)
{
    give_list(1, 0, 10, "[1,2]");
    expect_input("[1,2]");
    give_list(1, 10, 11, "[[2,0,3]]");
    expect_input("[1,2,3]");
    give_list(1, 11, 11, "[]"); // another task of the same superstep
    expect_input("[1,2,3]");
    give_list(1, 11, 12, "[[0,1],[2,1,30,4]]");
    expect_input("[2,30,4]");
}
END_TEST

START_TEST(lists_stand_where_they_stood)
{
    struct ss_assignment *order = new_order(EPOCH, "{\"b\":true}");
    add_list(order, 0, "a", 1, 0, 2, "[1]");
    add_list(order, 2, "c", 3, 0, 4, "[\"\\u00e9\"]");
    give(order);
    expect_input("{\"a\":[1],\"b\":true,\"c\":[\"\xc3\xa9\"]}");
}
END_TEST

START_TEST(what_is_not_held_is_lacking)
{
    give_list(1, 9, 10, "[[0,0,1]]"); // nothing is there
    expect_lacks();
    give_list(1, 0, 10, "[1,2]");
    give_list(1, 11, 12, "[[2,0,4]]"); // 11 was lost
    expect_lacks();
    give_list(1, 10, 11, "[[2,0,3]]"); // no, late
    expect_input("[1,2,3]");
    give_list(1, 10, 11, "[[2,0,3]]"); // and again, by another name
    expect_lacks();
    give_list(1, 11, 12, "[[3,0,4]]"); // what is held stayed as it was
    expect_input("[1,2,3,4]");
}
END_TEST

START_TEST(edits_that_do_not_fit_are_lacking)
{
    static const char *const edits[] = {
        "[[3,0,1]]", "[[0,3]]", "7", "[[0,0,1]]", "{}"};
    for (size_t i = 0; i < sizeof(edits) / sizeof(*edits); i++) {
        give_list(1, 0, 10, "[1,2]");
        give_list(1, 10, 11, edits[i]);
        expect_lacks();
    }
    give_list(1, 0, 10, "{}"); // no list at all
    expect_lacks();
}
END_TEST

START_TEST(a_list_without_a_place_spoils_its_order)
{
    struct ss_assignment *order = new_order(EPOCH, "{\"b\":true}");
    add_list(order, 2, "a", 1, 0, 2, "[1]"); // there is no such place
    give(order);
    expect_lacks();
    order = new_order(EPOCH, "{\"b\":true}");
    add_list(order, 0, NULL, 1, 0, 2, "[1]"); // the part is there already
    give(order);
    expect_lacks();
}
END_TEST

START_TEST(an_older_life_changes_nothing)
{
    give_list(1, 0, 10, "[1,2]");
    struct ss_assignment *order = new_order(EPOCH - 1, NULL);
    add_list(order, 0, NULL, 1, 0, 10, "[\"old\"]");
    give(order);
    ck_assert_ptr_null(got);
    ck_assert_str_eq(said, "");
    give_list(1, 10, 11, "[[2,0,3]]");
    expect_input("[1,2,3]");
}
END_TEST

START_TEST(a_new_life_begins_with_nothing)
{
    give_list(1, 0, 10, "[1,2]");
    welcome(EPOCH + 1);
    struct ss_assignment *order = new_order(EPOCH + 1, NULL);
    add_list(order, 0, NULL, 1, 10, 11, "[[2,0,3]]");
    give(order);
    ck_assert_str_eq(said, "LACKS 1 of 4.0");
}
END_TEST

START_TEST(an_order_that_is_repeated_is_known)
{
    give_list(1, 0, 10, "[1,2]");
    struct ss_assignment *again = new_order(EPOCH, NULL);
    again->attempt.dispatch = --dispatches;
    add_list(again, 0, NULL, 1, 9, 10, "[[1,0,2]]");
    give(again);
    ck_assert_ptr_null(got);
    ck_assert_str_eq(said, "");
}
END_TEST

START_TEST(the_least_used_lists_are_forgotten)
{
    give_list(1, 0, 10, "[1]");
    for (uint64_t slot = 2; slot <= SS_SESSION_LISTS_MAX; slot++)
        give_list(slot, 0, 10, "[1]");
    give_list(1, 10, 11, "[[1,0,2]]"); // used: the second is the oldest now
    expect_input("[1,2]");
    give_list(SS_SESSION_LISTS_MAX + 1, 0, 10, "[1]");
    give_list(2, 10, 11, "[[1,0,2]]");
    expect_lacks();
    give_list(1, 11, 12, "[[2,0,3]]");
    expect_input("[1,2,3]");
}
END_TEST

START_TEST(what_a_body_reads_stays_while_the_list_grows)
{
    give_list(1, 0, 10, "[[1],[2]]");
    json_t *read = json_incref(ss_value_json(got->input));
    json_t *second = json_array_get(read, 1);
    give_list(1, 10, 11, "[[0,1,9],[2,0,3]]");
    expect_input("[9,[2],3]");
    ck_assert_uint_eq(json_array_size(read), 2);
    ck_assert(json_is_array(json_array_get(read, 0)));
    // Items are the same ones.
    ck_assert_ptr_eq(json_array_get(ss_value_json(got->input), 1), second);
    json_decref(read);
}
END_TEST

START_TEST(a_list_that_nobody_reads_grows_as_it_is)
{
    give_list(1, 0, 10, "[[1],[2]]");
    const json_t *array = ss_value_json(got->input);
    ss_assignment_destroy(&got);
    give_list(1, 10, 11, "[[2,0,3]]");
    ck_assert_ptr_eq(ss_value_json(got->input), array);
    expect_input("[[1],[2],3]");
}
END_TEST

START_TEST(edits_that_do_not_fit_leave_the_list)
{
    give_list(1, 0, 10, "[1,2]");
    ss_assignment_destroy(&got);
    give_list(1, 10, 11, "[[0,1,7],[3,0,1]]");
    expect_lacks();
    give_list(1, 10, 11, "[[2,0,3]]");
    expect_input("[1,2,3]");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("list_cache");
    TCase *tcase = tcase_create("list_cache");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_list_grows_by_what_is_sent);
    tcase_add_test(tcase, lists_stand_where_they_stood);
    tcase_add_test(tcase, what_is_not_held_is_lacking);
    tcase_add_test(tcase, edits_that_do_not_fit_are_lacking);
    tcase_add_test(tcase, a_list_without_a_place_spoils_its_order);
    tcase_add_test(tcase, an_older_life_changes_nothing);
    tcase_add_test(tcase, a_new_life_begins_with_nothing);
    tcase_add_test(tcase, an_order_that_is_repeated_is_known);
    tcase_add_test(tcase, the_least_used_lists_are_forgotten);
    tcase_add_test(tcase, what_a_body_reads_stays_while_the_list_grows);
    tcase_add_test(tcase, a_list_that_nobody_reads_grows_as_it_is);
    tcase_add_test(tcase, edits_that_do_not_fit_leave_the_list);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
