// show.c - a coordinator's settings, its neighbours, and whether it can work:
// the requests `show` and `health`, which are not the engine's; and reads while
// the store is away.
#include <string.h>

#include "common/base/mem.h"
#include "common/model/request.h"
#include "common/model/requests.h"
#include "coordinator/core/core_impl.h"

// Facts that only the driver knows. Gives.
static json_t *show_ask(const struct ss_core *core, const char *what)
{
    json_t *told =
        core->options.ask ? core->options.ask(core->options.ctx, what) : NULL;
    return told ? told : json_null();
}

static json_t *show_config(const struct ss_core *core)
{
    return core->config ? json_incref(core->config) : json_array();
}

static json_t *show_limits(const struct ss_core *core)
{
    return show_ask(core, "limits");
}

// What this one holds it knows, also behind a lease that ran out; of another
// one it knows what the database said, and when.
static json_t *show_member(const struct ss_core *core, uint16_t index)
{
    const struct ss_owners *owners = core->cluster.owners;
    const struct ss_cluster *seen = ss_owners_cluster(owners);
    const struct ss_member *member = &seen->members[index];
    bool is_self = strcmp(member->name, core->options.self.name) == 0;
    struct ss_shards shards =
        is_self ? ss_owners_active(owners) : ss_cluster_shards(seen, index);
    json_t *row = json_pack("{s:s, s:I, s:b}", "endpoint", member->endpoint,
        "shards", (json_int_t)ss_shards_count(&shards), "self", is_self);
    if (!is_self)
        json_object_set_new(row, "seen_ms",
            json_integer(core->now_ms - ss_owners_looked_ms(owners)));
    return row;
}

static json_t *show_coordinators(const struct ss_core *core)
{
    const struct ss_core_options *options = &core->options;
    const struct ss_owners *owners = core->cluster.owners;
    json_t *list = json_array();
    if (options->is_shared && owners)
        for (size_t i = 0; i < ss_owners_cluster(owners)->members_count; i++)
            json_array_append_new(list, show_member(core, (uint16_t)i));
    if (json_array_size(list) == 0) // it has all, or has not looked yet
        json_array_append_new(list,
            json_pack("{s:s, s:I, s:b}", "endpoint", options->self.endpoint,
                "shards", (json_int_t)(options->is_shared ? 0 : SS_SHARDS),
                "self", 1));
    return list;
}

// Without the engine, so that it is answered while the store does not.
static json_t *show_health(const struct ss_core *core)
{
    json_t *why = show_ask(core, "trouble");
    const char *reason = json_string_value(why), *own = ss_core_trouble(core);
    bool has_none = reason && own && strncmp(reason, own, strlen(own)) == 0;
    json_t *answer = json_pack("{s:{s:b, s:s*, s:o*, s:o, s:I}}", "health",
        "ok", json_is_null(why), "reason", reason, "threadless",
        has_none ? json_true() : NULL, "damaged", ss_core_damage_list(core),
        "now_us", (json_int_t)core->wall_us);
    json_t *store = show_ask(core, "store");
    if (json_is_object(store))
        json_object_set(json_object_get(answer, "health"), "store", store);
    static const char *const texts[] = {"disk", "slow"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        json_t *text = show_ask(core, texts[i]);
        if (json_is_string(text))
            json_object_set(json_object_get(answer, "health"), texts[i], text);
        json_decref(text);
    }
    json_decref(store);
    json_decref(why);
    return answer;
}

// What only the store can say. An answer of it would be waited for behind all
// others that wait for it, one after the other.
static bool show_is_read(enum ss_op op)
{
    static const enum ss_op reads[] = {SS_OP_STATE, SS_OP_HISTORY,
        SS_OP_CHECKPOINTS, SS_OP_JOURNAL, SS_OP_EXPLAIN, SS_OP_THREAD,
        SS_OP_THREADS, SS_OP_RUNS};
    for (size_t i = 0; i < sizeof(reads) / sizeof(*reads); i++)
        if (reads[i] == op)
            return true;
    return false;
}

// Does the thread that `body` names belong to another coordinator, as the last
// look at the database had it? That one may still reach the database.
static bool show_is_anothers(const struct ss_core *core, const json_t *body)
{
    const char *thread = ss_json_str(body, "thread", NULL);
    if (!thread || !core->cluster.owners)
        return false;
    const struct ss_cluster *seen = ss_owners_cluster(core->cluster.owners);
    uint16_t owner = seen->owners[ss_shard_of(thread)];
    return owner != SS_NOBODY &&
           owner != ss_cluster_find(seen, core->options.self.name);
}

// NULL: the store answers, or nobody knows better.
static json_t *show_away(const struct ss_core *core)
{
    json_t *why = show_ask(core, "away");
    json_t *answer = NULL;
    if (!json_is_null(why))
        answer = json_pack("{s:{s:s, s:O}}", "error", "code",
            ss_status_name(SS_EAWAY), "message", why);
    json_decref(why);
    return answer;
}

static json_t *show_what(const struct ss_core *core, const char *what)
{
    static const struct {
        const char *what;
        json_t *(*list)(const struct ss_core *core);
    } lists[] = {{"config", show_config}, {"limits", show_limits},
        {"coordinators", show_coordinators}};
    for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
        if (strcmp(lists[i].what, what) == 0)
            return json_pack("{s:o}", what, lists[i].list(core));
    return json_pack("{s:{s:s, s:s}}", "error", "code",
        ss_status_name(SS_EINVAL), "message",
        "show: what is config, limits or coordinators");
}

// The answer to one that only the core knows.
static json_t *show_own(const struct ss_core *core, enum ss_op op,
    const char *peer, const json_t *body)
{
    char *fault = NULL;
    json_t *answer;
    if (json_is_object(body)) {
        struct ss_request *request =
            ss_request_new(op, peer, 0, NULL, (json_t *)body);
        fault = ss_request_fault(request);
        ss_request_unref(request);
    } else {
        fault =
            ss_format("%s: the body must be an object", ss_op_row(op)->name);
    }
    if (fault)
        answer = json_pack("{s:{s:s, s:s}}", "error", "code",
            ss_status_name(SS_EINVAL), "message", fault);
    else if (op == SS_OP_SHOW)
        answer = show_what(core, ss_json_str(body, "what", ""));
    else
        answer = show_health(core);
    ss_free(fault);
    return answer;
}

bool ss_core_show(struct ss_core *core, const char *peer, uint64_t id,
    const char *op, const json_t *body)
{
    const struct ss_op_row *row = ss_op_by_name(op);
    json_t *answer = NULL;
    if (row && row->home == SS_OP_OF_PROCESS)
        answer = show_own(core, row->op, peer, body);
    else if (row && show_is_read(row->op) && !show_is_anothers(core, body))
        answer = show_away(core);
    if (answer)
        ss_core_outbox_answer(core, peer, id, answer);
    return answer != NULL;
}
