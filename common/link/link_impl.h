// link_impl.h - what a kind of link implements.
#ifndef SS_LINK_LINK_IMPL_H
#define SS_LINK_LINK_IMPL_H

#include "common/link/link.h"

struct ss_link_ops {
    void (*close)(struct ss_link *link); // frees it all
    int (*send)(struct ss_link *link, const char *peer, const void *bytes,
        size_t size, struct ss_error *error);
    int (*recv)(struct ss_link *link, char ret_peer[SS_PEER_SIZE],
        void **ret_bytes, size_t *ret_size, struct ss_error *error);
    int (*fd)(const struct ss_link *link);
    bool (*is_ready)(struct ss_link *link); // something can be read now
    int (*wait)(
        struct ss_link *link, const int *fds, size_t count, int timeout_ms);
    // NULL for a link within one process.
    struct ss_admission *(*admission)(const struct ss_link *link);
    const char *(*trouble)(struct ss_link *link);
    // NULL for a link within one process.
    bool (*is_new)(struct ss_link *link);
    int (*news_fd)(const struct ss_link *link); // -1: none
    // Note it for is_new() and trouble(). True: is_new() is true.
    bool (*take_news)(struct ss_link *link);
};

// Begins each kind's own struct.
struct ss_link {
    const struct ss_link_ops *ops;
    bool is_server;
    size_t message_size_max;
    char *endpoint;
};

// `options` are complete. Give.
int ss_link_open_zmq(const struct ss_link_options *options,
    struct ss_link **ret_link, struct ss_error *error) SS_MUST_USE;
int ss_link_open_loop(const struct ss_link_options *options,
    struct ss_link **ret_link, struct ss_error *error) SS_MUST_USE;

#endif
