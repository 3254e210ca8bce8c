// trial.c - what the proof needs and a real job does not.
#include "trial.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WORDS_MAX = 2000, LINE_SIZE = 1024, LOOK_MS = 5 };

static char *copy(const char *text, size_t size)
{
    char *result = strndup(text, size);
    if (!result)
        abort();
    return result;
}

static const char *read_hold(
    struct trial *trial, const char *value, size_t size)
{
    const char *colon = memchr(value, ':', size);
    if (!colon || colon == value || colon + 1 == value + size)
        return "hold is NODE:DIR or NODE/PATTERNS:DIR";
    size_t point_size = (size_t)(colon - value);
    const char *slash = memchr(value, '/', point_size);
    const char *node_end = slash ? slash : colon;
    trial->hold_node = copy(value, (size_t)(node_end - value));
    if (slash)
        trial->hold_names = copy(slash + 1, (size_t)(colon - slash - 1));
    trial->hold_dir = copy(colon + 1, (size_t)(value + size - colon - 1));
    return NULL;
}

static const char *read_words_max(
    struct trial *trial, const char *value, size_t size)
{
    char *text = copy(value, size), *end;
    trial->words_max = strtol(text, &end, 10);
    bool is_number = *text && !*end && trial->words_max > 0;
    free(text);
    return is_number ? NULL : "words is a number above 0";
}

const char *trial_read(struct trial *trial, const char *arg)
{
    *trial = (struct trial){.words_max = WORDS_MAX};
    const char *complaint = NULL;
    for (const char *word = arg ? arg : ""; *word && !complaint;) {
        size_t size = strcspn(word, " ");
        if (size > 4 && strncmp(word, "log=", 4) == 0)
            trial->log = copy(word + 4, size - 4);
        else if (size > 5 && strncmp(word, "hold=", 5) == 0)
            complaint = read_hold(trial, word + 5, size - 5);
        else if (size > 6 && strncmp(word, "words=", 6) == 0)
            complaint = read_words_max(trial, word + 6, size - 6);
        else if (size > 0)
            complaint = "the argument may have log=, hold= and words=";
        word += size;
        word += strspn(word, " ");
    }
    return complaint;
}

// One write: lines of several processes do not mix.
static int append_effect(
    struct ss_task *task, const struct trial *trial, const char *name)
{
    char line[LINE_SIZE];
    int size =
        snprintf(line, sizeof(line), "%s\t%s\t%u\t%ld\t%s\n", ss_task_id(task),
            ss_node_name(task), ss_attempt_number(task), (long)getpid(), name);
    if (size < 0 || (size_t)size >= sizeof(line))
        return ss_fail_final(task, "effects", "the name is too long: %s", name);
    for (char *c = line + size - 1 - strlen(name); c < line + size - 1; c++)
        if (*c == '\t' || *c == '\n') // they part the line
            *c = '?';
    int file =
        open(trial->log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    ssize_t written = file < 0 ? -1 : write(file, line, (size_t)size);
    if (file >= 0)
        close(file);
    if (written != size)
        return ss_fail_final(task, "effects", "cannot write %s", trial->log);
    return 0;
}

static int hold(struct ss_task *task, const struct trial *trial)
{
    char *release = NULL;
    size_t size = strlen(trial->hold_dir) + sizeof("/release");
    release = malloc(size);
    if (!release)
        abort();
    snprintf(release, size, "%s/release", trial->hold_dir);
    bool goes_on = true;
    while (goes_on && access(release, F_OK) != 0) {
        const struct timespec pause = {.tv_nsec = LOOK_MS * 1000000L};
        nanosleep(&pause, NULL);
        goes_on = ss_heartbeat(task);
    }
    free(release);
    return goes_on ? 0 : ss_fail(task, "cancelled", "stopped while held");
}

// `patterns`: with commas between.
static bool is_among(const char *patterns, const char *name)
{
    bool found = false;
    while (*patterns && !found) {
        size_t size = strcspn(patterns, ",");
        char *pattern = copy(patterns, size);
        found = fnmatch(pattern, name, 0) == 0;
        free(pattern);
        patterns += size;
        patterns += *patterns == ',';
    }
    return found;
}

int trial_begin(struct ss_task *task, const char *name)
{
    const struct trial *trial = ss_ctx(task);
    if (trial->log && append_effect(task, trial, name) != 0)
        return SS_FAILED;
    bool waits = trial->hold_node &&
                 strcmp(trial->hold_node, ss_node_name(task)) == 0 &&
                 (!trial->hold_names || is_among(trial->hold_names, name));
    return waits ? hold(task, trial) : 0;
}
