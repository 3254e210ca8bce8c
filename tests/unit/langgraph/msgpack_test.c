#include "client/langgraph/msgpack.h"

#include <math.h>

#include "tests/unit/langgraph/bytes.h"

static struct ss_msgpack_item read_one(const char *hex)
{
    size_t size;
    uint8_t *bytes = bytes_of(hex, &size);
    struct ss_msgpack_reader reader;
    struct ss_msgpack_item item;
    struct ss_error error;
    ss_msgpack_init(&reader, bytes, size);
    if (ss_msgpack_read(&reader, &item, &error) != SS_OK)
        ck_abort_msg("%s: %s", hex, error.message);
    if (item.type != SS_MSGPACK_ARRAY && item.type != SS_MSGPACK_MAP)
        ck_assert(ss_msgpack_done(&reader));
    ss_free(bytes);
    return item; // its bytes are gone
}

static void expect_integer(const char *hex, int64_t integer)
{
    struct ss_msgpack_item item = read_one(hex);
    ck_assert_int_eq(item.type, SS_MSGPACK_INT);
    ck_assert_int_eq(item.integer, integer);
}

static void expect_sized(
    const char *hex, enum ss_msgpack_type type, size_t size)
{
    struct ss_msgpack_item item = read_one(hex);
    ck_assert_int_eq(item.type, type);
    bool counts = type == SS_MSGPACK_ARRAY || type == SS_MSGPACK_MAP;
    ck_assert_uint_eq(counts ? item.count : item.size, size);
}

static void expect_malformed(const char *hex, const char *words)
{
    size_t size;
    uint8_t *bytes = bytes_of(hex, &size);
    struct ss_msgpack_reader reader;
    struct ss_error error = {0};
    ss_msgpack_init(&reader, bytes, size);
    ck_assert_int_eq(ss_msgpack_skip(&reader, &error), SS_EFORMAT);
    if (!strstr(error.message, words))
        ck_abort_msg(
            "%s: \"%s\" says nothing of \"%s\"", hex, error.message, words);
    ss_free(bytes);
}

START_TEST(integers_are_read_in_every_form)
{
    expect_integer("00", 0);
    expect_integer("7f", 127);
    expect_integer("ff", -1);
    expect_integer("e0", -32);
    expect_integer("ccff", 255);
    expect_integer("cd00ff", 255);
    expect_integer("ce000000ff", 255);
    expect_integer("cf00000000000000ff", 255);
    expect_integer("d0ff", -1);
    expect_integer("d1ff00", -256);
    expect_integer("d2ffffff00", -256);
    expect_integer("d3ffffffffffffff00", -256);
    expect_integer("d38000000000000000", INT64_MIN);
    expect_integer("d07f", 127);
    expect_integer("cf7fffffffffffffff", INT64_MAX);
    struct ss_msgpack_item item = read_one("cf8000000000000000");
    ck_assert_int_eq(item.type, SS_MSGPACK_UINT);
    ck_assert_uint_eq(item.natural, (uint64_t)1 << 63);
}
END_TEST

START_TEST(floats_are_read_in_both_sizes)
{
    ck_assert_double_eq(read_one("ca3fc00000").number, 1.5);
    ck_assert_double_eq(read_one("cb3ff8000000000000").number, 1.5);
    ck_assert(isnan(read_one("cb7ff8000000000000").number));
    ck_assert(read_one("c3").truth);
    ck_assert(!read_one("c2").truth);
    ck_assert_int_eq(read_one("c0").type, SS_MSGPACK_NIL);
}
END_TEST

