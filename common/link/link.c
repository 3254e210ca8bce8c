// link.c - which kind of link an endpoint means, and what all kinds share.
#include "common/link/link.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/link/admission.h"
#include "common/link/limits.h"
#include "common/link/link_impl.h"

// "tcp://127.0.0.1:7433": between the slashes and the port.
bool ss_link_is_loopback(const char *endpoint)
{
    static const char *const names[] = {"localhost", "[::1]", "::1", "lo"};
    if (strncmp(endpoint, "tcp://", 6) != 0)
        return true;
    const char *host = endpoint + 6, *colon = strrchr(host, ':');
    size_t size = colon ? (size_t)(colon - host) : strlen(host);
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strlen(names[i]) == size && memcmp(host, names[i], size) == 0)
            return true;
    // A host name may begin like that too; an address has no letters.
    return size >= 4 && memcmp(host, "127.", 4) == 0 &&
           strspn(host, "0123456789.") >= size;
}

// ZeroMQ takes a port's last 16 bits: 70000 would be 4464 in silence.
static int check_port(const char *endpoint, struct ss_error *error)
{
    enum { PORT_DIGITS = 5, PORT_MAX = 65535 };
    const char *colon = strrchr(endpoint, ':'); // it has one: "tcp:"
    size_t digits = strspn(colon + 1, "0123456789");
    bool is_any = strcmp(colon, ":*") == 0;
    bool is_number =
        digits > 0 && digits <= PORT_DIGITS && colon[1 + digits] == '\0';
    bool is_port = is_number && strtol(colon + 1, NULL, 10) <= PORT_MAX;
    if (strncmp(endpoint, "tcp://", 6) != 0 || is_any || is_port)
        return SS_OK;
    return ss_error_set(error, SS_EINVAL,
        "\"%.200s\" has no port: a number up to %d behind the last colon, as "
        "tcp://HOST:7433",
        endpoint, PORT_MAX);
}

static int check_reach(
    const struct ss_link_options *options, struct ss_error *error)
{
    bool has_keys = options->keys && *options->keys;
    if (!options->server || has_keys || options->is_insecure ||
        ss_link_is_loopback(options->endpoint))
        return SS_OK;
    return ss_error_set(error, SS_EINVAL,
        "%s reaches beyond this machine, and without keys anybody there could "
        "do anything: give it keys (--keys DIR; superstep keys new makes "
        "them), or say --insecure if the network can be trusted",
        options->endpoint);
}

int ss_link_check_endpoint(const char *endpoint, struct ss_error *error)
{
    if (strncmp(endpoint, "loop:", 5) == 0 && endpoint[5] != '\0')
        return SS_OK;
    if (strncmp(endpoint, "tcp://", 6) == 0 ||
        strncmp(endpoint, "ipc://", 6) == 0)
        return check_port(endpoint, error);
    return ss_error_set(error, SS_EINVAL,
        "\"%.200s\" is not an endpoint; write tcp://HOST:PORT or ipc://PATH",
        endpoint);
}

int ss_link_open(const struct ss_link_options *options,
    struct ss_link **ret_link, struct ss_error *error)
{
    struct ss_link_options full = *options;
    const char *endpoint = full.endpoint ? full.endpoint : "";
    if (full.message_size_max == 0)
        full.message_size_max = SS_LINK_MESSAGE_SIZE_MAX;
    int status = ss_link_check_endpoint(endpoint, error);
    if (status == SS_OK && strncmp(endpoint, "loop:", 5) == 0)
        return ss_link_open_loop(&full, ret_link, error);
    if (status == SS_OK)
        status = check_reach(&full, error);
    return status == SS_OK ? ss_link_open_zmq(&full, ret_link, error) : status;
}

void ss_link_close(struct ss_link **link)
{
    if (!*link)
        return;
    (*link)->ops->close(*link);
    *link = NULL;
}

int ss_link_send(struct ss_link *link, const char *peer, const void *bytes,
    size_t size, struct ss_error *error)
{
    ss_check(link->is_server == (peer != NULL));
    if (size > link->message_size_max)
        return ss_error_set(error, SS_ELIMIT,
            "a message of %zu bytes; the limit of this link is %zu", size,
            link->message_size_max);
    return link->ops->send(link, peer, bytes, size, error);
}

