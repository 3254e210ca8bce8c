// add_messages: forms, ids, merging (spec/graph.md 3).
#include <stdlib.h>

#include "common/base/prng.h"
#include "common/model/persistent_vector.h"
#include "common/model/reducer.h"
#include "tests/unit/model/help.h"

// Every made-up id as "~".
static void hide_ids(json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *message = json_array_get(list, i);
        const char *id = ss_json_str(message, "id", "");
        if (strlen(id) == 36 && id[14] == '4' && strchr("89ab", id[19]))
            json_object_set_new(message, "id", json_string("~"));
    }
}

// The same by way of a list with its index: it must say the same, or that it
// cannot; and what it was made from stays as it was.
static void merge_list(json_t *left, json_t *right, const char *owner,
    int status, json_t *expected)
{
    struct ss_value *value = ss_value_new(json_incref(left));
    struct ss_list *old = ss_value_list(value);
    struct ss_error error = {0};
    if (old) {
        struct ss_list *list = ss_list_ref(old);
        int result = ss_messages_add(&list, right, owner, 0, &error);
        ck_assert(result == status || result == SS_EAGAIN);
        struct ss_value *made = ss_value_of_list(list);
        if (result == SS_OK)
            ck_assert(json_equal(ss_value_json(made), expected));
        ss_value_unref(made);
        made = ss_value_of_list(ss_list_ref(old));
        ck_assert(json_equal(ss_value_json(made), left));
        ss_value_unref(made);
    }
    ss_value_unref(value);
}

static int merge(const char *left, const char *right, const char *owner,
    json_t **ret_json, struct ss_error *error)
{
    json_t *a = js(left), *b = js(right);
    json_t *kept_a = json_deep_copy(a), *kept_b = json_deep_copy(b);
    int status = ss_messages_merge(a, b, owner, 0, ret_json, error);
    merge_list(a, b, owner, status, status == SS_OK ? *ret_json : NULL);
    ck_assert(json_equal(a, kept_a));
    ck_assert(json_equal(b, kept_b));
    json_decref(a);
    json_decref(b);
    json_decref(kept_a);
    json_decref(kept_b);
    return status;
}

static void expect(const char *left, const char *right, const char *expected)
{
    json_t *result;
    struct ss_error error;
    int status = merge(left, right, "t|m", &result, &error);
    if (status != SS_OK)
        ck_abort_msg("%s", error.message);
    json_t *shown = json_deep_copy(result);
    json_decref(result);
    hide_ids(shown);
    expect_json(shown, expected);
}

static void refuse(const char *left, const char *right, const char *words)
{
    json_t *result = NULL;
    struct ss_error error;
    ck_assert_msg(
        merge(left, right, "t|m", &result, &error) == SS_EINVAL, "%s", right);
    if (!strstr(error.message, words))
        ck_abort_msg("\"%s\" lacks \"%s\"", error.message, words);
}

// One message-like, made a message.
static void coerce(const char *like, const char *expected)
{
    json_t *json = js(like), *message;
    struct ss_error error;
    int status = ss_message_coerce(json, &message, &error);
    if (status != SS_OK)
        ck_abort_msg("%s", error.message);
    json_decref(json);
    // What it made, it makes again.
    json_t *again;
    ck_assert_int_eq(ss_message_coerce(message, &again, &error), SS_OK);
    ck_assert(json_equal(message, again));
    json_decref(again);
    expect_json(message, expected);
}

static void no_message(const char *like, const char *words)
{
    json_t *json = js(like), *message = NULL;
    struct ss_error error;
    ck_assert_msg(
        ss_message_coerce(json, &message, &error) == SS_EINVAL, "%s", like);
    ck_assert_ptr_null(message);
    if (!strstr(error.message, words))
        ck_abort_msg("\"%s\" lacks \"%s\"", error.message, words);
    json_decref(json);
}

