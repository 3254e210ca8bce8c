// message_pack.c - a message into its envelope, within the limits of the wire.
#include "common/wire/message.h"

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/wire/batch.h"
#include "common/wire/limits.h"
#include "common/wire/unpack.h"
#include "common/wire/work.h"

typedef Superstep__V1__Envelope envelope;

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

// Messages that are attempts, and nothing else.
#define PACK_ATTEMPTS(kind, field, number)                                     \
    static void pack_##field(struct ss_packer *packer,                         \
        const struct ss_message *message, envelope *to)                        \
    {                                                                          \
        PACK(kind, field, number);                                             \
        it->n_attempts = message->attempts_count;                              \
        it->attempts = pack_attempts(packer, message);                         \
    }
PACK_ATTEMPTS(Cancel, cancel, CANCEL)
PACK_ATTEMPTS(Settled, settled, SETTLED)
PACK_ATTEMPTS(Lacks, lacks, LACKS)

static void pack_hello(
    struct ss_packer *packer, const struct ss_message *message, envelope *to)
{
    PACK(Hello, hello, HELLO);
    it->name = ss_pack_text(message->hello.name);
    it->app_version = message->hello.app_version;
    it->host = message->hello.host;
    it->has_pid = message->hello.pid != 0;
    it->pid = message->hello.pid;
    it->capacity = message->capacity;
    it->has_keeps_lists = message->hello.keeps_lists;
    it->keeps_lists = message->hello.keeps_lists;
    ss_pack_json(
        packer, message->hello.settings, &it->has_settings, &it->settings);
    it->n_graphs = message->hello.graphs_count;
    it->graphs = ss_pack_alloc(packer, it->n_graphs, sizeof(*it->graphs));
    for (size_t i = 0; i < it->n_graphs; i++)
        it->graphs[i] = ss_pack_bytes(packer, message->hello.graphs[i]);
    it->n_labels = message->hello.labels_count;
    it->labels = ss_pack_texts(packer, message->hello.labels, it->n_labels);
    it->n_offers = message->offers_count;
    it->offers = ss_pack_offers(packer, message->offers, it->n_offers);
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

static void pack_beat(
    struct ss_packer *packer, const struct ss_message *message, envelope *to)
{
    PACK(Beat, beat, BEAT);
    it->n_attempts = message->attempts_count;
    it->attempts = pack_attempts(packer, message);
    it->has_capacity = message->capacity != 0;
    it->capacity = message->capacity;
    it->has_sent = message->sent != 0;
    it->sent = message->sent;
}

static void pack_bye(
    struct ss_packer *packer, const struct ss_message *message, envelope *to)
{
    PACK(Bye, bye, BYE);
    it->has_drains = it->drains = message->bye.drains;
    it->has_stuck = it->stuck = message->bye.stuck;
    it->n_returns = message->attempts_count;
    it->returns = pack_attempts(packer, message);
    it->ended = message->bye.ended;
    it->how = message->bye.how;
}

static void pack_welcome(
    struct ss_packer *packer, const struct ss_message *message, envelope *to)
{
    PACK(Welcome, welcome, WELCOME);
    it->epoch = message->epoch;
    it->lease_ms = message->welcome.lease_ms;
    it->heartbeat_ms = message->welcome.heartbeat_ms;
    it->has_begin_ms = message->welcome.begin_ms != 0;
    it->begin_ms = message->welcome.begin_ms;
    it->n_members = message->members_count;
    it->members = ss_pack_texts(packer, message->members, it->n_members);
}

static void pack_refused(
    struct ss_packer *packer, const struct ss_message *message, envelope *to)
{
    PACK(Refused, refused, REFUSED);
    it->code = ss_pack_text(ss_status_name(message->refused.status));
    it->text = ss_pack_prose(
        packer, message->refused.text ? message->refused.text : "");
}

static void pack_heard(
    struct ss_packer *packer, const struct ss_message *message, envelope *to)
{
    PACK(Heard, heard, HEARD);
    it->sent = message->sent;
    it->n_gone = message->attempts_count;
    it->gone = pack_attempts(packer, message);
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
    [SS_MESSAGE_LIVE] = pack_live,
    [SS_MESSAGE_WELCOME] = pack_welcome,
    [SS_MESSAGE_REFUSED] = pack_refused,
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
    [SS_MESSAGE_HEARD] = pack_heard,
};

// Orders and outcomes are bytes of their own, as in a batch.
static int encode_list(const struct ss_message *message, struct ss_buf *ret,
    struct ss_error *error)
{
    struct ss_buf pieces;
    int status = SS_OK;
    ss_buf_init(&pieces, SS_MESSAGE_SIZE_MAX);
    for (size_t i = 0; i < message->orders_count && status == SS_OK; i++)
        status = ss_batch_add_order(&pieces, message->orders[i], error);
    for (size_t i = 0; i < message->outcomes_count && status == SS_OK; i++)
        status = ss_batch_add_outcome(&pieces, message->outcomes[i], error);
    if (status == SS_OK)
        status = ss_batch_encode(message->type, &pieces, ret, error);
    ss_buf_fini(&pieces);
    return status;
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
    ss_check(ss_pack_message(&to.base, size, ret));
    // A message that nobody could decode must not leave: here its author still
    // learns of it.
    return ss_wire_scan(
        &superstep__v1__envelope__descriptor, ret->data, ret->size, error);
}

int ss_message_encode(const struct ss_message *message, struct ss_buf *ret,
    struct ss_error *error)
{
    ss_check(
        message->type > SS_MESSAGE_NONE && message->type <= SS_MESSAGE_LAST);
    struct ss_packer packer;
    ss_packer_init(&packer, error);
    ss_buf_reset(ret);
    bool is_list =
        message->type == SS_MESSAGE_TASKS || message->type == SS_MESSAGE_DONE;
    int status = is_list ? encode_list(message, ret, error)
                         : encode(&packer, message, ret, error);
    ss_packer_fini(&packer);
    if (status != SS_OK) {
        ss_buf_reset(ret);
        ss_error_wrap(error, "%s", ss_message_name(message->type));
    }
    return status;
}
