#include "common/wire/message.h"

#include <check.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/prng.h"
#include "common/wire/batch.h"
#include "common/wire/limits.h"

static struct ss_value *json_value(const char *text)
{
    return ss_value_from_text(text, strlen(text));
}

static json_t *json(const char *text)
{
    json_t *made = NULL;
    ck_assert_int_eq(ss_json_parse(text, strlen(text), &made, NULL), SS_OK);
    return made;
}

static struct ss_order *full_order(void)
{
    struct ss_order *order = ss_order_new();
    order->attempt = (struct ss_attempt){7, UINT64_MAX};
    order->kind = SS_ORDER_NODE;
    order->app_graph = ss_strdup("digest");
    order->version = ss_strdup("0123abcd");
    order->graph = ss_strdup("digest.inner");
    order->node = ss_strdup("count");
    order->thread = ss_strdup("thread-\xc3\xa9");
    order->run = ss_strdup("run-1");
    strcpy(order->task_id, "11111111-2222-3333-4444-555555555555");
    strcpy(order->checkpoint_id, "1f0a2b3c-0000-6000-8000-000000000001");
    order->ns = ss_strdup("count:11111111-2222-3333-4444-555555555555");
    order->path = ss_strdup("~__pregel_pull, count");
    order->step = -1;
    order->stop = 10007;
    order->attempt_number = 3;
    order->first_attempt_us = 1760000000000000;
    order->triggers = json("[\"a\",\"branch:to:count\"]");
    order->input = json_value("{\"text\":\"x\"}");
    order->answers = json("[true,null]");
    order->plain = json_value("\"yes\"");
    order->fresh.channels = json("{\"n\":1}");
    order->fresh.managed = json("{\"is_last_step\":false}");
    order->config = json("{\"metadata\":{\"a\":1}}");
    order->context = json("[1,2]");
    order->error = json("{\"node\":\"n\",\"message\":\"m\",\"code\":\"c\"}");
    order->run_timeout_ms = 60000;
    order->idle_timeout_ms = 5000;
    order->heartbeat_only = true;
    order->want_custom = true;
    order->want_messages = true;
    return order;
}

static struct ss_order *fold_order(void)
{
    struct ss_order *order = ss_order_new();
    order->kind = SS_ORDER_FOLD;
    order->app_graph = ss_strdup("g");
    order->triggers = json_array();
    order->answers = json_array();
    order->returned = json_value("{\"$send\":1}");
    order->fold_channel = ss_strdup("total");
    order->fold_value = ss_value_opaque(SS_VALUE_BYTES, "\0\1\2", 3);
    order->fold_writes = json("[1,{\"__overwrite__\":2}]");
    return order;
}

static struct ss_outcome *outcome_of(enum ss_outcome_kind kind)
{
    struct ss_outcome *outcome = ss_outcome_new();
    outcome->attempt = (struct ss_attempt){2, 9};
    strcpy(outcome->task_id, "11111111-2222-3333-4444-555555555555");
    outcome->kind = kind;
    return outcome;
}

static struct ss_outcome *done_outcome(void)
{
    struct ss_outcome *outcome = outcome_of(SS_OUTCOME_DONE);
    ss_writes_add(&outcome->writes, "words", json_value("[1,2.5,\"\\u0000\"]"));
    ss_writes_add(&outcome->writes, "none", ss_value_null());
    ss_writes_add(&outcome->writes, "raw",
        ss_value_opaque(SS_VALUE_MSGPACK, "\xc0\xff", 2));
    outcome->answers = json("[\"yes\"]");
    outcome->took_plain = true;
    outcome->messages = json("[{\"type\":\"ai\"}]");
    outcome->drain = ss_strdup("maintenance");
    outcome->folded = json_value("12");
    outcome->ran_us = 1234;
    return outcome;
}

static struct ss_outcome *failed_outcome(void)
{
    struct ss_outcome *outcome = outcome_of(SS_OUTCOME_FAILED);
    outcome->code = SS_EUPDATE;
    outcome->error_kind = ss_strdup("timeout");
    outcome->message = ss_strdup("no \xe2\x82\xac left");
    outcome->retryable = SS_RETRY_NO;
    return outcome;
}

static struct ss_outcome *asking_outcome(void)
{
    struct ss_outcome *outcome = outcome_of(SS_OUTCOME_INTERRUPTED);
    outcome->question = json("{\"value\":\"ok?\"}");
    return outcome;
}

static struct ss_outcome *parent_outcome(void)
{
    struct ss_outcome *outcome = outcome_of(SS_OUTCOME_PARENT);
    outcome->parent = json("{\"goto\":\"n\"}");
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
        message->orders[0] = full_order();
        message->orders[1] = fold_order();
    } else if (message->type == SS_MESSAGE_DONE) {
        message->outcomes_count = 4;
        message->outcomes = ss_zalloc(4, sizeof(*message->outcomes));
        message->outcomes[0] = done_outcome();
        message->outcomes[1] = failed_outcome();
        message->outcomes[2] = asking_outcome();
        message->outcomes[3] = parent_outcome();
    } else {
        message->items_count = 2;
        message->items = ss_zalloc(2, sizeof(*message->items));
        message->items[0] = (struct ss_live_item){
            {1, 2}, SS_LIVE_CUSTOM, json_value("{\"p\":50}")};
        message->items[1] =
            (struct ss_live_item){{1, 3}, SS_LIVE_HEARTBEAT, NULL};
    }
}

