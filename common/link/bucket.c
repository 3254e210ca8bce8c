// bucket.c - tokens that come with time.
#include "common/link/bucket.h"

struct ss_bucket ss_bucket_full(int64_t burst, int64_t now_ms)
{
    return (struct ss_bucket){
        .tokens_milli = burst * 1000, .filled_ms = now_ms};
}

static void fill(
    struct ss_bucket *bucket, int64_t rate, int64_t burst, int64_t now_ms)
{
    int64_t passed_ms = now_ms - bucket->filled_ms;
    if (passed_ms <= 0)
        return;
    // Beyond this time the bucket is full whatever it held: nothing can
    // overflow.
    if (passed_ms > burst * 1000 / rate)
        bucket->tokens_milli = burst * 1000;
    else
        bucket->tokens_milli += passed_ms * rate;
    if (bucket->tokens_milli > burst * 1000)
        bucket->tokens_milli = burst * 1000;
    bucket->filled_ms = now_ms;
}

bool ss_bucket_take(struct ss_bucket *bucket, int64_t count, int64_t rate,
    int64_t burst, int64_t now_ms)
{
    fill(bucket, rate, burst, now_ms);
    if (bucket->tokens_milli < count * 1000)
        return false;
    bucket->tokens_milli -= count * 1000;
    return true;
}
