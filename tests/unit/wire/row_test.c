#include "common/wire/row.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/base/prng.h"
#include "common/model/reserved.h"
#include "common/wire/row_limits.h"
#include "tests/suite.h"

#define UUID "1f1e5e9d-b535-6873-8001-73470c2398e7"
#define TASK "ad05cef3-3723-7f5e-0b12-4d91420ee3db"

enum { CHECK_SIZE = 9 };

static struct ss_error error;
static struct ss_buf body;
static struct ss_row *row;
static struct ss_row *decoded;

static void setup(void)
{
    ss_value_setup();
    error = (struct ss_error){0};
    ss_buf_init(&body, 1 << 20);
    row = ss_row_new();
}

static void teardown(void)
{
    ss_buf_fini(&body);
    ss_row_destroy(&row);
    ss_row_destroy(&decoded);
}

static struct ss_value *value(const char *text)
{
    return ss_value_from_text(text, strlen(text));
}

static void write_add(const char *path, const char *task, int32_t idx,
    const char *channel, struct ss_value *it)
{
    size_t count = row->writes_count++;
    if ((count & (count - 1)) == 0) { // a power of two: it is full
        size_t capacity = count;
        row->writes = ss_arena_grow(&row->memory, row->writes, &capacity,
            count + 1, sizeof(*row->writes));
    }
    row->writes[count] = (struct ss_row_write){
        .path = ss_arena_text(&row->memory, path),
        .idx = idx,
        .channel = ss_arena_text(&row->memory, channel),
        .value = it,
    };
    (void)snprintf(row->writes[count].task_id,
        sizeof(row->writes[count].task_id), "%s", task);
}

static void channel_add(
    const char *name, int64_t version, enum ss_delta_op op, struct ss_value *it)
{
    struct ss_row_checkpoint *to = &row->checkpoint;
    size_t count = to->channels_count++;
    size_t capacity = count;
    to->channels = ss_arena_grow(&row->memory, to->channels, &capacity,
        count + 1, sizeof(*to->channels));
    to->channels[count] =
        (struct ss_row_channel){.name = ss_arena_text(&row->memory, name),
            .version = version,
            .op = op,
            .value = it};
}

static void seen_add(const char *node, const char *channel, int64_t version)
{
    struct ss_row_checkpoint *to = &row->checkpoint;
    size_t count = to->seen_count++;
    size_t capacity = count;
    to->seen = ss_arena_grow(
        &row->memory, to->seen, &capacity, count + 1, sizeof(*to->seen));
    to->seen[count] =
        (struct ss_row_seen){.node = ss_arena_text(&row->memory, node),
            .channel = ss_arena_text(&row->memory, channel),
            .version = version};
}

// A row with something in every place.
static void sample(void)
{
    strcpy(row->of, UUID);
    strcpy(row->answer_of, TASK);
    row->void_from = 3;
    row->void_seq = UINT64_MAX;
    row->entry = json_pack("{s:{s:i}}", "input", "x", 1);
    row->end = json_pack("{s:s}", "status", "done");
    write_add("~a", TASK, 0, "x", value("[1,2]"));
    write_add("~a", TASK, -3, SS_NAME_INTERRUPT, value("null"));
    write_add("~b", TASK, 1, "x", ss_value_opaque(SS_VALUE_BYTES, "", 0));
    write_add("", "00000001-delta", 2, "\xc3\xa4",
        ss_value_opaque(SS_VALUE_MSGPACK, "\x93\0\1\2", 4));
    write_add("", SS_NULL_TASK, -4, SS_NAME_RESUME, NULL);
    row->has_checkpoint = true;
    channel_add("x", 1, SS_DELTA_SET, value("{\"a\":null}"));
    channel_add("branch:to:b", INT64_MAX, SS_DELTA_CLEAR, NULL);
    channel_add("log", -5, SS_DELTA_APPEND, value("[\"new\"]"));
    seen_add("__input__", NULL, 0);
    seen_add("a", "x", 1);
    seen_add("a", "log", -1);
    seen_add("b", "x", 7);
    seen_add("b", NULL, 0);
    row->checkpoint.updated_known = true;
    row->checkpoint.updated = ss_arena_take(&row->memory, 2 * sizeof(char *));
    row->checkpoint.updated[0] = ss_arena_text(&row->memory, "log");
    row->checkpoint.updated[1] = ss_arena_text(&row->memory, "x");
    row->checkpoint.updated_count = 2;
}

