// Bytes that are held for connections, with the kernel's numbers made up by the
// test.
#include "common/link/byte_budget.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/suite.h"

static struct ss_byte_budget *budget;
static struct ss_traffic seen[20];
static bool is_unknown[20];

static void set_up(void)
{
    budget = ss_byte_budget_new();
    memset(seen, 0, sizeof(seen));
    memset(is_unknown, 0, sizeof(is_unknown));
}

static void tear_down(void)
{
    ss_byte_budget_destroy(&budget);
    ck_assert_ptr_null(budget);
    ss_byte_budget_destroy(&budget);
}

static bool traffic(int fd, struct ss_traffic *ret)
{
    if (is_unknown[fd])
        return false;
    *ret = seen[fd];
    return true;
}

static void expect_weight(int64_t bytes)
{
    ck_assert_int_eq(ss_byte_budget_weigh(budget, traffic), bytes);
}

static void expect_heaviest(
    int fd, const char *address, int64_t unread, int64_t owed)
{
    struct ss_byte_budget_load load;
    ck_assert(ss_byte_budget_heaviest(budget, &load));
    ck_assert_int_eq(load.fd, fd);
    ck_assert_str_eq(load.address, address);
    ck_assert_int_eq(load.unread, unread);
    ck_assert_int_eq(load.owed, owed);
}

static void expect_no_more(void)
{
    struct ss_byte_budget_load load;
    ck_assert(!ss_byte_budget_heaviest(budget, &load));
}

START_TEST(what_came_and_was_not_taken_is_weighed_the_heaviest_first)
{
    ss_byte_budget_open(budget, 10, "192.0.2.1");
    ss_byte_budget_open(budget, 11, "192.0.2.2");
    ss_byte_budget_open(budget, 12, "192.0.2.3");
    ss_byte_budget_open(budget, 13, "192.0.2.4");
    seen[10].received = 1000, seen[11].received = 5000;
    seen[12].received = 3000, seen[13].received = 7000;
    is_unknown[13] = true;
    ss_byte_budget_take(budget, 11, 4500);
    ss_byte_budget_take(budget, 10, 1200); // more than came: nothing is held
    ss_byte_budget_take(budget, 14, 100);  // nobody's
    ss_byte_budget_take(budget, -1, 100);
    expect_weight(3500);
    expect_heaviest(12, "192.0.2.3", 3000, 0);
    expect_heaviest(11, "192.0.2.2", 500, 0);
    expect_no_more();
    ss_byte_budget_close(budget, 12);
    expect_weight(500);
    // Another connection by the same descriptor begins anew, whether the end of
    // the first was told or not.
    ss_byte_budget_close(budget, 11);
    ss_byte_budget_open(budget, 11, "192.0.2.2");
    expect_weight(5000);
    ss_byte_budget_take(budget, 11, 5000);
    ss_byte_budget_open(budget, 11, "192.0.2.5");
    expect_weight(5000);
    expect_heaviest(11, "192.0.2.5", 5000, 0);
}
END_TEST

START_TEST(what_was_given_to_a_peer_and_it_did_not_accept_is_weighed_too)
{
    ss_byte_budget_open(budget, 3, "192.0.2.1");
    ss_byte_budget_open(budget, 4, "192.0.2.2");
    ss_byte_budget_give(budget, "ada", 1000); // she did not speak yet
    ck_assert(ss_byte_budget_speaks(budget, 3, "ada"));
    ck_assert(ss_byte_budget_speaks(budget, 4, "bob"));
    ck_assert(!ss_byte_budget_speaks(budget, 5, "eve")); // by one that is none
    expect_weight(0);
    ss_byte_budget_give(budget, "ada", 1000);
    ck_assert(ss_byte_budget_speaks(budget, 3, "ada")); // again: the same one
    ss_byte_budget_give(budget, "ada", 500);
    ss_byte_budget_give(budget, "bob", 1200);
    ss_byte_budget_give(budget, "eve", 9000);
    seen[3].accepted = 700;
    seen[4] = (struct ss_traffic){.received = 900, .accepted = 1300};
    expect_weight(800 + 900);
    expect_heaviest(4, "192.0.2.2", 900, 0);
    expect_heaviest(3, "192.0.2.1", 0, 800);
    expect_no_more();
    seen[4].accepted = 1000; // what is held for it goes both ways: together
    expect_weight(800 + 1100);
    expect_heaviest(4, "192.0.2.2", 900, 200);
}
END_TEST

START_TEST(the_heaviest_is_told_with_who_spoke_by_it)
{
    struct ss_byte_budget_load load;
    ss_byte_budget_open(budget, 3, "192.0.2.1");
    ss_byte_budget_open(budget, 4, "192.0.2.2");
    ck_assert(ss_byte_budget_speaks(budget, 3, "ada"));
    seen[3].received = 200, seen[4].received = 100;
    expect_weight(300);
    ck_assert(ss_byte_budget_heaviest(budget, &load));
    ck_assert_str_eq(load.peer, "ada");
    ck_assert(ss_byte_budget_heaviest(budget, &load));
    ck_assert_str_eq(load.peer, "");
}
END_TEST

START_TEST(what_is_given_counts_where_a_peer_spoke_last)
{
    ss_byte_budget_open(budget, 3, "192.0.2.1");
    ss_byte_budget_open(budget, 4, "192.0.2.1");
    ck_assert(ss_byte_budget_speaks(budget, 3, "ada"));
    ss_byte_budget_give(budget, "ada", 1000);
    expect_weight(1000);
    // What it had is gone with the other.
    ck_assert(ss_byte_budget_speaks(budget, 4, "ada"));
    expect_weight(0);
    ss_byte_budget_give(budget, "ada", 300);
    expect_weight(300);
    expect_heaviest(4, "192.0.2.1", 0, 300);
    ss_byte_budget_close(budget, 3); // it is nobody's by now
    expect_weight(300);
    // The descriptor leads to somebody else: nothing of hers is his.
    ck_assert(ss_byte_budget_speaks(budget, 4, "bob"));
    ss_byte_budget_give(budget, "ada", 5000);
    expect_weight(0);
    ss_byte_budget_give(budget, "bob", 10);
    expect_weight(10);
    ss_byte_budget_close(budget, 4);
    ss_byte_budget_give(budget, "bob", 10);
    expect_weight(0);
    ss_byte_budget_open(budget, 4, "192.0.2.1");
    ck_assert(ss_byte_budget_speaks(budget, 4, "bob"));
    expect_weight(0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("byte_budget");
    TCase *tcase = tcase_create("byte_budget");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(
        tcase, what_came_and_was_not_taken_is_weighed_the_heaviest_first);
    tcase_add_test(
        tcase, what_was_given_to_a_peer_and_it_did_not_accept_is_weighed_too);
    tcase_add_test(tcase, the_heaviest_is_told_with_who_spoke_by_it);
    tcase_add_test(tcase, what_is_given_counts_where_a_peer_spoke_last);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
