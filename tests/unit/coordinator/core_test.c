// The core by itself: what it is fed, and what it asks for. A store in memory
// does its jobs; nobody else is there.
#include "coordinator/core/core.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/journal.h"
#include "common/model/roles.h"
#include "common/model/value.h"
#include "common/wire/limits.h"
#include "coordinator/engine/limits.h"
#include "coordinator/store/store_actor.h"
#include "tests/suite.h"

static struct ss_store *store; // closed by its actor
static struct ss_store_actor *actor;
static struct ss_core *core;
static struct ss_error error;
static int64_t now_ms;
static int unsent;     // status of each SEND
static int refusals;   // so many SENDs of orders find a full queue
static char left[256]; // what left for workers since somebody looked
static size_t sent, orders, said, complaints, stored;
static enum ss_message_type last_sent;
static char last_said[512];

static struct ss_job *leases;    // asked of the cluster, not answered yet
static struct ss_message *heard; // the last that left, if somebody listens
static enum ss_message_type listens_for;

static bool crashed;       // who had the store before
static const char *away;   // what the store says of itself, if it is away
static const char *theirs; // the one thread that "two" owns, if any

static json_t *tell(void *ctx, const char *what)
{
    (void)ctx;
    return away && strcmp(what, "away") == 0 ? json_string(away) : json_null();
}

static void new_core(bool is_shared)
{
    core = ss_core_new(&(struct ss_core_options){
        .self = {.name = "one", .endpoint = "tcp://a:1", .epoch = 1},
        .is_shared = is_shared,
        .is_after_crash = crashed,
        .cluster_lease_ms = 10000,
        .seed = 7,
        .lease_ms = 3000,
        .heartbeat_ms = 500,
        .adopt_ms = 3000,
        .ask = tell});
}

static void set_up(void)
{
    ss_value_setup();
    ck_assert_int_eq(ss_store_open("memory:", &store, &error), SS_OK);
    ss_store_actor_start_inline(store, &actor);
    now_ms = 1000;
    unsent = SS_OK;
    refusals = 0;
    left[0] = '\0';
    sent = said = complaints = stored = 0;
    crashed = false;
    away = theirs = NULL;
    new_core(false);
}

static void tear_down(void)
{
    ss_core_destroy(&core);
    ss_store_actor_stop(&actor);
    ss_job_destroy(&leases);
    ss_message_destroy(&heard);
}

static void put(enum ss_store_table table, const char *key, const char *text)
{
    struct ss_store_put one = {.table = table,
        .key = key,
        .value = text,
        .value_size = strlen(text),
        .when = SS_WHEN_ANY};
    struct ss_store_unit unit = {.puts = &one, .puts_count = 1};
    struct ss_store_batch batch = {.units = &unit, .units_count = 1};
    ck_assert_int_eq(ss_store_apply(store, &batch, &error), SS_OK);
}

static void hear(const struct ss_core_output *output)
{
    if (output->message != listens_for)
        return;
    ss_message_destroy(&heard);
    ck_assert_int_eq(
        ss_message_decode(output->bytes, output->size, &heard, &error), SS_OK);
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
            ck_assert_ptr_null(leases); // one question at a time
            leases = output->job;
        }
        break;
    case SS_CORE_SAY:
        said++;
        snprintf(last_said, sizeof(last_said), "%s", output->text);
        break;
    case SS_CORE_COMPLAIN:
        complaints++;
        break;
    case SS_CORE_KEPT:
        break;
    }
}

static void feed(struct ss_core_event event)
{
    struct ss_core_outputs outputs;
    event.now_ms = now_ms;
    event.wall_us = now_ms * 1000;
    ss_core_step(core, &event, &outputs);
    for (size_t i = 0; i < outputs.count; i++)
        carry_out(&outputs.items[i]);
}

// A turn up to its end: what the store has done comes back.
static void turn_begins(void)
{
    struct ss_job *job;
    feed((struct ss_core_event){.type = SS_CORE_TURN});
    while ((job = ss_store_actor_take(actor))) {
        feed((struct ss_core_event){.type = SS_CORE_DONE, .job = job});
        ss_job_destroy(&job);
    }
    feed((struct ss_core_event){.type = SS_CORE_TICK});
}