static void fill_hello(struct ss_message *message)
{
    message->name = ss_strdup("host/7/1");
    message->app_version = ss_strdup("2.0");
    message->host = ss_strdup("host");
    message->pid = 7;
    message->capacity = 4;
    message->graphs_count = 2;
    message->graphs = ss_zalloc(2, sizeof(*message->graphs));
    message->graphs[0] = json_value("{\"name\":\"a\"}");
    message->graphs[1] = json_value("{\"name\":\"b\"}");
}

// A message of each type with everything in it that it can carry.
static struct ss_message *example(enum ss_message_type type)
{
    struct ss_message *message = ss_message_new(type);
    switch (type) {
    case SS_MESSAGE_HELLO:
        fill_hello(message);
        break;
    case SS_MESSAGE_BEAT:
    case SS_MESSAGE_CANCEL:
    case SS_MESSAGE_SETTLED:
        add_attempts(message);
        break;
    case SS_MESSAGE_BYE:
        message->drains = true;
        break;
    case SS_MESSAGE_DONE:
    case SS_MESSAGE_LIVE:
    case SS_MESSAGE_TASKS:
        fill_work(message);
        break;
    case SS_MESSAGE_WELCOME:
        message->epoch = 12;
        message->lease_ms = 10000;
        message->heartbeat_ms = 2000;
        break;
    case SS_MESSAGE_REFUSED:
        message->status = SS_EEXISTS;
        message->text = ss_strdup("that name is taken");
        break;
    case SS_MESSAGE_ASK:
        message->op = ss_strdup("run");
        message->id = 3;
        message->body = json_value("{\"graph\":\"digest\"}");
        break;
    case SS_MESSAGE_ANSWER:
        message->final = true;
        message->id = 3;
        message->body = json_value("{\"status\":\"done\"}");
        break;
    case SS_MESSAGE_HANGUP:
    case SS_MESSAGE_PING:
        message->id = UINT64_MAX;
        break;
    case SS_MESSAGE_PONG:
        message->id = 4;
        message->epoch = 5;
        break;
    case SS_MESSAGE_NONE:
        break;
    }
    return message;
}

static void encode(const struct ss_message *message, struct ss_buf *buf)
{
    struct ss_error error = {0};
    int status = ss_message_encode(message, buf, &error);
    ck_assert_msg(status == SS_OK, "%s", error.message);
}

static struct ss_message *decode(const struct ss_buf *buf)
{
    struct ss_message *message = NULL;
    struct ss_error error = {0};
    int status = ss_message_decode(buf->data, buf->size, &message, &error);
    ck_assert_msg(status == SS_OK, "%s", error.message);
    return message;
}

static struct ss_message *through_the_wire(struct ss_message *message)
{
    struct ss_buf buf;
    ss_buf_init(&buf, SS_MESSAGE_SIZE_MAX);
    encode(message, &buf);
    ss_message_destroy(&message);
    message = decode(&buf);
    ss_buf_fini(&buf);
    return message;
}

START_TEST(what_is_decoded_encodes_to_the_same_bytes)
{
    struct ss_buf once, twice;
    ss_buf_init(&once, SS_MESSAGE_SIZE_MAX);
    ss_buf_init(&twice, SS_MESSAGE_SIZE_MAX);
    struct ss_message *message = example((enum ss_message_type)_i);
    encode(message, &once);
    ss_message_destroy(&message);
    ck_assert_ptr_null(message);
    message = decode(&once);
    ck_assert_int_eq((int)message->type, _i);
    ck_assert_uint_eq(message->protocol, SS_PROTOCOL_VERSION);
    encode(message, &twice);
    ck_assert_uint_eq(once.size, twice.size);
    ck_assert_mem_eq(once.data, twice.data, once.size);
    ss_message_destroy(&message);
    ss_buf_fini(&once);
    ss_buf_fini(&twice);
}
END_TEST

START_TEST(an_empty_message_of_each_type_survives)
{
    struct ss_message *message =
        through_the_wire(ss_message_new((enum ss_message_type)_i));
    ck_assert_int_eq((int)message->type, _i);
    ss_message_destroy(&message);
}
END_TEST

#define SAME_JSON(a, b)                                                        \
    ck_assert(((a) == NULL && (b) == NULL) || json_equal((a), (b)))
#define SAME_VALUE(a, b)                                                       \
    ck_assert(((a) == NULL && (b) == NULL) || ss_value_equal((a), (b)))

