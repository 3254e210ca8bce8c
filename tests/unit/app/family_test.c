// A family of processes: what its parent makes of how children end. The
// children write letters into a pipe, which the test reads.
#include "common/app/family.h"

#include <check.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/app/notify.h"
#include "common/base/mem.h"
#include "tests/suite.h"

enum { WRONG = 3 };

static int letters[2];
static pid_t parent;
static void (*in_parent)(void); // before it begins; NULL: nothing

static void say(char letter)
{
    (void)!write(letters[1], &letter, 1);
}

// Waits for it; 0: nobody can write any more.
static char heard(void)
{
    char letter = 0;
    (void)!read(letters[0], &letter, 1);
    return letter;
}

static void wait_for_end(void)
{
    for (;;)
        pause();
}

static enum ss_family_end ended(
    void *ctx, const struct ss_family_child *child, int code)
{
    (void)ctx;
    (void)child;
    return code == 0 ? SS_FAMILY_AWAY : SS_FAMILY_OVER;
}

static void begin_family(
    unsigned count, int (*be)(void *ctx, const struct ss_family_child *child))
{
    ck_assert_int_eq(pipe(letters), 0);
    fflush(NULL);
    parent = fork();
    ck_assert_int_ge(parent, 0);
    if (parent == 0) {
        close(letters[0]);
        signal(SIGTERM, SIG_DFL); // not as check takes it
        signal(SIGINT, SIG_DFL);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (!freopen("/dev/null", "w", stderr))
            _exit(99);
        ss_notify_begin();
        if (in_parent)
            in_parent();
        _exit(ss_family_run(&(struct ss_family_options){.noun = "child",
            .count = count,
            .again = SIGKILL,
            .be = be,
            .ended = ended}));
    }
    close(letters[1]);
}

// Its exit code, once it has ended.
static int family_code(void)
{
    int status;
    ck_assert_int_eq(waitpid(parent, &status, 0), parent);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int stop_family(void)
{
    kill(parent, SIGTERM);
    return family_code();
}

// ------------------------------------------------ who begins when

static int open_late(void *ctx, const struct ss_family_child *child)
{
    (void)ctx;
    if (child->index == 0) {
        say('a');
        ss_family_opened();
    } else {
        say('b');
    }
    wait_for_end();
    return 0;
}

START_TEST(the_others_wait_until_the_first_one_has_opened)
{
    begin_family(3, open_late);
    ck_assert_int_eq(heard(), 'a');
    ck_assert_int_eq(heard(), 'b');
    ck_assert_int_eq(heard(), 'b');
    ck_assert_int_eq(stop_family(), 0);
    ck_assert_int_eq(heard(), 0); // nobody is left
}
END_TEST

static int blows[2];

// In a child, before it does anything: the first one gets it.
static void take_blow(void)
{
    char blow;
    if (read(blows[0], &blow, 1) == 1)
        raise(SIGTERM);
}

static void prepare_blow(void)
{
    if (pipe(blows) != 0 || write(blows[1], "x", 1) != 1 ||
        pthread_atfork(NULL, NULL, take_blow) != 0)
        _exit(99);
    close(blows[1]);
}

static int count_starts(void *ctx, const struct ss_family_child *child)
{
    (void)ctx;
    say((char)('0' + child->starts));
    return 0;
}

// It dies of it, and its parent does not take it for its own.
START_TEST(a_signal_at_the_very_beginning_of_a_child_is_the_childs)
{
    in_parent = prepare_blow;
    begin_family(1, count_starts);
    ck_assert_int_eq(heard(), '2');
    ck_assert_int_eq(family_code(), 0);
}
END_TEST

static int be_wrong(void *ctx, const struct ss_family_child *child)
{
    (void)ctx;
    say((char)('a' + child->index));
    return WRONG;
}

START_TEST(what_is_wrong_with_the_first_one_is_seen_once)
{
    begin_family(3, be_wrong);
    ck_assert_int_eq(family_code(), WRONG);
    ck_assert_int_eq(heard(), 'a');
    ck_assert_int_eq(heard(), 0);
}
END_TEST

// ------------------------------------------------ how they end

static int die_once(void *ctx, const struct ss_family_child *child)
{
    (void)ctx;
    say((char)('a' + child->index));
    ss_family_opened(); // the other one comes behind that letter
    if (child->index == 1 && child->starts == 1)
        raise(SIGKILL);
    if (child->index == 1)
        say('!');
    wait_for_end();
    return 0;
}

START_TEST(one_that_dies_is_started_again)
{
    begin_family(2, die_once);
    ck_assert_int_eq(heard(), 'a');
    ck_assert_int_eq(heard(), 'b');
    ck_assert_int_eq(heard(), 'b');
    ck_assert_int_eq(heard(), '!');
    ck_assert_int_eq(stop_family(), 0);
}
END_TEST

static int exit_inside(void *ctx, const struct ss_family_child *child)
{
    (void)ctx;
    say('a');
    if (child->starts == 1)
        _exit(0); // as code of somebody else does
    return 0;
}

START_TEST(an_exit_in_the_middle_of_its_work_is_a_crash)
{
    begin_family(1, exit_inside);
    ck_assert_int_eq(family_code(), 0);
    ck_assert_int_eq(heard(), 'a');
    ck_assert_int_eq(heard(), 'a');
    ck_assert_int_eq(heard(), 0);
}
END_TEST

static int end_on_purpose(void *ctx, const struct ss_family_child *child)
{
    (void)ctx;
    say((char)('a' + child->index));
    ss_family_opened();
    return 0;
}

START_TEST(one_that_ends_on_purpose_stays_away)
{
    begin_family(2, end_on_purpose);
    ck_assert_int_eq(family_code(), 0);
    ck_assert_int_eq(heard(), 'a');
    ck_assert_int_eq(heard(), 'b');
    ck_assert_int_eq(heard(), 0);
}
END_TEST

static int hear_nothing(void *ctx, const struct ss_family_child *child)
{
    (void)ctx;
    (void)child;
    signal(SIGTERM, SIG_IGN);
    say('a');
    wait_for_end();
    return 0;
}

START_TEST(a_second_signal_ends_who_does_not_hear_the_first_one)
{
    begin_family(1, hear_nothing);
    ck_assert_int_eq(heard(), 'a');
    kill(parent, SIGTERM);
    kill(parent, SIGINT);
    ck_assert_int_eq(family_code(), 0);
    ck_assert_int_eq(heard(), 0);
}
END_TEST

START_TEST(children_end_with_their_parent)
{
    begin_family(2, open_late);
    ck_assert_int_eq(heard(), 'a');
    ck_assert_int_eq(heard(), 'b');
    kill(parent, SIGKILL);
    ck_assert_int_eq(waitpid(parent, NULL, 0), parent);
    ck_assert_int_eq(heard(), 0);
}
END_TEST

// ------------------------------------------------ what the manager hears

static int manager = -1;
static char manager_path[64];

static void begin_manager(const char *watchdog_us)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    snprintf(manager_path, sizeof(manager_path), "/tmp/ss-family-test.%ld",
        (long)getpid());
    memcpy(at.sun_path, manager_path, strlen(manager_path));
    manager = socket(AF_UNIX, SOCK_DGRAM, 0);
    ck_assert_int_eq(
        bind(manager, (const struct sockaddr *)&at, sizeof(at)), 0);
    setenv("NOTIFY_SOCKET", manager_path, 1);
    unsetenv("WATCHDOG_PID");
    if (watchdog_us)
        setenv("WATCHDOG_USEC", watchdog_us, 1);
}

