// Leases, shards, takeover and hand-over as one coordinator decides them. The
// test is the database: it answers what it likes, when it likes.
#include "coordinator/owners/owners.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "common/base/status.h"
#include "tests/suite.h"

enum { LEASE_MS = 1000, SAFE_MS = 900 };

static struct ss_owners *owners;
static struct ss_owners_commands said;
static int64_t now_ms;
static struct ss_member members[4];
static struct ss_cluster db;

static void member(size_t index, const char *name, int64_t left_ms)
{
    memset(&members[index], 0, sizeof(members[index]));
    snprintf(members[index].name, sizeof(members[index].name), "%s", name);
    snprintf(members[index].endpoint, sizeof(members[index].endpoint),
        "tcp://%s", name);
    members[index].left_ms = left_ms;
    if (db.members_count <= index)
        db.members_count = index + 1;
}

// The database gives from..to to members[index] (SS_NOBODY: to none).
static void give(uint16_t from, uint16_t to, uint16_t index)
{
    for (uint16_t i = from; i < to; i++)
        db.owners[i] = index;
    db.epoch++;
}

static void step(struct ss_owners_event event)
{
    event.now_ms = now_ms;
    ss_owners_step(owners, &event, &said);
}

static void say(enum ss_owners_event_type type, int status)
{
    step((struct ss_owners_event){.type = type, .status = status});
}

static void tick(int64_t ms)
{
    now_ms += ms;
    say(SS_OWNERS_TICK, SS_OK);
}

// The lease was renewed without a command: asked for at `sent_ms`.
static void kept(int status, int64_t sent_ms)
{
    step((struct ss_owners_event){.type = SS_OWNERS_RENEWED,
        .status = status,
        .kept = true,
        .sent_ms = sent_ms});
}

static void looked(void)
{
    step((struct ss_owners_event){.type = SS_OWNERS_LOOKED, .cluster = &db});
}

static const struct ss_owners_command *find(enum ss_owners_command_type type)
{
    for (size_t i = 0; i < said.count; i++)
        if (said.items[i].type == type)
            return &said.items[i];
    return NULL;
}

static const struct ss_owners_command *must(enum ss_owners_command_type type)
{
    const struct ss_owners_command *it = find(type);
    ck_assert_msg(it != NULL, "nothing of type %d was said", (int)type);
    return it;
}

static size_t count_of(enum ss_owners_command_type type)
{
    return ss_shards_count(&must(type)->shards);
}

static size_t active(void)
{
    struct ss_shards shards = ss_owners_active(owners);
    return ss_shards_count(&shards);
}

static void set_up(void)
{
    now_ms = 1000;
    memset(&db, 0, sizeof(db));
    db.members = members;
    db.epoch = 7;
    give(0, SS_SHARDS, SS_NOBODY);
    member(0, "ada", LEASE_MS);
    owners = ss_owners_new(
        &(struct ss_owners_options){.name = "ada", .lease_ms = LEASE_MS});
}

static void tear_down(void)
{
    ss_owners_destroy(&owners);
    ck_assert_ptr_null(owners);
}

// With a lease, and a look on its way.
static void begin(void)
{
    tick(0);
    must(SS_OWNERS_RENEW);
    say(SS_OWNERS_RENEWED, SS_OK);
    must(SS_OWNERS_LOOK);
}

// Time passes, and leases are renewed, until it looks.
static void pass(void)
{
    for (int i = 0; i < 100 && !find(SS_OWNERS_LOOK); i++) {
        if (find(SS_OWNERS_RENEW))
            say(SS_OWNERS_RENEWED, SS_OK);
        else
            tick(said.wake_at_ms - now_ms);
    }
    must(SS_OWNERS_LOOK);
    if (find(SS_OWNERS_RENEW))
        say(SS_OWNERS_RENEWED, SS_OK);
}

static void look(void)
{
    pass();
    looked();
}

// It owns from..to.
static void begin_with(uint16_t from, uint16_t to)
{
    give(from, to, 0);
    begin();
    looked();
}

// --- the lease --------------------------------------------------------------

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
    Suite *suite = suite_create("owners");
    TCase *tcase = tcase_create("owners");
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
