// postgres_rights.c - the user's rights on the tables, checked at the start: a
// missing right would end a coordinator in the middle of its work, each time it
// is started.
#include "common/base/mem.h"
#include "coordinator/store/store_postgres.h"

// Locking a row needs the right to UPDATE.
const char ss_pg_rights_sql[] =
    "SELECT string_agg(t.may || ' on ' || t.name, ', ' ORDER BY t.name,"
    " t.may) FROM (SELECT name, unnest(string_to_array(rights, ' ')) AS may"
    " FROM (VALUES ('@journal', 'SELECT INSERT DELETE'),"
    " ('@runs', 'SELECT INSERT UPDATE DELETE'),"
    " ('@open_runs', 'SELECT INSERT UPDATE DELETE'),"
    " ('@threads', 'SELECT INSERT UPDATE DELETE'),"
    " ('@graphs', 'SELECT INSERT UPDATE DELETE'),"
    " ('@cache', 'SELECT INSERT UPDATE DELETE'),"
    " ('@pauses', 'SELECT INSERT UPDATE DELETE'),"
    " ('@meta', 'SELECT INSERT UPDATE DELETE'),"
    " ('@fences', 'SELECT INSERT UPDATE DELETE'),"
    " ('@members', 'SELECT INSERT UPDATE DELETE'),"
    " ('@shards', 'SELECT UPDATE'),"
    " ('@format', 'SELECT UPDATE')) AS needed (name, rights)) AS t"
    " WHERE NOT has_table_privilege(t.name, t.may)";

int ss_pg_rights(struct ss_pg_store *store, struct ss_error *error)
{
    const struct ss_pg_query query = {
        .sql = ss_pg_rights_sql, .what = "look at the user's rights"};
    PGresult *result = NULL;
    int status = ss_pg_ask(store, &query, &result, error);
    if (status != SS_OK) {
        return status;
    }
    if (!PQgetisnull(result, 0, 0)) {
        status = ss_error_set(error, SS_EIO,
            "store: %s: the user %s has not every right that is needed. GRANT"
            " it: %s",
            store->place, PQuser(store->conn), PQgetvalue(result, 0, 0));
    }
    PQclear(result);
    return status;
}
