// line.h - a connection between a store and PostgreSQL, held in two halves:
// what either side says goes on when the simulator lets it.
//
//     libpq -- client -- [up: the request, down: the answer] -- server
//
// A request ends with Sync or Query, an answer with ReadyForQuery; nothing is
// asked before the answer is there. No time passes here, and no dice are
// thrown.
#ifndef SS_TESTS_SIM_LINE_H
#define SS_TESTS_SIM_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/mem.h"

enum line_state {
    LINE_IDLE,    // nobody waits for anything
    LINE_ASKS,    // a request is on its way
    LINE_WAITS,   // the server has it, and waits for a lock
    LINE_ANSWERS, // the answer is on its way
};

struct line {
    uint64_t number;
    void *side;         // whose it is; NULL: its client is gone
    size_t coordinator; // whose it was
    uint64_t epoch;     // of that one's fence; 0: it takes it only now
    int client, server; // -1: closed
    int libpq;          // the client's own end
    int pid;            // of the server's process
    enum line_state state;
    bool is_stopped;     // the server's process stands still, as we told it
    bool in_transaction; // as the last answer says
    struct ss_buf up, down;
    size_t up_read, down_read; // messages seen whole
    size_t down_sent;
    bool is_asked, is_answered; // whole
    bool is_blocked;            // the server says that it waits for a lock
    SS_VEC(char *) wrote;       // threads, of which rows were committed
};

// The client's half: `client` is what accept() gave.
struct line *line_new(int client, int libpq);
void line_free(struct line *line);
// The server's half: its Unix socket.
bool line_reach(struct line *line, const char *socket_path);
// Pass on whatever is there in both directions (a connection is being made).
void line_shuttle(struct line *line);
// Read what the client has said. True: a request is whole.
bool line_collect(struct line *line);
// Its client has closed its end.
bool line_is_left(struct line *line);
// Give the request to the server.
void line_forward(struct line *line);
// Listen to the server, however long it takes. True: the answer is whole, or
// the server has closed its end; false: it has said that it waits for a lock.
bool line_listen(struct line *line);
// Listen until the server closes its end.
void line_listen_out(struct line *line);
// Give the client what it can take of the answer; false: there is no more.
bool line_answer(struct line *line);
// Close the client's half. Close the server's, and wait until its process has
// rolled back what it had begun: one that waits for a lock does not hear it.
void line_leave(struct line *line);
void line_cut(struct line *line);

#endif
