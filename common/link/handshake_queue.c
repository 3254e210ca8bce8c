// handshake_queue.c - a short list, and which of its entries is due.
#include "common/link/handshake_queue.h"

#include "common/link/limits.h"

void ss_handshake_queue_add(
    struct ss_handshake_queue *queue, const struct ss_handshake *handshake)
{
    if (queue->handshakes.count < SS_LINK_HANDSHAKES_MAX)
        SS_VEC_PUSH(&queue->handshakes, *handshake);
}

static int64_t end_ms(const struct ss_handshake *handshake)
{
    return handshake->since_ms + SS_LINK_HANDSHAKE_MS;
}

static int64_t due_ms(const struct ss_handshake *handshake)
{
    return handshake->until_ms < end_ms(handshake) ? handshake->until_ms
                                                   : end_ms(handshake);
}

bool ss_handshake_queue_take(struct ss_handshake_queue *queue, int64_t now_ms,
    struct ss_handshake *ret_handshake)
{
    for (size_t i = 0; i < queue->handshakes.count;) {
        struct ss_handshake handshake = queue->handshakes.items[i];
        if (due_ms(&handshake) > now_ms) {
            i++;
            continue;
        }
        queue->handshakes.items[i] =
            queue->handshakes.items[--queue->handshakes.count];
        if (end_ms(&handshake) <= now_ms)
            continue;
        *ret_handshake = handshake;
        return true;
    }
    return false;
}

int64_t ss_handshake_queue_due_ms(const struct ss_handshake_queue *queue)
{
    int64_t first_ms = INT64_MAX;
    for (size_t i = 0; i < queue->handshakes.count; i++) {
        int64_t it_ms = due_ms(&queue->handshakes.items[i]);
        first_ms = it_ms < first_ms ? it_ms : first_ms;
    }
    return first_ms;
}

void ss_handshake_queue_fini(struct ss_handshake_queue *queue)
{
    SS_VEC_FINI(&queue->handshakes);
}
