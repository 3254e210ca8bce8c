#include "common/wire/repeats.h"

#include <check.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/prng.h"
#include "tests/suite.h"

enum { SIZE_MAX_HERE = 1 << 22 };

static struct ss_shortener *shortener;
static struct ss_buf pieces, back;
static struct ss_stretch before[2];
static size_t count;

static void setup(void)
{
    shortener = ss_shortener_new();
    ss_buf_init(&pieces, SIZE_MAX_HERE);
    ss_buf_init(&back, SIZE_MAX_HERE);
    count = 0;
}

static void teardown(void)
{
    ss_shortener_destroy(&shortener);
    ss_buf_fini(&pieces);
    ss_buf_fini(&back);
}

static void stands_before(const void *bytes, size_t size)
{
    before[count++] = (struct ss_stretch){bytes, size};
}

static bool shorten(const void *bytes, size_t size)
{
    const struct ss_stretch text = {bytes, size};
    ss_buf_reset(&pieces);
    return ss_repeats_shorten(shortener, before, count, &text, size, &pieces);
}

static int restore(const char *bytes, size_t size, size_t told)
{
    // Exactly so many bytes, so that a read beyond them is noticed.
    char *copy = ss_alloc(size + 1);
    memcpy(copy, bytes, size);
    const struct ss_stretch text = {copy + 0, size};
    ss_buf_reset(&back);
    int status = ss_repeats_restore(before, count, &text, told, &back);
    ss_free(copy);
    return status;
}

static void comes_back(const void *bytes, size_t size)
{
    ck_assert_int_eq(restore(pieces.data, pieces.size, size), SS_OK);
    ck_assert_uint_eq(back.size, size);
    ck_assert_int_eq(memcmp(back.data, bytes, size), 0);
}

static void fill(char *bytes, size_t size, uint64_t seed)
{
    struct ss_prng prng;
    ss_prng_init(&prng, seed);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (char)ss_prng_below(&prng, 256);
}

START_TEST(a_text_that_stands_twice_is_told_once)
{
    char text[2000];
    fill(text, 1000, 1);
    memcpy(text + 1000, text, 1000);
    ck_assert(shorten(text, sizeof(text)));
    ck_assert_uint_lt(pieces.size, 1020);
    comes_back(text, sizeof(text));
}
END_TEST

START_TEST(what_stands_before_is_not_told)
{
    char text[3000]; // more than the dictionary
    fill(text, sizeof(text), 2);
    stands_before("something else", 14);
    stands_before(text, sizeof(text));
    ck_assert(shorten(text, sizeof(text)));
    ck_assert_uint_lt(pieces.size, 16);
    comes_back(text, sizeof(text));
    count = 1; // it lacks what it needs, and reaches too far
    ck_assert_int_eq(
        restore(pieces.data, pieces.size, sizeof(text)), SS_ECORRUPT);
}
END_TEST

START_TEST(what_rows_say_again_and_again_is_known)
{
    static const char text[] = "{\"graph\":\"x\",\"version\":\"y\"}";
    ck_assert(shorten(text, sizeof(text) - 1));
    ck_assert_uint_lt(pieces.size, sizeof(text) - 10);
    comes_back(text, sizeof(text) - 1);
}
END_TEST

START_TEST(one_letter_many_times_is_told_in_a_few_bytes)
{
    static char text[1 << 20];
    memset(text, 'x', sizeof(text));
    ck_assert(shorten(text, sizeof(text)));
    ck_assert_uint_lt(pieces.size, 16);
    comes_back(text, sizeof(text));
}
END_TEST

START_TEST(a_text_that_repeats_nothing_stays_as_it_is)
{
    char text[1000];
    fill(text, sizeof(text), 3);
    ck_assert(!shorten(text, sizeof(text)));
    ck_assert_uint_eq(pieces.size, 0);
    ck_assert(!shorten("", 0));
    ck_assert(!shorten("abc", 3));
}
END_TEST

