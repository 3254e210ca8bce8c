// thread_record.c - the record of a thread: what stands in the table `threads`.
//
// It is put together with rows, and tells then where the thread ends
// (coordinator/core/journal_head.h); so what it said before is kept, and said
// again.
#include <string.h>

#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/value.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/threads_impl.h"

void ss_thread_record_found(struct thread *thread, const json_t *record)
{
    ss_free(thread->record);
    thread->record = record ? ss_json_text(record) : NULL;
    thread->born_us = ss_json_int(record, "created_us", 0);
}

// Takes `news`: what changes in it.
void ss_thread_put_record(struct thread *thread, json_t *news)
{
    struct ss_error error;
    json_t *record = NULL;
    if (!thread->record || ss_json_parse(thread->record, strlen(thread->record),
                               &record, &error) != SS_OK)
        record = json_pack(
            "{s:I}", "created_us", (json_int_t)thread->engine->wall_us);
    json_object_set_new(record, "thread", json_string(thread->id));
    json_object_update(record, news);
    json_decref(news);
    ss_thread_record_found(thread, record);
    ss_thread_put(thread, SS_RECORD_THREAD, thread->id, NULL, record, false);
}
