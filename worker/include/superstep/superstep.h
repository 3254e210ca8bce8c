// superstep.h - write graphs: one header, no ceremony.
//
//     #include <superstep/superstep.h>
//
//     static int greet(struct ss_task *task)
//     {
//         const char *name = ss_input_str(task, "name");
//         return ss_set_text(task, "log", "hello %s", name);
//     }
//
//     static void hello(struct ss_graph_def *graph)
//     {
//         ss_key(graph, "name", SS_STR);
//         ss_key(graph, "log", SS_LIST, .reducer = SS_APPEND);
//         ss_node(graph, "greet", greet);
//         ss_edge(graph, SS_START, "greet");
//     }
//
//     SS_APP(SS_GRAPH("hello", hello))
//
// Build it and run it:
//
//     cc -shared -fPIC hello.c -o libhello.so $(pkg-config --cflags superstep)
//     superstep dev libhello.so
//
// What is promised: a node's body may run more than once (when its worker is
// lost, when the store is away for longer than a lease, when it is retried,
// when it goes on after an interrupt); what it wrote is applied exactly once.
// Pass ss_idempotency_key() along with calls to the outside world: it is the
// same in all attempts of one task.
//
// Values are jansson's json_t. Functions that *take* a json_t take its
// reference, also when they fail; what they *lend* lives until the node
// returns, and must not be modified: other tasks may read it. A NULL where a
// value is taken (json_pack() gives one for a wrong format), or where a node is
// to be named, fails the task.
//
// A body runs on one of its worker's threads; several may run at once. Call
// these functions from the body's own thread only.
#ifndef SUPERSTEP_H
#define SUPERSTEP_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// In C++ (17 or later) the same calls: options stand in the order in which they
// are declared here, and those of a part in braces of their own: .retry =
// {.attempts_max = 3}.
#ifdef __cplusplus
// An option that is left out is zero; no warning is to say so where it is used.
#pragma GCC system_header
template <typename Options> const Options *ss_options_(const Options &options)
{
    return &options;
}
template <size_t count>
const char *const *ss_list_(const char *const (&&list)[count])
{
    return list;
}
#define SS_OPTIONS_(type, ...) ss_options_(type{__VA_ARGS__})
#define SS_ALL(...)            ss_list_({__VA_ARGS__, nullptr})
extern "C" {
#else
#define SS_OPTIONS_(type, ...) (&(const struct type){__VA_ARGS__})
#define SS_ALL(...)            ((const char *const[]){__VA_ARGS__, NULL})
#endif
#define SS_MUST_RETURN_ __attribute__((warn_unused_result))

// The ABI of this header; an application and a worker must agree on it.
#define SS_ABI_VERSION 1

#define SS_START "__start__"
#define SS_END   "__end__"

// ---------------------------------------------------------------- applications

struct ss_graph_def; // a graph that is being defined
struct ss_task;      // one execution of one node
struct ss_route;     // one question to a router

// Called once in each worker when it starts. `arg` is what --app-arg gave, or
// NULL. Return 0, or -1 after ss_app_error().
struct ss_app_builder;
typedef int ss_app_build_fn(struct ss_app_builder *app, const char *arg);
typedef void ss_graph_fn(struct ss_graph_def *graph);
// The same with a context of the application's own.
typedef void ss_graph_ctx_fn(struct ss_graph_def *graph, void *ctx);

struct ss_app_graph {
    const char *name;
    ss_graph_fn *define;
};

// The one symbol that an application exports: ss_app_descriptor.
struct ss_app {
    uint32_t abi; // SS_ABI_VERSION
    uint32_t size;
    const char *version;               // the application's own, or NULL
    const struct ss_app_graph *graphs; // ends with a NULL name
    ss_app_build_fn *build;            // or NULL; runs after `graphs`
};

#define SS_GRAPH(graph_name, function) {(graph_name), (function)},
// SS_APP(SS_GRAPH("a", a) SS_GRAPH("b", b)): an application of some graphs,
// with no comma between them.
#define SS_APP(...)                    SS_APP_VERSION(NULL, __VA_ARGS__)
#define SS_APP_VERSION(version_text, ...)                                      \
    SS_APP_CHECK_(__VA_ARGS__, , , , )                                         \
    static const struct ss_app_graph ss_app_graphs[] = {                       \
        __VA_ARGS__{NULL, NULL}};                                              \
    SS_APP_EXPORT const struct ss_app ss_app_descriptor = {SS_ABI_VERSION,     \
        (uint32_t)sizeof(struct ss_app), (version_text), ss_app_graphs, NULL};
// A graph is two arguments here, and a comma behind it one more, of nothing.
#define SS_APP_CHECK_(name, define, next, behind, ...)                         \
    SS_APP_ASSERT_(sizeof(#next) > 1 || sizeof(#behind) == 1,                  \
        "SS_APP takes no comma between two graphs: "                           \
        "SS_APP(SS_GRAPH(\"a\", a) SS_GRAPH(\"b\", b))");
#ifdef __cplusplus
#define SS_APP_ASSERT_ static_assert
#else
#define SS_APP_ASSERT_ _Static_assert
#endif
// SS_APP_BUILD(version, build): an application that builds its graphs itself.
#define SS_APP_BUILD(version_text, function)                                   \
    SS_APP_EXPORT const struct ss_app ss_app_descriptor = {SS_ABI_VERSION,     \
        (uint32_t)sizeof(struct ss_app), (version_text), NULL, (function)};
#ifdef __cplusplus
#define SS_APP_EXPORT                                                          \
    extern "C" __attribute__((visibility("default")))                          \
    const struct ss_app ss_app_descriptor;                                     \
    extern "C"
#else
#define SS_APP_EXPORT                                                          \
    extern const struct ss_app ss_app_descriptor;                              \
    __attribute__((visibility("default")))
#endif

// In a build function: define a graph. `ctx` is borrowed for the process' life.
// Returns 0, or -1 if the graph does not compile; the worker logs why.
int ss_app_graph(struct ss_app_builder *app, const char *name,
    ss_graph_ctx_fn *define, void *ctx);
// Say why the application cannot be built. Returns -1.
int ss_app_error(struct ss_app_builder *app, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// ---------------------------------------------------------------- state

// What a key holds. What a body writes to a key without reducer must be of its
// type, or the task fails ("invalid_update"); SS_ANY takes everything. Null is
// of every type, a whole number is a SS_FLOAT, too, and marks pass
// (ss_overwrite() and its like). Reducers refuse what they cannot put together.
// An input of another type is a warning in the run's answer.
enum ss_type { SS_ANY, SS_INT, SS_FLOAT, SS_STR, SS_BOOL, SS_LIST, SS_DICT };

// How a key combines several writes in one superstep. Without a reducer it
// keeps one value, and two writes to it in one superstep fail the run.
enum ss_reduce {
    SS_LAST, // no reducer
    SS_ADD,  // numbers add, text and lists concatenate
    SS_OR,   // objects merge, the later one wins
    SS_MAX,
    SS_MIN,
    SS_APPEND,       // each write is one more item
    SS_ADD_MESSAGES, // a conversation: merges by id
};

enum ss_kind {
    SS_KIND_DEFAULT, // what the reducer says
    SS_KIND_ANY_VALUE,
    SS_KIND_EPHEMERAL, // for one superstep
    SS_KIND_UNTRACKED, // never stored
    SS_KIND_TOPIC,     // a list of what was written
    SS_KIND_BARRIER,   // full when all `names` were written
    SS_KIND_DELTA,
};

// A reducer of your own: value (NULL: nothing yet) and the writes of one
// superstep in order -> the new value. Must be pure. It runs on a worker. Lends
// its arguments, gives its result; NULL fails the superstep.
typedef json_t *ss_reducer_fn(
    json_t *value, json_t *const *writes, size_t count, void *ctx);

struct ss_key_options {
    enum ss_reduce reducer;
    enum ss_kind kind;
    const char *managed;   // "is_last_step", "remaining_steps"
    const char *initial;   // JSON text: what it holds before any write
    ss_reducer_fn *reduce; // your own reducer
    void *reduce_ctx;
    bool unguarded;  // ephemeral, untracked: many writes, the last wins
    bool accumulate; // topic: keeps growing
    const char *const *names;   // barrier; ends with NULL
    int64_t snapshot_frequency; // delta
    char typed_;                // by ss_key(); not for you
};

// Definitions return nothing: the first mistake sticks, and the worker refuses
// to start with a message that names the graph and the key, node or edge.
// Everything that they are given is copied, except functions and their `ctx`.
void ss_key_with(struct ss_graph_def *graph, const char *key, enum ss_type type,
    const struct ss_key_options *options);
// ss_key(graph, "log", SS_LIST, .reducer = SS_ADD);
#define ss_key(graph, key, ...) SS_KEY_(graph, key, __VA_ARGS__, .typed_ = 1)
#define SS_KEY_(graph, key, type, ...)                                         \
    ss_key_with(                                                               \
        (graph), (key), (type), SS_OPTIONS_(ss_key_options, __VA_ARGS__))

// The keys that input sets and output shows; all of them if never called. Ends
// with NULL: ss_input_keys(graph, SS_ALL("question"));
void ss_input_keys(struct ss_graph_def *graph, const char *const *keys);
void ss_output_keys(struct ss_graph_def *graph, const char *const *keys);

// ---------------------------------------------------------------- nodes, edges

// A body. Returns 0 when it succeeded, what ss_fail() or ss_interrupt()
// returned, or any other non-zero value, which is a failure.
typedef int ss_node_fn(struct ss_task *task);
typedef int ss_router_fn(struct ss_route *route);

struct ss_retry_policy {
    int attempts_max; // LangGraph's max_attempts, the first try included; 0:
                      // its 3 if anything else is said here, else no retries
    int64_t initial_interval_ms; // 0: 500
    double backoff_factor;       // 0: 2.0
    int64_t max_interval_ms;     // 0: 128000
    bool no_jitter;
    const char *const
        *retry_on; // error kinds; NULL: errors that may be temporary
};

struct ss_node_options {
    struct ss_retry_policy retry;
    int64_t timeout_ms;         // of one attempt; 0: none
    int64_t idle_timeout_ms;    // without a sign of progress; 0: none
    bool heartbeat_only;        // idle: only ss_heartbeat() counts
    const char *const *reads;   // keys that it reads; NULL: all
    bool defer;                 // only when no edge leads on to another node;
                                // tasks that are sent do not hold it back
    bool cache;                 // remember results by input
    int64_t cache_ttl_ms;       // 0: for ever
    ss_node_fn *on_error;       // runs when it failed for good, in its place;
                                // from there no edge leads on, only ss_goto()
    const char *const *goes_to; // where its commands may go, for drawing
    const char *subgraph;       // ss_subgraph()'s name, in place of a body
    const char *const *labels;  // labels that its worker must have
    const char *metadata;       // JSON text
    void *ctx;                  // ss_ctx(task)
    char end_;
};

void ss_node_with(struct ss_graph_def *graph, const char *name,
    ss_node_fn *body, const struct ss_node_options *options);
// ss_node(graph, "shout", shout, .retry.attempts_max = 3, .timeout_ms = 5000);
#define ss_node(graph, name, ...) SS_NODE_(graph, name, __VA_ARGS__, .end_ = 0)
#define SS_NODE_(graph, name, body, ...)                                       \
    ss_node_with(                                                              \
        (graph), (name), (body), SS_OPTIONS_(ss_node_options, __VA_ARGS__))

// How many tasks may be out at once, or begin in a time (begun_max, per_ms),
// over all threads, runs and coordinators.
// Nodes that say the same name share a limit, also those of other graphs and
// versions; if they say different numbers the least holds, and an operator's
// (superstep limit) in place of all of them. A task that has to wait holds up
// no other one, and takes its turn as all do. What was lost with its worker
// counts no more, although its body may go on there.
// With .each the number is for each value of a key: of the state, as the task
// reads it, or "meta:KEY" of its run's metadata. Tasks without one count
// together.
struct ss_limit_options {
    size_t size_;      // by ss_limit(); not for you
    const char *name;  // NULL: of this node, or of this graph, alone
    int64_t tasks_max; // above 0; 0: a rate
    int64_t begun_max; // so many may begin
    int64_t per_ms;    // in any time as long as this, an hour at most
    const char *each;  // so many for each value of this key; NULL: together
};

// Of a node with a body, which was defined before. `node` NULL: of all nodes of
// the graph with a body, together. A task is held by all limits of its node and
// of its graph at once; a node, or a graph, may have four, each with a name of
// its own.
void ss_limit_with(struct ss_graph_def *graph, const char *node,
    const struct ss_limit_options *options);
// ss_limit(graph, "ask", .name = "openai", .tasks_max = 5);
// ss_limit(graph, "mail", .begun_max = 100, .per_ms = 60000);
// ss_limit(graph, "fetch", .tasks_max = 20);
// ss_limit(graph, "fetch", .name = "of one", .tasks_max = 2, .each = "user");
#define ss_limit(graph, node, ...)                                             \
    ss_limit_with((graph), (node),                                             \
        SS_OPTIONS_(ss_limit_options,                                          \
            .size_ = sizeof(struct ss_limit_options), __VA_ARGS__))

// From one node to the next; SS_START and SS_END are the ends.
void ss_edge(struct ss_graph_def *graph, const char *from, const char *to);
// A join: `to` runs when all of them have run. ss_join(graph, "report",
// SS_ALL("measure", "check"));
void ss_join(
    struct ss_graph_def *graph, const char *to, const char *const *from);

// Where to go after `from`: the router decides when `from` has run.
struct ss_branch_options {
    const char *name;         // default: "branch", then "branch2" ...
    const char *const *reads; // keys that the router sees; NULL: the node's
    const char *map;          // JSON text: {"answer": "node"} or ["node"...]
    void *ctx;
    char end_;
};

void ss_branch_with(struct ss_graph_def *graph, const char *from,
    ss_router_fn *router, const struct ss_branch_options *options);
#define ss_branch(graph, from, ...)                                            \
    SS_BRANCH_(graph, from, __VA_ARGS__, .end_ = 0)
#define SS_BRANCH_(graph, from, router, ...)                                   \
    ss_branch_with((graph), (from), (router),                                  \
        SS_OPTIONS_(ss_branch_options, __VA_ARGS__))

// A graph to be used as a node: ss_node(graph, "sub", NULL, .subgraph =
// "inner"). Of the keys that both have, it is given the values of the graph
// around it, and what it ends with is an update there. So a reducer that adds
// would add what was there once more: leave such a key out of ss_output_keys().
void ss_subgraph(struct ss_graph_def *graph, const char *name,
    ss_graph_ctx_fn *define, void *ctx);
// For a subgraph: true keeps its state between calls, false never stores it.
void ss_checkpointer(struct ss_graph_def *graph, bool keep);
// Breakpoints: node names, or "*". Ends with NULL.
void ss_interrupt_before(struct ss_graph_def *graph, const char *const *nodes);
void ss_interrupt_after(struct ss_graph_def *graph, const char *const *nodes);
// Defaults for all nodes that do not say otherwise.
void ss_defaults_with(
    struct ss_graph_def *graph, const struct ss_node_options *options);
#define ss_defaults(graph, ...)                                                \
    ss_defaults_with((graph), SS_OPTIONS_(ss_node_options, __VA_ARGS__))
// Refuse at start what would only cause a warning at run time.
void ss_strict(struct ss_graph_def *graph);
// Any part of a description at once (common/model/spec.h), for graphs that are
// data: lists ("state", "channels", "nodes", "edges", "branches") add to what
// is there, anything else is set. "kind" ("state", "raw") comes first. Takes.
void ss_describe(struct ss_graph_def *graph, const char *key, json_t *value);
// The body of a described node (its error handler: "__error_handler__NODE");
// the router of a described branch; the function of a described raw write, by
// its index; a described custom reducer.
void ss_bind_node(
    struct ss_graph_def *graph, const char *node, ss_node_fn *body, void *ctx);
void ss_bind_router(struct ss_graph_def *graph, const char *from,
    const char *branch, ss_router_fn *router, void *ctx);
// Lends `returned`, gives the value to write; NULL after ss_route_fail().
typedef json_t *ss_write_fn(struct ss_route *route, json_t *returned);
void ss_bind_write(struct ss_graph_def *graph, const char *node, size_t write,
    ss_write_fn *function, void *ctx);
void ss_bind_reducer(struct ss_graph_def *graph, const char *key,
    ss_reducer_fn *reduce, void *ctx);

// ---------------------------------------------------------------- in a node

// The input: an object of the keys it reads, or what a send gave it. Lent.
json_t *ss_input(struct ss_task *task);
// Parts of an object input; NULL, 0, false where there is none. Of a large
// input only the part that is asked for is decoded.
json_t *ss_input_get(struct ss_task *task, const char *key);
const char *ss_input_str(struct ss_task *task, const char *key);
int64_t ss_input_int(struct ss_task *task, const char *key);
double ss_input_float(struct ss_task *task, const char *key); // of any number
bool ss_input_bool(struct ss_task *task, const char *key);

// Values that are no JSON: what an import from LangGraph, or a worker in
// Python, put into the state as an object of a class, and what C could not
// write as it is. They go through nodes like any value; these read them, from
// wherever they stand (ss_input_get(), ss_state_get(), an item of a list).
//
// Whether it is of the class, as "decimal.Decimal", "builtins.set", "bytes".
bool ss_typed_is(const json_t *value, const char *class_name);
// A date and time: microseconds since 1970, without a zone taken as UTC; a
// date: its first; a time of day: since midnight; a timedelta: how long it is.
// False: it is none of them.
bool ss_typed_time(const json_t *value, int64_t *ret_us);
// As 12345678-1234-5678-1234-567812345678, with a NUL behind it.
bool ss_typed_uuid(const json_t *value, char ret_text[37]);
// What a Decimal, an address, a path, an enum of texts holds; a text itself.
// NULL: no text. Lent.
const char *ss_typed_text(const json_t *value);
// The items of a set, a frozenset or a deque; a list itself. NULL: none. Lent.
json_t *ss_typed_list(const json_t *value);
// What any object holds: the fields of a record or a model, the value of an
// enum; a value that is no object of a class itself. Lent.
json_t *ss_typed_inside(const json_t *value);
// The bytes of a bytes or a bytearray, with a NUL behind them. NULL: it is
// none. Gives: free().
void *ss_typed_bytes(const json_t *value, size_t *ret_size);

// Update the state: an object key -> value. Takes. Keys that the state does not
// have are dropped. May be called several times; each call counts. Nothing is
// applied before the body has returned 0. Returns 0, so that `return
// ss_update(...)` reads well.
int ss_update(struct ss_task *task, json_t *update);
// One key of an update; the compiler checks the value, as json_pack() cannot.
// Calls of different keys one after the other are one update. A text that is
// NULL or not UTF-8, a number that is not finite and a NULL key fail the task.
// They return 0, or SS_FAILED.
int ss_set_int(struct ss_task *task, const char *key, int64_t value);
int ss_set_float(struct ss_task *task, const char *key, double value);
int ss_set_bool(struct ss_task *task, const char *key, bool value);
int ss_set_str(struct ss_task *task, const char *key, const char *value);
// A text as printf() makes it.
int ss_set_text(struct ss_task *task, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int ss_set_json(struct ss_task *task, const char *key, json_t *value); // takes
// {"__overwrite__": value}: replaces the value that a reducer has built up.
// Takes, gives.
json_t *ss_overwrite(json_t *value);
// One more task, in the next superstep, of `node` with this input. Takes.
int ss_send_to(struct ss_task *task, const char *node, json_t *input);
// Go to `node` next, besides what the edges say.
int ss_goto(struct ss_task *task, const char *node);
// Leave this graph for the one around it: update it and go to one of its nodes,
// besides where the edges of this graph's own node lead. Takes `update` (may be
// NULL); `node` may be NULL.
int ss_parent(struct ss_task *task, json_t *update, const char *node);
// Return any value as it is, as if the body were a function (graphs that are
// data; marks as common/model/writers.h says). Takes. Together with other calls
// it is one item of the list that the body returns.
int ss_return(struct ss_task *task, json_t *value);

// Something for those who stream "custom", at once. Takes. Costs next to
// nothing where nobody listens. Returns 0.
int ss_emit(struct ss_task *task, json_t *item);
// A chunk of a message for those who stream "messages". Takes. Whole messages
// need no call: each object with "type" and "content" that an update holds,
// itself or in a list, is streamed when the body has returned, with its "id"
// or, where it has none, one that is made up. Returns 0.
int ss_emit_message(struct ss_task *task, json_t *chunk);

enum { SS_INTERRUPTED = -1001, SS_FAILED = -1002 };
// Ask a person. The first time: returns SS_INTERRUPTED, and the body returns
// that. When the answer is there the body runs again from its beginning, and
// the call gives it (lent) and returns 0. Takes `question`. The code before the
// call runs again: keep it free of effects, and ask in the same order.
int ss_interrupt(struct ss_task *task, json_t *question,
    json_t **ret_answer) SS_MUST_RETURN_;
// The same, and a JSON Schema of the answer. It is shown. With `check` its
// "type" is enforced ("integer", "number", "string", "boolean"): "5" is
// converted to 5, and for an answer that does not fit it returns SS_FAILED; the
// body returns that, the task fails without a retry, and the question can be
// answered again. Takes `question` and `schema`.
int ss_interrupt_schema(struct ss_task *task, json_t *question, json_t *schema,
    bool check, json_t **ret_answer) SS_MUST_RETURN_;

// Fail. The kind is yours ("rate_limited", or NULL); retry policies may name
// it. ss_fail: may be retried. ss_fail_final: never is. The first failure
// sticks, whatever the body returns afterwards. Returns SS_FAILED.
int ss_fail(struct ss_task *task, const char *kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int ss_fail_final(struct ss_task *task, const char *kind, const char *format,
    ...) __attribute__((format(printf, 3, 4)));

// Ask the run to stop before its next superstep; it can go on later.
void ss_drain(struct ss_task *task, const char *reason);

// In an error handler: what failed. {"node", "code", "message"}. Lent.
json_t *ss_error(struct ss_task *task);

// A sign of life for idle timeouts. Returns false when the body should stop:
// its attempt was cancelled or timed out, and nobody waits for its result. A
// body is never stopped by force; one that goes on keeps its thread. A worker
// whose threads are all kept so takes no tasks until one is free.
bool ss_heartbeat(struct ss_task *task);
bool ss_cancelled(struct ss_task *task);
// Milliseconds until this attempt times out; INT64_MAX: never.
int64_t ss_deadline_ms(struct ss_task *task);
unsigned ss_attempt_number(struct ss_task *task); // 1, 2, ...
int64_t ss_step(struct ss_task *task);
const char *ss_thread_id(struct ss_task *task);
const char *ss_run_id(struct ss_task *task);
const char *ss_task_id(struct ss_task *task);
const char *ss_node_name(struct ss_task *task);
// The same in all attempts of this task: for idempotent calls to other
// services.
const char *ss_idempotency_key(struct ss_task *task);
json_t *ss_config(struct ss_task *task);  // of the run; lent; may be NULL
json_t *ss_context(struct ss_task *task); // of the run; lent; may be NULL
void *ss_ctx(struct ss_task *task);       // .ctx of the node's options
// A line in the worker's log, with the node, thread, task and attempt.
void ss_log(struct ss_task *task, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// ---------------------------------------------------------------- in a router

// A router returns 0, what ss_route_fail() returned, or another non-zero value,
// which fails the task. A router that chose nothing leads nowhere. Routers may
// run again; they must have no effects.

// The state as it will be after this task alone. Lent.
json_t *ss_state(struct ss_route *route);
// Parts of it; NULL, 0, false where there is none.
json_t *ss_state_get(struct ss_route *route, const char *key);
const char *ss_state_str(struct ss_route *route, const char *key);
int64_t ss_state_int(struct ss_route *route, const char *key);
double ss_state_float(struct ss_route *route, const char *key);
bool ss_state_bool(struct ss_route *route, const char *key);
// Run `node` next (with a .map: what it maps to). SS_END: nothing. May be
// called several times.
int ss_route_to(struct ss_route *route, const char *node);
// One task of `node` with this input: fan out. Takes.
int ss_route_send(struct ss_route *route, const char *node, json_t *input);
// Answer with any value (a name, a list, marks). Takes.
int ss_route_return(struct ss_route *route, json_t *answer);
// Fail the task: nothing of it is applied. Returns SS_FAILED.
int ss_route_fail(struct ss_route *route, const char *kind, const char *format,
    ...) __attribute__((format(printf, 3, 4)));
void *ss_route_ctx(struct ss_route *route);

// ---------------------------------------------------------------- own main()

// A worker with its application linked in: int main(int argc, char **argv)
// { return ss_worker_main(argc, argv, &app); }
int ss_worker_main(int argc, char **argv, const struct ss_app *app);

#ifdef __cplusplus
}
#endif

#endif
