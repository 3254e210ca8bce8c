// args.c - options from a table.
#include "common/app/args.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/app/environment.h"
#include "common/app/std_files.h"
#include "common/app/version.h"
#include "common/base/buf.h"
#include "common/base/mem.h"
#include "common/model/suggest.h"

enum {
    HELP_COLUMN = 30,
    HELP_WIDTH = 79,
    HELP_SIZE_MAX = 64 * 1024,
    SOURCE_SIZE = 512,
    GIVEN_MAX = 32, // are looked at
};

#define EACH(it, items)                                                        \
    for (const struct ss_arg *it = ss_arg_at(items); it; it = ss_arg_at(it + 1))

struct parse {
    const struct ss_args *args;
    int argc;
    char *const *argv;
    int at;               // the next one to look at
    const char *variable; // the environment variable that holds the value;
                          // NULL: argv holds it
    const char *file;     // that the variable names; or NULL
    char *ret_asked;
    struct ss_error *error;
    // Options with one value that argv had, and that value.
    struct {
        const struct ss_arg *arg;
        const char *value;
    } given[GIVEN_MAX];
    size_t given_count;
};

const struct ss_arg *ss_arg_at(const struct ss_arg *it)
{
    while (it && !it->name)
        it = it->more;
    return it;
}

static const struct ss_arg *find_rest(const struct ss_args *args)
{
    EACH(it, args->items)
    if (it->kind == SS_ARG_REST)
        return it;
    return NULL;
}

static const struct ss_arg *find_name(
    const struct ss_args *args, const char *name, size_t size)
{
    EACH(it, args->items)
    if (it->kind != SS_ARG_REST && strlen(it->name) == size &&
        memcmp(it->name, name, size) == 0)
        return it;
    return NULL;
}

static const struct ss_arg *find_letter(const struct ss_args *args, char letter)
{
    EACH(it, args->items)
    if (it->kind != SS_ARG_REST && it->letter == letter)
        return it;
    return NULL;
}

// The nearest option, or the one that `name` says more of: --stream-mode.
static int unknown(struct parse *parse, const char *name, size_t size)
{
    char *wanted = ss_memdup(name, size);
    struct ss_hint hint;
    const char *meant = NULL;
    ss_hint_init(&hint, wanted);
    EACH(it, parse->args->items)
    if (it->kind != SS_ARG_REST) {
        size_t part = strlen(it->name);
        ss_hint_offer(&hint, it->name);
        if (strncmp(wanted, it->name, part) == 0 && wanted[part] == '-')
            meant = it->name;
    }
    if (*ss_hint_text(&hint))
        meant = hint.best;
    char near[SS_HINT_SIZE + 32] = "";
    if (meant)
        snprintf(near, sizeof(near), " Did you mean --%s?", meant);
    int status = ss_error_set(
        parse->error, SS_EINVAL, "there is no option --%s.%s", wanted, near);
    ss_free(wanted);
    return status;
}

static void add_to_list(struct ss_arg_list *list, const char *item)
{
    list->items =
        ss_realloc(list->items, (list->count + 1) * sizeof(*list->items));
    list->items[list->count++] = item;
}

// Where a value was given, for people: "--lease-ms", or the variable's name.
static const char *source(
    const struct parse *parse, const struct ss_arg *arg, char text[SOURCE_SIZE])
{
    if (parse->file)
        snprintf(text, SOURCE_SIZE, "%s_FILE (%.300s)", parse->variable,
            parse->file);
    else if (parse->variable)
        snprintf(text, SOURCE_SIZE, "%s", parse->variable);
    else
        snprintf(text, SOURCE_SIZE, "--%s", arg->name);
    return text;
}

// " between 1 and 10 ms", " of ms", or nothing.
static const char *range_of(const struct ss_arg *arg, char text[SOURCE_SIZE])
{
    const char *unit = arg->unit ? arg->unit : "";
    text[0] = '\0';
    if (arg->max > arg->min)
        snprintf(text, SOURCE_SIZE,
            " between %" PRId64 " and %" PRId64 "%s%.64s", arg->min, arg->max,
            *unit ? " " : "", unit);
    return text;
}

