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
    share/bash-completion/completions/superstep-worker \
    share/fish/vendor_completions.d/superstep-worker.fish \
    lib/superstep/digest.so lib/systemd/system/superstep-coordinator.service; do
    [ -s "$place/usr/$file" ] || fail "no $file"
done

# Units name their programs as systemd reads names, wherever these lie.
for part in coordinator worker; do
    cmake --install "$SS_BUILD_DIR" --component $part \
        --prefix "$place/all of it 100%" >"$place/log" ||
        { cat "$place/log"; fail "cmake --install --component $part failed"; }
done
units="$place/all of it 100%/lib/systemd/system"
for line in "ExecStart=\"$place/all of it 100%%/bin/superstep-worker\"" \
    "Environment=\"SUPERSTEP_APP=$place/all of it 100%%/lib/superstep/%i.so\""; do
    grep -qxF "$line" "$units/superstep-worker@.service" ||
        fail "no line $line in the unit"
done
if command -v systemd-analyze >/dev/null; then
    cp "$units/superstep-worker@.service" "$units/superstep-worker@digest.service"
    said=$(systemd-analyze verify --man=no "$units/superstep-coordinator.service" \
        "$units/superstep-worker@digest.service" 2>&1 | grep "$place") || :
    [ -z "$said" ] || fail "units that systemd does not take: $said"
else
    echo "*** systemd-analyze is not here: the units were not verified ***"
fi

# fish and bash look for the words of each program in a file of its name.
if command -v fish >/dev/null; then
    for words in "superstep-worker --app:--app-arg" "superstep sho:show" \
        "superstep-coordinator --d:--drain-ms"; do
        PATH=$place/usr/bin:$PATH XDG_DATA_DIRS=$place/usr/share:/usr/share \
            HOME=$place fish -c "complete -C '${words%:*}'" |
            grep -q "^${words##*:}" || fail "fish offers no ${words##*:}"
    done
fi

# Moved, it must still be whole: superstep.pc says where it lies by itself.
mv "$place/usr" "$place/moved"
pc=$(dirname "$(find "$place/moved" -name superstep.pc)")
export PKG_CONFIG_PATH="$pc"
cd "$place"
cp "$SS_SOURCE_DIR/examples/hello/hello.c" .

# An application needs jansson's headers, and nobody else's.
mkdir few
cp "$pc/superstep.pc" "$(pkg-config --variable pcfiledir jansson)/jansson.pc" \
    few
PKG_CONFIG_PATH='' PKG_CONFIG_LIBDIR=few pkg-config --cflags --libs \
    superstep >/dev/null || fail "superstep.pc asks for more than jansson"

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

# What the headers declare, as a compiler understood it; gcc alone tells.
archive=$(dirname "$pc")/libsuperstep.a
shared=$(dirname "$pc")/libsuperstep.so
for header in "$place/moved/include/superstep/"*.h; do
    printf '#include <superstep/%s>\n' "$(basename "$header")"
done >all.c
if ${CC:-cc} -fsyntax-only -aux-info all.txt all.c \
    $(pkg-config --cflags superstep) 2>/dev/null && [ -s all.txt ]; then
    sed -n 's|^/\* .*/superstep/[a-z]*\.h:[^(]*[ *]\(ss_[a-z0-9_]*\) (.*|\1|p' \
        all.txt | LC_ALL=C sort -u >public
    [ "$(wc -l <public)" -gt 100 ] || fail "the headers declare too little"
else
    nm -D --defined-only "$shared" | sed 's/.* //' | LC_ALL=C sort -u >public
fi
# No name is taken from users, or from other generated code, but those: not by
# either library, nor by the program that loads applications.
nm -g --defined-only "$archive" | sed -n 's/^[0-9a-f]* [A-Za-z] //p' |
    LC_ALL=C sort | comm -3 - public >wrong
[ ! -s wrong ] || fail "libsuperstep.a shows or lacks" $(head -n 5 wrong)
nm -D --defined-only "$shared" | sed 's/.* //' |
    LC_ALL=C sort | comm -3 - public >wrong
[ ! -s wrong ] || fail "libsuperstep.so shows or lacks" $(head -n 5 wrong)
nm -D --defined-only "$place/moved/bin/superstep-worker" |
    sed -n 's/.* \(s[us][a-z]*_\)/\1/p' |
    LC_ALL=C sort | comm -23 - public >wrong
[ ! -s wrong ] || fail "superstep-worker shows" $(head -n 5 wrong)

