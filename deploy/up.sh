#!/bin/sh
# up.sh - the cluster of docker-compose.yml: deploy/up.sh [options of `up`]
#
# Builds the images, makes the secrets that are missing, starts everything, waits
# until all of it is healthy, and says what to do next. Twice does no harm.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=deploy/containers.sh
. "$here/containers.sh"

compose build
"$here/secrets.sh"
compose up -d --no-build "$@" || {
    tell_logs >&2
    exit 1
}
wait_healthy
cat <<TEXT

The cluster is up. From here:

    export SUPERSTEP_COORDINATOR=tcp://127.0.0.1:${SUPERSTEP_PORT:-7433},tcp://127.0.0.1:${SUPERSTEP_PORT2:-7434}
    export SUPERSTEP_KEYS=${SUPERSTEP_SECRETS:-$here/secrets}/keys
    superstep workers
TEXT