static void turn_ends(void)
{
    feed((struct ss_core_event){.type = SS_CORE_FLUSH});
}

static void turn(void)
{
    turn_begins();
    turn_ends();
}

static void frame(const char *peer, const struct ss_message *message)
{
    struct ss_buf bytes;
    ss_buf_init(&bytes, SS_MESSAGE_SIZE_MAX);
    ck_assert_int_eq(ss_message_encode(message, &bytes, &error), SS_OK);
    feed((struct ss_core_event){.type = SS_CORE_FRAME,
        .peer = peer,
        .sender = {SS_ROLES_ALL, "", "local"},
        .bytes = bytes.data,
        .size = bytes.size});
    ss_buf_fini(&bytes);
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

static void turn_among_two(void)
{
    struct ss_job *job = leases;
    leases = NULL;
    turn();
    if (!job)
        return;
    if (job->type == SS_JOB_LOOK)
        look(job->cluster);
    feed((struct ss_core_event){.type = SS_CORE_DONE, .job = job});
    ss_job_destroy(&job);
    now_ms += 100;
}

static const struct ss_message *listen_to(enum ss_message_type type)
{
    ss_message_destroy(&heard);
    listens_for = type;
    for (int i = 0; i < 20 && !heard; i++)
        turn_among_two();
    ck_assert_ptr_nonnull(heard);
    return heard;
}

static void says_two(const struct ss_message *message)
{
    ck_assert_uint_eq(message->members_count, 2);
    ck_assert_str_eq(message->members[0], "tcp://a:1");
    ck_assert_str_eq(message->members[1], "tcp://b:2");
}

// What damage makes of a start: the failure's status, and its words.
static int start_with(
    enum ss_store_table table, const char *key, const char *text)
{
    put(table, key, text);
    ss_core_destroy(&core);
    new_core(false);
    turn();
    return ss_core_failure(core)->status;
}

START_TEST(an_empty_store_has_nothing_to_go_on_with)
{
    ck_assert_int_eq((int)ss_core_wake_at_ms(core), 0); // it is to begin
    ck_assert(!ss_core_is_settled(core));
    ck_assert_str_eq(
        ss_core_trouble(core), "it has no lease, and owns no thread");
    turn();
    ck_assert(ss_core_is_settled(core));
    ck_assert_ptr_null(ss_core_trouble(core));
    ck_assert(ss_core_is_quiet(core));
    ck_assert_uint_eq(sent + said, 0);
    // Nobody else comes: nothing is looked for.
    ck_assert_int_eq(ss_core_wake_at_ms(core), INT64_MAX);
}
END_TEST

START_TEST(who_is_alone_leaves_a_word_when_it_stops)
{
    bool was_stopped = false;
    turn();
    feed((struct ss_core_event){.type = SS_CORE_DRAIN});
    feed((struct ss_core_event){.type = SS_CORE_LEAVE});
    ck_assert(!ss_core_has_left(core)); // the store has not answered
    turn();
    ck_assert(ss_core_has_left(core));
    ck_assert_int_eq(ss_store_alone_begin(store, &was_stopped, &error), SS_OK);
    ck_assert(was_stopped);
}
END_TEST

START_TEST(runs_that_have_ended_are_not_read)
{
    put(SS_TABLE_RUNS, "run-1", "damage that nobody sees");
    turn();
    ck_assert_int_eq(ss_core_failure(core)->status, SS_OK);
    ck_assert(ss_core_is_settled(core));
}
END_TEST

START_TEST(damaged_records_are_named)
{
    ck_assert_int_eq(
        start_with(SS_TABLE_GRAPHS, "digest@1", "{\"name\":"), SS_ECORRUPT);
    ck_assert_ptr_nonnull(
        strstr(ss_core_failure(core)->message, "graph digest@1"));
    put(SS_TABLE_GRAPHS, "digest@1", "{\"name\":\"digest\"}");
    ck_assert_int_eq(
        start_with(SS_TABLE_OPEN, "run-7", "nothing"), SS_ECORRUPT);
    ck_assert_ptr_nonnull(strstr(ss_core_failure(core)->message, "run run-7"));
    put(SS_TABLE_OPEN, "run-7", "{}");
    ck_assert_int_eq(
        start_with(SS_TABLE_PAUSES, "graph:digest", "["), SS_ECORRUPT);
    ck_assert_ptr_nonnull(
        strstr(ss_core_failure(core)->message, "pause graph:digest"));
}
END_TEST

START_TEST(a_run_without_a_name_is_passed_over)
{
    crashed = true;
    put(SS_TABLE_OPEN, "run-1",
        "{\"run\":\"\",\"thread\":\"t\",\"graph\":\"g@1\","
        "\"status\":\"running\"}");
    put(SS_TABLE_OPEN, "run-2", "{\"run\":\"r\",\"thread\":\"\"}");
    ss_core_destroy(&core);
    new_core(false);
    turn();
    ck_assert(ss_core_is_settled(core));
    ck_assert_int_eq(ss_core_failure(core)->status, SS_OK);
}
END_TEST

// Each start that fails would count against all that are found, until they are
// quarantined.
START_TEST(a_damaged_run_counts_no_crash_against_the_others)
{
    crashed = true;
    put(SS_TABLE_OPEN, "run-1",
        "{\"run\":\"run-1\",\"thread\":\"t\",\"graph\":\"g@1\"}");
    ck_assert_int_eq(
        start_with(SS_TABLE_OPEN, "run-2", "nothing"), SS_ECORRUPT);
    turn();
    ck_assert_uint_eq(stored, 0);
    put(SS_TABLE_OPEN, "run-2", "{}");
    ss_core_destroy(&core);
    new_core(false);
    turn();
    ck_assert_uint_gt(stored, 0); // that crash counts
}
END_TEST

START_TEST(who_was_stopped_is_not_counted_as_crashed)
{
    ck_assert_int_eq(
        start_with(SS_TABLE_OPEN, "run-1",
            "{\"run\":\"run-1\",\"thread\":\"t\",\"graph\":\"g@1\"}"),
        SS_OK);
    turn();
    ck_assert_uint_eq(stored, 0);
}
END_TEST

START_TEST(after_a_failure_nothing_is_taken)
{
    ck_assert_int_eq(start_with(SS_TABLE_GRAPHS, "g@1", "["), SS_ECORRUPT);
    frame("c", &(struct ss_message){
                   .type = SS_MESSAGE_PING, .protocol = SS_PROTOCOL_VERSION});
    ck_assert_uint_eq(sent, 0);
}
END_TEST

START_TEST(garbage_is_answered_counted_and_told)
{
    struct ss_error why = {SS_EFORMAT, "no such thing"};
    turn();
    feed((struct ss_core_event){.type = SS_CORE_GARBAGE,
        .peer = "p",
        .sender = {SS_ROLES_ALL, "", "192.0.2.7"},
        .error = &why});
    ck_assert_uint_eq(complaints, 1);
    ck_assert_uint_eq(sent, 1);
    ck_assert_int_eq((int)last_sent, (int)SS_MESSAGE_REFUSED);
    ck_assert_str_eq(
        last_said, "peer p at 192.0.2.7 is not understood: no such thing");
}
END_TEST

START_TEST(a_client_that_is_gone_is_owed_to_the_next_turn)
{
    turn();
    unsent = SS_ECLOSED;
    frame("c", &(struct ss_message){.type = SS_MESSAGE_ASK,
                   .protocol = SS_PROTOCOL_VERSION,
                   .id = 1,
                   .op = "graphs"});
    ck_assert_uint_eq(sent, 1);
    ck_assert_int_eq((int)ss_core_wake_at_ms(core), 0); // at once
    turn();
    ck_assert_int_ne((int)ss_core_wake_at_ms(core), 0);
}
END_TEST

// ------------------------------------------------------------------ a worker

static void hello(void)
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

static void ask_for_a_run(uint64_t id)
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

// Until orders leave, or are to: so many messages of them.
static size_t turns_to_order(void)
{
    orders = 0;
    for (int i = 0; i < 20 && orders == 0; i++)
        turn();
    return orders;
}

START_TEST(a_list_that_a_full_queue_did_not_take_is_sent_again)
{
    turn();
    hello();
    ask_for_a_run(1);
    unsent = SS_EAGAIN;
    ck_assert_uint_eq(turns_to_order(), 1);
    ck_assert_int_le(ss_core_wake_at_ms(core), now_ms + 20);
    // What comes meanwhile waits behind it.
    ask_for_a_run(2);
    for (int i = 0; i < 5; i++) {
        orders = 0;
        turn();
        ck_assert_uint_eq(orders, 1);
    }
    unsent = SS_OK;
    ck_assert_uint_eq(turns_to_order(), 1); // the late one
    ck_assert_int_le(ss_core_wake_at_ms(core), now_ms + 20);
    ck_assert_uint_eq(turns_to_order(), 1); // and the other
    orders = 0;
    turn();
    ck_assert_uint_eq(orders, 0);
}
END_TEST

// A worker has an order in the list of this turn.
static void order_in_this_turn(void)
{
    struct ss_engine_counts counts = {0};
    turn();
    hello();
    turn();
    ask_for_a_run(1);
    for (int i = 0; i < 20 && counts.tasks_running == 0; i++) {
        turn_begins();
        ss_engine_count(ss_core_engine(core), &counts);
    }
    ck_assert_int_eq((int)counts.tasks_running, 1);
    left[0] = '\0';
}

static void cancel_the_run(void)
{
    struct ss_value *body =
        ss_value_new(json_pack("{s:s, s:s}", "run", "t1", "thread", "t1"));
    frame("c", &(struct ss_message){.type = SS_MESSAGE_ASK,
                   .protocol = SS_PROTOCOL_VERSION,
                   .id = 2,
                   .op = "cancel",
                   .body = body});
    ss_value_unref(body);
}

static void beat(void)
{
    frame("w", &(struct ss_message){.type = SS_MESSAGE_BEAT,
                   .protocol = SS_PROTOCOL_VERSION,
                   .capacity = 8,
                   .sent = 1});
}

// The queue has room again as soon as it has refused the orders.
START_TEST(nothing_overtakes_what_a_full_queue_did_not_take)
{
    order_in_this_turn();
    cancel_the_run();
    turn_begins();
    refusals = 1;
    turn_ends();
    ck_assert_str_eq(left, "");
    refusals = 1;
    turn_ends(); // again
    beat();
    ck_assert_str_eq(left, "");
    turn_ends();
    ck_assert_str_eq(left, " TASKS CANCEL HEARD");
}
END_TEST

// What a worker names and nobody knows is cancelled.
static void beat_with_unknown(size_t count)
{
    struct ss_attempt *attempts = ss_zalloc(count, sizeof(*attempts));
    for (size_t i = 0; i < count; i++)
        attempts[i] = (struct ss_attempt){.epoch = 1, .dispatch = 1000 + i};
    frame("w", &(struct ss_message){.type = SS_MESSAGE_BEAT,
                   .protocol = SS_PROTOCOL_VERSION,
                   .capacity = 8,
                   .attempts = attempts,
                   .attempts_count = count});
    ss_free(attempts);
}

START_TEST(a_list_that_is_full_leaves_behind_those_in_front_of_it)
{
    order_in_this_turn();
    beat_with_unknown(SS_WIRE_BATCH_MAX);
    beat_with_unknown(1);
    turn_ends();
    ck_assert_str_eq(left, " TASKS CANCEL CANCEL");
}
END_TEST

START_TEST(no_message_overtakes_a_list)
{
    order_in_this_turn();
    beat();
    turn_ends();
    ck_assert_str_eq(left, " TASKS HEARD");
}
END_TEST

START_TEST(a_worker_that_is_not_there_is_lost_with_the_next_turn)
{
    struct ss_engine_counts counts;
    turn();
    hello();
    ss_engine_count(ss_core_engine(core), &counts);
    ck_assert_int_eq((int)counts.workers, 1);
    ask_for_a_run(1);
    unsent = SS_ECLOSED;
    ck_assert_uint_eq(turns_to_order(), 1);
    turn();
    ss_engine_count(ss_core_engine(core), &counts);
    ck_assert_int_eq((int)counts.workers, 0);
}
END_TEST

// Each Hello of a worker that is not there any more is followed by orders that
// nobody gets.
START_TEST(orders_that_never_left_lose_no_worker)
{
    turn();
    hello();
    ask_for_a_run(1);
    unsent = SS_ECLOSED;
    for (int i = 0; i < SS_REDELIVERIES_MAX + 2; i++) {
        ck_assert_uint_eq(turns_to_order(), 1);
        turn(); // it is gone
        hello();
    }
    unsent = SS_OK;
    ck_assert_uint_eq(turns_to_order(), 1); // the run has not failed
}
END_TEST

START_TEST(everybody_hears_who_the_coordinators_are)
{
    ss_core_destroy(&core);
    new_core(true);
    hello();
    ck_assert_uint_eq(listen_to(SS_MESSAGE_MEMBERS)->members_count, 2);
    says_two(heard);
    for (int i = 0; i < 5; i++) // nothing has changed: it is not told again
        turn_among_two();
    listens_for = SS_MESSAGE_WELCOME;
    hello();
    says_two(heard);
    listens_for = SS_MESSAGE_PONG;
    frame("c", &(struct ss_message){
                   .type = SS_MESSAGE_PING, .protocol = SS_PROTOCOL_VERSION});
    ck_assert_int_eq((int)heard->type, (int)SS_MESSAGE_PONG);
    says_two(heard);
    ck_assert(ss_core_is_settled(core));
}
END_TEST

// The state of a thread, as a client asks for it: the code of the error.
static const char *state_of(const char *thread)
{
    struct ss_message ask = {.type = SS_MESSAGE_ASK,
        .protocol = SS_PROTOCOL_VERSION,
        .id = 1,
        .op = "state",
        .body = ss_value_new(json_pack("{s:s}", "thread", thread))};
    ss_message_destroy(&heard);
    listens_for = SS_MESSAGE_ANSWER;
    frame("c", &ask);
    ss_value_unref(ask.body);
    ck_assert_ptr_nonnull(heard);
    return ss_json_str(
        json_object_get(ss_value_json(heard->body), "error"), "code", "");
}

// Cut off from the database alone: others may still reach it.
START_TEST(a_read_of_anothers_thread_is_sent_on_while_the_store_is_away)
{
    ss_core_destroy(&core);
    theirs = "theirs";
    new_core(true);
    hello();
    (void)listen_to(SS_MESSAGE_MEMBERS);
    ck_assert_str_eq(state_of("theirs"), "moved");
    away = "the store has not answered for 3 s";
    ck_assert_str_eq(state_of("theirs"), "moved");
    ck_assert_str_eq(state_of("ours"), "store_away");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("core");
    TCase *tcase = tcase_create("core");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, an_empty_store_has_nothing_to_go_on_with);
    tcase_add_test(tcase, who_is_alone_leaves_a_word_when_it_stops);
    tcase_add_test(tcase, runs_that_have_ended_are_not_read);
    tcase_add_test(tcase, damaged_records_are_named);
    tcase_add_test(tcase, a_run_without_a_name_is_passed_over);
    tcase_add_test(tcase, a_damaged_run_counts_no_crash_against_the_others);
    tcase_add_test(tcase, who_was_stopped_is_not_counted_as_crashed);
    tcase_add_test(tcase, after_a_failure_nothing_is_taken);
    tcase_add_test(tcase, garbage_is_answered_counted_and_told);
    tcase_add_test(tcase, a_client_that_is_gone_is_owed_to_the_next_turn);
    tcase_add_test(tcase, a_list_that_a_full_queue_did_not_take_is_sent_again);
    tcase_add_test(tcase, nothing_overtakes_what_a_full_queue_did_not_take);
    tcase_add_test(tcase, no_message_overtakes_a_list);
    tcase_add_test(
        tcase, a_list_that_is_full_leaves_behind_those_in_front_of_it);
    tcase_add_test(
        tcase, a_worker_that_is_not_there_is_lost_with_the_next_turn);
    tcase_add_test(tcase, orders_that_never_left_lose_no_worker);
    tcase_add_test(tcase, everybody_hears_who_the_coordinators_are);
    tcase_add_test(
        tcase, a_read_of_anothers_thread_is_sent_on_while_the_store_is_away);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
