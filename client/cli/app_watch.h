// app_watch.h - a file that a build replaces, watched.
#ifndef SS_CLI_APP_WATCH_H
#define SS_CLI_APP_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct ss_app_watch {
    const char *path;
    int fd;      // to be polled: something in its folder has changed; -1: none
    int held_fd; // the file as it was seen last; -1: it was not
    ino_t inode;
    bool is_in_place; // its last change wrote over it
    int64_t size, modified_ns;
    int64_t moved_ms; // when its folder changed last; 0: it is at rest
};

// Borrows `path`. A file that cannot be watched never changes.
void ss_app_watch_open(struct ss_app_watch *file, const char *path);
// Whether it is another file than before, and whole: nobody has touched it for
// a moment. True once for each.
bool ss_app_watch_changed(struct ss_app_watch *file, int64_t now_ms);
// When to ask again; 0: when `fd` can be read.
int64_t ss_app_watch_look_at_ms(const struct ss_app_watch *file);
void ss_app_watch_close(struct ss_app_watch *file);

#endif
