// report.c - the digest as Markdown.
#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text.h"

enum { TERMS_OF_ALL = 15, TERMS_OF_ONE = 5 };

struct term {
    const char *word;
    json_int_t count;
};

static json_int_t count_of(const json_t *measure, const char *key)
{
    return json_integer_value(json_object_get(measure, key));
}

static const char *name_of(const json_t *piece)
{
    return json_string_value(json_object_get(piece, "name"));
}

static int by_count(const void *left, const void *right)
{
    const struct term *a = left, *b = right;
    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    return strcmp(a->word, b->word);
}

// Gives [[word, count]...], the most frequent first.
static json_t *most_frequent(json_t *terms, size_t most)
{
    size_t count = 0;
    struct term *sorted = calloc(json_object_size(terms) + 1, sizeof(*sorted));
    if (!sorted)
        abort();
    const char *word;
    json_t *times;
    json_object_foreach (terms, word, times)
        sorted[count++] = (struct term){word, json_integer_value(times)};
    qsort(sorted, count, sizeof(*sorted), by_count);
    json_t *list = json_array();
    for (size_t i = 0; i < count && i < most; i++)
        json_array_append_new(
            list, json_pack("[s, I]", sorted[i].word, sorted[i].count));
    free(sorted);
    return list;
}

static void add_terms(json_t *all, json_t *terms)
{
    const char *word;
    json_t *times;
    json_object_foreach (terms, word, times)
        json_object_set_new(all, word,
            json_integer(count_of(all, word) + json_integer_value(times)));
}

json_t *report_summary(const json_t *pieces, const json_t *measures)
{
    json_int_t words = 0, sentences = 0, syllables = 0;
    json_t *all = json_object();
    size_t i;
    const json_t *piece;
    json_array_foreach (pieces, i, piece) {
        const json_t *measure = json_object_get(measures, name_of(piece));
        words += count_of(measure, "words");
        sentences += count_of(measure, "sentences");
        syllables += count_of(measure, "syllables");
        add_terms(all, json_object_get(measure, "terms"));
    }
    json_int_t documents = (json_int_t)json_array_size(pieces);
    json_int_t sections = (json_int_t)json_object_size(measures) - documents;
    json_t *terms = most_frequent(all, TERMS_OF_ALL);
    json_decref(all);
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:o}", "documents", documents,
        "sections", sections, "words", words, "sentences", sentences,
        "syllables", syllables, "terms", terms);
}

// A name in a table: a bar would end its cell.
static void put_cell(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '|')
            fputc('\\', out);
        fputc(*text, out);
    }
}

static void put_row(FILE *out, const char *name, const json_t *measure)
{
    fputs("| ", out);
    put_cell(out, name);
    fprintf(out, " | %lld | %lld | %.1f | ",
        (long long)count_of(measure, "words"),
        (long long)count_of(measure, "distinct"), text_reading_ease(measure));
    json_t *terms =
        most_frequent(json_object_get(measure, "terms"), TERMS_OF_ONE);
    size_t i;
    const json_t *term;
    json_array_foreach (terms, i, term)
        fprintf(out, "%s%s", i > 0 ? ", " : "",
            json_string_value(json_array_get(term, 0)));
    json_decref(terms);
    fputs(" |\n", out);
}

static int by_name(const void *left, const void *right)
{
    const char *const *a = left, *const *b = right;
    return strcmp(*a, *b);
}

static bool is_document(const json_t *pieces, const char *name)
{
    size_t i;
    const json_t *piece;
    json_array_foreach (pieces, i, piece) {
        if (strcmp(name_of(piece), name) == 0)
            return true;
    }
    return false;
}

static void put_sections(FILE *out, const json_t *pieces, json_t *measures)
{
    size_t count = 0;
    const char **names = calloc(json_object_size(measures) + 1, sizeof(*names));
    if (!names)
        abort();
    const char *name;
    json_t *measure;
    json_object_foreach (measures, name, measure) {
        if (!is_document(pieces, name))
            names[count++] = name;
    }
    qsort(names, count, sizeof(*names), by_name);
    for (size_t i = 0; i < count; i++)
        put_row(out, names[i], json_object_get(measures, names[i]));
    free(names);
}

static void put_head(FILE *out, const char *folder, const json_t *summary)
{
    fprintf(out, "# Digest of %s\n\n", folder);
    fprintf(out,
        "%lld documents, %lld words in %lld sentences, reading ease %.1f.\n\n",
        (long long)count_of(summary, "documents"),
        (long long)count_of(summary, "words"),
        (long long)count_of(summary, "sentences"), text_reading_ease(summary));
    fputs("Most frequent terms:", out);
    size_t i;
    const json_t *term;
    json_array_foreach (json_object_get(summary, "terms"), i, term)
        fprintf(out, "%s %s (%lld)", i > 0 ? "," : "",
            json_string_value(json_array_get(term, 0)),
            (long long)json_integer_value(json_array_get(term, 1)));
    fputs(".\n", out);
}

static void put_table_head(FILE *out, const char *what)
{
    fprintf(out,
        "| %s | words | distinct | reading ease | frequent terms |\n"
        "|---|---:|---:|---:|---|\n",
        what);
}

char *report_text(const char *folder, json_int_t words_max,
    const json_t *summary, const json_t *pieces, json_t *measures)
{
    char *text = NULL;
    size_t size = 0, i;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        abort();
    put_head(out, folder, summary);
    fputs("\n## Documents\n\n", out);
    put_table_head(out, "document");
    const json_t *piece;
    json_array_foreach (pieces, i, piece)
        put_row(out, name_of(piece), json_object_get(measures, name_of(piece)));
    if (count_of(summary, "sections") > 0) {
        fprintf(out,
            "\n## Sections\n\nDocuments of more than %lld words were split "
            "where their paragraphs end.\n\n",
            (long long)words_max);
        put_table_head(out, "section");
        put_sections(out, pieces, measures);
    }
    fclose(out);
    return text;
}

int report_write(const char *path, const char *text)
{
    size_t size = strlen(path) + 32;
    char *aside = malloc(size);
    if (!aside)
        abort();
    snprintf(aside, size, "%s.%ld", path, (long)getpid());
    errno = 0;
    FILE *file = fopen(aside, "wb");
    bool is_written = file && fputs(text, file) >= 0 && fflush(file) == 0 &&
                      fsync(fileno(file)) == 0;
    if (file && fclose(file) != 0)
        is_written = false;
    is_written = is_written && rename(aside, path) == 0;
    int number = is_written ? 0 : errno ? errno : EIO;
    if (!is_written)
        remove(aside);
    free(aside);
    return number;
}
