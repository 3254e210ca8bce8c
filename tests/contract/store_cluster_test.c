// Several coordinators on one database: leases, shards, takeover, hand-over.
// The database's clock judges; a lease is ended here by a statement, not by
// waiting.
#include <stdio.h>
#include <stdlib.h>

#ifndef SS_HAVE_POSTGRES

int main(void)
{
    fprintf(stderr, "SKIPPED: built without libpq\n");
    return 77;
}

#else

#include <check.h>
#include <libpq-fe.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/journal.h"
#include "coordinator/store/store_actor.h"
#include "local/storage.h"
#include "tests/contract/store_world.h"

enum { POSTGRES = 4, LEASE_MS = 60000 };

static struct ss_store *store, *other;
static struct ss_member ada, bob;

static struct ss_member member_of(struct ss_store *it, const char *name)
{
    struct ss_member member = {.row_format = SS_ROW_FORMAT};
    snprintf(member.name, sizeof(member.name), "%s", name);
    snprintf(member.endpoint, sizeof(member.endpoint), "tcp://%s:1", name);
    int status = ss_store_fence_take(it, name, 0, &member.epoch, &world_error);
    ck_assert_msg(status == SS_OK, "%s", world_error.message);
    return member;
}

static void renew(struct ss_store *it, const struct ss_member *member)
{
    int status = ss_store_lease_renew(it, member, LEASE_MS, &world_error);
    ck_assert_msg(status == SS_OK, "%s", world_error.message);
}

static void setup(void)
{
    world_begin();
    store = world_open(POSTGRES);
    int status = ss_store_open(world_server_url(), &other, &world_error);
    ck_assert_msg(status == SS_OK, "%s", world_error.message);
    ada = member_of(store, "ada");
    bob = member_of(other, "bob");
    renew(store, &ada);
    renew(other, &bob);
}

static void teardown(void)
{
    ss_store_close(&store);
    ss_store_close(&other);
    world_end();
}

// By somebody with a shell; the schema is the URL's.
static void say(const char *sql)
{
    char *url = ss_strdup(world_server_url());
    char *schema = strstr(url, "schema=");
    ck_assert_ptr_nonnull(schema);
    schema[-1] = '\0';
    schema += strlen("schema=");
    schema[strcspn(schema, "&")] = '\0';
    PGconn *conn = PQconnectdb(url);
    char *text = ss_format("SET search_path = %s; %s", schema, sql);
    PGresult *result = PQexec(conn, text);
    ck_assert_msg(PQresultStatus(result) == PGRES_COMMAND_OK, "%s: %s", sql,
        PQerrorMessage(conn));
    PQclear(result);
    PQfinish(conn);
    ss_free(text);
    ss_free(url);
}

static void end_lease_of(const char *name)
{
    char *sql = ss_format("UPDATE members SET lease_end = clock_timestamp() -"
                          " interval '1 ms' WHERE name = '%s'",
        name);
    say(sql);
    ss_free(sql);
}

static struct ss_shards shards_to(uint16_t end)
{
    struct ss_shards shards = {{0}};
    for (uint16_t i = 0; i < end; i++)
        ss_shards_add(&shards, i);
    return shards;
}

// How many shards `name` has ("": nobody).
static size_t has(const char *name)
{
    struct ss_cluster cluster;
    int status = ss_store_cluster_read(store, &cluster, &world_error);
    ck_assert_msg(status == SS_OK, "%s", world_error.message);
    uint16_t owner = *name ? ss_cluster_find(&cluster, name) : SS_NOBODY;
    struct ss_shards shards = ss_cluster_shards(&cluster, owner);
    bool is_there = !*name || owner != SS_NOBODY;
    ss_cluster_fini(&cluster);
    return is_there ? ss_shards_count(&shards) : 0;
}

static size_t claim(
    struct ss_store *it, const struct ss_member *member, uint16_t end)
{
    struct ss_shards wanted = shards_to(end), got = {{0}};
    int status = ss_store_shards_claim(it, member, &wanted, &got, &world_error);
    ck_assert_msg(status == SS_OK, "%s", world_error.message);
    return ss_shards_count(&got);
}

