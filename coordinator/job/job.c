// job.c - a job and what it owns.
#include "coordinator/job/job.h"

#include <string.h>

#include "common/base/mem.h"
#include "coordinator/job/row_copy.h"

struct ss_job *ss_job_new(enum ss_job_type type, uint64_t tag)
{
    return ss_job_new_with(type, tag, 0);
}

struct ss_job *ss_job_new_with(enum ss_job_type type, uint64_t tag, size_t size)
{
    struct ss_job *job = ss_alloc(sizeof(*job) + size);
    memset(job, 0, sizeof(*job));
    job->type = type;
    job->tag = tag;
    if (type == SS_JOB_LOOK) {
        job->cluster = ss_zalloc(1, sizeof(*job->cluster));
    }
    return job;
}

struct ss_job *ss_job_apply(uint64_t tag, const struct ss_store_unit *unit)
{
    struct ss_job *job = ss_job_new(SS_JOB_APPLY, tag);
    job->unit = ss_store_unit_copy(unit, &job->memory);
    return job;
}

void ss_job_entry_fini(struct ss_job_entry *entry)
{
    ss_free(entry->key);
    ss_free(entry->index);
    ss_free(entry->value);
}

void ss_job_destroy(struct ss_job **job)
{
    struct ss_job *it = *job;
    if (!it) {
        return;
    }
    *job = NULL;
    for (size_t i = 0; i < it->unit.rows_count; i++) {
        struct ss_row *kept = it->unit.rows[i].kept;
        ss_row_destroy(&kept);
    }
    ss_free(it->memory);
    ss_free(it->thread);
    ss_free(it->key);
    ss_free(it->index);
    ss_find_fini(&it->find);
    ss_free(it->place);
    for (size_t i = 0; i < it->rows_count; i++) {
        ss_store_row_fini(&it->rows[i].row, it->rows[i].memory);
    }
    ss_free(it->rows);
    for (size_t i = 0; i < it->entries_count; i++) {
        ss_job_entry_fini(&it->entries[i]);
    }
    ss_free(it->entries);
    if (it->cluster) {
        ss_cluster_fini(it->cluster);
        ss_free(it->cluster);
    }
    ss_free(it);
}
