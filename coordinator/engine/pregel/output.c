// output.c - what a graph gives: its output keys, and what they hold.
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/channel.h"
#include "common/model/graph.h"
#include "common/model/requests.h"
#include "common/model/value.h"
#include "coordinator/engine/pregel/loop.h"
#include "coordinator/engine/pregel/pregel.h"

void ss_loop_keys(
    struct loop *loop, struct ss_keys *ret_shown, struct ss_keys *ret_final)
{
    *ret_final = loop->graph->output;
    *ret_shown = loop->parent ? loop->graph->output : loop->graph->stream;
    if (!loop->parent && loop->terms->has_output_keys)
        *ret_shown = *ret_final = loop->terms->output_keys;
}

struct ss_value *ss_loop_output(struct loop *loop, const struct ss_keys *keys)
{
    if (keys->scalar) {
        size_t c = ss_graph_channel(loop->graph, keys->items[0]);
        struct ss_value *value =
            c == SS_NONE ? NULL : ss_channel_get(&loop->channels[c]);
        return value ? ss_value_ref(value) : ss_value_null();
    }
    struct ss_field *fields = ss_zalloc(keys->count + 1, sizeof(*fields));
    size_t count = 0;
    for (size_t i = 0; i < keys->count; i++) {
        size_t c = ss_graph_channel(loop->graph, keys->items[i]);
        struct ss_value *value =
            c == SS_NONE ? NULL : ss_channel_get(&loop->channels[c]);
        if (value)
            fields[count++] = (struct ss_field){keys->items[i], value};
    }
    struct ss_value *output = ss_value_of_fields(fields, count);
    ss_free(fields);
    return output;
}

json_t *ss_loop_output_json(struct loop *loop, const struct ss_keys *keys)
{
    struct ss_value *output = ss_loop_output(loop, keys);
    json_t *json = json_incref(ss_value_json(output));
    ss_value_unref(output);
    return json;
}
