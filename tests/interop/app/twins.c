// twins.c - the graphs of tests/interop/graphs.py, once more in C: the same
// names, keys and edges, so that a thread of the one is a thread of the other.
//
// Each body says its name in the file that INTEROP_EFFECTS names: who ran, and
// how often.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <superstep/superstep.h>
#include <unistd.h>

static void note(const char *name)
{
    const char *path = getenv("INTEROP_EFFECTS");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (!file)
        abort();
    fprintf(file, "%s\n", name);
    fclose(file);
}

static int say(struct ss_task *task, const char *word)
{
    note(word);
    return ss_update(task, json_pack("{s:[s]}", "x", word));
}

// ------------------------------------------------------------------ fan
//
//     start --> a --> b --+
//               | --> c --+--> d        b asks if the state says so
//               | sends w, w

static int a(struct ss_task *task)
{
    note("a");
    return ss_update(task, json_pack("{s:[s], s:s}", "x", "a", "s", "hi"));
}

static int sends(struct ss_route *route)
{
    for (int i = 1; i <= 2; i++)
        ss_route_send(route, "w", json_pack("{s:i}", "i", i));
    return 0;
}

static int b(struct ss_task *task)
{
    json_t *answer;
    char word[64];
    if (!json_is_true(ss_input_get(task, "ask")))
        return say(task, "b");
    if (ss_interrupt(task, json_string("ok?"), &answer) == SS_INTERRUPTED) {
        note("b?");
        return SS_INTERRUPTED;
    }
    snprintf(word, sizeof(word), "b:%s", json_string_value(answer));
    return say(task, word);
}

// What INTEROP_BROKEN holds: nothing, or how c goes wrong.
static int c(struct ss_task *task)
{
    const char *path = getenv("INTEROP_BROKEN");
    FILE *file = path ? fopen(path, "r") : NULL;
    char how[16] = "";
    if (!file)
        return say(task, "c");
    bool hangs = fgets(how, sizeof(how), file) && strcmp(how, "hang") == 0;
    fclose(file);
    note("c!");
    while (hangs)
        pause(); // until this process is killed
    return ss_fail_final(task, "broken", "c is broken");
}

static int w(struct ss_task *task)
{
    char word[64];
    snprintf(word, sizeof(word), "w%d", (int)ss_input_int(task, "i"));
    return say(task, word);
}

static int d(struct ss_task *task)
{
    return say(task, "d");
}

static void fan(struct ss_graph_def *graph)
{
    ss_key(graph, "x", SS_LIST, .reducer = SS_ADD);
    ss_key(graph, "s", SS_STR);
    ss_key(graph, "ask", SS_BOOL);
    ss_node(graph, "a", a);
    ss_node(graph, "b", b);
    ss_node(graph, "c", c);
    ss_node(graph, "w", w);
    ss_node(graph, "d", d);
    ss_edge(graph, SS_START, "a");
    ss_edge(graph, "a", "b");
    ss_edge(graph, "a", "c");
    ss_branch(graph, "a", sends);
    ss_join(graph, "d", SS_ALL("b", "c"));
    ss_edge(graph, "d", SS_END);
}

// ------------------------------------------------------------------ nest
//
//     start --> before --> sub (i1 --> i2 asks) --> after

static int before(struct ss_task *task)
{
    return say(task, "before");
}

static int i1(struct ss_task *task)
{
    return say(task, "i1");
}

static int after(struct ss_task *task)
{
    return say(task, "after");
}

static void inner(struct ss_graph_def *graph, void *ctx)
{
    (void)ctx;
    ss_key(graph, "x", SS_LIST, .reducer = SS_ADD);
    ss_key(graph, "ask", SS_BOOL);
    ss_node(graph, "i1", i1);
    ss_node(graph, "i2", b);
    ss_edge(graph, SS_START, "i1");
    ss_edge(graph, "i1", "i2");
    ss_edge(graph, "i2", SS_END);
}

static void around(struct ss_graph_def *graph)
{
    ss_key(graph, "x", SS_LIST, .reducer = SS_ADD);
    ss_key(graph, "ask", SS_BOOL);
    ss_node(graph, "before", before);
    ss_node(graph, "sub", NULL, .subgraph = "inner");
    ss_node(graph, "after", after);
    ss_edge(graph, SS_START, "before");
    ss_edge(graph, "before", "sub");
    ss_edge(graph, "sub", "after");
    ss_edge(graph, "after", SS_END);
}

