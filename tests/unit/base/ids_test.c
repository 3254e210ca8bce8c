#include "common/base/ids.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "tests/suite.h"

// The vectors of spec/engine.md, section 16.
#define CHECKPOINT "1f1e5e9d-b535-6873-8001-73470c2398e7"
#define TASK       "ad05cef3-3723-7f5e-0b12-4d91420ee3db"

static void check_task(
    int format, const char *const *parts, size_t count, const char *expected)
{
    char id[SS_UUID_SIZE];
    ss_task_uuid(CHECKPOINT, format, parts, count, id);
    ck_assert_str_eq(id, expected);
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

START_TEST(hashes_are_written_high_half_first)
{
    char hex[SS_HEX128_SIZE];
    ss_hash_hex("", 0, hex);
    ck_assert_str_eq(hex, "99aa06d3014798d86001c324468d497f");
    ss_hash_hex("abc", 3, hex);
    ck_assert_str_eq(hex, "06b05ab6733a618578af5f94892f3950");
}
END_TEST

START_TEST(short_hashes_are_xxh3)
{
    ck_assert_uint_eq(ss_hash64("", 0), UINT64_C(0x2d06800538d394c2));
    ck_assert_uint_ne(ss_hash64("a", 1), ss_hash64("b", 1));
}
END_TEST

START_TEST(a_pulled_task_has_the_id_of_the_reference)
{
    const char *parts[] = {
        "D", "3", "D", "__pregel_pull", "branch:to:D", "join:B+C:D"};
    check_task(4, parts, COUNT(parts), TASK);
    check_task(1, parts, COUNT(parts), "6e5461ce-204a-1aac-9a5a-8ba1f6dc0316");
    check_task(0, parts, COUNT(parts), "6e5461ce-204a-1aac-9a5a-8ba1f6dc0316");
    check_task(2, parts, COUNT(parts), TASK);
}
END_TEST

START_TEST(a_sent_task_has_the_id_of_the_reference)
{
    const char *parts[] = {"t", "2", "t", "__pregel_push", "1"};
    check_task(4, parts, COUNT(parts), "97c66190-32eb-abcb-8ead-f180e61b60f5");
}
END_TEST

START_TEST(a_nested_task_has_the_id_of_the_reference)
{
    static const char ns[] = "sub:" TASK "|s1";
    const char *parts[] = {ns, "0", "s1", "__pregel_pull", "branch:to:s1"};
    check_task(4, parts, COUNT(parts), "60bb13e1-1deb-4d33-6827-bbfab4af903f");
}
END_TEST

START_TEST(a_call_has_the_id_of_the_reference)
{
    static const char ns[] = "wf:" TASK "|add";
    const char *parts[] = {
        ns, "-1", "add", "__pregel_push", "~__pregel_pull, wf", "0"};
    check_task(4, parts, COUNT(parts), "3e29017c-af23-0b3d-9d8b-950f8f8c64c8");
}
END_TEST

START_TEST(an_error_handler_has_the_id_of_the_reference)
{
    const char *parts[] = {"__error_handler__bad", "1", "__error_handler__bad",
        "__pregel_push", "node_error_handler", TASK};
    check_task(4, parts, COUNT(parts), "b9e958ef-2f49-96e4-67f5-cefdf81241c7");
}
END_TEST

START_TEST(a_task_of_a_checkpoint_that_is_no_uuid_has_an_id_too)
{
    const char *parts[] = {"a", "1"};
    char one[SS_UUID_SIZE], other[SS_UUID_SIZE];
    ss_task_uuid("first", 4, parts, 2, one);
    ss_task_uuid("second", 4, parts, 2, other);
    ck_assert_uint_eq(strlen(one), SS_UUID_SIZE - 1);
    ck_assert_str_ne(one, other);
}
END_TEST

START_TEST(each_question_of_a_task_has_its_own_id)
{
    char id[SS_HEX128_SIZE];
    ss_interrupt_id("D:" TASK, 0, id);
    ck_assert_str_eq(id, "f7a509b30dd030f9ddbba3b3a326707f");
    ss_interrupt_id("D:" TASK, 1, id);
    ck_assert_str_eq(id, "039dcdd88cbe4d5d6b9882795e123b79");
    ss_interrupt_id("D:" TASK, 2, id);
    ck_assert_str_eq(id, "c810332522d94baf90e0f1be0e2e86d8");
    ss_interrupt_id("t:97c66190-32eb-abcb-8ead-f180e61b60f5", 0, id);
    ck_assert_str_eq(id, "15cd8bfc49ece740b0a913f0e5b33ca2");
}
END_TEST

START_TEST(named_uuids_are_those_of_the_reference)
{
    char id[SS_UUID_SIZE];
    ss_uuid5(CHECKPOINT, "__interrupt__", id);
    ck_assert_str_eq(id, "f511b5be-96c3-585f-b1e3-25c3f6e59d69");
    ss_uuid5(CHECKPOINT, "__interrupt__:1", id);
    ck_assert_str_eq(id, "61428f2e-bee0-50c0-a326-f2f64c7b8e1e");
    ss_uuid5(CHECKPOINT, "__input__", id);
    ck_assert_str_eq(id, "cda95ece-f0cd-523a-a967-dbe6a2ee548a");
    // RFC 4122's own namespace for domain names.
    ss_uuid5("6ba7b810-9dad-11d1-80b4-00c04fd430c8", "www.example.com", id);
    ck_assert_str_eq(id, "2ed6657d-e927-568b-95e1-2665a8aea6a2");
}
END_TEST

START_TEST(the_step_stands_in_the_fourth_group)
{
    static const struct {
        int64_t step;
        const char *group;
    } rows[] = {{-2, "-bffe-"}, {-1, "-bfff-"}, {0, "-8000-"}, {1, "-8001-"},
        {0x3fff, "-bfff-"}, {0x4000, "-8000-"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        char id[SS_UUID_SIZE];
        ss_uuid6(ss_uuid6_ticks(0), rows[i].step, 0, id);
        ck_assert_msg(strncmp(id + 18, rows[i].group, 6) == 0, "%s", id);
    }
}
END_TEST

START_TEST(a_checkpoint_id_shows_its_ticks_and_node)
{
    char id[SS_UUID_SIZE];
    ss_uuid6(UINT64_C(0x1f1e5e9db535873), 1, UINT64_C(0x73470c2398e7), id);
    ck_assert_str_eq(id, CHECKPOINT);
    ck_assert_uint_eq(ss_uuid6_read(CHECKPOINT), UINT64_C(0x1f1e5e9db535873));
    ss_uuid6(1, 0, UINT64_MAX, id);
    ck_assert_str_eq(id, "00000000-0000-6001-8000-ffffffffffff");
}
END_TEST

START_TEST(each_byte_of_an_id_is_told_by_its_two_digits)
{
    for (unsigned value = 0; value < 256; value++) {
        uint8_t bytes[16];
        char id[SS_UUID_SIZE], expected[SS_UUID_SIZE + 1];
        size_t size = 0;
        for (unsigned i = 0; i < sizeof(bytes); i++) {
            bytes[i] = (uint8_t)(value + 17 * i);
            size += (size_t)snprintf(expected + size, sizeof(expected) - size,
                "%02x%s", bytes[i],
                i == 3 || i == 5 || i == 7 || i == 9 ? "-" : "");
        }
        ss_uuid_text(bytes, id);
        ck_assert_str_eq(id, expected);
    }
}
END_TEST

START_TEST(later_ids_sort_later)
{
    char before[SS_UUID_SIZE] = "", id[SS_UUID_SIZE];
    uint64_t ticks = ss_uuid6_ticks(INT64_C(1700000000000000)) - 5000;
    for (int i = 0; i < 10000; i++) {
        ss_uuid6(ticks + (uint64_t)i, 10000 - i, (uint64_t)(i * 7), id);
        ck_assert_str_gt(id, before);
        ck_assert_uint_eq(ss_uuid6_read(id), ticks + (uint64_t)i);
        memcpy(before, id, sizeof(id));
    }
}
END_TEST

START_TEST(the_epoch_of_1970_is_a_known_tick)
{
    ck_assert_uint_eq(ss_uuid6_ticks(0), UINT64_C(0x01B21DD213814000));
    ck_assert_uint_eq(ss_uuid6_ticks(3), UINT64_C(0x01B21DD213814000) + 30);
}
END_TEST

START_TEST(only_version_6_has_ticks)
{
    ck_assert_uint_eq(ss_uuid6_read("f511b5be-96c3-585f-b1e3-25c3f6e59d69"), 0);
    ck_assert_uint_eq(ss_uuid6_read("not a uuid"), 0);
    ck_assert_uint_eq(ss_uuid6_read(""), 0);
}
END_TEST

START_TEST(random_uuids_hold_the_given_bits)
{
    char id[SS_UUID_SIZE];
    ss_uuid4(0, 0, id);
    ck_assert_str_eq(id, "00000000-0000-4000-8000-000000000000");
    ss_uuid4(UINT64_MAX, UINT64_MAX, id);
    ck_assert_str_eq(id, "ffffffff-ffff-4fff-bfff-ffffffffffff");
    ss_uuid4(UINT64_C(0x0123456789abcdef), UINT64_C(0x0123456789abcdef), id);
    ck_assert_str_eq(id, "01234567-89ab-4def-8123-456789abcdef");
}
END_TEST

START_TEST(a_uuid_is_read_in_either_case)
{
    uint8_t bytes[16];
    ck_assert(ss_uuid_parse("01234567-89AB-4dEf-8123-456789abcdeF", bytes));
    static const uint8_t expected[16] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab,
        0x4d, 0xef, 0x81, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef};
    ck_assert_mem_eq(bytes, expected, 16);
}
END_TEST

START_TEST(what_is_no_uuid_is_refused_and_touches_nothing)
{
    static const char *const wrong[] = {"", "0", "1f1e5e9d",
        "1f1e5e9d-b535-6873-8001-73470c2398e", "1f1e5e9d-b535-6873-8001-",
        "1f1e5e9d-b535-6873-8001-73470c2398e7a",
        "1f1e5e9db-535-6873-8001-73470c2398e7",
        "1f1e5e9d b535-6873-8001-73470c2398e7",
        "1f1e5e9g-b535-6873-8001-73470c2398e7",
        "1f1e5e9db53568738001-73470c2398e7---",
        "{f1e5e9d-b535-6873-8001-73470c2398e}"};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        uint8_t bytes[16] = {7};
        ck_assert_msg(!ss_uuid_parse(wrong[i], bytes), "%s", wrong[i]);
        ck_assert_uint_eq(bytes[0], 7);
    }
}
END_TEST

