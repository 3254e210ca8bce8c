// record.h - rows of LangGraph's tables, and saved checkpoints as the requests
// `checkpoints` and `import` have them (docs/reference/requests.md).
//
//   a row of checkpoints   (ns, id, parent, checkpoint, metadata)   --+
//   rows of blobs          (channel, version, type, blob)           --+-- one
//   rows of writes         (task, path, idx, channel, type, blob)   --+  saved
//
// Versions are text there (spec/engine.md R13.31) and numbers here. A number
// gets its text where it first appears: two branches that both make version 3
// of a channel must not share a blob.
#ifndef SS_LANGGRAPH_RECORD_H
#define SS_LANGGRAPH_RECORD_H

#include "client/langgraph/form.h"
#include "common/base/map.h"
#include "common/base/mem.h"

// ---------------------------------------------------------------- coming in

// A row of `checkpoints`; all borrowed.
struct ss_record {
    const char *ns;
    const char *id;
    const char *parent; // NULL or "": none
    const char *tag;    // of `bytes`: "json" or "msgpack"
    const void *bytes;  // the checkpoint
    size_t size;
    const char *metadata; // JSON text
    size_t metadata_size;
};

// A saved checkpoint, without the values that lie in other rows; in its own
// format, which `v` says if it is older than 4, and with `foreign` true if its
// task ids may be LangGraph.js's (migrate.h). Gives. Errors name
// the column: SS_EFORMAT, SS_ELIMIT, SS_EINVAL (something must be looked into).
int ss_record_open(const struct ss_record *row, json_t **ret_saved,
    struct ss_error *error) SS_MUST_USE;
// A channel's value from a row of blobs.
int ss_record_value(json_t *saved, const char *channel, const char *tag,
    const void *bytes, size_t size, struct ss_error *error) SS_MUST_USE;

// A row of pending writes.
struct ss_record_write {
    const char *task_id;
    const char *path;
    int64_t idx;
    const char *channel;
    const char *tag;
    const void *bytes;
    size_t size;
};
int ss_record_write(json_t *saved, const struct ss_record_write *write,
    struct ss_error *error) SS_MUST_USE;

// ---------------------------------------------------------------- going out

// One value as its row has it; owned.
struct ss_record_blob {
    char *channel;
    char *version; // of a channel's value
    char *task_id; // of a pending write
    char *path;
    int32_t idx;
    char *tag;
    char *bytes; // or NULL where size is 0
    size_t size;
};

struct ss_record_rows {
    char *ns;
    char *id;
    char *parent;     // or NULL
    char *checkpoint; // JSON text, or msgpack
    size_t size;
    char *metadata; // JSON text
    SS_VEC(struct ss_record_blob) blobs;
    SS_VEC(struct ss_record_blob) writes;
};

enum ss_record_layout {
    SS_RECORD_SPLIT, // Postgres: values in rows of their own, but scalars
    SS_RECORD_WHOLE, // SQLite: all values in the checkpoint
};

// The version texts of one thread's channels; zero bytes to begin with.
struct ss_record_versions {
    struct ss_map checkpoints; // ns, newline, id -> its channels' versions
};
void ss_record_versions_fini(struct ss_record_versions *versions);

// The rows of a saved checkpoint; of one thread in the order of their ids, its
// parent before it. SS_EDENIED: a class that may not be exported (ext.h).
// SS_EINVAL: a name that the layout cannot hold. The channel is named.
// SS_EFORMAT: no saved checkpoint.
int ss_record_rows(const json_t *saved, enum ss_record_layout layout,
    const struct ss_ext_allowed *allowed, struct ss_record_versions *versions,
    struct ss_record_rows *ret_rows, struct ss_error *error) SS_MUST_USE;
void ss_record_rows_fini(struct ss_record_rows *rows);

#endif
