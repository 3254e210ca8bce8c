// emit.c - what is told to those who listen: its number, its row, its way.
//
// An event is numbered (row, index). The row that it rests on holds an entry
// for it (journal.h, enum ss_told), whoever listens or not, so the number is a
// function of the rows, and replay.c makes the same events again. What the rows
// say anyway is only named; what they do not is kept with the entry (raw).
// Items of a running attempt are live: they carry the attempt and their place
// in it, no number; with the attempt's end they join the row of its task. See
// docs/internals/streams.md.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/base/text.h"
#include "common/model/journal.h"
#include "common/model/suggest.h"
#include "common/model/task.h"
#include "common/model/value.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/levels/told.h"
#include "coordinator/engine/requests/audience.h"
#include "coordinator/engine/requests/emit.h"
#include "coordinator/engine/requests/replay.h"
#include "coordinator/engine/requests/stream.h"
#include "coordinator/engine/scheduler/workers.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/thread.h"

static const struct {
    const char *name;
    enum stream_mode mode;
    enum gate gate;
} modes[] = {
    {"values", STREAM_VALUES, GATE_VALUES},
    {"updates", STREAM_UPDATES, GATE_UPDATES},
    {"custom", STREAM_CUSTOM, GATE_LIVE},
    {"messages", STREAM_MESSAGES, GATE_LIVE},
    {"tasks", STREAM_TASKS, GATE_TASKS},
    {"checkpoints", STREAM_CHECKPOINTS, GATE_CHECKPOINTS},
    {"debug", STREAM_DEBUG, GATE_DEBUG},
    {"progress", STREAM_PROGRESS, GATE_PROGRESS},
};

enum { MODES = sizeof(modes) / sizeof(modes[0]) };

static size_t mode_index(enum stream_mode mode)
{
    for (size_t i = 0; i < MODES; i++)
        if (modes[i].mode == mode)
            return i;
    ss_unreachable();
}

unsigned ss_stream_mode(const char *name)
{
    for (size_t m = 0; name && m < MODES; m++)
        if (strcmp(modes[m].name, name) == 0)
            return modes[m].mode;
    return 0;
}

static void refuse_mode(const char *name, struct ss_error *error)
{
    struct ss_hint hint;
    ss_hint_init(&hint, name);
    for (size_t m = 0; m < MODES; m++)
        ss_hint_offer(&hint, modes[m].name);
    ss_error_set(error, SS_EINVAL,
        "stream: \"%s\" is not a mode; modes are values, updates, custom, "
        "messages, tasks, checkpoints, debug and progress.%s",
        name, ss_hint_text(&hint));
}

unsigned ss_stream_modes(const json_t *list, struct ss_error *error)
{
    unsigned all = 0;
    size_t count = json_is_array(list) ? json_array_size(list) : 1;
    for (size_t i = 0; list && i < count; i++) {
        const char *name = json_string_value(
            json_is_array(list) ? json_array_get(list, i) : list);
        unsigned mode = ss_stream_mode(name);
        if (!mode)
            refuse_mode(name ? name : "?", error);
        all |= mode;
    }
    return all;
}

// "a:1|b:2" as a list. Gives.
static json_t *ns_json(const char *ns)
{
    json_t *list = json_array();
    while (*ns) {
        size_t size = strcspn(ns, "|");
        json_array_append_new(list, json_stringn(ns, size));
        ns += size + (ns[size] == '|');
    }
    return list;
}

// ------------------------------------------------ sending

bool ss_subscribes(
    const struct subscriber *subscriber, unsigned mode, bool inner)
{
    return (subscriber->modes & mode) && (!inner || subscriber->subgraphs);
}

// Who attaches is told first that it is accepted and what it missed, which may
// wait for a row. Nothing that waits for none overtakes that.
static bool is_behind(
    const struct run *run, const struct subscriber *subscriber)
{
    const struct run_facts *its = ss_run_facts(run);
    return ss_thread_holds_event(its->thread, subscriber->listener->peer,
        subscriber->id, its->options.durability == DURABLE_SYNC);
}

