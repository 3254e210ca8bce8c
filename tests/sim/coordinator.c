// coordinator.c - a coordinator's process: the core that ships, driven by the
// world's clock, network and database. What it does is looked at on its way:
// each event before the engine takes it, each command before it is carried out.
#include <stdio.h>
#include <string.h>

#include "common/base/check.h"
#include "common/model/journal.h"
#include "common/model/roles.h"
#include "common/model/value.h"
#include "tests/sim/world.h"

// ------------------------------------------------------------------ looking on

int64_t coordinator_wall_us(const struct coordinator *it)
{
    return world_us(it->process.world) + it->process.wall_us;
}

static const struct customer *subscriber(
    const struct coordinator *it, const char *peer)
{
    struct process *process = NULL;
    struct world *world = it->process.world;
    return network_find(world, it->process.index, peer, &process)
               ? world->customers[process->index]
               : NULL;
}

// Which customers' threads it has in memory: bits.
static unsigned known_threads(const struct coordinator *it)
{
    struct world *world = it->process.world;
    unsigned bits = 0;
    for (size_t i = 0; i < world->climate.customers; i++)
        if (ss_engine_knows(
                ss_core_engine(it->core), customer_thread(world->customers[i])))
            bits |= 1u << i;
    return bits;
}

// What it forgot by itself since its last event: not a thread that moved, or
// was deleted.
static void note_evicted(struct coordinator *it)
{
    unsigned knows = known_threads(it);
    unsigned evicted = it->knew & ~knows;
    it->knew = knows;
    if (it->fed == SS_EVENT_SHARDS_LOST || it->fed == SS_EVENT_STORED)
        return;
    for (; evicted; evicted &= evicted - 1)
        it->process.world->report.evicted++;
}

static void before(void *ctx, const struct ss_event *event)
{
    struct coordinator *it = ctx;
    struct world *world = it->process.world;
    note_evicted(it);
    it->fed = event->type;
    world->report.steps++;
    mark_number(world, event->type);
    if (event->type == SS_EVENT_PAUSES)
        pauses_told(it, event);
    if (event->type == SS_EVENT_REQUEST)
        pauses_asked(it, event);
    if (event->type == SS_EVENT_SHARDS_READ)
        limits_read(it, event->shards.shards);
    if (event->type == SS_EVENT_STORED && event->stored.status == SS_ELIMIT)
        violated(world, "a row is refused: %s", event->stored.message);
}

static bool look(void *ctx, const struct ss_command *command)
{
    struct coordinator *it = ctx;
    mark_number(it->process.world, command->type);
    limits_told(it, command);
    if (command->type == SS_COMMAND_REFUSE)
        it->has_refused = true;
    if (command->type == SS_COMMAND_DISPATCH) {
        check_dispatch(it, command->order);
        pauses_dispatch(it, command->order);
    } else if (command->type == SS_COMMAND_ADOPT) {
        pauses_adopt(it, &command->attempt);
    } else if (command->type == SS_COMMAND_STORE && command->thread) {
        check_owner(it, command->thread, "stores rows");
    } else if (command->type == SS_COMMAND_REPLY) {
        check_reply(it, command->json);
        pauses_reply(it, command);
    } else if (command->type == SS_COMMAND_EVENT) {
        check_event(it, subscriber(it, command->peer), command->json);
    } else if (command->type == SS_COMMAND_DAMAGED) {
        // nothing here damages what is stored
        violated(it->process.world, "%s: %s", command->key, command->text);
    }
    return false;
}

static void narrate(
    void *ctx, const struct ss_core_subject *subject, const char *sentence)
{
    struct coordinator *it = ctx;
    (void)subject;
    tell(it->process.world, "  %s: %s", it->process.name, sentence);
}

// ------------------------------------------------------------------ outputs

// Its link knows where nobody is.
static void send(struct coordinator *it, const struct ss_core_output *output)
{
    struct process *peer = NULL;
    struct wire *wire =
        network_find(it->process.world, it->process.index, output->peer, &peer);
    if (wire)
        network_post(peer, wire, DOWN, output->bytes, output->size, false);
    else
        ss_core_unsent(it->core, output, SS_ECLOSED);
}

_Static_assert((int)SS_CORE_APPENDS == (int)LINK_APPENDS &&
                   (int)SS_CORE_LEASES == (int)LINK_LEASES,
    "a lane is a link");

static void carry_out(
    struct coordinator *it, const struct ss_core_output *output)
{
    struct world *world = it->process.world;
    switch (output->type) {
    case SS_CORE_SEND:
        send(it, output);
        break;
    case SS_CORE_SUBMIT:
        mark_number(world, 2000 + output->job->type);
        database_submit(&it->process, output->lane, output->job);
        break;
    case SS_CORE_SAY:
        // nothing here damages what is stored
        if (output->level == SS_CORE_ERROR &&
            strncmp(output->text, "damaged: ", 9) == 0)
            violated(world, "%s: %s", it->process.name, output->text);
        tell(world, "  %s says: %s", it->process.name, output->text);
        break;
    case SS_CORE_COMPLAIN:
        violated(world, "%s is told what makes no sense", it->process.name);
        break;
    case SS_CORE_KEPT:
        break;
    }
}

