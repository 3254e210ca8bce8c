// The `superstep` command on a terminal, and what the same is in a pipe.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/pretty.h"
#include "client/cli/text.h"
#include "common/base/mem.h"
#include "common/model/value.h"
#include "tests/suite.h"
#include "tests/unit/client/command.h"

#define MORE   "\xe2\x80\xa6"
#define RED    "\x1b[31m"
#define YELLOW "\x1b[33m"
#define DIM    "\x1b[2m"

static char *pages; // {"pages": [200 of them], "name": "Ada"}
static char *ended, *stood;
static struct script of_pages[5];

static void forget_pages(void)
{
    free(pages);
    ss_free(ended);
    ss_free(stood);
    pages = ended = stood = NULL;
}

// A coordinator whose run ends with, and whose thread holds, 200 pages.
static void play_pages(void)
{
    forget_pages();
    json_t *values = json_pack("{s:[], s:s}", "pages", "name", "Ada");
    for (int i = 0; i < 200; i++)
        json_array_append_new(json_object_get(values, "pages"),
            json_pack("{s:i, s:s}", "page", i, "text",
                "what stands there is longer than one line of the terminal"));
    pages = json_dumps(values, JSON_ENCODE_ANY);
    json_decref(values);
    ended = ss_format("{\"run\":\"r1\",\"thread\":\"t1\",\"status\":\"done\","
                      "\"output\":%s,\"interrupts\":[],\"stats\":{}}",
        pages);
    stood = ss_format("{\"state\":{\"config\":{\"thread_id\":\"t1\","
                      "\"checkpoint_id\":\"c1\"},\"metadata\":{\"step\":1},"
                      "\"next\":[],\"tasks\":[],\"values\":%s}}",
        pages);
    of_pages[0] =
        (struct script){.op = "run", .items = {ACCEPTED}, .final = ended};
    of_pages[1] = (struct script){.op = "attach", .final = ended};
    of_pages[2] = (struct script){.op = "state", .final = stood};
    of_pages[3] = (struct script){.op = "runs",
        .final = "{\"runs\":[{\"graph\":\"g\",\"run\":\"r1\","
                 "\"key\":\"k\",\"thread\":\"t1\"}]}",
        .after = ""};
    of_pages[4] = (struct script){0};
    script = of_pages;
}

// Rows that fit a terminal of this size, and how many there are.
static size_t rows_that_fit(const struct ss_buf *buf, size_t columns)
{
    size_t count = 0;
    for (const char *at = ss_buf_str(buf); *at; count++) {
        size_t size = strcspn(at, "\n");
        char *row = ss_format("%.*s", (int)size, at);
        ck_assert_msg(ss_text_width(row) <= columns || strchr(row, '\x1b'),
            "too long: %s", row);
        ss_free(row);
        at += size + (at[size] == '\n');
    }
    return count;
}

START_TEST(the_result_of_a_run_is_a_screen_of_it_and_the_way_to_all)
{
    play_pages();
    command_on_terminal(24, 60);
    ck_assert_int_eq(RUN("run", "g", "-t", "t1"), 0);
    ck_assert(says(&out, "{\n  \"pages\": [\n"));
    ck_assert(says(&out, MORE " 194 more\n  ],\n"));
    ck_assert(says(&out, "  \"name\": \"Ada\"\n}\n"));
    ck_assert(says(&out, "superstep state t1 --all"));
    ck_assert_uint_le(rows_that_fit(&out, 60), 14);
    ck_assert_int_eq(RUN("attach", "r1"), 0);
    ck_assert(says(&out, "superstep state t1 --all"));
}
END_TEST

START_TEST(the_result_of_a_run_is_whole_and_one_line_in_a_pipe)
{
    play_pages();
    ck_assert_int_eq(RUN("run", "g", "-t", "t1"), 0);
    char *line = ss_format("%s\n", pages);
    expect_out(line);
    ss_free(line);
}
END_TEST

