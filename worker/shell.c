// shell.c - the loop: messages and reports in, commands of the session out.
#include "worker/shell.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/app/clock.h"
#include "common/app/last_words.h"
#include "common/app/limits.h"
#include "common/app/log.h"
#include "common/app/metrics_server.h"
#include "common/app/notify.h"
#include "common/app/settings.h"
#include "common/app/signals.h"
#include "common/app/stop.h"
#include "common/base/mem.h"
#include "common/model/value.h"
#include "common/wire/limits.h"
#include "common/wire/message.h"
#include "worker/host.h"
#include "worker/limits.h"
#include "worker/lines.h"
#include "worker/plugin.h"
#include "worker/session/limits.h"

enum { NAME_SIZE = 300, HOST_SIZE = 256, VERSION_SHOWN = 8 };

struct shell {
    struct ss_metrics_server *metrics; // NULL: none
    const struct ss_worker_options *options;
    struct ss_outbox_self self;
    json_t *settings; // as coordinators are told; or NULL
    char name[NAME_SIZE];
    char host_name[HOST_SIZE];
    struct ss_application *application;
    struct ss_session *session;
    struct ss_host *host;
    struct ss_lead *lead;
    struct ss_lines lines;
    const char **endpoints; // in `list`
    size_t endpoints_count;
    char *list;
    int signals_fd;
    int64_t wake_at_ms;
    int64_t measure_at_ms;
    unsigned signals_count;
    bool is_spoilt;
    bool was_ready;
    bool was_sent_away;
    bool is_over;
    struct ss_error end;
};

// ------------------------------------------------------------------ commands

