// dense_test.c - the machine over dense ids by itself: its ids, its paths, what
// its tasks read. What it shares with the machine is compared in each test of
// that (shadow_test.c).
#include "common/dense/dense.h"

#include <check.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/reserved.h"
#include "tests/stories/world.h"
#include "tests/suite.h"

static struct ss_graph *graph;
static struct ss_dense_graph *ranks;
static struct ss_dense_machine *machine;
static struct ss_dense_place at = {
    "", "1f0bb72c-0efd-6d50-8001-000000000000", 1, 5};

static void begin(json_t *description)
{
    struct ss_error error;
    ss_value_setup();
    if (ss_graph_compile(description, &graph, &error) != SS_OK)
        ck_abort_msg("%s", error.message);
    json_decref(description);
    ranks = ss_dense_graph_new(graph);
    machine = ss_dense_new(ranks);
    ck_assert_int_eq(ss_dense_load(machine, NULL), SS_OK);
}

static void end(void)
{
    ss_dense_destroy(&machine);
    ss_dense_graph_unref(ranks);
    ss_graph_unref(graph);
}

// The channel `name` is written `text` by somebody who is no node.
static int put(const char *name, const char *text)
{
    struct ss_dense_write write = {ss_dense_graph_channel(ranks, name),
        ss_handle_text(text, strlen(text))};
    struct ss_dense_writer writer = {.path = ss_dense_path_input(),
        .node = SS_RANK_NONE,
        .name = SS_NAME_INPUT,
        .writes = &write,
        .writes_count = 1};
    struct ss_dense_update update = {.writers = &writer, .count = 1};
    int status = ss_dense_update(machine, &update);
    ss_handle_unref(write.value);
    if (status == SS_OK)
        ss_dense_updated_set(machine, false);
    return status;
}

static void reads(struct ss_dense_task *task, const char *expected)
{
    struct ss_buf buf;
    ss_buf_init(&buf, 4096);
    ss_dense_add_input(machine, &at, task, &buf);
    ck_assert_str_eq(ss_buf_str(&buf), expected);
    ss_buf_fini(&buf);
}

static void path_is(struct ss_dense_task *task, const char *expected)
{
    struct ss_buf buf;
    ss_buf_init(&buf, 4096);
    ss_dense_add_path(machine, task, &buf);
    ck_assert_str_eq(ss_buf_str(&buf), expected);
    ss_buf_fini(&buf);
}

static void holds(const char *name, const char *expected)
{
    struct ss_buf buf;
    struct ss_handle stored =
        ss_dense_stored(machine, ss_dense_graph_channel(ranks, name));
    ss_buf_init(&buf, 4096);
    if (stored.kind != SS_HANDLE_MISSING)
        ss_handle_add(&buf, stored);
    ck_assert_str_eq(ss_buf_str(&buf), expected);
    ss_buf_fini(&buf);
    ss_handle_unref(stored);
}

START_TEST(ids_are_ranks_of_names)
{
    begin(chart("g", "start>b b>a a>B", NULL));
    ck_assert_str_eq(ranks->nodes[0].spec->name, "B");
    for (uint32_t n = 1; n < ranks->nodes_count; n++)
        ck_assert_int_lt(
            strcmp(ranks->nodes[n - 1].spec->name, ranks->nodes[n].spec->name),
            0);
    for (uint32_t c = 1; c < ranks->channels_count; c++)
        ck_assert_int_lt(strcmp(ranks->channels[c - 1].spec->name,
                             ranks->channels[c].spec->name),
            0);
    ck_assert_uint_eq(ss_dense_graph_node(ranks, "nobody"), SS_RANK_NONE);
    ck_assert_uint_eq(ss_dense_graph_channel(ranks, "none"), SS_RANK_NONE);
    end();
}
END_TEST

