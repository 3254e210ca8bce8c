// run_key.c - the key under which the record of a run stands.
#include "common/model/run_key.h"

#include <stdio.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"

enum { NAME_SIZE = SS_UUID_SIZE - 1 };

bool ss_run_name_fits(const char *run)
{
    return run[0] && strlen(run) <= NAME_SIZE;
}

void ss_run_prefix(const char *run, char ret_prefix[SS_RUN_PREFIX_SIZE])
{
    ss_check(ss_run_name_fits(run));
    int size = snprintf(ret_prefix, SS_RUN_PREFIX_SIZE, "%-*s%02zu|", NAME_SIZE,
        run, strlen(run));
    ss_check(size == SS_RUN_PREFIX_SIZE - 1);
}

char *ss_run_key(const char *run, const char *thread)
{
    char prefix[SS_RUN_PREFIX_SIZE];
    ss_run_prefix(run, prefix);
    return ss_format("%s%s", prefix, thread);
}

bool ss_run_key_names_thread(const char *key)
{
    return strlen(key) > NAME_SIZE;
}

// A name alone stands before all keys that begin with it. What is shown of it
// is longer than a name, so that it is not taken for one.
char *ss_run_place(const char *key)
{
    char prefix[SS_RUN_PREFIX_SIZE];
    if (ss_run_key_names_thread(key))
        return ss_strdup(key);
    ss_run_prefix(key, prefix);
    prefix[SS_RUN_PREFIX_SIZE - 2] = '\0';
    return ss_strdup(prefix);
}

char *ss_run_after(const char *place)
{
    char prefix[SS_RUN_PREFIX_SIZE];
    if (!ss_run_name_fits(place))
        return ss_strdup(place);
    ss_run_prefix(place, prefix);
    prefix[SS_RUN_PREFIX_SIZE - 2]++; // behind whatever thread follows a bar
    return ss_strdup(prefix);
}
