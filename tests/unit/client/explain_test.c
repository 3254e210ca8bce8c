// What happened to a run, as people read it.
#include "client/cli/explain.h"

#include <check.h>
#include <stdlib.h>

#include "tests/suite.h"

#define AROUND                                                                 \
    "\"run\":\"r\",\"thread\":\"demo\",\"graph\":\"hello\",\"version\":"       \
    "\"5f0c1e7a99\",\"created_us\":1000000,\"now_us\":13000000,"

static void expect(const char *text, const char *wanted)
{
    struct ss_buf buf;
    json_t *json = json_loads(text, 0, NULL);
    ck_assert_msg(json != NULL, "no JSON: %s", text);
    ss_buf_init(&buf, 1 << 20);
    ss_explain_write(json, &buf);
    ck_assert_str_eq(ss_buf_str(&buf), wanted);
    ss_buf_fini(&buf);
    json_decref(json);
}

START_TEST(a_run_that_is_done_tells_its_supersteps)
{
    expect("{" AROUND
           "\"request\":{\"input\":{\"name\":\"Ada\"}},\"status\":\"done\","
           "\"ended_at\":\"x\",\"ended_us\":1030000,\"steps_before\":0,"
           "\"graph_known\":true,\"end\":{\"status\":\"done\"},\"waits\":[],"
           "\"steps\":["
           "{\"step\":-1,\"made_us\":1000000,\"tasks\":[{\"name\":\"__start__\""
           "}]},"
           "{\"step\":0,\"made_us\":1000000,\"tasks\":[{\"name\":\"greet\"}]},"
           "{\"step\":1,\"made_us\":1012000,\"tasks\":[{\"name\":\"shout\"},"
           "{\"name\":\"shout\"},{\"name\":\"a\"},{\"name\":\"b\"}]},"
           "{\"step\":2,\"made_us\":1030000,\"tasks\":[]}]}",
        "Run r of graph hello (version 5f0c1e7a) on thread demo began 12 s "
        "ago, with the input {\"name\": \"Ada\"}.\n"
        "Superstep 1 ran greet, in 12.0 ms.\n"
        "Superstep 2 ran shout (2 tasks), a and b, in 18.0 ms.\n"
        "It is done, after 30.0 ms.\n");
}
END_TEST

#define PAUSED(more)                                                           \
    "{" AROUND "\"request\":{},\"status\":\"running\",\"steps\":[],"           \
    "\"waits\":[{\"node\":\"a\",\"count\":2,\"why\":\"paused\"}],"             \
    "\"paused\":{\"since_us\":1767225600000000" more "}}"

START_TEST(a_run_that_is_paused_says_by_whom_and_why_and_what_ends_it)
{
    const char *graph = PAUSED(
        ",\"graph\":\"hello\",\"by\":\"olga\",\"reason\":\"ill\\u001b[1m\"");
    expect(graph,
        "Run r of graph hello (version 5f0c1e7a) on thread demo began 12 s "
        "ago, to go on with what was there.\n"
        "2 tasks of a wait: their graph is paused.\n"
        "It waits: graph hello is paused since 2026-01-01 00:00:00 by olga: "
        "ill\\x1b[1m. superstep unpause hello lets it go on.\n");
    expect(PAUSED(",\"graph\":\"hello\",\"version\":\"5f0c1e7a99\""),
        "Run r of graph hello (version 5f0c1e7a) on thread demo began 12 s "
        "ago, to go on with what was there.\n"
        "2 tasks of a wait: their graph is paused.\n"
        "It waits: graph hello in version 5f0c1e7a is paused since 2026-01-01 "
        "00:00:00. superstep unpause hello --of-version 5f0c1e7a lets it go "
        "on.\n");
    expect(PAUSED(""),
        "Run r of graph hello (version 5f0c1e7a) on thread demo began 12 s "
        "ago, to go on with what was there.\n"
        "2 tasks of a wait: their graph is paused.\n"
        "It waits: everything is paused since 2026-01-01 00:00:00. superstep "
        "unpause --all lets it go on.\n");
}
END_TEST

