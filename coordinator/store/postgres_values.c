// postgres_values.c - values as libpq sends them: arrays in binary form, of
// plain values or of records, so that a batch is one statement whatever its
// size.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "coordinator/store/store_postgres.h"

enum { ARRAY_HEADER = 20 };

static void put_u32(unsigned char *at, uint32_t number)
{
    at[0] = (unsigned char)(number >> 24);
    at[1] = (unsigned char)(number >> 16);
    at[2] = (unsigned char)(number >> 8);
    at[3] = (unsigned char)number;
}

static unsigned char *array_add(struct ss_pg_array *array, size_t size)
{
    array->bytes =
        ss_vec_grow(array->bytes, &array->capacity, array->size + size, 1);
    unsigned char *at = array->bytes + array->size;
    array->size += size;
    return at;
}

void ss_pg_array_init(struct ss_pg_array *array, uint32_t type)
{
    *array = (struct ss_pg_array){.type = type};
    unsigned char *at = array_add(array, ARRAY_HEADER);
    put_u32(at, 1);     // dimensions
    put_u32(at + 4, 0); // has nulls
    put_u32(at + 8, type);
    put_u32(at + 12, 0); // elements; set when it is sent
    put_u32(at + 16, 1); // the first one's number
}

void ss_pg_array_bytes(
    struct ss_pg_array *array, const void *bytes, size_t size)
{
    ss_check(size <= INT32_MAX);
    unsigned char *at = array_add(array, 4 + size);
    put_u32(at, (uint32_t)size);
    if (size > 0) {
        memcpy(at + 4, bytes, size);
    }
    array->count++;
}

void ss_pg_array_text(struct ss_pg_array *array, const char *text)
{
    if (text) {
        ss_pg_array_bytes(array, text, strlen(text));
        return;
    }
    put_u32(array_add(array, 4), UINT32_MAX);
    put_u32(array->bytes + 4, 1);
    array->count++;
}

void ss_pg_array_number(struct ss_pg_array *array, int64_t number)
{
    unsigned char bytes[8];
    put_u32(bytes, (uint32_t)((uint64_t)number >> 32));
    put_u32(bytes + 4, (uint32_t)(uint64_t)number);
    ss_pg_array_bytes(array, bytes, sizeof(bytes));
}

// --- records ----------------------------------------------------------------

enum { RECORD_HEADER = 8 };

void ss_pg_record_begin(struct ss_pg_array *array, uint32_t columns)
{
    array->record = array->size;
    put_u32(array_add(array, RECORD_HEADER) + 4, columns);
}

void ss_pg_record_bytes(
    struct ss_pg_array *array, uint32_t type, const void *bytes, size_t size)
{
    ss_check(size <= INT32_MAX);
    unsigned char *at = array_add(array, 8 + size);
    put_u32(at, type);
    put_u32(at + 4, (uint32_t)size);
    if (size > 0) {
        memcpy(at + 8, bytes, size);
    }
}

void ss_pg_record_null(struct ss_pg_array *array, uint32_t type)
{
    unsigned char *at = array_add(array, 8);
    put_u32(at, type);
    put_u32(at + 4, UINT32_MAX);
}

void ss_pg_record_text(struct ss_pg_array *array, const char *text)
{
    if (text) {
        ss_pg_record_bytes(array, SS_PG_TEXT, text, strlen(text));
    } else {
        ss_pg_record_null(array, SS_PG_TEXT);
    }
}

void ss_pg_record_number(
    struct ss_pg_array *array, uint32_t type, int64_t number)
{
    unsigned char bytes[8];
    put_u32(bytes, (uint32_t)((uint64_t)number >> 32));
    put_u32(bytes + 4, (uint32_t)(uint64_t)number);
    ss_check(type == SS_PG_INT8 || type == SS_PG_INT4);
    size_t skipped = type == SS_PG_INT4 ? 4 : 0;
    ss_pg_record_bytes(array, type, bytes + skipped, 8 - skipped);
}

void ss_pg_record_end(struct ss_pg_array *array)
{
    size_t size = array->size - array->record - 4;
    ss_check(size <= INT32_MAX);
    put_u32(array->bytes + array->record, (uint32_t)size);
    array->count++;
}

// --- parameters -------------------------------------------------------------

static int params_next(struct ss_pg_params *params)
{
    ss_check(params->count < SS_PG_PARAMS_MAX);
    return params->count++;
}

void ss_pg_params_text(struct ss_pg_params *params, const char *text)
{
    params->values[params_next(params)] = text;
}

void ss_pg_params_number(struct ss_pg_params *params, int64_t number)
{
    int at = params_next(params);
    (void)snprintf(
        params->numbers[at], sizeof(params->numbers[at]), "%" PRId64, number);
    params->values[at] = params->numbers[at];
}

void ss_pg_params_array(struct ss_pg_params *params, struct ss_pg_array *array)
{
    int at = params_next(params);
    ss_check(array->size <= INT32_MAX);
    put_u32(array->bytes + 12, array->count);
    params->values[at] = (const char *)array->bytes;
    params->lengths[at] = (int)array->size;
    params->formats[at] = 1;
    params->owned[at] = array->bytes;
    *array = (struct ss_pg_array){0};
}

void ss_pg_params_fini(struct ss_pg_params *params)
{
    for (int i = 0; i < params->count; i++) {
        ss_free(params->owned[i]);
    }
    *params = (struct ss_pg_params){0};
}

int64_t ss_pg_number_at(const PGresult *result, int row, int column)
{
    const unsigned char *bytes =
        (const unsigned char *)PQgetvalue(result, row, column);
    int size = PQgetlength(result, row, column);
    ss_check(size == 4 || size == 8);
    // Extend the sign of a short number.
    uint64_t number = size == 4 && bytes[0] >= 0x80 ? UINT64_MAX : 0;
    for (int i = 0; i < size; i++) {
        number = number << 8 | bytes[i];
    }
    return (int64_t)number;
}
