// A run is named by its thread and its own name: what the same name means on
// another thread, what a name alone means, and what holds while a coordinator
// is at work that has the name alone as key.
#include <string.h>

#include "common/base/buf.h"
#include "common/base/mem.h"
#include "common/model/value.h"
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"

#define RUN(thread, run)                                                       \
    "{'graph': 'g', 'thread': '" thread "', 'run': '" run                      \
    "', 'input': {'x': []}}"
#define OF(thread, run) "{'thread': '" thread "', 'run': '" run "'}"

static void two_nodes(void)
{
    world_graph(chart("g", "start>a a>b b>end", NULL));
    world_worker("w1", 9);
    world_run();
}

// The oldest coordinator reads that.
static void oldest_reads(int32_t format)
{
    struct ss_event event = {.type = SS_EVENT_MEMBERS};
    event.members.row_format = format;
    world_event(&event);
}

static void old_one_at_work(void)
{
    two_nodes();
    oldest_reads(SS_ROW_FORMAT_4);
}

static void say(struct ss_buf *buf, const json_t *run)
{
    const char *key = ss_json_str(run, "key", "");
    ss_buf_addf(buf, "%s on %s: %s%s\n", ss_json_str(run, "run", "?"),
        ss_json_str(run, "thread", "?"), ss_json_str(run, "status", "?"),
        strchr(key, '|') ? "" : ", by its name alone");
}

// All runs that are recorded, by name.
static void runs(const char *expected)
{
    struct ss_buf buf;
    size_t i;
    json_t *run;
    ss_buf_init(&buf, 4096);
    json_array_foreach (
        json_object_get(world_get("runs", "{}"), "runs"), i, run)
        say(&buf, run);
    ck_assert_str_eq(ss_buf_str(&buf), expected);
    ss_buf_fini(&buf);
}

static const char *said(const json_t *answer)
{
    return ss_json_str(json_object_get(answer, "error"), "message", "");
}

static uint64_t start(const char *body)
{
    uint64_t id = world_ask("ann", "run", body);
    world_run();
    return id;
}

// ------------------------------------------------ two runs of one name

START_TEST(the_same_name_on_another_thread_is_another_run)
{
    two_nodes();
    world_hold("a");
    uint64_t first = start(RUN("t", "1")), second = start(RUN("u", "1"));
    runs("1 on t: running\n1 on u: running\n");
    world_let("a");
    ck_assert_str_eq(status_of(world_finish(first)), "done");
    ck_assert_str_eq(status_of(world_finish(second)), "done");
    runs("1 on t: done\n1 on u: done\n");
    ck_assert_uint_eq(world_attempts_of("a"), 2);
}
END_TEST

START_TEST(the_same_name_again_is_that_run_on_each_thread)
{
    two_nodes();
    world_finish(start(RUN("t", "1")));
    world_finish(start(RUN("u", "1")));
    json_t *again = world_get("run", RUN("t", "1"));
    ck_assert_str_eq(ss_json_str(again, "thread", ""), "t");
    ck_assert_str_eq(status_of(again), "done");
    again = world_get("run", RUN("u", "1"));
    ck_assert_str_eq(ss_json_str(again, "thread", ""), "u");
    ck_assert_uint_eq(world_attempts_of("a"), 2);
}
END_TEST

START_TEST(the_same_name_with_another_input_is_told_that_it_was_another)
{
    two_nodes();
    world_finish(start(RUN("t", "1")));
    json_t *again = world_get("run", RUN("t", "1"));
    ck_assert_ptr_null(json_object_get(again, "warnings"));
    again = world_get("run",
        "{'thread': 't', 'run': '1', 'graph': 'g', 'input': {'x': ['y']}}");
    ck_assert_str_eq(status_of(again), "done");
    const json_t *warnings = json_object_get(again, "warnings");
    ck_assert_uint_eq(json_array_size(warnings), 1);
    ck_assert_str_eq(json_string_value(json_array_get(warnings, 0)),
        "run 1 was there already, with another input: this is what came of "
        "that one");
    ck_assert_uint_eq(world_attempts_of("a"), 1);
}
END_TEST

#define OTHER(run)                                                             \
    "{'thread': 't', 'run': '" run "', 'graph': 'g', 'input': {'x': ['y']}}"

// "eve" asks for it: what she is told first. Borrowed.
static const json_t *told_first(const char *body, uint64_t *ret_id)
{
    size_t before = json_array_size(world_seen("eve"));
    *ret_id = world_ask("eve", "run", body);
    world_run();
    return json_array_get(world_seen("eve"), before);
}

