// move.c - threads move in pieces: the size of a request is bounded, and so is
// the memory needed here.
#include "client/cli/move.h"

#include <string.h>

#include "client/langgraph/migrate.h"
#include "client/limits.h"
#include "common/base/mem.h"
#include "common/model/value.h"

// The client's error as one of ours.
static int refused(const struct ss_client_error *why, struct ss_error *error)
{
    int status = ss_status_by_name(why->code);
    return ss_error_set(
        error, status == SS_OK ? SS_EIO : status, "%s", why->message);
}

static size_t size_of(const json_t *json)
{
    char *text = ss_json_text(json);
    size_t size = strlen(text);
    ss_free(text);
    return size;
}

// ---------------------------------------------------------------- in

struct incoming {
    struct ss_client *client;
    const char *name;
    const char *graph;
    json_t *piece; // saved checkpoints that were not sent yet
    size_t size;
    json_t *after; // id of the last one that was sent; or NULL
    struct ss_migration migration;
    json_int_t checkpoints;
    json_int_t rows;
};

static int send_piece(
    struct incoming *incoming, bool more, struct ss_error *error)
{
    struct ss_client_error why;
    json_t *answer = NULL;
    size_t count = json_array_size(incoming->piece);
    if (count == 0)
        return SS_OK;
    json_t *last = json_incref(
        json_object_get(json_array_get(incoming->piece, count - 1), "id"));
    json_t *body = json_pack("{s:s, s:s*, s:O*, s:o, s:b}", "thread",
        incoming->name, "graph", incoming->graph, "after", incoming->after,
        "checkpoints", incoming->piece, "more", (int)more);
    incoming->piece = json_array();
    incoming->size = 0;
    json_decref(incoming->after);
    incoming->after = last;
    if (ss_client_ask(incoming->client, "import", body, NULL, &answer, &why) !=
        0)
        return refused(&why, error);
    incoming->checkpoints += ss_json_int(answer, "checkpoints", 0);
    incoming->rows += ss_json_int(answer, "rows", 0);
    json_decref(answer);
    return SS_OK;
}

static int take_one(void *ctx, json_t *saved, struct ss_error *error)
{
    struct incoming *incoming = ctx;
    int status = ss_migrate(&incoming->migration, saved, error);
    if (status != SS_OK) {
        ss_error_wrap(error, "checkpoint %s", ss_json_str(saved, "id", ""));
        json_decref(saved);
        return status;
    }
    size_t size = size_of(saved);
    if (incoming->size + size > SS_MOVE_SIZE_MAX ||
        json_array_size(incoming->piece) >= SS_MOVE_COUNT_MAX)
        status = send_piece(incoming, true, error);
    json_array_append_new(incoming->piece, saved);
    incoming->size += size;
    return status;
}

static int learn_one(void *ctx, json_t *saved, struct ss_error *error)
{
    struct incoming *incoming = ctx;
    int status = ss_migrate(&incoming->migration, saved, error);
    json_decref(saved);
    return status;
}

// What the migration of old checkpoints has to know. It is asked for when the
// first of them is met, and most threads have none.
static int learn(struct incoming *incoming, struct ss_saver *saver,
    const char *thread, struct ss_error *error)
{
    struct ss_client_error why;
    struct ss_migration *migration = &incoming->migration;
    json_t *answer = NULL;
    json_t *body = json_pack("{s:s}", "graph", incoming->graph);
    int status = SS_OK;
    if (ss_client_ask(incoming->client, "graph", body, NULL, &answer, &why) !=
        0)
        return refused(&why, error);
    status = ss_graph_compile(
        json_object_get(answer, "graph"), &migration->graph, error);
    json_decref(answer);
    migration->is_learnt = true;
    if (status == SS_OK)
        status = ss_saver_read(saver, thread, learn_one, incoming, error);
    return status;
}

int ss_move_in(struct ss_client *client, struct ss_saver *saver,
    const char *thread, const char *name, const char *graph,
    json_t **ret_report, struct ss_error *error)
{
    struct incoming incoming = {
        .client = client, .name = name, .graph = graph, .piece = json_array()};
    int status = ss_saver_read(saver, thread, take_one, &incoming, error);
    if (status == SS_EAGAIN && graph && !incoming.migration.graph) {
        status = learn(&incoming, saver, thread, error);
        if (status == SS_OK)
            status = ss_saver_read(saver, thread, take_one, &incoming, error);
    }
    if (status == SS_OK)
        status = send_piece(&incoming, false, error);
    if (status == SS_OK)
        *ret_report = json_pack("{s:s, s:I, s:I}", "thread", name,
            "checkpoints", incoming.checkpoints, "rows", incoming.rows);
    json_decref(incoming.piece);
    json_decref(incoming.after);
    ss_graph_unref(incoming.migration.graph);
    ss_migration_fini(&incoming.migration);
    return status;
}

