// documents.c - a folder's documents, as files.
#include "documents.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { WHY_SIZE = 256, LOOKED_AT = 4096 };

struct document {
    char *name;
    dev_t device;
    ino_t inode;
    bool is_link;
    json_int_t size;
};

static char *join(const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (!path)
        abort();
    snprintf(path, size, "%s/%s", folder, name);
    return path;
}

// A text has words and no NUL.
static bool is_text(const char *path)
{
    char head[LOOKED_AT];
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    size_t size = fread(head, 1, sizeof(head), file);
    fclose(file);
    return size > 0 && !memchr(head, '\0', size);
}

static bool look(
    const char *folder, const char *name, struct document *ret_document)
{
    char *path = join(folder, name);
    struct stat itself, file;
    bool counts = name[0] != '.' && lstat(path, &itself) == 0 &&
                  stat(path, &file) == 0 && S_ISREG(file.st_mode) &&
                  file.st_size <= DOCUMENT_SIZE_MAX && is_text(path);
    if (counts) {
        *ret_document = (struct document){.name = strdup(name),
            .device = file.st_dev,
            .inode = file.st_ino,
            .is_link = S_ISLNK(itself.st_mode),
            .size = (json_int_t)file.st_size};
    }
    free(path);
    return counts;
}

// Names of one file become neighbours, its own name before links to it.
static int by_file(const void *left, const void *right)
{
    const struct document *a = left, *b = right;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    if (a->inode != b->inode)
        return a->inode < b->inode ? -1 : 1;
    if (a->is_link != b->is_link)
        return a->is_link ? 1 : -1;
    return strcmp(a->name, b->name);
}

static int by_name(const void *left, const void *right)
{
    const struct document *a = left, *b = right;
    return strcmp(a->name, b->name);
}

static bool is_same_file(const struct document *a, const struct document *b)
{
    return a->device == b->device && a->inode == b->inode;
}

static size_t drop_doubles(struct document *documents, size_t count)
{
    size_t kept = 0;
    qsort(documents, count, sizeof(*documents), by_file);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && is_same_file(&documents[kept - 1], &documents[i]))
            free(documents[i].name);
        else
            documents[kept++] = documents[i];
    }
    qsort(documents, kept, sizeof(*documents), by_name);
    return kept;
}

static json_t *pieces_of(
    const char *folder, struct document *documents, size_t count)
{
    json_t *pieces = json_array();
    for (size_t i = 0; i < count; i++) {
        char *path = join(folder, documents[i].name);
        json_t *piece =
            json_pack("{s:s, s:s, s:i, s:I}", "name", documents[i].name, "path",
                path, "begin", 0, "end", documents[i].size);
        if (piece) // its name is UTF-8
            json_array_append_new(pieces, piece);
        free(path);
        free(documents[i].name);
    }
    return pieces;
}

json_t *documents_list(const char *folder, char ret_why[256])
{
    DIR *open_folder = opendir(folder);
    if (!open_folder) {
        snprintf(
            ret_why, WHY_SIZE, "cannot list %s: %s", folder, strerror(errno));
        return NULL;
    }
    struct document *documents = calloc(DOCUMENTS_MAX, sizeof(*documents));
    if (!documents)
        abort();
    size_t count = 0;
    const struct dirent *entry;
    while (count < DOCUMENTS_MAX && (entry = readdir(open_folder)))
        count += look(folder, entry->d_name, &documents[count]);
    closedir(open_folder);
    json_t *pieces =
        pieces_of(folder, documents, drop_doubles(documents, count));
    free(documents);
    if (json_array_size(pieces) == 0) {
        snprintf(ret_why, WHY_SIZE, "there is no text document in %s", folder);
        json_decref(pieces);
        return NULL;
    }
    return pieces;
}

char *documents_read(const json_t *piece, size_t *ret_size, char ret_why[256])
{
    const char *path = json_string_value(json_object_get(piece, "path"));
    json_int_t begin = json_integer_value(json_object_get(piece, "begin"));
    json_int_t end = json_integer_value(json_object_get(piece, "end"));
    if (!path || begin < 0 || end < begin || end > DOCUMENT_SIZE_MAX) {
        snprintf(ret_why, WHY_SIZE, "this is not a piece of a document");
        return NULL;
    }
    size_t size = (size_t)(end - begin);
    char *text = malloc(size + 1);
    if (!text)
        abort();
    FILE *file = fopen(path, "rb");
    bool is_read = file && fseek(file, (long)begin, SEEK_SET) == 0 &&
                   fread(text, 1, size, file) == size;
    int number = errno;
    if (file)
        fclose(file);
    if (!is_read) {
        snprintf(ret_why, WHY_SIZE, "cannot read %s: %s", path,
            file ? "it has become shorter" : strerror(number));
        free(text);
        return NULL;
    }
    text[size] = '\0';
    *ret_size = size;
    return text;
}
