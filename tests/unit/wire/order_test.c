// What orders share is written once, and copied: nobody can tell by the bytes.
#include <check.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/mem.h"
#include "common/base/prng.h"
#include "common/model/task.h"
#include "common/model/value.h"
#include "common/wire/batch.h"
#include "common/wire/limits.h"
#include "common/wire/unpack.h"
#include "tests/suite.h"
#include "tests/unit/wire/examples.h"

enum { GRAPHS = 4, NODES = 4, ORDERS = 4000, LONG = 300 };

static char long_name[LONG + 1];

// A graph and its nodes own what their orders share.
static struct owner {
    const char *name, *version;
    struct ss_coded *coded, *coded_push;
    struct {
        const char *name;
        struct ss_coded *coded, *coded_triggers;
        uint64_t digest;
    } nodes[NODES];
} owners[GRAPHS];

static void begin(void)
{
    static const char *const names[] = {"g", "gr\xc3\xa4ph", long_name, ""};
    static const char *const nodes[] = {"a", "\xce\xb1", long_name, ""};
    memset(long_name, 'n', LONG);
    memset(owners, 0, sizeof(owners));
    for (size_t i = 0; i < GRAPHS; i++) {
        owners[i].name = names[i];
        owners[i].version = i % 2 ? "0123abcd" : "00000000fedcba98";
        for (size_t k = 0; k < NODES; k++)
            owners[i].nodes[k].name = nodes[(i + k) % NODES];
    }
}

static void end(void)
{
    for (size_t i = 0; i < GRAPHS; i++) {
        ss_free(owners[i].coded);
        ss_free(owners[i].coded_push);
        for (size_t k = 0; k < NODES; k++) {
            ss_free(owners[i].nodes[k].coded);
            ss_free(owners[i].nodes[k].coded_triggers);
        }
    }
}

// ------------------------------------------------ orders

static struct ss_prng prng;

static bool one_in(uint64_t of)
{
    return ss_prng_below(&prng, of) == 0;
}

static uint64_t number(void)
{
    return one_in(3) ? 0 : ss_prng_next(&prng) >> ss_prng_below(&prng, 64);
}

// Of the order's task alone.
static void add_own(struct ss_assignment *order)
{
    order->attempt = (struct ss_attempt){number(), number()};
    order->thread = one_in(4) ? "thread-\xc3\xa9" : "t";
    order->run = one_in(4) ? "" : "run-1";
    strcpy(order->task_id, "11111111-2222-3333-4444-555555555555");
    strcpy(order->checkpoint_id, "1f0a2b3c-0000-6000-8000-000000000001");
    order->ns = one_in(4) ? long_name : "a:11111111";
    order->path = "~__pregel_pull, a";
    order->step = (int64_t)number();
    order->stop = (int64_t)number();
    order->attempt_number = (uint32_t)number();
    order->first_attempt_us = (int64_t)number();
    order->input = wire_value(one_in(2) ? "{\"x\":[1,2]}" : "null");
    order->digest = number();
    order->shard_epoch = number();
    order->heard = number();
    order->want_custom = one_in(2);
    order->want_messages = one_in(2);
}

static void add_given(struct ss_assignment *order)
{
    if (one_in(2))
        order->given.answers = wire_json(one_in(2) ? "[]" : "[true,null]");
    if (one_in(3))
        order->given.plain = wire_value("\"yes\"");
    if (one_in(3))
        order->given.config = wire_value("{\"metadata\":{\"a\":1}}");
    if (one_in(3))
        order->given.context = wire_value("[1,2]");
    if (one_in(3))
        order->given.error = wire_json("{\"node\":\"a\"}");
    if (one_in(3))
        order->fresh.channels = ss_value_new(wire_json("{\"n\":1}"));
    if (one_in(3))
        order->fresh.managed = wire_json("{\"is_last_step\":false}");
    if (one_in(3))
        order->returned = ss_value_opaque(SS_VALUE_BYTES, "\0\1\2", 3);
    if (one_in(2))
        order->timeouts = (struct ss_timeouts){60000, 5000, one_in(2)};
}

