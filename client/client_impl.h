// client_impl.h - what the files of the client library share.
#ifndef SS_CLIENT_IMPL_H
#define SS_CLIENT_IMPL_H

#include <superstep/client.h>

#include "common/base/status.h"

// Tell the caller (who may not want to know); returns the status.
int ss_client_error_fill(
    const struct ss_error *error, struct ss_client_error *ret_error);

// The known coordinators by index: those that were given, then those that
// others announced. Lent until the next call; NULL behind the last one.
const char *ss_client_coordinator(const struct ss_client *client, size_t index);

#endif
