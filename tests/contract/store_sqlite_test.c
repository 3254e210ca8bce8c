// What only a store in a file can meet: other files, other owners, no room.
#include "coordinator/store/store.h"

#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "coordinator/store/job_run.h"
#include "coordinator/store/store_sqlite.h"
#include "tests/contract/sqlite_world.h"
#include "tests/contract/store_world.h"
#include "tests/suite.h"

// --- is it still there ------------------------------------------------------

static void expect_gone(const char *name)
{
    ck_assert_int_eq(append_row(store, "t", 2, "two"), SS_EIO);
    char *told = ss_format("store: %s was removed or replaced while", name);
    ck_assert_msg(strstr(world_error.message, told), "%s", world_error.message);
    ss_free(told);
}

START_TEST(a_file_that_is_removed_under_it_takes_no_more)
{
    const char *const more[] = {"", "-wal"};
    for (size_t i = 0; i < 2; i++) {
        char *path = ss_strdup(world_path(i ? "two.db" : "one.db"));
        char *file = ss_format("%s%s", path, more[i]);
        open_file(path);
        ck_assert_int_eq(append_row(store, "t", 1, "one"), SS_OK);
        ck_assert_int_eq(unlink(file), 0);
        expect_gone(file);
        ss_store_close(&store);
        ss_free(file);
        ss_free(path);
    }
}
END_TEST

START_TEST(a_log_whose_database_is_not_there_is_not_thrown_away)
{
    char *path = ss_strdup(world_path("moved.db"));
    char *away = ss_format("%s-away", path);
    char *url = ss_format("sqlite:%s", path);
    open_file(path);
    ck_assert_int_eq(append_row(store, "t", 1, "one"), SS_OK);
    ck_assert_int_eq(rename(path, away), 0);
    ss_store_close(&store);
    ck_assert_int_eq(ss_store_open(url, &store, &world_error), SS_EIO);
    ck_assert_ptr_nonnull(strstr(
        world_error.message, "moved.db-wal is, with what was written last"));
    ck_assert_int_eq(rename(away, path), 0);
    open_file(path);
    ck_assert_str_eq(all_rows(store, "t"), "1:one");
    ss_free(url);
    ss_free(away);
    ss_free(path);
}
END_TEST

START_TEST(a_file_that_is_replaced_under_it_takes_no_more)
{
    char *path = ss_strdup(world_path("three.db"));
    char *other = ss_format("%s-other", path);
    open_file(path);
    ck_assert_int_eq(append_row(store, "t", 1, "one"), SS_OK);
    write_file(other, "");
    ck_assert_int_eq(rename(other, path), 0);
    expect_gone(path);
    ss_free(other);
    ss_free(path);
}
END_TEST

// --- where does a thread end ------------------------------------------------

static int heads_asked(void)
{
    struct ss_sqlite_store *it = (struct ss_sqlite_store *)store;
    sqlite3_stmt *asks = it->statements[SS_SQL_HEAD];
    return asks ? sqlite3_stmt_status(asks, SQLITE_STMTSTATUS_RUN, 0) : 0;
}

// Each unit of a run asked for it, and the store had just written it.
START_TEST(the_end_of_a_thread_is_asked_for_once)
{
    open_file(world_path("heads.db"));
    for (uint64_t seq = 1; seq <= 5; seq++) {
        ck_assert_int_eq(append_row(store, "t", seq, "row"), SS_OK);
    }
    ck_assert_int_eq(heads_asked(), 1);
    ck_assert_int_eq(append_row(store, "t", 7, "row"), SS_EREFUSED);
    ck_assert_int_eq(append_row(store, "t", 5, "row"), SS_OK); // once more
    ck_assert_int_eq(append_row(store, "t", 6, "row"), SS_OK);
    ck_assert_int_eq(heads_asked(), 3);
    struct ss_store_unit gone = {.thread = "t", .delete_thread = true};
    ck_assert_int_eq(apply_unit(store, &gone), SS_OK);
    ck_assert_int_eq(append_row(store, "t", 7, "row"), SS_EREFUSED);
    ck_assert_int_eq(append_row(store, "t", 1, "row"), SS_OK);
    ck_assert_str_eq(all_rows(store, "t"), "1:row");
}
END_TEST

