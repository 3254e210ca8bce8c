// row_copy.h - rows and puts copied into one block of memory each.
#ifndef SS_JOB_ROW_COPY_H
#define SS_JOB_ROW_COPY_H

#include "coordinator/job/job.h"

// A copy of `row`, of which a kept one has no texts; whose texts and body live
// in *ret_memory (ss_free). Gives.
struct ss_store_row ss_store_row_copy(
    const struct ss_store_row *row, void **ret_memory);
// What such a copy owns goes.
void ss_store_row_fini(struct ss_store_row *row, void *memory);
// A copy of `unit` with all that it names, in one block. Gives.
struct ss_store_unit ss_store_unit_copy(
    const struct ss_store_unit *unit, void **ret_memory);

#endif
