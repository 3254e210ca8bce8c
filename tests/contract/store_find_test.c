// Whoever looks for threads or runs is told the newest first, page by page, and
// what is behind each filter. Every store must be searched so.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/mem.h"
#include "common/model/value.h"
#include "coordinator/store/job_run.h"
#include "coordinator/store/limits.h"
#include "coordinator/store/store_impl.h"
#include "tests/contract/store_world.h"
#include "tests/suite.h"

static struct ss_store *store;

static void open_kind(int kind)
{
    world_begin();
    store = world_open(kind);
}

static void teardown(void)
{
    ss_store_close(&store);
    world_end();
}

// ------------------------------------------------ what there is

static void put(enum ss_store_table table, const char *key, const char *index,
    int64_t at_us, const char *record)
{
    json_t *json = json_loads(record, 0, NULL);
    const struct ss_store_put one = {.table = table,
        .key = key,
        .index = index,
        .value = record,
        .value_size = strlen(record),
        .at_us = at_us,
        .status =
            table == SS_TABLE_RUNS ? ss_json_str(json, "status", NULL) : NULL};
    ck_assert_int_eq(put_entry(store, &one), SS_OK);
    json_decref(json);
}

// A run of graph g, or of h where its name begins so.
static void run(const char *key, const char *thread, int64_t at_us,
    const char *status, const char *metadata)
{
    bool is_open = strcmp(status, "running") == 0;
    char *record = ss_format(
        "{\"run\":\"%s\",\"thread\":\"%s\",\"graph\":\"%s\",\"status\":\"%s\","
        "\"created_us\":%lld,\"metadata\":%s}",
        key, thread, *key == 'h' ? "h" : "g", status, (long long)at_us,
        metadata);
    put(is_open ? SS_TABLE_OPEN : SS_TABLE_RUNS, key, thread, at_us, record);
    ss_free(record);
}

static void remove_from(enum ss_store_table table, const char *key)
{
    const struct ss_store_put one = {.table = table, .key = key};
    ck_assert_int_eq(put_entry(store, &one), SS_OK);
}

static void thread(const char *name, const char *status, int64_t at_us)
{
    char *record =
        ss_format("{\"thread\":\"%s\",\"graph\":\"g\",\"status\":\"%s\","
                  "\"created_us\":1,\"updated_us\":%lld}",
            name, status, (long long)at_us);
    put(SS_TABLE_THREADS, name, strcmp(status, "idle") == 0 ? NULL : status,
        at_us, record);
    ss_free(record);
}

// ------------------------------------------------ what is found

static struct ss_find all_of(bool of_threads)
{
    return (struct ss_find){
        .of_threads = of_threads, .until_us = INT64_MAX, .limit = 100};
}

static struct ss_job *look(const struct ss_find *find)
{
    struct ss_job *job = ss_job_new(SS_JOB_FIND, 1);
    struct ss_jobs_stats stats = {0};
    struct ss_job *jobs = job;
    ss_find_copy(find, &job->find);
    job = ss_jobs_run_some(store, 0, &jobs, &stats);
    ck_assert_msg(job->status == SS_OK, "%s", job->error.message);
    ck_assert(!job->lacks.times);
    return job;
}

// *find then asks for the next page; without `after`: that was the last one.
static void go_on(struct ss_find *find, const struct ss_job *job)
{
    ss_free(find->after);
    find->after = NULL;
    if (job->place) {
        find->after = ss_strdup(strchr(job->place, '/') + 1);
        find->after_us = strtoll(job->place, NULL, 10);
    }
}

// "a b", and " ..." where it goes on: what a page says.
static void page(struct ss_find *find, const char *expected)
{
    struct ss_buf text;
    struct ss_job *job = look(find);
    ss_buf_init(&text, 4096);
    for (size_t i = 0; i < job->entries_count; i++)
        ss_buf_addf(&text, "%s%s", i > 0 ? " " : "", job->entries[i].key);
    if (job->place)
        ss_buf_addf(&text, " ...");
    ck_assert_str_eq(ss_buf_str(&text), expected);
    ss_buf_fini(&text);
    go_on(find, job);
    ss_job_destroy(&job);
}

