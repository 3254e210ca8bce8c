// host_test.c - bodies on threads: capacity, cancellation, what they report.
#include <check.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/value.h"
#include "tests/suite.h"
#include "worker/host.h"
#include "worker/limits.h"

enum { FLOOD_MS = 60000 }; // it is over long before, also on a busy machine

// A gate that bodies wait at, and a count of those that came to it.
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t moved = PTHREAD_COND_INITIALIZER;
static int waiting;
static int most_waiting;
static bool is_open;

static int wait_at_gate(struct ss_task *task)
{
    pthread_mutex_lock(&mutex);
    if (++waiting > most_waiting)
        most_waiting = waiting;
    pthread_cond_broadcast(&moved);
    while (!is_open)
        pthread_cond_wait(&moved, &mutex);
    waiting--;
    pthread_mutex_unlock(&mutex);
    return ss_update(task, json_pack("{s:s}", "k", ss_task_id(task)));
}

static void wait_for_waiting(int count)
{
    pthread_mutex_lock(&mutex);
    while (waiting < count)
        pthread_cond_wait(&moved, &mutex);
    pthread_mutex_unlock(&mutex);
}

static void open_gate(void)
{
    pthread_mutex_lock(&mutex);
    is_open = true;
    pthread_cond_broadcast(&moved);
    pthread_mutex_unlock(&mutex);
}

static int until_told(struct ss_task *task)
{
    while (ss_heartbeat(task))
        continue;
    return SS_FAILED;
}

static int flood(struct ss_task *task)
{
    for (int i = 0; i < 3 * SS_HOST_ITEMS_MAX; i++)
        ss_emit(task, json_integer(i));
    return ss_update(
        task, json_pack("{s:b}", "k", ss_deadline_ms(task) <= FLOOD_MS));
}

static void define(struct ss_graph_def *graph)
{
    ss_key(graph, "k", SS_ANY);
    ss_node(graph, "gate", wait_at_gate);
    ss_node(graph, "told", until_told);
    ss_node(graph, "flood", flood);
    ss_edge(graph, SS_START, "gate");
    ss_edge(graph, SS_START, "told");
    ss_edge(graph, SS_START, "flood");
}

static struct ss_application *application;
static struct ss_host *host;

static void setup(void)
{
    struct ss_app_graph graphs[] = {{"g", define}, {NULL, NULL}};
    struct ss_app app = {SS_ABI_VERSION, sizeof(app), NULL, graphs, NULL};
    struct ss_error error;
    ss_value_setup();
    ck_assert_int_eq(
        ss_application_new(&app, NULL, &application, &error), SS_OK);
    struct ss_host_options options = {.application = application, .threads = 2};
    ck_assert_int_eq(ss_host_new(&options, &host, &error), SS_OK);
    waiting = most_waiting = 0;
    is_open = false;
}

static void teardown(void)
{
    ck_assert(ss_host_destroy(&host));
    ss_application_destroy(&application);
}

static struct ss_assignment *order(const char *node, uint64_t dispatch)
{
    struct ss_assignment *made = ss_assignment_new();
    made->attempt = (struct ss_attempt){1, dispatch};
    made->app_graph = ss_strdup("g");
    made->graph = ss_strdup("g");
    made->node = ss_strdup(node);
    made->thread = ss_strdup("t");
    made->run = ss_strdup("r");
    snprintf(made->task_id, sizeof(made->task_id), "task-%d", (int)dispatch);
    made->input = ss_value_null();
    made->want_custom = true;
    return made;
}

// Wait for outcomes, up to `count` of them; items are counted and checked.
static size_t take_outcomes(
    struct ss_outcome **outcomes, size_t count, size_t *ret_items)
{
    size_t taken = 0;
    *ret_items = 0;
    while (taken < count) {
        struct ss_host_reports reports;
        struct pollfd fd = {.fd = ss_host_fd(host), .events = POLLIN};
        ck_assert_int_eq(poll(&fd, 1, -1), 1);
        if (!ss_host_take(host, &reports))
            continue;
        ck_assert_uint_le(reports.items_count, SS_HOST_ITEMS_MAX);
        for (size_t i = 0; i < reports.items_count; i++)
            ck_assert_int_eq(
                json_integer_value(ss_value_json(reports.items[i].value)),
                (json_int_t)(*ret_items)++);
        for (size_t i = 0; i < reports.outcomes_count; i++)
            outcomes[taken++] = reports.outcomes[i];
        reports.outcomes_count = 0;
        ss_host_reports_fini(&reports);
    }
    return taken;
}

START_TEST(bodies_run_side_by_side_but_never_more_than_threads)
{
    struct ss_outcome *outcomes[5];
    size_t items;
    for (uint64_t i = 0; i < 5; i++)
        ss_host_start(host, order("gate", i), INT64_MAX);
    wait_for_waiting(2);
    open_gate();
    size_t count = take_outcomes(outcomes, 5, &items);
    ck_assert_int_eq(most_waiting, 2);
    bool seen[5] = {false};
    for (size_t i = 0; i < count; i++) {
        ck_assert_int_eq((int)outcomes[i]->kind, SS_OUTCOME_DONE);
        ck_assert_int_ge(outcomes[i]->ran_us, 0);
        seen[outcomes[i]->attempt.dispatch] = true;
        ss_outcome_destroy(&outcomes[i]);
    }
    for (int i = 0; i < 5; i++)
        ck_assert(seen[i]);
}
END_TEST

