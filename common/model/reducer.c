// reducer.c - add, or, max, min, append: Python's operators over JSON.
#include "common/model/reducer.h"

#include <math.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/compare.h"
#include "common/model/opaque.h"

enum ss_reducer ss_reducer_by_name(const char *name)
{
    static const char *const names[] = {
        NULL, "add", "or", "max", "min", "append", "add_messages", "custom"};
    for (int i = 1; i < 8; i++)
        if (strcmp(name, names[i]) == 0)
            return (enum ss_reducer)i;
    return SS_REDUCER_NONE;
}

json_t *ss_zero(enum ss_type type)
{
    switch (type) {
    case SS_TYPE_INT:
        return json_integer(0);
    case SS_TYPE_FLOAT:
        return json_real(0.0);
    case SS_TYPE_STR:
        return json_string("");
    case SS_TYPE_LIST:
        return json_array();
    case SS_TYPE_DICT:
        return json_object();
    case SS_TYPE_BOOL:
        return json_false();
    case SS_TYPE_ANY:
        break;
    }
    return NULL;
}

static int refuse(const char *verb, const json_t *left, const json_t *right,
    struct ss_error *error)
{
    return ss_error_set(error, SS_EINVAL, "cannot %s %s and %s", verb,
        ss_type_text(left), ss_type_text(right));
}

static int real_sum(double sum, json_t **ret_json, struct ss_error *error)
{
    if (!isfinite(sum))
        return ss_error_set(
            error, SS_EINVAL, "the sum is not a number that JSON can hold");
    *ret_json = json_real(sum);
    return SS_OK;
}

static int add(
    json_t *left, json_t *right, json_t **ret_json, struct ss_error *error)
{
    json_int_t a, b, sum;
    if (ss_as_integer(left, &a) && ss_as_integer(right, &b)) {
        if (__builtin_add_overflow(a, b, &sum))
            return ss_error_set(error, SS_EINVAL,
                "%" JSON_INTEGER_FORMAT " + %" JSON_INTEGER_FORMAT
                " does not fit into 64 bits",
                a, b);
        *ret_json = json_integer(sum);
        return SS_OK;
    }
    if (ss_is_number(left) && ss_is_number(right))
        return real_sum(ss_as_real(left) + ss_as_real(right), ret_json, error);
    if (json_is_string(left) && json_is_string(right)) {
        size_t size = json_string_length(left);
        size_t more = json_string_length(right);
        char *text = ss_alloc(size + more + 1);
        memcpy(text, json_string_value(left), size);
        memcpy(text + size, json_string_value(right), more);
        *ret_json = json_stringn_nocheck(text, size + more);
        ss_free(text);
        return SS_OK;
    }
    if (json_is_array(left) && json_is_array(right)) {
        *ret_json = json_copy(left);
        json_array_extend(*ret_json, right);
        return SS_OK;
    }
    return refuse("add", left, right, error);
}

static int either(
    json_t *left, json_t *right, json_t **ret_json, struct ss_error *error)
{
    json_int_t a, b;
    if (json_is_object(left) && json_is_object(right)) {
        *ret_json = json_copy(left);
        json_object_update(*ret_json, right);
        return SS_OK;
    }
    if (json_is_boolean(left) && json_is_boolean(right)) {
        *ret_json = json_boolean(json_is_true(left) || json_is_true(right));
        return SS_OK;
    }
    if (ss_as_integer(left, &a) && ss_as_integer(right, &b)) {
        *ret_json = json_integer(a | b);
        return SS_OK;
    }
    return refuse("join with \"or\"", left, right, error);
}

// Python: left if left >= right else right; for min the other way round.
static int extreme(json_t *left, json_t *right, bool is_max, json_t **ret_json,
    struct ss_error *error)
{
    int order;
    if (!ss_compare(left, right, &order))
        return refuse("compare", left, right, error);
    bool is_left = is_max ? order >= 0 : order <= 0;
    *ret_json = json_incref(is_left ? left : right);
    return SS_OK;
}

static int append(
    json_t *left, json_t *right, json_t **ret_json, struct ss_error *error)
{
    if (!json_is_array(left))
        return ss_error_set(error, SS_EINVAL,
            "cannot append to %s: only to a list", ss_type_text(left));
    *ret_json = json_copy(left);
    json_array_append(*ret_json, right);
    return SS_OK;
}

// Opaque objects of another system can be put into a list, and nothing else.
static int check_plain(enum ss_reducer reducer, const json_t *left,
    const json_t *right, struct ss_error *error)
{
    if (reducer == SS_REDUCER_NONE || reducer == SS_REDUCER_CUSTOM)
        return SS_OK;
    int status = ss_opaque_refuse(left, "what is there", error);
    if (status == SS_OK && reducer != SS_REDUCER_APPEND)
        status = ss_opaque_refuse(right, "what was written", error);
    return status;
}

int ss_reduce(enum ss_reducer reducer, json_t *left, json_t *right,
    const char *owner, size_t position, json_t **ret_json,
    struct ss_error *error)
{
    if (check_plain(reducer, left, right, error) != SS_OK)
        return SS_EINVAL;
    switch (reducer) {
    case SS_REDUCER_NONE:
        *ret_json = json_incref(right);
        return SS_OK;
    case SS_REDUCER_ADD:
        return add(left, right, ret_json, error);
    case SS_REDUCER_OR:
        return either(left, right, ret_json, error);
    case SS_REDUCER_MAX:
    case SS_REDUCER_MIN:
        return extreme(left, right, reducer == SS_REDUCER_MAX, ret_json, error);
    case SS_REDUCER_APPEND:
        return append(left, right, ret_json, error);
    case SS_REDUCER_ADD_MESSAGES:
        return ss_messages_merge(left, right, owner, position, ret_json, error);
    case SS_REDUCER_CUSTOM:
        break;
    }
    ss_unreachable();
}

int ss_reduce_list(enum ss_reducer reducer, struct ss_list **list,
    struct ss_value *right, const char *owner, size_t position,
    struct ss_error *error)
{
    if (reducer == SS_REDUCER_ADD_MESSAGES)
        return ss_messages_add(
            list, ss_value_json(right), owner, position, error);
    if (reducer == SS_REDUCER_APPEND)
        *list = ss_list_push(*list, right);
    else if (reducer == SS_REDUCER_ADD && json_is_array(ss_value_json(right)))
        *list = ss_list_push_json(*list, ss_value_json(right));
    else
        return SS_EAGAIN;
    return SS_OK;
}
