// pretty.c - a value in rows.
//
// The value may be large, and the screen is small: no member is looked at for
// longer than it takes to fill its line.
#include "client/cli/pretty.h"

#include <stdint.h>
#include <string.h>

#include "client/cli/text.h"
#include "common/base/mem.h"

enum {
    INDENT = 2,
    ROWS_LEAST = 6,
    BROKEN_LEAST = 4, // the rows of a list in rows: its ends, one, "more"
    ROOM_LEAST = 8,
    DEPTH_MAX = 32,
    BYTES_MAX = 4, // of a character
    LINE_SIZE_MAX = 256 * 1024 * 1024,
};

struct pretty {
    size_t width;
    bool is_whole; // nothing may be missing
    bool is_cut;
    struct ss_buf *buf;
};

size_t ss_pretty_rows(const struct ss_screen *screen)
{
    size_t half = screen->height / 2;
    return half < ROWS_LEAST ? ROWS_LEAST : half;
}

// ------------------------------------------------------------------ in a line

struct line {
    struct ss_buf buf;
    size_t left;
};

// jansson's: -1 ends the dump.
static int take(const char *bytes, size_t size, void *ctx)
{
    struct line *line = ctx;
    size_t taken = size < line->left ? size : line->left;
    ss_buf_add(&line->buf, bytes, taken);
    line->left -= taken;
    return taken < size ? -1 : 0;
}

// The value on one line of at most `room` columns (SIZE_MAX: no limit).
// *ret_is_whole: nothing is missing. Gives.
static char *line_of(const json_t *value, size_t room, bool *ret_is_whole)
{
    struct line line = {.left = room < LINE_SIZE_MAX / BYTES_MAX
                                    ? room * BYTES_MAX + 1
                                    : LINE_SIZE_MAX};
    ss_buf_init(&line.buf, line.left);
    bool is_all = json_dump_callback(value, take, &line, JSON_ENCODE_ANY) == 0;
    char *text = ss_buf_steal(&line.buf, NULL);
    size_t size = strlen(text);
    // Half a character is none.
    while (
        !is_all && size > 0 && ((unsigned char)text[size - 1] & 0xc0) == 0x80)
        text[--size] = '\0';
    if (!is_all && size > 0 && (unsigned char)text[size - 1] >= 0xc0)
        text[--size] = '\0';
    char *plain = ss_text_plain(text);
    char *cut = room == SIZE_MAX ? ss_strdup(plain) : ss_text_cut(plain, room);
    *ret_is_whole = is_all && strcmp(cut, plain) == 0;
    ss_free(text);
    ss_free(plain);
    return cut;
}

// ------------------------------------------------------------------ in rows

static size_t put(struct pretty *pretty, const char *key, const json_t *value,
    size_t depth, size_t rows, const char *after);

static size_t size_of(const json_t *value)
{
    return json_is_array(value) ? json_array_size(value)
                                : json_object_size(value);
}

static size_t room_at(
    const struct pretty *pretty, size_t depth, const char *key)
{
    size_t taken = depth * INDENT + 1 + (key ? ss_text_width(key) : 0);
    return pretty->width > taken + ROOM_LEAST ? pretty->width - taken
                                              : ROOM_LEAST;
}

static void begin(struct pretty *pretty, const char *key, size_t depth)
{
    ss_buf_addf(
        pretty->buf, "%*s%s", (int)(depth * INDENT), "", key ? key : "");
}

// How the next member of a list in rows begins, and what it is. False: there is
// none. Gives *ret_key, NULL in an array.
static bool member_at(const json_t *value, void **iter, size_t index,
    char **ret_key, const json_t **ret_member)
{
    *ret_key = NULL;
    if (json_is_array(value)) {
        *ret_member = json_array_get(value, index);
        return *ret_member != NULL;
    }
    json_t *object = (json_t *)value;
    *iter =
        *iter ? json_object_iter_next(object, *iter) : json_object_iter(object);
    if (!*iter)
        return false;
    char *plain = ss_text_plain(json_object_iter_key(*iter));
    *ret_key = ss_format("\"%s\": ", plain);
    *ret_member = json_object_iter_value(*iter);
    ss_free(plain);
    return true;
}

// How many of the members that `rows` rows could show do not fit into a line.
static size_t count_broken(
    const struct pretty *pretty, const json_t *value, size_t depth, size_t rows)
{
    size_t count = 0;
    void *iter = NULL;
    char *key;
    const json_t *member;
    for (size_t i = 0; i < rows && member_at(value, &iter, i, &key, &member);
         i++) {
        bool is_whole;
        ss_free(line_of(member, room_at(pretty, depth, key), &is_whole));
        ss_free(key);
        count += !is_whole;
    }
    return count;
}

static size_t put_members(
    struct pretty *pretty, const json_t *value, size_t depth, size_t rows)
{
    size_t count = size_of(value), used = 0;
    size_t broken =
        pretty->is_whole ? 0 : count_broken(pretty, value, depth, rows);
    void *iter = NULL;
    char *key;
    const json_t *member;
    for (size_t i = 0; i < count; i++) {
        size_t left = rows - used, others = count - i;
        if (left == 1 && others > 1) {
            begin(pretty, NULL, depth);
            ss_buf_addf(pretty->buf, "\xe2\x80\xa6 %zu more\n", others);
            pretty->is_cut = true;
            return used + 1;
        }
        if (!member_at(value, &iter, i, &key, &member))
            break;
        // What the others need a row each of is shared by those that are long.
        size_t spare = left > others ? left - others : 0;
        size_t share = 1 + (broken > 0 ? spare / broken : spare);
        size_t took = put(pretty, key, member, depth,
            pretty->is_whole ? SIZE_MAX : share, i + 1 < count ? "," : "");
        used += pretty->is_whole ? 0 : took;
        broken -= broken > 0 && took > 1;
        ss_free(key);
    }
    return used;
}

// Returns the rows that it took.
static size_t put(struct pretty *pretty, const char *key, const json_t *value,
    size_t depth, size_t rows, const char *after)
{
    bool is_whole;
    bool may_break =
        size_of(value) > 0 && rows >= BROKEN_LEAST && depth < DEPTH_MAX;
    size_t room =
        pretty->is_whole && !may_break ? SIZE_MAX : room_at(pretty, depth, key);
    char *line = line_of(value, room, &is_whole);
    begin(pretty, key, depth);
    if (is_whole || !may_break) {
        ss_buf_addf(pretty->buf, "%s%s\n", line, after);
        pretty->is_cut = pretty->is_cut || !is_whole;
        ss_free(line);
        return 1;
    }
    ss_free(line);
    bool is_array = json_is_array(value);
    ss_buf_add_str(pretty->buf, is_array ? "[\n" : "{\n");
    size_t used = put_members(pretty, value, depth + 1, rows - 2);
    begin(pretty, NULL, depth);
    ss_buf_addf(pretty->buf, "%s%s\n", is_array ? "]" : "}", after);
    return used + 2;
}

bool ss_pretty_write(
    const json_t *value, size_t width, size_t rows, struct ss_buf *buf)
{
    struct pretty pretty = {.width = width, .is_whole = rows == 0, .buf = buf};
    put(&pretty, NULL, value, 0, rows > 0 ? rows : SIZE_MAX, "");
    return pretty.is_cut;
}
