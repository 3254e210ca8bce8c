// revive.h - values of the tag "json": LangGraph.js's, and Python's of before
// the middle of 2024 (spec/engine.md R13.24).
//
//   {"lc": 1, "id": [..., "HumanMessage"], "kwargs"}    a message
//   {"lc": 2, "id": ["Set"], "args"} and the like       $typed, $opaque
//   {"lc": 2, "id": ["datetime", "datetime"], "args"}   $typed
//   {"lc": 2, "type": "undefined"}                      null
//
// Maps of other objects stay maps.
#ifndef SS_LANGGRAPH_REVIVE_H
#define SS_LANGGRAPH_REVIVE_H

#include <jansson.h>

// Gives.
json_t *ss_revive(const json_t *json);

#endif
