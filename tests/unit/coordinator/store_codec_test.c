// store_codec_test.c - what the engine asks of its store, there and back.
#include "coordinator/core/store_codec.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/value.h"
#include "coordinator/core/limits.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/store/store_actor.h"
#include "tests/suite.h"

static struct ss_store_actor *actor;
static struct ss_store_codec *codec;
static struct ss_job *job;
static struct ss_event event;

static void setup(void)
{
    struct ss_error error;
    struct ss_store *store;
    ss_value_setup();
    ck_assert_int_eq(ss_store_open("memory:", &store, &error), SS_OK);
    ss_store_actor_start_inline(store, &actor);
    codec = ss_store_codec_new(false);
    event.type = SS_EVENT_TICK;
}

static void forget(void)
{
    if (event.type == SS_EVENT_ROWS)
        for (size_t i = 0; i < event.rows.rows_count; i++)
            ss_row_destroy(&event.rows.rows[i]);
    ss_store_codec_event_fini(&event);
    ss_job_destroy(&job);
}

static void teardown(void)
{
    forget();
    ss_store_codec_destroy(&codec);
    ss_store_actor_stop(&actor);
}

static void carry_out(const struct ss_command *command)
{
    struct ss_error error;
    struct ss_job *given;
    forget();
    int status = ss_store_codec_job(codec, command, &given, &error);
    ck_assert_msg(status == SS_OK, "%s", error.message);
    ss_store_actor_submit(actor, given);
    job = ss_store_actor_take(actor);
    ck_assert_ptr_nonnull(job);
    ss_store_codec_event(codec, job, &event);
}

// An entry row of run "r".
static struct ss_row *new_row(uint64_t seq)
{
    struct ss_row *row = ss_row_new();
    row->seq = seq;
    row->kind = SS_ROW_ENTRY;
    row->ns = ss_arena_text(&row->memory, "");
    strcpy(row->run, "11111111-1111-1111-1111-111111111111");
    row->entry = json_pack("{s:I}", "input", (json_int_t)seq);
    row->wall_us = 1000;
    return row;
}

static int store_row(const char *thread, uint64_t seq)
{
    struct ss_row *row = new_row(seq);
    struct ss_command command = {.type = SS_COMMAND_STORE,
        .tag = 7,
        .thread = (char *)thread,
        .rows = &row,
        .rows_count = 1};
    carry_out(&command);
    ss_row_destroy(&row);
    ck_assert_int_eq(event.type, SS_EVENT_STORED);
    ck_assert_uint_eq(event.stored.tag, 7);
    return event.stored.status;
}

static void read_rows(const char *thread)
{
    carry_out(&(struct ss_command){.type = SS_COMMAND_READ,
        .tag = 9,
        .thread = (char *)thread,
        .from = 1,
        .to = UINT64_MAX});
    ck_assert_int_eq(event.type, SS_EVENT_ROWS);
    ck_assert_uint_eq(event.rows.tag, 9);
}

START_TEST(rows_come_back_as_they_went)
{
    ck_assert_int_eq(store_row("t", 1), SS_OK);
    ck_assert_int_eq(store_row("t", 2), SS_OK);
    read_rows("t");
    ck_assert_int_eq(event.rows.status, SS_OK);
    ck_assert_uint_eq(event.rows.rows_count, 2);
    ck_assert_uint_eq(event.rows.rows[1]->seq, 2);
    ck_assert_int_eq(ss_json_int(event.rows.rows[1]->entry, "input", 0), 2);
}
END_TEST