START_TEST(texts_and_pairs_are_messages)
{
    coerce("'hi'", "{'type': 'human', 'content': 'hi', 'id': null}");
    coerce("''", "{'type': 'human', 'content': '', 'id': null}");
    coerce("['ai', 'x']", "{'type': 'ai', 'content': 'x', 'id': null}");
    coerce("['human', ['p', {'q': 3}]]",
        "{'type': 'human', 'content': ['p', {'q': 3}], 'id': null}");
    no_message("['user']", "pair");
    no_message("['user', 'a', 'b']", "pair");
    no_message("[1, 'a']", "pair");
    no_message("['user', null]", "must not be null");
    no_message("['nobody', 'a']", "\"nobody\"");
    no_message("['user', 0]", "content");
    no_message("['remove', 'x']", "id of whom");
}
END_TEST

START_TEST(roles_have_two_spellings)
{
    static const struct {
        const char *word;
        const char *type;
    } roles[] = {{"human", "human"}, {"user", "human"}, {"ai", "ai"},
        {"assistant", "ai"}, {"system", "system"}};
    for (size_t i = 0; i < sizeof(roles) / sizeof(*roles); i++)
        for (int by_type = 0; by_type < 2; by_type++) {
            char *like = ss_format("{'%s': '%s', 'content': 'c', 'id': 'i'}",
                by_type ? "type" : "role", roles[i].word);
            char *made = ss_format(
                "{'type': '%s', 'content': 'c', 'id': 'i'}", roles[i].type);
            coerce(like, made);
            ss_free(like);
            ss_free(made);
        }
    coerce("{'role': 'developer', 'content': 'c'}",
        "{'type': 'system', 'content': 'c', 'id': null, "
        "'additional_kwargs': {'__openai_role__': 'developer'}}");
    coerce("{'role': 'ai', 'type': 'human', 'content': 'c'}",
        "{'type': 'ai', 'content': 'c', 'id': null, "
        "'additional_kwargs': {'type': 'human'}}");
    no_message("{'role': 'User', 'content': 'x'}", "Did you mean \"user\"?");
    no_message("{'role': 'chat', 'content': 'x'}", "\"chat\"");
    no_message("{'role': 5, 'content': 'x'}", "role");
    no_message("{'content': 'x'}", "needs a role");
}
END_TEST

START_TEST(contents_are_texts_or_lists_of_blocks)
{
    coerce("{'role': 'ai', 'content': null}",
        "{'type': 'ai', 'content': '', 'id': null}");
    coerce("{'role': 'ai', 'content': 0}",
        "{'type': 'ai', 'content': '', 'id': null}");
    coerce("{'role': 'ai', 'content': []}",
        "{'type': 'ai', 'content': '', 'id': null}");
    coerce("{'role': 'ai', 'content': ['a', {'type': 'text'}]}",
        "{'type': 'ai', 'content': ['a', {'type': 'text'}], 'id': null}");
    no_message("{'role': 'ai'}", "needs a content");
    no_message("{'role': 'user', 'content': 5}", "text or a list");
    no_message("{'role': 'user', 'content': true}", "text or a list");
    no_message("{'role': 'user', 'content': [5]}", "texts and maps");
    no_message("{'role': 'user', 'content': {'a': 1}}", "text or a list");
}
END_TEST

START_TEST(a_tool_turns_other_content_into_text)
{
    coerce("{'role': 'tool', 'content': 7, 'tool_call_id': 'c'}",
        "{'type': 'tool', 'content': '7', 'id': null, 'tool_call_id': 'c'}");
    coerce("{'role': 'tool', 'content': 7.5, 'tool_call_id': 'c'}",
        "{'type': 'tool', 'content': '7.5', 'id': null, 'tool_call_id': "
        "'c'}");
    coerce("{'role': 'tool', 'content': true, 'tool_call_id': 'c'}",
        "{'type': 'tool', 'content': 'True', 'id': null, 'tool_call_id': "
        "'c'}");
    coerce("{'role': 'tool', 'content': [1, 'two', {'a': 3}, null, false], "
           "'tool_call_id': 'c'}",
        "{'type': 'tool', 'content': ['1', 'two', {'a': 3}, 'None', "
        "'False'], 'id': null, 'tool_call_id': 'c'}");
}
END_TEST

