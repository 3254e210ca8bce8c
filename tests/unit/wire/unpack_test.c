// Budgets, and bytes against a schema.
#include <check.h>
#include <stdint.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/mem.h"
#include "common/wire/budget.h"
#include "common/wire/limits.h"
#include "common/wire/message.h"
#include "common/wire/unpack.h"
#include "tests/suite.h"
#include "tests/support/unpacked.h"

START_TEST(no_bytes_hold_no_field_and_no_message)
{
    uint64_t value;
    struct ss_message *message = NULL;
    struct ss_error error;
    ck_assert(!ss_wire_peek(NULL, 0, 1, &value));
    ck_assert_int_eq(ss_message_decode(NULL, 0, &message, &error), SS_EFORMAT);
    ck_assert_ptr_null(message);
}
END_TEST

// --- budgets

START_TEST(a_budget_gives_aligned_memory_until_it_is_spent)
{
    struct ss_budget budget;
    ss_budget_init(&budget, 1000);
    char *first = ss_budget_alloc(&budget, 1);
    char *second = ss_budget_alloc(&budget, 100);
    ck_assert_ptr_nonnull(first);
    ck_assert_uint_eq((uintptr_t)second % _Alignof(max_align_t), 0);
    ck_assert(second >= first + 1 || second + 100 <= first);
    memset(second, 7, 100);
    ck_assert(!budget.is_spent);
    ck_assert_ptr_null(ss_budget_alloc(&budget, 1000));
    ck_assert(budget.is_spent);
    ck_assert_ptr_nonnull(ss_budget_alloc(&budget, 500));
    ss_budget_fini(&budget);
    ss_budget_fini(&budget);
}
END_TEST

START_TEST(many_small_pieces_use_the_budget_up)
{
    struct ss_budget budget;
    size_t pieces = 0;
    ss_budget_init(&budget, 100000);
    while (ss_budget_alloc(&budget, 10))
        pieces++;
    ck_assert_uint_ge(pieces, 100000 / 16);
    ck_assert_uint_le(pieces, 10000);
    ss_budget_fini(&budget);
}
END_TEST

static size_t blocks;

static int count_block(size_t size)
{
    blocks++;
    return size == 0;
}

START_TEST(what_is_expected_comes_in_one_block)
{
    struct ss_budget budget;
    ss_budget_init(&budget, 1000000);
    ss_budget_expect(&budget, 100000);
    blocks = 0;
    ss_mem_hook = count_block;
    for (size_t taken = 0; taken < 90000; taken += 1000)
        ck_assert_ptr_nonnull(ss_budget_alloc(&budget, 1000));
    ss_mem_hook = NULL;
    ck_assert_uint_eq(blocks, 1);
    ss_budget_fini(&budget);
    // A small one does without.
    ss_budget_init(&budget, 1000000);
    ss_budget_expect(&budget, SIZE_MAX);
    ss_mem_hook = count_block;
    ck_assert_ptr_nonnull(ss_budget_alloc(&budget, SS_BUDGET_FIRST_SIZE));
    ck_assert_uint_eq(blocks, 1);
    ck_assert_ptr_nonnull(ss_budget_alloc(&budget, 1));
    ss_mem_hook = NULL;
    ck_assert_uint_eq(blocks, 2);
    ss_budget_fini(&budget);
}
END_TEST

START_TEST(a_size_that_wraps_around_is_refused)
{
    struct ss_budget budget;
    ss_budget_init(&budget, SIZE_MAX);
    ck_assert_ptr_null(ss_budget_alloc(&budget, SIZE_MAX));
    ck_assert_ptr_null(ss_budget_alloc(&budget, SIZE_MAX - 3));
    ck_assert(budget.is_spent);
    ss_budget_fini(&budget);
}
END_TEST

