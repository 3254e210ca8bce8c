// args.h - options of a program or a subcommand, as a table.
//
//     static const char *listen = "tcp://127.0.0.1:7433";
//     static const struct ss_arg table[] = {
//         {.name = "listen", .kind = SS_ARG_TEXT, .to = &listen,
//             .value = "ENDPOINT", .help = "where to listen"},
//         {.name = NULL},
//     };
//     struct ss_args args = {.program = "superstep-coordinator",
//         .about = "Runs durable graphs.", .items = table};
//     int code = ss_args_run(&args, argc, argv);
//     if (code >= 0)
//         return code;
//
// --name value, --name=value, -n value, flags; options and words in any order;
// "--" ends the options. --help and --version are there by themselves. Text is
// borrowed from argv.
#ifndef SS_APP_ARGS_H
#define SS_APP_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"

enum { SS_EXIT_UNWRITTEN = 1, SS_EXIT_USAGE = 2 };

enum ss_arg_kind {
    SS_ARG_FLAG, // to: bool
    SS_ARG_TEXT, // to: const char *
    SS_ARG_INT,  // to: int64_t, between min and max where max > min
    SS_ARG_LIST, // to: struct ss_arg_list; may be given several times
    SS_ARG_REST, // to: struct ss_arg_list; the words that are not options
};

struct ss_arg_list {
    const char **items;
    size_t count;
};

// Where a value came from, and the name of that place: the variable, or the
// file that it names.
enum ss_arg_from {
    SS_ARG_FROM_NOWHERE, // nothing was given
    SS_ARG_FROM_FLAG,
    SS_ARG_FROM_ENVIRONMENT,
    SS_ARG_FROM_FILE,
};
struct ss_arg_origin {
    enum ss_arg_from from;
    const char *at; // borrowed from the table or the environment; or NULL
};

struct ss_arg {
    const char *name; // without dashes; NULL ends the table, or part of it
    char letter;      // 0: none
    enum ss_arg_kind kind;
    void *to;
    const char *value;   // what stands for the value in --help: "FILE"
    const char *help;    // may have several lines
    const char *choices; // what the value may be, between blanks; or NULL
    int64_t min, max;    // INT: bounds; REST: how many words
    bool *bare; // TEXT: set where no value is behind it; NULL: it must have one
    const char *unit; // INT: of what, for people; or NULL
    // The variable that may hold the value; with _FILE behind its name it names
    // a file that holds the value (environment.h). NULL: none. A LIST is
    // separated by commas there.
    const char *env;
    struct ss_arg_origin *origin; // filled in, if not NULL
    const struct ss_arg *more;    // where name is NULL: the table goes on there
};

// The item at `it`; where a part of the table ends there, the first of the next
// part; NULL at the end of the table.
//     for (it = ss_arg_at(items); it; it = ss_arg_at(it + 1))
const struct ss_arg *ss_arg_at(const struct ss_arg *it);

struct ss_args {
    const char *program; // "superstep run"
    const char *usage;   // behind the program's name; NULL: "[options]"
    const char *about;
    const struct ss_arg *items;
    const char *footer; // or NULL: exit codes, examples
    // The prefix of the variables, for a sentence in --help; NULL: none.
    const char *env_prefix;
    // What is odd and no error, for people; NULL: it is said on stderr.
    void (*warn)(const char *text);
};

// Parse argv[1...]; options that it lacks come from the environment. SS_EINVAL:
// a message for people, with a hint. *ret_asked: 'h' or 'v' if --help or
// --version was among them, else 0.
int ss_args_parse(const struct ss_args *args, int argc, char *const *argv,
    char *ret_asked, struct ss_error *error) SS_MUST_USE;
// Print the error (stderr). Returns the exit code.
int ss_args_refuse(const struct ss_args *args, const struct ss_error *error);
// Print what was asked for, help or the version (stdout).
void ss_args_answer(const struct ss_args *args, char asked);
// Parse, print help, version or the error. Returns the exit code, or -1: go on.
int ss_args_run(const struct ss_args *args, int argc, char *const *argv);
// The text of --help. Gives (ss_free).
char *ss_args_help(const struct ss_args *args);
// Free the items of all lists of the table.
void ss_args_fini(const struct ss_args *args);

#endif
