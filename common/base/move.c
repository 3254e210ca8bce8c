// move.c - a change of state, checked against its table.
#include "common/base/move.h"

#include <stdio.h>

#include "common/base/check.h"

static _Noreturn void move_failed(
    const struct ss_move_table *table, unsigned from, unsigned to)
{
    char text[96];
    snprintf(text, sizeof(text), "a %s that is %s must not become %s",
        table->of, table->items[from].name, table->items[to].name);
    ss_check_failed(text, __FILE__, __LINE__);
}

void ss_move(const struct ss_move_table *table, unsigned from, unsigned to)
{
    ss_check(from < table->count && to < table->count);
    if (!(table->items[to].from & (uint32_t)1 << from))
        move_failed(table, from, to);
}
