// enter_root.c - how a run's own loop begins, and how it comes back after a
// crash (spec/engine.md 5.2-5.3; the journal's rule: recovery is not a resume).
#include <string.h>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/compare.h"
#include "common/model/graph.h"
#include "common/model/journal.h"
#include "common/model/reserved.h"
#include "common/model/suggest.h"
#include "common/model/value.h"
#include "common/model/writers.h"
#include "common/pregel/pending.h"
#include "common/pregel/pregel.h"
#include "coordinator/engine/levels/checkpoint.h"
#include "coordinator/engine/levels/enter.h"
#include "coordinator/engine/levels/levels.h"
#include "coordinator/engine/levels/levels_impl.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/resume_value.h"
#include "coordinator/engine/levels/root.h"
#include "coordinator/engine/levels/watch.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/threads/thread.h"

void ss_root_make(struct run *run)
{
    ss_check(!run->facts.root);
    run->facts.root = ss_loop_new(run->facts.thread, run, run->facts.graph, "");
}

static const char *named_checkpoint(const struct run *run)
{
    json_t *map = run->facts.request->checkpoint_map;
    const char *id = ss_json_str(map, "", NULL);
    if (!id)
        id = run->facts.request->checkpoint_id;
    return id && id[0] ? id : NULL;
}

// Few runs begin where something was asked; the others have no list of it.
static void note_questions(struct loop *loop)
{
    ss_check(!loop->facts.parent);
    json_decref(loop->facts.run->questions);
    loop->facts.run->questions = NULL;
    if (loop->pending.count == 0)
        return;
    json_t *questions = ss_pendings_questions(&loop->pending);
    if (json_array_size(questions) > 0)
        loop->facts.run->questions = json_incref(questions);
    json_decref(questions);
}

static int load_root(
    struct loop *loop, struct entry *start, struct ss_error *error)
{
    const struct ss_journal *journal =
        ss_thread_facts(loop->facts.thread)->journal;
    struct run *run = loop->facts.run;
    if (run->facts.recovering) {
        const char *base = ss_json_str(run->entry, "base", "");
        start->id = base[0] ? base : NULL;
    } else {
        start->id = named_checkpoint(run);
    }
    start->mark = start->id || !run->facts.recovering
                      ? ss_journal_find(journal, loop->facts.ns, start->id)
                      : NULL;
    struct ss_checkpoint_entry *newest =
        ss_journal_find(journal, loop->facts.ns, NULL);
    if (run->facts.recovering) {
        start->addressed = ss_json_bool(run->entry, "addressed", false);
        loop->entered.superseded =
            ss_json_bool(run->entry, "superseded", false);
    } else {
        start->addressed = start->id != NULL;
        loop->entered.superseded = start->id && start->mark && newest &&
                                   strcmp(newest->row->checkpoint_id,
                                       start->mark->row->checkpoint_id) != 0;
    }
    int status = ss_loop_load(loop, start->mark, error);
    loop->stop = loop->facts.step + run->facts.options.recursion_limit + 1;
    if (status == SS_OK && start->id && !start->mark &&
        !run->facts.recovering) {
        // R5.3: an unknown id: a fresh thread that names it as its parent
        ss_lineage_name(&loop->lineage, start->id);
    }
    return status;
}

static bool same_run_id(const struct loop *loop)
{
    const char *ours =
        ss_json_str(run_of(loop)->options.metadata, "run_id", NULL);
    const char *theirs =
        ss_json_str(loop->facts.checkpoint.metadata, "run_id", NULL);
    return ours && theirs && strcmp(ours, theirs) == 0;
}

static bool contains(const json_t *array, const char *text)
{
    size_t i;
    json_t *item;
    json_array_foreach ((json_t *)array, i, item) {
        if (strcmp(json_string_value(item), text) == 0)
            return true;
    }
    return false;
}

