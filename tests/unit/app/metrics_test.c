// metrics_test.c - the table, the text, and the two pages over HTTP.
#include "common/app/metrics.h"

#include <arpa/inet.h>
#include <check.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/app/clock.h"
#include "common/app/metrics_server.h"
#include "common/app/version.h"
#include "common/base/mem.h"
#include "tests/suite.h"

static bool ends_in(const char *text, const char *end)
{
    size_t size = strlen(text), own = strlen(end);
    return size >= own && strcmp(text + size - own, end) == 0;
}

START_TEST(names_follow_the_rules_of_the_format)
{
    for (int i = 0; i < SS_METRICS_COUNT; i++) {
        const struct ss_metric_row *row = ss_metric_row((enum ss_metric)i);
        ck_assert_msg(strncmp(row->name, "superstep_", 10) == 0 &&
                          strspn(row->name, "abcdefghijklmnopqrstuvwxyz_") ==
                              strlen(row->name),
            "%s", row->name);
        ck_assert_msg(
            ends_in(row->name, "_total") == (row->kind == SS_METRIC_COUNTER),
            "%s", row->name);
        ck_assert_msg(
            row->kind != SS_METRIC_TIMES || ends_in(row->name, "_seconds"),
            "%s", row->name);
        ck_assert(row->line[0] && ends_in(row->line, "."));
        ck_assert(row->paragraph[0] && row->unit[0]);
        ck_assert_ptr_null(strchr(row->line, '\n'));
        for (int other = 0; other < i; other++)
            ck_assert_str_ne(
                row->name, ss_metric_row((enum ss_metric)other)->name);
    }
}
END_TEST

static void expect_line(const char *text, const char *line)
{
    char *whole = ss_format("\n%s\n", line);
    ck_assert_msg(strstr(text, whole) != NULL, "no line %s in\n%s", line, text);
    ss_free(whole);
}

START_TEST(each_process_shows_its_own)
{
    ss_metric_add(SS_METRIC_RUNS_STARTED, 2);
    ss_metric_add(SS_METRIC_RUNS_STARTED, 1);
    ss_metric_set(SS_METRIC_WORKERS, 7);
    ss_metric_add(SS_METRIC_BODIES_ENDED, 5);
    char *text = ss_metrics_text(SS_METRIC_OF_COORDINATOR, "tester");
    expect_line(text,
        "superstep_build_info{program=\"tester\",version=\"" SS_VERSION_TEXT
        "\"} 1");
    expect_line(text, "# TYPE superstep_runs_started_total counter");
    expect_line(text, "superstep_runs_started_total 3");
    expect_line(text, "superstep_workers 7");
    ck_assert_ptr_null(strstr(text, "superstep_worker_tasks_ended_total"));
    ss_free(text);
    ss_metric_set_limits(SS_METRIC_LIMIT_OUT,
        json_pack("{s:i, s:i}", "openai", 5, "a \"b\"", 2));
    text = ss_metrics_text(SS_METRIC_OF_COORDINATOR, "tester");
    expect_line(text, "# TYPE superstep_limit_out gauge");
    expect_line(text, "superstep_limit_out{limit=\"openai\"} 5");
    expect_line(text, "superstep_limit_out{limit=\"a \\\"b\\\"\"} 2");
    ss_metric_set_limits(SS_METRIC_LIMIT_OUT, NULL);
    ss_free(text);
    text = ss_metrics_text(SS_METRIC_OF_WORKER, "tester");
    expect_line(text, "superstep_worker_tasks_ended_total 5");
    ck_assert_ptr_null(strstr(text, "superstep_runs_started_total"));
    ss_free(text);
}
END_TEST

