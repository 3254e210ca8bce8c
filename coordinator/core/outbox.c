// outbox.c - commands to messages.
//
// Work for a worker is collected as encoded pieces and leaves with FLUSH: many
// runs that go on in one turn make one message for each worker.
//
// A worker hears of an attempt in the order of the engine's commands: an
// attempt is ordered, may be cancelled, and is settled; the lists leave in this
// order. No list leaves before those in front of it, no other message before a
// list. A list that the worker's queue did not take is tried again, and
// messages behind it wait (ss_core_unsent()).
#include <string.h>

#include "common/base/check.h"
#include "common/wire/batch.h"
#include "common/wire/limits.h"
#include "coordinator/core/core_impl.h"
#include "coordinator/core/limits.h"

// In the order in which they leave.
enum list {
    LIST_TASKS,
    LIST_CANCEL,
    LIST_SETTLED,
    LIST_LAST = LIST_SETTLED,
    LIST_COUNT,
};

static const enum ss_message_type list_types[LIST_COUNT] = {
    [LIST_TASKS] = SS_MESSAGE_TASKS,
    [LIST_CANCEL] = SS_MESSAGE_CANCEL,
    [LIST_SETTLED] = SS_MESSAGE_SETTLED,
};

struct outbox {
    struct ss_buf lists[LIST_COUNT];
    size_t counts[LIST_COUNT];
    SS_VEC(struct ss_attempt) orders; // of LIST_TASKS
    // Messages that were encoded, and could not leave: a list, and what stood
    // behind it. Their bytes are ours.
    SS_VEC(struct ss_core_output) late;
};

static struct outbox *outbox_of(struct ss_core *core, const char *peer)
{
    struct outbox *outbox = ss_map_get(&core->outboxes, peer);
    if (outbox)
        return outbox;
    outbox = core->spare_outbox;
    core->spare_outbox = NULL;
    if (!outbox) {
        outbox = ss_zalloc(1, sizeof(*outbox));
        for (int i = 0; i < LIST_COUNT; i++)
            ss_buf_init(&outbox->lists[i], SS_MESSAGE_SIZE_MAX);
    }
    ss_map_put(&core->outboxes, peer, outbox);
    return outbox;
}

static void outbox_free(void *value)
{
    struct outbox *outbox = value;
    for (int i = 0; i < LIST_COUNT; i++)
        ss_buf_fini(&outbox->lists[i]);
    for (size_t i = 0; i < outbox->late.count; i++)
        ss_free((void *)outbox->late.items[i].bytes);
    SS_VEC_FINI(&outbox->late);
    SS_VEC_FINI(&outbox->orders);
    ss_free(outbox);
}

void ss_core_outbox_fini(struct ss_core *core)
{
    ss_map_fini(&core->outboxes, outbox_free);
    if (core->spare_outbox)
        outbox_free(core->spare_outbox);
    core->spare_outbox = NULL;
}

// An outbox from which all has left. The next turn has work for a worker again:
// one is kept for it, with its memory, unless that is a lot.
static void outbox_put_away(struct ss_core *core, struct outbox *outbox)
{
    size_t size = 0;
    for (int i = 0; i < LIST_COUNT; i++) {
        ss_check(outbox->counts[i] == 0);
        size += outbox->lists[i].capacity;
    }
    if (core->spare_outbox || size > SS_OUTBOX_SPARE_SIZE_MAX)
        outbox_free(outbox);
    else
        core->spare_outbox = outbox;
}

// ------------------------------------------------ lists

// The link knows that the worker is gone, before its lease ends.
static void outbox_worker_gone(struct ss_core *core, const char *peer)
{
    struct ss_event event = {
        .type = SS_EVENT_WORKER_BYE, .peer = peer, .bye.is_broken = true};
    ss_core_owe(core, event, NULL);
}

static void outbox_lost(struct ss_core *core, const char *peer,
    enum ss_message_type type, const struct ss_error *error)
{
    ss_core_say(core, SS_CORE_DEBUG, "%s for %s is lost: %s",
        ss_message_name(type), peer, error->message);
}

static void outbox_keep(struct outbox *outbox, struct ss_core_output output)
{
    output.bytes = ss_memdup(output.bytes, ss_core_output_size(&output));
    SS_VEC_PUSH(&outbox->late, output);
}

