// cmd_top.c - superstep top: what a coordinator does, again and again.
#include "client/cli/board.h"
#include "client/cli/live.h"
#include "client/client_impl.h"
#include "client/commands.h"
#include "common/app/clock.h"

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
        const json_t *health = json_object_get(answer, "health");
        board->store = json_incref(json_object_get(health, "store"));
        board->reason = json_incref(json_object_get(health, "reason"));
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
    while (ss_client_coordinator(client, board.coordinators))
        board.coordinators++;
    board.at_ms = ss_clock_ms();
    if (status != 0)
        ss_board_fini(&board);
    else
        *ret_board = board;
    return status;
}

// ------------------------------------------------------------------- showing

struct top {
    struct ss_board before; // what was shown last
    enum ss_board_sort sort;
};

static void write_json(const struct ss_board *board, struct ss_buf *buf)
{
    json_t *json = json_pack("{s:O, s:O, s:O, s:O*, s:O*, s:O*, s:O*}",
        "status", board->status, "workers", board->workers, "tasks",
        json_object_get(board->tasks, "tasks"), "waits",
        json_object_get(board->tasks, "waits"), "graphs", board->graphs,
        "store", board->store, "reason", board->reason);
    ss_cli_json_line(json, buf);
    json_decref(json);
}

static int top_look(struct ss_client *client, void *ctx,
    const struct ss_screen *screen, struct ss_buf *buf)
{
    struct top *top = ctx;
    struct ss_client_error error;
    struct ss_board board;
    if (look(client, &board, &error) != 0)
        return ss_cli_client_fail(client, &error, NULL, NULL);
    if (ss_cli_options.json)
        write_json(&board, buf);
    else
        ss_board_write(&board, top->before.status ? &top->before : NULL,
            ss_client_endpoint(client), top->sort, screen, buf);
    ss_board_fini(&top->before);
    top->before = board;
    return SS_CLI_DONE;
}

static void top_key(void *ctx, char key)
{
    struct top *top = ctx;
    if (key == 's')
        top->sort = (top->sort + 1) % SS_BOARD_SORTS;
}

int ss_cmd_top(struct ss_client *client)
{
    struct top top = {.sort = SS_BOARD_BY_READY};
    const struct ss_live live = {.interval_ms = interval_ms,
        .is_once = once,
        .look = top_look,
        .key = top_key,
        .ctx = &top};
    int status = ss_cli_live(client, &live);
    ss_board_fini(&top.before);
    return status;
}
