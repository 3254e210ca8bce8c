// owners.c - a lease kept, shards gained and lost.
//
//     no lease --RENEWED--> leased --(own clock)--> no lease: all is lost
//        |                    |
//        +-----(fenced)-------+--> displaced: over
//
// Our shards are those that the database named last, without those on their way
// out.
#include "coordinator/owners/owners.h"

#include <stdio.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "coordinator/owners/limits.h"

struct ss_owners {
    char name[SS_MEMBER_NAME_MAX + 1];
    int64_t lease_ms;
    size_t expected;
    int64_t expected_until_ms; // 0: it has not begun
    int64_t now_ms;
    // The lease.
    int64_t safe_until_ms; // we may work before then; INT64_MIN: not at all
    int64_t renew_at_ms;
    int64_t renew_sent_ms;
    bool is_renewing;
    // What was seen.
    int64_t look_at_ms;
    int64_t look_sent_ms; // of the last one that was asked for
    int64_t looked_ms;    // when `cluster` was so; INT64_MIN: nothing was seen
    bool is_looking;
    bool look_is_stale; // something changed after it was asked for
    bool has_looked;
    struct ss_cluster cluster;
    // What is asked of the database.
    bool is_changing; // a claim or a takeover
    size_t handing;   // hand-overs
    bool is_ending;
    // Shards.
    struct ss_shards active;  // the engine has them
    struct ss_shards leaving; // being handed over
    struct ss_shards suspect; // of an owner that crashed; not gained yet
    int64_t uneven_since_ms;  // INT64_MAX: balanced
    bool is_draining, is_leaving, is_over;
    SS_VEC(struct ss_owners_command) commands;
};

static const struct ss_shards no_shards;

struct ss_owners *ss_owners_new(const struct ss_owners_options *options)
{
    struct ss_owners *owners = ss_zalloc(1, sizeof(*owners));
    ss_check(options->lease_ms > 0);
    ss_check(strlen(options->name) < sizeof(owners->name));
    snprintf(owners->name, sizeof(owners->name), "%s", options->name);
    owners->lease_ms = options->lease_ms;
    owners->expected = options->expected;
    owners->safe_until_ms = INT64_MIN;
    owners->looked_ms = INT64_MIN;
    owners->look_at_ms = INT64_MAX; // behind the first renewal
    owners->uneven_since_ms = INT64_MAX;
    for (size_t i = 0; i < SS_SHARDS; i++)
        owners->cluster.owners[i] = SS_NOBODY;
    return owners;
}

void ss_owners_destroy(struct ss_owners **owners)
{
    struct ss_owners *it = *owners;
    if (!it)
        return;
    *owners = NULL;
    ss_cluster_fini(&it->cluster);
    SS_VEC_FINI(&it->commands);
    ss_free(it);
}

const struct ss_cluster *ss_owners_cluster(const struct ss_owners *owners)
{
    return &owners->cluster;
}

int64_t ss_owners_looked_ms(const struct ss_owners *owners)
{
    return owners->looked_ms;
}

struct ss_shards ss_owners_active(const struct ss_owners *owners)
{
    return owners->active;
}

int64_t ss_owners_lease_end_ms(const struct ss_owners *owners)
{
    return owners->safe_until_ms;
}

// ------------------------------------------------ commands

static struct ss_owners_command *command(
    struct ss_owners *owners, enum ss_owners_command_type type)
{
    SS_VEC_PUSH(&owners->commands, (struct ss_owners_command){.type = type});
    return &owners->commands.items[owners->commands.count - 1];
}

static bool is_leased(const struct ss_owners *owners)
{
    return owners->now_ms < owners->safe_until_ms;
}

