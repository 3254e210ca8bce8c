// handle.c - values in sixteen bytes.
#include "common/dense/handle.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/dense/scan.h"
#include "common/model/persistent_vector.h"
#include "common/model/reserved.h"

struct ss_handle_list {
    uint32_t refs, count, capacity;
    struct ss_handle items[];
};

// ------------------------------------------------ made and freed

struct ss_handle ss_handle_ref(struct ss_handle handle)
{
    if (handle.kind == SS_HANDLE_BLOB)
        handle.as.blob->refs++;
    else if (handle.kind == SS_HANDLE_LIST)
        handle.as.list->refs++;
    else if (handle.kind == SS_HANDLE_VALUE)
        ss_value_ref(handle.as.value);
    return handle;
}

static void list_free(struct ss_handle_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        ss_handle_unref(list->items[i]);
    ss_free(list);
}

void ss_handle_unref(struct ss_handle handle)
{
    if (handle.kind == SS_HANDLE_BLOB) {
        ss_check(handle.as.blob->refs > 0);
        if (--handle.as.blob->refs == 0)
            ss_free(handle.as.blob);
    } else if (handle.kind == SS_HANDLE_LIST) {
        ss_check(handle.as.list->refs > 0);
        if (--handle.as.list->refs == 0)
            list_free(handle.as.list);
    } else if (handle.kind == SS_HANDLE_VALUE) {
        ss_value_unref(handle.as.value);
    }
}

// Bytes under a tag. Copies. Gives.
static struct ss_handle handle_bytes(
    enum ss_value_tag tag, const void *bytes, size_t size)
{
    struct ss_handle_blob *blob = ss_alloc(sizeof(*blob) + size);
    *blob = (struct ss_handle_blob){.refs = 1, .tag = tag, .size = size};
    memcpy(blob->bytes, bytes, size);
    return (struct ss_handle){.kind = SS_HANDLE_BLOB, .as = {.blob = blob}};
}

struct ss_handle ss_handle_text(const char *text, size_t size)
{
    struct ss_handle handle = {.kind = SS_HANDLE_SMALL};
    if (size == 4 && memcmp(text, "null", 4) == 0)
        return ss_handle_null();
    if (ss_scan_integer(text, size, &handle.as.number))
        return ss_handle_int(handle.as.number);
    if (size > sizeof(handle.as.text))
        return handle_bytes(SS_VALUE_JSON, text, size);
    handle.size = (uint8_t)size;
    memcpy(handle.as.text, text, size);
    return handle;
}

// ------------------------------------------------ lists

struct ss_handle ss_handle_list(uint32_t capacity)
{
    struct ss_handle_list *list =
        ss_alloc(sizeof(*list) + capacity * sizeof(struct ss_handle));
    *list = (struct ss_handle_list){.refs = 1, .capacity = capacity};
    return (struct ss_handle){.kind = SS_HANDLE_LIST, .as = {.list = list}};
}

static void list_move(struct ss_handle *list)
{
    enum { FEWEST = 4 };
    uint32_t capacity = list->count < FEWEST ? FEWEST : 2 * list->count;
    struct ss_handle own = ss_handle_list(capacity);
    for (uint32_t i = 0; i < list->count; i++)
        own.as.list->items[i] = ss_handle_ref(list->as.list->items[i]);
    own.count = own.as.list->count = list->count;
    ss_handle_unref(*list);
    *list = own;
}

void ss_handle_push(struct ss_handle *list, struct ss_handle item)
{
    ss_check(list->kind == SS_HANDLE_LIST);
    ss_check(list->count < UINT32_MAX / 4);
    if (list->as.list->count != list->count ||
        list->count == list->as.list->capacity)
        list_move(list);
    list->as.list->items[list->count] = item;
    list->as.list->count = ++list->count;
}

void ss_handle_cut(struct ss_handle *list, uint32_t count)
{
    struct ss_handle_list *block = list->as.list;
    ss_check(list->kind == SS_HANDLE_LIST && count <= list->count);
    while (block->count > count)
        ss_handle_unref(block->items[--block->count]);
    list->count = count;
}

