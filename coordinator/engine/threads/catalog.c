// catalog.c - the graphs that workers announced: which versions there are, and
// which of them a new run takes.
#include <string.h>

#include "common/base/check.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/graph.h"
#include "common/model/journal.h"
#include "common/model/suggest.h"
#include "common/model/value.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/graphs.h"
#include "coordinator/engine/threads/invariant.h"
#include "coordinator/engine/threads/shards.h"
#include "coordinator/engine/threads/threads_impl.h"

// ------------------------------------------------ what is known

struct known_graph *ss_known_graph(
    struct engine *engine, const char *name, const char *version)
{
    if (!version)
        return ss_map_get(&engine->graphs->latest, name);
    char *key = ss_format("%s@%s", name, version);
    struct known_graph *known = ss_map_get(&engine->graphs->by_key, key);
    ss_free(key);
    return known;
}

// When a version was announced first stands in its record, so that any
// coordinator knows which one is the newest.
#define ANNOUNCED "announced_us"

static void store_graph(struct engine *engine, const struct known_graph *known)
{
    json_t *record = json_copy(known->graph->description);
    json_object_set_new(
        record, ANNOUNCED, json_integer((json_int_t)known->announced_us));
    ss_engine_store_record(
        engine, SS_RECORD_GRAPH, known->graph->key, known->graph->name, record);
}

// A worker that comes back with an old version makes it no newer.
static void date(struct engine *engine, struct known_graph *known, int64_t at)
{
    struct graphs *graphs = engine->graphs;
    struct known_graph *latest =
        ss_map_get(&graphs->latest, known->graph->name);
    if (at > known->announced_us)
        known->announced_us = at;
    if (known->announced_us > graphs->announced_us)
        graphs->announced_us = known->announced_us;
    if (!latest || known->announced_us >= latest->announced_us)
        ss_map_put(&graphs->latest, known->graph->name, known);
}

// Of a graph that is new: later than all that are known.
static void date_new(struct engine *engine, struct known_graph *known)
{
    known->is_undated = false;
    date(engine, known,
        engine->wall_us > engine->graphs->announced_us
            ? engine->wall_us
            : engine->graphs->announced_us + 1);
    store_graph(engine, known);
}

// What is stored of it, if anything, must be known first: else an old version
// were the newest. Another coordinator may have stored it since ours were read.
static void announce(struct engine *engine, struct known_graph *known)
{
    known->is_undated = true;
    date(engine, known, 0);
    if (!ss_any_is_read(engine) || known->look_tag)
        return;
    if (!engine->options.shared) {
        date_new(engine, known);
        return;
    }
    known->look_tag = ss_engine_tag(engine);
    ss_engine_command(engine, (struct ss_command){.tag = known->look_tag,
                                  .type = SS_COMMAND_GET,
                                  .table = SS_RECORD_GRAPH,
                                  .key = ss_strdup(known->graph->key)});
}

bool ss_graph_looked(struct engine *engine, const struct ss_event *event)
{
    struct known_graph *known = NULL;
    for (const struct ss_map_entry *e = engine->graphs->by_key.first;
         e && !known; e = e->next) {
        struct known_graph *it = e->value;
        known = it->look_tag == event->records.tag ? it : NULL;
    }
    if (!known)
        return false;
    int status = event->records.status;
    int64_t at = status == SS_OK ? ss_json_int(event->records.records[0].value,
                                       ANNOUNCED, 0)
                                 : 0;
    // what could not be read may be there: the next hello asks again
    bool is_told = status == SS_OK || status == SS_ENOTFOUND ||
                   status == SS_ECORRUPT || status == SS_EFORMAT;
    known->look_tag = 0;
    if (known->is_undated && at > 0) {
        known->is_undated = false;
        date(engine, known, at);
    } else if (known->is_undated && is_told) {
        date_new(engine, known);
    }
    return true;
}

void ss_graphs_found(struct engine *engine)
{
    for (const struct ss_map_entry *e = engine->graphs->by_key.first; e;
         e = e->next) {
        struct known_graph *known = e->value;
        if (known->is_undated)
            announce(engine, known);
    }
}

