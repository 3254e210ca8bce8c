// json_object.h - an object of JSON as text, member by member: what is made
// only to be stored is never a tree.
//
//   ss_json_open(&buf);
//   ss_json_add_text(&buf, "run", run->id);
//   ss_json_close(&buf);                        {"run":"r1"}
//
// Keys are ours: nothing in them needs an escape, and none comes twice.
#ifndef SS_MODEL_JSON_OBJECT_H
#define SS_MODEL_JSON_OBJECT_H

#include <stdint.h>

struct ss_buf;

void ss_json_open(struct ss_buf *buf);
// A member that is an object; what follows is in it until it is closed.
void ss_json_begin(struct ss_buf *buf, const char *key);
void ss_json_close(struct ss_buf *buf);
// A member; NULL: none is added.
void ss_json_add_text(struct ss_buf *buf, const char *key, const char *text);
void ss_json_add_int(struct ss_buf *buf, const char *key, int64_t number);
// `raw` is the value as it is written.
void ss_json_add_raw(struct ss_buf *buf, const char *key, const char *raw);
// Members that are written already, without braces; NULL: none.
void ss_json_add_members(struct ss_buf *buf, const char *members);

#endif
