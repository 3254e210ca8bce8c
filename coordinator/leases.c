// leases.c - the lane of leases: what the core asks for there, and what it
// gets.
#include "coordinator/limits.h"
#include "coordinator/shell_impl.h"

int ss_shell_leases_start(struct ss_coordinator *shell, struct ss_error *error)
{
    return ss_lease_keeper_start(
        shell->leases, SS_LEASE_TURN_MS, &shell->keeper, error);
}

void ss_shell_leases_submit(struct ss_coordinator *shell, struct ss_job *job)
{
    ss_lease_keeper_note(shell->keeper, job);
    ss_store_actor_submit(shell->leases, job);
}

// Renewals first: what came of them while a turn lasted is known before it is
// asked whether our lease has run out.
void ss_shell_leases_take(struct ss_coordinator *shell)
{
    struct ss_job *job, *rest = NULL, **end = &rest;
    while (shell->leases && (job = ss_store_actor_take(shell->leases))) {
        ss_lease_keeper_took(shell->keeper, job);
        if (job->type == SS_JOB_RENEW) {
            ss_shell_take_job(shell, job);
            continue;
        }
        *end = job;
        end = &job->next;
        job->next = NULL;
    }
    while ((job = rest)) {
        rest = job->next;
        job->next = NULL;
        ss_shell_take_job(shell, job);
    }
}

bool ss_shell_leases_rest(const struct ss_coordinator *shell)
{
    ss_lease_keeper_rest(shell->keeper);
    return ss_lease_keeper_out(shell->keeper) == 0;
}
