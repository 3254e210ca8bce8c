// How one finds a run among many: by its status, its graph and its age; and the
// threads that failed, or wait for an answer.
#include "common/base/buf.h"
#include "common/base/mem.h"
#include "common/model/find.h"
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
    world_hold("a");
    world_ask("ann", "run",
        "{'graph': 'g', 'thread': 'a', 'run': 'a', 'input': {'x': []}}");
    world_run();
    page("{'status': 'running'}", NULL, " a", &next); // among few
    ss_free(next);
    world_let("a");
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

#define OF_RUNS                                                                \
    " There are queued, running, waiting, rollback, quarantined, done, "       \
    "interrupted, failed, drained, cancelled"

START_TEST(a_status_that_is_none_is_no_empty_list)
{
    const json_t *error =
        json_object_get(world_get("runs", "{'status': 'faild'}"), "error");
    ck_assert_str_eq(ss_json_str(error, "message", "-"),
        "runs: there is no status \"faild\". Did you mean \"failed\"?" OF_RUNS);
    error =
        json_object_get(world_get("threads", "{'status': 'idel'}"), "error");
    ck_assert_str_eq(ss_json_str(error, "message", "-"),
        "threads: there is no status \"idel\". Did you mean \"idle\"?"
        " There are idle, interrupted, failed, running");
}
END_TEST

// --- threads ----------------------------------------------------------------

static json_t *asks_long(struct visit *visit)
{
    char *words = ss_format("%03000d", 0);
    json_t *answer = visit_ask(visit, words);
    ss_free(words);
    return answer ? says("asked") : NULL;
}

// A run of graph g, h or q on that thread.
static void ran_on(const char *graph, const char *thread, const char *more)
{
    json_t *body = js(more);
    json_object_set_new(body, "graph", json_string(graph));
    json_object_set_new(body, "thread", json_string(thread));
    world_finish(world_ask_json("ann", "run", body));
}

static void three_graphs(void)
{
    world_graph(chart("q", "start>a start>c c>end a>end", NULL));
    world_body("c", asks);
    two_graphs();
}

// "t1=idle t2=failed": the threads that were asked for.
static void threads_are(const char *asked, const char *expected)
{
    char *names = ss_strdup("");
    const json_t *answer = world_get("threads", asked), *thread;
    size_t i;
    json_array_foreach (json_object_get(answer, "threads"), i, thread) {
        char *more =
            ss_format("%s %s=%s", names, ss_json_str(thread, "thread", "?"),
                ss_json_str(thread, "status", "?"));
        ss_free(names);
        names = more;
    }
    ck_assert_str_eq(names, expected);
    ss_free(names);
}

START_TEST(threads_are_found_by_how_they_stand)
{
    three_graphs();
    ran_on("g", "1", "{'input': {'x': []}}");
    ran_on("h", "2", "{'input': {'x': []}}");
    ran_on("q", "3", "{'input': {'x': []}}");
    ran_on("g", "4", "{'input': {'x': []}, 'interrupt_before': ['a']}");
    world_pass(60000);
    ran_on("h", "5", "{'input': {'x': []}}");
    world_hold("a");
    uint64_t held = world_ask_json("ann", "run",
        json_pack(
            "{s:s, s:s, s:{s:[]}}", "graph", "g", "thread", "6", "input", "x"));
    world_run();
    threads_are("{}",
        " 1=idle 2=failed 3=interrupted 4=interrupted 5=failed 6=running");
    threads_are("{'status': 'failed'}", " 2=failed 5=failed");
    threads_are("{'status': 'failed', 'age_ms': 30000}", " 5=failed");
    threads_are("{'status': 'running'}", " 6=running");
    threads_are("{'status': 'idle'}", " 1=idle");
    threads_are("{'status': 'interrupted', 'graph': 'q'}", " 3=interrupted");
    threads_are("{'status': 'interrupted', 'limit': 1}", " 3=interrupted");
    world_let("a");
    world_finish(held);
    threads_are("{'age_ms': 30000}", " 5=failed 6=idle");
}
END_TEST

