// What the kernel drops for us, with real sockets. The test sets the time.
#include "common/link/filter.h"

#include <arpa/inet.h>
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/suite.h"

enum { PATIENCE_MS = 60000, UNTIL_MS = 1000 };

static struct ss_filter filter;
static int listener, port;

static void listen_at(int family)
{
    struct sockaddr_in6 ipv6 = {.sin6_family = AF_INET6};
    struct sockaddr_in ipv4 = {.sin_family = AF_INET};
    struct sockaddr *at = (struct sockaddr *)&ipv4;
    socklen_t size = sizeof(ipv4);
    int both = 0;
    if (family == AF_INET6) {
        at = (struct sockaddr *)&ipv6;
        size = sizeof(ipv6);
    }
    listener = socket(family, SOCK_STREAM, 0);
    ck_assert_int_ge(listener, 0);
    if (family == AF_INET6)
        ck_assert_int_eq(setsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &both,
                             sizeof(both)),
            0);
    ck_assert_int_eq(bind(listener, at, size), 0);
    ck_assert_int_eq(listen(listener, 16), 0);
    ck_assert_int_eq(getsockname(listener, at, &size), 0);
    port = ntohs(family == AF_INET6 ? ipv6.sin6_port : ipv4.sin_port);
}

static void set_up(void)
{
    memset(&filter, 0, sizeof(filter));
    listener = -1;
}

static void tear_down(void)
{
    close(listener);
}

// A connection from this IPv4 address, under way.
static int come_from(const char *address)
{
    struct sockaddr_in from = {.sin_family = AF_INET};
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
    ck_assert_int_eq(inet_pton(AF_INET, address, &from.sin_addr), 1);
    ck_assert_int_eq(inet_pton(AF_INET, "127.0.0.1", &to.sin_addr), 1);
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&from, sizeof(from)), 0);
    if (connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0)
        ck_assert_int_eq(errno, EINPROGRESS);
    return fd;
}