bool ss_handle_shares(struct ss_handle a, struct ss_handle b)
{
    return a.kind == SS_HANDLE_LIST && b.kind == SS_HANDLE_LIST &&
           a.as.list == b.as.list;
}

struct ss_handle ss_handle_item(struct ss_handle list, uint32_t index)
{
    ss_check(list.kind == SS_HANDLE_LIST && index < list.count);
    return list.as.list->items[index];
}

// ------------------------------------------------ a look into text

// It has text without being put together.
static bool is_text(struct ss_value *value)
{
    return ss_value_tag(value) == SS_VALUE_JSON && !ss_value_listed(value);
}

// The text of a value that is one; false: it is not JSON text.
static bool text_of(
    const struct ss_handle *handle, const char **ret, size_t *ret_size)
{
    bool is_blob = handle->kind == SS_HANDLE_BLOB;
    if (handle->kind == SS_HANDLE_VALUE && is_text(handle->as.value)) {
        *ret = ss_value_text(handle->as.value, ret_size);
        return true;
    }
    if (is_blob && handle->as.blob->tag == SS_VALUE_JSON) {
        *ret = handle->as.blob->bytes;
        *ret_size = handle->as.blob->size;
    } else if (handle->kind == SS_HANDLE_SMALL) {
        *ret = handle->as.text;
        *ret_size = handle->size;
    } else {
        return false;
    }
    return true;
}

bool ss_handle_split(struct ss_handle handle, struct ss_handle *ret_list)
{
    struct ss_scan scan;
    struct ss_scan_part key, item;
    const char *text;
    size_t size;
    if (handle.kind == SS_HANDLE_LIST) {
        *ret_list = ss_handle_ref(handle);
        return true;
    }
    if (handle.kind == SS_HANDLE_VALUE && ss_value_listed(handle.as.value)) {
        *ret_list = ss_handle_of_value(handle.as.value);
        return true;
    }
    if (!text_of(&handle, &text, &size) ||
        !ss_scan_begin(&scan, '[', text, size))
        return false;
    *ret_list = ss_handle_list(4);
    while (ss_scan_next(&scan, &key, &item))
        ss_handle_push(ret_list, ss_handle_text(item.text, item.size));
    return true;
}

bool ss_handle_member(
    struct ss_handle handle, const char *name, struct ss_handle *ret)
{
    struct ss_scan_part part;
    const char *text;
    size_t size;
    if (!text_of(&handle, &text, &size) ||
        !ss_scan_member(text, size, name, &part))
        return false;
    *ret = ss_handle_text(part.text, part.size);
    return true;
}

char *ss_handle_string(struct ss_handle handle)
{
    struct ss_scan_part part;
    if (!text_of(&handle, &part.text, &part.size))
        return NULL;
    return ss_scan_string(&part);
}

bool ss_handle_overwrites(struct ss_handle handle, struct ss_handle *ret)
{
    struct ss_scan_part part, type;
    const char *text;
    size_t size;
    if (!text_of(&handle, &text, &size) || handle.kind == SS_HANDLE_SMALL)
        return false;
    if (ss_scan_member(text, size, SS_NAME_OVERWRITE, &part) &&
        ss_scan_members(text, size) == 1) {
        *ret = ss_handle_text(part.text, part.size);
        return true;
    }
    if (!ss_scan_member(text, size, "type", &type) ||
        !ss_scan_member(text, size, "value", &part))
        return false;
    char *word = ss_scan_string(&type);
    bool is = word && strcmp(word, SS_NAME_OVERWRITE) == 0;
    ss_free(word);
    if (is)
        *ret = ss_handle_text(part.text, part.size);
    return is;
}

// ------------------------------------------------ other forms

