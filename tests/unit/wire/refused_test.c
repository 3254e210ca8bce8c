// A malformed message, one that is too large, or one from a stranger gives a
// status.
#include "common/wire/message.h"

#include <check.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/prng.h"
#include "common/wire/batch.h"
#include "common/wire/limits.h"
#include "tests/suite.h"
#include "tests/support/unpacked.h"
#include "tests/unit/wire/examples.h"

static int decode_status(const void *bytes, size_t size, struct ss_error *error)
{
    struct ss_message *message = NULL;
    int status = ss_message_decode(bytes, size, &message, error);
    ck_assert(status == SS_OK ? message != NULL : message == NULL);
    ss_message_destroy(&message);
    return status;
}

// Exactly as large as it should be, so that a tool sees a byte too far.
static int decode_copy(const char *bytes, size_t size)
{
    char *copy = ss_alloc(size);
    if (size > 0)
        memcpy(copy, bytes, size);
    struct ss_error error = {0};
    int status = decode_status(copy, size, &error);
    ck_assert(status == SS_OK || error.message[0] != '\0');
    ck_assert(unpacked_alike(copy, size) || status != SS_OK);
    ss_free(copy);
    return status;
}

START_TEST(every_truncation_is_a_status)
{
    struct ss_buf buf;
    ss_buf_init(&buf, SS_MESSAGE_SIZE_MAX);
    struct ss_message *message = wire_example((enum ss_message_type)_i);
    wire_encode(message, &buf);
    for (size_t size = 0; size < buf.size; size++)
        ck_assert_int_ne(decode_copy(buf.data, size), SS_OK);
    ss_message_destroy(&message);
    ss_buf_fini(&buf);
}
END_TEST

START_TEST(every_corrupted_byte_is_a_status)
{
    static const unsigned char flips[] = {0x01, 0x80, 0xff, 0x7f, 0x08, 0x02};
    struct ss_buf buf;
    ss_buf_init(&buf, SS_MESSAGE_SIZE_MAX);
    struct ss_message *message = wire_example((enum ss_message_type)_i);
    wire_encode(message, &buf);
    for (size_t i = 0; i < buf.size; i++)
        for (size_t j = 0; j < sizeof(flips); j++) {
            buf.data[i] = (char)(buf.data[i] ^ flips[j]);
            decode_copy(buf.data, buf.size);
            buf.data[i] = (char)(buf.data[i] ^ flips[j]);
        }
    ss_message_destroy(&message);
    ss_buf_fini(&buf);
}
END_TEST

START_TEST(random_bytes_are_a_status)
{
    struct ss_prng prng;
    ss_prng_init(&prng, 7);
    for (int round = 0; round < 20000; round++) {
        char bytes[200] = {0x08, 0x01};
        size_t size = 2 + (size_t)ss_prng_below(&prng, sizeof(bytes) - 2);
        for (size_t i = round % 2 ? 2 : 0; i < size; i++)
            bytes[i] = (char)ss_prng_next(&prng);
        decode_copy(bytes, size);
    }
}
END_TEST

START_TEST(another_protocol_version_is_told_as_such)
{
    struct ss_message *message = ss_message_new(SS_MESSAGE_PING);
    message->protocol = 2;
    struct ss_buf buf;
    ss_buf_init(&buf, SS_MESSAGE_SIZE_MAX);
    wire_encode(message, &buf);
    struct ss_error error = {0};
    ck_assert_int_eq(decode_status(buf.data, buf.size, &error), SS_EVERSION);
    ck_assert_str_eq(error.message,
        "the other side speaks protocol 2, this one 1; run the same version "
        "of Superstep on both");
    // Whatever that version says behind the number.
    ck_assert_int_eq(decode_status("\x08\x03\xff\xff", 4, NULL), SS_EVERSION);
    ss_message_destroy(&message);
    ss_buf_fini(&buf);
}
END_TEST

static void refused(const char *bytes, size_t size, int wanted, const char *why)
{
    struct ss_error error = {0};
    ck_assert_int_eq(decode_status(bytes, size, &error), wanted);
    ck_assert_msg(strstr(error.message, why) != NULL, "%s", error.message);
}

