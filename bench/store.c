// store.c - what an append to PostgreSQL costs, beside pgbench.
//
//     bench-store [SECONDS [TURNS]] [--json]
//
// A private server with fsync on. The same row of 250 bytes goes in, one
// client, in commits of 1, 10 and 100 rows of as many threads: once by the
// store, with its fence, its look at each thread's head and its all-or-nothing;
// once by pgbench, as one INSERT of so many rows of VALUES, which looks at
// nothing (and has all values but one in its text, so that its server reads
// none). They take turns; the rates are medians, and the ratio is the median of
// the ratios of neighbouring turns.
//
// Beside the rates stands the processor time that a row took, of the server and
// its client together, over all turns: on a machine that does other things as
// well the rates say little, and the times still compare. Measure a release
// build: pgbench is one.
//
// Then the same rows as a coordinator appends them (store_actors.h): 256
// threads, each with one row on its way, over 1, 2 and 4 connections.
#include <dirent.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/app/clock.h"
#include "common/base/mem.h"
#include "coordinator/store/store_actors.h"
#include "tests/support/postgres_server.h"

enum {
    SECONDS = 1,
    SECONDS_MAX = 600,
    TURNS_MAX = 7,
    BODY = 250,
    BATCH_MAX = 100
};
enum { SKIPPED = 77, THREADS = 256, CROWDS = 3 };

static void complain(const char *what, const char *why)
{
    fprintf(stderr, "bench-store: %s: %s\n", what, why);
    exit(1);
}

static bool is_json;
static int turns = TURNS_MAX;
static char body[BODY + 1];

static struct ss_store_row row_of(const char *thread, uint64_t seq)
{
    return (struct ss_store_row){.thread = thread,
        .seq = seq,
        .kind = 2,
        .format = 1,
        .run = "1f0a5c1e-0000-6000-8000-000000000001",
        .ns = "",
        .checkpoint_id = "1f0a5c1e-0000-6000-8000-000000000002",
        .parent_id = "1f0a5c1e-0000-6000-8000-000000000003",
        .parent_seq = 1,
        .base_seq = 1,
        .source = "loop",
        .step = 1,
        .wall_us = INT64_C(1700000000000000),
        .checksum = 1234567890123456789,
        .body = body,
        .body_size = BODY};
}

// --- processor time ---------------------------------------------------------

