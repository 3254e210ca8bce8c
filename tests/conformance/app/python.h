// python.h - how Python sees JSON values: text, equality, order, truth.
//
// The reference that wrote the scenarios is a Python program, and they rely on
// its rules: 1 == 1.0 == True, "ab" < "b", str(0.5), json.dumps.
#ifndef SCENARIO_PYTHON_H
#define SCENARIO_PYTHON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

// Text that grows. Zero bytes are an empty one; free(text->data).
struct text {
    char *data; // ends with NUL once something was added
    size_t size;
    size_t capacity;
};

void text_add(struct text *text, const char *bytes, size_t size);
void text_str(struct text *text, const char *bytes);

// json.dumps(value, sort_keys=True): ", " and ": ", ASCII only. Gives (free).
char *python_dumps(const json_t *value);
// str(value) and repr(value). Append.
void python_str(struct text *text, const json_t *value);
void python_repr(struct text *text, const json_t *value);
// repr() of a float: the shortest text that reads back as it.
void python_float(double value, char ret_text[40]);

bool python_equal(const json_t *a, const json_t *b);
bool python_true(const json_t *value);
// -1, 0, 1; false in the result where Python raises TypeError.
bool python_compare(const json_t *a, const json_t *b, int *ret_order);
// A number or a boolean.
bool python_is_number(const json_t *value);
// An integer or a boolean, as an integer.
bool python_is_int(const json_t *value);
json_int_t python_int(const json_t *value);
double python_number(const json_t *value);

#endif
