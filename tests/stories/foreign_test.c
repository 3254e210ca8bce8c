// Channels that this version of a graph lacks: another version left them on the
// thread and may come back, so whatever is written meanwhile keeps them.
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/value.h"
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"

#define T     "{'thread': 't'}"
#define EXTRA "'extra': ['kept']"
#define RUN   "{'thread': 't', 'graph': 'g', 'input': {'x': ['in']}"
#define UPDATE(node)                                                           \
    "{'thread': 't', 'supersteps': [[{'values': null, 'as_node': '" node "'}]" \
    "]}"

// Two keys: x, a list that grows, and `key`, whatever it is set to.
static json_t *graph_with(const char *key)
{
    json_t *extra =
        json_pack("{s:[{s:s, s:s, s:s}, {s:s, s:s}]}", "state", "key", "x",
            "type", "list", "reducer", "add", "key", key, "type", "any");
    char *text = ss_json_text(extra);
    json_t *graph = chart("g", "start>a a>b b>end", text);
    ss_free(text);
    json_decref(extra);
    return graph;
}

// The first version's run leaves `extra`; then the second one is at work.
static void rolled(void)
{
    world_graph(graph_with("extra"));
    world_worker("w1", 2);
    world_get("run", RUN ", 'durability': 'sync'}");
    world_get("update", "{'thread': 't', 'supersteps': [[{'values': {" EXTRA
                        "}, 'as_node': 'b'}]]}");
    world_leave("w1");
    world_upgrade(graph_with("other"));
    world_worker("w2", 2);
}

static json_t *newest(const char *thread)
{
    char body[64];
    snprintf(body, sizeof(body), "{'thread': '%s'}", thread);
    json_t *all =
        json_object_get(world_get("checkpoints", body), "checkpoints");
    return json_array_get(all, json_array_size(all) - 1);
}

static size_t whole_rows(void)
{
    size_t count = 0, i;
    json_t *row;
    json_array_foreach (
        json_object_get(world_get("journal", T), "rows"), i, row)
        count += json_is_true(json_object_get(row, "whole"));
    return count;
}

static void keeps_extra(const char *thread, const char *what)
{
    json_t *values = json_object_get(newest(thread), "channel_values");
    json_t *is = json_object_get(values, "extra"), *should = js("['kept']");
    if (!json_equal(is, should)) {
        char *text = ss_json_text(values);
        ck_abort_msg("%s: %s", what, text);
    }
    json_decref(should);
}

// As the first version sees it.
static void comes_back(void)
{
    world_leave("w2");
    world_upgrade(graph_with("extra"));
    world_worker("w3", 2);
    json_t *state = json_object_get(world_get("state", T), "state");
    json_t *should = js("['kept']");
    ck_assert(json_equal(
        json_object_get(json_object_get(state, "values"), "extra"), should));
    json_decref(should);
}

START_TEST(a_copy_of_a_checkpoint_has_what_this_version_lacks)
{
    rolled();
    size_t before = whole_rows();
    json_t *answer = world_get("update", UPDATE("__copy__"));
    ck_assert_ptr_nonnull(json_object_get(answer, "config"));
    ck_assert_uint_eq(whole_rows(), before + 1);
    keeps_extra("t", "copy");
    comes_back();
}
END_TEST

START_TEST(a_long_thread_is_told_in_full_with_what_this_version_lacks)
{
    rolled();
    size_t before = whole_rows();
    for (int i = 0; i < 40 && whole_rows() == before; i++)
        world_get("update",
            "{'thread': 't', 'supersteps': [[{'values': {'other': 'a text that"
            " takes some room, so that a whole row is due soon'},"
            " 'as_node': 'b'}]]}");
    ck_assert_uint_gt(whole_rows(), before);
    keeps_extra("t", "whole");
    comes_back();
}
END_TEST

START_TEST(whatever_is_asked_keeps_what_this_version_lacks)
{
    static const struct {
        const char *op, *body;
    } ways[] = {
        {"run", RUN "}"},
        {"run", RUN ", 'durability': 'exit'}"},
        {"run", RUN ", 'durability': 'async'}"},
        {"run", "{'thread': 't', 'command': {'goto': 'b'}}"},
        {"update", UPDATE("__end__")},
        {"update", UPDATE("__copy__")},
        {"update", "{'thread': 't', 'supersteps': [[{'values': {'x': ['u']},"
                   " 'as_node': '__input__'}]]}"},
        {"update", "{'thread': 't', 'supersteps': [[{'values': [{'values':"
                   " {'x': ['c']}, 'as_node': 'a'}], 'as_node':"
                   " '__copy__'}]]}"},
        {"prune", T},
        {"prune", T},
    };
    rolled();
    for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
        json_t *answer = world_get(ways[i].op, ways[i].body);
        if (code_of(answer)[0])
            ck_abort_msg("%s: %s", ways[i].body, code_of(answer));
        keeps_extra("t", ways[i].body);
        world_crash();
        world_restart();
        keeps_extra("t", ways[i].body);
    }
    comes_back();
}
END_TEST

START_TEST(a_fork_of_an_older_checkpoint_keeps_what_this_version_lacks)
{
    rolled();
    char body[256];
    snprintf(body, sizeof(body),
        "{'thread': 't', 'graph': 'g',"
        " 'checkpoint_id': '%s', 'input': {'x': ['fork']}}",
        ss_json_str(newest("t"), "id", ""));
    world_get("run", RUN "}");
    world_get("run", body);
    keeps_extra("t", "fork");
    comes_back();
}
END_TEST

START_TEST(threads_that_are_copied_or_moved_keep_what_this_version_lacks)
{
    rolled();
    world_get("copy", "{'thread': 't', 'to': 'u'}");
    keeps_extra("u", "copy of a thread");
    json_t *all = json_object_get(world_get("checkpoints", T), "checkpoints");
    json_t *body = json_pack(
        "{s:s, s:s, s:O}", "thread", "v", "graph", "g", "checkpoints", all);
    json_t *answer = world_finish(world_ask_json("ann", "import", body));
    ck_assert_str_eq(code_of(answer), "");
    keeps_extra("v", "import");
    world_get("run", "{'thread': 'v', 'graph': 'g', 'input': {'x': []}}");
    keeps_extra("v", "a run of what was imported");
}
END_TEST

SUITE("foreign", a_copy_of_a_checkpoint_has_what_this_version_lacks,
    a_long_thread_is_told_in_full_with_what_this_version_lacks,
    whatever_is_asked_keeps_what_this_version_lacks,
    a_fork_of_an_older_checkpoint_keeps_what_this_version_lacks,
    threads_that_are_copied_or_moved_keep_what_this_version_lacks)
