// Connections, their signs of life, and where others may be.
#include "common/peer/peer.h"

#include <check.h>
#include <stdio.h>

#include "tests/suite.h"

static struct ss_peer peer;
static struct ss_endpoints endpoints;

static void setup(void)
{
    ss_peer_init(&peer, "tcp://a:1", 100);
}

static void teardown(void)
{
    ss_peer_fini(&peer);
    ss_endpoints_fini(&endpoints);
}

// ------------------------------------------------------------------ signs

START_TEST(silence_counts_from_the_first_ping_that_nothing_answered)
{
    ck_assert(!ss_peer_is_asked(&peer));
    ck_assert_int_eq(ss_peer_silent_at_ms(&peer, 50), INT64_MAX);
    ss_peer_ping(&peer, 200);
    ss_peer_ping(&peer, 230);
    ck_assert(ss_peer_is_asked(&peer));
    ck_assert_int_eq(ss_peer_silent_at_ms(&peer, 50), 250);
    ss_peer_heard(&peer, 240);
    ck_assert_int_eq(ss_peer_silent_at_ms(&peer, 50), INT64_MAX);
    ss_peer_ping(&peer, 300);
    ck_assert_int_eq(ss_peer_silent_at_ms(&peer, 50), 350);
    ss_peer_rest(&peer);
    ck_assert(!ss_peer_is_asked(&peer));
}
END_TEST

START_TEST(who_was_heard_or_asked_just_now_is_not_asked_again)
{
    ck_assert_int_eq(ss_peer_ping_at_ms(&peer, 10), 110);
    ss_peer_ping(&peer, 120);
    ck_assert_int_eq(ss_peer_ping_at_ms(&peer, 10), 130);
    ss_peer_heard(&peer, 125);
    ck_assert_int_eq(ss_peer_ping_at_ms(&peer, 10), 135);
    ss_peer_ping(&peer, 135);
    ck_assert_int_eq(ss_peer_ping_at_ms(&peer, 10), 145);
}
END_TEST

START_TEST(a_lease_counts_from_the_last_sign_and_our_own_sleep_does_not)
{
    ck_assert_int_eq(ss_peer_lost_at_ms(&peer, 1000), 1100);
    ss_peer_ping(&peer, 500); // our ping is not a sign of its life
    ck_assert_int_eq(ss_peer_lost_at_ms(&peer, 1000), 1100);
    ss_peer_heard(&peer, 600);
    ck_assert_int_eq(ss_peer_lost_at_ms(&peer, 1000), 1600);
    ss_peer_forgive(&peer, 5000);
    ck_assert_int_eq(ss_peer_lost_at_ms(&peer, 1000), 6600);
}
END_TEST

START_TEST(another_epoch_is_another_life)
{
    ck_assert(!ss_peer_tells_epoch(&peer, 0));
    ck_assert(!ss_peer_tells_epoch(&peer, 7));
    ck_assert(!ss_peer_tells_epoch(&peer, 7));
    ck_assert(!ss_peer_tells_epoch(&peer, 0)); // it does not say
    ck_assert(ss_peer_tells_epoch(&peer, 8));
    ck_assert(!ss_peer_tells_epoch(&peer, 8));
    ss_peer_move(&peer, "tcp://b:1"); // whoever is there is not compared
    ck_assert_str_eq(peer.endpoint, "tcp://b:1");
    ck_assert(!ss_peer_tells_epoch(&peer, 7));
}
END_TEST

START_TEST(a_number_is_given_once)
{
    struct ss_peers peers = {0};
    struct ss_peer others[3];
    static const char *const names[] = {"b", "c", "d"};
    ss_peers_add(&peers, &peer);
    for (int i = 0; i < 3; i++) {
        ss_peer_init(&others[i], names[i], 0);
        ss_peers_add(&peers, &others[i]);
        ck_assert_uint_eq(others[i].number, (unsigned)i + 1);
        if (i == 1)
            ss_peers_remove(&peers, &others[1]);
    }
    ck_assert_uint_eq(peers.count, 3);
    ck_assert_ptr_eq(peers.items[2], &others[2]);
    ck_assert_ptr_eq(ss_peers_find(&peers, 0), &peer);
    ck_assert_ptr_eq(ss_peers_find(&peers, 3), &others[2]);
    ck_assert_ptr_null(ss_peers_find(&peers, 2));
    ck_assert_ptr_eq(ss_peers_at(&peers, "b"), &others[0]);
    ck_assert_ptr_null(ss_peers_at(&peers, "c"));
    ss_peers_fini(&peers);
    for (int i = 0; i < 3; i++)
        ss_peer_fini(&others[i]);
}
END_TEST

// ------------------------------------------------------------------ endpoints

static void expect_endpoints(const char *const *wanted, size_t count)
{
    ck_assert_uint_eq(endpoints.count, count);
    for (size_t i = 0; i < count; i++)
        ck_assert_str_eq(endpoints.items[i], wanted[i]);
}

START_TEST(what_was_told_gives_way_and_what_was_given_stays)
{
    ss_endpoints_give(&endpoints, "a");
    ss_endpoints_give(&endpoints, "b");
    expect_endpoints((const char *const[]){"a", "b"}, 2);
    ss_endpoints_tell(&endpoints, (char *[]){"c", "b", "d", "c"}, 4);
    expect_endpoints((const char *const[]){"a", "b", "c", "d"}, 4);
    ck_assert(ss_endpoints_has(&endpoints, "d"));
    ss_endpoints_tell(&endpoints, (char *[]){"e"}, 1);
    expect_endpoints((const char *const[]){"a", "b", "e"}, 3);
    ck_assert(!ss_endpoints_has(&endpoints, "d"));
    ss_endpoints_tell(&endpoints, NULL, 0);
    expect_endpoints((const char *const[]){"a", "b", "e"}, 3);
    ck_assert_uint_eq(endpoints.given_count, 2);
    ss_endpoints_remove(&endpoints, "a");
    ss_endpoints_remove(&endpoints, "nowhere");
    expect_endpoints((const char *const[]){"b", "e"}, 2);
    ss_endpoints_tell(&endpoints, (char *[]){"f"}, 1);
    expect_endpoints((const char *const[]){"b", "f"}, 2);
}
END_TEST

START_TEST(there_are_no_more_endpoints_than_may_be)
{
    enum { COUNT = SS_PEER_ENDPOINTS_MAX + 1 };
    static char names[COUNT][8];
    static char *told[COUNT];
    for (int i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof(names[i]), "m%d", i);
        told[i] = names[i];
    }
    ss_endpoints_give(&endpoints, "a");
    ss_endpoints_tell(&endpoints, told, COUNT);
    ck_assert_uint_eq(endpoints.count, SS_PEER_ENDPOINTS_MAX);
    ck_assert(ss_endpoints_has(&endpoints, "m0"));
    ck_assert(!ss_endpoints_has(&endpoints, names[COUNT - 2]));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("peer");
    TCase *tcase = tcase_create("peer");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(
        tcase, silence_counts_from_the_first_ping_that_nothing_answered);
    tcase_add_test(tcase, who_was_heard_or_asked_just_now_is_not_asked_again);
    tcase_add_test(
        tcase, a_lease_counts_from_the_last_sign_and_our_own_sleep_does_not);
    tcase_add_test(tcase, another_epoch_is_another_life);
    tcase_add_test(tcase, a_number_is_given_once);
    tcase_add_test(tcase, what_was_told_gives_way_and_what_was_given_stays);
    tcase_add_test(tcase, there_are_no_more_endpoints_than_may_be);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