// The one warning of an answer, "" where there is none.
static const char *warning_of(const json_t *answer)
{
    const json_t *all = json_object_get(answer, "warnings");
    ck_assert_uint_le(json_array_size(all), 1);
    const char *text = json_string_value(json_array_get(all, 0));
    return text ? text : "";
}

START_TEST(a_run_under_way_that_is_asked_for_with_another_input_says_so)
{
    static const char said[] = "run 1 is under way already, with another "
                               "input: this is what comes of that one";
    two_nodes();
    world_hold("a");
    uint64_t first = start(RUN("t", "1")), same, other;
    // at once, for who waits, and at the end, for who looks only there
    ck_assert_str_eq(warning_of(told_first(OTHER("1"), &other)), said);
    ck_assert_str_eq(warning_of(told_first(RUN("t", "1"), &same)), "");
    json_t *detached = world_get("run",
        "{'thread': 't', 'run': '1', 'graph': 'g', 'detach': true,"
        " 'input': {'x': ['y']}}");
    ck_assert_str_eq(warning_of(detached), said);
    world_let("a");
    ck_assert_str_eq(warning_of(world_finish(other)), said);
    ck_assert_str_eq(warning_of(world_finish(first)), "");
    ck_assert_str_eq(warning_of(world_finish(same)), "");
    ck_assert_uint_eq(world_attempts_of("a"), 1);
}
END_TEST

START_TEST(a_queued_run_that_is_asked_for_with_another_input_says_so)
{
    static const char said[] = "run 2 waits for its turn already, with another "
                               "input: this is what comes of that one";
    static const char queued[] =
        "{'thread': 't', 'run': '2', 'graph': 'g', 'if_busy': 'enqueue',"
        " 'input': {'x': []}}";
    two_nodes();
    world_hold("a");
    start(RUN("t", "1"));
    start(queued);
    uint64_t same, other;
    ck_assert_str_eq(warning_of(told_first(OTHER("2"), &other)), said);
    ck_assert_str_eq(warning_of(told_first(queued, &same)), "");
    world_crash(); // it is found again by its record
    world_restart();
    world_run();
    ck_assert_str_eq(warning_of(told_first(OTHER("2"), &other)), said);
    world_let("a");
    ck_assert_str_eq(warning_of(world_finish(other)), said);
    ck_assert_str_eq(
        ss_json_str(world_finish(start(queued)), "status", ""), "done");
    ck_assert_str_eq(warning_of(world_get("run", OTHER("2"))),
        "run 2 was there already, with another input: this is what came of "
        "that one");
}
END_TEST

// Of a run that was found after a crash the rows say with what it began.
START_TEST(a_run_that_goes_on_after_a_crash_knows_its_input)
{
    two_nodes();
    world_hold("b");
    start(RUN("t", "1"));
    world_crash();
    world_restart();
    world_run();
    uint64_t same, other;
    ck_assert_ptr_nonnull(strstr(warning_of(told_first(OTHER("1"), &other)),
        "is under way already, with another input"));
    ck_assert_str_eq(warning_of(told_first(RUN("t", "1"), &same)), "");
    world_let("b");
    ck_assert_str_eq(warning_of(world_finish(same)), "");
}
END_TEST

START_TEST(the_same_name_with_another_answer_is_told_that_it_was_another)
{
    two_nodes();
    world_body("b", asks);
    world_finish(start(RUN("t", "1")));
    const char *yes = "{'thread': 't', 'run': '2', 'graph': 'g',"
                      " 'command': {'resume': 'yes'}}";
    const char *no = "{'thread': 't', 'run': '2', 'graph': 'g',"
                     " 'command': {'resume': 'no'}}";
    ck_assert_str_eq(warning_of(world_finish(start(yes))), "");
    ck_assert_str_eq(warning_of(world_get("run", yes)), "");
    ck_assert_str_eq(warning_of(world_get("run", no)),
        "run 2 was there already, with another command: this is what came of "
        "that one");
    // an input in the place of a command, and who asks for the run alone
    ck_assert_str_ne(warning_of(world_get("run", OTHER("2"))), "");
    ck_assert_str_eq(warning_of(world_get(
                         "run", "{'thread': 't', 'run': '2', 'graph': 'g'}")),
        "");
}
END_TEST

