// crash_play.h - a story played again and again, with a crash after each of its
// rows: it must end as the undisturbed one did.
#ifndef SS_TESTS_STORIES_CRASH_PLAY_H
#define SS_TESTS_STORIES_CRASH_PLAY_H

#include <stdbool.h>
#include <stdint.h>

enum { MOVES_MAX = 8 };

// What clients do, one after the other. "$id0": the id of the first question
// that is open; "$head", "$middle": the id of the newest
// checkpoint, and of the one in the middle of the history.
struct story {
    const char *name;
    void (*setup)(void);
    const char *moves[MOVES_MAX]; // "run {...}"
};

#define FRESH  "run {'graph': 'g', 'input': {'x': []}}"
#define GO_ON  "run {'input': null}"
#define ANSWER "run {'command': {'resume': 'yes'}}"

// A crash after each row; the same answers, state and history; no body that had
// durably finished is run again. `options`: of every run. `streams`: its client
// reads events, comes back, misses none and sees none twice.
void crash_and_compare(
    const struct story *story, const char *options, bool streams);
// No coordinator lives longer than it takes to store so many rows.
void crash_all_the_time(
    const struct story *story, const char *options, int64_t rows);

#endif
