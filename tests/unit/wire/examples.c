#include "tests/unit/wire/examples.h"

#include <check.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/wire/limits.h"

struct ss_value *wire_value(const char *text)
{
    return ss_value_from_text(text, strlen(text));
}

json_t *wire_json(const char *text)
{
    json_t *made = NULL;
    ck_assert_int_eq(ss_json_parse(text, strlen(text), &made, NULL), SS_OK);
    return made;
}

struct ss_assignment *wire_order(void)
{
    struct ss_assignment *order = ss_assignment_new();
    order->attempt = (struct ss_attempt){7, UINT64_MAX};
    order->kind = SS_ORDER_NODE;
    order->app_graph = "digest";
    order->version = "0123abcd";
    order->graph = "digest.inner";
    order->node = "count";
    order->thread = "thread-\xc3\xa9";
    order->run = "run-1";
    strcpy(order->task_id, "11111111-2222-3333-4444-555555555555");
    strcpy(order->checkpoint_id, "1f0a2b3c-0000-6000-8000-000000000001");
    order->ns = "count:11111111-2222-3333-4444-555555555555";
    order->path = "~__pregel_pull, count";
    order->step = -1;
    order->stop = 10007;
    order->attempt_number = 3;
    order->first_attempt_us = 1760000000000000;
    order->triggers = wire_json("[\"a\",\"branch:to:count\"]");
    order->input = wire_value("{\"text\":\"x\"}");
    order->given.answers = wire_json("[true,null]");
    order->given.plain = wire_value("\"yes\"");
    order->fresh.channels = ss_value_new(wire_json("{\"n\":1}"));
    order->fresh.managed = wire_json("{\"is_last_step\":false}");
    order->given.config = wire_value("{\"metadata\":{\"a\":1}}");
    order->given.context = wire_value("[1,2]");
    order->given.error =
        wire_json("{\"node\":\"n\",\"message\":\"m\",\"code\":\"c\"}");
    order->timeouts.run_ms = 60000;
    order->timeouts.idle_ms = 5000;
    order->timeouts.heartbeat_only = true;
    order->want_custom = true;
    order->want_messages = true;
    order->lists.items = ss_zalloc(2, sizeof(*order->lists.items));
    order->lists.count = order->lists.capacity = 2;
    order->lists.items[0] = (struct ss_assignment_list){.part = SS_PART_INPUT,
        .at = 1,
        .name = ss_strdup("log"),
        .slot = UINT64_MAX,
        .base = 3,
        .stamp = 4,
        .delta = wire_value("[[7,1,\"x\"]]")};
    order->lists.items[1] = (struct ss_assignment_list){.part = SS_PART_FOLD,
        .slot = 1,
        .stamp = 2,
        .delta = wire_value("[1,2]")};
    order->digest = 0xfedcba9876543210;
    order->shard_epoch = 9;
    order->heard = 10;
    return order;
}

struct ss_assignment *wire_fold_order(void)
{
    struct ss_assignment *order = ss_assignment_new();
    order->kind = SS_ORDER_FOLD;
    order->app_graph = "g";
    order->triggers = json_array();
    order->given.answers = json_array();
    order->returned = wire_value("{\"$send\":1}");
    order->fold.channel = ss_strdup("total");
    order->fold.value = ss_value_opaque(SS_VALUE_BYTES, "\0\1\2", 3);
    order->fold.writes = wire_json("[1,{\"__overwrite__\":2}]");
    return order;
}

struct ss_outcome *wire_outcome(enum ss_outcome_kind kind)
{
    struct ss_outcome *outcome = ss_outcome_new();
    outcome->attempt = (struct ss_attempt){2, 9};
    strcpy(outcome->task_id, "11111111-2222-3333-4444-555555555555");
    outcome->kind = kind;
    return outcome;
}

struct ss_outcome *wire_done_outcome(void)
{
    struct ss_outcome *outcome = wire_outcome(SS_OUTCOME_DONE);
    ss_writes_add(&outcome->writes, "words", wire_value("[1,2.5,\"\\u0000\"]"));
    ss_writes_add(&outcome->writes, "none", ss_value_null());
    ss_writes_add(&outcome->writes, "raw",
        ss_value_opaque(SS_VALUE_MSGPACK, "\xc0\xff", 2));
    outcome->answers = wire_json("[\"yes\"]");
    outcome->took_plain = true;
    outcome->messages = wire_json("[{\"type\":\"ai\"}]");
    outcome->drain = ss_strdup("maintenance");
    outcome->folded = wire_value("12");
    outcome->ran_us = 1234;
    return outcome;
}

