// input.h - JSON and ages from the command line.
#ifndef SS_CLI_INPUT_H
#define SS_CLI_INPUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"

// JSON text, "@FILE", or "-" for standard input; `option` names it in errors.
// Gives *ret_json. SS_EFORMAT names line and column; SS_ELIMIT; SS_EIO.
int ss_cli_input(const char *option, const char *text, json_t **ret_json,
    struct ss_error *error) SS_MUST_USE;

// "ID=JSON" pairs as an object. Gives.
int ss_cli_input_pairs(const char *option, const char *const *pairs,
    size_t count, json_t **ret_json, struct ss_error *error) SS_MUST_USE;

// "a,b,c" as a list of texts, "*" as itself. Gives.
json_t *ss_cli_input_list(const char *text);

// "30d" in milliseconds; 0: none was given (`text` is NULL). `name`: of the
// option, without its dashes. False after an error was printed.
bool ss_cli_age(const char *name, const char *text, int64_t *ret_ms);

#endif
