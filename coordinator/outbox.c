// outbox.c - commands to messages.
//
// Work for a worker is collected as encoded pieces and leaves at the end of the
// turn: many runs that go on in one turn make one message for each worker.
#include <string.h>

#include "common/app/clock.h"
#include "common/app/log.h"
#include "common/app/stop.h"
#include "common/wire/batch.h"
#include "common/wire/limits.h"
#include "coordinator/limits.h"
#include "coordinator/shell_impl.h"

enum list { LIST_TASKS, LIST_CANCEL, LIST_SETTLED, LIST_COUNT };

static const enum ss_message_type list_types[LIST_COUNT] = {
    [LIST_TASKS] = SS_MESSAGE_TASKS,
    [LIST_CANCEL] = SS_MESSAGE_CANCEL,
    [LIST_SETTLED] = SS_MESSAGE_SETTLED,
};

static const struct {
    enum ss_stop before, after;
} list_stops[LIST_COUNT] = {
    [LIST_TASKS] = {SS_STOP_COORDINATOR_ORDERS, SS_STOP_COORDINATOR_ORDERED},
    [LIST_SETTLED] = {SS_STOP_COORDINATOR_SETTLES, SS_STOP_NOWHERE},
};

struct outbox {
    struct ss_buf lists[LIST_COUNT];
    size_t counts[LIST_COUNT];
};

static struct outbox *outbox_of(struct ss_coordinator *shell, const char *peer)
{
    struct outbox *outbox = ss_map_get(&shell->outboxes, peer);
    if (outbox)
        return outbox;
    outbox = ss_zalloc(1, sizeof(*outbox));
    for (int i = 0; i < LIST_COUNT; i++)
        ss_buf_init(&outbox->lists[i], SS_MESSAGE_SIZE_MAX);
    ss_map_put(&shell->outboxes, peer, outbox);
    return outbox;
}

static void free_outbox(void *value)
{
    struct outbox *outbox = value;
    for (int i = 0; i < LIST_COUNT; i++)
        ss_buf_fini(&outbox->lists[i]);
    ss_free(outbox);
}

void ss_coordinator_outbox_fini(struct ss_coordinator *shell)
{
    ss_map_fini(&shell->outboxes, free_outbox);
}

// ------------------------------------------------ lists

// The link knows that the worker is not there: sooner than its lease does.
static void worker_gone(struct ss_coordinator *shell, const char *peer)
{
    struct ss_event event = {.type = SS_EVENT_WORKER_BYE, .peer = peer};
    ss_shell_owe(shell, event, NULL);
}

// False: its queue is full, the list is kept.
static bool send_list(struct ss_coordinator *shell, const char *peer,
    struct outbox *outbox, enum list list)
{
    struct ss_buf *pieces = &outbox->lists[list];
    struct ss_error error = {0};
    if (outbox->counts[list] == 0)
        return true;
    ss_stop_at(list_stops[list].before);
    int status =
        ss_batch_encode(list_types[list], pieces, &shell->wire, &error);
    if (status == SS_OK)
        status = ss_link_send(
            shell->link, peer, shell->wire.data, shell->wire.size, &error);
    if (status == SS_EAGAIN)
        return false;
    ss_stop_at(list_stops[list].after);
    if (status != SS_OK) {
        ss_log_say(SS_LOG_DEBUG, "%s for %s is lost: %s",
            ss_message_name(list_types[list]), peer, error.message);
        worker_gone(shell, peer);
    }
    ss_buf_reset(pieces);
    outbox->counts[list] = 0;
    return true;
}

static bool send_lists(
    struct ss_coordinator *shell, const char *peer, struct outbox *outbox)
{
    for (int i = 0; i < LIST_COUNT; i++)
        if (!send_list(shell, peer, outbox, (enum list)i))
            return false;
    return true;
}

