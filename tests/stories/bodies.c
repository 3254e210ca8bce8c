// bodies.c - what nodes of several stories do.
#include "tests/stories/bodies.h"

#include <stdio.h>
#include <string.h>

bool will_fail;

json_t *asks(struct visit *visit)
{
    json_t *answer = visit_ask(visit, "ok?");
    if (!answer)
        return NULL;
    char word[128];
    snprintf(word, sizeof(word), "%s:%s", visit->order->node,
        json_string_value(answer));
    return says(word);
}

json_t *asks_twice(struct visit *visit)
{
    json_t *first = visit_ask(visit, "first?");
    json_t *second = first ? visit_ask(visit, "second?") : NULL;
    if (!second)
        return NULL;
    char word[128];
    snprintf(word, sizeof(word), "%s:%s,%s", visit->order->node,
        json_string_value(first), json_string_value(second));
    return says(word);
}

json_t *fails(struct visit *visit)
{
    return visit_fail(visit, SS_ENODE, NULL, SS_RETRY_DEFAULT, "it broke");
}

json_t *fails_twice(struct visit *visit)
{
    if (visit->order->attempt_number < 3)
        return visit_fail(
            visit, SS_ENODE, "flaky", SS_RETRY_DEFAULT, "it broke");
    return says(visit->order->node);
}

json_t *fails_at_will(struct visit *visit)
{
    return will_fail ? fails(visit) : says(visit->order->node);
}

json_t *says_nothing(struct visit *visit)
{
    (void)visit;
    return json_null();
}

json_t *sends_three(struct visit *visit)
{
    (void)visit;
    return js("{'$command': {'goto': ["
              "{'$send': {'node': 't', 'arg': 1}},"
              "{'$send': {'node': 't', 'arg': 2}},"
              "{'$send': {'node': 't', 'arg': 3}}]}}");
}

json_t *says_argument(struct visit *visit)
{
    char word[64];
    snprintf(word, sizeof(word), "%s%d", visit->order->node,
        (int)json_integer_value(visit->input));
    return says(word);
}

json_t *mends(struct visit *visit)
{
    char word[128];
    snprintf(word, sizeof(word), "mended %s",
        json_string_value(json_object_get(visit->order->given.error, "node")));
    return says(word);
}

json_t *glues(json_t *value, json_t *writes)
{
    json_t *list = value ? json_copy(value) : json_array(), *write;
    size_t i;
    json_array_foreach (writes, i, write)
        json_array_extend(list, write);
    return list;
}

json_t *goes_to_z(struct visit *visit)
{
    return json_pack("{s:{s:s, s:{s:[s]}}}", "$command", "goto", "z", "update",
        "x", visit->order->node);
}

json_t *goes_up(struct visit *visit)
{
    (void)visit;
    return js("{'$command': {'graph': '__parent__', 'goto': 'z',"
              " 'update': {'x': ['up']}}}");
}
