// limits.c - what the machine and its libraries give, with nothing of ours
// around it.
//
//     bench-limits latency ROUNDS     libzmq: a small message there and back
//     bench-limits throughput COUNT   libzmq: small messages one way
//     bench-limits copy BYTES         memcpy of so many bytes, once
//
// Two threads over TCP on the loopback, DEALER to ROUTER as a worker and its
// coordinator, 200 bytes. One line of JSON: seconds of one message (of all of
// the copy).
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zmq.h>

#include "common/base/mem.h"

enum { MESSAGE = 200, NAME_MAX_SIZE = 256, WARM = 100, UNLIMITED = 0 };

static void complain(const char *what, const char *why)
{
    fprintf(stderr, "bench-limits: %s: %s\n", what, why);
    exit(1);
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

struct exchange {
    void *context;
    char endpoint[NAME_MAX_SIZE];
    size_t count;
    bool answers;
};

static void check(int result)
{
    if (result < 0)
        complain("libzmq", zmq_strerror(zmq_errno()));
}

static void *open_socket(void *context, int kind)
{
    int none = UNLIMITED;
    void *made = zmq_socket(context, kind);
    if (!made)
        complain("libzmq", zmq_strerror(zmq_errno()));
    check(zmq_setsockopt(made, ZMQ_SNDHWM, &none, sizeof(none)));
    check(zmq_setsockopt(made, ZMQ_RCVHWM, &none, sizeof(none)));
    check(zmq_setsockopt(made, ZMQ_LINGER, &none, sizeof(none)));
    return made;
}

// The side of a worker: sends, or sends back.
static void *dealer(void *ctx)
{
    const struct exchange *exchange = ctx;
    char body[MESSAGE] = {0};
    void *sock = open_socket(exchange->context, ZMQ_DEALER);
    check(zmq_connect(sock, exchange->endpoint));
    for (size_t i = 0; i < exchange->count; i++) {
        check(zmq_send(sock, body, sizeof(body), 0));
        if (exchange->answers)
            check(zmq_recv(sock, body, sizeof(body), 0));
    }
    // The last word is the other side's: nothing is lost by closing.
    check(zmq_recv(sock, body, sizeof(body), 0));
    zmq_close(sock);
    return NULL;
}

// The seconds of all messages but the first ones.
static double router(void *sock, const struct exchange *exchange)
{
    char name[NAME_MAX_SIZE], body[MESSAGE] = {0};
    double begin = 0;
    int size = 0;
    for (size_t i = 0; i < exchange->count; i++) {
        check(size = zmq_recv(sock, name, sizeof(name), 0));
        check(zmq_recv(sock, body, sizeof(body), 0));
        if (i == WARM)
            begin = now_s();
        if (exchange->answers) {
            check(zmq_send(sock, name, (size_t)size, ZMQ_SNDMORE));
            check(zmq_send(sock, body, sizeof(body), 0));
        }
    }
    double seconds = now_s() - begin;
    check(zmq_send(sock, name, (size_t)size, ZMQ_SNDMORE));
    check(zmq_send(sock, body, sizeof(body), 0));
    return seconds;
}

static double exchange(size_t count, bool answers)
{
    struct exchange each = {.context = zmq_ctx_new(),
        .count = count + WARM + 1,
        .answers = answers};
    size_t size = sizeof(each.endpoint);
    pthread_t thread;
    void *sock = open_socket(each.context, ZMQ_ROUTER);
    check(zmq_bind(sock, "tcp://127.0.0.1:*"));
    check(zmq_getsockopt(sock, ZMQ_LAST_ENDPOINT, each.endpoint, &size));
    if (pthread_create(&thread, NULL, dealer, &each) != 0)
        complain("thread", "refused");
    double seconds = router(sock, &each);
    pthread_join(thread, NULL);
    zmq_close(sock);
    zmq_ctx_term(each.context);
    return seconds / (double)count;
}

static double copy(size_t size)
{
    enum { TIMES = 5 };
    char *from = ss_alloc(size), *to = ss_alloc(size);
    double best = 0;
    memset(from, 'a', size);
    memset(to, 'b', size);
    for (int i = 0; i < TIMES; i++) {
        double begin = now_s();
        memcpy(to, from, size);
        double seconds = now_s() - begin;
        best = i == 0 || seconds < best ? seconds : best;
        from[i % (int)size] = to[size - 1]; // so that it is not left out
    }
    ss_free(from);
    ss_free(to);
    return best;
}

int main(int argc, char **argv)
{
    size_t count = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
    double seconds = 0;
    if (count == 0)
        complain("usage", "bench-limits latency|throughput|copy NUMBER");
    if (strcmp(argv[1], "latency") == 0)
        seconds = exchange(count, true);
    else if (strcmp(argv[1], "throughput") == 0)
        seconds = exchange(count, false);
    else if (strcmp(argv[1], "copy") == 0)
        seconds = copy(count);
    else
        complain(argv[1], "latency, throughput or copy");
    printf("{\"seconds\": %.9f}\n", seconds);
    return 0;
}
