// std_files.c - /dev/null, the wrong way round; and whether stdout was written.
#include "common/app/std_files.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int unwritten_why; // an errno, of the first write that failed; 0: none

void ss_std_files_open(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) // the lowest that is free
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

// Right behind a write.
static void keep_why(bool is_written)
{
    if (!is_written && unwritten_why == 0)
        unwritten_why = errno;
}

void ss_stdout_print(const char *text)
{
    keep_why(fputs(text, stdout) >= 0);
}

void ss_stdout_flush(void)
{
    keep_why(fflush(stdout) == 0);
}

bool ss_stdout_is_written(char ret_text[SS_STDOUT_TEXT_SIZE])
{
    struct pollfd out = {.fd = STDOUT_FILENO};
    ss_stdout_flush();
    if (!ferror(stdout) || (poll(&out, 1, 0) == 1 && (out.revents & POLLERR)))
        return true;
    snprintf(ret_text, SS_STDOUT_TEXT_SIZE, "stdout: cannot write%s%s",
        unwritten_why ? ": " : "",
        unwritten_why ? strerror(unwritten_why) : "");
    return false;
}