static void same_order(const struct ss_order *a, const struct ss_order *b)
{
    ck_assert_uint_eq(a->attempt.epoch, b->attempt.epoch);
    ck_assert_uint_eq(a->attempt.dispatch, b->attempt.dispatch);
    ck_assert_int_eq((int)a->kind, (int)b->kind);
    ck_assert_str_eq(a->app_graph, b->app_graph);
    ck_assert_str_eq(a->version, b->version);
    ck_assert_str_eq(a->graph, b->graph);
    ck_assert_str_eq(a->node, b->node);
    ck_assert_str_eq(a->thread, b->thread);
    ck_assert_str_eq(a->run, b->run);
    ck_assert_str_eq(a->task_id, b->task_id);
    ck_assert_str_eq(a->checkpoint_id, b->checkpoint_id);
    ck_assert_str_eq(a->ns, b->ns);
    ck_assert_str_eq(a->path, b->path);
    ck_assert_int_eq(a->step, b->step);
    ck_assert_int_eq(a->stop, b->stop);
    ck_assert_uint_eq(a->attempt_number, b->attempt_number);
    ck_assert_int_eq(a->first_attempt_us, b->first_attempt_us);
    SAME_JSON(a->triggers, b->triggers);
    SAME_VALUE(a->input, b->input);
    SAME_JSON(a->answers, b->answers);
    SAME_VALUE(a->plain, b->plain);
    SAME_JSON(a->fresh.channels, b->fresh.channels);
    SAME_JSON(a->fresh.managed, b->fresh.managed);
    SAME_JSON(a->config, b->config);
    SAME_JSON(a->context, b->context);
    SAME_JSON(a->error, b->error);
    ck_assert_int_eq(a->run_timeout_ms, b->run_timeout_ms);
    ck_assert_int_eq(a->idle_timeout_ms, b->idle_timeout_ms);
    ck_assert(a->heartbeat_only == b->heartbeat_only);
    ck_assert(a->want_custom == b->want_custom);
    ck_assert(a->want_messages == b->want_messages);
}

START_TEST(an_order_arrives_whole)
{
    struct ss_message *message = through_the_wire(example(SS_MESSAGE_TASKS));
    ck_assert_uint_eq(message->orders_count, 2);
    struct ss_order *wanted = full_order();
    same_order(message->orders[0], wanted);
    ss_order_destroy(&wanted);
    ck_assert_ptr_null(wanted);
    ss_message_destroy(&message);
}
END_TEST

START_TEST(a_fold_order_arrives_whole)
{
    struct ss_message *message = through_the_wire(example(SS_MESSAGE_TASKS));
    const struct ss_order *order = message->orders[1];
    struct ss_order *wanted = fold_order();
    ck_assert_int_eq((int)order->kind, SS_ORDER_FOLD);
    ck_assert_str_eq(order->fold_channel, "total");
    SAME_VALUE(order->fold_value, wanted->fold_value);
    SAME_JSON(order->fold_writes, wanted->fold_writes);
    SAME_VALUE(order->returned, wanted->returned);
    ck_assert_str_eq(order->node, "");
    ck_assert_ptr_null(order->input);
    ck_assert_ptr_null(order->plain);
    ck_assert_ptr_null(order->config);
    ss_order_destroy(&wanted);
    ss_message_destroy(&message);
}
END_TEST

START_TEST(an_outcome_that_is_done_arrives_whole)
{
    struct ss_message *message = through_the_wire(example(SS_MESSAGE_DONE));
    struct ss_outcome *got = message->outcomes[0], *wanted = done_outcome();
    ck_assert_int_eq((int)got->kind, SS_OUTCOME_DONE);
    ck_assert_uint_eq(got->attempt.dispatch, 9);
    ck_assert_str_eq(got->task_id, wanted->task_id);
    ck_assert_uint_eq(got->writes.count, 3);
    for (size_t i = 0; i < 3; i++) {
        ck_assert_str_eq(
            got->writes.items[i].channel, wanted->writes.items[i].channel);
        SAME_VALUE(got->writes.items[i].value, wanted->writes.items[i].value);
    }
    SAME_JSON(got->answers, wanted->answers);
    ck_assert(got->took_plain);
    SAME_JSON(got->messages, wanted->messages);
    ck_assert_str_eq(got->drain, "maintenance");
    SAME_VALUE(got->folded, wanted->folded);
    ck_assert_int_eq(got->ran_us, 1234);
    ss_outcome_destroy(&wanted);
    ss_message_destroy(&message);
}
END_TEST

START_TEST(failures_questions_and_commands_arrive_whole)
{
    struct ss_message *message = through_the_wire(example(SS_MESSAGE_DONE));
    const struct ss_outcome *failed = message->outcomes[1];
    ck_assert_int_eq((int)failed->kind, SS_OUTCOME_FAILED);
    ck_assert_int_eq(failed->code, SS_EUPDATE);
    ck_assert_str_eq(failed->error_kind, "timeout");
    ck_assert_str_eq(failed->message, "no \xe2\x82\xac left");
    ck_assert_int_eq((int)failed->retryable, SS_RETRY_NO);
    ck_assert_str_eq(
        ss_json_str(message->outcomes[2]->question, "value", ""), "ok?");
    ck_assert_str_eq(
        ss_json_str(message->outcomes[3]->parent, "goto", ""), "n");
    ss_message_destroy(&message);
}
END_TEST

