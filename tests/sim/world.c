// world.c - a seed's life: a storm, then fair weather until all is done.
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/model/value.h"
#include "common/wire/limits.h"
#include "tests/sim/world.h"

enum {
    CALM_MS = 600000,      // in which somebody comes further, the storm over
    RESTART_MS_MAX = 3000, // a process that crashed is back within
    CLOCKS_APART_MS = 1 << 30, // monotonic clocks begin anywhere
};

// ------------------------------------------------------------------ chance

uint64_t draw(struct world *world, uint64_t bound)
{
    return bound ? ss_prng_below(&world->dice, bound) : 0;
}

bool strikes(struct world *world, uint32_t thousandths)
{
    return world->is_stormy && thousandths > 0 &&
           draw(world, 1000) < thousandths;
}

void note_fault(struct world *world, enum fault fault)
{
    world->report.faults[fault]++;
    mark_number(world, 1000 + fault);
}

uint64_t report_faults(const struct report *report)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < FAULT_COUNT; i++)
        sum += report->faults[i];
    return sum;
}

// ------------------------------------------------------------------ telling

void mark_number(struct world *world, uint64_t number)
{
    uint64_t all[3] = {world->report.digest, (uint64_t)world->now_ms, number};
    world->report.digest = ss_hash64(all, sizeof(all));
}

void mark(struct world *world, const void *bytes, size_t size)
{
    mark_number(world, ss_hash64(bytes, size));
}

void tell(struct world *world, const char *format, ...)
{
    if (!world->narrates)
        return;
    va_list args;
    printf("%9.3f  ", (double)world->now_ms / 1000);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
}

void violated(struct world *world, const char *format, ...)
{
    char text[8192];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    fflush(stdout);
    fprintf(stderr,
        "seed %" PRIu64 " at %.3f s: %s\n"
        "  replay: sim %s--seeds %" PRIu64 ":%" PRIu64 " --narrate\n",
        world->seed, (double)world->now_ms / 1000, text,
        sim_store_option(world->options->store), world->seed, world->seed);
    if (world->database.backing && world->database.backing->abandon)
        world->database.backing->abandon(world);
    _exit(1);
}

int64_t world_us(const struct world *world)
{
    return 1767225600000000 + world->now_ms * 1000;
}

const struct plan *world_plan(
    struct world *world, const struct ss_assignment *order)
{
    for (size_t i = 0; i < world->climate.graphs; i++) {
        const struct plan *root = world->plans[i];
        const struct plan *plan = strcmp(root->name, order->app_graph) == 0
                                      ? plan_find(root, order->graph)
                                      : NULL;
        if (plan)
            return plan;
    }
    violated(world, "an order is of no graph: %s", order->graph);
}

// ------------------------------------------------------------------ processes

int64_t process_now(const struct process *process)
{
    return process->world->now_ms + process->clock_ms;
}

void process_wake(struct process *process, int64_t at_ms)
{
    struct world *world = process->world;
    if (at_ms == INT64_MAX) {
        process->alarm = 0;
        return;
    }
    at_ms -= process->clock_ms;
    if (at_ms <= world->now_ms)
        at_ms = world->now_ms + 1;
    if (process->alarm && process->alarm_at_ms == at_ms)
        return;
    process->alarm_at_ms = at_ms;
    process->alarm = world->agenda.number + 1;
    agenda_add(&world->agenda, (struct errand){.at_ms = at_ms,
                                   .kind = ERRAND_ALARM,
                                   .who = process,
                                   .life = process->life,
                                   .what = process->alarm});
}

void process_start(struct process *process)
{
    struct world *world = process->world;
    process->life++;
    process->is_alive = true;
    process->is_silent = false;
    process->paused_to_ms = 0;
    process->alarm = 0;
    process->clock_ms = (int64_t)draw(world, CLOCKS_APART_MS);
    tell(world, "%s starts (life %" PRIu64 ")", process->name, process->life);
    if (process->kind == COORDINATOR)
        coordinator_start(&world->coordinators[process->index]);
    else if (process->kind == WORKER)
        worker_start(&world->workers[process->index]);
    else
        customer_start(world->customers[process->index]);
}

static void stop(struct process *process)
{
    struct world *world = process->world;
    process->is_alive = false;
    if (process->kind == COORDINATOR)
        coordinator_stop(&world->coordinators[process->index]);
    else if (process->kind == WORKER)
        worker_stop(&world->workers[process->index]);
    else
        customer_stop(world->customers[process->index]);
}

void process_again(struct process *process)
{
    struct world *world = process->world;
    agenda_add(&world->agenda,
        (struct errand){
            .at_ms = world->now_ms + 1 + (int64_t)draw(world, RESTART_MS_MAX),
            .kind = ERRAND_START,
            .who = process});
}

void process_crash(struct process *process)
{
    struct world *world = process->world;
    world->report.coordinator_crashes += process->kind == COORDINATOR;
    stop(process);
    process->is_silent = draw(world, 2) == 0;
    process_again(process);
}

