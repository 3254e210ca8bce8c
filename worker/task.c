// task.c - the half of superstep.h that a node's body calls.
#include "worker/task.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/reserved.h"
#include "common/model/value.h"
#include "worker/limits.h"

// ------------------------------------------------------------------ text

// printf into a new string of at most `size_max` bytes that is good UTF-8,
// since it goes into JSON: a text that is not loses its bytes above 127. Gives.
static char *vtext(size_t size_max, const char *format, va_list args)
{
    if (!format)
        return ss_strdup("(no text: its format is NULL)");
    char *text = ss_alloc(size_max);
    int wanted = vsnprintf(text, size_max, format, args);
    if (wanted < 0)
        snprintf(
            text, size_max, "(a text that cannot be formatted: %s)", format);
    size_t size = strlen(text);
    if (wanted >= 0 && (size_t)wanted > size) {
        // Cut between characters.
        while (size > 0 && ((unsigned char)text[size - 1] & 0xc0) == 0x80)
            size--;
        if (size > 0 && (unsigned char)text[size - 1] >= 0x80)
            size--;
        text[size] = '\0';
    }
    json_t *good = json_stringn(text, size);
    for (size_t i = 0; !good && i < size; i++)
        if ((unsigned char)text[i] >= 0x80)
            text[i] = '?';
    json_decref(good);
    return ss_realloc(text, size + 1);
}

