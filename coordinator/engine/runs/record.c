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
#include "common/model/find.h"
#include "common/model/journal.h"
#include "common/model/json_late.h"
#include "common/model/run_key.h"
#include "common/model/run_status.h"
#include "common/model/value.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/runs/runs.h"
#include "coordinator/engine/runs/runs_impl.h"
#include "coordinator/engine/runs/seat.h"
#include "coordinator/engine/runs/stands.h"
#include "coordinator/engine/runs/under_way.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/thread.h"

// In a record whose key names the thread. Records of before lack it.
#define KEYED "keyed"

// ------------------------------------------------ runs that are under way

struct run *ss_run_live(const struct thread *thread, const char *name)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    if (!ss_run_name_fits(name))
        return NULL;
    char *key = ss_run_key(name, its->id);
    struct run *run = ss_map_get(&its->engine->runs->by_name, key);
    ss_free(key);
    return run;
}

void ss_run_enlist(struct run *run)
{
    const struct run_facts *its = ss_run_facts(run);
    char *key = ss_run_key(its->id, ss_thread_facts(its->thread)->id);
    ss_map_put(&its->engine->runs->by_name, key, run);
    ss_free(key);
}

void ss_run_unlist(struct run *run)
{
    const struct run_facts *its = ss_run_facts(run);
    char *key = ss_run_key(its->id, ss_thread_facts(its->thread)->id);
    if (ss_map_get(&its->engine->runs->by_name, key) == run)
        ss_map_remove(&its->engine->runs->by_name, key);
    ss_free(key);
}

// ------------------------------------------------ keys

bool ss_records_are_keyed(const struct engine *engine)
{
    return engine->row_format >= SS_ROW_FORMAT_5;
}

void ss_record_is_old(struct thread *thread, const char *run)
{
    ss_map_put(&ss_seat(thread)->old_records, run, thread);
}

static bool is_old(const struct thread *thread, const char *run)
{
    return ss_map_get(&ss_seat(thread)->old_records, run) != NULL;
}

void ss_record_found(struct thread *thread, const json_t *record)
{
    if (!ss_json_bool(record, KEYED, false))
        ss_record_is_old(thread, ss_json_str(record, "run", ""));
}

void ss_records_rest(struct thread *thread)
{
    ss_map_fini(&ss_seat(thread)->old_records, NULL);
}

static bool is_keyed(const struct thread *thread, const char *run)
{
    return !is_old(thread, run) ||
           ss_records_are_keyed(ss_thread_facts(thread)->engine);
}

// What has to be put, that `put` (taken: the value, and how the run stands) is
// what is stored of the run. Gives one or two.
static size_t puts_of(struct thread *thread, const char *run,
    struct ss_command_put put, struct ss_command_put ret_puts[2])
{
    const struct thread_facts *its = ss_thread_facts(thread);
    bool keyed = is_keyed(thread, run);
    ss_check((put.value || put.late) && ss_run_name_fits(run));
    put.table = SS_RECORD_RUN;
    put.key = keyed ? ss_run_key(run, its->id) : ss_strdup(run);
    put.index = ss_strdup(its->id);
    put.open_alone = its->engine->row_format >= SS_ROW_FORMAT_6;
    ret_puts[0] = put;
    if (!keyed || !is_old(thread, run))
        return 1;
    ret_puts[1] = ss_put_of(SS_RECORD_RUN, run, its->id, NULL);
    return 2;
}

// Takes `told`.
static void put(
    struct thread *thread, const char *run, struct ss_command_put told)
{
    struct ss_command_put puts[2];
    size_t count = puts_of(thread, run, told, puts);
    for (size_t i = 0; i < count; i++)
        ss_thread_put_take(thread, puts[i]);
}

// What is put of it, and how the run stands, as it says. Takes `record`. Gives.
static struct ss_command_put told_of(
    const struct thread *thread, const char *run, json_t *record)
{
    struct ss_command_put told = {.status = ss_run_status_of(record),
        .at_us = ss_find_at_us(false, record)};
    json_t *stored = json_copy(record);
    json_object_del(stored, KEYED);
    if (is_keyed(thread, run))
        json_object_set_new(stored, KEYED, json_true());
    told.value = ss_json_text(stored);
    json_decref(stored);
    json_decref(record);
    return told;
}

void ss_record_put(struct thread *thread, const char *run, json_t *record)
{
    put(thread, run, told_of(thread, run, record));
}

// What is stored of a run that begins and ends is said as members at once: two
// of them are the half of what a small run puts.
static void say_run(const struct run *run, enum ss_run_status status,
    bool keyed, struct ss_json_members *said)
{
    const struct run_facts *its = ss_run_facts(run);
    const struct run_part *part = part_of(run);
    bool is_long;
    const json_t *metadata = ss_run_metadata(run, &is_long);
    json_t *error = ss_run_status_has_ended(status) ? ss_run_error(run) : NULL;
    ss_json_say_text(said, "run", its->id);
    ss_json_say_text(said, "thread", ss_thread_facts(its->thread)->id);
    ss_json_say_text(said, "graph", its->graph->name);
    ss_json_say_text(said, "version", its->graph->version);
    ss_json_say_text(said, "status", ss_run_status_name(status));
    ss_json_say_int(said, "created_us", part->created_us);
    ss_json_say_int(said, "changed_us", its->engine->wall_us);
    if (part->began_us > part->created_us) // it waited for its turn
        ss_json_say_int(said, "began_us", part->began_us);
    ss_json_say_json(said, "metadata", metadata);
    ss_json_say_written(said, is_long ? "\"" SS_FIND_LONG "\":true" : NULL);
    ss_json_say_text(
        said, "if_busy", its->request ? its->request->if_busy : NULL);
    ss_json_say_json(said, "error", error);
    ss_json_say_written(said, keyed ? "\"" KEYED "\":true" : NULL);
    json_decref(error);
}

json_t *ss_run_record(const struct run *run, enum ss_run_status status)
{
    struct ss_error error;
    struct ss_json_members said;
    json_t *record = NULL;
    said.count = 0;
    say_run(run, status, false, &said);
    char *text = ss_json_members_text(&said);
    ss_json_members_fini(&said);
    if (ss_json_parse(text, strlen(text), &record, &error) != SS_OK)
        ss_check_failed(error.message, __FILE__, __LINE__);
    ss_free(text);
    return record;
}

void ss_run_record_put(const struct run *run, enum ss_run_status status)
{
    const struct run_facts *its = ss_run_facts(run);
    struct ss_json_members said;
    said.count = 0;
    say_run(run, status, is_keyed(its->thread, its->id), &said);
    struct ss_command_put told = ss_put_said(its->engine, &said);
    told.status = status;
    told.at_us = part_of(run)->created_us;
    put(its->thread, its->id, told);
}

void ss_record_drop(struct thread *thread, const char *run)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    char *key = ss_run_key(run, its->id);
    ss_thread_put(thread, SS_RECORD_RUN, key, its->id, NULL, false);
    ss_thread_put(thread, SS_RECORD_RUN, run, its->id, NULL, false);
    ss_free(key);
}

uint64_t ss_record_store(struct thread *thread, const char *run, json_t *record)
{
    struct engine *engine = ss_thread_facts(thread)->engine;
    struct ss_command command = {.type = SS_COMMAND_STORE,
        .tag = ss_engine_tag(engine),
        .puts = ss_zalloc(2, sizeof(*command.puts))};
    command.puts_count =
        puts_of(thread, run, told_of(thread, run, record), command.puts);
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
