// The fence on a server: an epoch that is over appends nothing, whoever is in
// the middle of what.
#include <stdio.h>
#include <stdlib.h>

#ifndef SS_HAVE_POSTGRES

int main(void)
{
    fprintf(stderr, "SKIPPED: built without libpq\n");
    return 77;
}

#else

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "common/base/ids.h"
#include "common/base/mem.h"
#include "coordinator/store/limits.h"
#include "coordinator/store/store_postgres.h"
#include "tests/contract/postgres_world.h"

static uint64_t take(struct ss_store *it, const char *coordinator)
{
    uint64_t epoch = 0;
    int status = ss_store_fence_take(it, coordinator, 0, &epoch, &world_error);
    ck_assert_msg(status == SS_OK, "%s", world_error.message);
    return epoch;
}

START_TEST(an_old_epoch_appends_nothing)
{
    open_store(&pg.store);
    open_store(&pg.other);
    uint64_t old = take(pg.store, "a");
    ck_assert_int_eq(append_as(pg.store, old, 1), SS_OK);
    ck_assert_int_eq(append_as(pg.store, old, 1), SS_OK); // a repeat
    struct ss_store_row row = row_of("t", 1, "another");
    struct ss_store_unit unit = {.thread = "t", .rows = &row, .rows_count = 1};
    struct ss_store_batch batch = {
        .epoch = old, .units = &unit, .units_count = 1};
    ck_assert_int_eq(ss_store_apply(pg.store, &batch, &world_error), SS_OK);
    ck_assert_int_eq(unit.result, SS_EREFUSED);
    uint64_t new = take(pg.other, "a");
    ck_assert_uint_gt(new, old);
    ck_assert_int_eq(append_as(pg.store, old, 2), SS_EFENCED);
    ck_assert_int_eq(append_as(pg.other, new, 2), SS_OK);
    // Others' fences do not matter.
    ck_assert_int_eq(ss_store_fence_break(pg.store, "b", &world_error), SS_OK);
    ck_assert_int_eq(append_as(pg.other, new, 3), SS_OK);
    ck_assert_int_eq(ss_store_fence_break(pg.store, "a", &world_error), SS_OK);
    ck_assert_int_eq(append_as(pg.other, new, 4), SS_EFENCED);
    ck_assert_str_eq(all_rows(pg.store, "t"), "1:row 2:row 3:row");
}
END_TEST

START_TEST(what_an_epoch_knows_of_its_threads_ends_with_it)
{
    open_store(&pg.store);
    open_store(&pg.other);
    uint64_t epoch = take(pg.store, "a");
    ck_assert_int_eq(append_as(pg.store, epoch, 1), SS_OK);
    ck_assert_int_eq(append_as(pg.store, epoch, 2), SS_OK);
    ck_assert_int_eq(append_as(pg.store, epoch, 4), SS_EREFUSED);
    ck_assert_int_eq(append_as(pg.store, epoch, 3), SS_OK);
    // Deleted by itself.
    struct ss_store_unit unit = {.thread = "t", .delete_thread = true};
    struct ss_store_batch batch = {
        .epoch = epoch, .units = &unit, .units_count = 1};
    ck_assert_int_eq(ss_store_apply(pg.store, &batch, &world_error), SS_OK);
    ck_assert_int_eq(append_as(pg.store, epoch, 4), SS_EREFUSED);
    ck_assert_int_eq(append_as(pg.store, epoch, 1), SS_OK);
    // Deleted by another owner, meanwhile.
    uint64_t theirs = take(pg.other, "a");
    batch.epoch = theirs;
    ck_assert_int_eq(ss_store_apply(pg.other, &batch, &world_error), SS_OK);
    ck_assert_int_eq(append_as(pg.store, epoch, 2), SS_EFENCED);
    epoch = take(pg.store, "a");
    ck_assert_int_eq(append_as(pg.store, epoch, 2), SS_EREFUSED);
    ck_assert_int_eq(append_as(pg.store, epoch, 1), SS_OK);
    ck_assert_str_eq(all_rows(pg.store, "t"), "1:row");
}
END_TEST

