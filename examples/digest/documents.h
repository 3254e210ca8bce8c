// documents.h - a folder's documents, as files.
#ifndef DIGEST_DOCUMENTS_H
#define DIGEST_DOCUMENTS_H

#include <jansson.h>
#include <stddef.h>

enum {
    DOCUMENTS_MAX = 10000,
    DOCUMENT_SIZE_MAX = 16 * 1024 * 1024,
};

// The text documents of `folder`, by name: gives a list of pieces {"name",
// "path", "begin", "end"}, each a whole document. Symbolic links are followed,
// but a file counts once. What is not text is left out. NULL: *ret_why says
// why.
json_t *documents_list(const char *folder, char ret_why[256]);

// The text of a piece. Gives (free), and its size; NULL: *ret_why says why.
char *documents_read(const json_t *piece, size_t *ret_size, char ret_why[256]);

#endif
