// host_test.c - bodies on threads: capacity, cancellation, what they report.
#include <check.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/app/clock.h"
#include "common/app/log.h"
#include "common/base/mem.h"
#include "common/model/value.h"
#include "tests/suite.h"
#include "worker/host.h"
#include "worker/lead.h"
#include "worker/limits.h"

enum { FLOOD_MS = 60000 }; // it is over long before, also on a busy machine

// What the linker puts in place of pthread_create() (tests.cmake): a machine
// that has as many threads as it is given.
static int threads_left; // -1: any number

int really_create(pthread_t *ret_thread, const pthread_attr_t *how,
    void *(*work)(void *), void *ctx) __asm__("__real_pthread_create");
int create_or_not(pthread_t *ret_thread, const pthread_attr_t *how,
    void *(*work)(void *), void *ctx) __asm__("__wrap_pthread_create");

int create_or_not(pthread_t *ret_thread, const pthread_attr_t *how,
    void *(*work)(void *), void *ctx)
{
    if (threads_left == 0)
        return EAGAIN;
    threads_left -= threads_left > 0;
    return really_create(ret_thread, how, work, ctx);
}

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

static void open_gate(void)
{
    pthread_mutex_lock(&mutex);
    is_open = true;
    pthread_cond_broadcast(&moved);
    pthread_mutex_unlock(&mutex);
}

static atomic_bool is_held; // who passes waits until the loop has looked
static int passes; // so many bodies go through the gate while it is closed