START_TEST(a_failure_always_has_a_code_and_a_message)
{
    struct ss_message *message = ss_message_new(SS_MESSAGE_DONE);
    message->outcomes_count = 1;
    message->outcomes = ss_zalloc(1, sizeof(*message->outcomes));
    message->outcomes[0] = outcome_of(SS_OUTCOME_FAILED);
    message = through_the_wire(message);
    ck_assert_int_eq(message->outcomes[0]->code, SS_ENODE);
    ck_assert_str_eq(message->outcomes[0]->message, "");
    ss_message_destroy(&message);
}
END_TEST

START_TEST(a_failures_text_is_mended_so_that_it_arrives)
{
    struct ss_message *message = ss_message_new(SS_MESSAGE_DONE);
    message->outcomes_count = 1;
    message->outcomes = ss_zalloc(1, sizeof(*message->outcomes));
    message->outcomes[0] = failed_outcome();
    ss_free(message->outcomes[0]->message);
    message->outcomes[0]->message = ss_strdup("a\xff\xc3(\xc3\xa9 \xe2\x82");
    message = through_the_wire(message);
    ck_assert_str_eq(message->outcomes[0]->message, "a\?\?(\xc3\xa9 \?\?");
    ss_free(message->outcomes[0]->message);
    size_t size = SS_WIRE_TEXT_SIZE_MAX + 10;
    message->outcomes[0]->message = ss_zalloc(size + 1, 1);
    memset(message->outcomes[0]->message, 'm', size);
    message = through_the_wire(message);
    ck_assert_uint_eq(
        strlen(message->outcomes[0]->message), SS_WIRE_TEXT_SIZE_MAX);
    ss_message_destroy(&message);
}
END_TEST

START_TEST(hello_welcome_and_refusal_arrive_whole)
{
    struct ss_message *message = through_the_wire(example(SS_MESSAGE_HELLO));
    ck_assert_str_eq(message->name, "host/7/1");
    ck_assert_str_eq(message->app_version, "2.0");
    ck_assert_str_eq(message->host, "host");
    ck_assert_uint_eq(message->pid, 7);
    ck_assert_uint_eq(message->capacity, 4);
    ck_assert_uint_eq(message->graphs_count, 2);
    ck_assert_str_eq(
        ss_json_str(ss_value_json(message->graphs[1]), "name", ""), "b");
    ss_message_destroy(&message);
    message = through_the_wire(example(SS_MESSAGE_WELCOME));
    ck_assert_uint_eq(message->epoch, 12);
    ck_assert_int_eq(message->lease_ms, 10000);
    ck_assert_int_eq(message->heartbeat_ms, 2000);
    ss_message_destroy(&message);
    message = through_the_wire(example(SS_MESSAGE_REFUSED));
    ck_assert_int_eq(message->status, SS_EEXISTS);
    ck_assert_str_eq(message->text, "that name is taken");
    ss_message_destroy(&message);
}
END_TEST

START_TEST(lists_and_requests_arrive_whole)
{
    struct ss_message *message = through_the_wire(example(SS_MESSAGE_BEAT));
    ck_assert_uint_eq(message->attempts_count, 2);
    ck_assert_uint_eq(message->attempts[1].epoch, UINT64_MAX);
    ss_message_destroy(&message);
    message = through_the_wire(example(SS_MESSAGE_LIVE));
    ck_assert_uint_eq(message->items_count, 2);
    ck_assert_int_eq((int)message->items[1].kind, SS_LIVE_HEARTBEAT);
    ck_assert_ptr_null(message->items[1].value);
    ck_assert_int_eq(
        ss_json_int(ss_value_json(message->items[0].value), "p", 0), 50);
    ss_message_destroy(&message);
    message = through_the_wire(example(SS_MESSAGE_ASK));
    ck_assert_str_eq(message->op, "run");
    ck_assert_uint_eq(message->id, 3);
    ss_message_destroy(&message);
    message = through_the_wire(example(SS_MESSAGE_ANSWER));
    ck_assert(message->final);
    ck_assert_str_eq(
        ss_json_str(ss_value_json(message->body), "status", ""), "done");
    ss_message_destroy(&message);
    message = through_the_wire(example(SS_MESSAGE_BYE));
    ck_assert(message->drains);
    ss_message_destroy(&message);
    message = through_the_wire(example(SS_MESSAGE_PONG));
    ck_assert_uint_eq(message->epoch, 5);
    ss_message_destroy(&message);
}
END_TEST

// --- what is not right

static int decode_status(const void *bytes, size_t size, struct ss_error *error)
{
    struct ss_message *message = NULL;
    int status = ss_message_decode(bytes, size, &message, error);
    ck_assert(status == SS_OK ? message != NULL : message == NULL);
    ss_message_destroy(&message);
    return status;
}

