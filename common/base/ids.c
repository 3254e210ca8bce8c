// ids.c - identifiers and their hashes.
#include "common/base/ids.h"

#define XXH_INLINE_ALL
#include <nettle/sha1.h>
#include <xxhash.h>

#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/check.h"
#include "common/base/mem.h"

// 1582-10-15 to 1970-01-01 in units of 100 ns.
#define TICKS_TO_1970 UINT64_C(0x01B21DD213814000)

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

static inline void put_u32(uint8_t *to, uint32_t value)
{
    to[0] = (uint8_t)(value >> 24);
    to[1] = (uint8_t)(value >> 16);
    to[2] = (uint8_t)(value >> 8);
    to[3] = (uint8_t)value;
}

static inline void put_u64(uint8_t *to, uint64_t value)
{
    put_u32(to, (uint32_t)(value >> 32));
    put_u32(to + 4, (uint32_t)value);
}

static inline uint64_t read_u32(const uint8_t *from)
{
    return (uint64_t)from[0] << 24 | (uint64_t)from[1] << 16 |
           (uint64_t)from[2] << 8 | from[3];
}

static uint64_t read_u64(const uint8_t *from)
{
    return read_u32(from) << 32 | read_u32(from + 4);
}

// The eight digits of four bytes, the first one highest.
static inline uint64_t digits_of(uint32_t bytes)
{
    uint64_t apart = bytes;
    apart = (apart | apart << 16) & UINT64_C(0x0000ffff0000ffff);
    apart = (apart | apart << 8) & UINT64_C(0x00ff00ff00ff00ff);
    uint64_t values = (apart | apart << 4) & EACH(15);
    uint64_t above = (values + EACH(6)) >> 4 & EACH(1); // nine
    return values + EACH('0') + above * ('a' - '0' - 10);
}

// 8-4-4-4-12 digits. A run of three nodes has a dozen: all are made at once.
static void uuid_write(uint64_t high, uint64_t low, char ret_uuid[SS_UUID_SIZE])
{
    uint64_t second = digits_of((uint32_t)high);
    uint64_t third = digits_of((uint32_t)(low >> 32));
    uint8_t *to = (uint8_t *)ret_uuid;
    put_u64(to, digits_of((uint32_t)(high >> 32)));
    put_u32(to + 9, (uint32_t)(second >> 32));
    put_u32(to + 14, (uint32_t)second);
    put_u32(to + 19, (uint32_t)(third >> 32));
    put_u32(to + 24, (uint32_t)third);
    put_u64(to + 28, digits_of((uint32_t)low));
    to[8] = to[13] = to[18] = to[23] = '-';
    to[SS_UUID_SIZE - 1] = '\0';
}

static void hash128(const void *bytes, size_t size, uint8_t ret_digest[16])
{
    XXH128_hash_t hash = XXH3_128bits(bytes, size);
    put_u64(ret_digest, hash.high64);
    put_u64(ret_digest + 8, hash.low64);
}

void ss_uuid_text(const uint8_t bytes[16], char ret_uuid[SS_UUID_SIZE])
{
    uuid_write(read_u64(bytes), read_u64(bytes + 8), ret_uuid);
}

void ss_hash_hex(const void *bytes, size_t size, char ret_hex[SS_HEX128_SIZE])
{
    XXH128_hash_t hash = XXH3_128bits(bytes, size);
    uint8_t *to = (uint8_t *)ret_hex;
    put_u64(to, digits_of((uint32_t)(hash.high64 >> 32)));
    put_u64(to + 8, digits_of((uint32_t)hash.high64));
    put_u64(to + 16, digits_of((uint32_t)(hash.low64 >> 32)));
    put_u64(to + 24, digits_of((uint32_t)hash.low64));
    to[SS_HEX128_SIZE - 1] = '\0';
}

uint64_t ss_hash64(const void *bytes, size_t size)
{
    return XXH3_64bits(bytes, size);
}

void ss_uuid6(
    uint64_t ticks, int64_t step, uint64_t node, char ret_uuid[SS_UUID_SIZE])
{
    uint64_t clock = (uint64_t)step & 0x3fff;
    uuid_write((ticks >> 12) << 16 | UINT64_C(0x6000) | (ticks & 0xfff),
        UINT64_C(1) << 63 | clock << 48 | (node & UINT64_C(0xffffffffffff)),
        ret_uuid);
}