// A batch goes out in another way by its size: what lands is the same.
START_TEST(batches_of_all_sizes_land_as_they_are)
{
    open_store(&pg.store);
    uint64_t epoch = take(pg.store, "me");
    size_t sum = 0;
    for (size_t count = 1; count <= 40; count++) {
        ck_assert_int_eq(append_many(pg.store, epoch, count, 1), SS_OK);
        ck_assert_int_eq(append_many(pg.store, epoch, count, 2), SS_OK);
        // Again.
        ck_assert_int_eq(append_many(pg.store, epoch, count, 2), SS_OK);
        ck_assert_int_eq(append_many(pg.store, epoch, count, 4), SS_EREFUSED);
        sum += 2 * count;
    }
    char expected[32];
    snprintf(expected, sizeof(expected), "%zu", sum);
    ck_assert_str_eq(ask(pg.person, "SELECT count(*) FROM journal"), expected);
    ck_assert_str_eq(
        ask(pg.person,
            "SELECT count(*) FROM (SELECT *, split_part(thread, '-',"
            " 2)::integer AS i FROM journal) AS j WHERE (kind, format, run,"
            " checkpoint_id, parent_id, parent_seq, base_seq, source, step,"
            " wall_us, checksum) = (2, 1, 'run', 'id', 'parent', 4294967302, 8,"
            " 'loop', -2, -9223372036854775799, -11) AND (ns, metadata, body)"
            " IS NOT DISTINCT FROM (CASE i % 2 WHEN 0 THEN '' ELSE 'inside'"
            " END, CASE i % 3 WHEN 0 THEN NULL ELSE '{}' END,"
            " substr('\\x6200647900'::bytea, 1, i % 5))"),
        expected);
    (void)take(pg.store, "me");
    for (size_t count = 1; count <= 40; count++)
        ck_assert_int_eq(append_many(pg.store, epoch, count, 3), SS_EFENCED);
}
END_TEST

START_TEST(puts_and_batches_are_fenced_too)
{
    open_store(&pg.store);
    open_store(&pg.other);
    uint64_t old = take(pg.store, "a");
    struct ss_store_put put = {
        .table = SS_TABLE_RUNS, .key = "k", .value = "v", .value_size = 1};
    struct ss_store_row rows[] = {row_of("t", 1, "x"), row_of("u", 1, "x")};
    struct ss_store_unit units[] = {
        {.puts = &put, .puts_count = 1},
        {.thread = "t", .rows = &rows[0], .rows_count = 1},
        {.thread = "u", .rows = &rows[1], .rows_count = 1},
        {.thread = "v", .delete_thread = true},
    };
    struct ss_store_batch alone = {
        .epoch = old, .units = units, .units_count = 1};
    struct ss_store_batch batch = {
        .epoch = old, .units = units, .units_count = 4};
    ck_assert_int_eq(ss_store_apply(pg.store, &alone, &world_error), SS_OK);
    ck_assert_int_eq(units[0].result, SS_OK);
    (void)take(pg.other, "a");
    ck_assert_int_eq(ss_store_apply(pg.store, &alone, &world_error), SS_OK);
    ck_assert_int_eq(units[0].result, SS_EFENCED);
    ck_assert_int_eq(ss_store_apply(pg.store, &batch, &world_error), SS_OK);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(units[i].result, SS_EFENCED);
    }
    ck_assert_str_eq(ask(pg.person, "SELECT count(*) FROM journal"), "0");
}
END_TEST

START_TEST(a_store_of_one_process_has_no_fences)
{
    ck_assert_int_eq(ss_store_open("memory:", &pg.store, &world_error), SS_OK);
    uint64_t epoch = 0;
    ck_assert_int_eq(
        ss_store_fence_take(pg.store, "a", 0, &epoch, &world_error), SS_EINVAL);
    ck_assert_int_eq(
        ss_store_fence_break(pg.store, "a", &world_error), SS_EINVAL);
}
END_TEST

