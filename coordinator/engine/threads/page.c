// page.c - a list that answers a request, as far as it fits into one answer.
//
// What is asked for may be longer than a message, and longer than a step should
// take: the list is cut between items, and says that there is more. Who asks
// goes on behind its last item (`before`, `after`, `from`). An item is never
// cut: one alone that no message can carry is refused where messages are made.

#include "common/base/status.h"
#include "common/model/request.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/threads/answers.h"

void ss_page_init(struct page *page, json_int_t limit)
{
    limit = ss_request_int(limit, SS_HISTORY_MAX);
    *page = (struct page){.items = json_array(),
        .count_max = limit < 0                            ? 0
                     : limit < (json_int_t)SS_HISTORY_MAX ? (size_t)limit
                                                          : SS_HISTORY_MAX};
}

bool ss_page_is_full(struct page *page)
{
    page->more = page->more || json_array_size(page->items) >= page->count_max;
    return page->more;
}

void ss_page_add(struct page *page, json_t *item)
{
    page->size += json_dumpb(item, NULL, 0, JSON_COMPACT | JSON_ENCODE_ANY);
    if (page->size <= SS_PAGE_SIZE_MAX || json_array_size(page->items) == 0) {
        json_array_append_new(page->items, item);
        return;
    }
    page->more = true;
    json_decref(item);
}

json_t *ss_page_close(struct page *page, const char *name)
{
    json_t *answer = json_pack("{s:o}", name, page->items);
    if (page->more)
        json_object_set_new(answer, "more", json_true());
    page->items = NULL;
    return answer;
}