static int append_as(
    struct ss_store *it, const struct ss_member *member, uint64_t seq)
{
    struct ss_store_row row = row_of("t", seq, "row");
    struct ss_store_unit unit = {.thread = "t", .rows = &row, .rows_count = 1};
    struct ss_store_batch batch = {
        .epoch = member->epoch, .units = &unit, .units_count = 1};
    int status = ss_store_apply(it, &batch, &world_error);
    return status != SS_OK ? status : unit.result;
}

// --- leases -----------------------------------------------------------------

START_TEST(members_see_each_other)
{
    struct ss_cluster cluster;
    ck_assert(ss_store_is_shared(store));
    ck_assert_int_eq(
        ss_store_cluster_read(store, &cluster, &world_error), SS_OK);
    ck_assert_uint_eq(cluster.members_count, 2);
    ck_assert_str_eq(cluster.members[0].name, "ada");
    ck_assert_str_eq(cluster.members[1].endpoint, "tcp://bob:1");
    ck_assert_uint_eq(cluster.members[1].epoch, bob.epoch);
    ck_assert_int_gt(cluster.members[1].left_ms, 0);
    ck_assert_int_le(cluster.members[1].left_ms, LEASE_MS);
    ck_assert(!cluster.members[1].drains);
    ss_cluster_fini(&cluster);
    bob.drains = true;
    renew(other, &bob);
    ck_assert_int_eq(
        ss_store_cluster_read(store, &cluster, &world_error), SS_OK);
    ck_assert(cluster.members[1].drains);
    ss_cluster_fini(&cluster);
}
END_TEST

static int32_t format_seen(void)
{
    struct ss_cluster cluster;
    ck_assert_int_eq(
        ss_store_cluster_read(store, &cluster, &world_error), SS_OK);
    int32_t format = ss_cluster_row_format(&cluster);
    ss_cluster_fini(&cluster);
    return format;
}

START_TEST(members_tell_which_rows_they_read)
{
    ck_assert_int_eq(format_seen(), SS_ROW_FORMAT);
    bob.row_format = 1;
    renew(other, &bob);
    ck_assert_int_eq(format_seen(), 1);
    end_lease_of("bob"); // it may come back until it is taken over
    ck_assert_int_eq(format_seen(), 1);
    struct ss_shards got;
    ck_assert_int_eq(
        ss_store_shards_take(store, &ada, "bob", &got, &world_error), SS_OK);
    ck_assert_int_eq(format_seen(), SS_ROW_FORMAT);
    // a program of before names no column that it does not know
    say("INSERT INTO members (name, endpoint, epoch, lease_end, drains) VALUES"
        " ('eve', 'tcp://eve:1', 1, clock_timestamp() + interval '1 h',"
        " false)");
    ck_assert_int_eq(format_seen(), 1);
}
END_TEST

START_TEST(no_two_epochs_are_the_same_even_after_the_database_was_set_back)
{
    ck_assert_uint_ne(ada.epoch, bob.epoch);
    ck_assert_uint_gt(ada.epoch, UINT64_C(1700000000000000)); // 2023
    struct ss_member again = member_of(store, "ada");
    ck_assert_uint_gt(again.epoch, bob.epoch);
    say("DELETE FROM fences; UPDATE format SET epoch = 0");
    struct ss_member later = member_of(store, "ada");
    ck_assert_uint_gt(later.epoch, again.epoch);
    say("UPDATE format SET epoch = epoch + 3600000000"); // a clock set back
    struct ss_member last = member_of(store, "ada");
    ck_assert_uint_gt(last.epoch, later.epoch + UINT64_C(3600000000));
}
END_TEST

START_TEST(whose_fence_was_taken_renews_nothing)
{
    struct ss_member stale = ada;
    ada = member_of(other, "ada");
    ck_assert_int_eq(
        ss_store_lease_renew(store, &stale, LEASE_MS, &world_error),
        SS_EFENCED);
    ck_assert_ptr_nonnull(strstr(world_error.message, "ada"));
    renew(other, &ada);
}
END_TEST

