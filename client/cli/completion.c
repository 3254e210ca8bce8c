// completion.c - the words of a command line, completed from the tables.
//
// The scripts know nothing of commands: each asks `superstep completion words`
// with what was typed, so that all shells complete alike.
#include "client/cli/completion.h"

#include <stdio.h>
#include <string.h>

#include "client/cli/ids.h"
#include "client/cli/text.h"
#include "common/base/buf.h"
#include "common/base/mem.h"
#include "common/model/name_before.h"
#include "common/model/value.h"

enum { NAMES_MAX = 1000, CHECKPOINTS_MAX = 200, ASK_MS = 1000 };

static const struct ss_cli_command *table;

void ss_cli_completion_commands(const struct ss_cli_command *commands)
{
    table = commands;
}

// ------------------------------------------------------------ what was typed

struct typed {
    const struct ss_cli_command *command; // NULL: not yet
    const struct ss_arg *option;          // whose value is typed now; or NULL
    const char *current;
    const char *thread; // a word, or the value of --thread; or NULL
    size_t words;       // of the command, before the current one
};

static const struct ss_cli_command *command_of(const char *word)
{
    for (const struct ss_cli_command *it = table; it->name; it++)
        if (strcmp(it->name, word) == 0)
            return it;
    return NULL;
}

// The option that takes a value and is typed "--name" or "-n"; or NULL.
static const struct ss_arg *option_of(
    const struct ss_arg *options, const char *word)
{
    for (const struct ss_arg *it = ss_arg_at(options); it;
         it = ss_arg_at(it + 1)) {
        bool is_long =
            strncmp(word, "--", 2) == 0 && strcmp(word + 2, it->name) == 0;
        bool is_short =
            it->letter && word[0] == '-' && word[1] == it->letter && !word[2];
        if (it->kind != SS_ARG_REST && (is_long || is_short))
            return it->kind == SS_ARG_FLAG ? NULL : it;
    }
    return NULL;
}

static void take_value(
    struct typed *typed, const struct ss_arg *option, const char *value)
{
    if (strcmp(option->name, "thread") == 0)
        typed->thread = value;
    else if (strcmp(option->name, "coordinator") == 0)
        ss_cli_options.endpoints = value;
    else if (strcmp(option->name, "keys") == 0)
        ss_cli_options.keys = value;
}

static struct typed read_words(const char *const *words, size_t count)
{
    struct typed typed = {.current = count > 0 ? words[count - 1] : ""};
    for (size_t i = 0; i + 1 < count; i++) {
        const struct ss_arg *options =
            typed.command ? typed.command->options : ss_cli_settings.items;
        const struct ss_arg *option = option_of(options, words[i]);
        // bash cuts at "=".
        size_t at = i + 1 + (strcmp(words[i + 1], "=") == 0 && i + 2 < count);
        if (option && at + 1 >= count) {
            typed.option = option;
            break;
        }
        if (option) {
            take_value(&typed, option, words[at]);
            i = at;
        } else if (!typed.command && words[i][0] != '-') {
            typed.command = command_of(words[i]);
        } else if (words[i][0] != '-' && typed.command) {
            typed.words++;
            if (!typed.thread && typed.command->word == SS_CLI_WORD_THREAD)
                typed.thread = words[i];
        }
    }
    if (strcmp(typed.current, "=") == 0)
        typed.current = "";
    return typed;
}

// ----------------------------------------------------------------- candidates

// Names are not ours: what could move a cursor is not a candidate.
static void offer(const struct typed *typed, const char *name)
{
    char *plain = ss_text_plain(name);
    if (*name && strcmp(plain, name) == 0 &&
        strncmp(name, typed->current, strlen(typed->current)) == 0)
        puts(name);
    ss_free(plain);
}

static void offer_choices(const struct typed *typed, const char *choices)
{
    for (const char *at = choices; *at;) {
        size_t size = strcspn(at, " ");
        char *one = ss_format("%.*s", (int)size, at);
        offer(typed, one);
        ss_free(one);
        at += size + (at[size] == ' ');
    }
}

static void offer_options(
    const struct typed *typed, const struct ss_arg *options)
{
    for (const struct ss_arg *it = ss_arg_at(options); it;
         it = ss_arg_at(it + 1)) {
        char *name = ss_format("--%s", it->name);
        if (it->kind != SS_ARG_REST)
            offer(typed, name);
        ss_free(name);
    }
    offer(typed, "--help");
}

