// put.h - parts of an order or of an outcome that is written from its end.
#ifndef SS_WIRE_PUT_H
#define SS_WIRE_PUT_H

#include "common/model/task.h"
#include "common/wire/back.h"
#include "common/wire/fields.h"
#include "common/wire/tail.h"

struct ss_wire_writer {
    struct ss_tail *tail;
    bool is_doubtful; // a text or a number of parts that may be refused
    int status;       // of the first value that cannot be sent
    struct ss_error *error;
};

// Has a text among these bytes a letter beyond ASCII, or so many that its size
// takes two bytes? Then it is for ss_wire_scan() to say whether it may be sent.
bool ss_put_is_doubtful(const char *at, const char *end);
// A text that must be there: NULL is "".
void ss_put_text(
    struct ss_wire_writer *writer, unsigned field, const char *text);
// As ss_pack_prose(); NULL leaves it out.
void ss_put_prose(
    struct ss_wire_writer *writer, unsigned field, const char *text);
// The bytes alone; the others leave NULL out.
void ss_put_bytes(
    struct ss_wire_writer *writer, unsigned field, struct ss_value *value);
void ss_put_value(
    struct ss_wire_writer *writer, unsigned field, struct ss_value *value);
void ss_put_json(struct ss_wire_writer *writer, unsigned field, json_t *json);

// Numbers that are zero stay off the wire.
static inline char *ss_put_number(char *at, unsigned field, uint64_t number)
{
    return number != 0 ? ss_back_number(at, field, number) : at;
}

// The name of an attempt, in field 1.
static inline char *ss_put_attempt(char *at, struct ss_attempt attempt)
{
    const char *end = at;
    at = ss_back_number(at, 2, attempt.dispatch);
    at = ss_back_number(at, 1, attempt.epoch);
    return ss_back_message(at, 1, end);
}

#endif
