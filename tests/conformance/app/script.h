// script.h - runs the body of a scenario's node.
#ifndef SCENARIO_SCRIPT_H
#define SCENARIO_SCRIPT_H

#include <jansson.h>

#include "superstep/superstep.h"

struct script {
    json_t *body;         // list of statements; borrowed from the scenario
    const char *counters; // file; borrowed
};

// Give each `fail` statement under `json` (any part of a scenario) a number of
// its own, by which its failures are counted.
void script_number(json_t *json, json_int_t *next);

// The body of a node whose ss_ctx() is its struct script.
int script_node(struct ss_task *task);

// A value that a node may return, as ss_return() wants it: what only looks like
// a mark is quoted. Takes, gives.
json_t *script_returned(json_t *value);

#endif
