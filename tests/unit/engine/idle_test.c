// idle_test.c - threads that nobody uses: how many are known without being
// read; and when what they have, or one whose run only waits, is packed.
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/model/journal.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/inside.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/thread_impl.h"
#include "coordinator/engine/threads/threads.h"
#include "tests/stories/world.h"
#include "tests/suite.h"
#include "tests/unit/engine/growth_lab.h"

// Is it known without being read?
static bool is_known(unsigned number)
{
    char name[24];
    size_t before = lab.reads;
    snprintf(name, sizeof(name), "t%u", number);
    lab_ask("state", name, json_object());
    return lab.reads == before;
}

START_TEST(idle_threads_are_known_up_to_their_number)
{
    lab_begin(lab_chain(1), 0, NULL);
    for (unsigned i = 0; i < SS_IDLE_THREADS_MAX; i++)
        ck_assert(!is_known(i)); // read now; there is nothing of it
    ck_assert(is_known(0));      // used: the second is the longest idle now
    ck_assert(!is_known(SS_IDLE_THREADS_MAX));
    ck_assert(is_known(0));
    ck_assert(is_known(2));
    ck_assert(!is_known(1));
    lab_end();
}
END_TEST

START_TEST(idle_threads_are_known_up_to_their_weight)
{
    enum { SIZE = 1 << 20, COUNT = 10 };
    char *text = ss_alloc(SIZE + 1);
    memset(text, 'x', SIZE);
    text[SIZE] = '\0';
    lab_begin(lab_chain(1), 0, NULL);
    for (unsigned i = 0; i < COUNT; i++)
        lab_use_thread(i, text);
    ck_assert(is_known(COUNT - 1));
    ck_assert(!is_known(0));
    lab_end();
    ss_free(text);
}
END_TEST

static bool is_packed(const char *name)
{
    const struct thread *thread =
        ss_map_get(ss_threads_all(&lab.engine->engine), name);
    ck_assert(thread && thread->facts.journal);
    return ss_journal_is_packed(thread->facts.journal);
}

static void rest(int64_t ms)
{
    struct ss_event event = {.type = SS_EVENT_TICK};
    lab.now_ms += ms;
    lab_step(&event);
}

START_TEST(threads_are_packed_when_they_have_rested_or_are_too_many)
{
    char last[24];
    lab_begin(lab_chain(1), 0, NULL);
    lab_use_thread(0, "x");
    ck_assert(!is_packed("t0")); // its next run may begin in a moment
    rest(SS_IDLE_PACK_MS - 1);
    ck_assert(!is_packed("t0"));
    rest(1);
    ck_assert(is_packed("t0"));
    ck_assert(is_known(0)); // and it is folded from what is in memory
    ck_assert(!is_packed("t0"));
    for (unsigned i = 1; i <= SS_IDLE_LARGE_MAX; i++)
        lab_use_thread(i, "x");
    snprintf(last, sizeof(last), "t%d", SS_IDLE_LARGE_MAX);
    ck_assert(is_packed("t0"));
    ck_assert(!is_packed(last));
    lab_end();
}
END_TEST

static size_t packed_of(unsigned count)
{
    size_t packed = 0;
    for (unsigned i = 0; i < count; i++) {
        char name[24];
        snprintf(name, sizeof(name), "t%u", i);
        packed += is_packed(name);
    }
    return packed;
}

// Many have rested: who asks meanwhile does not wait until all are packed.
START_TEST(threads_that_rested_are_packed_some_at_a_time)
{
    enum { COUNT = 2 * SS_IDLE_PACK_STEP_MAX + 1 };
    lab_begin(lab_chain(1), 0, NULL);
    for (unsigned i = 0; i < COUNT; i++)
        lab_use_thread(i, "x");
    rest(SS_IDLE_PACK_MS);
    ck_assert_uint_eq(packed_of(COUNT), SS_IDLE_PACK_STEP_MAX);
    rest(0);
    ck_assert_uint_eq(packed_of(COUNT), COUNT - 1);
    rest(0);
    ck_assert_uint_eq(packed_of(COUNT), COUNT);
    lab_end();
}
END_TEST

