// replay.c - what was told, told again from the rows
// (docs/internals/streams.md).
//
//   rows after `after` --> their entries --+-- raw ----------------> event
//                                          +-- named --> a loop made from
//                                              the checkpoint --> stream.c
//
// A shadow of the run holds the loops: stream.c shows them as it showed the
// real ones, and emit.c hands what it shows over to here, where it is numbered.
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/graph.h"
#include "common/model/journal.h"
#include "common/model/value.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/levels/levels.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/root.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/levels/told.h"
#include "coordinator/engine/levels/view.h"
#include "coordinator/engine/requests/audience.h"
#include "coordinator/engine/requests/emit.h"
#include "coordinator/engine/requests/replay.h"
#include "coordinator/engine/requests/stream.h"
#include "coordinator/engine/runs/runs.h"
#include "coordinator/engine/threads/graphs.h"
#include "coordinator/engine/threads/thread.h"

struct replay {
    struct thread *thread;
    struct run *shadow;
    const struct ss_run_rows *facts;
    const struct subscriber *subscriber;
    uint64_t after_seq;
    uint32_t after_index;
    const json_t *seen; // attempt -> items seen, or NULL
    json_t *found;      // attempts of `seen` that came to an end, or are out
    const struct ss_row *row;
    uint32_t index;
    struct ss_map views; // namespace -> struct view *
};

// A loop as it was at a checkpoint, with what was pending there up to a row.
struct view {
    struct loop *loop;
    uint64_t pending_to;
};

// ------------------------------------------------ handing over

// Takes `json`.
static void send(struct replay *replay, uint64_t seq, json_t *json)
{
    bool waits =
        ss_run_facts(replay->shadow)->options.durability == DURABLE_SYNC;
    ss_thread_release_at(replay->thread, waits ? seq : 0,
        (struct ss_command){.type = SS_COMMAND_EVENT,
            .peer = ss_strdup(replay->subscriber->listener->peer),
            .id = replay->subscriber->id,
            .json = json});
}

void ss_replay_event(struct replay *replay, const struct loop *loop,
    enum stream_mode mode, json_t *data)
{
    const struct loop_facts *level = ss_loop_facts(loop);
    uint64_t seq = replay->row->seq;
    uint32_t index = ++replay->index;
    bool later = seq > replay->after_seq || index > replay->after_index;
    if (data && later &&
        ss_subscribes(replay->subscriber, mode, level->parent != NULL))
        send(replay, seq,
            ss_emit_json(mode, level->ns, json_incref(data), seq, index));
    json_decref(data);
}

int64_t ss_replay_time(const struct replay *replay)
{
    return replay->row->wall_us;
}

// ------------------------------------------------ loops from rows

static void free_view(void *value)
{
    struct view *view = value;
    if (view)
        ss_loop_destroy(&view->loop);
    ss_free(view);
}

// Of the version that told it, whatever is served now.
static struct ss_graph *graph_of(const struct replay *replay, const char *ns)
{
    return ss_graph_at(ss_run_facts(replay->shadow)->graph, ns);
}

// Pending writes as they were when `row` was made. Rows come in their order, so
// each is looked at once.
static void load_pending(struct replay *replay, struct view *shown)
{
    for (; shown->pending_to < replay->row->seq; shown->pending_to++) {
        const struct ss_row *row = ss_journal_row(
            ss_thread_facts(replay->thread)->journal, shown->pending_to + 1);
        if (row)
            ss_view_pending(shown->loop, row);
    }
}

// NULL: its rows contradict each other.
static struct view *make_view(struct replay *replay, struct ss_graph *graph,
    const char *ns, struct ss_checkpoint_entry *mark)
{
    struct loop *loop = ss_view_replayed(replay->shadow, graph, ns, mark);
    if (!loop)
        return NULL;
    struct view *view = ss_zalloc(1, sizeof(*view));
    *view = (struct view){loop, mark->row->seq - 1};
    return view;
}