# So a program may have functions of its own with names that we use inside.
cat >own.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <superstep/local.h>
extern const struct ss_app ss_app_descriptor;
void ss_buf_init(void);
void superstep__v1__adopt__init(void);
void ss_buf_init(void)
{
    abort();
}
void superstep__v1__adopt__init(void)
{
    abort();
}
int main(void)
{
    struct ss_local_error error = {.message = ""};
    struct ss_local *local;
    json_t *answer = NULL;
    if (ss_local_open(&(struct ss_local_options){.app = &ss_app_descriptor},
            &local, &error) != 0 ||
        ss_local_ask(local, "run", json_pack("{s:s, s:s, s:{s:s}}", "graph",
            "hello", "thread", "demo", "input", "name", "Ada"), NULL, &answer,
            &error) != 0)
        fprintf(stderr, "%s\n", error.message);
    else
        puts(json_string_value(json_object_get(answer, "status")));
    json_decref(answer);
    ss_local_close(&local);
    return 0;
}
END
# What the archive itself needs, of an instrument.
nm -u "$archive" >needed
instrument=
! grep -q ' __asan_init$' needed || instrument=-fsanitize=address,undefined
! grep -q ' __tsan_init$' needed || instrument=-fsanitize=thread
! grep -q ' __gcov_init$' needed || instrument=--coverage
${CC:-cc} -Wall -Wextra -Werror own.c hello.c -o own $instrument \
    $(pkg-config --static --cflags --libs superstep |
        sed 's/-lsuperstep/-l:libsuperstep.a/') ||
    fail "a program does not link with libsuperstep.a"
! readelf -d own | grep -q libsuperstep ||
    fail "what is linked statically needs libsuperstep.so"
[ "$(./own)" = done ] || fail "a program with names of its own does not run"

# Each header stands alone, in C and as C++ users would include it.
strict='-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror'
for header in "$place/moved/include/superstep/"*.h; do
    name=$(basename "$header")
    printf '#include <superstep/%s>\nint main(void)\n{\n    return 0;\n}\n' \
        "$name" >alone.c
    for standard in c11 c17; do
        ${CC:-cc} -std=$standard $strict alone.c -o alone \
            $(pkg-config --cflags --libs superstep) ||
            fail "$name as $standard is not what others compile"
    done
    for standard in c++17 c++20; do
        ! command -v "${CXX:-c++}" >/dev/null ||
            ${CXX:-c++} -x c++ -std=$standard $strict -Wold-style-cast \
                -fsyntax-only alone.c $(pkg-config --cflags superstep) ||
            fail "$name as $standard is not what others compile"
    done
done
# Nobody ran ldconfig, and nobody says where the library is.
has_asan=$(grep -c ' __asan_init$' needed || true)
unset LD_LIBRARY_PATH
[ "$has_asan" != 0 ] || ./alone || fail "libsuperstep.so is not found"

# The same with CMake, which finds the package by the programs on the PATH.
mkdir project
cp hello.c project
cp alone.c own.c project
cat >project/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.22)
project(trial LANGUAGES C)
find_package(superstep 0.1 REQUIRED)
add_library(hello MODULE hello.c)
target_link_libraries(hello PRIVATE superstep::app)
add_executable(alone alone.c)
target_link_libraries(alone PRIVATE superstep::superstep)
add_executable(own own.c hello.c)
target_link_libraries(own PRIVATE superstep::static)
END
PATH=$place/moved/bin:$PATH cmake -S project -B made \
    -D CMAKE_EXE_LINKER_FLAGS="$instrument" >"$place/log" 2>&1 &&
    cmake --build made >>"$place/log" 2>&1 ||
    { cat "$place/log"; fail "find_package(superstep) does not do"; }
[ "$has_asan" != 0 ] || ./made/alone || fail "what CMake linked does not start"
[ "$(./made/own)" = done ] || fail "what CMake linked statically does not run"
! readelf -d made/own | grep -q libsuperstep ||
    fail "what is to be static needs libsuperstep.so"
! readelf -d made/libhello.so | grep -q superstep ||
    fail "an application is linked to libsuperstep"

# What was brought is taken back, and nothing else.
cmake --install "$SS_BUILD_DIR" --prefix "$place/usr" >"$place/log"
mkdir "$place/usr/share/doc/other"
cmake -D MANIFEST="$SS_BUILD_DIR/install_manifest.txt" \
    -P "$SS_SOURCE_DIR/cmake/uninstall.cmake" >"$place/log" 2>&1 ||
    { cat "$place/log"; fail "what was installed cannot be taken back"; }
[ -d "$place/usr/share/doc/other" ] || fail "a folder of others is gone"
left=$(find "$place/usr" ! -type d -o -name superstep)
[ -z "$left" ] || fail "these were left:" $left
echo "install: programs, headers, library, superstep.pc and package are whole"
