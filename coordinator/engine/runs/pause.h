// pause.h - what is paused (pause.c).
#ifndef SS_ENGINE_RUNS_PAUSE_H
#define SS_ENGINE_RUNS_PAUSE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct engine;
struct run;
struct ss_event;
struct ss_request;

// The record of what holds the tasks of that graph back; `version` NULL: of all
// its versions. Borrowed; NULL: it goes on.
const json_t *ss_pause_of(
    const struct engine *engine, const char *graph, const char *version);
const json_t *ss_pause_of_run(const struct run *run);
// The same of a record of `runs`, if it has not ended.
const json_t *ss_pause_of_record(
    const struct engine *engine, const json_t *record);
void ss_pauses_read(struct engine *engine, const struct ss_event *event);
// True: it was the answer to a change of ours.
bool ss_pause_stored(struct engine *engine, const struct ss_event *event);
void ss_pauses_init(struct engine *engine);
void ss_pauses_fini(struct engine *engine);
void ss_pauses_verify(const struct engine *engine);
// How many there are.
size_t ss_pauses_count(const struct engine *engine);
// The requests `pause`, `unpause` and `pauses`.
void ss_pause_request(struct engine *engine, const struct ss_request *request);
void ss_unpause_request(
    struct engine *engine, const struct ss_request *request);
void ss_pauses_request(struct engine *engine, const struct ss_request *request);
// All records, by key. Gives.
json_t *ss_pauses_json(const struct engine *engine);

#endif