// Nothing of one text is found in the next.
START_TEST(a_text_does_not_know_the_one_before_it)
{
    char text[1000];
    struct ss_buf alone;
    ss_buf_init(&alone, SIZE_MAX_HERE);
    fill(text, 500, 6);
    memcpy(text + 500, text, 500);
    ck_assert(shorten(text, sizeof(text)));
    ss_buf_add(&alone, pieces.data, pieces.size);
    ck_assert(!shorten(text, 500));
    stands_before(text, 500);
    ck_assert(shorten(text + 500, 500));
    ck_assert_uint_lt(pieces.size, 16);
    count = 0;
    ck_assert(shorten(text, sizeof(text)));
    ck_assert_uint_eq(pieces.size, alone.size);
    ck_assert_int_eq(memcmp(pieces.data, alone.data, alone.size), 0);
    ss_buf_fini(&alone);
}
END_TEST

START_TEST(a_large_text_far_back_is_found)
{
    enum { SIZE = 300000 };
    char *text = ss_alloc(2 * (size_t)SIZE + 7);
    fill(text, SIZE + 7, 4); // the second one does not begin at a round place
    memcpy(text + SIZE + 7, text, SIZE);
    ck_assert(shorten(text, 2 * (size_t)SIZE + 7));
    ck_assert_uint_lt(pieces.size, SIZE + 100);
    comes_back(text, 2 * (size_t)SIZE + 7);
    ss_free(text);
}
END_TEST

// Words of a small language, so that pieces of all sizes follow one another.
START_TEST(any_text_comes_back)
{
    static const char *const words[] = {"a", "bc", "{\"x\":", "\"long word ",
        "\xff\xfe", "branch:to:", "0123456789012345678901234567890123456789"};
    struct ss_prng prng;
    ss_prng_init(&prng, (uint64_t)_i + 10);
    struct ss_buf text;
    ss_buf_init(&text, SIZE_MAX_HERE);
    for (size_t i = ss_prng_below(&prng, 400); i > 0; i--)
        ss_buf_add_str(&text, words[ss_prng_below(&prng, 7)]);
    size_t middle = text.size / 2;
    stands_before(text.data, middle);
    if (shorten(ss_buf_str(&text) + middle, text.size - middle)) {
        ck_assert_uint_lt(pieces.size, text.size - middle);
        comes_back(ss_buf_str(&text) + middle, text.size - middle);
    }
    ss_buf_fini(&text);
}
END_TEST

START_TEST(pieces_that_are_damaged_do_no_harm)
{
    char text[600];
    fill(text, 300, 5);
    memcpy(text + 300, text, 300);
    ck_assert(shorten(text, sizeof(text)));
    for (size_t size = 0; size < pieces.size; size++)
        ck_assert_int_eq(restore(pieces.data, size, sizeof(text)), SS_ECORRUPT);
    ck_assert_int_eq(
        restore(pieces.data, pieces.size, sizeof(text) - 1), SS_ECORRUPT);
    ck_assert_int_eq(
        restore(pieces.data, pieces.size, sizeof(text) + 1), SS_ECORRUPT);
    for (size_t at = 0; at < pieces.size; at++)
        for (unsigned bit = 0; bit < 8; bit++) {
            pieces.data[at] = (char)(pieces.data[at] ^ (1 << bit));
            (void)restore(pieces.data, pieces.size, sizeof(text));
            pieces.data[at] = (char)(pieces.data[at] ^ (1 << bit));
        }
}
END_TEST

START_TEST(a_stretch_before_the_first_byte_is_damage)
{
    // four bytes, from 2^40 back; and a number that does not end
    ck_assert_int_eq(
        restore("\x01\xff\xff\xff\xff\xff\x1f", 7, 4), SS_ECORRUPT);
    ck_assert_int_eq(restore("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 10, 4),
        SS_ECORRUPT);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("repeats");
    TCase *tcase = tcase_create("repeats");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_text_that_stands_twice_is_told_once);
    tcase_add_test(tcase, what_stands_before_is_not_told);
    tcase_add_test(tcase, what_rows_say_again_and_again_is_known);
    tcase_add_test(tcase, one_letter_many_times_is_told_in_a_few_bytes);
    tcase_add_test(tcase, a_text_that_repeats_nothing_stays_as_it_is);
    tcase_add_test(tcase, a_text_does_not_know_the_one_before_it);
    tcase_add_test(tcase, a_large_text_far_back_is_found);
    tcase_add_loop_test(tcase, any_text_comes_back, 0, 200);
    tcase_add_test(tcase, pieces_that_are_damaged_do_no_harm);
    tcase_add_test(tcase, a_stretch_before_the_first_byte_is_damage);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
