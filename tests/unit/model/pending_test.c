// pending_test.c - the container of pending writes: whose they are, whichever
// of them go.
#include "common/model/pending.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "common/model/value.h"
#include "tests/suite.h"

// Of many tasks, each with several writes, as a wide superstep has them.
enum { MANY = 40 };

static struct ss_pendings pending;

static void teardown(void)
{
    ss_pendings_fini(&pending);
}

static const char *task_of(size_t number, char ret_id[SS_UUID_SIZE])
{
    snprintf(ret_id, SS_UUID_SIZE, "%08zx-0000-0000-0000-000000000000", number);
    return ret_id;
}

static void add(size_t task, int32_t idx, const char *channel, uint64_t seq)
{
    struct ss_row_write write = {.path = (char *)"~p",
        .idx = idx,
        .channel = (char *)channel,
        .value = ss_value_null()};
    (void)task_of(task, write.task_id);
    ss_pendings_add(&pending, &write, true, seq);
    ss_value_unref(write.value);
}

// The channels that its writes are to, in their order.
static void expect_writes(size_t task, const char *expected)
{
    char id[SS_UUID_SIZE], text[8] = "";
    size_t count = 0;
    const struct ss_pending *p = NULL;
    while ((p = ss_pendings_next(&pending, task_of(task, id), p)) != NULL) {
        ck_assert_str_eq(p->write.task_id, id);
        ck_assert_str_eq(p->write.path, "~p");
        text[count++] = p->write.channel[0];
    }
    ck_assert_str_eq(text, expected);
}

START_TEST(each_of_many_tasks_has_its_own_writes_whichever_go)
{
    char id[SS_UUID_SIZE];
    for (size_t i = 0; i < MANY; i++)
        add(i, 0, "x", i);
    for (size_t i = 0; i < MANY; i++) // not beside their first
        add(i, 1, "y", MANY + i);
    for (size_t gone = 0; gone < MANY; gone++) {
        ck_assert_uint_eq(pending.count, 2 * (MANY - gone));
        for (size_t i = 0; i < MANY; i++)
            expect_writes(i, i < gone ? "" : "xy");
        ss_pendings_drop(&pending, task_of(gone, id));
    }
    ck_assert_uint_eq(pending.count, 0);
}
END_TEST

START_TEST(one_write_of_many_goes_and_the_others_are_found)
{
    char id[SS_UUID_SIZE];
    for (size_t i = 0; i < MANY; i++) {
        add(i, 0, "x", i);
        add(i, 1, "y", i);
    }
    ss_pendings_drop_write(&pending, task_of(7, id), "y");
    ss_pendings_remove(&pending, 0); // the first task's x
    expect_writes(0, "y");
    for (size_t i = 1; i < MANY; i++)
        expect_writes(i, i == 7 ? "x" : "xy");
    add(7, 1, "y", MANY);
    expect_writes(7, "xy");
}
END_TEST

START_TEST(of_few_one_goes_by_channel_or_with_its_task)
{
    char id[SS_UUID_SIZE];
    add(0, 0, "x", 1);
    add(1, 0, "x", 1);
    add(0, 1, "y", 2);
    ss_pendings_drop_write(&pending, task_of(0, id), "x");
    expect_writes(0, "y");
    expect_writes(1, "x");
    ss_pendings_drop(&pending, task_of(1, id));
    expect_writes(1, "");
    ck_assert_uint_eq(pending.count, 1);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("pending");
    TCase *t = tcase_create("pending");
    tcase_add_checked_fixture(t, NULL, teardown);
    tcase_add_test(t, each_of_many_tasks_has_its_own_writes_whichever_go);
    tcase_add_test(t, one_write_of_many_goes_and_the_others_are_found);
    tcase_add_test(t, of_few_one_goes_by_channel_or_with_its_task);
    suite_add_tcase(s, t);
    return suite_main(s);
}
