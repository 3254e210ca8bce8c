// world_store.c - a journal in memory that outlives the engine. Rows go in and
// come out through the codec, so that nothing is shared with an engine.
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "common/base/check.h"
#include "common/model/reserved.h"
#include "coordinator/core/journal_io.h"
#include "tests/stories/world_impl.h"

static struct ss_row *through_codec(const char *thread, struct ss_row *row)
{
    struct ss_journal_bytes bytes;
    struct ss_row *copy = NULL;
    struct ss_error error;
    if (ss_journal_io_encode(row, thread, 0, &bytes, &error) != SS_OK ||
        ss_journal_io_decode(&bytes.row, &copy, &error) != SS_OK)
        ck_abort_msg("row %d: %s", (int)row->seq, error.message);
    ss_journal_bytes_fini(&bytes);
    return copy;
}

// ------------------------------------------------------------------ jobs

struct store_job *store_job_new(const struct ss_command *command)
{
    struct store_job *job = ss_zalloc(1, sizeof(*job));
    job->type = command->type;
    job->tag = command->tag;
    job->thread = ss_strdup(command->thread);
    job->delete_thread = command->delete_thread;
    job->delete_to = command->delete_to;
    job->from = command->from;
    job->to = command->to;
    job->table = command->table;
    job->key = ss_strdup(command->key);
    job->after = ss_strdup(command->after);
    job->limit = command->limit;
    for (size_t i = 0; i < command->rows_count; i++)
        SS_VEC_PUSH(
            &job->rows, through_codec(command->thread, command->rows[i]));
    for (size_t i = 0; i < command->puts_count; i++) {
        struct ss_command_put put = command->puts[i];
        put.key = ss_strdup(put.key);
        put.index = ss_strdup(put.index);
        put.value = put.value ? json_deep_copy(put.value) : NULL;
        SS_VEC_PUSH(&job->puts, put);
    }
    return job;
}

void store_job_free(struct store_job *job)
{
    for (size_t i = 0; i < job->rows.count; i++)
        ss_row_destroy(&job->rows.items[i]);
    for (size_t i = 0; i < job->puts.count; i++) {
        ss_free(job->puts.items[i].key);
        ss_free(job->puts.items[i].index);
        json_decref(job->puts.items[i].value);
    }
    SS_VEC_FINI(&job->rows);
    SS_VEC_FINI(&job->puts);
    ss_free(job->thread);
    ss_free(job->key);
    ss_free(job->after);
    ss_free(job);
}

// ------------------------------------------------------------------ content

struct stored_thread *store_thread(struct store *store, const char *name)
{
    for (size_t i = 0; i < store->threads.count; i++)
        if (strcmp(store->threads.items[i]->name, name) == 0)
            return store->threads.items[i];
    struct stored_thread *thread = ss_zalloc(1, sizeof(*thread));
    thread->name = ss_strdup(name);
    SS_VEC_PUSH(&store->threads, thread);
    return thread;
}

static void drop_rows(struct stored_thread *thread, uint64_t to)
{
    while (thread->rows.count > 0 && thread->rows.items[0]->seq <= to) {
        ss_row_destroy(&thread->rows.items[0]);
        SS_VEC_REMOVE(&thread->rows, 0);
    }
}

static void drop_record(struct stored_record *record)
{
    ss_free(record->key);
    ss_free(record->index);
    json_decref(record->value);
}

void store_fini(struct store *store)
{
    for (size_t i = 0; i < store->threads.count; i++) {
        struct stored_thread *thread = store->threads.items[i];
        drop_rows(thread, UINT64_MAX);
        SS_VEC_FINI(&thread->rows);
        ss_free(thread->name);
        ss_free(thread);
    }
    for (size_t i = 0; i < store->records.count; i++)
        drop_record(&store->records.items[i]);
    SS_VEC_FINI(&store->threads);
    SS_VEC_FINI(&store->records);
}

void store_drop_graphs(struct store *store)
{
    for (size_t i = store->records.count; i-- > 0;) {
        if (store->records.items[i].table != SS_RECORD_GRAPH)
            continue;
        drop_record(&store->records.items[i]);
        SS_VEC_REMOVE(&store->records, i);
    }
}