START_TEST(who_leaves_leaves_its_shards_to_nobody)
{
    ck_assert_uint_eq(claim(store, &ada, 100), 100);
    ck_assert_int_eq(ss_store_lease_end(store, &ada, &world_error), SS_OK);
    ck_assert_uint_eq(has("ada"), 0);
    ck_assert_uint_eq(has(""), SS_SHARDS);
    ck_assert_uint_eq(claim(other, &bob, SS_SHARDS), SS_SHARDS);
}
END_TEST

START_TEST(in_a_database_that_was_set_back_nobody_is_a_member)
{
    struct ss_cluster cluster;
    struct ss_shards all = shards_to(SS_SHARDS), got = {{0}};
    say("UPDATE format SET generation = 'restored on Monday'");
    say("DO $$ BEGIN PERFORM pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend';"
        " END $$");
    int status = SS_EAGAIN; // the connection is lost first
    for (int i = 0; i < 10 && status == SS_EAGAIN; i++) {
        status = ss_store_lease_renew(store, &ada, LEASE_MS, &world_error);
    }
    ck_assert_int_eq(status, SS_EFENCED);
    ck_assert_ptr_nonnull(strstr(world_error.message, "Start again"));
    ck_assert_int_eq(
        ss_store_cluster_read(store, &cluster, &world_error), SS_EFENCED);
    ck_assert_int_eq(
        ss_store_shards_claim(store, &ada, &all, &got, &world_error),
        SS_EFENCED);
}
END_TEST

// --- shards -----------------------------------------------------------------

START_TEST(a_shard_is_claimed_once)
{
    ck_assert_uint_eq(has(""), SS_SHARDS);
    ck_assert_uint_eq(claim(store, &ada, 600), 600);
    ck_assert_uint_eq(claim(other, &bob, 700), 100);
    ck_assert_uint_eq(claim(store, &ada, 700), 0);
    ck_assert_uint_eq(has("ada"), 600);
    ck_assert_uint_eq(has("bob"), 100);
    ck_assert_uint_eq(has(""), SS_SHARDS - 700);
}
END_TEST

START_TEST(whose_lease_has_ended_gains_nothing)
{
    struct ss_shards wanted = shards_to(9), got = {{0}};
    ck_assert_uint_eq(claim(other, &bob, 9), 9);
    end_lease_of("ada");
    end_lease_of("bob");
    ck_assert_int_eq(
        ss_store_shards_claim(store, &ada, &wanted, &got, &world_error),
        SS_EAGAIN);
    ck_assert_int_eq(
        ss_store_shards_take(store, &ada, "bob", &got, &world_error),
        SS_EAGAIN);
    ck_assert_uint_eq(ss_shards_count(&got), 0);
    ck_assert_uint_eq(has("bob"), 9);
}
END_TEST

START_TEST(a_takeover_takes_all_and_breaks_the_fence)
{
    struct ss_shards got = {{0}};
    ck_assert_uint_eq(claim(store, &ada, 10), 10);
    ck_assert_uint_eq(claim(other, &bob, 500), 490);
    ck_assert_int_eq(append_as(other, &bob, 1), SS_OK);
    ck_assert_int_eq(
        ss_store_shards_take(store, &ada, "bob", &got, &world_error), SS_EBUSY);
    ck_assert_int_eq(append_as(other, &bob, 2), SS_OK);
    end_lease_of("bob");
    ck_assert_int_eq(
        ss_store_shards_take(store, &ada, "bob", &got, &world_error), SS_OK);
    ck_assert_uint_eq(ss_shards_count(&got), 490);
    ck_assert_uint_eq(has("ada"), 500);
    // The zombie can do nothing of what it could.
    struct ss_shards all = shards_to(SS_SHARDS);
    ck_assert_int_eq(append_as(other, &bob, 3), SS_EFENCED);
    ck_assert_int_eq(
        ss_store_lease_renew(other, &bob, LEASE_MS, &world_error), SS_EFENCED);
    ck_assert_int_eq(
        ss_store_shards_claim(other, &bob, &all, &got, &world_error),
        SS_EFENCED);
    ck_assert_int_eq(
        ss_store_shards_take(other, &bob, "ada", &got, &world_error),
        SS_EFENCED);
    ck_assert_int_eq(
        ss_store_shards_hand(other, &bob, &all, NULL, &world_error),
        SS_EFENCED);
    ck_assert_int_eq(ss_store_lease_end(other, &bob, &world_error), SS_EFENCED);
    ck_assert_str_eq(all_rows(store, "t"), "1:row 2:row");
    // It comes back as another, and is one like any.
    bob = member_of(other, "bob");
    renew(other, &bob);
    ck_assert_uint_eq(has("bob"), 0);
    ck_assert_uint_eq(claim(other, &bob, SS_SHARDS), SS_SHARDS - 500);
    ck_assert_int_eq(append_as(other, &bob, 3), SS_OK);
}
END_TEST

