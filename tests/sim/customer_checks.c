// customer_checks.c - what a customer hears is what the reference says.
#include <stdio.h>
#include <string.h>

#include "common/model/reserved.h"
#include "tests/sim/customer.h"

void customer_check(struct customer *it, const json_t *values, const char *what)
{
    json_t *right = reference_values(it->reference);
    json_t *shown = plan_shown(values);
    bool is_right = json_equal(shown, right);
    json_decref(shown);
    if (is_right)
        return;
    char *is = ss_json_text(values), *should = ss_json_text(right);
    violated(it->process.world, "%s of thread %s is\n  %s\nand should be\n  %s",
        what, it->thread, is, should);
}

// ------------------------------------------------------------------ streams

static bool is_step(const struct customer *it, size_t step, json_t *values)
{
    return json_equal(
        values, json_array_get(reference_steps(it->reference), step));
}

static void check_shown(struct customer *it, const json_t *item, json_t *values)
{
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
    // what is not a step, or looks like the one before, is of a superstep in
    // which somebody asks, and the run's last
    bool is_known = is_next || (is_same && it->is_first);
    if (it->is_partial) {
        char *text = ss_json_text(values);
        violated(it->process.world,
            "the stream of run %s has a gap, or repeats itself: after step %zu "
            "of the reference, at %s it shows %s",
            it->run, it->seen, ss_json_str(item, "seq", "?"), text);
    }
    bool is_either = is_next && is_same && it->is_first;
    it->seen += is_next && !is_either;
    it->may_be_further =
        (is_either || it->may_be_further) && is_step(it, it->seen + 1, values);
    if (is_next)
        it->process.world->advanced_ms = it->process.world->now_ms;
    it->is_first = false;
    it->may_repeat = false;
    it->is_partial = !is_known;
}

