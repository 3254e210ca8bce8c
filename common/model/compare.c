// compare.c - comparing JSON as Python does.
#include "common/model/compare.h"

#include <stddef.h>
#include <string.h>

bool ss_as_integer(const json_t *json, json_int_t *ret_value)
{
    if (!json_is_integer(json) && !json_is_boolean(json))
        return false;
    *ret_value =
        json_is_integer(json) ? json_integer_value(json) : json_is_true(json);
    return true;
}

bool ss_is_number(const json_t *json)
{
    return json_is_number(json) || json_is_boolean(json);
}

double ss_as_real(const json_t *json)
{
    json_int_t whole;
    return ss_as_integer(json, &whole) ? (double)whole : json_real_value(json);
}

static int order_of(bool is_below, bool is_above)
{
    return is_above - is_below;
}

// A whole number against a fraction, exactly: a double has 53 bits.
static int order_mixed(json_int_t whole, double real)
{
    if (real >= 9223372036854775808.0)
        return -1;
    if (real < -9223372036854775808.0)
        return 1;
    json_int_t towards_zero = (json_int_t)real;
    double rest = real - (double)towards_zero;
    if (whole != towards_zero)
        return order_of(whole<towards_zero, whole> towards_zero);
    return order_of(rest > 0, rest < 0);
}

static int order_numbers(const json_t *a, const json_t *b)
{
    json_int_t x, y;
    bool is_x = ss_as_integer(a, &x), is_y = ss_as_integer(b, &y);
    if (is_x && is_y)
        return order_of(x<y, x> y);
    if (is_x)
        return order_mixed(x, json_real_value(b));
    if (is_y)
        return -order_mixed(y, json_real_value(a));
    double p = json_real_value(a), q = json_real_value(b);
    return order_of(p<q, p> q);
}

// UTF-8 sorts by bytes as its code points do.
static int order_texts(const json_t *a, const json_t *b)
{
    size_t x = json_string_length(a), y = json_string_length(b);
    int order =
        memcmp(json_string_value(a), json_string_value(b), x < y ? x : y);
    return order != 0 ? order : order_of(x<y, x> y);
}

static bool same_objects(const json_t *a, const json_t *b)
{
    if (json_object_size(a) != json_object_size(b))
        return false;
    json_t *object = (json_t *)a;
    for (void *at = json_object_iter(object); at;
         at = json_object_iter_next(object, at)) {
        const json_t *other = json_object_get(b, json_object_iter_key(at));
        if (!other || !ss_same(json_object_iter_value(at), other))
            return false;
    }
    return true;
}

bool ss_same(const json_t *a, const json_t *b)
{
    if (a == b)
        return true;
    if (ss_is_number(a) && ss_is_number(b))
        return order_numbers(a, b) == 0;
    if (json_typeof(a) != json_typeof(b))
        return false;
    if (json_is_string(a))
        return order_texts(a, b) == 0;
    if (json_is_object(a))
        return same_objects(a, b);
    if (!json_is_array(a))
        return true;
    if (json_array_size(a) != json_array_size(b))
        return false;
    for (size_t i = 0; i < json_array_size(a); i++)
        if (!ss_same(json_array_get(a, i), json_array_get(b, i)))
            return false;
    return true;
}

bool ss_compare(const json_t *a, const json_t *b, int *ret_order)
{
    if (ss_is_number(a) && ss_is_number(b)) {
        *ret_order = order_numbers(a, b);
        return true;
    }
    if (json_is_string(a) && json_is_string(b)) {
        *ret_order = order_texts(a, b);
        return true;
    }
    if (!json_is_array(a) || !json_is_array(b))
        return false;
    // The first pair that is not the same decides, whatever follows.
    size_t x = json_array_size(a), y = json_array_size(b);
    for (size_t i = 0; i < x && i < y; i++)
        if (!ss_same(json_array_get(a, i), json_array_get(b, i)))
            return ss_compare(
                json_array_get(a, i), json_array_get(b, i), ret_order);
    *ret_order = order_of(x<y, x> y);
    return true;
}

const char *ss_type_text(const json_t *json)
{
    switch (json_typeof(json)) {
    case JSON_OBJECT:
        return "a map";
    case JSON_ARRAY:
        return "a list";
    case JSON_STRING:
        return "a text";
    case JSON_INTEGER:
    case JSON_REAL:
        return "a number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "a truth value";
    case JSON_NULL:
        return "null";
    }
    return "nothing";
}
