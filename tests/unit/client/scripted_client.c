#include "tests/unit/client/scripted_client.h"

#include <check.h>

#include "common/base/mem.h"
#include "common/model/value.h"

struct ss_client *client;
struct ss_client_error error;

void open_client(const char *endpoints, int64_t connect_ms)
{
    const struct ss_client_options options = {
        .endpoints = endpoints, .connect_ms = connect_ms};
    ck_assert_int_eq(ss_client_open(&options, &client, &error), 0);
}

void client_setup(void)
{
    scripted_setup();
    scripted_open(ENDPOINT);
    open_client(ENDPOINT, CONNECT_MS);
}

void client_teardown(void)
{
    ss_client_close(&client);
    scripted_teardown();
}

void pump(void)
{
    for (int i = 0; i < 8; i++) {
        scripted_serve();
        ss_client_step(client);
    }
}

json_t *json_of(const char *text)
{
    json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);
    ck_assert_msg(json != NULL, "no JSON: %s", text);
    return json;
}

void expect_json(json_t *json, const char *text)
{
    char *got = ss_json_text(json);
    ck_assert_str_eq(got, text);
    ss_free(got);
    json_decref(json);
}
