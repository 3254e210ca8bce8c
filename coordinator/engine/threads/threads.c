// threads.c - all threads of an engine, from its birth to its end.
#include "coordinator/engine/threads/threads.h"
#include "common/base/check.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/threads_impl.h"

void ss_threads_init(struct engine *engine, const struct thread_owner *owner)
{
    engine->threads = ss_zalloc(1, sizeof(*engine->threads));
    engine->threads->owner = owner;
}

static void free_thread(void *value)
{
    struct thread *thread = value;
    ss_thread_destroy(&thread);
}

void ss_threads_fini(struct engine *engine)
{
    struct threads *threads = engine->threads;
    ss_map_fini(&threads->by_id, free_thread);
    ss_check(threads->awaited.count == 0);
    ss_check(threads->idle_count == 0 && !threads->idle_first);
    ss_check(!threads->still_first && !threads->still_last);
    ss_check(threads->gone.count == 0);
    ss_map_fini(&threads->awaited, NULL);
    SS_VEC_FINI(&threads->unit);
    ss_free(threads->held_spare);
    SS_VEC_FINI(&threads->dirty);
    SS_VEC_FINI(&threads->gone);
    ss_free(threads);
}

const struct ss_map *ss_threads_all(const struct engine *engine)
{
    return &engine->threads->by_id;
}

bool ss_store_is_slow(const struct engine *engine)
{
    return engine->threads->stores_out >= SS_STORES_OUT_MAX;
}
