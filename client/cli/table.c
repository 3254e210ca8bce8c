// table.c - measure, then write.
#include "client/cli/table.h"

#include <string.h>

#include "client/cli/text.h"
#include "common/base/check.h"
#include "common/base/mem.h"

struct row {
    char *cells[SS_TABLE_COLUMNS_MAX];
};

struct ss_table {
    const struct ss_table_column *columns;
    size_t count;
    SS_VEC(struct row) rows;
};

struct ss_table *ss_table_new(
    const struct ss_table_column *columns, size_t count)
{
    ss_check(count > 0 && count <= SS_TABLE_COLUMNS_MAX);
    struct ss_table *table = ss_zalloc(1, sizeof(*table));
    table->columns = columns;
    table->count = count;
    return table;
}

void ss_table_destroy(struct ss_table **table)
{
    if (!*table)
        return;
    for (size_t i = 0; i < (*table)->rows.count; i++)
        for (size_t j = 0; j < (*table)->count; j++)
            ss_free((*table)->rows.items[i].cells[j]);
    SS_VEC_FINI(&(*table)->rows);
    ss_free(*table);
    *table = NULL;
}

void ss_table_add(struct ss_table *table, const char *const *cells)
{
    struct row row = {{NULL}};
    for (size_t i = 0; i < table->count; i++)
        row.cells[i] = ss_text_plain(cells[i] && *cells[i] ? cells[i] : "-");
    SS_VEC_PUSH(&table->rows, row);
}

size_t ss_table_count(const struct ss_table *table)
{
    return table->rows.count;
}

static size_t widest(const struct ss_table *table, size_t column)
{
    const char *title = table->columns[column].title;
    size_t width = title ? ss_text_width(title) : 0;
    for (size_t i = 0; i < table->rows.count; i++) {
        size_t own = ss_text_width(table->rows.items[i].cells[column]);
        if (own > width)
            width = own;
    }
    return width;
}

// Take from the widest flexible column until the line fits.
static void make_room(
    const struct ss_table *table, size_t width_max, size_t *widths)
{
    enum { NARROWEST = 8 };
    size_t line = (table->count - 1) * SS_TABLE_GAP;
    for (size_t i = 0; i < table->count; i++)
        line += widths[i];
    while (line > width_max) {
        size_t victim = table->count;
        for (size_t i = 0; i < table->count; i++)
            if (table->columns[i].is_flexible && widths[i] > NARROWEST &&
                (victim == table->count || widths[i] > widths[victim]))
                victim = i;
        if (victim == table->count)
            return;
        widths[victim]--;
        line--;
    }
}

static void write_line(const struct ss_table *table, const size_t *widths,
    char *const *cells, struct ss_buf *buf)
{
    size_t owed = 0; // spaces, written only if something follows
    for (size_t i = 0; i < table->count; i++) {
        char *cell = ss_text_cut(cells[i], widths[i]);
        size_t pad = widths[i] - ss_text_width(cell);
        if (table->columns[i].is_number)
            owed += pad;
        ss_buf_addf(buf, "%*s%s", (int)owed, "", cell);
        owed = SS_TABLE_GAP + (table->columns[i].is_number ? 0 : pad);
        ss_free(cell);
    }
    ss_buf_add_str(buf, "\n");
}

void ss_table_write(
    const struct ss_table *table, size_t width_max, struct ss_buf *buf)
{
    size_t widths[SS_TABLE_COLUMNS_MAX];
    for (size_t i = 0; i < table->count; i++)
        widths[i] = widest(table, i);
    if (width_max > 0)
        make_room(table, width_max, widths);
    if (table->columns[0].title) {
        char *titles[SS_TABLE_COLUMNS_MAX];
        for (size_t i = 0; i < table->count; i++)
            titles[i] = ss_strdup(table->columns[i].title);
        write_line(table, widths, titles, buf);
        for (size_t i = 0; i < table->count; i++)
            ss_free(titles[i]);
    }
    for (size_t i = 0; i < table->rows.count; i++)
        write_line(table, widths, table->rows.items[i].cells, buf);
}
