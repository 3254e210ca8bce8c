// record.c - under which key the record of a run stands, and which run a thread
// means by a name.
//
// The key names run and thread (model/run_key.h). While a coordinator that does
// not know such keys is a member it is the name alone, which is then of one
// thread (claim.c). A run that began under its name alone is put under the
// other key as soon as all members know it, and its old record goes in the same
// unit; a record under the other key stays there.
//
// The members say likewise whether the record of a run that has not ended may
// stand among the open ones alone.
#include <string.h>

#include "common/base/check.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/journal.h"
#include "common/model/run_key.h"
#include "common/model/value.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/runs/runs.h"
#include "coordinator/engine/runs/runs_impl.h"
#include "coordinator/engine/runs/seat.h"
#include "coordinator/engine/runs/under_way.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/thread.h"

// In a record whose key names the thread. Records of before lack it.
#define KEYED "keyed"

// ------------------------------------------------ runs that are under way

struct run *ss_run_live(const struct thread *thread, const char *name)
{
    if (!ss_run_name_fits(name))
        return NULL;
    char *key = ss_run_key(name, thread->id);
    struct run *run = ss_map_get(&thread->engine->runs->by_name, key);
    ss_free(key);
    return run;
}

void ss_run_enlist(struct run *run)
{
    char *key = ss_run_key(run->id, run->thread->id);
    ss_map_put(&run->engine->runs->by_name, key, run);
    ss_free(key);
}

void ss_run_unlist(struct run *run)
{
    char *key = ss_run_key(run->id, run->thread->id);
    if (ss_map_get(&run->engine->runs->by_name, key) == run)
        ss_map_remove(&run->engine->runs->by_name, key);
    ss_free(key);
}

// ------------------------------------------------ keys

bool ss_records_are_keyed(const struct engine *engine)
{
    return engine->row_format >= SS_ROW_FORMAT_5;
}

void ss_record_is_old(struct thread *thread, const char *run)
{
    ss_map_put(&thread->seat->old_records, run, thread);
}

static bool is_old(const struct thread *thread, const char *run)
{
    return ss_map_get(&thread->seat->old_records, run) != NULL;
}

void ss_record_found(struct thread *thread, const json_t *record)
{
    if (!ss_json_bool(record, KEYED, false))
        ss_record_is_old(thread, ss_json_str(record, "run", ""));
}

void ss_records_rest(struct thread *thread)
{
    ss_map_fini(&thread->seat->old_records, NULL);
}

// What has to be put, that `record` (taken) is what is stored of the run. Gives
// one or two.
static size_t puts_of(struct thread *thread, const char *run, json_t *record,
    struct ss_command_put ret_puts[2])
{
    bool keyed = !is_old(thread, run) || ss_records_are_keyed(thread->engine);
    json_t *stored = json_copy(record);
    json_decref(record);
    struct ss_command_put put = {.table = SS_RECORD_RUN,
        .key = keyed ? ss_run_key(run, thread->id) : ss_strdup(run),
        .index = ss_strdup(thread->id),
        .value = stored,
        .open_alone = thread->engine->row_format >= SS_ROW_FORMAT_6};
    json_object_del(stored, KEYED);
    if (keyed)
        json_object_set_new(stored, KEYED, json_true());
    ret_puts[0] = put;
    if (!keyed || !is_old(thread, run))
        return 1;
    ret_puts[1] = (struct ss_command_put){.table = SS_RECORD_RUN,
        .key = ss_strdup(run),
        .index = ss_strdup(thread->id)};
    return 2;
}

void ss_record_put(struct thread *thread, const char *run, json_t *record)
{
    struct ss_command_put puts[2];
    size_t count = puts_of(thread, run, record, puts);
    for (size_t i = 0; i < count; i++)
        SS_VEC_PUSH(&thread->puts, puts[i]);
    ss_thread_dirty(thread);
}

void ss_record_drop(struct thread *thread, const char *run)
{
    char *key = ss_run_key(run, thread->id);
    ss_thread_put(thread, SS_RECORD_RUN, key, thread->id, NULL, false);
    ss_thread_put(thread, SS_RECORD_RUN, run, thread->id, NULL, false);
    ss_free(key);
}

uint64_t ss_record_store(struct thread *thread, const char *run, json_t *record)
{
    struct engine *engine = thread->engine;
    struct ss_command command = {.type = SS_COMMAND_STORE,
        .tag = ++engine->tags,
        .puts = ss_zalloc(2, sizeof(*command.puts))};
    command.puts_count = puts_of(thread, run, record, command.puts);
    ss_engine_command(engine, command);
    return command.tag;
}

json_t *ss_record_shown(const struct ss_record *record)
{
    json_t *shown = json_copy(record->value);
    char *place = ss_run_place(record->key);
    json_object_del(shown, "request"); // of one that waits for its turn
    json_object_del(shown, "place");
    json_object_del(shown, KEYED);
    json_object_set_new(shown, "key", json_string(place));
    ss_free(place);
    return shown;
}
