// allowed.c - the list of keys, its file, and when that changes.
#include "common/link/allowed.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/mem.h"
#include "common/link/limits.h"

void ss_allowed_init(struct ss_allowed *allowed, const char *keys)
{
    *allowed = (struct ss_allowed){
        .path = ss_keys_path(keys, SS_KEYS_ALLOWED), .looked_ms = INT64_MIN};
}

void ss_allowed_fini(struct ss_allowed *allowed)
{
    ss_map_fini(&allowed->keys, ss_free);
    ss_free(allowed->path);
    allowed->path = NULL;
}

const struct ss_key *ss_allowed_find(
    const struct ss_allowed *allowed, const char *public_half)
{
    return ss_map_get(&allowed->keys, public_half);
}

static struct ss_map_entry *entry_of(
    const struct ss_map *keys, const char *name_or_key)
{
    for (struct ss_map_entry *it = keys->first; it; it = it->next) {
        const struct ss_key *key = it->value;
        if (strcmp(key->name, name_or_key) == 0 ||
            strcmp(key->public_half, name_or_key) == 0)
            return it;
    }
    return NULL;
}

static int put(
    struct ss_map *keys, const struct ss_key *key, struct ss_error *error)
{
    struct ss_map_entry *same = entry_of(keys, key->name);
    if (same && strcmp(same->key, key->public_half) != 0)
        return ss_error_set(
            error, SS_EEXISTS, "another key is called %s already", key->name);
    if (keys->count >= SS_KEYS_ALLOWED_MAX)
        return ss_error_set(
            error, SS_ELIMIT, "more than %d keys", SS_KEYS_ALLOWED_MAX);
    struct ss_key *copy = ss_zalloc(1, sizeof(*copy));
    memcpy(copy->name, key->name, sizeof(copy->name));
    memcpy(copy->public_half, key->public_half, sizeof(copy->public_half));
    copy->role = key->role;
    ss_free(ss_map_put(keys, copy->public_half, copy));
    return SS_OK;
}

int ss_allowed_put(struct ss_allowed *allowed, const struct ss_key *key,
    struct ss_error *error)
{
    return put(&allowed->keys, key, error);
}

bool ss_allowed_remove(struct ss_allowed *allowed, const char *name_or_key)
{
    struct ss_map_entry *entry = entry_of(&allowed->keys, name_or_key);
    if (!entry)
        return false;
    ss_free(ss_map_remove(&allowed->keys, entry->key));
    return true;
}

// ------------------------------------------------------------------ reading

static char *next_word(char **at)
{
    char *word = *at + strspn(*at, " \t\r\n");
    char *end = word + strcspn(word, " \t\r\n");
    *at = *end ? end + 1 : end;
    *end = '\0';
    return word;
}

static int take_line(struct ss_map *keys, char *line, struct ss_error *error)
{
    struct ss_key key = {.role = SS_ROLE_NONE};
    const char *role = next_word(&line);
    if (*role == '\0' || *role == '#')
        return SS_OK;
    const char *name = next_word(&line), *half = next_word(&line);
    key.role = ss_role_by_name(role);
    if (key.role == SS_ROLE_NONE || key.role == SS_ROLE_COORDINATOR)
        return ss_error_set(error, SS_EFORMAT,
            "\"%.40s\" is not a role: worker, client or operator", role);
    if (ss_key_check_name(name, error) != SS_OK)
        return SS_EFORMAT;
    if (!ss_key_is_public_half(half) || *next_word(&line) != '\0')
        return ss_error_set(error, SS_EFORMAT,
            "no public key behind the name %s: 40 characters of Z85", name);
    memcpy(key.name, name, strlen(name) + 1);
    memcpy(key.public_half, half, sizeof(key.public_half));
    return put(keys, &key, error);
}

static int read_lines(
    FILE *file, const char *path, struct ss_map *keys, struct ss_error *error)
{
    char line[SS_KEYS_LINE_SIZE_MAX];
    int status = SS_OK;
    for (int number = 1; status == SS_OK && fgets(line, sizeof(line), file);
         number++) {
        if (strlen(line) == sizeof(line) - 1)
            status = ss_error_set(error, SS_EFORMAT, "the line is too long");
        else
            status = take_line(keys, line, error);
        if (status != SS_OK) {
            struct ss_error why = {.status = status};
            if (error)
                why = *error;
            status = ss_error_set(error, status, "%s, line %d: %.500s", path,
                number, why.message);
        }
    }
    if (status == SS_OK && ferror(file))
        status = ss_error_set(error, SS_EIO, "cannot read %s", path);
    return status;
}

