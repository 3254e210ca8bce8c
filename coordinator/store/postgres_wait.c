// postgres_wait.c - waiting for a server: the one place where a store does.
#include <errno.h>
#include <poll.h>
#include <time.h>

#include "common/base/check.h"
#include "coordinator/store/store_postgres.h"

// --- the real world ---------------------------------------------------------

static PGconn *connect_real(
    void *ctx, const char *const *keys, const char *const *values)
{
    (void)ctx;
    return PQconnectdbParams(keys, values, 1);
}

static void sleep_real(int ms)
{
    struct timespec left = {
        .tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
    while (nanosleep(&left, &left) != 0) {
    }
}

// A signal does not end the wait; that its time begins anew is harmless.
static int wait_real(void *ctx, int fd, short events, int timeout_ms)
{
    struct pollfd ready = {.fd = fd, .events = events};
    int count;
    (void)ctx;
    ss_check(fd >= 0 || timeout_ms >= 0);
    if (fd < 0) {
        sleep_real(timeout_ms);
        return 0;
    }
    do {
        count = poll(&ready, 1, timeout_ms);
    } while (count < 0 && errno == EINTR);
    return count != 0;
}

const struct ss_pg_outside ss_pg_outside_real = {
    .connect = connect_real, .wait = wait_real, .now = "clock_timestamp()"};

// --- results ----------------------------------------------------------------

bool ss_pg_is_busy(const struct ss_pg_store *store)
{
    return PQsocket(store->conn) >= 0 && PQisBusy(store->conn);
}

PGresult *ss_pg_result(struct ss_pg_store *store)
{
    const struct ss_pg_outside *outside = store->outside;
    for (;;) {
        int unsent = PQflush(store->conn);
        if (unsent < 0 || !ss_pg_is_busy(store)) {
            break; // PQgetResult() says why nothing more can be sent
        }
        short events = (short)(unsent ? POLLIN | POLLOUT : POLLIN);
        (void)outside->wait(outside->ctx, PQsocket(store->conn), events, -1);
        if (PQconsumeInput(store->conn) != 1) {
            break;
        }
    }
    return PQgetResult(store->conn);
}

PGresult *ss_pg_result_last(struct ss_pg_store *store)
{
    PGresult *last = NULL;
    PGresult *result;
    while ((result = ss_pg_result(store))) {
        PQclear(last);
        last = result;
        if (PQsocket(store->conn) < 0) {
            break; // that is the last one, whatever is said behind it
        }
    }
    return last;
}

void ss_pg_pause(struct ss_pg_store *store, int64_t ms)
{
    (void)store->outside->wait(store->outside->ctx, -1, 0, (int)ms);
}
