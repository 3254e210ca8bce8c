// subscribers.c - who listens to a run: asked for it, came to it later, or asks
// again when it has ended.
#include <string.h>

#include "common/base/check.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/journal.h"
#include "common/model/request.h"
#include "common/model/run_status.h"
#include "common/model/value.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/requests/audience.h"
#include "coordinator/engine/requests/emit.h"
#include "coordinator/engine/requests/lookup.h"
#include "coordinator/engine/requests/replay.h"
#include "coordinator/engine/requests/requests.h"
#include "coordinator/engine/requests/snapshot.h"
#include "coordinator/engine/runs/pause.h"
#include "coordinator/engine/runs/queue.h"
#include "coordinator/engine/runs/runs.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/answers.h"
#include "coordinator/engine/threads/graphs.h"
#include "coordinator/engine/threads/shards.h"
#include "coordinator/engine/threads/thread.h"

// Behind which event all are told.
#define FROM_START "0.0"

// ------------------------------------------------ listeners

static struct listener *listener_of(struct engine *engine, const char *peer)
{
    struct ss_map *listeners = &engine->requests->listeners;
    struct listener *listener = ss_map_get(listeners, peer);
    if (!listener) {
        listener = ss_zalloc(1, sizeof(*listener));
        listener->peer = ss_strdup(peer);
        ss_map_put(listeners, peer, listener);
    }
    return listener;
}

static void listener_let_go(struct engine *engine, struct listener *listener)
{
    ss_check(listener->count > 0);
    if (--listener->count > 0)
        return;
    ss_map_remove(&engine->requests->listeners, listener->peer);
    ss_map_fini(&listener->runs, NULL);
    ss_free(listener->peer);
    ss_free(listener);
}

// A client that gives two requests one number is found by the later one.
static void subscriber_fini(struct run *run, struct subscriber *subscriber)
{
    struct listener *listener = subscriber->listener;
    if (ss_map_get_number(&listener->runs, subscriber->id) == run)
        ss_map_remove_number(&listener->runs, subscriber->id);
    json_decref(subscriber->warning);
    listener_let_go(ss_run_facts(run)->engine, listener);
}

// ------------------------------------------------ of a run

static void sum_subscribers(struct run *run)
{
    struct audience *audience = audience_of(run);
    unsigned modes = 0;
    audience->any_subgraphs = false;
    for (size_t i = 0; i < audience->subscribers.count; i++) {
        modes |= audience->subscribers.items[i].modes;
        audience->any_subgraphs |= audience->subscribers.items[i].subgraphs;
    }
    ss_run_wants(run, modes);
}

struct audience *ss_audience_make(void)
{
    return ss_zalloc(1, sizeof(struct audience));
}

void ss_audience_free(struct run *run)
{
    struct audience *audience = audience_of(run);
    for (size_t i = 0; i < audience->subscribers.count; i++)
        subscriber_fini(run, &audience->subscribers.items[i]);
    SS_VEC_FINI(&audience->subscribers);
    ss_map_fini(&audience->message_ids, NULL);
    json_decref(audience->last_words);
    ss_free(audience);
}

int ss_run_listen(
    struct run *run, const struct ss_request *request, struct ss_error *error)
{
    error->status = SS_OK;
    unsigned modes = ss_stream_modes(request->stream, error);
    if (error->status != SS_OK)
        return error->status;
    struct listener *listener =
        listener_of(ss_run_facts(run)->engine, request->peer);
    listener->count++;
    ss_map_put_number(&listener->runs, request->id, run);
    SS_VEC_PUSH(&audience_of(run)->subscribers,
        (struct subscriber){.listener = listener,
            .id = request->id,
            .modes = modes,
            .subgraphs = request->subgraphs,
            .told = request->is_alone && !request->detach,
            .detached = request->detach});
    sum_subscribers(run);
    return SS_OK;
}

// Beside those that `answer` has already. `warning`: a text, or NULL.
static void add_warning(json_t *answer, json_t *warning)
{
    ss_check(json_is_object(answer));
    if (!warning)
        return;
    const json_t *said = json_object_get(answer, "warnings");
    json_t *warnings = said ? json_copy((json_t *)said) : json_array();
    json_array_append(warnings, warning);
    json_object_set_new(answer, "warnings", warnings);
}

