// customer.c - somebody who wants results: asks, answers, goes on after
// failures, comes back after crashes of its own, and knows what must come out.
//
//   run (an input) -> interrupted: run (the answers) -> failed: run (go on)
//       -> done: the output is the reference's -> the next input ... -> state
//
// A move is a run under an id of its own and is asked for until it has ended;
// once it was accepted, "no such run" is a lost run. Here is how it asks; what
// it asks for next is in customer_moves.c, what it makes of the answers in
// customer_checks.c.
#include "tests/sim/customer.h"

#include <stdio.h>
#include <string.h>

struct process *customer_process(struct customer *it)
{
    return &it->process;
}

bool customer_is_content(const struct customer *it)
{
    return it->is_content;
}

bool customer_has_released(const struct customer *it)
{
    return it->was_released;
}

json_t *customer_gone(const struct customer *it)
{
    return it->gone;
}

bool customer_may_lack(const struct customer *it, const char *run)
{
    json_t *gone;
    size_t i;
    json_array_foreach (it->gone, i, gone)
        if (strcmp(json_string_value(gone), run) == 0)
            return true;
    return strcmp(it->run, run) == 0 && customer_may_be_taken_back(it);
}

const char *customer_thread(const struct customer *it)
{
    return it->thread;
}

json_t *customer_threads(const struct customer *it)
{
    return it->threads;
}

bool customer_has_thread(const struct customer *it, const char *thread)
{
    json_t *name;
    size_t i;
    json_array_foreach (it->threads, i, name)
        if (strcmp(json_string_value(name), thread) == 0)
            return true;
    return false;
}

bool customer_is_sync(const struct customer *it)
{
    return strcmp(it->durability, "sync") == 0;
}

void customer_describe(const struct customer *it, char *ret_text, size_t size)
{
    snprintf(ret_text, size, " %s waits for %s (run %s, %s);", it->process.name,
        it->waits_for, it->run, it->is_accepted ? "accepted" : "not accepted");
}

struct customer *customer_new(struct world *world, size_t index)
{
    static const char *const durabilities[] = {
        "sync", "sync", "sync", "async", "exit"};
    struct customer *it = ss_zalloc(1, sizeof(*it));
    it->plan = world->plans[draw(world, world->climate.graphs)];
    it->reference = reference_new(it->plan);
    it->words = json_array();
    it->gone = json_array();
    it->items = json_object();
    it->threads = json_array();
    it->durability = durabilities[draw(world, 5)];
    snprintf(it->thread, sizeof(it->thread), "t%zu", index + 1);
    json_array_append_new(it->threads, json_string(it->thread));
    return it;
}

void customer_free(struct customer *it)
{
    ss_talk_destroy(&it->talk);
    reference_free(it->reference);
    json_decref(it->body);
    json_decref(it->before);
    json_decref(it->behind.body);
    json_decref(it->words);
    json_decref(it->gone);
    json_decref(it->items);
    json_decref(it->threads);
    json_decref(it->open);
    customer_drop_chore(it);
    ss_free(it);
}

// ------------------------------------------------------------------ the talk

void customer_come_back(struct customer *it, int64_t in_ms)
{
    struct world *world = it->process.world;
    agenda_add(&world->agenda, (struct errand){.at_ms = world->now_ms + in_ms,
                                   .kind = ERRAND_ASK,
                                   .who = &it->process,
                                   .life = it->process.life});
}

static void send(struct customer *it, const struct ss_talk_command *command)
{
    struct ss_message message = {.protocol = SS_PROTOCOL_VERSION};
    if (command->type == SS_TALK_SEND_PING) {
        message.type = SS_MESSAGE_PING;
    } else if (command->type == SS_TALK_SEND_HANGUP) {
        message.type = SS_MESSAGE_HANGUP;
        message.id = command->id;
    } else {
        char *text =
            it->process.world->narrates ? ss_json_text(command->json) : NULL;
        tell(it->process.world, "%s asks: %s %s", it->process.name, command->op,
            text ? text : "");
        ss_free(text);
        message.type = SS_MESSAGE_ASK;
        message.id = command->id;
        message.op = command->op;
        message.body = ss_value_new(json_incref(command->json));
    }
    network_send(
        &it->process, network_line(&it->process, command->line), UP, &message);
    ss_value_unref(message.body);
}

// The talk's commands go with its next step: what follows from an answer comes
// by errand.
static void carry_out(
    struct customer *it, const struct ss_talk_command *command)
{
    bool is_ours = command->key == it->key;
    switch (command->type) {
    case SS_TALK_SEND_PING:
    case SS_TALK_SEND_ASK:
    case SS_TALK_SEND_HANGUP:
        send(it, command);
        break;
    case SS_TALK_REOPEN:
    case SS_TALK_OPEN:
        tell(it->process.world, "%s connects to %s", it->process.name,
            command->endpoint);
        network_open(&it->process, command->line, command->endpoint);
        break;
    case SS_TALK_CLOSE:
        network_close(&it->process, command->line);
        break;
    case SS_TALK_ITEM:
        if (is_ours)
            customer_on_item(it, command->json);
        break;
    case SS_TALK_DONE:
        if (is_ours) {
            it->key = 0;
            customer_on_answer(it, command->json);
        } else if (command->key == it->behind.key) {
            customer_on_behind(it, command->json);
        }
        break;
    case SS_TALK_FAILED:
        tell(it->process.world, "%s is told: %s", it->process.name,
            command->text);
        if (is_ours)
            it->key = 0;
        if (command->key == it->behind.key)
            it->behind.key = 0;
        customer_come_back(it, PAUSE_MS);
        break;
    }
}

