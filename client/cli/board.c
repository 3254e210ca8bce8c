// board.c - sections of rows, as many as there is room for.
#include "client/cli/board.h"

#include <string.h>

#include "client/cli/list.h"
#include "client/cli/paused.h"
#include "client/cli/text.h"
#include "client/cli/waiting.h"
#include "common/base/mem.h"
#include "common/model/value.h"
#include "common/model/wait_reason.h"

enum { TASKS_SHOWN = 15, SECTION_LEAST = 3, HEAD_SIZE_MAX = 65536 };

void ss_board_fini(struct ss_board *board)
{
    json_decref(board->status);
    json_decref(board->workers);
    json_decref(board->tasks);
    json_decref(board->graphs);
    json_decref(board->store);
    json_decref(board->reason);
    *board = (struct ss_board){0};
}

// ------------------------------------------------------------------ the lists

static const struct ss_list_column graph_columns[] = {
    {"GRAPH", "name", SS_LIST_TEXT, true},
    {"WORKERS", "workers", SS_LIST_NUMBER, false},
    {"RUNNING", "running", SS_LIST_NUMBER, false},
    {"READY", "ready", SS_LIST_NUMBER, false},
    {"RATE/S", "rate", SS_LIST_NUMBER, false},
};

static const struct ss_list_column node_columns[] = {
    {"GRAPH", "graph", SS_LIST_TEXT, true},
    {"NODE", "name", SS_LIST_TEXT, true},
    {"RUNNING", "running", SS_LIST_NUMBER, false},
    {"READY", "ready", SS_LIST_NUMBER, false},
    {"TO RETRY", "backoff", SS_LIST_NUMBER, false},
};

static const struct ss_list_column worker_columns[] = {
    {"WORKER", "worker", SS_LIST_TEXT, true},
    {"RUNNING", "running", SS_LIST_NUMBER, false},
    {"CAPACITY", "capacity", SS_LIST_NUMBER, false},
    {"ATTEMPTS", "attempts", SS_LIST_NUMBER, false},
    {"LOST", "lost", SS_LIST_NUMBER, false},
    {"LAST SEEN", "seen_ms", SS_LIST_AGO, false},
};

static const struct ss_list_column task_columns[] = SS_WAITING_COLUMNS;

static int64_t sum_of(const json_t *workers, const char *key)
{
    int64_t sum = 0;
    size_t i;
    json_t *worker;
    json_array_foreach (workers, i, worker)
        sum += ss_json_int(worker, key, 0);
    return sum;
}

static void count_up(json_t *row, const char *key, int64_t count)
{
    json_object_set_new(
        row, key, json_integer(ss_json_int(row, key, 0) + count));
}

// A task, or those that wait for the same.
static void count_node(json_t *rows, json_t *graphs, const json_t *tasks)
{
    const char *of = ss_json_str(tasks, "graph", "");
    const char *node = ss_json_str(tasks, "node", "?");
    bool backs_off = ss_wait_reason_of(tasks) == SS_WAIT_BACKOFF;
    const char *state =
        ss_json_str(tasks, "state", backs_off ? "backoff" : "ready");
    int64_t count = ss_json_int(tasks, "count", 1);
    char *name = ss_format("%s %s", of, node);
    json_t *row = json_object_get(rows, name), *graph;
    size_t i;
    if (!row) {
        row = json_pack("{s:s, s:s, s:i, s:i, s:i}", "graph", of, "name", node,
            "running", 0, "ready", 0, "backoff", 0);
        json_object_set_new(rows, name, row);
    }
    count_up(row, state, count);
    json_array_foreach (graphs, i, graph)
        if (strcmp(ss_json_str(graph, "name", ""), of) == 0)
            count_up(graph, state, count);
    ss_free(name);
}

// Tasks by graph and node, and, in `graphs`, by graph. Gives.
static json_t *by_node(const json_t *answer, json_t *graphs)
{
    json_t *rows = json_object(), *list = json_array(), *one, *row;
    json_t *waits = json_object_get(answer, "waits");
    const char *key;
    size_t i;
    json_array_foreach (json_object_get(answer, "tasks"), i, one)
        if (!waits || json_object_get(one, "worker"))
            count_node(rows, graphs, one);
    json_array_foreach (waits, i, one)
        count_node(rows, graphs, one);
    json_object_foreach (rows, key, row)
        json_array_append(list, row);
    json_decref(rows);
    return list;
}

static int64_t attempts_of(const json_t *graphs, const char *name)
{
    size_t i;
    json_t *graph;
    json_array_foreach (graphs, i, graph)
        if (strcmp(ss_json_str(graph, "name", ""), name) == 0)
            return ss_json_int(graph, "attempts", -1);
    return -1;
}

