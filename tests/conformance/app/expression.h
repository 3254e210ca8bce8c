// expression.h - the expressions of a scenario, by the rules of Python.
//
// JSON stands for itself, but a map with one key that begins with `$`: see
// conformance/FORMAT in the docs of the corpus, "Expressions".
#ifndef SCENARIO_EXPRESSION_H
#define SCENARIO_EXPRESSION_H

#include <jansson.h>
#include <stdbool.h>

struct scope {
    json_t *input; // borrowed; NULL stands for an empty map
    json_t *vars;  // object of what `let` set; owned
    // The name of the error that stopped the evaluation, or NULL.
    const char *failed;
};

void scope_init(struct scope *scope, json_t *input);
void scope_fini(struct scope *scope);

// The value of `expression`. Gives, or NULL: scope->failed says why, as
// "invalid_argument" where Python raises a TypeError or ValueError.
json_t *expression_value(struct scope *scope, json_t *expression);
// What stands at a path "a.b.0" in a value; "" is all of it. Gives; null where
// there is nothing, NULL as above.
json_t *expression_dig(struct scope *scope, json_t *value, const char *path);

// One message of any form as the map that stands for a message object. Gives;
// NULL if it is none.
json_t *message_map(json_t *like);

#endif
