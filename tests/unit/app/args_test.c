#include "common/app/args.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/app/version.h"
#include "common/base/mem.h"
#include "tests/suite.h"

static const char *listen_at, *color;
static int64_t count, free_number;
static bool loud, quick;
static struct ss_arg_list tags, words;

static const struct ss_arg table[] = {
    {.name = "listen",
        .letter = 'l',
        .kind = SS_ARG_TEXT,
        .to = &listen_at,
        .value = "ENDPOINT",
        .help = "where to listen"},
    {.name = "color",
        .kind = SS_ARG_TEXT,
        .to = &color,
        .env = "SS_TEST_COLOR",
        .help = "of the lines\nand the rest"},
    {.name = "count",
        .letter = 'n',
        .kind = SS_ARG_INT,
        .to = &count,
        .min = 1,
        .max = 10,
        .help = "how many"},
    {.name = "free-number-of-anything",
        .kind = SS_ARG_INT,
        .to = &free_number,
        .value = "N",
        .help = "any"},
    {.name = "loud",
        .letter = 'v',
        .kind = SS_ARG_FLAG,
        .to = &loud,
        .help = "say more"},
    {.name = "quick",
        .letter = 'q',
        .kind = SS_ARG_FLAG,
        .to = &quick,
        .help = "be quick"},
    {.name = "tag",
        .letter = 't',
        .kind = SS_ARG_LIST,
        .to = &tags,
        .value = "TAG",
        .help = "may be given often"},
    {.name = "words",
        .kind = SS_ARG_REST,
        .to = &words,
        .min = 1,
        .max = 2,
        .value = "WORD"},
    {.name = NULL},
};

static char warned[200];

static void warn(const char *text)
{
    ck_assert_str_eq(warned, "");
    snprintf(warned, sizeof(warned), "%s", text);
}

static const struct ss_args args = {.warn = warn,
    .program = "tester",
    .usage = "WORD [WORD] [options]",
    .about = "Tests.",
    .items = table,
    .footer = "The end."};

static char asked;
static struct ss_error error;

static void set_up(void)
{
    listen_at = color = NULL;
    count = free_number = 0;
    loud = quick = false;
    unsetenv("SS_TEST_COLOR");
}

static void tear_down(void)
{
    ss_args_fini(&args);
}

// Parse one line, words between blanks.
static int parse(const char *line)
{
    static char text[200];
    char *argv[20] = {"tester"};
    int argc = 1;
    snprintf(text, sizeof(text), "%s", line);
    for (char *at = text + strspn(text, " "); *at; at += strspn(at, " ")) {
        argv[argc++] = at;
        at += strcspn(at, " ");
        if (*at)
            *at++ = '\0';
    }
    error.message[0] = warned[0] = '\0';
    return ss_args_parse(&args, argc, argv, &asked, &error);
}

static void refused(const char *line, const char *why)
{
    ck_assert_int_eq(parse(line), SS_EINVAL);
    ck_assert_str_eq(error.message, why);
    ss_args_fini(&args);
}

START_TEST(values_come_behind_a_blank_an_equals_sign_or_a_letter)
{
    ck_assert_int_eq(parse("w --listen here --count=7 -t a -tb --tag c"), 0);
    ck_assert_str_eq(listen_at, "here");
    ck_assert_int_eq(count, 7);
    ck_assert_uint_eq(tags.count, 3);
    ck_assert_str_eq(tags.items[0], "a");
    ck_assert_str_eq(tags.items[1], "b");
    ck_assert_str_eq(tags.items[2], "c");
    ck_assert_int_eq(asked, 0);
}
END_TEST

START_TEST(an_empty_value_is_a_value)
{
    ck_assert_int_eq(parse("w --listen="), SS_OK);
    ck_assert_str_eq(listen_at, "");
}
END_TEST

START_TEST(a_value_may_look_like_an_option)
{
    ck_assert_int_eq(
        parse("w --listen --loud --free-number-of-anything -5"), SS_OK);
    ck_assert_str_eq(listen_at, "--loud");
    ck_assert(!loud);
    ck_assert_int_eq(free_number, -5);
}
END_TEST