START_TEST(runs_of_one_name_all_go_on_after_a_crash)
{
    two_nodes();
    world_hold("a");
    start(RUN("t", "same"));
    start(RUN("u", "same"));
    world_crash();
    world_let("a");
    world_restart();
    world_run();
    runs("same on t: done\nsame on u: done\n");
    expect_x("t", "[\"a\",\"b\"]");
    expect_x("u", "[\"a\",\"b\"]");
}
END_TEST

START_TEST(to_delete_a_thread_leaves_the_run_of_that_name_on_another)
{
    two_nodes();
    world_finish(start(RUN("t", "1")));
    world_hold("a");
    start(RUN("u", "1"));
    world_get("delete", "{'thread': 't'}");
    runs("1 on u: running\n");
    world_let("a");
    world_crash();
    world_restart();
    world_run();
    runs("1 on u: done\n");
}
END_TEST

START_TEST(to_take_a_run_back_leaves_the_one_of_that_name_on_another_thread)
{
    two_nodes();
    world_finish(start(RUN("t", "1")));
    world_hold("a");
    start(RUN("u", "1"));
    world_get("cancel", "{'run': '1', 'thread': 'u', 'action': 'rollback'}");
    runs("1 on t: done\n");
}
END_TEST

// ------------------------------------------------ what a name alone means

START_TEST(a_name_that_several_threads_have_is_ambiguous)
{
    static const char *const ops[] = {
        "attach", "cancel", "explain", "migrate", "release"};
    two_nodes();
    world_finish(start(RUN("t", "1")));
    world_hold("a");
    start(RUN("u", "1"));
    for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++) {
        json_t *answer = world_get(ops[i], "{'run': '1'}");
        ck_assert_str_eq(code_of(answer), "ambiguous");
        ck_assert_ptr_nonnull(strstr(said(answer),
            ": several threads have a run 1: say which thread (t, u)"));
    }
    runs("1 on t: done\n1 on u: running\n");
    ck_assert_str_eq(status_of(world_get("attach", OF("t", "1"))), "done");
    ck_assert_str_eq(status_of(world_get("cancel", OF("u", "1"))), "cancelled");
    runs("1 on t: done\n1 on u: cancelled\n");
}
END_TEST

START_TEST(many_threads_are_not_all_named)
{
    two_nodes();
    for (char thread[] = "a"; *thread < 'a' + 12; ++*thread)
        world_finish(world_ask_json("ann", "run",
            json_pack("{s:s, s:s, s:s, s:{s:[]}}", "graph", "g", "thread",
                thread, "run", "1", "input", "x")));
    ck_assert_str_eq(said(world_get("attach", "{'run': '1'}")),
        "attach: many threads have a run 1: say which thread (a, b, c, d, e, f,"
        " g, h, and more)");
}
END_TEST

START_TEST(a_name_that_one_thread_has_is_that_run)
{
    two_nodes();
    world_finish(start(RUN("t", "1")));
    world_finish(start(RUN("u", "11")));
    world_finish(start(RUN("u", "1 ")));
    json_t *answer = world_get("attach", "{'run': '1'}");
    ck_assert_str_eq(ss_json_str(answer, "thread", ""), "t");
    answer = world_get("explain", "{'run': '11'}");
    ck_assert_str_eq(
        ss_json_str(json_object_get(answer, "explain"), "thread", ""), "u");
    ck_assert_str_eq(
        said(world_get("attach", "{'run': '2'}")), "there is no run 2");
    ck_assert_str_eq(
        said(world_get("attach", OF("v", "1"))), "thread v has no run 1");
}
END_TEST

// Its record is on its way: it counts all the same.
START_TEST(a_run_that_has_just_begun_is_known_by_its_name_alone)
{
    two_nodes();
    world_finish(start(RUN("t", "1")));
    world_store_slow(true);
    start(RUN("u", "1"));
    uint64_t id = world_ask("bob", "attach", "{'run': '1'}");
    world_store_slow(false);
    ck_assert_str_eq(code_of(world_finish(id)), "ambiguous");
}
END_TEST

