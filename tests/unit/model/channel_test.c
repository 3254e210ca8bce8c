// Every kind of channel against the table of spec/engine.md 2.
#include "common/model/channel.h"

#include "common/model/persistent_vector.h"
#include "tests/unit/model/help.h"

// A live channel of one state key, and what its last update said.
struct bench {
    struct ss_graph *graph;
    struct ss_channel channel;
    struct ss_error error;
};

static struct bench bench(const char *key)
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

static void close_bench(struct bench *b)
{
    ss_channel_fini(&b->channel);
    ss_graph_unref(b->graph);
}

// Writes a JSON list of values, all of task "t". Gives the status.
static int update(struct bench *b, const char *values, bool *ret_changed)
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

static void write_changes(struct bench *b, const char *values, bool expected)
{
    bool changed = !expected;
    int status = update(b, values, &changed);
    if (status != SS_OK)
        ck_abort_msg("%s", b->error.message);
    ck_assert_msg(changed == expected, "%s: %d", values, changed);
}

static void expect_value(struct bench *b, const char *expected)
{
    struct ss_value *value = ss_channel_get(&b->channel);
    ck_assert_int_eq(ss_channel_available(&b->channel), value != NULL);
    if (!expected)
        ck_assert_ptr_null(value);
    else
        expect_json(value ? json_incref(ss_value_json(value)) : NULL, expected);
}

static void expect_stored(struct bench *b, const char *expected)
{
    struct ss_value *stored = ss_channel_store(&b->channel, false);
    if (!expected)
        ck_assert_ptr_null(stored);
    else
        expect_json(
            stored ? json_incref(ss_value_json(stored)) : NULL, expected);
    ss_value_unref(stored);
}

