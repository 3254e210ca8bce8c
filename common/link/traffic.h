// traffic.h - what the kernel knows of a connection's bytes.
#ifndef SS_LINK_TRAFFIC_H
#define SS_LINK_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>

struct ss_traffic {
    int64_t received; // from the other side, so far
    int64_t accepted; // of ours, by the other side
};

// False: `fd` is not a connection by TCP, or the kernel does not count.
bool ss_traffic_of(int fd, struct ss_traffic *ret);

#endif
