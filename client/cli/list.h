// list.h - lists of objects as tables.
#ifndef SS_CLI_LIST_H
#define SS_CLI_LIST_H

#include "client/cli/cli.h"

enum ss_list_form {
    SS_LIST_TEXT, // text as it is; lists with commas; other values as JSON
    SS_LIST_NUMBER,
    SS_LIST_TIME,     // an ISO time, to the second
    SS_LIST_AGO,      // milliseconds
    SS_LIST_DURATION, // the same, not since then
    SS_LIST_ID,       // cut in the middle where the row is too long
    SS_LIST_STATUS,   // coloured
    SS_LIST_VERSION,  // the first characters
    SS_LIST_GRAPHS,   // a list of name@version, each version's first characters
    SS_LIST_JSON,     // any value on one line
    SS_LIST_COUNTS,   // {name: count} as "a 3, b 2"; nothing where it is empty
};

struct ss_list_column {
    const char *title;
    const char *key;
    enum ss_list_form form;
    bool is_flexible;
};

// Print `list` (borrowed), or `none` where it is empty. With --json the list
// as it is.
void ss_cli_print_list(const json_t *list, const struct ss_list_column *columns,
    size_t count, const char *none);
// Append it as a table, for this screen.
void ss_cli_list_write(const json_t *list, const struct ss_list_column *columns,
    size_t count, const char *none, const struct ss_screen *screen,
    struct ss_buf *buf);
// Print one value of each object, one a line: for completion.
void ss_cli_print_names(const json_t *list, const char *key);

#endif
