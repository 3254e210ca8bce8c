// metrics_server.h - a process' numbers over HTTP, for a scraper and a probe.
//
//     GET /metrics   200, what ss_metrics_text() gives
//     GET /ready     200 "ok", or 503 and why the process cannot do its work
//     GET /live      200 "ok", or 503 and why only a restart helps
//     GET /health    as /ready
//     HEAD           the same, without the text
//
// It answers on a thread of its own, so that a slow scraper delays nothing. It
// shows no secrets and asks for no password: bind it where only your scrapers
// can reach it.
#ifndef SS_APP_METRICS_SERVER_H
#define SS_APP_METRICS_SERVER_H

#include "common/app/metrics.h"
#include "common/base/status.h"

enum {
    SS_METRICS_CLIENTS_MAX = 16, // scrapers at once; some probes among them
    SS_METRICS_TIMEOUT_S = 10,   // for a silent client
};

struct ss_metrics_server;

// Serve at "ADDRESS:PORT" ("127.0.0.1:9464", "[::1]:9464", "0.0.0.0:9464"; port
// 0: any). `program` is borrowed. Gives.
// Errors: SS_EINVAL (no such form of address), SS_EIO (it cannot be bound).
int ss_metrics_serve(const char *address, enum ss_metric_who who,
    const char *program, struct ss_metrics_server **ret_server,
    struct ss_error *error) SS_MUST_USE;
// The port it listens on.
unsigned ss_metrics_server_port(const struct ss_metrics_server *server);
void ss_metrics_server_stop(struct ss_metrics_server **server);

#endif
