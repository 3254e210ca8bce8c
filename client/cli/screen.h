// screen.h - the terminal that something is written to, and its colours.
//
// Colours follow what is agreed among programs: none where the file is no
// terminal, NO_COLOR is set (https://no-color.org), or TERM is "dumb".
#ifndef SS_CLI_SCREEN_H
#define SS_CLI_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

// Zero bytes: no terminal. Nothing is cut then, and nothing is coloured.
struct ss_screen {
    size_t width;  // columns
    size_t height; // rows
    bool is_coloured;
};

struct ss_screen ss_screen_of(int fd);

enum ss_tone {
    SS_TONE_PLAIN,
    SS_TONE_DIM,  // ids, and what is there for completeness
    SS_TONE_BAD,  // red: it failed
    SS_TONE_WAITS // yellow: somebody or something is waited for
};

// What switches the tone on, and off again; "" where there are no colours.
const char *ss_tone_on(const struct ss_screen *screen, enum ss_tone tone);
const char *ss_tone_off(const struct ss_screen *screen, enum ss_tone tone);
// The tone of the word for how a run or a task stands: "failed", "queued".
enum ss_tone ss_tone_of_status(const char *status);

#endif
