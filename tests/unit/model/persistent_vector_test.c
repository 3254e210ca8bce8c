// Lists that share their past, against plain arrays of numbers.
#include "common/model/persistent_vector.h"

#include "common/base/prng.h"
#include "common/model/hamt.h"
#include "tests/unit/model/help.h"

enum { MODEL_MAX = 4096, VERSIONS = 40 };

// What a list must hold: its items, by number; NULL: a hole.
struct model {
    struct ss_value *items[MODEL_MAX];
    size_t next;
};

static struct ss_value *number(int value)
{
    return ss_value_new(json_integer(value));
}

static struct ss_list *push(struct ss_list *list, int value)
{
    struct ss_value *item = number(value);
    list = ss_list_push(list, item);
    ss_value_unref(item);
    return list;
}

// Takes the list.
static void expect(struct ss_list *list, const char *expected)
{
    struct ss_value *value = ss_value_of_list(list);
    const char *text = ss_value_text(value, NULL);
    ck_assert_str_eq(text, expected);
    expect_json(json_incref(ss_value_json(value)), expected);
    ss_value_unref(value);
}

START_TEST(a_list_and_its_past_are_two_lists)
{
    struct ss_list *list = push(push(ss_list_new(), 1), 2);
    struct ss_list *past = ss_list_ref(list);
    struct ss_value *item = number(20);
    list = ss_list_put(push(list, 3), 1, item);
    list = ss_list_drop(list, 0);
    ss_value_unref(item);
    ck_assert_uint_eq(ss_list_count(list), 2);
    ck_assert_uint_eq(ss_list_next(list), 3);
    ck_assert_ptr_null(ss_list_get(list, 0));
    ck_assert_uint_eq(ss_list_number(list, 0), 1);
    expect(list, "[20,3]");
    expect(past, "[1,2]");
}
END_TEST

START_TEST(a_list_without_items_goes_on)
{
    struct ss_list *list = ss_list_new();
    for (int i = 0; i < 100; i++)
        list = ss_list_drop(push(list, i), (uint64_t)i);
    ck_assert_uint_eq(ss_list_count(list), 0);
    expect(ss_list_ref(list), "[]");
    expect(push(list, 7), "[7]");
}
END_TEST

START_TEST(a_push_takes_what_one_item_takes)
{
    // 40,000 items, each version kept alive by the next one's past: without
    // sharing it would be 800 million places.
    struct ss_list *list = ss_list_new(), *past = NULL;
    for (int i = 0; i < 40000; i++) {
        ss_list_unref(past);
        past = ss_list_ref(list);
        list = push(list, i);
    }
    struct ss_list_edits edits;
    ck_assert(ss_list_compare(past, list, &edits));
    ck_assert(ss_list_edits_append(&edits, past));
    ck_assert_uint_eq(edits.items.count, 1);
    ss_list_edits_fini(&edits);
    ss_list_unref(list);
    ss_list_unref(past);
}
END_TEST

// ------------------------------------------------ against the model

struct check {
    const struct model *model;
    size_t at;
    size_t position;
    const struct ss_list *list;
};

static void check_item(void *ctx, uint64_t at, struct ss_value *item)
{
    struct check *check = ctx;
    while (check->at < at)
        ck_assert_ptr_null(check->model->items[check->at++]);
    ck_assert_ptr_eq(check->model->items[check->at++], item);
    ck_assert_ptr_eq(ss_list_get(check->list, at), item);
    ck_assert_uint_eq(ss_list_number(check->list, check->position++), at);
}

static void check(const struct ss_list *list, const struct model *model)
{
    struct check it = {.model = model, .list = list};
    ss_list_each(list, check_item, &it);
    while (it.at < model->next)
        ck_assert_ptr_null(model->items[it.at++]);
    ck_assert_uint_eq(ss_list_count(list), it.position);
    ck_assert_uint_eq(ss_list_next(list), model->next);
}

static void play(
    struct ss_prng *prng, struct ss_list **list, struct model *model)
{
    struct ss_value *item = number((int)ss_prng_below(prng, 1000));
    size_t at = model->next ? ss_prng_below(prng, model->next) : 0;
    unsigned what = (unsigned)ss_prng_below(prng, 4);
    if (what < 2 || !model->items[at]) {
        *list = ss_list_push(*list, item);
        model->items[model->next++] = item;
    } else if (what == 2) {
        *list = ss_list_put(*list, at, item);
        model->items[at] = item;
    } else {
        *list = ss_list_drop(*list, at);
        model->items[at] = NULL;
    }
    ss_value_unref(item); // the list holds it
}

