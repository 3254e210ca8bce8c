// damage.c - what was found damaged since this coordinator began.
#include "coordinator/limits.h"
#include "coordinator/shell_impl.h"

void ss_damage_note(
    struct ss_coordinator *shell, const char *what, const char *why)
{
    json_t *text = json_string(why);
    if (!shell->damaged)
        shell->damaged = json_object();
    if (!text)
        text = json_string("(not UTF-8)");
    bool is_known = json_object_get(shell->damaged, what) != NULL;
    bool is_full = json_object_size(shell->damaged) >= SS_DAMAGES_MAX;
    if (!is_known && !is_full) {
        json_object_set(shell->damaged, what, text);
        shell->damaged_count++;
        ss_log_say(SS_LOG_ERROR, "damaged: %s", json_string_value(text));
    } else if (!is_known) {
        if (shell->damaged_count == SS_DAMAGES_MAX)
            ss_log_say(SS_LOG_ERROR,
                "damaged: more than %d things; the others are not told",
                SS_DAMAGES_MAX);
        shell->damaged_count++;
    }
    json_decref(text);
}

json_t *ss_damage_list(const struct ss_coordinator *shell)
{
    json_t *list = json_array(), *why;
    const char *what;
    json_object_foreach (shell->damaged, what, why)
        json_array_append_new(
            list, json_pack("{s:s, s:O}", "what", what, "text", why));
    return list;
}
