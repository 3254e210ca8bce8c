// New rows lie in a table of their own until many of them move to their threads
// (sqlite_fresh.c): a thread is one list all the while.
#include <check.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "coordinator/store/store_sqlite.h"
#include "tests/contract/sqlite_world.h"
#include "tests/contract/store_world.h"
#include "tests/suite.h"

// Where rows lie, by thread and number; and what an older program goes by.
#define LIE_IN(table)                                                          \
    "SELECT coalesce((SELECT group_concat(thread || seq, ' ') FROM (SELECT"    \
    " thread, seq FROM " table " ORDER BY thread, seq)), '')"
#define VERSION "SELECT user_version FROM pragma_user_version"

enum { CROWD = 4 }; // threads of a batch that is large enough

static const char *const names[CROWD] = {"a", "b", "c", "d"};

static struct ss_sqlite_store *sqlite_of(struct ss_store *it)
{
    return (struct ss_sqlite_store *)it;
}

// One row more of each of the threads, in one batch.
static int crowd_append(struct ss_store *to, uint64_t seq, const char *body)
{
    struct ss_store_row rows[CROWD];
    struct ss_store_unit units[CROWD] = {{0}};
    for (size_t i = 0; i < CROWD; i++) {
        rows[i] = row_of(names[i], seq, body);
        units[i] = (struct ss_store_unit){
            .thread = names[i], .rows = &rows[i], .rows_count = 1};
    }
    struct ss_store_batch batch = {.units = units, .units_count = CROWD};
    int status = ss_store_apply(to, &batch, &world_error);
    for (size_t i = 0; i < CROWD && status == SS_OK; i++) {
        status = units[i].result;
    }
    return status;
}

// Row 1 and 4 of `a` in its place, 2 and 3 where new ones lie.
static char *open_with_both(const char *name)
{
    char *path = ss_strdup(world_path(name));
    open_file(path);
    for (size_t i = 0; i < CROWD; i++) {
        ck_assert_int_eq(append_row(store, names[i], 1, "one"), SS_OK);
    }
    ck_assert_int_eq(crowd_append(store, 2, "two"), SS_OK);
    ck_assert_int_eq(crowd_append(store, 3, "three"), SS_OK);
    ck_assert_int_eq(append_row(store, "a", 4, "four"), SS_OK);
    ck_assert_str_eq(look(path, LIE_IN("journal")), "a1 a4 b1 c1 d1");
    ck_assert_str_eq(look(path, LIE_IN("fresh")), "a2 a3 b2 b3 c2 c3 d2 d3");
    return path;
}

START_TEST(rows_in_both_places_are_read_in_order)
{
    char *path = open_with_both("order.db");
    struct ss_store *reader = NULL;
    ck_assert_str_eq(all_rows(store, "a"), "1:one 2:two 3:three 4:four");
    ck_assert_str_eq(rows_text(store, "a", 2, 3), "2:two 3:three");
    ck_assert_str_eq(rows_text(store, "a", 3, 9), "3:three 4:four");
    ck_assert_str_eq(all_rows(store, "d"), "1:one 2:two 3:three");
    ck_assert_int_eq(ss_store_open_reader(path, &reader, &world_error), SS_OK);
    ck_assert_str_eq(all_rows(reader, "a"), "1:one 2:two 3:three 4:four");
    ss_store_close(&reader);
    ss_free(path);
}
END_TEST

START_TEST(a_thread_ends_with_its_last_row_in_either_place)
{
    ss_free(open_with_both("ends.db"));
    ss_sqlite_heads_forget(sqlite_of(store));
    ck_assert_int_eq(append_row(store, "b", 5, "gap"), SS_EREFUSED);
    ck_assert_int_eq(append_row(store, "b", 3, "other"), SS_EREFUSED);
    ck_assert_int_eq(append_row(store, "b", 3, "three"), SS_OK); // once more
    ck_assert_int_eq(append_row(store, "a", 4, "four"), SS_OK);
    ck_assert_int_eq(append_row(store, "b", 4, "four"), SS_OK);
    ck_assert_str_eq(all_rows(store, "b"), "1:one 2:two 3:three 4:four");
}
END_TEST

