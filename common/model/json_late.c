// json_late.c - a small object, as its members or as text.
#include "common/model/json_late.h"

#include <string.h>

#include "common/base/buf.h"
#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/json_object.h"
#include "common/model/value.h"

enum { SIZE_EXPECTED = 400 }; // of a record without much in it

// In one block with its texts.
struct ss_json_late {
    unsigned refs;
    size_t count;
    struct ss_json_member items[];
};

// ------------------------------------------------ members

static void say(struct ss_json_members *said, struct ss_json_member member)
{
    ss_check(said->count < SS_JSON_MEMBERS_MAX);
    said->items[said->count++] = member;
}

void ss_json_say_text(
    struct ss_json_members *said, const char *key, const char *text)
{
    if (text)
        say(said, (struct ss_json_member){SS_JSON_TEXT, key, text, 0, NULL});
}

void ss_json_say_int(
    struct ss_json_members *said, const char *key, int64_t number)
{
    say(said, (struct ss_json_member){SS_JSON_NUMBER, key, NULL, number, NULL});
}

void ss_json_say_json(
    struct ss_json_members *said, const char *key, const json_t *json)
{
    char *text = json ? ss_json_text(json) : NULL;
    if (text)
        say(said, (struct ss_json_member){SS_JSON_RAW, key, text, 0, text});
}

void ss_json_say_written(struct ss_json_members *said, const char *members)
{
    if (members)
        say(said,
            (struct ss_json_member){SS_JSON_WRITTEN, NULL, members, 0, NULL});
}

void ss_json_members_fini(struct ss_json_members *said)
{
    for (size_t i = 0; i < said->count; i++)
        ss_free(said->items[i].own);
    said->count = 0;
}

static void add_member(struct ss_buf *buf, const struct ss_json_member *member)
{
    switch (member->kind) {
    case SS_JSON_TEXT:
        ss_json_add_text(buf, member->key, member->text);
        break;
    case SS_JSON_NUMBER:
        ss_json_add_int(buf, member->key, member->number);
        break;
    case SS_JSON_RAW:
        ss_json_add_raw(buf, member->key, member->text);
        break;
    case SS_JSON_WRITTEN:
        ss_json_add_members(buf, member->text);
        break;
    }
}

static char *text_of(const struct ss_json_member *items, size_t count)
{
    struct ss_buf buf;
    ss_buf_init(&buf, SIZE_MAX);
    ss_buf_expect(&buf, SIZE_EXPECTED);
    ss_json_open(&buf);
    for (size_t i = 0; i < count; i++)
        add_member(&buf, &items[i]);
    ss_json_close(&buf);
    return ss_buf_steal(&buf, NULL);
}

char *ss_json_members_text(const struct ss_json_members *said)
{
    return text_of(said->items, said->count);
}

// ------------------------------------------------ kept

struct ss_json_late *ss_json_late_new(const struct ss_json_members *said)
{
    size_t sizes[SS_JSON_MEMBERS_MAX];
    size_t size = said->count * sizeof(struct ss_json_member);
    for (size_t i = 0; i < said->count; i++) {
        const char *text = said->items[i].text;
        sizes[i] = text ? strlen(text) + 1 : 0;
        size += sizes[i];
    }
    struct ss_json_late *late = ss_alloc(sizeof(*late) + size);
    char *to = (char *)(late->items + said->count);
    late->refs = 1;
    late->count = said->count;
    for (size_t i = 0; i < said->count; i++) {
        late->items[i] = said->items[i];
        late->items[i].own = NULL;
        if (sizes[i] == 0)
            continue;
        late->items[i].text = memcpy(to, said->items[i].text, sizes[i]);
        to += sizes[i];
    }
    return late;
}

struct ss_json_late *ss_json_late_ref(struct ss_json_late *late)
{
    if (late)
        late->refs++;
    return late;
}

void ss_json_late_unref(struct ss_json_late *late)
{
    if (!late)
        return;
    ss_check(late->refs > 0);
    if (--late->refs == 0)
        ss_free(late);
}

char *ss_json_late_text(const struct ss_json_late *late)
{
    return text_of(late->items, late->count);
}
