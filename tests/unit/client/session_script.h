// session_script.h - a talk over virtual time, told as short stories: each step
// is an event, and what the talk asks for in return is text.
#ifndef SS_TEST_TALK_SCRIPT_H
#define SS_TEST_TALK_SCRIPT_H

#include "client/session/limits.h"
#include "client/session/session.h"
#include "common/base/buf.h"

#define RUN                                                                    \
    "{\"graph\":\"g\",\"run\":\"r1\",\"stream\":[\"values\"],"                 \
    "\"input\":1,\"subgraphs\":true}"
#define ACCEPTED "{\"run\":\"r1\",\"thread\":\"t\",\"accepted\":true}"

// One talk at a time.
extern struct ss_talk *talk;
extern struct ss_talk_commands commands; // of the last step
extern struct ss_buf said;               // the same as text, one a line
extern int64_t now;
extern bool talks_to_many; // "reopen" says where
extern uint32_t line;      // whose words the next ones are
extern uint64_t id;        // of the last ASK that was sent

void talk_setup(void);
void talk_teardown(void);

// Each is a step, and gives what the talk said: "ping\n" ...
const char *step(struct ss_talk_event event);
const char *ask_within(
    uint64_t key, const char *op, const char *text, int64_t timeout_ms);
const char *ask(uint64_t key, const char *op, const char *text);
const char *answer_to(uint64_t to, bool final, const char *text);
const char *item(const char *text);
const char *answer(const char *text);
const char *pong(uint64_t epoch);
const char *connected(void);
const char *after(int64_t ms);
// Go where the talk wants to be woken, as the shell does.
const char *next_wake(void);
// A run that was asked for and accepted by the coordinator of epoch 1.
void begin_run(void);

json_t *parse(const char *text);

#endif
