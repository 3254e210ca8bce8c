// outcome.c - an outcome from the wire.
#include "common/base/mem.h"
#include "common/wire/work.h"

static int take_writes(const Superstep__V1__Outcome *packed,
    struct ss_outcome *outcome, struct ss_error *error)
{
    struct ss_writes *writes = &outcome->writes;
    if (packed->n_writes > 0) {
        writes->items = ss_alloc(packed->n_writes * sizeof(*writes->items));
        writes->capacity = packed->n_writes;
    }
    for (size_t i = 0; i < packed->n_writes; i++) {
        const Superstep__V1__TaskWrite *item = packed->writes[i];
        struct ss_value *value = NULL;
        int status = ss_take_bytes((int)item->tag, item->data,
            "the value of an outcome's write", &value, error);
        if (status != SS_OK)
            return status;
        ss_writes_add(writes, item->channel, value);
    }
    return SS_OK;
}

#define TAKE_JSON(field, want)                                                 \
    do {                                                                       \
        if (status == SS_OK && packed->has_##field)                            \
            status = ss_take_json(1, packed->field, (want),                    \
                "an outcome's " #field, &outcome->field, error);               \
    } while (0)

static int take_enums(const Superstep__V1__Outcome *packed,
    struct ss_outcome *outcome, struct ss_error *error)
{
    int kind = 0, retryable = 0;
    int status = ss_take_enum((int)packed->kind, SS_OUTCOME_CANCELLED + 1,
        "an outcome's kind", &kind, error);
    if (status == SS_OK)
        status = ss_take_enum((int)packed->retryable, SS_RETRY_NO + 1,
            "an outcome's retryable", &retryable, error);
    outcome->kind = (enum ss_outcome_kind)kind;
    outcome->retryable = (enum ss_retryable)retryable;
    return status;
}

// A failure always has a code and a message: nobody above has to check for
// them.
static void take_failure(
    const Superstep__V1__Outcome *packed, struct ss_outcome *outcome)
{
    outcome->error_kind = ss_strdup(packed->error_kind);
    outcome->message = ss_strdup(packed->message);
    if (packed->code)
        outcome->code = ss_status_by_name(packed->code);
    if (outcome->kind != SS_OUTCOME_FAILED)
        return;
    if (outcome->code == SS_OK)
        outcome->code = SS_ENODE;
    if (!outcome->message)
        outcome->message = ss_strdup("");
}

static int check_parts(const struct ss_outcome *outcome, struct ss_error *error)
{
    if (outcome->kind == SS_OUTCOME_INTERRUPTED && !outcome->question)
        return ss_error_set(
            error, SS_EFORMAT, "an interrupted outcome without a question");
    if (outcome->kind == SS_OUTCOME_PARENT && !outcome->parent)
        return ss_error_set(error, SS_EFORMAT,
            "an outcome for the parent graph without a command");
    return SS_OK;
}

int ss_take_outcome(const Superstep__V1__Outcome *packed,
    struct ss_outcome **ret_outcome, struct ss_error *error)
{
    struct ss_outcome *outcome = ss_outcome_new();
    outcome->attempt = ss_take_attempt(packed->attempt);
    outcome->took_plain = packed->took_plain != 0;
    outcome->drain = ss_strdup(packed->drain);
    outcome->ran_us = packed->ran_us;
    int status = take_enums(packed, outcome, error);
    take_failure(packed, outcome);
    if (status == SS_OK)
        status = ss_take_id(
            packed->task_id, "an outcome's task_id", outcome->task_id, error);
    if (status == SS_OK)
        status = take_writes(packed, outcome, error);
    TAKE_JSON(answers, SS_WANT_ARRAY);
    TAKE_JSON(question, SS_WANT_OBJECT);
    TAKE_JSON(parent, SS_WANT_OBJECT);
    TAKE_JSON(messages, SS_WANT_ANY);
    TAKE_JSON(warnings, SS_WANT_ARRAY);
    if (status == SS_OK)
        status = ss_take_value(
            packed->folded, "an outcome's folded", &outcome->folded, error);
    if (status == SS_OK)
        status = check_parts(outcome, error);
    if (status != SS_OK) {
        ss_outcome_destroy(&outcome);
        return status;
    }
    *ret_outcome = outcome;
    return SS_OK;
}
