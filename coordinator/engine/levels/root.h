// root.h - how a run's own loop begins, and comes back after a crash.
//
//   runs: prepare --ok--> the row that says how the run was entered --> enter
#ifndef SS_ENGINE_LEVELS_ROOT_H
#define SS_ENGINE_LEVELS_ROOT_H

#include <jansson.h>

struct loop;
struct run;
struct ss_error;
struct ss_value;

// What a level gives when it leaves (loop.c), or why its run ended (runs). It
// owns all of it.
struct loop_result {
    struct ss_value *output; // last values payload; NULL: none was emitted
    json_t *interrupts;      // INTERRUPTED
    struct ss_error *error;  // NULL: none
    char *error_node;
    json_t *parent_command;
    char *drain;
};

// ------------------------------------------------ describe.c

// What the run's own loop came to.
const struct loop_result *ss_root_result(struct loop *root);

// ------------------------------------------------ enter_root.c

// The loop of a run that has none yet.
void ss_root_make(struct run *run);
// How the root loop will begin with its run's input or command. Nothing is
// stored; what may be refused is refused here.
int ss_root_prepare(struct loop *loop, struct ss_error *error);
// So it begins; the entry of its row is noted what recovery must know. On error
// the run fails with it.
int ss_root_enter(struct loop *loop, struct ss_error *error);
// The root loop of a run that was found begins where its rows leave it. Under
// `exit` those behind its entry are void by now, and it starts again.
int ss_root_recover(struct loop *loop, struct ss_error *error);
// Nobody advances it any more: it could not begin, or its run ends without it.
// NULL: with no error of its own.
void ss_root_failed(struct loop *loop, const struct ss_error *error);

#endif
