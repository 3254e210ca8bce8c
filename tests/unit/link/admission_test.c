// Which peers a server lets in, and what hostile peers get there.
#include "common/link/admission.h"

#include <check.h>
#include <string.h>
#include <zmq.h>

#include "common/base/mem.h"
#include "common/link/limits.h"
#include "common/link/link.h"
#include "tests/suite.h"
#include "tests/support/link_wait.h"
#include "tests/unit/link/keyring.h"

enum { TURNS_MAX = 4000, TURN_MS = 10 };

static struct ss_error error;
static struct ss_link *server;

static void tear_down(void)
{
    ss_link_close(&server);
    keyring_end();
}

static struct ss_link *open_as(const char *key)
{
    struct ss_link *link = NULL;
    struct ss_link_options options = {.endpoint = ss_link_endpoint(server),
        .keys = *key ? path_of(key) : NULL,
        .roles = SS_ROLE_WORKER};
    int status = ss_link_open(&options, &link, &error);
    ck_assert_msg(status == SS_OK, "%s", error.message);
    return link;
}

static struct ss_link *connect_as(const char *key)
{
    struct ss_link *link = open_as(key);
    ck_assert_int_eq(ss_link_send(link, NULL, "hello", 5, &error), SS_OK);
    return link;
}

static void start_server(unsigned messages_rate)
{
    struct ss_link_options options = {.endpoint = "tcp://127.0.0.1:*",
        .server = true,
        .keys = folder,
        .limits = {.messages_rate = messages_rate}};
    int status = ss_link_open(&options, &server, &error);
    ck_assert_msg(status == SS_OK, "%s", error.message);
}

static char speaker[SS_PEER_SIZE]; // whose message came last

// Serve until a message comes (true), or a notice of this kind is told.
static bool serve(const char *kind, struct ss_link_notice *ret)
{
    void *bytes;
    size_t size;
    for (int i = 0; i < TURNS_MAX; i++) {
        link_wait(server, -1, TURN_MS);
        if (ss_link_recv(server, speaker, &bytes, &size, &error) == SS_OK) {
            ss_free(bytes);
            return true;
        }
        while (ss_link_notice(server, ret))
            if (strcmp(ret->kind, kind) == 0)
                return false;
    }
    ck_abort_msg("neither a message nor a notice \"%s\" came", kind);
}

START_TEST(an_allowed_key_comes_in_and_its_name_is_known)
{
    struct ss_link_notice notice;
    start_server(0);
    struct ss_link *link = connect_as("worker.key");
    ck_assert(serve("key", &notice));
    ck_assert_str_eq(ss_link_sender(server)->name, "worker");
    ck_assert_str_eq(ss_link_sender(server)->address, "127.0.0.1");
    ck_assert_uint_eq(ss_link_sender(server)->roles, SS_ROLE_WORKER);
    ck_assert_ptr_null(ss_link_trouble(link));
    ss_link_close(&link);
}
END_TEST

static const char *wait_for_trouble(struct ss_link *link)
{
    for (int i = 0; i < TURNS_MAX; i++) {
        const char *trouble = ss_link_trouble(link);
        if (trouble)
            return trouble;
        link_wait(server, -1, TURN_MS);
    }
    ck_abort_msg("nothing is wrong");
}

START_TEST(a_key_that_is_not_allowed_stays_outside)
{
    struct ss_link_notice notice;
    start_server(0);
    struct ss_link *link = connect_as("stranger.key");
    ck_assert(!serve("key", &notice));
    ck_assert_str_eq(notice.who, "127.0.0.1");
    ck_assert_ptr_nonnull(strstr(notice.text, stranger.public_half));
    ck_assert_ptr_nonnull(strstr(wait_for_trouble(link), "allow our key"));
    ss_link_close(&link);
}
END_TEST

START_TEST(who_has_no_key_stays_outside)
{
    start_server(0);
    // The connection may be given up before there is time to send anything.
    struct ss_link *link = open_as("");
    ck_assert_ptr_nonnull(strstr(wait_for_trouble(link), "--keys DIR"));
    ss_link_close(&link);
}
END_TEST

