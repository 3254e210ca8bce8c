// cli.h - what the subcommands of `superstep` share.
//
// A subcommand is a row of client/commands.def, and a function with a table of
// options (options.h) in a file client/cmd_....c. Tables and messages are for
// people; with --json programs get the coordinator's answer whole.
#ifndef SS_CLI_CLI_H
#define SS_CLI_CLI_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <superstep/client.h>

#include "client/cli/screen.h"
#include "client/cli/table.h"
#include "common/app/settings.h"

// The exit statuses; --help explains them to people.
enum ss_cli_exit {
    SS_CLI_DONE = 0,
    SS_CLI_FAILED = 1,      // a failed run, or an error
    SS_CLI_USAGE = 2,       // the command line
    SS_CLI_INTERRUPTED = 3, // the run waits for an answer
    SS_CLI_ALONE = 4,       // no coordinator answers
    SS_CLI_STOPPED = 130,   // ctrl-C; a run goes on
};

// The options that every subcommand takes.
extern struct ss_client_settings ss_cli_options;
extern struct ss_settings ss_cli_settings; // over them

// What completes a subcommand's words.
enum ss_cli_word {
    SS_CLI_WORD_NONE,
    SS_CLI_WORD_GRAPH,
    SS_CLI_WORD_LIMIT,
    SS_CLI_WORD_THREAD,
    SS_CLI_WORD_RUN,
    SS_CLI_WORD_EITHER, // a run or a thread
    SS_CLI_WORD_WORKER,
    SS_CLI_WORD_FILE,
};

// What a subcommand is about: --help lists those of a group together, in this
// order.
enum ss_cli_group {
    SS_CLI_GROUP_BUILD,
    SS_CLI_GROUP_RUNS,
    SS_CLI_GROUP_THREADS,
    SS_CLI_GROUP_CLUSTER,
    SS_CLI_GROUP_OPERATE,
    SS_CLI_GROUP_LANGGRAPH,
    SS_CLI_GROUP_SHELL,
    SS_CLI_GROUPS,
};

// Whether a subcommand talks to a coordinator.
enum { SS_CLI_IS_ONLINE, SS_CLI_IS_OFFLINE };

struct ss_cli_command {
    const char *name; // NULL ends a table
    enum ss_cli_group group;
    const char *usage;            // "GRAPH [options]"
    const char *summary;          // one line, for the list of commands
    const char *about;            // behind the summary in --help; or NULL
    const struct ss_arg *options; // ends with SS_CLI_OPTIONS
    enum ss_cli_word word;
    bool is_offline; // talks to no coordinator
    // After the options were parsed; `client` is NULL if it is offline.
    int (*run)(struct ss_client *client);
};

// Find `argv[1]` among the commands, parse what follows, and run it. Returns
// the exit status.
int ss_cli_main(const struct ss_cli_command *commands, int argc, char **argv);

// "superstep: ...", on stderr; with --json {"error": {code, message}} (warning,
// note) on a line. Returns SS_CLI_FAILED.
int ss_cli_fail(const char *format, ...) SS_PRINTF(1, 2);
// "superstep: warning: ...", on stderr.
void ss_cli_warn(const char *format, ...) SS_PRINTF(1, 2);
// Each of an answer's "warnings".
void ss_cli_warn_all(const json_t *answer);
// What is neither an error nor a warning: what it waits for.
void ss_cli_note(const char *format, ...) SS_PRINTF(1, 2);
// As ss_cli_fail(), with the code of the error.
int ss_cli_fail_as(const char *code, const char *format, ...) SS_PRINTF(2, 3);
// The same for a text that may have lines of its own, as a node's failure may;
// elsewhere a newline is of a name, and is shown as "\n".
int ss_cli_fail_lines(const char *code, const char *format, ...)
    SS_PRINTF(2, 3);
// One line for people, whatever the names in it hold; the newline is added.
void ss_cli_line(FILE *to, const char *format, ...) SS_PRINTF(2, 3);
// A mistake on the command line, with the way to the help. SS_CLI_USAGE.
int ss_cli_usage(const char *format, ...) SS_PRINTF(1, 2);
// What error->code says, as an SS_E...; SS_OK: a code that this version does
// not know.
int ss_cli_status(const struct ss_client_error *error);
// Print an error of the client; SS_CLI_ALONE where no coordinator answers. For
// an unknown graph or thread the nearest one is suggested ("Did you mean").
int ss_cli_client_fail(struct ss_client *client,
    const struct ss_client_error *error, const char *graph, const char *thread);

// Ask (ss_client_ask), `body` taken. Returns an exit status; on SS_CLI_DONE
// gives *ret_answer, otherwise the error was printed. `graph`: the graph of the
// request, or NULL.
int ss_cli_ask(struct ss_client *client, const char *op, json_t *body,
    const char *graph, json_t **ret_answer);

// Print, once, what an answer waits for: for ss_client_on_wait().
void ss_cli_tell_wait(void *ctx, const char *why);
// A switch, or a number, for json_pack's "o*": NULL where it was not given.
json_t *ss_cli_flag(bool is_given);
json_t *ss_cli_number(int64_t number);

// The value on a line, appended.
void ss_cli_json_line(const json_t *json, struct ss_buf *buf);
// Print a value on one line (--json and results).
void ss_cli_print_json(const json_t *json);
// Print an answer (taken): whole with --json, else as `print` shows it to
// people. SS_CLI_DONE.
typedef void ss_cli_print_fn(const json_t *answer);
int ss_cli_print_answer(json_t *answer, ss_cli_print_fn *print);
// Print the buffer, and free it. A page of a thread's values may be long: it
// has at most SS_CLI_PAGE_SIZE_MAX bytes.
enum { SS_CLI_PAGE_SIZE_MAX = 256 * 1024 * 1024 };
void ss_cli_print_buf(struct ss_buf *buf);
// Print and destroy a table; `none` stands in place of one without rows.
void ss_cli_print_table(struct ss_table *table, const char *none);
// The terminal that stdout is.
struct ss_screen ss_cli_screen(void);

#endif
