#!/bin/sh
# up.sh - the cluster of docker-compose.yml: deploy/up.sh [options of `up`]
#
# Looks whether the ports are free, builds the images that are ours, makes the
# secrets that are missing, starts everything, waits until all of it is healthy,
# and says what to do next. Twice does no harm. An image that you name
# (WORKER_IMAGE) is yours: it is pulled where it is missing, and never built.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=deploy/containers.sh
. "$here/containers.sh"
bind=${SUPERSTEP_BIND:-127.0.0.1}
port1=${SUPERSTEP_PORT:-7433}
port2=${SUPERSTEP_PORT2:-7434}

# Whether somebody on this machine listens on port $1 where we are to listen.
is_taken()
{
    awk -v port="$(printf '%04X' "$1")" -v bind="$bind" '
        BEGIN {
            if (split(bind, n, ".") == 4 && bind != "0.0.0.0")
                host = sprintf("%02X%02X%02X%02X", n[4], n[3], n[2], n[1])
        }
        $4 == "0A" && split($2, at, ":") == 2 && at[2] == port &&
            (at[1] ~ "^0+$" || at[1] ~ host "$") { found = 1 }
        END { exit !found }' /proc/net/tcp $(ls /proc/net/tcp6 2>/dev/null)
}

# check_port SERVICE VARIABLE PORT: its own container may have it.
check_port()
{
    is_taken "$3" || return 0
    [ "$(compose port "$1" 7433 2>/dev/null)" != "$bind:$3" ] || return 0
    complain "port $3 of $bind is taken: another program listens there (as \
\`superstep dev\` does on 7433). Stop it, or choose another port: $2=PORT $0"
    exit 1
}

# build NAME WANTED ARGUMENT...: an image of ours, unless another one is WANTED.
build()
{
    name=$1 wanted=${2:-$1}
    shift 2
    if [ "$wanted" != "$name" ]; then
        pull "$wanted"
        return
    fi
    printf 'Building %s.\n' "$name"
    docker build -t "$name" "$@" "$here/.." >"$log" 2>&1 || {
        tail -n 40 "$log" >&2
        complain "$name was not built"
        exit 1
    }
}

# An engine elsewhere has ports of its own.
case ${DOCKER_HOST:-unix://} in
unix://*)
    if [ -r /proc/net/tcp ]; then
        check_port coordinator1 SUPERSTEP_PORT "$port1"
        check_port coordinator2 SUPERSTEP_PORT2 "$port2"
    fi
    ;;
esac
log=$(mktemp)
trap 'rm -f "$log"' EXIT
build superstep-postgres "${POSTGRES_IMAGE:-}" -f "$here/postgres/Dockerfile"
build superstep-coordinator "${COORDINATOR_IMAGE:-}" \
    -f "$here/Dockerfile" --target coordinator
if [ "${WORKER_IMAGE:-superstep-digest}" = superstep-digest ]; then
    # What it is made of, and applications of yours are to be.
    build superstep-sdk '' -f "$here/Dockerfile" --target sdk
    build superstep-worker '' -f "$here/Dockerfile" --target worker
fi
build superstep-digest "${WORKER_IMAGE:-}" -f "$here/Dockerfile" --target digest
"$here/secrets.sh"
compose up -d --no-build "$@" || {
    states | tell_logs >&2
    exit 1
}
wait_healthy states
cat <<TEXT

The cluster is up. From here:

    export SUPERSTEP_COORDINATOR=tcp://127.0.0.1:$port1,tcp://127.0.0.1:$port2
    export SUPERSTEP_KEYS=${SUPERSTEP_SECRETS:-$here/secrets}/keys
    superstep workers
TEXT
