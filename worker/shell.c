// shell.c - the loop: messages and reports in, commands of the session out.
#include "worker/shell.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/app/clock.h"
#include "common/app/log.h"
#include "common/app/signals.h"
#include "common/base/mem.h"
#include "common/model/value.h"
#include "common/wire/message.h"
#include "worker/host.h"
#include "worker/limits.h"
#include "worker/outbox.h"
#include "worker/plugin.h"

enum { NAME_SIZE = 300, HOST_SIZE = 256, VERSION_SHOWN = 8 };

struct shell {
    const struct ss_worker_options *options;
    struct ss_outbox_self self;
    char name[NAME_SIZE];
    char host_name[HOST_SIZE];
    struct ss_application *application;
    struct ss_session *session;
    struct ss_host *host;
    struct ss_link *link;
    struct ss_outbox outbox;
    int signals_fd;
    int64_t wake_at_ms;
    unsigned signals_count;
    bool is_spoilt;
    bool was_ready;
    bool is_over;
    struct ss_error end;
};

// ------------------------------------------------------------------ commands

// "superstep-worker NAME ready: graphs digest@5f0c1e7a, capacity 4"
static void say_ready(struct shell *shell, uint64_t epoch)
{
    if (shell->was_ready) {
        ss_log_say(SS_LOG_INFO, "taken in again, by coordinator epoch %llu",
            (unsigned long long)epoch);
        return;
    }
    shell->was_ready = true;
    struct ss_buf line;
    ss_buf_init(&line, SS_LOG_SIZE_MAX);
    ss_buf_addf(&line, "superstep-worker %s ready: graphs", shell->name);
    size_t count = ss_application_count(shell->application);
    for (size_t i = 0; i < count; i++) {
        const struct ss_root_graph *root =
            ss_application_graph(shell->application, i);
        ss_buf_addf(&line, "%s %s@%.*s", i > 0 ? "," : "", root->name,
            VERSION_SHOWN, root->graph->version);
    }
    ss_buf_addf(&line, ", capacity %u", (unsigned)shell->self.capacity);
    if (shell->options->on_ready) {
        shell->options->on_ready(shell->options->ctx, ss_buf_str(&line));
    } else {
        puts(ss_buf_str(&line));
        fflush(stdout);
    }
    ss_buf_fini(&line);
}

static void leave(struct shell *shell, int status, const char *text)
{
    shell->is_over = true;
    if (status != SS_OK)
        ss_error_set(&shell->end, status, "%s", text);
}

static void perform(
    struct shell *shell, const struct ss_session_command *command)
{
    switch (command->type) {
    case SS_SESSION_START:
        ss_host_start(shell->host, command->order);
        break;
    case SS_SESSION_STOP_BODY:
        ss_host_stop_body(shell->host, command->attempt);
        break;
    case SS_SESSION_READY:
        say_ready(shell, command->epoch);
        break;
    case SS_SESSION_SILENT:
        ss_log_say(SS_LOG_WARNING,
            "nothing heard from the coordinator at %s; asking again",
            shell->options->endpoint);
        break;
    case SS_SESSION_LEAVE:
        leave(shell, command->status, command->text);
        break;
    case SS_SESSION_SEND_HELLO:
    case SS_SESSION_SEND_BEAT:
    case SS_SESSION_SEND_BYE:
    case SS_SESSION_SEND_DONE:
    case SS_SESSION_SEND_LIVE:
    case SS_SESSION_SEND_PING:
        if (ss_outbox_send(&shell->outbox, shell->session, command))
            shell->is_spoilt = true;
        break;
    }
}

static void step(struct shell *shell, struct ss_session_event event)
{
    struct ss_session_commands commands;
    event.now_ms = ss_clock_ms();
    ss_session_step(shell->session, &event, &commands);
    for (size_t i = 0; i < commands.count; i++)
        perform(shell, &commands.items[i]);
    shell->wake_at_ms = commands.wake_at_ms;
}

// ------------------------------------------------------------------ messages

static void take_orders(struct shell *shell, struct ss_message *message)
{
    step(shell, (struct ss_session_event){.type = SS_SESSION_TASKS,
                    .orders = message->orders,
                    .orders_count = message->orders_count});
    message->orders_count = 0; // the session has them
}

static void take_attempts(struct shell *shell, const struct ss_message *message,
    enum ss_session_event_type type)
{
    step(shell, (struct ss_session_event){.type = type,
                    .attempts = message->attempts,
                    .attempts_count = message->attempts_count});
}