static void found(struct ss_find find, const char *expected)
{
    page(&find, expected);
    ck_assert_ptr_null(find.after);
}

START_TEST(the_newest_comes_first_and_of_one_time_the_first_key)
{
    open_kind(_i);
    found(all_of(false), "");
    run("b", "t", 20, "done", "{}");
    run("d", "t", 40, "running", "{}");
    run("a", "t", 10, "failed", "{}");
    run("e", "u", 20, "running", "{}");
    run("c", "t", 20, "done", "{}");
    found(all_of(false), "d b c e a");
    thread("t", "idle", 5);
    thread("v", "failed", 9);
    thread("u", "idle", 9);
    found(all_of(true), "u v t");
    thread("t", "idle", 10); // it ran again
    found(all_of(true), "t u v");
    remove_from(SS_TABLE_THREADS, "u");
    found(all_of(true), "t v");
}
END_TEST

START_TEST(a_page_goes_on_where_it_ended_while_others_come_and_go)
{
    struct ss_find find = all_of(false);
    open_kind(_i);
    run("a", "t", 10, "done", "{}");
    run("b", "t", 20, "running", "{}");
    run("c", "t", 20, "done", "{}");
    run("d", "t", 30, "done", "{}");
    find.limit = 2;
    page(&find, "d b ...");
    run("e", "t", 40, "running", "{}"); // newer
    remove_from(SS_TABLE_OPEN, "b");    // the place is gone
    run("bb", "t", 20, "done", "{}");   // of the same time, behind it
    page(&find, "bb c ...");
    page(&find, "a");
    ck_assert_ptr_null(find.after);
    find.limit = 5;
    page(&find, "e d bb c a"); // full, and that is all
    ck_assert_ptr_null(find.after);
}
END_TEST

START_TEST(a_run_that_has_ended_meanwhile_is_told_once)
{
    open_kind(_i);
    run("a", "t", 10, "running", "{}");
    run("b", "t", 20, "running", "{}");
    put(SS_TABLE_RUNS, "a", "t", 10, "{\"status\":\"done\",\"created_us\":10}");
    found(all_of(false), "b a");
}
END_TEST

static json_t *pairs;

static struct ss_find that(bool of_threads, const char *status,
    const char *graph, const char *metadata)
{
    struct ss_find find = all_of(of_threads);
    json_decref(pairs);
    pairs = metadata ? json_loads(metadata, 0, NULL) : NULL;
    find.status = (char *)status;
    find.graph = (char *)graph;
    find.metadata = pairs;
    return find;
}

START_TEST(runs_are_found_by_all_that_is_said_of_them)
{
    open_kind(_i);
    run("a", "t/1", 10, "failed", "{\"user\":\"ann\",\"try\":1}");
    run("b", "t/1", 20, "done", "{\"user\":\"bob\"}");
    run("hc", "t/2", 30, "failed", "{\"user\":\"ann\"}");
    run("hd", "u", 40, "running", "{\"user\":\"ann\"}");
    found(that(false, "failed", NULL, NULL), "hc a");
    found(that(false, "done", NULL, NULL), "b");
    found(that(false, "running", NULL, NULL), "hd");
    found(that(false, NULL, "h", NULL), "hd hc");
    found(that(false, "failed", "g", NULL), "a");
    found(that(false, NULL, NULL, "{\"user\":\"ann\"}"), "hd hc a");
    found(that(false, NULL, NULL, "{\"user\":\"ann\",\"try\":1}"), "a");
    found(that(false, NULL, NULL, "{\"try\":\"1\"}"), "");
    struct ss_find find = that(false, NULL, NULL, NULL);
    find.thread = (char *)"t/1";
    found(find, "b a");
    find.status = (char *)"failed";
    found(find, "a");
    find = all_of(false);
    find.prefix = (char *)"t/";
    found(find, "hc b a");
    find.since_us = 20;
    found(find, "hc b");
    find.until_us = 30;
    found(find, "b");
}
END_TEST

