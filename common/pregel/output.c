// output.c - what keys of a graph hold: those that it gives, or shows.
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/channel.h"
#include "common/model/graph.h"
#include "common/model/value.h"
#include "common/pregel/pregel.h"
#include "common/pregel/pregel_impl.h"

struct ss_value *ss_machine_output(
    struct ss_machine *machine, const struct ss_keys *keys)
{
    if (keys->scalar) {
        size_t c = ss_graph_channel(machine->graph, keys->items[0]);
        struct ss_value *value =
            c == SS_NONE ? NULL : ss_channel_get(&machine->channels[c]);
        return value ? ss_value_ref(value) : ss_value_null();
    }
    struct ss_field *fields = ss_zalloc(keys->count + 1, sizeof(*fields));
    size_t count = 0;
    for (size_t i = 0; i < keys->count; i++) {
        size_t c = ss_graph_channel(machine->graph, keys->items[i]);
        struct ss_value *value =
            c == SS_NONE ? NULL : ss_channel_get(&machine->channels[c]);
        if (value)
            fields[count++] = (struct ss_field){keys->items[i], value};
    }
    struct ss_value *output = ss_value_of_fields(fields, count);
    ss_free(fields);
    return output;
}
