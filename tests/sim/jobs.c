// jobs.c - a child for each job, which reports seed by seed through a pipe. A
// check that fails ends the child; the next child goes on behind that seed.
#include "tests/sim/jobs.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/check.h"
#include "common/base/ids.h"

enum { PROGRESS_MS = 2000 };

struct job {
    pid_t pid;
    int fd;
    uint64_t next; // the number that it is at
};

struct tally {
    SS_VEC(struct report) reports;
    SS_VEC(uint64_t) failed; // seeds
    struct timespec began, told;
};

static uint64_t seed_of(const struct range *range, uint64_t number)
{
    uint64_t both[2] = {range->drawn_from, number};
    return range->drawn_from ? ss_hash64(both, sizeof(both)) : number;
}

// ------------------------------------------------------------------ a child

// A life on a PostgreSQL takes as long as twenty on the model: one of four is
// lived twice there, where nothing else is said.
static bool lives_twice(const struct range *range, uint64_t at)
{
    uint64_t usual = range->options.store == STORE_POSTGRES ? 4 : 1;
    return at % (range->twice > 0 ? range->twice : usual) == 0;
}

static void report_all(const struct range *range, uint64_t from, int fd)
{
    for (uint64_t at = from; at <= range->last; at += range->jobs) {
        uint64_t seed = seed_of(range, at);
        struct report once = simulate(seed, &range->options);
        struct report again =
            lives_twice(range, at) ? simulate(seed, &range->options) : once;
        if (once.digest != again.digest) {
            fprintf(stderr,
                "seed %" PRIu64 ": two lives of it differ\n"
                "  replay: sim %s--seeds %" PRIu64 ":%" PRIu64 "\n",
                seed, sim_store_option(range->options.store), seed, seed);
            _exit(1);
        }
        if (write(fd, &once, sizeof(once)) != (ssize_t)sizeof(once))
            _exit(1);
    }
    _exit(0);
}

static void start(const struct range *range, struct job *job)
{
    int ends[2];
    job->fd = -1;
    if (job->next > range->last)
        return;
    ss_check(pipe(ends) == 0);
    fflush(stdout);
    fflush(stderr);
    job->pid = fork();
    ss_check(job->pid >= 0);
    if (job->pid == 0) {
        close(ends[0]);
        report_all(range, job->next, ends[1]);
    }
    close(ends[1]);
    job->fd = ends[0];
}

// ------------------------------------------------------------------ the parent

static double seconds_since(const struct timespec *then)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - then->tv_sec) +
           (double)(now.tv_nsec - then->tv_nsec) / 1e9;
}

static void tell_progress(const struct range *range, struct tally *tally)
{
    if (seconds_since(&tally->told) * 1000 < PROGRESS_MS)
        return;
    clock_gettime(CLOCK_MONOTONIC, &tally->told);
    double took = seconds_since(&tally->began);
    double done = (double)tally->reports.count;
    double all = (double)(range->last - range->first + 1);
    double rate = done / took;
    fprintf(stderr,
        "%.0f of %.0f seeds, %zu failed, %.1f a second, %.0f s left\n", done,
        all, tally->failed.count, rate, rate > 0 ? (all - done) / rate : 0.0);
}

// False: the child has ended.
static bool take_report(struct job *job, struct tally *tally, unsigned stride)
{
    struct report report;
    ssize_t size;
    do
        size = read(job->fd, &report, sizeof(report));
    while (size < 0 && errno == EINTR);
    if (size != (ssize_t)sizeof(report))
        return false;
    SS_VEC_PUSH(&tally->reports, report);
    job->next += stride;
    return true;
}

