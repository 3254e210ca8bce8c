// local_test.c - the local runner: the whole engine in this process, with
// bodies on the thread that asks, and on threads of their own.
#include <superstep/local.h>

#include <check.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "tests/suite.h"

static struct ss_local *local;
static struct ss_local_error error;
static char folder[64];
static char *store;
static int calls; // of the body that counts
static unsigned threads;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int present, gone; // of those that meet; under the mutex

// ------------------------------------------------------------------ graphs

static int greet(struct ss_task *task)
{
    const char *name = ss_input_str(task, "name");
    ss_emit(task, json_string("greeting"));
    return ss_update(task, json_pack("{s:[s+]}", "log", "hello ", name));
}

static int shout(struct ss_task *task)
{
    return ss_update(task, json_pack("{s:[s]}", "log", "HELLO"));
}

static void hello(struct ss_graph_def *graph)
{
    ss_key(graph, "name", SS_STR);
    ss_key(graph, "log", SS_LIST, .reducer = SS_ADD);
    ss_node(graph, "greet", greet);
    ss_node(graph, "shout", shout);
    ss_edge(graph, SS_START, "greet");
    ss_edge(graph, "greet", "shout");
}

static int ask(struct ss_task *task)
{
    json_t *answer;
    calls++;
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

static int flaky(struct ss_task *task)
{
    calls++;
    if (ss_attempt_number(task) < 3)
        return ss_fail(task, "flaky", "not yet");
    return ss_update(
        task, json_pack("{s:[I]}", "log", (json_int_t)ss_attempt_number(task)));
}

static void retries(struct ss_graph_def *graph)
{
    ss_key(graph, "log", SS_LIST, .reducer = SS_ADD);
    ss_node(graph, "flaky", flaky, .retry.attempts_max = 3,
        .retry.initial_interval_ms = 3600000);
    ss_edge(graph, SS_START, "flaky");
}

static int broken(struct ss_task *task)
{
    return ss_fail_final(task, "bad", "it is broken");
}

static void fails(struct ss_graph_def *graph)
{
    ss_key(graph, "log", SS_LIST, .reducer = SS_ADD);
    ss_node(graph, "broken", broken);
    ss_edge(graph, SS_START, "broken");
}

enum { MEET = 3 };

// Waits for all the others, and leaves when those behind it have left.
static int meet(struct ss_task *task)
{
    int place = ss_node_name(task)[0] - 'a';
    pthread_mutex_lock(&mutex);
    present++;
    pthread_cond_broadcast(&changed);
    while (present < MEET || gone < MEET - 1 - place)
        pthread_cond_wait(&changed, &mutex);
    gone++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    return ss_update(task, json_pack("{s:[s]}", "log", ss_node_name(task)));
}

static void meets(struct ss_graph_def *graph)
{
    static const char *const names[MEET] = {"a", "b", "c"};
    ss_key(graph, "log", SS_LIST, .reducer = SS_ADD);
    for (size_t i = 0; i < MEET; i++) {
        ss_node(graph, names[i], meet);
        ss_edge(graph, SS_START, names[i]);
    }
}

// Goes on until it is told to stop; the second time it is quick.
static int linger(struct ss_task *task)
{
    pthread_mutex_lock(&mutex);
    bool is_first = ++calls == 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    while (is_first && !ss_cancelled(task))
        sched_yield();
    return is_first ? ss_fail(task, "told", "it was told to stop")
                    : ss_update(task, json_pack("{s:[s]}", "log", "done"));
}

static void lingers(struct ss_graph_def *graph)
{
    ss_key(graph, "log", SS_LIST, .reducer = SS_ADD);
    ss_node(graph, "linger", linger);
    ss_edge(graph, SS_START, "linger");
}

static void late(struct ss_graph_def *graph)
{
    ss_key(graph, "log", SS_LIST, .reducer = SS_ADD);
    ss_node(graph, "linger", linger, .timeout_ms = 500);
    ss_edge(graph, SS_START, "linger");
}

// Each writes as many letters as the input wants.
static int write_much(struct ss_task *task)
{
    size_t size = (size_t)ss_input_int(task, "wanted");
    char *text = ss_zalloc(size + 1, 1);
    memset(text, 'x', size);
    json_t *update = json_pack("{s:[s]}", "log", text);
    ss_free(text);
    return ss_update(task, update);
}

static void wide(struct ss_graph_def *graph)
{
    static const char *const names[] = {"a", "b", "c"};
    ss_key(graph, "wanted", SS_INT);
    ss_key(graph, "log", SS_LIST, .reducer = SS_ADD);
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        ss_node(graph, names[i], write_much);
        ss_edge(graph, SS_START, names[i]);
    }
}

