// filter.h - addresses whose packets a listening socket does not even see.
//
// To accept a connection and hang up on it costs some fifty microseconds, and a
// flood makes thousands of them a second. The kernel can drop their packets
// first: a program for its packet filter (BPF), on the socket that listens,
// needs no right. Connections that are open are not touched; they have
// programs, or none, of their own.
//
// Where the kernel takes no program, nothing is filtered, and nothing else is
// different.
#ifndef SS_LINK_FILTER_H
#define SS_LINK_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SS_FILTER_MAX = 64
}; // addresses at a time; floods of more are a
   // packet filter's business

struct ss_filter_address {
    unsigned char bytes[8]; // IPv4: the first four; IPv6: the network
    bool is_ipv6;
    int64_t until_ms;
};

// Zero bytes are one that filters nothing.
struct ss_filter {
    struct ss_filter_address addresses[SS_FILTER_MAX];
    size_t count;
};

// Drop what comes from `address` ("192.0.2.7"; of IPv6 the first half counts)
// for `fd`, which listens, until then. False: it is not filtered: it is none,
// there are too many, or the kernel takes no program.
bool ss_filter_block(
    struct ss_filter *filter, int fd, const char *address, int64_t until_ms);
// Let those come again whose time is over.
void ss_filter_pass(struct ss_filter *filter, int fd, int64_t now_ms);
// When that is due; INT64_MAX: nothing is filtered.
int64_t ss_filter_due_ms(const struct ss_filter *filter);

#endif
