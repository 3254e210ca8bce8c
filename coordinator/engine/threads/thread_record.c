// thread_record.c - the record of a thread: what stands in the table `threads`.
//
// It is put together with rows, and tells then where the thread ends
// (coordinator/core/journal_head.h); so what it said before is kept, and said
// again.
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/thread_status.h"
#include "common/model/value.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/threads_impl.h"

void ss_thread_record_found(struct thread *thread, const json_t *record)
{
    ss_free(thread->record);
    thread->record = record ? ss_json_text(record) : NULL;
    thread->born_us = ss_json_int(record, "created_us", 0);
}

// One that has not left takes the other's place.
static void put(struct thread *thread, json_t *record)
{
    const char *status = ss_json_str(record, "status", SS_THREAD_IDLE);
    for (size_t i = 0; i < thread->puts.count; i++) {
        struct ss_command_put *old = &thread->puts.items[i];
        if (old->table != SS_RECORD_THREAD)
            continue;
        ss_put_fini(old);
        memmove(old, old + 1, (--thread->puts.count - i) * sizeof(*old));
    }
    ss_thread_put(thread, SS_RECORD_THREAD, thread->id,
        strcmp(status, SS_THREAD_IDLE) == 0 ? NULL : status, record, false);
}

// Takes `news`: what changes in it; null is there no more.
void ss_thread_put_record(struct thread *thread, json_t *news)
{
    struct ss_error error;
    json_t *record = NULL, *value;
    const char *key;
    if (!thread->record || ss_json_parse(thread->record, strlen(thread->record),
                               &record, &error) != SS_OK)
        record = json_pack(
            "{s:I}", "created_us", (json_int_t)thread->engine->wall_us);
    json_object_set_new(record, "thread", json_string(thread->id));
    ss_check(record && thread->state == THREAD_HOT);
    json_object_foreach (news, key, value)
        if (json_is_null(value))
            json_object_del(record, key);
        else
            json_object_set(record, key, value);
    json_decref(news);
    ss_thread_record_found(thread, record);
    put(thread, record);
}
