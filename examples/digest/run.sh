#!/usr/bin/env bash
# run.sh - the digest as a proof: ./run [options]
#
#   --documents DIR   a folder of text documents (the licence texts that every
#                     Debian and Ubuntu ships)
#   --workers N       worker processes (3)
#   --ask             ask at the terminal whether to publish, do not approve
#   --keep            keep the folder with databases, logs and reports
#
# Runs the job on a coordinator and some workers, kills one worker and then the
# coordinator with SIGKILL while tasks are in flight, starts the coordinator
# again, lets the run finish, runs the same job undisturbed, and compares. Exit
# status 0: both reports are the same, byte for byte, and no finished task ran
# again.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bin=${SS_BIN_DIR:-$root/build/release/bin}
app=${SS_LIB_DIR:-$root/build/release/lib}/libdigest.so
documents=/usr/share/common-licenses
workers=3
capacity=4
ask=
keep=

usage() { sed -n '2,/^set /s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" | sed '$d'; }

while [ $# -gt 0 ]; do
    case $1 in
    --documents) documents=${2:?--documents needs a folder}; shift ;;
    --workers) workers=${2:?--workers needs a number}; shift ;;
    --ask) ask=1 ;;
    --keep) keep=1 ;;
    -h | --help) usage; exit 0 ;;
    *) echo "run: unknown option $1; see --help" >&2; exit 2 ;;
    esac
    shift
done
[[ $workers =~ ^[1-9][0-9]?$ ]] ||
    { echo "run: --workers takes a number from 1 to 99" >&2; exit 2; }
[ -d "$documents" ] ||
    { echo "run: there is no folder $documents; name one: --documents DIR" >&2
        exit 2; }
documents=$(cd "$documents" && pwd)
[ -z "$ask" ] || [ -t 0 ] ||
    { echo "run: --ask needs a terminal to ask at" >&2; exit 2; }

# ------------------------------------------------------------------- processes

place=$(mktemp -d "${TMPDIR:-/tmp}/superstep-digest.XXXXXX")
processes=() # of all that were started and may still be there

finish()
{
    local status=$? pid
    trap - EXIT INT TERM
    for pid in "${processes[@]}"; do kill -KILL "$pid" 2>/dev/null || true; done
    wait 2>/dev/null || true
    if [ -n "$keep" ]; then
        echo "Kept: $place"
    else
        rm -rf "$place"
    fi
    exit "$status"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

if [ -t 1 ]; then bold=$'\e[1m' plain=$'\e[0m'; else bold='' plain=''; fi
say() { printf '%s\n' "$*"; }
title() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }

fail()
{
    printf 'run: %s\n' "$*" >&2
    tail -n 5 "$place"/*.err >&2 2>/dev/null || true
    exit 1
}

# until_true WHAT command...: look until the command succeeds.
until_true()
{
    local what=$1 end=$((SECONDS + 30))
    shift
    until "$@"; do
        [ "$SECONDS" -lt "$end" ] || fail "waited too long for $what"
        read -r -t 0.02 <>"$place/never" || true
    done
}
mkfifo "$place/never"

has_line() { grep -q -- "$2" "$1" 2>/dev/null; }

# start NAME command...: in the background; its id is in $started.
start()
{
    local name=$1
    shift
    : >"$place/$name.out"
    "$@" >>"$place/$name.out" 2>>"$place/$name.err" </dev/null &
    started=$!
    processes+=("$started")
}

# coordinator RUN [ENDPOINT]: sets $coordinator and $endpoint.
coordinator()
{
    start "$1-coordinator" "$bin/superstep-coordinator" --db "$place/$1.db" \
        --listen "${2:-tcp://127.0.0.1:*}" --lease-ms 1000 --heartbeat-ms 200
    coordinator=$started
    until_true "the coordinator" has_line "$place/$1-coordinator.out" listening
    endpoint=$(sed -n 's/.*listening on \([^, ]*\).*/\1/p' \
        "$place/$1-coordinator.out")
    export SUPERSTEP_COORDINATOR=$endpoint
}

# worker RUN NUMBER ARGUMENT
worker()
{
    start "$1-worker$2" "$bin/superstep-worker" --app "$app" --app-arg "$3" \
        --connect "$endpoint" --capacity "$capacity" --name "worker$2"
    until_true "worker$2" has_line "$place/$1-worker$2.out" ready
    worker_pids[started]=worker$2
}
declare -A worker_pids=()

killed() # NAME PID
{
    kill -KILL "$2"
    wait "$2" 2>/dev/null || true
    say "${bold}kill -9 $2${plain} ($1)"
}

# ------------------------------------------------------------------ what it did

effects=$place/effects # lines: task, node, attempt, process, name
began() { awk -F'\t' -v n="$1" '$2 == "measure" && $5 ~ n' "$effects" | wc -l; }

# All held tasks have begun, on processes that are there.
held_began()
{
    [ "$(awk -F'\t' -v pids=" ${!worker_pids[*]} " \
        -v held="$held" 'BEGIN { n = split(held, list, "\n")
            for (i = 1; i <= n; i++) wanted[list[i]] = 1 }
        $2 == "measure" && $5 in wanted && index(pids, " " $4 " ") {
            if (!seen[$5]++) count++ }
        END { print count + 0 }' "$effects" 2>/dev/null)" = "$held_count" ]
}

# Tasks of the superstep under way whose writes are durable.
durable()
{
    "$bin/superstep" state digest --json 2>/dev/null |
        grep -o '"result": *[^n ]' | wc -l
}
others_durable() { [ "$(durable)" -ge "$others_count" ]; }

# job NAME: run the graph until it asks; its status goes to NAME.status.
job()
{
    local status=0
    "$bin/superstep" run digest --thread digest --input \
        "{\"folder\": \"$documents\", \"report\": \"$place/$1.md\"}" \
        >"$place/$1.run" 2>"$place/$1.progress" || status=$?
    echo "$status" >"$place/$1.status"
}

approve() # NAME
{
    local value=true
    if [ -n "$2" ]; then
        read -r -p "Publish the report? [Y/n] " value
        case $value in n* | N*) value=false ;; *) value=true ;; esac
    fi
    "$bin/superstep" resume digest --value "$value" >"$place/$1.resume" \
        2>>"$place/$1.progress" || fail "the run did not finish: $(
            cat "$place/$1.progress")"
    [ "$value" = true ] || { say "Not published, as you said."; exit 0; }
}
