// row_copy.c - two passes over the same code: measure, then place.
#include "coordinator/job/row_copy.h"

#include <stdalign.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"

// While `bytes` is NULL nothing is copied, only counted.
struct packer {
    char *bytes;
    size_t size;
};

static void *pack(struct packer *packer, const void *from, size_t size)
{
    void *to = packer->bytes ? packer->bytes + packer->size : NULL;
    if (to && size > 0) {
        memcpy(to, from, size);
    }
    packer->size += size;
    return to;
}

static const char *pack_text(struct packer *packer, const char *text)
{
    return text ? pack(packer, text, strlen(text) + 1) : NULL;
}

// Copy an array of structs to the next aligned address.
static void *pack_array(struct packer *packer, const void *from, size_t size)
{
    size_t over = packer->size % alignof(max_align_t);
    packer->size += over ? alignof(max_align_t) - over : 0;
    return pack(packer, from, size);
}

static struct ss_store_row pack_row(
    struct packer *packer, const struct ss_store_row *row)
{
    struct ss_store_row copy = *row;
    copy.thread = pack_text(packer, row->thread);
    copy.run = pack_text(packer, row->run);
    copy.ns = pack_text(packer, row->ns);
    copy.checkpoint_id = pack_text(packer, row->checkpoint_id);
    copy.parent_id = pack_text(packer, row->parent_id);
    copy.source = pack_text(packer, row->source);
    copy.metadata = pack_text(packer, row->metadata);
    copy.body = pack(packer, row->body, row->body_size);
    if (packer->bytes && row->kept) {
        ss_row_ref(copy.kept);
    }
    return copy;
}

static struct ss_store_put pack_put(
    struct packer *packer, const struct ss_store_put *put)
{
    struct ss_store_put copy = *put;
    copy.key = pack_text(packer, put->key);
    copy.index = pack_text(packer, put->index);
    copy.status = pack_text(packer, put->status);
    if (put->value) {
        // At least a byte, so that an empty value is not a deletion.
        copy.value = pack(packer, put->value, put->value_size);
        pack(packer, "", 1);
    }
    return copy;
}

static struct ss_store_unit pack_unit(
    struct packer *packer, const struct ss_store_unit *unit)
{
    struct ss_store_unit copy = *unit;
    struct ss_store_row *rows =
        pack_array(packer, unit->rows, unit->rows_count * sizeof(*rows));
    struct ss_store_put *puts =
        pack_array(packer, unit->puts, unit->puts_count * sizeof(*puts));
    copy.thread = pack_text(packer, unit->thread);
    for (size_t i = 0; i < unit->rows_count; i++) {
        struct ss_store_row row = pack_row(packer, &unit->rows[i]);
        if (rows) {
            rows[i] = row;
        }
    }
    for (size_t i = 0; i < unit->puts_count; i++) {
        struct ss_store_put put = pack_put(packer, &unit->puts[i]);
        if (puts) {
            puts[i] = put;
        }
    }
    copy.rows = rows;
    copy.puts = puts;
    return copy;
}

struct ss_store_row ss_store_row_copy(
    const struct ss_store_row *row, void **ret_memory)
{
    struct packer packer = {0};
    if (row->kept) {
        *ret_memory = NULL;
        return (struct ss_store_row){
            .seq = row->seq, .kind = row->kind, .kept = ss_row_ref(row->kept)};
    }
    pack_row(&packer, row);
    size_t size = packer.size;
    packer = (struct packer){.bytes = ss_alloc(size)};
    struct ss_store_row copy = pack_row(&packer, row);
    ss_check(packer.size == size);
    *ret_memory = packer.bytes;
    return copy;
}

void ss_store_row_fini(struct ss_store_row *row, void *memory)
{
    ss_row_destroy(&row->kept);
    ss_free(memory);
}

struct ss_store_unit ss_store_unit_copy(
    const struct ss_store_unit *unit, void **ret_memory)
{
    struct packer packer = {0};
    pack_unit(&packer, unit);
    size_t size = packer.size;
    packer = (struct packer){.bytes = ss_alloc(size)};
    struct ss_store_unit copy = pack_unit(&packer, unit);
    ss_check(packer.size == size);
    *ret_memory = packer.bytes;
    return copy;
}
