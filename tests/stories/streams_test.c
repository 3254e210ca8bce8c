// Streams: who loses its connection, comes late, or outlives a coordinator gets
// every event once, with the same numbers, in the same order.
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/mem.h"
#include "common/model/value.h"
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"
#include "tests/suite.h"

#define ALL                                                                    \
    ("['values', 'updates', 'custom', 'messages', 'tasks', 'checkpoints',"     \
     " 'debug']")

enum { RUNS_MAX = 3, CRASHES_MAX = 60 };

struct story {
    const char *name;
    void (*setup)(void);
    const char *runs[RUNS_MAX]; // what each run is asked with
};

#define FRESH  "'graph': 'g', 'input': {'x': []}"
#define ANSWER "'command': {'resume': 'yes'}"
#define GO_ON  "'input': null"

// ------------------------------------------------------------------ asking

static uint64_t follow(const char *client, const char *op, size_t run,
    const char *stream, const char *more)
{
    char body[1024];
    snprintf(body, sizeof(body),
        "{'run': 'run-%zu', 'thread': 't', 'stream': %s, 'subgraphs': true%s}",
        run, stream, more);
    return world_ask(client, op, body);
}

static uint64_t again(const char *client, size_t run, const char *stream,
    const char *after, const json_t *seen)
{
    char more[512];
    char *text = seen ? ss_json_text(seen) : ss_strdup("{}");
    for (char *at = text; *at; at++)
        if (*at == '"')
            *at = '\'';
    snprintf(more, sizeof(more), ", 'after': '%s', 'seen': %s", after, text);
    ss_free(text);
    return follow(client, "attach", run, stream, more);
}

static const char *seq_of(const json_t *event)
{
    return ss_json_str(event, "seq", NULL);
}

// How many items of which attempts are among these events. Gives.
static json_t *items_seen(const json_t *events, size_t count)
{
    json_t *seen = json_object();
    for (size_t i = 0; i < count; i++) {
        json_t *event = json_array_get(events, i);
        const char *attempt = ss_json_str(event, "attempt", NULL);
        if (attempt && json_object_get(event, "item"))
            json_object_set(seen, attempt, json_object_get(event, "item"));
        else if (attempt)
            json_object_del(seen, attempt);
    }
    return seen;
}

// The events from `from` on: those with a number, or those without. Gives.
static json_t *part(const json_t *events, size_t from, bool numbered)
{
    json_t *list = json_array();
    for (size_t i = from; i < json_array_size(events); i++) {
        json_t *event = json_array_get(events, i);
        if ((seq_of(event) != NULL) == numbered)
            json_array_append(list, event);
    }
    return list;
}

static void same(const json_t *is, const json_t *should, const char *where)
{
    if (json_equal(is, should))
        return;
    char *left = json_dumps(is, JSON_INDENT(1));
    char *right = json_dumps(should, JSON_INDENT(1));
    printf("%s\n%s\ninstead of\n%s\n%s", where, left, right, world_told());
    fflush(stdout);
    ss_free(left);
    ss_free(right);
    ck_abort_msg("%s: other events", where);
}

static void same_rest(
    const json_t *got, const json_t *whole, size_t from, const char *where)
{
    for (int numbered = 0; numbered < 2; numbered++) {
        json_t *is = part(got, 0, numbered);
        json_t *should = part(whole, from, numbered);
        same(is, should, where);
        json_decref(is);
        json_decref(should);
    }
}

// ------------------------------------------------------------------ stories

static json_t *shows(struct visit *visit)
{
    visit_show(visit, SS_LIVE_CUSTOM, "'one'");
    visit_show(visit, SS_LIVE_CUSTOM, "'two'");
    return says(visit->order->node);
}

static json_t *shows_and_fails(struct visit *visit)
{
    visit_show(visit, SS_LIVE_CUSTOM, "'try'");
    return fails_twice(visit);
}

static json_t *shows_and_asks(struct visit *visit)
{
    visit_show(visit, SS_LIVE_CUSTOM, "'hm'");
    return asks(visit);
}

static void setup_chain(void)
{
    world_graph(chart("g", "start>a a>b b>c c>end", NULL));
    world_body("b", shows);
}

static void setup_diamond(void)
{
    world_graph(chart("g", "start>a a>b a>c b+c>d d>end", NULL));
    world_body("b", shows);
}

static void setup_question(void)
{
    world_graph(chart("g", "start>a a>b a>c b+c>d d>end", NULL));
    world_body("b", shows_and_asks);
}

static void setup_sends(void)
{
    world_graph(chart("g", "start>a t>sum sum>end", NULL));
    world_body("a", sends_three);
    world_body("t", says_argument);
}