// Takes `json`.
static void tell(struct loop *loop, unsigned mode, json_t *json, uint64_t gate)
{
    const struct loop_facts *level = ss_loop_facts(loop);
    struct run *run = level->run;
    const struct run_facts *its = ss_run_facts(run);
    const struct audience *audience = its->audience;
    for (size_t i = 0; i < audience->subscribers.count; i++) {
        const struct subscriber *subscriber = &audience->subscribers.items[i];
        if (!ss_subscribes(subscriber, mode, level->parent != NULL))
            continue;
        struct ss_command command = {.type = SS_COMMAND_EVENT,
            .peer = ss_strdup(subscriber->listener->peer),
            .id = subscriber->id,
            .json = json_incref(json)};
        if (gate == 0 && !is_behind(run, subscriber))
            ss_engine_command(its->engine, command);
        else
            ss_thread_release_at(its->thread, gate, command);
    }
    json_decref(json);
}

json_t *ss_emit_json(enum stream_mode mode, const char *ns, json_t *data,
    uint64_t seq, uint32_t index)
{
    // by hand: there is one for each item that is heard
    char text[2 * SS_NUMBER_SIZE + 1];
    size_t size = ss_number_text(seq, text);
    text[size++] = '.';
    size += ss_number_text(index, text + size);
    json_t *event = json_object();
    json_object_set_new_nocheck(
        event, "mode", json_string_nocheck(modes[mode_index(mode)].name));
    json_object_set_new_nocheck(event, "ns", ns_json(ns));
    json_object_set_new_nocheck(event, "data", data);
    json_object_set_new_nocheck(event, "seq", json_stringn_nocheck(text, size));
    return event;
}

// ------------------------------------------------ entries

// Under `exit` no row exists before the end: what is told is live only.
static bool scripted(const struct loop *loop)
{
    const struct loop_facts *level = ss_loop_facts(loop);
    return ss_run_facts(level->run)->options.durability != DURABLE_EXIT &&
           !audience_of(level->run)->replay;
}

// The row that what is told now rests on: the newest, if it was made now.
static struct ss_row *event_row(struct loop *loop)
{
    const struct loop_facts *level = ss_loop_facts(loop);
    return ss_thread_row_for_events(
        level->thread, ss_run_facts(level->run)->id, level->ns);
}

// Takes `data`. Gives the row's number.
static uint64_t note(
    struct loop *loop, enum ss_told what, const char *task_id, json_t *data)
{
    const struct loop_facts *level = ss_loop_facts(loop);
    struct ss_row *row = event_row(loop);
    row->events = ss_arena_grow(&row->memory, row->events,
        &row->events_capacity, row->events_count + 1, sizeof(*row->events));
    struct ss_row_event *event = &row->events[row->events_count++];
    *event = (struct ss_row_event){.what = what, .data = data};
    bool same = ss_text_same(row->ns, level->ns);
    if (!same)
        event->ns = ss_arena_text(&row->memory, level->ns);
    event->task_id = ss_arena_text(&row->memory, task_id);
    if (what == SS_TOLD_RAW || what == SS_TOLD_ITEMS)
        return row->seq;
    const char *own = what == SS_TOLD_OUTPUT ? row->of : row->checkpoint_id;
    if (!same || !ss_id_same(own, level->checkpoint.id))
        event->of = ss_arena_text(&row->memory, level->checkpoint.id);
    return row->seq;
}

// A nested loop that goes on with an earlier run's checkpoint may hang
// elsewhere than its metadata say.
static bool same_parents(const struct loop *loop)
{
    const struct loop_facts *level = ss_loop_facts(loop);
    const json_t *parents =
        json_object_get(level->checkpoint.metadata, "parents");
    size_t own = json_object_get(level->checkpoint_map, level->ns) != NULL;
    const char *ns;
    json_t *id;
    if (json_object_size(parents) !=
        json_object_size(level->checkpoint_map) - own)
        return false;
    json_object_foreach ((json_t *)parents, ns, id) {
        if (!json_equal(id, json_object_get(level->checkpoint_map, ns)))
            return false;
    }
    return true;
}