// Nothing of the threads is in memory: what is asked stands in their records.
START_TEST(open_questions_are_found_by_a_coordinator_that_has_just_begun)
{
    three_graphs();
    ran_on("q", "1", "{'input': {'x': []}}");
    ran_on("q", "2", "{'input': {'x': []}}");
    ran_on("q", "2", "{'command': {'resume': true}}");
    world_crash();
    world_restart();
    const json_t *answer = world_get("threads", "{'status': 'interrupted'}");
    const json_t *list = json_object_get(answer, "threads"), *one;
    const char *task;
    ck_assert_uint_eq(json_array_size(list), 1);
    const json_t *thread = json_array_get(list, 0);
    json_t *asked = json_object_get(thread, "interrupts");
    ck_assert_uint_eq(json_object_size(asked), 1);
    json_object_foreach (asked, task, one) {
        ck_assert_uint_eq(json_array_size(one), 1);
        one = json_array_get(one, 0);
        ck_assert_str_eq(ss_json_str(one, "value", "?"), "ok?");
        ck_assert_str_eq(ss_json_str(one, "node", "?"), "c");
    }
    // while it is answered it is nobody's to answer
    world_worker("w1", 4);
    world_hold("c");
    world_ask("ann", "run",
        "{'graph': 'q', 'thread': '1', 'command': {'resume': true}}");
    world_run();
    threads_are("{'status': 'interrupted'}", "");
    threads_are("{}", " 1=running 2=idle");
}
END_TEST

// A graph inside stops at a breakpoint of its own, and asks nothing.
#define STOPS_INSIDE                                                           \
    "{'nodes': {'b': {'subgraph': 'inner'}}, 'subgraphs': {'inner':"           \
    " {'name': 'inner', 'kind': 'state',"                                      \
    " 'state': [{'key': 'x', 'type': 'list', 'reducer': 'add'}],"              \
    " 'nodes': [{'name': 'i1'}], 'edges': [['__start__', 'i1']],"              \
    " 'interrupt_before': ['i1']}}}"

START_TEST(a_task_that_stops_beside_a_question_asks_nothing)
{
    world_graph(chart("g", "start>b start>c b>end c>end", STOPS_INSIDE));
    world_body("c", asks);
    world_worker("w1", 4);
    world_run();
    ran_on("g", "1", "{'input': {'x': []}}");
    const json_t *answer = world_get("threads", "{'status': 'interrupted'}");
    const json_t *list = json_object_get(answer, "threads"), *one;
    const char *task;
    ck_assert_uint_eq(json_array_size(list), 1);
    json_t *asked = json_object_get(json_array_get(list, 0), "interrupts");
    ck_assert_uint_eq(json_object_size(asked), 1);
    json_object_foreach (asked, task, one)
        ck_assert_str_eq(ss_json_str(json_array_get(one, 0), "node", "?"), "c");
}
END_TEST

START_TEST(a_question_too_long_for_a_list_is_told_without_its_value)
{
    three_graphs();
    world_body("c", asks_long);
    ran_on("q", "1", "{'input': {'x': []}}");
    const json_t *list = json_object_get(world_get("threads", "{}"), "threads");
    json_t *asked = json_object_get(json_array_get(list, 0), "interrupts"),
           *one;
    const char *task;
    json_object_foreach (asked, task, one) {
        one = json_array_get(one, 0);
        ck_assert_ptr_null(json_object_get(one, "value"));
        ck_assert(json_is_true(json_object_get(one, "is_long")));
        ck_assert_str_eq(ss_json_str(one, "node", "?"), "c");
        ck_assert_uint_eq(strlen(ss_json_str(one, "id", "")), 32);
    }
}
END_TEST