static void encode(void)
{
    struct ss_tail tail;
    ss_tail_init(&tail, SS_ROW_SIZE_MAX);
    int status = ss_row_encode(row, &tail, &error);
    ck_assert_msg(status == SS_OK, "%s", error.message);
    ck_assert_int_eq(ss_buf_add(&body, tail.end - tail.size, tail.size), SS_OK);
    ss_tail_fini(&tail);
}

static void decode(void)
{
    ss_row_destroy(&decoded);
    int status = ss_row_decode(body.data, body.size, &decoded, &error);
    ck_assert_msg(status == SS_OK, "%s", error.message);
    ck_assert_uint_eq(decoded->size, body.size);
}

static void same_value(struct ss_value *a, struct ss_value *b)
{
    ck_assert_int_eq(a == NULL, b == NULL);
    if (a) {
        size_t a_size = 0, b_size = 0;
        ck_assert_int_eq(ss_value_tag(a), ss_value_tag(b));
        const char *a_text = ss_value_text(a, &a_size);
        const char *b_text = ss_value_text(b, &b_size);
        ck_assert_uint_eq(a_size, b_size);
        ck_assert_mem_eq(a_text, b_text, a_size);
    }
}

static void same_checkpoint(void)
{
    const struct ss_row_checkpoint *a = &row->checkpoint;
    const struct ss_row_checkpoint *b = &decoded->checkpoint;
    ck_assert_int_eq(a->whole, b->whole);
    ck_assert_uint_eq(a->channels_count, b->channels_count);
    for (size_t i = 0; i < a->channels_count; i++) {
        ck_assert_str_eq(a->channels[i].name, b->channels[i].name);
        ck_assert_int_eq(a->channels[i].version, b->channels[i].version);
        ck_assert_int_eq(a->channels[i].op, b->channels[i].op);
        same_value(a->channels[i].value, b->channels[i].value);
    }
    ck_assert_uint_eq(a->seen_count, b->seen_count);
    for (size_t i = 0; i < a->seen_count; i++) {
        ck_assert_str_eq(a->seen[i].node, b->seen[i].node);
        ck_assert_pstr_eq(a->seen[i].channel, b->seen[i].channel);
        ck_assert_int_eq(a->seen[i].version, b->seen[i].version);
    }
    ck_assert_int_eq(a->updated_known, b->updated_known);
    ck_assert_uint_eq(a->updated_count, b->updated_count);
    for (size_t i = 0; i < a->updated_count; i++) {
        ck_assert_str_eq(a->updated[i], b->updated[i]);
    }
}

static void same_row(void)
{
    ck_assert_str_eq(row->of, decoded->of);
    ck_assert_str_eq(row->answer_of, decoded->answer_of);
    ck_assert_uint_eq(row->void_from, decoded->void_from);
    ck_assert_uint_eq(row->void_seq, decoded->void_seq);
    ck_assert_int_eq(row->entry == NULL, decoded->entry == NULL);
    ck_assert(!row->entry || json_equal(row->entry, decoded->entry));
    ck_assert_int_eq(row->end == NULL, decoded->end == NULL);
    ck_assert(!row->end || json_equal(row->end, decoded->end));
    ck_assert_uint_eq(row->writes_count, decoded->writes_count);
    for (size_t i = 0; i < row->writes_count; i++) {
        const struct ss_row_write *a = &row->writes[i];
        const struct ss_row_write *b = &decoded->writes[i];
        ck_assert_str_eq(a->task_id, b->task_id);
        ck_assert_str_eq(a->path, b->path);
        ck_assert_int_eq(a->idx, b->idx);
        ck_assert_str_eq(a->channel, b->channel);
        same_value(a->value, b->value);
    }
    ck_assert_int_eq(row->has_checkpoint, decoded->has_checkpoint);
    same_checkpoint();
}

// --- round trips ------------------------------------------------------------

START_TEST(a_row_comes_back_as_it_was)
{
    sample();
    encode();
    decode();
    same_row();
}
END_TEST

START_TEST(an_empty_row_is_the_check_alone)
{
    encode();
    ck_assert_uint_eq(body.size, CHECK_SIZE);
    decode();
    same_row();
}
END_TEST

START_TEST(a_checkpoint_without_changes_is_a_checkpoint)
{
    row->has_checkpoint = true;
    encode();
    decode();
    same_row();
    ck_assert(decoded->has_checkpoint);
    ck_assert(!decoded->checkpoint.updated_known);
}
END_TEST

START_TEST(no_updated_channels_are_not_unknown_ones)
{
    row->has_checkpoint = true;
    row->checkpoint.whole = true;
    row->checkpoint.updated_known = true;
    encode();
    decode();
    same_row();
    ck_assert(decoded->checkpoint.updated_known);
    ck_assert_uint_eq(decoded->checkpoint.updated_count, 0);
}
END_TEST

