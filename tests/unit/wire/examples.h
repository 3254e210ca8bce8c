// examples.h - messages with everything in them, and their way over the wire.
#ifndef SS_TEST_WIRE_EXAMPLES_H
#define SS_TEST_WIRE_EXAMPLES_H

#include "common/wire/message.h"

struct ss_value *wire_value(const char *text);
json_t *wire_json(const char *text);
struct ss_assignment *wire_order(void);
struct ss_assignment *wire_fold_order(void);
struct ss_outcome *wire_outcome(enum ss_outcome_kind kind);
struct ss_outcome *wire_done_outcome(void);
struct ss_outcome *wire_failed_outcome(void);
// A message of each type with everything in it that it can carry.
struct ss_message *wire_example(enum ss_message_type type);

// What fails here fails the test.
void wire_encode(const struct ss_message *message, struct ss_buf *buf);
struct ss_message *wire_decode(const struct ss_buf *buf);
// Takes `message`, gives what arrives.
struct ss_message *wire_through(struct ss_message *message);

#endif
