// contact_state.c - the phases of a worker's contact with a coordinator, and
// the phases from which each is entered.
#include "common/base/move.h"
#include "worker/session/state.h"

enum {
    KNOCKING = 1 << PHASE_KNOCKING,
    GREETING = 1 << PHASE_GREETING,
    SERVING = 1 << PHASE_SERVING,
    DRAINING = 1 << PHASE_DRAINING,
    REFUSED = 1 << PHASE_REFUSED,
};

// A WELCOME may come late, when the contact knocks again or was refused
// meanwhile; a contact that drains serves again only after a new greeting.
static const struct ss_move_state phases[] = {
    [PHASE_KNOCKING] = {"knocking", KNOCKING},
    [PHASE_GREETING] = {"greeting",
        KNOCKING | GREETING | SERVING | DRAINING | REFUSED},
    [PHASE_SERVING] = {"serving", KNOCKING | GREETING | REFUSED},
    [PHASE_DRAINING] = {"draining", KNOCKING | GREETING | SERVING | REFUSED},
    [PHASE_REFUSED] = {"refused",
        KNOCKING | GREETING | SERVING | DRAINING | REFUSED},
};

static const struct ss_move_table moves = SS_MOVE_TABLE("contact", phases);

void ss_contact_move(struct contact *contact, enum phase to)
{
    ss_move(&moves, contact->phase, to);
    contact->phase = to;
}
