// ended.c - a PING to each coordinator, and to each that answers the word.
#include "worker/ended.h"

#include <string.h>

#include "common/app/clock.h"
#include "common/base/mem.h"
#include "common/link/link.h"
#include "common/wire/limits.h"
#include "common/wire/message.h"
#include "worker/limits.h"

struct teller {
    const struct ss_worker_options *options;
    const char *how;
    SS_VEC(char *) endpoints;
    // One for each endpoint; NULL: it was told, or cannot be reached.
    SS_VEC(struct ss_link *) links;
    size_t open_count;
};

static void send(struct ss_link *link, const struct ss_message *message)
{
    struct ss_buf bytes;
    struct ss_error ignored;
    ss_buf_init(&bytes, SS_MESSAGE_SIZE_MAX);
    if (ss_message_encode(message, &bytes, &ignored) == SS_OK)
        (void)!ss_link_send(link, NULL, bytes.data, bytes.size, &ignored);
    ss_buf_fini(&bytes);
}

static void add(struct teller *teller, const char *endpoint)
{
    const struct ss_link_options options = {.endpoint = endpoint,
        .keys = teller->options->keys,
        .roles = SS_ROLE_WORKER};
    const struct ss_message ping = {
        .type = SS_MESSAGE_PING, .protocol = SS_PROTOCOL_VERSION};
    struct ss_link *link = NULL;
    struct ss_error ignored;
    for (size_t i = 0; i < teller->endpoints.count; i++)
        if (strcmp(teller->endpoints.items[i], endpoint) == 0)
            return;
    if (teller->endpoints.count >= SS_ENDED_COORDINATORS_MAX ||
        ss_link_open(&options, &link, &ignored) != SS_OK)
        return;
    SS_VEC_PUSH(&teller->endpoints, ss_strdup(endpoint));
    SS_VEC_PUSH(&teller->links, link);
    teller->open_count++;
    send(link, &ping);
}

// It is there: it gets the word, and names the others.
static void take(
    struct teller *teller, size_t index, const struct ss_message *message)
{
    const struct ss_message word = {.type = SS_MESSAGE_BYE,
        .protocol = SS_PROTOCOL_VERSION,
        .bye.ended = (char *)teller->options->name,
        .bye.how = (char *)teller->how};
    if (message->type != SS_MESSAGE_PONG)
        return;
    send(teller->links.items[index], &word);
    ss_link_close(&teller->links.items[index]);
    teller->open_count--;
    for (size_t i = 0; i < message->members_count; i++)
        add(teller, message->members[i]);
}

static void hear(struct teller *teller, size_t index)
{
    char peer[SS_PEER_SIZE];
    void *bytes;
    size_t size;
    struct ss_error ignored;
    struct ss_message *message;
    while (teller->links.items[index] &&
           ss_link_recv(teller->links.items[index], peer, &bytes, &size,
               &ignored) == SS_OK) {
        if (ss_message_decode(bytes, size, &message, &ignored) == SS_OK) {
            take(teller, index, message);
            ss_message_destroy(&message);
        }
        ss_free(bytes);
    }
}

static void wait_for_one(const struct teller *teller, int timeout_ms)
{
    struct ss_link *links[SS_ENDED_COORDINATORS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < teller->links.count; i++)
        if (teller->links.items[i])
            links[count++] = teller->links.items[i];
    (void)ss_link_wait_each(links, count, NULL, 0, timeout_ms);
}

void ss_worker_tell_ended(
    const struct ss_worker_options *options, const char *how)
{
    struct teller teller = {.options = options, .how = how};
    char *list = ss_strdup(options->endpoint), *rest = NULL;
    int64_t until_ms = ss_clock_ms() + SS_ENDED_WAIT_MS, left_ms;
    for (char *word = strtok_r(list, ", ", &rest); word;
         word = strtok_r(NULL, ", ", &rest))
        add(&teller, word);
    while (teller.open_count > 0 && (left_ms = until_ms - ss_clock_ms()) > 0) {
        wait_for_one(&teller, (int)left_ms);
        for (size_t i = 0; i < teller.links.count; i++)
            hear(&teller, i);
    }
    for (size_t i = 0; i < teller.links.count; i++) {
        ss_link_close(&teller.links.items[i]);
        ss_free(teller.endpoints.items[i]);
    }
    SS_VEC_FINI(&teller.links);
    SS_VEC_FINI(&teller.endpoints);
    ss_free(list);
}
