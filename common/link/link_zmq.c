// link_zmq.c - ROUTER and DEALER.
//
// A ROUTER silently drops what it cannot route or queue, unless it is set to
// ROUTER_MANDATORY, as it is here: every send that does not leave is an error.
// A client's identity is random and stays the same while it reconnects, so the
// server knows it again after a short loss of the network. With keys the
// identity begins with a mark of the key, and a server accepts it from no other
// key.
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/link/admission.h"
#include "common/link/keys.h"
#include "common/link/limits.h"
#include "common/link/link_impl.h"
#include "common/link/monitor.h"
#include "common/link/sockets.h"

enum {
    IDENTITY_SIZE = SS_ADMISSION_MARK_SIZE + 16,
    ENDPOINT_SIZE = 512,
};

struct zmq_link {
    struct ss_link base;
    struct ss_sockets sockets;
    struct ss_socket own;
    void *socket; // its handle
    int fd;
    struct ss_admission *admission; // of a server
    struct ss_socket monitor;       // of a client
    bool has_keys;                  // of a client
    int news_fd;                    // of `monitor`; -1: none
    bool is_heard;                  // something came in
    bool is_empty;                  // its descriptor tells what comes next
    bool is_new;                    // of a client: link.h
    const char *trouble;            // of a client; NULL: none
};

static struct zmq_link *own(struct ss_link *link)
{
    return (struct zmq_link *)link;
}

static void close_link(struct ss_link *link)
{
    struct zmq_link *it = own(link);
    // Nobody is there whom a last message could reach.
    if (it->socket && !link->is_server && !it->is_heard)
        zsock_set_linger(it->socket, 0);
    ss_socket_close(&it->own);
    ss_monitor_close(&it->monitor);
    ss_admission_close(&it->admission);
    ss_sockets_fini(&it->sockets);
    ss_free(it->base.endpoint);
    ss_free(it);
}

// Random bytes behind the mark of our key (random too without keys); the first
// is not zero (ZeroMQ keeps those for itself).
static int set_identity(
    struct zmq_link *link, const char *public_half, struct ss_error *error)
{
    unsigned char identity[IDENTITY_SIZE] = {0};
    FILE *file = fopen("/dev/urandom", "rb");
    size_t count = file ? fread(identity, 1, IDENTITY_SIZE, file) : 0;
    int why = errno;
    if (file)
        fclose(file);
    if (count != IDENTITY_SIZE)
        return ss_error_set(
            error, SS_EIO, "cannot read /dev/urandom: %s", strerror(why));
    identity[0] |= 0x80;
    if (*public_half)
        memcpy(identity, public_half, SS_ADMISSION_MARK_SIZE);
    ss_check(zmq_setsockopt(link->socket, ZMQ_ROUTING_ID, identity,
                 sizeof(identity)) == 0);
    return SS_OK;
}

// Set all options on this socket: defaults that czmq has for the process may be
// somebody else's.
static void set_options(struct zmq_link *link, const char *endpoint)
{
    void *socket = link->socket;
    int64_t size_max = (int64_t)link->base.message_size_max;
    ss_check(zmq_setsockopt(
                 socket, ZMQ_MAXMSGSIZE, &size_max, sizeof(size_max)) == 0);
    zsock_set_sndhwm(socket, SS_LINK_QUEUE_MAX);
    zsock_set_rcvhwm(socket, SS_LINK_QUEUE_MAX);
    zsock_set_linger(socket, SS_LINK_LINGER_MS);
    // Only for an IPv6 endpoint: with IPv6 on, peers of IPv4 get other names.
    zsock_set_ipv6(socket, strchr(endpoint, '[') != NULL);
    zsock_set_handshake_ivl(socket, SS_LINK_HANDSHAKE_MS);
    zsock_set_tcp_keepalive(socket, 1);
    zsock_set_tcp_keepalive_idle(socket, SS_LINK_KEEPALIVE_S);
    zsock_set_tcp_keepalive_intvl(socket, SS_LINK_KEEPALIVE_EACH_S);
    zsock_set_tcp_keepalive_cnt(socket, SS_LINK_KEEPALIVE_COUNT);
    zsock_set_tcp_maxrt(socket, SS_LINK_UNACKNOWLEDGED_MS);
    if (link->base.is_server) {
        zsock_set_router_mandatory(socket, 1);
        zsock_set_router_handover(socket, 1);
        zsock_set_backlog(socket, SS_LINK_BACKLOG);
        return;
    }
    zsock_set_reconnect_ivl(socket, SS_LINK_RECONNECT_MS);
    zsock_set_reconnect_ivl_max(socket, SS_LINK_RECONNECT_MAX_MS);
}

