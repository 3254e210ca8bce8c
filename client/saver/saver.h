// saver.h - the tables of LangGraph's savers, in PostgreSQL and in SQLite
// (spec/engine.md 13.4, 13.5).
//
// Blocking, and simple: it reads and writes rows; record.h knows what they
// mean. Reading never writes (it makes no table and adds no column); a thread
// is read as it was at one moment, and written in one transaction.
#ifndef SS_SAVER_SAVER_H
#define SS_SAVER_SAVER_H

#include <jansson.h>
#include <stdbool.h>

#include "client/langgraph/record.h"
#include "common/base/status.h"

struct ss_saver;

// `where`: postgres://..., a list of key=value (both as libpq takes them), or
// the path of an SQLite file. With `to_write` a missing file is created, and so
// are missing tables. SS_ENOTFOUND: no file that can be read, or none of the
// tables. How long to wait for a server says the DSN (connect_timeout).
int ss_saver_open(const char *where, bool to_write, struct ss_saver **ret_saver,
    struct ss_error *error) SS_MUST_USE;
void ss_saver_close(struct ss_saver *
        *saver); // sets *saver to NULL; rolls back an open transaction

// Thread ids, sorted. Gives a list of texts.
int ss_saver_threads(struct ss_saver *saver, json_t **ret_threads,
    struct ss_error *error) SS_MUST_USE;

// Called with each saved checkpoint in the order of their ids; takes it. Any
// status but SS_OK ends the reading.
typedef int ss_saver_each_fn(void *ctx, json_t *saved, struct ss_error *error);
// SS_ENOTFOUND: there is no such thread. An error names table, row and column.
// SS_ELIMIT: a checkpoint's rows take over SS_LANGGRAPH_SAVED_MAX bytes.
int ss_saver_read(struct ss_saver *saver, const char *thread,
    ss_saver_each_fn *each, void *ctx, struct ss_error *error) SS_MUST_USE;

// How the rows of a checkpoint are laid out there.
enum ss_record_layout ss_saver_layout(const struct ss_saver *saver);
// Begin to write a thread. SS_EEXISTS: it has rows already; with `replace`
// those are deleted.
int ss_saver_begin(struct ss_saver *saver, const char *thread, bool replace,
    struct ss_error *error) SS_MUST_USE;
int ss_saver_write(struct ss_saver *saver, const char *thread,
    const struct ss_record_rows *rows, struct ss_error *error) SS_MUST_USE;
int ss_saver_commit(struct ss_saver *saver, struct ss_error *error) SS_MUST_USE;
void ss_saver_rollback(struct ss_saver *saver);

#endif
