// Channels with a reducer: folds, and what overwrites them.
#include "common/model/persistent_vector.h"
#include "tests/unit/model/channel_bench.h"

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

RUN("channel_reducer", a_reducer_folds_from_the_zero_of_its_type,
    the_first_write_to_a_missing_value_is_the_value,
    lists_grow_in_place_without_touching_what_others_hold,
    a_write_is_not_changed_by_folding_it,
    an_overwrite_beats_the_whole_superstep,
    an_overwrite_of_a_missing_value_is_opened,
    a_delta_channel_folds_and_empties, a_custom_reducer_is_folded_elsewhere,
    what_a_custom_reducer_left_as_it_was_is_shared,
    an_overwrite_is_known_by_its_forms,
    text_is_not_decoded_to_see_that_it_is_no_overwrite)