static const struct ss_app_graph graphs[] = {{"hello", hello}, {"asks", asks},
    {"retries", retries}, {"fails", fails}, {"meets", meets},
    {"lingers", lingers}, {"late", late}, {"wide", wide}, {NULL, NULL}};
static const struct ss_app app = {
    .abi = SS_ABI_VERSION, .size = sizeof(struct ss_app), .graphs = graphs};

// ------------------------------------------------------------------ helpers

static void open_store(const char *url)
{
    struct ss_local_options options = {.app = &app,
        .store = url,
        .threads = threads,
        .skip_waiting = true,
        .seed = 1};
    int status = ss_local_open(&options, &local, &error);
    ck_assert_msg(status == 0, "%s", error.message);
}

static void setup(void)
{
    calls = present = gone = 0;
    snprintf(folder, sizeof(folder), "/tmp/local-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    store = ss_format("sqlite:%s/store.db", folder);
    open_store(NULL);
}

static void setup_threads(void)
{
    threads = 4;
    setup();
}

static void teardown(void)
{
    static const char *const endings[] = {"", "-wal", "-shm", "-lock", ".lock"};
    ss_local_close(&local);
    for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
        char *path = ss_format("%s/store.db%s", folder, endings[i]);
        unlink(path);
        ss_free(path);
    }
    rmdir(folder);
    ss_free(store);
}

static void reopen(void)
{
    ss_local_close(&local);
    open_store(store);
}

static json_t *answer_to(const char *op, json_t *body)
{
    json_t *answer = NULL;
    int status = ss_local_ask(local, op, body, NULL, &answer, &error);
    ck_assert_msg(status == 0, "%s: %s", op, error.message);
    return answer;
}

// Takes `answer`.
static void expect_status(json_t *answer, const char *status)
{
    ck_assert_str_eq(
        json_string_value(json_object_get(answer, "status")), status);
    json_decref(answer);
}

static void expect_log(json_t *answer, const char *expected)
{
    json_t *log = json_object_get(json_object_get(answer, "output"), "log");
    char *text = json_dumps(log, JSON_COMPACT);
    ck_assert_str_eq(text, expected);
    ss_free(text);
}

static json_t *input_of(const char *graph, json_t *input)
{
    return json_pack(
        "{s:s, s:s, s:o}", "graph", graph, "thread", "t", "input", input);
}

// ------------------------------------------------------------------ tests

START_TEST(a_run_gives_its_output)
{
    json_t *answer =
        answer_to("run", input_of("hello", json_pack("{s:s}", "name", "Ada")));
    expect_log(answer, "[\"hello Ada\",\"HELLO\"]");
    expect_status(answer, "done");
}
END_TEST

static void collect(void *ctx, const json_t *item)
{
    json_t *mode = json_object_get(item, "mode");
    json_array_append(ctx, mode ? mode : json_object_get(item, "accepted"));
}

START_TEST(events_come_in_their_order)
{
    json_t *seen = json_array();
    struct ss_local_listener listener = {collect, seen};
    json_t *body = input_of("hello", json_pack("{s:s}", "name", "Ada"));
    json_object_set_new(
        body, "stream", json_pack("[s, s]", "updates", "custom"));
    json_t *answer;
    ck_assert_int_eq(
        ss_local_ask(local, "run", body, &listener, &answer, &error), 0);
    char *text = json_dumps(seen, JSON_COMPACT);
    ck_assert_str_eq(text, "[true,\"custom\",\"updates\",\"updates\"]");
    ss_free(text);
    json_decref(seen);
    json_decref(answer);
}
END_TEST

static void collect_row(void *ctx, const json_t *item)
{
    const char *seq = json_string_value(json_object_get(item, "seq"));
    if (seq)
        json_array_append_new(
            ctx, json_stringn(seq, strcspn(seq, "."))); // its row
}