static void setup_retry(void)
{
    world_graph(chart("g", "start>a a>b b>c c>end",
        "{'nodes': {'b': {'retry': [{'initial_interval_ms': 100,"
        " 'max_attempts': 5, 'jitter': false, 'retry_on': ['flaky']}]}}}"));
    world_body("b", shows_and_fails);
}

static void setup_fails(void)
{
    world_graph(chart("g", "start>a a>b a>c b+c>d d>end", NULL));
    world_body("b", fails);
}

#define INSIDE(more)                                                           \
    "{'nodes': {'sub': {'subgraph': 'inner'}}, 'subgraphs': {'inner':"         \
    " {'name': 'inner', 'kind': 'state',"                                      \
    " 'state': [{'key': 'x', 'type': 'list', 'reducer': 'add'}],"              \
    " 'nodes': [{'name': 'i1'}, {'name': 'i2'}], 'edges': ["                   \
    "['__start__', 'i1'], ['i1', 'i2'], ['i2', '__end__']]" more "}}}"

static void setup_inside(void)
{
    world_graph(chart("g", "start>a a>sub sub>b b>end", INSIDE("")));
    world_body("i1", shows);
}

static void setup_inside_asks(void)
{
    setup_inside();
    world_body("i2", shows_and_asks);
}

static void setup_inside_kept(void)
{
    world_graph(chart(
        "g", "start>a a>sub sub>b b>end", INSIDE(", 'checkpointer': true")));
    world_body("i2", asks);
}

static void setup_inside_not_kept(void)
{
    world_graph(chart(
        "g", "start>a a>sub sub>b b>end", INSIDE(", 'checkpointer': false")));
}

static const struct story stories[] = {
    {"a chain", setup_chain, {FRESH}},
    {"a diamond", setup_diamond, {FRESH}},
    {"a question", setup_question, {FRESH, ANSWER}},
    {"sends", setup_sends, {FRESH}},
    {"a retry", setup_retry, {FRESH}},
    {"a failure", setup_fails, {FRESH, GO_ON}},
    {"two runs", setup_chain, {FRESH, FRESH}},
    {"a breakpoint", setup_chain, {FRESH ", 'interrupt_before': ['c']", GO_ON}},
    {"an update beside the answer", setup_question,
        {FRESH, "'command': {'resume': 'yes', 'update': {'x': ['u']}}"}},
    {"inside", setup_inside, {FRESH}},
    {"a question inside", setup_inside_asks, {FRESH, ANSWER}},
    {"a kept graph inside", setup_inside_kept, {FRESH, ANSWER}},
    {"a graph inside that is not kept", setup_inside_not_kept, {FRESH}},
};

enum { STORIES = sizeof(stories) / sizeof(stories[0]) };

static const char *const modes[] = {"['values']", "['updates']", "['custom']",
    "['messages']", "['tasks']", "['checkpoints']", "['debug']", ALL};

enum { MODES = sizeof(modes) / sizeof(modes[0]) };

// ------------------------------------------------------------------ plays

// Ann follows all runs of a story; nothing disturbs her.
static void play(const struct story *story, const char *stream,
    const char *more, uint64_t ret_ids[RUNS_MAX])
{
    char body[512];
    story->setup();
    world_worker("w1", 2);
    for (size_t i = 0; i < RUNS_MAX && story->runs[i]; i++) {
        snprintf(body, sizeof(body), ", %s%s", story->runs[i], more);
        ret_ids[i] = follow("ann", "run", i, stream, body);
        ck_assert_ptr_nonnull(world_finish(ret_ids[i]));
        world_run();
    }
}

// After each of the events that Ann saw, Bob comes back and gets the rest.
static void cut_everywhere(const struct story *story, const char *stream,
    const uint64_t *ids, const char *when)
{
    char where[256];
    for (size_t r = 0; r < RUNS_MAX && story->runs[r]; r++) {
        json_t *whole = world_events(ids[r]);
        const char *after = "0.0";
        for (size_t i = 0; i <= json_array_size(whole); i++) {
            snprintf(where, sizeof(where), "%s, %s, run %zu, %s: after %s",
                story->name, stream, r, when, after);
            json_t *seen = items_seen(whole, i);
            uint64_t id = again("bob", r, stream, after, seen);
            ck_assert_ptr_nonnull(world_finish(id));
            same_rest(world_events(id), whole, i, where);
            json_decref(seen);
            json_t *event = json_array_get(whole, i);
            after = seq_of(event) ? seq_of(event) : after;
        }
    }
}

static bool has_void_items(const struct story *story)
{
    return story->setup == setup_retry;
}

