// app.c - the torment's application: sends of which one fails first, a graph
// inside that asks, three rounds, counters and lists with reducers. Each body's
// first deed is a line in the file that the argument names: who, when, and when
// its thread had last looked at the clock that says whether it may begin.
//
//   plan -> work x 3 (sent) -> gather -> inner: ask -> told -> turn -> plan ...
#include <superstep/superstep.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 3, SENDS = 3, TOIL = 3000000 };

static char file[512];

// Of what is preloaded (look.c); absent: nobody notes it.
extern long long torment_looked_us(void) __attribute__((weak));

static long long us_of(const struct timespec *at)
{
    return (long long)at->tv_sec * 1000000 + at->tv_nsec / 1000;
}

// ------------------------------------------------------------------ effects

// thread task node attempt process wall boot look
static void say(struct ss_task *task)
{
    struct timespec boot, wall;
    long long look_us = torment_looked_us ? torment_looked_us() : 0;
    clock_gettime(CLOCK_BOOTTIME, &boot);
    clock_gettime(CLOCK_REALTIME, &wall);
    char line[512];
    int size = snprintf(line, sizeof(line), "%s %s %s %u %ld %lld %lld %lld\n",
        ss_thread_id(task), ss_task_id(task), ss_node_name(task),
        ss_attempt_number(task), (long)getpid(), us_of(&wall), us_of(&boot),
        look_us);
    int fd = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0 || write(fd, line, (size_t)size) != size)
        abort();
    close(fd);
    if (torment_looked_us)
        torment_looked_us(); // ours just now were no looks
}

// What it did goes into a list, with a mark that finds its row again.
static int add(
    struct ss_task *task, const char *const keys[3], json_t *what, int count)
{
    return ss_update(
        task, json_pack("{s:[o], s:i, s:[o]}", keys[0], what, keys[1], count,
                  keys[2], json_sprintf("done:%s", ss_task_id(task))));
}

static int done(struct ss_task *task, json_t *what, int count)
{
    static const char *const keys[] = {"log", "count", "marks"};
    return add(task, keys, what, count);
}

static int done_inside(struct ss_task *task, json_t *what, int count)
{
    static const char *const keys[] = {"said", "said_count", "said_marks"};
    return add(task, keys, what, count);
}

static int plan(struct ss_task *task)
{
    int round = (int)ss_input_int(task, "round");
    say(task);
    for (int i = 0; i < SENDS; i++)
        ss_send_to(task, "work", json_pack("{s:i, s:i}", "i", i, "r", round));
    return done(task, json_sprintf("plan%d", round), 0);
}

// Some milliseconds, so that a body is met in its middle, too.
static void toil(void)
{
    for (volatile unsigned i = 0; i < TOIL; i++)
        continue;
}

static int work(struct ss_task *task)
{
    int i = (int)ss_input_int(task, "i");
    say(task);
    if (i == SENDS - 1 && ss_attempt_number(task) == 1)
        return ss_fail(task, "flaky", "the first try of each third one");
    toil();
    return done(task,
        json_sprintf("work%d.%d", (int)ss_input_int(task, "r"), i), i + 1);
}

static int gather(struct ss_task *task)
{
    say(task);
    return done(
        task, json_sprintf("gather%d", (int)ss_input_int(task, "round")), 10);
}

static int ask(struct ss_task *task)
{
    json_t *answer = NULL;
    say(task);
    int status = ss_interrupt(task,
        json_sprintf("round %d?", (int)ss_input_int(task, "round")), &answer);
    if (status != 0)
        return status;
    return done_inside(task, json_incref(answer), 100);
}

static int told(struct ss_task *task)
{
    say(task);
    return done_inside(
        task, json_sprintf("told%d", (int)ss_input_int(task, "round")), 1000);
}

static int turn(struct ss_task *task)
{
    int round = (int)ss_input_int(task, "round");
    say(task);
    ss_update(task, json_pack("{s:i}", "round", round + 1));
    return done(task, json_sprintf("turn%d", round), 10000);
}

static int again(struct ss_route *route)
{
    int round =
        (int)json_integer_value(json_object_get(ss_state(route), "round"));
    return ss_route_to(route, round < ROUNDS ? "plan" : SS_END);
}

// ------------------------------------------------------------------ graphs

static void define_inner(struct ss_graph_def *graph, void *ctx)
{
    (void)ctx;
    ss_key(graph, "round", SS_INT);
    ss_key(graph, "said", SS_LIST, .reducer = SS_ADD);
    ss_key(graph, "said_marks", SS_LIST, .reducer = SS_ADD);
    ss_key(graph, "said_count", SS_INT, .reducer = SS_ADD);
    ss_node(graph, "ask", ask);
    ss_node(graph, "told", told);
    ss_edge(graph, SS_START, "ask");
    ss_edge(graph, "ask", "told");
}

static void define(struct ss_graph_def *graph, void *ctx)
{
    (void)ctx;
    ss_key(graph, "round", SS_INT);
    ss_key(graph, "log", SS_LIST, .reducer = SS_ADD);
    ss_key(graph, "marks", SS_LIST, .reducer = SS_ADD);
    ss_key(graph, "count", SS_INT, .reducer = SS_ADD);
    // The graph inside adds to what it is given, and gives back the whole.
    ss_key(graph, "said", SS_LIST);
    ss_key(graph, "said_marks", SS_LIST);
    ss_key(graph, "said_count", SS_INT);
    ss_node(graph, "plan", plan);
    ss_node(graph, "work", work, .retry.attempts_max = 3,
        .retry.initial_interval_ms = 20);
    ss_node(graph, "gather", gather);
    ss_subgraph(graph, "asking", define_inner, NULL);
    ss_node(graph, "inner", NULL, .subgraph = "asking");
    ss_node(graph, "turn", turn);
    ss_edge(graph, SS_START, "plan");
    ss_edge(graph, "work", "gather");
    ss_edge(graph, "gather", "inner");
    ss_edge(graph, "inner", "turn");
    ss_branch(graph, "turn", again, .map = "[\"plan\", \"__end__\"]");
}

static int build(struct ss_app_builder *app, const char *arg)
{
    if (!arg || strlen(arg) >= sizeof(file))
        return ss_app_error(app, "the argument is a file");
    snprintf(file, sizeof(file), "%s", arg);
    return ss_app_graph(app, "torment", define, NULL);
}

SS_APP_BUILD("1", build)
