// members.c - the coordinators: named by the operator, or announced by others.
#include <string.h>

#include "worker/session/limits.h"
#include "worker/session/state.h"

struct contact *ss_contact_find(const struct ss_session *session, uint32_t link)
{
    return (struct contact *)ss_peers_find(&session->contacts, link);
}

struct contact *ss_contact_add(
    struct ss_session *session, const char *endpoint, bool is_given)
{
    struct contact *contact = ss_zalloc(1, sizeof(*contact));
    ss_peer_init(&contact->peer, endpoint, session->now_ms);
    ss_peers_add(&session->contacts, &contact->peer);
    contact->is_given = is_given;
    contact->refused_ms = -1;
    if (is_given)
        ss_endpoints_give(&session->endpoints, endpoint);
    ss_session_say(
        session, &(struct ss_session_command){.type = SS_SESSION_CONNECT,
                     .link = contact->peer.number,
                     .endpoint = contact->peer.endpoint});
    return contact;
}

// The connection may end where the endpoint was, not where it is: another
// coordinator may have that address now.
void ss_contact_redial(struct ss_session *session, struct contact *contact)
{
    struct ss_session_command dial = {.type = SS_SESSION_DISCONNECT,
        .link = contact->peer.number,
        .endpoint = contact->peer.endpoint};
    ss_session_say(session, &dial);
    dial.type = SS_SESSION_CONNECT;
    ss_session_say(session, &dial);
}

// Commands of this step may point to the contact: it is freed when the next
// step begins.
void ss_contact_drop(struct ss_session *session, struct contact *contact)
{
    ss_orphan_all(session, contact, 0);
    ss_session_say(
        session, &(struct ss_session_command){.type = SS_SESSION_DISCONNECT,
                     .link = contact->peer.number,
                     .endpoint = contact->peer.endpoint});
    ss_peers_remove(&session->contacts, &contact->peer);
    SS_VEC_PUSH(&session->gone, contact);
}

// ------------------------------------------------------------------ told

static bool is_known(const struct ss_session *session, const char *endpoint)
{
    if (ss_peers_at(&session->contacts, endpoint))
        return true;
    for (size_t i = 0; i < session->contacts.count; i++) {
        const char *alias = ss_contact_at(session, i)->alias;
        if (alias && strcmp(alias, endpoint) == 0)
            return true;
    }
    return false;
}

void ss_members_told(
    struct ss_session *session, char *const *endpoints, size_t count)
{
    ss_endpoints_tell(&session->endpoints, endpoints, count);
    for (size_t i = 0; i < count && !session->drains; i++)
        if (!is_known(session, endpoints[i]) &&
            session->contacts.count < SS_SESSION_CONTACTS_MAX)
            ss_contact_knock(
                session, ss_contact_add(session, endpoints[i], false));
}

static void free_contact(struct contact *contact)
{
    SS_VEC_FINI(&contact->outcomes);
    ss_list_cache_forget(contact);
    ss_peer_fini(&contact->peer);
    ss_free(contact->alias);
    ss_free(contact);
}

void ss_contacts_forget_gone(struct ss_session *session)
{
    for (size_t i = 0; i < session->gone.count; i++)
        free_contact(session->gone.items[i]);
    session->gone.count = 0;
}

void ss_contacts_fini(struct ss_session *session)
{
    ss_contacts_forget_gone(session);
    for (size_t i = 0; i < session->contacts.count; i++)
        free_contact(ss_contact_at(session, i));
    ss_peers_fini(&session->contacts);
    ss_endpoints_fini(&session->endpoints);
    SS_VEC_FINI(&session->gone);
}
