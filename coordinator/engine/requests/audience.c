// audience.c - those who listen to a run: what they are told of what levels and
// runs do (watch.h). What it looks like is stream.c's, how it is sent emit.c's.
#include "coordinator/engine/requests/audience.h"
#include "common/model/journal.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/watch.h"
#include "coordinator/engine/requests/emit.h"
#include "coordinator/engine/requests/requests.h"
#include "coordinator/engine/requests/stream.h"

// ------------------------------------------------ levels

static void on_values(struct loop *loop, bool again)
{
    if (!again || !ss_emit_values_before(loop))
        ss_stream_values(loop, NULL);
}

static void on_planned(struct loop *loop)
{
    if (ss_loop_facts(loop)->persists)
        ss_stream_checkpoint(loop);
}

static void on_started(struct loop *loop)
{
    const struct loop_facts *level = ss_loop_facts(loop);
    size_t count = level->tasks.count;
    ss_emit_begin(loop, SS_TOLD_STARTS, NULL);
    for (size_t i = 0; i < count; i++)
        ss_stream_task_start(level->tasks.items[i]);
    ss_emit_end(loop);
    for (size_t i = 0; i < count; i++) {
        struct task *task = level->tasks.items[i];
        ss_stream_message_inputs(task);
        if (ss_task_facts(task)->state == TASK_DONE)
            ss_stream_task_output(task, true);
    }
}

// ------------------------------------------------ tasks

// A command to the graph around is that graph's to show.
static void on_committed(struct task *task)
{
    const struct task_facts *facts = ss_task_facts(task);
    ss_emit_items(task);
    if (facts->state == TASK_PARENT)
        return;
    if (facts->state == TASK_DONE)
        ss_stream_messages(task);
    ss_stream_task_output(task, facts->cached);
}

// ------------------------------------------------ the table

const struct watch ss_audience_watch = {
    .made = ss_audience_make,
    .freed = ss_audience_free,
    .accepted = ss_audience_accept,
    .entered = ss_audience_entered,
    .moved = ss_audience_move,
    .ended = ss_audience_answer,
    .dropped = ss_audience_drop,
    .recovered = ss_emit_recall,
    .values = on_values,
    .planned = on_planned,
    .started = on_started,
    .stopped = ss_stream_breakpoint,
    .progressed = ss_stream_progress,
    .item = ss_stream_live,
    .committed = on_committed,
    .restarted = ss_emit_restarted,
};
