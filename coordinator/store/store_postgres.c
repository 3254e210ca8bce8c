// store_postgres.c - opens a database: its URL, and our own options in it.
#include "coordinator/store/store_postgres.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/suggest.h"
#include "coordinator/store/limits.h"

#define SCHEMA_DEFAULT "superstep"
enum { SCHEMA_SIZE_MAX = 63 };

// --- the URL ----------------------------------------------------------------

static bool schema_valid(const char *name)
{
    size_t size = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return size > 0 && size <= SCHEMA_SIZE_MAX && !name[size] &&
           !(name[0] >= '0' && name[0] <= '9') && strncmp(name, "pg_", 3) != 0;
}

static int option_take(struct ss_pg_store *store, const char *name,
    const char *value, struct ss_error *error)
{
    if (strcmp(name, "schema") == 0) {
        if (!schema_valid(value)) {
            return ss_error_set(error, SS_EINVAL,
                "store: postgres: schema \"%s\": a name of a-z, 0-9 and _, at"
                " most %d, not beginning with a digit or pg_",
                value, SCHEMA_SIZE_MAX);
        }
        ss_free(store->schema);
        store->schema = ss_strdup(value);
        return SS_OK;
    }
    if (strcmp(name, "synchronous_commit") == 0) {
        store->leaves_commit = strcmp(value, "server") == 0;
        return store->leaves_commit
                   ? SS_OK
                   : ss_error_set(error, SS_EINVAL,
                         "store: postgres: synchronous_commit=%s: it can only"
                         " be \"server\" (as the server, the database or the"
                         " role has it, even off); without it a commit waits"
                         " for the disk",
                         value);
    }
    char *end = NULL;
    errno = 0;
    long ms = value[0] >= '0' && value[0] <= '9' ? strtol(value, &end, 10) : -1;
    if (!end || *end || errno || ms > SS_STORE_RECONNECT_MS_MAX) {
        return ss_error_set(error, SS_EINVAL,
            "store: postgres: reconnect_ms=%s: milliseconds, at most %d", value,
            SS_STORE_RECONNECT_MS_MAX);
    }
    store->reconnect_ms = ms;
    return SS_OK;
}

static bool is_ours(const char *option)
{
    return strncmp(option, "schema=", 7) == 0 ||
           strncmp(option, "synchronous_commit=", 19) == 0 ||
           strncmp(option, "reconnect_ms=", 13) == 0;
}

// Take our own options out of the URL; libpq knows the rest.
static int url_take(
    struct ss_pg_store *store, const char *rest, struct ss_error *error)
{
    char *copy = ss_strdup(rest);
    char *options = strchr(copy, '?');
    if (options) {
        *options++ = '\0';
    }
    store->url = ss_format("postgresql:%s", copy);
    const char *mark = "?";
    int status = SS_OK;
    char *saved = NULL;
    for (char *it = options ? strtok_r(options, "&", &saved) : NULL;
         it && status == SS_OK; it = strtok_r(NULL, "&", &saved)) {
        if (is_ours(it)) {
            char *value = strchr(it, '=');
            *value++ = '\0';
            status = option_take(store, it, value, error);
            continue;
        }
        char *longer = ss_format("%s%s%s", store->url, mark, it);
        ss_free(store->url);
        store->url = longer;
        mark = "&";
    }
    ss_free(copy);
    return status;
}

static const char *option_of(
    const PQconninfoOption *options, const char *name, const char *other)
{
    for (; options->keyword; options++) {
        if (strcmp(options->keyword, name) == 0) {
            return options->val && *options->val ? options->val : other;
        }
    }
    return other;
}

// The names of its options alone, and of these only what was meant: what stands
// there may be a part of a password.
static bool suggest_option(const char *url, struct ss_hint *hint)
{
    static const char *const ours[] = {
        "schema", "reconnect_ms", "synchronous_commit"};
    PQconninfoOption *theirs = PQconndefaults();
    bool is_misspelt = false;
    for (const char *at = strchr(url, '?'); at && !is_misspelt;
         at = strchr(at + 1, '&')) {
        char *name = ss_memdup(at + 1, strcspn(at + 1, "=&"));
        ss_hint_init(hint, name);
        for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
            ss_hint_offer(hint, ours[i]);
        }
        for (PQconninfoOption *it = theirs; it && it->keyword; it++) {
            ss_hint_offer(hint, it->keyword);
        }
        is_misspelt = hint->best && strcmp(hint->best, name) != 0;
        (void)ss_hint_text(hint);
        ss_free(name);
    }
    PQconninfoFree(theirs);
    return is_misspelt;
}

