// Shards, takeover and hand-over, as one coordinator decides them.
#include <check.h>

#include "common/base/status.h"
#include "tests/suite.h"
#include "tests/unit/owners/database.h"

// --- gaining ----------------------------------------------------------------

START_TEST(the_first_one_claims_everything)
{
    begin();
    looked();
    ck_assert_uint_eq(count_of(SS_OWNERS_CLAIM), SS_SHARDS);
    ck_assert_ptr_null(find(SS_OWNERS_GAINED));
    give(0, SS_SHARDS, 0);
    say(SS_OWNERS_CLAIMED, SS_OK);
    must(SS_OWNERS_LOOK); // at once
    looked();
    ck_assert_uint_eq(count_of(SS_OWNERS_GAINED), SS_SHARDS);
    ck_assert_uint_eq(must(SS_OWNERS_GAINED)->epoch, db.epoch);
    ck_assert(!must(SS_OWNERS_GAINED)->crashed);
}
END_TEST

START_TEST(two_that_begin_together_claim_a_half_each)
{
    member(1, "bob", LEASE_MS);
    begin();
    looked();
    ck_assert_uint_eq(count_of(SS_OWNERS_CLAIM), SS_SHARDS / 2);
}
END_TEST

static void begin_expecting(size_t expected)
{
    ss_owners_destroy(&owners);
    owners = ss_owners_new(&(struct ss_owners_options){
        .name = "ada", .lease_ms = LEASE_MS, .expected = expected});
    begin();
    looked();
}

START_TEST(who_starts_with_others_leaves_them_their_part)
{
    begin_expecting(4);
    ck_assert_uint_eq(count_of(SS_OWNERS_CLAIM), SS_SHARDS / 4);
    give(0, SS_SHARDS / 4, 0);
    say(SS_OWNERS_CLAIMED, SS_OK);
    looked();
    look();
    ck_assert_ptr_null(find(SS_OWNERS_CLAIM));
}
END_TEST

START_TEST(what_was_kept_for_one_that_does_not_come_is_claimed_after_a_lease)
{
    begin_expecting(2);
    give(0, SS_SHARDS / 2, 0);
    say(SS_OWNERS_CLAIMED, SS_OK);
    looked();
    int64_t until_ms = now_ms + LEASE_MS;
    while (now_ms < until_ms) {
        ck_assert_ptr_null(find(SS_OWNERS_CLAIM));
        look();
    }
    ck_assert_uint_eq(count_of(SS_OWNERS_CLAIM), SS_SHARDS / 2);
}
END_TEST

START_TEST(more_than_were_expected_claim_an_equal_part)
{
    member(1, "bob", LEASE_MS);
    member(2, "cyd", LEASE_MS);
    member(3, "dan", LEASE_MS);
    begin_expecting(2);
    ck_assert_uint_eq(count_of(SS_OWNERS_CLAIM), SS_SHARDS / 4);
}
END_TEST

START_TEST(what_its_name_owned_before_was_left_by_a_crash)
{
    give(0, 10, 0);
    begin();
    looked();
    ck_assert_uint_eq(count_of(SS_OWNERS_GAINED), 10);
    ck_assert(must(SS_OWNERS_GAINED)->crashed);
}
END_TEST

START_TEST(what_is_handed_to_it_is_gained_when_it_is_seen)
{
    member(1, "bob", LEASE_MS);
    give(0, 500, 0);
    give(500, SS_SHARDS, 1);
    begin();
    looked();
    ck_assert_uint_eq(count_of(SS_OWNERS_GAINED), 500);
    give(500, 512, 0);
    look();
    ck_assert_uint_eq(count_of(SS_OWNERS_GAINED), 12);
    ck_assert(!must(SS_OWNERS_GAINED)->crashed);
    must(SS_OWNERS_SEEN);
    ck_assert_uint_eq(active(), 512);
}
END_TEST

START_TEST(who_reads_newer_rows_than_before_is_told)
{
    member(1, "bob", LEASE_MS);
    give(0, 500, 0);
    give(500, SS_SHARDS, 1);
    begin();
    looked();
    look();
    ck_assert_ptr_null(find(SS_OWNERS_SEEN));
    members[1].row_format++; // it was upgraded
    look();
    must(SS_OWNERS_SEEN);
}
END_TEST

