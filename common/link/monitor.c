// monitor.c - the events of libzmq that matter here.
#include "common/link/monitor.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/base/check.h"
#include "common/link/limits.h"

enum { ADDRESS_SIZE = 64, EVENT_SIZE = 6 };

static const struct {
    int event;
    enum ss_monitor_news news;
} table[] = {
    {ZMQ_EVENT_LISTENING, SS_MONITOR_LISTENING},
    {ZMQ_EVENT_ACCEPTED, SS_MONITOR_ACCEPTED},
    {ZMQ_EVENT_DISCONNECTED, SS_MONITOR_DISCONNECTED},
    {ZMQ_EVENT_HANDSHAKE_SUCCEEDED, SS_MONITOR_CONNECTED},
    {ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL, SS_MONITOR_PROTOCOL},
    {ZMQ_EVENT_HANDSHAKE_FAILED_AUTH, SS_MONITOR_DENIED},
    {ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL, SS_MONITOR_BROKEN},
    {ZMQ_EVENT_MONITOR_STOPPED, SS_MONITOR_ENDED},
};

enum { TABLE_COUNT = sizeof(table) / sizeof(*table) };

bool ss_monitor_open(struct ss_sockets *sockets, void *socket, const char *name,
    struct ss_socket *ret_monitor)
{
    static atomic_uint count; // one context has the monitors of all links
    char address[ADDRESS_SIZE];
    int events = 0;
    for (size_t i = 0; i < TABLE_COUNT; i++)
        events |= table[i].event;
    snprintf(address, sizeof(address), "inproc://superstep-%s-%u", name,
        atomic_fetch_add(&count, 1));
    if (!ss_socket_open(sockets, ZMQ_PAIR, ret_monitor))
        return false;
    // If this queue were bounded, libzmq would wait where it is full, for ever
    // while the socket is being closed: so it is not a zmonitor, whose queue is
    // bounded. The rate of new connections is bounded.
    zsock_set_rcvhwm(ret_monitor->handle, 0);
    zsock_set_linger(ret_monitor->handle, 0);
    if (zmq_socket_monitor(socket, address, events) == 0 &&
        zmq_connect(ret_monitor->handle, address) == 0)
        return true;
    ss_socket_close(ret_monitor);
    return false;
}

static int receive(void *monitor, void *bytes, size_t size)
{
    int rc;
    do
        rc = zmq_recv(monitor, bytes, size, ZMQ_DONTWAIT);
    while (rc < 0 && errno == EINTR);
    return rc;
}

bool ss_monitor_take(
    void *monitor, enum ss_monitor_news *ret_news, int *ret_value)
{
    unsigned char bytes[EVENT_SIZE];
    char endpoint[1];
    // A message is the event with its value, and the endpoint.
    while (receive(monitor, bytes, sizeof(bytes)) == EVENT_SIZE) {
        uint16_t event;
        int32_t value;
        memcpy(&event, bytes, sizeof(event));
        memcpy(&value, bytes + sizeof(event), sizeof(value));
        receive(monitor, endpoint, sizeof(endpoint));
        for (size_t i = 0; i < TABLE_COUNT; i++)
            if (table[i].event == event) {
                *ret_news = table[i].news;
                *ret_value = value;
                return true;
            }
    }
    return false;
}

static int64_t now_ms(void)
{
    struct timespec now;
    ss_check(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool has_ended(void *monitor)
{
    enum ss_monitor_news news;
    int value;
    while (ss_monitor_take(monitor, &news, &value))
        if (news == SS_MONITOR_ENDED)
            return true;
    return false;
}

void ss_monitor_close(struct ss_socket *monitor)
{
    if (!monitor->handle)
        return;
    int64_t end_ms = now_ms() + SS_LINK_CLOSE_MS, left_ms;
    zmq_pollitem_t item = {.socket = monitor->handle, .events = ZMQ_POLLIN};
    while (!has_ended(monitor->handle) && (left_ms = end_ms - now_ms()) > 0)
        zmq_poll(&item, 1, (long)left_ms);
    ss_socket_close(monitor);
}
