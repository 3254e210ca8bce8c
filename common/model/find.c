// find.c - reads what is looked for, and judges records by it.
#include "common/model/find.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/model/run_status.h"
#include "common/model/suggest.h"
#include "common/model/thread_status.h"
#include "common/model/value.h"

// ------------------------------------------------ reading

#define BY_TIME "newest"
#define BY_KEY  "key"

bool ss_find_by_time(const struct ss_request *request)
{
    return request->order && strcmp(request->order, BY_TIME) == 0;
}

static int check_order(const struct ss_request *request, struct ss_error *error)
{
    struct ss_hint hint;
    if (!request->has.order || ss_find_by_time(request) ||
        (request->order && strcmp(request->order, BY_KEY) == 0))
        return SS_OK;
    ss_hint_init(&hint, request->order ? request->order : "");
    ss_hint_offer(&hint, BY_TIME);
    ss_hint_offer(&hint, BY_KEY);
    return ss_error_set(error, SS_EINVAL,
        "%s: there is no order \"%s\", only \"" BY_TIME "\" and \"" BY_KEY
        "\".%s",
        ss_request_name(request), request->order ? request->order : "",
        ss_hint_text(&hint));
}

static int check_status(
    const struct ss_request *request, struct ss_error *error)
{
    static const char *const of_threads[] = {SS_THREAD_IDLE,
        SS_THREAD_INTERRUPTED, SS_THREAD_FAILED, SS_THREAD_RUNNING};
    bool is_of_runs = request->op == SS_OP_RUNS;
    size_t count = is_of_runs ? SS_RUN_CANCELLED
                              : sizeof(of_threads) / sizeof(*of_threads);
    struct ss_hint hint;
    struct ss_buf names;
    if (!request->status)
        return SS_OK;
    ss_hint_init(&hint, request->status);
    ss_buf_init(&names, SIZE_MAX);
    for (size_t i = 0; i < count; i++) {
        const char *word = is_of_runs
                               ? ss_run_status_name((enum ss_run_status)(i + 1))
                               : of_threads[i];
        if (strcmp(word, request->status) == 0) {
            ss_buf_fini(&names);
            return SS_OK;
        }
        ss_hint_offer(&hint, word);
        ss_buf_add_str(&names, i ? ", " : "");
        ss_buf_add_str(&names, word);
    }
    char *all = ss_buf_steal(&names, NULL);
    int status = ss_error_set(error, SS_EINVAL,
        "%s: there is no status \"%s\".%s There are %s",
        ss_request_name(request), request->status, ss_hint_text(&hint), all);
    ss_free(all);
    return status;
}

// The wall time of so long ago.
static int64_t ago_us(int64_t wall_us, json_int_t age_ms, int64_t otherwise)
{
    if (age_ms == SS_REQUEST_NO_INT)
        return otherwise;
    return age_ms <= 0                ? wall_us
           : age_ms >= wall_us / 1000 ? 0
                                      : wall_us - age_ms * 1000;
}

// "1732749000123456/KEY". False: it is none.
static bool read_place(const char *place, struct ss_find *ret)
{
    size_t digits = strspn(place, "0123456789");
    if (digits == 0 || digits > 18 || place[digits] != '/' ||
        !place[digits + 1])
        return false;
    ret->after_us = strtoll(place, NULL, 10);
    ret->after = ss_strdup(place + digits + 1);
    return true;
}

static int read_after(const struct ss_request *request, struct ss_find *ret,
    struct ss_error *error)
{
    if (!ss_find_by_time(request) || !request->after)
        return SS_OK;
    if (read_place(request->after, ret))
        return SS_OK;
    return ss_error_set(error, SS_EINVAL,
        "%s: \"%s\" is not a place in a list of the newest: take the \"next\" "
        "of the page before",
        ss_request_name(request), request->after);
}

int ss_find_read(const struct ss_request *request, int64_t wall_us,
    struct ss_find *ret, struct ss_error *error)
{
    ss_check(request->op == SS_OP_RUNS || request->op == SS_OP_THREADS);
    *ret = (struct ss_find){.of_threads = request->op == SS_OP_THREADS,
        .thread = ss_strdup(request->thread),
        .prefix = ss_strdup(request->prefix),
        .graph = ss_strdup(request->graph),
        .status = ss_strdup(request->status),
        .metadata = json_deep_copy(request->metadata),
        .since_us = ago_us(wall_us, request->age_ms, 0),
        .until_us = ago_us(wall_us, request->age_min_ms, INT64_MAX)};
    int status = check_status(request, error);
    if (status == SS_OK)
        status = check_order(request, error);
    return status == SS_OK ? read_after(request, ret, error) : status;
}

