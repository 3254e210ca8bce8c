// board.h - what a coordinator does, on one screen: superstep top.
//
//     HEADER                  always there, whatever follows
//     graphs   by rate, tasks out, tasks ready
//     nodes    the same, of the tasks that are listed
//     workers
//     tasks
//
// What does not fit the height is cut, each part by its share, and says how
// many rows are missing.
#ifndef SS_CLI_BOARD_H
#define SS_CLI_BOARD_H

#include <jansson.h>
#include <stdint.h>

#include "client/cli/screen.h"
#include "common/base/buf.h"

enum ss_board_sort {
    SS_BOARD_BY_READY,
    SS_BOARD_BY_RATE,
    SS_BOARD_BY_RUNNING,
    SS_BOARD_BY_NAME,
    SS_BOARD_SORTS,
};

// The answers of a coordinator at one time; NULL where it gave none.
struct ss_board {
    json_t *status, *workers, *tasks, *graphs, *store;
    json_t *reason;      // why it cannot work, as a text; NULL: it can
    size_t coordinators; // how many there are: the board is of one of them
    int64_t at_ms;
};
void ss_board_fini(struct ss_board *board);

// Append it. `before`: an earlier one, for rates; or NULL. Where the screen is
// a terminal, no more than its rows, the last one without its end.
void ss_board_write(struct ss_board *board, const struct ss_board *before,
    const char *endpoint, enum ss_board_sort sort,
    const struct ss_screen *screen, struct ss_buf *buf);

#endif