// Send the encoded message, behind those that could not leave. `outbox`: NULL
// for none.
static void outbox_leave(struct ss_core *core, const char *peer,
    struct outbox *outbox, enum ss_message_type type, bool is_final)
{
    struct ss_buf *wire = &core->wire;
    struct ss_core_output output = {
        .message = type, .is_final = is_final, .size = wire->size};
    if (type == SS_MESSAGE_TASKS) {
        ss_check(outbox != NULL);
        output.orders = outbox->orders.count;
        ss_buf_add(wire, outbox->orders.items,
            output.orders * sizeof(*outbox->orders.items));
    }
    output.bytes = wire->data;
    if (outbox && outbox->late.count > 0)
        outbox_keep(outbox, output);
    else
        ss_core_out_send(core, peer, output);
}

static void outbox_close_list(struct ss_core *core, const char *peer,
    struct outbox *outbox, enum list list)
{
    struct ss_buf *pieces = &outbox->lists[list];
    struct ss_error error = {0};
    if (outbox->counts[list] == 0)
        return;
    if (ss_batch_encode(list_types[list], pieces, &core->wire, &error) ==
        SS_OK) {
        outbox_leave(core, peer, outbox, list_types[list], false);
    } else {
        outbox_lost(core, peer, list_types[list], &error);
        outbox_worker_gone(core, peer);
    }
    ss_buf_reset(pieces);
    outbox->counts[list] = 0;
    if (list == LIST_TASKS)
        outbox->orders.count = 0;
}

// Close this list, and before it those in front of it.
static void outbox_close_lists(struct ss_core *core, const char *peer,
    struct outbox *outbox, enum list last)
{
    for (int i = 0; i <= (int)last; i++)
        outbox_close_list(core, peer, outbox, (enum list)i);
}

// Try again; ss_core_unsent() brings back what still cannot leave.
static void outbox_send_late(
    struct ss_core *core, const char *peer, struct outbox *outbox)
{
    for (size_t i = 0; i < outbox->late.count; i++) {
        ss_core_out_send(core, peer, outbox->late.items[i]);
        ss_free((void *)outbox->late.items[i].bytes);
    }
    outbox->late.count = 0;
}

// True: nothing is left.
static bool outbox_flush_peer(
    struct ss_core *core, const char *peer, struct outbox *outbox)
{
    bool is_late = outbox->late.count > 0;
    outbox_send_late(core, peer, outbox);
    if (!is_late)
        outbox_close_lists(core, peer, outbox, LIST_LAST);
    for (int i = 0; i < LIST_COUNT; i++)
        if (outbox->counts[i] > 0)
            return false;
    return true;
}

void ss_core_outbox_flush(struct ss_core *core)
{
    core->retry_at_ms = INT64_MAX;
    for (struct ss_map_entry *it = core->outboxes.first; it;) {
        struct ss_map_entry *next = it->next;
        if (!outbox_flush_peer(core, it->key, it->value)) {
            core->retry_at_ms = core->now_ms + SS_OUTBOX_RETRY_MS;
        } else {
            outbox_put_away(core, ss_map_remove(&core->outboxes, it->key));
        }
        it = next;
    }
}

// A list that is full leaves at once, if it can.
static void outbox_make_room(struct ss_core *core, const char *peer,
    struct outbox *outbox, enum list list)
{
    if (outbox->late.count == 0 &&
        (outbox->counts[list] >= SS_WIRE_BATCH_MAX ||
            outbox->lists[list].size >= SS_OUTBOX_SIZE_MAX))
        outbox_close_lists(core, peer, outbox, list);
}

// Fail the task of an order that no message can carry.
static void outbox_fail_order(struct ss_core *core,
    const struct ss_command *command, const struct ss_error *error)
{
    struct ss_outcome *outcome = ss_outcome_new();
    outcome->attempt = command->order->attempt;
    memcpy(outcome->task_id, command->order->task_id, sizeof(outcome->task_id));
    outcome->kind = SS_OUTCOME_FAILED;
    outcome->code = error->status;
    outcome->retryable = SS_RETRY_NO;
    outcome->message = ss_format("the task cannot be sent to a worker: %s%s",
        error->message,
        error->status == SS_ELIMIT
            ? ": let its node read less of the state (.reads), or keep large "
              "values elsewhere and pass where they are"
            : "");
    struct ss_event event = {.type = SS_EVENT_TASK_DONE, .peer = command->peer};
    event.done.outcome = outcome;
    ss_core_owe(core, event, NULL);
}

