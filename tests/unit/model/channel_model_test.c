// Every kind of channel against a model that knows nothing of values: all
// sequences of a few operations, enumerated completely.
#include "common/model/channel.h"
#include "tests/unit/model/help.h"

enum { STEPS = 6, OPERATIONS = 6, ITEMS_MAX = 2 * STEPS };

enum operation { TICK, WRITE_A, WRITE_BOTH, CONSUME, FINISH, RELOAD };

// What the table of spec/engine.md 2 says, on the letters a and b.
struct model {
    enum ss_channel_kind kind;
    bool guard;
    bool accumulate;
    char items[ITEMS_MAX + 1]; // what it holds, "" for nothing
    bool has_a, has_b;         // who has arrived at a barrier
    bool finished;
};

enum outcome { SAME, CHANGED, REFUSED };

// A mark for each of millions of claims would take longer than the claims.
static void must(bool claim, const char *what)
{
    if (!claim)
        ck_abort_msg("%s", what);
}

static void append(char *items, const char *letters)
{
    size_t used = strlen(items), more = strlen(letters);
    must(used + more <= ITEMS_MAX, "room");
    memcpy(items + used, letters, more + 1);
}

static enum outcome write_one(
    struct model *model, const char *letters, bool is_guarded)
{
    size_t count = strlen(letters);
    if (is_guarded && count > 1)
        return REFUSED;
    model->items[0] = letters[count - 1];
    model->items[1] = '\0';
    return CHANGED;
}

static enum outcome clear(struct model *model)
{
    bool held = model->items[0] != '\0';
    model->items[0] = '\0';
    return held ? CHANGED : SAME;
}

static enum outcome arrive(struct model *model, const char *letters)
{
    bool had_a = model->has_a, had_b = model->has_b;
    model->has_a |= strchr(letters, 'a') != NULL;
    model->has_b |= strchr(letters, 'b') != NULL;
    return had_a != model->has_a || had_b != model->has_b ? CHANGED : SAME;
}

static enum outcome collect(struct model *model, const char *letters)
{
    bool held = model->items[0] != '\0';
    if (!model->accumulate)
        model->items[0] = '\0';
    append(model->items, letters);
    if (model->accumulate)
        return *letters ? CHANGED : SAME;
    return held || *letters ? CHANGED : SAME;
}

static enum outcome model_write(struct model *model, const char *letters)
{
    switch (model->kind) {
    case SS_CHANNEL_LAST_VALUE:
        return *letters ? write_one(model, letters, true) : SAME;
    case SS_CHANNEL_ANY_VALUE:
        return *letters ? write_one(model, letters, false) : clear(model);
    case SS_CHANNEL_EPHEMERAL:
        return *letters ? write_one(model, letters, model->guard)
                        : clear(model);
    case SS_CHANNEL_UNTRACKED:
        return *letters ? write_one(model, letters, model->guard) : SAME;
    case SS_CHANNEL_LAST_VALUE_AFTER_FINISH:
        if (*letters)
            model->finished = false;
        return *letters ? write_one(model, letters, false) : SAME;
    case SS_CHANNEL_BARRIER:
    case SS_CHANNEL_BARRIER_AFTER_FINISH:
        return arrive(model, letters);
    case SS_CHANNEL_TOPIC:
        return collect(model, letters);
    case SS_CHANNEL_REDUCER:
    case SS_CHANNEL_DELTA:
        append(model->items, letters);
        return *letters ? CHANGED : SAME;
    }
    return REFUSED;
}

static bool is_barrier(const struct model *model)
{
    return model->kind == SS_CHANNEL_BARRIER ||
           model->kind == SS_CHANNEL_BARRIER_AFTER_FINISH;
}

static bool is_deferred(const struct model *model)
{
    return model->kind == SS_CHANNEL_BARRIER_AFTER_FINISH ||
           model->kind == SS_CHANNEL_LAST_VALUE_AFTER_FINISH;
}

static bool is_held(const struct model *model)
{
    return is_barrier(model) ? model->has_a && model->has_b
                             : model->items[0] != '\0';
}

static bool model_available(const struct model *model)
{
    // A reducer over texts starts with the empty one.
    if (model->kind == SS_CHANNEL_REDUCER || model->kind == SS_CHANNEL_DELTA)
        return true;
    return is_held(model) && (!is_deferred(model) || model->finished);
}

static bool model_consume(struct model *model)
{
    if (!is_barrier(model) && !is_deferred(model))
        return false;
    if (!model_available(model))
        return false;
    model->items[0] = '\0';
    model->has_a = model->has_b = model->finished = false;
    return true;
}

static bool model_finish(struct model *model)
{
    if (!is_deferred(model) || model->finished || !is_held(model))
        return false;
    model->finished = true;
    return true;
}

