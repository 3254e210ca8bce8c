#include "common/link/link.h"

#include <arpa/inet.h>
#include <check.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zmq.h>

#include "common/base/mem.h"
#include "common/link/limits.h"
#include "tests/support/link_wait.h"

enum { PATIENCE_MS = 20000 };

static char ipc_endpoint[64];
static const char *const kinds[] = {
    "tcp://127.0.0.1:*", "loop:test", ipc_endpoint};

static struct ss_link *open_or_fail(const char *endpoint, bool server)
{
    struct ss_link_options options = {.endpoint = endpoint, .server = server};
    struct ss_link *link = NULL;
    struct ss_error error = {0};
    int status = ss_link_open(&options, &link, &error);
    ck_assert_msg(status == SS_OK, "%s", error.message);
    return link;
}

static void send_text(struct ss_link *link, const char *peer, const char *text)
{
    struct ss_error error = {0};
    int status = ss_link_send(link, peer, text, strlen(text), &error);
    ck_assert_msg(status == SS_OK, "%s", error.message);
}

// Wait for a message. Gives its text.
static char *receive(struct ss_link *link, char ret_peer[SS_PEER_SIZE])
{
    void *bytes;
    size_t size;
    struct ss_error error = {0};
    for (;;) {
        int status = ss_link_recv(link, ret_peer, &bytes, &size, &error);
        if (status == SS_OK)
            return bytes;
        ck_assert_int_eq(status, SS_EAGAIN);
        ck_assert_int_eq(link_wait(link, -1, PATIENCE_MS), 1);
    }
}

static void expect(
    struct ss_link *link, char ret_peer[SS_PEER_SIZE], const char *text)
{
    char *got = receive(link, ret_peer);
    ck_assert_str_eq(got, text);
    ss_free(got);
}

START_TEST(a_message_goes_there_and_an_answer_back)
{
    struct ss_link *server = open_or_fail(kinds[_i], true);
    struct ss_link *client = open_or_fail(ss_link_endpoint(server), false);
    char peer[SS_PEER_SIZE], again[SS_PEER_SIZE];
    send_text(client, NULL, "one");
    send_text(client, NULL, "two");
    expect(server, peer, "one");
    expect(server, again, "two");
    ck_assert_str_eq(peer, again);
    ck_assert_uint_gt(strlen(peer), 0);
    send_text(server, peer, "answer");
    expect(client, again, "answer");
    ss_link_close(&client);
    ss_link_close(&server);
    ck_assert_ptr_null(server);
    ss_link_close(&server);
}
END_TEST

START_TEST(two_clients_have_two_names)
{
    struct ss_link *server = open_or_fail(kinds[_i], true);
    struct ss_link *a = open_or_fail(ss_link_endpoint(server), false);
    struct ss_link *b = open_or_fail(ss_link_endpoint(server), false);
    char peer_a[SS_PEER_SIZE], peer_b[SS_PEER_SIZE], none[SS_PEER_SIZE];
    send_text(a, NULL, "a");
    expect(server, peer_a, "a");
    send_text(b, NULL, "b");
    expect(server, peer_b, "b");
    ck_assert_str_ne(peer_a, peer_b);
    send_text(server, peer_b, "for b");
    send_text(server, peer_a, "for a");
    expect(a, none, "for a");
    expect(b, none, "for b");
    ss_link_close(&a);
    ss_link_close(&b);
    ss_link_close(&server);
}
END_TEST

START_TEST(sending_to_nobody_says_so)
{
    struct ss_link *server = open_or_fail(kinds[_i], true);
    struct ss_error error = {0};
    ck_assert_int_eq(
        ss_link_send(server, "0badc0de", "x", 1, &error), SS_ECLOSED);
    ck_assert_str_eq(error.message, "0badc0de is not connected");
    ck_assert_int_eq(
        ss_link_send(server, "no name of ours", "x", 1, NULL), SS_ECLOSED);
    ck_assert_int_eq(ss_link_send(server, "", "x", 1, NULL), SS_ECLOSED);
    ss_link_close(&server);
}
END_TEST

