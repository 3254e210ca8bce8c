// outbox_test.c - what a worker says, as the coordinator gets it.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/model/value.h"
#include "common/model/writers.h"
#include "common/wire/message.h"
#include "tests/suite.h"
#include "worker/outbox.h"

enum { OUTCOMES = 3, BAD = 1 };

static struct ss_link *server, *link;
static struct ss_session *session;
static struct ss_outbox outbox;

static struct ss_link *open_link(bool is_server)
{
    struct ss_link *opened = NULL;
    struct ss_error error;
    const struct ss_link_options options = {
        .endpoint = "loop:outbox", .server = is_server};
    int status = ss_link_open(&options, &opened, &error);
    ck_assert_msg(status == SS_OK, "%s", error.message);
    return opened;
}

static void setup(void)
{
    static const char *const endpoints[] = {"loop:outbox"};
    ss_value_setup();
    server = open_link(true);
    link = open_link(false);
    session = ss_session_new(&(struct ss_session_options){
        .capacity = 1, .endpoints = endpoints, .endpoints_count = 1});
    ss_outbox_init(&outbox, link, NULL);
}

static void teardown(void)
{
    ss_outbox_fini(&outbox);
    ss_session_destroy(&session);
    ss_link_close(&link);
    ss_link_close(&server);
}

static struct ss_outcome *outcome_of(uint64_t dispatch, const char *channel)
{
    struct ss_outcome *outcome = ss_outcome_new();
    outcome->attempt = (struct ss_attempt){1, dispatch};
    snprintf(outcome->task_id, sizeof(outcome->task_id), "task");
    outcome->kind = SS_OUTCOME_DONE;
    ss_writes_add(&outcome->writes, channel, ss_value_null());
    return outcome;
}

// NULL: no more is there.
static struct ss_message *hear(void)
{
    char peer[SS_PEER_SIZE];
    void *bytes;
    size_t size;
    struct ss_error error;
    struct ss_message *message = NULL;
    if (ss_link_recv(server, peer, &bytes, &size, &error) != SS_OK)
        return NULL;
    ck_assert_int_eq(ss_message_decode(bytes, size, &message, &error), SS_OK);
    ss_free(bytes);
    return message;
}

// Of all messages that came, what became of which attempt.
static size_t hear_outcomes(uint64_t *ret_dispatches)
{
    size_t count = 0;
    for (struct ss_message *message; (message = hear()) != NULL;) {
        ck_assert_int_eq((int)message->type, SS_MESSAGE_DONE);
        ck_assert_uint_gt(message->outcomes_count, 0);
        for (size_t i = 0; i < message->outcomes_count; i++)
            ret_dispatches[count++] = message->outcomes[i]->attempt.dispatch;
        ss_message_destroy(&message);
    }
    return count;
}

START_TEST(a_result_that_cannot_be_told_takes_no_other_with_it)
{
    struct ss_outcome *outcomes[OUTCOMES];
    uint64_t dispatches[OUTCOMES];
    for (uint64_t i = 0; i < OUTCOMES; i++)
        outcomes[i] = outcome_of(i, i == BAD ? "\xff" : "key");
    const struct ss_session_command command = {.type = SS_SESSION_SEND_DONE,
        .outcomes = outcomes,
        .outcomes_count = OUTCOMES};
    ck_assert(ss_outbox_send(&outbox, session, &command));
    ck_assert_uint_eq(hear_outcomes(dispatches), OUTCOMES - 1);
    ck_assert_uint_eq(dispatches[0], 0);
    ck_assert_uint_eq(dispatches[1], 2);
    for (int i = 0; i < OUTCOMES; i++)
        ss_outcome_destroy(&outcomes[i]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("outbox");
    TCase *tcase = tcase_create("outbox");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_result_that_cannot_be_told_takes_no_other_with_it);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
