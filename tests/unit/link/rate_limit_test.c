// How much peers may take; the test sets the time.
#include "common/link/rate_limit.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/link/limits.h"
#include "tests/suite.h"

static struct ss_rate_limit *rates;
static int64_t now_ms;

static void set_up(void)
{
    struct ss_rate_limit_settings limits = {.connections_max = 6,
        .per_address_max = 3,
        .connections_rate = 1,
        .messages_rate = 10};
    rates = ss_rate_limit_new(&limits);
    now_ms = 1000;
}

static void tear_down(void)
{
    ss_rate_limit_destroy(&rates);
    ck_assert_ptr_null(rates);
    ss_rate_limit_destroy(&rates);
}

static enum ss_rate_limit_verdict come(int fd, const char *address)
{
    return ss_rate_limit_connect(rates, fd, address, now_ms);
}

static void leave(int fd)
{
    char address[SS_RATE_LIMIT_ADDRESS_SIZE];
    int64_t since_ms;
    ss_rate_limit_disconnect(rates, fd, address, &since_ms);
}

START_TEST(an_address_has_its_share_of_connections)
{
    for (int fd = 10; fd < 13; fd++)
        ck_assert_int_eq(come(fd, "192.0.2.1"), SS_RATE_LIMIT_WELCOME);
    ck_assert_int_eq(come(13, "192.0.2.1"), SS_RATE_LIMIT_ADDRESS_FULL);
    ck_assert_int_eq(come(13, "192.0.2.2"), SS_RATE_LIMIT_WELCOME);
    leave(11);
    ck_assert_int_eq(come(11, "192.0.2.1"), SS_RATE_LIMIT_WELCOME);
    ck_assert_uint_eq(ss_rate_limit_connections(rates), 4);
}
END_TEST

START_TEST(all_addresses_together_have_theirs)
{
    char address[20];
    for (int fd = 0; fd < 6; fd++) {
        snprintf(address, sizeof(address), "192.0.2.%d", fd);
        ck_assert_int_eq(come(fd, address), SS_RATE_LIMIT_WELCOME);
    }
    ck_assert_int_eq(come(6, "192.0.2.100"), SS_RATE_LIMIT_FULL);
    leave(0);
    ck_assert_int_eq(come(6, "192.0.2.100"), SS_RATE_LIMIT_WELCOME);
}
END_TEST

START_TEST(new_ones_come_at_a_rate_after_a_burst)
{
    for (int i = 0; i < SS_LINK_CONNECTIONS_BURST_S; i++) {
        ck_assert_int_eq(come(5, "192.0.2.1"), SS_RATE_LIMIT_WELCOME);
        leave(5);
    }
    ck_assert_int_eq(come(5, "192.0.2.1"), SS_RATE_LIMIT_TOO_FAST);
    ck_assert_int_eq(come(5, "192.0.2.2"), SS_RATE_LIMIT_WELCOME);
    leave(5);
    now_ms += 999;
    ck_assert_int_eq(come(5, "192.0.2.1"), SS_RATE_LIMIT_TOO_FAST);
    now_ms += 1;
    ck_assert_int_eq(come(5, "192.0.2.1"), SS_RATE_LIMIT_WELCOME);
    leave(5);
    ck_assert_int_eq(come(5, "192.0.2.1"), SS_RATE_LIMIT_TOO_FAST);
    now_ms = INT64_MAX / 2; // nothing overflows, and no more than a burst
    for (int i = 0; i < SS_LINK_CONNECTIONS_BURST_S; i++)
        ck_assert_int_eq(come(5, "192.0.2.1"), SS_RATE_LIMIT_WELCOME);
    ck_assert_int_eq(come(5, "192.0.2.1"), SS_RATE_LIMIT_TOO_FAST);
}
END_TEST

START_TEST(new_ones_of_who_is_refused_too_often_count_several_times)
{
    now_ms += SS_LINK_FORGET_MS;
    for (int i = 0; i < SS_LINK_REFUSALS_BURST; i++)
        ss_rate_limit_refused(rates, "192.0.2.1", now_ms);
    ck_assert_int_eq(come(5, "192.0.2.1"), SS_RATE_LIMIT_WELCOME);
    ck_assert_int_eq(come(6, "192.0.2.1"), SS_RATE_LIMIT_WELCOME);
    ck_assert_int_eq(come(7, "192.0.2.2"), SS_RATE_LIMIT_WELCOME);
    leave(6);
    ss_rate_limit_refused(rates, "192.0.2.1", now_ms);
    // Three of five are left: too few while it is suspect. A burst is enough,
    // however small it is: nobody is locked out.
    ck_assert_int_gt(SS_LINK_SUSPECT_COST, SS_LINK_CONNECTIONS_BURST_S);
    now_ms += 1000;
    ck_assert_int_eq(come(6, "192.0.2.1"), SS_RATE_LIMIT_TOO_FAST);
    now_ms += 1000;
    ck_assert_int_eq(come(6, "192.0.2.1"), SS_RATE_LIMIT_WELCOME);
    leave(6);
    ck_assert_int_eq(come(6, "192.0.2.1"), SS_RATE_LIMIT_TOO_FAST);
    ck_assert_int_eq(come(8, "192.0.2.2"), SS_RATE_LIMIT_WELCOME);
    // What it had is still there, and nothing lasts for ever.
    ck_assert_uint_eq(ss_rate_limit_connections(rates), 3);
    now_ms += SS_LINK_SUSPECT_MS;
    for (int i = 0; i < SS_LINK_CONNECTIONS_BURST_S; i++) {
        ck_assert_int_eq(come(6, "192.0.2.1"), SS_RATE_LIMIT_WELCOME);
        leave(6);
    }
}
END_TEST