static void add_list(struct ss_assignment *order)
{
    struct ss_assignment_list list = {.part = SS_PART_INPUT,
        .at = one_in(2),
        .name = one_in(2) ? ss_strdup("x") : NULL,
        .slot = number(),
        .base = number(),
        .stamp = number(),
        .delta = wire_value("[3]")};
    SS_VEC_PUSH(&order->lists, list);
}

// Of a node, or a fold of the graph `root`; its node may be of a graph inside.
static struct ss_assignment *make(void)
{
    struct owner *root = &owners[ss_prng_below(&prng, GRAPHS)];
    struct owner *graph = &owners[ss_prng_below(&prng, GRAPHS)];
    size_t node = (size_t)ss_prng_below(&prng, NODES);
    struct ss_assignment *order = ss_assignment_new();
    add_own(order);
    order->app_graph = root->name;
    order->version = root->version;
    order->graph = graph->name;
    order->kept.root = &root->coded;
    if (one_in(8)) {
        order->kind = SS_ORDER_FOLD;
        order->node = "";
        order->fold.channel = ss_strdup("total");
        order->fold.value = wire_value("7");
        order->fold.writes = wire_json("[1,{\"__overwrite__\":2}]");
        return order;
    }
    order->kind = one_in(8) ? SS_ORDER_WRITERS : SS_ORDER_NODE;
    order->node = graph->nodes[node].name;
    order->kept.node = &graph->nodes[node].coded;
    bool is_push = one_in(4);
    order->triggers =
        wire_json(is_push ? "[\"__pregel_push\"]"
                          : (const char *[]){"[\"a\",\"branch:to:b\"]",
                                "[\"\xc3\xa9\"]", "[]", "[\"x\"]"}[node]);
    order->kept.triggers =
        is_push ? &graph->coded_push : &graph->nodes[node].coded_triggers;
    add_given(order);
    while (one_in(3))
        add_list(order);
    return order;
}

// ------------------------------------------------ their bytes

static void encode(const struct ss_assignment *order, struct ss_buf *ret)
{
    struct ss_error error = {0};
    ss_buf_reset(ret);
    int status = ss_batch_add_order(ret, order, &error);
    ck_assert_msg(status == SS_OK, "%s", error.message);
}

static void encode_each_field(
    const struct ss_assignment *order, struct ss_buf *ret)
{
    struct ss_assignment plain = *order;
    plain.kept = (struct ss_assignment_kept){0};
    encode(&plain, ret);
}

// Of the generated code, which only its room sees.
extern const ProtobufCMessageDescriptor superstep__v1__tasks__descriptor;

// What protobuf-c writes of what it reads there.
static void encode_by_protobuf(const struct ss_buf *from, struct ss_buf *ret)
{
    ProtobufCMessage *read =
        protobuf_c_message_unpack(&superstep__v1__tasks__descriptor, NULL,
            from->size, (const uint8_t *)from->data);
    ck_assert_ptr_nonnull(read);
    size_t size = protobuf_c_message_get_packed_size(read);
    uint8_t *packed = ss_alloc(size);
    ck_assert_uint_eq(protobuf_c_message_pack(read, packed), size);
    ss_buf_reset(ret);
    ss_buf_add(ret, packed, size);
    ss_free(packed);
    protobuf_c_message_free_unpacked(read, NULL);
}

static void are_same(const struct ss_buf *a, const struct ss_buf *b)
{
    ck_assert_uint_eq(a->size, b->size);
    ck_assert_mem_eq(a->data, b->data, a->size);
}