START_TEST(a_look_from_before_a_change_gains_nothing)
{
    begin();
    looked();
    must(SS_OWNERS_CLAIM);
    tick(said.wake_at_ms - now_ms);
    must(SS_OWNERS_LOOK);
    say(SS_OWNERS_CLAIMED, SS_OK);
    give(0, SS_SHARDS, 0);
    looked(); // asked for before the claim was answered
    ck_assert_ptr_null(find(SS_OWNERS_GAINED));
    must(SS_OWNERS_LOOK);
    looked();
    ck_assert_uint_eq(count_of(SS_OWNERS_GAINED), SS_SHARDS);
}
END_TEST

START_TEST(what_is_not_its_own_any_more_is_lost)
{
    begin_with(0, SS_SHARDS);
    give(0, 5, SS_NOBODY);
    look();
    ck_assert_uint_eq(count_of(SS_OWNERS_LOST), 5);
}
END_TEST

// --- takeover ---------------------------------------------------------------

START_TEST(it_looks_when_anothers_lease_ends)
{
    member(1, "bob", 7);
    give(0, 512, 0);
    give(512, SS_SHARDS, 1);
    begin();
    looked();
    ck_assert_int_eq(said.wake_at_ms, now_ms + 7);
}
END_TEST

START_TEST(all_of_a_dead_one_is_taken_over_and_known_as_left_by_a_crash)
{
    member(1, "bob", LEASE_MS);
    give(0, 512, 0);
    give(512, SS_SHARDS, 1);
    begin();
    looked();
    members[1].left_ms = 0;
    look();
    ck_assert_str_eq(must(SS_OWNERS_TAKE)->name, "bob");
    ck_assert_ptr_null(find(SS_OWNERS_GAINED));
    // One at a time.
    look();
    ck_assert_ptr_null(find(SS_OWNERS_TAKE));
    db.members_count = 1;
    give(512, SS_SHARDS, 0);
    say(SS_OWNERS_TOOK, SS_OK);
    must(SS_OWNERS_LOOK);
    looked();
    ck_assert_uint_eq(count_of(SS_OWNERS_GAINED), 512);
    ck_assert(must(SS_OWNERS_GAINED)->crashed);
}
END_TEST

START_TEST(who_came_too_late_to_a_takeover_leaves_it)
{
    member(1, "bob", 0);
    member(2, "eve", LEASE_MS);
    give(0, 342, 0);
    give(342, SS_SHARDS, 1);
    begin();
    looked();
    must(SS_OWNERS_TAKE);
    db.members_count = 0;
    member(0, "ada", LEASE_MS);
    member(1, "eve", LEASE_MS);
    say(SS_OWNERS_TOOK, SS_EBUSY);
    looked();
    ck_assert_ptr_null(find(SS_OWNERS_TAKE));
    ck_assert_ptr_null(find(SS_OWNERS_GAINED));
    // Later the other one hands some over: nothing crashed there.
    give(1000, SS_SHARDS, 0);
    look();
    ck_assert(!must(SS_OWNERS_GAINED)->crashed);
}
END_TEST

// --- hand-over --------------------------------------------------------------

START_TEST(what_is_too_much_goes_to_who_has_least)
{
    member(1, "bob", LEASE_MS);
    give(0, SS_SHARDS, 0);
    begin();
    looked();
    const struct ss_owners_command *lost = must(SS_OWNERS_LOST);
    const struct ss_owners_command *hand = must(SS_OWNERS_HAND);
    ck_assert(lost < hand); // first
    ck_assert_str_eq(hand->name, "bob");
    ck_assert_str_eq(lost->name, "bob");
    ck_assert_uint_eq(ss_shards_count(&hand->shards), 128);
    ck_assert_mem_eq(&hand->shards, &lost->shards, sizeof(lost->shards));
    struct ss_shards given = hand->shards;
    // A look meanwhile does not bring them back, nor ask for more.
    look();
    ck_assert_ptr_null(find(SS_OWNERS_GAINED));
    ck_assert_ptr_null(find(SS_OWNERS_HAND));
    ck_assert_uint_eq(active(), SS_SHARDS - 128);
    for (uint16_t i = 0; i < SS_SHARDS; i++)
        if (ss_shards_have(&given, i))
            db.owners[i] = 1;
    say(SS_OWNERS_HANDED, SS_OK);
    looked();
    ck_assert_uint_eq(active(), SS_SHARDS - 2 * 128); // the next ones go
}
END_TEST

