// A unit that is alone is sent by the caller itself: what is stored, in which
// order, and what is said of it are as through the actor's thread.
#include <stdio.h>
#include <stdlib.h>

#ifndef SS_HAVE_POSTGRES

int main(void)
{
    fprintf(stderr, "SKIPPED: built without libpq\n");
    return 77;
}

#else

#include <poll.h>
#include <string.h>

#include "common/base/mem.h"
#include "coordinator/store/limits.h"
#include "coordinator/store/store_actor.h"
#include "coordinator/store/store_postgres.h"
#include "tests/contract/postgres_world.h"

static struct ss_store_actor *actor;
static uint64_t epoch;

static void lay(uint64_t tag, uint64_t seq, const char *body)
{
    struct ss_store_row row = row_of("t", seq, body);
    struct ss_store_unit unit = {.thread = "t", .rows = &row, .rows_count = 1};
    ss_store_actor_lay(actor, ss_job_apply(tag, &unit));
}

// Nothing to be had means: it is not all there yet.
static struct ss_job *await(void)
{
    for (;;) {
        struct ss_job *job = ss_store_actor_take(actor);
        if (job)
            return job;
        ss_store_actor_go(actor);
        struct pollfd fd = {.fd = ss_store_actor_fd(actor), .events = POLLIN};
        ck_assert_int_eq(poll(&fd, 1, 60000), 1);
    }
}

static void expect(uint64_t tag, int status)
{
    struct ss_job *job = await();
    ck_assert_uint_eq(job->tag, tag);
    ck_assert_msg(job->status == status && job->unit.result == status,
        "job %llu: %d, %s", (unsigned long long)tag, job->status,
        job->error.message);
    ss_job_destroy(&job);
}

// The first ones come to the thread: it prepares statements, and rests again.
static uint64_t warm(void)
{
    for (uint64_t i = 1; i <= 50; i++) {
        lay(i, i, "w");
        expect(i, SS_OK);
        struct ss_store_actor_stats stats = ss_store_actor_stats(actor);
        ck_assert_uint_eq(stats.queued, 0);
        ck_assert_uint_eq(stats.commits, i);
    }
    return 50;
}

// The actor has pg.other; pg.store looks at what is there. Gives the number of
// its last row.
static uint64_t start(void)
{
    open_store(&pg.store);
    open_store(&pg.other);
    ck_assert_int_eq(
        ss_store_fence_take(pg.other, "a", 0, &epoch, &world_error), SS_OK);
    ck_assert_int_eq(
        ss_store_actor_start(pg.other, &actor, &world_error), SS_OK);
    pg.other = NULL; // the actor's
    ss_store_actor_fence(actor, epoch);
    return warm();
}

// Lay one, which the caller then sends; its descriptor is the server's.
static bool is_sent_by_us(uint64_t tag, uint64_t seq, const char *body)
{
    int before = ss_store_actor_fd(actor);
    lay(tag, seq, body);
    ss_store_actor_go(actor);
    return ss_store_actor_fd(actor) != before;
}

// A thread that has just given its last job away is not at rest at once.
static void send_by_us(uint64_t *last, const char *body)
{
    for (int i = 0; i < 1000; i++) {
        ++*last;
        if (is_sent_by_us(*last, *last, body))
            return;
        expect(*last, SS_OK);
    }
    ck_abort_msg("the thread never rests");
}

static const char *last_row(uint64_t seq)
{
    return rows_text(pg.store, "t", seq, UINT64_MAX);
}

START_TEST(a_unit_that_is_alone_is_sent_by_who_waits_for_it)
{
    uint64_t last = start();
    send_by_us(&last, "mine");
    expect(last, SS_OK);
    char text[32];
    (void)snprintf(text, sizeof(text), "%llu:mine", (unsigned long long)last);
    ck_assert_str_eq(last_row(last), text);
    ss_store_actor_stop(&actor);
}
END_TEST

