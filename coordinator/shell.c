// shell.c - the loop: wait, feed what is ready, then time, then send.
#include "coordinator/shell.h"

#include <signal.h>
#include <string.h>

#include "common/app/clock.h"
#include "common/app/limits.h"
#include "common/app/log.h"
#include "common/app/signals.h"
#include "common/app/stop.h"
#include "common/wire/limits.h"
#include "coordinator/limits.h"
#include "coordinator/shell_impl.h"
#include "coordinator/start.h"

// ------------------------------------------------ events and commands

void ss_shell_owe(
    struct ss_coordinator *shell, struct ss_event event, const char *text)
{
    struct owed owed = {event, ss_strdup(event.peer), ss_strdup(text)};
    SS_VEC_PUSH(&shell->owed, owed);
}

// A job that cannot even be made: the engine gets its answer all the same.
static void answer_job(struct ss_coordinator *shell,
    const struct ss_command *command, const struct ss_error *error)
{
    struct ss_event event = {.type = SS_EVENT_STORED};
    event.stored.tag = command->tag;
    event.stored.status = error->status;
    ss_shell_owe(shell, event, error->message);
}

static void submit(
    struct ss_coordinator *shell, const struct ss_command *command)
{
    struct ss_job *job = NULL;
    struct ss_error error = {0};
    bool stores = command->type == SS_COMMAND_STORE;
    if (stores)
        ss_run_log_tell(shell, command);
    ss_stop_at(stores ? SS_STOP_COORDINATOR_DECIDED : SS_STOP_NOWHERE);
    if (ss_store_codec_job(shell->codec, command, &job, &error) == SS_OK) {
        job->begun_us = ss_clock_us();
        ss_store_actors_submit(shell->actors, job);
    } else {
        answer_job(shell, command, &error);
    }
    ss_stop_at(stores ? SS_STOP_COORDINATOR_SUBMITTED : SS_STOP_NOWHERE);
}

static void perform(
    struct ss_coordinator *shell, const struct ss_command *command)
{
    if (command->type == SS_COMMAND_STORE || command->type == SS_COMMAND_READ ||
        command->type == SS_COMMAND_SCAN || command->type == SS_COMMAND_GET)
        submit(shell, command);
    else if (command->type == SS_COMMAND_DAMAGED)
        ss_damage_note(shell, command->key, command->text);
    else
        ss_coordinator_outbox_command(shell, command);
}

// What the engine says while it takes this event is about its thread, run, task.
static struct ss_log_subject subject_of(
    struct ss_coordinator *shell, const struct ss_event *event)
{
    if (event->type == SS_EVENT_REQUEST)
        return (struct ss_log_subject){
            .thread = ss_json_str(event->request.body, "thread", NULL),
            .run = ss_json_str(event->request.body, "run", NULL)};
    if (event->type == SS_EVENT_TASK_DONE) {
        // The engine takes the outcome, and may be done with it first.
        memcpy(shell->subject_task, event->done.outcome->task_id,
            sizeof(shell->subject_task));
        return (struct ss_log_subject){.task = shell->subject_task,
            .epoch = event->done.outcome->attempt.epoch};
    }
    return (struct ss_log_subject){.thread = NULL};
}

void ss_shell_feed(struct ss_coordinator *shell, struct ss_event *event)
{
    struct ss_commands commands = {.wake_at_ms = INT64_MAX};
    event->now_ms = ss_clock_ms();
    event->wall_us = ss_clock_wall_us();
    shell->subject = subject_of(shell, event);
    ss_engine_step(shell->engine, event, &commands);
    shell->subject = (struct ss_log_subject){.thread = NULL};
    shell->wake_at_ms = commands.wake_at_ms;
    for (size_t i = 0; i < commands.count; i++)
        perform(shell, &commands.items[i]);
}