START_TEST(a_tool_has_its_call_and_outcome)
{
    coerce("{'role': 'tool', 'content': 'x', 'tool_call_id': 3, 'artifact': "
           "{'rows': [1]}, 'status': 'error', 'name': 'find'}",
        "{'type': 'tool', 'content': 'x', 'id': null, 'name': 'find', "
        "'tool_call_id': '3', 'artifact': {'rows': [1]}, 'status': 'error'}");
    coerce("{'role': 'tool', 'content': 'x', 'tool_call_id': 'c', "
           "'artifact': null, 'status': 'success'}",
        "{'type': 'tool', 'content': 'x', 'id': null, 'tool_call_id': 'c'}");
    coerce("{'role': 'tool', 'content': 'x', 'tool_call_id': 'c', 'status': "
           "null, 'additional_kwargs': {'artifact': 5}}",
        "{'type': 'tool', 'content': 'x', 'id': null, 'tool_call_id': 'c', "
        "'artifact': 5}");
    no_message("{'role': 'tool', 'content': 'x'}", "tool_call_id");
    no_message("{'role': 'tool', 'content': 'x', 'tool_call_id': null}",
        "tool_call_id");
    no_message("{'role': 'tool', 'content': 'x', 'tool_call_id': 'c', "
               "'status': 'maybe'}",
        "status");
}
END_TEST

START_TEST(ids_and_names_are_texts)
{
    coerce("{'role': 'ai', 'content': 'x', 'id': 7, 'name': 'n'}",
        "{'type': 'ai', 'content': 'x', 'id': '7', 'name': 'n'}");
    coerce("{'role': 'ai', 'content': 'x', 'id': '', 'name': ''}",
        "{'type': 'ai', 'content': 'x', 'id': ''}");
    coerce("{'role': 'function', 'content': 'x', 'name': 'f'}",
        "{'type': 'function', 'content': 'x', 'id': null, 'name': 'f'}");
    no_message("{'role': 'ai', 'content': 'x', 'id': true}", "id");
    no_message("{'role': 'ai', 'content': 'x', 'name': 5}", "name");
    no_message("{'role': 'function', 'content': 'x'}", "name");
}
END_TEST

START_TEST(a_removal_needs_an_id_and_drops_its_content)
{
    coerce("{'role': 'remove', 'content': 'x', 'id': 'a'}",
        "{'type': 'remove', 'content': '', 'id': 'a'}");
    no_message("{'role': 'remove', 'content': ''}", "id of whom");
    no_message("{'type': 'remove', 'id': 'a'}", "needs a content");
}
END_TEST

START_TEST(calls_have_one_form_at_last)
{
    coerce("{'role': 'ai', 'content': '', 'tool_calls': [{'name': 'f', "
           "'args': {'a': 1}, 'id': 'x', 'type': 'tool_call'}, {'id': 'y', "
           "'type': 'function', 'function': {'name': 'g', 'arguments': "
           "'{\\\"q\\\": 2}'}}, {'id': null, 'function': {'name': 'h', "
           "'arguments': {'r': 3}}}]}",
        "{'type': 'ai', 'content': '', 'id': null, 'tool_calls': [{'name': "
        "'f', 'args': {'a': 1}, 'id': 'x', 'type': 'tool_call'}, {'name': "
        "'g', 'args': {'q': 2}, 'id': 'y', 'type': 'tool_call'}, {'name': "
        "'h', 'args': {'r': 3}, 'id': null, 'type': 'tool_call'}]}");
    coerce("{'role': 'ai', 'content': '', 'tool_calls': []}",
        "{'type': 'ai', 'content': '', 'id': null}");
    coerce("{'role': 'ai', 'content': '', 'tool_calls': null}",
        "{'type': 'ai', 'content': '', 'id': null}");
    // On other roles nobody looks into them.
    coerce("{'role': 'user', 'content': '', 'tool_calls': [{'a': 1}]}",
        "{'type': 'human', 'content': '', 'id': null, 'tool_calls': [{'a': "
        "1}]}");
}
END_TEST

static void bad_call(const char *call, const char *words)
{
    char *like =
        ss_format("{'role': 'ai', 'content': '', 'tool_calls': [%s]}", call);
    no_message(like, words);
    ss_free(like);
}

