// ext.c - extensions by their class.
#include "client/langgraph/ext.h"

#include <stdio.h>
#include <string.h>

bool ss_ext_is_name(const char *name)
{
    size_t size = 0;
    while (name[size] > ' ' && name[size] < 0x7f)
        size++;
    return size > 0 && size < SS_LANGGRAPH_CLASS_MAX / 2 && !name[size];
}

static bool take_name(
    struct ss_msgpack_reader *reader, char ret_name[SS_LANGGRAPH_CLASS_MAX])
{
    struct ss_msgpack_item item;
    if (ss_msgpack_read(reader, &item, NULL) != SS_OK ||
        item.type != SS_MSGPACK_STR || item.size == 0 ||
        item.size >= SS_LANGGRAPH_CLASS_MAX / 2 ||
        memchr(item.bytes, '\0', item.size))
        return false;
    memcpy(ret_name, item.bytes, item.size);
    ret_name[item.size] = '\0';
    return ss_ext_is_name(ret_name);
}

bool ss_ext_open(const struct ss_msgpack_item *item, struct ss_ext *ret_ext)
{
    struct ss_msgpack_item list;
    struct ss_ext ext = {.code = SS_EXT_ARG};
    if (item->type != SS_MSGPACK_EXT || item->code < SS_EXT_ARG ||
        item->code > SS_EXT_MODEL)
        return false;
    ext.code = (enum ss_ext_code)item->code;
    ss_msgpack_init(&ext.held, item->bytes, item->size);
    if (ss_msgpack_read(&ext.held, &list, NULL) != SS_OK ||
        list.type != SS_MSGPACK_ARRAY || list.count < 3 ||
        !take_name(&ext.held, ext.module) || !take_name(&ext.held, ext.name))
        return false;
    ext.count = list.count;
    *ret_ext = ext;
    return true;
}

void ss_ext_class(
    const struct ss_msgpack_item *item, char ret_class[SS_LANGGRAPH_CLASS_MAX])
{
    static const char *const plain[] = {[SS_MSGPACK_NIL] = "None",
        [SS_MSGPACK_BOOL] = "bool",
        [SS_MSGPACK_INT] = "int",
        [SS_MSGPACK_UINT] = "int",
        [SS_MSGPACK_FLOAT] = "float",
        [SS_MSGPACK_STR] = "str",
        [SS_MSGPACK_BIN] = "bytes",
        [SS_MSGPACK_ARRAY] = "list",
        [SS_MSGPACK_MAP] = "dict"};
    struct ss_ext ext;
    const char *name = "?";
    if (ss_ext_open(item, &ext)) {
        // Each is shorter than half of the room.
        size_t size = strlen(ext.module);
        memcpy(ret_class, ext.module, size);
        ret_class[size] = '.';
        memcpy(ret_class + size + 1, ext.name, strlen(ext.name) + 1);
        return;
    }
    if (item->type != SS_MSGPACK_EXT)
        name = plain[item->type];
    else if (item->code == SS_EXT_ARRAY)
        name = "numpy.ndarray";
    else if (item->code == SS_EXT_SNAPSHOT)
        name = "delta snapshot";
    else {
        snprintf(ret_class, SS_LANGGRAPH_CLASS_MAX, "extension %d", item->code);
        return;
    }
    memcpy(ret_class, name, strlen(name) + 1);
}

// ------------------------------------------------------- what may be exported

static bool is_safe(const char *name)
{
    static const char *const safe[] = {
#define X(module, class) module "." class,
#include "client/langgraph/classes.def"
#undef X
        // not a class: reading it calls nothing
        "numpy.ndarray", "delta snapshot"};
    for (size_t i = 0; i < sizeof(safe) / sizeof(safe[0]); i++)
        if (strcmp(safe[i], name) == 0)
            return true;
    return false;
}

int ss_ext_check_class(const char *name, const struct ss_ext_allowed *allowed,
    struct ss_error *error)
{
    if (is_safe(name))
        return SS_OK;
    for (size_t i = 0; i < allowed->count; i++)
        if (strcmp(allowed->classes[i], name) == 0 ||
            strcmp(allowed->classes[i], "*") == 0)
            return SS_OK;
    if (allowed->missing) {
        json_object_set_new(allowed->missing, name, json_true());
        return SS_OK;
    }
    return ss_error_set(error, SS_EDENIED,
        "a %s: who reads it in Python may import and call that; if it is "
        "yours, say --class %s",
        name, name);
}

static int check(const void *bytes, size_t size, int depth,
    const struct ss_ext_allowed *allowed, struct ss_error *error);

static int check_ext(const struct ss_msgpack_item *item, int depth,
    const struct ss_ext_allowed *allowed, struct ss_error *error)
{
    char name[SS_LANGGRAPH_CLASS_MAX];
    struct ss_ext ext;
    ss_ext_class(item, name);
    if (ss_ext_open(item, &ext) || item->code == SS_EXT_ARRAY ||
        item->code == SS_EXT_SNAPSHOT) {
        int status = ss_ext_check_class(name, allowed, error);
        return status == SS_OK
                   ? check(item->bytes, item->size, depth + 1, allowed, error)
                   : status;
    }
    // Python reads an unknown code as null, which is harmless.
    return item->code > SS_EXT_SNAPSHOT || item->code < 0
               ? SS_OK
               : ss_error_set(error, SS_EDENIED,
                     "%s is not of a shape that it should have", name);
}

// All tokens of the document in one pass; recursion only into extensions.
static int check(const void *bytes, size_t size, int depth,
    const struct ss_ext_allowed *allowed, struct ss_error *error)
{
    struct ss_msgpack_reader reader;
    if (depth > SS_LANGGRAPH_DEPTH_MAX)
        return ss_error_set(error, SS_ELIMIT,
            "extensions are nested over %d deep", SS_LANGGRAPH_DEPTH_MAX);
    ss_msgpack_init(&reader, bytes, size);
    while (!ss_msgpack_done(&reader)) {
        struct ss_msgpack_item item;
        int status = ss_msgpack_read(&reader, &item, error);
        if (status == SS_OK && item.type == SS_MSGPACK_EXT)
            status = check_ext(&item, depth, allowed, error);
        if (status != SS_OK)
            return status;
    }
    return SS_OK;
}

int ss_ext_check(const void *bytes, size_t size,
    const struct ss_ext_allowed *allowed, struct ss_error *error)
{
    struct ss_msgpack_reader reader;
    ss_msgpack_init(&reader, bytes, size);
    int status = ss_msgpack_skip(&reader, error);
    if (status == SS_OK)
        status = ss_msgpack_end(&reader, error);
    return status == SS_OK ? check(bytes, size, 0, allowed, error) : status;
}
