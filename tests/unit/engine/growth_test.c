// growth_test.c - what a conversation costs, however long it is: the engine and
// a worker's session, with the wire between them.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/map.h"
#include "common/base/prng.h"
#include "common/model/journal.h"
#include "common/model/reserved.h"
#include "common/wire/batch.h"
#include "common/wire/limits.h"
#include "common/wire/row.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/inside.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/threads.h"
#include "tests/stories/world.h"
#include "worker/session/session.h"

enum { LEASE_MS = 3000, BEAT_MS = 500, SUPERSTEPS_MAX = 2200 };

// A chat that goes on until its node says nothing; the node's router reads the
// messages too.
static const char chat[] =
    "{'name': 'chat', 'kind': 'state', 'state': ["
    " {'key': 'messages', 'type': 'list', 'reducer': 'add_messages'},"
    " {'key': 'log', 'type': 'list', 'reducer': 'add'}],"
    " 'nodes': [{'name': 'agent'}], 'edges': [['__start__', 'agent']],"
    " 'branches': [{'from': 'agent', 'name': 'more', 'map': ['agent']}]}";

// A chain of so many nodes, one superstep each. Gives.
static json_t *chain(size_t nodes)
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

struct cost {
    size_t row, order; // bytes
    size_t allocations, allocated;
};

struct job { // of the store
    uint64_t tag;
    bool reads;
};

static struct {
    json_t *graph;
    struct ss_engine *engine;
    struct ss_session *session; // the worker's
    struct ss_prng *chance;     // NULL: nothing is lost
    int64_t now_ms;
    size_t supersteps; // the chat's length
    struct cost cost;  // since the last dispatch
    struct cost costs[SUPERSTEPS_MAX];
    SS_VEC(struct ss_buf) mail; // to the worker, on its way
    SS_VEC(struct ss_assignment *)
    due; // that it runs, as the engine meant them
    SS_VEC(struct job) stores;
    SS_VEC(struct ss_attempt) lacks;
    size_t lacked;
    size_t losses; // since a body ran last
    uint64_t asked;
    size_t reads;        // of threads, from the store
    size_t wholes;       // rows that hold all of the state
    bool edits_messages; // the chat replaces and removes some, too
    bool over;
    json_t *answer;
} lab;

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

static void engine_step(struct ss_event *event);
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
    engine_step(&event);
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
    engine_step(&done);
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
        if ((size_t)command->order->step < SUPERSTEPS_MAX)
            lab.costs[command->order->step] = lab.cost;
        lab.cost = (struct cost){0};
    }
    if (command->type == SS_COMMAND_REPLY) {
        json_decref(lab.answer);
        lab.answer = json_incref(command->json);
        lab.over = true;
    }
}

static void engine_step(struct ss_event *event)
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
        engine_step(&event);
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
    engine_step(&event);
}

// Nothing is on its way: time passes, the worker holds nothing.
static void pass_time(void)
{
    struct ss_event beat = {.type = SS_EVENT_WORKER_BEAT, .peer = "w"};
    lab.now_ms += BEAT_MS;
    beat.beat.capacity = 16;
    engine_step(&beat);
}

// One thing happens.
static void go_on(void)
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

// Takes `graph`.
static void lab_begin(json_t *graph, size_t supersteps, struct ss_prng *prng)
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

static void lab_end(void)
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

// What the client asks of a thread, and its answer is awaited.
static void ask_of(const char *op, const char *thread, json_t *body)
{
    struct ss_event event = {.type = SS_EVENT_REQUEST, .peer = "client"};
    event.request.id = ++lab.asked;
    event.request.op = op;
    event.request.body = body;
    json_object_set_new(body, "thread", json_string(thread));
    lab.over = false;
    engine_step(&event);
    json_decref(body);
    for (size_t i = 0; i < 1000 && !lab.over; i++)
        go_on();
    ck_assert(lab.over);
    while (lab.stores.count > 0)
        go_on();
}

static void ask_run(void)
{
    struct ss_event event = {.type = SS_EVENT_REQUEST, .peer = "client"};
    event.request.id = 1;
    event.request.op = "run";
    event.request.body = js("{'thread': 't', 'input': {'last': '',"
                            " 'messages': [['user', 'hello']]}}");
    json_object_set(
        event.request.body, "graph", json_object_get(lab.graph, "name"));
    engine_step(&event);
    json_decref(event.request.body);
}

static void converse(void)
{
    ask_run();
    for (size_t i = 0; i < 100000 && !lab.over; i++)
        go_on();
    const char *status =
        json_string_value(json_object_get(lab.answer, "status"));
    char *text = lab.answer ? ss_json_text(lab.answer) : ss_strdup("nothing");
    ck_assert_msg(status && strcmp(status, "done") == 0, "%.500s", text);
    ss_free(text);
}

// ------------------------------------------------ tests

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

