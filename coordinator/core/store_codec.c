// store_codec.c - the translation between engine and store.
#include "coordinator/core/store_codec.h"

#include <string.h>

#include "common/base/check.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/model/run_key.h"
#include "common/model/run_status.h"
#include "common/model/value.h"
#include "coordinator/core/journal_head.h"
#include "coordinator/core/journal_io.h"
#include "coordinator/core/limits.h"
#include "coordinator/core/unit_write.h"

struct ss_store_codec {
    struct ss_map chains; // thread -> uint64_t *, for its next row's checksum
    size_t tidy_at;       // look at all of them when there are so many
    struct ss_unit_writer unit;
    SS_VEC(struct ss_store_row) kept_rows; // of a unit that is all borrowed
    SS_VEC(struct ss_store_put) kept_puts;
    bool keeps_rows;
};

struct ss_store_codec *ss_store_codec_new(bool keeps_rows)
{
    struct ss_store_codec *codec = ss_zalloc(1, sizeof(*codec));
    codec->keeps_rows = keeps_rows;
    codec->tidy_at = SS_STORE_CODEC_TIDY_MIN;
    ss_unit_writer_init(&codec->unit);
    return codec;
}

void ss_store_codec_destroy(struct ss_store_codec **codec)
{
    struct ss_store_codec *old = *codec;
    if (!old)
        return;
    *codec = NULL;
    ss_map_fini(&old->chains, ss_free);
    ss_unit_writer_fini(&old->unit);
    SS_VEC_FINI(&old->kept_rows);
    SS_VEC_FINI(&old->kept_puts);
    ss_free(old);
}

// The store's table for a table of the engine.
static enum ss_store_table codec_table(enum ss_record_table table)
{
    switch (table) {
    case SS_RECORD_RUN:
        return SS_TABLE_RUNS;
    case SS_RECORD_THREAD:
        return SS_TABLE_THREADS;
    case SS_RECORD_GRAPH:
        return SS_TABLE_GRAPHS;
    case SS_RECORD_CACHE:
        return SS_TABLE_CACHE;
    case SS_RECORD_OPEN:
        return SS_TABLE_OPEN;
    case SS_RECORD_PAUSE:
        return SS_TABLE_PAUSES;
    case SS_RECORD_LIMIT:
        return SS_TABLE_META;
    }
    return SS_TABLE_META;
}

static uint64_t *chain_of(struct ss_store_codec *codec, const char *thread)
{
    uint64_t *chain = ss_map_get(&codec->chains, thread);
    if (!chain) {
        chain = ss_zalloc(1, sizeof(*chain));
        ss_map_put(&codec->chains, thread, chain);
    }
    return chain;
}

void ss_store_codec_tidy(
    struct ss_store_codec *codec, const struct ss_engine *engine)
{
    if (codec->chains.count < codec->tidy_at)
        return;
    for (struct ss_map_entry *e = codec->chains.first, *next; e; e = next) {
        next = e->next;
        if (!ss_engine_knows(engine, e->key))
            ss_free(ss_map_remove(&codec->chains, e->key));
    }
    codec->tidy_at = SS_STORE_CODEC_TIDY_MIN + 2 * codec->chains.count;
}

// ------------------------------------------------------------------ commands

// Does this record say where the thread ends?
static bool tells_head(const struct ss_command_put *put)
{
    return put->value && (put->table == SS_RECORD_THREAD ||
                             (put->table == SS_RECORD_RUN &&
                                 ss_run_status_has_ended(put->status)));
}

// `value` is borrowed, and NULL to delete it.
static struct ss_store_put put_of(
    const struct ss_command_put *put, const char *value)
{
    bool is_late = !value && put->late;
    return (struct ss_store_put){.table = codec_table(put->table),
        .key = put->key,
        .index = put->index,
        .value = value,
        .late = is_late ? put->late : NULL,
        .value_size = value ? strlen(value) : 0,
        .when = put->absent ? SS_WHEN_ABSENT
                : put->same ? SS_WHEN_SAME
                            : SS_WHEN_ANY,
        .expected = put->same ? ss_hash64(put->same, strlen(put->same)) : 0,
        .expires_us = put->expires_us,
        .at_us = put->at_us,
        .status = (value || is_late) && put->table == SS_RECORD_RUN &&
                          put->status != SS_RUN_OTHER
                      ? ss_run_status_name(put->status)
                      : NULL};
}

