// application_test.c - from define functions to compiled graphs, and what is
// said of those that do not compile.
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/value.h"
#include "tests/suite.h"
#include "worker/application.h"

static struct ss_application *made;
static struct ss_error error;

static void teardown(void)
{
    ss_application_destroy(&made);
}

static int build(ss_graph_fn *define)
{
    struct ss_app_graph graphs[] = {{"g", define}, {NULL, NULL}};
    struct ss_app app = {SS_ABI_VERSION, sizeof(app), "7", graphs, NULL};
    return ss_application_new(&app, NULL, &made, &error);
}

// What is wrong with the graph of this definition.
static const char *complaint(ss_graph_fn *define)
{
    ck_assert_int_eq(build(define), SS_EINVAL);
    return error.message;
}

static int nothing(struct ss_task *task)
{
    (void)task;
    return 0;
}

static int nowhere(struct ss_route *route)
{
    (void)route;
    return 0;
}

static json_t *same(struct ss_route *route, json_t *returned)
{
    (void)route;
    return json_incref(returned);
}

static json_t *first(
    json_t *value, json_t *const *writes, size_t count, void *ctx)
{
    (void)ctx;
    (void)count;
    return json_incref(value ? value : writes[0]);
}

// ------------------------------------------------------------------ options

static void define_options(struct ss_graph_def *graph)
{
    static const char *const kinds[] = {"busy", NULL};
    ss_key(graph, "n", SS_INT, .reducer = SS_MAX, .initial = "5");
    ss_key(graph, "once", SS_ANY, .kind = SS_KIND_EPHEMERAL, .unguarded = true);
    ss_key(graph, "mine", SS_DICT, .reduce = first);
    ss_key(graph, "left", SS_ANY, .managed = "remaining_steps");
    ss_key(graph, "all", SS_LIST, .kind = SS_KIND_TOPIC, .accumulate = true);
    ss_node(graph, "a", nothing, .retry.attempts_max = 4,
        .retry.initial_interval_ms = 10, .retry.backoff_factor = 3.0,
        .retry.no_jitter = true, .retry.retry_on = kinds, .timeout_ms = 700,
        .idle_timeout_ms = 50, .heartbeat_only = true, .defer = true,
        .cache = true, .cache_ttl_ms = 60, .on_error = nothing,
        .metadata = "{\"team\": \"blue\"}", .labels = SS_ALL("gpu"),
        .reads = SS_ALL("n", "left"));
    ss_limit(graph, "a", .name = "openai", .tasks_max = 5, .each = "n");
    ss_edge(graph, SS_START, "a");
    ss_branch(graph, "a", nowhere);
    ss_branch(graph, "a", nowhere, .map = "[\"a\", \"__end__\"]");
}

START_TEST(options_reach_the_compiled_graph)
{
    ck_assert_msg(build(define_options) == SS_OK, "%s", error.message);
    const struct ss_graph *graph = ss_application_graph(made, 0)->graph;
    const struct ss_node *a = &graph->nodes[ss_graph_node(graph, "a")];
    ck_assert_int_eq(a->retries[0].attempts_max, 4);
    ck_assert_int_eq(a->retries[0].initial_interval_ms, 10);
    ck_assert(!a->retries[0].jitter);
    ck_assert_str_eq(a->retries[0].retry_on[0], "busy");
    ck_assert_int_eq(a->timeouts.run_ms, 700);
    ck_assert_int_eq(a->timeouts.idle_ms, 50);
    ck_assert(a->timeouts.heartbeat_only);
    ck_assert(a->defer);
    ck_assert(a->cached);
    ck_assert_int_eq(a->cache_ttl_ms, 60);
    ck_assert_str_eq(
        json_string_value(json_object_get(a->metadata, "team")), "blue");
    ck_assert_str_eq(a->labels.items[0], "gpu");
    ck_assert_str_eq(a->limits.items[0].name, "openai");
    ck_assert_int_eq(a->limits.items[0].tasks_max, 5);
    ck_assert_int_eq(a->limits.items[0].per_ms, 0);
    ck_assert_str_eq(a->limits.items[0].each, "n");
    ck_assert_uint_eq(a->reads.count, 2);
    ck_assert_uint_eq(a->branches_count, 2);
    ck_assert_str_eq(a->branches[0].name, "branch");
    ck_assert_str_eq(a->branches[1].name, "branch2");
    ck_assert_uint_ne(ss_graph_node(graph, "__error_handler__a"), SS_NONE);
    const struct ss_channel_spec *n =
        &graph->channels[ss_graph_channel(graph, "n")];
    ck_assert_int_eq(json_integer_value(n->zero), 5);
    ck_assert_int_eq((int)n->reducer, SS_REDUCER_MAX);
    const struct ss_channel_spec *once =
        &graph->channels[ss_graph_channel(graph, "once")];
    ck_assert(!once->guard);
    ck_assert_ptr_nonnull(ss_graph_managed(graph, "left"));
    ck_assert_str_eq(ss_application_version(made), "7");
}
END_TEST

