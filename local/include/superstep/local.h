// local.h - run graphs in your own process: no coordinator, no worker, no
// socket.
//
//     #include <superstep/local.h>
//
//     extern const struct ss_app ss_app_descriptor; // of SS_APP(...)
//
//     struct ss_local_error error;
//     struct ss_local *local;
//     json_t *answer;
//     if (ss_local_open(&(struct ss_local_options){.app = &ss_app_descriptor},
//             &local, &error) != 0 ||
//         ss_local_ask(local, "run",
//             json_pack("{s:s, s:s, s:{s:s}}", "graph", "hello",
//                 "thread", "demo", "input", "name", "Ada"),
//             NULL, &answer, &error) != 0)
//         errx(1, "%s", error.message);
//     puts(json_string_value(json_object_get(answer, "status"))); // "done"
//
// The same engine, the same store formats, the same requests and answers as
// with a coordinator and workers (docs/reference/requests.md): a thread that
// was begun here can go on there. There is one more: "resume", {"thread",
// "value", ...}, is the "run" that answers what a run asked, with the other
// keys of a run.
//
// Nodes are called one after the other, on the thread that asks, in the order
// in which the engine hands them out; what they emit is shown when they return.
// A body that exceeds its time is not stopped, but a result that comes late
// counts as a timeout. With `threads` they run side by side, and must be fit
// for that: what they emit is shown at once, and a body that exceeds its time
// has failed then, and is told to stop (ss_cancelled()). What comes of a
// superstep does not hang on who ends first: updates are made in the order of
// the tasks.
//
// Everything happens within a call of ss_local_ask(), which returns when the
// answer is final; only bodies that began may go on meanwhile. A program that
// ends in the middle loses nothing that its store holds: the next
// ss_local_open() goes on with the runs found there, at the first
// ss_local_ask().
//
// Values are jansson's json_t. *Takes*: the reference, also on failure.
// *Gives*: json_decref() it. A local runner is for one thread at a time; a
// process may have many.
#ifndef SUPERSTEP_LOCAL_H
#define SUPERSTEP_LOCAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include <superstep/superstep.h>

#ifdef __cplusplus
extern "C" {
#endif

// What went wrong: a stable name to compare ("not_found", "invalid_argument",
// ...; common/base/status.def has them all), and a message for people.
struct ss_local_error {
    char code[32];
    char message[1024];
};

// As many as a worker process may have.
#define SS_LOCAL_THREADS_MAX 1024

// Zero bytes are the defaults.
struct ss_local_options {
    const struct ss_app *app; // whose graphs run; NULL: none, state alone
    const char *app_arg;      // what the application's build function gets
    // "memory:" (the default), "sqlite:FILE", or "postgres://...", which no
    // coordinator may use at the same time.
    const char *store;
    // Waiting (for retries) takes no time: the clock jumps. For tests.
    bool skip_waiting;
    uint64_t seed; // for the random parts of ids; 0: a new one each time
    // Bodies that run side by side, at most SS_LOCAL_THREADS_MAX. 0: none do.
    unsigned threads;
};

struct ss_local;

// Errors: what the application's definition says ("invalid_argument",
// "version_mismatch"), or the store ("busy", "io_error", "corrupt", ...).
int ss_local_open(const struct ss_local_options *options,
    struct ss_local **ret_local, struct ss_local_error *ret_error);
// Tells bodies that run to stop, and waits until they return. Sets *local to
// NULL; a NULL there is fine.
void ss_local_close(struct ss_local **local);

// Something before the final answer: {"run", "thread", "accepted": true}, then
// {"seq", "mode", "ns", "data"} for each event. Lent. May not ask.
typedef void ss_local_item_fn(void *ctx, const json_t *item);

struct ss_local_listener {
    ss_local_item_fn *on_item;
    void *ctx;
};

// Any request: `op` and `body` (taken; NULL: {}). Gives the final answer. An
// answer {"error": ...} is returned as an error; a failed run is not an error:
// its answer has "status": "failed" and says why. `listener` may be NULL.
int ss_local_ask(struct ss_local *local, const char *op, json_t *body,
    const struct ss_local_listener *listener, json_t **ret_answer,
    struct ss_local_error *ret_error);

#ifdef __cplusplus
}
#endif

#endif
