// bucket.h - how often something may happen: a full one allows `burst` at once,
// and it fills again at `rate` a second. The caller gives the time.
#ifndef SS_LINK_BUCKET_H
#define SS_LINK_BUCKET_H

#include <stdbool.h>
#include <stdint.h>

struct ss_bucket {
    int64_t tokens_milli; // thousandths
    int64_t filled_ms;
};

struct ss_bucket ss_bucket_full(int64_t burst, int64_t now_ms);
// Take `count` tokens. False: there are not as many.
bool ss_bucket_take(struct ss_bucket *bucket, int64_t count, int64_t rate,
    int64_t burst, int64_t now_ms);

#endif