START_TEST(a_run_that_waits_says_for_what_and_what_to_do)
{
    expect("{" AROUND
           "\"request\":{},\"status\":\"running\",\"steps_before\":40,"
           "\"rows_on_their_way\":2,\"steps\":[{\"step\":4,\"tasks\":[{"
           "\"name\":\"fetch\",\"error\":\"timed out\"}]}],\"waits\":["
           "{\"node\":\"fetch\",\"count\":1,\"why\":\"backoff\",\"in_ms\":1200,"
           "\"failures\":2,\"error\":\"timed out\"},"
           "{\"node\":\"measure\",\"count\":3,\"why\":\"no_worker\"},"
           "{\"node\":\"judge\",\"count\":1,\"why\":\"running\",\"worker\":"
           "\"w1\",\"attempt\":2,\"for_ms\":3100,\"workers_lost\":1,"
           "\"fails_at\":4},"
           "{\"node\":\"x\",\"count\":2,\"why\":\"workers_busy\"},"
           "{\"node\":\"y\",\"count\":1,\"why\":\"max_concurrency\"},"
           "{\"node\":\"l\",\"count\":2,\"why\":\"limit\",\"limit\":"
           "\"openai\",\"limit_max\":5,\"limit_here\":5,\"limit_out\":5},"
           "{\"node\":\"m\",\"count\":1,\"why\":\"limit\",\"limit\":"
           "\"openai\",\"limit_max\":5,\"limit_here\":2,\"limit_out\":1,"
           "\"limit_looks_back\":true},"
           "{\"node\":\"p\",\"count\":1,\"why\":\"limit\",\"limit\":"
           "\"mail\",\"limit_max\":3,\"limit_here\":3,\"limit_out\":0,"
           "\"limit_per_ms\":12000,\"limit_begun\":3},"
           "{\"node\":\"q\",\"count\":1,\"why\":\"limit\",\"limit\":"
           "\"ai\",\"limit_max\":2,\"limit_each\":\"meta:customer\","
           "\"limit_value\":\"acme\",\"limit_here\":2,\"limit_out\":2},"
           "{\"node\":\"r\",\"count\":7,\"why\":\"limit\",\"limit\":"
           "\"ai\",\"limit_max\":2,\"limit_each\":\"customer\"},"
           "{\"node\":\"s\",\"count\":1,\"why\":\"limit\",\"limit\":"
           "\"ai\",\"limit_max\":2,\"limit_each\":\"customer\","
           "\"limit_values\":4096},"
           "{\"node\":\"z\",\"count\":1,\"why\":\"store\"},"
           "{\"node\":\"q\",\"count\":1,\"why\":\"answer\"},"
           "{\"node\":\"c\",\"count\":1,\"why\":\"cache\"}]}",
        "Run r of graph hello (version 5f0c1e7a) on thread demo began 12 s "
        "ago, to go on with what was there.\n"
        "40 of its checkpoints were before those here.\n"
        "Superstep 5 is under way: fetch.\n"
        "    fetch failed: timed out\n"
        "fetch failed (2 so far, last: timed out) and will be tried again in "
        "1.2 s.\n"
        "3 tasks of measure wait: no worker serves this version of graph "
        "hello. Start one: superstep-worker --app its application; or move the "
        "run to another version: superstep migrate.\n"
        "judge runs on worker w1 (attempt 2), for 3.1 s; 1 worker was lost "
        "with it, and 4 make it fail.\n"
        "2 tasks of x wait for room: all workers that may take them are "
        "busy.\n"
        "y waits: the run has as many tasks out as its max_concurrency "
        "allows.\n"
        "2 tasks of l wait for the limit openai of 5: 5 are out.\n"
        "m waits for the limit openai of 5, of which its coordinator has 2: 1 "
        "is out, and those are looked for that were out before the coordinator "
        "began.\n"
        "p waits for the limit mail of 3 in 12.0 s: 3 began.\n"
        "q waits for the limit ai of 2 for customer acme: 2 are out.\n"
        "7 tasks of r wait for the limit ai of 2 for each customer.\n"
        "s waits for the limit ai of 2 for each customer: 4096 of these have "
        "tasks, and no more are counted at once.\n"
        "z waits for the store: rows before it are not durable yet.\n"
        "q waits for an answer.\n"
        "c waits (cache).\n"
        "2 rows are on the way to the store.\n");
}
END_TEST

START_TEST(tasks_of_a_fan_out_are_one_line_for_each_reason)
{
    expect("{" AROUND
           "\"request\":{},\"status\":\"running\",\"steps\":[{\"step\":0,"
           "\"tasks\":[{\"name\":\"fetch\",\"failed_before\":2}]}],\"waits\":["
           "{\"node\":\"fetch\",\"count\":45,\"why\":\"backoff\",\"in_ms\":1,"
           "\"in_ms_last\":260,\"failures\":3,\"error\":\"busy\"},"
           "{\"node\":\"fetch\",\"count\":2431,\"why\":\"workers_busy\"}]}",
        "Run r of graph hello (version 5f0c1e7a) on thread demo began 12 s "
        "ago, to go on with what was there.\n"
        "Superstep 1 is under way: fetch.\n"
        "45 tasks of fetch failed (3 at most so far, last: busy) and will be "
        "tried again in 1.0 ms to 260 ms.\n"
        "2431 tasks of fetch wait for room: all workers that may take them "
        "are busy.\n");
}
END_TEST

