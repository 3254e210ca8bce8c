#!/bin/sh
# ./run works where a folder of the path has a space in its name: what it
# configures, builds and links there, and what its main job then shows.
#
# What costs time is compiling, and no path of that hangs on its options: a
# stub of ccache takes the optimisation away, and asks ccache itself, where that
# is, by names that are the same in each folder. The other step whose paths do is
# the link of a release, which compiles all files anew as one (-flto): each
# program's main.c and the library common/base are left to it, the rest is linked
# as it is.
set -eu

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
project="$place/a b"
mkdir "$project" "$place/stubs"
cd "$SS_SOURCE_DIR"
tar -cf - --exclude=./build --exclude=./.git . | tar -xf - -C "$project"

caching=$(command -v ccache || true)
cat >"$place/stubs/ccache" <<END
#!/bin/sh
case "\$*" in
*/main.c | */common/base/*.c) ;;
*) set -- "\$@" -fno-lto ;;
esac
CCACHE_BASEDIR='$project' CCACHE_NOHASHDIR=1 exec $caching "\$@" -O0 -g0 \\
    -U_FORTIFY_SOURCE
END
chmod +x "$place/stubs/ccache"

status=0
PATH=$place/stubs:$PATH "$project/run" >"$place/out" 2>&1 </dev/null ||
    status=$?
if [ "$status" != 0 ] || [ "$(grep -c '^  yes  ' "$place/out")" != 3 ]; then
    cat "$place/out"
    echo "path_with_space: ./run in \"a b\" ended with $status"
    exit 1
fi
echo "path_with_space: ./run in \"a b\" is built, runs, and holds its promises"