static int open_failed(
    const char *endpoint, bool server, struct ss_error *error)
{
    switch (errno) {
    case EADDRINUSE:
        return ss_error_set(error, SS_EBUSY,
            "%s is in use: another process listens there; stop it, or choose "
            "another port",
            endpoint);
    case ENODEV: // a name: who listens is found by none
        return ss_error_set(error, SS_EINVAL,
            "cannot listen on %s: it is no address of this machine, nor an "
            "interface; write an address, as tcp://127.0.0.1:7433",
            endpoint);
    case EINVAL:
    case EPROTONOSUPPORT:
    case EADDRNOTAVAIL:
        return ss_error_set(error, SS_EINVAL, "cannot %s %s: %s",
            server ? "listen on" : "connect to", endpoint, zmq_strerror(errno));
    case EAGAIN:
        return ss_error_set(error, SS_EIO,
            "cannot %s %s: the system gives this process no more threads, or "
            "no address space for them (ulimit -u and -v, TasksMax of its "
            "unit): raise the limit",
            server ? "listen on" : "connect to", endpoint);
    default:
        return ss_error_set(error, SS_EIO, "cannot %s %s: %s",
            server ? "listen on" : "connect to", endpoint, zmq_strerror(errno));
    }
}

static int send_link(struct ss_link *link, const char *peer, const void *bytes,
    size_t size, struct ss_error *error);
static int recv_link(struct ss_link *link, char ret_peer[SS_PEER_SIZE],
    void **ret_bytes, size_t *ret_size, struct ss_error *error);
static int wait_link(
    struct ss_link *link, const int *fds, size_t count, int timeout_ms);

static int fd_of(const struct ss_link *link)
{
    return ((const struct zmq_link *)link)->fd;
}

// A question is up to four calls of the system. Where the last one found
// nothing, and nothing was sent since (which may take in what comes, unseen),
// the descriptor is still to tell of all that comes.
static bool is_ready(struct ss_link *link)
{
    struct zmq_link *it = own(link);
    int events = 0;
    size_t size = sizeof(events);
    if (it->is_empty)
        return false;
    int rc = zmq_getsockopt(it->socket, ZMQ_EVENTS, &events, &size);
    bool is_there = rc != 0 || (events & ZMQ_POLLIN) != 0;
    it->is_empty = !is_there;
    return is_there;
}

// --- keys -------------------------------------------------------------------

// A client's: its own pair, and whom it expects to reach.
static int show_key(struct zmq_link *link,
    const struct ss_link_options *options, struct ss_error *error)
{
    struct ss_key own;
    char server[SS_KEY_TEXT_SIZE];
    int status = ss_keys_server(options->keys, server, error);
    if (status == SS_OK)
        status = ss_keys_own(options->keys, options->roles, &own, error);
    if (status != SS_OK)
        return status;
    zsock_set_curve_serverkey(link->socket, server);
    status = ss_key_apply(&own, link->socket, error);
    if (status == SS_OK)
        status = set_identity(link, own.public_half, error);
    ss_key_forget(&own);
    return status;
}

