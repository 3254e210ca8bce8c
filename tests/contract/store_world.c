#include "tests/contract/store_world.h"

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/wire/row.h"
#include "tests/support/postgres_server.h"
#include "tests/support/store_faulty.h"

struct ss_error world_error;

static char folder[64];
static char paths[8][128];
static char text[4096];

void world_begin(void)
{
    memcpy(folder, "/tmp/ss-store-XXXXXX", 21);
    ck_assert_ptr_nonnull(mkdtemp(folder));
    world_error = (struct ss_error){0};
}

void world_end(void)
{
    DIR *dir = opendir(folder);
    ck_assert_ptr_nonnull(dir);
    for (struct dirent *e = readdir(dir); e; e = readdir(dir)) {
        char path[512];
        snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
        (void)unlink(path);
    }
    closedir(dir);
    ck_assert_int_eq(rmdir(folder), 0);
}

const char *world_path(const char *name)
{
    static size_t next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
    return path;
}

static struct postgres_server *server;

int world_server_begin(void)
{
#ifdef SS_HAVE_POSTGRES
    const char *missing = postgres_server_missing();
#else
    const char *missing = "built without libpq";
#endif
    if (missing) {
        fprintf(stderr, "SKIPPED: the contract on PostgreSQL: %s\n", missing);
        return STORE_KINDS;
    }
    server = postgres_server_start(false);
    if (!server) {
        exit(EXIT_FAILURE); // it has said why
    }
    return STORE_KINDS_WITH_POSTGRES;
}

void world_server_end(void)
{
    postgres_server_stop(&server);
}

// Each test runs in a process of its own.
const char *world_server_url(void)
{
    static char url[400];
    snprintf(url, sizeof(url), "%s&schema=test_%ld",
        postgres_server_url(server), (long)getpid());
    return url;
}

struct ss_store *world_open(int kind)
{
    static const struct ss_faulty_plan plan;
    struct ss_store *store = NULL;
    char url[400] = "memory:";
    if (kind >= STORE_KINDS) {
        snprintf(url, sizeof(url), "%s", world_server_url());
    } else if (kind % 2 == 1) {
        snprintf(url, sizeof(url), "sqlite:%s", world_path("store.db"));
    }
    int status = ss_store_open(url, &store, &world_error);
    ck_assert_msg(status == SS_OK, "%s", world_error.message);
    bool is_plain = kind < 2 || kind == STORE_KINDS;
    return is_plain ? store : ss_store_faulty_new(store, &plan);
}

bool world_keeps(int kind)
{
    return kind >= STORE_KINDS || kind % 2 == 1;
}

struct ss_store_row row_of(const char *thread, uint64_t seq, const char *body)
{
    return (struct ss_store_row){
        .thread = thread,
        .seq = seq,
        .kind = 2,
        .format = 1,
        .run = "run-1",
        .ns = "",
        .checkpoint_id = "",
        .parent_id = "",
        .source = "loop",
        .checksum = seq * 31,
        .body = body,
        .body_size = strlen(body),
    };
}

int apply_unit(struct ss_store *store, struct ss_store_unit *unit)
{
    struct ss_store_batch batch = {.units = unit, .units_count = 1};
    int status = ss_store_apply(store, &batch, &world_error);
    return status != SS_OK ? status : unit->result;
}

int append_row(
    struct ss_store *store, const char *thread, uint64_t seq, const char *body)
{
    struct ss_store_row row = row_of(thread, seq, body);
    struct ss_store_unit unit = {
        .thread = thread,
        .rows = &row,
        .rows_count = 1,
    };
    return apply_unit(store, &unit);
}

#define ID(n) "1f0cbe88-1111-6000-8000-00000000000" n
#define OTHER "019acb2c-0000-4000-8000-0000000000bb"
#define RUN   "019acb2c-0000-4000-8000-0000000000aa"

const char view_sql[] =
    "SELECT coalesce((SELECT thread || ' ' || ns || ' ' || checkpoint_id ||"
    " ' ' || parent_id || ' ' || step || ' ' || source || ' ' || run || ' ' ||"
    " coalesce(CAST(metadata AS text), '-') || ' ' || size FROM checkpoints"
    " WHERE seq = %d), 'nothing')";

const char *const view_told[VIEW_ROWS] = {
    "t  " ID("1") "  -1 input " RUN " - 4",
    "t inner " ID("2") " " ID("1") " 258 loop " RUN " {\"parents\":{}} 41",
    "t  " ID("3") " " ID("2") " -2 fork  {\"a\":1} 25",
    "t  " ID("4") " " ID("9") " 0 update " RUN " {\"parents\":{}} 57",
    "nothing", // it makes none
    "t  " ID("6") " " ID("4") " 70000 loop " OTHER " {\"parents\":{}} 25",
    "nothing", // it tells one again
};

