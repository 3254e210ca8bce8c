// message.c - the envelope: which message, its lists, its limits.
#include "common/wire/message.h"

#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/wire/limits.h"
#include "common/wire/unpack.h"
#include "common/wire/work.h"

typedef Superstep__V1__Envelope envelope;

const char *ss_message_name(enum ss_message_type type)
{
    static const char *const names[] = {"NONE",
#define X(name) #name,
        SS_MESSAGE_MAP(X)
#undef X
    };
    size_t count = sizeof(names) / sizeof(*names);
    return (size_t)type < count ? names[type] : "?";
}

struct ss_message *ss_message_new(enum ss_message_type type)
{
    struct ss_message *message = ss_zalloc(1, sizeof(*message));
    message->type = type;
    message->protocol = SS_PROTOCOL_VERSION;
    return message;
}

void ss_message_destroy(struct ss_message **message)
{
    struct ss_message *it = *message;
    if (!it)
        return;
    for (size_t i = 0; i < it->graphs_count; i++)
        ss_value_unref(it->graphs[i]);
    for (size_t i = 0; i < it->orders_count; i++)
        ss_order_destroy(&it->orders[i]);
    for (size_t i = 0; i < it->outcomes_count; i++)
        ss_outcome_destroy(&it->outcomes[i]);
    for (size_t i = 0; i < it->items_count; i++)
        ss_value_unref(it->items[i].value);
    for (size_t i = 0; i < it->offers_count; i++)
        ss_offer_fini(&it->offers[i]);
    ss_texts_free(it->members, it->members_count);
    ss_texts_free(it->labels, it->labels_count);
    json_decref(it->settings);
    ss_free(it->offers);
    ss_free(it->adoptions);
    ss_free(it->shards);
    ss_free(it->graphs);
    ss_free(it->orders);
    ss_free(it->outcomes);
    ss_free(it->items);
    ss_free(it->attempts);
    ss_free(it->name);
    ss_free(it->app_version);
    ss_free(it->host);
    ss_free(it->text);
    ss_free(it->op);
    ss_value_unref(it->body);
    ss_free(it);
    *message = NULL;
}

// --- pack -------------------------------------------------------------------

// A new message of this kind in the envelope.
#define PACK(kind, field, number)                                              \
    Superstep__V1__##kind *it = ss_pack_alloc(packer, 1, sizeof(*it));         \
    superstep__v1__##field##__init(it);                                        \
    to->message_case = SUPERSTEP__V1__ENVELOPE__MESSAGE_##number;              \
    to->field = it

static Superstep__V1__Attempt **pack_attempts(
    struct ss_packer *packer, const struct ss_message *message)
{
    size_t count = message->attempts_count;
    Superstep__V1__Attempt **items =
        ss_pack_alloc(packer, count, sizeof(*items));
    for (size_t i = 0; i < count; i++)
        items[i] = ss_pack_attempt(packer, message->attempts[i]);
    return items;
}

static void pack_hello(
    struct ss_packer *packer, const struct ss_message *message, envelope *to)
{
    PACK(Hello, hello, HELLO);
    it->name = ss_pack_text(message->name);
    it->app_version = message->app_version;
    it->host = message->host;
    it->has_pid = message->pid != 0;
    it->pid = message->pid;
    it->capacity = message->capacity;
    it->has_keeps_lists = message->keeps_lists;
    it->keeps_lists = message->keeps_lists;
    ss_pack_json(
        packer, message->settings, &it->has_settings, &it->settings);
    it->n_graphs = message->graphs_count;
    it->graphs = ss_pack_alloc(packer, it->n_graphs, sizeof(*it->graphs));
    for (size_t i = 0; i < it->n_graphs; i++)
        it->graphs[i] = ss_pack_bytes(packer, message->graphs[i]);
    it->n_labels = message->labels_count;
    it->labels = ss_pack_texts(packer, message->labels, it->n_labels);
    it->n_offers = message->offers_count;
    it->offers = ss_pack_offers(packer, message->offers, it->n_offers);
}

