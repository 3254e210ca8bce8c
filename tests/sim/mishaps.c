// mishaps.c - what happens to processes: crashes, pauses, partitions, clocks.
#include "tests/sim/world.h"

static int64_t until(struct world *world, int64_t low_ms, uint64_t span_ms)
{
    return low_ms + (int64_t)draw(world, span_ms);
}

static struct process *any_coordinator(struct world *world)
{
    return &world->coordinators[draw(world, world->climate.coordinators)]
                .process;
}

static struct process *any_worker(struct world *world)
{
    return &world->workers[draw(world, world->climate.workers)].process;
}

static struct process *any_customer(struct world *world)
{
    return customer_process(
        world->customers[draw(world, world->climate.customers)]);
}

static struct process *anybody(struct world *world)
{
    switch (draw(world, 3)) {
    case 0:
        return any_coordinator(world);
    case 1:
        return any_worker(world);
    default:
        return any_customer(world);
    }
}

static void crash(struct world *world, struct process *process)
{
    if (!process->is_alive)
        return;
    note_fault(world, FAULT_CRASH);
    tell(world, "%s crashes", process->name);
    process_crash(process);
}

static void hold_for(
    struct world *world, struct process *process, int64_t takes_ms)
{
    if (!process->is_alive || process->paused_to_ms > world->now_ms)
        return;
    note_fault(world, FAULT_PAUSE);
    tell(world, "%s stands still for %lld ms", process->name,
        (long long)takes_ms);
    process->paused_to_ms = world->now_ms + takes_ms;
}

// Where tasks have a limit, often while a worker cannot be heard: who comes
// next does not learn from it in time what is out.
static void crash_coordinator(struct world *world)
{
    const struct climate *climate = &world->climate;
    int64_t away_ms = climate->is_shared ? climate->cluster_lease_ms : 0;
    crash(world, any_coordinator(world));
    if (climate->limit > 0 && draw(world, 2))
        hold_for(world, any_worker(world), away_ms + until(world, 1000, 3000));
}

static void drain(struct world *world)
{
    struct process *process = any_worker(world);
    if (!process->is_alive || process->paused_to_ms > world->now_ms)
        return;
    tell(world, "%s is asked to leave", process->name);
    worker_drain(&world->workers[process->index]);
}

// As an operator does it, one after the other.
static void leave(struct world *world)
{
    struct process *process = any_coordinator(world);
    if (!process->is_alive || process->paused_to_ms > world->now_ms)
        return;
    tell(world, "%s is asked to leave", process->name);
    coordinator_drain(&world->coordinators[process->index]);
}

// Half of them outlast a lease.
static void hold_up(struct world *world)
{
    struct process *process = anybody(world);
    hold_for(world, process,
        draw(world, 2) ? until(world, 100, 2000)
                       : until(world, LEASE_MS, 8000));
}

static void move_clock(struct world *world)
{
    struct process *process = anybody(world);
    int64_t by_ms = until(world, -3600000, 7200000);
    note_fault(world, FAULT_CLOCK);
    tell(world, "the wall clock of %s moves by %lld ms", process->name,
        (long long)by_ms);
    process->wall_us += by_ms * 1000;
}

// Who uses it is told, and begins anew; who serves it finds out by itself. One
// that a process owns is set back while that is away.
static void set_back(struct world *world)
{
    if (!world->database.backing->may_go_back(world))
        return;
    note_fault(world, FAULT_SET_BACK);
    if (!world->climate.is_shared) {
        crash(world, &world->coordinators[0].process);
        world->coordinators[0].ended_well = false;
    }
    world->database.backing->set_back(world);
    network_forget_asks(world, NULL);
    for (size_t i = 0; i < world->climate.customers; i++) {
        crash(world, customer_process(world->customers[i]));
        customer_go_astray(world->customers[i]);
    }
}

void mishap(struct world *world)
{
    const struct climate *climate = &world->climate;
    const uint32_t weights[] = {climate->crash_coordinator,
        climate->crash_worker, climate->crash_customer, climate->drain,
        climate->leave, climate->pause, climate->partition, climate->clock,
        climate->set_back, climate->roll};
    uint64_t all = 0, which = 0;
    for (size_t i = 0; i < sizeof(weights) / sizeof(*weights); i++)
        all += weights[i];
    uint64_t at = draw(world, all);
    while (which < 9 && at >= weights[which])
        at -= weights[which++];
    if (which == 0)
        crash_coordinator(world);
    else if (which == 1)
        crash(world, any_worker(world));
    else if (which == 2)
        crash(world, any_customer(world));
    else if (which == 3)
        drain(world);
    else if (which == 4)
        leave(world);
    else if (which == 5)
        hold_up(world);
    else if (which == 6)
        network_part(world);
    else if (which == 7)
        move_clock(world);
    else if (which == 8)
        set_back(world);
    else
        versions_roll(world);
}

void mishap_plan(struct world *world)
{
    int64_t in_ms =
        1 + (int64_t)draw(world, (uint64_t)world->climate.mishap_ms * 2);
    agenda_add(&world->agenda,
        (struct errand){.at_ms = world->now_ms + in_ms, .kind = ERRAND_MISHAP});
}
