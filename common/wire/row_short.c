// row_short.c - a row's body without what it repeats, and what stands in front
// of it in place of columns; and back.
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

// --- in place of columns ----------------------------------------------------

// The first byte: an ss_source, and what else there is.
enum {
    HEAD_SOURCE = 7,
    HEAD_CHECKPOINT = 8,
    HEAD_KEEPS_RUN = 16,
    HEAD_RUN = 32,
    HEAD_USUAL = 64, // metadata
    HEAD_SHORT = 128,
    STEP_SIZE = 4,
    BACK_SIZE = 2,
    BACK_NOWHERE = 65535, // the parent's id stands here
};

// The highest byte first: views that are made for people read them, too.
static uint8_t *put_high_first(uint8_t *at, uint64_t number, size_t size)
{
    for (size_t i = size; i-- > 0; number >>= 8)
        at[i] = (uint8_t)number;
    return at + size;
}

static uint64_t high_first(const uint8_t *at, size_t size)
{
    uint64_t number = 0;
    for (size_t i = 0; i < size; i++)
        number = number << 8 | at[i];
    return number;
}

bool ss_row_metadata_is_usual(const json_t *metadata)
{
    const json_t *parents = json_object_get(metadata, "parents");
    return json_object_size(metadata) == 1 && json_is_object(parents) &&
           json_object_size(parents) == 0;
}

// Whether its numbers fit in their bytes, and a row without a checkpoint has
// none.
static bool numbers_fit(const struct ss_row *row)
{
    if (!row->checkpoint_id[0])
        return !row->parent_id[0] && row->parent_seq == 0 &&
               row->base_seq == 0 && row->step == 0 &&
               row->source == SS_SOURCE_NONE;
    return row->step >= INT32_MIN && row->step <= INT32_MAX &&
           row->base_seq > 0 && row->base_seq <= row->seq &&
           row->parent_seq < row->seq &&
           (row->parent_seq == 0 ||
               (row->parent_id[0] &&
                   row->seq - row->parent_seq < BACK_NOWHERE));
}

static unsigned back_of(const struct ss_row *row)
{
    return !row->parent_id[0]     ? 0
           : row->parent_seq == 0 ? BACK_NOWHERE
                                  : (unsigned)(row->seq - row->parent_seq);
}

// Add an id, where there is one. False: it is not sixteen bytes.
static bool put_id(uint8_t **at, const char *id)
{
    if (!id[0])
        return true;
    bool fits = ss_uuid_parse_canonical(id, *at);
    *at += fits ? SS_ROW_UUID_SIZE : 0;
    return fits;
}

size_t ss_row_head_put(
    const struct ss_row *row, bool is_short, uint8_t ret[SS_ROW_HEAD_SIZE_MAX])
{
    bool has_checkpoint = row->checkpoint_id[0];
    bool has_run = row->run[0] && !row->sources.keeps_run;
    uint8_t *at = ret;
    *at++ =
        (uint8_t)((int)row->source | (has_checkpoint ? HEAD_CHECKPOINT : 0) |
                  (row->sources.keeps_run ? HEAD_KEEPS_RUN : 0) |
                  (has_run ? HEAD_RUN : 0) |
                  (ss_row_metadata_is_usual(row->metadata) ? HEAD_USUAL : 0) |
                  (is_short ? HEAD_SHORT : 0));
    if (!numbers_fit(row) || !put_id(&at, row->checkpoint_id))
        return 0;
    if (has_checkpoint) {
        at = put_high_first(at, (uint64_t)row->step, STEP_SIZE);
        at = put_high_first(at, back_of(row), BACK_SIZE);
    }
    if ((has_run && !put_id(&at, row->run)) ||
        (back_of(row) == BACK_NOWHERE && !put_id(&at, row->parent_id)))
        return 0;
    if (has_checkpoint)
        at += put_number((char *)at, row->seq - row->base_seq);
    ss_check(at - ret <= SS_ROW_HEAD_SIZE_MAX);
    return (size_t)(at - ret);
}

