// How one finds a run among many: by its status, its graph and its age.
#include "common/base/mem.h"
#include "common/model/value.h"
#include "coordinator/engine/limits.h"
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"

// A run of that graph that has ended.
static void ran(const char *graph, const char *run)
{
    world_finish(world_ask_json("ann", "run",
        json_pack("{s:s, s:s, s:s, s:{s:[]}}", "graph", graph, "thread", run,
            "run", run, "input", "x")));
}

// The names of a page, and where the next one begins in *ret_next (gives).
static void page(
    const char *asked, const char *after, const char *expected, char **ret_next)
{
    json_t *body = js(asked), *run;
    size_t i;
    char *names = ss_strdup("");
    if (after)
        json_object_set_new(body, "after", json_string(after));
    json_t *answer = world_finish(world_ask_json("ann", "runs", body));
    json_array_foreach (json_object_get(answer, "runs"), i, run) {
        char *more = ss_format("%s %s", names, ss_json_str(run, "run", "?"));
        ss_free(names);
        names = more;
    }
    ck_assert_str_eq(names, expected);
    ss_free(names);
    *ret_next = ss_strdup(ss_json_str(answer, "next", NULL));
}

static void found(const char *asked, const char *expected)
{
    char *next = NULL, *end = NULL;
    page(asked, NULL, expected, &next);
    page(asked, next, "", &end);
    ck_assert_ptr_null(end);
    ss_free(next);
}

static void two_graphs(void)
{
    world_graph(chart("g", "start>a a>end", NULL));
    world_graph(chart("h", "start>b b>end", NULL));
    world_body("b", fails);
    world_worker("w1", 4);
    world_run();
}

START_TEST(runs_are_found_by_status_graph_and_age)
{
    two_graphs();
    ran("g", "1");
    ran("h", "2");
    world_pass(60000);
    ran("g", "3");
    ran("h", "4");
    found("{'status': 'failed'}", " 2 4");
    found("{'status': 'done', 'limit': 10}", " 1 3");
    found("{'graph': 'h'}", " 2 4");
    found("{'age_ms': 30000}", " 3 4");
    found("{'age_ms': 30000, 'graph': 'g', 'status': 'done'}", " 3");
    found("{'graph': 'h', 'status': 'done'}", "");
    found("{'thread': '2', 'status': 'failed'}", " 2");
}
END_TEST

// The list went on through all of them, and whoever wanted one got them all.
START_TEST(what_failed_is_found_behind_many_that_did_not)
{
    char name[16];
    char *next = NULL, *end = NULL;
    two_graphs();
    for (int i = 0; i < SS_FIND_RECORDS_MAX; i++) {
        snprintf(name, sizeof(name), "r%04d", i);
        ran("g", name);
    }
    ran("h", "s");
    ran("h", "t");
    page("{'status': 'failed', 'limit': 1}", NULL, "", &next);
    ck_assert_ptr_nonnull(next); // so far it has looked
    page("{'status': 'failed', 'limit': 1}", next, " s", &end);
    ss_free(next);
    page("{'status': 'failed', 'limit': 1}", end, " t", &next);
    ss_free(end);
    page("{'status': 'failed', 'limit': 1}", next, "", &end);
    ck_assert_ptr_null(end);
    ss_free(next);
}
END_TEST

START_TEST(a_status_that_is_none_is_no_empty_list)
{
    const json_t *error =
        json_object_get(world_get("runs", "{'status': 'faild'}"), "error");
    ck_assert_str_eq(ss_json_str(error, "message", "-"),
        "runs: there is no status \"faild\". Did you mean \"failed\"?");
}
END_TEST

SUITE("find", runs_are_found_by_status_graph_and_age,
    what_failed_is_found_behind_many_that_did_not,
    a_status_that_is_none_is_no_empty_list)
