// typed.c - values of classes of other languages, read by an author's code.
#include <stdio.h>
#include <string.h>

#include "common/base/base64.h"
#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/model/opaque.h"
#include "common/model/value.h"
#include "worker/include/superstep/superstep.h"

enum { US = 1000000, DAY_S = 86400, MONTHS = 12, DAYS = 31 };
enum { DAYS_MAX = 100000000 };

bool ss_typed_is(const json_t *value, const char *class_name)
{
    struct ss_typed typed;
    if (!ss_typed_open(value, &typed)) {
        const char *name = ss_opaque_class(value);
        return name && strcmp(name, class_name) == 0;
    }
    size_t size = strlen(typed.module);
    return strncmp(class_name, typed.module, size) == 0 &&
           class_name[size] == '.' &&
           strcmp(class_name + size + 1, typed.name) == 0;
}

json_t *ss_typed_inside(const json_t *value)
{
    struct ss_typed typed;
    return ss_typed_open(value, &typed) ? typed.arg : (json_t *)value;
}

const char *ss_typed_text(const json_t *value)
{
    return json_string_value(ss_typed_inside(value));
}

json_t *ss_typed_list(const json_t *value)
{
    json_t *inside = ss_typed_inside(value);
    return json_is_array(inside) ? inside : NULL;
}

// ---------------------------------------------------------------- time

static int64_t number_at(const json_t *list, size_t index)
{
    return json_integer_value(json_array_get(list, index));
}

// A text that has no zone is taken as UTC.
static bool read_text(const char *text, int64_t *ret_us)
{
    if (ss_time_read(text, ret_us))
        return true;
    char *zoned = ss_format("%sZ", text);
    bool is_time = ss_time_read(zoned, ret_us);
    ss_free(zoned);
    return is_time;
}

static bool read_date(const json_t *parts, int64_t *ret_us)
{
    char text[SS_TIME_SIZE];
    int64_t year = number_at(parts, 0), month = number_at(parts, 1);
    int64_t day = number_at(parts, 2);
    if (json_array_size(parts) != 3 || year < 1 || year > 9999 || month < 1 ||
        month > MONTHS || day < 1 || day > DAYS)
        return false;
    snprintf(text, sizeof(text), "%04d-%02d-%02dT00:00:00Z", (int)year,
        (int)month, (int)day);
    return ss_time_read(text, ret_us);
}

// The members of a time of day, or of a timedelta, as Python keeps them.
static bool add_us(int64_t hours, int64_t minutes, int64_t seconds, int64_t us,
    int64_t *ret_us)
{
    if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59 || seconds < 0 ||
        seconds >= DAY_S || us < 0 || us >= US)
        return false;
    *ret_us += ((hours * 60 + minutes) * 60 + seconds) * US + us;
    return true;
}

static bool read_clock(const json_t *fields, int64_t *ret_us)
{
    return json_is_object(fields) &&
           add_us(ss_json_int(fields, "hour", 0),
               ss_json_int(fields, "minute", 0),
               ss_json_int(fields, "second", 0),
               ss_json_int(fields, "microsecond", 0), ret_us);
}

// Days, seconds and microseconds.
static bool read_span(const json_t *parts, int64_t *ret_us)
{
    int64_t days = number_at(parts, 0);
    if (json_array_size(parts) != 3 || days > DAYS_MAX || days < -DAYS_MAX)
        return false;
    *ret_us = days * DAY_S * US; // fits: DAYS_MAX
    return add_us(0, 0, number_at(parts, 1), number_at(parts, 2), ret_us);
}

bool ss_typed_time(const json_t *value, int64_t *ret_us)
{
    struct ss_typed typed;
    int64_t us = 0;
    if (!ss_typed_open(value, &typed) || strcmp(typed.module, "datetime") != 0)
        return false;
    const char *name = typed.name, *text = json_string_value(typed.arg);
    bool is_time = strcmp(name, "datetime") == 0 ? text && read_text(text, &us)
                   : strcmp(name, "date") == 0   ? read_date(typed.arg, &us)
                   : strcmp(name, "time") == 0   ? read_clock(typed.arg, &us)
                   : strcmp(name, "timedelta") == 0 ? read_span(typed.arg, &us)
                                                    : false;
    if (is_time)
        *ret_us = us;
    return is_time;
}

// ---------------------------------------------------------------- ids, bytes

bool ss_typed_uuid(const json_t *value, char ret_text[37])
{
    const char *hex = ss_typed_text(value);
    if (!ss_typed_is(value, "uuid.UUID") || !hex || strlen(hex) != 32)
        return false;
    snprintf(ret_text, SS_UUID_SIZE, "%.8s-%.4s-%.4s-%.4s-%.12s", hex, hex + 8,
        hex + 12, hex + 16, hex + 20);
    return true;
}

// The bytes themselves; imports before this one kept msgpack's head in front.
static size_t head_of(const char *tag, const uint8_t *bytes, size_t size)
{
    size_t head = strcmp(tag, "msgpack") != 0    ? 0
                  : size > 0 && bytes[0] == 0xc4 ? 2
                  : size > 0 && bytes[0] == 0xc5 ? 3
                                                 : 5;
    return head < size ? head : size;
}

void *ss_typed_bytes(const json_t *value, size_t *ret_size)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    const json_t *inside = json_object_get(value, SS_NAME_OPAQUE);
    const json_t *data = json_object_get(inside, "data");
    if ((!ss_typed_is(value, "bytes") && !ss_typed_is(value, "bytearray")) ||
        !ss_base64_bytes(
            json_string_value(data), json_string_length(data), &bytes, &size))
        return NULL;
    size_t head = head_of(ss_json_str(inside, "tag", ""), bytes, size);
    *ret_size = size - head;
    char *result = ss_memdup(bytes + head, *ret_size);
    ss_free(bytes);
    return result;
}
