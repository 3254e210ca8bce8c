// sockets.c - czmq where it is at home, libzmq alone where it is not.
#include "common/link/sockets.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/base/check.h"

enum {
    RANDOM_STATE_SIZE = 128,
    GUEST_SOCKETS_MAX = 8,
    // libzmq looks names up on the thread that does a socket's I/O, and all
    // that have this thread wait for an answer. So those that connect take
    // turns with the threads.
    IO_THREADS = 4,
    // Descriptors that libzmq opens for a socket, and with the first one for
    // its context and the threads. czmq ends the process where it gets no
    // socket, so we check before.
    DESCRIPTORS = 10 + 2 * IO_THREADS,
    // That it starts with the first one, one more to close sockets; of a
    // guest's context two. Where it gets none it ends the process, too.
    THREADS = IO_THREADS + 1,
    GUEST_THREADS = 2,
};

static pthread_mutex_t czmq_lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t czmq_owner; // a forked child begins anew
static atomic_int czmq_open;
static atomic_uint czmq_connecting; // sockets so far
static atomic_bool czmq_has_threads;

// At exit czmq prints which sockets are still open, on standard output. There
// are some when a node ends its worker: another thread uses them, so they
// cannot be closed.
static void czmq_hush(void)
{
    if (czmq_owner == getpid() && atomic_load(&czmq_open) > 0)
        zsys_set_logstream(NULL);
}

// Start czmq. It would catch SIGINT and SIGTERM, and seed random() anew: both
// are undone.
static void czmq_begin(void)
{
    static const int signals[] = {SIGINT, SIGTERM};
    struct sigaction actions[sizeof(signals) / sizeof(*signals)];
    static char state[RANDOM_STATE_SIZE];
    for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
        ss_check(sigaction(signals[i], NULL, &actions[i]) == 0);
    char *numbers = initstate(1, state, sizeof(state));
    zsys_handler_set(NULL);
    void *context = zsys_init();
    ss_check(context && zmq_ctx_set(context, ZMQ_IO_THREADS, IO_THREADS) == 0);
    setstate(numbers);
    for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
        ss_check(sigaction(signals[i], &actions[i], NULL) == 0);
    ss_check(
        atexit(czmq_hush) == 0); // behind czmq's own, so that it runs before
}

void ss_sockets_init(struct ss_sockets *sockets, bool is_guest)
{
    *sockets = (struct ss_sockets){.is_guest = is_guest};
    if (is_guest) {
        sockets->context = zmq_ctx_new();
        ss_check(sockets->context != NULL);
        zmq_ctx_set(sockets->context, ZMQ_MAX_SOCKETS, GUEST_SOCKETS_MAX);
        return;
    }
    pthread_mutex_lock(&czmq_lock);
    if (czmq_owner != getpid()) {
        czmq_begin();
        atomic_store(&czmq_open, 0);
        atomic_store(&czmq_has_threads, false);
        czmq_owner = getpid();
    }
    pthread_mutex_unlock(&czmq_lock);
}

void ss_sockets_fini(struct ss_sockets *sockets)
{
    if (sockets->context)
        while (zmq_ctx_term(sockets->context) != 0 && errno == EINTR)
            continue;
    sockets->context = NULL;
}

static bool has_descriptors(void)
{
    int taken[DESCRIPTORS], count = 0, why;
    while (count < DESCRIPTORS &&
           (taken[count] = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) >= 0)
        count++;
    why = errno;
    for (int i = 0; i < count; i++)
        close(taken[i]);
    errno = why;
    return count == DESCRIPTORS;
}

static void *rest(void *gate)
{
    ss_check(pthread_mutex_lock(gate) == 0);
    ss_check(pthread_mutex_unlock(gate) == 0);
    return NULL;
}

// So many at once, as those that are to come.
static bool has_threads(int wanted)
{
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_t taken[THREADS];
    int count = 0, why = 0;
    ss_check(wanted <= THREADS && pthread_mutex_lock(&gate) == 0);
    while (count < wanted && why == 0) {
        why = pthread_create(&taken[count], NULL, rest, &gate);
        count += why == 0;
    }
    ss_check(pthread_mutex_unlock(&gate) == 0);
    for (int i = 0; i < count; i++)
        ss_check(pthread_join(taken[i], NULL) == 0);
    errno = why;
    return count == wanted;
}

// Who binds stays with the first thread.
static int czmq_io_thread(int type)
{
    unsigned turn =
        type == ZMQ_DEALER ? atomic_fetch_add(&czmq_connecting, 1) : 0;
    return 1 << turn % IO_THREADS;
}

bool ss_socket_open(
    struct ss_sockets *sockets, int type, struct ss_socket *ret_socket)
{
    *ret_socket = (struct ss_socket){.handle = NULL};
    if (sockets->context) {
        if (!sockets->has_threads && !has_threads(GUEST_THREADS))
            return false;
        sockets->has_threads = true;
        ret_socket->handle = zmq_socket(sockets->context, type);
        return ret_socket->handle != NULL;
    }
    if (!has_descriptors() ||
        (!atomic_load(&czmq_has_threads) && !has_threads(THREADS)))
        return false;
    atomic_store(&czmq_has_threads, true);
    // The function in place of the macro: without a source line czmq does not
    // track the socket, and does not close it at exit while a thread waits for
    // it.
    ret_socket->zsock = (zsock_new)(type);
    ret_socket->handle = zsock_resolve(ret_socket->zsock);
    zsock_set_affinity(ret_socket->handle, czmq_io_thread(type));
    atomic_fetch_add(&czmq_open, 1);
    return true;
}

void ss_socket_close(struct ss_socket *socket)
{
    if (socket->zsock) {
        zsock_destroy(&socket->zsock);
        atomic_fetch_sub(&czmq_open, 1);
    } else if (socket->handle) {
        zmq_close(socket->handle);
    }
    socket->handle = NULL;
}
