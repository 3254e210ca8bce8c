// lists.c - lists of threads and runs come by a connection of their own, so
// that no commit waits behind one, however much it looks through.
//
// An answer leaves behind its commit, so whoever asks after it is told what it
// said. Where there is no such connection (memory:) lists are read as before,
// between commits.
#include "coordinator/shell_impl.h"

// Takes options->opened for the only connection that there is: it is not known
// how to open one more.
int ss_shell_open_lists(struct ss_coordinator *shell,
    const struct ss_coordinator_options *options, struct ss_error *error)
{
    struct ss_store *store = NULL;
    if (options->opened)
        return SS_OK;
    int status = ss_store_open_reader(options->store, &store, error);
    if (status == SS_OK && store)
        status = ss_store_actor_start(store, &shell->reader, error);
    if (status != SS_OK)
        ss_store_close(&store);
    else if (shell->reader)
        ss_store_actor_submit(shell->reader, ss_job_new(SS_JOB_TELL, 0));
    return status;
}

bool ss_shell_list(struct ss_coordinator *shell, struct ss_job *job)
{
    if (!shell->reader || job->type != SS_JOB_FIND)
        return false;
    ss_store_actor_submit(shell->reader, job);
    return true;
}

// Records of older programs are told their times in steps, between lists.
void ss_shell_lists_take(struct ss_coordinator *shell)
{
    struct ss_job *job;
    while (shell->reader && (job = ss_store_actor_take(shell->reader))) {
        if (job->type != SS_JOB_TELL) {
            ss_shell_take_job(shell, job);
            continue;
        }
        if (job->status == SS_OK && job->lacks.times)
            ss_store_actor_submit(shell->reader, ss_job_new(SS_JOB_TELL, 0));
        ss_job_destroy(&job);
    }
}