// Exactly as large as it should be, so that a tool sees a byte too far.
static int decode_copy(const char *bytes, size_t size)
{
    char *copy = ss_alloc(size);
    if (size > 0)
        memcpy(copy, bytes, size);
    struct ss_error error = {0};
    int status = decode_status(copy, size, &error);
    ck_assert(status == SS_OK || error.message[0] != '\0');
    ss_free(copy);
    return status;
}

START_TEST(every_truncation_is_a_status)
{
    struct ss_buf buf;
    ss_buf_init(&buf, SS_MESSAGE_SIZE_MAX);
    struct ss_message *message = example((enum ss_message_type)_i);
    encode(message, &buf);
    for (size_t size = 0; size < buf.size; size++)
        ck_assert_int_ne(decode_copy(buf.data, size), SS_OK);
    ss_message_destroy(&message);
    ss_buf_fini(&buf);
}
END_TEST

START_TEST(every_corrupted_byte_is_a_status)
{
    static const unsigned char flips[] = {0x01, 0x80, 0xff, 0x7f, 0x08, 0x02};
    struct ss_buf buf;
    ss_buf_init(&buf, SS_MESSAGE_SIZE_MAX);
    struct ss_message *message = example((enum ss_message_type)_i);
    encode(message, &buf);
    for (size_t i = 0; i < buf.size; i++)
        for (size_t j = 0; j < sizeof(flips); j++) {
            buf.data[i] = (char)(buf.data[i] ^ flips[j]);
            decode_copy(buf.data, buf.size);
            buf.data[i] = (char)(buf.data[i] ^ flips[j]);
        }
    ss_message_destroy(&message);
    ss_buf_fini(&buf);
}
END_TEST

START_TEST(random_bytes_are_a_status)
{
    struct ss_prng prng;
    ss_prng_init(&prng, 7);
    for (int round = 0; round < 20000; round++) {
        char bytes[200] = {0x08, 0x01};
        size_t size = 2 + (size_t)ss_prng_below(&prng, sizeof(bytes) - 2);
        for (size_t i = round % 2 ? 2 : 0; i < size; i++)
            bytes[i] = (char)ss_prng_next(&prng);
        decode_copy(bytes, size);
    }
}
END_TEST

START_TEST(another_protocol_version_is_told_as_such)
{
    struct ss_message *message = ss_message_new(SS_MESSAGE_PING);
    message->protocol = 2;
    struct ss_buf buf;
    ss_buf_init(&buf, SS_MESSAGE_SIZE_MAX);
    encode(message, &buf);
    struct ss_error error = {0};
    ck_assert_int_eq(decode_status(buf.data, buf.size, &error), SS_EVERSION);
    ck_assert_str_eq(error.message,
        "the other side speaks protocol 2, this one 1; run the same version "
        "of Superstep on both");
    // Whatever that version says behind the number.
    ck_assert_int_eq(decode_status("\x08\x03\xff\xff", 4, NULL), SS_EVERSION);
    ss_message_destroy(&message);
    ss_buf_fini(&buf);
}
END_TEST

static void refused(const char *bytes, size_t size, int wanted, const char *why)
{
    struct ss_error error = {0};
    ck_assert_int_eq(decode_status(bytes, size, &error), wanted);
    ck_assert_msg(strstr(error.message, why) != NULL, "%s", error.message);
}

START_TEST(garbage_is_named)
{
    refused("", 0, SS_EFORMAT, "no message of this protocol");
    refused("GET / HTTP/1.1", 14, SS_EFORMAT, "no message of this protocol");
    refused("\x08\x01", 2, SS_EFORMAT, "without a message");
    refused("\x08\x01\x1a\x05", 4, SS_EFORMAT, "cut short or garbled");
    // HELLO without its name
    refused("\x08\x01\x12\x02\x28\x01", 6, SS_EFORMAT, "lacks a field");
    // ASK {id 1, op "a\0b"}, then op "\xff"
    refused("\x08\x01\x62\x07\x08\x01\x12\x03"
            "a\0b",
        11, SS_EFORMAT, "Ask.op is not UTF-8 without NUL");
    refused("\x08\x01\x62\x05\x08\x01\x12\x01\xff", 9, SS_EFORMAT, "Ask.op");
    // ASK whose id is text
    refused("\x08\x01\x62\x06\x0a\x01"
            "1\x12\x01"
            "a",
        10, SS_EFORMAT, "another type on the wire");
    // ASK whose body is no JSON, and one with an unknown tag
    refused("\x08\x01\x62\x0a\x08\x01\x12\x01"
            "a\x1a\x03\x12\x01{",
        14, SS_EFORMAT, "a request's body");
    refused("\x08\x01\x62\x0c\x08\x01\x12\x01"
            "a\x1a\x05\x08\x09\x12\x01"
            "1",
        16, SS_EFORMAT, "unknown tag 9");
}
END_TEST

