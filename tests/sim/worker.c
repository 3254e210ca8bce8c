// worker.c - a worker's process: the session, and bodies that take their time.
#include <stdio.h>
#include <string.h>

#include "common/base/check.h"
#include "common/model/value.h"
#include "common/model/writers.h"
#include "tests/sim/world.h"
#include "worker/session/session.h"

enum {
    HUNG_MS = 600000,
    THREAD_MS = 5, // a thread takes a body up within
};

// ------------------------------------------------------------------ bodies

// What a body sees, and what comes of it.
struct visit {
    const struct plan *plan;
    const struct role *role;
    const struct ss_assignment *order;
    struct ss_outcome *outcome;
};

static const struct ss_graph *find_graph(
    const struct ss_graph *graph, const char *name)
{
    if (strcmp(graph->name, name) == 0)
        return graph;
    for (size_t i = 0; i < graph->nodes_count; i++) {
        const struct ss_graph *inner = graph->nodes[i].subgraph;
        const struct ss_graph *found = inner ? find_graph(inner, name) : NULL;
        if (found)
            return found;
    }
    return NULL;
}

static const struct ss_graph *order_graph(
    const struct worker *it, const struct ss_assignment *order)
{
    const struct ss_graph *graph =
        find_graph(versions_serve(it, order), order->graph);
    if (!graph)
        violated(
            it->process.world, "an order is of no graph: %s", order->graph);
    return graph;
}

static json_t *with_command(const struct visit *visit, struct deed *deed)
{
    json_t *targets = json_array(), *arg;
    const struct plan *plan = visit->plan;
    size_t i;
    for (size_t to = 0; to < plan->count; to++)
        if (deed->gotos & (1u << to))
            json_array_append_new(targets, json_string(plan->roles[to].name));
    json_array_foreach (deed->sends, i, arg)
        json_array_append_new(
            targets, json_pack("{s:{s:s, s:O}}", "$send", "node",
                         plan->roles[visit->role->sends_to].name, "arg", arg));
    return json_pack(
        "{s:{s:O, s:o}}", "$command", "update", deed->update, "goto", targets);
}

// The answers that this attempt has: those of before, and perhaps a plain one.
static json_t *take_answers(struct visit *visit)
{
    const struct ss_assignment *order = visit->order;
    json_t *answers =
        order->given.answers ? json_copy(order->given.answers) : json_array();
    if (order->given.plain &&
        json_array_size(answers) < visit->role->questions) {
        json_array_append(answers, ss_value_json(order->given.plain));
        visit->outcome->took_plain = true;
    }
    return answers;
}

static void stamp(
    const struct worker *it, const struct visit *visit, json_t *update)
{
    struct world *world = it->process.world;
    world->stamps++;
    for (size_t i = 0; i < world->climate.graphs; i++)
        if (strcmp(world->plans[i]->name, visit->order->app_graph) == 0)
            plan_stamp(visit->plan, visit->role, it->versions[i], world->stamps,
                update);
}

// What the node returns; NULL: it asks.
static json_t *run_body(const struct worker *it, struct visit *visit)
{
    json_t *input = visit->order->input ? ss_value_json(visit->order->input)
                                        : json_object();
    json_t *answers = take_answers(visit), *returned = NULL;
    struct deed deed = plan_deed(visit->plan, visit->role, input, answers);
    if (json_array_size(answers) > 0)
        visit->outcome->answers = json_incref(answers);
    if (deed.update)
        stamp(it, visit, deed.update);
    if (deed.question[0]) {
        visit->outcome->kind = SS_OUTCOME_INTERRUPTED;
        visit->outcome->question = json_pack("{s:s}", "value", deed.question);
    } else if (deed.sends || deed.gotos) {
        returned = with_command(visit, &deed);
    } else {
        returned = json_incref(deed.update);
    }
    json_decref(answers);
    deed_fini(&deed);
    return returned;
}

static int route(void *ctx, const struct ss_node *node, size_t branch,
    json_t *state, json_t **ret_answer, struct ss_error *error)
{
    const struct visit *visit = ctx;
    unsigned bits = plan_route(visit->plan, visit->role, state);
    (void)node;
    (void)branch;
    (void)error;
    *ret_answer = json_array();
    for (size_t to = 0; to < visit->plan->count; to++)
        if (bits & (1u << to))
            json_array_append_new(
                *ret_answer, json_string(visit->plan->roles[to].name));
    if (!bits)
        json_array_append_new(*ret_answer, json_string("__end__"));
    return SS_OK;
}