// R7.19: what does not fit what is pending is refused before anything is
// stored.
static int check_strict(
    const struct loop *loop, const struct entry *start, struct ss_error *error)
{
    const json_t *open = loop->facts.run->questions;
    if (!run_of(loop)->options.strict_resume || loop->entered.superseded)
        return SS_OK;
    if (!start->id_map)
        return json_array_size(open) > 1 ? ss_error_set(error, SS_EAMBIGUOUS,
                                               "%zu questions are open: "
                                               "answer by their ids",
                                               json_array_size(open))
                                         : SS_OK;
    if (json_object_size(start->answer) == 0)
        return ss_error_set(error, SS_EEMPTYRESUME,
            "the map of answers is empty: name at least one open question");
    const char *key;
    json_t *value;
    json_object_foreach (start->answer, key, value) {
        if (!contains(open, key))
            return ss_error_set(error, SS_EUNKNOWNINTERRUPT,
                "no open question has the id %s", key);
    }
    return SS_OK;
}

// A command without an answer (goto) is a way round the question.
static int check_askers(
    const struct loop *loop, const struct entry *start, struct ss_error *error)
{
    const struct run *run = loop->facts.run;
    if (!run->questions || run->facts.recovering || !loop->entered.resuming ||
        loop->entered.superseded || (start->command && !start->answer))
        return SS_OK;
    return ss_enter_check_askers(loop, error);
}

static int which_one(const struct loop *loop, const char *what, size_t count,
    struct ss_error *error)
{
    return ss_error_set(error, SS_ESTATE,
        "thread %s: %zu questions %s; say by its id which one this answers: "
        "--answer ID=JSON, in a request {\"resume\": {id: answer}}",
        ss_thread_facts(loop->facts.thread)->id, count, what);
}

// A resume value without an id where no question is open (R7.12b, R9.21, not
// copied): on a checkpoint that the thread has left it is for what was asked
// there; beside a task that failed after its answer it is for nothing that
// anybody has seen.
static int aim_answer(
    struct loop *loop, struct entry *start, struct ss_error *error)
{
    int status = SS_OK;
    if (loop->entered.superseded) {
        json_t *asked = ss_pendings_asked(&loop->pending);
        size_t count = json_array_size(asked);
        if (count > 1)
            status = which_one(loop, "were asked there", count, error);
        if (count == 1) {
            start->id_map = true;
            loop->facts.run->resume_map = json_pack("{s:O}",
                json_string_value(json_array_get(asked, 0)), start->answer);
        }
        json_decref(asked);
    } else if (ss_pendings_failed_answered(&loop->pending)) {
        start->id_map = true;
        ss_loop_warn_unasked(loop);
    }
    return status;
}

// Without `strict_resume` they are kept for who may ask in this run.
static void warn_not_open(struct loop *loop, const json_t *map)
{
    const char *id;
    json_t *value;
    json_object_foreach ((json_t *)map, id, value) {
        if (json_array_size(run_of(loop)->warnings) >= SS_WARNINGS_MAX)
            return;
        if (!loop->entered.superseded &&
            !contains(loop->facts.run->questions, id))
            ss_loop_warn(loop, "thread %s: no open question has the id %s",
                ss_thread_facts(loop->facts.thread)->id, id);
    }
}

// What was accepted once is not judged again by a recovery.
static int check_answer(
    struct loop *loop, struct entry *start, struct ss_error *error)
{
    struct run *run = loop->facts.run;
    size_t open = json_array_size(run->questions);
    start->id_map = ss_resume_is_id_map(start->answer);
    int status =
        run->facts.recovering ? SS_OK : check_strict(loop, start, error);
    if (status != SS_OK)
        return status;
    if (start->id_map) {
        run->resume_map = json_incref(start->answer);
        if (!run->facts.recovering)
            warn_not_open(loop, start->answer);
        return SS_OK;
    }
    if (open > 1 && !run->facts.recovering)
        return which_one(loop, "are open", open, error);
    return open == 0 ? aim_answer(loop, start, error) : SS_OK;
}