static void lose(
    struct ss_owners *owners, const struct ss_shards *shards, const char *to)
{
    struct ss_shards lost = no_shards;
    for (size_t i = 0; i < SS_SHARDS / 64; i++)
        lost.bits[i] = shards->bits[i] & owners->active.bits[i];
    if (ss_shards_count(&lost) == 0)
        return;
    ss_shards_leave(&owners->active, &lost);
    struct ss_owners_command *it = command(owners, SS_OWNERS_LOST);
    it->shards = lost;
    snprintf(it->name, sizeof(it->name), "%s", to);
}

static void lose_all(struct ss_owners *owners)
{
    struct ss_shards all = owners->active;
    lose(owners, &all, "");
}

static void gain(struct ss_owners *owners, struct ss_shards shards)
{
    struct ss_shards crashed = no_shards;
    for (size_t i = 0; i < SS_SHARDS / 64; i++)
        crashed.bits[i] = shards.bits[i] & owners->suspect.bits[i];
    ss_shards_leave(&shards, &crashed);
    const struct ss_shards *parts[] = {&shards, &crashed};
    for (size_t i = 0; i < 2; i++) {
        if (ss_shards_count(parts[i]) == 0)
            continue;
        struct ss_owners_command *it = command(owners, SS_OWNERS_GAINED);
        it->shards = *parts[i];
        it->epoch = owners->cluster.epoch;
        it->crashed = i == 1;
        ss_shards_join(&owners->active, parts[i]);
    }
    ss_shards_leave(&owners->suspect, &crashed);
}

static void displaced(struct ss_owners *owners)
{
    if (owners->is_over)
        return;
    owners->is_over = true;
    owners->safe_until_ms = INT64_MIN;
    lose_all(owners);
    command(owners, SS_OWNERS_DISPLACED);
}

static void hand(
    struct ss_owners *owners, const struct ss_shards *shards, const char *to)
{
    lose(owners, shards, to);
    ss_shards_join(&owners->leaving, shards);
    struct ss_owners_command *it = command(owners, SS_OWNERS_HAND);
    it->shards = *shards;
    snprintf(it->name, sizeof(it->name), "%s", to);
    owners->handing++;
}

// ------------------------------------------------ looking

static bool is_for_ever(const struct ss_owners *owners)
{
    return owners->lease_ms == SS_OWNERS_FOR_EVER;
}

static int64_t look_every_ms(const struct ss_owners *owners)
{
    int64_t ms = owners->lease_ms / 8;
    if (ms > SS_OWNERS_LOOK_MS)
        return SS_OWNERS_LOOK_MS;
    return ms < SS_OWNERS_LOOK_MS_MIN ? SS_OWNERS_LOOK_MS_MIN : ms;
}

static bool is_me(const struct ss_owners *owners, const struct ss_member *it)
{
    return strcmp(it->name, owners->name) == 0;
}

// Leases of others end at the earliest `left_ms` after the look, which was
// before now.
static void look_again(struct ss_owners *owners)
{
    int64_t at_ms = is_for_ever(owners)
                        ? INT64_MAX
                        : owners->now_ms + look_every_ms(owners);
    for (size_t i = 0; i < owners->cluster.members_count; i++) {
        const struct ss_member *it = &owners->cluster.members[i];
        if (is_me(owners, it) || it->left_ms <= 0)
            continue; // ours may be for ever
        int64_t end_ms = owners->now_ms + it->left_ms;
        if (end_ms < at_ms)
            at_ms = end_ms;
    }
    owners->look_at_ms = at_ms;
}

static void look_now(struct ss_owners *owners)
{
    owners->look_at_ms = owners->now_ms;
    owners->look_is_stale = true;
}

static bool seen_the_same(
    const struct ss_cluster *a, const struct ss_cluster *b)
{
    if (a->members_count != b->members_count ||
        memcmp(a->owners, b->owners, sizeof(a->owners)) != 0)
        return false;
    for (size_t i = 0; i < a->members_count; i++)
        if (strcmp(a->members[i].name, b->members[i].name) != 0 ||
            strcmp(a->members[i].endpoint, b->members[i].endpoint) != 0 ||
            a->members[i].row_format != b->members[i].row_format)
            return false;
    return true;
}

