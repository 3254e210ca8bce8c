// postgres_runs.c - which units of a batch may be sent without a look at what
// stands: those that touch nothing twice but to continue it.
#include <string.h>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/mem.h"
#include "coordinator/store/store_postgres.h"

// uthash's own function falls through its switch, which clang refuses.
#define HASH_FUNCTION(key, size, hash) \
    ((hash) = (unsigned)ss_hash64((key), (size)))
#include <uthash.h>

struct ss_pg_name {
    const char *text;
    uint64_t number;
    UT_hash_handle hh;
};

// --- names ------------------------------------------------------------------

void ss_pg_names_init(struct ss_pg_names *names, size_t capacity)
{
    *names = (struct ss_pg_names){.capacity = capacity};
    names->items = ss_alloc((capacity + 1) * sizeof(*names->items));
}

void ss_pg_names_fini(struct ss_pg_names *names)
{
    for (int i = 0; i <= SS_PG_THREADS; i++) {
        HASH_CLEAR(hh, names->kinds[i]);
    }
    ss_free(names->items);
    *names = (struct ss_pg_names){0};
}

uint64_t *ss_pg_names_add(
    struct ss_pg_names *names, int kind, const char *text, bool *ret_new)
{
    struct ss_pg_name *name = NULL;
    HASH_FIND_STR(names->kinds[kind], text, name);
    *ret_new = !name;
    if (!name) {
        ss_check(names->count < names->capacity);
        name = &names->items[names->count++];
        *name = (struct ss_pg_name){.text = text};
        HASH_ADD_KEYPTR(
            hh, names->kinds[kind], name->text, strlen(name->text), name);
    }
    return &name->number;
}

// --- runs -------------------------------------------------------------------

// Each key once: a statement cannot change one twice.
static bool puts_join(
    struct ss_pg_names *names, const struct ss_store_unit *unit)
{
    for (size_t i = 0; i < unit->puts_count; i++) {
        const struct ss_store_put *put = &unit->puts[i];
        bool is_new = false;
        if (!put->value && put->when != SS_WHEN_ANY) {
            return false;
        }
        (void)ss_pg_names_add(names, (int)put->table, put->key, &is_new);
        if (!is_new) {
            return false;
        }
    }
    return true;
}

// A thread's rows go on where those before them end.
static bool rows_join(
    struct ss_pg_names *names, const struct ss_store_unit *unit)
{
    bool is_new = false;
    if (unit->rows_count == 0) {
        return true;
    }
    uint64_t *next =
        ss_pg_names_add(names, SS_PG_THREADS, unit->thread, &is_new);
    if (!is_new && *next != unit->rows[0].seq) {
        return false;
    }
    *next = unit->rows[0].seq + unit->rows_count;
    return true;
}

size_t ss_pg_run_length(const struct ss_store_unit *units, size_t count)
{
    struct ss_pg_names names;
    size_t length = 0, texts = count;
    for (size_t i = 0; i < count; i++) {
        texts += units[i].puts_count;
    }
    ss_pg_names_init(&names, texts);
    while (length < count) {
        const struct ss_store_unit *unit = &units[length];
        if (unit->delete_thread || unit->delete_to > 0 ||
            !rows_join(&names, unit) || !puts_join(&names, unit)) {
            break;
        }
        length++;
    }
    ss_pg_names_fini(&names);
    return length;
}
