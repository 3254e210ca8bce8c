// body_log.c - what the worker's log says of bodies.
#include "worker/body_log.h"

#include "common/app/log.h"
#include "worker/limits.h"

static void say_of(enum ss_log_level level, const struct ss_assignment *order,
    const char *what, const char *text)
{
    const struct ss_log_subject subject = {.thread = order->thread,
        .run = order->run,
        .task = order->task_id,
        .epoch = order->attempt.epoch};
    ss_log_about(level, &subject, "%s (thread %s, task %.8s, attempt %u)%s: %s",
        order->node ? order->node : order->fold.channel, order->thread,
        order->task_id, (unsigned)order->attempt_number, what, text);
}

bool ss_body_log_is_room(
    struct ss_body_log_limit *limit, int64_t now_ms, unsigned *ret_left_out)
{
    if (now_ms - limit->since_ms >= SS_HOST_FAILURES_MS) {
        limit->since_ms = now_ms;
        limit->told = 0;
    }
    bool is_told = limit->told < SS_HOST_FAILURES_MAX;
    *ret_left_out = is_told ? limit->left_out : 0;
    limit->told += is_told;
    limit->left_out = is_told ? 0 : limit->left_out + 1;
    return is_told;
}

void ss_body_log_failure(const struct ss_assignment *order,
    const struct ss_outcome *outcome, unsigned left_out)
{
    if (left_out > 0)
        ss_log_say(SS_LOG_WARNING, "%u more attempts failed", left_out);
    say_of(SS_LOG_WARNING, order, " failed",
        outcome->message ? outcome->message : "it does not say why");
}

void ss_body_log_text(const struct ss_assignment *order, const char *text)
{
    say_of(SS_LOG_INFO, order, "", text);
}
