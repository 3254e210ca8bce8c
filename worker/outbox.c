// outbox.c - from the from the commands of the session to messages.
#include "worker/outbox.h"

#include <unistd.h>

#include "common/app/log.h"
#include "common/app/stop.h"
#include "common/base/mem.h"
#include "common/model/value.h"
#include "common/wire/batch.h"
#include "common/wire/limits.h"
#include "common/wire/message.h"
#include "worker/limits.h"

void ss_outbox_init(struct ss_outbox *outbox, struct ss_link *link,
    const struct ss_outbox_self *self)
{
    *outbox = (struct ss_outbox){.link = link, .self = self};
    ss_buf_init(&outbox->pieces, SS_MESSAGE_SIZE_MAX);
    ss_buf_init(&outbox->message, SS_MESSAGE_SIZE_MAX);
}

void ss_outbox_fini(struct ss_outbox *outbox)
{
    ss_buf_fini(&outbox->pieces);
    ss_buf_fini(&outbox->message);
}

// ------------------------------------------------------------------ messages

static void give_to_link(struct ss_outbox *outbox, const char *what)
{
    struct ss_error error;
    if (!outbox->link)
        return;
    int status = ss_link_send(
        outbox->link, NULL, outbox->message.data, outbox->message.size, &error);
    if (status == SS_OK)
        return;
    // A coordinator that is away: a line now and then is enough.
    if ((outbox->losses++ & 1023) == 0)
        ss_log_say(
            SS_LOG_WARNING, "%s could not be sent: %s", what, error.message);
}

static void send_message(
    struct ss_outbox *outbox, const struct ss_message *message)
{
    struct ss_error error;
    if (ss_message_encode(message, &outbox->message, &error) == SS_OK)
        give_to_link(outbox, ss_message_name(message->type));
    else
        ss_log_say(SS_LOG_ERROR, "%s could not be sent: %s",
            ss_message_name(message->type), error.message);
}

static void send_hello(
    struct ss_outbox *outbox, const struct ss_session_command *command)
{
    const struct ss_outbox_self *self = outbox->self;
    struct ss_message *message = ss_message_new(SS_MESSAGE_HELLO);
    size_t count = ss_application_count(self->application);
    message->hello.name = ss_strdup(self->name);
    message->hello.host = ss_strdup(self->host);
    message->hello.app_version =
        ss_strdup(ss_application_version(self->application));
    message->hello.pid = (uint32_t)getpid();
    message->capacity = self->capacity;
    message->hello.keeps_lists = true;
    message->hello.settings = json_incref(self->settings);
    message->hello.labels = (char **)self->labels;
    message->hello.labels_count = self->labels_count;
    message->hello.graphs = ss_zalloc(count, sizeof(struct ss_value *));
    message->hello.graphs_count = count;
    for (size_t i = 0; i < count; i++) {
        const struct ss_root_graph *root =
            ss_application_graph(self->application, i);
        message->hello.graphs[i] =
            ss_value_new(json_incref(root->graph->description));
    }
    message->offers = (struct ss_offer *)command->offers;
    message->offers_count = command->offers_count;
    send_message(outbox, message);
    message->offers = NULL; // the session's
    message->offers_count = 0;
    message->hello.labels = NULL; // ours
    message->hello.labels_count = 0;
    ss_message_destroy(&message);
}

static void send_offers(
    struct ss_outbox *outbox, const struct ss_session_command *command)
{
    struct ss_message message = {.type = SS_MESSAGE_OFFERS,
        .protocol = SS_PROTOCOL_VERSION,
        .epoch = command->epoch,
        .offers = (struct ss_offer *)command->offers,
        .offers_count = command->offers_count};
    send_message(outbox, &message);
}

static void send_bye(
    struct ss_outbox *outbox, const struct ss_session_command *command)
{
    struct ss_message message = {.type = SS_MESSAGE_BYE,
        .protocol = SS_PROTOCOL_VERSION,
        .bye.drains = command->drains,
        .bye.stuck = command->stuck,
        .attempts = (struct ss_attempt *)command->attempts,
        .attempts_count = command->attempts_count};
    send_message(outbox, &message);
}

static void send_ping(struct ss_outbox *outbox)
{
    struct ss_message *message = ss_message_new(SS_MESSAGE_PING);
    send_message(outbox, message);
    ss_message_destroy(&message);
}

void ss_outbox_pong(struct ss_outbox *outbox, uint64_t id)
{
    struct ss_message *message = ss_message_new(SS_MESSAGE_PONG);
    message->id = id;
    send_message(outbox, message);
    ss_message_destroy(&message);
}

// ------------------------------------------------------------------ batches

static void flush(struct ss_outbox *outbox, enum ss_message_type type)
{
    struct ss_error error;
    int status =
        ss_batch_encode(type, &outbox->pieces, &outbox->message, &error);
    if (status == SS_OK)
        give_to_link(outbox, ss_message_name(type));
    else
        ss_log_say(SS_LOG_ERROR, "%s could not be sent: %s",
            ss_message_name(type), error.message);
    ss_buf_reset(&outbox->pieces);
    outbox->count = 0;
}

