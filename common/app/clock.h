// clock.h - time and chance, for shells: the cores below get both as data.
#ifndef SS_APP_CLOCK_H
#define SS_APP_CLOCK_H

#include <stdint.h>

// Monotonic, from an unknown start: for waiting. It goes on while the machine
// is suspended, as do the leases that others count.
int64_t ss_clock_ms(void);
int64_t ss_clock_us(void);
// Microseconds since 1970: for what is stored.
int64_t ss_clock_wall_us(void);
// Milliseconds from `now_ms` until `wake_at_ms`, as poll() takes them: 0 if it
// is past, -1 for INT64_MAX (no limit).
int ss_clock_left(int64_t wake_at_ms, int64_t now_ms);
// Whole seconds, rounded up: what has begun has not gone on for 0 s.
static inline int64_t ss_clock_seconds(int64_t ms)
{
    enum { MS = 1000 };
    return (ms + MS - 1) / MS;
}
// 64 bits that nobody can guess, for seeds.
uint64_t ss_entropy(void);

#endif
