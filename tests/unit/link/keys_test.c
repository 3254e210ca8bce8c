// Files of keys, and links that use them.
#include "common/link/keys.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zmq.h>

#include "common/base/mem.h"
#include "common/link/allowed.h"
#include "common/link/door.h"
#include "common/link/limits.h"
#include "common/link/link.h"
#include "tests/support/link_wait.h"

enum { TURNS_MAX = 4000, TURN_MS = 10, PATH_SIZE = 128 };

static char folder[64];
static struct ss_key coordinator, worker, stranger;
static struct ss_error error;
static struct ss_link *server;

static const char *path_of(const char *name)
{
    static char path[PATH_SIZE];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static void write_text(const char *name, const char *text)
{
    FILE *file = fopen(path_of(name), "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    ck_assert_int_eq(fclose(file), 0);
}

static void make(const char *name, enum ss_role role, struct ss_key *ret_key)
{
    int status = ss_key_make(name, role, ret_key, &error);
    ck_assert_msg(status == SS_OK, "%s", error.message);
    ck_assert_int_eq(ss_key_save(ret_key, folder, &error), SS_OK);
}

static void allow(const struct ss_key *key)
{
    struct ss_allowed list;
    ss_allowed_init(&list, folder);
    (void)!ss_allowed_read(&list, NULL);
    ck_assert_int_eq(ss_allowed_put(&list, key, &error), SS_OK);
    ck_assert_int_eq(ss_allowed_write(&list, &error), SS_OK);
    ss_allowed_fini(&list);
}

static void set_up(void)
{
    snprintf(folder, sizeof(folder), "/tmp/ss-keys-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    make("coordinator", SS_ROLE_COORDINATOR, &coordinator);
    make("worker", SS_ROLE_WORKER, &worker);
    make("stranger", SS_ROLE_WORKER, &stranger);
    allow(&worker);
}

static void tear_down(void)
{
    static const char *const names[] = {"coordinator.key", "coordinator.pub",
        "worker.key", "stranger.key", "allowed", "odd"};
    ss_link_close(&server);
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        unlink(path_of(names[i]));
    ck_assert_int_eq(rmdir(folder), 0);
}

// ------------------------------------------------------------------ files

static void expect_exposed(
    const char *keys, enum ss_role role, const char *wanted)
{
    char *path = ss_keys_exposed(keys, role);
    ck_assert_ptr_nonnull(path);
    ck_assert_str_eq(path, wanted);
    ss_free(path);
}

START_TEST(a_key_comes_back_as_it_was_saved)
{
    struct ss_key read;
    struct stat found;
    ck_assert_int_eq(ss_key_load(path_of("worker.key"), &read, &error), SS_OK);
    ck_assert_str_eq(read.name, "worker");
    ck_assert_int_eq(read.role, SS_ROLE_WORKER);
    ck_assert_str_eq(read.public_half, worker.public_half);
    ck_assert_str_eq(read.secret_half, worker.secret_half);
    ck_assert_int_eq(stat(path_of("worker.key"), &found), 0);
    ck_assert_uint_eq(found.st_mode & 0777, 0600);
    ck_assert(!ss_key_is_exposed(path_of("worker.key")));
    ck_assert_ptr_null(ss_keys_exposed(folder, SS_ROLE_WORKER));
    ck_assert_int_eq(chmod(path_of("worker.key"), 0640), 0);
    ck_assert(ss_key_is_exposed(path_of("worker.key")));
    expect_exposed(folder, SS_ROLE_WORKER, path_of("worker.key"));
    expect_exposed(
        path_of("worker.key"), SS_ROLE_CLIENT, path_of("worker.key"));
    ck_assert_ptr_null(ss_keys_exposed(folder, SS_ROLE_CLIENT));
    ck_assert_ptr_null(ss_keys_exposed("", SS_ROLE_WORKER));
    ck_assert_ptr_null(ss_keys_exposed(NULL, SS_ROLE_WORKER));
    ss_key_forget(&read);
    ck_assert_str_eq(read.secret_half, "");
}
END_TEST

START_TEST(a_key_is_never_written_over)
{
    ck_assert_int_eq(ss_key_save(&worker, folder, &error), SS_EEXISTS);
    ck_assert_ptr_nonnull(strstr(error.message, "worker.key is there"));
    // Without its public half the pair would be of no use: neither stays.
    unlink(path_of("coordinator.key"));
    ck_assert_int_eq(ss_key_save(&coordinator, folder, &error), SS_EEXISTS);
    ck_assert_int_ne(access(path_of("coordinator.key"), F_OK), 0);
}
END_TEST

START_TEST(what_is_no_key_is_refused_and_never_shown)
{
    static const char *const texts[] = {"", "name a\nrole worker\n",
        "secret tooshort\n", "role king\n", "name ../a\n", "nonsense\n",
        "name a\nrole worker\npublic "
        "0000000000000000000000000000000000000000\nsecret "
        "0000000000000000000000000000000000000001\n"};
    struct ss_key key;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        write_text("odd", texts[i]);
        ck_assert_int_eq(
            ss_key_load(path_of("odd"), &key, &error), SS_EFORMAT);
        ck_assert_ptr_null(strstr(error.message, "tooshort"));
    }
    char large[SS_KEY_FILE_SIZE_MAX + 2];
    memset(large, '#', sizeof(large));
    large[sizeof(large) - 1] = '\0';
    write_text("odd", large);
    ck_assert_int_eq(ss_key_load(path_of("odd"), &key, &error), SS_EFORMAT);
    ck_assert_int_eq(ss_key_load(path_of("no"), &key, &error), SS_ENOTFOUND);
}
END_TEST

START_TEST(a_folder_gives_the_key_of_the_role_and_a_file_itself)
{
    struct ss_key key;
    ck_assert_int_eq(
        ss_keys_own(folder, SS_ROLE_WORKER, &key, &error), SS_OK);
    ck_assert_str_eq(key.name, "worker");
    ck_assert_int_eq(
        ss_keys_own(folder, SS_ROLE_CLIENT | SS_ROLE_OPERATOR, &key, &error),
        SS_ENOTFOUND);
    ck_assert_ptr_nonnull(strstr(error.message, "client.key"));
    ck_assert_int_eq(ss_keys_own(path_of("stranger.key"), SS_ROLE_WORKER, &key,
                         &error),
        SS_OK);
    ck_assert_int_eq(ss_keys_own(path_of("stranger.key"), SS_ROLE_CLIENT, &key,
                         &error),
        SS_EDENIED);
    char half[SS_KEY_TEXT_SIZE];
    ck_assert_int_eq(
        ss_keys_server(path_of("stranger.key"), half, &error), SS_OK);
    ck_assert_str_eq(half, coordinator.public_half);
}
END_TEST

START_TEST(names_of_keys_are_words)
{
    static const char *const wrong[] = {"", ".", ".a", "-a", "a b", "a/b",
        "a\n",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
        ck_assert_int_eq(ss_key_check_name(wrong[i], &error), SS_EINVAL);
    ck_assert_int_eq(ss_key_check_name("ci-7.worker_A", &error), SS_OK);
}
END_TEST

// ------------------------------------------------------------------ the list

START_TEST(the_list_is_read_again_when_it_changes)
{
    struct ss_allowed list;
    bool is_changed;
    int64_t now_ms = 1000;
    ss_allowed_init(&list, folder);
    ck_assert_int_eq(ss_allowed_read(&list, &error), SS_OK);
    ck_assert_ptr_nonnull(ss_allowed_find(&list, worker.public_half));
    ck_assert_int_eq(
        ss_allowed_refresh(&list, now_ms, &is_changed, &error), SS_OK);
    ck_assert(!is_changed);
    allow(&stranger);
    // Not so soon.
    ck_assert_int_eq(
        ss_allowed_refresh(&list, now_ms + 1, &is_changed, &error), SS_OK);
    ck_assert(!is_changed);
    now_ms += SS_KEYS_LOOK_MS;
    ck_assert_int_eq(
        ss_allowed_refresh(&list, now_ms, &is_changed, &error), SS_OK);
    ck_assert(is_changed);
    ck_assert_ptr_nonnull(ss_allowed_find(&list, stranger.public_half));

    write_text("allowed", "worker\n");
    now_ms += SS_KEYS_LOOK_MS;
    ck_assert_int_eq(
        ss_allowed_refresh(&list, now_ms, &is_changed, &error), SS_EFORMAT);
    ck_assert_ptr_nonnull(ss_allowed_find(&list, worker.public_half));
    now_ms += SS_KEYS_LOOK_MS; // said once
    ck_assert_int_eq(
        ss_allowed_refresh(&list, now_ms, &is_changed, &error), SS_OK);

    unlink(path_of("allowed"));
    now_ms += SS_KEYS_LOOK_MS;
    ck_assert_int_eq(
        ss_allowed_refresh(&list, now_ms, &is_changed, &error), SS_ENOTFOUND);
    ck_assert_ptr_null(ss_allowed_find(&list, worker.public_half));
    ss_allowed_fini(&list);
}
END_TEST

START_TEST(a_list_that_is_damaged_says_where)
{
    static const struct {
        const char *text, *said;
    } cases[] = {{"# fine\n\nking ada x\n", "line 3: \"king\" is no role"},
        {"coordinator ada x\n", "is no role"},
        {"worker a/b x\n", "is no name"},
        {"worker ada short\n", "no public key behind the name ada"}};
    struct ss_allowed list;
    ss_allowed_init(&list, folder);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        write_text("allowed", cases[i].text);
        ck_assert_int_eq(ss_allowed_read(&list, &error), SS_EFORMAT);
        ck_assert_msg(strstr(error.message, cases[i].said) != NULL, "%s",
            error.message);
    }
    ss_allowed_fini(&list);
}
END_TEST

START_TEST(a_name_stands_for_one_key)
{
    struct ss_allowed list;
    struct ss_key other = stranger;
    ss_allowed_init(&list, folder);
    ck_assert_int_eq(ss_allowed_read(&list, &error), SS_OK);
    memcpy(other.name, "worker", sizeof("worker"));
    ck_assert_int_eq(ss_allowed_put(&list, &other, &error), SS_EEXISTS);
    ck_assert(!ss_allowed_remove(&list, "stranger"));
    ck_assert(ss_allowed_remove(&list, worker.public_half));
    ck_assert_int_eq(ss_allowed_put(&list, &other, &error), SS_OK);
    ss_allowed_fini(&list);
}
END_TEST

// ------------------------------------------------------------------ links

static struct ss_link *connect_as(const char *key)
{
    struct ss_link *link = NULL;
    struct ss_link_options options = {.endpoint = ss_link_endpoint(server),
        .keys = *key ? path_of(key) : NULL,
        .roles = SS_ROLE_WORKER};
    int status = ss_link_open(&options, &link, &error);
    ck_assert_msg(status == SS_OK, "%s", error.message);
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

// Serve until a message comes (true), or an incident of this kind is told.
static bool serve(const char *kind, struct ss_link_incident *ret)
{
    void *bytes;
    size_t size;
    for (int i = 0; i < TURNS_MAX; i++) {
        link_wait(server, -1, TURN_MS);
        if (ss_link_recv(server, speaker, &bytes, &size, &error) == SS_OK) {
            ss_free(bytes);
            return true;
        }
        while (ss_link_incident(server, ret))
            if (strcmp(ret->kind, kind) == 0)
                return false;
    }
    ck_abort_msg("neither a message nor an incident \"%s\" came", kind);
}

START_TEST(an_allowed_key_comes_in_and_its_name_is_known)
{
    struct ss_link_incident incident;
    start_server(0);
    struct ss_link *link = connect_as("worker.key");
    ck_assert(serve("key", &incident));
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
    struct ss_link_incident incident;
    start_server(0);
    struct ss_link *link = connect_as("stranger.key");
    ck_assert(!serve("key", &incident));
    ck_assert_str_eq(incident.who, "127.0.0.1");
    ck_assert_ptr_nonnull(strstr(incident.text, stranger.public_half));
    ck_assert_ptr_nonnull(strstr(wait_for_trouble(link), "allow our key"));
    ss_link_close(&link);
}
END_TEST

START_TEST(who_has_no_key_stays_outside)
{
    start_server(0);
    struct ss_link *link = connect_as("");
    ck_assert_ptr_nonnull(strstr(wait_for_trouble(link), "--keys DIR"));
    ss_link_close(&link);
}
END_TEST

START_TEST(a_key_that_is_revoked_is_not_heard_any_more)
{
    struct ss_link_incident incident;
    start_server(0);
    struct ss_link *link = connect_as("worker.key");
    ck_assert(serve("key", &incident));
    write_text("allowed", "# nobody\n");
    ck_assert(!serve(SS_LINK_NEWS, &incident));
    ck_assert_int_eq(ss_link_send(link, NULL, "again", 5, &error), SS_OK);
    ck_assert(!serve("key", &incident));
    ck_assert_ptr_nonnull(strstr(incident.text, "any more"));
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
    char identity[SS_DOOR_MARK_SIZE + 1] = "";
    struct ss_link_incident incident;
    start_server(0);
    allow(&stranger);
    ck_assert(!serve(SS_LINK_NEWS, &incident));
    memcpy(identity, worker.public_half, SS_DOOR_MARK_SIZE);
    struct raw thief = raw_send(identity);
    ck_assert(!serve("identity", &incident));
    ck_assert_str_eq(incident.who, "stranger");
    raw_close(&thief);
}
END_TEST

START_TEST(who_goes_on_under_the_identity_of_another_key_has_to_wait)
{
    char identity[SS_DOOR_MARK_SIZE + 1] = "";
    struct ss_link_incident incident;
    struct ss_link_counts counts = {.delayed = 0};
    start_server(0);
    allow(&stranger);
    ck_assert(!serve(SS_LINK_NEWS, &incident));
    memcpy(identity, worker.public_half, SS_DOOR_MARK_SIZE);
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
        while (ss_link_incident(server, &incident))
            ck_assert_str_eq(incident.kind, "identity");
        ss_link_counts(server, &counts);
        if (i > SS_LINK_WRONGS_BURST)
            link_wait(server, -1, 10);
    }
    ck_assert_uint_gt(counts.delayed, 0);
    struct ss_link *link = connect_as("worker.key");
    ck_assert(serve("key", &incident));
    ck_assert_str_eq(ss_link_sender(server)->name, "worker");
    ss_link_close(&link);
    raw_close(&thief);
}
END_TEST

// Else the one who sent something before it would have to answer for it.
START_TEST(an_identity_that_is_too_long_is_its_senders_own_fault)
{
    char identity[SS_LINK_IDENTITY_SIZE_MAX + 2] = "", peer[SS_PEER_SIZE];
    struct ss_link_incident incident;
    void *bytes;
    size_t size;
    int status = SS_EAGAIN;
    start_server(0);
    allow(&stranger);
    ck_assert(!serve(SS_LINK_NEWS, &incident));
    struct ss_link *link = connect_as("worker.key");
    ck_assert(serve("key", &incident));
    ck_assert_str_eq(ss_link_sender(server)->name, "worker");
    memset(identity, 'i', SS_LINK_IDENTITY_SIZE_MAX + 1);
    memcpy(identity, stranger.public_half, SS_DOOR_MARK_SIZE);
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
    struct ss_link_incident incident;
    for (;;) {
        (void)!ss_link_send(link, NULL, "wrong", 5, &error);
        if (!serve("complaints", &incident))
            break;
        ss_link_complain(server);
    }
    ck_assert_str_eq(incident.who, "worker at 127.0.0.1");
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
    struct ss_link_incident incident;
    struct ss_link_counts counts;
    int rounds = 0;
    start_server(0);
    allow(&stranger);
    ck_assert(!serve(SS_LINK_NEWS, &incident));
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
    struct ss_link_incident incident;
    struct ss_link_counts counts;
    start_server(10);
    struct ss_link *link = connect_as("worker.key");
    for (int i = 0; i < 1000; i++)
        ck_assert_int_eq(ss_link_send(link, NULL, "x", 1, &error), SS_OK);
    int taken = 0;
    while (serve("rate", &incident))
        ck_assert_int_lt(taken++, 900);
    ck_assert_str_eq(incident.who, "worker");
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
    struct ss_link_incident incident;
    struct ss_link_counts counts;
    ck_assert(serve("rate", &incident)); // "hello"
    for (size_t i = 0; i < (size_t)SIZES * ROUNDS; i++) {
        ck_assert_int_eq(
            ss_link_send(link, NULL, bytes, sizes[i % SIZES], &error), SS_OK);
        ck_assert(serve("rate", &incident));
        ck_assert_int_eq(ss_link_send(server, speaker, bytes,
                             sizes[i % SIZES], &error),
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
    struct ss_link_incident incident;
    struct ss_link_counts counts;
    struct ss_link_options options = {.endpoint = "tcp://127.0.0.1:*",
        .server = true,
        .limits = {.unread_max_mb = SIZE * COUNT / 2000000}};
    ck_assert_int_eq(ss_link_open(&options, &server, &error), SS_OK);
    void *context = zmq_ctx_new();
    void *deaf = connect_deaf(context);
    ck_assert(serve("unread", &incident));
    int status = SS_OK;
    for (int i = 0; i < COUNT && status == SS_OK; i++)
        status = ss_link_send(server, speaker, bytes, SIZE, &error);
    ck_assert(status == SS_OK || status == SS_ECLOSED);
    // Nobody waited: it is weighed while much is given.
    ss_link_counts(server, &counts);
    ck_assert_uint_gt(counts.heavy, 0);
    ck_assert(ss_link_incident(server, &incident));
    ck_assert_str_eq(incident.kind, "unread");
    ck_assert_str_eq(incident.who, "127.0.0.1");
    ck_assert_msg(strstr(incident.text, "more than 5 MB") != NULL, "%s",
        incident.text);
    // Nothing of it is held any more, but for a handshake if it is back.
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
    Suite *suite = suite_create("keys");
    TCase *tcase = tcase_create("keys");
    tcase_set_timeout(tcase, 600);
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, a_key_comes_back_as_it_was_saved);
    tcase_add_test(tcase, a_key_is_never_written_over);
    tcase_add_test(tcase, what_is_no_key_is_refused_and_never_shown);
    tcase_add_test(tcase, a_folder_gives_the_key_of_the_role_and_a_file_itself);
    tcase_add_test(tcase, names_of_keys_are_words);
    tcase_add_test(tcase, the_list_is_read_again_when_it_changes);
    tcase_add_test(tcase, a_list_that_is_damaged_says_where);
    tcase_add_test(tcase, a_name_stands_for_one_key);
    tcase_add_test(tcase, an_allowed_key_comes_in_and_its_name_is_known);
    tcase_add_test(tcase, a_key_that_is_not_allowed_stays_outside);
    tcase_add_test(tcase, who_has_no_key_stays_outside);
    tcase_add_test(tcase, a_key_that_is_revoked_is_not_heard_any_more);
    tcase_add_test(tcase, an_identity_of_another_key_is_refused);
    tcase_add_test(
        tcase, who_goes_on_under_the_identity_of_another_key_has_to_wait);
    tcase_add_test(
        tcase, an_identity_that_is_too_long_is_its_senders_own_fault);
    tcase_add_test(
        tcase, a_key_that_did_wrong_waits_and_another_one_does_not);
    tcase_add_test(tcase, who_sends_too_much_is_hung_up_on);
    tcase_add_test(tcase, what_was_read_is_not_weighed_any_more);
    tcase_add_test(tcase, without_keys_it_is_weighed_as_exactly);
    tcase_add_test(tcase, who_reads_nothing_of_much_is_hung_up_on);
    tcase_add_test(tcase, beyond_loopback_keys_are_wanted);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