static void add_warnings_of(const struct run *run, json_t *answer)
{
    json_t *warning;
    size_t i;
    json_array_foreach (ss_run_facts(run)->warnings, i, warning)
        add_warning(answer, warning);
}

// Who does not wait hears nothing behind this answer, so what the run's input
// is warned of comes into it: it leaves when the run has entered.
static void add_last_words(const struct run *run, json_t *answer)
{
    struct audience *audience = audience_of(run);
    if (!audience->last_words)
        audience->last_words = json_array();
    json_array_append(audience->last_words, answer);
}

void ss_audience_entered(struct run *run)
{
    struct audience *audience = audience_of(run);
    json_t *answer;
    size_t i;
    json_array_foreach (audience->last_words, i, answer)
        add_warnings_of(run, answer);
    json_decref(audience->last_words);
    audience->last_words = NULL;
}

// One that waits for its turn is acknowledged by its record, else by its entry.
// `enters`: in this step.
static void accept_subscriber(
    struct run *run, struct subscriber *subscriber, bool enters)
{
    const struct run_facts *its = ss_run_facts(run);
    struct thread *thread = its->thread;
    struct ss_command command = {.type = SS_COMMAND_EVENT,
        .peer = ss_strdup(subscriber->listener->peer),
        .id = subscriber->id,
        .json = json_object()};
    json_object_set_new_nocheck(command.json, "run", json_string(its->id));
    json_object_set_new(
        command.json, "thread", json_string(ss_thread_facts(thread)->id));
    json_object_set_new_nocheck(command.json, "accepted", json_true());
    subscriber->told = true;
    const json_t *paused = ss_pause_of_run(run);
    if (paused)
        json_object_set(command.json, "paused", (json_t *)paused);
    add_warning(command.json, subscriber->warning);
    if (subscriber->detached)
        command.type = SS_COMMAND_REPLY;
    if (subscriber->detached && enters)
        add_last_words(run, command.json);
    else if (subscriber->detached)
        add_warnings_of(run, command.json);
    if (subscriber->detached || its->state == RUN_QUEUED)
        json_object_set_new(command.json, "status",
            json_string(ss_run_status_name(
                its->state == RUN_QUEUED ? SS_RUN_QUEUED : SS_RUN_RUNNING)));
    if (its->state == RUN_QUEUED)
        ss_thread_release_all_at(thread, GATE_ACCEPTED, command);
    else
        ss_thread_release_at(thread,
            ss_thread_gate(thread, GATE_ACCEPTED, its->options.durability),
            command);
}

static void accept_all(struct run *run, bool enters)
{
    struct audience *audience = audience_of(run);
    for (size_t i = audience->subscribers.count; i-- > 0;) {
        struct subscriber *subscriber = &audience->subscribers.items[i];
        if (!subscriber->told)
            accept_subscriber(run, subscriber, enters);
        if (subscriber->detached) {
            subscriber_fini(run, subscriber);
            SS_VEC_REMOVE(&audience->subscribers, i);
        }
    }
    sum_subscribers(run);
}

void ss_audience_accept(struct run *run)
{
    accept_all(run, ss_run_facts(run)->state != RUN_QUEUED);
}

// `id`: one of its requests; 0: all of them. The listener may be gone behind
// it.
static void run_let_go(
    struct run *run, const struct listener *listener, uint64_t id)
{
    struct audience *audience = audience_of(run);
    for (size_t i = audience->subscribers.count; i-- > 0;) {
        struct subscriber *subscriber = &audience->subscribers.items[i];
        if (subscriber->listener != listener ||
            (id != 0 && subscriber->id != id))
            continue;
        subscriber_fini(run, subscriber);
        SS_VEC_REMOVE(&audience->subscribers, i);
    }
    sum_subscribers(run);
}

void ss_client_gone(struct engine *engine, const char *peer, uint64_t id)
{
    struct ss_map *listeners = &engine->requests->listeners;
    struct listener *listener = ss_map_get(listeners, peer);
    if (!listener)
        return;
    struct run *run = id ? ss_map_get_number(&listener->runs, id) : NULL;
    if (run)
        run_let_go(run, listener, id);
    if (id != 0)
        return;
    for (const struct ss_map_entry *e = ss_runs_all(engine)->first;
         e && ss_map_get(listeners, peer) == listener; e = e->next)
        run_let_go(e->value, listener, 0);
}