static int pass_or_wait_at_gate(struct ss_task *task)
{
    pthread_mutex_lock(&mutex);
    bool may_pass = passes > 0;
    passes -= may_pass;
    pthread_mutex_unlock(&mutex);
    while (may_pass && atomic_load(&is_held))
        sched_yield();
    return may_pass ? SS_OK : wait_at_gate(task);
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

static int breaks(struct ss_task *task)
{
    return ss_fail(task, "busy", "503");
}

static sigset_t body_blocked; // signals, of the thread that ran it

static int tell_blocked(struct ss_task *task)
{
    (void)task;
    return pthread_sigmask(SIG_BLOCK, NULL, &body_blocked) == 0 ? SS_OK
                                                                : SS_EIO;
}

static void define(struct ss_graph_def *graph)
{
    ss_key(graph, "k", SS_ANY);
    ss_node(graph, "breaks", breaks);
    ss_edge(graph, SS_START, "breaks");
    ss_node(graph, "gate", wait_at_gate);
    ss_node(graph, "pass", pass_or_wait_at_gate);
    ss_node(graph, "blocked", tell_blocked);
    ss_node(graph, "told", until_told);
    ss_node(graph, "flood", flood);
    ss_edge(graph, SS_START, "gate");
    ss_edge(graph, SS_START, "pass");
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
    waiting = most_waiting = passes = 0;
    is_open = false;
    threads_left = -1;
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
    made->app_graph = "g";
    made->graph = "g";
    made->node = node;
    made->thread = "t";
    made->run = "r";
    ss_assignment_keep(made);
    snprintf(made->task_id, sizeof(made->task_id), "task-%d", (int)dispatch);
    made->input = ss_value_null();
    made->want_custom = true;
    return made;
}

static void start(struct ss_assignment *order)
{
    ss_host_start(host, order, INT64_MAX);
    ck_assert(ss_host_go(host, false));
}

// As the loop sleeps: until there is something to take, or to look at.
static void sleep_as_the_loop_does(void)
{
    struct pollfd fd = {.fd = ss_host_fd(host), .events = POLLIN};
    int64_t now_ms = ss_clock_ms();
    int64_t wake_ms = ss_host_watch(host, now_ms);
    ck_assert_int_ge(poll(&fd, 1, ss_clock_left(wake_ms, now_ms)), 0);
}

static int are_waiting(void)
{
    pthread_mutex_lock(&mutex);
    int count = waiting;
    pthread_mutex_unlock(&mutex);
    return count;
}

// The loop does not hear of bodies that wait: it watches as long as it must.
static void wait_for_waiting(int count)
{
    while (ss_host_watch(host, ss_clock_ms()) != INT64_MAX &&
           are_waiting() < count)
        sched_yield();
    pthread_mutex_lock(&mutex);
    while (waiting < count)
        pthread_cond_wait(&moved, &mutex);
    pthread_mutex_unlock(&mutex);
}

// Wait for outcomes, up to `count` of them; items are counted and checked.
static size_t take_outcomes(
    struct ss_outcome **outcomes, size_t count, size_t *ret_items)
{
    size_t taken = 0;
    *ret_items = 0;
    while (taken < count) {
        struct ss_host_reports reports;
        sleep_as_the_loop_does();
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
    ck_assert(ss_host_go(host, false));
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
    start(order("gate", 1));
    take_outcomes(outcomes, 1, &items);
    ss_outcome_destroy(&outcomes[0]);
    is_open = false;
    ss_host_start(host, order("gate", 2), INT64_MAX);
    start(order("gate", 3));
    wait_for_waiting(2);
    open_gate();
    take_outcomes(outcomes, 2, &items);
    ss_outcome_destroy(&outcomes[0]);
    ss_outcome_destroy(&outcomes[1]);
}
END_TEST

// Bodies of this node were quick so far, a good many in a row: they share a
// thread, and tell of themselves in lists. (Under a tool that makes all slow
// they never are, and the test says less.)
static void learn_that_it_is_quick(const char *node)
{
    struct ss_outcome *outcome;
    size_t items;
    int quick = 0;
    for (int i = 0; i < 2000 && quick < 30; i++) {
        passes = 1;
        start(order(node, 1));
        take_outcomes(&outcome, 1, &items);
        quick = outcome->ran_us < SS_HOST_QUICK_US / 2 ? quick + 1 : 0;
        ss_outcome_destroy(&outcome);
    }
}

START_TEST(a_body_that_was_quick_and_blocks_holds_nobody_up)
{
    struct ss_outcome *outcomes[3];
    size_t items;
    learn_that_it_is_quick("pass");
    start(order("pass", 1));
    ss_host_start(host, order("pass", 2), INT64_MAX);
    start(order("told", 3));
    wait_for_waiting(2);
    open_gate();
    take_outcomes(outcomes, 2, &items);
    ss_host_stop_body(host, (struct ss_attempt){1, 3});
    take_outcomes(outcomes + 2, 1, &items);
    for (size_t i = 0; i < 3; i++)
        ss_outcome_destroy(&outcomes[i]);
}
END_TEST

START_TEST(an_outcome_does_not_wait_for_a_body_that_blocks)
{
    struct ss_outcome *outcomes[2];
    size_t items;
    learn_that_it_is_quick("pass");
    passes = 1;
    atomic_store(&is_held, true);
    ss_host_start(host, order("pass", 1), INT64_MAX);
    start(order("pass", 2));
    ss_host_watch(host, ss_clock_ms());
    atomic_store(&is_held, false);
    take_outcomes(outcomes, 1, &items);
    open_gate();
    take_outcomes(outcomes + 1, 1, &items);
    ss_outcome_destroy(&outcomes[0]);
    ss_outcome_destroy(&outcomes[1]);
}
END_TEST

START_TEST(the_loop_does_not_sleep_on_an_outcome_that_nobody_told)
{
    struct ss_outcome *outcomes[2];
    size_t items;
    learn_that_it_is_quick("pass");
    passes = 1;
    ss_host_start(host, order("pass", 1), INT64_MAX);
    start(order("pass", 2));
    ss_host_watch(host, ss_clock_ms());
    wait_for_waiting(1); // the first has ended
    struct pollfd fd = {.fd = ss_host_fd(host), .events = POLLIN};
    ck_assert(ss_host_watch(host, ss_clock_ms()) != INT64_MAX ||
              poll(&fd, 1, 0) == 1);
    open_gate();
    take_outcomes(outcomes, 2, &items);
    ss_outcome_destroy(&outcomes[0]);
    ss_outcome_destroy(&outcomes[1]);
}
END_TEST

START_TEST(many_quick_bodies_all_run)
{
    struct ss_outcome *outcomes[300];
    size_t items;
    bool seen[300] = {false};
    learn_that_it_is_quick("pass");
    passes = 300;
    for (uint64_t i = 0; i < 300; i++) {
        ss_host_start(host, order("pass", i), INT64_MAX);
        if (i % 100 == 99)
            ck_assert(ss_host_go(host, false));
    }
    ck_assert(!ss_host_go(host, false));
    ck_assert_uint_eq(take_outcomes(outcomes, 300, &items), 300);
    for (size_t i = 0; i < 300; i++) {
        seen[outcomes[i]->attempt.dispatch] = true;
        ss_outcome_destroy(&outcomes[i]);
    }
    for (size_t i = 0; i < 300; i++)
        ck_assert(seen[i]);
}
END_TEST

static void end_both(void)
{
    struct ss_outcome *outcomes[2];
    size_t items;
    open_gate();
    take_outcomes(outcomes, 2, &items);
    ss_outcome_destroy(&outcomes[0]);
    ss_outcome_destroy(&outcomes[1]);
}

// A body that the loop keeps, and its lead: one turn starts it, those behind it
// take what comes.
static struct ss_lead *lead;
static struct ss_outcome *own_outcome;
static bool is_started, is_own;
static uint64_t loop_turns_beside; // by the other thread, while the body ran

static bool take_own(void)
{
    struct ss_host_reports reports;
    if (!ss_host_take(host, &reports))
        return false;
    ck_assert_uint_eq(reports.outcomes_count, 1);
    own_outcome = reports.outcomes[0];
    reports.outcomes_count = 0;
    ss_host_reports_fini(&reports);
    return true;
}

static enum ss_lead_turn one_own_body(void *ctx)
{
    (void)ctx;
    if (!is_started) {
        is_started = true;
        ss_host_start(host, order("pass", 1), INT64_MAX);
        ck_assert(ss_host_go(host, ss_lead_may_run(lead)));
        ck_assert(!ss_host_go(host, true)); // it is said once
        is_own = ss_host_has_own(host);
        if (!is_own) // it went to a thread after all
            open_gate();
    }
    if (ss_host_has_own(host) && !ss_host_run_own(host, lead))
        return SS_LEAD_LOST;
    if (!ss_lead_may_run(lead)) {
        loop_turns_beside++;
        open_gate();
    }
    if (take_own())
        return SS_LEAD_OVER;
    sleep_as_the_loop_does();
    return SS_LEAD_ON;
}

static void run_one_own_body(void)
{
    is_started = false;
    own_outcome = NULL;
    loop_turns_beside = 0;
    lead = ss_lead_new();
    ss_lead_run(lead, one_own_body, NULL);
    ss_lead_destroy(&lead);
    ck_assert_int_eq((int)own_outcome->kind, SS_OUTCOME_DONE);
    ss_outcome_destroy(&own_outcome);
}

START_TEST(a_quick_body_that_is_alone_tells_the_loop_at_once)
{
    learn_that_it_is_quick("pass");
    passes = 1;
    run_one_own_body();
}
END_TEST

START_TEST(a_body_that_the_loop_runs_and_that_blocks_gives_the_loop_away)
{
    learn_that_it_is_quick("pass");
    run_one_own_body();
    ck_assert(!is_own || loop_turns_beside > 0);
}
END_TEST

START_TEST(a_body_that_stayed_with_the_loop_goes_to_threads_with_the_next)
{
    learn_that_it_is_quick("pass");
    ss_host_start(host, order("pass", 1), INT64_MAX);
    ck_assert(ss_host_go(host, true));
    ss_host_start(host, order("gate", 2), INT64_MAX);
    ck_assert(ss_host_go(host, true));
    ck_assert(!ss_host_has_own(host));
    wait_for_waiting(2);
    end_both();
}
END_TEST

// By its handler a process that aborts says why; abort() of glibc 2.41 calls
// none where the signal is blocked.
START_TEST(a_body_that_aborts_is_heard_and_takes_no_signal_of_the_loop)
{
    struct ss_outcome *outcome;
    size_t items;
    start(order("blocked", 1));
    take_outcomes(&outcome, 1, &items);
    ck_assert_int_eq((int)outcome->kind, SS_OUTCOME_DONE);
    ss_outcome_destroy(&outcome);
    ck_assert(!sigismember(&body_blocked, SIGABRT));
    ck_assert(sigismember(&body_blocked, SIGTERM));
    ck_assert(sigismember(&body_blocked, SIGINT));
}
END_TEST

START_TEST(a_body_that_is_told_to_stop_stops)
{
    struct ss_outcome *outcome;
    size_t items;
    ss_host_start(host, order("told", 1), INT64_MAX);
    start(order("gate", 2));
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
    flooding->timeouts.run_ms = FLOOD_MS;
    start(flooding);
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
    timed->timeouts.idle_ms = 1000;
    start(timed);
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
    start(order("gate", 1));
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
    ck_assert(ss_host_go(host, false));
    ck_assert_int_eq(poll(&fd, 1, -1), 1);
    ck_assert(ss_host_take(host, &reports));
    ck_assert_uint_eq(reports.outcomes_count, 0);
    ck_assert_uint_eq(reports.unbegun_count, 1);
    ck_assert_uint_eq(reports.unbegun[0]->attempt.dispatch, 1);
    ck_assert_int_eq(most_waiting, 0);
    ss_host_reports_fini(&reports);
}
END_TEST

// Two bodies for two threads, of which there is one: the loop is to look again
// when the machine may have another, and no sooner.
static void begin_where_one_thread_is(void)
{
    threads_left = 1;
    int64_t from_ms = ss_clock_ms();
    ss_host_start(host, order("gate", 1), INT64_MAX);
    start(order("gate", 2));
    wait_for_waiting(1);
    int64_t wake_ms = ss_host_watch(host, ss_clock_ms());
    ck_assert_int_ge(wake_ms, from_ms + SS_HOST_SCARCE_MS);
    ck_assert_int_le(wake_ms, ss_clock_ms() + SS_HOST_SCARCE_MS);
}

START_TEST(where_the_machine_has_no_thread_the_others_do_it_all)
{
    begin_where_one_thread_is();
    end_both();
    ck_assert_int_eq(most_waiting, 1);
}
END_TEST

static char said[SS_LOG_LINE_SIZE];
static int lines_said;

static void hear(void *ctx, const char *line, size_t size)
{
    (void)ctx;
    lines_said++;
    snprintf(said, sizeof(said), "%.*s", (int)size, line);
}

static void break_at(uint64_t dispatch)
{
    struct ss_outcome *outcome;
    size_t items;
    start(order("breaks", dispatch));
    ck_assert_uint_eq(take_outcomes(&outcome, 1, &items), 1);
    ss_outcome_destroy(&outcome);
}

START_TEST(an_attempt_that_fails_is_told_of_and_a_flood_of_them_is_counted)
{
    enum { FLOOD = 5 * SS_HOST_FAILURES_MAX };
    ss_log_setup(&(struct ss_log_options){
        .program = "t", .level = SS_LOG_INFO, .sink = hear});
    int64_t from_ms = ss_clock_ms();
    break_at(1);
    ck_assert_msg(strstr(said, "warning: breaks (thread t, task task-1, "
                               "attempt 0) failed: 503\n") != NULL,
        "%s", said);
    for (uint64_t i = 2; i <= FLOOD; i++)
        break_at(i);
    int64_t spans = (ss_clock_ms() - from_ms) / SS_HOST_FAILURES_MS + 1;
    // And one for each span that tells how many were left out before it.
    ck_assert_int_le(lines_said, (SS_HOST_FAILURES_MAX + 1) * spans);
    ss_log_setup(&(struct ss_log_options){.program = "t"});
}
END_TEST

START_TEST(a_machine_that_had_no_thread_is_asked_again)
{
    begin_where_one_thread_is();
    threads_left = -1;
    sleep_as_the_loop_does();
    wait_for_waiting(2);
    end_both();
    ck_assert_int_eq(most_waiting, 2);
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
    tcase_add_test(tcase, a_body_that_was_quick_and_blocks_holds_nobody_up);
    tcase_add_test(tcase, an_outcome_does_not_wait_for_a_body_that_blocks);
    tcase_add_test(
        tcase, the_loop_does_not_sleep_on_an_outcome_that_nobody_told);
    tcase_add_test(tcase, many_quick_bodies_all_run);
    tcase_add_test(tcase, a_quick_body_that_is_alone_tells_the_loop_at_once);
    tcase_add_test(
        tcase, a_body_that_the_loop_runs_and_that_blocks_gives_the_loop_away);
    tcase_add_test(
        tcase, a_body_that_stayed_with_the_loop_goes_to_threads_with_the_next);
    tcase_add_test(tcase, where_the_machine_has_no_thread_the_others_do_it_all);
    tcase_add_test(tcase, a_machine_that_had_no_thread_is_asked_again);
    tcase_add_test(
        tcase, an_attempt_that_fails_is_told_of_and_a_flood_of_them_is_counted);
    tcase_add_test(tcase, a_body_that_comes_too_late_does_not_begin);
    tcase_add_test(tcase, a_body_that_is_told_to_stop_stops);
    tcase_add_test(
        tcase, a_body_that_aborts_is_heard_and_takes_no_signal_of_the_loop);
    tcase_add_test(
        tcase, a_body_that_shows_more_than_is_taken_waits_and_nothing_is_lost);
    tcase_add_test(
        tcase, signs_of_progress_are_reported_once_until_they_are_taken);
    tcase_add_exit_test(tcase,
        a_host_with_a_body_that_goes_on_is_left_to_the_process, EXIT_SUCCESS);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
