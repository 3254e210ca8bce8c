// Two coordinators of one PostgreSQL, of which one works in a single turn for
// longer than its lease. The test steps them: who is not stepped is at work.
#include "coordinator/shell_impl.h"

#include <check.h>
#include <stdio.h>

#include "common/app/clock.h"
#include "coordinator/limits.h"
#include "coordinator/store/store.h"
#include "tests/suite.h"
#include "tests/support/postgres_server.h"

enum { LEASE_MS = 4000, STEP_MS = 5, TIMEOUT_S = 200 };

static struct postgres_server *server;
static struct ss_coordinator *busy, *other;
static struct ss_store *eye; // looks at the members
static struct ss_error failure;

static struct ss_coordinator *start(const char *listen)
{
    struct ss_coordinator *made = NULL;
    const struct ss_coordinator_options options = {.listen = listen,
        .store = postgres_server_url(server),
        .cluster_lease_ms = LEASE_MS,
        .members = 2};
    int status = ss_coordinator_open(&options, &made, &failure);
    ck_assert_msg(status == SS_OK, "%s", failure.message);
    return made;
}

static void step(struct ss_coordinator *it)
{
    int status = ss_coordinator_step(it, -1, STEP_MS, &failure);
    ck_assert_msg(status == SS_OK, "%s", failure.message);
}

static int64_t shards_of(const struct ss_coordinator *it)
{
    struct ss_engine_counts counts;
    ss_engine_count(ss_core_engine(it->core), &counts);
    return (int64_t)counts.shards;
}

// When the lease of the member of that name ends, by our clock; -1: there is
// no such member.
static int64_t lease_end_ms(const char *name)
{
    struct ss_cluster cluster = {.members_count = 0};
    int status = ss_store_cluster_read(eye, &cluster, &failure);
    ck_assert_msg(status == SS_OK, "%s", failure.message);
    uint16_t at = ss_cluster_find(&cluster, name);
    int64_t end_ms =
        at == SS_NOBODY ? -1 : ss_clock_ms() + cluster.members[at].left_ms;
    ss_cluster_fini(&cluster);
    return end_ms;
}

static void set_up(void)
{
    server = postgres_server_start(false);
    ck_assert_ptr_nonnull(server);
    busy = start("loop:busy");
    other = start("loop:other");
    int status = ss_store_open(postgres_server_url(server), &eye, &failure);
    ck_assert_msg(status == SS_OK, "%s", failure.message);
    while (
        shards_of(busy) != SS_SHARDS / 2 || shards_of(other) != SS_SHARDS / 2) {
        step(busy);
        step(other);
    }
}

static void tear_down(void)
{
    ss_store_close(&eye);
    ss_coordinator_close(&busy);
    ss_coordinator_close(&other);
    postgres_server_stop(&server);
}

START_TEST(a_turn_longer_than_the_lease_costs_no_thread)
{
    int64_t until_ms = lease_end_ms("loop:busy") + LEASE_MS;
    ck_assert_int_gt(until_ms, LEASE_MS);
    // Its lease would have ended, and the other one have taken its shards.
    while (ss_clock_ms() < until_ms) {
        step(other);
        ck_assert_int_ne(lease_end_ms("loop:busy"), -1);
    }
    step(busy);
    ck_assert_int_eq(shards_of(busy), SS_SHARDS / 2);
    ck_assert_int_eq(shards_of(other), SS_SHARDS / 2);
    ck_assert_ptr_null(ss_core_trouble(busy->core));
}
END_TEST

START_TEST(a_turn_that_never_ends_is_taken_over_from)
{
    ss_lease_keeper_turn(busy->keeper, ss_clock_ms() - SS_LEASE_TURN_MS - 1);
    while (shards_of(other) != SS_SHARDS)
        step(other);
    ck_assert_int_eq(lease_end_ms("loop:busy"), -1);
    int status;
    do
        status = ss_coordinator_step(busy, -1, STEP_MS, &failure);
    while (status == SS_OK);
    ck_assert_int_eq(status, SS_EFENCED);
    ck_assert_int_eq(shards_of(busy), 0);
}
END_TEST

int main(void)
{
    const char *why = postgres_server_missing();
    if (why) {
        fprintf(stderr, "SKIPPED: %s\n", why);
        return 77;
    }
    Suite *suite = suite_create("long_turn");
    TCase *tcase = tcase_create("long_turn");
    tcase_set_timeout(tcase, TIMEOUT_S);
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, a_turn_longer_than_the_lease_costs_no_thread);
    tcase_add_test(tcase, a_turn_that_never_ends_is_taken_over_from);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
