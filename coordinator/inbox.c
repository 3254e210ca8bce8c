// inbox.c - messages to events.
#include <stdio.h>
#include <string.h>

#include "common/app/clock.h"
#include "common/app/log.h"
#include "common/wire/message.h"
#include "coordinator/core/access.h"
#include "coordinator/shell_impl.h"

// Peers make up their own names: what is said again is counted by where they
// come from, and by their key.
static void complain(struct ss_coordinator *shell, const char *peer,
    const char *kind, const char *text)
{
    const struct ss_link_sender *sender = ss_link_sender(shell->link);
    bool has_key = *sender->name != '\0';
    ss_link_complain(shell->link);
    if (ss_log_limit_due(&shell->complaints, kind,
            has_key ? sender->name : sender->address, ss_clock_ms()))
        ss_log_say(SS_LOG_WARNING, "peer %s at %s%s%s %s%s", peer,
            sender->address, has_key ? ", key " : "", sender->name, text,
            ss_log_limit_more(&shell->complaints));
}

void ss_inbox_garbage(struct ss_coordinator *shell, const char *peer,
    const struct ss_error *error)
{
    char text[SS_ERROR_SIZE + sizeof("is not understood: ")];
    snprintf(text, sizeof(text), "is not understood: %s", error->message);
    complain(shell, peer, ss_status_name(error->status), text);
    if (peer[0] != '\0')
        ss_coordinator_outbox_refuse(
            shell, peer, error->status, error->message);
}

// Its key has not the role for this message.
static void deny(struct ss_coordinator *shell, const char *peer,
    const struct ss_message *message)
{
    const struct ss_link_sender *sender = ss_link_sender(shell->link);
    bool is_ask = message->type == SS_MESSAGE_ASK;
    char text[SS_ERROR_SIZE];
    snprintf(text, sizeof(text),
        "the key %s is not allowed to %s%.64s (superstep keys list shows its "
        "role)",
        sender->name, is_ask ? "ask for " : "send ",
        is_ask ? message->op : ss_message_name(message->type));
    if (is_ask)
        ss_coordinator_outbox_deny(shell, peer, message->id, text);
    else
        ss_coordinator_outbox_refuse(shell, peer, SS_EDENIED, text);
    complain(shell, peer, "denied", text);
}

static bool is_allowed(
    struct ss_coordinator *shell, const struct ss_message *message)
{
    unsigned roles = ss_link_sender(shell->link)->roles;
    return ss_access_message(roles, message->type) &&
           (message->type != SS_MESSAGE_ASK ||
               ss_access_op(roles, message->op));
}

void ss_inbox_notices(struct ss_coordinator *shell)
{
    struct ss_link_notice notice;
    while (ss_link_notice(shell->link, &notice)) {
        bool is_news = strcmp(notice.kind, SS_LINK_NEWS) == 0;
        if (is_news || ss_log_limit_due(&shell->complaints, notice.kind,
                           notice.who, ss_clock_ms()))
            ss_log_say(is_news ? SS_LOG_INFO : SS_LOG_WARNING, "%s: %s%s",
                notice.who, notice.text,
                is_news ? "" : ss_log_limit_more(&shell->complaints));
    }
}

static void hello(struct ss_coordinator *shell, struct ss_event *event,
    struct ss_message *message)
{
    json_t **graphs = ss_zalloc(message->graphs_count, sizeof(*graphs));
    for (size_t i = 0; i < message->graphs_count; i++)
        graphs[i] = ss_value_json(message->graphs[i]);
    event->type = SS_EVENT_WORKER_HELLO;
    event->hello.name = message->name;
    event->hello.capacity = message->capacity;
    event->hello.keeps_lists = message->keeps_lists;
    event->hello.graphs = graphs;
    event->hello.graphs_count = message->graphs_count;
    event->hello.labels = message->labels;
    event->hello.labels_count = message->labels_count;
    event->hello.settings = message->settings;
    event->hello.offers = message->offers;
    event->hello.offers_count = message->offers_count;
    ss_shell_feed(shell, event);
    ss_free(graphs);
}

static void done(struct ss_coordinator *shell, struct ss_event *event,
    struct ss_message *message)
{
    for (size_t i = 0; i < message->outcomes_count; i++) {
        event->type = SS_EVENT_TASK_DONE;
        event->done.outcome = message->outcomes[i];
        message->outcomes[i] = NULL;
        ss_shell_feed(shell, event);
    }
}

