// cluster.h - coordinators that share a database: shards, and who owns them.
//
// Threads hash into shards; a shard has one owner, or none. A *member* is a
// coordinator that holds a lease. One whose lease has ended is dead to the
// others, even while its process runs (docs/internals/cluster.md).
#ifndef SS_MODEL_CLUSTER_H
#define SS_MODEL_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    // How many shards there are: a shard is handed over as a whole. The number
    // is in the database: never change it.
    SS_SHARDS = 1024,
    SS_MEMBERS_MAX = 256,       // coordinators of one database
    SS_MEMBER_NAME_MAX = 127,   // bytes of its name
    SS_ENDPOINT_SIZE_MAX = 255, // bytes of its endpoint
    SS_NOBODY = 0xffff,         // owner of a shard that has none
};

// The shard of a thread.
uint16_t ss_shard_of(const char *thread);

// A set of shards; all zero: none.
struct ss_shards {
    uint64_t bits[SS_SHARDS / 64];
};

bool ss_shards_have(const struct ss_shards *shards, uint16_t shard);
void ss_shards_add(struct ss_shards *shards, uint16_t shard);
void ss_shards_fill(struct ss_shards *shards);
size_t ss_shards_count(const struct ss_shards *shards);
void ss_shards_join(struct ss_shards *to, const struct ss_shards *more);
void ss_shards_leave(struct ss_shards *from, const struct ss_shards *less);

struct ss_member {
    char name[SS_MEMBER_NAME_MAX + 1];
    char endpoint[SS_ENDPOINT_SIZE_MAX + 1]; // where others find it
    uint64_t epoch;
    int64_t left_ms; // of its lease, by the database's clock; 0 or less: ended
    bool drains;     // takes no more, and hands over what it has
    int32_t row_format; // the newest that it reads (SS_ROW_FORMAT)
};

// What the database said at one moment. Members by name.
struct ss_cluster {
    struct ss_member *members; // owned: ss_cluster_fini()
    size_t members_count;
    uint16_t owners[SS_SHARDS]; // index of a member, or SS_NOBODY
    uint64_t epoch; // the last one given; each change of owners gives one
};

void ss_cluster_fini(struct ss_cluster *cluster);
// Index of the member, or SS_NOBODY.
uint16_t ss_cluster_find(const struct ss_cluster *cluster, const char *name);
// The newest format of rows that all members read, also those whose lease has
// ended: until their shards are taken over they may come back. Without members,
// or where one does not say: SS_ROW_FORMAT_1.
int32_t ss_cluster_row_format(const struct ss_cluster *cluster);
// The shards of that member (SS_NOBODY: those without an owner).
struct ss_shards ss_cluster_shards(
    const struct ss_cluster *cluster, uint16_t owner);

#endif
