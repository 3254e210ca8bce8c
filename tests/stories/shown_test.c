// What is shown to whom: what was shown already is not shown again, and what
// happens inside only to those who ask for it.
#include "common/model/value.h"
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"

#define FRESH "'graph': 'g', 'input': {'x': []}"

#define MESSAGE "{'type': 'ai', 'id': 'm1', 'content': 'Hello'}"

// It shows its message while it runs, and returns it.
static json_t *streams_what_it_returns(struct visit *visit)
{
    visit_show(visit, SS_LIVE_MESSAGE, MESSAGE);
    visit->outcome->messages = js("[" MESSAGE ", {'type': 'ai', 'id': 'm2',"
                                  " 'content': 'and so on'}]");
    return says("said");
}

START_TEST(a_message_that_was_streamed_is_not_shown_again_when_it_is_returned)
{
    world_graph(chart("g", "start>a a>end", NULL));
    world_body("a", streams_what_it_returns);
    world_worker("w1", 1);
    uint64_t id = world_ask(
        "ann", "run", "{'thread': 't', " FRESH ", 'stream': ['messages']}");
    world_finish(id);
    const json_t *events = world_events(id);
    static const char *const ids[] = {"m1", "m2"};
    ck_assert_uint_eq(json_array_size(events), 2);
    for (size_t i = 0; i < 2; i++) {
        json_t *data = json_object_get(json_array_get(events, i), "data");
        ck_assert_str_eq(
            ss_json_str(json_array_get(data, 0), "id", "?"), ids[i]);
    }
}
END_TEST

// How many of these events are from inside.
static size_t inner_of(const json_t *events)
{
    size_t i, count = 0;
    json_t *event;
    json_array_foreach ((json_t *)events, i, event)
        count += json_array_size(json_object_get(event, "ns")) > 0;
    return count;
}

// Also where somebody else does ask.
START_TEST(what_happens_inside_is_shown_to_who_asks_for_it)
{
    world_graph(chart("g", "start>a a>sub sub>end",
        "{'nodes': {'sub': {'subgraph': 'inner'}}, 'subgraphs': {'inner':"
        " {'name': 'inner', 'kind': 'state',"
        " 'state': [{'key': 'x', 'type': 'list', 'reducer': 'add'}],"
        " 'nodes': [{'name': 'i1'}], 'edges': [['__start__', 'i1']]}}}"));
    world_worker("w1", 1);
    world_hold("i1");
    uint64_t ann = world_ask("ann", "run",
        "{'thread': 't', 'run': 'r', " FRESH ", 'stream': ['updates']}");
    world_run();
    uint64_t bob = world_ask("bob", "attach",
        "{'run': 'r', 'stream': ['updates'], 'subgraphs': true}");
    world_run();
    world_let("i1");
    world_finish(ann);
    world_finish(bob);
    ck_assert_uint_eq(inner_of(world_events(bob)), 1);
    ck_assert_uint_eq(inner_of(world_events(ann)), 0);
    ck_assert_uint_eq(json_array_size(world_events(ann)), 2);
}
END_TEST

SUITE("shown",
    a_message_that_was_streamed_is_not_shown_again_when_it_is_returned,
    what_happens_inside_is_shown_to_who_asks_for_it)