// ------------------------------------------------------------------ mistakes

static void bad_edge(struct ss_graph_def *graph)
{
    ss_node(graph, "publish", nothing);
    ss_edge(graph, SS_START, "publish");
    ss_edge(graph, "publish", "publsh");
}

START_TEST(an_edge_to_nowhere_names_a_near_miss)
{
    const char *text = complaint(bad_edge);
    ck_assert_msg(
        strstr(text, "\"publsh\"") && strstr(text, "\"publish\""), "%s", text);
}
END_TEST

static void no_body(struct ss_graph_def *graph)
{
    ss_node(graph, "a", NULL);
    ss_edge(graph, SS_START, "a");
}

START_TEST(a_node_without_a_body_is_named)
{
    ck_assert_str_eq(complaint(no_body),
        "graph \"g\": node \"a\" has no body; give ss_node() a function, or a "
        ".subgraph");
}
END_TEST

static void no_router(struct ss_graph_def *graph)
{
    ss_node(graph, "a", nothing);
    ss_edge(graph, SS_START, "a");
    ss_branch(graph, "a", NULL, .name = "where");
}

START_TEST(a_branch_without_a_router_is_named)
{
    ck_assert_str_eq(complaint(no_router),
        "graph \"g\": the branch \"where\" from node \"a\" has no router; give "
        "ss_branch() a function");
}
END_TEST

static void bad_json(struct ss_graph_def *graph)
{
    ss_key(graph, "k", SS_ANY, .initial = "{nope");
    ss_node(graph, "a", nothing, .metadata = "]");
    ss_edge(graph, SS_START, "a");
}

START_TEST(the_first_mistake_is_told)
{
    const char *text = complaint(bad_json);
    ck_assert_msg(
        strstr(text, "graph \"g\": key \"k\": its default is not JSON text"),
        "%s", text);
}
END_TEST

static void body_and_graph(struct ss_graph_def *graph)
{
    ss_node(graph, "a", nothing, .subgraph = "inner");
    ss_edge(graph, SS_START, "a");
}

static void bound_to_nothing(struct ss_graph_def *graph)
{
    ss_node(graph, "a", nothing);
    ss_edge(graph, SS_START, "a");
    ss_bind_node(graph, "b", nothing, NULL);
}

static void bad_kind(struct ss_graph_def *graph)
{
    ss_describe(graph, "kind", json_string("cooked"));
}

static void late_kind(struct ss_graph_def *graph)
{
    ss_node(graph, "a", nothing);
    ss_describe(graph, "kind", json_string("raw"));
}

static void bad_edges(struct ss_graph_def *graph)
{
    ss_describe(graph, "edges", json_pack("[[s]]", "a"));
}

static void list_of_number(struct ss_graph_def *graph)
{
    ss_key(graph, "n", SS_INT, .reducer = SS_APPEND);
    ss_node(graph, "a", nothing);
    ss_edge(graph, SS_START, "a");
}

