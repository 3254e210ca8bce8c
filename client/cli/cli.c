// cli.c - from the command line to a subcommand, and how messages are printed.
#include "client/cli/cli.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/completion.h"
#include "client/cli/ids.h"
#include "client/cli/text.h"
#include "common/app/startup_warnings.h"
#include "common/app/std_files.h"
#include "common/app/version.h"
#include "common/base/mem.h"
#include "common/link/keys.h"
#include "common/model/finding.h"
#include "common/model/suggest.h"
#include "common/model/value.h"

enum { MESSAGE_SIZE = 16384, HINT_MS = 3000 };

struct ss_client_settings ss_cli_options;
struct ss_settings ss_cli_settings;

static const char exit_text[] =
    "Exit status: 0 done; 1 a failed run, or an error; 2 a wrong command "
    "line;\n"
    "3 interrupted (the run waits for an answer); 4 no coordinator answers;\n"
    "130 stopped by ctrl-C (a run that was accepted goes on).";

static const struct ss_cli_command *running;
// --json is among the words, whatever is wrong with the others.
static bool is_for_programs;

// ---------------------------------------------------------------------- saying

enum saying { SAYING_ERROR, SAYING_WARNING, SAYING_NOTE, SAYING_LINES };

static void say_json(enum saying what, const char *code, const char *message)
{
    static const char *const keys[] = {"error", "warning", "note", "error"};
    json_t *json = json_pack(
        "{s:{s:s*, s:s*}}", keys[what], "code", code, "message", message);
    char *line = json ? ss_text_line(json) : NULL;
    fprintf(stderr, "%s\n", line ? line : "{\"error\": {}}");
    ss_free(line);
    json_decref(json);
}

static void say(
    enum saying what, const char *code, const char *format, va_list args)
{
    static const struct {
        const char *title;
        enum ss_tone tone;
    } rows[] = {{"superstep:", SS_TONE_BAD},
        {"superstep: warning:", SS_TONE_WAITS}, {"superstep:", SS_TONE_WAITS},
        {"superstep:", SS_TONE_BAD}};
    // The message may quote others, whose text must not move the cursor, and
    // whose names must not begin a line.
    char message[MESSAGE_SIZE];
    vsnprintf(message, sizeof(message), format, args);
    char *lines =
        what == SAYING_LINES ? ss_text_lines(message) : ss_text_plain(message);
    struct ss_screen screen = ss_screen_of(STDERR_FILENO);
    ss_stdout_flush();
    if (is_for_programs)
        say_json(what, code, message);
    else
        fprintf(stderr, "%s%s%s %s\n", ss_tone_on(&screen, rows[what].tone),
            rows[what].title, ss_tone_off(&screen, rows[what].tone), lines);
    ss_free(lines);
}

void ss_cli_warn(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(SAYING_WARNING, NULL, format, args);
    va_end(args);
}

void ss_cli_warn_all(const json_t *answer)
{
    size_t i;
    json_t *warning;
    json_array_foreach (json_object_get(answer, "warnings"), i, warning) {
        char *text = json_is_string(warning)
                         ? ss_text_plain(json_string_value(warning))
                         : ss_text_json(warning, 0);
        ss_cli_warn("%s", text);
        ss_free(text);
    }
}

void ss_cli_note(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(SAYING_NOTE, NULL, format, args);
    va_end(args);
}

int ss_cli_fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(SAYING_ERROR, "failed", format, args);
    va_end(args);
    return SS_CLI_FAILED;
}

int ss_cli_fail_as(const char *code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(SAYING_ERROR, code, format, args);
    va_end(args);
    return SS_CLI_FAILED;
}

int ss_cli_fail_lines(const char *code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(SAYING_LINES, code, format, args);
    va_end(args);
    return SS_CLI_FAILED;
}

