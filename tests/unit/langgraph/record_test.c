// record_test.c - rows of LangGraph's tables and saved checkpoints, both ways.
#include "client/langgraph/record.h"

#include "tests/unit/langgraph/bytes.h"

#define ID_1     "1f1e5fa9-df76-6f58-8001-000000000001"
#define ID_2     "1f1e5fa9-df76-6f58-8001-000000000002"
#define ID_3     "1f1e5fa9-df76-6f58-8001-000000000003"
#define METADATA "{'source': 'loop', 'step': 1, 'parents': {}, 'user': 'ada'}"
#define RECORD                                                                 \
    "{'v': 4, 'id': '" ID_2 "', 'ts': '2026-11-21T00:00:00+00:00',"            \
    " 'channel_values': {'s': 'hi'}, 'channel_versions': {'s':"                \
    " '00000000000000000000000000000003.0.5', 'x': 2, 'y': 4.0},"              \
    " 'versions_seen': {'__input__': {}, 'a': {'s': '00000002.1'}},"           \
    " 'updated_channels': ['s']}"

static const struct ss_ext_allowed nothing;

static char *text_of(const char *like)
{
    char *text = ss_strdup(like);
    for (char *c = text; *c; c++)
        if (*c == '\'')
            *c = '"';
    return text;
}

static int open_record(const char *record, const char *metadata,
    json_t **ret_saved, struct ss_error *error)
{
    char *bytes = text_of(record), *more = text_of(metadata);
    const struct ss_record row = {.ns = "",
        .id = ID_2,
        .parent = ID_1,
        .tag = "json",
        .bytes = bytes,
        .size = strlen(bytes),
        .metadata = more,
        .metadata_size = strlen(more)};
    int status = ss_record_open(&row, ret_saved, error);
    ss_free(bytes);
    ss_free(more);
    return status;
}

static json_t *opened(const char *record, const char *metadata)
{
    json_t *saved = NULL;
    struct ss_error error;
    if (open_record(record, metadata, &saved, &error) != SS_OK)
        ck_abort_msg("%s", error.message);
    return saved;
}

static void refuses(
    const char *record, const char *metadata, int status, const char *words)
{
    json_t *saved = NULL;
    struct ss_error error = {0};
    ck_assert_int_eq(open_record(record, metadata, &saved, &error), status);
    ck_assert_ptr_null(saved);
    if (!strstr(error.message, words))
        ck_abort_msg("\"%s\" says nothing of \"%s\"", error.message, words);
}

START_TEST(a_row_of_checkpoints_becomes_a_saved_checkpoint)
{
    json_t *saved = opened(RECORD, METADATA);
    const struct ss_record_write write = {.task_id = "t",
        .path = "~p",
        .idx = -3,
        .channel = "__resume__",
        .tag = "msgpack",
        .bytes = "\x91\xc3",
        .size = 2};
    ck_assert_int_eq(
        ss_record_value(saved, "x", "msgpack", "\x91\x01", 2, NULL), SS_OK);
    ck_assert_int_eq(
        ss_record_value(saved, "y", "empty", NULL, 0, NULL), SS_OK);
    ck_assert_int_eq(ss_record_write(saved, &write, NULL), SS_OK);
    expect_json(saved,
        "{'ns': '', 'id': '" ID_2 "', 'parent_id': '" ID_1 "',"
        " 'source': 'loop', 'step': 1, 'metadata': " METADATA ","
        " 'created_at': '2026-11-21T00:00:00+00:00',"
        " 'channel_values': {'s': 'hi', 'x': [1]},"
        " 'channel_versions': {'s': 3, 'x': 2, 'y': 4},"
        " 'versions_seen': {'__input__': {}, 'a': {'s': 2}},"
        " 'updated_channels': ['s'], 'pending_writes': [{'task_id': 't',"
        " 'path': '~p', 'idx': -3, 'channel': '__resume__', 'value':"
        " [true]}]}");
}
END_TEST

static char *with(const char *from, const char *to)
{
    static const char record[] = RECORD;
    const char *at = strstr(record, from);
    ck_assert_ptr_nonnull(at);
    return ss_format(
        "%.*s%s%s", (int)(at - record), record, to, at + strlen(from));
}

static void refuses_with(
    const char *from, const char *to, int status, const char *words)
{
    char *record = with(from, to);
    refuses(record, METADATA, status, words);
    ss_free(record);
}

