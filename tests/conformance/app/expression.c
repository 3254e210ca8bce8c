// expression.c - evaluates the expressions of a scenario.
#include "expression.h"

#include <stdlib.h>
#include <string.h>

#include "python.h"

static const char type_error[] = "invalid_argument";
static const char key_error[] = "unknown_route"; // KeyError has that name
static const char index_error[] = "IndexError";  // no scenario keeps these
static const char overflow_error[] = "OverflowError";

typedef json_t *op_fn(struct scope *scope, json_t *argument);

void scope_init(struct scope *scope, json_t *input)
{
    *scope = (struct scope){.input = input, .vars = json_object()};
}

void scope_fini(struct scope *scope)
{
    json_decref(scope->vars);
    scope->vars = NULL;
}

static json_t *fail(struct scope *scope, const char *name)
{
    if (!scope->failed)
        scope->failed = name;
    return NULL;
}

// The item of a list at a Python index, borrowed.
static json_t *item_at(
    struct scope *scope, const json_t *list, json_int_t index)
{
    json_int_t count = (json_int_t)json_array_size(list);
    if (index < 0)
        index += count;
    if (index < 0 || index >= count)
        return fail(scope, index_error);
    return json_array_get(list, (size_t)index);
}

json_t *expression_dig(struct scope *scope, json_t *value, const char *path)
{
    while (*path) {
        size_t size = strcspn(path, ".");
        char *part = strndup(path, size);
        if (!part)
            abort();
        if (json_is_array(value)) {
            char *end;
            long index = strtol(part, &end, 10);
            value = *end || !*part ? fail(scope, type_error)
                                   : item_at(scope, value, index);
        } else {
            value = json_object_get(value, part);
        }
        free(part);
        if (scope->failed)
            return NULL;
        if (!value)
            return json_null();
        path += size + (path[size] == '.');
    }
    return json_incref(value);
}

static json_t *op_input(struct scope *scope, json_t *path)
{
    json_t *empty = scope->input ? NULL : json_object();
    json_t *value = expression_dig(
        scope, scope->input ? scope->input : empty, json_string_value(path));
    json_decref(empty);
    return value;
}

static json_t *op_var(struct scope *scope, json_t *path)
{
    return expression_dig(scope, scope->vars, json_string_value(path));
}

static json_t *op_quote(struct scope *scope, json_t *value)
{
    (void)scope;
    return json_incref(value);
}

static json_t *add_numbers(
    struct scope *scope, const json_t *a, const json_t *b)
{
    if (!python_is_int(a) || !python_is_int(b))
        return json_real(python_number(a) + python_number(b));
    json_int_t sum;
    if (__builtin_add_overflow(python_int(a), python_int(b), &sum))
        return fail(scope, overflow_error);
    return json_integer(sum);
}

static json_t *add(struct scope *scope, json_t *a, json_t *b)
{
    if (python_is_number(a) && python_is_number(b))
        return add_numbers(scope, a, b);
    if (json_is_string(a) && json_is_string(b)) {
        struct text text = {0};
        text_add(&text, json_string_value(a), json_string_length(a));
        text_add(&text, json_string_value(b), json_string_length(b));
        json_t *both = json_stringn(text.data, text.size);
        free(text.data);
        return both;
    }
    if (json_is_array(a) && json_is_array(b)) {
        json_t *both = json_copy(a);
        json_array_extend(both, b);
        return both;
    }
    return fail(scope, type_error);
}

// Values of a list of expressions. Gives.
static json_t *values(struct scope *scope, json_t *list)
{
    json_t *result = json_array();
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *value = expression_value(scope, json_array_get(list, i));
        if (!value) {
            json_decref(result);
            return NULL;
        }
        json_array_append_new(result, value);
    }
    return result;
}

static json_t *op_cat(struct scope *scope, json_t *argument)
{
    json_t *parts = values(scope, argument);
    json_t *sum = json_null();
    for (size_t i = 0; sum && i < json_array_size(parts); i++) {
        json_t *part = json_array_get(parts, i);
        json_t *next =
            json_is_null(sum) ? json_incref(part) : add(scope, sum, part);
        json_decref(sum);
        sum = next;
    }
    bool good = parts;
    json_decref(parts);
    return good ? sum : NULL;
}

static json_t *subtract(struct scope *scope, json_t *a, json_t *b)
{
    if (!python_is_number(a) || !python_is_number(b))
        return fail(scope, type_error);
    if (!python_is_int(a) || !python_is_int(b))
        return json_real(python_number(a) - python_number(b));
    json_int_t difference;
    if (__builtin_sub_overflow(python_int(a), python_int(b), &difference))
        return fail(scope, overflow_error);
    return json_integer(difference);
}

static json_t *repeat(struct scope *scope, json_t *value, json_int_t times)
{
    enum { repeats_max = 1000000 };
    if (times > repeats_max)
        return fail(scope, overflow_error);
    json_t *all = json_is_array(value) ? json_array() : json_string("");
    for (json_int_t i = 0; all && i < times; i++) {
        json_t *next = add(scope, all, value);
        json_decref(all);
        all = next;
    }
    return all;
}

