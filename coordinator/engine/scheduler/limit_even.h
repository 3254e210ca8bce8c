// limit_even.h - parts of limits go to who lacks them (limit_even.c).
#ifndef SS_ENGINE_SCHEDULER_LIMIT_EVEN_H
#define SS_ENGINE_SCHEDULER_LIMIT_EVEN_H

struct engine;

// The store was read: what stood idle until now; and then, when it is known
// where parts are, what others lack goes to them, and what we lack is said.
void ss_limits_idle(struct engine *engine);
void ss_limits_even_out(struct engine *engine);

#endif
