// script.c - the statements of a scenario's scripts.
#include "script.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "counters.h"
#include "expression.h"
#include "python.h"

static const char number_key[] = "#"; // of a `fail` statement

struct run {
    struct ss_task *task;
    const struct script *script;
    struct scope scope;
    bool returned; // the script said what it returns
    int result;
};

typedef void statement_fn(struct run *run, json_t *argument, json_t *statement);

static void run_body(struct run *run, json_t *body);

static bool stopped(const struct run *run)
{
    return run->returned;
}

static void stop(struct run *run, int result)
{
    run->returned = true;
    run->result = result;
}

// The value of an expression; NULL after it stopped the script.
static json_t *value_of(struct run *run, json_t *expression)
{
    json_t *value = expression_value(&run->scope, expression);
    if (!value)
        stop(run, ss_fail_final(
                      run->task, run->scope.failed, "%s", run->scope.failed));
    return value;
}

static void do_let(struct run *run, json_t *argument, json_t *statement)
{
    (void)statement;
    json_t *value = value_of(run, json_array_get(argument, 1));
    if (value)
        json_object_set_new(run->scope.vars,
            json_string_value(json_array_get(argument, 0)), value);
}

static void do_emit(struct run *run, json_t *argument, json_t *statement)
{
    (void)statement;
    json_t *value = value_of(run, argument);
    if (value)
        ss_emit(run->task, value);
}

static json_t *schema_of(json_t *statement, bool *ret_check)
{
    static const char *const types[][2] = {{"int", "integer"},
        {"float", "number"}, {"str", "string"}, {"bool", "boolean"}};
    const char *type = json_string_value(json_object_get(statement, "answer"));
    *ret_check = type;
    for (size_t i = 0; type && i < sizeof(types) / sizeof(*types); i++)
        if (strcmp(types[i][0], type) == 0)
            return json_pack("{s:s}", "type", types[i][1]);
    json_t *schema = json_object_get(statement, "schema");
    return json_is_null(schema) ? NULL : json_incref(schema);
}

static void do_interrupt(struct run *run, json_t *argument, json_t *statement)
{
    json_t *question = value_of(run, argument);
    if (!question)
        return;
    bool check;
    json_t *schema = schema_of(statement, &check);
    json_t *answer = NULL;
    int result = schema ? ss_interrupt_schema(
                              run->task, question, schema, check, &answer)
                        : ss_interrupt(run->task, question, &answer);
    if (result != 0) {
        stop(run, result);
        return;
    }
    const char *name = json_string_value(json_object_get(statement, "as"));
    json_object_set(run->scope.vars, name ? name : "_", answer);
}

static void do_drain(struct run *run, json_t *argument, json_t *statement)
{
    (void)statement;
    json_t *reason = value_of(run, argument);
    if (reason)
        ss_drain(
            run->task, json_is_string(reason) ? json_string_value(reason) : "");
    json_decref(reason);
}

static void do_fail(struct run *run, json_t *argument, json_t *statement)
{
    json_t *number = json_object_get(statement, number_key);
    long before = counters_add(
        run->script->counters, COUNTER_FAIL, json_string_value(number));
    json_t *times = json_object_get(statement, "times");
    if (before >= (times ? json_integer_value(times) : LONG_MAX))
        return;
    json_t *message = value_of(run, argument);
    if (!message)
        return;
    struct text text = {0};
    text_str(&text, "");
    python_str(&text, message);
    json_decref(message);
    const char *kind = json_string_value(json_object_get(statement, "kind"));
    bool final = kind && strcmp(kind, "refusal") == 0;
    stop(run, final ? ss_fail_final(run->task, "refusal", "%s", text.data)
                    : ss_fail(run->task, "failure", "%s", text.data));
    free(text.data);
}