// What one list became is told, and done again: the same list.
static void replay(struct ss_list *older, struct ss_list *newer)
{
    struct ss_list_edits edits;
    if (!ss_list_compare(older, newer, &edits))
        return;
    struct ss_value *told = ss_list_edits_value(&edits);
    struct ss_list *again = NULL;
    ck_assert_int_eq(ss_list_edit(ss_list_ref(older), told, &again), SS_OK);
    struct ss_value *is = ss_value_of_list(again);
    struct ss_value *should = ss_value_of_list(ss_list_ref(newer));
    struct ss_value *before = ss_value_of_list(ss_list_ref(older));
    json_t *array = json_copy(ss_value_json(before));
    ck_assert_int_eq(ss_array_edit(&array, told), SS_OK);
    ck_assert(json_equal(array, ss_value_json(should)));
    json_decref(array);
    ss_value_unref(before);
    ck_assert_str_eq(ss_value_text(is, NULL), ss_value_text(should, NULL));
    ss_value_unref(is);
    ss_value_unref(should);
    ss_value_unref(told);
    ss_list_edits_fini(&edits);
}

START_TEST(every_version_stays_what_it_was)
{
    struct ss_prng prng;
    static struct model models[VERSIONS];
    struct ss_list *lists[VERSIONS];
    ss_prng_init(&prng, 11);
    memset(&models[0], 0, sizeof(models[0]));
    lists[0] = ss_list_new();
    for (size_t v = 1; v < VERSIONS; v++) {
        lists[v] = ss_list_ref(lists[v - 1]);
        models[v] = models[v - 1];
        for (size_t n = ss_prng_below(&prng, 120); n > 0; n--)
            play(&prng, &lists[v], &models[v]);
    }
    for (size_t v = 0; v < VERSIONS; v++)
        check(lists[v], &models[v]);
    for (size_t v = 0; v < VERSIONS; v++)
        for (size_t later = v; later < VERSIONS; later++)
            replay(lists[v], lists[later]);
    for (size_t v = 0; v < VERSIONS; v++)
        ss_list_unref(lists[v]);
}
END_TEST

START_TEST(another_list_is_no_edit_of_this_one)
{
    struct ss_list *one = push(push(push(ss_list_new(), 1), 2), 3);
    struct ss_list *other = push(push(push(ss_list_new(), 1), 2), 3);
    struct ss_list_edits edits;
    ck_assert(!ss_list_compare(one, other, &edits));
    ck_assert_uint_eq(edits.items.count, 0);
    ss_list_unref(one);
    ss_list_unref(other);
}
END_TEST

START_TEST(a_list_knows_how_deep_it_nests)
{
    struct ss_value *flat = number(1), *deep = value_of("{'a': [[1]]}");
    struct ss_list *list = ss_list_push(ss_list_new(), flat);
    ck_assert_int_eq(ss_list_depth(list), 0);
    list = ss_list_push(list, deep);
    ck_assert_int_eq(ss_list_depth(list), 3);
    list = ss_list_drop(list, 1);
    ck_assert_int_eq(ss_list_depth(list), 0);
    ss_list_unref(list);
    ss_value_unref(flat);
    ss_value_unref(deep);
}
END_TEST

// ------------------------------------------------ the index

static uint64_t hash_of(size_t i)
{
    // Many that begin alike, some that part in the last bits only.
    return i < 64 ? (uint64_t)i << 58 | 5 : ss_hash64(&i, sizeof(i));
}

static uint64_t indexed(const struct ss_list *list)
{
    uint64_t end;
    const struct ss_hamt *index = ss_list_index(list, &end);
    ck_assert(index != NULL || end == 0);
    return end;
}

