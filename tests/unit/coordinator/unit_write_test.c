// unit_write_test.c - rows and puts that were written once stand in their job.
#include "coordinator/core/unit_write.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "common/model/journal.h"
#include "common/model/value.h"
#include "coordinator/core/limits.h"
#include "tests/suite.h"

static struct ss_unit_writer writer;
static uint64_t chain;

static void setup(void)
{
    ss_value_setup();
    ss_unit_writer_init(&writer);
    ss_unit_begin(&writer, SS_ROW_FORMAT);
    chain = 0;
}

static void teardown(void)
{
    ss_unit_writer_fini(&writer);
}

// Row `seq` of a run "r<seq>", with an entry of `size` letters.
static void add_row(uint64_t seq, size_t size)
{
    struct ss_error error;
    struct ss_row *row = ss_row_new();
    char *letters = ss_alloc(size + 1);
    memset(letters, 'a', size);
    letters[size] = '\0';
    row->seq = seq;
    row->kind = SS_ROW_ENTRY;
    (void)snprintf(row->run, sizeof(row->run), "r%d", (int)seq);
    row->ns = seq % 2 ? ss_arena_text(&row->memory, "inner") : NULL;
    row->entry = json_pack("{s:s}", "input", letters);
    row->metadata = json_pack("{s:{}}", "parents");
    if (seq % 3 == 0)
        json_object_set_new(row->metadata, "user", json_string("Ada"));
    ck_assert_int_eq(ss_unit_add_row(&writer, "t", row, &chain, &error), SS_OK);
    ss_row_destroy(&row);
    ss_free(letters);
}

static void same_row(const struct ss_store_row *stored, uint64_t seq)
{
    char run[8];
    const struct ss_row_finder none = {NULL, NULL};
    struct ss_row *row = NULL;
    struct ss_error error;
    (void)snprintf(run, sizeof(run), "r%d", (int)seq);
    ck_assert_str_eq(stored->thread, "t");
    ck_assert_uint_eq(stored->seq, seq);
    ck_assert_str_eq(stored->run, run);
    ck_assert_str_eq(stored->ns, seq % 2 ? "inner" : "");
    ck_assert_str_eq(stored->checkpoint_id, "");
    ck_assert_str_eq(stored->metadata,
        seq % 3 ? "{\"parents\":{}}" : "{\"parents\":{},\"user\":\"Ada\"}");
    ck_assert_int_eq(ss_journal_io_decode(stored, &none, &row, &error), SS_OK);
    ck_assert_ptr_nonnull(json_object_get(row->entry, "input"));
    ss_row_destroy(&row);
}

static struct ss_job *job_of(const char *thread)
{
    return ss_unit_end(
        &writer, 7, &(struct ss_store_unit){.thread = thread, .delete_to = 3});
}

START_TEST(rows_of_any_size_stand_in_their_job_as_a_chain)
{
    enum { ROWS = 40 };
    for (uint64_t seq = 1; seq <= ROWS; seq++)
        add_row(seq, (size_t)seq * seq);
    struct ss_job *job = job_of("t");
    const struct ss_store_unit *unit = &job->unit;
    ck_assert_int_eq(job->type, SS_JOB_APPLY);
    ck_assert_uint_eq(job->tag, 7);
    ck_assert_str_eq(unit->thread, "t");
    ck_assert_uint_eq(unit->delete_to, 3);
    ck_assert_uint_eq(unit->rows_count, ROWS);
    uint64_t wanted = 0;
    for (size_t i = 0; i < ROWS; i++) {
        ck_assert_uint_eq(unit->rows[i].checksum, wanted);
        wanted = ss_journal_io_checksum(&unit->rows[i]);
        same_row(&unit->rows[i], i + 1);
    }
    ck_assert_uint_eq(chain, wanted);
    ss_job_destroy(&job);
}
END_TEST

START_TEST(an_empty_value_is_put_and_none_is_a_deletion)
{
    struct ss_store_put put = {
        .table = SS_TABLE_CACHE, .key = "k", .value = "", .expires_us = 9};
    ss_unit_add_put(&writer, &put);
    put =
        (struct ss_store_put){.table = SS_TABLE_RUNS, .key = "r", .index = "t"};
    ss_unit_add_put(&writer, &put);
    put = (struct ss_store_put){.table = SS_TABLE_THREADS,
        .key = "t",
        .value = "a\0b",
        .value_size = 3};
    ss_unit_add_put(&writer, &put);
    struct ss_job *job = job_of(NULL);
    const struct ss_store_put *puts = job->unit.puts;
    ck_assert_uint_eq(job->unit.puts_count, 3);
    ck_assert_uint_eq(job->unit.rows_count, 0);
    ck_assert_ptr_null(job->unit.thread);
    ck_assert_str_eq(puts[0].key, "k");
    ck_assert_ptr_nonnull(puts[0].value);
    ck_assert_uint_eq(puts[0].value_size, 0);
    ck_assert_int_eq(puts[0].expires_us, 9);
    ck_assert_ptr_null(puts[0].index);
    ck_assert_str_eq(puts[1].index, "t");
    ck_assert_ptr_null(puts[1].value);
    ck_assert_mem_eq(puts[2].value, "a\0b", 4);
    ss_job_destroy(&job);
}
END_TEST

// The record that says how a run stands is gone by then.
START_TEST(a_put_has_its_time_and_its_own_word_of_how_the_run_stands)
{
    char word[] = "failed";
    const struct ss_store_put put = {.table = SS_TABLE_RUNS,
        .key = "r",
        .index = "t",
        .value = "{}",
        .value_size = 2,
        .at_us = 7,
        .status = word};
    ss_unit_add_put(&writer, &put);
    memset(word, 'x', sizeof(word));
    struct ss_job *job = job_of(NULL);
    ck_assert_str_eq(job->unit.puts[0].status, "failed");
    ck_assert_int_eq(job->unit.puts[0].at_us, 7);
    ss_job_destroy(&job);
}
END_TEST

START_TEST(a_writer_that_had_a_large_unit_does_not_keep_its_memory)
{
    for (uint64_t seq = 1; seq <= SS_UNIT_PARTS_KEPT + 1; seq++)
        add_row(seq, 0);
    add_row(SS_UNIT_PARTS_KEPT + 2, SS_UNIT_BYTES_KEPT);
    struct ss_job *job = job_of("t");
    ck_assert_uint_eq(job->unit.rows_count, SS_UNIT_PARTS_KEPT + 2);
    ss_job_destroy(&job);
    ss_unit_begin(&writer, SS_ROW_FORMAT);
    ck_assert_uint_le(writer.tail.capacity, SS_UNIT_BYTES_KEPT);
    ck_assert_uint_le(writer.rows.capacity, SS_UNIT_PARTS_KEPT);
    // What it had is forgotten.
    chain = 0;
    add_row(1, 10);
    job = job_of("t");
    ck_assert_uint_eq(job->unit.rows_count, 1);
    same_row(&job->unit.rows[0], 1);
    ss_job_destroy(&job);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("unit_write");
    TCase *tcase = tcase_create("unit_write");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, rows_of_any_size_stand_in_their_job_as_a_chain);
    tcase_add_test(tcase, an_empty_value_is_put_and_none_is_a_deletion);
    tcase_add_test(
        tcase, a_put_has_its_time_and_its_own_word_of_how_the_run_stands);
    tcase_add_test(
        tcase, a_writer_that_had_a_large_unit_does_not_keep_its_memory);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
