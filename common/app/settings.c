// settings.c - the table of settings, as options and as a list.
#include "common/app/settings.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "common/app/limits.h"
#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/value.h"

static const char hidden[] = "(hidden)";

// ---------------------------------------------------------------- the table

#define X(of, kind, field, name, letter, variable, initial, ...)               \
    SS_SETTING_OF_##of(.field = initial)
#define ONLY(x) x,

#define SS_SETTING_OF_COORDINATOR ONLY
#define SS_SETTING_OF_WORKER(x)
#define SS_SETTING_OF_CLIENT(x)
const struct ss_coordinator_settings ss_coordinator_initial = {
#include "common/app/config.def"
};
#undef SS_SETTING_OF_COORDINATOR
#undef SS_SETTING_OF_WORKER

#define SS_SETTING_OF_COORDINATOR(x)
#define SS_SETTING_OF_WORKER ONLY
static const struct ss_worker_settings worker_initial = {
#include "common/app/config.def"
};
#undef SS_SETTING_OF_WORKER
#undef SS_SETTING_OF_CLIENT

#define SS_SETTING_OF_WORKER(x)
#define SS_SETTING_OF_CLIENT ONLY
static const struct ss_client_settings client_initial = {
#include "common/app/config.def"
};
#undef X

struct row {
    enum ss_settings_of of;
    size_t offset; // of the field
    struct ss_arg arg;
    bool is_secret;
};

#define VALUES_COORDINATOR struct ss_coordinator_settings
#define VALUES_WORKER      struct ss_worker_settings
#define VALUES_CLIENT      struct ss_client_settings
#define IS_SECRET          true
#define IS_PLAIN           false

static const struct row rows[] = {
#define X(program, sort, field, called, short, variable, initial, of_what,     \
    least, most, stands, secrecy, line, paragraph)                             \
    {.of = SS_SETTINGS_OF_##program,                                           \
        .offset = offsetof(VALUES_##program, field),                           \
        .is_secret = IS_##secrecy,                                             \
        .arg = {.name = called,                                                \
            .letter = short,                                                   \
            .kind = SS_ARG_##sort,                                             \
            .value = stands,                                                   \
            .help = line,                                                      \
            .min = least,                                                      \
            .max = most,                                                       \
            .unit = of_what,                                                   \
            .env = variable}},
#include "common/app/config.def"
#undef X
};

enum { ROWS_COUNT = sizeof(rows) / sizeof(*rows) };

static const struct {
    const void *initial;
    size_t size;
} programs[] = {
    [SS_SETTINGS_OF_COORDINATOR] = {&ss_coordinator_initial,
        sizeof(ss_coordinator_initial)},
    [SS_SETTINGS_OF_WORKER] = {&worker_initial, sizeof(worker_initial)},
    [SS_SETTINGS_OF_CLIENT] = {&client_initial, sizeof(client_initial)},
};

static const struct row *find(enum ss_settings_of of, const char *name)
{
    for (size_t i = 0; i < ROWS_COUNT; i++)
        if (rows[i].of == of && strcmp(rows[i].arg.name, name) == 0)
            return &rows[i];
    return NULL;
}

const char *ss_settings_name(enum ss_settings_of of, size_t index)
{
    for (size_t i = 0; i < ROWS_COUNT; i++)
        if (rows[i].of == of && index-- == 0)
            return rows[i].arg.name;
    return NULL;
}

// ---------------------------------------------------------------- as options

// The line of a setting, with its default. Gives.
static char *help_of(const struct ss_arg *arg)
{
    if (arg->kind == SS_ARG_TEXT && *(const char *const *)arg->to)
        return ss_format("%s (%s)", arg->help, *(const char *const *)arg->to);
    if (arg->kind == SS_ARG_INT && *(const int64_t *)arg->to != 0)
        return ss_format("%s (%" PRId64 " %s)", arg->help,
            *(const int64_t *)arg->to, arg->unit);
    return ss_strdup(arg->help);
}

