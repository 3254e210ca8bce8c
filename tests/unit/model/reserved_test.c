#include "common/model/reserved.h"

#include "tests/unit/model/help.h"

START_TEST(the_reserved_names_are_the_fields)
{
    static const char *const reserved[] = {"langsmith:hidden", "__input__",
        "__interrupt__", "__resume__", "__error__", "__error_source_node__",
        "__no_writes__", "__snapshot_bumps__", "__pregel_send", "__pregel_read",
        "__pregel_checkpointer", "__pregel_stream", "__pregel_resuming",
        "__pregel_replay_state", "__pregel_task_id",
        "__pregel_timed_attempt_observer", "__pregel_resume_map",
        "__pregel_strict_resume", "__pregel_stream_messages_v2",
        "checkpoint_map", "checkpoint_id", "checkpoint_ns", "configurable",
        "__pregel_push", "__pregel_pull", "|", ":"};
    for (size_t i = 0; i < sizeof(reserved) / sizeof(*reserved); i++)
        ck_assert_msg(ss_name_reserved(reserved[i]), "%s", reserved[i]);
}
END_TEST

START_TEST(names_that_look_reserved_are_not)
{
    static const char *const free_ones[] = {"__return__", "__previous__",
        "__pregel_tasks", "__start__", "__end__", "thread_id", "", "checkpoint",
        "__input", "a:b"};
    for (size_t i = 0; i < sizeof(free_ones) / sizeof(*free_ones); i++)
        ck_assert_msg(!ss_name_reserved(free_ones[i]), "%s", free_ones[i]);
}
END_TEST

START_TEST(pseudo_channels_are_ignored_when_writes_apply)
{
    static const char *const ignored[] = {"__no_writes__", "__pregel_push",
        "__resume__", "__interrupt__", "__return__", "__error__",
        "__error_source_node__"};
    for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
        ck_assert_msg(ss_name_ignored(ignored[i]), "%s", ignored[i]);
    ck_assert(!ss_name_ignored("__start__"));
    ck_assert(!ss_name_ignored("__pregel_tasks"));
    ck_assert(!ss_name_ignored("log"));
    ck_assert(!ss_name_ignored(""));
}
END_TEST

START_TEST(special_writes_have_their_index)
{
    ck_assert_int_eq(ss_name_special("__error__"), -1);
    ck_assert_int_eq(ss_name_special("__scheduled__"), -2);
    ck_assert_int_eq(ss_name_special("__interrupt__"), -3);
    ck_assert_int_eq(ss_name_special("__resume__"), -4);
    ck_assert_int_eq(ss_name_special("__tries__"), -5);
    ck_assert(ss_name_reserved("__tries__"));
    ck_assert_int_eq(ss_name_special("__lost__"), -6);
    ck_assert(ss_name_reserved("__lost__"));
    // Sharp edge 72: the source of an error is a write like others.
    ck_assert_int_eq(ss_name_special("__error_source_node__"), 0);
    ck_assert_int_eq(ss_name_special("log"), 0);
}
END_TEST

RUN("names", the_reserved_names_are_the_fields,
    names_that_look_reserved_are_not,
    pseudo_channels_are_ignored_when_writes_apply,
    special_writes_have_their_index)
