#include "tests/contract/sqlite_world.h"

#include <check.h>
#include <sqlite3.h>
#include <stdio.h>

#include "common/base/mem.h"
#include "tests/contract/store_world.h"

struct ss_store *store;

void sqlite_set_up(void)
{
    world_begin();
}

void sqlite_tear_down(void)
{
    ss_store_close(&store);
    world_end();
}

void open_file(const char *url)
{
    int status = ss_store_open(url, &store, &world_error);
    ck_assert_msg(status == SS_OK, "%s", world_error.message);
}

void refuse_to_open(const char *path, int status, const char *message)
{
    struct ss_store *none = NULL;
    ck_assert_int_eq(ss_store_open(path, &none, &world_error), status);
    ck_assert_ptr_null(none);
    ck_assert_int_eq(world_error.status, status);
    char *expected = ss_format(message, path);
    ck_assert_str_eq(world_error.message, expected);
    ss_free(expected);
}

void run_sql(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
    char *message = NULL;
    int code = sqlite3_exec(db, sql, NULL, NULL, &message);
    ck_assert_msg(code == SQLITE_OK, "%s", message);
    sqlite3_close(db);
}

void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

const char *look(const char *path, const char *sql)
{
    static char told[512];
    sqlite3 *db = NULL;
    sqlite3_stmt *rows = NULL;
    ck_assert_int_eq(
        sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    int code = sqlite3_prepare_v2(db, sql, -1, &rows, NULL);
    ck_assert_msg(code == SQLITE_OK, "%s", sqlite3_errmsg(db));
    ck_assert_int_eq(sqlite3_step(rows), SQLITE_ROW);
    snprintf(
        told, sizeof(told), "%s", (const char *)sqlite3_column_text(rows, 0));
    ck_assert_int_eq(sqlite3_step(rows), SQLITE_DONE);
    sqlite3_finalize(rows);
    sqlite3_close(db);
    return told;
}