// What was asked is asked no more when the state is written to from outside.
START_TEST(a_thread_that_was_written_to_asks_nothing)
{
    three_graphs();
    ran_on("q", "1", "{'input': {'x': []}}");
    world_get("update",
        "{'thread': '1', 'supersteps': [[{'values': {'x': ['y']}, 'as_node':"
        " 'c'}]]}");
    const json_t *list = json_object_get(world_get("threads", "{}"), "threads");
    ck_assert_ptr_null(json_object_get(json_array_get(list, 0), "interrupts"));
    threads_are("{}", " 1=idle");
    world_get("update",
        "{'thread': '1', 'supersteps': [[{'values': {'x': ['y']}, 'as_node':"
        " '__start__'}]]}");
    threads_are("{}", " 1=interrupted");
    world_get("copy", "{'thread': '1', 'to': '2'}");
    world_get("prune", "{'thread': '1'}");
    threads_are("{'status': 'interrupted'}", " 1=interrupted 2=interrupted");
}
END_TEST

START_TEST(a_run_that_is_taken_back_leaves_the_question_open)
{
    three_graphs();
    ran_on("q", "1", "{'input': {'x': []}}");
    world_hold("c");
    world_ask("ann", "run",
        "{'graph': 'q', 'thread': '1', 'run': 'r', 'command': {'resume': "
        "true}}");
    world_run();
    threads_are("{}", " 1=running");
    world_get("cancel", "{'run': 'r', 'action': 'rollback'}");
    threads_are("{'status': 'interrupted'}", " 1=interrupted");
    const json_t *list = json_object_get(world_get("threads", "{}"), "threads");
    ck_assert_ptr_nonnull(
        json_object_get(json_array_get(list, 0), "interrupts"));
}
END_TEST

// What a run's end does not know of stays in the record, also where the thread
// was read from the store in between.
START_TEST(a_copy_tells_of_what_it_is_one_when_runs_have_ended_on_it)
{
    three_graphs();
    ran_on("g", "1", "{'input': {'x': []}}");
    world_get("copy", "{'thread': '1', 'to': '2'}");
    ran_on("h", "2", "{'input': {'x': []}}");
    threads_are("{}", " 1=idle 2=failed");
    world_crash();
    world_restart();
    world_worker("w1", 4);
    ran_on("g", "2", "{'input': {'x': []}}");
    threads_are("{}", " 1=idle 2=idle");
    const json_t *thread = json_array_get(
        json_object_get(world_get("threads", "{}"), "threads"), 1);
    ck_assert_str_eq(ss_json_str(thread, "copy_of", "?"), "1");
    ck_assert_ptr_null(json_object_get(thread, "error"));
}
END_TEST

// --- the newest first -------------------------------------------------------

// "a b": the runs or threads of a page; then "...", if it goes on, in *body.
static void newest(const char *op, json_t *body, const char *expected)
{
    struct ss_buf names;
    size_t i;
    json_t *one;
    ss_buf_init(&names, 4096);
    json_t *answer = world_finish(world_ask_json("ann", op, json_copy(body)));
    const char *key = strcmp(op, "runs") == 0 ? "run" : "thread";
    json_array_foreach (json_object_get(answer, op), i, one)
        ss_buf_addf(
            &names, "%s%s", i > 0 ? " " : "", ss_json_str(one, key, "?"));
    const json_t *next = json_object_get(answer, "next");
    ss_buf_addf(&names, "%s", next ? " ..." : "");
    ck_assert_str_eq(ss_buf_str(&names), expected);
    ss_buf_fini(&names);
    if (next)
        json_object_set(body, "after", (json_t *)next);
}

static void newest_are(const char *op, const char *asked, const char *expected)
{
    json_t *body = js(asked);
    json_object_set_new(body, "order", json_string("newest"));
    newest(op, body, expected);
    json_decref(body);
}