START_TEST(who_comes_back_gets_the_rest_in_each_mode)
{
    const struct story *story = &stories[_i / MODES];
    const char *stream = modes[_i % MODES];
    uint64_t ids[RUNS_MAX] = {0};
    if (has_void_items(story) &&
        (strstr(stream, "custom") || strstr(stream, "messages")))
        return; // items of attempts that failed are gone
    play(story, stream, "", ids);
    cut_everywhere(story, stream, ids, "the run has ended");
    world_crash();
    world_restart();
    world_run();
    cut_everywhere(story, stream, ids, "another coordinator");
}
END_TEST

START_TEST(the_numbers_do_not_depend_on_who_listens)
{
    const struct story *story = &stories[_i];
    uint64_t ids[RUNS_MAX] = {0};
    play(story, "['values']", "", ids);
    if (story->setup == setup_inside_not_kept)
        return; // what it shows is kept for those who listen
    for (size_t r = 0; r < RUNS_MAX && story->runs[r]; r++) {
        uint64_t id = again("bob", r, ALL, "0.0", NULL);
        ck_assert_ptr_nonnull(world_finish(id));
        json_t *values = json_array(), *event;
        size_t i;
        json_array_foreach (world_events(id), i, event) {
            if (strcmp(ss_json_str(event, "mode", ""), "values") == 0)
                json_array_append(values, event);
        }
        same(values, world_events(ids[r]), story->name);
        ck_assert_uint_gt(
            json_array_size(world_events(id)), json_array_size(values));
        json_decref(values);
    }
}
END_TEST

// ------------------------------------------------------------------ crashes

// Without what a second life makes anew: ids, times, numbers.
static json_t *bare(const json_t *events)
{
    json_t *list = json_array(), *event;
    size_t i;
    json_array_foreach ((json_t *)events, i, event) {
        const char *mode = ss_json_str(event, "mode", "");
        json_t *data = json_object_get(event, "data");
        if (strcmp(mode, "values") == 0 || strcmp(mode, "updates") == 0) {
            json_t *shown = json_copy(data);
            if (json_is_object(shown) &&
                json_object_get(shown, "__interrupt__"))
                json_object_set_new(
                    shown, "__interrupt__", json_string("asked"));
            json_array_append_new(list, json_pack("[s, o]", mode, shown));
        } else if (seq_of(event)) {
            json_array_append_new(list,
                json_pack("[s, O*]", mode, json_object_get(data, "name")));
        }
    }
    return list;
}

static void add_all(json_t *to, const json_t *events)
{
    json_t *event;
    size_t i;
    json_array_foreach ((json_t *)events, i, event)
        json_array_append(to, event);
}

static const char *last_seq(const json_t *events)
{
    const char *seq = "0.0";
    for (size_t i = 0; i < json_array_size(events); i++)
        if (seq_of(json_array_get(events, i)))
            seq = seq_of(json_array_get(events, i));
    return seq;
}

// Ann follows the run over the crash; what she got of it all in the end.
static json_t *over_a_crash(
    const struct story *story, size_t run, uint64_t id, bool *ret_began)
{
    json_t *got = json_array(), *seen;
    add_all(got, world_events(id));
    world_crash();
    world_restart();
    if (world_rows() % 2)
        world_run(); // the run goes on before its client is back
    seen = items_seen(got, json_array_size(got));
    uint64_t next = again("ann", run, ALL, last_seq(got), seen);
    json_t *answer = world_finish(next);
    json_decref(seen);
    *ret_began = json_object_get(answer, "status") != NULL;
    if (!*ret_began) { // nothing of it was stored
        char body[512];
        ck_assert_uint_eq(json_array_size(got), 0);
        snprintf(body, sizeof(body), ", %s", story->runs[run]);
        next = follow("ann", "run", run, ALL, body);
        ck_assert_ptr_nonnull(world_finish(next));
    }
    add_all(got, world_events(next));
    return got;
}

static void crash_after(const struct story *story, int64_t rows,
    json_t *const whole[RUNS_MAX], bool *ret_crashed)
{
    char where[256], body[512];
    world_begin();
    story->setup();
    world_worker("w1", 2);
    world_store_take(rows);
    *ret_crashed = false;
    for (size_t r = 0; r < RUNS_MAX && story->runs[r]; r++) {
        bool began = true;
        json_t *got = json_array();
        snprintf(where, sizeof(where), "%s, a crash after row %d, run %zu",
            story->name, (int)rows, r);
        snprintf(body, sizeof(body), ", %s", story->runs[r]);
        uint64_t id = follow("ann", "run", r, ALL, body);
        world_finish(id);
        if (world_store_stopped()) {
            *ret_crashed = true;
            json_decref(got);
            got = over_a_crash(story, r, id, &began);
        } else {
            add_all(got, world_events(id));
        }
        uint64_t late = again("bob", r, ALL, "0.0", NULL);
        ck_assert_ptr_nonnull(world_finish(late));
        json_t *is = part(got, 0, true);
        json_t *should = part(world_events(late), 0, true);
        same(is, should, where);
        json_t *left = bare(got);
        same(left, whole[r], where);
        json_decref(is);
        json_decref(should);
        json_decref(left);
        json_decref(got);
    }
    world_end();
}

