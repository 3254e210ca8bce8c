// Import: a thread that was made elsewhere. What `checkpoints` says of a thread
// is told to another one, and that goes on as the first would have.
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/value.h"
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"

static void holds(json_t *value, const char *expected)
{
    json_t *should = js(expected);
    char *is = ss_json_text(value);
    if (!json_equal(value, should))
        ck_abort_msg("%s instead of %s", is, expected);
    ss_free(is);
    json_decref(should);
}

// All that thread `name` has saved. Borrowed.
static json_t *saved_of(const char *name)
{
    char *body = ss_format("{'thread': '%s'}", name);
    json_t *list =
        json_object_get(world_get("checkpoints", body), "checkpoints");
    ck_assert_ptr_nonnull(list);
    ss_free(body);
    return list;
}

// Import `list` into thread `name`; the answer. Borrows.
static json_t *import(const char *name, json_t *list, const char *after)
{
    return world_finish(world_ask_json("ann", "import",
        json_pack("{s:s, s:s, s:O, s:s*}", "thread", name, "graph", "g",
            "checkpoints", list, "after", after)));
}

// A piece that others follow.
static json_t *import_more(const char *name, json_t *list)
{
    return world_finish(world_ask_json("ann", "import",
        json_pack("{s:s, s:O, s:b}", "thread", name, "checkpoints", list,
            "more", 1)));
}

static json_t *import_all(const char *name)
{
    json_t *answer = import(name, saved_of("t"), NULL);
    char *text = ss_json_text(answer);
    if (json_object_get(answer, "error"))
        ck_abort_msg("%s", text);
    ss_free(text);
    return answer;
}

static json_t *run(const char *thread, const char *rest)
{
    char *body = ss_format("{'graph': 'g', 'thread': '%s'%s}", thread, rest);
    json_t *answer = world_get("run", body);
    ss_free(body);
    return answer;
}

static json_t *state_of(const char *thread)
{
    char *body = ss_format("{'graph': 'g', 'thread': '%s'}", thread);
    json_t *state = json_object_get(world_get("state", body), "state");
    ss_free(body);
    return state;
}

static void diamond(void)
{
    world_graph(chart("g", "start>a a>b a>c b+c>d d>end", NULL));
    world_worker("w1", 2);
}

START_TEST(a_thread_is_imported_as_it_was_saved)
{
    diamond();
    run("t", ", 'input': {'x': ['1']}");
    run("t", ", 'input': {'x': ['2']}");
    json_t *answer = import_all("u");
    ck_assert_uint_eq(json_array_size(saved_of("t")),
        (size_t)json_integer_value(json_object_get(answer, "checkpoints")));
    ck_assert(json_equal(saved_of("t"), saved_of("u")));
    world_crash();
    world_restart();
    ck_assert(json_equal(saved_of("t"), saved_of("u")));
    holds(json_object_get(state_of("u"), "values"),
        "{'x': ['1', 'a', 'b', 'c', 'd', '2', 'a', 'b', 'c', 'd']}");
    answer = run("u", ", 'input': {'x': ['3']}");
    ck_assert_uint_eq(json_array_size(json_object_get(
                          json_object_get(answer, "output"), "x")),
        15);
}
END_TEST

START_TEST(a_thread_that_stopped_half_way_is_finished_without_running_again)
{
    diamond();
    world_hold("c");
    world_ask(
        "ann", "run", "{'graph': 'g', 'thread': 't', 'input': {'x': []}}");
    world_run();
    ck_assert_uint_eq(world_attempts_of("b"), 1);
    import_all("u");
    world_let("c");
    world_run();
    size_t c = world_attempts_of("c");
    holds(json_object_get(state_of("u"), "next"), "['c']");
    json_t *answer = run("u", ", 'input': null");
    holds(json_object_get(answer, "output"), "{'x': ['a', 'b', 'c', 'd']}");
    ck_assert_uint_eq(world_attempts_of("a"), 1);
    ck_assert_uint_eq(world_attempts_of("b"), 1);
    ck_assert_uint_eq(world_attempts_of("c"), c + 1);
}
END_TEST

