// report.h - the digest as Markdown: the same measures, the same bytes.
#ifndef DIGEST_REPORT_H
#define DIGEST_REPORT_H

#include <jansson.h>

// What is said about all documents together: {"documents", "words",
// "sentences", "syllables", "sections", "terms": [[word, count]...]}. Gives.
json_t *report_summary(const json_t *pieces, const json_t *measures);

// Gives text (free).
char *report_text(const char *folder, json_int_t words_max,
    const json_t *summary, const json_t *pieces, json_t *measures);

// Write `text` to `path`, whole or not at all. 0, or an errno.
int report_write(const char *path, const char *text);

#endif
