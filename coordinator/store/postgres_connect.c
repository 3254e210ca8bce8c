// postgres_connect.c - a connection: made, lost, made again, and what its
// errors mean.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "coordinator/store/limits.h"
#include "coordinator/store/store_postgres.h"

// --- errors -----------------------------------------------------------------

static const struct meaning {
    const char *code; // an SQLSTATE, or its class
    int status;
    const char *advice;
} meanings[] = {
    {"53100", SS_EFULL,
        ": no room on the server's disk; nothing was lost, free some space"},
    {"25006", SS_EIO,
        ": the database takes no writes (a standby, or"
        " default_transaction_read_only); name the primary"},
    {"42501", SS_EIO,
        ": the user may not do this; grant it the schema and its tables"},
    {"42P01", SS_EIO, ": a table of the store is gone"},
    {"3F000", SS_EIO, ": the store's schema is gone"},
    {"57P", SS_EAGAIN, ": the server is stopping or starting"},
    {"40001", SS_EAGAIN, ""},
    {"40P01", SS_EAGAIN, ""},
    {"55P03", SS_EAGAIN, ": others hold the rows"},
    {"08", SS_EAGAIN, ""},
    // A pooler that was not recognised before.
    {"26000", SS_EAGAIN, ""},
    // The journal is another table than when this session began.
    {"42804", SS_EAGAIN, ": the tables were made anew"},
    {"XX000", SS_EAGAIN, ""}, // so it says of a statement that it keeps
    // Two transactions looked at the same time: a second look sees what the
    // other did.
    {"23505", SS_EAGAIN, ""},
    {"22012", SS_EAGAIN, ": what stood there has changed"},
    {"54", SS_ELIMIT, ""},
    {"22", SS_EINVAL, ": PostgreSQL cannot hold this text"},
    {"XX001", SS_ECORRUPT, ": the database is damaged; restore a backup"},
    {"XX002", SS_ECORRUPT, ": an index is damaged; reindex the database"},
};

static const struct meaning *meaning_of(const char *code)
{
    static const struct meaning other = {"", SS_EIO, ""};
    for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++) {
        const char *known = meanings[i].code;
        if (strncmp(code, known, strlen(known)) == 0) {
            return &meanings[i];
        }
    }
    return &other;
}

static const char *code_of(const PGresult *result)
{
    const char *code =
        result ? PQresultErrorField(result, PG_DIAG_SQLSTATE) : NULL;
    return code ? code : "";
}

bool ss_pg_has_code(const PGresult *result, const char *code)
{
    return strcmp(code_of(result), code) == 0;
}

bool ss_pg_is_guard(const PGresult *result)
{
    return ss_pg_has_code(result, "22012") || ss_pg_has_code(result, "23505");
}

// libpq's texts have lines, and one at the end.
static int fail_with(const char *text, const char *advice, int status,
    const char *start, struct ss_error *error)
{
    size_t size = strlen(text);
    while (size > 0 && text[size - 1] == '\n') {
        size--;
    }
    (void)ss_error_set(
        error, status, "%s: %.*s%s", start, (int)size, text, advice);
    for (char *at = error ? error->message : NULL; at && *at; at++) {
        if (*at == '\n' || *at == '\t') {
            *at = ' ';
        }
    }
    return status;
}

int ss_pg_fail(struct ss_pg_store *store, const PGresult *result,
    const char *what, struct ss_error *error)
{
    const struct meaning *meaning = meaning_of(code_of(result));
    if (!*code_of(result) || (PQstatus(store->conn) != CONNECTION_OK &&
                                 meaning->status != SS_EAGAIN)) {
        return ss_pg_lost(store, what, error);
    }
    const char *text =
        result ? PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY) : NULL;
    int status = meaning->status;
    char *start = ss_format("store: %s: %s", store->place, what);
    fail_with(text ? text : PQerrorMessage(store->conn), meaning->advice,
        status, start, error);
    ss_free(start);
    if (ss_pg_has_code(result, "26000")) {
        store->is_pooled = true;
    }
    // The server has ended this session, or is about to; or the session knows
    // tables that are gone.
    if (strncmp(code_of(result), "57P", 3) == 0 ||
        ss_pg_has_code(result, "42804") || ss_pg_has_code(result, "XX000") ||
        PQstatus(store->conn) != CONNECTION_OK) {
        ss_pg_disconnect(store);
    }
    return status;
}