START_TEST(many_that_are_refused_are_a_flood_and_a_few_are_none)
{
    for (int fd = 10; fd < 13; fd++)
        ck_assert_int_eq(come(fd, "192.0.2.1"), SS_RATE_LIMIT_WELCOME);
    for (int i = 0; i < SS_LINK_EXCESS_BURST; i++)
        ck_assert_int_eq(come(13, "192.0.2.1"), SS_RATE_LIMIT_ADDRESS_FULL);
    ck_assert_int_eq(come(13, "192.0.2.1"), SS_RATE_LIMIT_FLOOD);
    ck_assert_int_eq(come(13, "192.0.2.2"), SS_RATE_LIMIT_WELCOME);
    now_ms += 1000;
    for (int i = 0; i < SS_LINK_EXCESS_RATE; i++)
        ck_assert_int_eq(come(14, "192.0.2.1"), SS_RATE_LIMIT_ADDRESS_FULL);
    ck_assert_int_eq(come(14, "192.0.2.1"), SS_RATE_LIMIT_FLOOD);
    ck_assert_uint_eq(ss_rate_limit_connections(rates), 4);
}
END_TEST

START_TEST(a_flood_of_who_is_refused_too_often_is_one_sooner)
{
    for (int fd = 10; fd < 13; fd++)
        ck_assert_int_eq(come(fd, "192.0.2.1"), SS_RATE_LIMIT_WELCOME);
    for (int i = 0; i <= SS_LINK_REFUSALS_BURST; i++)
        ss_rate_limit_refused(rates, "192.0.2.1", now_ms);
    for (int i = 0; i < SS_LINK_EXCESS_BURST / SS_LINK_SUSPECT_COST; i++)
        ck_assert_int_eq(come(13, "192.0.2.1"), SS_RATE_LIMIT_ADDRESS_FULL);
    ck_assert_int_eq(come(13, "192.0.2.1"), SS_RATE_LIMIT_FLOOD);
    ck_assert_int_eq(come(13, "192.0.2.2"), SS_RATE_LIMIT_WELCOME);
}
END_TEST

START_TEST(a_descriptor_that_comes_again_stands_for_a_new_connection)
{
    ck_assert_int_eq(come(5, "192.0.2.1"), SS_RATE_LIMIT_WELCOME);
    ck_assert_int_eq(come(5, "192.0.2.2"), SS_RATE_LIMIT_WELCOME);
    ck_assert_uint_eq(ss_rate_limit_connections(rates), 1);
    char address[SS_RATE_LIMIT_ADDRESS_SIZE];
    int64_t since_ms;
    ss_rate_limit_disconnect(rates, 5, address, &since_ms);
    ck_assert_str_eq(address, "192.0.2.2");
    ck_assert_int_eq(since_ms, 1000);
    ss_rate_limit_disconnect(rates, 5, address, &since_ms);
    ck_assert_str_eq(address, "");
    ss_rate_limit_disconnect(rates, -1, address, &since_ms);
    ss_rate_limit_disconnect(rates, 1 << 30, address, &since_ms);
    ck_assert_uint_eq(ss_rate_limit_connections(rates), 0);
}
END_TEST

START_TEST(the_addresses_of_one_ipv6_network_count_as_one)
{
    ck_assert_int_eq(come(1, "2001:db8:0:1:aaaa::1"), SS_RATE_LIMIT_WELCOME);
    ck_assert_int_eq(come(2, "2001:db8:0:1:bbbb::1"), SS_RATE_LIMIT_WELCOME);
    ck_assert_int_eq(come(3, "2001:db8:0:1:cccc::1"), SS_RATE_LIMIT_WELCOME);
    ck_assert_int_eq(come(4, "2001:db8:0:1::1"), SS_RATE_LIMIT_ADDRESS_FULL);
    ck_assert_int_eq(come(4, "2001:db8:0:2::1"), SS_RATE_LIMIT_WELCOME);
    ck_assert_int_eq(come(5, "::ffff:192.0.2.1"), SS_RATE_LIMIT_WELCOME);
    char address[SS_RATE_LIMIT_ADDRESS_SIZE];
    int64_t since_ms;
    ss_rate_limit_disconnect(rates, 5, address, &since_ms);
    ck_assert_str_eq(address, "192.0.2.1");
    ss_rate_limit_disconnect(rates, 1, address, &since_ms);
    ck_assert_str_eq(address, "2001:db8:0:1::");
}
END_TEST