void ss_shell_members(struct ss_coordinator *shell,
    const char *const *endpoints, size_t count, const uint16_t *owners,
    int32_t row_format)
{
    struct ss_event event = {.type = SS_EVENT_MEMBERS};
    event.members.endpoints = endpoints;
    event.members.count = count;
    event.members.owners = owners;
    event.members.row_format = row_format;
    json_decref(shell->members);
    shell->members = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(shell->members, json_string(endpoints[i]));
    ss_free(shell->member_shards);
    shell->member_shards = ss_zalloc(count, sizeof(*shell->member_shards));
    for (size_t i = 0; owners && i < SS_SHARDS; i++)
        if (owners[i] < count)
            shell->member_shards[owners[i]]++;
    ss_shell_feed(shell, &event);
}

// Only what was owed before: what this brings up waits for the next turn.
static void feed_owed(struct ss_coordinator *shell)
{
    size_t count = shell->owed.count;
    for (size_t i = 0; i < count; i++) {
        struct owed owed = shell->owed.items[i];
        owed.event.peer = owed.peer;
        if (owed.event.type == SS_EVENT_STORED)
            owed.event.stored.message = owed.text;
        ss_shell_feed(shell, &owed.event);
        ss_free(owed.peer);
        ss_free(owed.text);
    }
    shell->owed.count -= count;
    if (shell->owed.count > 0)
        memmove(shell->owed.items, shell->owed.items + count,
            shell->owed.count * sizeof(*shell->owed.items));
}

static void drop_owed(struct ss_coordinator *shell)
{
    for (size_t i = 0; i < shell->owed.count; i++) {
        struct owed *owed = &shell->owed.items[i];
        if (owed->event.type == SS_EVENT_TASK_DONE)
            ss_outcome_destroy(&owed->event.done.outcome);
        ss_free(owed->peer);
        ss_free(owed->text);
    }
    SS_VEC_FINI(&shell->owed);
}

// ------------------------------------------------ a turn

static bool take_messages(struct ss_coordinator *shell)
{
    for (int i = 0; i < SS_TURN_MESSAGES_MAX; i++) {
        char peer[SS_PEER_SIZE] = "";
        void *bytes = NULL;
        size_t size = 0;
        struct ss_error error = {0};
        int status = ss_link_recv(shell->link, peer, &bytes, &size, &error);
        if (status == SS_EAGAIN)
            return false;
        ss_stop_at(SS_STOP_COORDINATOR_RECEIVED);
        if (status == SS_OK)
            ss_inbox_message(shell, peer, bytes, size);
        else
            ss_inbox_garbage(shell, peer, &error);
        ss_free(bytes);
    }
    return true;
}

// A refusal is an answer for the engine. Anything else that befalls a commit
// leaves open what is durable: then this coordinator must not go on.
static bool has_failed(struct ss_coordinator *shell, const struct ss_job *job)
{
    int status = job->status != SS_OK ? job->status : job->unit.result;
    if (job->type != SS_JOB_APPLY || status == SS_OK || status == SS_EREFUSED ||
        status == SS_EFENCED)
        return false;
    ss_error_set(&shell->failure, status, "the store failed: %s",
        job->error.message[0] ? job->error.message : ss_status_text(status));
    return true;
}

// A list with a record that is none: whoever asked is told, and nobody else.
static void note_list(struct ss_coordinator *shell, const struct ss_job *job)
{
    if ((job->type == SS_JOB_SCAN || job->type == SS_JOB_GET) &&
        (job->status == SS_ECORRUPT || job->status == SS_EFORMAT))
        ss_damage_note(shell, job->error.message, job->error.message);
}

static bool take_jobs(struct ss_coordinator *shell)
{
    for (int i = 0; i < SS_TURN_JOBS_MAX; i++) {
        struct ss_job *job = ss_store_actors_take(shell->actors);
        if (!job)
            return false;
        if (job->type == SS_JOB_APPLY)
            ss_stop_at(SS_STOP_COORDINATOR_DURABLE);
        ss_shell_measure_job(job);
        if (shell->failure.status == SS_OK && !has_failed(shell, job) &&
            !ss_cluster_took(shell, job)) {
            struct ss_event event;
            ss_store_codec_event(shell->codec, job, &event);
            note_list(shell, job);
            ss_shell_feed(shell, &event);
            ss_store_codec_event_fini(&event);
        }
        ss_job_destroy(&job);
    }
    return true;
}