// SS_ELIMIT: not behind those that are there, or not at all.
static int outbox_add_order(struct outbox *outbox,
    const struct ss_assignment *order, struct ss_error *error)
{
    if (outbox->counts[LIST_TASKS] >= SS_WIRE_BATCH_MAX)
        return SS_ELIMIT;
    int status = ss_batch_add_order(&outbox->lists[LIST_TASKS], order, error);
    if (status == SS_OK) {
        outbox->counts[LIST_TASKS]++;
        SS_VEC_PUSH(&outbox->orders, order->attempt);
    }
    return status;
}

static void outbox_dispatch(
    struct ss_core *core, const struct ss_command *command)
{
    struct outbox *outbox = outbox_of(core, command->peer);
    struct ss_error error = {0};
    outbox_make_room(core, command->peer, outbox, LIST_TASKS);
    int status = outbox_add_order(outbox, command->order, &error);
    if (status == SS_ELIMIT && outbox->counts[LIST_TASKS] > 0) {
        // A worker that reads nothing misses this order: its next sign lacks
        // the attempt, or no sign comes, and the engine sends the order again.
        if (outbox->late.count > 0)
            return;
        outbox_close_list(core, command->peer, outbox, LIST_TASKS);
        status = outbox_add_order(outbox, command->order, &error);
    }
    if (status != SS_OK)
        outbox_fail_order(core, command, &error);
}

static void outbox_add_attempt(
    struct ss_core *core, const struct ss_command *command, enum list list)
{
    struct outbox *outbox = outbox_of(core, command->peer);
    outbox_make_room(core, command->peer, outbox, list);
    // There are too many only while the worker reads nothing: it will be lost
    // anyway.
    if (outbox->counts[list] < SS_WIRE_BATCH_MAX &&
        ss_batch_add_attempt(&outbox->lists[list], command->attempt, NULL) ==
            SS_OK)
        outbox->counts[list]++;
}

// ------------------------------------------------ single messages

// SS_ELIMIT, SS_EFORMAT as ss_message_encode(); SS_EAGAIN: too much is late.
static int outbox_send(struct ss_core *core, const char *peer,
    const struct ss_message *message, struct ss_error *error)
{
    struct outbox *outbox = ss_map_get(&core->outboxes, peer);
    if (outbox && outbox->late.count >= SS_OUTBOX_LATE_MAX)
        return ss_error_set(error, SS_EAGAIN, "its queue is full");
    if (outbox)
        outbox_close_lists(core, peer, outbox, LIST_LAST);
    int status = ss_message_encode(message, &core->wire, error);
    if (status == SS_OK)
        outbox_leave(core, peer, outbox, message->type, message->final);
    return status;
}

static void outbox_send_or_forget(
    struct ss_core *core, const char *peer, const struct ss_message *message)
{
    struct ss_error error = {0};
    if (outbox_send(core, peer, message, &error) != SS_OK)
        outbox_lost(core, peer, message->type, &error);
}

void ss_core_outbox_refuse(
    struct ss_core *core, const char *peer, int status, const char *text)
{
    struct ss_message message = {.type = SS_MESSAGE_REFUSED,
        .protocol = SS_PROTOCOL_VERSION,
        .refused.status = status,
        .refused.text = (char *)text};
    outbox_send_or_forget(core, peer, &message);
}

// The array keeps the texts.
static void outbox_put_members(
    struct ss_message *message, const json_t *members)
{
    size_t count = json_array_size(members);
    message->members = ss_zalloc(count, sizeof(*message->members));
    message->members_count = count;
    for (size_t i = 0; i < count; i++)
        message->members[i] =
            (char *)json_string_value(json_array_get(members, i));
}

void ss_core_outbox_answer(
    struct ss_core *core, const char *peer, uint64_t id, json_t *body)
{
    struct ss_message message = {.type = SS_MESSAGE_ANSWER,
        .protocol = SS_PROTOCOL_VERSION,
        .id = id,
        .final = true,
        .body = ss_value_new(body)};
    outbox_send_or_forget(core, peer, &message);
    ss_value_unref(message.body);
}

void ss_core_outbox_deny(
    struct ss_core *core, const char *peer, uint64_t id, const char *text)
{
    ss_core_outbox_answer(core, peer, id,
        json_pack("{s:{s:s, s:s}}", "error", "code", ss_status_name(SS_EDENIED),
            "message", text));
}

void ss_core_outbox_pong(struct ss_core *core, const char *peer, uint64_t id)
{
    struct ss_message message = {.type = SS_MESSAGE_PONG,
        .protocol = SS_PROTOCOL_VERSION,
        .id = id,
        .epoch = core->options.self.epoch};
    outbox_put_members(&message, core->members);
    outbox_send_or_forget(core, peer, &message);
    ss_free(message.members);
}