START_TEST(a_crash_after_any_row_takes_nothing_from_the_stream)
{
    const struct story *story = &stories[_i];
    uint64_t ids[RUNS_MAX] = {0};
    json_t *whole[RUNS_MAX] = {NULL};
    play(story, ALL, "", ids);
    for (size_t r = 0; r < RUNS_MAX && story->runs[r]; r++)
        whole[r] = bare(world_events(ids[r]));
    world_end();
    bool crashed = story->setup != setup_inside_not_kept;
    for (int64_t rows = 1; crashed && rows < CRASHES_MAX; rows++)
        crash_after(story, rows, whole, &crashed);
    for (size_t r = 0; r < RUNS_MAX; r++)
        json_decref(whole[r]);
    world_begin();
}
END_TEST

// ------------------------------------------------------------------ items

// What is shown of an attempt, and when it is void: in one line.
static void items_told(json_t *events, char *ret, size_t size)
{
    size_t i, length = 0;
    json_t *event;
    ret[0] = '\0';
    json_array_foreach (events, i, event) {
        json_t *data = json_object_get(event, "data");
        const char *word = json_is_string(data)
                               ? json_string_value(data)
                               : ss_json_str(event, "mode", "?");
        length += (size_t)snprintf(ret + length, size - length, "%s ", word);
        ck_assert_uint_lt(length, size);
    }
}

START_TEST(items_of_a_lost_attempt_are_void_and_come_again)
{
    setup_chain();
    world_worker("w1", 1);
    world_lose("b");
    uint64_t id = follow("ann", "run", 0, "['custom']", ", " FRESH);
    world_run();
    world_silence("w1");
    world_pass(10000);
    world_worker("w2", 1);
    ck_assert_ptr_nonnull(world_finish(id));
    json_t *events = world_events(id);
    char got[256];
    items_told(events, got, sizeof(got));
    ck_assert_str_eq(got, "one two restarted one two ");
    ck_assert_str_eq(ss_json_str(json_array_get(events, 2), "attempt", "?"),
        ss_json_str(json_array_get(events, 0), "attempt", ""));
    ck_assert_str_ne(ss_json_str(json_array_get(events, 3), "attempt", "?"),
        ss_json_str(json_array_get(events, 0), "attempt", ""));
}
END_TEST

START_TEST(items_of_an_attempt_that_a_migrate_took_back_are_void)
{
    setup_chain();
    world_worker("w1", 1);
    world_hold("b");
    uint64_t id = follow("ann", "run", 0, "['custom']", ", " FRESH);
    world_run();
    world_upgrade(chart("g", "start>a a>b b>end", NULL));
    world_worker("w2", 1);
    world_get("migrate", "{'run': 'run-0'}");
    world_let("b");
    ck_assert_ptr_nonnull(world_finish(id));
    json_t *events = world_events(id);
    char got[256];
    items_told(events, got, sizeof(got));
    ck_assert_str_eq(got, "one two restarted one two ");
    ck_assert_str_eq(ss_json_str(json_array_get(events, 2), "attempt", "?"),
        ss_json_str(json_array_get(events, 0), "attempt", ""));
}
END_TEST

START_TEST(who_attaches_while_an_attempt_runs_gets_its_items_too)
{
    setup_chain();
    world_worker("w1", 1);
    world_hold("b");
    uint64_t id = follow("ann", "run", 0, ALL, ", " FRESH);
    world_run();
    json_t *whole = world_events(id);
    size_t cut = json_array_size(whole);
    json_t *seen = js("{}");
    uint64_t late = again("bob", 0, ALL, "0.0", seen);
    world_run();
    same_rest(world_events(late), whole, 0, "while it runs");
    json_decref(seen);
    seen = items_seen(whole, cut);
    uint64_t back = again("cid", 0, ALL, last_seq(whole), seen);
    json_decref(seen);
    world_let("b");
    ck_assert_ptr_nonnull(world_finish(id));
    ck_assert_ptr_nonnull(world_finish(late));
    ck_assert_ptr_nonnull(world_finish(back));
    same_rest(world_events(late), whole, 0, "to the end");
    same_rest(world_events(back), whole, cut, "from there");
}
END_TEST