void ss_audience_move(struct run *run, struct run *before)
{
    struct audience *to = audience_of(run), *from = audience_of(before);
    ss_check(to->subscribers.count == 0); // else theirs would be lost
    memcpy(&to->subscribers, &from->subscribers, sizeof(to->subscribers));
    memset(&from->subscribers, 0, sizeof(from->subscribers));
    for (size_t i = 0; i < to->subscribers.count; i++) {
        const struct subscriber *subscriber = &to->subscribers.items[i];
        ss_map_put_number(&subscriber->listener->runs, subscriber->id, run);
    }
    sum_subscribers(run);
}

void ss_audience_answer(struct run *run, const json_t *result)
{
    const struct audience *audience = audience_of(run);
    for (size_t i = 0; i < audience->subscribers.count; i++) {
        const struct subscriber *asks = &audience->subscribers.items[i];
        json_t *its = asks->warning ? json_copy((json_t *)result)
                                    : json_incref((json_t *)result);
        add_warning(its, asks->warning);
        ss_thread_release_all_at(ss_run_facts(run)->thread, GATE_REPLY,
            (struct ss_command){.type = SS_COMMAND_REPLY,
                .peer = ss_strdup(asks->listener->peer),
                .id = asks->id,
                .json = its});
    }
}

void ss_audience_drop(struct run *run, int status, const char *message)
{
    const struct audience *audience = audience_of(run);
    for (size_t i = 0; i < audience->subscribers.count; i++) {
        const struct subscriber *asks = &audience->subscribers.items[i];
        ss_reply_dropped(ss_run_facts(run)->thread, asks->listener->peer,
            asks->id, status, message);
    }
}

// ------------------------------------------------ asked again

// What an ended run gave: folded from the journal, by its own options.
static json_t *ended_output(
    struct thread *thread, const struct ss_run_rows *facts)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    struct ss_journal *journal = its->journal;
    struct known_graph *known =
        ss_known_graph(its->engine, ss_json_str(facts->entry, "graph", ""),
            ss_json_str(facts->entry, "version", NULL));
    // one that asked again made no checkpoint: it stands where it began
    struct ss_checkpoint_entry *last =
        facts->last ? facts->last
                    : ss_journal_find(
                          journal, "", ss_json_str(facts->entry, "base", ""));
    if (!known || !last)
        return json_null();
    // a question shows what finished beside it; a failure does not (R5.33)
    bool asks = ss_run_status_of(facts->end) == SS_RUN_INTERRUPTED;
    bool live = asks && last == ss_journal_find(journal, "", NULL);
    struct run *run = ss_run_shadow(thread, facts);
    json_t *output = run ? ss_snapshot_output(thread, known->graph, last, live,
                               ss_run_facts(run)->options.has_output_keys
                                   ? &ss_run_facts(run)->options.output_keys
                                   : &known->graph->output)
                         : json_null();
    if (run)
        ss_run_free(run);
    return output;
}

// What the run was asked for with, where its thread has that in memory: in its
// place in the queue, in the row that it begins with, in its rows. Borrowed;
// NULL: nowhere.
static const json_t *asked_with(const struct thread *thread, const char *run,
    const struct ss_run_rows *rows)
{
    const struct ss_row *open = ss_thread_facts(thread)->open;
    size_t before;
    const json_t *kept = ss_queue_record(thread, run, &before);
    if (!kept && open && open->entry && strcmp(open->run, run) == 0)
        kept = open->entry;
    if (!kept && rows)
        kept = rows->entry;
    return json_object_get(kept, "request");
}

// It is said, and is not what was said. Nothing and null are the same.
static bool is_other(const json_t *said, const json_t *was)
{
    const json_t *before = json_is_null(was) ? NULL : was;
    return said && !json_is_null(said) && !json_equal(said, before);
}

