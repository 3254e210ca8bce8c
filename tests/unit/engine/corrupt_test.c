// corrupt_test.c - rows that are whole, each by itself, and contradict each
// other.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "coordinator/engine/engine.h"
#include "tests/suite.h"

#define GRAPH                                                                  \
    "{\"name\":\"g\",\"kind\":\"state\",\"state\":[{\"key\":\"x\","            \
    "\"type\":\"any\"}],\"nodes\":[{\"name\":\"a\"}],"                         \
    "\"edges\":[[\"__start__\",\"a\"]]}"

static struct ss_engine *engine;
static json_t *answer; // the last one
static char *damage;   // the first that was told

static void take(const struct ss_commands *commands, uint64_t *ret_read)
{
    for (size_t i = 0; i < commands->count; i++) {
        const struct ss_command *command = &commands->items[i];
        if (command->type == SS_COMMAND_READ)
            *ret_read = command->tag;
        if (command->type == SS_COMMAND_DAMAGED && !damage)
            damage = ss_format("%s: %s", command->key, command->text);
        if (command->type != SS_COMMAND_REPLY)
            continue;
        json_decref(answer);
        answer = json_incref(command->json);
    }
}

static uint64_t step(struct ss_event event)
{
    struct ss_commands commands;
    uint64_t read = 0;
    ss_engine_step(engine, &event, &commands);
    take(&commands, &read);
    return read;
}

static uint64_t ask(const char *op)
{
    json_t *body = json_pack("{s:s}", "thread", "t");
    if (strcmp(op, "state") == 0 || strcmp(op, "history") == 0)
        json_object_set_new(body, "graph", json_string("g"));
    struct ss_event event = {.type = SS_EVENT_REQUEST, .peer = "ann"};
    event.request.op = op;
    event.request.body = body;
    uint64_t read = step(event);
    json_decref(body);
    return read;
}

// A checkpoint that has x, in full or as what was added to it.
static struct ss_row *row(uint64_t seq, const char *id, bool whole)
{
    struct ss_row *it = ss_row_new();
    struct ss_row_checkpoint *part = &it->checkpoint;
    it->seq = seq;
    it->kind = SS_ROW_CHECKPOINT;
    it->ns = ss_arena_text(&it->memory, "");
    it->source = SS_SOURCE_LOOP;
    memcpy(it->checkpoint_id, id, strlen(id) + 1);
    it->has_checkpoint = true;
    it->base_seq = 1;
    part->whole = whole;
    part->channels = ss_arena_take(&it->memory, sizeof(*part->channels));
    part->channels_count = 1;
    part->channels[0] =
        (struct ss_row_channel){.name = ss_arena_text(&it->memory, "x"),
            .version = (int64_t)seq,
            .op = whole ? SS_DELTA_SET : SS_DELTA_APPEND,
            .value = ss_value_new(
                whole ? json_string("no list") : json_pack("[i]", 1))};
    return it;
}

// Its rows come as `op` asks for the thread.
static void load_for(const char *op)
{
    static const char first[] = "1ef00000-0000-6000-8000-000000000001";
    ss_value_setup();
    engine = ss_engine_new(&(struct ss_engine_options){.epoch = 1});
    struct ss_event graph = {.type = SS_EVENT_GRAPH_KNOWN};
    graph.graph.description = json_loads(GRAPH, 0, NULL);
    step(graph);
    json_decref(graph.graph.description);
    struct ss_row *rows[] = {row(1, first, true),
        row(2, "1ef00000-0000-6000-8000-000000000002", false)};
    memcpy(rows[1]->parent_id, first, sizeof(first));
    rows[1]->parent_seq = 1;
    struct ss_event read = {.type = SS_EVENT_ROWS};
    read.rows.tag = ask(op);
    read.rows.rows = rows;
    read.rows.rows_count = 2;
    ck_assert_uint_ne(read.rows.tag, 0);
    step(read);
}

static void setup(void)
{
    load_for("checkpoints");
}

static void teardown(void)
{
    ss_free(damage);
    damage = NULL;
    json_decref(answer);
    answer = NULL;
    ss_engine_destroy(&engine);
}

static const char *code(void)
{
    const json_t *error = json_object_get(answer, "error");
    const char *text = json_string_value(json_object_get(error, "code"));
    return text ? text : "none";
}

START_TEST(a_checkpoint_that_cannot_be_put_together_is_told_as_corrupt)
{
    ck_assert_str_eq(code(), "corrupt"); // of what was asked first
    ask("state");
    ck_assert_str_eq(code(), "corrupt");
    ask("history");
    const json_t *one = json_array_get(json_object_get(answer, "history"), 0);
    ck_assert_ptr_nonnull(json_object_get(one, "error"));
}
END_TEST

// `journal` puts no checkpoint together.
START_TEST(rows_that_contradict_each_other_are_told_as_they_are_loaded)
{
    load_for("journal");
    ck_assert_str_eq(code(), "none");
    ck_assert_ptr_nonnull(damage);
    ck_assert_ptr_nonnull(strstr(damage, "thread t: "));
    ck_assert_ptr_nonnull(strstr(damage, "row 2"));
    ck_assert_ptr_nonnull(strstr(damage, "x"));
}
END_TEST

START_TEST(a_prune_of_what_cannot_be_put_together_is_refused)
{
    ask("prune");
    ck_assert_str_eq(code(), "corrupt");
    const char *text = json_string_value(
        json_object_get(json_object_get(answer, "error"), "message"));
    ck_assert_ptr_nonnull(strstr(text, "thread t"));
    ck_assert_ptr_nonnull(strstr(text, "row 2"));
    ask("journal"); // all rows are there
    ck_assert_uint_eq(json_array_size(json_object_get(answer, "rows")), 2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("corrupt");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, setup, teardown);
    tcase_add_test(
        all, a_checkpoint_that_cannot_be_put_together_is_told_as_corrupt);
    tcase_add_test(all, a_prune_of_what_cannot_be_put_together_is_refused);
    suite_add_tcase(suite, all);
    TCase *load = tcase_create("load");
    tcase_add_checked_fixture(load, NULL, teardown);
    tcase_add_test(
        load, rows_that_contradict_each_other_are_told_as_they_are_loaded);
    suite_add_tcase(suite, load);
    return suite_main(suite);
}
