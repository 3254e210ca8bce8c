// client.h - ask a coordinator: run graphs, follow them, look at their state.
//
//     #include <superstep/client.h>
//
//     struct ss_client_error error;
//     struct ss_client *client;
//     json_t *answer;
//     if (ss_client_open(NULL, &client, &error) != 0 ||
//         ss_client_run(client, "hello",
//             &(struct ss_client_run){.thread = "demo",
//                 .input = json_pack("{s:s}", "name", "Ada")},
//             &answer, &error) != 0)
//         errx(1, "%s", error.message);
//     puts(json_string_value(json_object_get(answer, "status"))); // "done"
//     json_decref(answer);
//     ss_client_close(&client);
//
// Build it:  cc program.c $(pkg-config --cflags --libs superstep)
//
// What is promised: a run that was accepted is never lost, also when this
// process, the coordinator or workers die. While a client waits, it survives a
// coordinator that goes away and comes back: it asks again, attaches to its run
// after the last event it saw, and the caller's listener sees each durable
// event once, and each item of a running attempt once. What cannot be asked
// twice without harm (an update, a copy) is not, unless it has a "key" of the
// caller's own (requests.md); without one the error says that it may or may not
// have been carried out. One of several coordinators is enough: it names the
// others, and requests for a thread that another one has go there.
//
// Values are jansson's json_t. Functions that *take* a json_t take its
// reference, also when they fail; what they *give* the caller frees with
// json_decref(). Every function returns 0, or a negative number after filling
// `ret_error` (which may be NULL); out parameters are untouched on failure.
// A client is not for two threads at once; a process may have many clients.
//
// The words of requests and answers are in docs/reference/requests.md.
#ifndef SUPERSTEP_CLIENT_H
#define SUPERSTEP_CLIENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
// Options have the name of their function, which some compilers warn of.
#pragma GCC system_header
extern "C" {
#endif

// Where a coordinator listens by default.
#define SS_CLIENT_ENDPOINT    "tcp://127.0.0.1:7433"
// The environment variable for another endpoint.
#define SS_CLIENT_ENVIRONMENT "SUPERSTEP_COORDINATOR"
// Requests of one client under way at once, by default.
#define SS_CLIENT_REQUESTS    1024

// What went wrong. `code` is a stable name to compare: "not_found",
// "invalid_argument", "recursion_limit" ... (common/base/status.def has them
// all); "closed" where no coordinator answers. `message` is for people.
struct ss_client_error {
    char code[32];
    char message[1024];
};

// ------------------------------------------------------------------ connection

struct ss_client;

// Zero bytes are the defaults.
struct ss_client_options {
    // One endpoint or several, comma between them: "tcp://a:7433,tcp://b:7433".
    // Other coordinators of theirs are found by themselves.
    // NULL: the environment variable, else SS_CLIENT_ENDPOINT.
    const char *endpoints;
    // A folder of keys (operator.key or client.key, and coordinator.pub), or
    // the file of one. NULL: the environment variable SUPERSTEP_KEYS, else
    // none.
    const char *keys;
    // How long to wait for a first answer from any coordinator before requests
    // fail. 0: 1500.
    int64_t connect_ms;
    // How long a coordinator that was there may be away before requests fail.
    // One that waits for its store is not away. 0: 60000.
    int64_t patience_ms;
    // Requests under way at once, so that a loop that forgets its answers
    // shows: one more fails with "limit_exceeded". A gateway, which has many
    // callers, raises it. 0: SS_CLIENT_REQUESTS.
    size_t requests_max;
};

// Nothing is sent yet: whether a coordinator is there shows with the first
// request. `options` may be NULL. "invalid_argument": a text that is not an
// endpoint. "not_found", "malformed", "denied": the keys.
int ss_client_open(const struct ss_client_options *options,
    struct ss_client **ret_client, struct ss_client_error *ret_error);
// Drops all requests under way (runs go on). Sets *client to NULL; a NULL there
// is fine.
void ss_client_close(struct ss_client **client);
// The endpoint that is asked first. Lent until the next call.
const char *ss_client_endpoint(const struct ss_client *client);

// Why an answer does not come, as far as the coordinator knows: its store does
// not answer, it has no lease; or that none answers. Called from
// ss_client_wait(), ss_client_step() and what waits, after about a second of
// silence, and now and then while that lasts; `why` is lent. NULL: what was
// reported is over. The request goes on. May not step the client or wait.
// `tell` NULL: nobody listens, which is so at first.
typedef void ss_client_wait_fn(void *ctx, const char *why);
void ss_client_on_wait(
    struct ss_client *client, ss_client_wait_fn *tell, void *ctx);

// --------------------------------------------------------------------- asking

// Something before the final answer: first {"run", "thread", "accepted": true},
// with "warnings" where it was there already and begun with another input, when
// the run is durable, then {"seq", "mode", "ns", "data"} for each event.
// The item is lent. May start and drop calls of this client, must not step it
// or wait.
typedef void ss_client_item_fn(void *ctx, const json_t *item);

// Any request: `op` and `body` (taken; NULL: {}) as requests.md says, and wait
// for its final answer, which is given. An answer {"error": ...} to a request
// is an error here. A failed run is not an error: its answer has "status":
// "failed" and says why. `timeout_ms` 0: as long as it takes. "timeout" after
// that: the request is dropped, what it began goes on.
struct ss_client_ask {
    int64_t timeout_ms;
    ss_client_item_fn *on_item; // or NULL
    void *ctx;
};
int ss_client_ask(struct ss_client *client, const char *op, json_t *body,
    const struct ss_client_ask *options, json_t **ret_answer,
    struct ss_client_error *ret_error);

// --------------------------------------------------------------------- polling

// The same without waiting, for programs with a loop of their own:
//
//     call = ss_client_start(client, "run", body, NULL);
//     while (!ss_client_call_is_done(call)) {
//         poll ss_client_fd(client) for reading, at most
//             ss_client_timeout_ms(client);
//         ss_client_step(client);
//     }
//     status = ss_client_call_finish(&call, &answer, &error);
//
// Ask for fd and timeout before each poll: they change. The descriptor is
// edge-triggered, so step whenever poll returns, also when time is over.
struct ss_client_call;

// Never fails: an error is the outcome of the call. Takes `body`; copies the
// options (NULL: none). Gives a call, to be finished or dropped.
struct ss_client_call *ss_client_start(struct ss_client *client, const char *op,
    json_t *body, const struct ss_client_ask *options);
// Handle what has come in, without waiting: listeners are called from here.
void ss_client_step(struct ss_client *client);
int ss_client_fd(const struct ss_client *client);
// Until when to step at the latest; -1: no hurry.
int ss_client_timeout_ms(const struct ss_client *client);
// Wait until something came in or time is over, then step. At most `timeout_ms`
// (-1: no limit), or until `extra_fd` (-1: none) can be read: true then.
bool ss_client_wait(struct ss_client *client, int extra_fd, int timeout_ms);
bool ss_client_call_is_done(const struct ss_client_call *call);
// The outcome of a call that is done. Frees the call and sets *call to NULL;
// gives the answer.
int ss_client_call_finish(struct ss_client_call **call, json_t **ret_answer,
    struct ss_client_error *ret_error);
// Drop a call. A run that was asked for goes on. Sets *call to NULL; a NULL
// there is fine.
void ss_client_call_drop(struct ss_client_call **call);

// All functions below wait for the answer: as long as a coordinator is there,
// and for patience_ms once none is any more. "invalid_argument": a text that is
// not UTF-8, or a `more` that is not an object; nothing was sent.

// ------------------------------------------------------------------------ runs

// A run (requests.md, "run"). Zero bytes: go on with a thread as it is.
struct ss_client_run {
    const char *thread; // NULL: a new one, named in the answer
    json_t *input;      // taken; NULL: none
    json_t *resume;     // taken; the answer to an interrupt, or {id: answer}
    json_t *command;    // taken; {"update"?, "resume"?, "goto"?}
    const char *checkpoint_id; // time travel: go on from there
    const char *stream;        // modes, comma between: "values,updates"
    bool subgraphs;            // events of inner graphs too
    // The run's name, an idempotency key: asking twice with the same name on
    // one thread makes one run. NULL: made up.
    const char *run;
    // Where a run is under way on the thread: "reject" (the default), "enqueue"
    // behind it, "interrupt" (cancel it), "rollback" (and take back what it
    // did).
    const char *if_busy;
    bool detach; // answer when the run is durable, do not wait for its end
    // Taken; said of the thread in the commit that makes the run known, laid
    // over what is said of it: {"metadata": {...}, ...}. NULL: nothing.
    json_t *facts;
    json_t *more;       // taken; any other option, as an object
    int64_t timeout_ms; // 0: as long as it takes
    ss_client_item_fn *on_item;
    void *ctx;
};
// The final answer: {"run", "thread", "status", "output", "interrupts", ...}. A
// checkpoint that is not there is refused: ss_client_look() is called first.
int ss_client_run(struct ss_client *client, const char *graph,
    const struct ss_client_run *run, json_t **ret_answer,
    struct ss_client_error *ret_error);
// The body of that request, for ss_client_start(). Takes what `run` says it
// takes. Gives; NULL: a text of it is not UTF-8, or `more` is not an object.
json_t *ss_client_run_body(const char *graph, const struct ss_client_run *run);
// Check that the checkpoint that `body` (of a run or an update) names is there,
// as ss_client_run() does first. Without this check the request would begin
// from an empty state, as in LangGraph, and a mistyped id would hide the state.
// "not_found": it is not there. Returns 0 as well where no checkpoint is named,
// or where the run is known already: its own end is the answer then.
int ss_client_look(struct ss_client *client, const json_t *body,
    struct ss_client_error *ret_error);

// Follow a run that is under way, or fetch how it ended. `after`: the "seq" of
// the last event that was seen, or NULL.
struct ss_client_attach {
    const char *stream;
    bool subgraphs;
    const char *after;
    int64_t timeout_ms;
    ss_client_item_fn *on_item;
    void *ctx;
};
int ss_client_attach(struct ss_client *client, const char *run,
    const struct ss_client_attach *options, json_t **ret_answer,
    struct ss_client_error *ret_error);
// End a run, wherever it is: what its finished supersteps wrote is kept, or
// with `rollback` taken back, and then nobody finds the run any more. Gives its
// status, a text: "cancelled", or how it had ended before (ret_status may be
// NULL).
int ss_client_cancel(struct ss_client *client, const char *run, bool rollback,
    json_t **ret_status, struct ss_client_error *ret_error);
// A run that is quarantined, because it ended its coordinator each time it went
// on, goes on once more.
int ss_client_release(struct ss_client *client, const char *run,
    struct ss_client_error *ret_error);
// The same three for the run of that name on `thread` (NULL: as above). A run
// is named by its thread and its own name: where several threads have a run of
// one name, the name alone is refused ("ambiguous").
int ss_client_attach_on(struct ss_client *client, const char *thread,
    const char *run, const struct ss_client_attach *options,
    json_t **ret_answer, struct ss_client_error *ret_error);
int ss_client_cancel_on(struct ss_client *client, const char *thread,
    const char *run, bool rollback, json_t **ret_status,
    struct ss_client_error *ret_error);
int ss_client_release_on(struct ss_client *client, const char *thread,
    const char *run, struct ss_client_error *ret_error);

// --------------------------------------------------------------------- threads

// `more` (taken, may be NULL) holds the optional words of a request; the result
// is the value of the answer's one key, and is given.

// A snapshot. more: graph, checkpoint_id, checkpoint_ns, subgraphs.
int ss_client_state(struct ss_client *client, const char *thread, json_t *more,
    json_t **ret_state, struct ss_client_error *ret_error);
// Snapshots, newest first. more: graph, checkpoint_ns, limit, before, filter.
int ss_client_history(struct ss_client *client, const char *thread,
    json_t *more, json_t **ret_history, struct ss_client_error *ret_error);
// Write as if a node had. Gives the new checkpoint's config.
struct ss_client_update {
    json_t *values;      // taken
    const char *as_node; // NULL: inferred
    json_t *more;        // taken; graph, checkpoint_id, checkpoint_ns
};
int ss_client_update(struct ss_client *client, const char *thread,
    const struct ss_client_update *update, json_t **ret_config,
    struct ss_client_error *ret_error);
// Several supersteps of several such updates; takes [[{values,
// as_node}...]...].
int ss_client_bulk_update(struct ss_client *client, const char *thread,
    json_t *supersteps, json_t *more, json_t **ret_config,
    struct ss_client_error *ret_error);
// All checkpoints, oldest first, with versions and pending writes: an export.
int ss_client_checkpoints(struct ss_client *client, const char *thread,
    json_t **ret_checkpoints, struct ss_client_error *ret_error);
// The rows of its journal. more: from, limit.
int ss_client_journal(struct ss_client *client, const char *thread,
    json_t *more, json_t **ret_rows, struct ss_client_error *ret_error);
int ss_client_copy(struct ss_client *client, const char *thread, const char *to,
    int64_t *ret_rows, struct ss_client_error *ret_error);
// With it go the names of its runs: a request for a run that is under way
// meanwhile, and asks again behind it, begins a new run of that name.
int ss_client_delete(struct ss_client *client, const char *thread,
    int64_t *ret_rows, struct ss_client_error *ret_error);
int ss_client_prune(struct ss_client *client, const char *thread,
    int64_t *ret_rows, struct ss_client_error *ret_error);

// ----------------------------------------------------------------------- lists

// A page of threads: the next page begins behind the "thread" of the last item.
// A page may hold fewer than `limit` although others follow: only an empty page
// is the end. more: limit, after.
int ss_client_threads(struct ss_client *client, json_t *more,
    json_t **ret_threads, struct ss_client_error *ret_error);
// The same for runs: the next page begins behind the "key" of the last item.
// more: thread, limit, after. With graph, status or age_ms in it a page may be
// empty although others follow: ss_client_ask() shows "next", where they begin.
int ss_client_runs(struct ss_client *client, json_t *more, json_t **ret_runs,
    struct ss_client_error *ret_error);
int ss_client_graphs(struct ss_client *client, json_t **ret_graphs,
    struct ss_client_error *ret_error);
int ss_client_workers(struct ss_client *client, json_t **ret_workers,
    struct ss_client_error *ret_error);
// Mermaid. more: xray, styles. Gives text, to be freed with free().
int ss_client_draw(struct ss_client *client, const char *graph, json_t *more,
    char **ret_mermaid, struct ss_client_error *ret_error);

#ifdef __cplusplus
}
#endif

#endif
