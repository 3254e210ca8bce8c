// crash_play.c - a story played again and again, with a crash after each row.
#include "tests/stories/crash_play.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/mem.h"
#include "common/model/value.h"
#include "tests/stories/world.h"

enum { ROWS_MAX = 200, LIVES_MAX = 400 };

// ------------------------------------------------------------------ a play

struct how {
    const char *options; // of every run
    int64_t crash_at;    // after so many rows; 0: never
    int64_t again;       // and after so many rows of every later life
    bool streams;        // its client reads events, and reconnects
    char where[256];
};

// What is compared, and nothing that is random or counts attempts.
struct play {
    json_t *answers;
    json_t *events; // "move, mode, namespace, data": how often
    json_t *ends;
    size_t rows;
};

static json_t *ask_quietly(const char *op, const char *more)
{
    char body[256];
    snprintf(body, sizeof(body), "{'thread': 't'%s}", more);
    json_t *answer = world_get(op, body);
    ck_assert_msg(answer && !json_object_get(answer, "error"), "no %s", op);
    return answer;
}

static void replace(char *text, size_t size, const char *word, const char *by)
{
    char *at = strstr(text, word);
    if (!at)
        return;
    char *rest = ss_strdup(at + strlen(word));
    snprintf(at, size - (size_t)(at - text), "%s%s", by, rest);
    ss_free(rest);
}

// The move with what only the thread knows filled in.
static void fill_in(const char *move, char *ret, size_t size)
{
    snprintf(ret, size, "%s", move);
    if (!strchr(ret, '$'))
        return;
    json_t *state = json_object_get(ask_quietly("state", ""), "state");
    json_t *history = json_object_get(ask_quietly("history", ""), "history");
    json_t *asked = json_object_get(state, "interrupts"), *item;
    char word[32];
    size_t i;
    json_array_foreach (asked, i, item) {
        snprintf(word, sizeof(word), "$id%zu", i);
        replace(ret, size, word, ss_json_str(item, "id", ""));
    }
    json_array_foreach (history, i, item) {
        const char *id =
            ss_json_str(json_object_get(item, "config"), "checkpoint_id", "");
        if (i == 0)
            replace(ret, size, "$head", id);
        if (i == json_array_size(history) / 2)
            replace(ret, size, "$middle", id);
    }
    ck_assert_msg(!strchr(ret, '$'), "%s: not filled in: %s", move, ret);
}

static json_t *values_of(const json_t *interrupts)
{
    json_t *list = json_array(), *item;
    size_t i;
    json_array_foreach ((json_t *)interrupts, i, item)
        json_array_append(list, json_object_get(item, "value"));
    return list;
}

static json_t *task_shape(const json_t *task)
{
    return json_pack("{s:O, s:O, s:o, s:O}", "name",
        json_object_get(task, "name"), "error", json_object_get(task, "error"),
        "interrupts", values_of(json_object_get(task, "interrupts")), "result",
        json_object_get(task, "result"));
}

static json_t *state_shape(const json_t *state)
{
    json_t *tasks = json_array(), *task;
    json_t *metadata = json_object_get(state, "metadata");
    size_t i;
    json_array_foreach (json_object_get(state, "tasks"), i, task)
        json_array_append_new(tasks, task_shape(task));
    return json_pack("{s:O, s:O, s:O*, s:O*, s:o}", "values",
        json_object_get(state, "values"), "next",
        json_object_get(state, "next"), "source",
        json_object_get(metadata, "source"), "step",
        json_object_get(metadata, "step"), "tasks", tasks);
}

// How many checkpoints of a kind lie in a namespace, whatever the task ids in
// its name. (Those of parallel tasks are saved in any order.)
static void count_one(
    json_t *counts, const char *ns, const char *source, json_int_t step)
{
    struct ss_buf name;
    ss_buf_init(&name, 1024);
    for (const char *from = ns; *from; from++)
        if (*from == ':')
            from += strcspn(from, "|") - 1;
        else
            ss_buf_add(&name, from, 1);
    ss_buf_addf(&name, " %s %d", source, (int)step);
    const char *key = ss_buf_str(&name);
    json_object_set_new(
        counts, key, json_integer(ss_json_int(counts, key, 0) + 1));
    ss_buf_fini(&name);
}

// One event without what is random: the ids of tasks and questions.
static void count_event(json_t *counts, size_t move, const json_t *event)
{
    json_t *data = json_deep_copy(json_object_get(event, "data"));
    json_t *asked = json_object_get(data, "__interrupt__"), *item;
    struct ss_buf key;
    size_t i;
    json_array_foreach (asked, i, item)
        json_object_del(item, "id");
    ss_buf_init(&key, 1 << 16);
    ss_buf_addf(&key, "%zu %s", move, ss_json_str(event, "mode", "?"));
    json_array_foreach (json_object_get(event, "ns"), i, item)
        ss_buf_addf(&key, " %.*s", (int)strcspn(json_string_value(item), ":"),
            json_string_value(item));
    char *text = ss_json_canonical(data);
    ss_buf_addf(&key, " %s", text);
    ss_free(text);
    json_decref(data);
    json_int_t count = ss_json_int(counts, ss_buf_str(&key), 0);
    json_object_set_new(counts, ss_buf_str(&key), json_integer(count + 1));
    ss_buf_fini(&key);
}