static void outbox_members(
    struct ss_core *core, const struct ss_command *command)
{
    struct ss_message message = {
        .type = SS_MESSAGE_MEMBERS, .protocol = SS_PROTOCOL_VERSION};
    outbox_put_members(&message, command->json);
    outbox_send_or_forget(core, command->peer, &message);
    ss_free(message.members);
}

static void outbox_seek(struct ss_core *core, const struct ss_command *command)
{
    uint32_t shards[SS_SHARDS];
    struct ss_message message = {.type = SS_MESSAGE_SEEK,
        .protocol = SS_PROTOCOL_VERSION,
        .epoch = command->tag,
        .shards = shards};
    for (uint16_t i = 0; i < SS_SHARDS; i++)
        if (ss_shards_have(command->shards, i))
            shards[message.shards_count++] = i;
    outbox_send_or_forget(core, command->peer, &message);
}

static void outbox_adopt(struct ss_core *core, const struct ss_command *command)
{
    struct ss_adoption adoption = {command->held, command->attempt};
    struct ss_message message = {.type = SS_MESSAGE_ADOPT,
        .protocol = SS_PROTOCOL_VERSION,
        .adoptions = &adoption,
        .adoptions_count = 1};
    outbox_send_or_forget(core, command->peer, &message);
}

static void outbox_drain(struct ss_core *core, const struct ss_command *command)
{
    struct ss_message message = {
        .type = SS_MESSAGE_DRAIN, .protocol = SS_PROTOCOL_VERSION};
    outbox_send_or_forget(core, command->peer, &message);
}

static void outbox_heard(struct ss_core *core, const struct ss_command *command)
{
    struct ss_message message = {.type = SS_MESSAGE_HEARD,
        .protocol = SS_PROTOCOL_VERSION,
        .sent = command->tag,
        .attempts = command->attempts,
        .attempts_count = command->attempts_count};
    outbox_send_or_forget(core, command->peer, &message);
}

static void outbox_welcome(
    struct ss_core *core, const struct ss_command *command)
{
    struct ss_message message = {.type = SS_MESSAGE_WELCOME,
        .protocol = SS_PROTOCOL_VERSION,
        .epoch = core->options.self.epoch,
        .welcome.lease_ms = core->options.lease_ms,
        .welcome.heartbeat_ms = core->options.heartbeat_ms,
        .welcome.begin_ms = command->begin_ms};
    outbox_put_members(&message, command->json);
    outbox_send_or_forget(core, command->peer, &message);
    ss_free(message.members);
}

// Tell the engine that nobody listens to request `id` (0: to any) of this
// client.
static void outbox_client_gone(
    struct ss_core *core, const char *peer, uint64_t id)
{
    struct ss_event event = {.type = SS_EVENT_CLIENT_GONE, .peer = peer};
    event.request.id = id;
    ss_core_owe(core, event, NULL);
}

// An answer that no message can carry becomes a final one that says so.
static void outbox_send_too_large(struct ss_core *core,
    const struct ss_command *command, const struct ss_error *error)
{
    ss_core_outbox_answer(core, command->peer, command->id,
        json_pack("{s:{s:s, s:s}}", "error", "code",
            ss_status_name(error->status), "message", error->message));
    if (command->type == SS_COMMAND_EVENT)
        outbox_client_gone(core, command->peer, command->id);
}

static void outbox_to_client(
    struct ss_core *core, const struct ss_command *command)
{
    struct ss_error error = {0};
    struct ss_message message = {.type = SS_MESSAGE_ANSWER,
        .protocol = SS_PROTOCOL_VERSION,
        .id = command->id,
        .final = command->type == SS_COMMAND_REPLY,
        .body = ss_value_new(
            command->json ? json_incref(command->json) : json_null())};
    if (outbox_send(core, command->peer, &message, &error) != SS_OK)
        outbox_send_too_large(core, command, &error);
    ss_value_unref(message.body);
}

// The BYE of this worker that is owed to the engine.
static struct ss_core_owed *outbox_owed_bye(
    struct ss_core *core, const char *peer)
{
    for (size_t i = core->owed.count; i > 0; i--) {
        struct ss_core_owed *owed = &core->owed.items[i - 1];
        if (owed->event.type == SS_EVENT_WORKER_BYE &&
            strcmp(owed->peer, peer) == 0)
            return owed;
    }
    outbox_worker_gone(core, peer);
    return &core->owed.items[core->owed.count - 1];
}

