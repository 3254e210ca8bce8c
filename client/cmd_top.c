// cmd_top.c - superstep top: what a coordinator does, again and again.
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <termios.h>
#include <unistd.h>

#include "client/cli/board.h"
#include "client/commands.h"
#include "common/app/clock.h"
#include "common/app/signals.h"
#include "common/model/value.h"

static int64_t interval_ms = 1000;
static bool once;

enum {
    TASKS_SHOWN = 15,
    TASKS_COUNTED = 1000, // by node; a screen shows some
    INTERVAL_MIN_MS = 100,
    INTERVAL_MAX_MS = 3600000
};

const struct ss_arg ss_cmd_top_options[] = {
    SS_CLI_INT("interval-ms", 0, interval_ms, "N", INTERVAL_MIN_MS,
        INTERVAL_MAX_MS, "the time between two looks (1000)"),
    SS_CLI_FLAG("once", 0, once, "show it once, and end"), SS_CLI_OPTIONS};

// The keys of a terminal, one by one.
struct keys {
    int ready; // signals and keys
    bool is_typed;
    struct termios was;
};

// ------------------------------------------------------------------- looking

// What an older coordinator does not say, or a client may not ask, is left out.
static void look_more(struct ss_client *client, struct ss_board *board)
{
    struct ss_client_error ignored;
    json_t *answer;
    if (ss_client_ask(client, "graphs", NULL, NULL, &answer, &ignored) == 0) {
        board->graphs = json_incref(json_object_get(answer, "graphs"));
        json_decref(answer);
    }
    if (ss_client_ask(client, "health", NULL, NULL, &answer, &ignored) == 0) {
        board->store = json_incref(
            json_object_get(json_object_get(answer, "health"), "store"));
        json_decref(answer);
    }
}

static int look(struct ss_client *client, struct ss_board *ret_board,
    struct ss_client_error *error)
{
    struct ss_board board = {0};
    int status =
        ss_client_ask(client, "status", NULL, NULL, &board.status, error);
    if (status == 0)
        status = ss_client_workers(client, &board.workers, error);
    if (status == 0)
        status = ss_client_ask(client, "tasks",
            json_pack("{s:i}", "limit",
                ss_cli_options.json ? TASKS_SHOWN : TASKS_COUNTED),
            NULL, &board.tasks, error);
    if (status == 0)
        look_more(client, &board);
    board.at_ms = ss_clock_ms();
    if (status != 0)
        ss_board_fini(&board);
    else
        *ret_board = board;
    return status;
}

// ------------------------------------------------------------------- showing

static void print_json(const struct ss_board *board)
{
    json_t *json = json_pack("{s:O, s:O, s:O, s:O*, s:O*}", "status",
        board->status, "workers", board->workers, "tasks",
        json_object_get(board->tasks, "tasks"), "graphs", board->graphs,
        "store", board->store);
    ss_cli_print_json(json);
    json_decref(json);
}

// Each row of a screen in its place, so that nothing scrolls or flickers.
static void print_rows(const struct ss_buf *rows)
{
    fputs("\033[H", stdout);
    for (const char *at = ss_buf_str(rows); *at;) {
        size_t size = strcspn(at, "\n");
        printf("%.*s\033[K%s", (int)size, at, at[size] ? "\n" : "");
        at += size + (at[size] != '\0');
    }
    fputs("\033[J", stdout);
}

static void print(struct ss_board *board, const struct ss_board *before,
    const char *endpoint, enum ss_board_sort sort)
{
    struct ss_screen screen = once ? (struct ss_screen){0} : ss_cli_screen();
    struct ss_buf rows;
    ss_buf_init(&rows, SS_CLI_PAGE_SIZE_MAX);
    ss_board_write(board, before, endpoint, sort, &screen, &rows);
    if (screen.width > 0)
        print_rows(&rows);
    else
        fputs(ss_buf_str(&rows), stdout);
    ss_buf_fini(&rows);
}

// ---------------------------------------------------------------------- keys

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

static void keys_fini(struct keys *keys)
{
    if (keys->is_typed) {
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &keys->was);
        puts("");
    }
    close(keys->ready);
}

// Whether a key asks to quit. *sort: as asked; *ret_any: something was typed.
static bool take_keys(
    const struct keys *keys, enum ss_board_sort *sort, bool *ret_any)
{
    char typed[64];
    *ret_any = false;
    ssize_t count =
        keys->is_typed ? read(STDIN_FILENO, typed, sizeof(typed)) : 0;
    for (ssize_t i = 0; i < count; i++) {
        if (typed[i] == 'q')
            return true;
        if (typed[i] == 's')
            *sort = (*sort + 1) % SS_BOARD_SORTS;
        *ret_any = true;
    }
    return false;
}

static bool is_asked_to_stop(
    struct ss_client *client, const struct keys *keys, enum ss_board_sort *sort)
{
    int64_t until_ms = ss_clock_ms() + interval_ms;
    bool any = false;
    while (!any && ss_clock_ms() < until_ms) {
        ss_client_wait(
            client, keys->ready, ss_clock_left(until_ms, ss_clock_ms()));
        if (ss_signals_take() != 0 || take_keys(keys, sort, &any))
            return true;
    }
    return false;
}

static int watch(struct ss_client *client, const struct keys *keys)
{
    struct ss_client_error error;
    struct ss_board before = {0};
    enum ss_board_sort sort = SS_BOARD_BY_READY;
    for (bool is_over = false; !is_over;) {
        struct ss_board board;
        if (look(client, &board, &error) != 0) {
            ss_board_fini(&before);
            return ss_cli_client_fail(client, &error, NULL, NULL);
        }
        if (ss_cli_options.json)
            print_json(&board);
        else
            print(&board, before.status ? &before : NULL,
                ss_client_endpoint(client), sort);
        fflush(stdout);
        ss_board_fini(&before);
        before = board;
        is_over = once || is_asked_to_stop(client, keys, &sort);
    }
    ss_board_fini(&before);
    return SS_CLI_DONE;
}

int ss_cmd_top(struct ss_client *client)
{
    static const int stops[] = {SIGINT, SIGTERM};
    struct ss_error error;
    struct keys keys;
    int signals = -1;
    if (ss_signals_open(stops, 2, &signals, &error) != SS_OK)
        return ss_cli_fail("%s", error.message);
    keys_init(&keys, signals,
        !once && !ss_cli_options.json && ss_cli_screen().width > 0);
    int status = watch(client, &keys);
    keys_fini(&keys);
    ss_signals_close();
    return status;
}
