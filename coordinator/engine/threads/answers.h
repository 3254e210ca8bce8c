// answers.h - answers: errors, pages, replies that wait for rows, and requests
// that carry a key and are done once.
#ifndef SS_ENGINE_THREADS_ANSWERS_H
#define SS_ENGINE_THREADS_ANSWERS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/ids.h"
#include "common/base/status.h"

struct engine;
struct ss_checkpoint_entry;
struct ss_request;
struct thread;

// A list of an answer, in the making (page.c): of at most `limit` items.
struct page {
    json_t *items;
    size_t count_max;
    size_t size; // of the items, in bytes of JSON
    bool more;   // something did not fit
};

// ------------------------------------------------ idempotency.c

// `key` of a request that changes a thread once: the same one again is answered
// as the first time. The answer stands in the last row of the change.
// SS_EINVAL: it is not a key.
int ss_key_check(
    const struct ss_request *request, struct ss_error *error) SS_MUST_USE;
// True: it was asked before, and is answered.
bool ss_answered_before(
    struct thread *thread, const struct ss_request *request);
// `answer` goes into the row that is open, or one of its own. Borrows it.
void ss_answer_keep(
    struct thread *thread, const struct ss_request *request, json_t *answer);
// So many supersteps of an update are in the rows: asked again with its key, it
// goes on at the checkpoint `base`.
void ss_answer_keep_part(struct thread *thread,
    const struct ss_request *request, size_t done, const char *base);
// How many, of an update that was cut off, and that checkpoint; 0: none.
size_t ss_answer_part(const struct thread *thread,
    const struct ss_request *request, char ret_base[SS_UUID_SIZE]);

// ------------------------------------------------ reply.c

// {"code", "message"}. Gives.
json_t *ss_error_json(int status, const char *message);
// A checkpoint as people name it. Gives.
json_t *ss_config_json(const struct thread *thread, const char *ns,
    const char *id, const json_t *parents);
// Answer now. Takes `body`.
void ss_reply(
    struct engine *engine, const struct ss_request *request, json_t *body);
// Answer the request `id` of `peer` with an error, though it cannot be read.
void ss_reply_refused(struct engine *engine, const char *peer, uint64_t id,
    int status, const char *message);
// Answer with an error.
void ss_reply_error(struct engine *engine, const struct ss_request *request,
    int status, const char *format, ...) SS_PRINTF(4, 5);

// ------------------------------------------------ reply_later.c

// Answer when `thread`'s head is durable. Takes `body`.
void ss_reply_durable(
    struct thread *thread, const struct ss_request *request, json_t *body);
// The thread has no run of that name: told when all is durable. It may have
// been taken back just now, and a crash would bring it back.
void ss_reply_no_run(
    struct thread *thread, const struct ss_request *request, const char *run);
// A checkpoint of the thread cannot be put together: its rows contradict each
// other.
void ss_reply_torn(struct thread *thread, const struct ss_request *request,
    const struct ss_checkpoint_entry *mark);

// ------------------------------------------------ page.c

void ss_page_init(struct page *page, json_int_t limit);
// Ask before an item is made: it would be one too many.
bool ss_page_is_full(struct page *page);
// Takes `item`; where it does not fit, the page is full.
void ss_page_add(struct page *page, json_t *item);
// {name: [item...]}, and "more" where it was cut. Gives.
json_t *ss_page_close(struct page *page, const char *name);

#endif
