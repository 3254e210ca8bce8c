// enter.h - what entering a root loop and a nested one have in common
// (enter.c).
#ifndef SS_ENGINE_LEVELS_ENTER_H
#define SS_ENGINE_LEVELS_ENTER_H

#include <jansson.h>
#include <stdbool.h>

#include "common/model/writers.h"

struct fold_then;
struct loop;
struct ss_error;
struct ss_checkpoint_entry;

// An entry under way. It may have to wait for folds on a worker, twice.
struct entry {
    bool again;     // a recovery: nothing is stored or shown
    bool null_done; // the null writes are applied
    struct ss_checkpoint_entry *mark;
    const char *id; // named explicitly, or NULL
    bool addressed; // at a checkpoint, here or by a graph around
    bool time_traveling;
    struct ss_writes writes;    // of the command, to be stored as it begins
    struct ss_writes inherited; // R5.7d, R5.12
    json_t *command;
    json_t *answer; // the command's resume, or NULL
    bool id_map;
    bool forks;
};

void ss_entry_destroy(struct entry **place);
// Take a channel's writes out of the pending ones (not those of this run, after
// a crash).
void ss_enter_drop_writes(struct loop *loop, const char *channel);
// Apply the null task's writes and the carried ones (R5.8). SS_EAGAIN: a worker
// folds first, `then` the entry goes on.
int ss_enter_null_writes(
    struct loop *loop, const struct fold_then *then, struct ss_error *error);
// A question of another version is open there, whose node this graph does not
// have: SS_ESTATE.
int ss_enter_check_askers(const struct loop *loop, struct ss_error *error);
// R5.10: what was pending is consumed, then the input is applied. SS_EAGAIN.
int ss_enter_input(struct loop *loop, const struct ss_writes *writes,
    const struct fold_then *then, struct ss_error *error);
// R5.9: go on; where time travels, on a branch of its own (`forks`).
void ss_enter_resume(struct loop *loop, bool forks, bool again);
// Made by an update or as a fork.
bool ss_enter_is_edited(const struct ss_checkpoint_entry *mark);
// After a crash: the output that had been shown before it.
void ss_enter_recover_output(struct loop *loop);
// The answer is a map of ids of questions.
bool ss_resume_is_id_map(const json_t *resume);

#endif
