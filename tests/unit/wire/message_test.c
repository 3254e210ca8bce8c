#include "common/wire/message.h"

#include <check.h>
#include <string.h>

#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/model/value.h"
#include "common/wire/batch.h"
#include "common/wire/limits.h"
#include "tests/suite.h"
#include "tests/unit/wire/examples.h"

START_TEST(what_is_decoded_encodes_to_the_same_bytes)
{
    struct ss_buf once, twice;
    ss_buf_init(&once, SS_MESSAGE_SIZE_MAX);
    ss_buf_init(&twice, SS_MESSAGE_SIZE_MAX);
    struct ss_message *message = wire_example((enum ss_message_type)_i);
    wire_encode(message, &once);
    ss_message_destroy(&message);
    ck_assert_ptr_null(message);
    message = wire_decode(&once);
    ck_assert_int_eq((int)message->type, _i);
    ck_assert_uint_eq(message->protocol, SS_PROTOCOL_VERSION);
    wire_encode(message, &twice);
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
        wire_through(ss_message_new((enum ss_message_type)_i));
    ck_assert_int_eq((int)message->type, _i);
    ss_message_destroy(&message);
}
END_TEST

#define SAME_JSON(a, b)                                                        \
    ck_assert(((a) == NULL && (b) == NULL) || json_equal((a), (b)))
#define SAME_VALUE(a, b) same_value(a, b)

static void same_value(struct ss_value *a, struct ss_value *b)
{
    size_t size = 0, other = 0;
    ck_assert((a == NULL) == (b == NULL));
    if (!a)
        return;
    ck_assert_int_eq(ss_value_tag(a), ss_value_tag(b));
    const char *text = ss_value_text(a, &size);
    ck_assert_mem_eq(ss_value_text(b, &other), text, size);
    ck_assert_uint_eq(other, size);
}

static void same_order(
    const struct ss_assignment *a, const struct ss_assignment *b)
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
    SAME_JSON(a->given.answers, b->given.answers);
    SAME_VALUE(a->given.plain, b->given.plain);
    SAME_VALUE(a->fresh.channels, b->fresh.channels);
    ck_assert_uint_eq(a->lists.count, b->lists.count);
    for (size_t i = 0; i < a->lists.count; i++) {
        const struct ss_assignment_list *x = &a->lists.items[i],
                                        *y = &b->lists.items[i];
        ck_assert_int_eq(x->part, y->part);
        ck_assert_uint_eq(x->at, y->at);
        ck_assert_pstr_eq(x->name, y->name);
        ck_assert_uint_eq(x->slot, y->slot);
        ck_assert_uint_eq(x->base, y->base);
        ck_assert_uint_eq(x->stamp, y->stamp);
        SAME_VALUE(x->delta, y->delta);
    }
    SAME_JSON(a->fresh.managed, b->fresh.managed);
    SAME_VALUE(a->given.config, b->given.config);
    SAME_VALUE(a->given.context, b->given.context);
    SAME_JSON(a->given.error, b->given.error);
    ck_assert_int_eq(a->timeouts.run_ms, b->timeouts.run_ms);
    ck_assert_int_eq(a->timeouts.idle_ms, b->timeouts.idle_ms);
    ck_assert(a->timeouts.heartbeat_only == b->timeouts.heartbeat_only);
    ck_assert(a->want_custom == b->want_custom);
    ck_assert(a->want_messages == b->want_messages);
    ck_assert_uint_eq(a->digest, b->digest);
    ck_assert_uint_eq(a->shard_epoch, b->shard_epoch);
    ck_assert_uint_eq(a->heard, b->heard);
}

START_TEST(an_order_arrives_whole)
{
    struct ss_message *message = wire_through(wire_example(SS_MESSAGE_TASKS));
    ck_assert_uint_eq(message->orders_count, 2);
    struct ss_assignment *wanted = wire_order();
    same_order(message->orders[0], wanted);
    ss_assignment_destroy(&wanted);
    ck_assert_ptr_null(wanted);
    ss_message_destroy(&message);
}
END_TEST

START_TEST(what_a_run_was_given_is_decoded_when_somebody_looks)
{
    struct ss_message *message = wire_through(wire_example(SS_MESSAGE_TASKS));
    const struct ss_assignment *order = message->orders[0];
    ck_assert(!ss_value_decoded(order->given.config));
    ck_assert(!ss_value_decoded(order->given.context));
    ck_assert(!ss_value_decoded(order->fresh.channels));
    ck_assert(json_is_object(ss_value_json(order->given.config)));
    ss_message_destroy(&message);
}
END_TEST

