// check.c - options, keys, limits and the store, before a coordinator starts.
#include "coordinator/check.h"

#include <stdio.h>
#include <sys/resource.h>

#include "common/link/allowed.h"
#include "common/link/limits.h"
#include "common/link/link.h"
#include "coordinator/store/inspect.h"

enum { TEXT_SIZE = 512 };

struct check {
    const struct ss_coordinator_options *options;
    ss_finding_fn *found;
    void *ctx;
};

static void check_times(const struct check *check)
{
    char text[TEXT_SIZE];
    const struct ss_coordinator_options *options = check->options;
    if (options->heartbeat_ms < options->lease_ms)
        return;
    snprintf(text, sizeof(text),
        "a heartbeat every %lld ms cannot keep a lease of %lld ms",
        (long long)options->heartbeat_ms, (long long)options->lease_ms);
    check->found(check->ctx, SS_FINDING_HEARTBEAT, text);
}

static void check_reach(const struct check *check)
{
    char text[TEXT_SIZE];
    const struct ss_coordinator_options *options = check->options;
    if ((options->keys && *options->keys) || options->is_insecure ||
        ss_link_is_loopback(options->listen))
        return;
    snprintf(text, sizeof(text),
        "%.200s reaches beyond this machine, and there are no keys",
        options->listen);
    check->found(check->ctx, SS_FINDING_REACH, text);
}

static bool allows(const struct ss_allowed *list, unsigned roles)
{
    for (struct ss_map_entry *it = list->keys.first; it; it = it->next)
        if ((((const struct ss_key *)it->value)->role & roles) != 0)
            return true;
    return false;
}

static void check_list(const struct check *check)
{
    struct ss_allowed list;
    struct ss_error error = {0};
    ss_allowed_init(&list, check->options->keys);
    if (ss_allowed_read(&list, &error) != SS_OK)
        check->found(check->ctx, SS_FINDING_KEY, error.message);
    else if (!allows(&list, SS_ROLE_WORKER))
        check->found(check->ctx, SS_FINDING_NOBODY, "no worker is allowed");
    else if (!allows(&list, SS_ROLE_CLIENT | SS_ROLE_OPERATOR))
        check->found(check->ctx, SS_FINDING_NOBODY, "no client is allowed");
    ss_allowed_fini(&list);
}

static void check_keys(const struct check *check)
{
    struct ss_key key;
    struct ss_error error = {0};
    const char *keys = check->options->keys;
    if (!keys || !*keys)
        return;
    if (ss_keys_own(keys, SS_ROLE_COORDINATOR, &key, &error) != SS_OK) {
        check->found(check->ctx, SS_FINDING_KEY, error.message);
        return;
    }
    ss_key_forget(&key);
    check_list(check);
}

static void check_descriptors(const struct check *check)
{
    char text[TEXT_SIZE];
    struct rlimit files;
    unsigned wanted = check->options->limits.connections_max;
    if (wanted == 0)
        wanted = SS_LINK_PER_ADDRESS_MAX; // one large machine of workers
    if (getrlimit(RLIMIT_NOFILE, &files) != 0 ||
        files.rlim_max == RLIM_INFINITY ||
        files.rlim_max >= (rlim_t)wanted + SS_LINK_DESCRIPTORS_SPARE)
        return;
    snprintf(text, sizeof(text),
        "%llu open files at most; %u connections and the store want more",
        (unsigned long long)files.rlim_max, wanted);
    check->found(check->ctx, SS_FINDING_DESCRIPTORS, text);
}

void ss_coordinator_check(const struct ss_coordinator_options *options,
    ss_finding_fn *found, void *ctx)
{
    const struct check check = {options, found, ctx};
    check_times(&check);
    check_reach(&check);
    check_keys(&check);
    check_descriptors(&check);
    ss_store_inspect(options->store, found, ctx);
}
