// compare.h - Python's idea of numbers, equality and order over JSON: true and
// false count as 1 and 0, whole numbers and fractions compare exactly.
#ifndef SS_MODEL_COMPARE_H
#define SS_MODEL_COMPARE_H

#include <jansson.h>
#include <stdbool.h>

// Whole numbers and booleans.
bool ss_as_integer(const json_t *json, json_int_t *ret_value);
bool ss_is_number(const json_t *json); // booleans too
double ss_as_real(const json_t *json); // of a number
// a == b, as Python says: 1, 1.0 and true are equal.
bool ss_same(const json_t *a, const json_t *b);
// *ret_order is below, at or above 0. False: these have no order. Numbers,
// texts (by code point) and lists (item by item) have one among their kind.
bool ss_compare(const json_t *a, const json_t *b, int *ret_order);
// "a list", "a text", ...
const char *ss_type_text(const json_t *json);

#endif
