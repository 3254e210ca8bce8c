// journal_head.c - what records say about a thread's end, checked against its
// rows.
#include "coordinator/core/journal_head.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/check.h"
#include "common/model/json_object.h"
#include "common/model/value.h"

enum { HEX_SIZE = 16 };

// --- telling and hearing ----------------------------------------------------

static void hex_write(uint64_t number, char ret_text[HEX_SIZE + 1])
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = HEX_SIZE; i-- > 0; number >>= 4) {
        ret_text[i] = digits[number & 15];
    }
    ret_text[HEX_SIZE] = '\0';
}

char *ss_journal_head_tell(
    const char *record, const struct ss_journal_head *head, int64_t born_us)
{
    char hex[HEX_SIZE + 1];
    size_t size = strlen(record);
    struct ss_buf told;
    ss_check(size >= 2 && record[0] == '{' && record[size - 1] == '}');
    hex_write(head->checksum, hex);
    ss_buf_init(&told, SIZE_MAX);
    ss_buf_add(&told, record, size - 1);
    ss_json_begin(&told, SS_JOURNAL_HEAD);
    ss_json_add_int(&told, "rows", (int64_t)head->rows);
    ss_json_add_text(&told, "checksum", hex);
    ss_json_add_int(&told, "of", born_us);
    ss_json_close(&told);
    ss_json_close(&told);
    return ss_buf_steal(&told, NULL);
}

static bool hex_read(const char *text, uint64_t *ret)
{
    char *end = NULL;
    if (strlen(text) != HEX_SIZE ||
        strspn(text, "0123456789abcdef") != HEX_SIZE) {
        return false;
    }
    *ret = strtoull(text, &end, 16);
    return true;
}

int ss_journal_head_hear(const json_t *record, int64_t born_us,
    struct ss_journal_head *newest, struct ss_error *error)
{
    const json_t *head = json_object_get(record, SS_JOURNAL_HEAD);
    json_int_t rows = ss_json_int(head, "rows", 0);
    json_int_t of = ss_json_int(head, "of", 0);
    uint64_t checksum = 0;
    if (!head) {
        return SS_OK;
    }
    if (rows < 1 || of < 1 ||
        !hex_read(ss_json_str(head, "checksum", ""), &checksum)) {
        return ss_error_set(error, SS_ECORRUPT,
            "what it tells of the thread's last row (\"head\") is damaged");
    }
    if (of == born_us && (uint64_t)rows > newest->rows) {
        *newest = (struct ss_journal_head){(uint64_t)rows, checksum};
    }
    return SS_OK;
}

// --- against the rows -------------------------------------------------------

void ss_journal_extent_add(struct ss_journal_extent *extent,
    const struct ss_row *row, uint64_t checksum)
{
    if (extent->first == 0) {
        extent->first = row->seq;
    }
    extent->last = row->seq;
    if (row->void_from <= 1 && row->void_seq > extent->dropped_to) {
        extent->dropped_to = row->void_seq;
    }
    if (row->seq == extent->told.rows && checksum != extent->told.checksum) {
        extent->differs = true;
    }
}

int ss_journal_extent_check(
    const struct ss_journal_extent *extent, struct ss_error *error)
{
    const uint64_t told = extent->told.rows;
    if (told > 0 && extent->last == 0) {
        return ss_error_set(error, SS_ECORRUPT,
            "none of its rows is there, and its records tell of %" PRIu64,
            told);
    }
    if (extent->last < told) {
        return ss_error_set(error, SS_ECORRUPT,
            "row %" PRIu64 " is the last that is there, and its records tell of"
            " rows up to %" PRIu64 ": the last ones were removed",
            extent->last, told);
    }
    if (extent->first > 1 && extent->dropped_to + 1 < extent->first) {
        return ss_error_set(error, SS_ECORRUPT,
            "row %" PRIu64 " is the first that is there, and no row says that"
            " those before it were dropped",
            extent->first);
    }
    if (extent->differs) {
        return ss_error_set(error, SS_ECORRUPT,
            "row %" PRIu64 " is not the one that its records tell of: it was"
            " changed",
            told);
    }
    return SS_OK;
}
