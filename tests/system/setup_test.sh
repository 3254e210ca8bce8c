#!/bin/sh
# ./run and ./test install what is missing, say so, and where they may not, name
# the packages and stop with 3. The system's tools are played by stubs.
set -eu

stubs=$(mktemp -d)
trap 'rm -rf "$stubs"' EXIT
cd "$SS_SOURCE_DIR"
failures=0

expect()
{
    if ! grep -Fq -- "$1" "$stubs/out"; then
        echo "setup: $case: expected: $1"
        sed 's/^/    /' "$stubs/out"
        failures=$((failures + 1))
    fi
}

expect_status()
{
    if [ "$status" != "$1" ]; then
        echo "setup: $case: status $status instead of $1"
        failures=$((failures + 1))
    fi
}

stub()
{
    printf '#!/bin/sh\n%s\n' "$2" >"$stubs/$1"
    chmod +x "$stubs/$1"
}

# need PACKAGE...: what ./test does first, among the stubs.
need()
{
    status=0
    : >"$stubs/calls"
    STUBS=$stubs PATH=$stubs:$PATH sh -c \
        '. tools/setup.sh; need_packages "$@"; echo went on' sh "$@" \
        >"$stubs/out" 2>&1 </dev/null || status=$?
    cat "$stubs/calls" >>"$stubs/out"
}

# Only libhave-dev and pkgconf are installed; the rest is when apt-get did it.
stub dpkg-query 'for last; do :; done
case $last in
libhave-dev | pkgconf) echo "install ok installed" ;;
libremoved-dev) echo "deinstall ok config-files" ;;
*) exit 1 ;;
esac'
stub apt-get 'echo "called apt-get $*" >>"$STUBS/calls"'
stub id 'echo 0'
stub sudo 'exit 1'

case="all is there"
need libhave-dev 'pkg-config|pkgconf'
expect_status 0
expect "went on"
if grep -q apt-get "$stubs/out"; then
    echo "setup: $case: called apt-get"
    failures=$((failures + 1))
fi

case="root installs what is missing"
need libhave-dev libgone-dev libremoved-dev 'one|other'
expect_status 0
expect "These packages are missing: libgone-dev libremoved-dev one"
expect "install -y --no-install-recommends libgone-dev libremoved-dev one"
expect "went on"

case="lists are fetched when the first try fails"
stub apt-get 'echo "called apt-get $*" >>"$STUBS/calls"
case "$*" in
*update*) touch "$STUBS/fresh" ;;
*) [ -f "$STUBS/fresh" ] ;;
esac'
need libgone-dev
expect_status 0
expect "went on"

case="apt-get cannot"
stub apt-get 'echo "E: no network"; exit 100'
need libgone-dev
expect_status 3
expect "E: no network"
expect "apt-get install libgone-dev"

case="neither root nor sudo"
stub id 'echo 1000'
need libgone-dev
expect_status 3
expect "As root, run:"
expect "apt-get install libgone-dev"

case="sudo without a password"
stub sudo '[ "$1" != -n ] || shift
echo "called sudo" >>"$STUBS/calls"
"$@"'
stub apt-get 'echo "called apt-get $*" >>"$STUBS/calls"'
need libgone-dev
expect_status 0
expect "called sudo"
expect "went on"

case="./test with an unknown option"
status=0
./test --no-such-option >"$stubs/out" 2>&1 || status=$?
expect_status 2
expect "unknown option --no-such-option"

case="the summary"
status=0
printf '%s\n' '    Start 1: unit.a.b' \
    '1/4 Test #1: unit.a.b .......   Passed    0.02 sec' \
    '2/4 Test #2: story.c ........***Failed    0.10 sec' 'why it failed' \
    '    Start 3: story.d' \
    '3/4 Test #3: story.d ........***Skipped   0.00 sec' \
    '4/4 Test #4: story.e ........***Timeout   9.00 sec' '' \
    '25% tests passed, 2 tests failed out of 4' 'Label Time Summary:' |
    awk -f tools/summary.awk >"$stubs/out" || status=$?
expect_status 1
expect "--- story.c failed"
expect "why it failed"
expect "--- story.e failed"
expect "1 passed, 2 failed, 1 skipped"
if grep -q "Label Time" "$stubs/out" ||
    [ "$(tail -n 1 "$stubs/out")" != "1 passed, 2 failed, 1 skipped" ]; then
    echo "setup: $case: not the last line"
    failures=$((failures + 1))
fi

case="a summary of nothing"
status=0
echo "No tests were found!!!" | awk -f tools/summary.awk >"$stubs/out" ||
    status=$?
expect_status 1
expect "0 passed, 1 failed"

echo "setup: $failures failures"
[ "$failures" = 0 ]
