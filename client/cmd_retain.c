// cmd_retain.c - superstep retain: forget what is old, over all threads.
//
//   a page of threads -> each: used since? --yes--> left alone
//                              | no
//                              +-- waits for an answer? --yes--> at most pruned
//                              +-- older than --delete-after --> deleted
//                              +-- older than --prune-after  --> pruned
//
// One whose rows are damaged is told of and left; the others go on.
// The coordinator decides on each thread, at the moment of its change.
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/commands.h"
#include "common/base/mem.h"
#include "common/model/value.h"

enum { PAGE = 500 };

static const char *delete_after;
static const char *prune_after;
static const char *every;

static const struct ss_arg options[] = {{.name = "delete-after",
                                            .kind = SS_ARG_TEXT,
                                            .to = &delete_after,
                                            .value = "AGE",
                                            .help = "delete threads unused for "
                                                    "so long: 90s, 15m, 12h, "
                                                    "30d;\n"
                                                    "not those that wait for "
                                                    "an answer"},
    {.name = "prune-after",
        .kind = SS_ARG_TEXT,
        .to = &prune_after,
        .value = "AGE",
        .help = "forget the past of threads unused for so long, keep\n"
                "their state and their questions"},
    {.name = "every",
        .kind = SS_ARG_TEXT,
        .to = &every,
        .value = "TIME",
        .help = "again and again, with such a pause, until stopped"},
    SS_CLI_OPTIONS};

struct counts {
    json_int_t threads, deleted, pruned, used, waiting, damaged, cached;
};

// "30d" in milliseconds; 0: none was given. False after an error was said.
static bool parse_age(const char *name, const char *text, int64_t *ret_ms)
{
    static const struct {
        char letter;
        int64_t ms;
    } units[] = {
        {'s', 1000}, {'m', 60000}, {'h', 3600000}, {'d', 86400000}};
    *ret_ms = 0;
    if (!text)
        return true;
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
        if (errno == 0 && end != text && number > 0 &&
            *end == units[i].letter && end[1] == '\0' &&
            number <= INT64_MAX / 1000 / units[i].ms) {
            *ret_ms = number * units[i].ms;
            return true;
        }
    ss_cli_usage("--%s wants a time: a number and s, m, h or d, as 30d, not "
                 "\"%.40s\"",
        name, text);
    return false;
}

// Ask for one thread. "done", "nothing", "used", "waits", "damaged" (that was
// said), or NULL after another error was said.
static const char *forget(struct ss_client *client, const char *op,
    const char *thread, int64_t idle_ms)
{
    struct ss_client_error error;
    json_t *answer = NULL;
    json_t *body = json_pack("{s:s, s:I, s:b}", "thread", thread, "idle_ms",
        (json_int_t)idle_ms, "keep_waiting", strcmp(op, "delete") == 0);
    if (ss_client_ask(client, op, body, NULL, &answer, &error) != 0) {
        // It is at work, or was deleted meanwhile.
        if (strcmp(error.code, "busy") == 0 ||
            strcmp(error.code, "again") == 0 ||
            strcmp(error.code, "not_found") == 0)
            return "used";
        ss_cli_client_fail(client, &error, NULL, NULL);
        return strcmp(error.code, "corrupt") == 0 ? "damaged" : NULL;
    }
    const char *spared = ss_json_str(answer, "spared", "");
    const char *result = strcmp(spared, "used") == 0    ? "used"
                         : strcmp(spared, "waits") == 0 ? "waits"
                         : ss_json_int(answer, "rows", 0) > 0 ? "done"
                                                              : "nothing";
    json_decref(answer);
    return result;
}

static bool retain_thread(struct ss_client *client, const char *thread,
    int64_t delete_ms, int64_t prune_ms, struct counts *counts)
{
    const char *result = "used";
    counts->threads++;
    if (delete_ms > 0)
        result = forget(client, "delete", thread, delete_ms);
    if (!result)
        return false;
    if (strcmp(result, "waits") == 0)
        counts->waiting++;
    if (strcmp(result, "done") == 0 || strcmp(result, "nothing") == 0) {
        counts->deleted += delete_ms > 0;
        return true;
    }
    if (prune_ms > 0 && strcmp(result, "damaged") != 0)
        result = forget(client, "prune", thread, prune_ms);
    if (!result)
        return false;
    counts->damaged += strcmp(result, "damaged") == 0;
    counts->pruned += strcmp(result, "done") == 0;
    counts->used += strcmp(result, "used") == 0;
    return true;
}

