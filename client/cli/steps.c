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
    TEXT_SIZE_MAX = 65536,
};

// One superstep.
struct step {
    bool is_there;
    int64_t number;
    int64_t tasks;
    int64_t done;
    // Without those of graphs inside, by the events seen here.
    struct {
        int64_t tasks;
        int64_t done;
    } own;
    bool has_inner; // such tasks are counted in `tasks` as it comes
    int64_t began_us;
    int64_t ended_us;
    struct ss_map nodes; // name -> how many tasks ended, as a number
    size_t updates_count;
    char *update; // the last one
};

// Progress is reported at once, updates when they are durable: those of a
// superstep come after the next one has begun. So the line of a superstep waits
// for them.
struct ss_steps {
    size_t width;
    size_t node_width; // grows, so that lines stay aligned
    int64_t began_us;  // when we saw the first superstep begin
    struct step last;  // over, and perhaps without its updates
    struct step now;
};

struct ss_steps *ss_steps_new(size_t width, int64_t now_us)
{
    struct ss_steps *steps = ss_zalloc(1, sizeof(*steps));
    steps->width = width;
    steps->node_width = NODE_WIDTH;
    steps->began_us = now_us;
    return steps;
}

static void clear(struct step *step)
{
    ss_map_fini(&step->nodes, ss_free);
    ss_free(step->update);
    *step = (struct step){0};
}

void ss_steps_destroy(struct ss_steps **steps)
{
    if (!*steps)
        return;
    clear(&(*steps)->last);
    clear(&(*steps)->now);
    ss_free(*steps);
    *steps = NULL;
}

