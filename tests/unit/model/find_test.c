// What is looked for is read from a request, judged by records, and copied with
// all that it owns.
#include "common/model/find.h"

#include <string.h>

#include "common/base/mem.h"
#include "tests/unit/model/help.h"

static int64_t now_us = 5000000;

static int read(enum ss_op op, const char *body, struct ss_find *ret,
    struct ss_error *error)
{
    json_t *json = json_loads(body, 0, NULL);
    struct ss_request *request = ss_request_new(op, "ann", 1, NULL, json);
    int status = ss_find_read(request, now_us, ret, error);
    ss_request_unref(request);
    json_decref(json);
    return status;
}

static struct ss_find find_of(enum ss_op op, const char *body)
{
    struct ss_find find, copy;
    struct ss_error error;
    int status = read(op, body, &find, &error);
    ck_assert_msg(status == SS_OK, "%s", error.message);
    ss_find_copy(&find, &copy);
    ss_find_fini(&find);
    return copy;
}

START_TEST(ages_are_counted_from_now)
{
    struct ss_find find = find_of(SS_OP_RUNS, "{}");
    ck_assert_int_eq(find.since_us, 0);
    ck_assert_int_eq(find.until_us, INT64_MAX);
    ck_assert(!ss_find_is_picky(&find));
    ss_find_fini(&find);
    find = find_of(SS_OP_RUNS, "{\"age_ms\": 2000, \"age_min_ms\": 500}");
    ck_assert_int_eq(find.since_us, 3000000);
    ck_assert_int_eq(find.until_us, 4500000);
    ck_assert(ss_find_is_picky(&find));
    ss_find_fini(&find);
    // Longer ago than there was time, and not at all.
    find = find_of(
        SS_OP_RUNS, "{\"age_ms\": 9223372036854775807, \"age_min_ms\": -1}");
    ck_assert_int_eq(find.since_us, 0);
    ck_assert_int_eq(find.until_us, now_us);
    ss_find_fini(&find);
}
END_TEST

START_TEST(a_place_is_read_as_it_was_written)
{
    char *place = ss_find_place(1732749000123456, "a/b|c");
    ck_assert_str_eq(place, "1732749000123456/a/b|c");
    json_t *body = json_pack("{s:s, s:s}", "order", "newest", "after", place);
    char *text = json_dumps(body, 0);
    struct ss_find find = find_of(SS_OP_RUNS, text);
    ck_assert_str_eq(find.after, "a/b|c");
    ck_assert_int_eq(find.after_us, 1732749000123456);
    ss_find_fini(&find);
    free(text);
    json_decref(body);
    ss_free(place);
}
END_TEST

static void is_no_place(const char *after)
{
    struct ss_find find;
    struct ss_error error = {0};
    char *body = ss_format("{\"order\": \"newest\", \"after\": \"%s\"}", after);
    ck_assert_int_eq(read(SS_OP_THREADS, body, &find, &error), SS_EINVAL);
    ss_find_fini(&find);
    ss_free(body);
}

START_TEST(what_is_no_place_is_refused)
{
    is_no_place("");
    is_no_place("t");
    is_no_place("12");
    is_no_place("12/");
    is_no_place("/t");
    is_no_place("-1/t");
    is_no_place("9999999999999999999/t"); // no time that there is
}
END_TEST

START_TEST(a_thread_stands_as_its_index_says)
{
    json_t *failed = json_pack("{s:s}", "status", "failed");
    json_t *silent = json_object();
    ck_assert_str_eq(ss_find_status(true, "failed", failed), "failed");
    ck_assert_str_eq(ss_find_status(true, "running", failed), "running");
    // An older program ran it, and left the word.
    ck_assert_str_eq(ss_find_status(true, NULL, failed), "idle");
    ck_assert_ptr_null(ss_find_status(true, NULL, silent));
    ck_assert_str_eq(ss_find_status(false, "t", failed), "failed");
    json_decref(failed);
    json_decref(silent);
}
END_TEST

static bool fits(const char *wanted, const char *record)
{
    struct ss_find find = find_of(SS_OP_RUNS, wanted);
    json_t *json = json_loads(record, 0, NULL);
    bool does = ss_find_fits(&find, NULL, json);
    json_decref(json);
    ss_find_fini(&find);
    return does;
}

