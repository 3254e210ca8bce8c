// folder.c - temporary folders.
#include "tests/conformance/folder.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"

char *folder_new(void)
{
    const char *root = getenv("TMPDIR");
    char *path =
        ss_format("%s/conformance-XXXXXX", root && *root ? root : "/tmp");
    if (mkdtemp(path))
        return path;
    ss_free(path);
    return NULL;
}

void folder_remove(const char *folder)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    while (dir && (entry = readdir(dir))) {
        char *path = ss_format("%s/%s", folder, entry->d_name);
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlink(path);
        ss_free(path);
    }
    if (dir)
        closedir(dir);
    rmdir(folder);
}