int ss_pg_lost(
    struct ss_pg_store *store, const char *what, struct ss_error *error)
{
    char *start = ss_format("store: %s: %s", store->place, what);
    fail_with(PQerrorMessage(store->conn), ": the connection is lost",
        SS_EAGAIN, start, error);
    ss_free(start);
    ss_pg_disconnect(store);
    return SS_EAGAIN;
}

// --- connecting -------------------------------------------------------------

static void keep_quiet(void *ctx, const char *message)
{
    (void)ctx;
    (void)message;
}

// Keys in front of the URL are defaults; keys behind it override the URL.
static const char *const keys[] = {"connect_timeout", "keepalives_idle",
    "keepalives_interval", "keepalives_count", "tcp_user_timeout",
    "fallback_application_name", "dbname", "client_encoding", NULL};

// "5432,,5433": an empty one is the default.
static bool are_ports(const char *text)
{
    const char *at = text;
    while (*at) {
        long port = *at == ',' ? 1 : strtol(at, NULL, 10);
        if (port < 1 || port > UINT16_MAX)
            return false;
        at += strcspn(at, ",");
        at += *at == ',';
    }
    return true;
}

static bool has_ports(const char *url)
{
    bool has = true;
    PQconninfoOption *options = PQconninfoParse(url, NULL);
    for (const PQconninfoOption *it = options; it && it->keyword; it++)
        if (strcmp(it->keyword, "port") == 0 && it->val)
            has = are_ports(it->val);
    PQconninfoFree(options);
    return has;
}

// A server that answers has no connection left for us, or has one by now. libpq
// tells the SQLSTATE of a refusal in its text alone, and there only where it
// was asked to before.
static bool is_full(const char *const *values)
{
    PGconn *conn = PQconnectdbParams(keys, values, 1);
    if (PQstatus(conn) != CONNECTION_OK) {
        (void)PQsetErrorVerbosity(conn, PQERRORS_VERBOSE);
        PQreset(conn);
    }
    bool is = PQstatus(conn) == CONNECTION_OK ||
              strstr(PQerrorMessage(conn), " 53300: ");
    PQfinish(conn);
    return is;
}

// A server that answers, if only to refuse this user, is not away; nor is one
// at a port that is none, which libpq takes for one that does not answer.
bool ss_pg_is_away(const struct ss_pg_store *store)
{
    if (!has_ports(store->url))
        return false;
    const char *const values[] = {
        "10", "15", "5", "3", "30000", "superstep", store->url, "UTF8", NULL};
    PGPing answer = PQpingParams(keys, values, 1);
    return answer == PQPING_REJECT || answer == PQPING_NO_RESPONSE ||
           (answer == PQPING_OK && !store->was_reached && is_full(values));
}

PGconn *ss_pg_dial(const struct ss_pg_store *store, struct ss_error *error)
{
    const char *const values[] = {
        "10", "15", "5", "3", "30000", "superstep", store->url, "UTF8", NULL};
    PGconn *conn = store->outside->connect(store->outside->ctx, keys, values);
    ss_check(conn);
    if (PQstatus(conn) == CONNECTION_OK) {
        (void)PQsetnonblocking(conn, 1); // ss_pg_result() waits
        (void)PQsetNoticeProcessor(conn, keep_quiet, NULL);
        return conn;
    }
    char *start = ss_format("store: cannot connect to %s", store->place);
    fail_with(PQerrorMessage(conn),
        PQconnectionNeedsPassword(conn)
            ? ": it wants a password (in the URL, PGPASSWORD or ~/.pgpass)"
            : "",
        SS_EIO, start, error);
    ss_free(start);
    PQfinish(conn);
    return NULL;
}

void ss_pg_disconnect(struct ss_pg_store *store)
{
    PQfinish(store->conn);
    store->conn = NULL;
    memset(store->prepared, 0, sizeof(store->prepared));
}

static int server_check(const struct ss_pg_store *store, const PGresult *result,
    struct ss_error *error)
{
    int64_t version = ss_pg_number_at(result, 0, 0);
    const char *encoding = PQgetvalue(result, 0, 1);
    if (version < SS_PG_VERSION_MIN) {
        return ss_error_set(error, SS_EVERSION,
            "store: %s is PostgreSQL %d; at least %d is needed", store->place,
            (int)(version / 10000), SS_PG_VERSION_MIN / 10000);
    }
    if (strcmp(encoding, "UTF8") != 0) {
        return ss_error_set(error, SS_EINVAL,
            "store: %s has the encoding %s; create a database with ENCODING"
            " 'UTF8'",
            store->place, encoding);
    }
    if (strcmp(PQgetvalue(result, 0, 2), "on") == 0) {
        return ss_error_set(error, SS_EIO,
            "store: %s takes no writes (a standby, or"
            " default_transaction_read_only); name the primary",
            store->place);
    }
    return SS_OK;
}