// The command as the null task's writes (R8.2), without an id map (R5.7b).
static int command_writes(
    struct entry *start, struct ss_writes *writes, struct ss_error *error)
{
    json_t *command = json_copy(start->command);
    if (start->id_map)
        json_object_del(command, "resume");
    int status = ss_writers_command(command, writes, error);
    json_decref(command);
    if (status == SS_OK && writes->count == 0 && !start->id_map)
        status = ss_error_set(error, SS_EEMPTYINPUT,
            "the command is empty: give it update, goto or resume");
    return status;
}

static void take_resume_value(struct loop *loop)
{
    for (size_t i = 0; i < loop->pending.count; i++) {
        const struct ss_pending *p = &loop->pending.items[i];
        if (ss_pending_is_null(p) &&
            strcmp(p->write.channel, SS_NAME_RESUME) == 0)
            ss_resume_value_put(loop->facts.run, p->write.value);
    }
}

// R5.13: what the graphs inside are told.
static void tell_children(struct loop *loop, const struct entry *start)
{
    struct run *run = loop->facts.run;
    loop->entered.inherited =
        loop->entered.resuming ? INHERITED_RESUMING : INHERITED_ANEW;
    loop->first_superstep = true;
    run->replay_id[0] = '\0';
    if (!start->time_traveling)
        return;
    const struct ss_checkpoint_entry *mark = start->mark;
    const char *id = loop->facts.checkpoint.id;
    if (loop->entered.resuming && mark)
        id = ss_enter_is_edited(mark) && mark->row->parent_id[0]
                 ? mark->row->parent_id
                 : mark->row->checkpoint_id;
    ss_id_copy(run->replay_id, id);
}

// A note that says the usual is none: an object with 12 keys is 800 bytes.
static void note_text(json_t *entry, const char *key, const char *text)
{
    if (text[0])
        json_object_set_new(entry, key, json_string(text));
    else
        json_object_del(entry, key);
}

static void note_flag(json_t *entry, const char *key, bool is_set)
{
    if (is_set)
        json_object_set_new(entry, key, json_true());
}

// What recovery must know and cannot see any more (journal.md).
static void note_entry(const struct loop *loop, const struct entry *start)
{
    json_t *entry = loop->facts.run->entry;
    const struct loop_entry *entered = &loop->entered;
    ss_check(json_is_object(entry) && !json_object_get(entry, "stop"));
    json_object_set_new(entry, "stop", json_integer((json_int_t)loop->stop));
    note_text(
        entry, "base", start->mark ? start->mark->row->checkpoint_id : "");
    note_text(entry, "replay_id", loop->facts.run->replay_id);
    note_flag(entry, "addressed", start->addressed);
    note_flag(entry, "superseded", entered->superseded);
    note_flag(entry, "resuming", entered->resuming);
    note_flag(entry, "replaying", entered->replaying);
}

// What __start__ would not take of a command on a fresh thread, as it takes
// keys of the input alone: nobody writes it, as on any other thread (R5.12).
static int fresh_writes(const struct loop *loop, const struct entry *start,
    struct ss_writes *writes, struct ss_error *error)
{
    json_t *update = json_object_get(start->command, "update");
    if (!loop->facts.graph->is_state || !update)
        return SS_OK;
    struct ss_writes all = {0};
    json_t *command = json_pack("{s:O}", "update", update);
    int status = ss_writers_command(command, &all, error);
    for (size_t i = 0; i < all.count; i++)
        if (!ss_keys_have(&loop->facts.graph->input_keys, all.items[i].channel))
            ss_writes_add(
                writes, all.items[i].channel, ss_value_ref(all.items[i].value));
    ss_writes_fini(&all);
    json_decref(command);
    return status;
}

