#include "common/base/move.h"

#include <check.h>
#include <signal.h>

#include "tests/suite.h"

enum { DOOR_SHUT, DOOR_OPEN, DOOR_BRICKED };
enum { SHUT = 1 << DOOR_SHUT, OPEN = 1 << DOOR_OPEN };

static const struct ss_move_state states[] = {
    [DOOR_SHUT] = {"shut", SHUT | OPEN},
    [DOOR_OPEN] = {"open", SHUT},
    [DOOR_BRICKED] = {"bricked up", SHUT},
};
static const struct ss_move_table moves = SS_MOVE_TABLE("door", states);

START_TEST(the_ways_of_the_table_are_open)
{
    ss_move(&moves, DOOR_SHUT, DOOR_OPEN);
    ss_move(&moves, DOOR_OPEN, DOOR_SHUT);
    ss_move(&moves, DOOR_SHUT, DOOR_SHUT);
    ss_move(&moves, DOOR_SHUT, DOOR_BRICKED);
}
END_TEST

START_TEST(a_way_that_the_table_lacks_stops_the_process)
{
    ss_move(&moves, DOOR_OPEN, DOOR_BRICKED);
}
END_TEST

START_TEST(nothing_is_left_that_leads_nowhere)
{
    ss_move(&moves, DOOR_BRICKED, DOOR_BRICKED);
}
END_TEST

START_TEST(a_state_outside_the_table_stops_the_process)
{
    ss_move(&moves, DOOR_SHUT, DOOR_BRICKED + 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("move");
    TCase *tcase = tcase_create("move");
    tcase_add_test(tcase, the_ways_of_the_table_are_open);
    tcase_add_test_raise_signal(
        tcase, a_way_that_the_table_lacks_stops_the_process, SIGABRT);
    tcase_add_test_raise_signal(
        tcase, nothing_is_left_that_leads_nowhere, SIGABRT);
    tcase_add_test_raise_signal(
        tcase, a_state_outside_the_table_stops_the_process, SIGABRT);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
