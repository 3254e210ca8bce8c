// network.c - what lies between processes.
//
// Between coordinators and workers a message may be lost, come twice, and be
// overtaken: their protocol promises to cope with that. A customer's connection
// is as TCP has it: in order, once, until it is cut off (in one direction, and
// for ever); then the customer opens another one. Letters to a coordinator that
// is away wait or are lost with the one that was to read them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sim/world.h"

struct letter {
    struct process *peer; // not the coordinator
    uint64_t life;        // of the peer
    size_t to;            // the coordinator
    uint64_t to_life;
    uint32_t wire; // its number
    enum direction direction;
    bool waits; // for a coordinator that comes back
    bool is_void;
    size_t size;
    char *bytes;
};

enum { LATE_TIMES = 30, RETRY_MS = 200, CONNECT_MS_MAX = 1000 };

// ------------------------------------------------------------------ wires

struct wire *network_line(struct process *peer, uint32_t line)
{
    for (size_t i = 0; i < peer->wires.count; i++)
        if (peer->wires.items[i].line == line)
            return &peer->wires.items[i];
    return NULL;
}

void network_close(struct process *peer, uint32_t line)
{
    struct wire *wire = network_line(peer, line);
    if (wire)
        SS_VEC_REMOVE(&peer->wires, (size_t)(wire - peer->wires.items));
}

// Each wire is made before anything comes by it, and whoever has it is told;
// made again where its coordinator starts again or something passes again.
static void plan_connect(
    struct process *peer, const struct wire *wire, int64_t at_ms)
{
    agenda_add(&peer->world->agenda, (struct errand){.at_ms = at_ms,
                                         .kind = ERRAND_CONNECT,
                                         .who = peer,
                                         .life = peer->life,
                                         .what = wire->number});
}

static int64_t soon(struct world *world)
{
    return world->now_ms + 1 + (int64_t)draw(world, CONNECT_MS_MAX);
}

// "c1" is the first coordinator.
void network_open(struct process *peer, uint32_t line, const char *endpoint)
{
    unsigned which = 0;
    network_close(peer, line);
    if (sscanf(endpoint, "c%u", &which) != 1 || which < 1 ||
        which > peer->world->climate.coordinators)
        violated(peer->world, "%s connects to \"%s\"", peer->name, endpoint);
    SS_VEC_PUSH(&peer->wires,
        (struct wire){
            .line = line, .number = ++peer->wires_made, .to = which - 1});
    plan_connect(peer, network_line(peer, line), soon(peer->world));
}

// "w3" and "u3" are the third worker and the third customer.
static struct process *find_process(struct world *world, const char *name)
{
    size_t which = (size_t)(name[1] - '1');
    if (name[0] == 'w' && which < world->climate.workers)
        return &world->workers[which].process;
    if (name[0] == 'u' && which < world->climate.customers)
        return customer_process(world->customers[which]);
    return NULL;
}

static struct wire *find_number(struct process *peer, uint32_t number)
{
    for (size_t i = 0; i < peer->wires.count; i++)
        if (peer->wires.items[i].number == number)
            return &peer->wires.items[i];
    return NULL;
}

struct wire *network_find(
    struct world *world, size_t to, const char *name, struct process **ret_peer)
{
    struct process *peer = find_process(world, name);
    char *rest = NULL;
    if (!peer || strtoull(name + sizeof("w1.") - 1, &rest, 10) != peer->life ||
        *rest != '/' || (!peer->is_alive && !peer->is_silent))
        return NULL;
    struct wire *wire =
        find_number(peer, (uint32_t)strtoul(rest + 1, NULL, 10));
    *ret_peer = peer;
    return wire && wire->to == to ? wire : NULL;
}

// ------------------------------------------------------------------ partitions

static struct process *any_peer(struct world *world)
{
    uint32_t workers = world->climate.workers;
    uint64_t who = draw(world, workers + world->climate.customers);
    return who < workers ? &world->workers[who].process
                         : customer_process(world->customers[who - workers]);
}

