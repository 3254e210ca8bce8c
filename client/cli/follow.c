// follow.c - a run as a person at a terminal sees it.
#include "client/cli/follow.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/advice.h"
#include "client/cli/cli.h"
#include "client/cli/first_graph.h"
#include "client/cli/idle.h"
#include "client/cli/paused.h"
#include "client/cli/pretty.h"
#include "client/cli/steps.h"
#include "client/cli/text.h"
#include "common/app/clock.h"
#include "common/app/signals.h"
#include "common/app/std_files.h"
#include "common/base/mem.h"
#include "common/model/run_status.h"
#include "common/model/value.h"

enum {
    REDRAW_MS = 200,
    LOOK_MS = 1000,
    WIDTH_DEFAULT = 80,
    LINES_SIZE_MAX = 1024 * 1024
};

struct watch {
    const struct ss_follow *follow;
    struct ss_steps *steps; // NULL: not shown
    bool is_live;           // stderr is a terminal: the last line is redrawn
    bool is_drawn;          // there is a line to be redrawn
    struct ss_idle idle;
    char *run;
    char *thread;
    json_t *warned; // what was warned of when the run was accepted; or NULL
};

// --------------------------------------------------------------------- showing

static size_t stderr_width(void)
{
    struct ss_screen screen = ss_screen_of(STDERR_FILENO);
    return screen.width > 0 ? screen.width : WIDTH_DEFAULT;
}

static void erase_live(struct watch *watch)
{
    if (watch->is_drawn)
        fputs("\r\033[K", stderr);
    watch->is_drawn = false;
}

static void draw_live(struct watch *watch)
{
    if (!watch->steps || !watch->is_live)
        return;
    struct ss_buf line;
    ss_buf_init(&line, LINES_SIZE_MAX);
    ss_steps_live(watch->steps, ss_clock_us(), &line);
    erase_live(watch);
    if (line.size > 0) {
        char *cut = ss_text_cut(ss_buf_str(&line), stderr_width() - 1);
        fputs(cut, stderr);
        ss_free(cut);
        watch->is_drawn = true;
    }
    ss_buf_fini(&line);
    fflush(stderr);
}

static void print_lines(struct watch *watch, const struct ss_buf *lines)
{
    if (lines->size == 0)
        return;
    erase_live(watch);
    fputs(ss_buf_str(lines), stderr);
}

// Say why nothing happens, where that is known.
static void look_idle(struct watch *watch)
{
    char *why = ss_idle_look(&watch->idle, ss_clock_ms());
    if (!why)
        return;
    erase_live(watch);
    ss_cli_note("%s", why);
    ss_free(why);
}

static void on_wait(void *ctx, const char *why)
{
    erase_live(ctx);
    ss_cli_tell_wait(NULL, why);
}

// One event of --stream.
static void print_event(const json_t *event)
{
    if (ss_cli_options.json) {
        ss_cli_print_json(event);
        return;
    }
    struct ss_buf buf;
    ss_buf_init(&buf, LINES_SIZE_MAX);
    ss_buf_addf(&buf, "%-11s ", ss_json_str(event, "mode", "?"));
    json_t *ns = json_object_get(event, "ns");
    for (size_t i = 0; i < json_array_size(ns); i++)
        ss_buf_addf(&buf, "%s%s", json_string_value(json_array_get(ns, i)),
            i + 1 < json_array_size(ns) ? "|" : "  ");
    char *plain = ss_text_plain(ss_buf_str(&buf));
    json_t *data = json_object_get(event, "data");
    char *line = data ? ss_text_line(data) : ss_text_line(event);
    ss_stdout_print(plain);
    ss_stdout_print(line);
    ss_stdout_print("\n");
    ss_stdout_flush();
    ss_free(line);
    ss_free(plain);
    ss_buf_fini(&buf);
}

static void tell_paused(const json_t *accepted)
{
    const json_t *record = json_object_get(accepted, "paused");
    char *text = record ? ss_paused_text(record) : NULL;
    if (text)
        ss_cli_warn("the run waits: %s", text);
    ss_free(text);
}