START_TEST(a_bad_call_is_refused)
{
    bad_call("{'name': 'f', 'args': {}}", "needs an id");
    bad_call("{'name': 'f', 'args': {}, 'id': 5}", "needs an id");
    bad_call("{'name': 5, 'args': {}, 'id': 'x'}", "needs a name");
    bad_call("{'name': 'f', 'args': [], 'id': 'x'}", "args");
    bad_call("{'name': 'f', 'id': 'x'}", "args");
    bad_call("{'name': 'f', 'args': {}, 'id': 'x', 'y': 1}", "nothing else");
    bad_call("5", "must be a map");
    bad_call("{'function': {'name': 'f', 'arguments': '{}'}}", "needs an id");
    bad_call("{'id': 'x', 'function': {'name': 'f'}}", "arguments");
    bad_call("{'id': 'x', 'function': {'arguments': '{}'}}", "name");
    bad_call(
        "{'id': 'x', 'function': {'name': 'f', 'arguments': '{'}}", "not JSON");
    bad_call(
        "{'id': 'x', 'function': {'name': 'f', 'arguments': '[1]'}}", "args");
    no_message("{'role': 'ai', 'content': '', 'tool_calls': 'x'}", "list");
}
END_TEST

START_TEST(what_has_no_meaning_is_kept_aside)
{
    coerce("{'role': 'user', 'content': 'x', 'mood': 'merry', 'k': 1, "
           "'additional_kwargs': {'k': 2}, 'response_metadata': {'m': 1}}",
        "{'type': 'human', 'content': 'x', 'id': null, 'response_metadata': "
        "{'m': 1}, 'additional_kwargs': {'mood': 'merry', 'k': 2}}");
    no_message("{'role': 'ai', 'content': '', 'additional_kwargs': null}",
        "additional_kwargs");
    no_message("{'role': 'ai', 'content': '', 'response_metadata': 'x'}",
        "response_metadata");
}
END_TEST

START_TEST(a_serialised_message_is_opened)
{
    coerce("{'lc': 1, 'type': 'constructor', 'id': ['langchain', 'schema', "
           "'AIMessageChunk'], 'kwargs': {'content': 'x', 'id': 'i', 'type': "
           "'AIMessageChunk'}}",
        "{'type': 'ai', 'content': 'x', 'id': 'i'}");
    no_message("{'lc': 1, 'type': 'constructor', 'id': ['Secret'], "
               "'kwargs': {'content': 'x'}}",
        "class");
    no_message("{'lc': 1, 'type': 'constructor'}", "\"constructor\"");
}
END_TEST

START_TEST(other_things_are_no_messages)
{
    no_message("5", "a map, a text or a pair");
    no_message("null", "a map, a text or a pair");
    no_message("true", "a map, a text or a pair");
    refuse("[]", "[5]", "a map, a text or a pair");
    refuse("[]", "5", "a map");
    refuse("[]", "null", "what was written is null");
    refuse("null", "[]", "what is there is null");
    refuse("[5]", "[]", "a map");
}
END_TEST

#define M(id, text) "{'type': 'human', 'content': '" text "', 'id': '" id "'}"
#define R(id)       "{'type': 'remove', 'content': '', 'id': '" id "'}"
#define ABC         "[" M("a", "A") ", " M("b", "B") ", " M("c", "C") "]"

START_TEST(messages_merge_by_id)
{
    expect("[]", "[]", "[]");
    expect(ABC, "[]", ABC);
    expect(ABC, M("b", "new"),
        "[" M("a", "A") ", " M("b", "new") ", " M("c", "C") "]");
    expect("[" M("a", "A") "]", "[" M("x", "X") ", " M("a", "2") "]",
        "[" M("a", "2") ", " M("x", "X") "]");
    expect("[]", "[" M("a", "1") ", " M("a", "2") "]", "[" M("a", "2") "]");
}
END_TEST

