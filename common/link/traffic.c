// traffic.c - the kernel's numbers of a TCP connection.
#include "common/link/traffic.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

bool ss_traffic_of(int fd, struct ss_traffic *ret)
{
    struct tcp_info info;
    socklen_t size = sizeof(info);
    memset(&info, 0, sizeof(info));
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 ||
        size < offsetof(struct tcp_info, tcpi_bytes_received) +
                   sizeof(info.tcpi_bytes_received) ||
        info.tcpi_bytes_received > INT64_MAX ||
        info.tcpi_bytes_acked > INT64_MAX)
        return false;
    *ret = (struct ss_traffic){.received = (int64_t)info.tcpi_bytes_received,
        .accepted = (int64_t)info.tcpi_bytes_acked};
    return true;
}
