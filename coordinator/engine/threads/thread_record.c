// thread_record.c - the record of a thread: what stands in the table `threads`.
//
// It is put together with rows, and tells then where the thread ends
// (coordinator/core/journal_head.h); so what it said before is kept, and said
// again.
//
// At the end of a run all of it is said anew, but for what such an end does not
// know of: that is kept as it was written. So no record is read in order to be
// written, but where only a part of it changes.
#include <string.h>

#include "common/base/buf.h"
#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/find.h"
#include "common/model/graph.h"
#include "common/model/json_late.h"
#include "common/model/thread_status.h"
#include "common/model/value.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/rows.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/threads_impl.h"

static bool is_said_anew(const char *key)
{
    static const char *const keys[] = {"created_us", "thread", "graph",
        "version", "run", "metadata", SS_FIND_LONG, "error", "interrupts",
        "status", "updated_us", "state_us"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
        if (strcmp(keys[i], key) == 0)
            return true;
    return false;
}

// The members that are not, as they are written; NULL: there is none. Gives.
static char *others_of(const json_t *record)
{
    const char *key;
    json_t *value;
    struct ss_buf others;
    ss_buf_init(&others, SIZE_MAX);
    json_object_foreach ((json_t *)record, key, value)
        if (!is_said_anew(key)) {
            if (others.size > 0)
                ss_buf_add(&others, ",", 1);
            ss_json_add_string(&others, key, strlen(key));
            char *text = ss_json_text(value);
            ss_buf_addf(&others, ":%s", text);
            ss_free(text);
        }
    return others.size > 0 ? ss_buf_steal(&others, NULL) : NULL;
}

void ss_thread_record_found(struct thread *thread, const json_t *record)
{
    ss_free(thread->record.text);
    ss_free(thread->record.others);
    ss_json_late_unref(thread->record.late);
    thread->record.late = NULL;
    thread->record.text = record ? ss_json_text(record) : NULL;
    thread->record.others = record ? others_of(record) : NULL;
    thread->facts.born_us = ss_json_int(record, "created_us", 0);
}

// Takes `told`, which has the value. One that has not left takes the other's
// place.
static void put(struct thread *thread, const char *status, int64_t at_us,
    struct ss_command_put told)
{
    for (size_t i = 0; i < thread->puts.count; i++) {
        struct ss_command_put *old = &thread->puts.items[i];
        if (old->table != SS_RECORD_THREAD)
            continue;
        ss_put_fini(old);
        memmove(old, old + 1, (--thread->puts.count - i) * sizeof(*old));
    }
    ss_check(told.late || (told.value && told.value[0] == '{'));
    bool is_idle = !status || strcmp(status, SS_THREAD_IDLE) == 0;
    told.table = SS_RECORD_THREAD;
    told.key = ss_strdup(thread->facts.id);
    told.index = is_idle ? NULL : ss_strdup(status);
    told.at_us = at_us;
    ss_thread_put_take(thread, told);
}

void ss_thread_tell(struct thread *thread, const struct thread_report *report)
{
    struct ss_json_members said;
    ss_check(thread->facts.state == THREAD_HOT && report->graph);
    if (!ss_thread_has_record(thread))
        thread->facts.born_us = thread->facts.engine->wall_us;
    said.count = 0;
    ss_json_say_int(&said, "created_us", thread->facts.born_us);
    ss_json_say_text(&said, "thread", thread->facts.id);
    ss_json_say_text(&said, "graph", report->graph);
    ss_json_say_text(&said, "version", report->version);
    ss_json_say_written(&said, thread->record.others);
    ss_json_say_text(&said, "run", report->run);
    ss_json_say_json(&said, "metadata", report->metadata);
    ss_json_say_written(
        &said, report->metadata_is_long ? "\"" SS_FIND_LONG "\":true" : NULL);
    ss_json_say_json(&said, "error", report->error);
    ss_json_say_json(&said, "interrupts", report->interrupts);
    ss_json_say_text(&said, "status", report->status);
    if (report->status)
        ss_json_say_int(&said, "updated_us", thread->facts.engine->wall_us);
    struct ss_command_put told = ss_put_said(thread->facts.engine, &said);
    ss_free(thread->record.text);
    ss_json_late_unref(thread->record.late);
    thread->record.text = ss_strdup(told.value);
    thread->record.late = ss_json_late_ref(told.late);
    put(thread, report->status,
        report->status ? thread->facts.engine->wall_us : thread->facts.born_us,
        told);
}

bool ss_thread_has_record(const struct thread *thread)
{
    return thread->record.text || thread->record.late;
}

bool ss_thread_is_there(const struct thread *thread)
{
    return ss_thread_has_record(thread) || ss_thread_head(thread) > 0;
}

json_t *ss_thread_record(const struct thread *thread)
{
    struct ss_error error;
    json_t *record = NULL;
    char *made = NULL;
    if (!ss_thread_has_record(thread))
        return NULL;
    if (thread->record.late)
        made = ss_json_late_text(thread->record.late);
    const char *text = made ? made : thread->record.text;
    int status = ss_json_parse(text, strlen(text), &record, &error);
    ss_free(made);
    ss_check(
        status == SS_OK && json_is_object(record)); // it was made from JSON
    return record;
}

// Takes `news`: what changes in it; null is there no more.
void ss_thread_put_record(struct thread *thread, json_t *news)
{
    json_t *record = ss_thread_record(thread), *value;
    const char *key;
    if (!record)
        record = json_pack(
            "{s:I}", "created_us", (json_int_t)thread->facts.engine->wall_us);
    json_object_set_new(record, "thread", json_string(thread->facts.id));
    ss_check(record && thread->facts.state == THREAD_HOT);
    json_object_foreach (news, key, value)
        if (json_is_null(value))
            json_object_del(record, key);
        else
            json_object_set(record, key, value);
    json_decref(news);
    ss_thread_record_found(thread, record);
    put(thread, ss_json_str(record, "status", NULL),
        ss_find_at_us(true, record),
        (struct ss_command_put){.value = ss_strdup(thread->record.text)});
    json_decref(record);
}

static void take_graph(struct thread *thread, const char *graph)
{
    thread->known = true;
    if (!graph)
        return;
    ss_free(thread->facts.graph);
    thread->facts.graph = ss_strdup(graph);
}

void ss_thread_remember(struct thread *thread, const struct ss_graph *graph)
{
    if (thread->known && thread->facts.graph &&
        strcmp(thread->facts.graph, graph->name) == 0)
        return;
    take_graph(thread, graph->name);
    if (ss_thread_has_record(thread))
        ss_thread_put_record(
            thread, json_pack("{s:s, s:s}", "graph", graph->name, "version",
                        graph->version));
    else
        ss_thread_tell(thread, &(struct thread_report){.graph = graph->name,
                                   .version = graph->version});
}

void ss_thread_was_of(struct thread *thread, const char *graph)
{
    take_graph(thread, thread->facts.graph ? NULL : graph);
    ss_thread_put_record(
        thread, json_pack("{s:s}", "graph",
                    thread->facts.graph ? thread->facts.graph : ""));
}
