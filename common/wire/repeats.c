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
    HASHED = 4,      // bytes that are looked for together
    SHORTEST = 6,    // what is not longer is told again: a place takes 3 bytes
    STRIDE = 4,      // of the places that are kept of what stands before
    STRIDE_MAX = 8,  // in text that repeats nothing
    PATIENCE = 32,   // places without a find before the stride grows by one
    BITS_MIN = 8,    // of the hash: a place for each four bytes of text
    BITS_FIRST = 11, // more of them have a table of their own
    BITS_MAX = 20,
    NUMBER_SIZE = 10, // bytes of the largest number
};

static size_t size_of_all(const struct ss_stretch *before, size_t count)
{
    size_t size = DICTIONARY_SIZE;
    for (size_t i = 0; i < count; i++)
        size += before[i].size;
    return size;
}

// All of them, and room for `size` bytes behind them. Gives.
static uint8_t *together(
    const struct ss_stretch *before, size_t count, size_t size)
{
    ss_check(before || count == 0);
    uint8_t *text = ss_alloc(size_of_all(before, count) + size);
    uint8_t *at = text + DICTIONARY_SIZE;
    memcpy(text, dictionary, DICTIONARY_SIZE);
    for (size_t i = 0; i < count; i++) {
        if (before[i].size > 0)
            memcpy(at, before[i].bytes, before[i].size);
        at += before[i].size;
    }
    return text;
}

// ------------------------------------------------ shorter

struct search {
    const uint8_t *text;
    size_t at, end, told; // what is looked at; what the pieces tell so far
    uint32_t *places;     // by hash, + 1; 0: none
    unsigned bits;
    uint8_t *pieces, *to, *to_max;
    bool is_long; // there is no room for the pieces
    uint32_t first[1 << BITS_FIRST];
};

static uint32_t four_bytes(const uint8_t *at)
{
    uint32_t number;
    memcpy(&number, at, sizeof(number));
    return number;
}

static uint32_t *place_of(struct search *it, size_t at)
{
    const uint32_t spread = 2654435761u; // 2^32 by the golden ratio
    return &it->places[four_bytes(it->text + at) * spread >> (32 - it->bits)];
}

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

// What stands at `from` stands here, too, perhaps longer, or from further back.
static bool take(struct search *it, size_t from)
{
    size_t at = it->at, size = HASHED;
    ss_check(it->told <= at && from < at);
    while (at + size < it->end && it->text[from + size] == it->text[at + size])
        size++;
    while (
        from > 0 && at > it->told && it->text[from - 1] == it->text[at - 1]) {
        from--;
        at--;
        size++;
    }
    if (size < SHORTEST)
        return false;
    put_own(it, at);
    put_stretch(it, from, size);
    it->at = at + size;
    return true;
}

static void find_all(struct search *it)
{
    size_t missed = 0;
    while (it->at + HASHED <= it->end && !it->is_long) {
        uint32_t *place = place_of(it, it->at);
        size_t from = *place;
        *place = (uint32_t)it->at + 1;
        if (from > 0 &&
            four_bytes(it->text + from - 1) == four_bytes(it->text + it->at) &&
            take(it, from - 1)) {
            missed = 0;
            continue;
        }
        size_t stride = 1 + missed++ / PATIENCE;
        it->at += stride < STRIDE_MAX ? stride : STRIDE_MAX;
    }
    put_own(it, it->end);
}

bool ss_repeats_shorten(const struct ss_stretch *before, size_t count,
    const struct ss_stretch *text, size_t size_max, struct ss_buf *ret)
{
    struct search it;
    size_t known = size_of_all(before, count);
    ss_check(known + text->size < UINT32_MAX);
    uint8_t *all = together(before, count, text->size);
    if (text->size > 0)
        memcpy(all + known, text->bytes, text->size);
    it.text = all;
    it.at = it.told = known;
    it.end = known + text->size;
    it.is_long = false;
    it.bits = BITS_MIN;
    while (it.bits < BITS_MAX && (size_t)HASHED << it.bits < it.end)
        it.bits++;
    ss_check(it.bits >= BITS_MIN && it.bits <= BITS_MAX);
    size_t places = (size_t)1 << it.bits;
    it.places =
        it.bits > BITS_FIRST ? ss_alloc(places * sizeof(*it.places)) : it.first;
    memset(it.places, 0, places * sizeof(*it.places));
    for (size_t at = 0; at + HASHED <= known; at += STRIDE)
        *place_of(&it, at) = (uint32_t)at + 1;
    it.pieces = it.to = ss_alloc(size_max + 2 * (size_t)NUMBER_SIZE);
    it.to_max = it.pieces + size_max + 2 * (size_t)NUMBER_SIZE;
    find_all(&it);
    ss_check(it.to <= it.to_max && (it.is_long || it.told == it.end));
    size_t size = (size_t)(it.to - it.pieces);
    bool is_shorter = !it.is_long && size < size_max;
    is_shorter = is_shorter && ss_buf_add(ret, it.pieces, size) == SS_OK;
    ss_free(it.pieces);
    if (it.places != it.first)
        ss_free(it.places);
    ss_free(all);
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
    uint8_t *text = together(before, count, size);
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
