// approval.c - a person in the loop: draft, ask, and publish or draft again.
//
//     draft --> review --> publish
//       ^          |
//       +- a note -+
//
// Between the question and the answer nothing runs and nothing is held: the
// processes may end and come back days later.
#include <superstep/superstep.h>

// "Notice, version 2: The lift is closed on Monday. (say why)"
static int draft(struct ss_task *task)
{
    const char *topic = ss_input_str(task, "topic");
    json_t *notes = ss_input_get(task, "notes");
    size_t version = json_array_size(notes) + 1;
    if (!topic)
        return ss_fail_final(task, "no_topic",
            "there is nothing to write about: give {\"topic\": \"...\"}");
    json_t *text = json_sprintf("Notice, version %zu: %s", version, topic);
    size_t i;
    json_t *note;
    json_array_foreach (notes, i, note) {
        json_t *longer = json_sprintf(
            "%s (%s)", json_string_value(text), json_string_value(note));
        json_decref(text);
        text = longer;
    }
    return ss_update(task, json_pack("{s:o}", "draft", text));
}

// Asks. The body runs again from its beginning when the answer is there, and
// then ss_interrupt() gives the answer.
static int review(struct ss_task *task)
{
    json_t *answer;
    json_t *question = json_pack("{s:s, s:O}", "question",
        "Publish this? Answer true, false, or a note for the next version.",
        "draft", ss_input_get(task, "draft"));
    if (ss_interrupt(task, question, &answer) == SS_INTERRUPTED)
        return SS_INTERRUPTED;
    if (json_is_string(answer))
        return ss_update(task,
            json_pack("{s:[O], s:s}", "notes", answer, "verdict", "redo"));
    return ss_update(task, json_pack("{s:s}", "verdict",
                               json_is_true(answer) ? "publish" : "drop"));
}

// Where to go is in the verdict; .map below says which node that is.
static int decide(struct ss_route *route)
{
    json_t *verdict = json_object_get(ss_state(route), "verdict");
    return ss_route_to(route, json_string_value(verdict));
}

// A call to the world outside would pass ss_idempotency_key(task) on: the body
// may run more than once, the notice must not be printed twice.
static int publish(struct ss_task *task)
{
    ss_log(task, "publishing under key %s", ss_idempotency_key(task));
    return ss_update(
        task, json_pack("{s:O}", "published", ss_input_get(task, "draft")));
}

static void approval(struct ss_graph_def *graph)
{
    ss_key(graph, "topic", SS_STR);
    ss_key(graph, "draft", SS_STR);
    ss_key(graph, "notes", SS_LIST, .reducer = SS_ADD);
    ss_key(graph, "verdict", SS_STR);
    ss_key(graph, "published", SS_STR);

    ss_node(graph, "draft", draft);
    ss_node(graph, "review", review);
    ss_node(graph, "publish", publish);

    ss_edge(graph, SS_START, "draft");
    ss_edge(graph, "draft", "review");
    ss_branch(graph, "review", decide,
        .map = "{\"publish\": \"publish\", \"redo\": \"draft\", "
               "\"drop\": \"__end__\"}");
    ss_edge(graph, "publish", SS_END);
}

SS_APP(SS_GRAPH("approval", approval))
