// environment_test.c - options that are set in the environment.
#include "common/app/environment.h"

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/app/args.h"
#include "tests/suite.h"

static const char *store;
static int64_t lease_ms;
static bool verbose;
static struct ss_arg_list labels;
static struct ss_arg_origin store_origin, lease_origin;
static struct ss_error error;
static char file_name[64];

static const struct ss_arg table[] = {
    {.name = "store",
        .kind = SS_ARG_TEXT,
        .to = &store,
        .help = "where",
        .env = "SS_TEST_STORE",
        .origin = &store_origin},
    {.name = "lease-ms",
        .kind = SS_ARG_INT,
        .to = &lease_ms,
        .min = 1,
        .max = 10,
        .unit = "ms",
        .help = "how long",
        .env = "SS_TEST_LEASE_MS",
        .origin = &lease_origin},
    {.name = "verbose",
        .kind = SS_ARG_FLAG,
        .to = &verbose,
        .help = "more",
        .env = "SS_TEST_VERBOSE"},
    {.name = "label",
        .kind = SS_ARG_LIST,
        .to = &labels,
        .help = "of it",
        .env = "SS_TEST_LABEL"},
    {.name = NULL},
};

static const struct ss_args args = {
    .program = "tester", .items = table, .env_prefix = "SS_TEST_"};

