// dense_lists_test.c - lists that change inside: what a row tells of them, and
// what they cost when they are long.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/dense/dense.h"
#include "common/model/checkpoint.h"
#include "common/model/journal.h"
#include "common/model/reserved.h"
#include "tests/stories/world.h"
#include "tests/suite.h"

#define OWNER "00000000-0000-0000-0000-00000000000a"

static struct ss_graph *graph;
static struct ss_dense_graph *ranks;
static struct ss_dense_machine *machine;
static uint32_t list, last;

// Without a state.
static void machine_begin(const char *reducer)
{
    struct ss_error error;
    char *text = ss_format(
        "{'name': 'g', 'kind': 'raw', 'channels': ["
        " {'name': 'list', 'kind': 'BinaryOperatorAggregate', 'type': 'list',"
        "  %s}, {'name': 'last', 'kind': 'LastValue'}],"
        " 'nodes': [{'name': 'a', 'subscribe_only': 'last', 'writes': []}],"
        " 'input': 'last', 'output': 'list', 'stream': ['list']}",
        reducer);
    json_t *description = js(text);
    ss_value_setup();
    if (ss_graph_compile(description, &graph, &error) != SS_OK)
        ck_abort_msg("%s", error.message);
    json_decref(description);
    ss_free(text);
    ranks = ss_dense_graph_new(graph);
    machine = ss_dense_new(ranks);
    list = ss_dense_graph_channel(ranks, "list");
    last = ss_dense_graph_channel(ranks, "last");
}

static void begin(const char *reducer)
{
    machine_begin(reducer);
    ck_assert_int_eq(ss_dense_load(machine, NULL), SS_OK);
}

static void end(void)
{
    ss_dense_destroy(&machine);
    ss_dense_graph_unref(ranks);
    ss_graph_unref(graph);
}

// ------------------------------------------------ what is written

// "a1 b -c": messages by id and content, and what removes one; "-*": all.
static struct ss_handle messages(const char *words)
{
    struct ss_buf text;
    ss_buf_init(&text, SIZE_MAX);
    ss_buf_add_str(&text, "[");
    for (const char *at = words; *at; at += *at == ' ') {
        int size = (int)strcspn(at, " ");
        ss_buf_add_str(&text, text.size > 1 ? "," : "");
        if (*at != '-')
            ss_buf_addf(&text,
                "{\"type\":\"human\",\"content\":\"%.*s\",\"id\":\"%.1s\"}",
                size - 1, at + 1, at);
        else
            ss_buf_addf(&text,
                "{\"type\":\"remove\",\"content\":\"\",\"id\":\"%.*s\"}",
                at[1] == '*' ? 14 : 1,
                at[1] == '*' ? "__remove_all__" : at + 1);
        at += size;
    }
    ss_buf_add_str(&text, "]");
    struct ss_handle handle = ss_handle_text(ss_buf_str(&text), text.size);
    ss_buf_fini(&text);
    return handle;
}

// Takes the value. `fails`: beside it stands what is refused.
static int put(struct ss_handle value, bool is_folded, bool fails)
{
    struct ss_dense_write fold = {list, value};
    struct ss_dense_write writes[] = {
        {list, value}, {last, ss_handle_int(1)}, {last, ss_handle_int(2)}};
    struct ss_dense_writer writer = {.path = ss_dense_path_input(),
        .node = SS_RANK_NONE,
        .name = SS_NAME_INPUT,
        .owner = OWNER,
        .writes = writes,
        .writes_count = fails ? 3 : 1};
    struct ss_dense_update update = {.writers = &writer,
        .count = 1,
        .folds = &fold,
        .folds_count = is_folded};
    int status = ss_dense_update(machine, &update);
    ss_handle_unref(value);
    return status;
}

// ------------------------------------------------ what a row says

static void say(struct ss_buf *said, const json_t *json)
{
    const char *id = json_string_value(json_object_get(json, "id"));
    if (json_is_integer(json)) {
        ss_buf_addf(said, "%d", (int)json_integer_value(json));
    } else if (json_is_object(json)) {
        ss_buf_addf(said, "%s%s", id,
            json_string_value(json_object_get(json, "content")));
    } else {
        ss_buf_add_str(said, "[");
        for (size_t i = 0; i < json_array_size(json); i++) {
            ss_buf_add_str(said, i ? " " : "");
            say(said, json_array_get(json, i));
        }
        ss_buf_add_str(said, "]");
    }
}