// The loop of that namespace at that checkpoint, planned. NULL: its rows, or
// its graph, are gone.
static struct loop *view_of(
    struct replay *replay, const char *ns, const char *id)
{
    struct view *view = ss_map_get(&replay->views, ns);
    if (!view || strcmp(ss_loop_facts(view->loop)->checkpoint.id, id) != 0) {
        struct ss_checkpoint_entry *mark =
            ss_journal_find(ss_thread_facts(replay->thread)->journal, ns, id);
        struct ss_graph *graph = mark ? graph_of(replay, ns) : NULL;
        view = graph ? make_view(replay, graph, ns, mark) : NULL;
        if (!view)
            return NULL;
        free_view(ss_map_put(&replay->views, ns, view));
    }
    load_pending(replay, view);
    return view->loop;
}

// ------------------------------------------------ entries

static void tell_raw(struct replay *replay, const char *ns, const json_t *raw)
{
    struct loop *bare = ss_view_bare(replay->shadow, ns);
    unsigned mode = ss_stream_mode(ss_json_str(raw, "m", ""));
    const char *type = ss_json_str(raw, "t", NULL);
    json_t *data = json_incref(json_object_get(raw, "d"));
    if (!mode || !data)
        json_decref(data);
    else if (type)
        ss_emit_wrapped(
            bare, (enum stream_mode)mode, type, ss_json_int(raw, "s", 0), data);
    else
        ss_emit_event(bare, (enum stream_mode)mode, data);
    ss_loop_destroy(&bare);
}

static bool has_task(const struct ss_row *row, const char *ns, const char *id)
{
    for (size_t i = 0; row && i < row->writes_count; i++)
        if (strcmp(row->writes[i].task_id, id) == 0 && strcmp(row->ns, ns) == 0)
            return true;
    return false;
}

// The row of the writes that were told: this one, or one made just before it.
static const struct ss_row *row_of_writes(
    const struct replay *replay, const char *ns, const char *task_id)
{
    const struct ss_row *row = replay->row;
    while (row && !has_task(row, ns, task_id))
        row = row->seq > replay->facts->first_seq
                  ? ss_journal_row(
                        ss_thread_facts(replay->thread)->journal, row->seq - 1)
                  : NULL;
    return row;
}

static void tell_output(
    struct replay *replay, struct loop *view, const char *task_id)
{
    const struct loop_facts *level = ss_loop_facts(view);
    const struct ss_row *row = row_of_writes(replay, level->ns, task_id);
    struct task *task = NULL;
    for (size_t i = 0; i < level->tasks.count && !task; i++)
        if (strcmp(ss_task_facts(level->tasks.items[i])->planned.id, task_id) ==
            0)
            task = level->tasks.items[i];
    if (!row || !task)
        return;
    ss_view_task_ended(task, row);
    ss_stream_task_output(task, false);
}

static void tell_view(
    struct replay *replay, struct loop *view, const struct ss_row_event *event)
{
    const struct loop_facts *level = ss_loop_facts(view);
    if (event->what == SS_TOLD_TICK) {
        ss_stream_checkpoint(view);
    } else if (event->what == SS_TOLD_OUTPUT) {
        tell_output(replay, view, event->task_id ? event->task_id : "");
    } else if (event->what == SS_TOLD_VALUES) {
        ss_stream_values(view, NULL);
    } else {
        ss_check(event->what == SS_TOLD_STARTS);
        for (size_t i = 0; i < level->tasks.count; i++)
            ss_stream_task_start(level->tasks.items[i]);
    }
}

// ------------------------------------------------ items

static void tell_items(
    struct replay *replay, const char *ns, json_t *items, uint64_t seq)
{
    const char *attempt = ss_json_str(items, "attempt", "");
    json_int_t seen = ss_json_int(replay->seen, attempt, 0);
    json_t *meta = json_object_get(items, "meta"), *item;
    size_t i;
    json_object_set_new(replay->found, attempt, json_true());
    json_array_foreach (json_object_get(items, "items"), i, item) {
        const char *name = json_string_value(json_array_get(item, 0));
        json_t *value = json_array_get(item, 1);
        unsigned mode = ss_stream_mode(name);
        if ((json_int_t)i < seen ||
            !ss_subscribes(replay->subscriber, mode, ns[0] != '\0'))
            continue;
        json_t *data = mode == STREAM_MESSAGES
                           ? json_pack("[O, O]", value, meta)
                           : json_incref(value);
        send(replay, seq, ss_item_json(name, ns, data, attempt, i + 1));
    }
}

