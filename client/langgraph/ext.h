// ext.h - LangGraph's extension types: what class an extension is of, and what
// it holds. No object of a class is ever made here; its name is text.
//
//   code 0  [module, name, arg]                  set, UUID, Decimal, enums ...
//   code 1  [module, name, [arg...]]             Send, date, Path ...
//   code 2  [module, name, {field: value}]       Interrupt, Command, records
//   code 3  [module, name, arg, method]          datetime
//   code 4  [module, name, {field: value}]       old validated models
//   code 5  [module, name, {field: value}, ...]  messages, models
//   code 6  [dtype, shape, order, bytes]         numeric array
//   code 7  value                                snapshot of a delta channel
#ifndef SS_LANGGRAPH_EXT_H
#define SS_LANGGRAPH_EXT_H

#include <jansson.h>

#include "client/langgraph/limits.h"
#include "client/langgraph/msgpack.h"

enum ss_ext_code {
    SS_EXT_ARG = 0,
    SS_EXT_ARGS = 1,
    SS_EXT_FIELDS = 2,
    SS_EXT_METHOD = 3,
    SS_EXT_MODEL_OLD = 4,
    SS_EXT_MODEL = 5,
    SS_EXT_ARRAY = 6,
    SS_EXT_SNAPSHOT = 7,
};

struct ss_ext {
    enum ss_ext_code code;
    char module[SS_LANGGRAPH_CLASS_MAX];
    char name[SS_LANGGRAPH_CLASS_MAX];
    size_t count; // of elements: 3 or more
    // What the third element is, borrowed: one msgpack document and what
    // stands behind it.
    struct ss_msgpack_reader held;
};

// Whether a module or a class may have that name: short, of characters that a
// terminal shows.
bool ss_ext_is_name(const char *name);
// Codes 0 to 5. False: another code, or a payload of another shape.
bool ss_ext_open(const struct ss_msgpack_item *item, struct ss_ext *ret_ext);
// "module.Class" of any item, for people and for the list of what may be
// exported. The text is cut to its size and has no control characters.
void ss_ext_class(
    const struct ss_msgpack_item *item, char ret_class[SS_LANGGRAPH_CLASS_MAX]);

// The classes that an export may write: the safe list, and those that the user
// named ("*": all).
struct ss_ext_allowed {
    const char *const *classes;
    size_t count;
    // NULL, or an object: others are not refused, but put there, so that all of
    // them can be named at once.
    json_t *missing;
};

// Check that every extension within the document, at any depth, is allowed;
// SS_EDENIED names the first that is not. SS_EFORMAT, SS_ELIMIT: not a
// document, or too deep.
int ss_ext_check(const void *bytes, size_t size,
    const struct ss_ext_allowed *allowed, struct ss_error *error) SS_MUST_USE;
// The same for a class by its name.
int ss_ext_check_class(const char *name, const struct ss_ext_allowed *allowed,
    struct ss_error *error) SS_MUST_USE;

#endif
