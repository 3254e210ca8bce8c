// request.h - what one client asks, read once where it comes in: who serves it
// reads members, and no JSON by name.
#ifndef SS_MODEL_REQUEST_H
#define SS_MODEL_REQUEST_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/model/requests.h"

// Each key of requests.def; it is of one type in all requests.
#define SS_REQUEST_MAP(X)                                                      \
    X(TEXT, action)                                                            \
    X(TEXT, after)                                                             \
    X(INT, age_min_ms)                                                         \
    X(INT, age_ms)                                                             \
    X(FLAG, all)                                                               \
    X(TEXT, before)                                                            \
    X(INT, begun_max)                                                          \
    X(TEXT, by)                                                                \
    X(TEXT, checkpoint_id)                                                     \
    X(OBJECT, checkpoint_map)                                                  \
    X(TEXT, checkpoint_ns)                                                     \
    X(LIST, checkpoints)                                                       \
    X(OBJECT, command)                                                         \
    X(OBJECT, config)                                                          \
    X(ANY, context)                                                            \
    X(OBJECT, description)                                                     \
    X(FLAG, detach)                                                            \
    X(TEXT, durability)                                                        \
    X(TEXT, each)                                                              \
    X(FLAG, expired)                                                           \
    X(OBJECT, facts)                                                           \
    X(OBJECT, filter)                                                          \
    X(INT, from)                                                               \
    X(TEXT, graph)                                                             \
    X(INT, idle_ms)                                                            \
    X(TEXT, if_absent)                                                         \
    X(TEXT, if_busy)                                                           \
    X(TEXT, if_exists)                                                         \
    X(ANY, input)                                                              \
    X(NAMES, interrupt_after)                                                  \
    X(NAMES, interrupt_before)                                                 \
    X(FLAG, keep_waiting)                                                      \
    X(TEXT, key)                                                               \
    X(INT, limit)                                                              \
    X(INT, max_concurrency)                                                    \
    X(OBJECT, metadata)                                                        \
    X(FLAG, more)                                                              \
    X(TEXT, name)                                                              \
    X(NAMES, nodes)                                                            \
    X(TEXT, order)                                                             \
    X(NAMES, output_keys)                                                      \
    X(INT, per_ms)                                                             \
    X(TEXT, prefix)                                                            \
    X(INT, priority)                                                           \
    X(TEXT, reason)                                                            \
    X(INT, recursion_limit)                                                    \
    X(TEXT, run)                                                               \
    X(OBJECT, seen)                                                            \
    X(TEXT, status)                                                            \
    X(NAMES, stream)                                                           \
    X(FLAG, strict_resume)                                                     \
    X(FLAG, styles)                                                            \
    X(FLAG, subgraphs)                                                         \
    X(LIST, supersteps)                                                        \
    X(INT, tasks_max)                                                          \
    X(TEXT, thread)                                                            \
    X(TEXT, to)                                                                \
    X(TEXT, version)                                                           \
    X(TEXT, what)                                                              \
    X(TEXT, worker)                                                            \
    X(ANY, xray)

// How a type is kept. What is of another type is none of it, but for a list, a
// name or names and an object: those stay as they were said, in a row of an
// older version, too, for who serves them to judge.
#define SS_REQUEST_TEXT   const char * // NULL: no text was said
#define SS_REQUEST_INT    json_int_t   // SS_REQUEST_NO_INT: no integer was
#define SS_REQUEST_FLAG   bool
#define SS_REQUEST_LIST   json_t * // NULL: nothing was
#define SS_REQUEST_NAMES  json_t * // a list of texts, or one text
#define SS_REQUEST_OBJECT json_t *
#define SS_REQUEST_ANY    json_t *

#define SS_REQUEST_NO_INT INT64_MIN

// Nobody changes it, so whoever keeps it keeps a reference.
struct ss_request {
    size_t references;
    enum ss_op op;
    char *peer;      // who asks; NULL: nobody does, it is read from a row
    uint64_t id;     // the peer's number for it
    char *signed_by; // the name of the peer's key; NULL: it has none
    bool is_alone;   // nobody hears what comes before its answer
    json_t *body;    // all that was said: an object
    char *unknown;   // a key of the body that the op does not take; or NULL
    // A key that holds what is not of its type; or NULL. Static.
    const char *mistyped;
    // What the body says, borrowed from it.
#define X(type, key) SS_REQUEST_##type key;
    SS_REQUEST_MAP(X)
#undef X
    // Which keys the body has, whatever they hold.
    struct {
#define X(type, key) bool key;
        SS_REQUEST_MAP(X)
#undef X
    } has;
};

// Read an object. Borrows all. Gives.
struct ss_request *ss_request_new(enum ss_op op, const char *peer, uint64_t id,
    const char *signed_by, json_t *body);
struct ss_request *ss_request_ref(const struct ss_request *request);
void ss_request_unref(const struct ss_request *request);
// What to tell whoever asks about the first key that it does not take, or that
// holds what is not of its type; NULL: all is as it is to be. Gives.
char *ss_request_fault(const struct ss_request *request);
// What it asks for: the name of its op.
const char *ss_request_name(const struct ss_request *request);
// An integer that was said, or `otherwise`.
json_int_t ss_request_int(json_int_t said, json_int_t otherwise);

#endif
