// members.c - what one member of a family of coordinators is told, and what it
// tells.
#include "coordinator/members.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "common/app/family.h"
#include "common/app/ports.h"
#include "common/app/settings.h"
#include "common/base/mem.h"
#include "coordinator/store/store.h"

// What a member tells its parent.
#define TELLS_ENDPOINT "X_ENDPOINT"
#define TELLS_STORE    "X_STORE"

struct members {
    const struct ss_members_options *options;
    char **endpoints; // where each listens, once it has said so
    char *store;      // for people
};

static const char *listen_of(const struct ss_coordinator_options *options)
{
    return options->listen ? options->listen : ss_coordinator_initial.listen;
}

// ------------------------------------------------ what can be

static int check_address(const char *option, const char *address,
    unsigned count, struct ss_error *error)
{
    char *last =
        address && *address ? ss_port_after(address, count - 1) : ss_strdup("");
    int status = last ? SS_OK
                      : ss_error_set(error, SS_EINVAL,
                            "--processes %u: each has the port behind that of "
                            "the one before, and %s %s has not so many",
                            count, option, address);
    ss_free(last);
    return status;
}

int ss_members_check(const struct ss_coordinator_options *first, unsigned count,
    struct ss_error *error)
{
    if (count > 1 && !ss_store_url_is_shared(first->store))
        return ss_error_set(error, SS_EINVAL,
            "--processes %u: several coordinators share a database only in "
            "PostgreSQL, and %s is one coordinator's alone. Give --store "
            "postgres://USER@HOST/DATABASE, or leave out --processes",
            count, first->store);
    int status = check_address("--listen", listen_of(first), count, error);
    if (status == SS_OK)
        status = check_address("--advertise", first->advertise, count, error);
    if (status == SS_OK)
        status = check_address("--metrics", first->metrics, count, error);
    return status;
}

// ------------------------------------------------ a member

// A coordinator without a name has its address as a name; one whose port is
// not known before needs another that stays when it is started again.
static char *name_of(
    const struct ss_coordinator_options *first, unsigned index, pid_t parent)
{
    char host[256] = "localhost";
    if (first->name && index == 0)
        return ss_strdup(first->name);
    if (first->name)
        return ss_format("%s/%u", first->name, index + 1);
    if (first->advertise || !ss_port_is_any(listen_of(first)))
        return NULL;
    (void)!gethostname(host, sizeof(host) - 1);
    return ss_format("%s/%ld/%u", host, (long)parent, index + 1);
}

static char *address_of(const char *address, unsigned index)
{
    return address && *address ? ss_port_after(address, index) : NULL;
}

static void tell_open(void *ctx, struct ss_coordinator *coordinator)
{
    (void)ctx;
    ss_family_tell(TELLS_ENDPOINT, ss_coordinator_endpoint(coordinator));
    ss_family_opened();
}

void ss_members_ready(const struct ss_coordinator *coordinator)
{
    ss_family_tell(TELLS_STORE, ss_coordinator_store(coordinator));
}

static int be_member(void *ctx, const struct ss_family_child *child)
{
    const struct members *members = ctx;
    const struct ss_coordinator_options *first = members->options->first;
    struct ss_coordinator_options options = *first;
    const char *known = members->endpoints[child->index];
    char *listen =
        known ? ss_strdup(known) : address_of(listen_of(first), child->index);
    char *advertise = address_of(first->advertise, child->index);
    char *metrics = address_of(first->metrics, child->index);
    char *name = name_of(first, child->index, getppid());
    options.listen = listen;
    options.advertise = advertise;
    options.metrics = metrics;
    options.name = name;
    options.members = members->options->count;
    options.open = tell_open;
    int code = members->options->run(&options);
    ss_free(listen);
    ss_free(advertise);
    ss_free(metrics);
    ss_free(name);
    return code;
}

// ------------------------------------------------ their parent

static enum ss_family_end member_ended(
    void *ctx, const struct ss_family_child *child, int code)
{
    const struct members *members = ctx;
    if (child->was_asked)
        return code == 0 ? SS_FAMILY_AWAY : SS_FAMILY_OVER;
    bool is_wrong = code == members->options->cannot_start &&
                    child->starts == 1 && !child->was_ready;
    return is_wrong ? SS_FAMILY_OVER : SS_FAMILY_AGAIN;
}

static void member_told(void *ctx, const struct ss_family_child *child,
    const char *name, const char *value)
{
    struct members *members = ctx;
    char **place = strcmp(name, TELLS_ENDPOINT) == 0
                       ? &members->endpoints[child->index]
                   : strcmp(name, TELLS_STORE) == 0 ? &members->store
                                                    : NULL;
    if (!place)
        return;
    ss_free(*place);
    *place = ss_strdup(value);
}

static void members_ready(void *ctx)
{
    const struct members *members = ctx;
    members->options->ready(members->endpoints[0], members->store);
}

int ss_members_run(const struct ss_members_options *options)
{
    struct members members = {.options = options};
    members.endpoints = ss_zalloc(options->count, sizeof(*members.endpoints));
    int code = ss_family_run(&(struct ss_family_options){.noun = "coordinator",
        .count = options->count,
        .again = SIGTERM, // each makes it short by itself
        .ctx = &members,
        .be = be_member,
        .ended = member_ended,
        .told = member_told,
        .ready = members_ready});
    for (unsigned i = 0; i < options->count; i++)
        ss_free(members.endpoints[i]);
    ss_free(members.endpoints);
    ss_free(members.store);
    return code;
}