// The rows say what this loop shows.
static bool derivable(const struct loop *loop)
{
    const struct loop_facts *level = ss_loop_facts(loop);
    return ss_loop_is_saved(loop) && !level->graph->has_untracked &&
           (!level->parent || same_parents(loop));
}

// A handler that goes on after a resume is planned by nobody.
static bool has_handler(const struct loop *loop)
{
    const struct loop_facts *level = ss_loop_facts(loop);
    for (size_t i = level->tasks.count; i-- > 0;)
        if (ss_task_facts(level->tasks.items[i])->planned.kind ==
            SS_TASK_HANDLER)
            return true;
    return false;
}

void ss_emit_begin(
    struct loop *loop, enum ss_told what, const struct task *task)
{
    const struct loop_facts *level = ss_loop_facts(loop);
    struct run *run = level->run;
    const struct run_facts *its = ss_run_facts(run);
    ss_check(its->audience->named_by == 0); // scopes do not nest
    its->audience->scope = SCOPE_NAMED;
    if (!scripted(loop))
        return;
    if (what != SS_TOLD_RAW && ss_loop_was_told(loop, what)) {
        its->audience->scope = derivable(loop) ? SCOPE_MUTED : SCOPE_RAW;
    } else if (what != SS_TOLD_RAW && derivable(loop) &&
               !(what == SS_TOLD_STARTS && has_handler(loop))) {
        its->audience->named_by = note(
            loop, what, task ? ss_task_facts(task)->planned.id : NULL, NULL);
    } else {
        its->audience->scope = SCOPE_RAW;
        if (what == SS_TOLD_TICK && level->persists)
            note(loop, SS_TOLD_TICK_RAW, NULL, NULL);
    }
}

void ss_emit_end(struct loop *loop)
{
    struct audience *audience = audience_of(ss_loop_facts(loop)->run);
    audience->scope = SCOPE_NONE;
    audience->named_by = 0;
}

static bool listened(const struct loop *loop, unsigned mode)
{
    const struct loop_facts *level = ss_loop_facts(loop);
    return (ss_run_facts(level->run)->modes & mode) != 0 &&
           (!level->parent || audience_of(level->run)->any_subgraphs);
}

bool ss_emit_wants(const struct loop *loop, unsigned mode)
{
    const struct loop_facts *level = ss_loop_facts(loop);
    if (listened(loop, mode))
        return audience_of(level->run)->scope != SCOPE_MUTED;
    return audience_of(level->run)->scope == SCOPE_RAW && scripted(loop) &&
           level->persists && !(mode & (STREAM_MESSAGES | STREAM_PROGRESS));
}

// ------------------------------------------------ events

// So many events more, of the row that they rest on.
static struct event_position count(struct loop *loop, uint32_t events)
{
    const struct loop_facts *level = ss_loop_facts(loop);
    struct thread *thread = level->thread;
    uint64_t seq = audience_of(level->run)->named_by;
    if (seq == 0)
        seq = scripted(loop) ? event_row(loop)->seq : ss_thread_head(thread);
    ss_check(seq <= ss_thread_head(thread));
    return ss_thread_count_events(thread, seq, events);
}

