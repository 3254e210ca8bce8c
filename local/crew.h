// crew.h - bodies on threads of their own, within the time that they have.
//
//   engine -> ss_crew_start() -> [waits for a thread] -> host -> thread
//          <- ss_crew_hear()  <-------------------------/
//
// The threads are those of a worker (worker/host.h). Here stand who is out, who
// has run over its time, and who waits for a thread that such a one still has.
// The engine and a thread share nothing: an order is copied, whole.
#ifndef SS_LOCAL_CREW_H
#define SS_LOCAL_CREW_H

#include "common/base/mem.h"
#include "common/model/task.h"
#include "worker/application.h"

struct ss_crew;

// Something that a body did, on its way to the engine.
struct ss_local_report {
    bool is_live;
    struct ss_attempt attempt;
    enum ss_live_kind kind;
    json_t *value;              // live
    struct ss_outcome *outcome; // else
};
struct ss_local_reports {
    SS_VEC(struct ss_local_report) list;
};

// `application` is borrowed for the crew's life. SS_EIO: no pipe.
int ss_crew_new(const struct ss_application *application, unsigned threads,
    struct ss_crew **ret_crew, struct ss_error *error) SS_MUST_USE;
// Joins the threads. Nobody may be out.
void ss_crew_destroy(struct ss_crew **crew);

// Run a copy of `order`, with the next ss_crew_hear(). Borrows.
void ss_crew_start(struct ss_crew *crew, const struct ss_assignment *order);
// Tell the body of an attempt to stop (ss_cancelled()).
void ss_crew_cancel(struct ss_crew *crew, struct ss_attempt attempt);
// Begin nothing more, and tell all that is out to stop. Only what a body has
// finished is reported from now on.
void ss_crew_end(struct ss_crew *crew);
// Whether a body runs, or waits for a thread.
bool ss_crew_is_out(const struct ss_crew *crew);
// Append what was reported. A body that is over its time has failed by that,
// and is told to stop; what it reports later is dropped.
void ss_crew_hear(struct ss_crew *crew, struct ss_local_reports *to);
// Wait until there is something to hear, but not for longer than that.
void ss_crew_wait(struct ss_crew *crew, int64_t left_ms);

// The outcome of a body that ran over its "run" or "idle" timeout. Gives.
struct ss_outcome *ss_crew_over_time(
    const struct ss_assignment *order, const char *what, int64_t limit_ms);

#endif