START_TEST(a_histogram_adds_up)
{
    const int64_t took_us[] = {0, 500, 501, 1500, 6000000};
    for (size_t i = 0; i < 5; i++)
        ss_metric_took(SS_METRIC_STORE_TIMES, took_us[i]);
    char *text = ss_metrics_text(SS_METRIC_OF_COORDINATOR, "tester");
    expect_line(text, "# TYPE superstep_store_seconds histogram");
    expect_line(text, "superstep_store_seconds_bucket{le=\"0.000500\"} 2");
    expect_line(text, "superstep_store_seconds_bucket{le=\"0.001000\"} 3");
    expect_line(text, "superstep_store_seconds_bucket{le=\"0.002000\"} 4");
    expect_line(text, "superstep_store_seconds_bucket{le=\"5.000000\"} 4");
    expect_line(text, "superstep_store_seconds_bucket{le=\"+Inf\"} 5");
    expect_line(text, "superstep_store_seconds_sum 6.002501");
    expect_line(text, "superstep_store_seconds_count 5");
    ck_assert_int_eq(ss_metric_get(SS_METRIC_STORE_TIMES), 5);
    ss_free(text);
}
END_TEST

// ------------------------------------------------------------------ HTTP

static struct ss_metrics_server *server;

static void serve(void)
{
    struct ss_error error;
    ck_assert_int_eq(ss_metrics_serve("127.0.0.1:0", SS_METRIC_OF_COORDINATOR,
                         "tester", &server, &error),
        SS_OK);
}

static void stop(void)
{
    ss_metrics_server_stop(&server);
    ck_assert_ptr_null(server);
    ss_metrics_server_stop(&server);
}

// The whole answer to some bytes; "" if none comes.
static const char *talk(const char *request)
{
    static char answer[1 << 16];
    struct sockaddr_in at = {.sin_family = AF_INET,
        .sin_port = htons((uint16_t)ss_metrics_server_port(server)),
        .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
    ck_assert_int_eq(
        write(fd, request, strlen(request)), (ssize_t)strlen(request));
    size_t size = 0;
    ssize_t more;
    while ((more = read(fd, answer + size, sizeof(answer) - 1 - size)) > 0)
        size += (size_t)more;
    answer[size] = '\0';
    close(fd);
    return answer;
}

static const char *get(const char *path)
{
    char request[256];
    snprintf(request, sizeof(request),
        "GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", path);
    return talk(request);
}

static void expect_answer(
    const char *answer, const char *status, const char *text)
{
    ck_assert_msg(strncmp(answer, status, strlen(status)) == 0, "%s", answer);
    ck_assert_msg(strstr(answer, text) != NULL, "%s", answer);
}

START_TEST(the_pages_are_served)
{
    serve();
    expect_answer(get("/metrics"), "HTTP/1.1 200", "\nsuperstep_runs_active 0");
    expect_answer(get("/metrics"), "HTTP/1.1 200", "version=0.0.4");
    expect_answer(get("/health"), "HTTP/1.1 503", "\r\n\r\nstarting\n");
    ss_health_set(NULL);
    expect_answer(get("/health"), "HTTP/1.1 200", "\r\n\r\nok\n");
    ss_health_set("it is tired");
    expect_answer(get("/health"), "HTTP/1.1 503", "\r\n\r\nit is tired\n");
    stop();
}
END_TEST

// Who restarts what is not live must not restart what only waits.
START_TEST(ready_is_not_live)
{
    serve();
    expect_answer(get("/ready"), "HTTP/1.1 503", "\r\n\r\nstarting\n");
    expect_answer(get("/live"), "HTTP/1.1 200", "\r\n\r\nok\n");
    ss_health_set(NULL);
    ss_live_set(ss_clock_ms());
    expect_answer(get("/live"), "HTTP/1.1 200", "\r\n\r\nok\n");
    ss_live_set(ss_clock_ms() - 61500);
    expect_answer(get("/live"), "HTTP/1.1 503", "has not turned for 61 s\n");
    expect_answer(get("/ready"), "HTTP/1.1 200", "\r\n\r\nok\n");
    ss_live_set(0);
    expect_answer(get("/live"), "HTTP/1.1 200", "\r\n\r\nok\n");
    stop();
}
END_TEST

// curl -I, and probes that want no text.
START_TEST(a_head_is_answered_without_the_page)
{
    serve();
    const char *answer =
        talk("HEAD /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    expect_answer(answer, "HTTP/1.1 200", "\r\n\r\n");
    ck_assert_str_eq(strstr(answer, "\r\n\r\n"), "\r\n\r\n");
    expect_answer(
        talk("HEAD /ready HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
        "HTTP/1.1 503", "\r\n\r\n");
    stop();
}
END_TEST

START_TEST(what_is_no_request_for_a_page_is_refused)
{
    serve();
    expect_answer(get("/"), "HTTP/1.1 404", "only /metrics");
    expect_answer(get("/metrics/../secret"), "HTTP/1.1 404", "/health");
    expect_answer(talk("POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: "
                       "3\r\nConnection: close\r\n\r\nabc"),
        "HTTP/1.1 405", "only GET");
    ck_assert_ptr_null(strstr(talk("\x16\x03\x01 nonsense\r\n\r\n"), "200"));
    expect_answer(get("/health"), "HTTP/1.1 503", "starting");
    stop();
}
END_TEST

START_TEST(addresses_are_checked)
{
    static const char *const wrong[] = {"", ":", "9464", "localhost:9464",
        "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:70000",
        "127.0.0.1:-1", "[::1", "[]:1", "::1:1", "[1.2.3.4]:1",
        "127.0.0.1:12 "};
    struct ss_error error;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        ck_assert_msg(ss_metrics_serve(wrong[i], SS_METRIC_OF_WORKER, "tester",
                          &server, &error) == SS_EINVAL,
            "%s", wrong[i]);
        ck_assert_ptr_nonnull(strstr(error.message, "not an ADDRESS:PORT"));
    }
}
END_TEST

START_TEST(a_port_that_is_taken_is_an_error)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in at = {
        .sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof(at);
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
    ck_assert_int_eq(listen(fd, 1), 0);
    ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&at, &size), 0);
    char address[32];
    snprintf(
        address, sizeof(address), "127.0.0.1:%u", (unsigned)ntohs(at.sin_port));
    struct ss_error error;
    ck_assert_int_eq(ss_metrics_serve(address, SS_METRIC_OF_WORKER, "tester",
                         &server, &error),
        SS_EIO);
    ck_assert_ptr_nonnull(strstr(error.message, address));
    close(fd);
}
END_TEST