// Any letter in the place of any other.
START_TEST(a_uuid_has_a_digit_or_a_dash_in_each_place)
{
    static const char uuid[] = "01234567-89ab-4def-8123-456789abcdef";
    static const char digits[] = "0123456789abcdef";
    uint8_t bytes[16];
    for (size_t at = 0; at + 1 < sizeof(uuid); at++)
        for (unsigned c = 0; c < 256; c++) {
            char text[SS_UUID_SIZE], again[SS_UUID_SIZE];
            memcpy(text, uuid, sizeof(uuid));
            text[at] = (char)c;
            bool is_digit = c != 0 && strchr(digits, (int)c);
            bool fits = uuid[at] == '-' ? c == '-' : is_digit;
            ck_assert(ss_uuid_parse_canonical(text, bytes) == fits);
            bool is_upper = c >= 'A' && c <= 'F' && uuid[at] != '-';
            ck_assert(ss_uuid_parse(text, bytes) == (fits || is_upper));
            if (!fits)
                continue;
            ss_uuid_text(bytes, again);
            ck_assert_str_eq(again, text);
        }
}
END_TEST

START_TEST(times_are_written_in_utc_with_microseconds)
{
    static const struct {
        int64_t wall_us;
        const char *text;
    } rows[] = {
        {0, "1970-01-01T00:00:00.000000+00:00"},
        {1, "1970-01-01T00:00:00.000001+00:00"},
        {-1, "1969-12-31T23:59:59.999999+00:00"},
        {INT64_C(951782400000000), "2000-02-29T00:00:00.000000+00:00"},
        {INT64_C(951868799999999), "2000-02-29T23:59:59.999999+00:00"},
        {INT64_C(951868800000000), "2000-03-01T00:00:00.000000+00:00"},
        {INT64_C(1735689599500000), "2024-12-31T23:59:59.500000+00:00"},
        {INT64_C(4107542400000000), "2100-03-01T00:00:00.000000+00:00"},
        {INT64_C(-62167219200000000), "0000-01-01T00:00:00.000000+00:00"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[SS_TIME_SIZE];
        ss_time_text(rows[i].wall_us, text);
        ck_assert_str_eq(text, rows[i].text);
    }
}
END_TEST

static void expect_time(const char *text, int64_t wall_us)
{
    int64_t read = -1;
    if (!ss_time_read(text, &read))
        ck_abort_msg("%s is not a time", text);
    ck_assert_int_eq(read, wall_us);
}

START_TEST(times_are_read_as_they_are_written)
{
    char text[SS_TIME_SIZE];
    static const int64_t times[] = {0, 1, -1, 1767323045000001,
        951782400000000 /* 2000-02-29 */, -2203977600000000 /* 1900-02-28 */};
    for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
        ss_time_text(times[i], text);
        expect_time(text, times[i]);
    }
    expect_time("2026-01-02T03:04:05+00:00", 1767323045000000);
    expect_time("2026-01-02 03:04:05.5Z", 1767323045500000);
    expect_time("2026-01-02T05:04:05+02:00", 1767323045000000);
    expect_time("2026-01-01T22:34:05-04:30", 1767323045000000);
}
END_TEST

