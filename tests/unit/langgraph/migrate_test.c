// migrate_test.c - checkpoints of older formats, brought up to that of today.
#include "client/langgraph/migrate.h"

#include "common/base/ids.h"
#include "tests/suite.h"
#include "tests/unit/model/help.h"

#define ID     "1f1e5fa9-df76-6f58-8001-000000000002"
#define PARENT "1f1e5fa9-df76-6f58-8001-000000000001"

static struct ss_graph *graph;
static struct ss_migration migration;

// start -> a -> d, start -> b, start -> c, [b, c] -> d: d has two triggers
static void begin(void)
{
    struct ss_error error;
    json_t *description =
        js("{'name': 'g', 'kind': 'state', 'state': [{'key': 'x'}],"
           " 'nodes': [{'name': 'a'}, {'name': 'b'}, {'name': 'c'},"
           " {'name': 'd'}], 'edges': [['__start__', 'a'], ['__start__', 'b'],"
           " ['__start__', 'c'], ['a', 'd'], [['b', 'c'], 'd']],"
           " 'branches': []}");
    if (ss_graph_compile(description, &graph, &error) != SS_OK)
        ck_abort_msg("%s", error.message);
    json_decref(description);
    migration = (struct ss_migration){.graph = graph, .is_learnt = true};
}

static void end(void)
{
    ss_migration_fini(&migration);
    ss_graph_unref(graph);
}

static json_t *migrated(const char *like)
{
    json_t *saved = js(like);
    struct ss_error error;
    if (ss_migrate(&migration, saved, &error) != SS_OK)
        ck_abort_msg("%s", error.message);
    return saved;
}

static void id_of(int format, const char *const *more, size_t count, char *ret)
{
    const char *parts[8] = {"d", "2", "d", "__pregel_pull"};
    for (size_t i = 0; i < count; i++)
        parts[4 + i] = more[i];
    ss_task_uuid(ID, format, parts, 4 + count, ret);
}

START_TEST(a_task_that_had_one_trigger_gets_the_id_of_all)
{
    static const char *const was[] = {"a"};
    static const char *const is[] = {"branch:to:d", "join:b+c:d"};
    char old[SS_UUID_SIZE], today[SS_UUID_SIZE];
    id_of(1, was, 1, old);
    id_of(2, is, 2, today);
    char *like = ss_format(
        "{'v': 1, 'ns': '', 'id': '" ID "', 'parent_id': '" PARENT "',"
        " 'step': 1, 'metadata': {}, 'channel_values': {'x': 1, 'a': 'a'},"
        " 'channel_versions': {'x': 3, 'a': 3, 'start:a': 3, 'start:b': 2},"
        " 'versions_seen': {'a': {'start:a': 2}}, 'pending_writes': ["
        "{'task_id': '%s', 'path': '', 'idx': 0, 'channel': 'x', 'value': 2},"
        "{'task_id': '%s', 'path': '', 'idx': 1, 'channel': 'd',"
        " 'value': 'd'}]}",
        old, old);
    json_t *saved = migrated(like);
    ss_free(like);
    like = ss_format(
        "{'ns': '', 'id': '" ID "', 'parent_id': '" PARENT "', 'step': 1,"
        " 'metadata': {}, 'channel_values': {'x': 1, 'branch:to:d': 'a'},"
        " 'channel_versions': {'x': 3, 'branch:to:a': 3, 'branch:to:b': 2,"
        " 'branch:to:d': 3}, 'versions_seen': {'a': {'branch:to:a': 2}}, "
        "'pending_writes': ["
        "{'task_id': '%s', 'path': '~__pregel_pull, d', 'idx': 0,"
        " 'channel': 'x', 'value': 2},"
        "{'task_id': '%s', 'path': '~__pregel_pull, d', 'idx': 1,"
        " 'channel': '__no_writes__', 'value': null}]}",
        today, today);
    expect_json(saved, like);
    ss_free(like);
}
END_TEST

START_TEST(what_was_sent_is_the_parents_and_has_the_greatest_version)
{
    json_decref(migrated(
        "{'v': 3, 'ns': '', 'id': '" PARENT "', 'step': 0, 'metadata': {},"
        " 'channel_values': {}, 'channel_versions': {}, 'versions_seen': {},"
        " 'pending_writes': [{'task_id': 't', 'path': '', 'idx': 0, 'channel':"
        " '__pregel_tasks', 'value': {'$send': {'node': 'a', 'arg': 1}}}]}"));
    expect_json(
        migrated("{'v': 3, 'ns': '', 'id': '" ID "', 'parent_id': '" PARENT
                 "', 'step': 1, 'metadata': {},"
                 " 'channel_values': {}, 'channel_versions': {'x': 7},"
                 " 'versions_seen': {}, 'pending_writes': []}"),
        "{'ns': '', 'id': '" ID "', 'parent_id': '" PARENT "', 'step': 1,"
        " 'metadata': {}, 'channel_values': {'__pregel_tasks':"
        " [{'$send': {'node': 'a', 'arg': 1}}]}, 'channel_versions': {'x': 7,"
        " '__pregel_tasks': 7}, 'versions_seen': {}, 'pending_writes': []}");
}
END_TEST

START_TEST(one_of_today_is_left_as_it_is)
{
#define TODAY                                                                  \
    "{'ns': 'd:t', 'id': '" ID "', 'step': 1, 'metadata': {'parents':"         \
    " {'': '" PARENT "'}}, 'channel_values': {'start:a': 1, 'a': 2},"          \
    " 'channel_versions': {'start:a': 1, 'a': 2}, 'versions_seen': {},"        \
    " 'pending_writes': [{'task_id': 't', 'path': '', 'idx': 0,"               \
    " 'channel': 'a', 'value': 1}]}"
    migration.is_learnt = false;
    expect_json(migrated(TODAY), TODAY);
}
END_TEST

START_TEST(an_old_one_needs_the_graph)
{
    struct ss_error error;
    json_t *saved = js("{'v': 2, 'ns': '', 'id': '" ID "', 'step': 1}");
    migration.is_learnt = false;
    ck_assert_int_eq(ss_migrate(&migration, saved, &error), SS_EAGAIN);
    ck_assert_ptr_nonnull(strstr(error.message, "format 2"));
    json_decref(saved);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_task_that_had_one_trigger_gets_the_id_of_all,
        what_was_sent_is_the_parents_and_has_the_greatest_version,
        one_of_today_is_left_as_it_is, an_old_one_needs_the_graph};
    Suite *suite = suite_create("migrate");
    TCase *tcase = tcase_create("migrate");
    tcase_add_unchecked_fixture(tcase, ss_value_setup, NULL);
    tcase_add_checked_fixture(tcase, begin, end);
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