START_TEST(threads_are_found_by_how_they_stand)
{
    open_kind(_i);
    thread("a", "idle", 10);
    thread("b", "failed", 20);
    thread("c", "interrupted", 30);
    thread("d", "failed", 40);
    run("r", "d", 40, "running", "{}");
    found(that(true, "failed", NULL, NULL), "b"); // d runs again
    found(that(true, "idle", NULL, NULL), "a");
    found(that(true, "interrupted", NULL, NULL), "c");
    found(that(true, "running", NULL, NULL), "d");
    found(that(true, NULL, "g", NULL), "d c b a");
    remove_from(SS_TABLE_OPEN, "r");
    found(that(true, "running", NULL, NULL), "");
    found(that(true, "failed", NULL, NULL), "d b");
}
END_TEST

START_TEST(threads_are_found_by_what_is_said_of_them_and_of_their_runs)
{
    open_kind(_i);
    put(SS_TABLE_THREADS, "a", NULL, 10,
        "{\"thread\":\"a\",\"updated_us\":10,\"own\":{\"user\":\"ann\"}}");
    put(SS_TABLE_THREADS, "b", NULL, 20,
        "{\"thread\":\"b\",\"updated_us\":20,\"own\":{\"user\":\"ann\"},"
        "\"metadata\":{\"user\":\"bob\",\"try\":1}}");
    put(SS_TABLE_THREADS, "c", NULL, 30,
        "{\"thread\":\"c\",\"updated_us\":30,\"metadata_is_long\":true}");
    found(that(true, NULL, NULL, "{\"user\":\"ann\"}"), "b a");
    found(that(true, NULL, NULL, "{\"user\":\"ann\",\"try\":1}"), "b");
    found(that(true, NULL, NULL, "{\"user\":\"bob\"}"), "");
    struct ss_find find = that(true, NULL, NULL, "{\"user\":\"bob\"}");
    struct ss_job *job = look(&find);
    ck_assert_uint_eq(job->lacks.search, 1);
    ss_job_destroy(&job);
    find = that(true, NULL, "g", "{\"user\":\"bob\"}");
    job = look(&find);
    ck_assert_uint_eq(job->lacks.search, 0);
    ss_job_destroy(&job);
}
END_TEST

// How many have more metadata than is searched: each is told of once.
static void unsearched(struct ss_find *find, size_t expected)
{
    size_t count = 0;
    do {
        struct ss_job *job = look(find);
        count += job->lacks.search;
        go_on(find, job);
        ss_job_destroy(&job);
    } while (find->after);
    ck_assert_uint_eq(count, expected);
}

START_TEST(what_cannot_be_searched_is_counted_once_over_all_pages)
{
    struct ss_find find = that(true, NULL, NULL, "{\"user\":\"ann\"}");
    open_kind(_i);
    for (int i = 0; i < 12; i++) {
        char *name = ss_format("s/%d", i);
        char *record =
            ss_format("{\"thread\":\"%s\",\"updated_us\":%d,%s}", name, i,
                i % 3 == 1 ? "\"metadata_is_long\":true"
                           : "\"own\":{\"user\":\"ann\"}");
        put(SS_TABLE_THREADS, name, NULL, i, record);
        ss_free(record);
        ss_free(name);
    }
    find.limit = 3;
    unsearched(&find, 4);
    find.prefix = (char *)"s/";
    unsearched(&find, 4);
}
END_TEST

