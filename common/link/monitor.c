// monitor.c - events of libzmq, those that matter here.
#include "common/link/monitor.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <zmq.h>

#include "common/base/check.h"

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
};

enum { TABLE_COUNT = sizeof(table) / sizeof(*table) };

void *ss_monitor_open(void *context, void *socket, const char *name)
{
    char address[ADDRESS_SIZE];
    int events = 0, unlimited = 0, linger = 0;
    for (size_t i = 0; i < TABLE_COUNT; i++)
        events |= table[i].event;
    snprintf(address, sizeof(address), "inproc://%s", name);
    void *monitor = zmq_socket(context, ZMQ_PAIR);
    if (!monitor)
        return NULL;
    // libzmq waits where this queue is full, and would do so for ever while
    // the socket is closed. New connections are bounded in rate.
    ss_check(zmq_setsockopt(
                 monitor, ZMQ_RCVHWM, &unlimited, sizeof(unlimited)) == 0);
    ss_check(
        zmq_setsockopt(monitor, ZMQ_LINGER, &linger, sizeof(linger)) == 0);
    if (zmq_socket_monitor(socket, address, events) != 0 ||
        zmq_connect(monitor, address) != 0) {
        zmq_close(monitor);
        return NULL;
    }
    return monitor;
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