// Look at the server, and at the properties that must not change while a store
// is open.
static int server_look(struct ss_pg_store *store,
    struct ss_pg_identity *identity, struct ss_error *error)
{
    const struct ss_pg_query query = {
        .sql = "SELECT current_setting('server_version_num')::bigint,"
               " current_setting('server_encoding'),"
               " current_setting('transaction_read_only'),"
               " (SELECT system_identifier::text FROM pg_control_system()),"
               " CASE WHEN pg_is_in_recovery() THEN '' ELSE"
               " substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END,"
               " pg_backend_pid(), current_setting('synchronous_commit')",
        .what = "look at the server"};
    PGresult *result = NULL;
    int status = ss_pg_ask(store, &query, &result, error);
    if (status != SS_OK) {
        return status;
    }
    status = server_check(store, result, error);
    // A pooler reports a backend number of its own. Once seen, a pooler is
    // assumed for good.
    store->is_pooled |=
        ss_pg_number_at(result, 0, 5) != PQbackendPID(store->conn);
    store->is_unwaited =
        !store->leaves_commit && strcmp(PQgetvalue(result, 0, 6), "off") == 0;
    (void)snprintf(identity->system, sizeof(identity->system), "%s",
        PQgetvalue(result, 0, 3));
    (void)snprintf(identity->timeline, sizeof(identity->timeline), "%s",
        PQgetvalue(result, 0, 4));
    PQclear(result);
    return status;
}

// Look at the properties of the tables that must not change, and at those that
// this connection needs.
//
// The last value is selected for its effect on the session: glibc returns free
// memory after each commit until it has seen a large piece freed, and large
// commits would ask for the same pages again each time, a sixth of their cost
// (docs/internals/journal.md).
static int tables_look(struct ss_pg_store *store,
    struct ss_pg_identity *identity, struct ss_error *error)
{
    struct ss_pg_params params = {0};
    ss_pg_params_number(&params, SS_STORE_SESSION_ROOM);
    const struct ss_pg_query query = {
        .sql = "SELECT generation, (SELECT reltype::bigint FROM pg_class"
               " WHERE oid = '@journal'::regclass), octet_length(repeat(' ',"
               " $1::integer)) FROM @format",
        .params = &params,
        .what = "look at the tables"};
    PGresult *result = NULL;
    int status = ss_pg_ask(store, &query, &result, error);
    if (status == SS_OK) {
        (void)snprintf(identity->generation, sizeof(identity->generation), "%s",
            PQntuples(result) > 0 ? PQgetvalue(result, 0, 0) : "");
        store->row_type =
            PQntuples(result) > 0 ? (uint32_t)ss_pg_number_at(result, 0, 1) : 0;
        PQclear(result);
    }
    return status;
}

static bool identity_same(
    const struct ss_pg_identity *a, const struct ss_pg_identity *b)
{
    return strcmp(a->system, b->system) == 0 &&
           strcmp(a->timeline, b->timeline) == 0 &&
           strcmp(a->generation, b->generation) == 0;
}

int ss_pg_connect(struct ss_pg_store *store, struct ss_error *error)
{
    if (store->conn) {
        return SS_OK;
    }
    store->conn = ss_pg_dial(store, error);
    store->was_reached = store->conn != NULL;
    if (!store->conn) {
        return SS_EIO;
    }
    struct ss_pg_identity identity = {0};
    int status = server_look(store, &identity, error);
    if (status == SS_OK && !store->is_known) {
        status = ss_pg_migrate(store, error);
        if (status == SS_OK) {
            status = ss_pg_rights(store, error);
        }
    }
    if (status == SS_OK) {
        status = tables_look(store, &identity, error);
    }
    if (status != SS_OK) {
        ss_pg_disconnect(store);
        return status;
    }
    if (!store->is_known) {
        store->identity = identity;
        store->is_known = true;
    }
    store->has_moved |= !identity_same(&store->identity, &identity);
    return SS_OK;
}

