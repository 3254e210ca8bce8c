// Snapshots, histories, and advice on what to answer, as people see them.
#include "client/cli/snapshot.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/advice.h"
#include "client/cli/cli.h"
#include "client/cli/input.h"
#include "common/base/mem.h"
#include "common/model/limits.h"
#include "common/model/value.h"
#include "tests/suite.h"

#define DOTS "\xe2\x80\xa6"

static json_t *parse(const char *text)
{
    json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);
    ck_assert_msg(json != NULL, "no JSON: %s", text);
    return json;
}

static void expect_buf(struct ss_buf *buf, const char *wanted)
{
    ck_assert_str_eq(ss_buf_str(buf), wanted);
    ss_buf_fini(buf);
}

// ------------------------------------------------------------------- snapshots

static void expect_snapshot(const char *text, size_t width, const char *wanted)
{
    struct ss_buf buf;
    ss_buf_init(&buf, 1 << 20);
    json_t *snapshot = parse(text);
    ss_snapshot_write(
        snapshot, &(struct ss_screen){.width = width}, false, &buf);
    json_decref(snapshot);
    expect_buf(&buf, wanted);
}

START_TEST(a_finished_thread_shows_its_values)
{
    expect_snapshot(
        "{\"values\":{\"name\":\"Ada\",\"log\":[\"hello\",\"HELLO\"]},"
        "\"next\":[],\"config\":{\"thread_id\":\"demo\",\"checkpoint_ns\":\"\","
        "\"checkpoint_id\":\"1f0a-c3\"},\"metadata\":{\"source\":\"loop\","
        "\"step\":2},\"created_at\":\"2026-11-22T01:02:03.004+00:00\","
        "\"parent_config\":null,\"tasks\":[],\"interrupts\":[]}",
        0,
        "thread demo  checkpoint 1f0a-c3\n"
        "step 2  loop  2026-11-22 01:02:03  next: nothing, it is done\n"
        "\n"
        "KEY   VALUE\n"
        "name  \"Ada\"\n"
        "log   [\"hello\", \"HELLO\"]\n");
}
END_TEST

START_TEST(a_thread_that_asks_in_another_version_is_not_done)
{
    expect_snapshot("{\"values\":[1],\"config\":{\"thread_id\":\"t\","
                    "\"checkpoint_id\":\"c\"},\"metadata\":{\"step\":0},"
                    "\"next\":[],\"asks_elsewhere\":[\"ask\"]}",
        0,
        "thread t  checkpoint c\nstep 0  -  -  next: nothing\n"
        "asks in ask, which this version of the graph does not have\n\n"
        "[1]\n");
}
END_TEST

START_TEST(tasks_say_what_is_known_of_them)
{
    expect_snapshot(
        "{\"values\":{},\"next\":[\"a\",\"b\"],\"config\":{\"thread_id\":"
        "\"demo\",\"checkpoint_ns\":\"sub:1\",\"checkpoint_id\":\"1f0a-c3\"},"
        "\"metadata\":{\"source\":\"input\",\"step\":-1},\"created_at\":\"x\","
        "\"tasks\":[{\"id\":\"1\",\"name\":\"a\",\"interrupts\":[{\"value\":"
        "\"Publish?\"}]},{\"id\":\"2\",\"name\":\"b\",\"error\":\"oh\"},"
        "{\"id\":\"3\",\"name\":\"c\",\"result\":{\"n\":1},\"error\":null},"
        "{\"id\":\"4\",\"name\":\"d\",\"result\":null},"
        "{\"id\":\"5\",\"name\":\"e\",\"error\":{\"code\":\"node\","
        "\"message\":\"no\\u0007\"}},"
        "{\"id\":\"6\",\"name\":\"f\",\"tries\":{\"last_error\":\"busy\"},"
        "\"wait\":{\"why\":\"backoff\",\"failures\":2,\"in_ms\":2600,"
        "\"error\":\"busy\"}},"
        "{\"id\":\"7\",\"name\":\"g\",\"tries\":{\"last_error\":\"busy\"}},"
        "{\"id\":\"8\",\"name\":\"h\",\"wait\":{\"why\":\"running\","
        "\"worker\":\"w1\",\"attempt\":2,\"for_ms\":3000}}]}",
        0,
        "thread demo  checkpoint 1f0a-c3\n"
        "in sub:1\n"
        "step -1  input  x  next: a, b\n"
        "\n"
        "no values\n"
        "\n"
        "TASK  NODE  STATE\n"
        "1     a     asks \"Publish?\"\n"
        "2     b     failed: oh\n"
        "3     c     done: {\"n\": 1}\n"
        "4     d     to be run\n"
        "5     e     failed: no\\x07\n"
        "6     f     failed 2 times, last: busy; next try in 2.6 s\n"
        "7     g     to be run; failed before: busy\n"
        "8     h     runs on worker w1 (attempt 2), for 3.0 s\n");
}
END_TEST

