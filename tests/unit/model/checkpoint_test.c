// A checkpoint in full and a row's part: from one to the other and back.
#include "common/model/checkpoint.h"

#include <check.h>
#include <string.h>

#include "common/base/mem.h"
#include "tests/suite.h"
#include "tests/unit/model/journal_rows.h"

static struct ss_checkpoint *full_of(const char *values, int64_t version)
{
    struct ss_checkpoint *full = ss_checkpoint_new();
    struct ss_slot *slot = ss_checkpoint_slot(full, "list");
    slot->version = version;
    slot->value = ss_value_from_text(values, strlen(values));
    ss_checkpoint_slot(full, "same")->version = 1;
    ss_checkpoint_saw(ss_checkpoint_seen(full, "a"), "list", version);
    ss_checkpoint_saw(ss_checkpoint_seen(full, "a"), "same", 1);
    ss_checkpoint_seen(full, "b"); // it has an entry, and saw nothing
    full->updated_known = true;
    full->updated = ss_zalloc(1, sizeof(char *));
    full->updated[full->updated_count++] = ss_strdup("list");
    return full;
}

// A row of the journal that holds `full`, whole or against `base`.
static void tell(const char *id, const char *parent,
    const struct ss_checkpoint *full, const struct ss_checkpoint *base)
{
    struct ss_row *row = row_in("");
    holds(row, id, parent);
    ss_checkpoint_tell(full, base, row);
    append(row);
}

static void expect_full(const char *id, const char *values, int64_t version)
{
    struct ss_checkpoint *folded =
        ss_journal_fold(journal, ss_journal_find(journal, "", id));
    const struct ss_map *seen = ss_map_get(&folded->seen, "a");
    expect_channel(folded, "list", version, values);
    expect_channel(folded, "same", 1, NULL);
    ck_assert_int_eq(*(const int64_t *)ss_map_get(seen, "list"), version);
    ck_assert_int_eq(*(const int64_t *)ss_map_get(seen, "same"), 1);
    ck_assert_uint_eq(folded->seen.count, 2);
    ck_assert(folded->updated_known && folded->updated_count == 1);
    ss_checkpoint_unref(folded);
}

START_TEST(what_is_told_whole_folds_to_the_same)
{
    struct ss_checkpoint *full = full_of("[1,2]", 3);
    tell("c1", "", full, NULL);
    const struct ss_row *row = ss_journal_row(journal, 1);
    ck_assert(row->checkpoint.whole);
    ck_assert_uint_eq(row->checkpoint.channels_count, 2);
    ck_assert_uint_eq(row->checkpoint.seen_count, 4); // two entries, two seen
    expect_full("c1", "[1,2]", 3);
    ss_checkpoint_unref(full);
}
END_TEST

START_TEST(against_a_base_only_what_moved_is_told)
{
    struct ss_checkpoint *base = full_of("[1,2]", 3);
    struct ss_checkpoint *full = full_of("[1,2,5]", 4);
    tell("c1", "", base, NULL);
    tell("c2", "c1", full, base);
    const struct ss_row_checkpoint *part =
        &ss_journal_row(journal, 2)->checkpoint;
    ck_assert(!part->whole);
    ck_assert_uint_eq(part->channels_count, 1);
    ck_assert_int_eq(part->channels[0].op, SS_DELTA_APPEND);
    ck_assert_uint_eq(ss_value_count(part->channels[0].value), 1);
    ck_assert_uint_eq(part->seen_count, 1);
    ck_assert_str_eq(part->seen[0].channel, "list");
    expect_full("c2", "[1,2,5]", 4);
    expect_full("c1", "[1,2]", 3);
    ss_checkpoint_unref(base);
    ss_checkpoint_unref(full);
}
END_TEST

// A list that lost something, or was changed inside, is set anew.
START_TEST(a_list_that_did_not_only_grow_is_told_in_full)
{
    struct ss_checkpoint *base = full_of("[1,2]", 3);
    struct ss_checkpoint *full = full_of("[1,3,5]", 4);
    tell("c1", "", base, NULL);
    tell("c2", "c1", full, base);
    const struct ss_row *row = ss_journal_row(journal, 2);
    ck_assert_int_eq(row->checkpoint.channels[0].op, SS_DELTA_SET);
    expect_full("c2", "[1,3,5]", 4);
    ss_checkpoint_unref(base);
    ss_checkpoint_unref(full);
}
END_TEST

START_TEST(a_delta_can_stand_where_nothing_is_gone)
{
    struct ss_checkpoint *base = full_of("[1]", 1);
    struct ss_checkpoint *full = full_of("[1]", 1);
    ck_assert(ss_checkpoint_keeps(full, base));
    ss_checkpoint_slot(full, "new")->version = 1;
    ck_assert(ss_checkpoint_keeps(full, base));
    ck_assert(!ss_checkpoint_keeps(base, full)); // a channel is gone
    ss_checkpoint_slot(base, "new")->version = 1;
    ss_checkpoint_saw(ss_checkpoint_seen(base, "b"), "new", 1);
    ck_assert(!ss_checkpoint_keeps(full, base)); // what a node saw is
    ss_checkpoint_saw(ss_checkpoint_seen(full, "b"), "new", 1);
    ck_assert(ss_checkpoint_keeps(full, base));
    ss_checkpoint_seen(base, "c");
    ck_assert(!ss_checkpoint_keeps(full, base)); // a node is
    ss_checkpoint_unref(base);
    ss_checkpoint_unref(full);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("checkpoint");
    TCase *tcase = tcase_create("checkpoint");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, what_is_told_whole_folds_to_the_same);
    tcase_add_test(tcase, against_a_base_only_what_moved_is_told);
    tcase_add_test(tcase, a_list_that_did_not_only_grow_is_told_in_full);
    tcase_add_test(tcase, a_delta_can_stand_where_nothing_is_gone);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
