// shell.c - the loop: wait, feed what is ready, then time; send, submit, say.
#include "coordinator/shell.h"

#include <poll.h>
#include <string.h>

#include "common/app/clock.h"
#include "common/app/stop.h"
#include "coordinator/limits.h"
#include "coordinator/shell_impl.h"

// ------------------------------------------------ what the core asks for

static const struct {
    enum ss_stop before, after;
} message_stops[SS_MESSAGE_LAST + 1] = {
    [SS_MESSAGE_TASKS] = {SS_STOP_COORDINATOR_ORDERS,
        SS_STOP_COORDINATOR_ORDERED},
    [SS_MESSAGE_SETTLED] = {SS_STOP_COORDINATOR_SETTLES, SS_STOP_NOWHERE},
    [SS_MESSAGE_ANSWER] = {SS_STOP_COORDINATOR_ANSWERS,
        SS_STOP_COORDINATOR_ANSWERED},
};

static void shell_send(
    struct ss_coordinator *shell, const struct ss_core_output *output)
{
    struct ss_error error = {0};
    enum ss_message_type type = output->message;
    bool is_place = type != SS_MESSAGE_ANSWER || output->is_final;
    ss_stop_at(is_place ? message_stops[type].before : SS_STOP_NOWHERE);
    int status = ss_link_send(
        shell->link, output->peer, output->bytes, output->size, &error);
    if (status != SS_EAGAIN || type == SS_MESSAGE_ANSWER)
        ss_stop_at(is_place ? message_stops[type].after : SS_STOP_NOWHERE);
    if (status == SS_OK)
        return;
    ss_log_say(SS_LOG_DEBUG, "%s for %s is lost, or late: %s",
        ss_message_name(type), output->peer, error.message);
    ss_core_unsent(shell->core, output, status);
}

static void shell_submit(
    struct ss_coordinator *shell, const struct ss_core_output *output)
{
    bool stores = output->job->type == SS_JOB_APPLY;
    ss_stop_at(stores ? SS_STOP_COORDINATOR_DECIDED : SS_STOP_NOWHERE);
    output->job->begun_us = ss_clock_us();
    if (output->lane == SS_CORE_LEASES)
        ss_shell_leases_submit(shell, output->job);
    else if (!ss_shell_list(shell, output->job))
        ss_store_actors_submit(shell->actors, output->job);
    ss_stop_at(stores ? SS_STOP_COORDINATOR_SUBMITTED : SS_STOP_NOWHERE);
}

_Static_assert((int)SS_CORE_ERROR == (int)SS_LOG_ERROR &&
                   (int)SS_CORE_DEBUG == (int)SS_LOG_DEBUG,
    "the log's levels are the core's");

static void shell_say(
    struct ss_coordinator *shell, const struct ss_core_output *output)
{
    const struct ss_log_subject subject = {.thread = output->subject.thread,
        .run = output->subject.run,
        .task = output->subject.task,
        .epoch = output->subject.epoch};
    if (output->kind && !ss_log_limit_due(&shell->complaints, output->kind,
                            output->who, ss_clock_ms()))
        return;
    ss_log_about((enum ss_log_level)output->level, &subject, "%s%s",
        output->text,
        output->is_counted ? ss_log_limit_more(&shell->complaints) : "");
}

void ss_shell_feed(struct ss_coordinator *shell, struct ss_core_event *event)
{
    struct ss_core_outputs outputs;
    event->now_ms = ss_clock_ms();
    event->wall_us = ss_clock_wall_us();
    ss_core_step(shell->core, event, &outputs);
    for (size_t i = 0; i < outputs.count; i++) {
        const struct ss_core_output *output = &outputs.items[i];
        switch (output->type) {
        case SS_CORE_SEND:
            shell_send(shell, output);
            break;
        case SS_CORE_SUBMIT:
            shell_submit(shell, output);
            break;
        case SS_CORE_SAY:
            shell_say(shell, output);
            break;
        case SS_CORE_COMPLAIN:
            ss_link_complain(shell->link);
            break;
        case SS_CORE_KEPT:
            break;
        }
    }
}

static void shell_tell(
    struct ss_coordinator *shell, enum ss_core_event_type type)
{
    ss_shell_feed(shell, &(struct ss_core_event){.type = type});
}

// ------------------------------------------------ a turn

// Notices of the link go to the log.
static void shell_take_notices(struct ss_coordinator *shell)
{
    struct ss_link_notice notice;
    while (ss_link_notice(shell->link, &notice)) {
        bool is_news = strcmp(notice.kind, SS_LINK_NEWS) == 0;
        if (is_news || ss_log_limit_due(&shell->complaints, notice.kind,
                           notice.who, ss_clock_ms()))
            ss_log_say(is_news ? SS_LOG_INFO : SS_LOG_WARNING, "%s: %s%s",
                notice.who, notice.text,
                is_news ? "" : ss_log_limit_more(&shell->complaints));
    }
}

