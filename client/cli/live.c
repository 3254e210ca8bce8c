// live.c - look, show, wait for the time or for a key.
#include "client/cli/live.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <termios.h>
#include <unistd.h>

#include "common/app/clock.h"
#include "common/app/signals.h"
#include "common/app/std_files.h"

// The keys of a terminal, one by one.
struct keys {
    int ready; // signals and keys
    bool is_typed;
    struct termios was;
};

static void listen_to(int ready, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data = {.fd = fd}};
    (void)epoll_ctl(ready, EPOLL_CTL_ADD, fd, &event);
}

static void keys_init(struct keys *keys, int signals, bool is_screen)
{
    *keys = (struct keys){.ready = epoll_create1(EPOLL_CLOEXEC)};
    listen_to(keys->ready, signals);
    if (!is_screen || tcgetattr(STDIN_FILENO, &keys->was) != 0)
        return;
    struct termios raw = keys->was;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    keys->is_typed = tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
    if (keys->is_typed)
        listen_to(keys->ready, STDIN_FILENO);
}

static void keys_fini(struct keys *keys, bool is_screen)
{
    if (keys->is_typed)
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &keys->was);
    if (is_screen)
        puts("");
    close(keys->ready);
}

// Whether a key asks to quit. *ret_any: something was typed.
static bool take_keys(
    const struct keys *keys, const struct ss_live *live, bool *ret_any)
{
    char typed[64];
    ssize_t count =
        keys->is_typed ? read(STDIN_FILENO, typed, sizeof(typed)) : 0;
    *ret_any = count > 0;
    for (ssize_t i = 0; i < count; i++) {
        if (typed[i] == 'q')
            return true;
        if (live->key)
            live->key(live->ctx, typed[i]);
    }
    return false;
}

static bool is_asked_to_stop(struct ss_client *client, const struct keys *keys,
    const struct ss_live *live)
{
    int64_t until_ms = ss_clock_ms() + live->interval_ms;
    bool any = false;
    while (!any && ss_clock_ms() < until_ms) {
        ss_client_wait(
            client, keys->ready, ss_clock_left(until_ms, ss_clock_ms()));
        if (ss_signals_take() != 0 || take_keys(keys, live, &any))
            return true;
    }
    return false;
}

// Each row of a screen in its place, so that nothing scrolls or flickers: what
// is wider than the screen ends at its edge, and goes on in no next row.
static void print_rows(const struct ss_screen *screen, const char *rows)
{
    size_t count = 0, shown = 0;
    for (const char *at = rows; *at; at++)
        count += *at == '\n' || !at[1];
    fputs("\033[?7l\033[H", stdout);
    for (const char *at = rows; *at; shown++) {
        size_t size = strcspn(at, "\n");
        bool is_last = shown + 1 == screen->height || shown + 1 == count;
        if (is_last && shown + 1 < count) {
            printf("\xe2\x80\xa6 %zu more\033[K", count - shown);
            break;
        }
        printf("%.*s\033[K%s", (int)size, at, is_last ? "" : "\n");
        at += size + (at[size] != '\0');
    }
    fputs("\033[J\033[?7h", stdout);
    ss_stdout_flush();
}

static int watch(
    struct ss_client *client, const struct ss_live *live, bool is_screen)
{
    const struct ss_screen screen =
        is_screen ? ss_cli_screen() : (struct ss_screen){0};
    struct ss_buf buf;
    ss_buf_init(&buf, SS_CLI_PAGE_SIZE_MAX);
    int status = live->look(client, live->ctx, &screen, &buf);
    if (status == SS_CLI_DONE && screen.width > 0)
        print_rows(&screen, ss_buf_str(&buf));
    else if (status == SS_CLI_DONE)
        ss_stdout_print(ss_buf_str(&buf));
    ss_stdout_flush();
    ss_buf_fini(&buf);
    return status;
}

int ss_cli_live(struct ss_client *client, const struct ss_live *live)
{
    static const int stops[] = {SIGINT, SIGTERM};
    bool is_screen =
        !live->is_once && !ss_cli_options.json && ss_cli_screen().width > 0;
    struct ss_error error;
    struct keys keys;
    int signals = -1, status;
    if (ss_signals_open(stops, 2, &signals, &error) != SS_OK)
        return ss_cli_fail("%s", error.message);
    keys_init(&keys, signals, is_screen);
    do
        status = watch(client, live, is_screen);
    // Behind `| head` nobody reads any more.
    while (status == SS_CLI_DONE && !live->is_once && !ferror(stdout) &&
           !is_asked_to_stop(client, &keys, live));
    keys_fini(&keys, is_screen);
    ss_signals_close();
    return status;
}