static int fold(void *ctx, const struct ss_channel_spec *channel, json_t *value,
    json_t *const *writes, size_t count, json_t **ret_value,
    struct ss_error *error)
{
    (void)ctx;
    (void)channel;
    (void)error;
    json_t *folded = json_incref(value);
    for (size_t i = 0; i < count; i++) {
        json_t *next = plan_fold(folded, writes[i]);
        json_decref(folded);
        folded = next;
    }
    *ret_value = folded;
    return SS_OK;
}

static void run_fold(struct visit *visit)
{
    const struct ss_assignment *order = visit->order;
    json_t *value = order->fold.value ? ss_value_json(order->fold.value) : NULL;
    json_t *folded = json_incref(value), *write;
    size_t i;
    json_array_foreach (order->fold.writes, i, write) {
        json_t *next = plan_fold(folded, write);
        json_decref(folded);
        folded = next;
    }
    visit->outcome->folded = ss_value_new(folded);
}

static void run_writers(struct world *world, struct visit *visit,
    const struct ss_graph *graph, json_t *returned)
{
    const struct ss_assignment *order = visit->order;
    struct ss_writer_hooks hooks = {.route = route, .fold = fold, .ctx = visit};
    struct ss_error error = {0};
    json_t *parent = NULL;
    const struct ss_node *node =
        &graph->nodes[ss_graph_node(graph, order->node)];
    if (ss_writers_run(graph, node, returned, &order->fresh, &hooks,
            order->task_id, &visit->outcome->writes, &parent, &error) != SS_OK)
        violated(world, "node %s: %s", order->node, error.message);
    ss_check(!parent);
}

static void fail_body(struct world *world, struct visit *visit)
{
    struct ss_outcome *outcome = visit->outcome;
    note_fault(world, FAULT_BODY_FAILED);
    outcome->kind = SS_OUTCOME_FAILED;
    outcome->code = SS_ENODE;
    outcome->retryable = visit->role->breaks ? SS_RETRY_NO : SS_RETRY_YES;
    outcome->message = ss_strdup("it broke");
}

// It was stopped before a thread took it up. Gives.
static struct ss_outcome *stopped(const struct ss_assignment *order)
{
    struct ss_outcome *outcome = ss_outcome_new();
    outcome->kind = SS_OUTCOME_CANCELLED;
    outcome->attempt = order->attempt;
    memcpy(outcome->task_id, order->task_id, SS_UUID_SIZE);
    return outcome;
}

static void tell_body(struct world *world, const struct visit *visit)
{
    const struct ss_assignment *order = visit->order;
    struct ss_value *input =
        order->kind == SS_ORDER_WRITERS ? order->returned : order->input;
    if (!world->narrates)
        return;
    char *read = input ? ss_json_text(ss_value_json(input)) : NULL;
    char *answers =
        order->given.answers ? ss_json_text(order->given.answers) : NULL;
    tell(world, "%s of run %s, superstep %lld, reads %s, answers %s%s: %s",
        order->node, order->run, (long long)order->step, read ? read : "-",
        answers ? answers : "-", order->given.plain ? " and a plain one" : "",
        visit->outcome->question ? "asks" : "ends");
    ss_free(read);
    ss_free(answers);
}

static struct ss_outcome *run_order(
    const struct worker *it, const struct ss_assignment *order)
{
    struct world *world = it->process.world;
    const struct ss_graph *graph = order_graph(it, order);
    const struct plan *plan = world_plan(world, order);
    bool is_handler = false;
    struct visit visit = {.plan = plan,
        .role = plan_role(plan, order->node, &is_handler),
        .order = order,
        .outcome = ss_outcome_new()};
    visit.outcome->attempt = order->attempt;
    memcpy(visit.outcome->task_id, order->task_id, SS_UUID_SIZE);
    if (order->kind == SS_ORDER_FOLD) {
        run_fold(&visit);
    } else if (order->kind == SS_ORDER_WRITERS) {
        run_writers(world, &visit, graph, ss_value_json(order->returned));
    } else if (order->attempt_number <= visit.role->failures ||
               (visit.role->breaks && !is_handler)) {
        fail_body(world, &visit);
    } else {
        json_t *returned = run_body(it, &visit);
        if (returned)
            run_writers(world, &visit, graph, returned);
        json_decref(returned);
    }
    tell_body(world, &visit);
    return visit.outcome;
}

// ------------------------------------------------------------------ messages

static void send(struct worker *it, uint32_t line, struct ss_message *message)
{
    message->protocol = SS_PROTOCOL_VERSION;
    network_send(&it->process, network_line(&it->process, line), UP, message);
}