static void flush_if_large(struct ss_outbox *outbox, enum ss_message_type type)
{
    outbox->count++;
    if (outbox->count >= SS_SHELL_BATCH_MAX ||
        outbox->pieces.size >= SS_SHELL_BATCH_SIZE)
        flush(outbox, type);
}

static void send_beat(
    struct ss_outbox *outbox, const struct ss_session_command *command)
{
    struct ss_message message = {.type = SS_MESSAGE_BEAT,
        .protocol = SS_PROTOCOL_VERSION,
        .attempts = (struct ss_attempt *)command->attempts,
        .attempts_count = command->attempts_count,
        .capacity = command->capacity,
        .sent = command->sent};
    send_message(outbox, &message);
}

static void send_lacks(
    struct ss_outbox *outbox, const struct ss_session_command *command)
{
    struct ss_message message = {.type = SS_MESSAGE_LACKS,
        .protocol = SS_PROTOCOL_VERSION,
        .attempts = (struct ss_attempt *)command->attempts,
        .attempts_count = command->attempts_count};
    send_message(outbox, &message);
}

// Warnings are a field that coordinators of before do not know, and a message
// may have so many of these.
static void flush_if_new_to_old(
    struct ss_outbox *outbox, const struct ss_outcome *outcome)
{
    enum { WARNED_MAX = SS_WIRE_UNKNOWN_MAX / 2 };
    if (outbox->count == 0)
        outbox->warned = 0;
    if (outcome->warnings && ++outbox->warned > WARNED_MAX) {
        flush(outbox, SS_MESSAGE_DONE);
        outbox->warned = 1;
    }
}

static bool add_outcome(struct ss_outbox *outbox, struct ss_session *session,
    const struct ss_outcome *outcome)
{
    struct ss_error error;
    flush_if_new_to_old(outbox, outcome);
    int status = ss_batch_add_outcome(&outbox->pieces, outcome, &error);
    if (status == SS_ELIMIT && outbox->count > 0) {
        flush(outbox, SS_MESSAGE_DONE);
        status = ss_batch_add_outcome(&outbox->pieces, outcome, &error);
    }
    if (status != SS_OK) { // the pieces before it are unchanged
        ss_session_spoil(session, outcome->attempt, status, error.message);
        return false;
    }
    flush_if_large(outbox, SS_MESSAGE_DONE);
    return true;
}

static bool send_done(struct ss_outbox *outbox, struct ss_session *session,
    const struct ss_session_command *command)
{
    bool is_spoilt = false;
    for (size_t i = 0; i < command->outcomes_count; i++)
        is_spoilt |= !add_outcome(outbox, session, command->outcomes[i]);
    if (outbox->count > 0)
        flush(outbox, SS_MESSAGE_DONE);
    ss_stop_at(SS_STOP_WORKER_SENT);
    return is_spoilt;
}

static void send_live(
    struct ss_outbox *outbox, const struct ss_session_command *command)
{
    struct ss_error error;
    for (size_t i = 0; i < command->items_count; i++) {
        struct ss_live_item item = {.attempt = command->items[i].attempt,
            .kind = command->items[i].kind,
            .value = command->items[i].value};
        if (ss_batch_add_live(&outbox->pieces, &item, &error) == SS_OK)
            flush_if_large(outbox, SS_MESSAGE_LIVE);
        else
            ss_log_say(
                SS_LOG_WARNING, "a live item is lost: %s", error.message);
    }
    if (outbox->count > 0)
        flush(outbox, SS_MESSAGE_LIVE);
}

bool ss_outbox_send(struct ss_outbox *outbox, struct ss_session *session,
    const struct ss_session_command *command)
{
    switch (command->type) {
    case SS_SESSION_SEND_HELLO:
        send_hello(outbox, command);
        break;
    case SS_SESSION_SEND_BEAT:
        send_beat(outbox, command);
        break;
    case SS_SESSION_SEND_BYE:
        send_bye(outbox, command);
        break;
    case SS_SESSION_SEND_DONE:
        return send_done(outbox, session, command);
    case SS_SESSION_SEND_LIVE:
        send_live(outbox, command);
        break;
    case SS_SESSION_SEND_OFFERS:
        send_offers(outbox, command);
        break;
    case SS_SESSION_SEND_LACKS:
        send_lacks(outbox, command);
        break;
    case SS_SESSION_SEND_PING:
        send_ping(outbox);
        break;
    case SS_SESSION_CONNECT:
    case SS_SESSION_DISCONNECT:
    case SS_SESSION_START:
    case SS_SESSION_STOP_BODY:
    case SS_SESSION_READY:
    case SS_SESSION_SILENT:
    case SS_SESSION_REFUSED_YET:
    case SS_SESSION_AWAY:
    case SS_SESSION_STUCK:
    case SS_SESSION_LEAVE:
        break;
    }
    return false;
}
