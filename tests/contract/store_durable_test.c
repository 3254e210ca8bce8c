// What SQLite asks of the disk: every write and every sync of the store's files
// passes here. An answer may not come before what it rests on was synced, and a
// sync that fails is a commit that failed.
#include <check.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "tests/contract/store_world.h"
#include "tests/suite.h"

enum { ROWS = 60, LARGE = 200000 };

// ------------------------------------------------ a disk that is watched

// What of a kind of file a loss of power would take now.
struct watched {
    size_t writes, syncs;
    sqlite3_int64 unsynced; // bytes written since the last sync
    sqlite3_int64 size;
};

static struct {
    sqlite3_vfs vfs, *real;
    sqlite3_io_methods methods;
    struct watched log, base; // NAME-wal and NAME
    size_t base_before_log;   // the base was written, its log not synced yet
    size_t log_before_base;   // the log began anew, its base not synced yet
    unsigned syncs_to_fail;
} disk;

struct file {
    sqlite3_file head;
    struct watched *watched; // NULL: of no interest
    // the real one follows
};

static sqlite3_file *real_of(sqlite3_file *file)
{
    return (sqlite3_file *)((struct file *)(void *)file + 1);
}

static int on_close(sqlite3_file *file)
{
    return real_of(file)->pMethods->xClose(real_of(file));
}

static int on_read(sqlite3_file *file, void *to, int size, sqlite3_int64 offset)
{
    return real_of(file)->pMethods->xRead(real_of(file), to, size, offset);
}

static int on_write(
    sqlite3_file *file, const void *from, int size, sqlite3_int64 offset)
{
    struct watched *watched = ((struct file *)(void *)file)->watched;
    if (watched) {
        if (watched == &disk.base && disk.log.unsynced > 0)
            disk.base_before_log++;
        if (watched == &disk.log && offset == 0 && disk.base.unsynced > 0)
            disk.log_before_base++;
        watched->writes++;
        watched->unsynced += size;
        if (offset + size > watched->size)
            watched->size = offset + size;
    }
    return real_of(file)->pMethods->xWrite(real_of(file), from, size, offset);
}

static int on_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    struct watched *watched = ((struct file *)(void *)file)->watched;
    if (watched)
        watched->size = size;
    return real_of(file)->pMethods->xTruncate(real_of(file), size);
}

static int on_sync(sqlite3_file *file, int flags)
{
    struct watched *watched = ((struct file *)(void *)file)->watched;
    if (disk.syncs_to_fail > 0) {
        disk.syncs_to_fail--;
        return SQLITE_IOERR_FSYNC;
    }
    if (watched) {
        watched->syncs++;
        watched->unsynced = 0;
    }
    return real_of(file)->pMethods->xSync(real_of(file), flags);
}

static int on_size(sqlite3_file *file, sqlite3_int64 *ret_size)
{
    return real_of(file)->pMethods->xFileSize(real_of(file), ret_size);
}

static int on_lock(sqlite3_file *file, int level)
{
    return real_of(file)->pMethods->xLock(real_of(file), level);
}

static int on_unlock(sqlite3_file *file, int level)
{
    return real_of(file)->pMethods->xUnlock(real_of(file), level);
}

static int on_look(sqlite3_file *file, int *ret_locked)
{
    return real_of(file)->pMethods->xCheckReservedLock(
        real_of(file), ret_locked);
}

static int on_control(sqlite3_file *file, int op, void *argument)
{
    return real_of(file)->pMethods->xFileControl(real_of(file), op, argument);
}

static int on_sector(sqlite3_file *file)
{
    return real_of(file)->pMethods->xSectorSize(real_of(file));
}

static int on_traits(sqlite3_file *file)
{
    return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
}

static int on_map(
    sqlite3_file *file, int region, int size, int extend, void volatile **ret)
{
    return real_of(file)->pMethods->xShmMap(
        real_of(file), region, size, extend, ret);
}

static int on_shared_lock(sqlite3_file *file, int offset, int n, int flags)
{
    return real_of(file)->pMethods->xShmLock(real_of(file), offset, n, flags);
}

static void on_barrier(sqlite3_file *file)
{
    real_of(file)->pMethods->xShmBarrier(real_of(file));
}

static int on_unmap(sqlite3_file *file, int delete)
{
    return real_of(file)->pMethods->xShmUnmap(real_of(file), delete);
}

static int on_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file,
    int flags, int *ret_flags)
{
    struct file *it = (struct file *)(void *)file;
    (void)vfs;
    it->watched = flags & SQLITE_OPEN_WAL       ? &disk.log
                  : flags & SQLITE_OPEN_MAIN_DB ? &disk.base
                                                : NULL;
    it->head.pMethods = NULL;
    int code =
        disk.real->xOpen(disk.real, name, real_of(file), flags, ret_flags);
    if (real_of(file)->pMethods)
        it->head.pMethods = &disk.methods;
    return code;
}