START_TEST(text_is_utf8_or_it_is_refused)
{
    static const char *const good[] = {"", "a", "\xc2\x80", "\xe0\xa0\x80",
        "\xed\x9f\xbf", "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"};
    static const char *const bad[] = {"\x80", "\xc0\x80", "\xc1\xbf", "\xc3",
        "\xe0\x80\x80", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xe2\x82",
        "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80",
        "\xf0\x90\x80", "\xc3(", "\xe2(\xac", "\xff"};
    struct ss_buf buf;
    ss_buf_init(&buf, 1000);
    for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
        struct ss_message *message = ss_message_new(SS_MESSAGE_ASK);
        message->op = ss_strdup(good[i]);
        message = through_the_wire(message);
        ck_assert_str_eq(message->op, good[i]);
        ss_message_destroy(&message);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct ss_message *message = ss_message_new(SS_MESSAGE_ASK);
        message->op = ss_strdup(bad[i]);
        struct ss_error error = {0};
        ck_assert_int_eq(ss_message_encode(message, &buf, &error), SS_EFORMAT);
        ck_assert_ptr_nonnull(strstr(error.message, "Ask.op"));
        ck_assert_uint_eq(buf.size, 0);
        ss_message_destroy(&message);
    }
    ss_buf_fini(&buf);
}
END_TEST

static size_t allocated;

static int count_allocation(size_t size)
{
    allocated += size;
    return 0;
}

START_TEST(a_megabyte_of_unknown_fields_takes_no_memory)
{
    size_t size = 1024 * 1024;
    char *bytes = ss_zalloc(size, 1);
    memcpy(bytes, "\x08\x01", 2);
    for (size_t i = 2; i + 3 <= size; i += 3)
        memcpy(bytes + i, "\xf8\x07\x01", 3); // field 127, varint 1
    struct ss_error error = {0};
    allocated = 0;
    ss_mem_hook = count_allocation;
    ck_assert_int_eq(decode_status(bytes, size - 2, &error), SS_ELIMIT);
    ss_mem_hook = NULL;
    ck_assert_uint_eq(allocated, 0);
    ck_assert_ptr_nonnull(strstr(error.message, "unknown fields"));
    ss_free(bytes);
}
END_TEST

START_TEST(a_few_unknown_fields_of_a_newer_writer_are_passed_over)
{
    // PING {id 5, field 15 "x"} and field 100 behind it
    static const char bytes[] = "\x08\x01\x7a\x05\x08\x05\x7a\x01x\xa0\x06\x01";
    struct ss_message *message = NULL;
    ck_assert_int_eq(
        ss_message_decode(bytes, sizeof(bytes) - 1, &message, NULL), SS_OK);
    ck_assert_uint_eq(message->id, 5);
    ss_message_destroy(&message);
}
END_TEST

START_TEST(a_million_small_pieces_stay_within_the_budget)
{
    struct ss_message *message = ss_message_new(SS_MESSAGE_BEAT);
    message->attempts_count = 100000;
    message->attempts =
        ss_zalloc(message->attempts_count, sizeof(*message->attempts));
    struct ss_buf buf;
    ss_buf_init(&buf, SS_MESSAGE_SIZE_MAX);
    encode(message, &buf);
    ss_message_destroy(&message);
    allocated = 0;
    ss_mem_hook = count_allocation;
    message = decode(&buf);
    ss_mem_hook = NULL;
    ck_assert_uint_eq(message->attempts_count, 100000);
    ck_assert_uint_lt(allocated, 2 * SS_WIRE_BUDGET_FACTOR * buf.size);
    ss_message_destroy(&message);
    // More than the limit of pieces is refused before anything is allocated.
    struct ss_buf pieces;
    ss_buf_init(&pieces, SS_MESSAGE_SIZE_MAX);
    for (int i = 0; i <= SS_WIRE_ITEMS_MAX; i++)
        ss_buf_add(&pieces, "\x0a\x04\x08\x01\x10\x01", 6);
    ck_assert_int_eq(
        ss_batch_encode(SS_MESSAGE_BEAT, &pieces, &buf, NULL), SS_OK);
    struct ss_error error = {0};
    ck_assert_int_eq(decode_status(buf.data, buf.size, &error), SS_ELIMIT);
    ck_assert_ptr_nonnull(strstr(error.message, "parts"));
    ss_buf_fini(&pieces);
    ss_buf_fini(&buf);
}
END_TEST

START_TEST(the_smallest_writes_fit_their_budget)
{
    struct ss_message *message = ss_message_new(SS_MESSAGE_DONE);
    message->outcomes_count = 1;
    message->outcomes = ss_zalloc(1, sizeof(*message->outcomes));
    message->outcomes[0] = outcome_of(SS_OUTCOME_DONE);
    for (int i = 0; i < 200000; i++)
        ss_writes_add(&message->outcomes[0]->writes, "c", json_value("1"));
    message = through_the_wire(message);
    ck_assert_uint_eq(message->outcomes[0]->writes.count, 200000);
    ss_message_destroy(&message);
}
END_TEST

