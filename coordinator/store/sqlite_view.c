// sqlite_view.c - the view `checkpoints`, for people: what bodies say in place
// of columns (common/wire/row.h), of rows in both tables.
#include "common/base/mem.h"
#include "coordinator/store/store_sqlite.h"

// `h`: the body's head in hexadecimal, `a` and `b`: its first two digits.
// clang-format off
#define DIGIT(at) "instr('123456789abcdef', substr(h, " #at ", 1))"
#define THREE(a, b, c) \
    "((" DIGIT(a) " * 16 + " DIGIT(b) ") * 16 + " DIGIT(c) ")"
#define FOUR(a, b, c, d) "(" THREE(a, b, c) " * 16 + " DIGIT(d) ")"
#define UUID(at) \
    "substr(h, " at ", 8) || '-' || substr(h, " at " + 8, 4) || '-' ||\n" \
    "    substr(h, " at " + 12, 4) || '-' || substr(h, " at " + 16, 4)\n" \
    "    || '-' || substr(h, " at " + 20, 12)"
#define ID "CASE WHEN format < 10 THEN checkpoint_id ELSE " UUID("3") " END"
// %s: the table.
#define HEADS(of, more) \
    "(SELECT *, " DIGIT(1) " AS a, " DIGIT(2) " AS b" more " FROM\n" \
    "    (SELECT *, lower(hex(substr(body, 1, 55))) AS h FROM %s)) " of "\n"

// The parent of checkpoint `j`, if its row is in that table.
static char *parent_in(const char *table)
{
    return ss_format("(SELECT " ID " FROM " HEADS("p", "")
        "      WHERE p.thread = j.thread AND p.seq = j.seq - j.back\n"
        "      AND j.back > 0)", table);
}

// The newest row in that table, up to that of `j`, which says its run.
static char *run_in(const char *table)
{
    return ss_format(
        "SELECT * FROM (SELECT seq, CASE WHEN format < 10 THEN run\n"
        "    WHEN a & 2 = 0 THEN ''\n"
        "    ELSE " UUID("3 + (b & 8) / 8 * 44") " END AS run FROM "
        HEADS("r", "")
        "    WHERE r.thread = j.thread AND r.seq <= j.seq AND\n"
        "      (format < 10 OR a & 1 = 0) ORDER BY r.seq DESC LIMIT 1)", table);
}

static char *checkpoints_in(
    const char *table, const char *parent, const char *run)
{
    return ss_format("SELECT thread, ns, " ID " AS checkpoint_id,\n"
        "  CASE WHEN format < 10 THEN parent_id\n"
        "    WHEN back = 65535 THEN " UUID("47 + (a & 2) * 16") "\n"
        "    ELSE %s END AS parent_id,\n"
        "  CASE WHEN format < 10 THEN step ELSE " FOUR(35, 36, 37, 38)
        " * 65536 +\n    " FOUR(39, 40, 41, 42)
        " - (" DIGIT(35) " > 7) * 4294967296 END AS step,\n"
        "  CASE WHEN format < 10 THEN source ELSE CASE b & 7\n"
        "    WHEN 1 THEN 'input' WHEN 2 THEN 'loop' WHEN 3 THEN 'update'\n"
        "    WHEN 4 THEN 'fork' ELSE '' END END AS source,\n"
        "  %s AS run, seq,\n"
        "  strftime('%%Y-%%m-%%dT%%H:%%M:%%S', us / 1000000, 'unixepoch')\n"
        "    || printf('.%%06dZ', us %% 1000000) AS created,\n"
        "  CASE WHEN format >= 10 AND metadata IS NULL AND a & 4\n"
        "    THEN '{\"parents\":{}}' ELSE metadata END AS metadata,\n"
        "  length(body) AS size FROM\n"
        "  (SELECT *, CASE WHEN wall_us <> 0 OR format < 10 THEN wall_us ELSE\n"
        "    (ticks - 122192928000000000) / 10 END AS us FROM\n"
        "  " HEADS("h", ", " FOUR(43, 44, 45, 46) " AS back,\n"
            FOUR(3, 4, 5, 6) " * 17592186044416 + " FOUR(7, 8, 9, 10)
            " * 268435456 +\n" FOUR(11, 12, 13, 14) " * 4096 + "
            THREE(16, 17, 18) " AS ticks")
        "  WHERE kind <> 5 AND CASE WHEN format < 10 THEN checkpoint_id <> ''\n"
        "    ELSE b & 8 END) j", parent, run, table);
}
// clang-format on

char *ss_sqlite_view(void)
{
    static const char *const tables[] = {"journal", "fresh"};
    char *parents[2], *runs[2], *both[2];
    for (size_t i = 0; i < 2; i++) {
        parents[i] = parent_in(tables[i]);
        runs[i] = run_in(tables[i]);
    }
    char *parent =
        ss_format("coalesce(%s,\n      %s, '')", parents[0], parents[1]);
    char *run = ss_format("(SELECT run FROM (%s\n    UNION ALL %s)\n"
                          "    ORDER BY seq DESC LIMIT 1)",
        runs[0], runs[1]);
    for (size_t i = 0; i < 2; i++) {
        ss_free(parents[i]);
        ss_free(runs[i]);
        both[i] = checkpoints_in(tables[i], parent, run);
    }
    char *view = ss_format("DROP VIEW IF EXISTS checkpoints;\n"
                           "CREATE VIEW checkpoints AS %s\n  UNION ALL %s;\n",
        both[0], both[1]);
    ss_free(parent);
    ss_free(run);
    ss_free(both[0]);
    ss_free(both[1]);
    return view;
}
