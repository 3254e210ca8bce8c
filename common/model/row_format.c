// row_format.c - how new a program must be to read a row.
#include <string.h>

#include "common/model/journal.h"
#include "common/model/reserved.h"

static bool writes_to(const struct ss_row *row, const char *channel)
{
    for (size_t i = 0; i < row->writes_count; i++) {
        if (strcmp(row->writes[i].channel, channel) == 0) {
            return true;
        }
    }
    return false;
}

int32_t ss_row_format(const struct ss_row *row)
{
    if (writes_to(row, SS_NAME_LOST)) {
        return SS_ROW_FORMAT_4;
    }
    if (json_object_get(row->entry, "moved_from") ||
        writes_to(row, SS_NAME_TRIES)) {
        return SS_ROW_FORMAT_2;
    }
    for (size_t i = 0; i < row->checkpoint.channels_count; i++) {
        if (row->checkpoint.channels[i].op == SS_DELTA_EDIT) {
            return SS_ROW_FORMAT_2;
        }
    }
    return SS_ROW_FORMAT_1;
}
