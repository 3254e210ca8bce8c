// network.c - what lies between processes.
//
// Between coordinator and workers a message may be lost, come twice, and be
// overtaken: their protocol says that it bears that. A customer's connection is
// as TCP has it: in order, once, until it is cut off (in one direction, and for
// ever); then the customer opens another one. Letters to a coordinator that is
// away wait or are lost with the one that was to read them.
#include <stdio.h>
#include <string.h>

#include "tests/sim/world.h"

struct letter {
    struct process *peer; // not the coordinator
    uint64_t life;        // of the peer
    uint64_t coordinator; // life of it
    uint32_t wire;
    enum direction direction;
    bool waits; // for a coordinator that comes back
    size_t size;
    char *bytes;
};

enum { LATE_TIMES = 30, RETRY_MS = 200 };

static struct wire *wire_of(struct process *peer)
{
    if (peer->kind == WORKER)
        return &peer->world->workers[peer->index].wire;
    return customer_wire(peer->world->customers[peer->index]);
}

void network_reopen(struct process *peer)
{
    struct wire *wire = wire_of(peer);
    *wire = (struct wire){.number = wire->number + 1};
}

void network_name(const struct process *peer, char ret_name[32])
{
    snprintf(ret_name, 32, "%s.%llu/%u", peer->name,
        (unsigned long long)peer->life,
        (unsigned)wire_of((struct process *)peer)->number);
}

static struct process *find_process(struct world *world, const char *name)
{
    size_t size = strcspn(name, ".");
    for (size_t i = 0; i < world->climate.workers; i++) {
        struct process *process = &world->workers[i].process;
        if (strncmp(process->name, name, size) == 0)
            return process;
    }
    for (size_t i = 0; i < world->climate.customers; i++) {
        struct process *process = customer_process(world->customers[i]);
        if (strncmp(process->name, name, size) == 0)
            return process;
    }
    return NULL;
}

struct process *network_find(struct world *world, const char *name)
{
    char current[32];
    struct process *process = find_process(world, name);
    if (!process || (!process->is_alive && !process->is_silent))
        return NULL;
    network_name(process, current);
    return strcmp(current, name) == 0 ? process : NULL;
}

// ------------------------------------------------------------------ partitions

void network_part(struct world *world)
{
    const struct process *coordinator = &world->coordinator.process;
    uint64_t who = draw(world, world->climate.workers + world->climate.customers);
    const struct process *peer =
        who < world->climate.workers
            ? &world->workers[who].process
            : customer_process(
                  world->customers[who - world->climate.workers]);
    int64_t end_ms = world->now_ms + 100 + (int64_t)draw(world, 8000);
    uint64_t which = draw(world, 3); // one way, the other, or both
    if (which != 0)
        SS_VEC_PUSH(&world->partitions,
            (struct partition){peer, coordinator, end_ms});
    if (which != 1)
        SS_VEC_PUSH(&world->partitions,
            (struct partition){coordinator, peer, end_ms});
    note_fault(world, FAULT_PARTITION);
    tell(world, "%s from %s for %lld ms",
        which == 2 ? "nothing passes between coordinator and"
        : which    ? "nothing passes to the coordinator"
                   : "nothing passes from the coordinator to",
        peer->name, (long long)(end_ms - world->now_ms));
}

// When something passes again; 0: it does.
static int64_t parted_to(struct world *world, const struct letter *letter)
{
    int64_t end_ms = 0;
    const struct process *peer = letter->peer;
    for (size_t i = world->partitions.count; i-- > 0;) {
        const struct partition *it = &world->partitions.items[i];
        if (it->end_ms <= world->now_ms)
            SS_VEC_REMOVE(&world->partitions, i);
        else if ((letter->direction == UP ? it->from : it->to) == peer &&
                 it->end_ms > end_ms)
            end_ms = it->end_ms;
    }
    return end_ms;
}

// ------------------------------------------------------------------ sending

static void post(struct world *world, struct letter *letter, int64_t at_ms)
{
    agenda_add(&world->agenda, (struct errand){.at_ms = at_ms,
                                   .kind = ERRAND_LETTER,
                                   .load = letter});
}

static int64_t latency(struct world *world)
{
    return 1 + (int64_t)draw(world, world->climate.latency_ms);
}

static struct letter *copy_of(const struct letter *letter)
{
    struct letter *copy = ss_zalloc(1, sizeof(*copy));
    *copy = *letter;
    copy->bytes = ss_memdup(letter->bytes, letter->size);
    return copy;
}