static void process_init(struct process *process, struct world *world,
    enum process_kind kind, size_t index)
{
    static const char letters[] = {'c', 'w', 'u'};
    *process = (struct process){.world = world, .kind = kind, .index = index};
    snprintf(process->name, sizeof(process->name), "%c%zu", letters[kind],
        index + 1);
}

// ------------------------------------------------------------------ errands

static void wake(struct process *process)
{
    process->alarm = 0;
    if (process->kind == COORDINATOR)
        coordinator_alarm(&process->world->coordinators[process->index]);
    else if (process->kind == WORKER)
        worker_alarm(&process->world->workers[process->index]);
    else
        customer_alarm(process->world->customers[process->index]);
}

static void do_errand(struct world *world, struct errand *errand)
{
    struct process *who = errand->who;
    switch (errand->kind) {
    case ERRAND_LETTER:
        network_deliver(world, errand);
        break;
    case ERRAND_ALARM:
        if (who->alarm == errand->what)
            wake(who);
        break;
    case ERRAND_COMMIT:
        world->database.backing->commit(who, (size_t)errand->what);
        break;
    case ERRAND_HEARD:
        coordinator_heard(
            &world->coordinators[who->index], (size_t)errand->what);
        break;
    case ERRAND_GHOST:
    case ERRAND_REQUEST:
    case ERRAND_ANSWER:
    case ERRAND_TIMEOUT:
        world->database.backing->arrive(world, errand);
        break;
    case ERRAND_LEAVE:
        coordinator_drain(&world->coordinators[who->index]);
        break;
    case ERRAND_BEGIN:
        worker_begin(&world->workers[who->index],
            (uint64_t)(uintptr_t)errand->load, errand->what);
        break;
    case ERRAND_BODY:
        worker_body(&world->workers[who->index],
            (uint64_t)(uintptr_t)errand->load, errand->what);
        break;
    case ERRAND_SHOW:
        worker_show(&world->workers[who->index],
            (uint64_t)(uintptr_t)errand->load, errand->what);
        break;
    case ERRAND_MISHAP:
        mishap(world);
        mishap_plan(world);
        break;
    case ERRAND_START:
        process_start(who);
        break;
    case ERRAND_ASK:
        customer_ask(world->customers[who->index]);
        break;
    case ERRAND_ROLL:
        if (!versions_are_current(world, &world->workers[who->index]))
            worker_drain(&world->workers[who->index]);
        break;
    case ERRAND_OPERATE:
        versions_operate(world);
        break;
    case ERRAND_HOLD:
        pauses_operate(world);
        break;
    case ERRAND_CONNECT:
        network_connect(who, (uint32_t)errand->what);
        break;
    }
}

// Of a life that is over, or put off because the process stands still.
static bool is_for_now(struct world *world, struct errand *errand)
{
    struct process *who = errand->who;
    if (!who || errand->kind == ERRAND_START)
        return errand->kind != ERRAND_MISHAP || world->is_stormy;
    if (!who->is_alive || errand->life != who->life)
        return false;
    // the model of a database does not stand still with those who asked it
    bool is_elsewhere =
        errand->kind == ERRAND_COMMIT && world->options->store == STORE_MEMORY;
    if (who->paused_to_ms <= world->now_ms || is_elsewhere)
        return true;
    // a stale alarm is dropped, the others keep their order
    if (errand->kind != ERRAND_ALARM || who->alarm == errand->what) {
        errand->at_ms = who->paused_to_ms;
        agenda_again(&world->agenda, *errand);
    }
    return false;
}

static bool all_content(const struct world *world)
{
    for (size_t i = 0; i < world->climate.customers; i++)
        if (!customer_is_content(world->customers[i]))
            return false;
    return true;
}

static void weather(struct world *world)
{
    bool was_stormy = world->is_stormy;
    world->is_stormy = world->now_ms < world->climate.storm_ms;
    if (!was_stormy || world->is_stormy)
        return;
    // what was parted finds together by itself
    versions_change(world);
    tell(world, "the storm is over");
}

static void give_up(struct world *world)
{
    char text[1024] = "";
    for (size_t i = 0; i < world->climate.customers; i++) {
        size_t size = strlen(text);
        if (!customer_is_content(world->customers[i]))
            customer_describe(
                world->customers[i], text + size, sizeof(text) - size);
    }
    violated(world, "in fair weather it does not come to an end:%s", text);
}

// How much there is to do differs by far: who comes further is not stuck, and
// nobody comes further for ever (see MOVES_MAX).
static int64_t calm_since(const struct world *world)
{
    return world->advanced_ms > world->climate.storm_ms
               ? world->advanced_ms
               : world->climate.storm_ms;
}

static void live(struct world *world)
{
    struct errand errand;
    while (!all_content(world)) {
        if (!agenda_next(&world->agenda, &errand) ||
            world->now_ms > calm_since(world) + CALM_MS)
            give_up(world);
        if (errand.at_ms > world->now_ms)
            world->now_ms = errand.at_ms;
        weather(world);
        if (is_for_now(world, &errand))
            do_errand(world, &errand);
    }
}