int ss_pg_reconnect(struct ss_pg_store *store, struct ss_error *error)
{
    int64_t pause = SS_STORE_PAUSE_MIN_MS;
    int64_t left = store->reconnect_ms;
    for (;;) {
        struct ss_error why = {0};
        int status = ss_pg_connect(store, &why);
        if (status == SS_OK) {
            return SS_OK;
        }
        ss_store_trouble(&store->base, why.message);
        if (left <= 0) {
            if (error) {
                *error = why;
            }
            return status;
        }
        pause = pause < left ? pause : left;
        ss_pg_pause(store, pause);
        left -= pause;
        pause = pause * 2 < SS_STORE_PAUSE_MAX_MS ? pause * 2
                                                  : SS_STORE_PAUSE_MAX_MS;
    }
}

// --- asking -----------------------------------------------------------------

char *ss_pg_sql(const struct ss_pg_store *store, const char *text,
    enum ss_store_table table)
{
    size_t schema_size = strlen(store->schema);
    size_t table_size = strlen(ss_store_table_name(table));
    size_t now_size = strlen(store->outside->now);
    size_t size = 1;
    for (const char *at = text; *at; at++) {
        size += *at == '@'   ? schema_size + 3
                : *at == '#' ? table_size
                : *at == '^' ? now_size
                             : 1;
    }
    char *sql = ss_alloc(size);
    char *to = sql;
    for (; *text; text++) {
        if (*text == '@' && text[1] != '>') {
            *to++ = '"';
            memcpy(to, store->schema, schema_size);
            to += schema_size;
            *to++ = '"';
            *to++ = '.';
        } else if (*text == '#') {
            memcpy(to, ss_store_table_name(table), table_size);
            to += table_size;
        } else if (*text == '^') {
            memcpy(to, store->outside->now, now_size);
            to += now_size;
        } else {
            *to++ = *text;
        }
    }
    *to = '\0';
    return sql;
}

int ss_pg_ask(struct ss_pg_store *store, const struct ss_pg_query *query,
    PGresult **ret_result, struct ss_error *error)
{
    static const struct ss_pg_params none;
    const struct ss_pg_params *params = query->params ? query->params : &none;
    char *sql = ss_pg_sql(store, query->sql, query->table);
    int sent = PQsendQueryParams(store->conn, sql, params->count, NULL,
        params->values, params->lengths, params->formats, 1);
    ss_free(sql);
    PGresult *result = sent == 1 ? ss_pg_result_last(store) : NULL;
    ExecStatusType how = PQresultStatus(result);
    if (how == PGRES_TUPLES_OK || how == PGRES_COMMAND_OK) {
        *ret_result = result;
        return SS_OK;
    }
    int status = ss_pg_fail(store, result, query->what, error);
    PQclear(result);
    return status;
}

int ss_pg_run(struct ss_pg_store *store, const struct ss_pg_query *query,
    struct ss_error *error)
{
    PGresult *result = NULL;
    int status = ss_pg_ask(store, query, &result, error);
    if (status == SS_OK) {
        PQclear(result);
    }
    return status;
}

// `local`: operators decide about standbys. It is not set for the session,
// which a pooler may give to others.
const char ss_pg_durable_sql[] =
    "SELECT set_config('synchronous_commit', 'local', true)";

int ss_pg_begin(struct ss_pg_store *store, struct ss_error *error)
{
    const struct ss_pg_query query = {
        .sql = "BEGIN ISOLATION LEVEL READ COMMITTED", .what = "begin"};
    const struct ss_pg_query durable = {
        .sql = ss_pg_durable_sql, .what = "begin"};
    int status = ss_pg_run(store, &query, error);
    if (status == SS_OK && store->is_unwaited) {
        status = ss_pg_run(store, &durable, error);
        if (status != SS_OK) {
            ss_pg_rollback(store);
        }
    }
    return status;
}

int ss_pg_commit(struct ss_pg_store *store, struct ss_error *error)
{
    const struct ss_pg_query query = {.sql = "COMMIT", .what = "commit"};
    return ss_pg_run(store, &query, error);
}

void ss_pg_rollback(struct ss_pg_store *store)
{
    if (!store->conn) {
        return;
    }
    const struct ss_pg_query query = {.sql = "ROLLBACK", .what = "roll back"};
    if (ss_pg_run(store, &query, NULL) != SS_OK) {
        ss_pg_disconnect(store);
    }
}
