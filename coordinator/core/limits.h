// limits.h - the bounds of the coordinator's core, each with its reason.
#ifndef SS_CORE_LIMITS_H
#define SS_CORE_LIMITS_H

enum {
    // Threads that the codec remembers before it looks for those that the
    // engine has forgotten.
    SS_STORE_CODEC_TIDY_MIN = 1024,
    // A batch for one peer leaves when it has grown to this.
    SS_OUTBOX_SIZE_MAX = 1024 * 1024,
    // The lists' memory that is kept from turn to turn: that of a batch which
    // has grown until it had to leave.
    SS_OUTBOX_SPARE_SIZE_MAX = 2 * SS_OUTBOX_SIZE_MAX,
    // When a worker's queue was full: try again after this.
    SS_OUTBOX_RETRY_MS = 20,
    // Messages that wait behind a list that a worker did not take: more than a
    // worker is sent in its lease. The worker misses further ones, as from any
    // full queue.
    SS_OUTBOX_LATE_MAX = 64,
    // Damaged things that are listed by name: an operator who has more looks at
    // the disk, not at the list.
    SS_DAMAGES_MAX = 100,
    // A line of the log: the log cuts at this length, too.
    SS_CORE_LINE_SIZE = 4096,
    // Of the bytes and of the rows and puts of a unit of the store so much room
    // is kept for the next: most units have some hundreds of bytes, those of a
    // conversation that is sent along some hundred thousand, one after another.
    SS_UNIT_BYTES_KEPT = 1024 * 1024,
    SS_UNIT_PARTS_KEPT = 1024,
    // Room for a step's bytes that is kept for the next.
    SS_CORE_BYTES_KEPT = 4 * 1024 * 1024,
};

#endif
