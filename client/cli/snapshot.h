// snapshot.h - snapshots of a thread (docs/reference/requests.md) for people.
#ifndef SS_CLI_SNAPSHOT_H
#define SS_CLI_SNAPSHOT_H

#include <jansson.h>
#include <stdbool.h>

#include "client/cli/screen.h"
#include "common/base/buf.h"

// Whether there is a checkpoint to show: a thread that never ran has none, and
// an unknown id leads to none.
bool ss_snapshot_is_there(const json_t *snapshot);
// Its id, "" where there is none. Borrowed.
const char *ss_snapshot_id(const json_t *snapshot);
// Write the snapshot: its place in the run, the values, tasks and questions
// that wait. On a terminal (`screen`) values and tasks take some rows each,
// unless `is_whole`. Returns whether something is missing.
bool ss_snapshot_write(const json_t *snapshot, const struct ss_screen *screen,
    bool is_whole, struct ss_buf *buf);
// A table of snapshots, newest first; the last `more` of them only show what
// the one above changed and get no line.
void ss_history_write(const json_t *history, size_t more,
    const struct ss_screen *screen, struct ss_buf *buf);

#endif
