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
    const struct thread_facts *its = ss_thread_facts(thread);
    struct engine *engine = its->engine;
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
            name, its->id);
        return;
    }
    ss_request_later(ss_thread_get(engine, name), TURN_COPY, request);
}

// False: a copy of it would have rows that a member does not read.
static bool all_read(const struct thread *thread)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    for (uint64_t seq = ss_journal_head(its->journal); seq > 0; seq--) {
        const struct ss_row *row = ss_journal_row(its->journal, seq);
        if (row && !row->void_seq &&
            ss_row_format(row) > its->engine->row_format)
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
    const struct ss_journal *journal = ss_thread_facts(from)->journal;
    uint64_t head = ss_journal_head(journal), count = 0;
    uint64_t *places = ss_zalloc((size_t)head + 1, sizeof(*places));
    for (uint64_t seq = 1; seq <= head; seq++) {
        const struct ss_row *row = ss_journal_row(journal, seq);
        if (!row || row->void_seq)
            continue;
        places[seq] = ++count;
        struct ss_row *copy = ss_row_copy(row);
        copy->seq = count;
        if (!copy->run[0])
            leave_answers(copy);
        copy->parent_seq = row->parent_seq < seq ? places[row->parent_seq] : 0;
        copy->base_seq = row->base_seq <= seq ? places[row->base_seq] : 0;
        ss_thread_add_row(to, copy);
    }
    ss_free(places);
    return count;
}

// It stands as the other one does.
static void copy_record(struct thread *to, const struct thread *from)
{
    const struct thread_facts *its = ss_thread_facts(from);
    json_t *told = ss_thread_record(from);
    ss_thread_put_record(
        to, json_pack("{s:s, s:s, s:O*, s:O*, s:O*, s:O*, s:O*, s:O*}", "graph",
                its->graph ? its->graph : "", "copy_of", its->id, SS_FIND_OWN,
                json_object_get(told, SS_FIND_OWN), "status",
                json_object_get(told, "status"), "updated_us",
                json_object_get(told, "updated_us"), "state_us",
                json_object_get(told, "state_us"), "interrupts",
                json_object_get(told, "interrupts"), "error",
                json_object_get(told, "error")));
    json_decref(told);
}

void ss_copy_into(struct thread *to, const struct ss_request *request)
{
    struct engine *engine = ss_thread_facts(to)->engine;
    const char *from_id = request->thread;
    if (ss_answered_before(to, request))
        return;
    struct thread *from = ss_map_get(ss_threads_all(engine), from_id);
    if (!from || !ss_thread_is_open(from) || ss_thread_run(from) ||
        ss_thread_head(from) > ss_thread_facts(from)->durable) {
        ss_reply_error(engine, request, SS_EAGAIN,
            "thread %s changed meanwhile: ask again", from_id);
        return;
    }
    if (!ss_thread_is_free(to, request))
        return;
    if (ss_thread_head(to) > 0) {
        ss_reply_error(engine, request, SS_EEXISTS,
            "thread %s is not empty: copy to a new one",
            ss_thread_facts(to)->id);
        return;
    }
    if (!all_read(from)) {
        ss_reply_error(engine, request, SS_EAGAIN,
            "thread %s: a coordinator of an older version is at work, which "
            "does not read all of its rows: upgrade it, and ask again",
            from_id);
        return;
    }
    if (ss_thread_head(from) == 0) { // the name of one is not a thread
        ss_reply_durable(to, request, json_pack("{s:i}", "rows", 0));
        return;
    }
    uint64_t head = copy_rows(to, from);
    ss_thread_goes_on(to, from);
    copy_record(to, from);
    json_t *answer = json_pack("{s:I}", "rows", (json_int_t)head);
    ss_answer_keep(to, request, answer);
    ss_reply_durable(to, request, answer);
}
