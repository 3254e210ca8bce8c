// What people say of a thread itself: before it has a run, beside its runs, and
// as long as it is there.
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/find.h"
#include "common/model/journal.h"
#include "common/model/value.h"
#include "coordinator/engine/limits.h"
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"

static void graphs(void)
{
    world_graph(chart("g", "start>a a>b b>end", NULL));
    world_worker("w1", 2);
    world_run();
}

static void ran(const char *more)
{
    json_t *body = js(more);
    json_object_set_new(body, "graph", json_string("g"));
    json_object_set_new(body, "thread", json_string("t"));
    json_object_set_new(body, "input", js("{'x': []}"));
    ck_assert_str_eq(
        status_of(world_finish(world_ask_json("ann", "run", body))), "done");
}

static void is(const json_t *json, const char *expected)
{
    json_t *should = js(expected);
    char *text = json ? ss_json_text(json) : ss_strdup("nothing");
    ck_assert_msg(json_equal(json, should), "%s instead of %s", text, expected);
    ss_free(text);
    json_decref(should);
}

// The thread that the request `thread` tells of.
static const json_t *thread_of(const char *name)
{
    char body[64];
    snprintf(body, sizeof(body), "{'thread': '%s'}", name);
    return json_object_get(world_get("thread", body), "thread");
}

static void facts_are(const char *thread, const char *expected)
{
    is(json_object_get(thread_of(thread), "facts"), expected);
}

static bool put(const char *body)
{
    const json_t *answer = world_get("thread_put", body);
    ck_assert_str_eq(code_of(answer), "");
    ck_assert_ptr_nonnull(json_object_get(answer, "made"));
    return json_is_true(json_object_get(answer, "made"));
}

static void is_refused(const char *op, const char *body, const char *code)
{
    ck_assert_str_eq(code_of(world_get(op, body)), code);
}

// The names of the threads that are found, newest first.
static void found(const char *metadata, const char *expected)
{
    char *body = ss_format("{'order': 'newest', 'metadata': %s}", metadata);
    const json_t *answer = world_get("threads", body), *thread;
    char *names = ss_strdup("");
    size_t i;
    json_array_foreach (json_object_get(answer, "threads"), i, thread) {
        char *more = ss_format("%s%s%s", names, i > 0 ? " " : "",
            ss_json_str(thread, "thread", "?"));
        ss_free(names);
        names = more;
    }
    ck_assert_str_eq(names, expected);
    ss_free(names);
    ss_free(body);
}

static void again(void)
{
    world_crash();
    world_restart();
    world_worker("w1", 2);
    world_run();
}

START_TEST(a_thread_is_there_before_it_has_a_run)
{
    graphs();
    is_refused("thread", "{'thread': 't'}", "not_found");
    ck_assert(put("{'thread': 't', 'facts': {'metadata': {'user': 'ann'},"
                  " 'title': 'Rome'}}"));
    for (int i = 0; i < 2; i++) {
        const json_t *thread = thread_of("t");
        ck_assert_str_eq(ss_json_str(thread, "status", "?"), "idle");
        ck_assert_ptr_null(json_object_get(thread, "graph"));
        ck_assert_ptr_null(json_object_get(thread, SS_FIND_OWN));
        ck_assert_ptr_nonnull(json_object_get(thread, "created_at"));
        is(json_object_get(thread, "metadata"), "{'user': 'ann'}");
        facts_are("t", "{'metadata': {'user': 'ann'}, 'title': 'Rome'}");
        found("{'user': 'ann'}", "t");
        found("{'user': 'bob'}", "");
        const json_t *state =
            json_object_get(world_get("state", "{'thread': 't'}"), "state");
        is(json_object_get(state, "values"), "{}");
        is(json_object_get(json_object_get(state, "facts"), "title"), "'Rome'");
        is(json_object_get(world_get("history", "{'thread': 't'}"), "history"),
            "[]");
        again();
    }
    ran("{}");
    ck_assert_str_eq(ss_json_str(thread_of("t"), "graph", "?"), "g");
    found("{'user': 'ann'}", "t");
}
END_TEST

