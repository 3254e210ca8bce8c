// pause.c - graphs whose tasks are not sent until somebody says so.
//
//   goes on --`pause`: its record is durable--> paused --`unpause`: none-->
//   goes on
//
// A record is of everything, of a graph, or of one version of a graph; a run
// waits while any of them holds its root graph. What is paused sends no new
// task of its runs; all else goes on:
// - attempts that are out end, and what they gave is stored;
// - a run that is asked for is entered, acknowledged, and waits; so does one
//   whose turn comes, whose answer comes, or that is found after a crash;
// - a retry that is due, and a task whose worker was lost, wait with the
//   others;
// - what is not a task of a run is not held back: state, history, updates (and
//   the tasks of theirs), cancel, migrate.
// Nothing of it is in the journal: a pause is not what happened to a thread.
//
// Records are durable before they are answered, and hold from then on. Another
// coordinator's are told by the shell (PAUSES): before the runs of shards that
// were gained, and with each look at the members. Both come through the queue
// that our own records go through, so what is told later is newer.
#include <string.h>

#include "common/base/ids.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/graph.h"
#include "common/model/journal.h"
#include "common/model/request.h"
#include "common/model/run_status.h"
#include "common/model/suggest.h"
#include "common/model/value.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/runs/pause.h"
#include "coordinator/engine/runs/runs_impl.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/answers.h"
#include "coordinator/engine/threads/graphs.h"
#include "coordinator/engine/threads/invariant.h"

#define KEY_ALL "all"

// A change of what is paused, on its way to the store.
struct pausing {
    uint64_t tag;
    struct ss_request *request;
    char *key;
    json_t *record; // NULL: it goes on
};

struct pauses {
    struct ss_map by_key; // -> json_t *, its record
    size_t of_versions;   // of those
    SS_VEC(struct pausing) under_way;
};

void ss_pauses_init(struct engine *engine)
{
    engine->pauses = ss_zalloc(1, sizeof(*engine->pauses));
}

size_t ss_pauses_count(const struct engine *engine)
{
    return engine->pauses->by_key.count;
}

// Gives. `graph` NULL: everything.
static char *key_of(const char *graph, const char *version)
{
    if (!graph)
        return ss_strdup(KEY_ALL);
    return ss_format(
        "graph:%s%s%s", graph, version ? "@" : "", version ? version : "");
}

// ------------------------------------------------ what is paused

static const json_t *at(
    const struct engine *engine, const char *graph, const char *version)
{
    char *key = key_of(graph, version);
    const json_t *record = ss_map_get(&engine->pauses->by_key, key);
    ss_free(key);
    return record;
}

const json_t *ss_pause_of(
    const struct engine *engine, const char *graph, const char *version)
{
    const struct pauses *pauses = engine->pauses;
    const json_t *record = NULL;
    if (pauses->by_key.count == 0)
        return NULL;
    record = at(engine, NULL, NULL);
    if (!record)
        record = at(engine, graph, NULL);
    if (!record && version && pauses->of_versions > 0)
        record = at(engine, graph, version);
    return record;
}

const json_t *ss_pause_of_run(const struct run *run)
{
    const struct run_facts *its = ss_run_facts(run);
    return its->graph
               ? ss_pause_of(its->engine, its->graph->name, its->graph->version)
               : NULL;
}

const json_t *ss_pause_of_record(
    const struct engine *engine, const json_t *record)
{
    enum ss_run_status status = ss_run_status_of(record);
    bool goes_on = status == SS_RUN_QUEUED || status == SS_RUN_RUNNING ||
                   status == SS_RUN_WAITING;
    return goes_on ? ss_pause_of(engine, ss_json_str(record, "graph", ""),
                         ss_json_str(record, "version", NULL))
                   : NULL;
}

json_t *ss_pauses_json(const struct engine *engine)
{
    json_t *list = json_array();
    for (const struct ss_map_entry *e = engine->pauses->by_key.first; e;
         e = e->next) {
        json_t *one = json_copy(e->value);
        char text[SS_TIME_SIZE];
        ss_time_text(ss_json_int(one, "since_us", 0), text);
        json_object_set_new(one, "since_at", json_string(text));
        json_array_append_new(list, one);
    }
    return list;
}