// A name that was used before with another input is a mistake, and what comes
// of it looks like an answer to this one. Gives a text; NULL: it is the same.
static json_t *other_input(const struct thread *thread,
    const struct ss_request *request, const struct run *live,
    const struct ss_run_rows *rows)
{
    const char *run = request->run;
    const json_t *was = asked_with(thread, run, rows);
    bool is_queued = live && ss_run_facts(live)->state == RUN_QUEUED;
    bool input = is_other(request->input, json_object_get(was, "input"));
    ss_check(!live || strcmp(ss_run_facts(live)->id, run) == 0);
    if (!was || (!input && !is_other(request->command,
                               json_object_get(was, "command"))))
        return NULL;
    return json_sprintf("run %s %s already, with another %s: this is what %s "
                        "of that one",
        run,
        is_queued ? "waits for its turn"
        : live    ? "is under way"
                  : "was there",
        input ? "input" : "command", live ? "comes" : "came");
}

// The result of a run that has ended, for one who asks again.
static void answer_ended(struct thread *thread,
    const struct ss_request *request, const struct ss_run_rows *facts)
{
    json_t *result = json_copy(facts->end);
    if (!json_object_get(result, "output"))
        json_object_set_new(result, "output", ended_output(thread, facts));
    json_t *warning = other_input(thread, request, NULL, facts);
    add_warning(result, warning);
    json_decref(warning);
    ss_reply_durable(thread, request, result);
}

// Who asks for a run that is under way listens, is told that it is accepted,
// and what happened behind `after`.
static void attach(struct run *run, const struct ss_request *request,
    const struct ss_run_rows *rows, const char *after)
{
    const struct run_facts *its = ss_run_facts(run);
    struct ss_error error = {0};
    if (ss_run_listen(run, request, &error) != SS_OK) {
        ss_reply_error(its->engine, request, error.status, "%s", error.message);
        return;
    }
    struct audience *audience = its->audience;
    struct subscriber *subscriber =
        &audience->subscribers.items[audience->subscribers.count - 1];
    subscriber->warning = other_input(its->thread, request, run, rows);
    if (!subscriber->told)
        accept_subscriber(run, subscriber, false);
    if (subscriber->detached)
        accept_all(run, false); // it was told, and does not wait
    else if (after && its->state != RUN_QUEUED)
        ss_replay(its->thread, its->id, run, subscriber, after, request->seen);
}

// One who names what it saw is told the rest, of a run that has ended too.
static void tell_ended(struct thread *thread, const struct ss_request *request,
    const struct ss_run_rows *facts, const char *after)
{
    struct ss_error error = {0};
    unsigned modes = ss_stream_modes(request->stream, &error);
    if (error.status != SS_OK) {
        ss_reply_error(ss_thread_facts(thread)->engine, request, error.status,
            "%s", error.message);
        return;
    }
    struct listener asker = {.peer = ss_strdup(request->peer)};
    struct subscriber subscriber = {.listener = &asker,
        .id = request->id,
        .modes = modes,
        .subgraphs = request->subgraphs};
    if (after)
        ss_replay(thread, facts->id, NULL, &subscriber, after, request->seen);
    ss_free(asker.peer);
    answer_ended(thread, request, facts);
}

// The run that has this id already: true if the request was served by it.
static bool serve_known(struct thread *thread, const struct ss_request *request,
    const char *run_id, const char *after)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    if (!run_id)
        return false;
    if (its->open && its->open->end)
        ss_thread_seal(thread); // it has ended in this very step
    const struct ss_run_rows *facts = ss_journal_run(its->journal, run_id);
    struct run *run = ss_run_live(thread, run_id);
    if (run) {
        attach(run, request, facts, after);
        return true;
    }
    if (facts && facts->end) {
        tell_ended(thread, request, facts, after);
        return true;
    }
    return false;
}

// A run is asked for again by one who has heard nothing of it: it is told from
// its beginning.
bool ss_run_serve_repeated(
    struct thread *thread, const struct ss_request *request, const char *run_id)
{
    return serve_known(thread, request, run_id, FROM_START);
}

void ss_run_ask_again(struct thread *thread, const struct ss_request *request)
{
    const char *run_id = request->run;
    const char *after = request->after ? request->after : FROM_START;
    if (!serve_known(
            thread, request, run_id, request->has.after ? after : NULL) &&
        !ss_outlived_look(thread, request))
        ss_reply_no_run(thread, request, run_id ? run_id : "?");
}