static void pack_done(
    struct ss_packer *packer, const struct ss_message *message, envelope *to)
{
    PACK(Done, done, DONE);
    it->n_outcomes = message->outcomes_count;
    it->outcomes = ss_pack_alloc(packer, it->n_outcomes, sizeof(*it->outcomes));
    for (size_t i = 0; i < it->n_outcomes; i++)
        it->outcomes[i] = ss_pack_outcome(packer, message->outcomes[i]);
}

Superstep__V1__LiveItem *ss_pack_live(
    struct ss_packer *packer, const struct ss_live_item *item)
{
    Superstep__V1__LiveItem *packed = ss_pack_alloc(packer, 1, sizeof(*packed));
    superstep__v1__live_item__init(packed);
    packed->attempt = ss_pack_attempt(packer, item->attempt);
    packed->kind = (Superstep__V1__LiveKind)item->kind;
    packed->value = ss_pack_value(packer, item->value);
    return packed;
}

static void pack_live(
    struct ss_packer *packer, const struct ss_message *message, envelope *to)
{
    PACK(Live, live, LIVE);
    it->n_items = message->items_count;
    it->items = ss_pack_alloc(packer, it->n_items, sizeof(*it->items));
    for (size_t i = 0; i < it->n_items; i++)
        it->items[i] = ss_pack_live(packer, &message->items[i]);
}

static void pack_tasks(
    struct ss_packer *packer, const struct ss_message *message, envelope *to)
{
    PACK(Tasks, tasks, TASKS);
    it->n_orders = message->orders_count;
    it->orders = ss_pack_alloc(packer, it->n_orders, sizeof(*it->orders));
    for (size_t i = 0; i < it->n_orders; i++)
        it->orders[i] = ss_pack_order(packer, message->orders[i]);
}

static void pack_beat(
    struct ss_packer *packer, const struct ss_message *message, envelope *to)
{
    PACK(Beat, beat, BEAT);
    it->n_attempts = message->attempts_count;
    it->attempts = pack_attempts(packer, message);
    it->has_capacity = message->capacity != 0;
    it->capacity = message->capacity;
}

static void pack_bye(
    struct ss_packer *packer, const struct ss_message *message, envelope *to)
{
    PACK(Bye, bye, BYE);
    it->has_drains = it->drains = message->drains;
    it->n_returns = message->attempts_count;
    it->returns = pack_attempts(packer, message);
}

static void pack_welcome(
    struct ss_packer *packer, const struct ss_message *message, envelope *to)
{
    PACK(Welcome, welcome, WELCOME);
    it->epoch = message->epoch;
    it->lease_ms = message->lease_ms;
    it->heartbeat_ms = message->heartbeat_ms;
    it->n_members = message->members_count;
    it->members = ss_pack_texts(packer, message->members, it->n_members);
}

static void pack_refused(
    struct ss_packer *packer, const struct ss_message *message, envelope *to)
{
    PACK(Refused, refused, REFUSED);
    it->code = ss_pack_text(ss_status_name(message->status));
    it->text = ss_pack_prose(packer, message->text ? message->text : "");
}

static void pack_cancel(
    struct ss_packer *packer, const struct ss_message *message, envelope *to)
{
    PACK(Cancel, cancel, CANCEL);
    it->n_attempts = message->attempts_count;
    it->attempts = pack_attempts(packer, message);
}

static void pack_settled(
    struct ss_packer *packer, const struct ss_message *message, envelope *to)
{
    PACK(Settled, settled, SETTLED);
    it->n_attempts = message->attempts_count;
    it->attempts = pack_attempts(packer, message);
}

static void pack_ask(
    struct ss_packer *packer, const struct ss_message *message, envelope *to)
{
    PACK(Ask, ask, ASK);
    it->id = message->id;
    it->op = ss_pack_text(message->op);
    it->body = ss_pack_value(packer, message->body);
}