START_TEST(a_key_that_is_revoked_is_not_heard_any_more)
{
    struct ss_link_notice notice;
    start_server(0);
    struct ss_link *link = connect_as("worker.key");
    ck_assert(serve("key", &notice));
    write_text("allowed", "# nobody\n");
    ck_assert(!serve(SS_LINK_NEWS, &notice));
    ck_assert_int_eq(ss_link_send(link, NULL, "again", 5, &error), SS_OK);
    ck_assert(!serve("key", &notice));
    ck_assert_ptr_nonnull(strstr(notice.text, "any more"));
    ss_link_close(&link);
}
END_TEST

// What no link of ours would send: as the stranger, under any identity.
struct raw {
    void *context;
    void *socket;
};

static void set(struct raw *raw, int option, const void *bytes, size_t size)
{
    ck_assert_int_eq(zmq_setsockopt(raw->socket, option, bytes, size), 0);
}

static struct raw raw_send(const char *identity)
{
    struct raw raw = {.context = zmq_ctx_new()};
    int linger = 0;
    raw.socket = zmq_socket(raw.context, ZMQ_DEALER);
    set(&raw, ZMQ_LINGER, &linger, sizeof(linger));
    set(&raw, ZMQ_ROUTING_ID, identity, strlen(identity));
    set(&raw, ZMQ_CURVE_SERVERKEY, coordinator.public_half, SS_KEY_TEXT_SIZE);
    set(&raw, ZMQ_CURVE_PUBLICKEY, stranger.public_half, SS_KEY_TEXT_SIZE);
    set(&raw, ZMQ_CURVE_SECRETKEY, stranger.secret_half, SS_KEY_TEXT_SIZE);
    ck_assert_int_eq(zmq_connect(raw.socket, ss_link_endpoint(server)), 0);
    ck_assert_int_eq(zmq_send(raw.socket, "hello", 5, 0), 5);
    return raw;
}

static void raw_close(struct raw *raw)
{
    zmq_close(raw->socket);
    zmq_ctx_term(raw->context);
}

// An identity is how the server finds a peer: with somebody else's, one would
// get what is meant for that one.
START_TEST(an_identity_of_another_key_is_refused)
{
    char identity[SS_ADMISSION_MARK_SIZE + 1] = "";
    struct ss_link_notice notice;
    start_server(0);
    allow(&stranger);
    ck_assert(!serve(SS_LINK_NEWS, &notice));
    memcpy(identity, worker.public_half, SS_ADMISSION_MARK_SIZE);
    struct raw thief = raw_send(identity);
    ck_assert(!serve("identity", &notice));
    ck_assert_str_eq(notice.who, "stranger");
    raw_close(&thief);
}
END_TEST

START_TEST(who_goes_on_under_the_identity_of_another_key_has_to_wait)
{
    char identity[SS_ADMISSION_MARK_SIZE + 1] = "";
    struct ss_link_notice notice;
    struct ss_link_counts counts = {.delayed = 0};
    start_server(0);
    allow(&stranger);
    ck_assert(!serve(SS_LINK_NEWS, &notice));
    memcpy(identity, worker.public_half, SS_ADMISSION_MARK_SIZE);
    struct raw thief = raw_send(identity);
    // It is hung up on, comes back by itself, and then waits: the longer, the
    // more often it was.
    for (int i = 0; i < TURNS_MAX && counts.delayed == 0; i++) {
        zmq_send(thief.socket, "hello", 5, ZMQ_DONTWAIT);
        link_wait(server, -1, 0);
        char peer[SS_PEER_SIZE];
        void *bytes;
        size_t size;
        ck_assert_int_eq(
            ss_link_recv(server, peer, &bytes, &size, &error), SS_EAGAIN);
        while (ss_link_notice(server, &notice))
            ck_assert_str_eq(notice.kind, "identity");
        ss_link_counts(server, &counts);
        if (i > SS_LINK_WRONGS_BURST)
            link_wait(server, -1, 10);
    }
    ck_assert_uint_gt(counts.delayed, 0);
    struct ss_link *link = connect_as("worker.key");
    ck_assert(serve("key", &notice));
    ck_assert_str_eq(ss_link_sender(server)->name, "worker");
    ss_link_close(&link);
    raw_close(&thief);
}
END_TEST

