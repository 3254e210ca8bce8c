// postgres_begin.c - one unit, sent by a caller that does other things until
// its answer is there.
//
// Only what goes well is decided here. Of all else (a condition that did not
// hold, a lost connection) nothing is kept but that it is to be applied: an
// apply of the same unit finds out what was the matter, or that it is there
// already.
#include "common/base/check.h"
#include "coordinator/store/limits.h"
#include "coordinator/store/store_postgres.h"

static size_t size_of(const struct ss_store_unit *unit)
{
    size_t size = 0;
    for (size_t i = 0; i < unit->rows_count; i++) {
        size += unit->rows[i].body_size;
    }
    for (size_t i = 0; i < unit->puts_count; i++) {
        size += unit->puts[i].value_size;
    }
    return size;
}

bool ss_pg_begin_apply(
    struct ss_store *base, const struct ss_store_batch *batch, int *ret_fd)
{
    struct ss_pg_store *store = (struct ss_pg_store *)base;
    const struct ss_pg_stretch run = {
        .units = batch->units, .count = 1, .epoch = batch->epoch};
    ss_check(!store->begun);
    if (!store->conn || PQstatus(store->conn) != CONNECTION_OK ||
        store->has_moved || size_of(batch->units) > SS_STORE_BEGIN_SIZE_MAX ||
        ss_pg_run_length(batch->units, 1) == 0 ||
        !ss_pg_append_is_prepared(store, &run)) {
        return false;
    }
    ss_pg_heads_use(store, batch->epoch);
    if (!ss_pg_append_send(store, &run)) {
        ss_pg_heads_forget(store);
        ss_pg_disconnect(store);
        return false;
    }
    store->begun = batch->units;
    store->answer = (struct ss_pg_answer){.failure = NULL};
    *ret_fd = PQflush(store->conn) == 0 ? PQsocket(store->conn) : -1;
    return true;
}

// Take what is there; false: it is not all yet.
static bool hear_some(struct ss_pg_store *store, struct ss_pg_answer *answer)
{
    if (PQconsumeInput(store->conn) != 1) {
        return true; // PQgetResult() would say why
    }
    while (!answer->has_ended && !PQisBusy(store->conn)) {
        ss_pg_hear(store, answer, PQgetResult(store->conn));
    }
    return answer->has_ended;
}

static bool end(struct ss_pg_store *store)
{
    struct ss_pg_answer *answer = &store->answer;
    const struct ss_store_unit *unit = store->begun;
    bool is_durable = answer->synced && !answer->failure;
    if (!answer->synced || PQexitPipelineMode(store->conn) != 1) {
        ss_pg_disconnect(store);
    }
    if (!is_durable) {
        ss_pg_heads_forget(store);
    } else if (unit->rows_count > 0) {
        ss_pg_heads_set(
            store, unit->thread, unit->rows[unit->rows_count - 1].seq);
    }
    PQclear(answer->failure);
    store->begun = NULL;
    answer->failure = NULL;
    return is_durable;
}

enum ss_store_begun ss_pg_begun_apply(struct ss_store *base, bool waits)
{
    struct ss_pg_store *store = (struct ss_pg_store *)base;
    struct ss_pg_answer *answer = &store->answer;
    ss_check(store->begun);
    while (waits && !answer->has_ended) {
        ss_pg_hear(store, answer, ss_pg_result(store));
    }
    if (!waits && !hear_some(store, answer)) {
        return SS_STORE_UNDER_WAY;
    }
    return end(store) ? SS_STORE_DURABLE : SS_STORE_UNDECIDED;
}
