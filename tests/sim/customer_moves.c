// customer_moves.c - what a customer asks for next.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/ids.h"
#include "common/model/reserved.h"
#include "tests/sim/customer.h"

enum { MOVES_MAX = 1000 };

// How long it waits for rows is the last letter. In some seeds all customers
// give the same names: a run is named by its thread, too.
static void name_run(struct customer *it, char ret_name[RUN_SIZE])
{
    bool shares = it->process.world->climate.shares_names;
    snprintf(ret_name, RUN_SIZE, "%.2s-%" PRIu32 "%c",
        shares ? "r" : it->thread, ++it->names, it->durability[0]);
}

// Some runs say something of their thread; each says another thing.
static void say_facts(struct customer *it, json_t *more)
{
    it->may_say[0] = '\0';
    if (draw(it->process.world, 3) != 0)
        return;
    memcpy(it->may_say, it->run, sizeof(it->run));
    json_object_set_new(more, "facts",
        json_pack("{s:{s:s}, s:i}", "metadata", SAID_KEY, it->run, "moves",
            (int)it->moves));
    it->process.world->report.said++;
}

void customer_on_accepted(struct customer *it)
{
    it->is_accepted = true;
    if (!it->may_say[0] || strcmp(it->may_say, it->run) != 0)
        return;
    memcpy(it->said, it->may_say, sizeof(it->said));
    it->may_say[0] = '\0';
}

void customer_forget_said(struct customer *it)
{
    it->said[0] = it->may_say[0] = '\0';
}