START_TEST(a_file_that_was_closed_has_all_rows_in_their_place)
{
    char *path = open_with_both("closed.db");
    ck_assert_str_eq(look(path, VERSION), "7"); // an older program refuses it
    ss_store_close(&store);
    ck_assert_str_eq(look(path, VERSION), "6");
    ck_assert_str_eq(look(path, LIE_IN("fresh")), "");
    ck_assert_str_eq(look(path, LIE_IN("journal")),
        "a1 a2 a3 a4 b1 b2 b3 c1 c2 c3 d1 d2 d3");
    open_file(path);
    ck_assert_str_eq(all_rows(store, "a"), "1:one 2:two 3:three 4:four");
    ss_free(path);
}
END_TEST

// A child that writes and is killed: in the middle of moving, or before.
static void kill_a_writer(const char *path, bool is_moving)
{
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        struct ss_store *theirs = NULL;
        if (ss_store_open(path, &theirs, NULL) != SS_OK ||
            crowd_append(theirs, 1, "one") != SS_OK ||
            crowd_append(theirs, 2, "two") != SS_OK) {
            _exit(1);
        }
        if (is_moving &&
            (ss_sqlite_simple(sqlite_of(theirs), SS_SQL_BEGIN, "", NULL) !=
                    SS_OK ||
                ss_sqlite_fresh_move(sqlite_of(theirs), NULL) != SS_OK)) {
            _exit(1);
        }
        (void)kill(getpid(), SIGKILL);
    }
    int how = 0;
    ck_assert_int_eq(waitpid(child, &how, 0), child);
    ck_assert(WIFSIGNALED(how));
}

START_TEST(a_process_that_is_killed_before_rows_move_loses_none)
{
    for (int is_moving = 0; is_moving < 2; is_moving++) {
        char *path =
            ss_strdup(world_path(is_moving ? "moving.db" : "killed.db"));
        kill_a_writer(path, is_moving);
        ck_assert_str_eq(
            look(path, LIE_IN("fresh")), "a1 a2 b1 b2 c1 c2 d1 d2");
        ck_assert_str_eq(look(path, VERSION), "7");
        open_file(path);
        ck_assert_str_eq(
            look(path, LIE_IN("journal")), "a1 a2 b1 b2 c1 c2 d1 d2");
        ck_assert_str_eq(look(path, LIE_IN("fresh")), "");
        ck_assert_str_eq(look(path, VERSION), "6");
        ck_assert_str_eq(all_rows(store, "d"), "1:one 2:two");
        ck_assert_int_eq(crowd_append(store, 3, "three"), SS_OK);
        ck_assert_str_eq(all_rows(store, "d"), "1:one 2:two 3:three");
        ss_store_close(&store);
        ss_free(path);
    }
}
END_TEST

START_TEST(what_is_deleted_goes_from_both_places)
{
    char *path = open_with_both("deleted.db");
    struct ss_store_unit prune = {.thread = "a", .delete_to = 2};
    struct ss_store_unit gone = {.thread = "b", .delete_thread = true};
    ck_assert_int_eq(apply_unit(store, &prune), SS_OK);
    ck_assert_int_eq(apply_unit(store, &gone), SS_OK);
    ck_assert_str_eq(all_rows(store, "a"), "3:three 4:four");
    ck_assert_str_eq(all_rows(store, "b"), "");
    ck_assert_int_eq(append_row(store, "b", 1, "again"), SS_OK);
    ss_store_close(&store);
    ck_assert_str_eq(
        look(path, LIE_IN("journal")), "a3 a4 b1 c1 c2 c3 d1 d2 d3");
    open_file(path);
    ck_assert_str_eq(all_rows(store, "b"), "1:again");
    ss_free(path);
}
END_TEST

