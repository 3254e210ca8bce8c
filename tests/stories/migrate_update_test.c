// Updates and folds while versions of an application come and go: they are
// planned anew by a version that is served.
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/value.h"
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"

#define RUN "{'thread': 't', 'graph': 'g', 'run': '1', 'input': {'x': ['1']}}"

#define UPDATE(thread)                                                         \
    "{'thread': '" thread "', 'graph': 'g', 'supersteps':"                     \
    " [[{'values': {'x': ['u']}, 'as_node': 'a'}]]}"

static json_t *to_b(const char *branch, json_t *state)
{
    (void)branch;
    (void)state;
    return json_string("b");
}

// Behind a a router, which a worker is asked for: updates as a wait for it.
static json_t *routed(const char *edges)
{
    return chart("g", edges, "{'branches': [{'from': 'a', 'name': 'which'}]}");
}

// The first version with its worker, which keeps to itself what a's router
// says.
static uint64_t update_waits(json_t *description)
{
    world_graph(description);
    world_route("a", to_b);
    world_worker("w1", 1);
    world_hold("a");
    uint64_t id = world_ask("ann", "update", UPDATE("t"));
    world_run();
    ck_assert_ptr_null(world_answer(id));
    return id;
}

// Its version was gone for good, and the thread was busy for ever.
START_TEST(an_update_whose_version_is_gone_is_planned_anew)
{
    uint64_t id = update_waits(routed("start>a b>end"));
    world_leave("w1");
    world_upgrade(routed("start>a b>c c>end"));
    world_worker("w2", 4);
    world_let("a");
    ck_assert_ptr_nonnull(json_object_get(world_finish(id), "config"));
    json_t *next = world_get("run", "{'thread': 't', 'graph': 'g'}");
    ck_assert_str_eq(output_of(next), "[\"u\",\"b\",\"c\"]");
    json_t *list = json_object_get(
        world_get("checkpoints", "{'thread': 't'}"), "checkpoints");
    ck_assert_uint_eq(json_array_size(list), 3); // of the update, of b, of c
}
END_TEST

START_TEST(what_an_update_has_stored_is_not_done_again_when_it_is_planned_anew)
{
    world_graph(routed("start>a b>end"));
    world_route("a", to_b);
    world_worker("w1", 1);
    world_hold("a");
    uint64_t id = world_ask("ann", "update",
        "{'thread': 't', 'graph': 'g',"
        " 'supersteps': [[{'values': {'x': ['first']}, 'as_node': 'b'}],"
        " [{'values': {'x': ['second']}, 'as_node': 'a'}]]}");
    world_run();
    ck_assert_ptr_null(world_answer(id));
    world_leave("w1");
    world_upgrade(routed("start>a b>c c>end"));
    world_worker("w2", 4);
    world_let("a");
    ck_assert_ptr_nonnull(json_object_get(world_finish(id), "config"));
    json_t *next = world_get("run", "{'thread': 't', 'graph': 'g'}");
    ck_assert_str_eq(output_of(next), "[\"first\",\"second\",\"b\",\"c\"]");
}
END_TEST

// With both there it stays: the worker of its version has no room just now.
START_TEST(an_update_stays_on_its_version_while_somebody_serves_it)
{
    update_waits(routed("start>a b>end"));
    uint64_t next = world_ask("bob", "update", UPDATE("u"));
    world_run();
    world_upgrade(routed("start>a b>c c>end"));
    world_worker("w2", 4);
    world_run();
    world_let("a");
    ck_assert_ptr_nonnull(json_object_get(world_finish(next), "config"));
    ck_assert_ptr_null(strstr(world_told(), "goes to worker w2"));
}
END_TEST

// Nobody serves the graph at all: whichever version comes first does it.
START_TEST(an_update_waits_while_no_version_is_served)
{
    uint64_t id = update_waits(routed("start>a b>end"));
    world_let("a");
    world_leave("w1");
    world_pass(60000);
    ck_assert_ptr_null(world_answer(id));
    world_worker("w3", 4);
    ck_assert_ptr_nonnull(json_object_get(world_finish(id), "config"));
}
END_TEST

START_TEST(an_update_that_the_served_version_does_not_know_is_told_so)
{
    uint64_t id = update_waits(routed("start>a b>end"));
    char *old = ss_strdup(world_version());
    world_leave("w1");
    world_upgrade(chart("g", "start>b b>end", NULL));
    world_worker("w2", 4);
    world_let("a");
    json_t *answer = world_finish(id);
    ck_assert_str_eq(code_of(answer), "invalid_update");
    const char *text =
        ss_json_str(json_object_get(answer, "error"), "message", "-");
    ck_assert_msg(strstr(text, old) && strstr(text, world_version()) &&
                      strstr(text, "start a worker that serves"),
        "%s", text);
    ck_assert_str_eq( // the thread is free, and nothing stands in it
        output_of(world_get("run", RUN)), "[\"1\",\"b\"]");
    ss_free(old);
}
END_TEST

