// std_files.h - standard input, output and error, whoever started us.
#ifndef SS_APP_STD_FILES_H
#define SS_APP_STD_FILES_H

// A process may be started with one of the three closed. The next file that it
// opens, a socket or a database, then has that number, and what is printed goes
// into it. So each that is closed is opened as one that refuses: to read, or to
// write. Call it before any other file is opened.
void ss_std_files_open(void);

#endif