static bool take_news(struct ss_link *link);

static int open_client(struct zmq_link *link,
    const struct ss_link_options *options, struct ss_error *error)
{
    // Without a monitor nobody learns what is wrong; the link works all the
    // same.
    (void)!ss_monitor_open(
        &link->sockets, link->socket, "trouble", &link->monitor);
    if (link->monitor.handle)
        link->news_fd = zsock_fd(link->monitor.handle);
    // Its descriptor tells what comes behind a look that found nothing.
    (void)take_news(&link->base);
    link->has_keys = options->keys && *options->keys;
    if (link->has_keys)
        return show_key(link, options, error);
    return set_identity(link, "", error);
}

static const char *trouble_of(
    enum ss_monitor_news news, int value, bool has_keys)
{
    if (news == SS_MONITOR_DENIED)
        return "it does not allow our key (superstep keys allow)";
    if (news == SS_MONITOR_PROTOCOL &&
        value == ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH)
        return "one side has keys and the other has not (--keys DIR)";
    // The side that hangs up first gives no reason.
    if (news == SS_MONITOR_PROTOCOL || news == SS_MONITOR_BROKEN)
        return has_keys
                   ? "the handshake fails; does it have keys, and "
                     "is " SS_KEYS_SERVER " its public half?"
                   : "the handshake fails; does it need keys (--keys DIR)?";
    return NULL;
}

// The last event of the connection counts.
static bool take_news(struct ss_link *link)
{
    struct zmq_link *it = own(link);
    enum ss_monitor_news news;
    int value;
    while (it->monitor.handle &&
           ss_monitor_take(it->monitor.handle, &news, &value)) {
        it->is_new |= news == SS_MONITOR_CONNECTED;
        if (news != SS_MONITOR_DISCONNECTED && news != SS_MONITOR_ACCEPTED &&
            news != SS_MONITOR_LISTENING)
            it->trouble = trouble_of(news, value, it->has_keys);
    }
    return it->is_new;
}

static const char *trouble(struct ss_link *link)
{
    (void)take_news(link);
    return own(link)->trouble;
}

static bool is_new(struct ss_link *link)
{
    bool is = take_news(link);
    own(link)->is_new = false;
    return is;
}

static int news_fd_of(const struct ss_link *link)
{
    return ((const struct zmq_link *)link)->news_fd;
}

static struct ss_admission *door_of(const struct ss_link *link)
{
    return ((const struct zmq_link *)link)->admission;
}

// --- open -------------------------------------------------------------------

static const struct ss_link_ops zmq_ops = {close_link, send_link, recv_link,
    fd_of, is_ready, wait_link, door_of, trouble, is_new, news_fd_of,
    take_news};

// Keys and limits, before anything is bound or connected.
static int prepare(struct zmq_link *link, const struct ss_link_options *options,
    struct ss_error *error)
{
    set_options(link, options->endpoint);
    return options->server ? ss_admission_open(&link->sockets, link->socket,
                                 options, &link->admission, error)
                           : open_client(link, options, error);
}

int ss_link_open_zmq(const struct ss_link_options *options,
    struct ss_link **ret_link, struct ss_error *error)
{
    struct zmq_link *link = ss_zalloc(1, sizeof(*link));
    link->news_fd = -1;
    link->base = (struct ss_link){
        &zmq_ops, options->server, options->message_size_max, NULL};
    ss_sockets_init(&link->sockets, options->is_guest);
    if (!ss_socket_open(&link->sockets,
            options->server ? ZMQ_ROUTER : ZMQ_DEALER, &link->own)) {
        int status = open_failed(options->endpoint, options->server, error);
        close_link(&link->base);
        return status;
    }
    link->socket = link->own.handle;
    int status = prepare(link, options, error);
    if (status != SS_OK) {
        close_link(&link->base);
        return status;
    }
    int rc = options->server ? zmq_bind(link->socket, options->endpoint)
                             : zmq_connect(link->socket, options->endpoint);
    if (rc != 0) {
        status = open_failed(options->endpoint, options->server, error);
        close_link(&link->base);
        return status;
    }
    char endpoint[ENDPOINT_SIZE];
    size_t size = sizeof(endpoint);
    if (zmq_getsockopt(link->socket, ZMQ_LAST_ENDPOINT, endpoint, &size) != 0)
        snprintf(endpoint, sizeof(endpoint), "%s", options->endpoint);
    link->base.endpoint = ss_strdup(endpoint);
    size = sizeof(link->fd);
    ss_check(zmq_getsockopt(link->socket, ZMQ_FD, &link->fd, &size) == 0);
    *ret_link = &link->base;
    return SS_OK;
}