START_TEST(what_is_no_checkpoint_is_refused_by_its_column)
{
    refuses("{", METADATA, SS_EFORMAT, "column checkpoint: ");
    refuses("[]", METADATA, SS_EFORMAT, "column checkpoint: v");
    refuses(RECORD, "{", SS_EFORMAT, "column metadata: ");
    refuses(RECORD, "{'source': 'loop'}", SS_EFORMAT, "column metadata: ");
    refuses_with("'v': 4", "'v': 0", SS_EINVAL, "format 0");
    refuses_with("'v': 4", "'v': -1e300", SS_EINVAL, "format -1e+300");
    refuses_with("'v': 4", "'v': null", SS_EFORMAT, "v is not a number");
    refuses_with(ID_2, ID_1, SS_EFORMAT, "its id is not that of the row");
    refuses_with("'ts': '2026-11-21T00:00:00+00:00'", "'ts': 1", SS_EFORMAT,
        "ts is not a time");
    refuses_with("'x': 2", "'x': 'two'", SS_EFORMAT, "channel_versions");
    refuses_with("'x': 2", "'x': -2", SS_EFORMAT, "channel_versions");
    refuses_with("'x': 2", "'x': '99999999999999999999.1'", SS_EFORMAT,
        "channel_versions");
    refuses_with("'s': '00000002.1'", "'s': null", SS_EFORMAT, "versions_seen");
    refuses_with("{'__input__': {}, 'a': {'s': '00000002.1'}}", "[]",
        SS_EFORMAT, "versions_seen");
    refuses_with("{'s': 'hi'}", "{'join:a:b': [1]}", SS_EFORMAT,
        "channel join:a:b: a join's set holds what is not a name");
}
END_TEST

static void refuses_value(const char *channel, const char *tag,
    const void *bytes, size_t size, const char *words)
{
    struct ss_error error = {0};
    json_t *saved = opened(RECORD, METADATA);
    ck_assert_int_eq(
        ss_record_value(saved, channel, tag, bytes, size, &error), SS_EFORMAT);
    if (!strstr(error.message, words))
        ck_abort_msg("\"%s\" says nothing of \"%s\"", error.message, words);
    expect_json(
        json_incref(json_object_get(saved, "channel_values")), "{'s': 'hi'}");
    json_decref(saved);
}

START_TEST(a_value_that_cannot_be_kept_is_refused_and_not_left_out)
{
    refuses_value("\xff", "msgpack", "\x01", 1, "a name that is not UTF-8");
    refuses_value("x", "msgpack", "\x01\x02", 2, "bytes behind the document");
    refuses_value("x", "msgpack", "\xc7\x02\x07\x01\x02", 5,
        "byte 1: bytes behind the document");
    refuses_value("x", "\xff", "\x01", 1, "its type tag is");
    refuses_value("x", "", "\x01", 1, "its type tag is missing");
}
END_TEST

START_TEST(the_snapshot_of_a_delta_channel_is_its_value)
{
    json_t *saved = opened(RECORD, METADATA);
    ck_assert_int_eq(
        ss_record_value(saved, "x", "msgpack", "\xc7\x02\x07\x91\x01", 5, NULL),
        SS_OK);
    expect_json(json_incref(json_object_get(saved, "channel_values")),
        "{'s': 'hi', 'x': [1]}");
    json_decref(saved);
    saved = opened(RECORD, "{'step': -2}"); // only to hold writes: no source
    ck_assert_str_eq(ss_json_str(saved, "source", ""), "input");
    json_decref(saved);
}
END_TEST

