// database_sqlite.c - the database as a real SQLite file, which one coordinator
// owns: each write may fail, and a process that dies in the middle of a commit
// writes no more (vfs.h). Then the file is opened anew, as the next process
// finds it. It is set back by copies of its files.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "common/base/check.h"
#include "coordinator/store/job_run.h"
#include "coordinator/store/store.h"
#include "coordinator/store/store_sqlite.h"
#include "tests/sim/vfs.h"
#include "tests/sim/world.h"

enum {
    CHANGES_OF_COMMIT = 12, // at most so many of them go well before one fails
    READS_OF_JOB = 12,
    COPIES_MAX = 64,
    FRESH_SIZE_MAX = 4096, // rows of a few commits
};

// Copies by number: from `first` to before `next`.
struct file {
    char *path;
    uint64_t opened; // how often, so that each has a name of its own
    uint64_t first, next;
};

static struct file file; // one process of the simulator has one at a time

// ------------------------------------------------------------------ files

static const char *const parts[] = {"", "-wal", "-shm", "-lock"};

static void remove_files(const char *path)
{
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        char *part = ss_format("%s%s", path, parts[i]);
        ss_check(unlink(part) == 0 || errno == ENOENT);
        ss_free(part);
    }
}

static void copy_file(const char *from, const char *to)
{
    char some[65536];
    ssize_t size;
    int in = open(from, O_RDONLY | O_CLOEXEC);
    if (in < 0 && errno == ENOENT)
        return; // no log
    int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ss_check(in >= 0 && out >= 0);
    while ((size = read(in, some, sizeof(some))) > 0)
        ss_check(write(out, some, (size_t)size) == size);
    ss_check(size == 0 && close(in) == 0 && close(out) == 0);
}

// The file and its log; what is shared in memory is made anew.
static void copy_files(const char *from, const char *to)
{
    for (size_t i = 0; i < 2; i++) {
        char *old = ss_format("%s%s", from, parts[i]);
        char *new = ss_format("%s%s", to, parts[i]);
        copy_file(old, new);
        ss_free(old);
        ss_free(new);
    }
}

static char *copy_named(const struct world *world, uint64_t number)
{
    return ss_format("%s/copy-%d-%llu.db", world->options->folder,
        (int)getpid(), (unsigned long long)number);
}

static void forget_copies(struct world *world, uint64_t *number, uint64_t to)
{
    for (; *number < to; ++*number) {
        char *path = copy_named(world, *number);
        remove_files(path);
        ss_free(path);
    }
}

static void keep_copy(struct world *world)
{
    if (world->climate.set_back == 0)
        return;
    char *path = copy_named(world, file.next);
    copy_files(file.path, path);
    ss_free(path);
    file.next++;
    if (file.next - file.first > COPIES_MAX)
        forget_copies(world, &file.first, file.next - COPIES_MAX);
}

// ------------------------------------------------------------------ life

static void reopen(struct world *world)
{
    struct ss_error error = {0};
    char *url = ss_format("sqlite:%s", file.path);
    // A process that was killed moves nothing as it ends.
    struct ss_sqlite_store *store =
        (struct ss_sqlite_store *)world->database.inner;
    if (store)
        store->fresh.size = 0;
    ss_store_close(&world->database.inner);
    vfs_heal();
    if (ss_store_open(url, &world->database.inner, &error) != SS_OK)
        violated(world, "the file cannot be opened: %s", error.message);
    ss_free(url);
    // Rows of any batch, and few of them until they move.
    store = (struct ss_sqlite_store *)world->database.inner;
    store->fresh.units = 1;
    store->fresh.size_max = FRESH_SIZE_MAX;
}

static void name_file(struct world *world)
{
    ss_free(file.path);
    file.path = ss_format("%s/%d-%llu.db", world->options->folder,
        (int)getpid(), (unsigned long long)++file.opened);
}

static void open_sqlite(struct world *world)
{
    vfs_install();
    file.first = file.next = file.opened = 0;
    world->database.generation = 1;
    name_file(world);
    reopen(world);
}

static void close_sqlite(struct world *world)
{
    ss_store_close(&world->database.inner);
    remove_files(file.path);
    forget_copies(world, &file.first, file.next);
    ss_free(file.path);
    file.path = NULL;
}