// ------------------------------------------------ a change

static void tell(
    const struct engine *engine, const json_t *record, const char *what)
{
    const char *graph = ss_json_str(record, "graph", NULL);
    const char *version = ss_json_str(record, "version", NULL);
    if (graph)
        ss_engine_narrate((struct engine *)engine, "graph %s%s%s %s", graph,
            version ? " in version " : "", version ? version : "", what);
    else
        ss_engine_narrate((struct engine *)engine, "everything %s", what);
}

// `record` NULL: it goes on. Borrows.
static void change(struct engine *engine, const char *key, json_t *record)
{
    struct pauses *pauses = engine->pauses;
    json_t *before = ss_map_remove(&pauses->by_key, key);
    if (before && json_object_get(before, "version"))
        pauses->of_versions--;
    if (record) {
        ss_map_put(&pauses->by_key, key, json_incref(record));
        if (json_object_get(record, "version"))
            pauses->of_versions++;
    }
    if (record && !before)
        tell(engine, record, "is paused");
    if (before && !record)
        tell(engine, before, "goes on");
    json_decref(before);
    ss_engine_ready_moved(engine); // of what goes on
}

static char *key_of_record(const json_t *record)
{
    return key_of(ss_json_str(record, "graph", NULL),
        ss_json_str(record, "version", NULL));
}

void ss_pauses_read(struct engine *engine, const struct ss_event *event)
{
    struct ss_map found = {0};
    for (size_t i = 0; i < event->pauses.count; i++) {
        json_t *record = event->pauses.records[i];
        char *key = key_of_record(record);
        ss_map_put(&found, key, record);
        if (!json_equal(ss_map_get(&engine->pauses->by_key, key), record))
            change(engine, key, record);
        ss_free(key);
    }
    for (const struct ss_map_entry *e = engine->pauses->by_key.first, *next; e;
         e = next) {
        next = e->next;
        if (ss_map_get(&found, e->key))
            continue;
        char *key = ss_strdup(e->key);
        change(engine, key, NULL);
        ss_free(key);
    }
    ss_map_fini(&found, NULL);
}

// ------------------------------------------------ on its way to the store

static void forget(struct pausing *pausing)
{
    ss_request_unref(pausing->request);
    ss_free(pausing->key);
    json_decref(pausing->record);
}

static void free_record(void *value)
{
    json_decref(value);
}

void ss_pauses_fini(struct engine *engine)
{
    struct pauses *pauses = engine->pauses;
    for (size_t i = 0; i < pauses->under_way.count; i++)
        forget(&pauses->under_way.items[i]);
    SS_VEC_FINI(&pauses->under_way);
    ss_map_fini(&pauses->by_key, free_record);
    ss_free(engine->pauses);
}

// Takes `key` and `record` (NULL: none is to be there).
static void store(struct engine *engine, const struct ss_request *request,
    char *key, json_t *record)
{
    ss_engine_store_record(
        engine, SS_RECORD_PAUSE, key, NULL, json_incref(record));
    SS_VEC_PUSH(&engine->pauses->under_way,
        (struct pausing){engine->tags, ss_request_ref(request), key, record});
}

// Of one that goes on: the others that hold it still.
static json_t *still(const struct engine *engine, const json_t *record)
{
    const char *graph = ss_json_str(record, "graph", NULL);
    json_t *all = ss_pauses_json(engine), *list = json_array(), *one;
    size_t i;
    json_array_foreach (all, i, one) {
        const char *of = ss_json_str(one, "graph", NULL);
        if (!graph || !of || strcmp(of, graph) == 0)
            json_array_append(list, one);
    }
    json_decref(all);
    return list;
}