// A command on a fresh thread counts once, as what __start__ returns (R5.12 is
// not copied).
static int fresh_command(struct loop *loop, struct entry *start,
    json_t **ret_input, struct ss_error *error)
{
    json_t *command = json_copy(start->command);
    if (start->answer)
        ss_loop_warn_unasked(loop);
    json_object_del(command, "resume");
    struct ss_writes writes = {0};
    int status = ss_writers_command(command, &writes, error);
    bool empty = writes.count == 0;
    ss_writes_fini(&writes);
    if (status == SS_OK && (empty || !loop->facts.graph->is_state))
        status = ss_error_set(error, SS_EEMPTYINPUT,
            "thread %s is new: there is nothing that a command could go on "
            "with; give an input",
            ss_thread_facts(loop->facts.thread)->id);
    if (status != SS_OK) {
        json_decref(command);
        return status;
    }
    *ret_input = json_pack("{s:o}", "$command", command);
    return SS_OK;
}

// A key that is mistyped is the only trace of what went wrong.
static void warn_unknown(struct loop *loop, json_t *input, size_t unknown)
{
    const struct ss_graph *graph = loop->facts.graph;
    const struct ss_keys *known =
        graph->input.scalar ? &graph->input_keys : &graph->input;
    void *at = json_object_iter(input);
    while (ss_keys_have(known, json_object_iter_key(at)))
        at = json_object_iter_next(input, at);
    struct ss_hint hint;
    ss_hint_init(&hint, json_object_iter_key(at));
    for (size_t i = 0; i < known->count; i++)
        ss_hint_offer(&hint, known->items[i]);
    // A long one would be cut, amid a letter.
    if (strlen(hint.name) > SS_HINT_SIZE)
        ss_loop_warn(loop,
            "%zu keys of the input are not channels of graph "
            "%s and were ignored",
            unknown, graph->name);
    else
        ss_loop_warn(loop,
            "\"%s\" of the input is not a channel of graph %s "
            "and was ignored%s%s",
            hint.name, graph->name, unknown > 1 ? ", as others were." : ".",
            ss_hint_text(&hint));
}

// A body that asks for a text would find none. An error it may not be: graphs
// run whose clients never cared for their types.
static void warn_types(struct loop *loop, json_t *input)
{
    const struct ss_graph *graph = loop->facts.graph;
    const char *key, *holds;
    json_t *value;
    json_object_foreach (input, key, value) {
        size_t channel = ss_graph_channel(graph, key);
        if (channel != SS_NONE &&
            !ss_channel_takes(&graph->channels[channel], value, &holds))
            ss_loop_warn(loop,
                "\"%s\" of the input is %s, and the key of graph %s holds %s.",
                key, ss_type_text(value), graph->name, holds);
    }
}

static void entry_folded(struct loop *loop);

static const struct fold_then entry_folds = {
    .folded = entry_folded, .failed = ss_loop_update_failed};

// R5.10, R5.11.
static int root_input(struct loop *loop, json_t *input, struct ss_error *error)
{
    struct ss_writes writes = {0};
    size_t unknown = 0;
    int status = input && !json_is_null(input)
                     ? ss_writers_input(
                           loop->facts.graph, input, &writes, &unknown, error)
                     : SS_OK;
    if (status == SS_OK && unknown > 0 && !json_object_get(input, "$command"))
        warn_unknown(loop, input, unknown);
    if (status == SS_OK && loop->facts.graph->is_state)
        warn_types(loop, input);
    if (status == SS_OK && writes.count == 0)
        status = ss_error_set(error, SS_EEMPTYINPUT,
            "graph %s, thread %s: there is no input (channel %s) and nothing "
            "to go on with",
            loop->facts.graph->name, ss_thread_facts(loop->facts.thread)->id,
            loop->facts.graph->input.count ? loop->facts.graph->input.items[0]
                                           : "none");
    if (status == SS_OK)
        status = ss_enter_input(loop, &writes, &entry_folds, error);
    if (status == SS_OK)
        ss_loop_save(loop, SS_SOURCE_INPUT);
    ss_writes_fini(&writes);
    return status;
}