struct ss_outcome *wire_failed_outcome(void)
{
    struct ss_outcome *outcome = wire_outcome(SS_OUTCOME_FAILED);
    outcome->code = SS_EUPDATE;
    outcome->error_kind = ss_strdup("timeout");
    outcome->message = ss_strdup("no \xe2\x82\xac left");
    outcome->retryable = SS_RETRY_NO;
    return outcome;
}

static struct ss_outcome *asking_outcome(void)
{
    struct ss_outcome *outcome = wire_outcome(SS_OUTCOME_INTERRUPTED);
    outcome->question = wire_json("{\"value\":\"ok?\"}");
    return outcome;
}

static struct ss_outcome *parent_outcome(void)
{
    struct ss_outcome *outcome = wire_outcome(SS_OUTCOME_PARENT);
    outcome->parent = wire_json("{\"goto\":\"n\"}");
    return outcome;
}

static void add_attempts(struct ss_message *message)
{
    message->attempts_count = 2;
    message->attempts = ss_zalloc(2, sizeof(*message->attempts));
    message->attempts[0] = (struct ss_attempt){1, 2};
    message->attempts[1] = (struct ss_attempt){UINT64_MAX, 0};
}

static void fill_work(struct ss_message *message)
{
    if (message->type == SS_MESSAGE_TASKS) {
        message->orders_count = 2;
        message->orders = ss_zalloc(2, sizeof(*message->orders));
        message->orders[0] = wire_order();
        message->orders[1] = wire_fold_order();
    } else if (message->type == SS_MESSAGE_DONE) {
        message->outcomes_count = 4;
        message->outcomes = ss_zalloc(4, sizeof(*message->outcomes));
        message->outcomes[0] = wire_done_outcome();
        message->outcomes[1] = wire_failed_outcome();
        message->outcomes[2] = asking_outcome();
        message->outcomes[3] = parent_outcome();
    } else {
        message->items_count = 2;
        message->items = ss_zalloc(2, sizeof(*message->items));
        message->items[0] = (struct ss_live_item){
            {1, 2}, SS_LIVE_CUSTOM, wire_value("{\"p\":50}")};
        message->items[1] =
            (struct ss_live_item){{1, 3}, SS_LIVE_HEARTBEAT, NULL};
    }
}

static char **texts(const char *a, const char *b)
{
    char **made = ss_zalloc(2, sizeof(*made));
    made[0] = ss_strdup(a);
    made[1] = ss_strdup(b);
    return made;
}

static void add_members(struct ss_message *message)
{
    message->members_count = 2;
    message->members = texts("tcp://a:7433", "tcp://b:7433");
}

static void add_offers(struct ss_message *message)
{
    message->offers_count = 2;
    message->offers = ss_zalloc(2, sizeof(*message->offers));
    for (size_t i = 0; i < 2; i++) {
        struct ss_offer *offer = &message->offers[i];
        offer->attempt = (struct ss_attempt){3, 40 + i};
        strcpy(offer->task_id, "11111111-2222-3333-4444-555555555555");
        offer->thread = ss_strdup("thread-1");
        offer->run = ss_strdup(i ? "" : "run-1");
        offer->digest = i ? UINT64_MAX : 0;
        offer->ended = i != 0;
    }
}

static void add_shards(struct ss_message *message)
{
    message->shards_count = 3;
    message->shards = ss_zalloc(3, sizeof(*message->shards));
    message->shards[1] = 300;
    message->shards[2] = UINT32_MAX;
}

static void fill_hello(struct ss_message *message)
{
    message->hello.labels_count = 2;
    message->hello.labels = texts("gpu", "large");
    add_offers(message);
    message->hello.name = ss_strdup("host/7/1");
    message->hello.app_version = ss_strdup("2.0");
    message->hello.host = ss_strdup("host");
    message->hello.pid = 7;
    message->capacity = 4;
    message->hello.keeps_lists = true;
    message->hello.settings =
        json_pack("[{s:s, s:i}]", "name", "capacity", "value", 4);
    message->hello.graphs_count = 2;
    message->hello.graphs = ss_zalloc(2, sizeof(*message->hello.graphs));
    message->hello.graphs[0] = wire_value("{\"name\":\"a\"}");
    message->hello.graphs[1] = wire_value("{\"name\":\"b\"}");
}