static void put(struct store *store, const struct ss_command_put *it)
{
    for (size_t i = 0; i < store->records.count; i++) {
        struct stored_record *record = &store->records.items[i];
        if (record->table != it->table || strcmp(record->key, it->key) != 0)
            continue;
        // A delete that names an index takes only an entry of that index.
        if (!it->value && it->index &&
            (!record->index || strcmp(record->index, it->index) != 0))
            continue;
        drop_record(record);
        SS_VEC_REMOVE(&store->records, i);
        break;
    }
    if (it->value)
        SS_VEC_PUSH(&store->records,
            (struct stored_record){it->table, ss_strdup(it->key),
                ss_strdup(it->index), json_incref(it->value)});
}

// ------------------------------------------------------------------ applying

static bool has_row(
    const struct stored_thread *thread, const char *run, bool end)
{
    for (size_t i = 0; i < thread->rows.count; i++) {
        const struct ss_row *row = thread->rows.items[i];
        if ((end ? row->end : row->entry) && strcmp(row->run, run) == 0)
            return true;
    }
    return false;
}

static bool has_void(const struct stored_thread *thread)
{
    for (size_t i = 0; i < thread->rows.count; i++)
        if (thread->rows.items[i]->void_seq)
            return true;
    return false;
}

// Of a unit cut short, what changes with the rows that were taken: a run is
// there with its entry row, over with its end row, and gone with the row that
// takes its rows back; everything else came with the rest.
static bool came_with(
    const struct stored_thread *thread, const struct ss_command_put *it)
{
    const char *status = ss_json_str(it->value, "status", "");
    const char *run = ss_json_str(it->value, "run", "");
    if (it->table == SS_RECORD_RUN && !it->value)
        return has_void(thread);
    if (it->table == SS_RECORD_RUN)
        return strcmp(status, "running") == 0 ? has_row(thread, run, false)
                                              : has_row(thread, run, true);
    return it->table == SS_RECORD_THREAD;
}

// What becomes of a run, where a unit says so: the last word. NULL: nothing.
static const char *run_status(const struct store_job *job)
{
    const char *status = NULL;
    for (size_t i = 0; i < job->puts.count; i++) {
        const struct ss_command_put *it = &job->puts.items[i];
        if (it->table == SS_RECORD_RUN && job->thread && !job->delete_thread)
            status = ss_json_str(it->value, "status", "gone");
    }
    return status;
}

// True: all of it was taken, and somebody says so.
static bool apply(struct store *store, struct store_job *job)
{
    struct stored_thread *thread =
        job->thread ? store_thread(store, job->thread) : NULL;
    const char *status = run_status(job);
    bool records_alone = job->rows.count == 0 && status;
    if (thread && job->delete_thread)
        drop_rows(thread, UINT64_MAX);
    if (thread && job->delete_to)
        drop_rows(thread, job->delete_to);
    while (job->rows.count > 0 && store->rows_left != 0) {
        struct ss_row *row = job->rows.items[0];
        SS_VEC_REMOVE(&job->rows, 0);
        if (thread->rows.count > 0)
            ss_check(row->seq ==
                     thread->rows.items[thread->rows.count - 1]->seq + 1);
        tell_row(job->thread, row);
        SS_VEC_PUSH(&thread->rows, row);
        store->taken++;
        if (store->rows_left > 0)
            store->rows_left--;
    }
    bool alone = records_alone && store->rows_left != 0;
    bool whole = records_alone ? alone : job->rows.count == 0;
    if (alone && store->rows_left > 0)
        store->rows_left--;
    store->taken += alone;
    if (alone)
        tell("  run of %s: %s", job->thread, status);
    for (size_t i = 0; i < job->puts.count; i++)
        if (whole || came_with(thread, &job->puts.items[i]))
            put(store, &job->puts.items[i]);
    store->stopped = store->rows_left == 0;
    return !store->stopped;
}

// What is to be put only where nothing stands (the same once more is fine).
static bool may_put(const struct store *store, const struct store_job *job)
{
    for (size_t i = 0; i < job->puts.count; i++) {
        const struct ss_command_put *it = &job->puts.items[i];
        for (size_t j = 0; it->absent && j < store->records.count; j++) {
            const struct stored_record *record = &store->records.items[j];
            if (record->table == it->table &&
                strcmp(record->key, it->key) == 0 &&
                !json_equal(record->value, it->value))
                return false;
        }
    }
    return true;
}