static void live(struct ss_coordinator *shell, struct ss_event *event,
    struct ss_message *message)
{
    for (size_t i = 0; i < message->items_count; i++) {
        const struct ss_live_item *item = &message->items[i];
        event->type = SS_EVENT_TASK_LIVE;
        event->live.attempt = item->attempt;
        event->live.kind = item->kind;
        event->live.value = item->value ? ss_value_json(item->value) : NULL;
        ss_shell_feed(shell, event);
    }
}

static void ask(struct ss_coordinator *shell, struct ss_event *event,
    struct ss_message *message)
{
    json_t *body = message->body ? json_incref(ss_value_json(message->body))
                                 : json_object();
    if (strcmp(message->op, "show") == 0) {
        ss_show(shell, event->peer, message->id, body);
        json_decref(body);
        return;
    }
    if (strcmp(message->op, "health") == 0) {
        ss_show_health(shell, event->peer, message->id);
        json_decref(body);
        return;
    }
    event->type = SS_EVENT_REQUEST;
    event->request.id = message->id;
    event->request.op = message->op;
    event->request.body = body;
    const char *key = ss_link_sender(shell->link)->name;
    event->request.by = *key ? key : NULL;
    ss_shell_feed(shell, event);
    json_decref(body);
}

static void not_for_us(struct ss_coordinator *shell, const char *peer,
    const struct ss_message *message)
{
    struct ss_error error;
    ss_error_set(&error, SS_EINVAL,
        "a coordinator takes no %s message; is this the right endpoint?",
        ss_message_name(message->type));
    ss_inbox_garbage(shell, peer, &error);
}

static void take(
    struct ss_coordinator *shell, const char *peer, struct ss_message *message)
{
    struct ss_event event = {.peer = peer};
    switch (message->type) {
    case SS_MESSAGE_HELLO:
        hello(shell, &event, message);
        return;
    case SS_MESSAGE_BEAT:
        event.type = SS_EVENT_WORKER_BEAT;
        event.beat.running = message->attempts;
        event.beat.running_count = message->attempts_count;
        event.beat.capacity = message->capacity;
        event.beat.sent = message->sent;
        // Its answer is a promise that needs our lease.
        ss_cluster_look(shell);
        break;
    case SS_MESSAGE_BYE:
        event.type = SS_EVENT_WORKER_BYE;
        event.bye.drains = message->drains;
        event.bye.returns = message->attempts;
        event.bye.returns_count = message->attempts_count;
        break;
    case SS_MESSAGE_LACKS:
        event.type = SS_EVENT_WORKER_LACKS;
        event.lacks.attempts = message->attempts;
        event.lacks.attempts_count = message->attempts_count;
        break;
    case SS_MESSAGE_DONE:
        done(shell, &event, message);
        return;
    case SS_MESSAGE_LIVE:
        live(shell, &event, message);
        return;
    case SS_MESSAGE_ASK:
        ask(shell, &event, message);
        return;
    case SS_MESSAGE_OFFERS:
        event.type = SS_EVENT_WORKER_OFFERS;
        event.offers.items = message->offers;
        event.offers.count = message->offers_count;
        break;
    case SS_MESSAGE_HANGUP:
        event.type = SS_EVENT_CLIENT_GONE;
        event.request.id = message->id;
        break;
    case SS_MESSAGE_PING:
        ss_coordinator_outbox_pong(shell, peer, message->id);
        return;
    case SS_MESSAGE_PONG:
        return;
    case SS_MESSAGE_NONE:
    case SS_MESSAGE_WELCOME:
    case SS_MESSAGE_MEMBERS:
    case SS_MESSAGE_SEEK:
    case SS_MESSAGE_ADOPT:
    case SS_MESSAGE_DRAIN:
    case SS_MESSAGE_HEARD:
    case SS_MESSAGE_REFUSED:
    case SS_MESSAGE_TASKS:
    case SS_MESSAGE_CANCEL:
    case SS_MESSAGE_SETTLED:
    case SS_MESSAGE_ANSWER:
        not_for_us(shell, peer, message);
        return;
    }
    ss_shell_feed(shell, &event);
}

void ss_inbox_message(struct ss_coordinator *shell, const char *peer,
    const void *bytes, size_t size)
{
    struct ss_message *message = NULL;
    struct ss_error error = {0};
    if (ss_message_decode(bytes, size, &message, &error) != SS_OK) {
        ss_inbox_garbage(shell, peer, &error);
        return;
    }
    if (is_allowed(shell, message))
        take(shell, peer, message);
    else
        deny(shell, peer, message);
    ss_message_destroy(&message);
}
