// answer_test.c - which answers fit which types; the expectations were read off
// the reference's validator (lax mode).
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/value.h"
#include "tests/suite.h"
#include "worker/task.h"

// What the body gets for `answer` (JSON text), as JSON text; "refused".
static const char *given(const char *type, const char *answer)
{
    static char text[128];
    json_t *json = json_loads(answer, JSON_DECODE_ANY, NULL);
    json_t *value;
    ck_assert_ptr_nonnull(json);
    snprintf(text, sizeof(text), "refused");
    if (ss_answer_fits(type, json, &value)) {
        char *encoded = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
        snprintf(text, sizeof(text), "%s", encoded);
        ss_free(encoded);
        json_decref(value);
    }
    json_decref(json);
    return text;
}

struct row {
    const char *answer;
    const char *given;
};

static void check_rows(const char *type, const struct row *rows)
{
    for (; rows->answer; rows++) {
        const char *got = given(type, rows->answer);
        ck_assert_msg(strcmp(got, rows->given) == 0, "%s as %s: %s, not %s",
            rows->answer, type, got, rows->given);
    }
}

START_TEST(integers_are_read_from_whole_numbers_and_their_texts)
{
    static const struct row rows[] = {{"5", "5"}, {"\"5\"", "5"},
        {"\"5.0\"", "5"}, {"\"5.5\"", "refused"}, {"\"5e0\"", "refused"},
        {"\" 5 \"", "5"}, {"\"+5\"", "5"}, {"\"1_000\"", "1000"},
        {"\"1__0\"", "refused"}, {"\"_1\"", "refused"}, {"5.0", "5"},
        {"5.5", "refused"}, {"true", "1"}, {"false", "0"},
        {"\"yes\"", "refused"}, {"\"\"", "refused"}, {"\"-0\"", "0"},
        {"\"1e3\"", "refused"}, {"\".5\"", "refused"}, {"\"5.\"", "refused"},
        {"\"00012\"", "12"}, {"1e300", "refused"}, {"\"0x10\"", "refused"},
        {"[1]", "refused"}, {"{}", "refused"},
        {"\"99999999999999999999\"", "refused"}, {NULL, NULL}};
    check_rows("integer", rows);
}
END_TEST

START_TEST(numbers_are_read_from_numbers_and_their_texts)
{
    static const struct row rows[] = {{"5", "5.0"}, {"\"5\"", "5.0"},
        {"\"5.5\"", "5.5"}, {"\"5e0\"", "5.0"}, {"\" 5 \"", "5.0"},
        {"\"1_000\"", "1000.0"}, {"5.5", "5.5"}, {"true", "1.0"},
        {"\"yes\"", "refused"}, {"\"\"", "refused"}, {"\"1e3\"", "1000.0"},
        {"\".5\"", "0.5"}, {"\"5.\"", "5.0"}, {"\"0x10\"", "refused"},
        {"\"1e999\"", "refused"}, {"[1]", "refused"}, {NULL, NULL}};
    check_rows("number", rows);
}
END_TEST

START_TEST(booleans_are_read_from_yes_and_no)
{
    static const struct row rows[] = {{"true", "true"}, {"1", "true"},
        {"0", "false"}, {"2", "refused"}, {"1.0", "true"}, {"0.5", "refused"},
        {"\"yes\"", "true"}, {"\"YES\"", "true"}, {"\" yes\"", "refused"},
        {"\"1\"", "true"}, {"\"off\"", "false"}, {"\"f\"", "false"},
        {"\"\"", "refused"}, {"-1", "refused"}, {"[]", "refused"},
        {NULL, NULL}};
    check_rows("boolean", rows);
}
END_TEST

START_TEST(texts_are_texts_only)
{
    static const struct row rows[] = {{"\"5\"", "\"5\""}, {"5", "refused"},
        {"true", "refused"}, {"\"\"", "\"\""}, {NULL, NULL}};
    check_rows("string", rows);
}
END_TEST

START_TEST(without_a_type_everything_fits)
{
    ck_assert_str_eq(given(NULL, "[1]"), "[1]");
    ck_assert_str_eq(given("object", "5"), "5");
}
END_TEST

int main(void)
{
    ss_value_setup();
    Suite *suite = suite_create("answer");
    TCase *tcase = tcase_create("answer");
    tcase_add_test(tcase, integers_are_read_from_whole_numbers_and_their_texts);
    tcase_add_test(tcase, numbers_are_read_from_numbers_and_their_texts);
    tcase_add_test(tcase, booleans_are_read_from_yes_and_no);
    tcase_add_test(tcase, texts_are_texts_only);
    tcase_add_test(tcase, without_a_type_everything_fits);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