// "superstep-worker NAME ready: graphs digest@5f0c1e7a, capacity 4"
static void say_ready(struct shell *shell, uint64_t epoch)
{
    if (shell->was_ready) {
        ss_log_say(SS_LOG_INFO, "taken in, by coordinator epoch %llu",
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

// One that the operator named must be an endpoint.
static void open_line(
    struct shell *shell, const struct ss_session_command *command)
{
    struct ss_error error;
    int status = ss_lines_open(
        &shell->lines, command->link, command->endpoint, &shell->self, &error);
    if (status == SS_OK)
        return;
    if (command->link < shell->endpoints_count)
        leave(shell, status, error.message);
    else
        ss_log_say(SS_LOG_WARNING, "a coordinator that others announced: %s",
            error.message);
}

static void send(struct shell *shell, const struct ss_session_command *command)
{
    struct ss_line *line = ss_lines_find(&shell->lines, command->link);
    if (line && ss_outbox_send(&line->outbox, shell->session, command))
        shell->is_spoilt = true;
}

static void say_silent(
    const struct shell *shell, const struct ss_session_command *command)
{
    const struct ss_line *line = ss_lines_find(&shell->lines, command->link);
    const char *trouble =
        line && line->link ? ss_link_trouble(line->link) : NULL;
    ss_log_say(SS_LOG_WARNING,
        "nothing heard from the coordinator at %s; asking again%s%s",
        command->endpoint, trouble ? ": " : "", trouble ? trouble : "");
}

static void perform(
    struct shell *shell, const struct ss_session_command *command)
{
    switch (command->type) {
    case SS_SESSION_CONNECT:
        open_line(shell, command);
        break;
    case SS_SESSION_DISCONNECT:
        ss_lines_close(&shell->lines, command->link);
        break;
    case SS_SESSION_START:
        ss_host_start(shell->host, command->order, command->begin_by_ms);
        break;
    case SS_SESSION_STOP_BODY:
        ss_host_stop_body(shell->host, command->attempt);
        break;
    case SS_SESSION_READY:
        say_ready(shell, command->epoch);
        break;
    case SS_SESSION_SILENT:
        say_silent(shell, command);
        break;
    case SS_SESSION_REFUSED_YET:
        ss_log_say(SS_LOG_WARNING,
            "the coordinator at %s refuses us: %s. It is asked again for %d s",
            command->endpoint, command->text, SS_SESSION_REFUSED_MS / 1000);
        break;
    case SS_SESSION_AWAY:
        ss_log_say(SS_LOG_WARNING, "the coordinator at %s refuses us: %s",
            command->endpoint, command->text);
        break;
    case SS_SESSION_STUCK:
        ss_log_say(SS_LOG_WARNING,
            "no thread is left: %u of %u run bodies that did not end in time, "
            "and go on. Nothing is taken until one ends; start this worker "
            "again, and let such a body look at ss_cancelled()",
            (unsigned)command->capacity, (unsigned)command->capacity);
        break;
    case SS_SESSION_LEAVE:
        leave(shell, command->status, command->text);
        break;
    case SS_SESSION_SEND_HELLO:
    case SS_SESSION_SEND_BEAT:
    case SS_SESSION_SEND_BYE:
    case SS_SESSION_SEND_DONE:
    case SS_SESSION_SEND_LIVE:
    case SS_SESSION_SEND_LACKS:
    case SS_SESSION_SEND_OFFERS:
    case SS_SESSION_SEND_PING:
        send(shell, command);
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
    if (ss_host_go(shell->host, ss_lead_may_run(shell->lead)))
        ss_stop_at(SS_STOP_WORKER_STARTED);
    shell->wake_at_ms = commands.wake_at_ms;
}

// ------------------------------------------------------------------ messages

static void take_orders(
    struct shell *shell, const struct ss_line *line, struct ss_message *message)
{
    ss_stop_at(SS_STOP_WORKER_ORDERED);
    step(shell, (struct ss_session_event){.type = SS_SESSION_TASKS,
                    .link = line->number,
                    .orders = message->orders,
                    .orders_count = message->orders_count});
    message->orders_count = 0; // the session has them
}

// Messages whose lists are only names of attempts and of members.
static void take_word(struct shell *shell, const struct ss_line *line,
    const struct ss_message *message, enum ss_session_event_type type)
{
    step(shell, (struct ss_session_event){.type = type,
                    .link = line->number,
                    .epoch = message->epoch,
                    .lease_ms = message->welcome.lease_ms,
                    .heartbeat_ms = message->welcome.heartbeat_ms,
                    .begin_ms = message->welcome.begin_ms,
                    .sent = message->sent,
                    .status = message->refused.status,
                    .text = message->refused.text,
                    .attempts = message->attempts,
                    .attempts_count = message->attempts_count,
                    .members = message->members,
                    .members_count = message->members_count,
                    .shards = message->shards,
                    .shards_count = message->shards_count,
                    .adoptions = message->adoptions,
                    .adoptions_count = message->adoptions_count});
}

// The operator tells us to leave, by way of a coordinator, which repeats it.
static void take_drain(struct shell *shell, const struct ss_line *line)
{
    if (!shell->was_sent_away)
        ss_log_say(SS_LOG_INFO,
            "the coordinator at %s tells us to leave: what runs is finished "
            "first",
            line->endpoint);
    shell->was_sent_away = true;
    step(shell, (struct ss_session_event){.type = SS_SESSION_DRAIN});
}

static void take_message(
    struct shell *shell, struct ss_line *line, struct ss_message *message)
{
    switch (message->type) {
    case SS_MESSAGE_WELCOME:
        take_word(shell, line, message, SS_SESSION_WELCOME);
        break;
    case SS_MESSAGE_REFUSED:
        take_word(shell, line, message, SS_SESSION_REFUSED);
        break;
    case SS_MESSAGE_TASKS:
        take_orders(shell, line, message);
        break;
    case SS_MESSAGE_CANCEL:
        take_word(shell, line, message, SS_SESSION_CANCEL);
        break;
    case SS_MESSAGE_SETTLED:
        ss_stop_at(SS_STOP_WORKER_SETTLED);
        take_word(shell, line, message, SS_SESSION_SETTLED);
        break;
    case SS_MESSAGE_HEARD:
        take_word(shell, line, message, SS_SESSION_HEARD);
        break;
    case SS_MESSAGE_PONG:
        take_word(shell, line, message, SS_SESSION_PONG);
        break;
    case SS_MESSAGE_MEMBERS:
        take_word(shell, line, message, SS_SESSION_MEMBERS);
        break;
    case SS_MESSAGE_PING:
        ss_outbox_pong(&line->outbox, message->id);
        break;
    case SS_MESSAGE_SEEK:
        take_word(shell, line, message, SS_SESSION_SEEK);
        break;
    case SS_MESSAGE_ADOPT:
        take_word(shell, line, message, SS_SESSION_ADOPT);
        break;
    case SS_MESSAGE_DRAIN:
        take_drain(shell, line);
        break;
    case SS_MESSAGE_NONE:
    case SS_MESSAGE_OFFERS:
    case SS_MESSAGE_LACKS:
    case SS_MESSAGE_HELLO:
    case SS_MESSAGE_BEAT:
    case SS_MESSAGE_BYE:
    case SS_MESSAGE_DONE:
    case SS_MESSAGE_LIVE:
    case SS_MESSAGE_ASK:
    case SS_MESSAGE_HANGUP:
    case SS_MESSAGE_ANSWER:
        ss_log_say(SS_LOG_WARNING, "%s sent %s, which is not for workers",
            line->endpoint, ss_message_name(message->type));
        break;
    }
}

static void take_bytes(
    struct shell *shell, struct ss_line *line, const void *bytes, size_t size)
{
    struct ss_message *message;
    struct ss_error error;
    int status = ss_message_decode(bytes, size, &message, &error);
    if (status == SS_OK) {
        take_message(shell, line, message);
        ss_message_destroy(&message);
    } else if (status == SS_EVERSION) {
        step(shell, (struct ss_session_event){.type = SS_SESSION_REFUSED,
                        .link = line->number,
                        .status = status,
                        .text = error.message});
    } else {
        ss_log_say(SS_LOG_WARNING, "a message from %s is ignored: %s",
            line->endpoint, error.message);
    }
}

static void take_from(struct shell *shell, struct ss_line *line)
{
    char peer[SS_PEER_SIZE];
    void *bytes;
    size_t size;
    struct ss_error error;
    for (int i = 0; i < SS_SHELL_MESSAGES_MAX && !shell->is_over; i++) {
        if (!line->link || line->is_closed)
            return;
        int status = ss_link_recv(line->link, peer, &bytes, &size, &error);
        if (status == SS_EAGAIN)
            return;
        if (status != SS_OK) {
            ss_log_say(SS_LOG_WARNING, "%s", error.message);
            continue;
        }
        take_bytes(shell, line, bytes, size);
        ss_free(bytes);
    }
}

// A message may open or close lines: new lines are read in the next turn.
static void take_messages(struct shell *shell)
{
    size_t count = shell->lines.count;
    for (size_t i = 0; i < count; i++)
        take_from(shell, shell->lines.items[i]);
    ss_lines_sweep(&shell->lines);
}

// Who answers on a new connection may be another process than before.
static void take_connections(struct shell *shell)
{
    for (size_t i = 0; i < shell->lines.count; i++) {
        const struct ss_line *line = shell->lines.items[i];
        if (line->link && !line->is_closed && ss_link_is_new(line->link))
            step(shell, (struct ss_session_event){.type = SS_SESSION_CONNECTED,
                            .link = line->number});
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
    if (reports.outcomes_count > 0)
        ss_stop_at(SS_STOP_WORKER_ENDED);
    ss_metric_add(SS_METRIC_BODIES_ENDED, (int64_t)reports.outcomes_count);
    for (size_t i = 0; i < reports.outcomes_count; i++)
        ss_metric_add(SS_METRIC_BODIES_FAILED,
            reports.outcomes[i]->kind == SS_OUTCOME_FAILED);
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
    if (reports.unbegun_count > 0)
        ss_log_say(SS_LOG_INFO,
            "%zu orders came to a thread too late to begin: asking whether "
            "they are still ours",
            reports.unbegun_count);
    if (reports.unbegun_count > 0)
        step(shell, (struct ss_session_event){.type = SS_SESSION_UNBEGUN,
                        .orders = reports.unbegun,
                        .orders_count = reports.unbegun_count});
    reports.unbegun_count = 0;
    ss_host_reports_fini(&reports);
}

// Else a log ends without a word, and nobody knows whether it was killed.
static void say_that_it_leaves(const struct shell *shell)
{
    size_t busy = ss_session_load(shell->session).busy;
    if (busy > 0)
        ss_log_say(SS_LOG_INFO,
            "stopping, by a signal: %zu %s first; a second signal stops it at "
            "once",
            busy, busy == 1 ? "task is finished" : "tasks are finished");
    else
        ss_log_say(SS_LOG_INFO, "stopping, by a signal");
}

static void take_signals(struct shell *shell)
{
    while (ss_signals_take() != 0) {
        if (shell->signals_count++ == 0) {
            say_that_it_leaves(shell);
            step(shell, (struct ss_session_event){.type = SS_SESSION_DRAIN});
        } else
            leave(shell, SS_ECANCELLED, "stopped at once, by a signal");
    }
}

// Gives the time when it has to be done again, at the latest.
static int64_t measure(const struct shell *shell)
{
    if (!shell->metrics && !ss_notify_is_on())
        return INT64_MAX;
    struct ss_session_load load = ss_session_load(shell->session);
    ss_metric_set(SS_METRIC_BODIES_RUNNING, (int64_t)load.busy);
    ss_metric_set(SS_METRIC_COORDINATORS, (int64_t)load.coordinators);
    const char *why = load.drains ? "it leaves: what runs is finished first"
                      : load.coordinators > 0
                          ? NULL
                          : "no coordinator has taken it in";
    ss_health_set(why);
    if (load.drains)
        ss_notify_stopping();
    return ss_notify_turn(ss_clock_ms(), why);
}

// At most so long nobody has to look at anything.
static int time_left(struct shell *shell)
{
    int64_t now_ms = ss_clock_ms();
    int64_t wake_ms = ss_host_watch(shell->host, now_ms);
    if (shell->wake_at_ms < wake_ms)
        wake_ms = shell->wake_at_ms;
    if (shell->measure_at_ms < wake_ms)
        wake_ms = shell->measure_at_ms;
    bool is_due = shell->is_spoilt || ss_host_has_own(shell->host);
    return is_due ? 0 : ss_clock_left(wake_ms, now_ms);
}

static void take_what_is_there(struct shell *shell, bool is_new)
{
    take_signals(shell);
    take_messages(shell);
    if (is_new && !shell->is_over)
        take_connections(shell);
    if (!shell->is_over)
        take_reports(shell);
    if (!shell->is_over &&
        (shell->is_spoilt || ss_clock_ms() >= shell->wake_at_ms)) {
        shell->is_spoilt = false;
        step(shell, (struct ss_session_event){.type = SS_SESSION_TICK});
    }
}

// A turn of the loop, in the thread that has it. Where it is lost in a body,
// another one has `shell` by then.
static enum ss_lead_turn take_turn(void *ctx)
{
    struct shell *shell = ctx;
    const int fds[] = {shell->signals_fd, ss_host_fd(shell->host)};
    int wait_ms = time_left(shell);
    ss_live_set(0);
    bool is_new = ss_lines_wait(&shell->lines, fds, 2, wait_ms);
    ss_live_set(ss_clock_ms());
    take_what_is_there(shell, is_new);
    if (!shell->is_over && ss_host_has_own(shell->host)) {
        if (!ss_host_run_own(shell->host, shell->lead))
            return SS_LEAD_LOST;
        take_reports(shell);
    }
    shell->measure_at_ms = measure(shell);
    return shell->is_over ? SS_LEAD_OVER : SS_LEAD_ON;
}

static void run(struct shell *shell)
{
    step(shell, (struct ss_session_event){.type = SS_SESSION_TICK});
    if (!shell->is_over)
        ss_lead_run(shell->lead, take_turn, shell);
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
    ss_last_words_begin();
    if (options->on_loaded)
        options->on_loaded(options->ctx);
    return SS_OK;
}

// Note the final values of settings. Settings that are too long for a message
// are left out; labels may be.
static void note_settings(struct shell *shell)
{
    shell->settings = json_deep_copy(shell->options->settings);
    if (!shell->settings)
        return;
    ss_settings_note(shell->settings, "name", json_string(shell->name));
    ss_settings_note(shell->settings, "capacity",
        json_integer((json_int_t)shell->self.capacity));
    if (json_dumpb(shell->settings, NULL, 0, JSON_COMPACT) <=
        SS_WIRE_SETTINGS_SIZE_MAX)
        shell->self.settings = shell->settings;
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
        .labels = shell->options->labels,
        .labels_count = shell->options->labels_count,
        .application = shell->application};
    note_settings(shell);
}

// "tcp://a:7433,tcp://b:7433", each once.
static int split_endpoints(struct shell *shell, struct ss_error *error)
{
    SS_VEC(const char *) found = {0};
    shell->list = ss_strdup(shell->options->endpoint);
    char *rest = NULL;
    for (char *word = strtok_r(shell->list, ", ", &rest); word;
         word = strtok_r(NULL, ", ", &rest)) {
        bool is_new = true;
        for (size_t i = 0; i < found.count; i++)
            is_new = is_new && strcmp(found.items[i], word) != 0;
        if (is_new)
            SS_VEC_PUSH(&found, word);
    }
    shell->endpoints = found.items;
    shell->endpoints_count = found.count;
    if (found.count > 0 && found.count <= SS_SESSION_CONTACTS_MAX)
        return SS_OK;
    return ss_error_set(error, SS_EINVAL,
        "%zu coordinators to connect to; name 1 to %d, with commas between",
        found.count, SS_SESSION_CONTACTS_MAX);
}

static int open_all(struct shell *shell, struct ss_error *error)
{
    static const int signals[] = {SIGTERM, SIGINT};
    const struct ss_host_options host = {
        .application = shell->application, .threads = shell->self.capacity};
    shell->lines.keys = shell->options->keys;
    int status = split_endpoints(shell, error);
    if (status == SS_OK)
        status = ss_signals_open(signals, 2, &shell->signals_fd, error);
    if (status == SS_OK)
        status = ss_host_new(&host, &shell->host, error);
    shell->lead = ss_lead_new();
    ss_metric_set(SS_METRIC_BODIES_CAPACITY, shell->self.capacity);
    if (status == SS_OK && shell->options->metrics && *shell->options->metrics)
        status = ss_metrics_serve(shell->options->metrics, SS_METRIC_OF_WORKER,
            "superstep-worker", &shell->metrics, error);
    if (shell->metrics)
        ss_log_say(SS_LOG_INFO, "metrics and health on port %u",
            ss_metrics_server_port(shell->metrics));
    if (status != SS_OK)
        return status;
    shell->session = ss_session_new(
        &(struct ss_session_options){.capacity = shell->self.capacity,
            .endpoints = shell->endpoints,
            .endpoints_count = shell->endpoints_count});
    return SS_OK;
}

static void close_all(struct shell *shell)
{
    // A body that goes on uses the application until the process ends, and so
    // does its thread the rest.
    bool is_joined = !shell->host || ss_host_end(shell->host);
    if (is_joined) {
        ss_lead_destroy(&shell->lead);
        (void)ss_host_destroy(&shell->host);
    }
    ss_metrics_server_stop(&shell->metrics);
    ss_lines_fini(&shell->lines);
    ss_session_destroy(&shell->session);
    ss_signals_close();
    json_decref(shell->settings);
    ss_free(shell->endpoints);
    ss_free(shell->list);
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
    ss_stop_at(SS_STOP_WORKER_LOADED);
    if (status == SS_OK) {
        run(&shell);
        status = shell.end.status;
        if (status != SS_OK)
            *error = shell.end;
    }
    close_all(&shell);
    return status;
}