START_TEST(ids_that_are_no_canonical_uuids_stay_as_they_are)
{
    static const char *const ids[] = {UUID, "x", "sixteen bytes ..",
        "1F1E5E9D-B535-6873-8001-73470C2398E7",
        "1f1e5e9db53568738001-73470c2398e7",
        "not-a-uuid-of-thirty-six-characters!"};
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        write_add("", ids[i], 0, "x", value("1"));
        (void)snprintf(row->of, sizeof(row->of), "%s", ids[i]);
        ss_buf_reset(&body);
        encode();
        decode();
        same_row();
    }
}
END_TEST

START_TEST(the_same_row_has_the_same_bytes)
{
    sample();
    encode();
    size_t size = body.size;
    encode();
    ck_assert_uint_eq(body.size, 2 * size);
    ck_assert_mem_eq(body.data, body.data + size, size);
}
END_TEST

static uint64_t hash_of_body(void)
{
    ss_buf_reset(&body);
    encode();
    return ss_hash64(ss_buf_str(&body), body.size);
}

// The hashes are those of what protobuf-c packed, before bodies were written
// straight to bytes: rows that are stored and rows that come are alike.
START_TEST(a_body_has_the_bytes_that_protobuf_wrote)
{
    sample();
    ck_assert_uint_eq(hash_of_body(), UINT64_C(11127538864455328397));
    // larger than what is at hand at first, with ids that are no UUIDs
    for (int i = 0; i < 40; i++) {
        write_add(i % 3 ? "~pull, a" : "", i % 2 ? TASK : "own", i, "x",
            value("\"some text that takes its room\""));
        seen_add(i % 4 ? "a" : "b", i % 5 ? "x" : NULL, i * 100);
    }
    ck_assert_uint_eq(hash_of_body(), UINT64_C(1376243254736742390));
    ck_assert_uint_gt(body.size, 2048);
}
END_TEST

START_TEST(a_superstep_takes_little_room)
{
    strcpy(row->of, UUID);
    write_add("~pull, a", TASK, 0, "x", value("1"));
    row->has_checkpoint = true;
    channel_add("x", 5, SS_DELTA_SET, value("1"));
    channel_add("branch:to:b", 5, SS_DELTA_SET, value("null"));
    seen_add("a", "branch:to:a", 4);
    encode();
    ck_assert_uint_lt(body.size, 160);
}
END_TEST

START_TEST(a_snapshot_of_small_channels_fits_its_budget)
{
    enum { COUNT = 5000 };
    ss_buf_fini(&body);
    ss_buf_init(&body, 1 << 24);
    row->has_checkpoint = true;
    row->checkpoint.whole = true;
    for (int i = 0; i < COUNT; i++) {
        channel_add("c", 1, SS_DELTA_CLEAR, NULL);
        seen_add("n", "c", 1);
        seen_add("m", NULL, 0);
    }
    encode();
    decode();
    ck_assert_uint_eq(decoded->checkpoint.channels_count, COUNT);
    ck_assert_uint_eq(decoded->checkpoint.seen_count, 2 * COUNT);
}
END_TEST

START_TEST(a_row_that_does_not_fit_is_refused)
{
    struct ss_tail tail;
    ss_tail_init(&tail, 100);
    sample();
    ss_tail_text(&tail, 1, "before");
    ck_assert_int_eq(ss_row_encode(row, &tail, &error), SS_ELIMIT);
    ck_assert_ptr_nonnull(strstr(error.message, "a journal row of "));
    // The tail is as good as new once it was reset.
    ss_tail_reset(&tail, 0);
    ss_tail_text(&tail, 1, "behind");
    ck_assert_uint_eq(tail.size, 8);
    ck_assert_mem_eq(tail.end - 8,
        "\x0a\x06"
        "behind",
        8);
    ss_tail_fini(&tail);
}
END_TEST

START_TEST(a_row_stands_in_front_of_another_with_the_same_bytes)
{
    struct ss_tail tail;
    ss_tail_init(&tail, SIZE_MAX / 4);
    sample();
    encode();
    for (int i = 0; i < 20; i++)
        ck_assert_int_eq(ss_row_encode(row, &tail, &error), SS_OK);
    ck_assert_uint_eq(tail.size, 20 * body.size);
    for (size_t i = 1; i <= 20; i++)
        ck_assert_mem_eq(tail.end - i * body.size, body.data, body.size);
    ss_tail_fini(&tail);
}
END_TEST

