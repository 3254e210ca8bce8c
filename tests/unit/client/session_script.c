#include "tests/unit/client/session_script.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/value.h"

static const char *const here[] = {"tcp://here:1"};

struct ss_talk *talk;
struct ss_talk_commands commands;
struct ss_buf said;
int64_t now;
bool talks_to_many; // reopen says where
uint32_t line;      // whose words the next ones are
uint64_t id;        // of the last ASK that was sent

void talk_setup(void)
{
    ss_value_setup();
    now = 100000;
    id = 0;
    line = 0;
    talks_to_many = false;
    ss_buf_init(&said, 1 << 20);
    talk = ss_talk_new(&(struct ss_talk_options){.seed = 7,
        .where = "tcp://here:1",
        .endpoints = here,
        .endpoints_count = 1});
}

void talk_teardown(void)
{
    ss_talk_destroy(&talk);
    ss_buf_fini(&said);
}

// "@1" for what goes to line 1; home is not told.
static const char *at(const struct ss_talk_command *command)
{
    static char text[16];
    snprintf(text, sizeof(text), "@%u", (unsigned)command->line);
    return command->line ? text : "";
}

static void write_down(const struct ss_talk_command *command)
{
    char *json = command->json ? ss_json_text(command->json) : NULL;
    switch (command->type) {
    case SS_TALK_SEND_PING:
        ss_buf_addf(&said, "ping%s\n", at(command));
        break;
    case SS_TALK_SEND_ASK:
        ss_buf_addf(&said, "ask%s %s %s\n", at(command), command->op, json);
        id = command->id;
        break;
    case SS_TALK_SEND_HANGUP:
        ss_buf_addf(&said, "hang up%s\n", at(command));
        break;
    case SS_TALK_REOPEN:
        ss_buf_addf(&said, "reopen%s%s\n", talks_to_many ? " " : "",
            talks_to_many ? command->endpoint : "");
        break;
    case SS_TALK_OPEN:
        ss_buf_addf(
            &said, "open@%u %s\n", (unsigned)command->line, command->endpoint);
        break;
    case SS_TALK_CLOSE:
        ss_buf_addf(&said, "close@%u\n", (unsigned)command->line);
        break;
    case SS_TALK_ITEM:
        ss_buf_addf(&said, "item %d %s\n", (int)command->key, json);
        break;
    case SS_TALK_DONE:
        ss_buf_addf(&said, "done %d %s\n", (int)command->key, json);
        break;
    case SS_TALK_FAILED:
        ss_buf_addf(&said, "failed %d %s: %s\n", (int)command->key,
            ss_status_name(command->status), command->text);
        break;
    default:
        ck_abort_msg("an unknown command");
    }
    ss_free(json);
}

const char *step(struct ss_talk_event event)
{
    event.now_ms = now;
    event.line = line;
    ss_talk_step(talk, &event, &commands);
    ss_buf_reset(&said);
    for (size_t i = 0; i < commands.count; i++)
        write_down(&commands.items[i]);
    return ss_buf_str(&said);
}

json_t *parse(const char *text)
{
    json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);
    ck_assert_msg(json != NULL, "no JSON: %s", text);
    return json;
}

const char *ask_within(
    uint64_t key, const char *op, const char *text, int64_t timeout_ms)
{
    json_t *body = parse(text);
    const char *told = step((struct ss_talk_event){.type = SS_TALK_ASK,
        .key = key,
        .op = op,
        .body = body,
        .timeout_ms = timeout_ms});
    json_decref(body);
    return told;
}

const char *ask(uint64_t key, const char *op, const char *text)
{
    return ask_within(key, op, text, 0);
}

const char *answer_to(uint64_t to, bool final, const char *text)
{
    json_t *body = parse(text);
    const char *told = step((struct ss_talk_event){
        .type = SS_TALK_ANSWER, .id = to, .final = final, .body = body});
    json_decref(body);
    return told;
}

const char *item(const char *text)
{
    return answer_to(id, false, text);
}

const char *answer(const char *text)
{
    return answer_to(id, true, text);
}

const char *pong(uint64_t epoch)
{
    return step((struct ss_talk_event){.type = SS_TALK_PONG, .epoch = epoch});
}

const char *connected(void)
{
    return step((struct ss_talk_event){.type = SS_TALK_CONNECTED});
}

const char *after(int64_t ms)
{
    now += ms;
    return step((struct ss_talk_event){.type = SS_TALK_TICK});
}

// Go where the talk wants to be woken, as the shell does.
const char *next_wake(void)
{
    ck_assert_int_ne(commands.wake_at_ms, INT64_MAX);
    ck_assert_int_gt(commands.wake_at_ms, now);
    return after(commands.wake_at_ms - now);
}

// A run that was asked for and accepted by the coordinator of epoch 1.
void begin_run(void)
{
    ask(1, "run", RUN);
    pong(1);
    ck_assert_str_eq(item(ACCEPTED), "item 1 " ACCEPTED "\n");
}