// ---------------------------------------------------------------- out

struct outgoing {
    struct ss_saver *saver;
    const struct ss_move_out *what;
    struct ss_ext_allowed allowed;
    struct ss_record_versions versions;
    json_int_t checkpoints;
    json_int_t writes;
};

static int put_one(
    struct outgoing *outgoing, const json_t *saved, struct ss_error *error)
{
    struct ss_record_rows rows;
    int status = ss_record_rows(saved, ss_saver_layout(outgoing->saver),
        &outgoing->allowed, &outgoing->versions, &rows, error);
    if (status == SS_OK) {
        status =
            ss_saver_write(outgoing->saver, outgoing->what->name, &rows, error);
        outgoing->checkpoints++;
        outgoing->writes += (json_int_t)rows.writes.count;
        ss_record_rows_fini(&rows);
    }
    if (status != SS_OK)
        ss_error_wrap(error, "checkpoint %s", ss_json_str(saved, "id", "?"));
    return status;
}

static int fetch(struct ss_client *client, const char *thread,
    const char *after, json_int_t limit, json_t **ret_answer,
    struct ss_error *error)
{
    struct ss_client_error why;
    json_t *body = json_pack(
        "{s:s, s:s, s:I}", "thread", thread, "after", after, "limit", limit);
    return ss_client_ask(client, "checkpoints", body, NULL, ret_answer, &why) ==
                   0
               ? SS_OK
               : refused(&why, error);
}

// The number of checkpoints to ask for: as many as fit into a piece, judging by
// the last page.
static json_int_t next_limit(const json_t *page)
{
    size_t each = size_of(page) / json_array_size(page) + 1;
    size_t some = SS_MOVE_SIZE_MAX / each;
    return some < 1                   ? 1
           : some > SS_MOVE_COUNT_MAX ? SS_MOVE_COUNT_MAX
                                      : (json_int_t)some;
}

static int put_all(
    struct ss_client *client, struct outgoing *outgoing, struct ss_error *error)
{
    char *after = ss_strdup("");
    json_int_t limit = 1;
    int status = SS_OK;
    for (bool more = true; more && status == SS_OK;) {
        json_t *answer = NULL;
        status =
            fetch(client, outgoing->what->thread, after, limit, &answer, error);
        const json_t *page = json_object_get(answer, "checkpoints");
        size_t count = json_array_size(page);
        for (size_t i = 0; i < count && status == SS_OK; i++)
            status = put_one(outgoing, json_array_get(page, i), error);
        more = count > 0;
        if (more) {
            ss_free(after);
            after = ss_strdup(
                ss_json_str(json_array_get(page, count - 1), "id", ""));
            limit = next_limit(page);
        }
        json_decref(answer);
    }
    ss_free(after);
    return status;
}

static int check_classes(
    const struct outgoing *outgoing, struct ss_error *error)
{
    json_t *missing = outgoing->allowed.missing;
    if (json_object_size(missing) == 0)
        return SS_OK;
    size_t count = json_object_size(missing);
    json_object_update(outgoing->what->missing, missing);
    return ss_error_set(error, SS_EDENIED,
        "nothing of it is written: it holds objects of %zu class%s that may "
        "not be",
        count, count == 1 ? "" : "es");
}

int ss_move_out(struct ss_client *client, struct ss_saver *saver,
    const struct ss_move_out *what, json_t **ret_report, struct ss_error *error)
{
    struct outgoing outgoing = {
        .saver = saver, .what = what, .allowed = what->allowed};
    outgoing.allowed.missing = json_object();
    int status = ss_saver_begin(saver, what->name, what->replace, error);
    if (status != SS_OK)
        return status;
    status = put_all(client, &outgoing, error);
    if (status == SS_OK && outgoing.checkpoints == 0)
        status = ss_error_set(error, SS_ENOTFOUND, "it has no checkpoint");
    if (status == SS_OK)
        status = check_classes(&outgoing, error);
    if (status == SS_OK)
        status = ss_saver_commit(saver, error);
    else
        ss_saver_rollback(saver);
    ss_record_versions_fini(&outgoing.versions);
    json_decref(outgoing.allowed.missing);
    if (status == SS_OK)
        *ret_report = json_pack("{s:s, s:I, s:I}", "thread", what->name,
            "checkpoints", outgoing.checkpoints, "writes", outgoing.writes);
    return status;
}