static json_t *multiply(struct scope *scope, json_t *a, json_t *b)
{
    if (python_is_int(a) && python_is_int(b)) {
        json_int_t product;
        if (__builtin_mul_overflow(python_int(a), python_int(b), &product))
            return fail(scope, overflow_error);
        return json_integer(product);
    }
    if (python_is_number(a) && python_is_number(b))
        return json_real(python_number(a) * python_number(b));
    if (python_is_int(a) && (json_is_string(b) || json_is_array(b)))
        return repeat(scope, b, python_int(a));
    if (python_is_int(b) && (json_is_string(a) || json_is_array(a)))
        return repeat(scope, a, python_int(b));
    return fail(scope, type_error);
}

static json_t *equal(struct scope *scope, json_t *a, json_t *b)
{
    (void)scope;
    return json_boolean(python_equal(a, b));
}

static json_t *less(struct scope *scope, json_t *a, json_t *b)
{
    int order;
    if (!python_compare(a, b, &order))
        return fail(scope, type_error);
    return json_boolean(order < 0);
}

static size_t characters(const json_t *text)
{
    size_t count = 0;
    for (const char *c = json_string_value(text); *c; c++)
        count += ((unsigned char)*c & 0xc0) != 0x80;
    return count;
}

// The text of character `index` of a text. Gives.
static json_t *character(const json_t *text, size_t index)
{
    const char *c = json_string_value(text);
    while (*c && index > 0) {
        c++;
        index -= ((unsigned char)*c & 0xc0) != 0x80;
    }
    size_t size = 1;
    while (((unsigned char)c[size] & 0xc0) == 0x80)
        size++;
    return json_stringn(c, size);
}

static json_t *at(struct scope *scope, json_t *value, json_t *index)
{
    if (json_is_object(value) && json_is_string(index)) {
        json_t *item = json_object_get(value, json_string_value(index));
        return item ? json_incref(item) : fail(scope, key_error);
    }
    if (json_is_object(value))
        return fail(scope, key_error);
    if (!python_is_int(index))
        return fail(scope, type_error);
    if (json_is_array(value))
        return json_incref(item_at(scope, value, python_int(index)));
    if (!json_is_string(value))
        return fail(scope, type_error);
    json_int_t count = (json_int_t)characters(value);
    json_int_t place = python_int(index) + (python_int(index) < 0 ? count : 0);
    if (place < 0 || place >= count)
        return fail(scope, index_error);
    return character(value, (size_t)place);
}

// Both values of a list of two expressions, then `function` of them.
static json_t *with_two(struct scope *scope, json_t *argument,
    json_t *(*function)(struct scope *, json_t *, json_t *))
{
    json_t *both = values(scope, argument);
    json_t *result = NULL;
    if (both && json_array_size(both) >= 2)
        result =
            function(scope, json_array_get(both, 0), json_array_get(both, 1));
    else if (both)
        fail(scope, index_error);
    json_decref(both);
    return result;
}

static json_t *op_sub(struct scope *scope, json_t *argument)
{
    return with_two(scope, argument, subtract);
}

static json_t *op_mul(struct scope *scope, json_t *argument)
{
    return with_two(scope, argument, multiply);
}

static json_t *op_eq(struct scope *scope, json_t *argument)
{
    return with_two(scope, argument, equal);
}

static json_t *op_lt(struct scope *scope, json_t *argument)
{
    return with_two(scope, argument, less);
}

static json_t *op_at(struct scope *scope, json_t *argument)
{
    return with_two(scope, argument, at);
}

static json_t *op_len(struct scope *scope, json_t *argument)
{
    json_t *value = expression_value(scope, argument);
    if (!value)
        return NULL;
    size_t count = 0;
    bool good = true;
    if (json_is_string(value))
        count = characters(value);
    else if (json_is_array(value))
        count = json_array_size(value);
    else if (json_is_object(value))
        count = json_object_size(value);
    else
        good = !python_true(value); // len(x or [])
    json_decref(value);
    return good ? json_integer((json_int_t)count) : fail(scope, type_error);
}

static json_t *op_not(struct scope *scope, json_t *argument)
{
    json_t *value = expression_value(scope, argument);
    if (!value)
        return NULL;
    json_t *result = json_boolean(!python_true(value));
    json_decref(value);
    return result;
}

static json_t *op_has(struct scope *scope, json_t *key)
{
    return json_boolean(json_is_object(scope->input) &&
                        json_object_get(scope->input, json_string_value(key)));
}

static json_t *op_if(struct scope *scope, json_t *argument)
{
    json_t *value = expression_value(scope, json_array_get(argument, 0));
    if (!value)
        return NULL;
    size_t chosen = python_true(value) ? 1 : 2;
    json_decref(value);
    return expression_value(scope, json_array_get(argument, chosen));
}

