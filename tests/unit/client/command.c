#include "tests/unit/client/command.h"
#include "tests/support/link_wait.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct ss_buf out;
struct ss_buf err;

void command_setup(void)
{
    scripted_setup();
    ss_buf_init(&out, 1 << 22);
    ss_buf_init(&err, 1 << 20);
    setenv("SUPERSTEP_COORDINATOR", "tcp://127.0.0.1:9", 1);
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

// The other end of the pipe stays open until the process ends.
int command_run(
    const char *program, const char *const *words, const char *input)
{
    const char *argv[64] = {program};
    for (size_t i = 0; words[i]; i++) {
        ck_assert_uint_lt(i + 2, sizeof(argv) / sizeof(*argv));
        argv[i + 1] = words[i];
    }
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
