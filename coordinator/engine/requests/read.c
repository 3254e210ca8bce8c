// read.c - requests that read a thread: state, history, checkpoints, rows.
//
// A reading is answered when all that it shows is durable: it queues behind the
// thread's own appends (gate READ).
#include <stdlib.h>
#include <string.h>

#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/journal.h"
#include "common/model/request.h"
#include "coordinator/engine/requests/saved.h"
#include "coordinator/engine/requests/snapshot.h"
#include "coordinator/engine/requests/thread_requests.h"
#include "coordinator/engine/threads/answers.h"
#include "coordinator/engine/threads/graphs.h"
#include "coordinator/engine/threads/said.h"
#include "coordinator/engine/threads/thread.h"

static bool place_of(struct thread *thread, const struct ss_request *request,
    struct graph_ref *ret)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    struct ss_error error = {0};
    if (ss_graph_ref_find(its->engine, thread, request->graph,
            request->checkpoint_ns, ret, &error))
        return true;
    ss_reply_error(its->engine, request, error.status, "%s", error.message);
    return false;
}

// Something is said of it, and nothing ran there yet.
static bool is_bare(
    const struct thread *thread, const struct ss_request *request)
{
    return !ss_thread_facts(thread)->graph && !request->has.graph &&
           ss_facts(thread);
}

// Takes `state`.
static void reply_state(
    struct thread *thread, const struct ss_request *request, json_t *state)
{
    const json_t *facts = request->has.checkpoint_id ? NULL : ss_facts(thread);
    json_t *failure = json_object_get(state, "error");
    if (!failure && json_object_size(facts) > 0)
        json_object_set(state, "facts", (json_t *)facts);
    ss_reply_durable(thread, request,
        failure ? json_incref(state) : json_pack("{s:O}", "state", state));
    json_decref(state);
}

void ss_read_state(struct thread *thread, const struct ss_request *request)
{
    struct graph_ref place;
    if (is_bare(thread, request)) {
        reply_state(thread, request,
            ss_snapshot_empty(thread, "", request->checkpoint_id));
        return;
    }
    if (!place_of(thread, request, &place))
        return;
    const char *checkpoint = request->checkpoint_id;
    struct ss_checkpoint_entry *mark =
        ss_journal_find(ss_thread_facts(thread)->journal, place.ns, checkpoint);
    bool live = !request->has.checkpoint_id;
    json_t *state = mark ? ss_snapshot(thread, place.graph, place.ns, mark,
                               live, request->subgraphs)
                         : ss_snapshot_empty(thread, place.ns, checkpoint);
    reply_state(thread, request, state);
    ss_free(place.ns);
}

static bool passes(const struct ss_checkpoint_entry *mark, const json_t *filter)
{
    json_t *metadata = ss_metadata_json(
        mark->row->source, mark->row->step, mark->row->metadata);
    const char *key;
    json_t *value;
    bool all = true;
    json_object_foreach ((json_t *)filter, key, value) {
        json_t *has = json_object_get(metadata, key);
        all = all && has && json_equal(has, value);
    }
    json_decref(metadata);
    return all;
}

void ss_read_history(struct thread *thread, const struct ss_request *request)
{
    struct graph_ref place;
    if (is_bare(thread, request)) {
        ss_reply_durable(thread, request, json_pack("{s:[]}", "history"));
        return;
    }
    if (!place_of(thread, request, &place))
        return;
    size_t count = 0;
    struct ss_checkpoint_entry *const *marks =
        ss_journal_list(ss_thread_facts(thread)->journal, place.ns, &count);
    const char *before = request->before;
    const char *only = request->checkpoint_id;
    json_t *filter = request->filter;
    struct page page;
    ss_page_init(&page, request->limit);
    for (size_t i = count; i-- > 0;) {
        if (ss_page_is_full(&page))
            break;
        if ((before && strcmp(marks[i]->row->checkpoint_id, before) >= 0) ||
            (only && strcmp(marks[i]->row->checkpoint_id, only) != 0) ||
            !passes(marks[i], filter))
            continue;
        ss_page_add(&page,
            ss_snapshot(thread, place.graph, place.ns, marks[i], false, false));
    }
    ss_reply_durable(thread, request, ss_page_close(&page, "history"));
    ss_free(place.ns);
}