// ------------------------------------------------------------------ life

// What a real database is asked for: less of it, since it takes longer.
static void adapt_climate(struct climate *climate, enum sim_store store)
{
    if (store == STORE_POSTGRES) {
        climate->is_shared = true;
        climate->storm_ms /= 2;
    }
    if (store == STORE_SQLITE) { // one process owns it
        climate->is_shared = false;
        climate->coordinators = 1;
        climate->clock = climate->set_back > 0 ? 0 : climate->clock;
        climate->read_failed *= 4; // it reads little
    }
}

static void begin(struct world *world)
{
    climate_draw(&world->climate, &world->dice, world->seed);
    adapt_climate(&world->climate, world->options->store);
    world->is_stormy = true;
    ss_buf_init(&world->bytes, SS_MESSAGE_SIZE_MAX);
    database_open(world);
    json_t *limit = limits_describe(&world->climate);
    json_t *also = limits_also(&world->climate);
    for (size_t i = 0; i < world->climate.graphs; i++)
        world->plans[i] =
            plan_draw((const char[]){'g', (char)('1' + (int)i), 0},
                &world->dice, limit, also);
    json_decref(limit);
    json_decref(also);
    for (size_t i = 0; world->narrates && i < world->climate.graphs; i++) {
        char *text = ss_json_text(world->plans[i]->versions[0].description);
        tell(world, "graph %s", text);
        ss_free(text);
    }
    for (size_t i = 0; i < world->climate.coordinators; i++)
        process_init(&world->coordinators[i].process, world, COORDINATOR, i);
    for (size_t i = 0; i < world->climate.workers; i++)
        process_init(&world->workers[i].process, world, WORKER, i);
    for (size_t i = 0; i < world->climate.customers; i++) {
        world->customers[i] = customer_new(world, i);
        process_init(customer_process(world->customers[i]), world, CUSTOMER, i);
    }
    for (size_t i = 0; i < world->climate.coordinators; i++)
        process_start(&world->coordinators[i].process);
    for (size_t i = 0; i < world->climate.workers; i++)
        process_start(&world->workers[i].process);
    for (size_t i = 0; i < world->climate.customers; i++)
        process_start(customer_process(world->customers[i]));
    mishap_plan(world);
    versions_plan(world);
    pauses_plan(world);
}

static void end_process(struct process *process)
{
    if (process->is_alive)
        stop(process);
    SS_VEC_FINI(&process->wires);
}

static void drop_errands(struct world *world)
{
    struct errand errand;
    while (agenda_next(&world->agenda, &errand))
        if (errand.kind == ERRAND_LETTER)
            network_drop(errand.load);
        else if (errand.kind == ERRAND_GHOST)
            database_ghost_drop(errand.load);
}

// What was taken back has not come again.
static void check_all_gone(struct world *world, const struct customer *customer)
{
    json_t *run;
    size_t i;
    json_array_foreach (customer_gone(customer), i, run)
        check_gone(
            world, customer_thread(customer), json_string_value(run), false);
}

static void check_threads(struct world *world, const struct customer *customer)
{
    json_t *thread;
    size_t i;
    json_array_foreach (customer_threads(customer), i, thread) {
        check_ended(world, json_string_value(thread));
        check_thread(world, json_string_value(thread));
    }
}

static void end(struct world *world)
{
    for (size_t i = 0; i < world->climate.customers; i++)
        check_threads(world, world->customers[i]);
    for (size_t i = 0; i < world->climate.customers; i++)
        bodies_end(world, customer_thread(world->customers[i]));
    for (size_t i = 0; i < world->climate.customers; i++)
        check_all_gone(world, world->customers[i]);
    for (size_t i = 0; i < world->climate.coordinators; i++)
        end_process(&world->coordinators[i].process);
    for (size_t i = 0; i < world->climate.workers; i++)
        end_process(&world->workers[i].process);
    for (size_t i = 0; i < world->climate.customers; i++)
        end_process(customer_process(world->customers[i]));
    drop_errands(world);
    for (size_t i = 0; i < world->climate.customers; i++)
        customer_free(world->customers[i]);
    for (size_t i = 0; i < world->climate.graphs; i++)
        plan_free(world->plans[i]);
    world->database.backing->close(world);
    SS_VEC_FINI(&world->agenda.heap);
    SS_VEC_FINI(&world->partitions);
    ss_buf_fini(&world->bytes);
    bodies_fini(world);
    limits_fini(world);
    versions_fini(world);
    ss_map_fini(&world->let_go, NULL);
}

struct report simulate(uint64_t seed, const struct sim_options *options)
{
    struct world *world = ss_zalloc(1, sizeof(*world));
    world->seed = world->report.seed = seed;
    world->options = options;
    world->narrates = options->narrate;
    ss_prng_init(&world->dice, seed);
    begin(world);
    live(world);
    world->report.seconds = (uint64_t)world->now_ms / 1000;
    end(world);
    struct report report = world->report;
    ss_free(world);
    return report;
}