// Places of paths and their texts have one order, also where the name of one
// node is the beginning of another's.
START_TEST(paths_have_the_order_of_their_texts)
{
    begin(chart("g", "start>A start>A! start>A. start>AB", NULL));
    for (uint32_t i = 0; i < 2 * ranks->nodes_count; i++)
        for (uint32_t k = 0; k < 2 * ranks->nodes_count; k++) {
            static const char *const ends[] = {
                "", ", " SS_NAME_HANDLER_PATH ", 0000000000"};
            char *left =
                ss_format("%s%s", ranks->nodes[i / 2].spec->name, ends[i % 2]);
            char *right =
                ss_format("%s%s", ranks->nodes[k / 2].spec->name, ends[k % 2]);
            uint64_t a = ss_dense_path_pull(ranks, i / 2, i % 2);
            uint64_t b = ss_dense_path_pull(ranks, k / 2, k % 2);
            ck_assert_int_eq(strcmp(left, right) < 0, a < b);
            ss_free(left);
            ss_free(right);
        }
    ck_assert(ss_dense_path_input() < ss_dense_path_update(0));
    ck_assert(ss_dense_path_update(7) < ss_dense_path_pull(ranks, 0, false));
    ck_assert(ss_dense_path_push(3, true) < ss_dense_path_push(4, false));
    end();
}
END_TEST

START_TEST(a_task_s_id_is_that_of_the_parts)
{
    begin(chart("g", "start>a", "{'nodes': {'t': {}}}"));
    ck_assert_int_eq(put("branch:to:a", "null"), SS_OK);
    ck_assert_int_eq(
        put(SS_NAME_TASKS, "{\"$send\":{\"node\":\"t\",\"arg\":[1]}}"), SS_OK);
    struct ss_dense_tasks tasks;
    char id[SS_UUID_SIZE], expected[SS_UUID_SIZE];
    ss_dense_plan(machine, false, &tasks);
    ck_assert_uint_eq(tasks.count, 2);
    at.ns = "p:1";
    const char *push[] = {"p:1|t", "1", "t", SS_NAME_PUSH, "0"};
    const char *pull[] = {"p:1|a", "1", "a", SS_NAME_PULL, "branch:to:a"};
    ss_task_uuid(at.checkpoint_id, 4, push, 5, expected);
    ss_dense_id_text(ss_dense_task_id(machine, &at, &tasks.items[0]), id);
    ck_assert_str_eq(id, expected);
    ss_task_uuid(at.checkpoint_id, 4, pull, 5, expected);
    ss_dense_id_text(ss_dense_task_id(machine, &at, &tasks.items[1]), id);
    ck_assert_str_eq(id, expected);
    path_is(&tasks.items[0], "~__pregel_push, 0000000000, 0000000000");
    path_is(&tasks.items[1], "~__pregel_pull, a");
    reads(&tasks.items[0], "[1]");
    at.ns = "";
    end();
}
END_TEST

START_TEST(a_name_of_any_size_is_hashed)
{
    char name[301];
    memset(name, 'n', 300);
    name[300] = '\0';
    char *edges = ss_format("start>%s", name);
    char *channel = ss_format("branch:to:%s", name);
    begin(chart("g", edges, NULL));
    ck_assert_int_eq(put(channel, "null"), SS_OK);
    struct ss_dense_tasks tasks;
    char id[SS_UUID_SIZE], expected[SS_UUID_SIZE];
    ss_dense_plan(machine, true, &tasks);
    ck_assert_uint_eq(tasks.count, 1);
    const char *parts[] = {name, "1", name, SS_NAME_PULL, channel};
    ss_task_uuid(at.checkpoint_id, 4, parts, 5, expected);
    ss_dense_id_text(ss_dense_task_id(machine, &at, &tasks.items[0]), id);
    ck_assert_str_eq(id, expected);
    end();
    ss_free(edges);
    ss_free(channel);
}
END_TEST

