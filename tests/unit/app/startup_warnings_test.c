// startup_warnings_test.c - variables that nobody takes, and secrets that
// others could read.
#include "common/app/startup_warnings.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/app/log.h"
#include "common/model/roles.h"
#include "tests/suite.h"

static char texts[SS_STARTUP_WARNINGS_VARIABLES_MAX + 8][256];
static size_t count;
static struct ss_coordinator_settings values;
static struct ss_settings settings;

static void take(void *ctx, enum ss_finding finding, const char *text)
{
    ck_assert_int_eq(finding, *(enum ss_finding *)ctx);
    ck_assert_uint_lt(count, sizeof(texts) / sizeof(*texts));
    snprintf(texts[count++], sizeof(texts[0]), "%s", text);
}

static void look(void)
{
    enum ss_finding wanted = SS_FINDING_VARIABLE;
    count = 0;
    ss_startup_warnings_variables(take, &wanted);
}

static void set_up(void)
{
    unsetenv("SUPERSTEP_STORE_FILE");
    ss_settings_init(&settings, SS_SETTINGS_OF_COORDINATOR, &values);
    look();
    ck_assert_uint_eq(count, 0); // whoever runs the tests has set none
}

static void tear_down(void)
{
    ss_settings_fini(&settings);
}

// What is said of the variable `name`; "": nothing.
static const char *said_of(const char *name)
{
    setenv(name, "x", 1);
    look();
    unsetenv(name);
    ck_assert_uint_le(count, 1);
    return count > 0 ? texts[0] : "";
}

START_TEST(a_mistyped_variable_is_named_with_the_nearest_setting)
{
    static const char *const names[][2] = {
        {"SUPERSTEP_LEASE_SM", "SUPERSTEP_LEASE_MS"},
        {"SUPERSTEP_COORDINATR", "SUPERSTEP_COORDINATOR"},
        {"SUPERSTEP_HEARTBEAT", "SUPERSTEP_HEARTBEAT_MS"},
        {"SUPERSTEP_LEASE", "SUPERSTEP_LEASE_MS"},
        {"SUPERSTEP_LABELS", "SUPERSTEP_LABEL"},
        {"SUPERSTEP_SOTRE_FILE", "SUPERSTEP_STORE_FILE"},
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        char text[256];
        snprintf(text, sizeof(text),
            "%s in the environment is not a setting, and has no effect. Did "
            "you "
            "mean %s?",
            names[i][0], names[i][1]);
        ck_assert_str_eq(said_of(names[i][0]), text);
    }
}
END_TEST

// The database would be another one, and nothing said why.
START_TEST(a_secret_whose_file_is_empty_is_told_of)
{
    char path[] = "/tmp/superstep-empty-XXXXXX";
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    setenv("SUPERSTEP_STORE_FILE", path, 1);
    look();
    ck_assert_uint_eq(count, 1);
    ck_assert_ptr_nonnull(
        strstr(texts[0], "SUPERSTEP_STORE_FILE in the environment names a file "
                         "that is empty, /tmp/superstep-empty-"));
    ck_assert_int_eq(write(file, "x", 1), 1);
    look();
    ck_assert_uint_eq(count, 0);
    unsetenv("SUPERSTEP_STORE_FILE");
    close(file);
    unlink(path);
}
END_TEST

START_TEST(one_that_is_like_no_setting_is_named_alone)
{
    ck_assert_str_eq(said_of("SUPERSTEP_COLOUR_OF_LINES"),
        "SUPERSTEP_COLOUR_OF_LINES in the environment is not a setting, and "
        "has "
        "no effect");
    // Only what is behind the prefix counts.
    ck_assert_str_eq(said_of("SUPERSTEP_XYZ"),
        "SUPERSTEP_XYZ in the environment is not a setting, and has no effect");
}
END_TEST

START_TEST(a_setting_of_any_program_is_none_of_them)
{
    static const char *const names[] = {
#define X(program, kind, field, name, letter, variable, ...) variable,
#include "common/app/config.def"
#undef X
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        char file[256];
        snprintf(file, sizeof(file), "%s_FILE", names[i]);
        if (!*names[i] || getenv(names[i]))
            continue;
        ck_assert_str_eq(said_of(names[i]), "");
        ck_assert_str_eq(said_of(file), "");
    }
}
END_TEST

