// message.c - the names of messages, and what a message owns.
#include "common/wire/message.h"

#include "common/base/mem.h"
#include "common/wire/fields.h"

const char *ss_message_name(enum ss_message_type type)
{
    static const char *const names[] = {"NONE",
#define X(name) #name,
        SS_MESSAGE_MAP(X)
#undef X
    };
    size_t count = sizeof(names) / sizeof(*names);
    return (size_t)type < count ? names[type] : "?";
}

struct ss_message *ss_message_new(enum ss_message_type type)
{
    struct ss_message *message = ss_zalloc(1, sizeof(*message));
    message->type = type;
    message->protocol = SS_PROTOCOL_VERSION;
    return message;
}

void ss_message_destroy(struct ss_message **message)
{
    struct ss_message *it = *message;
    if (!it)
        return;
    for (size_t i = 0; i < it->hello.graphs_count; i++)
        ss_value_unref(it->hello.graphs[i]);
    for (size_t i = 0; i < it->orders_count; i++)
        ss_assignment_destroy(&it->orders[i]);
    for (size_t i = 0; i < it->outcomes_count; i++)
        ss_outcome_destroy(&it->outcomes[i]);
    for (size_t i = 0; i < it->items_count; i++)
        ss_value_unref(it->items[i].value);
    for (size_t i = 0; i < it->offers_count; i++)
        ss_offer_fini(&it->offers[i]);
    ss_texts_free(it->members, it->members_count);
    ss_texts_free(it->hello.labels, it->hello.labels_count);
    json_decref(it->hello.settings);
    ss_free(it->offers);
    ss_free(it->adoptions);
    ss_free(it->shards);
    ss_free(it->hello.graphs);
    ss_free(it->orders);
    ss_free(it->outcomes);
    ss_free(it->items);
    ss_free(it->attempts);
    ss_free(it->hello.name);
    ss_free(it->hello.app_version);
    ss_free(it->hello.host);
    ss_free(it->refused.text);
    ss_free(it->bye.ended);
    ss_free(it->bye.how);
    ss_free(it->op);
    ss_value_unref(it->body);
    ss_free(it);
    *message = NULL;
}