// A row of each of them, in a few batches.
static void append_to_all(size_t count, uint64_t seq)
{
    enum { BATCH = 250 };
    struct ss_store_row rows[BATCH];
    struct ss_store_unit units[BATCH];
    char names[BATCH][24];
    for (size_t at = 0; at < count; at += BATCH) {
        struct ss_store_batch batch = {.units = units, .units_count = BATCH};
        for (size_t i = 0; i < BATCH; i++) {
            snprintf(names[i], sizeof(names[i]), "thread %zu", at + i);
            rows[i] = row_of(names[i], seq, "row");
            units[i] = (struct ss_store_unit){
                .thread = names[i], .rows = &rows[i], .rows_count = 1};
        }
        ck_assert_int_eq(ss_store_apply(store, &batch, &world_error), SS_OK);
        for (size_t i = 0; i < BATCH; i++) {
            ck_assert_int_eq(units[i].result, SS_OK);
        }
    }
}

// They took each other's places: of 256 every fifth row was looked for, of
// 1,000 every second one.
START_TEST(the_ends_of_a_thousand_threads_at_once_are_known)
{
    enum { THREADS = 1000, ROWS = 5 };
    open_file(world_path("crowd.db"));
    append_to_all(THREADS, 1);
    int asked = heads_asked();
    ck_assert_int_le(asked, THREADS);
    for (uint64_t seq = 2; seq <= ROWS; seq++) {
        append_to_all(THREADS, seq);
    }
    ck_assert_int_lt(heads_asked() - asked, (ROWS - 1) * THREADS / 10);
}
END_TEST

START_TEST(rows_that_somebody_changes_beside_it_count)
{
    char *path = ss_strdup(world_path("beside.db"));
    open_file(path);
    for (uint64_t seq = 1; seq <= 3; seq++) {
        ck_assert_int_eq(append_row(store, "t", seq, "row"), SS_OK);
    }
    run_sql(path, "DELETE FROM journal WHERE seq = 3");
    ck_assert_int_eq(append_row(store, "t", 4, "row"), SS_EREFUSED);
    ck_assert_int_eq(append_row(store, "t", 3, "row"), SS_OK);
    ck_assert_int_eq(append_row(store, "t", 4, "row"), SS_OK);
    ss_free(path);
}
END_TEST

// --- whose file is it -------------------------------------------------------

START_TEST(a_bare_name_is_a_file)
{
    const char *path = world_path("bare.db");
    open_file(path);
    ck_assert_int_eq(append_row(store, "t", 1, "one"), SS_OK);
    ck_assert_int_eq(access(path, F_OK), 0);
    char *name = ss_format("sqlite %s", path);
    ck_assert_str_eq(ss_store_name(store), name);
    ss_free(name);
}
END_TEST

START_TEST(the_name_of_a_kind_alone_is_no_file)
{
    static const char *const names[] = {
        "memory", ":memory:", "sqlite", "postgres", "postgresql"};
    static const char *const meant[] = {"memory:", "memory:", "sqlite:FILE",
        "postgres://USER@HOST/DATABASE", "postgres://USER@HOST/DATABASE"};
    for (size_t i = 0; i < 5; i++) {
        char *told = ss_format("store: \"%s\" is not a file here but the name"
                               " of a kind of store. Write %s; a file of that"
                               " name is sqlite:%s",
            names[i], meant[i], names[i]);
        refuse_to_open(names[i], SS_EINVAL, told);
        ck_assert_int_ne(access(names[i], F_OK), 0);
        ss_free(told);
    }
}
END_TEST

// As other programs' URLs are, it would be a file of the root folder.
START_TEST(a_relative_name_behind_two_slashes_is_told_what_it_would_be)
{
    refuse_to_open("sqlite://relative.db", SS_EINVAL,
        "store: sqlite://relative.db would be the file /relative.db. For one"
        " in this folder write sqlite:relative.db, else sqlite:/relative.db");
    ck_assert_int_ne(access("/relative.db", F_OK), 0);
}
END_TEST