static int with_config(const char *config, struct ss_error *error)
{
    struct ss_buf pieces, made;
    struct ss_message *message = NULL;
    ss_buf_init(&pieces, SS_MESSAGE_SIZE_MAX);
    ss_buf_init(&made, SS_MESSAGE_SIZE_MAX);
    struct ss_assignment *order = wire_order();
    ss_value_unref(order->given.config);
    order->given.config = wire_value(config);
    ck_assert_int_eq(ss_batch_add_order(&pieces, order, NULL), SS_OK);
    ck_assert_int_eq(
        ss_batch_encode(SS_MESSAGE_TASKS, &pieces, &made, NULL), SS_OK);
    int status = ss_message_decode(made.data, made.size, &message, error);
    ss_message_destroy(&message);
    ss_assignment_destroy(&order);
    ss_buf_fini(&pieces);
    ss_buf_fini(&made);
    return status;
}

START_TEST(a_config_is_an_object)
{
    struct ss_error error = {0};
    ck_assert_int_eq(with_config("{}", &error), SS_OK);
    ck_assert_int_eq(with_config(" \t\r\n{\"tags\":[1e3]}", &error), SS_OK);
    ck_assert_int_eq(with_config(" []", &error), SS_EFORMAT);
    ck_assert_ptr_nonnull(
        strstr(error.message, "an order's config: JSON, but not an object"));
    ck_assert_int_eq(with_config("null", &error), SS_EFORMAT);
    ck_assert_int_eq(with_config("\"{\"", &error), SS_EFORMAT);
}
END_TEST

START_TEST(a_fold_order_arrives_whole)
{
    struct ss_message *message = wire_through(wire_example(SS_MESSAGE_TASKS));
    const struct ss_assignment *order = message->orders[1];
    struct ss_assignment *wanted = wire_fold_order();
    ck_assert_int_eq((int)order->kind, SS_ORDER_FOLD);
    ck_assert_str_eq(order->fold.channel, "total");
    SAME_VALUE(order->fold.value, wanted->fold.value);
    SAME_JSON(order->fold.writes, wanted->fold.writes);
    SAME_VALUE(order->returned, wanted->returned);
    ck_assert_str_eq(order->node, "");
    ck_assert_ptr_null(order->input);
    ck_assert_ptr_null(order->given.plain);
    ck_assert_ptr_null(order->given.config);
    ss_assignment_destroy(&wanted);
    ss_message_destroy(&message);
}
END_TEST

START_TEST(an_outcome_that_is_done_arrives_whole)
{
    struct ss_message *message = wire_through(wire_example(SS_MESSAGE_DONE));
    struct ss_outcome *got = message->outcomes[0],
                      *wanted = wire_done_outcome();
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
    struct ss_message *message = wire_through(wire_example(SS_MESSAGE_DONE));
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
    message->outcomes[0] = wire_outcome(SS_OUTCOME_FAILED);
    message = wire_through(message);
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
    message->outcomes[0] = wire_failed_outcome();
    ss_free(message->outcomes[0]->message);
    message->outcomes[0]->message = ss_strdup("a\xff\xc3(\xc3\xa9 \xe2\x82");
    message = wire_through(message);
    ck_assert_str_eq(message->outcomes[0]->message, "a\?\?(\xc3\xa9 \?\?");
    ss_free(message->outcomes[0]->message);
    size_t size = SS_WIRE_TEXT_SIZE_MAX + 10;
    message->outcomes[0]->message = ss_zalloc(size + 1, 1);
    memset(message->outcomes[0]->message, 'm', size);
    message = wire_through(message);
    ck_assert_uint_eq(
        strlen(message->outcomes[0]->message), SS_WIRE_TEXT_SIZE_MAX);
    ss_message_destroy(&message);
}
END_TEST

static void has_members(const struct ss_message *message)
{
    ck_assert_uint_eq(message->members_count, 2);
    ck_assert_str_eq(message->members[0], "tcp://a:7433");
    ck_assert_str_eq(message->members[1], "tcp://b:7433");
}

