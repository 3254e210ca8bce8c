// inspect.c - chooses the check for the kind of store, and checks a file.
#include "coordinator/store/inspect.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "coordinator/store/limits.h"
#include "coordinator/store/store_impl.h"

enum { TEXT_SIZE = 512 };

// NULL: it has room enough. Gives.
static char *lacks_room(const char *folder)
{
    struct statvfs disk;
    if (statvfs(folder, &disk) != 0)
        return NULL;
    unsigned long long free_mb =
        (unsigned long long)disk.f_bavail * disk.f_frsize >> 20;
    if (free_mb >= SS_INSPECT_ROOM_MB)
        return NULL;
    return ss_format(
        "the disk of %.300s has %llu MB left; less than %d MB is soon full",
        folder, free_mb, SS_INSPECT_ROOM_MB);
}

static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return !slash ? ss_strdup(".")
                  : ss_memdup(path, slash == path ? 1 : (size_t)(slash - path));
}

// The file that a store's address names; NULL: it names none.
static const char *file_of(const char *url)
{
    size_t size = strspn(url, "abcdefghijklmnopqrstuvwxyz");
    bool has_kind = size > 0 && url[size] == ':';
    if (has_kind && strncmp(url, "sqlite:", 7) != 0)
        return NULL;
    return has_kind ? url + size + 1 : url;
}

char *ss_store_lacks_room(const char *url)
{
    const char *file = file_of(url);
    if (!file)
        return NULL;
    char *path = ss_memdup(file, strcspn(file, "?"));
    char *folder = folder_of(path);
    char *text = lacks_room(folder);
    ss_free(folder);
    ss_free(path);
    return text;
}

static void look_at_room(const char *folder, ss_finding_fn *found, void *ctx)
{
    char *text = lacks_room(folder);
    if (text)
        found(ctx, SS_FINDING_DISK, text);
    ss_free(text);
}

// Is the file a database? Its first bytes say so. It is not opened by SQLite: a
// coordinator may be using it, and SQLite would leave files beside it.
static void look_at_database(const char *path, ss_finding_fn *found, void *ctx)
{
    static const char wanted[] = "SQLite format 3";
    char text[TEXT_SIZE], begin[sizeof(wanted)] = "";
    FILE *file = fopen(path, "rb");
    if (!file)
        return; // the database will be created
    size_t size = fread(begin, 1, sizeof(begin), file);
    fclose(file);
    if (size == 0 || memcmp(begin, wanted, sizeof(wanted)) == 0)
        return;
    snprintf(text, sizeof(text), "%.300s is not a database", path);
    found(ctx, SS_FINDING_STORE, text);
}

static void look_at_file(const char *rest, ss_finding_fn *found, void *ctx)
{
    char text[TEXT_SIZE];
    char *path = ss_memdup(rest, strcspn(rest, "?"));
    char *folder = folder_of(path);
    bool is_there = access(path, F_OK) == 0;
    if (access(is_there ? path : folder,
            is_there ? R_OK | W_OK : W_OK | X_OK) != 0) {
        snprintf(text, sizeof(text), "%.300s: %s", is_there ? path : folder,
            strerror(errno));
        found(ctx, SS_FINDING_FOLDER, text);
    } else {
        look_at_database(path, found, ctx);
        look_at_room(folder, found, ctx);
    }
    ss_free(folder);
    ss_free(path);
}

static void look_at_postgres(const char *rest, ss_finding_fn *found, void *ctx)
{
#ifdef SS_HAVE_POSTGRES
    ss_store_postgres_inspect(rest, found, ctx);
#else
    (void)rest;
    found(ctx, SS_FINDING_STORE, "this program was built without PostgreSQL");
#endif
}

void ss_store_inspect(const char *url, ss_finding_fn *found, void *ctx)
{
    size_t size = strspn(url, "abcdefghijklmnopqrstuvwxyz");
    bool has_kind = size > 0 && url[size] == ':';
    const char *rest = has_kind ? url + size + 1 : url;
    char text[TEXT_SIZE];
    if (file_of(url))
        look_at_file(file_of(url), found, ctx);
    else if (strncmp(url, "postgres:", 9) == 0 ||
             strncmp(url, "postgresql:", 11) == 0)
        look_at_postgres(rest, found, ctx);
    else if (strcmp(url, "memory:") != 0) {
        snprintf(text, sizeof(text),
            "no store is called \"%.*s\"; there are memory:, sqlite:FILE and "
            "postgres://",
            (int)(size < 40 ? size + 1 : 40), url);
        found(ctx, SS_FINDING_STORE, text);
    }
}