static int by_id(const void *a, const void *b)
{
    const struct ss_checkpoint_entry *const *left = a, *const *right = b;
    return strcmp((*left)->row->checkpoint_id, (*right)->row->checkpoint_id);
}

void ss_read_checkpoints(
    struct thread *thread, const struct ss_request *request)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    const char *after = request->after ? request->after : "";
    struct page page;
    SS_VEC(struct ss_checkpoint_entry *) all = {0};
    size_t spaces = 0;
    const char *const *names = ss_journal_namespaces(its->journal, &spaces);
    for (size_t n = 0; n < spaces; n++) {
        size_t count = 0;
        struct ss_checkpoint_entry *const *marks =
            ss_journal_list(its->journal, names[n], &count);
        for (size_t i = 0; i < count; i++)
            if (strcmp(marks[i]->row->checkpoint_id, after) > 0)
                SS_VEC_PUSH(&all, marks[i]);
    }
    if (all.count)
        qsort(all.items, all.count, sizeof(*all.items), by_id);
    bool is_read = true;
    ss_page_init(&page, request->limit);
    for (size_t i = 0; is_read && i < all.count; i++) {
        if (ss_page_is_full(&page))
            break;
        json_t *saved = ss_saved_json(thread, all.items[i]);
        is_read = saved != NULL;
        if (is_read)
            ss_page_add(&page, saved);
        else
            ss_reply_torn(thread, request, all.items[i]);
    }
    SS_VEC_FINI(&all);
    json_t *answer = ss_page_close(&page, "checkpoints");
    if (!after[0] && json_object_size(ss_facts(thread)) > 0)
        json_object_set(answer, "facts", (json_t *)ss_facts(thread));
    if (is_read)
        ss_reply_durable(thread, request, answer);
    else
        json_decref(answer);
}

static json_t *row_json(const struct ss_row *row)
{
    static const char *const kinds[] = {
        "", "writes", "checkpoint", "entry", "end", "snapshot", "void"};
    char time[SS_TIME_SIZE];
    json_t *writes = json_array();
    for (size_t i = 0; i < row->writes_count; i++)
        json_array_append_new(writes, ss_write_json(&row->writes[i]));
    ss_time_text(row->wall_us, time);
    return json_pack("{s:I, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:s, s:b,"
                     " s:o, s:I, s:I, s:O*, s:O*}",
        "seq", (json_int_t)row->seq, "kind", kinds[row->kind], "run", row->run,
        "ns", row->ns, "of", row->of, "checkpoint_id", row->checkpoint_id,
        "parent_id", row->parent_id, "source", ss_source_name(row->source),
        "step", (json_int_t)row->step, "time", time, "whole",
        row->has_checkpoint && row->checkpoint.whole, "writes", writes,
        "channels", (json_int_t)row->checkpoint.channels_count, "size",
        (json_int_t)row->size, "entry", row->entry, "end", row->end);
}

void ss_read_journal(struct thread *thread, const struct ss_request *request)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    json_int_t from = ss_request_int(request->from, 1);
    struct page page;
    ss_page_init(&page, request->limit);
    uint64_t head = ss_journal_head(its->journal);
    for (uint64_t seq = from > 0 ? (uint64_t)from : 1; seq <= head; seq++) {
        const struct ss_row *row = ss_journal_row(its->journal, seq);
        if (ss_page_is_full(&page))
            break;
        if (row)
            ss_page_add(&page, row_json(row));
    }
    ss_reply_durable(thread, request, ss_page_close(&page, "rows"));
}
