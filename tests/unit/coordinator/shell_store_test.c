// A coordinator and its store: restarts, a store that is slow, and one that
// fails.
#include "coordinator/shell_impl.h"

#include <check.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/wire/limits.h"
#include "coordinator/store/store.h"
#include "coordinator/store/store_impl.h"
#include "tests/suite.h"
#include "tests/support/store_faulty.h"
#include "tests/unit/coordinator/shell.h"

START_TEST(each_start_has_a_higher_epoch)
{
    uint64_t before = coordinator->epoch;
    ck_assert_uint_gt(before, 0);
    for (uint64_t i = 1; i <= 3; i++) {
        ss_coordinator_close(&coordinator);
        ck_assert_ptr_null(coordinator);
        shell_start(NULL);
        ck_assert_uint_gt(coordinator->epoch, before);
        before = coordinator->epoch;
    }
}
END_TEST

START_TEST(an_unfinished_run_goes_on_after_a_restart)
{
    join(worker, "w", 1);
    ask(1, "run", "{\"graph\":\"g\",\"thread\":\"t\",\"input\":{\"log\":[]}}");
    struct ss_message *tasks = hear(worker, SS_MESSAGE_TASKS);
    struct ss_attempt before = tasks->orders[0]->attempt;
    ss_message_destroy(&tasks);
    ss_coordinator_close(&coordinator);
    shell_start(NULL);
    join(worker, "w", 1);
    tasks = hear(worker, SS_MESSAGE_TASKS);
    ck_assert_uint_gt(tasks->orders[0]->attempt.epoch, before.epoch);
    say_done(worker, tasks->orders[0]);
    ss_message_destroy(&tasks);
    hear_and_forget(worker, SS_MESSAGE_SETTLED);
    ss_coordinator_close(&coordinator);
    shell_start(NULL);
    ask(2, "state", "{\"thread\":\"t\"}");
    struct ss_message *answer = hear(client, SS_MESSAGE_ANSWER);
    while (!answer->final) {
        ss_message_destroy(&answer);
        answer = hear(client, SS_MESSAGE_ANSWER);
    }
    const json_t *values = json_object_get(
        json_object_get(ss_value_json(answer->body), "state"), "values");
    ck_assert_uint_eq(json_array_size(json_object_get(values, "log")), 1);
    ss_message_destroy(&answer);
}
END_TEST

// A store that is read when somebody has asked for something meanwhile.
static const struct ss_store_ops *quick;
static struct ss_store_ops slow;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t asked = PTHREAD_COND_INITIALIZER;
static bool has_asked;

static int slow_scan(struct ss_store *store, const struct ss_entry_query *query,
    ss_store_entry_fn *each, void *ctx, struct ss_error *ret_error)
{
    pthread_mutex_lock(&lock);
    while (!has_asked)
        pthread_cond_wait(&asked, &lock);
    pthread_mutex_unlock(&lock);
    return quick->scan(store, query, each, ctx, ret_error);
}

static void start_slowly(void)
{
    struct ss_store *store = NULL;
    char url[80];
    snprintf(url, sizeof(url), "sqlite:%s", shell_db);
    ck_assert_int_eq(ss_store_open(url, &store, &failure), SS_OK);
    quick = store->ops;
    slow = *quick;
    slow.scan = slow_scan;
    store->ops = &slow;
    shell_start(store);
}

static bool answer_has(const char *key)
{
    struct ss_message *answer = hear(client, SS_MESSAGE_ANSWER);
    bool has = json_is_true(json_object_get(ss_value_json(answer->body), key));
    ss_message_destroy(&answer);
    return has;
}

// Whoever comes while it is opened; its link is ours when it has ended.
static void *unpause(void *ctx)
{
    (void)ctx;
    struct ss_buf buf;
    struct ss_error why;
    struct ss_message *message = ss_message_new(SS_MESSAGE_ASK);
    message->id = 2;
    message->op = ss_strdup("unpause");
    message->body = ss_value_from_text("{\"graph\":\"g\"}", 13);
    ss_buf_init(&buf, SS_MESSAGE_SIZE_MAX);
    int status = ss_message_encode(message, &buf, &why);
    while (status == SS_OK &&
           ss_link_send(client, NULL, buf.data, buf.size, &why) != SS_OK)
        (void)ss_link_wait_all(client, NULL, 0, SHELL_STEP_MS);
    ss_buf_fini(&buf);
    ss_message_destroy(&message);
    pthread_mutex_lock(&lock);
    has_asked = true;
    pthread_cond_signal(&asked);
    pthread_mutex_unlock(&lock);
    return NULL;
}

