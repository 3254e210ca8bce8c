// text.c - statistics of a text.
#include "text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct word {
    const char *letters;
    size_t size;
};

struct term {
    struct word word;
    json_int_t count;
};

// Words that are frequent in any English text.
static const char *const common_words[] = {"a", "an", "and", "any", "are", "as",
    "at", "be", "been", "but", "by", "can", "do", "does", "each", "for", "from",
    "has", "have", "if", "in", "into", "is", "it", "its", "may", "more", "must",
    "no", "not", "of", "on", "only", "or", "other", "our", "shall", "should",
    "so", "some", "such", "than", "that", "the", "their", "them", "then",
    "there", "these", "they", "this", "those", "to", "under", "use", "was",
    "we", "what", "when", "where", "which", "who", "will", "with", "would",
    "you", "your"};

// What lies beyond ASCII counts as letters, so that no word is cut in two.
static bool is_letter(char c)
{
    return isalpha((unsigned char)c) || (unsigned char)c >= 0x80;
}

static bool is_vowel(char c)
{
    return c != '\0' && strchr("aeiouy", c) != NULL;
}

// Groups of vowels, without a silent e at the end; at least one.
static json_int_t syllables_of(struct word word)
{
    json_int_t groups = 0;
    for (size_t i = 0; i < word.size; i++) {
        bool begins = i == 0 || !is_vowel(word.letters[i - 1]);
        if (is_vowel(word.letters[i]) && begins)
            groups++;
    }
    bool silent = word.size > 2 && word.letters[word.size - 1] == 'e' &&
                  !is_vowel(word.letters[word.size - 2]) &&
                  word.letters[word.size - 2] != 'l';
    groups -= silent;
    return groups > 0 ? groups : 1;
}

// The word that begins at or after *place, which moves behind it.
static bool next_word(
    const char *text, size_t size, size_t *place, struct word *ret_word)
{
    size_t i = *place;
    while (i < size && !is_letter(text[i]))
        i++;
    size_t begin = i;
    while (i < size &&
           (is_letter(text[i]) ||
               (text[i] == '\'' && i + 1 < size && is_letter(text[i + 1]))))
        i++;
    *place = i;
    *ret_word = (struct word){text + begin, i - begin};
    return i > begin;
}

// A full stop, or an empty line (headings have no full stop), ends a sentence.
static bool ends_sentence(const char *text, size_t begin, size_t end)
{
    size_t lines = 0;
    for (size_t i = begin; i < end; i++) {
        bool last = i + 1 == end || isspace((unsigned char)text[i + 1]);
        if (strchr(".!?", text[i]) && text[i] != '\0' && last)
            return true;
        if (text[i] == '\n' && ++lines == 2)
            return true;
    }
    return false;
}

static int compare_words(const void *left, const void *right)
{
    const struct word *a = left, *b = right;
    size_t shorter = a->size < b->size ? a->size : b->size;
    int order = memcmp(a->letters, b->letters, shorter);
    return order != 0 ? order : (a->size > b->size) - (a->size < b->size);
}

static int compare_terms(const void *left, const void *right)
{
    const struct term *a = left, *b = right;
    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    return compare_words(&a->word, &b->word);
}

static bool is_common(struct word word)
{
    if (word.size < 3)
        return true;
    for (size_t i = 0; i < sizeof(common_words) / sizeof(*common_words); i++) {
        if (strlen(common_words[i]) == word.size &&
            memcmp(common_words[i], word.letters, word.size) == 0)
            return true;
    }
    return false;
}

// Sorts `words`, so equal ones become neighbours. Gives how many differ, and
// the most frequent terms.
static json_int_t count_terms(
    struct word *words, size_t count, json_t *ret_terms)
{
    json_int_t distinct = 0;
    size_t kept = 0;
    struct term *terms = calloc(count + 1, sizeof(*terms));
    qsort(words, count, sizeof(*words), compare_words);
    for (size_t i = 0, next; terms && i < count; i = next) {
        next = i + 1;
        while (next < count && compare_words(&words[i], &words[next]) == 0)
            next++;
        distinct++;
        if (!is_common(words[i]))
            terms[kept++] = (struct term){words[i], (json_int_t)(next - i)};
    }
    if (terms)
        qsort(terms, kept, sizeof(*terms), compare_terms);
    for (size_t i = 0; i < kept && i < TEXT_TERMS_MAX; i++) {
        char word[64];
        struct word from = terms[i].word;
        size_t size = from.size < sizeof(word) ? from.size : sizeof(word) - 1;
        memcpy(word, from.letters, size);
        word[size] = '\0';
        // A word that is not UTF-8 is refused here, and left out.
        json_object_set_new(ret_terms, word, json_integer(terms[i].count));
    }
    free(terms);
    return distinct;
}

json_t *text_measure(const char *text, size_t size)
{
    // There are at most half as many words as bytes.
    char *lower = malloc(size + 1);
    struct word *words = calloc(size / 2 + 1, sizeof(*words));
    if (!lower || !words)
        abort();
    for (size_t i = 0; i < size; i++)
        lower[i] = (char)tolower((unsigned char)text[i]);

    size_t count = 0, place = 0, behind = 0;
    json_int_t sentences = 0, syllables = 0;
    struct word word;
    while (next_word(lower, size, &place, &word)) {
        size_t begin = (size_t)(word.letters - lower);
        if (count > 0 && ends_sentence(lower, behind, begin))
            sentences++;
        words[count++] = word;
        syllables += syllables_of(word);
        behind = place;
    }
    sentences += count > 0;

    json_t *terms = json_object();
    json_int_t distinct = count_terms(words, count, terms);
    free(words);
    free(lower);
    return json_pack("{s:I, s:I, s:I, s:I, s:o}", "words", (json_int_t)count,
        "distinct", distinct, "sentences", sentences, "syllables", syllables,
        "terms", terms);
}

static double number(const json_t *measure, const char *key)
{
    return (double)json_integer_value(json_object_get(measure, key));
}

double text_reading_ease(const json_t *measure)
{
    double words = number(measure, "words");
    double sentences = number(measure, "sentences");
    if (words < 1 || sentences < 1)
        return 0;
    return 206.835 - 1.015 * (words / sentences) -
           84.6 * (number(measure, "syllables") / words);
}

static bool has_word(const char *text, size_t size)
{
    size_t place = 0;
    struct word word;
    return next_word(text, size, &place, &word);
}

size_t text_middle(const char *text, size_t size)
{
    size_t best = 0, best_distance = size;
    for (size_t i = 1; i + 1 < size; i++) {
        if (text[i - 1] != '\n' || text[i] != '\n')
            continue;
        size_t middle = size / 2;
        size_t distance = i > middle ? i - middle : middle - i;
        if (distance < best_distance && has_word(text, i) &&
            has_word(text + i, size - i)) {
            best = i + 1;
            best_distance = distance;
        }
    }
    return best;
}
