// run_kept.c - what levels keep of a run: made, told by runs and by who listens
// what happens to it, freed.
#include <string.h>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/model/graph.h"
#include "common/model/journal.h"
#include "common/model/request.h"
#include "common/model/value.h"
#include "coordinator/engine/levels/levels.h"
#include "coordinator/engine/levels/levels_impl.h"
#include "coordinator/engine/levels/resume_value.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/levels/watch.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/invariant.h"
#include "coordinator/engine/threads/thread.h"

// ------------------------------------------------ making and freeing

struct run *ss_run_make(struct thread *thread, const char *id,
    struct ss_graph *graph, size_t in_front)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    ss_check(in_front % _Alignof(struct run) == 0);
    char *bytes = ss_zalloc(1, in_front + sizeof(struct run));
    struct run *run = (struct run *)(bytes + in_front);
    run->facts.engine = its->engine;
    run->facts.thread = thread;
    run->facts.graph = graph ? ss_graph_ref(graph) : NULL;
    ss_id_copy(run->facts.id, id);
    run->facts.audience = its->engine->watch->made();
    return run;
}

static void fini_names(struct ss_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        ss_free(names->items[i]);
    ss_free(names->items);
}

static void fini_options(struct run_options *options)
{
    fini_names(&options->before);
    fini_names(&options->after);
    for (size_t i = 0; i < options->output_keys.count; i++)
        ss_free(options->output_keys.items[i]);
    ss_free(options->output_keys.items);
    json_decref(options->command);
    json_decref(options->checkpoint_map);
    json_decref(options->metadata);
    json_decref(options->meta);
    ss_value_unref(options->config);
    ss_value_unref(options->context);
}

void ss_run_destroy(struct run **place, size_t in_front)
{
    struct run *run = *place;
    *place = NULL;
    ss_loop_destroy(&run->facts.root);
    run->facts.engine->watch->freed(run);
    fini_options(&run->facts.options);
    ss_map_fini(&run->replay_visited, NULL);
    ss_request_unref(run->facts.request);
    json_decref(run->resume_map);
    json_decref(run->questions);
    json_decref(run->facts.warnings);
    ss_resume_value_put(run, NULL);
    ss_free(run->drain);
    ss_graph_unref(run->facts.graph);
    ss_free((char *)run - in_front);
}

// ------------------------------------------------ what happens to it

void ss_run_asked(struct run *run, const struct ss_request *request,
    const struct run_options *options)
{
    ss_check(!run->facts.request && !run->facts.options.meta);
    run->facts.request = ss_request_ref(request);
    run->facts.options = *options;
}

void ss_run_is_of(struct run *run, struct ss_graph *graph)
{
    struct ss_graph *before = run->facts.graph;
    ss_check(run->facts.state == RUN_NEW || run->facts.state == RUN_QUEUED);
    run->facts.graph = ss_graph_ref(graph);
    if (before)
        ss_graph_unref(before);
}

void ss_run_wants(struct run *run, unsigned modes)
{
    run->facts.modes = modes;
}

void ss_run_borrows(struct run *run, uint64_t seq, json_t *entry)
{
    ss_check(seq > 0 && (!entry || json_is_object(entry)));
    run->facts.entry_seq = seq;
    run->entry = entry;
}

void ss_run_follows(struct run *run, const struct run *before)
{
    ss_check(strcmp(run->facts.id, before->facts.id) == 0);
    run->facts.stats.supersteps = before->facts.stats.supersteps;
    run->facts.stats.tasks = before->facts.stats.tasks;
}

// ------------------------------------------------ what holds

// It borrows from rows: as they are now, and never once they were packed.
static void verify_entry(const struct run *run)
{
    const struct ss_journal *journal =
        ss_thread_facts(run->facts.thread)->journal;
    ss_invariant(I218, run->facts.entry_seq > 0);
    if (!run->entry)
        return;
    ss_invariant(I269, !ss_journal_is_packed(journal));
    const struct ss_run_rows *rows = ss_journal_run(journal, run->facts.id);
    ss_invariant(I269, rows && rows->entry == run->entry);
}

void ss_run_verify(const struct run *run, size_t held)
{
    verify_entry(run);
    ss_invariant(I86, run->facts.stats.done <= run->facts.stats.planned);
    ss_resume_value_verify(run, held);
}
