// show.c - what a coordinator is set to, who the others are, and whether it can
// work: the requests `show` and `health`, which are the shell's own.
#include <string.h>

#include "common/link/limits.h"
#include "common/wire/limits.h"
#include "coordinator/shell_impl.h"

static json_t *number(int64_t value)
{
    return json_integer((json_int_t)value);
}

void ss_show_note(struct ss_coordinator *shell,
    const struct ss_coordinator_options *options)
{
    struct ss_rate_limit_settings link;
    json_t *list = shell->config = options->settings
                                       ? json_deep_copy(options->settings)
                                       : json_array();
    ss_link_limits(shell->link, &link);
    ss_settings_note(
        list, "listen", json_string(ss_link_endpoint(shell->link)));
    ss_settings_note(list, "advertise", json_string(shell->place));
    ss_settings_note(list, "name", json_string(shell->name));
    // As its name is for people: a DSN may hold a password.
    ss_settings_note(list, "store", json_string(shell->store_name));
    ss_settings_note(list, "heartbeat-ms", number(shell->heartbeat_ms));
    ss_settings_note(list, "connections-max", number(link.connections_max));
    ss_settings_note(
        list, "connections-per-address", number(link.per_address_max));
    ss_settings_note(list, "connections-rate", number(link.connections_rate));
    ss_settings_note(list, "messages-rate", number(link.messages_rate));
    ss_settings_note(list, "unread-max", number(link.unread_max_mb));
}

static json_t *config(const struct ss_coordinator *shell)
{
    return json_incref(shell->config);
}

static void add_limit(
    json_t *list, const char *name, int64_t limit, int64_t now)
{
    json_t *row = json_pack("{s:s, s:I}", "name", name, "limit",
        (json_int_t)limit);
    if (now >= 0)
        json_object_set_new(row, "now", number(now));
    json_array_append_new(list, row);
}

static json_t *limits(const struct ss_coordinator *shell)
{
    json_t *list = json_array();
    struct ss_rate_limit_settings link;
    struct ss_link_counts counts;
    ss_link_limits(shell->link, &link);
    ss_link_counts(shell->link, &counts);
    add_limit(list, "connections", link.connections_max,
        (int64_t)counts.connections);
    add_limit(list, "connections of an address", link.per_address_max, -1);
    add_limit(
        list, "new connections of an address a second", link.connections_rate,
        -1);
    add_limit(
        list, "messages of a peer a second", link.messages_rate, -1);
    add_limit(list, "bytes that nobody read yet",
        (int64_t)link.unread_max_mb * 1000000, (int64_t)counts.unread);
    add_limit(list, "bytes of a message", SS_MESSAGE_SIZE_MAX, -1);
    add_limit(list, "handshake, in ms", SS_LINK_HANDSHAKE_MS, -1);
    add_limit(list, "messages that wait for one peer", SS_LINK_QUEUE_MAX, -1);
    return list;
}

// Shards by member, as the last look at the database had them.
static json_t *coordinators(const struct ss_coordinator *shell)
{
    json_t *list = json_array();
    size_t i;
    json_t *endpoint;
    json_array_foreach (shell->members, i, endpoint)
        json_array_append_new(list,
            json_pack("{s:O, s:I, s:b}", "endpoint", endpoint, "shards",
                (json_int_t)shell->member_shards[i], "self",
                strcmp(json_string_value(endpoint), shell->place) == 0));
    if (!shell->members)
        json_array_append_new(list,
            json_pack("{s:s, s:I, s:b}", "endpoint", shell->place, "shards",
                (json_int_t)SS_SHARDS, "self", 1));
    return list;
}

// Of the shell alone, so that it is answered while the store is not.
void ss_show_health(struct ss_coordinator *shell, const char *peer, uint64_t id)
{
    const char *why = ss_shell_trouble(shell);
    ss_coordinator_outbox_answer(shell, peer, id,
        json_pack("{s:{s:b, s:s*, s:o}}", "health", "ok", why == NULL,
            "reason", why, "damaged", ss_damage_list(shell)));
}

void ss_show(struct ss_coordinator *shell, const char *peer, uint64_t id,
    const json_t *body)
{
    static const struct {
        const char *what;
        json_t *(*list)(const struct ss_coordinator *shell);
    } lists[] = {{"config", config}, {"limits", limits},
        {"coordinators", coordinators}};
    const char *what = ss_json_str(body, "what", "");
    for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
        if (strcmp(lists[i].what, what) == 0) {
            ss_coordinator_outbox_answer(
                shell, peer, id, json_pack("{s:o}", what, lists[i].list(shell)));
            return;
        }
    ss_coordinator_outbox_answer(shell, peer, id,
        json_pack("{s:{s:s, s:s}}", "error", "code",
            ss_status_name(SS_EINVAL), "message",
            "show: what is config, limits or coordinators"));
}
