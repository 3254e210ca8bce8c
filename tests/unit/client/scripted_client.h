// scripted_client.h - the client library over a link in this process, against
// the scripted coordinator (scripted.h).
#ifndef SS_TEST_SCRIPTED_CLIENT_H
#define SS_TEST_SCRIPTED_CLIENT_H

#include <superstep/client.h>

#include "tests/unit/client/scripted.h"

#define ENDPOINT "loop:coordinator"
enum { CONNECT_MS = 60000 }; // a busy machine may not look at us for a while

extern struct ss_client *client;
extern struct ss_client_error error; // of the last call that failed

// The coordinator listens at ENDPOINT, and the client is told so.
void client_setup(void);
void client_teardown(void);
void open_client(const char *endpoints, int64_t connect_ms);
// Both sides, as often as it takes for all messages to have gone round.
void pump(void);

json_t *json_of(const char *text);                // gives
void expect_json(json_t *json, const char *text); // takes

#endif
