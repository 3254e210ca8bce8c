// counters.c - an append-only file as counters of several processes.
#include "counters.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The lock of the file is the process's: threads need their own.
static pthread_mutex_t threads = PTHREAD_MUTEX_INITIALIZER;

static const char *const kinds[] = {"count", "fail"};

// The line of an event. Names are JSON text, so that each fits on a line.
static char *line_of(enum counter_kind kind, const char *name)
{
    json_t *event = json_pack("{s:s}", kinds[kind], name);
    char *line = json_dumps(event, JSON_COMPACT);
    json_decref(event);
    return line;
}

static FILE *open_locked(const char *file, const char *mode, short lock_type)
{
    FILE *stream = fopen(file, mode);
    if (!stream)
        return NULL;
    struct flock lock = {.l_type = lock_type, .l_whence = SEEK_SET};
    int locked;
    do {
        locked = fcntl(fileno(stream), F_SETLKW, &lock);
    } while (locked != 0 && errno == EINTR);
    if (locked == 0)
        return stream;
    fclose(stream);
    return NULL;
}

static long add_line(const char *file, const char *line)
{
    FILE *stream = open_locked(file, "a+", F_WRLCK);
    if (!stream)
        return -1;
    long before = 0;
    char *read = NULL;
    size_t capacity = 0;
    rewind(stream);
    while (getline(&read, &capacity, stream) > 0) {
        read[strcspn(read, "\n")] = '\0';
        before += strcmp(read, line) == 0;
    }
    free(read);
    fseek(stream, 0, SEEK_END);
    fprintf(stream, "%s\n", line);
    return fclose(stream) == 0 ? before : -1;
}

long counters_add(const char *file, enum counter_kind kind, const char *name)
{
    char *line = line_of(kind, name);
    pthread_mutex_lock(&threads);
    long before = line ? add_line(file, line) : -1;
    pthread_mutex_unlock(&threads);
    free(line);
    return before;
}

static void tally(json_t *counts, const char *line)
{
    json_t *event = json_loads(line, 0, NULL);
    const char *name = json_string_value(json_object_get(event, "count"));
    if (name) {
        json_int_t had = json_integer_value(json_object_get(counts, name));
        json_object_set_new(counts, name, json_integer(had + 1));
    }
    json_decref(event);
}

json_t *counters_read(const char *file)
{
    json_t *counts = json_object();
    char *line = NULL;
    size_t capacity = 0;
    pthread_mutex_lock(&threads);
    FILE *stream = open_locked(file, "r", F_RDLCK);
    while (stream && getline(&line, &capacity, stream) > 0)
        tally(counts, line);
    if (stream)
        fclose(stream);
    pthread_mutex_unlock(&threads);
    free(line);
    return counts;
}