void network_drop(void *load)
{
    struct letter *letter = load;
    ss_free(letter->bytes);
    ss_free(letter);
}

static void send_loosely(struct world *world, struct letter *letter)
{
    int64_t at_ms = world->now_ms + latency(world);
    if (strikes(world, world->climate.repeated)) {
        note_fault(world, FAULT_REPEATED);
        post(world, copy_of(letter), world->now_ms + latency(world) * 3);
    }
    if (strikes(world, world->climate.late)) {
        note_fault(world, FAULT_LATE);
        at_ms = world->now_ms + latency(world) * LATE_TIMES;
    }
    if (strikes(world, world->climate.lost)) {
        note_fault(world, FAULT_LOST);
        network_drop(letter);
        return;
    }
    post(world, letter, at_ms);
}

static void send_in_order(struct world *world, struct letter *letter)
{
    struct wire *wire = wire_of(letter->peer);
    if (!wire->is_cut[letter->direction] &&
        strikes(world, world->climate.cut)) {
        note_fault(world, FAULT_CUT);
        wire->is_cut[letter->direction] = true;
        tell(world, "the connection of %s is cut off %s", letter->peer->name,
            letter->direction == UP ? "on the way to the coordinator"
                                    : "on the way back");
    }
    if (wire->is_cut[letter->direction]) {
        network_drop(letter);
        return;
    }
    int64_t at_ms = world->now_ms + latency(world);
    if (at_ms < wire->last_ms[letter->direction])
        at_ms = wire->last_ms[letter->direction];
    wire->last_ms[letter->direction] = at_ms;
    post(world, letter, at_ms);
}

void network_send(struct process *peer, enum direction direction,
    const struct ss_message *message)
{
    struct world *world = peer->world;
    struct ss_error error = {0};
    if (ss_message_encode(message, &world->bytes, &error) != SS_OK)
        violated(world, "a message cannot be sent: %s", error.message);
    struct letter *letter = ss_zalloc(1, sizeof(*letter));
    *letter = (struct letter){.peer = peer,
        .life = peer->life,
        .coordinator = world->coordinator.process.life,
        .wire = wire_of(peer)->number,
        .direction = direction,
        .waits = draw(world, 2) == 0,
        .size = world->bytes.size,
        .bytes = ss_memdup(world->bytes.data, world->bytes.size)};
    mark(world, letter->bytes, letter->size);
    if (peer->kind == WORKER)
        send_loosely(world, letter);
    else
        send_in_order(world, letter);
}

// ------------------------------------------------------------------ arriving

static void open_letter(struct world *world, const struct letter *letter)
{
    struct ss_message *message = NULL;
    struct ss_error error = {0};
    struct process *peer = letter->peer;
    char name[32];
    if (ss_message_decode(letter->bytes, letter->size, &message, &error) !=
        SS_OK)
        violated(world, "a message cannot be read: %s", error.message);
    if (letter->direction == UP) {
        snprintf(name, sizeof(name), "%s.%llu/%u", peer->name,
            (unsigned long long)letter->life, (unsigned)letter->wire);
        coordinator_message(&world->coordinator, name, message);
    } else if (peer->kind == WORKER) {
        worker_message(&world->workers[peer->index], message);
    } else {
        customer_message(world->customers[peer->index], message);
    }
    ss_message_destroy(&message);
}

// Nobody is there who could read it.
static bool is_undeliverable(struct world *world, const struct letter *letter)
{
    const struct process *reader = letter->direction == UP
                                       ? &world->coordinator.process
                                       : letter->peer;
    if (letter->direction == UP)
        return letter->coordinator != reader->life && !letter->waits;
    return !reader->is_alive || letter->life != reader->life ||
           letter->wire != wire_of(letter->peer)->number;
}

void network_deliver(struct world *world, struct errand *errand)
{
    struct letter *letter = errand->load;
    const struct process *reader = letter->direction == UP
                                       ? &world->coordinator.process
                                       : letter->peer;
    int64_t later_ms = parted_to(world, letter);
    if (is_undeliverable(world, letter)) {
        network_drop(letter);
    } else if (later_ms && letter->peer->kind == WORKER) {
        note_fault(world, FAULT_LOST);
        network_drop(letter);
    } else if (later_ms) {
        post(world, letter, later_ms);
    } else if (!reader->is_alive) {
        post(world, letter, world->now_ms + RETRY_MS);
    } else if (reader->paused_to_ms > world->now_ms) {
        post(world, letter, reader->paused_to_ms);
    } else {
        open_letter(world, letter);
        network_drop(letter);
    }
}
