// completion.c - completion for bash, made from the table of commands.
#include "client/cli/completion.h"

#include <string.h>

#include "common/base/buf.h"

static const struct ss_cli_command *table;

void ss_cli_completion_commands(const struct ss_cli_command *commands)
{
    table = commands;
}

static void add_commands(struct ss_buf *buf)
{
    ss_buf_add_str(buf, "    local commands='");
    for (size_t i = 0; table[i].name; i++)
        ss_buf_addf(buf, "%s%s", i ? " " : "", table[i].name);
    ss_buf_add_str(buf, "'\n");
}

// Options of one command, those with a value marked by "=".
static void add_options(struct ss_buf *buf, const struct ss_arg *options)
{
    for (const struct ss_arg *it = ss_arg_at(options); it;
         it = ss_arg_at(it + 1))
        if (it->kind != SS_ARG_REST)
            ss_buf_addf(buf, "--%s ", it->name);
    ss_buf_add_str(buf, "--help");
}

static const char *words_of(enum ss_cli_word word)
{
    switch (word) {
    case SS_CLI_WORD_GRAPH:
        return "graphs";
    case SS_CLI_WORD_THREAD:
        return "threads";
    case SS_CLI_WORD_RUN:
    case SS_CLI_WORD_EITHER:
        return "runs";
    case SS_CLI_WORD_WORKER:
        return "workers";
    case SS_CLI_WORD_FILE:
        return "file";
    case SS_CLI_WORD_NONE:
    default:
        return "none";
    }
}

static void add_cases(struct ss_buf *buf)
{
    ss_buf_add_str(buf, "    case \"$command\" in\n");
    for (size_t i = 0; table[i].name; i++) {
        ss_buf_addf(buf, "    %s) words=%s options='", table[i].name,
            words_of(table[i].word));
        add_options(buf, table[i].options);
        ss_buf_add_str(buf, "' ;;\n");
    }
    ss_buf_add_str(buf, "    esac\n");
}

static const char head[] =
    "# Completion of the superstep command for bash. Made by: superstep "
    "completion bash\n"
    "# Names of graphs, threads, runs and workers come from the coordinator, "
    "if one "
    "answers.\n"
    "_superstep()\n"
    "{\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} "
    "previous=${COMP_WORDS[COMP_CWORD-1]}\n"
    "    local command='' words=none options='--coordinator --keys --json "
    "--help "
    "--version' i\n";

static const char middle[] = "    COMPREPLY=()\n"
                             "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
                             "        case \"${COMP_WORDS[i]}\" in\n"
                             "        --coordinator|--keys) ((i++)) ;;\n"
                             "        -*) ;;\n"
                             "        *) command=${COMP_WORDS[i]}; break ;;\n"
                             "        esac\n"
                             "    done\n";

static const char tail[] =
    "    case \"$previous\" in\n"
    "    --graph) words=graphs ;;\n"
    "    --thread) words=threads ;;\n"
    "    --run) words=runs ;;\n"
    "    --db|--keys) words=file ;;\n"
    "    --stream) COMPREPLY=($(compgen -W 'values updates custom messages "
    "tasks checkpoints debug progress' -- \"$word\")); return ;;\n"
    "    --durability) COMPREPLY=($(compgen -W 'sync async exit' -- "
    "\"$word\")); return ;;\n"
    "    --if-busy) COMPREPLY=($(compgen -W 'reject enqueue interrupt "
    "rollback' "
    "-- \"$word\")); return ;;\n"
    "    *) case \"$word\" in\n"
    "       -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")); return "
    ";;\n"
    "       esac ;;\n"
    "    esac\n"
    "    case \"$words\" in\n"
    "    none) ;;\n"
    "    file) compopt -o filenames; COMPREPLY=($(compgen -f -- \"$word\")) "
    ";;\n"
    "    *) local bound=''\n"
    "       case \"$words\" in threads|runs) bound='--limit 10000' ;; esac\n"
    "       while IFS= read -r i; do\n"
    "           # Names are not ours: compgen -W would expand what is in "
    "them.\n"
    "           [[ $i == \"$word\"* ]] && COMPREPLY+=(\"$(printf %q "
    "\"$i\")\")\n"
    "       done < <(superstep \"$words\" --names $bound 2>/dev/null) ;;\n"
    "    esac\n"
    "}\n"
    "complete -F _superstep superstep\n";

// The programs complete options and files.
static void add_program(
    struct ss_buf *buf, const char *program, enum ss_settings_of of)
{
    const char *name;
    ss_buf_add_str(buf, "complete -o default -W '");
    for (size_t i = 0; (name = ss_settings_name(of, i)); i++)
        ss_buf_addf(buf, "--%s ", name);
    ss_buf_addf(buf, "--help --version' %s\n", program);
}

char *ss_cli_completion_bash(void)
{
    enum { SCRIPT_SIZE_MAX = 64 * 1024 };
    struct ss_buf buf;
    ss_buf_init(&buf, SCRIPT_SIZE_MAX);
    ss_buf_add_str(&buf, head);
    add_commands(&buf);
    ss_buf_add_str(&buf, middle);
    ss_buf_add_str(&buf,
        "    if [ -z \"$command\" ]; then\n"
        "        COMPREPLY=($(compgen -W \"$commands $options\" -- "
        "\"$word\"))\n"
        "        return\n"
        "    fi\n");
    add_cases(&buf);
    ss_buf_add_str(&buf, tail);
    add_program(&buf, "superstep-coordinator", SS_SETTINGS_OF_COORDINATOR);
    add_program(&buf, "superstep-worker", SS_SETTINGS_OF_WORKER);
    return ss_buf_steal(&buf, NULL);
}