static struct known_graph *learn(
    struct engine *engine, struct ss_graph *compiled, bool *ret_is_new)
{
    struct known_graph *known =
        ss_known_graph(engine, compiled->name, compiled->version);
    *ret_is_new = known == NULL;
    if (!known) {
        known = ss_zalloc(1, sizeof(*known));
        ss_map_put(&engine->graphs->by_key, compiled->key, known);
        engine->graphs->has_moved = true;
    } else {
        ss_graph_unref(known->graph);
    }
    known->graph = compiled;
    return known;
}

// Most often a worker says what others have said before it.
static struct known_graph *told_before(
    struct engine *engine, const json_t *description)
{
    const char *name = ss_json_str(description, "name", NULL);
    struct known_graph *known =
        name ? ss_map_get(&engine->graphs->latest, name) : NULL;
    return known && json_equal(known->graph->description, description) ? known
                                                                       : NULL;
}

// What a worker announces is dated when it is new, what is stored by its
// record.
static void learned(struct engine *engine, struct known_graph *known,
    bool is_announced, bool is_new, int64_t at)
{
    known->is_undated = known->is_undated && is_announced;
    if (is_announced && (is_new || known->is_undated))
        announce(engine, known);
    else
        date(engine, known, at);
}

void ss_graph_learn(struct engine *engine, json_t *description, bool announced,
    struct ss_graph **ret_graph, struct ss_error *error)
{
    int64_t at = ss_json_int(description, ANNOUNCED, 0);
    bool is_new = false;
    json_t *plain = json_copy(description);
    json_object_del(plain, ANNOUNCED);
    error->status = SS_OK;
    struct known_graph *known = told_before(engine, plain);
    if (!known && ss_graph_compile(plain, ret_graph, error) == SS_OK)
        known = learn(engine, *ret_graph, &is_new);
    if (known) {
        learned(engine, known, announced, is_new, at);
        *ret_graph = known->graph;
    }
    json_decref(plain);
}

void ss_graph_found(struct engine *engine, const struct ss_event *event)
{
    struct ss_error error = {0};
    struct ss_graph *graph = NULL;
    ss_graph_learn(engine, event->graph.description, false, &graph, &error);
    if (error.status == SS_OK)
        return;
    const char *key = event->graph.key ? event->graph.key : "?";
    char *why = ss_format(
        "graph %s: its description cannot be read: %s", key, error.message);
    ss_engine_narrate(engine, "a stored graph is not read: %s", error.message);
    ss_engine_damaged(engine, "graph", key, why);
    ss_free(why);
}

static void free_known(void *value)
{
    struct known_graph *known = value;
    ss_graph_unref(known->graph);
    ss_free(known);
}

void ss_graphs_init(struct engine *engine)
{
    engine->graphs = ss_zalloc(1, sizeof(*engine->graphs));
}

void ss_graphs_fini(struct engine *engine)
{
    ss_map_fini(&engine->graphs->latest, NULL);
    ss_map_fini(&engine->graphs->by_key, free_known);
    ss_free(engine->graphs);
}

const struct ss_map *ss_graphs_all(const struct engine *engine)
{
    return &engine->graphs->by_key;
}

const struct ss_map *ss_graphs_latest(const struct engine *engine)
{
    return &engine->graphs->latest;
}

bool ss_graphs_moved(struct engine *engine)
{
    bool has_moved = engine->graphs->has_moved;
    engine->graphs->has_moved = false;
    return has_moved;
}

// ------------------------------------------------ who serves them

void ss_graph_is_served(struct engine *engine, const char *key, bool more)
{
    struct known_graph *known = ss_map_get(&engine->graphs->by_key, key);
    ss_check(known && (more || known->workers > 0));
    if (more)
        known->workers++;
    else
        known->workers--;
}

// One after the other, most often the same one. None goes while we live.
static struct known_graph *known_as(
    const struct engine *engine, const struct ss_graph *graph)
{
    struct graphs *graphs = engine->graphs;
    if (!graphs->asked || graphs->asked->graph != graph)
        graphs->asked = ss_map_get(&graphs->by_key, graph->key);
    ss_check(!graphs->asked || graphs->asked->graph);
    return graphs->asked;
}

size_t ss_graph_workers(
    const struct engine *engine, const struct ss_graph *graph)
{
    const struct known_graph *known = known_as(engine, graph);
    return known ? known->workers : 0;
}

