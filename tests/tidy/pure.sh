#!/bin/sh
# pure - prove by the linker's eyes that a library performs nothing.
#
# usage: pure.sh libss_x.a [REGEX]
#
# Every symbol that the archive needs from outside must be listed here, or match
# REGEX as a whole: the named libraries that this archive may use.
set -u
archive=$1
allowed="ss_[a-z0-9_]*|abort|qsort|bsearch|v?snprintf|_GLOBAL_OFFSET_TABLE_"
allowed="$allowed|mem(cpy|move|set|cmp|chr)"
allowed="$allowed|str(len|nlen|cmp|ncmp|chr|rchr|str|spn|cspn|pbrk)"
allowed="$allowed|strto(l|ll|ul|ull|d)|__errno_location|__ctype_b_loc"
allowed="$allowed|__isoc23_strto(l|ll|ul|ull)"
allowed="$allowed|fmod|floor|ceil|trunc|modf|log10|pow|ldexp|frexp|round"
# What the compiler adds, with and without hardening.
allowed="$allowed|__stack_chk_fail|__(mem|str)[a-z]*_chk|__v?snprintf_chk"
[ -z "${2:-}" ] || allowed="$allowed|$2"

symbols=$(nm "$archive" 2>/dev/null) || {
    echo "pure: cannot read $archive"
    exit 1
}
if ! printf '%s\n' "$symbols" | grep -q ' T '; then
    echo "pure: $archive defines nothing, so nothing was checked"
    exit 1
fi
impure=$(printf '%s\n' "$symbols" | sed -n 's/^ *[Uw] //p' | sort -u |
    grep -Evx "$allowed")
if [ -n "$impure" ]; then
    echo "pure: $(basename "$archive") needs what a pure library may not:"
    printf '%s\n' "$impure" | sed 's/^/    /'
    exit 1
fi