START_TEST(what_is_no_time_is_refused)
{
    static const char *const wrong[] = {"", "2026", "2026-01-02",
        "2026-01-02T03:04:05", "2026-13-02T03:04:05Z", "2026-00-02T03:04:05Z",
        "2026-01-00T03:04:05Z", "2026-01-02T24:04:05Z", "2026-01-02T03:04:05.Z",
        "2026-01-02T03:04:05.1234567Z", "2026-01-02T03:04:05Z ",
        "2026-01-02T03:04:05+0200", "0000-01-02T03:04:05Z",
        "-026-01-02T03:04:05Z"};
    int64_t read = 7;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
        if (ss_time_read(wrong[i], &read))
            ck_abort_msg("%s is a time", wrong[i]);
    ck_assert_int_eq(read, 7);
}
END_TEST

START_TEST(even_the_ends_of_time_have_a_text)
{
    char text[SS_TIME_SIZE];
    ss_time_text(INT64_MAX, text);
    ck_assert_str_eq(text, "294247-01-10T04:00:54.775807+00:00");
    ss_time_text(INT64_MIN, text);
    ck_assert_str_eq(text, "-290308-12-21T19:59:05.224192+00:00");
}
END_TEST

START_TEST(a_number_is_written_in_decimal)
{
    char text[SS_NUMBER_SIZE];
    ck_assert_uint_eq(ss_number_text(0, text), 1);
    ck_assert_str_eq(text, "0");
    ck_assert_uint_eq(ss_number_text(1090, text), 4);
    ck_assert_str_eq(text, "1090");
    ck_assert_uint_eq(ss_number_text(UINT64_MAX, text), SS_NUMBER_SIZE - 1);
    ck_assert_str_eq(text, "18446744073709551615");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ids");
    TCase *tcase = tcase_create("ids");
    tcase_add_test(tcase, a_uuid_has_a_digit_or_a_dash_in_each_place);
    tcase_add_test(tcase, a_number_is_written_in_decimal);
    tcase_add_test(tcase, hashes_are_written_high_half_first);
    tcase_add_test(tcase, short_hashes_are_xxh3);
    tcase_add_test(tcase, a_pulled_task_has_the_id_of_the_reference);
    tcase_add_test(tcase, a_sent_task_has_the_id_of_the_reference);
    tcase_add_test(tcase, a_nested_task_has_the_id_of_the_reference);
    tcase_add_test(tcase, a_call_has_the_id_of_the_reference);
    tcase_add_test(tcase, an_error_handler_has_the_id_of_the_reference);
    tcase_add_test(tcase, a_task_of_a_checkpoint_that_is_no_uuid_has_an_id_too);
    tcase_add_test(tcase, each_question_of_a_task_has_its_own_id);
    tcase_add_test(tcase, named_uuids_are_those_of_the_reference);
    tcase_add_test(tcase, the_step_stands_in_the_fourth_group);
    tcase_add_test(tcase, a_checkpoint_id_shows_its_ticks_and_node);
    tcase_add_test(tcase, each_byte_of_an_id_is_told_by_its_two_digits);
    tcase_add_test(tcase, later_ids_sort_later);
    tcase_add_test(tcase, the_epoch_of_1970_is_a_known_tick);
    tcase_add_test(tcase, only_version_6_has_ticks);
    tcase_add_test(tcase, random_uuids_hold_the_given_bits);
    tcase_add_test(tcase, a_uuid_is_read_in_either_case);
    tcase_add_test(tcase, what_is_no_uuid_is_refused_and_touches_nothing);
    tcase_add_test(tcase, times_are_written_in_utc_with_microseconds);
    tcase_add_test(tcase, even_the_ends_of_time_have_a_text);
    tcase_add_test(tcase, times_are_read_as_they_are_written);
    tcase_add_test(tcase, what_is_no_time_is_refused);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