START_TEST(a_peer_that_left_is_not_connected)
{
    struct ss_link *server = open_or_fail(kinds[_i], true);
    struct ss_link *client = open_or_fail(ss_link_endpoint(server), false);
    char peer[SS_PEER_SIZE];
    send_text(client, NULL, "bye");
    expect(server, peer, "bye");
    ss_link_close(&client);
    // How soon the loss is known is the network's business: until then a
    // message may leave, and is lost.
    int status;
    do {
        link_wait(server, -1, 1);
        status = ss_link_send(server, peer, "x", 1, NULL);
    } while (status == SS_OK);
    ck_assert_int_eq(status, SS_ECLOSED);
    ss_link_close(&server);
}
END_TEST

START_TEST(a_message_over_the_limit_is_refused)
{
    struct ss_link_options options = {
        .endpoint = kinds[_i], .server = true, .message_size_max = 100};
    struct ss_link *server = NULL;
    ck_assert_int_eq(ss_link_open(&options, &server, NULL), SS_OK);
    options = (struct ss_link_options){
        .endpoint = ss_link_endpoint(server), .message_size_max = 100};
    struct ss_link *client = NULL;
    ck_assert_int_eq(ss_link_open(&options, &client, NULL), SS_OK);
    char bytes[101] = "";
    struct ss_error error = {0};
    ck_assert_int_eq(ss_link_send(client, NULL, bytes, 101, &error), SS_ELIMIT);
    ck_assert_str_eq(
        error.message, "a message of 101 bytes; the limit of this link is 100");
    ck_assert_int_eq(ss_link_send(client, NULL, bytes, 100, NULL), SS_OK);
    char peer[SS_PEER_SIZE];
    ss_free(receive(server, peer));
    ss_link_close(&client);
    ss_link_close(&server);
}
END_TEST

START_TEST(bytes_may_be_anything_and_empty)
{
    struct ss_link *server = open_or_fail(kinds[_i], true);
    struct ss_link *client = open_or_fail(ss_link_endpoint(server), false);
    char peer[SS_PEER_SIZE];
    void *bytes = NULL;
    size_t size = 7;
    ck_assert_int_eq(ss_link_send(client, NULL, "a\0b", 3, NULL), SS_OK);
    ck_assert_int_eq(ss_link_send(client, NULL, "", 0, NULL), SS_OK);
    char *got = receive(server, peer);
    ck_assert_mem_eq(got, "a\0b", 3);
    ss_free(got);
    while (ss_link_recv(server, peer, &bytes, &size, NULL) != SS_OK)
        link_wait(server, -1, PATIENCE_MS);
    ck_assert_uint_eq(size, 0);
    ss_free(bytes);
    ck_assert_int_eq(
        ss_link_recv(server, peer, &bytes, &size, NULL), SS_EAGAIN);
    ss_link_close(&client);
    ss_link_close(&server);
}
END_TEST

START_TEST(waiting_ends_for_another_descriptor_too)
{
    struct ss_link *server = open_or_fail(kinds[_i], true);
    struct ss_link *client = open_or_fail(ss_link_endpoint(server), false);
    int fds[2];
    ck_assert_int_eq(pipe(fds), 0);
    ck_assert_int_eq(link_wait(server, fds[0], 0), 0);
    ck_assert_int_eq(write(fds[1], "x", 1), 1);
    ck_assert_int_eq(link_wait(server, fds[0], PATIENCE_MS), 2);
    send_text(client, NULL, "both");
    int ready;
    while ((ready = link_wait(server, fds[0], PATIENCE_MS)) != 3)
        ck_assert_int_eq(ready, 2);
    ck_assert_int_ge(ss_link_fd(server), 0);
    close(fds[0]);
    close(fds[1]);
    ss_link_close(&client);
    ss_link_close(&server);
}
END_TEST