void ss_coordinator_outbox_flush(struct ss_coordinator *shell)
{
    bool all_sent = true;
    for (struct ss_map_entry *it = shell->outboxes.first; it;) {
        struct ss_map_entry *next = it->next;
        if (!send_lists(shell, it->key, it->value)) {
            all_sent = false;
        } else {
            free_outbox(it->value);
            ss_map_remove(&shell->outboxes, it->key);
        }
        it = next;
    }
    shell->retry_at_ms =
        all_sent ? INT64_MAX : ss_clock_ms() + SS_OUTBOX_RETRY_MS;
}

// A list that is full leaves at once, if it can.
static void make_room(struct ss_coordinator *shell, const char *peer,
    struct outbox *outbox, enum list list)
{
    if (outbox->counts[list] >= SS_WIRE_BATCH_MAX ||
        outbox->lists[list].size >= SS_OUTBOX_SIZE_MAX)
        send_list(shell, peer, outbox, list);
}

// An order that no message can carry: its task fails with that.
static void fail_order(struct ss_coordinator *shell,
    const struct ss_command *command, const struct ss_error *error)
{
    struct ss_outcome *outcome = ss_outcome_new();
    outcome->attempt = command->order->attempt;
    memcpy(outcome->task_id, command->order->task_id, sizeof(outcome->task_id));
    outcome->kind = SS_OUTCOME_FAILED;
    outcome->code = error->status;
    outcome->retryable = SS_RETRY_NO;
    outcome->message =
        ss_format("the task cannot be sent to a worker: %s", error->message);
    struct ss_event event = {.type = SS_EVENT_TASK_DONE, .peer = command->peer};
    event.done.outcome = outcome;
    ss_shell_owe(shell, event, NULL);
}

// SS_ELIMIT: not behind those that are there, or not at all.
static int add_order(struct outbox *outbox, const struct ss_order *order,
    struct ss_error *error)
{
    if (outbox->counts[LIST_TASKS] >= SS_WIRE_BATCH_MAX)
        return SS_ELIMIT;
    int status =
        ss_batch_add_order(&outbox->lists[LIST_TASKS], order, error);
    outbox->counts[LIST_TASKS] += status == SS_OK;
    return status;
}

static void dispatch(
    struct ss_coordinator *shell, const struct ss_command *command)
{
    struct outbox *outbox = outbox_of(shell, command->peer);
    struct ss_error error = {0};
    make_room(shell, command->peer, outbox, LIST_TASKS);
    int status = add_order(outbox, command->order, &error);
    if (status == SS_ELIMIT && outbox->counts[LIST_TASKS] > 0) {
        // A worker that reads nothing misses this order: the engine misses it
        // in the worker's signs, or their lack, and sends it again.
        if (!send_list(shell, command->peer, outbox, LIST_TASKS))
            return;
        status = add_order(outbox, command->order, &error);
    }
    if (status != SS_OK)
        fail_order(shell, command, &error);
}

static void add_attempt(struct ss_coordinator *shell,
    const struct ss_command *command, enum list list)
{
    struct outbox *outbox = outbox_of(shell, command->peer);
    make_room(shell, command->peer, outbox, list);
    // Too many only while the worker reads nothing: it will be lost anyway.
    if (outbox->counts[list] < SS_WIRE_BATCH_MAX &&
        ss_batch_add_attempt(&outbox->lists[list], command->attempt, NULL) ==
            SS_OK)
        outbox->counts[list]++;
}

// ------------------------------------------------ single messages

static int send_message(struct ss_coordinator *shell, const char *peer,
    const struct ss_message *message, struct ss_error *error)
{
    int status = ss_message_encode(message, &shell->wire, error);
    if (status != SS_OK)
        return status;
    return ss_link_send(
        shell->link, peer, shell->wire.data, shell->wire.size, error);
}

static void send_or_forget(struct ss_coordinator *shell, const char *peer,
    const struct ss_message *message)
{
    struct ss_error error = {0};
    if (send_message(shell, peer, message, &error) != SS_OK)
        ss_log_say(SS_LOG_DEBUG, "%s for %s is lost: %s",
            ss_message_name(message->type), peer, error.message);
}

