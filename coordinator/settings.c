// settings.c - the settings of a coordinator, and the limits of its link, for
// the core's answers to `show` and `health`.
#include <string.h>

#include "common/app/metrics.h"
#include "common/app/settings.h"
#include "common/base/mem.h"
#include "common/link/limits.h"
#include "common/wire/limits.h"
#include "coordinator/shell_impl.h"
#include "coordinator/store/inspect.h"

static json_t *settings_number(int64_t value)
{
    return json_integer((json_int_t)value);
}

json_t *ss_shell_config(
    struct ss_coordinator *shell, const struct ss_coordinator_options *options)
{
    struct ss_rate_limit_settings link;
    json_t *list =
        options->settings ? json_deep_copy(options->settings) : json_array();
    ss_link_limits(shell->link, &link);
    ss_settings_note(
        list, "listen", json_string(ss_link_endpoint(shell->link)));
    ss_settings_note(list, "advertise", json_string(shell->place));
    ss_settings_note(list, "name", json_string(shell->name));
    if (options->metrics && *options->metrics)
        ss_settings_note(list, "metrics", json_string(options->metrics));
    // The name for people: a DSN may hold a password.
    ss_settings_note(list, "store", json_string(shell->store_name));
    ss_settings_note(
        list, "heartbeat-ms", settings_number(shell->heartbeat_ms));
    ss_settings_note(
        list, "connections-max", settings_number(link.connections_max));
    ss_settings_note(
        list, "connections-per-address", settings_number(link.per_address_max));
    ss_settings_note(
        list, "connections-rate", settings_number(link.connections_rate));
    ss_settings_note(
        list, "messages-rate", settings_number(link.messages_rate));
    ss_settings_note(list, "unread-max", settings_number(link.unread_max_mb));
    return list;
}

static void settings_add_limit(
    json_t *list, const char *name, int64_t limit, int64_t now)
{
    json_t *row =
        json_pack("{s:s, s:I}", "name", name, "limit", (json_int_t)limit);
    if (now >= 0)
        json_object_set_new(row, "now", settings_number(now));
    json_array_append_new(list, row);
}

static json_t *settings_limits(const struct ss_coordinator *shell)
{
    json_t *list = json_array();
    struct ss_rate_limit_settings link;
    struct ss_link_counts counts;
    ss_link_limits(shell->link, &link);
    ss_link_counts(shell->link, &counts);
    settings_add_limit(
        list, "connections", link.connections_max, (int64_t)counts.connections);
    settings_add_limit(
        list, "connections of an address", link.per_address_max, -1);
    settings_add_limit(list, "new connections of an address a second",
        link.connections_rate, -1);
    settings_add_limit(
        list, "messages of a peer a second", link.messages_rate, -1);
    settings_add_limit(list, "bytes that nobody read yet",
        (int64_t)link.unread_max_mb * 1000000, (int64_t)counts.unread);
    settings_add_limit(list, "bytes of a message", SS_MESSAGE_SIZE_MAX, -1);
    settings_add_limit(list, "handshake, in ms", SS_LINK_HANDSHAKE_MS, -1);
    settings_add_limit(
        list, "messages that wait for one peer", SS_LINK_QUEUE_MAX, -1);
    return list;
}

json_t *ss_shell_ask(void *ctx, const char *what)
{
    struct ss_coordinator *shell = ctx;
    if (strcmp(what, "limits") == 0)
        return settings_limits(shell);
    if (strcmp(what, "store") == 0)
        return json_pack("{s:I, s:I}", "commits",
            (json_int_t)ss_metric_get(SS_METRIC_STORE_TIMES), "us",
            (json_int_t)ss_metric_sum_us(SS_METRIC_STORE_TIMES));
    if (strcmp(what, "disk") == 0) {
        char *text = ss_store_lacks_room(shell->store_url);
        json_t *told = text ? json_string(text) : json_null();
        ss_free(text);
        return told;
    }
    const char *why = strcmp(what, "away") == 0   ? ss_watch_away(shell)
                      : strcmp(what, "slow") == 0 ? ss_watch_slow(shell)
                                                  : ss_shell_trouble(shell);
    return why ? json_string(why) : json_null();
}
