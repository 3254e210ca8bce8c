// namespace.c - each segment is the name of a node, whole, and perhaps a part
// of its task's id.
#include "client/cli/namespace.h"

#include <string.h>

#include "common/base/mem.h"
#include "common/model/value.h"

static bool fits_segment(
    const char *segment, size_t size, const char *typed, size_t typed_size)
{
    const char *colon = memchr(segment, ':', size);
    size_t node_size = colon ? (size_t)(colon - segment) : size;
    return typed_size <= size && typed_size >= node_size &&
           memcmp(segment, typed, typed_size) == 0;
}

static bool fits(const char *ns, const char *typed)
{
    for (;;) {
        size_t size = strcspn(ns, "|"), typed_size = strcspn(typed, "|");
        if (!fits_segment(ns, size, typed, typed_size))
            return false;
        if (!ns[size] || !typed[typed_size])
            return ns[size] == typed[typed_size];
        ns += size + 1;
        typed += typed_size + 1;
    }
}

// Asked for by itself: to read all that a thread has saved takes longer.
static bool is_there(
    struct ss_client *client, const char *thread, const char *ns)
{
    json_t *history = NULL;
    json_t *more = json_pack("{s:s, s:i}", "checkpoint_ns", ns, "limit", 1);
    bool is_one =
        ss_client_history(client, thread, more, &history, NULL) == 0 &&
        json_array_size(history) > 0;
    json_decref(history);
    return is_one;
}

// A page of what the thread has saved, behind *after, which it moves to the end
// of the page. False: it was the last one.
static bool add_page(struct ss_client *client, const char *thread,
    const char *typed, char **after, json_t *names)
{
    enum { PAGE = 200 };
    json_t *answer = NULL, *saved;
    const char *last = NULL;
    size_t i;
    json_t *body = json_pack(
        "{s:s, s:s*, s:i}", "thread", thread, "after", *after, "limit", PAGE);
    if (ss_client_ask(client, "checkpoints", body, NULL, &answer, NULL) != 0)
        return false;
    json_array_foreach (json_object_get(answer, "checkpoints"), i, saved) {
        const char *ns = ss_json_str(saved, "ns", "");
        last = ss_json_str(saved, "id", NULL);
        if (*ns && fits(ns, typed))
            json_object_set_new(names, ns, json_true());
    }
    bool has_more = last && ss_json_bool(answer, "more", false);
    ss_free(*after);
    *after = last ? ss_strdup(last) : NULL;
    json_decref(answer);
    return has_more;
}

json_t *ss_cli_namespaces(
    struct ss_client *client, const char *thread, const char *typed)
{
    json_t *names = json_object();
    char *after = NULL;
    if (!*typed || is_there(client, thread, typed))
        json_object_set_new(names, typed, json_true());
    else
        while (add_page(client, thread, typed, &after, names))
            ;
    ss_free(after);
    return names;
}