void ss_handle_add(struct ss_buf *buf, struct ss_handle handle)
{
    const char *text = "null";
    size_t size = 4;
    ss_check(handle.kind != SS_HANDLE_MISSING);
    if (handle.kind == SS_HANDLE_VALUE &&
        ss_value_tag(handle.as.value) == SS_VALUE_JSON)
        text = ss_value_text(handle.as.value, &size);
    if (handle.kind == SS_HANDLE_INT) {
        ss_buf_addf(buf, "%" PRId64, handle.as.number);
    } else if (handle.kind == SS_HANDLE_LIST) {
        ss_buf_add_str(buf, "[");
        for (uint32_t i = 0; i < handle.count; i++) {
            if (i > 0)
                ss_buf_add_str(buf, ",");
            ss_handle_add(buf, handle.as.list->items[i]);
        }
        ss_buf_add_str(buf, "]");
    } else {
        text_of(&handle, &text, &size);
        ss_buf_add(buf, text, size);
    }
}

json_t *ss_handle_json(struct ss_handle handle)
{
    json_t *json = NULL;
    const char *text;
    size_t size;
    if (handle.kind == SS_HANDLE_INT)
        return json_integer(handle.as.number);
    if (handle.kind == SS_HANDLE_VALUE)
        return json_incref(ss_value_json(handle.as.value));
    if (handle.kind == SS_HANDLE_LIST) {
        json = json_array();
        for (uint32_t i = 0; i < handle.count; i++)
            json_array_append_new(
                json, ss_handle_json(handle.as.list->items[i]));
        return json;
    }
    if (!text_of(&handle, &text, &size) ||
        ss_json_parse(text, size, &json, NULL) != SS_OK)
        return json_null();
    return json;
}

struct ss_handle ss_handle_of_json(const json_t *json)
{
    if (json_is_array(json)) {
        size_t count = json_array_size(json);
        struct ss_handle list = ss_handle_list((uint32_t)count);
        for (size_t i = 0; i < count; i++) {
            char *item = ss_json_text(json_array_get(json, i));
            ss_handle_push(&list, ss_handle_text(item, strlen(item)));
            ss_free(item);
        }
        return list;
    }
    char *text = ss_json_text(json);
    struct ss_handle handle = ss_handle_text(text, strlen(text));
    ss_free(text);
    return handle;
}

static void push_value(void *list, uint64_t number, struct ss_value *item)
{
    (void)number;
    ss_handle_push(list, ss_handle_of_value(item));
}

struct ss_handle ss_handle_of_value(struct ss_value *value)
{
    size_t size;
    if (!value)
        return (struct ss_handle){0};
    if (ss_value_listed(value)) {
        const struct ss_list *list = ss_value_list(value);
        struct ss_handle items = ss_handle_list((uint32_t)ss_list_count(list));
        ss_list_each(list, push_value, &items);
        return items;
    }
    const char *text = ss_value_text(value, &size);
    enum ss_value_tag tag = ss_value_tag(value);
    return tag == SS_VALUE_JSON ? ss_handle_text(text, size)
                                : handle_bytes(tag, text, size);
}

struct ss_value *ss_handle_value(struct ss_handle handle)
{
    if (handle.kind == SS_HANDLE_MISSING)
        return NULL;
    if (handle.kind == SS_HANDLE_VALUE)
        return ss_value_ref(handle.as.value);
    if (handle.kind == SS_HANDLE_BLOB)
        return ss_value_opaque(
            handle.as.blob->tag, handle.as.blob->bytes, handle.as.blob->size);
    if (handle.kind == SS_HANDLE_LIST) {
        struct ss_list *list = ss_list_new();
        for (uint32_t i = 0; i < handle.count; i++) {
            struct ss_value *item = ss_handle_value(handle.as.list->items[i]);
            list = ss_list_push(list, item);
            ss_value_unref(item);
        }
        return ss_value_of_list(list);
    }
    struct ss_buf buf;
    ss_buf_init(&buf, SIZE_MAX);
    ss_handle_add(&buf, handle);
    struct ss_value *value = ss_value_from_text(buf.data, buf.size);
    ss_buf_fini(&buf);
    return value;
}

struct ss_handle ss_handle_keep(struct ss_value *value)
{
    if (!value)
        return (struct ss_handle){0};
    return (struct ss_handle){
        .kind = SS_HANDLE_VALUE, .as = {.value = ss_value_ref(value)}};
}