// One more event; `data` NULL: nobody wants it, and it is counted.
static void number(struct loop *loop, enum stream_mode mode, json_t *data)
{
    const struct loop_facts *level = ss_loop_facts(loop);
    struct run *run = level->run;
    const struct thread *thread = level->thread;
    if (audience_of(run)->replay) {
        ss_replay_event(audience_of(run)->replay, loop, mode, data);
        return;
    }
    struct event_position at = count(loop, 1);
    if (!data || !listened(loop, mode)) {
        json_decref(data);
        return;
    }
    // a message that a node returned rests on the row of its writes
    enum gate gate =
        mode == STREAM_MESSAGES ? GATE_UPDATES : modes[mode_index(mode)].gate;
    tell(loop, mode, ss_emit_json(mode, level->ns, data, at.seq, at.index),
        ss_thread_gate(thread, gate, ss_run_facts(run)->options.durability));
}

// False: it was told before a crash, or nobody wants it.
static bool note_raw(struct loop *loop, enum stream_mode mode, json_t *data,
    const char *type, int64_t step)
{
    const struct loop_facts *level = ss_loop_facts(loop);
    if (audience_of(level->run)->scope != SCOPE_RAW)
        return audience_of(level->run)->scope != SCOPE_MUTED;
    if (ss_loop_was_told(loop, SS_TOLD_RAW) || !data)
        return false;
    json_t *raw =
        json_pack("{s:s, s:O}", "m", modes[mode_index(mode)].name, "d", data);
    if (type) {
        json_object_set_new(raw, "t", json_string(type));
        json_object_set_new(raw, "s", json_integer((json_int_t)step));
    }
    note(loop, SS_TOLD_RAW, NULL, raw);
    return true;
}

void ss_emit_event(struct loop *loop, enum stream_mode mode, json_t *data)
{
    if (note_raw(loop, mode, data, NULL, 0))
        number(loop, mode, data);
    else
        json_decref(data);
}

static json_t *wrapped(
    const struct loop *loop, const char *type, int64_t step, json_t *payload)
{
    const struct loop_facts *level = ss_loop_facts(loop);
    char time[SS_TIME_SIZE];
    const struct replay *replay = audience_of(level->run)->replay;
    ss_time_text(
        replay ? ss_replay_time(replay) : level->engine->wall_us, time);
    return json_pack("{s:I, s:s, s:s, s:O}", "step", (json_int_t)step,
        "timestamp", time, "type", type, "payload", payload);
}

void ss_emit_wrapped(struct loop *loop, enum stream_mode mode, const char *type,
    int64_t step, json_t *payload)
{
    bool is_told = note_raw(loop, mode, payload, type, step);
    if (is_told && !payload && !audience_of(ss_loop_facts(loop)->run)->replay) {
        count(loop, 2);
    } else if (is_told) {
        number(loop, mode, json_incref(payload));
        number(loop, STREAM_DEBUG,
            payload && listened(loop, STREAM_DEBUG)
                ? wrapped(loop, type, step, payload)
                : NULL);
    }
    json_decref(payload);
}

void ss_emit_progress(struct loop *loop, json_t *data)
{
    tell(loop, STREAM_PROGRESS,
        json_pack("{s:s, s:o, s:o}", "mode", "progress", "ns",
            ns_json(ss_loop_facts(loop)->ns), "data", data),
        0);
}

// ------------------------------------------------ items of attempts

static void attempt_text(struct ss_attempt attempt, char ret[64])
{
    snprintf(ret, 64, "%" PRIu64 ".%" PRIu64, attempt.epoch, attempt.dispatch);
}

json_t *ss_item_json(const char *mode, const char *ns, json_t *data,
    const char *attempt, uint64_t item)
{
    return json_pack("{s:s, s:o, s:o, s:s, s:I}", "mode", mode, "ns",
        ns_json(ns), "data", data, "attempt", attempt, "item",
        (json_int_t)item);
}

void ss_emit_live(
    struct task *task, enum stream_mode mode, json_t *value, json_t *data)
{
    struct loop *loop = ss_task_facts(task)->loop;
    const struct loop_facts *level = ss_loop_facts(loop);
    char attempt[64];
    attempt_text(ss_attempt_name(task), attempt);
    ss_task_keep_item(task, modes[mode_index(mode)].name, value);
    tell(loop, mode,
        ss_item_json(modes[mode_index(mode)].name, level->ns, data, attempt,
            ss_task_items(task)->count),
        ss_thread_gate(level->thread, GATE_LIVE,
            ss_run_facts(level->run)->options.durability));
}