// What a superstep about there costs: the least of some neighbours, so that no
// whole row and no table that doubles is among it.
static struct cost cost_near(size_t superstep)
{
    struct cost cost = lab.costs[superstep];
    for (size_t i = 1; i < 12; i++) {
        const struct cost *other = &lab.costs[superstep + i];
        cost.row = least(cost.row, other->row);
        cost.order = least(cost.order, other->order);
        cost.allocations = least(cost.allocations, other->allocations);
        cost.allocated = least(cost.allocated, other->allocated);
    }
    return cost;
}

// Where next to nothing is overwritten all rows together are the state: the
// first is whole, and few behind it, ever more seldom.
static void expect_few_whole_rows(void)
{
    size_t all = 0, added = 0;
    for (size_t i = 40; i < SUPERSTEPS_MAX - 12; i++)
        all += lab.costs[i].row;
    added = (SUPERSTEPS_MAX - 52) * cost_near(2100).row;
    ck_assert_uint_lt(all, 2 * added);
    ck_assert_uint_ge(lab.wholes, 1);
    ck_assert_uint_le(lab.wholes, 8);
}

static void expect_flat(void)
{
    // Numbers of more digits, and nodes of a tree that is three levels deep.
    enum { DIGITS = 40, NODES = 16, NODES_SIZE = 8192 };
    struct cost early = cost_near(40), late = cost_near(2100);
    ck_assert_uint_gt(early.row, 100);
    ck_assert_uint_gt(early.order, 100);
    ck_assert_uint_le(late.row, early.row + DIGITS);
    ck_assert_uint_le(late.order, early.order + DIGITS);
    ck_assert_uint_le(late.allocations, early.allocations + NODES);
    ck_assert_uint_le(late.allocated, early.allocated + NODES_SIZE);
    expect_few_whole_rows();
}

START_TEST(a_long_conversation_costs_what_a_short_one_does)
{
    lab_begin(js(chat), SUPERSTEPS_MAX - 1, NULL);
    converse();
    expect_flat();
    ck_assert_uint_eq(lab.lacked, 0);
    json_t *output = json_object_get(lab.answer, "output");
    ck_assert_uint_eq(
        json_array_size(json_object_get(output, "messages")), SUPERSTEPS_MAX);
    lab_end();
}
END_TEST

START_TEST(what_is_replaced_and_removed_costs_itself)
{
    lab_begin(js(chat), SUPERSTEPS_MAX - 1, NULL);
    lab.edits_messages = true;
    converse();
    expect_flat();
    lab_end();
}
END_TEST

START_TEST(lists_arrive_whole_whatever_is_lost_repeated_or_late)
{
    size_t lacked = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct ss_prng prng;
        ss_prng_init(&prng, seed);
        lab_begin(js(chat), 120, &prng);
        lab.edits_messages = true;
        converse();
        lacked += lab.lacked;
        lab_end();
    }
    ck_assert_uint_gt(lacked, 0);
}
END_TEST

// What the superstep of one node of a chain of so many costs.
static struct cost chain_cost(size_t nodes)
{
    lab_begin(chain(nodes), 0, NULL);
    ask_run();
    for (size_t i = 0; i < 1000 && lab.costs[31].order == 0; i++)
        go_on();
    struct cost cost = cost_near(15);
    lab_end();
    return cost;
}

START_TEST(a_superstep_of_a_large_graph_costs_what_one_of_a_small_one_does)
{
    struct cost small = chain_cost(40), large = chain_cost(100000);
    ck_assert_uint_gt(small.allocations, 10);
    ck_assert_uint_eq(large.row, small.row);
    ck_assert_uint_eq(large.order, small.order);
    ck_assert_uint_eq(large.allocations, small.allocations);
    ck_assert_uint_le(large.allocated, small.allocated + 256);
}
END_TEST

// One that has a small state, and a run behind it.
static void use_thread(unsigned number, const char *text)
{
    char name[24];
    snprintf(name, sizeof(name), "t%u", number);
    ask_of("run", name,
        json_pack("{s:s, s:{s:s}}", "graph", "chain", "input", "last", text));
}

// A reader passes twice the state: what is overwritten counts against that.
START_TEST(where_a_state_is_overwritten_whole_rows_come_now_and_then)
{
    enum { SIZE = 4096, RUNS = 24, ROWS = 3 };
    char text[SIZE + 1] = "";
    memset(text, 'x', SIZE);
    lab_begin(chain(1), 0, NULL);
    for (unsigned i = 0; i < RUNS; i++)
        use_thread(0, text);
    ck_assert_uint_ge(lab.wholes, RUNS / 2);
    ck_assert_uint_le(lab.wholes, (size_t)RUNS * ROWS / 2);
    lab_end();
}
END_TEST

// Is it known without being read?
static bool is_known(unsigned number)
{
    char name[24];
    size_t before = lab.reads;
    snprintf(name, sizeof(name), "t%u", number);
    ask_of("state", name, json_object());
    return lab.reads == before;
}

