// ids.h - identifiers and their hashes (spec/engine.md R1.3, R3.12, section
// 16).
//
// UUIDs are made by hand, because libuuid takes the time and its randomness
// from the system: here the caller gives both, so that a seed decides all ids
// of a simulated run. Hashes are xxHash's and nettle's.
#ifndef SS_BASE_IDS_H
#define SS_BASE_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { SS_UUID_SIZE = 37, SS_HEX128_SIZE = 33, SS_TIME_SIZE = 40 };
enum { SS_NUMBER_SIZE = 21, SS_UUID_BYTES = 16 };

// The owner of writes that belong to no task (spec/engine.md, vocabulary).
#define SS_NULL_TASK "00000000-0000-0000-0000-000000000000"

// 128 bits of XXH3 (seed 0) as text: high half first, lower-case hex.
void ss_hash_hex(const void *bytes, size_t size, char ret_hex[SS_HEX128_SIZE]);
// 64 bits of XXH3, for tables and checksums.
uint64_t ss_hash64(const void *bytes, size_t size);

// A UUID of version 6 (R1.3). `ticks`: 100 ns since 1582-10-15; the caller
// makes sure that they ascend. clock_seq := step & 0x3fff. `node`: 48 random
// bits.
void ss_uuid6(
    uint64_t ticks, int64_t step, uint64_t node, char ret_uuid[SS_UUID_SIZE]);
// The ticks of a wall time in microseconds since 1970.
uint64_t ss_uuid6_ticks(int64_t wall_us);
// The ticks that a version 6 UUID holds; 0 if it is not one.
uint64_t ss_uuid6_read(const char *uuid);
// The wall time of these ticks in microseconds, cut off below.
int64_t ss_uuid6_wall_us(uint64_t ticks);

// UUID of version 4 from 128 given bits (no randomness of its own).
void ss_uuid4(uint64_t high, uint64_t low, char ret_uuid[SS_UUID_SIZE]);
// UUID of version 5 (SHA-1) of `name` in the namespace `uuid` (R9.13).
void ss_uuid5(
    const char *namespace_uuid, const char *name, char ret_uuid[SS_UUID_SIZE]);
// Text to 16 bytes; false if it is not a UUID.
bool ss_uuid_parse(const char *uuid, uint8_t ret_bytes[16]);
// The same, and false for one with upper-case letters: ss_uuid_text() gives the
// same text again.
bool ss_uuid_parse_canonical(const char *uuid, uint8_t ret_bytes[16]);
void ss_uuid_text(const uint8_t bytes[16], char ret_uuid[SS_UUID_SIZE]);

// Task id (R3.12): hash of the checkpoint id's 16 raw bytes and the parts
// without separators, formatted 8-4-4-4-12. `format` is checkpoint.v: SHA-1 if
// it is 1 or less. An id that is not a UUID is hashed as text.
void ss_task_uuid(const char *checkpoint_id, int format,
    const char *const *parts, size_t count, char ret_uuid[SS_UUID_SIZE]);

// The same in two steps, for who puts the bytes together: the checkpoint id as
// it is hashed, into a buffer of at least SS_UUID_BYTES and its length; returns
// its size. Then the id of format 2 and later of all bytes.
size_t ss_task_seed(const char *checkpoint_id, char *ret);
void ss_task_uuid_of(
    const char *bytes, size_t size, char ret_uuid[SS_UUID_SIZE]);

// Interrupt id (R7.4): hash of `ns`, or of `ns|answers` where answers > 0.
void ss_interrupt_id(
    const char *ns, size_t answers, char ret_hex[SS_HEX128_SIZE]);

// The number in decimal, as a key of a map; gives its size without the NUL.
size_t ss_number_text(uint64_t number, char ret_text[SS_NUMBER_SIZE]);

// ISO-8601 UTC with microseconds and "+00:00".
void ss_time_text(int64_t wall_us, char ret_text[SS_TIME_SIZE]);
// The wall time of an ISO-8601 text: date, T or a space, time, up to six digits
// of a fraction, and Z or an offset. False: it is not one.
bool ss_time_read(const char *text, int64_t *ret_wall_us);

// Copy as much of the id as fits.
static inline void ss_id_copy(char to[SS_UUID_SIZE], const char *from)
{
    size_t size = strnlen(from, SS_UUID_SIZE - 1);
    memcpy(to, from, size);
    memset(to + size, 0, SS_UUID_SIZE - size);
}

// The same of an id that lies in such a place, too.
static inline void ss_id_put(
    char to[SS_UUID_SIZE], const char from[SS_UUID_SIZE])
{
    memcpy(to, from, SS_UUID_SIZE);
}

static inline uint64_t ss_id_word(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof(word));
    return word;
}

// They are the same text. Both lie in such places, so most often their bytes
// are the same up to the end; what stands behind a shorter one does not count.
static inline bool ss_id_same(
    const char left[SS_UUID_SIZE], const char right[SS_UUID_SIZE])
{
    enum { LAST = SS_UUID_SIZE - 8 };
    uint64_t differ = ss_id_word(left) ^ ss_id_word(right);
    differ |= ss_id_word(left + 8) ^ ss_id_word(right + 8);
    differ |= ss_id_word(left + 16) ^ ss_id_word(right + 16);
    differ |= ss_id_word(left + 24) ^ ss_id_word(right + 24);
    differ |= ss_id_word(left + LAST) ^ ss_id_word(right + LAST);
    return differ == 0 || strcmp(left, right) == 0;
}

#endif