START_TEST(a_list_goes_on_between_two_runs_of_one_name)
{
    two_nodes();
    static const char *const threads[] = {"t", "u", "v"};
    for (size_t i = 0; i < 3; i++)
        world_finish(world_ask_json("ann", "run",
            json_pack("{s:s, s:s, s:s, s:{s:[]}}", "graph", "g", "thread",
                threads[i], "run", "1", "input", "x")));
    char *after = NULL;
    for (size_t i = 0; i < 4; i++) {
        json_t *answer = world_finish(world_ask_json("ann", "runs",
            json_pack("{s:i, s:s*}", "limit", 1, "after", after)));
        json_t *run = json_array_get(json_object_get(answer, "runs"), 0);
        ck_assert_str_eq(
            ss_json_str(run, "thread", "-"), i < 3 ? threads[i] : "-");
        ss_free(after);
        after = ss_strdup(ss_json_str(run, "key", NULL));
    }
    ss_free(after);
    // By its name alone all of them have been seen.
    ck_assert_uint_eq(json_array_size(json_object_get(
                          world_get("runs", "{'after': '1'}"), "runs")),
        0);
}
END_TEST

// ------------------------------------------------ an older one is at work

START_TEST(a_name_is_one_threads_while_an_older_coordinator_is_at_work)
{
    old_one_at_work();
    world_finish(start(RUN("t", "1")));
    runs("1 on t: done, by its name alone\n");
    json_t *answer = world_get("run", RUN("u", "1"));
    ck_assert_str_eq(code_of(answer), "already_exists");
    ck_assert_ptr_nonnull(strstr(said(answer), "run 1 is on thread t: "));
    runs("1 on t: done, by its name alone\n");
    // On its own thread it is that run, as ever.
    ck_assert_str_eq(status_of(world_get("run", RUN("t", "1"))), "done");
    ck_assert_uint_eq(world_attempts_of("a"), 1);
    oldest_reads(SS_ROW_FORMAT_5);
    ck_assert_str_eq(status_of(world_get("run", RUN("u", "1"))), "done");
    runs("1 on t: done, by its name alone\n1 on u: done\n");
    ck_assert_str_eq(code_of(world_get("attach", "{'run': '1'}")), "ambiguous");
}
END_TEST

// Both have looked before one of them has put it.
START_TEST(of_two_who_take_a_name_at_once_one_is_refused)
{
    old_one_at_work();
    world_store_slow(true);
    uint64_t first = world_ask("ann", "run", RUN("t", "1"));
    uint64_t second = world_ask("bob", "run", RUN("u", "1"));
    world_run();
    while (world_run_store()) // threads are read, and both look
        continue;
    world_store_slow(false);
    ck_assert_str_eq(status_of(world_finish(first)), "done");
    ck_assert_str_eq(code_of(world_finish(second)), "already_exists");
    runs("1 on t: done, by its name alone\n");
}
END_TEST

START_TEST(a_run_that_is_refused_leaves_its_name_free)
{
    old_one_at_work();
    world_hold("a");
    start(RUN("t", "1"));
    ck_assert_str_eq(code_of(world_get("run", RUN("t", "2"))), "busy");
    uint64_t behind = world_ask("ann", "run",
        "{'graph': 'g', 'thread': 't', 'run': '3', 'input': {'x': []},"
        " 'if_busy': 'enqueue'}");
    world_run();
    runs("1 on t: running, by its name alone\n"
         "3 on t: queued, by its name alone\n");
    world_let("a");
    ck_assert_str_eq(status_of(world_finish(behind)), "done");
}
END_TEST

// What a claim leaves behind is over: nothing of it goes on.
START_TEST(a_name_that_was_claimed_when_its_coordinator_died_is_the_threads)
{
    old_one_at_work();
    world_store_slow(true);
    start(RUN("t", "1"));
    for (int i = 0; i < 3; i++) // the thread is read, a look, the claim
        ck_assert(world_run_store());
    world_store_slow(false);
    world_crash();
    world_restart();
    world_run();
    runs("1 on t: cancelled, by its name alone\n");
    oldest_reads(SS_ROW_FORMAT_4);
    ck_assert_str_eq(
        code_of(world_get("run", RUN("u", "1"))), "already_exists");
    ck_assert_str_eq(status_of(world_get("run", RUN("t", "1"))), "done");
    runs("1 on t: done, by its name alone\n");
}
END_TEST

START_TEST(a_run_that_began_by_its_name_alone_ends_by_name_and_thread)
{
    old_one_at_work();
    world_hold("a");
    uint64_t id = start(RUN("t", "1"));
    oldest_reads(SS_ROW_FORMAT_5);
    world_let("a");
    ck_assert_str_eq(status_of(world_finish(id)), "done");
    runs("1 on t: done\n");
    ck_assert_str_eq(status_of(world_get("attach", "{'run': '1'}")), "done");
}
END_TEST