// At once: the end may be hours away. Programs read it in the final answer.
static void warn_early(struct watch *watch, const json_t *accepted)
{
    json_t *warnings = json_object_get(accepted, "warnings");
    if (!warnings || ss_cli_options.json)
        return;
    json_decref(watch->warned);
    watch->warned = json_incref(warnings);
    erase_live(watch);
    ss_cli_warn_all(accepted);
}

static void on_item(void *ctx, const json_t *item)
{
    struct watch *watch = ctx;
    ss_idle_reset(&watch->idle, ss_clock_ms());
    if (json_object_get(item, "accepted")) {
        ss_free(watch->run);
        ss_free(watch->thread);
        watch->run = ss_strdup(ss_json_str(item, "run", NULL));
        watch->thread = ss_strdup(ss_json_str(item, "thread", NULL));
        watch->idle.run = watch->run;
        watch->idle.thread = watch->thread;
        if (watch->steps && !watch->follow->thread && watch->thread)
            ss_cli_line(stderr, "thread %s", watch->thread);
        if (watch->steps && ss_run_status_of(item) == SS_RUN_QUEUED)
            ss_cli_line(stderr,
                "the run waits for its turn: another is under way "
                "on thread %s",
                watch->thread);
        if (json_object_get(item, "paused"))
            watch->idle.is_told = true;
        tell_paused(item);
        warn_early(watch, item);
        return;
    }
    if (watch->follow->stream) {
        print_event(item);
        return;
    }
    if (!watch->steps)
        return;
    struct ss_buf lines;
    ss_buf_init(&lines, LINES_SIZE_MAX);
    ss_steps_event(watch->steps, item, ss_clock_us(), &lines);
    print_lines(watch, &lines);
    ss_buf_fini(&lines);
}

// --------------------------------------------------------------------- the end

static void print_stats(const json_t *answer)
{
    json_t *stats = json_object_get(answer, "stats");
    int64_t restored = ss_json_int(stats, "restored", 0);
    if (restored == 0)
        return;
    char *steps =
        ss_text_count(ss_json_int(stats, "supersteps", 0), "superstep");
    char *tasks = ss_text_count(ss_json_int(stats, "tasks", 0), "task");
    fprintf(stderr, "%s, %s; %lld more were taken from pending writes\n", steps,
        tasks, (long long)restored);
    ss_free(steps);
    ss_free(tasks);
}

// "thread T: node \"N\": MESSAGE", with what the message has not said itself.
// Gives.
static char *failure_of(
    const char *thread, const char *node, const char *message)
{
    char *where = ss_format("thread %s", thread ? thread : "?");
    char *who = node ? ss_format("node \"%s\"", node) : ss_strdup("");
    bool says_where = strstr(message, where) != NULL;
    bool says_who = strncmp(message, who, strlen(who)) == 0;
    char *names = ss_format("%s%s%s%s", says_where ? "" : where,
        says_where ? "" : ": ", says_who ? "" : who, says_who ? "" : ": ");
    char *plain = ss_text_plain(names);
    char *text = ss_format("%s%s", plain, message);
    ss_free(plain);
    ss_free(names);
    ss_free(where);
    ss_free(who);
    return text;
}

static int print_failure(const struct ss_follow *follow, const json_t *answer)
{
    json_t *error = json_object_get(answer, "error");
    const char *code = ss_json_str(error, "code", "failed");
    const char *thread = ss_json_str(answer, "thread", follow->thread);
    char *text = failure_of(thread, ss_json_str(error, "node", NULL),
        ss_json_str(error, "message", "the run failed without a message"));
    int status = ss_cli_fail_lines(code, "%s (%s)", text, code);
    ss_free(text);
    return status;
}

// Whole on one line for programs; a screen of it for people.
static void print_output(const json_t *output, const char *thread)
{
    struct ss_screen screen = ss_cli_screen();
    struct ss_buf buf;
    if (screen.width == 0) {
        ss_cli_print_json(output);
        return;
    }
    ss_buf_init(&buf, SS_CLI_PAGE_SIZE_MAX);
    bool is_cut =
        ss_pretty_write(output, screen.width, ss_pretty_rows(&screen), &buf);
    ss_cli_print_buf(&buf);
    if (is_cut && thread)
        ss_cli_tell_all(thread, NULL, NULL);
}