START_TEST(what_has_a_size_is_read_with_every_head)
{
    expect_sized("a161", SS_MSGPACK_STR, 1);
    expect_sized("d90161", SS_MSGPACK_STR, 1);
    expect_sized("da000161", SS_MSGPACK_STR, 1);
    expect_sized("db0000000161", SS_MSGPACK_STR, 1);
    expect_sized("c40161", SS_MSGPACK_BIN, 1);
    expect_sized("c5000161", SS_MSGPACK_BIN, 1);
    expect_sized("c60000000161", SS_MSGPACK_BIN, 1);
    expect_sized("c7010561", SS_MSGPACK_EXT, 1);
    expect_sized("c800010561", SS_MSGPACK_EXT, 1);
    expect_sized("c9000000010561", SS_MSGPACK_EXT, 1);
    expect_sized("d40561", SS_MSGPACK_EXT, 1);
    expect_sized("d5056161", SS_MSGPACK_EXT, 2);
    expect_sized("d60561616161", SS_MSGPACK_EXT, 4);
    expect_sized("d7056161616161616161", SS_MSGPACK_EXT, 8);
    expect_sized("d80561616161616161616161616161616161", SS_MSGPACK_EXT, 16);
    expect_sized("9161", SS_MSGPACK_ARRAY, 1);
    expect_sized("dc000161", SS_MSGPACK_ARRAY, 1);
    expect_sized("dd0000000161", SS_MSGPACK_ARRAY, 1);
    expect_sized("816161", SS_MSGPACK_MAP, 1);
    expect_sized("de00016161", SS_MSGPACK_MAP, 1);
    expect_sized("df000000016161", SS_MSGPACK_MAP, 1);
    ck_assert_int_eq(read_one("c701ff61").code, -1);
    ck_assert_int_eq(read_one("d40561").code, 5);
}
END_TEST

START_TEST(what_is_cut_short_is_refused_with_its_place)
{
    expect_malformed("", "byte 0: it ends too early");
    expect_malformed("c1", "byte 0: c1 begins nothing");
    expect_malformed("cc", "byte 1: it ends");
    expect_malformed("a261", "byte 1: it ends");
    expect_malformed("c6ffffffff61", "it ends too early");
    expect_malformed("c7", "it ends");
    expect_malformed("d405", "it ends");
    expect_malformed("92c0", "more items than bytes");
    expect_malformed("ddffffffff", "more items than bytes");
    expect_malformed("dfffffffffc0c0", "more items than bytes");
    expect_malformed("9291c0", "it ends too early"); // enough for one level
    expect_malformed("92c0c1", "byte 2: c1");
}
END_TEST

START_TEST(a_whole_item_is_passed_at_any_depth)
{
    enum { DEPTH = 200000 };
    uint8_t *bytes = ss_alloc(DEPTH + 2);
    memset(bytes, 0x91, DEPTH);
    bytes[DEPTH] = 0xc0;
    bytes[DEPTH + 1] = 0xc3;
    struct ss_msgpack_reader reader;
    struct ss_msgpack_item item;
    ss_msgpack_init(&reader, bytes, DEPTH + 2);
    ck_assert_int_eq(ss_msgpack_skip(&reader, NULL), SS_OK);
    ck_assert_int_eq(ss_msgpack_read(&reader, &item, NULL), SS_OK);
    ck_assert(item.type == SS_MSGPACK_BOOL && ss_msgpack_done(&reader));
    ss_free(bytes);
}
END_TEST

static void expect_ext(size_t size, const char *head)
{
    char payload[300] = {0};
    struct ss_buf buf;
    ss_buf_init(&buf, 1024);
    ss_msgpack_ext(&buf, 5, payload, size);
    char *hex = hex_of(buf.data, buf.size - size);
    ck_assert_str_eq(hex, head);
    ss_free(hex);
    ss_buf_fini(&buf);
}

START_TEST(extensions_take_the_shortest_head)
{
    expect_ext(0, "c70005");
    expect_ext(1, "d405");
    expect_ext(2, "d505");
    expect_ext(3, "c70305");
    expect_ext(4, "d605");
    expect_ext(8, "d705");
    expect_ext(16, "d805");
    expect_ext(17, "c71105");
    expect_ext(300, "c8012c05");
}
END_TEST

START_TEST(what_does_not_fit_is_told_by_the_buffer)
{
    struct ss_buf buf;
    ss_buf_init(&buf, 4);
    ss_msgpack_str(&buf, "too long", 8);
    ck_assert_int_eq(buf.status, SS_ELIMIT);
    ss_buf_fini(&buf);
}
END_TEST

RUN("msgpack", integers_are_read_in_every_form, floats_are_read_in_both_sizes,
    what_has_a_size_is_read_with_every_head,
    what_is_cut_short_is_refused_with_its_place,
    a_whole_item_is_passed_at_any_depth, extensions_take_the_shortest_head,
    what_does_not_fit_is_told_by_the_buffer)