START_TEST(a_folder_that_is_not_there_is_to_be_made)
{
    refuse_to_open("nowhere/a.db", SS_EIO,
        "store: cannot open nowhere/a.db-lock: No such file or directory"
        ": its folder is to be made first");
}
END_TEST

START_TEST(what_is_no_database_is_refused)
{
    const char *path = world_path("notes.txt");
    write_file(path,
        "Dear diary, today I was opened as a database, and it was"
        " nothing like what I had hoped for when I was a young file.\n");
    refuse_to_open(path, SS_ECORRUPT,
        "store: %s: open: file is not a database"
        ": the file is damaged, or no database; restore a backup, or use"
        " another file");
}
END_TEST

START_TEST(a_database_of_another_program_is_left_alone)
{
    const char *path = world_path("other.db");
    run_sql(path, "CREATE TABLE cats (name)");
    refuse_to_open(path, SS_EINVAL,
        "store: %s is a database of another program. Use another file");
    run_sql(path, "INSERT INTO cats VALUES ('Tom')");
}
END_TEST

START_TEST(lists_are_read_beside_the_one_who_writes)
{
    const char *path = world_path("beside.db");
    struct ss_store *reader = NULL;
    open_file(path);
    ck_assert_int_eq(ss_store_open_reader(path, &reader, &world_error), SS_OK);
    ck_assert_int_eq(append_row(store, "t", 1, "one"), SS_OK);
    ck_assert_str_eq(all_rows(reader, "t"), "1:one");
    // Somebody who reads for long holds nobody up.
    sqlite3 *person = NULL;
    ck_assert_int_eq(sqlite3_open(path, &person), SQLITE_OK);
    ck_assert_int_eq(
        sqlite3_exec(person, "BEGIN; SELECT * FROM journal", NULL, NULL, NULL),
        SQLITE_OK);
    ck_assert_int_eq(append_row(store, "t", 2, "two"), SS_OK);
    ck_assert_str_eq(all_rows(reader, "t"), "1:one 2:two");
    sqlite3_close(person);
    // And it writes nothing.
    ck_assert_int_ne(append_row(reader, "t", 3, "three"), SS_OK);
    ss_store_close(&reader);
}
END_TEST

START_TEST(an_empty_file_becomes_a_store)
{
    const char *path = world_path("empty.db");
    write_file(path, "");
    open_file(path);
    ck_assert_int_eq(append_row(store, "t", 1, "one"), SS_OK);
}
END_TEST

START_TEST(options_are_checked)
{
    static const char *const wrong[] = {
        "sqlite:x?pages_max=", "sqlite:x?pages_max=0", "sqlite:x?pages_max=-1",
        "sqlite:x?pages_max=9x", "sqlite:x?pages_max=99999999999",
        "sqlite:x?pages=1", "sqlite:?pages_max=1"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        ck_assert_int_eq(
            ss_store_open(wrong[i], &store, &world_error), SS_EINVAL);
    }
}
END_TEST

// --- who has it -------------------------------------------------------------

START_TEST(a_second_owner_is_told_who_has_it)
{
    const char *path = world_path("busy.db");
    open_file(path);
    char *message = ss_format("store: %%s is in use by process %ld. Stop it"
                              " first, or use another file",
        (long)getpid());
    refuse_to_open(path, SS_EBUSY, message);
    ss_free(message);
    ck_assert_int_eq(append_row(store, "t", 1, "one"), SS_OK);
    ss_store_close(&store);
    open_file(path);
    ck_assert_str_eq(all_rows(store, "t"), "1:one");
}
END_TEST

// A child that opens the file and then dies without closing it.
static pid_t owner_start(const char *path, int *ret_ready)
{
    int ready[2];
    ck_assert_int_eq(pipe(ready), 0);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        struct ss_store *theirs = NULL;
        (void)close(ready[0]);
        if (ss_store_open(path, &theirs, NULL) != SS_OK ||
            append_row(theirs, "t", 1, "theirs") != SS_OK ||
            write(ready[1], "r", 1) != 1) {
            _exit(1);
        }
        for (;;) {
            (void)pause();
        }
    }
    (void)close(ready[1]);
    *ret_ready = ready[0];
    return child;
}

