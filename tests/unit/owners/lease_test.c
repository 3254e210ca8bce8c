// The lease of a coordinator: how it is kept, what its end costs, and how one
// leaves.
#include <check.h>

#include "common/base/status.h"
#include "tests/suite.h"
#include "tests/unit/owners/database.h"

// Of a store that is ours alone.
START_TEST(a_lease_for_ever_is_asked_for_once_and_never_ends)
{
    ss_owners_destroy(&owners);
    owners = ss_owners_new(&(struct ss_owners_options){
        .name = "ada", .lease_ms = SS_OWNERS_FOR_EVER});
    begin();
    give(0, SS_SHARDS, 0); // of a life before, which crashed
    looked();
    ck_assert(must(SS_OWNERS_GAINED)->crashed);
    ck_assert_int_eq(said.wake_at_ms, INT64_MAX);
    tick(INT64_MAX / 4);
    ck_assert_uint_eq(said.count, 0);
    ck_assert_uint_eq(active(), SS_SHARDS);
}
END_TEST

START_TEST(nothing_is_asked_but_a_lease_before_there_is_one)
{
    tick(0);
    ck_assert_uint_eq(said.count, 1);
    must(SS_OWNERS_RENEW);
    ck_assert_int_eq(said.wake_at_ms, INT64_MAX);
    tick(5000);
    ck_assert_uint_eq(said.count, 0);
}
END_TEST

START_TEST(a_renewal_that_failed_is_tried_again_soon)
{
    tick(0);
    say(SS_OWNERS_RENEWED, SS_EAGAIN);
    ck_assert_uint_eq(said.count, 0);
    tick(said.wake_at_ms - now_ms);
    must(SS_OWNERS_RENEW);
    ck_assert_int_le(now_ms, 1000 + LEASE_MS / 4);
}
END_TEST

START_TEST(a_lease_counts_from_before_its_renewal_was_sent)
{
    tick(0);
    now_ms += SAFE_MS; // the answer took so long
    say(SS_OWNERS_RENEWED, SS_OK);
    ck_assert_ptr_null(find(SS_OWNERS_LOOK));
    must(SS_OWNERS_RENEW);
}
END_TEST

START_TEST(when_the_lease_runs_out_all_is_lost_before_anything_else)
{
    begin_with(0, SS_SHARDS);
    ck_assert_uint_eq(active(), SS_SHARDS);
    tick(SAFE_MS - 1);
    ck_assert_ptr_null(find(SS_OWNERS_LOST));
    // An answer comes, with news, but the lease is over first.
    now_ms += 1;
    member(1, "bob", LEASE_MS);
    looked();
    ck_assert_int_eq((int)said.items[0].type, (int)SS_OWNERS_LOST);
    ck_assert_uint_eq(ss_shards_count(&said.items[0].shards), SS_SHARDS);
    ck_assert_ptr_null(find(SS_OWNERS_GAINED));
    ck_assert_uint_eq(active(), 0);
}
END_TEST

// The answer was there, and we were at work: the lease had not run out.
START_TEST(a_renewal_sent_in_time_counts_whenever_its_answer_is_heard)
{
    begin_with(0, SS_SHARDS);
    tick(LEASE_MS / 4);
    must(SS_OWNERS_RENEW);
    now_ms += SAFE_MS - 1;
    say(SS_OWNERS_RENEWED, SS_OK);
    ck_assert_ptr_null(find(SS_OWNERS_LOST));
    ck_assert_uint_eq(active(), SS_SHARDS);
    ck_assert_int_eq(ss_owners_lease_end_ms(owners), now_ms + 1);
}
END_TEST

START_TEST(a_renewal_that_comes_too_late_does_not_hide_the_lapse)
{
    begin_with(0, SS_SHARDS);
    tick(LEASE_MS / 4);
    must(SS_OWNERS_RENEW);
    now_ms += SAFE_MS; // so long ago it was sent
    say(SS_OWNERS_RENEWED, SS_OK);
    ck_assert_int_le(said.wake_at_ms, now_ms); // it may be one of several
    tick(0);
    ck_assert_uint_eq(count_of(SS_OWNERS_LOST), SS_SHARDS);
}
END_TEST

START_TEST(a_renewal_sent_behind_the_lapse_does_not_hide_it)
{
    begin_with(0, SS_SHARDS);
    now_ms += SAFE_MS + 10;
    kept(SS_OK, now_ms - 5);
    ck_assert_uint_eq(count_of(SS_OWNERS_LOST), SS_SHARDS);
}
END_TEST

