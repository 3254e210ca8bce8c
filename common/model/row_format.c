// row_format.c - how new a program must be to read a row.
#include <string.h>

#include "common/model/journal.h"
#include "common/model/names.h"

int32_t ss_row_format(const struct ss_row *row)
{
    if (json_object_get(row->entry, "moved_from")) {
        return SS_ROW_FORMAT_2;
    }
    for (size_t i = 0; i < row->writes_count; i++) {
        if (strcmp(row->writes[i].channel, SS_NAME_TRIES) == 0) {
            return SS_ROW_FORMAT_2;
        }
    }
    for (size_t i = 0; i < row->checkpoint.channels_count; i++) {
        if (row->checkpoint.channels[i].op == SS_DELTA_EDIT) {
            return SS_ROW_FORMAT_2;
        }
    }
    return SS_ROW_FORMAT_1;
}
