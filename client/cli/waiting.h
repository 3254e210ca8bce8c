// waiting.h - what tasks wait for, in a few words, and lists of tasks in which
// those that wait for the same are one row.
#ifndef SS_CLI_WAITING_H
#define SS_CLI_WAITING_H

#include <jansson.h>

#include "client/cli/list.h"

// What a task waits for, or where it runs: "waits for room". Gives.
char *ss_waiting_text(const json_t *wait);

// The columns of what ss_waiting_rows() gives.
#define SS_WAITING_COLUMNS                                                     \
    {                                                                          \
        {"STATE", "state", SS_LIST_STATUS, false},                             \
            {"NODE", "node", SS_LIST_TEXT, false},                             \
            {"THREAD", "thread", SS_LIST_ID, true},                            \
            {"RUN", "run", SS_LIST_ID, false},                                 \
            {"ATTEMPT", "attempt", SS_LIST_NUMBER, false},                     \
            {"WORKER", "worker", SS_LIST_TEXT, true},                          \
            {"SINCE", "since_ms", SS_LIST_AGO, false},                         \
        {                                                                      \
            "WHY", "reason", SS_LIST_TEXT, true                                \
        }                                                                      \
    }

// The answer to `tasks`, for people: those that are out, and a row for each
// node and reason of those that wait. Gives.
json_t *ss_waiting_rows(const json_t *answer);

#endif
