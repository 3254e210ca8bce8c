// agenda.c - what will happen, ordered by time: a heap.
#include "tests/sim/world.h"

static bool is_sooner(const struct errand *a, const struct errand *b)
{
    return a->at_ms != b->at_ms ? a->at_ms < b->at_ms : a->number < b->number;
}

void agenda_again(struct agenda *agenda, struct errand errand)
{
    SS_VEC_PUSH(&agenda->heap, errand);
    struct errand *heap = agenda->heap.items;
    size_t i = agenda->heap.count - 1;
    while (i > 0 && is_sooner(&errand, &heap[(i - 1) / 2])) {
        heap[i] = heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap[i] = errand;
}

uint64_t agenda_add(struct agenda *agenda, struct errand errand)
{
    errand.number = ++agenda->number;
    agenda_again(agenda, errand);
    return errand.number;
}

bool agenda_next(struct agenda *agenda, struct errand *ret_errand)
{
    if (agenda->heap.count == 0)
        return false;
    struct errand *heap = agenda->heap.items;
    size_t count = --agenda->heap.count;
    struct errand last = heap[count];
    *ret_errand = heap[0];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < count; i = child) {
        if (child + 1 < count && is_sooner(&heap[child + 1], &heap[child]))
            child++;
        if (!is_sooner(&heap[child], &last))
            break;
        heap[i] = heap[child];
    }
    heap[i] = last;
    return true;
}
