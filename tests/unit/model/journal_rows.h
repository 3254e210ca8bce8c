// journal_rows.h - what the journal's tests share: rows said shortly, appended
// to one journal, and what is then expected of it.
#ifndef SS_TESTS_UNIT_MODEL_JOURNAL_ROWS_H
#define SS_TESTS_UNIT_MODEL_JOURNAL_ROWS_H

#include "common/model/journal.h"

extern struct ss_journal *journal;
extern struct ss_error row_error;

// An empty journal, for each test.
void setup(void);
void teardown(void);

// The next row of the journal, of run-1; what follows adds parts to it.
struct ss_row *row_in(const char *ns);
// A checkpoint part; its parent is looked up in the journal.
void holds(struct ss_row *row, const char *id, const char *parent);
void moves(struct ss_row *row, const char *channel, int64_t version,
    enum ss_delta_op op, const char *text);
// `channel` NULL: an empty entry.
void sees(
    struct ss_row *row, const char *node, const char *channel, int64_t version);
void updates(struct ss_row *row, const char *channel);
// `text` NULL: no value.
void writes_at(struct ss_row *row, const char *path, const char *task,
    int32_t idx, const char *channel, const char *text);
void writes(struct ss_row *row, const char *task, int32_t idx,
    const char *channel, const char *text);

struct ss_row *pending_row(const char *of);
struct ss_row *snapshot_row(const char *id, const char *parent);
struct ss_row *void_row(uint64_t from, uint64_t to);

// Each takes the row: into the journal, or refused with that message.
void append(struct ss_row *row);
void refuse(struct ss_row *row, const char *message);
// A row with a checkpoint that changes channel x by `op` and `text`, to version
// `version`; step() sets it to `text`.
void change(const char *id, const char *parent, int64_t version,
    enum ss_delta_op op, const char *text);
void step(
    const char *id, const char *parent, int64_t version, const char *text);

// `text` NULL: no stored value.
void expect_channel(const struct ss_checkpoint *checkpoint, const char *channel,
    int64_t version, const char *text);
// The same of the checkpoint `id` (NULL: the newest), folded.
void expect(const char *ns, const char *id, const char *channel,
    int64_t version, const char *text);
// Pending writes as "task/idx/channel=value ...", in reading order.
void expect_pending(const char *id, const char *expected);

#endif