START_TEST(a_record_of_sqlite_is_one_document_with_all_values)
{
    json_t *saved = NULL;
    struct ss_error error = {0};
    struct ss_record_rows rows;
    struct ss_record_versions versions = {0};
    json_t *before = js(
        "{'ns': 'in:1', 'id': '" ID_2 "', 'parent_id': null,"
        " 'source': 'input', 'step': -1, 'metadata': {'source': 'input',"
        " 'step': -1, 'parents': {'': '" ID_1 "'}},"
        " 'created_at': '2026-11-21T00:00:00+00:00', 'channel_values':"
        " {'x': [1], 'join:a+b:c': ['a'], '__pregel_tasks': [{'$send': {'node':"
        " 'w', 'arg': null}}]}, 'channel_versions': {'x': 1, 'join:a+b:c': 2,"
        " '__pregel_tasks': 2}, 'versions_seen': {'a': {'x': 1}},"
        " 'updated_channels': null, 'pending_writes': []}");
    if (ss_record_rows(before, SS_RECORD_WHOLE, &nothing, &versions, &rows,
            &error) != SS_OK)
        ck_abort_msg("%s", error.message);
    ck_assert_uint_eq(rows.blobs.count, 0);
    const struct ss_record row = {.ns = rows.ns,
        .id = rows.id,
        .parent = rows.parent,
        .tag = "msgpack",
        .bytes = rows.checkpoint,
        .size = rows.size,
        .metadata = rows.metadata,
        .metadata_size = strlen(rows.metadata)};
    if (ss_record_open(&row, &saved, &error) != SS_OK)
        ck_abort_msg("%s", error.message);
    ck_assert(json_equal(before, saved));
    for (size_t size = 0; size < rows.size; size++) { // cut anywhere
        struct ss_record cut = row;
        json_t *other = NULL;
        cut.size = size;
        ck_assert_int_ne(ss_record_open(&cut, &other, &error), SS_OK);
    }
    ss_record_rows_fini(&rows);
    ss_record_versions_fini(&versions);
    json_decref(before);
    json_decref(saved);
}
END_TEST

// A saved checkpoint with channel x of that version and value.
static json_t *saved_with(
    const char *id, const char *parent, int version, const char *value)
{
    json_t *saved = js("{'ns': '', 'source': 'loop', 'step': 1, 'metadata':"
                       " {'source': 'loop', 'step': 1}, 'created_at':"
                       " '2026-11-21T00:00:00+00:00', 'versions_seen': {},"
                       " 'pending_writes': []}");
    json_object_set_new(saved, "id", json_string(id));
    json_object_set_new(
        saved, "parent_id", parent ? json_string(parent) : json_null());
    json_object_set_new(
        saved, "channel_versions", json_pack("{s:i}", "x", version));
    json_object_set_new(saved, "channel_values",
        value ? json_pack("{s:o}", "x", js(value)) : json_object());
    json_object_set_new(
        saved, "versions_seen", json_pack("{s:{s:i}}", "a", "x", version));
    return saved;
}

// Takes `saved`.
static struct ss_record_rows rows_of(
    struct ss_record_versions *versions, json_t *saved)
{
    struct ss_record_rows rows;
    struct ss_error error;
    if (ss_record_rows(
            saved, SS_RECORD_SPLIT, &nothing, versions, &rows, &error) != SS_OK)
        ck_abort_msg("%s", error.message);
    json_decref(saved);
    return rows;
}

START_TEST(a_value_is_a_row_where_its_version_appears)
{
    struct ss_record_versions versions = {0};
    struct ss_record_rows first =
        rows_of(&versions, saved_with(ID_1, NULL, 3, "[1]"));
    struct ss_record_rows same =
        rows_of(&versions, saved_with(ID_2, ID_1, 3, "[1]"));
    ck_assert_uint_eq(first.blobs.count, 1);
    ck_assert_str_eq(first.blobs.items[0].version,
        "00000000000000000000000000000003.1f1e5fa9df766f588001000000000001");
    ck_assert_str_eq(first.blobs.items[0].tag, "msgpack");
    ck_assert_uint_eq(same.blobs.count, 0);
    ck_assert_ptr_nonnull(strstr(same.checkpoint,
        "\"x\":\"00000000000000000000000000000003.1f1e5fa9df766f58800100000000"
        "0001\"},\"versions_seen\":{\"a\":{\"x\":\"0000000000000000000000000000"
        "0003.1f1e5fa9df766f588001000000000001\"}}"));
    ss_record_rows_fini(&first);
    ss_record_rows_fini(&same);
    ss_record_versions_fini(&versions);
}
END_TEST

START_TEST(branches_with_one_version_have_rows_of_their_own)
{
    struct ss_record_versions versions = {0};
    struct ss_record_rows root =
        rows_of(&versions, saved_with(ID_1, NULL, 2, "[0]"));
    struct ss_record_rows left =
        rows_of(&versions, saved_with(ID_2, ID_1, 3, "[1]"));
    struct ss_record_rows right =
        rows_of(&versions, saved_with(ID_3, ID_1, 3, "[2]"));
    ck_assert_uint_eq(left.blobs.count, 1);
    ck_assert_uint_eq(right.blobs.count, 1);
    ck_assert_str_ne(left.blobs.items[0].version, right.blobs.items[0].version);
    ss_record_rows_fini(&root);
    ss_record_rows_fini(&left);
    ss_record_rows_fini(&right);
    ss_record_versions_fini(&versions);
}
END_TEST

