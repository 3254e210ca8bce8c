// repeats.c - find what stands already; put it where it is named.
//
// The search keeps, for each hash of four bytes, the last place where they
// stood. What it meets is looked at in both directions, so a long stretch is
// found whole though only some of its places were kept. Text that repeats
// nothing is passed in longer and longer strides.
#include "common/wire/repeats.h"

#include <stdint.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/wire/row_limits.h"

// What rows say again and again. Rows that are stored were shortened with it:
// it never changes. Another one would be another format.
static const char dictionary[] =
    "{\"name\":\"\",\"role\":\"\",\"tool_calls\":[{\"name\":\"\",\"args\":{"
    "\"id\":\""
    "{\"$send\":{\"node\":\"\",\"arg\":{\"m\":\"values\",\"d\":{"
    "\"command\":{\"resume\":\"interrupt_before\":[\"\"durability\":\"async\","
    "\"config\":{\"metadata\":{\"user\":\"error\",\"message\":\"\",\"code\":\""
    "[{\"value\":{\"question\":\"\",\"id\":\"\"response_schema\":"
    "\"interrupted\",\"output\":{\"failed\",\"interrupts\":[{\"task\":\""
    "\x1a\x1a~__pregel_push, \"__pregel_tasks\"__no_writes__"
    "__interrupt____resume____error__\x1a\x0b\n\t__input__"
    "{\"run\":\"\",\"thread\":\"\",\"status\":\"done\",\"output\":null,"
    "\"interrupts\":[],\"stats\":{\"supersteps\":2,\"tasks\":2,"
    "\"restored\":0}}Z\x02\x08\x02y"
    "{\"graph\":\"\",\"version\":\"\",\"request\":{\"graph\":\"\",\"thread\":\""
    "\",\"input\":{\"messages\":[{\"type\":\"ai\",\"content\":\""
    "\"},{\"type\":\"human\",\"content\":\"\",\"id\":\"\"}]"
    "}]},\"recursion_limit\":1000000000,\"output_keys\":[],"
    "\"stream_mode\":[\"updates\"],\"run\":\"\"},\"created_us\":17"
    "\",\"stop\":10000000,\"base\":\"\"}:"
    "\x12\n\t__start__\x10\"\x0b\n\t__start__Z\x02\x08\x02Z\x02\x08\x04y"
    "\x1a\x19~__pregel_pull, __start__\"\x0c\x08\x00\x12\x08messages"
    "\"\x08\x00\x12\x0d"
    "branch:to:\"\x04null:\x12\x0f\n\t__start__\x10\x04\x18\x01\x12\x13\n\r"
    "branch:to:\x10\x04*\x04null\x12\x1a\x1a\n\t__start__\x12\r\n\t__start__"
    "\x10\x02\"\x19\n\rbranch:to:\n\x08messagesZ\x14\x08\x05*\x10Z\x02\x08\x06"
    "Z\x02\x08\x02Z\x02\x08\x04y";

enum {
    DICTIONARY_SIZE = sizeof(dictionary) - 1,
    WORD = 8,       // bytes that are compared together
    HASHED = 4,     // bytes that are looked for together
    SHORTEST = 6,   // what is not longer is told again: a place takes 3 bytes
    STRIDE = 4,     // of the places that are kept of what stands before
    STRIDE_MAX = 8, // in text that repeats nothing
    PATIENCE = 32,  // places without a find before the stride grows by one
    BITS_MIN = 8,   // of the hash: a place for each four bytes of text
    BITS_MAX = 20,
    KNOWN_BITS = 11,  // of the dictionary's: it has a place for each byte
    NUMBER_SIZE = 10, // bytes of the largest number
};

static size_t size_of_all(const struct ss_stretch *before, size_t count)
{
    size_t size = DICTIONARY_SIZE;
    for (size_t i = 0; i < count; i++)
        size += before[i].size;
    return size;
}

static uint8_t *put_bytes(uint8_t *to, const struct ss_stretch *stretch)
{
    if (stretch->size > 0)
        memcpy(to, stretch->bytes, stretch->size);
    return to + stretch->size;
}

// ------------------------------------------------ what is kept

struct ss_shortener {
    uint16_t known[1 << KNOWN_BITS]; // places in the dictionary, + 1; 0: none
    struct ss_buf text;              // the dictionary, and what came behind it
    uint32_t *places;                // the same of what stands behind it
    unsigned bits;                   // there are so many of them
};

static uint32_t four_bytes(const uint8_t *at)
{
    uint32_t number;
    memcpy(&number, at, sizeof(number));
    return number;
}

static uint64_t word_at(const uint8_t *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof(word));
    return word;
}

static uint32_t spread(uint32_t four)
{
    return four * 2654435761u; // 2^32 by the golden ratio
}

struct ss_shortener *ss_shortener_new(void)
{
    struct ss_shortener *it = ss_zalloc(1, sizeof(*it));
    const uint8_t *text = (const uint8_t *)dictionary;
    for (size_t at = 0; at + HASHED <= DICTIONARY_SIZE; at++)
        it->known[spread(four_bytes(text + at)) >> (32 - KNOWN_BITS)] =
            (uint16_t)(at + 1);
    ss_buf_init(&it->text, SIZE_MAX);
    return it;
}

