// limit_value.c - limits that count tasks apart for each value of a key.
//
//   limit openai of 2, by customer    openai<tab>acme   parts 0 1
//                                     openai<tab>beta   parts 0 1
//
// The value is what a task reads under that key of the state, or ("meta:KEY")
// what the metadata of its run has. Each value has a limit of its own, whose
// parts are in shards and move as all parts do; of one whose parts are at home
// nothing is stored. So nothing had to be built again for a cluster.
//
// Values come from outside. The limit of one is there while a task of it waits
// or is out, or another member lacks of it; then its parts go home
// (limit_even.c), and it vanishes. Where there are as many as may be, tasks of
// other values wait in the line of the limit itself, of which none is sent.
#include <string.h>

#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/model/value.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/scheduler/limit.h"

#define META "meta:"

// ------------------------------------------------ the value of a task

// Borrowed; NULL: it has none.
static const json_t *read_key(const struct task *task, const char *key)
{
    const struct run *run = ss_task_level(task)->run;
    struct ss_value *input = ss_task_facts(task)->planned.input;
    size_t size = strlen(META);
    if (strncmp(key, META, size) == 0)
        return run ? json_object_get(
                         ss_run_facts(run)->options.meta, key + size)
                   : NULL;
    return input ? ss_value_member_json(input, key) : NULL;
}

// It may stand in a name, and be shown.
static bool is_plain(const char *text)
{
    for (const char *it = text; *it; it++)
        if ((unsigned char)*it < ' ' || *it == 0x7f)
            return false;
    return text[0] != '#' && strlen(text) <= SS_LIMIT_VALUE_SIZE_MAX;
}

// What is long, or not plain, goes by its hash. Gives.
char *ss_limit_value(const struct task *task, const char *key)
{
    char hash[SS_HEX128_SIZE];
    const json_t *value = read_key(task, key);
    char *text = json_is_string(value) ? ss_strdup(json_string_value(value))
                 : !value || json_is_null(value) ? ss_strdup("")
                                                 : ss_json_canonical(value);
    if (is_plain(text))
        return text;
    ss_hash_hex(text, strlen(text), hash);
    ss_free(text);
    return ss_format("#%s", hash);
}