// Up to its last row, which lies in the other place, leaves none to go on from.
START_TEST(the_last_row_is_not_pruned)
{
    ss_free(open_with_both("last.db"));
    struct ss_store_unit all = {.thread = "b", .delete_to = 3};
    ck_assert_int_eq(apply_unit(store, &all), SS_EREFUSED);
    ck_assert_str_eq(all_rows(store, "b"), "1:one 2:two 3:three");
}
END_TEST

START_TEST(many_rows_move_with_the_next_batch)
{
    char *path = ss_strdup(world_path("many.db"));
    open_file(path);
    sqlite_of(store)->fresh.size_max = 3000;
    uint64_t seq = 0;
    size_t moved = 0;
    while (moved < 3 && seq < 100) {
        ck_assert_int_eq(crowd_append(store, ++seq, "row"), SS_OK);
        if (seq > 1 &&
            strcmp(look(path, "SELECT count(*) FROM fresh"), "4") == 0) {
            moved++;
        }
    }
    ck_assert_uint_eq(moved, 3);
    char *last = ss_format("%d:row %d:row", (int)seq - 1, (int)seq);
    ck_assert_str_eq(rows_text(store, "c", seq - 1, UINT64_MAX), last);
    ss_store_close(&store);
    char *all = ss_format("%d", (int)seq * CROWD);
    ck_assert_str_eq(look(path, "SELECT count(*) FROM journal"), all);
    ss_free(all);
    ss_free(last);
    ss_free(path);
}
END_TEST

// The batch that would have moved them comes to nothing.
START_TEST(rows_that_did_not_move_are_deleted_where_they_lie)
{
    char *path = open_with_both("undone.db");
    sqlite_of(store)->fresh.size_max = 1;
    run_sql(path, "ALTER TABLE cache RENAME TO hidden");
    struct ss_store_put put = {
        .table = SS_TABLE_CACHE, .key = "k", .value = "v", .value_size = 1};
    ck_assert_int_eq(put_entry(store, &put), SS_EIO);
    ck_assert_str_eq(look(path, LIE_IN("fresh")), "a2 a3 b2 b3 c2 c3 d2 d3");
    sqlite_of(store)->fresh.size_max = SIZE_MAX; // it moves none
    run_sql(path, "ALTER TABLE hidden RENAME TO cache");
    struct ss_store_unit gone = {.thread = "a", .delete_thread = true};
    ck_assert_int_eq(apply_unit(store, &gone), SS_OK);
    ck_assert_str_eq(all_rows(store, "a"), "");
    ss_free(path);
}
END_TEST

START_TEST(large_rows_and_small_batches_go_to_their_place_at_once)
{
    char *path = ss_strdup(world_path("large.db"));
    char body[3000];
    memset(body, 'b', sizeof(body));
    body[sizeof(body) - 1] = '\0';
    open_file(path);
    ck_assert_int_eq(crowd_append(store, 1, body), SS_OK);
    ck_assert_int_eq(append_row(store, "a", 2, "two"), SS_OK);
    ck_assert_str_eq(look(path, LIE_IN("journal")), "a1 a2 b1 c1 d1");
    ck_assert_str_eq(look(path, VERSION), "6");
    ss_free(path);
}
END_TEST

