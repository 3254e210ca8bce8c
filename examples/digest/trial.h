// trial.h - what the proof needs and a real job does not: a file that says
// which bodies ran, and a point at which tasks wait, so that a kill hits them.
//
// The application's argument: words with a blank between them.
//     log=FILE         each body appends "task node attempt pid name"
//     hold=POINT:DIR   tasks at POINT wait until the file DIR/release is there;
//                      POINT is a node, or some of its tasks by name, as in
//                      measure/GPL-*,BSD
//     words=N          texts of more words are split (2000)
#ifndef DIGEST_TRIAL_H
#define DIGEST_TRIAL_H

#include <superstep/superstep.h>

struct trial {
    char *log;
    char *hold_node;
    char *hold_names; // patterns, or NULL: all
    char *hold_dir;
    long words_max;
};

// NULL is a fine argument. Returns a complaint, or NULL.
const char *trial_read(struct trial *trial, const char *arg);

// What each body does first. Non-zero: return that.
int trial_begin(struct ss_task *task, const char *name);

#endif