// "greet", "left, right", "measure x12" (or "measure", where `counts` is false
// and there is one). Gives.
static char *nodes_text(const struct step *step, bool counts)
{
    struct ss_buf buf;
    ss_buf_init(&buf, TEXT_SIZE_MAX);
    size_t shown = 0;
    const struct ss_map_entry *it = step->nodes.first;
    for (; it && shown < NODES_SHOWN_MAX; it = it->next, shown++) {
        long long count = *(const long long *)it->value;
        ss_buf_addf(&buf, "%s%s", shown ? ", " : "", it->key);
        if (count > 1 && (counts || step->nodes.count > 1))
            ss_buf_addf(&buf, " \xc3\x97%lld", count);
    }
    if (it)
        ss_buf_addf(&buf, ", %zu more", step->nodes.count - shown);
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

static void begin_line(struct ss_steps *steps, const struct step *step,
    bool counts, struct ss_buf *buf)
{
    char *nodes = nodes_text(step, counts);
    size_t own = ss_text_width(nodes);
    if (own > steps->node_width)
        steps->node_width = own;
    ss_buf_addf(buf, "step %-2lld ", (long long)step->number);
    add_padded(buf, nodes, steps->node_width);
    ss_buf_add_str(buf, "  ");
    ss_free(nodes);
}

// What a superstep did: its update, or how many tasks it had. Gives.
static char *deed(const struct step *step, size_t width)
{
    if (step->updates_count == 1)
        return ss_text_cut(step->update, width);
    if (step->tasks <= 1)
        return ss_strdup("");
    if (step->done < step->tasks)
        return ss_format("%lld of %lld tasks", (long long)step->done,
            (long long)step->tasks);
    return ss_text_count(step->tasks, "task");
}

static void finish(
    struct ss_steps *steps, struct step *step, struct ss_buf *ret_lines)
{
    if (!step->is_there)
        return;
    begin_line(steps, step, true, ret_lines);
    size_t width = update_width(steps);
    char *what = deed(step, width);
    add_padded(ret_lines, what, width);
    char *time = ss_text_duration(step->ended_us - step->began_us);
    ss_buf_addf(ret_lines, "  %8s\n", time);
    ss_free(time);
    ss_free(what);
    clear(step);
}

static void begin(struct ss_steps *steps, int64_t number, int64_t now_us,
    struct ss_buf *ret_lines)
{
    bool is_first = !steps->now.is_there;
    if (!is_first && steps->now.number == number)
        return;
    finish(steps, &steps->last, ret_lines);
    steps->last = steps->now;
    steps->last.ended_us = now_us;
    steps->now = (struct step){.is_there = true,
        .number = number,
        .began_us = is_first ? steps->began_us : now_us};
}

static void count_node(struct step *step, const char *node)
{
    long long *count = ss_map_get(&step->nodes, node);
    if (!count) {
        count = ss_zalloc(1, sizeof(*count));
        ss_map_put(&step->nodes, node, count);
    }
    ++*count;
}

static void on_progress(struct ss_steps *steps, const json_t *data,
    int64_t now_us, struct ss_buf *ret_lines)
{
    begin(steps, ss_json_int(data, "step", 0), now_us, ret_lines);
    const char *node = ss_json_str(data, "node", NULL);
    bool is_inner = ss_json_bool(data, "inner", false);
    struct step *now = &steps->now;
    int64_t done = ss_json_int(data, "done", 0);
    if (!is_inner && !node && done == 0)
        now->own.tasks = ss_json_int(data, "tasks", 0);
    now->own.done += !is_inner && node;
    now->has_inner = now->has_inner || is_inner;
    bool is_own = now->has_inner && now->own.tasks > 0;
    now->tasks = is_own ? now->own.tasks : ss_json_int(data, "tasks", 0);
    now->done = is_own ? now->own.done : done;
    if (!node || is_inner)
        return;
    // A task of this superstep ended, so the last one's updates are all here.
    finish(steps, &steps->last, ret_lines);
    count_node(&steps->now, node);
}

// What an update shows; a task that asks shows its question. Gives.
static char *update_text(const char *node, const json_t *value)
{
    enum { KEPT = 4 * UPDATE_WIDTH_MAX };
    if (strcmp(node, "__interrupt__") != 0)
        return ss_text_json(value, KEPT);
    json_t *question = json_object_get(json_array_get(value, 0), "value");
    char *text = question ? ss_text_json(question, KEPT) : ss_strdup("");
    char *asks = ss_format("asks %s", text);
    ss_free(text);
    return asks;
}

static void on_update(
    struct ss_steps *steps, json_t *data, struct ss_buf *ret_lines)
{
    const char *node;
    json_t *value;
    struct step *step = steps->last.is_there ? &steps->last : &steps->now;
    json_object_foreach (data, node, value) {
        if (strcmp(node, "__metadata__") == 0)
            continue;
        ss_free(step->update);
        step->update = update_text(node, value);
        step->updates_count++;
    }
    if (step == &steps->last && (int64_t)step->updates_count >= step->tasks)
        finish(steps, step, ret_lines);
}

void ss_steps_event(struct ss_steps *steps, const json_t *event, int64_t now_us,
    struct ss_buf *ret_lines)
{
    const char *mode = ss_json_str(event, "mode", "");
    json_t *data = json_object_get(event, "data");
    if (strcmp(mode, "progress") == 0)
        on_progress(steps, data, now_us, ret_lines);
    else if (strcmp(mode, "updates") == 0 && steps->now.is_there &&
             json_array_size(json_object_get(event, "ns")) == 0)
        on_update(steps, data, ret_lines);
}

void ss_steps_end(
    struct ss_steps *steps, int64_t now_us, struct ss_buf *ret_lines)
{
    finish(steps, &steps->last, ret_lines);
    steps->now.ended_us = now_us;
    finish(steps, &steps->now, ret_lines);
}

void ss_steps_live(
    const struct ss_steps *steps, int64_t now_us, struct ss_buf *ret_line)
{
    const struct step *step = &steps->now;
    int64_t since_us = now_us - step->began_us;
    if (!step->is_there || since_us < LIVE_AFTER_US)
        return;
    struct ss_steps copy = *steps; // the column grows when a line is finished
    begin_line(&copy, step, false, ret_line);
    char *done = ss_text_thousands(step->done);
    char *tasks = ss_text_thousands(step->tasks);
    bool is_one = step->nodes.count == 1 && step->tasks > 1;
    ss_buf_addf(ret_line, "%s/%s%s", done, tasks, is_one ? "" : " tasks");
    ss_free(done);
    ss_free(tasks);
    if (step->tasks > 1) {
        char *bar = ss_text_bar(step->done, step->tasks, BAR_WIDTH);
        ss_buf_addf(ret_line, "  %s  %lld %%", bar,
            (long long)(step->done * 100 / step->tasks));
        ss_free(bar);
    }
    bool is_guessable = step->done > 0 && step->done < step->tasks;
    char *time = ss_text_duration(
        is_guessable ? since_us / step->done * (step->tasks - step->done)
                     : since_us);
    ss_buf_addf(ret_line, "  %s%s", is_guessable ? "eta " : "", time);
    ss_free(time);
}
