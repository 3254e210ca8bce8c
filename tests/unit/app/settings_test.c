// settings_test.c - the table of settings: what must hold for every row, and
// what is told of a program's own.
#include "common/app/settings.h"

#include <check.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/app/limits.h"
#include "common/base/mem.h"
#include "common/model/value.h"
#include "tests/suite.h"

static struct ss_worker_settings values;
static struct ss_settings settings;

static void set_up(void)
{
    unsetenv("SUPERSTEP_CAPACITY");
    unsetenv("SUPERSTEP_LABEL");
    ss_settings_init(&settings, SS_SETTINGS_OF_WORKER, &values);
}

static void tear_down(void)
{
    ss_settings_fini(&settings);
}

static void parse(int argc, char *const *argv)
{
    char asked;
    struct ss_error error = {0};
    const struct ss_args args = {
        .program = "superstep-worker", .items = settings.items};
    ck_assert_msg(ss_args_parse(&args, argc, argv, &asked, &error) == SS_OK,
        "%s", error.message);
}

static json_t *item_of(json_t *list, const char *name)
{
    size_t i;
    json_t *item;
    json_array_foreach (list, i, item)
        if (strcmp(ss_json_str(item, "name", ""), name) == 0)
            return item;
    return NULL;
}

static void expect_item(json_t *list, const char *name, const char *text)
{
    char *json = ss_json_text(item_of(list, name));
    ck_assert_str_eq(json, text);
    ss_free(json);
}

// ---------------------------------------------------------------- the table

struct row {
    enum ss_settings_of of;
    const char *kind, *name, *variable, *secrecy, *line, *paragraph;
    int64_t min, max;
};

static const struct row rows[] = {
#define X(program, kind, field, name, letter, variable, initial, unit, min,    \
    max, value, secrecy, line, paragraph)                                      \
    {SS_SETTINGS_OF_##program, #kind, name, variable, #secrecy, line,          \
        paragraph, min, max},
#include "common/app/config.def"
#undef X
};
enum { ROWS_COUNT = sizeof(rows) / sizeof(*rows) };

static bool has_own_variable(const struct row *row)
{
    return strcmp(row->name, "connect") == 0 || *row->variable == '\0';
}

START_TEST(a_variable_is_named_as_its_option)
{
    for (size_t i = 0; i < ROWS_COUNT; i++) {
        char name[80];
        snprintf(name, sizeof(name), "SUPERSTEP_%s", rows[i].name);
        for (char *at = name; *at; at++)
            *at = *at == '-' ? '_' : (char)toupper((unsigned char)*at);
        if (!has_own_variable(&rows[i]))
            ck_assert_str_eq(rows[i].variable, name);
    }
}
END_TEST

START_TEST(each_row_says_what_it_is_and_more_than_that)
{
    for (size_t i = 0; i < ROWS_COUNT; i++) {
        const struct row *row = &rows[i];
        size_t line = strlen(row->line), more = strlen(row->paragraph);
        ck_assert_msg(line > 5 && row->line[line - 1] != '.', "%s", row->name);
        ck_assert_msg(
            more > 15 && row->paragraph[more - 1] == '.', "%s", row->name);
        ck_assert_msg((strcmp(row->kind, "INT") == 0) == (row->min < row->max),
            "%s: only numbers have bounds, and all have", row->name);
        ck_assert_msg(strcmp(row->secrecy, "PLAIN") == 0 ||
                          strcmp(row->kind, "TEXT") == 0,
            "%s: only a text can be hidden", row->name);
    }
}
END_TEST

START_TEST(no_program_has_two_of_a_name)
{
    for (size_t i = 0; i < ROWS_COUNT; i++)
        for (size_t j = i + 1; j < ROWS_COUNT; j++)
            ck_assert_msg(rows[i].of != rows[j].of ||
                              strcmp(rows[i].name, rows[j].name) != 0,
                "%s", rows[i].name);
}
END_TEST

START_TEST(what_stands_where_nothing_is_given_is_within_its_bounds)
{
    struct ss_coordinator_settings coordinator;
    struct ss_settings all;
    size_t count = 0;
    ss_settings_init(&all, SS_SETTINGS_OF_COORDINATOR, &coordinator);
    for (const struct ss_arg *it = all.items; it->name; it++) {
        if (it->kind != SS_ARG_INT || *(const int64_t *)it->to == 0)
            continue; // the program finds what it is
        int64_t initial = *(const int64_t *)it->to;
        ck_assert_msg(initial >= it->min && initial <= it->max, "%s", it->name);
        count++;
    }
    ck_assert_uint_gt(count, 2);
    ss_settings_fini(&all);
}
END_TEST