START_TEST(values_that_are_no_object_are_shown_as_they_are)
{
    expect_snapshot("{\"values\":[1,2],\"config\":{\"thread_id\":\"t\","
                    "\"checkpoint_id\":\"c\"},\"metadata\":{\"step\":0}}",
        0,
        "thread t  checkpoint c\nstep 0  -  -  next: nothing, it is done\n\n"
        "[1, 2]\n");
}
END_TEST

START_TEST(long_values_are_cut_on_a_terminal)
{
    struct ss_buf buf;
    ss_buf_init(&buf, 1 << 20);
    json_t *snapshot = parse(
        "{\"values\":{\"text\":\"a text that is longer than the terminal\"}}");
    const struct ss_screen screen = {.width = 24, .height = 24};
    ck_assert(ss_snapshot_write(snapshot, &screen, false, &buf));
    ck_assert_ptr_nonnull(
        strstr(ss_buf_str(&buf), "\"text\": \"a text that" DOTS "\n"));
    json_decref(snapshot);
    ss_buf_fini(&buf);
}
END_TEST

START_TEST(inner_snapshots_follow)
{
    struct ss_buf buf;
    ss_buf_init(&buf, 1 << 20);
    json_t *snapshot = parse(
        "{\"values\":{\"a\":1},\"tasks\":[{\"name\":\"sub\",\"state\":"
        "{\"values\":{\"inner\":2},\"config\":{\"checkpoint_ns\":\"sub:1\"}}},"
        "{\"name\":\"other\",\"state\":{\"thread_id\":\"t\"}}]}");
    const struct ss_screen none = {0};
    ck_assert(!ss_snapshot_write(snapshot, &none, false, &buf));
    ck_assert_ptr_nonnull(strstr(ss_buf_str(&buf), "in sub:1\n"));
    ck_assert_ptr_nonnull(strstr(ss_buf_str(&buf), "inner  2\n"));
    json_decref(snapshot);
    ss_buf_fini(&buf);
}
END_TEST

START_TEST(a_thread_that_nobody_ran_has_no_snapshot)
{
    json_t *none = parse("{\"values\":{},\"next\":[],\"config\":null}");
    ck_assert(!ss_snapshot_is_there(none));
    json_decref(none);
}
END_TEST

// --------------------------------------------------------------------- history

#define SNAPSHOT(id, parent, step, source, next, values)                       \
    "{\"config\":{\"checkpoint_id\":\"" id "\"},\"parent_config\":" parent     \
    ",\"metadata\":{\"step\":" step ",\"source\":\"" source                    \
    "\"},\"next\":[" next "],\"values\":{" values "}}"
#define PARENT(id) "{\"checkpoint_id\":\"" id "\"}"

static const char history_text[] =
    "[" SNAPSHOT("1f0a-3-c3", PARENT("1f0a-2-b2"), "2", "loop", "",
        "\"name\":\"Ada\",\"log\":[1,2]") "," SNAPSHOT("1f0a-2-b2",
        PARENT("1f0a-1-a1"), "1", "loop", "\"shout\"",
        "\"name\":\"Ada\",\"log\":[1]") "," SNAPSHOT("1f0a-1-a1",
        PARENT("1f0a-0-90"), "0", "loop", "\"greet\"",
        "\"name\":\"Ada\"") "," SNAPSHOT("1f0a-0-90", "null", "-1", "input",
        "\"__start__\"", "") "]";

START_TEST(a_history_shows_what_each_superstep_changed)
{
    struct ss_buf buf;
    ss_buf_init(&buf, 1 << 20);
    json_t *history = parse(history_text);
    ss_history_write(history, 0, &(struct ss_screen){0}, &buf);
    json_decref(history);
    expect_buf(&buf, "CHECKPOINT  STEP  SOURCE  NEXT       CHANGED\n"
                     "1f0a-3-c3      2  loop    -          log\n"
                     "1f0a-2-b2      1  loop    shout      log\n"
                     "1f0a-1-a1      0  loop    greet      name\n"
                     "1f0a-0-90     -1  input   __start__  __start__\n");
}
END_TEST

START_TEST(a_fan_out_in_a_history_is_named_once)
{
    struct ss_buf buf;
    ss_buf_init(&buf, 1 << 20);
    json_t *history = parse("[" SNAPSHOT("c1", "null", "0", "loop",
        "\"page\",\"count\",\"page\",\"page\"", "") "]");
    ss_history_write(history, 0, &(struct ss_screen){0}, &buf);
    json_decref(history);
    expect_buf(&buf, "CHECKPOINT  STEP  SOURCE  NEXT            CHANGED\n"
                     "c1             0  loop    page \xc3\x97"
                     "3, count  -\n");
}
END_TEST

