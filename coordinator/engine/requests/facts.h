// facts.h - what is said of a thread itself, and how it is shown.
#ifndef SS_ENGINE_REQUESTS_FACTS_H
#define SS_ENGINE_REQUESTS_FACTS_H

#include <jansson.h>

struct ss_request;
struct thread;

// ------------------------------------------------ facts.c

// The requests `thread_put` and `thread`.
void ss_facts_request(struct thread *thread, const struct ss_request *request);
void ss_facts_thread(struct thread *thread, const struct ss_request *request);

// ------------------------------------------------ shown.c

// The record of a thread that stands so (NULL: nobody knows), as people see
// it. Gives.
json_t *ss_thread_shown(const json_t *record, const char *status);
// What the error of a run says that a client cancelled, before its reason.
#define SS_CANCELLED "the run was cancelled"
// The record of a run that stands so, with its times as people read them.
void ss_run_show(json_t *shown, const char *status);

#endif
