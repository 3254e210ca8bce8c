// limits.h - the bounds of what comes out of LangGraph's tables, each with its
// reason.
#ifndef SS_LANGGRAPH_LIMITS_H
#define SS_LANGGRAPH_LIMITS_H

#include "common/model/limits.h"

enum {
    // Levels of a value and of extensions within extensions: decoding recurses.
    SS_LANGGRAPH_DEPTH_MAX = 256,
    // "module.Class" of an extension: what an error can show.
    SS_LANGGRAPH_CLASS_MAX = 256,
};

// The values and writes of one checkpoint together, as they are stored: a
// request takes less, and JSON is rarely a quarter of what msgpack is.
#define SS_LANGGRAPH_SAVED_MAX ((size_t)SS_VALUE_SIZE_MAX * 4)
// What a row counts for in addition to its bytes.
#define SS_LANGGRAPH_ROW_SIZE  ((size_t)256)
// One value as it is stored: the largest that the coordinator takes.
#define SS_LANGGRAPH_VALUE_MAX ((size_t)SS_VALUE_SIZE_MAX)

#endif
