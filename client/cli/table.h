// table.h - aligned tables for people.
//
//     WORKER  GRAPHS       RUNNING
//     w1      digest@5f0c        4
//
// Cells are text as it is shown; control characters become '?', so that no name
// can move the cursor.
//
// By hand, not by libsmartcols: that one cuts a cell without a mark, and a cut
// name reads as a name (docs/decisions/0024-tables-by-hand.md).
#ifndef SS_CLI_TABLE_H
#define SS_CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/buf.h"

enum { SS_TABLE_COLUMNS_MAX = 12, SS_TABLE_GAP = 2 };

struct ss_table_column {
    const char *title; // borrowed; NULL: the table has no titles
    bool is_number;    // stands at the right
    bool is_flexible;  // cut first where the line is too long
};

struct ss_table;

// Borrows `columns` for the table's life.
struct ss_table *ss_table_new(
    const struct ss_table_column *columns, size_t count);
void ss_table_destroy(struct ss_table **table);
// One cell for each column; NULL and "" show as "-". Copies.
void ss_table_add(struct ss_table *table, const char *const *cells);
size_t ss_table_count(const struct ss_table *table);
// Append the table to `buf`. Lines are at most `width_max` columns if the
// flexible columns can make room for that (0: no limit).
void ss_table_write(
    const struct ss_table *table, size_t width_max, struct ss_buf *buf);

#endif