// Attempts a second since the board before; both lists have them.
static void add_rates(
    json_t *graphs, const struct ss_board *before, int64_t passed_ms)
{
    size_t i;
    json_t *graph;
    json_array_foreach (graphs, i, graph) {
        int64_t now = ss_json_int(graph, "attempts", -1);
        int64_t was =
            before ? attempts_of(before->graphs, ss_json_str(graph, "name", ""))
                   : -1;
        json_object_set_new(graph, "running", json_integer(0));
        json_object_set_new(graph, "ready", json_integer(0));
        if (now >= was && was >= 0 && passed_ms > 0)
            json_object_set_new(
                graph, "rate", json_integer((now - was) * 1000 / passed_ms));
    }
}

// ------------------------------------------------------------------ in order

static const char *const sort_keys[SS_BOARD_SORTS] = {
    [SS_BOARD_BY_READY] = "ready",
    [SS_BOARD_BY_RATE] = "rate",
    [SS_BOARD_BY_RUNNING] = "running",
    [SS_BOARD_BY_NAME] = "name"};

// Whether `a` stands before `b`: more first, then by name.
static bool is_before(const json_t *a, const json_t *b, const char *key)
{
    int64_t more = ss_json_int(a, key, 0) - ss_json_int(b, key, 0);
    return more != 0 ? more > 0
                     : strcmp(ss_json_str(a, "name", ""),
                           ss_json_str(b, "name", "")) < 0;
}

static void sort_rows(json_t *list, const char *key)
{
    for (size_t i = 1; i < json_array_size(list); i++) {
        json_t *row = json_incref(json_array_get(list, i));
        size_t to = i;
        while (to > 0 && is_before(row, json_array_get(list, to - 1), key))
            to--;
        json_array_remove(list, i);
        json_array_insert_new(list, to, row);
    }
}

// ------------------------------------------------------------------ sections

struct section {
    const struct ss_list_column *columns;
    size_t columns_count;
    const char *none;
    const json_t *list;
    size_t rows; // that it may take, without its title
};
#define COLUMNS(columns) columns, sizeof(columns) / sizeof(*(columns))

// Rows that the section would like, without its title.
static size_t wants(const struct section *section)
{
    size_t size = json_array_size(section->list);
    return size > 0 ? size : 1;
}

// Share `room` rows: each section has a title, some rows and an empty one; the
// last sections go where there is no room for all. Returns how many stay.
static size_t share(struct section *sections, size_t count, size_t room)
{
    while (count > 0 && count * SECTION_LEAST > room)
        count--;
    size_t left = room - count * SECTION_LEAST;
    for (size_t i = 0; i < count; i++)
        sections[i].rows = 1;
    for (bool any = true; any && left > 0;) {
        any = false;
        for (size_t i = 0; i < count && left > 0; i++)
            if (sections[i].rows < wants(&sections[i])) {
                sections[i].rows++;
                left--;
                any = true;
            }
    }
    return count;
}

static void write_section(const struct section *section,
    const struct ss_screen *screen, struct ss_buf *buf)
{
    size_t size = json_array_size(section->list), shown = size;
    if (section->rows < size)
        shown = section->rows > 1 ? section->rows - 1 : 1;
    json_t *part = json_array();
    for (size_t i = 0; i < shown; i++)
        json_array_append(part, json_array_get(section->list, i));
    ss_buf_add_str(buf, "\n");
    ss_cli_list_write(part, section->columns, section->columns_count,
        section->none, screen, buf);
    if (shown < size && section->rows > 1)
        ss_buf_addf(buf, "\xe2\x80\xa6 %zu more\n", size - shown);
    json_decref(part);
}

// ------------------------------------------------------------------ the head

static void add_row(
    const struct ss_screen *screen, struct ss_buf *row, struct ss_buf *buf)
{
    char *plain = ss_text_plain(ss_buf_str(row));
    char *cut = ss_text_cut(plain, screen->width);
    ss_buf_addf(buf, "%s\n", cut);
    ss_buf_reset(row);
    ss_free(cut);
    ss_free(plain);
}

// The mean time of a commit since the board before, or ever.
static void add_store(struct ss_buf *row, const struct ss_board *board,
    const struct ss_board *before)
{
    const json_t *was = before ? before->store : NULL;
    int64_t commits = ss_json_int(board->store, "commits", 0) -
                      ss_json_int(was, "commits", 0);
    int64_t us = ss_json_int(board->store, "us", 0) - ss_json_int(was, "us", 0);
    if (board->reason || commits <= 0 || us < 0)
        return;
    char *mean = ss_text_duration(us / commits);
    ss_buf_addf(row, "  store %s", mean);
    ss_free(mean);
}

