// keep.c - whole threads: delete, copy.
#include <string.h>

#include "common/base/check.h"
#include "coordinator/engine/internal.h"

static bool idle(struct thread *thread, const char *peer, uint64_t id)
{
    if (!ss_thread_busy(thread))
        return true;
    ss_reply_error(thread->engine, peer, id, SS_EBUSY,
        "thread %s is busy: wait for its run, or cancel it", thread->id);
    return false;
}

// The time of its last row, of any namespace. To be pruned is no use.
static int64_t used_us(const struct thread *thread)
{
    for (uint64_t seq = ss_journal_head(thread->journal); seq > 0; seq--) {
        const struct ss_row *row = ss_journal_row(thread->journal, seq);
        if (row && row->kind != SS_ROW_VOID)
            return row->wall_us;
    }
    return 0;
}

bool ss_thread_spared(struct thread *thread, const char *peer, uint64_t id,
    const json_t *body)
{
    const int64_t ms_max = INT64_MAX / 1000;
    int64_t idle_ms = ss_json_int(body, "idle_ms", 0);
    const struct ss_run_facts *run = ss_thread_newest_run(thread);
    const char *why = NULL;
    if (idle_ms < 0 || idle_ms > ms_max) {
        ss_reply_error(thread->engine, peer, id, SS_EINVAL,
            "idle_ms: give milliseconds, from 0");
        return true;
    }
    if (idle_ms > 0 &&
        thread->engine->wall_us - used_us(thread) < idle_ms * 1000)
        why = "used";
    else if (ss_json_bool(body, "keep_waiting", false) && run && run->end &&
             strcmp(ss_json_str(run->end, "status", ""), "interrupted") == 0)
        why = "waits";
    if (why)
        ss_reply_durable(thread, peer, id,
            json_pack("{s:i, s:s}", "rows", 0, "spared", why));
    return why != NULL;
}

// The thread's rows and records go in one unit; then it is as if new. Whoever
// asks for it meanwhile waits: a row of its next life must not go with them.
void ss_delete_thread(
    struct thread *thread, const char *peer, uint64_t id, json_t *body)
{
    if (!idle(thread, peer, id) || ss_thread_spared(thread, peer, id, body))
        return;
    uint64_t head = ss_journal_head(thread->journal);
    for (uint64_t seq = 1; seq <= head; seq++) {
        const struct ss_row *row = ss_journal_row(thread->journal, seq);
        const struct ss_run_facts *facts =
            row ? ss_journal_run(thread->journal, row->run) : NULL;
        // one that was cancelled before its turn has an end alone
        if (facts && (row->entry || (row->end && !facts->entry)))
            ss_record_drop(thread, row->run);
    }
    ss_thread_put(thread, SS_RECORD_THREAD, thread->id, NULL, NULL, false);
    thread->delete_all = thread->deleting = true;
    ss_thread_dirty(thread);
    // held back until the unit is durable: answered behind everything
    SS_VEC_PUSH(&thread->held,
        (struct held){head + 1, 0,
            (struct ss_command){.type = SS_COMMAND_REPLY,
                .peer = ss_strdup(peer),
                .id = id,
                .json = json_pack("{s:I}", "rows", (json_int_t)head)}});
}

// ------------------------------------------------ idempotency keys

int ss_key_check(const json_t *body, struct ss_error *error)
{
    const json_t *key = json_object_get(body, "key");
    size_t size = json_string_length(key);
    if (!key || (size > 0 && size <= SS_KEY_SIZE_MAX))
        return SS_OK;
    return ss_error_set(error, SS_EINVAL,
        "key: give a text of 1 to %d bytes", SS_KEY_SIZE_MAX);
}

// What this row keeps of the key.
static const json_t *kept_in(const struct ss_row *row, const char *key)
{
    const json_t *end = row && !row->run[0] ? row->end : NULL;
    return end && strcmp(ss_json_str(end, "key", ""), key) == 0 ? end : NULL;
}

// What the newest row that keeps this key says: {"key", "answer"}, or, of an
// update that was cut off, {"key", "done", "base"}. Borrowed; NULL: none does.
// The row that is open counts: who had waited beside the first one is served in
// the same step.
static const json_t *kept(const struct thread *thread, const json_t *body)
{
    const char *key = ss_json_str(body, "key", NULL);
    const json_t *end = key ? kept_in(thread->open, key) : NULL;
    for (uint64_t seq = ss_journal_head(thread->journal);
         key && !end && seq > 0; seq--)
        end = kept_in(ss_journal_row(thread->journal, seq), key);
    return end;
}

bool ss_answered_before(
    struct thread *thread, const char *peer, uint64_t id, const json_t *body)
{
    json_t *answer = json_object_get(kept(thread, body), "answer");
    if (answer)
        ss_reply_durable(thread, peer, id, json_incref(answer));
    return answer != NULL;
}

