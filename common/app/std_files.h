// std_files.h - standard input, output and error, whoever started us.
#ifndef SS_APP_STD_FILES_H
#define SS_APP_STD_FILES_H

#include <stdbool.h>

// A process may be started with one of the three closed. The next file that it
// opens, a socket or a database, then has that number, and what is printed goes
// into it. So each that is closed is opened as one that refuses: to read, or to
// write. Call it before any other file is opened.
void ss_std_files_open(void);

// Print to standard output, and write what was printed. Why that fails is kept,
// as nothing tells it later: so what is long, or may be the first that a full
// disk refuses, goes this way.
void ss_stdout_print(const char *text);
void ss_stdout_flush(void);
// Whether what was printed has arrived. A reader that has gone, as `head` does,
// has read what it wanted. False: `ret_text`, for people.
enum { SS_STDOUT_TEXT_SIZE = 128 };
bool ss_stdout_is_written(char ret_text[SS_STDOUT_TEXT_SIZE]);

#endif
