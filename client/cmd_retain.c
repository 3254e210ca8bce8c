// cmd_retain.c - superstep retain: forget what is old, over all threads.
//
//   a page of threads -> each: used since? --yes--> left alone
//                              | no
//                              +-- waits for an answer? --yes--> at most pruned
//                              +-- older than --delete-after --> deleted
//                              +-- older than --prune-after  --> pruned
//
// A thread whose rows are damaged is reported and left alone; the others go on.
// The coordinator decides on each thread at the moment when it changes it.
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "client/cli/input.h"
#include "client/cli/pages.h"
#include "client/commands.h"
#include "common/app/std_files.h"
#include "common/model/value.h"

static const char *delete_after;
static const char *prune_after;
static const char *every;

const struct ss_arg ss_cmd_retain_options[] = {
    SS_CLI_TEXT("delete-after", 0, delete_after, "AGE",
        "delete threads unused for this long: 90s, 15m, 12h, 30d;\n"
        "not those that wait for an answer"),
    SS_CLI_TEXT("prune-after", 0, prune_after, "AGE",
        "forget the past of threads unused for this long, keep\n"
        "their state and their questions"),
    SS_CLI_TEXT(
        "every", 0, every, "TIME", "repeat with this pause, until stopped"),
    SS_CLI_OPTIONS};

// What is to go, and what came of it.
struct retain {
    int64_t delete_ms, prune_ms;
    json_int_t threads, deleted, pruned, used, waiting, damaged, cached;
};

// What came of asking for one thread.
enum outcome {
    OUTCOME_DONE,
    OUTCOME_NOTHING,
    OUTCOME_USED,    // since then, or now
    OUTCOME_WAITS,   // for an answer
    OUTCOME_DAMAGED, // the error was printed
    OUTCOME_FAILED,  // the same, and no other thread is asked for
};

enum end { END_DELETE, END_PRUNE };

static enum outcome outcome_of_error(
    struct ss_client *client, const struct ss_client_error *error)
{
    int status = ss_cli_status(error);
    // The thread is in use, or was deleted meanwhile.
    if (status == SS_EBUSY || status == SS_EAGAIN || status == SS_ENOTFOUND)
        return OUTCOME_USED;
    ss_cli_client_fail(client, error, NULL, NULL);
    return status == SS_ECORRUPT ? OUTCOME_DAMAGED : OUTCOME_FAILED;
}

static enum outcome outcome_of(const json_t *answer)
{
    static const struct {
        const char *word;
        enum outcome outcome;
    } spared[] = {{"used", OUTCOME_USED}, {"waits", OUTCOME_WAITS}};
    const char *word = ss_json_str(answer, "spared", "");
    for (size_t i = 0; i < sizeof(spared) / sizeof(*spared); i++)
        if (strcmp(spared[i].word, word) == 0)
            return spared[i].outcome;
    return ss_json_int(answer, "rows", 0) > 0 ? OUTCOME_DONE : OUTCOME_NOTHING;
}

static enum outcome forget(
    struct ss_client *client, enum end end, const char *thread, int64_t idle_ms)
{
    static const char *const ops[] = {
        [END_DELETE] = "delete", [END_PRUNE] = "prune"};
    struct ss_client_error error;
    json_t *answer = NULL;
    json_t *body = json_pack("{s:s, s:I, s:b}", "thread", thread, "idle_ms",
        (json_int_t)idle_ms, "keep_waiting", end == END_DELETE);
    if (ss_client_ask(client, ops[end], body, NULL, &answer, &error) != 0)
        return outcome_of_error(client, &error);
    enum outcome outcome = outcome_of(answer);
    json_decref(answer);
    return outcome;
}

static int retain_thread(
    struct ss_client *client, const json_t *item, void *ctx)
{
    struct retain *it = ctx;
    const char *thread = ss_json_str(item, "thread", "");
    enum outcome result = OUTCOME_USED;
    it->threads++;
    if (it->delete_ms > 0)
        result = forget(client, END_DELETE, thread, it->delete_ms);
    it->waiting += result == OUTCOME_WAITS;
    if (result == OUTCOME_DONE || result == OUTCOME_NOTHING) {
        it->deleted += it->delete_ms > 0;
        return SS_CLI_DONE;
    }
    if (it->prune_ms > 0 && result != OUTCOME_DAMAGED &&
        result != OUTCOME_FAILED)
        result = forget(client, END_PRUNE, thread, it->prune_ms);
    it->damaged += result == OUTCOME_DAMAGED;
    it->pruned += result == OUTCOME_DONE;
    it->used += result == OUTCOME_USED;
    return result == OUTCOME_FAILED ? SS_CLI_FAILED : SS_CLI_DONE;
}

// Delete cached results that have expired.
static bool clear_expired(struct ss_client *client, struct retain *counts)
{
    struct ss_client_error error;
    json_t *answer = NULL;
    if (ss_client_ask(client, "clear_cache", json_pack("{s:b}", "expired", 1),
            NULL, &answer, &error) == 0) {
        counts->cached = ss_json_int(answer, "entries", 0);
        json_decref(answer);
        return true;
    }
    if (ss_cli_status(&error) == SS_EINVAL)
        return true; // a coordinator of an older version
    ss_cli_client_fail(client, &error, NULL, NULL);
    return false;
}

static void print(const struct retain *counts)
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
    ss_stdout_flush();
}

int ss_cmd_retain(struct ss_client *client)
{
    int64_t delete_ms, prune_ms, every_ms;
    if (!ss_cli_age("delete-after", delete_after, &delete_ms) ||
        !ss_cli_age("prune-after", prune_after, &prune_ms) ||
        !ss_cli_age("every", every, &every_ms))
        return SS_CLI_USAGE;
    if (delete_ms == 0 && prune_ms == 0)
        return ss_cli_usage(
            "say what may go: --delete-after AGE, --prune-after AGE, or both");
    for (;;) {
        struct retain it = {.delete_ms = delete_ms, .prune_ms = prune_ms};
        if (ss_cli_each(client, "threads", retain_thread, &it) != SS_CLI_DONE ||
            !clear_expired(client, &it))
            return SS_CLI_FAILED;
        print(&it);
        if (every_ms == 0)
            return it.damaged > 0 ? SS_CLI_FAILED : SS_CLI_DONE;
        for (int64_t left = every_ms; left > 0;) {
            int64_t some = left < 3600000 ? left : 3600000;
            poll(NULL, 0, (int)some);
            left -= some;
        }
    }
}
