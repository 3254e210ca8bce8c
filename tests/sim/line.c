// line.c - bytes between libpq and a server, message by message.
#include "tests/sim/line.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/base/check.h"

enum {
    HEAD_SIZE = 5, // a type, and the size of the rest with itself
    BYTES_MAX = 256 << 20,
};

// What the server says beside an answer: our trigger (database_postgres.c), and
// what log_lock_waits has it say when it has looked for a deadlock and sleeps.
static const char said[] = "wrote ";
static const char sleeps[] = " still waiting for ";

struct line *line_new(int client, int libpq)
{
    struct line *line = ss_zalloc(1, sizeof(*line));
    line->client = client;
    line->libpq = libpq;
    line->server = -1;
    ss_check(fcntl(client, F_SETFL, O_NONBLOCK) == 0);
    ss_buf_init(&line->up, BYTES_MAX);
    ss_buf_init(&line->down, BYTES_MAX);
    return line;
}

static void forget_wrote(struct line *line)
{
    while (line->wrote.count > 0)
        ss_free(line->wrote.items[--line->wrote.count]);
}

void line_free(struct line *line)
{
    line_leave(line);
    line_cut(line);
    forget_wrote(line);
    SS_VEC_FINI(&line->wrote);
    ss_buf_fini(&line->up);
    ss_buf_fini(&line->down);
    ss_free(line);
}

bool line_reach(struct line *line, const char *socket_path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", socket_path);
    line->server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (line->server < 0 ||
        connect(line->server, (const struct sockaddr *)&address,
            sizeof(address)) != 0)
        return false;
    return fcntl(line->server, F_SETFL, O_NONBLOCK) == 0;
}

// ------------------------------------------------------------------ bytes

static bool is_ready(int fd, short events, int timeout_ms)
{
    struct pollfd ready = {.fd = fd, .events = events};
    return fd >= 0 && poll(&ready, 1, timeout_ms) > 0;
}

// False: the other end is closed.
static bool read_all(int fd, struct ss_buf *buf)
{
    char some[16384];
    ssize_t size;
    while ((size = recv(fd, some, sizeof(some), 0)) > 0)
        ss_check(ss_buf_add(buf, some, (size_t)size) == SS_OK);
    return size != 0;
}

// What of it there is room for. False: the other end is closed.
static bool write_some(int fd, const struct ss_buf *buf, size_t *sent)
{
    while (*sent < buf->size) {
        ssize_t size =
            send(fd, buf->data + *sent, buf->size - *sent, MSG_NOSIGNAL);
        if (size < 0)
            return errno == EAGAIN;
        *sent += (size_t)size;
    }
    return true;
}

// ------------------------------------------------------------------ messages

static size_t message_size(const struct ss_buf *buf, size_t at)
{
    uint32_t size;
    if (buf->size - at < HEAD_SIZE)
        return 0;
    memcpy(&size, buf->data + at + 1, sizeof(size));
    size_t all = (size_t)ntohl(size) + 1;
    return buf->size - at < all ? 0 : all;
}

static bool is_known(const struct line *line, const char *thread)
{
    for (size_t i = 0; i < line->wrote.count; i++)
        if (strcmp(line->wrote.items[i], thread) == 0)
            return true;
    return false;
}

static void read_words(struct line *line, const char *text)
{
    if (strncmp(text, "process ", strlen("process ")) == 0 &&
        strstr(text, sleeps))
        line->is_blocked = true;
    if (strncmp(text, said, strlen(said)) == 0 &&
        !is_known(line, text + strlen(said)))
        SS_VEC_PUSH(&line->wrote, ss_strdup(text + strlen(said)));
}

// A notice: fields of a letter and a text; its words are field M.
static void read_notice(struct line *line, const char *at, const char *end)
{
    while (at < end && *at) {
        const char *text = at + 1;
        if (*at == 'M')
            read_words(line, text);
        at = text + strlen(text) + 1;
    }
}

static void read_answer(struct line *line)
{
    size_t size;
    while ((size = message_size(&line->down, line->down_read)) > 0) {
        const char *at = line->down.data + line->down_read;
        if (*at == 'Z') {
            line->is_answered = true;
            line->in_transaction = at[HEAD_SIZE] != 'I';
        } else if (*at == 'N') {
            read_notice(line, at + HEAD_SIZE, at + size);
        }
        line->down_read += size;
    }
}

bool line_collect(struct line *line)
{
    size_t size;
    if (line->client >= 0)
        (void)read_all(line->client, &line->up);
    while ((size = message_size(&line->up, line->up_read)) > 0) {
        char type = line->up.data[line->up_read];
        line->is_asked |= type == 'S' || type == 'Q';
        line->up_read += size;
    }
    return line->is_asked && line->up_read == line->up.size;
}

bool line_is_left(struct line *line)
{
    char one;
    return line->client >= 0 &&
           recv(line->client, &one, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

// ------------------------------------------------------------------ passing on

void line_shuttle(struct line *line)
{
    size_t sent = 0;
    struct pollfd both[] = {{.fd = line->client, .events = POLLIN},
        {.fd = line->server, .events = POLLIN}};
    (void)poll(both, 2, 1000);
    (void)read_all(line->client, &line->up);
    (void)write_some(line->server, &line->up, &sent);
    ss_check(sent == line->up.size); // a few hundred bytes
    ss_buf_reset(&line->up);
    (void)read_all(line->server, &line->down);
    sent = 0;
    (void)write_some(line->client, &line->down, &sent);
    ss_check(sent == line->down.size);
    ss_buf_reset(&line->down);
}

void line_forward(struct line *line)
{
    size_t sent = 0;
    forget_wrote(line);
    ss_buf_reset(&line->down);
    line->down_read = line->down_sent = 0;
    line->is_answered = line->is_blocked = false;
    while (line->server >= 0 && sent < line->up.size) {
        if (!write_some(line->server, &line->up, &sent))
            break;
        if (sent < line->up.size) { // it may wait for us to read its answer
            (void)read_all(line->server, &line->down);
            (void)is_ready(line->server, POLLOUT | POLLIN, 10);
        }
    }
    ss_buf_reset(&line->up);
    line->up_read = 0;
    line->is_asked = false;
}

bool line_listen(struct line *line)
{
    read_answer(line);
    while (!line->is_answered && !line->is_blocked && line->server >= 0 &&
           is_ready(line->server, POLLIN, -1)) {
        bool is_open = read_all(line->server, &line->down);
        read_answer(line);
        if (!is_open) {
            close(line->server);
            line->server = -1;
        }
    }
    return line->is_answered || line->server < 0;
}

void line_listen_out(struct line *line)
{
    while (line->server >= 0) {
        line->is_answered = line->is_blocked = false;
        (void)line_listen(line);
    }
}

bool line_answer(struct line *line)
{
    size_t before = line->down_sent;
    if (line->client < 0)
        return false;
    (void)write_some(line->client, &line->down, &line->down_sent);
    if (line->server < 0 && line->down_sent == line->down.size)
        line_leave(line);
    return line->down_sent > before;
}

void line_leave(struct line *line)
{
    if (line->client >= 0)
        close(line->client);
    line->client = -1;
}

void line_cut(struct line *line)
{
    char some[4096];
    if (line->server < 0)
        return;
    (void)shutdown(line->server, SHUT_WR);
    while (is_ready(line->server, POLLIN, -1) &&
           recv(line->server, some, sizeof(some), 0) > 0) {
    }
    close(line->server);
    line->server = -1;
}