// The same name, another connection of its own.
static struct ss_member connection_of(
    struct ss_store **ret_store, const char *name, int actor)
{
    struct ss_member member = {.row_format = SS_ROW_FORMAT};
    int status = ss_store_open(world_server_url(), ret_store, &world_error);
    ck_assert_msg(status == SS_OK, "%s", world_error.message);
    ck_assert_int_eq(ss_store_fence_take(
                         *ret_store, name, actor, &member.epoch, &world_error),
        SS_OK);
    return member;
}

START_TEST(a_takeover_breaks_the_fences_of_all_connections)
{
    struct ss_shards got = {{0}};
    struct ss_store *second = NULL;
    struct ss_member bob_2 = connection_of(&second, "bob", 1);
    ck_assert_int_eq(append_as(second, &bob_2, 1), SS_OK);
    ck_assert_int_eq(append_as(other, &bob, 2), SS_OK);
    end_lease_of("bob");
    ck_assert_int_eq(
        ss_store_shards_take(store, &ada, "bob", &got, &world_error), SS_OK);
    ck_assert_int_eq(append_as(second, &bob_2, 3), SS_EFENCED);
    ck_assert_int_eq(append_as(other, &bob, 3), SS_EFENCED);
    ss_store_close(&second);
}
END_TEST

START_TEST(whoever_begins_anew_with_fewer_connections_breaks_them_all)
{
    struct ss_store *second = NULL;
    struct ss_member bob_2 = connection_of(&second, "bob", 1);
    ck_assert_int_eq(append_as(second, &bob_2, 1), SS_OK);
    ck_assert_int_eq(ss_store_fence_break(store, "bob", &world_error), SS_OK);
    struct ss_member again = member_of(store, "bob");
    ck_assert_int_eq(append_as(second, &bob_2, 2), SS_EFENCED);
    ck_assert_int_eq(append_as(store, &again, 2), SS_OK);
    ss_store_close(&second);
}
END_TEST

static uint64_t last_epoch(void)
{
    struct ss_cluster cluster;
    ck_assert_int_eq(
        ss_store_cluster_read(store, &cluster, &world_error), SS_OK);
    ss_cluster_fini(&cluster);
    return cluster.epoch;
}

START_TEST(each_change_of_owners_raises_the_epoch)
{
    struct ss_shards some = shards_to(10), got = {{0}};
    uint64_t before = last_epoch();
    ck_assert_uint_ge(before, bob.epoch);
    (void)claim(store, &ada, 10);
    ck_assert_uint_gt(last_epoch(), before);
    before = last_epoch();
    ck_assert_int_eq(
        ss_store_shards_hand(store, &ada, &some, "bob", &world_error), SS_OK);
    ck_assert_uint_gt(last_epoch(), before);
    before = last_epoch();
    renew(store, &ada);
    ck_assert_uint_eq(last_epoch(), before);
    end_lease_of("bob");
    ck_assert_int_eq(
        ss_store_shards_take(store, &ada, "bob", &got, &world_error), SS_OK);
    ck_assert_uint_gt(last_epoch(), before);
}
END_TEST

