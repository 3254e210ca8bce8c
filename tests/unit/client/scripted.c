#include "tests/unit/client/scripted.h"

#include <check.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/value.h"
#include "common/wire/limits.h"
#include "common/wire/message.h"

enum { MADE_UP_SIZE = 36 }; // a UUID
enum { LINES_MAX = 64 };

static const struct script *played; // what `said` counts of
static unsigned said[LINES_MAX];
static uint64_t unasked; // the last question that no test is about

struct ss_link *server;
uint64_t epoch;
const char *members[2];
const struct script *script;
struct ss_buf was_asked;
static struct ss_buf unexpected;

void scripted_setup(void)
{
    ss_value_setup();
    ss_buf_init(&was_asked, 1 << 20);
    ss_buf_init(&unexpected, 1 << 20);
    epoch = 1;
    unasked = 0;
    memset(members, 0, sizeof(members));
    script = NULL;
}

void scripted_teardown(void)
{
    ss_link_close(&server);
    ss_buf_fini(&was_asked);
    ss_buf_fini(&unexpected);
}

void scripted_end(void)
{
    ck_assert_msg(unexpected.size == 0,
        "asked for what the script has no answer to: %s",
        ss_buf_str(&unexpected));
}

void scripted_open(const char *endpoint)
{
    struct ss_error error;
    const struct ss_link_options options = {
        .endpoint = endpoint, .server = true};
    ck_assert_int_eq(ss_link_open(&options, &server, &error), SS_OK);
}

static void reply(const char *peer, struct ss_message *message)
{
    struct ss_buf buf;
    struct ss_error error;
    ss_buf_init(&buf, SS_MESSAGE_SIZE_MAX);
    ck_assert_int_eq(ss_message_encode(message, &buf, &error), SS_OK);
    // Whoever was_asked may be gone by now.
    if (ss_link_send(server, peer, buf.data, buf.size, &error) != SS_OK)
        ck_assert_int_eq(error.status, SS_ECLOSED);
    ss_buf_fini(&buf);
    ss_message_destroy(&message);
}

static void answer(const char *peer, uint64_t id, bool final, const char *text)
{
    struct ss_message *message = ss_message_new(SS_MESSAGE_ANSWER);
    json_t *json = json_loads(text, 0, NULL);
    ck_assert_msg(json != NULL, "no JSON: %s", text);
    message->id = id;
    message->final = final;
    message->body = ss_value_new(json);
    reply(peer, message);
}

// A made-up id is not what a test is about.
static void note(const struct ss_message *ask)
{
    json_t *body = json_deep_copy(ss_value_json(ask->body));
    if (strlen(ss_json_str(body, "run", "")) == MADE_UP_SIZE)
        json_object_set_new(body, "run", json_string("MADE UP"));
    char *text = ss_json_text(body);
    ss_buf_addf(&was_asked, "%s %s\n", ask->op, text);
    ss_free(text);
    json_decref(body);
}

static bool is_meant(const struct script *line, const struct ss_message *ask)
{
    if (line->times && said[line - script] >= line->times)
        return false;
    const char *after = ss_json_str(ss_value_json(ask->body), "after", "");
    const char *order = ss_json_str(ss_value_json(ask->body), "order", "");
    return strcmp(line->op, ask->op) == 0 &&
           (!line->after || strcmp(line->after, after) == 0) &&
           (!line->order || strcmp(line->order, order) == 0);
}

// Whoever has waited for a second asks how the coordinator is: on a busy
// machine that is in any test, and only those are about it whose script answers
// it.
static bool is_worry(const struct ss_message *ask)
{
    const struct script *it = script;
    while (it && it->op && strcmp(it->op, "health") != 0)
        it++;
    return strcmp(ask->op, "health") == 0 && (!it || !it->op);
}

// What no line of the script is meant for would be waited for, for ever by
// some.
static void on_unexpected(const char *peer, const struct ss_message *ask)
{
    static const char refusal[] =
        "{\"error\":{\"code\":\"unsupported\",\"message\":"
        "\"the test's script has no answer to this\"}}";
    char *text = ss_json_text(ss_value_json(ask->body));
    ss_buf_addf(&unexpected, "%s %s\n", ask->op, text);
    ss_free(text);
    answer(peer, ask->id, true, refusal);
}

// The first line that is meant counts.
static void on_ask(const char *peer, const struct ss_message *ask)
{
    const struct script *it = script;
    if (is_worry(ask)) {
        unasked = ask->id;
        return;
    }
    note(ask);
    if (played != script)
        memset(said, 0, sizeof(said));
    played = script;
    while (it && it->op && !is_meant(it, ask))
        it++;
    if (it && !it->op)
        on_unexpected(peer, ask);
    if (!it || !it->op)
        return;
    ck_assert_int_lt(it - script, LINES_MAX);
    said[it - script]++;
    for (size_t i = 0; it->items[i]; i++)
        answer(peer, ask->id, false, it->items[i]);
    if (it->final)
        answer(peer, ask->id, true, it->final);
}

static void put_members(struct ss_message *pong)
{
    pong->members = ss_zalloc(2, sizeof(*pong->members));
    for (; pong->members_count < 2 && members[pong->members_count];
         pong->members_count++)
        pong->members[pong->members_count] =
            ss_strdup(members[pong->members_count]);
}

void scripted_serve(void)
{
    char peer[SS_PEER_SIZE];
    void *bytes;
    size_t size;
    struct ss_error error;
    while (ss_link_recv(server, peer, &bytes, &size, &error) == SS_OK) {
        struct ss_message *message;
        ck_assert_int_eq(
            ss_message_decode(bytes, size, &message, &error), SS_OK);
        ss_free(bytes);
        if (message->type == SS_MESSAGE_PING) {
            struct ss_message *pong = ss_message_new(SS_MESSAGE_PONG);
            pong->epoch = epoch;
            put_members(pong);
            reply(peer, pong);
        } else if (message->type == SS_MESSAGE_ASK) {
            on_ask(peer, message);
        } else {
            ck_assert_int_eq(message->type, SS_MESSAGE_HANGUP);
            if (message->id != unasked)
                ss_buf_add_str(&was_asked, "hangup\n");
        }
        ss_message_destroy(&message);
    }
}