START_TEST(a_peer_that_says_too_much_has_to_wait_and_others_do_not)
{
    for (int i = 0; i < 10 * SS_LINK_MESSAGES_BURST_S; i++)
        ck_assert(ss_rate_limit_message(rates, "loud", now_ms));
    ck_assert(!ss_rate_limit_message(rates, "loud", now_ms));
    ck_assert(ss_rate_limit_message(rates, "quiet", now_ms));
    now_ms += 100;
    ck_assert(ss_rate_limit_message(rates, "loud", now_ms));
    ck_assert(!ss_rate_limit_message(rates, "loud", now_ms));
}
END_TEST

START_TEST(peers_that_are_quiet_are_forgotten_when_there_are_many)
{
    char name[20];
    for (int i = 0; i < SS_LINK_PEERS_MAX; i++) {
        snprintf(name, sizeof(name), "%d", i);
        ck_assert(ss_rate_limit_message(rates, name, now_ms));
    }
    ck_assert(!ss_rate_limit_message(rates, "one more", now_ms));
    now_ms += SS_LINK_MESSAGES_BURST_S * 1000 + 1;
    ck_assert(ss_rate_limit_message(rates, "one more", now_ms));
}
END_TEST

START_TEST(addresses_that_are_gone_make_room_for_others)
{
    char address[20];
    for (int i = 0; i < SS_LINK_ADDRESSES_MAX; i++) {
        snprintf(address, sizeof(address), "10.%d.%d.%d", i >> 16, i >> 8 & 255,
            i & 255);
        ck_assert_int_eq(come(3, address), SS_RATE_LIMIT_WELCOME);
    }
    ck_assert_int_eq(come(3, "192.0.2.1"), SS_RATE_LIMIT_FULL);
    now_ms += SS_LINK_FORGET_MS + 1;
    ck_assert_int_eq(come(3, "192.0.2.1"), SS_RATE_LIMIT_WELCOME);
}
END_TEST

START_TEST(what_is_queued_of_a_peer_that_was_hung_up_on_is_not_heard)
{
    ck_assert(ss_rate_limit_hears(rates, "loud", now_ms));
    ss_rate_limit_unhear(rates, "loud", now_ms);
    ck_assert(!ss_rate_limit_hears(rates, "loud", now_ms));
    ck_assert(ss_rate_limit_hears(rates, "quiet", now_ms));
    now_ms += SS_LINK_LEFTOVERS_MS - 1;
    ck_assert(!ss_rate_limit_hears(rates, "loud", now_ms));
    now_ms += 1;
    ck_assert(ss_rate_limit_hears(rates, "loud", now_ms));
}
END_TEST

START_TEST(wrongs_are_a_networks_as_connections_are)
{
    for (int i = 0; i < SS_LINK_WRONGS_BURST; i++)
        ck_assert(ss_rate_limit_wrong(
            rates, i % 2 ? "2001:db8::1" : "2001:db8::2", "", now_ms));
    ck_assert(!ss_rate_limit_wrong(rates, "2001:db8::3", "", now_ms));
    ck_assert_int_eq(
        ss_rate_limit_waits_until(rates, "2001:db8::4", "", now_ms),
        now_ms + SS_LINK_WAIT_MS);
    ss_rate_limit_punish(rates, "::ffff:192.0.2.1", "ada", now_ms);
    ck_assert_int_eq(
        ss_rate_limit_waits_until(rates, "192.0.2.1", "ada", now_ms),
        now_ms + SS_LINK_WAIT_MS);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("rate_limit");
    TCase *tcase = tcase_create("rate_limit");
    tcase_set_timeout(tcase, 600);
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, an_address_has_its_share_of_connections);
    tcase_add_test(tcase, all_addresses_together_have_theirs);
    tcase_add_test(tcase, new_ones_come_at_a_rate_after_a_burst);
    tcase_add_test(
        tcase, new_ones_of_who_is_refused_too_often_count_several_times);
    tcase_add_test(tcase, many_that_are_refused_are_a_flood_and_a_few_are_none);
    tcase_add_test(tcase, a_flood_of_who_is_refused_too_often_is_one_sooner);
    tcase_add_test(
        tcase, a_descriptor_that_comes_again_stands_for_a_new_connection);
    tcase_add_test(tcase, the_addresses_of_one_ipv6_network_count_as_one);
    tcase_add_test(
        tcase, a_peer_that_says_too_much_has_to_wait_and_others_do_not);
    tcase_add_test(
        tcase, peers_that_are_quiet_are_forgotten_when_there_are_many);
    tcase_add_test(tcase, addresses_that_are_gone_make_room_for_others);
    tcase_add_test(
        tcase, what_is_queued_of_a_peer_that_was_hung_up_on_is_not_heard);
    tcase_add_test(tcase, wrongs_are_a_networks_as_connections_are);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