// --- names ------------------------------------------------------------------

static void name_of(
    const unsigned char *identity, size_t size, char ret_peer[SS_PEER_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < size; i++) {
        ret_peer[2 * i] = digits[identity[i] >> 4];
        ret_peer[2 * i + 1] = digits[identity[i] & 15];
    }
    ret_peer[2 * size] = '\0';
}

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// The size of the identity with this name; 0: this link did not give the name.
static size_t identity_of(
    const char *peer, unsigned char ret_identity[SS_LINK_IDENTITY_SIZE_MAX])
{
    size_t size = strlen(peer) / 2;
    if (size > SS_LINK_IDENTITY_SIZE_MAX || peer[2 * size] != '\0')
        return 0;
    for (size_t i = 0; i < size; i++) {
        int high = digit(peer[2 * i]), low = digit(peer[2 * i + 1]);
        if (high < 0 || low < 0)
            return 0;
        ret_identity[i] = (unsigned char)(high * 16 + low);
    }
    return size;
}

// --- messages ---------------------------------------------------------------

static int send_failed(
    struct zmq_link *link, const char *peer, struct ss_error *error)
{
    const char *whom = peer ? peer : "the server";
    int number = errno;
    if (number == EAGAIN && !peer && !link->is_heard) {
        const char *why = trouble(&link->base);
        return ss_error_set(error, SS_EAGAIN, "the server is not reached%s%s",
            why ? ": " : "", why ? why : "");
    }
    if (number == EAGAIN)
        return ss_error_set(error, SS_EAGAIN,
            "the queue of %s is full (%d messages)", whom, SS_LINK_QUEUE_MAX);
    if (number == EHOSTUNREACH || number == ETERM)
        return ss_error_set(error, SS_ECLOSED, "%s is not connected", whom);
    return ss_error_set(
        error, SS_EIO, "cannot send to %s: %s", whom, zmq_strerror(number));
}

static int send_frame(void *socket, const void *bytes, size_t size, int flags)
{
    int rc;
    do
        rc = zmq_send(socket, bytes, size, ZMQ_DONTWAIT | flags);
    while (rc < 0 && errno == EINTR);
    return rc;
}

static int send_link(struct ss_link *link, const char *peer, const void *bytes,
    size_t size, struct ss_error *error)
{
    struct zmq_link *it = own(link);
    void *socket = it->socket;
    it->is_empty = false;
    if (peer) {
        unsigned char identity[SS_LINK_IDENTITY_SIZE_MAX];
        size_t identity_size = identity_of(peer, identity);
        if (identity_size == 0)
            return ss_error_set(error, SS_ECLOSED, "%s is not connected", peer);
        // Whether there is room is decided here, for the whole message.
        if (send_frame(socket, identity, identity_size, ZMQ_SNDMORE) < 0)
            return send_failed(it, peer, error);
    }
    if (send_frame(socket, bytes, size, 0) < 0)
        return send_failed(it, peer, error);
    if (peer)
        ss_admission_gave(it->admission, peer, size);
    return SS_OK;
}

