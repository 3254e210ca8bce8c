// What a link leaves alone in the process that it lives in, at home and as a
// guest.
#include "common/link/sockets.h"

#include <check.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/link/link.h"
#include "tests/suite.h"
#include "tests/support/link_wait.h"

enum { PATIENCE_MS = 20000, EXIT_OWN = 7, OUTPUT_SIZE = 4096 };

// The thread sanitizer knows nothing of czmq's locks (tests/tsan.supp) where a
// function of czmq ends with one, nor of threads in a child of a process that
// has some.
#if defined(__SANITIZE_THREAD__)
#define HAS_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HAS_THREAD_SANITIZER 1
#endif
#endif
#ifndef HAS_THREAD_SANITIZER
#define HAS_THREAD_SANITIZER 0
#endif

// What is left open here at exit is left on purpose.
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

static struct ss_error error;

static int try_link(const char *endpoint, bool is_server, bool is_guest,
    struct ss_link **ret_link)
{
    struct ss_link_options options = {
        .endpoint = endpoint, .server = is_server, .is_guest = is_guest};
    return ss_link_open(&options, ret_link, &error);
}

static struct ss_link *open_link(
    const char *endpoint, bool is_server, bool is_guest)
{
    struct ss_link *link = NULL;
    int status = try_link(endpoint, is_server, is_guest, &link);
    ck_assert_msg(status == SS_OK, "%s", error.message);
    return link;
}

// One message from there to here.
static void talk(struct ss_link *from, struct ss_link *to)
{
    char peer[SS_PEER_SIZE];
    void *bytes;
    size_t size;
    ck_assert_int_eq(ss_link_send(from, NULL, "hello", 5, &error), SS_OK);
    ck_assert_int_eq(link_wait(to, -1, PATIENCE_MS), 1);
    ck_assert_int_eq(ss_link_recv(to, peer, &bytes, &size, &error), SS_OK);
    ss_free(bytes);
}

// ------------------------------------------------ the process

static volatile sig_atomic_t heard;

static void hear(int signal)
{
    heard = signal;
}

static void expect_signals_heard(void)
{
    static const int signals[] = {SIGINT, SIGTERM};
    for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
        heard = 0;
        raise(signals[i]);
        ck_assert_int_eq(heard, signals[i]);
    }
}

START_TEST(signals_stay_with_who_had_them)
{
    bool is_guest = _i == 1;
    struct sigaction action = {.sa_handler = hear};
    ck_assert_int_eq(sigaction(SIGINT, &action, NULL), 0);
    ck_assert_int_eq(sigaction(SIGTERM, &action, NULL), 0);
    struct ss_link *link = open_link("tcp://127.0.0.1:*", true, is_guest);
    expect_signals_heard();
    ss_link_close(&link);
    expect_signals_heard();
}
END_TEST

static long (*const draw)(void) = random; // the program's

// (libzmq draws some too, as when it connects again: no link is open here.)
START_TEST(random_numbers_go_on)
{
    long wanted[2];
    srandom(42);
    for (int i = 0; i < 2; i++)
        wanted[i] = draw();
    srandom(42);
    ck_assert_int_eq(draw(), wanted[0]);
    struct ss_sockets sockets;
    ss_sockets_init(&sockets, false);
    ck_assert_int_eq(draw(), wanted[1]);
    ss_sockets_fini(&sockets);
}
END_TEST

// czmq ends a program that sets these while there is a socket that it knows.
START_TEST(a_guest_leaves_czmq_to_the_program)
{
    struct ss_link *link = open_link("tcp://127.0.0.1:7", false, true);
    if (!HAS_THREAD_SANITIZER) {
        zsys_set_io_threads(2);
        zsys_set_max_sockets(100);
    }
    zsock_t *own = zsock_new(ZMQ_PULL);
    raise(SIGINT); // czmq's own, as the program did not say otherwise
    ck_assert_int_eq(zsys_interrupted, 1);
    zsock_destroy(&own);
    ss_link_close(&link);
}
END_TEST