// What a coordinator gives its actor is written with its epoch.
START_TEST(an_actor_of_an_old_epoch_writes_nothing)
{
    struct ss_store_actor *actor = NULL;
    struct ss_store_row row = row_of("t", 1, "row");
    struct ss_store_unit unit = {.thread = "t", .rows = &row, .rows_count = 1};
    ss_store_actor_start_inline(other, &actor);
    other = NULL; // the actor's
    ss_store_actor_fence(actor, bob.epoch);
    for (int i = 0; i < 2; i++) {
        ss_store_actor_submit(actor, ss_job_apply(1, &unit));
        struct ss_job *job = ss_store_actor_take(actor);
        ck_assert_int_eq(job->status, i == 0 ? SS_OK : SS_EFENCED);
        ck_assert_msg(i == 0 || strstr(job->error.message,
                                    "fenced: another coordinator has taken"),
            "%s", job->error.message);
        ss_job_destroy(&job);
        ck_assert_int_eq(
            ss_store_fence_break(store, "bob", &world_error), SS_OK);
        row = row_of("t", 2, "row");
    }
    ss_store_actor_stop(&actor);
    ck_assert_str_eq(all_rows(store, "t"), "1:row");
}
END_TEST

START_TEST(a_hand_over_is_the_owners_word)
{
    struct ss_shards some = shards_to(300);
    ck_assert_uint_eq(claim(store, &ada, 200), 200);
    ck_assert_int_eq(
        ss_store_shards_hand(other, &bob, &some, "bob", &world_error), SS_OK);
    ck_assert_uint_eq(has("bob"), 0); // it has none of them to give
    some = shards_to(50);
    ck_assert_int_eq(
        ss_store_shards_hand(store, &ada, &some, "bob", &world_error), SS_OK);
    ck_assert_uint_eq(has("ada"), 150);
    ck_assert_uint_eq(has("bob"), 50);
    some = shards_to(100);
    ck_assert_int_eq(
        ss_store_shards_hand(store, &ada, &some, "eve", &world_error), SS_OK);
    ck_assert_uint_eq(has("ada"), 100);
    ck_assert_uint_eq(has("bob"), 50); // what is not ada's stays
    ck_assert_uint_eq(has(""), SS_SHARDS - 150);
    // eve is not a member: anybody can claim what was meant for her
    ck_assert_uint_eq(claim(other, &bob, SS_SHARDS), SS_SHARDS - 150);
}
END_TEST

START_TEST(what_is_handed_to_one_who_was_taken_over_is_nobodys)
{
    struct ss_shards some = shards_to(50), got = {{0}};
    ck_assert_uint_eq(claim(store, &ada, 200), 200);
    end_lease_of("bob");
    ck_assert_int_eq(
        ss_store_shards_take(store, &ada, "bob", &got, &world_error), SS_OK);
    ck_assert_int_eq(
        ss_store_shards_hand(store, &ada, &some, "bob", &world_error), SS_OK);
    ck_assert_uint_eq(has("ada"), 150);
    ck_assert_uint_eq(claim(store, &ada, 50), 50);
}
END_TEST

START_TEST(a_store_of_one_process_has_no_members)
{
    struct ss_store *memory = NULL;
    struct ss_cluster cluster;
    ck_assert_int_eq(ss_store_open("memory:", &memory, &world_error), SS_OK);
    ck_assert(!ss_store_is_shared(memory));
    ck_assert_int_eq(
        ss_store_lease_renew(memory, &ada, 1, &world_error), SS_EINVAL);
    ck_assert_int_eq(
        ss_store_cluster_read(memory, &cluster, &world_error), SS_EINVAL);
    ck_assert_ptr_nonnull(strstr(world_error.message, "one process"));
    ss_store_close(&memory);
}
END_TEST

