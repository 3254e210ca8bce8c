// Any bytes that LangGraph's tables hold are a value or a status; what is a value
// can be written again, and says the same then.
//
// The first byte of an input says which channel it stands in, and how it is
// tagged.
#include <stdint.h>
#include <string.h>

#include "client/langgraph/form.h"
#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/value.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const channels[] = {"x", "__pregel_tasks", "__interrupt__",
    "__resume__", "join:a+b:c", "__error__", "branch:to:a", "messages"};
static const char *const tags[] = {"msgpack", "json", "null", "bytes"};

static void there_and_back(
    const char *channel, bool is_write, const json_t *json)
{
    struct ss_buf buf;
    struct ss_error error = {0};
    struct ss_ext_allowed nothing = {0};
    char *tag = NULL;
    json_t *again = NULL;
    ss_buf_init(&buf, SS_LANGGRAPH_VALUE_MAX);
    int status =
        ss_typed_encode(channel, is_write, json, &nothing, &tag, &buf, &error);
    ss_check(status == SS_OK || error.message[0] != '\0');
    if (status == SS_OK) {
        ss_check(ss_typed_decode(channel, is_write, tag, ss_buf_str(&buf),
                     buf.size, &again, &error) == SS_OK);
        char *before = ss_json_canonical(json);
        char *after = ss_json_canonical(again);
        ss_check(strcmp(before, after) == 0);
        ss_free(before);
        ss_free(after);
    }
    json_decref(again);
    ss_free(tag);
    ss_buf_fini(&buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int is_set_up;
    if (!is_set_up++)
        ss_value_setup();
    unsigned how = size > 0 ? data[0] : 0;
    const uint8_t *bytes = size > 1 ? data + 1 : NULL;
    size_t count = size > 1 ? size - 1 : 0;
    const char *channel = channels[(how & 3) | (how >> 3 & 4)];
    const char *tag = tags[how >> 2 & 3];
    bool is_write = (how & 16) != 0;
    struct ss_error error = {0};
    struct ss_ext_allowed nothing = {0};
    json_t *json = NULL;
    int status = ss_typed_decode(
        channel, is_write, tag, bytes, count, &json, &error);
    ss_check((status == SS_OK) == (json != NULL));
    ss_check(status == SS_OK || error.message[0] != '\0');
    if (json)
        there_and_back(channel, is_write, json);
    json_decref(json);
    error = (struct ss_error){0};
    status = ss_ext_check(bytes, count, &nothing, &error);
    ss_check(status == SS_OK || error.message[0] != '\0');
    return 0;
}
