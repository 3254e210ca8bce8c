#include "tests/unit/model/channel_bench.h"

struct bench bench(const char *key)
{
    struct bench b = {0};
    char *text =
        ss_format("{'name': 'g', 'state': [{'key': 'k', %s}], 'nodes': [], "
                  "'edges': [['__start__', '__end__']]}",
            key);
    b.graph = compile(text);
    ss_free(text);
    ck_assert_int_eq(
        ss_channel_restore(&b.channel, &b.graph->channels[0], NULL, &b.error),
        SS_OK);
    return b;
}

void close_bench(struct bench *b)
{
    ss_channel_fini(&b->channel);
    ss_graph_unref(b->graph);
}

int update(struct bench *b, const char *values, bool *ret_changed)
{
    json_t *list = js(values);
    size_t count = json_array_size(list);
    struct ss_channel_write *writes = ss_zalloc(count + 1, sizeof(*writes));
    for (size_t i = 0; i < count; i++)
        writes[i] = (struct ss_channel_write){
            .value = ss_value_new(json_incref(json_array_get(list, i))),
            .owner = "t"};
    int status =
        ss_channel_update(&b->channel, writes, count, ret_changed, &b->error);
    for (size_t i = 0; i < count; i++)
        ss_value_unref(writes[i].value);
    ss_free(writes);
    json_decref(list);
    return status;
}

void write_changes(struct bench *b, const char *values, bool expected)
{
    bool changed = !expected;
    int status = update(b, values, &changed);
    if (status != SS_OK)
        ck_abort_msg("%s", b->error.message);
    ck_assert_msg(changed == expected, "%s: %d", values, changed);
}

void expect_value(struct bench *b, const char *expected)
{
    struct ss_value *value = ss_channel_get(&b->channel);
    ck_assert_int_eq(ss_channel_available(&b->channel), value != NULL);
    if (!expected)
        ck_assert_ptr_null(value);
    else
        expect_json(value ? json_incref(ss_value_json(value)) : NULL, expected);
}

void expect_stored(struct bench *b, const char *expected)
{
    struct ss_value *stored = ss_channel_store(&b->channel, false);
    if (!expected)
        ck_assert_ptr_null(stored);
    else
        expect_json(
            stored ? json_incref(ss_value_json(stored)) : NULL, expected);
    ss_value_unref(stored);
}

void expect_error(
    struct bench *b, const char *values, int status, const char *words)
{
    struct ss_value *before = ss_channel_store(&b->channel, true);
    bool changed = false;
    ck_assert_int_eq(update(b, values, &changed), status);
    ck_assert_ptr_nonnull(strstr(b->error.message, "channel \"k\""));
    if (!strstr(b->error.message, words))
        ck_abort_msg("\"%s\" lacks \"%s\"", b->error.message, words);
    struct ss_value *after = ss_channel_store(&b->channel, true);
    ck_assert(before ? json_equal(ss_value_json(before), ss_value_json(after))
                     : !after);
    ss_value_unref(before);
    ss_value_unref(after);
}

void reload(struct bench *b)
{
    struct ss_value *stored = ss_channel_store(&b->channel, false);
    ss_channel_fini(&b->channel);
    ck_assert_int_eq(ss_channel_restore(&b->channel, &b->graph->channels[0],
                         stored, &b->error),
        SS_OK);
    ss_value_unref(stored);
}

void expect_corrupt(const char *key, const char *stored)
{
    struct bench b = bench(key);
    struct ss_value *value = value_of(stored);
    struct ss_channel channel = {0};
    ck_assert_int_eq(
        ss_channel_restore(&channel, &b.graph->channels[0], value, &b.error),
        SS_ECORRUPT);
    ck_assert_ptr_nonnull(strstr(b.error.message, "channel \"k\""));
    ss_value_unref(value);
    close_bench(&b);
}
