// Any bytes are a message or a status; what is a message survives its way back,
// and is the message that protobuf-c's own unpacking finds there.
#include <stdint.h>

#include "common/base/check.h"
#include "common/wire/limits.h"
#include "common/wire/message.h"
#include "tests/support/unpacked.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// A message that was decoded can be encoded, and is then the same for good.
static void there_and_back(const struct ss_message *message)
{
    struct ss_buf once, twice;
    struct ss_message *again = NULL;
    ss_buf_init(&once, SS_MESSAGE_SIZE_MAX);
    ss_buf_init(&twice, SS_MESSAGE_SIZE_MAX);
    ss_check(ss_message_encode(message, &once, NULL) == SS_OK);
    ss_check(ss_message_decode(once.data, once.size, &again, NULL) == SS_OK);
    ss_check(again->type == message->type);
    ss_check(ss_message_encode(again, &twice, NULL) == SS_OK);
    ss_check(once.size == twice.size);
    for (size_t i = 0; i < once.size; i++)
        ss_check(once.data[i] == twice.data[i]);
    ss_message_destroy(&again);
    ss_buf_fini(&once);
    ss_buf_fini(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int is_set_up;
    struct ss_message *message = NULL;
    struct ss_error error = {0};
    if (!is_set_up++)
        ss_value_setup();
    if (size == 0)
        data = NULL;
    unpacked_alike(data, size);
    if (ss_message_decode(data, size, &message, &error) != SS_OK) {
        ss_check(message == NULL);
        ss_check(error.message[0] != '\0');
        return 0;
    }
    there_and_back(message);
    ss_message_destroy(&message);
    return 0;
}
