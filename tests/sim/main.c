// main.c - sim: seeds to simulations, their summary to stdout.
//
//     sim --seeds 1:2000 --jobs 2      these seeds
//     sim --fresh 200000               so many drawn from the commit's hash
//     sim --seeds 77:77 --narrate      one, told as prose
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/ids.h"
#include "common/model/value.h"
#include "tests/sim/jobs.h"
#include "tests/sim/world.h"
#include "tests/support/postgres_server.h"

enum { EXIT_USAGE = 2, EXIT_SKIPPED = 77 };

static const char usage[] =
    "usage: sim --seeds A:B | --fresh N|A:B [--of COMMIT]\n"
    "           [--store memory|sqlite|postgres] [--twice N] [--jobs N]\n"
    "           [--keep-going] [--narrate]\n"
    "\n"
    "Simulates the whole system, once in storm and then in fair weather, for\n"
    "each seed, twice: both lives must be the same. Exit status 1: a check\n"
    "failed.\n"
    "  --seeds A:B    the seeds A to B\n"
    "  --fresh N|A:B  the 1st to Nth, or Ath to Bth seed that the commit's "
    "hash\n"
    "                 gives\n"
    "  --of COMMIT    another commit than the present one\n"
    "  --store NAME   what the database is: a model over the memory store, a\n"
    "                 SQLite file, or a PostgreSQL that is started for it\n"
    "  --twice N      live only each Nth seed of the range twice (1; 4 with\n"
    "                 --store postgres)\n"
    "  --jobs N       processes at once (1)\n"
    "  --keep-going   a failure does not end it\n"
    "  --narrate      tell what happens; once only\n";

static bool read_range(const char *text, struct range *range)
{
    char *end = NULL;
    range->first = 1;
    range->last = strtoull(text, &end, 10);
    if (*end == ':') {
        range->first = range->last;
        range->last = strtoull(end + 1, &end, 10);
    }
    return end != text && *end == '\0' && range->first <= range->last;
}

static const char *const stores[STORES] = {[STORE_MEMORY] = "memory",
    [STORE_SQLITE] = "sqlite",
    [STORE_POSTGRES] = "postgres"};

static enum sim_store store_named(const char *name)
{
    int store = 0;
    while (store < STORES && strcmp(stores[store], name) != 0)
        store++;
    return (enum sim_store)store;
}

const char *sim_store_option(enum sim_store store)
{
    static char text[32];
    snprintf(text, sizeof(text), "--store %s ", stores[store]);
    return store == STORE_MEMORY ? "" : text;
}

// The commit that is checked out here, or what `named` says.
static uint64_t commit_seed(const char *named)
{
    char line[128] = "";
    FILE *git = named ? NULL : popen("git rev-parse HEAD", "r");
    if (git) {
        if (!fgets(line, sizeof(line), git))
            line[0] = '\0';
        pclose(git);
    }
    if (named)
        snprintf(line, sizeof(line), "%s", named);
    line[strcspn(line, "\n")] = '\0';
    if (!line[0]) {
        fprintf(stderr, "sim: no commit is checked out here: say --of\n");
        exit(EXIT_USAGE);
    }
    return ss_hash64(line, strlen(line));
}

static int read_options(int argc, char **argv, struct range *range)
{
    const char *of = NULL;
    bool has_range = false, is_fresh = false;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--keep-going") == 0) {
            range->keep_going = true;
            continue;
        }
        if (strcmp(argv[i], "--narrate") == 0) {
            range->options.narrate = true;
            continue;
        }
        if (strcmp(argv[i], "--seeds") == 0 ||
            strcmp(argv[i], "--fresh") == 0) {
            is_fresh = argv[i][2] == 'f';
            has_range = read_range(value, range);
        } else if (strcmp(argv[i], "--jobs") == 0) {
            range->jobs = (unsigned)strtoul(value, NULL, 10);
        } else if (strcmp(argv[i], "--twice") == 0) {
            range->twice = strtoull(value, NULL, 10);
            if (range->twice == 0)
                return EXIT_USAGE;
        } else if (strcmp(argv[i], "--store") == 0) {
            range->options.store = store_named(value);
        } else if (strcmp(argv[i], "--of") == 0) {
            of = value;
        } else {
            return EXIT_USAGE;
        }
        i++;
    }
    if (!has_range || range->options.store == STORES || range->jobs < 1 ||
        range->jobs > JOBS_MAX)
        return EXIT_USAGE;
    range->drawn_from = is_fresh ? commit_seed(of) : 0;
    return 0;
}

// 77: it cannot be had here.
static int run_on_server(struct range *range)
{
    const char *missing = backing_postgres() ? postgres_server_missing()
                                             : "this is built without libpq";
    if (missing) {
        fprintf(stderr, "SKIPPED: %s\n", missing);
        return EXIT_SKIPPED;
    }
    struct postgres_server *server = postgres_server_start(false);
    if (!server)
        return EXIT_FAILURE; // it has said why
    range->options.folder = postgres_server_folder(server);
    int status = jobs_run(range);
    postgres_server_stop(&server);
    return status;
}

// In memory, if the system has such a place.
static int run_on_files(struct range *range)
{
    char folder[] = "/dev/shm/ss-sim-XXXXXX";
    if (!mkdtemp(folder)) {
        memcpy(folder, "/tmp/ss-sim-XXXXXX", sizeof("/tmp/ss-sim-XXXXXX"));
        if (!mkdtemp(folder)) {
            perror("sim: no folder for the files");
            return EXIT_FAILURE;
        }
    }
    range->options.folder = folder;
    int status = jobs_run(range);
    range->options.folder = NULL;
    pid_t child = fork();
    if (child == 0) {
        execl("/bin/rm", "rm", "-rf", folder, (char *)NULL);
        _exit(127);
    }
    (void)waitpid(child, NULL, 0);
    return status;
}

int main(int argc, char **argv)
{
    struct range range = {.jobs = 1};
    ss_value_setup();
    if (read_options(argc, argv, &range) != 0) {
        fputs(usage, stderr);
        return EXIT_USAGE;
    }
    if (range.options.store == STORE_POSTGRES)
        return run_on_server(&range);
    return range.options.store == STORE_SQLITE ? run_on_files(&range)
                                               : jobs_run(&range);
}