static json_t *end_shape(void)
{
    json_t *state = ask_quietly("state", "");
    json_t *history = json_object_get(ask_quietly("history", ""), "history");
    json_t *saved =
        json_object_get(ask_quietly("checkpoints", ""), "checkpoints");
    json_t *list = json_array(), *inside = json_object(), *item;
    size_t i;
    json_array_foreach (history, i, item)
        json_array_append_new(list, state_shape(item));
    json_array_foreach (saved, i, item) {
        const char *ns = ss_json_str(item, "ns", "");
        json_t *metadata = json_object_get(item, "metadata");
        if (ns[0])
            count_one(inside, ns, ss_json_str(metadata, "source", ""),
                ss_json_int(metadata, "step", 0));
    }
    return json_pack("{s:o, s:o, s:o}", "state",
        state_shape(json_object_get(state, "state")), "history", list, "inside",
        inside);
}

static json_t *answer_shape(const json_t *answer)
{
    return json_pack("{s:O*, s:O*, s:o, s:O*}", "status",
        json_object_get(answer, "status"), "output",
        json_object_get(answer, "output"), "interrupts",
        values_of(json_object_get(answer, "interrupts")), "error",
        json_object_get(answer, "error"));
}

// ------------------------------------------------------------------ moves

static json_t *body_of(const char *move, size_t number, const char *options)
{
    json_t *body = js(strchr(move, ' ') + 1), *more = js(options);
    char run[32];
    json_object_set_new(body, "thread", json_string("t"));
    if (strncmp(move, "run ", 4) == 0) {
        json_object_set_new(body, "subgraphs", json_true());
        snprintf(run, sizeof(run), "run-%zu", number);
        json_object_set_new(body, "run", json_string(run));
        json_object_update_missing(body, more);
    }
    json_decref(more);
    return body;
}

static void check_attempts(size_t from, const char *where)
{
    size_t count = 0;
    const struct attempt_made *made = world_attempts(&count);
    for (size_t i = from; i < count; i++)
        if (made[i].run[0] && world_was_finished(made[i].run, made[i].task_id))
            ck_abort_msg("%s: %s had finished durably and is run again\n%s",
                where, made[i].node, world_told());
}

#define STREAM "['values', 'updates']"

// The client comes back to its run, and names the last event that it saw.
static json_t *again_of(const json_t *body)
{
    json_t *seen = world_seen("ann"), *event;
    const char *last = "0";
    size_t i;
    json_array_foreach (seen, i, event)
        last = ss_json_str(event, "seq", last);
    return json_pack("{s:O, s:s, s:o, s:b, s:s}", "run",
        json_object_get(body, "run"), "thread", "t", "stream", js(STREAM),
        "subgraphs", 1, "after", last);
}

// What the client has seen of this move goes to the play's account.
static void count_events(struct play *play, size_t move)
{
    json_t *seen = world_seen("ann"), *event;
    size_t i;
    json_array_foreach (seen, i, event)
        if (!json_object_get(event, "accepted"))
            count_event(play->events, move, event);
    json_array_clear(seen);
}

// One coordinator's life after a crash: the answer to the move, if it lives to
// give it.
static json_t *live_on(const struct how *how, const char *op,
    const json_t *body, size_t rows_before, bool later)
{
    size_t attempts = 0;
    world_attempts(&attempts);
    world_crash();
    bool began = world_rows() > rows_before;
    world_restart();
    if (how->again)
        world_store_take(how->again);
    if (later)
        world_run(); // the run goes on before its client is back
    json_t *answer = NULL;
    if (how->streams && strcmp(op, "run") == 0)
        answer = world_finish(world_ask_json("ann", "attach", again_of(body)));
    if (how->streams &&
        strcmp(ss_json_str(json_object_get(answer, "error"), "code", ""),
            "not_found") == 0)
        answer = NULL; // nothing of it was stored
    bool same = strcmp(op, "run") == 0 || json_object_get(body, "key");
    if (!answer && !world_store_stopped() && (same || !began))
        answer = world_finish(world_ask_json("ann", op, json_deep_copy(body)));
    world_run();
    if (!strstr(how->options, "exit"))
        check_attempts(attempts, how->where);
    return answer;
}

