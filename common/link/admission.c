// admission.c - connections, keys and messages where they come in at a server.
#include "common/link/admission.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/link/address.h"
#include "common/link/allowed.h"
#include "common/link/byte_budget.h"
#include "common/link/filter.h"
#include "common/link/handshake_queue.h"
#include "common/link/limits.h"
#include "common/link/monitor.h"
#include "common/link/notices.h"
#include "common/link/zap.h"

// What is heard of the socket: of connections by its monitor, of keys by ZAP.
enum { NEWS, KEYS };

struct ss_admission {
    struct ss_rate_limit *rates;
    struct ss_byte_budget *budget;
    struct ss_allowed allowed;
    bool has_keys;
    struct ss_socket zap;
    struct ss_socket monitor;
    int fds[SS_ADMISSION_FDS];        // of both; -1: there is none
    bool is_behind[SS_ADMISSION_FDS]; // there may be more to take
    int listener;                     // libzmq's; -1: it does not listen yet
    struct ss_filter filter;
    int64_t filter_due_ms;
    int64_t weigh_due_ms; // INT64_MAX: there is no connection
    int64_t given;        // bytes, since it was weighed
    struct ss_handshake_queue handshakes;
    int64_t handshakes_due_ms;
    struct ss_link_sender sender;
    char peer[SS_PEER_SIZE];                  // the sender's identity
    char address[SS_RATE_LIMIT_ADDRESS_SIZE]; // the sender's
    char name[SS_KEY_NAME_SIZE];              // and that of its key
    int sender_fd;
    struct ss_notices notices;
    struct ss_link_counts counts;
};

