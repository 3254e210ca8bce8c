// local_store_test.c - a local runner on PostgreSQL: a thread that was begun
// there goes on when the runner was opened again, on threads too.
#include <stdio.h>

#ifndef SS_HAVE_POSTGRES

int main(void)
{
    fprintf(stderr, "SKIPPED: built without libpq\n");
    return 77;
}

#else

#include <check.h>
#include <superstep/local.h>

#include "tests/suite.h"
#include "tests/support/postgres_server.h"

static struct postgres_server *server;

static int ask(struct ss_task *task)
{
    json_t *answer;
    int status = ss_interrupt(task, json_string("sure?"), &answer);
    if (status != 0)
        return status;
    return ss_update(task, json_pack("{s:[O]}", "log", answer));
}

static void asks(struct ss_graph_def *graph)
{
    ss_key(graph, "log", SS_LIST, .reducer = SS_ADD);
    ss_node(graph, "ask", ask);
    ss_edge(graph, SS_START, "ask");
}

static const struct ss_app_graph graphs[] = {{"asks", asks}, {NULL, NULL}};
static const struct ss_app app = {
    .abi = SS_ABI_VERSION, .size = sizeof(struct ss_app), .graphs = graphs};

// The output of a request of a runner that is there for it alone. Takes `body`.
static json_t *once(unsigned threads, const char *op, json_t *body)
{
    struct ss_local_options options = {
        .app = &app, .store = postgres_server_url(server), .threads = threads};
    struct ss_local *local;
    struct ss_local_error error;
    json_t *answer = NULL;
    int status = ss_local_open(&options, &local, &error);
    ck_assert_msg(status == 0, "%s", error.message);
    status = ss_local_ask(local, op, body, NULL, &answer, &error);
    ck_assert_msg(status == 0, "%s: %s", op, error.message);
    ss_local_close(&local);
    return answer;
}

static void expect(json_t *answer, const char *status)
{
    ck_assert_str_eq(
        json_string_value(json_object_get(answer, "status")), status);
    json_decref(answer);
}

static void goes_on(unsigned threads, const char *thread)
{
    expect(once(threads, "run",
               json_pack("{s:s, s:s, s:{s:[]}}", "graph", "asks", "thread",
                   thread, "input", "log")),
        "interrupted");
    json_t *answer = once(threads, "resume",
        json_pack("{s:s, s:s}", "thread", thread, "value", "yes"));
    const json_t *log =
        json_object_get(json_object_get(answer, "output"), "log");
    ck_assert_str_eq(json_string_value(json_array_get(log, 0)), "yes");
    expect(answer, "done");
}

START_TEST(a_thread_in_postgres_goes_on_in_the_next_process)
{
    goes_on(0, "t");
    goes_on(4, "u");
}
END_TEST

static void begin(void)
{
    server = postgres_server_start(false);
    ck_assert_ptr_nonnull(server);
}

static void end(void)
{
    postgres_server_stop(&server);
}

int main(void)
{
    if (postgres_server_missing()) {
        fprintf(stderr, "SKIPPED: %s\n", postgres_server_missing());
        return 77;
    }
    Suite *suite = suite_create("local_store");
    TCase *all = tcase_create("postgres");
    tcase_add_checked_fixture(all, begin, end);
    tcase_add_test(all, a_thread_in_postgres_goes_on_in_the_next_process);
    suite_add_tcase(suite, all);
    return suite_main(suite);
}

#endif
