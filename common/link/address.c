// address.c - where the other side of a connection is, as one text.
#include "common/link/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

bool ss_address_of(int fd, char ret_address[SS_RATE_LIMIT_ADDRESS_SIZE])
{
    struct sockaddr_storage other;
    socklen_t size = sizeof(other);
    memset(&other, 0, sizeof(other));
    if (getpeername(fd, (struct sockaddr *)&other, &size) != 0)
        return false;
    snprintf(ret_address, SS_RATE_LIMIT_ADDRESS_SIZE, "local");
    if (other.ss_family == AF_INET) {
        const struct sockaddr_in *in = (const struct sockaddr_in *)&other;
        inet_ntop(
            AF_INET, &in->sin_addr, ret_address, SS_RATE_LIMIT_ADDRESS_SIZE);
    } else if (other.ss_family == AF_INET6) {
        const struct sockaddr_in6 *in = (const struct sockaddr_in6 *)&other;
        char text[SS_RATE_LIMIT_ADDRESS_SIZE];
        inet_ntop(AF_INET6, &in->sin6_addr, text, sizeof(text));
        bool is_mapped = strncmp(text, "::ffff:", 7) == 0;
        memcpy(ret_address, is_mapped ? text + 7 : text,
            strlen(is_mapped ? text + 7 : text) + 1);
    }
    return true;
}

void ss_address_plain(
    const char *given, char ret_address[SS_RATE_LIMIT_ADDRESS_SIZE])
{
    bool is_mapped = strncmp(given, "::ffff:", 7) == 0;
    bool is_local =
        *given == '\0' || (*given == ':' && given[1] != ':'); // ":UID:GID:PID"
    snprintf(ret_address, SS_RATE_LIMIT_ADDRESS_SIZE, "%s",
        is_local ? "local" : given + (is_mapped ? 7 : 0));
    ret_address[strcspn(ret_address, "%")] = '\0'; // the name of a network card
}

static bool is_same_network(const char *one, const char *other)
{
    char networks[2][SS_RATE_LIMIT_ADDRESS_SIZE];
    ss_rate_limit_network(one, networks[0]);
    ss_rate_limit_network(other, networks[1]);
    return strcmp(networks[0], networks[1]) == 0;
}

// The descriptor is libzmq's, which may close it at any time; its number may
// then stand for another connection. So we duplicate it, check that it leads to
// `address`, and shut the connection down instead of closing the descriptor:
// libzmq does the rest.
void ss_address_hang_up(int fd, const char *address)
{
    char found[SS_RATE_LIMIT_ADDRESS_SIZE];
    int own = fd >= 0 ? dup(fd) : -1;
    if (own < 0)
        return;
    if (ss_address_of(own, found) && is_same_network(found, address))
        shutdown(own, SHUT_RDWR);
    close(own);
}