static void pack_hangup(
    struct ss_packer *packer, const struct ss_message *message, envelope *to)
{
    PACK(Hangup, hangup, HANGUP);
    it->id = message->id;
}

static void pack_answer(
    struct ss_packer *packer, const struct ss_message *message, envelope *to)
{
    PACK(Answer, answer, ANSWER);
    it->id = message->id;
    it->has_final = it->final = message->final;
    it->body = ss_pack_value(packer, message->body);
}

static void pack_ping(
    struct ss_packer *packer, const struct ss_message *message, envelope *to)
{
    PACK(Ping, ping, PING);
    it->has_id = message->id != 0;
    it->id = message->id;
}

static void pack_pong(
    struct ss_packer *packer, const struct ss_message *message, envelope *to)
{
    PACK(Pong, pong, PONG);
    it->has_id = message->id != 0;
    it->id = message->id;
    it->has_epoch = message->epoch != 0;
    it->epoch = message->epoch;
    it->n_members = message->members_count;
    it->members = ss_pack_texts(packer, message->members, it->n_members);
}

static void pack_members(
    struct ss_packer *packer, const struct ss_message *message, envelope *to)
{
    PACK(Members, members, MEMBERS);
    it->n_endpoints = message->members_count;
    it->endpoints = ss_pack_texts(packer, message->members, it->n_endpoints);
}

static void pack_seek(
    struct ss_packer *packer, const struct ss_message *message, envelope *to)
{
    PACK(Seek, seek, SEEK);
    it->epoch = message->epoch;
    it->n_shards = message->shards_count;
    it->shards = message->shards;
}

static void pack_lacks(
    struct ss_packer *packer, const struct ss_message *message, envelope *to)
{
    PACK(Lacks, lacks, LACKS);
    it->n_attempts = message->attempts_count;
    it->attempts = pack_attempts(packer, message);
}

static void pack_offers(
    struct ss_packer *packer, const struct ss_message *message, envelope *to)
{
    PACK(Offers, offers, OFFERS);
    it->epoch = message->epoch;
    it->n_offers = message->offers_count;
    it->offers = ss_pack_offers(packer, message->offers, it->n_offers);
}

static void pack_adopt(
    struct ss_packer *packer, const struct ss_message *message, envelope *to)
{
    PACK(Adopt, adopt, ADOPT);
    it->n_adoptions = message->adoptions_count;
    it->adoptions =
        ss_pack_adoptions(packer, message->adoptions, it->n_adoptions);
}

static void pack_drain(
    struct ss_packer *packer, const struct ss_message *message, envelope *to)
{
    (void)message;
    PACK(Drain, drain, DRAIN);
}

typedef void pack_fn(
    struct ss_packer *packer, const struct ss_message *message, envelope *to);

static pack_fn *const packers[] = {
    [SS_MESSAGE_HELLO] = pack_hello,
    [SS_MESSAGE_BEAT] = pack_beat,
    [SS_MESSAGE_BYE] = pack_bye,
    [SS_MESSAGE_DONE] = pack_done,
    [SS_MESSAGE_LIVE] = pack_live,
    [SS_MESSAGE_WELCOME] = pack_welcome,
    [SS_MESSAGE_REFUSED] = pack_refused,
    [SS_MESSAGE_TASKS] = pack_tasks,
    [SS_MESSAGE_CANCEL] = pack_cancel,
    [SS_MESSAGE_SETTLED] = pack_settled,
    [SS_MESSAGE_ASK] = pack_ask,
    [SS_MESSAGE_HANGUP] = pack_hangup,
    [SS_MESSAGE_ANSWER] = pack_answer,
    [SS_MESSAGE_PING] = pack_ping,
    [SS_MESSAGE_PONG] = pack_pong,
    [SS_MESSAGE_MEMBERS] = pack_members,
    [SS_MESSAGE_SEEK] = pack_seek,
    [SS_MESSAGE_OFFERS] = pack_offers,
    [SS_MESSAGE_ADOPT] = pack_adopt,
    [SS_MESSAGE_LACKS] = pack_lacks,
    [SS_MESSAGE_DRAIN] = pack_drain,
};

