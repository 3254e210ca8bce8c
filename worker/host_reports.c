// host_reports.c - what bodies have reported, and the loop has not taken yet.
#include "worker/host_reports.h"

#include "common/base/mem.h"
#include "common/model/value.h"

void ss_host_report_item(
    struct ss_host_reports *reports, struct ss_host_item item)
{
    reports->items = ss_vec_grow(reports->items, &reports->items_capacity,
        reports->items_count + 1, sizeof(*reports->items));
    reports->items[reports->items_count++] = item;
}

void ss_host_report_sign(
    struct ss_host_reports *reports, struct ss_host_sign sign)
{
    reports->signs = ss_vec_grow(reports->signs, &reports->signs_capacity,
        reports->signs_count + 1, sizeof(*reports->signs));
    reports->signs[reports->signs_count++] = sign;
}

void ss_host_report_outcome(
    struct ss_host_reports *reports, struct ss_outcome *outcome)
{
    reports->outcomes =
        ss_vec_grow(reports->outcomes, &reports->outcomes_capacity,
            reports->outcomes_count + 1, sizeof(struct ss_outcome *));
    reports->outcomes[reports->outcomes_count++] = outcome;
}

void ss_host_report_unbegun(
    struct ss_host_reports *reports, struct ss_assignment *order)
{
    reports->unbegun = ss_vec_grow(reports->unbegun, &reports->unbegun_capacity,
        reports->unbegun_count + 1, sizeof(struct ss_assignment *));
    reports->unbegun[reports->unbegun_count++] = order;
}

void ss_host_reports_fini(struct ss_host_reports *reports)
{
    for (size_t i = 0; i < reports->items_count; i++)
        ss_value_unref(reports->items[i].value);
    for (size_t i = 0; i < reports->outcomes_count; i++)
        ss_outcome_destroy(&reports->outcomes[i]);
    for (size_t i = 0; i < reports->unbegun_count; i++)
        ss_assignment_destroy(&reports->unbegun[i]);
    ss_free(reports->signs);
    ss_free(reports->items);
    ss_free(reports->outcomes);
    ss_free(reports->unbegun);
    *reports = (struct ss_host_reports){0};
}