// The list in the next row, which `knows` edits: "~[[1 1 b2]]"; returns about
// what the row weighs.
static size_t row_says(bool is_whole, bool knows, const char *expected)
{
    static const char *const ops[] = {[SS_DELTA_SET] = "=",
        [SS_DELTA_CLEAR] = "-",
        [SS_DELTA_APPEND] = "+",
        [SS_DELTA_EDIT] = "~"};
    struct ss_row *row = ss_row_new();
    struct ss_row_checkpoint *part = &row->checkpoint;
    struct ss_buf said;
    size_t size = ss_dense_part(machine,
        &(struct ss_dense_form){.whole = is_whole, .edits = knows}, part);
    ss_buf_init(&said, 4096);
    for (size_t i = 0; i < part->channels_count; i++)
        if (strcmp(part->channels[i].name, "list") == 0) {
            ss_buf_add_str(&said, ops[part->channels[i].op]);
            say(&said, ss_value_json(part->channels[i].value));
        }
    ck_assert_str_eq(ss_buf_str(&said), expected);
    ss_buf_fini(&said);
    ss_row_destroy(&row);
    ss_dense_part_drop(machine);
    return size;
}

static void holds(const char *expected)
{
    struct ss_buf said;
    struct ss_handle value = ss_dense_stored(machine, list);
    json_t *json = ss_handle_json(value);
    ss_buf_init(&said, 4096);
    say(&said, json);
    ck_assert_str_eq(ss_buf_str(&said), expected);
    json_decref(json);
    ss_buf_fini(&said);
    ss_handle_unref(value);
}

struct turn {
    const char *written;
    const char *told;
    const char *held; // NULL: not asked
};

static void take_turns(const struct turn *turns, size_t count, bool is_folded)
{
    for (size_t i = 0; i < count; i++) {
        ck_assert_int_eq(
            put(messages(turns[i].written), is_folded, false), SS_OK);
        row_says(false, true, turns[i].told);
        if (turns[i].held)
            holds(turns[i].held);
    }
}

#define TAKE(is_folded, ...)                                                   \
    take_turns((const struct turn[]){__VA_ARGS__},                             \
        sizeof((const struct turn[]){__VA_ARGS__}) / sizeof(struct turn),      \
        (is_folded))
#define CONVERSATION "'reducer': 'add_messages'"

START_TEST(of_a_list_that_changed_inside_a_row_tells_the_places)
{
    begin(CONVERSATION);
    TAKE(false, {"a1 b1 c1 d1", "=[a1 b1 c1 d1]", NULL},
        {"e1", "+[e1]", "[a1 b1 c1 d1 e1]"},
        {"b2", "~[[1 1 b2]]", "[a1 b2 c1 d1 e1]"},
        {"b2", "+[]", NULL}, // as it is
        {"-a", "~[[0 1]]", "[b2 c1 d1 e1]"},
        {"b3 -d f1", "~[[0 1 b3] [2 1] [4 0 f1]]", "[b3 c1 e1 f1]"},
        {"a4 -a", "+[]", "[b3 c1 e1 f1]"}, // nobody was told
        {"f2 g1", "~[[3 1 f2 g1]]", "[b3 c1 e1 f2 g1]"},
        {"-* x1", "=[x1]", "[x1]"}, {"y1 z1", "=[x1 y1 z1]", NULL},
        {"-x -y", "=[z1]", NULL}); // most of it is gone
    end();
}
END_TEST

START_TEST(what_an_application_folded_shares_what_it_left_alone)
{
    begin("'custom': 'merge'");
    TAKE(true, {"a1 b1 c1", "=[a1 b1 c1]", NULL},
        {"a1 b1 c1 d1", "+[d1]", NULL}, {"a1 b2 c1 d1", "~[[1 1 b2]]", NULL},
        {"a1 b2 d1", "~[[2 2 d1]]", "[a1 b2 d1]"},
        {"x1 y1 z1", "=[x1 y1 z1]", NULL});
    end();
}
END_TEST

START_TEST(who_does_not_know_edits_is_told_all)
{
    begin(CONVERSATION);
    TAKE(false, {"a1 b1 c1", "=[a1 b1 c1]", NULL});
    ck_assert_int_eq(put(messages("b2"), false, false), SS_OK);
    row_says(false, false, "=[a1 b2 c1]");
    ck_assert_int_eq(put(messages("b3"), false, false), SS_OK);
    row_says(true, true, "=[a1 b3 c1]");
    TAKE(false, {"c2", "~[[2 1 c2]]", NULL}); // the whole row is known
    end();
}
END_TEST

START_TEST(what_changed_in_several_updates_is_told_once)
{
    begin(CONVERSATION);
    TAKE(false, {"a1 b1 c1 d1", "=[a1 b1 c1 d1]", NULL});
    static const char *const writes[] = {"b2 e1", "-e", "b3 f1", "-d"};
    for (size_t i = 0; i < sizeof(writes) / sizeof(*writes); i++)
        ck_assert_int_eq(put(messages(writes[i]), false, false), SS_OK);
    row_says(false, true, "~[[1 1 b3] [3 1 f1]]");
    end();
}
END_TEST

START_TEST(an_update_that_is_refused_leaves_a_conversation_alone)
{
    begin(CONVERSATION);
    TAKE(false, {"a1 b1 c1", "=[a1 b1 c1]", NULL});
    ck_assert_int_eq(put(messages("-b c2 d1"), false, true), SS_EUPDATE);
    holds("[a1 b1 c1]");
    ck_assert_int_eq(put(messages("-x"), false, false), SS_EINVAL);
    row_says(false, true, "");
    TAKE(false, {"-b d2", "~[[1 1] [3 0 d2]]", "[a1 c1 d2]"});
    end();
}
END_TEST

