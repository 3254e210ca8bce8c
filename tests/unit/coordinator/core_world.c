#include "tests/unit/coordinator/core_world.h"

#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/journal.h"
#include "common/model/roles.h"
#include "common/model/value.h"
#include "common/wire/limits.h"
#include "coordinator/store/store_actor.h"

struct ss_store *store;
static struct ss_store_actor *actor;
struct ss_core *core;
struct ss_error core_error;
int64_t now_ms;
int unsent;
int refusals;
char left[256];
size_t sent, orders, said, complaints, stored;
enum ss_message_type last_sent;
char last_said[512];
char all_said[4096];

// Asked of the cluster, not answered yet: a renewal and a look at most.
static struct {
    struct ss_job *items[2];
    size_t count;
} leases;
struct ss_message *last_heard;
enum ss_message_type listens_for;

bool crashed;
const char *away;
const char *theirs;

static json_t *tell(void *ctx, const char *what)
{
    (void)ctx;
    return away && strcmp(what, "away") == 0 ? json_string(away) : json_null();
}

void new_core(bool is_shared)
{
    core = ss_core_new(&(struct ss_core_options){
        .self = {.name = "one", .endpoint = "tcp://a:1", .epoch = 1},
        .is_shared = is_shared,
        .is_after_crash = crashed,
        .cluster_lease_ms = CORE_CLUSTER_LEASE_MS,
        .seed = 7,
        .lease_ms = 3000,
        .heartbeat_ms = 500,
        .adopt_ms = 3000,
        .ask = tell});
}

void set_up(void)
{
    ss_value_setup();
    ck_assert_int_eq(ss_store_open("memory:", &store, &core_error), SS_OK);
    ss_store_actor_start_inline(store, &actor);
    now_ms = 1000;
    unsent = SS_OK;
    refusals = 0;
    left[0] = '\0';
    sent = said = complaints = stored = 0;
    all_said[0] = '\0';
    crashed = false;
    away = theirs = NULL;
    new_core(false);
}

void tear_down(void)
{
    ss_core_destroy(&core);
    ss_store_actor_stop(&actor);
    while (leases.count > 0)
        ss_job_destroy(&leases.items[--leases.count]);
    ss_message_destroy(&last_heard);
}

void put(enum ss_store_table table, const char *key, const char *text)
{
    struct ss_store_put one = {.table = table,
        .key = key,
        .value = text,
        .value_size = strlen(text),
        .when = SS_WHEN_ANY};
    struct ss_store_unit unit = {.puts = &one, .puts_count = 1};
    struct ss_store_batch batch = {.units = &unit, .units_count = 1};
    ck_assert_int_eq(ss_store_apply(store, &batch, &core_error), SS_OK);
}

static void hear(const struct ss_core_output *output)
{
    if (output->message != listens_for)
        return;
    ss_message_destroy(&last_heard);
    ck_assert_int_eq(ss_message_decode(
                         output->bytes, output->size, &last_heard, &core_error),
        SS_OK);
}

// What did not leave: its queue's word.
static int leave(const struct ss_core_output *output)
{
    size_t size = strlen(left);
    if (output->message == SS_MESSAGE_TASKS && refusals > 0) {
        refusals--;
        return SS_EAGAIN;
    }
    if (unsent == SS_OK && strcmp(output->peer, "w") == 0)
        snprintf(left + size, sizeof(left) - size, " %s",
            ss_message_name(output->message));
    return unsent;
}

static void carry_out(const struct ss_core_output *output)
{
    int status = SS_OK;
    switch (output->type) {
    case SS_CORE_SEND:
        sent++;
        orders += output->message == SS_MESSAGE_TASKS;
        last_sent = output->message;
        hear(output);
        status = leave(output);
        if (status != SS_OK)
            ss_core_unsent(core, output, status);
        break;
    case SS_CORE_SUBMIT:
        stored += output->job->type == SS_JOB_APPLY;
        if (output->lane == SS_CORE_APPENDS) {
            ss_store_actor_submit(actor, output->job);
        } else {
            ck_assert_uint_lt(leases.count, 2);
            leases.items[leases.count++] = output->job;
        }
        break;
    case SS_CORE_SAY:
        said++;
        snprintf(last_said, sizeof(last_said), "%s", output->text);
        snprintf(all_said + strlen(all_said),
            sizeof(all_said) - strlen(all_said), "%s\n", output->text);
        break;
    case SS_CORE_COMPLAIN:
        complaints++;
        break;
    case SS_CORE_KEPT:
        break;
    }
}