// Those of attempts that are out.
static void tell_running(struct replay *replay, const struct loop *loop)
{
    const struct loop_facts *level = ss_loop_facts(loop);
    for (size_t i = 0; i < level->tasks.count; i++) {
        const struct task *task = level->tasks.items[i];
        const struct task_facts *facts = ss_task_facts(task);
        if (ss_task_items(task)->kept) {
            json_t *items = ss_items_json(task);
            tell_items(replay, level->ns, items, 0);
            json_decref(items);
        }
        if (facts->child)
            tell_running(replay, facts->child);
    }
}

// Attempts that were seen, are not out, and left nothing: they are void.
static void tell_lost(struct replay *replay)
{
    const char *attempt;
    json_t *count;
    json_object_foreach ((json_t *)replay->seen, attempt, count) {
        if (!json_object_get(replay->found, attempt))
            send(replay, 0, ss_restarted_json("", attempt));
    }
}

// ------------------------------------------------ all of it

// Rows are told as the version that made them told them: the next one may lack
// a task of theirs, which counts, or a key.
static void take_version(struct replay *replay, const json_t *entry)
{
    struct run *shadow = replay->shadow;
    const char *version = ss_json_str(entry, "version", NULL);
    const struct known_graph *known =
        version ? ss_known_graph(ss_thread_facts(replay->thread)->engine,
                      ss_json_str(entry, "graph", ""), version)
                : NULL;
    if (!known || known->graph == ss_run_facts(shadow)->graph)
        return;
    ss_map_fini(&replay->views, free_view);
    ss_run_is_of(shadow, known->graph);
}

static void tell_row(struct replay *replay, const struct ss_row *row)
{
    replay->row = row;
    replay->index = 0;
    take_version(replay, row->entry);
    for (size_t i = 0; i < row->events_count; i++) {
        const struct ss_row_event *event = &row->events[i];
        const char *ns = event->ns ? event->ns : row->ns;
        const char *of = event->of                       ? event->of
                         : event->what == SS_TOLD_OUTPUT ? row->of
                                                         : row->checkpoint_id;
        bool before = row->seq < replay->after_seq ||
                      (row->seq == replay->after_seq &&
                          replay->index < replay->after_index);
        if (event->what == SS_TOLD_ITEMS) {
            if (before)
                json_object_set_new(replay->found,
                    ss_json_str(event->data, "attempt", ""), json_true());
            else
                tell_items(replay, ns, event->data, row->seq);
        } else if (row->seq < replay->after_seq) {
            continue;
        } else if (event->what == SS_TOLD_RAW) {
            tell_raw(replay, ns, event->data);
        } else if (event->what != SS_TOLD_TICK_RAW) {
            struct loop *view = view_of(replay, ns, of);
            if (view)
                tell_view(replay, view, event);
        }
    }
}

static void parse_after(struct replay *replay, const char *after)
{
    const char *dot = strchr(after, '.');
    replay->after_seq = strtoull(after, NULL, 10);
    replay->after_index = dot ? (uint32_t)strtoul(dot + 1, NULL, 10) : 0;
}

void ss_replay(struct thread *thread, const char *run_id, struct run *run,
    const struct subscriber *subscriber, const char *after, const json_t *seen)
{
    const struct ss_journal *journal = ss_thread_facts(thread)->journal;
    const struct ss_run_rows *facts = ss_journal_run(journal, run_id);
    struct run *shadow =
        facts && facts->entry ? ss_run_shadow(thread, facts) : NULL;
    if (!shadow)
        return; // pruned, or of a graph that is not known any more
    struct replay replay = {.thread = thread,
        .shadow = shadow,
        .facts = facts,
        .subscriber = subscriber,
        .seen = seen,
        .found = json_object()};
    parse_after(&replay, after);
    audience_of(shadow)->replay = &replay;
    audience_of(shadow)->any_subgraphs = subscriber->subgraphs;
    ss_run_wants(shadow, subscriber->modes);
    ss_root_make(shadow);
    for (uint64_t seq = facts->first_seq; seq <= ss_journal_head(journal);
         seq++) {
        const struct ss_row *row = ss_journal_row(journal, seq);
        if (row && strcmp(row->run, run_id) == 0)
            tell_row(&replay, row);
    }
    if (run)
        tell_running(&replay, ss_run_facts(run)->root);
    tell_lost(&replay);
    ss_map_fini(&replay.views, free_view);
    json_decref(replay.found);
    ss_run_free(shadow);
}