void ss_cli_line(FILE *to, const char *format, ...)
{
    char line[MESSAGE_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    char *plain = ss_text_plain(line);
    fprintf(to, "%s\n", plain);
    ss_free(plain);
}

static int complain(const char *help, const char *format, va_list args)
{
    say(SAYING_ERROR, "invalid_argument", format, args);
    if (!is_for_programs)
        fprintf(stderr, "%s\n", help);
    return SS_CLI_USAGE;
}

int ss_cli_usage(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *help = ss_format(
        "superstep %s --help tells more.", running ? running->name : "");
    int status = complain(help, format, args);
    ss_free(help);
    va_end(args);
    return status;
}

// A mistake before the command.
static int complain_front(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int status = complain("superstep --help lists the commands.", format, args);
    va_end(args);
    return status;
}

static void offer(struct ss_hint *hint, json_t *list, const char *key)
{
    size_t i;
    json_t *item;
    json_array_foreach (list, i, item) {
        const char *name = json_string_value(json_object_get(item, key));
        if (name)
            ss_hint_offer(hint, name);
    }
}

// Offer the names of a list of the coordinator (`op`, and that key of its
// answer) as candidates.
static void hint_from(struct ss_client *client, const char *op, const char *key,
    const char *wanted, char *ret_hint)
{
    struct ss_hint hint;
    json_t *answer;
    // The error is known already: the hint is not worth a long wait.
    const struct ss_client_ask soon = {.timeout_ms = HINT_MS};
    if (ss_client_ask(client, op, NULL, &soon, &answer, NULL) != 0)
        return;
    json_t *list = json_object_get(answer, op);
    ss_hint_init(&hint, wanted);
    offer(&hint, list, key);
    bool is_there = hint.best && strcmp(hint.best, wanted) == 0;
    snprintf(ret_hint, SS_HINT_SIZE, "%s", is_there ? "" : ss_hint_text(&hint));
    if (json_array_size(list) == 0 && strcmp(op, "graphs") == 0)
        snprintf(ret_hint, SS_HINT_SIZE,
            " No graph is known yet. Start a worker: superstep-worker --app "
            "APP.so");
    json_decref(answer);
}

int ss_cli_status(const struct ss_client_error *error)
{
    return ss_status_by_name(error->code);
}

// Where a thread was named in place of a run: its last one.
static void hint_run(
    struct ss_client *client, const char *wanted, char *ret_hint)
{
    json_t *answer;
    const struct ss_client_ask soon = {.timeout_ms = HINT_MS};
    json_t *body = json_pack("{s:s, s:i}", "thread", wanted, "limit", 1);
    if (ss_client_ask(client, "runs", body, &soon, &answer, NULL) != 0)
        return;
    const char *run = ss_json_str(
        json_array_get(json_object_get(answer, "runs"), 0), "run", NULL);
    if (run)
        snprintf(ret_hint, SS_HINT_SIZE,
            " %.200s is a thread, and its last run is %.200s", wanted, run);
    json_decref(answer);
}

int ss_cli_client_fail(struct ss_client *client,
    const struct ss_client_error *error, const char *graph, const char *thread)
{
    static const char no_run[] = "there is no run ";
    char hint[SS_HINT_SIZE] = "";
    if (ss_cli_status(error) == SS_ENOTFOUND &&
        !strstr(error->message, "Did you mean")) {
        if (!thread && strncmp(error->message, no_run, sizeof(no_run) - 1) == 0)
            hint_run(client, error->message + sizeof(no_run) - 1, hint);
        if (graph)
            hint_from(client, "graphs", "name", graph, hint);
        // What is said of a graph is not mended by another thread.
        if (thread && !*hint && !strstr(error->message, " graph \""))
            hint_from(client, "threads", "thread", thread, hint);
    }
    ss_cli_fail_as(error->code, "%s%s%s", error->message,
        *hint && !strchr(".?!", error->message[strlen(error->message) - 1])
            ? "."
            : "",
        hint);
    return ss_cli_status(error) == SS_ECLOSED ? SS_CLI_ALONE : SS_CLI_FAILED;
}

int ss_cli_ask(struct ss_client *client, const char *op, json_t *body,
    const char *graph, json_t **ret_answer)
{
    struct ss_client_error error;
    if (ss_client_ask(client, op, body, NULL, ret_answer, &error) != 0)
        return ss_cli_client_fail(client, &error, graph, NULL);
    return SS_CLI_DONE;
}

void ss_cli_json_line(const json_t *json, struct ss_buf *buf)
{
    char *text = ss_text_line(json);
    ss_buf_addf(buf, "%s\n", text);
    ss_free(text);
}

void ss_cli_print_json(const json_t *json)
{
    char *text = ss_text_line(json);
    ss_stdout_print(text);
    ss_stdout_print("\n");
    ss_free(text);
}

int ss_cli_print_answer(json_t *answer, ss_cli_print_fn *print)
{
    if (ss_cli_options.json)
        ss_cli_print_json(answer);
    else
        print(answer);
    json_decref(answer);
    return SS_CLI_DONE;
}

void ss_cli_print_buf(struct ss_buf *buf)
{
    ss_stdout_print(ss_buf_str(buf));
    ss_buf_fini(buf);
}

json_t *ss_cli_flag(bool is_given)
{
    return is_given ? json_true() : NULL;
}

json_t *ss_cli_number(int64_t number)
{
    return number != 0 ? json_integer(number) : NULL;
}

struct ss_screen ss_cli_screen(void)
{
    return ss_screen_of(STDOUT_FILENO);
}

void ss_cli_print_table(struct ss_table *table, const char *none)
{
    struct ss_buf buf;
    struct ss_screen screen = ss_cli_screen();
    ss_buf_init(&buf, SS_CLI_PAGE_SIZE_MAX);
    if (ss_table_count(table) == 0)
        ss_buf_addf(&buf, "%s\n", none);
    else
        ss_table_write(table, &screen, &buf);
    ss_cli_print_buf(&buf);
    ss_table_destroy(&table);
}

// ------------------------------------------------ dispatching

static void print_help(const struct ss_cli_command *commands)
{
    static const char *const titles[SS_CLI_GROUPS] = {
        [SS_CLI_GROUP_BUILD] = "Build a graph",
        [SS_CLI_GROUP_RUNS] = "Runs",
        [SS_CLI_GROUP_THREADS] = "Threads and their state",
        [SS_CLI_GROUP_CLUSTER] = "Look at a cluster",
        [SS_CLI_GROUP_OPERATE] = "Operate it",
        [SS_CLI_GROUP_LANGGRAPH] = "LangGraph",
        [SS_CLI_GROUP_SHELL] = "The command itself"};
    puts("Usage: superstep [--coordinator EP] [--keys DIR] [--json] COMMAND "
         "[options]\n\n"
         "Durable graphs: run them, follow them, look at their state.");
    for (int group = 0; group < SS_CLI_GROUPS; group++) {
        printf("\n%s:\n", titles[group]);
        for (const struct ss_cli_command *it = commands; it->name; it++)
            if ((int)it->group == group)
                printf("  %-11s %s\n", it->name, it->summary);
    }
    printf("\nsuperstep COMMAND --help tells more of a command. An id may be "
           "typed as far\nas no other one begins so, four characters at "
           "least.\n\n%s\n",
        exit_text);
}

// What LangGraph's users type: the command that does it here; "": none.
static const char *of_langgraph(const char *name)
{
    static const char *const words[][2] = {{"invoke", "run"},
        {"ainvoke", "run"}, {"stream", "run --stream updates"},
        {"astream", "run --stream updates"}, {"get_state", "state"},
        {"get_state_history", "history"}, {"update_state", "update"},
        {"fork", "run --at CHECKPOINT"}, {"up", "dev"}};
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (strcmp(words[i][0], name) == 0)
            return words[i][1];
    return "";
}

static const struct ss_cli_command *find(
    const struct ss_cli_command *commands, const char *name)
{
    struct ss_hint hint;
    char small[SS_HINT_SIZE]; // names of commands are
    size_t size = 0;
    for (; name[size] && size < sizeof(small) - 1; size++)
        small[size] = (char)tolower((unsigned char)name[size]);
    small[size] = '\0';
    ss_hint_init(&hint, small);
    for (; commands->name; commands++) {
        if (strcmp(commands->name, name) == 0)
            return commands;
        ss_hint_offer(&hint, commands->name);
    }
    const char *here = of_langgraph(name);
    complain_front("there is no command \"%.100s\".%s%s", name,
        *here ? " What it does is here: superstep " : ss_hint_text(&hint),
        here);
    return NULL;
}

static void warn_text(const char *text)
{
    ss_cli_warn("%s", text);
}

static bool takes_value(const char *word)
{
    for (const struct ss_arg *it = ss_cli_settings.items; it->name; it++)
        if (strcmp(word + strspn(word, "-"), it->name) == 0)
            return it->kind != SS_ARG_FLAG;
    return false;
}

// The options before the command. Returns the index of the command; 0: there is
// nothing left to do, and *ret_exit has the exit status.
static int parse_front(
    const struct ss_cli_command *commands, int argc, char **argv, int *ret_exit)
{
    const struct ss_args args = {.program = "superstep",
        .items = ss_cli_settings.items,
        .warn = warn_text};
    int count = 1;
    while (count < argc && argv[count][0] == '-')
        count += takes_value(argv[count]) ? 2 : 1;
    if (count > argc)
        count = argc;
    char asked;
    struct ss_error error = {0};
    *ret_exit = SS_CLI_USAGE;
    if (ss_args_parse(&args, count, argv, &asked, &error) != SS_OK) {
        complain_front("%s", error.message);
        return 0;
    }
    if (asked == 'v')
        printf("superstep %s\n", SS_VERSION_TEXT);
    else if (asked == 'h')
        print_help(commands);
    else if (count == argc)
        fputs(
            "superstep: which command? superstep --help lists them.\n", stderr);
    else
        return count;
    *ret_exit = asked ? SS_CLI_DONE : SS_CLI_USAGE;
    return 0;
}

static void warn(void *ctx, enum ss_finding finding, const char *text)
{
    (void)ctx;
    ss_cli_warn("%s: %s", text, ss_finding_remedy(finding));
}

// Requests are JSON: a name that is not UTF-8 would be silently left out, and
// the request would mean another thread or run. Names of files may have any
// bytes.
static int check_words(
    const struct ss_cli_command *command, int argc, char **argv)
{
    int status = SS_CLI_DONE;
    for (int i = 1; i < argc && status == SS_CLI_DONE; i++) {
        json_t *text = json_string(argv[i]);
        if (!text && command->word != SS_CLI_WORD_FILE)
            status = ss_cli_usage("a word of the command is not text in UTF-8");
        json_decref(text);
    }
    return status;
}

void ss_cli_tell_wait(void *ctx, const char *why)
{
    static bool is_told;
    (void)ctx;
    if (why && !is_told)
        ss_cli_note("it waits: %s", why);
    is_told = why != NULL;
}

static int run(const struct ss_cli_command *command, int argc, char **argv)
{
    running = command;
    if (command->is_offline)
        return command->run(NULL);
    int status = check_words(command, argc, argv);
    if (status != SS_CLI_DONE)
        return status;
    ss_startup_warnings_variables(warn, NULL);
    ss_startup_warnings_exposed(&ss_cli_settings, ss_cli_options.keys,
        SS_ROLE_OPERATOR | SS_ROLE_CLIENT, warn, NULL);
    struct ss_client *client;
    struct ss_client_error error;
    const struct ss_client_options options = {
        .endpoints = ss_cli_options.endpoints, .keys = ss_cli_options.keys};
    if (ss_client_open(&options, &client, &error) != 0)
        return ss_cli_status(&error) == SS_EINVAL
                   ? ss_cli_usage("%s", error.message)
                   : ss_cli_fail("%s", error.message);
    ss_client_on_wait(client, ss_cli_tell_wait, NULL);
    status = ss_cli_find_words(client, command);
    if (status == SS_CLI_DONE)
        status = command->run(client);
    ss_cli_find_words_fini();
    ss_client_close(&client);
    return status;
}

// As ss_args_run(), but what is wrong is told as the command tells it.
static int parse(const struct ss_args *args, int argc, char **argv)
{
    char asked;
    struct ss_error error = {0};
    if (ss_args_parse(args, argc, argv, &asked, &error) != SS_OK)
        return is_for_programs ? ss_cli_usage("%s", error.message)
                               : ss_args_refuse(args, &error);
    if (asked)
        ss_args_answer(args, asked);
    return asked ? SS_CLI_DONE : -1;
}

static int run_words(
    const struct ss_cli_command *command, int argc, char **argv)
{
    char *program = ss_format("superstep %s", command->name);
    char *about = ss_format("%s%s%s", command->summary,
        command->about ? "\n\n" : "", command->about ? command->about : "");
    const struct ss_args args = {.program = program,
        .usage = command->usage,
        .about = about,
        .items = command->options,
        .footer = exit_text,
        .warn = warn_text};
    int status = parse(&args, argc, argv);
    if (status < 0)
        status = run(command, argc, argv);
    ss_args_fini(&args);
    ss_free(program);
    ss_free(about);
    return status;
}

// superstep help [COMMAND], as many a hand types it. Returns the exit status.
static int help(const struct ss_cli_command *commands, int argc, char **argv)
{
    static char asked[] = "--help";
    if (argc < 2 || strcmp(argv[1], "help") == 0) {
        print_help(commands);
        return SS_CLI_DONE;
    }
    const struct ss_cli_command *command = find(commands, argv[1]);
    char *words[] = {argv[1], asked, NULL};
    return command ? run_words(command, 2, words) : SS_CLI_USAGE;
}

int ss_cli_main(const struct ss_cli_command *commands, int argc, char **argv)
{
    int status;
    char unwritten[SS_STDOUT_TEXT_SIZE];
    ss_std_files_open();
    ss_value_setup();
    ss_text_setup();
    ss_settings_init(&ss_cli_settings, SS_SETTINGS_OF_CLIENT, &ss_cli_options);
    ss_cli_completion_commands(commands);
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        is_for_programs = is_for_programs || strcmp(argv[i], "--json") == 0;
    int at = parse_front(commands, argc, argv, &status);
    bool is_help = at > 0 && strcmp(argv[at], "help") == 0;
    const struct ss_cli_command *command =
        at > 0 && !is_help ? find(commands, argv[at]) : NULL;
    if (is_help)
        status = help(commands, argc - at, argv + at);
    else if (command)
        status = run_words(command, argc - at, argv + at);
    else if (at > 0)
        status = SS_CLI_USAGE;
    ss_settings_fini(&ss_cli_settings);
    return ss_stdout_is_written(unwritten) ? status
                                           : ss_cli_fail("%s", unwritten);
}