// Where the value of x stands: in the row (as `text`), or beside it (NULL).
static void expect_place(const char *value, const char *text)
{
    struct ss_record_versions versions = {0};
    struct ss_record_rows rows =
        rows_of(&versions, saved_with(ID_1, NULL, 1, value));
    ck_assert_uint_eq(rows.blobs.count, text ? 0 : 1);
    if (text && !strstr(rows.checkpoint, text))
        ck_abort_msg("%s has no %s", rows.checkpoint, text);
    ss_record_rows_fini(&rows);
    ss_record_versions_fini(&versions);
}

START_TEST(scalars_that_jsonb_keeps_stand_in_the_row)
{
    expect_place("null", "{\"x\":null}");
    expect_place("true", "{\"x\":true}");
    expect_place("7", "{\"x\":7}");
    expect_place("1.5", "{\"x\":1.5}");
    expect_place("1.0", "{\"x\":1.0}");
    expect_place("'hi'", "{\"x\":\"hi\"}");
    expect_place("'a\\u0000b'", NULL); // jsonb has no NUL
    expect_place("1e16", NULL);        // it would come back an integer
    expect_place("-0.0", NULL);        // and this as 0.0
    expect_place("[]", NULL);
    expect_place("{}", NULL);
}
END_TEST

START_TEST(names_that_postgres_would_spoil_are_refused)
{
    struct ss_record_versions versions = {0};
    struct ss_record_rows rows;
    struct ss_error error = {0};
    json_t *saved = saved_with(ID_1, NULL, 1, NULL);
    json_array_append_new(json_object_get(saved, "pending_writes"),
        json_pack("{s:s, s:s, s:i, s:s, s:n}", "task_id", "t", "path", "",
            "idx", 0, "channel", "a\\b", "value"));
    ck_assert_int_eq(ss_record_rows(saved, SS_RECORD_SPLIT, &nothing, &versions,
                         &rows, &error),
        SS_EINVAL);
    ck_assert_ptr_nonnull(strstr(error.message, "a\\b"));
    ck_assert_int_eq(ss_record_rows(saved, SS_RECORD_WHOLE, &nothing, &versions,
                         &rows, &error),
        SS_OK);
    ck_assert_uint_eq(rows.writes.count, 1);
    ck_assert_str_eq(rows.writes.items[0].tag, "null");
    ck_assert_uint_eq(rows.writes.items[0].size, 0);
    ss_record_rows_fini(&rows);
    ss_record_versions_fini(&versions);
    json_decref(saved);
}
END_TEST

// Not that a coordinator would answer so.
START_TEST(what_is_no_saved_checkpoint_is_not_written)
{
    static const char *const writes[] = {
        "{'task_id': 't', 'path': '', 'idx': 2147483648, 'channel': 'c',"
        " 'value': 1}",
        "{'task_id': 't', 'path': '', 'idx': 0, 'channel': 'c'}"};
    struct ss_record_versions versions = {0};
    struct ss_record_rows rows;
    struct ss_error error = {0};
    for (size_t i = 0; i < 2; i++) {
        json_t *saved = saved_with(ID_1, NULL, 1, NULL);
        json_array_append_new(
            json_object_get(saved, "pending_writes"), js(writes[i]));
        ck_assert_int_eq(ss_record_rows(saved, SS_RECORD_WHOLE, &nothing,
                             &versions, &rows, &error),
            SS_EFORMAT);
        ck_assert_ptr_nonnull(strstr(error.message, "a write to c has no"));
        json_object_del(saved, "metadata");
        ck_assert_int_eq(ss_record_rows(saved, SS_RECORD_WHOLE, &nothing,
                             &versions, &rows, &error),
            SS_EFORMAT);
        ck_assert_str_eq(error.message, "it has no metadata");
        json_decref(saved);
    }
    ss_record_versions_fini(&versions);
}
END_TEST

RUN("record", what_is_no_saved_checkpoint_is_not_written,
    a_value_that_cannot_be_kept_is_refused_and_not_left_out,
    a_row_of_checkpoints_becomes_a_saved_checkpoint,
    what_is_no_checkpoint_is_refused_by_its_column,
    the_snapshot_of_a_delta_channel_is_its_value,
    a_record_of_sqlite_is_one_document_with_all_values,
    a_value_is_a_row_where_its_version_appears,
    branches_with_one_version_have_rows_of_their_own,
    scalars_that_jsonb_keeps_stand_in_the_row,
    names_that_postgres_would_spoil_are_refused)
