// advice.c - questions that wait for an answer, and the command that answers.
#include "client/cli/advice.h"

#include <string.h>

#include "client/cli/cli.h"
#include "client/cli/text.h"
#include "common/base/buf.h"
#include "common/base/mem.h"
#include "common/model/value.h"

enum { LINE_SIZE_MAX = 1024 * 1024 };

char *ss_cli_quote(const char *text)
{
    static const char harmless[] = "abcdefghijklmnopqrstuvwxyz"
                                   "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                   "0123456789-_./:@%+,=";
    if (*text && strspn(text, harmless) == strlen(text))
        return ss_strdup(text);
    struct ss_buf buf;
    ss_buf_init(&buf, strlen(text) * 4 + 3);
    ss_buf_add_str(&buf, "'");
    for (; *text; text++) {
        if (*text == '\'')
            ss_buf_add_str(&buf, "'\\''");
        else
            ss_buf_add(&buf, text, 1);
    }
    ss_buf_add_str(&buf, "'");
    return ss_buf_steal(&buf, NULL);
}

// A sample answer of the expected type, for the person to replace.
static const char *sample(const json_t *interrupt)
{
    const char *type =
        ss_json_str(json_object_get(interrupt, "response_schema"), "type", "");
    if (strcmp(type, "boolean") == 0)
        return "true";
    if (strcmp(type, "integer") == 0 || strcmp(type, "number") == 0)
        return "1";
    if (strcmp(type, "string") == 0)
        return "'\"text\"'";
    return "JSON";
}

static void print_questions(const json_t *interrupts, FILE *to)
{
    size_t i;
    json_t *interrupt;
    size_t count = json_array_size(interrupts);
    if (count == 1)
        fputs("interrupted: a question waits for an answer\n", to);
    else
        fprintf(to, "interrupted: %zu questions wait for answers\n", count);
    json_array_foreach (interrupts, i, interrupt) {
        json_t *value = json_object_get(interrupt, "value");
        char *text = value ? ss_text_json(value, 0) : ss_strdup("null");
        const char *id = ss_json_str(interrupt, "id", "?");
        if (count > 1)
            fprintf(to, "  %s  %s\n", id, text);
        else
            fprintf(to, "  %s\n", text);
        ss_free(text);
    }
}

static void add_word(const char *before, const char *word, struct ss_buf *to)
{
    char *quoted = ss_cli_quote(word);
    ss_buf_addf(to, "%s %s", before, quoted);
    ss_free(quoted);
}

// add_last() ends it.
static void add_command(
    const char *command, const char *word, struct ss_buf *to)
{
    ss_buf_add_str(to, "superstep ");
    enum ss_arg_from from = ss_settings_from(&ss_cli_settings, "coordinator");
    bool is_there = from == SS_ARG_FROM_ENVIRONMENT || from == SS_ARG_FROM_FILE;
    if (ss_cli_options.endpoints && !is_there) {
        char *endpoints = ss_cli_quote(ss_cli_options.endpoints);
        ss_buf_addf(to, "--coordinator %s ", endpoints);
        ss_free(endpoints);
    }
    ss_buf_add_str(to, command);
    if (*word != '-')
        add_word("", word, to);
}

// A word that looks like an option stands behind all options.
static void add_last(const char *word, struct ss_buf *to)
{
    if (*word == '-')
        add_word(" --", word, to);
}

static void add_option(const char *option, const char *value, struct ss_buf *to)
{
    char *quoted = value ? ss_cli_quote(value) : NULL;
    if (quoted)
        ss_buf_addf(to, " %s %s", option, quoted);
    ss_free(quoted);
}

static void print(struct ss_buf *line, FILE *to)
{
    fputs(ss_buf_str(line), to);
    ss_buf_fini(line);
}

void ss_cli_tell_all(const char *thread, const char *at, const char *ns)
{
    struct ss_screen screen = ss_cli_screen();
    struct ss_buf line;
    ss_buf_init(&line, LINE_SIZE_MAX);
    ss_buf_addf(&line, "%sall: ", ss_tone_on(&screen, SS_TONE_DIM));
    add_command("state", thread, &line);
    add_option("--at", at, &line);
    add_option("--ns", ns, &line);
    ss_buf_add_str(&line, " --all");
    add_last(thread, &line);
    ss_buf_addf(&line, "%s\n", ss_tone_off(&screen, SS_TONE_DIM));
    print(&line, stdout);
}

char *ss_cli_answer(const char *thread, const json_t *interrupts)
{
    size_t count = json_array_size(interrupts), i;
    json_t *interrupt;
    struct ss_buf line;
    ss_buf_init(&line, LINE_SIZE_MAX);
    add_command("resume", thread, &line);
    if (count == 1)
        ss_buf_addf(
            &line, " --value %s", sample(json_array_get(interrupts, 0)));
    else
        json_array_foreach (interrupts, i, interrupt)
            ss_buf_addf(&line, " --answer %s=%s",
                ss_json_str(interrupt, "id", "ID"), sample(interrupt));
    add_last(thread, &line);
    return ss_buf_steal(&line, NULL);
}

void ss_cli_advise(
    const char *graph, const char *thread, const json_t *interrupts, FILE *to)
{
    size_t count = json_array_size(interrupts);
    if (!thread)
        thread = "THREAD";
    if (count == 0) {
        fputs("interrupted at a breakpoint\nGo on:  ", to);
        struct ss_buf line;
        ss_buf_init(&line, LINE_SIZE_MAX);
        add_command(graph ? "run" : "resume", graph ? graph : thread, &line);
        add_option("--thread", graph ? thread : NULL, &line);
        add_last(graph ? graph : thread, &line);
        ss_buf_add_str(&line, "\n");
        print(&line, to);
        return;
    }
    print_questions(interrupts, to);
    char *answer = ss_cli_answer(thread, interrupts);
    fprintf(to, "Answer:  %s\n", answer);
    ss_free(answer);
}
