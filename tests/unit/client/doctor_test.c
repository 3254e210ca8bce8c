// superstep doctor, of a cluster: what it cannot know, it says.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/app/clock.h"
#include "common/base/mem.h"
#include "tests/suite.h"
#include "tests/unit/client/command.h"

static const char well[] = "{\"health\":{\"ok\":true}}";

static void look_at(const char *workers, const char *tasks)
{
    const struct script lines[] = {{.op = "workers", .final = workers},
        {.op = "pauses", .final = "{\"pauses\":[]}"},
        {.op = "health", .final = well}, {.op = "tasks", .final = tasks}, {0}};
    script = lines;
    RUN("doctor");
    script = NULL;
}

#define WORKER "{\"worker\":\"w1\",\"graphs\":[\"digest@5f0c1e7a99\"]}"
#define WAIT(node, why, more)                                                  \
    "{\"graph\":\"digest\",\"version\":\"5f0c1e7a99\",\"node\":\"" node        \
    "\",\"why\":\"" why "\"," more "}"

START_TEST(what_waits_for_a_worker_of_its_version_is_one_finding)
{
    look_at("{\"workers\":[" WORKER "]}",
        "{\"waits\":[" WAIT("a", "no_worker", "\"count\":2") "," WAIT(
            "b", "no_worker", "\"count\":41") "]}");
    ck_assert(says(&out, "not-served: no worker serves version 5f0c1e7a of the "
                         "graph digest: 43 tasks wait\n"));
    ck_assert(!says(&out, "41 tasks wait"));
    expect_err("");
}
END_TEST

START_TEST(what_waits_for_a_label_or_fails_again_and_again_is_named)
{
    look_at("{\"workers\":[" WORKER "]}",
        "{\"waits\":[" WAIT(
            "a", "no_label", "\"count\":1,\"labels\":\"gpu\"") "," WAIT("b",
            "backoff", "\"count\":1,\"failures\":2") "," WAIT("c", "backoff",
            "\"count\":7,\"failures\":3,\"error\":\"busy\"") "]}");
    ck_assert(
        says(&out, "no-label: 1 task of node a of the graph digest: waits: "
                   "no worker offers gpu\n"));
    ck_assert(says(&out, "retrying: 7 tasks of node c of the graph digest: "
                         "failed 3 times at most, last: busy; next try in "));
    ck_assert(!says(&out, "node b"));
}
END_TEST

START_TEST(tasks_that_wait_for_room_are_counted_and_nothing_is_wrong)
{
    look_at("{\"workers\":[" WORKER "]}",
        "{\"waits\":[" WAIT("a", "workers_busy", "\"count\":2431") "]}");
    expect_out("Nothing is wrong.\n2431 tasks wait for room on a worker: "
               "superstep top shows which.\n");
}
END_TEST

START_TEST(workers_that_end_again_and_again_are_named)
{
    look_at("{\"workers\":[" WORKER "],\"crashes\":[{\"worker\":\"w1\"}]}",
        "{\"waits\":[]}");
    expect_out("Nothing is wrong.\n"); // once is not a loop
    look_at("{\"workers\":[" WORKER
            "],\"crashes\":[{\"worker\":\"w1\"},{\"worker\":\"w2\",\"how\":"
            "\"signal 11\",\"ago_ms\":2000}]}",
        "{\"waits\":[]}");
    ck_assert(says(&out, "crashing: 2 processes of workers ended within ten "
                         "minutes; the last, of w2, signal 11, 2 s ago\n"));
}
END_TEST

START_TEST(a_worker_whose_threads_late_bodies_keep_is_named)
{
    look_at("{\"workers\":[" WORKER ",{\"worker\":\"w2\",\"graphs\":[],"
            "\"capacity\":4,\"drains\":true,\"stuck\":true},"
            "{\"worker\":\"w3\",\"graphs\":[],\"drains\":true}]}",
        "{\"waits\":[]}");
    ck_assert(says(&out, "worker-stuck: the worker w2 takes no tasks: bodies "
                         "that did not end in time, and go on, have its 4 "
                         "threads\n    Start this worker again"));
    ck_assert(!says(&out, "w1") && !says(&out, "w3")); // one drains to end
}
END_TEST

