// A run that ends every coordinator that touches it: it is quarantined, and the
// rest go on. Here the coordinator ends when the test says so.
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"

#include "common/model/value.h"

#define RUN(id)                                                                \
    "{'thread': '" id "', 'run': '" id "', 'graph': 'g', 'input':"             \
    " {'x': []}}"

static void chain(void)
{
    world_graph(chart("g", "start>a a>b b>end", NULL));
    world_worker("w1", 9);
}

// Ends, and begins again, and everything goes on as far as it gets.
static void crash_again(void)
{
    world_crash();
    world_restart();
    world_run();
}

static const char *status_of_run(const char *run)
{
    json_t *runs = json_object_get(world_get("runs", "{}"), "runs"), *it;
    size_t i;
    json_array_foreach (runs, i, it)
        if (strcmp(ss_json_str(it, "run", ""), run) == 0)
            return ss_json_str(it, "status", "?");
    return "gone";
}

// b of run `poison` never comes to an end; it is found three times.
static void poison(void)
{
    chain();
    world_hold("b");
    world_ask("ann", "run", RUN("poison"));
    world_run();
    for (int i = 0; i < 3; i++)
        crash_again();
    ck_assert_uint_eq(world_attempts_of("b"), 4);
}

START_TEST(a_run_that_ends_its_coordinator_is_parked_after_three_recoveries)
{
    poison();
    ck_assert_str_eq(status_of_run("poison"), "running");
    world_forget();
    crash_again();
    told("(the coordinator crashes)\n"
         "worker w1 serves 1 graphs, 9 tasks at once\n"
         "run poison on thread poison has ended its coordinator 4 times and is"
         " parked\n");
    ck_assert_str_eq(status_of_run("poison"), "quarantined");
    crash_again(); // and stays so
    ck_assert_uint_eq(world_attempts_of("b"), 4);
    world_let("b");
    json_t *result = world_get("run", RUN("fine"));
    ck_assert_str_eq(ss_json_str(result, "status", ""), "done");
}
END_TEST

START_TEST(nothing_of_a_parked_run_is_read)
{
    static const char *const ops[] = {
        "run", "state", "history", "update", "journal", "delete", "explain"};
    poison();
    crash_again();
    for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++) {
        json_t *answer = world_get(ops[i], "{'thread': 'poison'}");
        ck_assert_str_eq(code_of(answer), "quarantined");
    }
    ck_assert_str_eq(
        code_of(world_get("attach", "{'run': 'poison'}")), "quarantined");
    world_pass(1000000); // nor forgotten
    ck_assert_str_eq(
        code_of(world_get("state", "{'thread': 'poison'}")), "quarantined");
}
END_TEST

// A stop as asked does not count as a crash; what is quarantined is
// not let go by it.
START_TEST(it_stays_parked_when_its_coordinator_is_stopped_and_started)
{
    poison();
    crash_again();
    ck_assert_str_eq(status_of_run("poison"), "quarantined");
    world_let("b");
    world_crash();
    world_restart_after(false);
    world_run();
    ck_assert_str_eq(status_of_run("poison"), "quarantined");
    ck_assert_str_eq(
        code_of(world_get("state", "{'thread': 'poison'}")), "quarantined");
    ck_assert_str_eq(
        code_of(world_get("attach", "{'run': 'poison'}")), "quarantined");
    ck_assert_uint_eq(world_attempts_of("b"), 4);
}
END_TEST

START_TEST(no_thread_is_copied_or_imported_into_a_parked_one)
{
    poison();
    crash_again();
    ck_assert_str_eq(status_of_run("poison"), "quarantined");
    world_let("b");
    json_t *done = world_get("run", RUN("fine"));
    ck_assert_str_eq(ss_json_str(done, "status", ""), "done");
    size_t rows = world_rows();
    for (int i = 0; i < 3; i++)
        ck_assert_str_eq(
            code_of(world_get("copy", "{'thread': 'fine', 'to': 'poison'}")),
            "quarantined");
    json_t *saved = json_object_get(
        world_get("checkpoints", "{'thread': 'fine'}"), "checkpoints");
    uint64_t id = world_ask_json("ann", "import",
        json_pack("{s:s, s:O}", "thread", "poison", "checkpoints", saved));
    ck_assert_str_eq(code_of(world_finish(id)), "quarantined");
    ck_assert_uint_eq(world_rows(), rows);
}
END_TEST

