// vfs.h - SQLite's way to its files, through which writes and reads fail when
// they are to: once, or from a point on, as when a process ends in the middle
// of a commit.
#ifndef SS_TESTS_SIM_VFS_H
#define SS_TESTS_SIM_VFS_H

#include <stdbool.h>
#include <stdint.h>

// From here on every file of SQLite is opened through it. Once in a process.
void vfs_install(void);
// The write, sync, or the like after `count` others fails.
void vfs_fail_once(uint64_t count);
// It and all that follow fail.
void vfs_fail_from(uint64_t count);
// The read after `count` others fails, once.
void vfs_fail_read(uint64_t count);
void vfs_heal(void);
// Has one failed since it was told to?
bool vfs_has_failed(void);

#endif