static void do_count(struct run *run, json_t *argument, json_t *statement)
{
    (void)statement;
    if (counters_add(run->script->counters, COUNTER_COUNT,
            json_string_value(argument)) < 0)
        stop(run, ss_fail_final(run->task, "counters", "%s: %s",
                      run->script->counters, strerror(errno)));
}

static void do_sleep(struct run *run, json_t *argument, json_t *statement)
{
    (void)run;
    (void)statement;
    json_int_t ms = json_integer_value(argument);
    struct timespec left = {
        .tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000};
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
}

static void do_if(struct run *run, json_t *argument, json_t *statement)
{
    json_t *value = value_of(run, argument);
    if (!value)
        return;
    const char *branch = python_true(value) ? "then" : "else";
    json_decref(value);
    run_body(run, json_object_get(statement, branch));
}

json_t *script_returned(json_t *value)
{
    if (!json_is_object(value) || json_object_size(value) != 1)
        return value;
    const char *key = json_object_iter_key(json_object_iter(value));
    json_t *send = json_object_get(value, "$send");
    if (key[0] != '$' || json_object_get(send, "node"))
        return value;
    return json_pack("{s:o}", "$quote", value);
}

static void do_return(struct run *run, json_t *argument, json_t *statement)
{
    (void)statement;
    json_t *value = value_of(run, argument);
    if (value)
        stop(run, ss_return(run->task, script_returned(value)));
}

static void do_command(struct run *run, json_t *argument, json_t *statement)
{
    (void)statement;
    static const char *const parts[] = {"update", "goto"};
    json_t *command = json_object();
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        json_t *expression = json_object_get(argument, parts[i]);
        json_t *value = expression ? value_of(run, expression) : NULL;
        if (value)
            json_object_set_new(command, parts[i], value);
        if (stopped(run)) {
            json_decref(command);
            return;
        }
    }
    if (python_true(json_object_get(argument, "parent")))
        json_object_set_new(command, "graph", json_string("__parent__"));
    stop(run, ss_return(run->task, json_pack("{s:o}", "$command", command)));
}

static const struct {
    const char *name;
    statement_fn *function;
} statements[] = {
    {"let", do_let},
    {"emit", do_emit},
    {"interrupt", do_interrupt},
    {"drain", do_drain},
    {"fail", do_fail},
    {"count", do_count},
    {"sleep_ms", do_sleep},
    {"if", do_if},
    {"return", do_return},
    {"command", do_command},
};

static void run_statement(struct run *run, json_t *statement)
{
    const char *name = json_object_iter_key(json_object_iter(statement));
    for (size_t i = 0; name && i < sizeof(statements) / sizeof(*statements);
         i++)
        if (strcmp(statements[i].name, name) == 0) {
            statements[i].function(
                run, json_object_get(statement, name), statement);
            return;
        }
    stop(run, ss_fail_final(run->task, "script", "unknown statement %s",
                  name ? name : "{}"));
}

static void run_body(struct run *run, json_t *body)
{
    for (size_t i = 0; i < json_array_size(body) && !stopped(run); i++)
        run_statement(run, json_array_get(body, i));
}

int script_node(struct ss_task *task)
{
    struct run run = {.task = task, .script = ss_ctx(task)};
    scope_init(&run.scope, ss_input(task));
    run_body(&run, run.script->body);
    scope_fini(&run.scope);
    return stopped(&run) ? run.result : ss_return(task, json_null());
}

void script_number(json_t *json, json_int_t *next)
{
    if (json_is_array(json)) {
        for (size_t i = 0; i < json_array_size(json); i++)
            script_number(json_array_get(json, i), next);
    } else if (json_is_object(json)) {
        const char *first = json_object_iter_key(json_object_iter(json));
        const char *key;
        json_t *item;
        json_object_foreach (json, key, item)
            script_number(item, next);
        if (first && strcmp(first, "fail") == 0)
            json_object_set_new(
                json, number_key, json_sprintf("%lld", (long long)(*next)++));
    }
}
