#include "tests/unit/client/command.h"
#include "tests/suite.h"
#include "tests/support/link_wait.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

struct ss_buf out;
struct ss_buf err;
static struct winsize terminal; // no rows: none

void command_setup(void)
{
    scripted_setup();
    ss_buf_init(&out, 1 << 22);
    ss_buf_init(&err, 1 << 20);
    setenv("SUPERSTEP_COORDINATOR", "tcp://127.0.0.1:9", 1);
    command_on_terminal(0, 0);
}

void command_on_terminal(unsigned short rows, unsigned short columns)
{
    terminal = (struct winsize){.ws_row = rows, .ws_col = columns};
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
}

void command_serve(void)
{
    scripted_open("tcp://127.0.0.1:*");
    setenv("SUPERSTEP_COORDINATOR", ss_link_endpoint(server), 1);
}

void command_teardown(void)
{
    scripted_teardown();
    ss_buf_fini(&out);
    ss_buf_fini(&err);
}

void read_file(FILE *file, struct ss_buf *buf)
{
    char chunk[4096];
    size_t size;
    ss_buf_reset(buf);
    rewind(file);
    while ((size = fread(chunk, 1, sizeof(chunk), file)) > 0)
        ss_buf_add(buf, chunk, size);
    fclose(file);
}

// A terminal that passes on what it is given as it is. Returns our end.
static int terminal_open(int *ret_theirs)
{
    struct termios raw;
    int ours = posix_openpt(O_RDWR | O_NOCTTY);
    ck_assert_int_ge(ours, 0);
    ck_assert_int_eq(grantpt(ours), 0);
    ck_assert_int_eq(unlockpt(ours), 0);
    *ret_theirs = open(ptsname(ours), O_RDWR | O_NOCTTY);
    ck_assert_int_ge(*ret_theirs, 0);
    ck_assert_int_eq(tcgetattr(*ret_theirs, &raw), 0);
    cfmakeraw(&raw);
    ck_assert_int_eq(tcsetattr(*ret_theirs, TCSANOW, &raw), 0);
    ck_assert_int_eq(ioctl(*ret_theirs, TIOCSWINSZ, &terminal), 0);
    return ours;
}

// Reads what is shown. False: nobody has the terminal any more.
static bool terminal_read(int ours)
{
    char chunk[4096];
    ssize_t size = read(ours, chunk, sizeof(chunk));
    if (size > 0)
        ss_buf_add(&out, chunk, (size_t)size);
    return size > 0;
}

static int run_on_terminal(const char *const *argv, const char *input)
{
    int theirs, status;
    int ours = terminal_open(&theirs);
    ss_buf_reset(&out);
    ss_buf_reset(&err);
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        for (int fd = 0; fd < 3; fd++)
            dup2(theirs, fd);
        close(ours);
        execv(argv[0], (char **)argv);
        _exit(126);
    }
    close(theirs);
    if (input)
        ck_assert_int_gt(write(ours, input, strlen(input)), 0);
    for (bool is_open = true; is_open;) {
        bool is_shown = !server || (link_wait(server, ours, -1) & 2);
        if (server)
            scripted_serve();
        is_open = !is_shown || terminal_read(ours);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    close(ours);
    scripted_end();
    ck_assert_msg(WIFEXITED(status), "it crashed: %s", ss_buf_str(&out));
    return WEXITSTATUS(status);
}

// The other end of the pipe stays open until the process ends.
int command_run(
    const char *program, const char *const *words, const char *input)
{
    const char *argv[64] = {program};
    for (size_t i = 0; words[i]; i++) {
        ck_assert_uint_lt(i + 2, sizeof(argv) / sizeof(*argv));
        argv[i + 1] = words[i];
    }
    if (terminal.ws_row > 0)
        return run_on_terminal(argv, input);
    FILE *out_file = tmpfile(), *err_file = tmpfile(), *in_file = tmpfile();
    fputs(input ? input : "", in_file);
    rewind(in_file);
    int end[2];
    ck_assert_int_eq(pipe(end), 0);
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        dup2(fileno(in_file), 0);
        dup2(fileno(out_file), 1);
        dup2(fileno(err_file), 2);
        close(end[0]);
        execv(argv[0], (char **)argv);
        _exit(126);
    }
    close(end[1]);
    fclose(in_file);
    if (server)
        while ((link_wait(server, end[0], -1) & 2) == 0)
            scripted_serve();
    int status;
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    close(end[0]);
    scripted_end();
    read_file(out_file, &out);
    read_file(err_file, &err);
    ck_assert_msg(WIFEXITED(status), "it crashed: %s", ss_buf_str(&err));
    return WEXITSTATUS(status);
}

void expect_out(const char *text)
{
    ck_assert_str_eq(ss_buf_str(&out), text);
}

void expect_err(const char *text)
{
    ck_assert_str_eq(ss_buf_str(&err), text);
}

void expect_asked(const char *text)
{
    ck_assert_str_eq(ss_buf_str(&was_asked), text);
    ss_buf_reset(&was_asked);
}

void expect_usage(int status, const char *text)
{
    ck_assert_int_eq(status, 2);
    ck_assert_msg(strstr(ss_buf_str(&err), text) != NULL,
        "\"%s\" is not in: %s", text, ss_buf_str(&err));
    expect_out("");
}

bool says(const struct ss_buf *buf, const char *text)
{
    return strstr(ss_buf_str(buf), text) != NULL;
}

int command_main(
    const char *program, const char *name, void (*add_tests)(TCase *tcase))
{
    enum { SECONDS_MAX = 600, SKIPPED = 77 };
    if (access(program, X_OK) != 0)
        return SKIPPED;
    Suite *suite = suite_create(name);
    TCase *tcase = tcase_create("served");
    tcase_set_timeout(tcase, SECONDS_MAX);
    tcase_add_checked_fixture(tcase, command_setup, command_teardown);
    tcase_add_checked_fixture(tcase, command_serve, NULL);
    add_tests(tcase);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