START_TEST(what_nobody_could_decode_is_not_encoded)
{
    struct ss_buf buf;
    ss_buf_init(&buf, SS_MESSAGE_SIZE_MAX);
    struct ss_error error = {0};
    struct ss_message *message = ss_message_new(SS_MESSAGE_ANSWER);
    json_t *deep = json_array();
    for (int i = 0; i < SS_VALUE_DEPTH_MAX + 1; i++) {
        json_t *outer = json_array();
        json_array_append_new(outer, deep);
        deep = outer;
    }
    message->body = ss_value_new(deep);
    ck_assert_int_eq(ss_message_encode(message, &buf, &error), SS_EFORMAT);
    ck_assert_ptr_nonnull(strstr(error.message, "nested deeper"));
    ck_assert_uint_eq(buf.size, 0);
    ss_message_destroy(&message);
    size_t size = SS_VALUE_SIZE_MAX + 1u;
    char *large = ss_zalloc(size, 1);
    message = ss_message_new(SS_MESSAGE_ASK);
    message->body = ss_value_opaque(SS_VALUE_BYTES, large, size);
    ss_free(large);
    ck_assert_int_eq(ss_message_encode(message, &buf, &error), SS_ELIMIT);
    ck_assert_ptr_nonnull(strstr(error.message, "the limit is"));
    ss_message_destroy(&message);
    ss_buf_fini(&buf);
}
END_TEST

START_TEST(an_order_that_nobody_could_decode_is_not_encoded)
{
    struct ss_buf pieces;
    ss_buf_init(&pieces, SS_MESSAGE_SIZE_MAX);
    struct ss_order *order = full_order();
    for (int i = 0; i < SS_VALUE_DEPTH_MAX + 1; i++) {
        json_t *outer = json_array();
        json_array_append_new(outer, order->context);
        order->context = outer;
    }
    struct ss_error error = {0};
    ck_assert_int_eq(ss_batch_add_order(&pieces, order, &error), SS_EFORMAT);
    ck_assert_ptr_nonnull(strstr(error.message, "nested deeper"));
    ck_assert_uint_eq(pieces.size, 0);
    ss_order_destroy(&order);
    ss_buf_fini(&pieces);
}
END_TEST

START_TEST(a_message_over_the_limit_is_refused)
{
    struct ss_error error = {0};
    ck_assert_int_eq(
        decode_status("", (size_t)SS_MESSAGE_SIZE_MAX + 1, &error), SS_ELIMIT);
    struct ss_buf buf;
    ss_buf_init(&buf, 10);
    struct ss_message *message = example(SS_MESSAGE_HELLO);
    ck_assert_int_eq(ss_message_encode(message, &buf, &error), SS_ELIMIT);
    ss_message_destroy(&message);
    ss_buf_fini(&buf);
}
END_TEST

START_TEST(an_outcome_must_have_what_its_kind_says)
{
    static const enum ss_outcome_kind kinds[] = {
        SS_OUTCOME_INTERRUPTED, SS_OUTCOME_PARENT};
    struct ss_buf buf;
    ss_buf_init(&buf, SS_MESSAGE_SIZE_MAX);
    for (int i = 0; i < 2; i++) {
        struct ss_message *message = ss_message_new(SS_MESSAGE_DONE);
        message->outcomes_count = 1;
        message->outcomes = ss_zalloc(1, sizeof(*message->outcomes));
        message->outcomes[0] = outcome_of(kinds[i]);
        encode(message, &buf);
        struct ss_error error = {0};
        ck_assert_int_eq(decode_status(buf.data, buf.size, &error), SS_EFORMAT);
        ck_assert_ptr_nonnull(strstr(error.message, "without"));
        ss_message_destroy(&message);
    }
    ss_buf_fini(&buf);
}
END_TEST

// --- batches

static void batch_matches(enum ss_message_type type, struct ss_buf *pieces)
{
    struct ss_buf whole, made;
    ss_buf_init(&whole, SS_MESSAGE_SIZE_MAX);
    ss_buf_init(&made, SS_MESSAGE_SIZE_MAX);
    struct ss_message *message = example(type);
    encode(message, &whole);
    ck_assert_int_eq(ss_batch_encode(type, pieces, &made, NULL), SS_OK);
    ck_assert_uint_eq(whole.size, made.size);
    ck_assert_mem_eq(whole.data, made.data, made.size);
    ss_message_destroy(&message);
    ss_buf_fini(&whole);
    ss_buf_fini(&made);
    ss_buf_reset(pieces);
}