// The next frame of a message that has begun: all its frames are there.
static void next_frame(void *socket, zmq_msg_t *frame)
{
    int rc;
    zmq_msg_close(frame);
    zmq_msg_init(frame);
    do
        rc = zmq_msg_recv(frame, socket, ZMQ_DONTWAIT);
    while (rc < 0 && errno == EINTR);
    ss_check(rc >= 0);
}

static size_t skip_rest(void *socket, zmq_msg_t *frame)
{
    size_t count = 0;
    for (; zmq_msg_more(frame); count++)
        next_frame(socket, frame);
    return count;
}

// SS_EAGAIN: the message is dropped, there may be another one. SS_EFORMAT: the
// admission knows who sent it, and there is no answering.
static int take_identity(struct zmq_link *link, zmq_msg_t *frame,
    char ret_peer[SS_PEER_SIZE], struct ss_error *error)
{
    char mark[SS_ADMISSION_MARK_SIZE] = {0}, name[SS_PEER_SIZE];
    size_t size = zmq_msg_size(frame);
    bool is_long = size > SS_LINK_IDENTITY_SIZE_MAX;
    ret_peer[0] = '\0';
    name_of(
        zmq_msg_data(frame), is_long ? SS_LINK_IDENTITY_SIZE_MAX : size, name);
    memcpy(
        mark, zmq_msg_data(frame), size < sizeof(mark) ? size : sizeof(mark));
    if (!zmq_msg_more(frame))
        return SS_EAGAIN; // a ROUTER always sends it
    next_frame(link->socket, frame);
    if (!ss_admission_admits(link->admission, frame, name, mark)) {
        skip_rest(link->socket, frame);
        return SS_EAGAIN;
    }
    if (is_long) {
        skip_rest(link->socket, frame);
        return ss_error_set(error, SS_EFORMAT,
            "a peer has an identity of %zu bytes; the limit is %d", size,
            SS_LINK_IDENTITY_SIZE_MAX);
    }
    memcpy(ret_peer, name, sizeof(name));
    return SS_OK;
}

static int take_frames(struct zmq_link *link, zmq_msg_t *frame,
    char ret_peer[SS_PEER_SIZE], void **ret_bytes, size_t *ret_size,
    struct ss_error *error)
{
    if (link->base.is_server) {
        int status = take_identity(link, frame, ret_peer, error);
        if (status != SS_OK)
            return status;
    }
    if (zmq_msg_more(frame)) {
        size_t count = 1 + skip_rest(link->socket, frame);
        return ss_error_set(error, SS_EFORMAT,
            "a message of %zu frames; a message is one frame", count);
    }
    *ret_size = zmq_msg_size(frame);
    *ret_bytes = ss_memdup(zmq_msg_data(frame), *ret_size);
    return SS_OK;
}

// The next message there is, into `frame`. *ret_is_there: else there is none.
static int first_frame(struct zmq_link *link, zmq_msg_t *frame,
    bool *ret_is_there, struct ss_error *error)
{
    int rc;
    do
        rc = zmq_msg_recv(frame, link->socket, ZMQ_DONTWAIT);
    while (rc < 0 && errno == EINTR);
    *ret_is_there = rc >= 0;
    link->is_empty = rc < 0 && errno == EAGAIN;
    if (rc >= 0 || errno == EAGAIN)
        return SS_OK;
    return ss_error_set(error, SS_EIO, "cannot receive on %s: %s",
        link->base.endpoint, zmq_strerror(errno));
}

static int recv_link(struct ss_link *link, char ret_peer[SS_PEER_SIZE],
    void **ret_bytes, size_t *ret_size, struct ss_error *error)
{
    struct zmq_link *it = own(link);
    int status = SS_EAGAIN;
    bool is_there = true;
    // Skip messages that admission drops.
    for (int i = 0; i < SS_LINK_DROPPED_TURN_MAX; i++) {
        zmq_msg_t frame;
        zmq_msg_init(&frame);
        status = first_frame(it, &frame, &is_there, error);
        if (status == SS_OK && is_there)
            status =
                take_frames(it, &frame, ret_peer, ret_bytes, ret_size, error);
        zmq_msg_close(&frame);
        if (!is_there)
            return status == SS_OK ? SS_EAGAIN : status;
        if (status != SS_EAGAIN) {
            it->is_heard = true;
            return status;
        }
    }
    return status;
}

