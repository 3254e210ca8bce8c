#include "common/base/text.h"

#include <check.h>
#include <string.h>

#include "common/base/mem.h"
#include "tests/suite.h"

START_TEST(characters_have_their_width)
{
    static const char text[] = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80";
    const unsigned char *at = (const unsigned char *)text;
    const unsigned char *end = at + sizeof(text) - 1;
    for (size_t width = 1; width <= 4; width++) {
        ck_assert_uint_eq(ss_text_character(at, end), width);
        if (width > 1) // cut short
            ck_assert_uint_eq(ss_text_character(at, at + width - 1), 0);
        at += width;
    }
    ck_assert_ptr_eq(at, end);
}
END_TEST

// Every code point there is, and what is none.
START_TEST(all_of_unicode_is_text_but_surrogates)
{
    for (unsigned c = 1; c < 0x120000; c++) {
        unsigned char text[4] = {(unsigned char)c};
        size_t size = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
        for (size_t i = size; i-- > 1;)
            text[i] = (unsigned char)(0x80 | (c >> 6 * (size - 1 - i) & 0x3f));
        if (size > 1)
            text[0] =
                (unsigned char)(0xf0u << (4 - size) | c >> 6 * (size - 1));
        bool is_one = c < 0x110000 && (c < 0xd800 || c > 0xdfff);
        if (ss_text_ok(text, size) != is_one)
            ck_abort_msg("U+%04X", c);
    }
    ck_assert(ss_text_ok("", 0));
    ck_assert(!ss_text_ok("a\0b", 3));
}
END_TEST

// Wherever it stands, and however long the text is.
START_TEST(what_json_writes_in_another_way_is_found_at_its_place)
{
    static const char special[] = "\"\\\n\x1f";
    enum { SIZE = 100 };
    for (size_t size = 0; size < SIZE; size++) {
        char *text = ss_alloc(size + 1); // a read behind it is seen by tools
        memset(text, size % 2 ? 'x' : 0xe9, size);
        ck_assert_uint_eq(ss_text_plain_size(text, size), size);
        for (size_t at = 0; at < size; at++) {
            char was = text[at];
            for (size_t i = 0; i < sizeof(special); i++) {
                text[at] = special[i]; // NUL is the last of them
                ck_assert_uint_eq(ss_text_plain_size(text, size), at);
            }
            text[at] = was;
        }
        ss_free(text);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("text");
    TCase *tcase = tcase_create("text");
    tcase_add_test(tcase, characters_have_their_width);
    tcase_add_test(tcase, all_of_unicode_is_text_but_surrogates);
    tcase_add_test(
        tcase, what_json_writes_in_another_way_is_found_at_its_place);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
