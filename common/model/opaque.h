// opaque.h - values of another system that are not plain data, as marks.
//
//   {"$typed": [code, module, class, argument]}, or with a method behind: what
//     LangGraph's own extensions hold (client/langgraph/ext.h), in JSON
//   {"$opaque": {"class": "numpy.ndarray", "tag": "msgpack", "data": base64}}:
//     what is no JSON either, as its bytes
//
// A mark is carried wherever a value goes, and the engine never looks into it:
// code that has to look into a value refuses the mark and names its class
// (spec/engine.md R13.25). An import makes marks; an export makes the same
// bytes from them again.
#ifndef SS_MODEL_OPAQUE_H
#define SS_MODEL_OPAQUE_H

#include <jansson.h>
#include <stdbool.h>

#include "common/base/status.h"

#define SS_NAME_OPAQUE "$opaque"
#define SS_NAME_TYPED  "$typed"

// The parts of a $typed mark, all borrowed.
struct ss_typed {
    int code;
    const char *module;
    const char *name;
    json_t *arg;
    const char *method; // or NULL
};
// False: it is not such a mark.
bool ss_typed_open(const json_t *json, struct ss_typed *ret_typed);

// The class of an $opaque mark, borrowed; NULL: it is not one.
const char *ss_opaque_class(const json_t *json);
// Whether it is a mark of either kind.
bool ss_mark_is(const json_t *json);
// Its class, as "decimal.Decimal"; NULL: it is not a mark. Gives.
char *ss_mark_class(const json_t *json);
// SS_EINVAL, "WHAT: a decimal.Decimal of ... cannot be looked into", if `json`
// is a mark.
int ss_opaque_refuse(
    const json_t *json, const char *what, struct ss_error *error) SS_MUST_USE;

#endif