static bool shell_take_messages(struct ss_coordinator *shell)
{
    int64_t until_ms = ss_clock_ms() + SS_TURN_MS;
    for (int i = 0; i < SS_TURN_MESSAGES_MAX && ss_clock_ms() < until_ms; i++) {
        char peer[SS_PEER_SIZE] = "";
        void *bytes = NULL;
        struct ss_error error = {0};
        struct ss_core_event event = {
            .type = SS_CORE_FRAME, .peer = peer, .error = &error};
        int status =
            ss_link_recv(shell->link, peer, &bytes, &event.size, &error);
        if (status == SS_EAGAIN)
            return false;
        ss_stop_at(SS_STOP_COORDINATOR_RECEIVED);
        const struct ss_link_sender *sender = ss_link_sender(shell->link);
        event.sender = (struct ss_core_sender){
            sender->roles, sender->name, sender->address};
        event.bytes = bytes;
        if (status != SS_OK)
            event.type = SS_CORE_GARBAGE;
        ss_shell_feed(shell, &event);
        ss_free(bytes);
    }
    return true;
}

void ss_shell_take_job(struct ss_coordinator *shell, struct ss_job *job)
{
    struct ss_core_event event = {.type = SS_CORE_DONE, .job = job};
    if (job->type == SS_JOB_APPLY)
        ss_stop_at(SS_STOP_COORDINATOR_DURABLE);
    ss_shell_measure_job(job);
    ss_shell_feed(shell, &event);
    ss_job_destroy(&job);
}

static bool shell_take_jobs(struct ss_coordinator *shell)
{
    struct ss_job *job = NULL;
    int64_t until_ms = ss_clock_ms() + SS_TURN_MS;
    for (int i = 0; i < SS_TURN_JOBS_MAX && ss_clock_ms() < until_ms; i++) {
        if (!(job = ss_store_actors_take(shell->actors)))
            return false;
        ss_shell_take_job(shell, job);
    }
    return true;
}

static int shell_time_left(const struct ss_coordinator *shell, int most_ms)
{
    int64_t at_ms = ss_core_wake_at_ms(shell->core);
    if (shell->measure_at_ms < at_ms)
        at_ms = shell->measure_at_ms;
    if (ss_watch_wake_at_ms(shell) < at_ms)
        at_ms = ss_watch_wake_at_ms(shell);
    int left = ss_clock_left(at_ms, ss_clock_ms());
    return most_ms >= 0 && (left < 0 || most_ms < left) ? most_ms : left;
}

// Messages of peers wait until everything in the store is read: before that an
// unpause would be told that nothing is paused, as no pause is known yet.
static bool shell_wait_for_store(const int *fds, size_t count, int timeout_ms)
{
    struct pollfd polled[SS_SHELL_FDS_MAX];
    for (size_t i = 0; i < count; i++)
        polled[i] = (struct pollfd){.fd = fds[i], .events = POLLIN};
    (void)poll(polled, (nfds_t)count, timeout_ms);
    return false;
}

// True: there is a message.
static bool shell_wait(
    struct ss_coordinator *shell, int extra_fd, int timeout_ms)
{
    int fds[SS_SHELL_FDS_MAX];
    size_t count = ss_store_actors_fds(shell->actors, fds);
    fds[count++] = shell->leases ? ss_store_actor_fd(shell->leases) : -1;
    fds[count++] = shell->reader ? ss_store_actor_fd(shell->reader) : -1;
    fds[count++] = extra_fd;
    timeout_ms = shell_time_left(shell, timeout_ms);
    if (shell->is_opening)
        return shell_wait_for_store(fds, count, timeout_ms);
    return ss_link_wait_all(shell->link, fds, count, timeout_ms) & 1;
}

int ss_coordinator_step(struct ss_coordinator *shell, int extra_fd,
    int timeout_ms, struct ss_error *error)
{
    const struct ss_error *failure = ss_core_failure(shell->core);
    bool has_more = shell_wait(shell, extra_fd, timeout_ms);
    ss_live_set(ss_clock_ms());
    ss_lease_keeper_turn(shell->keeper, ss_clock_ms());
    ss_shell_leases_take(shell);
    shell_tell(shell, SS_CORE_TURN);
    ss_shell_lists_take(shell);
    shell_take_notices(shell);
    has_more = has_more && shell_take_messages(shell);
    has_more = shell_take_jobs(shell) || has_more;
    if (failure->status != SS_OK) {
        if (error)
            *error = *failure;
        return failure->status;
    }
    if (!has_more)
        shell_tell(shell, SS_CORE_TICK);
    shell_tell(shell, SS_CORE_FLUSH);
    ss_watch_turn(shell);
    ss_shell_measure(shell);
    ss_lease_keeper_turn(shell->keeper, 0);
    return SS_OK;
}
