// outcome_pack.c - an outcome to the wire.
#include <string.h>

#include "common/wire/limits.h"
#include "common/wire/put.h"
#include "common/wire/work.h"

static void put_writes(
    struct ss_wire_writer *writer, const struct ss_writes *writes)
{
    for (size_t i = writes->count; i > 0; i--) {
        const struct ss_write *write = &writes->items[i - 1];
        size_t from = writer->tail->size;
        ss_put_bytes(writer, 3, write->value);
        if (ss_value_tag(write->value) != SS_VALUE_JSON)
            ss_tail_number(
                writer->tail, 2, (uint64_t)ss_value_tag(write->value));
        ss_put_text(writer, 1, write->channel);
        ss_tail_message(writer->tail, 4, from);
    }
}

// Fields 5 to 17, the last first.
static void put_rest(
    struct ss_wire_writer *writer, const struct ss_outcome *outcome)
{
    struct ss_tail *tail = writer->tail;
    ss_put_json(writer, 17, outcome->warnings);
    if (outcome->ran_us != 0)
        ss_tail_number(tail, 16, (uint64_t)outcome->ran_us);
    ss_put_value(writer, 15, outcome->folded);
    ss_put_prose(writer, 14, outcome->drain);
    ss_put_json(writer, 13, outcome->messages);
    if (outcome->retryable != SS_RETRY_DEFAULT)
        ss_tail_number(tail, 12, (uint64_t)outcome->retryable);
    ss_put_prose(writer, 11, outcome->message);
    ss_put_prose(writer, 10, outcome->error_kind);
    if (outcome->code != SS_OK)
        ss_tail_text(tail, 9, ss_status_name(outcome->code));
    ss_put_json(writer, 8, outcome->parent);
    ss_put_json(writer, 7, outcome->question);
    if (outcome->took_plain)
        ss_tail_number(tail, 6, 1);
    ss_put_json(writer, 5, outcome->answers);
}

// Fields 1 to 3.
static void put_head(
    struct ss_wire_writer *writer, const struct ss_outcome *outcome)
{
    size_t size = strlen(outcome->task_id);
    char *at = ss_tail_ahead(writer->tail, size + 5 * SS_BACK_HEAD_MAX);
    if (!at)
        return;
    at = ss_back_number(at, 3, (uint64_t)outcome->kind);
    const char *behind = at;
    at = ss_back_data(at, 2, outcome->task_id, size);
    writer->is_doubtful |= ss_put_is_doubtful(at, behind);
    ss_tail_reach(writer->tail, ss_put_attempt(at, outcome->attempt));
}

int ss_pack_outcome(struct ss_tail *tail, const struct ss_outcome *outcome,
    bool *ret_is_doubtful, struct ss_error *error)
{
    struct ss_wire_writer writer = {.tail = tail,
        .is_doubtful = outcome->writes.count > SS_WIRE_ITEMS_MAX / 2,
        .error = error};
    put_rest(&writer, outcome);
    put_writes(&writer, &outcome->writes);
    put_head(&writer, outcome);
    *ret_is_doubtful = writer.is_doubtful;
    return writer.status;
}
