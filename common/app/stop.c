// stop.c - stops or ends the process where the environment says so.
#include "common/app/stop.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
    "",
#define X(place, name, words) name,
#include "common/app/stops.def"
#undef X
};

enum { PASSINGS_MAX = 1000000 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static enum ss_stop wanted;
static atomic_int left; // passings until it stops

// With an unknown name the test would stop nothing: the process ends at once.
static void refuse(const char *text)
{
    fprintf(stderr,
        "SUPERSTEP_TEST_STOP=%s: there is no such place; see "
        "common/app/stops.def\n",
        text);
    _Exit(2);
}

static void read_wanted(void)
{
    const char *text = getenv("SUPERSTEP_TEST_STOP");
    if (!text || !*text)
        return;
    size_t size = strcspn(text, ":");
    long count = text[size] == ':' ? strtol(text + size + 1, NULL, 10) : 1;
    for (int i = SS_STOP_NOWHERE + 1; i < SS_STOPS_COUNT; i++)
        if (strlen(names[i]) == size && strncmp(names[i], text, size) == 0 &&
            count > 0 && count <= PASSINGS_MAX) {
            atomic_store(&left, (int)count);
            wanted = (enum ss_stop)i;
            return;
        }
    refuse(text);
}

void ss_stop_at(enum ss_stop place)
{
    (void)pthread_once(&once, read_wanted);
    if (wanted != place || atomic_fetch_sub(&left, 1) != 1)
        return;
    fprintf(stderr, "stopped at %s\n", names[place]);
    (void)raise(SIGSTOP);
}

bool ss_stop_has_poison(void)
{
    return getenv("SUPERSTEP_TEST_POISON") != NULL;
}

void ss_stop_told(const char *sentence)
{
    const char *words = getenv("SUPERSTEP_TEST_POISON");
    if (words && strstr(sentence, words))
        abort();
}