uint64_t ss_uuid6_ticks(int64_t wall_us)
{
    return (uint64_t)wall_us * 10 + TICKS_TO_1970;
}

int64_t ss_uuid6_wall_us(uint64_t ticks)
{
    return (int64_t)((ticks - TICKS_TO_1970) / 10);
}

uint64_t ss_uuid6_read(const char *uuid)
{
    uint8_t bytes[16];
    if (!ss_uuid_parse(uuid, bytes) || bytes[6] >> 4 != 6)
        return 0;
    uint64_t high = read_u64(bytes);
    return (high >> 16) << 12 | (high & 0xfff);
}

void ss_uuid4(uint64_t high, uint64_t low, char ret_uuid[SS_UUID_SIZE])
{
    uuid_write((high & ~UINT64_C(0xf000)) | UINT64_C(0x4000),
        low << 2 >> 2 | UINT64_C(1) << 63, ret_uuid);
}

void ss_uuid5(
    const char *namespace_uuid, const char *name, char ret_uuid[SS_UUID_SIZE])
{
    uint8_t space[16], digest[SHA1_DIGEST_SIZE];
    struct sha1_ctx sha1;
    sha1_init(&sha1);
    if (ss_uuid_parse(namespace_uuid, space))
        sha1_update(&sha1, sizeof(space), space);
    else
        sha1_update(
            &sha1, strlen(namespace_uuid), (const uint8_t *)namespace_uuid);
    sha1_update(&sha1, strlen(name), (const uint8_t *)name);
    sha1_digest(&sha1, sizeof(digest), digest);
    digest[6] = (uint8_t)((digest[6] & 0x0f) | 0x50);
    digest[8] = (uint8_t)((digest[8] & 0x3f) | 0x80);
    ss_uuid_text(digest, ret_uuid);
}

static inline uint64_t four_at(const char *at)
{
    return (uint64_t)(uint8_t)at[0] | (uint64_t)(uint8_t)at[1] << 8 |
           (uint64_t)(uint8_t)at[2] << 16 | (uint64_t)(uint8_t)at[3] << 24;
}

// Eight digits at once, the first one lowest, make four bytes, the first one
// lowest. Each is taken for what it would be as a digit, and is one if that
// gives the same letter again: *wrong stays zero. A letter's bit `upper` may be
// missing.
static inline uint32_t digits_read(
    const char *first, const char *second, unsigned upper, uint64_t *wrong)
{
    uint64_t text = four_at(first) | four_at(second) << 32;
    uint64_t letters = text >> 6 & EACH(1);
    text |= letters * upper;
    uint64_t values = (text & EACH(15)) + letters * 9;
    uint64_t above = (values + EACH(6)) >> 4 & EACH(1); // nine
    uint64_t again = values + EACH('0') + above * ('a' - '0' - 10);
    *wrong |= (again ^ text) | (values & EACH(0xf0));
    values = (values << 4 | values >> 8) & UINT64_C(0x00ff00ff00ff00ff);
    values = (values | values >> 8) & UINT64_C(0x0000ffff0000ffff);
    return (uint32_t)(values | values >> 16);
}

static inline void put_four(uint8_t *to, uint32_t bytes)
{
    to[0] = (uint8_t)bytes;
    to[1] = (uint8_t)(bytes >> 8);
    to[2] = (uint8_t)(bytes >> 16);
    to[3] = (uint8_t)(bytes >> 24);
}

// `upper`: the bit that a letter of the other case lacks; 0: only as we write.
static bool uuid_read(const char *uuid, unsigned upper, uint8_t ret_bytes[16])
{
    uint64_t wrong = 0;
    if (strnlen(uuid, SS_UUID_SIZE) != SS_UUID_SIZE - 1 || uuid[8] != '-' ||
        uuid[13] != '-' || uuid[18] != '-' || uuid[23] != '-')
        return false;
    uint32_t first = digits_read(uuid, uuid + 4, upper, &wrong);
    uint32_t second = digits_read(uuid + 9, uuid + 14, upper, &wrong);
    uint32_t third = digits_read(uuid + 19, uuid + 24, upper, &wrong);
    uint32_t fourth = digits_read(uuid + 28, uuid + 32, upper, &wrong);
    if (wrong)
        return false;
    put_four(ret_bytes, first);
    put_four(ret_bytes + 4, second);
    put_four(ret_bytes + 8, third);
    put_four(ret_bytes + 12, fourth);
    return true;
}

