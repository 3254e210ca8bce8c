// zap.c - the answering side of ZeroMQ's authentication protocol.
//
//   request  version, id, domain, address, identity, mechanism, credentials...
//   answer   version, id, status, text, user, metadata
//
// Each behind who asks, and an empty frame: it is a ROUTER, so that an answer
// can wait while others get theirs.
#include "common/link/zap.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/check.h"

enum { FRAMES_MAX = 16, FRAME_SIZE = 256, KEY_BYTES = 32 };

static const char version[] = "1.0";
static const char domain[] = "superstep";
static const char address[] = "inproc://zeromq.zap.01"; // RFC 27 says so

int ss_zap_open(struct ss_sockets *sockets, void *socket,
    struct ss_socket *ret_zap, struct ss_error *error)
{
    if (!ss_socket_open(sockets, ZMQ_ROUTER, ret_zap))
        return ss_error_set(error, SS_EIO,
            "libzmq cannot ask who may come in: %s", zmq_strerror(errno));
    zsock_set_linger(ret_zap->handle, 0);
    if (zmq_bind(ret_zap->handle, address) == 0) {
        zsock_set_zap_domain(socket, domain);
        return SS_OK;
    }
    int status =
        errno == EADDRINUSE
            ? ss_error_set(error, SS_EBUSY,
                  "one link with keys can listen in a process, and "
                  "there is one already")
            : ss_error_set(error, SS_EIO,
                  "libzmq cannot ask who may come in: %s", zmq_strerror(errno));
    ss_socket_close(ret_zap);
    return status;
}

void ss_zap_close(struct ss_socket *zap)
{
    if (zap->handle)
        zmq_unbind(zap->handle, address); // at once; closing takes its time
    ss_socket_close(zap);
}

static int receive(void *zap, void *bytes, size_t size)
{
    int rc;
    do
        rc = zmq_recv(zap, bytes, size, ZMQ_DONTWAIT);
    while (rc < 0 && errno == EINTR);
    return rc;
}

static bool has_more(void *zap)
{
    int more = 0;
    size_t size = sizeof(more);
    return zmq_getsockopt(zap, ZMQ_RCVMORE, &more, &size) == 0 && more != 0;
}

enum frame {
    FROM,
    EMPTY,
    VERSION,
    ID,
    DOMAIN_NAME,
    ADDRESS,
    IDENTITY,
    MECHANISM,
    CREDENTIALS
};

static void take_frame(struct ss_zap_request *request, int index,
    const unsigned char *bytes, int size)
{
    if (index == FROM && size <= SS_ZAP_ID_SIZE) {
        memcpy(request->from, bytes, (size_t)size);
        request->from_size = size;
    } else if (index == ID && size <= SS_ZAP_ID_SIZE) {
        memcpy(request->id, bytes, (size_t)size);
        request->id_size = size;
    } else if (index == ADDRESS) {
        snprintf(request->address, sizeof(request->address), "%.*s", size,
            (const char *)bytes);
    } else if (index == CREDENTIALS && size == KEY_BYTES) {
        zmq_z85_encode(request->public_half, bytes, KEY_BYTES);
    }
}

bool ss_zap_take(void *zap, struct ss_zap_request *ret_request)
{
    unsigned char bytes[FRAME_SIZE] = "", mechanism[FRAME_SIZE] = "";
    *ret_request = (struct ss_zap_request){.id_size = 0};
    int size = receive(zap, bytes, sizeof(bytes));
    if (size < 0)
        return false;
    for (int index = 0; index < FRAMES_MAX; index++) {
        if (size > FRAME_SIZE)
            size = 0; // too long to be valid
        if (index == MECHANISM)
            memcpy(mechanism, bytes, (size_t)size);
        take_frame(ret_request, index, bytes, size);
        if (!has_more(zap))
            break;
        size = receive(zap, bytes, sizeof(bytes));
        ss_check(size >= 0); // all frames of a message are there
    }
    if (memcmp(mechanism, "CURVE", 5) != 0)
        ret_request->public_half[0] = '\0';
    return true;
}

static void send_frame(void *zap, const void *bytes, size_t size, bool is_last)
{
    int rc;
    do
        rc = zmq_send(zap, bytes, size, is_last ? 0 : ZMQ_SNDMORE);
    while (rc < 0 && errno == EINTR);
}

void ss_zap_answer(
    void *zap, const struct ss_zap_request *request, bool is_allowed)
{
    const char *user = is_allowed ? request->public_half : "";
    const char *text = is_allowed ? "OK" : "this key is not allowed";
    send_frame(zap, request->from, (size_t)request->from_size, false);
    send_frame(zap, "", 0, false);
    send_frame(zap, version, strlen(version), false);
    send_frame(zap, request->id, (size_t)request->id_size, false);
    send_frame(zap, is_allowed ? "200" : "400", 3, false);
    send_frame(zap, text, strlen(text), false);
    send_frame(zap, user, strlen(user), false);
    send_frame(zap, "", 0, true);
}
