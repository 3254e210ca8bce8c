// A server that says no, is gone, or whose answer is lost.
#include <stdio.h>
#include <stdlib.h>

#ifndef SS_HAVE_POSTGRES

int main(void)
{
    fprintf(stderr, "SKIPPED: built without libpq\n");
    return 77;
}

#else

#include <string.h>

#include "tests/contract/postgres_world.h"
#include "tests/support/postgres_proxy.h"

START_TEST(a_full_disk_loses_nothing)
{
    open_store(&pg.store);
    ck_assert_int_eq(append_row(pg.store, "t", 1, "one"), SS_OK);
    ask(pg.person,
        "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$"
        " BEGIN RAISE EXCEPTION 'could not extend file: No space left on"
        " device' USING ERRCODE = 'disk_full'; END $$;"
        "CREATE TRIGGER full_disk AFTER INSERT ON journal"
        " EXECUTE FUNCTION full_disk()");
    ck_assert_int_eq(append_row(pg.store, "t", 2, "two"), SS_EFULL);
    ck_assert_ptr_nonnull(strstr(world_error.message,
        "no room on the server's disk; nothing was lost, free some space"));
    ck_assert_str_eq(all_rows(pg.store, "t"), "1:one");
    ask(pg.person, "DROP TRIGGER full_disk ON journal");
    ck_assert_int_eq(append_row(pg.store, "t", 2, "two"), SS_OK);
}
END_TEST

START_TEST(a_table_that_is_gone_is_named_and_nothing_is_applied)
{
    open_store(&pg.store);
    ask(pg.person, "ALTER TABLE cache RENAME TO hidden");
    struct ss_store_row row = row_of("t", 1, "one");
    struct ss_store_put put = {
        .table = SS_TABLE_CACHE, .key = "k", .value = "v", .value_size = 1};
    struct ss_store_unit units[] = {
        {.thread = "t", .rows = &row, .rows_count = 1},
        {.puts = &put, .puts_count = 1},
    };
    struct ss_store_batch batch = {.units = units, .units_count = 2};
    ck_assert_int_eq(ss_store_apply(pg.store, &batch, &world_error), SS_EIO);
    ck_assert_ptr_nonnull(strstr(world_error.message, "cache\" does not"));
    ck_assert_str_eq(all_rows(pg.store, "t"), "");
    ask(pg.person, "ALTER TABLE hidden RENAME TO cache");
    ck_assert_int_eq(ss_store_apply(pg.store, &batch, &world_error), SS_OK);
}
END_TEST

START_TEST(a_session_that_is_cut_off_is_made_again)
{
    open_store(&pg.store);
    ck_assert_int_eq(append_row(pg.store, "t", 1, "one"), SS_OK);
    cut_all_stores();
    ck_assert_int_eq(append_row(pg.store, "t", 2, "two"), SS_EAGAIN);
    ck_assert_int_eq(append_row(pg.store, "t", 2, "two"), SS_OK);
    cut_all_stores();
    // A reader does not notice.
    ck_assert_str_eq(all_rows(pg.store, "t"), "1:one 2:two");
}
END_TEST

START_TEST(a_commit_whose_answer_is_lost_is_settled_by_the_same_rows)
{
    struct postgres_proxy *proxy =
        postgres_proxy_start(pg.server, world_path(""));
    snprintf(pg.url, sizeof(pg.url),
        "postgres://postgres@/postgres?host=%s&schema=%s&reconnect_ms=0",
        world_path(""), pg.schema);
    open_store(&pg.store);
    ck_assert_int_eq(append_row(pg.store, "t", 1, "one"), SS_OK);
    // Its session has prepared what a batch like the one below needs.
    ck_assert_int_eq(append_many(pg.store, 0, 2, 1), SS_OK);
    struct ss_store_put early = {.table = SS_TABLE_RUNS,
        .key = "early",
        .value = "v",
        .value_size = 1,
        .when = SS_WHEN_ABSENT};
    struct ss_store_unit first = {.puts = &early, .puts_count = 1};
    ck_assert_int_eq(apply_unit(pg.store, &first), SS_OK);
    struct ss_store_row rows[] = {row_of("t", 2, "two"), row_of("u", 1, "one")};
    struct ss_store_put put = {.table = SS_TABLE_RUNS,
        .key = "k",
        .value = "v",
        .value_size = 1,
        .when = SS_WHEN_ABSENT};
    struct ss_store_unit units[] = {
        {.thread = "t", .rows = &rows[0], .rows_count = 1},
        {.thread = "u", .rows = &rows[1], .rows_count = 1},
        {.puts = &put, .puts_count = 1},
    };
    struct ss_store_batch batch = {.units = units, .units_count = 3};
    postgres_proxy_lose_next(proxy);
    ck_assert_int_eq(ss_store_apply(pg.store, &batch, &world_error), SS_EAGAIN);
    ck_assert_ptr_nonnull(strstr(world_error.message, "connection is lost"));
    // It has arrived.
    ck_assert_str_eq(ask(pg.person, "SELECT count(*) FROM journal"), "5");
    ck_assert_int_eq(ss_store_apply(pg.store, &batch, &world_error), SS_OK);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(units[i].result, SS_OK);
    }
    ck_assert_str_eq(ask(pg.person, "SELECT count(*) FROM journal"), "5");
    ss_store_close(&pg.store);
    postgres_proxy_stop(&proxy);
}
END_TEST

