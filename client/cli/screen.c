// screen.c - what a terminal is like.
#include "client/cli/screen.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDTH_DEFAULT = 80, HEIGHT_DEFAULT = 24 }; // it does not know its own

static bool wants_colours(void)
{
    const char *none = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    return !(none && *none) && term && *term && strcmp(term, "dumb") != 0;
}

struct ss_screen ss_screen_of(int fd)
{
    struct winsize size;
    if (!isatty(fd) || ioctl(fd, TIOCGWINSZ, &size) != 0)
        return (struct ss_screen){0};
    return (struct ss_screen){
        .width = size.ws_col ? size.ws_col : WIDTH_DEFAULT,
        .height = size.ws_row ? size.ws_row : HEIGHT_DEFAULT,
        .is_coloured = wants_colours()};
}

const char *ss_tone_on(const struct ss_screen *screen, enum ss_tone tone)
{
    static const char *const codes[] = {[SS_TONE_PLAIN] = "",
        [SS_TONE_DIM] = "\033[2m",
        [SS_TONE_BAD] = "\033[31m",
        [SS_TONE_WAITS] = "\033[33m"};
    return screen->is_coloured ? codes[tone] : "";
}

const char *ss_tone_off(const struct ss_screen *screen, enum ss_tone tone)
{
    return screen->is_coloured && tone != SS_TONE_PLAIN ? "\033[0m" : "";
}

enum ss_tone ss_tone_of_status(const char *status)
{
    static const struct {
        const char *begins;
        enum ss_tone tone;
    } words[] = {{"failed", SS_TONE_BAD}, {"waiting", SS_TONE_WAITS},
        {"interrupted", SS_TONE_WAITS}, {"queued", SS_TONE_WAITS},
        {"paused", SS_TONE_WAITS}, {"quarantined", SS_TONE_WAITS},
        {"backoff", SS_TONE_WAITS}, {"asks ", SS_TONE_WAITS}};
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (strncmp(status, words[i].begins, strlen(words[i].begins)) == 0)
            return words[i].tone;
    return SS_TONE_PLAIN;
}
