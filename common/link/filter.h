// filter.h - addresses whose packets a listening socket does not even see.
//
// Accepting a connection and closing it costs some fifty microseconds, and a
// flood makes thousands of them a second. The kernel can drop their packets
// first: a program for its packet filter (BPF), on the socket that listens,
// needs no right. Open connections are not touched: a program belongs to one
// socket.
//
// Where the kernel takes no program, nothing is filtered, and everything else
// works as before.
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

// Zero bytes: nothing is filtered.
struct ss_filter {
    struct ss_filter_address addresses[SS_FILTER_MAX];
    size_t count;
};

// Drop what comes from `address` ("192.0.2.7"; of IPv6 the first half counts)
// for the listening socket `fd`, until `until_ms`. False: it is not filtered:
// the text is not an address, there are too many, or the kernel takes no
// program.
bool ss_filter_block(
    struct ss_filter *filter, int fd, const char *address, int64_t until_ms);
// Let addresses come again whose time is over.
void ss_filter_pass(struct ss_filter *filter, int fd, int64_t now_ms);
// When ss_filter_pass() is due; INT64_MAX: nothing is filtered.
int64_t ss_filter_due_ms(const struct ss_filter *filter);

#endif
