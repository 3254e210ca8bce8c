#include "common/model/json_late.h"

#include <string.h>

#include "common/base/mem.h"
#include "common/model/value.h"
#include "tests/unit/model/help.h"

static const char expected[] =
    "{\"run\":\"r \\\"1\\\"\",\"at\":-7,\"list\":[1,\"two\"],\"keyed\":true}";

// Texts are `run`'s, and gone behind this.
static void say(struct ss_json_members *said, char *run)
{
    json_t *list = json_pack("[i, s]", 1, "two");
    said->count = 0;
    ss_json_say_text(said, "run", run);
    ss_json_say_text(said, "graph", NULL);
    ss_json_say_int(said, "at", -7);
    ss_json_say_json(said, "list", list);
    ss_json_say_json(said, "error", NULL);
    ss_json_say_written(said, "\"keyed\":true");
    ss_json_say_written(said, NULL);
    json_decref(list);
}

START_TEST(members_are_written_in_the_order_in_which_they_were_said)
{
    struct ss_json_members said;
    char run[] = "r \"1\"";
    say(&said, run);
    char *text = ss_json_members_text(&said);
    ck_assert_str_eq(text, expected);
    ss_json_members_fini(&said);
    ss_free(text);
}
END_TEST

START_TEST(what_is_read_late_says_what_it_said_then)
{
    struct ss_json_members said;
    char run[] = "r \"1\"";
    say(&said, run);
    struct ss_json_late *late = ss_json_late_new(&said);
    ss_json_members_fini(&said);
    memset(run, 'x', sizeof(run) - 1);
    ck_assert_ptr_eq(ss_json_late_ref(late), late);
    for (int i = 0; i < 2; i++) {
        char *text = ss_json_late_text(late);
        ck_assert_str_eq(text, expected);
        ss_free(text);
        ss_json_late_unref(late);
    }
    ck_assert_ptr_null(ss_json_late_ref(NULL));
    ss_json_late_unref(NULL);
}
END_TEST

START_TEST(an_object_of_no_members_is_one)
{
    struct ss_json_members said = {0};
    struct ss_json_late *late = ss_json_late_new(&said);
    char *text = ss_json_late_text(late);
    ck_assert_str_eq(text, "{}");
    ss_json_late_unref(late);
    ss_free(text);
}
END_TEST

RUN("json_late", members_are_written_in_the_order_in_which_they_were_said,
    what_is_read_late_says_what_it_said_then, an_object_of_no_members_is_one)