static void send_hello(
    struct worker *it, const struct ss_session_command *command)
{
    struct world *world = it->process.world;
    char name[32];
    struct ss_value *graphs[GRAPHS_MAX];
    snprintf(name, sizeof(name), "%s.%llu", it->process.name,
        (unsigned long long)it->process.life);
    for (size_t i = 0; i < world->climate.graphs; i++)
        graphs[i] = ss_value_new(json_incref(
            world->plans[i]->versions[it->versions[i]].description));
    struct ss_message message = {.type = SS_MESSAGE_HELLO,
        .hello.name = name,
        .capacity = it->capacity,
        .hello.keeps_lists = true,
        .offers = (struct ss_offer *)command->offers,
        .offers_count = command->offers_count,
        .hello.graphs = graphs,
        .hello.graphs_count = world->climate.graphs};
    send(it, command->link, &message);
    for (size_t i = 0; i < world->climate.graphs; i++)
        ss_value_unref(graphs[i]);
}

static void send_live(
    struct worker *it, const struct ss_session_command *command)
{
    SS_VEC(struct ss_live_item) items = {0};
    for (size_t i = 0; i < command->items_count; i++)
        SS_VEC_PUSH(
            &items, (struct ss_live_item){command->items[i].attempt,
                        command->items[i].kind, command->items[i].value});
    struct ss_message message = {.type = SS_MESSAGE_LIVE,
        .items = items.items,
        .items_count = items.count};
    send(it, command->link, &message);
    SS_VEC_FINI(&items);
}

static void plan_body(struct worker *it, enum errand_kind kind,
    struct ss_attempt attempt, int64_t in_ms)
{
    struct world *world = it->process.world;
    struct errand errand = {.at_ms = world->now_ms + in_ms,
        .kind = kind,
        .who = &it->process,
        .life = it->process.life,
        .what = attempt.dispatch};
    errand.load = (void *)(uintptr_t)attempt.epoch;
    agenda_add(&world->agenda, errand);
}

static void start_body(
    struct worker *it, struct ss_assignment *order, int64_t begin_by_ms)
{
    struct body body = {.order = order, .begin_by_ms = begin_by_ms};
    SS_VEC_PUSH(&it->bodies, body);
    plan_body(it, ERRAND_BEGIN, order->attempt,
        (int64_t)draw(it->process.world, THREAD_MS));
}

static void run_on(struct worker *it, struct body *body)
{
    struct world *world = it->process.world;
    const struct ss_assignment *order = body->order;
    const struct plan *plan = world_plan(world, order);
    const struct role *role = plan_role(plan, order->node, NULL);
    int64_t takes_ms = 1 + (int64_t)draw(world, world->climate.body_ms);
    body->has_begun = true;
    bodies_begin(world, order);
    limits_begin(it, body);
    if (role && role->hangs && order->kind == SS_ORDER_NODE &&
        order->attempt_number == 1) {
        note_fault(world, FAULT_BODY_HUNG);
        body->is_hung = true;
        takes_ms = HUNG_MS;
    }
    items_plan(it, order, takes_ms < HUNG_MS ? takes_ms : BEAT_MS);
    plan_body(it, ERRAND_BODY, order->attempt, takes_ms);
}

static struct body *find_body(
    struct worker *it, uint64_t epoch, uint64_t dispatch)
{
    for (size_t i = 0; i < it->bodies.count; i++) {
        struct ss_attempt name = it->bodies.items[i].order->attempt;
        if (name.epoch == epoch && name.dispatch == dispatch)
            return &it->bodies.items[i];
    }
    return NULL;
}

// It may hear of it soon; what it would have done is not wanted any more.
static void stop_body(struct worker *it, struct ss_attempt attempt)
{
    struct world *world = it->process.world;
    struct body *body = find_body(it, attempt.epoch, attempt.dispatch);
    if (!body)
        return;
    body->is_stopped = true;
    plan_body(it, ERRAND_BODY, attempt, 1 + (int64_t)draw(world, 500));
}

// A supervisor that is wrong, or late: it is there all the same, or ended long
// ago, and another one has its name.
static void say_ended(struct worker *it, uint32_t link)
{
    struct world *world = it->process.world;
    if (!strikes(world, world->climate.words))
        return;
    const struct worker *who =
        &world->workers[draw(world, world->climate.workers)];
    char name[32];
    snprintf(name, sizeof(name), "%s.%llu", who->process.name,
        (unsigned long long)who->process.life);
    struct ss_message message = {.type = SS_MESSAGE_BYE,
        .bye.ended = name,
        .bye.how = (char *)"signal 9"};
    note_fault(world, FAULT_WORD);
    send(it, link, &message);
}

