// damage.c - what was found damaged since this coordinator started.
#include "coordinator/core/core_impl.h"
#include "coordinator/core/limits.h"

void ss_core_damage_note(
    struct ss_core *core, const char *what, const char *why)
{
    json_t *text = json_string(why);
    if (!core->damaged)
        core->damaged = json_object();
    if (!text)
        text = json_string("(not UTF-8)");
    bool is_known = json_object_get(core->damaged, what) != NULL;
    bool is_full = json_object_size(core->damaged) >= SS_DAMAGES_MAX;
    if (!is_known && !is_full) {
        json_object_set(core->damaged, what, text);
        core->damaged_count++;
        ss_core_say(
            core, SS_CORE_ERROR, "damaged: %s", json_string_value(text));
    } else if (!is_known) {
        if (core->damaged_count == SS_DAMAGES_MAX)
            ss_core_say(core, SS_CORE_ERROR,
                "damaged: more than %d things; the others are not told",
                SS_DAMAGES_MAX);
        core->damaged_count++;
    }
    json_decref(text);
}

json_t *ss_core_damage_list(const struct ss_core *core)
{
    json_t *list = json_array(), *why;
    const char *what;
    json_object_foreach (core->damaged, what, why)
        json_array_append_new(
            list, json_pack("{s:s, s:O}", "what", what, "text", why));
    return list;
}
