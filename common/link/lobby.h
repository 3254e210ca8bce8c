// lobby.h - those whose handshake waits for an answer.
//
// libzmq reads nothing of them meanwhile. Without a place here a request is
// forgotten: its handshake ends when its time is over, and comes again.
#ifndef SS_LINK_LOBBY_H
#define SS_LINK_LOBBY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/mem.h"
#include "common/link/zap.h"

struct ss_lobby_guest {
    struct ss_zap_request request;
    int64_t since_ms;
    int64_t until_ms; // then it is looked at again
};

// Zero bytes: nobody waits.
struct ss_lobby {
    SS_VEC(struct ss_lobby_guest) guests;
};

// At most SS_LINK_LOBBY_MAX are kept, none longer than a handshake lasts.
void ss_lobby_add(
    struct ss_lobby *lobby, const struct ss_lobby_guest *guest);
// Takes one out whose time has come; those who are gone by now are forgotten.
// False: there is none.
bool ss_lobby_take(struct ss_lobby *lobby, int64_t now_ms,
    struct ss_lobby_guest *ret_guest);
// When the first is due; INT64_MAX: nobody waits.
int64_t ss_lobby_due_ms(const struct ss_lobby *lobby);
void ss_lobby_fini(struct ss_lobby *lobby);

#endif