START_TEST(a_thread_that_waits_at_a_question_goes_on_with_the_answer)
{
    diamond();
    world_body("b", asks);
    run("t", ", 'input': {'x': []}");
    import_all("u");
    world_crash();
    world_restart();
    ck_assert(json_equal(json_object_get(state_of("t"), "interrupts"),
        json_object_get(state_of("u"), "interrupts")));
    size_t c = world_attempts_of("c");
    json_t *answer = run("u", ", 'command': {'resume': 'yes'}");
    holds(json_object_get(answer, "output"), "{'x': ['a', 'b:yes', 'c', 'd']}");
    ck_assert_uint_eq(world_attempts_of("c"), c);
}
END_TEST

// How the thread stands in the list of threads, and what it asks there.
static const json_t *listed(const char *name)
{
    size_t i;
    json_t *thread;
    json_array_foreach (
        json_object_get(world_get("threads", "{}"), "threads"), i, thread)
        if (strcmp(ss_json_str(thread, "thread", ""), name) == 0)
            return thread;
    ck_abort_msg("there is no thread %s", name);
}

static void stands_like(const char *left, const char *right)
{
    static const char *const keys[] = {
        "status", "interrupts", "graph", "error"};
    json_t *one = json_deep_copy(listed(left));
    const json_t *other = listed(right);
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
        json_t *is = json_object_get(one, keys[i]);
        json_t *should = json_object_get(other, keys[i]);
        ck_assert_msg(is == should || json_equal(is, should), "%s", keys[i]);
    }
    json_decref(one);
}

START_TEST(a_thread_that_was_imported_is_in_the_inbox_with_its_question)
{
    diamond();
    world_body("b", asks);
    run("t", ", 'input': {'x': []}");
    import_all("u");
    ck_assert_str_eq(ss_json_str(listed("u"), "status", "?"), "interrupted");
    ck_assert_uint_eq(
        json_object_size(json_object_get(listed("u"), "interrupts")), 1);
    stands_like("u", "t");
    world_crash();
    world_restart();
    stands_like("u", "t");
    run("u", ", 'command': {'resume': 'yes'}");
    ck_assert_str_eq(ss_json_str(listed("u"), "status", "?"), "idle");
}
END_TEST

static int64_t asked_us(const char *thread)
{
    return ss_json_int(listed(thread), "state_us", -1);
}

START_TEST(a_question_that_was_imported_is_as_old_as_its_checkpoint)
{
    diamond();
    world_body("b", asks);
    run("t", ", 'input': {'x': []}");
    json_t *list = json_deep_copy(saved_of("t"));
    json_t *last = json_array_get(list, json_array_size(list) - 1);
    json_object_set_new(
        last, "created_at", json_string("1970-01-01T00:00:01+00:00"));
    import("u", list, NULL);
    ck_assert_int_eq(asked_us("u"), 1000000);
    ck_assert_int_gt(ss_json_int(listed("u"), "updated_us", -1), asked_us("u"));
    // By a clock that is ahead it would not have been asked yet.
    json_object_set_new(
        last, "created_at", json_string("2100-01-01T00:00:00+00:00"));
    import("v", list, NULL);
    json_decref(list);
    ck_assert_int_eq(ss_json_int(listed("v"), "updated_us", -1), asked_us("v"));
}
END_TEST

START_TEST(a_thread_is_imported_as_idle_or_failed_as_it_was)
{
    diamond();
    run("t", ", 'input': {'x': []}");
    import_all("u");
    stands_like("u", "t");
    world_body("b", fails);
    run("v", ", 'input': {'x': []}");
    json_t *list = json_incref(saved_of("v"));
    import("w", list, NULL);
    json_decref(list);
    ck_assert_str_eq(ss_json_str(listed("v"), "status", "?"), "failed");
    stands_like("w", "v");
}
END_TEST

