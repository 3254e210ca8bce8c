// last_words.h - why a process aborts, told to whoever started it.
//
// An uncaught C++ exception, a failed assert() and a heap that glibc finds
// damaged say why on standard error and end the process by SIGABRT. Whoever has
// only the signal is as wise as before: so the process repeats the reason on
// its way out, to its parent (family.h), or else as a line on standard output.
//
//     throw std::runtime_error("no route")   uncaught std::runtime_error: no
//                                            route
//     assert(rows > 0)                       app.c:7: body: Assertion `rows >
//                                            0' failed.
//     free() of what is freed                double free or corruption (out)
//
// The texts are those of glibc and libstdc++. With other libraries, or where
// the program has handlers of its own, there are none, and the end is the same.
#ifndef SS_APP_LAST_WORDS_H
#define SS_APP_LAST_WORDS_H

#include <stdbool.h>

enum { SS_LAST_WORDS_SIZE = 132 }; // with its NUL; more is cut

// What ss_family_options.told() gets them as.
#define SS_LAST_WORDS_NAME "X_LAST_WORDS"

// From now on this process says them. Call it when all libraries are loaded. A
// handler that somebody else has set stays.
void ss_last_words_begin(void);
// Whether the line is what a process without a parent says: then *ret_words
// borrows from it.
bool ss_last_words_are(const char *line, const char **ret_words);
// What waitpid() says, with what the process had said before: "signal 6
// (Aborted): uncaught std::runtime_error: no route", "signal 11 (Segmentation
// fault)", "exit code 3". `words`: NULL or "" where it said nothing. Gives.
char *ss_last_words_how(int status, const char *words);

#endif
