// copy.c - a thread once more, under another name.
#include <string.h>

#include "common/base/check.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/find.h"
#include "common/model/journal.h"
#include "common/model/limits.h"
#include "common/model/request.h"
#include "common/model/value.h"
#include "coordinator/engine/requests/lookup.h"
#include "coordinator/engine/requests/thread_requests.h"
#include "coordinator/engine/runs/queue.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/answers.h"
#include "coordinator/engine/threads/shards.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/threads.h"

void ss_copy_thread(struct thread *thread, const struct ss_request *request)
{
    struct engine *engine = thread->engine;
    const char *name = request->to;
    struct ss_error error = {0};
    if (!ss_thread_is_free(thread, request))
        return;
    if (ss_key_check(request, &error) != SS_OK) {
        ss_reply_error(engine, request, error.status, "%s", error.message);
        return;
    }
    if (!name || !name[0] || strlen(name) > SS_THREAD_SIZE_MAX) {
        ss_reply_error(engine, request, SS_EINVAL, "copy: say to which thread");
        return;
    }
    if (!ss_shard_owned(engine, name)) {
        ss_reply_error(engine, request, SS_EINVAL,
            "copy: thread %s would "
            "live with another coordinator than %s: give the copy another "
            "name, until one fits",
            name, thread->id);
        return;
    }
    ss_request_later(ss_thread_get(engine, name), TURN_COPY, request);
}

// False: a copy of it would have rows that a member does not read.
static bool all_read(const struct thread *thread)
{
    for (uint64_t seq = ss_journal_head(thread->journal); seq > 0; seq--) {
        const struct ss_row *row = ss_journal_row(thread->journal, seq);
        if (row && !row->void_seq &&
            ss_row_format(row) > thread->engine->row_format)
            return false;
    }
    return true;
}

// What was answered there was not answered here.
static void leave_answers(struct ss_row *copy)
{
    json_t *facts = json_object_get(copy->end, "facts");
    ss_check(!copy->run[0] && (!facts || json_is_object(facts)));
    json_t *end = facts ? json_pack("{s:O}", "facts", facts) : NULL;
    json_decref(copy->end);
    copy->end = end;
}

// What is void stays behind, so the copy's rows are numbered anew.
static uint64_t copy_rows(struct thread *to, const struct thread *from)
{
    uint64_t head = ss_journal_head(from->journal), count = 0;
    uint64_t *places = ss_zalloc((size_t)head + 1, sizeof(*places));
    for (uint64_t seq = 1; seq <= head; seq++) {
        const struct ss_row *row = ss_journal_row(from->journal, seq);
        if (!row || row->void_seq)
            continue;
        places[seq] = ++count;
        struct ss_row *copy = ss_row_copy(row);
        copy->seq = count;
        if (!copy->run[0])
            leave_answers(copy);
        copy->parent_seq = row->parent_seq < seq ? places[row->parent_seq] : 0;
        copy->base_seq = row->base_seq <= seq ? places[row->base_seq] : 0;
        to->open = copy;
        ss_thread_seal(to);
    }
    ss_free(places);
    return count;
}

// It stands as the other one does.
static void copy_record(struct thread *to, const struct thread *from)
{
    struct ss_error error;
    json_t *told = NULL;
    const char *text = from->record.text;
    int status =
        text ? ss_json_parse(text, strlen(text), &told, &error) : SS_OK;
    ss_check(status == SS_OK); // it was made from JSON
    ss_thread_put_record(
        to, json_pack("{s:s, s:s, s:O*, s:O*, s:O*, s:O*, s:O*, s:O*}", "graph",
                from->graph ? from->graph : "", "copy_of", from->id,
                SS_FIND_OWN, json_object_get(told, SS_FIND_OWN), "status",
                json_object_get(told, "status"), "updated_us",
                json_object_get(told, "updated_us"), "state_us",
                json_object_get(told, "state_us"), "interrupts",
                json_object_get(told, "interrupts"), "error",
                json_object_get(told, "error")));
    json_decref(told);
}

void ss_copy_into(struct thread *to, const struct ss_request *request)
{
    struct engine *engine = to->engine;
    const char *from_id = request->thread;
    if (ss_answered_before(to, request))
        return;
    struct thread *from = ss_map_get(ss_threads_all(engine), from_id);
    if (!from || from->state != THREAD_HOT || ss_thread_run(from) ||
        from->deletion != DELETION_NONE ||
        ss_thread_head(from) > from->durable) {
        ss_reply_error(engine, request, SS_EAGAIN,
            "thread %s changed meanwhile: ask again", from_id);
        return;
    }
    if (!ss_thread_is_free(to, request))
        return;
    if (ss_thread_head(to) > 0) {
        ss_reply_error(engine, request, SS_EEXISTS,
            "thread %s is not empty: copy to a new one", to->id);
        return;
    }
    if (!all_read(from)) {
        ss_reply_error(engine, request, SS_EAGAIN,
            "thread %s: a coordinator of an older version is at work, which "
            "does not read all of its rows: upgrade it, and ask again",
            from_id);
        return;
    }
    if (ss_thread_head(from) == 0) { // the name of one is no thread
        ss_reply_durable(to, request, json_pack("{s:i}", "rows", 0));
        return;
    }
    uint64_t head = copy_rows(to, from);
    to->last_ticks = from->last_ticks;
    ss_free(to->graph);
    to->graph = ss_strdup(from->graph);
    copy_record(to, from);
    json_t *answer = json_pack("{s:I}", "rows", (json_int_t)head);
    ss_answer_keep(to, request, answer);
    ss_reply_durable(to, request, answer);
}