// By its rows alone; what a task of a graph that is not known does next is not.
START_TEST(a_question_is_in_the_inbox_before_anybody_announced_the_graph)
{
    diamond();
    world_body("b", asks);
    run("t", ", 'input': {'x': []}");
    json_t *list = json_deep_copy(saved_of("t"));
    world_finish(world_ask_json("ann", "import",
        json_pack("{s:s, s:s, s:o}", "thread", "u", "graph", "unknown",
            "checkpoints", list)));
    const json_t *asked = json_object_get(listed("u"), "interrupts");
    ck_assert(json_equal(asked, json_object_get(listed("t"), "interrupts")));
    ck_assert_str_eq(ss_json_str(listed("u"), "status", "?"), "interrupted");
}
END_TEST

// As LangGraph leaves it: what the null task said stays among the writes, taken
// or not.
START_TEST(an_answer_that_was_taken_is_not_given_again)
{
    diamond();
    world_body("b", asks_twice);
    run("t", ", 'input': {'x': []}");
    run("t", ", 'command': {'resume': 'one'}");
    json_t *list = json_deep_copy(saved_of("t"));
    json_t *last = json_array_get(list, json_array_size(list) - 1);
    json_array_insert_new(json_object_get(last, "pending_writes"), 0,
        json_pack("{s:s, s:s, s:i, s:s, s:s}", "task_id", SS_NULL_TASK, "path",
            "", "idx", -4, "channel", "__resume__", "value", "one"));
    import("u", list, NULL);
    json_decref(list);
    json_t *answer = run("u", ", 'input': null");
    ck_assert_str_eq(ss_json_str(answer, "status", ""), "interrupted");
    answer = run("u", ", 'command': {'resume': 'two'}");
    holds(json_object_get(answer, "output"),
        "{'x': ['a', 'b:one,two', 'c', 'd']}");
}
END_TEST

START_TEST(an_answer_that_nobody_took_yet_is_given)
{
    diamond();
    world_body("b", asks);
    run("t", ", 'input': {'x': []}");
    json_t *list = json_deep_copy(saved_of("t"));
    json_t *last = json_array_get(list, json_array_size(list) - 1);
    json_array_insert_new(json_object_get(last, "pending_writes"), 0,
        json_pack("{s:s, s:s, s:i, s:s, s:s}", "task_id", SS_NULL_TASK, "path",
            "", "idx", -4, "channel", "__resume__", "value", "yes"));
    import("u", list, NULL);
    json_decref(list);
    json_t *answer = run("u", ", 'input': null");
    holds(json_object_get(answer, "output"), "{'x': ['a', 'b:yes', 'c', 'd']}");
}
END_TEST

START_TEST(output_beside_an_error_of_before_is_output)
{
    will_fail = true;
    diamond();
    world_body("b", fails_at_will);
    world_hold("c");
    world_ask(
        "ann", "run", "{'graph': 'g', 'thread': 't', 'input': {'x': []}}");
    world_run();
    json_t *list = json_deep_copy(saved_of("t"));
    json_t *last = json_array_get(list, json_array_size(list) - 1);
    json_t *writes = json_object_get(last, "pending_writes");
    const char *task = NULL;
    for (size_t i = 0; i < json_array_size(writes); i++)
        if (ss_json_int(json_array_get(writes, i), "idx", 0) == -1)
            task = ss_json_str(json_array_get(writes, i), "task_id", NULL);
    ck_assert_ptr_nonnull(task);
    // it was tried again there, and wrote: the error stays beside that
    json_array_append_new(writes,
        json_pack("{s:s, s:s, s:i, s:s, s:[s]}", "task_id", task, "path",
            "~__pregel_pull, b", "idx", 0, "channel", "x", "value", "b!"));
    json_array_append_new(
        writes, json_pack("{s:s, s:s, s:i, s:s, s:s}", "task_id", task, "path",
                    "~__pregel_pull, b", "idx", 1, "channel", "join:b+c:d",
                    "value", "b"));
    import("u", list, NULL);
    json_decref(list);
    size_t b = world_attempts_of("b");
    world_let("c");
    json_t *answer = run("u", ", 'input': null");
    holds(json_object_get(answer, "output"), "{'x': ['a', 'b!', 'c', 'd']}");
    ck_assert_uint_eq(world_attempts_of("b"), b);
}
END_TEST

