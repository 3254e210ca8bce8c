// pages.c - every thread or run, page by page.
#include "client/cli/pages.h"

#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/value.h"

static const struct list {
    const char *op;
    int (*ask)(struct ss_client *client, json_t *more, json_t **ret_list,
        struct ss_client_error *ret_error);
    size_t page;       // so many are asked for at once
    const char *place; // the key of an item that the next page goes on behind
    const char *name;  // the same of a coordinator of an older version
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

// Behind the place *after, which is that of the page's last item then.
static int do_page(struct ss_client *client, const struct list *list,
    char **after, ss_cli_item_fn *each, void *ctx)
{
    const json_t *last = NULL;
    struct ss_client_error error;
    json_t *page, *item;
    size_t i;
    int status = SS_CLI_DONE;
    json_t *more = json_pack(
        "{s:I, s:s*}", "limit", (json_int_t)list->page, "after", *after);
    if (list->ask(client, more, &page, &error) != 0)
        return ss_cli_client_fail(client, &error, NULL, NULL);
    json_array_foreach (page, i, item) {
        last = item;
        status = each(client, item, ctx);
        if (status != SS_CLI_DONE)
            break;
    }
    ss_free(*after);
    *after = NULL;
    if (status == SS_CLI_DONE && i == list->page)
        *after = ss_strdup(ss_json_str(
            last, list->place, ss_json_str(last, list->name, NULL)));
    json_decref(page);
    return status;
}

int ss_cli_each(struct ss_client *client, const char *op, ss_cli_item_fn *each,
    void *ctx)
{
    const struct list *list = find(op);
    char *after = NULL;
    int status;
    do {
        status = do_page(client, list, &after, each, ctx);
    } while (after);
    return status;
}