void ss_shortener_destroy(struct ss_shortener **shortener)
{
    struct ss_shortener *it = *shortener;
    if (!it)
        return;
    *shortener = NULL;
    ss_buf_fini(&it->text);
    ss_free(it->places);
    ss_free(it);
}

// The dictionary, all that stands before, and the text. Borrowed.
static const uint8_t *together(struct ss_shortener *it,
    const struct ss_stretch *before, size_t count,
    const struct ss_stretch *text)
{
    if (it->text.size == 0)
        ss_buf_add(&it->text, dictionary, DICTIONARY_SIZE);
    it->text.size = DICTIONARY_SIZE;
    char *room = ss_buf_room(
        &it->text, size_of_all(before, count) - DICTIONARY_SIZE + text->size);
    ss_check(room && (before || count == 0));
    uint8_t *at = (uint8_t *)room;
    for (size_t i = 0; i < count; i++)
        at = put_bytes(at, &before[i]);
    put_bytes(at, text);
    return (const uint8_t *)it->text.data;
}

// Places for so many bytes, none of which is taken. Returns the bits of their
// number.
static unsigned places_clear(struct ss_shortener *it, size_t size)
{
    unsigned bits = BITS_MIN;
    while (bits < BITS_MAX && (size_t)HASHED << bits < size)
        bits++;
    if (bits > it->bits) {
        ss_free(it->places);
        it->places = ss_alloc(sizeof(*it->places) << bits);
        it->bits = bits;
    }
    memset(it->places, 0, sizeof(*it->places) << bits);
    return bits;
}

// Few texts are large; of such a one no memory is kept.
static void rest(struct ss_shortener *it)
{
    if (it->text.capacity <= SS_SHORTENER_KEPT)
        return;
    ss_buf_fini(&it->text);
    ss_free(it->places);
    it->places = NULL;
    it->bits = 0;
}

// ------------------------------------------------ shorter

struct search {
    const uint8_t *text;
    size_t at, end, told; // what is looked at; what the pieces tell so far
    const uint16_t *known;
    uint32_t *places; // by hash, + 1; 0: none
    unsigned bits;
    uint8_t *to, *to_max; // of the pieces
    bool is_long;         // there is no room for them
};

static void put_number(struct search *it, uint64_t number)
{
    for (; number > 127; number >>= 7)
        *it->to++ = (uint8_t)(number | 128);
    *it->to++ = (uint8_t)number;
    ss_check(it->to <= it->to_max);
}

static bool has_room(struct search *it, size_t size)
{
    it->is_long = it->is_long || (size_t)(it->to_max - it->to) <
                                     size + 2 * (size_t)NUMBER_SIZE;
    return !it->is_long;
}

// Bytes of its own, up to `end`.
static void put_own(struct search *it, size_t end)
{
    ss_check(it->told <= end && end <= it->end);
    size_t size = end - it->told;
    if (size == 0 || !has_room(it, size))
        return;
    put_number(it, (uint64_t)(size - 1) << 1);
    memcpy(it->to, it->text + it->told, size);
    it->to += size;
    it->told = end;
}

static void put_stretch(struct search *it, size_t from, size_t size)
{
    if (!has_room(it, 0))
        return;
    put_number(it, (uint64_t)(size - HASHED) << 1 | 1);
    ss_check(from < it->told && size >= SHORTEST);
    put_number(it, it->told - from - 1);
    it->told += size;
    ss_check(it->told <= it->end);
}

// How many bytes from `left` and `right` on are the same, of at most `size`.
static size_t same_ahead(const uint8_t *left, const uint8_t *right, size_t size)
{
    size_t same = 0;
    while (same + WORD <= size && word_at(left + same) == word_at(right + same))
        same += WORD;
    while (same < size && left[same] == right[same])
        same++;
    return same;
}

// The same of those before them.
static size_t same_behind(
    const uint8_t *left, const uint8_t *right, size_t size)
{
    size_t same = 0;
    while (same + WORD <= size &&
           word_at(left - same - WORD) == word_at(right - same - WORD))
        same += WORD;
    while (same < size && *(left - same - 1) == *(right - same - 1))
        same++;
    return same;
}

// What stands at `from` stands here, too, perhaps longer, or from further back.
static bool take(struct search *it, size_t from)
{
    size_t at = it->at, size = HASHED;
    ss_check(it->told <= at && from < at);
    size += same_ahead(
        it->text + from + size, it->text + at + size, it->end - at - size);
    size_t most = from < at - it->told ? from : at - it->told;
    size_t back = same_behind(it->text + from, it->text + at, most);
    from -= back;
    at -= back;
    size += back;
    if (size < SHORTEST)
        return false;
    put_own(it, at);
    put_stretch(it, from, size);
    it->at = at + size;
    return true;
}

// The place of what begins with these four bytes, + 1, holds them; 0: none.
static inline bool stands(const uint8_t *text, size_t place, uint32_t four)
{
    return place > 0 && four_bytes(text + place - 1) == four;
}

