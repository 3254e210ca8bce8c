// Texts and tables for people.
#include "client/cli/text.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/table.h"
#include "common/base/mem.h"
#include "common/model/value.h"
#include "tests/suite.h"

#define DOTS "\xe2\x80\xa6"

static void expect(char *got, const char *wanted)
{
    ck_assert_str_eq(got, wanted);
    ss_free(got);
}

static json_t *parse(const char *text)
{
    json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);
    ck_assert_msg(json != NULL, "no JSON: %s", text);
    return json;
}

// ------------------------------------------------------------------------ text

START_TEST(width_counts_characters)
{
    ck_assert_uint_eq(ss_text_width(""), 0);
    ck_assert_uint_eq(ss_text_width("abc"), 3);
    ck_assert_uint_eq(ss_text_width("h\xc3\xa9" DOTS), 3);
}
END_TEST

START_TEST(width_counts_the_columns_of_a_terminal)
{
    ck_assert_uint_eq(ss_text_width("\u62a5\u544a"), 4);
    ck_assert_uint_eq(ss_text_width("\uff76\uff85 \u30ab\u30ca"), 7);
    ck_assert_uint_eq(ss_text_width("cafe\u0301"), 4);
    ck_assert_uint_eq(ss_text_width("\U0001f600"), 2);
    // Nobody knows how wide these are.
    ck_assert_uint_eq(ss_text_width("\x01\n\ue000"), 3);
}
END_TEST

START_TEST(control_characters_are_shown_as_the_log_shows_them)
{
    expect(ss_text_plain("a\tb\n\x1b[31mred\x7f"), "a\\tb\\n\\x1b[31mred\\x7f");
    expect(ss_text_lines("a\tb\n\x1b[31mred"), "a\tb\n\\x1b[31mred");
    expect(ss_text_plain("\xc2\x9b"
                         "31m \xc3\xa9"),
        "\\x9b31m \xc3\xa9");
}
END_TEST

START_TEST(long_text_is_cut_at_a_character)
{
    expect(ss_text_cut("abcdef", 6), "abcdef");
    expect(ss_text_cut("abcdef", 4), "abc" DOTS);
    expect(ss_text_cut("\xc3\xa9\xc3\xa9\xc3\xa9", 2), "\xc3\xa9" DOTS);
    expect(ss_text_cut("abcdef", 1), DOTS);
    expect(ss_text_cut("abcdef", 0), "abcdef");
}
END_TEST

START_TEST(wide_text_is_cut_between_its_characters)
{
    expect(ss_text_cut("\u62a5\u544a\u4e66", 6), "\u62a5\u544a\u4e66");
    expect(ss_text_cut("\u62a5\u544a\u4e66", 5), "\u62a5\u544a" DOTS);
    // Three columns hold no second character of two.
    expect(ss_text_cut("\u62a5\u544a\u4e66", 4), "\u62a5" DOTS);
    // An accent stays with its letter.
    expect(ss_text_cut("ae\u0301bc", 3), "ae\u0301" DOTS);
}
END_TEST

START_TEST(values_stand_on_one_line)
{
    json_t *json = parse("{\"b\":[1,\"x\\ny\"],\"a\":null}");
    expect(ss_text_json(json, 0), "{\"b\": [1, \"x\\ny\"], \"a\": null}");
    expect(ss_text_json(json, 10), "{\"b\": [1," DOTS);
    json_decref(json);
}
END_TEST

START_TEST(durations_have_the_unit_that_fits)
{
    expect(ss_text_duration(400), "0.4 ms");
    expect(ss_text_duration(99900), "99.9 ms");
    expect(ss_text_duration(250000), "250 ms");
    expect(ss_text_duration(12340000), "12.3 s");
    expect(ss_text_duration(200000000), "3 min 20 s");
    expect(ss_text_duration(7380000000), "2 h 3 min");
}
END_TEST

START_TEST(times_ago_are_rounded)
{
    expect(ss_text_ago(0), "now");
    expect(ss_text_ago(1999), "now");
    expect(ss_text_ago(12000), "12 s ago");
    expect(ss_text_ago(600000), "10 min ago");
    expect(ss_text_ago(10800000), "3 h ago");
}
END_TEST

START_TEST(times_are_shown_to_the_second)
{
    expect(ss_text_time("2026-11-22T01:02:03.004005+00:00"),
        "2026-11-22 01:02:03");
    expect(ss_text_time("yesterday"), "yesterday");
    ck_assert_ptr_null(ss_text_time(NULL));
}
END_TEST

