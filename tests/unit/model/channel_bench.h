// channel_bench.h - one channel, written to and looked at.
#ifndef SS_TESTS_UNIT_MODEL_CHANNEL_BENCH_H
#define SS_TESTS_UNIT_MODEL_CHANNEL_BENCH_H

#include "common/model/channel.h"
#include "tests/unit/model/help.h"

// A live channel of one state key, and what its last update said.
struct bench {
    struct ss_graph *graph;
    struct ss_channel channel;
    struct ss_error error;
};

// `key`: what the state key says beside its name. Ended by close_bench().
struct bench bench(const char *key);
void close_bench(struct bench *b);
// Write a JSON list of values, all of task "t". Gives the status.
int update(struct bench *b, const char *values, bool *ret_changed);
// The same: it succeeds, and says whether something changed.
void write_changes(struct bench *b, const char *values, bool expected);
// NULL: there is none.
void expect_value(struct bench *b, const char *expected);
void expect_stored(struct bench *b, const char *expected);
// The error says what and where, and nothing changed.
void expect_error(
    struct bench *b, const char *values, int status, const char *words);
// Stored and restored it is the same.
void reload(struct bench *b);
// What was stored is not of such a channel.
void expect_corrupt(const char *key, const char *stored);

#endif