static int set_int(
    struct parse *parse, const struct ss_arg *arg, const char *value)
{
    char from[SOURCE_SIZE], range[SOURCE_SIZE];
    char *end;
    errno = 0;
    int64_t number = strtoll(value, &end, 10);
    if (*value == '\0' || *end != '\0' || errno != 0)
        return ss_error_set(parse->error, SS_EINVAL,
            "%s takes a whole number%s, not \"%.100s\"",
            source(parse, arg, from), range_of(arg, range), value);
    if (arg->max > arg->min && (number < arg->min || number > arg->max))
        return ss_error_set(parse->error, SS_EINVAL,
            "%s %" PRId64 ": it must be%s", source(parse, arg, from), number,
            range_of(arg, range));
    *(int64_t *)arg->to = number;
    return SS_OK;
}

static void note_origin(const struct parse *parse, const struct ss_arg *arg)
{
    if (!arg->origin)
        return;
    *arg->origin =
        (struct ss_arg_origin){parse->file       ? SS_ARG_FROM_FILE
                               : parse->variable ? SS_ARG_FROM_ENVIRONMENT
                                                 : SS_ARG_FROM_FLAG,
            parse->file ? parse->file : parse->variable};
}

// Of two values the last one counts, as who wraps a command wants it: whoever
// meant both hears of it.
static void note_given(
    struct parse *parse, const struct ss_arg *arg, const char *value)
{
    char text[SOURCE_SIZE];
    size_t i = 0;
    while (i < parse->given_count && parse->given[i].arg != arg)
        i++;
    if (i == GIVEN_MAX)
        return;
    if (i < parse->given_count && strcmp(parse->given[i].value, value) != 0) {
        snprintf(text, sizeof(text),
            "--%s is given twice: %.200s counts, %.200s does not", arg->name,
            value, parse->given[i].value);
        if (parse->args->warn)
            parse->args->warn(text);
        else
            fprintf(stderr, "%s: warning: %s\n", parse->args->program, text);
    }
    parse->given_count += i == parse->given_count;
    parse->given[i].arg = arg;
    parse->given[i].value = value;
}

static int set(struct parse *parse, const struct ss_arg *arg, const char *value)
{
    if (arg->kind == SS_ARG_INT) {
        int status = set_int(parse, arg, value);
        if (status != SS_OK)
            return status;
    } else if (arg->kind == SS_ARG_LIST) {
        add_to_list(arg->to, value);
    } else {
        *(const char **)arg->to = value;
    }
    if (!parse->variable && arg->kind != SS_ARG_LIST)
        note_given(parse, arg, value);
    note_origin(parse, arg);
    return SS_OK;
}

static void switch_on(struct parse *parse, const struct ss_arg *arg)
{
    *(bool *)arg->to = true;
    note_origin(parse, arg);
}

// `value`: the text behind "=" or directly behind the letter, or NULL.
static int take_option(
    struct parse *parse, const struct ss_arg *arg, const char *value)
{
    if (arg->kind == SS_ARG_FLAG) {
        if (value)
            return ss_error_set(parse->error, SS_EINVAL,
                "--%s is a switch and takes no value", arg->name);
        switch_on(parse, arg);
        return SS_OK;
    }
    bool is_last = parse->at >= parse->argc;
    if (!value && arg->bare && (is_last || *parse->argv[parse->at] == '-')) {
        *arg->bare = true;
        return SS_OK;
    }
    if (!value) {
        if (is_last)
            return ss_error_set(parse->error, SS_EINVAL,
                "--%s wants a value: --%s %s", arg->name, arg->name,
                arg->value ? arg->value : "VALUE");
        value = parse->argv[parse->at++];
    }
    return set(parse, arg, value);
}

