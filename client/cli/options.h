// options.h - rows for the tables of options of commands (common/app/args.h):
// the forms of rows, and the rows that several commands share. Their words are
// here once; each command says where the value goes.
//
//     const struct ss_arg ss_cmd_history_options[] = {
//         SS_CLI_WORD(words, "THREAD"),
//         SS_CLI_LIMIT(limit, "at most this many"),
//         SS_CLI_OPTIONS};
//
// tools/reference.py reads these macros too.
#ifndef SS_CLI_OPTIONS_H
#define SS_CLI_OPTIONS_H

#include "client/cli/cli.h"

// The options that every subcommand takes: the end of its own table.
#define SS_CLI_OPTIONS SS_CLI_MORE(ss_cli_settings.items)
// The table goes on in another one.
#define SS_CLI_MORE(table)                                                     \
    {                                                                          \
        .name = NULL, .more = table                                            \
    }

// The words that are not options: from `least` to `most` of them.
#define SS_CLI_WORDS(to_list, what, least, most)                               \
    {                                                                          \
        .name = what, .kind = SS_ARG_REST, .to = &to_list, .value = what,      \
        .min = least, .max = most                                              \
    }
// The first of them is one of these.
#define SS_CLI_WORDS_FROM(to_list, what, least, most, are)                     \
    {                                                                          \
        .name = what, .kind = SS_ARG_REST, .to = &to_list, .value = what,      \
        .min = least, .max = most, .choices = are                              \
    }
// One word of these, or none.
#define SS_CLI_WORD_OF(to_list, what, are)                                     \
    {                                                                          \
        .name = what, .kind = SS_ARG_REST, .to = &to_list, .value = what,      \
        .min = 0, .max = 1, .choices = are                                     \
    }
#define SS_CLI_WORD(to_list, what) SS_CLI_WORDS(to_list, what, 1, 1)

// A switch; a text; a number; a text that may be given several times. The
// letter is 0 where there is none.
#define SS_CLI_FLAG(option, short, to_bool, says)                              \
    {                                                                          \
        .name = option, .letter = short, .kind = SS_ARG_FLAG, .to = &to_bool,  \
        .help = says                                                           \
    }
#define SS_CLI_TEXT(option, short, to_text, what, says)                        \
    {                                                                          \
        .name = option, .letter = short, .kind = SS_ARG_TEXT, .to = &to_text,  \
        .value = what, .help = says                                            \
    }
// A text that may be one of these.
#define SS_CLI_CHOICE(option, to_text, what, are, says)                        \
    {                                                                          \
        .name = option, .kind = SS_ARG_TEXT, .to = &to_text, .value = what,    \
        .choices = are, .help = says                                           \
    }
#define SS_CLI_INT(option, short, to_int, what, least, most, says)             \
    {                                                                          \
        .name = option, .letter = short, .kind = SS_ARG_INT, .to = &to_int,    \
        .value = what, .min = least, .max = most, .help = says                 \
    }
#define SS_CLI_LIST(option, to_list, what, says)                               \
    {                                                                          \
        .name = option, .kind = SS_ARG_LIST, .to = &to_list, .value = what,    \
        .help = says                                                           \
    }

// ------------------------------------------------------------ shared rows

#define SS_CLI_THREAD(to_text, says)                                           \
    SS_CLI_TEXT("thread", 't', to_text, "THREAD", says)
#define SS_CLI_THREAD_OF_RUN(to_text)                                          \
    SS_CLI_THREAD(                                                             \
        to_text, "the run of this thread: others may have one of that name")
#define SS_CLI_GRAPH(to_text, says)                                            \
    SS_CLI_TEXT("graph", 'g', to_text, "GRAPH", says)
#define SS_CLI_GRAPH_OF_THREAD(to_text)                                        \
    SS_CLI_GRAPH(to_text, "default: the one of the thread")
#define SS_CLI_NS(to_text)                                                     \
    SS_CLI_TEXT("ns", 0, to_text, "NAMESPACE",                                 \
        "of an inner graph; the name of its node is enough,\n"                 \
        "as long as no other one has it")
#define SS_CLI_AT(to_text, says)                                               \
    SS_CLI_TEXT("at", 0, to_text, "CHECKPOINT", says)
#define SS_CLI_LIMIT(to_int, says)                                             \
    SS_CLI_INT("limit", 'n', to_int, "N", 1, 1000000, says)
#define SS_CLI_NAMES(to_bool, says) SS_CLI_FLAG("names", 0, to_bool, says)
#define SS_CLI_WATCH(to_bool)                                                  \
    SS_CLI_FLAG("watch", 'w', to_bool, "show it again every two seconds")
#define SS_CLI_STREAM(to_text, says)                                           \
    SS_CLI_CHOICE("stream", to_text, "MODES",                                  \
        "values updates custom messages tasks checkpoints debug progress",     \
        says)
#define SS_CLI_SUBGRAPHS(to_bool)                                              \
    SS_CLI_FLAG("subgraphs", 0, to_bool, "events of inner graphs too")
#define SS_CLI_RUN_ID(to_text)                                                 \
    SS_CLI_TEXT("run", 0, to_text, "ID",                                       \
        "a name for the run: asked twice, it runs once")
#define SS_CLI_DETACH(to_bool)                                                 \
    SS_CLI_FLAG("detach", 'd', to_bool, "do not wait for the end")
#define SS_CLI_ALL(to_bool)                                                    \
    SS_CLI_FLAG("all", 0, to_bool, "every one that this can be done to")
// Which threads or runs are meant (which.h); to a struct ss_which.
#define SS_WHICH_SINCE(which)                                                  \
    SS_CLI_TEXT("since", 0, (which).since, "AGE",                              \
        "those that began, or whose thread changed, at most this long "        \
        "ago: 90s, 15m, 12h, 30d")
#define SS_WHICH_UNTIL(which)                                                  \
    SS_CLI_TEXT(                                                               \
        "until", 0, (which).until, "AGE", "those of longer ago than this")
#define SS_WHICH_META(which)                                                   \
    SS_CLI_LIST("meta", (which).meta, "KEY=VALUE",                             \
        "those whose metadata says so (JSON, or a text); may be given "        \
        "often: then all of it")
#define SS_WHICH_PREFIX(which)                                                 \
    SS_CLI_TEXT("prefix", 0, (which).prefix, "TEXT",                           \
        "those of threads whose name begins so")

#define SS_CLI_PAGE(to_text)                                                   \
    SS_CLI_TEXT("page", 0, to_text, "PLACE",                                   \
        "go on behind a page, as that said where")
#define SS_CLI_YES(to_bool)                                                    \
    SS_CLI_FLAG(                                                               \
        "yes", 'y', to_bool, "do it, however many there are, and do not ask")
#define SS_CLI_PROGRESS(to_bool)                                               \
    SS_CLI_FLAG("progress", 0, to_bool,                                        \
        "show supersteps on stderr even if that is not a terminal")

#endif
