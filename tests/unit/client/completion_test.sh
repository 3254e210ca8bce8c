# The completion for bash: words of the command line, names of the coordinator.
# A name is text: nothing in it is ever run.
set -eu
command -v bash >/dev/null || exit 77
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# In place of the command: names as a coordinator may have them.
cat >"$dir/superstep" <<'END'
#!/bin/sh
[ "$2" = --names ] || exit 1
echo "$1-one"
echo 'de mo'
echo '$(touch hacked)'
END
chmod +x "$dir/superstep"

cat >"$dir/test.bash" <<'END'
source "$1/completion/superstep.bash"
failed=0
expect() # what completes to, words...
{
    local wanted=$1
    shift
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _superstep 2>/dev/null
    local got="${COMPREPLY[*]}"
    if [ "$got" != "$wanted" ]; then
        echo "superstep ${*:2}: \"$got\", not \"$wanted\""
        failed=1
    fi
}
expect 'run resume release runs retain' superstep r
expect '--recursion-limit' superstep run g --rec
expect 'history' superstep --coordinator tcp://here:1 hi
expect 'sync async exit' superstep run g --durability ''
expect 'values' superstep run g --stream v
expect 'threads-one' superstep state th
expect 'runs-one' superstep cancel ru
expect 'graphs-one' superstep draw gr
expect 'threads-one' superstep run g --thread t
expect 'de\ mo' superstep state d
expect '\$\(touch\ hacked\)' superstep state '$'
expect '' superstep graphs x
touch app.so
expect 'app.so' superstep dev app
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
