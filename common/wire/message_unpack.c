// message_unpack.c - an envelope that came from outside becomes a message,
// within its limits.
#include "common/wire/message.h"

#include "common/base/mem.h"
#include "common/wire/limits.h"
#include "common/wire/unpack.h"
#include "common/wire/work.h"

typedef Superstep__V1__Envelope envelope;

static int too_many(size_t count, const char *what, struct ss_error *error)
{
    if (count <= SS_WIRE_BATCH_MAX)
        return SS_OK;
    return ss_error_set(error, SS_ELIMIT,
        "a message with %zu %s; the limit is %d", count, what,
        SS_WIRE_BATCH_MAX);
}

static void take_attempts(Superstep__V1__Attempt *const *items, size_t count,
    struct ss_message *message)
{
    message->attempts = ss_zalloc(count, sizeof(*message->attempts));
    message->attempts_count = count;
    for (size_t i = 0; i < count; i++)
        message->attempts[i] = ss_take_attempt(items[i]);
}

static int take_settings(const Superstep__V1__Hello *it,
    struct ss_message *message, struct ss_error *error)
{
    if (it->has_settings && it->settings.len > SS_WIRE_SETTINGS_SIZE_MAX)
        return ss_error_set(error, SS_ELIMIT,
            "settings: %zu bytes; the limit is %d", it->settings.len,
            SS_WIRE_SETTINGS_SIZE_MAX);
    return ss_take_json(it->has_settings, it->settings, SS_WANT_ARRAY,
        "settings", &message->hello.settings, error);
}

static int take_hello(const Superstep__V1__Hello *it,
    struct ss_message *message, struct ss_error *error)
{
    message->hello.name = ss_strdup(it->name);
    message->hello.app_version = ss_strdup(it->app_version);
    message->hello.host = ss_strdup(it->host);
    message->hello.pid = it->pid;
    message->capacity = it->capacity;
    message->hello.keeps_lists = it->keeps_lists != 0;
    int status = too_many(it->n_graphs, "graphs", error);
    if (status != SS_OK)
        return status;
    message->hello.graphs =
        ss_zalloc(it->n_graphs, sizeof(*message->hello.graphs));
    for (size_t i = 0; i < it->n_graphs; i++) {
        status = ss_take_bytes(SS_VALUE_JSON, it->graphs[i],
            "a graph's description", &message->hello.graphs[i], error);
        if (status != SS_OK)
            return status;
        message->hello.graphs_count++;
    }
    status = ss_take_texts(it->labels, it->n_labels, SS_WIRE_LABELS_MAX,
        "labels", &message->hello.labels, &message->hello.labels_count, error);
    if (status == SS_OK)
        status = ss_take_offers(it->offers, it->n_offers, &message->offers,
            &message->offers_count, error);
    if (status == SS_OK)
        status = take_settings(it, message, error);
    return status;
}

static int take_members(char *const *endpoints, size_t count,
    struct ss_message *message, struct ss_error *error)
{
    return ss_take_texts(endpoints, count, SS_WIRE_MEMBERS_MAX, "members",
        &message->members, &message->members_count, error);
}

static int take_seek(const Superstep__V1__Seek *it, struct ss_message *message)
{
    message->epoch = it->epoch;
    message->shards_count = it->n_shards;
    message->shards = ss_zalloc(it->n_shards, sizeof(*message->shards));
    for (size_t i = 0; i < it->n_shards; i++)
        message->shards[i] = it->shards[i];
    return SS_OK;
}

static int take_offers(const Superstep__V1__Offers *it,
    struct ss_message *message, struct ss_error *error)
{
    message->epoch = it->epoch;
    return ss_take_offers(it->offers, it->n_offers, &message->offers,
        &message->offers_count, error);
}

static int take_adopt(
    const Superstep__V1__Adopt *it, struct ss_message *message)
{
    message->adoptions_count = it->n_adoptions;
    message->adoptions = ss_take_adoptions(it->adoptions, it->n_adoptions);
    return SS_OK;
}

static int take_pong(const Superstep__V1__Pong *it, struct ss_message *message,
    struct ss_error *error)
{
    message->id = it->id;
    message->epoch = it->epoch;
    return take_members(it->members, it->n_members, message, error);
}