START_TEST(rows_that_are_kept_come_back_themselves)
{
    ss_store_codec_destroy(&codec);
    codec = ss_store_codec_new(true);
    ck_assert_int_eq(store_row("t", 1), SS_OK);
    ck_assert_int_eq(store_row("t", 2), SS_OK);
    ck_assert_int_eq(store_row("t", 4), SS_EREFUSED);
    read_rows("t");
    ck_assert_int_eq(event.rows.status, SS_OK);
    ck_assert_uint_eq(event.rows.rows_count, 2);
    ck_assert_int_eq(ss_json_int(event.rows.rows[1]->entry, "input", 0), 2);
    const struct ss_row *first = event.rows.rows[0];
    read_rows("t");
    ck_assert_ptr_eq(event.rows.rows[0], first);
    ck_assert_uint_eq(event.rows.rows[0]->size, 0); // it never was bytes
}
END_TEST

START_TEST(a_thread_that_is_not_there_has_no_rows)
{
    read_rows("nobody");
    ck_assert_int_eq(event.rows.status, SS_OK);
    ck_assert_uint_eq(event.rows.rows_count, 0);
}
END_TEST

START_TEST(a_row_out_of_its_place_is_refused)
{
    ck_assert_int_eq(store_row("t", 1), SS_OK);
    ck_assert_int_eq(store_row("t", 5), SS_EREFUSED);
}
END_TEST

START_TEST(the_chain_goes_on_after_reading)
{
    ck_assert_int_eq(store_row("t", 1), SS_OK);
    ss_store_codec_destroy(&codec);
    codec = ss_store_codec_new(false);
    read_rows("t");
    ck_assert_int_eq(store_row("t", 2), SS_OK);
    read_rows("t");
    ck_assert_int_eq(event.rows.status, SS_OK);
    ck_assert_uint_eq(event.rows.rows_count, 2);
}
END_TEST

START_TEST(a_broken_chain_is_corrupt)
{
    ck_assert_int_eq(store_row("t", 1), SS_OK);
    ss_store_codec_destroy(&codec);
    codec = ss_store_codec_new(false); // and it was not read
    ck_assert_int_eq(store_row("t", 2), SS_OK);
    read_rows("t");
    ck_assert_int_eq(event.rows.status, SS_ECORRUPT);
    ck_assert_uint_eq(event.rows.rows_count, 0);
    ck_assert_ptr_nonnull(strstr(event.rows.message, "row 2"));
}
END_TEST

static void put(const char *key, const char *index, json_t *value, bool absent)
{
    struct ss_command_put one = ss_put_of(SS_RECORD_RUN, key, index, value);
    one.absent = absent;
    carry_out(&(struct ss_command){
        .type = SS_COMMAND_STORE, .puts = &one, .puts_count = 1});
    ss_put_fini(&one);
}

START_TEST(records_are_found_by_key_and_by_index)
{
    put("r1", "t1", json_pack("{s:i}", "n", 1), false);
    put("r2", "t2", json_pack("{s:i}", "n", 2), false);
    carry_out(&(struct ss_command){
        .type = SS_COMMAND_GET, .table = SS_RECORD_RUN, .key = (char *)"r2"});
    ck_assert_int_eq(event.type, SS_EVENT_RECORDS);
    ck_assert_uint_eq(event.records.records_count, 1);
    ck_assert_int_eq(ss_json_int(event.records.records[0].value, "n", 0), 2);
    carry_out(&(struct ss_command){
        .type = SS_COMMAND_SCAN, .table = SS_RECORD_RUN, .key = (char *)"t1"});
    ck_assert_uint_eq(event.records.records_count, 1);
    ck_assert_str_eq(event.records.records[0].key, "r1");
    carry_out(
        &(struct ss_command){.type = SS_COMMAND_SCAN, .table = SS_RECORD_RUN});
    ck_assert_uint_eq(event.records.records_count, 2);
}
END_TEST

START_TEST(a_record_that_is_missing_says_so)
{
    carry_out(&(struct ss_command){.type = SS_COMMAND_GET,
        .table = SS_RECORD_CACHE,
        .key = (char *)"none"});
    ck_assert_int_eq(event.type, SS_EVENT_RECORDS);
    ck_assert_uint_eq(event.records.records_count, 0);
}
END_TEST

