// members.c - which coordinators there are: named by the operator, or found.
#include <string.h>

#include "worker/session/limits.h"
#include "worker/session/state.h"

struct contact *ss_contact_find(
    const struct ss_session *session, uint32_t link)
{
    for (size_t i = 0; i < session->contacts.count; i++)
        if (session->contacts.items[i]->link == link)
            return session->contacts.items[i];
    return NULL;
}

struct contact *ss_contact_add(
    struct ss_session *session, const char *endpoint, bool is_given)
{
    struct contact *contact = ss_zalloc(1, sizeof(*contact));
    contact->link = session->links++;
    contact->endpoint = ss_strdup(endpoint);
    contact->is_given = is_given;
    contact->refused_ms = -1;
    contact->heard_ms = session->now_ms;
    SS_VEC_PUSH(&session->contacts, contact);
    ss_session_say(
        session, &(struct ss_session_command){.type = SS_SESSION_CONNECT,
                     .link = contact->link,
                     .endpoint = contact->endpoint});
    return contact;
}

// Commands of this step may point to it: it goes when the next step begins.
void ss_contact_drop(struct ss_session *session, struct contact *contact)
{
    ss_orphan_all(session, contact, 0);
    ss_session_say(
        session, &(struct ss_session_command){.type = SS_SESSION_DISCONNECT,
                     .link = contact->link,
                     .endpoint = contact->endpoint});
    for (size_t i = 0; i < session->contacts.count; i++)
        if (session->contacts.items[i] == contact) {
            SS_VEC_REMOVE(&session->contacts, i);
            break;
        }
    SS_VEC_PUSH(&session->gone, contact);
}

// ------------------------------------------------------------------ told

static bool is_known(const struct ss_session *session, const char *endpoint)
{
    for (size_t i = 0; i < session->contacts.count; i++) {
        const struct contact *contact = session->contacts.items[i];
        if (strcmp(contact->endpoint, endpoint) == 0 ||
            (contact->alias && strcmp(contact->alias, endpoint) == 0))
            return true;
    }
    return false;
}

bool ss_members_lack(
    const struct ss_session *session, const struct contact *contact)
{
    for (size_t i = 0; i < session->members.count; i++)
        if (strcmp(session->members.items[i], contact->endpoint) == 0)
            return false;
    return true;
}

static void forget_members(struct ss_session *session)
{
    for (size_t i = 0; i < session->members.count; i++)
        ss_free(session->members.items[i]);
    session->members.count = 0;
}

void ss_members_told(
    struct ss_session *session, char *const *endpoints, size_t count)
{
    if (count == 0)
        return; // it is alone, or does not say
    forget_members(session);
    for (size_t i = 0; i < count; i++) {
        SS_VEC_PUSH(&session->members, ss_strdup(endpoints[i]));
        if (!session->drains && !is_known(session, endpoints[i]) &&
            session->contacts.count < SS_SESSION_CONTACTS_MAX)
            ss_contact_knock(
                session, ss_contact_add(session, endpoints[i], false));
    }
}

static void free_contact(struct contact *contact)
{
    SS_VEC_FINI(&contact->outcomes);
    ss_list_cache_forget(contact);
    ss_free(contact->endpoint);
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
        free_contact(session->contacts.items[i]);
    forget_members(session);
    SS_VEC_FINI(&session->contacts);
    SS_VEC_FINI(&session->members);
    SS_VEC_FINI(&session->gone);
}