START_TEST(it_is_counted_before_it_is_read)
{
    chain();
    world_hold("b");
    world_ask("ann", "run", RUN("poison"));
    world_run();
    for (int i = 0; i < 3; i++) {
        world_crash();
        world_restart();
        world_store_slow(true);
        ck_assert(world_run_store()); // its record, and then it ends
        world_store_slow(false);
    }
    crash_again();
    ck_assert_str_eq(status_of_run("poison"), "quarantined");
    ck_assert_uint_eq(world_attempts_of("b"), 1);
}
END_TEST

static void no_read(const struct ss_command *command)
{
    ck_assert_int_ne(command->type, SS_COMMAND_READ);
}

// Whichever is found first: a run that waits for its turn does not have the
// thread read before the one before it is counted.
START_TEST(it_is_counted_before_it_is_read_for_another)
{
    chain();
    world_hold("b");
    world_ask("ann", "run", RUN("poison"));
    world_ask("ann", "run",
        "{'thread': 'poison', 'run': 'next', 'graph': 'g', 'if_busy':"
        " 'enqueue', 'input': {'x': []}}");
    world_run();
    world_crash();
    world_watch(no_read);
    world_restart();
    world_watch(NULL);
    ck_assert(world_run_store()); // its record
    world_run();
    ck_assert_uint_eq(world_attempts_of("b"), 2);
}
END_TEST

START_TEST(a_row_shows_that_it_was_not_the_one)
{
    world_graph(chart("g", "start>a a>b b>c c>end", NULL));
    world_worker("w1", 9);
    world_hold("b");
    world_hold("c");
    world_ask("ann", "run", RUN("t"));
    world_run();
    for (int i = 0; i < 3; i++)
        crash_again();
    world_let("b");
    world_run();
    for (int i = 0; i < 3; i++)
        crash_again();
    ck_assert_str_eq(status_of_run("t"), "running");
    world_let("c");
    json_t *result = world_finish(world_ask("ann", "attach", "{'run': 't'}"));
    ck_assert_str_eq(ss_json_str(result, "status", ""), "done");
}
END_TEST

// Both stand still. The third time each goes on alone; the guilty one ends its
// coordinator then, the other one does not.
START_TEST(who_stood_beside_it_is_not_parked_with_it)
{
    static const char *const names[] = {"r1", "r2"};
    for (int guilty = 0; guilty < 2; guilty++) {
        if (guilty == 1) {
            world_end();
            world_begin();
        }
        chain();
        world_hold("b");
        world_ask("ann", "run", RUN("r1"));
        world_ask("ann", "run", RUN("r2"));
        world_run();
        crash_again();
        crash_again();
        world_crash();
        world_restart();
        world_run();
        size_t count = 0;
        const struct attempt_made *made = world_attempts(&count);
        ck_assert_uint_eq(count, 2 * 4 + 1); // one of them, alone
        if (strcmp(made[count - 1].run, names[guilty]) != 0) {
            world_pass(1500); // it lived: now the other one
            made = world_attempts(&count);
            ck_assert_uint_eq(count, 2 * 4 + 2);
            ck_assert_str_eq(made[count - 1].run, names[guilty]);
        }
        crash_again();
        world_pass(3000);
        ck_assert_str_eq(status_of_run(names[guilty]), "quarantined");
        ck_assert_str_eq(status_of_run(names[!guilty]), "running");
        world_let("b");
        world_run();
        ck_assert_str_eq(status_of_run(names[!guilty]), "done");
    }
}
END_TEST

START_TEST(it_is_released_by_hand)
{
    poison();
    crash_again();
    json_t *answer = world_get("release", "{'run': 'poison'}");
    ck_assert_str_eq(ss_json_str(answer, "status", ""), "running");
    world_let("b");
    answer = world_finish(world_ask("ann", "attach", "{'run': 'poison'}"));
    ck_assert_str_eq(ss_json_str(answer, "status", ""), "done");
    ck_assert_str_eq(status_of_run("poison"), "done");
    ck_assert_str_eq(
        code_of(world_get("release", "{'run': 'poison'}")), "invalid_state");
}
END_TEST

// What is found was read before its release was stored.
START_TEST(it_stays_released_when_it_is_found_as_it_was_before)
{
    poison();
    crash_again();
    world_store_slow(true);
    world_ask("ann", "release", "{'thread': 'poison', 'run': 'poison'}");
    world_found(false);
    world_store_slow(false);
    world_let("b");
    const json_t *answer =
        world_finish(world_ask("ann", "attach", "{'run': 'poison'}"));
    ck_assert_str_eq(ss_json_str(answer, "status", ""), "done");
    ck_assert_str_eq(
        code_of(world_get("release", "{'run': 'poison'}")), "invalid_state");
}
END_TEST

