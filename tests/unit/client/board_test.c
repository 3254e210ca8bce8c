// What superstep top shows, and on how many rows.
#include "client/cli/board.h"

#include <string.h>
#include <unistd.h>

#include "client/cli/text.h"
#include "common/base/mem.h"
#include "common/model/value.h"
#include "tests/suite.h"
#include "tests/unit/client/command.h"

static struct ss_board board;
static struct ss_buf text;

static void setup(void)
{
    command_setup();
    ss_buf_init(&text, 1 << 20);
    board = (struct ss_board){.status = json_pack("{s:i, s:i, s:i}", "epoch", 3,
                                  "runs", 2, "threads", 2),
        .workers = json_pack("[{s:s, s:i, s:i, s:i}, {s:s, s:i}]", "worker",
            "w1", "running", 4, "capacity", 4, "attempts", 100, "worker", "w2",
            "capacity", 4),
        .graphs = json_pack("[{s:s, s:i}, {s:s, s:i}]", "name", "idle",
            "attempts", 7, "name", "busy", "attempts", 93),
        .store = json_pack("{s:i, s:i}", "commits", 10, "us", 25000),
        .tasks =
            json_pack("{s:[], s:i, s:i}", "tasks", "running", 4, "ready", 36),
        .at_ms = 1000};
    for (int i = 0; i < 40; i++)
        json_array_append_new(json_object_get(board.tasks, "tasks"),
            json_pack("{s:s, s:s, s:s, s:s, s:i}", "state",
                i < 4 ? "running" : "ready", "node", i % 2 ? "page" : "count",
                "graph", "busy", "thread", "t", "attempt", 1));
}

static void teardown(void)
{
    ss_board_fini(&board);
    ss_buf_fini(&text);
    command_teardown();
}

static const char *show(size_t rows, size_t columns,
    const struct ss_board *before, enum ss_board_sort sort)
{
    const struct ss_screen screen = {.width = columns, .height = rows};
    ss_buf_reset(&text);
    ss_board_write(&board, before, "tcp://here", sort, &screen, &text);
    return ss_buf_str(&text);
}

static void expect_fits(size_t columns)
{
    for (size_t rows = 1; rows < 60; rows++) {
        const char *at = show(rows, columns, NULL, SS_BOARD_BY_READY);
        ck_assert(strncmp(at, "tcp://here  epoch 3  ", columns - 1) == 0 ||
                  strncmp(at, "tcp://here  epoch 3  ", 21) == 0);
        size_t count = 1;
        for (; *at; at++)
            count += *at == '\n' && at[1];
        ck_assert_msg(count <= rows, "%zu rows on %zu: %s", count, rows,
            ss_buf_str(&text));
        for (at = ss_buf_str(&text); *at;) {
            size_t size = strcspn(at, "\n");
            char *row = ss_format("%.*s", (int)size, at);
            ck_assert_msg(ss_text_width(row) <= columns, "too long: %s", row);
            ss_free(row);
            at += size + (at[size] == '\n');
        }
    }
}

START_TEST(no_screen_is_too_small_for_the_head_of_top)
{
    expect_fits(200);
    expect_fits(60);
    // The row of keys is cut as the others are.
    const char *last = strrchr(show(24, 20, NULL, SS_BOARD_BY_READY), '\n');
    ck_assert_str_eq(last, "\nsorted by ready; s:\xe2\x80\xa6");
}
END_TEST

START_TEST(what_is_left_out_is_counted)
{
    const char *shown = show(24, 100, NULL, SS_BOARD_BY_READY);
    ck_assert_ptr_nonnull(strstr(shown, " more\n"));
    ck_assert_ptr_nonnull(strstr(shown, "s: sort otherwise, q: quit"));
    // A pipe gets the tasks that were always listed, and no keys.
    shown = show(0, 0, NULL, SS_BOARD_BY_READY);
    ck_assert_ptr_nonnull(strstr(shown, "\xe2\x80\xa6 26 more\n"));
    ck_assert_ptr_null(strstr(shown, "quit"));
}
END_TEST

START_TEST(the_backlog_is_told_by_node)
{
    const char *shown = show(40, 100, NULL, SS_BOARD_BY_READY);
    ck_assert_ptr_nonnull(
        strstr(shown, "GRAPH  NODE   RUNNING  READY  TO RETRY\n"
                      "busy   count        2     18         0\n"
                      "busy   page         2     18         0\n"));
}
END_TEST

