// name_before.c - where the names begin that begin so.
#include "common/model/name_before.h"

#include <stddef.h>
#include <string.h>

#include "common/base/mem.h"

// The character before that one, as UTF-8; none of the half ones of UTF-16.
// Returns its size; 0: none that a name may have.
static size_t character_before(const char *character, char ret_bytes[4])
{
    unsigned char lead = (unsigned char)*character;
    unsigned int point = lead < 0x80   ? lead
                         : lead < 0xe0 ? lead & 0x1fU
                         : lead < 0xf0 ? lead & 0x0fU
                                       : lead & 0x07U;
    for (const char *at = character + 1; *at; at++)
        point = point << 6 | ((unsigned char)*at & 0x3fU);
    point = point == 0xe000 ? 0xd7ff : point - 1;
    size_t more = point < 0x80      ? 0
                  : point < 0x800   ? 1
                  : point < 0x10000 ? 2
                                    : 3;
    static const unsigned char leads[] = {0, 0xc0, 0xe0, 0xf0};
    for (size_t i = more; i > 0; i--, point >>= 6)
        ret_bytes[i] = (char)(0x80 | (point & 0x3f));
    ret_bytes[0] = (char)(leads[more] | point);
    return ret_bytes[0] ? more + 1 : 0;
}

char *ss_name_before(const char *name)
{
    static const char last[] = "\xf4\x8f\xbf\xbf"; // the last character
    char before[4];
    size_t size = strlen(name);
    if (size == 0)
        return ss_strdup("");
    size_t at = size - 1;
    while (at > 0 && ((unsigned char)name[at] & 0xc0) == 0x80)
        at--;
    size_t more = character_before(name + at, before);
    return ss_format(
        "%.*s%.*s%s", (int)at, name, (int)more, before, more > 0 ? last : "");
}
