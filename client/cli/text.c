// text.c - small pieces of text for people.
#include "client/cli/text.h"

#include <locale.h>
#include <string.h>
#include <wchar.h>

#include "common/base/buf.h"
#include "common/base/mem.h"
#include "common/model/value.h"

#define ELLIPSIS "\xe2\x80\xa6"

static bool continues(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

void ss_text_setup(void)
{
    // Not LC_ALL: numbers and messages stay as programs read them.
    setlocale(LC_CTYPE, "C.UTF-8");
}

// The character at *text, which moves behind it.
static wchar_t next_character(const char **text)
{
    unsigned char lead = (unsigned char)*(*text)++;
    unsigned int point = lead < 0x80   ? lead
                         : lead < 0xe0 ? lead & 0x1fU
                         : lead < 0xf0 ? lead & 0x0fU
                                       : lead & 0x07U;
    for (; continues(**text); (*text)++)
        point = point << 6 | ((unsigned char)**text & 0x3fU);
    return (wchar_t)point;
}

// The bytes of the longest beginning of `text` that takes at most `width_max`
// columns, and how many it takes.
static size_t fitting(const char *text, size_t width_max, size_t *ret_width)
{
    const char *end = text;
    *ret_width = 0;
    for (const char *at = text; *at; end = at) {
        int columns = wcwidth(next_character(&at));
        // A character without a known width takes one column, as most do.
        size_t width = *ret_width + (columns < 0 ? 1 : (size_t)columns);
        if (width > width_max)
            break;
        *ret_width = width;
    }
    return (size_t)(end - text);
}

size_t ss_text_width(const char *text)
{
    size_t width;
    fitting(text, SIZE_MAX, &width);
    return width;
}

// U+0080 to U+009F are control characters too: two bytes.
static bool is_control(const char *text)
{
    unsigned char byte = (unsigned char)text[0];
    unsigned char next = (unsigned char)text[1];
    return byte < 0x20 || byte == 0x7f ||
           (byte == 0xc2 && next >= 0x80 && next < 0xa0);
}

static char *without_controls(const char *text, bool keeps_lines)
{
    struct ss_buf plain;
    ss_buf_init(&plain, SIZE_MAX);
    for (const char *from = text; *from; from++) {
        unsigned char byte = (unsigned char)*from;
        bool is_line = byte == '\n' || byte == '\t';
        if (!is_control(from) || (is_line && keeps_lines))
            ss_buf_add(&plain, from, 1);
        else if (is_line)
            ss_buf_add_str(&plain, byte == '\n' ? "\\n" : "\\t");
        else
            ss_buf_addf(&plain, "\\x%02x",
                byte == 0xc2 ? (unsigned char)*++from : byte);
    }
    return ss_buf_steal(&plain, NULL);
}

char *ss_text_plain(const char *text)
{
    return without_controls(text, false);
}

char *ss_text_lines(const char *text)
{
    return without_controls(text, true);
}

char *ss_text_cut(const char *text, size_t width)
{
    size_t taken;
    if (width == 0 || ss_text_width(text) <= width)
        return ss_strdup(text);
    return ss_format(
        "%.*s" ELLIPSIS, (int)fitting(text, width - 1, &taken), text);
}

void ss_text_tally(json_t *counts, const char *name)
{
    json_object_set_new(
        counts, name, json_integer(ss_json_int(counts, name, 0) + 1));
}

char *ss_text_line(const json_t *json)
{
    return json_dumps(json, JSON_ENCODE_ANY);
}

char *ss_text_json(const json_t *json, size_t width)
{
    char *line = ss_text_line(json);
    char *plain = ss_text_plain(line ? line : "-");
    char *cut = ss_text_cut(plain, width);
    ss_free(line);
    ss_free(plain);
    return cut;
}

char *ss_text_duration(int64_t us)
{
    double ms = (double)us / 1000;
    if (ms < 100)
        return ss_format("%.1f ms", ms);
    if (ms < 1000)
        return ss_format("%.0f ms", ms);
    if (ms < 60000)
        return ss_format("%.1f s", ms / 1000);
    long long s = us / 1000000;
    if (s < 3600)
        return ss_format("%lld min %lld s", s / 60, s % 60);
    return ss_format("%lld h %lld min", s / 3600, s % 3600 / 60);
}

char *ss_text_ago(int64_t ms)
{
    if (ms < 2000)
        return ss_strdup("now");
    if (ms < 120000)
        return ss_format("%lld s ago", (long long)(ms / 1000));
    if (ms < 7200000)
        return ss_format("%lld min ago", (long long)(ms / 60000));
    return ss_format("%lld h ago", (long long)(ms / 3600000));
}

char *ss_text_time(const char *iso)
{
    if (!iso)
        return NULL;
    char *time = ss_text_plain(iso);
    if (strlen(time) > 19 && time[4] == '-' && time[10] == 'T') {
        time[10] = ' ';
        time[19] = '\0';
    }
    return time;
}

char *ss_text_count(int64_t count, const char *noun)
{
    return ss_format(
        "%lld %s%s", (long long)count, noun, count == 1 ? "" : "s");
}

char *ss_text_thousands(int64_t count)
{
    struct ss_buf text;
    char *digits = ss_format("%lld", (long long)count);
    size_t size = strlen(digits);
    ss_buf_init(&text, 2 * size + 1);
    for (size_t i = 0; i < size; i++) {
        bool is_third = i > 0 && (size - i) % 3 == 0 && digits[i - 1] != '-';
        ss_buf_addf(&text, "%s%c", is_third ? "," : "", digits[i]);
    }
    ss_free(digits);
    return ss_buf_steal(&text, NULL);
}

char *ss_text_bar(int64_t done, int64_t total, size_t width)
{
    struct ss_buf bar;
    ss_buf_init(&bar, width * 4 + 1);
    double share = total > 0 ? (double)done / (double)total : 0;
    for (size_t i = 0; i < width; i++)
        ss_buf_add_str(&bar, (double)i + 0.5 < share * (double)width
                                 ? "\xe2\x96\x87"
                                 : "\xe2\x96\x81");
    return ss_buf_steal(&bar, NULL);
}

// ------------------------------------------------------------------------- ids

static bool differ(const char *a, const char *b, struct ss_id_form form)
{
    size_t a_size = strlen(a), b_size = strlen(b);
    if (a_size <= form.head + form.tail || b_size <= form.head + form.tail)
        return strcmp(a, b) != 0;
    return memcmp(a, b, form.head) != 0 ||
           memcmp(a + a_size - form.tail, b + b_size - form.tail, form.tail) !=
               0;
}

static bool all_differ(
    const char *const *ids, size_t count, struct ss_id_form form)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            if (!differ(ids[i], ids[j], form) && strcmp(ids[i], ids[j]) != 0)
                return false;
    return true;
}