// What is not listed is counted all the same, and those alike are one row.
START_TEST(a_fan_out_is_one_row_for_each_reason)
{
    json_object_update_new(board.tasks,
        json_pack("{s:i, s:[{s:s, s:s, s:s, s:i}, {s:s, s:s, s:s, s:i, s:i, "
                  "s:i, s:i, s:s}]}",
            "backoff", 45, "waits", "node", "page", "graph", "busy", "why",
            "workers_busy", "count", 2431, "node", "page", "graph", "busy",
            "why", "backoff", "count", 45, "failures", 3, "in_ms", 1,
            "in_ms_last", 260, "error", "busy"));
    json_object_set_new(board.tasks, "ready", json_integer(2433));
    for (size_t i = 0; i < 4; i++)
        json_object_set_new(
            json_array_get(json_object_get(board.tasks, "tasks"), i), "worker",
            json_string("w1"));
    const char *shown = show(60, 120, NULL, SS_BOARD_BY_READY);
    ck_assert_ptr_nonnull(strstr(shown, "2433 ready, 45 to retry"));
    ck_assert_ptr_nonnull(
        strstr(shown, "GRAPH  NODE   RUNNING  READY  TO RETRY\n"
                      "busy   page         2   2431        45\n"
                      "busy   count        2      0         0\n"));
    ck_assert_ptr_nonnull(strstr(shown, "\nready    page \xc3\x97"
                                        "2,431  "));
    ck_assert_ptr_nonnull(strstr(shown, "  waits for room\n"));
    ck_assert_ptr_nonnull(strstr(shown, "\nbackoff  page \xc3\x97"
                                        "45  "));
    ck_assert_ptr_nonnull(
        strstr(shown, "  failed 3 times at most, last: busy; next try in "));
    ck_assert_ptr_nonnull(strstr(shown, "\nready    others \xc3\x97"
                                        "2  "));
}
END_TEST

START_TEST(rates_are_told_by_graph_and_the_store_by_its_commits)
{
    struct ss_board before = {.at_ms = 500,
        .workers = json_pack("[{s:i}]", "attempts", 90),
        .graphs = json_pack("[{s:s, s:i}]", "name", "busy", "attempts", 88),
        .store = json_pack("{s:i, s:i}", "commits", 8, "us", 21000)};
    const char *shown = show(40, 120, NULL, SS_BOARD_BY_READY);
    ck_assert_ptr_nonnull(strstr(shown, "36 ready  store 2.5 ms\n"));
    shown = show(40, 120, &before, SS_BOARD_BY_READY);
    ck_assert_ptr_nonnull(strstr(shown, "36 ready, 20/s  store 2.0 ms\n"));
    ck_assert_ptr_nonnull(
        strstr(shown, "GRAPH  WORKERS  RUNNING  READY  RATE/S\n"
                      "busy         -        4     36      10\n"
                      "idle         -        0      0       -\n"));
    ss_board_fini(&before);
}
END_TEST

START_TEST(a_coordinator_that_cannot_work_says_so_at_the_top)
{
    board.coordinators = 2;
    board.reason = json_string("the store has not answered for 43 s");
    const char *shown = show(40, 120, NULL, SS_BOARD_BY_READY);
    ck_assert(strncmp(shown, "tcp://here, one of 2  epoch 3  ", 31) == 0);
    ck_assert_ptr_nonnull(strstr(shown, "36 ready\nthe store has not answered"
                                        " for 43 s\n"));
    ck_assert_ptr_null(strstr(shown, "  store "));
    for (size_t rows = 3; rows < 60; rows++) {
        const char *at = show(rows, 60, NULL, SS_BOARD_BY_READY);
        size_t count = 1;
        while ((at = strchr(at, '\n'))) {
            count++;
            at++;
        }
        ck_assert_uint_le(count, rows);
    }
}
END_TEST

START_TEST(a_key_sorts_otherwise)
{
    const char *shown = show(40, 100, NULL, SS_BOARD_BY_READY);
    ck_assert(strstr(shown, "\nbusy") < strstr(shown, "\nidle"));
    json_object_set_new(
        json_array_get(board.graphs, 0), "name", json_string("always"));
    json_object_set_new(
        json_array_get(board.graphs, 1), "name", json_string("zoo"));
    shown = show(40, 100, NULL, SS_BOARD_BY_NAME);
    ck_assert(strstr(shown, "\nalways") < strstr(shown, "\nzoo"));
}
END_TEST

START_TEST(keys_sort_and_quit)
{
    if (access(PROGRAM, X_OK) != 0)
        return;
    command_serve();
    PLAY({.op = "status", .final = "{\"epoch\":1}"},
        {.op = "workers", .final = "{\"workers\":[]}"},
        {.op = "graphs", .final = "{\"graphs\":[]}"},
        {.op = "health", .final = "{\"health\":{\"ok\":true}}"},
        {.op = "tasks", .final = "{\"tasks\":[],\"running\":0,\"ready\":0}"});
    command_on_terminal(24, 80);
    ck_assert_int_eq(RUN_WITH("s", "top", "--once"), 0);
    ck_assert_int_eq(RUN_WITH("q", "top", "--interval-ms", "3600000"), 0);
    ck_assert(says(&out, "sorted by ready"));
    ck_assert_int_eq(RUN_WITH("sq", "top", "--interval-ms", "3600000"), 0);
}
END_TEST

int main(void)
{
    if (!suite_has_columns())
        return 77;
    ss_value_setup();
    ss_text_setup();
    Suite *suite = suite_create("board");
    TCase *tcase = tcase_create("board");
    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, no_screen_is_too_small_for_the_head_of_top);
    tcase_add_test(tcase, what_is_left_out_is_counted);
    tcase_add_test(tcase, the_backlog_is_told_by_node);
    tcase_add_test(tcase, a_fan_out_is_one_row_for_each_reason);
    tcase_add_test(tcase, rates_are_told_by_graph_and_the_store_by_its_commits);
    tcase_add_test(tcase, a_coordinator_that_cannot_work_says_so_at_the_top);
    tcase_add_test(tcase, a_key_sorts_otherwise);
    tcase_add_test(tcase, keys_sort_and_quit);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