// Else the one who sent something before it would have to answer for it.
START_TEST(an_identity_that_is_too_long_is_its_senders_own_fault)
{
    char identity[SS_LINK_IDENTITY_SIZE_MAX + 2] = "", peer[SS_PEER_SIZE];
    struct ss_link_notice notice;
    void *bytes;
    size_t size;
    int status = SS_EAGAIN;
    start_server(0);
    allow(&stranger);
    ck_assert(!serve(SS_LINK_NEWS, &notice));
    struct ss_link *link = connect_as("worker.key");
    ck_assert(serve("key", &notice));
    ck_assert_str_eq(ss_link_sender(server)->name, "worker");
    memset(identity, 'i', SS_LINK_IDENTITY_SIZE_MAX + 1);
    memcpy(identity, stranger.public_half, SS_ADMISSION_MARK_SIZE);
    struct raw long_one = raw_send(identity);
    for (int i = 0; i < TURNS_MAX && status == SS_EAGAIN; i++) {
        link_wait(server, -1, TURN_MS);
        status = ss_link_recv(server, peer, &bytes, &size, &error);
    }
    ck_assert_int_eq(status, SS_EFORMAT);
    ck_assert_str_eq(peer, "");
    ck_assert_str_eq(ss_link_sender(server)->name, "stranger");
    ss_link_close(&link);
    raw_close(&long_one);
}
END_TEST

// Until there is one complaint too many.
static void do_wrong(struct ss_link *link)
{
    struct ss_link_notice notice;
    for (;;) {
        (void)!ss_link_send(link, NULL, "wrong", 5, &error);
        if (!serve("complaints", &notice))
            break;
        ss_link_complain(server);
    }
    ck_assert_str_eq(notice.who, "worker at 127.0.0.1");
}

// Serve until both have been heard. What the worker says first may be lost with
// the connection that is hung up on.
static void hear_stranger_and(struct ss_link *worker_link)
{
    bool is_worker_heard = false, is_stranger_heard = false;
    for (int i = 0; i < TURNS_MAX; i++) {
        char peer[SS_PEER_SIZE];
        void *bytes;
        size_t size;
        if (!is_worker_heard)
            (void)!ss_link_send(worker_link, NULL, "again", 5, &error);
        link_wait(server, -1, TURN_MS);
        if (ss_link_recv(server, peer, &bytes, &size, &error) != SS_OK)
            continue;
        ss_free(bytes);
        const char *name = ss_link_sender(server)->name;
        is_worker_heard = is_worker_heard || strcmp(name, "worker") == 0;
        is_stranger_heard = is_stranger_heard || strcmp(name, "stranger") == 0;
        if (is_worker_heard && is_stranger_heard)
            return;
    }
    ck_abort_msg("both came, and were not heard");
}

// Each time it waits twice as long: at last it comes back within that, however
// slow the machine is.
START_TEST(a_key_that_did_wrong_waits_and_another_one_does_not)
{
    struct ss_link_notice notice;
    struct ss_link_counts counts;
    int rounds = 0;
    start_server(0);
    allow(&stranger);
    ck_assert(!serve(SS_LINK_NEWS, &notice));
    struct ss_link *wrong = connect_as("worker.key");
    do {
        rounds++;
        do_wrong(wrong);
        struct ss_link *other = connect_as("stranger.key");
        hear_stranger_and(wrong); // which comes back by itself
        ss_link_close(&other);
        ss_link_counts(server, &counts);
    } while (counts.delayed == 0);
    // The worker waited, and was then let in on the same connection.
    // (After many rounds its wait is longer than a handshake may last.)
    ck_assert(counts.delayed == 1 || rounds > 3);
    ck_assert_uint_eq(counts.refused_key, 0);
    ck_assert_ptr_null(ss_link_trouble(wrong));
    ss_link_close(&wrong);
}
END_TEST