static int take_long(struct parse *parse, const char *word)
{
    const char *equals = strchr(word, '=');
    size_t size = equals ? (size_t)(equals - word) : strlen(word);
    const struct ss_arg *arg = find_name(parse->args, word, size);
    if (arg)
        return take_option(parse, arg, equals ? equals + 1 : NULL);
    if (strcmp(word, "help") == 0)
        *parse->ret_asked = 'h';
    else if (strcmp(word, "version") == 0)
        *parse->ret_asked = 'v';
    else
        return unknown(parse, word, size);
    return SS_OK;
}

static void offer_letter(
    struct ss_buf *near, const char *name, char letter, char of)
{
    if (tolower((unsigned char)letter) != name[0])
        return;
    ss_buf_addf(near, "%s--%s", near->size > 0 ? " or " : "", name);
    if (of)
        ss_buf_addf(near, " (-%c)", of);
}

// No option has that letter: those whose names begin with it are told.
static int unknown_letter(struct parse *parse, char letter)
{
    struct ss_buf near;
    ss_buf_init(&near, HELP_SIZE_MAX);
    EACH(it, parse->args->items)
    if (it->kind != SS_ARG_REST)
        offer_letter(&near, it->name, letter, it->letter);
    offer_letter(&near, "help", letter, 'h');
    offer_letter(&near, "version", letter, 0);
    int status = ss_error_set(parse->error, SS_EINVAL,
        "there is no option -%c.%s%.300s%s", letter,
        near.size > 0 ? " Did you mean " : "", ss_buf_str(&near),
        near.size > 0 ? "?" : "");
    ss_buf_fini(&near);
    return status;
}

// -v, -n VALUE, -nVALUE, and several switches in one word.
static int take_letters(struct parse *parse, const char *word)
{
    for (; *word; word++) {
        const struct ss_arg *arg = find_letter(parse->args, *word);
        if (!arg && *word == 'h') {
            *parse->ret_asked = 'h';
            continue;
        }
        if (!arg)
            return unknown_letter(parse, *word);
        if (arg->kind != SS_ARG_FLAG)
            return take_option(parse, arg, word[1] ? word + 1 : NULL);
        switch_on(parse, arg);
    }
    return SS_OK;
}

// What was given as a word and has an option, as JSON has. Static.
static const char *option_for(const struct ss_args *args, const char *word)
{
    static const char *const json[][2] = {
        {"input", ". The input is given by --input"},
        {"values", ". Values are given by --values"},
        {"value", ". The answer is given by --value"}};
    bool is_json = (*word && strchr("{[\"", *word)) || !strcmp(word, "true") ||
                   !strcmp(word, "false") || !strcmp(word, "yes");
    for (size_t i = 0; is_json && i < sizeof(json) / sizeof(*json); i++)
        EACH(it, args->items)
    if (it->kind == SS_ARG_TEXT && strcmp(it->name, json[i][0]) == 0)
        return json[i][1];
    return "";
}

static int take_word(struct parse *parse, const char *word)
{
    const struct ss_arg *rest = find_rest(parse->args);
    if (!rest || (int64_t)((struct ss_arg_list *)rest->to)->count >= rest->max)
        return ss_error_set(parse->error, SS_EINVAL,
            "\"%.100s\" is one word too many%s", word,
            option_for(parse->args, word));
    add_to_list(rest->to, word);
    return SS_OK;
}

static int set_flag(
    struct parse *parse, const struct ss_arg *arg, const char *value)
{
    static const char *const words[][2] = {
        {"0", "1"}, {"no", "yes"}, {"false", "true"}, {"off", "on"}};
    char from[SOURCE_SIZE];
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        for (int is_on = 0; is_on < 2; is_on++)
            if (strcmp(value, words[i][is_on]) == 0) {
                *(bool *)arg->to = is_on;
                note_origin(parse, arg);
                return SS_OK;
            }
    return ss_error_set(parse->error, SS_EINVAL,
        "%s is a switch: 1 or 0, not \"%.100s\"", source(parse, arg, from),
        value);
}