void ss_find_fini(struct ss_find *find)
{
    ss_free(find->thread);
    ss_free(find->prefix);
    ss_free(find->graph);
    ss_free(find->status);
    ss_free(find->after);
    json_decref(find->metadata);
    *find = (struct ss_find){0};
}

void ss_find_copy(const struct ss_find *find, struct ss_find *ret)
{
    *ret = *find;
    ret->thread = ss_strdup(find->thread);
    ret->prefix = ss_strdup(find->prefix);
    ret->graph = ss_strdup(find->graph);
    ret->status = ss_strdup(find->status);
    ret->after = ss_strdup(find->after);
    ret->metadata = json_deep_copy(find->metadata);
}

bool ss_find_is_picky(const struct ss_find *find)
{
    return find->prefix || find->graph || find->status ||
           json_object_size(find->metadata) > 0 || find->since_us > 0 ||
           find->until_us < INT64_MAX;
}

// ------------------------------------------------ judging

int64_t ss_find_at_us(bool of_threads, const json_t *record)
{
    json_int_t made_us = ss_json_int(record, "created_us", 0);
    json_int_t at_us =
        of_threads ? ss_json_int(record, "updated_us", made_us) : made_us;
    return at_us > 0 ? at_us : 0;
}

const char *ss_find_status(
    bool of_threads, const char *index, const json_t *record)
{
    const char *told = ss_json_str(record, "status", NULL);
    if (!of_threads)
        return told;
    // Only threads that are not idle stand in the index. What an older program
    // put there tells nothing, and may leave what stood in the record.
    return index ? index : told ? SS_THREAD_IDLE : NULL;
}

static bool is_text(const char *wanted, const char *text)
{
    return !wanted || (text && strcmp(wanted, text) == 0);
}

static bool has_pairs(const json_t *wanted, const json_t *record)
{
    const json_t *own = json_object_get(record, SS_FIND_OWN);
    const json_t *metadata = json_object_get(record, "metadata");
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)wanted, key, value) {
        const json_t *said = json_object_get(own, key);
        if (!json_equal(said ? said : json_object_get(metadata, key), value))
            return false;
    }
    return true;
}

static bool fits_otherwise(
    const struct ss_find *find, const char *index, const json_t *record)
{
    const char *thread = ss_json_str(record, "thread", "");
    int64_t at_us = ss_find_at_us(find->of_threads, record);
    return at_us >= find->since_us && at_us < find->until_us &&
           is_text(find->thread, thread) &&
           is_text(find->graph, ss_json_str(record, "graph", NULL)) &&
           is_text(
               find->status, ss_find_status(find->of_threads, index, record)) &&
           (!find->prefix ||
               strncmp(thread, find->prefix, strlen(find->prefix)) == 0);
}

bool ss_find_fits(
    const struct ss_find *find, const char *index, const json_t *record)
{
    return fits_otherwise(find, index, record) &&
           has_pairs(find->metadata, record);
}

// Whether a text in quotes stands anywhere in a record. Most records of a long
// list are none of those that are looked for, and reading one takes many times
// as long as looking it through for a word. True where it might be written in
// another way: with escapes.
static bool may_have_text(const char *wanted, const char *text, size_t size)
{
    size_t length = strlen(wanted);
    const char *at = text, *end = text + size;
    for (const char *c = wanted; *c; c++)
        if (*c < ' ' || *c > '~' || *c == '"' || *c == '\\' || *c == '/')
            return true;
    while (length > 0 && (size_t)(end - at) >= length + 2) {
        at = memchr(at, wanted[0], (size_t)(end - at));
        if (!at || (size_t)(end - at) <= length)
            return false;
        if (at > text && at[-1] == '"' && at[length] == '"' &&
            memcmp(at, wanted, length) == 0)
            return true;
        at++;
    }
    return length == 0;
}

static bool may_have_value(const json_t *value, const char *text, size_t size)
{
    const char *word = json_string_value(value);
    return !word || strlen(word) != json_string_length(value) ||
           may_have_text(word, text, size);
}

bool ss_find_is_none(const struct ss_find *find, const char *text, size_t size)
{
    const char *key;
    json_t *value;
    ss_check(text || size == 0);
    if (find->graph && !may_have_text(find->graph, text, size))
        return true;
    json_object_foreach (find->metadata, key, value)
        if (!may_have_text(key, text, size) ||
            !may_have_value(value, text, size))
            return !may_have_text(SS_FIND_LONG, text, size);
    return false;
}

bool ss_find_may_fit(
    const struct ss_find *find, const char *index, const json_t *record)
{
    return find->metadata && ss_json_bool(record, SS_FIND_LONG, false) &&
           fits_otherwise(find, index, record);
}

// ------------------------------------------------ marks