START_TEST(a_record_that_must_be_new_is_refused_the_second_time)
{
    put("r1", "t1", json_pack("{s:i}", "n", 1), true);
    ck_assert_int_eq(event.stored.status, SS_OK);
    put("r1", "t1", json_pack("{s:i}", "n", 2), true);
    ck_assert_int_eq(event.stored.status, SS_EREFUSED);
}
END_TEST

// Row `seq` of the thread "t", and with it such a record of its run "r", or of
// itself. The thread was made at `born_us`.
static void store_with(uint64_t seq, enum ss_record_table table,
    const char *status, int64_t born_us)
{
    bool is_run = table == SS_RECORD_RUN;
    struct ss_row *row = new_row(seq);
    struct ss_command_put one =
        ss_put_of(table, is_run ? "r" : "t", is_run ? "t" : NULL,
            json_pack("{s:s, s:I}", "status", status, "created_us", born_us));
    carry_out(&(struct ss_command){.type = SS_COMMAND_STORE,
        .thread = (char *)"t",
        .rows = &row,
        .rows_count = 1,
        .puts = &one,
        .puts_count = 1,
        .born_us = born_us});
    ck_assert_int_eq(event.stored.status, SS_OK);
    ss_put_fini(&one);
    ss_row_destroy(&row);
}

// The head that a record tells: of that row; 0: it tells none.
static uint64_t told_by(enum ss_record_table table, const char *key)
{
    carry_out(&(struct ss_command){
        .type = SS_COMMAND_GET, .table = table, .key = (char *)key});
    ck_assert_uint_eq(event.records.records_count, 1);
    return (uint64_t)ss_json_int(
        json_object_get(event.records.records[0].value, "head"), "rows", 0);
}

// Else who puts the record again would tell two ends.
START_TEST(an_end_that_was_told_is_not_the_engines)
{
    store_with(1, SS_RECORD_THREAD, "idle", 5);
    ck_assert_uint_eq(told_by(SS_RECORD_THREAD, "t"), 1);
    read_rows("t");
    ck_assert_int_eq(event.rows.status, SS_OK);
    ck_assert_str_eq(ss_json_str(event.rows.record, "status", "?"), "idle");
    ck_assert_ptr_null(json_object_get(event.rows.record, "head"));
}
END_TEST

START_TEST(records_that_change_with_rows_tell_the_last_one)
{
    store_with(1, SS_RECORD_THREAD, "", 5);
    ck_assert_uint_eq(told_by(SS_RECORD_THREAD, "t"), 1);
    store_with(2, SS_RECORD_RUN, "running", 5);
    ck_assert_uint_eq(told_by(SS_RECORD_RUN, "r"), 0); // it has not ended
    store_with(3, SS_RECORD_RUN, "done", 5);
    ck_assert_uint_eq(told_by(SS_RECORD_RUN, "r"), 3);
    store_with(4, SS_RECORD_RUN, "done", 0); // an older coordinator is there
    ck_assert_uint_eq(told_by(SS_RECORD_RUN, "r"), 0);
    put("r", "t", json_pack("{s:s}", "status", "done"), false); // and no row
    ck_assert_uint_eq(told_by(SS_RECORD_RUN, "r"), 0);
}
END_TEST

START_TEST(rows_come_with_the_record_of_their_thread)
{
    store_with(1, SS_RECORD_THREAD, "", 5);
    store_with(2, SS_RECORD_RUN, "done", 5);
    read_rows("t");
    ck_assert_int_eq(event.rows.status, SS_OK);
    ck_assert_int_eq(ss_json_int(event.rows.record, "created_us", 0), 5);
    read_rows("u");
    ck_assert_ptr_null(event.rows.record);
}
END_TEST

// A record of the run "r" of "t" with such a head, and what reading says then.
static void told_and_read(const char *head, int status, const char *words)
{
    put("r", "t",
        json_pack("{s:s, s:o}", "status", "done", "head",
            json_loads(head, JSON_DECODE_ANY, NULL)),
        false);
    read_rows("t");
    ck_assert_int_eq(event.rows.status, status);
    if (status != SS_OK)
        ck_assert_msg(strstr(event.rows.message, words) != NULL, "%s",
            event.rows.message);
}

