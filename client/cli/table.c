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

// Cut the ids, as little as leaves all of a column different.
static void cut_ids(struct ss_table *table, size_t *widths)
{
    for (size_t i = 0; i < table->count; i++) {
        SS_VEC(const char *) ids = {0};
        if (table->columns[i].form != SS_TABLE_ID)
            continue;
        for (size_t j = 0; j < table->rows.count; j++)
            SS_VEC_PUSH(&ids, table->rows.items[j].cells[i]);
        struct ss_id_form form = ss_text_id_form(ids.items, ids.count);
        for (size_t j = 0; j < table->rows.count; j++) {
            char **cell = &table->rows.items[j].cells[i];
            char *cut = ss_text_id(*cell, form);
            ss_free(*cell);
            *cell = cut;
        }
        SS_VEC_FINI(&ids);
        widths[i] = widest(table, i);
    }
}

static size_t line_width(const struct ss_table *table, const size_t *widths)
{
    size_t line = (table->count - 1) * SS_TABLE_GAP;
    for (size_t i = 0; i < table->count; i++)
        line += widths[i];
    return line;
}

// Take from the widest flexible column until the line fits.
static void make_room(
    const struct ss_table *table, size_t width_max, size_t *widths)
{
    enum { NARROWEST = 8 };
    size_t line = line_width(table, widths);
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

static enum ss_tone tone_of(
    const struct ss_table_column *column, const char *cell)
{
    switch (column->form) {
    case SS_TABLE_ID:
        return SS_TONE_DIM;
    case SS_TABLE_STATUS:
        return ss_tone_of_status(cell);
    case SS_TABLE_TEXT:
    default:
        return SS_TONE_PLAIN;
    }
}

// What the last cell of a row ends with would be nothing but blanks.
static void trim_end(char *cell)
{
    size_t size = strlen(cell);
    while (size > 0 && cell[size - 1] == ' ')
        size--;
    cell[size] = '\0';
}

static void write_line(const struct ss_table *table, const size_t *widths,
    char *const *cells, const struct ss_screen *screen, struct ss_buf *buf)
{
    size_t owed = 0; // spaces, written only if something follows
    for (size_t i = 0; i < table->count; i++) {
        char *cell = screen->width > 0 ? ss_text_cut(cells[i], widths[i])
                                       : ss_strdup(cells[i]);
        if (i + 1 == table->count)
            trim_end(cell);
        size_t own = ss_text_width(cell);
        size_t pad = own < widths[i] ? widths[i] - own : 0;
        enum ss_tone tone = tone_of(&table->columns[i], cell);
        if (table->columns[i].is_number)
            owed += pad;
        if (*cell)
            ss_buf_addf(buf, "%*s%s%s%s", (int)owed, "",
                ss_tone_on(screen, tone), cell, ss_tone_off(screen, tone));
        owed = SS_TABLE_GAP + (table->columns[i].is_number ? 0 : pad);
        ss_free(cell);
    }
    ss_buf_add_str(buf, "\n");
}

// No row is widened for what one cell is far too long for: a long text, or the
// long name of another row.
static void bound_pads(const struct ss_table *table, size_t *widths)
{
    enum { PADDED_MAX = 60 };
    for (size_t i = 0; i < table->count; i++)
        if (!table->columns[i].is_number && widths[i] > PADDED_MAX)
            widths[i] = PADDED_MAX;
}

void ss_table_write(
    struct ss_table *table, const struct ss_screen *screen, struct ss_buf *buf)
{
    const struct ss_screen plain = {.width = screen->width};
    size_t widths[SS_TABLE_COLUMNS_MAX];
    for (size_t i = 0; i < table->count; i++)
        widths[i] = widest(table, i);
    if (screen->width == 0)
        bound_pads(table, widths);
    else if (line_width(table, widths) > screen->width)
        cut_ids(table, widths);
    if (screen->width > 0)
        make_room(table, screen->width, widths);
    if (table->columns[0].title) {
        char *titles[SS_TABLE_COLUMNS_MAX];
        for (size_t i = 0; i < table->count; i++)
            titles[i] = ss_strdup(table->columns[i].title);
        write_line(table, widths, titles, &plain, buf);
        for (size_t i = 0; i < table->count; i++)
            ss_free(titles[i]);
    }
    for (size_t i = 0; i < table->rows.count; i++)
        write_line(table, widths, table->rows.items[i].cells, screen, buf);
}