START_TEST(a_batch_is_the_same_message)
{
    struct ss_buf pieces;
    ss_buf_init(&pieces, SS_MESSAGE_SIZE_MAX);
    struct ss_message *message = example(SS_MESSAGE_TASKS);
    for (size_t i = 0; i < message->orders_count; i++)
        ck_assert_int_eq(
            ss_batch_add_order(&pieces, message->orders[i], NULL), SS_OK);
    batch_matches(SS_MESSAGE_TASKS, &pieces);
    ss_message_destroy(&message);
    message = example(SS_MESSAGE_DONE);
    for (size_t i = 0; i < message->outcomes_count; i++)
        ck_assert_int_eq(
            ss_batch_add_outcome(&pieces, message->outcomes[i], NULL), SS_OK);
    batch_matches(SS_MESSAGE_DONE, &pieces);
    ss_message_destroy(&message);
    message = example(SS_MESSAGE_LIVE);
    for (size_t i = 0; i < message->items_count; i++)
        ck_assert_int_eq(
            ss_batch_add_live(&pieces, &message->items[i], NULL), SS_OK);
    batch_matches(SS_MESSAGE_LIVE, &pieces);
    ss_message_destroy(&message);
    static const enum ss_message_type lists[] = {
        SS_MESSAGE_BEAT, SS_MESSAGE_CANCEL, SS_MESSAGE_SETTLED};
    for (int i = 0; i < 3; i++) {
        message = example(lists[i]);
        for (size_t j = 0; j < message->attempts_count; j++)
            ck_assert_int_eq(
                ss_batch_add_attempt(&pieces, message->attempts[j], NULL),
                SS_OK);
        batch_matches(lists[i], &pieces);
        ss_message_destroy(&message);
    }
    ss_buf_fini(&pieces);
}
END_TEST

START_TEST(a_piece_that_cannot_be_sent_leaves_the_batch_as_it_was)
{
    struct ss_buf pieces, made;
    ss_buf_init(&pieces, SS_MESSAGE_SIZE_MAX);
    ss_buf_init(&made, SS_MESSAGE_SIZE_MAX);
    struct ss_order *order = full_order();
    ck_assert_int_eq(ss_batch_add_order(&pieces, order, NULL), SS_OK);
    size_t before = pieces.size;
    ss_free(order->node);
    order->node = ss_strdup("\xff");
    struct ss_error error = {0};
    ck_assert_int_eq(ss_batch_add_order(&pieces, order, &error), SS_EFORMAT);
    ck_assert_ptr_nonnull(strstr(error.message, "Order.node"));
    ck_assert_uint_eq(pieces.size, before);
    ck_assert_int_eq(
        ss_batch_encode(SS_MESSAGE_TASKS, &pieces, &made, NULL), SS_OK);
    struct ss_message *message = decode(&made);
    ck_assert_uint_eq(message->orders_count, 1);
    ss_message_destroy(&message);
    ss_order_destroy(&order);
    ss_buf_fini(&pieces);
    ss_buf_fini(&made);
}
END_TEST

START_TEST(every_type_has_its_name)
{
    ck_assert_str_eq(ss_message_name(SS_MESSAGE_HELLO), "HELLO");
    ck_assert_str_eq(ss_message_name(SS_MESSAGE_PONG), "PONG");
    ck_assert_str_eq(ss_message_name(SS_MESSAGE_NONE), "NONE");
    ck_assert_str_eq(ss_message_name((enum ss_message_type)99), "?");
}
END_TEST

static void add_each(TCase *tcase, const TTest *test)
{
    tcase_add_loop_test(tcase, test, SS_MESSAGE_HELLO, SS_MESSAGE_PONG + 1);
}

int main(void)
{
    ss_value_setup();
    Suite *suite = suite_create("message");
    TCase *tcase = tcase_create("message");
    add_each(tcase, what_is_decoded_encodes_to_the_same_bytes);
    add_each(tcase, an_empty_message_of_each_type_survives);
    tcase_add_test(tcase, an_order_arrives_whole);
    tcase_add_test(tcase, a_fold_order_arrives_whole);
    tcase_add_test(tcase, an_outcome_that_is_done_arrives_whole);
    tcase_add_test(tcase, failures_questions_and_commands_arrive_whole);
    tcase_add_test(tcase, a_failure_always_has_a_code_and_a_message);
    tcase_add_test(tcase, a_failures_text_is_mended_so_that_it_arrives);
    tcase_add_test(tcase, hello_welcome_and_refusal_arrive_whole);
    tcase_add_test(tcase, lists_and_requests_arrive_whole);
    add_each(tcase, every_truncation_is_a_status);
    add_each(tcase, every_corrupted_byte_is_a_status);
    tcase_add_test(tcase, random_bytes_are_a_status);
    tcase_add_test(tcase, another_protocol_version_is_told_as_such);
    tcase_add_test(tcase, garbage_is_named);
    tcase_add_test(tcase, text_is_utf8_or_it_is_refused);
    tcase_add_test(tcase, a_megabyte_of_unknown_fields_takes_no_memory);
    tcase_add_test(
        tcase, a_few_unknown_fields_of_a_newer_writer_are_passed_over);
    tcase_add_test(tcase, a_million_small_pieces_stay_within_the_budget);
    tcase_add_test(tcase, the_smallest_writes_fit_their_budget);
    tcase_add_test(tcase, what_nobody_could_decode_is_not_encoded);
    tcase_add_test(tcase, an_order_that_nobody_could_decode_is_not_encoded);
    tcase_add_test(tcase, a_message_over_the_limit_is_refused);
    tcase_add_test(tcase, an_outcome_must_have_what_its_kind_says);
    tcase_add_test(tcase, a_batch_is_the_same_message);
    tcase_add_test(
        tcase, a_piece_that_cannot_be_sent_leaves_the_batch_as_it_was);
    tcase_add_test(tcase, every_type_has_its_name);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