static bool is_open(const struct ss_command_put *put)
{
    return (put->value || put->late) && !ss_run_status_has_ended(put->status);
}

// Unfinished runs have a table of their own, so that a start reads no others. A
// key that does not name the thread may be another thread's by now.
static struct ss_store_put open_put_of(const struct ss_command_put *put)
{
    bool is_sure = ss_run_key_names_thread(put->key);
    const char *text = is_open(put) ? put->value : NULL;
    return (struct ss_store_put){.table = SS_TABLE_OPEN,
        .key = put->key,
        .index = is_open(put) || !is_sure ? put->index : NULL,
        .value = text,
        .value_size = text ? strlen(text) : 0,
        .late = is_open(put) && !text ? put->late : NULL,
        .at_us = put->at_us};
}

static int add_rows(struct ss_store_codec *codec,
    const struct ss_command *command, struct ss_journal_head *ret_head,
    struct ss_error *error)
{
    for (size_t i = 0; codec->keeps_rows && i < command->rows_count; i++)
        ss_unit_keep_row(&codec->unit, command->rows[i]);
    if (command->rows_count == 0 || codec->keeps_rows)
        return SS_OK;
    uint64_t *chain = chain_of(codec, command->thread);
    uint64_t next = command->delete_thread ? 0 : *chain;
    for (size_t i = 0; i < command->rows_count; i++) {
        int status = ss_unit_add_row(
            &codec->unit, command->thread, command->rows[i], &next, error);
        if (status != SS_OK)
            return status;
    }
    *chain = next;
    if (command->born_us > 0)
        *ret_head = (struct ss_journal_head){
            command->rows[command->rows_count - 1]->seq, next};
    return SS_OK;
}

static void add_put(struct ss_store_codec *codec, struct ss_store_put put)
{
    ss_unit_add_put(&codec->unit, &put);
}

// `head`: of the thread, once the unit's rows are stored; 0 rows: it is not put
// into records.
static void add_record(struct ss_store_codec *codec,
    const struct ss_command_put *put, const struct ss_journal_head *head,
    int64_t born_us)
{
    char *told = head->rows > 0 && tells_head(put)
                     ? ss_journal_head_tell(put->value, head, born_us)
                     : NULL;
    add_put(codec, put_of(put, told ? told : put->value));
    ss_free(told);
}

static int store_job(struct ss_store_codec *codec,
    const struct ss_command *command, struct ss_job **ret_job,
    struct ss_error *error)
{
    struct ss_journal_head head = {0};
    ss_unit_begin(&codec->unit, command->row_format);
    for (size_t i = 0; i < command->puts_count; i++)
        ss_check(!command->puts[i].late); // it would have to be a text
    int status = add_rows(codec, command, &head, error);
    if (status != SS_OK)
        return status;
    for (size_t i = 0; i < command->puts_count; i++) {
        const struct ss_command_put *put = &command->puts[i];
        if (!put->open_alone || !is_open(put))
            add_record(codec, put, &head, command->born_us);
        if (put->table == SS_RECORD_RUN)
            add_put(codec, open_put_of(put));
    }
    struct ss_store_unit unit = {.thread = command->thread,
        .delete_thread = command->delete_thread,
        .delete_to = command->delete_to};
    *ret_job = ss_unit_end(&codec->unit, command->tag, &unit);
    return SS_OK;
}

void ss_store_codec_unit(struct ss_store_codec *codec,
    const struct ss_command *command, struct ss_store_unit *ret_unit)
{
    ss_check(codec->keeps_rows && command->type == SS_COMMAND_STORE);
    codec->kept_rows.count = codec->kept_puts.count = 0;
    for (size_t i = 0; i < command->rows_count; i++) {
        struct ss_store_row row = ss_unit_kept_row(command->rows[i]);
        row.thread = command->thread;
        SS_VEC_PUSH(&codec->kept_rows, row);
    }
    for (size_t i = 0; i < command->puts_count; i++) {
        const struct ss_command_put *put = &command->puts[i];
        if (!put->open_alone || !is_open(put))
            SS_VEC_PUSH(&codec->kept_puts, put_of(put, put->value));
        if (put->table == SS_RECORD_RUN)
            SS_VEC_PUSH(&codec->kept_puts, open_put_of(put));
    }
    *ret_unit = (struct ss_store_unit){.thread = command->thread,
        .rows = codec->kept_rows.items,
        .rows_count = codec->kept_rows.count,
        .puts = codec->kept_puts.items,
        .puts_count = codec->kept_puts.count,
        .delete_thread = command->delete_thread,
        .delete_to = command->delete_to};
}

