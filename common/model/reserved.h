// reserved.h - the field's reserved words (spec/engine.md 1.6), spelled once.
#ifndef SS_MODEL_RESERVED_H
#define SS_MODEL_RESERVED_H

#include <stdbool.h>

#define SS_NAME_START           "__start__"
#define SS_NAME_END             "__end__"
#define SS_NAME_ROOT            "__root__"
#define SS_NAME_TASKS           "__pregel_tasks" // the Topic of sends
#define SS_NAME_INPUT           "__input__"
#define SS_NAME_COPY            "__copy__"
#define SS_NAME_INTERRUPT       "__interrupt__"
#define SS_NAME_RESUME          "__resume__"
#define SS_NAME_ERROR           "__error__"
#define SS_NAME_ERROR_SOURCE    "__error_source_node__"
#define SS_NAME_NO_WRITES       "__no_writes__"
// Ours: how often a task has failed in this run, and when it is tried again.
#define SS_NAME_TRIES           "__tries__"
// Ours: how often its worker was lost. It stands beside the task's other
// writes, all others of a row replace what stood for their task.
#define SS_NAME_LOST            "__lost__"
#define SS_NAME_SCHEDULED       "__scheduled__"
#define SS_NAME_RETURN          "__return__"
#define SS_NAME_PUSH            "__pregel_push"
#define SS_NAME_PULL            "__pregel_pull"
#define SS_NAME_PARENT          "__parent__"
#define SS_NAME_OVERWRITE       "__overwrite__"
#define SS_NAME_BRANCH          "branch:to:"        // + node
#define SS_NAME_HANDLER         "__error_handler__" // + node
#define SS_NAME_DEFAULT_HANDLER "__default_error_handler__"
#define SS_NAME_HANDLER_PATH    "node_error_handler"

// In the RESERVED set: may not name a channel or a node (R0.4, graph.md 1.1).
bool ss_name_reserved(const char *name);
// Channels that applying writes ignores entirely (R1.12).
bool ss_name_ignored(const char *name);
// The index of a special write (-1 error, -2 scheduled, -3 interrupt, -4
// resume, R1.8; -5 tries, -6 lost), or 0 for every other channel.
int ss_name_special(const char *name);
// It tells of a task's attempts, nothing of what the task did: of the run, not
// of the checkpoint (ours).
bool ss_name_of_attempts(const char *name);

#endif