// As a person would do it who moves the journal to another disk, say.
START_TEST(a_journal_that_was_made_anew_is_found_by_the_second_try)
{
    open_store(&pg.store);
    ck_assert_int_eq(append_row(pg.store, "t", 1, "one"), SS_OK);
    ask(pg.person,
        "CREATE TABLE another (LIKE journal INCLUDING ALL);"
        " INSERT INTO another SELECT * FROM journal; DROP VIEW checkpoints;"
        " DROP TABLE journal; ALTER TABLE another RENAME TO journal");
    ck_assert_int_eq(append_row(pg.store, "t", 2, "two"), SS_EAGAIN);
    ck_assert_int_eq(append_row(pg.store, "t", 2, "two"), SS_OK);
    ck_assert_str_eq(all_rows(pg.store, "t"), "1:one 2:two");
}
END_TEST

START_TEST(a_server_that_is_stopped_and_started_loses_nothing)
{
    struct postgres_server *own = postgres_server_start(false);
    ck_assert_ptr_nonnull(own);
    snprintf(
        pg.url, sizeof(pg.url), "%s&reconnect_ms=0", postgres_server_url(own));
    open_store(&pg.store);
    for (uint64_t seq = 1; seq <= 4; seq += 2) {
        ck_assert_int_eq(append_row(pg.store, "t", seq, "x"), SS_OK);
        if (seq == 1) {
            postgres_server_end(own);
        } else {
            postgres_server_kill(own);
        }
        ck_assert_int_eq(append_row(pg.store, "t", seq + 1, "x"), SS_EAGAIN);
        ck_assert_int_eq(append_row(pg.store, "t", seq + 1, "x"), SS_EAGAIN);
        ck_assert_ptr_nonnull(strstr(world_error.message, "cannot connect"));
        ck_assert(postgres_server_again(own));
        ck_assert_int_eq(append_row(pg.store, "t", seq + 1, "x"), SS_OK);
    }
    ck_assert_str_eq(all_rows(pg.store, "t"), "1:x 2:x 3:x 4:x");
    ss_store_close(&pg.store);
    postgres_server_stop(&own);
}
END_TEST

START_TEST(a_database_that_is_another_one_now_is_not_written_to)
{
    open_store(&pg.store);
    ck_assert_int_eq(append_row(pg.store, "t", 1, "one"), SS_OK);
    ask(pg.person, "UPDATE format SET generation = 'restored on Monday'");
    cut_all_stores();
    ck_assert_int_eq(append_row(pg.store, "t", 2, "two"), SS_EAGAIN);
    ck_assert_int_eq(append_row(pg.store, "t", 2, "two"), SS_EFENCED);
    ck_assert_int_eq(
        ss_store_get(pg.store, SS_TABLE_META, "k", NULL, NULL, &world_error),
        SS_EFENCED);
    ck_assert_ptr_nonnull(strstr(world_error.message, "Start again"));
    ss_store_close(&pg.store);
    open_store(&pg.store);
    ck_assert_int_eq(append_row(pg.store, "t", 2, "two"), SS_OK);
}
END_TEST

START_TEST(a_standby_that_was_promoted_is_another_database)
{
    struct postgres_server *own = postgres_server_start(false);
    ck_assert_ptr_nonnull(own);
    snprintf(
        pg.url, sizeof(pg.url), "%s&reconnect_ms=0", postgres_server_url(own));
    open_store(&pg.store);
    ck_assert_int_eq(append_row(pg.store, "t", 1, "one"), SS_OK);
    postgres_server_end(own);
    ck_assert(postgres_server_promoted(own));
    ck_assert_int_eq(append_row(pg.store, "t", 2, "two"), SS_EAGAIN);
    ck_assert_int_eq(append_row(pg.store, "t", 2, "two"), SS_EFENCED);
    ck_assert_int_eq(
        ss_store_get(pg.store, SS_TABLE_META, "k", NULL, NULL, &world_error),
        SS_EFENCED);
    ss_store_close(&pg.store);
    open_store(&pg.store);
    ck_assert_str_eq(all_rows(pg.store, "t"), "1:one");
    ss_store_close(&pg.store);
    postgres_server_stop(&own);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_full_disk_loses_nothing,
        a_table_that_is_gone_is_named_and_nothing_is_applied,
        a_session_that_is_cut_off_is_made_again,
        a_commit_whose_answer_is_lost_is_settled_by_the_same_rows,
        a_journal_that_was_made_anew_is_found_by_the_second_try,
        a_server_that_is_stopped_and_started_loses_nothing,
        a_database_that_is_another_one_now_is_not_written_to,
        a_standby_that_was_promoted_is_another_database,
    };
    return postgres_world_main(
        "store_outage", tests, sizeof(tests) / sizeof(tests[0]));
}

#endif
