// compare.c - finds where an answer leaves the reference's.
#include "tests/conformance/compare.h"

#include <string.h>

#include "common/base/mem.h"

struct search {
    json_t *allowed;
    struct difference *found;
};

static bool walk(
    struct search *search, const char *path, json_t *expected, json_t *got);

static bool is_allowed(const struct search *search, const char *path)
{
    for (size_t i = 0; i < json_array_size(search->allowed); i++) {
        const char *prefix =
            json_string_value(json_array_get(search->allowed, i));
        size_t size = prefix ? strlen(prefix) : 0;
        if (prefix && strncmp(path, prefix, size) == 0 &&
            strchr(".[", path[size]))
            return true;
    }
    return false;
}

static bool report(
    struct search *search, const char *path, json_t *expected, json_t *got)
{
    if (is_allowed(search, path))
        return false;
    *search->found = (struct difference){
        .path = ss_strdup(path), .expected = expected, .got = got};
    return true;
}

static bool walk_member(struct search *search, const char *path,
    const char *key, json_t *expected, json_t *got)
{
    char *inner = ss_format("%s.%s", path, key);
    bool differs = walk(search, inner, json_object_get(expected, key),
        json_object_get(got, key));
    ss_free(inner);
    return differs;
}

static bool walk_maps(
    struct search *search, const char *path, json_t *expected, json_t *got)
{
    const char *key;
    json_t *item;
    json_object_foreach (expected, key, item)
        if (walk_member(search, path, key, expected, got))
            return true;
    json_object_foreach (got, key, item)
        if (!json_object_get(expected, key) &&
            walk_member(search, path, key, expected, got))
            return true;
    return false;
}

static bool walk_lists(
    struct search *search, const char *path, json_t *expected, json_t *got)
{
    size_t count = json_array_size(expected);
    if (json_array_size(got) > count)
        count = json_array_size(got);
    for (size_t i = 0; i < count; i++) {
        char *inner = ss_format("%s[%zu]", path, i);
        bool differs = walk(
            search, inner, json_array_get(expected, i), json_array_get(got, i));
        ss_free(inner);
        if (differs)
            return true;
    }
    return false;
}

static bool walk(
    struct search *search, const char *path, json_t *expected, json_t *got)
{
    if (!expected || !got)
        return (expected || got) && report(search, path, expected, got);
    if (json_is_object(expected) && json_is_object(got))
        return walk_maps(search, path, expected, got);
    if (json_is_array(expected) && json_is_array(got))
        return walk_lists(search, path, expected, got);
    return !json_equal(expected, got) && report(search, path, expected, got);
}

bool compare(json_t *expected, json_t *got, json_t *allowed,
    struct difference *ret_difference)
{
    struct search search = {.allowed = allowed, .found = ret_difference};
    return walk(&search, "$", expected, got);
}
