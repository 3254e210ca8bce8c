# The completion for bash, zsh and fish: what was typed is asked of superstep,
# and what it says is offered. A name is text: nothing in it is ever run.
set -eu
command -v bash >/dev/null || exit 77
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# In place of the command: what it is asked, and names as there may be.
cat >"$dir/superstep" <<'END'
#!/bin/sh
[ "$1 $2 $3" = "completion words --" ] || exit 1
shift 3
for word in "$@"; do
    printf '<%s>' "$word" >>asked
done
case "$*" in
dev*) echo :files ;;
*) printf '%s\n' 'de mo' '$(touch hacked)' ;;
esac
END
chmod +x "$dir/superstep"

cat >"$dir/test.bash" <<'END'
source "$1/completion/superstep.bash"
failed=0
expect() # what is asked, what it completes to, words...
{
    local asked=$1 wanted=$2
    shift 2
    : >asked
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _superstep 2>/dev/null
    local got="${COMPREPLY[*]}"
    if [ "$got" != "$wanted" ] || [ "$(cat asked)" != "$asked" ]; then
        echo "superstep ${*:2}: \"$got\", not \"$wanted\"; asked $(cat asked)"
        failed=1
    fi
}
expect '<state><d>' 'de\ mo \$\(touch\ hacked\)' superstep state d
expect '<run><g><--at><>' 'de\ mo \$\(touch\ hacked\)' superstep run g --at ''
touch app.so
expect '<dev><app>' 'app.so' superstep dev app
case "$(complete -p superstep-coordinator)" in
*"--cluster-lease-ms "*superstep-coordinator) ;;
*) echo "no options of the coordinator"; failed=1 ;;
esac
case "$(complete -p superstep-worker)" in
*"--app-arg "*superstep-worker) ;;
*) echo "no options of the worker"; failed=1 ;;
esac
[ ! -e hacked ] || { echo "a name was run"; failed=1; }
exit $failed
END
cd "$dir"
PATH=$dir:$PATH bash "$dir/test.bash" "$SS_SOURCE_DIR"

# The shells that are there read their scripts, at least.
for shell in zsh fish; do
    grep -q cluster-lease-ms "$SS_SOURCE_DIR/completion/superstep.$shell"
    ! command -v $shell >/dev/null ||
        $shell -n "$SS_SOURCE_DIR/completion/superstep.$shell"
done