static bool do_store(
    struct store *store, struct store_job *job, struct ss_event *event)
{
    event->type = SS_EVENT_STORED;
    event->stored.tag = job->tag;
    event->stored.status = store->next_status;
    if (store->next_status == SS_OK && !may_put(store, job)) {
        event->stored.status = SS_EREFUSED;
        event->stored.message = ss_status_text(SS_EREFUSED);
        return true;
    }
    if (store->next_status == SS_OK)
        return apply(store, job);
    event->stored.message = ss_status_text(store->next_status);
    store->next_status = SS_OK;
    return true;
}

static void do_read(
    struct store *store, struct store_job *job, struct ss_event *event)
{
    struct stored_thread *thread = store_thread(store, job->thread);
    event->type = SS_EVENT_ROWS;
    event->rows.tag = job->tag;
    if (store->next_read != SS_OK) {
        event->rows.status = store->next_read;
        event->rows.message = ss_status_text(store->next_read);
        store->next_read = SS_OK;
        return;
    }
    for (size_t i = 0; i < store->records.count; i++) {
        const struct stored_record *record = &store->records.items[i];
        if (record->table == SS_RECORD_THREAD &&
            strcmp(record->key, job->thread) == 0)
            event->rows.record = json_deep_copy(record->value);
    }
    event->rows.rows =
        ss_zalloc(thread->rows.count + 1, sizeof(*event->rows.rows));
    for (size_t i = 0; i < thread->rows.count; i++) {
        struct ss_row *row = thread->rows.items[i];
        if (row->seq >= job->from && row->seq <= job->to)
            event->rows.rows[event->rows.rows_count++] =
                through_codec(job->thread, row);
    }
}

static int by_key(const void *a, const void *b)
{
    return strcmp(
        ((const struct ss_record *)a)->key, ((const struct ss_record *)b)->key);
}

static void do_records(
    struct store *store, struct store_job *job, struct ss_event *event)
{
    bool get = job->type == SS_COMMAND_GET;
    struct ss_record *found =
        ss_zalloc(store->records.count + 1, sizeof(*found));
    size_t count = 0;
    for (size_t i = 0; i < store->records.count; i++) {
        const struct stored_record *record = &store->records.items[i];
        const char *by = get ? record->key : record->index;
        if (record->table == job->table &&
            (!job->key || (by && strcmp(by, job->key) == 0)) &&
            (!job->after || strcmp(record->key, job->after) > 0))
            found[count++] = (struct ss_record){
                record->key, json_deep_copy(record->value), 0};
    }
    qsort(found, count, sizeof(*found), by_key);
    while (job->limit > 0 && count > job->limit)
        json_decref(found[--count].value);
    event->type = SS_EVENT_RECORDS;
    event->records.tag = job->tag;
    event->records.status = get && count == 0 ? SS_ENOTFOUND : SS_OK;
    event->records.records = found;
    event->records.records_count = count;
    if (store->next_read != SS_OK) {
        event->records.status = store->next_read;
        event->records.message = ss_status_text(store->next_read);
        store->next_read = SS_OK;
    }
}

bool store_do(
    struct store *store, struct store_job *job, struct ss_event *ret_event)
{
    *ret_event = (struct ss_event){0};
    if (store->stopped && (job->type == SS_COMMAND_STORE || !store->reads_on))
        return false;
    if (job->type == SS_COMMAND_STORE)
        return do_store(store, job, ret_event);
    if (job->type == SS_COMMAND_READ)
        do_read(store, job, ret_event);
    else
        do_records(store, job, ret_event);
    return true;
}

void store_event_fini(struct ss_event *event)
{
    if (event->type == SS_EVENT_ROWS) {
        ss_free((void *)event->rows.rows);
        json_decref((json_t *)event->rows.record);
    }
    if (event->type != SS_EVENT_RECORDS)
        return;
    for (size_t i = 0; i < event->records.records_count; i++)
        json_decref(event->records.records[i].value);
    ss_free((void *)event->records.records);
}