static void messages_in_a_text(struct ss_graph_def *graph)
{
    ss_key(graph, "said", SS_STR, .reducer = SS_ADD_MESSAGES);
    ss_node(graph, "a", nothing);
    ss_edge(graph, SS_START, "a");
}

START_TEST(a_reducer_of_lists_is_for_a_key_that_is_a_list)
{
    ck_assert_ptr_nonnull(strstr(complaint(list_of_number),
        "key \"n\": SS_APPEND makes a list: its type is SS_LIST"));
    ck_assert_ptr_nonnull(strstr(complaint(messages_in_a_text),
        "key \"said\": SS_ADD_MESSAGES makes a list: its type is SS_LIST"));
}
END_TEST

START_TEST(other_mistakes_are_told_too)
{
    ck_assert_ptr_nonnull(
        strstr(complaint(body_and_graph), "has a body and a .subgraph"));
    ck_assert_ptr_nonnull(strstr(complaint(bound_to_nothing),
        "a body is bound to \"b\", which is not a node"));
    ck_assert_ptr_nonnull(
        strstr(complaint(bad_kind), "must be \"state\" or \"raw\""));
    ck_assert_ptr_nonnull(
        strstr(complaint(late_kind), "must be said before anything else"));
    ck_assert_ptr_nonnull(
        strstr(complaint(bad_edges), "an edge is [from, to]"));
}
END_TEST

static const char *const odd = "\xff"; // no letter begins like that

static void define_key(struct ss_graph_def *graph, const char *name)
{
    ss_key(graph, name, SS_ANY);
}

static void define_node(struct ss_graph_def *graph, const char *name)
{
    ss_node(graph, name, nothing);
}

static void define_edge_from(struct ss_graph_def *graph, const char *name)
{
    ss_edge(graph, name, SS_END);
}

static void define_edge_to(struct ss_graph_def *graph, const char *name)
{
    ss_edge(graph, SS_START, name);
}

static void define_join(struct ss_graph_def *graph, const char *name)
{
    ss_join(graph, name, SS_ALL("a"));
}

static void define_branch(struct ss_graph_def *graph, const char *name)
{
    ss_branch(graph, name, NULL);
}

static void define_body(struct ss_graph_def *graph, const char *name)
{
    ss_bind_node(graph, name, nothing, NULL);
}

static void (*define_one)(struct ss_graph_def *graph, const char *name);

static void define_null(struct ss_graph_def *graph)
{
    define_one(graph, NULL);
}

static void define_odd(struct ss_graph_def *graph)
{
    define_one(graph, odd);
}

START_TEST(a_name_that_is_null_or_no_text_is_told)
{
    static const struct {
        void (*define)(struct ss_graph_def *graph, const char *name);
        const char *what;
    } all[] = {{define_key, "the name of a key"},
        {define_node, "the name of a node"},
        {define_edge_from, "the beginning of an edge"},
        {define_edge_to, "the end of an edge"},
        {define_join, "the end of a join"},
        {define_branch, "the beginning of a branch"},
        {define_body, "the node of a body"}};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        char text[100];
        define_one = all[i].define;
        snprintf(text, sizeof(text), "graph \"g\": %s is NULL", all[i].what);
        ck_assert_ptr_nonnull(strstr(complaint(define_null), text));
        snprintf(text, sizeof(text), "%s is not text in UTF-8", all[i].what);
        ck_assert_ptr_nonnull(strstr(complaint(define_odd), text));
    }
}
END_TEST

static void odd_reads(struct ss_graph_def *graph)
{
    ss_key(graph, "k", SS_ANY);
    ss_node(graph, "a", nothing, .reads = SS_ALL("k", odd));
    ss_edge(graph, SS_START, "a");
}

static void odd_backoff(struct ss_graph_def *graph)
{
    ss_node(graph, "a", nothing, .retry.attempts_max = 2,
        .retry.backoff_factor = (double)NAN);
    ss_edge(graph, SS_START, "a");
}

