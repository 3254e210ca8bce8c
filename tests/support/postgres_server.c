#include "tests/support/postgres_server.h"

#include <fcntl.h>
#include <glob.h>
#include <grp.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/mem.h"

enum { PATH_SIZE = 256, LOG_SIZE = 4096 };
#define ROOM_MIN ((uint64_t)4 << 30)

static int servers; // that live, of this process

struct postgres_server {
    char folder[PATH_SIZE];
    char data[PATH_SIZE + 8];
    char url[PATH_SIZE + 64];
    bool is_durable;
    pid_t pid; // 0: does not run
    // What it says, read by a thread as long as it runs.
    pthread_t listener;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int ear;
    bool is_ready, has_ended;
    char log[LOG_SIZE]; // the last of it
    size_t log_size;
};

// --- programs and users -----------------------------------------------------

const char *postgres_server_programs(void)
{
    static char folder[PATH_SIZE];
    glob_t found;
    if (folder[0] ||
        glob("/usr/lib/postgresql/*/bin/initdb", 0, NULL, &found) != 0) {
        return folder;
    }
    const char *newest = found.gl_pathv[found.gl_pathc - 1];
    (void)snprintf(folder, sizeof(folder), "%.*s",
        (int)(strlen(newest) - strlen("/initdb")), newest);
    globfree(&found);
    return folder;
}

// It refuses to run as root.
static const struct passwd *user_of(void)
{
    const struct passwd *user = getpwnam("postgres");
    return user ? user : getpwnam("nobody");
}

const char *postgres_server_missing(void)
{
    if (!postgres_server_programs()[0]) {
        return "PostgreSQL's server is not installed: apt-get install"
               " postgresql";
    }
    return geteuid() == 0 && !user_of()
               ? "PostgreSQL does not run as root, and there is no other user"
               : NULL;
}

static void drop_root(void)
{
    if (geteuid() != 0) {
        return;
    }
    const struct passwd *user = user_of();
    if (!user || setgroups(0, NULL) != 0 || setgid(user->pw_gid) != 0 ||
        setuid(user->pw_uid) != 0) {
        _exit(126);
    }
}

// In a child, as the server's user: run it; does not come back.
static void become(char *const argv[], int out)
{
    drop_root();
    (void)prctl(PR_SET_PDEATHSIG, SIGQUIT);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (chdir("/") != 0 || dup2(out, STDOUT_FILENO) < 0 ||
        dup2(out, STDERR_FILENO) < 0) {
        _exit(126);
    }
    setenv("LC_ALL", "C", 1);
    execv(argv[0], argv);
    _exit(127);
}

// Run to the end, as the server's user. Its words are shown where it fails.
static bool run(char *const argv[])
{
    char path[] = "/tmp/ss-pg-log-XXXXXX";
    int out = mkstemp(path);
    pid_t child = out >= 0 ? fork() : -1;
    if (child == 0) {
        become(argv, out);
    }
    int how = -1;
    bool ok = child > 0 && waitpid(child, &how, 0) == child && how == 0;
    if (!ok) {
        char text[LOG_SIZE];
        ssize_t size = out >= 0 ? pread(out, text, sizeof(text) - 1, 0) : 0;
        fprintf(stderr, "%s failed:\n%.*s\n", argv[0], size > 0 ? (int)size : 0,
            text);
    }
    if (out >= 0) {
        (void)close(out);
        (void)unlink(path);
    }
    return ok;
}

// --- the process ------------------------------------------------------------

static void *listen_to(void *ctx)
{
    static const char ready[] = "ready to accept connections";
    struct postgres_server *server = ctx;
    ssize_t size;
    char some[512];
    while ((size = read(server->ear, some, sizeof(some))) > 0) {
        pthread_mutex_lock(&server->mutex);
        size_t kept = server->log_size;
        if (kept + (size_t)size >= LOG_SIZE) {
            kept = 0;
        }
        memcpy(server->log + kept, some, (size_t)size);
        server->log_size = kept + (size_t)size;
        server->log[server->log_size] = '\0';
        if (strstr(server->log, ready)) {
            server->is_ready = true;
            pthread_cond_signal(&server->changed);
        }
        pthread_mutex_unlock(&server->mutex);
    }
    pthread_mutex_lock(&server->mutex);
    server->has_ended = true;
    pthread_cond_signal(&server->changed);
    pthread_mutex_unlock(&server->mutex);
    (void)close(server->ear);
    return NULL;
}

static bool launch(struct postgres_server *server)
{
    char *program = ss_format("%s/postgres", postgres_server_programs());
    char *durable = server->is_durable ? "fsync=on" : "fsync=off";
    char *argv[] = {program, "-D", server->data, "-k", server->folder, "-c",
        "listen_addresses=", "-c", durable, "-c", "log_destination=stderr",
        "-c", "logging_collector=off", "-c", "max_connections=100", "-c",
        "restore_command=false", NULL};
    int ends[2];
    if (pipe(ends) != 0) {
        ss_free(program);
        return false;
    }
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    server->pid = fork();
    if (server->pid == 0) {
        become(argv, ends[1]);
    }
    (void)close(ends[1]);
    ss_free(program);
    server->ear = ends[0];
    server->is_ready = server->has_ended = false;
    server->log_size = 0;
    pthread_create(&server->listener, NULL, listen_to, server);
    pthread_mutex_lock(&server->mutex);
    while (!server->is_ready && !server->has_ended) {
        pthread_cond_wait(&server->changed, &server->mutex);
    }
    bool is_ready = server->is_ready;
    if (!is_ready) {
        fprintf(stderr, "postgres does not start:\n%s\n", server->log);
    }
    pthread_mutex_unlock(&server->mutex);
    return is_ready;
}

