// The page that describes the protocol shows bytes: they are what we speak.
#include <check.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/wire/limits.h"
#include "common/wire/message.h"
#include "tests/suite.h"

enum { SHOWN_MAX = 2, BYTES_MAX = 200 };

static unsigned char shown[SHOWN_MAX][BYTES_MAX];
static size_t sizes[SHOWN_MAX];

static bool is_pair(const char *at)
{
    return isxdigit((unsigned char)at[0]) && isxdigit((unsigned char)at[1]) &&
           (at[2] == ' ' || at[2] == '\n' || at[2] == '\0');
}

// Pairs of hex digits with one blank between, up to where words begin.
static void take_line(const char *line, size_t which)
{
    const char *at = line + strspn(line, " ");
    while (is_pair(at)) {
        ck_assert_uint_lt(sizes[which], BYTES_MAX);
        shown[which][sizes[which]++] = (unsigned char)strtoul(at, NULL, 16);
        at += at[2] == ' ' ? 3 : 2;
    }
}

static void read_page(void)
{
    char line[1000];
    size_t which = 0;
    bool is_there = false;
    FILE *page = fopen(SS_TEST_SOURCE_DIR "/docs/reference/protocol.md", "r");
    ck_assert_ptr_nonnull(page);
    while (fgets(line, sizeof(line), page)) {
        if (strncmp(line, "## An exchange", 14) == 0)
            is_there = true;
        else if (is_there && strncmp(line, "    ", 4) == 0 && which < SHOWN_MAX)
            take_line(line, which);
        else if (is_there && which < SHOWN_MAX && sizes[which] > 0)
            which++;
    }
    fclose(page);
}

static void encodes_to(struct ss_message *message, size_t which)
{
    struct ss_buf buf;
    ss_buf_init(&buf, SS_MESSAGE_SIZE_MAX);
    ck_assert_int_eq(ss_message_encode(message, &buf, NULL), SS_OK);
    ck_assert_uint_eq(buf.size, sizes[which]);
    ck_assert_mem_eq(buf.data, shown[which], buf.size);
    ss_message_destroy(&message);
    ss_buf_fini(&buf);
}

START_TEST(the_bytes_on_the_page_are_the_bytes_on_the_wire)
{
    read_page();
    struct ss_message *ask = ss_message_new(SS_MESSAGE_ASK);
    ask->id = 1;
    ask->op = ss_strdup("graphs");
    encodes_to(ask, 0);
    struct ss_message *answer = ss_message_new(SS_MESSAGE_ANSWER);
    answer->id = 1;
    answer->final = true;
    answer->body = ss_value_from_text("{\"graphs\":[]}", 13);
    encodes_to(answer, 1);
}
END_TEST

START_TEST(the_limits_on_the_page_are_the_limits)
{
    ck_assert_uint_eq(SS_MESSAGE_SIZE_MAX, 66u << 20);
    ck_assert_uint_eq(SS_VALUE_SIZE_MAX, 64u << 20);
    ck_assert_int_eq(SS_VALUE_DEPTH_MAX, 512);
    ck_assert_int_eq(SS_WIRE_UNKNOWN_MAX, 64);
    ck_assert_int_eq(SS_PROTOCOL_VERSION, 1);
}
END_TEST

int main(void)
{
    ss_value_setup();
    Suite *suite = suite_create("protocol");
    TCase *tcase = tcase_create("protocol");
    tcase_add_test(tcase, the_bytes_on_the_page_are_the_bytes_on_the_wire);
    tcase_add_test(tcase, the_limits_on_the_page_are_the_limits);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
