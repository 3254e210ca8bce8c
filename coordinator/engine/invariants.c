// invariants.c - what holds between two steps of an engine, and who looks.
//
// Each has a number, by which a check that fails names it. They tie together
// what the rooms keep: a task and the lists that have it, a count and what is
// counted, a row and who waits for it. I1 to I7 are looked at after every step,
// wherever the engine runs; all of them in stories and in the simulator
// (options.verify_rate).
//
//   between two steps (invariants.c; each room of what it has to do)
//   I1    it wants to be woken now or later, never in the past
//   I2    no loop waits to be advanced
//   I3    each ready task stands in a line
//   I4    all whose turn may have come were looked at
//   I5    what has ended or gone is freed
//   I6    a root that left has ended its run
//   I7    nothing is let go
//
//   what a step gives (invariants.c)
//   I8    what is to be answered has a tag, one of those that were given
//   I9    a unit begins behind the durable rows and has no gap
//   I158  a read is that which its thread waits for
//   I162  what goes to a client names it, and says something
//   I244  a unit is that which its thread waits for
//   I245  it changes something
//   I265  rows that others repeat go no earlier than they do
//
//   threads (thread_verify.c)
//   I10   a thread stands under its id
//   I11   it is ours
//   I12   it has a journal if it is hot, and then only
//   I13   no row is open
//   I14   of its rows, some are durable, more are issued, no more than there
//        are
//   I15   nothing of it waits to be issued, unless a unit is out
//   I16   the id of its newest checkpoint is not above those it will give
//   I17   at most one unit is out, and all others are durable
//   I18   its unit will be known by its tag when it is answered
//   I19   so will its rows
//   I20   a command is held back only for what is not durable
//   I21   and only while a unit is out, which may let it go
//   I22   who is listed as dirty is
//   I23   and who is, is listed, as is whose turn may have come
//   I26   one that must not be read yet is cold
//   I28   somebody waits for it to be deleted
//   I30   an idle one has no run, and nobody waits for it
//   I31   the list of idle ones is a chain
//   I32   to its end
//   I33   with as many links as are counted, and as threads say that they are
//        in it
//   I34   and as large as they are together
//   I35   no other tag is awaited than theirs
//   I36   as many units are out as are counted
//   I141  one whose rows are being deleted has none, and its unit is out
//   I142  rows to be deleted are there
//   I143  one that is not hot has nothing for the store
//   I144  its unit ends with the last row that was issued
//   I145  its tags were given
//   I146  a command is held back only for what is there, or is about to leave
//   I247  who waits at the gate waits for rows that are there, not durable
//   I248  who was let through has gone on
//   I147  a request waits, or a run that was found
//   I148  somebody made the request
//   I149  requests that wait are bounded
//   I150  it was used now or before
//   I153  an idle one takes memory
//   I154  idle ones are bounded
//   I250  those that were made small were idle before the others
//   I251  the others are known, and how many they are
//   I266  the list of those whose runs wait is a chain of just them
//   I267  they are not idle, and the store has all of them
//   I268  as many are in it as are counted
//
//   shards (thread_verify.c)
//   I155  one that is not read is ours
//   I156  one of a thread was given to us
//   I157  the owner of each is a member, or nobody
//
//   graphs (catalog.c)
//   I37   a graph stands under its name and version
//   I38   none of its name was announced behind the latest
//   I39   nor any behind the newest of all
//   I159  the latest stands under its name
//   I160  and is known
//
//   tasks (level_verify.c)
//   I40   a task has a worker while it runs, and then only
//   I41   it stands in a line while it is ready, and then only
//   I42   who seeks an attempt of before is ready, and may be out
//   I43   the rows that it rests on are there
//   I44   it was not lost once too often
//   I45   one whose writers run has the value for them
//   I46   one that folds has a channel, and no fold yet
//   I47   the rows that a running one rests on are durable
//   I48   a running one is an attempt with a name
//   I49   one that is done wrote something
//   I50   one that asks has its questions
//   I51   one that failed knows why
//   I52   one that ended with a command has it
//   I53   none but a failed one is handled
//   I54   a task is its loop's, and of a node of that loop's graph
//   I55   a handler is of a task beside it that says so
//   I56   a task that waits for a time has yet to reach it, and wakes us then
//   I57   the graph inside goes on for one that waits for it
//   I191  one that was given the resume value without an id is who has it
//   I192  one that is done or failed has pending writes
//   I193  one has an id, a path and a namespace
//   I194  a handler handles a failure, and nobody else does
//   I195  none of a run is of an update
//   I196  a graph inside goes on only while its task waits for it
//   I197  and knows its task
//   I198  one that is not started waits for the resume value without an id
//   I199  one that asks the cache is of a node that has one
//
//   levels (level_verify.c)
//   I58   no channel has a version above the greatest
//   I59   which channels have one is known
//   I60   no update is under way
//   I61   the sets of channels and nodes say the same twice
//   I62   a level is inside another one for a task of it
//   I63   which names it, and whose graph it is
//   I64   of the same run and thread
//   I65   its last checkpoint is a row of the thread
//   I66   its base is no younger
//   I67   it folds if it has folds to wait for, and then only
//   I68   a fold is its loop's, and is done when it is there
//   I69   not all of them are there
//   I70   none is being entered
//   I71   it counts no more tasks as ended than it has
//   I72   and those have
//   I73   one that runs has a task that has not ended
//   I74   one that rests has no tasks
//   I75   one that runs has not passed its limit
//   I270  a run knows its entry while it enters
//   I200  no version is below zero
//   I201  channels that change by themselves are known
//   I202  a channel that was updated has a version
//   I203  so has one that moved since the last checkpoint
//   I204  nothing is updated where nobody knows what is
//   I205  no node has seen a version above the greatest
//   I206  nor one above its channel's
//   I246  a node that is triggered is a candidate
//   I207  who has pending writes is known
//   I208  each of them has a path, a channel and a value
//   I209  the row of its last checkpoint holds that
//   I210  in its namespace
//   I211  a level is in the engine of its thread
//   I213  none that lives is a view
//   I214  the root has no namespace, and every other one has
//
//   a thread's seat (run_verify.c)
//   I24   it has a run, an update, or a run that is taken back: one of them at
//        most
//   I25   a thread that has any of them is hot
//   I27   that of a quarantined run must not be read, and no cancel of it is
//        under way
//   I29   what is deleted is used by nobody
//   I152  the run that it is read for was recovered a bounded number of times
//
//   runs (run_verify.c)
//   I76   a run that has not ended is found by its name and thread
//   I80   the run of a thread is under way
//   I81   its root is of its graph and thread
//   I82   and goes on
//   I83   its entry is a row of the thread
//   I84   as many of its attempts are out as it counts
//   I86   no more have ended than were planned
//   I87   one that is queued says so
//   I88   it has its record, and nothing has begun
//   I89   the queue is in the order of places
//   I90   a thread on probation is not read
//   I91   one run goes on alone, at most
//   I92   as many versions are paused as are counted
//   I93   of a run that is taken back no task is left
//   I94   no other run is found by name
//   I95   as many are queued as are counted
//   I217  a run is in the engine of its thread, and has a graph
//   I218  one that is under way has begun in a row
//   I269  what it borrows of that row is what the journal has
//   I219  and was not cancelled
//   I220  it was recovered a bounded number of times
//   I221  no more of its attempts are out than may be
//   I222  it does not wait to be recovered
//   I223  the record of one that is queued says so
//   I224  and is stored, or in the thread's next unit
//   I225  nothing of it is out
//   I226  a queue is bounded
//   I227  a suspect was recovered, a bounded number of times
//   I228  it is counted at once, but the last time
//   I229  its tag was given
//   I230  who waits for probation waits for somebody
//   I231  nothing is out of one that is taken back
//   I232  one that must not be read is quarantined or a suspect
//
//   the resume value without an id (resume_value.c)
//   I77   who was given it is open, and says so
//   I78   who waits with it is about to begin
//   I79   tasks are held only while it is there, or somebody has it
//   I85   as many of the run's tasks are held as are counted
//
//   updates (update_state.c)
//   I96   an update is its thread's, and its loop is of no run
//   I97   its tasks are its own
//   I98   one of them, or a fold, is waited for
//   I233  an update's thread is hot
//   I234  its loop is of its graph, and a root
//   I235  the superstep that it makes was asked for
//   I236  its workers were not lost once too often
//   I237  its tasks are of an update
//
//   workers and attempts (schedule_verify.c)
//   I99   what stands under the number of an attempt runs under that name
//   I100  the name is of this life, and was given
//   I101  its worker is here
//   I102  each running task is found by its attempt
//   I103  a worker stands under its peer
//   I104  no two have the same name
//   I105  it runs as many attempts as it counts
//   I106  it was heard of within its lease
//   I107  what it was let go with is bounded
//   I108  the lists that it holds are bounded, and none if it keeps none
//   I109  it gives no more than it has
//   I110  as many serve a graph as are counted
//   I111  who vouches for an order does so for some time yet
//   I161  what is out was sent now or before
//   I151  and the worker that had its thread's last task was here
//   I163  a worker had all attempts that it runs and lost
//   I164  its number was given
//   I165  it serves a graph, and people are told of all
//   I166  its beat was heard no later than it was
//   I167  it was told who the members are now or before
//   I168  we wake when its lease ends
//   I169  what it was let go with is not out
//   I170  its capacity is bounded
//   I171  who vouches are in the order in which that ends
//   I172  and do so no longer than an order may be begun
//   I173  we wake when the first ends
//   I174  workers are bounded
//   I184  the first of a line is sent if only room was missing and is there
//
//   lists that workers hold (list_cache.c)
//   I181  slot and stamp of one were given, the slot first
//   I182  it is there
//   I183  they are in the order of their use
//
//   what was sent in this step (schedule_verify.c)
//   I112  an order goes to the worker that has the task
//   I113  who does not leave
//   I114  had room
//   I115  and serves its graph
//   I116  which is not paused
//   I117  and we do not drain
//   I176  it says which beat was heard
//   I177  a claim is answered to the worker that has the task
//   I178  with an attempt of another life
//   I179  what is cancelled or settled is not out at that worker
//   I180  who is welcomed or heard is here
//
//   lines (ready_queue.c)
//   I118  the tasks of a line are a chain
//   I119  and ready
//   I120  there is one, and the chain has its end
//   I121  the lines of a group are a chain, from its first one to its last
//   I122  no group had a turn to come, and no two the same
//   I123  each ready task is in one line
//   I124  and counted
//   I185  a task's line is that of its graph, priority and limit
//   I186  who is next in a line stands in it
//   I252  a line is found by its limit, or by its group if it has none
//   I249  a task stands aside while rows that it rests on are not durable, and
//         then only
//
//   tasks that run alone (alone.c)
//   I271  who waits for a worker of its own is ready, and knows it
//   I272  who has a worker to itself is out there
//
//   limits (limit_reckon.c)
//   I253  as many attempts of a limit are out as are counted, and as many wait
//   I254  its share are its parts in shards of ours
//   I255  as many linger as are counted
//   I256  what is owed is no more than the limit
//   I257  we wake when nobody waits for what lingers any more
//   I258  and when shards are held no longer
//   I259  what left with shards was made up for
//   I260  as many of a rate have begun as are counted
//   I261  where its parts are is known, and its whole counts it
//   I262  as many are of values as are counted
//
//   attempts of before (takeover.c)
//   I125  who offers one is here
//   I126  its time has not passed
//   I127  it is of another life
//   I128  offers are bounded
//   I129  who is listed as seeking one seeks
//   I130  and who seeks is listed
//   I187  an offer stands under its task and thread
//   I188  we wake when its time is over
//   I189  who seeks stands under task and thread
//   I190  we wake when nobody is waited for any more
//
//   who waits for what (level_verify.c)
//   I131  who waits for a time failed, or asks the cache once more
//   I132  each of them is listed
//   I133  who is looked for in the cache asked
//   I134  who asked is looked for
//   I135  a loop between two supersteps has not ticked
//   I136  each of them is listed
//   I215  the tag of a look into the cache was given
//   I216  a loop between two supersteps is of a run that is under way
//
//   who waits for the store (request_verify.c, pause.c)
//   I137  a run's name is looked for by a tag, not too often
//   I138  names that are looked for are bounded
//   I139  whoever waits for records asked, and by a tag
//   I140  so did who pauses
//   I243  a run's name was looked for
//
//   listeners (request_verify.c)
//   I238  a run has its audience, and nothing is being told
//   I239  a run that goes on is not one that is told again
//   I240  who listens was told that the run is accepted, and waits for its end
//   I241  what all want together is summed up
//   I242  so is whether one wants what is told inside
#include "coordinator/engine/invariants.h"
#include "common/base/map.h"
#include "common/model/journal.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/inside.h"
#include "coordinator/engine/levels/levels.h"
#include "coordinator/engine/requests/requests.h"
#include "coordinator/engine/runs/runs.h"
#include "coordinator/engine/scheduler/scheduler.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/invariant.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/threads.h"