static struct ss_job *read_job(const struct ss_command *command)
{
    struct ss_job *job = ss_job_new(SS_JOB_READ, command->tag);
    job->thread = ss_strdup(command->thread);
    job->from = command->from;
    job->to = command->to;
    return job;
}

static struct ss_job *record_job(const struct ss_command *command)
{
    bool one = command->type == SS_COMMAND_GET;
    struct ss_job *job =
        ss_job_new(one ? SS_JOB_GET : SS_JOB_SCAN, command->tag);
    job->table = codec_table(command->table);
    if (one) {
        job->key = ss_strdup(command->key);
        return job;
    }
    job->index = ss_strdup(command->key);
    job->key = ss_strdup(command->after);
    job->limit = command->limit;
    return job;
}

static struct ss_job *find_job(const struct ss_command *command)
{
    struct ss_job *job = ss_job_new(SS_JOB_FIND, command->tag);
    ss_find_copy(command->find, &job->find);
    return job;
}

int ss_store_codec_job(struct ss_store_codec *codec,
    const struct ss_command *command, struct ss_job **ret_job,
    struct ss_error *error)
{
    if (command->type == SS_COMMAND_STORE)
        return store_job(codec, command, ret_job, error);
    *ret_job = command->type == SS_COMMAND_READ   ? read_job(command)
               : command->type == SS_COMMAND_FIND ? find_job(command)
                                                  : record_job(command);
    return SS_OK;
}

// ------------------------------------------------------------------ answers

static void stored_event(struct ss_job *job, struct ss_event *event)
{
    event->type = SS_EVENT_STORED;
    event->stored.tag = job->tag;
    event->stored.status =
        job->status != SS_OK ? job->status : job->unit.result;
    event->stored.message = job->error.message;
}

static void destroy_rows(struct ss_row **rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ss_row_destroy(&rows[i]);
}

// Take the head from one of a thread's records; the thread's own record is the
// first, and sets *born_us, the time at which the thread was made. Gives the
// record.
static json_t *record_hear(struct ss_job *job, const struct ss_job_entry *entry,
    int64_t *born_us, struct ss_journal_head *told)
{
    json_t *record = NULL;
    bool is_own = entry == job->entries;
    int status =
        ss_json_parse(entry->value, entry->value_size, &record, &job->error);
    if (status != SS_OK)
        status = ss_error_set(&job->error, SS_ECORRUPT, "it is not JSON");
    if (is_own)
        *born_us = ss_json_int(record, "created_us", 0);
    if (status == SS_OK)
        status = ss_journal_head_hear(record, *born_us, told, &job->error);
    if (status != SS_OK)
        ss_error_wrap(&job->error, "thread \"%s\": the record of %s",
            job->thread,
            is_own ? "the thread" : ss_json_str(record, "run", entry->key));
    job->status = status;
    json_object_del(record, SS_JOURNAL_HEAD); // the engine knows of none
    return record;
}

// Where the thread ends, by its records, of which the thread's own is the
// first. Gives the own record; NULL: there is none.
static json_t *records_hear(
    struct ss_job *job, struct ss_journal_head *ret_told)
{
    json_t *own = NULL;
    int64_t born_us = 0;
    for (size_t i = 0; i < job->entries_count && job->status == SS_OK; i++) {
        json_t *record = record_hear(job, &job->entries[i], &born_us, ret_told);
        if (i == 0)
            own = json_incref(record);
        json_decref(record);
    }
    return own;
}

// The rows of a thread as far as they are decoded.
struct decoded {
    struct ss_row **rows;
    size_t count;
};

static const struct ss_row *find_decoded(void *ctx, uint64_t seq)
{
    const struct decoded *it = ctx;
    uint64_t first = it->count > 0 ? it->rows[0]->seq : seq;
    bool is_there = seq >= first && seq - first < it->count;
    return is_there ? it->rows[seq - first] : NULL;
}

