// filter.c - a program for the kernel's packet filter, made from addresses.
//
//   protocol? --IPv4--> source = a? drop; = b? drop; ... keep
//             --IPv6--> network = c? drop; ... keep
//             --else--> keep
#include "common/link/filter.h"

#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <string.h>
#include <sys/socket.h>

#include "common/base/check.h"

enum {
    IPV4_SOURCE = 12, // offsets in their headers
    IPV6_SOURCE = 8,
    IPV4_SIZE = 2, // instructions for an address
    IPV6_SIZE = 5,
    REST_SIZE = 8,
    PROGRAM_MAX = REST_SIZE + SS_FILTER_MAX * IPV6_SIZE,
    DROP = 0,
};
static const uint32_t keep = UINT32_MAX;

struct program {
    struct sock_filter code[PROGRAM_MAX];
    unsigned short count;
};

static void add(struct program *program, unsigned short code, uint32_t value,
    unsigned char skip_if, unsigned char skip_else)
{
    ss_check(program->count < PROGRAM_MAX);
    program->code[program->count++] = (struct sock_filter){
        .code = code, .jt = skip_if, .jf = skip_else, .k = value};
}

static void add_load(struct program *program, int offset)
{
    add(program, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void add_return(struct program *program, uint32_t value)
{
    add(program, BPF_RET | BPF_K, value, 0, 0);
}

// As the kernel loads it: four bytes, the first one the highest.
static uint32_t word(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 |
           (uint32_t)bytes[2] << 8 | bytes[3];
}

static size_t count_of(const struct ss_filter *filter, bool is_ipv6)
{
    size_t count = 0;
    for (size_t i = 0; i < filter->count; i++)
        count += filter->addresses[i].is_ipv6 == is_ipv6;
    return count;
}

static void add_ipv4(struct program *program, const struct ss_filter *filter)
{
    add_load(program, SKF_NET_OFF + IPV4_SOURCE);
    for (size_t i = 0; i < filter->count; i++) {
        if (filter->addresses[i].is_ipv6)
            continue;
        add(program, BPF_JMP | BPF_JEQ | BPF_K,
            word(filter->addresses[i].bytes), 0, 1);
        add_return(program, DROP);
    }
    add_return(program, keep);
}

static void add_ipv6(struct program *program, const struct ss_filter *filter)
{
    for (size_t i = 0; i < filter->count; i++) {
        const unsigned char *bytes = filter->addresses[i].bytes;
        if (!filter->addresses[i].is_ipv6)
            continue;
        add_load(program, SKF_NET_OFF + IPV6_SOURCE);
        add(program, BPF_JMP | BPF_JEQ | BPF_K, word(bytes), 0, 3);
        add_load(program, SKF_NET_OFF + IPV6_SOURCE + 4);
        add(program, BPF_JMP | BPF_JEQ | BPF_K, word(bytes + 4), 0, 1);
        add_return(program, DROP);
    }
    add_return(program, keep);
}

static bool install(const struct ss_filter *filter, int fd)
{
    struct program program = {.count = 0};
    int none = 0;
    if (filter->count == 0)
        return setsockopt(
                   fd, SOL_SOCKET, SO_DETACH_FILTER, &none, sizeof(none)) == 0;
    size_t ipv4_size = 2 + IPV4_SIZE * count_of(filter, false);
    add(&program, BPF_LD | BPF_W | BPF_ABS,
        (uint32_t)(SKF_AD_OFF + SKF_AD_PROTOCOL), 0, 0);
    add(&program, BPF_JMP | BPF_JEQ | BPF_K, ETH_P_IP, 1, 0);
    add(&program, BPF_JMP | BPF_JA, (uint32_t)ipv4_size, 0, 0);
    add_ipv4(&program, filter);
    add(&program, BPF_JMP | BPF_JEQ | BPF_K, ETH_P_IPV6, 1, 0);
    add_return(&program, keep);
    add_ipv6(&program, filter);
    struct sock_fprog handed = {program.count, program.code};
    return setsockopt(
               fd, SOL_SOCKET, SO_ATTACH_FILTER, &handed, sizeof(handed)) == 0;
}

static bool parse(const char *address, struct ss_filter_address *ret)
{
    unsigned char bytes[sizeof(struct in6_addr)];
    memset(ret, 0, sizeof(*ret));
    if (inet_pton(AF_INET, address, ret->bytes) == 1)
        return true;
    if (inet_pton(AF_INET6, address, bytes) != 1)
        return false;
    memcpy(ret->bytes, bytes, sizeof(ret->bytes));
    ret->is_ipv6 = true;
    return true;
}

bool ss_filter_block(
    struct ss_filter *filter, int fd, const char *address, int64_t until_ms)
{
    struct ss_filter_address given;
    if (fd < 0 || !parse(address, &given))
        return false;
    given.until_ms = until_ms;
    for (size_t i = 0; i < filter->count; i++) {
        struct ss_filter_address *it = &filter->addresses[i];
        if (it->is_ipv6 == given.is_ipv6 &&
            memcmp(it->bytes, given.bytes, sizeof(it->bytes)) == 0) {
            it->until_ms = until_ms;
            return true;
        }
    }
    if (filter->count == SS_FILTER_MAX)
        return false;
    filter->addresses[filter->count++] = given;
    if (install(filter, fd))
        return true;
    filter->count--;
    return false;
}

void ss_filter_pass(struct ss_filter *filter, int fd, int64_t now_ms)
{
    size_t kept = 0;
    for (size_t i = 0; i < filter->count; i++)
        if (filter->addresses[i].until_ms > now_ms)
            filter->addresses[kept++] = filter->addresses[i];
    if (kept == filter->count)
        return;
    filter->count = kept;
    (void)!install(filter, fd);
}

int64_t ss_filter_due_ms(const struct ss_filter *filter)
{
    int64_t first_ms = INT64_MAX;
    for (size_t i = 0; i < filter->count; i++)
        if (filter->addresses[i].until_ms < first_ms)
            first_ms = filter->addresses[i].until_ms;
    return first_ms;
}