static double seconds_of(const struct rusage *usage)
{
    return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
           (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e6;
}

// Of the server or one of its children by /proc/PID/stat, with those that
// ended; 0: it is none.
static double seconds_of_process(const char *pid, long server)
{
    char path[300], text[1024] = "";
    long parent = 0;
    unsigned long user = 0, system = 0, ended_user = 0, ended_system = 0;
    (void)snprintf(path, sizeof(path), "/proc/%s/stat", pid);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    (void)!fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    const char *behind = strrchr(text, ')'); // its name may hold anything
    if (!behind ||
        sscanf(behind,
            ") %*c %ld %*d %*d %*d %*d %*u %*u %*u %*u"
            " %*u %lu %lu %lu %lu",
            &parent, &user, &system, &ended_user, &ended_system) != 5)
        return 0;
    if (parent != server && strtol(pid, NULL, 10) != server)
        return 0;
    return (double)(user + system + ended_user + ended_system) /
           (double)sysconf(_SC_CLK_TCK);
}

// Of this process, what it has waited for, and the server's sessions.
static double processor_seconds(const struct postgres_server *server)
{
    struct rusage usage;
    char *path = ss_format("%s/postmaster.pid", postgres_server_data(server));
    char line[32] = "";
    FILE *file = fopen(path, "r");
    if (!file || !fgets(line, sizeof(line), file))
        complain(path, "cannot be read");
    fclose(file);
    ss_free(path);
    double sum = 0;
    (void)getrusage(RUSAGE_SELF, &usage);
    sum += seconds_of(&usage);
    (void)getrusage(RUSAGE_CHILDREN, &usage);
    sum += seconds_of(&usage);
    DIR *folder = opendir("/proc");
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
            sum += seconds_of_process(entry->d_name, strtol(line, NULL, 10));
    if (folder)
        closedir(folder);
    return sum;
}

// --- the store --------------------------------------------------------------

struct appends {
    struct ss_store *store;
    uint64_t epoch;
    uint64_t seq[BATCH_MAX + 1]; // the last one of the threads of each batch
};

static void append(struct appends *appends, size_t count)
{
    char names[BATCH_MAX][32];
    struct ss_store_row rows[BATCH_MAX];
    struct ss_store_unit units[BATCH_MAX];
    struct ss_store_batch batch = {
        .epoch = appends->epoch, .units = units, .units_count = count};
    uint64_t seq = ++appends->seq[count];
    for (size_t i = 0; i < count; i++) {
        (void)snprintf(
            names[i], sizeof(names[i]), "thread-%zu-%zu", count, i + 1);
        rows[i] = row_of(names[i], seq);
        units[i] = (struct ss_store_unit){
            .thread = names[i], .rows = &rows[i], .rows_count = 1};
    }
    struct ss_error error = {0};
    if (ss_store_apply(appends->store, &batch, &error) != SS_OK)
        complain("append", error.message);
    for (size_t i = 0; i < count; i++)
        if (units[i].result != SS_OK)
            complain("append", ss_status_name(units[i].result));
}

static double store_turn(struct appends *appends, size_t count, int seconds)
{
    int64_t begin = ss_clock_us();
    int64_t end = begin + (int64_t)seconds * 1000000;
    int64_t now = begin;
    size_t commits = 0;
    for (; now < end; now = ss_clock_us(), commits++)
        append(appends, count);
    return (double)(commits * count) * 1e6 / (double)(now - begin);
}

// --- pgbench ----------------------------------------------------------------

static void script_write(const char *path, size_t count)
{
    FILE *file = fopen(path, "w");
    if (!file)
        complain(path, "cannot be written");
    struct ss_store_row row = row_of("", 0);
    fprintf(file, "\\set n :n + 1\nINSERT INTO rival.journal VALUES ");
    for (size_t i = 0; i < count; i++)
        fprintf(file,
            "%s('thread-%zu-%zu', :n, %d, %d, '%s', '', '%s', '%s', 1, 1, '%s',"
            " 1, %lld, NULL, %llu, '%s')",
            i > 0 ? ", " : "", count, i + 1, (int)row.kind, (int)row.format,
            row.run, row.checkpoint_id, row.parent_id, row.source,
            (long long)row.wall_us, (unsigned long long)row.checksum, body);
    fprintf(file, ";\n");
    fclose(file);
}

// pgbench with the script at `path`; what it says can be read from *ret_output.
static pid_t pgbench_start(const struct postgres_server *server,
    const char *path, int seconds, uint64_t first, FILE **ret_output)
{
    int ends[2];
    char *program = ss_format("%s/pgbench", postgres_server_programs());
    char *time = ss_format("%d", seconds);
    char *number = ss_format("n=%llu", (unsigned long long)first);
    const char *argv[] = {program, "-n", "-M", "prepared", "-c", "1", "-T",
        time, "-D", number, "-f", path, postgres_server_url(server), NULL};
    if (pipe(ends) != 0)
        complain("pgbench", "no pipe");
    pid_t child = fork();
    if (child == 0) {
        (void)dup2(ends[1], STDOUT_FILENO);
        (void)dup2(ends[1], STDERR_FILENO);
        (void)close(ends[0]);
        (void)close(ends[1]);
        execv(program, (char *const *)argv);
        _exit(127);
    }
    (void)close(ends[1]);
    *ret_output = fdopen(ends[0], "r");
    if (child < 0 || !*ret_output)
        complain("pgbench", "cannot be started");
    ss_free(program);
    ss_free(time);
    ss_free(number);
    return child;
}

// `first`: behind all numbers of the turns before.
static double pgbench_turn(const struct postgres_server *server, size_t count,
    int seconds, uint64_t first)
{
    char path[] = "/tmp/ss-bench-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0)
        complain(path, "cannot be made");
    (void)close(fd);
    script_write(path, count);
    FILE *output = NULL;
    pid_t child = pgbench_start(server, path, seconds, first, &output);
    char line[512] = "", last[512] = "";
    double tps = 0;
    int how = -1;
    while (fgets(line, sizeof(line), output)) {
        (void)sscanf(line, "tps = %lf", &tps);
        memcpy(last, line, sizeof(last));
    }
    (void)fclose(output);
    if (waitpid(child, &how, 0) != child || how != 0 || tps <= 0)
        complain("pgbench", last);
    (void)remove(path);
    return tps * (double)count;
}

// --- both -------------------------------------------------------------------

static struct ss_store *open_schema(
    const struct postgres_server *server, const char *schema)
{
    struct ss_store *store = NULL;
    struct ss_error error = {0};
    char *url = ss_format("%s&schema=%s", postgres_server_url(server), schema);
    if (ss_store_open(url, &store, &error) != SS_OK)
        complain("open", error.message);
    ss_free(url);
    return store;
}

struct side {
    double rates[TURNS_MAX]; // rows a second
    double rows;             // of all turns
    double processor;        // seconds
};

static void side_add(struct side *side, int turn, double rate, int seconds)
{
    side->rates[turn] = rate;
    side->rows += rate * seconds;
}

static int by_size(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return left < right ? -1 : left > right;
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof(*values), by_size);
    return values[count / 2];
}