bool ss_uuid_parse(const char *uuid, uint8_t ret_bytes[16])
{
    return uuid_read(uuid, 32, ret_bytes);
}

bool ss_uuid_parse_canonical(const char *uuid, uint8_t ret_bytes[16])
{
    return uuid_read(uuid, 0, ret_bytes);
}

void ss_task_uuid(const char *checkpoint_id, int format,
    const char *const *parts, size_t count, char ret_uuid[SS_UUID_SIZE])
{
    uint8_t raw[16], digest[SHA1_DIGEST_SIZE];
    struct ss_buf text;
    ss_buf_init(&text, SIZE_MAX / 8);
    if (ss_uuid_parse(checkpoint_id, raw))
        ss_buf_add(&text, raw, sizeof(raw));
    else
        ss_buf_add_str(&text, checkpoint_id);
    for (size_t i = 0; i < count; i++)
        ss_buf_add_str(&text, parts[i]);
    ss_check(text.status == SS_OK);
    if (format > 1) {
        hash128(ss_buf_str(&text), text.size, digest);
    } else {
        struct sha1_ctx sha1;
        sha1_init(&sha1);
        sha1_update(&sha1, text.size, (const uint8_t *)ss_buf_str(&text));
        sha1_digest(&sha1, sizeof(digest), digest);
    }
    ss_buf_fini(&text);
    ss_uuid_text(digest, ret_uuid);
}

size_t ss_task_seed(const char *checkpoint_id, char *ret)
{
    if (ss_uuid_parse(checkpoint_id, (uint8_t *)ret))
        return SS_UUID_BYTES;
    size_t size = 0;
    for (; checkpoint_id[size]; size++)
        ret[size] = checkpoint_id[size];
    return size;
}

void ss_task_uuid_of(
    const char *bytes, size_t size, char ret_uuid[SS_UUID_SIZE])
{
    XXH128_hash_t hash = XXH3_128bits(bytes, size);
    uuid_write(hash.high64, hash.low64, ret_uuid);
}

void ss_interrupt_id(
    const char *ns, size_t answers, char ret_hex[SS_HEX128_SIZE])
{
    if (answers == 0) {
        ss_hash_hex(ns, strlen(ns), ret_hex);
        return;
    }
    char *text = ss_format("%s|%zu", ns, answers);
    ss_hash_hex(text, strlen(text), ret_hex);
    ss_free(text);
}