START_TEST(what_is_said_is_laid_over_what_was)
{
    graphs();
    put("{'thread': 't', 'facts': {'metadata': {'user': 'ann', 'n': 1},"
        " 'title': 'Rome', 'stay': {'minutes': 5}}}");
    ck_assert(!put("{'thread': 't', 'facts': {'metadata': {'n': null, 'm': 2},"
                   " 'title': null, 'config': {'a': {'b': 1}}}}"));
    facts_are("t", "{'metadata': {'user': 'ann', 'm': 2}, 'stay':"
                   " {'minutes': 5}, 'config': {'a': {'b': 1}}}");
    found("{'n': 1}", "");
    found("{'m': 2}", "t");
    put("{'thread': 't', 'facts': {'metadata': null}}");
    found("{'m': 2}", "");
    facts_are("t", "{'stay': {'minutes': 5}, 'config': {'a': {'b': 1}}}");
    put("{'thread': 't', 'facts': {'metadata': {'m': null}}}");
    facts_are("t", "{'stay': {'minutes': 5}, 'config': {'a': {'b': 1}}}");
}
END_TEST

START_TEST(its_own_metadata_goes_before_that_of_its_runs)
{
    graphs();
    ran("{'config': {'metadata': {'user': 'bob', 'try': 1}}}");
    found("{'user': 'bob'}", "t");
    put("{'thread': 't', 'facts': {'metadata': {'user': 'ann'}}}");
    found("{'user': 'bob'}", "");
    found("{'user': 'ann', 'try': 1}", "t");
    ran("{'config': {'metadata': {'user': 'bob', 'try': 2}}}");
    found("{'user': 'ann', 'try': 2}", "t");
    again();
    found("{'user': 'ann', 'try': 2}", "t");
    is(json_object_get(thread_of("t"), "metadata"),
        "{'user': 'ann', 'try': 2}");
    put("{'thread': 't', 'facts': {'metadata': null}}");
    found("{'user': 'bob', 'try': 2}", "t");
}
END_TEST

START_TEST(what_is_there_is_kept_or_refused_as_is_said)
{
    graphs();
    ck_assert(put("{'thread': 't', 'facts': {'a': 1}, 'if_exists': 'refuse'}"));
    is_refused("thread_put",
        "{'thread': 't', 'facts': {'a': 2}, 'if_exists': 'refuse'}",
        "already_exists");
    ck_assert(!put("{'thread': 't', 'facts': {'a': 2}, 'if_exists': 'keep'}"));
    facts_are("t", "{'a': 1}");
    ck_assert(!put("{'thread': 't', 'facts': {'a': 2}, 'if_exists': 'put'}"));
    facts_are("t", "{'a': 2}");
    is_refused("thread_put",
        "{'thread': 't', 'facts': {'a': 2}, 'if_exists': 'kep'}",
        "invalid_argument");
}
END_TEST

START_TEST(asked_again_with_its_key_it_is_put_once)
{
    graphs();
    const char *first = "{'thread': 't', 'facts': {'metadata': {'n': 1}},"
                        " 'if_exists': 'refuse', 'key': 'k'}";
    ck_assert(put(first));
    put("{'thread': 't', 'facts': {'metadata': {'n': 2}}}");
    ck_assert(put(first));
    again();
    ck_assert(put(first));
    facts_are("t", "{'metadata': {'n': 2}}");
    is_refused("thread_put", "{'thread': 't', 'facts': {}, 'key': ''}",
        "invalid_argument");
}
END_TEST

START_TEST(what_cannot_be_said_is_refused_and_changes_nothing)
{
    graphs();
    is_refused("thread_put", "{'thread': 't', 'facts': 3}", "invalid_argument");
    is_refused("thread_put", "{'thread': 't'}", "invalid_argument");
    is_refused("thread_put", "{'thread': 't', 'facts': {'metadata': [1]}}",
        "invalid_argument");
    json_t *long_one = json_pack("{s:s, s:{s:{s:o}}}", "thread", "t", "facts",
        "metadata", "user", json_sprintf("%0*d", SS_METADATA_SIZE_MAX, 0));
    const json_t *answer =
        world_finish(world_ask_json("ann", "thread_put", long_one));
    ck_assert_str_eq(code_of(answer), "limit_exceeded");
    ck_assert_ptr_nonnull(strstr(
        ss_json_str(json_object_get(answer, "error"), "message", ""), "4096"));
    long_one = json_pack("{s:s, s:{s:o}}", "thread", "t", "facts", "user",
        json_sprintf("%0*d", SS_FACTS_SIZE_MAX, 0));
    ck_assert_str_eq(
        code_of(world_finish(world_ask_json("ann", "thread_put", long_one))),
        "limit_exceeded");
    is_refused("thread", "{'thread': 't'}", "not_found");
    ck_assert_uint_eq(world_rows(), 0);
}
END_TEST