START_TEST(garbage_is_named)
{
    refused("", 0, SS_EFORMAT, "not a message of this protocol");
    refused("GET / HTTP/1.1", 14, SS_EFORMAT, "not a message of this protocol");
    refused("\x08\x01", 2, SS_EFORMAT, "without a message");
    refused("\x08\x01\x1a\x05", 4, SS_EFORMAT, "cut short or garbled");
    // HELLO without its name
    refused("\x08\x01\x12\x02\x28\x01", 6, SS_EFORMAT, "lacks a field");
    // ASK {id 1, op "a\0b"}, then op "\xff"
    refused("\x08\x01\x62\x07\x08\x01\x12\x03"
            "a\0b",
        11, SS_EFORMAT, "Ask.op is not UTF-8 without NUL");
    refused("\x08\x01\x62\x05\x08\x01\x12\x01\xff", 9, SS_EFORMAT, "Ask.op");
    // ASK whose id is text
    refused("\x08\x01\x62\x06\x0a\x01"
            "1\x12\x01"
            "a",
        10, SS_EFORMAT, "another type on the wire");
    // ASK whose body is not JSON, and one with an unknown tag
    refused("\x08\x01\x62\x0a\x08\x01\x12\x01"
            "a\x1a\x03\x12\x01{",
        14, SS_EFORMAT, "a request's body");
    refused("\x08\x01\x62\x0c\x08\x01\x12\x01"
            "a\x1a\x05\x08\x09\x12\x01"
            "1",
        16, SS_EFORMAT, "unknown tag 9");
}
END_TEST

START_TEST(text_is_utf8_or_it_is_refused)
{
    static const char *const good[] = {"", "a", "\xc2\x80", "\xe0\xa0\x80",
        "\xed\x9f\xbf", "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"};
    static const char *const bad[] = {"\x80", "\xc0\x80", "\xc1\xbf", "\xc3",
        "\xe0\x80\x80", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xe2\x82",
        "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80",
        "\xf0\x90\x80", "\xc3(", "\xe2(\xac", "\xff"};
    struct ss_buf buf;
    ss_buf_init(&buf, 1000);
    for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
        struct ss_message *message = ss_message_new(SS_MESSAGE_ASK);
        message->op = ss_strdup(good[i]);
        message = wire_through(message);
        ck_assert_str_eq(message->op, good[i]);
        ss_message_destroy(&message);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct ss_message *message = ss_message_new(SS_MESSAGE_ASK);
        message->op = ss_strdup(bad[i]);
        struct ss_error error = {0};
        ck_assert_int_eq(ss_message_encode(message, &buf, &error), SS_EFORMAT);
        ck_assert_ptr_nonnull(strstr(error.message, "Ask.op"));
        ck_assert_uint_eq(buf.size, 0);
        ss_message_destroy(&message);
    }
    ss_buf_fini(&buf);
}
END_TEST

static size_t allocated;

static int count_allocation(size_t size)
{
    allocated += size;
    return 0;
}

START_TEST(a_megabyte_of_unknown_fields_takes_no_memory)
{
    static const char head[] = {8, 1};
    static const char field[] = {(char)0xf8, 7, 1}; // 127, varint 1
    size_t size = 1024 * 1024;
    char *bytes = ss_zalloc(size, 1);
    memcpy(bytes, head, sizeof(head));
    for (size_t i = sizeof(head); i + sizeof(field) <= size; i += sizeof(field))
        memcpy(bytes + i, field, sizeof(field));
    struct ss_error error = {0};
    allocated = 0;
    ss_mem_hook = count_allocation;
    ck_assert_int_eq(decode_status(bytes, size - 2, &error), SS_ELIMIT);
    ss_mem_hook = NULL;
    ck_assert_uint_eq(allocated, 0);
    ck_assert_ptr_nonnull(strstr(error.message, "unknown fields"));
    ss_free(bytes);
}
END_TEST

START_TEST(a_few_unknown_fields_of_a_newer_writer_are_passed_over)
{
    // PING {id 5, field 15 "x"} and field 100 behind it
    static const char bytes[] = "\x08\x01\x7a\x05\x08\x05\x7a\x01x\xa0\x06\x01";
    struct ss_message *message = NULL;
    ck_assert_int_eq(
        ss_message_decode(bytes, sizeof(bytes) - 1, &message, NULL), SS_OK);
    ck_assert_uint_eq(message->id, 5);
    ss_message_destroy(&message);
}
END_TEST

