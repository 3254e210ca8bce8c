// std_files.c - /dev/null, the wrong way round.
#include "common/app/std_files.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

void ss_std_files_open(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) // the lowest that is free
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}