void ss_graph_attempted(struct engine *engine, const struct ss_graph *graph)
{
    struct known_graph *known = known_as(engine, graph);
    if (known)
        known->attempts++;
}

int64_t ss_graph_attempts(const struct engine *engine, const char *name)
{
    int64_t count = 0;
    for (const struct ss_map_entry *e = engine->graphs->by_key.first; e;
         e = e->next) {
        const struct known_graph *known = e->value;
        if (strcmp(known->graph->name, name) == 0)
            count += known->attempts;
    }
    return count;
}

struct known_graph *ss_graph_offered(
    struct engine *engine, struct known_graph *latest)
{
    struct known_graph *best = NULL;
    ss_check(latest && latest->graph);
    if (ss_graph_workers(engine, latest->graph) > 0)
        return latest;
    for (const struct ss_map_entry *e = engine->graphs->by_key.first; e;
         e = e->next) {
        struct known_graph *it = e->value;
        if (strcmp(it->graph->name, latest->graph->name) == 0 &&
            (!best || it->announced_us > best->announced_us) &&
            ss_graph_workers(engine, it->graph) > 0)
            best = it;
    }
    ss_check(!best || best->workers > 0);
    return best ? best : latest;
}

bool ss_graph_is_replaced(struct engine *engine, const struct ss_graph *graph)
{
    struct known_graph *latest = ss_known_graph(engine, graph->name, NULL);
    return ss_graph_workers(engine, graph) == 0 && latest &&
           ss_graph_workers(engine, ss_graph_offered(engine, latest)->graph) >
               0;
}

struct ss_graph *ss_request_graph(struct engine *engine,
    const struct thread *thread, const char *name, struct ss_error *error)
{
    if (!name)
        name = thread ? thread->facts.graph : NULL;
    if (!name) {
        bool is_there = thread && thread->facts.journal &&
                        ss_journal_head(thread->facts.journal) > 0;
        ss_error_set(error, SS_ENOTFOUND,
            is_there ? "the graph of thread %s is not known; say which it is of"
                     : "there is no thread \"%s\": say which graph a new one "
                       "is of",
            thread ? thread->facts.id : "?");
        return NULL;
    }
    struct known_graph *known = ss_known_graph(engine, name, NULL);
    if (known)
        return ss_graph_offered(engine, known)->graph;
    struct ss_hint hint;
    ss_hint_init(&hint, name);
    for (const struct ss_map_entry *e = engine->graphs->latest.first; e;
         e = e->next)
        ss_hint_offer(&hint, e->key);
    ss_error_set(error, SS_ENOTFOUND,
        "no worker has announced a graph "
        "\"%s\".%s",
        name, ss_hint_text(&hint));
    return NULL;
}

void ss_thread_graph_from_rows(struct thread *thread)
{
    for (uint64_t seq = ss_journal_head(thread->facts.journal); seq > 0;
         seq--) {
        const struct ss_row *row = ss_journal_row(thread->facts.journal, seq);
        const char *name = row ? ss_json_str(row->entry, "graph", NULL) : NULL;
        if (!name)
            name = row ? ss_json_str(json_object_get(row->metadata, "__loop__"),
                             "graph", NULL)
                       : NULL;
        if (!name)
            continue;
        ss_free(thread->facts.graph);
        thread->facts.graph = ss_strdup(name);
        return;
    }
}

// ------------------------------------------------ what holds

void ss_graphs_verify(const struct engine *engine, struct census *census)
{
    struct graphs *graphs = engine->graphs;
    for (const struct ss_map_entry *e = graphs->by_key.first; e; e = e->next) {
        const struct known_graph *known = e->value;
        const struct known_graph *latest =
            ss_map_get(&graphs->latest, known->graph->name);
        ss_invariant(I37, strcmp(e->key, known->graph->key) == 0);
        ss_invariant(
            I38, latest && latest->announced_us >= known->announced_us);
        ss_invariant(I39, graphs->announced_us >= known->announced_us);
        census->seen++;
    }
    for (const struct ss_map_entry *e = graphs->latest.first; e; e = e->next) {
        const struct known_graph *latest = e->value;
        ss_invariant(I159, strcmp(e->key, latest->graph->name) == 0);
        ss_invariant(
            I160, ss_map_get(&graphs->by_key, latest->graph->key) == latest);
    }
}
