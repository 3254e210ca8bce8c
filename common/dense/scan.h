// scan.h - a look into JSON text without decoding it: the items of a list, the
// members of an object, cut apart. The text is JSON: who took it from outside
// has said so. What is not is cut somewhere, and never read beyond its end.
#ifndef SS_DENSE_SCAN_H
#define SS_DENSE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A part of a text; borrowed from it.
struct ss_scan_part {
    const char *text;
    size_t size;
};

struct ss_scan {
    const char *at, *end;
    bool is_object;
};

// False: the text is not a list ('['), or an object ('{').
bool ss_scan_begin(
    struct ss_scan *scan, char bracket, const char *text, size_t size);
// The next part, and (of an object) its key as it stands between the quotes.
// False: that was all.
bool ss_scan_next(struct ss_scan *scan, struct ss_scan_part *ret_key,
    struct ss_scan_part *ret_value);
// A member of an object; of a name that stands twice the last one counts.
// `name` needs no escapes. False: it has none.
bool ss_scan_member(
    const char *text, size_t size, const char *name, struct ss_scan_part *ret);
// How many members an object has.
size_t ss_scan_members(const char *text, size_t size);
// A string's characters. Gives (ss_free); NULL: the part is not a string.
char *ss_scan_string(const struct ss_scan_part *part);
// The whole number that the text is, as jansson would write it. False: it is
// not one, or has another text.
bool ss_scan_integer(const char *text, size_t size, int64_t *ret);

#endif