START_TEST(a_graph_inside_goes_on_where_it_was)
{
    world_graph(chart("g", "start>a a>sub sub>b b>end",
        "{'nodes': {'sub': {'subgraph': 'inner'}}, 'subgraphs': {'inner':"
        " {'name': 'inner', 'kind': 'state',"
        " 'state': [{'key': 'x', 'type': 'list', 'reducer': 'add'}],"
        " 'nodes': [{'name': 'i1'}, {'name': 'i2'}], 'edges':"
        " [['__start__', 'i1'], ['i1', 'i2'], ['i2', '__end__']]}}}"));
    world_body("i2", asks);
    world_worker("w1", 2);
    run("t", ", 'input': {'x': []}");
    import_all("u");
    world_crash();
    world_restart();
    size_t i1 = world_attempts_of("i1");
    json_t *answer = run("u", ", 'command': {'resume': 'yes'}");
    ck_assert_str_eq(ss_json_str(answer, "status", ""), "done");
    ck_assert_uint_eq(world_attempts_of("i1"), i1);
}
END_TEST

START_TEST(a_thread_may_come_in_pieces_and_any_piece_twice)
{
    diamond();
    run("t", ", 'input': {'x': []}");
    json_t *all = saved_of("t"), *first = json_array(), *second = json_array();
    size_t count = json_array_size(all);
    for (size_t i = 0; i < count; i++)
        json_array_append(i < 2 ? first : second, json_array_get(all, i));
    const char *end = ss_json_str(json_array_get(all, 1), "id", "");
    ck_assert_str_eq(code_of(import("u", second, end)), "already_exists");
    ck_assert_str_eq(code_of(import("u", first, NULL)), "");
    ck_assert_str_eq(code_of(import("u", first, NULL)), "");
    ck_assert_str_eq(code_of(import("u", second, NULL)), "already_exists");
    json_t *answer = import("u", second, end);
    ck_assert_uint_eq(
        (size_t)json_integer_value(json_object_get(answer, "checkpoints")),
        count - 2);
    answer = import("u", second, end);
    holds(answer, "{'rows': 0, 'checkpoints': 0}");
    ck_assert(json_equal(all, saved_of("u")));
    // once more from the beginning: only the last piece has to be the end
    ck_assert_str_eq(code_of(import("u", first, NULL)), "already_exists");
    holds(import_more("u", first), "{'rows': 0, 'checkpoints': 0}");
    holds(import("u", second, end), "{'rows': 0, 'checkpoints': 0}");
    run("u", ", 'input': {'x': []}");
    holds(import_more("u", first), "{'rows': 0, 'checkpoints': 0}");
    ck_assert_str_eq(code_of(import("u", second, end)), "already_exists");
    json_decref(first);
    json_decref(second);
}
END_TEST

START_TEST(an_import_that_a_crash_cut_off_is_done_again)
{
    diamond();
    world_body("b", asks);
    run("t", ", 'input': {'x': []}");
    json_t *list = json_deep_copy(saved_of("t"));
    for (int64_t rows = 0; rows <= 5; rows++) {
        char name[8];
        snprintf(name, sizeof(name), "u%d", (int)rows);
        world_store_take(rows);
        world_ask_json("ann", "import",
            json_pack("{s:s, s:s, s:O}", "thread", name, "graph", "g",
                "checkpoints", list));
        world_run();
        ck_assert(world_store_stopped());
        world_crash();
        world_restart();
        ck_assert_str_eq(code_of(import(name, list, NULL)), "");
        ck_assert(json_equal(saved_of("t"), saved_of(name)));
        json_t *answer = run(name, ", 'command': {'resume': 'yes'}");
        holds(json_object_get(answer, "output"),
            "{'x': ['a', 'b:yes', 'c', 'd']}");
    }
    json_decref(list);
}
END_TEST