START_TEST(rows_that_are_not_those_that_records_tell_of_are_corrupt)
{
    store_with(1, SS_RECORD_THREAD, "", 5);
    store_with(2, SS_RECORD_RUN, "done", 5);
    ck_assert_int_eq(store_row("t", 3), SS_OK); // nobody tells of that
    told_and_read("{\"rows\":4,\"checksum\":\"0000000000000000\",\"of\":5}",
        SS_ECORRUPT, "thread \"t\": row 3 is the last");
    told_and_read("{\"rows\":3,\"checksum\":\"0000000000000000\",\"of\":5}",
        SS_ECORRUPT, "thread \"t\": row 3 is not the one");
    told_and_read("{\"rows\":4,\"checksum\":\"0000000000000000\",\"of\":4}",
        SS_OK, "a thread before this one");
    told_and_read("7", SS_ECORRUPT, "thread \"t\": the record of r: ");
    put("r", "u", json_pack("{s:s, s:i}", "status", "done", "head", 7), false);
    read_rows("t");
    ck_assert_int_eq(event.rows.status, SS_OK); // it is another thread's
}
END_TEST

// A coordinator that runs for years sees many threads.
START_TEST(threads_that_the_engine_forgot_are_forgotten)
{
    struct ss_engine *engine =
        ss_engine_new(&(struct ss_engine_options){.epoch = 1});
    struct ss_commands commands;
    json_t *body = json_pack("{s:s}", "thread", "kept");
    struct ss_event ask = {.type = SS_EVENT_REQUEST, .peer = "ann"};
    ask.request.op = "state";
    ask.request.body = body;
    ss_engine_step(engine, &ask, &commands);
    ck_assert_int_eq(store_row("kept", 1), SS_OK);
    ck_assert_int_eq(store_row("gone", 1), SS_OK);
    for (int i = 0; i < 3 * SS_STORE_CODEC_TIDY_MIN; i++) {
        char thread[16];
        snprintf(thread, sizeof(thread), "t%d", i);
        read_rows(thread);
        ss_store_codec_tidy(codec, engine);
    }
    ck_assert_int_eq(store_row("kept", 2), SS_OK);
    read_rows("kept"); // its rows are still a chain
    ck_assert_int_eq(event.rows.status, SS_OK);
    ck_assert_uint_eq(event.rows.rows_count, 2);
    ck_assert_int_eq(store_row("gone", 2), SS_OK); // unread: it hangs on none
    read_rows("gone");
    ck_assert_int_eq(event.rows.status, SS_ECORRUPT);
    json_decref(body);
    ss_engine_destroy(&engine);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("store_codec");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, setup, teardown);
    tcase_add_test(all, rows_come_back_as_they_went);
    tcase_add_test(all, rows_that_are_kept_come_back_themselves);
    tcase_add_test(all, a_thread_that_is_not_there_has_no_rows);
    tcase_add_test(all, a_row_out_of_its_place_is_refused);
    tcase_add_test(all, the_chain_goes_on_after_reading);
    tcase_add_test(all, a_broken_chain_is_corrupt);
    tcase_add_test(all, records_are_found_by_key_and_by_index);
    tcase_add_test(all, a_record_that_is_missing_says_so);
    tcase_add_test(all, a_record_that_must_be_new_is_refused_the_second_time);
    tcase_add_test(all, an_end_that_was_told_is_not_the_engines);
    tcase_add_test(all, records_that_change_with_rows_tell_the_last_one);
    tcase_add_test(all, rows_come_with_the_record_of_their_thread);
    tcase_add_test(
        all, rows_that_are_not_those_that_records_tell_of_are_corrupt);
    tcase_add_test(all, threads_that_the_engine_forgot_are_forgotten);
    suite_add_tcase(suite, all);
    return suite_main(suite);
}