// ------------------------------------------------ the cheap half

static void verify_queues(const struct engine *engine)
{
    ss_invariant(I1, engine->wake_at_ms >= engine->now_ms);
    ss_levels_verify_rest(engine);
    ss_runs_verify_rest(engine);
    ss_threads_verify_rest(engine);
}

// ------------------------------------------------ all of it

static bool is_answered(const struct ss_command *command)
{
    return command->type == SS_COMMAND_STORE ||
           command->type == SS_COMMAND_READ ||
           command->type == SS_COMMAND_GET ||
           command->type == SS_COMMAND_SCAN || command->type == SS_COMMAND_FIND;
}

// What must be answered will find who asked.
static void verify_asked(
    const struct engine *engine, const struct ss_command *command)
{
    const struct thread *thread =
        command->thread ? ss_map_get(ss_threads_all(engine), command->thread)
                        : NULL;
    if (command->type == SS_COMMAND_STORE && command->thread)
        ss_invariant(
            I244, thread && ss_thread_awaits_unit(thread, command->tag));
    if (command->type == SS_COMMAND_STORE)
        ss_invariant(I245, command->rows_count > 0 || command->puts_count > 0 ||
                               command->delete_to > 0 ||
                               command->delete_thread);
    if (command->type == SS_COMMAND_READ && thread)
        ss_invariant(
            I158, ss_thread_facts(thread)->state != THREAD_LOADING ||
                      ss_thread_awaits(engine, command->tag) == thread);
}