// The error says what and where, and nothing changed.
static void expect_error(
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

// Stored and restored it is the same.
static void reload(struct bench *b)
{
    struct ss_value *stored = ss_channel_store(&b->channel, false);
    ss_channel_fini(&b->channel);
    ck_assert_int_eq(ss_channel_restore(&b->channel, &b->graph->channels[0],
                         stored, &b->error),
        SS_OK);
    ss_value_unref(stored);
}

static void expect_corrupt(const char *key, const char *stored)
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

START_TEST(a_body_that_sets_a_key_twice_is_told_so)
{
    struct bench b = bench("'type': 'any'");
    struct ss_value *value = value_of("1");
    bool changed = false;
    struct ss_channel_write writes[] = {{value, "t1"}, {value, "t1"}};
    ck_assert_int_eq(
        ss_channel_update(&b.channel, writes, 2, &changed, &b.error),
        SS_EUPDATE);
    ck_assert_ptr_nonnull(
        strstr(b.error.message, "2 writes by one task, and it holds one value. "
                                "Write it once in a body"));
    writes[1].owner = "t2";
    ck_assert_int_eq(
        ss_channel_update(&b.channel, writes, 2, &changed, &b.error),
        SS_EUPDATE);
    ck_assert_ptr_nonnull(strstr(b.error.message, "Let one node write it"));
    ss_value_unref(value);
    close_bench(&b);
}
END_TEST

START_TEST(last_value_takes_one_write_and_keeps_it)
{
    struct bench b = bench("'type': 'any'");
    expect_value(&b, NULL);
    expect_stored(&b, NULL);
    write_changes(&b, "[]", false);
    write_changes(&b, "[5]", true);
    expect_value(&b, "5");
    write_changes(&b, "[]", false);
    expect_value(&b, "5");
    write_changes(&b, "[null]", true); // a stored null is a value
    expect_value(&b, "null");
    expect_stored(&b, "null");
    expect_error(&b, "[1, 2]", SS_EUPDATE, "2 writes");
    expect_value(&b, "null");
    ck_assert(!ss_channel_consume(&b.channel));
    ck_assert(!ss_channel_finish(&b.channel));
    reload(&b);
    expect_value(&b, "null");
    close_bench(&b);
}
END_TEST

START_TEST(an_overwrite_of_a_last_value_is_opened)
{
    struct bench b = bench("'type': 'any'");
    write_changes(&b, "[{'__overwrite__': [1]}]", true);
    expect_value(&b, "[1]");
    write_changes(&b, "[{'type': '__overwrite__', 'value': 2}]", true);
    expect_value(&b, "2");
    expect_error(&b, "[{'__overwrite__': 1}, {'__overwrite__': 2}]", SS_EUPDATE,
        "2 writes");
    close_bench(&b);
}
END_TEST

START_TEST(a_last_value_may_start_with_a_default)
{
    struct bench b = bench("'type': 'int', 'default': 3");
    expect_value(&b, "3");
    write_changes(&b, "[4]", true);
    expect_value(&b, "4");
    reload(&b);
    expect_value(&b, "4");
    close_bench(&b);
}
END_TEST

START_TEST(any_value_takes_the_last_and_clears_itself)
{
    struct bench b = bench("'channel': 'AnyValue'");
    write_changes(&b, "[]", false);
    write_changes(&b, "[1, 2]", true);
    expect_value(&b, "2");
    expect_stored(&b, "2");
    reload(&b);
    expect_value(&b, "2");
    write_changes(&b, "[]", true); // sharp edge 13
    expect_value(&b, NULL);
    write_changes(&b, "[]", false);
    close_bench(&b);
}
END_TEST

START_TEST(ephemeral_lives_for_one_superstep)
{
    struct bench b = bench("'channel': 'EphemeralValue'");
    write_changes(&b, "[]", false);
    write_changes(&b, "['x']", true);
    expect_value(&b, "'x'");
    expect_stored(&b, "'x'");
    reload(&b);
    expect_value(&b, "'x'");
    expect_error(&b, "[1, 2]", SS_EUPDATE, "guarded");
    expect_value(&b, "'x'");
    write_changes(&b, "[]", true);
    expect_value(&b, NULL);
    expect_stored(&b, NULL);
    close_bench(&b);
    b = bench("'channel': 'EphemeralValue', 'guard': false");
    write_changes(&b, "[1, 2]", true);
    expect_value(&b, "2");
    close_bench(&b);
}
END_TEST

START_TEST(untracked_is_kept_but_never_stored)
{
    struct bench b = bench("'channel': 'UntrackedValue'");
    write_changes(&b, "[1]", true);
    write_changes(&b, "[]", false);
    expect_value(&b, "1");
    expect_stored(&b, NULL); // sharp edge 14
    struct ss_value *live = ss_channel_store(&b.channel, true);
    expect_json(json_incref(ss_value_json(live)), "1");
    ss_value_unref(live);
    expect_error(&b, "[1, 2]", SS_EUPDATE, "guarded");
    struct ss_value *stored = value_of("9");
    struct ss_channel restored;
    ck_assert_int_eq(
        ss_channel_restore(&restored, &b.graph->channels[0], stored, NULL),
        SS_OK);
    ck_assert_ptr_null(ss_channel_get(&restored));
    ss_value_unref(stored);
    close_bench(&b);
    b = bench("'channel': 'UntrackedValue', 'guard': false");
    write_changes(&b, "[1, 2]", true);
    expect_value(&b, "2");
    close_bench(&b);
}
END_TEST

START_TEST(after_finish_is_read_only_when_nothing_is_left_to_do)
{
    struct bench b = bench("'channel': 'LastValueAfterFinish'");
    write_changes(&b, "[]", false);
    ck_assert(!ss_channel_finish(&b.channel));
    ck_assert(!ss_channel_consume(&b.channel));
    expect_stored(&b, NULL);
    write_changes(&b, "[1, 2]", true);
    expect_value(&b, NULL);
    expect_stored(&b, "[2, false]");
    ck_assert(!ss_channel_consume(&b.channel));
    reload(&b);
    ck_assert(ss_channel_finish(&b.channel));
    ck_assert(!ss_channel_finish(&b.channel));
    expect_value(&b, "2");
    expect_stored(&b, "[2, true]");
    reload(&b);
    expect_value(&b, "2");
    write_changes(&b, "[]", false);
    expect_value(&b, "2");
    write_changes(&b, "[3]", true); // a write begins anew
    expect_value(&b, NULL);
    ck_assert(ss_channel_finish(&b.channel));
    ck_assert(ss_channel_consume(&b.channel));
    expect_value(&b, NULL);
    expect_stored(&b, NULL);
    close_bench(&b);
    expect_corrupt("'channel': 'LastValueAfterFinish'", "5");
    expect_corrupt("'channel': 'LastValueAfterFinish'", "[1]");
    expect_corrupt("'channel': 'LastValueAfterFinish'", "[1, 2]");
}
END_TEST

#define BARRIER "'channel': 'NamedBarrierValue', 'names': ['c', 'a', 'b']"

START_TEST(a_barrier_opens_when_all_have_arrived)
{
    struct bench b = bench(BARRIER);
    write_changes(&b, "[]", false);
    expect_stored(&b, "[]"); // even when it is empty
    write_changes(&b, "['b']", true);
    write_changes(&b, "['b']", false); // sharp edge 11
    expect_value(&b, NULL);
    ck_assert(!ss_channel_consume(&b.channel));
    write_changes(&b, "['c', 'b', 'a']", true);
    expect_value(&b, "null");
    expect_stored(&b, "['a', 'b', 'c']");
    ck_assert(!ss_channel_finish(&b.channel));
    reload(&b);
    expect_value(&b, "null");
    write_changes(&b, "['a']", false);
    ck_assert(ss_channel_consume(&b.channel));
    expect_value(&b, NULL);
    expect_stored(&b, "[]");
    ck_assert(!ss_channel_consume(&b.channel));
    close_bench(&b);
}
END_TEST

START_TEST(a_barrier_refuses_whom_it_does_not_wait_for)
{
    struct bench b = bench(BARRIER);
    write_changes(&b, "['a']", true);
    expect_error(&b, "['b', 'zz']", SS_EUPDATE, "\"zz\" but for: a, b, c");
    expect_error(&b, "[null]", SS_EUPDATE, "null");
    expect_error(&b, "[['a']]", SS_EUPDATE, "[\"a\"]");
    expect_stored(&b, "['a']");
    close_bench(&b);
}
END_TEST

START_TEST(a_stored_barrier_forgets_who_is_no_longer_waited_for)
{
    struct bench b = bench(BARRIER);
    struct ss_value *stored = value_of("['gone', 'c', 'a', 'c']");
    ss_channel_fini(&b.channel);
    ck_assert_int_eq(
        ss_channel_restore(&b.channel, &b.graph->channels[0], stored, NULL),
        SS_OK);
    ss_value_unref(stored);
    expect_stored(&b, "['a', 'c']");
    close_bench(&b);
    expect_corrupt(BARRIER, "{}");
    expect_corrupt(BARRIER, "[1]");
}
END_TEST

#define BARRIER_AFTER                                                          \
    "'channel': 'NamedBarrierValueAfterFinish', 'names': ['a', 'b']"

START_TEST(a_deferred_barrier_waits_for_the_end_too)
{
    struct bench b = bench(BARRIER_AFTER);
    expect_stored(&b, "[[], false]");
    write_changes(&b, "['a']", true);
    ck_assert(!ss_channel_finish(&b.channel));
    write_changes(&b, "['b']", true);
    expect_value(&b, NULL);
    ck_assert(!ss_channel_consume(&b.channel));
    ck_assert(ss_channel_finish(&b.channel));
    ck_assert(!ss_channel_finish(&b.channel));
    expect_value(&b, "null");
    expect_stored(&b, "[['a', 'b'], true]");
    reload(&b);
    expect_value(&b, "null");
    ck_assert(ss_channel_consume(&b.channel));
    expect_value(&b, NULL);
    expect_stored(&b, "[[], false]");
    close_bench(&b);
    expect_corrupt(BARRIER_AFTER, "['a']");
    expect_corrupt(BARRIER_AFTER, "[5, true]");
}
END_TEST

START_TEST(a_topic_holds_one_superstep_flattened)
{
    struct bench b = bench("'channel': 'Topic'");
    write_changes(&b, "[]", false);
    expect_stored(&b, "[]"); // even when it is empty
    write_changes(&b, "[[]]", false);
    write_changes(&b, "[1, [2, [3]], null]", true);
    expect_value(&b, "[1, 2, [3], null]"); // one level
    reload(&b);
    expect_value(&b, "[1, 2, [3], null]");
    write_changes(&b, "[4]", true);
    expect_value(&b, "[4]");
    write_changes(&b, "[]", true);
    expect_value(&b, NULL);
    write_changes(&b, "[]", false);
    expect_stored(&b, "[]"); // sharp edge 60
    close_bench(&b);
    expect_corrupt("'channel': 'Topic'", "{}");
}
END_TEST

START_TEST(an_accumulating_topic_holds_all)
{
    struct bench b = bench("'channel': 'Topic', 'accumulate': true");
    write_changes(&b, "[]", false);
    write_changes(&b, "[[]]", false);
    write_changes(&b, "[1, [2]]", true);
    write_changes(&b, "[]", false);
    write_changes(&b, "[3]", true);
    write_changes(&b, "[[]]", false);
    expect_value(&b, "[1, 2, 3]");
    reload(&b);
    expect_value(&b, "[1, 2, 3]");
    close_bench(&b);
}
END_TEST

START_TEST(a_reducer_folds_from_the_zero_of_its_type)
{
    struct bench b = bench("'type': 'int', 'reducer': 'add'");
    expect_value(&b, "0"); // sharp edge 15
    write_changes(&b, "[]", false);
    write_changes(&b, "[1, 2, 3]", true);
    expect_value(&b, "6");
    reload(&b);
    write_changes(&b, "[4]", true);
    expect_value(&b, "10");
    expect_error(&b, "[1, 'x']", SS_EINVAL, "cannot add a number and a text");
    expect_value(&b, "10");
    close_bench(&b);
}
END_TEST

START_TEST(the_first_write_to_a_missing_value_is_the_value)
{
    struct bench b = bench("'type': 'any', 'reducer': 'add'");
    expect_value(&b, NULL);
    expect_stored(&b, NULL);
    write_changes(&b, "['a', 'b']", true); // sharp edge 17
    expect_value(&b, "'ab'");
    close_bench(&b);
}
END_TEST

START_TEST(lists_grow_in_place_without_touching_what_others_hold)
{
    struct bench b = bench("'type': 'list', 'reducer': 'add'");
    write_changes(&b, "[[1], [2], [3]]", true);
    struct ss_value *kept = ss_value_ref(ss_channel_get(&b.channel));
    write_changes(&b, "[[4], [5]]", true);
    expect_value(&b, "[1, 2, 3, 4, 5]");
    expect_json(json_incref(ss_value_json(kept)), "[1, 2, 3]");
    // A refused write after others leaves it as it was.
    expect_error(&b, "[[6], [7], 8]", SS_EINVAL, "cannot add a list");
    expect_value(&b, "[1, 2, 3, 4, 5]");
    expect_json(json_incref(b.graph->channels[0].zero), "[]");
    ss_value_unref(kept);
    close_bench(&b);
    b = bench("'type': 'dict', 'reducer': 'or'");
    write_changes(&b, "[{'a': 1}, {'a': 2, 'b': 1}, {'c': 1}]", true);
    expect_value(&b, "{'a': 2, 'b': 1, 'c': 1}");
    expect_json(json_incref(b.graph->channels[0].zero), "{}");
    close_bench(&b);
    b = bench("'type': 'list', 'reducer': 'append'");
    write_changes(&b, "[1, [2], 3]", true);
    expect_value(&b, "[1, [2], 3]");
    close_bench(&b);
}
END_TEST

START_TEST(a_write_is_not_changed_by_folding_it)
{
    struct bench b = bench("'type': 'any', 'reducer': 'add'");
    struct ss_value *first = value_of("[1]"), *second = value_of("[2]");
    struct ss_channel_write writes[] = {{first, "t"}, {second, "t"}};
    bool changed;
    ck_assert_int_eq(
        ss_channel_update(&b.channel, writes, 2, &changed, NULL), SS_OK);
    expect_value(&b, "[1, 2]");
    expect_json(json_incref(ss_value_json(first)), "[1]");
    ss_value_unref(first);
    ss_value_unref(second);
    close_bench(&b);
}
END_TEST

START_TEST(an_overwrite_beats_the_whole_superstep)
{
    struct bench b = bench("'type': 'list', 'reducer': 'add'");
    // Sharp edge 16; later plain writes are not even looked at.
    write_changes(&b, "[['a'], {'__overwrite__': ['B']}, 5]", true);
    expect_value(&b, "['B']");
    expect_error(&b, "[5, {'__overwrite__': []}]", SS_EINVAL, "cannot add");
    write_changes(&b, "[{'type': '__overwrite__', 'value': null}]", true);
    expect_value(&b, "null");
    expect_error(&b, "[{'__overwrite__': 1}, {'__overwrite__': 1}]", SS_EUPDATE,
        "two Overwrites");
    // What only looks like one is a write.
    ss_channel_fini(&b.channel);
    b.channel.spec = &b.graph->channels[0];
    write_changes(&b, "[[{'__overwrite__': 1, 'more': 2}]]", true);
    expect_value(&b, "[{'__overwrite__': 1, 'more': 2}]");
    close_bench(&b);
}
END_TEST

START_TEST(an_overwrite_of_a_missing_value_is_opened)
{
    struct bench b = bench("'type': 'any', 'reducer': 'add'");
    write_changes(&b, "[{'__overwrite__': [1]}]", true);
    expect_value(&b, "[1]");
    close_bench(&b);
    b = bench("'type': 'any', 'reducer': 'add'");
    write_changes(&b, "[{'__overwrite__': [1]}, [2]]", true);
    expect_value(&b, "[1]");
    close_bench(&b);
}
END_TEST

START_TEST(a_delta_channel_folds_and_empties)
{
    struct bench b =
        bench("'type': 'list', 'reducer': 'add', 'channel': 'DeltaChannel'");
    expect_value(&b, "[]");
    write_changes(&b, "[[1], [2]]", true);
    expect_value(&b, "[1, 2]");
    expect_stored(&b, "[1, 2]");
    // All other writes are dropped unseen, those before it too (R2.4).
    write_changes(&b, "[5, {'__overwrite__': [9]}, 6]", true);
    expect_value(&b, "[9]");
    write_changes(&b, "[{'__overwrite__': null}]", true);
    expect_value(&b, "[]");
    expect_error(&b, "[{'__overwrite__': 1}, {'__overwrite__': 1}]", SS_EUPDATE,
        "two Overwrites");
    close_bench(&b);
}
END_TEST

START_TEST(a_custom_reducer_is_folded_elsewhere)
{
    struct bench b = bench("'type': 'int', 'custom': 'mine'");
    struct ss_fold fold;
    bool changed = true;
    ck_assert_int_eq(
        ss_channel_update(&b.channel, NULL, 0, &changed, NULL), SS_OK);
    ck_assert(!changed);
    struct ss_value *one = value_of("1"), *two = value_of("2");
    struct ss_value *over = value_of("{'__overwrite__': 7}");
    struct ss_channel_write writes[] = {{one, "t"}, {two, "t"}};
    ck_assert_int_eq(
        ss_channel_fold(&b.channel, writes, 2, &fold, NULL), SS_OK);
    expect_json(json_incref(ss_value_json(fold.base)), "0");
    ck_assert_ptr_eq(fold.from, writes);
    ck_assert_uint_eq(fold.count, 2);
    ss_value_unref(fold.base);
    // An Overwrite needs no worker.
    writes[0].value = over;
    ck_assert_int_eq(
        ss_channel_fold(&b.channel, writes, 2, &fold, NULL), SS_OK);
    expect_json(json_incref(ss_value_json(fold.base)), "7");
    ck_assert_uint_eq(fold.count, 0);
    ss_value_unref(fold.base);
    writes[1].value = over;
    ck_assert_int_eq(
        ss_channel_fold(&b.channel, writes, 2, &fold, &b.error), SS_EUPDATE);
    ss_channel_set(&b.channel, two);
    expect_value(&b, "2");
    // With nothing held the first write is the base.
    ss_channel_fini(&b.channel);
    b.channel.spec = &b.graph->channels[0];
    writes[0].value = one;
    writes[1].value = two;
    ck_assert_int_eq(
        ss_channel_fold(&b.channel, writes, 2, &fold, NULL), SS_OK);
    ck_assert_ptr_eq(fold.base, one);
    ck_assert_ptr_eq(fold.from, writes + 1);
    ck_assert_uint_eq(fold.count, 1);
    ss_value_unref(fold.base);
    ss_value_unref(one);
    ss_value_unref(two);
    ss_value_unref(over);
    close_bench(&b);
}
END_TEST

START_TEST(a_copy_goes_its_own_way)
{
    struct bench b = bench("'type': 'list', 'reducer': 'add'");
    struct ss_channel copy;
    write_changes(&b, "[[1]]", true);
    ss_channel_copy(&copy, &b.channel);
    write_changes(&b, "[[2]]", true);
    expect_value(&b, "[1, 2]");
    expect_json(json_incref(ss_value_json(ss_channel_get(&copy))), "[1]");
    ss_channel_fini(&copy);
    close_bench(&b);
}
END_TEST

START_TEST(opaque_values_pass_through)
{
    struct bench b = bench("'type': 'any'");
    struct ss_value *bytes = ss_value_opaque(SS_VALUE_BYTES, "\x01", 1);
    struct ss_channel_write write = {bytes, "t"};
    bool changed;
    ck_assert_int_eq(
        ss_channel_update(&b.channel, &write, 1, &changed, NULL), SS_OK);
    ck_assert_ptr_eq(ss_channel_get(&b.channel), bytes);
    ss_value_unref(bytes);
    close_bench(&b);
}
END_TEST

static void expect_overwrite(const char *text, const char *expected)
{
    json_t *json = js(text), *inside = NULL;
    struct ss_value *value = ss_value_new(json_incref(json));
    struct ss_value *undecoded = ss_value_from_text(
        ss_value_text(value, NULL), strlen(ss_value_text(value, NULL)));
    ck_assert_int_eq(ss_overwrite_is(json, &inside), expected != NULL);
    ck_assert_int_eq(ss_overwrite_is(json, NULL), expected != NULL);
    ck_assert_int_eq(ss_value_overwrites(value, NULL), expected != NULL);
    ck_assert_int_eq(ss_value_overwrites(undecoded, NULL), expected != NULL);
    if (expected)
        expect_json(json_incref(inside), expected);
    ss_value_unref(value);
    ss_value_unref(undecoded);
    json_decref(json);
}

START_TEST(an_overwrite_is_known_by_its_forms)
{
    expect_overwrite("{'__overwrite__': 1}", "1");
    expect_overwrite("{'__overwrite__': null}", "null");
    expect_overwrite("{'type': '__overwrite__', 'value': [2]}", "[2]");
    expect_overwrite("{'value': 3, 'type': '__overwrite__', 'more': 1}", "3");
    expect_overwrite("{'__overwrite__': 1, 'x': 2}", NULL);
    expect_overwrite("{'type': '__overwrite__'}", NULL);
    expect_overwrite("{'type': 'x', 'value': 1}", NULL);
    expect_overwrite("'__overwrite__'", NULL);
    expect_overwrite("['__overwrite__']", NULL);
    expect_overwrite("{}", NULL);
}
END_TEST

START_TEST(text_is_not_decoded_to_see_that_it_is_no_overwrite)
{
    struct bench b = bench("'type': 'any'");
    struct ss_value *value = ss_value_from_text("{\"big\": [1, 2]}", 15);
    struct ss_channel_write write = {value, "t"};
    bool changed;
    ck_assert_int_eq(
        ss_channel_update(&b.channel, &write, 1, &changed, NULL), SS_OK);
    ck_assert(!ss_value_decoded(value));
    ss_value_unref(value);
    close_bench(&b);
}
END_TEST

// How the list that is held became `next`: the edits as text, or "another".
static void fold_to(struct bench *b, const char *next, const char *expected)
{
    struct ss_value *before = ss_value_ref(b->channel.value);
    struct ss_value *folded = value_of(next);
    struct ss_list_edits edits;
    ss_channel_set(&b->channel, folded);
    expect_json(json_incref(ss_value_json(b->channel.value)), next);
    if (ss_value_listed(b->channel.value) &&
        ss_list_compare(
            ss_value_list(before), ss_value_list(b->channel.value), &edits)) {
        struct ss_value *told = ss_list_edits_value(&edits);
        ck_assert_str_eq(ss_value_text(told, NULL), expected);
        ss_value_unref(told);
        ss_list_edits_fini(&edits);
    } else {
        ck_assert_str_eq("another", expected);
    }
    ss_value_unref(before);
    ss_value_unref(folded);
}

START_TEST(what_a_custom_reducer_left_as_it_was_is_shared)
{
    struct bench b = bench("'type': 'list', 'custom': 'mine'");
    struct ss_value *first = value_of("[{'a': 1}, 2, 3, 4]");
    ss_channel_set(&b.channel, first);
    ss_value_unref(first);
    fold_to(&b, "[{'a': 1}, 2, 3, 4, 5]", "[[4,0,5]]");
    fold_to(&b, "[{'a': 1}, 20, 3, 4]", "[[1,1,20],[4,1]]");
    fold_to(&b, "[{'a': 1}, 20, 3, 4]", "[]");
    fold_to(&b, "[9, 8, 7, 4]", "another");
    fold_to(&b, "[]", "another");
    fold_to(&b, "7", "another");
    fold_to(&b, "[1]", "another");
    close_bench(&b);
}
END_TEST

RUN("channel", a_body_that_sets_a_key_twice_is_told_so,
    last_value_takes_one_write_and_keeps_it,
    an_overwrite_of_a_last_value_is_opened,
    a_last_value_may_start_with_a_default,
    any_value_takes_the_last_and_clears_itself,
    ephemeral_lives_for_one_superstep, untracked_is_kept_but_never_stored,
    after_finish_is_read_only_when_nothing_is_left_to_do,
    a_barrier_opens_when_all_have_arrived,
    a_barrier_refuses_whom_it_does_not_wait_for,
    a_stored_barrier_forgets_who_is_no_longer_waited_for,
    a_deferred_barrier_waits_for_the_end_too,
    a_topic_holds_one_superstep_flattened, an_accumulating_topic_holds_all,
    a_reducer_folds_from_the_zero_of_its_type,
    the_first_write_to_a_missing_value_is_the_value,
    lists_grow_in_place_without_touching_what_others_hold,
    a_write_is_not_changed_by_folding_it,
    an_overwrite_beats_the_whole_superstep,
    an_overwrite_of_a_missing_value_is_opened,
    a_delta_channel_folds_and_empties, a_custom_reducer_is_folded_elsewhere,
    what_a_custom_reducer_left_as_it_was_is_shared, a_copy_goes_its_own_way,
    opaque_values_pass_through, an_overwrite_is_known_by_its_forms,
    text_is_not_decoded_to_see_that_it_is_no_overwrite)
