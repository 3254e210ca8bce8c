// A value is stored once, however often rows have it: as the input of a run,
// as what a task wrote, as what a checkpoint holds.
#include <string.h>

#include "common/base/mem.h"
#include "common/base/prng.h"
#include "common/model/journal.h"
#include "tests/stories/suite.h"

enum { LETTERS = 4000, REST = 2600 };

// Letters that repeat nothing, another text for each seed.
static const char *letters(uint64_t seed)
{
    static char text[LETTERS + 1];
    struct ss_prng prng;
    ss_prng_init(&prng, seed);
    for (size_t i = 0; i < LETTERS; i++)
        text[i] = (char)('a' + ss_prng_below(&prng, 26));
    return text;
}

static json_t *says_much(struct visit *visit)
{
    return says(letters((uint64_t)visit->order->node[0]));
}

static json_t *says_nothing(struct visit *visit)
{
    (void)visit;
    return json_object();
}

static json_t *run_of(const char *text)
{
    return json_pack("{s:s, s:s, s:[], s:{s:[s]}}", "thread", "t", "graph", "g",
        "output_keys", "input", "x", text);
}

// So many texts are stored, and less than another half.
static void expect_texts(size_t texts)
{
    int32_t format = 0;
    size_t size = world_stored(&format);
    ck_assert_uint_gt(size, texts * LETTERS);
    ck_assert_uint_lt(size, texts * LETTERS + REST);
    ck_assert_int_eq(format, SS_ROW_FORMAT_10);
}

static void expect_all_said(const char *input, const char *said)
{
    json_t *expected = json_array();
    if (input)
        json_array_append_new(expected, json_string(input));
    for (; *said; said++)
        json_array_append_new(
            expected, json_string(letters((uint64_t)(unsigned char)*said)));
    ck_assert(json_equal(expected, x_of("t")));
    json_decref(expected);
}

START_TEST(an_input_that_a_run_has_and_a_checkpoint_holds_is_stored_once)
{
    world_graph(chart("g", "start>a a>end", NULL));
    world_worker("w1", 2);
    char *text = ss_strdup(letters(1));
    uint64_t id = world_ask_json("c", "run", run_of(text));
    ck_assert_str_eq(status_of(world_finish(id)), "done");
    expect_texts(1);
    world_crash();
    world_restart();
    ck_assert_str_eq(json_string_value(json_array_get(x_of("t"), 0)), text);
    ss_free(text);
}
END_TEST

START_TEST(what_tasks_wrote_that_ended_at_different_times_is_stored_once)
{
    world_graph(chart("g", "start>a a>b a>c b+c>d d>end", NULL));
    world_body("b", says_much);
    world_body("c", says_much);
    world_body("a", says_nothing);
    world_body("d", says_nothing);
    world_worker("w1", 2);
    world_hold("c");
    uint64_t id = world_ask("c", "run",
        "{'thread': 't', 'graph': 'g', 'input': {'x': []}, 'output_keys': []}");
    world_run();
    expect_texts(1); // b has ended, and its row stands
    world_let("c");
    ck_assert_str_eq(status_of(world_finish(id)), "done");
    expect_texts(2);
    world_crash();
    world_restart();
    expect_all_said(NULL, "bc");
}
END_TEST

// The newest format of the rows of a run while all members read that one.
static int32_t format_of_run(int32_t members_read, uint64_t seed)
{
    int32_t format = 0;
    struct ss_event members = {.type = SS_EVENT_MEMBERS};
    members.members.row_format = members_read;
    world_event(&members);
    uint64_t id = world_ask_json("c", "run", run_of(letters(seed)));
    ck_assert_str_eq(status_of(world_finish(id)), "done");
    (void)world_stored(&format);
    return format;
}

START_TEST(an_older_coordinator_beside_us_gets_rows_that_it_reads)
{
    int32_t format = 0;
    world_graph(chart("g", "start>a a>end", NULL));
    world_worker("w1", 2);
    world_run();
    ck_assert_int_lt(format_of_run(SS_ROW_FORMAT_7, 1), SS_ROW_FORMAT_8);
    ck_assert_uint_gt(world_stored(&format), 3 * LETTERS);
    ck_assert_int_eq(format_of_run(SS_ROW_FORMAT_8, 2), SS_ROW_FORMAT_8);
    ck_assert_int_eq(format_of_run(SS_ROW_FORMAT_10, 3), SS_ROW_FORMAT_10);
    world_crash();
    world_restart();
    ck_assert_uint_eq(json_array_size(x_of("t")), 6);
}
END_TEST

SUITE("stored", an_input_that_a_run_has_and_a_checkpoint_holds_is_stored_once,
    what_tasks_wrote_that_ended_at_different_times_is_stored_once,
    an_older_coordinator_beside_us_gets_rows_that_it_reads)