static void end_manager(void)
{
    if (manager < 0)
        return;
    close(manager);
    manager = -1;
    unlink(manager_path);
    unsetenv("NOTIFY_SOCKET");
}

// Waits until the manager is told so, and not what it must not hear before.
static void manager_hears(const char *wanted, const char *not_before)
{
    char text[1024];
    do {
        ssize_t size = recv(manager, text, sizeof(text) - 1, 0);
        ck_assert_int_gt(size, 0);
        text[size] = '\0';
        ck_assert_msg(!not_before || !strstr(text, not_before), "%s", text);
    } while (!strstr(text, wanted));
}

static int gate[2]; // a child waits until something stands in it

static int be_ready(void *ctx, const struct ss_family_child *child)
{
    (void)ctx;
    ss_family_opened();
    if (child->index == 1) {
        char letter;
        (void)ss_notify_turn(1, "it waits");
        (void)!read(gate[0], &letter, 1); // until the test has heard that
    }
    (void)ss_notify_turn(2, NULL);
    wait_for_end();
    return 0;
}

START_TEST(a_family_is_ready_when_each_one_is)
{
    begin_manager(NULL);
    ck_assert_int_eq(pipe(gate), 0);
    begin_family(2, be_ready);
    manager_hears("child 2: it waits", "READY=1");
    ck_assert_int_eq(write(gate[1], "", 1), 1);
    manager_hears("READY=1", NULL);
    kill(parent, SIGTERM);
    manager_hears("STOPPING=1", NULL);
    ck_assert_int_eq(family_code(), 0);
}
END_TEST

static int hang_once(void *ctx, const struct ss_family_child *child)
{
    (void)ctx;
    say((char)('0' + child->starts));
    (void)ss_notify_turn(1, NULL);
    wait_for_end();
    return 0;
}

