// contact_state.c - the phases of a worker's contact with a coordinator, and
// the phases from which each is entered.
#include "common/base/move.h"
#include "worker/session/state.h"

#define FROM(state) (1U << PHASE_##state)

// A WELCOME may come late, when the contact knocks again or was refused
// meanwhile; a contact that drains serves again only after a new greeting.
static const struct ss_move_state phases[] = {
    [PHASE_KNOCKING] = {"knocking", FROM(KNOCKING)},
    [PHASE_GREETING] = {"greeting", FROM(KNOCKING) | FROM(GREETING) |
                                        FROM(SERVING) | FROM(DRAINING) |
                                        FROM(REFUSED)},
    [PHASE_SERVING] = {"serving",
        FROM(KNOCKING) | FROM(GREETING) | FROM(REFUSED)},
    [PHASE_DRAINING] = {"draining",
        FROM(KNOCKING) | FROM(GREETING) | FROM(SERVING) | FROM(REFUSED)},
    [PHASE_REFUSED] = {"refused", FROM(KNOCKING) | FROM(GREETING) |
                                      FROM(SERVING) | FROM(DRAINING) |
                                      FROM(REFUSED)},
};

static const struct ss_move_table moves = SS_MOVE_TABLE("contact", phases);

void ss_contact_move(struct contact *contact, enum phase to)
{
    ss_move(&moves, contact->phase, to);
    contact->phase = to;
}