// The letters of what the channel shows.
static void letters_of(struct ss_channel *channel, char *ret)
{
    struct ss_value *value = ss_channel_get(channel);
    const json_t *json = value ? ss_value_json(value) : NULL;
    ret[0] = '\0';
    if (json_is_string(json))
        append(ret, json_string_value(json));
    for (size_t i = 0; i < json_array_size(json); i++)
        append(ret, json_string_value(json_array_get(json, i)));
}

static void check_same(struct ss_channel *channel, const struct model *model)
{
    char letters[ITEMS_MAX + 1];
    must(ss_channel_available(channel) == model_available(model), "available");
    letters_of(channel, letters);
    if (!is_barrier(model) && model_available(model))
        must(strcmp(letters, model->items) == 0, "value");
}

static void write_letters(struct ss_channel *channel, struct model *model,
    struct ss_value *const *values, const char *letters)
{
    struct ss_channel_write writes[2] = {{0}};
    size_t count = strlen(letters);
    for (size_t i = 0; i < count; i++)
        writes[i] = (struct ss_channel_write){values[letters[i] - 'a'], "t"};
    bool changed = false;
    int status = ss_channel_update(channel, writes, count, &changed, NULL);
    enum outcome expected = model_write(model, letters);
    must(status == (expected == REFUSED ? SS_EUPDATE : SS_OK), "status");
    if (status == SS_OK)
        must(changed == (expected == CHANGED), "changed");
}

static void reload(struct ss_channel *channel, struct model *model)
{
    const struct ss_channel_spec *spec = channel->spec;
    struct ss_value *stored = ss_channel_store(channel, false);
    ss_channel_fini(channel);
    must(ss_channel_restore(channel, spec, stored, NULL) == SS_OK, "restore");
    ss_value_unref(stored);
    if (model->kind == SS_CHANNEL_UNTRACKED)
        model->items[0] = '\0';
}

static void run_sequence(const struct ss_channel_spec *spec,
    struct ss_value *const *values, unsigned sequence)
{
    struct model model = {.kind = spec->kind,
        .guard = spec->guard,
        .accumulate = spec->accumulate};
    struct ss_channel channel;
    must(ss_channel_restore(&channel, spec, NULL, NULL) == SS_OK, "restore");
    for (int i = 0; i < STEPS; i++, sequence /= OPERATIONS) {
        switch ((enum operation)(sequence % OPERATIONS)) {
        case TICK:
            write_letters(&channel, &model, values, "");
            break;
        case WRITE_A:
            write_letters(&channel, &model, values, "a");
            break;
        case WRITE_BOTH:
            write_letters(&channel, &model, values, "ba");
            break;
        case CONSUME:
            must(ss_channel_consume(&channel) == model_consume(&model),
                "consume");
            break;
        case FINISH:
            must(ss_channel_finish(&channel) == model_finish(&model), "finish");
            break;
        case RELOAD:
            reload(&channel, &model);
            break;
        }
        check_same(&channel, &model);
    }
    ss_channel_fini(&channel);
}

static void enumerate(const char *key)
{
    char *text =
        ss_format("{'name': 'g', 'state': [{'key': 'k', %s}], 'nodes': [], "
                  "'edges': [['__start__', '__end__']]}",
            key);
    struct ss_graph *graph = compile(text);
    struct ss_value *values[] = {value_of("'a'"), value_of("'b'")};
    unsigned sequences = 1;
    for (int i = 0; i < STEPS; i++)
        sequences *= OPERATIONS;
    for (unsigned i = 0; i < sequences; i++)
        run_sequence(&graph->channels[0], values, i);
    ss_value_unref(values[0]);
    ss_value_unref(values[1]);
    ss_graph_unref(graph);
    ss_free(text);
}

START_TEST(values_do_what_the_table_says)
{
    enumerate("'type': 'any'");
    enumerate("'channel': 'AnyValue'");
    enumerate("'channel': 'EphemeralValue'");
    enumerate("'channel': 'EphemeralValue', 'guard': false");
    enumerate("'channel': 'UntrackedValue'");
    enumerate("'channel': 'UntrackedValue', 'guard': false");
}
END_TEST

START_TEST(deferred_kinds_do_what_the_table_says)
{
    enumerate("'channel': 'LastValueAfterFinish'");
    enumerate("'channel': 'NamedBarrierValueAfterFinish', 'names': ['a', "
              "'b']");
}
END_TEST

START_TEST(barriers_do_what_the_table_says)
{
    enumerate("'channel': 'NamedBarrierValue', 'names': ['b', 'a']");
}
END_TEST

START_TEST(lists_and_sums_do_what_the_table_says)
{
    enumerate("'channel': 'Topic'");
    enumerate("'channel': 'Topic', 'accumulate': true");
    enumerate("'type': 'str', 'reducer': 'add'");
    enumerate("'type': 'str', 'reducer': 'add', 'channel': 'DeltaChannel'");
}
END_TEST

RUN("channel_model", values_do_what_the_table_says,
    deferred_kinds_do_what_the_table_says, barriers_do_what_the_table_says,
    lists_and_sums_do_what_the_table_says)
