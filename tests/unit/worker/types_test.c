// types_test.c - what a body writes to a key is what the key was said to hold.
#include <check.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/value.h"
#include "tests/suite.h"
#include "tests/unit/worker/bench.h"

static const struct {
    const char *key;
    enum ss_type type;
    const char *says;
    const char *takes[4]; // JSON
} keys[] = {{"int", SS_INT, "a whole number", {"5", "-1"}},
    {"float", SS_FLOAT, "a number", {"5", "0.5"}},
    {"str", SS_STR, "a text", {"\"five\"", "\"\""}},
    {"bool", SS_BOOL, "true or false", {"true", "false"}},
    {"list", SS_LIST, "a list", {"[]", "[1]"}},
    {"dict", SS_DICT, "a map", {"{}", "{\"a\": 1, \"b\": 2}"}}};
enum { KEYS = sizeof(keys) / sizeof(*keys) };
// Of every type.
static const char *const always[] = {
    "null", "{\"__overwrite__\": 5}", "{\"$opaque\": \"AA==\"}"};

static struct bench b;
static const char *written_key;
static const char *written;

static int write_it(struct ss_task *task)
{
    json_t *value = json_loads(written, JSON_DECODE_ANY, NULL);
    return ss_update(task, json_pack("{s:o}", written_key, value));
}

static void define(struct ss_graph_def *graph)
{
    for (size_t i = 0; i < KEYS; i++)
        ss_key(graph, keys[i].key, keys[i].type);
    ss_key(graph, "any", SS_ANY);
    ss_key(graph, "sum", SS_INT, .reducer = SS_ADD);
    ss_node(graph, "work", write_it);
    ss_edge(graph, SS_START, "work");
}

// As applications call it that were built before types were looked at.
static void define_old(struct ss_graph_def *graph)
{
    ss_key_with(graph, "int", SS_INT, &(struct ss_key_options){0});
    ss_key_with(graph, "str", SS_STR, NULL);
    ss_node(graph, "work", write_it);
    ss_edge(graph, SS_START, "work");
}

static const char *told(const char *key, const char *value)
{
    written_key = key;
    written = value;
    bench_order(&b, "work", "{}");
    return bench_told(&b);
}

static void passes(const char *key, const char *value)
{
    const char *text = told(key, value);
    ck_assert_msg(strncmp(text, "done ", 5) == 0, "%s: %s", key, text);
}

static void end(void)
{
    bench_fini(&b);
}

static void begin(void)
{
    bench_init(&b, define);
}

START_TEST(each_type_takes_its_own_and_nothing_else)
{
    for (size_t i = 0; i < KEYS; i++)
        for (size_t k = 0; k < KEYS; k++)
            for (size_t v = 0; keys[k].takes[v]; v++) {
                const char *value = keys[k].takes[v];
                bool is_whole = strspn(value, "-0123456789") == strlen(value);
                bool is_number =
                    keys[i].type == SS_INT || keys[i].type == SS_FLOAT;
                if (i == k || (is_number && is_whole)) {
                    passes(keys[i].key, value);
                    continue;
                }
                const char *text = told(keys[i].key, value);
                char *start = ss_format(
                    "failed invalid_update (-): node \"work\": key \"%s\" "
                    "holds %s, and got ",
                    keys[i].key, keys[i].says);
                ck_assert_msg(strncmp(text, start, strlen(start)) == 0,
                    "%s: %s", start, text);
                ck_assert_uint_eq(b.outcome->writes.count, 0);
                ss_free(start);
            }
    ck_assert_str_eq(told("int", "\"five\""),
        "failed invalid_update (-): node \"work\": key \"int\" holds a whole "
        "number, and got a text: \"five\"");
}
END_TEST

START_TEST(null_and_marks_are_of_every_type)
{
    for (size_t i = 0; i < KEYS; i++)
        for (size_t k = 0; k < sizeof(always) / sizeof(*always); k++)
            passes(keys[i].key, always[k]);
}
END_TEST

START_TEST(any_takes_all_and_a_reducer_looks_itself)
{
    for (size_t i = 0; i < KEYS; i++)
        for (size_t v = 0; keys[i].takes[v]; v++) {
            passes("any", keys[i].takes[v]);
            passes("sum", keys[i].takes[v]);
        }
}
END_TEST

START_TEST(an_application_of_before_is_not_looked_at)
{
    bench_fini(&b);
    bench_init(&b, define_old);
    passes("int", "\"five\"");
    passes("str", "{\"name\": 5}");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("types");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, begin, end);
    tcase_add_test(all, each_type_takes_its_own_and_nothing_else);
    tcase_add_test(all, null_and_marks_are_of_every_type);
    tcase_add_test(all, any_takes_all_and_a_reducer_looks_itself);
    tcase_add_test(all, an_application_of_before_is_not_looked_at);
    suite_add_tcase(suite, all);
    return suite_main(suite);
}