void network_part(struct world *world)
{
    size_t which_one = (size_t)draw(world, world->climate.coordinators);
    const struct process *coordinator = &world->coordinators[which_one].process;
    struct process *peer = any_peer(world);
    int64_t end_ms = world->now_ms + 100 + (int64_t)draw(world, 8000);
    uint64_t which = draw(world, 3); // one way, the other, or both
    if (which != 0)
        SS_VEC_PUSH(
            &world->partitions, (struct partition){peer, coordinator, end_ms});
    if (which != 1)
        SS_VEC_PUSH(
            &world->partitions, (struct partition){coordinator, peer, end_ms});
    note_fault(world, FAULT_PARTITION);
    tell(world, "nothing passes from %s to %s%s for %lld ms",
        which ? peer->name : coordinator->name,
        which ? coordinator->name : peer->name, which == 2 ? ", or back," : "",
        (long long)(end_ms - world->now_ms));
    for (size_t i = 0; i < peer->wires.count && draw(world, 2); i++)
        if (peer->wires.items[i].to == which_one)
            plan_connect(peer, &peer->wires.items[i], end_ms);
}

// When something passes again; 0: it does.
static int64_t parted(struct world *world, const struct process *peer,
    size_t which, enum direction direction)
{
    int64_t end_ms = 0;
    const struct process *coordinator = &world->coordinators[which].process;
    bool up = direction == UP;
    const struct process *from = up ? peer : coordinator;
    const struct process *to = up ? coordinator : peer;
    for (size_t i = world->partitions.count; i-- > 0;) {
        const struct partition *it = &world->partitions.items[i];
        if (it->end_ms <= world->now_ms)
            SS_VEC_REMOVE(&world->partitions, i);
        else if (it->from == from && it->to == to && it->end_ms > end_ms)
            end_ms = it->end_ms;
    }
    return end_ms;
}

static int64_t parted_to(struct world *world, const struct letter *letter)
{
    return parted(world, letter->peer, letter->to, letter->direction);
}

// ------------------------------------------------------------------ connecting

static void connect_all(struct process *peer, size_t to)
{
    for (size_t i = 0; peer->is_alive && i < peer->wires.count; i++)
        if (peer->wires.items[i].to == to)
            plan_connect(peer, &peer->wires.items[i], soon(peer->world));
}

void network_serve(struct world *world, size_t which)
{
    for (size_t i = 0; i < world->climate.workers; i++)
        connect_all(&world->workers[i].process, which);
    for (size_t i = 0; i < world->climate.customers; i++)
        connect_all(customer_process(world->customers[i]), which);
}

void network_connect(struct process *peer, uint32_t number)
{
    struct world *world = peer->world;
    const struct wire *wire = find_number(peer, number);
    if (!wire || wire->is_cut[UP] || wire->is_cut[DOWN] ||
        !world->coordinators[wire->to].process.is_alive)
        return; // whoever starts there is served
    if (parted(world, peer, wire->to, UP) ||
        parted(world, peer, wire->to, DOWN)) {
        plan_connect(peer, wire, world->now_ms + RETRY_MS);
        return;
    }
    world->report.connected++;
    if (peer->kind == WORKER)
        worker_connected(&world->workers[peer->index], wire->line);
    else
        customer_connected(world->customers[peer->index], wire->line);
}

// ------------------------------------------------------------------ sending