struct ss_id_form ss_text_id_form(const char *const *ids, size_t count)
{
    // Ids of checkpoints begin with the time, to a millisecond in the first 13
    // characters, and end with random digits: what is left is not met again in
    // what is not listed here, either.
    static const struct ss_id_form forms[] = {{13, 4}, {18, 4}, {18, 8}};
    enum { COMPARED_MAX = 1000 };
    if (count > COMPARED_MAX)
        return (struct ss_id_form){0, 0};
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
        if (all_differ(ids, count, forms[i]))
            return forms[i];
    return (struct ss_id_form){0, 0};
}

char *ss_text_id(const char *id, struct ss_id_form form)
{
    size_t size = strlen(id);
    if (form.head == 0 || size <= form.head + form.tail + 1)
        return ss_strdup(id);
    return ss_format(
        "%.*s" ELLIPSIS "%s", (int)form.head, id, id + size - form.tail);
}

// Where the cut is and how many bytes it takes, or NULL.
static const char *find_cut(const char *typed, size_t *ret_size)
{
    const char *at = strstr(typed, ELLIPSIS);
    *ret_size = 3;
    return at ? at : strstr(typed, "...");
}

bool ss_text_id_is_cut(const char *typed)
{
    size_t size;
    return find_cut(typed, &size) != NULL;
}

bool ss_text_id_fits(const char *id, const char *typed)
{
    size_t size;
    const char *cut = find_cut(typed, &size);
    if (!cut)
        return strcmp(id, typed) == 0;
    size_t head = (size_t)(cut - typed);
    const char *tail = cut + size;
    size_t id_size = strlen(id), tail_size = strlen(tail);
    return id_size >= head + tail_size && memcmp(id, typed, head) == 0 &&
           memcmp(id + id_size - tail_size, tail, tail_size) == 0;
}
