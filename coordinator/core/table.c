// table.c - the table of owners of a store that is ours alone: the jobs that
// others' database does (store.h), done at once.
//
// It has one member, us, whose lease lasts as long as we do. Who had the store
// before and ended without a word had every shard; after a stop nobody has one.
#include <string.h>

#include "coordinator/core/core_impl.h"

void ss_core_table_init(
    struct ss_core_table *table, const struct ss_member *self, bool is_crashed)
{
    table->self = *self;
    table->self.left_ms = INT64_MAX;
    for (size_t i = 0; i < SS_SHARDS; i++)
        table->owners[i] = is_crashed ? 0 : SS_NOBODY;
}

void ss_core_table_fini(struct ss_core_table *table)
{
    struct ss_job *job;
    while ((job = ss_core_table_take(table)))
        ss_job_destroy(&job);
}

static void table_look(
    const struct ss_core_table *table, struct ss_cluster *ret_cluster)
{
    ret_cluster->members = ss_zalloc(1, sizeof(*ret_cluster->members));
    ret_cluster->members_count = 1;
    ret_cluster->members[0] = table->self;
    memcpy(ret_cluster->owners, table->owners, sizeof(table->owners));
    ret_cluster->epoch = table->self.epoch;
}

void ss_core_table_submit(struct ss_core_table *table, struct ss_job *job)
{
    struct ss_job **last = &table->done;
    if (job->type == SS_JOB_LOOK)
        table_look(table, job->cluster);
    for (uint16_t i = 0; i < SS_SHARDS && job->type == SS_JOB_CLAIM; i++)
        if (ss_shards_have(&job->shards, i))
            table->owners[i] = 0;
    while (*last)
        last = &(*last)->next;
    *last = job;
}

struct ss_job *ss_core_table_take(struct ss_core_table *table)
{
    struct ss_job *job = table->done;
    if (job)
        table->done = job->next;
    return job;
}
