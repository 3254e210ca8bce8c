#!/bin/sh
# roll.sh - another application's image for the workers: deploy/roll.sh IMAGE
#
# As many workers with IMAGE as there are now are started beside those. When all
# of them are healthy the old ones are told to leave, and finish what they run
# (ROLL_DRAIN_S seconds at most, 300). When the new ones do not become healthy,
# they are removed, and the old ones stay.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=deploy/containers.sh
. "$here/containers.sh"
case ${1:-} in
'' | -*)
    sed -n '2,/^set /s/^# \{0,1\}//p' "$0"
    [ "${1:-}" = --help ] && exit 0
    exit 2
    ;;
esac

# Those that are there and not among the old ones.
fresh()
{
    for id in $(compose ps -a -q worker); do
        case " $old " in *" $id "*) ;; *) printf '%s\n' "$id" ;; esac
    done
}

fresh_states()
{
    # shellcheck disable=SC2046
    states_of $(fresh)
}

old=$(states worker | awk '{ printf "%s%s", sep, $1; sep = " " }')
[ -n "$old" ] || {
    complain "no worker is there: WORKER_IMAGE=$1 deploy/up.sh starts some"
    exit 1
}
pull "$1"
count=$(printf '%s\n' "$old" | wc -w)
printf 'Starting %d workers with %s beside the old ones.\n' "$count" "$1"
if ! WORKER_IMAGE=$1 compose up -d --no-build --no-deps --no-recreate \
    --scale worker=$((2 * count)) worker || ! wait_healthy fresh_states; then
    # shellcheck disable=SC2046
    docker rm -f $(fresh) >/dev/null
    complain "the new workers were removed; the old ones are as they were"
    exit 1
fi
printf 'The new workers are healthy. The old ones finish what they run.\n'
# shellcheck disable=SC2086
docker stop -t "${ROLL_DRAIN_S:-300}" $old >/dev/null
# shellcheck disable=SC2086
docker rm $old >/dev/null
printf 'All workers have %s. Keep it: WORKER_IMAGE=%s in %s/.env\n' \
    "$1" "$1" "$here"
