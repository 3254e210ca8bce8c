// app_watch.c - inotify on its folder: a build makes a new file of that name.
#include "client/cli/app_watch.h"

#include <fcntl.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"

// A linker writes for a moment, and a build may install behind it.
enum { REST_MS = 300, EVENTS_SIZE = 4096 };

static void let_go(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

// False: there is none, or it is the one of before. What was seen last is held:
// else the next file may be given its inode.
static bool is_another(struct ss_app_watch *file)
{
    struct stat is;
    int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &is) != 0) {
        let_go(&fd);
        return false;
    }
    int64_t modified_ns =
        (int64_t)is.st_mtim.tv_sec * 1000000000 + is.st_mtim.tv_nsec;
    if (is.st_ino == file->inode && is.st_size == file->size &&
        modified_ns == file->modified_ns) {
        let_go(&fd);
        return false;
    }
    let_go(&file->held_fd);
    file->held_fd = fd;
    file->is_in_place = is.st_ino == file->inode;
    file->inode = is.st_ino;
    file->size = is.st_size;
    file->modified_ns = modified_ns;
    return true;
}

void ss_app_watch_open(struct ss_app_watch *file, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder =
        slash ? ss_memdup(path, (size_t)(slash - path) + 1) : ss_strdup(".");
    *file = (struct ss_app_watch){.path = path,
        .fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC),
        .held_fd = -1};
    if (file->fd >= 0 && inotify_add_watch(file->fd, folder,
                             IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE) < 0)
        let_go(&file->fd);
    ss_free(folder);
    (void)is_another(file);
}

bool ss_app_watch_changed(struct ss_app_watch *file, int64_t now_ms)
{
    char events[EVENTS_SIZE];
    while (file->fd >= 0 && read(file->fd, events, sizeof(events)) > 0)
        file->moved_ms = now_ms;
    if (file->moved_ms == 0 || now_ms < file->moved_ms + REST_MS)
        return false;
    file->moved_ms = 0;
    return is_another(file);
}

int64_t ss_app_watch_look_at_ms(const struct ss_app_watch *file)
{
    return file->moved_ms ? file->moved_ms + REST_MS : 0;
}

void ss_app_watch_close(struct ss_app_watch *file)
{
    let_go(&file->fd);
    let_go(&file->held_fd);
}