static const uint8_t *take_bytes(struct ss_stretch *from, size_t size)
{
    const uint8_t *at = from->bytes;
    if (size > from->size)
        return NULL;
    from->bytes = at + size;
    from->size -= size;
    return at;
}

static bool take_id(struct ss_stretch *from, char ret[SS_UUID_SIZE])
{
    const uint8_t *at = take_bytes(from, SS_ROW_UUID_SIZE);
    if (at)
        ss_uuid_text(at, ret);
    return at;
}

static const struct ss_row *row_before(const struct ss_row *row,
    const struct ss_row_finder *earlier, uint64_t back)
{
    return earlier->find && back > 0 && back < row->seq
               ? earlier->find(earlier->ctx, row->seq - back)
               : NULL;
}

// The parent's id is that of the checkpoint in its row.
static bool take_parent(struct ss_stretch *stored,
    const struct ss_row_finder *earlier, uint64_t back, struct ss_row *row)
{
    if (back == 0 || back == BACK_NOWHERE)
        return back == 0 || take_id(stored, row->parent_id);
    const struct ss_row *parent = row_before(row, earlier, back);
    if (!parent || !parent->checkpoint_id[0])
        return false;
    row->parent_seq = parent->seq;
    ss_row_rest_on(row, parent->seq);
    ss_id_copy(row->parent_id, parent->checkpoint_id);
    return true;
}

static bool take_run(struct ss_stretch *stored,
    const struct ss_row_finder *earlier, uint8_t has, struct ss_row *row)
{
    if (!(has & HEAD_KEEPS_RUN))
        return !(has & HEAD_RUN) || take_id(stored, row->run);
    const struct ss_row *before = row_before(row, earlier, 1);
    if (!before)
        return false;
    ss_row_rest_on(row, before->seq);
    ss_id_copy(row->run, before->run);
    return true;
}

int ss_row_head_take(struct ss_stretch *stored,
    const struct ss_row_finder *earlier, struct ss_row *row, bool *ret_short,
    struct ss_error *error)
{
    uint64_t back = 0;
    const uint8_t *first = take_bytes(stored, 1), *place = NULL;
    uint8_t has = first ? *first : 0;
    bool is_there = first && (has & HEAD_SOURCE) <= SS_SOURCE_FORK;
    if (has & HEAD_CHECKPOINT) {
        is_there = is_there && take_id(stored, row->checkpoint_id) &&
                   (place = take_bytes(stored, STEP_SIZE + BACK_SIZE));
    }
    if (!is_there || !take_run(stored, earlier, has, row) ||
        (place && (!take_parent(stored, earlier,
                       high_first(place + STEP_SIZE, BACK_SIZE), row) ||
                      !take_number(stored, &back) || back >= row->seq)))
        return damaged(error, "what stood in columns cannot be read, or is "
                              "that of a row that is not there");
    if (place) {
        row->step = (int32_t)(uint32_t)high_first(place, STEP_SIZE);
        row->base_seq = row->seq - back;
    }
    row->source = (enum ss_source)(has & HEAD_SOURCE);
    if (has & HEAD_USUAL)
        row->metadata = json_pack("{s:{}}", "parents");
    *ret_short = has & HEAD_SHORT;
    return SS_OK;
}

// --- what stands before ------------------------------------------------------

struct before {
    struct ss_stretch *items;         // of the columns, then of the values
    SS_VEC(struct ss_value *) values; // that were taken from rows
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
    memset(&it->values, 0, sizeof(it->values));
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
    for (size_t i = 0; i < it->values.count; i++)
        ss_value_unref(it->values.items[i]);
    SS_VEC_FINI(&it->values);
    if (it->items != it->few)
        ss_free(it->items);
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
    const struct ss_row *from = row_before(row, earlier, back);
    struct ss_value *value = from && from->seq == row->seq - back
                                 ? ss_row_value(from, (size_t)place)
                                 : NULL;
    if (!value)
        return ss_error_set(error, SS_ECORRUPT,
            "a damaged journal row: it repeats what row %llu should hold, and "
            "does not",
            (unsigned long long)(row->seq - back));
    SS_VEC_PUSH(&before->values, value);
    ss_row_rest_on(row, from->seq);
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