START_TEST(items_seen_of_an_attempt_that_a_crash_took_are_void)
{
    setup_chain();
    world_worker("w1", 1);
    world_hold("b");
    uint64_t id = follow("ann", "run", 0, "['custom']", ", " FRESH);
    world_run();
    json_t *seen = items_seen(world_events(id), 2);
    ck_assert_uint_eq(json_object_size(seen), 1);
    world_crash();
    world_let("b");
    world_restart();
    uint64_t back = again("ann", 0, "['custom']", "0.0", seen);
    ck_assert_ptr_nonnull(world_finish(back));
    json_t *events = world_events(back);
    ck_assert_uint_eq(json_array_size(events), 3);
    ck_assert_str_eq(
        ss_json_str(json_array_get(events, 0), "mode", "?"), "restarted");
    ck_assert_ptr_nonnull(json_object_get(
        seen, ss_json_str(json_array_get(events, 0), "attempt", "?")));
    json_decref(seen);
}
END_TEST

START_TEST(a_mode_that_is_none_is_refused_after_the_end_too)
{
    setup_chain();
    world_worker("w1", 1);
    ck_assert_ptr_nonnull(
        world_finish(follow("ann", "run", 0, "[]", ", " FRESH)));
    uint64_t id = follow("ann", "attach", 0, "['nonsense']", "");
    json_t *answer = world_finish(id);
    ck_assert_str_eq(ss_json_str(json_object_get(answer, "error"), "code", ""),
        "invalid_argument");
    answer = world_finish(follow("ann", "attach", 0, "['message']", ""));
    const char *said =
        ss_json_str(json_object_get(answer, "error"), "message", "");
    ck_assert_msg(
        strstr(said, ". Did you mean \"messages\"?") != NULL, "%s", said);
}
END_TEST

// ------------------------------------------------------------------ cost

static size_t allocations;

static int count_allocation(size_t size)
{
    (void)size;
    allocations++;
    return 0;
}

// Tell a run of so many tasks in one superstep again; how much that took.
static size_t cost_of_telling(size_t width)
{
    struct ss_buf edges;
    world_end();
    world_begin();
    ss_buf_init(&edges, 64 * width);
    for (size_t i = 0; i < width; i++)
        ss_buf_addf(&edges, "%sstart>n%zu", i ? " " : "", i);
    world_graph(chart("g", ss_buf_str(&edges), NULL));
    ss_buf_fini(&edges);
    world_worker("w1", (uint32_t)width);
    ck_assert_ptr_nonnull(
        world_finish(follow("ann", "run", 0, "['updates']", ", " FRESH)));
    allocations = 0;
    ss_mem_hook = count_allocation;
    uint64_t late = again("bob", 0, "['updates']", "0.0", NULL);
    ck_assert_ptr_nonnull(world_finish(late));
    ss_mem_hook = NULL;
    ck_assert_uint_eq(json_array_size(world_events(late)), width);
    return allocations;
}

START_TEST(a_wide_superstep_is_told_again_at_the_cost_of_its_tasks)
{
    size_t narrow = cost_of_telling(40), wide = cost_of_telling(160);
    ck_assert_msg(wide < 5 * narrow, "%zu allocations, then %zu", narrow, wide);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("streams");
    TCase *cut = tcase_create("cut");
    tcase_add_checked_fixture(cut, world_begin, world_end);
    tcase_add_loop_test(
        cut, who_comes_back_gets_the_rest_in_each_mode, 0, STORIES * MODES);
    tcase_add_loop_test(
        cut, the_numbers_do_not_depend_on_who_listens, 0, STORIES);
    tcase_add_loop_test(
        cut, a_crash_after_any_row_takes_nothing_from_the_stream, 0, STORIES);
    tcase_add_test(cut, items_of_a_lost_attempt_are_void_and_come_again);
    tcase_add_test(cut, items_of_an_attempt_that_a_migrate_took_back_are_void);
    tcase_add_test(cut, who_attaches_while_an_attempt_runs_gets_its_items_too);
    tcase_add_test(cut, items_seen_of_an_attempt_that_a_crash_took_are_void);
    tcase_add_test(cut, a_mode_that_is_none_is_refused_after_the_end_too);
    tcase_add_test(
        cut, a_wide_superstep_is_told_again_at_the_cost_of_its_tasks);
    tcase_set_timeout(cut, 600);
    suite_add_tcase(suite, cut);
    return suite_main(suite);
}
