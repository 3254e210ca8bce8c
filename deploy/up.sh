#!/bin/sh
# up.sh - the cluster of docker-compose.yml: deploy/up.sh [options of `up`]
#
# Builds the images, makes the secrets that are missing, starts everything, and
# says what to do next. Twice does no harm.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if command -v docker-compose >/dev/null; then
    compose="docker-compose"
elif docker compose version >/dev/null 2>&1; then
    compose="docker compose"
else
    echo "up.sh: neither docker-compose nor docker compose is here" >&2
    exit 1
fi

$compose -f "$here/docker-compose.yml" build
"$here/secrets.sh"
$compose -f "$here/docker-compose.yml" up -d --no-build "$@"
cat <<TEXT

The cluster is up. From here:

    export SUPERSTEP_COORDINATOR=tcp://127.0.0.1:${SUPERSTEP_PORT:-7433},tcp://127.0.0.1:${SUPERSTEP_PORT2:-7434}
    export SUPERSTEP_KEYS=${SUPERSTEP_SECRETS:-$here/secrets}/keys
    superstep workers
TEXT
