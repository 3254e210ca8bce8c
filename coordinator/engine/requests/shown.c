// shown.c - records as people see them.
#include <string.h>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/model/find.h"
#include "common/model/run_status.h"
#include "common/model/value.h"
#include "coordinator/engine/requests/facts.h"

static void show_time(json_t *shown, const char *key, const char *as)
{
    char text[SS_TIME_SIZE];
    ss_check(json_is_object(shown));
    json_int_t at = ss_json_int(shown, key, -1);
    if (at < 0)
        return;
    ss_time_text(at, text);
    json_object_set_new(shown, as, json_string(text));
}

// The times as people read them, and how it stands; what is not for them goes.
static void record_show(json_t *shown, const char *status)
{
    ss_check(json_is_object(shown));
    json_object_del(shown, "head"); // how far rows went then
    show_time(shown, "created_us", "created_at");
    show_time(shown, "updated_us", "updated_at");
    show_time(shown, "changed_us", "changed_at");
    show_time(shown, "began_us", "began_at");
    show_time(shown, "state_us", "state_at");
    if (status)
        json_object_set_new(shown, "status", json_string(status));
}

// Why a run was cancelled, without what its error says of every such one.
static const char *reason_of(const json_t *shown)
{
    static const char said[] = SS_CANCELLED ": ";
    ss_check(json_is_object(shown));
    const char *message =
        ss_json_str(json_object_get(shown, "error"), "message", NULL);
    bool is_cancelled = ss_run_status_of(shown) == SS_RUN_CANCELLED;
    if (!is_cancelled || !message || strcmp(message, SS_CANCELLED) == 0)
        return NULL;
    return strncmp(message, said, strlen(said)) == 0 ? message + strlen(said)
                                                     : message;
}

void ss_run_show(json_t *shown, const char *status)
{
    record_show(shown, status);
    const char *reason = reason_of(shown);
    if (reason)
        json_object_set_new(shown, "cancel_reason", json_string(reason));
}

json_t *ss_thread_shown(const json_t *record, const char *status)
{
    json_t *shown = json_copy((json_t *)record);
    json_t *own = json_object_get(shown, SS_FIND_OWN);
    ss_check(json_is_object(shown));
    if (json_is_object(own)) {
        json_t *all = json_object();
        json_object_update(all, json_object_get(shown, "metadata"));
        json_object_update(all, own);
        json_object_set_new(shown, "metadata", all);
        json_object_del(shown, SS_FIND_OWN);
    }
    record_show(shown, status);
    return shown;
}