START_TEST(removals_take_out_in_order)
{
    expect(ABC, R("b"), "[" M("a", "A") ", " M("c", "C") "]");
    expect(ABC, "[" R("a") ", " R("c") ", " R("a") "]", "[" M("b", "B") "]");
    // Replaced in place; gone; there at its first place.
    expect("[" M("a", "A") ", " M("b", "B") "]",
        "[" R("a") ", " M("a", "new") "]",
        "[" M("a", "new") ", " M("b", "B") "]");
    expect("[]", "[" M("a", "1") ", " R("a") "]", "[]");
    expect("[]",
        "[" M("a", "1") ", " R("a") ", " M("b", "2") ", " M("a", "3") "]",
        "[" M("a", "3") ", " M("b", "2") "]");
    refuse("[]", "[" R("a") ", " M("a", "1") "]", "no message \"a\"");
    refuse(ABC, R("zz"), "no message \"zz\"");
}
END_TEST

START_TEST(of_a_doubled_id_the_later_place_counts)
{
    expect("[" M("a", "1") ", " M("a", "2") "]", M("a", "3"),
        "[" M("a", "1") ", " M("a", "3") "]");
    expect("[" M("a", "1") ", " M("b", "B") ", " M("a", "2") "]", R("a"),
        "[" M("b", "B") "]");
}
END_TEST

#define ALL R("__remove_all__")

START_TEST(the_removal_of_all_clears_and_then_merges)
{
    expect(ABC, ALL, "[]");
    expect(ABC, "[" M("x", "X") ", " ALL ", " M("s", "S") "]",
        "[" M("s", "S") "]");
    expect(ABC, "[" ALL ", " R("zz") ", " ALL ", " M("d", "D") "]",
        "[" M("d", "D") "]");
    // Better than the reference: what follows is merged and de-duplicated,
    // and what went with all others may be removed again.
    expect(ABC,
        "[" ALL ", " M("d", "1") ", " M("d", "2") ", " M("e", "E") ", " R(
            "e") ", " R("b") "]",
        "[" M("d", "2") "]");
}
END_TEST

START_TEST(who_has_no_id_is_given_one)
{
    expect("['raw']", "['a', ['ai', 'b']]",
        "[{'type': 'human', 'content': 'raw', 'id': '~'}, {'type': 'human', "
        "'content': 'a', 'id': '~'}, {'type': 'ai', 'content': 'b', 'id': "
        "'~'}]");
}
END_TEST

static char *ids_of(
    const char *left, const char *right, const char *owner, size_t position)
{
    json_t *a = js(left), *b = js(right), *result;
    ck_assert_int_eq(
        ss_messages_merge(a, b, owner, position, &result, NULL), SS_OK);
    char *text = ss_json_text(result);
    json_decref(a);
    json_decref(b);
    json_decref(result);
    return text;
}

static void expect_ids(char *a, char *b, bool is_same)
{
    ck_assert_msg((strcmp(a, b) == 0) == is_same, "%s\n%s", a, b);
    ss_free(a);
    ss_free(b);
}

START_TEST(made_up_ids_are_a_function_of_the_write)
{
    expect_ids(ids_of("[]", "['a', 'b']", "t|m", 0),
        ids_of("[]", "['a', 'b']", "t|m", 0), true);
    expect_ids(ids_of("['x']", "['a']", "t|m", 0),
        ids_of("['x']", "['a']", "t|m", 0), true);
    // Another task, key or position: other ids.
    expect_ids(ids_of("[]", "['a']", "t|m", 0), ids_of("[]", "['a']", "u|m", 0),
        false);
    expect_ids(ids_of("[]", "['a']", "t|m", 0), ids_of("[]", "['a']", "t|n", 0),
        false);
    expect_ids(ids_of("[]", "['a']", "t|m", 0), ids_of("[]", "['a']", "t|m", 1),
        false);
    // Two items, and both sides, never share one.
    json_t *left = js("['a', 'a']"), *result;
    ck_assert_int_eq(
        ss_messages_merge(left, left, "t|m", 0, &result, NULL), SS_OK);
    ck_assert_uint_eq(json_array_size(result), 4);
    json_decref(left);
    json_decref(result);
}
END_TEST