START_TEST(idle_threads_are_known_up_to_their_number)
{
    lab_begin(chain(1), 0, NULL);
    for (unsigned i = 0; i < SS_IDLE_THREADS_MAX; i++)
        ck_assert(!is_known(i)); // read now; there is nothing of it
    ck_assert(is_known(0));      // used: the second is the longest idle now
    ck_assert(!is_known(SS_IDLE_THREADS_MAX));
    ck_assert(is_known(0));
    ck_assert(is_known(2));
    ck_assert(!is_known(1));
    lab_end();
}
END_TEST

START_TEST(idle_threads_are_known_up_to_their_weight)
{
    enum { SIZE = 1 << 20, COUNT = 10 };
    char *text = ss_alloc(SIZE + 1);
    memset(text, 'x', SIZE);
    text[SIZE] = '\0';
    lab_begin(chain(1), 0, NULL);
    for (unsigned i = 0; i < COUNT; i++)
        use_thread(i, text);
    ck_assert(is_known(COUNT - 1));
    ck_assert(!is_known(0));
    lab_end();
    ss_free(text);
}
END_TEST

static bool is_packed(const char *name)
{
    const struct thread *thread =
        ss_map_get(ss_threads_all(&lab.engine->engine), name);
    ck_assert(thread && thread->journal);
    return ss_journal_is_packed(thread->journal);
}

static void rest(int64_t ms)
{
    struct ss_event event = {.type = SS_EVENT_TICK};
    lab.now_ms += ms;
    engine_step(&event);
}

START_TEST(threads_are_packed_when_they_have_rested_or_are_too_many)
{
    char last[24];
    lab_begin(chain(1), 0, NULL);
    use_thread(0, "x");
    ck_assert(!is_packed("t0")); // its next run may begin in a moment
    rest(SS_IDLE_PACK_MS - 1);
    ck_assert(!is_packed("t0"));
    rest(1);
    ck_assert(is_packed("t0"));
    ck_assert(is_known(0)); // and it is folded from what is in memory
    ck_assert(!is_packed("t0"));
    for (unsigned i = 1; i <= SS_IDLE_LARGE_MAX; i++)
        use_thread(i, "x");
    snprintf(last, sizeof(last), "t%d", SS_IDLE_LARGE_MAX);
    ck_assert(is_packed("t0"));
    ck_assert(!is_packed(last));
    lab_end();
}
END_TEST

static size_t packed_of(unsigned count)
{
    size_t packed = 0;
    for (unsigned i = 0; i < count; i++) {
        char name[24];
        snprintf(name, sizeof(name), "t%u", i);
        packed += is_packed(name);
    }
    return packed;
}

// Many have rested: who asks meanwhile does not wait until all are packed.
START_TEST(threads_that_rested_are_packed_some_at_a_time)
{
    enum { COUNT = 2 * SS_IDLE_PACK_STEP_MAX + 1 };
    lab_begin(chain(1), 0, NULL);
    for (unsigned i = 0; i < COUNT; i++)
        use_thread(i, "x");
    rest(SS_IDLE_PACK_MS);
    ck_assert_uint_eq(packed_of(COUNT), SS_IDLE_PACK_STEP_MAX);
    rest(0);
    ck_assert_uint_eq(packed_of(COUNT), COUNT - 1);
    rest(0);
    ck_assert_uint_eq(packed_of(COUNT), COUNT);
    lab_end();
}
END_TEST

// No worker is there whose silence a tick would be for: the memory comes back
// all the same.
START_TEST(the_engine_wants_a_tick_when_a_thread_has_rested)
{
    struct ss_event bye = {.type = SS_EVENT_WORKER_BYE, .peer = "w"};
    struct ss_commands commands;
    lab_begin(chain(1), 0, NULL);
    use_thread(0, "x");
    bye.now_ms = lab.now_ms;
    ss_engine_step(lab.engine, &bye, &commands);
    ck_assert_int_le(commands.wake_at_ms, lab.now_ms + SS_IDLE_PACK_MS);
    rest(commands.wake_at_ms - lab.now_ms);
    ck_assert(is_packed("t0"));
    lab_end();
}
END_TEST

int main(void)
{
    ss_value_setup();
    Suite *suite = suite_create("growth");
    TCase *tcase = tcase_create("growth");
    tcase_set_timeout(tcase, 600);
    tcase_add_test(tcase, a_long_conversation_costs_what_a_short_one_does);
    tcase_add_test(tcase, what_is_replaced_and_removed_costs_itself);
    tcase_add_test(tcase, lists_arrive_whole_whatever_is_lost_repeated_or_late);
    tcase_add_test(
        tcase, a_superstep_of_a_large_graph_costs_what_one_of_a_small_one_does);
    tcase_add_test(
        tcase, where_a_state_is_overwritten_whole_rows_come_now_and_then);
    tcase_add_test(tcase, idle_threads_are_known_up_to_their_number);
    tcase_add_test(tcase, idle_threads_are_known_up_to_their_weight);
    tcase_add_test(
        tcase, threads_are_packed_when_they_have_rested_or_are_too_many);
    tcase_add_test(tcase, threads_that_rested_are_packed_some_at_a_time);
    tcase_add_test(tcase, the_engine_wants_a_tick_when_a_thread_has_rested);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
