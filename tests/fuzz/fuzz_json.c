// Any bytes are JSON or a status, the same that jansson says. What the quick
// check takes for JSON, the parser takes too; what was parsed says the same
// when it is written and read again.
#include <stdint.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/limits.h"
#include "common/model/value.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Both ways of writing, read again, are the same value.
static void there_and_back(const json_t *json)
{
    char *text = ss_json_text(json), *sorted = ss_json_canonical(json);
    json_t *again = NULL;
    ss_check(ss_json_parse(text, strlen(text), &again, NULL) == SS_OK);
    char *sorted_again = ss_json_canonical(again);
    ss_check(strcmp(sorted, sorted_again) == 0);
    json_decref(again);
    ss_free(text);
    ss_free(sorted);
    ss_free(sorted_again);
}

// Read as jansson reads it, but for what nests too deep or is too large.
static void as_jansson(const char *text, size_t size, const json_t *json)
{
    enum { HOW = JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(17) };
    json_t *theirs =
        json_loadb(text, size, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    bool is_ours_to_refuse = size > SS_VALUE_SIZE_MAX ||
                             ss_json_depth(text, size) > SS_VALUE_DEPTH_MAX;
    ss_check(is_ours_to_refuse || (json != NULL) == (theirs != NULL));
    if (json) {
        char *a = json_dumps(json, HOW), *b = json_dumps(theirs, HOW);
        ss_check(strcmp(a, b) == 0);
        ss_free(a);
        ss_free(b);
    }
    json_decref(theirs);
}

// A value of these bytes is valid where they are JSON.
static void as_value(const char *text, size_t size, bool is_json)
{
    struct ss_error error = {0};
    struct ss_value *value = ss_value_from_text(text, size);
    ss_check((ss_value_valid(value, &error) == SS_OK) == is_json);
    ss_check(is_json || error.message[0] != '\0');
    ss_check(is_json || !ss_value_is_null(value));
    ss_check(ss_value_json(value) != NULL);
    ss_value_unref(value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int is_set_up;
    if (!is_set_up++)
        ss_value_setup();
    const char *text = size > 0 ? (const char *)data : NULL;
    json_t *json = NULL;
    struct ss_error error = {0};
    bool is_checked = ss_json_check(text, size);
    int status = ss_json_parse(text, size, &json, &error);
    ss_check(!is_checked || status == SS_OK);
    if (size > 0)
        as_jansson(text, size, json);
    ss_check((status == SS_OK) == (json != NULL));
    ss_check(status == SS_OK || error.message[0] != '\0');
    if (json)
        there_and_back(json);
    as_value(text, size, status == SS_OK);
    json_decref(json);
    return 0;
}
