// clock.c - the system's clocks and its randomness.
#include "common/app/clock.h"

#include <limits.h>
#include <stdio.h>
#include <time.h>

#include "common/base/check.h"

static int64_t read_us(clockid_t clock)
{
    struct timespec now;
    ss_check(clock_gettime(clock, &now) == 0);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t ss_clock_us(void)
{
    return read_us(CLOCK_BOOTTIME);
}

int64_t ss_clock_ms(void)
{
    return ss_clock_us() / 1000;
}

int64_t ss_clock_wall_us(void)
{
    return read_us(CLOCK_REALTIME);
}

int ss_clock_left(int64_t wake_at_ms, int64_t now_ms)
{
    if (wake_at_ms == INT64_MAX)
        return -1;
    if (wake_at_ms <= now_ms)
        return 0;
    int64_t left = wake_at_ms - now_ms;
    return left > INT_MAX ? INT_MAX : (int)left;
}

uint64_t ss_entropy(void)
{
    uint64_t bits = 0;
    FILE *file = fopen("/dev/urandom", "rb");
    ss_check(file != NULL);
    setvbuf(file, NULL, _IONBF, 0);
    ss_check(fread(&bits, sizeof(bits), 1, file) == 1);
    fclose(file);
    return bits;
}
