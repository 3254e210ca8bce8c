// A crash at each allocation of a story (docs/decisions/0001: a process that
// has no memory left stops, and a crash is safe).
//
// At an allocation within the engine the process forks. The child is the world
// whose coordinator died just there: another coordinator begins on the rows
// that the store had, the client asks again, and all must end as it does
// undisturbed; no body of which the writes were durable runs again. The parent
// goes on, to the next allocation.
//
// Without SS_TORTURE=all only some of them are taken, evenly.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"
#include "tests/suite.h"

enum { SAMPLE = 60, MOVES_MAX = 3, EXIT_OTHER_END = 3, EXIT_RAN_AGAIN = 4 };

#define FIRST  "'run': '11111111-1111-4111-8111-111111111111'"
#define SECOND "'run': '22222222-2222-4222-8222-222222222222'"
#define THIRD  "'run': '33333333-3333-4333-8333-333333333333'"
#define RUN(id, more)                                                          \
    "{'thread': 't', 'graph': 'g', 'input': {'x': []}, " id more "}"
#define RESUME(id, value)                                                      \
    "{'thread': 't', 'command': {'resume': " value "}, " id "}"

struct story {
    const char *name;
    void (*setup)(void);
    const char *moves[MOVES_MAX]; // runs, one after the other
};

// ------------------------------------------------------------------ stories

static void diamond(void)
{
    world_graph(chart("g", "start>a a>b a>c b+c>d d>end", NULL));
}

static void fan_out(void)
{
    world_graph(chart("g", "start>a t>end", NULL));
    world_body("a", sends_three);
    world_body("t", says_argument);
}

static void question(void)
{
    world_graph(chart("g", "start>a start>b a>c", NULL));
    world_body("b", asks);
}

static void two_questions(void)
{
    world_graph(chart("g", "start>a a>b", NULL));
    world_body("a", asks_twice);
}

static void retries(void)
{
    world_graph(chart("g", "start>a start>b a>c",
        "{'nodes': {'a': {'retry': [{'max_attempts': 5, 'retry_on': ['flaky'],"
        " 'initial_interval_ms': 100, 'backoff_factor': 2,"
        " 'max_interval_ms': 1000, 'jitter': false}]}}}"));
    world_body("a", fails_twice);
}

static void inside(void)
{
    json_t *inner = chart("inner", "start>p start>q p+q>r", NULL);
    json_t *outer = chart("g", "start>a a>sub sub>d",
        "{'nodes': {'sub': {'subgraph': 'inner'}}}");
    json_object_set_new(outer, "subgraphs", json_pack("{s:o}", "inner", inner));
    world_graph(outer);
}

static const struct story stories[] = {
    {"a diamond", diamond, {RUN(FIRST, "")}},
    {"a fan-out", fan_out, {RUN(FIRST, "")}},
    {"a run after a run", diamond, {RUN(FIRST, ""), RUN(SECOND, "")}},
    {"a question", question, {RUN(FIRST, ""), RESUME(SECOND, "'yes'")}},
    {"two questions", two_questions,
        {RUN(FIRST, ""), RESUME(SECOND, "'one'"), RESUME(THIRD, "'two'")}},
    {"a retry", retries, {RUN(FIRST, "")}},
    {"a graph inside", inside, {RUN(FIRST, "")}},
    {"async", diamond, {RUN(FIRST, ", 'durability': 'async'")}},
    {"exit", diamond, {RUN(FIRST, ", 'durability': 'exit'")}},
    {"one superstep left", diamond, {RUN(FIRST, ", 'recursion_limit': 2")}},
};

// ------------------------------------------------------------------ a play

static struct {
    const struct story *story;
    size_t move;    // the one under way
    size_t count;   // allocations within the engine so far
    size_t stride;  // 0: only count
    char *expected; // how it ends
    size_t deaths;
} torture;