json_t *ss_items_json(const struct task *task)
{
    char attempt[64];
    attempt_text(ss_attempt_name(task), attempt);
    return json_pack("{s:s, s:O, s:o}", "attempt", attempt, "items",
        ss_task_items(task)->kept, "meta", ss_message_metadata(task));
}

void ss_emit_items(struct task *task)
{
    const struct task_facts *facts = ss_task_facts(task);
    if (ss_task_items(task)->kept && scripted(facts->loop))
        note(
            facts->loop, SS_TOLD_ITEMS, facts->planned.id, ss_items_json(task));
    ss_task_drop_items(task);
}

json_t *ss_restarted_json(const char *ns, const char *attempt)
{
    return json_pack("{s:s, s:o, s:{s:s}, s:s}", "mode", "restarted", "ns",
        ns_json(ns), "data", "attempt", attempt, "attempt", attempt);
}

void ss_emit_restarted(struct task *task)
{
    char attempt[64];
    if (ss_task_items(task)->count > 0) {
        attempt_text(ss_attempt_name(task), attempt);
        tell(ss_task_facts(task)->loop, STREAM_CUSTOM | STREAM_MESSAGES,
            ss_restarted_json(ss_task_level(task)->ns, attempt), 0);
    }
    ss_task_drop_items(task);
}

// ------------------------------------------------ after a crash

// How much of what this loop tells first was told before: it is not told again.
void ss_emit_recall(struct loop *loop)
{
    const struct loop_facts *level = ss_loop_facts(loop);
    const struct ss_journal *journal = ss_thread_facts(level->thread)->journal;
    const struct run *run = level->run;
    bool anew;
    uint64_t from = ss_loop_told_from(loop, &anew), tick = 0;
    for (uint64_t seq = from; seq <= ss_journal_head(journal); seq++) {
        const struct ss_row *row = ss_journal_row(journal, seq);
        if (!row || strcmp(row->run, ss_run_facts(run)->id) != 0)
            continue;
        for (size_t i = 0; i < row->events_count; i++) {
            const struct ss_row_event *event = &row->events[i];
            if (strcmp(event->ns ? event->ns : row->ns, level->ns) != 0)
                continue;
            bool ticks =
                event->what == SS_TOLD_TICK || event->what == SS_TOLD_TICK_RAW;
            if (ticks)
                tick = seq;
            // a root that is entered again shows no values (enter.c)
            bool early = !tick && anew && level->parent;
            if (ticks || event->what == SS_TOLD_STARTS ||
                (event->what == SS_TOLD_VALUES && early) ||
                (event->what == SS_TOLD_RAW && (early || seq == tick)))
                ss_loop_note_told(loop, ticks ? SS_TOLD_TICK : event->what);
        }
    }
}

bool ss_emit_values_before(const struct loop *loop)
{
    const struct loop_facts *level = ss_loop_facts(loop);
    const struct ss_journal *journal = ss_thread_facts(level->thread)->journal;
    const struct run *run = level->run;
    for (uint64_t seq = ss_run_facts(run)->entry_seq;
         seq <= ss_journal_head(journal); seq++) {
        const struct ss_row *row = ss_journal_row(journal, seq);
        if (!row || strcmp(row->run, ss_run_facts(run)->id) != 0)
            continue;
        for (size_t i = 0; i < row->events_count; i++) {
            const struct ss_row_event *event = &row->events[i];
            const char *mode = ss_json_str(event->data, "m", NULL);
            if (strcmp(event->ns ? event->ns : row->ns, level->ns) == 0 &&
                (event->what == SS_TOLD_VALUES ||
                    ss_stream_mode(mode) == STREAM_VALUES))
                return true;
        }
    }
    return false;
}