int ss_link_recv(struct ss_link *link, char ret_peer[SS_PEER_SIZE],
    void **ret_bytes, size_t *ret_size, struct ss_error *error)
{
    return link->ops->recv(link, ret_peer, ret_bytes, ret_size, error);
}

int ss_link_fd(const struct ss_link *link)
{
    return link->ops->fd(link);
}

int ss_link_news_fd(const struct ss_link *link)
{
    return link->ops->news_fd ? link->ops->news_fd(link) : -1;
}

int ss_link_wait_all(
    struct ss_link *link, const int *fds, size_t count, int timeout_ms)
{
    ss_check(count <= SS_LINK_WAIT_MAX);
    return link->ops->wait(link, fds, count, timeout_ms);
}

bool ss_link_wait_each(struct ss_link *const *links, size_t links_count,
    const int *fds, size_t count, int timeout_ms)
{
    struct pollfd items[2 * SS_LINK_WAIT_LINKS_MAX + SS_LINK_WAIT_MAX];
    size_t used = 0;
    ss_check(links_count <= SS_LINK_WAIT_LINKS_MAX);
    ss_check(count <= SS_LINK_WAIT_MAX);
    for (size_t i = 0; i < links_count; i++) {
        // Descriptors report changes only: ask for what is there already.
        if (links[i]->ops->is_ready(links[i]))
            timeout_ms = 0;
        items[used++] = (struct pollfd){
            .fd = links[i]->ops->fd(links[i]), .events = POLLIN};
    }
    size_t news = used; // poll() passes over -1
    for (size_t i = 0; i < links_count; i++)
        items[used++] =
            (struct pollfd){.fd = ss_link_news_fd(links[i]), .events = POLLIN};
    for (size_t i = 0; i < count; i++)
        items[used++] = (struct pollfd){.fd = fds[i], .events = POLLIN};
    bool is_new = false;
    if (poll(items, (nfds_t)used, timeout_ms) <= 0)
        return false;
    for (size_t i = 0; i < links_count; i++)
        if (items[news + i].revents != 0)
            is_new |= links[i]->ops->take_news(links[i]);
    return is_new;
}

const char *ss_link_endpoint(const struct ss_link *link)
{
    return link->endpoint;
}

// ------------------------------------------------------------------ peers

static struct ss_admission *door_of(const struct ss_link *link)
{
    return link->ops->admission ? link->ops->admission(link) : NULL;
}

const struct ss_link_sender *ss_link_sender(const struct ss_link *link)
{
    static const struct ss_link_sender own = {SS_ROLES_ALL, "", "local"};
    const struct ss_admission *admission = door_of(link);
    return admission ? ss_admission_sender(admission) : &own;
}

void ss_link_complain(struct ss_link *link)
{
    struct ss_admission *admission = door_of(link);
    if (admission)
        ss_admission_complain(admission);
}

bool ss_link_notice(struct ss_link *link, struct ss_link_notice *ret)
{
    struct ss_admission *admission = door_of(link);
    return admission && ss_admission_notice(admission, ret);
}

void ss_link_counts(const struct ss_link *link, struct ss_link_counts *ret)
{
    const struct ss_admission *admission = door_of(link);
    *ret = (struct ss_link_counts){.connections = 0};
    if (admission)
        ss_admission_counts(admission, ret);
}

void ss_link_limits(
    const struct ss_link *link, struct ss_rate_limit_settings *ret)
{
    const struct ss_admission *admission = door_of(link);
    *ret = (struct ss_rate_limit_settings){.connections_max = 0};
    if (admission)
        *ret = *ss_admission_limits(admission);
}

const char *ss_link_trouble(struct ss_link *link)
{
    return link->ops->trouble ? link->ops->trouble(link) : NULL;
}

bool ss_link_is_new(struct ss_link *link)
{
    return link->ops->is_new && link->ops->is_new(link);
}