// The rows that three tasks' writes, of so many letters, stand in: of the first
// as 0.
static void expect_rows(const char *thread, int letters, const char *rows)
{
    json_t *seen = json_array(), *answer;
    struct ss_local_listener listener = {collect_row, seen};
    json_t *body = input_of("wide", json_pack("{s:i}", "wanted", letters));
    json_object_set_new(body, "thread", json_string(thread));
    json_object_set_new(body, "stream", json_pack("[s]", "updates"));
    ck_assert_int_eq(
        ss_local_ask(local, "run", body, &listener, &answer, &error), 0);
    ck_assert_uint_eq(json_array_size(seen), 3);
    for (size_t i = 0; i < 3; i++) {
        json_t *row = json_array_get(seen, i), *first = json_array_get(seen, 0);
        ck_assert_int_eq(strtol(json_string_value(row), NULL, 10) -
                             strtol(json_string_value(first), NULL, 10),
            rows[i] - '0');
    }
    json_decref(seen);
    json_decref(answer);
}

// A megabyte at most, and what goes beyond it.
START_TEST(outcomes_that_are_there_together_are_one_row_unless_it_grows_large)
{
    expect_rows("small", 10, "000");
    expect_rows("large", 600 * 1024, "001");
}
END_TEST

START_TEST(an_interrupt_is_answered_after_the_store_was_opened_again)
{
    reopen();
    expect_status(
        answer_to("run", input_of("asks", json_pack("{s:[]}", "log"))),
        "interrupted");
    reopen();
    json_t *state = answer_to("state", json_pack("{s:s}", "thread", "t"));
    json_t *asked =
        json_object_get(json_object_get(state, "state"), "interrupts");
    ck_assert_uint_eq(json_array_size(asked), 1);
    json_decref(state);
    json_t *answer =
        answer_to("run", json_pack("{s:s, s:s, s:{s:s}}", "graph", "asks",
                             "thread", "t", "command", "resume", "yes"));
    expect_log(answer, "[\"yes\"]");
    expect_status(answer, "done");
    ck_assert_int_eq(calls, 2);
}
END_TEST

START_TEST(waiting_can_be_skipped)
{
    json_t *answer =
        answer_to("run", input_of("retries", json_pack("{s:[]}", "log")));
    expect_log(answer, "[3]");
    expect_status(answer, "done");
    ck_assert_int_eq(calls, 3);
}
END_TEST

static char *history_of(const char *thread)
{
    json_t *answer = answer_to("history", json_pack("{s:s}", "thread", thread));
    char *text = json_dumps(answer, JSON_SORT_KEYS);
    json_decref(answer);
    return text;
}

// In memory rows are kept as they are.
START_TEST(a_thread_that_was_forgotten_is_read_back)
{
    expect_status(
        answer_to("run", input_of("asks", json_pack("{s:[]}", "log"))),
        "interrupted");
    char *before = history_of("t");
    json_t *body = input_of("retries", json_pack("{s:[]}", "log"));
    json_object_set_new(body, "thread", json_string("u"));
    expect_status(answer_to("run", body), "done"); // hours later
    char *after = history_of("t");
    ck_assert_str_eq(after, before);
    json_t *answer =
        answer_to("run", json_pack("{s:s, s:s, s:{s:s}}", "graph", "asks",
                             "thread", "t", "command", "resume", "yes"));
    expect_log(answer, "[\"yes\"]");
    expect_status(answer, "done");
    json_decref(answer_to("delete", json_pack("{s:s}", "thread", "t")));
    expect_status(
        answer_to("run", input_of("asks", json_pack("{s:[]}", "log"))),
        "interrupted");
    ss_free(before);
    ss_free(after);
}
END_TEST

// What the store has of runs and threads, but for times and ids. Gives.
static json_t *records(void)
{
    json_t *all = json_pack(
        "[o, o]", answer_to("runs", NULL), answer_to("threads", NULL));
    for (size_t i = 0; i < json_array_size(all); i++) {
        json_t *list = json_object_get(
            json_array_get(all, i), i == 0 ? "runs" : "threads");
        ck_assert_uint_eq(json_array_size(list), 3);
        for (size_t k = 0; k < json_array_size(list); k++) {
            json_t *record = json_array_get(list, k);
            ck_assert_int_eq(json_object_del(record, "created_us"), 0);
            json_object_del(record, "created_at");
            json_object_del(record, "changed_us");
            json_object_del(record, "changed_at");
            json_object_del(record, "updated_us");
            json_object_del(record, "updated_at");
            json_object_del(record, "run"); // by chance
            json_object_del(record, "key");
            json_object_del(record, "interrupts");
        }
    }
    return all;
}