START_TEST(the_file_of_a_killed_process_is_free_and_whole)
{
    const char *path = world_path("killed.db");
    int ready = -1;
    pid_t owner = owner_start(path, &ready);
    char byte = 0;
    ck_assert_int_eq(read(ready, &byte, 1), 1);
    char *message = ss_format("store: %%s is in use by process %ld. Stop it"
                              " first, or use another file",
        (long)owner);
    refuse_to_open(path, SS_EBUSY, message);
    ss_free(message);
    ck_assert_int_eq(kill(owner, SIGKILL), 0);
    int how = 0;
    ck_assert_int_eq(waitpid(owner, &how, 0), owner);
    ck_assert(WIFSIGNALED(how));
    open_file(path);
    ck_assert_str_eq(all_rows(store, "t"), "1:theirs");
    (void)close(ready);
}
END_TEST

START_TEST(people_may_look_while_it_is_in_use)
{
    const char *path = world_path("look.db");
    open_file(path);
    struct ss_store_row row = row_of("t", 1, "body");
    row.checkpoint_id = "c1";
    row.wall_us = INT64_C(1700000000000042);
    row.metadata = "{}";
    struct ss_store_unit unit = {.thread = "t", .rows = &row, .rows_count = 1};
    ck_assert_int_eq(apply_unit(store, &unit), SS_OK);
    ck_assert_int_eq(append_row(store, "t", 2, "no checkpoint"), SS_OK);
    ck_assert_str_eq(
        look(path, "SELECT thread || ' ' || checkpoint_id || ' ' || created ||"
                   " ' ' || size FROM checkpoints"),
        "t c1 2023-11-14T22:13:20.000042Z 4");
}
END_TEST

START_TEST(people_see_what_bodies_tell)
{
    const char *path = world_path("told.db");
    open_file(path);
    append_for_view(store);
    for (int i = 0; i < VIEW_ROWS; i++) {
        char *sql = ss_format(view_sql, i + 1);
        ck_assert_str_eq(look(path, sql), view_told[i]);
        ss_free(sql);
    }
}
END_TEST

// --- where nobody may write -------------------------------------------------

// Root may write everywhere, so these tests go on as nobody.
static void become_nobody(void)
{
    if (geteuid() == 0) {
        ck_assert_int_eq(seteuid(65534), 0);
    }
}

static void become_again(void)
{
    if (geteuid() != getuid()) {
        ck_assert_int_eq(seteuid(getuid()), 0);
    }
}

START_TEST(a_folder_without_write_access_is_named)
{
    char *folder = ss_strdup(world_path(""));
    ck_assert_int_eq(chmod(folder, 0555), 0);
    become_nobody();
    const char *path = world_path("ro.db");
    struct ss_store *none = NULL;
    int status = ss_store_open(path, &none, &world_error);
    become_again();
    ck_assert_int_eq(chmod(folder, 0755), 0);
    ss_free(folder);
    ck_assert_int_eq(status, SS_EIO);
    char *expected =
        ss_format("store: cannot open %s-lock: Permission denied", path);
    ck_assert_str_eq(world_error.message, expected);
    ss_free(expected);
}
END_TEST

START_TEST(a_file_without_write_access_is_named)
{
    char *folder = ss_strdup(world_path(""));
    const char *path = world_path("ro.db");
    open_file(path);
    ss_store_close(&store);
    ck_assert_int_eq(chmod(folder, 0777), 0);
    char *lock = ss_format("%s-lock", path);
    ck_assert_int_eq(unlink(lock), 0);
    ck_assert_int_eq(chmod(path, 0444), 0);
    become_nobody();
    struct ss_store *none = NULL;
    int status = ss_store_open(path, &none, &world_error);
    become_again();
    ss_free(lock);
    ss_free(folder);
    ck_assert_int_eq(status, SS_EIO);
    ck_assert_ptr_nonnull(strstr(world_error.message, "may not be written"));
}
END_TEST