static void cluster_copy(
    struct ss_owners *owners, const struct ss_cluster *from)
{
    struct ss_cluster copy = *from;
    bool is_news = !seen_the_same(&owners->cluster, from);
    copy.members = ss_zalloc(from->members_count + 1, sizeof(*copy.members));
    for (size_t i = 0; i < from->members_count; i++)
        copy.members[i] = from->members[i];
    ss_cluster_fini(&owners->cluster);
    owners->cluster = copy;
    if (is_news)
        command(owners, SS_OWNERS_SEEN);
}

static struct ss_shards mine(const struct ss_owners *owners)
{
    uint16_t me = ss_cluster_find(&owners->cluster, owners->name);
    struct ss_shards shards = no_shards;
    if (me != SS_NOBODY)
        shards = ss_cluster_shards(&owners->cluster, me);
    ss_shards_leave(&shards, &owners->leaving);
    return shards;
}

// ------------------------------------------------ sharing

static bool takes_shards(const struct ss_member *it)
{
    return it->left_ms > 0 && !it->drains;
}

static size_t takers(const struct ss_owners *owners)
{
    size_t count = 0;
    for (size_t i = 0; i < owners->cluster.members_count; i++)
        count += takes_shards(&owners->cluster.members[i]);
    return count;
}

static bool take_over(struct ss_owners *owners)
{
    for (size_t i = 0; i < owners->cluster.members_count; i++) {
        const struct ss_member *it = &owners->cluster.members[i];
        if (is_me(owners, it) || it->left_ms > 0)
            continue;
        struct ss_owners_command *take = command(owners, SS_OWNERS_TAKE);
        struct ss_shards shards =
            ss_cluster_shards(&owners->cluster, (uint16_t)i);
        snprintf(take->name, sizeof(take->name), "%s", it->name);
        // Even if it is unknown whether the takeover was done.
        ss_shards_join(&owners->suspect, &shards);
        owners->is_changing = true;
        return true;
    }
    return false;
}

// Members that are expected claim what is theirs, too, when they come.
static size_t claimers(const struct ss_owners *owners, size_t count)
{
    bool waits = owners->now_ms < owners->expected_until_ms;
    return waits && owners->expected > count ? owners->expected : count;
}

// Claim no more than an equal part: the other members claim, too.
static bool claim(struct ss_owners *owners, size_t mine_count, size_t count)
{
    size_t part = (SS_SHARDS + count - 1) / count;
    struct ss_shards wanted = no_shards;
    size_t wanted_count = 0;
    for (uint16_t i = 0; i < SS_SHARDS; i++) {
        if (owners->cluster.owners[i] != SS_NOBODY ||
            mine_count + wanted_count >= part)
            continue;
        ss_shards_add(&wanted, i);
        wanted_count++;
    }
    if (wanted_count == 0)
        return false;
    command(owners, SS_OWNERS_CLAIM)->shards = wanted;
    owners->is_changing = true;
    return true;
}

// Up to `count` of `from`, the quiet ones first, the busy ones if they must.
static struct ss_shards choose(const struct ss_shards *from,
    const struct ss_shards *busy, size_t count, bool busy_too)
{
    struct ss_shards chosen = no_shards;
    for (int pass = 0; pass < (busy_too ? 2 : 1); pass++)
        for (uint16_t i = SS_SHARDS; i-- > 0 && count > 0;)
            if (ss_shards_have(from, i) &&
                ss_shards_have(busy, i) == (pass == 1)) {
                ss_shards_add(&chosen, i);
                count--;
            }
    return chosen;
}

