#include "tests/unit/worker/bench.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/value.h"

enum { TOLD_SIZE = 8192 };
static char told[TOLD_SIZE];

static void on_live(void *ctx, const struct ss_assignment *order,
    enum ss_live_kind kind, json_t *item)
{
    struct bench *bench = ctx;
    (void)order;
    json_array_append_new(bench->live, json_pack("[i, O]", (int)kind, item));
}

static void on_progress(
    void *ctx, const struct ss_assignment *order, bool is_heartbeat)
{
    struct bench *bench = ctx;
    (void)order;
    (void)is_heartbeat;
    bench->progress++;
}

static bool on_cancelled(void *ctx, const struct ss_assignment *order)
{
    (void)order;
    return ((struct bench *)ctx)->is_cancelled;
}

void bench_init(struct bench *bench, ss_graph_fn *define)
{
    ss_value_setup();
    struct ss_app_graph graphs[] = {{"g", define}, {NULL, NULL}};
    struct ss_app app = {SS_ABI_VERSION, sizeof(app), NULL, graphs, NULL};
    struct ss_error error;
    *bench = (struct bench){.live = json_array(),
        .hooks = {.live = on_live,
            .progress = on_progress,
            .cancelled = on_cancelled,
            .ctx = bench}};
    int status = ss_application_new(&app, NULL, &bench->application, &error);
    ck_assert_msg(status == SS_OK, "%s", error.message);
}

void bench_fini(struct bench *bench)
{
    ss_assignment_destroy(&bench->order);
    ss_outcome_destroy(&bench->outcome);
    ss_application_destroy(&bench->application);
    json_decref(bench->live);
}

struct ss_assignment *bench_order(
    struct bench *bench, const char *node, const char *input)
{
    ss_assignment_destroy(&bench->order);
    struct ss_assignment *order = ss_assignment_new();
    order->attempt = (struct ss_attempt){1, 2};
    order->app_graph = "g";
    order->graph = "g";
    order->node = node;
    order->thread = "t";
    order->run = "r";
    ss_assignment_keep(order);
    snprintf(order->task_id, sizeof(order->task_id), "%s",
        "0f0e0d0c-0b0a-4908-8706-050403020100");
    order->step = 3;
    order->attempt_number = 2;
    order->input = ss_value_from_text(input, strlen(input));
    order->fresh.channels = ss_value_new(json_object());
    order->fresh.managed = json_object();
    bench->order = order;
    return order;
}

const struct ss_outcome *bench_run(struct bench *bench)
{
    ss_outcome_destroy(&bench->outcome);
    bench->outcome =
        ss_execute(bench->application, bench->order, &bench->hooks);
    return bench->outcome;
}

static void tell(const char *before, const json_t *json)
{
    char *text = ss_json_text(json);
    size_t used = strlen(told);
    snprintf(told + used, sizeof(told) - used, "%s%s", before, text);
    ss_free(text);
}

const char *bench_told(struct bench *bench)
{
    const struct ss_outcome *outcome = bench_run(bench);
    told[0] = '\0';
    switch (outcome->kind) {
    case SS_OUTCOME_DONE:
        snprintf(told, sizeof(told), "done");
        for (size_t i = 0; i < outcome->writes.count; i++) {
            char name[600];
            snprintf(
                name, sizeof(name), " %s=", outcome->writes.items[i].channel);
            tell(name, ss_value_json(outcome->writes.items[i].value));
        }
        break;
    case SS_OUTCOME_INTERRUPTED:
        tell("interrupted ", outcome->question);
        break;
    case SS_OUTCOME_FAILED:
        snprintf(told, sizeof(told), "failed %s (%s): %s",
            ss_status_name(outcome->code),
            outcome->error_kind ? outcome->error_kind : "-", outcome->message);
        break;
    case SS_OUTCOME_PARENT:
        tell("parent ", outcome->parent);
        break;
    case SS_OUTCOME_CANCELLED:
        snprintf(told, sizeof(told), "cancelled");
        break;
    }
    return told;
}
