// typed_test.c - what C reads of values that are objects of classes.
#include <check.h>
#include <stdlib.h>
#include <superstep/superstep.h>

#include "tests/unit/model/help.h"

#define DATETIME(text)                                                         \
    "{'$typed': [3, 'datetime', 'datetime', '" text "', 'fromisoformat']}"

static void reads_time(const char *value, int64_t expected)
{
    json_t *json = js(value);
    int64_t us = 0;
    if (!ss_typed_time(json, &us))
        ck_abort_msg("%s is not a time", value);
    if (us != expected)
        ck_abort_msg("%s is %lld", value, (long long)us);
    json_decref(json);
}

static void reads_no_time(const char *value)
{
    json_t *json = js(value);
    int64_t us = 7;
    ck_assert(!ss_typed_time(json, &us));
    ck_assert_int_eq(us, 7);
    json_decref(json);
}

START_TEST(a_node_reads_dates_and_times)
{
    reads_time(DATETIME("1970-01-01T00:00:01+00:00"), 1000000);
    reads_time(DATETIME("1970-01-01T01:00:00.000002+01:00"), 2);
    reads_time(DATETIME("1970-01-01T00:00:01"), 1000000);
    reads_time("{'$typed': [1, 'datetime', 'date', [1970, 1, 2]]}",
        (int64_t)86400 * 1000000);
    reads_time("{'$typed': [2, 'datetime', 'time', {'hour': 1, 'minute': 2,"
               " 'second': 3, 'microsecond': 4, 'tzinfo': null, 'fold': 0}]}",
        (int64_t)3723 * 1000000 + 4);
    reads_time("{'$typed': [1, 'datetime', 'timedelta', [-1, 86399, 5]]}",
        -1000000 + 5);
    reads_no_time(DATETIME("soon"));
    reads_no_time("'1970-01-01T00:00:01'");
    reads_no_time("{'$typed': [1, 'datetime', 'date', [1970, 13, 2]]}");
    reads_no_time("{'$typed': [1, 'datetime', 'timedelta', [1, 2]]}");
    reads_no_time("{'$typed': [1, 'datetime', 'timedelta',"
                  " [1, 9223372036854775807, 0]]}");
    reads_no_time("{'$typed': [1, 'shop', 'date', [1970, 1, 2]]}");
}
END_TEST

START_TEST(a_node_reads_ids_numbers_and_sets)
{
    json_t *uuid = js(
        "{'$typed': [0, 'uuid', 'UUID', '12345678123456781234567812345678']}");
    json_t *decimal = js("{'$typed': [0, 'decimal', 'Decimal', '1.10']}");
    json_t *set = js("{'$typed': [0, 'builtins', 'set', ['a', 'b']]}");
    json_t *order = js("{'$typed': [5, 'shop', 'Order', {'id': 17}, 'm']}");
    char text[37];
    ck_assert(ss_typed_uuid(uuid, text));
    ck_assert_str_eq(text, "12345678-1234-5678-1234-567812345678");
    ck_assert(!ss_typed_uuid(decimal, text));
    ck_assert_str_eq(ss_typed_text(decimal), "1.10");
    ck_assert_ptr_null(ss_typed_text(set));
    ck_assert_uint_eq(json_array_size(ss_typed_list(set)), 2);
    ck_assert_ptr_null(ss_typed_list(decimal));
    ck_assert_int_eq(
        json_integer_value(json_object_get(ss_typed_inside(order), "id")), 17);
    ck_assert(ss_typed_is(order, "shop.Order"));
    ck_assert(!ss_typed_is(order, "shop.Orders"));
    ck_assert(!ss_typed_is(order, "shop"));
    ck_assert(!ss_typed_is(NULL, "shop.Order"));
    json_decref(uuid);
    json_decref(decimal);
    json_decref(set);
    json_decref(order);
}
END_TEST

static void reads_bytes(const char *tag, const char *data)
{
    json_t *json = json_pack("{s:{s:s, s:s, s:s}}", "$opaque", "class", "bytes",
        "tag", tag, "data", data);
    size_t size = 0;
    char *bytes = ss_typed_bytes(json, &size);
    ck_assert_ptr_nonnull(bytes);
    ck_assert_uint_eq(size, 2);
    ck_assert_str_eq(bytes, "hi");
    free(bytes);
    json_decref(json);
}

START_TEST(a_node_reads_bytes)
{
    size_t size;
    json_t *text = js("'hi'");
    reads_bytes("bytes", "aGk=");
    reads_bytes("msgpack", "xAJoaQ=="); // of an older import
    ck_assert_ptr_null(ss_typed_bytes(text, &size));
    json_decref(text);
}
END_TEST

START_TEST(plain_values_are_read_as_they_are)
{
    json_t *list = js("['a']"), *text = js("'a'");
    ck_assert_ptr_eq(ss_typed_list(list), list);
    ck_assert_ptr_eq(ss_typed_inside(text), text);
    ck_assert_str_eq(ss_typed_text(text), "a");
    json_decref(list);
    json_decref(text);
}
END_TEST

RUN("typed", a_node_reads_dates_and_times, a_node_reads_ids_numbers_and_sets,
    a_node_reads_bytes, plain_values_are_read_as_they_are)