static void nest(struct ss_graph_def *graph)
{
    ss_subgraph(graph, "inner", inner, NULL);
    around(graph);
}

// The same, with an inner graph that keeps its state between calls.
static void keeping(struct ss_graph_def *graph, void *ctx)
{
    inner(graph, ctx);
    ss_checkpointer(graph, true);
}

static void kept(struct ss_graph_def *graph)
{
    ss_subgraph(graph, "inner", keeping, NULL);
    around(graph);
}

// ------------------------------------------------------------------ late
//
//     start --> a --> b (asks) --+
//               +--> c --------- +--> d, deferred: a join and a plain wait

static void late(struct ss_graph_def *graph)
{
    ss_key(graph, "x", SS_LIST, .reducer = SS_ADD);
    ss_key(graph, "s", SS_STR);
    ss_key(graph, "ask", SS_BOOL);
    ss_node(graph, "a", a);
    ss_node(graph, "b", b);
    ss_node(graph, "c", c);
    ss_node(graph, "d", d, .defer = true);
    ss_node(graph, "e", after, .defer = true);
    ss_edge(graph, SS_START, "a");
    ss_edge(graph, "a", "b");
    ss_edge(graph, "a", "c");
    ss_edge(graph, "c", "e");
    ss_join(graph, "d", SS_ALL("b", "c"));
    ss_edge(graph, "d", SS_END);
    ss_edge(graph, "e", SS_END);
}

// ------------------------------------------------------------------ chat

static int reply(struct ss_task *task)
{
    size_t count = json_array_size(ss_input_get(task, "messages"));
    char text[64], id[64];
    snprintf(text, sizeof(text), "reply to %d", (int)count);
    snprintf(id, sizeof(id), "reply-%d", (int)count);
    note("reply");
    return ss_update(task, json_pack("{s:[{s:s, s:s, s:s}]}", "messages",
                               "role", "assistant", "content", text, "id", id));
}

static void chat(struct ss_graph_def *graph)
{
    ss_key(graph, "messages", SS_LIST, .reducer = SS_ADD_MESSAGES);
    ss_node(graph, "reply", reply);
    ss_edge(graph, SS_START, "reply");
    ss_edge(graph, "reply", SS_END);
}

// ------------------------------------------------------------------ things

// Values that are not plain data: one is handed on, lists of them grow, and one
// would have to be added.
static int keep(struct ss_task *task)
{
    json_t *update = json_pack(
        "{s:[O], s:[s]}", "many", ss_input_get(task, "one"), "x", "keep");
    note("keep");
    if (json_is_true(ss_input_get(task, "ask")))
        json_object_set_new(update, "sum", json_integer(1));
    return ss_update(task, update);
}

static void things(struct ss_graph_def *graph)
{
    ss_key(graph, "x", SS_LIST, .reducer = SS_ADD);
    ss_key(graph, "ask", SS_BOOL);
    ss_key(graph, "one", SS_ANY);
    ss_key(graph, "many", SS_LIST, .reducer = SS_ADD);
    ss_key(graph, "sum", SS_ANY, .reducer = SS_ADD);
    ss_node(graph, "keep", keep);
    ss_edge(graph, SS_START, "keep");
    ss_edge(graph, "keep", SS_END);
}

// ------------------------------------------------------------------ delta
//
// fan, but x is stored as what was added to it.

static void delta(struct ss_graph_def *graph)
{
    ss_key(graph, "x", SS_LIST, .reducer = SS_ADD, .kind = SS_KIND_DELTA);
    ss_key(graph, "s", SS_STR);
    ss_key(graph, "ask", SS_BOOL);
    ss_node(graph, "a", a);
    ss_node(graph, "b", b);
    ss_node(graph, "c", c);
    ss_node(graph, "w", w);
    ss_node(graph, "d", d);
    ss_edge(graph, SS_START, "a");
    ss_edge(graph, "a", "b");
    ss_edge(graph, "a", "c");
    ss_branch(graph, "a", sends);
    ss_join(graph, "d", SS_ALL("b", "c"));
    ss_edge(graph, "d", SS_END);
}

SS_APP(SS_GRAPH("fan", fan) SS_GRAPH("nest", nest) SS_GRAPH("late", late)
        SS_GRAPH("chat", chat) SS_GRAPH("things", things)
            SS_GRAPH("delta", delta) SS_GRAPH("kept", kept))