START_TEST(what_cannot_be_told_is_not_left_out)
{
    ck_assert_ptr_nonnull(strstr(complaint(odd_reads), "node \"a\""));
    ck_assert_ptr_nonnull(strstr(complaint(odd_backoff), "backoff_factor"));
}
END_TEST

static void odd_attempts(struct ss_graph_def *graph)
{
    ss_node(graph, "a", nothing, .retry.attempts_max = -1);
    ss_edge(graph, SS_START, "a");
}

START_TEST(an_option_is_named_as_it_was_written)
{
    ck_assert_ptr_nonnull(strstr(
        complaint(odd_attempts), "node \"a\": its .retry.attempts_max is -1"));
}
END_TEST

static void retries_by_default(struct ss_graph_def *graph)
{
    ss_node(graph, "a", nothing, .retry.initial_interval_ms = 50);
    ss_node(graph, "b", nothing, .retry.retry_on = SS_ALL("busy"));
    ss_node(graph, "c", nothing, .retry.no_jitter = true);
    ss_node(graph, "d", nothing, .retry.max_interval_ms = 50);
    ss_node(graph, "e", nothing, .retry.backoff_factor = 1.5);
    ss_node(graph, "never", nothing);
    ss_edge(graph, SS_START, "a");
}

START_TEST(a_retry_policy_without_a_number_of_attempts_is_no_silent_nothing)
{
    ck_assert_msg(build(retries_by_default) == SS_OK, "%s", error.message);
    const struct ss_graph *graph = ss_application_graph(made, 0)->graph;
    for (size_t i = 0; i < graph->nodes_count; i++) {
        const struct ss_node *node = &graph->nodes[i];
        bool is_one = strlen(node->name) == 1;
        ck_assert_uint_eq(node->retries_count, is_one);
        if (is_one)
            ck_assert_int_eq(node->retries[0].attempts_max, 3);
    }
}
END_TEST

static void label_of_nothing(struct ss_graph_def *graph)
{
    ss_node(graph, "a", nothing, .labels = SS_ALL("gpu", ""));
    ss_edge(graph, SS_START, "a");
}

START_TEST(an_empty_label_that_no_worker_can_offer_is_refused)
{
    ck_assert_ptr_nonnull(strstr(complaint(label_of_nothing),
        "node \"a\": one of its .labels is an empty text"));
}
END_TEST

static void labels_in_one(struct ss_graph_def *graph)
{
    ss_node(graph, "a", nothing, .labels = SS_ALL("gpu,large"));
    ss_edge(graph, SS_START, "a");
}

START_TEST(labels_with_a_comma_between_them_are_refused)
{
    ck_assert_ptr_nonnull(strstr(complaint(labels_in_one),
        "node \"a\": the label \"gpu,large\" has a comma, which stands "
        "between labels; give each one by itself"));
}
END_TEST

static void map_of_nothing(struct ss_graph_def *graph)
{
    ss_node(graph, "a", nothing);
    ss_edge(graph, SS_START, "a");
    ss_branch(graph, "a", nowhere, .map = "{}");
}

static void list_of_nothing(struct ss_graph_def *graph)
{
    ss_node(graph, "a", nothing);
    ss_edge(graph, SS_START, "a");
    ss_branch(graph, "a", nowhere, .map = "[]");
}

START_TEST(a_map_that_leads_nowhere_is_refused)
{
    static const char text[] =
        "the branch from node \"a\": its .map is empty, so that no answer of "
        "its router would lead anywhere; give it {\"answer\": \"node\"}";
    ck_assert_ptr_nonnull(strstr(complaint(map_of_nothing), text));
    ck_assert_ptr_nonnull(strstr(complaint(list_of_nothing), text));
}
END_TEST

static void ttl_of_nothing(struct ss_graph_def *graph)
{
    ss_node(graph, "a", nothing, .cache_ttl_ms = 500);
    ss_edge(graph, SS_START, "a");
}

