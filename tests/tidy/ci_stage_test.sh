#!/usr/bin/env bash
# What .ci/run counts of a stage: passed, failed, and apart from both skipped.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
stages=
passed=0
failed=0
skipped=0
nothing=
bad=0
. .ci/stage.sh

expect()
{
    local found="$passed $failed $skipped:$nothing"
    [ "$found" = "$1" ] && return
    printf 'expected "%s", found "%s"\n' "$1" "$found"
    bad=1
}

stage whole 9 echo "3 passed, 0 failed" >/dev/null
expect "3 0 0:"
stage part 9 echo "1 passed, 0 failed, 2 skipped" >/dev/null
expect "4 0 2:"
told=$(stage upgrade 9 echo "0 passed, 0 failed, 1 skipped")
[[ $told == *"upgrade ran nothing"* ]] || bad=1
stage upgrade 9 echo "0 passed, 0 failed, 1 skipped" >/dev/null
expect "4 0 3: upgrade"
stage lint 9 echo "0 passed, 0 failed" >/dev/null
expect "4 0 3: upgrade lint"
stage broken 9 false >/dev/null
expect "4 1 3: upgrade lint"
exit "$bad"