// Nobody would do what they say. Those of a thread that came with some stay.
START_TEST(a_time_to_live_is_refused_and_says_what_deletes_threads)
{
    graphs();
    const char *const words[] = {"ttl", "temporary"};
    for (int i = 0; i < 2; i++) {
        char *body = ss_format(
            "{'thread': 't', 'graph': 'g', 'facts': {'%s': {'minutes': 5}}}",
            words[i]);
        is_refused("run", body, "invalid_argument");
        ss_free(body);
        body = ss_format("{'thread': 't', 'facts': {'%s': true}}", words[i]);
        const json_t *answer = world_get("thread_put", body);
        ck_assert_str_eq(code_of(answer), "invalid_argument");
        ck_assert_ptr_nonnull(
            strstr(ss_json_str(json_object_get(answer, "error"), "message", ""),
                "superstep retain --delete-after"));
        ss_free(body);
    }
    ck_assert_uint_eq(world_rows(), 0);
    ran("{}");
    json_t *body = json_pack("{s:s, s:s, s:O, s:{s:i, s:i}}", "thread", "u",
        "graph", "g", "checkpoints",
        json_object_get(
            world_get("checkpoints", "{'thread': 't'}"), "checkpoints"),
        "facts", "ttl", 5, "a", 1);
    world_finish(world_ask_json("ann", "import", body));
    facts_are("u", "{'ttl': 5, 'a': 1}");
    put("{'thread': 'u', 'facts': {'a': 2}}");
    facts_are("u", "{'ttl': 5, 'a': 2}");
    put("{'thread': 'u', 'facts': {'ttl': null}}");
    facts_are("u", "{'a': 2}");
}
END_TEST

// Each fits by itself, and together they do not.
START_TEST(what_grows_too_long_is_refused)
{
    graphs();
    for (int i = 0; i < 2; i++) {
        json_t *pairs = json_object();
        char key[8];
        snprintf(key, sizeof(key), "k%d", i);
        json_object_set_new(pairs, key, json_sprintf("%03000d", 0));
        const json_t *answer = world_finish(world_ask_json("ann", "thread_put",
            json_pack(
                "{s:s, s:{s:o}}", "thread", "t", "facts", "metadata", pairs)));
        ck_assert_str_eq(code_of(answer), i == 0 ? "" : "limit_exceeded");
    }
}
END_TEST

START_TEST(facts_are_put_while_a_run_is_under_way)
{
    graphs();
    world_hold("b");
    uint64_t held = world_ask("ann", "run",
        "{'graph': 'g', 'thread': 't', 'run': 'r', 'input': {'x': []}}");
    world_run();
    put("{'thread': 't', 'facts': {'metadata': {'user': 'ann'}}}");
    ck_assert_str_eq(ss_json_str(thread_of("t"), "status", "?"), "running");
    found("{'user': 'ann'}", "t");
    world_let("b");
    ck_assert_str_eq(status_of(world_finish(held)), "done");
    expect_x("t", "[\"a\",\"b\"]");
    facts_are("t", "{'metadata': {'user': 'ann'}}");
    found("{'user': 'ann'}", "t");
    again();
    expect_x("t", "[\"a\",\"b\"]");
    facts_are("t", "{'metadata': {'user': 'ann'}}");
}
END_TEST

START_TEST(a_run_that_is_taken_back_leaves_what_was_said_beside_it)
{
    graphs();
    ran("{}");
    world_hold("b");
    world_ask("ann", "run",
        "{'graph': 'g', 'thread': 't', 'run': 'r', 'input': {'x': []}}");
    world_run();
    put("{'thread': 't', 'facts': {'metadata': {'user': 'ann'}}}");
    world_get("cancel", "{'run': 'r', 'action': 'rollback'}");
    world_let("b");
    world_run();
    expect_x("t", "[\"a\",\"b\"]");
    facts_are("t", "{'metadata': {'user': 'ann'}}");
    again();
    facts_are("t", "{'metadata': {'user': 'ann'}}");
    found("{'user': 'ann'}", "t");
}
END_TEST

