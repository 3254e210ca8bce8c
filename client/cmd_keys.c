// cmd_keys.c - superstep keys: who may come into a cluster.
//
// It works on files (common/link/keys.h) and asks no coordinator: coordinators
// look at the list of allowed keys themselves, so a change counts at once.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/commands.h"
#include "common/base/mem.h"
#include "common/link/allowed.h"

static struct ss_arg_list words;

const struct ss_arg ss_cmd_keys_options[] = {
    SS_CLI_WORDS_FROM(words, "WHAT", 1, 4, "new list allow revoke"),
    SS_CLI_OPTIONS};

static const char *word(size_t index)
{
    return index < words.count ? words.items[index] : NULL;
}

static int fail(const struct ss_error *error)
{
    return ss_cli_fail("%s", error->message);
}

// A list that is not there yet is empty. A folder that is not there is
// mistyped.
static int read_list(struct ss_allowed *list, struct ss_error *error)
{
    struct stat found;
    ss_allowed_init(list, ss_cli_options.keys);
    if (stat(ss_cli_options.keys, &found) != 0)
        return ss_error_set(error, SS_EIO,
            "%s: %s; superstep keys new makes it", ss_cli_options.keys,
            strerror(errno));
    int status = ss_allowed_read(list, error);
    return status == SS_ENOTFOUND ? SS_OK : status;
}

// ------------------------------------------------------------------ new

static int make_folder(const char *dir, struct ss_error *error)
{
    if (mkdir(dir, 0700) == 0 || errno == EEXIST)
        return SS_OK;
    return ss_error_set(
        error, SS_EIO, "cannot make %s: %s", dir, strerror(errno));
}

static int make_key(enum ss_role role, const char *name, struct ss_error *error)
{
    struct ss_key key;
    struct ss_allowed list;
    const char *dir = ss_cli_options.keys;
    int status = read_list(&list, error);
    if (status == SS_OK)
        status = ss_key_make(name, role, &key, error);
    if (status == SS_OK) {
        // First see that the list takes the key; otherwise nothing is written.
        if (role != SS_ROLE_COORDINATOR)
            status = ss_allowed_put(&list, &key, error);
        if (status == SS_OK)
            status = ss_key_save(&key, dir, error);
        if (status == SS_OK)
            status = ss_allowed_write(&list, error);
        if (status == SS_OK)
            printf("%s/%s.key: %s\n", dir, name, ss_role_text(role));
        ss_key_forget(&key);
    }
    ss_allowed_fini(&list);
    return status;
}

// Make one key of each role, where there is none.
static int make_all(struct ss_error *error)
{
    static const enum ss_role roles[] = {
        SS_ROLE_COORDINATOR, SS_ROLE_WORKER, SS_ROLE_CLIENT, SS_ROLE_OPERATOR};
    int status = SS_OK;
    for (size_t i = 0; i < sizeof(roles) / sizeof(*roles); i++) {
        const char *name = ss_role_name(roles[i]);
        char *path = ss_format("%s/%s.key", ss_cli_options.keys, name);
        char *secret = ss_format("%s_secret", path);
        bool is_secret_there = access(secret, F_OK) == 0;
        if (status == SS_OK && (is_secret_there || access(path, F_OK) == 0))
            printf("%s is there already\n", is_secret_there ? secret : path);
        else if (status == SS_OK)
            status = make_key(roles[i], name, error);
        ss_free(secret);
        ss_free(path);
    }
    return status;
}

static int new_keys(void)
{
    struct ss_error error = {0};
    enum ss_role role = word(1) ? ss_role_by_name(word(1)) : SS_ROLE_NONE;
    if (word(1) && role == SS_ROLE_NONE)
        return ss_cli_usage("\"%s\" is not a role; known: coordinator, worker, "
                            "client, operator",
            word(1));
    if (word(3))
        return ss_cli_usage("\"%s\" is one word too many", word(3));
    int status = make_folder(ss_cli_options.keys, &error);
    if (status == SS_OK)
        status = word(1) ? make_key(role, word(2) ? word(2) : word(1), &error)
                         : make_all(&error);
    return status == SS_OK ? SS_CLI_DONE : fail(&error);
}