START_TEST(a_graph_that_is_served_in_two_versions_is_named_once)
{
    look_at("{\"workers\":[" WORKER
            ",{\"graphs\":[\"digest@9a1b\"]},{\"graphs\":"
            "[\"digest@77\",\"other@1\"]},{\"graphs\":[\"other@1\"]}]}",
        "{\"waits\":[]}");
    ck_assert(
        says(&out, "two-versions: workers serve the graph digest in version "
                   "5f0c1e7a and in version 9a1b\n"));
    ck_assert(!says(&out, "77") && !says(&out, "other"));
}
END_TEST

START_TEST(a_coordinator_that_does_not_say_what_waits_is_called_so)
{
    look_at("{\"workers\":[" WORKER "]}", "{\"tasks\":[]}");
    expect_out("Nothing is wrong.\n");
    expect_err("superstep: a coordinator of an older version does not say what "
               "waits\n");
}
END_TEST

static void ask_member(const char *health)
{
    const struct script lines[] = {
        {.op = "workers", .final = "{\"workers\":[" WORKER "]}"},
        {.op = "pauses", .final = "{\"pauses\":[]}"},
        {.op = "health", .final = health},
        {.op = "tasks", .final = "{\"waits\":[]}"}, {0}};
    const char *endpoint = ss_link_endpoint(server);
    char *other = ss_format("tcp://localhost%s", strrchr(endpoint, ':'));
    members[0] = endpoint;
    members[1] = other;
    script = lines;
    RUN("doctor");
    script = NULL;
    memset(members, 0, sizeof(members));
    ss_free(other);
}

START_TEST(a_member_that_does_not_say_how_it_is_is_named)
{
    ask_member("{\"error\":{\"code\":\"denied\",\"message\":\"not for you\"}}");
    ck_assert(says(&out, "coordinator-unreached: the coordinator "
                         "tcp://localhost:"));
    ck_assert(says(&out, " does not say how it is: not for you\n"));
    // of an older version
    ask_member("{\"error\":{\"code\":\"invalid_argument\",\"message\":"
               "\"\\\"health\\\" is not a request.\"}}");
    expect_out("Nothing is wrong.\n");
}
END_TEST

// Runs of tonight were not in --since 1h, and nothing was wrong.
START_TEST(a_coordinator_whose_clock_is_elsewhere_is_named)
{
    char health[96];
    snprintf(health, sizeof(health), "{\"health\":{\"now_us\":%" PRId64 "}}",
        ss_clock_wall_us() + 3630500000);
    ask_member(health);
    ck_assert(says(&out, "clock: tcp://localhost:"));
    ck_assert(says(&out, ": the clock of the coordinator is 1 h 0 min ahead of "
                         "that of this machine\n"));
    snprintf(health, sizeof(health), "{\"health\":{\"now_us\":%" PRId64 "}}",
        ss_clock_wall_us() - 30500000);
    ask_member(health);
    ck_assert(says(&out, " behind that of this machine\n"));
    snprintf(health, sizeof(health), "{\"health\":{\"now_us\":%" PRId64 "}}",
        ss_clock_wall_us());
    ask_member(health);
    expect_out("Nothing is wrong.\n");
}
END_TEST

int main(void)
{
    if (access(PROGRAM, X_OK) != 0)
        return 77; // built apart from the programs
    Suite *suite = suite_create("doctor");
    TCase *tcase = tcase_create("doctor");
    tcase_set_timeout(tcase, 600);
    tcase_add_checked_fixture(tcase, command_setup, command_teardown);
    tcase_add_checked_fixture(tcase, command_serve, NULL);
    tcase_add_test(
        tcase, what_waits_for_a_worker_of_its_version_is_one_finding);
    tcase_add_test(
        tcase, what_waits_for_a_label_or_fails_again_and_again_is_named);
    tcase_add_test(
        tcase, tasks_that_wait_for_room_are_counted_and_nothing_is_wrong);
    tcase_add_test(tcase, workers_that_end_again_and_again_are_named);
    tcase_add_test(tcase, a_worker_whose_threads_late_bodies_keep_is_named);
    tcase_add_test(tcase, a_graph_that_is_served_in_two_versions_is_named_once);
    tcase_add_test(
        tcase, a_coordinator_that_does_not_say_what_waits_is_called_so);
    tcase_add_test(tcase, a_member_that_does_not_say_how_it_is_is_named);
    tcase_add_test(tcase, a_coordinator_whose_clock_is_elsewhere_is_named);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
