// reply.c - answers to requests, given at once. Those that wait for rows are in
// reply_later.c.
#include <stdarg.h>
#include <stdio.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/request.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/answers.h"
#include "coordinator/engine/threads/thread_impl.h"

json_t *ss_error_json(int status, const char *message)
{
    json_t *text = json_string(message);
    return json_pack("{s:s, s:o}", "code", ss_status_name(status), "message",
        text ? text : json_string("(not UTF-8)"));
}

static void reply(
    struct engine *engine, const char *peer, uint64_t id, json_t *body)
{
    ss_check(body);
    ss_engine_command(engine, (struct ss_command){.type = SS_COMMAND_REPLY,
                                  .peer = ss_strdup(peer),
                                  .id = id,
                                  .json = body});
}

void ss_reply(
    struct engine *engine, const struct ss_request *request, json_t *body)
{
    reply(engine, request->peer, request->id, body);
}

void ss_reply_refused(struct engine *engine, const char *peer, uint64_t id,
    int status, const char *message)
{
    struct ss_error cut; // between characters
    ss_error_set(&cut, status, "%s", message);
    reply(engine, peer, id,
        json_pack("{s:o}", "error", ss_error_json(status, cut.message)));
}

void ss_reply_error(struct engine *engine, const struct ss_request *request,
    int status, const char *format, ...)
{
    char text[SS_ERROR_SIZE];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof(text), format, list);
    va_end(list);
    ss_reply_refused(engine, request->peer, request->id, status, text);
}

json_t *ss_config_json(const struct thread *thread, const char *ns,
    const char *id, const json_t *parents)
{
    json_t *config = json_pack("{s:s, s:s, s:s*}", "thread_id",
        thread->facts.id, "checkpoint_ns", ns, "checkpoint_id", id);
    if (json_object_size(parents) > 0 && id) {
        json_t *map = json_deep_copy(parents);
        json_object_set_new(map, ns, json_string(id));
        json_object_set_new(config, "checkpoint_map", map);
    }
    return config;
}
