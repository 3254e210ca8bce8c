// thread_record.h - what the table `threads` has of a thread, and how it
// changes.
#ifndef SS_ENGINE_THREADS_THREAD_RECORD_H
#define SS_ENGINE_THREADS_THREAD_RECORD_H

#include <jansson.h>
#include <stdbool.h>

struct ss_graph;
struct thread;

// What the end of a run says of its thread, or, with no more than a graph, the
// first run's beginning. NULL: there is none.
struct thread_report {
    const char *graph, *version;
    const char *status, *run;
    const json_t *error, *interrupts;
    const json_t *metadata; // of its newest run, for people to find it by
    bool metadata_is_long;  // it has too much of it
};

// It has a record, or rows.
bool ss_thread_is_there(const struct thread *thread);
bool ss_thread_has_record(const struct thread *thread);
// What its record says. Gives; NULL: it has none.
json_t *ss_thread_record(const struct thread *thread);
// Put the thread's record that says this, and nothing else of what runs say.
void ss_thread_tell(struct thread *thread, const struct thread_report *report);
// Put the thread's record with `news` (taken) in the place of what it said of
// them; what is null there it says no more.
void ss_thread_put_record(struct thread *thread, json_t *news);
// It works with that graph from now on.
void ss_thread_remember(struct thread *thread, const struct ss_graph *graph);
// It was made elsewhere, of the graph of that name; NULL: nobody said which.
void ss_thread_was_of(struct thread *thread, const char *graph);

#endif