// But what was told early.
static void warn_rest(const struct watch *watch, const json_t *answer)
{
    json_t *rest = json_array(), *warning, *told;
    size_t i, k;
    json_array_foreach (json_object_get(answer, "warnings"), i, warning) {
        bool is_told = false;
        json_array_foreach (watch->warned, k, told)
            is_told = is_told || json_equal(told, warning);
        if (!is_told)
            json_array_append(rest, warning);
    }
    json_t *all = json_pack("{s:o}", "warnings", rest);
    ss_cli_warn_all(all);
    json_decref(all);
}

// Print a final answer, on stdout and stderr. Returns the exit status.
static int follow_end(const struct watch *watch, const json_t *answer)
{
    const struct ss_follow *follow = watch->follow;
    enum ss_run_status status = ss_run_status_of(answer);
    const char *word = ss_json_str(answer, "status", NULL);
    bool goes_on = !word || ss_run_is_under_way(answer); // detached
    if (ss_cli_options.json) {
        ss_cli_print_json(answer);
    } else if (goes_on) {
        tell_paused(answer);
        warn_rest(watch, answer);
        ss_cli_line(stdout, "run %s  thread %s",
            ss_json_str(answer, "run", "?"),
            ss_json_str(answer, "thread", "?"));
    } else {
        warn_rest(watch, answer);
        json_t *output = json_object_get(answer, "output");
        if (output && (!json_is_null(output) || status == SS_RUN_DONE))
            print_output(output, ss_json_str(answer, "thread", follow->thread));
        ss_stdout_flush();
    }
    if (goes_on || status == SS_RUN_DONE)
        return SS_CLI_DONE;
    if (status == SS_RUN_INTERRUPTED) {
        if (!ss_cli_options.json)
            ss_cli_advise(follow->graph,
                ss_json_str(answer, "thread", follow->thread),
                json_object_get(answer, "interrupts"), stderr);
        return SS_CLI_INTERRUPTED;
    }
    if (status == SS_RUN_FAILED)
        return print_failure(follow, answer);
    return ss_cli_fail_as(word, "the run was %s", word);
}

static void tell_goes_on(const char *run)
{
    ss_cli_line(
        stderr, "The run goes on.  Follow it:  superstep attach %s", run);
    ss_cli_line(
        stderr, "                  Stop it:    superstep cancel %s", run);
}

static int stopped(const struct watch *watch)
{
    if (watch->run)
        tell_goes_on(watch->run);
    else
        ss_cli_fail("stopped before the run was accepted");
    return SS_CLI_STOPPED;
}

// What was accepted is not lost, though nobody tells of it any more.
static int failed(struct ss_client *client, const struct watch *watch,
    const struct ss_client_error *error)
{
    int status = ss_cli_client_fail(
        client, error, watch->follow->graph, watch->follow->thread);
    if (status == SS_CLI_ALONE && watch->run && !ss_cli_options.json)
        tell_goes_on(watch->run);
    return status;
}

// A run that was refused before it began, perhaps since no graph is there yet.
static bool awaits_graph(
    const struct watch *watch, const struct ss_client_error *error)
{
    return !watch->run && watch->follow->graph &&
           strcmp(watch->follow->op, "run") == 0 &&
           ss_cli_status(error) == SS_ENOTFOUND &&
           strstr(error->message, " graph \"");
}