static void set_up(void)
{
    static const char *const names[] = {"SS_TEST_STORE", "SS_TEST_STORE_FILE",
        "SS_TEST_LEASE_MS", "SS_TEST_LEASE_MS_FILE", "SS_TEST_VERBOSE",
        "SS_TEST_LABEL"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        unsetenv(names[i]);
    store = NULL;
    lease_ms = 0;
    verbose = false;
    store_origin = lease_origin = (struct ss_arg_origin){0};
    snprintf(file_name, sizeof(file_name), "environment.XXXXXX");
    close(mkstemp(file_name));
}

static void tear_down(void)
{
    ss_args_fini(&args);
    unlink(file_name);
}

// With no words, or with --lease-ms 3.
static int parse(int argc)
{
    char asked;
    char *argv[] = {"tester", "--lease-ms", "3"};
    error.message[0] = '\0';
    return ss_args_parse(&args, argc, argv, &asked, &error);
}

static void write_file(const char *bytes, size_t size)
{
    FILE *file = fopen(file_name, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void refused(const char *message)
{
    ck_assert_int_eq(parse(1), SS_EINVAL);
    ck_assert_str_eq(error.message, message);
}

START_TEST(each_option_has_a_variable_and_the_command_line_overrules_it)
{
    setenv("SS_TEST_STORE", "memory:", 1);
    setenv("SS_TEST_LEASE_MS", "7", 1);
    setenv("SS_TEST_VERBOSE", "yes", 1);
    ck_assert_int_eq(parse(1), SS_OK);
    ck_assert_str_eq(store, "memory:");
    ck_assert_int_eq(lease_ms, 7);
    ck_assert(verbose);
    ck_assert_int_eq(store_origin.from, SS_ARG_FROM_ENVIRONMENT);
    ck_assert_str_eq(store_origin.at, "SS_TEST_STORE");
    setenv("SS_TEST_VERBOSE", "0", 1);
    ck_assert_int_eq(parse(3), SS_OK);
    ck_assert_int_eq(lease_ms, 3);
    ck_assert_int_eq(lease_origin.from, SS_ARG_FROM_FLAG);
    ck_assert(!verbose);
}
END_TEST

START_TEST(what_stood_before_a_command_is_not_overruled_behind_it)
{
    setenv("SS_TEST_LEASE_MS", "7", 1);
    ck_assert_int_eq(parse(3), SS_OK);
    ck_assert_int_eq(parse(1), SS_OK);
    ck_assert_int_eq(lease_ms, 3);
}
END_TEST

START_TEST(a_list_has_commas_there_and_the_command_line_is_in_its_place)
{
    char asked;
    char *argv[] = {"tester", "--label", "tpu"};
    setenv("SS_TEST_LABEL", "gpu, large,,", 1);
    ck_assert_int_eq(parse(1), SS_OK);
    ck_assert_uint_eq(labels.count, 2);
    ck_assert_str_eq(labels.items[0], "gpu");
    ck_assert_str_eq(labels.items[1], "large");
    ss_args_fini(&args);
    ck_assert_int_eq(ss_args_parse(&args, 3, argv, &asked, &error), SS_OK);
    ck_assert_uint_eq(labels.count, 1);
    ck_assert_str_eq(labels.items[0], "tpu");
}
END_TEST

START_TEST(an_empty_variable_is_none)
{
    setenv("SS_TEST_STORE", "", 1);
    setenv("SS_TEST_STORE_FILE", "", 1);
    ck_assert_int_eq(parse(1), SS_OK);
    ck_assert_ptr_null(store);
}
END_TEST

START_TEST(a_file_holds_a_secret)
{
    write_file("postgres://u:secret@h/d\n", 24);
    setenv("SS_TEST_STORE_FILE", file_name, 1);
    ck_assert_int_eq(parse(1), SS_OK);
    ck_assert_str_eq(store, "postgres://u:secret@h/d");
    ck_assert_int_eq(store_origin.from, SS_ARG_FROM_FILE);
    ck_assert_str_eq(store_origin.at, file_name);
    const char *first = store;
    ck_assert_int_eq(parse(1), SS_OK);
    ck_assert_ptr_eq(store, first); // it is kept, not read again
}
END_TEST

START_TEST(an_empty_file_is_no_value)
{
    setenv("SS_TEST_STORE_FILE", file_name, 1);
    ck_assert_int_eq(parse(1), SS_OK);
    ck_assert_ptr_null(store);
}
END_TEST

START_TEST(what_is_wrong_is_said_with_the_variables_name)
{
    setenv("SS_TEST_LEASE_MS", "soon", 1);
    refused("SS_TEST_LEASE_MS takes a whole number between 1 and 10 ms, not "
            "\"soon\"");
    setenv("SS_TEST_LEASE_MS", "11", 1);
    refused("SS_TEST_LEASE_MS 11: it must be between 1 and 10 ms");
    unsetenv("SS_TEST_LEASE_MS");
    setenv("SS_TEST_LEASE_MS_FILE", file_name, 1);
    write_file("12\n", 3);
    char message[160];
    snprintf(message, sizeof(message),
        "SS_TEST_LEASE_MS_FILE (%s) 12: it must be between 1 and 10 ms",
        file_name);
    refused(message);
    unsetenv("SS_TEST_LEASE_MS_FILE");
    setenv("SS_TEST_VERBOSE", "maybe", 1);
    refused("SS_TEST_VERBOSE is a switch: 1 or 0, not \"maybe\"");
}
END_TEST

START_TEST(a_file_that_is_no_setting_is_refused)
{
    setenv("SS_TEST_STORE_FILE", "nowhere/at-all", 1);
    refused("SS_TEST_STORE_FILE: cannot open nowhere/at-all: No such file or "
            "directory");
    setenv("SS_TEST_STORE", "memory:", 1);
    refused("SS_TEST_STORE and SS_TEST_STORE_FILE are both set: keep one");
    unsetenv("SS_TEST_STORE");
    setenv("SS_TEST_STORE_FILE", file_name, 1);
    write_file("a\0b", 3);
    char message[160];
    snprintf(message, sizeof(message),
        "SS_TEST_STORE_FILE: %s is not a setting: it has NULs", file_name);
    refused(message);
    static char much[SS_ENVIRONMENT_FILE_SIZE_MAX + 1];
    memset(much, 'x', sizeof(much));
    write_file(much, sizeof(much));
    snprintf(message, sizeof(message),
        "SS_TEST_STORE_FILE: %s is not a setting: it has more than 64 KB",
        file_name);
    refused(message);
}
END_TEST

START_TEST(help_is_given_whatever_the_environment_says)
{
    char asked = 0;
    char *argv[] = {"tester", "--help"};
    setenv("SS_TEST_LEASE_MS", "soon", 1);
    ck_assert_int_eq(ss_args_parse(&args, 2, argv, &asked, &error), SS_OK);
    ck_assert_int_eq(asked, 'h');
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("environment");
    TCase *tcase = tcase_create("environment");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(
        tcase, each_option_has_a_variable_and_the_command_line_overrules_it);
    tcase_add_test(
        tcase, what_stood_before_a_command_is_not_overruled_behind_it);
    tcase_add_test(
        tcase, a_list_has_commas_there_and_the_command_line_is_in_its_place);
    tcase_add_test(tcase, an_empty_variable_is_none);
    tcase_add_test(tcase, a_file_holds_a_secret);
    tcase_add_test(tcase, an_empty_file_is_no_value);
    tcase_add_test(tcase, what_is_wrong_is_said_with_the_variables_name);
    tcase_add_test(tcase, a_file_that_is_no_setting_is_refused);
    tcase_add_test(tcase, help_is_given_whatever_the_environment_says);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
