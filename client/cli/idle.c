// idle.c - why nothing happens.
#include "client/cli/idle.h"

#include <string.h>

#include "client/cli/paused.h"
#include "client/cli/waiting.h"
#include "common/base/mem.h"
#include "common/model/value.h"
#include "common/model/wait_reason.h"

enum { IDLE_MS = 3000 };

void ss_idle_init(struct ss_idle *idle, struct ss_client *client,
    const char *graph, int64_t now_ms)
{
    *idle =
        (struct ss_idle){.client = client, .graph = graph, .since_ms = now_ms};
}

void ss_idle_fini(struct ss_idle *idle)
{
    ss_client_call_drop(&idle->call);
}

void ss_idle_reset(struct ss_idle *idle, int64_t now_ms)
{
    idle->since_ms = now_ms;
    idle->is_told = false;
}

// Whether one of the workers (requests.md) serves the graph.
static bool idle_is_served(const json_t *workers, const char *graph)
{
    size_t i, j, size = strlen(graph);
    json_t *worker, *served;
    json_array_foreach (workers, i, worker)
        json_array_foreach (json_object_get(worker, "graphs"), j, served) {
            const char *name = json_string_value(served);
            if (name && strncmp(name, graph, size) == 0 &&
                (name[size] == '@' || name[size] == '\0'))
                return true;
        }
    return false;
}

static char *paused_text(const json_t *record)
{
    char *what = ss_paused_text(record);
    char *text = ss_format("it waits: %s", what);
    ss_free(what);
    return text;
}

// What waits for something that does not come by itself, or not soon. Gives;
// NULL: nothing does.
static char *waiting_text(const json_t *waits)
{
    size_t i;
    json_t *wait;
    json_array_foreach (waits, i, wait) {
        enum ss_wait_reason why = ss_wait_reason_of(wait);
        bool lacks_label = why == SS_WAIT_NO_LABEL;
        if (!lacks_label && why != SS_WAIT_LIMIT && why != SS_WAIT_BACKOFF)
            continue;
        char *what = ss_waiting_text(wait);
        char *text =
            ss_format("node \"%s\" %s%s", ss_json_str(wait, "node", "?"), what,
                lacks_label ? ". Start one with --label" : "");
        ss_free(what);
        return text;
    }
    return NULL;
}

char *ss_idle_explained(const json_t *explained)
{
    const json_t *paused = json_object_get(explained, "paused");
    if (paused)
        return paused_text(paused);
    bool waits = json_is_false(json_object_get(explained, "graph_known"));
    const char *version = ss_json_str(explained, "version", "?");
    size_t i;
    json_t *wait;
    json_array_foreach (json_object_get(explained, "waits"), i, wait)
        waits = waits || ss_wait_reason_of(wait) == SS_WAIT_NO_WORKER;
    return !waits ? waiting_text(json_object_get(explained, "waits"))
                  : ss_format("no worker serves version %.8s of graph \"%s\": "
                              "its tasks wait. Start one: superstep-worker "
                              "--app APP.so; or move the run to another "
                              "version: superstep migrate %.8s",
                        version, ss_json_str(explained, "graph", "?"),
                        ss_json_str(explained, "run", "RUN"));
}

static void ask(struct ss_idle *idle)
{
    json_t *body = idle->run ? json_pack("{s:s, s:s*}", "run", idle->run,
                                   "thread", idle->thread)
                             : NULL;
    idle->call = ss_client_start(
        idle->client, idle->run ? "explain" : "workers", body, NULL);
}

static char *tell(const struct ss_idle *idle, const json_t *answer)
{
    const json_t *explained = json_object_get(answer, "explain");
    const json_t *workers = json_object_get(answer, "workers");
    if (explained)
        return ss_idle_explained(explained);
    return !idle->graph || idle_is_served(workers, idle->graph)
               ? NULL
               : ss_format("no worker serves graph \"%s\": its tasks "
                           "wait. Start one: "
                           "superstep-worker --app APP.so",
                     idle->graph);
}

char *ss_idle_look(struct ss_idle *idle, int64_t now_ms)
{
    if ((!idle->graph && !idle->run) || idle->is_told ||
        now_ms - idle->since_ms < IDLE_MS)
        return NULL;
    if (!idle->call) {
        ask(idle);
        return NULL;
    }
    if (!ss_client_call_is_done(idle->call))
        return NULL;
    json_t *answer;
    idle->is_told = true;
    if (ss_client_call_finish(&idle->call, &answer, NULL) != 0)
        return NULL;
    char *why = tell(idle, answer);
    json_decref(answer);
    return why;
}