static int64_t now_ms(void)
{
    struct timespec now;
    ss_check(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// ------------------------------------------------ connections

// Connections that were on their way are still accepted, and prolong the block.
static void block(struct ss_admission *admission, const char *address)
{
    int64_t at_ms = now_ms();
    size_t before = admission->filter.count;
    if (!ss_filter_block(&admission->filter, admission->listener, address,
            at_ms + SS_LINK_FLOOD_MS))
        return;
    admission->filter_due_ms = ss_filter_due_ms(&admission->filter);
    if (admission->filter.count == before)
        return;
    admission->counts.floods++;
    ss_notices_tell(&admission->notices, "flood", address,
        "a flood of connections: packets from there to this port are dropped "
        "for %d ms at a time",
        SS_LINK_FLOOD_MS);
}

static void end_floods(struct ss_admission *admission)
{
    int64_t at_ms = now_ms();
    if (admission->filter_due_ms > at_ms)
        return;
    ss_filter_pass(&admission->filter, admission->listener, at_ms);
    admission->filter_due_ms = ss_filter_due_ms(&admission->filter);
}

static void refuse_connection(struct ss_admission *admission,
    enum ss_rate_limit_verdict verdict, const char *address)
{
    const struct ss_rate_limit_settings *limits =
        ss_rate_limit_settings(admission->rates);
    switch (verdict) {
    case SS_RATE_LIMIT_FULL:
        admission->counts.refused_full++;
        ss_notices_tell(&admission->notices, "connections", address,
            "connections are refused: there are %u already",
            limits->connections_max);
        break;
    case SS_RATE_LIMIT_ADDRESS_FULL:
        admission->counts.refused_full++;
        ss_notices_tell(&admission->notices, "connections", address,
            "connections are refused: %u of this address are open",
            limits->per_address_max);
        break;
    case SS_RATE_LIMIT_TOO_FAST:
        admission->counts.refused_rate++;
        ss_notices_tell(&admission->notices, "connections", address,
            "connections are refused: more than %u new ones a second",
            limits->connections_rate);
        break;
    case SS_RATE_LIMIT_FLOOD:
        admission->counts.refused_rate++;
        block(admission, address);
        break;
    case SS_RATE_LIMIT_WELCOME:
        break;
    }
}

static void accepted(struct ss_admission *admission, int fd)
{
    char address[SS_RATE_LIMIT_ADDRESS_SIZE];
    if (!ss_address_of(fd, address))
        return; // gone again
    admission->counts.accepted++;
    enum ss_rate_limit_verdict verdict =
        ss_rate_limit_connect(admission->rates, fd, address, now_ms());
    if (verdict != SS_RATE_LIMIT_WELCOME) {
        ss_address_hang_up(fd, address);
        refuse_connection(admission, verdict, address);
        return;
    }
    ss_byte_budget_open(admission->budget, fd, address);
    if (admission->weigh_due_ms == INT64_MAX)
        admission->weigh_due_ms = now_ms() + SS_LINK_UNREAD_LOOK_MS;
}

static void disconnected(
    struct ss_admission *admission, int fd, bool in_handshake)
{
    char address[SS_RATE_LIMIT_ADDRESS_SIZE];
    int64_t since_ms;
    ss_rate_limit_disconnect(admission->rates, fd, address, &since_ms);
    ss_byte_budget_close(admission->budget, fd);
    if (!in_handshake || *address == '\0' ||
        now_ms() - since_ms < SS_LINK_SILENCE_MS)
        return;
    admission->counts.timed_out++;
    ss_notices_tell(&admission->notices, "handshake", address,
        "a connection that said nothing for %d ms is closed",
        SS_LINK_HANDSHAKE_MS);
}

static int64_t unread_max(const struct ss_admission *admission)
{
    return (int64_t)ss_rate_limit_settings(admission->rates)->unread_max_mb *
           1000000;
}

// Weigh all connections together. The one for which most is held has to leave;
// its queued messages are dropped, as they would be answered.
static void weigh(struct ss_admission *admission)
{
    int64_t at_ms = now_ms(), max = unread_max(admission);
    struct ss_byte_budget_load load;
    if (admission->weigh_due_ms > at_ms)
        return;
    int64_t sum = ss_byte_budget_weigh(admission->budget, ss_traffic_of);
    admission->counts.unread = (uint64_t)sum;
    admission->given = 0;
    admission->weigh_due_ms = ss_rate_limit_connections(admission->rates) > 0
                                  ? at_ms + SS_LINK_UNREAD_LOOK_MS
                                  : INT64_MAX;
    for (int i = 0; i < SS_LINK_UNREAD_TURN_MAX && sum > max; i++) {
        if (!ss_byte_budget_heaviest(admission->budget, &load))
            return;
        sum -= load.unread + load.owed;
        admission->counts.heavy++;
        ss_notices_tell(&admission->notices, "unread", load.address,
            "what was sent and nobody read yet is more than %u MB in all: the "
            "heaviest, with %lld bytes of its own and %lld for it to read, is "
            "hung up on",
            ss_rate_limit_settings(admission->rates)->unread_max_mb,
            (long long)load.unread, (long long)load.owed);
        if (*load.peer)
            ss_rate_limit_unhear(admission->rates, load.peer, at_ms);
        ss_address_hang_up(load.fd, load.address);
    }
}

// libzmq reports a failed handshake and, right behind it, the end of its
// connection; only the second says which connection it was.
static void take_news(struct ss_admission *admission)
{
    enum ss_monitor_news news;
    int value;
    bool has_failed = false;
    admission->is_behind[NEWS] = false;
    for (int i = 0; i < SS_LINK_DOOR_TURN_MAX || has_failed; i++) {
        if (!ss_monitor_take(admission->monitor.handle, &news, &value))
            return;
        if (news == SS_MONITOR_LISTENING)
            admission->listener = value;
        else if (news == SS_MONITOR_ACCEPTED)
            accepted(admission, value);
        else if (news == SS_MONITOR_DISCONNECTED)
            disconnected(admission, value, has_failed);
        has_failed = news == SS_MONITOR_BROKEN;
    }
    admission->is_behind[NEWS] = true;
}

// ------------------------------------------------------------------ keys

// A key that did wrong waits, and meanwhile costs nothing: to close its
// connection would only bring it back, with one more handshake.
static void judge(struct ss_admission *admission,
    const struct ss_zap_request *request, int64_t since_ms, int64_t at_ms)
{
    char address[SS_RATE_LIMIT_ADDRESS_SIZE];
    const struct ss_key *key =
        ss_allowed_find(&admission->allowed, request->public_half);
    ss_address_plain(request->address, address);
    int64_t until_ms = key ? ss_rate_limit_waits_until(
                                 admission->rates, address, key->name, at_ms)
                           : 0;
    if (until_ms > 0) {
        struct ss_handshake handshake = {*request, since_ms, until_ms};
        ss_handshake_queue_add(&admission->handshakes, &handshake);
        admission->handshakes_due_ms =
            ss_handshake_queue_due_ms(&admission->handshakes);
        if (since_ms == at_ms) {
            admission->counts.delayed++;
            ss_rate_limit_refused(admission->rates, address, at_ms);
        }
        return;
    }
    ss_zap_answer(admission->zap.handle, request, key != NULL);
    if (key)
        return;
    admission->counts.refused_key++;
    ss_rate_limit_refused(admission->rates, address, at_ms);
    ss_notices_tell(&admission->notices, "key", address,
        "its key %s is not allowed (superstep keys allow)",
        request->public_half);
}

static void take_keys(struct ss_admission *admission)
{
    struct ss_zap_request request;
    admission->is_behind[KEYS] = false;
    for (int i = 0; i < SS_LINK_DOOR_TURN_MAX; i++) {
        if (!ss_zap_take(admission->zap.handle, &request))
            return;
        int64_t at_ms = now_ms();
        judge(admission, &request, at_ms, at_ms);
    }
    admission->is_behind[KEYS] = true;
}

static void serve_handshakes(struct ss_admission *admission)
{
    struct ss_handshake handshake;
    int64_t at_ms = now_ms();
    if (admission->handshakes_due_ms > at_ms)
        return;
    // What is sent on the socket may take away what its descriptor tells.
    admission->is_behind[KEYS] = true;
    while (ss_handshake_queue_take(&admission->handshakes, at_ms, &handshake))
        judge(admission, &handshake.request, handshake.since_ms, at_ms);
    admission->handshakes_due_ms =
        ss_handshake_queue_due_ms(&admission->handshakes);
}

int ss_admission_time_left(const struct ss_admission *admission)
{
    int64_t due_ms = admission->handshakes_due_ms;
    if (admission->filter_due_ms < due_ms)
        due_ms = admission->filter_due_ms;
    if (admission->weigh_due_ms < due_ms)
        due_ms = admission->weigh_due_ms;
    if (due_ms == INT64_MAX)
        return -1;
    int64_t left_ms = due_ms - now_ms();
    if (left_ms < 0)
        return 0;
    return left_ms < SS_LINK_HANDSHAKE_MS ? (int)left_ms : SS_LINK_HANDSHAKE_MS;
}

static void look_at_list(struct ss_admission *admission)
{
    struct ss_error error = {0};
    bool is_changed;
    int status =
        ss_allowed_refresh(&admission->allowed, now_ms(), &is_changed, &error);
    if (status != SS_OK)
        ss_notices_tell(&admission->notices, "allowed", admission->allowed.path,
            "%.250s", error.message);
    else if (is_changed)
        ss_notices_tell(&admission->notices, SS_LINK_NEWS,
            admission->allowed.path, "%" PRIu32 " keys are allowed now",
            admission->allowed.keys.count);
}

static bool is_due(
    const struct ss_admission *admission, unsigned ready, int which)
{
    return (ready & 1U << which) != 0 || admission->is_behind[which];
}

void ss_admission_serve(struct ss_admission *admission, unsigned ready)
{
    if (admission->has_keys) {
        look_at_list(admission);
        serve_handshakes(admission);
        if (is_due(admission, ready, KEYS))
            take_keys(admission);
    }
    if (is_due(admission, ready, NEWS))
        take_news(admission);
    end_floods(admission);
    weigh(admission);
}

// ------------------------------------------------------------------ messages

static const char *property(zmq_msg_t *frame, const char *name)
{
    const char *value = zmq_msg_gets(frame, name);
    return value ? value : "";
}

enum standing { ADMIT, DROP, HANG_UP };

// The sender of the frame goes into admission->sender.
static enum standing knows_key(struct ss_admission *admission, zmq_msg_t *frame,
    const char mark[SS_ADMISSION_MARK_SIZE])
{
    admission->sender.roles = SS_ROLES_ALL;
    if (!admission->has_keys)
        return ADMIT;
    const char *public_half = property(frame, "User-Id");
    const struct ss_key *key =
        ss_allowed_find(&admission->allowed, public_half);
    if (!key) {
        ss_notices_tell(&admission->notices, "key", admission->address,
            "its key %s is not allowed any more", public_half);
        return HANG_UP;
    }
    if (memcmp(mark, public_half, SS_ADMISSION_MARK_SIZE) != 0) {
        // An identity that begins with zero is ZeroMQ's own: the rest of a
        // connection whose peer came back by another one.
        if (mark[0] == '\0')
            return DROP;
        ss_notices_tell(&admission->notices, "identity", key->name,
            "it goes by an identity that is none of its key");
        return ss_rate_limit_wrong(
                   admission->rates, admission->address, key->name, now_ms())
                   ? DROP
                   : HANG_UP;
    }
    admission->sender.roles = ss_role_grants(key->role);
    memcpy(admission->name, key->name, sizeof(admission->name));
    return ADMIT;
}

// The sender has to leave, and to wait before it comes back.
static void turn_out(struct ss_admission *admission)
{
    int64_t at_ms = now_ms();
    ss_rate_limit_punish(
        admission->rates, admission->address, admission->name, at_ms);
    ss_rate_limit_unhear(admission->rates, admission->peer, at_ms);
    ss_address_hang_up(admission->sender_fd, admission->address);
}

// Of a message (ZMTP, RFC 23; with keys CurveZMQ, RFC 26).
static int64_t wire_size(size_t size, bool has_keys)
{
    size_t body = size + (has_keys ? 33 : 0);
    return (int64_t)(body + (body > 255 ? 9 : 2));
}

static void note_sender(
    struct ss_admission *admission, zmq_msg_t *frame, const char *peer)
{
    ss_address_plain(property(frame, "Peer-Address"), admission->address);
    admission->sender.address = admission->address;
    admission->sender.name = admission->name;
    admission->name[0] = '\0';
    admission->sender_fd = zmq_msg_get(frame, ZMQ_SRCFD);
    snprintf(admission->peer, sizeof(admission->peer), "%s", peer);
}

bool ss_admission_admits(struct ss_admission *admission, zmq_msg_t *frame,
    const char *peer, const char mark[SS_ADMISSION_MARK_SIZE])
{
    int64_t at_ms = now_ms();
    weigh(admission); // many messages may come between two waits
    ss_byte_budget_take(admission->budget, zmq_msg_get(frame, ZMQ_SRCFD),
        wire_size(zmq_msg_size(frame), admission->has_keys));
    if (!ss_rate_limit_hears(admission->rates, peer, at_ms)) {
        admission->counts.dropped++;
        return false;
    }
    note_sender(admission, frame, peer);
    enum standing standing = knows_key(admission, frame, mark);
    if (standing == HANG_UP)
        ss_address_hang_up(admission->sender_fd, admission->address);
    if (standing != ADMIT)
        return false;
    if (!ss_byte_budget_speaks(admission->budget, admission->sender_fd, peer)) {
        take_news(
            admission); // a message may overtake the events of its connection
        (void)!ss_byte_budget_speaks(
            admission->budget, admission->sender_fd, peer);
    }
    if (ss_rate_limit_message(admission->rates, peer, at_ms))
        return true;
    admission->counts.dropped++;
    ss_notices_tell(&admission->notices, "rate",
        *admission->name ? admission->name : admission->address,
        "more than %u messages a second: it is hung up on",
        ss_rate_limit_settings(admission->rates)->messages_rate);
    turn_out(admission);
    return false;
}

void ss_admission_gave(
    struct ss_admission *admission, const char *peer, size_t size)
{
    int64_t given = wire_size(size, admission->has_keys);
    ss_byte_budget_give(admission->budget, peer, given);
    admission->given += given;
    if (admission->given < unread_max(admission) / SS_LINK_UNREAD_PARTS)
        return;
    admission->weigh_due_ms = 0; // large answers may have been given at once
    weigh(admission);
}

const struct ss_link_sender *ss_admission_sender(
    const struct ss_admission *admission)
{
    return &admission->sender;
}

void ss_admission_complain(struct ss_admission *admission)
{
    char who[SS_KEY_NAME_SIZE + SS_RATE_LIMIT_ADDRESS_SIZE + 8];
    if (!admission->sender.address ||
        ss_rate_limit_wrong(
            admission->rates, admission->address, admission->name, now_ms()))
        return;
    snprintf(who, sizeof(who), "%s%s%s", admission->name,
        *admission->name ? " at " : "", admission->address);
    ss_notices_tell(&admission->notices, "complaints", who,
        "too many messages that make no sense or are not allowed: it is hung "
        "up on%s",
        *admission->name ? ", and has to wait" : "");
    turn_out(admission);
}

bool ss_admission_has_notices(const struct ss_admission *admission)
{
    return admission->notices.count > 0;
}

bool ss_admission_notice(
    struct ss_admission *admission, struct ss_link_notice *ret)
{
    return ss_notices_take(&admission->notices, ret);
}

const struct ss_rate_limit_settings *ss_admission_limits(
    const struct ss_admission *admission)
{
    return ss_rate_limit_settings(admission->rates);
}

void ss_admission_counts(
    const struct ss_admission *admission, struct ss_link_counts *ret)
{
    *ret = admission->counts;
    ret->connections = ss_rate_limit_connections(admission->rates);
}

// ------------------------------------------------ open, close

static struct ss_rate_limit_settings fit_limits(
    const struct ss_rate_limit_settings *given)
{
    struct ss_rate_limit_settings limits = *given;
    struct rlimit files;
    if (limits.connections_max == 0)
        limits.connections_max = SS_LINK_CONNECTIONS_MAX;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0 ||
        files.rlim_cur == RLIM_INFINITY)
        return limits;
    rlim_t spare = SS_LINK_DESCRIPTORS_SPARE;
    rlim_t room = files.rlim_cur > 2 * spare ? files.rlim_cur - spare : spare;
    if (limits.connections_max > room)
        limits.connections_max = (unsigned)room;
    return limits;
}

static int demand_keys(struct ss_admission *admission,
    struct ss_sockets *sockets, void *socket, const char *keys,
    struct ss_error *error)
{
    struct ss_key own;
    ss_allowed_init(&admission->allowed, keys);
    admission->has_keys = true;
    int status = ss_keys_own(keys, SS_ROLE_COORDINATOR, &own, error);
    if (status != SS_OK)
        return status;
    status = ss_allowed_read(&admission->allowed, error);
    if (status == SS_OK)
        status = ss_zap_open(sockets, socket, &admission->zap, error);
    if (status == SS_OK)
        status = ss_key_apply(&own, socket, error);
    if (status == SS_OK)
        zsock_set_curve_server(socket, 1);
    ss_key_forget(&own);
    return status;
}

int ss_admission_open(struct ss_sockets *sockets, void *socket,
    const struct ss_link_options *options, struct ss_admission **ret_admission,
    struct ss_error *error)
{
    struct ss_admission *admission = ss_zalloc(1, sizeof(*admission));
    struct ss_rate_limit_settings limits = fit_limits(&options->limits);
    int status = SS_OK;
    admission->rates = ss_rate_limit_new(&limits);
    admission->budget = ss_byte_budget_new();
    admission->sender_fd = -1;
    admission->listener = -1;
    admission->handshakes_due_ms = admission->filter_due_ms =
        admission->weigh_due_ms = INT64_MAX;
    if (options->keys && *options->keys)
        status = demand_keys(admission, sockets, socket, options->keys, error);
    if (status == SS_OK &&
        !ss_monitor_open(sockets, socket, "admission", &admission->monitor))
        status = ss_error_set(error, SS_EIO,
            "libzmq tells nothing of connections: %s", zmq_strerror(errno));
    if (status != SS_OK) {
        ss_admission_close(&admission);
        return status;
    }
    admission->fds[NEWS] = zsock_fd(admission->monitor.handle);
    admission->fds[KEYS] =
        admission->has_keys ? zsock_fd(admission->zap.handle) : -1;
    admission->is_behind[NEWS] = true; // nobody has looked
    admission->is_behind[KEYS] = admission->has_keys;
    *ret_admission = admission;
    return SS_OK;
}

void ss_admission_close(struct ss_admission **admission)
{
    struct ss_admission *it = *admission;
    if (!it)
        return;
    // First who is asked: connections that were let in end once it answers
    // that, and nobody does so for it while the monitor is waited for.
    ss_zap_close(&it->zap);
    ss_monitor_close(&it->monitor);
    if (it->has_keys)
        ss_allowed_fini(&it->allowed);
    ss_handshake_queue_fini(&it->handshakes);
    ss_byte_budget_destroy(&it->budget);
    ss_rate_limit_destroy(&it->rates);
    ss_free(it);
    *admission = NULL;
}

void ss_admission_fds(
    const struct ss_admission *admission, int ret_fds[SS_ADMISSION_FDS])
{
    memcpy(ret_fds, admission->fds, sizeof(admission->fds));
}

bool ss_admission_is_behind(const struct ss_admission *admission)
{
    return admission->is_behind[NEWS] || admission->is_behind[KEYS];
}