START_TEST(an_index_stays_with_a_list_that_grows)
{
    struct ss_value *item = value_of("1");
    struct ss_list *list = ss_list_push(ss_list_new(), item);
    list = ss_list_push(list, item);
    ck_assert_uint_eq(indexed(list), 0);
    ss_list_set_index(list, ss_hamt_put(NULL, 7, 1));
    ck_assert_uint_eq(indexed(list), 2);
    list = ss_list_push(list, item); // in place
    ck_assert_uint_eq(indexed(list), 2);
    struct ss_list *past = ss_list_ref(list);
    list = ss_list_push(list, item);
    ck_assert_uint_eq(indexed(list), 2);
    list = ss_list_put(list, 0, item);
    ck_assert_uint_eq(indexed(list), 0);
    ck_assert_uint_eq(indexed(past), 2);
    past = ss_list_drop(past, 0);
    ck_assert_uint_eq(indexed(past), 0);
    ss_list_unref(list);
    ss_list_unref(past);
    ss_value_unref(item);
}
END_TEST

START_TEST(an_array_that_others_read_is_not_edited_in_place)
{
    json_t *array = js("[[1],[2],[3]]"), *mine = array;
    json_t *third = json_array_get(array, 2);
    struct ss_value *more = value_of("[[3,0,4]]"), *none = value_of("[]");
    struct ss_value *less = value_of("[[0,1]]"), *wrong = value_of("[[9,1]]");
    ck_assert_int_eq(ss_array_edit(&array, more), SS_OK);
    ck_assert_ptr_eq(array, mine);
    json_t *read = json_incref(array);
    ck_assert_int_eq(ss_array_edit(&array, none), SS_OK);
    ck_assert_ptr_eq(array, read);
    ck_assert_int_eq(ss_array_edit(&array, wrong), SS_ECORRUPT);
    ck_assert_ptr_eq(array, read);
    ck_assert_int_eq(ss_array_edit(&array, less), SS_OK);
    ck_assert_ptr_ne(array, read);
    ck_assert_ptr_eq(json_array_get(array, 1), third);
    expect_json(array, "[[2],[3],4]");
    expect_json(read, "[[1],[2],[3],4]");
    ss_value_unref(more);
    ss_value_unref(none);
    ss_value_unref(less);
    ss_value_unref(wrong);
}
END_TEST

START_TEST(what_stands_often_in_an_array_is_one_value)
{
    json_t *it = js("{'text': 'long'}"), *other = js("[1]");
    json_t *array = json_pack("[O,O,i,O,O,i]", it, other, 7, it, other, 7);
    struct ss_value *all;
    struct ss_list *list = ss_list_push_json(ss_list_new(), array);
    json_decref(array);
    ck_assert_uint_eq(ss_list_count(list), 6);
    ck_assert_ptr_eq(ss_list_get(list, 0), ss_list_get(list, 3));
    ck_assert_ptr_eq(ss_list_get(list, 1), ss_list_get(list, 4));
    ck_assert_ptr_ne(ss_list_get(list, 0), ss_list_get(list, 1));
    json_decref(it);
    json_decref(other);
    all = ss_value_of_list(ss_list_drop(ss_list_ref(list), 0));
    ss_list_unref(list);
    ck_assert_str_eq(
        ss_value_text(all, NULL), "[[1],7,{\"text\":\"long\"},[1],7]");
    ss_value_unref(all);
}
END_TEST

START_TEST(an_index_and_its_past_are_two_indexes)
{
    enum { COUNT = 2000 };
    struct ss_hamt *index = NULL, *past;
    uint64_t found;
    for (size_t i = 0; i < COUNT; i++)
        index = ss_hamt_put(index, hash_of(i), i);
    past = ss_hamt_ref(index);
    for (size_t i = 0; i < COUNT; i++)
        index = i % 2 ? ss_hamt_drop(index, hash_of(i))
                      : ss_hamt_put(index, hash_of(i), i + COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        ck_assert(ss_hamt_get(past, hash_of(i), &found) && found == i);
        ck_assert(ss_hamt_get(index, hash_of(i), &found) == (i % 2 == 0));
        ck_assert(i % 2 || found == i + COUNT);
    }
    for (size_t i = 0; i < COUNT; i += 2)
        index = ss_hamt_drop(index, hash_of(i));
    ck_assert_ptr_null(index);
    ss_hamt_unref(past);
}
END_TEST

RUN("list", a_list_and_its_past_are_two_lists, a_list_without_items_goes_on,
    a_push_takes_what_one_item_takes, every_version_stays_what_it_was,
    another_list_is_no_edit_of_this_one, a_list_knows_how_deep_it_nests,
    an_index_stays_with_a_list_that_grows,
    an_array_that_others_read_is_not_edited_in_place,
    what_stands_often_in_an_array_is_one_value,
    an_index_and_its_past_are_two_indexes)