static const struct ss_row view_rows[VIEW_ROWS - 1] = {
    {.seq = 2,
        .kind = 2,
        .run = RUN,
        .checkpoint_id = ID("2"),
        .parent_id = ID("1"),
        .parent_seq = 1,
        .base_seq = 1,
        .source = SS_SOURCE_LOOP,
        .step = 258},
    {.seq = 3,
        .kind = 2,
        .checkpoint_id = ID("3"),
        .parent_id = ID("2"),
        .parent_seq = 2,
        .base_seq = 1,
        .source = SS_SOURCE_FORK,
        .step = -2},
    {.seq = 4,
        .kind = 2,
        .run = RUN,
        .checkpoint_id = ID("4"),
        .parent_id = ID("9"),
        .base_seq = 1,
        .source = SS_SOURCE_UPDATE},
    {.seq = 5, .kind = 1, .run = OTHER},
    {.seq = 6,
        .kind = 2,
        .run = OTHER,
        .checkpoint_id = ID("6"),
        .parent_id = ID("4"),
        .parent_seq = 4,
        .base_seq = 1,
        .source = SS_SOURCE_LOOP,
        .step = 70000,
        .sources.keeps_run = true},
    {.seq = 7,
        .kind = SS_ROW_SNAPSHOT,
        .run = RUN,
        .checkpoint_id = ID("4"),
        .base_seq = 1,
        .source = SS_SOURCE_UPDATE},
};

static void append_told(struct ss_store *store, struct ss_row row)
{
    char body[SS_ROW_HEAD_SIZE_MAX + 1];
    bool is_usual = row.seq != 3;
    row.metadata = is_usual ? json_pack("{s:{}}", "parents") : NULL;
    size_t size = ss_row_head_put(&row, false, (uint8_t *)body);
    json_decref(row.metadata);
    ck_assert_uint_gt(size, 0);
    body[size] = 'b';
    struct ss_store_row stored = row_of("t", row.seq, "");
    stored.kind = (int32_t)row.kind;
    stored.format = SS_ROW_FORMAT_10;
    stored.run = stored.source = "";
    stored.ns = row.seq == 2 ? "inner" : "";
    stored.metadata = is_usual ? NULL : "{\"a\":1}";
    stored.body = body;
    stored.body_size = size + 1;
    struct ss_store_unit unit = {
        .thread = "t", .rows = &stored, .rows_count = 1};
    ck_assert_int_eq(apply_unit(store, &unit), SS_OK);
}

void append_for_view(struct ss_store *store)
{
    struct ss_store_row row = row_of("t", 1, "body");
    row.run = RUN;
    row.checkpoint_id = ID("1");
    row.source = "input";
    row.step = -1;
    struct ss_store_unit unit = {.thread = "t", .rows = &row, .rows_count = 1};
    ck_assert_int_eq(apply_unit(store, &unit), SS_OK);
    for (size_t i = 0; i < VIEW_ROWS - 1; i++)
        append_told(store, view_rows[i]);
}

int put_entry(struct ss_store *store, const struct ss_store_put *put)
{
    struct ss_store_unit unit = {.puts = put, .puts_count = 1};
    return apply_unit(store, &unit);
}

static void text_add(const char *key, const void *value, size_t size)
{
    size_t used = strlen(text);
    snprintf(text + used, sizeof(text) - used, "%s%s%.*s", used ? " " : "", key,
        (int)size, (const char *)value);
}

static int row_add(void *ctx, const struct ss_store_row *row)
{
    char key[32];
    ck_assert_str_eq(row->thread, ctx);
    snprintf(key, sizeof(key), "%llu:", (unsigned long long)row->seq);
    text_add(key, row->body, row->body_size);
    return SS_OK;
}

const char *rows_text(
    struct ss_store *store, const char *thread, uint64_t from, uint64_t to)
{
    char name[128];
    snprintf(name, sizeof(name), "%s", thread);
    text[0] = '\0';
    int status =
        ss_store_read(store, thread, from, to, row_add, name, &world_error);
    ck_assert_msg(status == SS_OK, "%s", world_error.message);
    return text;
}

const char *all_rows(struct ss_store *store, const char *thread)
{
    return rows_text(store, thread, 0, UINT64_MAX);
}

static int entry_add(void *ctx, const char *key, const char *index,
    const void *value, size_t size, int64_t expires_us)
{
    (void)ctx;
    (void)index;
    (void)expires_us;
    char start[128];
    snprintf(start, sizeof(start), "%s=", key);
    text_add(start, value, size);
    return SS_OK;
}

const char *entries_text(struct ss_store *store, enum ss_store_table table,
    const char *index, const char *after, size_t limit)
{
    text[0] = '\0';
    int status = ss_store_scan(
        store, table, index, after, limit, entry_add, NULL, &world_error);
    ck_assert_msg(status == SS_OK, "%s", world_error.message);
    return text;
}

const char *all_entries(struct ss_store *store, enum ss_store_table table)
{
    return entries_text(store, table, NULL, NULL, 0);
}
