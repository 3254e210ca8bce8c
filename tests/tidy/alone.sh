#!/bin/sh
# alone - see in the symbols of programs that they have one thread.
#
# usage: alone.sh WITNESS PROGRAM...
#
# None of them may want what starts a thread, or a library that does (libpq and
# SQLite start none by themselves); WITNESS does, and has to be told from them.
set -u
starters="pthread_create|thrd_create|dlopen|dlmopen"
starters="$starters|zmq_.*|z(sock|actor|poller)_.*|MHD_.*"

# What of it these programs want, a line each: PROGRAM: U SYMBOL.
wanted()
{
    symbols=$(nm -A -D --undefined-only "$@") || return 1
    printf '%s\n' "$symbols" | sed 's/@.*//' |
        grep -E ": *[Uw] ($starters)\$" || true
}

witness=$1
shift
if [ $# = 0 ] || [ -z "$(wanted "$witness")" ]; then
    echo "alone: $witness has threads, and is not told from those that have none"
    exit 1
fi
found=$(wanted "$@") || exit 1
if [ -n "$found" ]; then
    echo "alone: these have one thread by name (cmake/tests.cmake), and want:"
    printf '%s\n' "$found"
    exit 1
fi
