# setup.sh - what ./run, ./test and .ci/run share: packages and builds. Sourced.
# Callers stand in the root of the project.

# make: what `cmake -B build` wants in a project that `superstep new` has made.
packages_build="gcc libc6-dev cmake ninja-build make pkg-config|pkgconf
    protobuf-c-compiler libprotobuf-c-dev libzmq3-dev libczmq-dev
    libmicrohttpd-dev libsqlite3-dev libpq-dev libjansson-dev libxxhash-dev nettle-dev
    libjemalloc-dev"
packages_test="g++ check python3 python3-yaml binutils postgresql git"
packages_slow="valgrind"
packages_ci="clang clang-tidy"
packages_older="uthash-dev" # of the version that is upgraded from
packages_format="clang-format-14"

say()
{
    printf '%s\n' "$*"
}

complain()
{
    printf '%s\n' "$*" >&2
}

# Whether package $1 is installed; "a|b" means that either will do.
installed()
{
    for name in $(printf '%s' "$1" | tr '|' ' '); do
        case $(dpkg-query -W -f '${Status}' "$name" 2>/dev/null) in
        *" installed") return 0 ;;
        esac
    done
    return 1
}

# How to become root: prints a prefix for commands, or fails.
root_prefix()
{
    if [ "$(id -u)" = 0 ]; then
        printf 'env'
    elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null ||
        [ -t 0 ]; }; then
        printf 'sudo env'
    else
        return 1
    fi
}

apt()
{
    $prefix DEBIAN_FRONTEND=noninteractive apt-get -q \
        -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@"
}

# Install those of the named packages that are missing; exits with 3 where it may not.
need_packages()
{
    if ! command -v dpkg-query >/dev/null; then
        return 0 # no Debian: cmake says what it does not find
    fi
    missing=
    for package in "$@"; do
        installed "$package" || missing="$missing ${package%%|*}"
    done
    [ -n "$missing" ] || return 0
    say "These packages are missing:$missing"
    if ! prefix=$(root_prefix); then
        complain "They cannot be installed from here. As root, run:"
        complain "    apt-get install$missing"
        exit 3
    fi
    say "Installing them with apt-get."
    log=$(mktemp)
    # Package lists may be absent or old: fetch them, then try once more.
    # shellcheck disable=SC2086
    if ! apt install -y --no-install-recommends $missing >"$log" 2>&1 &&
        ! { apt update && apt install -y --no-install-recommends $missing
        } >"$log" 2>&1; then
        complain "apt-get failed:"
        tail -n 20 "$log" >&2
        rm -f "$log"
        complain "As root, run: apt-get install$missing"
        exit 3
    fi
    rm -f "$log"
}

# clang and the libraries of its fuzzer; some distributions have them apart.
need_fuzzer()
{
    need_packages clang
    program=$(mktemp)
    printf 'int LLVMFuzzerTestOneInput(void) { return 0; }\n' |
        clang -x c -fsanitize=fuzzer,address -o "$program" - 2>/dev/null ||
        need_packages libclang-rt-dev
    rm -f "$program"
}

# LangGraph itself, in a Python of its own below build/.
need_langgraph()
{
    venv=build/interop
    wanted=tests/interop/requirements.txt
    if cmp -s "$wanted" "$venv/installed"; then
        return 0
    fi
    need_packages python3-venv
    say "Installing LangGraph into $venv with pip."
    mkdir -p "$venv"
    if ! { python3 -m venv "$venv" &&
        "$venv/bin/pip" install -q -r "$wanted"; } >"$venv/log" 2>&1; then
        tail -n 20 "$venv/log" >&2
        complain "pip could not install what $wanted lists."
        exit 3
    fi
    cp "$wanted" "$venv/installed"
}

# What looks at deploy/kubernetes and deploy/prometheus as others will: schemas, in
# a Python of its own below build/; and Debian's prometheus, unpacked there, so
# that no daemon is started.
need_kubernetes()
{
    place=build/kubernetes
    wanted=kubernetes-validate==1.37.0
    [ ! -f "$place/installed" ] || return 0
    need_packages python3-venv
    say "Getting $wanted and Debian's prometheus into $place."
    mkdir -p "$place"
    if ! { python3 -m venv "$place" && "$place/bin/pip" install -q "$wanted" &&
        { (cd "$place" && apt-get -q download prometheus) ||
            { prefix=$(root_prefix) && apt update &&
                (cd "$place" && apt-get -q download prometheus); }; } &&
        dpkg -x "$place"/prometheus_*.deb "$place/prometheus"
    } >"$place/log" 2>&1; then
        tail -n 20 "$place/log" >&2
        complain "pip or apt-get could not get them."
        return 3
    fi
    rm -f "$place"/prometheus_*.deb
    ln -sf ../prometheus/usr/bin/prometheus ../prometheus/usr/bin/promtool "$place/bin"
    : >"$place/installed"
}

# Configure and build: build PRESET [--only TARGET] [cmake argument...]. Fails
# with the log of what went wrong. A tree of a project that was moved is built
# anew.
build()
{
    preset=$1
    shift
    only=all
    if [ "${1:-}" = --only ]; then
        only=$2
        shift 2
    fi
    tree=build/$preset
    home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' \
        "$tree/CMakeCache.txt" 2>/dev/null) || home=
    if [ -n "$home" ] && [ "$home" != "$PWD" ]; then
        rm -rf "$tree"
    fi
    mkdir -p "$tree"
    if command -v ccache >/dev/null; then
        set -- -DCMAKE_C_COMPILER_LAUNCHER=ccache "$@"
    fi
    # The arguments of the last time: a quick second time configures nothing.
    if [ ! -f "$tree/build.ninja" ] ||
        [ "$(cat "$tree/arguments" 2>/dev/null)" != "$*" ]; then
        cmake --preset "$preset" "$@" >"$tree/configure.log" 2>&1 || {
            cat "$tree/configure.log" >&2
            return 1
        }
        printf '%s\n' "$*" >"$tree/arguments"
    fi
    cmake --build "$tree" --target "$only" >"$tree/build.log" 2>&1 || {
        grep -v '^\[' "$tree/build.log" >&2
        return 1
    }
}
