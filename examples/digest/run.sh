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

# A shell may lose a ctrl-C while a command runs, but not while it waits: so one
# waits, and the other, which gets SIGTERM in any case, does the work.
if [ -z "${DIGEST_WORKS:-}" ]; then
    DIGEST_WORKS=1 bash "${BASH_SOURCE[0]}" "$@" <&0 &
    stop() { stopped=$1; kill -TERM "$!" 2>/dev/null || true; }
    trap 'stop 130' INT
    trap 'stop 143' TERM
    stopped=''
    status=0
    wait "$!" || status=$?
    if [ -n "$stopped" ]; then
        wait "$!" || true
        status=$stopped
    fi
    exit "$status"
fi

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bin=${SS_BIN_DIR:-$root/build/release/bin}
app=${SS_LIB_DIR:-$root/build/release/lib}/libdigest.so
documents=/usr/share/common-licenses
workers=3
capacity=4
ask=
keep=

usage() { sed -n '2,/^$/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }

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

for file in "$bin"/superstep{,-coordinator,-worker} "$app"; do
    [ -e "$file" ] || { echo "run: there is no $file; ./run builds it" >&2
        exit 2; }
done

# ------------------------------------------------------------------- processes

place=$(mktemp -d "${TMPDIR:-/tmp}/superstep-digest.XXXXXX")
processes=() # of all that were started and may still be there

finish()
{
    local status=$? pid
    trap - EXIT
    trap '' INT TERM
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
    local what=$1 end=$((SECONDS + 120))
    shift
    until "$@"; do
        [ "$SECONDS" -lt "$end" ] || fail "waited too long for $what"
        kill -0 "$started" 2>/dev/null || fail "there is no $what: it ended"
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

declare -A workers_by_pid=()

# worker RUN NUMBER ARGUMENT
worker()
{
    start "$1-worker$2" "$bin/superstep-worker" --app "$app" --app-arg "$3" \
        --connect "$endpoint" --capacity "$capacity" --name "worker$2"
    until_true "worker$2" has_line "$place/$1-worker$2.out" ready
    workers_by_pid[$started]=worker$2
}

kill_hard() # NAME PID
{
    kill -KILL "$2"
    wait "$2" 2>/dev/null || true
    say "${bold}kill -9 $2${plain}  ($1)"
}

# End all that still runs, as an operator does.
stop_all()
{
    local i
    for ((i = ${#processes[@]} - 1; i >= 0; i--)); do # the coordinator last
        kill -TERM "${processes[i]}" 2>/dev/null || true
        wait "${processes[i]}" 2>/dev/null || true
    done
    processes=()
    workers_by_pid=()
}

# ------------------------------------------------------------------ what it did

effects=$place/effects # lines: task, node, attempt, process, name
lines() { wc -l <"$effects"; }

# held_began [N]: all held tasks have begun behind line N, on live processes.
held_began()
{
    [ -f "$effects" ] && PIDS=" ${!workers_by_pid[*]} " HELD=$held \
        FROM=${1:-0} awk -F'\t' '
        BEGIN { wanted = split(ENVIRON["HELD"], names, "\n")
            for (i in names) is_held[names[i]] = 1 }
        NR > ENVIRON["FROM"] && is_held[$5] && index(ENVIRON["PIDS"], " " $4 " ") &&
            !seen[$5]++ { began++ }
        END { exit began < wanted }' "$effects"
}

# A worker has found the coordinator that came back.
taken_in_again() { has_line "$place/disturbed-$1.err" "taken in"; }

# The writes of all the others are durable: the store has them.
others_durable()
{
    local done
    done=$("$bin/superstep" state digest --json 2>/dev/null |
        grep -o '"result": *[^n ]' | wc -l)
    [ "$done" -ge "$others_count" ]
}

# job NAME: in place of this shell, run the graph until it asks for approval.
# What it shows goes to the pipe $place/shown.
job()
{
    exec "$bin/superstep" run digest --thread digest --progress --input \
        "{\"folder\": $(quoted "$documents"), \"report\": \"$place/$1.md\"}" \
        >"$place/$1.run" 2>"$place/shown"
}

# expect_question: the status of a job that asks is 3.
expect_question()
{
    [ "$1" = 3 ] || fail "the run did not ask for approval ($1)"
}

# A path as JSON.
quoted()
{
    local text=${1//\\/\\\\}
    printf '"%s"' "${text//\"/\\\"}"
}

answer() # NAME VALUE
{
    "$bin/superstep" resume digest --value "$2" --progress \
        >"$place/$1.end" || fail "the run did not take the answer"
}

# ------------------------------------------------------------- 1. with disasters

# Some documents wait in `measure`: every third, as many as find a thread.
names=$(find "$documents" -maxdepth 1 -type f ! -name '.*' \
    -exec grep -lIm1 . {} + | sed 's,.*/,,' | tr '\t' '?' | LC_ALL=C sort)
held=$(awk -v most=$((workers * capacity - 1)) \
    'NR % 3 == 1 && most-- > 0 && n++ < 6' <<<"$names")
[ -n "$held" ] || fail "there is no document in $documents"
# As a pattern without blanks, colons and commas, which part the argument.
patterns=$(sed 's/[^A-Za-z0-9._-]/?/g' <<<"$held" | paste -s -d ,)

title "1. The job, with a worker and the coordinator killed half-way"
coordinator disturbed
say "coordinator at $endpoint, store $place/disturbed.db"
arg="log=$effects hold=measure/$patterns:$place"
for number in $(seq "$workers"); do worker disturbed "$number" "$arg"; done
say "$workers workers of $capacity threads; $(wc -l <<<"$held") documents will" \
    "wait in measure until they are let go"

mkfifo "$place/shown"
tee "$place/disturbed.progress" <"$place/shown" >&2 &
shown=$!
processes+=("$shown")
job disturbed &
job=$!
processes+=("$job")
started=$job
until_true "the held tasks" held_began
# What does not wait gets done, and its writes go to the journal.
documents_count=$(grep -c . <<<"$names")
others_count=$((documents_count - $(grep -c . <<<"$held")))
until_true "the other tasks' writes" others_durable
say "$(wc -l <<<"$held") tasks are in flight, $others_count are done and durable"

victim=$(HELD=${held%%$'\n'*} awk -F'\t' \
    '$2 == "measure" && $5 == ENVIRON["HELD"] { pid = $4 } END { print pid }' \
    "$effects")
kill_hard "${workers_by_pid[$victim]}" "$victim"
unset "workers_by_pid[$victim]"
lines_worker=$(lines)
worker disturbed $((workers + 1)) "$arg"
until_true "its tasks on other workers" held_began
say "its tasks are with others now; a new worker came"

kill_hard "the coordinator" "$coordinator"
lines_coordinator=$(lines)
coordinator disturbed "$endpoint"
say "the coordinator is there again, with the same file"
for pid in "${!workers_by_pid[@]}"; do
    until_true "its workers" taken_in_again "${workers_by_pid[$pid]}"
done
# The client that waits asks now and then whether its coordinator is the same.
# Nothing depends on it, but it should see the rest of the run as it happens.
read -r -t 2.5 <>"$place/never" || true
say "the tasks that were in flight went on meanwhile, and are let go"
: >"$place/release"
status=0
wait "$job" || status=$?
wait "$shown"
expect_question "$status"

title "2. A person approves"
value=true
if [ -n "$ask" ]; then
    read -r -p "Your answer (true or false): " value
    [ "$value" = true ] || value=false
else
    say "Answered by itself: true (./run --ask asks you)"
fi
answer disturbed "$value"
if [ "$value" = false ]; then
    say "Not published, as you said."
    exit 0
fi
stop_all

title "3. The report"
cat "$place/disturbed.md"

# ------------------------------------------------------------ 2. and undisturbed

title "4. The same job, undisturbed"
coordinator undisturbed
for number in $(seq "$workers"); do
    worker undisturbed "$number" "log=$place/effects-undisturbed"
done
rm "$place/shown"
status=0
(job undisturbed) || status=$?
expect_question "$status"
answer undisturbed true 2>/dev/null
stop_all
say "done: $(wc -l <"$place/effects-undisturbed") bodies ran, with disasters" \
    "$(lines)"

# ----------------------------------------------------------------- 3. the proof

title "5. What ran, by the trace that the bodies wrote"
VICTIM=$victim HELD=$held LINES_WORKER=$lines_worker LINES_COORDINATOR=$lines_coordinator \
    RESTORED_FILE=$place/restored awk -f "$root/examples/digest/proof.awk" \
    "$effects"

title "6. The verdict"
failed=
verdict() # TRUE-OR-FALSE TEXT
{
    if [ "$1" = true ]; then say "  yes  $2"; else
        say "  NO   $2"
        failed=1
    fi
}
holds() { if "$@"; then echo true; else echo false; fi; }
restored=$(cat "$place/restored")
verdict "$(holds [ "$restored" = "$others_count" ])" \
    "none of the $others_count tasks that were durable ran again"
counted=$(sed -n 's/.* \([0-9]*\) more were taken from pending writes.*/\1/p' \
    "$place/disturbed.progress")
verdict "$(holds [ "${counted:-0}" = "$restored" ])" \
    "the coordinator counted as many: ${counted:-0}"
verdict "$(holds cmp -s "$place/disturbed.md" "$place/undisturbed.md")" \
    "the report is byte for byte that of the undisturbed run"
[ -z "$failed" ]
