// json_late.h - a small object whose members are known, and whose text is made
// when somebody asks for it: most records of a store in memory are replaced, or
// dropped with it, before anybody does.
//
//   struct ss_json_members said = {0};
//   ss_json_say_text(&said, "run", run->id);
//   struct ss_json_late *late = ss_json_late_new(&said); // has copies
//   ss_json_members_fini(&said);
//   char *text = ss_json_late_text(late);                // {"run":"r1"}
//
// Keys are ours, and last as long as the program: nothing in them needs an
// escape, and none comes twice.
#ifndef SS_MODEL_JSON_LATE_H
#define SS_MODEL_JSON_LATE_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

enum { SS_JSON_MEMBERS_MAX = 16 };

enum ss_json_kind {
    SS_JSON_TEXT,    // `text` becomes a string
    SS_JSON_NUMBER,  // `number`
    SS_JSON_RAW,     // `text` is the value as it is written
    SS_JSON_WRITTEN, // `text` is members that are written, without braces
};

struct ss_json_member {
    enum ss_json_kind kind;
    const char *key;
    const char *text;
    int64_t number;
    char *own; // `text`, where it was made for the member
};

// In order. Zero bytes: none.
struct ss_json_members {
    size_t count;
    struct ss_json_member items[SS_JSON_MEMBERS_MAX];
};

// Add a member. Texts are borrowed; NULL: none is added.
void ss_json_say_text(
    struct ss_json_members *said, const char *key, const char *text);
void ss_json_say_int(
    struct ss_json_members *said, const char *key, int64_t number);
void ss_json_say_json(
    struct ss_json_members *said, const char *key, const json_t *json);
void ss_json_say_written(struct ss_json_members *said, const char *members);
// The object that has them. Gives.
char *ss_json_members_text(const struct ss_json_members *said);
void ss_json_members_fini(struct ss_json_members *said);

// It does not change.
struct ss_json_late;

// Gives.
struct ss_json_late *ss_json_late_new(const struct ss_json_members *said);
// Another reference; NULL is fine.
struct ss_json_late *ss_json_late_ref(struct ss_json_late *late);
void ss_json_late_unref(struct ss_json_late *late);
// Gives.
char *ss_json_late_text(const struct ss_json_late *late);

#endif