START_TEST(facts_outlive_a_prune)
{
    graphs();
    put("{'thread': 't', 'facts': {'metadata': {'user': 'ann'}}}");
    ran("{}");
    put("{'thread': 't', 'facts': {'metadata': {'user': 'bob'}}}");
    for (int i = 0; i < 2; i++) {
        json_int_t rows =
            ss_json_int(world_get("prune", "{'thread': 't'}"), "rows", -1);
        ck_assert_msg(i == 0 ? rows > 0 : rows == 0, "%d", (int)rows);
        world_run();
        facts_are("t", "{'metadata': {'user': 'bob'}}");
        again();
        facts_are("t", "{'metadata': {'user': 'bob'}}");
        expect_x("t", "[\"a\",\"b\"]");
    }
    found("{'user': 'bob'}", "t");
    for (int i = 0; i < 3; i++) // and what they were is pruned
        put("{'thread': 't', 'facts': {'metadata': {'user': 'cyd'}}}");
    ck_assert_int_gt(
        ss_json_int(world_get("prune", "{'thread': 't'}"), "rows", -1), 0);
    world_run();
    ck_assert_uint_eq(world_rows(), 3); // its state, its facts, what was pruned
    facts_are("t", "{'metadata': {'user': 'cyd'}}");
}
END_TEST

START_TEST(a_copy_has_them_and_a_delete_takes_them)
{
    graphs();
    put("{'thread': 't', 'facts': {'metadata': {'user': 'ann'}, 'a': 1},"
        " 'key': 'k'}");
    world_get("copy", "{'thread': 't', 'to': 'u'}");
    ran("{}");
    world_get("copy", "{'thread': 't', 'to': 'v'}");
    world_get("delete", "{'thread': 't'}");
    is_refused("thread", "{'thread': 't'}", "not_found");
    again();
    is_refused("thread", "{'thread': 't'}", "not_found");
    facts_are("u", "{'metadata': {'user': 'ann'}, 'a': 1}");
    facts_are("v", "{'metadata': {'user': 'ann'}, 'a': 1}");
    found("{'user': 'ann'}", "u v");
    // what was answered there was not answered here
    ck_assert(!put("{'thread': 'u', 'facts': {'a': 2}, 'key': 'k'}"));
    facts_are("u", "{'metadata': {'user': 'ann'}, 'a': 2}");
    ck_assert(put("{'thread': 't', 'facts': {}}")); // its next life
    ck_assert_ptr_null(json_object_get(thread_of("t"), "facts"));
}
END_TEST

START_TEST(an_import_takes_what_an_export_says)
{
    graphs();
    put("{'thread': 't', 'facts': {'metadata': {'user': 'ann'}, 'a': 1}}");
    ran("{}");
    const json_t *said = world_get("checkpoints", "{'thread': 't'}");
    is(json_object_get(said, "facts"), "{'metadata': {'user': 'ann'}, 'a': 1}");
    json_t *body = json_pack("{s:s, s:s, s:O, s:O}", "thread", "u", "graph",
        "g", "checkpoints", json_object_get(said, "checkpoints"), "facts",
        json_object_get(said, "facts"));
    json_t *twice = json_deep_copy(body);
    const json_t *answer = world_finish(world_ask_json("ann", "import", body));
    ck_assert_str_eq(code_of(answer), "");
    size_t rows = world_rows();
    world_finish(world_ask_json("ann", "import", twice)); // no more of it
    ck_assert_uint_eq(world_rows(), rows);
    again();
    facts_are("u", "{'metadata': {'user': 'ann'}, 'a': 1}");
    expect_x("u", "[\"a\",\"b\"]");
    found("{'user': 'ann'}", "t u");
}
END_TEST