// Returns how many rows it took.
static size_t write_head(const struct ss_board *board,
    const struct ss_board *before, const char *endpoint,
    const struct ss_screen *screen, struct ss_buf *buf)
{
    const json_t *status = board->status;
    struct ss_buf row;
    size_t i;
    json_t *record;
    ss_buf_init(&row, HEAD_SIZE_MAX);
    ss_buf_add_str(&row, endpoint);
    if (board->coordinators > 1)
        ss_buf_addf(&row, ", one of %zu", board->coordinators);
    ss_buf_addf(&row,
        "  epoch %lld  runs %lld  threads %lld  workers %zu  tasks: %lld "
        "of %lld out, %lld ready",
        (long long)ss_json_int(status, "epoch", 0),
        (long long)ss_json_int(status, "runs", 0),
        (long long)ss_json_int(status, "threads", 0),
        json_array_size(board->workers),
        (long long)ss_json_int(board->tasks, "running", 0),
        (long long)sum_of(board->workers, "capacity"),
        (long long)ss_json_int(board->tasks, "ready", 0));
    int64_t passed_ms = before ? board->at_ms - before->at_ms : 0;
    long long backoff = ss_json_int(board->tasks, "backoff", 0);
    if (backoff > 0)
        ss_buf_addf(&row, ", %lld to retry", backoff);
    if (passed_ms > 0) {
        int64_t started = sum_of(board->workers, "attempts") -
                          sum_of(before->workers, "attempts");
        ss_buf_addf(&row, ", %lld/s",
            (long long)(started > 0 ? started * 1000 / passed_ms : 0));
    }
    add_store(&row, board, before);
    add_row(screen, &row, buf);
    size_t rows = 1;
    if (board->reason) {
        ss_buf_add_str(&row, json_string_value(board->reason));
        add_row(screen, &row, buf);
        rows++;
    }
    json_array_foreach (json_object_get(status, "pauses"), i, record) {
        if (screen->width > 0 && i >= screen->height / 4)
            break;
        char *text = ss_paused_text(record);
        if (i == 0 && screen->width == 0)
            ss_buf_add_str(buf, "\n");
        ss_buf_add_str(&row, text);
        add_row(screen, &row, buf);
        ss_free(text);
    }
    ss_buf_fini(&row);
    return rows + i;
}

static void write_keys(
    enum ss_board_sort sort, const struct ss_screen *screen, struct ss_buf *buf)
{
    char *row =
        ss_format("sorted by %s; s: sort otherwise, q: quit", sort_keys[sort]);
    char *cut = ss_text_cut(row, screen->width);
    ss_buf_addf(buf, "%s%s%s", ss_tone_on(screen, SS_TONE_DIM), cut,
        ss_tone_off(screen, SS_TONE_DIM));
    ss_free(cut);
    ss_free(row);
}

void ss_board_write(struct ss_board *board, const struct ss_board *before,
    const char *endpoint, enum ss_board_sort sort,
    const struct ss_screen *screen, struct ss_buf *buf)
{
    enum { SECTIONS = 4, KEYS = 1 };
    json_t *tasks = ss_waiting_rows(board->tasks);
    bool is_screen = screen->width > 0;
    add_rates(board->graphs, before, before ? board->at_ms - before->at_ms : 0);
    json_t *nodes = by_node(board->tasks, board->graphs);
    sort_rows(board->graphs, sort_keys[sort]);
    sort_rows(nodes, sort_keys[sort]);
    struct section sections[SECTIONS] = {
        {COLUMNS(graph_columns), "No graph is known.", board->graphs, 0},
        {COLUMNS(node_columns), "No node has work.", nodes, 0},
        {COLUMNS(worker_columns), "No worker is connected.", board->workers, 0},
        {COLUMNS(task_columns), "No task is out, and none waits.", tasks, 0}};
    size_t head = write_head(board, before, endpoint, screen, buf);
    size_t count = SECTIONS;
    if (is_screen)
        count = share(sections, SECTIONS,
            screen->height > head + KEYS ? screen->height - head - KEYS : 0);
    for (size_t i = 0; i < count; i++) {
        if (!is_screen)
            sections[i].rows = wants(&sections[i]);
        if (!is_screen && sections[i].list == tasks)
            sections[i].rows = TASKS_SHOWN;
        write_section(&sections[i], screen, buf);
    }
    if (is_screen && screen->height > head)
        write_keys(sort, screen, buf);
    json_decref(nodes);
    json_decref(tasks);
}
