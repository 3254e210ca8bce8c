// A value of LangGraph's tables, or a whole checkpoint: the first byte chooses
// its place, the rest is msgpack (a checkpoint's may be JSON). What can be read
// is written again, and then reads the same.
#include <stdint.h>

#include "client/langgraph/migrate.h"
#include "client/langgraph/record.h"
#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/value.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void drop_ns(json_t *questions)
{
    size_t i;
    json_t *question;
    json_array_foreach (questions, i, question)
        json_object_del(question, "ns");
}

static void write_again(const char *channel, bool is_write, json_t *json)
{
    static const char *const everything[] = {"*"};
    static const struct ss_ext_allowed all = {
        .classes = everything, .count = 1};
    char *tag = NULL;
    struct ss_buf buf;
    json_t *again = NULL;
    ss_buf_init(&buf, 1 << 22);
    int status =
        ss_typed_encode(channel, is_write, json, &all, &tag, &buf, NULL);
    // an extension with nonsense inside is carried, and not written
    if (status == SS_OK) {
        status = ss_typed_decode(
            channel, is_write, tag, ss_buf_str(&buf), buf.size, &again, NULL);
        ss_check(status == SS_OK);
        drop_ns(json); // it is for the migration
        ss_check(json_equal(json, again));
    }
    json_decref(again);
    ss_free(tag);
    ss_buf_fini(&buf);
}

static int open_record(
    const char *tag, const void *bytes, size_t size, json_t **ret_saved)
{
    static const char metadata[] = "{\"source\":\"loop\",\"step\":1}";
    const struct ss_record row = {.ns = "",
        .id = "1f1e5fa9-df76-6f58-8001-000000000001",
        .tag = tag,
        .bytes = bytes,
        .size = size,
        .metadata = metadata,
        .metadata_size = sizeof(metadata) - 1};
    return ss_record_open(&row, ret_saved, NULL);
}

static void try_record(const char *tag, const uint8_t *data, size_t size)
{
    static const char *const everything[] = {"*"};
    static const struct ss_ext_allowed all = {
        .classes = everything, .count = 1};
    struct ss_record_versions versions = {0};
    struct ss_migration migration = {.is_learnt = true};
    struct ss_record_rows rows;
    json_t *saved = NULL, *again = NULL;
    if (open_record(tag, data, size, &saved) != SS_OK)
        return;
    ss_check(ss_migrate(&migration, saved, NULL) == SS_OK);
    ss_migration_fini(&migration);
    if (ss_record_rows(saved, SS_RECORD_SPLIT, &all, &versions, &rows, NULL) ==
        SS_OK)
        ss_record_rows_fini(&rows);
    if (ss_record_rows(saved, SS_RECORD_WHOLE, &all, &versions, &rows, NULL) ==
        SS_OK) {
        ss_check(open_record("msgpack", rows.checkpoint, rows.size, &again) ==
                 SS_OK);
        ss_check(json_equal(saved, again));
        ss_record_rows_fini(&rows);
    }
    ss_record_versions_fini(&versions);
    json_decref(saved);
    json_decref(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int is_set_up;
    static const struct {
        const char *channel;
        bool is_write;
    } places[] = {{"x", false}, {"x", true}, {"__pregel_tasks", false},
        {"__pregel_tasks", true}, {"join:a+b:c", false},
        {"__interrupt__", true}, {"__error__", true}, {"__resume__", true}};
    json_t *json = NULL;
    if (!is_set_up++)
        ss_value_setup();
    if (size == 0)
        return 0;
    size_t count = sizeof(places) / sizeof(places[0]);
    size_t place = data[0] % (count + 2);
    if (place >= count) {
        try_record(place == count ? "msgpack" : "json", data + 1, size - 1);
        return 0;
    }
    int status = ss_typed_decode(places[place].channel, places[place].is_write,
        "msgpack", data + 1, size - 1, &json, NULL);
    if (status == SS_OK)
        write_again(places[place].channel, places[place].is_write, json);
    json_decref(json);
    return 0;
}
