// saver_impl.h - what an implementation of saver.h is made of.
#ifndef SS_SAVER_SAVER_IMPL_H
#define SS_SAVER_SAVER_IMPL_H

#include "client/saver/saver.h"

struct ss_saver_table {
    enum ss_record_layout layout;
    void (*close)(struct ss_saver *saver);
    int (*threads)(
        struct ss_saver *saver, json_t **ret_threads, struct ss_error *error);
    int (*read)(struct ss_saver *saver, const char *thread,
        ss_saver_each_fn *each, void *ctx, struct ss_error *error);
    int (*begin)(struct ss_saver *saver, const char *thread, bool replace,
        struct ss_error *error);
    int (*write)(struct ss_saver *saver, const char *thread,
        const struct ss_record_rows *rows, struct ss_error *error);
    int (*commit)(struct ss_saver *saver, struct ss_error *error);
    void (*rollback)(struct ss_saver *saver);
};

// The first member of an implementation's own struct.
struct ss_saver {
    const struct ss_saver_table *table;
};

// Add `size` bytes of rows to those read for one checkpoint (from 0).
// SS_ELIMIT: that is over SS_LANGGRAPH_SAVED_MAX.
int ss_saver_weigh(
    size_t *weight, size_t size, struct ss_error *error) SS_MUST_USE;

int ss_saver_sqlite_open(const char *path, bool to_write,
    struct ss_saver **ret_saver, struct ss_error *error) SS_MUST_USE;
int ss_saver_postgres_open(const char *dsn, bool to_write,
    struct ss_saver **ret_saver, struct ss_error *error) SS_MUST_USE;

#endif
