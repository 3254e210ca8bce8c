// loop_output.h - what a loop gives in the end: what the keys of its output
// held when they moved last (R5.17).
#ifndef SS_ENGINE_LEVELS_LOOP_OUTPUT_H
#define SS_ENGINE_LEVELS_LOOP_OUTPUT_H

struct loop;
struct ss_keys;
struct ss_value;

// The keys moved in this superstep. What they hold is looked at now, or when
// somebody asks for it, if it stays so until they move again.
void ss_loop_output_moves(struct loop *loop, const struct ss_keys *final);
// It is what they hold now.
void ss_loop_make_output(struct loop *loop, const struct ss_keys *final);
// Borrowed from the loop; NULL: they never moved.
struct ss_value *ss_loop_output(struct loop *loop);

#endif
