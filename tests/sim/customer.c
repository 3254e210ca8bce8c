// customer.c - somebody who wants results: asks, answers, goes on after
// failures, comes back after crashes of its own, and knows what must come out.
//
//   run (an input) -> interrupted: run (the answers) -> failed: run (go on)
//       -> done: the output is the reference's -> the next input ... -> state
//
// A move is a run under an id of its own and is asked for until it has ended;
// once it was accepted, "no such run" is a lost run.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "client/session/limits.h"
#include "client/session/talk.h"
#include "common/base/check.h"
#include "common/model/names.h"
#include "common/model/value.h"
#include "tests/sim/reference.h"
#include "tests/sim/world.h"

enum { MOVES_MAX = 1000, PAUSE_MS = 300 };

struct customer {
    struct process process;
    struct ss_talk *talk;
    const struct plan *plan;
    struct reference *reference;
    char thread[16];
    const char *durability;
    bool is_content;
    uint32_t inputs;  // given so far
    uint32_t moves;   // made so far
    json_t *body;     // of the present move; NULL: `op` is asked of the thread
    const char *op;   // "state", "prune"; NULL: nothing was asked yet
    char run[32];
    bool is_accepted;
    bool is_detached; // nobody listens: it is asked for again
    char parked[32];   // the run of its thread that is in quarantine, or ""
    bool is_releasing; // it asks for the release
    bool was_cancelled; // since its last input
    bool was_released; // and that may not be durable yet
    uint64_t key;     // of the request under way; 0: none
    uint64_t keys;
    // a run that waits behind the present one
    struct {
        json_t *body; // NULL: none
        char run[32];
        bool is_accepted;
        uint64_t key;
    } behind;
    bool is_free; // nobody can say what it must come to
    // The database was set back: it is to be found out what is there. What runs
    // behind others there may begin on what those left.
    bool is_astray, is_unsure;
    // the stream of the present run
    char seq[SS_TALK_SEQ_SIZE_MAX];
    json_t *before; // the values before the present input
    size_t seen;      // the last of the reference's steps that was shown
    bool is_first;    // nothing of this run was shown yet
    // What had finished beside a question may look like the whole step.
    bool may_repeat;
    // Two steps look alike, and what was shown first is one of them: `seen`, or
    // the one after it.
    bool may_be_further;
    bool is_partial;  // shown: what had finished beside a question
    char waits_for[64];
};

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

const char *customer_thread(const struct customer *it)
{
    return it->thread;
}

bool customer_is_sync(const struct customer *it)
{
    return strcmp(it->durability, "sync") == 0;
}

void customer_describe(const struct customer *it, char *ret_text, size_t size)
{
    snprintf(ret_text, size, " %s waits for %s (run %s, %s);",
        it->process.name, it->waits_for, it->run,
        it->is_accepted ? "accepted" : "not accepted");
}

struct customer *customer_new(struct world *world, size_t index)
{
    static const char *const durabilities[] = {
        "sync", "sync", "sync", "async", "exit"};
    struct customer *it = ss_zalloc(1, sizeof(*it));
    it->plan = world->plans[draw(world, world->climate.graphs)];
    it->reference = reference_new(it->plan);
    it->durability = durabilities[draw(world, 5)];
    snprintf(it->thread, sizeof(it->thread), "t%zu", index + 1);
    return it;
}

void customer_free(struct customer *it)
{
    ss_talk_destroy(&it->talk);
    reference_free(it->reference);
    json_decref(it->body);
    json_decref(it->before);
    json_decref(it->behind.body);
    ss_free(it);
}

// ------------------------------------------------------------------ the talk

static void come_back(struct customer *it, int64_t in_ms)
{
    struct world *world = it->process.world;
    agenda_add(&world->agenda, (struct errand){.at_ms = world->now_ms + in_ms,
                                   .kind = ERRAND_ASK,
                                   .who = &it->process,
                                   .life = it->process.life});
}

static void on_item(struct customer *it, json_t *item);
static void on_answer(struct customer *it, json_t *answer);
static void on_behind(struct customer *it, const json_t *answer);