// A list of orders that the worker never had.
static void outbox_hand_back(
    struct ss_core_owed *owed, const struct ss_core_output *list)
{
    const char *orders = (const char *)list->bytes + list->size;
    struct ss_attempt attempt;
    for (size_t i = 0; i < list->orders; i++) {
        memcpy(&attempt, &orders[i * sizeof(attempt)], sizeof(attempt));
        SS_VEC_PUSH(&owed->returns, attempt);
    }
}

// What waits behind a list that could not leave does not leave any more.
static void outbox_hand_back_late(
    struct ss_core *core, struct ss_core_owed *owed, const char *peer)
{
    struct outbox *outbox = ss_map_get(&core->outboxes, peer);
    if (!outbox)
        return;
    for (size_t i = 0; i < outbox->late.count; i++)
        outbox_hand_back(owed, &outbox->late.items[i]);
    for (size_t i = 0; i < outbox->orders.count; i++)
        SS_VEC_PUSH(&owed->returns, outbox->orders.items[i]);
    outbox_free(outbox);
    ss_map_remove(&core->outboxes, peer);
}

// The worker never had these orders: they are handed back, so that they do not
// count among those that a worker was lost with.
static void outbox_worker_unreachable(
    struct ss_core *core, const struct ss_core_output *list)
{
    struct ss_core_owed *owed = outbox_owed_bye(core, list->peer);
    outbox_hand_back(owed, list);
    outbox_hand_back_late(core, owed, list->peer);
}

// The list is tried again; messages that the step has for this peer behind it
// wait.
static void outbox_keep_unsent(
    struct ss_core *core, const struct ss_core_output *list)
{
    struct outbox *outbox = outbox_of(core, list->peer);
    size_t first = (size_t)(list - core->out.items.items);
    ss_check(first < core->out.items.count);
    for (size_t i = first; i < core->out.items.count; i++) {
        struct ss_core_output *it = &core->out.items.items[i];
        if (it->type != SS_CORE_SEND || strcmp(it->peer, list->peer) != 0)
            continue;
        outbox_keep(outbox, *it);
        it->type = SS_CORE_KEPT;
    }
    core->retry_at_ms = core->now_ms + SS_OUTBOX_RETRY_MS;
}

void ss_core_unsent(
    struct ss_core *core, const struct ss_core_output *output, int status)
{
    if (output->message == SS_MESSAGE_ANSWER) {
        // Gone, or not reading: a client that comes back attaches to its run
        // again.
        outbox_client_gone(core, output->peer, 0);
        return;
    }
    bool is_list = output->message == SS_MESSAGE_TASKS ||
                   output->message == SS_MESSAGE_CANCEL ||
                   output->message == SS_MESSAGE_SETTLED;
    if (is_list && status == SS_EAGAIN)
        outbox_keep_unsent(core, output);
    else if (is_list)
        outbox_worker_unreachable(core, output);
}

void ss_core_outbox_command(
    struct ss_core *core, const struct ss_command *command)
{
    switch (command->type) {
    case SS_COMMAND_WELCOME:
        outbox_welcome(core, command);
        break;
    case SS_COMMAND_HEARD:
        outbox_heard(core, command);
        break;
    case SS_COMMAND_MEMBERS:
        outbox_members(core, command);
        break;
    case SS_COMMAND_SEEK:
        outbox_seek(core, command);
        break;
    case SS_COMMAND_ADOPT:
        outbox_adopt(core, command);
        break;
    case SS_COMMAND_DRAIN:
        outbox_drain(core, command);
        break;
    case SS_COMMAND_REFUSE:
        ss_core_say_seldom(core, SS_CORE_INFO, NULL, "refused", command->peer,
            "peer %s is refused: %s", command->peer,
            command->text ? command->text : "");
        ss_core_outbox_refuse(
            core, command->peer, command->status, command->text);
        break;
    case SS_COMMAND_DISPATCH:
        outbox_dispatch(core, command);
        break;
    case SS_COMMAND_CANCEL:
        outbox_add_attempt(core, command, LIST_CANCEL);
        break;
    case SS_COMMAND_SETTLED:
        outbox_add_attempt(core, command, LIST_SETTLED);
        break;
    case SS_COMMAND_REPLY:
    case SS_COMMAND_EVENT:
        outbox_to_client(core, command);
        break;
    case SS_COMMAND_STORE:
    case SS_COMMAND_READ:
    case SS_COMMAND_SCAN:
    case SS_COMMAND_FIND:
    case SS_COMMAND_GET:
    case SS_COMMAND_DAMAGED: // damage.c
        break;
    }
}
