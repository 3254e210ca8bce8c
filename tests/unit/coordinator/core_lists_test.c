// The core and its workers: orders leave in lists, which nothing overtakes and
// none is lost of, whatever a queue takes.
#include "tests/unit/coordinator/core_world.h"

#include <string.h>

#include "common/base/mem.h"
#include "common/model/value.h"
#include "common/wire/limits.h"
#include "coordinator/engine/limits.h"
#include "tests/suite.h"

START_TEST(a_list_that_a_full_queue_did_not_take_is_sent_again)
{
    turn();
    hello();
    ask_for_a_run(1);
    unsent = SS_EAGAIN;
    ck_assert_uint_eq(turns_to_order(), 1);
    ck_assert_int_le(ss_core_wake_at_ms(core), now_ms + 20);
    // What comes meanwhile waits behind it.
    ask_for_a_run(2);
    for (int i = 0; i < 5; i++) {
        orders = 0;
        turn();
        ck_assert_uint_eq(orders, 1);
    }
    unsent = SS_OK;
    ck_assert_uint_eq(turns_to_order(), 1); // the late one
    ck_assert_int_le(ss_core_wake_at_ms(core), now_ms + 20);
    ck_assert_uint_eq(turns_to_order(), 1); // and the other
    orders = 0;
    turn();
    ck_assert_uint_eq(orders, 0);
}
END_TEST

// A worker has an order in the list of this turn.
static void order_in_this_turn(void)
{
    struct ss_engine_counts counts = {0};
    turn();
    hello();
    turn();
    ask_for_a_run(1);
    for (int i = 0; i < 20 && counts.tasks_running == 0; i++) {
        turn_begins();
        ss_engine_count(ss_core_engine(core), &counts);
    }
    ck_assert_int_eq((int)counts.tasks_running, 1);
    left[0] = '\0';
}

static void cancel_the_run(void)
{
    struct ss_value *body =
        ss_value_new(json_pack("{s:s, s:s}", "run", "t1", "thread", "t1"));
    frame("c", &(struct ss_message){.type = SS_MESSAGE_ASK,
                   .protocol = SS_PROTOCOL_VERSION,
                   .id = 2,
                   .op = "cancel",
                   .body = body});
    ss_value_unref(body);
}

static void beat(void)
{
    frame("w", &(struct ss_message){.type = SS_MESSAGE_BEAT,
                   .protocol = SS_PROTOCOL_VERSION,
                   .capacity = 8,
                   .sent = 1});
}

// The queue has room again as soon as it has refused the orders.
START_TEST(nothing_overtakes_what_a_full_queue_did_not_take)
{
    order_in_this_turn();
    cancel_the_run();
    turn_begins();
    refusals = 1;
    turn_ends();
    ck_assert_str_eq(left, "");
    refusals = 1;
    turn_ends(); // again
    beat();
    ck_assert_str_eq(left, "");
    turn_ends();
    ck_assert_str_eq(left, " TASKS CANCEL HEARD");
}
END_TEST

// What a worker names and nobody knows is cancelled.
static void beat_with_unknown(size_t count)
{
    struct ss_attempt *attempts = ss_zalloc(count, sizeof(*attempts));
    for (size_t i = 0; i < count; i++)
        attempts[i] = (struct ss_attempt){.epoch = 1, .dispatch = 1000 + i};
    frame("w", &(struct ss_message){.type = SS_MESSAGE_BEAT,
                   .protocol = SS_PROTOCOL_VERSION,
                   .capacity = 8,
                   .attempts = attempts,
                   .attempts_count = count});
    ss_free(attempts);
}

START_TEST(a_list_that_is_full_leaves_behind_those_in_front_of_it)
{
    order_in_this_turn();
    beat_with_unknown(SS_WIRE_BATCH_MAX);
    beat_with_unknown(1);
    turn_ends();
    ck_assert_str_eq(left, " TASKS CANCEL CANCEL");
}
END_TEST

START_TEST(no_message_overtakes_a_list)
{
    order_in_this_turn();
    beat();
    turn_ends();
    ck_assert_str_eq(left, " TASKS HEARD");
}
END_TEST

START_TEST(a_worker_that_is_not_there_is_lost_with_the_next_turn)
{
    struct ss_engine_counts counts;
    turn();
    hello();
    ss_engine_count(ss_core_engine(core), &counts);
    ck_assert_int_eq((int)counts.workers, 1);
    ask_for_a_run(1);
    unsent = SS_ECLOSED;
    ck_assert_uint_eq(turns_to_order(), 1);
    turn();
    ss_engine_count(ss_core_engine(core), &counts);
    ck_assert_int_eq((int)counts.workers, 0);
}
END_TEST

// Each Hello of a worker that is not there any more is followed by orders that
// nobody gets.
START_TEST(orders_that_never_left_lose_no_worker)
{
    turn();
    hello();
    ask_for_a_run(1);
    unsent = SS_ECLOSED;
    for (int i = 0; i < SS_REDELIVERIES_MAX + 2; i++) {
        ck_assert_uint_eq(turns_to_order(), 1);
        turn(); // it is gone
        hello();
    }
    unsent = SS_OK;
    ck_assert_uint_eq(turns_to_order(), 1); // the run has not failed
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("core_lists");
    TCase *tcase = tcase_create("core_lists");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, a_list_that_a_full_queue_did_not_take_is_sent_again);
    tcase_add_test(tcase, nothing_overtakes_what_a_full_queue_did_not_take);
    tcase_add_test(
        tcase, a_list_that_is_full_leaves_behind_those_in_front_of_it);
    tcase_add_test(tcase, no_message_overtakes_a_list);
    tcase_add_test(
        tcase, a_worker_that_is_not_there_is_lost_with_the_next_turn);
    tcase_add_test(tcase, orders_that_never_left_lose_no_worker);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
