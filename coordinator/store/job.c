// job.c - a job and what it owns.
#include "common/base/mem.h"
#include "coordinator/store/row_copy.h"
#include "coordinator/store/store_actor.h"

struct ss_job *ss_job_new(enum ss_job_type type, uint64_t tag)
{
    struct ss_job *job = ss_zalloc(1, sizeof(*job));
    job->type = type;
    job->tag = tag;
    return job;
}

struct ss_job *ss_job_apply(uint64_t tag, const struct ss_store_unit *unit)
{
    struct ss_job *job = ss_job_new(SS_JOB_APPLY, tag);
    job->unit = ss_store_unit_copy(unit, &job->memory);
    return job;
}

void ss_job_destroy(struct ss_job **ref)
{
    struct ss_job *job = *ref;
    if (!job) {
        return;
    }
    *ref = NULL;
    ss_free(job->memory);
    ss_free(job->thread);
    ss_free(job->key);
    ss_free(job->index);
    for (size_t i = 0; i < job->rows_count; i++) {
        ss_free(job->rows[i].memory);
    }
    ss_free(job->rows);
    for (size_t i = 0; i < job->entries_count; i++) {
        ss_free(job->entries[i].key);
        ss_free(job->entries[i].index);
        ss_free(job->entries[i].value);
    }
    ss_free(job->entries);
    ss_free(job);
}