static void feed(struct coordinator *it, struct ss_core_event event)
{
    struct ss_core_outputs outputs;
    event.now_ms = process_now(&it->process);
    event.wall_us = coordinator_wall_us(it);
    ss_core_step(it->core, &event, &outputs);
    for (size_t i = 0; i < outputs.count; i++)
        carry_out(it, &outputs.items[i]);
}

static void tell_core(struct coordinator *it, enum ss_core_event_type type)
{
    feed(it, (struct ss_core_event){.type = type});
}

// ------------------------------------------------------------------ turns

static void mind_leaving(struct coordinator *it)
{
    bool is_late = process_now(&it->process) >= it->leave_ms;
    if (it->leave_ms == 0 || it->is_leaving ||
        (!is_late && !ss_core_is_quiet(it->core)))
        return;
    it->is_leaving = true;
    tell_core(it, SS_CORE_LEAVE);
}

// One that it lost, as it stood still, or that a late greeting makes it take
// for alive: who serves what is another thing to it now.
static void note_workers(struct coordinator *it)
{
    struct ss_engine_counts counts;
    ss_engine_count(ss_core_engine(it->core), &counts);
    if (counts.workers != it->workers)
        versions_change(it->process.world);
    it->workers = counts.workers;
}

// At the end of each turn: the process may be over.
static void end_turn(struct coordinator *it)
{
    it->turned_ms = it->process.world->now_ms;
    mind_leaving(it);
    tell_core(it, SS_CORE_FLUSH);
    note_evicted(it);
    note_workers(it);
    const struct ss_error *failure = ss_core_failure(it->core);
    it->has_left = ss_core_has_left(it->core);
    if (failure->status != SS_OK || it->has_left) {
        tell(it->process.world, "%s ends: %s", it->process.name,
            failure->status != SS_OK ? failure->message
                                     : "it was asked to leave");
        process_crash(&it->process);
        return;
    }
    int64_t at_ms = ss_core_wake_at_ms(it->core);
    if (it->leave_ms && !it->is_leaving && it->leave_ms < at_ms)
        at_ms = it->leave_ms;
    process_wake(&it->process, at_ms);
}

void coordinator_message(
    struct coordinator *it, const char *peer, const void *bytes, size_t size)
{
    tell_core(it, SS_CORE_TURN);
    it->has_refused = false;
    feed(it, (struct ss_core_event){.type = SS_CORE_FRAME,
                 .peer = peer,
                 .sender = {SS_ROLES_ALL, "", peer},
                 .bytes = bytes,
                 .size = size});
    if (!it->has_refused)
        limits_heard(it, peer, bytes, size);
    end_turn(it);
}

void coordinator_alarm(struct coordinator *it)
{
    tell_core(it, SS_CORE_TURN);
    tell_core(it, SS_CORE_TICK);
    end_turn(it);
}

void coordinator_drain(struct coordinator *it)
{
    tell_core(it, SS_CORE_TURN);
    if (it->leave_ms == 0) {
        it->leave_ms = process_now(&it->process) + 1 +
                       (int64_t)draw(it->process.world, 5000);
        tell_core(it, SS_CORE_DRAIN);
    }
    end_turn(it);
}

void coordinator_heard(struct coordinator *it, size_t link)
{
    struct ss_job *job = database_heard(&it->process, link);
    tell_core(it, SS_CORE_TURN);
    while (job) {
        struct ss_job *next = job->next;
        feed(it, (struct ss_core_event){.type = SS_CORE_DONE, .job = job});
        ss_job_destroy(&job);
        job = next;
    }
    end_turn(it);
}

// ------------------------------------------------------------------ life

void coordinator_start(struct coordinator *it)
{
    it->process.world->database.backing->start(it);
}

void coordinator_live(struct coordinator *it)
{
    struct world *world = it->process.world;
    const char *name = it->process.name;
    versions_change(world);
    bool ended_well = it->ended_well && it->process.life > 1;
    struct ss_core_options options = {
        .self = {.epoch = it->epoch, .row_format = SS_ROW_FORMAT},
        .is_shared = world->climate.is_shared,
        .is_after_crash = !ended_well,
        .seed = ss_prng_next(&world->dice),
        .lease_ms = LEASE_MS,
        .heartbeat_ms = BEAT_MS,
        .adopt_ms = BEAT_MS,
        .idle_ms = world->climate.idle_ms,
        .verify_rate = VERIFY_RATE,
        .idle_large_max = (int32_t)(it->epoch % 4) - 1,
        .cluster_lease_ms = world->climate.cluster_lease_ms,
        .narrate = world->narrates ? narrate : NULL,
        .before = before,
        .command = look,
        .ctx = it};
    memcpy(options.self.name, name, strlen(name) + 1);
    memcpy(options.self.endpoint, name, strlen(name) + 1);
    it->core = ss_core_new(&options);
    network_serve(world, it->process.index);
    it->leave_ms = 0;
    it->knew = 0;
    it->is_leaving = it->has_left = false;
    tell_core(it, SS_CORE_TURN);
    end_turn(it);
}

void coordinator_stop(struct coordinator *it)
{
    it->ended_well = it->has_left;
    it->process.world->database.backing->lose(&it->process);
    ss_core_destroy(&it->core);
    pauses_forget(it);
    limits_stop(it);
}