static void take_message(struct shell *shell, struct ss_message *message)
{
    switch (message->type) {
    case SS_MESSAGE_WELCOME:
        step(shell, (struct ss_session_event){.type = SS_SESSION_WELCOME,
                        .epoch = message->epoch,
                        .lease_ms = message->lease_ms,
                        .heartbeat_ms = message->heartbeat_ms});
        break;
    case SS_MESSAGE_REFUSED:
        step(shell, (struct ss_session_event){.type = SS_SESSION_REFUSED,
                        .status = message->status,
                        .text = message->text});
        break;
    case SS_MESSAGE_TASKS:
        take_orders(shell, message);
        break;
    case SS_MESSAGE_CANCEL:
        take_attempts(shell, message, SS_SESSION_CANCEL);
        break;
    case SS_MESSAGE_SETTLED:
        take_attempts(shell, message, SS_SESSION_SETTLED);
        break;
    case SS_MESSAGE_PONG:
        step(shell, (struct ss_session_event){
                        .type = SS_SESSION_PONG, .epoch = message->epoch});
        break;
    case SS_MESSAGE_PING:
        ss_outbox_pong(&shell->outbox, message->id);
        break;
    case SS_MESSAGE_MEMBERS:
    case SS_MESSAGE_SEEK:
        break;
    case SS_MESSAGE_NONE:
    case SS_MESSAGE_OFFERS:
    case SS_MESSAGE_HELLO:
    case SS_MESSAGE_BEAT:
    case SS_MESSAGE_BYE:
    case SS_MESSAGE_DONE:
    case SS_MESSAGE_LIVE:
    case SS_MESSAGE_ASK:
    case SS_MESSAGE_HANGUP:
    case SS_MESSAGE_ANSWER:
        ss_log_say(SS_LOG_WARNING, "%s sent %s, which is not for workers",
            shell->options->endpoint, ss_message_name(message->type));
        break;
    }
}

static void take_bytes(struct shell *shell, const void *bytes, size_t size)
{
    struct ss_message *message;
    struct ss_error error;
    int status = ss_message_decode(bytes, size, &message, &error);
    if (status == SS_OK) {
        take_message(shell, message);
        ss_message_destroy(&message);
    } else if (status == SS_EVERSION) {
        leave(shell, status, error.message);
    } else {
        ss_log_say(SS_LOG_WARNING, "a message from %s is ignored: %s",
            shell->options->endpoint, error.message);
    }
}

static void take_messages(struct shell *shell)
{
    char peer[SS_PEER_SIZE];
    void *bytes;
    size_t size;
    struct ss_error error;
    for (int i = 0; i < SS_SHELL_MESSAGES_MAX && !shell->is_over; i++) {
        int status = ss_link_recv(shell->link, peer, &bytes, &size, &error);
        if (status == SS_EAGAIN)
            return;
        if (status != SS_OK) {
            ss_log_say(SS_LOG_WARNING, "%s", error.message);
            continue;
        }
        take_bytes(shell, bytes, size);
        ss_free(bytes);
    }
}

// ------------------------------------------------------------------ reports

static void take_items(
    struct shell *shell, const struct ss_host_reports *reports)
{
    struct ss_session_item *items =
        ss_zalloc(reports->items_count, sizeof(*items));
    for (size_t i = 0; i < reports->items_count; i++)
        items[i] =
            (struct ss_session_item){.attempt = reports->items[i].attempt,
                .kind = reports->items[i].kind,
                .value = reports->items[i].value};
    step(shell, (struct ss_session_event){.type = SS_SESSION_ITEMS,
                    .items = items,
                    .items_count = reports->items_count});
    ss_free(items);
}

static void take_reports(struct shell *shell)
{
    struct ss_host_reports reports;
    if (!ss_host_take(shell->host, &reports))
        return;
    for (size_t i = 0; i < reports.signs_count; i++)
        step(shell, (struct ss_session_event){.type = SS_SESSION_PROGRESS,
                        .attempt = reports.signs[i].attempt,
                        .is_heartbeat = reports.signs[i].is_heartbeat});
    if (reports.items_count > 0)
        take_items(shell, &reports);
    if (reports.outcomes_count > 0)
        step(shell, (struct ss_session_event){.type = SS_SESSION_OUTCOMES,
                        .outcomes = reports.outcomes,
                        .outcomes_count = reports.outcomes_count});
    reports.outcomes_count = 0; // the session has them
    ss_host_reports_fini(&reports);
}

