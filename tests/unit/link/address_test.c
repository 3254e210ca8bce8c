// Where the other side of a connection is, with real sockets.
#include "common/link/address.h"

#include <arpa/inet.h>
#include <check.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/suite.h"

enum { PATIENCE_MS = 60000 };

static char address[SS_RATE_LIMIT_ADDRESS_SIZE];
static int listener, ours, theirs; // both ends of one connection

static void set_up(void)
{
    listener = ours = theirs = -1;
}

static void tear_down(void)
{
    if (listener >= 0)
        close(listener);
    if (ours >= 0)
        close(ours);
    if (theirs >= 0)
        close(theirs);
}

static void connect_to(const struct sockaddr *at, socklen_t size)
{
    theirs = socket(at->sa_family, SOCK_STREAM, 0);
    ck_assert_int_ge(theirs, 0);
    ck_assert_int_eq(connect(theirs, at, size), 0);
    ours = accept(listener, NULL, NULL);
    ck_assert_int_ge(ours, 0);
}

static void connect_ipv4(in_port_t port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = port};
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connect_to((struct sockaddr *)&at, sizeof(at));
}

static in_port_t listen_ipv4(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t size = sizeof(at);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listener = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_ge(listener, 0);
    ck_assert_int_eq(bind(listener, (struct sockaddr *)&at, size), 0);
    ck_assert_int_eq(listen(listener, 1), 0);
    ck_assert_int_eq(getsockname(listener, (struct sockaddr *)&at, &size), 0);
    return at.sin_port;
}

// At IPv6's loopback, or at all addresses of both kinds. False: this machine
// has no such.
static bool listen_ipv6(bool takes_both, in_port_t *ret_port)
{
    struct sockaddr_in6 at = {.sin6_family = AF_INET6};
    socklen_t size = sizeof(at);
    int only = !takes_both;
    at.sin6_addr = takes_both ? in6addr_any : in6addr_loopback;
    listener = socket(AF_INET6, SOCK_STREAM, 0);
    if (listener < 0 ||
        setsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof(only)) ||
        bind(listener, (struct sockaddr *)&at, size) != 0)
        return false;
    ck_assert_int_eq(listen(listener, 1), 0);
    ck_assert_int_eq(getsockname(listener, (struct sockaddr *)&at, &size), 0);
    *ret_port = at.sin6_port;
    return true;
}

// Has the other side's connection ended? It is not waited for.
static bool has_ended(int fd)
{
    char byte;
    return recv(fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK) == 0;
}

START_TEST(what_zeromq_says_has_one_text_for_each_address)
{
    static const struct {
        const char *given, *plain;
    } cases[] = {{"192.0.2.7", "192.0.2.7"}, {"::ffff:192.0.2.7", "192.0.2.7"},
        {"2001:db8::7", "2001:db8::7"}, {"::1", "::1"},
        {"fe80::7%eth0", "fe80::7"}, {"", "local"},
        {":1000:1000:4711", "local"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        ss_address_plain(cases[i].given, address);
        ck_assert_str_eq(address, cases[i].plain);
    }
}
END_TEST

START_TEST(a_connection_is_of_the_other_sides_address)
{
    connect_ipv4(listen_ipv4());
    ck_assert(ss_address_of(ours, address));
    ck_assert_str_eq(address, "127.0.0.1");
}
END_TEST

START_TEST(ipv4_is_itself_where_ipv6_is_taken_too)
{
    in_port_t port;
    if (!listen_ipv6(true, &port))
        return;
    connect_ipv4(port);
    ck_assert(ss_address_of(ours, address));
    ck_assert_str_eq(address, "127.0.0.1");
}
END_TEST

START_TEST(ipv6_is_told_as_it_is)
{
    struct sockaddr_in6 at = {.sin6_family = AF_INET6};
    if (!listen_ipv6(false, &at.sin6_port))
        return;
    at.sin6_addr = in6addr_loopback;
    connect_to((struct sockaddr *)&at, sizeof(at));
    ck_assert(ss_address_of(ours, address));
    ck_assert_str_eq(address, "::1");
}
END_TEST

START_TEST(what_comes_from_no_network_is_local)
{
    int pair[2];
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    ours = pair[0];
    theirs = pair[1];
    ck_assert(ss_address_of(ours, address));
    ck_assert_str_eq(address, "local");
    ss_address_hang_up(ours, "local");
    ck_assert(has_ended(theirs));
}
END_TEST

START_TEST(who_is_not_connected_has_no_address)
{
    listen_ipv4();
    ck_assert(!ss_address_of(listener, address));
    ck_assert(!ss_address_of(-1, address));
    ss_address_hang_up(-1, "127.0.0.1");
}
END_TEST

// Its number may be of another connection by now, which did nothing.
START_TEST(a_connection_ends_only_where_it_leads_to_who_is_meant)
{
    connect_ipv4(listen_ipv4());
    ss_address_hang_up(ours, "127.0.0.2");
    ss_address_hang_up(ours, "local");
    ck_assert(!has_ended(theirs));
    ck_assert_int_eq(write(ours, "x", 1), 1);
    char byte;
    ck_assert_int_eq(read(theirs, &byte, 1), 1);
    ss_address_hang_up(ours, "127.0.0.1");
    struct pollfd item = {.fd = theirs, .events = POLLIN};
    ck_assert_int_eq(poll(&item, 1, PATIENCE_MS), 1);
    ck_assert(has_ended(theirs));
    // The descriptor is still its owner's.
    ck_assert(has_ended(ours));
    ck_assert_int_eq(close(ours), 0);
    ours = -1;
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("address");
    TCase *tcase = tcase_create("address");
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, what_zeromq_says_has_one_text_for_each_address);
    tcase_add_test(tcase, a_connection_is_of_the_other_sides_address);
    tcase_add_test(tcase, ipv4_is_itself_where_ipv6_is_taken_too);
    tcase_add_test(tcase, ipv6_is_told_as_it_is);
    tcase_add_test(tcase, what_comes_from_no_network_is_local);
    tcase_add_test(tcase, who_is_not_connected_has_no_address);
    tcase_add_test(
        tcase, a_connection_ends_only_where_it_leads_to_who_is_meant);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
