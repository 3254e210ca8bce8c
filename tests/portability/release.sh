#!/bin/sh
# release.sh - the README's two commands on another release, as its first user
# gives them: tests/portability/release.sh NAME [FOLDER]
#
# NAME is trixie (Debian 13), jammy or noble (Ubuntu 22.04 and 24.04), or another
# name of theirs. debootstrap unpacks the release in FOLDER (build/NAME), with
# nothing but its base; the last commit is cloned into it, and both commands are
# given in it, as root and in namespaces of their own. 5 GB and, on two
# processors, a quarter of an hour. docs/internals/portability.md has what it
# said.
set -eu
cd "$(dirname "$0")/../.."
. tools/setup.sh
release=${1:?"NAME is missing: trixie, jammy, noble"}
case $release in
bookworm | trixie | forky | sid)
    site=http://deb.debian.org/debian keys=debian parts=main pattern=sid
    pockets=$release ;;
*)
    site=http://archive.ubuntu.com/ubuntu keys=ubuntu parts=main,universe
    pattern=gutsy pockets="$release $release-updates" ;;
esac
need_packages debootstrap
mkdir -p "${2:-build/$release}"
place=$(cd "${2:-build/$release}" && pwd)
root=$place/root

if [ ! -e "$root/unpacked" ]; then
    say "Unpacking $release."
    rm -rf "$root"
    keyring=/usr/share/keyrings/$keys-archive-keyring.gpg
    set -- "--keyring=$keyring"
    if [ ! -e "$keyring" ]; then
        say "No signature is looked at: there is no $keyring."
        set -- --no-check-gpg
    fi
    # The release may be younger than debootstrap.
    scripts=/usr/share/debootstrap/scripts
    [ -e "$scripts/$release" ] || pattern=$scripts/$pattern
    [ ! -e "$scripts/$release" ] || pattern=
    # shellcheck disable=SC2086
    debootstrap "$@" --variant=minbase --components=$parts "$release" "$root" \
        "$site" $pattern >"$place/debootstrap.log" 2>&1 ||
        { tail -n 20 "$place/debootstrap.log" >&2; exit 1; }
    for pocket in $pockets; do
        printf 'deb %s %s %s\n' "$site" "$pocket" "$(printf %s $parts | tr , ' ')"
    done >"$root/etc/apt/sources.list"
    rm -rf "$root"/var/lib/apt/lists/*
    : >"$root/unpacked"
fi
cp /etc/resolv.conf "$root/etc/resolv.conf"
rm -rf "$root/root/superstep"
git clone -q . "$root/root/superstep"

# What is mounted and started goes with the namespaces.
inside()
{
    # shellcheck disable=SC2016
    unshare --mount --pid --fork --kill-child sh -c '
        mount -t proc proc "$0/proc"
        mount --rbind /dev "$0/dev"
        mount -t tmpfs tmpfs "$0/dev/shm"
        mount -t devpts -o newinstance,ptmxmode=666 devpts "$0/dev/pts"
        exec env -i PATH=/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin \
            TERM=dumb chroot "$0" sh -c \
            "HOME=~root; export HOME; cd ~/superstep && $1"
    ' "$root" "$1"
}
for command in ./run ./test; do
    say "$release: $command"
    log=$place/${command#./}.log
    inside "$command" >"$log" 2>&1 || failed=1
    tail -n 5 "$log"
done
exit "${failed:-0}"