static bool page_through(struct ss_client *client, int64_t delete_ms,
    int64_t prune_ms, struct counts *counts)
{
    char *after = NULL;
    bool is_ok = true;
    size_t count = PAGE;
    while (is_ok && count == PAGE) {
        struct ss_client_error error;
        json_t *threads = NULL;
        json_t *more = json_pack("{s:i, s:s*}", "limit", PAGE, "after", after);
        if (ss_client_threads(client, more, &threads, &error) != 0) {
            ss_cli_client_fail(client, &error, NULL, NULL);
            is_ok = false;
            break;
        }
        count = json_array_size(threads);
        for (size_t i = 0; i < count && is_ok; i++) {
            const char *name =
                ss_json_str(json_array_get(threads, i), "thread", "");
            ss_free(after);
            after = ss_strdup(name);
            is_ok = retain_thread(client, name, delete_ms, prune_ms, counts);
        }
        json_decref(threads);
    }
    ss_free(after);
    return is_ok;
}

// Results whose time is over serve nobody.
static bool clear_expired(struct ss_client *client, struct counts *counts)
{
    struct ss_client_error error;
    json_t *answer = NULL;
    if (ss_client_ask(client, "clear_cache", json_pack("{s:b}", "expired", 1),
            NULL, &answer, &error) == 0) {
        counts->cached = ss_json_int(answer, "entries", 0);
        json_decref(answer);
        return true;
    }
    if (strcmp(error.code, "invalid_argument") == 0)
        return true; // a coordinator of an older version
    ss_cli_client_fail(client, &error, NULL, NULL);
    return false;
}

static void print(const struct counts *counts)
{
    if (ss_cli_options.json)
        printf("{\"threads\": %lld, \"deleted\": %lld, \"pruned\": %lld, "
               "\"used\": %lld, \"waiting\": %lld, \"damaged\": %lld, "
               "\"cached\": %lld}\n",
            (long long)counts->threads, (long long)counts->deleted,
            (long long)counts->pruned, (long long)counts->used,
            (long long)counts->waiting, (long long)counts->damaged,
            (long long)counts->cached);
    else
        printf("%lld threads: %lld deleted, %lld pruned, %lld in use, %lld "
               "wait for an answer, %lld damaged; %lld expired results "
               "cleared\n",
            (long long)counts->threads, (long long)counts->deleted,
            (long long)counts->pruned, (long long)counts->used,
            (long long)counts->waiting, (long long)counts->damaged,
            (long long)counts->cached);
    fflush(stdout);
}

static int run(struct ss_client *client)
{
    int64_t delete_ms, prune_ms, every_ms;
    if (!parse_age("delete-after", delete_after, &delete_ms) ||
        !parse_age("prune-after", prune_after, &prune_ms) ||
        !parse_age("every", every, &every_ms))
        return SS_CLI_USAGE;
    if (delete_ms == 0 && prune_ms == 0)
        return ss_cli_usage(
            "say what may go: --delete-after AGE, --prune-after AGE, or both");
    for (;;) {
        struct counts counts = {0};
        if (!page_through(client, delete_ms, prune_ms, &counts) ||
            !clear_expired(client, &counts))
            return SS_CLI_FAILED;
        print(&counts);
        if (every_ms == 0)
            return counts.damaged > 0 ? SS_CLI_FAILED : SS_CLI_DONE;
        for (int64_t left = every_ms; left > 0;) {
            int64_t some = left < 3600000 ? left : 3600000;
            poll(NULL, 0, (int)some);
            left -= some;
        }
    }
}

const struct ss_cli_command ss_cmd_retain = {
    .name = "retain",
    .usage = "--delete-after AGE | --prune-after AGE",
    .summary = "delete or prune the threads that nobody used for long",
    .about = "A thread that is at work, or used since, is left alone. Cached "
             "results whose time\nis over go too. Run it by a timer, or with "
             "--every.",
    .options = options,
    .run = run,
};
