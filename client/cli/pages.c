// pages.c - every thread or run, page by page.
#include "client/cli/pages.h"

#include <stdlib.h>
#include <string.h>

#include "client/client_impl.h"
#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/value.h"

static const struct list {
    const char *op;
    size_t page;       // how many are asked for at once
    const char *place; // the key of an item that the next page goes on behind
    const char
        *name; // the same key in answers of a coordinator of an older version
} lists[] = {
    {"threads", 500, "thread", "thread"}, {"runs", 1000, "key", "run"}};

static const struct list *find(const char *op)
{
    size_t i = 0;
    while (i < sizeof(lists) / sizeof(*lists) && strcmp(lists[i].op, op) != 0)
        i++;
    ss_check(i < sizeof(lists) / sizeof(*lists));
    return &lists[i];
}

// Make `body` ask for the next page, behind the last item of this one or where
// the answer says. If this page began there, too, the list would never end.
static int go_on(const struct list *list, const json_t *answer,
    const json_t *page, json_t *body, struct ss_error *error)
{
    const json_t *last = json_array_get(page, json_array_size(page) - 1);
    const char *place = ss_json_str(answer, "next",
        ss_json_str(last, list->place, ss_json_str(last, list->name, NULL)));
    const char *began = ss_json_str(body, "after", NULL);
    if (!place)
        return ss_error_set(error, SS_EFORMAT,
            "the coordinator's list of %s has an item without \"%s\"", list->op,
            list->place);
    if (began && strcmp(began, place) == 0)
        return ss_error_set(error, SS_EFORMAT,
            "the coordinator's list of %s does not go on behind \"%s\":"
            " the same page came again",
            list->op, place);
    json_object_set_new(body, "after", json_string(place));
    return SS_OK;
}

struct page {
    json_t *items;
    bool more;  // there may be another one
    bool lacks; // as an answer says it
    int64_t unsearched;
};

// Fetch the page that `body` asks for, and make `body` ask for the next one,
// unless this is the end. Gives its items.
static int next(struct ss_client *client, const struct list *list, json_t *body,
    struct page *ret, struct ss_client_error *ret_error)
{
    json_t *answer;
    struct ss_error wrong;
    int status = ss_client_ask(
        client, list->op, json_copy(body), NULL, &answer, ret_error);
    if (status != 0)
        return status;
    json_t *items = json_incref(json_object_get(answer, list->op));
    ret->lacks = json_is_true(json_object_get(answer, "lacks"));
    ret->unsearched = ss_json_int(answer, "unsearched", 0);
    // By time a page says where it goes on, by key only an empty one is the
    // end.
    ret->more = json_object_get(answer, "next") ||
                (json_array_size(items) > 0 && !json_object_get(body, "order"));
    if (!json_is_array(items))
        status = ss_error_set(&wrong, SS_EFORMAT,
            "the coordinator's answer to \"%s\" has no \"%s\"", list->op,
            list->op);
    else if (ret->more)
        status = go_on(list, answer, items, body, &wrong);
    json_decref(answer);
    if (status == SS_OK) {
        ret->items = items;
        return 0;
    }
    json_decref(items);
    return ss_client_error_fill(&wrong, ret_error);
}

int ss_cli_each(
    struct ss_client *client, const char *op, ss_cli_item_fn *each, void *ctx)
{
    const struct list *list = find(op);
    struct ss_client_error error;
    json_t *body = json_pack("{s:I}", "limit", (json_int_t)list->page);
    struct page page = {.more = true};
    json_t *item;
    size_t i;
    int status = SS_CLI_DONE;
    while (page.more) {
        if (next(client, list, body, &page, &error) != 0) {
            status = ss_cli_client_fail(client, &error, NULL, NULL);
            break;
        }
        json_array_foreach (page.items, i, item) {
            status = each(client, item, ctx);
            if (status != SS_CLI_DONE)
                break;
        }
        page.more = page.more && status == SS_CLI_DONE;
        json_decref(page.items);
    }
    json_decref(body);
    return status;
}

// When a thread was changed last, or a run began.
static const char *time_of(const json_t *item)
{
    return ss_json_str(item, "updated_at", ss_json_str(item, "created_at", ""));
}

static const char *name_of(const json_t *item)
{
    return ss_json_str(item, "key", ss_json_str(item, "thread", ""));
}

// Those of the same time, and those without one, by name.
static int by_age(const void *left, const void *right)
{
    const json_t *a = *(json_t *const *)left, *b = *(json_t *const *)right;
    int order = strcmp(time_of(b), time_of(a));
    return order != 0 ? order : strcmp(name_of(a), name_of(b));
}