START_TEST(what_comes_meanwhile_comes_behind_it)
{
    uint64_t last = start();
    send_by_us(&last, "one");
    uint64_t first = last;
    lay(first + 1, first + 1, "two");
    lay(first + 2, first + 2, "three");
    ss_store_actor_go(actor);
    last = first + 3;
    struct ss_job *job = ss_job_new(SS_JOB_READ, last);
    job->thread = ss_strdup("t");
    job->from = first;
    job->to = UINT64_MAX;
    ss_store_actor_lay(actor, job);
    for (uint64_t tag = first; tag < last; tag++)
        expect(tag, SS_OK);
    job = await();
    ck_assert_uint_eq(job->tag, last);
    ck_assert_uint_eq(job->rows_count, 3);
    ss_job_destroy(&job);
    ss_store_actor_stop(&actor);
}
END_TEST

START_TEST(what_was_sent_is_stored_where_the_caller_ends)
{
    uint64_t last = start();
    send_by_us(&last, "one");
    lay(last + 1, last + 1, "two");
    ss_store_actor_finish(actor);
    expect(last, SS_OK);
    expect(last + 1, SS_OK);
    ck_assert_ptr_nonnull(strstr(last_row(last), ":one "));
    ss_store_actor_stop(&actor);
}
END_TEST

START_TEST(a_fence_that_is_gone_is_found_out_there_too)
{
    uint64_t last = start();
    send_by_us(&last, "mine"); // the thread is at rest, and nothing wakes it
    expect(last, SS_OK);
    ck_assert_int_eq(ss_store_fence_break(pg.store, "a", &world_error), SS_OK);
    last++;
    ck_assert(is_sent_by_us(last, last, "late"));
    expect(last, SS_EFENCED);
    ck_assert_str_eq(last_row(last), "");
    lay(last + 1, last, "late");
    expect(last + 1, SS_EFENCED);
    ss_store_actor_stop(&actor);
}
END_TEST

START_TEST(other_content_is_refused_and_the_same_is_a_repeat)
{
    uint64_t last = start();
    send_by_us(&last, "one");
    expect(last, SS_OK);
    lay(1000, last, "other");
    expect(1000, SS_EREFUSED);
    lay(1001, last + 2, "gap");
    expect(1001, SS_EREFUSED);
    lay(1002, last, "one");
    expect(1002, SS_OK);
    lay(1003, last + 1, "two");
    expect(1003, SS_OK);
    ss_store_actor_stop(&actor);
}
END_TEST

START_TEST(a_connection_that_is_lost_under_way_loses_nothing)
{
    uint64_t last = start();
    PGconn *person = connect_person();
    ask(person, "BEGIN");
    ask(person, "LOCK TABLE journal IN SHARE MODE"); // it waits there
    send_by_us(&last, "one");
    ck_assert_ptr_null(ss_store_actor_take(actor));
    while (strcmp(ask(person, "SELECT count(pg_terminate_backend(pid)) FROM"
                              " pg_stat_activity WHERE wait_event_type ="
                              " 'Lock'"),
               "0") == 0)
        ck_assert_ptr_null(ss_store_actor_take(actor));
    ask(person, "ROLLBACK");
    expect(last, SS_OK);
    ck_assert_ptr_nonnull(strstr(last_row(last), ":one"));
    PQfinish(person);
    ss_store_actor_stop(&actor);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_unit_that_is_alone_is_sent_by_who_waits_for_it,
        what_comes_meanwhile_comes_behind_it,
        what_was_sent_is_stored_where_the_caller_ends,
        a_fence_that_is_gone_is_found_out_there_too,
        other_content_is_refused_and_the_same_is_a_repeat,
        a_connection_that_is_lost_under_way_loses_nothing,
    };
    return postgres_world_main(
        "store_begin", tests, sizeof(tests) / sizeof(tests[0]));
}

#endif