START_TEST(what_is_beyond_the_limit_gives_no_line)
{
    struct ss_buf buf;
    ss_buf_init(&buf, 1 << 20);
    json_t *history = parse(history_text);
    json_array_remove(history, 3);
    json_array_remove(history, 2);
    ss_history_write(history, 1, &(struct ss_screen){0}, &buf);
    expect_buf(&buf, "CHECKPOINT  STEP  SOURCE  NEXT  CHANGED\n"
                     "1f0a-3-c3      2  loop    -     log\n");
    // Without the one before nobody knows.
    json_array_remove(history, 1);
    ss_buf_init(&buf, 1 << 20);
    ss_history_write(history, 0, &(struct ss_screen){0}, &buf);
    expect_buf(&buf, "CHECKPOINT  STEP  SOURCE  NEXT  CHANGED\n"
                     "1f0a-3-c3      2  loop    -     ?\n");
    json_decref(history);
}
END_TEST

// ---------------------------------------------------------------------- advice

static void expect_advice(const char *graph, const char *thread,
    const char *interrupts, const char *wanted)
{
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    json_t *list = parse(interrupts);
    ss_cli_advise(graph, thread, list, file);
    fclose(file);
    json_decref(list);
    ck_assert_str_eq(text, wanted);
    free(text);
}

START_TEST(one_question_is_answered_by_value)
{
    expect_advice("g", "demo",
        "[{\"id\":\"abc\",\"value\":{\"question\":\"Publish?\"}}]",
        "interrupted: a question waits for an answer\n"
        "  {\"question\": \"Publish?\"}\n"
        "Answer:  superstep resume demo --value JSON\n");
}
END_TEST

START_TEST(several_questions_are_answered_by_id)
{
    expect_advice("g", "a thread",
        "[{\"id\":\"a\",\"value\":1,\"response_schema\":{\"type\":\"boolean\"}}"
        ",{\"id\":\"b\",\"value\":2,\"response_schema\":{\"type\":\"string\"}}"
        "]",
        "interrupted: 2 questions wait for answers\n"
        "  a  1\n"
        "  b  2\n"
        "Answer:  superstep resume 'a thread' --answer a=true --answer "
        "b='\"text\"'\n");
}
END_TEST

START_TEST(behind_a_breakpoint_the_run_goes_on)
{
    expect_advice("g", "demo", "[]",
        "interrupted at a breakpoint\nGo on:  superstep run g --thread demo\n");
    expect_advice(NULL, "demo", "[]",
        "interrupted at a breakpoint\nGo on:  superstep resume demo\n");
}
END_TEST

START_TEST(the_coordinator_that_was_named_is_named_again)
{
    ss_cli_options.endpoints = "tcp://far:1";
    expect_advice(NULL, "t", "[{\"id\":\"a\"}]",
        "interrupted: a question waits for an answer\n  null\n"
        "Answer:  superstep --coordinator tcp://far:1 resume t --value JSON\n");
    ss_cli_options.endpoints = NULL;
}
END_TEST

START_TEST(words_are_quoted_for_a_shell)
{
    static const char *const words[][2] = {{"demo", "demo"}, {"", "''"},
        {"a b", "'a b'"}, {"it's", "'it'\\''s'"}, {"$(rm)", "'$(rm)'"},
        {"a/b-c_d.e:f@g", "a/b-c_d.e:f@g"}};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        char *quoted = ss_cli_quote(words[i][0]);
        ck_assert_str_eq(quoted, words[i][1]);
        ss_free(quoted);
    }
}
END_TEST

// ----------------------------------------------------------------------- input

static struct ss_error error;