// libzmq looks at what has come where something is sent, if it has not looked
// for a millisecond: the descriptor says nothing of that any more.
START_TEST(what_came_before_something_was_sent_ends_a_wait)
{
    struct ss_link *server = open_or_fail(kinds[_i], true);
    struct ss_link *client = open_or_fail(ss_link_endpoint(server), false);
    char peer[SS_PEER_SIZE], none[SS_PEER_SIZE];
    send_text(client, NULL, "hello");
    expect(server, peer, "hello");
    for (int i = 0; i < 10; i++) {
        struct pollfd come = {.fd = ss_link_fd(client), .events = POLLIN};
        struct pollfd nothing = {.fd = -1};
        ck_assert_int_eq(link_wait(client, -1, 0), 0);
        send_text(server, peer, "come");
        ck_assert_int_eq(poll(&come, 1, PATIENCE_MS), 1);
        (void)poll(&nothing, 1, 3);
        send_text(client, NULL, "gone");
        ck_assert_int_eq(link_wait(client, -1, PATIENCE_MS), 1);
        expect(client, none, "come");
        expect(server, peer, "gone");
    }
    ss_link_close(&client);
    ss_link_close(&server);
}
END_TEST

START_TEST(a_place_that_is_taken_is_busy)
{
    struct ss_link *server = open_or_fail(kinds[_i], true);
    struct ss_link_options options = {
        .endpoint = ss_link_endpoint(server), .server = true};
    struct ss_link *second = NULL;
    struct ss_error error = {0};
    ck_assert_int_eq(ss_link_open(&options, &second, &error), SS_EBUSY);
    ck_assert_ptr_null(second);
    ck_assert_ptr_nonnull(strstr(error.message, "is in use"));
    ck_assert_ptr_nonnull(strstr(error.message, options.endpoint));
    ss_link_close(&server);
}
END_TEST

START_TEST(what_is_no_endpoint_is_refused)
{
    static const char *const wrong[] = {NULL, "", "loop:", "http://x",
        "tcp://127.0.0.1", "tcp://127.0.0.1:notaport", "udp://127.0.0.1:1",
        "tcp://127.0.0.1:70000", "tcp://127.0.0.1:-1",
        "tcp://127.0.0.1:", "tcp://127.0.0.1:74330000000000000000"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        struct ss_link_options options = {.endpoint = wrong[i], .server = true};
        struct ss_link *link = NULL;
        struct ss_error error = {0};
        ck_assert_int_eq(ss_link_open(&options, &link, &error), SS_EINVAL);
        ck_assert_uint_gt(strlen(error.message), 0);
    }
}
END_TEST

START_TEST(a_full_queue_is_told_and_nothing_is_dropped)
{
    struct ss_link *server = open_or_fail("loop:full", true);
    struct ss_link *client = open_or_fail("loop:full", false);
    char peer[SS_PEER_SIZE];
    for (int i = 0; i < SS_LINK_QUEUE_MAX; i++)
        send_text(client, NULL, "x");
    struct ss_error error = {0};
    ck_assert_int_eq(ss_link_send(client, NULL, "x", 1, &error), SS_EAGAIN);
    ck_assert_ptr_nonnull(strstr(error.message, "is full"));
    for (int i = 0; i < SS_LINK_QUEUE_MAX; i++)
        expect(server, peer, "x");
    send_text(client, NULL, "last");
    expect(server, peer, "last");
    ss_link_close(&client);
    ss_link_close(&server);
}
END_TEST

START_TEST(a_router_with_a_full_queue_says_so)
{
    struct ss_link *server = open_or_fail("tcp://127.0.0.1:*", true);
    struct ss_link *client = open_or_fail(ss_link_endpoint(server), false);
    char peer[SS_PEER_SIZE];
    send_text(client, NULL, "hello");
    expect(server, peer, "hello");
    // The client does not read: queues and buffers on both sides fill up, long
    // before all that is held for it weighs too much (SS_LINK_UNREAD_MB).
    static char bytes[1024];
    int status;
    int sent = 0;
    while ((status = ss_link_send(server, peer, bytes, sizeof(bytes), NULL)) ==
           SS_OK)
        ck_assert_int_lt(++sent, 100 * SS_LINK_QUEUE_MAX);
    ck_assert_int_eq(status, SS_EAGAIN);
    ss_link_close(&client);
    ss_link_close(&server);
}
END_TEST

START_TEST(a_client_may_come_before_its_server)
{
    struct ss_link *server = open_or_fail("tcp://127.0.0.1:*", true);
    char endpoint[100];
    snprintf(endpoint, sizeof(endpoint), "%s", ss_link_endpoint(server));
    ss_link_close(&server);
    struct ss_link *client = open_or_fail(endpoint, false);
    send_text(client, NULL, "early");
    server = open_or_fail(endpoint, true);
    char peer[SS_PEER_SIZE];
    expect(server, peer, "early");
    ss_link_close(&client);
    ss_link_close(&server);
}
END_TEST