// What the run ends with. `*call` is done, and gone behind this.
static int finish(struct ss_client *client, struct watch *watch, int signals,
    struct ss_client_call **call, bool *ret_again)
{
    struct ss_buf lines;
    ss_buf_init(&lines, LINES_SIZE_MAX);
    if (watch->steps)
        ss_steps_end(watch->steps, ss_clock_us(), &lines);
    print_lines(watch, &lines);
    ss_buf_fini(&lines);
    erase_live(watch);
    json_t *answer;
    struct ss_client_error error;
    if (ss_client_call_finish(call, &answer, &error) != 0) {
        enum ss_first_graph first = awaits_graph(watch, &error)
                                        ? ss_first_graph_await(client, signals)
                                        : SS_FIRST_GRAPH_KNOWN;
        *ret_again = first == SS_FIRST_GRAPH_CAME;
        if (first == SS_FIRST_GRAPH_STOPPED)
            return stopped(watch);
        return *ret_again ? SS_CLI_DONE : failed(client, watch, &error);
    }
    if (watch->steps)
        print_stats(answer);
    int status = follow_end(watch, answer);
    json_decref(answer);
    return status;
}

// The modes to ask for: what is shown, or what the lines need.
static void set_modes(const struct ss_follow *follow, bool is_shown)
{
    json_t *modes = json_array();
    if (is_shown) {
        json_array_append_new(modes, json_string("updates"));
        json_array_append_new(modes, json_string("progress"));
    }
    for (const char *at = follow->stream; at && *at;) {
        size_t size = strcspn(at, ",");
        if (size > 0)
            json_array_append_new(modes, json_stringn(at, size));
        at += size + (at[size] == ',');
    }
    if (json_array_size(modes) > 0)
        json_object_set(follow->body, "stream", modes);
    json_decref(modes);
}

// Behind `| head` nobody reads any more. A run is left once it is accepted.
static bool is_unread(const struct watch *watch)
{
    struct pollfd out = {.fd = STDOUT_FILENO};
    return watch->follow->stream && watch->run && poll(&out, 1, 0) == 1 &&
           (out.revents & POLLERR);
}

// *ret_again: nothing has begun, and now it may.
static int ask_once(
    struct ss_client *client, struct watch *watch, int signals, bool *ret_again)
{
    struct ss_client_call *call = ss_client_start(client, watch->follow->op,
        json_incref(watch->follow->body),
        &(struct ss_client_ask){.on_item = on_item, .ctx = watch});
    bool is_stopped = false, is_left = false;
    while (!ss_client_call_is_done(call) && !is_stopped && !is_left) {
        is_stopped = ss_client_wait(
            client, signals, watch->is_live ? REDRAW_MS : LOOK_MS);
        look_idle(watch);
        draw_live(watch);
        is_left = !ss_client_call_is_done(call) && is_unread(watch);
    }
    if (!is_stopped && !is_left)
        return finish(client, watch, signals, &call, ret_again);
    erase_live(watch);
    ss_client_call_drop(&call);
    if (is_stopped)
        return stopped(watch);
    tell_goes_on(watch->run);
    return SS_CLI_DONE;
}

int ss_cli_follow(struct ss_client *client, const struct ss_follow *follow)
{
    static const int stops[] = {SIGINT, SIGTERM};
    struct watch watch = {.follow = follow};
    int signals = -1;
    struct ss_error error;
    if (!follow->body)
        return ss_cli_usage("a word of the command is not text in UTF-8");
    if (ss_signals_open(stops, 2, &signals, &error) != SS_OK) {
        json_decref(follow->body);
        return ss_cli_fail("%s", error.message);
    }
    bool is_shown = !follow->stream && !ss_cli_options.json &&
                    (follow->progress || isatty(STDERR_FILENO));
    watch.is_live = is_shown && isatty(STDERR_FILENO);
    if (is_shown)
        watch.steps = ss_steps_new(stderr_width(), ss_clock_us());
    ss_idle_init(&watch.idle, client, follow->graph, ss_clock_ms());
    set_modes(follow, is_shown);
    ss_client_on_wait(client, on_wait, &watch);
    int status;
    bool again;
    do {
        again = false;
        status = ask_once(client, &watch, signals, &again);
    } while (again);
    json_decref(follow->body);
    ss_client_on_wait(client, ss_cli_tell_wait, NULL);
    ss_signals_close();
    ss_idle_fini(&watch.idle);
    ss_steps_destroy(&watch.steps);
    ss_free(watch.run);
    ss_free(watch.thread);
    json_decref(watch.warned);
    return status;
}