START_TEST(switches_may_stand_together)
{
    ck_assert_int_eq(parse("-vqn3 w"), SS_OK);
    ck_assert(loud);
    ck_assert(quick);
    ck_assert_int_eq(count, 3);
}
END_TEST

START_TEST(words_stand_anywhere)
{
    ck_assert_int_eq(parse("a --loud - "), SS_OK);
    ck_assert_uint_eq(words.count, 2);
    ck_assert_str_eq(words.items[0], "a");
    ck_assert_str_eq(words.items[1], "-");
    ss_args_fini(&args);
    ck_assert_int_eq(parse("-- --loud --quick"), SS_OK);
    ck_assert_str_eq(words.items[0], "--loud");
    ck_assert_str_eq(words.items[1], "--quick");
}
END_TEST

START_TEST(too_few_and_too_many_words_are_refused)
{
    refused("--loud", "WORD is missing");
    refused("a b c", "\"c\" is one word too many");
}
END_TEST

START_TEST(an_unknown_option_is_refused_with_the_nearest_one)
{
    refused(
        "w --lisen x", "there is no option --lisen. Did you mean --listen?");
    refused("w --cout=3", "there is no option --cout. Did you mean --count?");
    refused("w --zebra", "there is no option --zebra.");
    refused("w -z", "there is no option -z.");
    refused("w --words x", "there is no option --words.");
}
END_TEST

START_TEST(a_letter_that_is_none_is_refused_with_the_options_that_begin_so)
{
    refused("w -V", "there is no option -V. Did you mean --version?");
    refused("w -c 3", "there is no option -c. Did you mean --color or --count "
                      "(-n)?");
    refused("w -H", "there is no option -H. Did you mean --help (-h)?");
}
END_TEST

START_TEST(
    of_an_option_that_is_given_twice_the_value_that_does_not_count_is_told)
{
    ck_assert_int_eq(parse("w --listen here --count 3 -lthere"), SS_OK);
    ck_assert_str_eq(
        warned, "--listen is given twice: there counts, here does not");
    ck_assert_str_eq(listen_at, "there");
    ss_args_fini(&args);
    ck_assert_int_eq(parse("w --count=3 -n 4"), SS_OK);
    ck_assert_str_eq(warned, "--count is given twice: 4 counts, 3 does not");
    ss_args_fini(&args);
    ck_assert_int_eq(parse("w --listen a --listen a -t x -t y -vv"), SS_OK);
    ck_assert_str_eq(warned, "");
    ss_args_fini(&args);
    setenv("SS_TEST_COLOR", "red", 1);
    ck_assert_int_eq(parse("w --color blue"), SS_OK);
    ck_assert_str_eq(warned, "");
}
END_TEST

START_TEST(wrong_values_are_refused)
{
    refused("w --count", "--count wants a value: --count VALUE");
    refused("w -l", "--listen wants a value: --listen ENDPOINT");
    refused("w --count many",
        "--count takes a whole number between 1 and 10, not \"many\"");
    refused("w --count=",
        "--count takes a whole number between 1 and 10, not \"\"");
    refused("w --count 3x",
        "--count takes a whole number between 1 and 10, not \"3x\"");
    refused("w --count 11", "--count 11: it must be between 1 and 10");
    refused("w --count 0", "--count 0: it must be between 1 and 10");
    refused("w --free-number-of-anything 99999999999999999999",
        "--free-number-of-anything takes a whole number, not "
        "\"99999999999999999999\"");
    refused("w --loud=yes", "--loud is a switch and takes no value");
}
END_TEST

START_TEST(the_environment_stands_in_for_what_is_not_given)
{
    setenv("SS_TEST_COLOR", "blue", 1);
    ck_assert_int_eq(parse("w"), SS_OK);
    ck_assert_str_eq(color, "blue");
    ss_args_fini(&args);
    ck_assert_int_eq(parse("w --color red"), SS_OK);
    ck_assert_str_eq(color, "red");
}
END_TEST