START_TEST(one_that_hangs_is_started_again_where_somebody_watches)
{
    begin_manager("40000");
    begin_family(1, hang_once);
    ck_assert_int_eq(heard(), '1');
    manager_hears("READY=1", NULL);
    ck_assert_int_eq(heard(), '2');
    ck_assert_int_eq(stop_family(), 0);
}
END_TEST

static int tell_and_end(void *ctx, const struct ss_family_child *child)
{
    (void)ctx;
    (void)child;
    ss_family_tell("X_PLACE", "here=there");
    return 0;
}

static void told(void *ctx, const struct ss_family_child *child,
    const char *name, const char *value)
{
    (void)child;
    snprintf(ctx, 64, "%s is %s", name, value);
}

START_TEST(what_a_child_says_last_is_heard)
{
    char text[64] = "";
    ss_notify_begin();
    ck_assert_int_eq(ss_family_run(&(struct ss_family_options){.noun = "child",
                         .count = 1,
                         .again = SIGKILL,
                         .ctx = text,
                         .be = tell_and_end,
                         .ended = ended,
                         .told = told}),
        0);
    ck_assert_str_eq(text, "X_PLACE is here=there");
}
END_TEST

static int fill_and_end(void *ctx, const struct ss_family_child *child)
{
    enum { MORE_THAN_FITS = 10000 };
    char pid[16];
    (void)ctx;
    snprintf(pid, sizeof(pid), "%d\n", (int)getpid());
    if (child->starts > 1)
        return 1; // what was said before has been taken for a crash
    kill(getppid(), SIGSTOP);
    for (int i = 0; i < MORE_THAN_FITS; i++)
        ss_family_tell("X_PLACE", "here=there");
    (void)!write(letters[1], pid, strlen(pid));
    return 0;
}

// 'R', 'S' (it waits), 'Z' (it has ended)
static char state_of(long pid)
{
    char path[64], state = '?';
    snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
        state = '?';
    if (file)
        fclose(file);
    return state;
}

START_TEST(the_last_word_of_a_child_waits_until_it_is_heard)
{
    char pid[16] = "";
    begin_family(1, fill_and_end);
    for (size_t i = 0; i < sizeof(pid) - 1 && !strchr(pid, '\n'); i++)
        pid[i] = heard();
    long child = strtol(pid, NULL, 10);
    while (state_of(child) == 'R')
        sched_yield();
    kill(parent, SIGCONT);
    ck_assert_int_eq(family_code(), 0);
}
END_TEST

START_TEST(outside_of_a_family_nothing_is_told)
{
    ss_notify_begin();
    ss_family_opened();
    ss_family_tell("X_PLACE", "here");
    begin_manager(NULL);
    ss_notify_begin(); // a manager is not a parent
    ss_family_tell("X_PLACE", "here");
    ss_notify_stopping();
    manager_hears("STOPPING=1", "X_PLACE");
    ss_notify_begin();
}
END_TEST

START_TEST(how_a_process_ended_is_said_in_words)
{
    int status;
    pid_t pid = fork();
    if (pid == 0)
        _exit(7);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    char *how = ss_family_how(status);
    ck_assert_str_eq(how, "ended with exit code 7");
    ss_free(how);
    pid = fork();
    if (pid == 0) {
        raise(SIGKILL);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    how = ss_family_how(status);
    ck_assert_str_eq(how, "was killed by signal 9 (Killed)");
    ss_free(how);
}
END_TEST

static void tear_down(void)
{
    end_manager();
}

int main(void)
{
    Suite *suite = suite_create("family");
    TCase *tcase = tcase_create("family");
    tcase_add_checked_fixture(tcase, NULL, tear_down);
    tcase_add_test(tcase, the_others_wait_until_the_first_one_has_opened);
    tcase_add_test(
        tcase, a_signal_at_the_very_beginning_of_a_child_is_the_childs);
    tcase_add_test(tcase, what_is_wrong_with_the_first_one_is_seen_once);
    tcase_add_test(tcase, one_that_dies_is_started_again);
    tcase_add_test(tcase, an_exit_in_the_middle_of_its_work_is_a_crash);
    tcase_add_test(tcase, one_that_ends_on_purpose_stays_away);
    tcase_add_test(tcase, a_second_signal_ends_who_does_not_hear_the_first_one);
    tcase_add_test(tcase, children_end_with_their_parent);
    tcase_add_test(tcase, a_family_is_ready_when_each_one_is);
    tcase_add_test(
        tcase, one_that_hangs_is_started_again_where_somebody_watches);
    tcase_add_test(tcase, what_a_child_says_last_is_heard);
    tcase_add_test(tcase, the_last_word_of_a_child_waits_until_it_is_heard);
    tcase_add_test(tcase, outside_of_a_family_nothing_is_told);
    tcase_add_test(tcase, how_a_process_ended_is_said_in_words);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