struct append {
    uint64_t epoch, seq;
    int status;
};

static void *append_work(void *ctx)
{
    struct append *append = ctx;
    append->status = append_as(pg.store, append->epoch, append->seq);
    return NULL;
}

// Until a session waits for one of `blocker`'s locks.
static void wait_until_blocked(PGconn *blocker)
{
    char *sql = ss_format("SELECT count(*) FROM pg_stat_activity WHERE %d ="
                          " ANY (pg_blocking_pids(pid))",
        PQbackendPID(blocker));
    while (strcmp(ask(pg.person, sql), "0") == 0) {
    }
    ss_free(sql);
}

START_TEST(an_append_between_the_takeovers_read_and_its_commit_fails)
{
    open_store(&pg.store);
    uint64_t old = take(pg.store, "a");
    ck_assert_int_eq(append_as(pg.store, old, 1), SS_OK);
    PGconn *taker = connect_person();
    ask(taker, "BEGIN");
    ask(taker, "UPDATE fences SET epoch = epoch + 1 WHERE coordinator = 'a'");
    ck_assert_str_eq(ask(taker, "SELECT max(seq) FROM journal"), "1");
    struct append append = {.epoch = old, .seq = 2};
    pthread_t thread;
    pthread_create(&thread, NULL, append_work, &append);
    wait_until_blocked(taker);
    ck_assert_str_eq(ask(taker, "SELECT max(seq) FROM journal"), "1");
    ask(taker, "COMMIT");
    pthread_join(thread, NULL);
    ck_assert_int_eq(append.status, SS_EFENCED);
    ck_assert_str_eq(ask(taker, "SELECT max(seq) FROM journal"), "1");
    PQfinish(taker);
}
END_TEST

// A unit that goes alone: it looks at the fence by itself.
struct lonely {
    uint64_t epoch;
    struct ss_store_unit unit;
    int status;
    atomic_bool has_ended;
};

static void *lonely_work(void *ctx)
{
    struct lonely *lonely = ctx;
    struct ss_store_batch batch = {
        .epoch = lonely->epoch, .units = &lonely->unit, .units_count = 1};
    lonely->status = ss_store_apply(pg.store, &batch, NULL);
    atomic_store(&lonely->has_ended, true);
    return NULL;
}

// Until it waits for one of `blocker`'s locks, or has not waited.
static void wait_for_lonely(PGconn *blocker, struct lonely *lonely)
{
    char *sql = ss_format("SELECT count(*) FROM pg_stat_activity WHERE %d ="
                          " ANY (pg_blocking_pids(pid))",
        PQbackendPID(blocker));
    while (!atomic_load(&lonely->has_ended) &&
           strcmp(ask(pg.person, sql), "0") == 0) {
    }
    ss_free(sql);
}

// A takeover has read, and a stale coordinator's unit comes in between:
// whatever it is, it waits for the takeover, and then it is not one.
static void come_between(struct ss_store_unit unit)
{
    PGconn *taker = connect_person();
    struct lonely lonely = {.epoch = take(pg.store, "a"), .unit = unit};
    ask(taker, "BEGIN");
    ask(taker, "UPDATE fences SET epoch = epoch + 1 WHERE coordinator = 'a'");
    ck_assert_str_eq(ask(taker, "SELECT count(*) FROM journal"), "2");
    pthread_t thread;
    pthread_create(&thread, NULL, lonely_work, &lonely);
    wait_for_lonely(taker, &lonely);
    ck_assert_str_eq(ask(taker, "SELECT count(*) FROM journal"), "2");
    ask(taker, "COMMIT");
    pthread_join(thread, NULL);
    ck_assert_int_eq(lonely.status, SS_OK);
    ck_assert_int_eq(lonely.unit.result, SS_EFENCED);
    ck_assert_str_eq(all_rows(pg.store, "t"), "1:row 2:row");
    ck_assert_str_eq(all_entries(pg.store, SS_TABLE_RUNS), "k=v");
    PQfinish(taker);
}