void feed(struct ss_core_event event)
{
    struct ss_core_outputs outputs;
    event.now_ms = now_ms;
    event.wall_us = now_ms * 1000;
    ss_core_step(core, &event, &outputs);
    for (size_t i = 0; i < outputs.count; i++)
        carry_out(&outputs.items[i]);
}

void turn_begins(void)
{
    struct ss_job *job;
    feed((struct ss_core_event){.type = SS_CORE_TURN});
    while ((job = ss_store_actor_take(actor))) {
        feed((struct ss_core_event){.type = SS_CORE_DONE, .job = job});
        ss_job_destroy(&job);
    }
    feed((struct ss_core_event){.type = SS_CORE_TICK});
}

void turn_ends(void)
{
    feed((struct ss_core_event){.type = SS_CORE_FLUSH});
}

void turn(void)
{
    turn_begins();
    turn_ends();
}

void frame(const char *peer, const struct ss_message *message)
{
    struct ss_buf bytes;
    ss_buf_init(&bytes, SS_MESSAGE_SIZE_MAX);
    ck_assert_int_eq(ss_message_encode(message, &bytes, &core_error), SS_OK);
    feed((struct ss_core_event){.type = SS_CORE_FRAME,
        .peer = peer,
        .sender = {SS_ROLES_ALL, "", "local"},
        .bytes = bytes.data,
        .size = bytes.size});
    ss_buf_fini(&bytes);
}

// ------------------------------------------------------------------ a worker

void hello(void)
{
    json_t *graph =
        json_pack("{s:s, s:s, s:[{s:s, s:s, s:s}], s:[{s:s}], s:[[s, s]]}",
            "name", "g", "kind", "state", "state", "key", "x", "type", "list",
            "reducer", "add", "nodes", "name", "a", "edges", "__start__", "a");
    struct ss_value *value = ss_value_new(graph);
    frame("w", &(struct ss_message){.type = SS_MESSAGE_HELLO,
                   .protocol = SS_PROTOCOL_VERSION,
                   .hello.name = "w",
                   .hello.app_version = "1",
                   .hello.host = "h",
                   .capacity = 8,
                   .hello.graphs = &value,
                   .hello.graphs_count = 1});
    ss_value_unref(value);
}

void ask_for_a_run(uint64_t id)
{
    char thread[16];
    snprintf(thread, sizeof(thread), "t%d", (int)id);
    struct ss_value *body = ss_value_new(json_pack("{s:s, s:s, s:s, s:{s:[s]}}",
        "run", thread, "thread", thread, "graph", "g", "input", "x", "in"));
    frame("c", &(struct ss_message){.type = SS_MESSAGE_ASK,
                   .protocol = SS_PROTOCOL_VERSION,
                   .id = id,
                   .op = "run",
                   .body = body});
    ss_value_unref(body);
}

size_t turns_to_order(void)
{
    orders = 0;
    for (int i = 0; i < 20 && orders == 0; i++)
        turn();
    return orders;
}

// ------------------------------------------------------------------ others

// What the database says of "one", which has all, and "two" beside it.
static void look(struct ss_cluster *cluster)
{
    cluster->members = ss_zalloc(2, sizeof(*cluster->members));
    cluster->members_count = 2;
    cluster->members[0] = (struct ss_member){.name = "one",
        .endpoint = "tcp://a:1",
        .epoch = 1,
        .left_ms = 9000,
        .row_format = SS_ROW_FORMAT};
    cluster->members[1] = cluster->members[0];
    memcpy(cluster->members[1].name, "two", sizeof("two"));
    memcpy(cluster->members[1].endpoint, "tcp://b:2", sizeof("tcp://b:2"));
    memset(cluster->owners, 0, sizeof(cluster->owners));
    if (theirs)
        cluster->owners[ss_shard_of(theirs)] = 1;
    cluster->epoch = 2;
}

void turn_among_two(void)
{
    struct ss_job *asked[2];
    size_t count = leases.count;
    memcpy(asked, leases.items, sizeof(asked));
    leases.count = 0;
    turn();
    for (size_t i = 0; i < count; i++) {
        if (asked[i]->type == SS_JOB_LOOK)
            look(asked[i]->cluster);
        feed((struct ss_core_event){.type = SS_CORE_DONE, .job = asked[i]});
        ss_job_destroy(&asked[i]);
    }
    if (count > 0)
        now_ms += 100;
}

const struct ss_message *listen_to(enum ss_message_type type)
{
    ss_message_destroy(&last_heard);
    listens_for = type;
    for (int i = 0; i < 20 && !last_heard; i++)
        turn_among_two();
    ck_assert_ptr_nonnull(last_heard);
    return last_heard;
}
