// The core among others on the same store: whom it names, where it sends on,
// and what it promises when its lease ends.
#include "tests/unit/coordinator/core_world.h"

#include <string.h>

#include "common/base/mem.h"
#include "common/model/value.h"
#include "tests/suite.h"

static void says_two(const struct ss_message *message)
{
    ck_assert_uint_eq(message->members_count, 2);
    ck_assert_str_eq(message->members[0], "tcp://a:1");
    ck_assert_str_eq(message->members[1], "tcp://b:2");
}

START_TEST(everybody_hears_who_the_coordinators_are)
{
    ss_core_destroy(&core);
    new_core(true);
    hello();
    ck_assert_uint_eq(listen_to(SS_MESSAGE_MEMBERS)->members_count, 2);
    says_two(last_heard);
    for (int i = 0; i < 5; i++) // nothing has changed: it is not told again
        turn_among_two();
    listens_for = SS_MESSAGE_WELCOME;
    hello();
    says_two(last_heard);
    listens_for = SS_MESSAGE_PONG;
    frame("c", &(struct ss_message){
                   .type = SS_MESSAGE_PING, .protocol = SS_PROTOCOL_VERSION});
    ck_assert_int_eq((int)last_heard->type, (int)SS_MESSAGE_PONG);
    says_two(last_heard);
    ck_assert(ss_core_is_settled(core));
}
END_TEST

START_TEST(who_joins_others_on_their_store_says_so_once)
{
    ss_core_destroy(&core);
    new_core(true);
    hello();
    (void)listen_to(SS_MESSAGE_MEMBERS);
    for (int i = 0; i < 5; i++)
        turn_among_two();
    const char *line =
        strstr(all_said, "2 coordinators use this store: tcp://a:1, tcp://b:2");
    ck_assert_ptr_nonnull(line);
    ck_assert_msg(!strstr(strchr(line, '\n'), "this store"), "%s", all_said);
}
END_TEST

// The answer to a client. Takes `body`; borrowed, until the next message.
static const json_t *answer_to(const char *op, json_t *body)
{
    struct ss_message ask = {.type = SS_MESSAGE_ASK,
        .protocol = SS_PROTOCOL_VERSION,
        .id = 1,
        .op = (char *)op,
        .body = ss_value_new(body)};
    ss_message_destroy(&last_heard);
    listens_for = SS_MESSAGE_ANSWER;
    frame("c", &ask);
    ss_value_unref(ask.body);
    ck_assert_ptr_nonnull(last_heard);
    return ss_value_json(last_heard->body);
}

// The state of a thread: the code of the error.
static const char *state_of(const char *thread)
{
    return ss_json_str(
        json_object_get(
            answer_to("state", json_pack("{s:s}", "thread", thread)), "error"),
        "code", "");
}

// Of the coordinators, as it shows them, the one in that place. Borrowed.
static const json_t *shown(size_t index)
{
    const json_t *answer =
        answer_to("show", json_pack("{s:s}", "what", "coordinators"));
    return json_array_get(json_object_get(answer, "coordinators"), index);
}

// Its own shards it knows by itself; of the others' it says how old that is.
START_TEST(whose_lease_is_over_shows_no_shards_as_its_own)
{
    ss_core_destroy(&core);
    theirs = "theirs";
    new_core(true);
    ck_assert_int_eq(ss_json_int(shown(0), "shards", -1), 0); // as of yet
    hello();
    (void)listen_to(SS_MESSAGE_MEMBERS);
    ck_assert_int_ge(ss_json_int(shown(0), "shards", -1), SS_SHARDS / 2);
    ck_assert(json_is_true(json_object_get(shown(0), "self")));
    ck_assert_ptr_null(json_object_get(shown(0), "seen_ms"));
    int64_t seen_ms = ss_json_int(shown(1), "seen_ms", -1);
    ck_assert_int_ge(seen_ms, 0);
    now_ms += CORE_CLUSTER_LEASE_MS; // and the store says nothing
    turn();
    ck_assert_int_eq(ss_json_int(shown(0), "shards", -1), 0);
    ck_assert_int_eq(ss_json_int(shown(1), "shards", -1), 1);
    ck_assert_int_eq(
        ss_json_int(shown(1), "seen_ms", -1), seen_ms + CORE_CLUSTER_LEASE_MS);
}
END_TEST

// Cut off from the database alone: others may still reach it.
START_TEST(a_read_of_anothers_thread_is_sent_on_while_the_store_is_away)
{
    ss_core_destroy(&core);
    theirs = "theirs";
    new_core(true);
    hello();
    (void)listen_to(SS_MESSAGE_MEMBERS);
    ck_assert_str_eq(state_of("theirs"), "moved");
    away = "the store has not answered for 3 s";
    ck_assert_str_eq(state_of("theirs"), "moved");
    ck_assert_str_eq(state_of("ours"), "store_away");
}
END_TEST

// How many of the orders that the beat names may not begin any more.
static size_t beat(uint64_t number, struct ss_attempt *attempt)
{
    ss_message_destroy(&last_heard);
    listens_for = SS_MESSAGE_HEARD;
    frame("w", &(struct ss_message){.type = SS_MESSAGE_BEAT,
                   .protocol = SS_PROTOCOL_VERSION,
                   .capacity = 8,
                   .sent = number,
                   .attempts = attempt,
                   .attempts_count = 1});
    turn_ends();
    ck_assert_ptr_nonnull(last_heard);
    ck_assert_uint_eq(last_heard->sent, number);
    return last_heard->attempts_count;
}

// Both beats are read in one turn, at whose begin the lease ran.
START_TEST(a_beat_that_is_read_behind_the_lease_is_promised_nothing)
{
    ss_core_destroy(&core);
    new_core(true);
    hello();
    (void)listen_to(SS_MESSAGE_MEMBERS);
    ask_for_a_run(1);
    struct ss_attempt attempt = listen_to(SS_MESSAGE_TASKS)->orders[0]->attempt;
    turn_begins();
    ck_assert_uint_eq(beat(1, &attempt), 0);
    now_ms += CORE_CLUSTER_LEASE_MS;
    ck_assert_uint_eq(beat(2, &attempt), 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("core_cluster");
    TCase *tcase = tcase_create("core_cluster");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, everybody_hears_who_the_coordinators_are);
    tcase_add_test(tcase, who_joins_others_on_their_store_says_so_once);
    tcase_add_test(
        tcase, a_read_of_anothers_thread_is_sent_on_while_the_store_is_away);
    tcase_add_test(tcase, whose_lease_is_over_shows_no_shards_as_its_own);
    tcase_add_test(
        tcase, a_beat_that_is_read_behind_the_lease_is_promised_nothing);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
