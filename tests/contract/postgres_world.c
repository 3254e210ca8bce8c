#include "tests/contract/store_world.h"

#ifdef SS_HAVE_POSTGRES

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "tests/contract/postgres_world.h"

struct postgres_world pg;

char *ask(PGconn *conn, const char *sql)
{
    static char answer[512];
    PGresult *result = PQexec(conn, sql);
    ExecStatusType how = PQresultStatus(result);
    ck_assert_msg(how == PGRES_TUPLES_OK || how == PGRES_COMMAND_OK, "%s: %s",
        sql, PQerrorMessage(conn));
    snprintf(answer, sizeof(answer), "%s",
        PQntuples(result) > 0 ? PQgetvalue(result, 0, 0) : "");
    PQclear(result);
    return answer;
}

PGconn *connect_person(void)
{
    PGconn *conn = PQconnectdb(postgres_server_url(pg.server));
    ck_assert_msg(PQstatus(conn) == CONNECTION_OK, "%s", PQerrorMessage(conn));
    char *sql = ss_format("SET client_min_messages = warning;"
                          " SET search_path = %s",
        pg.schema);
    ask(conn, sql);
    ss_free(sql);
    return conn;
}

void open_store(struct ss_store **ret_store)
{
    int status = ss_store_open(pg.url, ret_store, &world_error);
    ck_assert_msg(status == SS_OK, "%s", world_error.message);
}

void cut_all_stores(void)
{
    ask(pg.person,
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
        " WHERE application_name = 'superstep'");
    while (strcmp(ask(pg.person, "SELECT count(*) FROM pg_stat_activity WHERE"
                                 " application_name = 'superstep'"),
               "0") != 0) {
    }
}

int append_as(struct ss_store *store, uint64_t epoch, uint64_t seq)
{
    struct ss_store_row row = row_of("t", seq, "row");
    struct ss_store_unit unit = {.thread = "t", .rows = &row, .rows_count = 1};
    struct ss_store_batch batch = {
        .epoch = epoch, .units = &unit, .units_count = 1};
    int status = ss_store_apply(store, &batch, &world_error);
    return status != SS_OK ? status : unit.result;
}

int append_many(
    struct ss_store *store, uint64_t epoch, size_t count, uint64_t turn)
{
    enum { COUNT_MAX = 40 };
    char names[COUNT_MAX][32];
    struct ss_store_row rows[COUNT_MAX];
    struct ss_store_unit units[COUNT_MAX];
    ck_assert_uint_le(count, COUNT_MAX);
    for (size_t i = 0; i < count; i++) {
        snprintf(names[i], sizeof(names[i]), "%zu-%zu", count, i);
        rows[i] = (struct ss_store_row){.thread = names[i],
            .seq = turn,
            .kind = 2,
            .format = 1,
            .run = "run",
            .ns = i % 2 ? "inside" : "",
            .checkpoint_id = "id",
            .parent_id = "parent",
            .parent_seq = UINT32_MAX + UINT64_C(7),
            .base_seq = 8,
            .source = "loop",
            .step = -2,
            .wall_us = INT64_MIN + 9,
            .metadata = i % 3 ? "{}" : NULL,
            .checksum = UINT64_MAX - 10,
            .body = "b\0dy",
            .body_size = i % 5};
        units[i] = (struct ss_store_unit){
            .thread = names[i], .rows = &rows[i], .rows_count = 1};
    }
    struct ss_store_batch batch = {
        .epoch = epoch, .units = units, .units_count = count};
    int status = ss_store_apply(store, &batch, &world_error);
    for (size_t i = 0; i < count && status == SS_OK; i++)
        status = units[i].result;
    return status;
}
static void setup(void)
{
    world_begin();
    static unsigned count; // tests that are not forked have one process
    snprintf(
        pg.schema, sizeof(pg.schema), "test_%ld_%u", (long)getpid(), ++count);
    snprintf(pg.url, sizeof(pg.url), "%s&schema=%s&reconnect_ms=0",
        postgres_server_url(pg.server), pg.schema);
    pg.person = connect_person();
}

static void teardown(void)
{
    ss_store_close(&pg.store);
    ss_store_close(&pg.other);
    PQfinish(pg.person);
    world_end();
}

int postgres_world_main(
    const char *name, const TTest *const *tests, size_t tests_count)
{
    const char *missing = postgres_server_missing();
    if (missing) {
        fprintf(stderr, "SKIPPED: %s\n", missing);
        return 77;
    }
    pg.server = postgres_server_start(false);
    if (!pg.server) {
        return EXIT_FAILURE; // it has said why
    }
    Suite *suite = suite_create(name);
    TCase *tcase = tcase_create(name);
    tcase_add_checked_fixture(tcase, setup, teardown);
    for (size_t i = 0; i < tests_count; i++) {
        tcase_add_test(tcase, tests[i]);
    }
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    postgres_server_stop(&pg.server);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
