// Why a run does not go on: what the command finds out for people.
#include <check.h>

#include "client/cli/idle.h"
#include "common/base/mem.h"
#include "tests/suite.h"
#include "tests/unit/client/scripted_client.h"

static char *idle_after(struct ss_idle *idle, int64_t now_ms)
{
    char *why = ss_idle_look(idle, now_ms);
    pump();
    return why ? why : ss_idle_look(idle, now_ms);
}

START_TEST(a_run_that_no_worker_serves_is_told_of_once)
{
    PLAY({.op = "workers",
        .final = "{\"workers\":[{\"graphs\":"
                 "[\"digester@1\",\"other\"]}]}"});
    struct ss_idle idle;
    ss_idle_init(&idle, client, "digest", 1000);
    ck_assert_ptr_null(idle_after(&idle, 3999));
    ck_assert_str_eq(ss_buf_str(&was_asked), "");
    char *why = idle_after(&idle, 4000);
    ck_assert_str_eq(why, "no worker serves graph \"digest\": its tasks wait. "
                          "Start one: superstep-worker --app APP.so");
    ss_free(why);
    ck_assert_ptr_null(idle_after(&idle, 9000));
    // Something happened, and it waits again.
    ss_idle_reset(&idle, 9000);
    ck_assert_ptr_null(idle_after(&idle, 9001));
    why = idle_after(&idle, 12000);
    ck_assert_ptr_nonnull(why);
    ss_free(why);
    ss_idle_fini(&idle);
}
END_TEST

START_TEST(a_run_whose_version_no_worker_serves_is_told_of)
{
    PLAY({.op = "explain",
        .final = "{\"explain\":{\"run\":\"r\",\"graph\":\"digest\","
                 "\"version\":\"5f0c1e7a99\",\"graph_known\":true,"
                 "\"waits\":[{\"why\":\"running\"},"
                 "{\"why\":\"no_worker\"}]}}"});
    struct ss_idle idle;
    ss_idle_init(&idle, client, NULL, 0);
    idle.run = "r";
    char *why = idle_after(&idle, 5000);
    ck_assert_str_eq(why,
        "no worker serves version 5f0c1e7a of graph \"digest\": its tasks "
        "wait. Start one: superstep-worker --app APP.so; or move the run to "
        "another version: superstep migrate r");
    ss_free(why);
    ck_assert_str_eq(ss_buf_str(&was_asked), "explain {\"run\":\"r\"}\n");
    ss_idle_fini(&idle);
    json_t *busy = json_of("{\"graph_known\":true,\"waits\":"
                           "[{\"why\":\"workers_busy\"}]}");
    ck_assert_ptr_null(ss_idle_explained(busy));
    json_decref(busy);
}
END_TEST

static void expect_explained(const char *waits, const char *wanted)
{
    char *text = ss_format("{\"graph_known\":true,\"waits\":[%s]}", waits);
    json_t *explained = json_of(text);
    char *why = ss_idle_explained(explained);
    ck_assert_str_eq(why, wanted);
    ss_free(why);
    json_decref(explained);
    ss_free(text);
}

START_TEST(a_run_that_waits_for_a_label_a_limit_or_a_next_try_is_told_of)
{
    expect_explained("{\"why\":\"running\"},{\"why\":\"no_label\",\"node\":"
                     "\"paint\",\"labels\":\"gpu\"}",
        "node \"paint\" waits: no worker offers gpu. Start one with --label");
    expect_explained(
        "{\"why\":\"limit\",\"node\":\"ask\",\"limit\":\"openai\"}",
        "node \"ask\" waits for the limit openai");
    expect_explained("{\"why\":\"backoff\",\"node\":\"fetch\",\"failures\":2,"
                     "\"error\":\"busy\",\"in_ms\":2600}",
        "node \"fetch\" failed 2 times, last: busy; next try in 2.6 s");
}
END_TEST

START_TEST(a_run_that_is_served_just_takes_its_time)
{
    PLAY({.op = "workers",
        .final = "{\"workers\":[{\"graphs\":[]},"
                 "{\"graphs\":[\"digest@5f0c\"]}]}"});
    struct ss_idle idle;
    ss_idle_init(&idle, client, "digest", 0);
    ck_assert_ptr_null(idle_after(&idle, 5000));
    ck_assert_str_eq(ss_buf_str(&was_asked), "workers {}\n");
    ck_assert_ptr_null(idle_after(&idle, 50000));
    ck_assert_str_eq(ss_buf_str(&was_asked), "workers {}\n");
    ss_idle_fini(&idle);
    ss_idle_init(&idle, client, NULL, 0);
    ck_assert_ptr_null(idle_after(&idle, 5000));
    ss_idle_fini(&idle);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("idle");
    TCase *tcase = tcase_create("idle");
    tcase_set_timeout(tcase, 600);
    tcase_add_checked_fixture(tcase, client_setup, client_teardown);
    tcase_add_test(tcase, a_run_that_no_worker_serves_is_told_of_once);
    tcase_add_test(tcase, a_run_whose_version_no_worker_serves_is_told_of);
    tcase_add_test(
        tcase, a_run_that_waits_for_a_label_a_limit_or_a_next_try_is_told_of);
    tcase_add_test(tcase, a_run_that_is_served_just_takes_its_time);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