static int come_from_ipv6(void)
{
    struct sockaddr_in6 to = {
        .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
    int fd = socket(AF_INET6, SOCK_STREAM, 0);
    to.sin6_addr = in6addr_loopback;
    ck_assert_int_eq(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
    if (connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0)
        ck_assert_int_eq(errno, EINPROGRESS);
    return fd;
}

static bool is_connected(int fd, int timeout_ms)
{
    struct pollfd item = {.fd = fd, .events = POLLOUT};
    return poll(&item, 1, timeout_ms) == 1 && (item.revents & POLLERR) == 0;
}

static bool has_ipv6(void)
{
    struct sockaddr_in6 at = {.sin6_family = AF_INET6};
    int fd = socket(AF_INET6, SOCK_STREAM, 0);
    at.sin6_addr = in6addr_loopback;
    bool is_there =
        fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0;
    if (fd >= 0)
        close(fd);
    return is_there;
}

START_TEST(who_is_blocked_comes_when_its_time_is_over_and_others_at_once)
{
    listen_at(AF_INET);
    int before = come_from("127.0.0.2");
    ck_assert(is_connected(before, PATIENCE_MS));
    ck_assert_int_eq(ss_filter_due_ms(&filter), INT64_MAX);
    ck_assert(ss_filter_block(&filter, listener, "127.0.0.2", UNTIL_MS));
    ck_assert_int_eq(ss_filter_due_ms(&filter), UNTIL_MS);
    int blocked = come_from("127.0.0.2"), other = come_from("127.0.0.3");
    ck_assert(is_connected(other, PATIENCE_MS));
    ck_assert(!is_connected(blocked, 0));
    // What was open before is not touched.
    int there = accept(listener, NULL, NULL);
    char byte = 0;
    ck_assert_int_eq(write(before, "x", 1), 1);
    ck_assert_int_eq(read(there, &byte, 1), 1);
    ss_filter_pass(&filter, listener, UNTIL_MS - 1);
    ck_assert(!is_connected(blocked, 0));
    ss_filter_pass(&filter, listener, UNTIL_MS);
    ck_assert_uint_eq(filter.count, 0);
    ck_assert(is_connected(blocked, PATIENCE_MS)); // it asked again
    close(before);
    close(there);
    close(blocked);
    close(other);
}
END_TEST

START_TEST(each_has_a_time_of_its_own_and_more_of_it_makes_it_longer)
{
    listen_at(AF_INET);
    ck_assert(ss_filter_block(&filter, listener, "127.0.0.2", 1000));
    ck_assert(ss_filter_block(&filter, listener, "127.0.0.3", 2000));
    ck_assert(ss_filter_block(&filter, listener, "127.0.0.2", 3000));
    ck_assert_uint_eq(filter.count, 2);
    ck_assert_int_eq(ss_filter_due_ms(&filter), 2000);
    int second = come_from("127.0.0.2"), third = come_from("127.0.0.3");
    ss_filter_pass(&filter, listener, 2000);
    ck_assert(is_connected(third, PATIENCE_MS));
    ck_assert(!is_connected(second, 0));
    close(second);
    close(third);
}
END_TEST

START_TEST(of_ipv6_the_network_counts_and_ipv4_is_told_apart)
{
    if (!has_ipv6())
        return;
    listen_at(AF_INET6); // takes both
    ck_assert(ss_filter_block(&filter, listener, "2001:db8::", UNTIL_MS));
    ck_assert(ss_filter_block(&filter, listener, "127.0.0.2", UNTIL_MS));
    int first = come_from_ipv6();
    ck_assert(is_connected(first, PATIENCE_MS));
    ck_assert(ss_filter_block(&filter, listener, "::", UNTIL_MS));
    int blocked = come_from_ipv6(), other = come_from("127.0.0.3"),
        second = come_from("127.0.0.2");
    ck_assert(is_connected(other, PATIENCE_MS));
    ck_assert(!is_connected(blocked, 0));
    ck_assert(!is_connected(second, 0));
    close(first);
    close(blocked);
    close(other);
    close(second);
}
END_TEST

START_TEST(what_is_no_address_is_not_filtered_and_not_more_than_fit)
{
    char address[20];
    listen_at(AF_INET);
    ck_assert(!ss_filter_block(&filter, listener, "local", UNTIL_MS));
    ck_assert(!ss_filter_block(&filter, -1, "127.0.0.2", UNTIL_MS));
    for (int i = 0; i < SS_FILTER_MAX; i++) {
        snprintf(address, sizeof(address), "192.0.2.%d", i);
        ck_assert(ss_filter_block(&filter, listener, address, UNTIL_MS));
    }
    ck_assert(!ss_filter_block(&filter, listener, "127.0.0.2", UNTIL_MS));
    int fd = come_from("127.0.0.2");
    ck_assert(is_connected(fd, PATIENCE_MS));
    close(fd);
}
END_TEST

START_TEST(a_socket_that_takes_no_program_filters_nothing)
{
    int fds[2];
    listen_at(AF_INET);
    ck_assert_int_eq(pipe(fds), 0);
    ck_assert(!ss_filter_block(&filter, fds[0], "127.0.0.2", UNTIL_MS));
    ck_assert_uint_eq(filter.count, 0);
    ck_assert_int_eq(ss_filter_due_ms(&filter), INT64_MAX);
    close(fds[0]);
    close(fds[1]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("filter");
    TCase *tcase = tcase_create("filter");
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(
        tcase, who_is_blocked_comes_when_its_time_is_over_and_others_at_once);
    tcase_add_test(
        tcase, each_has_a_time_of_its_own_and_more_of_it_makes_it_longer);
    tcase_add_test(tcase, of_ipv6_the_network_counts_and_ipv4_is_told_apart);
    tcase_add_test(
        tcase, what_is_no_address_is_not_filtered_and_not_more_than_fit);
    tcase_add_test(tcase, a_socket_that_takes_no_program_filters_nothing);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