static void compare(const struct postgres_server *server,
    struct appends *appends, size_t count, int seconds)
{
    struct side ours = {{0}, 0, 0}, theirs = {{0}, 0, 0};
    double ratios[TURNS_MAX];
    for (int i = 0; i < turns; i++) {
        double begin = processor_seconds(server);
        side_add(&ours, i, store_turn(appends, count, seconds), seconds);
        double middle = processor_seconds(server);
        side_add(&theirs, i,
            pgbench_turn(server, count, seconds, (uint64_t)i << 32), seconds);
        ours.processor += middle - begin;
        theirs.processor += processor_seconds(server) - middle;
        ratios[i] = ours.rates[i] / theirs.rates[i];
    }
    double us = 1e6 * ours.processor / ours.rows;
    double their_us = 1e6 * theirs.processor / theirs.rows;
    static const char *const forms[] = {
        "%5zu  %9.0f rows/s  %9.0f rows/s  %6.2f  %7.1f us  %7.1f us  "
        "%6.2f\n",
        "{\"batch\": %zu, \"store\": %.0f, \"pgbench\": %.0f, \"ratio\": "
        "%.3f, \"store_us\": %.2f, \"pgbench_us\": %.2f, \"us_ratio\": "
        "%.3f}\n"};
    printf(forms[is_json], count, median(ours.rates, (size_t)turns),
        median(theirs.rates, (size_t)turns), median(ratios, (size_t)turns), us,
        their_us, their_us / us);
    (void)fflush(stdout);
}

// --- several connections ----------------------------------------------------

// Threads that append by several connections, each one row at a time.
struct crowd {
    size_t connections;
    struct ss_store_actors *actors;
    char names[THREADS][32];
    uint64_t seq[THREADS];
};

static void crowd_open(const struct postgres_server *server,
    struct crowd *crowd, size_t connections)
{
    struct ss_store *stores[SS_STORE_ACTORS_MAX];
    uint64_t epochs[SS_STORE_ACTORS_MAX];
    struct ss_error error = {0};
    char name[32];
    (void)snprintf(name, sizeof(name), "crowd-%zu", connections);
    crowd->connections = connections;
    for (size_t i = 0; i < connections; i++) {
        stores[i] = open_schema(server, "superstep");
        if (ss_store_fence_take(stores[i], name, (int)i, &epochs[i], &error) !=
            SS_OK)
            complain("fence", error.message);
    }
    if (ss_store_actors_start(stores, connections, &crowd->actors, &error) !=
        SS_OK)
        complain("actors", error.message);
    for (size_t i = 0; i < connections; i++)
        ss_store_actors_fence(crowd->actors, i, epochs[i]);
    for (size_t i = 0; i < THREADS; i++)
        (void)snprintf(
            crowd->names[i], sizeof(crowd->names[i]), "%s-%zu", name, i);
}

static void crowd_append(struct crowd *crowd, size_t thread)
{
    struct ss_store_row row =
        row_of(crowd->names[thread], ++crowd->seq[thread]);
    const struct ss_store_unit unit = {
        .thread = row.thread, .rows = &row, .rows_count = 1};
    ss_store_actors_submit(crowd->actors, ss_job_apply(thread, &unit));
}

static struct ss_job *crowd_await(struct crowd *crowd)
{
    struct ss_job *job;
    int fds[SS_STORE_ACTORS_MAX];
    struct pollfd polled[SS_STORE_ACTORS_MAX];
    size_t count = ss_store_actors_fds(crowd->actors, fds);
    while (!(job = ss_store_actors_take(crowd->actors))) {
        for (size_t i = 0; i < count; i++)
            polled[i] = (struct pollfd){.fd = fds[i], .events = POLLIN};
        (void)poll(polled, (nfds_t)count, -1);
    }
    if (job->status != SS_OK)
        complain("append", job->error.message);
    return job;
}

