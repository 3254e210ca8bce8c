// metrics.h - what a process measures of itself, for Prometheus.
//
// One table (metrics.def) and one array of numbers, which any thread may
// change. Text in the exposition format 0.0.4 is made when somebody asks
// (metrics_server.h). Counters begin at zero with the process.
//
// The text is made by hand, because it is three kinds of line; the client
// library of Prometheus for C is not packaged, and takes a lock where here a
// number is added.
#ifndef SS_APP_METRICS_H
#define SS_APP_METRICS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum ss_metric {
#define X(id, kind, name, unit, who, line, paragraph) SS_METRIC_##id,
#include "common/app/metrics.def"
#undef X
    SS_METRICS_COUNT,
};

enum ss_metric_kind {
    SS_METRIC_COUNTER,
    SS_METRIC_GAUGE,
    SS_METRIC_TIMES,
    SS_METRIC_LIMITS,
};
enum ss_metric_who { SS_METRIC_OF_COORDINATOR, SS_METRIC_OF_WORKER };

struct ss_metric_row {
    const char *name;
    enum ss_metric_kind kind;
    enum ss_metric_who who;
    const char *unit;
    const char *line;
    const char *paragraph;
};

const struct ss_metric_row *ss_metric_row(enum ss_metric metric);

// COUNTER and GAUGE.
void ss_metric_add(enum ss_metric metric, int64_t more);
// GAUGE, and a COUNTER that is counted elsewhere.
void ss_metric_set(enum ss_metric metric, int64_t value);
// LIMITS: the number of each limit, by its name. Takes `numbers`.
void ss_metric_set_limits(enum ss_metric metric, json_t *numbers);
// TIMES: add a duration.
void ss_metric_took(enum ss_metric metric, int64_t us);
int64_t ss_metric_get(enum ss_metric metric);    // of TIMES: how many
int64_t ss_metric_sum_us(enum ss_metric metric); // of TIMES: all together

// The text of the numbers of `who`, and of the version of `program`. Gives
// (ss_free).
char *ss_metrics_text(enum ss_metric_who who, const char *program);

// Whether the process can do its work: NULL, or why not, in some words (copied,
// and cut to SS_HEALTH_SIZE). It begins with "starting".
enum { SS_HEALTH_SIZE = 512, SS_LIVE_TURN_S = 60 };
void ss_health_set(const char *text);
// True: it can; false: *ret_trouble says why not.
bool ss_health(char ret_trouble[SS_HEALTH_SIZE]);
// Whether a restart would help: the loop has been in one turn for longer than
// SS_LIVE_TURN_S. What the process waits for, a store or a coordinator, is no
// reason. Said at both ends of a turn: since when it lasts (CLOCK_MONOTONIC,
// ms); 0: the loop waits for something to do.
void ss_live_set(int64_t turn_since_ms);
// True: leave it; false: *ret_trouble says why not.
bool ss_live(int64_t now_ms, char ret_trouble[SS_HEALTH_SIZE]);

#endif