START_TEST(the_local_runner_keeps_away_from_coordinators_at_work)
{
    struct ss_storage *local = NULL;
    uint64_t epoch = 0;
    ck_assert_int_eq(
        ss_storage_open(world_server_url(), &local, &world_error), SS_OK);
    ck_assert_int_eq(ss_storage_epoch(local, &epoch, &world_error), SS_EBUSY);
    ck_assert_ptr_nonnull(strstr(world_error.message, "2 coordinators"));
    end_lease_of("ada");
    ck_assert_int_eq(ss_store_lease_end(other, &bob, &world_error), SS_OK);
    ck_assert_int_eq(ss_storage_epoch(local, &epoch, &world_error), SS_OK);
    ck_assert_uint_gt(epoch, bob.epoch);
    ss_storage_close(&local);
}
END_TEST

// --- what an older program left ---------------------------------------------

START_TEST(an_older_schema_is_brought_up)
{
    ss_store_close(&store);
    ss_store_close(&other);
    say("DROP TABLE open_runs, members, shards, pauses;"
        " ALTER TABLE format DROP COLUMN epoch;"
        " ALTER TABLE runs DROP at_us, DROP status, DROP at_hash,"
        " DROP graph, DROP pairs, DROP marks_hash;"
        " ALTER TABLE threads DROP at_us, DROP status, DROP at_hash,"
        " DROP graph, DROP pairs, DROP marks_hash;"
        " UPDATE format SET number = 1;"
        " INSERT INTO runs VALUES"
        " ('r1', 't', 0, 1, convert_to('{\"status\":\"done\"}', 'UTF8')),"
        " ('r2', 't', 0, 2, convert_to('{\"status\":\"running\"}', 'UTF8'))");
    ck_assert_int_eq(
        ss_store_open(world_server_url(), &store, &world_error), SS_OK);
    ck_assert_str_eq(
        all_entries(store, SS_TABLE_OPEN), "r2={\"status\":\"running\"}");
    ck_assert_int_eq(
        ss_store_open(world_server_url(), &other, &world_error), SS_OK);
    ada = member_of(other, "ada");
    renew(other, &ada);
    ck_assert_uint_eq(claim(store, &ada, SS_SHARDS), SS_SHARDS);
}
END_TEST

START_TEST(members_at_work_are_found_in_a_schema_from_before)
{
    ss_store_close(&store);
    say("ALTER TABLE members DROP COLUMN row_format; DROP TABLE pauses;"
        " UPDATE format SET number = 2");
    ck_assert_int_eq(
        ss_store_open(world_server_url(), &store, &world_error), SS_OK);
    ck_assert_int_eq(format_seen(), 1); // ada and bob said nothing of it
    ck_assert_str_eq(all_entries(store, SS_TABLE_PAUSES), "");
    renew(other, &bob);
    ck_assert_int_eq(format_seen(), 1);
    renew(store, &ada);
    ck_assert_int_eq(format_seen(), SS_ROW_FORMAT);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("store_cluster");
    TCase *t = tcase_create("members");
    tcase_add_checked_fixture(t, setup, teardown);
    const TTest *const tests[] = {
        members_see_each_other,
        members_tell_which_rows_they_read,
        no_two_epochs_are_the_same_even_after_the_database_was_set_back,
        whose_fence_was_taken_renews_nothing,
        who_leaves_leaves_its_shards_to_nobody,
        in_a_database_that_was_set_back_nobody_is_a_member,
        a_shard_is_claimed_once,
        whose_lease_has_ended_gains_nothing,
        a_takeover_takes_all_and_breaks_the_fence,
        a_takeover_breaks_the_fences_of_all_connections,
        whoever_begins_anew_with_fewer_connections_breaks_them_all,
        each_change_of_owners_raises_the_epoch,
        an_actor_of_an_old_epoch_writes_nothing,
        a_hand_over_is_the_owners_word,
        what_is_handed_to_one_who_was_taken_over_is_nobodys,
        a_store_of_one_process_has_no_members,
        the_local_runner_keeps_away_from_coordinators_at_work,
        an_older_schema_is_brought_up,
        members_at_work_are_found_in_a_schema_from_before,
    };
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        tcase_add_test(t, tests[i]);
    }
    suite_add_tcase(s, t);
    return s;
}

int main(void)
{
    if (world_server_begin() < STORE_KINDS_WITH_POSTGRES) {
        return 77;
    }
    SRunner *runner = srunner_create(suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    world_server_end();
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