START_TEST(what_orders_share_has_the_bytes_of_each_field_and_of_protobuf)
{
    struct ss_buf fields, shared, protobuf;
    ss_buf_init(&fields, SS_MESSAGE_SIZE_MAX);
    ss_buf_init(&shared, SS_MESSAGE_SIZE_MAX);
    ss_buf_init(&protobuf, SS_MESSAGE_SIZE_MAX);
    begin();
    ss_prng_init(&prng, 45);
    for (int i = 0; i < ORDERS; i++) {
        struct ss_assignment *order = make();
        encode_each_field(order, &fields);
        encode(order, &shared);
        are_same(&shared, &fields);
        encode_by_protobuf(&shared, &protobuf);
        are_same(&shared, &protobuf);
        ss_assignment_destroy(&order);
    }
    for (size_t i = 0; i < GRAPHS; i++) {
        ck_assert(owners[i].coded && owners[i].coded_push);
        for (size_t k = 0; k < NODES; k++)
            ck_assert(
                owners[i].nodes[k].coded && owners[i].nodes[k].coded_triggers);
    }
    end();
    ss_buf_fini(&fields);
    ss_buf_fini(&shared);
    ss_buf_fini(&protobuf);
}
END_TEST

// A name that nobody could decode is refused the second time, too.
START_TEST(what_is_refused_in_one_order_is_refused_in_the_next)
{
    struct ss_buf pieces;
    ss_buf_init(&pieces, SS_MESSAGE_SIZE_MAX);
    struct ss_coded *coded = NULL;
    for (int i = 0; i < 3; i++) {
        struct ss_error error = {0};
        struct ss_assignment *order = wire_order();
        order->node = "\xff";
        order->kept.node = &coded;
        ck_assert_int_eq(
            ss_batch_add_order(&pieces, order, &error), SS_EFORMAT);
        ck_assert_ptr_nonnull(strstr(error.message, "Order.node"));
        ck_assert_uint_eq(pieces.size, 0);
        ss_assignment_destroy(&order);
    }
    ss_free(coded);
    ss_buf_fini(&pieces);
}
END_TEST

START_TEST(what_digests_share_is_reckoned_once_and_is_the_same)
{
    begin();
    ss_prng_init(&prng, 46);
    for (int i = 0; i < ORDERS; i++) {
        struct ss_assignment *order = make();
        size_t node = (size_t)ss_prng_below(&prng, NODES);
        struct owner *graph = &owners[ss_prng_below(&prng, GRAPHS)];
        order->kind = SS_ORDER_NODE;
        order->graph = graph->name;
        order->version = graph->version;
        order->node = graph->nodes[node].name;
        uint64_t digest = ss_assignment_digest(order);
        order->kept.digest = &graph->nodes[node].digest;
        ck_assert_uint_eq(ss_assignment_digest(order), digest);
        ck_assert_uint_eq(ss_assignment_digest(order), digest);
        ss_assignment_destroy(&order);
    }
    end();
}
END_TEST

// It may outlive them.
START_TEST(an_order_that_keeps_its_texts_needs_no_owner)
{
    struct ss_buf before, kept;
    ss_buf_init(&before, SS_MESSAGE_SIZE_MAX);
    ss_buf_init(&kept, SS_MESSAGE_SIZE_MAX);
    begin();
    ss_prng_init(&prng, 47);
    struct ss_assignment *order = make();
    encode(order, &before);
    ss_assignment_keep(order);
    ck_assert(!order->kept.root && !order->kept.node && !order->kept.triggers &&
              !order->kept.digest);
    end();
    memset(owners, 0, sizeof(owners));
    memset(long_name, 0, sizeof(long_name));
    encode(order, &kept);
    are_same(&kept, &before);
    ss_assignment_destroy(&order);
    ss_buf_fini(&before);
    ss_buf_fini(&kept);
}
END_TEST

int main(void)
{
    ss_value_setup();
    Suite *suite = suite_create("order");
    TCase *tcase = tcase_create("order");
    tcase_add_test(
        tcase, what_orders_share_has_the_bytes_of_each_field_and_of_protobuf);
    tcase_add_test(tcase, what_is_refused_in_one_order_is_refused_in_the_next);
    tcase_add_test(tcase, what_digests_share_is_reckoned_once_and_is_the_same);
    tcase_add_test(tcase, an_order_that_keeps_its_texts_needs_no_owner);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
