// text.h - statistics of a text: words, sentences, syllables, frequent terms.
#ifndef DIGEST_TEXT_H
#define DIGEST_TEXT_H

#include <jansson.h>
#include <stddef.h>

enum { TEXT_TERMS_MAX = 40 }; // terms kept of one text

// Gives {"words", "distinct", "sentences", "syllables", "terms": {word:
// count}}. Words are runs of letters, in lower case; terms are words that say
// something about the subject, the most frequent ones.
json_t *text_measure(const char *text, size_t size);

// Flesch's reading ease: 100 is easy, 30 is hard, contracts go below 0.
double text_reading_ease(const json_t *measure);

// The place of the paragraph break that is nearest to the middle and has words
// on both sides; 0 where there is none.
size_t text_middle(const char *text, size_t size);

#endif