// Leave the `limit` newest (0: all), newest first, of the list (taken). Gives.
static json_t *newest_of(json_t *all, int64_t limit)
{
    size_t count = json_array_size(all);
    size_t kept = limit > 0 && (size_t)limit < count ? (size_t)limit : count;
    json_t **items = ss_zalloc(count + 1, sizeof(*items));
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        items[i] = json_array_get(all, i);
    qsort(items, count, sizeof(*items), by_age);
    for (size_t i = 0; i < kept; i++)
        json_array_append(list, items[i]);
    ss_check(json_array_size(list) == kept);
    ss_free(items);
    json_decref(all);
    return list;
}

// Add the pages that `body` asks for, until there are `limit` items (0: all).
// `page_size`: so many are asked for at once; 0: all that are wanted.
static int gather(struct ss_client *client, const struct list *list,
    json_t *body, int64_t limit, int64_t page_size, struct ss_cli_found *found,
    struct ss_client_error *ret_error)
{
    struct page page = {.more = true};
    for (int64_t left = limit; page.more && (limit == 0 || left > 0);) {
        int64_t size = limit > 0 && (page_size == 0 || left < page_size)
                           ? left
                           : page_size;
        if (size > 0)
            json_object_set_new(body, "limit", json_integer(size));
        int status = next(client, list, body, &page, ret_error);
        if (status != 0)
            return status;
        json_array_extend(found->list, page.items);
        json_decref(page.items);
        found->lacks = found->lacks || page.lacks;
        found->unsearched += page.unsearched;
        left = limit - (int64_t)json_array_size(found->list);
    }
    if (page.more)
        found->next = ss_strdup(ss_json_str(body, "after", NULL));
    return 0;
}

// All pages are read, and no more than one is kept beside what is wanted.
static int add_newest(struct ss_client *client, const struct list *list,
    json_t *body, int64_t limit, json_t **all,
    struct ss_client_error *ret_error)
{
    struct page page = {.more = true};
    json_object_set_new(body, "limit", json_integer((json_int_t)list->page));
    while (page.more) {
        int status = next(client, list, body, &page, ret_error);
        if (status != 0)
            return status;
        json_array_extend(*all, page.items);
        json_decref(page.items);
        if (limit > 0 || !page.more)
            *all = newest_of(*all, limit);
    }
    return 0;
}

static int no_text(const char *op, struct ss_client_error *ret_error)
{
    struct ss_error wrong;
    ss_error_set(&wrong, SS_EINVAL,
        "the request \"%s\": a word of it is not text in UTF-8", op);
    return ss_client_error_fill(&wrong, ret_error);
}

int ss_cli_list(struct ss_client *client, const char *op, json_t *body,
    json_t **ret_list, struct ss_client_error *ret_error)
{
    const struct list *list = find(op);
    int64_t limit = ss_json_int(body, "limit", 0);
    ss_check(limit >= 0 && ret_list);
    if (!body)
        return no_text(op, ret_error);
    struct ss_cli_found found = {.list = json_array()};
    int status = gather(client, list, body, limit, 0, &found, ret_error);
    json_decref(body);
    if (status == 0)
        *ret_list = json_incref(found.list);
    ss_cli_found_fini(&found);
    return status;
}

// ------------------------------------------------ the newest

// An older coordinator knows of no order: it is asked for all.
static bool knows_no_order(const struct ss_client_error *error)
{
    return ss_cli_status(error) == SS_EINVAL &&
           strstr(error->message, "unknown key \"order\"") != NULL;
}

int ss_cli_find(struct ss_client *client, const char *op, json_t *body,
    struct ss_cli_found *ret, struct ss_client_error *ret_error)
{
    const struct list *list = find(op);
    int64_t limit = ss_json_int(body, "limit", 0);
    *ret = (struct ss_cli_found){0};
    ss_check(limit >= 0);
    if (!body)
        return no_text(op, ret_error);
    json_t *plain = json_copy(body);
    ret->list = json_array();
    json_object_set_new(body, "order", json_string("newest"));
    int status =
        gather(client, list, body, limit, (int64_t)list->page, ret, ret_error);
    while (limit > 0 && (int64_t)json_array_size(ret->list) > limit)
        json_array_remove(ret->list, (size_t)limit); // nobody asked for
    if (status != 0 && knows_no_order(ret_error) &&
        json_array_size(ret->list) == 0)
        status = add_newest(client, list, plain, limit, &ret->list, ret_error);
    json_decref(plain);
    json_decref(body);
    if (status != 0)
        ss_cli_found_fini(ret);
    return status;
}

void ss_cli_note_lacking(const struct ss_cli_found *found)
{
    if (found->lacks)
        ss_cli_note("records of an older version are still being put in order, "
                    "and some of them are not in this list yet");
    if (found->unsearched > 0)
        ss_cli_note("%lld of those that were looked at may be such ones: they "
                    "have more metadata than is searched (4 KiB)",
            (long long)found->unsearched);
}

void ss_cli_found_fini(struct ss_cli_found *found)
{
    json_decref(found->list);
    ss_free(found->next);
    *found = (struct ss_cli_found){0};
}
