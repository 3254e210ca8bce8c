// idle.c - why nothing happens.
#include "client/cli/idle.h"

#include <string.h>

#include "common/base/mem.h"

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

bool ss_idle_is_served(const json_t *workers, const char *graph)
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

char *ss_idle_look(struct ss_idle *idle, int64_t now_ms)
{
    if (!idle->graph || idle->is_told || now_ms - idle->since_ms < IDLE_MS)
        return NULL;
    if (!idle->call) {
        idle->call = ss_client_start(idle->client, "workers", NULL, NULL);
        return NULL;
    }
    if (!ss_client_call_is_done(idle->call))
        return NULL;
    json_t *answer;
    idle->is_told = true;
    if (ss_client_call_finish(&idle->call, &answer, NULL) != 0)
        return NULL;
    bool is_served =
        ss_idle_is_served(json_object_get(answer, "workers"), idle->graph);
    json_decref(answer);
    return is_served ? NULL
                     : ss_format("no worker serves graph \"%s\": its tasks "
                                 "wait. Start one: "
                                 "superstep-worker --app APP.so",
                           idle->graph);
}
