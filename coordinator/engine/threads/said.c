// said.c - what people say of a thread itself, before it has a run and beside
// its runs.
//
//   {"metadata": {"user": "ann"}, "title": "Trip to Rome", ...}
//
// All facts of a thread stand in one row of no run, and the newest such row
// counts: so they are folded with the thread, and go where it goes. What is put
// is laid over what stands there, here, where nobody comes in between. Metadata
// is in the thread's record too ("own"), where lists find it; the rest is only
// kept, for whoever asks.
//
// A run may bring some. Their row is one more of the unit that makes the run
// known, so both are there or neither is, and no commit is added.
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/find.h"
#include "common/model/journal.h"
#include "common/model/thread_status.h"
#include "common/model/value.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/said.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/thread_impl.h"

#define METADATA "metadata"

// ------------------------------------------------ what stands

const json_t *ss_facts(const struct thread *thread)
{
    uint64_t seq;
    ss_check(thread->facts.state == THREAD_HOT);
    return ss_journal_facts(thread->facts.journal, &seq);
}

// `news` over `base`: null takes away what is there. Gives.
static json_t *laid_over(const json_t *base, const json_t *news)
{
    json_t *all = base ? json_copy((json_t *)base) : json_object(), *value;
    const char *key;
    ss_check(json_is_object(all) && json_is_object(news));
    json_object_foreach ((json_t *)news, key, value)
        if (json_is_null(value))
            json_object_del(all, key);
        else
            json_object_set(all, key, value);
    return all;
}

// Pairs of metadata are laid over by themselves. Gives.
static json_t *merged(const json_t *base, const json_t *news)
{
    json_t *all = laid_over(base, news);
    json_t *pairs = json_object_get(news, METADATA);
    if (!json_is_object(pairs))
        return all;
    pairs = laid_over(json_object_get(base, METADATA), pairs);
    json_object_set_new(all, METADATA, pairs);
    if (json_object_size(pairs) == 0)
        json_object_del(all, METADATA);
    return all;
}

static size_t size_of(const json_t *json)
{
    char *text = json ? ss_json_text(json) : NULL;
    size_t size = text ? strlen(text) : 0;
    ss_free(text);
    return size;
}

static int check_size(const json_t *facts, struct ss_error *error)
{
    size_t metadata = size_of(json_object_get(facts, METADATA));
    size_t all = size_of(facts);
    if (metadata > SS_METADATA_SIZE_MAX)
        return ss_error_set(error, SS_ELIMIT,
            "facts: the thread's metadata would be %zu bytes of JSON, and %d "
            "are the most: lists are searched by it; what nobody looks for "
            "stands beside it (another fact)",
            metadata, SS_METADATA_SIZE_MAX);
    if (all > SS_FACTS_SIZE_MAX)
        return ss_error_set(error, SS_ELIMIT,
            "facts: the thread's would be %zu bytes of JSON, and %d are the "
            "most",
            all, SS_FACTS_SIZE_MAX);
    return SS_OK;
}

int ss_facts_check(
    const struct engine *engine, const json_t *facts, struct ss_error *error)
{
    const json_t *metadata = json_object_get(facts, METADATA);
    if (engine->row_format < SS_ROW_FORMAT_9)
        return ss_error_set(error, SS_EAGAIN,
            "a coordinator of an older version is at work, which would lose "
            "what is said of a thread: upgrade it, and ask again");
    if (!json_is_object(facts))
        return ss_error_set(error, SS_EINVAL,
            "facts: give an object, what is said of the thread");
    if (metadata && !json_is_object(metadata) && !json_is_null(metadata))
        return ss_error_set(
            error, SS_EINVAL, "facts: \"" METADATA "\" is an object, or null");
    return check_size(facts, error);
}

// Words that are to do something, and do nothing here: whoever says them relies
// on it. Those that a version before took stand, and may be taken away.
static int check_words(const json_t *facts, struct ss_error *error)
{
    static const char *const words[] = {"ttl", "temporary"};
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        const json_t *said = json_object_get(facts, words[i]);
        if (said && !json_is_null(said))
            return ss_error_set(error, SS_EINVAL,
                "facts: \"%s\" would delete the thread by itself, and no "
                "coordinator does: threads go by their age (superstep retain "
                "--delete-after), or one by one (request delete). If it is "
                "only to be kept for you, give it another name",
                words[i]);
    }
    return SS_OK;
}

int ss_facts_lay(const struct thread *thread, const json_t *news,
    json_t **ret_all, struct ss_error *error)
{
    int status = ss_facts_check(thread->facts.engine, news, error);
    if (status == SS_OK)
        status = check_words(news, error);
    if (status != SS_OK)
        return status;
    json_t *all = merged(ss_facts(thread), news);
    ss_check(json_is_object(all));
    status = check_size(all, error);
    if (status == SS_OK)
        *ret_all = all;
    else
        json_decref(all);
    return status;
}

// ------------------------------------------------ saying them

struct ss_row *ss_facts_tell(struct thread *thread, const json_t *facts)
{
    struct ss_row *row = ss_thread_row_anew(thread, "", "");
    ss_check(json_is_object(facts));
    row->end = json_pack("{s:O}", "facts", facts);
    return row;
}

// When its state changed last, where the record would not tell any more: what
// is said of the thread moves its own time, and no run does. Gives.
static json_t *state_time(const struct thread *thread)
{
    ss_check(thread->facts.state == THREAD_HOT);
    json_t *record = ss_thread_record(thread);
    if (!record)
        return json_null();
    json_t *time = json_object_get(record, "state_us");
    if (!time && json_object_get(record, "graph"))
        time = json_object_get(record, "updated_us");
    time = time ? json_incref(time) : json_null();
    json_decref(record);
    return time;
}

void ss_facts_put(struct thread *thread, const json_t *facts)
{
    const json_t *own = json_object_get(facts, METADATA);
    bool is_new = !ss_thread_has_record(thread);
    ss_check(thread->deletion == DELETION_NONE);
    (void)ss_facts_tell(thread, facts);
    thread->known = true;
    ss_thread_put_record(
        thread, json_pack("{s:o, s:o, s:I, s:s*}", SS_FIND_OWN,
                    own ? json_incref((json_t *)own) : json_null(), "state_us",
                    state_time(thread), "updated_us",
                    (json_int_t)thread->facts.engine->wall_us, "status",
                    is_new ? SS_THREAD_IDLE : NULL));
}

void ss_facts_bring(struct thread *thread, const json_t *facts)
{
    const json_t *before = ss_facts(thread);
    ss_check(json_is_object(facts));
    if (before ? json_equal(before, facts) : json_object_size(facts) == 0)
        return;
    ss_facts_put(thread, facts);
    ss_engine_narrate(
        thread->facts.engine, "facts of thread %s are put", thread->facts.id);
}