START_TEST(counts_have_their_plural)
{
    expect(ss_text_count(0, "node"), "0 nodes");
    expect(ss_text_count(1, "node"), "1 node");
    expect(ss_text_count(2, "node"), "2 nodes");
}
END_TEST

START_TEST(a_bar_shows_a_share)
{
    expect(ss_text_bar(0, 0, 2), "\xe2\x96\x81\xe2\x96\x81");
    expect(ss_text_bar(1, 2, 2), "\xe2\x96\x87\xe2\x96\x81");
    expect(ss_text_bar(9, 9, 2), "\xe2\x96\x87\xe2\x96\x87");
}
END_TEST

// ------------------------------------------------------------------------- ids

START_TEST(ids_are_cut_as_far_as_they_stay_different)
{
    const char *different[] = {"1f0a1111-0000-6000-8000-0000000000aa",
        "1f0a2222-0000-6000-8000-0000000000aa"};
    struct ss_id_form form = ss_text_id_form(different, 2);
    expect(ss_text_id(different[1], form), "1f0a2222-0000" DOTS "00aa");
    const char *alike[] = {"1f0a1111-0000-6001-8000-0000000000aa",
        "1f0a1111-0000-6002-8000-0000000000aa"};
    form = ss_text_id_form(alike, 2);
    expect(ss_text_id(alike[1], form), "1f0a1111-0000-6002" DOTS "00aa");
    const char *same[] = {different[0], different[0]};
    form = ss_text_id_form(same, 2);
    ck_assert_uint_eq(form.head, 13);
    const char *twins[] = {"1f0a1111-0000-6000-8001-0000000000aa",
        "1f0a1111-0000-6000-8002-0000000000aa"};
    form = ss_text_id_form(twins, 2);
    expect(ss_text_id(twins[0], form), twins[0]);
}
END_TEST

START_TEST(short_ids_stay_whole)
{
    expect(ss_text_id("1f0a-aa", (struct ss_id_form){4, 2}), "1f0a-aa");
    expect(ss_text_id("", (struct ss_id_form){4, 2}), "");
}
END_TEST

START_TEST(a_cut_id_fits_what_it_came_from)
{
    const char *id = "1f0a1111-2222-c3";
    ck_assert(ss_text_id_fits(id, "1f0a" DOTS "c3"));
    ck_assert(ss_text_id_fits(id, "1f0a...c3"));
    ck_assert(ss_text_id_fits(id, id));
    ck_assert(!ss_text_id_fits(id, "1f0a"));
    ck_assert(!ss_text_id_fits(id, "1f0b" DOTS "c3"));
    ck_assert(!ss_text_id_fits(id, "1f0a" DOTS "c4"));
    ck_assert(!ss_text_id_fits("1f0a", "1f0a" DOTS "0a"));
    ck_assert(ss_text_id_is_cut("1..."
                                "2"));
    ck_assert(!ss_text_id_is_cut("1..2"));
}
END_TEST

// ---------------------------------------------------------------------- tables

static const struct ss_table_column columns[] = {{"WORKER", false, false, 0},
    {"GRAPHS", false, true, 0}, {"RUNNING", true, false, 0}};

static char *table_text(
    const char *const (*rows)[3], size_t count, size_t width_max)
{
    struct ss_buf buf;
    ss_buf_init(&buf, 65536);
    struct ss_table *table = ss_table_new(columns, 3);
    for (size_t i = 0; i < count; i++)
        ss_table_add(table, rows[i]);
    ck_assert_uint_eq(ss_table_count(table), count);
    ss_table_write(table, &(struct ss_screen){.width = width_max}, &buf);
    ss_table_destroy(&table);
    ck_assert_ptr_null(table);
    ss_table_destroy(&table);
    return ss_buf_steal(&buf, NULL);
}

START_TEST(columns_are_aligned)
{
    const char *const rows[][3] = {
        {"w1", "digest@5f0c", "4"}, {"worker-2", "a", "1024"}};
    expect(table_text(rows, 2, 0), "WORKER    GRAPHS       RUNNING\n"
                                   "w1        digest@5f0c        4\n"
                                   "worker-2  a               1024\n");
}
END_TEST

START_TEST(nothing_shows_as_a_dash)
{
    const char *const rows[][3] = {{"w1", NULL, ""}};
    expect(table_text(rows, 1, 0), "WORKER  GRAPHS  RUNNING\n"
                                   "w1      -             -\n");
}
END_TEST