// How the child ended; false: its seed failed.
static bool reap(
    const struct range *range, struct job *job, struct tally *tally)
{
    int status = 0;
    close(job->fd);
    job->fd = -1;
    ss_check(waitpid(job->pid, &status, 0) == job->pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    uint64_t seed = seed_of(range, job->next);
    if (WIFSIGNALED(status))
        fprintf(stderr,
            "seed %" PRIu64 ": the process ended by signal %d\n"
            "  replay: sim %s--seeds %" PRIu64 ":%" PRIu64 " --narrate\n",
            seed, WTERMSIG(status), sim_store_option(range->options.store),
            seed, seed);
    SS_VEC_PUSH(&tally->failed, seed);
    job->next += range->jobs;
    return false;
}

static void run_children(const struct range *range, struct tally *tally)
{
    struct job jobs[JOBS_MAX];
    bool goes_on = true;
    for (unsigned i = 0; i < range->jobs; i++) {
        jobs[i] = (struct job){.next = range->first + i};
        start(range, &jobs[i]);
    }
    for (;;) {
        struct pollfd fds[JOBS_MAX];
        size_t open = 0;
        for (unsigned i = 0; i < range->jobs; i++) {
            fds[i] = (struct pollfd){.fd = jobs[i].fd, .events = POLLIN};
            open += jobs[i].fd >= 0;
        }
        if (open == 0)
            return;
        (void)poll(fds, range->jobs, PROGRESS_MS);
        for (unsigned i = 0; i < range->jobs; i++) {
            if (!(fds[i].revents & (POLLIN | POLLHUP | POLLERR)) ||
                take_report(&jobs[i], tally, range->jobs))
                continue;
            goes_on =
                (reap(range, &jobs[i], tally) || range->keep_going) && goes_on;
            if (goes_on)
                start(range, &jobs[i]);
        }
        tell_progress(range, tally);
    }
}

// ------------------------------------------------ the summary

static int by_steps(const void *a, const void *b)
{
    const struct report *left = a, *right = b;
    return (left->steps > right->steps) - (left->steps < right->steps);
}

static int by_faults(const void *a, const void *b)
{
    uint64_t left = report_faults(a), right = report_faults(b);
    return (left > right) - (left < right);
}

static void summarize(struct tally *tally)
{
    static const char *const names[FAULT_COUNT] = {
#define X(name, text) text,
#include "tests/sim/faults.def"
#undef X
    };
    static const char *const chores[CHORE_COUNT] = {
#define X(name, text, between) text,
#include "tests/sim/chores.def"
#undef X
    };
    struct report sum = {0};
    size_t count = tally->reports.count;
    struct report *items = tally->reports.items;
    for (size_t i = 0; i < count; i++) {
        sum.runs += items[i].runs;
        sum.seconds += items[i].seconds;
        sum.coordinator_crashes += items[i].coordinator_crashes;
        sum.bodies += items[i].bodies;
        sum.bodies_again += items[i].bodies_again;
        sum.rolled += items[i].rolled;
        sum.migrated += items[i].migrated;
        sum.chosen += items[i].chosen;
        sum.cached += items[i].cached;
        sum.items += items[i].items;
        sum.quarantined += items[i].quarantined;
        sum.digest ^= ss_hash64(&items[i], 2 * sizeof(uint64_t));
        sum.taken_back += items[i].taken_back;
        sum.evicted += items[i].evicted;
        sum.held += items[i].held;
        sum.said += items[i].said;
        sum.connected += items[i].connected;
        for (size_t d = 0; d < CHORE_COUNT; d++)
            sum.chores[d] += items[i].chores[d];
        for (size_t f = 0; f < FAULT_COUNT; f++)
            sum.faults[f] += items[i].faults[f];
    }
    printf("%zu seeds, %zu failed", count + tally->failed.count,
        tally->failed.count);
    if (count > 0) {
        qsort(items, count, sizeof(*items), by_steps);
        printf("; median: %" PRIu64 " engine steps", items[count / 2].steps);
        qsort(items, count, sizeof(*items), by_faults);
        printf(", %" PRIu64 " faults", report_faults(&items[count / 2]));
    }
    printf("; %" PRIu64 " runs, %" PRIu64 " in quarantine, %" PRIu64
           " taken back",
        sum.runs, sum.quarantined, sum.taken_back);
    for (size_t d = 0; d < CHORE_COUNT; d++)
        printf(", %" PRIu64 " %s", sum.chores[d], chores[d]);
    printf(", %" PRIu64 " evicted", sum.evicted);
    printf("; coordinators ended %" PRIu64 " times;", sum.coordinator_crashes);
    printf(" %" PRIu64 " bodies, %" PRIu64 " begun again;", sum.bodies,
        sum.bodies_again);
    printf(" %" PRIu64 " results kept, %" PRIu64
           " versions rolled out, %" PRIu64 " runs moved, %" PRIu64
           " begun as what is served, %" PRIu64 " live items, %" PRIu64
           " graphs held back, %" PRIu64 " facts said, %" PRIu64
           " connections made;",
        sum.cached, sum.rolled, sum.migrated, sum.chosen, sum.items, sum.held,
        sum.said, sum.connected);
    for (size_t f = 0; f < FAULT_COUNT; f++)
        printf("%s %" PRIu64 " %s", f ? "," : "", sum.faults[f], names[f]);
    printf("; %" PRIu64 " simulated seconds in %.1f, digest %016" PRIx64 "\n",
        sum.seconds, seconds_since(&tally->began), sum.digest);
}

int jobs_run(const struct range *range)
{
    struct tally tally = {0};
    clock_gettime(CLOCK_MONOTONIC, &tally.began);
    tally.told = tally.began;
    if (range->options.narrate)
        for (uint64_t at = range->first; at <= range->last; at++)
            SS_VEC_PUSH(
                &tally.reports, simulate(seed_of(range, at), &range->options));
    else
        run_children(range, &tally);
    bool failed = tally.failed.count > 0;
    summarize(&tally);
    SS_VEC_FINI(&tally.reports);
    SS_VEC_FINI(&tally.failed);
    return failed ? 1 : 0;
}