// Crash and go on: the answer to the move as its client gets it in the end.
static json_t *crash(const struct how *how, const char *op, const json_t *body,
    size_t rows_before)
{
    json_t *answer = NULL;
    int lives = 0;
    do
        answer = live_on(
            how, op, body, rows_before, (how->crash_at + lives) % 2 == 1);
    while (world_store_stopped() && ++lives < LIVES_MAX);
    if (lives == LIVES_MAX) {
        printf("%s", world_told());
        fflush(stdout);
        ck_abort_msg("%s: it comes to nothing", how->where);
    }
    return answer;
}

static json_t *make_move(
    const struct how *how, const char *text, struct play *play)
{
    char move[1024], op[32];
    size_t rows = world_rows();
    fill_in(text, move, sizeof(move));
    snprintf(op, sizeof(op), "%.*s", (int)strcspn(move, " "), move);
    size_t number = json_array_size(play->answers);
    json_t *body = body_of(move, number, how->options);
    if (how->streams && strcmp(op, "run") == 0)
        json_object_set_new(body, "stream", js(STREAM));
    json_t *answer = world_finish(world_ask_json("ann", op, json_incref(body)));
    bool crashed = world_store_stopped();
    if (crashed)
        answer = crash(how, op, body, rows);
    json_decref(body);
    if (!answer && !crashed)
        ck_abort_msg(
            "%s: %s is not answered\n%s", how->where, move, world_told());
    json_array_append_new(
        play->answers, answer ? answer_shape(answer) : json_null());
    count_events(play, number);
    return answer;
}

// Stopped at a breakpoint, or by the limit: there is more to come.
static bool stopped_short(const json_t *answer)
{
    const char *code =
        ss_json_str(json_object_get(answer, "error"), "code", "");
    bool waits =
        strcmp(ss_json_str(answer, "status", ""), "interrupted") == 0 &&
        json_array_size(json_object_get(answer, "interrupts")) == 0;
    return waits || strcmp(code, "recursion_limit") == 0;
}

static struct play play(const struct story *story, const struct how *how)
{
    struct play play = {.answers = json_array(), .events = json_object()};
    world_begin();
    story->setup();
    world_worker("w1", 2);
    if (how->crash_at > 0)
        world_store_take(how->crash_at);
    for (size_t i = 0; i < MOVES_MAX && story->moves[i]; i++) {
        json_t *answer = make_move(how, story->moves[i], &play);
        for (int n = 0; n < 20 && stopped_short(answer); n++)
            answer = make_move(how, GO_ON, &play);
    }
    play.rows = world_rows();
    play.ends = end_shape();
    return play;
}

// ------------------------------------------------------------------ comparing

static void differ(
    const char *where, const char *what, const json_t *is, const json_t *should)
{
    char *left = json_dumps(is, JSON_INDENT(1) | JSON_SORT_KEYS);
    char *right = json_dumps(should, JSON_INDENT(1) | JSON_SORT_KEYS);
    printf("%s: %s differs\n%s\ninstead of\n%s\n%s", where, what, left, right,
        world_told());
    fflush(stdout);
    ss_free(left);
    ss_free(right);
    ck_abort_msg("%s: %s differs", where, what);
}

static void compare(
    const struct play *is, const struct play *should, const char *where)
{
    for (size_t i = 0; i < json_array_size(should->answers); i++) {
        json_t *answer = json_array_get(is->answers, i);
        if (!json_is_null(answer) &&
            !json_equal(answer, json_array_get(should->answers, i)))
            differ(
                where, "an answer", answer, json_array_get(should->answers, i));
    }
    if (!json_equal(is->events, should->events))
        differ(where, "what was seen", is->events, should->events);
    if (!json_equal(is->ends, should->ends))
        differ(where, "the end", is->ends, should->ends);
}

static void free_play(struct play *play)
{
    json_decref(play->answers);
    json_decref(play->events);
    json_decref(play->ends);
}

void crash_and_compare(
    const struct story *story, const char *options, bool streams)
{
    struct how how = {.options = options, .streams = streams};
    snprintf(how.where, sizeof(how.where), "%s %s, undisturbed", story->name,
        options);
    struct play whole = play(story, &how);
    world_end();
    ck_assert_uint_lt(whole.rows, ROWS_MAX);
    ck_assert_uint_ge(whole.rows, 2);
    for (size_t rows = 1; rows <= whole.rows; rows++) {
        how.crash_at = (int64_t)rows;
        snprintf(how.where, sizeof(how.where), "%s %s, crash after row %zu",
            story->name, options, rows);
        struct play again = play(story, &how);
        compare(&again, &whole, how.where);
        free_play(&again);
        world_end();
    }
    free_play(&whole);
}

void crash_all_the_time(
    const struct story *story, const char *options, int64_t rows)
{
    struct how how = {.options = options};
    snprintf(how.where, sizeof(how.where), "%s %s, a crash after each row",
        story->name, options);
    struct play whole = play(story, &how);
    world_end();
    how.crash_at = 1;
    how.again = rows;
    struct play again = play(story, &how);
    compare(&again, &whole, how.where);
    free_play(&again);
    free_play(&whole);
    world_end();
}
