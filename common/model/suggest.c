// suggest.c - edit distance, bounded: names far apart cost little.
#include "common/model/suggest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { COMPARED_MAX = 64 };

// Insertions, deletions, changes and swaps of neighbours between a and b;
// lengths are at most COMPARED_MAX.
static size_t distance_of(
    const char *a, size_t a_size, const char *b, size_t b_size)
{
    size_t rows[3][COMPARED_MAX + 1];
    size_t *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= b_size; j++)
        last[j] = j;
    for (size_t i = 1; i <= a_size; i++) {
        now[0] = i;
        for (size_t j = 1; j <= b_size; j++) {
            size_t best = last[j - 1] + (a[i - 1] != b[j - 1]);
            if (last[j] + 1 < best)
                best = last[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
                a[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
        size_t *spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[b_size];
}

void ss_hint_init(struct ss_hint *hint, const char *name)
{
    size_t size = strlen(name);
    *hint = (struct ss_hint){.name = name};
    // A third of the letters may differ, one at least.
    hint->distance = (size < 6 ? 1 : size / 3) + 1;
}

// Only its last words are missing: "lease" for "lease-ms".
static bool lacks_words(const char *name, size_t size, const char *candidate)
{
    enum { SHORTEST = 3 };
    return size >= SHORTEST && strncmp(candidate, name, size) == 0 &&
           (candidate[size] == '-' || candidate[size] == '_');
}

void ss_hint_offer(struct ss_hint *hint, const char *candidate)
{
    size_t a = strlen(hint->name), b = strlen(candidate);
    // What is near by its letters takes its place.
    if (!hint->best && lacks_words(hint->name, a, candidate))
        hint->best = candidate;
    size_t gap = a > b ? a - b : b - a;
    if (a > COMPARED_MAX || b > COMPARED_MAX || b == 0 || gap >= hint->distance)
        return;
    size_t distance = distance_of(hint->name, a, candidate, b);
    if (distance < hint->distance && distance < b) {
        hint->distance = distance;
        hint->best = candidate;
    }
}

const char *ss_hint_text(struct ss_hint *hint)
{
    if (hint->best)
        snprintf(hint->text, sizeof(hint->text), " Did you mean \"%s\"?",
            hint->best);
    return hint->text;
}