static void post(struct world *world, struct letter *letter, int64_t at_ms)
{
    agenda_add(&world->agenda,
        (struct errand){.at_ms = at_ms, .kind = ERRAND_LETTER, .load = letter});
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

// What a body shows has no number on its way: it comes once, or never.
static void send_loosely(
    struct world *world, struct letter *letter, bool is_once)
{
    int64_t at_ms = world->now_ms + latency(world);
    if (!is_once && strikes(world, world->climate.repeated)) {
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

static void send_in_order(
    struct world *world, struct wire *wire, struct letter *letter)
{
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

void network_post(struct process *peer, struct wire *wire,
    enum direction direction, const void *bytes, size_t size, bool is_once)
{
    struct world *world = peer->world;
    struct letter *letter = ss_zalloc(1, sizeof(*letter));
    *letter = (struct letter){.peer = peer,
        .life = peer->life,
        .to = wire->to,
        .to_life = world->coordinators[wire->to].process.life,
        .wire = wire->number,
        .direction = direction,
        .waits = draw(world, 2) == 0,
        .size = size,
        .bytes = ss_memdup(bytes, size)};
    mark(world, letter->bytes, letter->size);
    if (peer->kind == WORKER)
        send_loosely(world, letter, is_once);
    else
        send_in_order(world, wire, letter);
}

void network_send(struct process *peer, struct wire *wire,
    enum direction direction, const struct ss_message *message)
{
    struct world *world = peer->world;
    struct ss_error error = {0};
    if (!wire)
        return;
    if (ss_message_encode(message, &world->bytes, &error) != SS_OK)
        violated(world, "a message cannot be sent: %s", error.message);
    network_post(peer, wire, direction, world->bytes.data, world->bytes.size,
        message->type == SS_MESSAGE_LIVE);
}

// ------------------------------------------------------------------ arriving

static void read_letter(struct world *world, const struct letter *letter)
{
    struct ss_message *message = NULL;
    struct ss_error error = {0};
    struct process *peer = letter->peer;
    uint32_t line = find_number(peer, letter->wire)->line;
    if (ss_message_decode(letter->bytes, letter->size, &message, &error) !=
        SS_OK)
        violated(world, "a message cannot be read: %s", error.message);
    if (peer->kind == WORKER)
        worker_message(&world->workers[peer->index], line, message);
    else
        customer_message(world->customers[peer->index], line, message);
    ss_message_destroy(&message);
}

static void open_letter(struct world *world, const struct letter *letter)
{
    const struct process *peer = letter->peer;
    char name[32];
    if (letter->direction == DOWN) {
        read_letter(world, letter);
        return;
    }
    snprintf(name, sizeof(name), "%s.%llu/%u", peer->name,
        (unsigned long long)letter->life, (unsigned)letter->wire);
    coordinator_message(
        &world->coordinators[letter->to], name, letter->bytes, letter->size);
}

static const struct process *reader_of(
    struct world *world, const struct letter *letter)
{
    return letter->direction == UP ? &world->coordinators[letter->to].process
                                   : letter->peer;
}

void network_forget_asks(struct world *world, const struct process *customer)
{
    for (size_t i = 0; i < world->agenda.heap.count; i++) {
        const struct errand *errand = &world->agenda.heap.items[i];
        struct letter *letter =
            errand->kind == ERRAND_LETTER ? errand->load : NULL;
        if (letter && letter->peer->kind == CUSTOMER &&
            letter->direction == UP && (!customer || letter->peer == customer))
            letter->is_void = true;
    }
}

// Nobody is there who could read it.
static bool is_undeliverable(struct world *world, const struct letter *letter)
{
    const struct process *reader = reader_of(world, letter);
    if (letter->is_void)
        return true;
    if (letter->direction == UP)
        return letter->to_life != reader->life && !letter->waits;
    return !reader->is_alive || letter->life != reader->life ||
           !find_number(letter->peer, letter->wire);
}

// When it can be read, if not now.
static int64_t readable_ms(struct world *world, const struct letter *letter)
{
    const struct process *reader = reader_of(world, letter);
    int64_t at_ms = parted_to(world, letter);
    if (at_ms)
        return at_ms;
    if (!reader->is_alive)
        return world->now_ms + RETRY_MS;
    return reader->paused_to_ms;
}

void network_deliver(struct world *world, struct errand *errand)
{
    struct letter *letter = errand->load;
    if (is_undeliverable(world, letter)) {
        network_drop(letter);
        return;
    }
    if (letter->peer->kind == WORKER && parted_to(world, letter)) {
        note_fault(world, FAULT_LOST);
        network_drop(letter);
        return;
    }
    int64_t at_ms = readable_ms(world, letter);
    // what comes behind a letter that was put off is not read before it
    struct wire *wire = find_number(letter->peer, letter->wire);
    if (wire && letter->peer->kind == CUSTOMER) {
        int64_t *held_ms = &wire->held_ms[letter->direction];
        if (at_ms < *held_ms)
            at_ms = *held_ms;
        *held_ms = at_ms;
    }
    if (at_ms > world->now_ms) {
        errand->at_ms = at_ms;
        agenda_again(&world->agenda, *errand);
        return;
    }
    open_letter(world, letter);
    network_drop(letter);
}
