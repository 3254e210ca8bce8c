#include "tests/unit/engine/growth_lab.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "common/base/map.h"
#include "common/base/prng.h"
#include "common/model/journal.h"
#include "common/model/reserved.h"
#include "common/wire/batch.h"
#include "common/wire/limits.h"
#include "common/wire/row.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/limits.h"
#include "tests/stories/world.h"
#include "worker/session/session.h"

enum { LEASE_MS = 3000, BEAT_MS = 500 };

json_t *lab_chain(size_t nodes)
{
    json_t *graph = js("{'name': 'chain', 'kind': 'state', 'state': ["
                       " {'key': 'last', 'type': 'str'}],"
                       " 'nodes': [], 'edges': [['__start__', 'n00000']]}");
    json_t *list = json_object_get(graph, "nodes");
    json_t *edges = json_object_get(graph, "edges");
    char name[16], next[16];
    for (size_t i = 0; i < nodes; i++) {
        snprintf(name, sizeof(name), "n%05u", (unsigned)i);
        snprintf(next, sizeof(next), "n%05u", (unsigned)i + 1);
        json_array_append_new(list, json_pack("{s:s}", "name", name));
        if (i + 1 < nodes)
            json_array_append_new(edges, json_pack("[s, s]", name, next));
    }
    return graph;
}

struct lab lab;

// ------------------------------------------------ counting

static int count_allocation(size_t size)
{
    lab.cost.allocations++;
    lab.cost.allocated += size;
    return 0;
}

static void measure_rows(const struct ss_command *command)
{
    struct ss_tail tail;
    struct ss_error error;
    ss_tail_init(&tail, SIZE_MAX / 4);
    for (size_t i = 0; i < command->rows_count; i++) {
        ck_assert_int_eq(ss_row_encode(command->rows[i], &tail, &error), SS_OK);
        lab.wholes += command->rows[i]->checkpoint.whole;
    }
    lab.cost.row += tail.size;
    ss_tail_fini(&tail);
}

// ------------------------------------------------ the worker

static bool chance(unsigned percent)
{
    return lab.chance && ss_prng_below(lab.chance, 100) < percent;
}

// Something is lost: but not so often for one task that its worker is blamed.
static bool loses(unsigned percent)
{
    if (lab.losses >= 2 || !chance(percent))
        return false;
    lab.losses++;
    return true;
}

// What the agent answers in that superstep: one message and a word in the log.
static struct ss_outcome *answer_of(const struct ss_assignment *order)
{
    struct ss_outcome *outcome = ss_outcome_new();
    unsigned place;
    outcome->attempt = order->attempt;
    memcpy(outcome->task_id, order->task_id, sizeof(outcome->task_id));
    if (sscanf(order->node, "n%u", &place) == 1) {
        char next[32];
        snprintf(next, sizeof(next), SS_NAME_BRANCH "n%05u", place + 1);
        ss_writes_add(
            &outcome->writes, "last", ss_value_new(json_string("done")));
        ss_writes_add(&outcome->writes, next, ss_value_null());
        return outcome;
    }
    json_t *messages = json_array();
    char id[16];
    snprintf(id, sizeof(id), "m%08d", (int)order->step);
    json_array_append_new(
        messages, json_pack("{s:s, s:s, s:s}", "type", "ai", "content",
                      "a word of the same length", "id", id));
    if (lab.edits_messages && order->step > 20) {
        snprintf(id, sizeof(id), "m%08d", (int)order->step - 7);
        json_array_append_new(
            messages, json_pack("{s:s, s:s, s:s}", "type", "ai", "content",
                          "another word, of another length", "id", id));
        snprintf(id, sizeof(id), "m%08d", (int)order->step - 13);
        json_array_append_new(messages, json_pack("{s:s, s:s, s:s}", "type",
                                            "remove", "content", "", "id", id));
    }
    ss_writes_add(&outcome->writes, "messages", ss_value_new(messages));
    ss_writes_add(&outcome->writes, "log", ss_value_new(json_pack("[s]", "x")));
    if ((size_t)order->step < lab.supersteps)
        ss_writes_add(
            &outcome->writes, SS_NAME_BRANCH "agent", ss_value_null());
    return outcome;
}

static void session_step(struct ss_session_event event);

static void hello(void)
{
    json_t *graphs[] = {lab.graph};
    struct ss_event event = {.type = SS_EVENT_WORKER_HELLO, .peer = "w"};
    event.hello.name = "w";
    event.hello.capacity = 16;
    event.hello.keeps_lists = true;
    event.hello.graphs = graphs;
    event.hello.graphs_count = 1;
    lab_step(&event);
}

static void session_begin(void)
{
    ss_session_destroy(&lab.session);
    static const char *const endpoint = "tcp://here";
    lab.session = ss_session_new(&(struct ss_session_options){
        .capacity = 16, .endpoints = &endpoint, .endpoints_count = 1});
    session_step((struct ss_session_event){.type = SS_SESSION_WELCOME,
        .epoch = 1,
        .lease_ms = LEASE_MS,
        .heartbeat_ms = BEAT_MS});
}