static void take_signals(struct shell *shell)
{
    while (ss_signals_take() != 0) {
        if (shell->signals_count++ == 0)
            step(shell, (struct ss_session_event){.type = SS_SESSION_DRAIN});
        else
            leave(shell, SS_ECANCELLED, "stopped at once, by a signal");
    }
}

static void run(struct shell *shell)
{
    const int fds[] = {shell->signals_fd, ss_host_fd(shell->host)};
    step(shell, (struct ss_session_event){.type = SS_SESSION_TICK});
    while (!shell->is_over) {
        int64_t now_ms = ss_clock_ms();
        int wait_ms = ss_clock_left(shell->wake_at_ms, now_ms);
        ss_link_wait_all(shell->link, fds, 2, shell->is_spoilt ? 0 : wait_ms);
        take_signals(shell);
        take_messages(shell);
        if (!shell->is_over)
            take_reports(shell);
        if (!shell->is_over &&
            (shell->is_spoilt || ss_clock_ms() >= shell->wake_at_ms)) {
            shell->is_spoilt = false;
            step(shell, (struct ss_session_event){.type = SS_SESSION_TICK});
        }
    }
}

// ------------------------------------------------------------------ begin, end

static int load(struct shell *shell, struct ss_error *error)
{
    const struct ss_worker_options *options = shell->options;
    const struct ss_app *app = options->app;
    int status = SS_OK;
    if (!app)
        status = ss_plugin_open(options->app_path, &app, error);
    if (status != SS_OK)
        return status;
    status =
        ss_application_new(app, options->app_arg, &shell->application, error);
    if (status != SS_OK)
        return ss_error_wrap(error, "application %s",
            options->app_path ? options->app_path : "(linked in)");
    if (options->on_loaded)
        options->on_loaded(options->ctx);
    return SS_OK;
}

static void name_self(struct shell *shell)
{
    const char *given = shell->options->name;
    if (gethostname(shell->host_name, sizeof(shell->host_name) - 1) != 0)
        snprintf(shell->host_name, sizeof(shell->host_name), "localhost");
    if (given)
        snprintf(shell->name, sizeof(shell->name), "%s", given);
    else
        snprintf(shell->name, sizeof(shell->name), "%s/%ld", shell->host_name,
            (long)getpid());
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned capacity = shell->options->capacity;
    if (capacity == 0)
        capacity = processors > 0 ? (unsigned)processors : 1;
    if (capacity > SS_CAPACITY_MAX)
        capacity = SS_CAPACITY_MAX;
    shell->self = (struct ss_outbox_self){.name = shell->name,
        .host = shell->host_name,
        .capacity = capacity,
        .application = shell->application};
}

static int open_all(struct shell *shell, struct ss_error *error)
{
    static const int signals[] = {SIGTERM, SIGINT};
    const struct ss_host_options host = {
        .application = shell->application, .threads = shell->self.capacity};
    const struct ss_session_options session = {
        .capacity = shell->self.capacity};
    const struct ss_link_options link = {.endpoint = shell->options->endpoint};
    int status = ss_signals_open(signals, 2, &shell->signals_fd, error);
    if (status == SS_OK)
        status = ss_host_new(&host, &shell->host, error);
    if (status == SS_OK)
        status = ss_link_open(&link, &shell->link, error);
    if (status != SS_OK)
        return status;
    shell->session = ss_session_new(&session);
    ss_outbox_init(&shell->outbox, shell->link, &shell->self);
    return SS_OK;
}

static void close_all(struct shell *shell)
{
    // A body that goes on uses the application until the process ends.
    bool is_joined = ss_host_destroy(&shell->host);
    if (shell->session)
        ss_outbox_fini(&shell->outbox);
    ss_link_close(&shell->link);
    ss_session_destroy(&shell->session);
    ss_signals_close();
    if (is_joined)
        ss_application_destroy(&shell->application);
}

int ss_worker_run(
    const struct ss_worker_options *options, struct ss_error *error)
{
    struct shell shell = {.options = options};
    ss_value_setup();
    int status = load(&shell, error);
    if (status != SS_OK)
        return status;
    name_self(&shell);
    status = open_all(&shell, error);
    if (status == SS_OK) {
        run(&shell);
        status = shell.end.status;
        if (status != SS_OK)
            *error = shell.end;
    }
    close_all(&shell);
    return status;
}
