// steps.c - the lines that show a run's supersteps.
#include "client/cli/steps.h"

#include <string.h>

#include "client/cli/text.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/model/value.h"

enum {
    NODE_WIDTH = 8,
    NODE_WIDTH_MAX = 32,
    UPDATE_WIDTH = 28,
    UPDATE_WIDTH_MAX = 60,
    AROUND = 24, // "step 12  " and the time
    BAR_WIDTH = 12,
    NODES_SHOWN_MAX = 4,
    LIVE_AFTER_US = 200000,
};

struct ss_steps {
    size_t width;
    size_t node_width; // grows, so that lines stay aligned
    bool is_open;
    int64_t step;
    int64_t tasks;
    int64_t done;
    int64_t began_us;
    struct ss_map nodes; // name -> how many tasks ended, as a number
    size_t updates_count;
    char *update; // the last one
};

struct ss_steps *ss_steps_new(size_t width)
{
    struct ss_steps *steps = ss_zalloc(1, sizeof(*steps));
    steps->width = width;
    steps->node_width = NODE_WIDTH;
    return steps;
}

static void clear(struct ss_steps *steps)
{
    ss_map_fini(&steps->nodes, ss_free);
    memset(&steps->nodes, 0, sizeof(steps->nodes));
    ss_free(steps->update);
    steps->update = NULL;
    steps->updates_count = 0;
    steps->is_open = false;
}

void ss_steps_destroy(struct ss_steps **steps)
{
    if (!*steps)
        return;
    clear(*steps);
    ss_free(*steps);
    *steps = NULL;
}

// "greet", "left, right", "measure x12". Gives.
static char *nodes_text(const struct ss_steps *steps)
{
    struct ss_buf buf;
    ss_buf_init(&buf, 64 * 1024);
    size_t shown = 0;
    const struct ss_map_entry *it = steps->nodes.first;
    for (; it && shown < NODES_SHOWN_MAX; it = it->next, shown++) {
        long long count = *(const long long *)it->value;
        ss_buf_addf(&buf, "%s%s", shown ? ", " : "", it->key);
        if (count > 1)
            ss_buf_addf(&buf, " \xc3\x97%lld", count);
    }
    if (it)
        ss_buf_addf(&buf, ", %zu more", steps->nodes.count - shown);
    char *plain = ss_text_plain(ss_buf_str(&buf));
    char *cut = ss_text_cut(plain, NODE_WIDTH_MAX);
    ss_buf_fini(&buf);
    ss_free(plain);
    return cut;
}

static void add_padded(struct ss_buf *buf, const char *text, size_t width)
{
    size_t own = ss_text_width(text);
    ss_buf_addf(buf, "%s%*s", text, own < width ? (int)(width - own) : 0, "");
}

static size_t update_width(const struct ss_steps *steps)
{
    size_t around = steps->node_width + AROUND;
    if (steps->width < around + UPDATE_WIDTH)
        return UPDATE_WIDTH;
    size_t room = steps->width - around;
    return room > UPDATE_WIDTH_MAX ? UPDATE_WIDTH_MAX : room;
}

static void begin_line(struct ss_steps *steps, struct ss_buf *buf)
{
    char *nodes = nodes_text(steps);
    size_t own = ss_text_width(nodes);
    if (own > steps->node_width)
        steps->node_width = own;
    ss_buf_addf(buf, "step %-2lld ", (long long)steps->step);
    add_padded(buf, nodes, steps->node_width);
    ss_buf_add_str(buf, "  ");
    ss_free(nodes);
}

static void finish(
    struct ss_steps *steps, int64_t now_us, struct ss_buf *ret_lines)
{
    if (!steps->is_open)
        return;
    begin_line(steps, ret_lines);
    size_t width = update_width(steps);
    char *what = steps->updates_count == 1 && steps->update
        ? ss_text_cut(steps->update, width)
        : steps->tasks > 1 && steps->done < steps->tasks
        ? ss_format("%lld of %lld tasks", (long long)steps->done,
              (long long)steps->tasks)
        : steps->tasks > 1 ? ss_text_count(steps->tasks, "task")
                           : ss_strdup("");
    add_padded(ret_lines, what, width);
    char *time = ss_text_duration(now_us - steps->began_us);
    ss_buf_addf(ret_lines, "  %8s\n", time);
    ss_free(time);
    ss_free(what);
    clear(steps);
}

static void begin(struct ss_steps *steps, int64_t step, int64_t now_us,
    struct ss_buf *ret_lines)
{
    if (steps->is_open && steps->step == step)
        return;
    finish(steps, now_us, ret_lines);
    steps->is_open = true;
    steps->step = step;
    steps->tasks = steps->done = 0;
    steps->began_us = now_us;
}

static void count_node(struct ss_steps *steps, const char *node)
{
    long long *count = ss_map_get(&steps->nodes, node);
    if (!count) {
        count = ss_zalloc(1, sizeof(*count));
        ss_map_put(&steps->nodes, node, count);
    }
    ++*count;
}

static void take_update(struct ss_steps *steps, json_t *data)
{
    enum { KEPT = 4 * UPDATE_WIDTH_MAX };
    const char *node;
    json_t *value;
    json_object_foreach (data, node, value) {
        if (strcmp(node, "__metadata__") == 0)
            continue;
        ss_free(steps->update);
        steps->update = ss_text_json(value, KEPT);
        steps->updates_count++;
    }
}

void ss_steps_event(struct ss_steps *steps, const json_t *event,
    int64_t now_us, struct ss_buf *ret_lines)
{
    const char *mode = ss_json_str(event, "mode", "");
    json_t *data = json_object_get(event, "data");
    if (strcmp(mode, "progress") == 0) {
        begin(steps, ss_json_int(data, "step", 0), now_us, ret_lines);
        steps->tasks = ss_json_int(data, "tasks", 0);
        steps->done = ss_json_int(data, "done", 0);
        const char *node = ss_json_str(data, "node", NULL);
        if (node)
            count_node(steps, node);
    } else if (strcmp(mode, "updates") == 0 && steps->is_open &&
        json_array_size(json_object_get(event, "ns")) == 0) {
        take_update(steps, data);
    }
}

void ss_steps_end(
    struct ss_steps *steps, int64_t now_us, struct ss_buf *ret_lines)
{
    finish(steps, now_us, ret_lines);
}

void ss_steps_live(const struct ss_steps *steps, int64_t now_us,
    struct ss_buf *ret_line)
{
    int64_t since_us = now_us - steps->began_us;
    if (!steps->is_open || since_us < LIVE_AFTER_US)
        return;
    struct ss_steps copy = *steps; // the column grows when a line is finished
    begin_line(&copy, ret_line);
    ss_buf_addf(ret_line, "%lld/%lld tasks", (long long)steps->done,
        (long long)steps->tasks);
    if (steps->tasks > 1) {
        char *bar = ss_text_bar(steps->done, steps->tasks, BAR_WIDTH);
        ss_buf_addf(ret_line, "  %s  %lld %%", bar,
            (long long)(steps->done * 100 / steps->tasks));
        ss_free(bar);
    }
    bool is_guessable = steps->done > 0 && steps->done < steps->tasks;
    char *time = ss_text_duration(is_guessable
            ? since_us / steps->done * (steps->tasks - steps->done)
            : since_us);
    ss_buf_addf(ret_line, "  %s%s", is_guessable ? "eta " : "", time);
    ss_free(time);
}