START_TEST(a_lease_that_was_kept_while_it_worked_goes_on)
{
    begin_with(0, SS_SHARDS);
    int64_t begin_ms = now_ms;
    tick(LEASE_MS / 4);
    must(SS_OWNERS_RENEW); // its answer is heard last
    now_ms += 2 * LEASE_MS;
    for (int64_t at_ms = begin_ms + SAFE_MS / 2; at_ms < now_ms;
         at_ms += SAFE_MS / 2) {
        kept(SS_OK, at_ms);
        ck_assert_ptr_null(find(SS_OWNERS_LOST));
    }
    say(SS_OWNERS_RENEWED, SS_OK);
    ck_assert_ptr_null(find(SS_OWNERS_LOST));
    ck_assert_uint_eq(active(), SS_SHARDS);
    ck_assert_int_gt(ss_owners_lease_end_ms(owners), now_ms);
}
END_TEST

START_TEST(a_renewal_that_was_kept_puts_off_the_next_one)
{
    begin_with(0, SS_SHARDS);
    now_ms += LEASE_MS / 8;
    kept(SS_OK, now_ms);
    pass();
    ck_assert_ptr_null(find(SS_OWNERS_RENEW));
    tick(LEASE_MS / 4);
    must(SS_OWNERS_RENEW);
    kept(SS_EIO, now_ms); // it failed: ours is still on its way
    ck_assert_ptr_null(find(SS_OWNERS_RENEW));
    kept(SS_EFENCED, now_ms);
    must(SS_OWNERS_DISPLACED);
}
END_TEST

START_TEST(after_a_lapse_that_nobody_noticed_it_goes_on)
{
    begin_with(0, SS_SHARDS);
    tick(SAFE_MS);
    ck_assert_uint_eq(count_of(SS_OWNERS_LOST), SS_SHARDS);
    must(SS_OWNERS_RENEW);
    say(SS_OWNERS_RENEWED, SS_OK);
    looked(); // of before the renewal
    ck_assert_ptr_null(find(SS_OWNERS_GAINED));
    must(SS_OWNERS_LOOK);
    looked();
    ck_assert_uint_eq(count_of(SS_OWNERS_GAINED), SS_SHARDS);
    ck_assert(!must(SS_OWNERS_GAINED)->crashed);
}
END_TEST

START_TEST(who_was_taken_over_is_displaced_once_and_silent)
{
    begin_with(0, 10);
    tick(LEASE_MS / 4);
    must(SS_OWNERS_RENEW);
    say(SS_OWNERS_RENEWED, SS_EFENCED);
    ck_assert_uint_eq(count_of(SS_OWNERS_LOST), 10);
    must(SS_OWNERS_DISPLACED);
    ck_assert_int_eq(said.wake_at_ms, INT64_MAX);
    say(SS_OWNERS_FENCED, SS_OK);
    ck_assert_uint_eq(said.count, 0);
    tick(10 * LEASE_MS);
    ck_assert_uint_eq(said.count, 0);
}
END_TEST

START_TEST(a_database_that_went_back_in_time_ends_it)
{
    begin_with(0, 10);
    pass();
    say(SS_OWNERS_LOOKED, SS_EFENCED);
    ck_assert_uint_eq(count_of(SS_OWNERS_LOST), 10);
    must(SS_OWNERS_DISPLACED);
}
END_TEST

START_TEST(an_append_that_was_fenced_ends_it)
{
    begin_with(0, 10);
    say(SS_OWNERS_FENCED, SS_OK);
    ck_assert_int_eq((int)said.items[0].type, (int)SS_OWNERS_LOST);
    must(SS_OWNERS_DISPLACED);
}
END_TEST

// --- leaving ----------------------------------------------------------------

START_TEST(who_drains_says_so_and_claims_nothing)
{
    begin_with(0, 10);
    must(SS_OWNERS_CLAIM);
    say(SS_OWNERS_CLAIMED, SS_EAGAIN);
    say(SS_OWNERS_DRAIN, SS_OK);
    ck_assert(must(SS_OWNERS_RENEW)->drains);
    say(SS_OWNERS_RENEWED, SS_OK);
    look();
    ck_assert_ptr_null(find(SS_OWNERS_CLAIM));
    ck_assert_uint_eq(active(), 10); // what runs goes on
}
END_TEST

