// thread_requests.h - what is asked of threads and graphs: read, explain,
// import, delete, copy, prune; lists of what the engine knows.
#ifndef SS_ENGINE_REQUESTS_THREAD_REQUESTS_H
#define SS_ENGINE_REQUESTS_THREAD_REQUESTS_H

#include <jansson.h>
#include <stdbool.h>

struct engine;
struct ss_request;
struct thread;

// ------------------------------------------------ graphs.c

// The requests `graphs`, `graph`, `draw`, `compile`.
void ss_graphs_list(struct engine *engine, const struct ss_request *request);
void ss_graphs_graph(struct engine *engine, const struct ss_request *request);
void ss_graphs_draw(struct engine *engine, const struct ss_request *request);
void ss_graphs_compile(struct engine *engine, const struct ss_request *request);

// ------------------------------------------------ read.c

// The requests `state`, `history`, `checkpoints`, `journal`.
void ss_read_state(struct thread *thread, const struct ss_request *request);
void ss_read_history(struct thread *thread, const struct ss_request *request);
void ss_read_checkpoints(
    struct thread *thread, const struct ss_request *request);
void ss_read_journal(struct thread *thread, const struct ss_request *request);

// ------------------------------------------------ prune.c

// In the entry of a run that a prune told again: whether it took supersteps.
#define SS_STEPS_PRUNED "steps_pruned"

// The request `prune`.
void ss_prune_thread(struct thread *thread, const struct ss_request *request);

// ------------------------------------------------ explain.c

// The request `explain`, on the run's thread.
void ss_explain_thread(struct thread *thread, const struct ss_request *request);
// The same of a run that its record alone tells of. Gives.
json_t *ss_explain_outlived(const struct engine *engine, const json_t *record);

// ------------------------------------------------ delete.c

// False: it is busy, and who asked has been told so.
bool ss_thread_is_free(struct thread *thread, const struct ss_request *request);
// When it was used last: the time of its last row. To be pruned is no use.
int64_t ss_thread_used_us(const struct thread *thread);
// Whether the conditions of a prune or a delete spare the thread: it was used
// less than `idle_ms` ago, or (`keep_waiting`) it waits for an answer. That is
// answered then.
bool ss_thread_spared(struct thread *thread, const struct ss_request *request);

// The request `delete`.
void ss_delete_thread(struct thread *thread, const struct ss_request *request);

// ------------------------------------------------ copy.c

// The request `copy`.
void ss_copy_thread(struct thread *thread, const struct ss_request *request);
// A copy, when the thread that it goes to has been read.
void ss_copy_into(struct thread *to, const struct ss_request *request);

// ------------------------------------------------ import.c

// The request `import`.
void ss_import_thread(struct thread *thread, const struct ss_request *request);

// ------------------------------------------------ show.c

// The requests `tasks` and `settings`.
void ss_show_tasks(struct engine *engine, const struct ss_request *request);
void ss_show_settings(struct engine *engine, const struct ss_request *request);

#endif