static char *write_file(const char *text, size_t size)
{
    char *path = ss_format("%s/superstep-input-XXXXXX",
        getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    FILE *file = fdopen(fd, "wb");
    ck_assert_uint_eq(fwrite(text, 1, size, file), size);
    fclose(file);
    return path;
}

START_TEST(input_is_json_or_a_file)
{
    json_t *json;
    ck_assert_int_eq(ss_cli_input("--input", "{\"a\":1}", &json, &error), 0);
    ck_assert_int_eq(json_integer_value(json_object_get(json, "a")), 1);
    json_decref(json);
    char *path = write_file("[1]\n", 4);
    char *at = ss_format("@%s", path);
    ck_assert_int_eq(ss_cli_input("--input", at, &json, &error), 0);
    ck_assert_uint_eq(json_array_size(json), 1);
    json_decref(json);
    remove(path);
    ss_free(at);
    ss_free(path);
}
END_TEST

START_TEST(input_from_an_editor_that_marks_utf_8_is_read)
{
    json_t *json;
    ck_assert_int_eq(
        ss_cli_input("--input", "\xEF\xBB\xBF[1]", &json, &error), SS_OK);
    ck_assert_uint_eq(json_array_size(json), 1);
    json_decref(json);
    ck_assert_int_eq(
        ss_cli_input("--input", "\xEF\xBB\xBF", &json, &error), SS_EFORMAT);
}
END_TEST

START_TEST(malformed_input_is_told_by_line_and_column)
{
    json_t *json;
    ck_assert_int_eq(
        ss_cli_input("--input", "{\"a\":\n nope}", &json, &error), SS_EFORMAT);
    ck_assert_ptr_nonnull(
        strstr(error.message, "--input: JSON is malformed at line 2, column"));
    ck_assert_int_eq(ss_cli_input("--input", "", &json, &error), SS_EFORMAT);
    ck_assert_int_eq(
        ss_cli_input("--input", "@/no/such", &json, &error), SS_EIO);
    ck_assert_str_eq(
        error.message, "cannot read /no/such: No such file or directory");
    ck_assert_int_eq(ss_cli_input("--input", "@/", &json, &error), SS_EIO);
}
END_TEST

START_TEST(a_file_over_the_limit_is_refused)
{
    size_t size = SS_VALUE_SIZE_MAX + 1;
    char *text = ss_alloc(size);
    memset(text, ' ', size);
    char *path = write_file(text, size);
    char *at = ss_format("@%s", path);
    json_t *json;
    ck_assert_int_eq(ss_cli_input("--input", at, &json, &error), SS_ELIMIT);
    ck_assert_ptr_nonnull(strstr(error.message,
        "is larger than 64 MB, which is the limit of one input"));
    remove(path);
    ss_free(text);
    ss_free(at);
    ss_free(path);
}
END_TEST

START_TEST(answers_come_in_pairs)
{
    json_t *json;
    const char *const pairs[] = {"a=1", "b={\"c\":\"=\"}"};
    ck_assert_int_eq(
        ss_cli_input_pairs("--answer", pairs, 2, &json, &error), 0);
    char *text = ss_json_text(json);
    ck_assert_str_eq(text, "{\"a\":1,\"b\":{\"c\":\"=\"}}");
    ss_free(text);
    json_decref(json);
    const char *const bad[] = {"a", "=1", "a=x"};
    for (size_t i = 0; i < 3; i++)
        ck_assert_int_ne(
            ss_cli_input_pairs("--answer", &bad[i], 1, &json, &error), 0);
}
END_TEST

START_TEST(lists_are_words_between_commas)
{
    json_t *list = ss_cli_input_list("a,b,,c");
    ck_assert_uint_eq(json_array_size(list), 3);
    json_decref(list);
    list = ss_cli_input_list("*");
    ck_assert_str_eq(json_string_value(list), "*");
    json_decref(list);
}
END_TEST

int main(void)
{
    ss_value_setup();
    Suite *suite = suite_create("show");
    TCase *tcase = tcase_create("show");
    tcase_add_test(tcase, a_finished_thread_shows_its_values);
    tcase_add_test(tcase, a_thread_that_asks_in_another_version_is_not_done);
    tcase_add_test(tcase, tasks_say_what_is_known_of_them);
    tcase_add_test(tcase, values_that_are_no_object_are_shown_as_they_are);
    tcase_add_test(tcase, long_values_are_cut_on_a_terminal);
    tcase_add_test(tcase, inner_snapshots_follow);
    tcase_add_test(tcase, a_thread_that_nobody_ran_has_no_snapshot);
    tcase_add_test(tcase, a_history_shows_what_each_superstep_changed);
    tcase_add_test(tcase, a_fan_out_in_a_history_is_named_once);
    tcase_add_test(tcase, what_is_beyond_the_limit_gives_no_line);
    tcase_add_test(tcase, one_question_is_answered_by_value);
    tcase_add_test(tcase, several_questions_are_answered_by_id);
    tcase_add_test(tcase, behind_a_breakpoint_the_run_goes_on);
    tcase_add_test(tcase, the_coordinator_that_was_named_is_named_again);
    tcase_add_test(tcase, words_are_quoted_for_a_shell);
    tcase_add_test(tcase, input_is_json_or_a_file);
    tcase_add_test(tcase, input_from_an_editor_that_marks_utf_8_is_read);
    tcase_add_test(tcase, malformed_input_is_told_by_line_and_column);
    tcase_add_test(tcase, a_file_over_the_limit_is_refused);
    tcase_add_test(tcase, answers_come_in_pairs);
    tcase_add_test(tcase, lists_are_words_between_commas);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
