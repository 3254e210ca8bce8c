// lineage.h - where the next checkpoint of a namespace hangs: on the row of the
// last saved one, which is read from a whole row on.
#ifndef SS_ENGINE_THREADS_LINEAGE_H
#define SS_ENGINE_THREADS_LINEAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/ids.h"

struct ss_checkpoint_entry;
struct ss_row;
struct thread;

// Nobody but lineage.c writes it. It owns nothing, and of zeros it is that of a
// namespace without a checkpoint.
struct lineage {
    char saved_id[SS_UUID_SIZE]; // parent of the next checkpoint; "" none
    bool turns_whole;            // the next row holds all
    uint64_t saved_seq;          // its row; 0: none
    uint64_t base_seq;           // the whole row
    size_t bytes;                // about, in the rows from that on
};

// The next checkpoint is a child of that one.
void ss_lineage_load(
    struct lineage *lineage, const struct ss_checkpoint_entry *mark);
// A child of one that the thread does not know.
void ss_lineage_name(struct lineage *lineage, const char *id);
// The next one stands beside that one.
void ss_lineage_copy(
    struct lineage *lineage, const struct ss_checkpoint_entry *mark);
// The row for the next checkpoint of `ns`; whole, if it is its own base. Its
// state takes about `size` bytes.
struct ss_row *ss_lineage_row(const struct lineage *lineage,
    struct thread *thread, const char *run, const char *ns, size_t size);
// The checkpoint stands in that row, with so many bytes.
void ss_lineage_grow(
    struct lineage *lineage, const struct ss_row *row, size_t size);
void ss_lineage_verify(
    const struct lineage *lineage, const struct thread *thread, const char *ns);

#endif