// ---------------------------------------------------------------- a program's

START_TEST(the_list_says_what_it_is_and_where_it_came_from)
{
    char *argv[] = {"superstep-worker", "--label", "gpu", "--name", "ada"};
    setenv("SUPERSTEP_CAPACITY", "3", 1);
    parse(5, argv);
    json_t *list = ss_settings_json(&settings);
    expect_item(list, "capacity",
        "{\"name\":\"capacity\",\"value\":3,\"unit\":\"tasks\",\"from\":"
        "\"environment\",\"at\":\"SUPERSTEP_CAPACITY\"}");
    expect_item(list, "label",
        "{\"name\":\"label\",\"value\":[\"gpu\"],\"unit\":\"\",\"from\":"
        "\"flag\"}");
    expect_item(list, "log-json",
        "{\"name\":\"log-json\",\"value\":false,\"unit\":\"\",\"from\":"
        "\"default\"}");
    expect_item(list, "connect",
        "{\"name\":\"connect\",\"value\":\"tcp://127.0.0.1:7433\",\"unit\":"
        "\"\",\"from\":\"default\"}");
    json_decref(list);
}
END_TEST

START_TEST(a_secret_is_not_shown_and_one_that_is_not_there_is_not_hidden)
{
    char *argv[] = {"superstep-worker", "--app-arg", "password"};
    json_t *list = ss_settings_json(&settings);
    ck_assert_str_eq(ss_json_str(item_of(list, "app-arg"), "value", "?"), "");
    json_decref(list);
    parse(3, argv);
    ck_assert_str_eq(values.app_arg, "password");
    list = ss_settings_json(&settings);
    char *text = ss_json_text(list);
    ck_assert_ptr_null(strstr(text, "password"));
    ck_assert_str_eq(
        ss_json_str(item_of(list, "app-arg"), "value", "?"), "(hidden)");
    ss_free(text);
    json_decref(list);
}
END_TEST

START_TEST(what_became_of_a_setting_is_noted_and_its_origin_stays)
{
    char *argv[] = {"superstep-worker", "--name", "ada"};
    parse(3, argv);
    json_t *list = ss_settings_json(&settings);
    ss_settings_note(list, "name", json_string("ada/1"));
    ss_settings_note(list, "nothing", json_string("x"));
    expect_item(list, "name",
        "{\"name\":\"name\",\"value\":\"ada/1\",\"unit\":\"\",\"from\":"
        "\"flag\"}");
    json_decref(list);
}
END_TEST

START_TEST(a_command_line_that_is_no_text_is_told_as_that)
{
    char *argv[] = {"superstep-worker", "--name", "\xff"};
    parse(3, argv);
    json_t *list = ss_settings_json(&settings);
    ck_assert_str_eq(
        ss_json_str(item_of(list, "name"), "value", "?"), "(not UTF-8)");
    json_decref(list);
}
END_TEST

START_TEST(what_is_hidden_is_no_option_of_this_program)
{
    ss_settings_hide(&settings, "app");
    json_t *list = ss_settings_json(&settings);
    ck_assert_ptr_null(item_of(list, "app"));
    ck_assert_ptr_nonnull(item_of(list, "app-arg"));
    ck_assert_ptr_nonnull(item_of(list, "log-json"));
    json_decref(list);
}
END_TEST

START_TEST(help_says_what_stands_where_nothing_is_given)
{
    const struct ss_args args = {
        .program = "superstep-worker", .items = settings.items};
    char *help = ss_args_help(&args);
    ck_assert_ptr_nonnull(strstr(help, "(tcp://127.0.0.1:7433)\n"));
    ss_free(help);
}
END_TEST

int main(void)
{
    ss_value_setup();
    Suite *suite = suite_create("settings");
    TCase *tcase = tcase_create("settings");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, a_variable_is_named_as_its_option);
    tcase_add_test(tcase, each_row_says_what_it_is_and_more_than_that);
    tcase_add_test(tcase, no_program_has_two_of_a_name);
    tcase_add_test(
        tcase, what_stands_where_nothing_is_given_is_within_its_bounds);
    tcase_add_test(tcase, the_list_says_what_it_is_and_where_it_came_from);
    tcase_add_test(
        tcase, a_secret_is_not_shown_and_one_that_is_not_there_is_not_hidden);
    tcase_add_test(
        tcase, what_became_of_a_setting_is_noted_and_its_origin_stays);
    tcase_add_test(tcase, a_command_line_that_is_no_text_is_told_as_that);
    tcase_add_test(tcase, what_is_hidden_is_no_option_of_this_program);
    tcase_add_test(tcase, help_says_what_stands_where_nothing_is_given);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
