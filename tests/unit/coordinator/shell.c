// shell.c - a coordinator in this process, and what is said to it.
#include "tests/unit/coordinator/shell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/app/log.h"
#include "common/base/mem.h"
#include "common/wire/limits.h"

#define GRAPH                                                                  \
    "{\"name\":\"g\",\"kind\":\"state\",\"state\":[{\"key\":\"log\","          \
    "\"type\":\"list\",\"reducer\":\"add\"},{\"key\":\"any\","                 \
    "\"type\":\"any\"}],\"nodes\":[{\"name\":\"work\"}],"                      \
    "\"edges\":[[\"__start__\",\"work\"]]}"

struct ss_coordinator *coordinator;
struct ss_link *worker, *client;
struct ss_error failure;
char shell_db[64];
size_t shell_warnings;
int64_t shell_lease_ms;

static void count_warning(void *ctx, const char *line, size_t size)
{
    (void)ctx;
    (void)size;
    shell_warnings += strstr(line, " warning: ") != NULL;
}

struct ss_link *shell_link(void)
{
    struct ss_link_options options = {
        .endpoint = SHELL_LISTEN, .message_size_max = SS_MESSAGE_SIZE_MAX};
    struct ss_link *link = NULL;
    ck_assert_int_eq(ss_link_open(&options, &link, &failure), SS_OK);
    return link;
}

void shell_start(struct ss_store *opened)
{
    char url[80];
    snprintf(url, sizeof(url), "sqlite:%s", shell_db);
    struct ss_coordinator_options options = {.listen = SHELL_LISTEN,
        .store = url,
        .opened = opened,
        .lease_ms = shell_lease_ms};
    int status = ss_coordinator_open(&options, &coordinator, &failure);
    ck_assert_msg(status == SS_OK, "%s", failure.message);
}

void shell_set_up(void)
{
    ss_log_setup(&(struct ss_log_options){.program = "shell_test",
        .level = SS_LOG_WARNING,
        .sink = count_warning});
    snprintf(shell_db, sizeof(shell_db), "/tmp/ss-shell-test-%ld.db",
        (long)getpid());
    shell_warnings = 0;
    shell_lease_ms = 0;
    shell_start(NULL);
    worker = shell_link();
    client = shell_link();
}

void shell_tear_down(void)
{
    static const char *const tails[] = {"", "-wal", "-shm", "-lock"};
    char path[80];
    ss_link_close(&worker);
    ss_link_close(&client);
    ss_coordinator_close(&coordinator);
    for (size_t i = 0; i < sizeof(tails) / sizeof(*tails); i++) {
        snprintf(path, sizeof(path), "%s%s", shell_db, tails[i]);
        unlink(path);
    }
}

void shell_step(void)
{
    int status = ss_coordinator_step(coordinator, -1, SHELL_STEP_MS, &failure);
    ck_assert_msg(status == SS_OK, "%s", failure.message);
}

// ------------------------------------------------ messages

void say(struct ss_link *link, struct ss_message *message)
{
    struct ss_buf buf;
    ss_buf_init(&buf, SS_MESSAGE_SIZE_MAX);
    int status = ss_message_encode(message, &buf, &failure);
    ck_assert_msg(status == SS_OK, "%s", failure.message);
    ck_assert_int_eq(
        ss_link_send(link, NULL, buf.data, buf.size, &failure), SS_OK);
    ss_buf_fini(&buf);
    ss_message_destroy(&message);
}

struct ss_message *heard(struct ss_link *link)
{
    void *bytes = NULL;
    size_t size = 0;
    struct ss_message *message = NULL;
    if (ss_link_recv(link, NULL, &bytes, &size, &failure) != SS_OK)
        return NULL;
    int status = ss_message_decode(bytes, size, &message, &failure);
    ck_assert_msg(status == SS_OK, "%s", failure.message);
    ss_free(bytes);
    return message;
}

struct ss_message *hear(struct ss_link *link, enum ss_message_type type)
{
    struct ss_message *message = heard(link);
    for (int i = 0; !message && i < SHELL_STEPS_MAX; i++) {
        shell_step();
        message = heard(link);
    }
    ck_assert_msg(message != NULL, "no %s came", ss_message_name(type));
    ck_assert_msg(message->type == type, "%s came in place of %s: %s",
        ss_message_name(message->type), ss_message_name(type),
        message->refused.text ? message->refused.text : "");
    return message;
}

void hear_and_forget(struct ss_link *link, enum ss_message_type type)
{
    struct ss_message *message = hear(link, type);
    ss_message_destroy(&message);
}

struct ss_message *hello_of(const char *name, uint32_t capacity)
{
    struct ss_message *hello = ss_message_new(SS_MESSAGE_HELLO);
    hello->hello.name = ss_strdup(name);
    hello->capacity = capacity;
    hello->hello.graphs_count = 1;
    hello->hello.graphs = ss_zalloc(1, sizeof(*hello->hello.graphs));
    hello->hello.graphs[0] = ss_value_from_text(GRAPH, strlen(GRAPH));
    return hello;
}

void say_hello(struct ss_link *link, const char *name, uint32_t capacity)
{
    say(link, hello_of(name, capacity));
}

void join(struct ss_link *link, const char *name, uint32_t capacity)
{
    say_hello(link, name, capacity);
    hear_and_forget(link, SS_MESSAGE_WELCOME);
}

void ask(uint64_t id, const char *op, const char *body)
{
    struct ss_message *message = ss_message_new(SS_MESSAGE_ASK);
    message->id = id;
    message->op = ss_strdup(op);
    if (body)
        message->body = ss_value_from_text(body, strlen(body));
    say(client, message);
}

void say_wrote(struct ss_link *link, const struct ss_assignment *order,
    const char *channel, struct ss_value *value)
{
    struct ss_message *done = ss_message_new(SS_MESSAGE_DONE);
    done->outcomes_count = 1;
    done->outcomes = ss_zalloc(1, sizeof(*done->outcomes));
    done->outcomes[0] = ss_outcome_new();
    done->outcomes[0]->attempt = order->attempt;
    memcpy(done->outcomes[0]->task_id, order->task_id, SS_UUID_SIZE);
    ss_writes_add(&done->outcomes[0]->writes, channel, value);
    say(link, done);
}

void say_done(struct ss_link *link, const struct ss_assignment *order)
{
    say_wrote(link, order, "log", ss_value_from_text("[\"worked\"]", 10));
}