// ------------------------------------------------------------------ telling

// "b", "send 3", "update 0", "the handler of b" from a task's path.
static void tell_path(struct ss_buf *line, const struct ss_row_write *write)
{
    const char *path = write->path ? write->path : "";
    static const char pull[] = "~" SS_NAME_PULL ", ";
    const size_t size = sizeof(pull) - 1;
    unsigned long number = 0;
    if (strcmp(write->task_id, SS_NULL_TASK) == 0)
        ss_buf_add_str(line, "the client");
    else if (sscanf(path, "~" SS_NAME_PUSH ", %lu", &number) == 1)
        ss_buf_addf(line, "send %lu", number);
    else if (sscanf(path, "~" SS_NAME_INTERRUPT ", %lu", &number) == 1)
        ss_buf_addf(line, "update %lu", number);
    else if (strncmp(path, pull, size) == 0)
        ss_buf_addf(line, "%.*s", (int)strcspn(path + size, ","), path + size);
    else
        ss_buf_add_str(line, path[0] ? path : "the input");
    if (strstr(path, SS_NAME_HANDLER_PATH))
        ss_buf_add_str(line, "'s handler");
}

static void tell_what(struct ss_buf *line, const struct ss_row_write *write)
{
    if (strcmp(write->channel, SS_NAME_ERROR) == 0)
        ss_buf_add_str(line, " (failed)");
    else if (strcmp(write->channel, SS_NAME_INTERRUPT) == 0)
        ss_buf_add_str(line, " (asks)");
    else if (strcmp(write->channel, SS_NAME_RESUME) == 0)
        ss_buf_add_str(line, write->value ? " (answer)" : " (answer taken)");
    else if (strcmp(write->channel, SS_NAME_TRIES) == 0)
        ss_buf_add_str(line, " (tries again)");
    else if (strcmp(write->channel, SS_NAME_LOST) == 0)
        ss_buf_addf(line, " (lost, %lld so far)",
            (long long)ss_json_int(ss_value_json(write->value), "lost", 0));
}

static void tell_writes(struct ss_buf *line, const struct ss_row *row)
{
    for (size_t i = 0; i < row->writes_count; i++) {
        const struct ss_row_write *write = &row->writes[i];
        bool first = i == 0;
        bool same =
            !first && strcmp(row->writes[i - 1].task_id, write->task_id) == 0;
        if (!same) {
            ss_buf_add_str(line, first ? " writes of " : ", ");
            tell_path(line, write);
        }
        tell_what(line, write);
    }
}

void tell_row(const char *thread, const struct ss_row *row)
{
    struct ss_buf line;
    ss_buf_init(&line, 4096);
    ss_buf_addf(&line, "  row %d of %s", (int)row->seq, thread);
    if (row->ns && row->ns[0])
        ss_buf_addf(&line, " in %.*s", (int)strcspn(row->ns, ":"), row->ns);
    ss_buf_add_str(&line, ":");
    const char *comma = "";
    if (row->entry) {
        ss_buf_add_str(&line, " entry");
        comma = ",";
    }
    if (row->writes_count) {
        ss_buf_add_str(&line, comma);
        tell_writes(&line, row);
        comma = ",";
        if (row->answer_of[0])
            ss_buf_add_str(&line, ", the plain answer taken");
    }
    if (row->has_checkpoint) {
        ss_buf_addf(&line, "%s checkpoint %d (%s)", comma, (int)row->step,
            ss_source_name(row->source));
        comma = ",";
    }
    if (row->end)
        ss_buf_addf(&line, "%s end", comma);
    else if (!comma[0])
        ss_buf_add_str(&line, row->void_seq ? " takes back" : " events");
    tell("%s", ss_buf_str(&line));
    ss_buf_fini(&line);
}

void told(const char *expected)
{
    const char *is = world_told();
    size_t same = 0, line = 1;
    while (is[same] && is[same] == expected[same])
        line += is[same++] == '\n';
    if (is[same] == expected[same])
        return;
    printf("%s", is);
    fflush(stdout);
    ck_abort_msg("line %zu is told otherwise", line);
}
