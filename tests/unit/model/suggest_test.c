#include "common/model/suggest.h"

#include "tests/unit/model/help.h"

static void expect_hint(const char *name, const char *expected)
{
    static const char *const known[] = {
        "", "a", "search", "report", "research", "write_report"};
    struct ss_hint hint;
    ss_hint_init(&hint, name);
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        ss_hint_offer(&hint, known[i]);
    ck_assert_str_eq(ss_hint_text(&hint), expected);
}

START_TEST(the_nearest_name_is_offered)
{
    expect_hint("serach", " Did you mean \"search\"?");  // swapped
    expect_hint("searc", " Did you mean \"search\"?");   // missing
    expect_hint("searchh", " Did you mean \"search\"?"); // too many
    expect_hint("reserch", " Did you mean \"research\"?");
    expect_hint("Report", " Did you mean \"report\"?");
    expect_hint("write-report", " Did you mean \"write_report\"?");
}
END_TEST

START_TEST(a_name_that_lacks_its_last_word_is_completed)
{
    expect_hint("write", " Did you mean \"write_report\"?");
    expect_hint("wri", "");
    expect_hint("write_", "");
}
END_TEST

START_TEST(nothing_near_is_no_hint)
{
    expect_hint("approve", "");
    expect_hint("b", ""); // all of its letters differ
    expect_hint("", "");
    expect_hint("a very long name that is nothing like the others at all, and "
                "longer than anybody would compare",
        "");
}
END_TEST

START_TEST(a_long_name_is_shown_cut)
{
    char name[61], near[62];
    memset(name, 'n', sizeof(name));
    memset(near, 'n', sizeof(near));
    name[60] = near[61] = '\0';
    struct ss_hint hint;
    ss_hint_init(&hint, name);
    ss_hint_offer(&hint, near);
    ck_assert_ptr_nonnull(strstr(ss_hint_text(&hint), near));
}
END_TEST

RUN("hint", the_nearest_name_is_offered,
    a_name_that_lacks_its_last_word_is_completed, nothing_near_is_no_hint,
    a_long_name_is_shown_cut)