START_TEST(all_pairs_must_be_there_and_of_the_same_type)
{
    const char *record = "{\"metadata\": {\"a\": 1, \"b\": {\"c\": [2]}}}";
    ck_assert(fits("{\"metadata\": {}}", record));
    ck_assert(fits("{\"metadata\": {\"a\": 1}}", record));
    ck_assert(fits("{\"metadata\": {\"a\": 1, \"b\": {\"c\": [2]}}}", record));
    ck_assert(!fits("{\"metadata\": {\"a\": \"1\"}}", record));
    ck_assert(!fits("{\"metadata\": {\"a\": 1, \"d\": null}}", record));
    ck_assert(!fits("{\"metadata\": {\"a\": 1}}", "{}"));
}
END_TEST

START_TEST(what_a_thread_says_itself_goes_before_what_its_run_said)
{
    const char *record = "{\"own\": {\"a\": 1, \"n\": null}, \"metadata\":"
                         " {\"a\": 2, \"b\": 3, \"n\": 4}}";
    ck_assert(fits("{\"metadata\": {\"a\": 1, \"b\": 3}}", record));
    ck_assert(!fits("{\"metadata\": {\"a\": 2}}", record));
    ck_assert(!fits("{\"metadata\": {\"n\": 4}}", record));
}
END_TEST

START_TEST(what_is_too_long_to_be_searched_may_fit)
{
    static const struct {
        const char *wanted, *record;
        bool may;
    } all[] = {
        {"{\"metadata\": {\"a\": 1}}", "{\"metadata_is_long\": true}", 1},
        {"{\"metadata\": {\"a\": 1}}", "{}", 0},
        {"{\"metadata\": {\"a\": 1}, \"graph\": \"g\"}",
            "{\"metadata_is_long\": true, \"graph\": \"h\"}", 0},
        {"{\"graph\": \"g\"}", "{\"metadata_is_long\": true, \"graph\": \"h\"}",
            0}};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        struct ss_find find = find_of(SS_OP_RUNS, all[i].wanted);
        json_t *record = json_loads(all[i].record, 0, NULL);
        ck_assert_msg(
            ss_find_may_fit(&find, NULL, record) == all[i].may, "%zu", i);
        json_decref(record);
        ss_find_fini(&find);
    }
}
END_TEST

START_TEST(a_record_without_the_words_is_none_of_those)
{
    static const struct {
        const char *wanted, *record;
        bool none;
    } all[] = {{"{}", "{}", 0}, {"{\"graph\": \"g\"}", "{\"graph\":\"g\"}", 0},
        {"{\"graph\": \"g\"}", "{\"graph\":\"gg\",\"a\":\"xg\"}", 1},
        {"{\"graph\": \"g\"}", "{\"graph\":\"h\",\"g", 1},
        {"{\"graph\": \"\\u00e9\"}", "{}", 0}, // perhaps with escapes
        {"{\"graph\": \"a\\\"b\"}", "{}", 0},
        {"{\"metadata\": {\"user\": 1, \"try\": 2}}",
            "{\"metadata\":{\"user\":1}}", 1},
        {"{\"metadata\": {\"user\": 1, \"try\": 2}}",
            "{\"own\":{\"user\":1},\"metadata\":{\"try\":3}}", 0},
        {"{\"metadata\": {\"user\": 1}}", "{\"metadata_is_long\":true}", 0},
        {"{\"metadata\": {\"user\": \"ann\"}}",
            "{\"metadata\":{\"user\":\"bob\"}}", 1},
        {"{\"metadata\": {\"user\": \"ann\"}}",
            "{\"metadata\":{\"user\":\"ann\"}}", 0},
        {"{\"metadata\": {\"\": 1}}", "{}", 0}};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        struct ss_find find = find_of(SS_OP_RUNS, all[i].wanted);
        ck_assert_msg(ss_find_is_none(&find, all[i].record,
                          strlen(all[i].record)) == all[i].none,
            "%zu", i);
        ss_find_fini(&find);
    }
}
END_TEST

static struct ss_find_marks marks_of(const char *record)
{
    struct ss_find_marks marks;
    ss_find_marks_read(record, strlen(record), &marks);
    return marks;
}

// The number of the one pair that the record has.
static int64_t pair_of(const char *record)
{
    struct ss_find_marks marks = marks_of(record);
    ck_assert_uint_eq(marks.pairs_count, 1);
    int64_t pair = marks.pairs[0];
    ss_find_marks_fini(&marks);
    return pair;
}