// --- damage -----------------------------------------------------------------

static int decode_bytes(const char *bytes, size_t size)
{
    ss_row_destroy(&decoded);
    // Exactly so many bytes, so that a read beyond them is noticed.
    char *copy = ss_alloc(size);
    memcpy(copy, bytes, size);
    int status = ss_row_decode(copy, size, &decoded, &error);
    ss_free(copy);
    return status;
}

START_TEST(a_row_that_was_cut_short_is_damaged)
{
    sample();
    encode();
    for (size_t size = 0; size < body.size; size++) {
        ck_assert_int_eq(decode_bytes(body.data, size), SS_ECORRUPT);
        ck_assert_ptr_null(decoded);
    }
    ck_assert_str_eq(error.message,
        "a damaged journal row: its bytes are not those that were written");
}
END_TEST

START_TEST(a_byte_that_was_changed_is_noticed)
{
    sample();
    encode();
    for (size_t at = 0; at < body.size; at++) {
        for (unsigned flip = 1; flip < 256; flip++) {
            body.data[at] = (char)(body.data[at] ^ (char)flip);
            ck_assert_int_eq(
                ss_row_decode(body.data, body.size, &decoded, &error),
                SS_ECORRUPT);
            body.data[at] = (char)(body.data[at] ^ (char)flip);
        }
    }
    decode();
}
END_TEST

// The check over what stands there now: damage that knows how to hash.
static void forge(char *bytes, size_t size)
{
    uint64_t hash = ss_hash64(bytes, size - CHECK_SIZE);
    for (size_t i = 0; i < 8; i++) {
        bytes[size - 8 + i] = (char)(hash >> (8 * i));
    }
}

static void survive(const char *bytes, size_t size)
{
    int status = decode_bytes(bytes, size);
    ck_assert(status == SS_OK || status == SS_ECORRUPT || status == SS_ELIMIT);
    ck_assert_int_eq(status == SS_OK, decoded != NULL);
    if (decoded) {
        decoded->seq = 1;
        decoded->kind = SS_ROW_WRITES;
        (void)!ss_row_valid(decoded, &error);
    }
}

START_TEST(a_forged_byte_does_no_harm)
{
    static const unsigned char flips[] = {1, 2, 4, 8, 16, 32, 64, 128, 255};
    sample();
    encode();
    char *copy = ss_memdup(body.data, body.size);
    for (size_t at = 0; at < body.size - CHECK_SIZE; at++) {
        for (size_t f = 0; f < sizeof(flips); f++) {
            memcpy(copy, body.data, body.size);
            copy[at] = (char)(copy[at] ^ (char)flips[f]);
            forge(copy, body.size);
            survive(copy, body.size);
        }
    }
    ss_free(copy);
}
END_TEST

START_TEST(a_forged_cut_does_no_harm)
{
    sample();
    encode();
    char *copy = ss_memdup(body.data, body.size);
    for (size_t size = CHECK_SIZE; size < body.size; size++) {
        memcpy(copy, body.data, size - CHECK_SIZE);
        copy[size - CHECK_SIZE] = 0x79;
        forge(copy, size);
        survive(copy, size);
    }
    ss_free(copy);
}
END_TEST

START_TEST(forged_noise_does_no_harm)
{
    struct ss_prng prng;
    ss_prng_init(&prng, 42);
    sample();
    encode();
    char *copy = ss_memdup(body.data, body.size);
    for (int round = 0; round < 20000; round++) {
        memcpy(copy, body.data, body.size);
        uint64_t count = 1 + ss_prng_below(&prng, 8);
        for (uint64_t i = 0; i < count; i++) {
            size_t at = (size_t)ss_prng_below(&prng, body.size - CHECK_SIZE);
            copy[at] = (char)ss_prng_next(&prng);
        }
        forge(copy, body.size);
        survive(copy, body.size);
    }
    ss_free(copy);
}
END_TEST

// A body of these bytes, with a check that holds.
static int decode_forged(const char *bytes, size_t size)
{
    char forged[128];
    memcpy(forged, bytes, size);
    forged[size] = 0x79;
    forge(forged, size + CHECK_SIZE);
    return decode_bytes(forged, size + CHECK_SIZE);
}

#define FORGED(text) decode_forged(text, sizeof(text) - 1)