// Where a call's list names no node the run would pass unseen (R7.13).
static void warn_breakpoints(
    struct loop *loop, const char *option, const struct ss_names *names)
{
    const struct ss_graph *graph = loop->facts.graph;
    size_t unknown = 0;
    for (size_t i = 0; i < names->count; i++) {
        const char *name = names->items[i];
        struct ss_hint hint;
        if (ss_graph_node(graph, name) != SS_NONE)
            continue;
        ss_hint_init(&hint, name);
        // One look at all nodes: a list of names may be as long as a message.
        for (size_t n = 0; unknown == 0 && n < graph->nodes_count; n++)
            ss_hint_offer(&hint, graph->nodes[n].name);
        unknown++;
        ss_loop_warn(loop,
            "%s: \"%.200s\" is not a node of graph %s, and stops "
            "nothing.%s",
            option, name, graph->name, ss_hint_text(&hint));
    }
}

static void decide(struct loop *loop, struct entry *start)
{
    const struct run *run = loop->facts.run;
    const json_t *input = run->facts.request->input;
    bool goes_on =
        !input || json_is_null(input) || start->command || same_run_id(loop);
    loop->entered.resuming = ss_machine_has_versions(loop->machine) && goes_on;
    start->time_traveling = start->addressed && !start->answer;
    loop->entered.replaying = start->time_traveling || loop->entered.superseded;
    start->forks =
        loop->entered.resuming && start->time_traveling &&
        (!ss_enter_is_edited(start->mark) || loop->entered.superseded);
}

// The part that may refuse; nothing is stored yet.
static int prepare_root(struct loop *loop, struct entry *start,
    struct ss_writes *writes, struct ss_error *error)
{
    struct run *run = loop->facts.run;
    if (loop->facts.graph->checkpointer == SS_CHECKPOINTER_KEEP)
        return ss_error_set(error, SS_ESTATE,
            "graph %s keeps its state for "
            "the graph around it: it cannot be run by itself",
            loop->facts.graph->name);
    start->command = run->facts.options.command;
    start->answer = json_object_get(run->facts.options.command, "resume");
    if (json_is_null(start->answer))
        start->answer = NULL;
    int status = load_root(loop, start, error);
    if (status != SS_OK)
        return status;
    decide(loop, start);
    warn_breakpoints(loop, "interrupt_before", &run->facts.options.before);
    warn_breakpoints(loop, "interrupt_after", &run->facts.options.after);
    if (start->time_traveling)
        ss_enter_drop_writes(loop, SS_NAME_RESUME);
    note_questions(loop);
    status = check_askers(loop, start, error);
    if (status == SS_OK && start->answer &&
        ss_machine_has_versions(loop->machine))
        status = check_answer(loop, start, error);
    if (status == SS_OK && start->command)
        status = ss_machine_has_versions(loop->machine)
                     ? command_writes(start, writes, error)
                     : fresh_writes(loop, start, writes, error);
    if (status == SS_OK && !run->facts.recovering)
        status = ss_writers_targets(loop->facts.graph, writes, error);
    return status;
}

// What may have to wait: the null writes, then the input.
static int apply_entry(
    struct loop *loop, struct entry *start, struct ss_error *error)
{
    int status = SS_OK;
    if (!start->null_done)
        status = ss_enter_null_writes(loop, &entry_folds, error);
    if (status != SS_OK)
        return status;
    start->null_done = true;
    if (loop->entered.resuming) {
        ss_enter_resume(loop, start->forks, start->again);
        return SS_OK;
    }
    json_t *input = json_incref(run_of(loop)->request->input);
    if (start->command) {
        json_decref(input);
        status = fresh_command(loop, start, &input, error);
    }
    if (status == SS_OK)
        status = root_input(loop, input, error);
    json_decref(input);
    return status;
}

