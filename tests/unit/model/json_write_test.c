// What the writer takes a short way for must have the bytes of the long way.
#include "tests/unit/model/help.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base/prng.h"

static void expect_text(json_t *json, const char *expected)
{
    size_t size;
    char *text = ss_json_text_sized(json, &size);
    ck_assert_str_eq(text, expected);
    ck_assert_uint_eq(size, strlen(expected));
    ss_free(text);
    json_decref(json);
}

// --- strings -----------------------------------------------------------------

// One letter after the other, as RFC 8259 has it.
static size_t plainly(const char *text, size_t size, char *to)
{
    size_t at = 0;
    to[at++] = '"';
    for (size_t i = 0; i < size; i++) {
        static const char named[] = "\"\\\n\r\t", by[] = "\"\\nrt";
        unsigned char c = (unsigned char)text[i];
        const char *found = c ? strchr(named, c) : NULL;
        if (found) {
            to[at++] = '\\';
            to[at++] = by[found - named];
        } else if (c < 0x20) {
            at += (size_t)snprintf(to + at, 7, "\\u%04x", c);
        } else {
            to[at++] = (char)c;
        }
    }
    to[at++] = '"';
    to[at] = '\0';
    return at;
}

static void expect_string(const char *text, size_t size)
{
    char wanted[6 * 128 + 3];
    struct ss_buf buf;
    size_t length = plainly(text, size, wanted);
    json_t *json = json_stringn_nocheck(text, size);
    char *written = ss_json_text(json);
    ck_assert_str_eq(written, wanted);
    ss_buf_init(&buf, SIZE_MAX);
    ss_json_add_string(&buf, text, size);
    ck_assert_uint_eq(buf.size, length);
    ck_assert_str_eq(ss_buf_str(&buf), wanted);
    ss_buf_fini(&buf);
    ss_free(written);
    json_decref(json);
}

START_TEST(a_letter_is_escaped_wherever_it_stands)
{
    char text[100];
    for (size_t size = 0; size <= sizeof(text); size++) {
        memset(text, 'x', sizeof(text));
        expect_string(text, size);
        for (size_t at = 0; at < size; at++) {
            static const char special[] = "\"\\\n\x1f\0 !#[]\x7f\x80\xff";
            for (size_t i = 0; i < sizeof(special) - 1; i++) {
                text[at] = special[i];
                expect_string(text, size);
            }
            text[at] = 'x';
        }
    }
}
END_TEST

START_TEST(any_bytes_are_written_as_letter_by_letter)
{
    struct ss_prng prng;
    char text[128];
    ss_prng_init(&prng, 11);
    for (int round = 0; round < 5000; round++) {
        size_t size = (size_t)(ss_prng_next(&prng) % (sizeof(text) + 1));
        uint64_t rarely = 1 + ss_prng_next(&prng) % 64;
        for (size_t i = 0; i < size; i++)
            text[i] =
                (char)(ss_prng_next(&prng) % rarely == 0 ? ss_prng_next(&prng)
                                                         : 'a');
        expect_string(text, size);
    }
}
END_TEST

START_TEST(a_string_too_long_for_its_buffer_is_the_buffers_error)
{
    struct ss_buf buf;
    ss_buf_init(&buf, 10);
    ss_json_add_string(&buf, "123456789", 9);
    ck_assert_int_eq(buf.status, SS_ELIMIT);
    ss_buf_fini(&buf);
    ss_buf_init(&buf, 10);
    ss_json_add_string(&buf, "12345\n789", 9);
    ck_assert_int_eq(buf.status, SS_ELIMIT);
    ss_buf_fini(&buf);
    ss_buf_init(&buf, 11);
    ss_json_add_string(&buf, "123456789", 9);
    ck_assert_str_eq(ss_buf_str(&buf), "\"123456789\"");
    ss_buf_fini(&buf);
}
END_TEST

// --- numbers -----------------------------------------------------------------

// The shortest of printf()'s texts that reads back.
static void longly(double number, char text[40])
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, 38, "%.*g", digits, number);
        if (fabs(strtod(text, NULL) - number) <= 0)
            break;
    }
    if (!strpbrk(text, ".eE"))
        memcpy(text + strlen(text), ".0", 3);
}

static void expect_real(double number)
{
    char wanted[40];
    longly(number, wanted);
    expect_text(json_real(number), wanted);
    longly(-number, wanted);
    expect_text(json_real(-number), wanted);
}

