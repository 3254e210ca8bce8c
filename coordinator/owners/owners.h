// owners.h - which shards this coordinator owns: events in, commands out.
//
// Several coordinators share one database. Each holds a lease there and owns
// some shards; the database's clock judges leases, and what an owner writes is
// fenced (coordinator/store/store.h). This room decides when to renew, look,
// claim, take over, hand over and stop; like the engine it performs nothing
// itself.
//
//            TICK, answers of the database             what the shell performs
//     RENEWED, LOOKED, CLAIMED, ...  -->  owners  -->  RENEW, LOOK, CLAIM, ...
//                                           |
//                                           +-->  GAINED, LOST (to the engine)
//
// - A shard is gained only by a look at the database that was asked for after
//   the last change, under a lease that still runs.
// - The lease is counted from before its renewal was sent, by the monotonic
//   clock, and less than the database grants: nobody takes over from one who
//   still works. When it runs out all shards are lost, before anything else but
//   the answer to a renewal that was sent before: the database would have
//   refused that (FENCED) if another one had taken over meanwhile.
// - A shard that is handed over is lost first, and handed over by whoever
//   appends its rows, behind them.
// - Who drains says so with a renewal, claims nothing more, and when told to
//   leave hands everything to the others.
#ifndef SS_OWNERS_OWNERS_H
#define SS_OWNERS_OWNERS_H

#include "common/model/cluster.h"

enum ss_owners_event_type {
    SS_OWNERS_TICK,    // time passed (all events carry the time)
    SS_OWNERS_RENEWED, // answers to commands: `status`
    SS_OWNERS_LOOKED,  // `cluster`
    SS_OWNERS_CLAIMED,
    SS_OWNERS_TOOK,
    SS_OWNERS_HANDED,
    SS_OWNERS_ENDED,
    SS_OWNERS_DRAIN,  // take no more
    SS_OWNERS_LEAVE,  // hand everything over, and end
    SS_OWNERS_FENCED, // an append was refused: another coordinator has the
                      // epoch
};

struct ss_owners_event {
    enum ss_owners_event_type type;
    int64_t now_ms; // monotonic
    int status;
    // RENEWED: an answer to no command: the lease was renewed while the loop
    // was at work, asked for at `sent_ms`.
    bool kept;
    int64_t sent_ms;
    const struct ss_cluster *cluster; // LOOKED; borrowed
    const struct ss_shards *busy;     // LOOKED: shards with runs; NULL: none
};

enum ss_owners_command_type {
    // To the database; each is answered once, by the event of its name.
    SS_OWNERS_RENEW, // for `lease_ms`; `drains`
    SS_OWNERS_LOOK,
    SS_OWNERS_CLAIM, // `shards`, as far as nobody has them
    SS_OWNERS_TAKE,  // all that the dead member `name` has
    SS_OWNERS_HAND, // `shards` to member `name` ("": to nobody), behind appends
    SS_OWNERS_END,  // the lease, behind appends
    // To the engine.
    SS_OWNERS_GAINED, // `shards`; `epoch`: higher than any owner's before.
                      // `crashed`: of an owner that ended without a word
    SS_OWNERS_LOST,   // `shards`; `name`: who gets them, or ""
    SS_OWNERS_SEEN,   // the members have changed: ss_owners_cluster()
    // To the shell.
    SS_OWNERS_DISPLACED, // another one has taken over: this epoch is over
    SS_OWNERS_LEFT,      // everything was handed over
};

struct ss_owners_command {
    enum ss_owners_command_type type;
    struct ss_shards shards;
    char name[SS_MEMBER_NAME_MAX + 1];
    uint64_t epoch;
    bool crashed;
    bool drains;
};

// Owned by the room, valid until the next call.
struct ss_owners_commands {
    const struct ss_owners_command *items;
    size_t count;
    int64_t wake_at_ms; // when the next TICK must be, at the latest; INT64_MAX:
                        // none
};

// A lease of one whom nobody can replace: it is asked for once, and who else is
// there is looked for no more than that takes.
#define SS_OWNERS_FOR_EVER (INT64_MAX / 2)

struct ss_owners_options {
    const char *name; // of this member; copied
    int64_t lease_ms;
    // Members that start together, itself among them: for the time of a lease
    // it claims no more than its part of so many, and hands over none of what
    // it would else have claimed. 0: it starts alone.
    size_t expected;
};

struct ss_owners;

// The first TICK asks for a lease. Gives.
struct ss_owners *ss_owners_new(const struct ss_owners_options *options);
void ss_owners_destroy(struct ss_owners **owners);
void ss_owners_step(struct ss_owners *owners,
    const struct ss_owners_event *event, struct ss_owners_commands *ret);
// The last look at the database. Borrowed, until the next step.
const struct ss_cluster *ss_owners_cluster(const struct ss_owners *owners);
// When that was asked for; INT64_MIN: there was none yet.
int64_t ss_owners_looked_ms(const struct ss_owners *owners);
// When its lease ends, as it counts; INT64_MIN: it has none.
int64_t ss_owners_lease_end_ms(const struct ss_owners *owners);
// Shards that the engine has now.
struct ss_shards ss_owners_active(const struct ss_owners *owners);

#endif