struct buf_sink {
    ProtobufCBuffer base;
    struct ss_buf *buf;
};

static void append(ProtobufCBuffer *buffer, size_t size, const uint8_t *bytes)
{
    struct buf_sink *sink = (struct buf_sink *)buffer;
    ss_buf_add(sink->buf, bytes, size);
}

static int encode(struct ss_packer *packer, const struct ss_message *message,
    struct ss_buf *ret, struct ss_error *error)
{
    envelope to = SUPERSTEP__V1__ENVELOPE__INIT;
    to.protocol = message->protocol;
    packers[message->type](packer, message, &to);
    if (packer->status != SS_OK)
        return packer->status;
    size_t size = protobuf_c_message_get_packed_size(&to.base);
    if (size > SS_MESSAGE_SIZE_MAX || size > ret->size_max)
        return ss_error_set(error, SS_ELIMIT,
            "a message of %zu bytes; the limit is %u", size,
            SS_MESSAGE_SIZE_MAX);
    struct buf_sink sink = {{append}, ret};
    protobuf_c_message_pack_to_buffer(&to.base, &sink.base);
    // What nobody could decode must not leave: here its author can be told.
    return ss_wire_scan(
        &superstep__v1__envelope__descriptor, ret->data, ret->size, error);
}

int ss_message_encode(const struct ss_message *message, struct ss_buf *ret,
    struct ss_error *error)
{
    ss_check(
        message->type > SS_MESSAGE_NONE && message->type <= SS_MESSAGE_LAST);
    struct ss_packer packer = {.error = error};
    ss_budget_init(&packer.budget, SIZE_MAX);
    ss_buf_reset(ret);
    int status = encode(&packer, message, ret, error);
    ss_budget_fini(&packer.budget);
    if (status != SS_OK) {
        ss_buf_reset(ret);
        ss_error_wrap(error, "%s", ss_message_name(message->type));
    }
    return status;
}

// --- unpack -----------------------------------------------------------------

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
        "settings", &message->settings, error);
}

static int take_hello(const Superstep__V1__Hello *it,
    struct ss_message *message, struct ss_error *error)
{
    message->name = ss_strdup(it->name);
    message->app_version = ss_strdup(it->app_version);
    message->host = ss_strdup(it->host);
    message->pid = it->pid;
    message->capacity = it->capacity;
    message->keeps_lists = it->keeps_lists != 0;
    int status = too_many(it->n_graphs, "graphs", error);
    if (status != SS_OK)
        return status;
    message->graphs = ss_zalloc(it->n_graphs, sizeof(*message->graphs));
    for (size_t i = 0; i < it->n_graphs; i++) {
        status = ss_take_bytes(SS_VALUE_JSON, it->graphs[i],
            "a graph's description", &message->graphs[i], error);
        if (status != SS_OK)
            return status;
        message->graphs_count++;
    }
    status = ss_take_texts(it->labels, it->n_labels, SS_WIRE_LABELS_MAX,
        "labels", &message->labels, &message->labels_count, error);
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

static int take_seek(
    const Superstep__V1__Seek *it, struct ss_message *message)
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
    message->status = ss_status_by_name(it->code);
    if (message->status == SS_OK)
        message->status = SS_EREFUSED;
    message->text = ss_strdup(it->text);
    return SS_OK;
}

static int take_welcome(const Superstep__V1__Welcome *it,
    struct ss_message *message, struct ss_error *error)
{
    message->epoch = it->epoch;
    message->lease_ms = it->lease_ms;
    message->heartbeat_ms = it->heartbeat_ms;
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
        message->drains = from->bye->drains != 0;
    }
    else if (message->type == SS_MESSAGE_HANGUP)
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
        return take_small(from, message);
    case SS_MESSAGE_DRAIN:
        return SS_OK; // that it is there says all
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
            "these %zu bytes are no message of this protocol", size);
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