START_TEST(a_state_is_a_screen_of_it_and_with_all_the_whole)
{
    play_pages();
    command_on_terminal(24, 60);
    ck_assert_int_eq(RUN("state", "t1"), 0);
    ck_assert(says(&out, MORE " 194 more\n"));
    ck_assert(says(&out, "superstep state t1 --all"));
    ck_assert_uint_le(rows_that_fit(&out, 60), 17);
    ck_assert_int_eq(RUN("state", "t1", "--at", "c1"), 0);
    ck_assert(says(&out, "superstep state t1 --at c1 --all"));
    ck_assert_int_eq(RUN("state", "t1", "--all"), 0);
    ck_assert(says(&out, "\"page\": 199"));
    ck_assert(says(&out, "than one line of the terminal\""));
    ck_assert(!says(&out, " more\n"));
    command_on_terminal(0, 0);
    ck_assert_int_eq(RUN("state", "t1"), 0);
    ck_assert(says(&out, "\"page\": 199"));
    ck_assert(!says(&out, "--all"));
}
END_TEST

#define ROW(run, status)                                                       \
    "{\"run\":\"" run "\",\"key\":\"" run "\",\"thread\":\"t\",\"graph\":"     \
    "\"g\",\"status\":\"" status "\"}"

static void play_runs(void)
{
    PLAY({.op = "runs", .after = "r3", .final = "{\"runs\":[]}"},
        {.op = "runs",
            .final = "{\"runs\":[" ROW("r1", "failed") "," ROW(
                "r2", "interrupted") "," ROW("r3", "done") "]}"},
        {.op = "state",
            .final = "{\"error\":{\"code\":\"denied\",\"message\":\"no\"}}"});
}

START_TEST(what_failed_is_red_what_waits_is_yellow_and_ids_are_dim)
{
    play_runs();
    command_on_terminal(24, 100);
    ck_assert_int_eq(RUN("runs"), 0);
    ck_assert(says(&out, RED "failed\x1b[0m"));
    ck_assert(says(&out, YELLOW "interrupted\x1b[0m"));
    ck_assert(says(&out, DIM "r3\x1b[0m"));
    ck_assert(!says(&out, "mdone"));
    ck_assert_int_eq(RUN("state", "t"), 1);
    ck_assert(says(&out, RED "superstep:\x1b[0m no\n"));
}
END_TEST

START_TEST(no_colours_where_nobody_wants_them)
{
    play_runs();
    ck_assert_int_eq(RUN("runs"), 0);
    ck_assert(!says(&out, "\x1b"));
    command_on_terminal(24, 100);
    setenv("NO_COLOR", "1", 1);
    ck_assert_int_eq(RUN("runs"), 0);
    ck_assert(says(&out, "interrupted") && !says(&out, "\x1b"));
    command_on_terminal(24, 100);
    setenv("TERM", "dumb", 1);
    ck_assert_int_eq(RUN("runs"), 0);
    ck_assert(says(&out, "interrupted") && !says(&out, "\x1b"));
}
END_TEST

START_TEST(help_lists_the_commands_in_groups)
{
    ck_assert_int_eq(RUN("--help"), 0);
    const char *runs = strstr(ss_buf_str(&out), "\nRuns:\n  run  ");
    ck_assert_ptr_nonnull(runs);
    const char *threads = strstr(runs, "\nThreads and their state:\n");
    ck_assert_ptr_nonnull(threads);
    const char *cancel = strstr(runs, "\n  cancel ");
    ck_assert(cancel && cancel < threads);
    ck_assert_ptr_nonnull(strstr(threads, "\n  state "));
}
END_TEST