START_TEST(without_an_owner_ids_come_from_the_contents)
{
    expect_ids(
        ids_of("[]", "['a']", NULL, 0), ids_of("[]", "['a']", NULL, 0), true);
    expect_ids(
        ids_of("[]", "['a']", NULL, 0), ids_of("[]", "['b']", NULL, 0), false);
    // The same words said again are another message.
    char *once = ids_of("[]", "['a']", NULL, 0);
    json_t *left = js(once), *right = js("['a']"), *twice;
    ck_assert_int_eq(
        ss_messages_merge(left, right, NULL, 0, &twice, NULL), SS_OK);
    ck_assert_uint_eq(json_array_size(twice), 2);
    ss_free(once);
    json_decref(left);
    json_decref(right);
    json_decref(twice);
}
END_TEST

static void expect_whole(const char *text, bool expected)
{
    json_t *json = js(text);
    ck_assert_msg(ss_message_is_whole(json) == expected, "%s", text);
    json_decref(json);
}

START_TEST(a_whole_message_is_not_made_again)
{
    expect_whole(M("a", "x"), true);
    expect_whole(R("a"), true);
    expect_whole("{'type': 'ai', 'content': [], 'id': 'a', 'name': 'n', "
                 "'tool_calls': [{'type': 'tool_call'}], 'tool_call_id': 'c', "
                 "'artifact': 1, 'status': 'error', 'additional_kwargs': {}, "
                 "'response_metadata': {}}",
        true);
    expect_whole("{'type': 'user', 'content': 'x', 'id': 'a'}", false);
    expect_whole("{'role': 'ai', 'content': 'x', 'id': 'a'}", false);
    expect_whole("{'type': 'ai', 'content': 'x', 'id': null}", false);
    expect_whole("{'type': 'ai', 'content': 5, 'id': 'a'}", false);
    expect_whole("{'type': 'ai', 'content': 'x', 'id': 'a', 'k': 1}", false);
    expect_whole(
        "{'type': 'ai', 'content': 'x', 'id': 'a', 'tool_calls': []}", false);
    expect_whole("{'type': 'ai', 'content': 'x', 'id': 'a', 'tool_calls': "
                 "[{'function': 1}]}",
        false);
    expect_whole("'x'", false);
}
END_TEST

// ------------------------------------------------ one write after another

static json_t *random_message(struct ss_prng *prng)
{
    static const char *const types[] = {"human", "ai", "remove"};
    char id[8];
    bool clears = ss_prng_below(prng, 40) == 0;
    const char *type = clears ? "remove" : types[ss_prng_below(prng, 3)];
    snprintf(id, sizeof(id), "%d", (int)ss_prng_below(prng, 12));
    return json_pack("{s:s, s:s, s:i}", "type", type, "id",
        clears ? "__remove_all__" : id, "content", (int)ss_prng_below(prng, 2));
}

static json_t *random_write(struct ss_prng *prng)
{
    json_t *write = json_array(), *message;
    for (size_t left = ss_prng_below(prng, 4); left > 0; left--)
        json_array_append_new(write, random_message(prng));
    size_t i;
    json_array_foreach (write, i, message)
        json_object_set_new(
            message, "content", json_string(i % 2 ? "yes" : "no"));
    return write;
}

// The list changes by another way than merging, as it does when it is made of a
// journal's rows.
static void change_both(
    struct ss_prng *prng, struct ss_list **list, json_t *whole)
{
    static int named;
    size_t count = json_array_size(whole);
    char id[16];
    snprintf(id, sizeof(id), "n%d", named++);
    json_t *message =
        json_pack("{s:s, s:s, s:s}", "type", "ai", "content", "new", "id", id);
    struct ss_value *item = ss_value_new(message);
    size_t what = ss_prng_below(prng, 8), at = ss_prng_below(prng, count + 1);
    if (what < 2) {
        *list = ss_list_push(*list, item);
        json_array_append(whole, message);
    } else if (what == 2 && at < count) {
        *list = ss_list_put(*list, ss_list_number(*list, at), item);
        json_array_set(whole, at, message);
    } else if (what == 3 && at < count) {
        *list = ss_list_drop(*list, ss_list_number(*list, at));
        json_array_remove(whole, at);
    }
    ss_value_unref(item);
}