// As it is written in one way only, whoever wrote it. Gives.
static char *text_of(const json_t *value)
{
    const size_t how = JSON_SORT_KEYS | JSON_COMPACT | JSON_ENCODE_ANY;
    if (json_is_real(value) && json_real_value(value) == 0)
        return ss_strdup("0.0"); // also of one that is negative
    size_t size = json_dumpb(value, NULL, 0, how);
    char *text = ss_zalloc(size + 1, 1);
    size_t written = json_dumpb(value, text, size, how);
    ss_check(written == size);
    return text;
}

// Equal values have one number.
static int64_t number_of(const char *key, const json_t *value)
{
    char *text = text_of(value), *all = ss_format("%s=%s", key, text);
    int64_t number = (int64_t)ss_hash64(all, strlen(all));
    ss_free(text);
    ss_free(all);
    return number;
}

static void add_pairs(struct ss_find_marks *marks, const json_t *pairs)
{
    const char *key;
    json_t *value;
    marks->pairs = ss_zalloc(json_object_size(pairs) + 1, sizeof(int64_t));
    json_object_foreach ((json_t *)pairs, key, value)
        marks->pairs[marks->pairs_count++] = number_of(key, value);
}

// A part of a text; NULL: there is none.
struct part {
    const char *text;
    size_t size;
};

// Behind the text in quotes that begins there.
static const char *behind_text(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++)
        at += *at == '\\' && at + 1 < end;
    return at < end ? at + 1 : end;
}

// Behind the value that begins there: at a comma or a bracket of what is
// around.
static const char *behind_value(const char *at, const char *end)
{
    for (size_t depth = 0; at < end;) {
        bool closes = *at == '}' || *at == ']';
        if (depth == 0 && (closes || *at == ','))
            return at;
        depth += *at == '{' || *at == '[';
        depth -= closes;
        at = *at == '"' ? behind_text(at, end) : at + 1;
    }
    return end;
}

// The members of an object of these names, which are never written with
// escapes. A record that is put is made as text, and read here in each commit:
// a tree of it would cost as much as the rest of the put.
static void members_of(const char *text, size_t size, const char *const *names,
    size_t count, struct part *ret)
{
    const char *at = text, *end = text + size;
    while (at < end && (at = memchr(at, '"', (size_t)(end - at))) != NULL) {
        const char *name = at + 1, *stop = behind_text(at, end);
        at = memchr(stop, ':', (size_t)(end - stop));
        if (!at)
            return;
        const char *value = at + 1;
        at = behind_value(value, end);
        for (size_t i = 0; i < count; i++)
            if (strlen(names[i]) == (size_t)(stop - 1 - name) &&
                memcmp(names[i], name, (size_t)(stop - 1 - name)) == 0)
                ret[i] = (struct part){value, (size_t)(at - value)};
    }
}

// Gives; NULL: it is none.
static json_t *read_part(const struct part *part)
{
    return part->text ? json_loadb(part->text, part->size,
                            JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL)
                      : NULL;
}

void ss_find_marks_read(
    const char *text, size_t size, struct ss_find_marks *ret)
{
    enum { GRAPH, METADATA, OWN, IS_LONG, COUNT };
    static const char *const names[COUNT] = {
        "graph", "metadata", SS_FIND_OWN, SS_FIND_LONG};
    struct part parts[COUNT] = {{0}};
    json_t *values[COUNT], *all = NULL;
    members_of(text, size, names, COUNT, parts);
    for (size_t i = 0; i < COUNT; i++)
        values[i] = read_part(&parts[i]);
    if (json_is_object(values[METADATA]) || json_is_object(values[OWN])) {
        all = json_object();
        json_object_update(all, values[METADATA]);
        json_object_update(all, values[OWN]);
    }
    *ret = (struct ss_find_marks){
        .graph = ss_strdup(json_string_value(values[GRAPH]))};
    if (all || json_is_true(values[IS_LONG]))
        add_pairs(ret, all);
    if (json_is_true(values[IS_LONG]))
        ret->pairs[ret->pairs_count++] = SS_FIND_UNSEARCHED;
    json_decref(all);
    for (size_t i = 0; i < COUNT; i++)
        json_decref(values[i]);
}

void ss_find_marks_of(const struct ss_find *find, struct ss_find_marks *ret)
{
    *ret = (struct ss_find_marks){.graph = ss_strdup(find->graph)};
    add_pairs(ret, find->metadata);
}

void ss_find_marks_fini(struct ss_find_marks *marks)
{
    ss_free(marks->graph);
    ss_free(marks->pairs);
    *marks = (struct ss_find_marks){0};
}

// ------------------------------------------------ places

char *ss_find_place(int64_t at_us, const char *key)
{
    return ss_format("%lld/%s", (long long)at_us, key);
}

int ss_find_order(
    int64_t left_us, const char *left, int64_t right_us, const char *right)
{
    return left_us != right_us ? (left_us > right_us ? -1 : 1)
                               : strcmp(left, right);
}