static int take_done(const Superstep__V1__Done *it, struct ss_message *message,
    struct ss_error *error)
{
    int status = too_many(it->n_outcomes, "outcomes", error);
    if (status != SS_OK)
        return status;
    message->outcomes = ss_zalloc(it->n_outcomes, sizeof(*message->outcomes));
    for (size_t i = 0; i < it->n_outcomes; i++) {
        status = ss_take_outcome(it->outcomes[i], &message->outcomes[i], error);
        if (status != SS_OK)
            return status;
        message->outcomes_count++;
    }
    return SS_OK;
}

static int take_tasks(const Superstep__V1__Tasks *it,
    struct ss_message *message, struct ss_error *error)
{
    int status = too_many(it->n_orders, "orders", error);
    if (status != SS_OK)
        return status;
    message->orders = ss_zalloc(it->n_orders, sizeof(*message->orders));
    for (size_t i = 0; i < it->n_orders; i++) {
        status = ss_take_order(it->orders[i], &message->orders[i], error);
        if (status != SS_OK)
            return status;
        message->orders_count++;
    }
    return SS_OK;
}

static int take_live(const Superstep__V1__Live *it, struct ss_message *message,
    struct ss_error *error)
{
    message->items = ss_zalloc(it->n_items, sizeof(*message->items));
    for (size_t i = 0; i < it->n_items; i++) {
        struct ss_live_item *item = &message->items[i];
        int kind = 0;
        int status = ss_take_enum((int)it->items[i]->kind,
            SS_LIVE_HEARTBEAT + 1, "a live item's kind", &kind, error);
        if (status == SS_OK)
            status = ss_take_value(
                it->items[i]->value, "a live item", &item->value, error);
        if (status != SS_OK)
            return status;
        item->attempt = ss_take_attempt(it->items[i]->attempt);
        item->kind = (enum ss_live_kind)kind;
        message->items_count++;
    }
    return SS_OK;
}

static int take_refused(
    const Superstep__V1__Refused *it, struct ss_message *message)
{
    message->refused.status = ss_status_by_name(it->code);
    if (message->refused.status == SS_OK)
        message->refused.status = SS_EREFUSED;
    message->refused.text = ss_strdup(it->text);
    return SS_OK;
}

static int take_welcome(const Superstep__V1__Welcome *it,
    struct ss_message *message, struct ss_error *error)
{
    message->epoch = it->epoch;
    message->welcome.lease_ms = it->lease_ms;
    message->welcome.heartbeat_ms = it->heartbeat_ms;
    message->welcome.begin_ms = it->begin_ms;
    return take_members(it->members, it->n_members, message, error);
}

static int take_ask(const Superstep__V1__Ask *it, struct ss_message *message,
    struct ss_error *error)
{
    message->id = it->id;
    message->op = ss_strdup(it->op);
    return ss_take_value(it->body, "a request's body", &message->body, error);
}

static int take_answer(const Superstep__V1__Answer *it,
    struct ss_message *message, struct ss_error *error)
{
    message->id = it->id;
    message->final = it->final != 0;
    return ss_take_value(it->body, "an answer's body", &message->body, error);
}

// Messages that are attempts, numbers, or nothing.
static int take_small(const envelope *from, struct ss_message *message)
{
    if (message->type == SS_MESSAGE_BEAT) {
        take_attempts(from->beat->attempts, from->beat->n_attempts, message);
        message->capacity = from->beat->capacity;
        message->sent = from->beat->sent;
    } else if (message->type == SS_MESSAGE_HEARD) {
        take_attempts(from->heard->gone, from->heard->n_gone, message);
        message->sent = from->heard->sent;
    } else if (message->type == SS_MESSAGE_LACKS)
        take_attempts(from->lacks->attempts, from->lacks->n_attempts, message);
    else if (message->type == SS_MESSAGE_CANCEL)
        take_attempts(
            from->cancel->attempts, from->cancel->n_attempts, message);
    else if (message->type == SS_MESSAGE_SETTLED)
        take_attempts(
            from->settled->attempts, from->settled->n_attempts, message);
    else if (message->type == SS_MESSAGE_BYE) {
        take_attempts(from->bye->returns, from->bye->n_returns, message);
        message->bye.drains = from->bye->drains != 0;
        message->bye.stuck = from->bye->stuck != 0;
        message->bye.ended = ss_strdup(from->bye->ended);
        message->bye.how = ss_strdup(from->bye->how);
    } else if (message->type == SS_MESSAGE_HANGUP)
        message->id = from->hangup->id;
    else
        message->id = from->ping->id;
    return SS_OK;
}

