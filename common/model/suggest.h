// suggest.h - "Did you mean ...?": the nearest of the names that exist.
#ifndef SS_MODEL_SUGGEST_H
#define SS_MODEL_SUGGEST_H

#include <stddef.h>

enum { SS_HINT_SIZE = 160 };

struct ss_hint {
    const char *name; // borrowed: what was asked for
    const char *best; // borrowed: the nearest one offered, or NULL
    size_t distance;
    char text[SS_HINT_SIZE];
};

void ss_hint_init(struct ss_hint *hint, const char *name);
// Offer a name that exists. Borrows until ss_hint_text().
void ss_hint_offer(struct ss_hint *hint, const char *candidate);
// " Did you mean \"x\"?", or "" where nothing is near. Borrowed from the hint.
const char *ss_hint_text(struct ss_hint *hint);

#endif
