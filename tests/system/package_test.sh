# The packages for Debian: one for each part, with what its part needs, and
# programs that start.
set -eu
command -v dpkg-deb >/dev/null && command -v dpkg-shlibdeps >/dev/null || exit 77
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
fail()
{
    echo "package: $*"
    exit 1
}

DEBFULLNAME='Ada Maintains' DEBEMAIL=ada@maintains.example
export DEBFULLNAME DEBEMAIL
cpack --config "$SS_BUILD_DIR/CPackConfig.cmake" -G DEB -B "$place" \
    >"$place/log" 2>&1 || { cat "$place/log"; fail "cpack failed"; }
has() # package, files...
{
    package=$1
    shift
    mkdir "$place/$package"
    dpkg-deb -x "$place/$package"_*.deb "$place/$package" ||
        fail "no package $package"
    for file in "$@"; do
        [ -s "$place/$package/usr/$file" ] || fail "$package lacks $file"
    done
}
has superstep bin/superstep share/man/man1/superstep.1.gz \
    share/bash-completion/completions/superstep share/doc/superstep/LICENSE
for part in coordinator worker; do
    has superstep-$part bin/superstep-$part \
        share/man/man1/superstep-$part.1.gz lib/sysusers.d/superstep-$part.conf
    dpkg-deb -f "$place/superstep-$part"_*.deb Depends | grep -q libjansson4 ||
        fail "superstep-$part depends on no library"
    "$place/superstep-$part/usr/bin/superstep-$part" --version >/dev/null ||
        fail "superstep-$part does not start"
done
has libsuperstep0 lib/libsuperstep.so.0
has superstep-dev include/superstep/superstep.h
[ -L "$place/superstep-dev/usr/lib/libsuperstep.so" ] ||
    fail "superstep-dev lacks the name that linkers look for"
! find "$place/superstep-dev" "$place/superstep-worker" -name 'libsuperstep.so.*' |
    grep -q . || fail "the shared library is in a package of something else"
dpkg-deb -f "$place/superstep-dev"_*.deb Depends |
    grep -q '^libsuperstep0 (= .*libjansson-dev, libc6-dev' ||
    fail "superstep-dev needs no library, or no headers of C"
# The static library takes no names but those of the headers.
cat "$place/superstep-dev/usr/include/superstep/"*.h >"$place/headers"
nm -g --defined-only "$(find "$place/superstep-dev" -name libsuperstep.a)" |
    sed -n 's/^[0-9a-f]* [A-Za-z] //p' >"$place/names"
[ -s "$place/names" ] || fail "libsuperstep.a has no names"
while read -r name; do
    grep -q "[ *]$name(" "$place/headers" ||
        fail "libsuperstep.a shows $name, which is in no header"
done <"$place/names"
# Each has its licence, and none what a debugger alone reads.
for package in superstep superstep-coordinator superstep-worker libsuperstep0 \
    superstep-dev; do
    grep -q MIT "$place/$package/usr/share/doc/$package/copyright" ||
        fail "$package has no licence"
    gzip -dc "$place/$package/usr/share/doc/$package/changelog.gz" |
        grep -q "^$package (" || fail "$package has no changelog"
    dpkg-deb -f "$place/$package"_*.deb Maintainer |
        grep -qx 'Ada Maintains <ada@maintains.example>' ||
        fail "$package does not say who made it"
    for file in $(find "$place/$package/usr" -type f -name '*.[ao]' -o \
        -name '*.so*' -type f -o -path '*/bin/*' -type f); do
        unneeded=' \.debug_| \.symtab'
        [ "${file%.a}" = "$file" ] || unneeded=' \.debug_'
        ! readelf -SW "$file" | grep -Eq "$unneeded" ||
            fail "$package: ${file##*/} is not stripped"
    done
done
dpkg-deb -I "$place/libsuperstep0"_*.deb triggers 2>/dev/null |
    grep -q '^activate-noawait ldconfig' ||
    fail "libsuperstep0 does not say that there is one more library"
# So that packages of programs that are linked with it know whom they need.
dpkg-deb -I "$place/libsuperstep0"_*.deb shlibs 2>/dev/null |
    grep -q '^libsuperstep 0 libsuperstep0' ||
    fail "libsuperstep0 does not say whose library it has"
[ -s "$place/superstep-worker/usr/lib/superstep/digest.so" ] ||
    fail "no application to try"
"$place/superstep/usr/bin/superstep" version >/dev/null ||
    fail "superstep does not start"
echo "package: coordinator, worker, command, library and headers, each by itself"
