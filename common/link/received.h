// received.h - how much the other side of a connection has sent so far.
#ifndef SS_LINK_RECEIVED_H
#define SS_LINK_RECEIVED_H

#include <stdint.h>

// In bytes, as the kernel counted them; -1: `fd` is no connection by TCP, or the
// kernel does not count.
int64_t ss_received(int fd);

#endif
