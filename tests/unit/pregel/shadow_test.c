// shadow_test.c - the shadow sees what it compares: the machine is changed
// behind its back, and the next comparison ends the process.
#include "common/pregel/shadow.h"

#include <check.h>
#include <signal.h>
#include <stdio.h>

#include "common/model/reserved.h"
#include "common/pregel/pregel_impl.h"
#include "tests/suite.h"
#include "tests/unit/pregel/bench.h"

#define A "~__pregel_pull, a"

static struct ss_machine *machine;

static size_t channel(const char *name)
{
    return ss_graph_channel(machine->graph, name);
}

static void begin(void)
{
    bench_begin(
        js("{'name': 'g', 'kind': 'raw', 'channels': ["
           " {'name': 'sum', 'kind': 'BinaryOperatorAggregate', 'type': 'int',"
           "  'reducer': 'add'},"
           " {'name': 'once', 'kind': 'EphemeralValue'},"
           " {'name': 'last', 'kind': 'LastValue'}],"
           " 'nodes': [{'name': 'a', 'subscribe_only': 'once', 'writes': []}],"
           " 'input': 'once', 'output': 'last', 'stream': ['last', 'sum']}"));
    machine = bench_machine();
    ck_assert_int_eq(
        APPLY({"~", SS_NAME_INPUT, NULL, "[['once', 1], ['sum', 2]]"}), SS_OK);
    bench_plans(true, "a");
}

static void go_on(void)
{
    bench_plans(true, NULL);
    ck_assert_int_eq(
        APPLY({A, "a", "once", "[['sum', 3], ['last', 1]]"}), SS_OK);
    bench_save(false);
    ss_break_moved(machine);
}

START_TEST(two_that_agree_go_on)
{
    begin();
    go_on();
    ss_shadow_end(machine);
    machine->version_max += 7; // nobody compares this any more
    go_on();
}
END_TEST

START_TEST(what_is_not_compared_may_only_shrink)
{
    ck_assert_int_eq(SS_SHADOW_UNTOLD, 14);
    printf("shadow: not compared: texts of errors, namespaces "
           "and fresh reads of tasks, pending writes\n");
}
END_TEST

static void another_value(void)
{
    struct ss_value *value = ss_value_new(json_integer(40));
    ss_channel_set(&machine->channels[channel("sum")], value);
    ss_value_unref(value);
}

static void another_version(void)
{
    machine->version_max++;
}

static void another_input(void)
{
    struct ss_value *value = ss_value_new(json_integer(2));
    ss_channel_set(&machine->channels[channel("once")], value);
    ss_value_unref(value);
}

static void another_trigger(void)
{
    ss_seen_set(machine, "a", "once", 1);
}

static void another_part(void)
{
    bench_save(false);
    index_set_add(&machine->moved, channel("once"));
    bench_save(false);
}

static void another_break(void)
{
    machine->changed_since_break = false;
    machine->changed_since_break_known = true;
    ss_break_moved(machine);
}

static void (*const changes[])(void) = {another_value, another_version,
    another_input, another_trigger, another_part, another_break};

START_TEST(a_difference_ends_the_process)
{
    begin();
    changes[_i]();
    go_on();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("shadow");
    TCase *tcase = tcase_create("shadow");
    tcase_add_checked_fixture(tcase, NULL, bench_end);
    tcase_add_test(tcase, two_that_agree_go_on);
    tcase_add_test(tcase, what_is_not_compared_may_only_shrink);
#ifdef SS_SHADOW
    tcase_add_loop_test_raise_signal(tcase, a_difference_ends_the_process,
        SIGABRT, 0, (int)(sizeof(changes) / sizeof(changes[0])));
#else
    (void)a_difference_ends_the_process;
#endif
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
