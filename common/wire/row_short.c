// row_short.c - a row's body without what it repeats, and back.
#include <string.h>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/wire/row.h"
#include "common/wire/row_impl.h"
#include "common/wire/row_limits.h"

enum {
    FORM = 1, // the first byte: of these pieces, with this dictionary
    NUMBER_SIZE = 10,
    HEAD_SIZE_MAX = 1 + 2 * NUMBER_SIZE,
    COLUMNS = 5, // stretches that the columns make
    FEW = 16,    // stretches that need no memory of their own
};

static int damaged(struct ss_error *error, const char *what)
{
    return ss_error_set(error, SS_ECORRUPT, "a damaged journal row: %s", what);
}

// --- what stands before ------------------------------------------------------

struct before {
    struct ss_stretch *items; // of the columns, then of the values
    size_t count, room, size;
    struct ss_stretch few[FEW];
    uint8_t parent[SS_ROW_UUID_SIZE];
};

static void before_add(struct before *it, const void *bytes, size_t size)
{
    ss_check(it->count < it->room && (bytes || size == 0));
    it->items[it->count++] = (struct ss_stretch){bytes, size};
    it->size += size;
}

static void before_add_text(struct before *it, const char *text)
{
    before_add(it, text, strlen(text));
}

// Its ids, which the body has in letters and in bytes.
static void before_init(
    struct before *it, const struct ss_row *row, size_t sources)
{
    it->count = it->size = 0;
    ss_check(sources <= SS_ROW_SOURCES_MAX);
    it->room = COLUMNS + sources;
    it->items =
        it->room > FEW ? ss_zalloc(it->room, sizeof(*it->items)) : it->few;
    before_add_text(it, row->checkpoint_id);
    before_add_text(it, row->run);
    before_add_text(it, row->parent_id);
    if (ss_uuid_parse_canonical(row->parent_id, it->parent))
        before_add(it, it->parent, sizeof(it->parent));
}

// False: it is too much.
static bool before_add_value(struct before *it, struct ss_value *value)
{
    size_t size = 0;
    const char *text = ss_value_text(value, &size);
    before_add(it, text, size);
    return it->size <= SS_ROW_SHORT_SIZE_MAX;
}

static void before_fini(struct before *it)
{
    if (it->items != it->few)
        ss_free(it->items);
}

// --- numbers -----------------------------------------------------------------

static size_t put_number(char *to, uint64_t number)
{
    size_t size = 0;
    for (; number > 127; number >>= 7)
        to[size++] = (char)(number | 128);
    to[size++] = (char)number;
    return size;
}

static bool take_number(struct ss_stretch *from, uint64_t *ret)
{
    const uint8_t *bytes = from->bytes;
    uint64_t number = 0;
    for (size_t i = 0; i < from->size && i < 9; i++) {
        number |= (uint64_t)(bytes[i] & 127) << (7 * i);
        if (bytes[i] < 128) {
            from->bytes = bytes + i + 1;
            from->size -= i + 1;
            *ret = number;
            return true;
        }
    }
    return false;
}

// --- shorter -----------------------------------------------------------------

// Its form, its size, and what it names.
static bool head_put(
    const struct ss_row *row, size_t size, size_t sources, struct ss_buf *ret)
{
    size_t most = HEAD_SIZE_MAX + sources * (size_t)SS_ROW_SOURCE_SIZE_MAX;
    char *head = ss_buf_room(ret, most), *at = head;
    if (!head)
        return false;
    *at++ = FORM;
    at += put_number(at, size);
    at += put_number(at, sources);
    for (size_t i = 0; i < sources; i++) {
        ss_check(row->sources.items[i].seq < row->seq);
        at += put_number(at, row->seq - row->sources.items[i].seq);
        at += put_number(at, row->sources.items[i].place);
    }
    ss_check((size_t)(at - head) <= most);
    ret->size -= most - (size_t)(at - head);
    return true;
}

bool ss_row_shorten(struct ss_shortener *shortener, const struct ss_row *row,
    const struct ss_stretch *body, struct ss_buf *ret)
{
    struct before before;
    size_t from = ret->size, size = body->size, sources = row->sources.count;
    ss_check(sources == 0 || row->sources.items);
    if (size > SS_ROW_SHORT_SIZE_MAX)
        return false;
    sources = sources < SS_ROW_SOURCES_MAX ? sources : SS_ROW_SOURCES_MAX;
    before_init(&before, row, sources);
    bool fits = true;
    for (size_t i = 0; i < sources && fits; i++)
        fits = before_add_value(&before, row->sources.items[i].value);
    bool is_shorter = fits && head_put(row, size, sources, ret) &&
                      ret->size - from < size &&
                      ss_repeats_shorten(shortener, before.items, before.count,
                          body, size - (ret->size - from), ret);
    if (!is_shorter)
        ret->size = from;
    ss_check(ret->size - from < size || !is_shorter);
    before_fini(&before);
    return is_shorter;
}

// --- as it was ---------------------------------------------------------------

// One value that it names.
static int source_take(struct ss_row *row, struct ss_stretch *stored,
    const struct ss_row_finder *earlier, struct before *before,
    struct ss_error *error)
{
    uint64_t back, place;
    if (!take_number(stored, &back) || !take_number(stored, &place) ||
        back == 0 || back >= row->seq || place > SIZE_MAX)
        return damaged(error, "what it repeats cannot be read");
    const struct ss_row *from =
        earlier->find ? earlier->find(earlier->ctx, row->seq - back) : NULL;
    struct ss_value *value = from && from->seq == row->seq - back
                                 ? ss_row_value(from, (size_t)place)
                                 : NULL;
    if (!value)
        return ss_error_set(error, SS_ECORRUPT,
            "a damaged journal row: it repeats what row %llu should hold, and "
            "does not",
            (unsigned long long)(row->seq - back));
    if (row->named_from == 0 || from->seq < row->named_from)
        row->named_from = from->seq;
    return before_add_value(before, value)
               ? SS_OK
               : ss_error_set(error, SS_ELIMIT,
                     "a journal row repeats more than %zu bytes",
                     SS_ROW_SHORT_SIZE_MAX);
}

int ss_row_restore(struct ss_row *row, const struct ss_stretch *stored,
    const struct ss_row_finder *earlier, struct ss_buf *ret,
    struct ss_error *error)
{
    struct ss_stretch at = *stored;
    struct before before;
    uint64_t form, size, sources;
    if (!take_number(&at, &form) || form != FORM || !take_number(&at, &size) ||
        !take_number(&at, &sources))
        return damaged(error, "how its body is told cannot be read");
    if (size > SS_ROW_SHORT_SIZE_MAX || sources > SS_ROW_SOURCES_MAX)
        return ss_error_set(error, SS_ELIMIT,
            "a short journal row says that it has %llu bytes and repeats %llu "
            "values; the limits are %zu and %d",
            (unsigned long long)size, (unsigned long long)sources,
            SS_ROW_SHORT_SIZE_MAX, SS_ROW_SOURCES_MAX);
    before_init(&before, row, (size_t)sources);
    int status = SS_OK;
    for (uint64_t i = 0; i < sources && status == SS_OK; i++)
        status = source_take(row, &at, earlier, &before, error);
    if (status == SS_OK && ss_repeats_restore(before.items, before.count, &at,
                               (size_t)size, ret) != SS_OK)
        status = damaged(error, "its pieces do not make its body");
    before_fini(&before);
    return status;
}
