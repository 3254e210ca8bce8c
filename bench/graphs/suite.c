// suite.c - the workloads of LangGraph's own suite (its libs/langgraph/bench):
// a sequence of nodes, a fan-out into subgraphs, an agent and its tool.
#include "bench/graphs/graphs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUBJECT_LETTERS = 1000, BUMPS = 10, QUERY = 3600, REPEATS = 10 };
enum { FINAL_LETTERS = 600 };

// --- a sequence --------------------------------------------------------------

static int nothing(struct ss_task *task)
{
    (void)task;
    return 0;
}

static void sequential(struct ss_graph_def *graph, size_t count)
{
    char name[32], before[32] = SS_START;
    ss_key(graph, "messages", SS_LIST, .reducer = SS_ADD_MESSAGES);
    for (size_t i = 0; i < count; i++) {
        (void)snprintf(name, sizeof(name), "node_%zu", i);
        ss_node(graph, name, nothing);
        ss_edge(graph, before, name);
        memcpy(before, name, sizeof(before));
    }
    ss_edge(graph, before, SS_END);
}

void bench_sequential_10(struct ss_graph_def *graph)
{
    sequential(graph, 10);
}

void bench_sequential_1000(struct ss_graph_def *graph)
{
    sequential(graph, 1000);
}

// --- a fan-out into subgraphs ------------------------------------------------

json_t *bench_subjects(size_t count)
{
    json_t *subjects = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *subject = json_array();
        for (size_t k = 0; k < SUBJECT_LETTERS; k++)
            json_array_append_new(subject, bench_letters(1));
        json_array_append_new(subjects, subject);
    }
    return json_pack("{s:o}", "subjects", subjects);
}

static int for_each_subject(struct ss_route *route)
{
    json_t *subjects = json_object_get(ss_state(route), "subjects"), *subject;
    size_t i;
    json_array_foreach (subjects, i, subject)
        ss_route_send(
            route, "generate_joke", json_pack("{s:O}", "subject", subject));
    return 0;
}

// A text that is UTF-8 for sure, as one of Python is: jansson does not look at
// each byte of it again.
static json_t *known(const char *text)
{
    return json_string_nocheck(text);
}

static int joke_of(struct ss_task *task, const char *begin, const char *end)
{
    char text[6 * SUBJECT_LETTERS];
    (void)snprintf(text, sizeof(text), "%s%s", begin, end);
    return ss_update(task, json_pack("{s:[o]}", "jokes", known(text)));
}

// The list as a text, five characters a letter.
static int edit(struct ss_task *task)
{
    char text[5 * SUBJECT_LETTERS + 64];
    size_t size = 0, i;
    json_t *subject = ss_input_get(task, "subject"), *letter;
    json_array_foreach (subject, i, letter) {
        memcpy(text + size, i == 0 ? "['" : ", '", 3);
        size += i == 0 ? 2 : 3;
        text[size++] = json_string_value(letter)[0];
        text[size++] = '\'';
    }
    (void)snprintf(text + size, sizeof(text) - size, "] - hohoho");
    return ss_update(task, json_pack("{s:o}", "subject", known(text)));
}

static int generate(struct ss_task *task)
{
    return joke_of(task, "Joke about ", ss_input_str(task, "subject"));
}

static int bump(struct ss_task *task)
{
    json_t *joke = json_array_get(ss_input_get(task, "jokes"), 0);
    return joke_of(task, json_string_value(joke), " a");
}

static int until_bumped(struct ss_route *route)
{
    static const char end[] = " a a a a a a a a a a";
    json_t *joke = json_array_get(json_object_get(ss_state(route), "jokes"), 0);
    size_t size = json_string_length(joke), wanted = sizeof(end) - 1;
    bool is_over =
        size >= wanted &&
        memcmp(json_string_value(joke) + size - wanted, end, wanted) == 0;
    return ss_route_to(route, is_over ? SS_END : "bump");
}