START_TEST(
    a_unit_that_goes_alone_between_the_takeovers_read_and_its_commit_fails)
{
    open_store(&pg.store);
    uint64_t epoch = take(pg.store, "a");
    ck_assert_int_eq(append_as(pg.store, epoch, 1), SS_OK);
    ck_assert_int_eq(append_as(pg.store, epoch, 2), SS_OK);
    struct ss_store_put put = {
        .table = SS_TABLE_RUNS, .key = "k", .value = "v", .value_size = 1};
    ck_assert_int_eq(put_entry(pg.store, &put), SS_OK);
    struct ss_store_row row = row_of("t", 3, "row");
    struct ss_store_put same = {.table = SS_TABLE_RUNS,
        .key = "k",
        .value = "w",
        .value_size = 1,
        .when = SS_WHEN_SAME,
        .expected = ss_hash64("v", 1)};
    come_between((struct ss_store_unit){.thread = "t", .delete_thread = true});
    come_between((struct ss_store_unit){
        .thread = "t", .rows = &row, .rows_count = 1, .delete_to = 2});
    come_between((struct ss_store_unit){.puts = &same, .puts_count = 1});
}
END_TEST

static int wait_long(void *ctx, int fd, short events, int timeout_ms)
{
    return ss_pg_outside_real.wait(ctx, fd, events,
        timeout_ms == SS_STORE_FENCE_WAIT_MS ? -1 : timeout_ms);
}

// One that waits for whoever holds a fence, and never cuts off: where that is
// to end in time, it does so on the slowest machine.
static void open_patient_store(void)
{
    static struct ss_pg_outside patient;
    open_store(&pg.store);
    patient = ss_pg_outside_real;
    patient.wait = wait_long;
    ((struct ss_pg_store *)pg.store)->outside = &patient;
}

// A stale coordinator in the middle of its commit: it holds the fence.
static PGconn *stale_begin(void)
{
    PGconn *stale = connect_person();
    ask(stale, "BEGIN");
    ask(stale, "SELECT 1 FROM fences WHERE coordinator = 'a' FOR SHARE");
    ask(stale, "INSERT INTO journal SELECT thread, seq + 1, kind, format, run,"
               " ns, checkpoint_id, parent_id, parent_seq, base_seq, source,"
               " step, wall_us, metadata, checksum, body FROM journal");
    return stale;
}

static void *break_work(void *ctx)
{
    *(int *)ctx = ss_store_fence_break(pg.store, "a", NULL);
    return NULL;
}

START_TEST(a_commit_that_ends_in_time_is_read_by_whoever_takes_over)
{
    open_patient_store();
    ck_assert_int_eq(append_as(pg.store, take(pg.store, "a"), 1), SS_OK);
    PGconn *stale = stale_begin();
    int status = -1;
    pthread_t thread;
    pthread_create(&thread, NULL, break_work, &status);
    wait_until_blocked(stale);
    ask(stale, "COMMIT");
    pthread_join(thread, NULL);
    ck_assert_int_eq(status, SS_OK);
    ck_assert_str_eq(all_rows(pg.store, "t"), "1:row 2:row");
    PQfinish(stale);
}
END_TEST

START_TEST(a_commit_that_does_not_end_is_cut_off)
{
    open_store(&pg.store);
    ck_assert_int_eq(append_as(pg.store, take(pg.store, "a"), 1), SS_OK);
    PGconn *stale = stale_begin();
    ck_assert_int_eq(ss_store_fence_break(pg.store, "a", &world_error), SS_OK);
    ck_assert_str_eq(all_rows(pg.store, "t"), "1:row");
    PGresult *result = PQexec(stale, "COMMIT");
    ck_assert_int_eq(PQresultStatus(result), PGRES_FATAL_ERROR);
    PQclear(result);
    PQfinish(stale);
    ck_assert_str_eq(all_rows(pg.store, "t"), "1:row");
}
END_TEST