// The store stops behind any row: they are there whole, or not at all.
START_TEST(a_crash_leaves_them_whole)
{
    for (int64_t rows = 0; rows < 4; rows++) {
        world_end();
        world_begin();
        graphs();
        put("{'thread': 't', 'facts': {'metadata': {'user': 'ann'}}}");
        world_store_take(rows);
        world_ask("ann", "thread_put",
            "{'thread': 't', 'facts': {'metadata': {'user': 'bob'}}}");
        world_run();
        world_get("prune", "{'thread': 't'}");
        world_run();
        world_store_take(-1);
        again();
        const char *who = rows == 0 ? "ann" : "bob";
        char *expected = ss_format("{'user': '%s'}", who);
        is(json_object_get(thread_of("t"), "metadata"), expected);
        found(expected, "t");
        ss_free(expected);
    }
}
END_TEST

static void asked_with_facts(const char *run, const char *facts)
{
    json_t *body = json_pack("{s:s, s:s, s:s, s:{s:[]}, s:s, s:o}", "graph",
        "g", "thread", "t", "run", run, "input", "x", "if_busy", "enqueue",
        "facts", js(facts));
    world_ask_json("ann", "run", body);
    world_run();
}

START_TEST(a_run_says_facts_of_its_thread)
{
    graphs();
    ran("{'run': 'a', 'facts': {'metadata': {'user': 'ann', 'n': 1}, 't': 1}}");
    facts_are("t", "{'metadata': {'user': 'ann', 'n': 1}, 't': 1}");
    found("{'user': 'ann'}", "t");
    ck_assert_str_eq(ss_json_str(thread_of("t"), "graph", "?"), "g");
    ran("{'run': 'b', 'facts': {'metadata': {'n': null}, 't': 2}}");
    for (int i = 0; i < 2; i++) {
        facts_are("t", "{'metadata': {'user': 'ann'}, 't': 2}");
        found("{'n': 1}", "");
        expect_x("t", "[\"a\",\"b\",\"a\",\"b\"]");
        again();
    }
}
END_TEST

// A program that stamps all its runs pays for the first.
START_TEST(a_run_that_says_nothing_new_makes_no_row_more)
{
    graphs();
    ran("{'facts': {'metadata': {'user': 'ann'}}}");
    size_t with = world_rows();
    ran("{'facts': {'metadata': {'user': 'ann'}}}");
    ck_assert_uint_eq(world_rows() - with, with - 1);
    with = world_rows();
    ran("{'facts': {}}");
    ran("{}");
    ck_assert_uint_eq((world_rows() - with) % 2, 0);
    facts_are("t", "{'metadata': {'user': 'ann'}}");
}
END_TEST

START_TEST(a_run_that_is_asked_for_twice_says_its_facts_once)
{
    const char *first = "{'run': 'a', 'facts': {'metadata': {'n': 1}}}";
    graphs();
    ran(first);
    put("{'thread': 't', 'facts': {'metadata': {'n': 2}}}");
    ran(first);
    facts_are("t", "{'metadata': {'n': 2}}");
    again();
    ran(first);
    facts_are("t", "{'metadata': {'n': 2}}");
    expect_x("t", "[\"a\",\"b\"]");
}
END_TEST

START_TEST(a_run_that_waits_for_its_turn_has_said_its_facts)
{
    graphs();
    world_hold("b");
    asked_with_facts("a", "{'metadata': {'n': 1}}");
    asked_with_facts("b", "{'metadata': {'n': 2}}");
    facts_are("t", "{'metadata': {'n': 2}}");
    found("{'n': 2}", "t");
    put("{'thread': 't', 'facts': {'metadata': {'n': 3}}}");
    again(); // both are found, and say nothing again
    world_let("b");
    world_run();
    expect_x("t", "[\"a\",\"b\",\"a\",\"b\"]");
    facts_are("t", "{'metadata': {'n': 3}}");
    found("{'n': 3}", "t");
}
END_TEST

START_TEST(what_a_run_said_stays_where_it_is_taken_back)
{
    graphs();
    ran("{}");
    world_hold("b");
    asked_with_facts("a", "{'metadata': {'n': 1}}");
    asked_with_facts("b", "{'title': 'Rome'}");
    world_get("cancel", "{'run': 'b', 'action': 'rollback'}");
    world_get("cancel", "{'run': 'a', 'action': 'rollback'}");
    world_let("b");
    for (int i = 0; i < 2; i++) {
        facts_are("t", "{'metadata': {'n': 1}, 'title': 'Rome'}");
        found("{'n': 1}", "t");
        expect_x("t", "[\"a\",\"b\"]");
        again();
    }
}
END_TEST