// ------------------------------------------------------------------ fork, exit

// Its status, and what it wrote. The child does what `be` does, and exits.
static int run_child(void (*be)(void), char output[OUTPUT_SIZE])
{
    int fds[2], status;
    size_t size = 0;
    ssize_t count;
    ck_assert_int_eq(pipe(fds), 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(fds[1], STDOUT_FILENO);
        dup2(fds[1], STDERR_FILENO);
        close(fds[0]);
        close(fds[1]);
        be();
        exit(EXIT_OWN);
    }
    close(fds[1]);
    while ((count = read(fds[0], output + size, OUTPUT_SIZE - 1 - size)) > 0)
        size += (size_t)count;
    output[size] = '\0';
    close(fds[0]);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_msg(WIFEXITED(status), "%d: %s", status, output);
    return WEXITSTATUS(status);
}

static void *wait_for_ever(void *link)
{
    for (;;)
        ss_link_wait_all(link, NULL, 0, -1);
    return NULL;
}

// It has something to say to nobody, and another thread is in it.
static void leave_open(bool is_guest)
{
    pthread_t thread;
    struct ss_link *link = open_link("tcp://127.0.0.1:7", false, is_guest);
    ck_assert_int_eq(ss_link_send(link, NULL, "hello", 5, &error), SS_OK);
    pthread_create(&thread, NULL, wait_for_ever, link);
    (void)open_link("tcp://127.0.0.1:*", true, is_guest);
}

static void leave_guests(void)
{
    leave_open(true);
}

static void leave_ours(void)
{
    leave_open(false);
}

START_TEST(who_ends_with_open_links_says_nothing_of_it)
{
    char output[OUTPUT_SIZE];
    ck_assert_int_eq(
        run_child(_i == 0 ? leave_ours : leave_guests, output), EXIT_OWN);
    ck_assert_str_eq(output, "");
}
END_TEST

static void do_nothing(void)
{
}

static void talk_again(void)
{
    struct ss_link *server = open_link("tcp://127.0.0.1:*", true, false);
    struct ss_link *client = open_link(ss_link_endpoint(server), false, false);
    talk(client, server);
    ss_link_close(&client);
    ss_link_close(&server);
}

START_TEST(a_child_of_who_is_connected_ends_and_disturbs_nobody)
{
    char output[OUTPUT_SIZE];
    bool is_guest = _i == 1;
    struct ss_link *server = open_link("tcp://127.0.0.1:*", true, false);
    struct ss_link *client =
        open_link(ss_link_endpoint(server), false, is_guest);
    talk(client, server);
    ck_assert_int_eq(run_child(do_nothing, output), EXIT_OWN);
    ck_assert_str_eq(output, "");
    if (!HAS_THREAD_SANITIZER) {
        ck_assert_int_eq(run_child(talk_again, output), EXIT_OWN);
        ck_assert_str_eq(output, "");
    }
    talk(client, server);
    ss_link_close(&client);
    ss_link_close(&server);
}
END_TEST

// ------------------------------------------------------------------ closing

// Often, as the thread that gives the port back may be the faster one by
// chance.
START_TEST(a_port_is_free_when_its_link_is_closed)
{
    enum { TIMES = 200 };
    char endpoint[64];
    struct ss_link *server = open_link("tcp://127.0.0.1:*", true, false);
    snprintf(endpoint, sizeof(endpoint), "%s", ss_link_endpoint(server));
    for (int i = 0; i < TIMES; i++) {
        struct ss_link *client = open_link(endpoint, false, true);
        talk(client, server);
        ss_link_close(&client);
        ss_link_close(&server);
        server = open_link(endpoint, true, false);
    }
    ss_link_close(&server);
}
END_TEST