static void step(struct customer *it, struct ss_talk_event event)
{
    struct ss_talk_commands commands;
    event.now_ms = process_now(&it->process);
    ss_talk_step(it->talk, &event, &commands);
    for (size_t i = 0; i < commands.count; i++)
        carry_out(it, &commands.items[i]);
    process_wake(&it->process, commands.wake_at_ms);
}

void customer_forget_asks(struct customer *it)
{
    network_forget_asks(it->process.world, &it->process);
    while (it->keys_forgotten < it->keys) {
        uint64_t key = ++it->keys_forgotten;
        if (key != it->key)
            step(
                it, (struct ss_talk_event){.type = SS_TALK_FORGET, .key = key});
    }
    it->behind.key = 0;
}

// Takes `body`. Nobody needs the answer.
void customer_ask_aside(struct customer *it, const char *op, json_t *body)
{
    step(it,
        (struct ss_talk_event){
            .type = SS_TALK_ASK, .key = ++it->keys, .op = op, .body = body});
    json_decref(body);
}

// Takes `body`.
void customer_ask_for(struct customer *it, const char *op, json_t *body)
{
    it->key = it->keys + 1;
    customer_ask_aside(it, op, body);
}

void customer_message(
    struct customer *it, uint32_t line, const struct ss_message *message)
{
    if (message->type == SS_MESSAGE_PONG)
        step(it, (struct ss_talk_event){.type = SS_TALK_PONG,
                     .line = line,
                     .epoch = message->epoch,
                     .members = message->members,
                     .members_count = message->members_count});
    else if (message->type == SS_MESSAGE_ANSWER)
        step(it, (struct ss_talk_event){.type = SS_TALK_ANSWER,
                     .line = line,
                     .id = message->id,
                     .final = message->final,
                     .body = ss_value_json(message->body)});
}

void customer_connected(struct customer *it, uint32_t line)
{
    step(it, (struct ss_talk_event){.type = SS_TALK_CONNECTED, .line = line});
}

void customer_alarm(struct customer *it)
{
    step(it, (struct ss_talk_event){.type = SS_TALK_TICK});
}

// ------------------------------------------------------------------ asking

static json_t *again_body(const struct customer *it)
{
    json_t *body = json_pack("{s:s, s:s, s:O}", "run", it->run, "thread",
        it->thread, "stream", json_object_get(it->body, "stream"));
    json_object_set_new(
        body, "after", json_string(it->seq[0] ? it->seq : "0.0"));
    json_object_set_new(body, "seen", items_seen(it));
    return body;
}

void customer_ask(struct customer *it)
{
    static const char *const reads[] = {"state", "history", "checkpoints"};
    struct world *world = it->process.world;
    if (it->is_content)
        return;
    customer_ask_behind(it);
    if (it->key)
        return;
    if (it->quarantined[0]) { // who stood beside many crashes: an operator
                              // looks at it
        customer_ask_for(it, "release",
            json_pack(
                "{s:s, s:s}", "run", it->quarantined, "thread", it->thread));
        it->quarantined[0] = '\0';
        it->is_releasing = it->was_released = true;
        return;
    }
    if (!it->body && it->is_astray) {
        customer_look_around(it);
        return;
    }
    if (!it->body && it->step) {
        customer_ask_step(it);
        return;
    }
    if (!it->body)
        customer_next_input(it);
    else if (it->is_accepted)
        customer_ask_for(it, "attach", again_body(it));
    else
        customer_ask_for(it, "run", json_incref(it->body));
    if (world->is_stormy && it->body && draw(world, 20) == 0) {
        tell(world, "%s cancels run %s", it->process.name, it->run);
        customer_ask_aside(it, "cancel",
            json_pack("{s:s, s:s}", "run", it->run, "thread", it->thread));
    }
    if (it->inputs > 0 && draw(world, 6) == 0)
        customer_ask_aside(it,
            reads[draw(world, sizeof(reads) / sizeof(*reads))],
            json_pack("{s:s}", "thread", it->thread));
}

// ------------------------------------------------------------------ life

void customer_start(struct customer *it)
{
    static const char *const endpoints[COORDINATORS_MAX] = {"c1", "c2", "c3"};
    struct world *world = it->process.world;
    it->talk = ss_talk_new(
        &(struct ss_talk_options){.seed = ss_prng_next(&world->dice),
            .where = "sim",
            .endpoints = endpoints,
            .endpoints_count = world->climate.coordinators});
    it->key = it->behind.key = 0;
    it->process.wires.count = 0;
    network_open(&it->process, 0, endpoints[0]);
    customer_come_back(it, 1 + (int64_t)draw(world, 1000));
}

void customer_stop(struct customer *it)
{
    ss_talk_destroy(&it->talk);
}
