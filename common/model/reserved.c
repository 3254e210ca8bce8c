// reserved.c - which names mean something to the engine.
#include "common/model/reserved.h"

#include <stddef.h>
#include <string.h>

static bool is_among(const char *name, const char *const *list)
{
    for (size_t i = 0; list[i]; i++)
        if (strcmp(name, list[i]) == 0)
            return true;
    return false;
}

bool ss_name_reserved(const char *name)
{
    static const char *const reserved[] = {"langsmith:hidden", SS_NAME_INPUT,
        SS_NAME_INTERRUPT, SS_NAME_RESUME, SS_NAME_ERROR, SS_NAME_ERROR_SOURCE,
        SS_NAME_NO_WRITES, SS_NAME_TRIES, SS_NAME_LOST, "__snapshot_bumps__",
        "__pregel_send", "__pregel_read", "__pregel_checkpointer",
        "__pregel_stream", "__pregel_resuming", "__pregel_replay_state",
        "__pregel_task_id", "__pregel_timed_attempt_observer",
        "__pregel_resume_map", "__pregel_strict_resume",
        "__pregel_stream_messages_v2", "checkpoint_map", "checkpoint_id",
        "checkpoint_ns", "configurable", SS_NAME_PUSH, SS_NAME_PULL, "|", ":",
        NULL};
    return is_among(name, reserved);
}

// Nearly all names differ from these in their third letter.
static bool may_be(const char *name, const char *other)
{
    return name[0] == '_' && name[1] == '_' && name[2] == other[2];
}

bool ss_name_ignored(const char *name)
{
    static const char *const ignored[] = {SS_NAME_NO_WRITES, SS_NAME_PUSH,
        SS_NAME_RESUME, SS_NAME_INTERRUPT, SS_NAME_RETURN, SS_NAME_ERROR,
        SS_NAME_ERROR_SOURCE, SS_NAME_TRIES, SS_NAME_LOST, NULL};
    for (size_t i = 0; name[0] == '_' && ignored[i]; i++)
        if (may_be(name, ignored[i]) && strcmp(name, ignored[i]) == 0)
            return true;
    return false;
}

int ss_name_special(const char *name)
{
    static const char *const special[] = {SS_NAME_ERROR, SS_NAME_SCHEDULED,
        SS_NAME_INTERRUPT, SS_NAME_RESUME, SS_NAME_TRIES, SS_NAME_LOST};
    int count = (int)(sizeof(special) / sizeof(special[0]));
    for (int i = 0; name[0] == '_' && i < count; i++)
        if (may_be(name, special[i]) && strcmp(name, special[i]) == 0)
            return -1 - i;
    return 0;
}

bool ss_name_of_attempts(const char *name)
{
    return strcmp(name, SS_NAME_TRIES) == 0 || strcmp(name, SS_NAME_LOST) == 0;
}