// The place of the database, for people: without password and user, which a log
// need not know.
static int place_take(struct ss_pg_store *store, struct ss_error *error)
{
    char *reason = NULL;
    PQconninfoOption *options = PQconninfoParse(store->url, &reason);
    if (!options) {
        // libpq quotes what it does not understand, which may be a password.
        PQfreemem(reason);
        struct ss_hint hint;
        return ss_error_set(error, SS_EINVAL,
            "store: this is not a URL of PostgreSQL; it is as"
            " postgres://USER:PASSWORD@HOST:PORT/DATABASE?schema=NAME, with"
            " %%XX for what has a meaning in it.%s",
            suggest_option(store->url, &hint) ? hint.text : "");
    }
    const char *host = option_of(options, "host", "localhost");
    store->place = ss_format("%s:%s/%s", host,
        option_of(options, "port", "5432"), option_of(options, "dbname", ""));
    PQconninfoFree(options);
    return SS_OK;
}

// --- open and close ---------------------------------------------------------

static void postgres_close(struct ss_store *base)
{
    struct ss_pg_store *store = (struct ss_pg_store *)base;
    PQclear(store->answer.failure);
    PQfinish(store->conn);
    ss_pg_heads_forget(store);
    ss_free(store->url);
    ss_free(store->place);
    ss_free(store->schema);
    ss_free(store->fence_name);
    ss_free(store);
}

int ss_pg_new(
    const char *rest, struct ss_pg_store **ret_store, struct ss_error *error)
{
    static const struct ss_store_ops ops = {
        .apply = ss_pg_apply,
        .begin = ss_pg_begin_apply,
        .begun = ss_pg_begun_apply,
        .read = ss_pg_read,
        .known = ss_pg_known,
        .scan = ss_pg_scan,
        .get = ss_pg_get,
        .search = ss_pg_search,
        .tell = ss_pg_tell,
        .fence_take = ss_pg_fence_take,
        .fence_break = ss_pg_fence_break,
        .cluster = &ss_pg_cluster_ops,
        .close = postgres_close,
    };
    struct ss_pg_store *store = ss_zalloc(1, sizeof(*store));
    store->base.ops = &ops;
    store->outside = &ss_pg_outside_real;
    store->schema = ss_strdup(SCHEMA_DEFAULT);
    store->reconnect_ms = SS_STORE_RECONNECT_MS;
    int status = url_take(store, rest, error);
    if (status == SS_OK) {
        status = place_take(store, error);
    }
    if (status != SS_OK) {
        struct ss_store *base = &store->base;
        ss_store_close(&base);
        return status;
    }
    store->base.name =
        ss_format("postgres %s schema %s", store->place, store->schema);
    *ret_store = store;
    return SS_OK;
}

int ss_store_postgres_open(
    const char *rest, struct ss_store **ret_store, struct ss_error *error)
{
    struct ss_pg_store *store = NULL;
    int status = ss_pg_new(rest, &store, error);
    if (status != SS_OK) {
        return status;
    }
    status = ss_pg_connect(store, error);
    if (status == SS_EAGAIN) {
        // A store that is not open yet cannot try again.
        status = SS_EIO;
        if (error) {
            error->status = status;
        }
    }
    if (status != SS_OK) {
        struct ss_store *base = &store->base;
        ss_store_close(&base);
        return status;
    }
    *ret_store = &store->base;
    return SS_OK;
}

// Whether waiting may mend it.
static bool may_pass(
    struct ss_pg_store *store, int status, const struct ss_error *why)
{
    return status == SS_EAGAIN ||
           (status == SS_EIO && !store->conn &&
               !strstr(why->message, "certificate") &&
               !strstr(why->message, "SSL") && ss_pg_is_away(store));
}

static int connect_patiently(struct ss_pg_store *store, struct ss_error *error)
{
    int64_t left = store->reconnect_ms * SS_STORE_TRIES_MAX;
    int64_t pause = SS_STORE_PAUSE_MIN_MS;
    for (;;) {
        struct ss_error why = {0};
        int status = ss_pg_connect(store, &why);
        if (status == SS_OK) {
            return SS_OK;
        }
        if (left <= 0 || !may_pass(store, status, &why)) {
            status = status == SS_EAGAIN ? SS_EIO : status;
            return ss_error_set(error, status, "%s", why.message);
        }
        ss_store_trouble(&store->base, why.message);
        pause = pause < left ? pause : left;
        ss_pg_pause(store, pause);
        left -= pause;
        pause = pause * 2 < SS_STORE_PAUSE_MAX_MS ? pause * 2
                                                  : SS_STORE_PAUSE_MAX_MS;
    }
}

int ss_store_postgres_open_patient(const char *rest,
    ss_store_trouble_fn *trouble, void *ctx, struct ss_store **ret_store,
    struct ss_error *error)
{
    struct ss_pg_store *store = NULL;
    int status = ss_pg_new(rest, &store, error);
    if (status != SS_OK) {
        return status;
    }
    struct ss_store *base = &store->base;
    ss_store_listen(base, trouble, ctx);
    status = connect_patiently(store, error);
    ss_store_listen(base, NULL, NULL);
    if (status != SS_OK) {
        ss_store_close(&base);
        return status;
    }
    *ret_store = base;
    return SS_OK;
}