static json_t *op_str(struct scope *scope, json_t *argument)
{
    json_t *value = expression_value(scope, argument);
    if (!value)
        return NULL;
    struct text text = {0};
    text_str(&text, "");
    python_str(&text, value);
    json_t *result = json_stringn(text.data, text.size);
    free(text.data);
    json_decref(value);
    return result;
}

static json_t *op_range(struct scope *scope, json_t *argument)
{
    enum { range_max = 1000000 };
    json_t *value = expression_value(scope, argument);
    if (!value)
        return NULL;
    bool good = python_is_int(value);
    json_int_t count = good ? python_int(value) : 0;
    json_decref(value);
    if (!good)
        return fail(scope, type_error);
    if (count > range_max)
        return fail(scope, overflow_error);
    json_t *list = json_array();
    for (json_int_t i = 0; i < count; i++)
        json_array_append_new(list, json_integer(i));
    return list;
}

// What `for item in value` gives: items, characters, keys. Gives.
static json_t *items(struct scope *scope, json_t *value)
{
    if (json_is_array(value))
        return json_incref(value);
    json_t *list = json_array();
    if (json_is_object(value)) {
        const char *key;
        json_t *item;
        json_object_foreach (value, key, item)
            json_array_append_new(list, json_string(key));
    } else if (json_is_string(value)) {
        size_t count = characters(value);
        for (size_t i = 0; i < count; i++)
            json_array_append_new(list, character(value, i));
    } else {
        json_decref(list);
        return fail(scope, type_error);
    }
    return list;
}

static json_t *op_sort(struct scope *scope, json_t *argument)
{
    json_t *value = expression_value(scope, argument);
    json_t *list = value ? items(scope, value) : NULL;
    json_decref(value);
    if (!list)
        return NULL;
    json_t *sorted = json_array();
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *item = json_array_get(list, i);
        size_t place = i;
        int order = -1;
        for (; place > 0; place--) {
            if (!python_compare(
                    item, json_array_get(sorted, place - 1), &order)) {
                json_decref(list);
                json_decref(sorted);
                return fail(scope, type_error);
            }
            if (order >= 0)
                break;
        }
        json_array_insert(sorted, place, item);
    }
    json_decref(list);
    return sorted;
}

static json_t *op_map(struct scope *scope, json_t *argument)
{
    const char *name = json_string_value(json_array_get(argument, 0));
    json_t *over = expression_value(scope, json_array_get(argument, 1));
    json_t *list = over ? items(scope, over) : NULL;
    json_decref(over);
    if (!list)
        return NULL;
    json_t *result = json_array();
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_object_set(scope->vars, name, json_array_get(list, i));
        json_t *value = expression_value(scope, json_array_get(argument, 2));
        if (!value) {
            json_decref(result);
            result = NULL;
            break;
        }
        json_array_append_new(result, value);
    }
    json_decref(list);
    return result;
}

static json_t *send(struct scope *scope, json_t *node, json_t *argument)
{
    (void)scope;
    return json_pack("{s:{s:O, s:O}}", "$send", "node", node, "arg", argument);
}

static json_t *op_send(struct scope *scope, json_t *argument)
{
    return with_two(scope, argument, send);
}

static json_t *op_overwrite(struct scope *scope, json_t *argument)
{
    json_t *value = expression_value(scope, argument);
    return value ? json_pack("{s:o}", "__overwrite__", value) : NULL;
}

static json_t *op_message(struct scope *scope, json_t *argument)
{
    json_t *value = expression_value(scope, argument);
    if (!value)
        return NULL;
    json_t *message = message_map(value);
    json_decref(value);
    return message ? message : fail(scope, type_error);
}

static const struct {
    const char *name;
    op_fn *function;
} ops[] = {
    {"$", op_input},
    {"$var", op_var},
    {"$quote", op_quote},
    {"$cat", op_cat},
    {"$add", op_cat},
    {"$sub", op_sub},
    {"$mul", op_mul},
    {"$len", op_len},
    {"$eq", op_eq},
    {"$lt", op_lt},
    {"$not", op_not},
    {"$has", op_has},
    {"$if", op_if},
    {"$at", op_at},
    {"$str", op_str},
    {"$range", op_range},
    {"$sort", op_sort},
    {"$map", op_map},
    {"$send", op_send},
    {"$overwrite", op_overwrite},
    {"$message", op_message},
};

json_t *expression_value(struct scope *scope, json_t *expression)
{
    if (!expression)
        return fail(scope, index_error);
    if (json_is_array(expression))
        return values(scope, expression);
    if (!json_is_object(expression))
        return json_deep_copy(expression); // the script is every thread's
    const char *key = json_object_iter_key(json_object_iter(expression));
    if (json_object_size(expression) == 1 && key[0] == '$') {
        for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++)
            if (strcmp(ops[i].name, key) == 0)
                return ops[i].function(scope, json_object_get(expression, key));
        return fail(scope, key_error);
    }
    json_t *result = json_object();
    json_t *item;
    json_object_foreach (expression, key, item) {
        json_t *value = expression_value(scope, item);
        if (!value) {
            json_decref(result);
            return NULL;
        }
        json_object_set_new(result, key, value);
    }
    return result;
}
