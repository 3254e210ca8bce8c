// last_words.c - a handler for SIGABRT, one for std::terminate, and what they
// find out. Nothing here allocates before the process ends: it may be the heap
// that is damaged.
#include "common/app/last_words.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/app/family.h"
#include "common/app/notify.h"
#include "common/base/mem.h"

#define LINE_HEAD "superstep: aborts: "

typedef void terminate_fn(void);

// What glibc keeps for debuggers: the text of assert(), and of what it finds
// damaged.
struct abort_message {
    unsigned size;
    char text[];
};

static struct {
    terminate_fn *cxx_terminate; // prints the exception and aborts
    struct abort_message **glibc;
    char text[SS_LAST_WORDS_SIZE]; // why, as far as it is known
} last;

// ------------------------------------------------ saying

// One line, of at most SS_LAST_WORDS_SIZE - 1 bytes, no letter cut in two.
static void take_line(const char *text, size_t size, char *ret_line)
{
    while (size > 0 && (text[size - 1] == '\n' || text[size - 1] == ' '))
        size--;
    if (size > SS_LAST_WORDS_SIZE - 1) {
        size = SS_LAST_WORDS_SIZE - 1;
        while (size > 0 && ((unsigned char)text[size] & 0xC0) == 0x80)
            size--;
    }
    for (size_t i = 0; i < size; i++)
        ret_line[i] = (char)((unsigned char)text[i] < ' ' ? ' ' : text[i]);
    ret_line[size] = '\0';
}

static void say(const char *words)
{
    char line[sizeof(LINE_HEAD) + SS_LAST_WORDS_SIZE + 1];
    if (ss_notify_has_parent()) {
        ss_family_tell(SS_LAST_WORDS_NAME, words);
        return;
    }
    snprintf(line, sizeof(line), LINE_HEAD "%s\n", words);
    (void)!write(STDOUT_FILENO, line, strlen(line));
}

static void on_abort(int signal)
{
    if (!*last.text && last.glibc && *last.glibc) {
        const char *text = (*last.glibc)->text;
        take_line(text, strlen(text), last.text);
    }
    if (*last.text)
        say(last.text);
    raise(signal); // the handler is gone: it ends the process as it would have
}

// ------------------------------------------------ an exception

// "terminate called after throwing an instance of 'T'\n  what():  text", or
// "terminate called without an active exception".
static void take_exception(char *printed)
{
    static const char instance[] =
        "terminate called after throwing an instance of '";
    static const char what[] = "what():  ";
    if (strncmp(printed, instance, sizeof(instance) - 1) == 0) {
        char text[2 * SS_LAST_WORDS_SIZE];
        char *type = printed + sizeof(instance) - 1;
        char *says = strstr(type, what);
        type[strcspn(type, "'\n")] = '\0';
        snprintf(text, sizeof(text), "uncaught %s%s%s", type, says ? ": " : "",
            says ? says + sizeof(what) - 1 : "");
        take_line(text, strlen(text), last.text);
    } else {
        take_line(printed, strlen(printed), last.text);
    }
}

static int fds[2]; // what is printed passes here
static int stderr_fd;

// What the library printed goes on to standard error, and is kept.
static void on_abort_of_exception(int signal)
{
    char printed[1024];
    ssize_t size = read(fds[0], printed, sizeof(printed) - 1);
    dup2(stderr_fd, STDERR_FILENO);
    if (size > 0) {
        printed[size] = '\0';
        (void)!write(STDERR_FILENO, printed, (size_t)size);
        take_exception(printed);
    }
    on_abort(signal);
}

// Only the library knows how an exception is shown, so it shows it, into a
// pipe that has room for it.
static void on_terminate(void)
{
    struct sigaction action = {
        .sa_handler = on_abort_of_exception, .sa_flags = (int)SA_RESETHAND};
    stderr_fd = dup(STDERR_FILENO);
    if (stderr_fd >= 0 && pipe(fds) == 0) {
        fcntl(fds[0], F_SETFL, O_NONBLOCK);
        fcntl(fds[1], F_SETFL, O_NONBLOCK);
        sigaction(SIGABRT, &action, NULL);
        dup2(fds[1], STDERR_FILENO);
    }
    last.cxx_terminate();
}

// A function of a library that may not be there: C has no cast for it.
static bool find(void *library, const char *name, void *ret_function)
{
    void *found = dlsym(library, name);
    memcpy(ret_function, &found, sizeof(found));
    return found != NULL;
}

static void mind_exceptions(void)
{
    terminate_fn *(*set)(terminate_fn *) = NULL;
    void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD);
    if (!library)
        return; // no C++ here
    if (find(library, "_ZN9__gnu_cxx27__verbose_terminate_handlerEv",
            &last.cxx_terminate) &&
        find(library, "_ZSt13set_terminatePFvvE", &set)) {
        terminate_fn *before = set(on_terminate);
        if (before != last.cxx_terminate && before != on_terminate)
            set(before); // the application's own
    }
    dlclose(library);
}

void ss_last_words_begin(void)
{
    struct sigaction before;
    struct sigaction action = {
        .sa_handler = on_abort, .sa_flags = (int)SA_RESETHAND};
    if (sigaction(SIGABRT, NULL, &before) != 0 || before.sa_handler != SIG_DFL)
        return;
    last.glibc = dlsym(RTLD_DEFAULT, "__abort_msg");
    sigaction(SIGABRT, &action, NULL);
    mind_exceptions();
}

// ------------------------------------------------ hearing

bool ss_last_words_are(const char *line, const char **ret_words)
{
    if (strncmp(line, LINE_HEAD, sizeof(LINE_HEAD) - 1) != 0)
        return false;
    *ret_words = line + sizeof(LINE_HEAD) - 1;
    return true;
}

char *ss_last_words_how(int status, const char *words)
{
    if (!WIFSIGNALED(status))
        return ss_format("exit code %d", WEXITSTATUS(status));
    int signal = WTERMSIG(status);
    if (signal != SIGABRT)
        return ss_format("signal %d (%s)", signal, strsignal(signal));
    json_t *as_text = words && *words ? json_string(words) : NULL;
    char *how = ss_format("signal %d (%s): %s", signal, strsignal(signal),
        as_text ? words : "the worker's output says why");
    json_decref(as_text);
    return how;
}
