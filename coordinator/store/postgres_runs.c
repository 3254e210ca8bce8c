// postgres_runs.c - which units of a batch may be sent without looking at what
// is stored: those that touch nothing twice, except to continue a thread.

#include "common/base/check.h"
#include "common/base/mem.h"
#include "coordinator/store/store_postgres.h"

// --- names ------------------------------------------------------------------

void ss_pg_names_init(struct ss_pg_names *names, size_t capacity)
{
    *names = (struct ss_pg_names){.capacity = capacity};
    names->numbers = ss_zalloc(capacity + 1, sizeof(*names->numbers));
}

void ss_pg_names_fini(struct ss_pg_names *names)
{
    for (int i = 0; i <= SS_PG_THREADS; i++) {
        ss_map_fini(&names->kinds[i], NULL);
    }
    ss_free(names->numbers);
    *names = (struct ss_pg_names){0};
}

uint64_t *ss_pg_names_add(
    struct ss_pg_names *names, int kind, const char *text, bool *ret_new)
{
    uint64_t *number = ss_map_get(&names->kinds[kind], text);
    *ret_new = !number;
    if (!number) {
        ss_check(names->count < names->capacity);
        number = &names->numbers[names->count++];
        ss_map_put(&names->kinds[kind], text, number);
    }
    return number;
}

// --- runs -------------------------------------------------------------------

// Each key once: a statement cannot change a row twice.
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

// The rows of a thread must continue those of the units before.
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