// A claim whose connection was lost, before its commit: its session lives on.
static PGconn *claim_begin(void)
{
    PGconn *lost = connect_person();
    ask(lost, "BEGIN");
    ask(lost, "SELECT 1 FROM fences WHERE coordinator = 'a' AND actor = 0"
              " FOR SHARE");
    ask(lost, "UPDATE shards SET owner = 'a' WHERE owner = ''");
    return lost;
}

struct leaver {
    struct ss_member self;
    int status;
};

static void *leave_work(void *ctx)
{
    struct leaver *leaver = ctx;
    leaver->status = ss_store_lease_end(pg.store, &leaver->self, NULL);
    return NULL;
}

// Shards of one that is not a member are claimed by nobody and taken over from
// nobody: the end of a lease waits for all that began before it.
START_TEST(a_claim_does_not_end_behind_the_end_of_its_lease)
{
    open_patient_store();
    struct leaver leaver = {.self = {.name = "a", .endpoint = "tcp://a"}};
    leaver.self.epoch = take(pg.store, "a");
    ck_assert_int_eq(
        ss_store_lease_renew(pg.store, &leaver.self, 60000, NULL), SS_OK);
    PGconn *lost = claim_begin();
    pthread_t thread;
    pthread_create(&thread, NULL, leave_work, &leaver);
    wait_until_blocked(lost);
    ask(lost, "COMMIT");
    pthread_join(thread, NULL);
    ck_assert_int_eq(leaver.status, SS_OK);
    ck_assert_str_eq(ask(lost, "SELECT count(*) FROM members"), "0");
    ck_assert_str_eq(
        ask(lost, "SELECT count(*) FROM shards WHERE owner <> ''"), "0");
    PQfinish(lost);
}
END_TEST

// A database that cannot know that its client has gone keeps the session, and
// its lock, for as long as TCP does.
START_TEST(the_end_of_a_lease_cuts_off_a_claim_that_does_not_end)
{
    open_store(&pg.store);
    struct ss_member self = {.name = "a", .endpoint = "tcp://a"};
    self.epoch = take(pg.store, "a");
    ck_assert_int_eq(ss_store_lease_renew(pg.store, &self, 60000, NULL), SS_OK);
    PGconn *lost = claim_begin();
    ck_assert_int_eq(ss_store_lease_end(pg.store, &self, &world_error), SS_OK);
    PGresult *result = PQexec(lost, "COMMIT");
    ck_assert_int_eq(PQresultStatus(result), PGRES_FATAL_ERROR);
    PQclear(result);
    PQfinish(lost);
    ck_assert_str_eq(
        ask(pg.person, "SELECT count(*) FROM shards WHERE owner <> ''"), "0");
}
END_TEST

// --- in one order -----------------------------------------------------------

struct start {
    uint64_t epoch;
    int status;
};

static void *start_work(void *ctx)
{
    struct start *start = ctx;
    start->status = ss_store_fence_take(pg.store, "a", 0, &start->epoch, NULL);
    return NULL;
}

// A coordinator that is taken over starts again meanwhile: the takeover has the
// fence, and raises the epoch last.
START_TEST(a_start_waits_for_a_takeover_and_holds_nothing_that_this_needs)
{
    open_patient_store();
    uint64_t old = take(pg.store, "a");
    PGconn *taker = connect_person();
    ask(taker, "BEGIN");
    ask(taker, "UPDATE fences SET epoch = epoch + 1 WHERE coordinator = 'a'");
    struct start start = {0};
    pthread_t thread;
    pthread_create(&thread, NULL, start_work, &start);
    wait_until_blocked(taker);
    ask(taker, "UPDATE format SET epoch = epoch + 1");
    ask(taker, "DELETE FROM fences WHERE coordinator = 'a'");
    ask(taker, "COMMIT");
    pthread_join(thread, NULL);
    ck_assert_int_eq(start.status, SS_OK);
    ck_assert_uint_gt(start.epoch, old + 1);
    ck_assert_int_eq(append_as(pg.store, start.epoch, 1), SS_OK);
    PQfinish(taker);
}
END_TEST