// What stands before is kept, and told by none of the pieces.
static void keep_all(const struct search *it, size_t from, size_t to)
{
    const uint8_t *text = it->text;
    uint32_t *places = it->places;
    const unsigned shift = 32 - it->bits;
    for (size_t at = from; at + HASHED <= to; at += STRIDE)
        places[spread(four_bytes(text + at)) >> shift] = (uint32_t)at + 1;
}

// Each place is looked at once: what it reads stays in registers.
static void find_all(struct search *it)
{
    const uint8_t *text = it->text;
    const uint16_t *known = it->known;
    uint32_t *places = it->places;
    const unsigned shift = 32 - it->bits;
    size_t missed = 0, at = it->at, end = it->end;
    ss_check(at >= it->told && shift < 32);
    while (at + HASHED <= end) {
        uint32_t four = four_bytes(text + at), hash = spread(four);
        size_t newest = places[hash >> shift];
        places[hash >> shift] = (uint32_t)at + 1;
        it->at = at;
        bool is_told = stands(text, newest, four) && take(it, newest - 1);
        if (!is_told) {
            size_t told = known[hash >> (32 - KNOWN_BITS)];
            is_told = stands(text, told, four) && take(it, told - 1);
        }
        if (is_told) {
            missed = 0;
            at = it->at;
            if (it->is_long)
                break;
            continue;
        }
        size_t stride = 1 + missed++ / PATIENCE;
        at += stride < STRIDE_MAX ? stride : STRIDE_MAX;
    }
    put_own(it, end);
}

bool ss_repeats_shorten(struct ss_shortener *shortener,
    const struct ss_stretch *before, size_t count,
    const struct ss_stretch *text, size_t size_max, struct ss_buf *ret)
{
    size_t known = size_of_all(before, count), size_before = ret->size;
    size_t room = size_max + 2 * (size_t)NUMBER_SIZE;
    ss_check(known + text->size < UINT32_MAX);
    struct search it = {.at = known,
        .end = known + text->size,
        .told = known,
        .known = shortener->known};
    it.to = (uint8_t *)ss_buf_room(ret, room);
    if (!it.to)
        return false;
    it.to_max = it.to + room;
    it.text = together(shortener, before, count, text);
    it.bits = places_clear(shortener, it.end - DICTIONARY_SIZE);
    it.places = shortener->places;
    keep_all(&it, DICTIONARY_SIZE, known);
    find_all(&it);
    ss_check(it.to <= it.to_max && (it.is_long || it.told == it.end));
    size_t size = room - (size_t)(it.to_max - it.to);
    bool is_shorter = !it.is_long && size < size_max;
    ret->size = size_before + (is_shorter ? size : 0);
    rest(shortener);
    return is_shorter;
}

// ------------------------------------------------ as it was

struct pieces {
    const uint8_t *at, *end;
};

static bool take_number(struct pieces *pieces, uint64_t *ret)
{
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 63 && pieces->at < pieces->end;
         shift += 7) {
        uint8_t byte = *pieces->at++;
        number |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            *ret = number;
            return true;
        }
    }
    return false;
}

// One piece, to `text` + `at`, of which `room` bytes are free. Returns how many
// bytes it told; 0: it is none.
static size_t restore_one(
    struct pieces *pieces, uint8_t *text, size_t at, size_t room)
{
    uint64_t head, back;
    if (!take_number(pieces, &head))
        return 0;
    if (!(head & 1)) {
        uint64_t size = (head >> 1) + 1;
        if (size > room || size > (size_t)(pieces->end - pieces->at))
            return 0;
        memcpy(text + at, pieces->at, (size_t)size);
        pieces->at += size;
        return (size_t)size;
    }
    uint64_t size = (head >> 1) + HASHED;
    if (size > room || !take_number(pieces, &back) || back >= at)
        return 0;
    const uint8_t *from = text + at - back - 1;
    for (size_t i = 0; i < size; i++) // it may reach into what it makes
        text[at + i] = from[i];
    return (size_t)size;
}

int ss_repeats_restore(const struct ss_stretch *before, size_t count,
    const struct ss_stretch *told, size_t size, struct ss_buf *ret)
{
    struct pieces pieces = {told->bytes, told->bytes};
    size_t known = size_of_all(before, count), at = known, end = known + size;
    uint8_t *text = ss_alloc(end), *to = text + DICTIONARY_SIZE;
    memcpy(text, dictionary, DICTIONARY_SIZE);
    for (size_t i = 0; i < count; i++)
        to = put_bytes(to, &before[i]);
    size_t got = 1;
    pieces.end += told->size;
    while (at < end && got > 0) {
        got = restore_one(&pieces, text, at, end - at);
        ss_check(got <= end - at);
        at += got;
    }
    bool is_all = at == end && pieces.at == pieces.end;
    ss_check(at <= end && pieces.at <= pieces.end);
    int status = is_all ? ss_buf_add(ret, text + known, size) : SS_ECORRUPT;
    ss_free(text);
    return status;
}