START_TEST(the_newest_runs_come_first_and_a_page_goes_on)
{
    three_graphs();
    ran("g", "c");
    world_pass(1000);
    ran("h", "a");
    world_pass(1000);
    ran("g", "d");
    world_pass(1000);
    world_hold("a");
    world_ask("ann", "run",
        "{'graph': 'g', 'thread': 'b', 'run': 'b', 'input': {'x': []}}");
    world_run();
    newest_are("runs", "{}", "b d a c"); // b is under way
    newest_are("runs", "{'graph': 'g'}", "b d c");
    newest_are("runs", "{'status': 'failed'}", "a");
    newest_are("runs", "{'status': 'running'}", "b");
    newest_are("runs", "{'thread': 'd'}", "d");
    newest_are("runs", "{'age_ms': 2500}", "b d a");
    newest_are("runs", "{'age_ms': 2500, 'age_min_ms': 1500}", "a");
    json_t *body = js("{'order': 'newest', 'limit': 2}");
    newest("runs", body, "b d ...");
    world_let("a"); // b ends, and is told no more
    world_run();
    world_pass(1000);
    ran("g", "e");
    newest("runs", body, "a c");
    json_decref(body);
    newest_are("runs", "{'limit': 1}", "e ...");
}
END_TEST

START_TEST(threads_that_changed_last_come_first)
{
    three_graphs();
    ran_on("g", "t/1", "{'input': {'x': []}}");
    world_pass(1000);
    ran_on("q", "t/2", "{'input': {'x': []}}");
    world_pass(1000);
    ran_on("h", "u", "{'input': {'x': []}}");
    newest_are("threads", "{}", "u t/2 t/1");
    newest_are("threads", "{'prefix': 't/'}", "t/2 t/1");
    newest_are("runs", "{'prefix': 'u', 'graph': 'h', 'status': 'done'}", "");
    world_pass(1000);
    ran_on("g", "t/1", "{'input': {'x': []}}");
    newest_are("threads", "{}", "t/1 u t/2");
    const json_t *by_name =
        world_get("threads", "{'prefix': 't/', 'limit': 3, 'after': ''}");
    ck_assert_uint_eq(json_array_size(json_object_get(by_name, "threads")), 2);
    ck_assert_ptr_null(json_object_get(by_name, "next")); // none follows
    newest_are("threads", "{'status': 'interrupted'}", "t/2");
    newest_are("threads", "{'status': 'failed', 'graph': 'h'}", "u");
    world_get("delete", "{'thread': 'u'}");
    newest_are("threads", "{}", "t/1 t/2");
}
END_TEST

START_TEST(runs_are_found_by_their_metadata_also_after_a_crash)
{
    three_graphs();
    ran_on("g", "1",
        "{'run': 'a', 'input': {'x': []}, 'config': {'metadata':"
        " {'user': 'ann', 'try': 1}}}");
    ran_on("h", "2",
        "{'run': 'b', 'input': {'x': []}, 'config': {'metadata':"
        " {'user': 'bob'}}}");
    world_hold("a");
    world_ask("ann", "run",
        "{'graph': 'g', 'thread': '3', 'run': 'c', 'input': {'x': []},"
        " 'config': {'metadata': {'user': 'ann'}}}");
    world_ask("ann", "run",
        "{'graph': 'g', 'thread': '3', 'run': 'd', 'input': {'x': []},"
        " 'if_busy': 'enqueue', 'config': {'metadata': {'user': 'ann'}}}");
    world_run();
    newest_are(
        "runs", "{'metadata': {'user': 'ann'}, 'status': 'queued'}", "d");
    world_crash();
    world_restart();
    world_worker("w1", 4);
    world_let("a");
    world_run();
    newest_are("runs", "{'metadata': {'user': 'bob'}}", "b");
    newest_are("runs", "{'metadata': {'user': 'ann', 'try': 1}}", "a");
    newest_are("runs",
        "{'metadata': {'user': 'ann'}, 'thread': '3',"
        " 'status': 'done'}",
        "c d");
    // A thread has that of its newest run; at one time the order is of names.
    newest_are("threads", "{'metadata': {'user': 'ann'}}", "1 3");
    ran_on("g", "1", "{'run': 'e', 'input': {'x': []}}");
    newest_are("threads", "{'metadata': {'user': 'ann'}}", "3");
}
END_TEST