static void watch_disk(void)
{
    sqlite3_initialize();
    disk.real = sqlite3_vfs_find(NULL);
    disk.vfs = *disk.real;
    disk.vfs.zName = "watched";
    disk.vfs.szOsFile += (int)sizeof(struct file);
    disk.vfs.xOpen = on_open;
    disk.methods = (sqlite3_io_methods){2, on_close, on_read, on_write,
        on_truncate, on_sync, on_size, on_lock, on_unlock, on_look, on_control,
        on_sector, on_traits, on_map, on_shared_lock, on_barrier, on_unmap,
        NULL, NULL};
    ck_assert_int_eq(sqlite3_vfs_register(&disk.vfs, 1), SQLITE_OK);
}

// ------------------------------------------------ the store on it

static struct ss_store *store;

static void setup(void)
{
    watch_disk();
    world_begin();
    int status = ss_store_open(world_path("s.db"), &store, &world_error);
    ck_assert_msg(status == SS_OK, "%s", world_error.message);
}

static void teardown(void)
{
    ss_store_close(&store);
    world_end();
}

START_TEST(no_answer_comes_before_its_commit_is_synced)
{
    for (uint64_t seq = 1; seq <= ROWS; seq++) {
        size_t writes = disk.log.writes, syncs = disk.log.syncs;
        ck_assert_int_eq(append_row(store, "t", seq, "a row"), SS_OK);
        ck_assert_uint_gt(disk.log.writes, writes);
        ck_assert_uint_gt(disk.log.syncs, syncs);
        ck_assert_int_eq(disk.log.unsynced, 0);
    }
    struct ss_store_put put = {
        .table = SS_TABLE_RUNS, .key = "k", .value = "v", .value_size = 1};
    ck_assert_int_eq(put_entry(store, &put), SS_OK);
    ck_assert_int_eq(disk.log.unsynced, 0);
    struct ss_store_unit all = {.thread = "t", .delete_thread = true};
    ck_assert_int_eq(apply_unit(store, &all), SS_OK);
    ck_assert_int_eq(disk.log.unsynced, 0);
}
END_TEST

START_TEST(what_queued_up_is_one_sync)
{
    struct ss_store_row rows[ROWS];
    struct ss_store_unit units[ROWS];
    char names[ROWS][16];
    for (size_t i = 0; i < ROWS; i++) {
        snprintf(names[i], sizeof(names[i]), "t%zu", i);
        rows[i] = row_of(names[i], 1, "a row");
        units[i] = (struct ss_store_unit){
            .thread = names[i], .rows = &rows[i], .rows_count = 1};
    }
    struct ss_store_batch batch = {.units = units, .units_count = ROWS};
    size_t syncs = disk.log.syncs;
    ck_assert_int_eq(ss_store_apply(store, &batch, &world_error), SS_OK);
    ck_assert_uint_eq(disk.log.syncs, syncs + 1);
    ck_assert_int_eq(disk.log.unsynced, 0);
}
END_TEST

// The log moves into the base while it grows, each behind the other's sync, and
// so stays small.
START_TEST(the_log_moves_into_the_base_in_the_order_that_a_crash_allows)
{
    char *large = ss_zalloc(LARGE + 1, 1);
    memset(large, 'x', LARGE);
    for (uint64_t seq = 1; seq <= ROWS; seq++)
        ck_assert_int_eq(append_row(store, "t", seq, large), SS_OK);
    ss_free(large);
    ck_assert_uint_gt(disk.base.writes, ROWS);
    ck_assert_uint_gt(disk.base.syncs, 0);
    ck_assert_uint_eq(disk.base_before_log, 0);
    ck_assert_uint_eq(disk.log_before_base, 0);
    ck_assert_int_lt(disk.log.size, 16777216); // what it is kept to
}
END_TEST

// The kernel tells of a page that it could not write once only: whoever goes on
// behind that has lost it.
START_TEST(a_sync_that_fails_is_a_commit_that_failed)
{
    ck_assert_int_eq(append_row(store, "t", 1, "one"), SS_OK);
    disk.syncs_to_fail = UINT_MAX;
    int status = append_row(store, "t", 2, "two");
    ck_assert_int_ne(status, SS_OK);
    ck_assert_ptr_nonnull(strstr(world_error.message, "s.db"));
    disk.syncs_to_fail = 0;
    ck_assert_str_eq(all_rows(store, "t"), "1:one");
}
END_TEST

START_TEST(the_note_of_a_stop_is_tried_again_where_its_commit_failed)
{
    struct ss_error error;
    bool was_stopped = false;
    disk.syncs_to_fail = 1;
    ck_assert_int_eq(ss_store_alone_end(store, &error), SS_OK);
    ck_assert_uint_eq(disk.syncs_to_fail, 0);
    ck_assert_int_eq(ss_store_alone_begin(store, &was_stopped, &error), SS_OK);
    ck_assert(was_stopped);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        no_answer_comes_before_its_commit_is_synced,
        what_queued_up_is_one_sync,
        the_log_moves_into_the_base_in_the_order_that_a_crash_allows,
        a_sync_that_fails_is_a_commit_that_failed,
        the_note_of_a_stop_is_tried_again_where_its_commit_failed,
    };
    Suite *suite = suite_create("store_durable");
    TCase *tcase = tcase_create("sqlite");
    tcase_add_checked_fixture(tcase, setup, teardown);
    for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