static json_t *answer_of(
    struct engine *engine, const struct pausing *pausing, const json_t *before)
{
    if (pausing->record)
        return json_pack(
            "{s:s, s:O}", "status", "paused", "pause", pausing->record);
    return json_pack("{s:s, s:b, s:o}", "status", "unpaused", "was_paused",
        before != NULL, "still", still(engine, before));
}

bool ss_pause_stored(struct engine *engine, const struct ss_event *event)
{
    struct pauses *pauses = engine->pauses;
    size_t i = 0;
    while (i < pauses->under_way.count &&
           pauses->under_way.items[i].tag != event->stored.tag)
        i++;
    if (i == pauses->under_way.count)
        return false;
    struct pausing pausing = pauses->under_way.items[i];
    SS_VEC_REMOVE(&pauses->under_way, i);
    json_t *before = json_incref(ss_map_get(&pauses->by_key, pausing.key));
    if (event->stored.status == SS_OK) {
        change(engine, pausing.key, pausing.record);
        ss_reply(engine, pausing.request, answer_of(engine, &pausing, before));
    } else {
        ss_reply_error(engine, pausing.request, event->stored.status,
            "%s: it is not stored: %s", pausing.record ? "pause" : "unpause",
            event->stored.message ? event->stored.message : "");
    }
    json_decref(before);
    forget(&pausing);
    return true;
}

// ------------------------------------------------ requests

// What is meant: a graph, or everything. SS_EINVAL: neither, or both.
static int check_scope(const struct ss_request *request, struct ss_error *error)
{
    const char *op = ss_request_name(request);
    if (request->all == (request->graph != NULL))
        return ss_error_set(
            error, SS_EINVAL, "%s: say which graph, or \"all\"", op);
    if (request->all && request->has.version)
        return ss_error_set(
            error, SS_EINVAL, "%s: a version is of a graph: say which", op);
    return SS_OK;
}

static int check_text(const char *name, bool was_said, const char *text,
    size_t size_max, struct ss_error *error)
{
    if (was_said && (!text || strlen(text) > size_max))
        return ss_error_set(error, SS_EINVAL,
            "pause: \"%s\" is text of at most %zu bytes", name, size_max);
    return SS_OK;
}

// An older coordinator would send its part of the tasks all the same.
static int check_members(const struct engine *engine, struct ss_error *error)
{
    if (engine->row_format >= SS_ROW_FORMAT_3)
        return SS_OK;
    return ss_error_set(error, SS_EAGAIN,
        "pause: a coordinator of an older version is at work, which does not "
        "know that graphs are paused: upgrade it, and ask again");
}

static int check_room(
    const struct engine *engine, const char *key, struct ss_error *error)
{
    struct pauses *pauses = engine->pauses;
    size_t count = pauses->by_key.count + pauses->under_way.count;
    if (count < SS_PAUSES_MAX || ss_map_get(&pauses->by_key, key))
        return SS_OK;
    return ss_error_set(error, SS_ELIMIT,
        "pause: %d are paused already: unpause some, or pause everything",
        SS_PAUSES_MAX);
}

// The graph, and where one is said its version, must be known.
static int check_graph(struct engine *engine, const struct ss_request *request,
    const char **ret_version, struct ss_error *error)
{
    const char *name = request->graph;
    const char *wanted = request->version;
    if (!ss_request_graph(engine, NULL, name, error))
        return error->status;
    const struct ss_graph *graph =
        wanted ? ss_graph_version(engine, name, wanted, error) : NULL;
    if (wanted && !graph)
        return error->status;
    *ret_version = graph ? graph->version : NULL;
    return SS_OK;
}

static void put_text(json_t *record, const char *name, const char *text)
{
    if (text && *text)
        json_object_set_new(record, name, json_string(text));
}

// Said again it is a new reason, not a new pause: it keeps its time. Gives.
static json_t *record_of(const struct engine *engine, const char *key,
    const char *version, const struct ss_request *request)
{
    const json_t *before = ss_map_get(&engine->pauses->by_key, key);
    const char *by = request->signed_by ? request->signed_by : request->by;
    json_t *record = json_pack("{s:I}", "since_us",
        ss_json_int(before, "since_us", (json_int_t)engine->wall_us));
    put_text(record, "graph", request->graph);
    put_text(record, "version", version);
    put_text(record, "reason", request->reason);
    put_text(record, "by", by);
    return record;
}

