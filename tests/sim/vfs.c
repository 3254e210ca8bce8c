// vfs.c - the system's own way to files, with a count of what changes them.
#include "tests/sim/vfs.h"

#include <sqlite3.h>
#include <stddef.h>

#include "common/base/check.h"

struct file {
    sqlite3_file base;
    sqlite3_file *real; // behind this
};

static sqlite3_vfs *real_vfs;
static sqlite3_vfs own_vfs;

// The one after so many that go well fails, and, if it stays so, all behind it.
struct trap {
    uint64_t left; // UINT64_MAX: none fails
    bool stays;
};

static const struct trap none = {.left = UINT64_MAX};
static struct trap changes = {.left = UINT64_MAX}, reads = {.left = UINT64_MAX};
static bool has_failed;

static void set(struct trap *trap, uint64_t count, bool stays)
{
    *trap = (struct trap){count, stays};
    has_failed = false;
}

void vfs_fail_once(uint64_t count)
{
    set(&changes, count, false);
}

void vfs_fail_from(uint64_t count)
{
    set(&changes, count, true);
}

void vfs_fail_read(uint64_t count)
{
    set(&reads, count, false);
}

void vfs_heal(void)
{
    changes = reads = none;
}

bool vfs_has_failed(void)
{
    return has_failed;
}

static bool is_caught(struct trap *trap)
{
    if (trap->left == UINT64_MAX)
        return false;
    if (trap->left > 0) {
        trap->left--;
        return false;
    }
    has_failed = true;
    if (!trap->stays)
        *trap = none;
    return true;
}

static bool fails(void)
{
    return is_caught(&changes);
}

// ------------------------------------------------------------------ files

static sqlite3_file *real_of(sqlite3_file *file)
{
    return ((struct file *)file)->real;
}

static int file_close(sqlite3_file *file)
{
    return real_of(file)->pMethods->xClose(real_of(file));
}

static int file_read(
    sqlite3_file *file, void *bytes, int size, sqlite3_int64 at)
{
    return is_caught(&reads)
               ? SQLITE_IOERR_READ
               : real_of(file)->pMethods->xRead(real_of(file), bytes, size, at);
}

static int file_write(
    sqlite3_file *file, const void *bytes, int size, sqlite3_int64 at)
{
    return fails() ? SQLITE_IOERR_WRITE
                   : real_of(file)->pMethods->xWrite(
                         real_of(file), bytes, size, at);
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    return fails() ? SQLITE_IOERR_TRUNCATE
                   : real_of(file)->pMethods->xTruncate(real_of(file), size);
}

static int file_sync(sqlite3_file *file, int flags)
{
    return fails() ? SQLITE_IOERR_FSYNC
                   : real_of(file)->pMethods->xSync(real_of(file), flags);
}

static int file_size(sqlite3_file *file, sqlite3_int64 *ret_size)
{
    return real_of(file)->pMethods->xFileSize(real_of(file), ret_size);
}

static int file_lock(sqlite3_file *file, int kind)
{
    return real_of(file)->pMethods->xLock(real_of(file), kind);
}

static int file_unlock(sqlite3_file *file, int kind)
{
    return real_of(file)->pMethods->xUnlock(real_of(file), kind);
}

static int file_is_reserved(sqlite3_file *file, int *ret_reserved)
{
    return real_of(file)->pMethods->xCheckReservedLock(
        real_of(file), ret_reserved);
}

static int file_control(sqlite3_file *file, int operation, void *argument)
{
    return real_of(file)->pMethods->xFileControl(
        real_of(file), operation, argument);
}

static int file_sector_size(sqlite3_file *file)
{
    return real_of(file)->pMethods->xSectorSize(real_of(file));
}

static int file_traits(sqlite3_file *file)
{
    return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
}

static int file_shm_map(sqlite3_file *file, int page, int size, int extend,
    void volatile **ret_memory)
{
    return real_of(file)->pMethods->xShmMap(
        real_of(file), page, size, extend, ret_memory);
}

static int file_shm_lock(sqlite3_file *file, int from, int count, int flags)
{
    return real_of(file)->pMethods->xShmLock(real_of(file), from, count, flags);
}

static void file_shm_barrier(sqlite3_file *file)
{
    real_of(file)->pMethods->xShmBarrier(real_of(file));
}

static int file_shm_unmap(sqlite3_file *file, int delete)
{
    return real_of(file)->pMethods->xShmUnmap(real_of(file), delete);
}

// ------------------------------------------------------------------ the system

static int vfs_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *base,
    int flags, int *ret_flags)
{
    static const sqlite3_io_methods methods = {.iVersion = 2,
        .xClose = file_close,
        .xRead = file_read,
        .xWrite = file_write,
        .xTruncate = file_truncate,
        .xSync = file_sync,
        .xFileSize = file_size,
        .xLock = file_lock,
        .xUnlock = file_unlock,
        .xCheckReservedLock = file_is_reserved,
        .xFileControl = file_control,
        .xSectorSize = file_sector_size,
        .xDeviceCharacteristics = file_traits,
        .xShmMap = file_shm_map,
        .xShmLock = file_shm_lock,
        .xShmBarrier = file_shm_barrier,
        .xShmUnmap = file_shm_unmap};
    struct file *file = (struct file *)base;
    (void)vfs;
    file->base.pMethods = NULL;
    file->real = (sqlite3_file *)(file + 1);
    int code = real_vfs->xOpen(real_vfs, path, file->real, flags, ret_flags);
    if (file->real->pMethods)
        file->base.pMethods = &methods;
    return code;
}

// A dead process removes nothing either: the next one finds its log.
static int vfs_delete(sqlite3_vfs *vfs, const char *path, int sync)
{
    (void)vfs;
    return fails() ? SQLITE_IOERR_DELETE
                   : real_vfs->xDelete(real_vfs, path, sync);
}

void vfs_install(void)
{
    if (real_vfs)
        return;
    real_vfs = sqlite3_vfs_find(NULL);
    ss_check(real_vfs);
    own_vfs = *real_vfs;
    own_vfs.pNext = NULL;
    own_vfs.zName = "sim";
    own_vfs.szOsFile = (int)sizeof(struct file) + real_vfs->szOsFile;
    own_vfs.xOpen = vfs_open;
    own_vfs.xDelete = vfs_delete;
    ss_check(sqlite3_vfs_register(&own_vfs, 1) == SQLITE_OK);
    // what was read is not kept for long: else nothing is left to be read
    sqlite3_soft_heap_limit64(1);
}
