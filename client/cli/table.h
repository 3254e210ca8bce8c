// table.h - aligned tables for people.
//
//     WORKER  GRAPHS       RUNNING
//     w1      digest@5f0c        4
//
// Cells are text as it is shown; control characters are escaped, so that no
// name can move the cursor.
//
// By hand, not by libsmartcols: that one cuts a cell without a mark, and a cut
// name reads as a name (docs/decisions/0024-tables-by-hand.md).
#ifndef SS_CLI_TABLE_H
#define SS_CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "client/cli/screen.h"
#include "common/base/buf.h"

enum { SS_TABLE_COLUMNS_MAX = 12, SS_TABLE_GAP = 2 };

enum ss_table_form {
    SS_TABLE_TEXT,
    SS_TABLE_ID,     // cut first, in the middle, so that no two become one; dim
    SS_TABLE_STATUS, // coloured by what it says (ss_tone_of_status())
};

struct ss_table_column {
    const char *title; // borrowed; NULL: the table has no titles
    bool is_number;    // stands at the right
    bool is_flexible;  // cut where the line is too long even with ids cut
    enum ss_table_form form;
};

struct ss_table;

// Borrows `columns` for the table's life.
struct ss_table *ss_table_new(
    const struct ss_table_column *columns, size_t count);
void ss_table_destroy(struct ss_table **table);
// One cell for each column; NULL and "" show as "-". Copies.
void ss_table_add(struct ss_table *table, const char *const *cells);
size_t ss_table_count(const struct ss_table *table);
// Append the table to `buf`. Lines are at most as wide as the screen if ids and
// flexible columns can make room for that. Where it is no terminal every cell
// stands whole, and no row is widened for a long cell of another. No line ends
// in blanks.
void ss_table_write(
    struct ss_table *table, const struct ss_screen *screen, struct ss_buf *buf);

#endif