// A unit holds what comes behind the rows that are durable, without a gap.
static void verify_unit(
    const struct engine *engine, const struct ss_command *command)
{
    const struct thread *thread =
        ss_map_get(ss_threads_all(engine), command->thread);
    for (size_t i = 0; i < command->rows_count; i++)
        ss_invariant(I9,
            command->rows[i]->seq == ss_thread_facts(thread)->durable + 1 + i);
    if (command->delete_to == 0)
        return;
    uint64_t head = ss_journal_head(ss_thread_facts(thread)->journal);
    for (uint64_t seq = command->delete_to + 1; seq <= head; seq++) {
        const struct ss_row *row =
            ss_journal_row(ss_thread_facts(thread)->journal, seq);
        ss_invariant(I265, !row || row->named_from == 0 ||
                               row->named_from > command->delete_to);
    }
}

static void verify_commands(const struct engine *engine)
{
    for (size_t i = 0; i < engine->commands.count; i++) {
        const struct ss_command *command = &engine->commands.items[i];
        if (is_answered(command))
            ss_invariant(I8, command->tag > 0 && command->tag <= engine->tags);
        if (command->type == SS_COMMAND_REPLY ||
            command->type == SS_COMMAND_EVENT)
            ss_invariant(I162, command->peer && command->json);
        verify_asked(engine, command);
        if (command->type == SS_COMMAND_STORE && command->thread)
            verify_unit(engine, command);
    }
    ss_dispatches_verify(engine);
}

static void walk(struct ss_engine *it)
{
    const struct engine *engine = &it->engine;
    struct census census = {0};
    verify_commands(engine);
    ss_threads_verify(engine, &census);
    ss_graphs_verify(engine, &census);
    ss_runs_verify(engine, &census);
    ss_workers_verify(engine, &census);
    ss_lines_verify(engine, &census);
    ss_offers_verify(engine, &census);
    ss_waits_verify(engine, &census);
    ss_requests_verify(engine, &census);
    it->verify_in = census.seen / engine->options.verify_rate;
}

void ss_invariants(struct ss_engine *it)
{
    const struct engine *engine = &it->engine;
    verify_queues(engine);
    if (engine->options.verify_rate == 0)
        return;
    if (it->verify_in > 0)
        it->verify_in--;
    else
        walk(it);
}