static const struct ss_member *poorest(
    const struct ss_owners *owners, size_t *ret_count)
{
    const struct ss_cluster *cluster = &owners->cluster;
    const struct ss_member *found = NULL;
    size_t counts[SS_MEMBERS_MAX] = {0};
    for (size_t i = 0; i < SS_SHARDS; i++)
        if (cluster->owners[i] < SS_MEMBERS_MAX)
            counts[cluster->owners[i]]++;
    for (size_t i = 0; i < cluster->members_count; i++) {
        const struct ss_member *it = &cluster->members[i];
        if (is_me(owners, it) || !takes_shards(it) ||
            (found && counts[i] >= *ret_count))
            continue;
        found = it;
        *ret_count = counts[i];
    }
    return found;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void balance(struct ss_owners *owners, const struct ss_shards *have,
    const struct ss_shards *busy, size_t count)
{
    size_t fewest = SS_SHARDS / count; // the fewest that each is to have
    size_t mine_count = ss_shards_count(have), their_count = 0;
    const struct ss_member *to = poorest(owners, &their_count);
    if (!to || mine_count <= fewest || their_count >= fewest) {
        owners->uneven_since_ms = INT64_MAX;
        return;
    }
    if (owners->uneven_since_ms == INT64_MAX)
        owners->uneven_since_ms = owners->now_ms;
    bool patience = owners->now_ms - owners->uneven_since_ms <
                    owners->lease_ms * SS_OWNERS_PATIENCE_LEASES;
    size_t some = least(
        least(mine_count - fewest, fewest - their_count), SS_OWNERS_HAND_MAX);
    struct ss_shards chosen = choose(have, busy, some, !patience);
    if (ss_shards_count(&chosen) > 0)
        hand(owners, &chosen, to->name);
}

// Hand everything over, in equal parts, to the members that stay; if there are
// none, to nobody.
static void hand_all(struct ss_owners *owners)
{
    struct ss_shards left = mine(owners);
    size_t count = 0;
    for (size_t i = 0; i < owners->cluster.members_count; i++)
        count += !is_me(owners, &owners->cluster.members[i]) &&
                 takes_shards(&owners->cluster.members[i]);
    ss_shards_join(&left, &owners->active);
    size_t part = count > 0 ? (ss_shards_count(&left) + count - 1) / count : 0;
    for (size_t i = 0; i < owners->cluster.members_count && part > 0; i++) {
        const struct ss_member *it = &owners->cluster.members[i];
        if (is_me(owners, it) || !takes_shards(it))
            continue;
        struct ss_shards chosen = choose(&left, &no_shards, part, false);
        if (ss_shards_count(&chosen) == 0)
            break;
        hand(owners, &chosen, it->name);
        ss_shards_leave(&left, &chosen);
    }
    lose(owners, &left, ""); // the end of the lease lets go of the rest
}

// ------------------------------------------------ events

static int64_t sent_ms(
    const struct ss_owners *owners, const struct ss_owners_event *event)
{
    return event->kept ? event->sent_ms : owners->renew_sent_ms;
}

static int64_t safe_ms(const struct ss_owners *owners, int64_t sent_ms)
{
    return sent_ms + owners->lease_ms -
           owners->lease_ms / SS_OWNERS_MARGIN_PART;
}

// An answer that was waiting while we worked: it was asked for under the lease,
// and granted, so the lease has not run out in between, whenever we hear of it.
// More of them may follow: whether it has run out since is asked behind them.
static bool extends(
    struct ss_owners *owners, const struct ss_owners_event *event)
{
    int64_t sent = sent_ms(owners, event);
    if (event->type != SS_OWNERS_RENEWED || event->status != SS_OK ||
        sent >= owners->safe_until_ms)
        return false;
    if (safe_ms(owners, sent) > owners->safe_until_ms)
        owners->safe_until_ms = safe_ms(owners, sent);
    return true;
}

static void on_kept(
    struct ss_owners *owners, const struct ss_owners_event *event)
{
    if (event->status == SS_EFENCED)
        displaced(owners);
    else if (event->status == SS_OK && !owners->is_renewing &&
             event->sent_ms > owners->renew_sent_ms)
        owners->renew_at_ms =
            event->sent_ms + owners->lease_ms / SS_OWNERS_RENEW_PART;
}

static void on_renewed(
    struct ss_owners *owners, const struct ss_owners_event *event)
{
    owners->is_renewing = false;
    if (event->status == SS_EFENCED) {
        displaced(owners);
        return;
    }
    int64_t part_ms = owners->lease_ms / SS_OWNERS_RENEW_PART;
    if (event->status != SS_OK) {
        owners->renew_at_ms = owners->now_ms + part_ms / SS_OWNERS_RENEW_PART;
        return;
    }
    bool was_leased = is_leased(owners);
    if (safe_ms(owners, owners->renew_sent_ms) > owners->safe_until_ms)
        owners->safe_until_ms = safe_ms(owners, owners->renew_sent_ms);
    owners->renew_at_ms = owners->renew_sent_ms + part_ms;
    if (is_for_ever(owners))
        owners->safe_until_ms = owners->renew_at_ms = INT64_MAX;
    if (!was_leased && is_leased(owners))
        look_now(owners);
}

static void share(struct ss_owners *owners, const struct ss_owners_event *event,
    const struct ss_shards *have)
{
    const struct ss_shards *busy = event->busy ? event->busy : &no_shards;
    size_t count = takers(owners);
    if (owners->is_draining || owners->is_changing || owners->handing > 0 ||
        count == 0)
        return;
    if (take_over(owners) ||
        claim(owners, ss_shards_count(have), claimers(owners, count)))
        return;
    balance(owners, have, busy, count);
}

// Another member has taken them over, and handles what the crashed owner left.
static void unsuspect(struct ss_owners *owners)
{
    if (ss_shards_count(&owners->suspect) == 0)
        return;
    for (size_t i = 0; i < owners->cluster.members_count; i++) {
        const struct ss_member *it = &owners->cluster.members[i];
        if (is_me(owners, it) || it->left_ms <= 0)
            continue;
        struct ss_shards theirs =
            ss_cluster_shards(&owners->cluster, (uint16_t)i);
        ss_shards_leave(&owners->suspect, &theirs);
    }
}

static void on_looked(
    struct ss_owners *owners, const struct ss_owners_event *event)
{
    owners->is_looking = false;
    if (event->status == SS_EFENCED) { // it is another database now
        displaced(owners);
        return;
    }
    if (event->status != SS_OK) {
        owners->look_at_ms = owners->now_ms + look_every_ms(owners);
        return;
    }
    if (owners->look_is_stale) {
        owners->look_at_ms = owners->now_ms;
        return;
    }
    cluster_copy(owners, event->cluster);
    owners->looked_ms = owners->look_sent_ms;
    look_again(owners);
    if (!is_leased(owners))
        return;
    struct ss_shards have = mine(owners);
    unsuspect(owners);
    if (!owners->has_looked) // from before this start
        ss_shards_join(&owners->suspect, &have);
    owners->has_looked = true;
    struct ss_shards gone = owners->active, fresh = have;
    ss_shards_leave(&gone, &have);
    lose(owners, &gone, "");
    ss_shards_leave(&fresh, &owners->active);
    if (!owners->is_leaving)
        gain(owners, fresh);
    share(owners, event, &have);
}

static void on_changed(
    struct ss_owners *owners, const struct ss_owners_event *event)
{
    owners->is_changing = false;
    if (event->status == SS_EFENCED)
        displaced(owners);
    if (event->status == SS_OK || event->status == SS_EBUSY)
        look_now(owners);
}

// A shard whose hand-over failed is found as our own again.
static void on_handed(
    struct ss_owners *owners, const struct ss_owners_event *event)
{
    ss_check(owners->handing > 0);
    if (--owners->handing == 0)
        owners->leaving = no_shards;
    if (event->status == SS_EFENCED)
        displaced(owners);
    look_now(owners);
}

static void on_drain(struct ss_owners *owners)
{
    if (!owners->is_draining)
        owners->renew_at_ms = owners->now_ms; // so that the others know
    owners->is_draining = true;
}

static void on_leave(struct ss_owners *owners)
{
    if (owners->is_leaving || owners->is_over)
        return;
    on_drain(owners);
    owners->is_leaving = true;
    if (is_leased(owners))
        hand_all(owners);
}

static void on_ended(struct ss_owners *owners)
{
    owners->is_over = true;
    command(owners, SS_OWNERS_LEFT);
}

static void take_event(
    struct ss_owners *owners, const struct ss_owners_event *event)
{
    switch (event->type) {
    case SS_OWNERS_TICK:
        break;
    case SS_OWNERS_RENEWED:
        if (event->kept)
            on_kept(owners, event);
        else
            on_renewed(owners, event);
        break;
    case SS_OWNERS_LOOKED:
        on_looked(owners, event);
        break;
    case SS_OWNERS_CLAIMED:
    case SS_OWNERS_TOOK:
        on_changed(owners, event);
        break;
    case SS_OWNERS_HANDED:
        on_handed(owners, event);
        break;
    case SS_OWNERS_ENDED:
        on_ended(owners);
        break;
    case SS_OWNERS_DRAIN:
        on_drain(owners);
        break;
    case SS_OWNERS_LEAVE:
        on_leave(owners);
        break;
    case SS_OWNERS_FENCED:
        displaced(owners);
        break;
    }
}

// ------------------------------------------------ time

static void ask_what_is_due(struct ss_owners *owners)
{
    // A renewal under way would make this coordinator a member again; a claim
    // or takeover under way would give shards to one that is not a member any
    // more.
    if (owners->is_leaving && owners->handing == 0 && !owners->is_renewing &&
        !owners->is_changing && !owners->is_ending) {
        owners->is_ending = true;
        command(owners, SS_OWNERS_END);
    }
    if (owners->is_leaving && owners->handing == 0)
        return;
    if (!owners->is_renewing && owners->now_ms >= owners->renew_at_ms) {
        command(owners, SS_OWNERS_RENEW)->drains = owners->is_draining;
        owners->is_renewing = true;
        owners->renew_sent_ms = owners->now_ms;
    }
    if (!owners->is_looking && owners->now_ms >= owners->look_at_ms) {
        command(owners, SS_OWNERS_LOOK);
        owners->is_looking = true;
        owners->look_sent_ms = owners->now_ms;
        owners->look_is_stale = false;
    }
}

static int64_t wake_at_ms(const struct ss_owners *owners)
{
    int64_t at_ms = INT64_MAX;
    if (owners->is_over || owners->is_ending)
        return at_ms;
    bool asks_nothing = owners->is_leaving && owners->handing == 0;
    if (!owners->is_renewing && !asks_nothing)
        at_ms = owners->renew_at_ms;
    if (!owners->is_looking && !asks_nothing && owners->look_at_ms < at_ms)
        at_ms = owners->look_at_ms;
    bool may_lapse = is_leased(owners) || ss_shards_count(&owners->active) > 0;
    if (may_lapse && owners->safe_until_ms < at_ms)
        at_ms = owners->safe_until_ms;
    return at_ms;
}

void ss_owners_step(struct ss_owners *owners,
    const struct ss_owners_event *event, struct ss_owners_commands *ret)
{
    ss_check(event->now_ms >= owners->now_ms);
    owners->commands.count = 0;
    owners->now_ms = event->now_ms;
    if (owners->expected_until_ms == 0 && owners->expected > 0)
        owners->expected_until_ms = event->now_ms + owners->lease_ms;
    bool keeps = extends(owners, event);
    if (!owners->is_over && !keeps && !is_leased(owners))
        lose_all(owners); // before anything else
    if (!owners->is_over)
        take_event(owners, event);
    if (!owners->is_over)
        ask_what_is_due(owners);
    ret->items = owners->commands.items;
    ret->count = owners->commands.count;
    ret->wake_at_ms = wake_at_ms(owners);
}
