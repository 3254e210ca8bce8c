// find.h - which threads or runs are looked for, and in what order: the one
// form of the question, from the request that asks to the store that answers.
//
// The newest come first: a run by the time when it was asked for, a thread by
// its last change. A page names the place behind which the next one begins, a
// time and a key, so it goes on rightly while others come and go. A thread that
// changes meanwhile moves to the front, and is not told again.
#ifndef SS_MODEL_FIND_H
#define SS_MODEL_FIND_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/model/request.h"

enum {
    // A person lists what all of a run's metadata says, and records are read in
    // lists: what is larger is kept with the run's rows alone.
    SS_METADATA_SIZE_MAX = 4096,
};

// In a thread's record: metadata of the thread itself, which goes before that
// of its newest run ("metadata").
#define SS_FIND_OWN  "own"
// In a record: that of its run is too long to stand there, and is not searched.
#define SS_FIND_LONG "metadata_is_long"

struct ss_find {
    bool of_threads;  // else of runs
    char *thread;     // of runs: those of this thread; NULL: of all
    char *prefix;     // threads, or runs of threads, whose name begins so
    char *graph;      // NULL: any
    char *status;     // NULL: any
    json_t *metadata; // pairs that a record must have; NULL: none
    int64_t since_us; // not older than this
    int64_t until_us; // and older than this
    // Behind this place; NULL: from the newest that fits.
    char *after;
    int64_t after_us;
    size_t limit;
};

// What a request `runs` or `threads` asks for. `after` is not read where it
// asks for the order of keys. Gives: ss_find_fini(), also on an error.
// SS_EINVAL, with a sentence that says what is wrong.
int ss_find_read(const struct ss_request *request, int64_t wall_us,
    struct ss_find *ret, struct ss_error *error) SS_MUST_USE;
void ss_find_fini(struct ss_find *find);
// A copy that shares nothing with it. Gives.
void ss_find_copy(const struct ss_find *find, struct ss_find *ret);
// Whether the request wants the newest first; else the order of keys.
bool ss_find_by_time(const struct ss_request *request);
// Only some are wanted.
bool ss_find_is_picky(const struct ss_find *find);

// The time by which a record is young or old.
int64_t ss_find_at_us(bool of_threads, const json_t *record);
// How a thread stands (`index`: what the store tells of it) or a run; NULL: a
// program of before put it, and did not say. Borrowed from either.
const char *ss_find_status(
    bool of_threads, const char *index, const json_t *record);
// Whether it is one of those; what `after` says is not looked at.
bool ss_find_fits(
    const struct ss_find *find, const char *index, const json_t *record);
// By its text alone it is none of those, and need not be read.
bool ss_find_is_none(const struct ss_find *find, const char *text, size_t size);
// One that does not may be one all the same: its metadata is too long to be
// searched.
bool ss_find_may_fit(
    const struct ss_find *find, const char *index, const json_t *record);

// What a record is looked up by: its graph, and a number for each pair of the
// metadata by which it is found.
struct ss_find_marks {
    char *graph;    // NULL: it is of none
    int64_t *pairs; // and SS_FIND_UNSEARCHED, where its metadata is too long
    size_t pairs_count;
};
#define SS_FIND_UNSEARCHED ((int64_t)1)
// Of a record's text; of what is none, nothing. Gives: ss_find_marks_fini().
void ss_find_marks_read(
    const char *text, size_t size, struct ss_find_marks *ret);
// Those that a record must have to be one of these, but for what its length
// hides. Gives the same.
void ss_find_marks_of(const struct ss_find *find, struct ss_find_marks *ret);
void ss_find_marks_fini(struct ss_find_marks *marks);

// Where a page ends: a time, and a key of the store. Gives.
char *ss_find_place(int64_t at_us, const char *key);
// < 0: the left one comes first.
int ss_find_order(
    int64_t left_us, const char *left, int64_t right_us, const char *right);

#endif
