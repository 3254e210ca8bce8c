// prng.h - random numbers from a seed: the same seed, the same numbers.
#ifndef SS_BASE_PRNG_H
#define SS_BASE_PRNG_H

#include <stdint.h>

struct ss_prng {
    uint64_t state;
};

void ss_prng_init(struct ss_prng *prng, uint64_t seed);
uint64_t ss_prng_next(struct ss_prng *prng);
// 0 <= result < bound; bound > 0.
uint64_t ss_prng_below(struct ss_prng *prng, uint64_t bound);
// 0.0 <= result < 1.0.
double ss_prng_unit(struct ss_prng *prng);

#endif