// Runs of graph g, or threads, in one commit.
static void many(enum ss_store_table table, size_t count)
{
    static const char record[] =
        "{\"graph\":\"g\",\"status\":\"done\",\"created_us\":9,"
        "\"metadata\":{\"of\":\"all\"}}";
    enum { NAME = 16 };
    char(*names)[NAME] = ss_zalloc(count, sizeof(*names));
    struct ss_store_put *puts = ss_zalloc(count, sizeof(*puts));
    for (size_t i = 0; i < count; i++) {
        snprintf(names[i], NAME, "r%06u", (unsigned)i);
        puts[i] = (struct ss_store_put){.table = table,
            .key = names[i],
            .index = table == SS_TABLE_RUNS ? "t" : NULL,
            .value = record,
            .value_size = strlen(record),
            .at_us = 1000 + (int64_t)i,
            .status = "done"};
    }
    struct ss_store_unit unit = {.puts = puts, .puts_count = count};
    ck_assert_int_eq(apply_unit(store, &unit), SS_OK);
    ss_free(puts);
    ss_free(names);
}

// There is nothing on it, and it goes on.
static bool page_is_bare(struct ss_find *find)
{
    struct ss_job *job = look(find);
    bool is_bare = job->entries_count == 0 && job->place;
    if (is_bare)
        go_on(find, job);
    ss_job_destroy(&job);
    return is_bare;
}

START_TEST(what_few_fit_is_found_in_steps)
{
    struct ss_find find = all_of(false);
    find.prefix = (char *)"s/";
    open_kind(_i);
    run("h", "s/1", 10, "done", "{}");
    many(SS_TABLE_RUNS, SS_STORE_FOUND_LOOKED_MAX);
    page(&find, " ...");
    page(&find, "h");
    ck_assert_ptr_null(find.after);
    run("hh", "s/1", 20, "running", "{}");
    page(&find, " ..."); // though it was seen: others may be newer
    page(&find, "hh h");
}
END_TEST

// A database has an index of both; a store in memory reads all in steps.
static void at_once(int kind, struct ss_find find, const char *expected)
{
    if (!world_keeps(kind))
        while (page_is_bare(&find))
            continue;
    found(find, expected);
}

START_TEST(a_graph_or_a_pair_of_metadata_is_found_at_once_among_many)
{
    open_kind(_i);
    run("h1", "t", 10, "done", "{\"user\":\"ann\",\"n\":[1,{\"a\":2}]}");
    run("h2", "t", 20, "failed", "{\"user\":\"ann\"}");
    run("c", "t", 30, "done", "{\"user\":\"bob\",\"n\":[1,{\"a\":2}]}");
    run("d", "t", 5, "done", "{\"of\":\"all\",\"user\":\"dan\"}");
    many(SS_TABLE_RUNS, SS_STORE_FOUND_LOOKED_MAX + 1);
    at_once(_i, that(false, NULL, "h", NULL), "h2 h1");
    at_once(_i, that(false, NULL, NULL, "{\"user\":\"ann\"}"), "h2 h1");
    at_once(_i, that(false, NULL, NULL, "{\"n\":[1,{\"a\":2}]}"), "c h1");
    at_once(_i, that(false, NULL, "h", "{\"n\":[1,{\"a\":2}]}"), "h1");
    at_once(_i, that(false, NULL, NULL, "{\"user\":\"ann\",\"n\":1}"), "");
    at_once(_i, that(false, "failed", "h", "{\"user\":\"ann\"}"), "h2");
    at_once(
        _i, that(false, NULL, NULL, "{\"of\":\"all\",\"user\":\"dan\"}"), "d");
    run("h2", "t", 20, "done", "{\"user\":\"cyd\"}"); // it says another thing
    remove_from(SS_TABLE_RUNS, "c");
    at_once(_i, that(false, NULL, NULL, "{\"user\":\"ann\"}"), "h1");
    at_once(_i, that(false, NULL, NULL, "{\"user\":\"bob\"}"), "");
}
END_TEST

