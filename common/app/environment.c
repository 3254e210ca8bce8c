// environment.c - variables, and files that variables name.
#include "common/app/environment.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"

enum { NAME_SIZE = 160 };

// Text that was read is kept for as long as options borrow it.
struct text {
    struct text *next;
    char *name;
    char bytes[];
};

static struct text *texts;

static void forget_all(void)
{
    while (texts) {
        struct text *next = texts->next;
        ss_free(texts->name);
        ss_free(texts);
        texts = next;
    }
}

static char *keep(const char *name, const char *bytes, size_t size)
{
    if (!texts)
        atexit(forget_all);
    struct text *text = ss_zalloc(1, sizeof(*text) + size + 1);
    memcpy(text->bytes, bytes, size);
    text->name = ss_strdup(name);
    text->next = texts;
    texts = text;
    return text->bytes;
}

static int read_file(const char *variable, const char *path,
    const char **ret_value, struct ss_error *error)
{
    char bytes[SS_ENVIRONMENT_FILE_SIZE_MAX + 1];
    FILE *file = fopen(path, "rb");
    if (!file)
        return ss_error_set(error, SS_EINVAL, "%s: cannot open %s: %s",
            variable, path, strerror(errno));
    size_t size = fread(bytes, 1, sizeof(bytes), file);
    bool is_read = !ferror(file);
    fclose(file);
    if (!is_read)
        return ss_error_set(
            error, SS_EINVAL, "%s: cannot read %s", variable, path);
    if (size > SS_ENVIRONMENT_FILE_SIZE_MAX || memchr(bytes, '\0', size))
        return ss_error_set(error, SS_EINVAL,
            "%s: %s is not a setting: it has %s", variable, path,
            size > SS_ENVIRONMENT_FILE_SIZE_MAX ? "more than 64 KB" : "NULs");
    while (size > 0 && (bytes[size - 1] == '\n' || bytes[size - 1] == '\r'))
        size--;
    *ret_value = size > 0 ? keep(variable, bytes, size) : NULL;
    return SS_OK;
}

char *ss_environment_keep(const char *text)
{
    return keep("", text, strlen(text));
}

int ss_environment_get(const char *name, const char **ret_value,
    const char **ret_path, struct ss_error *error)
{
    char variable[NAME_SIZE];
    snprintf(variable, sizeof(variable), "%s_FILE", name);
    const char *value = getenv(name), *path = getenv(variable);
    bool has_value = value && *value, has_path = path && *path;
    *ret_value = NULL;
    *ret_path = has_path ? path : NULL;
    if (has_value && has_path)
        return ss_error_set(error, SS_EINVAL,
            "%s and %s are both set: keep one", name, variable);
    if (has_value)
        *ret_value = value;
    for (struct text *it = texts; has_path && it; it = it->next)
        if (strcmp(it->name, variable) == 0) {
            *ret_value = it->bytes;
            return SS_OK;
        }
    return has_path ? read_file(variable, path, ret_value, error) : SS_OK;
}