static void fill_cluster(struct ss_message *message)
{
    message->epoch =
        message->type == SS_MESSAGE_SEEK || message->type == SS_MESSAGE_OFFERS
            ? 8
            : 0;
    if (message->type == SS_MESSAGE_MEMBERS) {
        add_members(message);
    } else if (message->type == SS_MESSAGE_SEEK) {
        add_shards(message);
    } else if (message->type == SS_MESSAGE_OFFERS) {
        add_offers(message);
    } else {
        message->adoptions_count = 2;
        message->adoptions = ss_zalloc(2, sizeof(*message->adoptions));
        message->adoptions[1] = (struct ss_adoption){{3, 40}, {4, UINT64_MAX}};
    }
}

static void fill_bye(struct ss_message *message)
{
    message->bye.drains = message->bye.stuck = true;
    message->bye.ended = ss_strdup("w1");
    message->bye.how = ss_strdup("signal 11");
    add_attempts(message);
}

// A message of each type with everything in it that it can carry.
struct ss_message *wire_example(enum ss_message_type type)
{
    struct ss_message *message = ss_message_new(type);
    switch (type) {
    case SS_MESSAGE_HELLO:
        fill_hello(message);
        break;
    case SS_MESSAGE_BEAT:
        message->capacity = 3;
        message->sent = UINT64_MAX;
        add_attempts(message);
        break;
    case SS_MESSAGE_HEARD:
    case SS_MESSAGE_CANCEL:
    case SS_MESSAGE_SETTLED:
    case SS_MESSAGE_LACKS:
        message->sent = type == SS_MESSAGE_HEARD ? 77 : 0;
        add_attempts(message);
        break;
    case SS_MESSAGE_BYE:
        fill_bye(message);
        break;
    case SS_MESSAGE_DONE:
    case SS_MESSAGE_LIVE:
    case SS_MESSAGE_TASKS:
        fill_work(message);
        break;
    case SS_MESSAGE_WELCOME:
        message->epoch = 12;
        message->welcome.lease_ms = 10000;
        message->welcome.heartbeat_ms = 2000;
        message->welcome.begin_ms = 1000;
        add_members(message);
        break;
    case SS_MESSAGE_REFUSED:
        message->refused.status = SS_EEXISTS;
        message->refused.text = ss_strdup("that name is taken");
        break;
    case SS_MESSAGE_ASK:
        message->op = ss_strdup("run");
        message->id = 3;
        message->body = wire_value("{\"graph\":\"digest\"}");
        break;
    case SS_MESSAGE_ANSWER:
        message->final = true;
        message->id = 3;
        message->body = wire_value("{\"status\":\"done\"}");
        break;
    case SS_MESSAGE_HANGUP:
    case SS_MESSAGE_PING:
        message->id = UINT64_MAX;
        break;
    case SS_MESSAGE_PONG:
        message->id = 4;
        message->epoch = 5;
        add_members(message);
        break;
    case SS_MESSAGE_MEMBERS:
    case SS_MESSAGE_SEEK:
    case SS_MESSAGE_OFFERS:
    case SS_MESSAGE_ADOPT:
        fill_cluster(message);
        break;
    case SS_MESSAGE_DRAIN: // carries nothing
    case SS_MESSAGE_NONE:
        break;
    }
    return message;
}

void wire_encode(const struct ss_message *message, struct ss_buf *buf)
{
    struct ss_error error = {0};
    int status = ss_message_encode(message, buf, &error);
    ck_assert_msg(status == SS_OK, "%s", error.message);
}

struct ss_message *wire_decode(const struct ss_buf *buf)
{
    struct ss_message *message = NULL;
    struct ss_error error = {0};
    int status = ss_message_decode(buf->data, buf->size, &message, &error);
    ck_assert_msg(status == SS_OK, "%s", error.message);
    return message;
}

struct ss_message *wire_through(struct ss_message *message)
{
    struct ss_buf buf;
    ss_buf_init(&buf, SS_MESSAGE_SIZE_MAX);
    wire_encode(message, &buf);
    ss_message_destroy(&message);
    message = wire_decode(&buf);
    ss_buf_fini(&buf);
    return message;
}