START_TEST(a_list_is_watched_on_its_screen_until_q)
{
    play_runs();
    command_on_terminal(3, 100);
    ck_assert_int_eq(RUN_WITH("q", "runs", "--watch"), 0);
    // No row goes on in the next one.
    ck_assert(strncmp(ss_buf_str(&out), "\x1b[?7l\x1b[HRUN ", 12) == 0);
    ck_assert(says(&out, "\x1b[J\x1b[?7h"));
    ck_assert(says(&out, RED "failed"));
    ck_assert(says(&out, "\n" MORE " 2 more"));
    ck_assert_int_eq(RUN_WITH("q", "show", "runs", "-w"), 0);
    ck_assert(says(&out, MORE " 2 more"));
}
END_TEST

// ---------------------------------------------------------------- in few rows

static void expect_pretty(const char *value, size_t width, size_t rows,
    bool is_cut, const char *wanted)
{
    json_t *json = json_loads(value, JSON_DECODE_ANY, NULL);
    ck_assert_ptr_nonnull(json);
    struct ss_buf buf;
    ss_buf_init(&buf, 1 << 20);
    ck_assert_int_eq(ss_pretty_write(json, width, rows, &buf), is_cut);
    ck_assert_str_eq(ss_buf_str(&buf), wanted);
    ss_buf_fini(&buf);
    json_decref(json);
}

START_TEST(what_fits_into_a_line_stands_in_one)
{
    expect_pretty("null", 20, 6, false, "null\n");
    expect_pretty("{\"a\":[1,2]}", 20, 6, false, "{\"a\": [1, 2]}\n");
    expect_pretty("{\"a\":[1,2],\"b\":[]}", 15, 6, false,
        "{\n  \"a\": [1, 2],\n  \"b\": []\n}\n");
    expect_pretty("\"\u4e00\u4e8c\u4e09\u56db\u4e94\"", 10, 6, true,
        "\"\u4e00\u4e8c\u4e09" MORE "\n");
}
END_TEST

START_TEST(each_member_of_a_long_value_has_its_share_of_the_rows)
{
    expect_pretty("{\"a\":[11111,22222,33333,44444],\"b\":\"short\"}", 16, 7,
        true,
        "{\n  \"a\": [\n    11111,\n    " MORE " 3 more\n  ],\n"
        "  \"b\": \"short\"\n}\n");
    expect_pretty("[11111,22222,33333,44444]", 16, 0, false,
        "[\n  11111,\n  22222,\n  33333,\n  44444\n]\n");
}
END_TEST

START_TEST(no_control_character_of_a_value_reaches_the_terminal)
{
    expect_pretty("{\"\\u009b\":\"\\u009b31m\"}", 40, 6, false,
        "{\"\\x9b\": \"\\x9b31m\"}\n");
}
END_TEST

int main(void)
{
    if (access(PROGRAM, X_OK) != 0 || !suite_has_columns())
        return 77;
    ss_value_setup();
    ss_text_setup();
    Suite *suite = suite_create("terminal");
    TCase *tcase = tcase_create("terminal");
    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, command_setup, command_teardown);
    tcase_add_checked_fixture(tcase, command_serve, forget_pages);
    tcase_add_test(
        tcase, the_result_of_a_run_is_a_screen_of_it_and_the_way_to_all);
    tcase_add_test(tcase, the_result_of_a_run_is_whole_and_one_line_in_a_pipe);
    tcase_add_test(tcase, a_state_is_a_screen_of_it_and_with_all_the_whole);
    tcase_add_test(
        tcase, what_failed_is_red_what_waits_is_yellow_and_ids_are_dim);
    tcase_add_test(tcase, no_colours_where_nobody_wants_them);
    tcase_add_test(tcase, help_lists_the_commands_in_groups);
    tcase_add_test(tcase, a_list_is_watched_on_its_screen_until_q);
    tcase_add_test(tcase, what_fits_into_a_line_stands_in_one);
    tcase_add_test(
        tcase, each_member_of_a_long_value_has_its_share_of_the_rows);
    tcase_add_test(tcase, no_control_character_of_a_value_reaches_the_terminal);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