START_TEST(bodies_that_come_together_do_not_share_the_one_idle_thread)
{
    struct ss_outcome *outcomes[2];
    size_t items;
    open_gate();
    ss_host_start(host, order("gate", 1), INT64_MAX);
    take_outcomes(outcomes, 1, &items);
    ss_outcome_destroy(&outcomes[0]);
    is_open = false;
    ss_host_start(host, order("gate", 2), INT64_MAX);
    ss_host_start(host, order("gate", 3), INT64_MAX);
    wait_for_waiting(2);
    open_gate();
    take_outcomes(outcomes, 2, &items);
    ss_outcome_destroy(&outcomes[0]);
    ss_outcome_destroy(&outcomes[1]);
}
END_TEST

START_TEST(a_body_that_is_told_to_stop_stops)
{
    struct ss_outcome *outcome;
    size_t items;
    ss_host_start(host, order("told", 1), INT64_MAX);
    ss_host_start(host, order("gate", 2), INT64_MAX);
    wait_for_waiting(1);
    ss_host_stop_body(host, (struct ss_attempt){1, 7}); // nobody's
    ss_host_stop_body(host, (struct ss_attempt){1, 1});
    take_outcomes(&outcome, 1, &items);
    ck_assert_uint_eq(outcome->attempt.dispatch, 1);
    ck_assert_int_eq((int)outcome->kind, SS_OUTCOME_CANCELLED);
    ss_outcome_destroy(&outcome);
    open_gate();
    take_outcomes(&outcome, 1, &items);
    ss_outcome_destroy(&outcome);
}
END_TEST

START_TEST(a_body_that_shows_more_than_is_taken_waits_and_nothing_is_lost)
{
    struct ss_outcome *outcome;
    size_t items;
    struct ss_assignment *flooding = order("flood", 1);
    flooding->run_timeout_ms = FLOOD_MS;
    ss_host_start(host, flooding, INT64_MAX);
    take_outcomes(&outcome, 1, &items);
    ck_assert_uint_eq(items, 3 * SS_HOST_ITEMS_MAX);
    ck_assert(json_is_true(ss_value_json(outcome->writes.items[0].value)));
    ss_outcome_destroy(&outcome);
}
END_TEST

START_TEST(signs_of_progress_are_reported_once_until_they_are_taken)
{
    struct ss_host_reports reports;
    struct ss_outcome *outcome;
    size_t items;
    struct ss_assignment *timed = order("told", 1);
    timed->idle_timeout_ms = 1000;
    ss_host_start(host, timed, INT64_MAX);
    struct pollfd fd = {.fd = ss_host_fd(host), .events = POLLIN};
    ck_assert_int_eq(poll(&fd, 1, -1), 1);
    ck_assert(ss_host_take(host, &reports));
    ck_assert_uint_eq(reports.signs_count, 1);
    ck_assert(reports.signs[0].is_heartbeat);
    ss_host_reports_fini(&reports);
    ck_assert_int_eq(poll(&fd, 1, -1), 1); // and again
    ss_host_stop_body(host, (struct ss_attempt){1, 1});
    take_outcomes(&outcome, 1, &items);
    ss_outcome_destroy(&outcome);
}
END_TEST

START_TEST(a_host_with_a_body_that_goes_on_is_left_to_the_process)
{
    ss_host_start(host, order("gate", 1), INT64_MAX);
    wait_for_waiting(1);
    ck_assert(!ss_host_destroy(&host));
    open_gate();
    _Exit(EXIT_SUCCESS);
}
END_TEST

START_TEST(a_body_that_comes_too_late_does_not_begin)
{
    struct ss_host_reports reports;
    struct pollfd fd = {.fd = ss_host_fd(host), .events = POLLIN};
    ss_host_start(host, order("gate", 1), 0);
    ck_assert_int_eq(poll(&fd, 1, -1), 1);
    ck_assert(ss_host_take(host, &reports));
    ck_assert_uint_eq(reports.outcomes_count, 0);
    ck_assert_uint_eq(reports.unbegun_count, 1);
    ck_assert_uint_eq(reports.unbegun[0]->attempt.dispatch, 1);
    ck_assert_int_eq(most_waiting, 0);
    ss_host_reports_fini(&reports);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("host");
    TCase *tcase = tcase_create("host");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, bodies_run_side_by_side_but_never_more_than_threads);
    tcase_add_test(
        tcase, bodies_that_come_together_do_not_share_the_one_idle_thread);
    tcase_add_test(tcase, a_body_that_comes_too_late_does_not_begin);
    tcase_add_test(tcase, a_body_that_is_told_to_stop_stops);
    tcase_add_test(
        tcase, a_body_that_shows_more_than_is_taken_waits_and_nothing_is_lost);
    tcase_add_test(
        tcase, signs_of_progress_are_reported_once_until_they_are_taken);
    tcase_add_exit_test(tcase,
        a_host_with_a_body_that_goes_on_is_left_to_the_process, EXIT_SUCCESS);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
