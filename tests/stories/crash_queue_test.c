// A crash after every row and every record of runs that queue up: three clients
// ask for runs on one thread, the store stops, another coordinator begins; each
// client does as the client library does (asks again until it is accepted, then
// attaches). All must end as they did undisturbed.
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/value.h"
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"

enum { CLIENTS = 3, LIVES_MAX = 200 };

static const char *const names[CLIENTS] = {"ann", "bob", "cyd"};

struct queue_story {
    const char *name;
    const char *more[CLIENTS]; // options of each one's run
    const char *cancels;       // bob's run, when all were asked for; or NULL
};

struct client {
    uint64_t id;
    bool asked, accepted;
    char *end; // how it ended, once told
};

static struct client clients[CLIENTS];

// ------------------------------------------------------------------ clients

// Who asks last has the first name: names are the order in which runs are
// found.
static json_t *body_of(const struct queue_story *story, int who)
{
    char text[256];
    snprintf(text, sizeof(text),
        "{'thread': 't', 'graph': 'g', 'run': 'run-%d',"
        " 'input': {'x': ['%d']}%s}",
        CLIENTS - 1 - who, who, story->more[who]);
    return js(text);
}

static void look(int who)
{
    struct client *client = &clients[who];
    json_t *seen = world_seen(names[who]), *event;
    size_t i;
    json_array_foreach (seen, i, event)
        client->accepted =
            client->accepted || json_object_get(event, "accepted");
    json_t *answer = client->asked ? world_answer(client->id) : NULL;
    if (!answer || client->end)
        return;
    json_t *error = json_object_get(answer, "error");
    // of one that was taken back nobody knows after a crash
    if (strcmp(ss_json_str(error, "code", ""), "not_found") == 0)
        client->end = ss_strdup("cancelled cancelled");
    else
        client->end = ss_format("%s %s", ss_json_str(answer, "status", "-"),
            ss_json_str(error, "code", "-"));
}

static void ask(const struct queue_story *story, int who)
{
    struct client *client = &clients[who];
    if (client->end)
        return;
    json_t *body = body_of(story, who);
    if (client->accepted) {
        json_t *run = json_incref(json_object_get(body, "run"));
        json_decref(body);
        client->id = world_ask_json(
            names[who], "attach", json_pack("{s:o}", "run", run));
    } else {
        client->id = world_ask_json(names[who], "run", body);
    }
    client->asked = true;
    world_run();
}

// ------------------------------------------------------------------ a play

// All that clients want, from wherever they are; b's results wait until all is
// asked for.
static void one_life(const struct queue_story *story)
{
    world_hold("b");
    for (int who = 0; who < CLIENTS; who++)
        ask(story, who);
    if (story->cancels && !world_store_stopped())
        world_finish(world_ask("dan", "cancel", story->cancels));
    world_let("b");
    for (int who = 0; who < CLIENTS; who++)
        if (!clients[who].end)
            world_finish(clients[who].id);
}

// What is left in the end, as text. Gives.
static char *ending(void)
{
    json_t *runs =
               json_object_get(world_get("runs", "{'thread': 't'}"), "runs"),
           *run;
    json_t *all = json_object();
    size_t i;
    json_array_foreach (runs, i, run)
        json_object_set(
            all, ss_json_str(run, "run", "?"), json_object_get(run, "status"));
    char *statuses = ss_json_canonical(all), *x = ss_json_canonical(x_of("t"));
    char *text = ss_format("%s %s, %s, %s, %s", x, statuses,
        clients[0].end ? clients[0].end : "?",
        clients[1].end ? clients[1].end : "?",
        clients[2].end ? clients[2].end : "?");
    json_decref(all);
    ss_free(statuses);
    ss_free(x);
    return text;
}

static void look_all(void)
{
    for (int who = 0; who < CLIENTS; who++)
        look(who);
}

// Gives how it ended.
static char *play(const struct queue_story *story, int64_t crash_at,
    int64_t again, size_t *ret_taken)
{
    int lives = 0;
    memset(clients, 0, sizeof(clients));
    world_begin();
    world_graph(chart("g", "start>a a>b b>end", NULL));
    world_worker("w1", 4);
    if (crash_at)
        world_store_take(crash_at);
    one_life(story);
    look_all();
    while (world_store_stopped() && ++lives < LIVES_MAX) {
        world_crash();
        // So many crashes without a row would park the run under way.
        world_restart_after(!again);
        if (again)
            world_store_take(again);
        one_life(story);
        look_all();
    }
    if (lives == LIVES_MAX)
        ck_abort_msg("%s: it comes to nothing\n%s", story->name, world_told());
    char *end = ending();
    if (ret_taken)
        *ret_taken = world_taken();
    return end;
}

static void finish_play(char *end)
{
    for (int who = 0; who < CLIENTS; who++)
        ss_free(clients[who].end);
    ss_free(end);
    world_end();
}

static void check(const struct queue_story *story, const char *whole,
    int64_t crash_at, int64_t again)
{
    char *end = play(story, crash_at, again, NULL);
    if (strcmp(end, whole) != 0) {
        printf("%s", world_told());
        fflush(stdout);
        ck_abort_msg("%s, crash after %d, then after each %d:\n%s\nnot\n%s",
            story->name, (int)crash_at, (int)again, end, whole);
    }
    finish_play(end);
}

// ------------------------------------------------------------------ stories

#define EXIT ", 'durability': 'exit'"

static const struct queue_story stories[] = {
    {"in a line", {"", ", 'if_busy': 'enqueue'", ", 'if_busy': 'enqueue'"},
        NULL},
    {"one leaves the line",
        {"", ", 'if_busy': 'enqueue'", ", 'if_busy': 'enqueue'"},
        "{'run': 'run-1'}"},
    {"the one under way is cancelled",
        {"", ", 'if_busy': 'enqueue'", ", 'if_busy': 'enqueue'"},
        "{'run': 'run-2'}"},
    {"the one under way is taken back",
        {"", ", 'if_busy': 'enqueue'", ", 'if_busy': 'enqueue'"},
        "{'run': 'run-2', 'action': 'rollback'}"},
    {"one that waits is taken back",
        {"", ", 'if_busy': 'enqueue'", ", 'if_busy': 'enqueue'"},
        "{'run': 'run-0', 'action': 'rollback'}"},
    {"one makes way",
        {"", ", 'if_busy': 'enqueue'", ", 'if_busy': 'interrupt'"}, NULL},
    {"all are taken back",
        {"", ", 'if_busy': 'enqueue'", ", 'if_busy': 'rollback'"}, NULL},
    {"in a line, stored at the end",
        {EXIT, EXIT ", 'if_busy': 'enqueue'", EXIT ", 'if_busy': 'enqueue'"},
        NULL},
    {"one leaves the line, stored at the end",
        {EXIT, EXIT ", 'if_busy': 'enqueue'", EXIT ", 'if_busy': 'enqueue'"},
        "{'run': 'run-1'}"},
};

START_TEST(runs_that_queue_up_end_as_if_nothing_had_happened)
{
    world_end(); // each play is a world of its own
    for (size_t i = 0; i < sizeof(stories) / sizeof(*stories); i++) {
        size_t taken = 0;
        char *whole = play(&stories[i], 0, 0, &taken);
        char *kept = ss_strdup(whole);
        finish_play(whole);
        for (size_t at = 1; at <= taken; at++)
            for (int64_t again = 0; again < 4; again++)
                check(&stories[i], kept, (int64_t)at, again);
        ss_free(kept);
    }
    world_begin();
}
END_TEST

SUITE("crash_queue", runs_that_queue_up_end_as_if_nothing_had_happened)