static struct ss_member member_of(struct ss_store *it, const char *name)
{
    struct ss_member member = {
        .endpoint = "tcp://here:1", .epoch = take(it, name), .row_format = 1};
    snprintf(member.name, sizeof(member.name), "%s", name);
    ck_assert_int_eq(
        ss_store_lease_renew(it, &member, 60000, &world_error), SS_OK);
    return member;
}

struct takeover {
    struct ss_member self;
    struct ss_shards got;
    int status;
};

static void *takeover_work(void *ctx)
{
    struct takeover *it = ctx;
    it->status = ss_store_shards_take(pg.store, &it->self, "b", &it->got, NULL);
    return NULL;
}

// Its transaction has the fence, as a renewal has it.
START_TEST(a_renewal_that_ends_in_time_counts_before_the_takeover)
{
    open_patient_store();
    open_store(&pg.other);
    struct takeover takeover = {.self = member_of(pg.store, "a")};
    struct ss_member late = member_of(pg.other, "b");
    ask(pg.person, "UPDATE members SET lease_end = clock_timestamp() -"
                   " interval '1 ms' WHERE name = 'b'");
    PGconn *renewal = connect_person();
    ask(renewal, "BEGIN");
    ask(renewal, "SELECT 1 FROM fences WHERE coordinator = 'b' FOR SHARE");
    pthread_t thread;
    pthread_create(&thread, NULL, takeover_work, &takeover);
    wait_until_blocked(renewal);
    ask(renewal, "UPDATE members SET lease_end = clock_timestamp() +"
                 " interval '1 minute' WHERE name = 'b'");
    ask(renewal, "COMMIT");
    pthread_join(thread, NULL);
    ck_assert_int_eq(takeover.status, SS_EBUSY);
    ck_assert_int_eq(append_as(pg.other, late.epoch, 1), SS_OK);
    PQfinish(renewal);
}
END_TEST

// langgraph issue 8039: a checkpoint became durable, the writes it came from
// did not, and a task that had finished ran again.
START_TEST(a_checkpoint_never_stands_before_the_writes_that_it_takes_over)
{
    open_store(&pg.store);
    PGconn *writer = connect_person();
    ask(writer, "BEGIN");
    ask(writer, "INSERT INTO journal VALUES ('t', 1, 1, 1, 'run-1', '', '', '',"
                " 0, 0, 'loop', 0, 0, NULL, 31, 'writes')");
    ck_assert_int_eq(append_row(pg.store, "t", 2, "checkpoint"), SS_EREFUSED);
    ask(writer, "ROLLBACK");
    ck_assert_int_eq(append_row(pg.store, "t", 2, "checkpoint"), SS_EREFUSED);
    ck_assert_str_eq(all_rows(pg.store, "t"), "");
    ck_assert_int_eq(append_row(pg.store, "t", 1, "writes"), SS_OK);
    ck_assert_int_eq(append_row(pg.store, "t", 2, "checkpoint"), SS_OK);
    PQfinish(writer);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        an_old_epoch_appends_nothing,
        what_an_epoch_knows_of_its_threads_ends_with_it,
        batches_of_all_sizes_land_as_they_are,
        puts_and_batches_are_fenced_too,
        a_store_of_one_process_has_no_fences,
        an_append_between_the_takeovers_read_and_its_commit_fails,
        a_unit_that_goes_alone_between_the_takeovers_read_and_its_commit_fails,
        a_commit_that_ends_in_time_is_read_by_whoever_takes_over,
        a_commit_that_does_not_end_is_cut_off,
        a_claim_does_not_end_behind_the_end_of_its_lease,
        the_end_of_a_lease_cuts_off_a_claim_that_does_not_end,
        a_start_waits_for_a_takeover_and_holds_nothing_that_this_needs,
        a_renewal_that_ends_in_time_counts_before_the_takeover,
        a_checkpoint_never_stands_before_the_writes_that_it_takes_over,
    };
    return postgres_world_main(
        "store_fence", tests, sizeof(tests) / sizeof(tests[0]));
}

#endif