static void beats_for_nothing(struct ss_graph_def *graph)
{
    ss_node(graph, "a", nothing, .heartbeat_only = true);
    ss_edge(graph, SS_START, "a");
}

START_TEST(an_option_that_needs_another_one_is_refused_alone)
{
    ck_assert_ptr_nonnull(strstr(complaint(ttl_of_nothing),
        "node \"a\": it has a .cache_ttl_ms and no .cache"));
    ck_assert_ptr_nonnull(strstr(complaint(beats_for_nothing),
        "node \"a\": it is .heartbeat_only and has no .idle_timeout_ms"));
}
END_TEST

static void define_tree(struct ss_graph_def *graph, void *ctx)
{
    ss_subgraph(graph, "tree", define_tree, ctx);
    ss_subgraph(graph, "tree", define_tree, ctx);
}

static void a_tree_of_trees(struct ss_graph_def *graph)
{
    define_tree(graph, NULL);
}

static void define_egg(struct ss_graph_def *graph, void *ctx);

static void define_hen(struct ss_graph_def *graph, void *ctx)
{
    ss_subgraph(graph, "egg", define_egg, ctx);
}

static void define_egg(struct ss_graph_def *graph, void *ctx)
{
    ss_subgraph(graph, "hen", define_hen, ctx);
}

static void a_hen_or_an_egg(struct ss_graph_def *graph)
{
    ss_subgraph(graph, "hen", define_hen, NULL);
}

// With a name of its own each time; and twice, which must not double the work.
static void define_deeper(struct ss_graph_def *graph, void *ctx)
{
    size_t *count = ctx;
    char name[32];
    for (int i = 0; i < 2; i++) {
        (void)snprintf(name, sizeof(name), "g%zu", ++*count);
        ss_subgraph(graph, name, define_deeper, ctx);
    }
}

static size_t deeper_count;

static void deeper_and_deeper(struct ss_graph_def *graph)
{
    define_deeper(graph, &deeper_count);
}

START_TEST(a_graph_that_contains_itself_is_refused)
{
    ck_assert_str_eq(complaint(a_tree_of_trees),
        "graph \"tree\" contains itself: tree > tree");
    ck_assert_str_eq(complaint(a_hen_or_an_egg),
        "graph \"hen\" contains itself: hen > egg > hen");
    ck_assert_int_eq(build(deeper_and_deeper), SS_ELIMIT);
    ck_assert_str_eq(error.message,
        "graph \"g\": graphs within graphs deeper than 16: does \"g16\" "
        "contain itself?");
    ck_assert_uint_lt(deeper_count, 64);
}
END_TEST

START_TEST(a_define_function_that_is_null_is_told)
{
    static const struct ss_app_graph entries[] = {{"g", NULL}, {NULL, NULL}};
    const struct ss_app app = {
        SS_ABI_VERSION, sizeof(app), NULL, entries, NULL};
    ck_assert_int_eq(ss_application_new(&app, NULL, &made, &error), SS_EINVAL);
    ck_assert_str_eq(error.message, "graph \"g\": its define function is NULL");
}
END_TEST

static void join_of_nothing(struct ss_graph_def *graph)
{
    ss_node(graph, "a", nothing);
    ss_edge(graph, SS_START, "a");
    ss_join(graph, "a", NULL);
}

START_TEST(a_join_of_nothing_is_refused)
{
    ck_assert_ptr_nonnull(strstr(
        complaint(join_of_nothing), "the join to \"a\" waits for nothing"));
}
END_TEST

START_TEST(another_abi_is_refused_with_both_numbers)
{
    struct ss_app app = {9, sizeof(app), NULL, NULL, NULL};
    ck_assert_int_eq(
        ss_application_new(&app, NULL, &made, &error), SS_EVERSION);
    ck_assert_ptr_nonnull(strstr(error.message, "ABI version 9"));
    ck_assert_ptr_nonnull(strstr(error.message, "has version 1"));
    app = (struct ss_app){SS_ABI_VERSION, 8, NULL, NULL, NULL};
    ck_assert_int_eq(
        ss_application_new(&app, NULL, &made, &error), SS_EVERSION);
}
END_TEST