START_TEST(a_record_of_before_is_found_ended_and_dropped)
{
    old_one_at_work();
    world_hold("a");
    start(RUN("t", "1"));
    start(RUN("u", "2"));
    world_crash();
    world_let("a");
    world_restart(); // all coordinators are new
    world_run();
    runs("1 on t: done\n2 on u: done\n");
    world_get("delete", "{'thread': 't'}");
    runs("2 on u: done\n");
}
END_TEST

START_TEST(a_record_of_before_that_has_ended_goes_with_its_thread)
{
    old_one_at_work();
    world_finish(start(RUN("t", "1")));
    oldest_reads(SS_ROW_FORMAT_5);
    world_finish(start(RUN("u", "1")));
    world_get("delete", "{'thread': 'u'}");
    runs("1 on t: done, by its name alone\n");
    world_get("delete", "{'thread': 't'}");
    runs("");
}
END_TEST

// How many records of runs went to the store, and of those that had not ended
// how many may stand among the open ones alone.
static size_t records, alone, not_ended;

static void count_records(const struct ss_command *command)
{
    for (size_t i = 0;
         command->type == SS_COMMAND_STORE && i < command->puts_count; i++) {
        const struct ss_command_put *put = &command->puts[i];
        if (put->table != SS_RECORD_RUN || !put->value)
            continue;
        bool is_open = put->status != SS_RUN_DONE;
        records++;
        not_ended += is_open;
        alone += is_open && put->open_alone;
    }
}

static void expect_alone(const char *run, size_t expected)
{
    records = alone = not_ended = 0;
    ck_assert_str_eq(status_of(world_get("run", run)), "done");
    ck_assert_uint_eq(records, 2);
    ck_assert_uint_eq(not_ended, 1);
    ck_assert_uint_eq(alone, expected);
}

START_TEST(an_open_run_is_in_the_list_of_all_for_an_older_coordinator)
{
    two_nodes();
    world_watch(count_records);
    expect_alone(RUN("t", "1"), 1);
    oldest_reads(SS_ROW_FORMAT_5);
    expect_alone(RUN("t", "2"), 0);
    oldest_reads(SS_ROW_FORMAT_6);
    expect_alone(RUN("t", "3"), 1);
    runs("1 on t: done\n2 on t: done\n3 on t: done\n");
}
END_TEST

START_TEST(a_run_that_waits_or_goes_on_is_in_the_list_of_runs)
{
    two_nodes();
    world_hold("a");
    start(RUN("t", "2"));
    world_ask("ann", "run",
        "{'graph': 'g', 'thread': 't', 'run': '1', 'input': {'x': []},"
        " 'if_busy': 'enqueue'}");
    world_run();
    runs("1 on t: queued\n2 on t: running\n");
    world_crash();
    world_restart();
    world_run();
    runs("1 on t: queued\n2 on t: running\n");
}
END_TEST

SUITE("names", the_same_name_on_another_thread_is_another_run,
    the_same_name_again_is_that_run_on_each_thread,
    the_same_name_with_another_input_is_told_that_it_was_another,
    a_run_under_way_that_is_asked_for_with_another_input_says_so,
    a_queued_run_that_is_asked_for_with_another_input_says_so,
    a_run_that_goes_on_after_a_crash_knows_its_input,
    the_same_name_with_another_answer_is_told_that_it_was_another,
    runs_of_one_name_all_go_on_after_a_crash,
    to_delete_a_thread_leaves_the_run_of_that_name_on_another,
    to_take_a_run_back_leaves_the_one_of_that_name_on_another_thread,
    a_name_that_several_threads_have_is_ambiguous,
    many_threads_are_not_all_named, a_name_that_one_thread_has_is_that_run,
    a_run_that_has_just_begun_is_known_by_its_name_alone,
    a_list_goes_on_between_two_runs_of_one_name,
    a_name_is_one_threads_while_an_older_coordinator_is_at_work,
    of_two_who_take_a_name_at_once_one_is_refused,
    a_run_that_is_refused_leaves_its_name_free,
    a_name_that_was_claimed_when_its_coordinator_died_is_the_threads,
    a_run_that_began_by_its_name_alone_ends_by_name_and_thread,
    a_record_of_before_is_found_ended_and_dropped,
    a_record_of_before_that_has_ended_goes_with_its_thread,
    an_open_run_is_in_the_list_of_all_for_an_older_coordinator,
    a_run_that_waits_or_goes_on_is_in_the_list_of_runs)
