// run_key.c - the key under which the record of a run stands.
#include "common/model/run_key.h"

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
    size_t size = strlen(run);
    memset(ret_prefix, ' ', NAME_SIZE);
    memcpy(ret_prefix, run, size);
    ret_prefix[NAME_SIZE] = (char)('0' + (int)(size / 10));
    ret_prefix[NAME_SIZE + 1] = (char)('0' + (int)(size % 10));
    memcpy(ret_prefix + NAME_SIZE + 2, "|", 2);
}

char *ss_run_key(const char *run, const char *thread)
{
    size_t size = strlen(thread) + 1;
    char *key = ss_alloc(SS_RUN_PREFIX_SIZE - 1 + size);
    ss_run_prefix(run, key);
    memcpy(key + SS_RUN_PREFIX_SIZE - 1, thread, size);
    return key;
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
