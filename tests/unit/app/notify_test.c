// notify_test.c - what the manager of a service is told, by a socket of ours.
#include "common/app/notify.h"

#include <check.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/suite.h"

static int manager = -1;
static char path[64];

static void listen_as_manager(bool is_abstract)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    snprintf(path, sizeof(path), "%s/ss-notify-test.%ld",
        is_abstract ? "@" : "/tmp", (long)getpid());
    memcpy(at.sun_path, path, strlen(path));
    if (is_abstract)
        at.sun_path[0] = '\0';
    manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    ck_assert_int_eq(
        bind(manager, (const struct sockaddr *)&at,
            (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path))),
        0);
    setenv("NOTIFY_SOCKET", path, 1);
}

static void begin(const char *usec, long pid)
{
    char text[32];
    snprintf(text, sizeof(text), "%ld", pid);
    listen_as_manager(false);
    if (usec)
        setenv("WATCHDOG_USEC", usec, 1);
    setenv("WATCHDOG_PID", text, 1);
    ss_notify_begin();
}

static void teardown(void)
{
    ss_notify_begin(); // no socket: nothing is told any more
    if (manager >= 0)
        close(manager);
    manager = -1;
    unlink(path);
}

// The next datagram; "": there is none.
static const char *heard(void)
{
    static char text[1024];
    ssize_t size = recv(manager, text, sizeof(text) - 1, 0);
    text[size > 0 ? size : 0] = '\0';
    return text;
}

START_TEST(readiness_is_told_once_and_what_is_wrong_when_it_changes)
{
    begin(NULL, (long)getpid());
    ck_assert(ss_notify_turn(1, "it waits") == INT64_MAX);
    ck_assert_str_eq(heard(), "STATUS=it waits");
    ss_notify_turn(2, "it waits");
    ck_assert_str_eq(heard(), "");
    ss_notify_turn(3, NULL);
    ck_assert_str_eq(heard(), "READY=1\nSTATUS=ready");
    ss_notify_turn(4, "its store is away");
    ck_assert_str_eq(heard(), "STATUS=its store is away");
    ss_notify_turn(5, NULL);
    ck_assert_str_eq(heard(), "STATUS=ready");
    ss_notify_stopping();
    ss_notify_stopping();
    ck_assert_str_eq(heard(), "STOPPING=1");
    ss_notify_turn(6, "it leaves");
    ck_assert_str_eq(heard(), "");
}
END_TEST

START_TEST(a_sign_of_life_comes_twice_in_the_time_of_the_watchdog)
{
    begin("500000", (long)getpid());
    ck_assert_int_eq(ss_notify_turn(1000, "it waits"), 1250);
    ck_assert_str_eq(heard(), "STATUS=it waits");
    ck_assert_str_eq(heard(), "WATCHDOG=1");
    ck_assert_int_eq(ss_notify_turn(1249, "it waits"), 1250);
    ck_assert_str_eq(heard(), "");
    ck_assert_int_eq(ss_notify_turn(1300, "it waits"), 1550);
    ck_assert_str_eq(heard(), "WATCHDOG=1");
}
END_TEST

START_TEST(a_watchdog_of_another_process_is_not_ours)
{
    begin("500000", (long)getpid() + 1);
    ck_assert(ss_notify_turn(1000, NULL) == INT64_MAX);
    ck_assert_str_eq(heard(), "READY=1\nSTATUS=ready");
    ck_assert_str_eq(heard(), "");
}
END_TEST

START_TEST(a_manager_that_does_not_read_holds_nobody_up)
{
    begin("500000", (long)getpid());
    char status[] = "0";
    int64_t now_ms = 0, at_ms = 1;
    do { // until its queue is full
        status[0] = status[0] == '0' ? '1' : '0';
        at_ms = ss_notify_turn(now_ms += 250, status);
    } while (at_ms == now_ms + 250 && now_ms < 1000000);
    ck_assert_int_eq(at_ms, now_ms + 100);
    while (*heard())
        continue;
    ck_assert_int_eq(ss_notify_turn(now_ms + 100, NULL), now_ms + 350);
    ck_assert_str_eq(heard(), "READY=1\nSTATUS=ready");
}
END_TEST

START_TEST(children_do_not_speak)
{
    begin("500000", (long)getpid());
    ck_assert_ptr_null(getenv("NOTIFY_SOCKET"));
    ck_assert_ptr_null(getenv("WATCHDOG_USEC"));
    ck_assert_ptr_null(getenv("WATCHDOG_PID"));
    ck_assert(ss_notify_is_on());
    ss_notify_begin();
    ck_assert(!ss_notify_is_on());
    ck_assert(ss_notify_turn(1, NULL) == INT64_MAX);
    ss_notify_stopping();
    ck_assert_str_eq(heard(), "");
}
END_TEST

START_TEST(sockets_have_abstract_names_too)
{
    listen_as_manager(true);
    ss_notify_begin();
    ss_notify_turn(1, NULL);
    ck_assert_str_eq(heard(), "READY=1\nSTATUS=ready");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("notify");
    TCase *tcase = tcase_create("notify");
    tcase_set_timeout(tcase, 10);
    tcase_add_checked_fixture(tcase, NULL, teardown);
    tcase_add_test(
        tcase, readiness_is_told_once_and_what_is_wrong_when_it_changes);
    tcase_add_test(
        tcase, a_sign_of_life_comes_twice_in_the_time_of_the_watchdog);
    tcase_add_test(tcase, a_watchdog_of_another_process_is_not_ours);
    tcase_add_test(tcase, a_manager_that_does_not_read_holds_nobody_up);
    tcase_add_test(tcase, children_do_not_speak);
    tcase_add_test(tcase, sockets_have_abstract_names_too);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
