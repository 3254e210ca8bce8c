// startup_warnings.c - variables that no program takes, and secrets that others
// could read.
#include "common/app/startup_warnings.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "common/app/log.h"
#include "common/base/mem.h"
#include "common/link/keys.h"
#include "common/model/suggest.h"

extern char **environ; // POSIX leaves the declaration to its users

enum { NAME_SIZE = 128, TEXT_SIZE = 1024 };

// ---------------------------------------------------------------- variables

#define FILE_WORD "_FILE" // behind a name: the file that holds the value

static const char *const settings[] = {
#define X(of, kind, field, name, letter, variable, ...) variable,
#include "common/app/config.def"
#undef X
};
enum { SETTINGS_COUNT = sizeof(settings) / sizeof(*settings) };

// Variables that no program takes and that are not mistakes.
static const char *const others[] = {
    "SUPERSTEP_PORT",    // deploy/docker-compose.yml
    "SUPERSTEP_PORT2",   // the same
    "SUPERSTEP_BIND",    // the same
    "SUPERSTEP_SECRETS", // the same, and deploy/secrets.sh
};

// Is it a variable that a container engine sets, to tell a container where its
// neighbour superstep-something is?
static bool is_of_engine(const char *name)
{
    size_t size = strlen(name);
    return strstr(name, "_SERVICE_HOST") || strstr(name, "_SERVICE_PORT") ||
           strstr(name, "_PORT_") ||
           (size > 5 && strcmp(name + size - 5, "_PORT") == 0);
}

static bool is_known(const char *name)
{
    static const char tests[] = SS_SETTINGS_PREFIX "TEST_";
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        if (strcmp(name, others[i]) == 0)
            return true;
    for (size_t i = 0; i < SETTINGS_COUNT; i++) {
        size_t size = strlen(settings[i]);
        if (size > 0 && strncmp(name, settings[i], size) == 0 &&
            (name[size] == '\0' || strcmp(name + size, FILE_WORD) == 0))
            return true;
    }
    return strncmp(name, tests, sizeof(tests) - 1) == 0 || is_of_engine(name);
}

static const char *behind_prefix(const char *name)
{
    return name + sizeof(SS_SETTINGS_PREFIX) - 1;
}

// The shared prefix does not count as similar.
static const char *nearest(const char *name)
{
    struct ss_hint hint;
    ss_hint_init(&hint, behind_prefix(name));
    for (size_t i = 0; i < SETTINGS_COUNT; i++)
        if (*settings[i])
            ss_hint_offer(&hint, behind_prefix(settings[i]));
    return hint.best;
}

static void tell_variable(const char *name, ss_finding_fn *found, void *ctx)
{
    char text[TEXT_SIZE], near[NAME_SIZE] = "", plain[NAME_SIZE];
    const char *ending = "";
    size_t size = strlen(name), file = sizeof(FILE_WORD) - 1;
    snprintf(plain, sizeof(plain), "%s", name);
    if (size < sizeof(plain) && size > file &&
        strcmp(name + size - file, FILE_WORD) == 0) {
        plain[size - file] = '\0';
        ending = FILE_WORD;
    }
    const char *best = nearest(plain);
    if (best)
        snprintf(near, sizeof(near), ". Did you mean %s%s%s?",
            SS_SETTINGS_PREFIX, best, ending);
    snprintf(text, sizeof(text),
        "%.200s in the environment is not a setting, and has no effect%s", name,
        near);
    found(ctx, SS_FINDING_VARIABLE, text);
}

// A secret that was not written, perhaps: the default holds, as if it were not
// wanted at all.
static void tell_empty_file(
    const char *name, const char *path, ss_finding_fn *found, void *ctx)
{
    struct stat facts;
    char text[TEXT_SIZE];
    size_t size = strlen(name), file = sizeof(FILE_WORD) - 1;
    if (size <= file || strcmp(name + size - file, FILE_WORD) != 0 ||
        stat(path, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_size > 0)
        return;
    snprintf(text, sizeof(text),
        "%.200s in the environment names a file that is empty, %.600s, and has "
        "no effect",
        name, path);
    found(ctx, SS_FINDING_VARIABLE, text);
}

void ss_startup_warnings_variables(ss_finding_fn *found, void *ctx)
{
    size_t count = 0;
    for (char **it = environ; it && *it; it++) {
        char name[NAME_SIZE];
        size_t size = strcspn(*it, "=");
        snprintf(name, sizeof(name), "%.*s",
            (int)(size < NAME_SIZE ? size : NAME_SIZE - 1), *it);
        if (strncmp(name, SS_SETTINGS_PREFIX, sizeof(SS_SETTINGS_PREFIX) - 1) !=
            0)
            continue;
        if (is_known(name)) {
            if ((*it)[size] == '=')
                tell_empty_file(name, *it + size + 1, found, ctx);
            continue;
        }
        if (count++ == SS_STARTUP_WARNINGS_VARIABLES_MAX)
            break;
        tell_variable(name, found, ctx);
    }
}

// ---------------------------------------------------------------- secrets

static void tell_exposed(const char *path, ss_finding_fn *found, void *ctx)
{
    char text[TEXT_SIZE];
    snprintf(text, sizeof(text), "%.900s can be read by others on this machine",
        path);
    found(ctx, SS_FINDING_KEY_EXPOSED, text);
}

void ss_startup_warnings_exposed(const struct ss_settings *of, const char *keys,
    unsigned roles, ss_finding_fn *found, void *ctx)
{
    const char *path;
    char *key = ss_keys_exposed(keys, roles);
    if (key)
        tell_exposed(key, found, ctx);
    ss_free(key);
    for (size_t i = 0; (path = ss_settings_secret_file(of, i)); i++)
        if (ss_key_is_exposed(path))
            tell_exposed(path, found, ctx);
}

// ---------------------------------------------------------------- as a log

static void log_one(void *ctx, enum ss_finding finding, const char *text)
{
    (void)ctx;
    bool is_asked = text[strlen(text) - 1] == '?'; // "Did you mean ...?"
    ss_log_say(SS_LOG_WARNING, "%s%s %s", text, is_asked ? "" : ":",
        ss_finding_remedy(finding));
}

void ss_startup_warnings_log(
    const struct ss_settings *of, const char *keys, unsigned roles)
{
    ss_startup_warnings_variables(log_one, NULL);
    ss_startup_warnings_exposed(of, keys, roles, log_one, NULL);
}