static double crowd_turn(struct crowd *crowd, int seconds)
{
    int64_t begin = ss_clock_us();
    int64_t end = begin + (int64_t)seconds * 1000000;
    size_t out = THREADS, rows = 0;
    for (size_t i = 0; i < THREADS; i++)
        crowd_append(crowd, i);
    for (; out > 0; out--, rows++) {
        struct ss_job *job = crowd_await(crowd);
        if (ss_clock_us() < end) {
            crowd_append(crowd, (size_t)job->tag);
            out++;
        }
        ss_job_destroy(&job);
    }
    return (double)rows * 1e6 / (double)(ss_clock_us() - begin);
}

static void crowds_compare(const struct postgres_server *server, int seconds)
{
    static const size_t connections[CROWDS] = {1, 2, 4};
    struct side sides[CROWDS];
    struct crowd *crowds = ss_zalloc(CROWDS, sizeof(*crowds));
    memset(sides, 0, sizeof(sides));
    for (size_t i = 0; i < CROWDS; i++)
        crowd_open(server, &crowds[i], connections[i]);
    for (int turn = 0; turn < turns; turn++)
        for (size_t i = 0; i < CROWDS; i++) {
            double before = processor_seconds(server);
            side_add(&sides[i], turn, crowd_turn(&crowds[i], seconds), seconds);
            sides[i].processor += processor_seconds(server) - before;
        }
    if (!is_json)
        printf("%d threads\nconnections         rows   rows a commit"
               "   processor: a row\n",
            THREADS);
    for (size_t i = 0; i < CROWDS; i++) {
        struct ss_store_actor_stats stats =
            ss_store_actors_stats(crowds[i].actors);
        static const char *const forms[] = {
            "%11zu  %9.0f/s  %14.1f  %14.1f us\n",
            "{\"connections\": %zu, \"store\": %.0f, \"rows_a_commit\": %.1f, "
            "\"store_us\": %.2f}\n"};
        printf(forms[is_json], connections[i],
            median(sides[i].rates, (size_t)turns),
            (double)stats.units / (double)stats.commits,
            1e6 * sides[i].processor / sides[i].rows);
        ss_store_actors_stop(&crowds[i].actors);
    }
    ss_free(crowds);
}

int main(int argc, char **argv)
{
    is_json = argc > 1 && strcmp(argv[argc - 1], "--json") == 0;
    argc -= is_json;
    long seconds = argc > 1 ? strtol(argv[1], NULL, 10) : SECONDS;
    turns = argc > 2 ? (int)strtol(argv[2], NULL, 10) : TURNS_MAX;
    if (argc > 3 || seconds < 1 || seconds > SECONDS_MAX || turns < 1 ||
        turns > TURNS_MAX) {
        fprintf(stderr, "usage: bench-store [SECONDS [TURNS]] [--json]\n");
        return 2;
    }
    const char *missing = postgres_server_missing();
    if (missing) {
        fprintf(stderr, "bench-store: SKIPPED: %s\n", missing);
        return SKIPPED;
    }
    struct postgres_server *server = postgres_server_start(true);
    if (!server)
        return 1;
    memset(body, 'b', BODY);
    struct appends appends = {.store = open_schema(server, "superstep")};
    struct ss_store *rival = open_schema(server, "rival"); // its tables alone
    ss_store_close(&rival);
    struct ss_error error = {0};
    if (ss_store_fence_take(
            appends.store, "bench", 0, &appends.epoch, &error) != SS_OK)
        complain("fence", error.message);
#ifndef __OPTIMIZE__
    if (!is_json)
        printf("This build is not optimised, and pgbench is: build with"
               " cmake --preset release\n");
#endif
    if (!is_json)
        printf("batch            store           pgbench   ratio"
               "   processor: a row  pgbench's   ratio\n");
    static const size_t counts[] = {1, 10, BATCH_MAX};
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        compare(server, &appends, counts[i], (int)seconds);
    crowds_compare(server, (int)seconds);
    ss_store_close(&appends.store);
    postgres_server_stop(&server);
    return 0;
}