void ss_coordinator_outbox_refuse(struct ss_coordinator *shell,
    const char *peer, int status, const char *text)
{
    struct ss_message message = {.type = SS_MESSAGE_REFUSED,
        .protocol = SS_PROTOCOL_VERSION,
        .status = status,
        .text = (char *)text};
    send_or_forget(shell, peer, &message);
}

// The texts stay the array's.
static void put_members(struct ss_message *message, const json_t *members)
{
    size_t count = json_array_size(members);
    message->members = ss_zalloc(count, sizeof(*message->members));
    message->members_count = count;
    for (size_t i = 0; i < count; i++)
        message->members[i] =
            (char *)json_string_value(json_array_get(members, i));
}

void ss_coordinator_outbox_answer(
    struct ss_coordinator *shell, const char *peer, uint64_t id, json_t *body)
{
    struct ss_message message = {.type = SS_MESSAGE_ANSWER,
        .protocol = SS_PROTOCOL_VERSION,
        .id = id,
        .final = true,
        .body = ss_value_new(body)};
    send_or_forget(shell, peer, &message);
    ss_value_unref(message.body);
}

void ss_coordinator_outbox_deny(struct ss_coordinator *shell, const char *peer,
    uint64_t id, const char *text)
{
    ss_coordinator_outbox_answer(shell, peer, id,
        json_pack("{s:{s:s, s:s}}", "error", "code",
            ss_status_name(SS_EDENIED), "message", text));
}

void ss_coordinator_outbox_pong(
    struct ss_coordinator *shell, const char *peer, uint64_t id)
{
    struct ss_message message = {.type = SS_MESSAGE_PONG,
        .protocol = SS_PROTOCOL_VERSION,
        .id = id,
        .epoch = shell->epoch};
    put_members(&message, shell->members);
    send_or_forget(shell, peer, &message);
    ss_free(message.members);
}

static void members(
    struct ss_coordinator *shell, const struct ss_command *command)
{
    struct ss_message message = {
        .type = SS_MESSAGE_MEMBERS, .protocol = SS_PROTOCOL_VERSION};
    put_members(&message, command->json);
    send_or_forget(shell, command->peer, &message);
    ss_free(message.members);
}

static void seek(
    struct ss_coordinator *shell, const struct ss_command *command)
{
    uint32_t shards[SS_SHARDS];
    struct ss_message message = {.type = SS_MESSAGE_SEEK,
        .protocol = SS_PROTOCOL_VERSION,
        .epoch = command->tag,
        .shards = shards};
    for (uint16_t i = 0; i < SS_SHARDS; i++)
        if (ss_shards_have(command->shards, i))
            shards[message.shards_count++] = i;
    send_or_forget(shell, command->peer, &message);
}

static void adopt(
    struct ss_coordinator *shell, const struct ss_command *command)
{
    struct ss_adoption adoption = {command->held, command->attempt};
    struct ss_message message = {.type = SS_MESSAGE_ADOPT,
        .protocol = SS_PROTOCOL_VERSION,
        .adoptions = &adoption,
        .adoptions_count = 1};
    send_or_forget(shell, command->peer, &message);
}

static void drain(
    struct ss_coordinator *shell, const struct ss_command *command)
{
    struct ss_message message = {
        .type = SS_MESSAGE_DRAIN, .protocol = SS_PROTOCOL_VERSION};
    send_or_forget(shell, command->peer, &message);
}

static void heard(
    struct ss_coordinator *shell, const struct ss_command *command)
{
    struct ss_message message = {.type = SS_MESSAGE_HEARD,
        .protocol = SS_PROTOCOL_VERSION,
        .sent = command->tag,
        .attempts = command->attempts,
        .attempts_count = command->attempts_count};
    send_or_forget(shell, command->peer, &message);
}

static void welcome(
    struct ss_coordinator *shell, const struct ss_command *command)
{
    struct ss_message message = {.type = SS_MESSAGE_WELCOME,
        .protocol = SS_PROTOCOL_VERSION,
        .epoch = shell->epoch,
        .lease_ms = shell->lease_ms,
        .heartbeat_ms = shell->heartbeat_ms,
        .begin_ms = command->begin_ms};
    put_members(&message, command->json);
    send_or_forget(shell, command->peer, &message);
    ss_free(message.members);
}