// Decode the row behind those that are; *chain is what it must carry, then what
// the next one must.
static void row_take(struct ss_job *job, const struct ss_store_row *row,
    struct decoded *decoded, uint64_t *chain)
{
    const struct ss_row_finder earlier = {find_decoded, decoded};
    struct ss_row **to = &decoded->rows[decoded->count];
    if (row->kept) {
        *to = ss_row_ref(row->kept);
        decoded->count++;
        return;
    }
    job->status = ss_journal_io_decode(row, &earlier, to, &job->error);
    if (job->status == SS_OK && decoded->count > 0 && row->checksum != *chain) {
        job->status = ss_error_set(&job->error, SS_ECORRUPT,
            "thread \"%s\": row %llu is not the one that followed row %llu",
            job->thread, (unsigned long long)row->seq,
            (unsigned long long)decoded->rows[decoded->count - 1]->seq);
        ss_row_destroy(to);
    }
    *chain = ss_journal_io_checksum(row);
    decoded->count += job->status == SS_OK;
}

static void rows_event(
    struct ss_store_codec *codec, struct ss_job *job, struct ss_event *event)
{
    struct decoded decoded = {
        .rows = ss_zalloc(job->rows_count + 1, sizeof(*decoded.rows))};
    struct ss_journal_extent extent = {0};
    json_t *record = records_hear(job, &extent.told);
    uint64_t chain = 0;
    for (size_t i = 0; job->status == SS_OK && i < job->rows_count; i++) {
        row_take(job, &job->rows[i].row, &decoded, &chain);
        if (job->status == SS_OK)
            ss_journal_extent_add(&extent, decoded.rows[i], chain);
    }
    if (job->status == SS_OK && job->from == 1 && job->to == UINT64_MAX) {
        job->status = ss_journal_extent_check(&extent, &job->error);
        if (job->status != SS_OK)
            ss_error_wrap(&job->error, "thread \"%s\"", job->thread);
    }
    if (job->status != SS_OK) {
        destroy_rows(decoded.rows, decoded.count);
        decoded.count = 0;
    } else if (job->to == UINT64_MAX && !codec->keeps_rows) {
        *chain_of(codec, job->thread) = chain;
    }
    event->type = SS_EVENT_ROWS;
    event->rows.tag = job->tag;
    event->rows.status = job->status;
    event->rows.message = job->error.message;
    event->rows.rows = decoded.rows;
    event->rows.rows_count = decoded.count;
    event->rows.record = record;
}

static void records_event(struct ss_job *job, struct ss_event *event)
{
    struct ss_record *records =
        ss_zalloc(job->entries_count + 1, sizeof(*records));
    size_t count = 0;
    for (; job->status == SS_OK && count < job->entries_count; count++) {
        const struct ss_job_entry *entry = &job->entries[count];
        records[count].key = entry->key;
        records[count].index = entry->index;
        records[count].expires_us = entry->expires_us;
        job->status = ss_json_parse(entry->value, entry->value_size,
            &records[count].value, &job->error);
        if (job->status != SS_OK)
            (void)ss_error_wrap(
                &job->error, "the record %.200s cannot be read", entry->key);
    }
    event->type = SS_EVENT_RECORDS;
    event->records.tag = job->tag;
    event->records.status = job->status;
    event->records.message = job->error.message;
    event->records.records = records;
    event->records.records_count = count;
    event->records.place = job->place;
    event->records.lacks = job->lacks.times;
    event->records.unsearched = job->lacks.search;
}

void ss_store_codec_event(struct ss_store_codec *codec, struct ss_job *job,
    struct ss_event *ret_event)
{
    *ret_event = (struct ss_event){.type = SS_EVENT_TICK};
    switch (job->type) {
    case SS_JOB_APPLY:
        stored_event(job, ret_event);
        break;
    case SS_JOB_READ:
        rows_event(codec, job, ret_event);
        break;
    case SS_JOB_SCAN:
    case SS_JOB_GET:
    case SS_JOB_FIND:
        records_event(job, ret_event);
        break;
    case SS_JOB_RENEW: // cluster.c's
    case SS_JOB_LOOK:
    case SS_JOB_CLAIM:
    case SS_JOB_TAKE:
    case SS_JOB_HAND:
    case SS_JOB_END:
    case SS_JOB_TELL: // the shell's
        break;
    }
}

void ss_store_codec_event_fini(struct ss_event *event)
{
    if (event->type == SS_EVENT_ROWS) {
        ss_free(event->rows.rows);
        json_decref((json_t *)event->rows.record);
    } else if (event->type == SS_EVENT_RECORDS) {
        for (size_t i = 0; i < event->records.records_count; i++)
            json_decref(event->records.records[i].value);
        ss_free((void *)event->records.records);
    }
    event->type = SS_EVENT_TICK;
}
