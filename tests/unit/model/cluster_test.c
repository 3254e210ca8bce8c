// Sets of shards, and their owners.
#include "common/model/cluster.h"

#include <check.h>
#include <stdio.h>

#include "common/model/journal.h"
#include "tests/suite.h"

START_TEST(a_threads_shard_never_changes)
{
    // It is in databases: who changes these numbers loses threads.
    ck_assert_uint_eq(ss_shard_of(""), 194);
    ck_assert_uint_eq(ss_shard_of("t1"), ss_shard_of("t1"));
    bool hit[SS_SHARDS] = {false};
    size_t count = 0;
    for (int i = 0; i < 100 * SS_SHARDS; i++) {
        char thread[16];
        snprintf(thread, sizeof(thread), "thread-%d", i);
        uint16_t shard = ss_shard_of(thread);
        count += !hit[shard];
        hit[shard] = true;
    }
    ck_assert_uint_eq(count, SS_SHARDS);
}
END_TEST

START_TEST(sets_are_joined_and_left)
{
    struct ss_shards some = {{0}}, all = {{0}};
    ck_assert_uint_eq(ss_shards_count(&some), 0);
    ss_shards_add(&some, 0);
    ss_shards_add(&some, 63);
    ss_shards_add(&some, 64);
    ss_shards_add(&some, SS_SHARDS - 1);
    ck_assert_uint_eq(ss_shards_count(&some), 4);
    ck_assert(ss_shards_have(&some, 64));
    ck_assert(!ss_shards_have(&some, 65));
    ss_shards_fill(&all);
    ck_assert_uint_eq(ss_shards_count(&all), SS_SHARDS);
    ss_shards_leave(&all, &some);
    ck_assert(!ss_shards_have(&all, 64));
    ck_assert_uint_eq(ss_shards_count(&all), SS_SHARDS - 4);
    ss_shards_join(&all, &some);
    ck_assert_uint_eq(ss_shards_count(&all), SS_SHARDS);
}
END_TEST

START_TEST(owners_are_found_by_name)
{
    struct ss_member members[] = {{.name = "ada"}, {.name = "bob"}};
    struct ss_cluster cluster = {.members = members, .members_count = 2};
    for (uint16_t i = 0; i < SS_SHARDS; i++)
        cluster.owners[i] = i < 10 ? 1 : SS_NOBODY;
    ck_assert_uint_eq(ss_cluster_find(&cluster, "bob"), 1);
    ck_assert_uint_eq(ss_cluster_find(&cluster, "eve"), SS_NOBODY);
    struct ss_shards his = ss_cluster_shards(&cluster, 1);
    ck_assert_uint_eq(ss_shards_count(&his), 10);
    his = ss_cluster_shards(&cluster, SS_NOBODY);
    ck_assert_uint_eq(ss_shards_count(&his), SS_SHARDS - 10);
}
END_TEST

START_TEST(rows_are_written_for_the_oldest_member)
{
    struct ss_member members[] = {{.name = "ada", .row_format = SS_ROW_FORMAT},
        {.name = "bob", .row_format = 1},
        {.name = "eve", .row_format = SS_ROW_FORMAT + 1}};
    struct ss_cluster cluster = {.members = members};
    ck_assert_int_eq(ss_cluster_row_format(&cluster), 1); // who comes yet?
    cluster.members_count = 1;
    ck_assert_int_eq(ss_cluster_row_format(&cluster), SS_ROW_FORMAT);
    cluster.members_count = 3;
    ck_assert_int_eq(ss_cluster_row_format(&cluster), 1);
    members[1].left_ms = -1; // until it is taken over it may come back
    ck_assert_int_eq(ss_cluster_row_format(&cluster), 1);
    members[1].row_format = SS_ROW_FORMAT;
    ck_assert_int_eq(ss_cluster_row_format(&cluster), SS_ROW_FORMAT);
    members[1].row_format = 0;
    ck_assert_int_eq(ss_cluster_row_format(&cluster), 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cluster");
    TCase *tcase = tcase_create("cluster");
    tcase_add_test(tcase, a_threads_shard_never_changes);
    tcase_add_test(tcase, sets_are_joined_and_left);
    tcase_add_test(tcase, owners_are_found_by_name);
    tcase_add_test(tcase, rows_are_written_for_the_oldest_member);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