#define TYPE(name)                                                             \
    case SUPERSTEP__V1__ENVELOPE__MESSAGE_##name:                              \
        return SS_MESSAGE_##name;

static enum ss_message_type type_of(const envelope *from)
{
    switch ((int)from->message_case) {
        SS_MESSAGE_MAP(TYPE)
    default:
        break;
    }
    return SS_MESSAGE_NONE;
}

static int take(
    const envelope *from, struct ss_message *message, struct ss_error *error)
{
    switch (message->type) {
    case SS_MESSAGE_HELLO:
        return take_hello(from->hello, message, error);
    case SS_MESSAGE_DONE:
        return take_done(from->done, message, error);
    case SS_MESSAGE_LIVE:
        return take_live(from->live, message, error);
    case SS_MESSAGE_WELCOME:
        return take_welcome(from->welcome, message, error);
    case SS_MESSAGE_REFUSED:
        return take_refused(from->refused, message);
    case SS_MESSAGE_TASKS:
        return take_tasks(from->tasks, message, error);
    case SS_MESSAGE_ASK:
        return take_ask(from->ask, message, error);
    case SS_MESSAGE_ANSWER:
        return take_answer(from->answer, message, error);
    case SS_MESSAGE_PONG:
        return take_pong(from->pong, message, error);
    case SS_MESSAGE_MEMBERS:
        return take_members(from->members->endpoints,
            from->members->n_endpoints, message, error);
    case SS_MESSAGE_SEEK:
        return take_seek(from->seek, message);
    case SS_MESSAGE_OFFERS:
        return take_offers(from->offers, message, error);
    case SS_MESSAGE_ADOPT:
        return take_adopt(from->adopt, message);
    case SS_MESSAGE_BEAT:
    case SS_MESSAGE_BYE:
    case SS_MESSAGE_CANCEL:
    case SS_MESSAGE_SETTLED:
    case SS_MESSAGE_LACKS:
    case SS_MESSAGE_HANGUP:
    case SS_MESSAGE_PING:
    case SS_MESSAGE_HEARD:
        return take_small(from, message);
    case SS_MESSAGE_DRAIN:
        return SS_OK; // the message has no fields
    case SS_MESSAGE_NONE:
        break;
    }
    return ss_error_set(error, SS_EFORMAT, "an envelope without a message");
}

int ss_message_decode(const void *bytes, size_t size,
    struct ss_message **ret_message, struct ss_error *error)
{
    uint64_t protocol;
    if (size > SS_MESSAGE_SIZE_MAX)
        return ss_error_set(error, SS_ELIMIT,
            "a message of %zu bytes; the limit is %u", size,
            SS_MESSAGE_SIZE_MAX);
    if (!ss_wire_peek(bytes, size, 1, &protocol))
        return ss_error_set(error, SS_EFORMAT,
            "these %zu bytes are not a message of this protocol", size);
    if (protocol != SS_PROTOCOL_VERSION)
        return ss_error_set(error, SS_EVERSION,
            "the other side speaks protocol %llu, this one %d; run the same "
            "version of Superstep on both",
            (unsigned long long)protocol, SS_PROTOCOL_VERSION);
    struct ss_budget budget;
    ProtobufCMessage *unpacked;
    int status = ss_wire_unpack(&superstep__v1__envelope__descriptor, bytes,
        size, &budget, &unpacked, error);
    if (status != SS_OK)
        return status;
    const envelope *from = (const envelope *)unpacked;
    struct ss_message *message = ss_message_new(type_of(from));
    message->protocol = (uint32_t)protocol;
    status = take(from, message, error);
    if (status != SS_OK) {
        if (message->type != SS_MESSAGE_NONE)
            ss_error_wrap(error, "%s", ss_message_name(message->type));
        ss_message_destroy(&message);
    } else {
        *ret_message = message;
    }
    ss_budget_fini(&budget);
    return status;
}