static void *close_link(void *link)
{
    struct ss_link *it = link;
    ss_link_close(&it);
    return NULL;
}

START_TEST(what_was_said_before_a_close_has_left_behind_it)
{
    char peer[SS_PEER_SIZE];
    struct ss_link *server = open_link("tcp://127.0.0.1:*", true, false);
    for (int i = 0; i < 20; i++) {
        void *bytes;
        size_t size;
        struct ss_link *client =
            open_link(ss_link_endpoint(server), false, false);
        talk(client, server);
        ck_assert_int_eq(ss_link_send(client, NULL, "bye", 3, &error), SS_OK);
        pthread_t closing;
        pthread_create(&closing, NULL, close_link, client);
        pthread_join(closing, NULL);
        // It is on its way in the system: no other thread of ours brings it.
        ck_assert_int_eq(link_wait(server, -1, PATIENCE_MS), 1);
        ck_assert_int_eq(
            ss_link_recv(server, peer, &bytes, &size, &error), SS_OK);
        ss_free(bytes);
    }
    ss_link_close(&server);
}
END_TEST

// ------------------------------------------------------------------ bounds

START_TEST(without_descriptors_a_link_is_refused)
{
    struct rlimit limit, low;
    struct ss_link *first = open_link("tcp://127.0.0.1:*", true, false), *link;
    int next = dup(STDOUT_FILENO);
    close(next);
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    low = (struct rlimit){(rlim_t)next + 2, limit.rlim_max};
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &low), 0);
    int status = try_link("tcp://127.0.0.1:7", false, false, &link);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    ck_assert_int_eq(status, SS_EIO);
    ck_assert_ptr_nonnull(strstr(error.message, "open files"));
    ss_link_close(&first);
}
END_TEST

// libzmq would end the process by a line of its own. A thread is refused here
// by the stack that it is to have: the same as too little address space for
// one. Declared by pthread.h for GNU's own programs alone.
int pthread_setattr_default_np(const pthread_attr_t *attributes);

static void open_without_threads(void)
{
    struct ss_link *link;
    bool is_guest = getenv("GUEST") != NULL;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)1 << 46);
    ck_assert_int_eq(pthread_setattr_default_np(&attributes), 0);
    if (try_link("tcp://127.0.0.1:7", false, is_guest, &link) == SS_EIO)
        printf("%s\n", error.message);
}

START_TEST(too_little_address_space_is_told_and_aborts_nothing)
{
    char output[OUTPUT_SIZE];
    if (HAS_THREAD_SANITIZER)
        return; // it makes threads that it cannot do without
    if (_i == 1)
        setenv("GUEST", "1", 1);
    ck_assert_int_eq(run_child(open_without_threads, output), EXIT_OWN);
    ck_assert_str_eq(output,
        "cannot connect to tcp://127.0.0.1:7: the system gives this process no "
        "more threads, or no address space for them (ulimit -u and -v, "
        "TasksMax of its unit): raise the limit\n");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sockets");
    TCase *tcase = tcase_create("sockets");
    tcase_set_timeout(tcase, 600);
    tcase_add_loop_test(tcase, signals_stay_with_who_had_them, 0, 2);
    tcase_add_test(tcase, random_numbers_go_on);
    tcase_add_test(tcase, a_guest_leaves_czmq_to_the_program);
    tcase_add_loop_test(
        tcase, who_ends_with_open_links_says_nothing_of_it, 0, 2);
    tcase_add_loop_test(
        tcase, a_child_of_who_is_connected_ends_and_disturbs_nobody, 0, 2);
    tcase_add_test(tcase, a_port_is_free_when_its_link_is_closed);
    tcase_add_test(tcase, what_was_said_before_a_close_has_left_behind_it);
    tcase_add_test(tcase, without_descriptors_a_link_is_refused);
    tcase_add_loop_test(
        tcase, too_little_address_space_is_told_and_aborts_nothing, 0, 2);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