START_TEST(help_and_version_need_no_words)
{
    ck_assert_int_eq(parse("--help"), SS_OK);
    ck_assert_int_eq(asked, 'h');
    ck_assert_int_eq(parse("-h"), SS_OK);
    ck_assert_int_eq(asked, 'h');
    ck_assert_int_eq(parse("--version"), SS_OK);
    ck_assert_int_eq(asked, 'v');
}
END_TEST

START_TEST(help_is_made_from_the_table)
{
    char *help = ss_args_help(&args);
    ck_assert_str_eq(help, "Usage: tester WORD [WORD] [options]\n"
                           "\n"
                           "Tests.\n"
                           "\n"
                           "Options:\n"
                           "  -l, --listen ENDPOINT       where to listen\n"
                           "      --color VALUE           of the lines\n"
                           "                              and the rest\n"
                           "  -n, --count VALUE           how many\n"
                           "      --free-number-of-anything N\n"
                           "                              any\n"
                           "  -v, --loud                  say more\n"
                           "  -q, --quick                 be quick\n"
                           "  -t, --tag TAG               may be given often\n"
                           "  -h, --help                  show this\n"
                           "      --version               show the version\n"
                           "\n"
                           "The end.\n");
    ss_free(help);
}
END_TEST

START_TEST(run_says_how_the_program_ends)
{
    char *wrong[] = {"tester", "--what"};
    char *version[] = {"tester", "--version"};
    char *help[] = {"tester", "--help"};
    char *good[] = {"tester", "w"};
    ck_assert_int_eq(ss_args_run(&args, 2, wrong), SS_EXIT_USAGE);
    ck_assert_int_eq(ss_args_run(&args, 2, version), 0);
    ck_assert_int_eq(ss_args_run(&args, 2, help), 0);
    ck_assert_int_eq(ss_args_run(&args, 2, good), -1);
}
END_TEST

// In a process of its own: what is said of stdout once stays.
START_TEST(help_that_cannot_be_written_is_no_success)
{
    char *version[] = {"tester", "--version"};
    char *help[] = {"tester", "--help"};
    ck_assert_ptr_nonnull(freopen("/dev/full", "w", stdout));
    ck_assert_int_eq(ss_args_run(&args, 2, version), SS_EXIT_UNWRITTEN);
    ck_assert_int_eq(ss_args_run(&args, 2, help), SS_EXIT_UNWRITTEN);
}
END_TEST

START_TEST(the_version_is_the_projects)
{
    char line[200];
    bool found = false;
    FILE *file = fopen(SS_TEST_SOURCE_DIR "/CMakeLists.txt", "r");
    ck_assert_ptr_nonnull(file);
    while (fgets(line, sizeof(line), file))
        if (strstr(line, "project(superstep VERSION " SS_VERSION_TEXT " "))
            found = true;
    fclose(file);
    ck_assert(found);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("args");
    TCase *tcase = tcase_create("args");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(
        tcase, values_come_behind_a_blank_an_equals_sign_or_a_letter);
    tcase_add_test(tcase, an_empty_value_is_a_value);
    tcase_add_test(tcase, a_value_may_look_like_an_option);
    tcase_add_test(tcase, switches_may_stand_together);
    tcase_add_test(tcase, words_stand_anywhere);
    tcase_add_test(tcase, too_few_and_too_many_words_are_refused);
    tcase_add_test(tcase, an_unknown_option_is_refused_with_the_nearest_one);
    tcase_add_test(
        tcase, a_letter_that_is_none_is_refused_with_the_options_that_begin_so);
    tcase_add_test(tcase,
        of_an_option_that_is_given_twice_the_value_that_does_not_count_is_told);
    tcase_add_test(tcase, wrong_values_are_refused);
    tcase_add_test(tcase, the_environment_stands_in_for_what_is_not_given);
    tcase_add_test(tcase, help_and_version_need_no_words);
    tcase_add_test(tcase, help_is_made_from_the_table);
    tcase_add_test(tcase, run_says_how_the_program_ends);
    tcase_add_test(tcase, help_that_cannot_be_written_is_no_success);
    tcase_add_test(tcase, the_version_is_the_projects);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
