// ids.c - lists are in the order of their names, so all that begins alike
// stands together: a few of them tell whether there is one, or several.
#include "client/cli/ids.h"

#include <string.h>

#include "client/cli/namespace.h"
#include "client/cli/pages.h"
#include "client/cli/text.h"
#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/model/name_before.h"
#include "common/model/value.h"

// How many candidates a sentence names, and the shortest part of an id.
enum { TOLD_MAX = 10, TYPED_LEAST = 4, LOOKED_AT_MAX = 1000 };

static SS_VEC(char *) found_words; // what ss_cli_find_words() put in place

// ---------------------------------------------------------- how ids are typed

static const char hex_digits[] = "0123456789abcdef";

static bool looks_like_uuid(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (is_dash ? text[i] != '-' : !strchr(hex_digits, text[i]))
            return false;
    }
    return true;
}

// "1f0a", "1f0a2b3c-4d": the beginning of a UUID, and not all of it.
static bool begins_uuid(const char *typed)
{
    size_t size = strlen(typed);
    return size >= TYPED_LEAST && size < SS_UUID_SIZE - 1 &&
           looks_like_uuid(typed, size);
}

static bool is_interrupt(const char *id)
{
    size_t size = strlen(id);
    return size == SS_HEX128_SIZE - 1 && strspn(id, hex_digits) == size;
}

// Made up by us, a UUID or the id of a question: the thread 1234 that a person
// named is not the beginning of their thread 12345.
static bool is_made_up(const char *id)
{
    size_t size = strlen(id);
    return is_interrupt(id) ||
           (size == SS_UUID_SIZE - 1 && looks_like_uuid(id, size));
}

static bool is_part(const char *typed)
{
    return begins_uuid(typed) || ss_text_id_is_cut(typed);
}

static bool fits(const char *id, const char *typed)
{
    if (ss_text_id_is_cut(typed))
        return ss_text_id_fits(id, typed);
    return strcmp(id, typed) == 0 ||
           (is_made_up(id) && strncmp(id, typed, strlen(typed)) == 0);
}

// ------------------------------------------------------------- the candidates

struct candidates {
    const char *what; // "run"
    const char *typed;
    const char *ids[TOLD_MAX]; // lent
    size_t count;
    bool has_exact;
    bool has_more;
};

static void add(struct candidates *all, const char *id)
{
    all->has_exact = all->has_exact || strcmp(id, all->typed) == 0;
    for (size_t i = 0; i < all->count; i++)
        if (strcmp(all->ids[i], id) == 0)
            return;
    if (all->count < TOLD_MAX)
        all->ids[all->count++] = id;
    else
        all->has_more = true;
}

static void offer(struct candidates *all, const char *id)
{
    if (id && fits(id, all->typed))
        add(all, id);
}

static int choose(const struct candidates *all, char **ret_id)
{
    enum { LIST_SIZE_MAX = 8192 };
    bool is_one = all->count == 1 && !all->has_more;
    if (all->count == 0 && ss_text_id_is_cut(all->typed))
        return ss_cli_fail("there is no %s %s", all->what, all->typed);
    if (all->count == 0 || all->has_exact || is_one) {
        *ret_id = ss_strdup(is_one ? all->ids[0] : all->typed);
        return SS_CLI_DONE;
    }
    struct ss_buf list;
    ss_buf_init(&list, LIST_SIZE_MAX);
    for (size_t i = 0; i < all->count; i++) {
        bool is_last = i + 1 == all->count && !all->has_more;
        ss_buf_addf(&list, "%s%s",
            i == 0    ? ""
            : is_last ? " or "
                      : ", ",
            all->ids[i]);
    }
    int status = ss_cli_fail("%s %s may be %s%s", all->what, all->typed,
        ss_buf_str(&list), all->has_more ? ", and there are more" : "");
    ss_buf_fini(&list);
    return status;
}

// ------------------------------------------------------------------- in lists