// Else it is told that nothing is paused, and what is paused stays so.
START_TEST(who_asks_before_all_is_read_is_heard_behind_it)
{
    pthread_t thread;
    join(worker, "w", 1);
    ask(1, "pause", "{\"graph\":\"g\"}");
    hear_and_forget(client, SS_MESSAGE_ANSWER);
    ss_coordinator_close(&coordinator);
    ck_assert_int_eq(pthread_create(&thread, NULL, unpause, NULL), 0);
    start_slowly();
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert(answer_has("was_paused"));
}
END_TEST

START_TEST(a_store_that_fails_stops_the_coordinator)
{
    static const int failures[] = {SS_EFULL, SS_EIO};
    struct ss_store *inner = NULL;
    struct ss_faulty_plan plan = {
        .fail_at = 2, .fail_status = failures[_i]}; // 1: the epoch
    ss_coordinator_close(&coordinator);
    ck_assert_int_eq(ss_store_open("memory:", &inner, &failure), SS_OK);
    shell_start(ss_store_faulty_new(inner, &plan));
    say_hello(worker, "w", 1);
    ask(1, "run", "{\"graph\":\"g\",\"thread\":\"t\",\"input\":{\"log\":[]}}");
    int status = SS_OK;
    for (int i = 0; status == SS_OK && i < SHELL_STEPS_MAX; i++)
        status = ss_coordinator_step(coordinator, -1, SHELL_STEP_MS, &failure);
    ck_assert_int_eq(status, failures[_i]);
    ck_assert_ptr_nonnull(strstr(failure.message, "the store failed: "));
    // It stays so, and nothing was acknowledged.
    ck_assert_int_eq(
        ss_coordinator_step(coordinator, -1, 0, &failure), failures[_i]);
    struct ss_message *message = heard(client);
    ck_assert_ptr_null(message);
}
END_TEST

START_TEST(what_cannot_be_opened_says_why)
{
    struct ss_coordinator *second = NULL;
    struct ss_coordinator_options options = {
        .listen = SHELL_LISTEN, .store = "memory:"};
    ck_assert_int_eq(
        ss_coordinator_open(&options, &second, &failure), SS_EBUSY);
    ck_assert_ptr_nonnull(strstr(failure.message, "in use"));
    options.listen = "loop:second";
    options.store = "paper:notes";
    ck_assert_int_ne(ss_coordinator_open(&options, &second, &failure), SS_OK);
    options.store = shell_db;
    ck_assert_int_eq(
        ss_coordinator_open(&options, &second, &failure), SS_EBUSY);
    options.store = "memory:";
    options.lease_ms = options.heartbeat_ms = 100;
    ck_assert_int_eq(
        ss_coordinator_open(&options, &second, &failure), SS_EINVAL);
    options.heartbeat_ms = 20;
    ck_assert_int_eq(ss_coordinator_open(&options, &second, &failure), SS_OK);
    ck_assert_str_eq(ss_coordinator_endpoint(second), "loop:second");
    ck_assert_ptr_nonnull(strstr(ss_coordinator_store(second), "memory"));
    ss_coordinator_close(&second);
    ss_coordinator_close(&second);
}
END_TEST

int main(void)
{
    ss_value_setup();
    Suite *suite = suite_create("shell_store");
    TCase *tcase = tcase_create("shell_store");
    tcase_add_checked_fixture(tcase, shell_set_up, shell_tear_down);
    tcase_set_timeout(tcase, 600);
    tcase_add_test(tcase, each_start_has_a_higher_epoch);
    tcase_add_test(tcase, an_unfinished_run_goes_on_after_a_restart);
    tcase_add_test(tcase, who_asks_before_all_is_read_is_heard_behind_it);
    tcase_add_loop_test(tcase, a_store_that_fails_stops_the_coordinator, 0, 2);
    tcase_add_test(tcase, what_cannot_be_opened_says_why);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