void ss_settings_init(
    struct ss_settings *settings, enum ss_settings_of of, void *values)
{
    size_t count = 0;
    *settings = (struct ss_settings){.of = of};
    memcpy(values, programs[of].initial, programs[of].size);
    for (size_t i = 0; i < ROWS_COUNT; i++) {
        if (rows[i].of != of)
            continue;
        ss_check(count < SS_SETTINGS_MAX);
        struct ss_arg *arg = &settings->items[count];
        *arg = rows[i].arg;
        arg->to = (char *)values + rows[i].offset;
        arg->origin = &settings->origins[count];
        if (*arg->env == '\0')
            arg->env = NULL;
        arg->help = settings->helps[count++] = help_of(arg);
    }
}

void ss_settings_fini(struct ss_settings *settings)
{
    const struct ss_args args = {.items = settings->items};
    ss_args_fini(&args);
    for (size_t i = 0; i < SS_SETTINGS_MAX; i++)
        ss_free(settings->helps[i]);
    *settings = (struct ss_settings){.of = settings->of};
}

static struct ss_arg *item_of(struct ss_settings *settings, const char *name)
{
    for (struct ss_arg *it = settings->items; it->name; it++)
        if (strcmp(it->name, name) == 0)
            return it;
    return NULL;
}

void ss_settings_hide(struct ss_settings *settings, const char *name)
{
    struct ss_arg *it = item_of(settings, name);
    ss_check(it);
    for (; it->name; it++)
        *it = it[1];
}

enum ss_arg_from ss_settings_from(
    const struct ss_settings *settings, const char *name)
{
    for (const struct ss_arg *it = settings->items; it->name; it++)
        if (strcmp(it->name, name) == 0)
            return it->origin->from;
    return SS_ARG_FROM_NOWHERE;
}

const char *ss_settings_secret_file(
    const struct ss_settings *settings, size_t index)
{
    for (const struct ss_arg *it = settings->items; it->name; it++)
        if (it->origin->from == SS_ARG_FROM_FILE &&
            find(settings->of, it->name)->is_secret && index-- == 0)
            return it->origin->at;
    return NULL;
}

// ---------------------------------------------------------------- as a list

static const char *from_name(enum ss_arg_from from)
{
    switch (from) {
    case SS_ARG_FROM_FLAG:
        return "flag";
    case SS_ARG_FROM_ENVIRONMENT:
        return "environment";
    case SS_ARG_FROM_FILE:
        return "file";
    case SS_ARG_FROM_NOWHERE:
    default:
        return "default";
    }
}

// A command line may hold anything.
static json_t *text_json(const char *text)
{
    json_t *json = json_string(text);
    return json ? json : json_string("(not UTF-8)");
}

static json_t *words_json(const struct ss_arg_list *list)
{
    json_t *words = json_array();
    for (size_t i = 0; i < list->count; i++)
        json_array_append_new(words, text_json(list->items[i]));
    return words;
}

static json_t *value_json(const struct ss_arg *arg)
{
    const char *text;
    switch (arg->kind) {
    case SS_ARG_FLAG:
        return json_boolean(*(const bool *)arg->to);
    case SS_ARG_INT:
        return json_integer((json_int_t) * (const int64_t *)arg->to);
    case SS_ARG_LIST:
    case SS_ARG_REST:
        return words_json(arg->to);
    case SS_ARG_TEXT:
    default:
        text = *(const char *const *)arg->to;
        return text_json(text ? text : "");
    }
}

json_t *ss_settings_json(const struct ss_settings *settings)
{
    json_t *list = json_array();
    for (const struct ss_arg *it = settings->items; it->name; it++) {
        const struct row *row = find(settings->of, it->name);
        const char *from = from_name(it->origin->from);
        json_t *value = value_json(it);
        if (row->is_secret && *json_string_value(value)) {
            json_decref(value);
            value = json_string(hidden);
        }
        json_array_append_new(
            list, json_pack("{s:s, s:o, s:s, s:s, s:o*}", "name", it->name,
                      "value", value, "unit", it->unit, "from", from, "at",
                      it->origin->at ? text_json(it->origin->at) : NULL));
    }
    return list;
}

void ss_settings_note(json_t *list, const char *name, json_t *value)
{
    size_t i;
    json_t *item;
    json_array_foreach (list, i, item)
        if (strcmp(ss_json_str(item, "name", ""), name) == 0) {
            json_object_set(item, "value", value);
            break;
        }
    json_decref(value);
}