START_TEST(a_run_that_ended_says_how_often_its_tasks_failed_before)
{
    expect("{" AROUND
           "\"request\":{},\"status\":\"failed\",\"ended_at\":\"x\",\"steps\":["
           "{\"step\":0,\"tasks\":[{\"name\":\"a\",\"failed_before\":2,"
           "\"last_error\":\"busy\"}]},{\"step\":1,\"tasks\":["
           "{\"name\":\"f\",\"failed_before\":1,\"last_error\":\"slow\"},"
           "{\"name\":\"f\",\"failed_before\":4,\"last_error\":\"busy\","
           "\"error\":\"gone\"},{\"name\":\"f\"}]}]}",
        "Run r of graph hello (version 5f0c1e7a) on thread demo began 12 s "
        "ago, to go on with what was there.\n"
        "Superstep 1 ran a.\n"
        "    a failed before, 2 times, last: busy\n"
        "Superstep 2 ran f (3 tasks).\n"
        "    2 tasks of f failed before, 4 times at most, last: busy\n"
        "    f failed: gone\n"
        "It is failed.\n");
}
END_TEST

START_TEST(a_failure_that_did_not_stay_says_what_came_of_it)
{
    expect("{" AROUND
           "\"request\":{},\"status\":\"done\",\"ended_at\":\"x\",\"steps\":["
           "{\"step\":0,\"tasks\":[{\"name\":\"a\",\"error\":\"busy\"}]},"
           "{\"step\":1,\"tasks\":[{\"name\":\"pay\",\"error\":\"declined\","
           "\"has_handler\":true}]},{\"step\":2,\"tasks\":[]}]}",
        "Run r of graph hello (version 5f0c1e7a) on thread demo began 12 s "
        "ago, to go on with what was there.\n"
        "Superstep 1 ran a.\n"
        "    a failed before: busy\n"
        "Superstep 2 ran pay.\n"
        "    pay failed: declined; its error handler ran\n"
        "It is done.\n");
}
END_TEST

START_TEST(tasks_that_failed_alike_are_one_line)
{
    expect(
        "{" AROUND
        "\"request\":{},\"status\":\"cancelled\",\"ended_at\":\"x\",\"steps\":["
        "{\"step\":0,\"tasks\":["
        "{\"name\":\"f\",\"error\":\"stopped\"},{\"name\":\"f\"},"
        "{\"name\":\"g\",\"error\":\"stopped\"},"
        "{\"name\":\"f\",\"error\":\"gone\"},"
        "{\"name\":\"f\",\"error\":\"stopped\"}]}]}",
        "Run r of graph hello (version 5f0c1e7a) on thread demo began 12 s "
        "ago, to go on with what was there.\n"
        "Superstep 1 ran f (4 tasks) and g.\n"
        "    2 tasks of f failed: stopped\n"
        "    g failed: stopped\n"
        "    f failed: gone\n"
        "It is cancelled.\n");
}
END_TEST

START_TEST(a_run_that_asked_says_how_to_answer)
{
    expect("{" AROUND "\"request\":{\"command\":{\"resume\":true}},\"status\":"
           "\"interrupted\",\"ended_at\":\"x\",\"ended_us\":2000000,"
           "\"steps\":[{\"step\":1,\"tasks\":[{\"name\":\"approve\","
           "\"interrupts\":[{\"value\":\"ok?\"}]}]}]}",
        "Run r of graph hello (version 5f0c1e7a) on thread demo began 12 s "
        "ago, with the answer true.\n"
        "Superstep 2 ran approve.\n"
        "    approve asks \"ok?\"\n"
        "It stopped, and waits for an answer: superstep resume demo --value "
        "JSON\n");
}
END_TEST