// How what was typed begins. Gives.
static char *beginning(const char *typed)
{
    const char *ellipsis = strstr(typed, "\xe2\x80\xa6");
    const char *dots = strstr(typed, "...");
    const char *cut = ellipsis ? ellipsis : dots;
    return cut ? ss_memdup(typed, (size_t)(cut - typed)) : ss_strdup(typed);
}

// In the list `op`, whose items have their name under `key`.
static int find_listed(struct ss_client *client, const char *op,
    const char *key, const char *thread, const char *typed, char **ret_id)
{
    struct candidates all = {
        .what = strcmp(op, "runs") == 0 ? "run" : "thread", .typed = typed};
    struct ss_client_error error;
    json_t *list, *item;
    size_t i;
    char *head = beginning(typed);
    char *before = ss_name_before(head);
    // Names that people gave stand among them, and a cut one is told by its
    // end, too: all that begin so are looked at.
    json_t *body = json_pack("{s:s*, s:s, s:i}", "thread", thread, "after",
        before, "limit", LOOKED_AT_MAX);
    int status = ss_cli_list(client, op, body, &list, &error);
    ss_free(before);
    if (status == 0) {
        json_array_foreach (list, i, item)
            offer(&all, ss_json_str(item, key, NULL));
        item = json_array_get(list, LOOKED_AT_MAX - 1);
        all.has_more =
            all.has_more || (item && strncmp(ss_json_str(item, key, ""), head,
                                         strlen(head)) == 0);
    }
    ss_free(head);
    if (status != 0)
        return ss_cli_client_fail(client, &error, NULL, thread);
    status = choose(&all, ret_id);
    json_decref(list);
    return status;
}

static int take_whole(const char *typed, char **ret_id)
{
    *ret_id = ss_strdup(typed);
    return SS_CLI_DONE;
}

int ss_cli_find_thread(
    struct ss_client *client, const char *typed, char **ret_id)
{
    return is_part(typed)
               ? find_listed(client, "threads", "thread", NULL, typed, ret_id)
               : take_whole(typed, ret_id);
}

int ss_cli_find_run(struct ss_client *client, const char *thread,
    const char *typed, char **ret_id)
{
    return is_part(typed)
               ? find_listed(client, "runs", "run", thread, typed, ret_id)
               : take_whole(typed, ret_id);
}

int ss_cli_last_run(
    struct ss_client *client, const char *thread, char **ret_run)
{
    struct ss_client_error error;
    json_t *answer = NULL;
    int status = ss_client_ask(client, "explain",
        json_pack("{s:s}", "thread", thread), NULL, &answer, &error);
    if (status != 0)
        return ss_cli_client_fail(client, &error, NULL, thread);
    *ret_run =
        ss_strdup(ss_json_str(json_object_get(answer, "explain"), "run", ""));
    json_decref(answer);
    return SS_CLI_DONE;
}

int ss_cli_find_checkpoint(struct ss_client *client, const char *thread,
    const char *ns, const char *typed, char **ret_id)
{
    struct candidates all = {.what = "checkpoint", .typed = typed};
    struct ss_client_error error;
    json_t *history, *one;
    size_t i;
    if (!is_part(typed))
        return take_whole(typed, ret_id);
    if (ss_client_history(client, thread,
            json_pack("{s:s*}", "checkpoint_ns", ns), &history, &error) != 0)
        return ss_cli_client_fail(client, &error, NULL, thread);
    json_array_foreach (history, i, one)
        offer(&all,
            ss_json_str(json_object_get(one, "config"), "checkpoint_id", NULL));
    int status = choose(&all, ret_id);
    json_decref(history);
    return status;
}

static int find_namespace(struct ss_client *client, const char *thread,
    const char *typed, char **ret_ns)
{
    struct candidates all = {.what = "namespace", .typed = typed};
    json_t *names = ss_cli_namespaces(client, thread, typed), *it;
    const char *ns;
    json_object_foreach (names, ns, it)
        add(&all, ns);
    int status = choose(&all, ret_ns);
    json_decref(names);
    return status;
}

