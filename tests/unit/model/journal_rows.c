#include "tests/unit/model/journal_rows.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/pending.h"

struct ss_journal *journal;
struct ss_error row_error;

void setup(void)
{
    ss_value_setup();
    journal = ss_journal_new();
    row_error = (struct ss_error){0};
}

void teardown(void)
{
    ss_journal_destroy(&journal);
}

static struct ss_value *value(const char *text)
{
    return ss_value_from_text(text, strlen(text));
}

static void name(char ret[SS_UUID_SIZE], const char *id)
{
    (void)snprintf(ret, SS_UUID_SIZE, "%s", id);
}

struct ss_row *row_in(const char *ns)
{
    struct ss_row *row = ss_row_new();
    row->seq = ss_journal_head(journal) + 1;
    row->kind = SS_ROW_CHECKPOINT;
    row->ns = ss_arena_text(&row->memory, ns);
    row->size = 100;
    name(row->run, "run-1");
    return row;
}

// A checkpoint part on `row`; its parent is looked up in the journal.
void holds(struct ss_row *row, const char *id, const char *parent)
{
    row->has_checkpoint = true;
    name(row->checkpoint_id, id);
    name(row->parent_id, parent);
    row->source = SS_SOURCE_LOOP;
    const struct ss_checkpoint_entry *mark =
        ss_journal_find(journal, row->ns, parent);
    row->parent_seq = mark ? mark->row->seq : 0;
}

void moves(struct ss_row *row, const char *channel, int64_t version,
    enum ss_delta_op op, const char *text)
{
    struct ss_row_checkpoint *checkpoint = &row->checkpoint;
    size_t count = checkpoint->channels_count++;
    size_t capacity = count;
    checkpoint->channels = ss_arena_grow(&row->memory, checkpoint->channels,
        &capacity, count + 1, sizeof(*checkpoint->channels));
    checkpoint->channels[count] = (struct ss_row_channel){
        .name = ss_arena_text(&row->memory, channel),
        .version = version,
        .op = op,
        .value = text ? value(text) : NULL,
    };
}

void sees(
    struct ss_row *row, const char *node, const char *channel, int64_t version)
{
    struct ss_row_checkpoint *checkpoint = &row->checkpoint;
    size_t count = checkpoint->seen_count++;
    size_t capacity = count;
    checkpoint->seen = ss_arena_grow(&row->memory, checkpoint->seen, &capacity,
        count + 1, sizeof(*checkpoint->seen));
    checkpoint->seen[count] = (struct ss_row_seen){
        .node = ss_arena_text(&row->memory, node),
        .channel = ss_arena_text(&row->memory, channel),
        .version = version,
    };
}

void updates(struct ss_row *row, const char *channel)
{
    row->checkpoint.updated_known = true;
    row->checkpoint.updated = ss_arena_take(&row->memory, sizeof(char *));
    row->checkpoint.updated[0] = ss_arena_text(&row->memory, channel);
    row->checkpoint.updated_count = 1;
}

void writes_at(struct ss_row *row, const char *path, const char *task,
    int32_t idx, const char *channel, const char *text)
{
    size_t count = row->writes_count++;
    if ((count & (count - 1)) == 0) { // a power of two: it is full
        size_t capacity = count;
        row->writes = ss_arena_grow(&row->memory, row->writes, &capacity,
            count + 1, sizeof(*row->writes));
    }
    row->writes[count] = (struct ss_row_write){
        .path = ss_arena_text(&row->memory, path),
        .idx = idx,
        .channel = ss_arena_text(&row->memory, channel),
        .value = text ? value(text) : NULL,
    };
    name(row->writes[count].task_id, task);
}

void writes(struct ss_row *row, const char *task, int32_t idx,
    const char *channel, const char *text)
{
    writes_at(row, "", task, idx, channel, text);
}

void append(struct ss_row *row)
{
    int status = ss_journal_append(journal, row, &row_error);
    ck_assert_msg(status == SS_OK, "%s", row_error.message);
}

void refuse(struct ss_row *row, const char *message)
{
    uint64_t head = ss_journal_head(journal);
    ck_assert_int_eq(ss_journal_append(journal, row, &row_error), SS_ECORRUPT);
    ck_assert_str_eq(row_error.message, message);
    ck_assert_uint_eq(ss_journal_head(journal), head);
    ss_row_destroy(&row);
}

// A row with a checkpoint that sets channel x to `text` at version `version`.
void change(const char *id, const char *parent, int64_t version,
    enum ss_delta_op op, const char *text)
{
    struct ss_row *row = row_in("");
    holds(row, id, parent);
    moves(row, "x", version, op, text);
    append(row);
}

void step(const char *id, const char *parent, int64_t version, const char *text)
{
    change(id, parent, version, SS_DELTA_SET, text);
}

struct ss_row *pending_row(const char *of)
{
    struct ss_row *row = row_in("");
    row->kind = SS_ROW_WRITES;
    name(row->of, of);
    return row;
}

struct ss_row *snapshot_row(const char *id, const char *parent)
{
    struct ss_row *row = row_in("");
    row->kind = SS_ROW_SNAPSHOT;
    holds(row, id, parent);
    row->checkpoint.whole = true;
    return row;
}

struct ss_row *void_row(uint64_t from, uint64_t to)
{
    struct ss_row *row = row_in("");
    row->kind = SS_ROW_VOID;
    row->void_from = from;
    row->void_seq = to;
    return row;
}

void expect_channel(const struct ss_checkpoint *checkpoint, const char *channel,
    int64_t version, const char *text)
{
    const struct ss_slot *slot = ss_map_get(&checkpoint->channels, channel);
    ck_assert_ptr_nonnull(slot);
    ck_assert_int_eq(slot->version, version);
    if (!text) {
        ck_assert_ptr_null(slot->value);
        return;
    }
    size_t size = 0;
    ck_assert_ptr_nonnull(slot->value);
    ck_assert_str_eq(ss_value_text(slot->value, &size), text);
}

void expect(const char *ns, const char *id, const char *channel,
    int64_t version, const char *text)
{
    struct ss_checkpoint_entry *mark = ss_journal_find(journal, ns, id);
    ck_assert_ptr_nonnull(mark);
    struct ss_checkpoint *checkpoint = ss_journal_fold(journal, mark);
    ck_assert_ptr_nonnull(checkpoint);
    ck_assert_str_eq(checkpoint->id, mark->row->checkpoint_id);
    expect_channel(checkpoint, channel, version, text);
    ss_checkpoint_unref(checkpoint);
}

// The pending writes as "task/idx/channel=value ...", in reading order.
void expect_pending(const char *id, const char *expected)
{
    char text[1024] = "";
    struct ss_pendings pending = {0};
    const struct ss_checkpoint_entry *mark = ss_journal_find(journal, "", id);
    ck_assert_ptr_nonnull(mark);
    ss_journal_pending(mark, NULL, &pending);
    for (size_t i = 0; i < pending.count; i++) {
        const struct ss_row_write *write = &pending.items[i].write;
        size_t size = 0, used = strlen(text);
        snprintf(text + used, sizeof(text) - used, "%s%s/%d/%s=%s",
            i ? " " : "", write->task_id, write->idx, write->channel,
            ss_value_text(write->value, &size));
    }
    ck_assert_str_eq(text, expected);
    ss_pendings_fini(&pending);
}
