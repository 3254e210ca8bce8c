# stage.sh - a stage of .ci/run: its sums are in passed, failed, skipped and
# nothing, its log in $logs. $stages: those that are wanted; "": all.
# shellcheck shell=bash

# stage NAME SECONDS command...: runs it, counts what its last line says.
stage()
{
    local name=$1 share=$2 status=0 begin=$SECONDS took last
    shift 2
    if [ -n "$stages" ] && [[ " $stages " != *" $name "* ]]; then
        return
    fi
    printf '== %s: %s\n' "$name" "$*"
    "$@" >"$logs/$name.log" 2>&1 || status=$?
    took=$((SECONDS - begin))
    last=$(tail -n 1 "$logs/$name.log")
    if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)? ]]; then
        passed=$((passed + BASH_REMATCH[1]))
        failed=$((failed + BASH_REMATCH[2]))
        skipped=$((skipped + ${BASH_REMATCH[4]:-0}))
        # What was skipped as a whole, or had nothing to do, has shown nothing.
        if [ "${BASH_REMATCH[1]}${BASH_REMATCH[2]}" = 00 ]; then
            printf '== %s ran nothing, and shows nothing\n' "$name"
            nothing="$nothing $name"
        fi
        [ "$status" = 0 ] || [ "${BASH_REMATCH[2]}" != 0 ] ||
            failed=$((failed + 1))
    elif [ "$status" = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
    if [ "$status" = 0 ]; then
        tail -n 12 "$logs/$name.log"
    else
        cat "$logs/$name.log"
        printf '== %s failed with %d\n' "$name" "$status"
    fi
    printf '== %s took %d s of its %d s\n\n' "$name" "$took" "$share"
    if [ "$took" -gt "$share" ]; then
        printf '== %s took longer than its share\n\n' "$name"
    fi
}