static json_t *records_of_three(void)
{
    static const char *const names[] = {"hello", "fails", "asks"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        json_t *body = input_of(names[i], json_pack("{s:s}", "name", "Ada"));
        json_object_set_new(body, "thread", json_string(names[i]));
        json_object_set_new(body, "config",
            json_pack("{s:{s:s}}", "metadata", "who", "\"Ada\""));
        json_decref(answer_to("run", body));
    }
    return records();
}

// There a record becomes a text when it is read, if it ever is.
START_TEST(in_memory_records_say_what_those_of_a_file_say)
{
    json_t *first = records_of_three();
    json_t *again = records();
    ck_assert(json_equal(first, again));
    ss_local_close(&local);
    open_store(store);
    json_t *filed = records_of_three();
    char *text = json_dumps(first, JSON_COMPACT);
    char *other = json_dumps(filed, JSON_COMPACT);
    ck_assert_str_eq(text, other);
    ss_free(text);
    ss_free(other);
    json_decref(first);
    json_decref(again);
    json_decref(filed);
}
END_TEST

START_TEST(a_failed_run_is_an_answer)
{
    json_t *answer =
        answer_to("run", input_of("fails", json_pack("{s:[]}", "log")));
    json_t *why = json_object_get(answer, "error");
    ck_assert_str_eq(
        json_string_value(json_object_get(why, "code")), "node_failed");
    ck_assert_ptr_nonnull(strstr(
        json_string_value(json_object_get(why, "message")), "it is broken"));
    expect_status(answer, "failed");
}
END_TEST

START_TEST(a_bad_request_is_an_error)
{
    json_t *answer = NULL;
    ck_assert_int_ne(ss_local_ask(local, "run", input_of("nobody", json_null()),
                         NULL, &answer, &error),
        0);
    ck_assert_str_eq(error.code, "not_found");
    ck_assert_int_ne(
        ss_local_ask(local, "dance", NULL, NULL, &answer, &error), 0);
    ck_assert_str_eq(error.code, "invalid_argument");
    ck_assert_ptr_null(answer);
}
END_TEST

START_TEST(an_option_of_another_type_is_refused_here_too)
{
    json_t *answer = NULL, *body = input_of("hello", json_null());
    json_object_set_new(body, "recursion_limit", json_string("7"));
    ck_assert_int_ne(
        ss_local_ask(local, "run", body, NULL, &answer, &error), 0);
    ck_assert_str_eq(error.code, "invalid_argument");
    ck_assert_str_eq(error.message,
        "run: \"recursion_limit\" wants an integer, not the text \"7\": leave "
        "out the quotes");
    body =
        json_pack("{s:s, s:s, s:s}", "thread", "t", "value", "yes", "run", "r");
    json_object_set_new(body, "strict_resume", json_string("no"));
    ck_assert_int_ne(
        ss_local_ask(local, "resume", body, NULL, &answer, &error), 0);
    ck_assert_str_eq(error.message, "run: \"strict_resume\" wants true or "
                                    "false, not the text \"no\"");
    ck_assert_ptr_null(answer);
}
END_TEST

START_TEST(a_store_that_cannot_be_opened_is_an_error)
{
    struct ss_local *other = NULL;
    struct ss_local_options options = {.app = &app, .store = "punchcards:"};
    ck_assert_int_ne(ss_local_open(&options, &other, &error), 0);
    ck_assert_str_eq(error.code, "invalid_argument");
    ck_assert_ptr_null(other);
}
END_TEST

START_TEST(the_state_can_be_read_without_an_application)
{
    reopen();
    json_decref(
        answer_to("run", input_of("hello", json_pack("{s:s}", "name", "Ada"))));
    ss_local_close(&local);
    struct ss_local_options options = {.store = store};
    ck_assert_int_eq(ss_local_open(&options, &local, &error), 0);
    json_t *answer = answer_to("history", json_pack("{s:s}", "thread", "t"));
    ck_assert_uint_eq(json_array_size(json_object_get(answer, "history")), 4);
    json_decref(answer);
}
END_TEST

START_TEST(resume_is_a_request)
{
    expect_status(
        answer_to("run", input_of("asks", json_pack("{s:[]}", "log"))),
        "interrupted");
    json_t *answer = NULL;
    ck_assert_int_ne(
        ss_local_ask(local, "resume", json_pack("{s:s}", "thread", "t"), NULL,
            &answer, &error),
        0);
    ck_assert_str_eq(error.code, "invalid_argument");
    ck_assert_str_eq(
        error.message, "resume: say \"thread\" and the answer, \"value\"");
    answer = answer_to(
        "resume", json_pack("{s:s, s:s}", "thread", "t", "value", "yes"));
    expect_log(answer, "[\"yes\"]");
    expect_status(answer, "done");
}
END_TEST

