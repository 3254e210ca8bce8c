// The address of each process of a family.
#include "common/app/ports.h"

#include <check.h>

#include "common/base/mem.h"
#include "tests/suite.h"

static void after(const char *address, unsigned count, const char *expected)
{
    char *got = ss_port_after(address, count);
    if (expected)
        ck_assert_str_eq(got, expected);
    else
        ck_assert_ptr_null(got);
    ss_free(got);
}

START_TEST(each_process_has_the_port_behind_that_of_the_one_before)
{
    after("tcp://127.0.0.1:7433", 0, "tcp://127.0.0.1:7433");
    after("tcp://127.0.0.1:7433", 1, "tcp://127.0.0.1:7434");
    after("tcp://[::1]:7433", 3, "tcp://[::1]:7436");
    after("0.0.0.0:9464", 2, "0.0.0.0:9466");
    after("ipc:///run/superstep", 1, "ipc:///run/superstep.1");
}
END_TEST

START_TEST(any_port_stays_any_port)
{
    after("tcp://127.0.0.1:*", 5, "tcp://127.0.0.1:*");
    after("127.0.0.1:0", 5, "127.0.0.1:0");
    ck_assert(ss_port_is_any("tcp://127.0.0.1:*"));
    ck_assert(ss_port_is_any("127.0.0.1:0"));
    ck_assert(!ss_port_is_any("tcp://127.0.0.1:7433"));
    ck_assert(!ss_port_is_any("ipc:///run/a:0"));
}
END_TEST

START_TEST(an_address_without_so_many_ports_has_none)
{
    after("tcp://127.0.0.1:65535", 1, NULL);
    after("tcp://127.0.0.1:65534", 1, "tcp://127.0.0.1:65535");
    after("tcp://127.0.0.1:99999999999999999999", 1, NULL);
    after("tcp://127.0.0.1:http", 1, NULL);
    after("tcp://127.0.0.1:", 1, NULL);
    after("localhost", 1, NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ports");
    TCase *tcase = tcase_create("ports");
    tcase_add_test(
        tcase, each_process_has_the_port_behind_that_of_the_one_before);
    tcase_add_test(tcase, any_port_stays_any_port);
    tcase_add_test(tcase, an_address_without_so_many_ports_has_none);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