static void keep(struct thread *thread, json_t *what)
{
    struct ss_row *row = thread->open && !thread->open->run[0]
        ? thread->open
        : ss_thread_row_for_events(thread, "", "");
    row->end = what;
}

void ss_answer_keep(
    struct thread *thread, const json_t *body, json_t *answer)
{
    json_t *key = json_object_get(body, "key");
    if (json_is_string(key))
        keep(thread, json_pack("{s:O, s:O}", "key", key, "answer", answer));
}

void ss_answer_keep_part(
    struct thread *thread, const json_t *body, size_t done, const char *base)
{
    json_t *key = json_object_get(body, "key");
    if (json_is_string(key))
        keep(thread, json_pack("{s:O, s:I, s:s}", "key", key, "done",
                         (json_int_t)done, "base", base));
}

size_t ss_answer_part(const struct thread *thread, const json_t *body,
    char ret_base[SS_UUID_SIZE])
{
    const json_t *part = kept(thread, body);
    size_t done = (size_t)ss_json_int(part, "done", 0);
    if (done > 0)
        id_copy(ret_base, ss_json_str(part, "base", ""));
    return done;
}

// ------------------------------------------------ copy

static json_t *copy_body(const char *from, json_t *body)
{
    return json_pack("{s:s, s:O*}", "thread", from, "key",
        json_object_get(body, "key"));
}

void ss_copy_thread(
    struct thread *thread, const char *peer, uint64_t id, json_t *body)
{
    struct engine *engine = thread->engine;
    const char *name = ss_json_str(body, "to", "");
    struct ss_error error = {0};
    if (!idle(thread, peer, id))
        return;
    if (ss_key_check(body, &error) != SS_OK) {
        ss_reply_error(engine, peer, id, error.status, "%s", error.message);
        return;
    }
    if (!name[0] || strlen(name) > SS_THREAD_SIZE_MAX) {
        ss_reply_error(engine, peer, id, SS_EINVAL, "copy: say to which thread");
        return;
    }
    if (!ss_is_ours(engine, name)) {
        ss_reply_error(engine, peer, id, SS_EINVAL, "copy: thread %s would "
            "live with another coordinator than %s: give the copy another "
            "name, until one fits", name, thread->id);
        return;
    }
    json_t *request = copy_body(thread->id, body);
    ss_request_later(
        ss_thread_get(engine, name), "copy_into", peer, id, request);
    json_decref(request);
}

// False: a copy of it would have rows that a member does not read.
static bool all_read(const struct thread *thread)
{
    for (uint64_t seq = ss_journal_head(thread->journal); seq > 0; seq--) {
        const struct ss_row *row = ss_journal_row(thread->journal, seq);
        if (row && !row->void_seq
            && ss_row_format(row) > thread->engine->row_format)
            return false;
    }
    return true;
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
        if (!copy->run[0]) { // what was answered there was not answered here
            json_decref(copy->end);
            copy->end = NULL;
        }
        copy->parent_seq = row->parent_seq < seq ? places[row->parent_seq] : 0;
        copy->base_seq = row->base_seq <= seq ? places[row->base_seq] : 0;
        to->open = copy;
        ss_thread_seal(to);
    }
    ss_free(places);
    return count;
}

void ss_copy_into(
    struct thread *to, const char *peer, uint64_t id, json_t *body)
{
    struct engine *engine = to->engine;
    const char *from_id = ss_json_str(body, "thread", "");
    if (ss_answered_before(to, peer, id, body))
        return;
    struct thread *from = ss_map_get(&engine->threads, from_id);
    if (!from || from->state != THREAD_HOT || from->run || from->deleting
        || ss_thread_head(from) > from->durable) {
        ss_reply_error(engine, peer, id, SS_EAGAIN,
            "thread %s changed meanwhile: ask again", from_id);
        return;
    }
    if (!idle(to, peer, id))
        return;
    if (ss_thread_head(to) > 0) {
        ss_reply_error(engine, peer, id, SS_EEXISTS,
            "thread %s is not empty: copy to a new one", to->id);
        return;
    }
    if (!all_read(from)) {
        ss_reply_error(engine, peer, id, SS_EAGAIN,
            "thread %s: a coordinator of an older version is at work, which "
            "does not read all of its rows: upgrade it, and ask again",
            from_id);
        return;
    }
    uint64_t head = copy_rows(to, from);
    to->last_ticks = from->last_ticks;
    ss_free(to->graph);
    to->graph = ss_strdup(from->graph);
    ss_thread_put_record(to,
        json_pack("{s:s, s:s}", "graph", from->graph ? from->graph : "",
            "copy_of", from_id));
    json_t *answer = json_pack("{s:I}", "rows", (json_int_t)head);
    ss_answer_keep(to, body, answer);
    ss_reply_durable(to, peer, id, answer);
}