// No worker is there whose silence a tick would be for: the memory comes back
// all the same.
START_TEST(the_engine_wants_a_tick_when_a_thread_has_rested)
{
    struct ss_event bye = {.type = SS_EVENT_WORKER_BYE, .peer = "w"};
    struct ss_commands commands;
    lab_begin(lab_chain(1), 0, NULL);
    lab_use_thread(0, "x");
    bye.now_ms = lab.now_ms;
    ss_engine_step(lab.engine, &bye, &commands);
    ck_assert_int_le(commands.wake_at_ms, lab.now_ms + SS_IDLE_PACK_MS);
    rest(commands.wake_at_ms - lab.now_ms);
    ck_assert(is_packed("t0"));
    lab_end();
}
END_TEST

static size_t size_of(const char *name)
{
    const struct thread *thread =
        ss_map_get(ss_threads_all(&lab.engine->engine), name);
    return sizeof(*thread) + ss_journal_size(thread->facts.journal);
}

// A run that has begun, and whose task is on its way to the worker.
static void begin_run(void)
{
    lab_ask_run();
    while (lab.stores.count > 0)
        lab_go_on();
    ck_assert_uint_eq(lab.mail.count, 1);
    ck_assert(!lab.over);
}

enum { BEAT_MS = 500 };

// The worker has its task, and says so.
static void wait_ms(int64_t ms)
{
    for (int64_t i = 0; i < ms / BEAT_MS; i++) {
        struct ss_event beat = {.type = SS_EVENT_WORKER_BEAT, .peer = "w"};
        lab.now_ms += BEAT_MS;
        beat.beat.capacity = 16;
        beat.beat.running = &lab.due.items[0]->attempt;
        beat.beat.running_count = 1;
        lab_step(&beat);
    }
    rest(0);
}

// Where ten thousand runs wait for long tasks, their rows would be most of what
// the coordinator has in memory.
START_TEST(rows_of_a_run_that_waits_are_packed)
{
    enum { SIZE_MAX_WAITING = 1200 };
    lab_begin(lab_chain(3), 0, NULL);
    begin_run();
    ck_assert_uint_gt(size_of("t"), 2 * SIZE_MAX_WAITING);
    wait_ms(SS_IDLE_PACK_MS - BEAT_MS);
    ck_assert(!is_packed("t")); // its task may end in a moment
    wait_ms(BEAT_MS);
    ck_assert(is_packed("t"));
    ck_assert_uint_le(size_of("t"), SIZE_MAX_WAITING);
    while (!lab.over)
        lab_go_on();
    ck_assert_str_eq(
        json_string_value(json_object_get(lab.answer, "status")), "done");
    lab_end();
}
END_TEST

static void forget_age(json_t *answer)
{
    json_t *tasks = json_object_get(json_object_get(answer, "state"), "tasks");
    json_t *wait = json_object_get(json_array_get(tasks, 0), "wait");
    ck_assert_int_eq(json_object_del(wait, "for_ms"), 0);
}

START_TEST(a_run_that_waits_is_seen_as_it_was)
{
    lab_begin(lab_chain(3), 0, NULL);
    begin_run();
    lab_ask("state", "t", json_object());
    json_t *before = json_incref(lab.answer);
    wait_ms(SS_IDLE_PACK_MS);
    ck_assert(is_packed("t"));
    lab_ask("state", "t", json_object());
    forget_age(before);
    forget_age(lab.answer);
    ck_assert(json_equal(before, lab.answer));
    ck_assert(!is_packed("t"));
    wait_ms(SS_IDLE_PACK_MS); // somebody looked: it waits anew
    ck_assert(is_packed("t"));
    json_decref(before);
    lab_end();
}
END_TEST

