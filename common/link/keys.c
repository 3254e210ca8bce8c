// keys.c - files of keys.
#include "common/link/keys.h"

#include <czmq.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/link/key_file.h"
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
            "\"%.80s\" is not a name for a key: up to %d letters, digits, "
            "\".\","
            " \"_\" and \"-\", beginning with a letter or digit",
            name, SS_KEY_NAME_SIZE - 1);
    return SS_OK;
}

bool ss_key_is_public_half(const char *text)
{
    unsigned char bytes[KEY_BYTES];
    bool is_half = strlen(text) == SS_KEY_TEXT_SIZE - 1 &&
                   zmq_z85_decode(bytes, text) != NULL;
    ss_secret_forget(
        bytes, sizeof(bytes)); // secret halves are checked here, too
    return is_half;
}

void ss_key_forget(struct ss_key *key)
{
    ss_secret_forget(key->secret_half, sizeof(key->secret_half));
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

// ------------------------------------------------------------------ sockets

// zcert does not overwrite its copies of the secret half before it frees them:
// we do.
static void cert_destroy(zcert_t **cert)
{
    ss_secret_forget((void *)zcert_secret_key(*cert), KEY_BYTES);
    ss_secret_forget((void *)zcert_secret_txt(*cert), SS_KEY_TEXT_SIZE);
    zcert_destroy(cert);
}

int ss_key_apply(const struct ss_key *key, void *socket, struct ss_error *error)
{
    unsigned char public_half[KEY_BYTES], secret_half[KEY_BYTES];
    // Without CURVE zcert is silent, and nothing would be encrypted.
    if (!zsys_has_curve())
        return ss_error_set(
            error, SS_EIO, "libzmq takes no key: it was built without CURVE");
    ss_check(zmq_z85_decode(public_half, key->public_half) &&
             zmq_z85_decode(secret_half, key->secret_half));
    zcert_t *cert = zcert_new_from(public_half, secret_half);
    ss_secret_forget(secret_half, sizeof(secret_half));
    ss_check(cert != NULL);
    zcert_apply(cert, socket);
    cert_destroy(&cert);
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

// zcert_save() writes two files, and zcert_load() prefers the one that has both
// halves. Gives.
static char *path_of_secret(const char *path)
{
    char *beside = ss_format("%s_secret", path);
    if (access(beside, F_OK) == 0)
        return beside;
    ss_free(beside);
    return ss_strdup(path);
}

bool ss_key_is_exposed(const char *path)
{
    struct stat found;
    char *secret = path_of_secret(path);
    bool is_exposed =
        strncmp(path, SS_KEYS_OF_ENGINE, strlen(SS_KEYS_OF_ENGINE)) != 0 &&
        stat(secret, &found) == 0 && (found.st_mode & (S_IRWXG | S_IRWXO)) != 0;
    ss_free(secret);
    return is_exposed;
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
static int write_new(
    const char *path, mode_t mode, const char *text, struct ss_error *error)
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
    char text[SS_KEY_FILE_SIZE_MAX];
    char *path = ss_format("%s/" SS_KEYS_SERVER, dir);
    ss_key_file_print(key, false, text);
    int status = write_new(path, 0644, text, error);
    ss_free(path);
    return status;
}

// The file beside it that would be read in its place.
static int check_free(const char *path, struct ss_error *error)
{
    char *secret = path_of_secret(path);
    bool is_free = strcmp(secret, path) == 0;
    if (!is_free) {
        errno = EEXIST;
        (void)write_failed(secret, error);
    }
    ss_free(secret);
    return is_free ? SS_OK : SS_EEXISTS;
}

int ss_key_save(
    const struct ss_key *key, const char *dir, struct ss_error *error)
{
    char text[SS_KEY_FILE_SIZE_MAX];
    char *path = ss_format("%s/%s.key", dir, key->name);
    ss_key_file_print(key, true, text);
    int status = check_free(path, error);
    if (status == SS_OK)
        status = write_new(path, 0600, text, error);
    if (status == SS_OK && key->role == SS_ROLE_COORDINATOR) {
        status = save_public_half(key, dir, error);
        if (status != SS_OK)
            unlink(path);
    }
    ss_secret_forget(text, sizeof(text));
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
static int read_small(
    const char *path, char text[SS_KEY_FILE_SIZE_MAX], struct ss_error *error)
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
    if (strlen(text) != size)
        return ss_error_set(error, SS_EFORMAT,
            "%s is not a key: its byte %zu is a NUL; copy it anew from where "
            "it was made",
            path, strlen(text) + 1);
    return SS_OK;
}

// A certificate that another program made has neither name nor role: its file
// gives it a name, and a role if the file is named like one.
static void name_after_file(struct ss_key *key, const char *path)
{
    char name[SS_KEY_NAME_SIZE];
    const char *slash = strrchr(path, '/');
    snprintf(name, sizeof(name), "%s", slash ? slash + 1 : path);
    char *dot = strrchr(name, '.');
    if (dot && dot > name)
        *dot = '\0';
    if (*key->name == '\0' && ss_key_check_name(name, NULL) == SS_OK)
        memcpy(key->name, name, sizeof(name));
    if (key->role == SS_ROLE_NONE)
        key->role = ss_role_by_name(name);
}

// Check that all parts are there, and that they belong together.
static int check_whole(
    const char *path, const struct ss_key *key, struct ss_error *error)
{
    char derived[SS_KEY_TEXT_SIZE];
    bool has_all = *key->public_half && *key->secret_half && *key->name;
    if (has_all && key->role == SS_ROLE_NONE)
        return ss_error_set(error, SS_EFORMAT,
            "%s does not say what it is for: call it like its role "
            "(worker.key), or give it one, role = \"worker\" below metadata",
            path);
    if (*key->name && *key->secret_half &&
        zmq_curve_public(derived, key->secret_half) == 0 &&
        strcmp(derived, key->public_half) == 0)
        return SS_OK;
    return ss_error_set(error, SS_EFORMAT,
        "%s is not a whole key: name, role, public and secret half, which "
        "belong together",
        path);
}

static int load_secret(const char *given, const char *path,
    struct ss_key *ret_key, struct ss_error *error)
{
    char text[SS_KEY_FILE_SIZE_MAX];
    struct ss_key key = {.role = SS_ROLE_NONE};
    int status = read_small(path, text, error);
    bool is_certificate = status == SS_OK && ss_key_file_is_certificate(text);
    if (status == SS_OK)
        status = ss_key_file_parse(path, text, &key, error);
    if (status == SS_OK && is_certificate)
        name_after_file(&key, given);
    if (status == SS_OK)
        status = check_whole(path, &key, error);
    if (status == SS_OK)
        *ret_key = key;
    ss_key_forget(&key);
    ss_secret_forget(text, sizeof(text));
    return status;
}

int ss_key_load(
    const char *path, struct ss_key *ret_key, struct ss_error *error)
{
    char *secret = path_of_secret(path);
    int status = load_secret(path, secret, ret_key, error);
    ss_free(secret);
    return status;
}

// ------------------------------------------------ in a folder

// The path of the first of `roles` whose file is there; otherwise the path that
// it would have. Gives.
static char *own_path(const char *keys, unsigned roles)
{
    static const enum ss_role order[] = {
        SS_ROLE_COORDINATOR, SS_ROLE_WORKER, SS_ROLE_OPERATOR, SS_ROLE_CLIENT};
    char *path = NULL;
    if (!is_folder(keys))
        return ss_strdup(keys);
    bool is_there = false;
    for (size_t i = 0; i < sizeof(order) / sizeof(*order) && !is_there; i++) {
        struct stat found;
        if ((roles & order[i]) == 0)
            continue;
        ss_free(path);
        path = ss_format("%s/%s.key", keys, ss_role_name(order[i]));
        char *secret = path_of_secret(path);
        is_there = stat(secret, &found) == 0 || errno != ENOENT;
        ss_free(secret);
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
    if (status == SS_ENOTFOUND) {
        status = ss_error_wrap(error,
            "no key (make one with superstep keys new, or copy it here)");
    } else if (status == SS_OK && (ret_key->role & roles) == 0) {
        enum ss_role role = ret_key->role;
        ss_key_forget(ret_key);
        status = ss_error_set(error, SS_EDENIED,
            "%s is the key of %s %s, which does not fit here", path,
            role == SS_ROLE_OPERATOR ? "an" : "a", ss_role_name(role));
    }
    ss_free(path);
    return status;
}

// The key alone, as Superstep wrote it before, or a public certificate.
static int parse_public_half(const char *path, char *text,
    char ret_public_half[SS_KEY_TEXT_SIZE], struct ss_error *error)
{
    struct ss_key key = {.role = SS_ROLE_NONE};
    char first[SS_KEY_TEXT_SIZE + 1];
    snprintf(first, sizeof(first), "%.*s", (int)strcspn(text, " \r\n"), text);
    const char *rest = text + strlen(first);
    if (ss_key_is_public_half(first) && rest[strspn(rest, " \r\n")] == '\0') {
        memcpy(ret_public_half, first, SS_KEY_TEXT_SIZE);
        return SS_OK;
    }
    int status = ss_key_file_parse(path, text, &key, error);
    bool is_secret = *key.secret_half != '\0';
    ss_key_forget(&key);
    if (status == SS_OK && !is_secret && *key.public_half) {
        memcpy(ret_public_half, key.public_half, SS_KEY_TEXT_SIZE);
        return SS_OK;
    }
    return ss_error_set(error, SS_EFORMAT,
        "%s is not a public key: a public certificate, or 40 characters of "
        "Z85%s",
        path,
        is_secret ? "; it holds a secret half, which stays where it was"
                    " made"
                  : "");
}

int ss_keys_server(const char *keys, char ret_public_half[SS_KEY_TEXT_SIZE],
    struct ss_error *error)
{
    char text[SS_KEY_FILE_SIZE_MAX];
    struct stat found;
    char *path = ss_keys_path(keys, SS_KEYS_SERVER);
    int status = read_small(path, text, error);
    if (status == SS_OK)
        status = parse_public_half(path, text, ret_public_half, error);
    else if (status == SS_ENOTFOUND && stat(keys, &found) != 0)
        status = ss_error_set(error, SS_ENOTFOUND,
            "%s: there is no such folder of keys, nor file of one", keys);
    else if (status == SS_ENOTFOUND)
        status = ss_error_wrap(
            error, "no public key of the coordinator (copy it here)");
    ss_secret_forget(text, sizeof(text));
    ss_free(path);
    return status;
}
