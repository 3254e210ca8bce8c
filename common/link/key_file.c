// key_file.c - lines of keys.
#include "common/link/key_file.h"

#include <stdio.h>
#include <string.h>

enum { INDENT = 4 };

void ss_secret_forget(void *bytes, size_t size)
{
    // A compiler may leave out a memset of memory that is not read again; it
    // cannot leave out this loop.
    volatile char *secret = bytes;
    for (size_t i = 0; i < size; i++)
        secret[i] = '\0';
}

void ss_key_file_print(const struct ss_key *key, bool is_secret,
    char ret_text[SS_KEY_FILE_SIZE_MAX])
{
    int size = snprintf(ret_text, SS_KEY_FILE_SIZE_MAX,
        "#   ZeroMQ CURVE %s Certificate, of Superstep%s\n\n"
        "metadata\n"
        "    name = \"%s\"\n"
        "    role = \"%s\"\n"
        "curve\n"
        "    public-key = \"%s\"\n",
        is_secret ? "**Secret**" : "Public",
        is_secret ? ". Whoever has this file is\n#   who it names." : "",
        key->name, ss_role_name(key->role), key->public_half);
    if (is_secret)
        snprintf(ret_text + size, SS_KEY_FILE_SIZE_MAX - (size_t)size,
            "    secret-key = \"%s\"\n", key->secret_half);
}

// Put the value into its member. False: it is not valid.
static bool key_take_name(struct ss_key *key, const char *value)
{
    if (ss_key_check_name(value, NULL) != SS_OK)
        return false;
    memcpy(key->name, value, strlen(value) + 1);
    return true;
}

static bool key_take_role(struct ss_key *key, const char *value)
{
    key->role = ss_role_by_name(value);
    return key->role != SS_ROLE_NONE;
}

static bool key_take_half(char half[SS_KEY_TEXT_SIZE], const char *value)
{
    if (!ss_key_is_public_half(value))
        return false;
    memcpy(half, value, SS_KEY_TEXT_SIZE);
    return true;
}

// ------------------------------------------------------------------ before

// "word value".
static bool key_take_word(struct ss_key *key, char *line)
{
    char *value = strchr(line, ' ');
    if (*line == '\0' || *line == '#')
        return true;
    if (!value)
        return false;
    *value++ = '\0';
    if (strcmp(line, "role") == 0)
        return key_take_role(key, value);
    if (strcmp(line, "name") == 0)
        return key_take_name(key, value);
    if (strcmp(line, "public") == 0)
        return key_take_half(key->public_half, value);
    return strcmp(line, "secret") == 0 &&
           key_take_half(key->secret_half, value);
}

// ------------------------------------------------ certificates

struct key_section {
    bool is_metadata, is_curve;
};

// Nothing but a comment.
static bool key_line_ends(const char *text)
{
    text += strspn(text, " \t");
    return *text == '\0' || *text == '#';
}

// Behind "=": quoted, or up to a comment. NULL: the quote does not end, or the
// line does not end with it.
static char *key_value(char *text)
{
    text += strspn(text, " \t");
    bool is_quoted = *text == '"' || *text == '\'';
    if (is_quoted) {
        char *end = strchr(text + 1, *text);
        if (!end || !key_line_ends(end + 1))
            return NULL;
        *end = '\0';
        return text + 1;
    }
    text[strcspn(text, "#")] = '\0';
    size_t size = strlen(text);
    while (size > 0 && (text[size - 1] == ' ' || text[size - 1] == '\t'))
        text[--size] = '\0';
    return text;
}

// A certificate from another program may have any metadata: only our roles
// count as a role, and only a valid name as a name.
static bool key_take_property(struct ss_key *key,
    const struct key_section *section, const char *name, const char *value)
{
    if (section->is_metadata && strcmp(name, "name") == 0)
        (void)key_take_name(key, value);
    else if (section->is_metadata && strcmp(name, "role") == 0)
        return key_take_role(key, value);
    else if (section->is_curve && strcmp(name, "public-key") == 0)
        return key_take_half(key->public_half, value);
    else if (section->is_curve && strcmp(name, "secret-key") == 0)
        return key_take_half(key->secret_half, value);
    return true;
}

static bool key_take_line(
    struct ss_key *key, struct key_section *section, char *line)
{
    size_t indent = strspn(line, " ");
    char *name = line + indent;
    char *end = name + strcspn(name, " \t=#");
    char *equals = end + strspn(end, " \t");
    if (*name == '\0' || *name == '#')
        return true;
    if (indent % INDENT != 0 || end == name)
        return false;
    bool has_value = *equals == '=';
    char *value = has_value ? key_value(equals + 1) : equals;
    if (!value || (!has_value && *value != '\0' && *value != '#'))
        return false;
    *end = '\0';
    if (indent == 0) {
        section->is_metadata = strcmp(name, "metadata") == 0;
        section->is_curve = strcmp(name, "curve") == 0;
        return true;
    }
    return indent > INDENT || key_take_property(key, section, name, value);
}

// ------------------------------------------------------------------ all lines

bool ss_key_file_is_certificate(const char *text)
{
    return strncmp(text, "curve\n", 6) == 0 || strstr(text, "\ncurve\n") ||
           strncmp(text, "curve\r\n", 7) == 0 || strstr(text, "\ncurve\r\n");
}

int ss_key_file_parse(
    const char *path, char *text, struct ss_key *key, struct ss_error *error)
{
    struct key_section section = {.is_curve = false};
    bool is_certificate = ss_key_file_is_certificate(text);
    int number = 1;
    for (char *line = text; *line; number++) {
        char *end = line + strcspn(line, "\n");
        bool is_last = *end == '\0';
        *end = '\0';
        if (is_certificate && end > line && end[-1] == '\r')
            end[-1] = '\0';
        if (is_certificate ? !key_take_line(key, &section, line)
                           : !key_take_word(key, line))
            return ss_error_set(error, SS_EFORMAT,
                "%s, line %d: not a line of a key (%s)", path, number,
                is_certificate ? "a certificate as zcert writes them"
                               : "name, role, public, secret");
        if (is_last)
            break;
        line = end + 1;
    }
    return SS_OK;
}