START_TEST(writes_that_came_since_are_added)
{
    diamond();
    world_hold("b");
    world_hold("c");
    world_ask(
        "ann", "run", "{'graph': 'g', 'thread': 't', 'input': {'x': []}}");
    world_run();
    import_all("u");
    holds(json_object_get(state_of("u"), "next"), "['b', 'c']");
    world_let("b");
    world_run();
    holds(import_all("u"), "{'rows': 1, 'checkpoints': 0}");
    holds(json_object_get(state_of("u"), "next"), "['c']");
    world_let("c");
    world_run();
}
END_TEST

START_TEST(a_thread_that_went_on_by_itself_is_left_alone)
{
    diamond();
    run("t", ", 'input': {'x': []}");
    json_t *list = json_deep_copy(saved_of("t"));
    import("u", list, NULL);
    run("u", ", 'input': {'x': []}");
    size_t before = json_array_size(saved_of("u"));
    ck_assert_str_eq(code_of(import("u", list, NULL)), "already_exists");
    ck_assert_uint_eq(json_array_size(saved_of("u")), before);
    json_decref(list);
}
END_TEST

START_TEST(a_thread_whose_run_is_under_way_or_waits_for_its_turn_takes_none)
{
    diamond();
    run("t", ", 'input': {'x': []}");
    json_t *list = json_deep_copy(saved_of("t"));
    world_hold("a");
    uint64_t first = world_ask(
        "ann", "run", "{'graph': 'g', 'thread': 'u', 'input': {'x': []}}");
    world_ask("ann", "run",
        "{'graph': 'g', 'thread': 'u', 'input': {'x': []},"
        " 'if_busy': 'enqueue'}");
    world_run();
    size_t rows = world_rows();
    ck_assert_str_eq(code_of(import("u", list, NULL)), "busy");
    ck_assert_uint_eq(world_rows(), rows);
    // found by the next coordinator, whose workers have yet to say hello
    world_crash();
    ck_assert_str_eq(status_of(world_answer(first)), "-");
    world_restart();
    ck_assert_str_eq(code_of(import("u", list, NULL)), "busy");
    world_let("a");
    world_run();
    ck_assert_str_eq(code_of(import("u", list, NULL)), "already_exists");
    json_decref(list);
}
END_TEST

static void refuses(const char *key, const char *value, const char *words)
{
    json_t *list = json_deep_copy(saved_of("t"));
    json_t *one = json_array_get(list, 1);
    json_object_set_new(one, key, js(value));
    json_t *answer = import("bad", list, NULL);
    const char *message =
        ss_json_str(json_object_get(answer, "error"), "message", "");
    ck_assert_str_eq(code_of(answer), "invalid_argument");
    if (!strstr(message, words) || !strstr(message, "checkpoint 1"))
        ck_abort_msg("\"%s\" says nothing of \"%s\"", message, words);
    json_decref(list);
    ck_assert_uint_eq(json_array_size(saved_of("bad")), 0); // not the first
}

START_TEST(what_is_no_saved_checkpoint_is_refused_and_nothing_is_stored)
{
    diamond();
    run("t", ", 'input': {'x': []}");
    size_t rows = world_rows();
    refuses("id", "'x'", "id: must be a UUID");
    refuses("id", "'6ba7b810-9dad-41d1-80b4-00c04fd430c8'", "version 6");
    refuses("id", "'00000001-0000-6000-8000-000000000001'", "come after");
    refuses("parent_id", "7", "parent_id");
    refuses("ns", "null", "ns");
    refuses("source", "'exit'", "source");
    refuses("step", "'1'", "step");
    refuses("metadata", "[]", "metadata");
    refuses("metadata", "{'__loop__': {}}", "metadata");
    refuses("created_at", "'today'", "created_at");
    refuses("channel_versions", "{'x': '1'}", "channel_versions");
    refuses("channel_versions", "{'x': -1}", "channel_versions");
    refuses("channel_versions", "{'x': 9223372036854775807}", "too large");
    refuses("step", "9223372036854775807", "too large");
    refuses("channel_values", "{'y': 1}", "channel y has no version");
    refuses("versions_seen", "{'a': 1}", "versions_seen");
    refuses("updated_channels", "'x'", "updated_channels");
    refuses("updated_channels", "[1]", "updated_channels");
    refuses("pending_writes", "[{}]", "pending_writes");
    refuses("pending_writes",
        "[{'task_id': '00000000-0000-0000-0000-"
        "000000000000', 'path': '', 'idx': -4, 'channel': 'x', 'value': 1}]",
        "does not stand at index -4");
    ck_assert_uint_eq(world_rows(), rows);
}
END_TEST