START_TEST(people_see_checkpoints_in_both_places)
{
    const char *path = world_path("view.db");
    open_file(path);
    // Each row of the thread in the one place, then each in the other, so that
    // parents and runs are looked for in both.
    for (int turn = 0; turn < 2; turn++) {
        sqlite_of(store)->fresh.units = turn ? 1 : SIZE_MAX;
        append_for_view(store);
        for (int i = 0; i < VIEW_ROWS; i++) {
            char *sql = ss_format(view_sql, i + 1);
            ck_assert_str_eq(look(path, sql), view_told[i]);
            ss_free(sql);
        }
        run_sql(path, "INSERT INTO fresh SELECT NULL, * FROM journal WHERE seq"
                      " % 2; DELETE FROM journal WHERE seq % 2");
        for (int i = 0; i < VIEW_ROWS; i++) {
            char *sql = ss_format(view_sql, i + 1);
            ck_assert_str_eq(look(path, sql), view_told[i]);
            ss_free(sql);
        }
        struct ss_store_unit gone = {.thread = "t", .delete_thread = true};
        sqlite_of(store)->fresh.size = 1;
        ck_assert_int_eq(apply_unit(store, &gone), SS_OK);
    }
}
END_TEST

// A range of a thread is two ranges of indexes: nothing is sorted or scanned.
START_TEST(a_read_goes_by_the_indexes_of_both)
{
    char *path = open_with_both("plan.db");
    struct ss_sqlite_store *it = sqlite_of(store);
    all_rows(store, "a");
    for (int i = 0; i < 2; i++) {
        sqlite3_stmt *read = it->statements[i ? SS_SQL_ROWS_READ : SS_SQL_HEAD];
        ss_sqlite_heads_forget(it);
        ck_assert_int_eq(append_row(store, "a", 4, "four"), SS_OK);
        ck_assert_ptr_nonnull(read);
        ck_assert_int_eq(
            sqlite3_stmt_status(read, SQLITE_STMTSTATUS_SORT, 0), 0);
        ck_assert_int_eq(
            sqlite3_stmt_status(read, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0), 0);
    }
    ss_free(path);
}
END_TEST

START_TEST(a_file_without_the_place_gets_it)
{
    char *path = ss_strdup(world_path("older.db"));
    open_file(path);
    ck_assert_int_eq(append_row(store, "a", 1, "one"), SS_OK);
    ss_store_close(&store);
    run_sql(path, "DROP VIEW checkpoints; DROP TABLE fresh; CREATE VIEW"
                  " checkpoints AS SELECT thread FROM journal");
    ck_assert_str_eq(look(path, VERSION), "6");
    open_file(path);
    ck_assert_int_eq(append_row(store, "a", 2, "two"), SS_OK);
    ck_assert_int_eq(crowd_append(store, 3, "three"), SS_EREFUSED);
    ck_assert_str_eq(all_rows(store, "a"), "1:one 2:two 3:three");
    ck_assert_str_eq(look(path, LIE_IN("fresh")), "a3");
    ck_assert_str_eq(look(path, "SELECT count(*) FROM checkpoints"), "0");
    ss_free(path);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("store_sqlite_fresh");
    TCase *t = tcase_create("fresh");
    tcase_add_checked_fixture(t, sqlite_set_up, sqlite_tear_down);
    tcase_add_test(t, rows_in_both_places_are_read_in_order);
    tcase_add_test(t, a_thread_ends_with_its_last_row_in_either_place);
    tcase_add_test(t, a_file_that_was_closed_has_all_rows_in_their_place);
    tcase_add_test(t, a_process_that_is_killed_before_rows_move_loses_none);
    tcase_add_test(t, what_is_deleted_goes_from_both_places);
    tcase_add_test(t, the_last_row_is_not_pruned);
    tcase_add_test(t, many_rows_move_with_the_next_batch);
    tcase_add_test(t, rows_that_did_not_move_are_deleted_where_they_lie);
    tcase_add_test(t, large_rows_and_small_batches_go_to_their_place_at_once);
    tcase_add_test(t, people_see_checkpoints_in_both_places);
    tcase_add_test(t, a_read_goes_by_the_indexes_of_both);
    tcase_add_test(t, a_file_without_the_place_gets_it);
    suite_add_tcase(s, t);
    return s;
}

int main(void)
{
    return suite_main(suite());
}