START_TEST(a_line_ends_without_spaces)
{
    static const struct ss_table_column two[] = {
        {"KEY", false, false, 0}, {"VALUE", false, false, 0}};
    struct ss_buf buf;
    ss_buf_init(&buf, 1024);
    struct ss_table *table = ss_table_new(two, 2);
    ss_table_add(table, (const char *const[]){"a", "1"});
    ss_table_write(table, &(struct ss_screen){0}, &buf);
    ck_assert_str_eq(ss_buf_str(&buf), "KEY  VALUE\na    1\n");
    ss_table_destroy(&table);
    ss_buf_fini(&buf);
}
END_TEST

// Neither what a cell ends with nor a tone makes a line end in blanks.
START_TEST(blanks_at_the_end_of_a_row_are_not_written)
{
    static const struct ss_table_column two[] = {
        {"KEY", false, false, 0}, {"VALUE", false, true, SS_TABLE_ID}};
    const struct ss_screen screens[] = {{0}, {.width = 12}, {.width = 80}};
    for (size_t i = 0; i < 3; i++) {
        struct ss_buf buf;
        ss_buf_init(&buf, 1024);
        struct ss_table *table = ss_table_new(two, 2);
        ss_table_add(table, (const char *const[]){"a", "one two  "});
        ss_table_add(table, (const char *const[]){"b", "   "});
        ss_table_add(table, (const char *const[]){"a-long-key", "3"});
        ss_table_write(table, &screens[i], &buf);
        ck_assert_ptr_null(strstr(ss_buf_str(&buf), " \n"));
        ck_assert_ptr_nonnull(strstr(ss_buf_str(&buf), "\nb\n"));
        ss_table_destroy(&table);
        ss_buf_fini(&buf);
    }
}
END_TEST

START_TEST(flexible_columns_make_room)
{
    const char *const rows[][3] = {{"w1", "a graph with a long name", "4"}};
    expect(table_text(rows, 1, 30), "WORKER  GRAPHS         RUNNING\n"
                                    "w1      a graph with" DOTS "        4\n");
    // Not beyond what can be read.
    expect(table_text(rows, 1, 5), "WORKER  GRAPHS    RUNNING\n"
                                   "w1      a graph" DOTS "        4\n");
}
END_TEST

START_TEST(ids_are_cut_only_where_the_row_is_too_long)
{
    static const struct ss_table_column two[] = {
        {"RUN", false, false, SS_TABLE_ID},
        {"STATUS", false, false, SS_TABLE_STATUS}};
    static const char id[] = "1f0a1111-0000-6000-8001-0000000000aa";
    for (size_t width = 44; width > 42; width--) {
        struct ss_buf buf;
        ss_buf_init(&buf, 1024);
        struct ss_table *table = ss_table_new(two, 2);
        ss_table_add(table, (const char *const[]){id, "failed"});
        ss_table_write(table, &(struct ss_screen){.width = width}, &buf);
        ck_assert_ptr_nonnull(strstr(ss_buf_str(&buf),
            width == 44 ? id : "1f0a1111-0000" DOTS "00aa  failed"));
        ss_table_destroy(&table);
        ss_buf_fini(&buf);
    }
}
END_TEST

START_TEST(no_row_is_padded_for_a_cell_that_is_far_too_long)
{
    static char pages[1251];
    memset(pages, 'p', sizeof(pages) - 1);
    const char *const rows[][3] = {{"w1", pages, "4"}, {"w2", "a", "5"}};
    char *text = table_text(rows, 2, 0);
    ck_assert_ptr_nonnull(strstr(text, pages));
    const char *last = strstr(text, "w2");
    ck_assert_ptr_nonnull(last);
    ck_assert_uint_lt(strlen(last), 80);
    ss_free(text);
}
END_TEST

// A thread's name is a cell like another, though no terminal would cut it.
START_TEST(a_short_name_has_no_row_of_blanks_behind_it_for_a_long_one)
{
    static const struct ss_table_column three[] = {
        {"THREAD", false, false, SS_TABLE_ID}, {"GRAPH", false, false, 0},
        {"STATUS", false, false, SS_TABLE_STATUS}};
    char name[401];
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    struct ss_buf buf;
    ss_buf_init(&buf, 4096);
    struct ss_table *table = ss_table_new(three, 3);
    ss_table_add(table, (const char *const[]){name, name, "done"});
    ss_table_add(table, (const char *const[]){"a", "hello", "done"});
    ss_table_write(table, &(struct ss_screen){0}, &buf);
    ck_assert_ptr_nonnull(strstr(ss_buf_str(&buf), name));
    const char *last = strstr(ss_buf_str(&buf), "\na ");
    ck_assert_ptr_nonnull(last);
    ck_assert_uint_lt(strlen(last), 140);
    ss_table_destroy(&table);
    ss_buf_fini(&buf);
}
END_TEST