START_TEST(checkpoints_are_read_in_pages)
{
    diamond();
    run("t", ", 'input': {'x': []}");
    json_t *all = saved_of("t"), *paged = json_array();
    const char *after = "";
    for (;;) {
        char *body =
            ss_format("{'thread': 't', 'limit': 2, 'after': '%s'}", after);
        json_t *page =
            json_object_get(world_get("checkpoints", body), "checkpoints");
        ss_free(body);
        if (json_array_size(page) == 0)
            break;
        ck_assert_uint_le(json_array_size(page), 2);
        json_array_extend(paged, page);
        after = ss_json_str(
            json_array_get(page, json_array_size(page) - 1), "id", "");
    }
    ck_assert(json_equal(all, paged));
    json_decref(paged);
}
END_TEST

START_TEST(a_long_thread_is_whole_now_and_then)
{
    world_graph(chart("g", "start>a a>end", NULL));
    world_worker("w1", 1);
    for (int i = 0; i < 40; i++)
        run("t", ", 'input': {'x': ['word']}");
    import_all("u");
    ck_assert(json_equal(saved_of("t"), saved_of("u")));
    json_t *rows =
        json_object_get(world_get("journal", "{'thread': 'u'}"), "rows");
    size_t whole = 0;
    for (size_t i = 0; i < json_array_size(rows); i++)
        whole +=
            json_is_true(json_object_get(json_array_get(rows, i), "whole"));
    ck_assert_uint_ge(whole, 2);
    ck_assert_uint_le(whole, 3);
}
END_TEST

static void delta_graph(const char *reducer)
{
    char *extra = ss_format("{'state': [{'key': 'x', 'type': 'list', 'reducer':"
                            " '%s', 'channel': 'DeltaChannel'}]}",
        reducer);
    world_graph(chart("g", "start>a a>b a>c b+c>d d>end", extra));
    world_worker("w1", 2);
    ss_free(extra);
}

// All that is saved of t as LangGraph would have it: only what was written to
// x, and its value where it appeared first. Gives.
static json_t *without_values(void)
{
    json_t *list = json_deep_copy(saved_of("t")), *saved;
    size_t i, kept = 0;
    json_array_foreach (list, i, saved) {
        json_t *values = json_object_get(saved, "channel_values");
        if (!json_object_get(values, "x") || kept++ == 0)
            continue;
        json_object_del(values, "x");
        json_object_set_new(json_object_get(saved, "metadata"),
            "counters_since_delta_snapshot",
            json_pack("{s:[i, i]}", "x", (int)i, (int)i));
    }
    return list;
}

static void same_values(const char *name)
{
    json_t *should = saved_of("t"), *is = saved_of(name);
    ck_assert_uint_eq(json_array_size(is), json_array_size(should));
    for (size_t i = 0; i < json_array_size(is); i++) {
        json_t *values =
            json_object_get(json_array_get(is, i), "channel_values");
        char *text = ss_json_text(values);
        if (!json_equal(values,
                json_object_get(json_array_get(should, i), "channel_values")))
            ck_abort_msg("checkpoint %zu: %s", i, text);
        ss_free(text);
    }
}

START_TEST(a_delta_channel_is_made_of_what_was_written_to_it)
{
    delta_graph("add");
    run("t", ", 'input': {'x': ['1']}");
    run("t", ", 'input': {'x': ['2']}");
    json_t *list = without_values();
    json_t *answer = import("u", list, NULL);
    ck_assert_str_eq(code_of(answer), "");
    same_values("u");
    // in pieces: the parent of the second one is in the journal
    size_t count = json_array_size(list);
    json_t *piece = json_array();
    const char *after = NULL;
    for (size_t i = 0; i < count; i++) {
        json_array_append(piece, json_array_get(list, i));
        if (i % 3 != 2 && i + 1 < count)
            continue;
        ck_assert_str_eq(code_of(import("v", piece, after)), "");
        after = ss_json_str(json_array_get(list, i), "id", "");
        json_array_clear(piece);
    }
    same_values("v");
    json_decref(piece);
    json_decref(list);
}
END_TEST

