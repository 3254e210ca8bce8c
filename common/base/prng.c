// prng.c - SplitMix64 (Steele, Lea, Flood 2014): small, fast, good enough for
// jitter and simulations; never for secrets.
#include "common/base/prng.h"

#include "common/base/check.h"

void ss_prng_init(struct ss_prng *prng, uint64_t seed)
{
    prng->state = seed;
}

uint64_t ss_prng_next(struct ss_prng *prng)
{
    uint64_t z = prng->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint64_t ss_prng_below(struct ss_prng *prng, uint64_t bound)
{
    ss_check(bound > 0);
    // Numbers under `uneven` would make small results likelier: draw again.
    uint64_t uneven = (0 - bound) % bound;
    uint64_t number;
    do
        number = ss_prng_next(prng);
    while (number < uneven);
    return number % bound;
}

double ss_prng_unit(struct ss_prng *prng)
{
    return (double)(ss_prng_next(prng) >> 11) / 9007199254740992.0;
}