START_TEST(characters_of_several_bytes_are_aligned_too)
{
    const char *const rows[][3] = {{"\xc3\xa9", "x", "1"}, {"ab", "y", "2"}};
    expect(table_text(rows, 2, 0), "WORKER  GRAPHS  RUNNING\n"
                                   "\xc3\xa9       x             1\n"
                                   "ab      y             2\n");
}
END_TEST

START_TEST(wide_and_combining_characters_are_aligned_too)
{
    const char *const rows[][3] = {{"\u62a5\u544a-1", "\u4e00\u4e8c", "1"},
        {"e\u0301te\u0301", "y", "2"}, {"ab", "\u30b0\u30e9\u30d5", "3"}};
    expect(table_text(rows, 3, 0), "WORKER  GRAPHS  RUNNING\n"
                                   "\u62a5\u544a-1  \u4e00\u4e8c          1\n"
                                   "e\u0301te\u0301     y             2\n"
                                   "ab      \u30b0\u30e9\u30d5        3\n");
}
END_TEST

START_TEST(a_wide_cell_makes_room_to_the_column)
{
    const char *const rows[][3] = {
        {"w1", "\u4e00\u4e8c\u4e09\u56db\u4e94", "4"}, {"w2", "a", "5"}};
    // Three characters and the mark take seven of the eight columns.
    expect(table_text(rows, 2, 25),
        "WORKER  GRAPHS    RUNNING\n"
        "w1      \u4e00\u4e8c\u4e09" DOTS "         4\n"
        "w2      a               5\n");
}
END_TEST

START_TEST(a_table_without_titles_has_only_rows)
{
    static const struct ss_table_column bare[] = {
        {NULL, false, false, 0}, {NULL, true, false, 0}};
    struct ss_buf buf;
    ss_buf_init(&buf, 1024);
    struct ss_table *table = ss_table_new(bare, 2);
    ss_table_add(table, (const char *const[]){"a", "10"});
    ss_table_add(table, (const char *const[]){"bcd", "7"});
    ss_table_write(table, &(struct ss_screen){0}, &buf);
    ck_assert_str_eq(ss_buf_str(&buf), "a    10\nbcd   7\n");
    ss_table_destroy(&table);
    ss_buf_fini(&buf);
}
END_TEST

int main(void)
{
    if (!suite_has_columns())
        return 77;
    ss_value_setup();
    ss_text_setup();
    Suite *suite = suite_create("text");
    TCase *tcase = tcase_create("text");
    tcase_add_test(tcase, width_counts_characters);
    tcase_add_test(tcase, width_counts_the_columns_of_a_terminal);
    tcase_add_test(tcase, control_characters_are_shown_as_the_log_shows_them);
    tcase_add_test(tcase, long_text_is_cut_at_a_character);
    tcase_add_test(tcase, wide_text_is_cut_between_its_characters);
    tcase_add_test(tcase, values_stand_on_one_line);
    tcase_add_test(tcase, durations_have_the_unit_that_fits);
    tcase_add_test(tcase, times_ago_are_rounded);
    tcase_add_test(tcase, times_are_shown_to_the_second);
    tcase_add_test(tcase, counts_have_their_plural);
    tcase_add_test(tcase, a_bar_shows_a_share);
    tcase_add_test(tcase, ids_are_cut_as_far_as_they_stay_different);
    tcase_add_test(tcase, short_ids_stay_whole);
    tcase_add_test(tcase, a_cut_id_fits_what_it_came_from);
    tcase_add_test(tcase, columns_are_aligned);
    tcase_add_test(tcase, nothing_shows_as_a_dash);
    tcase_add_test(tcase, a_line_ends_without_spaces);
    tcase_add_test(tcase, blanks_at_the_end_of_a_row_are_not_written);
    tcase_add_test(tcase, flexible_columns_make_room);
    tcase_add_test(tcase, ids_are_cut_only_where_the_row_is_too_long);
    tcase_add_test(tcase, no_row_is_padded_for_a_cell_that_is_far_too_long);
    tcase_add_test(
        tcase, a_short_name_has_no_row_of_blanks_behind_it_for_a_long_one);
    tcase_add_test(tcase, characters_of_several_bytes_are_aligned_too);
    tcase_add_test(tcase, wide_and_combining_characters_are_aligned_too);
    tcase_add_test(tcase, a_wide_cell_makes_room_to_the_column);
    tcase_add_test(tcase, a_table_without_titles_has_only_rows);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
