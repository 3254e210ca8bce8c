#!/bin/sh
# musl.sh - the pure floors with another C library: tests/portability/musl.sh
#
# Compiles what knows neither sockets nor files with musl-gcc, strictly, and looks
# for each name that is left open in musl's libc and in the libraries that these
# floors use. It links nothing: Debian builds those for glibc alone.
# docs/internals/portability.md has what it said.
set -eu
cd "$(dirname "$0")/../.."
. tools/setup.sh
# shellcheck disable=SC2086
need_packages $packages_build musl-tools
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
rooms="common/base common/peer common/model common/pregel coordinator/engine
    coordinator/owners coordinator/job worker/session client/session
    client/langgraph"

# The headers of the libraries, and none of glibc's.
mkdir "$place/include"
for header in jansson.h jansson_config.h xxhash.h nettle; do
    found=$(find /usr/include "/usr/include/$(gcc -print-multiarch)" -maxdepth 1 \
        -name "$header" | head -n 1)
    ln -s "${found:?no $header}" "$place/include/$header"
done

count=0
# shellcheck disable=SC2086
for source in $(find $rooms -name '*.c' | sort); do
    count=$((count + 1))
    musl-gcc -std=c11 -D_POSIX_C_SOURCE=200809L -O1 -Wall -Wextra -Wpedantic \
        -Wno-format-truncation -Werror -I. -isystem "$place/include" -c "$source" \
        -o "$place/$count.o"
done
ld -r "$place"/*.o -o "$place/floors.o"

libc=/usr/lib/$(gcc -print-multiarch | sed s/gnu/musl/)/libc.a
gcc=$(gcc -print-libgcc-file-name)
for library in jansson nettle xxhash; do
    found=$(find /usr/lib -name "lib$library.so" | head -n 1)
    nm -D --defined-only "${found:?no lib$library}"
done | awk '{ print $3 }' | sed 's/@.*//' >"$place/defined"
nm --defined-only "$libc" "$gcc" 2>/dev/null | awk 'NF == 3 { print $3 }' \
    >>"$place/defined"
sort -u "$place/defined" >"$place/known"
nm -u "$place/floors.o" | awk '$2 != "_GLOBAL_OFFSET_TABLE_" { print $2 }' | sort -u >"$place/open"
missing=$(comm -23 "$place/open" "$place/known")
if [ -n "$missing" ]; then
    complain "musl has not:" $missing
    exit 1
fi
say "$count files compile with musl-gcc $(musl-gcc -dumpversion);" \
    "$(wc -l <"$place/open") names of others are all there."
