// waits.c - asks why nothing comes, after the first second, and then less and
// less often.
#include "client/waits.h"

#include <string.h>

#include "client/limits.h"
#include "common/model/value.h"

void ss_client_waits_heard(struct ss_client_waits *waits, int64_t now_ms)
{
    waits->pause_ms = SS_CLIENT_HEALTH_MS;
    waits->look_at_ms = now_ms + waits->pause_ms;
}

static void ask(
    struct ss_client_waits *waits, struct ss_client *client, int64_t now_ms)
{
    int64_t pause_ms = waits->pause_ms * 2;
    waits->ask = ss_client_start(client, "health", NULL,
        &(struct ss_client_ask){.timeout_ms = SS_CLIENT_HEALTH_MS_MAX});
    waits->pause_ms =
        pause_ms < SS_CLIENT_HEALTH_MS_MAX ? pause_ms : SS_CLIENT_HEALTH_MS_MAX;
    waits->look_at_ms = now_ms + waits->pause_ms;
}

static void tell(const struct ss_client_waits *waits, const char *why)
{
    if (waits->tell)
        waits->tell(waits->ctx, why);
}

// True: it waits for its store. One that has just no thread does not.
static bool finish(struct ss_client_waits *waits)
{
    json_t *answer = NULL;
    struct ss_client_error error;
    if (ss_client_call_finish(&waits->ask, &answer, &error) != 0) {
        bool is_late = strcmp(error.code, "timeout") == 0;
        waits->is_deaf = !is_late && strcmp(error.code, "closed") != 0;
        if (is_late)
            tell(waits, "no coordinator answers");
        waits->is_told |= is_late;
        return false;
    }
    const json_t *health = json_object_get(answer, "health");
    const char *why = ss_json_str(health, "reason", NULL);
    bool is_silent = why && !ss_json_bool(health, "threadless", false);
    if (why || waits->is_told)
        tell(waits, why);
    waits->is_told = why != NULL;
    json_decref(answer);
    return is_silent;
}

static bool is_wanted(const struct ss_client_waits *waits)
{
    return waits->tell || waits->is_needed;
}

bool ss_client_waits_step(struct ss_client_waits *waits,
    struct ss_client *client, bool waiting, int64_t now_ms)
{
    bool is_silent = false;
    if (waits->ask && ss_client_call_is_done(waits->ask))
        is_silent = finish(waits);
    if (!is_wanted(waits))
        return is_silent;
    if (!waiting)
        waits->look_at_ms = 0;
    else if (waits->look_at_ms == 0)
        ss_client_waits_heard(waits, now_ms);
    else if (!waits->ask && !waits->is_deaf && now_ms >= waits->look_at_ms)
        ask(waits, client, now_ms);
    return is_silent;
}

int64_t ss_client_waits_wake_at_ms(const struct ss_client_waits *waits)
{
    bool may_ask = is_wanted(waits) && !waits->ask && !waits->is_deaf;
    return may_ask && waits->look_at_ms ? waits->look_at_ms : INT64_MAX;
}