START_TEST(what_a_task_reads_is_put_together_from_text)
{
    begin(js("{'name': 'g', 'kind': 'state', 'state': ["
             " {'key': 'log', 'type': 'list', 'reducer': 'add'},"
             " {'key': 'n', 'type': 'int', 'reducer': 'add'},"
             " {'key': 'none', 'type': 'any'},"
             " {'key': 'left', 'managed': 'remaining_steps'}],"
             " 'nodes': [{'name': 'a'}], 'edges': [['__start__', 'a']]}"));
    ck_assert_int_eq(put("log", "[\"x\"]"), SS_OK);
    ck_assert_int_eq(put("log", "[{\"y\": 1.50}]"), SS_OK);
    ck_assert_int_eq(put("n", "40"), SS_OK);
    ck_assert_int_eq(put("n", "2"), SS_OK);
    ck_assert_int_eq(put("branch:to:a", "null"), SS_OK);
    struct ss_dense_tasks tasks;
    ss_dense_plan(machine, true, &tasks);
    ck_assert_uint_eq(tasks.count, 1);
    reads(
        &tasks.items[0], "{\"log\":[\"x\",{\"y\": 1.50}],\"n\":42,\"left\":4}");
    end();
}
END_TEST

// R3.7: as the conformance scenario of a raw graph showed.
START_TEST(nodes_that_read_one_channel_share_what_the_first_was_given)
{
    begin(js("{'name': 'g', 'kind': 'raw', 'channels': ["
             " {'name': 'in', 'kind': 'EphemeralValue'}],"
             " 'nodes': [{'name': 'a', 'subscribe': ['in'], 'writes': []},"
             " {'name': 'b', 'subscribe_only': 'in', 'writes': []}],"
             " 'input': 'in', 'output': 'in', 'stream': ['in']}"));
    ck_assert_int_eq(put("in", "[1]"), SS_OK);
    struct ss_dense_tasks tasks;
    for (int i = 0; i < 2; i++) { // what one plan noted is gone in the next
        ss_dense_plan(machine, true, &tasks);
        ck_assert_uint_eq(tasks.count, 2);
        reads(&tasks.items[0], "{\"in\":[1]}");
        reads(&tasks.items[1], "{\"in\":[1]}");
    }
    end();
}
END_TEST

START_TEST(a_list_that_grew_in_vain_is_as_it_was)
{
    begin(js("{'name': 'g', 'kind': 'raw', 'channels': ["
             " {'name': 'list', 'kind': 'BinaryOperatorAggregate',"
             "  'type': 'list', 'reducer': 'add'},"
             " {'name': 'last', 'kind': 'LastValue'}],"
             " 'nodes': [{'name': 'a', 'subscribe_only': 'last',"
             "  'writes': []}], 'input': 'last', 'output': 'last',"
             " 'stream': ['last']}"));
    ck_assert_int_eq(put("list", "[1,2,3]"), SS_OK);
    uint32_t list = ss_dense_graph_channel(ranks, "list");
    uint32_t last = ss_dense_graph_channel(ranks, "last");
    int64_t version = ss_dense_version(machine, list);
    struct ss_handle more = ss_handle_text("[4]", 3);
    struct ss_dense_write writes[] = {
        {list, more}, {last, ss_handle_int(1)}, {last, ss_handle_int(2)}};
    struct ss_dense_writer writer = {.path = ss_dense_path_input(),
        .node = SS_RANK_NONE,
        .name = SS_NAME_INPUT,
        .writes = writes,
        .writes_count = 3};
    struct ss_dense_update update = {.writers = &writer, .count = 1};
    ck_assert_int_eq(ss_dense_update(machine, &update), SS_EUPDATE);
    ck_assert_uint_eq(update.at_fault, last);
    holds("list", "[1,2,3]");
    holds("last", "");
    ck_assert_int_eq(ss_dense_version(machine, list), version);
    writer.writes_count = 2;
    ck_assert_int_eq(ss_dense_update(machine, &update), SS_OK);
    holds("list", "[1,2,3,4]");
    holds("last", "1");
    ss_handle_unref(more);
    end();
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {ids_are_ranks_of_names,
        paths_have_the_order_of_their_texts, a_task_s_id_is_that_of_the_parts,
        a_name_of_any_size_is_hashed,
        what_a_task_reads_is_put_together_from_text,
        nodes_that_read_one_channel_share_what_the_first_was_given,
        a_list_that_grew_in_vain_is_as_it_was};
    Suite *suite = suite_create("dense");
    TCase *tcase = tcase_create("dense");
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