START_TEST(who_sends_too_much_is_hung_up_on)
{
    struct ss_link_notice notice;
    struct ss_link_counts counts;
    start_server(10);
    struct ss_link *link = connect_as("worker.key");
    for (int i = 0; i < 1000; i++)
        ck_assert_int_eq(ss_link_send(link, NULL, "x", 1, &error), SS_OK);
    int taken = 0;
    while (serve("rate", &notice))
        ck_assert_int_lt(taken++, 900);
    ck_assert_str_eq(notice.who, "worker");
    ss_link_counts(server, &counts);
    ck_assert_uint_gt(counts.dropped, 0);
    ck_assert_uint_gt(counts.accepted, 0);
    ss_link_close(&link);
}
END_TEST

static void read_one(struct ss_link *link, size_t wanted)
{
    char peer[SS_PEER_SIZE];
    void *bytes;
    size_t size;
    for (int i = 0; i < TURNS_MAX; i++) {
        if (ss_link_recv(link, peer, &bytes, &size, &error) == SS_OK) {
            ss_free(bytes);
            ck_assert_uint_eq(size, wanted);
            return;
        }
        link_wait(link, -1, TURN_MS);
    }
    ck_abort_msg("nothing came");
}

// All of what came was taken, and what was given read: what is left are the
// handshake's bytes. With one byte more or less for each message it would be
// far from that.
static void expect_nothing_unread(struct ss_link *link)
{
    static const size_t sizes[] = {0, 1, 222, 223, 255, 256, 100000};
    enum { SIZES = sizeof(sizes) / sizeof(*sizes), ROUNDS = 300 };
    static char bytes[100000];
    struct ss_link_notice notice;
    struct ss_link_counts counts;
    ck_assert(serve("rate", &notice)); // "hello"
    for (size_t i = 0; i < (size_t)SIZES * ROUNDS; i++) {
        ck_assert_int_eq(
            ss_link_send(link, NULL, bytes, sizes[i % SIZES], &error), SS_OK);
        ck_assert(serve("rate", &notice));
        ck_assert_int_eq(
            ss_link_send(server, speaker, bytes, sizes[i % SIZES], &error),
            SS_OK);
        read_one(link, sizes[i % SIZES]);
    }
    ck_assert_int_eq(link_wait(server, -1, 3 * SS_LINK_UNREAD_LOOK_MS), 0);
    ss_link_counts(server, &counts);
    ck_assert_uint_gt(counts.unread, 0);
    ck_assert_uint_lt(counts.unread, 1024);
    ck_assert_uint_eq(counts.heavy, 0);
}

START_TEST(what_was_read_is_not_weighed_any_more)
{
    start_server(0);
    struct ss_link *link = connect_as("worker.key");
    expect_nothing_unread(link);
    ss_link_close(&link);
}
END_TEST

START_TEST(without_keys_it_is_weighed_as_exactly)
{
    struct ss_link_options options = {
        .endpoint = "tcp://127.0.0.1:*", .server = true};
    ck_assert_int_eq(ss_link_open(&options, &server, &error), SS_OK);
    struct ss_link *link = connect_as("");
    expect_nothing_unread(link);
    ss_link_close(&link);
}
END_TEST

// A peer that has room for next to nothing, and takes nothing.
static void *connect_deaf(void *context)
{
    int room = 1, buffer = 4096, linger = 0;
    void *deaf = zmq_socket(context, ZMQ_DEALER);
    ck_assert_ptr_nonnull(deaf);
    zmq_setsockopt(deaf, ZMQ_RCVHWM, &room, sizeof(room));
    zmq_setsockopt(deaf, ZMQ_RCVBUF, &buffer, sizeof(buffer));
    zmq_setsockopt(deaf, ZMQ_LINGER, &linger, sizeof(linger));
    ck_assert_int_eq(zmq_connect(deaf, ss_link_endpoint(server)), 0);
    ck_assert_int_eq(zmq_send(deaf, "hello", 5, 0), 5);
    return deaf;
}