START_TEST(a_client_keeps_its_name_when_the_server_comes_back)
{
    struct ss_link *server = open_or_fail("tcp://127.0.0.1:*", true);
    char endpoint[100];
    snprintf(endpoint, sizeof(endpoint), "%s", ss_link_endpoint(server));
    struct ss_link *client = open_or_fail(endpoint, false);
    char before[SS_PEER_SIZE], after[SS_PEER_SIZE];
    send_text(client, NULL, "one");
    expect(server, before, "one");
    ss_link_close(&server);
    server = open_or_fail(endpoint, true);
    // What was sent while the loss was not known yet may be lost.
    void *bytes;
    size_t size;
    do {
        send_text(client, NULL, "two");
        link_wait(server, -1, 50);
    } while (ss_link_recv(server, after, &bytes, &size, NULL) != SS_OK);
    ss_free(bytes);
    ck_assert_str_eq(before, after);
    ss_link_close(&client);
    ss_link_close(&server);
}
END_TEST

// A raw ZeroMQ peer that does not keep to our rules.
static void send_frames(const char *endpoint, const char *identity,
    size_t identity_size, int frames)
{
    void *context = zmq_ctx_new();
    void *socket = zmq_socket(context, ZMQ_DEALER);
    zmq_setsockopt(socket, ZMQ_ROUTING_ID, identity, identity_size);
    ck_assert_int_eq(zmq_connect(socket, endpoint), 0);
    for (int i = 0; i < frames; i++)
        ck_assert_int_eq(
            zmq_send(socket, "f", 1, i + 1 < frames ? ZMQ_SNDMORE : 0), 1);
    zmq_close(socket);
    zmq_ctx_term(context);
}

static int next_status(
    struct ss_link *link, char ret_peer[SS_PEER_SIZE], struct ss_error *error)
{
    void *bytes = NULL;
    size_t size;
    int status;
    while ((status = ss_link_recv(link, ret_peer, &bytes, &size, error)) ==
           SS_EAGAIN)
        link_wait(link, -1, PATIENCE_MS);
    ss_free(bytes);
    return status;
}

START_TEST(several_frames_are_malformed_and_the_sender_is_named)
{
    struct ss_link *server = open_or_fail("tcp://127.0.0.1:*", true);
    char peer[SS_PEER_SIZE];
    struct ss_error error = {0};
    send_frames(ss_link_endpoint(server), "abc", 3, 3);
    ck_assert_int_eq(next_status(server, peer, &error), SS_EFORMAT);
    ck_assert_str_eq(
        error.message, "a message of 3 frames; a message is one frame");
    ck_assert_str_eq(peer, "616263");
    send_frames(ss_link_endpoint(server), "abd", 3, 1);
    ck_assert_int_eq(next_status(server, peer, &error), SS_OK);
    ck_assert_str_eq(peer, "616264");
    ss_link_close(&server);
}
END_TEST

START_TEST(an_identity_that_is_too_long_is_malformed)
{
    struct ss_link *server = open_or_fail("tcp://127.0.0.1:*", true);
    char peer[SS_PEER_SIZE], identity[SS_LINK_IDENTITY_SIZE_MAX + 1];
    memset(identity, 'i', sizeof(identity));
    struct ss_error error = {0};
    send_frames(ss_link_endpoint(server), identity, sizeof(identity), 2);
    ck_assert_int_eq(next_status(server, peer, &error), SS_EFORMAT);
    ck_assert_str_eq(peer, "");
    send_frames(ss_link_endpoint(server), identity, sizeof(identity) - 1, 1);
    ck_assert_int_eq(next_status(server, peer, &error), SS_OK);
    ck_assert_uint_eq(strlen(peer), SS_PEER_SIZE - 2);
    ss_link_close(&server);
}
END_TEST

