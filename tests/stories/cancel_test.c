// A run is cancelled wherever it is, and again; a crash after each row changes
// nothing: it has ended as cancelled, and the thread goes on from what it had.
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/value.h"
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"
#include "tests/suite.h"

enum { LIVES_MAX = 100 };

struct place { // where it is when it is cancelled
    const char *name;
    const char *extra; // of the chart
    const char *held;  // results of this node stay on their way; or NULL
    bool no_worker;
};

#define TWO_INSIDE                                                             \
    "{'nodes': {'b': {'subgraph': 'inner'}}, 'subgraphs': {'inner':"           \
    " {'name': 'inner', 'kind': 'state',"                                      \
    " 'state': [{'key': 'x', 'type': 'list', 'reducer': 'add'}],"              \
    " 'nodes': [{'name': 'i1'}, {'name': 'i2'}],"                              \
    " 'edges': [['__start__', 'i1'], ['i1', 'i2']]}}}"

static const struct place places[] = {
    {"a worker runs it", NULL, "b", false},
    {"it waits for a worker", NULL, NULL, true},
    {"it waits for its next try",
        "{'nodes': {'b': {'retry': [{'initial_interval_ms': 3600000,"
        " 'retry_on': ['flaky']}]}}}",
        NULL, false},
    {"it is inside a graph", TWO_INSIDE, "i2", false},
    {"a reducer of the application folds",
        "{'state': [{'key': 'x', 'type': 'list', 'custom': 'glue'}]}", "x",
        false},
    {"a cached task runs", "{'nodes': {'b': {'cache': {}}}}", "b", false},
};

enum { PLACES = sizeof(places) / sizeof(places[0]) };

static json_t *fails_first(struct visit *visit)
{
    return visit->order->attempt_number == 1 && will_fail
               ? visit_fail(
                     visit, SS_ENODE, "flaky", SS_RETRY_DEFAULT, "it broke")
               : says(visit->order->node);
}

// ------------------------------------------------------------------ a play

struct play {
    const struct place *place;
    const char *options;
    char ended[32]; // how the run ended, once its client was told
    bool cancelled;
};

static json_t *run_body(const struct play *play)
{
    char text[256];
    snprintf(text, sizeof(text),
        "{'thread': 't', 'graph': 'g', 'run': 'r', 'input': {'x': []}%s}",
        play->options);
    return js(text);
}

// Its client asks, another one cancels, twice. False: the store stopped.
static bool one_life(struct play *play)
{
    uint64_t run = 0, cancel = 0;
    if (!play->ended[0])
        run = world_ask_json("ann", "run", run_body(play));
    world_run();
    for (int i = 0; i < 2 && !world_store_stopped(); i++) {
        cancel = world_ask("dan", "cancel", "{'run': 'r'}");
        world_run();
    }
    if (run && world_answer(run))
        snprintf(play->ended, sizeof(play->ended), "%s",
            status_of(world_answer(run)));
    if (cancel && world_answer(cancel))
        play->cancelled =
            strcmp(status_of(world_answer(cancel)), "cancelled") == 0;
    return !world_store_stopped();
}

static void set_up(const struct place *place)
{
    world_begin();
    world_graph(chart("g", "start>a a>b b>c c>end", place->extra));
    world_body("b",
        place->extra && strstr(place->extra, "flaky") ? fails_first : NULL);
    world_fold("glue", glues);
    will_fail = true;
    world_worker("w1", 2);
    if (place->no_worker)
        world_leave("w1");
}

static void hold(const struct place *place)
{
    if (place->held)
        world_hold(place->held);
}

// Gives what is left in the end.
static char *play(const struct place *place, const char *options, int64_t at,
    int64_t again, size_t *ret_taken)
{
    struct play it = {.place = place, .options = options};
    set_up(place);
    hold(place);
    if (at)
        world_store_take(at);
    for (int life = 0; !one_life(&it) && life < LIVES_MAX; life++) {
        world_crash();
        world_restart();
        if (again)
            world_store_take(again);
    }
    *ret_taken = world_taken();
    world_store_take(-1);
    will_fail = false;
    if (place->held)
        world_let(place->held);
    if (place->no_worker)
        world_worker("w1", 2);
    json_t *end =
        world_get("run", "{'thread': 't', 'graph': 'g', 'input': null}");
    json_t *how = world_get("attach", "{'run': 'r'}");
    json_t *shown = json_object_get(end, "output");
    char *output = ss_json_canonical(shown ? shown : end);
    char *text = ss_format("ann: %s, dan: %d, r: %s, then %s %s", it.ended,
        it.cancelled, status_of(how), status_of(end), output);
    ss_free(output);
    return text;
}

static void check(const struct place *place, const char *options)
{
    size_t taken = 0, some = 0;
    // a run that begins again from its entry needs more than two rows to end
    int64_t lives = strstr(options, "exit") ? 1 : 3;
    char *whole = play(place, options, 0, 0, &taken);
    ck_assert_msg(strncmp(whole,
                      "ann: cancelled, dan: 1, r: cancelled, then"
                      " done",
                      46) == 0,
        "%s%s: %s\n%s", place->name, options, whole, world_told());
    world_end();
    for (size_t at = 1; at <= taken; at++)
        for (int64_t again = 0; again < lives; again++) {
            char *end = play(place, options, (int64_t)at, again, &some);
            if (strcmp(end, whole) != 0) {
                printf("%s", world_told());
                fflush(stdout);
                ck_abort_msg("%s%s, crash after %zu, then each %d: %s, not %s",
                    place->name, options, at, (int)again, end, whole);
            }
            ss_free(end);
            world_end();
        }
    ss_free(whole);
}

START_TEST(a_cancelled_run_stays_cancelled_over_crashes)
{
    check(&places[_i], "");
}
END_TEST

START_TEST(also_under_async)
{
    check(&places[_i], ", 'durability': 'async'");
}
END_TEST

// What it had is stored when it is cancelled: the thread goes on from there.
START_TEST(also_where_it_is_stored_at_the_end)
{
    check(&places[_i], ", 'durability': 'exit'");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cancel");
    TCase *tcase = tcase_create("cancel");
    tcase_add_loop_test(
        tcase, a_cancelled_run_stays_cancelled_over_crashes, 0, PLACES);
    tcase_add_loop_test(tcase, also_under_async, 0, PLACES);
    tcase_add_loop_test(tcase, also_where_it_is_stored_at_the_end, 0, PLACES);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