static const struct ss_assignment *find_due(struct ss_attempt attempt)
{
    for (size_t i = lab.due.count; i-- > 0;)
        if (lab.due.items[i]->attempt.dispatch == attempt.dispatch)
            return lab.due.items[i];
    ck_abort_msg("an order that nobody gave");
}

static void expect_same(struct ss_value *is, struct ss_value *should)
{
    ck_assert(json_equal(ss_value_json(is), ss_value_json(should)));
}

// A body begins: it was given what the engine meant, and ends.
static void run_body(struct ss_assignment *order)
{
    lab.losses = 0;
    const struct ss_assignment *meant = find_due(order->attempt);
    ck_assert_uint_eq(order->lists.count, 0);
    if (lab.chance || order->step % 100 == 0) {
        expect_same(order->input, meant->input);
        expect_same(order->fresh.channels, meant->fresh.channels);
    }
    struct ss_event done = {.type = SS_EVENT_TASK_DONE, .peer = "w"};
    done.done.outcome = answer_of(order);
    struct ss_outcome *own = answer_of(order);
    session_step((struct ss_session_event){
        .type = SS_SESSION_OUTCOMES, .outcomes = &own, .outcomes_count = 1});
    session_step((struct ss_session_event){.type = SS_SESSION_SETTLED,
        .attempts = &order->attempt,
        .attempts_count = 1});
    ss_assignment_destroy(&order);
    lab_step(&done);
}

static void session_step(struct ss_session_event event)
{
    struct ss_session_commands commands;
    SS_VEC(struct ss_assignment *) bodies = {0};
    event.now_ms = lab.now_ms;
    ss_session_step(lab.session, &event, &commands);
    for (size_t i = 0; i < commands.count; i++) {
        const struct ss_session_command *command = &commands.items[i];
        if (command->type == SS_SESSION_START)
            SS_VEC_PUSH(&bodies, command->order);
        for (size_t k = 0; command->type == SS_SESSION_SEND_LACKS &&
                           k < command->attempts_count;
             k++)
            SS_VEC_PUSH(&lab.lacks, command->attempts[k]);
    }
    for (size_t i = 0; i < bodies.count; i++)
        run_body(bodies.items[i]);
    SS_VEC_FINI(&bodies);
}

// ------------------------------------------------ the engine

static void post(const struct ss_assignment *order)
{
    struct ss_buf pieces, message;
    struct ss_error error;
    ss_buf_init(&pieces, SS_MESSAGE_SIZE_MAX);
    ss_buf_init(&message, SS_MESSAGE_SIZE_MAX);
    ck_assert_int_eq(ss_batch_add_order(&pieces, order, &error), SS_OK);
    lab.cost.order += pieces.size;
    ck_assert_int_eq(
        ss_batch_encode(SS_MESSAGE_TASKS, &pieces, &message, &error), SS_OK);
    ss_buf_fini(&pieces);
    SS_VEC_PUSH(&lab.mail, message);
}

static struct ss_assignment *meant(const struct ss_assignment *order)
{
    struct ss_assignment *copy = ss_assignment_new();
    copy->attempt = order->attempt;
    copy->input = ss_value_ref(order->input);
    copy->fresh.channels = ss_value_ref(order->fresh.channels);
    return copy;
}

static void carry_out(const struct ss_command *command)
{
    bool reads = command->type == SS_COMMAND_READ;
    if (command->type == SS_COMMAND_STORE || reads)
        SS_VEC_PUSH(&lab.stores, (struct job){command->tag, reads});
    lab.reads += reads;
    if (command->type == SS_COMMAND_STORE)
        measure_rows(command);
    if (command->type == SS_COMMAND_DISPATCH) {
        post(command->order);
        SS_VEC_PUSH(&lab.due, meant(command->order));
        if ((size_t)command->order->step < LAB_SUPERSTEPS_MAX)
            lab.costs[command->order->step] = lab.cost;
        lab.cost = (struct cost){0};
    }
    if (command->type == SS_COMMAND_REPLY) {
        json_decref(lab.answer);
        lab.answer = json_incref(command->json);
        lab.over = true;
    }
}

void lab_step(struct ss_event *event)
{
    struct ss_commands commands;
    event->now_ms = lab.now_ms;
    event->wall_us = 1767225600000000 + lab.now_ms * 1000;
    ss_mem_hook = count_allocation;
    ss_engine_step(lab.engine, event, &commands);
    ss_mem_hook = NULL;
    for (size_t i = 0; i < commands.count; i++)
        carry_out(&commands.items[i]);
}

// ------------------------------------------------ the way between them

