// loop_output.c - a loop's output, made once where only writes change it.
#include "coordinator/engine/levels/loop_output.h"

#include "common/base/check.h"
#include "common/model/graph.h"
#include "common/model/ranks.h"
#include "common/model/value.h"
#include "common/pregel/pregel.h"
#include "coordinator/engine/levels/levels_impl.h"
#include "coordinator/engine/levels/loop.h"

void ss_loop_output_moves(struct loop *loop, const struct ss_keys *final)
{
    const struct ss_graph *graph = loop->facts.graph;
    if (final->items == graph->output.items && graph->ranks->output_stands)
        loop->output_moved = true;
    else
        ss_loop_make_output(loop, final);
}

void ss_loop_make_output(struct loop *loop, const struct ss_keys *final)
{
    ss_value_unref(loop->result.output);
    loop->result.output = ss_machine_output(loop->machine, final);
    loop->output_moved = false;
    ss_check(loop->result.output);
}

struct ss_value *ss_loop_output(struct loop *loop)
{
    struct ss_keys shown, final;
    if (!loop->output_moved)
        return loop->result.output;
    ss_loop_keys(loop, &shown, &final);
    ss_check(final.items == loop->facts.graph->output.items);
    ss_loop_make_output(loop, &final);
    return loop->result.output;
}
