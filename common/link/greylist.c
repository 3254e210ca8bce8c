// greylist.c - a table of offenders, by address and key.
#include "common/link/greylist.h"

#include <stddef.h>

#include "common/base/check.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/link/bucket.h"
#include "common/link/limits.h"

struct offender {
    struct ss_bucket wrongs;
    int64_t last_ms; // when it did wrong last
    int64_t end_ms;  // when its wait ends
    int64_t wait_ms; // the length of its last wait; 0: none yet
};

struct ss_greylist {
    struct ss_map offenders; // "address key" -> struct offender *
    int64_t swept_ms;
};

struct ss_greylist *ss_greylist_new(void)
{
    return ss_zalloc(1, sizeof(struct ss_greylist));
}

void ss_greylist_destroy(struct ss_greylist **greylist)
{
    if (!*greylist)
        return;
    ss_map_fini(&(*greylist)->offenders, ss_free);
    ss_free(*greylist);
    *greylist = NULL;
}

static bool is_forgiven(const struct offender *offender, int64_t now_ms)
{
    return now_ms - offender->last_ms > SS_LINK_FORGET_MS &&
           now_ms - offender->end_ms > SS_LINK_FORGET_MS;
}

// Not each time: whoever fills the table must not make us walk it with every
// entry.
static void sweep(struct ss_greylist *greylist, int64_t now_ms)
{
    if (greylist->swept_ms != 0 &&
        now_ms - greylist->swept_ms < SS_LINK_SWEEP_MS)
        return;
    greylist->swept_ms = now_ms;
    for (struct ss_map_entry *it = greylist->offenders.first; it;) {
        struct ss_map_entry *next = it->next;
        if (is_forgiven(it->value, now_ms))
            ss_free(ss_map_remove(&greylist->offenders, it->key));
        it = next;
    }
}

static struct offender *find(
    const struct ss_greylist *greylist, const char *address, const char *key)
{
    char *who = ss_format("%s %s", address, key);
    struct offender *found = ss_map_get(&greylist->offenders, who);
    ss_free(who);
    return found;
}

// NULL: the table is full.
static struct offender *offender_of(struct ss_greylist *greylist,
    const char *address, const char *key, int64_t now_ms)
{
    struct offender *offender = find(greylist, address, key);
    bool is_new = !offender;
    if (is_new && greylist->offenders.count >= SS_LINK_OFFENDERS_MAX)
        sweep(greylist, now_ms);
    if (is_new && greylist->offenders.count >= SS_LINK_OFFENDERS_MAX)
        return NULL;
    if (is_new) {
        char *who = ss_format("%s %s", address, key);
        offender = ss_zalloc(1, sizeof(*offender));
        ss_map_put(&greylist->offenders, who, offender);
        ss_free(who);
    }
    if (is_new || is_forgiven(offender, now_ms))
        *offender = (struct offender){
            .wrongs = ss_bucket_full(SS_LINK_WRONGS_BURST, now_ms)};
    offender->last_ms = now_ms;
    return offender;
}

static void punish(struct offender *offender, int64_t now_ms)
{
    if (offender->end_ms > now_ms)
        return;
    int64_t wait_ms =
        offender->wait_ms == 0 ? SS_LINK_WAIT_MS : 2 * offender->wait_ms;
    offender->wait_ms =
        wait_ms < SS_LINK_WAIT_MAX_MS ? wait_ms : SS_LINK_WAIT_MAX_MS;
    offender->end_ms = now_ms + offender->wait_ms;
}

bool ss_greylist_wrong(struct ss_greylist *greylist, const char *address,
    const char *key, int64_t now_ms)
{
    struct offender *offender = offender_of(greylist, address, key, now_ms);
    if (!offender)
        return false;
    if (ss_bucket_take(&offender->wrongs, 1, SS_LINK_WRONGS_RATE,
            SS_LINK_WRONGS_BURST, now_ms))
        return true;
    punish(offender, now_ms);
    ss_check(offender->end_ms > now_ms);
    return false;
}

void ss_greylist_punish(struct ss_greylist *greylist, const char *address,
    const char *key, int64_t now_ms)
{
    struct offender *offender = offender_of(greylist, address, key, now_ms);
    if (offender)
        punish(offender, now_ms);
}

int64_t ss_greylist_end_ms(const struct ss_greylist *greylist,
    const char *address, const char *key, int64_t now_ms)
{
    const struct offender *offender = find(greylist, address, key);
    return offender && offender->end_ms > now_ms ? offender->end_ms : 0;
}