static void deliver(size_t index)
{
    struct ss_buf bytes = lab.mail.items[index];
    struct ss_message *message = NULL;
    struct ss_error error = {0};
    bool again = chance(10);
    if (!again)
        SS_VEC_REMOVE(&lab.mail, index);
    if (!again && loses(10)) {
        ss_buf_fini(&bytes);
        return;
    }
    ck_assert_int_eq(
        ss_message_decode(bytes.data, bytes.size, &message, &error), SS_OK);
    if (!again)
        ss_buf_fini(&bytes);
    session_step((struct ss_session_event){.type = SS_SESSION_TASKS,
        .orders = message->orders,
        .orders_count = message->orders_count});
    message->orders_count = 0;
    ss_message_destroy(&message);
}

static void tell_lacks(void)
{
    struct ss_event event = {.type = SS_EVENT_WORKER_LACKS, .peer = "w"};
    event.lacks.attempts = lab.lacks.items;
    event.lacks.attempts_count = lab.lacks.count;
    lab.lacked += lab.lacks.count;
    if (!loses(10))
        lab_step(&event);
    lab.lacks.count = 0;
}

static void tell_stored(void)
{
    struct job job = lab.stores.items[0];
    struct ss_event event = {.type = SS_EVENT_STORED};
    SS_VEC_REMOVE(&lab.stores, 0);
    if (job.reads) { // the thread is new
        event.type = SS_EVENT_ROWS;
        event.rows.tag = job.tag;
    } else {
        event.stored.tag = job.tag;
    }
    lab_step(&event);
}

// Nothing is on its way: time passes, the worker holds nothing.
static void pass_time(void)
{
    struct ss_event beat = {.type = SS_EVENT_WORKER_BEAT, .peer = "w"};
    lab.now_ms += BEAT_MS;
    beat.beat.capacity = 16;
    lab_step(&beat);
}

// One thing happens.
void lab_go_on(void)
{
    if (loses(2)) { // the worker's process is another one
        session_begin();
        hello();
    }
    if (lab.stores.count > 0)
        tell_stored();
    else if (lab.lacks.count > 0)
        tell_lacks();
    else if (lab.mail.count > 0)
        deliver(lab.chance ? ss_prng_below(lab.chance, lab.mail.count) : 0);
    else
        pass_time();
}

void lab_begin(json_t *graph, size_t supersteps, struct ss_prng *prng)
{
    memset(&lab, 0, sizeof(lab));
    lab.graph = graph;
    lab.supersteps = supersteps;
    lab.chance = prng;
    lab.engine = ss_engine_new(&(struct ss_engine_options){
        .epoch = 1, .seed = 5, .lease_ms = LEASE_MS, .heartbeat_ms = BEAT_MS});
    session_begin();
    hello();
}

void lab_end(void)
{
    ss_engine_destroy(&lab.engine);
    ss_session_destroy(&lab.session);
    for (size_t i = 0; i < lab.mail.count; i++)
        ss_buf_fini(&lab.mail.items[i]);
    for (size_t i = 0; i < lab.due.count; i++)
        ss_assignment_destroy(&lab.due.items[i]);
    SS_VEC_FINI(&lab.mail);
    SS_VEC_FINI(&lab.due);
    SS_VEC_FINI(&lab.stores);
    SS_VEC_FINI(&lab.lacks);
    json_decref(lab.answer);
    json_decref(lab.graph);
}

void lab_ask(const char *op, const char *thread, json_t *body)
{
    struct ss_event event = {.type = SS_EVENT_REQUEST, .peer = "client"};
    event.request.id = ++lab.asked;
    event.request.op = op;
    event.request.body = body;
    json_object_set_new(body, "thread", json_string(thread));
    lab.over = false;
    lab_step(&event);
    json_decref(body);
    for (size_t i = 0; i < 1000 && !lab.over; i++)
        lab_go_on();
    ck_assert(lab.over);
    while (lab.stores.count > 0)
        lab_go_on();
}

void lab_ask_run(void)
{
    struct ss_event event = {.type = SS_EVENT_REQUEST, .peer = "client"};
    event.request.id = 1;
    event.request.op = "run";
    event.request.body = js("{'thread': 't', 'input': {'last': '',"
                            " 'messages': [['user', 'hello']]}}");
    json_object_set(
        event.request.body, "graph", json_object_get(lab.graph, "name"));
    lab_step(&event);
    json_decref(event.request.body);
}

void lab_converse(void)
{
    lab_ask_run();
    for (size_t i = 0; i < 100000 && !lab.over; i++)
        lab_go_on();
    const char *status =
        json_string_value(json_object_get(lab.answer, "status"));
    char *text = lab.answer ? ss_json_text(lab.answer) : ss_strdup("nothing");
    ck_assert_msg(status && strcmp(status, "done") == 0, "%.500s", text);
    ss_free(text);
}

void lab_use_thread(unsigned number, const char *text)
{
    char name[24];
    snprintf(name, sizeof(name), "t%u", number);
    lab_ask("run", name,
        json_pack("{s:s, s:{s:s}}", "graph", "chain", "input", "last", text));
}