static int time_left(const struct ss_coordinator *shell, int timeout_ms)
{
    int64_t at_ms = shell->wake_at_ms < shell->retry_at_ms ? shell->wake_at_ms
                                                           : shell->retry_at_ms;
    if (ss_cluster_wake_at_ms(shell) < at_ms)
        at_ms = ss_cluster_wake_at_ms(shell);
    if (shell->measure_at_ms < at_ms)
        at_ms = shell->measure_at_ms;
    if (ss_watch_wake_at_ms(shell) < at_ms)
        at_ms = ss_watch_wake_at_ms(shell);
    int left = ss_clock_left(at_ms, ss_clock_ms());
    if (shell->owed.count > 0)
        return 0;
    return timeout_ms >= 0 && (left < 0 || timeout_ms < left) ? timeout_ms
                                                              : left;
}

_Static_assert(SS_STORE_ACTORS_MAX + 2 <= SS_LINK_WAIT_MAX,
    "a turn waits for all that append, for leases and for signals");

int ss_coordinator_step(struct ss_coordinator *coordinator, int extra_fd,
    int timeout_ms, struct ss_error *error)
{
    struct ss_coordinator *shell = coordinator;
    int fds[SS_STORE_ACTORS_MAX + 2];
    size_t count = ss_store_actors_fds(shell->actors, fds);
    fds[count++] = ss_cluster_fd(shell);
    fds[count++] = extra_fd;
    ss_link_wait_all(shell->link, fds, count, time_left(shell, timeout_ms));
    ss_cluster_turn(shell);
    ss_inbox_notices(shell);
    feed_owed(shell);
    bool has_more = take_messages(shell);
    has_more = take_jobs(shell) || has_more;
    if (shell->failure.status != SS_OK) {
        if (error)
            *error = shell->failure;
        return shell->failure.status;
    }
    if (!has_more && ss_clock_ms() >= shell->wake_at_ms) {
        struct ss_event tick = {.type = SS_EVENT_TICK};
        ss_shell_feed(shell, &tick);
    }
    ss_coordinator_outbox_flush(shell);
    ss_store_codec_tidy(shell->codec, shell->engine);
    ss_watch_turn(shell);
    ss_shell_measure(shell);
    return SS_OK;
}

// ------------------------------------------------ open and close

static void narrate(void *ctx, const char *sentence)
{
    const struct ss_coordinator *shell = ctx;
    ss_stop_told(sentence);
    ss_log_about(SS_LOG_DEBUG, &shell->subject, "%s", sentence);
}

static int64_t or_else(int64_t given, int64_t otherwise)
{
    return given > 0 ? given : otherwise;
}

static int open_link(struct ss_coordinator *shell,
    const struct ss_coordinator_options *options, struct ss_error *error)
{
    struct ss_link_options link = {
        .endpoint = options->listen ? options->listen
                                    : ss_coordinator_initial.listen,
        .server = true,
        .message_size_max = SS_MESSAGE_SIZE_MAX,
        .keys = options->keys,
        .is_insecure = options->is_insecure,
        .limits = options->limits};
    return ss_link_open(&link, &shell->link, error);
}

_Static_assert((int)SS_STORE_CONNECTIONS_MAX <= (int)SS_STORE_ACTORS_MAX,
    "what may be asked for can be had");

static void asks(const struct ss_coordinator_options *options, const char *what)
{
    if (options->asks)
        options->asks(options->asks_ctx, what);
}

// Of a store that is shared: a fence for each connection that appends. Before
// the first, whatever was appended under this name by as many or more is over.
static int take_fences(struct ss_coordinator *shell,
    struct ss_store *const *stores, size_t count, uint64_t *ret_epochs,
    struct ss_error *error)
{
    int status = ss_store_fence_break(stores[0], shell->name, error);
    for (size_t i = 0; i < count && status == SS_OK; i++)
        status = ss_store_fence_take(
            stores[i], shell->name, (int)i, &ret_epochs[i], error);
    return status;
}