static void converse(uint64_t seed, bool changes)
{
    struct ss_prng prng;
    struct ss_error error;
    ss_prng_init(&prng, seed);
    json_t *whole = json_array();
    struct ss_list *list = ss_list_new();
    size_t refused = 0;
    for (int turn = 0; turn < 200; turn++) {
        json_t *write = random_write(&prng), *next = NULL;
        int status = ss_messages_merge(whole, write, "t", 0, &next, &error);
        int same = ss_messages_add(&list, write, "t", 0, &error);
        ck_assert_int_eq(same, status);
        refused += status != SS_OK;
        if (status == SS_OK) {
            json_decref(whole);
            whole = next;
        }
        struct ss_value *value = ss_value_of_list(ss_list_ref(list));
        ck_assert(json_equal(ss_value_json(value), whole));
        ss_value_unref(value);
        json_decref(write);
        // Merging may have given back what it was given: mine from here on.
        json_t *mine = json_copy(whole);
        json_decref(whole);
        whole = mine;
        struct ss_list *past = ss_list_ref(list);
        if (changes)
            change_both(&prng, &list, whole);
        ss_list_unref(past);
    }
    ck_assert_uint_gt(refused, 0);
    ss_list_unref(list);
    json_decref(whole);
}

START_TEST(conversations_with_an_index_are_those_merged_in_full)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        converse(seed, false);
        converse(seed, true);
    }
}
END_TEST

START_TEST(two_messages_of_one_id_are_merged_in_full)
{
    struct ss_value *twice =
        value_of("[{'type': 'ai', 'content': 'a', 'id': '1'},"
                 " {'type': 'ai', 'content': 'b', 'id': '1'}]");
    json_t *gone = js("[{'type': 'remove', 'id': '1', 'content': ''}]");
    struct ss_list *list = ss_list_ref(ss_value_list(twice));
    struct ss_error error;
    ck_assert_int_eq(ss_messages_add(&list, gone, "t", 0, &error), SS_EAGAIN);
    json_t *merged = NULL;
    ck_assert_int_eq(
        ss_messages_merge(ss_value_json(twice), gone, "t", 0, &merged, &error),
        SS_OK);
    expect_json(merged, "[]"); // both
    ss_list_unref(list);
    ss_value_unref(twice);
    json_decref(gone);
}
END_TEST

START_TEST(the_same_message_once_more_is_no_change)
{
    struct ss_value *value =
        value_of("[{'type': 'ai', 'content': 'a', 'id': '1'}]");
    json_t *same = js("[{'type': 'ai', 'content': 'a', 'id': '1'}]");
    struct ss_list *list = ss_list_ref(ss_value_list(value));
    struct ss_list_edits edits;
    struct ss_error error;
    ck_assert_int_eq(ss_messages_add(&list, same, "t", 0, &error), SS_OK);
    ck_assert(ss_list_compare(ss_value_list(value), list, &edits));
    ck_assert_uint_eq(edits.edits.count, 0);
    ss_list_edits_fini(&edits);
    ss_list_unref(list);
    ss_value_unref(value);
    json_decref(same);
}
END_TEST

RUN("messages", conversations_with_an_index_are_those_merged_in_full,
    two_messages_of_one_id_are_merged_in_full,
    the_same_message_once_more_is_no_change, texts_and_pairs_are_messages,
    roles_have_two_spellings, contents_are_texts_or_lists_of_blocks,
    a_tool_turns_other_content_into_text, a_tool_has_its_call_and_outcome,
    ids_and_names_are_texts, a_removal_needs_an_id_and_drops_its_content,
    calls_have_one_form_at_last, a_bad_call_is_refused,
    what_has_no_meaning_is_kept_aside, a_serialised_message_is_opened,
    other_things_are_no_messages, messages_merge_by_id,
    removals_take_out_in_order, of_a_doubled_id_the_later_place_counts,
    the_removal_of_all_clears_and_then_merges, who_has_no_id_is_given_one,
    made_up_ids_are_a_function_of_the_write,
    without_an_owner_ids_come_from_the_contents,
    a_whole_message_is_not_made_again)