static void send(struct customer *it, const struct ss_talk_command *command)
{
    struct ss_message message = {.protocol = SS_PROTOCOL_VERSION};
    if (command->type == SS_TALK_SEND_PING) {
        message.type = SS_MESSAGE_PING;
    } else if (command->type == SS_TALK_SEND_HANGUP) {
        message.type = SS_MESSAGE_HANGUP;
        message.id = command->id;
    } else {
        char *text = it->process.world->narrates ? ss_json_text(command->json)
                                                 : NULL;
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
            on_item(it, command->json);
        break;
    case SS_TALK_DONE:
        if (is_ours) {
            it->key = 0;
            on_answer(it, command->json);
        } else if (command->key == it->behind.key) {
            on_behind(it, command->json);
        }
        break;
    case SS_TALK_FAILED:
        tell(it->process.world, "%s is told: %s", it->process.name,
            command->text);
        if (is_ours)
            it->key = 0;
        if (command->key == it->behind.key)
            it->behind.key = 0;
        come_back(it, PAUSE_MS);
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

// Takes `body`. Nobody needs the answer.
static void ask_aside(struct customer *it, const char *op, json_t *body)
{
    step(it, (struct ss_talk_event){.type = SS_TALK_ASK,
                 .key = ++it->keys,
                 .op = op,
                 .body = body});
    json_decref(body);
}

// Takes `body`.
static void ask(struct customer *it, const char *op, json_t *body)
{
    it->key = it->keys + 1;
    ask_aside(it, op, body);
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

void customer_alarm(struct customer *it)
{
    step(it, (struct ss_talk_event){.type = SS_TALK_TICK});
}

// ------------------------------------------------------------------ moves

// Takes `more`: what the run begins with.
static void new_move(struct customer *it, json_t *more, const char *what)
{
    struct world *world = it->process.world;
    if (++it->moves > MOVES_MAX)
        violated(world, "thread %s does not come to its end within %d runs",
            it->thread, MOVES_MAX);
    snprintf(it->run, sizeof(it->run), "%s-%" PRIu32 "%c", it->thread,
        it->moves, it->durability[0]);
    snprintf(it->waits_for, sizeof(it->waits_for), "%s", what);
    json_object_set_new(more, "graph", json_string(it->plan->name));
    json_object_set_new(more, "thread", json_string(it->thread));
    json_object_set_new(more, "run", json_string(it->run));
    json_object_set_new(more, "durability", json_string(it->durability));
    json_object_set_new(more, "stream",
        draw(world, 3) ? json_pack("[s]", "values")
                       : json_pack("[s, s]", "values", "updates"));
    json_decref(it->body);
    it->body = more;
    it->is_accepted = it->is_detached = it->was_released = false;
    it->is_first = true;
    it->is_partial = false;
    it->seq[0] = '\0';
    world->report.runs++;
    world->advanced_ms = world->now_ms;
    if (draw(world, 10) == 0) {
        json_object_set_new(more, "detach", json_true());
        it->is_detached = true;
    }
    tell(world, "%s: run %s: %s", it->process.name, it->run, what);
    come_back(it, 1 + (int64_t)draw(world, 100));
}

static void tell_steps(const struct customer *it)
{
    struct world *world = it->process.world;
    json_t *values;
    size_t i;
    if (!world->narrates)
        return;
    tell(world, "%s: the reference on graph %s says", it->process.name,
        it->plan->name);
    json_array_foreach (reference_steps(it->reference), i, values) {
        char *text = ss_json_text(values);
        tell(world, "  step %zu: %s", i, text);
        ss_free(text);
    }
}

// Under `exit` a run that is cancelled before it went on after a crash leaves
// nothing, not even its input.
static void repeat_input(struct customer *it)
{
    char word[16];
    snprintf(word, sizeof(word), "in%" PRIu32, it->inputs);
    it->was_cancelled = false;
    new_move(it, json_pack("{s:{s:[s]}}", "input", "x", word),
        "the input once more");
}

static bool may_have_lost_its_input(const struct customer *it)
{
    return it->was_cancelled && strcmp(it->durability, "exit") == 0;
}

// The next input does not wait for the end of this one. (Where nobody asks: a
// run behind a question would run into it.)
static void queue_up(struct customer *it)
{
    struct world *world = it->process.world;
    if (it->inputs == world->climate.inputs || plan_questions(it->plan) > 0 ||
        draw(world, 3) != 0)
        return;
    char word[16];
    snprintf(word, sizeof(word), "in%" PRIu32, it->inputs + 1);
    snprintf(it->behind.run, sizeof(it->behind.run), "%s-%" PRIu32 "%c",
        it->thread, ++it->moves, it->durability[0]);
    it->behind.is_accepted = false;
    it->behind.body = json_pack(
        "{s:s, s:s, s:s, s:s, s:[s], s:b, s:s, s:{s:[s]}}", "graph",
        it->plan->name, "thread", it->thread, "run", it->behind.run,
        "durability", it->durability, "stream", "values", "detach", 1,
        "if_busy", "enqueue", "input", "x", word);
    world->report.runs++;
}

static void ask_behind(struct customer *it)
{
    if (!it->behind.body || !it->is_accepted || it->behind.is_accepted ||
        it->behind.key)
        return;
    it->behind.key = it->keys + 1;
    ask_aside(it, "run", json_incref(it->behind.body));
}

static void on_behind(struct customer *it, const json_t *answer)
{
    it->behind.key = 0;
    it->behind.is_accepted = json_object_get(answer, "status") != NULL;
    if (!it->behind.is_accepted)
        come_back(it, PAUSE_MS);
}

// It is its turn.
static void turn_to_behind(struct customer *it)
{
    json_decref(it->body);
    it->body = it->behind.body;
    it->behind.body = NULL;
    it->behind.key = 0;
    memcpy(it->run, it->behind.run, sizeof(it->run));
    snprintf(it->waits_for, sizeof(it->waits_for), "the run behind");
    it->is_accepted = it->behind.is_accepted;
    it->is_detached = it->was_released = it->is_partial = false;
    it->is_first = true;
    it->seq[0] = '\0';
    tell(it->process.world, "%s turns to run %s", it->process.name, it->run);
    come_back(it, 1);
}

static json_t *begin_input(struct customer *it)
{
    char word[16];
    snprintf(word, sizeof(word), "in%" PRIu32, ++it->inputs);
    json_t *input = json_pack("{s:[s]}", "x", word);
    it->was_cancelled = false;
    json_decref(it->before);
    it->before = json_incref(reference_values(it->reference));
    reference_run(it->reference, input);
    tell_steps(it);
    it->seen = 0;
    it->may_be_further = false;
    return input;
}

static void ask_thread(struct customer *it, const char *op)
{
    json_decref(it->body);
    it->body = NULL;
    it->op = op;
    snprintf(it->waits_for, sizeof(it->waits_for), "%s", op);
    come_back(it, 1);
}

static void next_input(struct customer *it)
{
    struct world *world = it->process.world;
    if (it->inputs == world->climate.inputs) {
        ask_thread(it, "state");
        return;
    }
    new_move(it, json_pack("{s:o}", "input", begin_input(it)), "an input");
    queue_up(it);
}

// Without its past a thread goes on as with it.
static void end_input(struct customer *it)
{
    if (it->behind.body) {
        json_decref(begin_input(it));
        turn_to_behind(it);
        return;
    }
    if (draw(it->process.world, 5) == 0) {
        // it forgets the keys of what is older: who asks it again begins anew
        network_forget_asks(it->process.world, &it->process);
        ask_thread(it, "prune");
    } else {
        next_input(it);
    }
}

static void go_on(struct customer *it, const char *why)
{
    new_move(it, json_pack("{s:n}", "input"), why);
}

static void answer_questions(struct customer *it, json_t *interrupts)
{
    json_t *answers = json_object(), *interrupt;
    size_t i, count = json_array_size(interrupts);
    struct world *world = it->process.world;
    const char *question = NULL;
    json_array_foreach (interrupts, i, interrupt) {
        question = ss_json_str(interrupt, "value", "?");
        if (i == 0 || draw(world, 4) != 0) // some are left for later
            json_object_set_new(answers, ss_json_str(interrupt, "id", "?"),
                plan_answer(question));
    }
    if (count == 1 && draw(world, 2)) { // a plain one for the only question
        json_decref(answers);
        answers = plan_answer(question);
    }
    new_move(it, json_pack("{s:{s:o}}", "command", "resume", answers),
        "an answer");
}

static void check_values_are_right(
    struct customer *it, const json_t *values, const char *what)
{
    json_t *right = reference_values(it->reference);
    if (json_equal(values, right))
        return;
    char *is = ss_json_text(values), *should = ss_json_text(right);
    violated(it->process.world, "%s of thread %s is\n  %s\nand should be\n  %s",
        what, it->thread, is, should);
}

// Whatever was begun there is to end first: who asks to go on is told until
// then that the thread is busy.
static void look_around(struct customer *it)
{
    go_on(it, "to find what is there");
}

void customer_go_astray(struct customer *it)
{
    struct world *world = it->process.world;
    size_t queued = 0;
    database_open_runs(world, it->thread, &queued);
    it->is_unsure = it->is_unsure || it->is_free || queued > 0;
    it->is_astray = it->inputs > 0;
    it->is_content = it->is_free = it->is_releasing = false;
    it->parked[0] = '\0';
    json_decref(it->body);
    json_decref(it->behind.body);
    it->body = it->behind.body = NULL;
    it->op = NULL;
}

// The inputs that stand in these values are those that the thread has had: it
// must be as if it had had no others.
static void find_way(struct customer *it, const json_t *values)
{
    json_t *words = json_object_get(values, "x"), *word;
    size_t i;
    it->is_astray = it->was_cancelled = false;
    it->inputs = 0; // what was lost is asked for again
    reference_free(it->reference);
    it->reference = reference_new(it->plan);
    json_array_foreach (words, i, word)
        if (strncmp(json_string_value(word), "in", 2) == 0) {
            json_t *input = json_pack("{s:[O]}", "x", word);
            reference_run(it->reference, input);
            json_decref(input);
            it->inputs++;
        }
    if (it->is_unsure && values &&
        !json_equal(values, reference_values(it->reference))) {
        tell(it->process.world, "%s finds what nobody can say",
            it->process.name);
        it->is_content = it->is_free = true;
        return;
    }
    if (values)
        check_values_are_right(it, values, "what is left");
    tell(it->process.world, "%s finds its way", it->process.name);
    next_input(it);
}

static json_t *again_body(const struct customer *it)
{
    json_t *body = json_pack("{s:s, s:s, s:O}", "run", it->run, "thread",
        it->thread, "stream", json_object_get(it->body, "stream"));
    json_object_set_new(
        body, "after", json_string(it->seq[0] ? it->seq : "0.0"));
    return body;
}

void customer_ask(struct customer *it)
{
    static const char *const reads[] = {"state", "history", "checkpoints"};
    struct world *world = it->process.world;
    if (it->is_content)
        return;
    ask_behind(it);
    if (it->key)
        return;
    if (it->parked[0]) { // who stood beside many crashes: an operator looks at it
        ask(it, "release",
            json_pack("{s:s, s:s}", "run", it->parked, "thread", it->thread));
        it->parked[0] = '\0';
        it->is_releasing = it->was_released = true;
        return;
    }
    if (!it->body && it->is_astray) {
        look_around(it);
        return;
    }
    if (!it->body && it->op)
        ask(it, it->op, json_pack("{s:s}", "thread", it->thread));
    else if (!it->body)
        next_input(it);
    else if (it->is_accepted)
        ask(it, "attach", again_body(it));
    else
        ask(it, "run", json_incref(it->body));
    if (world->is_stormy && it->body && draw(world, 20) == 0) {
        tell(world, "%s cancels run %s", it->process.name, it->run);
        ask_aside(it, "cancel",
            json_pack("{s:s, s:s}", "run", it->run, "thread", it->thread));
    }
    if (it->inputs > 0 && draw(world, 6) == 0)
        ask_aside(it, reads[draw(world, sizeof(reads) / sizeof(*reads))],
            json_pack("{s:s}", "thread", it->thread));
}

// ------------------------------------------------------------------ streams

static bool is_step(const struct customer *it, size_t step, json_t *values)
{
    return json_equal(
        values, json_array_get(reference_steps(it->reference), step));
}

static void check_values(struct customer *it, json_t *item)
{
    json_t *values = json_object_get(item, "data");
    // cancelled before its input was applied, the thread goes on from there
    if (it->is_first && it->seen == 0 && json_equal(values, it->before))
        return;
    if (it->may_repeat && it->is_first && it->seen > 0 &&
        is_step(it, it->seen - 1, values))
        it->seen--;
    if (it->may_be_further && !is_step(it, it->seen + 1, values))
        it->seen++;
    bool is_same = is_step(it, it->seen, values);
    bool is_next = is_step(it, it->seen + 1, values);
    bool is_known = is_next || (is_same && it->is_first);
    if (it->is_partial || (!is_known && is_same)) {
        char *text = ss_json_text(values);
        violated(it->process.world,
            "the stream of run %s %s: after step %zu of the reference, at %s "
            "it shows %s",
            it->run, is_same ? "repeats itself" : "has a gap", it->seen,
            ss_json_str(item, "seq", "?"), text);
    }
    bool is_either = is_next && is_same && it->is_first;
    it->seen += is_next && !is_either;
    it->may_be_further = (is_either || it->may_be_further)
        && is_step(it, it->seen + 1, values);
    if (is_next)
        it->process.world->advanced_ms = it->process.world->now_ms;
    it->is_first = false;
    it->may_repeat = false;
    it->is_partial = !is_known;
}

static void tell_item(const struct customer *it, json_t *item)
{
    json_t *data = json_object_get(item, "data");
    if (!it->process.world->narrates)
        return;
    char *text = data ? ss_json_text(data) : NULL;
    tell(it->process.world, "%s sees %s %s of run %s%s%s", it->process.name,
        ss_json_str(item, "mode", "that it is accepted:"),
        ss_json_str(item, "seq", ""), it->run, text ? ": " : "",
        text ? text : "");
    ss_free(text);
}

static void on_item(struct customer *it, json_t *item)
{
    struct world *world = it->process.world;
    const char *seq = ss_json_str(item, "seq", "");
    tell_item(it, item);
    if (json_is_true(json_object_get(item, "accepted"))) {
        it->is_accepted = true;
        if (it->behind.body)
            come_back(it, 1 + (int64_t)draw(world, 300));
        return;
    }
    if (!customer_is_sync(it) || it->is_free || it->is_astray)
        return;
    if (it->seq[0] && ss_talk_seq_reached(seq, it->seq))
        violated(world, "run %s: event %s comes after %s", it->run, seq,
            it->seq);
    it->is_accepted = true;
    snprintf(it->seq, sizeof(it->seq), "%s", seq);
    if (strcmp(ss_json_str(item, "mode", ""), "values") == 0 &&
        json_array_size(json_object_get(item, "ns")) == 0 &&
        !json_object_get(json_object_get(item, "data"), SS_NAME_INTERRUPT))
        check_values(it, item);
}

// ------------------------------------------------------------------ answers

static void on_done(struct customer *it, const json_t *answer)
{
    if (it->is_astray) {
        find_way(it, json_object_get(answer, "output"));
        return;
    }
    size_t last = json_array_size(reference_steps(it->reference)) - 1;
    if (may_have_lost_its_input(it) &&
        json_equal(json_object_get(answer, "output"), it->before)) {
        repeat_input(it);
        return;
    }
    check_values_are_right(it, json_object_get(answer, "output"), "the output");
    if (customer_is_sync(it) && !it->is_first &&
        (it->is_partial || it->seen + it->may_be_further < last))
        violated(it->process.world, "the stream of run %s ends at step %zu of "
            "%zu", it->run, it->seen, last);
    it->seen = last;
    end_input(it);
}

static void on_interrupted(struct customer *it, const json_t *answer)
{
    it->may_repeat = true;
    answer_questions(it, json_object_get(answer, "interrupts"));
}

static void on_failed(struct customer *it, const json_t *answer)
{
    static const char *const known[] = {
        "worker_lost", "node_timeout", "cancelled"};
    const json_t *error = json_object_get(answer, "error");
    const char *code = ss_json_str(error, "code", "?");
    if (strcmp(code, "empty_input") == 0 && it->is_astray) {
        find_way(it, NULL);
        return;
    }
    if (strcmp(code, "empty_input") == 0 && may_have_lost_its_input(it)) {
        repeat_input(it);
        return;
    }
    if (it->behind.body) { // that begins on what is left: only wait for it
        it->is_free = true;
        turn_to_behind(it);
        return;
    }
    it->was_cancelled = it->was_cancelled || strcmp(code, "cancelled") == 0;
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (strcmp(code, known[i]) == 0) {
            go_on(it, "to go on after a failure");
            return;
        }
    violated(it->process.world, "run %s fails: %s: %s", it->run, code,
        ss_json_str(error, "message", "?"));
}

static void on_state(struct customer *it, const json_t *answer)
{
    const json_t *state = json_object_get(answer, "state");
    check_values_are_right(it, json_object_get(state, "values"), "the state");
    if (json_array_size(json_object_get(state, "next")) != 0)
        violated(it->process.world, "thread %s is at its end and has more to do",
            it->thread);
    tell(it->process.world, "%s is content", it->process.name);
    it->is_content = true;
}

// No result: a request that could not be served now.
static void on_refused(struct customer *it, const json_t *error)
{
    static const char *const passing[] = {
        "io_error", "busy", "not_found", "again"};
    const char *code = ss_json_str(error, "code", "?");
    const char *message = ss_json_str(error, "message", "?");
    if (it->body && it->is_accepted && strcmp(code, "not_found") == 0)
        violated(it->process.world, "run %s was accepted and is lost: %s",
            it->run, message);
    it->parked[0] = '\0';
    if (strcmp(code, "quarantined") == 0) {
        it->process.world->report.quarantined++;
        if (sscanf(message, "run %31s of", it->parked) != 1)
            violated(it->process.world, "which run is parked? %s", message);
    }
    for (size_t i = 0; i < sizeof(passing) / sizeof(*passing); i++)
        if (it->parked[0] || strcmp(code, passing[i]) == 0) {
            tell(it->process.world, "%s is told: %s", it->process.name,
                message);
            come_back(it, PAUSE_MS);
            return;
        }
    violated(it->process.world, "%s is refused: %s: %s", it->process.name, code,
        message);
}

static void on_answer(struct customer *it, json_t *answer)
{
    const char *status = ss_json_str(answer, "status", "");
    const json_t *error = json_object_get(answer, "error");
    if (it->is_releasing) {
        it->is_releasing = false;
        come_back(it, 1);
        return;
    }
    if (!it->body && !error) {
        if (strcmp(it->op, "state") == 0)
            on_state(it, answer);
        else
            next_input(it);
        return;
    }
    if (!status[0]) {
        on_refused(it, error);
        return;
    }
    tell(it->process.world, "%s: run %s is %s", it->process.name, it->run,
        status);
    it->is_accepted = true;
    if (it->is_partial && !it->is_free && !it->is_astray && strcmp(status, "interrupted") != 0 &&
        strcmp(status, "done") != 0)
        violated(it->process.world, "the stream of run %s has a gap: it shows "
            "what is no step of the reference", it->run);
    if (strcmp(status, "running") == 0) // detached: listen from now on
        come_back(it, PAUSE_MS);
    else if (it->is_free)
        it->is_content = true;
    else if (strcmp(status, "done") == 0)
        on_done(it, answer);
    else if (strcmp(status, "interrupted") == 0)
        on_interrupted(it, answer);
    else
        on_failed(it, answer);
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
    come_back(it, 1 + (int64_t)draw(world, 1000));
}

void customer_stop(struct customer *it)
{
    ss_talk_destroy(&it->talk);
}