START_TEST(the_last_overwrite_of_a_delta_channel_counts)
{
    delta_graph("add");
    run("t", ", 'input': {'x': ['1']}");
    json_t *list = without_values();
    // the superstep of b and c, in the order of their writes
    json_t *step = json_array_get(list, 2);
    json_t *writes = json_object_get(step, "pending_writes"), *write;
    size_t i, seen = 0;
    json_array_foreach (writes, i, write) {
        if (strcmp(ss_json_str(write, "channel", ""), "x") == 0 && seen++ == 0)
            json_object_set_new(
                write, "value", json_pack("{s:[s]}", "__overwrite__", "new"));
    }
    ck_assert_uint_eq(seen, 2);
    ck_assert_str_eq(code_of(import("u", list, NULL)), "");
    json_t *next = json_array_get(saved_of("u"), 3);
    holds(json_object_get(json_object_get(next, "channel_values"), "x"),
        "['new', 'c']");
    json_decref(list);
}
END_TEST

START_TEST(a_delta_channel_that_cannot_be_made_is_refused_by_name)
{
    delta_graph("add");
    run("t", ", 'input': {'x': ['1']}");
    json_t *list = without_values();
    json_t *answer = world_finish(world_ask_json("ann", "import",
        json_pack("{s:s, s:O}", "thread", "u", "checkpoints", list)));
    const char *message =
        ss_json_str(json_object_get(answer, "error"), "message", "");
    ck_assert_str_eq(code_of(answer), "invalid_argument");
    ck_assert_ptr_nonnull(
        strstr(message, "channel x: its value has to be made"));
    // what cannot be folded: the channel is named too
    json_t *writes = json_object_get(json_array_get(list, 1), "pending_writes");
    json_t *write;
    size_t i;
    json_array_foreach (writes, i, write) {
        if (strcmp(ss_json_str(write, "channel", ""), "x") == 0)
            json_object_set_new(write, "value", json_integer(7));
    }
    answer = import("u", list, NULL);
    message = ss_json_str(json_object_get(answer, "error"), "message", "");
    ck_assert_ptr_nonnull(strstr(message, "channel \"x\": cannot add"));
    ck_assert_uint_eq(json_array_size(saved_of("u")), 0);
    json_decref(list);
}
END_TEST

SUITE("import", a_thread_is_imported_as_it_was_saved,
    a_thread_that_stopped_half_way_is_finished_without_running_again,
    a_thread_that_waits_at_a_question_goes_on_with_the_answer,
    a_thread_that_was_imported_is_in_the_inbox_with_its_question,
    a_question_that_was_imported_is_as_old_as_its_checkpoint,
    a_thread_is_imported_as_idle_or_failed_as_it_was,
    a_question_is_in_the_inbox_before_anybody_announced_the_graph,
    an_answer_that_was_taken_is_not_given_again,
    an_answer_that_nobody_took_yet_is_given,
    output_beside_an_error_of_before_is_output,
    a_graph_inside_goes_on_where_it_was,
    a_thread_may_come_in_pieces_and_any_piece_twice,
    an_import_that_a_crash_cut_off_is_done_again,
    writes_that_came_since_are_added,
    a_thread_that_went_on_by_itself_is_left_alone,
    a_thread_whose_run_is_under_way_or_waits_for_its_turn_takes_none,
    what_is_no_saved_checkpoint_is_refused_and_nothing_is_stored,
    checkpoints_are_read_in_pages, a_long_thread_is_whole_now_and_then,
    a_delta_channel_is_made_of_what_was_written_to_it,
    the_last_overwrite_of_a_delta_channel_counts,
    a_delta_channel_that_cannot_be_made_is_refused_by_name)