static void joke(struct ss_graph_def *graph, void *ctx)
{
    (void)ctx;
    ss_key(graph, "subject", SS_ANY);
    ss_key(graph, "jokes", SS_LIST);
    ss_input_keys(graph, (const char *[]){"subject", NULL});
    ss_output_keys(graph, (const char *[]){"jokes", NULL});
    ss_node(graph, "edit", edit);
    ss_node(graph, "generate", generate);
    ss_node(graph, "bump", bump);
    ss_edge(graph, SS_START, "edit");
    ss_edge(graph, "edit", "generate");
    ss_edge(graph, "generate", "bump");
    ss_branch(graph, "bump", until_bumped);
}

void bench_jokes(struct ss_graph_def *graph)
{
    ss_key(graph, "subjects", SS_LIST);
    ss_key(graph, "jokes", SS_LIST, .reducer = SS_ADD);
    ss_subgraph(graph, "joke", joke, NULL);
    ss_node(graph, "generate_joke", NULL, .subgraph = "joke");
    ss_branch(graph, SS_START, for_each_subject);
    ss_edge(graph, "generate_joke", SS_END);
}

// --- an agent and its tool ---------------------------------------------------

// A model that calls the tool `*ctx` times, then has an answer. A question, and
// a call and its result for each time, are before it.
static int agent(struct ss_task *task)
{
    size_t calls = *(const size_t *)ss_ctx(task);
    size_t said = json_array_size(ss_input_get(task, "messages")) / 2;
    if (said >= calls)
        return ss_update(
            task, json_pack("{s:[{s:s, s:o}]}", "messages", "type", "ai",
                      "content", bench_letters(FINAL_LETTERS)));
    char query[QUERY + 1];
    json_t *word = bench_letters(36);
    for (size_t i = 0; i < QUERY; i += 36)
        memcpy(query + i, json_string_value(word), 36);
    query[QUERY] = '\0';
    return ss_update(
        task, json_pack("{s:[{s:s, s:s, s:[{s:s, s:o, s:{s:o}}]}]}", "messages",
                  "type", "ai", "content", "", "tool_calls", "name", "tool",
                  "id", word, "args", "query", known(query)));
}

// Each call is a send that carries the whole state, as LangGraph's does.
static int to_tools(struct ss_route *route)
{
    json_t *messages = json_object_get(ss_state(route), "messages");
    json_t *last = json_array_get(messages, json_array_size(messages) - 1);
    json_t *calls = json_object_get(last, "tool_calls"), *call;
    size_t i;
    if (json_array_size(calls) == 0)
        return ss_route_to(route, SS_END);
    json_array_foreach (calls, i, call)
        ss_route_send(route, "tools",
            json_pack("{s:O, s:O}", "call", call, "state", ss_state(route)));
    return 0;
}

static int tools(struct ss_task *task)
{
    static const char begin[] = "result for query: ";
    json_t *call = ss_input_get(task, "call");
    const char *query = json_string_value(
        json_object_get(json_object_get(call, "args"), "query"));
    char text[REPEATS * (QUERY + sizeof(begin))];
    size_t size = 0;
    for (size_t i = 0; i < REPEATS; i++)
        size += (size_t)snprintf(
            text + size, sizeof(text) - size, "%s%s", begin, query);
    return ss_update(
        task, json_pack("{s:[{s:s, s:o, s:O}]}", "messages", "type", "tool",
                  "content", json_stringn_nocheck(text, size), "tool_call_id",
                  json_object_get(call, "id")));
}

static void react(struct ss_graph_def *graph, const size_t *calls)
{
    ss_key(graph, "messages", SS_LIST, .reducer = SS_ADD_MESSAGES);
    ss_node(graph, "agent", agent, .ctx = (void *)(uintptr_t)calls);
    ss_node(graph, "tools", tools);
    ss_edge(graph, SS_START, "agent");
    ss_branch(graph, "agent", to_tools);
    ss_edge(graph, "tools", "agent");
}

void bench_react_10(struct ss_graph_def *graph)
{
    static const size_t calls = 10;
    react(graph, &calls);
}

void bench_react_100(struct ss_graph_def *graph)
{
    static const size_t calls = 100;
    react(graph, &calls);
}