START_TEST(hello_welcome_and_refusal_arrive_whole)
{
    struct ss_message *message = wire_through(wire_example(SS_MESSAGE_HELLO));
    ck_assert_str_eq(message->hello.name, "host/7/1");
    ck_assert_str_eq(message->hello.app_version, "2.0");
    ck_assert_str_eq(message->hello.host, "host");
    ck_assert_uint_eq(message->hello.pid, 7);
    ck_assert_uint_eq(message->capacity, 4);
    ck_assert_uint_eq(message->hello.graphs_count, 2);
    ck_assert_str_eq(
        ss_json_str(ss_value_json(message->hello.graphs[1]), "name", ""), "b");
    ss_message_destroy(&message);
    message = wire_through(wire_example(SS_MESSAGE_WELCOME));
    ck_assert_uint_eq(message->epoch, 12);
    ck_assert_int_eq(message->welcome.lease_ms, 10000);
    ck_assert_int_eq(message->welcome.heartbeat_ms, 2000);
    ck_assert_int_eq(message->welcome.begin_ms, 1000);
    has_members(message);
    ss_message_destroy(&message);
    message = wire_through(wire_example(SS_MESSAGE_REFUSED));
    ck_assert_int_eq(message->refused.status, SS_EEXISTS);
    ck_assert_str_eq(message->refused.text, "that name is taken");
    ss_message_destroy(&message);
}
END_TEST

START_TEST(lists_and_requests_arrive_whole)
{
    struct ss_message *message = wire_through(wire_example(SS_MESSAGE_BEAT));
    ck_assert_uint_eq(message->attempts_count, 2);
    ck_assert_uint_eq(message->attempts[1].epoch, UINT64_MAX);
    ck_assert_uint_eq(message->capacity, 3);
    ck_assert_uint_eq(message->sent, UINT64_MAX);
    ss_message_destroy(&message);
    message = wire_through(wire_example(SS_MESSAGE_HEARD));
    ck_assert_uint_eq(message->attempts_count, 2);
    ck_assert_uint_eq(message->sent, 77);
    ss_message_destroy(&message);
    message = wire_through(wire_example(SS_MESSAGE_LIVE));
    ck_assert_uint_eq(message->items_count, 2);
    ck_assert_int_eq((int)message->items[1].kind, SS_LIVE_HEARTBEAT);
    ck_assert_ptr_null(message->items[1].value);
    ck_assert_int_eq(
        ss_json_int(ss_value_json(message->items[0].value), "p", 0), 50);
    ss_message_destroy(&message);
    message = wire_through(wire_example(SS_MESSAGE_ASK));
    ck_assert_str_eq(message->op, "run");
    ck_assert_uint_eq(message->id, 3);
    ss_message_destroy(&message);
    message = wire_through(wire_example(SS_MESSAGE_ANSWER));
    ck_assert(message->final);
    ck_assert_str_eq(
        ss_json_str(ss_value_json(message->body), "status", ""), "done");
    ss_message_destroy(&message);
    message = wire_through(wire_example(SS_MESSAGE_BYE));
    ck_assert(message->bye.drains && message->bye.stuck);
    ck_assert_uint_eq(message->attempts_count, 2);
    ck_assert_str_eq(message->bye.ended, "w1");
    ck_assert_str_eq(message->bye.how, "signal 11");
    ss_message_destroy(&message);
    message = wire_through(wire_example(SS_MESSAGE_PONG));
    ck_assert_uint_eq(message->epoch, 5);
    ss_message_destroy(&message);
}
END_TEST

static void has_offers(const struct ss_message *message)
{
    ck_assert_uint_eq(message->offers_count, 2);
    const struct ss_offer *offer = &message->offers[1];
    ck_assert_uint_eq(offer->attempt.epoch, 3);
    ck_assert_uint_eq(offer->attempt.dispatch, 41);
    ck_assert_str_eq(offer->task_id, "11111111-2222-3333-4444-555555555555");
    ck_assert_str_eq(offer->thread, "thread-1");
    ck_assert_str_eq(offer->run, "");
    ck_assert_uint_eq(offer->digest, UINT64_MAX);
    ck_assert(offer->ended);
    ck_assert_str_eq(message->offers[0].run, "run-1");
    ck_assert_uint_eq(message->offers[0].digest, 0);
    ck_assert(!message->offers[0].ended);
}

START_TEST(members_labels_shards_and_offers_arrive_whole)
{
    struct ss_message *message = wire_through(wire_example(SS_MESSAGE_HELLO));
    ck_assert_uint_eq(message->hello.labels_count, 2);
    ck_assert_str_eq(message->hello.labels[1], "large");
    ck_assert_str_eq(
        ss_json_str(json_array_get(message->hello.settings, 0), "name", ""),
        "capacity");
    has_offers(message);
    ss_message_destroy(&message);
    message = wire_through(wire_example(SS_MESSAGE_MEMBERS));
    has_members(message);
    ss_message_destroy(&message);
    message = wire_through(wire_example(SS_MESSAGE_PONG));
    has_members(message);
    ss_message_destroy(&message);
    message = wire_through(wire_example(SS_MESSAGE_SEEK));
    ck_assert_uint_eq(message->epoch, 8);
    ck_assert_uint_eq(message->shards_count, 3);
    ck_assert_uint_eq(message->shards[0], 0);
    ck_assert_uint_eq(message->shards[1], 300);
    ck_assert_uint_eq(message->shards[2], UINT32_MAX);
    ss_message_destroy(&message);
    message = wire_through(wire_example(SS_MESSAGE_ADOPT));
    ck_assert_uint_eq(message->adoptions_count, 2);
    ck_assert_uint_eq(message->adoptions[1].held.dispatch, 40);
    ck_assert_uint_eq(message->adoptions[1].as.epoch, 4);
    ck_assert_uint_eq(message->adoptions[1].as.dispatch, UINT64_MAX);
    ss_message_destroy(&message);
    message = wire_through(wire_example(SS_MESSAGE_OFFERS));
    ck_assert_uint_eq(message->epoch, 8);
    has_offers(message);
    ss_message_destroy(&message);
}
END_TEST