START_TEST(a_million_small_pieces_stay_within_the_budget)
{
    struct ss_message *message = ss_message_new(SS_MESSAGE_BEAT);
    message->attempts_count = 100000;
    message->attempts =
        ss_zalloc(message->attempts_count, sizeof(*message->attempts));
    struct ss_buf buf;
    ss_buf_init(&buf, SS_MESSAGE_SIZE_MAX);
    wire_encode(message, &buf);
    ss_message_destroy(&message);
    allocated = 0;
    ss_mem_hook = count_allocation;
    message = wire_decode(&buf);
    ss_mem_hook = NULL;
    ck_assert_uint_eq(message->attempts_count, 100000);
    ck_assert_uint_lt(allocated, 2 * SS_WIRE_BUDGET_FACTOR * buf.size);
    ss_message_destroy(&message);
    // More than the limit of pieces is refused before anything is allocated.
    struct ss_buf pieces;
    ss_buf_init(&pieces, SS_MESSAGE_SIZE_MAX);
    for (int i = 0; i <= SS_WIRE_ITEMS_MAX; i++)
        ss_buf_add(&pieces, "\x0a\x04\x08\x01\x10\x01", 6);
    ck_assert_int_eq(
        ss_batch_encode(SS_MESSAGE_BEAT, &pieces, &buf, NULL), SS_OK);
    struct ss_error error = {0};
    ck_assert_int_eq(decode_status(buf.data, buf.size, &error), SS_ELIMIT);
    ck_assert_ptr_nonnull(strstr(error.message, "parts"));
    ss_buf_fini(&pieces);
    ss_buf_fini(&buf);
}
END_TEST

START_TEST(the_smallest_writes_fit_their_budget)
{
    struct ss_message *message = ss_message_new(SS_MESSAGE_DONE);
    message->outcomes_count = 1;
    message->outcomes = ss_zalloc(1, sizeof(*message->outcomes));
    message->outcomes[0] = wire_outcome(SS_OUTCOME_DONE);
    for (int i = 0; i < 200000; i++)
        ss_writes_add(&message->outcomes[0]->writes, "c", wire_value("1"));
    message = wire_through(message);
    ck_assert_uint_eq(message->outcomes[0]->writes.count, 200000);
    ss_message_destroy(&message);
}
END_TEST

START_TEST(what_nobody_could_decode_is_not_encoded)
{
    struct ss_buf buf;
    ss_buf_init(&buf, SS_MESSAGE_SIZE_MAX);
    struct ss_error error = {0};
    struct ss_message *message = ss_message_new(SS_MESSAGE_ANSWER);
    json_t *deep = json_array();
    for (int i = 0; i < SS_VALUE_DEPTH_MAX + 1; i++) {
        json_t *outer = json_array();
        json_array_append_new(outer, deep);
        deep = outer;
    }
    message->body = ss_value_new(deep);
    ck_assert_int_eq(ss_message_encode(message, &buf, &error), SS_EFORMAT);
    ck_assert_ptr_nonnull(strstr(error.message, "nested deeper"));
    ck_assert_uint_eq(buf.size, 0);
    ss_message_destroy(&message);
    size_t size = SS_VALUE_SIZE_MAX + 1u;
    char *large = ss_zalloc(size, 1);
    message = ss_message_new(SS_MESSAGE_ASK);
    message->body = ss_value_opaque(SS_VALUE_BYTES, large, size);
    ss_free(large);
    ck_assert_int_eq(ss_message_encode(message, &buf, &error), SS_ELIMIT);
    ck_assert_ptr_nonnull(strstr(error.message, "the limit is"));
    ss_message_destroy(&message);
    ss_buf_fini(&buf);
}
END_TEST

START_TEST(an_order_that_nobody_could_decode_is_not_encoded)
{
    struct ss_buf pieces;
    ss_buf_init(&pieces, SS_MESSAGE_SIZE_MAX);
    struct ss_assignment *order = wire_order();
    json_t *deep = json_array();
    for (int i = 0; i < SS_VALUE_DEPTH_MAX + 1; i++) {
        json_t *outer = json_array();
        json_array_append_new(outer, deep);
        deep = outer;
    }
    ss_value_unref(order->given.context);
    order->given.context = ss_value_new(deep);
    struct ss_error error = {0};
    ck_assert_int_eq(ss_batch_add_order(&pieces, order, &error), SS_EFORMAT);
    ck_assert_ptr_nonnull(strstr(error.message, "nested deeper"));
    ck_assert_uint_eq(pieces.size, 0);
    ss_assignment_destroy(&order);
    ss_buf_fini(&pieces);
}
END_TEST