START_TEST(who_leaves_hands_everything_to_those_who_stay)
{
    member(1, "bob", LEASE_MS);
    member(2, "eve", LEASE_MS);
    member(3, "zoe", LEASE_MS);
    members[2].drains = true;
    give(0, 256, 0);
    give(256, 512, 1);
    give(512, 768, 2);
    give(768, SS_SHARDS, 3);
    begin();
    looked();
    ck_assert_uint_eq(active(), 256);
    say(SS_OWNERS_LEAVE, SS_OK);
    size_t hands = 0;
    for (size_t i = 0; i < said.count; i++) {
        const struct ss_owners_command *it = &said.items[i];
        if (it->type != SS_OWNERS_HAND)
            continue;
        ck_assert_str_eq(it->name, hands++ == 0 ? "bob" : "zoe");
        ck_assert_uint_eq(ss_shards_count(&it->shards), 128);
    }
    ck_assert_uint_eq(hands, 2);
    ck_assert_uint_eq(active(), 0);
    ck_assert_ptr_null(find(SS_OWNERS_END));
    say(SS_OWNERS_RENEWED, SS_OK);
    say(SS_OWNERS_HANDED, SS_OK);
    ck_assert_ptr_null(find(SS_OWNERS_END));
    say(SS_OWNERS_HANDED, SS_OK);
    must(SS_OWNERS_END);
    say(SS_OWNERS_ENDED, SS_OK);
    must(SS_OWNERS_LEFT);
    ck_assert_int_eq(said.wake_at_ms, INT64_MAX);
}
END_TEST

START_TEST(the_last_one_leaves_to_nobody)
{
    begin_with(0, SS_SHARDS);
    say(SS_OWNERS_LEAVE, SS_OK);
    ck_assert_uint_eq(count_of(SS_OWNERS_LOST), SS_SHARDS);
    ck_assert_ptr_null(find(SS_OWNERS_HAND));
    must(SS_OWNERS_END);
    ck_assert_ptr_null(find(SS_OWNERS_RENEW));
}
END_TEST

START_TEST(the_lease_ends_only_when_no_renewal_is_on_its_way)
{
    begin_with(0, SS_SHARDS);
    tick(LEASE_MS / 4);
    must(SS_OWNERS_RENEW);
    say(SS_OWNERS_LEAVE, SS_OK);
    ck_assert_ptr_null(find(SS_OWNERS_END));
    say(SS_OWNERS_RENEWED, SS_OK);
    must(SS_OWNERS_END);
}
END_TEST

// Else the claim may be durable behind the end of the lease, and its shards are
// of one that is not a member: nobody claims them, and nobody takes them over.
START_TEST(the_lease_ends_only_when_no_claim_is_on_its_way)
{
    begin();
    looked();
    must(SS_OWNERS_CLAIM);
    say(SS_OWNERS_LEAVE, SS_OK);
    ck_assert_ptr_null(find(SS_OWNERS_END));
    ck_assert_int_gt(said.wake_at_ms, now_ms); // only the claim's answer helps
    say(SS_OWNERS_CLAIMED, SS_OK);
    must(SS_OWNERS_END);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lease");
    TCase *tcase = tcase_create("lease");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    const TTest *const tests[] = {
        nothing_is_asked_but_a_lease_before_there_is_one,
        a_renewal_that_failed_is_tried_again_soon,
        a_lease_counts_from_before_its_renewal_was_sent,
        when_the_lease_runs_out_all_is_lost_before_anything_else,
        a_renewal_sent_in_time_counts_whenever_its_answer_is_heard,
        a_renewal_sent_behind_the_lapse_does_not_hide_it,
        a_lease_that_was_kept_while_it_worked_goes_on,
        a_renewal_that_was_kept_puts_off_the_next_one,
        a_renewal_that_comes_too_late_does_not_hide_the_lapse,
        after_a_lapse_that_nobody_noticed_it_goes_on,
        who_was_taken_over_is_displaced_once_and_silent,
        a_database_that_went_back_in_time_ends_it,
        an_append_that_was_fenced_ends_it,
        a_lease_for_ever_is_asked_for_once_and_never_ends,
        who_drains_says_so_and_claims_nothing,
        who_leaves_hands_everything_to_those_who_stay,
        the_last_one_leaves_to_nobody,
        the_lease_ends_only_when_no_renewal_is_on_its_way,
        the_lease_ends_only_when_no_claim_is_on_its_way,
    };
    for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
