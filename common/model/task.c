// task.c - orders and outcomes: made empty, freed whole.
#include "common/model/task.h"

#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/value.h"

struct ss_assignment *ss_assignment_new(void)
{
    return ss_zalloc(1, sizeof(struct ss_assignment));
}

void ss_assignment_keep(struct ss_assignment *order)
{
    const char **texts[] = {&order->app_graph, &order->version, &order->graph,
        &order->node, &order->thread, &order->run, &order->ns, &order->path};
    enum { TEXTS = sizeof(texts) / sizeof(texts[0]) };
    size_t sizes[TEXTS], all = 0;
    ss_check(!order->kept.texts);
    order->kept = (struct ss_assignment_kept){0};
    for (size_t i = 0; i < TEXTS; i++) {
        sizes[i] = *texts[i] ? strlen(*texts[i]) + 1 : 0;
        all += sizes[i];
    }
    char *to = order->kept.texts = ss_alloc(all);
    for (size_t i = 0; i < TEXTS; i++) {
        if (sizes[i] > 0)
            *texts[i] = memcpy(to, *texts[i], sizes[i]);
        to += sizes[i];
    }
}

void ss_assignment_destroy(struct ss_assignment **order)
{
    struct ss_assignment *it = *order;
    if (!it)
        return;
    ss_free(it->kept.texts);
    ss_free(it->fold.channel);
    json_decref(it->triggers);
    json_decref(it->given.answers);
    ss_value_unref(it->fresh.channels);
    json_decref(it->fresh.managed);
    ss_value_unref(it->given.config);
    ss_value_unref(it->given.context);
    json_decref(it->given.error);
    json_decref(it->fold.writes);
    ss_value_unref(it->input);
    ss_value_unref(it->given.plain);
    ss_value_unref(it->returned);
    ss_value_unref(it->fold.value);
    ss_assignment_lists_fini(it);
    ss_free(it);
    *order = NULL;
}

static uint64_t mix(uint64_t digest, const char *text, size_t size)
{
    return (digest ^ ss_hash64(text, size)) * 0x9e3779b97f4a7c15u;
}

static uint64_t mix_json(uint64_t digest, const json_t *json)
{
    if (!json || (json_is_array(json) && json_array_size(json) == 0))
        return mix(digest, "", 0);
    char *text = ss_json_text(json);
    digest = mix(digest, text, strlen(text));
    ss_free(text);
    return digest;
}

static uint64_t mix_names(const struct ss_assignment *order)
{
    uint64_t *kept = order->kept.digest;
    if (kept && *kept)
        return *kept;
    uint64_t digest = (uint64_t)order->kind + 1;
    digest = mix(digest, order->version, strlen(order->version));
    digest = mix(digest, order->graph, strlen(order->graph));
    digest = mix(digest, order->node, strlen(order->node));
    if (kept)
        *kept = digest;
    return digest;
}

uint64_t ss_assignment_digest(const struct ss_assignment *order)
{
    uint64_t digest = mix_names(order);
    digest = mix_json(digest, order->given.answers);
    digest = mix_json(digest, order->given.error);
    if (order->given.plain) {
        size_t size;
        const char *text = ss_value_text(order->given.plain, &size);
        digest = mix(digest, text, size);
    }
    return digest ? digest : 1;
}

void ss_offer_fini(struct ss_offer *offer)
{
    ss_free(offer->thread);
    ss_free(offer->run);
    *offer = (struct ss_offer){0};
}

struct ss_outcome *ss_outcome_new(void)
{
    return ss_zalloc(1, sizeof(struct ss_outcome));
}

void ss_outcome_destroy(struct ss_outcome **outcome)
{
    struct ss_outcome *it = *outcome;
    if (!it)
        return;
    ss_writes_fini(&it->writes);
    json_decref(it->answers);
    json_decref(it->question);
    json_decref(it->parent);
    json_decref(it->messages);
    json_decref(it->warnings);
    ss_free(it->error_kind);
    ss_free(it->message);
    ss_free(it->drain);
    ss_value_unref(it->folded);
    ss_free(it);
    *outcome = NULL;
}