void ss_pause_request(struct engine *engine, const struct ss_request *request)
{
    struct ss_error error = {0};
    const char *graph = request->graph, *version = NULL;
    int status = check_scope(request, &error);
    if (status == SS_OK)
        status = check_text("reason", request->has.reason, request->reason,
            SS_PAUSE_REASON_MAX, &error);
    if (status == SS_OK)
        status = check_text(
            "by", request->has.by, request->by, SS_PAUSE_BY_MAX, &error);
    if (status == SS_OK && graph)
        status = check_graph(engine, request, &version, &error);
    if (status == SS_OK)
        status = check_members(engine, &error);
    char *key = key_of(graph, version);
    if (status == SS_OK)
        status = check_room(engine, key, &error);
    if (status != SS_OK) {
        ss_reply_error(engine, request, status, "%s", error.message);
        ss_free(key);
        return;
    }
    store(engine, request, key, record_of(engine, key, version, request));
}

// One that is paused, by its graph and the first letters of its version.
static const char *find_paused(
    const struct engine *engine, const char *graph, const char *version)
{
    for (const struct ss_map_entry *e = engine->pauses->by_key.first; e;
         e = e->next) {
        const char *of = ss_json_str(e->value, "graph", NULL);
        const char *its = ss_json_str(e->value, "version", NULL);
        bool is_graph = graph ? of && strcmp(of, graph) == 0 : !of;
        if (is_graph &&
            (version ? its && strncmp(its, version, strlen(version)) == 0
                     : !its))
            return e->key;
    }
    return NULL;
}

static void reply_not_paused(
    struct engine *engine, const struct ss_request *request, const char *graph)
{
    struct ss_hint hint;
    if (!graph || ss_known_graph(engine, graph, NULL)) {
        json_t *like = graph ? json_pack("{s:s}", "graph", graph) : NULL;
        ss_reply(engine, request,
            json_pack("{s:s, s:b, s:o}", "status", "unpaused", "was_paused", 0,
                "still", still(engine, like)));
        json_decref(like);
        return;
    }
    ss_hint_init(&hint, graph);
    for (const struct ss_map_entry *e = engine->pauses->by_key.first; e;
         e = e->next)
        ss_hint_offer(&hint, ss_json_str(e->value, "graph", "all"));
    ss_reply_error(engine, request, SS_ENOTFOUND,
        "no graph \"%s\" is known, and none is paused.%s", graph,
        ss_hint_text(&hint));
}

void ss_unpause_request(struct engine *engine, const struct ss_request *request)
{
    struct ss_error error = {0};
    const char *graph = request->graph;
    if (check_scope(request, &error) != SS_OK) {
        ss_reply_error(engine, request, error.status, "%s", error.message);
        return;
    }
    const char *key = find_paused(engine, graph, request->version);
    if (key)
        store(engine, request, ss_strdup(key), NULL);
    else
        reply_not_paused(engine, request, graph);
}

void ss_pauses_request(struct engine *engine, const struct ss_request *request)
{
    ss_reply(
        engine, request, json_pack("{s:o}", "pauses", ss_pauses_json(engine)));
}

// ------------------------------------------------ what holds

void ss_pauses_verify(const struct engine *engine)
{
    const struct pauses *pauses = engine->pauses;
    size_t of_versions = 0;
    for (const struct ss_map_entry *e = pauses->by_key.first; e; e = e->next)
        of_versions += json_object_get(e->value, "version") != NULL;
    ss_invariant(I92, pauses->of_versions == of_versions);
    for (size_t i = 0; i < pauses->under_way.count; i++) {
        uint64_t tag = pauses->under_way.items[i].tag;
        ss_invariant(I140, tag > 0 && tag <= engine->tags);
    }
}
