// shell.h - a coordinator as a process: link, store and time around the engine.
//
//     workers, clients                                  the disk
//          |  link (ZeroMQ)                                |  store actors
//          v                                               v
//     what came ------------> core (core/core.h) <------- what was done
//                               |   |   |
//             messages <--------+   |   +--------> jobs
//                                   v
//                              lines of the log
//
// The shell decides nothing and translates nothing: it polls, sends, submits
// and logs. Events that are ready are fed before the time; the engine holds
// back what must be durable first. A store that fails stops the coordinator: it
// never goes on without durability, and what it had acknowledged is on disk.
#ifndef SS_COORDINATOR_SHELL_H
#define SS_COORDINATOR_SHELL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/link/rate_limit.h"

enum {
    // Workers send a PING each second: by then they know of a restart.
    SS_COORDINATOR_ADOPT_MS = 1000,
};

struct ss_coordinator;
struct ss_store;

// A member that is 0 or NULL has its default from config.def.
struct ss_coordinator_options {
    const char *listen;      // endpoint of common/link/link.h
    const char *store;       // URL of coordinator/store/store.h
    struct ss_store *opened; // in place of `store`: one that is open. Taken.
    // The name among coordinators of one database; NULL: its endpoint. A
    // coordinator that comes back under its name has its shards at once.
    const char *name;
    int64_t lease_ms;
    int64_t heartbeat_ms;
    int64_t crashes_max;
    bool logs_failures; // of each run, with its message
    // Of a store that several coordinators share:
    const char *advertise;     // where others find it; NULL: as it is bound
    int64_t cluster_lease_ms;  // its own lease
    int64_t store_connections; // that append; 0: the default
    int64_t drain_ms;          // how long a stop waits for running tasks
    const char *keys;          // common/link/keys.h; NULL, "": none
    bool is_insecure;          // listen beyond loopback without keys
    struct ss_rate_limit_settings limits; // what peers may take
    // Where numbers are served (common/app/metrics_server.h); NULL, "":
    // nowhere.
    const char *metrics;
    // ss_coordinator_open(): called on its thread before the store is asked for
    // something (`what` continues "it is to"), and with NULL once the store has
    // answered everything. NULL: none.
    void (*asks)(void *ctx, const char *what);
    // The same while it is asked: why it failed, and is asked again. NULL:
    // none.
    void (*asks_again)(void *ctx, const char *why);
    void *asks_ctx;
    json_t
        *settings; // for `show config`: ss_settings_json(); borrowed; or NULL
    // How many members of the cluster start together, this one among them: none
    // takes at first what another one is to have. 0: this one alone.
    unsigned members;
    // ss_coordinator_run(): called once when link and store are open. NULL:
    // none.
    void (*open)(void *ctx, struct ss_coordinator *coordinator);
    void *open_ctx;
    // ss_coordinator_run(): called once when it listens. NULL: none.
    void (*ready)(void *ctx, struct ss_coordinator *coordinator);
    void *ready_ctx;
};

// Open link and store, take a new epoch (durable), find unfinished runs. Gives.
// Errors: what ss_link_open() and ss_store_open() say; SS_EINVAL.
int ss_coordinator_open(const struct ss_coordinator_options *options,
    struct ss_coordinator **ret_coordinator,
    struct ss_error *error) SS_MUST_USE;
// Wait until there is something to do, or `extra_fd` (-1: none) is readable, at
// most `timeout_ms` (-1: no limit), and do it. An error: the store failed; only
// ss_coordinator_close() may follow.
int ss_coordinator_step(struct ss_coordinator *shell, int extra_fd,
    int timeout_ms, struct ss_error *error) SS_MUST_USE;
// Jobs that were given to the store are still finished.
void ss_coordinator_close(struct ss_coordinator **coordinator);

// As bound, and for people: "sqlite superstep.db". Borrowed.
const char *ss_coordinator_endpoint(const struct ss_coordinator *coordinator);
const char *ss_coordinator_store(const struct ss_coordinator *coordinator);

// Open, wait for the first shards, step until SIGTERM or SIGINT (also while it
// waits: then it is never `ready`), drain, close. Draining sends no more
// tasks, waits for those that run (drain_ms at most), and hands all shards to
// the other coordinators; a second signal cuts it short. SS_OK: asked to stop.
// SS_EFENCED: another coordinator has taken over. Another error before `ready`
// was called is one of opening, else one of the store.
//
// A store that does not answer is reported. It delays a start that is asked to
// stop by SS_STORE_SILENT_MS, and a stop by the time of draining and leaving
// (SS_LEAVE_MS), not longer: *ret_has_ended is false then, threads still wait
// for that store, and nothing but _exit() may follow. SS_ETIMEOUT: asked to
// stop, and that was all that went wrong.
int ss_coordinator_run(const struct ss_coordinator_options *options,
    bool *ret_has_ended, struct ss_error *error) SS_MUST_USE;

#endif