START_TEST(a_folder_that_is_not_there_is_named)
{
    char *path = ss_format("%s/nowhere/x.db", world_path(""));
    ck_assert_int_eq(ss_store_open(path, &store, &world_error), SS_EIO);
    ck_assert_ptr_nonnull(
        strstr(world_error.message, "No such file or directory"));
    ss_free(path);
}
END_TEST

START_TEST(a_folder_is_no_file)
{
    char *path = ss_format("%s/folder.db", world_path(""));
    ck_assert_int_eq(mkdir(path, 0755), 0);
    ck_assert_int_eq(ss_store_open(path, &store, &world_error), SS_EIO);
    ck_assert_ptr_nonnull(
        strstr(world_error.message, "is a folder, and a database is a file"));
    ck_assert_int_eq(rmdir(path), 0);
    ss_free(path);
}
END_TEST

// --- no room ----------------------------------------------------------------

START_TEST(a_full_disk_loses_nothing)
{
    char *url = ss_format("sqlite:%s?pages_max=48", world_path("full.db"));
    open_file(url);
    char body[3000];
    memset(body, 'b', sizeof(body));
    body[sizeof(body) - 1] = '\0';
    uint64_t seq = 0;
    int status = SS_OK;
    while (status == SS_OK && seq < 1000) {
        status = append_row(store, "t", ++seq, body);
    }
    ck_assert_int_eq(status, SS_EFULL);
    ck_assert_ptr_nonnull(strstr(world_error.message,
        "no room on the disk; nothing was lost, free some space"));
    ck_assert_uint_gt(seq, 5);
    // Nothing of it stands, and all that stood before does.
    ck_assert_str_eq(rows_text(store, "t", seq, seq), "");
    ck_assert_uint_eq(strlen(rows_text(store, "t", seq - 1, seq - 1)),
        strlen(body) + (seq - 1 > 9 ? 3 : 2));
    ss_store_close(&store);
    // With room it goes on where it was.
    open_file(world_path("full.db"));
    ck_assert_int_eq(append_row(store, "t", seq, body), SS_OK);
    ss_free(url);
}
END_TEST

START_TEST(a_batch_that_does_not_fit_leaves_no_part_of_it)
{
    char *url = ss_format("sqlite:%s?pages_max=48", world_path("batch.db"));
    open_file(url);
    enum { SIZE = 400000 };
    char *body = ss_alloc(SIZE);
    memset(body, 'b', SIZE);
    struct ss_store_row rows[] = {row_of("t", 1, "small"), row_of("u", 1, "")};
    rows[1].body = body;
    rows[1].body_size = SIZE;
    struct ss_store_unit units[] = {
        {.thread = "t", .rows = &rows[0], .rows_count = 1},
        {.thread = "u", .rows = &rows[1], .rows_count = 1},
    };
    struct ss_store_batch batch = {.units = units, .units_count = 2};
    ck_assert_int_eq(ss_store_apply(store, &batch, &world_error), SS_EFULL);
    ck_assert_str_eq(all_rows(store, "t"), "");
    ck_assert_str_eq(all_rows(store, "u"), "");
    ck_assert_int_eq(append_row(store, "t", 1, "small"), SS_OK);
    ss_free(body);
    ss_free(url);
}
END_TEST

// --- what fails in the middle -----------------------------------------------

START_TEST(a_failure_in_the_middle_of_a_batch_leaves_nothing_of_it)
{
    const char *path = world_path("middle.db");
    open_file(path);
    run_sql(path, "ALTER TABLE cache RENAME TO hidden");
    struct ss_store_row row = row_of("t", 1, "one");
    struct ss_store_put put = {
        .table = SS_TABLE_CACHE, .key = "k", .value = "v", .value_size = 1};
    struct ss_store_unit units[] = {
        {.thread = "t", .rows = &row, .rows_count = 1},
        {.puts = &put, .puts_count = 1},
    };
    struct ss_store_batch batch = {.units = units, .units_count = 2};
    ck_assert_int_eq(ss_store_apply(store, &batch, &world_error), SS_EIO);
    ck_assert_str_eq(all_rows(store, "t"), "");
    run_sql(path, "ALTER TABLE hidden RENAME TO cache");
    ck_assert_int_eq(ss_store_apply(store, &batch, &world_error), SS_OK);
    ck_assert_str_eq(all_rows(store, "t"), "1:one");
    ck_assert_str_eq(all_entries(store, SS_TABLE_CACHE), "k=v");
}
END_TEST