static int finish_entry(struct loop *loop, struct ss_error *error)
{
    struct entry *start = loop->entry;
    int status = apply_entry(loop, start, error);
    if (status == SS_EAGAIN)
        return SS_OK; // it is called again when the folds are there
    if (status == SS_OK) {
        tell_children(loop, start);
        if (!start->again && !run_of(loop)->recovering)
            note_text(loop->facts.run->entry, "replay_id",
                loop->facts.run->replay_id);
        ss_loop_move(loop, LOOP_RUNNING);
        ss_loop_later(loop);
        ss_request_unref(run_of(loop)->request); // its rows say what it said
        run_of(loop)->request = NULL;
    }
    ss_entry_destroy(&loop->entry);
    return status;
}

static void entry_folded(struct loop *loop)
{
    struct ss_error error = {0};
    if (finish_entry(loop, &error) != SS_OK)
        ss_loop_fail(loop, &error);
}

static int prepare(struct loop *loop, bool again, struct ss_error *error)
{
    ss_check(!loop->facts.parent && !loop->entry &&
             loop->facts.status == LOOP_ENTERING);
    loop->entry = ss_zalloc(1, sizeof(*loop->entry));
    loop->entry->again = again;
    int status = prepare_root(loop, loop->entry, &loop->entry->writes, error);
    if (status != SS_OK)
        ss_entry_destroy(&loop->entry);
    return status;
}

int ss_root_prepare(struct loop *loop, struct ss_error *error)
{
    return prepare(loop, false, error);
}

int ss_root_enter(struct loop *loop, struct ss_error *error)
{
    struct entry *start = loop->entry;
    ss_check(start != NULL && !start->null_done);
    if (!start->again && !run_of(loop)->recovering)
        note_entry(loop, start); // before folds: a crash may come first
    // before the first checkpoint there is none to store them beside
    if (start->forks || !ss_machine_has_versions(loop->machine))
        ss_writes_copy(&start->inherited, &start->writes);
    else if (!start->again)
        ss_loop_put_writes(loop, SS_NULL_TASK, "", &start->writes, NULL);
    take_resume_value(loop);
    return finish_entry(loop, error);
}

void ss_root_failed(struct loop *loop, const struct ss_error *error)
{
    ss_check(
        !loop->facts.parent && loop->facts.run && run_of(loop)->root == loop);
    ss_loop_move(loop, LOOP_FAILED);
    if (error)
        *ss_error_at(&loop->result.error) = *error;
}

// ------------------------------------------------ recovery

static int enter_again(struct loop *loop, bool again, struct ss_error *error)
{
    int status = prepare(loop, again, error);
    return status == SS_OK ? ss_root_enter(loop, error) : status;
}

int ss_root_recover(struct loop *loop, struct ss_error *error)
{
    struct run *run = loop->facts.run;
    ss_check(run->entry && run->facts.entry_seq > 0);
    run->facts.recovering = true;
    if (run->facts.options.durability == DURABLE_EXIT)
        return enter_again(loop, false, error);
    loop->facts.engine->watch->recovered(loop);
    const struct ss_run_rows *facts = ss_journal_run(
        ss_thread_facts(loop->facts.thread)->journal, run->facts.id);
    if (!facts || !facts->last)
        return enter_again(loop, true, error);
    int status = ss_loop_load(loop, facts->last, error);
    if (status != SS_OK)
        return status;
    bool first = facts->last->row->source != SS_SOURCE_LOOP;
    loop->stop = (int64_t)ss_json_int(run->entry, "stop", 0);
    loop->entered.resuming = ss_json_bool(run->entry, "resuming", false);
    loop->first_superstep = first;
    loop->saved.unsaved_state =
        facts->last->row->source == SS_SOURCE_FORK; // as it was told
    loop->entered.inherited =
        loop->entered.resuming ? INHERITED_RESUMING : INHERITED_ANEW;
    loop->entered.replaying = ss_json_bool(run->entry, "replaying", false);
    ss_id_copy(run->replay_id, ss_json_str(run->entry, "replay_id", ""));
    note_questions(loop);
    if (first)
        take_resume_value(loop);
    ss_enter_recover_output(loop);
    ss_loop_move(loop, LOOP_RUNNING);
    ss_loop_later(loop);
    return SS_OK;
}
