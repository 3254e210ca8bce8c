// limits.h - the bounds of what comes over the wire, each with its reason.
#ifndef SS_WIRE_LIMITS_H
#define SS_WIRE_LIMITS_H

#include "common/model/limits.h"

// One message: the largest value, and room for what stands around it.
#define SS_MESSAGE_SIZE_MAX (SS_VALUE_SIZE_MAX + 2u * 1024u * 1024u)

enum {
    // One text: names are short, a failed node's message may be a long trace.
    SS_WIRE_TEXT_SIZE_MAX = 1024 * 1024,
    // Orders or outcomes of one message: as many as one wake-up handles.
    SS_WIRE_BATCH_MAX = 4096,
    // Messages within a message and repeated fields, together: a fan-out of
    // 200,000 sends is one outcome with as many writes.
    SS_WIRE_ITEMS_MAX = 1024 * 1024,
    // Fields that this version does not know: a newer minor version writes few,
    // and each costs more memory than it takes on the wire.
    SS_WIRE_UNKNOWN_MAX = 64,
    // Coordinators of a cluster, labels of a worker: dozens, not thousands.
    SS_WIRE_MEMBERS_MAX = 256,
    SS_WIRE_LABELS_MAX = 64,
    // The settings of a worker, for people: some dozens of lines.
    SS_WIRE_SETTINGS_SIZE_MAX = 64 * 1024,
    // Levels of messages in messages (Envelope, Tasks, Order, Value).
    SS_WIRE_DEPTH_MAX = 8,
    // Unpacking may take this much memory, plus so many times the message: the
    // smallest attempts, writes and texts take 20 to 22 times their bytes, a
    // batch of the smallest outcomes 28 times.
    SS_WIRE_BUDGET_BASE = 1024 * 1024,
    SS_WIRE_BUDGET_FACTOR = 24,
};

#endif
