// idempotency.c - a request with a key is done once: its answer stands in a
// row.
#include <string.h>

#include "common/base/ids.h"
#include "common/base/status.h"
#include "common/model/journal.h"
#include "common/model/request.h"
#include "common/model/value.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/threads/answers.h"
#include "coordinator/engine/threads/thread_impl.h"

int ss_key_check(const struct ss_request *request, struct ss_error *error)
{
    size_t size = request->key ? strlen(request->key) : 0;
    if (!request->has.key || (size > 0 && size <= SS_KEY_SIZE_MAX))
        return SS_OK;
    return ss_error_set(
        error, SS_EINVAL, "key: give a text of 1 to %d bytes", SS_KEY_SIZE_MAX);
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
static const json_t *kept(
    const struct thread *thread, const struct ss_request *request)
{
    const char *key = request->key;
    const json_t *end = key ? kept_in(thread->facts.open, key) : NULL;
    for (uint64_t seq = ss_journal_head(thread->facts.journal);
         key && !end && seq > 0; seq--)
        end = kept_in(ss_journal_row(thread->facts.journal, seq), key);
    return end;
}

bool ss_answered_before(struct thread *thread, const struct ss_request *request)
{
    json_t *answer = json_object_get(kept(thread, request), "answer");
    if (answer)
        ss_reply_durable(thread, request, json_incref(answer));
    return answer != NULL;
}

static void keep(struct thread *thread, json_t *what)
{
    struct ss_row *row = thread->facts.open && !thread->facts.open->run[0]
                             ? thread->facts.open
                             : ss_thread_row_anew(thread, "", "");
    json_object_update_missing(what, row->end); // facts, say
    json_decref(row->end);
    row->end = what;
}

void ss_answer_keep(
    struct thread *thread, const struct ss_request *request, json_t *answer)
{
    if (request->key)
        keep(thread,
            json_pack("{s:s, s:O}", "key", request->key, "answer", answer));
}

void ss_answer_keep_part(struct thread *thread,
    const struct ss_request *request, size_t done, const char *base)
{
    if (request->key)
        keep(thread, json_pack("{s:s, s:I, s:s}", "key", request->key, "done",
                         (json_int_t)done, "base", base));
}

size_t ss_answer_part(const struct thread *thread,
    const struct ss_request *request, char ret_base[SS_UUID_SIZE])
{
    const json_t *part = kept(thread, request);
    size_t done = (size_t)ss_json_int(part, "done", 0);
    if (done > 0)
        ss_id_copy(ret_base, ss_json_str(part, "base", ""));
    return done;
}