static void leave(struct worker *it)
{
    tell(it->process.world, "worker %s leaves", it->process.name);
    process_crash(&it->process);
}

static void send_bye(
    struct worker *it, const struct ss_session_command *command)
{
    struct ss_message message = {.type = SS_MESSAGE_BYE,
        .bye.drains = command->drains,
        .bye.stuck = command->stuck,
        .attempts = (struct ss_attempt *)command->attempts,
        .attempts_count = command->attempts_count};
    send(it, command->link, &message);
}

static void carry_out(
    struct worker *it, const struct ss_session_command *command)
{
    struct ss_message message = {0};
    switch (command->type) {
    case SS_SESSION_SEND_HELLO:
        send_hello(it, command);
        break;
    case SS_SESSION_SEND_BEAT:
        message.type = SS_MESSAGE_BEAT;
        message.attempts = (struct ss_attempt *)command->attempts;
        message.attempts_count = command->attempts_count;
        message.capacity = command->capacity;
        message.sent = command->sent;
        send(it, command->link, &message);
        say_ended(it, command->link);
        break;
    case SS_SESSION_SEND_BYE:
        send_bye(it, command);
        break;
    case SS_SESSION_SEND_DONE:
        message.type = SS_MESSAGE_DONE;
        message.outcomes = (struct ss_outcome **)command->outcomes;
        message.outcomes_count = command->outcomes_count;
        send(it, command->link, &message);
        break;
    case SS_SESSION_SEND_OFFERS:
        message.type = SS_MESSAGE_OFFERS;
        message.epoch = command->epoch;
        message.offers = (struct ss_offer *)command->offers;
        message.offers_count = command->offers_count;
        send(it, command->link, &message);
        break;
    case SS_SESSION_SEND_LACKS:
        message.type = SS_MESSAGE_LACKS;
        message.attempts = (struct ss_attempt *)command->attempts;
        message.attempts_count = command->attempts_count;
        send(it, command->link, &message);
        break;
    case SS_SESSION_SEND_PING:
        message.type = SS_MESSAGE_PING;
        send(it, command->link, &message);
        break;
    case SS_SESSION_START:
        start_body(it, command->order, command->begin_by_ms);
        break;
    case SS_SESSION_STOP_BODY:
        stop_body(it, command->attempt);
        break;
    case SS_SESSION_CONNECT:
        network_open(&it->process, command->link, command->endpoint);
        break;
    case SS_SESSION_DISCONNECT:
        network_close(&it->process, command->link);
        break;
    case SS_SESSION_SEND_LIVE:
        send_live(it, command);
        break;
    case SS_SESSION_REFUSED_YET:
    case SS_SESSION_AWAY:
    case SS_SESSION_STUCK:
    case SS_SESSION_READY:
    case SS_SESSION_SILENT:
        break;
    case SS_SESSION_LEAVE:
        leave(it);
        break;
    }
}

static void step(struct worker *it, struct ss_session_event event)
{
    struct ss_session_commands commands;
    event.now_ms = process_now(&it->process);
    ss_session_step(it->session, &event, &commands);
    // one that leaves is gone before the end of the list
    for (size_t i = 0; i < commands.count && it->process.is_alive; i++)
        carry_out(it, &commands.items[i]);
    if (it->process.is_alive)
        process_wake(&it->process, commands.wake_at_ms);
}

void worker_connected(struct worker *it, uint32_t line)
{
    step(it,
        (struct ss_session_event){.type = SS_SESSION_CONNECTED, .link = line});
}

// Behind by one: 0 is nothing for a worker.
static unsigned event_of(enum ss_message_type type)
{
    static const unsigned types[SS_MESSAGE_LAST + 1] = {
        [SS_MESSAGE_WELCOME] = 1 + SS_SESSION_WELCOME,
        [SS_MESSAGE_REFUSED] = 1 + SS_SESSION_REFUSED,
        [SS_MESSAGE_TASKS] = 1 + SS_SESSION_TASKS,
        [SS_MESSAGE_CANCEL] = 1 + SS_SESSION_CANCEL,
        [SS_MESSAGE_SETTLED] = 1 + SS_SESSION_SETTLED,
        [SS_MESSAGE_HEARD] = 1 + SS_SESSION_HEARD,
        [SS_MESSAGE_PONG] = 1 + SS_SESSION_PONG,
        [SS_MESSAGE_MEMBERS] = 1 + SS_SESSION_MEMBERS,
        [SS_MESSAGE_SEEK] = 1 + SS_SESSION_SEEK,
        [SS_MESSAGE_ADOPT] = 1 + SS_SESSION_ADOPT,
        [SS_MESSAGE_DRAIN] = 1 + SS_SESSION_DRAIN,
    };
    return types[type];
}

