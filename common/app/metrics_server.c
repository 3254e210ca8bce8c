// metrics_server.c - libmicrohttpd, one thread, a page for numbers, and some
// for probes.
#include "common/app/metrics_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/app/clock.h"
#include "common/app/signals.h"
#include "common/base/mem.h"

struct ss_metrics_server {
    struct MHD_Daemon *daemon;
    enum ss_metric_who who;
    const char *program;
};

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static enum MHD_Result answer(struct MHD_Connection *connection,
    unsigned status, const char *type, const char *text)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(
        strlen(text), (void *)text, MHD_RESPMEM_MUST_COPY);
    if (!response)
        return MHD_NO;
    enum MHD_Result result =
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    if (result == MHD_YES)
        result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

static bool is_live(char ret_trouble[SS_HEALTH_SIZE])
{
    return ss_live(ss_clock_ms(), ret_trouble);
}

static const struct probe {
    const char *url;
    bool (*is_well)(char ret_trouble[SS_HEALTH_SIZE]);
} probes[] = {
    {"/live", is_live}, {"/ready", ss_health}, {"/health", ss_health}};

static enum MHD_Result answer_probe(
    struct MHD_Connection *connection, const struct probe *probe)
{
    char trouble[SS_HEALTH_SIZE];
    char text[SS_HEALTH_SIZE + 1];
    bool is_well = probe->is_well(trouble);
    snprintf(text, sizeof(text), "%s\n", is_well ? "ok" : trouble);
    return answer(connection,
        is_well ? MHD_HTTP_OK : MHD_HTTP_SERVICE_UNAVAILABLE, "text/plain",
        text);
}

// Called for the head of a request, for its body if it has one, and for its
// end: it answers at the head.
static enum MHD_Result on_request(void *ctx, struct MHD_Connection *connection,
    const char *url, const char *method, const char *version,
    const char *upload, size_t *upload_size, void **state)
{
    const struct ss_metrics_server *server = ctx;
    (void)version;
    (void)upload;
    (void)upload_size;
    (void)state;
    // Of an answer to HEAD the library sends the head alone.
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 &&
        strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        return answer(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "text/plain",
            "only GET is answered here\n");
    for (size_t i = 0; i < sizeof(probes) / sizeof(*probes); i++)
        if (strcmp(url, probes[i].url) == 0)
            return answer_probe(connection, &probes[i]);
    if (strcmp(url, "/metrics") != 0)
        return answer(connection, MHD_HTTP_NOT_FOUND, "text/plain",
            "only /metrics, /live, /ready and /health are served\n");
    char *text = ss_metrics_text(server->who, server->program);
    enum MHD_Result result =
        answer(connection, MHD_HTTP_OK, "text/plain; version=0.0.4", text);
    ss_free(text);
    return result;
}

// "127.0.0.1:9464" or "[::1]:9464".
static bool parse_address(const char *text, union address *ret)
{
    const char *colon = strrchr(text, ':');
    char host[INET6_ADDRSTRLEN];
    size_t size = colon ? (size_t)(colon - text) : 0;
    bool is_v6 = size > 2 && text[0] == '[' && text[size - 1] == ']';
    if (is_v6) {
        text++;
        size -= 2;
    }
    if (size == 0 || size >= sizeof(host))
        return false;
    memcpy(host, text, size);
    host[size] = '\0';
    char *end;
    errno = 0;
    long port = strtol(colon + 1, &end, 10);
    if (colon[1] < '0' || colon[1] > '9' || *end || errno || port > 65535)
        return false;
    memset(ret, 0, sizeof(*ret));
    if (is_v6) {
        ret->v6.sin6_family = AF_INET6;
        ret->v6.sin6_port = htons((uint16_t)port);
        return inet_pton(AF_INET6, host, &ret->v6.sin6_addr) == 1;
    }
    ret->v4.sin_family = AF_INET;
    ret->v4.sin_port = htons((uint16_t)port);
    return inet_pton(AF_INET, host, &ret->v4.sin_addr) == 1;
}

static void log_nothing(void *ctx, const char *format, va_list args)
{
    (void)ctx;
    (void)format;
    (void)args;
}

int ss_metrics_serve(const char *address, enum ss_metric_who who,
    const char *program, struct ss_metrics_server **ret_server,
    struct ss_error *error)
{
    union address at;
    if (!parse_address(address, &at))
        return ss_error_set(error, SS_EINVAL,
            "metrics: \"%.100s\" is not an ADDRESS:PORT, as 127.0.0.1:9464",
            address);
    struct ss_metrics_server *server = ss_zalloc(1, sizeof(*server));
    server->who = who;
    server->program = program;
    // poll(): select() knows no descriptor beyond 1023, and there are as many
    // as workers and clients.
    unsigned flags = MHD_USE_POLL_INTERNAL_THREAD | MHD_USE_ERROR_LOG;
    if (at.any.sa_family == AF_INET6)
        flags |= MHD_USE_IPv6;
    // Signals are the main thread's.
    sigset_t before;
    ss_signals_block(&before);
    errno = 0;
    server->daemon = MHD_start_daemon(flags, 0, NULL, NULL, on_request, server,
        MHD_OPTION_EXTERNAL_LOGGER, log_nothing, NULL, MHD_OPTION_SOCK_ADDR,
        &at.any, MHD_OPTION_CONNECTION_LIMIT, (unsigned)SS_METRICS_CLIENTS_MAX,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SS_METRICS_TIMEOUT_S,
        MHD_OPTION_END);
    int why = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!server->daemon) {
        ss_free(server);
        return ss_error_set(error, SS_EIO, "metrics: cannot listen on %s: %s",
            address, why ? strerror(why) : "no more threads or files");
    }
    *ret_server = server;
    return SS_OK;
}

unsigned ss_metrics_server_port(const struct ss_metrics_server *server)
{
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info ? info->port : 0;
}

void ss_metrics_server_stop(struct ss_metrics_server **server)
{
    if (!*server)
        return;
    MHD_stop_daemon((*server)->daemon);
    ss_free(*server);
    *server = NULL;
}
