// log_limit.c - when each line was logged last.
#include "common/app/log_limit.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/app/log.h"
#include "common/base/mem.h"

struct said {
    int64_t at_ms;
    uint64_t silenced; // since then
};

static void forget_old(struct ss_log_limit *limit, int64_t now_ms)
{
    for (struct ss_map_entry *it = limit->said.first; it;) {
        struct ss_map_entry *next = it->next;
        const struct said *said = it->value;
        if (now_ms - said->at_ms >= SS_LOG_AGAIN_MS)
            ss_free(ss_map_remove(&limit->said, it->key));
        it = next;
    }
}

static bool is_full(struct ss_log_limit *limit, int64_t now_ms)
{
    if (limit->said.count < SS_LOG_SUBJECTS_MAX)
        return false;
    forget_old(limit, now_ms);
    bool is_full = limit->said.count >= SS_LOG_SUBJECTS_MAX;
    if (is_full && !limit->is_full_said)
        ss_log_say(SS_LOG_WARNING,
            "more than %d peers do something wrong; no more of them are named",
            SS_LOG_SUBJECTS_MAX);
    limit->is_full_said = is_full;
    return is_full;
}

bool ss_log_limit_due(struct ss_log_limit *limit, const char *kind,
    const char *who, int64_t now_ms)
{
    char *key = ss_format("%s %s", kind, who);
    struct said *said = ss_map_get(&limit->said, key);
    bool is_due = !said || now_ms - said->at_ms >= SS_LOG_AGAIN_MS;
    if (is_due && !said && !is_full(limit, now_ms)) {
        said = ss_zalloc(1, sizeof(*said));
        ss_map_put(&limit->said, key, said);
    }
    is_due = is_due && said;
    if (is_due) {
        limit->more[0] = '\0';
        if (said->silenced > 0)
            snprintf(limit->more, sizeof(limit->more),
                " (and %" PRIu64 " more since)", said->silenced);
        *said = (struct said){.at_ms = now_ms};
    } else if (said) {
        said->silenced++;
    }
    limit->silenced += !is_due;
    ss_free(key);
    return is_due;
}

const char *ss_log_limit_more(const struct ss_log_limit *limit)
{
    return limit->more;
}

void ss_log_limit_fini(struct ss_log_limit *limit)
{
    ss_map_fini(&limit->said, ss_free);
    *limit = (struct ss_log_limit){.silenced = 0};
}
