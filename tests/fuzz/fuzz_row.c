// Any bytes are a journal row's body or a status; so is what the row says.
#include <stdint.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/wire/row.h"
#include "common/wire/row_impl.h"
#include "common/wire/row_limits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void there_and_back(const struct ss_row *row)
{
    struct ss_tail once, twice;
    struct ss_row *again = NULL;
    ss_tail_init(&once, SS_ROW_SIZE_MAX);
    ss_tail_init(&twice, SS_ROW_SIZE_MAX);
    ss_check(ss_row_encode(row, &once, NULL) == SS_OK);
    ss_check(
        ss_row_decode(once.end - once.size, once.size, &again, NULL) == SS_OK);
    ss_check(again->writes_count == row->writes_count);
    ss_check(again->has_checkpoint == row->has_checkpoint);
    ss_check(ss_row_encode(again, &twice, NULL) == SS_OK);
    ss_check(once.size == twice.size);
    ss_row_destroy(&again);
    ss_tail_fini(&once);
    ss_tail_fini(&twice);
}

static void try_body(const uint8_t *data, size_t size)
{
    struct ss_row *row = NULL;
    struct ss_error error = {0};
    if (ss_row_decode(data, size, &row, &error) != SS_OK) {
        ss_check(row == NULL);
        ss_check(error.message[0] != '\0');
        return;
    }
    there_and_back(row);
    ss_row_destroy(&row);
}

// The hash at the end stops what is merely damaged; who can write to the
// database can hash, too.
static void try_with_hash(const uint8_t *data, size_t size)
{
    size_t hashed = size - SS_ROW_CHECK_SIZE;
    uint8_t *copy = ss_alloc(size);
    memcpy(copy, data, hashed);
    uint64_t hash = ss_hash64(copy, hashed);
    copy[hashed] = SS_ROW_CHECK_KEY;
    for (int i = 0; i < 8; i++)
        copy[hashed + 1 + (size_t)i] = (uint8_t)(hash >> (8 * i));
    try_body(copy, size);
    ss_free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int is_set_up;
    if (!is_set_up++)
        ss_value_setup();
    try_body(size > 0 ? data : NULL, size);
    if (size >= SS_ROW_CHECK_SIZE)
        try_with_hash(data, size);
    return 0;
}