static void check_values(struct customer *it, const json_t *item)
{
    json_t *values = plan_shown(json_object_get(item, "data"));
    check_shown(it, item, values);
    json_decref(values);
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

void customer_on_item(struct customer *it, json_t *item)
{
    struct world *world = it->process.world;
    const char *seq = ss_json_str(item, "seq", "");
    tell_item(it, item);
    if (json_is_true(json_object_get(item, "accepted"))) {
        customer_on_accepted(it);
        if (it->behind.body)
            customer_come_back(it, 1 + (int64_t)draw(world, 300));
        return;
    }
    if (!customer_is_sync(it) || it->is_free || it->is_astray)
        return;
    if (items_show(it, item))
        return;
    if (it->seq[0] && ss_talk_seq_reached(seq, it->seq))
        violated(
            world, "run %s: event %s comes after %s", it->run, seq, it->seq);
    customer_on_accepted(it);
    snprintf(it->seq, sizeof(it->seq), "%s", seq);
    if (strcmp(ss_json_str(item, "mode", ""), "values") == 0 &&
        json_array_size(json_object_get(item, "ns")) == 0 &&
        !json_object_get(json_object_get(item, "data"), SS_NAME_INTERRUPT))
        check_values(it, item);
}

// ------------------------------------------------------------------ answers

static void on_output(struct customer *it, const json_t *output)
{
    if (it->is_astray) {
        customer_find_way(it, output);
        return;
    }
    size_t last = json_array_size(reference_steps(it->reference)) - 1;
    if (customer_may_lack_input(it) && json_equal(output, it->before)) {
        customer_repeat_input(it);
        return;
    }
    customer_check(it, output, "the output");
    if (customer_is_sync(it) && !it->is_first &&
        (it->is_partial || it->seen + it->may_be_further < last))
        violated(it->process.world,
            "the stream of run %s ends at step %zu of "
            "%zu",
            it->run, it->seen, last);
    if (customer_is_sync(it))
        items_end(it);
    it->seen = last;
    customer_end_input(it);
}

static void on_done(struct customer *it, const json_t *answer)
{
    json_t *output = plan_shown(json_object_get(answer, "output"));
    on_output(it, output);
    json_decref(output);
}

static void on_interrupted(struct customer *it, const json_t *answer)
{
    json_t *open = json_object_get(answer, "interrupts");
    it->may_repeat = true;
    if (customer_does_something(it, AFTER_QUESTION))
        it->open = json_incref(open);
    else
        customer_answer(it, open);
}

static void on_failed(struct customer *it, const json_t *answer)
{
    static const char *const known[] = {
        "worker_lost", "node_timeout", "cancelled"};
    const json_t *error = json_object_get(answer, "error");
    const char *code = ss_json_str(error, "code", "?");
    if (strcmp(code, "empty_input") == 0 && it->is_astray) {
        customer_find_way(it, NULL);
        return;
    }
    if (strcmp(code, "empty_input") == 0 && customer_may_lack_input(it)) {
        customer_repeat_input(it);
        return;
    }
    if (customer_may_be_taken_back(it) && check_tells_rollback(answer)) {
        customer_forget_run(it);
        return;
    }
    if (it->behind.body) { // that begins on what is left: only wait for it
        it->is_free = true;
        customer_turn_to_behind(it);
        return;
    }
    it->was_cancelled = it->was_cancelled || strcmp(code, "cancelled") == 0;
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (strcmp(code, known[i]) == 0) {
            if (!customer_does_something(it, AFTER_FAILURE))
                customer_go_on(it, "to go on after a failure");
            return;
        }
    violated(it->process.world, "run %s fails: %s: %s", it->run, code,
        ss_json_str(error, "message", "?"));
}

// No result: a request that could not be served now.
static void on_refused(struct customer *it, const json_t *error)
{
    static const char *const passing[] = {
        "io_error", "busy", "not_found", "again"};
    const char *code = ss_json_str(error, "code", "?");
    const char *message = ss_json_str(error, "message", "?");
    bool is_lost =
        it->body && it->is_accepted && strcmp(code, "not_found") == 0;
    if (is_lost && customer_may_be_taken_back(it)) {
        customer_forget_run(it);
        return;
    }
    if (is_lost)
        violated(it->process.world, "run %s was accepted and is lost: %s",
            it->run, message);
    it->quarantined[0] = '\0';
    if (strcmp(code, "quarantined") == 0) {
        it->process.world->report.quarantined++;
        if (sscanf(message, "run %31s of", it->quarantined) != 1)
            violated(it->process.world, "which run is parked? %s", message);
    }
    // Bodies take long there: that of an update, too, which applied nothing.
    bool is_slow = it->process.world->climate.limit > 0 &&
                   strcmp(code, "node_timeout") == 0;
    for (size_t i = 0; i < sizeof(passing) / sizeof(*passing); i++)
        if (it->quarantined[0] || is_slow || strcmp(code, passing[i]) == 0) {
            tell(
                it->process.world, "%s is told: %s", it->process.name, message);
            customer_come_back(it, PAUSE_MS);
            return;
        }
    violated(it->process.world, "%s is refused: %s: %s", it->process.name, code,
        message);
}

void customer_on_answer(struct customer *it, json_t *answer)
{
    const char *status = ss_json_str(answer, "status", "");
    const json_t *error = json_object_get(answer, "error");
    if (it->is_releasing) {
        it->is_releasing = false;
        customer_come_back(it, 1);
        return;
    }
    if (!it->body && (!error || (customer_has_nothing(it) &&
                                    strcmp(ss_json_str(error, "code", ""),
                                        "not_found") == 0))) {
        customer_on_step(it, answer);
        return;
    }
    if (!status[0]) {
        on_refused(it, error);
        return;
    }
    tell(it->process.world, "%s: run %s is %s", it->process.name, it->run,
        status);
    customer_on_accepted(it);
    if (it->is_partial && !it->is_free && !it->is_astray &&
        strcmp(status, "interrupted") != 0 && strcmp(status, "done") != 0)
        violated(it->process.world,
            "the stream of run %s has a gap: it shows "
            "what is not a step of the reference",
            it->run);
    if (strcmp(status, "running") == 0) // detached: listen from now on
        customer_come_back(it, PAUSE_MS);
    else if (it->is_free)
        it->is_content = true;
    else if (strcmp(status, "done") == 0)
        on_done(it, answer);
    else if (strcmp(status, "interrupted") == 0)
        on_interrupted(it, answer);
    else
        on_failed(it, answer);
}