// The listener hears the end of the last of its processes.
static void finish(struct postgres_server *server, int signal)
{
    if (server->pid > 0) {
        (void)kill(server->pid, signal);
        (void)waitpid(server->pid, NULL, 0);
        pthread_join(server->listener, NULL);
        server->pid = 0;
    }
}

void postgres_server_kill(struct postgres_server *server)
{
    // Its children end when their parent is gone; the immediate shutdown is
    // what is left of a crash once they have.
    finish(server, SIGKILL);
}

void postgres_server_end(struct postgres_server *server)
{
    finish(server, SIGINT);
}

bool postgres_server_again(struct postgres_server *server)
{
    return launch(server);
}

// A recovery of an archive that has nothing more ends with a new timeline.
bool postgres_server_promoted(struct postgres_server *server)
{
    char *path = ss_format("%s/recovery.signal", server->data);
    FILE *file = fopen(path, "w");
    bool ok = file && fclose(file) == 0 && launch(server);
    ss_free(path);
    return ok;
}

// --- start and stop ---------------------------------------------------------

// In memory where there is plenty of it, unless it is to be durable.
static const char *folder_place(const struct postgres_server *server)
{
    static const char memory[] = "/dev/shm";
    struct statvfs room;
    bool is_large = statvfs(memory, &room) == 0 &&
                    (uint64_t)room.f_bavail * room.f_frsize >= ROOM_MIN &&
                    access(memory, W_OK | X_OK) == 0;
    return is_large && !server->is_durable ? memory : "/tmp";
}

static bool folder_make(struct postgres_server *server)
{
    (void)snprintf(server->folder, sizeof(server->folder), "%s/ss-pg-XXXXXX",
        folder_place(server));
    if (!mkdtemp(server->folder)) {
        return false;
    }
    (void)snprintf(
        server->data, sizeof(server->data), "%s/data", server->folder);
    (void)snprintf(server->url, sizeof(server->url),
        "postgresql:///postgres?host=%s&user=postgres", server->folder);
    const struct passwd *user = geteuid() == 0 ? user_of() : NULL;
    return !user || chown(server->folder, user->pw_uid, user->pw_gid) == 0;
}

// Another program, as ourselves.
static bool call(char *const argv[])
{
    pid_t child = fork();
    if (child == 0) {
        execv(argv[0], argv);
        _exit(127);
    }
    int how = -1;
    return child > 0 && waitpid(child, &how, 0) == child && how == 0;
}

static bool copy(const char *what, const char *to)
{
    char *argv[] = {"/bin/cp", "-a", (char *)what, (char *)to, NULL};
    return call(argv);
}

// Where the data of a new server are kept, in the folder of the build. Gives;
// NULL: nowhere.
static char *template_path(void)
{
    const char *build = getenv("SS_BUILD_DIR");
    const char *version = strstr(postgres_server_programs(), "postgresql/");
    if (!build || !version) {
        return NULL;
    }
    version += strlen("postgresql/");
    return ss_format("%s/postgres/%.*s-%u-c", build, (int)strcspn(version, "/"),
        version, (unsigned)geteuid());
}

// Whoever is first has made it; it is there as a whole or not.
static void template_keep(const char *data, const char *template)
{
    char *folder = ss_strdup(template);
    *strrchr(folder, '/') = '\0';
    char *draft = ss_format("%s/draft-%ld", folder, (long)getpid());
    (void)mkdir(folder, 0755);
    if (!copy(data, draft) || rename(draft, template) != 0) {
        char *argv[] = {"/bin/rm", "-rf", draft, NULL};
        (void)call(argv);
    }
    ss_free(draft);
    ss_free(folder);
}

static bool data_init(const struct postgres_server *server)
{
    char *program = ss_format("%s/initdb", postgres_server_programs());
    char *argv[] = {program, "-D", (char *)server->data, "-U", "postgres", "-A",
        "trust", "-E", "UTF8", "--locale=C", "--no-sync", NULL};
    bool ok = run(argv);
    ss_free(program);
    return ok;
}

// A copy of what initdb made before, in this build. Two servers that live at
// once have an identity each, as two real ones do.
static bool data_make(const struct postgres_server *server)
{
    char *template = template_path();
    bool ok;
    if (template && servers == 1 && access(template, R_OK) == 0) {
        ok = copy(template, server->data);
    } else {
        ok = data_init(server);
        if (ok && template) {
            template_keep(server->data, template);
        }
    }
    ss_free(template);
    return ok;
}

struct postgres_server *postgres_server_start(bool is_durable)
{
    const char *missing = postgres_server_missing();
    if (missing) {
        fprintf(stderr, "%s\n", missing);
        return NULL;
    }
    struct postgres_server *server = ss_zalloc(1, sizeof(*server));
    server->is_durable = is_durable;
    pthread_mutex_init(&server->mutex, NULL);
    pthread_cond_init(&server->changed, NULL);
    servers++;
    if (!folder_make(server) || !data_make(server) || !launch(server)) {
        postgres_server_stop(&server);
    }
    return server;
}

void postgres_server_stop(struct postgres_server **server)
{
    struct postgres_server *it = *server;
    if (!it) {
        return;
    }
    *server = NULL;
    servers--;
    finish(it, SIGQUIT);
    char *argv[] = {"/bin/rm", "-rf", it->folder, NULL};
    if (it->folder[0]) {
        (void)call(argv);
    }
    pthread_mutex_destroy(&it->mutex);
    pthread_cond_destroy(&it->changed);
    ss_free(it);
}

const char *postgres_server_url(const struct postgres_server *server)
{
    return server->url;
}

const char *postgres_server_data(const struct postgres_server *server)
{
    return server->data;
}

const char *postgres_server_folder(const struct postgres_server *server)
{
    return server->folder;
}