// The link's descriptor, admission's, and those of the caller: poll() passes
// over -1.
enum { OWN, ADMISSION, OTHERS = ADMISSION + SS_ADMISSION_FDS };

static size_t fill(const struct zmq_link *link, const int *fds, size_t count,
    struct pollfd *ret_items)
{
    int own[SS_ADMISSION_FDS];
    for (size_t i = 0; i < SS_ADMISSION_FDS; i++)
        own[i] = -1;
    if (link->admission)
        ss_admission_fds(link->admission, own);
    ret_items[OWN] = (struct pollfd){.fd = link->fd, .events = POLLIN};
    for (size_t i = 0; i < SS_ADMISSION_FDS; i++)
        ret_items[ADMISSION + i] =
            (struct pollfd){.fd = own[i], .events = POLLIN};
    for (size_t i = 0; i < count; i++)
        ret_items[OTHERS + i] = (struct pollfd){.fd = fds[i], .events = POLLIN};
    return OTHERS + count;
}

static int sooner_of(int left_ms, int other_ms)
{
    return other_ms >= 0 && (left_ms < 0 || other_ms < left_ms) ? other_ms
                                                                : left_ms;
}

// One look: bits as ss_link_wait_all() gives them, 0 also where only admission
// had something to do. Sockets are waited for by their descriptors, which
// report changes only, so what is there already is asked for once before:
// zmq_poll() asks each socket twice, and a question is two calls of the system.
static int look(
    struct zmq_link *link, const int *fds, size_t count, int timeout_ms)
{
    struct pollfd items[OTHERS + SS_LINK_WAIT_MAX];
    size_t used = fill(link, fds, count, items);
    bool is_there = is_ready(&link->base);
    if (link->admission) {
        timeout_ms =
            sooner_of(timeout_ms, ss_admission_time_left(link->admission));
        if (ss_admission_is_behind(link->admission))
            timeout_ms = 0;
    }
    if (is_there)
        timeout_ms = 0;
    int rc = poll(items, (nfds_t)used, timeout_ms);
    unsigned ready = 0;
    for (size_t i = 0; i < SS_ADMISSION_FDS && rc > 0; i++)
        ready |= (items[ADMISSION + i].revents != 0) * (1U << i);
    if (link->admission)
        ss_admission_serve(link->admission, ready);
    if (rc > 0 && items[OWN].revents != 0) {
        link->is_empty = false;
        is_there = is_ready(&link->base);
    }
    int bits = is_there;
    for (size_t i = 0; i < count && rc > 0; i++)
        if (items[OTHERS + i].revents != 0)
            bits |= 2 << i;
    return bits;
}

static int64_t now_ms(void)
{
    struct timespec now;
    ss_check(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// Work of admission alone does not end a wait, unless there is a notice to
// report.
static int wait_link(
    struct ss_link *link, const int *fds, size_t count, int timeout_ms)
{
    struct zmq_link *it = own(link);
    int64_t end_ms = timeout_ms > 0 ? now_ms() + timeout_ms : 0;
    int left_ms = timeout_ms;
    for (;;) {
        int bits = look(it, fds, count, left_ms);
        if (bits != 0 || timeout_ms == 0 || !it->admission ||
            ss_admission_has_notices(it->admission))
            return bits;
        int64_t now = now_ms();
        if (timeout_ms > 0 && now >= end_ms)
            return 0;
        if (timeout_ms > 0)
            left_ms = (int)(end_ms - now);
    }
}