START_TEST(who_reads_nothing_of_much_is_hung_up_on)
{
    enum { SIZE = 100000, COUNT = 100 };
    static char bytes[SIZE];
    struct ss_link_notice notice;
    struct ss_link_counts counts;
    struct ss_link_options options = {.endpoint = "tcp://127.0.0.1:*",
        .server = true,
        .limits = {.unread_max_mb = SIZE * COUNT / 2000000}};
    ck_assert_int_eq(ss_link_open(&options, &server, &error), SS_OK);
    void *context = zmq_ctx_new();
    void *deaf = connect_deaf(context);
    ck_assert(serve("unread", &notice));
    int status = SS_OK;
    for (int i = 0; i < COUNT && status == SS_OK; i++)
        status = ss_link_send(server, speaker, bytes, SIZE, &error);
    ck_assert(status == SS_OK || status == SS_ECLOSED);
    // Nobody waited: it is weighed while much is given.
    ss_link_counts(server, &counts);
    ck_assert_uint_gt(counts.heavy, 0);
    ck_assert(ss_link_notice(server, &notice));
    ck_assert_str_eq(notice.kind, "unread");
    ck_assert_str_eq(notice.who, "127.0.0.1");
    ck_assert_msg(
        strstr(notice.text, "more than 5 MB") != NULL, "%s", notice.text);
    // Nothing of it is held any more, except a handshake if it is back.
    for (int i = 0; i < TURNS_MAX && counts.unread >= 1024; i++) {
        link_wait(server, -1, TURN_MS);
        ss_link_counts(server, &counts);
    }
    ck_assert_uint_lt(counts.unread, 1024);
    zmq_close(deaf);
    zmq_ctx_term(context);
}
END_TEST

START_TEST(beyond_loopback_keys_are_wanted)
{
    static const char *const near[] = {"tcp://127.0.0.1:1", "tcp://[::1]:1",
        "tcp://localhost:*", "tcp://127.1.2.3:*", "ipc:///tmp/x"};
    static const char *const far[] = {"tcp://0.0.0.0:1", "tcp://*:1",
        "tcp://127.example.org:1", "tcp://[::]:1", "tcp://192.0.2.1:1",
        "tcp://eth0:*"};
    struct ss_link_options options = {
        .endpoint = "tcp://0.0.0.0:*", .server = true};
    for (size_t i = 0; i < sizeof(near) / sizeof(*near); i++)
        ck_assert_msg(ss_link_is_loopback(near[i]), "%s", near[i]);
    for (size_t i = 0; i < sizeof(far) / sizeof(*far); i++)
        ck_assert_msg(!ss_link_is_loopback(far[i]), "%s", far[i]);
    ck_assert_int_eq(ss_link_open(&options, &server, &error), SS_EINVAL);
    ck_assert_ptr_nonnull(strstr(error.message, "--keys"));
    options.is_insecure = true;
    ck_assert_int_eq(ss_link_open(&options, &server, &error), SS_OK);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("admission");
    TCase *tcase = tcase_create("admission");
    tcase_set_timeout(tcase, 600);
    tcase_add_checked_fixture(tcase, keyring_begin, tear_down);
    tcase_add_test(tcase, an_allowed_key_comes_in_and_its_name_is_known);
    tcase_add_test(tcase, a_key_that_is_not_allowed_stays_outside);
    tcase_add_test(tcase, who_has_no_key_stays_outside);
    tcase_add_test(tcase, a_key_that_is_revoked_is_not_heard_any_more);
    tcase_add_test(tcase, an_identity_of_another_key_is_refused);
    tcase_add_test(
        tcase, who_goes_on_under_the_identity_of_another_key_has_to_wait);
    tcase_add_test(
        tcase, an_identity_that_is_too_long_is_its_senders_own_fault);
    tcase_add_test(tcase, a_key_that_did_wrong_waits_and_another_one_does_not);
    tcase_add_test(tcase, who_sends_too_much_is_hung_up_on);
    tcase_add_test(tcase, what_was_read_is_not_weighed_any_more);
    tcase_add_test(tcase, without_keys_it_is_weighed_as_exactly);
    tcase_add_test(tcase, who_reads_nothing_of_much_is_hung_up_on);
    tcase_add_test(tcase, beyond_loopback_keys_are_wanted);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
