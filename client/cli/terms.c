// terms.c - what a run may be told beside its input.
#include "client/cli/terms.h"

#include <string.h>

#include "client/cli/input.h"
#include "client/cli/which.h"
#include "common/model/suggest.h"

static const char *durability;
static const char *before;
static const char *after;
static const char *context;
static const char *config;
static const char *output_keys;
static const char *if_busy;
static const char *facts;
static int64_t recursion_limit;
static int64_t max_concurrency;
static int64_t priority;
static bool strict_resume;
static struct ss_arg_list pairs;

const struct ss_arg ss_terms_options[] = {
    SS_CLI_CHOICE("durability", durability, "sync|async|exit",
        "sync async exit", "when checkpoints are stored; default: sync"),
    SS_CLI_INT("recursion-limit", 0, recursion_limit, "N", 1, 1000000000,
        "supersteps before the run fails"),
    SS_CLI_INT("max-concurrency", 0, max_concurrency, "N", 1, 1000000000,
        "tasks of the run at once; default: as many as workers take"),
    SS_CLI_INT("priority", 0, priority, "N", -100, 100,
        "its tasks go before those of runs with less; default: 0"),
    SS_CLI_TEXT(
        "interrupt-before", 0, before, "NODES", "stop before these (a,b or *)"),
    SS_CLI_TEXT("interrupt-after", 0, after, "NODES", "stop after these"),
    SS_CLI_TEXT("output-keys", 0, output_keys, "KEYS",
        "what the result holds (a,b; '' for nothing);\n"
        "default: what the graph gives"),
    SS_CLI_TEXT(
        "context", 0, context, "JSON|@FILE", "what the nodes get as context"),
    SS_CLI_TEXT("config", 0, config, "JSON|@FILE",
        "what nodes, checkpoints and events tell of the run:\n"
        "{\"configurable\", \"metadata\", \"tags\"}, each if wanted"),
    SS_CLI_LIST("meta", pairs, "KEY=VALUE",
        "metadata of the run, by which `runs --meta` finds it (JSON, or\n"
        "a text); may be given often"),
    SS_CLI_TEXT("facts", 0, facts, "JSON|@FILE",
        "put these over what is said of the thread, in the same commit:\n"
        "{\"metadata\": {...}, ...}; null takes a member away"),
    SS_CLI_FLAG("strict-resume", 0, strict_resume,
        "an answer to a question that is not open, or to none of\n"
        "several that are, is an error"),
    SS_CLI_CHOICE("if-busy", if_busy, "STRATEGY",
        "reject enqueue interrupt rollback",
        "where a run is under way on the thread: reject (default),\n"
        "enqueue behind it, interrupt it, or rollback what it did"),
    SS_CLI_OPTIONS};

static json_t *names_in(const char *text)
{
    return text ? ss_cli_input_list(text) : NULL;
}

// Into the metadata of the configuration (NULL: there is none yet).
static int add_pairs(json_t **config_json, struct ss_error *error)
{
    json_t *said = ss_which_pairs(&pairs, error);
    if (!said)
        return error->status;
    if (!*config_json)
        *config_json = json_object();
    json_t *metadata = json_object_get(*config_json, "metadata");
    if (metadata && !json_is_object(metadata)) {
        json_decref(said);
        return ss_error_set(error, SS_EINVAL,
            "--meta: the metadata of --config is not an object");
    }
    if (metadata)
        json_object_update(metadata, said);
    else
        json_object_set(*config_json, "metadata", said);
    json_decref(said);
    return SS_OK;
}

// What is not known goes nowhere, and is a slip of the pen.
static int check_config(const json_t *given, struct ss_error *error)
{
    static const char *const known[] = {"configurable", "metadata", "tags"};
    const char *key;
    const json_t *value;
    json_object_foreach ((json_t *)given, key, value) {
        struct ss_hint hint;
        bool is_known = false;
        ss_hint_init(&hint, key);
        for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
            is_known |= strcmp(key, known[i]) == 0;
            ss_hint_offer(&hint, known[i]);
        }
        bool is_option = strcmp(key, "recursion_limit") == 0 ||
                         strcmp(key, "max_concurrency") == 0;
        if (is_option)
            return ss_error_set(error, SS_EINVAL,
                "--config: \"%s\" is an option of its own: --%s", key,
                *key == 'r' ? "recursion-limit" : "max-concurrency");
        if (!is_known)
            return ss_error_set(error, SS_EINVAL,
                "--config: there is no \"%s\" in it, but configurable, "
                "metadata and tags.%s",
                key, ss_hint_text(&hint));
    }
    return SS_OK;
}

int ss_terms_read(json_t **ret_more)
{
    struct ss_error error;
    json_t *about = NULL, *meta = NULL, *said = NULL;
    int status = SS_OK;
    if (context)
        status = ss_cli_input("--context", context, &about, &error);
    if (status == SS_OK && config)
        status = ss_cli_input("--config", config, &meta, &error);
    if (status == SS_OK && config)
        status = check_config(meta, &error);
    if (status == SS_OK && pairs.count > 0)
        status = add_pairs(&meta, &error);
    if (status == SS_OK && facts)
        status = ss_cli_input("--facts", facts, &said, &error);
    if (status != SS_OK) {
        json_decref(about);
        json_decref(said);
        json_decref(meta);
        return ss_cli_usage("%s", error.message);
    }
    *ret_more = json_pack("{s:s*, s:o*, s:o*, s:o*, s:o*, s:o*, s:o*, s:o*, "
                          "s:o*, s:o*, s:s*, s:o*}",
        "durability", durability, "recursion_limit",
        ss_cli_number(recursion_limit), "max_concurrency",
        ss_cli_number(max_concurrency), "priority", ss_cli_number(priority),
        "interrupt_before", names_in(before), "interrupt_after",
        names_in(after), "output_keys", names_in(output_keys), "context", about,
        "config", meta, "strict_resume", ss_cli_flag(strict_resume), "if_busy",
        if_busy, "facts", said);
    return SS_CLI_DONE;
}