START_TEST(pages_of_what_has_a_pair_go_on)
{
    struct ss_find find = that(false, NULL, NULL, "{\"user\":\"ann\"}");
    open_kind(_i);
    run("a", "t", 10, "done", "{\"user\":\"ann\"}");
    run("b", "t", 20, "done", "{\"user\":\"ann\"}");
    run("c", "t", 20, "done", "{\"user\":\"bob\"}");
    run("d", "t", 20, "running", "{\"user\":\"ann\"}");
    run("e", "t", 30, "done", "{\"user\":\"ann\"}");
    find.limit = 2;
    page(&find, "e b ...");
    page(&find, "d a");
    ck_assert_ptr_null(find.after);
}
END_TEST

// They stood behind all others that are newer, page after page.
START_TEST(threads_whose_names_begin_so_are_found_at_once_where_they_are_few)
{
    struct ss_find find = all_of(true);
    open_kind(_i);
    thread("s/1", "idle", 10);
    thread("s/2", "failed", 30);
    thread("s/3", "idle", 20);
    thread("s/", "idle", 20);
    thread("s0", "idle", 40);
    thread("s", "idle", 50);
    many(SS_TABLE_THREADS, SS_STORE_FOUND_LOOKED_MAX + 1);
    run("r", "s/1", 40, "running", "{}");
    find.prefix = (char *)"s/";
    find.limit = 3;
    page(&find, "s/2 s/ s/3 ...");
    page(&find, "s/1");
    ck_assert_ptr_null(find.after);
    find.status = (char *)"running";
    found(find, "s/1");
    find.status = NULL;
    find.since_us = 15;
    find.until_us = 30;
    found(find, "s/ s/3");
    find.since_us = 0;
    find.until_us = INT64_MAX;
    find.prefix = (char *)"t";
    found(find, "");
    find.prefix = (char *)"r"; // too many: they are looked for by time
    page(&find, " ...");       // and their records name no thread
    ss_free(find.after);
}
END_TEST

START_TEST(a_page_is_not_larger_than_an_answer_may_be)
{
    struct ss_find find = all_of(true);
    open_kind(_i);
    char *large = ss_alloc(SS_STORE_FOUND_SIZE_MAX);
    snprintf(large, SS_STORE_FOUND_SIZE_MAX,
        "{\"updated_us\":10,\"x\":\"%0*d\"}", (int)SS_STORE_FOUND_SIZE_MAX - 64,
        0);
    put(SS_TABLE_THREADS, "a", NULL, 10, large);
    put(SS_TABLE_THREADS, "b", NULL, 9, "{\"updated_us\":9}");
    put(SS_TABLE_THREADS, "c", NULL, 8, large);
    put(SS_TABLE_THREADS, "d", NULL, 7, "{\"updated_us\":7}");
    page(&find, "a b c ...");
    page(&find, "d");
    ss_free(large);
}
END_TEST

int main(void)
{
    int kinds = world_server_begin();
    Suite *s = suite_create("store_find");
    TCase *t = tcase_create("every store");
    tcase_set_timeout(t, 600);
    tcase_add_checked_fixture(t, NULL, teardown);
    const TTest *const tests[] = {
        the_newest_comes_first_and_of_one_time_the_first_key,
        a_page_goes_on_where_it_ended_while_others_come_and_go,
        a_run_that_has_ended_meanwhile_is_told_once,
        runs_are_found_by_all_that_is_said_of_them,
        threads_are_found_by_how_they_stand,
        threads_are_found_by_what_is_said_of_them_and_of_their_runs,
        what_cannot_be_searched_is_counted_once_over_all_pages,
        what_few_fit_is_found_in_steps,
        a_graph_or_a_pair_of_metadata_is_found_at_once_among_many,
        pages_of_what_has_a_pair_go_on,
        threads_whose_names_begin_so_are_found_at_once_where_they_are_few,
        a_page_is_not_larger_than_an_answer_may_be,
    };
    for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++)
        tcase_add_loop_test(t, tests[i], 0, kinds);
    suite_add_tcase(s, t);
    int status = suite_main(s);
    world_server_end();
    return status;
}