// ------------------------------------------------------------------ builders

static void define_small(struct ss_graph_def *graph, void *ctx)
{
    ss_key(graph, ctx, SS_ANY);
    ss_node(graph, "a", nothing);
    ss_edge(graph, SS_START, "a");
}

static int build_from_arg(struct ss_app_builder *app, const char *arg)
{
    static char key[] = "k";
    if (!arg)
        return ss_app_error(app, "give a file: --app-arg %s", "FILE");
    if (strcmp(arg, "silent") == 0)
        return -1;
    if (strcmp(arg, "twice") == 0)
        ss_app_graph(app, "one", define_small, key);
    return ss_app_graph(app, "one", define_small, key);
}

static int build_with(const char *arg)
{
    struct ss_app app = {
        SS_ABI_VERSION, sizeof(app), NULL, NULL, build_from_arg};
    return ss_application_new(&app, arg, &made, &error);
}

START_TEST(an_application_may_build_its_graphs_from_its_argument)
{
    ck_assert_int_eq(build_with("x"), SS_OK);
    ck_assert_ptr_nonnull(ss_application_find(made, "one"));
    ck_assert_ptr_null(ss_application_find(made, "two"));
    ck_assert_ptr_null(ss_application_graph(made, 1));
}
END_TEST

START_TEST(what_a_build_function_refuses_is_told)
{
    ck_assert_int_eq(build_with(NULL), SS_EINVAL);
    ck_assert_str_eq(error.message, "give a file: --app-arg FILE");
    ck_assert_int_eq(build_with("silent"), SS_EINVAL);
    ck_assert_ptr_nonnull(strstr(error.message, "returned -1"));
    ck_assert_int_eq(build_with("twice"), SS_EINVAL);
    ck_assert_str_eq(
        error.message, "the application defines two graphs named \"one\"");
}
END_TEST

START_TEST(an_application_without_graphs_is_refused)
{
    struct ss_app app = {SS_ABI_VERSION, sizeof(app), NULL, NULL, NULL};
    ck_assert_int_eq(ss_application_new(&app, NULL, &made, &error), SS_EINVAL);
    ck_assert_str_eq(error.message, "the application defines no graph");
}
END_TEST

// ------------------------------------------------------------------ nesting

static void define_inner(struct ss_graph_def *graph, void *ctx)
{
    ss_key(graph, "k", SS_ANY);
    ss_node(graph, "deep", nothing, .ctx = ctx);
    ss_edge(graph, SS_START, "deep");
}

static int word = 3;

static void define_outer(struct ss_graph_def *graph)
{
    ss_key(graph, "k", SS_ANY);
    ss_subgraph(graph, "inner", define_inner, &word);
    ss_node(graph, "sub", NULL, .subgraph = "inner");
    ss_node(graph, "again", NULL, .subgraph = "inner");
    ss_edge(graph, SS_START, "sub");
    ss_edge(graph, "sub", "again");
}

START_TEST(functions_of_inner_graphs_are_found_by_graph_and_node)
{
    ck_assert_msg(build(define_outer) == SS_OK, "%s", error.message);
    const struct ss_bound_graph *inner =
        ss_application_bound(ss_application_find(made, "g"), "inner");
    ck_assert_ptr_nonnull(inner);
    size_t deep = ss_graph_node(inner->graph, "deep");
    ck_assert_ptr_eq(inner->nodes[deep].ctx, &word);
    ck_assert_ptr_null(
        ss_application_bound(ss_application_find(made, "g"), "other"));
}
END_TEST

static void bad_inner(struct ss_graph_def *graph, void *ctx)
{
    (void)ctx;
    ss_key(graph, "k", SS_ANY, .initial = "?");
}

