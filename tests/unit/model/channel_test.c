// Every kind of channel against the table of spec/engine.md 2.
#include "tests/unit/model/channel_bench.h"

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
    a_copy_goes_its_own_way, opaque_values_pass_through)
