// json_check.h - is this text JSON? Without a tree, without memory.
//
// A value that nobody looks into is not decoded, but text from outside that
// ends in a journal must be JSON. True is certain: ss_json_parse() takes the
// text. False means: ask ss_json_parse(), which also says what is wrong; rare
// things (escapes \uXXXX, numbers of many digits) are left to it.
#ifndef SS_WIRE_JSON_CHECK_H
#define SS_WIRE_JSON_CHECK_H

#include <stdbool.h>
#include <stddef.h>

bool ss_json_check(const char *text, size_t size);

#endif