// Words separated by commas; blanks around a word do not belong to it.
static int set_words(
    struct parse *parse, const struct ss_arg *arg, const char *value)
{
    char *rest = NULL;
    char *words = ss_environment_keep(value);
    for (char *word = strtok_r(words, ", ", &rest); word;
         word = strtok_r(NULL, ", ", &rest)) {
        int status = set(parse, arg, word);
        if (status != SS_OK)
            return status;
    }
    return SS_OK;
}

static bool is_given(const struct ss_arg *arg)
{
    return (arg->kind == SS_ARG_LIST &&
               ((const struct ss_arg_list *)arg->to)->count > 0) ||
           (arg->origin && arg->origin->from == SS_ARG_FROM_FLAG);
}

static int take_variable(struct parse *parse, const struct ss_arg *arg)
{
    const char *value = NULL;
    int status =
        ss_environment_get(arg->env, &value, &parse->file, parse->error);
    parse->variable = arg->env;
    if (status == SS_OK && value)
        status = arg->kind == SS_ARG_FLAG   ? set_flag(parse, arg, value)
                 : arg->kind == SS_ARG_LIST ? set_words(parse, arg, value)
                                            : set(parse, arg, value);
    parse->variable = parse->file = NULL;
    return status;
}

// Options with one value are taken before argv, which overrules them; lists
// that stayed empty are taken behind it. What an earlier call was given on the
// command line stays.
static int take_env(struct parse *parse, bool lists)
{
    int status = SS_OK;
    EACH(it, parse->args->items)
    if (status == SS_OK && it->env && it->kind != SS_ARG_REST &&
        (it->kind == SS_ARG_LIST) == lists && !is_given(it))
        status = take_variable(parse, it);
    return status;
}

// Of "THREAD and TO" those that are not there.
static int check_rest(const struct parse *parse)
{
    const struct ss_arg *rest = find_rest(parse->args);
    if (!rest || *parse->ret_asked)
        return SS_OK;
    int64_t given = (int64_t)((struct ss_arg_list *)rest->to)->count;
    if (given >= rest->min)
        return SS_OK;
    const char *behind = strstr(rest->value, " and ");
    bool is_second = behind && given > 0;
    return ss_error_set(parse->error, SS_EINVAL, "%s %s missing",
        is_second ? behind + strlen(" and ") : rest->value,
        behind && !is_second ? "are" : "is");
}

int ss_args_parse(const struct ss_args *args, int argc, char *const *argv,
    char *ret_asked, struct ss_error *error)
{
    struct parse parse = {.args = args,
        .argc = argc,
        .argv = argv,
        .at = 1,
        .ret_asked = ret_asked,
        .error = error};
    bool only_words = false;
    *ret_asked = 0;
    int env_status = take_env(&parse, false);
    while (parse.at < argc) {
        int status = SS_OK;
        const char *word = argv[parse.at++];
        if (only_words || word[0] != '-' || word[1] == '\0')
            status = take_word(&parse, word);
        else if (strcmp(word, "--") == 0)
            only_words = true;
        else if (word[1] == '-')
            status = take_long(&parse, word + 2);
        else
            status = take_letters(&parse, word + 1);
        if (status != SS_OK)
            return status;
    }
    if (env_status == SS_OK)
        env_status = take_env(&parse, true);
    // --help works even then.
    return env_status != SS_OK && !*ret_asked ? env_status : check_rest(&parse);
}

