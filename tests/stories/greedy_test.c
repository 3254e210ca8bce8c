// Workers and clients that may be there, and take more than their share: what
// they say within their role has an end, too.
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"

#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/value.h"
#include "coordinator/engine/limits.h"

#define RUN(more)                                                              \
    "{'run': 'r', 'thread': 't', 'graph': 'g', 'input': {'x': []}" more "}"

static bool was_told(const char *words)
{
    return strstr(world_told(), words) != NULL;
}

START_TEST(a_worker_may_not_claim_any_capacity)
{
    world_graph(chart("g", "start>a a>end", NULL));
    world_worker("greedy", SS_WORKER_CAPACITY_MAX + 1);
    ck_assert(!was_told("worker greedy serves"));
    world_worker("large", SS_WORKER_CAPACITY_MAX);
    ck_assert(was_told("worker large serves"));
}
END_TEST

// The store is slow: all that ask meanwhile are kept in memory.
START_TEST(requests_for_one_thread_wait_up_to_a_limit_and_other_threads_do_not)
{
    uint64_t ids[SS_REQUESTS_WAITING_MAX + 2];
    size_t busy = 0;
    world_graph(chart("g", "start>a a>end", NULL));
    world_worker("w1", 1);
    for (size_t i = 0; i < SS_REQUESTS_WAITING_MAX + 2; i++)
        ids[i] = world_ask("greedy", "state", "{'thread': 't'}");
    for (size_t i = 0; i < SS_REQUESTS_WAITING_MAX + 2; i++) {
        json_t *answer = world_answer(ids[i]);
        json_t *error = json_object_get(answer, "error");
        if (!answer)
            continue;
        ck_assert_str_eq(ss_json_str(error, "code", ""), "busy");
        ck_assert_uint_ge(i, SS_REQUESTS_WAITING_MAX);
        busy++;
    }
    ck_assert_uint_ge(busy, 1);
    uint64_t other = world_ask("ann", "state", "{'thread': 'u'}");
    ck_assert_ptr_null(world_answer(other)); // it waits for the store
    world_run();
    ck_assert_ptr_nonnull(world_answer(other));
    ck_assert_ptr_nonnull(world_answer(ids[0]));
    ck_assert_ptr_nonnull(world_answer(ids[SS_REQUESTS_WAITING_MAX - 1]));
}
END_TEST

enum { MANY = SS_ITEMS_KEPT_MAX + 10 };

static json_t *shows_many(struct visit *visit)
{
    for (int i = 0; i < MANY; i++)
        visit_show(visit, SS_LIVE_CUSTOM, "1");
    return says(visit->order->node);
}

// A giant one, and one behind it.
static json_t *shows_giant(struct visit *visit)
{
    char *text = ss_alloc(SS_ITEMS_SIZE_MAX + 3);
    memset(text, 'x', SS_ITEMS_SIZE_MAX + 2);
    text[0] = text[SS_ITEMS_SIZE_MAX + 1] = '\'';
    text[SS_ITEMS_SIZE_MAX + 2] = '\0';
    visit_show(visit, SS_LIVE_CUSTOM, "'small'");
    visit_show(visit, SS_LIVE_CUSTOM, text);
    visit_show(visit, SS_LIVE_CUSTOM, "'behind'");
    ss_free(text);
    return says(visit->order->node);
}

// How many items a client gets that listens, and one that comes when all is
// done and asks for what is kept.
static void expect_items(body_fn *body, size_t live, size_t kept)
{
    world_graph(chart("g", "start>a a>end", NULL));
    world_body("a", body);
    world_worker("w1", 1);
    uint64_t id = world_ask("ann", "run", RUN(", 'stream': 'custom'"));
    ck_assert_ptr_nonnull(world_finish(id));
    ck_assert_uint_eq(json_array_size(world_events(id)), live);
    id = world_ask("bob", "attach",
        "{'run': 'r', 'thread': 't', 'stream': 'custom', 'after': '0.0'}");
    ck_assert_ptr_nonnull(world_finish(id));
    ck_assert_uint_eq(json_array_size(world_events(id)), kept);
}

START_TEST(many_items_are_told_and_the_first_ones_kept)
{
    expect_items(shows_many, MANY, SS_ITEMS_KEPT_MAX);
}
END_TEST

START_TEST(a_giant_item_is_told_and_nothing_is_kept_from_it_on)
{
    expect_items(shows_giant, 3, 1);
}
END_TEST

SUITE("greedy", a_worker_may_not_claim_any_capacity,
    requests_for_one_thread_wait_up_to_a_limit_and_other_threads_do_not,
    many_items_are_told_and_the_first_ones_kept,
    a_giant_item_is_told_and_nothing_is_kept_from_it_on)
