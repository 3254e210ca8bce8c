// order.h - an order for what has none, and numbers for ids that are made up.
#ifndef CONFORMANCE_ORDER_H
#define CONFORMANCE_ORDER_H

#include <jansson.h>

// Sort a list in place by the items' JSON text, in which all made-up ids read
// alike.
void order_by_text(json_t *list);
// The events [mode, namespace, payload] with each stretch between two ends of a
// superstep sorted, the root's before those of inner graphs. Gives.
json_t *order_events(json_t *events);
// `answers` with each made-up id as "~1", "~2" in the order of their text.
// Gives.
json_t *order_number(json_t *answers);

#endif