// Takes the stores, also where it fails.
static int start_actors(struct ss_coordinator *shell,
    struct ss_store *const *stores, size_t count, struct ss_error *error)
{
    uint64_t epochs[SS_STORE_ACTORS_MAX] = {0};
    int status = take_fences(shell, stores, count, epochs, error);
    if (status == SS_OK) {
        status = ss_store_actors_start(stores, count, &shell->actors, error);
    } else {
        for (size_t i = 0; i < count; i++) {
            struct ss_store *store = stores[i];
            ss_store_close(&store);
        }
    }
    for (size_t i = 0; i < count && status == SS_OK; i++)
        ss_store_actors_fence(shell->actors, i, epochs[i]);
    shell->epoch = epochs[0];
    return status;
}

// Takes `store`, the first of as many connections as were asked for.
static int start_shared(struct ss_coordinator *shell,
    const struct ss_coordinator_options *options, struct ss_store *store,
    struct ss_error *error)
{
    struct ss_store *stores[SS_STORE_ACTORS_MAX] = {store};
    size_t count = 1;
    size_t wanted = (size_t)or_else(options->store_connections,
        ss_coordinator_initial.store_connections);
    int status = SS_OK;
    if (options->opened) // there is no telling how to open one more
        wanted = 1;
    while (count < wanted && status == SS_OK) {
        asks(options, "open one more connection");
        status = ss_store_open(options->store, &stores[count], error);
        count += status == SS_OK;
    }
    asks(options, "take the fence of this coordinator");
    if (status == SS_OK)
        return start_actors(shell, stores, count, error);
    for (size_t i = 0; i < count; i++)
        ss_store_close(&stores[i]);
    return status;
}

// What is asked of the store before it moves to its own thread. Takes `store`.
static int start_store(struct ss_coordinator *shell,
    const struct ss_coordinator_options *options, struct ss_store *store,
    struct ss_startup **ret_boot, struct ss_error *error)
{
    shell->store_name = ss_strdup(ss_store_name(store));
    if (ss_store_is_shared(store)) // what is there is read with the shards
        return start_shared(shell, options, store, error);
    asks(options, "read what it knows");
    int status =
        ss_startup_epoch(store, ss_clock_wall_us(), &shell->epoch, error);
    if (status == SS_OK)
        status = ss_startup_read(store, ret_boot, error);
    if (status == SS_OK)
        return ss_store_actors_start(&store, 1, &shell->actors, error);
    ss_store_close(&store);
    return status;
}

static int open_store(const struct ss_coordinator_options *options,
    struct ss_store **ret_store, struct ss_error *error)
{
    *ret_store = options->opened;
    if (options->opened)
        return SS_OK;
    asks(options, "open, with its tables");
    return ss_store_open(options->store, ret_store, error);
}

static void start_engine(
    struct ss_coordinator *shell, struct ss_startup *startup)
{
    ss_log_set_epoch(shell->epoch);
    struct ss_engine_options options = {.epoch = shell->epoch,
        .shared = shell->cluster != NULL,
        .unread = startup != NULL,
        .row_format = shell->cluster ? SS_ROW_FORMAT_1 : SS_ROW_FORMAT,
        .seed = ss_entropy(),
        .lease_ms = shell->lease_ms,
        .heartbeat_ms = shell->heartbeat_ms,
        .adopt_ms = SS_COORDINATOR_ADOPT_MS,
        .narrate = ss_stop_has_poison() || ss_log_wants(SS_LOG_DEBUG) ? narrate
                                                                      : NULL,
        .narrate_ctx = shell};
    shell->engine = ss_engine_new(&options);
    if (startup)
        ss_startup_feed(startup, shell);
}

// Its shards come within two or three questions to the database; who asks
// before then would be sent away.
static int settle(struct ss_coordinator *shell, struct ss_error *error)
{
    int64_t until_ms = ss_clock_ms() + SS_SETTLE_MS;
    int status = SS_OK;
    while (status == SS_OK && !ss_cluster_is_settled(shell) &&
           ss_clock_ms() < until_ms)
        status = ss_coordinator_step(shell, -1, SS_SETTLE_MS, error);
    return status;
}

