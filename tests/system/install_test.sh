#!/bin/sh
# What is installed is enough: hello.c is built outside of the tree, with one cc
# line, against the installed headers; so is a program with libsuperstep.
set -eu

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
fail()
{
    echo "install: $*"
    exit 1
}

cmake --install "$SS_BUILD_DIR" --prefix "$place/usr" >"$place/log" ||
    { cat "$place/log"; fail "cmake --install failed"; }
for program in superstep superstep-coordinator superstep-worker; do
    [ -x "$place/usr/bin/$program" ] || fail "no program $program"
done

# What people look for beside the programs.
for file in share/man/man1/superstep.1 share/man/man1/superstep-worker.1 \
    share/man/man1/superstep-coordinator.1 share/doc/superstep/LICENSE \
    share/doc/superstep/docs/tutorial.md \
    share/doc/superstep/examples/hello/hello.c \
    share/bash-completion/completions/superstep \
    share/zsh/site-functions/_superstep \
    share/zsh/vendor-completions/_superstep \
    share/fish/vendor_completions.d/superstep.fish \
    lib/superstep/digest.so lib/systemd/system/superstep-coordinator.service; do
    [ -s "$place/usr/$file" ] || fail "no $file"
done

# Moved, it must still be whole: superstep.pc says where it lies by itself.
mv "$place/usr" "$place/moved"
pc=$(dirname "$(find "$place/moved" -name superstep.pc)")
export PKG_CONFIG_PATH="$pc"
cd "$place"
cp "$SS_SOURCE_DIR/examples/hello/hello.c" .

${CC:-cc} -Wall -Wextra -Werror -shared -fPIC hello.c -o libhello.so \
    $(pkg-config --cflags superstep)

# The application needs nothing of ours but public functions.
nm -D --undefined-only libhello.so | sed -n 's/^ *U //p' |
    grep -Ev '^(ss_|json_|mem|str|__|free|snprintf)' >unknown || true
[ ! -s unknown ] || fail "hello needs $(cat unknown)"
for name in $(nm -D --undefined-only libhello.so | sed -n 's/^ *U \(ss_\)/\1/p'); do
    nm -D --defined-only "$place/moved/bin/superstep-worker" |
        grep -q " $name\$" || fail "superstep-worker does not export $name"
    grep -q "$name" "$place/moved/include/superstep/"*.h ||
        fail "$name is in no installed header"
done

# Each header stands alone, in C and as C++ users would include it.
for header in "$place/moved/include/superstep/"*.h; do
    name=$(basename "$header")
    printf '#include <superstep/%s>\nint main(void)\n{\n    return 0;\n}\n' \
        "$name" >alone.c
    ${CC:-cc} -std=c11 -Wall -Wextra -Wpedantic -Werror alone.c -o alone \
        $(pkg-config --cflags --libs superstep) || fail "$name needs another"
done
# Nobody ran ldconfig, and nobody says where the library is.
has_asan=$(nm "$(dirname "$pc")/libsuperstep.a" 2>/dev/null | grep -c __asan_ ||
    true)
unset LD_LIBRARY_PATH
[ "$has_asan" != 0 ] || ./alone || fail "libsuperstep.so is not found"

# The same with CMake, which finds the package by the programs on the PATH.
mkdir project
cp hello.c project
cp alone.c project/alone.c
cat >project/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.22)
project(trial LANGUAGES C)
find_package(superstep 0.1 REQUIRED)
add_library(hello MODULE hello.c)
target_link_libraries(hello PRIVATE superstep::app)
add_executable(alone alone.c)
target_link_libraries(alone PRIVATE superstep::superstep)
END
PATH=$place/moved/bin:$PATH cmake -S project -B made >"$place/log" 2>&1 &&
    cmake --build made >>"$place/log" 2>&1 ||
    { cat "$place/log"; fail "find_package(superstep) does not do"; }
[ "$has_asan" != 0 ] || ./made/alone || fail "what CMake linked does not start"
! readelf -d made/libhello.so | grep -q superstep ||
    fail "an application is linked to libsuperstep"
echo "install: programs, headers, library, superstep.pc and package are whole"
