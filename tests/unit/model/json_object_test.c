#include "common/model/json_object.h"

#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/mem.h"
#include "common/model/value.h"
#include "tests/unit/model/help.h"

static struct ss_buf buf;

static void begin(void)
{
    ss_buf_init(&buf, SIZE_MAX);
    ss_json_open(&buf);
}

static void expect(const char *text)
{
    ss_json_close(&buf);
    ck_assert_str_eq(ss_buf_str(&buf), text);
    ss_buf_fini(&buf);
}

START_TEST(members_stand_in_the_order_in_which_they_are_added)
{
    begin();
    ss_json_add_text(&buf, "run", "r1");
    ss_json_add_int(&buf, "at", -7);
    ss_json_begin(&buf, "head");
    ss_json_add_int(&buf, "rows", 12);
    ss_json_close(&buf);
    ss_json_add_raw(&buf, "list", "[1,\"two\"]");
    ss_json_add_members(&buf, "\"keyed\":true");
    expect("{\"run\":\"r1\",\"at\":-7,\"head\":{\"rows\":12},"
           "\"list\":[1,\"two\"],\"keyed\":true}");
}
END_TEST

START_TEST(what_is_null_is_not_there)
{
    begin();
    ss_json_add_text(&buf, "run", NULL);
    ss_json_add_members(&buf, NULL);
    expect("{}");
}
END_TEST

START_TEST(members_may_come_first)
{
    begin();
    ss_json_add_members(&buf, "\"a\":1");
    ss_json_add_text(&buf, "b", "");
    expect("{\"a\":1,\"b\":\"\"}");
}
END_TEST

// What ends in a brace has a member all the same, and so does a text of one.
START_TEST(a_brace_in_a_value_is_not_the_beginning)
{
    begin();
    ss_json_add_text(&buf, "a", "{");
    ss_json_add_int(&buf, "least", INT64_MIN);
    ss_json_add_int(&buf, "most", INT64_MAX);
    expect("{\"a\":\"{\",\"least\":-9223372036854775808,"
           "\"most\":9223372036854775807}");
}
END_TEST

START_TEST(texts_are_read_back_as_they_were)
{
    static const char *const texts[] = {
        "\"", "\\", "a\nb", "\x01", "\xc3\xa4", "}", "\",\"x\":\""};
    struct ss_error error;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        json_t *json = NULL;
        begin();
        ss_json_add_text(&buf, "text", texts[i]);
        ss_json_close(&buf);
        ck_assert_int_eq(
            ss_json_parse(buf.data, buf.size, &json, &error), SS_OK);
        ck_assert_uint_eq(json_object_size(json), 1);
        ck_assert_str_eq(ss_json_str(json, "text", "?"), texts[i]);
        json_decref(json);
        ss_buf_fini(&buf);
    }
}
END_TEST

RUN("json_object", members_stand_in_the_order_in_which_they_are_added,
    what_is_null_is_not_there, members_may_come_first,
    a_brace_in_a_value_is_not_the_beginning, texts_are_read_back_as_they_were)