START_TEST(a_machine_made_of_rows_tells_edits_of_what_they_hold)
{
    struct ss_checkpoint *checkpoint = ss_checkpoint_new();
    struct ss_slot *slot = ss_checkpoint_slot(checkpoint, "list");
    struct ss_handle stored = messages("a1 b1 c1");
    slot->version = 3;
    slot->value = ss_handle_value(stored);
    ss_handle_unref(stored);
    machine_begin(CONVERSATION);
    ck_assert_int_eq(ss_dense_load(machine, checkpoint), SS_OK);
    ss_checkpoint_unref(checkpoint);
    TAKE(false, {"b2", "~[[1 1 b2]]", "[a1 b2 c1]"});
    end();
}
END_TEST

START_TEST(a_row_weighs_what_it_tells_and_a_whole_one_what_all_weighs)
{
    begin(CONVERSATION);
    ck_assert_int_eq(put(messages("a1 b1 c1 d1"), false, false), SS_OK);
    size_t all = row_says(false, true, "=[a1 b1 c1 d1]");
    ck_assert_uint_eq(ss_dense_size(machine), all);
    ck_assert_int_eq(put(messages("b2"), false, false), SS_OK);
    size_t edit = row_says(false, true, "~[[1 1 b2]]");
    ck_assert_uint_lt(edit, all / 2);
    ck_assert_uint_eq(ss_dense_size(machine), all + edit);
    ck_assert_uint_eq(row_says(true, true, "=[a1 b2 c1 d1]"), all);
    ck_assert_uint_eq(ss_dense_size(machine), all);
    end();
}
END_TEST

// ------------------------------------------------ what they cost

static size_t allocations, allocated;

static int count_allocation(size_t size)
{
    allocations++;
    allocated += size;
    return 0;
}

// One turn: somebody says something and is answered, or what was said at
// `place` is said otherwise.
static struct ss_handle turn_of(unsigned turn, int place)
{
    struct ss_buf text;
    ss_buf_init(&text, SIZE_MAX);
    for (unsigned i = 0; i < 2; i++)
        ss_buf_addf(&text,
            "%s{\"type\":\"%s\",\"content\":\"%0400u\",\"id\":\"%c%08d\"}",
            i ? "," : "[", i ? "ai" : "human", turn, i ? 'a' : 'h',
            place < 0 ? (int)turn : place);
    ss_buf_add_str(&text, "]");
    struct ss_handle handle = ss_handle_text(ss_buf_str(&text), text.size);
    ss_buf_fini(&text);
    return handle;
}

// What is allocated meanwhile, in bytes.
static size_t cost_of(struct ss_handle turn)
{
    struct ss_row *row = ss_row_new();
    allocations = allocated = 0;
    ss_mem_hook = count_allocation;
    int status = put(turn, false, false);
    size_t size = ss_dense_part(
        machine, &(struct ss_dense_form){.edits = true}, &row->checkpoint);
    ss_dense_part_drop(machine);
    ss_mem_hook = NULL;
    ss_row_destroy(&row);
    ck_assert_int_eq(status, SS_OK);
    ck_assert_uint_lt(size, 2000);
    return allocated;
}

START_TEST(the_500th_turn_costs_what_the_10th_costs)
{
    enum { TURNS = 500 };
    size_t tenth = 0, edit = 0, bytes = 0;
    begin(CONVERSATION);
    cost_of(turn_of(0, -1));
    for (unsigned turn = 1; turn <= TURNS; turn++) {
        bytes = cost_of(turn_of(turn, -1));
        if (turn == 10) {
            tenth = bytes;
            edit = cost_of(turn_of(0, 5));
        }
    }
    printf("dense: bytes allocated in the 10th turn %zu, in the 500th %zu\n",
        tenth, bytes);
    ck_assert_uint_lt(4 * bytes, 5 * tenth);
    bytes = cost_of(turn_of(1, 250));
    printf("dense: bytes allocated in the 10th edit %zu, in the 500th %zu\n",
        edit, bytes);
    ck_assert_uint_lt(4 * bytes, 5 * edit);
    end();
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        of_a_list_that_changed_inside_a_row_tells_the_places,
        what_an_application_folded_shares_what_it_left_alone,
        who_does_not_know_edits_is_told_all,
        what_changed_in_several_updates_is_told_once,
        an_update_that_is_refused_leaves_a_conversation_alone,
        a_machine_made_of_rows_tells_edits_of_what_they_hold,
        a_row_weighs_what_it_tells_and_a_whole_one_what_all_weighs,
        the_500th_turn_costs_what_the_10th_costs};
    Suite *suite = suite_create("dense lists");
    TCase *tcase = tcase_create("dense lists");
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
