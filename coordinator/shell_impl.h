// shell_impl.h - what the files of the shell share.
#ifndef SS_COORDINATOR_SHELL_IMPL_H
#define SS_COORDINATOR_SHELL_IMPL_H

#include "common/app/log.h"
#include "common/app/log_limit.h"
#include "common/app/metrics_server.h"
#include "common/link/link.h"
#include "coordinator/core/core.h"
#include "coordinator/lease_keeper.h"
#include "coordinator/shell.h"
#include "coordinator/store/store_actors.h"

// A turn waits for all that append, for leases, lists and signals.
enum { SS_SHELL_FDS_MAX = SS_STORE_ACTORS_MAX + 3 };
_Static_assert((int)SS_SHELL_FDS_MAX <= (int)SS_LINK_WAIT_MAX, "it can");

// Whether the store answers (watch.c).
struct ss_shell_watch {
    int64_t since_ms;         // since when it does not; 0: it does
    int64_t lasted_ms;        // how long it did not, the last time
    int64_t told_ms;          // in the log, last
    int64_t look_at_ms;       // next
    bool is_away;             // it says so itself
    char text[SS_ERROR_SIZE]; // while it does not
    char slow[SS_ERROR_SIZE]; // why it is slow, and
    char lost[SS_ERROR_SIZE]; // what comes of it
};

struct ss_coordinator {
    struct ss_link *link;
    struct ss_store_actors *actors;
    struct ss_store_actor *leases;  // NULL: the store is ours alone
    struct ss_lease_keeper *keeper; // of them; the same
    struct ss_store_actor *reader;  // lists come by it, so that no commit waits
                                    // behind one; NULL: by `actors`
    struct ss_core *core;
    char *store_name; // for people
    char *store_url;  // as it was opened: not for people
    char *name;       // among coordinators
    char *place;      // where others find it
    uint64_t epoch;
    bool is_after_crash; // alone: the coordinator before did not stop as asked
    bool is_opening;     // alone: it reads its store, and takes no messages yet
    bool is_leaving;     // it was asked to stop
    bool is_listening;   // it has its first shards, or waits no longer for them
    int64_t lease_ms, heartbeat_ms, drain_ms;
    bool is_measured;                  // its numbers may be asked for
    struct ss_metrics_server *metrics; // that answers; NULL: none
    int64_t measured_ms;               // when they were taken last
    int64_t measure_at_ms;             // and are due
    int64_t stop_by_ms; // a stop waits no longer than this for the store
    struct ss_shell_watch watch;
    struct ss_log_limit complaints; // faults of peers that were logged
};

// shell.c: feed one event of the core, and carry out what it asks for.
void ss_shell_feed(struct ss_coordinator *shell, struct ss_core_event *event);

// The same for a job that is done. Takes `job`.
void ss_shell_take_job(struct ss_coordinator *shell, struct ss_job *job);

// leases.c: the lane of leases. Submit (takes `job`); take what is done; rest:
// renew no more by ourselves (true: none of these is out any more).
int ss_shell_leases_start(
    struct ss_coordinator *shell, struct ss_error *error) SS_MUST_USE;
void ss_shell_leases_submit(struct ss_coordinator *shell, struct ss_job *job);
void ss_shell_leases_take(struct ss_coordinator *shell);
bool ss_shell_leases_rest(const struct ss_coordinator *shell);

// lists.c: open what lists are read by; hand it a job (taken), if it is one
// (false: it is not); take those that were read.
int ss_shell_open_lists(struct ss_coordinator *shell,
    const struct ss_coordinator_options *options, struct ss_error *error);
bool ss_shell_list(struct ss_coordinator *shell, struct ss_job *job);
void ss_shell_lists_take(struct ss_coordinator *shell);

// watch.c: what is news of the store whose longest wait (NULL: nobody waits) is
// this one now.
enum ss_watch_news { SS_WATCH_NOTHING, SS_WATCH_SILENT, SS_WATCH_ANSWERS };
enum ss_watch_news ss_watch_see(struct ss_shell_watch *watch,
    const struct ss_store_wait *wait, int64_t now_ms);
// Whether the store answers, at each turn; when to look again; since when it
// does not and why (NULL: it answers).
void ss_watch_turn(struct ss_coordinator *shell);
int64_t ss_watch_wake_at_ms(const struct ss_coordinator *shell);
const char *ss_watch_trouble(const struct ss_coordinator *shell);
// How slow it is where it answers, but late; NULL: it is not.
const char *ss_watch_slow(struct ss_coordinator *shell);
// The same, of a store that says itself that it fails. NULL: it does not.
const char *ss_watch_away(const struct ss_coordinator *shell);
// The last wait, until `stop_by_ms`. False: the store has not answered, and
// *ret_error says what was not handed over.
bool ss_watch_finish(
    struct ss_coordinator *shell, struct ss_error *ret_error) SS_MUST_USE;

// metrics.c: the numbers, at the end of a turn, and of a job that is done.
void ss_shell_measure(struct ss_coordinator *shell);
void ss_shell_measure_job(const struct ss_job *job);
// Why the coordinator cannot do its work, for /health and requests; NULL: it
// can.
const char *ss_shell_trouble(struct ss_coordinator *shell);

// settings.c: what it is set to, for `show config`; and what its core asks for.
json_t *ss_shell_config(
    struct ss_coordinator *shell, const struct ss_coordinator_options *options);
json_t *ss_shell_ask(void *ctx, const char *what);

#endif
