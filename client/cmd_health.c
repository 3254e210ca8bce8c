// cmd_health.c - superstep health ADDR:PORT: a probe for containers and timers.
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "client/cli/text.h"
#include "client/commands.h"
#include "common/base/mem.h"

enum { ANSWER_SIZE = 4096, WAIT_S = 3 };

static struct ss_arg_list words;
static bool live;

const struct ss_arg ss_cmd_health_options[] = {SS_CLI_WORD(words, "ADDR:PORT"),
    SS_CLI_FLAG(
        "live", 0, live, "only whether it runs: a restart would not help it"),
    SS_CLI_OPTIONS};

// A connection, or -1.
static int reach(const char *host, const char *port)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    const struct timeval wait = {.tv_sec = WAIT_S};
    struct addrinfo *found = NULL;
    int fd = -1;
    if (getaddrinfo(host, port, &hints, &found) != 0)
        return -1;
    for (const struct addrinfo *it = found; it && fd < 0; it = it->ai_next) {
        fd = socket(it->ai_family, it->ai_socktype, it->ai_protocol);
        if (fd < 0)
            continue;
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
        if (connect(fd, it->ai_addr, it->ai_addrlen) != 0) {
            close(fd);
            fd = -1;
        }
    }
    freeaddrinfo(found);
    return fd;
}

// The answer to GET `page`, cut if it is too long; "" if none came.
static void fetch(int fd, const char *page, char answer[ANSWER_SIZE])
{
    char request[128];
    snprintf(request, sizeof(request),
        "GET %s HTTP/1.1\r\nHost: superstep\r\nConnection: close\r\n\r\n",
        page);
    size_t size = 0;
    ssize_t more = send(fd, request, strlen(request), MSG_NOSIGNAL);
    while (more > 0 && size < ANSWER_SIZE - 1) {
        more = recv(fd, answer + size, ANSWER_SIZE - 1 - size, 0);
        size += more > 0 ? (size_t)more : 0;
    }
    answer[size] = '\0';
}

int ss_cmd_health(struct ss_client *client)
{
    char answer[ANSWER_SIZE] = "";
    (void)client;
    const char *colon = strrchr(words.items[0], ':');
    if (!colon || !colon[1] || strchr(words.items[0], '/')) // no URL
        return ss_cli_usage(
            "\"%.100s\" is not ADDR:PORT, as --metrics has it", words.items[0]);
    char *host = ss_memdup(words.items[0], (size_t)(colon - words.items[0]));
    int fd = reach(host, colon + 1);
    ss_free(host);
    if (fd < 0) {
        ss_cli_fail("nobody answers at %s: is it started, with --metrics?",
            words.items[0]);
        return SS_CLI_ALONE;
    }
    fetch(fd, live ? "/live" : "/health", answer); // older ones know the latter
    close(fd);
    const char *body = strstr(answer, "\r\n\r\n");
    int status = 0;
    if (!body || sscanf(answer, "HTTP/1.%*1[01] %3d", &status) != 1)
        return ss_cli_fail(
            "what answers at %s is not a process of Superstep", words.items[0]);
    char *line = ss_memdup(body + 4, strcspn(body + 4, "\r\n"));
    char *text = ss_text_plain(line);
    ss_free(line);
    if (ss_cli_options.json)
        printf("{\"%s\": %s}\n", live ? "live" : "healthy",
            status == 200 ? "true" : "false");
    else if (status == 200)
        printf("%s\n", text);
    if (status != 200)
        ss_cli_fail("%s", text);
    ss_free(text);
    return status == 200 ? SS_CLI_DONE : SS_CLI_FAILED;
}