static int open_metrics(struct ss_coordinator *shell,
    const struct ss_coordinator_options *options, struct ss_error *error)
{
    shell->is_measured = options->metrics && *options->metrics;
    if (!shell->is_measured)
        return SS_OK;
    int status = ss_metrics_serve(options->metrics, SS_METRIC_OF_COORDINATOR,
        "superstep-coordinator", &shell->metrics, error);
    if (status == SS_OK)
        ss_log_say(SS_LOG_INFO, "metrics and health on port %u",
            ss_metrics_server_port(shell->metrics));
    return status;
}

static int check_times(
    const struct ss_coordinator *shell, struct ss_error *error)
{
    if (shell->heartbeat_ms < shell->lease_ms)
        return SS_OK;
    return ss_error_set(error, SS_EINVAL,
        "a heartbeat every %lld ms cannot keep a lease of %lld ms",
        (long long)shell->heartbeat_ms, (long long)shell->lease_ms);
}

int ss_coordinator_open(const struct ss_coordinator_options *options,
    struct ss_coordinator **ret_coordinator, struct ss_error *error)
{
    struct ss_coordinator *shell = ss_zalloc(1, sizeof(*shell));
    struct ss_store *store = options->opened;
    struct ss_startup *startup = NULL;
    ss_value_setup();
    shell->lease_ms = or_else(options->lease_ms, ss_coordinator_initial.lease_ms);
    shell->heartbeat_ms =
        or_else(options->heartbeat_ms, ss_coordinator_initial.heartbeat_ms);
    shell->drain_ms = or_else(options->drain_ms, ss_coordinator_initial.drain_ms);
    shell->wake_at_ms = shell->retry_at_ms = shell->measure_at_ms = INT64_MAX;
    shell->watch.look_at_ms = INT64_MAX;
    shell->codec = ss_store_codec_new();
    ss_buf_init(&shell->wire, SS_MESSAGE_SIZE_MAX);
    int status = check_times(shell, error);
    if (status == SS_OK)
        status = open_metrics(shell, options, error);
    if (status == SS_OK)
        status = open_link(shell, options, error);
    if (status == SS_OK)
        status = ss_cluster_names(shell, options, error);
    if (status == SS_OK)
        status = open_store(options, &store, error);
    bool is_shared = status == SS_OK && ss_store_is_shared(store);
    if (status == SS_OK) {
        status = start_store(shell, options, store, &startup, error);
        store = NULL;
    }
    if (status == SS_OK && is_shared) {
        asks(options, "open a connection for leases");
        status = ss_cluster_open(shell, options, error);
    }
    asks(options, NULL); // from here on the loop looks
    ss_stop_at(SS_STOP_COORDINATOR_STARTED);
    if (status == SS_OK) {
        ss_show_note(shell, options);
        start_engine(shell, startup);
        status = settle(shell, error);
    }
    if (status == SS_OK) {
        shell->measured_ms = 0; // whoever hears that we listen may ask at once
        ss_shell_measure(shell);
        *ret_coordinator = shell;
    } else {
        ss_store_close(&store);
        ss_coordinator_close(&shell);
    }
    ss_startup_destroy(&startup);
    return status;
}

void ss_coordinator_close(struct ss_coordinator **coordinator)
{
    struct ss_coordinator *shell = *coordinator;
    if (!shell)
        return;
    ss_store_actors_stop(&shell->actors);
    ss_cluster_close(shell);
    ss_link_close(&shell->link);
    ss_metrics_server_stop(&shell->metrics);
    drop_owed(shell);
    ss_coordinator_outbox_fini(shell);
    ss_log_limit_fini(&shell->complaints);
    ss_engine_destroy(&shell->engine);
    ss_store_codec_destroy(&shell->codec);
    ss_buf_fini(&shell->wire);
    json_decref(shell->members);
    json_decref(shell->config);
    json_decref(shell->damaged);
    ss_free(shell->member_shards);
    ss_free(shell->store_name);
    ss_free(shell->name);
    ss_free(shell->place);
    ss_free(shell);
    *coordinator = NULL;
}

