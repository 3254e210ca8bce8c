// superstep doctor, of a cluster: what it cannot know, it says.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "tests/suite.h"
#include "tests/unit/client/command.h"

enum { RUNS_LOOKED_AT = 1000 };

static const char served_by_nobody[] =
    "{\"graphs\":[{\"name\":\"digest\",\"workers\":0}]}";
static const char workers[] = "{\"workers\":[{\"name\":\"w1\"}]}";

// So many runs of that graph that still run.
static char *runs_of(const char *graph, size_t count)
{
    struct ss_buf buf;
    ss_buf_init(&buf, 1 << 20);
    for (size_t i = 0; i < count; i++)
        ss_buf_addf(&buf, "%s{\"graph\":\"%s\",\"status\":\"running\"}",
            i ? "," : "{\"runs\":[", graph);
    ss_buf_add_str(&buf, "]}");
    char *text = ss_strdup(ss_buf_str(&buf));
    ss_buf_fini(&buf);
    return text;
}

static void look_at(char *runs)
{
    const struct script lines[] = {{.op = "workers", .final = workers},
        {.op = "graphs", .final = served_by_nobody},
        {.op = "pauses", .final = "{\"pauses\":[]}"},
        {.op = "health", .final = "{\"health\":{\"ok\":true}}"},
        {.op = "runs", .final = runs}, {0}};
    script = lines;
    RUN("doctor");
    script = NULL;
    ss_free(runs);
}

START_TEST(a_list_of_runs_that_was_cut_short_is_called_so)
{
    look_at(runs_of("digest", RUNS_LOOKED_AT - 1));
    ck_assert(says(&out, "digest, and 999 of its runs wait\n"));
    expect_err("");
    look_at(runs_of("digest", RUNS_LOOKED_AT));
    ck_assert(says(&out, "digest, and 1000 of its runs wait, or more\n"));
    look_at(runs_of("other", RUNS_LOOKED_AT - 1));
    expect_err("");
    look_at(runs_of("other", RUNS_LOOKED_AT));
    expect_err("superstep: no worker serves the graph digest; only 1000 runs "
               "were looked at, none of them of that graph and open\n");
}
END_TEST

static void ask_member(const char *health)
{
    const struct script lines[] = {{.op = "workers", .final = workers},
        {.op = "graphs", .final = "{\"graphs\":[]}"},
        {.op = "pauses", .final = "{\"pauses\":[]}"},
        {.op = "health", .final = health},
        {.op = "runs", .final = "{\"runs\":[]}"}, {0}};
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
               "\"\\\"health\\\" is no request.\"}}");
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
    tcase_add_test(tcase, a_list_of_runs_that_was_cut_short_is_called_so);
    tcase_add_test(tcase, a_member_that_does_not_say_how_it_is_is_named);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
