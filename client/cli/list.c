// list.c - lists of objects as tables.
#include "client/cli/list.h"

#include <stdio.h>
#include <string.h>

#include "client/cli/text.h"
#include "common/base/buf.h"
#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/value.h"

enum { TEXT_SIZE_MAX = 64 * 1024, VERSION_WIDTH = 8 };

// Names separated by commas. Gives.
static char *joined(const json_t *list)
{
    struct ss_buf buf;
    ss_buf_init(&buf, TEXT_SIZE_MAX);
    size_t i;
    json_t *item;
    json_array_foreach (list, i, item) {
        char *text = json_is_string(item) ? ss_strdup(json_string_value(item))
                                          : ss_text_json(item, 0);
        ss_buf_addf(&buf, "%s%s", i ? ", " : "", text);
        ss_free(text);
    }
    return ss_buf_steal(&buf, NULL);
}

// "digest@5f0c, hello@9a1b". Gives.
static char *graphs(const json_t *list)
{
    enum { SHORT_VERSION = 4 };
    struct ss_buf buf;
    ss_buf_init(&buf, TEXT_SIZE_MAX);
    size_t i;
    json_t *item;
    json_array_foreach (list, i, item) {
        const char *name = json_string_value(item);
        const char *version = name ? strrchr(name, '@') : NULL;
        if (version)
            ss_buf_addf(&buf, "%s%.*s", i ? ", " : "",
                (int)(version - name) + 1 + SHORT_VERSION, name);
        else
            ss_buf_addf(&buf, "%s%s", i ? ", " : "", name ? name : "?");
    }
    return ss_buf_steal(&buf, NULL);
}

// "c1 3, c2 2". Gives; NULL: there are none.
static char *counts(const json_t *object)
{
    struct ss_buf buf;
    const char *name, *behind = "";
    json_t *count;
    if (json_object_size(object) == 0)
        return NULL;
    ss_buf_init(&buf, TEXT_SIZE_MAX);
    json_object_foreach ((json_t *)object, name, count) {
        char *text = ss_text_json(count, 0);
        ss_buf_addf(&buf, "%s%s %s", behind, name, text);
        ss_free(text);
        behind = ", ";
    }
    return ss_buf_steal(&buf, NULL);
}

static char *plain_text(const json_t *value)
{
    if (json_is_string(value))
        return ss_strdup(json_string_value(value));
    if (json_is_array(value))
        return joined(value);
    return ss_text_json(value, 0);
}

// The text of a cell. Gives; NULL where there is nothing to show.
static char *cell_of(const json_t *value, const struct ss_list_column *column)
{
    const char *text = json_string_value(value);
    if (!value || json_is_null(value))
        return NULL;
    switch (column->form) {
    case SS_LIST_AGO:
        return json_is_number(value)
                   ? ss_text_ago((int64_t)json_number_value(value))
                   : plain_text(value);
    case SS_LIST_DURATION:
        return ss_text_duration((int64_t)json_number_value(value) * 1000);
    case SS_LIST_TIME:
        return text ? ss_text_time(text) : plain_text(value);
    case SS_LIST_VERSION:
        return text ? ss_format("%.*s", VERSION_WIDTH, text)
                    : plain_text(value);
    case SS_LIST_GRAPHS:
        return json_is_array(value) ? graphs(value) : plain_text(value);
    case SS_LIST_JSON:
        return ss_text_json(value, 0);
    case SS_LIST_COUNTS:
        return json_is_object(value) ? counts(value) : plain_text(value);
    case SS_LIST_ID:
    case SS_LIST_STATUS:
    case SS_LIST_NUMBER:
    case SS_LIST_TEXT:
    default:
        return plain_text(value);
    }
}

void ss_cli_list_write(const json_t *list, const struct ss_list_column *columns,
    size_t count, const char *none, const struct ss_screen *screen,
    struct ss_buf *buf)
{
    ss_check(count <= SS_TABLE_COLUMNS_MAX);
    struct ss_table_column heads[SS_TABLE_COLUMNS_MAX];
    for (size_t i = 0; i < count; i++) {
        heads[i] = (struct ss_table_column){.title = columns[i].title,
            .is_number = columns[i].form == SS_LIST_NUMBER,
            .is_flexible = columns[i].is_flexible,
            .form = columns[i].form == SS_LIST_ID       ? SS_TABLE_ID
                    : columns[i].form == SS_LIST_STATUS ? SS_TABLE_STATUS
                                                        : SS_TABLE_TEXT};
    }
    struct ss_table *table = ss_table_new(heads, count);
    size_t row;
    json_t *item;
    json_array_foreach (list, row, item) {
        char *cells[SS_TABLE_COLUMNS_MAX];
        for (size_t i = 0; i < count; i++)
            cells[i] =
                cell_of(json_object_get(item, columns[i].key), &columns[i]);
        ss_table_add(table, (const char *const *)cells);
        for (size_t i = 0; i < count; i++)
            ss_free(cells[i]);
    }
    if (ss_table_count(table) == 0)
        ss_buf_addf(buf, "%s\n", none);
    else
        ss_table_write(table, screen, buf);
    ss_table_destroy(&table);
}

void ss_cli_print_list(const json_t *list, const struct ss_list_column *columns,
    size_t count, const char *none)
{
    struct ss_screen screen = ss_cli_screen();
    struct ss_buf buf;
    if (ss_cli_options.json) {
        ss_cli_print_json(list);
        return;
    }
    ss_buf_init(&buf, SS_CLI_PAGE_SIZE_MAX);
    ss_cli_list_write(list, columns, count, none, &screen, &buf);
    ss_cli_print_buf(&buf);
}

void ss_cli_print_names(const json_t *list, const char *key)
{
    size_t i;
    json_t *item;
    json_array_foreach (list, i, item) {
        const char *name = ss_json_str(item, key, NULL);
        char *plain = name ? ss_text_plain(name) : NULL;
        if (plain)
            puts(plain);
        ss_free(plain);
    }
}