const char *ss_coordinator_endpoint(const struct ss_coordinator *coordinator)
{
    return ss_link_endpoint(coordinator->link);
}

const char *ss_coordinator_store(const struct ss_coordinator *coordinator)
{
    return coordinator->store_name;
}

uint64_t ss_coordinator_epoch(const struct ss_coordinator *coordinator)
{
    return coordinator->epoch;
}

// ------------------------------------------------ run

static int step_until_asked(
    struct ss_coordinator *shell, int signal_fd, struct ss_error *error)
{
    int status = SS_OK, number = 0;
    while (status == SS_OK && (number = ss_signals_take()) == 0)
        status = ss_coordinator_step(shell, signal_fd, -1, error);
    if (status == SS_OK)
        ss_log_say(SS_LOG_INFO, "stopping: %s",
            number == SIGINT ? "interrupted" : "terminated");
    return status;
}

// Step until `is_done`, a signal or the time; SS_OK in each case.
static int step_until(struct ss_coordinator *shell, int signal_fd,
    int64_t until_ms, bool (*is_done)(const struct ss_coordinator *shell),
    struct ss_error *error)
{
    int status = SS_OK;
    while (status == SS_OK && !is_done(shell) && ss_signals_take() == 0) {
        int64_t left_ms = until_ms - ss_clock_ms();
        if (left_ms <= 0)
            break;
        status = ss_coordinator_step(shell, signal_fd, (int)left_ms, error);
    }
    return status;
}

static bool is_quiet(const struct ss_coordinator *shell)
{
    return ss_engine_is_quiet(shell->engine);
}

static int drain(
    struct ss_coordinator *shell, int signal_fd, struct ss_error *error)
{
    struct ss_event event = {.type = SS_EVENT_DRAIN};
    int64_t until_ms = ss_clock_ms() + shell->drain_ms;
    ss_shell_feed(shell, &event);
    ss_cluster_drain(shell);
    int status = step_until(shell, signal_fd, until_ms, is_quiet, error);
    if (status == SS_OK && !is_quiet(shell))
        ss_log_say(SS_LOG_WARNING,
            "stopping with tasks under way");
    if (status != SS_OK)
        return status;
    shell->stop_by_ms = ss_clock_ms() + SS_LEAVE_MS;
    if (!shell->cluster) {
        ss_startup_stopped(shell->actors);
        return SS_OK;
    }
    ss_cluster_leave(shell);
    return step_until(
        shell, signal_fd, shell->stop_by_ms, ss_cluster_has_left, error);
}

// What was handed to the store gets there, if that answers in time. Else the
// store's threads are left as they are.
static bool end(
    struct ss_coordinator **coordinator, int *status, struct ss_error *error)
{
    struct ss_coordinator *shell = *coordinator;
    struct ss_error silence = {0};
    if (shell->stop_by_ms == 0)
        shell->stop_by_ms = ss_clock_ms() + SS_LEAVE_MS;
    if (ss_watch_finish(shell, &silence)) {
        ss_coordinator_close(coordinator);
        return true;
    }
    if (*status != SS_OK) {
        ss_log_say(SS_LOG_WARNING, "%s", silence.message);
        return false;
    }
    *status = silence.status;
    if (error)
        *error = silence;
    return false;
}

int ss_coordinator_run(const struct ss_coordinator_options *options,
    bool *ret_has_ended, struct ss_error *error)
{
    static const int signals[] = {SIGTERM, SIGINT};
    struct ss_coordinator *shell = NULL;
    int fd = -1;
    int status = ss_signals_open(signals, 2, &fd, error);
    *ret_has_ended = true;
    if (status != SS_OK)
        return status;
    status = ss_start_open(options, fd, &shell, ret_has_ended, error);
    if (status == SS_OK) {
        if (options->ready)
            options->ready(options->ready_ctx, shell);
        status = step_until_asked(shell, fd, error);
        if (status == SS_OK)
            status = drain(shell, fd, error);
        *ret_has_ended = end(&shell, &status, error);
    }
    ss_signals_close();
    return status;
}