// Ask a coordinator for a list, and offer what stands under `key` in each of
// its items (or in their "config").
static void offer_listed(
    const struct typed *typed, const char *op, json_t *body, const char *key)
{
    const struct ss_client_options options = {
        .endpoints = ss_cli_options.endpoints, .keys = ss_cli_options.keys};
    const struct ss_client_ask ask = {.timeout_ms = ASK_MS};
    struct ss_client *client;
    json_t *answer, *item;
    size_t i;
    if (ss_client_open(&options, &client, NULL) != 0) {
        json_decref(body);
        return;
    }
    if (ss_client_ask(client, op, body, &ask, &answer, NULL) == 0) {
        json_array_foreach (json_object_get(answer, op), i, item) {
            const json_t *config = json_object_get(item, "config");
            offer(typed, ss_json_str(config ? config : item, key, ""));
        }
        json_decref(answer);
    }
    ss_client_close(&client);
}

// A page of a list in the order of its names, from what was typed on.
static void offer_page(
    const struct typed *typed, const char *op, const char *key)
{
    char *before = ss_name_before(typed->current);
    offer_listed(typed, op,
        json_pack("{s:s, s:i}", "after", before, "limit", NAMES_MAX), key);
    ss_free(before);
}

static void offer_word(const struct typed *typed, enum ss_cli_word word)
{
    switch (word) {
    case SS_CLI_WORD_GRAPH:
        offer_listed(typed, "graphs", NULL, "name");
        break;
    case SS_CLI_WORD_LIMIT:
        offer_listed(typed, "limits", NULL, "limit");
        offer_listed(typed, "graphs", NULL, "name");
        break;
    case SS_CLI_WORD_THREAD:
        offer_page(typed, "threads", "thread");
        break;
    case SS_CLI_WORD_EITHER:
        offer_page(typed, "threads", "thread");
        offer_page(typed, "runs", "run");
        break;
    case SS_CLI_WORD_RUN:
        offer_page(typed, "runs", "run");
        break;
    case SS_CLI_WORD_WORKER:
        offer_listed(typed, "workers", NULL, "worker");
        break;
    case SS_CLI_WORD_FILE:
        puts(":files");
        break;
    case SS_CLI_WORD_NONE:
    default:
        break;
    }
}

// The value of an option, by what stands for it in --help.
static void offer_value(const struct typed *typed, const struct ss_arg *option)
{
    static const struct {
        const char *value;
        enum ss_cli_word word;
    } kinds[] = {{"GRAPH", SS_CLI_WORD_GRAPH}, {"THREAD", SS_CLI_WORD_THREAD},
        {"RUN", SS_CLI_WORD_RUN}, {"WORKER", SS_CLI_WORD_WORKER},
        {"FILE", SS_CLI_WORD_FILE}, {"DIR", SS_CLI_WORD_FILE}};
    const char *value = option->value ? option->value : "";
    if (option->choices) {
        offer_choices(typed, option->choices);
        return;
    }
    if (strcmp(value, "CHECKPOINT") == 0 && typed->thread)
        offer_listed(typed, "history",
            json_pack("{s:s, s:i}", "thread", typed->thread, "limit",
                CHECKPOINTS_MAX),
            "checkpoint_id");
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        if (strcmp(value, kinds[i].value) == 0)
            offer_word(typed, kinds[i].word);
}

// What the first word may be; NULL: anything, or it stands there already.
static const char *choices_of(const struct typed *typed)
{
    for (const struct ss_arg *it = ss_arg_at(typed->command->options); it;
         it = ss_arg_at(it + 1))
        if (it->kind == SS_ARG_REST && typed->words == 0)
            return it->choices;
    return NULL;
}

bool ss_cli_completion_asks(const char *shell)
{
    return strcmp(shell, "words") == 0;
}

void ss_cli_complete(const char *const *words, size_t count)
{
    const struct typed typed = read_words(words, count);
    const struct ss_cli_command *command = typed.command;
    if (typed.option) {
        offer_value(&typed, typed.option);
    } else if (typed.current[0] == '-') {
        offer_options(
            &typed, command ? command->options : ss_cli_settings.items);
        if (!command)
            offer(&typed, "--version");
    } else if (!command) {
        for (const struct ss_cli_command *it = table; it->name; it++)
            offer(&typed, it->name);
    } else if (choices_of(&typed)) {
        offer_choices(&typed, choices_of(&typed));
    } else {
        offer_word(&typed, command->word);
    }
}