void worker_message(
    struct worker *it, uint32_t line, struct ss_message *message)
{
    unsigned type = event_of(message->type);
    if (type == 0)
        return;
    struct ss_session_event event = {
        .type = (enum ss_session_event_type)(type - 1),
        .link = line,
        .epoch = message->epoch,
        .lease_ms = message->welcome.lease_ms,
        .heartbeat_ms = message->welcome.heartbeat_ms,
        .begin_ms = message->welcome.begin_ms,
        .sent = message->sent,
        .status = message->refused.status,
        .text = message->refused.text,
        .orders = message->orders,
        .orders_count = message->orders_count,
        .attempts = message->attempts,
        .attempts_count = message->attempts_count,
        .members = message->members,
        .members_count = message->members_count,
        .shards = message->shards,
        .shards_count = message->shards_count,
        .adoptions = message->adoptions,
        .adoptions_count = message->adoptions_count};
    message->orders_count = 0; // the session takes each
    step(it, event);
}

// The look stands where the body begins: what its process slept in between
// counts.
void worker_begin(struct worker *it, uint64_t epoch, uint64_t dispatch)
{
    struct body *body = find_body(it, epoch, dispatch);
    if (!body || body->has_begun)
        return;
    if (ss_session_may_begin(body->begin_by_ms, process_now(&it->process))) {
        run_on(it, body);
        return;
    }
    struct ss_assignment *order = body->order;
    SS_VEC_REMOVE(&it->bodies, (size_t)(body - it->bodies.items));
    step(it,
        (struct ss_session_event){
            .type = SS_SESSION_UNBEGUN, .orders = &order, .orders_count = 1});
}

void worker_body(struct worker *it, uint64_t epoch, uint64_t dispatch)
{
    struct body *body = find_body(it, epoch, dispatch);
    if (!body)
        return; // it was stopped before
    struct ss_assignment *order = body->order;
    struct ss_outcome *outcome =
        body->has_begun ? run_order(it, order) : stopped(order);
    SS_VEC_REMOVE(&it->bodies, (size_t)(body - it->bodies.items));
    ss_assignment_destroy(&order);
    step(it, (struct ss_session_event){.type = SS_SESSION_OUTCOMES,
                 .outcomes = &outcome,
                 .outcomes_count = 1});
}

void worker_show(struct worker *it, uint64_t epoch, uint64_t dispatch)
{
    const struct body *body = find_body(it, epoch, dispatch);
    if (!body)
        return; // it ended before
    struct ss_value *value = ss_value_new(json_string(body->order->task_id));
    struct ss_session_item item = {body->order->attempt, SS_LIVE_CUSTOM, value};
    step(it, (struct ss_session_event){
                 .type = SS_SESSION_ITEMS, .items = &item, .items_count = 1});
    ss_value_unref(value);
}

void worker_alarm(struct worker *it)
{
    step(it, (struct ss_session_event){.type = SS_SESSION_TICK});
}

void worker_drain(struct worker *it)
{
    step(it, (struct ss_session_event){.type = SS_SESSION_DRAIN});
}

// ------------------------------------------------------------------ life

// It is told of all coordinators, or of one, and finds the others.
void worker_start(struct worker *it)
{
    static const char *const endpoints[COORDINATORS_MAX] = {"c1", "c2", "c3"};
    struct world *world = it->process.world;
    size_t all = world->climate.coordinators;
    memcpy(it->versions, world->deployed, sizeof(it->versions));
    versions_change(world);
    it->capacity = 1 + (uint32_t)draw(world, 4);
    it->session =
        ss_session_new(&(struct ss_session_options){.capacity = it->capacity,
            .endpoints = endpoints,
            .endpoints_count = 1 + (size_t)draw(world, all)});
    it->process.wires.count = 0;
    worker_alarm(it);
}

void worker_stop(struct worker *it)
{
    ss_session_destroy(&it->session);
    for (size_t i = 0; i < it->bodies.count; i++)
        ss_assignment_destroy(&it->bodies.items[i].order);
    SS_VEC_FINI(&it->bodies);
}
