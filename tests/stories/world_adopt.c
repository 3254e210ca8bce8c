// world_adopt.c - workers that still have what a coordinator gave that is gone.
#include <check.h>

#include "common/wire/limits.h"
#include "common/wire/message.h"
#include "tests/stories/world_impl.h"

void world_adopt(int64_t adopt_ms)
{
    world.adopt_ms = adopt_ms;
}

void world_beats_say(bool say)
{
    world.beats_say = say;
}

void world_watch(void (*watch)(const struct ss_command *command))
{
    world.watch = watch;
}

void world_offer(const struct ss_offer *offers, size_t count)
{
    world.offers = offers;
    world.offers_count = count;
}

void world_event(struct ss_event *event)
{
    world_step(event);
}

void world_label(const char *worker, const char *label)
{
    for (size_t i = 0; i < world.workers.count; i++)
        if (strcmp(world.workers.items[i].name, worker) == 0) {
            ss_free(world.workers.items[i].label);
            world.workers.items[i].label = ss_strdup(label);
        }
    world_worker(worker, 1);
}

static struct parcel *result_of(const char *node)
{
    for (size_t i = 0; i < world.parcels.count; i++)
        if (!world.parcels.items[i].live &&
            strcmp(world.parcels.items[i].node, node) == 0)
            return &world.parcels.items[i];
    ck_abort_msg("no result of %s is on its way", node);
}

void world_rename(const char *node, struct ss_attempt as)
{
    struct parcel *parcel = result_of(node);
    struct ss_message *message = NULL;
    struct ss_buf bytes;
    struct ss_error error;
    ss_buf_init(&bytes, SS_MESSAGE_SIZE_MAX);
    if (ss_message_decode(parcel->bytes, parcel->size, &message, &error) !=
        SS_OK)
        ck_abort_msg("%s", error.message);
    message->outcomes[0]->attempt = as;
    if (ss_message_encode(message, &bytes, &error) != SS_OK)
        ck_abort_msg("%s", error.message);
    ss_free(parcel->bytes);
    parcel->bytes = ss_buf_steal(&bytes, &parcel->size);
    ss_message_destroy(&message);
}
