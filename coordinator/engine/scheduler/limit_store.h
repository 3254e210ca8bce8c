// limit_store.h - records of limits (limit_store.c).
#ifndef SS_ENGINE_SCHEDULER_LIMIT_STORE_H
#define SS_ENGINE_SCHEDULER_LIMIT_STORE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct engine;
struct limit_batch;
struct ss_request;

// The record under the words of its key (a number below 0 is none); NULL: there
// is none. Borrowed.
const json_t *ss_limit_record(const struct engine *engine, const char *kind,
    int64_t number, const char *name);
// The key of a record. Gives.
char *ss_limit_key(const json_t *record);
// A part's, that is where it is without one: none is to be there.
bool ss_limit_comes_home(const json_t *record);
// Begin a batch (`request`: who is told when it is stored; or NULL); what is
// put joins the last one (`record`: taken; NULL: none is to be there); it
// leaves for the store.
void ss_limit_batch(struct engine *engine, const struct ss_request *request);
void ss_limit_put(struct engine *engine, const char *kind, int64_t number,
    const char *name, json_t *record);
void ss_limit_batch_send(struct engine *engine);
void ss_limit_batch_free(struct limit_batch *batch);
void ss_limit_record_free(void *record);

#endif
