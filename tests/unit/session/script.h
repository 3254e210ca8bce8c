// script.h - a worker's session in virtual time: say what happens, read what it
// answers, one word for each command.
#ifndef SS_TESTS_SESSION_SCRIPT_H
#define SS_TESTS_SESSION_SCRIPT_H

#include "worker/session/session.h"

enum { SCRIPT_TEXT_SIZE = 4096, SCRIPT_BODIES_MAX = 32 };

struct script {
    struct ss_session *session;
    int64_t now_ms;
    int64_t wake_at_ms;
    char said[SCRIPT_TEXT_SIZE]; // commands of the last step, one a line
    struct ss_assignment
        *bodies[SCRIPT_BODIES_MAX]; // started, by dispatch number
    char leaving[256];
    int64_t begin_ms;     // that the next welcomes say
    uint64_t heard;       // that the next orders say
    uint64_t beat;        // what the last beat said
    int64_t begin_by_ms;  // of the last start
    bool shows_links;     // says which coordinator a command is about
    uint32_t link;        // whose words the next events are
    char *const *members; // said with the next event, once
    size_t members_count;
};

// Of the orders that follow.
extern const char *script_thread;
extern uint64_t script_shard_epoch;

void script_init(struct script *script, uint32_t capacity);
// With several coordinators, links 0, 1, ...; commands then name their link.
void script_init_cluster(struct script *script, uint32_t capacity,
    const char *const *endpoints, size_t count);
void script_fini(struct script *script);

// Each feeds one event and gives what the session said: "HELLO\n" ...
const char *script_tick(struct script *script, int64_t after_ms);
const char *script_welcome(struct script *script, uint64_t epoch);
const char *script_refused(struct script *script, int status, const char *text);
const char *script_pong(struct script *script, uint64_t epoch);
const char *script_connected(struct script *script);
const char *script_drain(struct script *script);
// One order of that name.
const char *script_task(
    struct script *script, uint64_t epoch, uint64_t dispatch);
const char *script_task_timed(struct script *script, uint64_t dispatch,
    int64_t run_ms, int64_t idle_ms, bool heartbeat_only);
const char *script_cancel(
    struct script *script, uint64_t epoch, uint64_t dispatch);
const char *script_settled(
    struct script *script, uint64_t epoch, uint64_t dispatch);
const char *script_members(
    struct script *script, const char *const *endpoints, size_t count);
const char *script_seek(struct script *script, uint64_t epoch,
    const uint32_t *shards, size_t count);
const char *script_adopt(
    struct script *script, struct ss_attempt held, struct ss_attempt as);
// A beat has come; `gone`, if it has a number, is no more.
const char *script_heard(
    struct script *script, uint64_t sent, struct ss_attempt gone);
// An attempt came to its thread too late.
const char *script_unbegun(struct script *script, uint64_t dispatch);
// The body of an attempt ends.
const char *script_end(
    struct script *script, uint64_t epoch, uint64_t dispatch);
const char *script_progress(
    struct script *script, uint64_t dispatch, bool is_heartbeat);
const char *script_item(
    struct script *script, uint64_t epoch, uint64_t dispatch);
// Let time pass up to the wake-up that the session asked for.
const char *script_wake(struct script *script);

#endif
