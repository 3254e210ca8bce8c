// compare.h - the first place where two JSON values differ.
#ifndef CONFORMANCE_COMPARE_H
#define CONFORMANCE_COMPARE_H

#include <jansson.h>
#include <stdbool.h>

struct difference {
    char *path;       // "$[3].state.values.log[0]"
    json_t *expected; // borrowed; NULL: there should be nothing
    json_t *got;      // borrowed; NULL: there is nothing
};

// True if they differ somewhere that is not at or below a path of `allowed` (a
// list of texts, or NULL); then *ret_difference is the first such place. Free
// its path with ss_free().
bool compare(json_t *expected, json_t *got, json_t *allowed,
    struct difference *ret_difference);

#endif