// The second input of a thread is no superstep -1.
START_TEST(a_later_input_of_a_thread_ran_no_node)
{
    expect("{" AROUND "\"request\":{},\"status\":\"done\",\"ended_at\":\"x\","
           "\"steps\":[{\"step\":2,\"source\":\"input\",\"tasks\":[{\"name\":"
           "\"__start__\"}]},{\"step\":3,\"source\":\"loop\",\"tasks\":[{"
           "\"name\":\"a\"}]}]}",
        "Run r of graph hello (version 5f0c1e7a) on thread demo began 12 s "
        "ago, to go on with what was there.\n"
        "Superstep 4 ran a.\n"
        "It is done.\n");
}
END_TEST

// `--value` would be refused: each question has its own answer.
START_TEST(a_run_that_asked_twice_says_how_to_answer_both)
{
    expect("{" AROUND "\"request\":{\"command\":{\"resume\":true}},\"status\":"
           "\"interrupted\",\"ended_at\":\"x\",\"ended_us\":2000000,"
           "\"steps\":[{\"step\":1,\"tasks\":[{\"name\":\"ask\","
           "\"interrupts\":[{\"value\":\"ok?\",\"id\":\"i1\"}]},{\"name\":"
           "\"sign\",\"interrupts\":[{\"value\":\"who?\",\"id\":\"i2\"}]}]}]}",
        "Run r of graph hello (version 5f0c1e7a) on thread demo began 12 s "
        "ago, with the answer true.\n"
        "Superstep 2 ran ask and sign.\n"
        "    ask asks \"ok?\"\n"
        "    sign asks \"who?\"\n"
        "It stopped, and waits for an answer: superstep resume demo --answer "
        "i1=JSON --answer i2=JSON\n");
}
END_TEST

START_TEST(a_run_that_stopped_at_a_breakpoint_asks_for_no_answer)
{
    expect("{" AROUND "\"request\":{\"command\":{\"resume\":true}},\"status\":"
           "\"interrupted\",\"ended_at\":\"x\",\"ended_us\":2000000,"
           "\"steps\":[{\"step\":1,\"tasks\":[{\"name\":\"approve\"}]}]}",
        "Run r of graph hello (version 5f0c1e7a) on thread demo began 12 s "
        "ago, with the answer true.\n"
        "Superstep 2 ran approve.\n"
        "It stopped, and goes on with: superstep resume demo\n");
}
END_TEST

START_TEST(a_lost_worker_is_told_with_how_its_process_ended)
{
    expect("{" AROUND "\"request\":{},\"status\":\"running\",\"steps\":[],"
           "\"waits\":[{\"node\":\"a\",\"count\":1,\"why\":\"workers_busy\","
           "\"workers_lost\":2,\"fails_at\":4,\"lost_how\":"
           "\"crashed its worker: signal "
           "11\",\"alone\":true},{\"node\":\"b\",\"count\":3,"
           "\"why\":\"workers_busy\",\"workers_lost\":1,\"fails_at\":4}]}",
        "Run r of graph hello (version 5f0c1e7a) on thread demo began 12 s "
        "ago, to go on with what was there.\n"
        "a waits for room: all workers that may take it are busy; 2 workers "
        "were lost with it, and 4 make it fail; the last time it crashed its "
        "worker: signal 11; it gets a worker to itself.\n"
        "3 tasks of b wait for room: all workers that may take them are busy; "
        "1 worker was lost with one of them, and 4 make it fail.\n");
}
END_TEST

START_TEST(a_run_that_failed_says_why_without_moving_the_cursor)
{
    expect("{" AROUND
           "\"request\":{\"checkpoint_id\":\"1f0a\",\"command\":{\"goto\":"
           "\"b\"}},\"status\":\"failed\",\"ended_at\":\"x\",\"ended_us\":"
           "1500000,\"end\":{\"error\":{\"message\":\"\\u001b[2Jno\"}},"
           "\"graph_known\":false,\"steps\":[]}",
        "Run r of graph hello (version 5f0c1e7a) on thread demo began 12 s "
        "ago, with the command {\"goto\": \"b\"}, from checkpoint 1f0a.\n"
        "Its graph is not known here, so its tasks are not named: no worker "
        "has announced it.\n"
        "It is failed, after 500 ms: \\x1b[2Jno.\n");
}
END_TEST

START_TEST(a_run_that_was_cancelled_before_its_turn_never_began)
{
    expect("{\"run\":\"r\",\"thread\":\"demo\",\"graph\":\"?\",\"steps\":[],"
           "\"graph_known\":false,\"never_began\":true,\"ended_at\":\"x\","
           "\"status\":\"cancelled\",\"end\":{\"error\":{\"message\":"
           "\"the run was cancelled\"}}}",
        "Run r on thread demo waited for its turn, and never began.\n"
        "It is cancelled: the run was cancelled.\n");
}
END_TEST