// Continuation lines stand under the first; a word that does not fit into one
// begins the next.
static void help_text(struct ss_buf *help, const char *text)
{
    size_t column = HELP_COLUMN;
    while (*text) {
        size_t size = strcspn(text, " \n");
        bool is_first = column == HELP_COLUMN;
        if (!is_first && column + 1 + size > HELP_WIDTH) {
            ss_buf_addf(help, "\n%*s", HELP_COLUMN, "");
            column = HELP_COLUMN;
        } else if (!is_first) {
            ss_buf_add_str(help, " ");
            column++;
        }
        ss_buf_add(help, text, size);
        column += size;
        text += size;
        if (*text == '\n') {
            ss_buf_addf(help, "\n%*s", HELP_COLUMN, "");
            column = HELP_COLUMN;
        }
        text += *text != '\0';
    }
    ss_buf_add_str(help, "\n");
}

static void help_item(struct ss_buf *help, char letter, const char *name,
    const char *value, const char *text)
{
    size_t from = help->size;
    if (letter)
        ss_buf_addf(help, "  -%c, --%s", letter, name);
    else
        ss_buf_addf(help, "      --%s", name);
    if (value)
        ss_buf_addf(help, " %s", value);
    size_t width = help->size - from;
    if (width + 1 >= HELP_COLUMN)
        ss_buf_addf(help, "\n%*s", HELP_COLUMN, "");
    else
        ss_buf_addf(help, "%*s", (int)(HELP_COLUMN - width), "");
    help_text(help, text);
}

char *ss_args_help(const struct ss_args *args)
{
    struct ss_buf help;
    ss_buf_init(&help, HELP_SIZE_MAX);
    ss_buf_addf(&help, "Usage: %s %s\n", args->program,
        args->usage ? args->usage : "[options]");
    if (args->about)
        ss_buf_addf(&help, "\n%s\n", args->about);
    ss_buf_add_str(&help, "\nOptions:\n");
    EACH(it, args->items)
    if (it->kind != SS_ARG_REST)
        help_item(&help, it->letter, it->name,
            it->kind == SS_ARG_FLAG ? NULL
            : it->value             ? it->value
                                    : "VALUE",
            it->help);
    help_item(
        &help, find_letter(args, 'h') ? 0 : 'h', "help", NULL, "show this");
    help_item(&help, 0, "version", NULL, "show the version");
    if (args->env_prefix)
        ss_buf_addf(&help,
            "\nOptions may stand in the environment: --some-name as "
            "%sSOME_NAME, or in\nthe file that %sSOME_NAME_FILE names. The "
            "command line overrules it.\n",
            args->env_prefix, args->env_prefix);
    if (args->footer)
        ss_buf_addf(&help, "\n%s\n", args->footer);
    return ss_buf_steal(&help, NULL);
}

int ss_args_refuse(const struct ss_args *args, const struct ss_error *error)
{
    fprintf(stderr, "%s: %s\n%s --help lists the options.\n", args->program,
        error->message, args->program);
    return SS_EXIT_USAGE;
}

void ss_args_answer(const struct ss_args *args, char asked)
{
    char *text = asked == 'v'
                     ? ss_format("%s %s\n", args->program, SS_VERSION_TEXT)
                     : ss_args_help(args);
    ss_stdout_print(text);
    ss_free(text);
}

int ss_args_run(const struct ss_args *args, int argc, char *const *argv)
{
    char asked, unwritten[SS_STDOUT_TEXT_SIZE];
    struct ss_error error = {0};
    if (ss_args_parse(args, argc, argv, &asked, &error) != SS_OK)
        return ss_args_refuse(args, &error);
    if (!asked)
        return -1;
    ss_args_answer(args, asked);
    if (ss_stdout_is_written(unwritten))
        return 0;
    fprintf(stderr, "%s: %s\n", args->program, unwritten);
    return SS_EXIT_UNWRITTEN;
}

void ss_args_fini(const struct ss_args *args)
{
    EACH(it, args->items)
    if (it->kind == SS_ARG_LIST || it->kind == SS_ARG_REST) {
        struct ss_arg_list *list = it->to;
        ss_free(list->items);
        *list = (struct ss_arg_list){NULL, 0};
    }
}
