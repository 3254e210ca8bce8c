#!/bin/sh
# arm64.sh - build for ARM, and run the unit tests there, by an emulator:
# tests/portability/arm64.sh [FOLDER]
#
# The libraries come from a root of Debian for arm64 that debootstrap unpacks in
# FOLDER (build/arm64), which takes 700 MB. As root, on Debian; it installs the
# compiler, the emulator and debootstrap where they are missing.
# docs/internals/portability.md has what it said.
set -eu
cd "$(dirname "$0")/../.."
. tools/setup.sh
need_packages debootstrap qemu-user-static gcc-aarch64-linux-gnu \
    libc6-dev-arm64-cross
mkdir -p "${1:-build/arm64}"
place=$(cd "${1:-build/arm64}" && pwd)
root=$place/root
. /etc/os-release
# They start our programs, which the kernel cannot load without an emulator of its
# own; or ask it for what qemu does not hand on (TCP_INFO, SO_DETACH_FILTER).
elsewhere='client\.(board|cli|cli_lists|cli_many|cli_threads|dev|doctor|ids|terminal|transcript)$'
elsewhere="$elsewhere|link\\.(admission|filter)\$"

if [ ! -e "$root/unpacked" ]; then
    say "Unpacking $VERSION_CODENAME for arm64."
    site=$(apt-get indextargets --format '$(SITE) $(RELEASE)' |
        awk -v name="$VERSION_CODENAME" '$2 == name { print $1; exit }')
    rm -rf "$root"
    debootstrap --foreign --arch=arm64 --variant=minbase --include="$(printf %s "\
libc6-dev linux-libc-dev libprotobuf-c-dev libzmq3-dev libczmq-dev \
libmicrohttpd-dev libsqlite3-dev libpq-dev libjansson-dev libxxhash-dev \
nettle-dev libjemalloc-dev check" | tr ' ' ,)" \
        "$VERSION_CODENAME" "$root" "$site" >"$place/debootstrap.log" 2>&1 ||
        { tail -n 20 "$place/debootstrap.log" >&2; exit 1; }
    # Its second stage would run what is unpacked; libraries need no more.
    for package in "$root"/var/cache/apt/archives/*.deb; do
        dpkg-deb --fsys-tarfile "$package" |
            tar -x --keep-directory-symlink -C "$root"
    done
    # What is left is for the linker: devices and settings are the machine's.
    find "$root" -mindepth 1 -maxdepth 1 ! -name usr ! -type l \
        -exec rm -rf {} +
    : >"$root/unpacked"
fi

cat >"$place/toolchain.cmake" <<TEXT
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_SYSROOT $root)
set(CMAKE_FIND_ROOT_PATH $root)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L $root)
TEXT
lib=$root/usr/lib/aarch64-linux-gnu
export PKG_CONFIG_SYSROOT_DIR="$root" PKG_CONFIG_PATH=
export PKG_CONFIG_LIBDIR="$lib/pkgconfig:$root/usr/share/pkgconfig"
say "Building."
cmake -S . -B "$place/tree" -G Ninja -DSS_TESTS=ON -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_TOOLCHAIN_FILE="$place/toolchain.cmake" >"$place/configure.log" 2>&1 ||
    { tail -n 20 "$place/configure.log" >&2; exit 1; }
tests=$(sed -n 's/^build \(tests\/unit\.[^: ]*\):.*/\1/p' "$place/tree/build.ninja")
# shellcheck disable=SC2086
cmake --build "$place/tree" --target superstep superstep-coordinator \
    superstep-worker $tests >"$place/build.log" 2>&1 ||
    { grep -v '^\[' "$place/build.log" >&2; exit 1; }
say "Testing, under qemu."
# For the test that compiles applications.
mkdir -p "$place/bin"
printf '#!/bin/sh\nexec aarch64-linux-gnu-gcc --sysroot="%s" "$@"\n' "$root" \
    >"$place/bin/cc"
chmod +x "$place/bin/cc"
PATH=$place/bin:$PATH ctest --test-dir "$place/tree" -R '^unit\.' -E "$elsewhere" -j 2 \
    --timeout 600 --output-on-failure >"$place/test.log" 2>&1 || failed=1
tail -n 25 "$place/test.log"
for program in superstep superstep-coordinator superstep-worker; do
    qemu-aarch64-static -L "$root" "$place/tree/bin/$program" --version
done
exit "${failed:-0}"
