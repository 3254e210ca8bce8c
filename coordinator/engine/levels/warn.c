// warn.c - what the client should know of its run, and what stops nothing.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/base/status.h"
#include "coordinator/engine/levels/levels.h"
#include "coordinator/engine/levels/levels_impl.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/threads/thread.h"

void ss_loop_warn(struct loop *loop, const char *format, ...)
{
    char text[SS_ERROR_SIZE];
    struct run *run = loop->facts.run;
    if (!run || json_array_size(run->facts.warnings) >= SS_WARNINGS_MAX)
        return;
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof(text), format, list);
    va_end(list);
    struct ss_error cut; // between characters
    ss_error_set(&cut, SS_OK, "%s", text);
    size_t i;
    json_t *item;
    json_array_foreach (run->facts.warnings, i, item) {
        if (strcmp(json_string_value(item), cut.message) == 0)
            return;
    }
    if (!run->facts.warnings)
        run->facts.warnings = json_array();
    json_array_append_new(run->facts.warnings, json_string(cut.message));
}

void ss_loop_warn_unasked(struct loop *loop)
{
    ss_loop_warn(loop,
        "thread %s: no question is open; the answer was "
        "ignored",
        ss_thread_facts(loop->facts.thread)->id);
}

void ss_loop_warn_send(struct loop *loop, const char *node)
{
    ss_loop_warn(loop,
        "a send to \"%s\", which is not a node of graph %s, was "
        "ignored",
        node ? node : "?", loop->facts.graph->name);
}
