// inbox.c - messages to events.
#include <stdio.h>

#include "common/wire/message.h"
#include "coordinator/core/access.h"
#include "coordinator/core/core_impl.h"

// Peers make up their own names: repeated complaints are counted by address and
// key.
static void inbox_complain(
    struct ss_core *core, const char *peer, const char *kind, const char *text)
{
    const struct ss_core_sender *sender = &core->sender;
    bool has_key = *sender->key != '\0';
    ss_core_out_complain(core);
    ss_core_say_seldom(core, SS_CORE_WARNING, NULL, kind,
        has_key ? sender->key : sender->address, "peer %s at %s%s%s %s", peer,
        sender->address, has_key ? ", key " : "", sender->key, text);
}

void ss_core_inbox_garbage(
    struct ss_core *core, const char *peer, const struct ss_error *error)
{
    char text[SS_ERROR_SIZE + sizeof("is not understood: ")];
    snprintf(text, sizeof(text), "is not understood: %s", error->message);
    inbox_complain(core, peer, ss_status_name(error->status), text);
    if (peer[0] != '\0')
        ss_core_outbox_refuse(core, peer, error->status, error->message);
}

// The sender's key lacks the role for this message.
static void inbox_deny(
    struct ss_core *core, const char *peer, const struct ss_message *message)
{
    bool is_ask = message->type == SS_MESSAGE_ASK;
    char may_not[128], text[SS_ERROR_SIZE];
    snprintf(may_not, sizeof(may_not), "is not allowed to %s%.64s",
        is_ask ? "ask for " : "send ",
        is_ask ? message->op : ss_message_name(message->type));
    snprintf(text, sizeof(text),
        "the key %s %s (superstep keys list shows its role)", core->sender.key,
        may_not);
    if (is_ask)
        ss_core_outbox_deny(core, peer, message->id, text);
    else
        ss_core_outbox_refuse(core, peer, SS_EDENIED, text);
    inbox_complain(core, peer, "denied", may_not);
}

static bool inbox_is_allowed(
    struct ss_core *core, const struct ss_message *message)
{
    unsigned roles = core->sender.roles;
    return ss_access_message(roles, message->type) &&
           (message->type != SS_MESSAGE_ASK ||
               ss_access_op(roles, message->op));
}

static void inbox_hello(
    struct ss_core *core, struct ss_event *event, struct ss_message *message)
{
    json_t **graphs = ss_zalloc(message->hello.graphs_count, sizeof(*graphs));
    for (size_t i = 0; i < message->hello.graphs_count; i++)
        graphs[i] = ss_value_json(message->hello.graphs[i]);
    event->type = SS_EVENT_WORKER_HELLO;
    event->hello.name = message->hello.name;
    event->hello.capacity = message->capacity;
    event->hello.keeps_lists = message->hello.keeps_lists;
    event->hello.graphs = graphs;
    event->hello.graphs_count = message->hello.graphs_count;
    event->hello.labels = message->hello.labels;
    event->hello.labels_count = message->hello.labels_count;
    event->hello.settings = message->hello.settings;
    event->hello.offers = message->offers;
    event->hello.offers_count = message->offers_count;
    ss_core_feed(core, event);
    ss_free(graphs);
}

static void inbox_done(
    struct ss_core *core, struct ss_event *event, struct ss_message *message)
{
    for (size_t i = 0; i < message->outcomes_count; i++) {
        event->type = SS_EVENT_TASK_DONE;
        event->done.outcome = message->outcomes[i];
        message->outcomes[i] = NULL;
        if (i + 1 < message->outcomes_count)
            ss_core_feed_more(core, event);
        else
            ss_core_feed(core, event);
    }
}

static void inbox_live(
    struct ss_core *core, struct ss_event *event, struct ss_message *message)
{
    for (size_t i = 0; i < message->items_count; i++) {
        const struct ss_live_item *item = &message->items[i];
        event->type = SS_EVENT_TASK_LIVE;
        event->live.attempt = item->attempt;
        event->live.kind = item->kind;
        event->live.value = item->value ? ss_value_json(item->value) : NULL;
        ss_core_feed(core, event);
    }
}

static void inbox_ask(
    struct ss_core *core, struct ss_event *event, struct ss_message *message)
{
    json_t *body = message->body ? json_incref(ss_value_json(message->body))
                                 : json_object();
    if (ss_core_show(core, event->peer, message->id, message->op, body)) {
        json_decref(body);
        return;
    }
    event->type = SS_EVENT_REQUEST;
    event->request.id = message->id;
    event->request.op = message->op;
    event->request.body = body;
    event->request.by = *core->sender.key ? core->sender.key : NULL;
    ss_core_feed(core, event);
    json_decref(body);
}

static void inbox_not_for_us(
    struct ss_core *core, const char *peer, const struct ss_message *message)
{
    struct ss_error error;
    ss_error_set(&error, SS_EINVAL,
        "a coordinator takes no %s message; is this the right endpoint?",
        ss_message_name(message->type));
    ss_core_inbox_garbage(core, peer, &error);
}

static void inbox_take(
    struct ss_core *core, const char *peer, struct ss_message *message)
{
    struct ss_event event = {.peer = peer};
    switch (message->type) {
    case SS_MESSAGE_HELLO:
        inbox_hello(core, &event, message);
        return;
    case SS_MESSAGE_BEAT:
        event.type = SS_EVENT_WORKER_BEAT;
        event.beat.running = message->attempts;
        event.beat.running_count = message->attempts_count;
        event.beat.capacity = message->capacity;
        event.beat.sent = message->sent;
        // The answer is a promise that needs our lease.
        ss_core_cluster_look(core);
        break;
    case SS_MESSAGE_BYE:
        event.type = SS_EVENT_WORKER_BYE;
        event.bye.drains = message->bye.drains;
        event.bye.stuck = message->bye.stuck;
        event.bye.returns = message->attempts;
        event.bye.returns_count = message->attempts_count;
        event.bye.ended = message->bye.ended;
        event.bye.how = message->bye.how;
        break;
    case SS_MESSAGE_LACKS:
        event.type = SS_EVENT_WORKER_LACKS;
        event.lacks.attempts = message->attempts;
        event.lacks.attempts_count = message->attempts_count;
        break;
    case SS_MESSAGE_DONE:
        inbox_done(core, &event, message);
        return;
    case SS_MESSAGE_LIVE:
        inbox_live(core, &event, message);
        return;
    case SS_MESSAGE_ASK:
        inbox_ask(core, &event, message);
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
        ss_core_outbox_pong(core, peer, message->id);
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
        inbox_not_for_us(core, peer, message);
        return;
    }
    ss_core_feed(core, &event);
}

void ss_core_inbox_frame(
    struct ss_core *core, const char *peer, const void *bytes, size_t size)
{
    struct ss_message *message = NULL;
    struct ss_error error = {0};
    if (ss_message_decode(bytes, size, &message, &error) != SS_OK) {
        ss_core_inbox_garbage(core, peer, &error);
        return;
    }
    if (inbox_is_allowed(core, message))
        inbox_take(core, peer, message);
    else
        inbox_deny(core, peer, message);
    ss_message_destroy(&message);
}
