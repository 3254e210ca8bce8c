// local.c - the backend in this process: the local runner, and the scenario's
// application linked in.
#include <string.h>

#include <superstep/local.h>

#include "common/base/mem.h"
#include "tests/conformance/backend.h"

extern const struct ss_app ss_app_descriptor; // tests/conformance/app

struct local_backend {
    struct backend base;
    struct ss_local *local;
};

static void collect(void *ctx, const json_t *item)
{
    json_array_append(ctx, (json_t *)item);
}

static json_t *local_ask(
    struct backend *backend, const char *op, json_t *body, json_t *events)
{
    struct local_backend *self = (struct local_backend *)backend;
    struct ss_local_listener listener = {.on_item = collect, .ctx = events};
    struct ss_local_error error;
    json_t *answer;
    if (ss_local_ask(self->local, op, body, events ? &listener : NULL, &answer,
            &error) == 0)
        return answer;
    return json_pack("{s:{s:s, s:s}}", "error", "code", error.code, "message",
        error.message);
}

static void local_close(struct backend *backend)
{
    struct local_backend *self = (struct local_backend *)backend;
    ss_local_close(&self->local);
    ss_free(self);
}

static int local_open(const struct backend_options *options,
    struct backend **ret_backend, struct ss_error *error)
{
    char *file = ss_format("sqlite:%s/store.db", options->folder);
    const char *store = strcmp(options->store, "sqlite") == 0 ? file
                        : strcmp(options->store, "memory") == 0
                            ? "memory:"
                            : options->store;
    struct local_backend *self = ss_zalloc(1, sizeof(*self));
    self->base.type = &backend_local;
    struct ss_local_options how = {
        .app = options->scenario ? &ss_app_descriptor : NULL,
        .app_arg = options->scenario,
        // Once with bodies on threads, once on the thread that asks.
        .threads = store == file ? 4 : 0,
        .store = store};
    struct ss_local_error failure;
    int result = ss_local_open(&how, &self->local, &failure);
    ss_free(file);
    if (result != 0) {
        ss_free(self);
        return ss_error_set(
            error, ss_status_by_name(failure.code), "%s", failure.message);
    }
    *ret_backend = &self->base;
    return SS_OK;
}

const struct backend_type backend_local = {.name = "local",
    .open = local_open,
    .ask = local_ask,
    .close = local_close};