// -------------------------------------------------------------------- scripts

static const char bash[] =
    "# Completion of superstep for bash. Made by: superstep completion bash\n"
    "_superstep()\n"
    "{\n"
    "    local line current=${COMP_WORDS[COMP_CWORD]}\n"
    "    COMPREPLY=()\n"
    "    while IFS= read -r line; do\n"
    "        if [ \"$line\" = :files ]; then\n"
    "            compopt -o filenames\n"
    "            COMPREPLY+=($(compgen -f -- \"$current\"))\n"
    "        else\n"
    "            # Names are not ours: nothing in them is expanded.\n"
    "            COMPREPLY+=(\"$(printf %q \"$line\")\")\n"
    "        fi\n"
    "    done < <(superstep completion words -- "
    "\"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null)\n"
    "}\n"
    "complete -F _superstep superstep\n";

static const char zsh[] =
    "#compdef superstep superstep-coordinator superstep-worker\n"
    "# Completion of superstep for zsh. Made by: superstep completion zsh\n"
    "_superstep()\n"
    "{\n"
    "    local line\n"
    "    local -a found\n"
    "    for line in \"${(@f)$(superstep completion words -- "
    "\"${(@)words[2,CURRENT]}\" 2>/dev/null)}\"; do\n"
    "        if [[ $line == :files ]]; then\n"
    "            _files\n"
    "        elif [[ -n $line ]]; then\n"
    "            found+=(\"$line\")\n"
    "        fi\n"
    "    done\n"
    "    (( $#found )) && compadd -- \"${found[@]}\"\n"
    "}\n"
    "case $service in\n"
    "superstep) _superstep ;;\n";

static const char fish[] =
    "# Completion of superstep for fish. Made by: superstep completion fish\n"
    "function __superstep_words\n"
    "    set -l typed (commandline -opc)\n"
    "    set -l current (commandline -ct)\n"
    "    for line in (superstep completion words -- $typed[2..-1] "
    "\"$current\" 2>/dev/null)\n"
    "        if test \"$line\" = :files\n"
    "            __fish_complete_path \"$current\"\n"
    "        else\n"
    "            echo $line\n"
    "        end\n"
    "    end\n"
    "end\n"
    "complete -c superstep -f -a '(__superstep_words)'\n";

static void add_names(struct ss_buf *buf, enum ss_settings_of of,
    const char *before, const char *after)
{
    const char *name;
    for (size_t i = 0; (name = ss_settings_name(of, i)); i++)
        ss_buf_addf(buf, "%s%s%s", before, name, after);
}

// The options of another program.
static void add_program(struct ss_buf *buf, const char *shell,
    const char *program, enum ss_settings_of of)
{
    if (strcmp(shell, "bash") == 0) {
        ss_buf_add_str(buf, "complete -o default -W '");
        add_names(buf, of, "--", " ");
        ss_buf_addf(buf, "--help --version' %s\n", program);
    } else if (strcmp(shell, "zsh") == 0) {
        ss_buf_addf(buf, "%s) compadd -- ", program);
        add_names(buf, of, "--", " ");
        ss_buf_add_str(buf, "--help --version; _files ;;\n");
    } else {
        char *before = ss_format("complete -c %s -l ", program);
        add_names(buf, of, before, "\n");
        ss_free(before);
    }
}

char *ss_cli_completion_script(const char *shell)
{
    enum { SCRIPT_SIZE_MAX = 64 * 1024 };
    bool is_bash = strcmp(shell, "bash") == 0;
    bool is_zsh = strcmp(shell, "zsh") == 0;
    struct ss_buf buf;
    if (!is_bash && !is_zsh && strcmp(shell, "fish") != 0)
        return NULL;
    ss_buf_init(&buf, SCRIPT_SIZE_MAX);
    ss_buf_add_str(&buf, is_bash ? bash : is_zsh ? zsh : fish);
    add_program(
        &buf, shell, "superstep-coordinator", SS_SETTINGS_OF_COORDINATOR);
    add_program(&buf, shell, "superstep-worker", SS_SETTINGS_OF_WORKER);
    if (is_zsh) // not by #compdef: it was sourced
        ss_buf_add_str(&buf, "*) compdef _superstep superstep ;;\nesac\n");
    return ss_buf_steal(&buf, NULL);
}
