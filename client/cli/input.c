// input.c - JSON from the command line, from files and from standard input;
// and ages.
#include "client/cli/input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/cli.h"
#include "common/base/buf.h"
#include "common/base/mem.h"
#include "common/model/limits.h"
#include "common/model/value.h"

enum { CHUNK_SIZE = 65536 };

static int read_all(FILE *file, struct ss_buf *buf)
{
    char chunk[CHUNK_SIZE];
    size_t size;
    while ((size = fread(chunk, 1, sizeof(chunk), file)) > 0)
        if (ss_buf_add(buf, chunk, size) != SS_OK)
            return SS_ELIMIT;
    return ferror(file) ? SS_EIO : SS_OK;
}

// Editors on other systems begin a file with the mark of UTF-8.
static int parse(
    const char *text, size_t size, json_t **ret_json, struct ss_error *error)
{
    static const char mark[] = "\xEF\xBB\xBF";
    const size_t skipped =
        size >= 3 && memcmp(text, mark, 3) == 0 ? sizeof(mark) - 1 : 0;
    return ss_json_parse(text + skipped, size - skipped, ret_json, error);
}

static int from_file(
    FILE *file, const char *name, json_t **ret_json, struct ss_error *error)
{
    struct ss_buf buf;
    const unsigned size_max = SS_VALUE_SIZE_MAX;
    ss_buf_init(&buf, size_max);
    errno = 0;
    int status = read_all(file, &buf);
    if (status == SS_ELIMIT)
        ss_error_set(error, status,
            "%s is larger than %u MB, which is the limit of one input", name,
            size_max >> 20);
    else if (status != SS_OK)
        ss_error_set(
            error, status, "cannot read %s: %s", name, strerror(errno));
    else if ((status = parse(ss_buf_str(&buf), buf.size, ret_json, error)) !=
             SS_OK)
        ss_error_wrap(error, "%s", name);
    ss_buf_fini(&buf);
    return status;
}

// What was meant by what is no JSON: "" where nobody knows.
static const char *meant_by(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const char *const of_python[] = {"True", "False", "None"};
    for (size_t i = 0; i < sizeof(of_python) / sizeof(*of_python); i++)
        if (strcmp(text, of_python[i]) == 0)
            return ". JSON writes true, false and null";
    if (access(text, R_OK) == 0)
        return ". There is a file of that name: write @ in front of it";
    if (*text && strchr(letters, *text) && strchr(text, '='))
        return ". JSON writes it as '{\"name\": \"Ada\"}'";
    if (*text == '{' && !strpbrk(text, "\"'") && strlen(text) > 2)
        return ". Names and texts stand in double quotes: '{\"name\": "
               "\"Ada\"}'";
    if (*text && strchr(letters, *text) && !strpbrk(text, "{}[]\":"))
        return ". A text stands in quotes, as '\"yes\"'";
    if (strchr(text, '\'') && !strchr(text, '"'))
        return ". JSON has double quotes: '{\"name\": \"Ada\"}'";
    return "";
}

int ss_cli_input(const char *option, const char *text, json_t **ret_json,
    struct ss_error *error)
{
    int status;
    if (strcmp(text, "-") == 0)
        return from_file(stdin, "standard input", ret_json, error);
    if (text[0] == '@') {
        if (!text[1])
            return ss_error_set(error, SS_EINVAL,
                "%s: the name of a file is missing behind @", option);
        FILE *file = fopen(text + 1, "rb");
        if (!file)
            return ss_error_set(
                error, SS_EIO, "cannot read %s: %s", text + 1, strerror(errno));
        status = from_file(file, text + 1, ret_json, error);
        fclose(file);
        return status;
    }
    status = parse(text, strlen(text), ret_json, error);
    if (status == SS_OK)
        return SS_OK;
    struct ss_error why = *error;
    return ss_error_set(
        error, status, "%s: %s%s", option, why.message, meant_by(text));
}

int ss_cli_input_pairs(const char *option, const char *const *pairs,
    size_t count, json_t **ret_json, struct ss_error *error)
{
    json_t *object = json_object();
    for (size_t i = 0; i < count; i++) {
        const char *equals = strchr(pairs[i], '=');
        json_t *value = NULL;
        int status = SS_EINVAL;
        if (equals && equals > pairs[i])
            status = ss_cli_input(option, equals + 1, &value, error);
        else
            ss_error_set(error, status, "%s takes ID=JSON, not \"%.100s\"",
                option, pairs[i]);
        if (status != SS_OK) {
            json_decref(object);
            return status;
        }
        char *id = ss_memdup(pairs[i], (size_t)(equals - pairs[i]));
        json_object_set_new(object, id, value);
        ss_free(id);
    }
    *ret_json = object;
    return SS_OK;
}

json_t *ss_cli_input_list(const char *text)
{
    if (strcmp(text, "*") == 0)
        return json_string("*");
    json_t *list = json_array();
    while (*text) {
        size_t size = strcspn(text, ",");
        if (size > 0)
            json_array_append_new(list, json_stringn(text, size));
        text += size + (text[size] == ',');
    }
    return list;
}

bool ss_cli_age(const char *name, const char *text, int64_t *ret_ms)
{
    static const struct {
        char letter;
        int64_t ms;
    } units[] = {{'s', 1000}, {'m', 60000}, {'h', 3600000}, {'d', 86400000}};
    *ret_ms = 0;
    if (!text)
        return true;
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
        if (errno == 0 && end != text && number > 0 &&
            *end == units[i].letter && end[1] == '\0' &&
            number <= INT64_MAX / 1000 / units[i].ms) {
            *ret_ms = number * units[i].ms;
            return true;
        }
    ss_cli_usage("--%s wants a time: a number with s, m, h or d, such as 30d, "
                 "not \"%.40s\"",
        name, text);
    return false;
}
