// lines.c - connections to coordinators, by the session's numbers.
#include "worker/lines.h"

#include "common/base/mem.h"
#include "worker/session/limits.h"

int ss_lines_open(struct ss_lines *lines, uint32_t number, const char *endpoint,
    const struct ss_outbox_self *self, struct ss_error *error)
{
    const struct ss_link_options options = {
        .endpoint = endpoint, .keys = lines->keys, .roles = SS_ROLE_WORKER};
    struct ss_line *line = ss_zalloc(1, sizeof(*line));
    line->number = number;
    line->endpoint = ss_strdup(endpoint);
    int status = ss_link_open(&options, &line->link, error);
    if (status != SS_OK)
        line->link = NULL;
    ss_outbox_init(&line->outbox, line->link, self);
    SS_VEC_PUSH(lines, line);
    return status;
}

struct ss_line *ss_lines_find(const struct ss_lines *lines, uint32_t number)
{
    for (size_t i = 0; i < lines->count; i++)
        if (lines->items[i]->number == number && !lines->items[i]->is_closed)
            return lines->items[i];
    return NULL;
}

void ss_lines_close(struct ss_lines *lines, uint32_t number)
{
    struct ss_line *line = ss_lines_find(lines, number);
    if (line)
        line->is_closed = true;
}

static void free_line(struct ss_line *line)
{
    ss_outbox_fini(&line->outbox);
    ss_link_close(&line->link);
    ss_free(line->endpoint);
    ss_free(line);
}

void ss_lines_sweep(struct ss_lines *lines)
{
    for (size_t i = lines->count; i-- > 0;)
        if (lines->items[i]->is_closed) {
            free_line(lines->items[i]);
            SS_VEC_REMOVE(lines, i);
        }
}

bool ss_lines_wait(
    const struct ss_lines *lines, const int *fds, size_t count, int timeout_ms)
{
    struct ss_link *links[SS_SESSION_CONTACTS_MAX];
    size_t used = 0;
    for (size_t i = 0; i < lines->count && used < SS_SESSION_CONTACTS_MAX; i++)
        if (lines->items[i]->link && !lines->items[i]->is_closed)
            links[used++] = lines->items[i]->link;
    return ss_link_wait_each(links, used, fds, count, timeout_ms);
}

void ss_lines_fini(struct ss_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        free_line(lines->items[i]);
    SS_VEC_FINI(lines);
}
