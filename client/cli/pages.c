// pages.c - every thread or run, page by page.
#include "client/cli/pages.h"

#include <string.h>

#include "client/client_impl.h"
#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/value.h"

static const struct list {
    const char *op;
    int (*ask)(struct ss_client *client, json_t *more, json_t **ret_list,
        struct ss_client_error *ret_error);
    size_t page;       // how many are asked for at once
    const char *place; // the key of an item that the next page goes on behind
    const char
        *name; // the same key in answers of a coordinator of an older version
} lists[] = {{"threads", ss_client_threads, 500, "thread", "thread"},
    {"runs", ss_client_runs, 1000, "key", "run"}};

static const struct list *find(const char *op)
{
    size_t i = 0;
    while (i < sizeof(lists) / sizeof(*lists) && strcmp(lists[i].op, op) != 0)
        i++;
    ss_check(i < sizeof(lists) / sizeof(*lists));
    return &lists[i];
}

// Make `body` ask for the next page, behind the last item of this one. If this
// page began there, too, the list would never end.
static int go_on(const struct list *list, const json_t *page, json_t *body,
    struct ss_error *error)
{
    const json_t *last = json_array_get(page, json_array_size(page) - 1);
    const char *place =
        ss_json_str(last, list->place, ss_json_str(last, list->name, NULL));
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

// Fetch the page that `body` asks for, and make `body` ask for the next one.
// Gives.
static int next(struct ss_client *client, const struct list *list, json_t *body,
    json_t **ret_page, struct ss_client_error *ret_error)
{
    json_t *page;
    struct ss_error wrong;
    int status = list->ask(client, json_copy(body), &page, ret_error);
    if (status != 0)
        return status;
    if (json_array_size(page) > 0 && go_on(list, page, body, &wrong) != SS_OK) {
        json_decref(page);
        return ss_client_error_fill(&wrong, ret_error);
    }
    *ret_page = page;
    return 0;
}

int ss_cli_each(
    struct ss_client *client, const char *op, ss_cli_item_fn *each, void *ctx)
{
    const struct list *list = find(op);
    struct ss_client_error error;
    json_t *body = json_pack("{s:I}", "limit", (json_int_t)list->page);
    json_t *page, *item;
    size_t i;
    int status = SS_CLI_DONE;
    for (bool more = true; more;) {
        if (next(client, list, body, &page, &error) != 0) {
            status = ss_cli_client_fail(client, &error, NULL, NULL);
            break;
        }
        json_array_foreach (page, i, item) {
            status = each(client, item, ctx);
            if (status != SS_CLI_DONE)
                break;
        }
        more = status == SS_CLI_DONE && json_array_size(page) > 0;
        json_decref(page);
    }
    json_decref(body);
    return status;
}

int ss_cli_list(struct ss_client *client, const char *op, json_t *body,
    json_t **ret_list, struct ss_client_error *ret_error)
{
    const struct list *list = find(op);
    int64_t limit = ss_json_int(body, "limit", 0);
    struct ss_error wrong;
    json_t *all, *page;
    int status = 0;
    if (!body) {
        ss_error_set(&wrong, SS_EINVAL,
            "the request \"%s\": a word of it is not text in UTF-8", op);
        return ss_client_error_fill(&wrong, ret_error);
    }
    all = json_array();
    for (bool more = true; more;) {
        status = next(client, list, body, &page, ret_error);
        if (status != 0)
            break;
        json_array_extend(all, page);
        int64_t left = limit - (int64_t)json_array_size(all);
        more = json_array_size(page) > 0 && (limit == 0 || left > 0);
        if (limit > 0)
            json_object_set_new(body, "limit", json_integer(left));
        json_decref(page);
    }
    json_decref(body);
    if (status == 0)
        *ret_list = all;
    else
        json_decref(all);
    return status;
}