START_TEST(a_message_over_the_limit_is_refused)
{
    struct ss_error error = {0};
    ck_assert_int_eq(
        decode_status("", (size_t)SS_MESSAGE_SIZE_MAX + 1, &error), SS_ELIMIT);
    struct ss_buf buf;
    ss_buf_init(&buf, 10);
    struct ss_message *message = wire_example(SS_MESSAGE_HELLO);
    ck_assert_int_eq(ss_message_encode(message, &buf, &error), SS_ELIMIT);
    ss_message_destroy(&message);
    ss_buf_fini(&buf);
}
END_TEST

START_TEST(an_outcome_must_have_what_its_kind_says)
{
    static const enum ss_outcome_kind kinds[] = {
        SS_OUTCOME_INTERRUPTED, SS_OUTCOME_PARENT};
    struct ss_buf buf;
    ss_buf_init(&buf, SS_MESSAGE_SIZE_MAX);
    for (int i = 0; i < 2; i++) {
        struct ss_message *message = ss_message_new(SS_MESSAGE_DONE);
        message->outcomes_count = 1;
        message->outcomes = ss_zalloc(1, sizeof(*message->outcomes));
        message->outcomes[0] = wire_outcome(kinds[i]);
        wire_encode(message, &buf);
        struct ss_error error = {0};
        ck_assert_int_eq(decode_status(buf.data, buf.size, &error), SS_EFORMAT);
        ck_assert_ptr_nonnull(strstr(error.message, "without"));
        ss_message_destroy(&message);
    }
    ss_buf_fini(&buf);
}
END_TEST

START_TEST(more_members_than_a_cluster_has_are_refused)
{
    struct ss_buf buf;
    struct ss_error error = {0};
    struct ss_message *message = ss_message_new(SS_MESSAGE_MEMBERS);
    message->members_count = SS_WIRE_MEMBERS_MAX + 1;
    message->members =
        ss_zalloc(message->members_count, sizeof(*message->members));
    for (size_t i = 0; i < message->members_count; i++)
        message->members[i] = ss_strdup("tcp://a:1");
    ss_buf_init(&buf, SS_MESSAGE_SIZE_MAX);
    wire_encode(message, &buf);
    ss_message_destroy(&message);
    ck_assert_int_eq(
        ss_message_decode(buf.data, buf.size, &message, &error), SS_ELIMIT);
    ck_assert_str_eq(
        error.message, "MEMBERS: a message with 257 members; the limit is 256");
    ss_buf_fini(&buf);
}
END_TEST

static void add_each(TCase *tcase, const TTest *test)
{
    tcase_add_loop_test(tcase, test, SS_MESSAGE_HELLO, SS_MESSAGE_LAST + 1);
}

int main(void)
{
    ss_value_setup();
    Suite *suite = suite_create("refused");
    TCase *tcase = tcase_create("refused");
    tcase_add_test(tcase, more_members_than_a_cluster_has_are_refused);
    add_each(tcase, every_truncation_is_a_status);
    add_each(tcase, every_corrupted_byte_is_a_status);
    tcase_add_test(tcase, random_bytes_are_a_status);
    tcase_add_test(tcase, another_protocol_version_is_told_as_such);
    tcase_add_test(tcase, garbage_is_named);
    tcase_add_test(tcase, text_is_utf8_or_it_is_refused);
    tcase_add_test(tcase, a_megabyte_of_unknown_fields_takes_no_memory);
    tcase_add_test(
        tcase, a_few_unknown_fields_of_a_newer_writer_are_passed_over);
    tcase_add_test(tcase, a_million_small_pieces_stay_within_the_budget);
    tcase_add_test(tcase, the_smallest_writes_fit_their_budget);
    tcase_add_test(tcase, what_nobody_could_decode_is_not_encoded);
    tcase_add_test(tcase, an_order_that_nobody_could_decode_is_not_encoded);
    tcase_add_test(tcase, a_message_over_the_limit_is_refused);
    tcase_add_test(tcase, an_outcome_must_have_what_its_kind_says);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