START_TEST(bodies_run_side_by_side_and_write_in_their_order)
{
    for (int i = 0; i < 3; i++) {
        present = gone = 0;
        json_t *body = input_of("meets", json_pack("{s:[]}", "log"));
        json_object_set_new(body, "thread", json_sprintf("t%d", i));
        json_t *answer = answer_to("run", body);
        expect_log(answer, "[\"a\",\"b\",\"c\"]");
        expect_status(answer, "done");
    }
}
END_TEST

START_TEST(a_body_that_exceeds_its_time_is_told_to_stop)
{
    json_t *answer =
        answer_to("run", input_of("late", json_pack("{s:[]}", "log")));
    json_t *why = json_object_get(answer, "error");
    ck_assert_str_eq(
        json_string_value(json_object_get(why, "code")), "node_timeout");
    expect_status(answer, "failed");
    pthread_mutex_lock(&mutex); // nobody waits for the body
    ck_assert_int_eq(calls, 1);
    pthread_mutex_unlock(&mutex);
}
END_TEST

START_TEST(a_body_that_runs_at_the_end_runs_again_at_the_next_beginning)
{
    reopen();
    json_t *body = input_of("lingers", json_pack("{s:[]}", "log"));
    json_object_set_new(body, "detach", json_true());
    json_object_set_new(body, "run", json_string("r"));
    json_decref(answer_to("run", body));
    pthread_mutex_lock(&mutex);
    while (calls == 0)
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    reopen();
    json_t *answer = answer_to("attach", json_pack("{s:s}", "run", "r"));
    expect_log(answer, "[\"done\"]");
    expect_status(answer, "done");
    ck_assert_int_eq(calls, 2);
}
END_TEST

START_TEST(threads_without_number_are_refused)
{
    struct ss_local *other = NULL;
    struct ss_local_options options = {
        .app = &app, .threads = SS_LOCAL_THREADS_MAX + 1};
    ck_assert_int_ne(ss_local_open(&options, &other, &error), 0);
    ck_assert_str_eq(error.code, "invalid_argument");
    ck_assert_str_eq(error.message,
        ".threads is 1025; give 0 (no thread of its own for a body) to 1024");
    options.threads = (unsigned)-1;
    ck_assert_int_ne(ss_local_open(&options, &other, &error), 0);
    ck_assert_str_eq(error.message,
        ".threads is -1; give 0 (no thread of its own for a body) to 1024");
    ck_assert_ptr_null(other);
}
END_TEST

// What holds wherever bodies run.
static void add_all(TCase *all)
{
    tcase_add_test(all, a_run_gives_its_output);
    tcase_add_test(all, events_come_in_their_order);
    tcase_add_test(
        all, an_interrupt_is_answered_after_the_store_was_opened_again);
    tcase_add_test(all, waiting_can_be_skipped);
    tcase_add_test(all, a_thread_that_was_forgotten_is_read_back);
    tcase_add_test(all, in_memory_records_say_what_those_of_a_file_say);
    tcase_add_test(all, a_failed_run_is_an_answer);
    tcase_add_test(all, a_bad_request_is_an_error);
    tcase_add_test(all, a_store_that_cannot_be_opened_is_an_error);
    tcase_add_test(all, the_state_can_be_read_without_an_application);
    tcase_add_test(all, resume_is_a_request);
    tcase_add_test(all, an_option_of_another_type_is_refused_here_too);
}

int main(void)
{
    Suite *suite = suite_create("local");
    TCase *one = tcase_create("one thread");
    tcase_add_checked_fixture(one, setup, teardown);
    add_all(one);
    tcase_add_test(one, threads_without_number_are_refused);
    tcase_add_test(one,
        outcomes_that_are_there_together_are_one_row_unless_it_grows_large);
    suite_add_tcase(suite, one);
    TCase *many = tcase_create("threads");
    tcase_add_checked_fixture(many, setup_threads, teardown);
    add_all(many);
    tcase_add_test(many, bodies_run_side_by_side_and_write_in_their_order);
    tcase_add_test(many, a_body_that_exceeds_its_time_is_told_to_stop);
    tcase_add_test(
        many, a_body_that_runs_at_the_end_runs_again_at_the_next_beginning);
    suite_add_tcase(suite, many);
    return suite_main(suite);
}
