// saver_test.c - rows of LangGraph's SQLite tables that no saver of LangGraph's
// writes: each is refused by table, row and column, and nothing crashes.
#include "client/saver/saver.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "client/saver/saver_impl.h"
#include "tests/suite.h"
#include "tests/unit/model/help.h"

#define ID "1f1e5fa9-df76-6f58-8001-000000000001"
// {"v": 4, "id": ID, "ts": ..., and empty maps}
#define RECORD                                                                 \
    "{\"v\":4,\"id\":\"" ID "\",\"ts\":\"2026-11-21T00:00:00+00:00\","         \
    "\"channel_values\":{},\"channel_versions\":{},\"versions_seen\":{}}"
#define CHECKPOINT(thread, id, type)                                           \
    "INSERT INTO checkpoints VALUES (" thread ", '', " id ", NULL, " type      \
    ", '" RECORD "', '{\"source\":\"loop\",\"step\":1}');"
#define WRITE(task, channel, type, value)                                      \
    "INSERT INTO writes VALUES ('t', '', '" ID "', " task ", '', 0, " channel  \
    ", " type ", " value ");"

static char folder[32];
static char *path;

static void make_folder(void)
{
    snprintf(folder, sizeof(folder), "/tmp/superstep-saver-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    path = ss_format("%s/langgraph.db", folder);
    struct ss_saver *saver = NULL;
    ck_assert_int_eq(ss_saver_open(path, true, &saver, NULL), SS_OK);
    ss_saver_close(&saver);
}

static void remove_folder(void)
{
    static const char *const ends[] = {"", "-wal", "-shm"};
    for (size_t i = 0; i < 3; i++) {
        char *file = ss_format("%s%s", path, ends[i]);
        unlink(file);
        ss_free(file);
    }
    rmdir(folder);
    ss_free(path);
}

static void run_sql(const char *sql)
{
    sqlite3 *db = NULL;
    ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        ck_abort_msg("%s", sqlite3_errmsg(db));
    sqlite3_close(db);
}

// What came last.
static json_t *last;

static int keep(void *ctx, json_t *saved, struct ss_error *error)
{
    (void)ctx;
    (void)error;
    json_decref(last);
    last = saved;
    return SS_OK;
}

static int read_thread(const char *thread, struct ss_error *error)
{
    struct ss_saver *saver = NULL;
    ck_assert_int_eq(ss_saver_open(path, false, &saver, error), SS_OK);
    int status = ss_saver_read(saver, thread, keep, NULL, error);
    ss_saver_close(&saver);
    return status;
}

// Put these rows in; thread t is refused, and the message holds `words`.
static void refuses(const char *rows, const char *words)
{
    struct ss_error error = {0};
    run_sql("DELETE FROM checkpoints; DELETE FROM writes;");
    run_sql(rows);
    ck_assert_int_ne(read_thread("t", &error), SS_OK);
    if (!strstr(error.message, words))
        ck_abort_msg("\"%s\" says nothing of \"%s\"", error.message, words);
}

START_TEST(a_row_that_no_saver_writes_is_refused_by_its_column)
{
    refuses(CHECKPOINT("'t'", "'" ID "'", "'json'")
                WRITE("'a'", "'x'", "CAST(x'ff' AS TEXT)", "x'c0'"),
        "table writes: task_id a, idx 0, channel x: column value: its type tag "
        "is missing, too long, or not UTF-8");
    refuses(CHECKPOINT("'t'", "'" ID "'", "'json'")
                WRITE("'a'", "'x'", "'msgpack'", "x'c0c0'"),
        "column value: msgpack: byte 1: bytes behind the document");
    refuses(CHECKPOINT("'t'", "'" ID "'", "'json'")
                WRITE("'a'", "CAST(x'ff' AS TEXT)", "'null'", "NULL"),
        "column value: a name that is not UTF-8");
    refuses(CHECKPOINT("'t'", "'" ID "'", "'json'")
                WRITE("'a'", "'x' || char(0) || 'y'", "'null'", "NULL"),
        "channel x: column channel: a name with a NUL in it");
    refuses(CHECKPOINT("'t'", "'" ID "' || char(0)", "'json'"),
        "table checkpoints: column checkpoint_id: a name with a NUL in it");
    refuses(CHECKPOINT("'t'", "CAST(x'ff' AS TEXT)", "'json'"),
        "one of its keys is not UTF-8");
    refuses(CHECKPOINT("'t'", "'" ID "'", "'msgpack'"), "column checkpoint: ");
    refuses(CHECKPOINT("'t'", "'" ID "'", "NULL"),
        "it is stored as \"\", which cannot be looked into");
}
END_TEST

START_TEST(a_row_of_other_types_than_it_should_have_is_read_as_text)
{
    struct ss_error error = {0};
    run_sql(CHECKPOINT("'t'", "'" ID "'",
        "'json'") "INSERT INTO writes VALUES ('t', '', '" ID "', 7, '', '3', 8,"
                  " 'null', NULL);");
    ck_assert_int_eq(read_thread("t", &error), SS_OK);
    expect_json(json_incref(json_object_get(last, "pending_writes")),
        "[{'task_id': '7', 'path': '', 'idx': 3, 'channel': '8',"
        " 'value': null}]");
    json_decref(last);
    last = NULL;
}
END_TEST

START_TEST(a_thread_whose_name_is_none_is_not_listed_as_another)
{
    struct ss_error error = {0};
    struct ss_saver *saver = NULL;
    json_t *threads = NULL;
    run_sql(CHECKPOINT("'t' || char(0) || 'u'", "'" ID "'", "'json'"));
    ck_assert_int_eq(ss_saver_open(path, false, &saver, &error), SS_OK);
    ck_assert_int_eq(ss_saver_threads(saver, &threads, &error), SS_EFORMAT);
    ck_assert_ptr_nonnull(strstr(error.message, "column thread_id"));
    ss_saver_close(&saver);
}
END_TEST

START_TEST(a_checkpoint_larger_than_any_request_is_refused_while_it_is_read)
{
    size_t weight = 0;
    struct ss_error error = {0};
    ck_assert_int_eq(
        ss_saver_weigh(&weight, SS_LANGGRAPH_SAVED_MAX, &error), SS_ELIMIT);
    ck_assert_uint_eq(weight, 0);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(
            ss_saver_weigh(&weight, SS_LANGGRAPH_VALUE_MAX, &error), SS_OK);
    ck_assert_int_eq(
        ss_saver_weigh(&weight, SS_LANGGRAPH_VALUE_MAX, &error), SS_ELIMIT);
    size_t rows = 0; // without any bytes
    while (ss_saver_weigh(&weight, 0, &error) == SS_OK)
        rows++;
    ck_assert_uint_gt(rows, 1000);
    ck_assert_uint_le(weight, SS_LANGGRAPH_SAVED_MAX);
    ck_assert_int_eq(ss_saver_weigh(&weight, SIZE_MAX, &error), SS_ELIMIT);
}
END_TEST

START_TEST(a_file_that_cannot_be_read_says_why)
{
    struct ss_saver *saver = NULL;
    struct ss_error error = {0};
    char *below = ss_format("%s/more.db", path);
    ck_assert_int_eq(ss_saver_open(below, false, &saver, &error), SS_ENOTFOUND);
    ck_assert_ptr_nonnull(strstr(error.message, "Not a directory"));
    ck_assert_ptr_null(saver);
    ss_free(below);
}
END_TEST

static void expect_closed(const char *where, bool to_write, const char *says)
{
    struct ss_saver *saver = NULL;
    struct ss_error error = {0};
    ck_assert_int_ne(ss_saver_open(where, to_write, &saver, &error), SS_OK);
    ck_assert_msg(strstr(error.message, says) != NULL, "%s", error.message);
}

START_TEST(a_database_may_be_named_as_other_programs_name_it)
{
    struct ss_saver *saver = NULL;
    struct ss_error error = {0};
    static const char *const schemes[] = {
        "", "sqlite:", "sqlite://", "sqlite:///"};
    for (size_t i = 0; i < sizeof(schemes) / sizeof(*schemes); i++) {
        char *where = ss_format("%s%s", schemes[i], path);
        ck_assert_int_eq(ss_saver_open(where, true, &saver, &error), SS_OK);
        ss_saver_close(&saver);
        ss_free(where);
    }
    expect_closed("postgresql+psycopg://ada@db/agents", false,
        "neither postgres://USER@HOST/DATABASE nor a file");
    expect_closed("/tmp", false, "/tmp is a folder");
    expect_closed("/tmp", true, "/tmp is a folder");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_row_that_no_saver_writes_is_refused_by_its_column,
        a_row_of_other_types_than_it_should_have_is_read_as_text,
        a_thread_whose_name_is_none_is_not_listed_as_another,
        a_checkpoint_larger_than_any_request_is_refused_while_it_is_read,
        a_file_that_cannot_be_read_says_why,
        a_database_may_be_named_as_other_programs_name_it};
    Suite *suite = suite_create("saver");
    TCase *tcase = tcase_create("saver");
    tcase_add_unchecked_fixture(tcase, ss_value_setup, NULL);
    tcase_add_checked_fixture(tcase, make_folder, remove_folder);
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