START_TEST(what_the_schema_allows_and_we_do_not_is_damage)
{
    // An `of` of three bytes, and of forty letters.
    ck_assert_int_eq(FORGED("\x1a\x03"
                            "abc"),
        SS_ECORRUPT);
    ck_assert_str_eq(
        error.message, "a damaged journal row: an id of another size");
    ck_assert_int_eq(FORGED("\x22\x28"
                            "0123456789012345678901234567890123456"
                            "789"),
        SS_ECORRUPT);
    ck_assert_str_eq(error.message, "a damaged journal row: too long an id");
    // An entry that is not JSON, or empty.
    ck_assert_int_eq(FORGED("\x2a\x01{"), SS_ECORRUPT);
    ck_assert_int_eq(FORGED("\x2a\x00"), SS_ECORRUPT);
    ck_assert_str_eq(
        error.message, "a damaged journal row: what should be JSON");
    // A write under the tag 9.
    ck_assert_int_eq(FORGED("\x32\x0b\x22\x09\x08\x00\x12\x01x\x18\x09\x22"
                            "\x00"),
        SS_ECORRUPT);
    ck_assert_str_eq(
        error.message, "a damaged journal row: an unknown tag of a value");
    // A write without a channel.
    ck_assert_int_eq(FORGED("\x32\x04\x22\x02\x08\x00"), SS_ECORRUPT);
    ck_assert_str_eq(
        error.message, "a damaged journal row: it does not follow its schema");
    // A channel that changes in a way of its own.
    ck_assert_int_eq(
        FORGED("\x3a\x09\x12\x07\x0a\x01x\x10\x02\x18\x07"), SS_ECORRUPT);
    ck_assert_str_eq(
        error.message, "a damaged journal row: an unknown change of a channel");
}
END_TEST

START_TEST(a_field_of_a_newer_minor_version_is_passed_over)
{
    ck_assert_int_eq(FORGED("\xf2\x01\x03"
                            "new\x10\x05"),
        SS_OK);
    ck_assert_uint_eq(decoded->void_seq, 5);
}
END_TEST

START_TEST(a_row_that_asks_for_too_much_memory_is_refused)
{
    // A task without anything takes 2 bytes there, and 80 and more here.
    enum { COUNT = 1 << 16 };
    size_t size = 2 * (size_t)COUNT + CHECK_SIZE;
    char *bytes = ss_zalloc(1, size);
    for (size_t i = 0; i < COUNT; i++) {
        bytes[2 * i] = 0x32;
    }
    bytes[size - CHECK_SIZE] = 0x79;
    forge(bytes, size);
    ck_assert_int_eq(decode_bytes(bytes, size), SS_ELIMIT);
    ck_assert_ptr_nonnull(strstr(error.message, "takes too much memory"));
    ss_free(bytes);
}
END_TEST

START_TEST(a_body_over_the_limit_is_not_read)
{
    ck_assert_int_eq(
        ss_row_decode("", SS_ROW_SIZE_MAX + 1, &decoded, &error), SS_ELIMIT);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("row");
    TCase *t = tcase_create("row");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 600);
    tcase_add_test(t, a_row_comes_back_as_it_was);
    tcase_add_test(t, an_empty_row_is_the_check_alone);
    tcase_add_test(t, a_checkpoint_without_changes_is_a_checkpoint);
    tcase_add_test(t, no_updated_channels_are_not_unknown_ones);
    tcase_add_test(t, ids_that_are_no_canonical_uuids_stay_as_they_are);
    tcase_add_test(t, the_same_row_has_the_same_bytes);
    tcase_add_test(t, a_body_has_the_bytes_that_protobuf_wrote);
    tcase_add_test(t, a_superstep_takes_little_room);
    tcase_add_test(t, a_snapshot_of_small_channels_fits_its_budget);
    tcase_add_test(t, a_row_that_does_not_fit_is_refused);
    tcase_add_test(t, a_row_stands_in_front_of_another_with_the_same_bytes);
    tcase_add_test(t, a_row_that_was_cut_short_is_damaged);
    tcase_add_test(t, a_byte_that_was_changed_is_noticed);
    tcase_add_test(t, a_forged_byte_does_no_harm);
    tcase_add_test(t, a_forged_cut_does_no_harm);
    tcase_add_test(t, forged_noise_does_no_harm);
    tcase_add_test(t, what_the_schema_allows_and_we_do_not_is_damage);
    tcase_add_test(t, a_field_of_a_newer_minor_version_is_passed_over);
    tcase_add_test(t, a_row_that_asks_for_too_much_memory_is_refused);
    tcase_add_test(t, a_body_over_the_limit_is_not_read);
    suite_add_tcase(s, t);
    return s;
}

int main(void)
{
    return suite_main(suite());
}
