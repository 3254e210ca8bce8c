// text.h - how numbers, times, ids and values read for people.
//
// Functions that give text give it to be freed with ss_free().
#ifndef SS_CLI_TEXT_H
#define SS_CLI_TEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Teaches this process how wide characters are (LC_CTYPE); until then each
// takes one column.
void ss_text_setup(void);
// Columns on a terminal: a Chinese character takes two, a combining accent
// none.
size_t ss_text_width(const char *text);
// The text with control characters as the log shows them ("\n", "\x1b"): two
// names that differ look different, and each is on one line. Gives.
char *ss_text_plain(const char *text);
// The same, but lines stay lines. Gives.
char *ss_text_lines(const char *text);
// At most `width` columns, the last one "…" where something is missing. Gives.
char *ss_text_cut(const char *text, size_t width);
// A value on one line, at most `width` columns (0: no limit). Gives.
char *ss_text_json(const json_t *json, size_t width);
// The same for programs: with spaces, never cut. Gives.
char *ss_text_line(const json_t *json);

// "0.4 ms", "12.3 s", "3 min 20 s". Gives.
char *ss_text_duration(int64_t us);
// "now", "12 s ago". Gives.
char *ss_text_ago(int64_t ms);
// "2026-11-22 01:02:03" of an ISO time, else the text as it is. Gives.
char *ss_text_time(const char *iso);
// "1 node", "3 nodes". Gives.
char *ss_text_count(int64_t count, const char *noun);
// One more of that name among `counts`, {name: count}.
void ss_text_tally(json_t *counts, const char *name);
// "2,430". Gives.
char *ss_text_thousands(int64_t count);
// "▇▇▇▁▁▁" of `width` columns. Gives.
char *ss_text_bar(int64_t done, int64_t total, size_t width);

// How ids are cut so that all of a list stay different: `head` characters, "…",
// `tail` characters. Both 0: they stay whole.
struct ss_id_form {
    size_t head;
    size_t tail;
};
struct ss_id_form ss_text_id_form(const char *const *ids, size_t count);
// Gives.
char *ss_text_id(const char *id, struct ss_id_form form);
// Whether a person who typed `typed` ("1f0a…c3", "1f0a...c3", a whole id) may
// mean `id`.
bool ss_text_id_fits(const char *id, const char *typed);
bool ss_text_id_is_cut(const char *typed);

#endif
