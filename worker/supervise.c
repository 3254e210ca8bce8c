// supervise.c - a family of workers, and what becomes of one that ends.
#include "worker/supervise.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/app/family.h"
#include "common/app/last_words.h"
#include "common/app/log.h"
#include "common/app/ports.h"
#include "common/base/mem.h"
#include "worker/ended.h"

enum { NAME_SIZE = 300 };

// What a process said as it aborted.
struct said {
    pid_t pid;
    char words[SS_LAST_WORDS_SIZE];
};

struct supervisor {
    const struct ss_worker_options *options;
    struct said *said; // by index
};

int ss_worker_run_one(const struct ss_worker_options *options)
{
    struct ss_error error;
    switch (ss_worker_run(options, &error)) {
    case SS_OK:
        return 0;
    case SS_ECANCELLED:
        ss_log_say(SS_LOG_WARNING, "%s", error.message);
        return 0;
    case SS_ENOTFOUND:
    case SS_EINVAL:
    case SS_EFORMAT:
    case SS_EIO:
        ss_log_say(SS_LOG_ERROR, "%s", error.message);
        return SS_WORKER_EXIT_APPLICATION;
    default:
        ss_log_say(SS_LOG_ERROR, "%s", error.message);
        return SS_WORKER_EXIT_REFUSED;
    }
}

static void tell_loaded(void *ctx)
{
    (void)ctx;
    ss_family_opened();
}

static void name_child(const struct ss_worker_options *options,
    const struct ss_family_child *child, char ret_name[NAME_SIZE])
{
    // A new name each time: the old one stays taken until its lease ends.
    if (!options->name) { // as it names itself
        char host[NAME_SIZE / 2] = "localhost";
        (void)!gethostname(host, sizeof(host) - 1);
        snprintf(ret_name, NAME_SIZE, "%s/%ld", host, (long)child->pid);
        return;
    }
    int size =
        snprintf(ret_name, NAME_SIZE, "%s/%u", options->name, child->index + 1);
    if (child->starts > 1 && size > 0 && size < NAME_SIZE)
        snprintf(
            ret_name + size, (size_t)(NAME_SIZE - size), ".%u", child->starts);
}

static int be_worker(void *ctx, const struct ss_family_child *child)
{
    const struct supervisor *supervisor = ctx;
    const struct ss_worker_options *given = supervisor->options;
    struct ss_worker_options options = *given;
    char name[NAME_SIZE];
    if (options.name) {
        name_child(given, child, name);
        options.name = name;
    }
    options.on_loaded = tell_loaded;
    char *metrics = given->metrics && *given->metrics
                        ? ss_port_after(given->metrics, child->index)
                        : NULL;
    options.metrics = metrics;
    int code = ss_worker_run_one(&options);
    ss_free(metrics);
    return code;
}

// What is wrong with one worker's application is wrong with all; one that was
// drained stays away.
static enum ss_family_end worker_ended(
    void *ctx, const struct ss_family_child *child, int code)
{
    (void)ctx;
    (void)child;
    return code == 0 ? SS_FAMILY_AWAY : SS_FAMILY_OVER;
}

static void worker_told(void *ctx, const struct ss_family_child *child,
    const char *name, const char *value)
{
    struct supervisor *supervisor = ctx;
    struct said *said = &supervisor->said[child->index];
    if (strcmp(name, SS_LAST_WORDS_NAME) != 0)
        return;
    said->pid = child->pid;
    snprintf(said->words, sizeof(said->words), "%s", value);
}

static void worker_crashed(
    void *ctx, const struct ss_family_child *child, int status)
{
    const struct supervisor *supervisor = ctx;
    const struct said *said = &supervisor->said[child->index];
    struct ss_worker_options options = *supervisor->options;
    char name[NAME_SIZE];
    name_child(supervisor->options, child, name);
    options.name = name;
    char *how =
        ss_last_words_how(status, said->pid == child->pid ? said->words : NULL);
    ss_worker_tell_ended(&options, how);
    ss_free(how);
}

int ss_worker_supervise(const struct ss_worker_options *options, unsigned count)
{
    struct supervisor supervisor = {
        .options = options, .said = ss_zalloc(count, sizeof(struct said))};
    int code = ss_family_run(&(struct ss_family_options){.noun = "worker",
        .count = count,
        .again = SIGKILL,
        .ctx = &supervisor,
        .be = be_worker,
        .ended = worker_ended,
        .crashed = worker_crashed,
        .told = worker_told});
    ss_free(supervisor.said);
    return code;
}