static void start(struct coordinator *it)
{
    struct ss_store *store = it->process.world->database.inner;
    struct ss_error error = {0};
    it->links[LINK_APPENDS].store = store;
    if (ss_store_alone_epoch(
            store, coordinator_wall_us(it), &it->epoch, &error) != SS_OK)
        ss_check_failed(error.message, __FILE__, __LINE__);
    coordinator_live(it);
}

// What was on its way when it died is there, or is not, or was cut off in the
// middle of its writes.
static void lose(struct process *process)
{
    struct world *world = process->world;
    struct coordinator *it = &world->coordinators[process->index];
    struct store_link *link = &it->links[LINK_APPENDS];
    struct ss_jobs_stats stats = {0};
    struct ss_job *done = NULL;
    bool lands = link->running && !link->done &&
                 link->running->type == SS_JOB_APPLY &&
                 draw(world, 1000) < world->climate.commit_lands;
    if (!it->has_left)
        vfs_fail_from(lands ? draw(world, CHANGES_OF_COMMIT) : 0);
    if (lands)
        done = ss_jobs_run_some(link->store, it->epoch, &link->running, &stats);
    jobs_free(&done);
    jobs_free(&link->running);
    jobs_free(&link->queue);
    jobs_free(&link->done);
    *link = (struct store_link){0};
    if (!it->has_left && !vfs_has_failed())
        vfs_fail_from(0); // it does not close its file either
    reopen(world);
}

// ------------------------------------------------------------------ jobs

// Of a job that only looks, or of a commit, which looks before it writes.
static enum fault draw_failure(struct world *world, bool is_change)
{
    const struct climate *climate = &world->climate;
    if (strikes(world, climate->read_failed / (is_change ? 8 : 1))) {
        vfs_fail_read(draw(world, READS_OF_JOB));
        return FAULT_READ_FAILED;
    }
    if (!is_change)
        return FAULT_COUNT;
    uint64_t count = draw(world, CHANGES_OF_COMMIT);
    if (strikes(world, climate->commit_failed)) {
        vfs_fail_from(count);
        return FAULT_COMMIT_FAILED;
    }
    if (strikes(world, climate->commit_unsure)) {
        vfs_fail_once(count);
        return FAULT_COMMIT_UNSURE;
    }
    return FAULT_COUNT;
}

static void commit(struct process *process, size_t which)
{
    struct world *world = process->world;
    struct coordinator *it = &world->coordinators[process->index];
    struct store_link *link = &it->links[which];
    struct ss_jobs_stats stats = {0};
    bool is_change = link->running->type == SS_JOB_APPLY;
    enum fault fault = draw_failure(world, is_change);
    struct ss_job *done =
        ss_jobs_run_some(link->store, it->epoch, &link->running, &stats);
    if (fault != FAULT_COUNT && vfs_has_failed())
        note_fault(world, fault);
    vfs_heal();
    if (is_change && done->status == SS_OK)
        keep_copy(world);
    *jobs_end(&link->done) = done;
    agenda_add(&world->agenda, (struct errand){.at_ms = world->now_ms,
                                   .kind = ERRAND_HEARD,
                                   .who = process,
                                   .life = process->life,
                                   .what = which});
}

// ------------------------------------------------------------------ the past

static bool may_go_back(const struct world *world)
{
    (void)world;
    return file.next - file.first > 1;
}

// Its process is away (mishaps.c).
static void set_back(struct world *world)
{
    uint64_t count = file.next - file.first - 1;
    uint64_t lost = 1 + draw(world, draw(world, 2) && count > 6 ? 6 : count);
    char *path = copy_named(world, file.next - 1 - lost);
    ss_store_close(&world->database.inner);
    remove_files(file.path);
    name_file(world);
    copy_files(path, file.path);
    ss_free(path);
    reopen(world);
    forget_copies(world, &file.first, file.next);
    keep_copy(world);
    world->database.generation++;
    world->database.set_back_ms = world->now_ms;
}

static bool is_gone(const struct coordinator *it)
{
    (void)it;
    return false; // nobody has it open meanwhile
}

static uint16_t owner(struct world *world, uint16_t shard)
{
    (void)world;
    (void)shard;
    return 0;
}

const struct backing *backing_sqlite(void)
{
    static const struct backing backing = {.open = open_sqlite,
        .close = close_sqlite,
        .start = start,
        .commit = commit,
        .lose = lose,
        .may_go_back = may_go_back,
        .set_back = set_back,
        .is_gone = is_gone,
        .owner = owner};
    return &backing;
}