START_TEST(a_short_fraction_has_the_text_of_a_long_one)
{
    static const double numbers[] = {0, 1, 10, 0.5, 0.57, 0.1, 0.3, 1e-4, 1e-5,
        9.9e-5, 0.000123, 1e14, 1e15, 1e16, 999999999999999, 999999999999999.9,
        99999999999999.9, 1234567.891, 123456789012.345, 0.1234567, 0.123456,
        1.000001, 100.000001, 4503599627370497.5, 2.5e-3, 1e-6, 1.0 / 3};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
        expect_real(numbers[i]);
        expect_real(nextafter(numbers[i], 1e300));
        expect_real(nextafter(numbers[i], 0));
    }
}
END_TEST

START_TEST(every_fraction_has_the_text_of_the_long_way)
{
    struct ss_prng prng;
    ss_prng_init(&prng, 12);
    for (int i = 0; i < 10000; i++) {
        // digits, a point somewhere among them
        double digits = (double)(ss_prng_next(&prng) >> (i % 53 + 11));
        double scale = 1;
        for (int k = i % 9; k > 0; k--)
            scale *= 10;
        expect_real(digits / scale);
        expect_real(ss_prng_unit(&prng) * scale);
    }
}
END_TEST

START_TEST(every_integer_has_its_digits)
{
    struct ss_prng prng;
    char wanted[32];
    ss_prng_init(&prng, 13);
    for (int i = 0; i < 20000; i++) {
        json_int_t number = (json_int_t)(ss_prng_next(&prng) >> (i % 64));
        snprintf(wanted, sizeof(wanted), "%" JSON_INTEGER_FORMAT, number);
        expect_text(json_integer(number), wanted);
    }
}
END_TEST

// --- containers that stand several times -------------------------------------

// Others of the same contents, none of which stands twice.
static void expect_as_copied(const json_t *json)
{
    json_t *copy = json_deep_copy(json);
    char *text = ss_json_text(json), *wanted = ss_json_text(copy);
    ck_assert_str_eq(text, wanted);
    ss_free(text);
    ss_free(wanted);
    text = ss_json_canonical(json);
    wanted = ss_json_canonical(copy);
    ck_assert_str_eq(text, wanted);
    ss_free(text);
    ss_free(wanted);
    json_decref(copy);
}

START_TEST(what_stands_twice_is_written_twice)
{
    json_t *it = js("{'b': [1, 'x'], 'a': {}}");
    json_t *list = json_pack("[O,O,{s:O},[O],O]", it, it, "k", it, it, it);
    expect_as_copied(list);
    json_decref(it);
    expect_text(list,
        "[{\"b\":[1,\"x\"],\"a\":{}},{\"b\":[1,\"x\"],\"a\":{}},"
        "{\"k\":{\"b\":[1,\"x\"],\"a\":{}}},[{\"b\":[1,\"x\"],\"a\":{}}],"
        "{\"b\":[1,\"x\"],\"a\":{}}]");
}
END_TEST

START_TEST(what_others_hold_is_written_as_what_nobody_else_holds)
{
    enum { HELD = 200, LISTS = 300 };
    struct ss_prng prng;
    json_t *held[HELD];
    ss_prng_init(&prng, 14);
    // Each is made of earlier ones: more than the writer remembers.
    for (size_t i = 0; i < HELD; i++) {
        held[i] = i % 2 ? json_array() : json_object();
        for (size_t k = 0; i > 8 && k < 3; k++) {
            json_t *other = held[i - 1 - ss_prng_next(&prng) % 8];
            char key[] = {(char)('c' - (char)k), '\0'};
            if (ss_prng_next(&prng) % 3 > 0)
                other = NULL;
            json_t *member = other ? json_incref(other) : json_integer(7);
            if (i % 2)
                json_array_append_new(held[i], member);
            else
                json_object_set_new(held[i], key, member);
        }
    }
    for (size_t i = 0; i < LISTS; i++) {
        json_t *list = json_array();
        for (size_t k = 0; k < 40; k++)
            json_array_append(list, held[ss_prng_next(&prng) % HELD]);
        expect_as_copied(list);
        json_decref(list);
    }
    for (size_t i = 0; i < HELD; i++)
        json_decref(held[i]);
}
END_TEST

RUN("json_write", a_letter_is_escaped_wherever_it_stands,
    any_bytes_are_written_as_letter_by_letter,
    a_string_too_long_for_its_buffer_is_the_buffers_error,
    a_short_fraction_has_the_text_of_a_long_one,
    every_fraction_has_the_text_of_the_long_way, every_integer_has_its_digits,
    what_stands_twice_is_written_twice,
    what_others_hold_is_written_as_what_nobody_else_holds)