// --- batches

static void batch_matches(enum ss_message_type type, struct ss_buf *pieces)
{
    struct ss_buf whole, made;
    ss_buf_init(&whole, SS_MESSAGE_SIZE_MAX);
    ss_buf_init(&made, SS_MESSAGE_SIZE_MAX);
    struct ss_message *message = wire_example(type);
    wire_encode(message, &whole);
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
    struct ss_message *message = wire_example(SS_MESSAGE_TASKS);
    for (size_t i = 0; i < message->orders_count; i++)
        ck_assert_int_eq(
            ss_batch_add_order(&pieces, message->orders[i], NULL), SS_OK);
    batch_matches(SS_MESSAGE_TASKS, &pieces);
    ss_message_destroy(&message);
    message = wire_example(SS_MESSAGE_DONE);
    for (size_t i = 0; i < message->outcomes_count; i++)
        ck_assert_int_eq(
            ss_batch_add_outcome(&pieces, message->outcomes[i], NULL), SS_OK);
    batch_matches(SS_MESSAGE_DONE, &pieces);
    ss_message_destroy(&message);
    message = wire_example(SS_MESSAGE_LIVE);
    for (size_t i = 0; i < message->items_count; i++)
        ck_assert_int_eq(
            ss_batch_add_live(&pieces, &message->items[i], NULL), SS_OK);
    batch_matches(SS_MESSAGE_LIVE, &pieces);
    ss_message_destroy(&message);
    static const enum ss_message_type lists[] = {
        SS_MESSAGE_CANCEL, SS_MESSAGE_SETTLED};
    for (int i = 0; i < 2; i++) {
        message = wire_example(lists[i]);
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

static void has_bytes(struct ss_assignment *order, size_t size, uint64_t hash)
{
    struct ss_buf pieces;
    ss_buf_init(&pieces, SS_MESSAGE_SIZE_MAX);
    ck_assert_int_eq(ss_batch_add_order(&pieces, order, NULL), SS_OK);
    ck_assert_uint_eq(pieces.size, size);
    ck_assert_uint_eq(ss_hash64(pieces.data, pieces.size), hash);
    ss_assignment_destroy(&order);
    ss_buf_fini(&pieces);
}

// Sizes and hashes are those of what protobuf-c made of the same orders.
START_TEST(an_order_has_the_bytes_that_protobuf_writes)
{
    char letters[5000];
    has_bytes(wire_order(), 495, UINT64_C(0xfbd61a1dc32b65ca));
    has_bytes(wire_fold_order(), 96, UINT64_C(0xefa2552c28f85da9));
    has_bytes(ss_assignment_new(), 28, UINT64_C(0x9e83b45ee74fff35));
    struct ss_assignment *order = wire_order();
    memset(letters, 'x', sizeof(letters));
    ss_value_unref(order->input);
    order->input = ss_value_opaque(SS_VALUE_BYTES, letters, sizeof(letters));
    order->step = INT64_MIN;
    order->first_attempt_us = -1;
    order->heard = order->digest = UINT64_MAX;
    has_bytes(order, 5507, UINT64_C(0x29651561489c76cb));
}
END_TEST

static void outcome_has_bytes(
    struct ss_outcome *outcome, size_t size, uint64_t hash)
{
    struct ss_buf pieces;
    ss_buf_init(&pieces, SS_MESSAGE_SIZE_MAX);
    ck_assert_int_eq(ss_batch_add_outcome(&pieces, outcome, NULL), SS_OK);
    ck_assert_uint_eq(pieces.size, size);
    ck_assert_uint_eq(ss_hash64(pieces.data, pieces.size), hash);
    ss_outcome_destroy(&outcome);
    ss_buf_fini(&pieces);
}

// As above.
START_TEST(an_outcome_has_the_bytes_that_protobuf_writes)
{
    outcome_has_bytes(ss_outcome_new(), 12, UINT64_C(0x246a3c11200a37ec));
    outcome_has_bytes(wire_failed_outcome(), 88, UINT64_C(0x9ac25c815e128ad0));
    struct ss_outcome *outcome = wire_done_outcome();
    outcome->warnings = wire_json("[\"w\"]");
    outcome->ran_us = -1;
    outcome_has_bytes(outcome, 170, UINT64_C(0x8baa4d1f09c52b40));
    outcome = wire_outcome(SS_OUTCOME_INTERRUPTED);
    outcome->question = wire_json("{\"value\":\"ok?\"}");
    outcome->parent = wire_json("{\"goto\":\"n\"}");
    outcome->attempt = (struct ss_attempt){UINT64_MAX, 1 << 20};
    outcome->folded = ss_value_opaque(SS_VALUE_BYTES, "", 0);
    outcome_has_bytes(outcome, 96, UINT64_C(0x160b3e651729d271));
}
END_TEST

// Prose is cut at its limit, and what is not UTF-8 becomes '?'.
START_TEST(a_failure_is_told_whatever_its_text)
{
    enum { SIZE = SS_WIRE_TEXT_SIZE_MAX + 10 };
    struct ss_outcome *outcome = wire_failed_outcome();
    ss_free(outcome->message);
    outcome->message = ss_zalloc(SIZE + 1, 1);
    memset(outcome->message, 'm', SIZE);
    outcome->message[1] = '\xff';
    outcome->drain = ss_strdup("\xc3\xa9\xc3");
    outcome_has_bytes(outcome, 1048662, UINT64_C(0x0782c15fff7c7280));
}
END_TEST

START_TEST(a_piece_that_cannot_be_sent_leaves_the_batch_as_it_was)
{
    struct ss_buf pieces, made;
    ss_buf_init(&pieces, SS_MESSAGE_SIZE_MAX);
    ss_buf_init(&made, SS_MESSAGE_SIZE_MAX);
    struct ss_assignment *order = wire_order();
    ck_assert_int_eq(ss_batch_add_order(&pieces, order, NULL), SS_OK);
    size_t before = pieces.size;
    order->node = "\xff";
    struct ss_error error = {0};
    ck_assert_int_eq(ss_batch_add_order(&pieces, order, &error), SS_EFORMAT);
    ck_assert_ptr_nonnull(strstr(error.message, "Order.node"));
    ck_assert_uint_eq(pieces.size, before);
    ck_assert_int_eq(
        ss_batch_encode(SS_MESSAGE_TASKS, &pieces, &made, NULL), SS_OK);
    struct ss_message *message = wire_decode(&made);
    ck_assert_uint_eq(message->orders_count, 1);
    ss_message_destroy(&message);
    ss_assignment_destroy(&order);
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
    tcase_add_loop_test(tcase, test, SS_MESSAGE_HELLO, SS_MESSAGE_LAST + 1);
}

int main(void)
{
    ss_value_setup();
    Suite *suite = suite_create("message");
    TCase *tcase = tcase_create("message");
    add_each(tcase, what_is_decoded_encodes_to_the_same_bytes);
    add_each(tcase, an_empty_message_of_each_type_survives);
    tcase_add_test(tcase, an_order_arrives_whole);
    tcase_add_test(tcase, what_a_run_was_given_is_decoded_when_somebody_looks);
    tcase_add_test(tcase, a_config_is_an_object);
    tcase_add_test(tcase, a_fold_order_arrives_whole);
    tcase_add_test(tcase, an_outcome_that_is_done_arrives_whole);
    tcase_add_test(tcase, failures_questions_and_commands_arrive_whole);
    tcase_add_test(tcase, a_failure_always_has_a_code_and_a_message);
    tcase_add_test(tcase, a_failures_text_is_mended_so_that_it_arrives);
    tcase_add_test(tcase, hello_welcome_and_refusal_arrive_whole);
    tcase_add_test(tcase, lists_and_requests_arrive_whole);
    tcase_add_test(tcase, members_labels_shards_and_offers_arrive_whole);
    tcase_add_test(tcase, a_batch_is_the_same_message);
    tcase_add_test(tcase, an_order_has_the_bytes_that_protobuf_writes);
    tcase_add_test(tcase, an_outcome_has_the_bytes_that_protobuf_writes);
    tcase_add_test(tcase, a_failure_is_told_whatever_its_text);
    tcase_add_test(
        tcase, a_piece_that_cannot_be_sent_leaves_the_batch_as_it_was);
    tcase_add_test(tcase, every_type_has_its_name);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
