// What the quick check takes for JSON, the parser takes too.
#include <stdint.h>

#include "common/base/check.h"
#include "common/model/value.h"
#include "common/wire/json_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int is_set_up;
    json_t *json = NULL;
    if (!is_set_up++)
        ss_value_setup();
    bool is_json = ss_json_check((const char *)data, size);
    int status = ss_json_parse((const char *)data, size, &json, NULL);
    ss_check(!is_json || status == SS_OK);
    json_decref(json);
    return 0;
}