// Takes `more`: what the run begins with.
static void new_move(struct customer *it, json_t *more, const char *what)
{
    struct world *world = it->process.world;
    if (++it->moves > MOVES_MAX)
        violated(world, "thread %s does not come to its end within %d runs",
            it->thread, MOVES_MAX);
    name_run(it, it->run);
    snprintf(it->waits_for, sizeof(it->waits_for), "%s", what);
    json_object_set_new(more, "graph", json_string(it->plan->name));
    json_object_set_new(more, "thread", json_string(it->thread));
    json_object_set_new(more, "run", json_string(it->run));
    json_object_set_new(more, "durability", json_string(it->durability));
    json_object_set_new(
        more, "priority", json_integer((json_int_t)draw(world, 3) - 1));
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
    world->advanced_ms = it->moved_ms = world->now_ms;
    if (draw(world, 2))
        json_array_append_new(
            json_object_get(more, "stream"), json_string("custom"));
    items_forget(it);
    say_facts(it, more);
    if (draw(world, 10) == 0) {
        json_object_set_new(more, "detach", json_true());
        it->is_detached = true;
    }
    tell(world, "%s: run %s: %s", it->process.name, it->run, what);
    customer_come_back(it, 1 + (int64_t)draw(world, 100));
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
void customer_repeat_input(struct customer *it)
{
    char word[16];
    snprintf(word, sizeof(word), "in%" PRIu32, it->inputs);
    it->was_cancelled = false;
    new_move(it, json_pack("{s:{s:[s]}}", "input", "x", word),
        "the input once more");
}

bool customer_may_lack_input(const struct customer *it)
{
    return it->was_cancelled && !it->is_given &&
           strcmp(it->durability, "exit") == 0;
}

static json_t *begin_input(struct customer *it)
{
    char word[16];
    snprintf(word, sizeof(word), "in%" PRIu32, ++it->inputs);
    json_t *input = json_pack("{s:[s]}", "x", word);
    it->was_cancelled = it->is_given = false;
    json_decref(it->before);
    it->before = json_incref(reference_values(it->reference));
    json_array_append_new(it->words, json_string(word));
    reference_run(it->reference, input);
    tell_steps(it);
    it->seen = 0;
    it->may_be_further = false;
    return input;
}

// ------------------------------------------------ updates

// As the node that it is made as; the word says which one.
static struct reference_update update_of(
    const struct customer *it, const char *word)
{
    uint64_t hash = ss_hash64(word, strlen(word));
    bool is_last = strncmp(word, "ul", 2) == 0;
    json_t *values = json_pack("{s:[s], s:i, s:{s:I}}", "x", word, "n", 1, "m",
        word, (json_int_t)(hash & 0xfff));
    if (it->plan->folds)
        json_object_set_new(values, "f", json_string(word));
    return (struct reference_update){
        plan_writer(it->plan, is_last, hash), values};
}

static void add_update(struct customer *it, const char *kind,
    struct reference_update *ret_update, json_t *list)
{
    char word[16];
    snprintf(word, sizeof(word), "%s%" PRIu32, kind, ++it->updates);
    *ret_update = update_of(it, word);
    json_array_append_new(it->words, json_string(word));
    json_array_append_new(
        list, json_pack("[{s:O, s:s}]", "values", ret_update->values, "as_node",
                  it->plan->roles[ret_update->node].name));
}

// As a node and, perhaps, one before it that nothing follows.
static void update_as_node(struct customer *it, json_t *list)
{
    struct reference_update updates[2];
    size_t count = 0;
    if (plan_count_writers(it->plan, true) > 0 && draw(it->process.world, 2))
        add_update(it, "ul", &updates[count++], list);
    add_update(it, "up", &updates[count++], list);
    it->was_cancelled = false;
    json_decref(it->before);
    it->before = NULL;
    reference_update(it->reference, updates, count);
    tell_steps(it);
    while (count > 0)
        json_decref(updates[--count].values);
    it->seen = 0;
    it->may_be_further = false;
}

void customer_begin_update(struct customer *it, json_t *list)
{
    struct world *world = it->process.world;
    if (it->inputs < world->climate.inputs && draw(world, 3) == 0)
        json_array_append_new(
            list, json_pack("[{s:o, s:s}]", "values", begin_input(it),
                      "as_node", SS_NAME_INPUT));
    else
        update_as_node(it, list);
    it->is_given = true;
}

void customer_end_update(struct customer *it)
{
    if (json_array_size(reference_steps(it->reference)) > 1)
        customer_go_on(it, "to go on after an update");
    else
        customer_end_input(it);
}

// ------------------------------------------------ a run that waits behind

// The next input does not wait for the end of this one, or ends it. (Where
// nobody asks: a run behind a question would run into it.)
static void queue_up(struct customer *it)
{
    struct world *world = it->process.world;
    if (it->inputs == world->climate.inputs || plan_questions(it->plan) > 0 ||
        draw(world, 3) != 0)
        return;
    static const char *const strategies[] = {
        "interrupt", "rollback", "enqueue", "enqueue", "enqueue"};
    const char *if_busy = strategies[draw(world, 5)];
    int priority = (int)draw(world, 3) - 1;
    char word[16];
    snprintf(word, sizeof(word), "in%" PRIu32, it->inputs + 1);
    it->moves++;
    name_run(it, it->behind.run);
    it->behind.is_asked = it->behind.is_accepted = false;
    it->behind.body = json_pack(
        "{s:s, s:s, s:s, s:s, s:[s], s:b, s:s, s:i, s:{s:[s]}}", "graph",
        it->plan->name, "thread", it->thread, "run", it->behind.run,
        "durability", it->durability, "stream", "values", "detach", 1,
        "if_busy", if_busy, "priority", priority, "input", "x", word);
    world->report.runs++;
}

static bool behind_says(const struct customer *it, const char *strategy)
{
    return strcmp(ss_json_str(it->behind.body, "if_busy", ""), strategy) == 0;
}

void customer_ask_behind(struct customer *it)
{
    if (!it->behind.body || !it->is_accepted || it->behind.is_accepted ||
        it->behind.key)
        return;
    // nobody knows a run that was taken back: asked again, it begins anew
    if (behind_says(it, "rollback") && !it->behind.is_asked)
        customer_forget_asks(it);
    it->behind.is_asked = true;
    it->behind.key = it->keys + 1;
    customer_ask_aside(it, "run", json_incref(it->behind.body));
}

void customer_on_behind(struct customer *it, const json_t *answer)
{
    it->behind.key = 0;
    it->behind.is_accepted = json_object_get(answer, "status") != NULL;
    if (!it->behind.is_accepted)
        customer_come_back(it, PAUSE_MS);
}

// It is its turn.
void customer_turn_to_behind(struct customer *it)
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
    items_forget(it);
    tell(it->process.world, "%s turns to run %s", it->process.name, it->run);
    customer_come_back(it, 1);
}

// ------------------------------------------------ what is left of the past

static bool is_input(const char *word)
{
    return strncmp(word, "in", 2) == 0;
}

// What nodes say has their names before it.
static bool is_given(const char *word)
{
    return strchr(word, ':') == NULL;
}

void customer_run_words(struct customer *it)
{
    json_t *word;
    size_t i;
    reference_free(it->reference);
    it->reference = reference_new(it->plan);
    json_array_foreach (it->words, i, word)
        if (is_input(json_string_value(word))) {
            json_t *input = json_pack("{s:[O]}", "x", word);
            reference_run(it->reference, input);
            json_decref(input);
        } else {
            struct reference_update update =
                update_of(it, json_string_value(word));
            reference_update(it->reference, &update, 1);
            json_decref(update.values);
        }
}