START_TEST(protobufs_allocator_draws_on_the_budget)
{
    struct ss_budget budget;
    ss_budget_init(&budget, 64);
    ProtobufCAllocator *from = &budget.allocator;
    void *memory = from->alloc(from->allocator_data, 48);
    ck_assert_ptr_nonnull(memory);
    from->free(from->allocator_data, memory); // gives nothing back
    ck_assert_ptr_null(from->alloc(from->allocator_data, 48));
    ss_budget_fini(&budget);
}
END_TEST

START_TEST(cleared_memory_is_zero)
{
    struct ss_budget budget;
    ss_budget_init(&budget, SIZE_MAX);
    for (size_t size = 1; size < 100000; size *= 3) {
        memset(ss_budget_alloc(&budget, size), 0xff, size);
        unsigned char *memory = ss_budget_zalloc(&budget, size, 1);
        for (size_t i = 0; i < size; i++)
            ck_assert_uint_eq(memory[i], 0);
    }
    ss_budget_fini(&budget);
}
END_TEST

// --- peeking

START_TEST(peeking_finds_a_number_and_stops_at_garbage)
{
    uint64_t value = 0;
    ck_assert(ss_wire_peek("\x08\x96\x01", 3, 1, &value));
    ck_assert_uint_eq(value, 150);
    // Behind others of each wire type.
    ck_assert(ss_wire_peek(
        "\x12\x01x\x1d\1\2\3\4\x21\1\2\3\4\5\6\7\x08\x08\x05", 19, 1, &value));
    ck_assert_uint_eq(value, 5);
    ck_assert(ss_wire_peek(
        "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11, 1, &value));
    ck_assert_uint_eq(value, UINT64_MAX);
    ck_assert(!ss_wire_peek("\x10\x05", 2, 1, &value));
    ck_assert(!ss_wire_peek("", 0, 1, &value));
    ck_assert(!ss_wire_peek("\x0a\x05x", 3, 1, &value));    // cut short
    ck_assert(!ss_wire_peek("\x0b\x08\x01", 3, 1, &value)); // a group
    ck_assert(!ss_wire_peek("\x00\x01", 2, 1, &value));     // field 0
    ck_assert(!ss_wire_peek("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11,
        1, &value)); // a length that wraps around
    ck_assert(!ss_wire_peek(
        "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 11, 1, &value));
    ck_assert(!ss_wire_peek(
        "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12, 1, &value));
    ck_assert(!ss_wire_peek("\x08\x80", 2, 1, &value));
}
END_TEST

// --- beside protobuf-c's own unpacking

// NULL: refused.
static struct ss_message *decode(const char *bytes, size_t size)
{
    struct ss_message *message = NULL;
    int status = ss_message_decode(bytes, size, &message, NULL);
    ck_assert(unpacked_alike(bytes, size) == (status == SS_OK));
    return message;
}

#define DECODE(bytes) decode((bytes), sizeof(bytes) - 1)

// As protobuf wants it; no writer of ours writes such bytes.
START_TEST(a_message_in_two_pieces_is_one)
{
    // ASK {id 1, op "a", body {tag BYTES, data "x"}, body {data "y"}}
    struct ss_message *message = DECODE("\x08\x01\x62\x11\x08\x01\x12\x01"
                                        "a\x1a\x05\x08\x01\x12\x01x"
                                        "\x1a\x03\x12\x01y");
    ck_assert_ptr_nonnull(message);
    size_t size;
    ck_assert_int_eq((int)ss_value_tag(message->body), SS_VALUE_BYTES);
    ck_assert_mem_eq(ss_value_text(message->body, &size), "y", 1);
    ss_message_destroy(&message);
}
END_TEST

START_TEST(items_that_stand_apart_are_one_list)
{
    // PONG {members "a", id 1, members "b"}
    struct ss_message *message = DECODE("\x08\x01\x82\x01\x08\x1a\x01"
                                        "a\x08\x01\x1a\x01"
                                        "b");
    ck_assert_ptr_nonnull(message);
    ck_assert_uint_eq(message->members_count, 2);
    ck_assert_str_eq(message->members[1], "b");
    ss_message_destroy(&message);
    // SEEK {epoch 1, shards 1, 2 (packed), shards 3}
    message = DECODE("\x08\x01\x92\x01\x08\x08\x01\x12\x02\x01\x02\x10\x03");
    ck_assert_ptr_nonnull(message);
    ck_assert_uint_eq(message->shards_count, 3);
    ck_assert_uint_eq(message->shards[2], 3);
    ss_message_destroy(&message);
}
END_TEST

START_TEST(of_what_stands_twice_the_last_counts)
{
    // PING {}, PONG {id 1}, PONG {epoch 2}
    struct ss_message *message =
        DECODE("\x08\x01\x7a\x00\x82\x01\x02\x08\x01\x82\x01\x02\x10\x02");
    ck_assert_ptr_nonnull(message);
    ck_assert_int_eq((int)message->type, SS_MESSAGE_PONG);
    ck_assert_uint_eq(message->id, 0);
    ck_assert_uint_eq(message->epoch, 2);
    ss_message_destroy(&message);
    // ASK {id 1, op "a", op "b"}
    message = DECODE("\x08\x01\x62\x08\x08\x01\x12\x01"
                     "a\x12\x01"
                     "b");
    ck_assert_ptr_nonnull(message);
    ck_assert_str_eq(message->op, "b");
    ss_message_destroy(&message);
}
END_TEST

START_TEST(keys_and_sizes_have_five_bytes_at_most)
{
    // PING {id 5}: the key of `id` in five bytes, in six; its size likewise.
    struct ss_message *message =
        DECODE("\x08\x01\x7a\x06\x88\x80\x80\x80\x00\x05");
    ck_assert_ptr_nonnull(message);
    ck_assert_uint_eq(message->id, 5);
    ss_message_destroy(&message);
    ck_assert_ptr_null(DECODE("\x08\x01\x7a\x07\x88\x80\x80\x80\x80\x00\x05"));
    ck_assert_ptr_null(DECODE("\x08\x01\x7a\x82\x80\x80\x80\x80\x00\x08\x05"));
}
END_TEST

START_TEST(numbers_of_each_kind_keep_their_value)
{
    struct ss_message *message = ss_message_new(SS_MESSAGE_TASKS);
    struct ss_buf buf;
    ss_buf_init(&buf, SS_MESSAGE_SIZE_MAX);
    message->orders_count = 1;
    message->orders = ss_zalloc(1, sizeof(*message->orders));
    message->orders[0] = ss_assignment_new();
    message->orders[0]->attempt = (struct ss_attempt){UINT64_MAX, 0};
    message->orders[0]->step = INT64_MIN;
    message->orders[0]->stop = INT64_MAX;
    message->orders[0]->attempt_number = UINT32_MAX;
    message->orders[0]->digest = UINT64_C(0xfedcba9876543210);
    message->orders[0]->want_custom = true;
    ck_assert_int_eq(ss_message_encode(message, &buf, NULL), SS_OK);
    ss_message_destroy(&message);
    message = decode(buf.data, buf.size);
    ck_assert_ptr_nonnull(message);
    const struct ss_assignment *order = message->orders[0];
    ck_assert_uint_eq(order->attempt.epoch, UINT64_MAX);
    ck_assert_uint_eq(order->attempt.dispatch, 0);
    ck_assert_int_eq(order->step, INT64_MIN);
    ck_assert_int_eq(order->stop, INT64_MAX);
    ck_assert_uint_eq(order->attempt_number, UINT32_MAX);
    ck_assert_uint_eq(order->digest, UINT64_C(0xfedcba9876543210));
    ck_assert(order->want_custom);
    ck_assert(!order->want_messages);
    ss_message_destroy(&message);
    ss_buf_fini(&buf);
}
END_TEST

// --- the schema

// `count` fields of `bytes` each, in an envelope's message `field`.
static int decode_many(int field, const char *bytes, size_t size, size_t count,
    struct ss_error *error)
{
    struct ss_buf pieces;
    struct ss_message *message = NULL;
    ss_buf_init(&pieces, SS_MESSAGE_SIZE_MAX);
    size_t body = size * count;
    unsigned char head[] = {0x08, 0x01, (unsigned char)(field << 3 | 2),
        (unsigned char)(0x80 | (body & 0x7f)),
        (unsigned char)(0x80 | (body >> 7 & 0x7f)),
        (unsigned char)(0x80 | (body >> 14 & 0x7f)),
        (unsigned char)(body >> 21 & 0x7f)};
    ss_buf_add(&pieces, head, sizeof(head));
    for (size_t i = 0; i < count; i++)
        ss_buf_add(&pieces, bytes, size);
    int status = ss_message_decode(pieces.data, pieces.size, &message, error);
    ss_message_destroy(&message);
    ss_buf_fini(&pieces);
    return status;
}

START_TEST(more_orders_or_outcomes_than_a_batch_holds_are_refused)
{
    // Outcome {attempt {0, 0}, task_id "", kind DONE}
    static const char outcome[] =
        "\x0a\x0a\x0a\x04\x08\x00\x10\x00\x12\x00\x18\x00";
    struct ss_error error = {0};
    ck_assert_int_eq(
        decode_many(5, outcome, sizeof(outcome) - 1, SS_WIRE_BATCH_MAX, &error),
        SS_OK);
    ck_assert_int_eq(decode_many(5, outcome, sizeof(outcome) - 1,
                         SS_WIRE_BATCH_MAX + 1, &error),
        SS_ELIMIT);
    ck_assert_ptr_nonnull(strstr(error.message, "4097 outcomes"));
    ck_assert_int_eq(decode_many(2, "\x32\x00", 2, 10, &error), SS_EFORMAT);
}
END_TEST

START_TEST(a_text_over_the_limit_is_refused_before_it_is_copied)
{
    struct ss_message *ask = ss_message_new(SS_MESSAGE_ASK);
    struct ss_error error = {0};
    struct ss_buf buf;
    ss_buf_init(&buf, SS_MESSAGE_SIZE_MAX);
    ask->op = ss_zalloc(SS_WIRE_TEXT_SIZE_MAX + 2, 1);
    memset(ask->op, 'a', SS_WIRE_TEXT_SIZE_MAX);
    ck_assert_int_eq(ss_message_encode(ask, &buf, &error), SS_OK);
    ask->op[SS_WIRE_TEXT_SIZE_MAX] = 'a';
    ck_assert_int_eq(ss_message_encode(ask, &buf, &error), SS_ELIMIT);
    ck_assert_ptr_nonnull(strstr(error.message, "Ask.op has 1048577 bytes"));
    ss_message_destroy(&ask);
    ss_buf_fini(&buf);
}
END_TEST

int main(void)
{
    ss_value_setup();
    Suite *suite = suite_create("unpack");
    TCase *tcase = tcase_create("unpack");
    tcase_add_test(tcase, no_bytes_hold_no_field_and_no_message);
    tcase_add_test(tcase, a_budget_gives_aligned_memory_until_it_is_spent);
    tcase_add_test(tcase, many_small_pieces_use_the_budget_up);
    tcase_add_test(tcase, what_is_expected_comes_in_one_block);
    tcase_add_test(tcase, a_size_that_wraps_around_is_refused);
    tcase_add_test(tcase, protobufs_allocator_draws_on_the_budget);
    tcase_add_test(tcase, cleared_memory_is_zero);
    tcase_add_test(tcase, peeking_finds_a_number_and_stops_at_garbage);
    tcase_add_test(tcase, a_message_in_two_pieces_is_one);
    tcase_add_test(tcase, items_that_stand_apart_are_one_list);
    tcase_add_test(tcase, of_what_stands_twice_the_last_counts);
    tcase_add_test(tcase, keys_and_sizes_have_five_bytes_at_most);
    tcase_add_test(tcase, numbers_of_each_kind_keep_their_value);
    tcase_add_test(
        tcase, more_orders_or_outcomes_than_a_batch_holds_are_refused);
    tcase_add_test(tcase, a_text_over_the_limit_is_refused_before_it_is_copied);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
