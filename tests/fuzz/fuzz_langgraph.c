// A value of LangGraph's tables: the first byte chooses its place, the rest is
// msgpack. What can be read is written again, and then reads the same.
#include <stdint.h>

#include "client/langgraph/form.h"
#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/value.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_again(const char *channel, bool is_write, json_t *json)
{
    static const char *const everything[] = {"*"};
    static const struct ss_ext_allowed all = {everything, 1};
    char *tag = NULL;
    struct ss_buf buf;
    json_t *again = NULL;
    ss_buf_init(&buf, 1 << 22);
    int status =
        ss_typed_encode(channel, is_write, json, &all, &tag, &buf, NULL);
    // an extension with nonsense inside is carried, and not written
    if (status == SS_OK) {
        status = ss_typed_decode(channel, is_write, tag, ss_buf_str(&buf),
            buf.size, &again, NULL);
        ss_check(status == SS_OK);
        ss_check(json_equal(json, again));
    }
    json_decref(again);
    ss_free(tag);
    ss_buf_fini(&buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int is_set_up;
    static const struct {
        const char *channel;
        bool is_write;
    } places[] = {{"x", false}, {"x", true}, {"__pregel_tasks", false},
        {"__pregel_tasks", true}, {"join:a+b:c", false},
        {"__interrupt__", true}, {"__error__", true}, {"__resume__", true}};
    json_t *json = NULL;
    if (!is_set_up++)
        ss_value_setup();
    if (size == 0)
        return 0;
    size_t place = data[0] % (sizeof(places) / sizeof(places[0]));
    int status = ss_typed_decode(places[place].channel, places[place].is_write,
        "msgpack", data + 1, size - 1, &json, NULL);
    if (status == SS_OK)
        write_again(places[place].channel, places[place].is_write, json);
    json_decref(json);
    return 0;
}