static char *text_of(const char *text, size_t size_max)
{
    if (!text)
        return NULL;
    char *copy = ss_memdup(text, strnlen(text, size_max - 1));
    json_t *good = json_string(copy);
    for (char *c = copy; !good && *c; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    json_decref(good);
    return copy;
}

// ------------------------------------------------------------------ the task

void ss_task_fail_args(struct ss_task *task, int code, const char *kind,
    enum ss_retryable retryable, const char *format, va_list args)
{
    if (task->failed)
        return;
    task->failed = true;
    task->outcome->code = code;
    task->outcome->retryable = retryable;
    task->outcome->error_kind = text_of(kind, SS_KIND_SIZE_MAX);
    task->outcome->message =
        format ? vtext(SS_FAILURE_SIZE_MAX, format, args)
               : ss_format("the body failed and did not say why: the format "
                           "that it gave is NULL");
}

void ss_task_fail(struct ss_task *task, int code, const char *kind,
    enum ss_retryable retryable, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    ss_task_fail_args(task, code, kind, retryable, format, args);
    va_end(args);
}

void ss_task_fini(struct ss_task *task)
{
    json_decref(task->update);
    json_decref(task->updates);
    json_decref(task->gotos);
    json_decref(task->parents);
    json_decref(task->values);
    json_decref(task->lent);
}

static void append(json_t **list, json_t *item)
{
    if (!*list)
        *list = json_array();
    json_array_append_new(*list, item);
}

// A value that a call takes. NULL is what json_pack() gives for a wrong format.
static bool is_there(struct ss_task *task, const char *call, json_t *value)
{
    if (!value && task->outcome->question)
        ss_task_fail(task, SS_EUPDATE, NULL, SS_RETRY_NO,
            "%s: its value is NULL: ss_interrupt() asked, and the body went "
            "on; return what it returned",
            call);
    else if (!value)
        ss_task_fail(task, SS_EUPDATE, NULL, SS_RETRY_NO,
            "%s: its value is NULL; did json_pack() refuse its format, or a "
            "text that is not UTF-8?",
            call);
    return value != NULL;
}

// The same, of a value that is encoded before the body has returned, or that is
// none of its writes (execute.c looks at those). One that cannot be is let go.
static bool is_good(struct ss_task *task, const char *call, json_t *value)
{
    struct ss_error error;
    if (!is_there(task, call, value))
        return false;
    struct ss_value *held = ss_value_new(json_incref(value));
    bool is_valid = ss_value_valid(held, &error) == SS_OK;
    ss_value_unref(held);
    if (is_valid)
        return true;
    ss_task_fail(task, SS_EUPDATE, NULL, SS_RETRY_NO,
        "%s: %s; does it hold itself?", call, error.message);
    json_decref(value);
    return false;
}

// ------------------------------------------------------------------ input

json_t *ss_task_input(const struct ss_task *task)
{
    struct ss_value *input = task->order->input;
    return input ? ss_value_json(input) : json_null();
}

json_t *ss_input(struct ss_task *task)
{
    return ss_task_input(task);
}

json_t *ss_input_get(struct ss_task *task, const char *key)
{
    struct ss_value *input = task->order->input;
    return input && key ? ss_value_member_json(input, key) : NULL;
}

const char *ss_input_str(struct ss_task *task, const char *key)
{
    return json_string_value(ss_input_get(task, key));
}

int64_t ss_input_int(struct ss_task *task, const char *key)
{
    return json_integer_value(ss_input_get(task, key));
}

double ss_input_float(struct ss_task *task, const char *key)
{
    return json_number_value(ss_input_get(task, key));
}

bool ss_input_bool(struct ss_task *task, const char *key)
{
    return json_is_true(ss_input_get(task, key));
}

// ------------------------------------------------------------------ writes

// Takes `update`.
static void add_update(struct ss_task *task, json_t *update)
{
    if (task->update)
        append(&task->updates, update);
    else
        task->update = update;
}

// One that is no map is refused with what it is, as a text.
int ss_update(struct ss_task *task, json_t *update)
{
    if (json_is_object(update) ? !is_there(task, "ss_update", update)
                               : !is_good(task, "ss_update", update))
        return SS_FAILED;
    add_update(task, update);
    task->set = NULL;
    return 0;
}

// `call` set `key`; `wrong` says what a NULL means.
static int set(struct ss_task *task, const char *call, const char *key,
    json_t *value, const char *wrong)
{
    if (key && value && (!task->set || json_object_get(task->set, key))) {
        task->set = json_object();
        add_update(task, task->set);
    }
    if (key && value && json_object_set_new(task->set, key, value) == 0)
        return 0;
    if (!key)
        json_decref(value);
    ss_task_fail(task, SS_EUPDATE, NULL, SS_RETRY_NO, "%s: key \"%s\": %s",
        call, key ? key : "NULL",
        key && !value ? wrong : "a key is a text of UTF-8");
    return SS_FAILED;
}

int ss_set_int(struct ss_task *task, const char *key, int64_t value)
{
    return set(task, "ss_set_int", key, json_integer(value), "");
}

int ss_set_float(struct ss_task *task, const char *key, double value)
{
    return set(task, "ss_set_float", key, json_real(value),
        "NaN and the infinities are not values of JSON");
}

int ss_set_bool(struct ss_task *task, const char *key, bool value)
{
    return set(task, "ss_set_bool", key, json_boolean(value), "");
}

int ss_set_str(struct ss_task *task, const char *key, const char *value)
{
    return set(task, "ss_set_str", key, json_string(value),
        value ? "its text is not UTF-8" : "its text is NULL");
}

int ss_set_text(struct ss_task *task, const char *key, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    json_t *text = format ? json_vsprintf(format, args) : NULL;
    va_end(args);
    return set(task, "ss_set_text", key, text,
        format ? "its text is not UTF-8, or its format is none of printf()'s"
               : "its format is NULL");
}

int ss_set_json(struct ss_task *task, const char *key, json_t *value)
{
    if (!is_there(task, "ss_set_json", value))
        return SS_FAILED;
    return set(task, "ss_set_json", key, value, "");
}

json_t *ss_overwrite(json_t *value)
{
    return value ? json_pack("{s:o}", SS_NAME_OVERWRITE, value) : NULL;
}

bool ss_task_names_node(
    struct ss_task *task, const char *call, const json_t *item)
{
    if (!item)
        ss_task_fail(task, SS_EUPDATE, NULL, SS_RETRY_NO,
            "%s: the name of its node is NULL, or not UTF-8; does the state "
            "hold what names it?",
            call);
    return item != NULL;
}

static int go(struct ss_task *task, const char *call, json_t *item)
{
    if (!ss_task_names_node(task, call, item))
        return SS_FAILED;
    append(&task->gotos, item);
    return 0;
}

int ss_send_to(struct ss_task *task, const char *node, json_t *input)
{
    if (!is_there(task, "ss_send_to", input))
        return SS_FAILED;
    return go(task, "ss_send_to",
        json_pack("{s:{s:s, s:o}}", "$send", "node", node, "arg", input));
}

int ss_goto(struct ss_task *task, const char *node)
{
    return go(task, "ss_goto", json_string(node));
}

int ss_parent(struct ss_task *task, json_t *update, const char *node)
{
    json_t *command = json_pack("{s:s}", "graph", SS_NAME_PARENT);
    if (update)
        json_object_set_new(command, "update", update);
    if (node)
        json_object_set_new(command, "goto", json_string(node));
    append(&task->parents, json_pack("{s:o}", "$command", command));
    return 0;
}

int ss_return(struct ss_task *task, json_t *value)
{
    if (!is_good(task, "ss_return", value))
        return SS_FAILED;
    append(&task->values, value);
    return 0;
}

static json_t *command_of(json_t *update, json_t *gotos)
{
    json_t *command = json_object();
    if (update)
        json_object_set(command, "update", update);
    if (gotos)
        json_object_set(command, "goto", gotos);
    return json_pack("{s:o}", "$command", command);
}

// An update as the body's plain return value: quoted where it looks like a mark
// (a state may have a key "$send").
static json_t *plain_update(json_t *update)
{
    const char *key = json_object_iter_key(json_object_iter(update));
    if (json_object_size(update) == 1 && key[0] == '$')
        return json_pack("{s:O}", "$quote", update);
    return json_incref(update);
}

json_t *ss_task_returned(const struct ss_task *task)
{
    size_t updates = task->update ? 1 + json_array_size(task->updates) : 0;
    size_t values = json_array_size(task->values);
    size_t parents = json_array_size(task->parents);
    bool others = task->gotos || values > 0 || parents > 0;
    if (updates == 0 && !others)
        return json_null();
    if (updates == 1 && !others)
        return plain_update(task->update);
    if (values == 1 && updates == 0 && parents == 0 && !task->gotos)
        return json_incref(json_array_get(task->values, 0));
    // Several calls: a list of commands, so that each counts (R0.7).
    json_t *list = json_array();
    for (size_t i = 0; i < updates; i++)
        json_array_append_new(list,
            command_of(
                i == 0 ? task->update : json_array_get(task->updates, i - 1),
                NULL));
    if (values > 0)
        json_array_extend(list, task->values);
    if (task->gotos)
        json_array_append_new(list, command_of(NULL, task->gotos));
    if (parents > 0)
        json_array_extend(list, task->parents);
    return json_pack("{s:o}", "$list", list);
}

// ------------------------------------------------------------------ live

static void show(
    struct ss_task *task, bool is_wanted, enum ss_live_kind kind, json_t *item)
{
    const struct ss_execute_hooks *hooks = task->hooks;
    if (hooks->progress)
        hooks->progress(hooks->ctx, task->order, false);
    if (is_wanted && hooks->live)
        hooks->live(hooks->ctx, task->order, kind, item);
    json_decref(item);
}

int ss_emit(struct ss_task *task, json_t *item)
{
    if (!is_good(task, "ss_emit", item))
        return SS_FAILED;
    show(task, task->order->want_custom, SS_LIVE_CUSTOM, item);
    return 0;
}

int ss_emit_message(struct ss_task *task, json_t *chunk)
{
    if (!is_good(task, "ss_emit_message", chunk))
        return SS_FAILED;
    show(task, task->order->want_messages, SS_LIVE_MESSAGE, chunk);
    return 0;
}

bool ss_heartbeat(struct ss_task *task)
{
    if (task->hooks->progress)
        task->hooks->progress(task->hooks->ctx, task->order, true);
    return !ss_cancelled(task);
}

bool ss_cancelled(struct ss_task *task)
{
    return task->hooks->cancelled &&
           task->hooks->cancelled(task->hooks->ctx, task->order);
}

int64_t ss_deadline_ms(struct ss_task *task)
{
    return task->hooks->left_ms
               ? task->hooks->left_ms(task->hooks->ctx, task->order)
               : INT64_MAX;
}

void ss_log(struct ss_task *task, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = vtext(SS_LOG_SIZE_MAX, format, args);
    va_end(args);
    if (task->hooks->log)
        task->hooks->log(task->hooks->ctx, task->order, text);
    else
        fprintf(stderr, "node %s (thread %s, step %" PRId64 "): %s\n",
            task->order->node, task->order->thread, task->order->step, text);
    ss_free(text);
}

// ------------------------------------------------------------------ questions

// The answer to the question that is asked now, or NULL. Borrowed.
static json_t *next_answer(struct ss_task *task)
{
    json_t *answer =
        json_array_get(task->order->given.answers, task->asked_count);
    if (answer)
        return answer;
    if (!task->order->given.plain || task->plain_taken)
        return NULL;
    task->plain_taken = true;
    task->outcome->took_plain = true;
    return ss_value_json(task->order->given.plain);
}

static int ask(struct ss_task *task, json_t *question, json_t *schema)
{
    // A body that asks again did not return after SS_INTERRUPTED: only its
    // first question counts.
    if (task->outcome->question) {
        json_decref(question);
        json_decref(schema);
        return SS_INTERRUPTED;
    }
    task->outcome->question = json_pack("{s:o}", "value", question);
    if (schema)
        json_object_set_new(task->outcome->question, "response_schema", schema);
    return SS_INTERRUPTED;
}

static int take_answer(
    struct ss_task *task, json_t *answer, const char *type, json_t **ret_answer)
{
    json_t *value;
    if (!ss_answer_fits(type, answer, &value)) {
        char *text = ss_json_text(answer);
        ss_task_fail(task, SS_EANSWER, "invalid_answer", SS_RETRY_NO,
            "the answer to question %zu of node %s must be of type %s, not "
            "%.200s",
            task->asked_count + 1, task->order->node, type, text);
        ss_free(text);
        return SS_FAILED;
    }
    task->asked_count++;
    append(&task->outcome->answers, json_incref(answer));
    append(&task->lent, value);
    *ret_answer = value;
    return 0;
}

int ss_interrupt_schema(struct ss_task *task, json_t *question, json_t *schema,
    bool check, json_t **ret_answer)
{
    *ret_answer = NULL;
    if (!is_good(task, "ss_interrupt", question)) {
        json_decref(schema);
        return SS_FAILED;
    }
    json_t *answer = task->outcome->question ? NULL : next_answer(task);
    if (!answer)
        return ask(task, question, schema);
    const char *type = check ? ss_json_str(schema, "type", NULL) : NULL;
    int result = take_answer(task, answer, type, ret_answer);
    json_decref(question);
    json_decref(schema);
    return result;
}

int ss_interrupt(struct ss_task *task, json_t *question, json_t **ret_answer)
{
    return ss_interrupt_schema(task, question, NULL, false, ret_answer);
}

// ------------------------------------------------------------------ failures

int ss_fail(struct ss_task *task, const char *kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    ss_task_fail_args(task, SS_ENODE, kind, SS_RETRY_YES, format, args);
    va_end(args);
    return SS_FAILED;
}

int ss_fail_final(
    struct ss_task *task, const char *kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    ss_task_fail_args(task, SS_ENODE, kind, SS_RETRY_NO, format, args);
    va_end(args);
    return SS_FAILED;
}

void ss_drain(struct ss_task *task, const char *reason)
{
    ss_free(task->outcome->drain);
    task->outcome->drain = text_of(reason ? reason : "", SS_FAILURE_SIZE_MAX);
}

json_t *ss_error(struct ss_task *task)
{
    return task->order->given.error;
}

// ------------------------------------------------------------------ facts

unsigned ss_attempt_number(struct ss_task *task)
{
    return task->order->attempt_number;
}

int64_t ss_step(struct ss_task *task)
{
    return task->order->step;
}

const char *ss_thread_id(struct ss_task *task)
{
    return task->order->thread;
}

const char *ss_run_id(struct ss_task *task)
{
    return task->order->run;
}

const char *ss_task_id(struct ss_task *task)
{
    return task->order->task_id;
}

const char *ss_node_name(struct ss_task *task)
{
    return task->order->node;
}

const char *ss_idempotency_key(struct ss_task *task)
{
    // A task's id is a hash of the checkpoint, the node and its place there
    // (R3.12): the same on every worker and after every crash.
    return task->order->task_id;
}

json_t *ss_config(struct ss_task *task)
{
    struct ss_value *config = task->order->given.config;
    return config ? ss_value_json(config) : NULL;
}

json_t *ss_context(struct ss_task *task)
{
    struct ss_value *context = task->order->given.context;
    return context ? ss_value_json(context) : NULL;
}

void *ss_ctx(struct ss_task *task)
{
    return task->graph->nodes[task->node].ctx;
}