static json_t *all_writes(json_t *value, json_t *writes)
{
    json_t *all = value ? json_copy(value) : json_array();
    json_t *write;
    size_t i;
    json_array_foreach (writes, i, write)
        json_array_extend(all, write);
    return all;
}

static json_t *folding(const char *edges)
{
    return chart("g", edges,
        "{'state': [{'key': 'x', 'type': 'list', 'custom': 'all'}]}");
}

START_TEST(an_update_that_waits_for_a_fold_is_planned_anew_too)
{
    world_graph(folding("start>a a>end"));
    world_fold("all", all_writes);
    world_worker("w1", 4);
    world_hold("x");
    uint64_t id = world_ask("ann", "update", UPDATE("t"));
    world_run();
    ck_assert_ptr_null(world_answer(id));
    world_leave("w1");
    world_upgrade(folding("start>a a>b b>end"));
    world_worker("w2", 4);
    world_let("x");
    ck_assert_ptr_nonnull(json_object_get(world_finish(id), "config"));
    json_t *next = world_get("run", "{'thread': 't', 'graph': 'g'}");
    ck_assert_str_eq(output_of(next), "[\"u\",\"b\"]");
}
END_TEST

START_TEST(a_run_that_waits_for_a_fold_moves_when_it_is_told)
{
    world_graph(folding("start>a a>end"));
    world_fold("all", all_writes);
    world_worker("w1", 4);
    world_hold("x");
    uint64_t id = world_ask("ann", "run", RUN);
    world_run();
    world_leave("w1");
    world_upgrade(folding("start>a a>b b>end"));
    world_worker("w2", 4);
    world_let("x");
    world_run();
    ck_assert_ptr_null(world_answer(id)); // it stays on its version
    world_get("migrate", "{'run': '1'}");
    ck_assert_str_eq(output_of(world_finish(id)), "[\"1\",\"a\",\"b\"]");
}
END_TEST

// An update that ends each worker that takes it ends no more of them because
// versions come and go.
START_TEST(what_an_update_lost_counts_on_when_it_is_planned_anew)
{
    static const char *const edges[] = {"start>a b>end", "start>a b>c c>end",
        "start>a b>d d>end", "start>a b>e e>end", "start>a b>f f>end"};
    uint64_t id = update_waits(routed(edges[0]));
    size_t sent = 0;
    for (size_t i = 1; i < sizeof(edges) / sizeof(*edges); i++) {
        char *name = ss_format("w%zu", i), *next = ss_format("w%zu", i + 1);
        world_leave(name);
        world_upgrade(routed(edges[i]));
        world_worker(next, 4);
        world_run();
        ss_free(name);
        ss_free(next);
    }
    ck_assert_str_eq(code_of(world_answer(id)), "worker_lost");
    for (const char *at = world_told(); (at = strstr(at, " goes to ")); at++)
        sent++;
    ck_assert_uint_eq(sent, 4);
}
END_TEST

// The same where it is a fold that ends them.
START_TEST(what_its_folds_lost_counts_on_too)
{
    static const char *const edges[] = {"start>a a>end", "start>a a>b b>end",
        "start>a a>c c>end", "start>a a>d d>end", "start>a a>e e>end"};
    size_t sent = 0;
    world_graph(folding(edges[0]));
    world_fold("all", all_writes);
    world_worker("w1", 4);
    world_hold("x");
    uint64_t id = world_ask("ann", "update", UPDATE("t"));
    world_run();
    for (size_t i = 1; i < sizeof(edges) / sizeof(*edges); i++) {
        char *name = ss_format("w%zu", i), *next = ss_format("w%zu", i + 1);
        world_leave(name);
        world_upgrade(folding(edges[i]));
        world_worker(next, 4);
        world_run();
        ss_free(name);
        ss_free(next);
    }
    ck_assert_str_eq(code_of(world_answer(id)), "worker_lost");
    for (const char *at = world_told(); (at = strstr(at, " goes to ")); at++)
        sent++;
    ck_assert_uint_eq(sent, 4);
}
END_TEST

SUITE("migrate_update", an_update_whose_version_is_gone_is_planned_anew,
    what_an_update_has_stored_is_not_done_again_when_it_is_planned_anew,
    an_update_stays_on_its_version_while_somebody_serves_it,
    an_update_waits_while_no_version_is_served,
    an_update_that_the_served_version_does_not_know_is_told_so,
    an_update_that_waits_for_a_fold_is_planned_anew_too,
    a_run_that_waits_for_a_fold_moves_when_it_is_told,
    what_an_update_lost_counts_on_when_it_is_planned_anew,
    what_its_folds_lost_counts_on_too)
