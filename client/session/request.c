// request.c - a request, how far it came, and how to ask it again.
#include "client/session/request.h"

#include <string.h>

#include "client/session/session.h"
#include "common/base/mem.h"

// An unknown request may do anything: it is sent once.
static enum ss_op_repeat repeat_of(
    const struct ss_op_row *row, const json_t *body)
{
    enum ss_op_repeat repeat = row ? row->repeat : SS_OP_REPEAT_ONCE;
    // With a key of its own a request is carried out once, however often it is
    // sent.
    bool has_key = json_is_string(json_object_get(body, "key"));
    if (row && has_key && repeat == SS_OP_REPEAT_ONCE)
        return SS_OP_REPEAT_SAFE;
    return repeat;
}

struct ss_talk_request *ss_talk_request_new(
    uint64_t key, const char *op, json_t *body, const char *run)
{
    const struct ss_op_row *row = ss_op_by_name(op);
    struct ss_talk_request *request = ss_zalloc(1, sizeof(*request));
    request->key = key;
    request->op = ss_strdup(op);
    request->repeat = repeat_of(row, body);
    request->is_run = row && row->op == SS_OP_RUN;
    request->moved_since_ms = -1;
    request->is_held = true;
    request->again_ms = SS_TALK_AGAIN_MS;
    request->deadline_ms = INT64_MAX;
    request->body = body ? json_copy(body) : json_object();
    if (request->is_run && json_is_object(request->body) &&
        !json_object_get(request->body, "run"))
        json_object_set_new(request->body, "run", json_string(run));
    const char *after =
        json_string_value(json_object_get(request->body, "after"));
    if (after && strlen(after) < sizeof(request->seq)) {
        memcpy(request->seq, after, strlen(after) + 1);
        memcpy(request->after, after, strlen(after) + 1);
    }
    // What the caller had seen before still counts when the request is sent
    // again.
    const json_t *seen = json_object_get(request->body, "seen");
    if (json_is_object(seen))
        request->seen = json_copy((json_t *)seen);
    return request;
}

void ss_talk_request_destroy(struct ss_talk_request **request)
{
    if (!*request)
        return;
    json_decref((*request)->body);
    json_decref((*request)->seen);
    ss_free((*request)->op);
    ss_free(*request);
    *request = NULL;
}

json_t *ss_talk_request_body(
    struct ss_talk_request *request, const char **ret_op)
{
    bool is_known = request->is_accepted || request->is_told;
    if (request->repeat != SS_OP_REPEAT_RUN || !is_known) {
        *ret_op = request->op;
        return json_incref(request->body);
    }
    static const char *const kept[] = {"run", "thread", "stream", "subgraphs"};
    json_t *body = json_object();
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
        json_t *value = json_object_get(request->body, kept[i]);
        if (value)
            json_object_set(body, kept[i], value);
    }
    // Nothing seen yet of a run of our own: all of it.
    if (!request->seq[0] && request->is_run)
        memcpy(request->seq, "0.0", sizeof("0.0"));
    if (request->seq[0]) {
        memcpy(request->after, request->seq, sizeof(request->after));
        json_object_set_new(body, "after", json_string(request->seq));
    }
    if (json_object_size(request->seen) > 0)
        json_object_set_new(body, "seen", json_copy(request->seen));
    *ret_op = "attach";
    return body;
}

// An item of an attempt, by its number there. False: it was seen before.
static bool note_item(
    struct ss_talk_request *request, const char *attempt, json_int_t number)
{
    if (!request->seen)
        request->seen = json_object();
    const json_t *last = json_object_get(request->seen, attempt);
    if (number <= json_integer_value(last))
        return false;
    if (!last && json_object_size(request->seen) >= SS_TALK_ATTEMPTS_MAX)
        json_object_del(request->seen,
            json_object_iter_key(json_object_iter(request->seen)));
    json_object_set_new(request->seen, attempt, json_integer(number));
    return true;
}

// Live items have an order of their own, beside that of durable events.
static bool note_live(
    struct ss_talk_request *request, const json_t *item, const char *mode)
{
    const char *attempt = json_string_value(json_object_get(item, "attempt"));
    const json_t *number = json_object_get(item, "item");
    if (attempt && mode && strcmp(mode, "restarted") == 0)
        json_object_del(request->seen, attempt); // its items are void
    if (!attempt || !json_is_integer(number))
        return true;
    return note_item(request, attempt, json_integer_value(number));
}

bool ss_talk_request_note(struct ss_talk_request *request, const json_t *item)
{
    if (json_is_true(json_object_get(item, "accepted"))) {
        bool is_first = !request->is_accepted;
        json_t *thread = json_object_get(item, "thread");
        request->is_accepted = true;
        if (json_is_string(thread)) // others may have a run of this name
            json_object_set(request->body, "thread", thread);
        return is_first;
    }
    // Progress runs ahead of durable events: it has no place in their order.
    const char *mode = json_string_value(json_object_get(item, "mode"));
    if (mode && strcmp(mode, "progress") == 0)
        return true;
    const char *seq = json_string_value(json_object_get(item, "seq"));
    if (!seq || strlen(seq) >= sizeof(request->seq))
        return note_live(request, item, mode);
    if (request->after[0] && ss_talk_seq_reached(seq, request->after))
        return false;
    memcpy(request->seq, seq, strlen(seq) + 1);
    request->is_told = true; // one that has ended is told without "accepted"
    return true;
}