int ss_allowed_read(struct ss_allowed *allowed, struct ss_error *error)
{
    struct stat found;
    struct ss_map keys = {0};
    FILE *file = fopen(allowed->path, "r");
    if (!file)
        return errno == ENOENT
                   ? ss_error_set(error, SS_ENOTFOUND,
                         "there is no %s: superstep keys allow makes it",
                         allowed->path)
                   : ss_error_set(error, SS_EIO, "cannot read %s: %s",
                         allowed->path, strerror(errno));
    if (fstat(fileno(file), &found) == 0) {
        allowed->changed = found.st_mtim;
        allowed->inode = found.st_ino;
        allowed->size = found.st_size;
    }
    int status = read_lines(file, allowed->path, &keys, error);
    fclose(file);
    if (status != SS_OK) {
        ss_map_fini(&keys, ss_free);
        return status;
    }
    ss_map_fini(&allowed->keys, ss_free);
    allowed->keys = keys;
    return SS_OK;
}

static bool is_as_read(
    const struct ss_allowed *allowed, const struct stat *found)
{
    return found->st_ino == allowed->inode && found->st_size == allowed->size &&
           found->st_mtim.tv_sec == allowed->changed.tv_sec &&
           found->st_mtim.tv_nsec == allowed->changed.tv_nsec;
}

static int forget_all(
    struct ss_allowed *allowed, bool *ret_changed, struct ss_error *error)
{
    if (allowed->inode == 0)
        return SS_OK; // reported before
    allowed->inode = 0;
    ss_map_fini(&allowed->keys, ss_free);
    *ret_changed = true;
    return ss_error_set(error, SS_ENOTFOUND,
        "%s is gone: no key is allowed any more", allowed->path);
}

int ss_allowed_refresh(struct ss_allowed *allowed, int64_t now_ms,
    bool *ret_changed, struct ss_error *error)
{
    struct stat found;
    *ret_changed = false;
    if (allowed->looked_ms > now_ms - SS_KEYS_LOOK_MS)
        return SS_OK;
    allowed->looked_ms = now_ms;
    if (stat(allowed->path, &found) != 0)
        return errno == ENOENT ? forget_all(allowed, ret_changed, error)
                               : SS_OK;
    if (is_as_read(allowed, &found))
        return SS_OK;
    int status = ss_allowed_read(allowed, error);
    *ret_changed = status == SS_OK;
    return status;
}

// ------------------------------------------------------------------ writing

static int write_file(
    const char *path, const struct ss_buf *text, struct ss_error *error)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    bool is_written =
        fd >= 0 && write(fd, text->data, text->size) == (ssize_t)text->size &&
        fsync(fd) == 0;
    int why = errno;
    if (fd >= 0)
        close(fd);
    if (is_written)
        return SS_OK;
    return ss_error_set(
        error, SS_EIO, "cannot write %s: %s", path, strerror(why));
}

int ss_allowed_write(struct ss_allowed *allowed, struct ss_error *error)
{
    struct ss_buf text;
    ss_buf_init(
        &text, (size_t)(SS_KEYS_ALLOWED_MAX + 4) * SS_KEYS_LINE_SIZE_MAX);
    ss_buf_add_str(&text,
        "# The keys that coordinators let in: ROLE NAME PUBLIC-KEY.\n"
        "# superstep keys allow and superstep keys revoke change it.\n");
    for (struct ss_map_entry *it = allowed->keys.first; it; it = it->next) {
        const struct ss_key *key = it->value;
        ss_buf_addf(&text, "%s %s %s\n", ss_role_name(key->role), key->name,
            key->public_half);
    }
    char *beside = ss_format("%s.new", allowed->path);
    int status = write_file(beside, &text, error);
    if (status == SS_OK && rename(beside, allowed->path) != 0)
        status = ss_error_set(error, SS_EIO, "cannot write %s: %s",
            allowed->path, strerror(errno));
    ss_buf_fini(&text);
    ss_free(beside);
    return status;
}