START_TEST(it_is_cancelled_without_going_on)
{
    poison();
    crash_again();
    json_t *answer = world_get("cancel", "{'run': 'poison'}");
    ck_assert_str_eq(ss_json_str(answer, "status", ""), "cancelled");
    ck_assert_uint_eq(world_attempts_of("b"), 4);
    ck_assert_str_eq(status_of_run("poison"), "cancelled");
    world_let("b");
    crash_again();
    answer = world_get("run", "{'thread': 'poison', 'run': 'next', 'graph':"
                              " 'g', 'input': {'x': []}}");
    ck_assert_str_eq(ss_json_str(answer, "status", ""), "done");
}
END_TEST

// The cancel is told that it failed; until another one is durable nothing of
// the run goes on, whoever asks for its thread.
static void cancel_fails(void (*break_it)(int status))
{
    poison();
    crash_again();
    break_it(SS_EIO);
    json_t *answer =
        world_get("cancel", "{'run': 'poison', 'thread': 'poison'}");
    ck_assert_str_eq(code_of(answer), "io_error");
    for (int i = 0; i < 2; i++)
        ck_assert_str_eq(
            code_of(world_get("state", "{'thread': 'poison'}")), "quarantined");
    ck_assert_uint_eq(world_attempts_of("b"), 4);
    ck_assert_str_eq(status_of_run("poison"), "quarantined");
    answer = world_get("cancel", "{'run': 'poison'}");
    ck_assert_str_eq(ss_json_str(answer, "status", ""), "cancelled");
    ck_assert_str_eq(status_of_run("poison"), "cancelled");
    world_let("b");
    answer = world_get("run", "{'thread': 'poison', 'run': 'next', 'graph':"
                              " 'g', 'input': {'x': []}}");
    ck_assert_str_eq(ss_json_str(answer, "status", ""), "done");
}

START_TEST(it_stays_parked_when_its_thread_cannot_be_read_for_a_cancel)
{
    cancel_fails(world_read_says);
}
END_TEST

START_TEST(it_stays_parked_when_its_cancel_cannot_be_stored)
{
    cancel_fails(world_store_says);
}
END_TEST

START_TEST(a_hand_over_is_no_crash)
{
    world_pair();
    chain();
    world_at("two");
    world_worker("w1", 9);
    world_at("one");
    world_hold("b");
    world_ask("ann", "run", RUN("t"));
    world_run();
    for (int i = 0; i < 6; i++) {
        world_lost(true);
        world_at(i % 2 == 0 ? "two" : "one");
        world_gained();
        world_run();
    }
    ck_assert_str_eq(status_of_run("t"), "running");
}
END_TEST

// r2 waits until r1 has gone on alone, and then both move: whoever has them now
// counts, and nobody else writes their records.
START_TEST(a_trial_that_waits_is_left_to_the_new_owner)
{
    world_pair();
    chain();
    world_at("two");
    world_worker("w1", 9);
    world_at("one");
    world_hold("b");
    world_ask("ann", "run", RUN("r1"));
    world_ask("ann", "run", RUN("r2"));
    world_run();
    for (int i = 0; i < 3; i++) {
        world_lost(true);
        world_at(i % 2 == 0 ? "two" : "one");
        world_gained_unread();
        world_found(true);
        world_run();
    }
    world_lost(true);
    world_at("one");
    world_gained();
    world_run();
    world_let("b");
    world_run();
    ck_assert_str_eq(status_of_run("r1"), "done");
    ck_assert_str_eq(status_of_run("r2"), "done");
    world_at("two");
    world_pass(5000);
    ck_assert_str_eq(status_of_run("r1"), "done");
    ck_assert_str_eq(status_of_run("r2"), "done");
}
END_TEST

SUITE("quarantine",
    a_run_that_ends_its_coordinator_is_parked_after_three_recoveries,
    nothing_of_a_parked_run_is_read,
    it_stays_parked_when_its_coordinator_is_stopped_and_started,
    no_thread_is_copied_or_imported_into_a_parked_one,
    it_is_counted_before_it_is_read,
    it_is_counted_before_it_is_read_for_another,
    a_row_shows_that_it_was_not_the_one,
    who_stood_beside_it_is_not_parked_with_it, it_is_released_by_hand,
    it_stays_released_when_it_is_found_as_it_was_before,
    it_is_cancelled_without_going_on,
    it_stays_parked_when_its_thread_cannot_be_read_for_a_cancel,
    it_stays_parked_when_its_cancel_cannot_be_stored, a_hand_over_is_no_crash,
    a_trial_that_waits_is_left_to_the_new_owner)