// The number in the last word of an input that stands: those of runs that were
// taken back are not given again.
static uint32_t last_input(const struct customer *it)
{
    for (size_t i = json_array_size(it->words); i-- > 0;) {
        const char *word = json_string_value(json_array_get(it->words, i));
        if (is_input(word))
            return (uint32_t)strtoul(word + strlen("in"), NULL, 10);
    }
    return 0;
}

bool customer_may_be_taken_back(const struct customer *it)
{
    return behind_says(it, "rollback") && it->behind.is_asked;
}

void customer_forget_run(struct customer *it)
{
    struct world *world = it->process.world;
    tell(world, "%s: run %s was taken back", it->process.name, it->run);
    json_array_remove(it->words, json_array_size(it->words) - 1);
    if (!check_gone(
            world, it->thread, it->run, json_array_size(it->words) == 0))
        violated(world, "run %s was accepted and is lost: no row was made void",
            it->run);
    json_array_append_new(it->gone, json_string(it->run));
    customer_run_words(it);
    world->report.taken_back++;
    customer_end_input(it);
}

// ------------------------------------------------ what comes next

void customer_next_input(struct customer *it)
{
    struct world *world = it->process.world;
    if (it->inputs == world->climate.inputs) {
        customer_look_last(it);
        return;
    }
    new_move(it, json_pack("{s:o}", "input", begin_input(it)), "an input");
    queue_up(it);
}

// Without its past a thread goes on as with it.
void customer_end_input(struct customer *it)
{
    if (it->behind.body) {
        json_decref(begin_input(it));
        customer_turn_to_behind(it);
        return;
    }
    if (!customer_does_something(it, AFTER_INPUT))
        customer_next_input(it);
}

void customer_go_on(struct customer *it, const char *why)
{
    new_move(it, json_pack("{s:n}", "input"), why);
}

void customer_answer(struct customer *it, json_t *interrupts)
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
    new_move(
        it, json_pack("{s:{s:o}}", "command", "resume", answers), "an answer");
}

// ------------------------------------------------ after the database was set
// back

// Whatever was begun there is to end first: who asks to go on is told until
// then that the thread is busy.
void customer_look_around(struct customer *it)
{
    customer_go_on(it, "to find what is there");
}

// The run behind has its turn there, and the present one came to no good end
// before that: cancelled, perhaps, and nobody had heard of it.
static bool begins_on_remains(const struct customer *it)
{
    struct world *world = it->process.world;
    if (!it->behind.body)
        return false;
    json_t *behind = database_run(world, it->thread, it->behind.run);
    json_t *present = database_run(world, it->thread, it->run);
    bool does =
        behind && strcmp(ss_json_str(present, "status", ""), "done") != 0;
    json_decref(behind);
    json_decref(present);
    return does;
}

void customer_go_astray(struct customer *it)
{
    struct world *world = it->process.world;
    size_t queued = 0;
    database_open_runs(world, it->thread, &queued);
    it->is_unsure =
        it->is_unsure || it->is_free || queued > 0 || begins_on_remains(it) ||
        behind_says(it, "interrupt"); // which ended the present one somewhere
    it->is_astray = it->inputs > 0;
    it->is_content = it->is_free = it->is_releasing = false;
    it->quarantined[0] = '\0';
    json_decref(it->body);
    json_decref(it->behind.body);
    it->body = it->behind.body = NULL;
    customer_drop_chore(it);
    json_decref(it->open);
    it->open = NULL;
    json_array_clear(it->gone); // there they may not have been
}

// The inputs that stand in these values are those that the thread has had: it
// must be as if it had had no others.
void customer_find_way(struct customer *it, const json_t *values)
{
    json_t *words = json_object_get(values, "x"), *word;
    size_t i;
    it->is_astray = it->was_cancelled = false;
    json_array_clear(it->words);
    json_array_foreach (words, i, word)
        if (is_given(json_string_value(word)))
            json_array_append(it->words, word);
    it->inputs = last_input(it); // what was lost is asked for again
    customer_run_words(it);
    if (it->is_unsure && values &&
        !json_equal(values, reference_values(it->reference))) {
        tell(it->process.world, "%s finds what nobody can say",
            it->process.name);
        it->is_content = it->is_free = true;
        return;
    }
    if (values)
        customer_check(it, values, "what is left");
    tell(it->process.world, "%s finds its way", it->process.name);
    customer_next_input(it);
}