static int send_answer(struct ss_coordinator *shell,
    const struct ss_command *command, json_t *body, bool is_final,
    struct ss_error *error)
{
    struct ss_message message = {.type = SS_MESSAGE_ANSWER,
        .protocol = SS_PROTOCOL_VERSION,
        .id = command->id,
        .final = is_final,
        .body = ss_value_new(json_incref(body))};
    int status = send_message(shell, command->peer, &message, error);
    ss_value_unref(message.body);
    return status;
}

// Nobody listens to request `id` (0: to any) of this client.
static void client_gone(
    struct ss_coordinator *shell, const char *peer, uint64_t id)
{
    struct ss_event event = {.type = SS_EVENT_CLIENT_GONE, .peer = peer};
    event.request.id = id;
    ss_shell_owe(shell, event, NULL);
}

// An answer that no message can carry becomes one that says so, the last one.
static int send_too_large(struct ss_coordinator *shell,
    const struct ss_command *command, struct ss_error *error)
{
    json_t *body = json_pack("{s:{s:s, s:s}}", "error", "code",
        ss_status_name(error->status), "message", error->message);
    int status = send_answer(shell, command, body, true, error);
    json_decref(body);
    if (command->type == SS_COMMAND_EVENT)
        client_gone(shell, command->peer, command->id);
    return status;
}

static void answer(
    struct ss_coordinator *shell, const struct ss_command *command)
{
    struct ss_error error = {0};
    json_t *body = command->json ? command->json : json_null();
    bool is_final = command->type == SS_COMMAND_REPLY;
    ss_stop_at(is_final ? SS_STOP_COORDINATOR_ANSWERS : SS_STOP_NOWHERE);
    int status = send_answer(shell, command, body, is_final, &error);
    ss_stop_at(is_final ? SS_STOP_COORDINATOR_ANSWERED : SS_STOP_NOWHERE);
    if (status == SS_ELIMIT || status == SS_EFORMAT)
        status = send_too_large(shell, command, &error);
    if (status == SS_OK)
        return;
    // Gone, or not reading: a client that comes back attaches to its run again.
    ss_log_say(
        SS_LOG_DEBUG, "client %s is gone: %s", command->peer, error.message);
    client_gone(shell, command->peer, 0);
}

void ss_coordinator_outbox_command(
    struct ss_coordinator *shell, const struct ss_command *command)
{
    switch (command->type) {
    case SS_COMMAND_WELCOME:
        welcome(shell, command);
        break;
    case SS_COMMAND_HEARD:
        heard(shell, command);
        break;
    case SS_COMMAND_MEMBERS:
        members(shell, command);
        break;
    case SS_COMMAND_SEEK:
        seek(shell, command);
        break;
    case SS_COMMAND_ADOPT:
        adopt(shell, command);
        break;
    case SS_COMMAND_DRAIN:
        drain(shell, command);
        break;
    case SS_COMMAND_REFUSE:
        if (ss_log_limit_due(&shell->complaints, "refused", command->peer,
                ss_clock_ms()))
            ss_log_say(SS_LOG_INFO, "peer %s is refused: %s%s", command->peer,
                command->text ? command->text : "",
                ss_log_limit_more(&shell->complaints));
        ss_coordinator_outbox_refuse(
            shell, command->peer, command->status, command->text);
        break;
    case SS_COMMAND_DISPATCH:
        dispatch(shell, command);
        break;
    case SS_COMMAND_CANCEL:
        add_attempt(shell, command, LIST_CANCEL);
        break;
    case SS_COMMAND_SETTLED:
        add_attempt(shell, command, LIST_SETTLED);
        break;
    case SS_COMMAND_REPLY:
    case SS_COMMAND_EVENT:
        answer(shell, command);
        break;
    case SS_COMMAND_STORE:
    case SS_COMMAND_READ:
    case SS_COMMAND_SCAN:
    case SS_COMMAND_GET:
    case SS_COMMAND_DAMAGED: // damage.c
        break;
    }
}
