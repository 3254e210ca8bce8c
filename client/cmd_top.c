// cmd_top.c - superstep top: what a coordinator does, again and again.
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/list.h"
#include "client/cli/paused.h"
#include "client/commands.h"
#include "common/app/clock.h"
#include "common/app/signals.h"
#include "common/base/mem.h"
#include "common/model/value.h"

static int64_t interval_ms = 1000;
static bool once;

enum { TASKS_SHOWN = 15, INTERVAL_MIN_MS = 100, INTERVAL_MAX_MS = 3600000 };

const struct ss_arg ss_cmd_top_options[] = {
    SS_CLI_INT("interval-ms", 0, interval_ms, "N", INTERVAL_MIN_MS,
        INTERVAL_MAX_MS, "the time between two looks (1000)"),
    SS_CLI_FLAG("once", 0, once, "show it once, and end"), SS_CLI_OPTIONS};

static const struct ss_list_column worker_columns[] = {
    {"WORKER", "worker", SS_LIST_TEXT, true},
    {"RUNNING", "running", SS_LIST_NUMBER, false},
    {"CAPACITY", "capacity", SS_LIST_NUMBER, false},
    {"ATTEMPTS", "attempts", SS_LIST_NUMBER, false},
    {"LOST", "lost", SS_LIST_NUMBER, false},
    {"LAST SEEN", "seen_ms", SS_LIST_AGO, false},
};

static const struct ss_list_column task_columns[] = {
    {"STATE", "state", SS_LIST_TEXT, false},
    {"NODE", "node", SS_LIST_TEXT, false},
    {"THREAD", "thread", SS_LIST_TEXT, true},
    {"ATTEMPT", "attempt", SS_LIST_NUMBER, false},
    {"WORKER", "worker", SS_LIST_TEXT, true},
    {"SINCE", "since_ms", SS_LIST_AGO, false},
};

struct frame {
    json_t *status, *workers, *tasks;
};

static void forget(struct frame *frame)
{
    json_decref(frame->status);
    json_decref(frame->workers);
    json_decref(frame->tasks);
    *frame = (struct frame){NULL, NULL, NULL};
}

static int look(struct ss_client *client, struct frame *ret_frame,
    struct ss_client_error *error)
{
    struct frame frame = {NULL, NULL, NULL};
    int status =
        ss_client_ask(client, "status", NULL, NULL, &frame.status, error);
    if (status == 0)
        status = ss_client_workers(client, &frame.workers, error);
    if (status == 0)
        status = ss_client_ask(client, "tasks",
            json_pack("{s:i}", "limit", TASKS_SHOWN), NULL, &frame.tasks,
            error);
    if (status != 0)
        forget(&frame);
    else
        *ret_frame = frame;
    return status;
}

static int64_t sum_of(const json_t *workers, const char *key)
{
    int64_t sum = 0;
    size_t i;
    json_t *worker;
    json_array_foreach (workers, i, worker)
        sum += ss_json_int(worker, key, 0);
    return sum;
}

static void print_pauses(const json_t *pauses)
{
    size_t i;
    json_t *record;
    json_array_foreach (pauses, i, record) {
        char *text = ss_paused_text(record);
        puts(text);
        ss_free(text);
    }
    if (i > 0)
        puts("");
}

// The speed is the number of attempts since the last frame.
static void print_frame(const struct ss_client *client,
    const struct frame *frame, int64_t started, int64_t passed_ms)
{
    printf("%s  epoch %lld  runs %lld  threads %lld  workers %zu  tasks: %lld "
           "of %lld out, %lld ready",
        ss_client_endpoint(client),
        (long long)ss_json_int(frame->status, "epoch", 0),
        (long long)ss_json_int(frame->status, "runs", 0),
        (long long)ss_json_int(frame->status, "threads", 0),
        json_array_size(frame->workers),
        (long long)ss_json_int(frame->tasks, "running", 0),
        (long long)sum_of(frame->workers, "capacity"),
        (long long)ss_json_int(frame->tasks, "ready", 0));
    if (passed_ms > 0)
        printf(", %.0f/s", (double)started * 1000 / (double)passed_ms);
    puts("\n");
    print_pauses(json_object_get(frame->status, "pauses"));
    ss_cli_print_list(frame->workers, worker_columns,
        sizeof(worker_columns) / sizeof(*worker_columns),
        "No worker is connected.");
    puts("");
    ss_cli_print_list(json_object_get(frame->tasks, "tasks"), task_columns,
        sizeof(task_columns) / sizeof(*task_columns),
        "No task is out, and none waits.");
    fflush(stdout);
}

static void print_json(const struct frame *frame)
{
    json_t *json =
        json_pack("{s:O, s:O, s:O}", "status", frame->status, "workers",
            frame->workers, "tasks", json_object_get(frame->tasks, "tasks"));
    ss_cli_print_json(json);
    json_decref(json);
    fflush(stdout);
}

static bool is_asked_to_stop(struct ss_client *client, int signals)
{
    int64_t until_ms = ss_clock_ms() + interval_ms;
    while (ss_clock_ms() < until_ms) {
        ss_client_wait(client, signals, ss_clock_left(until_ms, ss_clock_ms()));
        if (ss_signals_take() != 0)
            return true;
    }
    return false;
}

static int watch(struct ss_client *client, int signals)
{
    struct ss_client_error error;
    int64_t attempts = -1, looked_ms = 0;
    bool is_screen = isatty(STDOUT_FILENO) && !once && !ss_cli_options.json;
    for (;;) {
        struct frame frame;
        if (look(client, &frame, &error) != 0)
            return ss_cli_client_fail(client, &error, NULL, NULL);
        int64_t now_ms = ss_clock_ms();
        int64_t now = sum_of(frame.workers, "attempts");
        if (is_screen)
            fputs("\033[H\033[2J", stdout); // to the corner, and clear
        if (ss_cli_options.json)
            print_json(&frame);
        else
            print_frame(client, &frame, now > attempts ? now - attempts : 0,
                attempts < 0 ? 0 : now_ms - looked_ms);
        attempts = now;
        looked_ms = now_ms;
        forget(&frame);
        if (once || is_asked_to_stop(client, signals))
            return SS_CLI_DONE;
    }
}

int ss_cmd_top(struct ss_client *client)
{
    static const int stops[] = {SIGINT, SIGTERM};
    struct ss_error error;
    int signals = -1;
    if (ss_signals_open(stops, 2, &signals, &error) != SS_OK)
        return ss_cli_fail("%s", error.message);
    int status = watch(client, signals);
    ss_signals_close();
    return status;
}
