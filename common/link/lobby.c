// lobby.c - a short list, and who of it is due.
#include "common/link/lobby.h"

#include "common/link/limits.h"

void ss_lobby_add(
    struct ss_lobby *lobby, const struct ss_lobby_guest *guest)
{
    if (lobby->guests.count < SS_LINK_LOBBY_MAX)
        SS_VEC_PUSH(&lobby->guests, *guest);
}

static int64_t end_ms(const struct ss_lobby_guest *guest)
{
    return guest->since_ms + SS_LINK_HANDSHAKE_MS;
}

static int64_t due_ms(const struct ss_lobby_guest *guest)
{
    return guest->until_ms < end_ms(guest) ? guest->until_ms : end_ms(guest);
}

bool ss_lobby_take(struct ss_lobby *lobby, int64_t now_ms,
    struct ss_lobby_guest *ret_guest)
{
    for (size_t i = 0; i < lobby->guests.count;) {
        struct ss_lobby_guest guest = lobby->guests.items[i];
        if (due_ms(&guest) > now_ms) {
            i++;
            continue;
        }
        lobby->guests.items[i] =
            lobby->guests.items[--lobby->guests.count];
        if (end_ms(&guest) <= now_ms)
            continue;
        *ret_guest = guest;
        return true;
    }
    return false;
}

int64_t ss_lobby_due_ms(const struct ss_lobby *lobby)
{
    int64_t first_ms = INT64_MAX;
    for (size_t i = 0; i < lobby->guests.count; i++) {
        int64_t it_ms = due_ms(&lobby->guests.items[i]);
        first_ms = it_ms < first_ms ? it_ms : first_ms;
    }
    return first_ms;
}

void ss_lobby_fini(struct ss_lobby *lobby)
{
    SS_VEC_FINI(&lobby->guests);
}