// How it ended, without what is random: the state and the answer. Gives.
static char *ending(const json_t *answer)
{
    json_t *state =
        json_object_get(world_get("state", "{'thread': 't'}"), "state");
    json_t *metadata = json_object_get(state, "metadata");
    json_t *shape = json_pack("{s:O*, s:O*, s:O*, s:O*, s:O*, s:O*}", "status",
        json_object_get(answer, "status"), "output",
        json_object_get(answer, "output"), "values",
        json_object_get(state, "values"), "next",
        json_object_get(state, "next"), "step",
        json_object_get(metadata, "step"), "source",
        json_object_get(metadata, "source"));
    char *text = json_dumps(shape, JSON_SORT_KEYS);
    json_decref(shape);
    return text;
}

static char *play_from(size_t move)
{
    json_t *answer = NULL;
    const char *const *moves = torture.story->moves;
    for (; move < MOVES_MAX && moves[move]; move++) {
        torture.move = move;
        answer = world_get("run", moves[move]);
    }
    return ending(answer);
}

// Did a task run in this life whose writes stood when the last one ended?
static const char *ran_again(size_t attempts_before)
{
    size_t count = 0;
    const struct attempt_made *made = world_attempts(&count);
    for (size_t i = attempts_before; i < count; i++)
        if (world_was_finished(made[i].run, made[i].task_id))
            return made[i].node;
    return NULL;
}

// The coordinator died at this allocation: what becomes of the run?
static _Noreturn void live_on(void)
{
    size_t attempts;
    ss_mem_hook = NULL;
    (void)world_attempts(&attempts);
    world_die();
    world_restart();
    char *end = play_from(torture.move);
    const char *again = ran_again(attempts);
    if (again) {
        fprintf(stderr, "%s, allocation %zu: %s had written, and ran again\n",
            torture.story->name, torture.count, again);
        _exit(EXIT_RAN_AGAIN);
    }
    if (strcmp(end, torture.expected) != 0) {
        fprintf(stderr, "%s, allocation %zu:\n%s\ninstead of\n%s\n%s",
            torture.story->name, torture.count, end, torture.expected,
            world_told());
        _exit(EXIT_OTHER_END);
    }
    _exit(0);
}

static int on_allocation(size_t size)
{
    (void)size;
    if (!world_is_in_engine())
        return 0;
    torture.count++;
    if (torture.stride == 0 || torture.count % torture.stride != 0)
        return 0;
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        live_on();
    ck_assert_int_gt(child, 0);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0,
        "%s: dead at allocation %zu (status %d)", torture.story->name,
        torture.count, status);
    torture.deaths++;
    return 0;
}

// From the beginning, in a world of its own. Gives how it ended.
static char *play(size_t stride)
{
    torture.count = torture.deaths = 0;
    torture.stride = stride;
    torture.story->setup();
    world_worker("w1", 2);
    world_worker("w2", 2);
    ss_mem_hook = on_allocation;
    char *end = play_from(0);
    ss_mem_hook = NULL;
    return end;
}

START_TEST(a_crash_at_an_allocation_leaves_nothing_behind)
{
    const char *how = getenv("SS_TORTURE");
    bool is_all = how && strcmp(how, "all") == 0;
    torture.story = &stories[_i];
    torture.expected = play(0);
    size_t all = torture.count;
    ck_assert_uint_gt(all, 500);
    world_end();
    world_begin();
    char *again = play(is_all ? 1 : all / SAMPLE);
    ck_assert_str_eq(again, torture.expected);
    ck_assert_uint_eq(torture.count, all);
    ck_assert_uint_ge(torture.deaths, is_all ? all : SAMPLE);
    printf("%s: %zu of %zu allocations\n", torture.story->name, torture.deaths,
        all);
    free(again);
    free(torture.expected);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("allocations");
    TCase *tcase = tcase_create("allocations");
    tcase_set_timeout(tcase, 600);
    tcase_add_checked_fixture(tcase, world_begin, world_end);
    tcase_add_loop_test(tcase, a_crash_at_an_allocation_leaves_nothing_behind,
        0, sizeof(stories) / sizeof(stories[0]));
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
