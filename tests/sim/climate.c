// climate.c - how frequent each fault is in a seed.
#include "common/base/ids.h"
#include "tests/sim/world.h"

static uint32_t between(struct ss_prng *dice, uint32_t low, uint32_t high)
{
    return low + (uint32_t)ss_prng_below(dice, high - low + 1);
}

// Many seeds have none of a kind of fault, some have a lot: what hides behind
// another fault shows too.
static uint32_t chance(struct ss_prng *dice, uint32_t high)
{
    switch (ss_prng_below(dice, 4)) {
    case 0:
        return 0;
    case 1:
        return between(dice, 1, high / 8 + 1);
    default:
        return between(dice, 1, high);
    }
}

static void draw_load(struct climate *climate, struct ss_prng *dice)
{
    static const uint32_t latencies[] = {2, 20, 100, 400};
    static const uint32_t bodies[] = {5, 50, 300, 1500};
    static const uint32_t commits[] = {2, 10, 50, 200};
    climate->coordinators = between(dice, 1, COORDINATORS_MAX);
    climate->is_shared =
        climate->coordinators > 1 || ss_prng_below(dice, 3) == 0;
    climate->cluster_lease_ms = between(dice, 1500, 6000);
    climate->workers = between(dice, 1, WORKERS_MAX);
    climate->customers = between(dice, 2, CUSTOMERS_MAX);
    climate->graphs = between(dice, 1, GRAPHS_MAX);
    climate->inputs = between(dice, 1, 4);
    climate->latency_ms = latencies[ss_prng_below(dice, 4)];
    climate->body_ms = bodies[ss_prng_below(dice, 4)];
    climate->commit_ms = commits[ss_prng_below(dice, 4)];
}

static void draw_network(struct climate *climate, struct ss_prng *dice)
{
    climate->lost = chance(dice, 150);
    climate->repeated = chance(dice, 150);
    climate->late = chance(dice, 200);
    climate->cut = chance(dice, 10);
    climate->words = chance(dice, 50);
}

static void draw_database(struct climate *climate, struct ss_prng *dice)
{
    climate->commit_slow = chance(dice, 60);
    climate->commit_failed = chance(dice, 8);
    climate->commit_lied = chance(dice, 8);
    climate->commit_unsure = chance(dice, 60);
    climate->read_failed = chance(dice, 60);
    climate->commit_lands = between(dice, 0, 1000);
}

// What customers do to their threads, most of the time nothing. What is
// exported is long: that is done more seldom.
static void draw_chores(struct climate *climate, struct ss_prng *dice)
{
    static const uint32_t most[CHORE_COUNT] = {[CHORE_PRUNE] = 6,
        [CHORE_UPDATE] = 8,
        [CHORE_FORK] = 3,
        [CHORE_COPY] = 3,
        [CHORE_DELETE] = 3,
        [CHORE_MOVE] = 2,
        [CHORE_REST] = 3,
        [CHORE_RETAIN] = 3};
    for (size_t i = 0; i < CHORE_COUNT; i++)
        climate->chores[i] = chance(dice, most[i]);
    climate->chore_none = 20;
    climate->idle_ms = 500 + (int64_t)ss_prng_below(dice, 10000);
    climate->shares_names = ss_prng_below(dice, 2) == 0;
    climate->rest_ms = between(dice, 100, 12000);
}

// One seed of eight knows it, by dice of its own: what is promised then is
// less (docs/internals/simulator.md), and the others are to promise it all.
static void draw_set_back(struct climate *climate, uint64_t seed)
{
    struct ss_prng dice;
    ss_prng_init(&dice, ss_hash64(&seed, sizeof(seed)));
    if (ss_prng_below(&dice, 8) != 0)
        return;
    climate->set_back = between(&dice, 1, 3);
    // The epochs of a database that one process owns are of that one's clock.
    if (!climate->is_shared)
        climate->clock = 0;
}

// Every other seed has two versions of each graph, which are rolled out again
// and again.
static void draw_versions(struct climate *climate, uint64_t seed)
{
    struct ss_prng dice;
    uint64_t both[2] = {seed, 2};
    ss_prng_init(&dice, ss_hash64(both, sizeof(both)));
    if (ss_prng_below(&dice, 2) == 0)
        climate->roll = between(&dice, 1, 4);
}

// In every third seed people hold graphs back.
static void draw_pauses(struct climate *climate, uint64_t seed)
{
    struct ss_prng dice;
    uint64_t both[2] = {seed, 3};
    ss_prng_init(&dice, ss_hash64(both, sizeof(both)));
    if (ss_prng_below(&dice, 3) == 0)
        climate->hold = between(&dice, 1, 4);
}

// In every third seed graphs have a limit, which may be a rate; where the
// database may be set back it may be told twice where a part is. Bodies take
// long then: some are under way when their coordinator's shards are another's.
// Often one node of each graph has a limit besides, which all graphs share.
static void draw_limit(struct climate *climate, uint64_t seed)
{
    struct ss_prng dice;
    static const uint32_t bodies[] = {300, 1500, 4000};
    uint64_t both[2] = {seed, 4};
    ss_prng_init(&dice, ss_hash64(both, sizeof(both)));
    if (climate->set_back > 0 || ss_prng_below(&dice, 3) > 0)
        return;
    climate->limit = between(&dice, 1, 4);
    climate->body_ms = bodies[ss_prng_below(&dice, 3)];
    climate->limit_each = ss_prng_below(&dice, 2) == 0;
    bool is_number = ss_prng_below(&dice, 3) > 0;
    climate->limit_also = between(&dice, 0, 2);
    if (is_number)
        return;
    climate->limit += 1;
    climate->limit_per_ms = between(&dice, 500, 3000);
}

void climate_draw(struct climate *climate, struct ss_prng *dice, uint64_t seed)
{
    *climate = (struct climate){0};
    draw_load(climate, dice);
    draw_network(climate, dice);
    draw_database(climate, dice);
    climate->crash_coordinator = between(dice, 0, 10);
    climate->crash_worker = between(dice, 0, 10);
    climate->crash_customer = between(dice, 0, 5);
    climate->drain = between(dice, 0, 2);
    climate->leave = climate->is_shared ? between(dice, 0, 4) : 0;
    climate->pause = between(dice, 0, 5);
    climate->partition = between(dice, 0, 5);
    climate->clock = between(dice, 0, 2);
    climate->mishap_ms = 50 + (int64_t)ss_prng_below(dice, 4000);
    climate->storm_ms = 5000 + (int64_t)ss_prng_below(dice, 60000);
    draw_chores(climate, dice);
    draw_set_back(climate, seed);
    draw_versions(climate, seed);
    draw_pauses(climate, seed);
    draw_limit(climate, seed);
}