// "1f0a": the beginning of an interrupt's id, 32 digits, and not all of it.
static bool begins_interrupt(const char *typed)
{
    size_t size = strlen(typed);
    return size >= TYPED_LEAST && size < SS_HEX128_SIZE - 1 &&
           strspn(typed, "0123456789abcdef") == size;
}

static int find_interrupt(struct ss_client *client, const char *thread,
    const char *typed, char **ret_id)
{
    struct candidates all = {.what = "interrupt", .typed = typed};
    struct ss_client_error error;
    json_t *state, *one;
    size_t i;
    if (!begins_interrupt(typed) && !ss_text_id_is_cut(typed))
        return take_whole(typed, ret_id);
    if (ss_client_state(client, thread, NULL, &state, &error) != 0)
        return ss_cli_client_fail(client, &error, NULL, thread);
    json_array_foreach (json_object_get(state, "interrupts"), i, one)
        offer(&all, ss_json_str(one, "id", NULL));
    int status = choose(&all, ret_id);
    json_decref(state);
    return status;
}

int ss_cli_find_interrupts(
    struct ss_client *client, const char *thread, json_t **answers)
{
    json_t *whole = json_object(), *value;
    const char *typed;
    int status = SS_CLI_DONE;
    json_object_foreach (*answers, typed, value) {
        char *id = NULL;
        status = find_interrupt(client, thread, typed, &id);
        // Under anything but an id it would be taken for the answer itself.
        if (status == SS_CLI_DONE && !(id && is_interrupt(id)))
            status = ss_cli_fail("thread %s asks nothing under the id \"%s\": "
                                 "superstep state %s tells what it asks",
                thread, typed, thread);
        if (status == SS_CLI_DONE)
            json_object_set(whole, id, value);
        ss_free(id);
        if (status != SS_CLI_DONE)
            break;
    }
    json_decref(*answers);
    *answers = whole;
    return status;
}

// ------------------------------------------------------------------- in words

static int replace(int status, char *id, const char **word)
{
    if (status != SS_CLI_DONE)
        return status;
    SS_VEC_PUSH(&found_words, id);
    *word = id;
    return status;
}

int ss_cli_find_words(
    struct ss_client *client, const struct ss_cli_command *command)
{
    bool is_thread = command->word == SS_CLI_WORD_THREAD;
    bool is_run = command->word == SS_CLI_WORD_RUN;
    // A graph is run on a new thread, too; files have threads of their own.
    bool has_thread =
        command->word != SS_CLI_WORD_GRAPH && command->word != SS_CLI_WORD_FILE;
    const char **word = NULL, **thread = NULL, **ns = NULL;
    int status = SS_CLI_DONE;
    char *id = NULL;
    for (const struct ss_arg *it = ss_arg_at(command->options); it;
         it = ss_arg_at(it + 1)) {
        const struct ss_arg_list *list = it->to;
        if (it->kind == SS_ARG_REST && list->count > 0)
            word = list->items;
        else if (it->kind == SS_ARG_TEXT && strcmp(it->name, "thread") == 0)
            thread = it->to;
        else if (it->kind == SS_ARG_TEXT && strcmp(it->name, "ns") == 0)
            ns = it->to;
    }
    if (has_thread && thread && *thread) {
        status = ss_cli_find_thread(client, *thread, &id);
        status = replace(status, id, thread);
    }
    if (status == SS_CLI_DONE && word && (is_thread || is_run)) {
        status = is_thread ? ss_cli_find_thread(client, *word, &id)
                           : ss_cli_find_run(
                                 client, thread ? *thread : NULL, *word, &id);
        status = replace(status, id, word);
    }
    const char **of = is_thread ? word : thread;
    if (status == SS_CLI_DONE && ns && *ns && of && *of) {
        status = find_namespace(client, *of, *ns, &id);
        status = replace(status, id, ns);
    }
    return status;
}

void ss_cli_find_words_fini(void)
{
    for (size_t i = 0; i < found_words.count; i++)
        ss_free(found_words.items[i]);
    SS_VEC_FINI(&found_words);
}