// A list that found nothing said nothing of those that it did not search.
START_TEST(metadata_that_is_too_long_to_be_found_is_told_of)
{
    three_graphs();
    json_t *long_one = json_pack("{s:s, s:s, s:{s:[]}, s:{s:{s:o}}}", "graph",
        "g", "thread", "4", "input", "x", "config", "metadata", "user",
        json_sprintf("%04096d", 0));
    const json_t *answer = world_finish(world_ask_json("ann", "run", long_one));
    const char *warning = json_string_value(
        json_array_get(json_object_get(answer, "warnings"), 0));
    ck_assert(warning && strstr(warning, "more than 4096 bytes of JSON"));
    ran_on("g", "5", "{'input': {'x': []}}");
    const json_t *run = json_array_get(
        json_object_get(world_get("runs", "{'thread': '4'}"), "runs"), 0);
    ck_assert_ptr_nonnull(run);
    ck_assert_ptr_null(json_object_get(run, "metadata"));
    ck_assert(json_is_true(json_object_get(run, SS_FIND_LONG)));
    static const struct {
        const char *op, *asked;
        json_int_t unsearched;
    } lists[] = {{"runs", "{'metadata': {'user': 'ann'}}", 1},
        {"threads", "{'metadata': {'user': 'ann'}}", 1},
        {"threads", "{'metadata': {'user': 'ann'}, 'prefix': '5'}", 0},
        {"threads", "{'graph': 'g'}", 0}};
    for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
        for (int by_time = 0; by_time < 2; by_time++) {
            json_t *body = js(lists[i].asked);
            json_object_set_new(
                body, "order", json_string(by_time ? "newest" : "key"));
            ck_assert_int_eq(ss_json_int(world_finish(world_ask_json(
                                             "ann", lists[i].op, body)),
                                 "unsearched", 0),
                lists[i].unsearched);
        }
    ran_on("g", "4", "{'input': {'x': []}}"); // its newest run has none
    ck_assert_ptr_null(json_object_get(
        world_get("threads", "{'metadata': {'user': 'ann'}}"), "unsearched"));
}
END_TEST

static void is_refused(const char *op, const char *asked, const char *why)
{
    const json_t *error = json_object_get(world_get(op, asked), "error");
    ck_assert_str_eq(ss_json_str(error, "message", "-"), why);
}

START_TEST(a_question_that_makes_no_sense_is_told_so)
{
    two_graphs();
    is_refused("runs", "{'order': 'newst'}",
        "runs: there is no order \"newst\", only \"newest\" and \"key\"."
        " Did you mean \"newest\"?");
    is_refused("threads", "{'order': 'newest', 'after': 'a'}",
        "threads: \"a\" is not a place in a list of the newest: take the "
        "\"next\""
        " of the page before");
    is_refused("runs", "{'metadata': 'user=ann'}",
        "runs: \"metadata\" wants an object, not the text \"user=ann\"");
    is_refused("runs", "{'order': 'newest', 'status': 'faild'}",
        "runs: there is no status \"faild\". Did you mean \"failed\"?" OF_RUNS);
}
END_TEST

SUITE("find", the_newest_runs_come_first_and_a_page_goes_on,
    threads_that_changed_last_come_first,
    runs_are_found_by_their_metadata_also_after_a_crash,
    metadata_that_is_too_long_to_be_found_is_told_of,
    a_question_that_makes_no_sense_is_told_so,
    runs_are_found_by_status_graph_and_age,
    what_failed_is_found_behind_many_that_did_not,
    a_status_that_is_none_is_no_empty_list, threads_are_found_by_how_they_stand,
    open_questions_are_found_by_a_coordinator_that_has_just_begun,
    a_task_that_stops_beside_a_question_asks_nothing,
    a_question_too_long_for_a_list_is_told_without_its_value,
    a_thread_that_was_written_to_asks_nothing,
    a_run_that_is_taken_back_leaves_the_question_open,
    a_copy_tells_of_what_it_is_one_when_runs_have_ended_on_it)
