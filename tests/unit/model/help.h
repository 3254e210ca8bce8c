// help.h - what the tests of the model share: JSON written with single quotes,
// comparing, and running a suite.
#ifndef SS_TESTS_UNIT_MODEL_HELP_H
#define SS_TESTS_UNIT_MODEL_HELP_H

#include <check.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/graph.h"
#include "common/model/value.h"
#include "tests/suite.h"

// JSON text with ' for ". Gives.
static inline json_t *js(const char *text)
{
    char *copy = ss_strdup(text);
    for (char *c = copy; *c; c++)
        if (*c == '\'')
            *c = '"';
    json_t *json = NULL;
    struct ss_error error;
    int status = ss_json_parse(copy, strlen(copy), &json, &error);
    if (status != SS_OK)
        ck_abort_msg("%s in %s", error.message, text);
    ss_free(copy);
    return json;
}

// Takes `json`. Keys may stand in any order.
static inline void expect_json(json_t *json, const char *expected)
{
    json_t *wanted = js(expected);
    char *is = json ? ss_json_canonical(json) : ss_strdup("(nothing)");
    char *should = ss_json_canonical(wanted);
    ck_assert_str_eq(is, should);
    ss_free(is);
    ss_free(should);
    json_decref(wanted);
    json_decref(json);
}

static inline struct ss_value *value_of(const char *text)
{
    return ss_value_new(js(text));
}

static inline struct ss_graph *compile(const char *text)
{
    json_t *description = js(text);
    struct ss_graph *graph = NULL;
    struct ss_error error;
    int status = ss_graph_compile(description, &graph, &error);
    if (status != SS_OK)
        ck_abort_msg("%s", error.message);
    json_decref(description);
    return graph;
}

// The graph is refused with `status`, and the message holds `words`.
static inline void expect_refused(
    const char *text, int status, const char *words)
{
    json_t *description = js(text);
    struct ss_graph *graph = NULL;
    struct ss_error error = {0};
    ck_assert_int_eq(ss_graph_compile(description, &graph, &error), status);
    ck_assert_ptr_null(graph);
    if (!strstr(error.message, words))
        ck_abort_msg("\"%s\" says nothing of \"%s\"", error.message, words);
    json_decref(description);
}

static inline int run_suite(
    const char *name, const TTest *const *tests, size_t count)
{
    Suite *suite = suite_create(name);
    TCase *tcase = tcase_create(name);
    tcase_add_unchecked_fixture(tcase, ss_value_setup, NULL);
    for (size_t i = 0; i < count; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}

#define RUN(name, ...)                                                         \
    int main(void)                                                             \
    {                                                                          \
        const TTest *const tests[] = {__VA_ARGS__};                            \
        return run_suite(name, tests, sizeof(tests) / sizeof(*tests));         \
    }

#endif