// A connection of somebody who has not said anything.
static int knock(const struct ss_link *server)
{
    const char *endpoint = ss_link_endpoint(server);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET};
    address.sin_port =
        htons((uint16_t)strtoul(strrchr(endpoint, ':') + 1, NULL, 10));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ck_assert_int_eq(
        connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    return fd;
}

START_TEST(a_stranger_who_speaks_no_zeromq_harms_nobody)
{
    struct ss_link *server = open_or_fail("tcp://127.0.0.1:*", true);
    const char *endpoint = ss_link_endpoint(server);
    int fd = knock(server);
    static const char garbage[] = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    ck_assert_int_eq(write(fd, garbage, sizeof(garbage)), sizeof(garbage));
    struct ss_link *client = open_or_fail(endpoint, false);
    char peer[SS_PEER_SIZE];
    send_text(client, NULL, "still there");
    expect(server, peer, "still there");
    close(fd);
    ss_link_close(&client);
    ss_link_close(&server);
}
END_TEST

// More than one turn of the door takes, which came while nobody waited: their
// descriptor tells nothing more of them.
START_TEST(a_crowd_before_the_first_wait_is_let_in_as_a_whole)
{
    enum { CROWD = SS_LINK_DOOR_TURN_MAX + 40, AWAY_MS = 500, EACH_MS = 10 };
    struct ss_link *server = open_or_fail("tcp://127.0.0.1:*", true);
    struct ss_link_counts counts = {0};
    int fds[CROWD];
    for (size_t i = 0; i < CROWD; i++)
        fds[i] = knock(server);
    (void)poll(NULL, 0, AWAY_MS);
    // Until the first of them is hung up on, as it says nothing.
    for (int ms = 0; ms < SS_LINK_HANDSHAKE_MS / 2 && counts.accepted < CROWD;
         ms += EACH_MS) {
        link_wait(server, -1, EACH_MS);
        ss_link_counts(server, &counts);
    }
    ck_assert_uint_eq(counts.accepted, CROWD);
    for (size_t i = 0; i < CROWD; i++)
        close(fds[i]);
    ss_link_close(&server);
}
END_TEST

// --- threads

enum { THREADS = 4, EACH = 2000 };

static void *talk(void *endpoint)
{
    struct ss_link *client = open_or_fail(endpoint, false);
    char peer[SS_PEER_SIZE], text[32];
    for (int i = 0; i < EACH; i++) {
        snprintf(text, sizeof(text), "%d", i);
        send_text(client, NULL, text);
        expect(client, peer, text);
    }
    ss_link_close(&client);
    return NULL;
}

