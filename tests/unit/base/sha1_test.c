#include "common/base/sha1.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "tests/suite.h"

static void check_digest(struct ss_sha1 *sha1, const char *expected)
{
    uint8_t digest[SS_SHA1_SIZE];
    char text[2 * SS_SHA1_SIZE + 1];
    ss_sha1_end(sha1, digest);
    for (size_t i = 0; i < SS_SHA1_SIZE; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    ck_assert_str_eq(text, expected);
}

static void check_text(const char *text, const char *expected)
{
    struct ss_sha1 sha1;
    ss_sha1_init(&sha1);
    ss_sha1_add(&sha1, text, strlen(text));
    check_digest(&sha1, expected);
}

START_TEST(the_standard_s_examples_hold)
{
    check_text("", "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    check_text("abc", "a9993e364706816aba3e25717850c26c9cd0d89d");
    check_text("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
}
END_TEST

START_TEST(a_million_letters_hash_as_published)
{
    struct ss_sha1 sha1;
    char letters[1000];
    memset(letters, 'a', sizeof(letters));
    ss_sha1_init(&sha1);
    for (int i = 0; i < 1000; i++)
        ss_sha1_add(&sha1, letters, sizeof(letters));
    check_digest(&sha1, "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
}
END_TEST

START_TEST(the_pieces_do_not_matter)
{
    uint8_t bytes[200], whole[SS_SHA1_SIZE], pieces[SS_SHA1_SIZE];
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(i * 37);
    for (size_t size = 0; size <= sizeof(bytes); size++) {
        struct ss_sha1 sha1;
        ss_sha1_init(&sha1);
        ss_sha1_add(&sha1, bytes, size);
        ss_sha1_end(&sha1, whole);
        ss_sha1_init(&sha1);
        for (size_t i = 0; i < size; i++)
            ss_sha1_add(&sha1, bytes + i, 1);
        ss_sha1_end(&sha1, pieces);
        ck_assert_mem_eq(whole, pieces, SS_SHA1_SIZE);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sha1");
    TCase *tcase = tcase_create("sha1");
    tcase_add_test(tcase, the_standard_s_examples_hold);
    tcase_add_test(tcase, a_million_letters_hash_as_published);
    tcase_add_test(tcase, the_pieces_do_not_matter);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