START_TEST(a_hand_over_that_failed_is_taken_back)
{
    member(1, "bob", LEASE_MS);
    give(0, SS_SHARDS, 0);
    begin();
    looked();
    say(SS_OWNERS_HANDED, SS_EAGAIN);
    looked();
    ck_assert_uint_eq(count_of(SS_OWNERS_GAINED), 128);
}
END_TEST

START_TEST(busy_shards_are_handed_over_only_after_a_while)
{
    struct ss_shards all = {{0}}, rested = {{0}};
    ss_shards_fill(&all);
    ss_shards_add(&rested, 3);
    member(1, "bob", LEASE_MS);
    give(0, SS_SHARDS, 0);
    begin();
    struct ss_owners_event event = {
        .type = SS_OWNERS_LOOKED, .cluster = &db, .busy = &all};
    step(event);
    ck_assert_ptr_null(find(SS_OWNERS_HAND));
    ss_shards_leave(&all, &rested);
    tick(said.wake_at_ms - now_ms);
    step(event);
    ck_assert_uint_eq(count_of(SS_OWNERS_HAND), 1);
    ck_assert(ss_shards_have(&must(SS_OWNERS_HAND)->shards, 3));
    db.owners[3] = 1;
    say(SS_OWNERS_HANDED, SS_OK);
    int64_t begun = now_ms;
    for (int i = 0; i < 100 && !find(SS_OWNERS_HAND); i++) {
        pass();
        step(event);
    }
    ck_assert_int_ge(now_ms, begun + LEASE_MS);
    ck_assert_uint_eq(count_of(SS_OWNERS_HAND), 128);
}
END_TEST

START_TEST(nobody_is_left_with_less_than_its_part)
{
    member(1, "bob", LEASE_MS);
    member(2, "eve", LEASE_MS);
    give(0, 342, 0);
    give(342, 684, 1);
    give(684, SS_SHARDS, 2); // 340
    begin();
    looked();
    ck_assert_uint_eq(count_of(SS_OWNERS_HAND), 1);
    ck_assert_str_eq(must(SS_OWNERS_HAND)->name, "eve");
}
END_TEST

START_TEST(nothing_moves_between_members_that_are_even)
{
    member(1, "bob", LEASE_MS);
    member(2, "eve", LEASE_MS);
    give(0, 342, 0);
    give(342, 683, 1);
    give(683, SS_SHARDS, 2);
    begin();
    looked();
    ck_assert_ptr_null(find(SS_OWNERS_HAND));
    ck_assert_ptr_null(find(SS_OWNERS_CLAIM));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("owners");
    TCase *tcase = tcase_create("owners");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    const TTest *const tests[] = {
        the_first_one_claims_everything,
        two_that_begin_together_claim_a_half_each,
        who_starts_with_others_leaves_them_their_part,
        what_was_kept_for_one_that_does_not_come_is_claimed_after_a_lease,
        more_than_were_expected_claim_an_equal_part,
        what_its_name_owned_before_was_left_by_a_crash,
        what_is_handed_to_it_is_gained_when_it_is_seen,
        who_reads_newer_rows_than_before_is_told,
        a_look_from_before_a_change_gains_nothing,
        what_is_not_its_own_any_more_is_lost,
        it_looks_when_anothers_lease_ends,
        all_of_a_dead_one_is_taken_over_and_known_as_left_by_a_crash,
        who_came_too_late_to_a_takeover_leaves_it,
        what_is_too_much_goes_to_who_has_least,
        a_hand_over_that_failed_is_taken_back,
        busy_shards_are_handed_over_only_after_a_while,
        nobody_is_left_with_less_than_its_part,
        nothing_moves_between_members_that_are_even,
    };
    for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