// --- damage -----------------------------------------------------------------

START_TEST(a_damaged_page_is_found_when_it_is_read)
{
    const char *path = world_path("damaged.db");
    open_file(path);
    char body[2000];
    memset(body, 'b', sizeof(body));
    body[sizeof(body) - 1] = '\0';
    for (uint64_t seq = 1; seq <= 200; seq++) {
        ck_assert_int_eq(append_row(store, "t", seq, body), SS_OK);
    }
    ss_store_close(&store);
    int fd = open(path, O_RDWR);
    struct stat is;
    ck_assert_int_eq(fstat(fd, &is), 0);
    // All pages behind the schema.
    memset(body, 0xa5, sizeof(body));
    for (off_t at = 40 * 4096; at < is.st_size; at += (off_t)sizeof(body)) {
        ck_assert_int_eq(pwrite(fd, body, sizeof(body), at), sizeof(body));
    }
    (void)close(fd);
    open_file(path);
    struct ss_store_row row = row_of("t", 201, "one");
    struct ss_store_unit unit = {.thread = "t", .rows = &row, .rows_count = 1};
    ck_assert_int_eq(apply_unit(store, &unit), SS_ECORRUPT);
    ck_assert_ptr_nonnull(strstr(world_error.message, "restore a backup"));
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("store_sqlite");
    TCase *t = tcase_create("file");
    tcase_add_checked_fixture(t, sqlite_set_up, sqlite_tear_down);
    tcase_add_test(t, a_file_that_is_removed_under_it_takes_no_more);
    tcase_add_test(t, a_log_whose_database_is_not_there_is_not_thrown_away);
    tcase_add_test(t, a_file_that_is_replaced_under_it_takes_no_more);
    tcase_add_test(t, the_end_of_a_thread_is_asked_for_once);
    tcase_add_test(t, the_ends_of_a_thousand_threads_at_once_are_known);
    tcase_add_test(t, rows_that_somebody_changes_beside_it_count);
    tcase_add_test(t, a_bare_name_is_a_file);
    tcase_add_test(t, the_name_of_a_kind_alone_is_no_file);
    tcase_add_test(
        t, a_relative_name_behind_two_slashes_is_told_what_it_would_be);
    tcase_add_test(t, a_folder_that_is_not_there_is_to_be_made);
    tcase_add_test(t, what_is_no_database_is_refused);
    tcase_add_test(t, a_database_of_another_program_is_left_alone);
    tcase_add_test(t, lists_are_read_beside_the_one_who_writes);
    tcase_add_test(t, an_empty_file_becomes_a_store);
    tcase_add_test(t, options_are_checked);
    tcase_add_test(t, a_second_owner_is_told_who_has_it);
    tcase_add_test(t, the_file_of_a_killed_process_is_free_and_whole);
    tcase_add_test(t, people_may_look_while_it_is_in_use);
    tcase_add_test(t, people_see_what_bodies_tell);
    tcase_add_test(t, a_folder_without_write_access_is_named);
    tcase_add_test(t, a_file_without_write_access_is_named);
    tcase_add_test(t, a_folder_that_is_not_there_is_named);
    tcase_add_test(t, a_folder_is_no_file);
    tcase_add_test(t, a_full_disk_loses_nothing);
    tcase_add_test(t, a_batch_that_does_not_fit_leaves_no_part_of_it);
    tcase_add_test(t, a_failure_in_the_middle_of_a_batch_leaves_nothing_of_it);
    tcase_add_test(t, a_damaged_page_is_found_when_it_is_read);
    suite_add_tcase(s, t);
    return s;
}

int main(void)
{
    return suite_main(suite());
}