// No beat is awaited, as no worker is there.
START_TEST(the_engine_wants_a_tick_when_a_run_has_waited)
{
    struct ss_event bye = {.type = SS_EVENT_WORKER_BYE, .peer = "w"};
    struct ss_commands commands;
    lab_begin(lab_chain(1), 0, NULL);
    bye.now_ms = lab.now_ms;
    ss_engine_step(lab.engine, &bye, &commands);
    lab_ask_run();
    while (lab.stores.count > 0)
        lab_go_on();
    for (size_t i = 0; i < 100 && !is_packed("t"); i++) {
        struct ss_event tick = {.type = SS_EVENT_TICK, .now_ms = lab.now_ms};
        ss_engine_step(lab.engine, &tick, &commands);
        if (!is_packed("t"))
            lab.now_ms = commands.wake_at_ms;
        ck_assert_int_le(lab.now_ms, SS_IDLE_PACK_MS);
    }
    ck_assert(is_packed("t"));
    ck_assert_int_eq(lab.now_ms, SS_IDLE_PACK_MS);
    lab_end();
}
END_TEST

// Ten thousand runs that are asked for before a worker is started would have
// all their rows in memory at once, and the process stays as large as that.
START_TEST(runs_that_no_worker_is_there_for_are_packed_in_a_moment)
{
    struct ss_event bye = {.type = SS_EVENT_WORKER_BYE, .peer = "w"};
    lab_begin(lab_chain(1), 0, NULL);
    lab_step(&bye);
    for (unsigned i = 0; i <= SS_STILL_LARGE_MAX; i++) {
        char name[24];
        snprintf(name, sizeof(name), "t%u", i);
        lab_ask("run", name,
            json_pack("{s:s, s:{s:s}, s:b}", "graph", "chain", "input", "last",
                "x", "detach", 1));
    }
    rest(SS_STILL_UNSERVED_PACK_MS - 1);
    ck_assert(!is_packed("t0"));
    rest(1);
    ck_assert(is_packed("t0")); // the others are few enough to stay a while
    ck_assert_uint_eq(packed_of(SS_STILL_LARGE_MAX + 1), 1);
    lab_end();
}
END_TEST

START_TEST(an_idle_thread_of_a_small_run_takes_few_bytes)
{
    enum { SIZE_MAX_IDLE = 2200 };
    lab_begin(lab_chain(3), 0, NULL);
    lab_use_thread(0, "x");
    ck_assert_uint_gt(size_of("t0"), 2 * SIZE_MAX_IDLE);
    rest(SS_IDLE_PACK_MS);
    ck_assert_uint_le(size_of("t0"), SIZE_MAX_IDLE);
    lab_end();
}
END_TEST

int main(void)
{
    ss_value_setup();
    Suite *suite = suite_create("idle");
    TCase *tcase = tcase_create("idle");
    tcase_set_timeout(tcase, 600);
    tcase_add_test(tcase, idle_threads_are_known_up_to_their_number);
    tcase_add_test(tcase, idle_threads_are_known_up_to_their_weight);
    tcase_add_test(
        tcase, threads_are_packed_when_they_have_rested_or_are_too_many);
    tcase_add_test(tcase, threads_that_rested_are_packed_some_at_a_time);
    tcase_add_test(tcase, the_engine_wants_a_tick_when_a_thread_has_rested);
    tcase_add_test(tcase, rows_of_a_run_that_waits_are_packed);
    tcase_add_test(tcase, a_run_that_waits_is_seen_as_it_was);
    tcase_add_test(tcase, the_engine_wants_a_tick_when_a_run_has_waited);
    tcase_add_test(
        tcase, runs_that_no_worker_is_there_for_are_packed_in_a_moment);
    tcase_add_test(tcase, an_idle_thread_of_a_small_run_takes_few_bytes);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
