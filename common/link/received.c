// received.c - the kernel's numbers of a TCP connection.
#include "common/link/received.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

int64_t ss_received(int fd)
{
    struct tcp_info info;
    socklen_t size = sizeof(info);
    memset(&info, 0, sizeof(info));
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 ||
        size < offsetof(struct tcp_info, tcpi_bytes_received) +
                   sizeof(info.tcpi_bytes_received) ||
        info.tcpi_bytes_received > INT64_MAX)
        return -1;
    return (int64_t)info.tcpi_bytes_received;
}
