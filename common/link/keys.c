// keys.c - files of keys.
#include "common/link/keys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zmq.h>

#include "common/base/mem.h"
#include "common/link/limits.h"

enum { KEY_BYTES = 32 };

static const char name_letters[] = "abcdefghijklmnopqrstuvwxyz"
                                   "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

int ss_key_check_name(const char *name, struct ss_error *error)
{
    size_t size = strlen(name);
    if (size == 0 || size >= SS_KEY_NAME_SIZE || *name == '.' || *name == '-' ||
        name[strspn(name, name_letters)] != '\0')
        return ss_error_set(error, SS_EINVAL,
            "\"%.80s\" is not a name for a key: up to %d letters, digits, \".\","
            " \"_\" and \"-\", beginning with a letter or digit",
            name, SS_KEY_NAME_SIZE - 1);
    return SS_OK;
}

bool ss_key_is_public_half(const char *text)
{
    unsigned char bytes[KEY_BYTES];
    return strlen(text) == SS_KEY_TEXT_SIZE - 1 &&
           zmq_z85_decode(bytes, text) != NULL;
}

void ss_key_forget(struct ss_key *key)
{
    // A memset of what is not read again may be left out; this one is not.
    volatile char *secret = key->secret_half;
    for (size_t i = 0; i < sizeof(key->secret_half); i++)
        secret[i] = '\0';
}

int ss_key_make(const char *name, enum ss_role role, struct ss_key *ret_key,
    struct ss_error *error)
{
    struct ss_key key = {.role = role};
    int status = ss_key_check_name(name, error);
    if (status != SS_OK)
        return status;
    if (zmq_curve_keypair(key.public_half, key.secret_half) != 0)
        return ss_error_set(error, SS_EIO,
            "libzmq makes no keys: %s (was it built without CURVE?)",
            zmq_strerror(errno));
    memcpy(key.name, name, strlen(name) + 1);
    *ret_key = key;
    ss_key_forget(&key);
    return SS_OK;
}

// ------------------------------------------------------------------ paths

static bool is_folder(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

char *ss_keys_path(const char *keys, const char *name)
{
    if (is_folder(keys))
        return ss_format("%s/%s", keys, name);
    const char *slash = strrchr(keys, '/');
    if (!slash)
        return ss_strdup(name);
    return ss_format("%.*s/%s", (int)(slash - keys), keys, name);
}

bool ss_key_is_exposed(const char *path)
{
    struct stat found;
    return strncmp(path, SS_KEYS_OF_ENGINE, strlen(SS_KEYS_OF_ENGINE)) != 0 &&
           stat(path, &found) == 0 &&
           (found.st_mode & (S_IRWXG | S_IRWXO)) != 0;
}

// ------------------------------------------------------------------ writing

static int write_failed(const char *path, struct ss_error *error)
{
    if (errno == EEXIST)
        return ss_error_set(error, SS_EEXISTS,
            "%s is there already, and a key is never written over: choose "
            "another name, or move it away",
            path);
    return ss_error_set(
        error, SS_EIO, "cannot write %s: %s", path, strerror(errno));
}

// A new file with its mode from the beginning.
static int write_new(const char *path, mode_t mode, const char *text,
    struct ss_error *error)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0)
        return write_failed(path, error);
    size_t size = strlen(text);
    bool is_written = write(fd, text, size) == (ssize_t)size && fsync(fd) == 0;
    int status = is_written ? SS_OK : write_failed(path, error);
    if (close(fd) != 0 && status == SS_OK)
        status = write_failed(path, error);
    if (status != SS_OK)
        unlink(path);
    return status;
}

static int save_public_half(
    const struct ss_key *key, const char *dir, struct ss_error *error)
{
    char *path = ss_format("%s/" SS_KEYS_SERVER, dir);
    char *text = ss_format("%s\n", key->public_half);
    int status = write_new(path, 0644, text, error);
    ss_free(text);
    ss_free(path);
    return status;
}

int ss_key_save(
    const struct ss_key *key, const char *dir, struct ss_error *error)
{
    char text[SS_KEY_FILE_SIZE_MAX];
    char *path = ss_format("%s/%s.key", dir, key->name);
    snprintf(text, sizeof(text),
        "# A key of Superstep. Whoever has this file is \"%s\".\n"
        "name %s\nrole %s\npublic %s\nsecret %s\n",
        key->name, key->name, ss_role_name(key->role), key->public_half,
        key->secret_half);
    int status = write_new(path, 0600, text, error);
    if (status == SS_OK && key->role == SS_ROLE_COORDINATOR) {
        status = save_public_half(key, dir, error);
        if (status != SS_OK)
            unlink(path);
    }
    struct ss_key written = *key;
    ss_key_forget(&written);
    memset(text, 0, sizeof(text));
    ss_free(path);
    return status;
}

// ------------------------------------------------------------------ reading

static int read_failed(const char *path, struct ss_error *error)
{
    if (errno == ENOENT)
        return ss_error_set(error, SS_ENOTFOUND, "there is no %s", path);
    return ss_error_set(
        error, SS_EIO, "cannot read %s: %s", path, strerror(errno));
}