// The civil date of a day since 1970-01-01 (Hinnant, "chrono-compatible
// low-level date algorithms": eras of 400 years that begin in March).
static void date_of(
    int64_t day, int64_t *ret_year, int *ret_month, int *ret_day)
{
    day += 719468;
    int64_t era = (day >= 0 ? day : day - 146096) / 146097;
    int64_t of_era = day - era * 146097;
    int64_t year =
        (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
    int64_t month = (5 * of_year + 2) / 153;
    *ret_day = (int)(of_year - (153 * month + 2) / 5 + 1);
    *ret_month = (int)(month < 10 ? month + 3 : month - 9);
    *ret_year = year + era * 400 + (*ret_month <= 2);
}

size_t ss_number_text(uint64_t number, char ret_text[SS_NUMBER_SIZE])
{
    static const char pairs[] = "00010203040506070809"
                                "10111213141516171819"
                                "20212223242526272829"
                                "30313233343536373839"
                                "40414243444546474849"
                                "50515253545556575859"
                                "60616263646566676869"
                                "70717273747576777879"
                                "80818283848586878889"
                                "90919293949596979899";
    char digits[SS_NUMBER_SIZE];
    size_t from = sizeof(digits);
    digits[--from] = '\0';
    while (number >= 10) {
        size_t pair = (size_t)(number % 100) * 2;
        number /= 100;
        digits[--from] = pairs[pair + 1];
        digits[--from] = pairs[pair];
    }
    if (number > 0 || from == sizeof(digits) - 1)
        digits[--from] = (char)('0' + (int)number);
    memcpy(ret_text, digits + from, sizeof(digits) - from);
    return sizeof(digits) - from - 1;
}

void ss_time_text(int64_t wall_us, char ret_text[SS_TIME_SIZE])
{
    const int64_t day_us = INT64_C(86400000000);
    int64_t days = wall_us / day_us;
    int64_t rest = wall_us % day_us;
    if (rest < 0) {
        rest += day_us;
        days--;
    }
    int64_t year;
    int month, day;
    date_of(days, &year, &month, &day);
    int seconds = (int)(rest / 1000000);
    int size = snprintf(ret_text, SS_TIME_SIZE,
        "%04lld-%02d-%02dT%02d:%02d:%02d.%06d+00:00", (long long)year, month,
        day, seconds / 3600, seconds / 60 % 60, seconds % 60,
        (int)(rest % 1000000));
    ss_check(size > 0 && size < SS_TIME_SIZE);
}

// Days since 1970-01-01: date_of() the other way round.
static int64_t day_of(int64_t year, int month, int day)
{
    year -= month <= 2;
    int64_t era = year / 400; // years are not negative
    int64_t of_era = year - era * 400;
    int64_t of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year +
           day - 1 - 719468;
}

// Read `count` digits, a number up to `most`, and move behind them; false: they
// are not there.
static bool take_digits(const char **text, int count, int most, int *ret)
{
    int number = 0;
    for (int i = 0; i < count; i++, (*text)++) {
        if (**text < '0' || **text > '9')
            return false;
        number = number * 10 + (**text - '0');
    }
    *ret = number;
    return number <= most;
}

static bool take_letter(const char **text, char letter)
{
    if (**text != letter)
        return false;
    (*text)++;
    return true;
}

// "", ".5" or ".123456", in microseconds.
static bool take_fraction(const char **text, int *ret_us)
{
    int us = 0, scale = 100000;
    if (take_letter(text, '.')) {
        if (**text < '0' || **text > '9')
            return false;
        for (; **text >= '0' && **text <= '9'; (*text)++, scale /= 10) {
            if (scale == 0)
                return false;
            us += (**text - '0') * scale;
        }
    }
    *ret_us = us;
    return true;
}

// "Z", or "+02:00", in minutes.
static bool take_offset(const char **text, int *ret_minutes)
{
    int hours, minutes;
    if (take_letter(text, 'Z')) {
        *ret_minutes = 0;
        return true;
    }
    bool is_west = **text == '-';
    if (!is_west && **text != '+')
        return false;
    (*text)++;
    if (!take_digits(text, 2, 23, &hours) || !take_letter(text, ':') ||
        !take_digits(text, 2, 59, &minutes))
        return false;
    *ret_minutes = (is_west ? -1 : 1) * (hours * 60 + minutes);
    return true;
}

bool ss_time_read(const char *text, int64_t *ret_wall_us)
{
    int year, month, day, hour, minute, second, us, offset;
    if (!take_digits(&text, 4, 9999, &year) || !take_letter(&text, '-') ||
        !take_digits(&text, 2, 12, &month) || !take_letter(&text, '-') ||
        !take_digits(&text, 2, 31, &day) || month < 1 || day < 1 || year < 1)
        return false;
    if (!take_letter(&text, 'T') && !take_letter(&text, ' '))
        return false;
    if (!take_digits(&text, 2, 23, &hour) || !take_letter(&text, ':') ||
        !take_digits(&text, 2, 59, &minute) || !take_letter(&text, ':') ||
        !take_digits(&text, 2, 59, &second) || !take_fraction(&text, &us) ||
        !take_offset(&text, &offset) || *text != '\0')
        return false;
    int64_t minutes =
        day_of(year, month, day) * 1440 + (int64_t)hour * 60 + minute - offset;
    *ret_wall_us = (minutes * 60 + second) * 1000000 + us;
    return true;
}