// ------------------------------------------------------------------ list

static void print_list(const struct ss_allowed *list)
{
    static const struct ss_table_column columns[] = {{"NAME", false, false, 0},
        {"ROLE", false, false, 0}, {"KEY", false, true, 0}};
    struct ss_table *table = ss_table_new(columns, 3);
    for (struct ss_map_entry *it = list->keys.first; it; it = it->next) {
        const struct ss_key *key = it->value;
        const char *cells[] = {
            key->name, ss_role_name(key->role), key->public_half};
        ss_table_add(table, cells);
    }
    ss_cli_print_table(
        table, "No key is allowed. Make some: superstep keys new");
}

static void print_json(const struct ss_allowed *list)
{
    json_t *items = json_array();
    for (struct ss_map_entry *it = list->keys.first; it; it = it->next) {
        const struct ss_key *key = it->value;
        json_array_append_new(
            items, json_pack("{s:s, s:s, s:s}", "name", key->name, "role",
                       ss_role_name(key->role), "key", key->public_half));
    }
    ss_cli_print_json(items);
    json_decref(items);
}

static int list_keys(void)
{
    struct ss_allowed list;
    struct ss_error error = {0};
    int status = read_list(&list, &error);
    if (status == SS_OK && ss_cli_options.json)
        print_json(&list);
    else if (status == SS_OK)
        print_list(&list);
    ss_allowed_fini(&list);
    return status == SS_OK ? SS_CLI_DONE : fail(&error);
}

// ------------------------------------------------ allow, revoke

static int allow_key(void)
{
    struct ss_key key = {.role = SS_ROLE_NONE};
    struct ss_allowed list;
    struct ss_error error = {0};
    if (words.count != 4)
        return ss_cli_usage("keys allow ROLE NAME PUBLIC-KEY");
    key.role = ss_role_by_name(word(1));
    if (key.role == SS_ROLE_NONE || key.role == SS_ROLE_COORDINATOR)
        return ss_cli_usage(
            "\"%s\" is not a role to allow; known: worker, client, "
            "operator",
            word(1));
    if (ss_key_check_name(word(2), &error) != SS_OK)
        return ss_cli_usage("%s", error.message);
    if (!ss_key_is_public_half(word(3)))
        return ss_cli_usage("\"%s\" is not a public key: 40 characters, as the "
                            "line \"public-key\" of a key file has them",
            word(3));
    memcpy(key.name, word(2), strlen(word(2)) + 1);
    memcpy(key.public_half, word(3), sizeof(key.public_half));
    int status = read_list(&list, &error);
    if (status == SS_OK)
        status = ss_allowed_put(&list, &key, &error);
    if (status == SS_OK)
        status = ss_allowed_write(&list, &error);
    ss_allowed_fini(&list);
    return status == SS_OK ? SS_CLI_DONE : fail(&error);
}

static int revoke_key(void)
{
    struct ss_allowed list;
    struct ss_error error = {0};
    if (words.count != 2)
        return ss_cli_usage("keys revoke NAME (or its public key)");
    int status = read_list(&list, &error);
    if (status == SS_OK && !ss_allowed_remove(&list, word(1)))
        status = ss_error_set(&error, SS_ENOTFOUND,
            "no allowed key is called %s; superstep keys list shows them",
            word(1));
    if (status == SS_OK)
        status = ss_allowed_write(&list, &error);
    ss_allowed_fini(&list);
    return status == SS_OK ? SS_CLI_DONE : fail(&error);
}

int ss_cmd_keys(struct ss_client *client)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } actions[] = {{"new", new_keys}, {"list", list_keys}, {"allow", allow_key},
        {"revoke", revoke_key}};
    (void)client;
    if (!ss_cli_options.keys || !*ss_cli_options.keys)
        return ss_cli_usage("which folder? --keys DIR, or " SS_KEYS_ENVIRONMENT
                            " in the environment");
    for (size_t i = 0; i < sizeof(actions) / sizeof(*actions); i++)
        if (strcmp(word(0), actions[i].name) == 0)
            return actions[i].run();
    return ss_cli_usage(
        "there is no \"keys %s\"; known: new, list, allow, revoke", word(0));
}
