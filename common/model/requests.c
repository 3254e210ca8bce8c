// requests.c - the table of requests.
#include "common/model/requests.h"

#include <stddef.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/suggest.h"

static const struct ss_op_row rows[] = {
#define K(key, type, note) " " #key
#define O(key, type, note) " " #key
#define R(OP, op, who, repeat, home, text, keys)                               \
    {SS_OP_##OP, SS_OP_FOR_##who, SS_OP_REPEAT_##repeat, SS_OP_OF_##home, #op, \
        text, keys " "},
#include "common/model/requests.def"
#undef R
#undef O
#undef K
};

const struct ss_op_row *ss_op_row(enum ss_op op)
{
    ss_check(op < SS_OPS);
    return &rows[op];
}

const struct ss_op_row *ss_op_by_name(const char *name)
{
    for (size_t i = 0; i < SS_OPS; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

char *ss_keys_unknown(const char *where, const char *key, const char *keys)
{
    char *words = ss_strdup(keys);
    char *known = ss_strdup(""), *next = words + 1;
    struct ss_hint hint;
    ss_hint_init(&hint, key);
    while (*next) {
        char *word = next;
        next += strcspn(next, " ");
        *next++ = '\0';
        ss_hint_offer(&hint, word);
        char *more = ss_format("%s%s%s", known, *known ? ", " : "", word);
        ss_free(known);
        known = more;
    }
    char *text = ss_format("%s: unknown key \"%.200s\"; known: %s.%s", where,
        key, *known ? known : "none", ss_hint_text(&hint));
    ss_free(known);
    ss_free(words);
    return text;
}

char *ss_op_unknown_key(const struct ss_op_row *row, const char *key)
{
    return ss_keys_unknown(row->name, key, row->keys);
}