START_TEST(clients_in_threads_each_get_their_own_answers)
{
    struct ss_link *server = open_or_fail(kinds[_i], true);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(
            &threads[i], NULL, talk, (void *)ss_link_endpoint(server));
    char peer[SS_PEER_SIZE];
    for (int i = 0; i < THREADS * EACH; i++) {
        char *text = receive(server, peer);
        send_text(server, peer, text);
        ss_free(text);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    ss_link_close(&server);
}
END_TEST

// A worker that waits for a coordinator which is away learns when it is there.
START_TEST(a_client_is_told_of_each_connection_that_it_makes)
{
    enum { TURNS = 100 };
    char peer[SS_PEER_SIZE], *endpoint;
    struct ss_link *server = open_or_fail(kinds[_i], true);
    bool is_loop = strncmp(kinds[_i], "loop:", 5) == 0;
    endpoint = ss_strdup(ss_link_endpoint(server));
    struct ss_link *client = open_or_fail(endpoint, false);
    send_text(client, NULL, "hello");
    expect(server, peer, "hello");
    ck_assert(is_loop == (ss_link_news_fd(client) == -1));
    ck_assert(ss_link_news_fd(server) == -1 && !ss_link_is_new(server));
    for (int i = 0; i < 2 && !is_loop; i++) {
        bool is_told = false; // other things end a wait, too
        for (int turn = 0; turn < TURNS && !is_told; turn++)
            is_told = ss_link_wait_each(&client, 1, NULL, 0, PATIENCE_MS);
        ck_assert(is_told && ss_link_is_new(client));
        ck_assert(!ss_link_is_new(client)); // it was told
        ss_link_close(&server);
        server = open_or_fail(endpoint, true);
    }
    ss_link_close(&client);
    ss_link_close(&server);
    ss_free(endpoint);
}
END_TEST

// Read all of two links by turns, as a worker does; gives how many came.
static int read_both(struct ss_link *const links[2], const int *fds)
{
    int count = 0;
    (void)ss_link_wait_each(links, 2, fds, 1, PATIENCE_MS);
    for (int i = 0; i < 2; i++) {
        char peer[SS_PEER_SIZE];
        void *bytes;
        size_t size;
        struct ss_error error = {0};
        if (ss_link_recv(links[i], peer, &bytes, &size, &error) != SS_OK)
            continue;
        ss_free(bytes);
        count++;
    }
    return count;
}

START_TEST(several_links_are_waited_for_together)
{
    struct ss_link *servers[2], *clients[2];
    char peers[2][SS_PEER_SIZE];
    const int none = -1;
    for (int i = 0; i < 2; i++) {
        servers[i] = open_or_fail(i ? "loop:other" : kinds[_i], true);
        clients[i] = open_or_fail(ss_link_endpoint(servers[i]), false);
        send_text(clients[i], NULL, "hello");
        expect(servers[i], peers[i], "hello");
    }
    // More than one turn reads: what was not read wakes the next one.
    for (int i = 0; i < 20; i++)
        send_text(servers[i % 2], peers[i % 2], "x");
    for (int got = 0; got < 20;)
        got += read_both(clients, &none);
    int fds[2];
    ck_assert_int_eq(pipe(fds), 0);
    ck_assert_int_eq((int)write(fds[1], "", 1), 1);
    ck_assert_int_eq(read_both(clients, fds), 0);
    close(fds[0]);
    close(fds[1]);
    for (int i = 0; i < 2; i++) {
        ss_link_close(&clients[i]);
        ss_link_close(&servers[i]);
    }
}
END_TEST

int main(void)
{
    snprintf(ipc_endpoint, sizeof(ipc_endpoint), "ipc:///tmp/ss-link-test-%ld",
        (long)getpid());
    Suite *suite = suite_create("link");
    TCase *tcase = tcase_create("link");
    tcase_set_timeout(tcase, 600);
    tcase_add_loop_test(tcase, a_message_goes_there_and_an_answer_back, 0, 3);
    tcase_add_loop_test(tcase, two_clients_have_two_names, 0, 3);
    tcase_add_loop_test(tcase, several_links_are_waited_for_together, 0, 3);
    tcase_add_loop_test(
        tcase, a_client_is_told_of_each_connection_that_it_makes, 0, 3);
    tcase_add_loop_test(tcase, sending_to_nobody_says_so, 0, 3);
    tcase_add_loop_test(tcase, a_peer_that_left_is_not_connected, 0, 3);
    tcase_add_loop_test(tcase, a_message_over_the_limit_is_refused, 0, 3);
    tcase_add_loop_test(tcase, bytes_may_be_anything_and_empty, 0, 3);
    tcase_add_loop_test(tcase, waiting_ends_for_another_descriptor_too, 0, 3);
    tcase_add_test(tcase, what_came_before_something_was_sent_ends_a_wait);
    tcase_add_loop_test(tcase, a_place_that_is_taken_is_busy, 0, 2);
    tcase_add_test(tcase, what_is_no_endpoint_is_refused);
    tcase_add_test(tcase, a_full_queue_is_told_and_nothing_is_dropped);
    tcase_add_test(tcase, a_router_with_a_full_queue_says_so);
    tcase_add_test(tcase, a_client_may_come_before_its_server);
    tcase_add_test(tcase, a_client_keeps_its_name_when_the_server_comes_back);
    tcase_add_test(tcase, several_frames_are_malformed_and_the_sender_is_named);
    tcase_add_test(tcase, an_identity_that_is_too_long_is_malformed);
    tcase_add_test(tcase, a_stranger_who_speaks_no_zeromq_harms_nobody);
    tcase_add_test(tcase, a_crowd_before_the_first_wait_is_let_in_as_a_whole);
    tcase_add_loop_test(
        tcase, clients_in_threads_each_get_their_own_answers, 0, 3);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    unlink(ipc_endpoint + strlen("ipc://"));
    return failed != 0;
}
