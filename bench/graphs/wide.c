// wide.c - "wide state" of LangGraph's own suite: fifteen keys, lists of large
// dictionaries that grow from round to round.
//
// Python hands references around; here each value that is written is encoded
// once for its row, and that is work which the figure contains.
#include "bench/graphs/graphs.h"

#include <stdio.h>
#include <string.h>

enum { LEAF_ROUNDS = 5, TEN = 10 };

// --- the input ---------------------------------------------------------------

static json_t *leaf(void)
{
    json_t *list = json_array();
    for (size_t i = 0; i < LEAF_ROUNDS; i++) {
        json_array_append_new(list, json_string("hi?hi?hi?hi?hi?hi?hi?hi?hi?"
                                                "hi?"));
        json_array_append_new(list, json_true());
        json_array_append_new(list, json_integer(1));
        json_array_append_new(list, json_integer(INT64_C(6327816386138)));
        json_array_append_new(list, json_null());
    }
    return list;
}

static void add_under(json_t *object, size_t digit, json_t *value)
{
    char name[TEN + 1];
    memset(name, '0' + (int)digit, TEN);
    name[TEN] = '\0';
    json_object_set_new(object, name, value);
}

json_t *bench_wide_input(size_t outer, size_t inner)
{
    json_t *message = json_object();
    for (size_t i = 0; i < outer; i++) {
        json_t *row = json_object();
        for (size_t k = 0; k < inner; k++)
            add_under(row, k, leaf());
        add_under(message, i, row);
    }
    return json_pack("{s:[o]}", "messages", message);
}

// --- the nodes ---------------------------------------------------------------

// What a node reads, and the keys that it writes.
struct rule {
    const char *node, *reads;
    const char *writes[7];
};

static const struct rule rules[] = {
    {"one", "messages", {"trigger_events", "primary_issue_medium"}},
    {"two", "trigger_events", {"autoresponse", "issue"}},
    {"three", "autoresponse", {"relevant_rules"}},
    {"four", "trigger_events", {"categorizations", "responses", "memory_docs"}},
    {"five", "categorizations",
        {"user_info", "crm_info", "email_thread_id", "slack_participants",
            "bot_id", "notified_assignees"}},
    {"six", "responses", {"messages"}},
};
enum { RULES = sizeof(rules) / sizeof(rules[0]) };

static const char *const lists[] = {"messages", "trigger_events",
    "categorizations", "responses", "memory_docs", "relevant_rules", NULL};
static const char *const singles[] = {"user_info", "crm_info",
    "slack_participants", "notified_assignees", "autoresponse", "issue", NULL};

static bool is_among(const char *const *names, const char *name)
{
    for (; *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

struct wide {
    size_t wanted; // messages, and letters of a text
    const struct rule *rule;
};

static int read_write(struct ss_task *task)
{
    const struct wide *wide = ss_ctx(task);
    json_t *value = ss_input_get(task, wide->rule->reads);
    json_t *list =
        json_is_array(value) ? json_incref(value) : json_pack("[O]", value);
    json_t *single = json_array_get(list, json_array_size(list) - 1);
    json_t *update = json_object();
    for (const char *const *key = wide->rule->writes; *key; key++)
        json_object_set_new(update, *key,
            is_among(lists, *key)     ? json_incref(list)
            : is_among(singles, *key) ? json_incref(single)
                                      : bench_letters(wide->wanted));
    json_decref(list);
    return ss_update(task, update);
}

static int until_many(struct ss_route *route)
{
    const struct wide *wide = ss_route_ctx(route);
    json_t *messages = json_object_get(ss_state(route), "messages");
    return ss_route_to(
        route, json_array_size(messages) > wide->wanted ? SS_END : "one");
}

static void define(
    struct ss_graph_def *graph, struct wide nodes[RULES], size_t wanted)
{
    static const char *const appended[] = {
        "messages", "trigger_events", "categorizations", "responses", NULL};
    static const char *const last[] = {"primary_issue_medium", "autoresponse",
        "issue", "user_info", "crm_info", "email_thread_id", "relevant_rules",
        "memory_docs", "bot_id", NULL};
    static const char *const merged[] = {
        "slack_participants", "notified_assignees", NULL};
    static const char *const six[] = {"messages", NULL};
    for (const char *const *key = appended; *key; key++)
        ss_key(graph, *key, SS_LIST, .reducer = SS_ADD);
    for (const char *const *key = last; *key; key++)
        ss_key(graph, *key, SS_ANY);
    for (const char *const *key = merged; *key; key++)
        ss_key(graph, *key, SS_DICT, .reducer = SS_OR);
    for (size_t i = 0; i < RULES; i++) {
        nodes[i] = (struct wide){.wanted = wanted, .rule = &rules[i]};
        ss_node(graph, rules[i].node, read_write, .ctx = &nodes[i]);
    }
    ss_edge(graph, SS_START, "one");
    ss_edge(graph, "one", "two");
    ss_edge(graph, "two", "three");
    ss_edge(graph, "two", "four");
    ss_join(graph, "five", SS_ALL("three", "four"));
    ss_edge(graph, "five", "six");
    ss_branch(graph, "six", until_many, .reads = six, .ctx = &nodes[0]);
}

void bench_wide_300(struct ss_graph_def *graph)
{
    static struct wide nodes[RULES];
    define(graph, nodes, 300);
}

void bench_wide_600(struct ss_graph_def *graph)
{
    static struct wide nodes[RULES];
    define(graph, nodes, 600);
}

void bench_wide_1200(struct ss_graph_def *graph)
{
    static struct wide nodes[RULES];
    define(graph, nodes, 1200);
}
