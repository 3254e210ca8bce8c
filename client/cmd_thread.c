// cmd_thread.c - superstep thread THREAD: what a thread is, and what people say
// of it; with an option, say more.
#include "client/cli/input.h"
#include "client/cli/text.h"
#include "client/cli/which.h"
#include "client/commands.h"
#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/value.h"

static struct ss_arg_list words, meta;
static const char *said;
static bool is_new;

const struct ss_arg ss_cmd_thread_options[] = {SS_CLI_WORD(words, "THREAD"),
    SS_CLI_LIST("meta", meta, "KEY=VALUE",
        "put this into its metadata, by which threads --meta finds it\n"
        "(JSON, or a text; null takes it away); may be given often"),
    SS_CLI_TEXT("facts", 0, said, "JSON|@FILE|-",
        "put these over what is said of it: {\"metadata\": {...}, ...};\n"
        "null takes a member away"),
    SS_CLI_FLAG("new", 0, is_new, "refuse where there is such a thread"),
    SS_CLI_OPTIONS};

// ------------------------------------------------ showing

static void add(struct ss_table *table, const char *key, char *value)
{
    ss_check(table && key);
    if (value)
        ss_table_add(table, (const char *const[]){key, value});
    ss_free(value);
}

static char *text_of(const json_t *thread, const char *key)
{
    const char *text = ss_json_str(thread, key, NULL);
    return text ? ss_text_plain(text) : NULL;
}

static char *time_of(const json_t *thread, const char *key)
{
    const char *text = ss_json_str(thread, key, NULL);
    return text ? ss_text_time(text) : NULL;
}

// What it failed with, and what it asks.
static void add_stands(struct ss_table *table, const json_t *thread)
{
    const json_t *error = json_object_get(thread, "error");
    const char *node = ss_json_str(error, "node", NULL), *task;
    json_t *list, *question;
    size_t i;
    if (error)
        add(table, "error",
            ss_format("%s%s%s", node ? node : "", node ? ": " : "",
                ss_json_str(error, "message", "?")));
    json_object_foreach (json_object_get(thread, "interrupts"), task, list)
        json_array_foreach (list, i, question) {
            json_t *value = json_object_get(question, "value");
            char *text = value ? ss_text_json(value, 0)
                               : ss_strdup("(superstep state shows it)");
            add(table, "asks",
                ss_format("%s: %s", ss_json_str(question, "node", "?"), text));
            ss_free(text);
        }
}

static void print(const json_t *thread)
{
    static const struct ss_table_column columns[] = {
        {NULL, false, false, 0}, {NULL, false, true, 0}};
    struct ss_table *table = ss_table_new(columns, 2);
    const char *key;
    json_t *fact, *metadata = json_object_get(thread, "metadata");
    json_t *facts = json_copy(json_object_get(thread, "facts"));
    add(table, "thread", text_of(thread, "thread"));
    add(table, "graph", text_of(thread, "graph"));
    if (ss_json_str(thread, "version", NULL))
        add(table, "version",
            ss_format("%.8s", ss_json_str(thread, "version", "")));
    add(table, "status", text_of(thread, "status"));
    add_stands(table, thread);
    add(table, "created", time_of(thread, "created_at"));
    add(table, "changed", time_of(thread, "updated_at"));
    add(table, "its state", time_of(thread, "state_at"));
    add(table, "last run", text_of(thread, "run"));
    add(table, "copy of", text_of(thread, "copy_of"));
    add(table, "metadata", metadata ? ss_text_json(metadata, 0) : NULL);
    json_object_del(facts, "metadata"); // of it and its newest run, above
    json_object_foreach (facts, key, fact)
        add(table, key, ss_text_json(fact, 0));
    json_decref(facts);
    ss_cli_print_table(table, "");
}

static int show(struct ss_client *client, const char *name)
{
    struct ss_client_error error;
    json_t *answer = NULL;
    json_t *body = json_pack("{s:s}", "thread", name);
    if (ss_client_ask(client, "thread", body, NULL, &answer, &error) != 0)
        return ss_cli_client_fail(client, &error, NULL, name);
    json_t *thread = json_object_get(answer, "thread");
    if (ss_cli_options.json)
        ss_cli_print_json(thread);
    else
        print(thread);
    json_decref(answer);
    return SS_CLI_DONE;
}

// ------------------------------------------------ saying

// Gives *ret_facts, or an exit status after printing the error.
static int facts_of(json_t **ret_facts)
{
    struct ss_error error;
    json_t *facts = NULL, *pairs = NULL;
    if (said && ss_cli_input("--facts", said, &facts, &error) != SS_OK)
        return ss_cli_usage("%s", error.message);
    if (meta.count > 0 && (pairs = ss_which_pairs(&meta, &error)) == NULL) {
        json_decref(facts);
        return ss_cli_usage("%s", error.message);
    }
    if (said && (!json_is_object(facts) ||
                    (pairs && json_object_get(facts, "metadata")))) {
        json_decref(pairs);
        json_decref(facts);
        return ss_cli_usage("--facts takes an object%s",
            pairs ? ", without \"metadata\" beside --meta" : "");
    }
    if (!facts)
        facts = json_object();
    if (pairs)
        json_object_set_new(facts, "metadata", pairs);
    *ret_facts = facts;
    return SS_CLI_DONE;
}

static int put(struct ss_client *client, const char *name)
{
    json_t *facts = NULL, *answer = NULL;
    int status = facts_of(&facts);
    if (status != SS_CLI_DONE)
        return status;
    json_t *body = json_pack("{s:s, s:o, s:s*}", "thread", name, "facts", facts,
        "if_exists", is_new ? "refuse" : NULL);
    status = ss_cli_ask(client, "thread_put", body, NULL, &answer);
    json_decref(answer);
    return status;
}

int ss_cmd_thread(struct ss_client *client)
{
    const char *name = words.items[0];
    bool puts_some = meta.count > 0 || said || is_new;
    int status = puts_some ? put(client, name) : SS_CLI_DONE;
    return status == SS_CLI_DONE ? show(client, name) : status;
}