START_TEST(a_run_whose_facts_are_refused_does_not_begin)
{
    graphs();
    is_refused(
        "run", "{'graph': 'g', 'thread': 't', 'facts': 3}", "invalid_argument");
    is_refused("run",
        "{'graph': 'g', 'thread': 't', 'facts': {'metadata': [1]}}",
        "invalid_argument");
    put("{'thread': 'u', 'facts': {'metadata': {'k': 1}}}");
    json_t *body = json_pack("{s:s, s:s, s:{s:{s:o}}}", "graph", "g", "thread",
        "u", "facts", "metadata", "user",
        json_sprintf("%0*d", SS_METADATA_SIZE_MAX - 12, 0)); // and "k", too
    ck_assert_str_eq(code_of(world_finish(world_ask_json("ann", "run", body))),
        "limit_exceeded");
    is_refused("run", "{'graph': 'no', 'thread': 't', 'facts': {'a': 1}}",
        "not_found");
    ck_assert_uint_eq(world_rows(), 1);
    is_refused("thread", "{'thread': 't'}", "not_found");
}
END_TEST

// The store stops behind any row: the run and what it says are both there, or
// neither is; also where the run only waits for its turn.
START_TEST(a_crash_keeps_a_run_and_its_facts_or_neither)
{
    for (int64_t rows = 0; rows < 8; rows++) {
        bool waits = rows % 2 == 1, kept = rows > 1;
        world_end();
        world_begin();
        graphs();
        put("{'thread': 't', 'facts': {'metadata': {'user': 'ann'}}}");
        if (waits) {
            world_hold("b");
            asked_with_facts("a", "{}");
        }
        world_store_take(rows / 2);
        asked_with_facts("b", "{'metadata': {'user': 'bob'}}");
        world_store_take(-1);
        again();
        const json_t *runs = json_object_get(world_get("runs", "{}"), "runs");
        ck_assert_uint_eq(json_array_size(runs), (size_t)waits + kept);
        facts_are("t", kept ? "{'metadata': {'user': 'bob'}}"
                            : "{'metadata': {'user': 'ann'}}");
        found("{'user': 'bob'}", kept ? "t" : "");
    }
}
END_TEST

// It would drop them where it prunes or copies the thread.
START_TEST(nothing_is_said_while_an_older_coordinator_is_a_member)
{
    struct ss_event members = {.type = SS_EVENT_MEMBERS};
    graphs();
    members.members.row_format = SS_ROW_FORMAT_8;
    world_event(&members);
    is_refused("thread_put", "{'thread': 't', 'facts': {'a': 1}}", "again");
    members.members.row_format = SS_ROW_FORMAT_9;
    world_event(&members);
    ck_assert(put("{'thread': 't', 'facts': {'a': 1}}"));
}
END_TEST

SUITE("facts", a_thread_is_there_before_it_has_a_run,
    what_is_said_is_laid_over_what_was,
    its_own_metadata_goes_before_that_of_its_runs,
    what_is_there_is_kept_or_refused_as_is_said,
    asked_again_with_its_key_it_is_put_once,
    what_cannot_be_said_is_refused_and_changes_nothing,
    a_time_to_live_is_refused_and_says_what_deletes_threads,
    what_grows_too_long_is_refused, facts_are_put_while_a_run_is_under_way,
    a_run_that_is_taken_back_leaves_what_was_said_beside_it,
    facts_outlive_a_prune, a_copy_has_them_and_a_delete_takes_them,
    an_import_takes_what_an_export_says, a_crash_leaves_them_whole,
    a_run_says_facts_of_its_thread,
    a_run_that_says_nothing_new_makes_no_row_more,
    a_run_that_is_asked_for_twice_says_its_facts_once,
    a_run_that_waits_for_its_turn_has_said_its_facts,
    what_a_run_said_stays_where_it_is_taken_back,
    a_run_whose_facts_are_refused_does_not_begin,
    a_crash_keeps_a_run_and_its_facts_or_neither,
    nothing_is_said_while_an_older_coordinator_is_a_member)