// Else the kernel would give each of them some of the probes.
START_TEST(a_port_that_another_of_our_processes_has_is_an_error)
{
    struct ss_metrics_server *other = NULL;
    struct ss_error error;
    char address[32];
    serve();
    snprintf(address, sizeof(address), "127.0.0.1:%u",
        ss_metrics_server_port(server));
    ck_assert_int_eq(
        ss_metrics_serve(address, SS_METRIC_OF_WORKER, "other", &other, &error),
        SS_EIO);
    ck_assert_ptr_nonnull(strstr(error.message, address));
    (void)get("/metrics"); // its connection stays a while
    stop();
    ck_assert_int_eq(
        ss_metrics_serve(address, SS_METRIC_OF_WORKER, "other", &other, &error),
        SS_OK);
    ss_metrics_server_stop(&other);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("metrics");
    static const TTest *tests[10];
    size_t count = 0;
    tests[count++] = names_follow_the_rules_of_the_format;
    tests[count++] = each_process_shows_its_own;
    tests[count++] = a_histogram_adds_up;
    tests[count++] = the_pages_are_served;
    tests[count++] = ready_is_not_live;
    tests[count++] = a_head_is_answered_without_the_page;
    tests[count++] = what_is_no_request_for_a_page_is_refused;
    tests[count++] = addresses_are_checked;
    tests[count++] = a_port_that_is_taken_is_an_error;
    tests[count++] = a_port_that_another_of_our_processes_has_is_an_error;
    for (size_t i = 0; i < count; i++) {
        TCase *tcase = tcase_create(tests[i]->name);
        tcase_add_test(tcase, tests[i]);
        suite_add_tcase(suite, tcase);
    }
    return suite_main(suite);
}