// The whole of a small file, with a NUL behind.
static int read_small(const char *path, char text[SS_KEY_FILE_SIZE_MAX],
    struct ss_error *error)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return read_failed(path, error);
    setvbuf(file, NULL, _IONBF, 0); // no copy of a secret in a buffer
    size_t size = fread(text, 1, SS_KEY_FILE_SIZE_MAX - 1, file);
    bool is_whole = feof(file) && !ferror(file);
    fclose(file);
    text[size] = '\0';
    if (!is_whole)
        return ss_error_set(error, SS_EFORMAT,
            "%s is not a key: a key has fewer than %d bytes", path,
            SS_KEY_FILE_SIZE_MAX);
    return SS_OK;
}

// "word value" into the field that the word names. False: it does not.
static bool take_line(struct ss_key *key, const char *word, const char *value)
{
    size_t size = strlen(value);
    if (strcmp(word, "role") == 0) {
        key->role = ss_role_by_name(value);
        return key->role != SS_ROLE_NONE;
    }
    if (strcmp(word, "name") == 0) {
        if (ss_key_check_name(value, NULL) != SS_OK)
            return false;
        memcpy(key->name, value, size + 1);
        return true;
    }
    bool is_public = strcmp(word, "public") == 0;
    if ((!is_public && strcmp(word, "secret") != 0) ||
        !ss_key_is_public_half(value))
        return false;
    memcpy(is_public ? key->public_half : key->secret_half, value, size + 1);
    return true;
}

// The parts belong together, and are all there.
static bool is_whole(const struct ss_key *key)
{
    char derived[SS_KEY_TEXT_SIZE];
    return *key->name && key->role != SS_ROLE_NONE && *key->secret_half &&
           zmq_curve_public(derived, key->secret_half) == 0 &&
           strcmp(derived, key->public_half) == 0;
}

static int parse_key(const char *path, char *text, struct ss_key *ret_key,
    struct ss_error *error)
{
    int number = 1;
    for (char *line = text; *line; number++) {
        char *end = line + strcspn(line, "\n");
        bool is_last = *end == '\0';
        *end = '\0';
        char *value = strchr(line, ' ');
        if (value)
            *value++ = '\0';
        // The line itself is not shown: it may be the secret.
        if (*line && *line != '#' && !(value && take_line(ret_key, line, value)))
            return ss_error_set(error, SS_EFORMAT,
                "%s, line %d: no line of a key (name, role, public, secret)",
                path, number);
        if (is_last)
            break;
        line = end + 1;
    }
    if (!is_whole(ret_key))
        return ss_error_set(error, SS_EFORMAT,
            "%s is not a whole key: name, role, public and secret half, which "
            "belong together",
            path);
    return SS_OK;
}

int ss_key_load(const char *path, struct ss_key *ret_key, struct ss_error *error)
{
    char text[SS_KEY_FILE_SIZE_MAX];
    struct ss_key key = {.role = SS_ROLE_NONE};
    int status = read_small(path, text, error);
    if (status == SS_OK)
        status = parse_key(path, text, &key, error);
    if (status == SS_OK)
        *ret_key = key;
    ss_key_forget(&key);
    memset(text, 0, sizeof(text));
    return status;
}

// ------------------------------------------------------------------ in a folder

// The first of `roles` that is there, or as it would be called. Gives.
static char *own_path(const char *keys, unsigned roles)
{
    static const enum ss_role order[] = {SS_ROLE_COORDINATOR, SS_ROLE_WORKER,
        SS_ROLE_OPERATOR, SS_ROLE_CLIENT};
    char *path = NULL;
    if (!is_folder(keys))
        return ss_strdup(keys);
    for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
        struct stat found;
        if ((roles & order[i]) == 0)
            continue;
        ss_free(path);
        path = ss_format("%s/%s.key", keys, ss_role_name(order[i]));
        if (stat(path, &found) == 0 || errno != ENOENT)
            break;
    }
    return path;
}

char *ss_keys_exposed(const char *keys, unsigned roles)
{
    if (!keys || !*keys)
        return NULL;
    char *path = own_path(keys, roles);
    if (ss_key_is_exposed(path))
        return path;
    ss_free(path);
    return NULL;
}

int ss_keys_own(const char *keys, unsigned roles, struct ss_key *ret_key,
    struct ss_error *error)
{
    char *path = own_path(keys, roles);
    int status = ss_key_load(path, ret_key, error);
    ss_free(path);
    if (status == SS_ENOTFOUND)
        return ss_error_wrap(error,
            "no key (make one with superstep keys new, or copy it here)");
    if (status == SS_OK && (ret_key->role & roles) == 0) {
        enum ss_role role = ret_key->role;
        ss_key_forget(ret_key);
        return ss_error_set(error, SS_EDENIED,
            "%s is the key of a %s, which does not fit here", keys,
            ss_role_name(role));
    }
    return status;
}

int ss_keys_server(const char *keys, char ret_public_half[SS_KEY_TEXT_SIZE],
    struct ss_error *error)
{
    char text[SS_KEY_FILE_SIZE_MAX];
    char *path = ss_keys_path(keys, SS_KEYS_SERVER);
    int status = read_small(path, text, error);
    if (status == SS_OK) {
        text[strcspn(text, " \r\n")] = '\0';
        if (ss_key_is_public_half(text))
            memcpy(ret_public_half, text, SS_KEY_TEXT_SIZE);
        else
            status = ss_error_set(error, SS_EFORMAT,
                "%s is not a public key: 40 characters of Z85", path);
    } else if (status == SS_ENOTFOUND) {
        status = ss_error_wrap(
            error, "no public key of the coordinator (copy it here)");
    }
    ss_free(path);
    return status;
}