START_TEST(equal_pairs_have_one_number_and_others_another)
{
    static const char *const same[][2] = {
        {"{\"metadata\":{\"a\":{\"b\":1,\"c\":[2]}}}",
            "{\"own\":{\"a\":{\"c\":[2],\"b\":1}}}"},
        {"{\"metadata\":{\"a\":\"x\"}}",
            "{\"own\":{\"a\":\"x\"},\"metadata\":{\"a\":\"y\"}}"},
        {"{\"metadata\":{\"a\":0.0}}", "{\"metadata\":{\"a\":-0.0}}"}};
    static const char *const others[] = {"{\"metadata\":{\"a\":1}}",
        "{\"metadata\":{\"a\":1.0}}", "{\"metadata\":{\"a\":\"1\"}}",
        "{\"metadata\":{\"b\":1}}", "{\"metadata\":{\"a\":[1]}}",
        "{\"metadata\":{\"a\":null}}", "{\"metadata_is_long\":true}"};
    for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++)
        ck_assert_int_eq(pair_of(same[i][0]), pair_of(same[i][1]));
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        for (size_t j = 0; j < i; j++)
            ck_assert_int_ne(pair_of(others[i]), pair_of(others[j]));
    ck_assert_int_eq(pair_of(others[6]), SS_FIND_UNSEARCHED);
}
END_TEST

START_TEST(what_is_looked_for_has_the_marks_of_what_is_found)
{
    struct ss_find find =
        find_of(SS_OP_THREADS, "{\"graph\": \"g\", \"metadata\": {\"a\": 1}}");
    struct ss_find_marks wanted;
    struct ss_find_marks marks =
        marks_of("{\"graph\":\"g\",\"own\":{\"a\":1,\"b\":2}}");
    ss_find_marks_of(&find, &wanted);
    ck_assert_str_eq(wanted.graph, marks.graph);
    ck_assert_uint_eq(wanted.pairs_count, 1);
    ck_assert_uint_eq(marks.pairs_count, 2);
    ck_assert(
        wanted.pairs[0] == marks.pairs[0] || wanted.pairs[0] == marks.pairs[1]);
    ss_find_marks_fini(&marks);
    ss_find_marks_fini(&wanted);
    ss_find_fini(&find);
    // Members of members are not marks of it, and nothing is read beyond the
    // end.
    static const char record[] =
        "{\"error\":{\"message\":\"a \\\"graph\\\":\\\"x\\\" }, "
        "\",\"graph\":\"no\","
        "\"list\":[{\"own\":{\"c\":1}},\"]\"]},\"graph\" : \"g\\u00e9\\\"\","
        "\"metadata\":{\"own\":{\"d\":\"}\"}},\"keyed\":true}";
    marks = marks_of(record);
    ck_assert_str_eq(marks.graph, "g\xc3\xa9\"");
    ck_assert_uint_eq(marks.pairs_count, 1);
    ck_assert_int_eq(
        marks.pairs[0], pair_of("{\"metadata\":{\"own\":{\"d\":\"}\"}}}"));
    ss_find_marks_fini(&marks);
    for (size_t size = 0; size < strlen(record); size++) {
        char *part = ss_memdup(record, size);
        ss_find_marks_read(part, size, &marks);
        ss_find_marks_fini(&marks);
        ss_free(part);
    }
    marks = marks_of("no JSON");
    ck_assert_ptr_null(marks.graph);
    ck_assert_uint_eq(marks.pairs_count, 0);
    ss_find_marks_fini(&marks);
}
END_TEST

START_TEST(a_thread_is_as_old_as_its_last_change)
{
    json_t *record = json_pack("{s:i, s:i}", "created_us", 3, "updated_us", 7);
    ck_assert_int_eq(ss_find_at_us(true, record), 7);
    ck_assert_int_eq(ss_find_at_us(false, record), 3);
    json_object_del(record, "updated_us");
    ck_assert_int_eq(ss_find_at_us(true, record), 3);
    ck_assert_int_eq(ss_find_at_us(true, NULL), 0);
    json_decref(record);
}
END_TEST

START_TEST(the_newest_is_first_and_of_one_time_the_first_key)
{
    ck_assert_int_lt(ss_find_order(2, "b", 1, "a"), 0);
    ck_assert_int_gt(ss_find_order(1, "a", 2, "b"), 0);
    ck_assert_int_lt(ss_find_order(1, "a", 1, "b"), 0);
    ck_assert_int_eq(ss_find_order(1, "a", 1, "a"), 0);
}
END_TEST

RUN("find", ages_are_counted_from_now, a_place_is_read_as_it_was_written,
    what_is_no_place_is_refused, a_thread_stands_as_its_index_says,
    all_pairs_must_be_there_and_of_the_same_type,
    what_a_thread_says_itself_goes_before_what_its_run_said,
    what_is_too_long_to_be_searched_may_fit,
    a_record_without_the_words_is_none_of_those,
    equal_pairs_have_one_number_and_others_another,
    what_is_looked_for_has_the_marks_of_what_is_found,
    a_thread_is_as_old_as_its_last_change,
    the_newest_is_first_and_of_one_time_the_first_key)