START_TEST(what_compose_tests_and_container_engines_set_is_none_either)
{
    static const char *const names[] = {"SUPERSTEP_PORT", "SUPERSTEP_PORT2",
        "SUPERSTEP_BIND", "SUPERSTEP_SECRETS", "SUPERSTEP_TEST_ANYTHING",
        "SUPERSTEP_COORDINATOR_SERVICE_HOST",
        "SUPERSTEP_COORDINATOR_SERVICE_PORT_METRICS",
        "SUPERSTEP_COORDINATOR_PORT", "SUPERSTEP_COORDINATOR_PORT_7433_TCP",
        "SUPERSTEPS", "superstep_lease"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        ck_assert_str_eq(said_of(names[i]), "");
}
END_TEST

START_TEST(a_flood_of_them_is_told_of_up_to_a_limit)
{
    char name[64];
    for (int i = 0; i < SS_STARTUP_WARNINGS_VARIABLES_MAX + 3; i++) {
        snprintf(name, sizeof(name), "SUPERSTEP_NONE_OF_OURS_%d", i);
        setenv(name, "x", 1);
    }
    look();
    ck_assert_uint_eq(count, SS_STARTUP_WARNINGS_VARIABLES_MAX);
    for (int i = 0; i < SS_STARTUP_WARNINGS_VARIABLES_MAX + 3; i++) {
        snprintf(name, sizeof(name), "SUPERSTEP_NONE_OF_OURS_%d", i);
        unsetenv(name);
    }
}
END_TEST

START_TEST(a_name_of_any_length_is_cut)
{
    char name[5000];
    memset(name, 'A', sizeof(name));
    memcpy(name, SS_SETTINGS_PREFIX, sizeof(SS_SETTINGS_PREFIX) - 1);
    name[sizeof(name) - 1] = '\0';
    ck_assert_uint_lt(strlen(said_of(name)), 256);
    ck_assert_uint_eq(count, 1);
}
END_TEST

static char lines[4][512];
static size_t lines_count;

static void take_line(void *ctx, const char *line, size_t size)
{
    (void)ctx;
    ck_assert_uint_lt(lines_count, 4);
    snprintf(lines[lines_count++], sizeof(lines[0]), "%.*s", (int)size, line);
}

// Of the secrets of a program, its key in `keys` and the file of its store.
START_TEST(secrets_that_others_can_read_are_logged_with_what_to_do)
{
    char folder[] = "/tmp/ss-warnings-XXXXXX", key[64], dsn[64], asked;
    char *argv[] = {"superstep-coordinator"};
    const struct ss_args args = {.program = *argv, .items = settings.items};
    const struct ss_log_options log = {
        .program = *argv, .level = SS_LOG_WARNING, .sink = take_line};
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(key, sizeof(key), "%s/coordinator.key", folder);
    snprintf(dsn, sizeof(dsn), "%s/dsn", folder);
    const char *const paths[] = {key, dsn};
    for (size_t i = 0; i < 2; i++) {
        FILE *file = fopen(paths[i], "w");
        fputs("memory:\n", file);
        fclose(file);
        chmod(paths[i], 0644);
    }
    setenv("SUPERSTEP_STORE_FILE", dsn, 1);
    ck_assert_int_eq(ss_args_parse(&args, 1, argv, &asked, NULL), SS_OK);
    ss_log_setup(&log);
    ss_startup_warnings_log(&settings, folder, SS_ROLE_COORDINATOR);
    ck_assert_uint_eq(lines_count, 2);
    for (size_t i = 0; i < 2; i++) {
        char wanted[256];
        snprintf(wanted, sizeof(wanted),
            "warning: %s can be read by others on this machine: chmod 600 it",
            paths[i]);
        ck_assert_msg(strstr(lines[i], wanted), "%s", lines[i]);
        chmod(paths[i], 0600);
    }
    ss_startup_warnings_log(&settings, folder, SS_ROLE_COORDINATOR);
    ck_assert_uint_eq(lines_count, 2);
    for (size_t i = 0; i < 2; i++)
        unlink(paths[i]);
    rmdir(folder);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("startup_warnings");
    TCase *tcase = tcase_create("startup_warnings");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(
        tcase, a_mistyped_variable_is_named_with_the_nearest_setting);
    tcase_add_test(tcase, a_secret_whose_file_is_empty_is_told_of);
    tcase_add_test(tcase, one_that_is_like_no_setting_is_named_alone);
    tcase_add_test(tcase, a_setting_of_any_program_is_none_of_them);
    tcase_add_test(
        tcase, what_compose_tests_and_container_engines_set_is_none_either);
    tcase_add_test(tcase, a_flood_of_them_is_told_of_up_to_a_limit);
    tcase_add_test(tcase, a_name_of_any_length_is_cut);
    tcase_add_test(
        tcase, secrets_that_others_can_read_are_logged_with_what_to_do);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