static void define_bad_outer(struct ss_graph_def *graph)
{
    ss_subgraph(graph, "inner", bad_inner, NULL);
    ss_node(graph, "sub", NULL, .subgraph = "inner");
    ss_edge(graph, SS_START, "sub");
}

START_TEST(a_mistake_in_an_inner_graph_names_both)
{
    const char *text = complaint(define_bad_outer);
    ck_assert_msg(strstr(text, "graph \"g\": subgraph: graph \"inner\": key"),
        "%s", text);
}
END_TEST

// ------------------------------------------------------------------ raw graphs

static void define_raw(struct ss_graph_def *graph)
{
    ss_describe(graph, "kind", json_string("raw"));
    ss_describe(graph, "channels",
        json_pack("[{s:s, s:s}, {s:s, s:s}]", "name", "in", "kind", "LastValue",
            "name", "out", "kind", "LastValue"));
    ss_describe(graph, "nodes",
        json_pack("[{s:s, s:s, s:[{s:s, s:b}]}]", "name", "n", "subscribe_only",
            "in", "writes", "channel", "out", "mapped", 1));
    ss_describe(graph, "input", json_string("in"));
    ss_describe(graph, "output", json_string("out"));
    ss_bind_node(graph, "n", nothing, NULL);
    ss_bind_write(graph, "n", 0, same, NULL);
}

static void define_raw_unbound(struct ss_graph_def *graph)
{
    define_raw(graph);
    ss_bind_write(graph, "n", 0, NULL, NULL);
}

START_TEST(raw_graphs_are_described)
{
    ck_assert_msg(build(define_raw) == SS_OK, "%s", error.message);
    const struct ss_bound_graph *graph =
        ss_application_bound(ss_application_find(made, "g"), "g");
    size_t n = ss_graph_node(graph->graph, "n");
    ck_assert_ptr_eq((void *)(uintptr_t)graph->nodes[n].writes[0].function,
        (void *)(uintptr_t)same);
    ss_application_destroy(&made);
    ck_assert_ptr_nonnull(strstr(complaint(define_raw_unbound),
        "write 0 of node \"n\" is mapped and has no function"));
}
END_TEST

static void add_tests(TCase *tcase)
{
#define T(name) tcase_add_test(tcase, name)
    T(options_reach_the_compiled_graph);
    T(an_edge_to_nowhere_names_a_near_miss);
    T(a_node_without_a_body_is_named);
    T(a_branch_without_a_router_is_named);
    T(the_first_mistake_is_told);
    T(a_reducer_of_lists_is_for_a_key_that_is_a_list);
    T(other_mistakes_are_told_too);
    T(a_name_that_is_null_or_no_text_is_told);
    T(what_cannot_be_told_is_not_left_out);
    T(an_option_is_named_as_it_was_written);
    T(a_retry_policy_without_a_number_of_attempts_is_no_silent_nothing);
    T(an_empty_label_that_no_worker_can_offer_is_refused);
    T(labels_with_a_comma_between_them_are_refused);
    T(a_map_that_leads_nowhere_is_refused);
    T(an_option_that_needs_another_one_is_refused_alone);
    T(a_graph_that_contains_itself_is_refused);
    T(a_define_function_that_is_null_is_told);
    T(a_join_of_nothing_is_refused);
    T(another_abi_is_refused_with_both_numbers);
    T(an_application_may_build_its_graphs_from_its_argument);
    T(what_a_build_function_refuses_is_told);
    T(an_application_without_graphs_is_refused);
    T(functions_of_inner_graphs_are_found_by_graph_and_node);
    T(a_mistake_in_an_inner_graph_names_both);
    T(raw_graphs_are_described);
#undef T
}

int main(void)
{
    ss_value_setup();
    Suite *suite = suite_create("application");
    TCase *tcase = tcase_create("application");
    tcase_add_checked_fixture(tcase, NULL, teardown);
    add_tests(tcase);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