START_TEST(a_run_of_a_thread_that_was_pruned_says_what_is_gone)
{
    expect("{" AROUND
           "\"status\":\"done\",\"ended_at\":\"x\",\"ended_us\":1500000,"
           "\"pruned\":true,\"steps\":[]}",
        "Run r of graph hello (version 5f0c1e7a) on thread demo began 12 s "
        "ago.\n"
        "Its thread was pruned: what it did is gone, and its record is left.\n"
        "It is done, after 500 ms.\n");
}
END_TEST

START_TEST(a_run_whose_supersteps_were_pruned_says_so)
{
    expect("{" AROUND
           "\"status\":\"done\",\"ended_at\":\"x\",\"ended_us\":1500000,"
           "\"request\":{\"input\":{}},\"steps_pruned\":true,\"steps\":"
           "[{\"step\":3,\"made_us\":1500000,\"tasks\":[]}]}",
        "Run r of graph hello (version 5f0c1e7a) on thread demo began 12 s "
        "ago, with the input {}.\n"
        "Its thread was pruned: its supersteps are gone, and how it ended is "
        "left.\n"
        "It is done, after 500 ms.\n");
    expect("{" AROUND
           "\"status\":\"failed\",\"ended_at\":\"x\",\"ended_us\":1500000,"
           "\"request\":{\"input\":{}},\"steps_pruned\":true,\"end\":"
           "{\"error\":{\"message\":\"no ink\"}},\"steps\":"
           "[{\"step\":3,\"made_us\":1400000,\"tasks\":[{\"name\":\"print\","
           "\"error\":\"no ink\"}]}]}",
        "Run r of graph hello (version 5f0c1e7a) on thread demo began 12 s "
        "ago, with the input {}.\n"
        "Its thread was pruned: its supersteps are gone, but for what "
        "follows.\n"
        "Superstep 4 ran print.\n"
        "    print failed: no ink\n"
        "It is failed, after 500 ms: no ink.\n");
}
END_TEST

START_TEST(a_run_that_nobody_took_up_is_not_lost)
{
    expect("{" AROUND "\"status\":\"waiting\",\"steps\":[]}",
        "Run r of graph hello (version 5f0c1e7a) on thread demo began 12 s "
        "ago, to go on with what was there.\n"
        "It has not been taken up again since the coordinator started: no "
        "worker has announced its graph. It is not lost.\n");
    expect("{" AROUND
           "\"status\":\"queued\",\"before\":2,\"busy_with\":\"run a\"}",
        "Run r of graph hello (version 5f0c1e7a) on thread demo began 12 s "
        "ago, to go on with what was there.\n"
        "It is queued: its thread is busy with run a, and 2 more are before "
        "it.\n");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("explain");
    TCase *tcase = tcase_create("explain");
    tcase_add_test(tcase, a_run_that_is_done_tells_its_supersteps);
    tcase_add_test(
        tcase, a_run_that_is_paused_says_by_whom_and_why_and_what_ends_it);
    tcase_add_test(tcase, a_run_that_waits_says_for_what_and_what_to_do);
    tcase_add_test(tcase, tasks_of_a_fan_out_are_one_line_for_each_reason);
    tcase_add_test(
        tcase, a_run_that_ended_says_how_often_its_tasks_failed_before);
    tcase_add_test(tcase, a_failure_that_did_not_stay_says_what_came_of_it);
    tcase_add_test(tcase, tasks_that_failed_alike_are_one_line);
    tcase_add_test(tcase, a_run_that_asked_says_how_to_answer);
    tcase_add_test(tcase, a_later_input_of_a_thread_ran_no_node);
    tcase_add_test(tcase, a_run_that_asked_twice_says_how_to_answer_both);
    tcase_add_test(
        tcase, a_run_that_stopped_at_a_breakpoint_asks_for_no_answer);
    tcase_add_test(tcase, a_lost_worker_is_told_with_how_its_process_ended);
    tcase_add_test(tcase, a_run_that_failed_says_why_without_moving_the_cursor);
    tcase_add_test(tcase, a_run_that_was_cancelled_before_its_turn_never_began);
    tcase_add_test(tcase, a_run_of_a_thread_that_was_pruned_says_what_is_gone);
    tcase_add_test(tcase, a_run_whose_supersteps_were_pruned_says_so);
    tcase_add_test(tcase, a_run_that_nobody_took_up_is_not_lost);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
